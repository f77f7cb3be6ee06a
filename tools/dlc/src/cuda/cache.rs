//! Modules compiled once: the machine code of PTX, in files of the user's cache folder.
//!
//! The name of a file is the BLAKE3 hash of what the code depends on: the PTX, which is what the program, its plan, the
//! target and the passes have made, the version of dlc, the driver and the device. The file holds this hash and that of
//! the code, which is compared before anything is executed. Nobody but the user reads or writes the folder. Files are
//! written whole or not at all, and what is wrong with one, or with the folder, costs time and nothing else. Files that
//! were not used for longest go when all together are larger than the cache may be.

use std::fs::{DirBuilder, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::driver::{Device, Done, Driver, Kind};

/// What a file begins with; the number is that of the form.
const HEAD: &[u8] = b"dlc cubin 3\n";
/// The instruction that gives registers to some warps of a block and takes them from others.
const SETS_REGISTERS: &str = "setmaxnreg";
/// How the names of files end.
const END: &str = "cubin";
/// How the names of files begin that are being written.
const UNFINISHED: &str = ".dlc-";
/// How old a file is that was being written when its process ended.
const LEFT: Duration = Duration::from_secs(3600);

/// How many bytes the cache has at most if the user does not say.
pub const USUAL_BYTES: u64 = 1 << 30;

/// A folder, and how many bytes its files have at most.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The folder.
    pub folder: PathBuf,
    /// The bytes.
    pub bytes: u64,
}

/// A file of the cache.
struct Kept {
    used: SystemTime,
    path: PathBuf,
    bytes: u64,
}

impl Cache {
    /// The cache of the user: `dlc` in the folder for such, if the environment says where that is.
    pub fn of_user(bytes: u64) -> Option<Cache> {
        let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        // Relative paths are not what these are for.
        let base = given("XDG_CACHE_HOME").or_else(|| given("HOME").map(|home| home.join(".cache")));
        base.filter(|path| path.is_absolute()).map(|path| Cache { folder: path.join("dlc"), bytes })
    }

    /// How many modules there are, and how many bytes their files have.
    pub fn holds(&self) -> (usize, u64) {
        let kept = self.kept(END);
        (kept.len(), kept.iter().map(|kept| kept.bytes).sum())
    }

    /// Removes all modules, and what processes that ended have left; how many modules there were, and their bytes.
    pub fn clear(&self) -> std::io::Result<(usize, u64)> {
        let modules = self.kept(END);
        for kept in modules.iter().chain(&self.kept("")) {
            match std::fs::remove_file(&kept.path) {
                // Another process was faster.
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok((modules.len(), modules.iter().map(|kept| kept.bytes).sum()))
    }

    /// The files of modules, or with `""` those that are being written.
    fn kept(&self, end: &str) -> Vec<Kept> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        let kept = entries.filter_map(|entry| {
            let (path, about) = (entry.path(), entry.metadata().ok()?);
            let name = entry.file_name().to_string_lossy().into_owned();
            let wanted = match end {
                "" => name.starts_with(UNFINISHED),
                end => path.extension().is_some_and(|own| own == end),
            };
            let used = about.modified().ok()?;
            (wanted && about.is_file()).then_some(Kept { used, path, bytes: about.len() })
        });
        kept.collect()
    }

    fn path(&self, key: &[u8]) -> PathBuf {
        self.folder.join(format!("{}.{END}", blake3::hash(key).to_hex()))
    }

    /// The code for a key, if its file is what was written: the driver believes the code how long it is.
    fn read(&self, key: &[u8]) -> Option<Vec<u8>> {
        let path = self.path(key);
        if !std::fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let file = File::open(&path).ok()?;
        let mut bytes = Vec::new();
        (&file).take(self.bytes.saturating_add(1)).read_to_end(&mut bytes).ok()?;
        let rest = bytes.strip_prefix(HEAD)?.strip_prefix(blake3::hash(key).as_bytes())?;
        let (sum, code) = rest.split_first_chunk::<32>()?;
        let is_whole = !code.is_empty() && blake3::hash(code).as_bytes() == sum;
        // What was used last stays longest.
        let _ = file.set_modified(SystemTime::now());
        is_whole.then(|| code.to_vec())
    }

    fn write(&self, key: &[u8], code: &[u8]) -> std::io::Result<()> {
        let (is, sum) = (blake3::hash(key), blake3::hash(code));
        let parts = [HEAD, is.as_bytes(), sum.as_bytes(), code];
        if parts.iter().map(|part| part.len() as u64).sum::<u64>() > self.bytes {
            return Ok(());
        }
        if let Some(base) = self.folder.parent() {
            std::fs::create_dir_all(base)?;
        }
        match DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                std::fs::set_permissions(&self.folder, Permissions::from_mode(0o700))?;
            }
            done => done?,
        }
        let owner = Permissions::from_mode(0o600);
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).permissions(owner).tempfile_in(&self.folder)?;
        parts.iter().try_for_each(|part| file.write_all(part))?;
        // By the same clock as when it is used: that of the file system may lag.
        let _ = file.as_file().set_modified(SystemTime::now());
        file.persist(self.path(key)).map_err(|error| error.error)?;
        self.trim();
        Ok(())
    }

    /// Removes what was not used for longest until no more is kept than may be, and what processes have left.
    fn trim(&self) {
        let mut kept = self.kept(END);
        kept.sort_unstable_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        let mut held: u64 = kept.iter().map(|kept| kept.bytes).sum();
        for kept in kept {
            if held <= self.bytes {
                break;
            }
            // One that another process has removed is gone too.
            let _ = std::fs::remove_file(&kept.path);
            held -= kept.bytes;
        }
        for left in self.kept("") {
            if left.used.elapsed().is_ok_and(|age| age > LEFT) {
                let _ = std::fs::remove_file(&left.path);
            }
        }
    }
}

/// Loads a module, from the cache where it is there. Whether it was.
pub fn load(driver: &mut dyn Driver, ptx: &str, cache: Option<&Cache>) -> Done<bool> {
    load_by(driver, ptx, cache, &mut |driver, image| driver.load(image))
}

/// The same next to the modules that are loaded.
pub fn load_alongside(driver: &mut dyn Driver, ptx: &str, cache: Option<&Cache>) -> Done<bool> {
    load_by(driver, ptx, cache, &mut |driver, image| driver.load_alongside(image))
}

fn load_by(
    driver: &mut dyn Driver,
    ptx: &str,
    cache: Option<&Cache>,
    load: &mut dyn FnMut(&mut dyn Driver, &[u8]) -> Done,
) -> Done<bool> {
    let whole = || [ptx.as_bytes(), &[0]].concat();
    // What is linked may be called by other code, of which the linker knows nothing: it gives all warps as many registers as
    // they begin with, and keeps what is more in memory. PTX that is loaded is all that there is, and the driver has a cache
    // of its own for it.
    if ptx.contains(SETS_REGISTERS) {
        return load(driver, &whole()).map(|()| false);
    }
    let key = key(ptx, driver.device());
    if let Some(code) = cache.and_then(|cache| cache.read(&key))
        && load(driver, &code).is_ok()
    {
        return Ok(true);
    }
    match driver.compile(ptx) {
        Ok(code) => {
            load(driver, &code)?;
            if let Some(cache) = cache {
                // Without the file the module is compiled again next time.
                let _ = cache.write(&key, &code);
            }
            Ok(false)
        }
        // What is wrong with the PTX, or a driver that does not know it, stays so.
        Err(failure) if matches!(failure.kind, Kind::BadModule | Kind::TooOld) => Err(failure),
        // A driver may compile what it loads and nothing else.
        Err(failure) => load(driver, &whole()).map(|()| false).map_err(|_| failure),
    }
}

/// Everything that machine code depends on.
fn key(ptx: &str, device: &Device) -> Vec<u8> {
    let (major, minor) = device.capability;
    let version = env!("CARGO_PKG_VERSION");
    format!("dlc {version}\ndriver {}\nsm_{major}{minor}\n{ptx}", device.driver).into_bytes()
}
