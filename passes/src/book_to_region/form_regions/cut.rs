//! Which values are stored: where a program is cut into kernels, and why.
//!
//! A value that is not stored is computed where it is used. So a kernel is a value that is stored and everything that it
//! is computed from, up to what is stored before. Values are decided from the last to the first, so that it is known in
//! which kernels each one is wanted. The gain of not storing a value is that its elements are neither written nor read
//! (`saved_bytes` of the specification's section 11); what it may cost is computing elements more than once, and rows too
//! few or too long for the SMs. What decides is said in a remark for each value.
//!
//! How often elements may be computed has a limit, which no gain lifts: a value is computed at four places of its kernel at
//! most, a product at one, and cheap values together at so many that the kernels have four times the ops of the program. As
//! the copies beyond the first are counted value by value, before it is known what comes before, the limit holds at each step.

use dlc_book::ops::Function;
use dlc_core::scalar::Combiner;
use dlc_ir::Context;
use dlc_ir::affine::SizeExpr;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::sizes::{FEW_ROWS, LONG_COLUMN, LONG_ROW, SECTOR};

use super::apart::factors;
use super::chains::Chains;
use super::cost::{Costs, Limits, WINDOWS_OF_ROWS};
use super::graph::{Graph, Kind, Node, Operand, describe, names_axis};
use super::halo::again;
use super::places::{RegionValues, TooLarge};

/// The most ops that are done again rather than stored.
const CHEAP_OPS: usize = 4;
/// The most places at which a value that is not cheap is computed; and how many times the ops of a program its kernels
/// may have, all together.
const MAX_COPIES: usize = 4;
/// The most reductions of a kernel at each of whose steps a value that is not cheap is computed again.
const MAX_LOOPS: usize = 16;

/// What happens to a value, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Whether it is stored.
    pub stored: bool,
    /// Why.
    pub why: String,
}

/// What is stored.
pub struct Cut<'g> {
    /// For each value, in order.
    pub choices: Vec<Choice>,
    /// For each value that is stored, the places of its kernel.
    pub places: FxHashMap<Node, RegionValues<'g>>,
    /// For each contraction, the contraction that takes its result on chip.
    pub chained: Vec<Option<Node>>,
}

impl<'g> Cut<'g> {
    /// Decides for every value of a graph. Names of axes begin with `prefix` in the places. An error is the value at which
    /// expressions go beyond 64 bits.
    pub fn of(ctx: &'g Context, graph: &'g Graph, prefix: &'g str, limits: &'g Limits) -> Result<Cut<'g>, Node> {
        let mut contractions: Vec<bool> = (0..graph.values.len()).map(|node| graph.is_contraction(node)).collect();
        let chains = Chains::of(ctx, graph, limits, &mut contractions);
        let made_of_rows = made_of_rows(graph, &contractions);
        let mut cutter = Cutter {
            ctx,
            graph,
            limits,
            contractions,
            made_of_rows,
            factors: factors(graph),
            chains,
            kernels: vec![Vec::new(); graph.values.len()],
            wanted: FxHashSet::default(),
            prefix,
            places: FxHashMap::default(),
            scans: FxHashSet::default(),
            reductions: FxHashSet::default(),
            ops: 0,
            copies: 0,
        };
        let mut choices = Vec::with_capacity(graph.values.len());
        for node in (0..graph.values.len()).rev() {
            choices.push(cutter.decide(node).map_err(|TooLarge| node)?);
        }
        choices.reverse();
        Ok(Cut { choices, places: cutter.places, chained: cutter.chains.consumer })
    }
}

/// Whether each value is computed from reductions of rows or from scans, without memory or a contraction between.
fn made_of_rows(graph: &Graph, contractions: &[bool]) -> Vec<bool> {
    let mut made = vec![false; graph.values.len()];
    for (node, value) in graph.values.iter().enumerate().filter(|&(node, _)| !contractions[node]) {
        let is_one = matches!(value.kind, Kind::Reduce { .. } | Kind::Scan(_));
        made[node] = !graph.is_memory(node) && (is_one || value.operands.iter().any(|operand| made[operand.node]));
    }
    made
}

/// The bytes of a value, as an expression of the symbols.
pub fn bytes(ctx: &Context, graph: &Graph, node: Node) -> String {
    let value = &graph.values[node];
    let each = i64::from(value.elem.bits(ctx).unwrap_or(8).div_ceil(8));
    let count = value.axes.iter().try_fold(SizeExpr::from(each), |count, size| count.mul(size));
    count.map_or_else(|_| "more than 64 bits of".into(), |count| count.to_string())
}

pub(super) struct Cutter<'g> {
    ctx: &'g Context,
    pub(super) graph: &'g Graph,
    pub(super) limits: &'g Limits,
    pub(super) contractions: Vec<bool>,
    /// What products multiply.
    pub(super) factors: Vec<bool>,
    made_of_rows: Vec<bool>,
    pub(super) chains: Chains,
    /// The kernels in which each value is computed.
    pub(super) kernels: Vec<Vec<Node>>,
    /// Values, each with a kernel that wants it.
    wanted: FxHashSet<(Node, Node)>,
    /// What the names of axes begin with in the places.
    prefix: &'g str,
    /// The places of each kernel, by the value that it stores.
    pub(super) places: FxHashMap<Node, RegionValues<'g>>,
    /// The kernels that have a scan or a sort, and those that have a reduction.
    scans: FxHashSet<Node>,
    reductions: FxHashSet<Node>,
    /// The ops of the values that are decided, and how many more than these their kernels have.
    ops: usize,
    copies: usize,
}

impl<'g> Cutter<'g> {
    fn decide(&mut self, node: Node) -> Result<Choice, TooLarge> {
        let ops = self.graph.ops(node);
        self.ops += ops;
        let choice = self.choose(node);
        if choice.stored {
            self.kernels[node] = vec![node];
            self.places.insert(node, RegionValues::new(self.graph, self.prefix, node));
            // It is read on chip by nobody.
            self.chains.store(node);
        }
        self.copies += ops * self.copies_of(node).saturating_sub(1);
        // Where it is computed, what it needs is wanted.
        let kernels = self.kernels[node].clone();
        match self.graph.values[node].kind {
            Kind::Scan(_) | Kind::Sort { .. } => self.scans.extend(&kernels),
            Kind::Reduce { .. } => self.reductions.extend(&kernels),
            _ => {}
        }
        if !self.graph.is_memory(node) {
            for operand in &self.graph.values[node].operands {
                for &kernel in &kernels {
                    if self.wanted.insert((operand.node, kernel)) {
                        self.kernels[operand.node].push(kernel);
                    }
                }
            }
            for kernel in kernels {
                if let Some(places) = self.places.get_mut(&kernel) {
                    places.expand(node)?;
                }
            }
        }
        Ok(choice)
    }

    /// How often a value is computed in all kernels together, if it is not stored.
    fn copies_of(&self, node: Node) -> usize {
        let places = self.kernels[node].iter().filter_map(|kernel| self.places.get(kernel));
        places.map(|places| places.of(node).len()).sum()
    }

    fn choose(&self, node: Node) -> Choice {
        let value = &self.graph.values[node];
        let inline = |why: String| Choice { stored: false, why };
        let store = |why: String| Choice { stored: true, why };
        if self.graph.is_memory(node) {
            return inline("it is memory".into());
        }
        if value.returned {
            return store("it is a result".into());
        }
        if value.users.is_empty() {
            return inline("nothing needs it".into());
        }
        let following = |user: Node| match self.graph.values[user].kind {
            Kind::Reshape => Some("it is read with other sizes that no index expresses (non-SCoP)"),
            Kind::Gather if self.graph.values[user].operands[0].node == node => {
                Some("it is read at positions that are values (non-SCoP)")
            }
            _ => None,
        };
        if let Some(why) = value.users.iter().find_map(|&user| following(user)) {
            return store(why.into());
        }
        let copies = self.copies_of(node);
        if value.stored {
            return store("the program asks for it ('contiguous')".into());
        }
        if let Some(by) = self.multiplied_by(node)
            && self.is_cheap(node)
            && let Some(each) = self.costs().operations_of_stored(node, by)
            && self.costs().takes_work(node)
        {
            return store(format!(
                "computed before its product, which has {each:.0} operations for each of its bytes, it would keep TMA \
                 from copying it"
            ));
        }
        if self.is_mask_of_positions(node) {
            return inline("it says where elements go: of each position it would be a tensor of all elements".into());
        }
        if self.is_cheap(node) {
            if self.copies + self.graph.ops(node) * copies.saturating_sub(1) > (MAX_COPIES - 1) * self.ops {
                return store(format!(
                    "it would be computed at {copies} places, and kernels have at most {MAX_COPIES} times the ops of the \
                     program"
                ));
            }
            return inline(match self.kernels[node].len() {
                0 | 1 => "it is cheaper to compute than to read".into(),
                several => format!(
                    "{several} kernels compute it, each for itself, which is cheaper than to write and read it; a kernel \
                     has one result"
                ),
            });
        }
        let kernels = &self.kernels[node];
        if kernels.len() > 1 {
            return store(format!("{} kernels need it (fan-out)", kernels.len()));
        }
        let Some(&kernel) = kernels.first() else { return inline("nothing needs it".into()) };
        if let Some(why) = self.alongside_scan(node, kernel) {
            return store(why.into());
        }
        let size = bytes(self.ctx, self.graph, node);
        let by_guards = !self.made_of_rows[node];
        if let Some(again) = again(self.graph, node, self.limits, by_guards) {
            return store(format!(
                "windows would compute each element {again:.1} times (halo), which costs more than to write and read \
                 its {size} bytes"
            ));
        }
        if copies > MAX_COPIES {
            return store(format!(
                "its kernel would compute it at {copies} places, each with all that it is computed from, and does at most \
                 at {MAX_COPIES}"
            ));
        }
        let loops = self.places.get(&kernel).map_or(0, |places| places.most_loops(node));
        if loops > MAX_LOOPS {
            return store(format!(
                "{loops} reductions of its kernel would compute it at each of their steps, and at most {MAX_LOOPS} do"
            ));
        }
        if let Some(why) = self.spread(node, kernel) {
            return store(why);
        }
        match value.kind {
            Kind::Reduce { .. } => self.unless_in_each_tile(self.reduction(node, node, kernel), node, kernel),
            Kind::Scan(_) | Kind::Sort { .. } => inline(format!("what follows is its epilogue: {}", self.saved(node))),
            _ => self.map(node, kernel),
        }
    }

    /// Why a scan or a sort is stored, or a reduction: a kernel that goes along an axis has one scan or sort, which has an
    /// element at each of its points, and no reductions.
    fn alongside_scan(&self, node: Node, kernel: Node) -> Option<&'static str> {
        let (has_scan, has_reduction) = (self.scans.contains(&kernel), self.reductions.contains(&kernel));
        let is_at_every_point = self.places.get(&kernel).is_some_and(|places| places.is_at_every_point(node));
        match self.graph.values[node].kind {
            Kind::Scan(_) if !is_at_every_point => Some("a scan is read elsewhere than at the points of its kernel"),
            Kind::Sort { .. } if !is_at_every_point => {
                Some("a sort is read elsewhere than at the points of its kernel")
            }
            Kind::Scan(_) | Kind::Sort { .. } if has_scan => Some("a kernel has one scan or sort"),
            Kind::Scan(_) | Kind::Sort { .. } if has_reduction => Some("a kernel with a reduction has no scan or sort"),
            Kind::Reduce { .. } if has_scan => Some("a kernel with a scan or a sort has no reduction"),
            _ => None,
        }
    }

    /// A reduction whose elements are wanted as those of another value, which is computed from it element by element.
    fn reduction(&self, node: Node, wanted: Node, kernel: Node) -> Choice {
        if let Some(times) = self.times_in_reductions(node, wanted, kernel) {
            let why = format!(
                "another reduction reads it at each of its steps, and would compute each element {times:.0} times"
            );
            return Choice { stored: true, why };
        }
        match self.contractions[node] {
            true => self.contraction(node, wanted, kernel),
            false => self.row(node, wanted, kernel),
        }
    }

    /// What is saved where a value is not stored.
    fn saved(&self, node: Node) -> String {
        format!("{} bytes are neither written nor read", bytes(self.ctx, self.graph, node))
    }

    /// Whether a value is a number, a position, or a few ops on elements of tensors in memory that take no more bytes to
    /// read in each kernel than to read once, with the value written once and read in each kernel. One tensor never does.
    fn is_cheap(&self, node: Node) -> bool {
        let (mut ops, mut reads, mut work) = (0, Vec::new(), vec![node]);
        let mut reductions = Vec::new();
        while let Some(at) = work.pop() {
            let value = &self.graph.values[at];
            // Such a reduction is going to be stored: it is decided after what reads it.
            if self.graph.is_memory(at) || self.is_apart(at, node) || self.is_few_long_rows(at, node) {
                if !reads.contains(&at) {
                    reads.push(at);
                }
                continue;
            }
            match value.kind {
                Kind::Number(_) | Kind::Iota(_) => {}
                Kind::Map { function, .. } => {
                    if !matches!(function, Function::Copy | Function::Cast) {
                        ops += 1;
                    }
                    work.extend(value.operands.iter().map(|operand| operand.node));
                }
                Kind::Reduce { .. } if at != node => {
                    if !reductions.contains(&at) {
                        reductions.push(at);
                    }
                }
                _ => return false,
            }
            // Without memory there is nothing to save.
            if (ops > CHEAP_OPS && !reads.is_empty()) || ops > 64 {
                return false;
            }
        }
        // What is reduced by another kernel first, and read here again, is going to be stored.
        if !reductions.iter().all(|&at| reads.iter().any(|&read| self.is_reduced_before(at, read))) {
            return false;
        }
        reads.extend(reductions);
        match reads.len() {
            0 => true,
            1 => ops <= CHEAP_OPS,
            _ => ops <= CHEAP_OPS && self.reads_less(node, &reads),
        }
    }

    /// Whether a value is a reduction that is stored as its rows are few and long, where a kernel needs it for another value.
    fn is_few_long_rows(&self, node: Node, kernel: Node) -> bool {
        let is_reduction = matches!(self.graph.values[node].kind, Kind::Reduce { .. }) && !self.contractions[node];
        is_reduction && node != kernel && self.few_long_rows(node, kernel, || false).is_some()
    }

    /// Whether reading some tensors in each kernel that needs a value takes no more bytes than to store the value.
    fn reads_less(&self, node: Node, reads: &[Node]) -> bool {
        let own = self.limits.sizes.elements(&self.graph.values[node].axes);
        let size = |node: Node, count: i64| count.saturating_mul(i64::from(self.costs().bits(node).div_ceil(8)));
        // Of a slice, or at the same position for several points, no more is read than there is.
        let read = |&node: &Node| size(node, self.limits.sizes.elements(&self.graph.values[node].axes).min(own));
        let inputs = reads.iter().map(read).fold(0i64, i64::saturating_add);
        let kernels = i64::try_from(self.kernels[node].len()).unwrap_or(i64::MAX);
        let stored = inputs.saturating_add(size(node, own).saturating_mul(kernels.saturating_add(1)));
        kernels <= 1 || inputs.saturating_mul(kernels) <= stored
    }

    /// How often other reductions would reduce again what each element of a reduction is of, if more than once, where it is
    /// wanted as another value. The rows of a contraction that another one takes on chip are computed once for all of its
    /// results.
    fn times_in_reductions(&self, node: Node, wanted: Node, kernel: Node) -> Option<f64> {
        let places = self.places.get(&kernel).filter(|_| self.chains.consumer[node].is_none())?;
        places.times_in_reductions(wanted, &|sizes| self.limits.sizes.elements(sizes))
    }

    /// The reduction of which a value is made element by element and rounded to fewer bits at last, together with what is
    /// cheap, where nothing else needs what is between them.
    fn rounded(&self, node: Node) -> Option<Node> {
        let mut at = node;
        loop {
            let value = &self.graph.values[at];
            match value.kind {
                Kind::Map { .. } => {}
                Kind::Reduce { .. } => return Some(at),
                _ => return None,
            }
            let is_free = |operand: &&Operand| self.graph.is_memory(operand.node) || self.is_cheap(operand.node);
            let mut others = value.operands.iter().filter(|operand| !is_free(operand));
            let (operand, None) = (others.next()?, others.next()) else { return None };
            let is_wider = self.costs().bits(operand.node) > self.costs().bits(node);
            if self.graph.values[operand.node].users.len() > 1 || !is_wider || !self.has_same_elements(at, operand) {
                return None;
            }
            at = operand.node;
        }
    }

    /// Whether a value wants each element of an operand at one of its elements.
    fn has_same_elements(&self, reader: Node, operand: &Operand) -> bool {
        let at = &operand.access.at;
        let axes: Vec<&str> = at.iter().filter_map(SizeExpr::as_symbol).collect();
        let is_simple = at.iter().all(|at| at.as_symbol().is_some() || at.as_constant().is_some());
        let is_distinct = axes.iter().enumerate().all(|(index, axis)| !axes[..index].contains(axis));
        let count = |node: Node| self.limits.sizes.elements(&self.graph.values[node].axes);
        is_simple && is_distinct && operand.access.guard.is_none() && count(reader) == count(operand.node)
    }

    /// Elementwise work.
    fn map(&self, node: Node, kernel: Node) -> Choice {
        if let Some(why) = self.too_many_products(node, kernel) {
            return Choice { stored: true, why };
        }
        if let Some(sum) = self.rounded(node) {
            let choice = self.reduction(sum, node, kernel);
            if choice.stored {
                let why =
                    format!("it is rounded, and {} before it is stored: {}", describe(self.graph, sum), choice.why);
                return Choice { stored: true, why };
            }
        }
        if let Some(by) = self.multiplied_by(node)
            && !self.chains.takes_from(self.graph, by, node)
        {
            let mut why =
                "a contraction reads its factors directly (C-CON1): computing it for every tile of the result \
                           costs more than to store it"
                    .to_string();
            if let Some(width) = self.chains.too_wide[by] {
                let most = self.limits.max_width;
                why += &format!(
                    "; to compute it once, a kernel would hold rows of {width} results, and holds at most {most}"
                );
            }
            if self.chains.too_few[by] {
                why += "; a kernel that computes its rows once has so few tiles that two kernels take less time";
            }
            return Choice { stored: true, why };
        }
        let saved = self.saved(node);
        Choice { stored: false, why: format!("elementwise work is done where it is used: {saved}") }
    }

    /// The contraction of which a value is a factor.
    fn multiplied_by(&self, node: Node) -> Option<Node> {
        let mut work = vec![node];
        while let Some(at) = work.pop() {
            for &user in &self.graph.values[at].users {
                let value = &self.graph.values[user];
                match value.kind {
                    Kind::Map { function: Function::Copy, .. } => work.push(user),
                    // A factor may be widened first: what is stored is narrower.
                    Kind::Map { function: Function::Cast, .. } if self.costs().bits(user) > self.costs().bits(at) => {
                        work.push(user)
                    }
                    Kind::Map { function: Function::Mul, .. } => {
                        if let Some(sum) = self.sum_of(user) {
                            return Some(sum);
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    pub(super) fn costs(&self) -> Costs<'g> {
        Costs { ctx: self.ctx, graph: self.graph, limits: self.limits }
    }

    /// The contraction that sums a product.
    fn sum_of(&self, product: Node) -> Option<Node> {
        let mut at = product;
        loop {
            let value = &self.graph.values[at];
            let &user = value.users.first()?;
            if self.contractions[user] && self.graph.product(user) == Some(product) {
                return Some(user);
            }
            match self.graph.values[user].kind {
                Kind::Map { function: Function::Cast | Function::Copy, .. } => at = user,
                _ => return None,
            }
        }
    }

    fn contraction(&self, node: Node, wanted: Node, kernel: Node) -> Choice {
        let saved = self.saved(node);
        if let Some(consumer) = self.chains.consumer[node] {
            let name = describe(self.graph, consumer);
            return Choice { stored: false, why: format!("{name} takes its rows on chip: {saved}") };
        }
        let places = self.copies_of(wanted);
        if places > 1 {
            let why =
                format!("its kernel would multiply it at {places} places, which costs more than to write and read it");
            return Choice { stored: true, why };
        }
        if self.is_faster_than_alongside(node, wanted, kernel) {
            let why =
                "its kernel has another product and few tiles, and two kernels that divide their sums take less time";
            return Choice { stored: true, why: why.into() };
        }
        if self.mixes_factors(node, wanted, kernel) && self.costs().is_faster_alone(node, wanted) {
            let why = "an axis of its kernel's results goes along both of its factors, so no tile would have a matrix of each";
            return Choice { stored: true, why: why.into() };
        }
        // Epilogue: each element is used at one point of the result.
        let own = self.limits.sizes.elements(&self.graph.values[node].axes);
        if let Some(row) = self.reducer_after(wanted, kernel) {
            let length = self.limits.sizes.elements(&self.graph.values[row].over);
            if length > self.limits.max_width {
                let why = format!(
                    "its rows of {length} elements are reduced next, and a kernel holds at most {} of them",
                    self.limits.max_width
                );
                return Choice { stored: true, why };
            }
            if let Some(columns) = self.rows_in_fragments(node, kernel) {
                if self.costs().is_faster_with_rows(node, wanted, columns) {
                    let why = format!(
                        "its rows of {columns} elements are reduced next, in the registers of its tiles: {saved}"
                    );
                    return Choice { stored: false, why };
                }
                let why = format!(
                    "its rows of {columns} elements are reduced next, and tiles of whole rows are so few that two kernels take \
                     less time"
                );
                return Choice { stored: true, why };
            }
            if self.costs().is_faster_alone(node, wanted) {
                let with = if self.costs().takes_tensor_cores(node) { "tensor cores" } else { "tiles" };
                let why = format!(
                    "its rows of {length} elements are reduced next, and the kernel that does both would multiply without \
                     {with}, which takes longer than to write and read it"
                );
                return Choice { stored: true, why };
            }
        }
        let results = self.limits.sizes.elements(&self.graph.values[kernel].axes);
        if results > own && self.reducer_after(wanted, kernel).is_none() {
            let times = results / own.max(1);
            let why = format!("each of its elements serves {times} results, which would compute it again");
            return Choice { stored: true, why };
        }
        if self.after_contraction(wanted, kernel) {
            let why = "another contraction reads its result, and a kernel holds the tiles of two at most";
            return Choice { stored: true, why: why.into() };
        }
        Choice { stored: false, why: format!("what follows is its epilogue: {saved}") }
    }

    /// A reduction between a contraction and the end of its kernel that is no contraction itself.
    fn reducer_after(&self, node: Node, kernel: Node) -> Option<Node> {
        self.reach(node, kernel).into_iter().find(|&at| {
            at != node && matches!(self.graph.values[at].kind, Kind::Reduce { .. }) && !self.contractions[at]
        })
    }

    /// The length of the rows of a contraction on tensor cores, if they are all that is reduced between it and the end of its
    /// kernel: a tile can have whole rows then. They lie along its last axis, which one of its factors alone has. The factors
    /// are matrices, and there is no other contraction in the kernel.
    fn rows_in_fragments(&self, node: Node, kernel: Node) -> Option<i64> {
        let is_alongside = |other: Node| self.contractions[other] && self.kernels[other].contains(&kernel);
        if (node + 1..self.contractions.len()).any(is_alongside) {
            return None;
        }
        let mut reached = self.reach(node, kernel);
        reached.sort_unstable();
        // For each value, which axis of the contraction each of its axes is.
        let count = self.graph.values[node].axes.len();
        let mut axes: FxHashMap<Node, Vec<Option<usize>>> = FxHashMap::default();
        axes.insert(node, (0..count).map(Some).collect());
        let mut column = None;
        for &at in reached.iter().filter(|&&at| at != node) {
            let value = &self.graph.values[at];
            let own = value.axes.len();
            let mut of = vec![None; own + value.over.len()];
            for operand in &value.operands {
                let Some(from) = axes.get(&operand.node) else { continue };
                if operand.access.guard.is_some() {
                    return None;
                }
                for (position, known) in operand.access.at.iter().zip(from).filter(|(_, known)| known.is_some()) {
                    let name = position.as_symbol().and_then(|name| name.strip_prefix('i'))?;
                    let place = of.get_mut(name.parse::<usize>().ok()?)?;
                    if place.is_some_and(|other| Some(other) != *known) {
                        return None;
                    }
                    *place = *known;
                }
            }
            if matches!(value.kind, Kind::Reduce { .. }) {
                let &[Some(reduced)] = &of[own..] else { return None };
                if *column.get_or_insert(reduced) != reduced {
                    return None;
                }
            }
            of.truncate(own);
            axes.insert(at, of);
        }
        let column: usize = column.filter(|column| column + 1 == count)?;
        let factors = &self.graph.values[self.graph.product(node)?].operands;
        let has = |axis: usize| factors.iter().filter(|factor| names_axis(factor.access.exprs(), axis)).count();
        let is_matrix = |factor: &Operand| factor.access.at.iter().all(|at| at.as_symbol().is_some());
        let has_rows = factors.iter().all(is_matrix) && (0..count).any(|axis| axis != column && has(axis) == 1);
        let length = self.graph.values[node].axes[column].as_constant()?;
        (has(column) == 1 && has_rows && self.costs().takes_tensor_cores(node)).then_some(length)
    }

    /// Whether a maximum is reduced in one pass with what is combined after it: sums of exponentials below it
    /// (`stream-softmax`), or what is at the places where a maximum or minimum is reached (`stream-extrema`).
    fn goes_with_next(&self, node: Node, wanted: Node, kernel: Node) -> bool {
        let Kind::Reduce { combiner, .. } = self.graph.values[node].kind else { return false };
        let element = self.graph.values[node].operands[0].node;
        let goes_with = |at: Node| {
            let value = &self.graph.values[at];
            match value.kind {
                Kind::Map { function: Function::Exp2, .. } => combiner == Combiner::Max,
                // An element is compared with the extremum.
                Kind::Map { function: Function::Eq, .. } => {
                    let mut operands = value.operands.iter();
                    let is_extremum = matches!(combiner, Combiner::Max | Combiner::Min);
                    is_extremum && operands.any(|operand| operand.node == element)
                }
                _ => false,
            }
        };
        self.reach(wanted, kernel).into_iter().any(goes_with)
    }

    fn after_contraction(&self, node: Node, kernel: Node) -> bool {
        self.reach(node, kernel).into_iter().any(|at| at != node && self.contractions[at])
    }

    /// The values of a kernel that are computed from a value, itself included.
    fn reach(&self, node: Node, kernel: Node) -> Vec<Node> {
        let mut reached = vec![node];
        let mut at = 0;
        while at < reached.len() {
            let here = reached[at];
            at += 1;
            if here == kernel {
                continue;
            }
            for &user in &self.graph.values[here].users {
                if self.kernels[user].contains(&kernel) && !reached.contains(&user) {
                    reached.push(user);
                }
            }
        }
        reached
    }

    /// A reduction whose results are used for many elements each, as the mean of a row.
    fn row(&self, node: Node, wanted: Node, kernel: Node) -> Choice {
        let apart = self.goes_apart(node, kernel).map(String::from).or_else(|| self.next_to_product(node, kernel));
        if let Some(why) = apart.or_else(|| self.columns_alongside(node, kernel)) {
            return Choice { stored: true, why };
        }
        let next = self.reducer_after(wanted, kernel).filter(|_| self.costs().shares_windows_alone(node, wanted));
        if next.is_some() {
            return Choice { stored: true, why: WINDOWS_OF_ROWS.into() };
        }
        let again = || self.reducer_after(wanted, kernel).is_some() && !self.goes_with_next(node, wanted, kernel);
        if let Some((rows, longest)) = self.few_long_rows(node, kernel, again) {
            let why = format!("{rows} rows of {longest} elements are too few for one SM each, and worth splitting");
            return Choice { stored: true, why };
        }
        if self.multiplied_by(node).is_some() {
            let why = "a contraction reads its factors directly (C-CON1)";
            return Choice { stored: true, why: why.into() };
        }
        Choice { stored: false, why: format!("it is used where its row is read: {}", self.saved(node)) }
    }

    /// The rows that a reduction has, and how many elements an SM would go through of each: where they are few and
    /// long, and a kernel has more results than rows, or goes along its rows `again`. Of columns those that share a sector of
    /// memory are one row.
    fn few_long_rows(&self, node: Node, kernel: Node, again: impl Fn() -> bool) -> Option<(i64, i64)> {
        let value = &self.graph.values[node];
        let rows = self.limits.sizes.elements(&value.axes);
        let results = self.limits.sizes.elements(&self.graph.values[kernel].axes);
        let longest = self.limits.sizes.elements(&value.over).max(results / rows.max(1));
        // Positions and numbers are there anywhere.
        let reads = || value.operands.iter().any(|operand| self.costs().reads_memory(operand.node));
        let is_long = || match self.costs().columns(node) {
            None => rows < FEW_ROWS && longest > LONG_ROW,
            Some((columns, bytes)) => {
                let sectors = rows / columns.max(1) * ((columns * bytes + SECTOR - 1) / SECTOR);
                sectors < FEW_ROWS && longest > LONG_COLUMN
            }
        };
        let is_worth = (results > rows || again()) && is_long();
        (is_worth && reads() && !self.chains.is_on_chip(self.graph, node)).then_some((rows, longest))
    }
}
