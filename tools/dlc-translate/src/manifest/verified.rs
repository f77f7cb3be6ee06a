//! Which kernels of a manifest were verified: by what it says, and by whether the PTX is the one that it says it of.

use std::collections::BTreeMap;

use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;
use serde::{Deserialize, Serialize};

use super::UNVERIFIED;
use super::schema::Manifest;

/// What the verification of a launch covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covered {
    /// Cells of sizes.
    pub sizes: u64,
    /// Blocks of the grids of those sizes; of a cluster the first one counts.
    pub blocks: u64,
    /// The most combinations of truth values of data in one block.
    pub choices: u64,
    /// Runs that were made.
    pub runs: u64,
    /// The stages of the deepest ring.
    pub ring: u64,
    /// The rounds of a loop after which it only repeats what it did.
    pub rounds: u64,
    /// Stores to global memory; none where a manifest does not say.
    #[serde(default)]
    pub stores: u64,
    /// Those of them that write no element which another block writes.
    #[serde(default)]
    pub disjoint: u64,
}

impl From<dlc_ptx::verified::Covered> for Covered {
    fn from(covered: dlc_ptx::verified::Covered) -> Covered {
        let dlc_ptx::verified::Covered { sizes, blocks, choices, runs, ring, rounds, stores, disjoint } = covered;
        Covered { sizes, blocks, choices, runs, ring, rounds, stores, disjoint }
    }
}

/// The checksum of a module, as it stands in a manifest: CRC-32 in eight hexadecimal digits. It finds a PTX that was
/// changed by mistake.
pub fn checksum(ptx: &str) -> String {
    format!("{:08x}", crc32fast::hash(ptx.as_bytes()))
}

/// The kernels of a manifest that are not verified, each with the reason.
pub fn unverified(manifest: &Manifest, ptx: &str) -> BTreeMap<String, String> {
    let is_same = manifest.module_crc32.as_ref().is_some_and(|sum| *sum == checksum(ptx));
    let mut found = BTreeMap::new();
    for kernel in manifest.kernels.iter().filter(|kernel| !(kernel.verified && is_same)) {
        let reason = match (kernel.verified, &kernel.reason) {
            (true, _) => "the PTX is not the one that the manifest was written with",
            (false, Some(reason)) => reason,
            (false, None) => "the launch manifest does not say that it was verified",
        };
        found.insert(kernel.name.clone(), reason.to_string());
    }
    found
}

/// One warning for kernels that are not verified, each with a place and the reason. `None` where there is none.
pub fn warning(unverified: &[(&str, Loc, &str)]) -> Option<Diagnostic> {
    let (_, loc, _) = unverified.first()?;
    let names: Vec<String> = unverified.iter().map(|(name, ..)| format!("@{name}")).collect();
    let message = match names.as_slice() {
        [one] => format!("the kernel {one} is not verified"),
        several => format!("{} kernels are not verified: {}", several.len(), several.join(", ")),
    };
    let warning = Diagnostic::warning(&UNVERIFIED, *loc, message);
    let noted = |warning: Diagnostic, (name, _, reason): &(&str, Loc, &str)| {
        warning.note(Loc::UNKNOWN, format!("@{name}: {reason}"))
    };
    let warning = unverified.iter().fold(warning, noted);
    Some(warning.suggest("'dlc-opt --kernel-to-ptx' verifies a kernel and makes its instructions"))
}
