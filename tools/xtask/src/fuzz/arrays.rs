//! Files of arrays whose bytes are damaged: read whole, and as the inputs of a program.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use dlc::files::{Array, Source, write};
use dlc_ir::random::Random;
use dlc_opt::{Io, Setup, Status};
use dlc_test::fuzz::mutate_bytes;

/// The most bytes that one array is read with.
const LIMIT: u64 = 64 << 20;

/// A file, and the program that it is the input of, if there is one.
struct Original {
    bytes: Vec<u8>,
    /// `npy`, `npz` or `safetensors`.
    format: String,
    program: Option<PathBuf>,
}

/// Files to damage, and a folder for what is made from them.
pub struct Arrays {
    originals: Vec<Original>,
    folder: tempfile::TempDir,
}

impl Arrays {
    /// The inputs of the programs, in both formats of several arrays, and the files of the tests of `dlc-run`.
    ///
    /// Errors: a file cannot be read or written.
    pub fn load(tests: &Path) -> io::Result<Arrays> {
        let folder = tempfile::tempdir()?;
        let mut originals = Vec::new();
        for path in sorted(&tests.join("programs"))? {
            let (inputs, program) = (path.join("inputs.npz"), path.join("graph.json"));
            // Large ones would differ little.
            if !program.is_file() || fs::metadata(&inputs).is_ok_and(|about| about.len() > 1 << 16) {
                continue;
            }
            let tensors = folder.path().join("inputs.safetensors");
            let arrays = all(&inputs.to_string_lossy()).map_err(io::Error::other)?;
            write(&tensors.to_string_lossy(), &arrays).map_err(io::Error::other)?;
            for (file, format) in [(inputs, "npz"), (tensors, "safetensors")] {
                originals.push(Original {
                    bytes: fs::read(file)?,
                    format: format.into(),
                    program: Some(program.clone()),
                });
            }
        }
        for path in sorted(&tests.join("tools/dlc-run/Inputs"))? {
            let format = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if ["npy", "npz", "safetensors"].contains(&format.as_str()) {
                originals.push(Original { bytes: fs::read(path)?, format, program: None });
            }
        }
        Ok(Arrays { originals, folder })
    }

    /// Damages a file and reads it; and runs the program on it, if there is one.
    ///
    /// Errors: an array has not the bytes of its sizes, or `dlc-run` makes a mistake of its own.
    pub fn run(&self, setup: &Setup, rng: &mut Random) -> Result<(&'static str, String), String> {
        let original = rng.pick(&self.originals).ok_or("there are no files")?;
        let file = self.folder.path().join(format!("damaged.{}", original.format));
        fs::write(&file, mutate_bytes(rng, &original.bytes)).map_err(|error| error.to_string())?;
        let file = file.to_string_lossy();
        let read = all(&file);
        for (name, array) in read.iter().flatten() {
            let expected: usize = array.shape.iter().product::<usize>() * array.elem.size();
            if array.bytes.len() != expected {
                return Err(format!("{name}: {} bytes of the sizes {:?}", array.bytes.len(), array.shape));
            }
        }
        let fate = |is_done: bool| if is_done { "done" } else { "refused" };
        let Some(program) = &original.program else { return Ok((fate(read.is_ok()), original.format.clone())) };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut io = Io { stdin: &mut io::empty(), stdout: &mut out, stderr: &mut err, terminal: false };
        let args = ["dlc-run".into(), program.into(), file.as_ref().into(), "--device=cpu".into()];
        match dlc_run::run(setup, &args.map(|arg: OsString| arg), &mut io) {
            Status::Success => Ok(("done", original.format.clone())),
            Status::Failure if !err.is_empty() => Ok(("refused", original.format.clone())),
            status => Err(format!("{status:?}: {}", String::from_utf8_lossy(&err))),
        }
    }
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Every array of a file.
fn all(file: &str) -> Result<Vec<(String, Array)>, String> {
    let mut source = Source::open(file)?;
    let names = source.names().unwrap_or_else(|| vec!["only".into()]);
    names.into_iter().map(|name| Ok((name.clone(), source.get(&name, LIMIT)?))).collect()
}
