//! `dlc-lsp`: see the library of the same name.

// What is linked in registers itself.
use {
    dlc_allocator as _, dlc_book as _, dlc_core as _, dlc_frontend as _, dlc_host as _, dlc_kernel as _,
    dlc_passes as _, dlc_plan as _, dlc_poly as _, dlc_ptx as _, dlc_region as _, dlc_sample as _, dlc_tiny as _,
};

fn main() -> std::process::ExitCode {
    dlc_lsp::main()
}
