//! PTX and its launch manifest on a device: which kernel or program is meant, and how its module is loaded.

use std::collections::BTreeMap;

use dlc_ir::diag::{Diagnostic, did_you_mean};
use dlc_ir::{Context, Loc};
use dlc_opt::numbers::Values;
use dlc_translate::manifest::plan::{Plan, Target};
use dlc_translate::manifest::{Manifest, numbers, verified};

use super::cache::{self, Cache};
use super::driver::{Driver, Failure, Kind};
use super::{BAD_MODULE, device};
use crate::files::{Array, Elem};
use crate::module::NO_FUNCTION;

/// The kernel or program that is meant: the one of a name, or the only program, or where there is none, the only kernel.
pub fn choose<'a>(manifest: &'a Manifest, name: Option<&str>) -> Result<Target<'a>, Box<Diagnostic>> {
    let all = Target::all(manifest);
    let list = |all: &[Target<'_>]| all.iter().map(|one| format!("@{}", one.name())).collect::<Vec<_>>().join(", ");
    let error = |message| Diagnostic::error(&NO_FUNCTION, Loc::UNKNOWN, message);
    if let Some(name) = name {
        let near = did_you_mean(name, all.iter().map(|one| one.name()));
        let found = all.iter().find(|one| one.name() == name).copied();
        let has = list(&all);
        return found.ok_or_else(|| {
            let message = format!("the launch manifest has no kernel or program @{name}; it has {has}");
            Box::new(error(message).suggest_if(near))
        });
    }
    let main = if manifest.programs.is_empty() { &all[..] } else { &all[..manifest.programs.len()] };
    match main {
        [only] => Ok(*only),
        [] => Err(Box::new(error("the launch manifest has no kernel".to_string()))),
        several => {
            let message = format!("the launch manifest has several of them: {}", list(several));
            Err(Box::new(error(message).suggest("choose one with --function")))
        }
    }
}

/// The kernels of a plan that are not verified, with the reasons.
pub fn unverified(manifest: &Manifest, ptx: &str, plan: &Plan) -> BTreeMap<String, String> {
    let mut found = verified::unverified(manifest, ptx);
    found.retain(|name, _| plan.runs.iter().any(|run| run.kernel == *name));
    found
}

/// Loads the module of a manifest.
pub fn load(
    driver: &mut dyn Driver,
    manifest: &Manifest,
    ptx: &str,
    cache: Option<&Cache>,
) -> Result<(), Box<Diagnostic>> {
    device::fits(manifest, driver.device())?;
    let loaded = cache::load(driver, ptx, cache);
    loaded.map(drop).map_err(|failure| not_taken(driver, manifest, failure))
}

/// A module that the driver does not take.
pub(super) fn not_taken(driver: &dyn Driver, manifest: &Manifest, failure: Failure) -> Box<Diagnostic> {
    let Failure { kind, message } = failure;
    match kind {
        Kind::TooOld => device::too_old(manifest, driver.device(), None),
        _ => {
            let message = format!("the CUDA driver does not take '{}': {message}", manifest.module);
            Box::new(Diagnostic::error(&BAD_MODULE, Loc::UNKNOWN, message))
        }
    }
}

/// The numbers that bytes of the device are.
pub fn values(ctx: &Context, tensor: &numbers::Tensor, bytes: Vec<u8>) -> Option<Values> {
    let elem = tensor.elem.ty();
    let shape: Vec<usize> = tensor.shape.iter().map(|&size| size as usize).collect();
    let array = Array { shape: shape.clone(), elem: Elem::of(ctx, elem)?, bytes };
    Some(Values { shape, elem, numbers: array.numbers(array.elem) })
}
