//! Parts of a sum, which begin at products of sizes and numbers of blocks.

use dlc_core::guard::Guard;
use dlc_core::sizes::value_number;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{OpRef, ValueId};
use dlc_kernel::ops;

use super::kinds::Kinds;
use super::values::is_integer;

/// Whether a guard only asks which round of a loop it is, how many are left, or how many the loop has: it compares two of
/// the beginning, the end and the integer of one loop, which may be ahead of each other by a constant. Both ways follow from the number of the round and the trip count, wherever the loop begins.
pub fn is_of_rounds(kinds: &Kinds<'_>, guard: &Guard, args: &[ValueId]) -> bool {
    let text = |expr: &SizeExpr, args: &[ValueId]| {
        let terms = expr.terms().into_iter();
        let constant: i64 = terms.filter(|(_, factors)| factors.is_empty()).map(|(value, _)| value).sum();
        kinds.text_of(expr.sub(&constant.into()).ok().as_ref().unwrap_or(expr), args)
    };
    let (mut all, mut loops) = (Vec::new(), Vec::new());
    kinds.grid.body.walk_regions(kinds.grid.id, &mut all);
    for op in all.into_iter().filter_map(|id| ops::For::of(OpRef { id, ..*kinds.grid })) {
        let (own, bounds): (Vec<ValueId>, _) = (op.args().collect(), op.bounds());
        let index = op.body.regions(op.id).first().and_then(|&region| op.body.first_block(region));
        let index = index.and_then(|block| op.body.args(block).first().copied());
        let ([first, last, _], Some(index)) = (bounds.as_slice(), index) else { continue };
        loops.push([text(first, &own), text(last, &own), format!("(1 {})", kinds.text(index))]);
    }
    let mut conditions = guard.pieces.iter().flatten();
    conditions.all(|condition| {
        let sides: Vec<String> = condition.exprs().map(|expr| text(expr, args)).collect();
        let [a, b] = sides.as_slice() else { return false };
        a != b && loops.iter().any(|of_loop| of_loop.contains(a) && of_loop.contains(b))
    })
}

/// Whether a loop goes over a part of a sum, which begins at a product of sizes and numbers of blocks: sizes at
/// which it has no round are not searched for (`docs/checker.md`).
pub fn is_part<'a>(grid: ops::Grid<'a>, op: OpRef<'a>) -> bool {
    let Some(loop_) = ops::For::of(op) else { return false };
    let args: Vec<ValueId> = loop_.args().collect();
    let asks_block = |first: &SizeExpr| Kinds::new(grid, 0, true).asks_block(first, &args);
    loop_.bounds().first().is_some_and(|first| has_product(grid, first, &args, 0) && asks_block(first))
}

/// Whether a product of what is not constant is in an expression, or in what it is computed from, a few ops away.
fn has_product(grid: ops::Grid<'_>, expr: &SizeExpr, args: &[ValueId], depth: usize) -> bool {
    let names = expr.symbols();
    let mut values = names.iter().filter_map(|name| args.get(value_number(name)?).copied());
    expr.terms().into_iter().any(|(_, factors)| factors.len() > 1) || values.any(|value| is_product(grid, value, depth))
}

fn is_product(grid: ops::Grid<'_>, value: ValueId, depth: usize) -> bool {
    let op = grid.body.defining_op(value).filter(|_| depth < 8).map(|id| OpRef { id, ..*grid });
    let Some(op) = op.filter(|op| is_integer(*op)) else { return false };
    match ops::Index::of(op) {
        Some(index) => {
            let args: Vec<ValueId> = index.args().collect();
            index.value().iter().any(|expr| has_product(grid, expr, &args, depth + 1))
        }
        None => op.operands().any(|value| is_product(grid, value, depth + 1)),
    }
}
