//! Rows that one reduction has for each step of another one.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::cut::Cutter;
use super::graph::{Kind, Node};
use crate::analysis::sizes::{FEW_ROWS, LONG_ROW};

/// Rows below this length are reduced in place: stored, a quarter as much would be written and read as they have.
const SHORT_ROW: i64 = 8;
/// The most values below a value that are looked at.
const MOST_BELOW: usize = 256;

impl Cutter<'_> {
    /// Why a value is stored that a reduction reads, and that is computed from reductions of rows itself: in one kernel each step of
    /// the outer reduction would reduce a row, one after another, by one thread or by few SMs. Short rows of many results are
    /// computed in place, and so are products, which have tiles; of windows, what they share decides.
    pub(super) fn spread(&self, node: Node, kernel: Node) -> Option<String> {
        let elements = |node: Node| self.limits.sizes.elements(&self.graph.values[node].axes);
        let results = elements(kernel);
        let is_product = |node: Node| matches!(self.graph.values[node].kind, Kind::Map { widen: true, .. });
        let is_summed = |user: Node| {
            let is_reduction = matches!(self.graph.values[user].kind, Kind::Reduce { .. });
            is_reduction && !self.contractions[user] && self.kernels[user].contains(&kernel)
        };
        // A product that is not rounded is no value to store; its factors are.
        let mut users = self.graph.values[node].users.iter();
        let is_reduced = users.any(|&user| match is_product(user) {
            true => self.graph.values[user].users.iter().any(|&user| is_summed(user)),
            false => is_summed(user),
        });
        if !is_reduced || is_product(node) || elements(node) <= results {
            return None;
        }
        let (row, rows, length) = self.rows_below(node)?;
        let is_window = || self.costs().windows_of(row).next().is_some();
        let is_short = || length < SHORT_ROW || is_window();
        let in_place = results >= FEW_ROWS
            && (self.contractions[row] || is_short() && self.costs().is_faster_in_place(node, length, results));
        let is_worth = rows.saturating_mul(length) > LONG_ROW && elements(node) <= rows && !in_place;
        is_worth.then(|| match results < FEW_ROWS {
            true => format!(
                "{rows} rows of {length} elements are reduced for {results} results: too few for the SMs, and \
                     stored, each row has one"
            ),
            false => format!(
                "{rows} rows of {length} elements are reduced for {results} results: each step of a result would \
                     reduce a row"
            ),
        })
    }

    /// The reduction with most elements that a value is computed from, without memory between; its rows, and how long they
    /// are. Of programs without end the nearest values are looked at.
    fn rows_below(&self, node: Node) -> Option<(Node, i64, i64)> {
        let (mut seen, mut work, mut most) = (FxHashSet::default(), VecDeque::from([node]), None);
        let sizes = &self.limits.sizes;
        while let Some(at) = work.pop_front() {
            let value = &self.graph.values[at];
            if self.graph.is_memory(at) {
                continue;
            }
            if matches!(value.kind, Kind::Reduce { .. }) && self.costs().reads_memory(value.operands[0].node) {
                let rows = (at, sizes.elements(&value.axes), sizes.elements(&value.over));
                most = most.into_iter().chain([rows]).max_by_key(|&(at, rows, length): &(Node, i64, i64)| {
                    (!self.contractions[at], rows.saturating_mul(length))
                });
            }
            let operands = value.operands.iter().map(|operand| operand.node);
            work.extend(operands.filter(|&operand| seen.len() < MOST_BELOW && seen.insert(operand)));
        }
        most
    }
}
