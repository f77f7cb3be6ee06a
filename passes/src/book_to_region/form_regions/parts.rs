//! Memory that a kernel reads with an axis in two parts: a head and a number of it, a group and a channel of it. The TMA
//! and the threads of a block then go along axes of the kernel, and nothing is left to add up.

use dlc_core::guard::Guard;
use dlc_core::memref::{Layout, MemRef};
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use rustc_hash::{FxHashMap, FxHashSet};

use super::emit::Program;
use super::graph::{Kind, Node};
use super::places::RegionValues;
use crate::analysis::sizes::SECTOR;

/// The largest step of windows by which the TMA goes from pixel to pixel.
const MOST_STEP: i64 = 8;
/// The bytes of the units in which the TMA moves channels.
const UNIT: i64 = 16;

/// The memory that a kernel reads with axes in two parts: the size of the second part of each axis that has two.
#[derive(Default)]
pub struct Parts {
    of: FxHashMap<Node, Vec<Option<i64>>>,
}

impl Parts {
    /// The parts of the memory that the kernel of a value reads: an axis has two if each read of it names the first part
    /// and the second by sums of axes of their own.
    pub fn of(program: &Program<'_>, places: &RegionValues<'_>, reads: &[Node], root: Node) -> Parts {
        let mut at: FxHashMap<Node, Vec<(&[SizeExpr], Option<&Guard>)>> = FxHashMap::default();
        let mut multiplied: FxHashSet<Node> = FxHashSet::default();
        for node in places.nodes().into_iter().filter(|&node| node == root || !program.memory[node]) {
            let value = &program.graph.values[node];
            if let Some(product) = program.graph.product(node).filter(|_| program.graph.is_contraction(node)) {
                multiplied.extend(program.graph.values[product].operands.iter().map(|operand| operand.node));
            }
            for place in places.of(node) {
                for (operand, read) in value.operands.iter().zip(&place.reads) {
                    at.entry(operand.node).or_default().push((&read.access.at, read.guard.as_ref()));
                }
            }
            if matches!(value.kind, Kind::Gather) {
                // The positions of a table are elements.
                if let Some(table) = value.operands.first() {
                    at.entry(table.node).or_default().push((&[], None));
                }
            }
        }
        let size = |name: &str| places.size(places.axis(name)?).as_constant();
        let mut parts = Parts::default();
        for &node in reads {
            let (Some(at), Some(ty)) = (at.get(&node), program.types[node]) else { continue };
            let Some(ty) = MemRef::of(program.ctx, ty).filter(|ty| ty.layout(program.ctx) == Layout::RowMajor) else {
                continue;
            };
            let dims = ty.dims(program.ctx);
            if at.iter().any(|(at, _)| at.len() != dims.len()) {
                continue;
            }
            let bytes = ty.elem(program.ctx).bits(program.ctx).map_or(1, |bits| i64::from(bits.div_ceil(8)));
            let inner = |axis: usize| {
                // Rows shorter than what memory gives at once are read in larger runs as they are.
                let is_long = |part: i64| axis + 1 < dims.len() || part.saturating_mul(bytes) >= SECTOR;
                let fits =
                    |part: i64| at.iter().all(|(at, guard)| split(&at[axis], part, &within(*guard, &size)).is_some());
                let parts = coefficients(at.first()?.0.get(axis)?);
                parts.into_iter().rev().find(|&part| dims[axis].divisible_by(part) && is_long(part) && fits(part))
            };
            let inner: Vec<Option<i64>> = (0..dims.len()).map(inner).collect();
            if multiplied.contains(&node) && are_pixels(&inner, dims.last().and_then(SizeExpr::as_constant), bytes) {
                continue;
            }
            // Only of elements that can be counted there is a view with other sizes.
            if inner.iter().any(Option::is_some) && dlc_host::buffers::elements(&dims).is_ok() {
                parts.of.insert(node, inner);
            }
        }
        parts
    }

    /// The type by which the kernel reads some memory.
    pub fn ty(&self, program: &Program<'_>, node: Node) -> Type {
        let ty = program.types[node].expect("what is read has its type");
        let Some(parts) = self.of.get(&node) else { return ty };
        let ctx = program.ctx;
        let memory = MemRef::expect(ctx, ty);
        let mut dims = Vec::new();
        for (size, part) in memory.dims(ctx).into_iter().zip(parts) {
            match part {
                Some(part) => {
                    dims.push(size.try_div(&(*part).into()).expect("the size is a multiple of the part"));
                    dims.push((*part).into());
                }
                None => dims.push(size),
            }
        }
        MemRef::get(ctx, dims, memory.elem(ctx), Layout::RowMajor, memory.align(ctx), memory.noalias(ctx))
    }

    /// Positions in some memory, within a guard, as positions in what the kernel reads it as; `size` gives the sizes of axes
    /// that are numbers.
    pub fn at(
        &self,
        node: Node,
        at: Vec<SizeExpr>,
        guard: Option<&Guard>,
        size: &dyn Fn(&str) -> Option<i64>,
    ) -> Vec<SizeExpr> {
        let Some(parts) = self.of.get(&node) else { return at };
        let mut found = Vec::with_capacity(at.len() + 1);
        for (expr, part) in at.into_iter().zip(parts) {
            match part {
                Some(part) => {
                    found.extend(split(&expr, *part, &within(guard, size)).expect("each read names both parts"));
                }
                None => found.push(expr),
            }
        }
        found
    }
}

/// Whether the axes in two parts are those of images whose windows touch: the TMA takes their pixels one after another from
/// whole images (im2col), where rows of channels have 16 bytes, and in parts they lie apart.
fn are_pixels(inner: &[Option<i64>], channels: Option<i64>, bytes: i64) -> bool {
    let Some((None, before)) = inner.split_last() else { return false };
    let steps: Vec<i64> = before.iter().flatten().copied().collect();
    steps.len() > 1
        && steps.into_iter().all(|step| step <= MOST_STEP)
        && channels.is_some_and(|channels| channels.saturating_mul(bytes) % UNIT == 0)
}

/// The coefficients of a sum by which it might be split, rising.
fn coefficients(expr: &SizeExpr) -> Vec<i64> {
    let (terms, _) = expr.as_linear().unwrap_or_default();
    let mut all: Vec<i64> = terms.into_iter().map(|(_, coefficient)| coefficient).filter(|&it| it > 1).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The first and the last position of an axis within a guard, if its size is a number. `size` gives those.
fn within<'a>(
    guard: Option<&'a Guard>,
    size: &'a dyn Fn(&str) -> Option<i64>,
) -> impl Fn(&str) -> Option<(i64, i64)> + 'a {
    move |name| {
        let (mut first, mut last) = (0, size(name)?.checked_sub(1)?.max(0));
        // Of several pieces each holds somewhere.
        let [piece] = guard.map_or(&[][..], |guard| &guard.pieces[..]) else { return Some((first, last)) };
        for condition in piece {
            let Some((terms, constant)) = condition.expr.as_linear() else { continue };
            if !matches!(&terms[..], [(axis, 1)] if **axis == *name) {
                continue;
            }
            let bound = |bound: &Option<SizeExpr>| bound.as_ref()?.as_constant()?.checked_sub(constant);
            first = bound(&condition.lower).map_or(first, |lower| first.max(lower));
            last = bound(&condition.upper).and_then(|upper| upper.checked_sub(1)).map_or(last, |upper| last.min(upper));
        }
        Some((first, last.max(first)))
    }
}

/// A sum of axes as `part * first + second` with `0 <= second < part`, if its terms are multiples of the part and a rest
/// that stays within one part where it is looked at.
fn split(expr: &SizeExpr, part: i64, within: &dyn Fn(&str) -> Option<(i64, i64)>) -> Option<[SizeExpr; 2]> {
    let (terms, constant) = expr.as_linear()?;
    let (mut first, mut second) = (SizeExpr::from(0), SizeExpr::from(constant));
    let (mut least, mut most) = (constant, constant);
    for (name, coefficient) in terms {
        let symbol = SizeExpr::symbol(&name).ok()?;
        if coefficient % part == 0 {
            first = first.add(&symbol.mul(&(coefficient / part).into()).ok()?).ok()?;
            continue;
        }
        if coefficient < 0 {
            return None;
        }
        let (low, high) = within(&name)?;
        least = low.checked_mul(coefficient)?.checked_add(least)?;
        most = high.checked_mul(coefficient)?.checked_add(most)?;
        second = second.add(&symbol.mul(&coefficient.into()).ok()?).ok()?;
    }
    let whole = least.div_euclid(part);
    if most.div_euclid(part) != whole {
        return None;
    }
    Some([first.add(&whole.into()).ok()?, second.sub(&whole.checked_mul(part)?.into()).ok()?])
}
