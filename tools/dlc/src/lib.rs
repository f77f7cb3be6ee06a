//! dlc as a library.

pub mod bind;
pub mod cuda;
pub mod error;
pub mod evaluate;
pub mod files;
pub mod inspect;
pub mod module;
pub mod options;
pub mod planned;
pub mod program;
pub mod session;

pub use error::{Error, Message, Place};
pub use files::{Array, Elem};
pub use inspect::{KernelPlan, Ptx};
pub use options::{Device, Passes, Planning};
pub use program::{Arguments, Port, Program, Returned};
pub use session::{CompileOptions, Session, SessionOptions, Source};

// What is linked in registers itself.
use {
    dlc_book as _, dlc_core as _, dlc_frontend as _, dlc_host as _, dlc_kernel as _, dlc_passes as _, dlc_plan as _,
    dlc_poly as _, dlc_ptx as _, dlc_region as _, dlc_sample as _, dlc_tiny as _,
};
