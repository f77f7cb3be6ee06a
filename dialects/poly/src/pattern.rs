//! Which sums of products are products of matrices or convolutions.
//!
//! A contraction sums over at least one axis, and every axis that it sums over occurs in both factors. It is a `matmul`
//! where each position of both factors is an axis, perhaps with something added, and one of the factors has an axis of its
//! own; with axes that both factors and the result have, it is a `batched_matmul`. It is a `conv` where positions of one
//! factor, the left one, go over windows, `stride*o + dilation*k + offset`: `o` an axis of the result, `k` one that is
//! summed over and whose place in the window may be missing, as in a convolution of one point. Linear in positions.

use dlc_ir::affine::AffineExpr;

use crate::ops::Pattern;

/// What a sum of products is. Axes are numbers of dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contraction {
    /// Its kind.
    pub pattern: Pattern,
    /// Whether the second factor is the left operand.
    pub swapped: bool,
    /// The axes of the left operand, in the order of its positions.
    pub lhs: Vec<usize>,
    /// Those of the right operand.
    pub rhs: Vec<usize>,
    /// Those that both and the result have.
    pub batch: Vec<usize>,
    /// The windows of the left operand, in the order of its positions; none but of a convolution.
    pub windows: Vec<Window>,
}

/// A position `stride*o + dilation*k + offset`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// The axis of the result.
    pub out: usize,
    /// Its factor.
    pub stride: i64,
    /// The factor of the axis that is summed over; 1 where there is none.
    pub dilation: i64,
    /// What is added, without dimensions.
    pub offset: AffineExpr,
}

/// A position of a factor.
enum Place {
    Axis(usize),
    Fixed,
    Window(Window, Option<usize>),
}

/// Determines what the sum of the products of two factors is. Of `axes` axes the last `reduced` are summed over.
pub fn contraction(first: &[AffineExpr], second: &[AffineExpr], axes: usize, reduced: usize) -> Option<Contraction> {
    let kept = axes.checked_sub(reduced)?;
    let places = |at: &[AffineExpr]| at.iter().map(|at| place(at, axes, kept)).collect::<Option<Vec<Place>>>();
    let (first, second) = (places(first)?, places(second)?);
    let slides = |places: &[Place]| places.iter().any(|place| matches!(place, Place::Window(..)));
    let (lhs, rhs, swapped) = match (slides(&first), slides(&second)) {
        (true, true) => return None,
        (false, true) => (second, first, true),
        _ => (first, second, false),
    };
    let (left, right) = (axes_of(&lhs), axes_of(&rhs));
    let summed = |axis: usize| left.contains(&axis) && right.contains(&axis);
    if reduced == 0 || !(kept..axes).all(summed) {
        return None;
    }
    let batch: Vec<usize> = (0..kept).filter(|axis| left.contains(axis) && right.contains(axis)).collect();
    let own = (0..kept).any(|axis| left.contains(&axis) != right.contains(&axis));
    let windows: Vec<Window> = lhs
        .into_iter()
        .filter_map(|place| match place {
            Place::Window(window, _) => Some(window),
            _ => None,
        })
        .collect();
    let pattern = match (windows.is_empty(), batch.is_empty()) {
        (false, _) => Pattern::Conv,
        (true, true) => Pattern::Matmul,
        (true, false) => Pattern::BatchedMatmul,
    };
    own.then_some(Contraction { pattern, swapped, lhs: left, rhs: right, batch, windows })
}

fn axes_of(places: &[Place]) -> Vec<usize> {
    let mut axes = Vec::new();
    for place in places {
        match place {
            Place::Axis(axis) => axes.push(*axis),
            Place::Window(window, over) => axes.extend([window.out].into_iter().chain(*over)),
            Place::Fixed => {}
        }
    }
    let mut seen = Vec::new();
    axes.retain(|axis| {
        !seen.contains(axis) && {
            seen.push(*axis);
            true
        }
    });
    axes
}

fn place(at: &AffineExpr, axes: usize, kept: usize) -> Option<Place> {
    if at.is_symbolic_or_constant() {
        return Some(Place::Fixed);
    }
    let symbols = at.needed().1;
    let form = at.linear_form(axes as u32, symbols).ok()??;
    let dims: Vec<(usize, i64)> = form.dims.iter().copied().enumerate().filter(|(_, factor)| *factor != 0).collect();
    let mut offset = AffineExpr::Constant(form.constant);
    for (symbol, &factor) in form.symbols.iter().enumerate() {
        let term = AffineExpr::Symbol(symbol as u32).mul(&factor.into()).ok()?;
        offset = term.add(&offset).ok()?;
    }
    match dims[..] {
        [(axis, 1)] => Some(Place::Axis(axis)),
        [(out, stride)] if out < kept => Some(Place::Window(Window { out, stride, dilation: 1, offset }, None)),
        [(out, stride), (over, dilation)] if out < kept && over >= kept => {
            Some(Place::Window(Window { out, stride, dilation, offset }, Some(over)))
        }
        _ => None,
    }
}
