//! The search: edits are tried on many items at once, then on fewer, as delta debugging does.

use std::ops::Range;

use dlc_ir::diag::Diagnostics;
use dlc_ir::pass::panics;
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_body};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context};

use super::edit::{self, Edit};
use super::oracle::Oracle;
use crate::Setup;

/// A program that is made smaller.
pub struct Search<'a> {
    /// The context of the program.
    pub ctx: &'a Context,
    /// What the text is checked with.
    pub setup: &'a Setup,
    /// The command.
    pub oracle: &'a mut Oracle,
    /// Lines that stay at the start of the text.
    pub header: &'a str,
    /// Whether every step must keep the rules of the IR, as the original does.
    pub verified: bool,
    /// The smallest program so far.
    pub body: Body,
}

impl Search<'_> {
    /// Applies edits until none makes the program smaller.
    pub fn run(&mut self) {
        // At first only large steps: what small ones would take long for is often gone by then.
        let mut fewest = 16;
        loop {
            let mut changed = self.cut(false);
            for kind in Edit::ALL {
                changed |= self.edit(kind, fewest);
                if kind == Edit::PromoteToArgument {
                    changed |= self.cut(true);
                }
            }
            if fewest == 1 {
                changed |= self.shrink_integers();
            }
            if self.oracle.is_exhausted() || (fewest == 1 && !changed) {
                return;
            }
            if !changed || fewest > 1 {
                fewest = 1;
            }
        }
    }

    /// The text of a program, where it reads back and keeps the rules if it must.
    pub fn text(&self, body: &Body, generic: bool) -> Option<String> {
        let text = panics::catch(|| {
            let mut text = self.header.to_string();
            let options = PrintOptions { generic, ..PrintOptions::default() };
            print_body(self.ctx, body, options, &mut |piece| text.push_str(piece));
            text
        });
        let text = text.ok()?;
        let is_right = panics::catch(|| {
            let read = parse(&Context::new(self.setup.dialects.iter().copied()), &text, self.verified);
            read.is_some()
        });
        is_right.is_ok_and(|right| right).then_some(text)
    }

    fn accept(&mut self, body: Body) -> bool {
        let fails = self.text(&body, true).is_some_and(|text| self.oracle.fails(&text));
        if fails {
            self.body = body;
        }
        fails
    }

    /// Tries an edit on all items, on halves, and so on down to `1/parts` of them, or to single ones.
    fn edit(&mut self, kind: Edit, fewest: usize) -> bool {
        let mut changed = false;
        let mut len = kind.count(self.ctx, &self.body);
        let least = if fewest == 1 { 1 } else { (len / fewest).max(1) };
        while len >= least && len > 0 && !self.oracle.is_exhausted() {
            // From the end: what comes later uses what comes before.
            let mut end = kind.count(self.ctx, &self.body);
            while end > 0 && !self.oracle.is_exhausted() {
                let start = end.saturating_sub(len);
                changed |= self.try_edit(kind, start..end);
                end = start;
            }
            len /= 2;
        }
        changed
    }

    fn try_edit(&mut self, kind: Edit, range: Range<usize>) -> bool {
        let mut body = self.body.clone();
        let edited = panics::catch(|| kind.apply(self.ctx, &mut body, &range, &mut 0));
        edited.is_ok_and(|changed| changed) && self.accept(body)
    }

    /// Returns values from functions that are computed earlier, and erases what comes after them.
    fn cut(&mut self, any_type: bool) -> bool {
        let mut changed = false;
        for at in 0..self.body.nested_ops().len() {
            let mut operand = 0;
            while let Some(candidates) = self.returnable(at, operand, any_type) {
                let (mut low, mut high) = (0, candidates);
                while low < high && !self.oracle.is_exhausted() {
                    let middle = low + (high - low) / 2;
                    let mut body = self.body.clone();
                    let ctx = self.ctx;
                    let edited = panics::catch(|| {
                        let op = body.nested_ops()[at];
                        let Some(function) = body.nested_mut(op) else { return };
                        let by = edit::returnable(ctx, function, operand, any_type)[middle];
                        edit::return_instead(ctx, function, operand, by);
                    });
                    let fails = edited.is_ok() && self.accept(body);
                    changed |= fails;
                    if fails {
                        high = middle.min(self.returnable(at, operand, any_type).unwrap_or(0));
                    } else {
                        low = middle + 1;
                    }
                }
                operand += 1;
            }
        }
        changed
    }

    /// How many values a function could return instead of an operand of its terminator; `None` when there is no such
    /// operand.
    fn returnable(&self, at: usize, operand: usize, any_type: bool) -> Option<usize> {
        let op = *self.body.nested_ops().get(at)?;
        let function = self.body.nested(op)?;
        let last = function.last_op(function.entry_block()?)?;
        (operand < function.num_operands(last)).then(|| edit::returnable(self.ctx, function, operand, any_type).len())
    }

    fn shrink_integers(&mut self) -> bool {
        let mut changed = false;
        for value in edit::integers(self.ctx, &self.body) {
            for less in [1, 2, 3, 4, 8, 16, value / 2] {
                if less >= value || self.oracle.is_exhausted() {
                    break;
                }
                let mut body = self.body.clone();
                edit::replace_integers(self.ctx, &mut body, &mut |old| if old == value { less } else { old });
                if self.accept(body) {
                    changed = true;
                    break;
                }
            }
        }
        changed
    }
}

/// How texts are read: with ops of unknown dialects too.
pub const READ: ParseOptions = ParseOptions { allow_unregistered: true };

/// Reads a text.
pub fn parse(ctx: &Context, text: &str, verified: bool) -> Option<Body> {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("<candidate>", text.to_string())?;
    let body = parse_module(ctx, &file, 0..file.text.len(), READ, &diags).ok()?;
    (!verified || verify(ctx, &body, &diags)).then_some(body)
}

/// Drops lines, for text that is not read as IR.
pub fn lines(text: &str, oracle: &mut Oracle) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    loop {
        let before = lines.len();
        let mut len = before;
        while len > 0 && !oracle.is_exhausted() {
            let mut end = lines.len();
            while end > 0 && !oracle.is_exhausted() {
                let start = end.saturating_sub(len);
                let kept = [&lines[..start], &lines[end..]].concat();
                if oracle.fails(&kept.concat()) {
                    lines = kept;
                }
                end = start;
            }
            len /= 2;
        }
        if lines.len() == before || oracle.is_exhausted() {
            return lines.concat();
        }
    }
}
