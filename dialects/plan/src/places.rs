//! Where the clauses of a schedule stand.
//!
//! The location of a schedule is that of its op, fused with those of its clauses; the metadata has their words. It is a
//! location as any other: a copy of the op keeps it, a text without locations does not show it.

use dlc_ir::attrs::Attr;
use dlc_ir::location::LocData;
use dlc_ir::{Context, Loc};

/// The locations of clauses, as they are read.
#[derive(Default)]
pub(crate) struct ClauseLocs {
    clauses: Vec<Attr>,
    locs: Vec<Loc>,
}

impl ClauseLocs {
    /// Adds a clause by its word, `tile`, or by its word and what it is about, `cache A`.
    pub(crate) fn add(&mut self, ctx: &Context, clause: &str, loc: Loc) {
        self.clauses.push(ctx.str_attr(clause));
        self.locs.push(loc);
    }

    /// The location of an op that has these clauses.
    pub(crate) fn fused(mut self, ctx: &Context, op: Loc) -> Loc {
        if self.locs.is_empty() {
            return op;
        }
        self.locs.insert(0, op);
        ctx.loc(LocData::Fused { locs: &self.locs, meta: Some(ctx.array_attr(&self.clauses)) })
    }
}

/// The word of a schedule that a pass made for the sizes that another one is not for.
const FALLBACK: &str = "fallback";

/// The location of a schedule that a pass made for a copy of a kernel, for the sizes that its own plan is not for.
pub fn fallback(ctx: &Context, kernel: Loc) -> Loc {
    let meta = ctx.array_attr(&[ctx.str_attr(FALLBACK)]);
    ctx.loc(LocData::Fused { locs: &[kernel, kernel], meta: Some(meta) })
}

/// Whether the schedule at a location is one that a pass made, as [`fallback`] says.
pub fn is_fallback(ctx: &Context, schedule: Loc) -> bool {
    place_of(ctx, schedule, FALLBACK).is_some()
}

/// Where a clause of a schedule stands, by the location of the schedule; `None` where that is not known. `cache` is the
/// first one, `cache A` that of a tensor.
pub fn place_of(ctx: &Context, schedule: Loc, clause: &str) -> Option<Loc> {
    let LocData::Fused { locs, meta: Some(meta) } = ctx.loc_data(schedule)? else { return None };
    let clauses = meta.as_array(ctx)?;
    let name = |attr: &Attr| attr.as_str(ctx).unwrap_or_default();
    let is_of = |attr: &Attr| name(attr).strip_prefix(clause).is_some_and(|rest| rest.starts_with(' '));
    let exact = clauses.iter().position(|attr| name(attr) == clause);
    let at = exact.or_else(|| clauses.iter().position(is_of)).or_else(|| {
        // A clause about several tensors has one place.
        let (word, _) = clause.split_once(' ')?;
        clauses.iter().position(|attr| name(attr) == word)
    })?;
    locs.get(at + 1).copied()
}

/// The place of the first of some clauses that is there; that of the schedule where none is.
pub fn first_place(ctx: &Context, schedule: Loc, clauses: &[String]) -> Loc {
    clauses.iter().find_map(|clause| place_of(ctx, schedule, clause)).unwrap_or(schedule)
}
