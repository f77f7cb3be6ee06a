//! What is contracted: the values that are read, and the indices of their axes.

use std::borrow::Cow;

use dlc_core::broadcast::show;
use dlc_core::space::Space;
use dlc_ir::affine::{AffineExpr, BinaryOp, SizeExpr};
use dlc_ir::{Body, Context, OpRef, Type, ValueId};
use dlc_tiny::shape::loops;

use super::Position;
use crate::analysis::access::{Access, Shapes};

/// A contraction that was found, over what may first be cut and reshaped.
pub struct ProductForm {
    pub lhs: Side,
    pub rhs: Side,
    /// The names of the axes of the contraction's result.
    pub out: Vec<SizeExpr>,
    /// The axes of the result with those along which it is repeated, and which of them the contraction has.
    pub expand: Option<(Vec<SizeExpr>, Vec<i64>)>,
    /// The sizes of the result.
    pub shape: Vec<SizeExpr>,
    /// The type of the sum.
    pub acc: Type,
    /// Whether products are no longer rounded.
    pub widen: bool,
    /// The type that products are rounded to, where that may not be dropped.
    pub product: Option<Type>,
    /// Whether the products are needed elsewhere too.
    pub shared: bool,
}

/// An operand of the contraction.
pub struct Side {
    pub source: ValueId,
    /// The axes that are turned round first.
    pub flip: Vec<i64>,
    /// Where it is cut then: from, to.
    pub cut: Option<(Vec<SizeExpr>, Vec<SizeExpr>)>,
    /// How it is reshaped then.
    pub shape: Option<Vec<SizeExpr>>,
    /// The indices of its axes then.
    pub index: Vec<SizeExpr>,
}

impl ProductForm {
    /// What was done, for a remark at the sum.
    pub fn describe(&self, sum: OpRef<'_>) -> String {
        let (lhs, rhs, out) = (show(&self.lhs.index), show(&self.rhs.index), show(&self.out));
        let product = match (self.widen, self.product) {
            (true, _) => format!("; products are summed in {} without being rounded first", self.acc.display(sum.ctx)),
            (_, Some(product)) => format!("; products are rounded to {} first", product.display(sum.ctx)),
            _ => String::new(),
        };
        let shared = if self.shared { "; the products stay, as they are used elsewhere too" } else { "" };
        format!("this sum of products is the contraction {lhs}, {rhs} to {out}{product}{shared}")
    }
}

/// The positions of an operand that are tried, the best first.
const TRIED: usize = 3;

/// The contraction of two operands, each at the best of its positions, over the summed `axes` of the space.
pub fn form(
    ctx: &Context,
    body: &Body,
    shapes: &Shapes,
    space: &Space,
    axes: &[usize],
    lhs: &[Position],
    rhs: &[Position],
) -> Result<ProductForm, String> {
    let sizes = |access: &Access| shapes.of(ctx, body.value_type(access.source)).to_vec();
    let (lhs, rhs) = (ranked(space, lhs, &sizes), ranked(space, rhs, &sizes));
    let mut first_error = None;
    let pairs = (0..TRIED * 2).flat_map(|sum| (0..=sum).map(move |left| (left, sum - left)));
    for (left, right) in pairs.filter(|&(left, right)| left < TRIED && right < TRIED) {
        let (Some(lhs), Some(rhs)) = (lhs.get(left), rhs.get(right)) else { continue };
        let sources = [sizes(lhs), sizes(rhs)];
        match Pair::of(space, axes, [(*lhs).clone(), (*rhs).clone()]).and_then(|pair| pair.into_form(&sources)) {
            Ok(found) => return Ok(found),
            Err(why) => drop(first_error.get_or_insert(why)),
        }
    }
    Err(first_error.unwrap_or_else(|| "an index of an operand is no sum of indices".into()))
}

/// The positions that can be read by sums of indices: those with the least repetition first; of these, single indices
/// before others; of these, the deepest.
fn ranked<'a>(space: &Space, positions: &'a [Position], sizes: &dyn Fn(&Access) -> Vec<SizeExpr>) -> Vec<&'a Access> {
    let mut ranked = Vec::with_capacity(positions.len());
    for (depth, position) in positions.iter().enumerate() {
        let Some((own_space, access, splits)) = linear(space, &position.access) else { continue };
        let own = sizes(&position.access);
        let kind = |(at, size): (&AffineExpr, &SizeExpr)| kind(&own_space, at, size);
        let kind = access.index.iter().zip(&own).map(kind).max().unwrap_or(0).max(u8::from(splits > 0));
        ranked.push((std::cmp::Reverse(position.repeats), kind, std::cmp::Reverse(depth), &position.access));
    }
    ranked.sort_by_key(|(repeats, kind, depth, _)| (*repeats, *kind, *depth));
    ranked.into_iter().map(|(.., access)| access).collect()
}

/// How well an axis is read, the best first: by a single index (0); by none, or by digits of a number, for which a
/// reshape does (1); by a window (2); in part, or from its end, for which it must be cut or turned (3).
fn kind(space: &Space, at: &AffineExpr, size: &SizeExpr) -> u8 {
    let Some((terms, offset)) = sized_terms(space, at) else { return 3 };
    match digits(space, &terms) {
        _ if offset.as_constant() != Some(0) => 3,
        None => 2,
        Some((_, extent)) if extent != *size => 3,
        Some((order, _)) => u8::from(order.len() != 1),
    }
}

/// The dimensions of a sum that are the digits of a number in mixed radix, the innermost first, and how many numbers
/// there are: each factor is the product of the sizes after it.
fn digits(space: &Space, terms: &[(usize, SizeExpr)]) -> Option<(Vec<usize>, SizeExpr)> {
    let (mut order, mut extent) = (Vec::with_capacity(terms.len()), SizeExpr::from(1));
    while order.len() < terms.len() {
        let (dim, _) = terms.iter().find(|(dim, factor)| *factor == extent && !order.contains(dim))?;
        order.push(*dim);
        extent = extent.mul(&space.sizes()[*dim]).ok()?;
    }
    Some((order, extent))
}

/// [`terms`], the factors and the rest as sizes.
fn sized_terms(space: &Space, expr: &AffineExpr) -> Option<(Vec<(usize, SizeExpr)>, SizeExpr)> {
    let number = |expr: &AffineExpr| space.to_size(expr, &|_| None);
    let (sum, rest) = terms(expr)?;
    let sized = sum.into_iter().map(|(dim, factor)| Some((dim, number(&factor)?)));
    Some((sized.collect::<Option<_>>()?, number(&rest)?))
}

/// The most axes that are split in two, one after another.
const MAX_SPLITS: usize = 8;

/// The access over axes split so that each index is a sum of multiples, and how many were.
fn linear<'a>(space: &'a Space, access: &'a Access) -> Option<(Cow<'a, Space>, Cow<'a, Access>, usize)> {
    let (mut space, mut access) = (Cow::Borrowed(space), Cow::Borrowed(access));
    for splits in 0..=MAX_SPLITS {
        if access.index.iter().all(|at| terms(at).is_some()) {
            return Some((space, access, splits));
        }
        let (axis, inner) = access.index.iter().find_map(|at| wanted_split(&space, at))?;
        let (split, dims) = space.split(axis, &inner)?;
        access = Cow::Owned(access.substitute(&split, &dims)?);
        space = Cow::Owned(split);
    }
    None
}

/// The dimension of which an expression takes a quotient or remainder, and by what.
fn wanted_split(space: &Space, expr: &AffineExpr) -> Option<(usize, SizeExpr)> {
    let AffineExpr::Binary(node) = expr else { return None };
    match (node.op(), node.lhs()) {
        (BinaryOp::FloorDiv | BinaryOp::Mod, AffineExpr::Dim(dim)) => {
            Some((*dim as usize, space.to_size(node.rhs(), &|_| None)?))
        }
        _ => wanted_split(space, node.lhs()).or_else(|| wanted_split(space, node.rhs())),
    }
}

/// A sum of multiples of dimensions, and the rest, in which no dimension occurs. `None` for what is no such sum.
fn terms(expr: &AffineExpr) -> Option<(Vec<(usize, AffineExpr)>, AffineExpr)> {
    if expr.is_symbolic_or_constant() {
        return Some((Vec::new(), expr.clone()));
    }
    let node = match expr {
        AffineExpr::Dim(dim) => return Some((vec![(*dim as usize, AffineExpr::Constant(1))], AffineExpr::Constant(0))),
        AffineExpr::Binary(node) => node,
        _ => return None,
    };
    let (mut sum, rest) = terms(node.lhs())?;
    match node.op() {
        BinaryOp::Add => {
            let (others, other_rest) = terms(node.rhs())?;
            sum.extend(others);
            Some((sum, rest.add(&other_rest).ok()?))
        }
        BinaryOp::Mul if node.rhs().is_symbolic_or_constant() => {
            let scaled = sum.into_iter().map(|(dim, factor)| Some((dim, factor.mul(node.rhs()).ok()?)));
            Some((scaled.collect::<Option<_>>()?, rest.mul(node.rhs()).ok()?))
        }
        _ => None,
    }
}

/// Both operands over the same axes.
struct Pair {
    space: Space,
    accesses: [Access; 2],
    /// For each axis that the sum began with, the axes that it was split into.
    parts: Vec<Vec<usize>>,
    /// For each axis, whether it is summed.
    summed: Vec<bool>,
}

impl Pair {
    /// Splits axes until all indices are sums of multiples.
    fn of(space: &Space, axes: &[usize], mut accesses: [Access; 2]) -> Result<Pair, String> {
        let mut space = space.clone();
        let mut parts: Vec<Vec<usize>> = (0..space.sizes().len()).map(|axis| vec![axis]).collect();
        for _ in 0..=MAX_SPLITS {
            let mut all = accesses.iter().flat_map(|access| &access.index);
            let Some((axis, inner)) = all.find_map(|at| wanted_split(&space, at)) else { break };
            let split = space.split(axis, &inner).and_then(|(split, dims)| {
                let [lhs, rhs] = &accesses;
                Some((lhs.substitute(&split, &dims)?, rhs.substitute(&split, &dims)?, split))
            });
            let Some((lhs, rhs, split)) = split else {
                return Err(format!("an index of the size {} cannot be split by {inner}", space.sizes()[axis]));
            };
            (accesses, space) = ([lhs, rhs], split);
            for part in &mut parts {
                let split: Vec<usize> = part
                    .iter()
                    .flat_map(|&old| match old {
                        _ if old == axis => vec![axis, axis + 1],
                        _ => vec![old + usize::from(old > axis)],
                    })
                    .collect();
                *part = split;
            }
        }
        let mut summed = vec![false; space.sizes().len()];
        axes.iter().flat_map(|&axis| &parts[axis]).for_each(|&part| summed[part] = true);
        Ok(Pair { space, accesses, parts, summed })
    }

    fn into_form(self, sources: &[Vec<SizeExpr>; 2]) -> Result<ProductForm, String> {
        let read = |side: usize| {
            let axes = self.accesses[side].index.iter().zip(&sources[side]);
            axes.map(|(at, size)| self.axis(at, size)).collect::<Result<Vec<Axis>, String>>()
        };
        let mut sides = [read(0)?, read(1)?];
        let has = |side: &[Axis], dim: usize| side.iter().any(|axis| axis.terms.iter().any(|&(own, _)| own == dim));
        if self.accesses[0] == self.accesses[1] {
            return Err("both sides are one and the same: it is a sum of squares".into());
        }
        let one = |dim: usize| self.space.sizes()[dim].as_constant() == Some(1);
        let mut named = Vec::new();
        for (dim, &summed) in self.summed.iter().enumerate() {
            match (summed, has(&sides[0], dim), has(&sides[1], dim)) {
                (_, true, true) | (false, true, false) | (false, false, true) => named.push(dim),
                (false, false, false) => {}
                _ if one(dim) => {}
                (true, false, false) => {
                    return Err(format!("neither side has the summed index of the size {}", self.space.sizes()[dim]));
                }
                (true, ..) => {
                    return Err(format!("one side alone has the summed index of the size {}", self.space.sizes()[dim]));
                }
            }
        }
        for axis in sides.iter_mut().flatten() {
            axis.terms.retain(|(dim, _)| named.contains(dim));
        }
        let is_sum = named.iter().any(|&dim| self.summed[dim] && !one(dim));
        let is_outer =
            [0, 1].iter().all(|&side| named.iter().any(|&dim| has(&sides[side], dim) && !has(&sides[1 - side], dim)));
        if !is_sum && !is_outer {
            return Err("nothing is summed".into());
        }
        let names = self.names(&named, &sides);
        self.check_and_build(sources, sides, &named, &names)
    }

    /// How an axis is read.
    fn axis(&self, at: &AffineExpr, size: &SizeExpr) -> Result<Axis, String> {
        let unknown = "an index of an operand is no sum of indices";
        let (mut terms, mut offset) = sized_terms(&self.space, at).ok_or(unknown)?;
        let backwards = |(_, factor): &(usize, SizeExpr)| factor.as_constant().is_some_and(|factor| factor < 0);
        let flip = !terms.is_empty() && terms.iter().all(backwards);
        if flip {
            let turned = at.neg().ok().and_then(|at| sized_terms(&self.space, &at));
            let (forwards, rest) = turned.ok_or(unknown)?;
            let last = size.sub(&SizeExpr::from(1)).and_then(|last| last.add(&rest));
            (terms, offset) = (forwards, last.map_err(|error| error.message.into_owned())?);
        }
        let sizes = self.space.sizes();
        if terms.len() > 1 || size.as_constant() != Some(1) {
            // Where there is one position, it is 0.
            terms.retain(|&(dim, _)| sizes[dim].as_constant() != Some(1));
        }
        let overflow = |_| "an index goes beyond 64 bits".to_string();
        let digits = digits(&self.space, &terms);
        let is_window = digits.is_none();
        let extent = if let Some((order, extent)) = digits {
            // Outermost first.
            terms.sort_by_key(|(dim, _)| std::cmp::Reverse(order.iter().position(|digit| digit == dim)));
            extent
        } else {
            let mut extent = SizeExpr::from(1);
            for (dim, factor) in &terms {
                if factor.as_constant().is_none_or(|factor| factor <= 0) {
                    return Err("an axis is read both ways, or by steps that are not constant".into());
                }
                let last = sizes[*dim].sub(&SizeExpr::from(1)).and_then(|last| last.mul(factor));
                extent = last.and_then(|last| extent.add(&last)).map_err(overflow)?;
            }
            extent
        };
        let cut = offset.as_constant() != Some(0) || (extent != *size && !is_window);
        let end = offset.add(&extent).map_err(overflow)?;
        Ok(Axis { terms, is_window, flip, cut: cut.then(|| (offset.clone(), end.clone())), whole: (offset, end) })
    }

    /// A letter for each index: `k` is summed, `b` is on both sides, `m` on the left, `n` on the right. Numbers after
    /// it where there are several.
    fn names(&self, named: &[usize], sides: &[Vec<Axis>; 2]) -> Vec<String> {
        let has =
            |side: usize, dim: usize| sides[side].iter().any(|axis| axis.terms.iter().any(|&(own, _)| own == dim));
        let letter = |dim: usize| match (self.summed[dim], has(0, dim), has(1, dim)) {
            (true, ..) => 'k',
            (_, true, true) => 'b',
            (_, true, _) => 'm',
            _ => 'n',
        };
        let letters: Vec<char> = named.iter().map(|&dim| letter(dim)).collect();
        let number = |(place, &letter): (usize, &char)| match letters.iter().filter(|&&other| other == letter).count() {
            1 => letter.to_string(),
            _ => format!("{letter}{}", letters[..place].iter().filter(|&&other| other == letter).count()),
        };
        letters.iter().enumerate().map(number).collect()
    }

    fn check_and_build(
        &self,
        sources: &[Vec<SizeExpr>; 2],
        mut sides: [Vec<Axis>; 2],
        named: &[usize],
        names: &[String],
    ) -> Result<ProductForm, String> {
        let symbol = |dim: usize| {
            let place = named.iter().position(|&other| other == dim)?;
            SizeExpr::symbol(&names[place]).ok()
        };
        let outs = (0..self.parts.len()).filter(|&axis| !self.summed[self.parts[axis][0]]);
        let parts: Vec<usize> = outs.clone().flat_map(|axis| self.parts[axis].clone()).collect();
        let out: Vec<SizeExpr> = parts.iter().filter_map(|&part| symbol(part)).collect();
        let mut operands = Vec::new();
        for attempt in 0..2 {
            let build = |side: usize| self.side(side, &sources[side], &sides[side], &symbol);
            operands = vec![build(0)?, build(1)?];
            let [(lhs, lhs_sizes), (rhs, rhs_sizes)] = &operands[..] else { unreachable!("there are two") };
            let loops = loops((lhs_sizes, &lhs.index), (rhs_sizes, &rhs.index), &out).map_err(|broken| broken.message);
            let right = |(name, size): &(String, SizeExpr)| {
                let place = names.iter().position(|known| known == name);
                place.is_some_and(|place| self.space.sizes()[named[place]] == *size)
            };
            match loops {
                Ok(loops) if loops.indices.iter().all(right) => break,
                Err(why) if attempt > 0 => return Err(why),
                _ if attempt > 0 => return Err("a window stands for other sizes than those that are read".into()),
                // The windows go further than is read: what is read is cut out.
                _ => {
                    for axis in sides.iter_mut().flatten().filter(|axis| axis.is_window) {
                        axis.cut = Some(axis.whole.clone());
                    }
                }
            }
        }
        let mut operands = operands.into_iter().map(|(side, _)| side);
        let (Some(lhs), Some(rhs)) = (operands.next(), operands.next()) else { unreachable!("there are two") };
        let sizes = self.space.sizes();
        let is_repeated = parts.iter().any(|part| !named.contains(part) && sizes[*part].as_constant() != Some(1));
        let expand = is_repeated.then(|| {
            let places = parts.iter().enumerate().filter(|(_, part)| named.contains(part));
            (parts.iter().map(|&part| sizes[part].clone()).collect(), places.map(|(place, _)| place as i64).collect())
        });
        let product = |parts: &[usize]| parts.iter().try_fold(SizeExpr::from(1), |size, &part| size.mul(&sizes[part]));
        let shape = outs.map(|axis| product(&self.parts[axis])).collect::<Result<_, _>>();
        let shape = shape.map_err(|error| error.message.into_owned())?;
        Ok(ProductForm { lhs, rhs, out, expand, shape, acc: Type::F32, widen: false, product: None, shared: false })
    }

    /// An operand of the contraction, with the sizes of its axes.
    fn side(
        &self,
        side: usize,
        source: &[SizeExpr],
        axes: &[Axis],
        symbol: &dyn Fn(usize) -> Option<SizeExpr>,
    ) -> Result<(Side, Vec<SizeExpr>), String> {
        let whole = |size: &SizeExpr| (SizeExpr::from(0), size.clone());
        let is_cut = axes.iter().any(|axis| axis.cut.is_some());
        let bounds = axes.iter().zip(source).map(|(axis, size)| axis.cut.clone().unwrap_or_else(|| whole(size)));
        let (from, to): (Vec<_>, Vec<_>) = bounds.unzip();
        let (mut index, mut sizes) = (Vec::new(), Vec::new());
        for (axis, (from, to)) in axes.iter().zip(from.iter().zip(&to)) {
            let size = to.sub(from).map_err(|error| error.message.into_owned())?;
            if axis.is_window || axis.terms.len() < 2 {
                let mut sum = SizeExpr::from(0);
                for (dim, factor) in &axis.terms {
                    let term = symbol(*dim).and_then(|name| name.mul(factor).ok());
                    sum = term.and_then(|term| sum.add(&term).ok()).ok_or("an index goes beyond 64 bits")?;
                }
                index.push(sum);
                sizes.push(size);
            } else {
                for (dim, _) in &axis.terms {
                    index.push(symbol(*dim).ok_or("an index has no name")?);
                    sizes.push(self.space.sizes()[*dim].clone());
                }
            }
        }
        let is_split = sizes.len() != axes.len();
        let shape = is_split.then(|| sizes.clone());
        let cut = is_cut.then_some((from, to));
        let flip = axes.iter().enumerate().filter(|(_, axis)| axis.flip).map(|(place, _)| place as i64).collect();
        Ok((Side { source: self.accesses[side].source, flip, cut, shape, index }, sizes))
    }
}

/// How an axis of an operand is read.
struct Axis {
    /// The indices that it is a sum of multiples of. Of digits in mixed radix, the outermost first.
    terms: Vec<(usize, SizeExpr)>,
    is_window: bool,
    /// Whether it is read from its end.
    flip: bool,
    /// The part that is read, where only that may be left: from, to.
    cut: Option<(SizeExpr, SizeExpr)>,
    /// The part that is read.
    whole: (SizeExpr, SizeExpr),
}
