//! Reductions that each tile of a kernel would compute again, and those whose elements go to positions in any order.

use std::collections::VecDeque;

use dlc_book::ops::Function;
use dlc_core::scalar::Combiner;
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use rustc_hash::FxHashSet;

use super::chains::depends_on;
use super::cut::{Choice, Cutter};
use super::graph::{Graph, Kind, Node, Operand, Value, names_axis};
use super::places::Axis;
use crate::plan::scattered::POSITIONS;

/// As many results as a tile of a kernel without products has, about.
const TILE: i64 = 1024;
/// From so many elements on a column is shared by threads.
const LONG_OF_COLUMNS: i64 = 64;
/// As many rows and columns as a tile of a product has, at least.
const ROWS_OF_TILE: i64 = 32;
/// The most products side by side in a kernel.
const MOST_PRODUCTS: usize = 4;
/// As many results as share a row that they do not have, at most.
const ROW_OF_RESULTS: i64 = 16;
/// The most values that are looked at to see what a reduction and its results have in common.
const MOST_SHARED: usize = 128;
/// The most elementwise ops between a value and its reduction that are looked at.
const MOST_BETWEEN: usize = 16;

/// For each value, whether a product multiplies it.
pub(super) fn factors(graph: &Graph) -> Vec<bool> {
    let mut factors = vec![false; graph.values.len()];
    let is_product = |value: &&Value| matches!(value.kind, Kind::Map { widen: true, .. });
    for product in graph.values.iter().filter(is_product) {
        product.operands.iter().for_each(|operand| factors[operand.node] = true);
    }
    factors
}

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
        is_large || (times > ROW_OF_RESULTS && (!is_kept() || self.crosses_rows(reduction, value)))
    }

    /// Whether a kernel goes along the rows of a reduction, and another one is along an axis of its results across them: a tile has
    /// whole rows of one of them alone.
    fn crosses_rows(&self, across: Node, kernel: Node) -> bool {
        let axes = &self.graph.values[kernel].axes;
        let own = &self.graph.values[across].over;
        let goes_along = |over: &[SizeExpr]| over.iter().all(|size| axes.contains(size));
        let is_row = |other: Node| {
            let value = &self.graph.values[other];
            matches!(value.kind, Kind::Reduce { .. })
                && !self.contractions[other]
                && self.kernels[other].contains(&kernel)
                && value.over != *own
                && goes_along(&value.over)
        };
        goes_along(own) && (across + 1..self.kernels.len()).any(is_row)
    }

    /// Whether a value is computed from elements that a reduction reduces, and not only from its results: a tile that has the row
    /// of one has that of the other.
    fn shares_elements(&self, reduction: Node, value: Node) -> bool {
        let rows = self.limits.sizes.elements(&self.graph.values[reduction].axes);
        let elements = |from: Node, through: bool| {
            // The nearest first: below are all layers of a model.
            let (mut seen, mut work) = (FxHashSet::default(), VecDeque::from([from]));
            while let Some(at) = work.pop_front() {
                let is_inner = match self.graph.values[at].kind {
                    _ if self.graph.is_memory(at) => false,
                    Kind::Map { .. } => true,
                    Kind::Reduce { .. } => through,
                    _ => false,
                };
                for operand in self.graph.values[at].operands.iter().filter(|_| at == from || is_inner) {
                    if operand.node != reduction && seen.len() < MOST_SHARED && seen.insert(operand.node) {
                        work.push_back(operand.node);
                    }
                }
            }
            seen.retain(|&node| self.limits.sizes.elements(&self.graph.values[node].axes) > rows);
            seen
        };
        let own = elements(reduction, false);
        elements(value, true).iter().any(|shared| own.contains(shared))
    }

    /// Whether results of a kernel lie along an axis as rows of the one factor of a contraction and of the other do, which are
    /// axes of their own of its results, and few along others: pixels that channels are shuffled to, or a product as one row. The kernel wants them as
    /// the elements of a value with the same axes.
    pub(super) fn mixes_factors(&self, contraction: Node, wanted: Node, kernel: Node) -> bool {
        let (Some(places), Some(product)) = (self.places.get(&kernel), self.graph.product(contraction)) else {
            return false;
        };
        let [place] = places.of(wanted) else { return false };
        if self.graph.values[wanted].axes != self.graph.values[contraction].axes {
            return false;
        }
        let [lhs, rhs] = &self.graph.values[product].operands[..] else { return false };
        // The axes of the kernel that say where a factor is read, and the other is not.
        let axes = |of: &Operand, other: &Operand| {
            let is_own = |&axis: &usize| names_axis(of.access.exprs(), axis) && !names_axis(other.access.exprs(), axis);
            (0..place.at.len()).filter(is_own).flat_map(|axis| places.named(std::iter::once(&place.at[axis]))).collect()
        };
        let (lhs, rhs): (Vec<Axis>, Vec<Axis>) = (axes(lhs, rhs), axes(rhs, lhs));
        let is_mixed = |axis: &&Axis| lhs.contains(axis) && rhs.contains(axis);
        let left = |of: &[Axis]| {
            let sizes = of.iter().filter(|axis| !is_mixed(axis)).map(|&axis| places.size(axis).clone());
            self.limits.sizes.elements(&sizes.collect::<Vec<_>>())
        };
        lhs.iter().any(|axis| is_mixed(&axis)) && left(&lhs).min(left(&rhs)) < ROWS_OF_TILE
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
        let is_exact = matches!(combiner, Combiner::Max | Combiner::Min) && matches!(value.elem, Type::F32 | Type::F64);
        any_order || is_exact || matches!(value.elem, Type::I32 | Type::I64) && combiner != Combiner::Prod
    }

    /// Why a reduction of columns is stored where another one is in its kernel, which reads other elements: no tile has those of both, and
    /// a thread would go through each column alone.
    pub(super) fn columns_alongside(&self, node: Node, kernel: Node) -> Option<String> {
        let length = self.limits.sizes.elements(&self.graph.values[node].over);
        let is_alongside = |other: Node| {
            matches!(self.graph.values[other].kind, Kind::Reduce { .. })
                && !self.contractions[other]
                && self.kernels[other].contains(&kernel)
                && !depends_on(self.graph, other, node)
                && !self.shares_elements(node, other)
        };
        let is_column = || length >= LONG_OF_COLUMNS && self.costs().columns(node).is_some();
        let found = is_column() && (node + 1..self.kernels.len()).any(is_alongside);
        found.then(|| {
            format!("another column is reduced in its kernel, and a thread would go through {length} elements alone")
        })
    }

    /// Why a long reduction is stored whose kernel has a product that does not read it: each tile would reduce its elements.
    pub(super) fn next_to_product(&self, node: Node, kernel: Node) -> Option<String> {
        let length = self.limits.sizes.elements(&self.graph.values[node].over);
        let found = length > TILE && self.products_alongside(node, kernel).next().is_some();
        found.then(|| format!("a product has the tiles of its kernel, and each would reduce {length} elements"))
    }

    /// The products of a kernel that is decided, of which a value is no factor and none keeps rows of another one.
    fn products_alongside(&self, node: Node, kernel: Node) -> impl Iterator<Item = Node> {
        (node + 1..self.kernels.len()).filter(move |&other| {
            self.contractions[other]
                && self.kernels[other].contains(&kernel)
                && self.chains.consumer[other].is_none()
                && !self.chains.takes_any(other)
                && !depends_on(self.graph, other, node)
        })
    }

    /// Why a value with products below it is stored, whose kernel has too many: each of them has registers for its tile.
    pub(super) fn too_many_products(&self, node: Node, kernel: Node) -> Option<String> {
        let (above, all) = self.products_below(kernel, (node, kernel));
        // What a product multiplies is not alongside.
        if all <= MOST_PRODUCTS || !above.contains(&node) {
            return None;
        }
        let own = self.products_below(node, (node, kernel)).1;
        let leaves_enough = own > 1 && all - own >= MOST_PRODUCTS - 1;
        leaves_enough.then(|| format!("a kernel has tiles of about {MOST_PRODUCTS} products side by side"))
    }

    /// What a value is an elementwise function of, and how many products are among that, as far as none of what is decided is
    /// stored, that is, from a node on. A value is decided after what reads it. Factors of products will be stored.
    fn products_below(&self, value: Node, (decided, kernel): (Node, Node)) -> (FxHashSet<Node>, usize) {
        let (mut seen, mut work, mut count) = (FxHashSet::default(), VecDeque::from([value]), 0);
        while let Some(at) = work.pop_front().filter(|_| seen.len() < MOST_SHARED) {
            let is_stored = at > decided && at != kernel && self.kernels[at] == [at];
            if is_stored || self.factors[at] || !seen.insert(at) {
                continue;
            }
            count += usize::from(self.contractions[at] && self.chains.consumer[at].is_none());
            if matches!(self.graph.values[at].kind, Kind::Map { .. }) {
                work.extend(self.graph.values[at].operands.iter().map(|operand| operand.node));
            }
        }
        (seen, count)
    }

    /// Whether a product takes less time in a kernel of its own, which divides its sum, than next to others in one.
    pub(super) fn is_faster_than_alongside(&self, node: Node, wanted: Node, kernel: Node) -> bool {
        let others: Vec<Node> = self.products_alongside(node, kernel).collect();
        !others.is_empty() && self.costs().is_faster_apart(node, wanted, &others)
    }

    /// Why a reduction is stored whose elements go to positions in any order: its kernel has another one, or has its axes in
    /// another way than one by one.
    pub(super) fn goes_apart(&self, node: Node, kernel: Node) -> Option<&'static str> {
        if !self.goes_anywhere(node) {
            return None;
        }
        let is_other = |other: Node| {
            matches!(self.graph.values[other].kind, Kind::Reduce { .. }) && self.kernels[other].contains(&kernel)
        };
        if (node + 1..self.kernels.len()).any(is_other) {
            return Some("its elements go to positions in any order, which a kernel does for one reduction alone");
        }
        let is_plain = |at: &SizeExpr| at.as_symbol().is_some() || at.as_constant().is_some();
        let places = self.places.get(&kernel).map_or(&[][..], |places| places.of(node));
        let is_merged = !places.iter().all(|place| place.at.iter().all(is_plain));
        is_merged.then_some("its elements go to positions in any order, which are those of its own axes")
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
