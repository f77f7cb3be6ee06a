//! Passes on every dialect: they learn from an op's traits and effects what may be done to it, never from its name.
//!
//! Inside a body: [`canonicalize`], [`cse`], [`dce`], [`sccp`], [`licm`]; across functions: [`inline`], [`symbol_dce`];
//! [`strip_locations`]; and to look at a program: [`op_stats`], [`view_graph`].

pub mod canonicalize;
pub mod cse;
pub mod dce;
pub mod inline;
pub mod licm;
pub mod op_stats;
pub mod sccp;
pub mod strip_locations;
pub mod symbol_dce;
pub mod view_graph;
