//! Changing IR by rules.
//!
//! Read in this order:
//!
//! - [`Pattern`], a rule as a static, and [`RewritePattern`], a rule with state; a [`PatternSet`] of them.
//! - [`rewrites!`](crate::rewrites), which declares patterns as `from => to`.
//! - [`Rewriter`]: all changes that a rule makes go through it, so that the driver knows what to look at again.
//! - [`rewrite_greedily`]: applies rules and folds until nothing changes; [`Constants`] keeps what folding gives.
//! - [`convert()`]: from one layer to another, with a table of what is legal, or not at all.
//! - [`branches`]: values that are handed to blocks.

pub mod branches;
mod constants;
mod convert;
mod greedy;
mod rewriter;
mod rules;
mod worklist;

#[cfg(test)]
mod tests;

use crate::attrs::Attr;
use crate::body::Body;
use crate::context::{Context, Str};
use crate::entity::{OpId, ValueId};
use crate::op::Traits;
use crate::pass::PassCx;

pub use constants::Constants;
pub use convert::{
    Conversion, ConversionMode, ConversionPattern, ConversionTarget, ConvertTypes, Legality, TypeConverter, convert,
};
pub use greedy::{GreedyCounts, GreedyOptions, fold_op, rewrite_greedily};
pub use rewriter::Rewriter;

crate::codes! {
    /// Patterns keep rewriting what they, or others, have made.
    REWRITE_DOES_NOT_END = "E0451" "RewriteDoesNotEnd";
    /// A pattern says that it changed something and did not, or the other way round.
    PATTERN_MISREPORTS = "E0452" "PatternMisreports";
    /// A conversion leaves an op that is not legal in the layer it goes to.
    ILLEGAL_OP = "E0453" "IllegalOp";
    /// A conversion changes the type of a value that an op needs in its old type, and no op goes from one to the other.
    NO_MATERIALIZATION = "E0454" "NoMaterialization";
}

/// A rewrite rule.
#[derive(Debug)]
pub struct Pattern {
    /// Its name, in messages and debug counters.
    pub name: &'static str,
    /// Of several that apply, the one with the highest benefit is tried first.
    pub benefit: u16,
    /// The op it rewrites; `None` for any (among the `canonicalize` rules of an op: that op).
    pub root: Option<&'static str>,
    /// Rewrites the op, or says why not.
    pub apply: fn(OpId, &mut Rewriter<'_>) -> Rewrite,
}

/// Whether a pattern changed anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// Not, and why. Nothing may have been changed then.
    NoMatch(&'static str),
    /// It did.
    Changed,
}

/// The ops that a pattern is tried on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    /// The op of this name.
    Op(&'static str),
    /// Every op with these traits.
    Trait(Traits),
    /// Every op.
    Any,
}

impl Root {
    /// Whether a pattern with this root is tried on an op.
    pub fn admits(self, ctx: &Context, body: &Body, op: OpId) -> bool {
        match self {
            Root::Op(name) => ctx.op_name_str(body.op_name(op)) == name,
            Root::Trait(traits) => ctx.op_def(body.op_name(op)).traits.has(traits),
            Root::Any => true,
        }
    }
}

/// A rewrite rule that carries what it needs to know.
pub trait RewritePattern: Sync {
    /// Its name, in messages and debug counters.
    fn name(&self) -> &'static str;
    /// Of several that apply, the one with the highest benefit is tried first.
    fn benefit(&self) -> u16 {
        1
    }
    /// What it is tried on.
    fn root(&self) -> Root;
    /// Rewrites the op, or says why not.
    fn apply(&self, op: OpId, rw: &mut Rewriter<'_>) -> Rewrite;
}

impl RewritePattern for Pattern {
    fn name(&self) -> &'static str {
        self.name
    }
    fn benefit(&self) -> u16 {
        self.benefit
    }
    fn root(&self) -> Root {
        self.root.map_or(Root::Any, Root::Op)
    }
    fn apply(&self, op: OpId, rw: &mut Rewriter<'_>) -> Rewrite {
        (self.apply)(op, rw)
    }
}

/// Patterns to be applied together.
#[derive(Clone, Default)]
pub struct PatternSet<'p> {
    patterns: Vec<&'p dyn RewritePattern>,
    canonical: bool,
}

impl<'p> PatternSet<'p> {
    /// No pattern.
    pub fn new() -> Self {
        Self::default()
    }

    /// The patterns that the ops themselves declare.
    pub fn canonical() -> Self {
        PatternSet { patterns: Vec::new(), canonical: true }
    }

    /// With one more. Of patterns with one benefit the first added is tried first.
    #[must_use]
    pub fn with(mut self, pattern: &'p dyn RewritePattern) -> Self {
        self.patterns.push(pattern);
        self
    }

    /// With some more.
    #[must_use]
    pub fn with_all(mut self, patterns: impl IntoIterator<Item = &'p dyn RewritePattern>) -> Self {
        self.patterns.extend(patterns);
        self
    }
}

/// The constant that a value is: what a fold sees of an operand.
#[inline]
pub fn constant_value(ctx: &Context, body: &Body, value: ValueId) -> Option<Attr> {
    let op = body.defining_op(value)?;
    if !ctx.op_def(body.op_name(op)).traits.has(Traits::CONSTANT_LIKE) {
        return None;
    }
    body.prop(ctx, op, Str::VALUE)
}

impl PassCx<'_> {
    /// Whether the next rewrite by a rule of this pass may be done: [`allows`](Self::allows) of `pass/rule`, whose text
    /// is made only when somebody counts.
    #[inline]
    pub fn allows_rule(&self, rule: &str) -> bool {
        !self.counts_rewrites() || self.allows(&format!("{}/{rule}", self.def.name))
    }

    /// Whether a debug counter is on: then rules are asked for exactly when they would change something.
    #[inline]
    pub fn counts_rewrites(&self) -> bool {
        self.counters.is_active()
    }
}
