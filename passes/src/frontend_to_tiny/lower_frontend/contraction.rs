//! Sums of products: contractions of two operands.

use dlc_frontend::ops as frontend;
use dlc_frontend::shape::{Loops, einsum_loops, gemm_loops, linear_loops};
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Type, ValueId};
use dlc_tiny::ops::{self as tiny, Combiner};

use super::emit::{Emit, Lower, Values};

/// The rules of sums of products.
pub const RULES: &[Lower] = &[
    Lower { op: frontend::Gemm::DEF, emit: gemm },
    Lower { op: frontend::Linear::DEF, emit: linear },
    Lower { op: frontend::Einsum::DEF, emit: einsum },
];

/// The rule of shapes has been checked.
const CHECKED: &str = "the op has been verified";

fn gemm(e: &mut Emit<'_>) -> Values {
    let op = frontend::Gemm::from(e.source());
    let (trans_a, trans_b) = (op.trans_a().is_some(), op.trans_b().is_some());
    let (acc, has_bias) = (op.acc(), op.bias().is_some());
    let loops = gemm_loops(&e.dims(e.operands[0]), &e.dims(e.operands[1]), trans_a, trans_b).expect(CHECKED);
    with_bias(e, &loops, acc, has_bias)
}

fn linear(e: &mut Emit<'_>) -> Values {
    let op = frontend::Linear::from(e.source());
    let (acc, has_bias, transposed) = (op.acc(), op.bias().is_some(), op.transposed().is_some());
    let loops = linear_loops(&e.dims(e.operands[0]), &e.dims(e.operands[1]), transposed).expect(CHECKED);
    with_bias(e, &loops, acc, has_bias)
}

fn with_bias(e: &mut Emit<'_>, loops: &Loops, acc: Option<Type>, has_bias: bool) -> Values {
    let sum = e.contract_step(loops, 0, e.operands[0], Some(e.operands[1]), acc);
    let result = if has_bias { e.add(sum, e.operands[2]) } else { sum };
    Values::from_elem(result, 1)
}

fn einsum(e: &mut Emit<'_>) -> Values {
    let op = frontend::Einsum::from(e.source());
    let (equation, acc) = (op.equation().to_string(), op.acc());
    let dims: Vec<Vec<SizeExpr>> = e.operands.iter().map(|&operand| e.dims(operand)).collect();
    let slices: Vec<&[SizeExpr]> = dims.iter().map(Vec::as_slice).collect();
    let loops = einsum_loops(&equation, &slices).expect(CHECKED);
    let elem = e.result_elem(0);
    if let [only] = *e.operands {
        let axes: Option<Vec<usize>> = loops.operands[0].iter().copied().collect();
        let distinct = |axes: &Vec<usize>| axes.iter().enumerate().all(|(at, index)| !axes[..at].contains(index));
        if let Some(axes) = axes.filter(distinct) {
            return Values::from_elem(sum_and_order(e, only, &axes, &loops.out, elem), 1);
        }
    }
    // Of more than two, what lies between is kept in f32 where the result is narrower.
    let steps = loops.steps().len();
    let wide = if steps > 1 && e.is_float(elem) { Some(e.compute_type(elem)) } else { acc };
    let mut value = e.operands[0];
    for step in 0..steps {
        let rhs = e.operands.get(step + 1).copied();
        value = e.contract_step(&loops, step, value, rhs, wide);
    }
    Values::from_elem(e.cast(value, elem), 1)
}

/// The axes that the result has not summed, and the others put in order.
fn sum_and_order(e: &mut Emit<'_>, input: ValueId, axes: &[usize], out: &[usize], elem: Type) -> ValueId {
    let gone: Vec<usize> = (0..axes.len()).filter(|&axis| !out.contains(&axes[axis])).collect();
    let kept: Vec<usize> = axes.iter().copied().filter(|index| out.contains(index)).collect();
    let sum = if gone.is_empty() { e.cast(input, elem) } else { e.reduce(Combiner::Sum, input, &gone, elem) };
    let order: Vec<usize> = out.iter().filter_map(|index| kept.iter().position(|known| known == index)).collect();
    e.permute(sum, &order)
}

impl Emit<'_> {
    /// A step of a sum of products. Without a right operand it is a product with 1.
    fn contract_step(
        &mut self,
        loops: &Loops,
        step: usize,
        lhs: ValueId,
        rhs: Option<ValueId>,
        acc: Option<Type>,
    ) -> ValueId {
        let step = &loops.steps()[step];
        let name = |index: usize| SizeExpr::symbol(&loops.indices[index].0).expect("indices have names");
        let axis = |axis: &Option<usize>| axis.map_or(SizeExpr::from(0), name);
        let rhs = rhs.unwrap_or_else(|| self.number(1.0, self.elem(lhs)));
        let (lhs_idx, rhs_idx) = (step.lhs.iter().map(axis).collect(), step.rhs.iter().flatten().map(axis).collect());
        let out_idx = step.out.iter().map(|&index| name(index)).collect();
        self.contract(tiny::NewContract { lhs, rhs, lhs_idx, rhs_idx, out_idx, acc, product: None })
    }
}
