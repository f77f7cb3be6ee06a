//! Passes on every dialect: they learn from an op's traits and effects what may be done to it, never from its name.
//!
//! Local first: [`canonicalize`], [`cse`], [`dce`], [`sccp`], [`licm`]; then across functions: [`inline`],
//! [`symbol_dce`]; and [`strip_locations`].

pub mod canonicalize;
pub mod cse;
