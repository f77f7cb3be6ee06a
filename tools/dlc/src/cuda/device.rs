//! Whether there is a device, and whether it can run a module.

use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;
use dlc_translate::manifest::Manifest;
use dlc_translate::manifest::read::{Kind as Of, architecture, ptx_version};

use super::driver::{Device, Done, Failure, Kind};
use super::sys::Cuda;
use super::{DRIVER_FAILS, DRIVER_TOO_OLD, NO_DEVICE, NO_DRIVER, WRONG_ARCHITECTURE};

/// The first driver that has all functions that are called: tensor maps are from CUDA 12.0.
const MIN_DRIVER: u32 = 12000;

/// The version of CUDA that came with a version of PTX.
const VERSIONS: [((u32, u32), u32); 11] = [
    ((8, 0), 12000),
    ((8, 1), 12010),
    ((8, 2), 12020),
    ((8, 3), 12030),
    ((8, 4), 12040),
    ((8, 5), 12050),
    ((8, 6), 12070),
    ((8, 7), 12080),
    ((8, 8), 12090),
    ((9, 0), 13000),
    ((9, 1), 13010),
];

/// Opens a device.
pub fn open(number: u32) -> Result<Cuda, Box<Diagnostic>> {
    usable(Cuda::version())?;
    Cuda::open(number).map_err(|failure| failure_diagnostic(&failure))
}

/// Whether a driver can be used, by the version that it tells.
pub fn usable(version: Done<u32>) -> Result<(), Box<Diagnostic>> {
    match version {
        Err(failure) => Err(failure_diagnostic(&failure)),
        Ok(version) if version < MIN_DRIVER => {
            let message = format!(
                "the CUDA driver is for CUDA {}, and a driver for CUDA {} or later is needed",
                spelled(version),
                spelled(MIN_DRIVER)
            );
            Err(Box::new(Diagnostic::error(&DRIVER_TOO_OLD, Loc::UNKNOWN, message).suggest("install a newer driver")))
        }
        Ok(_) => Ok(()),
    }
}

/// A failure where a device is opened.
fn failure_diagnostic(failure: &Failure) -> Box<Diagnostic> {
    let message = &failure.message;
    Box::new(match failure.kind {
        Kind::NoDriver => Diagnostic::error(&NO_DRIVER, Loc::UNKNOWN, format!("there is no CUDA driver: {message}"))
            .suggest("run on a machine with an NVIDIA GPU"),
        Kind::TooOld => {
            let message = format!("{message}: a driver for CUDA {} or later is needed", spelled(MIN_DRIVER));
            Diagnostic::error(&DRIVER_TOO_OLD, Loc::UNKNOWN, message).suggest("install a newer driver")
        }
        Kind::NoDevice => {
            Diagnostic::error(&NO_DEVICE, Loc::UNKNOWN, format!("the CUDA driver has no device to run on: {message}"))
        }
        _ => Diagnostic::error(&DRIVER_FAILS, Loc::UNKNOWN, format!("the CUDA driver opens no device: {message}")),
    })
}

/// `12.4` for 12040.
pub fn spelled(version: u32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// Whether a device can run what a manifest is for.
pub fn fits(manifest: &Manifest, device: &Device) -> Result<(), Box<Diagnostic>> {
    let (major, minor) = device.capability;
    let is = 10 * major + minor;
    let target = &manifest.target;
    // Reading admits no target that is none.
    let runs = match architecture(target) {
        Some((wanted, Of::Exact)) => wanted == is,
        Some((wanted, Of::Family)) => wanted / 10 == major && wanted <= is,
        Some((wanted, Of::Plain)) => wanted <= is,
        None => false,
    };
    if !runs {
        let message = format!("the module is for {target}, and the device is {} (sm_{is})", device.name);
        let error = Diagnostic::error(&WRONG_ARCHITECTURE, Loc::UNKNOWN, message);
        return Err(Box::new(error.suggest(format!("compile the program for sm_{is}"))));
    }
    let wanted = ptx_version(&manifest.ptx_version).and_then(|ptx| {
        let all = VERSIONS.iter();
        all.filter(|(version, _)| *version >= ptx).map(|(_, cuda)| *cuda).min()
    });
    match wanted {
        Some(wanted) if wanted > device.driver => Err(too_old(manifest, device, Some(wanted))),
        _ => Ok(()),
    }
}

/// A driver that does not know a version of PTX, and the version of CUDA that does, if that is known.
pub fn too_old(manifest: &Manifest, device: &Device, wanted: Option<u32>) -> Box<Diagnostic> {
    let needs =
        wanted.map_or("a newer driver".to_string(), |wanted| format!("a driver for CUDA {} or later", spelled(wanted)));
    let message = format!(
        "the module is in PTX {}, which needs {needs}, and this driver is for CUDA {}",
        manifest.ptx_version,
        spelled(device.driver)
    );
    Box::new(Diagnostic::error(&DRIVER_TOO_OLD, Loc::UNKNOWN, message).suggest("install a newer driver"))
}
