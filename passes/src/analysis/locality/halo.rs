//! What a tile reads beyond its own share.

use dlc_core::access::Access;
use dlc_ir::affine::SizeExpr;

/// What tiles read of an operand beyond their own share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Halo {
    /// In elements, along each axis of the op that reads.
    pub per_axis: Vec<SizeExpr>,
    /// In bytes, for each position on the axes of the operand that have none.
    pub bytes: SizeExpr,
}

impl Halo {
    /// Whether tiles read nothing but their own share.
    pub fn is_none(&self) -> bool {
        self.per_axis.iter().all(|halo| halo.as_constant() == Some(0))
    }
}

/// The number of an axis: 2 of `i2`.
fn axis(name: &str) -> Option<usize> {
    name.strip_prefix('i')?.parse().ok()
}

/// The axes that occur in a position, in order.
pub(super) fn axes_in(at: &SizeExpr) -> Vec<usize> {
    let mut axes: Vec<usize> = at.symbols().iter().filter_map(|name| axis(name)).collect();
    axes.sort_unstable();
    axes
}

/// Whether every position is an axis, each of them once, or has no axis in it.
pub(super) fn is_projection(access: &Access) -> bool {
    let mut seen = Vec::new();
    access.at.iter().all(|at| {
        let axes = axes_in(at);
        let fresh = axes.iter().all(|axis| !seen.contains(axis));
        seen.extend(&axes);
        fresh && (axes.is_empty() || (axes.len() == 1 && distance(at).is_some()))
    })
}

/// `c0` of `i_a + c0`.
pub(super) fn distance(at: &SizeExpr) -> Option<i64> {
    let (terms, constant) = at.as_linear()?;
    match &terms[..] {
        [(name, 1)] if axis(name).is_some() => Some(constant),
        _ => None,
    }
}

/// A position as a sum: the factors of axes, and what else is added.
fn split(at: &SizeExpr) -> Option<(Vec<(usize, i64)>, SizeExpr)> {
    let (terms, _) = at.as_linear()?;
    let (mut factors, mut rest) = (Vec::new(), at.clone());
    for (name, factor) in terms {
        if let Some(index) = axis(&name) {
            let term = SizeExpr::symbol(&name).ok()?.mul(&SizeExpr::from(factor)).ok()?;
            rest = rest.sub(&term).ok()?;
            factors.push((index, factor));
        }
    }
    Some((factors, rest))
}

/// The halo along an axis, and by how much a step of it moves what is read.
struct Moving {
    axis: usize,
    step: i64,
    halo: SizeExpr,
}

/// What moves a position on one axis of the operand that several accesses read; none where nothing does.
fn moving(sizes: &[SizeExpr], positions: &[&SizeExpr]) -> Option<Option<Moving>> {
    let first = positions.first()?;
    let Some((factors, start)) = split(first) else {
        // Neighbours of one axis are in one tile, whatever is done to it.
        let axes = axes_in(first);
        let same = positions.iter().all(|at| at == first);
        return match (&axes[..], same) {
            ([], true) => Some(None),
            ([axis], true) => Some(Some(Moving { axis: *axis, step: 1, halo: SizeExpr::from(0) })),
            _ => None,
        };
    };
    let (mut least, mut most) = (0i64, 0i64);
    for at in &positions[1..] {
        let (others, other) = split(at)?;
        let apart = other.sub(&start).ok()?.as_constant().filter(|_| others == factors)?;
        (least, most) = (least.min(apart), most.max(apart));
    }
    let spread = most.checked_sub(least)?;
    let mut best: Option<Moving> = None;
    for &(axis, factor) in &factors {
        let step = factor.checked_abs()?;
        let mut halo = SizeExpr::from(spread.checked_add(1)?.checked_sub(step)?);
        for &(other, factor) in factors.iter().filter(|(other, _)| *other != axis) {
            let last = sizes.get(other)?.sub(&SizeExpr::from(1)).ok()?;
            halo = halo.add(&last.mul(&SizeExpr::from(factor.checked_abs()?)).ok()?).ok()?;
        }
        let halo = halo.as_constant().map_or(halo, |halo| SizeExpr::from(halo.max(0)));
        // What is known is taken before what is not.
        let less = |than: &Moving| match (halo.as_constant(), than.halo.as_constant()) {
            (Some(halo), Some(than)) => halo < than,
            (known, than) => known.is_some() && than.is_none(),
        };
        if best.as_ref().is_none_or(less) {
            best = Some(Moving { axis, step, halo });
        }
    }
    Some(best)
}

/// What the tiles of an op over axes of these sizes read beyond their own share of an operand, all accesses to it
/// together. Tiles have `tile` points along each axis, elements `bytes` bytes. `None` where it is not known.
pub fn halo(sizes: &[SizeExpr], accesses: &[Access], tile: i64, bytes: i64) -> Option<Halo> {
    let mut per_axis = vec![SizeExpr::from(0); sizes.len()];
    let (mut with, mut without) = (SizeExpr::from(1), SizeExpr::from(1));
    let rank = accesses.first()?.at.len();
    for place in 0..rank {
        let positions: Vec<&SizeExpr> = accesses.iter().map(|access| access.at.get(place)).collect::<Option<_>>()?;
        let Some(Moving { axis, step, halo }) = moving(sizes, &positions)? else { continue };
        if halo.as_constant() == Some(0) {
            continue;
        }
        let points = sizes.get(axis)?.as_constant().map_or(tile, |size| size.min(tile));
        let share = SizeExpr::from(points.checked_mul(step)?);
        with = with.mul(&share.add(&halo).ok()?).ok()?;
        without = without.mul(&share).ok()?;
        // An axis may move two axes of the operand.
        let wider = match (per_axis[axis].as_constant(), halo.as_constant()) {
            (Some(one), Some(other)) => other > one,
            (known, _) => known.is_some(),
        };
        if wider {
            per_axis[axis] = halo;
        }
    }
    let bytes = with.sub(&without).ok()?.mul(&SizeExpr::from(bytes)).ok()?;
    Some(Halo { per_axis, bytes })
}
