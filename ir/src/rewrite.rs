//! Changing IR by rules.

use crate::entity::OpId;

/// A rewrite rule.
#[derive(Debug)]
pub struct Pattern {
    /// Its name, in messages and debug counters.
    pub name: &'static str,
    /// Of several that apply, the one with the highest benefit is tried first.
    pub benefit: u16,
    /// The op it rewrites; `None` for any.
    pub root: Option<&'static str>,
    /// Rewrites the op, or says why not.
    pub apply: fn(OpId, &mut Rewriter<'_>) -> Rewrite,
}

/// Whether a pattern changed anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// Not, and why.
    NoMatch(&'static str),
    /// It did.
    Changed,
}

/// What a pattern changes IR through.
pub struct Rewriter<'a> {
    /// The context.
    pub ctx: &'a crate::Context,
    /// The body.
    pub body: &'a mut crate::Body,
}
