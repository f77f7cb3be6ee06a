//! The IR of dlc: what every layer consists of, and no layer itself.
//!
//! Read in this order:
//!
//! - [`context`], [`types`], [`attrs`], [`location`], [`affine`]: interned data that all bodies share.
//! - [`op`]: what a dialect declares; [`define`]: the macros that write such declarations.
//! - [`body`]: ops, values, blocks and regions in arenas; [`builder`]: making them.
//! - [`text`]: reading and writing IR; [`diag`]: telling people what is wrong.
//! - [`verify`]: the rules that all IR keeps; [`dominance`]; [`effects`]; [`structural`] equality.
//! - [`rewrite`]: patterns, folding, the greedy driver, conversion between layers.
//! - [`interp`]: running IR.
//! - [`pass`]: passes, their registry, pipelines and manager; [`mod@plugin`]: passes and dialects in a shared library.
//!
//! `ir` knows no dialect but [`builtin`] (the module), no file and no GPU.

pub mod affine;
pub mod attrs;
pub mod body;
pub mod builder;
pub mod builtin;
pub mod context;
pub mod define;
pub mod diag;
pub mod dominance;
pub mod effects;
pub mod entity;
pub mod float;
mod intern;
pub mod interp;
pub mod location;
pub mod op;
pub mod pass;
pub mod plugin;
pub mod random;
pub mod rewrite;
pub mod structural;
pub mod text;
pub mod types;
pub mod verify;

pub use attrs::{Attr, AttrData};
pub use body::{Body, OpRef};
pub use builder::Builder;
pub use context::{Context, OpName, Str};
pub use diag::{Diagnostic, Diagnostics};
pub use entity::{BlockId, OpId, RegionId, ValueId};
pub use inventory;
pub use location::Loc;
pub use smallvec;
pub use types::{Type, TypeData};
