//! The server, its parts and the grammars, in one program: each program links the whole compiler.

// What is linked in registers itself.
use {
    dlc_book as _, dlc_core as _, dlc_frontend as _, dlc_host as _, dlc_kernel as _, dlc_passes as _, dlc_plan as _,
    dlc_poly as _, dlc_ptx as _, dlc_region as _, dlc_sample as _, dlc_tiny as _,
};

mod suite {
    mod grammar;
    mod session;
    mod texts;
    mod tree_sitter;
}
