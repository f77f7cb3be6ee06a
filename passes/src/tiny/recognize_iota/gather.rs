//! A sum in which one term is chosen by an index that is data, as the element at that index.

use std::rc::Rc;

use dlc_core::broadcast::broadcast;
use dlc_core::types::Tensor;
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::{Builder, Loc, OpId, OpRef, Type, ValueId};
use dlc_tiny::ops::{Combiner, Index, Load, Mul, Permute, Reduce, Reshape, Shrink, Sub};
use dlc_tiny::shape::{index_of, non_affine};

use super::build::Build;
use super::count::linear_in;
use super::form::{Access, Branch};
use super::infer::{Forms, Refusal};
use super::space::Space;

/// `out[lead, follow] = table[.., index[lead], .., follow]`, where `lead` and `follow` are axes of the result.
pub(super) struct Gather {
    table: ValueId,
    /// The sizes of the table, where some of its axes are one.
    flat: Option<Vec<SizeExpr>>,
    /// The bounds within which the table is read, where that is not all of it.
    part: Option<Vec<(SizeExpr, SizeExpr)>>,
    /// The axes of the table that an index is given for, each with its index over the leading axes; then the others.
    order: Vec<usize>,
    indices: Vec<Chosen>,
    /// The axes of the result that the indices have; then those that follow.
    lead: Vec<usize>,
    follow: Vec<usize>,
    /// The leading axes alone.
    lead_space: Rc<Space>,
    result: Rc<Space>,
}

/// An index of one axis of the table.
enum Chosen {
    /// Data, plus or minus a number: `sign * (data - offset)`.
    Data { element: Access, sign: i64, offset: AffineExpr },
    /// A position.
    Position(AffineExpr),
}

/// What a sum gathers: `Ok(None)` where it chooses nothing by data.
pub(super) fn gather(forms: &Forms<'_>, op: Reduce<'_>) -> Result<Option<Gather>, Refusal> {
    let mask = |value: ValueId| forms.known(value).is_some_and(|form| form.guard.matched.is_some());
    let is_masked = |value: ValueId| {
        let mul = op.body.defining_op(value).and_then(|mul| Mul::of(OpRef { id: mul, ..*op }));
        mul.is_some_and(|mul| mask(mul.lhs()) || mask(mul.rhs()))
    };
    let below = forms.below_views(op.body, op.input());
    if forms.known(below).is_none() && !is_masked(below) {
        return Ok(None);
    }
    let form = forms.get(*op, op.input());
    if let Some(Branch::Element(access)) = form.as_always() {
        return match is_masked(access.source) {
            true => Err("a mask is multiplied with floats, and zero times an infinity is no zero"),
            false => Ok(None),
        };
    }
    let (Some(matched), Branch::Element(table)) = (&form.guard.matched, &form.inside) else { return Ok(None) };
    let axes = op.axes();
    let &[axis] = &axes[..] else { return Err("it sums over more than one axis") };
    if op.combiner() != Combiner::Sum || form.outside.as_constant() != Some(0) {
        return Err("only a sum with zeros gives the one element that is chosen");
    }
    let too_large = "a size is not affine";
    let (axis, k) = (axis as usize, axis as u32);
    let input = forms.space(*op, op.input()).ok_or(too_large)?;
    let result = forms.space(*op, op.out()).ok_or(too_large)?;
    if result.elem == Type::I1 {
        return Err("only a sum with zeros gives the one element that is chosen");
    }
    let (sign, offset) = linear_in(&matched.equals, k, &input.ranges).ok_or("the position is not affine")?;
    if sign.abs() != 1 || matched.element.at.iter().any(|at| at.is_function_of_dim(k)) {
        return Err("the axis is not the one whose position is compared");
    }
    // From here on in the axes of the result.
    let without: Vec<AffineExpr> = (0..input.dims.len())
        .map(|old| match old.cmp(&axis) {
            std::cmp::Ordering::Less => AffineExpr::Dim(old as u32),
            // It is handled apart, and occurs nowhere else.
            std::cmp::Ordering::Equal => AffineExpr::Constant(0),
            std::cmp::Ordering::Greater => AffineExpr::Dim(old as u32 - 1),
        })
        .collect();
    let kept = |expr: &AffineExpr| {
        let symbols: Vec<AffineExpr> = (0..result.ranges.symbols.len() as u32).map(AffineExpr::Symbol).collect();
        expr.substitute(&without, &symbols).ok().map(|expr| expr.simplify_under(&result.ranges)).ok_or(too_large)
    };
    let table_space = forms.space(*op, table.source).ok_or(too_large)?;
    let element =
        Access { source: matched.element.source, at: matched.element.at.iter().map(&kept).collect::<Result<_, _>>()? };
    let mut data = Some((element, kept(&offset)?));
    let flat = flattened(&table_space, &table.at, k, &input);
    let (sizes, reads) = flat.clone().unwrap_or_else(|| (table_space.sizes.clone(), table.at.clone()));
    let mut part: Vec<(SizeExpr, SizeExpr)> = sizes.iter().map(|size| (0.into(), size.clone())).collect();
    let mut at = Vec::with_capacity(reads.len());
    for (own, expr) in reads.iter().enumerate() {
        if !expr.is_function_of_dim(k) {
            at.push(Chosen::Position(kept(expr)?));
            continue;
        }
        let (element, offset) = data.take().ok_or("two axes of the operand go with the one that is summed over")?;
        let read = linear_in(expr, k, &input.ranges)
            .filter(|(step, start)| step.abs() == 1 && start.is_symbolic_or_constant());
        let (step, start) = read.ok_or("the operand is read at another index than the position")?;
        let last = input.dims[axis].sub(&1.into()).map_err(|_| too_large)?;
        // Read backwards, the place in the part is last - sign * (data - offset).
        let (start, sign, offset) = match step {
            1 => (Ok(start), sign, Ok(offset)),
            _ => (start.sub(&last), -sign, last.mul(&sign.into()).and_then(|last| offset.add(&last))),
        };
        let start = start.map_err(|_| too_large)?.simplify_under(&input.ranges);
        let offset = offset.map_err(|_| too_large)?.simplify_under(&result.ranges);
        let start = input.axes.to_size(&start, &|_| None).ok_or(too_large)?;
        let stop = start.add(&input.sizes[axis]).map_err(|_| too_large)?;
        part[own] = (start, stop);
        at.push(Chosen::Data { element, sign, offset });
    }
    if data.is_some() {
        return Err("the operand does not change along the axis");
    }
    let whole =
        |((start, stop), size): (&(SizeExpr, SizeExpr), &SizeExpr)| start.as_constant() == Some(0) && stop == size;
    let part = (!part.iter().zip(&sizes).all(whole)).then_some(part);
    let gather = Gather::new(forms, op, table.source, &sizes, at, result).ok_or(too_large)?;
    Ok(Some(Gather { flat: flat.map(|(sizes, _)| sizes), part, ..gather }))
}

/// The sizes of a table whose axes are one where they are read as the parts of one position: at `k floordiv 10` and
/// `k mod 10` of 10 columns. And where it is read then. `None` of other tables.
fn flattened(table: &Space, at: &[AffineExpr], k: u32, input: &Space) -> Option<(Vec<SizeExpr>, Vec<AffineExpr>)> {
    let first = at.iter().position(|at| at.is_function_of_dim(k))?;
    let end = at.iter().rposition(|at| at.is_function_of_dim(k))? + 1;
    if end - first < 2 {
        return None;
    }
    let (mut size, mut position) = (SizeExpr::from(1), AffineExpr::Constant(0));
    for ((at, own), dim) in at.iter().zip(&table.sizes).zip(&table.dims).take(end).skip(first) {
        size = size.mul(own).ok()?;
        position = position.mul(dim).ok()?.add(at).ok()?;
    }
    let whole = size == input.sizes[k as usize] && position.simplify_under(&input.ranges) == AffineExpr::Dim(k);
    whole.then(|| {
        let (mut sizes, mut reads) = (table.sizes.clone(), at.to_vec());
        sizes.splice(first..end, [size]);
        reads.splice(first..end, [AffineExpr::Dim(k)]);
        (sizes, reads)
    })
}

impl Chosen {
    fn depends_on(&self, axis: usize) -> bool {
        let dim = axis as u32;
        match self {
            Chosen::Data { element, offset, .. } => {
                offset.is_function_of_dim(dim) || element.at.iter().any(|at| at.is_function_of_dim(dim))
            }
            Chosen::Position(expr) => expr.is_function_of_dim(dim),
        }
    }

    fn map(self, f: &dyn Fn(&AffineExpr) -> Option<AffineExpr>) -> Option<Chosen> {
        Some(match self {
            Chosen::Data { element, sign, offset } => {
                let at = element.at.iter().map(f).collect::<Option<_>>()?;
                Chosen::Data { element: Access { source: element.source, at }, sign, offset: f(&offset)? }
            }
            Chosen::Position(expr) => Chosen::Position(f(&expr)?),
        })
    }
}

impl Gather {
    fn new(
        forms: &Forms<'_>,
        op: Reduce<'_>,
        table: ValueId,
        sizes: &[SizeExpr],
        at: Vec<Chosen>,
        result: Rc<Space>,
    ) -> Option<Gather> {
        // An axis of the result follows where it is one axis of the table, whole, and nothing else.
        let follows = |axis: usize| {
            let mut users = at.iter().enumerate().filter(|(_, chosen)| chosen.depends_on(axis));
            let (own, chosen) = users.next()?;
            let whole = matches!(chosen, Chosen::Position(AffineExpr::Dim(dim)) if *dim as usize == axis);
            (users.next().is_none() && whole && sizes[own] == result.sizes[axis]).then_some(own)
        };
        let (mut lead, mut follow, mut following) = (Vec::new(), Vec::new(), Vec::new());
        for axis in 0..result.sizes.len() {
            match follows(axis) {
                Some(own) => {
                    follow.push(axis);
                    following.push(own);
                }
                None => lead.push(axis),
            }
        }
        let lead_sizes = lead.iter().map(|&axis| result.sizes[axis].clone()).collect();
        let lead_space = forms.symbols.space(op.ctx, Tensor::get(op.ctx, lead_sizes, result.elem))?;
        let symbols: Vec<AffineExpr> = (0..lead_space.ranges.symbols.len() as u32).map(AffineExpr::Symbol).collect();
        let mut renumbered = vec![AffineExpr::Constant(0); result.sizes.len()];
        lead.iter().enumerate().for_each(|(new, &axis)| renumbered[axis] = AffineExpr::Dim(new as u32));
        let renumber = |expr: &AffineExpr| {
            expr.substitute(&renumbered, &symbols).ok().map(|expr| expr.simplify_under(&lead_space.ranges))
        };
        let (mut order, mut indices) = (Vec::new(), Vec::new());
        for (own, chosen) in at.into_iter().enumerate() {
            if !following.contains(&own) {
                order.push(own);
                indices.push(chosen.map(&renumber)?);
            }
        }
        order.extend(following);
        Some(Gather { table, flat: None, part: None, order, indices, lead, follow, lead_space, result })
    }

    /// The ops of it; `None`, with some of them made, where one cannot be written.
    pub(super) fn build(&self, builder: &mut Builder<'_>, loc: Loc, made: &mut Vec<OpId>) -> Option<ValueId> {
        let mut build = Build::new(builder, loc, &self.lead_space);
        let value = self.write(&mut build);
        made.append(&mut build.made);
        value
    }

    fn write(&self, build: &mut Build<'_, '_>) -> Option<ValueId> {
        let mut table = self.table;
        let numbers = |axes: &[usize]| axes.iter().map(|&axis| axis as i64).collect::<Vec<_>>();
        if let Some(sizes) = &self.flat {
            table = build.op(|builder, loc| Reshape::build(builder, loc, table, sizes.clone()));
        }
        if let Some(part) = &self.part {
            let (start, stop) = part.iter().cloned().unzip();
            table = build.op(|builder, loc| Shrink::build(builder, loc, table, start, stop, None));
        }
        if !self.order.is_sorted() {
            table = build.op(|builder, loc| Permute::build(builder, loc, table, numbers(&self.order)));
        }
        let mut indices = Vec::with_capacity(self.indices.len());
        for index in &self.indices {
            indices.push(match index {
                Chosen::Position(expr) => build.index(expr)?,
                Chosen::Data { element, sign, offset } => {
                    let data = self.over_lead(build, element)?;
                    match (sign, offset.as_constant()) {
                        (1, Some(0)) => data,
                        _ => {
                            let data = build.cast(data, Type::I64)?;
                            let offset = build.affine(offset, Type::I64)?;
                            let (a, b) = if *sign > 0 { (data, offset) } else { (offset, data) };
                            build.op(|builder, loc| Sub::build(builder, loc, a, b))
                        }
                    }
                }
            });
        }
        let shapes = indices.iter().map(|&index| build.sizes(index)).collect::<Option<Vec<_>>>()?;
        let together = shapes.iter().try_fold(Vec::new(), |all, shape| broadcast(&all, shape)).ok()?;
        if together != self.lead_space.sizes {
            indices[0] = build.fitted(indices[0])?;
        }
        let mut value = build.op(|builder, loc| Index::build(builder, loc, table, &indices));
        let placed = [&self.lead[..], &self.follow].concat();
        if !placed.is_sorted() {
            let mut order = vec![0; placed.len()];
            placed.iter().enumerate().for_each(|(from, &axis)| order[axis] = from as i64);
            value = build.op(|builder, loc| Permute::build(builder, loc, value, order));
        }
        build.cast(value, self.result.elem)
    }

    /// The elements of data over the leading axes, of sizes that broadcast to theirs.
    fn over_lead(&self, build: &mut Build<'_, '_>, element: &Access) -> Option<ValueId> {
        let (own, lead) = (build.sizes(element.source)?, &self.lead_space.sizes);
        // The axes of size 1 first, then each by the axis that it is.
        let mut order: Vec<(Option<usize>, usize)> = Vec::with_capacity(own.len());
        for (axis, (size, at)) in own.iter().zip(&element.at).enumerate() {
            match at {
                AffineExpr::Constant(0) if size.as_constant() == Some(1) => order.push((None, axis)),
                AffineExpr::Dim(dim) if lead[*dim as usize] == *size => order.push((Some(*dim as usize), axis)),
                _ => return self.loaded(build, element),
            }
        }
        order.sort_unstable();
        if order.windows(2).any(|pair| pair[0].0.is_some() && pair[0].0 == pair[1].0) {
            return self.loaded(build, element);
        }
        let mut value = element.source;
        if order.iter().enumerate().any(|(place, &(_, axis))| place != axis) {
            let order = order.iter().map(|&(_, axis)| axis as i64).collect();
            value = build.op(|builder, loc| Permute::build(builder, loc, value, order));
        }
        let first = order.iter().find_map(|(dim, _)| *dim).unwrap_or(lead.len());
        let has = |dim: usize| order.iter().any(|(own, _)| *own == Some(dim));
        let sizes: Vec<SizeExpr> =
            (first..lead.len()).map(|dim| if has(dim) { lead[dim].clone() } else { SizeExpr::from(1) }).collect();
        if build.sizes(value)? != sizes {
            value = build.op(|builder, loc| Reshape::build(builder, loc, value, sizes));
        }
        Some(value)
    }

    /// The same by indices, for any affine ones.
    fn loaded(&self, build: &mut Build<'_, '_>, element: &Access) -> Option<ValueId> {
        let space = &self.lead_space;
        let rank = space.sizes.len();
        // A symbol of such a name would be taken for an index.
        if space.axes.symbols().iter().any(|name| index_of(name).is_some_and(|axis| axis < rank)) {
            return None;
        }
        let position = |dim: u32| SizeExpr::symbol(&format!("i{dim}")).ok();
        let at: Vec<SizeExpr> = element.at.iter().map(|at| space.axes.to_size(at, &position)).collect::<Option<_>>()?;
        if at.iter().any(|at| non_affine(at, rank).is_some()) {
            return None;
        }
        let ty = build.with_elements_of(element.source)?;
        Some(build.op(|builder, loc| Load::build(builder, loc, element.source, Some(at), ty)))
    }
}
