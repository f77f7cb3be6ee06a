//! Conversion: from one layer to another by patterns, with a table of what is legal there, or not at all.
//!
//! Ops are visited from the root inwards, each before those in its regions, definitions before uses where the order of
//! blocks allows. What a pattern replaces stays in the body, out of sight, until all is legal: patterns are given the
//! converted operands, and values needed in both types meet in casts that are resolved at the end. When anything stays
//! illegal the body is put back, byte for byte, from a copy made first.

mod state;
mod target;

use super::greedy::ops_in_order;
use super::{ILLEGAL_OP, PATTERN_MISREPORTS, REWRITE_DOES_NOT_END, Rewrite, Root};
use crate::body::{Body, OpRef};
use crate::diag::Diagnostic;
use crate::entity::{OpId, ValueId};
use crate::pass::{PassCx, PassFailed};

pub use state::Conversion;
pub use target::{ConversionTarget, Legality, TypeConverter};

/// Which ops have to become legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConversionMode {
    /// All of them: what the table does not mention is illegal.
    Full,
    /// Those that the table says are illegal. What it does not mention is converted where a pattern matches.
    Partial,
}

/// A rule of a conversion.
pub trait ConversionPattern: Sync {
    /// Its name, in messages and debug counters.
    fn name(&self) -> &'static str;
    /// Of several that apply, the one with the highest benefit is tried first.
    fn benefit(&self) -> u16 {
        1
    }
    /// What it is tried on.
    fn root(&self) -> Root;
    /// Converts the op, or says why not (and changes nothing then). `operands` are the converted operands.
    fn convert(&self, op: OpId, operands: &[ValueId], cv: &mut Conversion<'_>) -> Rewrite;
}

/// Gives an op of a name, left as it is otherwise, the converted types: for branches, returns, calls, loops.
pub struct ConvertTypes(pub &'static str);

impl ConversionPattern for ConvertTypes {
    fn name(&self) -> &'static str {
        "convert-types"
    }
    fn benefit(&self) -> u16 {
        0
    }
    fn root(&self) -> Root {
        Root::Op(self.0)
    }
    fn convert(&self, op: OpId, _: &[ValueId], cv: &mut Conversion<'_>) -> Rewrite {
        if cv.types().keeps(cv.op(op)) {
            return Rewrite::NoMatch("no type of the op is converted");
        }
        cv.convert_types(op);
        Rewrite::Changed
    }
}

/// Converts a body, the root included. How many patterns were applied; on failure, which is reported, the body is
/// what it was.
pub fn convert(
    body: &mut Body,
    target: &ConversionTarget<'_>,
    patterns: &[&dyn ConversionPattern],
    types: &TypeConverter<'_>,
    mode: ConversionMode,
    cx: &PassCx<'_>,
) -> Result<u64, PassFailed> {
    let before = body.clone();
    let errors = cx.diags.errors();
    let mut patterns: Vec<&dyn ConversionPattern> = patterns.to_vec();
    patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.benefit()));
    let limit = 1000 + 100 * body.num_ops() as u64;
    let conversion = Conversion::new(cx.ctx, body, types);
    let mut driver = Driver { cv: conversion, target, patterns, mode, cx, applied: 0, limit };
    let mut ok = driver.run().is_ok() && cx.diags.errors() == errors;
    let applied = driver.applied;
    if ok {
        driver.cv.finish(cx);
        ok = cx.diags.errors() == errors;
    }
    if ok {
        return Ok(applied);
    }
    *body = before;
    Err(PassFailed)
}

struct Driver<'d, 'b> {
    cv: Conversion<'b>,
    target: &'d ConversionTarget<'d>,
    patterns: Vec<&'d dyn ConversionPattern>,
    mode: ConversionMode,
    cx: &'d PassCx<'d>,
    applied: u64,
    limit: u64,
}

impl Driver<'_, '_> {
    fn run(&mut self) -> Result<(), PassFailed> {
        let mut stack = ops_in_order(self.cv.body());
        stack.reverse();
        while let Some(op) = stack.pop() {
            if self.cv.is_gone(op) {
                continue;
            }
            if self.visit(op)? {
                // What a pattern has made must be legal too, and so must an op that it has changed in place.
                let made = self.cv.take_created();
                stack.extend(made.into_iter().rev());
                stack.push(op);
            }
        }
        Ok(())
    }

    /// Converts an op if it must. Whether it did.
    fn visit(&mut self, op: OpId) -> Result<bool, PassFailed> {
        let legal = self.target.is_legal(self.cv.op(op));
        if legal == Some(true) {
            return Ok(false);
        }
        let mut tried = Vec::new();
        for index in 0..self.patterns.len() {
            let pattern = self.patterns[index];
            if !pattern.root().admits(self.cv.ctx, self.cv.body(), op) {
                continue;
            }
            match self.apply(op, pattern)? {
                Rewrite::Changed => return Ok(true),
                Rewrite::NoMatch(why) => tried.push((pattern.name(), why)),
            }
        }
        if legal == Some(false) || self.mode == ConversionMode::Full {
            self.stays_illegal(op, &tried);
        }
        Ok(false)
    }

    fn apply(&mut self, op: OpId, pattern: &dyn ConversionPattern) -> Result<Rewrite, PassFailed> {
        let name = pattern.name();
        // As in the greedy driver: numbers of a debug counter are those of rewrites, so a pattern is tried first.
        let saved = self.cx.counts_rewrites().then(|| self.cv.save());
        let operands = self.cv.operands(op);
        let (loc, op_name) = (self.cv.body().loc(op), self.cv.body().op_name(op));
        let edits = self.cv.stamp();
        let rewrite = pattern.convert(op, &operands, &mut self.cv);
        let changed = self.cv.stamp() != edits;
        let at = self.cv.ctx.op_name_str(op_name);
        if changed != (rewrite == Rewrite::Changed) {
            let message = match changed {
                true => format!("the pattern '{name}' changed the program and says that it did not match"),
                false => format!("the pattern '{name}' says that it changed the program and did not"),
            };
            return Err(self.cx.fail(Diagnostic::error(&PATTERN_MISREPORTS, loc, message).at(at)));
        }
        if !changed {
            return Ok(rewrite);
        }
        if let Some(saved) = saved.filter(|_| !self.cx.allows_rule(name)) {
            self.cv.restore(saved);
            return Ok(Rewrite::NoMatch("a debug counter skips it"));
        }
        self.applied += 1;
        if self.applied > self.limit {
            let message = format!("the pattern '{name}' does not end: {} conversions so far", self.applied);
            return Err(self.cx.fail(Diagnostic::error(&REWRITE_DOES_NOT_END, loc, message).at(at)));
        }
        Ok(rewrite)
    }

    fn stays_illegal(&self, op: OpId, tried: &[(&str, &str)]) {
        let view: OpRef<'_> = self.cv.op(op);
        let message = match tried {
            [] => "the op is not legal here, and no pattern converts it",
            _ => "the op is not legal here, and no pattern that converts it matches",
        };
        let mut error = Diagnostic::error(&ILLEGAL_OP, view.loc(), message).at(view.name());
        for (name, why) in tried {
            error = error.note(view.loc(), format!("the pattern '{name}' does not match: {why}"));
        }
        self.cx.diags.emit(error);
    }
}
