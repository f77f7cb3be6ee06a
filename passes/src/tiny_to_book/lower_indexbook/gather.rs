//! Elements at positions that are elements.

use dlc_book::syntax::element;
use dlc_core::access::Access;
use dlc_core::bounds::Axes;
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::pass::PassFailed;
use dlc_ir::{Attr, Loc, OpId, Str, Type, ValueId};
use dlc_tiny::ops::Index;

use super::entries::Lower;
use super::read::is_affine;
use super::rules::Lowered;
use crate::analysis::access::{Access as Chain, Step};
use dlc_book::ops::Function;

/// A gather: the first axes of the table by elements of the indices, the others by axes of the result.
pub fn index(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let index = Index::from(lower.op(op));
    let (loc, out, table) = (index.loc(), index.out(), index.input());
    let indices: Vec<ValueId> = index.indices().collect();
    let (sizes, own) = (lower.sizes(out), lower.sizes(table));
    let indexed = indices.len();
    // The axes of the result: those of the indices, then those of the table that are not indexed.
    let rank = sizes.len() - (own.len() - indexed);
    let mut space = lower.space(loc, &sizes)?;
    let mut reads = Vec::with_capacity(indexed);
    for index in indices {
        let dims = lower.sizes(index);
        let chain = Chain::of(index, rank).to_operand(index, &dims, &sizes[..rank]);
        reads.push(lower.read(loc, &mut space, chain)?);
    }
    let (table, at) = match lower.ref_compat {
        true => None,
        false => through_views(lower, loc, table, &sizes, &own[..indexed])?,
    }
    .map_or_else(|| direct(lower, table, rank, indexed, own.len()), Ok)?;
    Ok(lower.gather(loc, table, reads, &sizes, at))
}

/// The table itself.
fn direct(
    lower: &mut Lower<'_>,
    table: ValueId,
    rank: usize,
    indexed: usize,
    axes: usize,
) -> Result<(ValueId, Vec<SizeExpr>), PassFailed> {
    let at = (0..axes).filter_map(|axis| match axis < indexed {
        true => Some(element(axis)),
        false => lower.axis((rank + axis - indexed) as u32),
    });
    let at = at.collect();
    Ok((lower.value(table)?, at))
}

/// What the table is a view of, as long as the views keep the axes that are indexed as they are, and the position on
/// each of its axes.
fn through_views(
    lower: &mut Lower<'_>,
    loc: Loc,
    table: ValueId,
    sizes: &[SizeExpr],
    indexed: &[SizeExpr],
) -> Result<Option<(ValueId, Vec<SizeExpr>)>, PassFailed> {
    // Positions on the axes that are indexed are further dimensions.
    let (first, rank) = (sizes.len() as u32, sizes.len() - (lower.sizes(table).len() - indexed.len()));
    let all = [sizes, indexed].concat();
    let mut space = lower.space(loc, &all)?;
    let of_result = (rank as u32..first).map(AffineExpr::Dim);
    let index = (0..indexed.len() as u32).map(|axis| AffineExpr::Dim(first + axis)).chain(of_result).collect();
    let mut chain = Chain { source: table, index, guard: Vec::new(), fill: None };
    while lower.plain(chain.source).is_none() {
        match chain.step(lower.ctx, lower.body, &mut space, &lower.shapes) {
            Step::To(next) if is_affine(&next) && keeps(lower, &next, first, indexed) => chain = next,
            _ => break,
        }
    }
    let value = lower.value(chain.source)?;
    let mut at = Vec::with_capacity(chain.index.len());
    for expr in &chain.index {
        at.push(match expr {
            AffineExpr::Dim(dim) if *dim >= first => element((dim - first) as usize),
            expr => match lower.expr(&space, expr) {
                Some(expr) => expr,
                None => return Ok(None),
            },
        });
    }
    // There is no guard: what may lie outside is not read so.
    let names = dlc_book::verify::axis_names(sizes.len());
    let mut axes = Axes::new(names.iter().map(String::as_str).collect(), sizes);
    let dims = lower.sizes(value);
    let by_axes = at.iter().cloned().zip(dims).filter(|(at, _)| dlc_book::syntax::element_of(at).is_none());
    let (positions, dims): (Vec<SizeExpr>, Vec<SizeExpr>) = by_axes.unzip();
    let inside = axes.outside(&Access::everywhere(positions), &dims).is_none();
    Ok(inside.then_some((value, at)))
}

/// Whether each axis that is indexed is still one, of the same size, and nothing else depends on it; and nothing was put
/// around.
fn keeps(lower: &Lower<'_>, chain: &Chain, first: u32, indexed: &[SizeExpr]) -> bool {
    let sizes = lower.sizes(chain.source);
    let whole = |axis: usize| {
        let of_axis = AffineExpr::Dim(first + axis as u32);
        let mut places = (0..chain.index.len()).filter(|&place| chain.index[place] == of_axis);
        matches!((places.next(), places.next()), (Some(place), None) if sizes[place] == indexed[axis])
    };
    let by_axes = |expr: &AffineExpr| match expr {
        AffineExpr::Dim(_) => true,
        expr => !mentions(expr, first),
    };
    chain.guard.is_empty() && (0..indexed.len()).all(whole) && chain.index.iter().all(by_axes)
}

/// Whether a dimension from `first` on occurs.
fn mentions(expr: &AffineExpr, first: u32) -> bool {
    match expr {
        AffineExpr::Dim(dim) => *dim >= first,
        AffineExpr::Binary(node) => mentions(node.lhs(), first) || mentions(node.rhs(), first),
        _ => false,
    }
}

impl Lower<'_> {
    /// The elements of a value in row-major order under strides that are symbols: their positions are computed.
    pub fn strided(
        &mut self,
        loc: Loc,
        input: ValueId,
        strides: &[SizeExpr],
        start: Option<&SizeExpr>,
        sizes: &[SizeExpr],
    ) -> Result<ValueId, PassFailed> {
        let own = self.sizes(input);
        let count = own.iter().try_fold(SizeExpr::from(1), |count, size| count.mul(size).ok());
        let count = count.ok_or_else(|| self.too_large(loc))?;
        let elem = self.elem(input);
        let flat = match own.len() {
            1 => input,
            _ => self.reshape(loc, input, dlc_core::types::Tensor::get(self.ctx, vec![count], elem)),
        };
        self.space(loc, sizes)?;
        let start = start.cloned().unwrap_or_else(|| SizeExpr::from(0));
        let mut position = self.iota(loc, start, &[], Type::I64);
        for (axis, stride) in strides.iter().enumerate() {
            let Some(at) = self.axis(axis as u32) else { continue };
            let at = self.iota(loc, at, sizes, Type::I64);
            let stride = self.iota(loc, stride.clone(), &[], Type::I64);
            let step = self.map(loc, Function::Mul, &[at, stride], sizes)?;
            position = self.map(loc, Function::Add, &[step, position], sizes)?;
        }
        let mut space = self.space(loc, sizes)?;
        let rank = self.sizes(position).len();
        let read = self.read(loc, &mut space, Chain::of(position, rank))?;
        Ok(self.gather(loc, flat, vec![read], sizes, vec![element(0)]))
    }

    /// The elements of what was made, each at its own place.
    pub fn map_identity(
        &mut self,
        loc: Loc,
        value: ValueId,
        sizes: &[SizeExpr],
    ) -> Result<super::read::Read, PassFailed> {
        let mut space = self.space(loc, sizes)?;
        self.read(loc, &mut space, Chain::of(value, sizes.len()))
    }

    /// The truth value that is true, of rank 0.
    pub fn yes(&mut self, loc: Loc) -> ValueId {
        let yes: Attr = self.ctx.int_attr(1, Type::I1);
        self.number(loc, yes, Str::EMPTY)
    }
}
