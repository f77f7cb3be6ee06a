//! Modules compiled once: the machine code of PTX, in files of the user's cache folder.
//!
//! The name of a file is a hash of what the code depends on: the PTX, which is what the program, its plan, the target and
//! the passes have made, the version of dlc, the driver and the device. The file holds all of that too, so that another text with
//! the same hash is only compiled again. Files are written whole or not at all, and what is wrong with one, or with the
//! folder, costs time and nothing else.

use std::path::{Path, PathBuf};

use dlc_opt::output::write_file;

use super::driver::{Device, Done, Driver, Kind};

/// What a file begins with; the number is that of the form.
const HEAD: &[u8] = b"dlc cubin 2\n";

/// The folder: `dlc` in that of the user, if the environment says where it is.
pub fn folder() -> Option<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // Relative paths are not what these are for.
    let base = given("XDG_CACHE_HOME").or_else(|| given("HOME").map(|home| home.join(".cache")));
    base.filter(|path| path.is_absolute()).map(|path| path.join("dlc"))
}

/// Loads a module, from the cache where it is there. Whether it was.
pub fn load(driver: &mut dyn Driver, ptx: &str, folder: Option<&Path>) -> Done<bool> {
    let key = key(ptx, driver.device());
    let file = folder.map(|folder| folder.join(format!("{:016x}.cubin", hash(&key))));
    if let Some(code) = file.as_deref().and_then(|file| read(file, &key))
        && driver.load(&code).is_ok()
    {
        return Ok(true);
    }
    match driver.compile(ptx) {
        Ok(code) => {
            driver.load(&code)?;
            if let Some(file) = file {
                write(&file, &key, &code);
            }
            Ok(false)
        }
        // What is wrong with the PTX, or a driver that does not know it, stays so.
        Err(failure) if matches!(failure.kind, Kind::BadModule | Kind::TooOld) => Err(failure),
        // A driver may compile what it loads and nothing else.
        Err(failure) => driver.load(&[ptx.as_bytes(), &[0]].concat()).map(|()| false).map_err(|_| failure),
    }
}

/// Everything that machine code depends on.
fn key(ptx: &str, device: &Device) -> Vec<u8> {
    let (major, minor) = device.capability;
    let version = env!("CARGO_PKG_VERSION");
    format!("dlc {version}\ndriver {}\nsm_{major}{minor}\n{ptx}", device.driver).into_bytes()
}

/// FNV-1a: the same for every build of this program.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The code in a file, if the file is for this key and the code is what was written: the driver believes it how long it
/// is.
fn read(file: &Path, key: &[u8]) -> Option<Vec<u8>> {
    let bytes = std::fs::read(file).ok()?;
    let rest = bytes.strip_prefix(HEAD)?;
    let (len, rest) = rest.split_first_chunk::<8>()?;
    let (is, rest) = rest.split_at_checked(u64::from_le_bytes(*len).try_into().ok()?)?;
    let (sum, code) = rest.split_first_chunk::<8>()?;
    (is == key && !code.is_empty() && u64::from_le_bytes(*sum) == hash(code)).then(|| code.to_vec())
}

fn write(file: &Path, key: &[u8], code: &[u8]) {
    let Some(folder) = file.parent() else { return };
    let (len, sum) = ((key.len() as u64).to_le_bytes(), hash(code).to_le_bytes());
    // Without the file the module is compiled again next time.
    let _ = std::fs::create_dir_all(folder).and_then(|()| {
        write_file(&file.to_string_lossy(), |out| {
            [HEAD, &len, key, &sum, code].iter().try_for_each(|part| out.write_all(part))
        })
    });
}
