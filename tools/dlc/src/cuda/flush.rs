//! A kernel that reads much memory, so that what was in the caches before is there no more.

use dlc_translate::manifest::numbers::Start;

/// More than any cache holds.
pub const BYTES: u64 = 256 << 20;
/// The name of the entry.
pub const ENTRY: &str = "flush";

/// The PTX, for every device that there is a driver for.
pub const PTX: &str = include_str!("flush.ptx");

/// Enough threads to keep the memory busy.
pub fn start() -> Start {
    Start {
        entry: ENTRY.to_string(),
        grid: [2048, 1, 1],
        cluster: [1; 3],
        threads: 256,
        shared: 0,
        early: false,
        params: Vec::new(),
    }
}
