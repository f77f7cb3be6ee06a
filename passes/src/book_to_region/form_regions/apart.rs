//! Reductions that each tile of a kernel would compute again, and those whose elements go to positions in any order.

use dlc_book::ops::Function;
use dlc_core::scalar::Combiner;
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use rustc_hash::FxHashSet;

use super::chains::depends_on;
use super::cut::{Choice, Cutter};
use super::graph::{Kind, Node, Value};
use crate::plan::scattered::POSITIONS;

/// As many results as a tile of a kernel without products has, about.
const TILE: i64 = 1024;
/// As many results as share a row that they do not have, at most.
const ROW_OF_RESULTS: i64 = 16;
/// The most values that are looked at to see what a reduction and its results have in common.
const MOST_SHARED: usize = 128;
/// The most elementwise ops between a value and its reduction that are looked at.
const MOST_BETWEEN: usize = 16;

impl Cutter<'_> {
    /// A choice for a reduction, unless each tile of its kernel would compute it again.
    pub(super) fn unless_in_each_tile(&self, choice: Choice, node: Node, kernel: Node) -> Choice {
        let why = self.in_each_tile(node, kernel).filter(|_| !choice.stored);
        why.map_or(choice, |why| Choice { stored: true, why })
    }

    /// Why a reduction is stored that each tile of its kernel would compute again.
    fn in_each_tile(&self, node: Node, kernel: Node) -> Option<String> {
        let (times, length) = self.is_apart(node, kernel).then(|| self.extent(node, kernel))?;
        Some(format!(
            "its kernel has {times} results for each of its own, and each tile of them would reduce {length} elements"
        ))
    }

    /// How many elements a value has for each result of a reduction, and how many of these that reduces, times those that the
    /// reductions below it reduce.
    fn extent(&self, reduction: Node, value: Node) -> (i64, i64) {
        let (sizes, own) = (&self.limits.sizes, &self.graph.values[reduction]);
        let times = sizes.elements(&self.graph.values[value].axes) / sizes.elements(&own.axes).max(1);
        let steps = self.steps(reduction).into_iter();
        (times, steps.map(|step| sizes.elements(&self.graph.values[step].over)).fold(1, i64::saturating_mul))
    }

    /// A reduction, and those of which it reduces the results as they are, as a reduction of several axes is cut into.
    fn steps(&self, reduction: Node) -> Vec<Node> {
        let mut steps = vec![reduction];
        let mut at = reduction;
        while let [operand] = &self.graph.values[at].operands[..] {
            at = operand.node;
            match self.graph.values[at].kind {
                Kind::Reduce { .. } if !self.contractions[at] => steps.push(at),
                _ => break,
            }
        }
        steps
    }

    /// Whether a reduction that is going to be stored reduces a value, or elementwise functions of it, as a batch norm
    /// reduces what it normalizes.
    pub(super) fn is_reduced_before(&self, node: Node, reduction: Node) -> bool {
        if !matches!(self.graph.values[reduction].kind, Kind::Reduce { .. }) {
            return false;
        }
        let last = self.steps(reduction).last().copied().unwrap_or(reduction);
        let mut work = vec![last];
        for _ in 0..MOST_BETWEEN {
            let Some(at) = work.pop() else { return false };
            let mut operands = self.graph.values[at].operands.iter().map(|operand| operand.node);
            if operands.any(|operand| operand == node) {
                return true;
            }
            let is_map = |&operand: &Node| matches!(self.graph.values[operand].kind, Kind::Map { .. });
            work.extend(self.graph.values[at].operands.iter().map(|operand| operand.node).filter(is_map));
        }
        false
    }

    /// Whether each tile of a kernel for a value would compute a reduction again. A kernel keeps a row that is reduced and
    /// its results together; of several axes, or where its results go along others as well, it has many tiles for each
    /// result of the reduction.
    pub(super) fn is_apart(&self, reduction: Node, value: Node) -> bool {
        let own = &self.graph.values[reduction];
        let is_taken = self.contractions[reduction] || self.chains.consumer[reduction].is_some();
        if !matches!(own.kind, Kind::Reduce { .. }) || is_taken || !self.costs().reads_memory(own.operands[0].node) {
            return false;
        }
        let (times, length) = self.extent(reduction, value);
        let elements = |size: &SizeExpr| self.limits.sizes.elements(std::slice::from_ref(size));
        let steps = self.steps(reduction).into_iter();
        let over = steps.flat_map(|step| &self.graph.values[step].over).filter(|&size| elements(size) > 1);
        let over: Vec<&SizeExpr> = over.collect();
        // Of a row that is longer than its results, as one to which something is appended, no tile has both.
        let goes_along = over.iter().all(|size| self.graph.values[value].axes.contains(size));
        let is_row = over.len() == 1 && times <= length && goes_along;
        let is_large = !is_row && times > TILE && length > TILE;
        let is_faster = || self.costs().is_faster_in_each_tile(reduction, times, length);
        let is_kept = || is_faster() || self.shares_elements(reduction, value);
        is_large || (times > ROW_OF_RESULTS && !is_kept())
    }

    /// Whether a value is computed from elements that a reduction reduces, and not only from its results: a tile that has the row
    /// of one has that of the other.
    fn shares_elements(&self, reduction: Node, value: Node) -> bool {
        let rows = self.limits.sizes.elements(&self.graph.values[reduction].axes);
        let elements = |from: Node, through: bool| {
            let (mut seen, mut work) = (FxHashSet::default(), vec![from]);
            while let Some(at) = work.pop() {
                let is_inner = match self.graph.values[at].kind {
                    _ if self.graph.is_memory(at) => false,
                    Kind::Map { .. } => true,
                    Kind::Reduce { .. } => through,
                    _ => false,
                };
                for operand in self.graph.values[at].operands.iter().filter(|_| at == from || is_inner) {
                    if operand.node != reduction && seen.len() < MOST_SHARED && seen.insert(operand.node) {
                        work.push(operand.node);
                    }
                }
            }
            seen.retain(|&node| self.limits.sizes.elements(&self.graph.values[node].axes) > rows);
            seen
        };
        let own = elements(reduction, false);
        elements(value, true).iter().any(|shared| own.contains(shared))
    }

    /// Whether a value says, for each position of an axis and each element, whether the element goes there.
    pub(super) fn is_mask_of_positions(&self, node: Node) -> bool {
        let value = &self.graph.values[node];
        let is_equal = matches!(value.kind, Kind::Map { function: Function::Eq, .. });
        let is_position = |node: Node| {
            let mut at = node;
            while matches!(self.graph.values[at].kind, Kind::Map { function: Function::Copy | Function::Cast, .. }) {
                at = self.graph.values[at].operands[0].node;
            }
            matches!(self.graph.values[at].kind, Kind::Iota(_))
        };
        let goes_there = |&user: &Node| {
            let users = &self.graph.values[user].users;
            !users.is_empty() && users.iter().all(|&sum| self.combines_in_any_order(sum))
        };
        is_equal
            && value.operands.iter().any(|operand| is_position(operand.node))
            && !value.users.is_empty()
            && value.users.iter().all(goes_there)
    }

    /// Whether a reduction gives the same in any order, or says that any will do.
    fn combines_in_any_order(&self, node: Node) -> bool {
        let value = &self.graph.values[node];
        let Kind::Reduce { combiner, any_order } = value.kind else { return false };
        any_order || matches!(value.elem, Type::I32 | Type::I64) && combiner != Combiner::Prod
    }

    /// Why a long reduction is stored whose kernel has a product that does not read it: each tile would reduce its elements.
    pub(super) fn next_to_product(&self, node: Node, kernel: Node) -> Option<String> {
        let length = self.limits.sizes.elements(&self.graph.values[node].over);
        let is_next = |other: Node| {
            self.contractions[other]
                && self.kernels[other].contains(&kernel)
                && self.chains.consumer[other].is_none()
                && !self.chains.takes_any(other)
                && !depends_on(self.graph, other, node)
        };
        let found = length > TILE && (node + 1..self.kernels.len()).any(is_next);
        found.then(|| format!("a product has the tiles of its kernel, and each would reduce {length} elements"))
    }

    /// Whether the elements of a reduction go to positions in any order, and its kernel has another reduction.
    pub(super) fn goes_anywhere_next_to(&self, node: Node, kernel: Node) -> bool {
        let is_other = |other: Node| {
            matches!(self.graph.values[other].kind, Kind::Reduce { .. }) && self.kernels[other].contains(&kernel)
        };
        self.goes_anywhere(node) && (node + 1..self.kernels.len()).any(is_other)
    }

    /// Whether the elements of a reduction go to positions in any order: it is marked, or chooses them by a mask of many.
    fn goes_anywhere(&self, node: Node) -> bool {
        let value = &self.graph.values[node];
        if matches!(value.kind, Kind::Reduce { any_order: true, .. }) {
            return true;
        }
        let chosen = value.operands.first().map(|operand| &self.graph.values[operand.node]);
        let is_choice = |of: &&Value| matches!(of.kind, Kind::Map { function: Function::Where, .. });
        self.combines_in_any_order(node)
            && self.limits.sizes.elements(&value.axes) >= POSITIONS
            && chosen.filter(is_choice).is_some_and(|of| self.is_mask_of_positions(of.operands[0].node))
    }
}
