//! Contractions whose result feeds another one on chip, through elementwise work and reductions of rows alone.

use dlc_ir::Context;
use dlc_ir::affine::SizeExpr;
use rustc_hash::FxHashSet;

use super::cost::{Costs, Limits};
use super::graph::{Graph, Kind, Node, Operand, names_axis};
use super::halo::{again, wanted};

/// Which contractions take the result of another on chip.
pub struct Chains {
    /// For each contraction, the contraction that takes its result.
    pub consumer: Vec<Option<Node>>,
    /// For each contraction, the contraction whose result it takes.
    producer: Vec<Option<Node>>,
    /// For each contraction that could take another's result if its own rows were shorter, how long they are.
    pub too_wide: Vec<Option<i64>>,
    /// Whether a contraction could take another's result, and both take less time apart: there are too few tiles of whole rows.
    pub too_few: Vec<bool>,
}

impl Chains {
    /// Pairs that save most first, no contraction in two of them. Products with a vector whose rows are reduced between them,
    /// as in attention of one query, are contractions from here on: alone they are sums of rows.
    pub fn of(ctx: &Context, graph: &Graph, limits: &Limits, contractions: &mut [bool]) -> Chains {
        let len = graph.values.len();
        let mut chains = Chains {
            consumer: vec![None; len],
            producer: vec![None; len],
            too_wide: vec![None; len],
            too_few: vec![false; len],
        };
        if contractions.contains(&true) {
            chains.add(&Finder { ctx, graph, limits, contractions }, |_, _, _| true);
        }
        let products: Vec<bool> = (0..len).map(|node| contractions[node] || graph.is_product(node)).collect();
        if products != *contractions {
            let is_short = |node: Node| Costs { ctx, graph, limits }.takes_tensor_cores(node);
            let is_new = |producer: Node, consumer: Node, rounds: i64| {
                let is_vector = !contractions[producer] || !contractions[consumer];
                is_vector && rounds > 0 && is_short(producer) && is_short(consumer)
            };
            chains.add(&Finder { ctx, graph, limits, contractions: &products }, is_new);
            for (node, contraction) in contractions.iter_mut().enumerate() {
                *contraction |= chains.consumer[node].is_some() || chains.producer[node].is_some();
            }
        }
        chains
    }

    /// Adds pairs that are wanted of those that are in none, by their producer, their consumer and the reductions between.
    fn add(&mut self, finder: &Finder<'_>, is_wanted: impl Fn(Node, Node, i64) -> bool) {
        let Finder { graph, limits, contractions, .. } = *finder;
        let (chains, len) = (self, graph.values.len());
        let sources = finder.sources();
        let mut pairs = Vec::new();
        for consumer in (0..len).filter(|&node| contractions[node]) {
            let Some(product) = graph.product(consumer) else { continue };
            for factor in &graph.values[product].operands {
                if let Source::One { producer, rounds } = sources[factor.node]
                    && finder.keeps_elements(producer, factor.node)
                    && finder.has_rows(consumer, factor)
                    && finder.has_one_side(producer, consumer, factor)
                    && !finder.reads_windows(producer)
                    && finder.is_read_once(product, factor)
                    && finder.only_for(producer, consumer)
                    && is_wanted(producer, consumer, rounds)
                {
                    let width = finder.width(consumer, factor);
                    if width > limits.max_width {
                        chains.too_wide[consumer] = Some(width);
                        continue;
                    }
                    // With reductions between them the rows would be read again for each.
                    let costs = Costs { ctx: finder.ctx, graph, limits };
                    if rounds == 0 && !costs.is_faster_chained(producer, consumer, width) {
                        chains.too_few[consumer] = true;
                        continue;
                    }
                    pairs.push((finder.size(producer).saturating_mul(1 + rounds), producer, consumer));
                }
            }
        }
        pairs.sort_by_key(|&(saved, producer, _)| (std::cmp::Reverse(saved), producer));
        for (_, producer, consumer) in pairs {
            let is_free = |node: Node| chains.consumer[node].is_none() && chains.producer[node].is_none();
            if is_free(producer) && is_free(consumer) {
                chains.consumer[producer] = Some(consumer);
                chains.producer[consumer] = Some(producer);
            }
        }
    }

    /// Whether a contraction takes the result of another on chip.
    pub fn takes_any(&self, by: Node) -> bool {
        self.producer[by].is_some()
    }

    /// Whether a contraction takes the result of another on chip, from which a factor is computed.
    pub fn takes_from(&self, graph: &Graph, by: Node, factor: Node) -> bool {
        self.producer[by].is_some_and(|producer| depends_on(graph, factor, producer))
    }

    /// Whether a value is computed from a result that another contraction takes on chip, and not from that contraction:
    /// stored, it would need the result in a second kernel.
    pub fn is_on_chip(&self, graph: &Graph, node: Node) -> bool {
        let mut pairs =
            self.consumer.iter().enumerate().filter_map(|(producer, consumer)| Some((producer, (*consumer)?)));
        pairs.any(|(producer, consumer)| {
            node >= producer && depends_on(graph, node, producer) && !depends_on(graph, node, consumer)
        })
    }

    /// A contraction is stored, so nobody takes it on chip.
    pub fn store(&mut self, node: Node) {
        if let Some(consumer) = self.consumer[node].take() {
            self.producer[consumer] = None;
        }
    }
}

/// What contractions a value is computed from, without memory between.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    None,
    /// The only one, and how many reductions one after another there are on the way: each reads its rows once more.
    One {
        producer: Node,
        rounds: i64,
    },
    Several,
}

impl Source {
    fn and(self, other: Source) -> Source {
        match (self, other) {
            (Source::None, source) | (source, Source::None) => source,
            (Source::One { producer, rounds }, Source::One { producer: second, rounds: more })
                if producer == second =>
            {
                Source::One { producer, rounds: rounds.max(more) }
            }
            _ => Source::Several,
        }
    }
}

struct Finder<'g> {
    ctx: &'g Context,
    graph: &'g Graph,
    limits: &'g Limits,
    contractions: &'g [bool],
}

impl Finder<'_> {
    /// What contractions each value is computed from.
    fn sources(&self) -> Vec<Source> {
        let mut sources = Vec::with_capacity(self.graph.values.len());
        for (node, value) in self.graph.values.iter().enumerate() {
            let operands =
                || value.operands.iter().map(|operand| sources[operand.node]).fold(Source::None, Source::and);
            let source = match value.kind {
                _ if self.contractions[node] => Source::One { producer: node, rounds: 0 },
                Kind::Map { .. } => operands(),
                Kind::Reduce { .. } => match operands() {
                    Source::One { producer, rounds } => Source::One { producer, rounds: rounds + 1 },
                    source => source,
                },
                _ => Source::None,
            };
            sources.push(if source != Source::None && self.is_stored_anyway(node) { Source::None } else { source });
        }
        sources
    }

    /// Whether a value that takes work to compute is stored, whatever contractions take on chip.
    fn is_stored_anyway(&self, node: Node) -> bool {
        let value = &self.graph.values[node];
        let is_reshaped = value.users.iter().any(|&user| matches!(self.graph.values[user].kind, Kind::Reshape));
        value.returned || value.stored || is_reshaped || again(self.graph, node, self.limits, false).is_some()
    }

    fn size(&self, node: Node) -> i64 {
        let value = &self.graph.values[node];
        let each = i64::from(value.elem.bits(self.ctx).unwrap_or(8).div_ceil(8));
        self.limits.sizes.elements(&value.axes).saturating_mul(each)
    }

    /// Whether a factor has an element for each result of the product before: of rows that are reduced, as by a pool, no tile
    /// goes on.
    fn keeps_elements(&self, producer: Node, factor: Node) -> bool {
        let elements = |node: Node| self.limits.sizes.elements(&self.graph.values[node].axes);
        elements(factor) >= elements(producer)
    }

    /// How many results a kernel holds if it computes each row of a factor once: those along the axes of the consumer that
    /// the factor has not.
    fn width(&self, consumer: Node, factor: &Operand) -> i64 {
        let axes = &self.graph.values[consumer].axes;
        let free = axes.iter().enumerate().filter(|(axis, _)| !names_axis(factor.access.exprs(), *axis));
        let free: Vec<SizeExpr> = free.map(|(_, size)| size.clone()).collect();
        self.limits.sizes.elements(&free)
    }

    /// Whether a factor is the left matrix of a contraction: its own axes are rows, and the contiguous axis of the results
    /// is a column. Tiles of rows are what goes from one product to the next.
    fn has_rows(&self, consumer: Node, factor: &Operand) -> bool {
        let last = self.graph.values[consumer].axes.len().checked_sub(1);
        last.is_some_and(|last| !names_axis(factor.access.exprs(), last))
    }

    /// Whether the axes that one factor of the producer alone has are all rows of the consumer, or are all summed there. A batch
    /// axis that one factor has not, as queries that all pictures share, would be a column and no column. An axis of one
    /// element, as the one head that all queries read, is on no side.
    fn has_one_side(&self, producer: Node, consumer: Node, factor: &Operand) -> bool {
        let count = self.graph.values[producer].axes.len();
        let operands = self.graph.product(producer).map(|product| &self.graph.values[product].operands);
        let Some([left, right]) = operands.map(Vec::as_slice).filter(|_| factor.access.at.len() == count) else {
            return true;
        };
        let results = self.graph.values[consumer].axes.len();
        let is_summed = |axis: &usize| {
            let number = factor.access.at[*axis].as_symbol().and_then(|name| name.strip_prefix('i')?.parse().ok());
            number.is_some_and(|number: usize| number >= results)
        };
        let axes = &self.graph.values[producer].axes;
        let alone = |one: &Operand, other: &Operand| {
            let own = (0..count)
                .filter(|&axis| axes[axis].as_constant() != Some(1))
                .filter(|&axis| names_axis(one.access.exprs(), axis) && !names_axis(other.access.exprs(), axis));
            let (summed, rows): (Vec<usize>, Vec<usize>) = own.partition(is_summed);
            summed.is_empty() || rows.is_empty()
        };
        alone(left, right) && alone(right, left)
    }

    /// Whether a contraction reads a factor in windows that overlap: no tile has these and the rows of another product.
    fn reads_windows(&self, contraction: Node) -> bool {
        let Some(product) = self.graph.product(contraction) else { return false };
        let sizes = &self.graph.values[product].axes;
        let overlaps = |at: &SizeExpr| {
            let position = |one: Option<usize>| {
                let value = |name: &str| match name.strip_prefix('i').and_then(|number| number.parse::<usize>().ok()) {
                    Some(axis) if axis < sizes.len() => i64::from(one == Some(axis)),
                    _ => self.limits.sizes.symbol(name),
                };
                at.eval(&|name| Some(value(name))).unwrap_or(0)
            };
            let first = position(None);
            let steps = (0..sizes.len()).filter(|&axis| names_axis(std::iter::once(at), axis));
            let steps = steps
                .map(|axis| (position(Some(axis)).saturating_sub(first).abs(), self.limits.sizes.size(&sizes[axis])));
            let mut steps: Vec<(i64, i64)> = steps.filter(|&(step, size)| step > 0 && size > 1).collect();
            steps.sort_by_key(|&step| step);
            steps.windows(2).any(|pair| pair[0].0.saturating_mul(pair[0].1) > pair[1].0)
        };
        self.graph.values[product].operands.iter().any(|operand| operand.access.at.iter().any(overlaps))
    }

    /// Whether a product wants each element of a factor at one point of its axes, and not in windows.
    fn is_read_once(&self, product: Node, factor: &Operand) -> bool {
        wanted(self.graph, product, factor, self.limits) <= 1.0
    }

    /// Whether everything that is computed from the producer is for the consumer, or comes after it. In between rows stay as
    /// long as they are: of longer ones, to which something is appended, each element would be multiplied where it is read.
    fn only_for(&self, producer: Node, consumer: Node) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![producer]);
        while let Some(node) = work.pop() {
            if node >= consumer && depends_on(self.graph, node, consumer) {
                continue;
            }
            let value = &self.graph.values[node];
            // The products for the consumer have an axis more.
            let axes = &self.graph.values[producer].axes;
            let rank = |axes: &[SizeExpr]| axes.iter().filter(|size| size.as_constant() != Some(1)).count();
            let elements = |axes: &[SizeExpr]| self.limits.sizes.elements(axes);
            if rank(&value.axes) <= rank(axes) && elements(&value.axes) > elements(axes) {
                return false;
            }
            // Another contraction in between would be a third.
            if value.returned || value.users.is_empty() || (node != producer && self.contractions[node]) {
                return false;
            }
            work.extend(value.users.iter().copied().filter(|&user| seen.insert(user)));
        }
        self.is_read_at_one_place(producer)
    }

    /// Whether those who read a value axis by axis, or all in one way, find the same element.
    fn is_read_at_one_place(&self, node: Node) -> bool {
        let mut ways: Vec<&[SizeExpr]> = Vec::new();
        for &user in &self.graph.values[node].users {
            let reads = self.graph.values[user].operands.iter().filter(|operand| operand.node == node);
            ways.extend(reads.map(|operand| &operand.access.at[..]));
        }
        let by_axes = ways.iter().all(|at| at.iter().all(|at| at.as_symbol().is_some()));
        by_axes || ways.windows(2).all(|pair| pair[0] == pair[1])
    }
}

/// Whether a value is computed from another.
pub fn depends_on(graph: &Graph, node: Node, on: Node) -> bool {
    let (mut seen, mut work) = (FxHashSet::default(), vec![node]);
    while let Some(at) = work.pop() {
        if at == on {
            return true;
        }
        // Operands come before what reads them.
        let operands = graph.values[at].operands.iter().map(|operand| operand.node);
        work.extend(operands.filter(|&operand| operand >= on && seen.insert(operand)));
    }
    false
}
