//! dlc as a library: programs compiled and run in a process that goes on.
//!
//! ```
//! use dlc::{Array, CompileOptions, Elem, Session, Source};
//!
//! let session = Session::cpu();
//! let text = "tiny.func @twice<N>(%x: tensor<[N], i32>) -> tensor<[N], i32> {
//!   %y = add %x, %x
//!   return %y
//! }";
//! let program = session.compile(Source::Text(text), &CompileOptions::default())?;
//! let bytes = [1i32, 2, 3].iter().flat_map(|value| value.to_le_bytes()).collect();
//! let outputs = program.run([Array { shape: vec![3], elem: Elem::Int { bits: 32, signed: true }, bytes }])?;
//! assert_eq!(outputs[0].bits().collect::<Vec<_>>(), [2, 4, 6]);
//! assert!(program.text("region")?.contains("region.func"));
//! # Ok::<(), dlc::Error>(())
//! ```
//!
//! - [`session`]: the device and what is kept; [`program`]: a program that was read, called; [`inspect`]: shown.
//! - [`launch`]: programs on tensors of a device; [`error`]: errors and warnings as values; [`options`].
//! - [`mod@module`]: from text to a function that can be run; [`bind`]: arrays for inputs; [`evaluate`]: evaluators.
//! - [`cuda`]: the way to PTX, the driver, launches; [`files`]: files of arrays.
//!
//! `docs/library.md` says what sessions and programs promise.

pub mod bind;
pub mod cuda;
pub mod error;
pub mod evaluate;
pub mod files;
pub mod inspect;
pub mod launch;
pub mod module;
pub mod options;
pub mod program;
pub mod session;

pub use error::{Error, Message, Place};
pub use files::{Array, Elem};
pub use inspect::{KernelPlan, Ptx};
pub use launch::{DeviceCall, DeviceTensor};
pub use options::{Device, F32, Passes, Planning, ShapeSet};
pub use program::{Arguments, Port, Program, Returned};
pub use session::{CompileOptions, Session, SessionOptions, Source};

// What is linked in registers itself.
use {
    dlc_book as _, dlc_core as _, dlc_frontend as _, dlc_host as _, dlc_kernel as _, dlc_passes as _, dlc_plan as _,
    dlc_poly as _, dlc_ptx as _, dlc_region as _, dlc_sample as _, dlc_tiny as _,
};
