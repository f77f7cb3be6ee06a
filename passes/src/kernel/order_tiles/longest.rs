//! Tiles with the most work first.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::define::{Kind, Text};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Builder, Context, OpId, Type, ValueId};
use dlc_kernel::ops::{BlockId, For, Grid, Index, Min, Order, TileOrder};

use crate::analysis::expressions::OpExprs;
use crate::analysis::nesting::grid_of;
use crate::analysis::tiles::with_inner;

const BEYOND: &str = "an integer goes beyond 64 bits";

/// Puts the rows of tiles with the most work first, in all matrices of a batch at once. How many orders changed; an error
/// says why none did.
pub fn longest_first(body: &mut Body, cx: &PassCx<'_>) -> Result<u64, &'static str> {
    let ctx = cx.ctx;
    let orders: Vec<OpId> =
        body.walk().into_iter().filter(|&op| OpRef::new(ctx, body, op).is(TileOrder::DEF)).collect();
    let (mut changed, mut missed) = (0, None);
    for op in orders {
        match order(ctx, body, op) {
            Ok(order) if cx.allows_rule("order") => {
                let first = if order.grows { "the last rows" } else { "the first rows" };
                cx.remark(
                    RemarkKind::Passed,
                    body.loc(op),
                    format!("tiles are taken in the order 'longest_first': {first} come first"),
                );
                set(ctx, body, op, &order).ok_or(BEYOND)?;
                changed += 1;
            }
            Ok(_) => {}
            Err(why) => missed = Some(why),
        }
    }
    match missed {
        Some(why) if changed == 0 => Err(why),
        _ => Ok(changed),
    }
}

/// How the tiles of a grid are numbered.
struct Numbers {
    grid: OpId,
    /// The number of the block.
    block: ValueId,
    /// The tiles of a matrix, and how many matrices there are.
    tiles: SizeExpr,
    matrices: SizeExpr,
    /// Whether later rows have more work.
    grows: bool,
}

fn order(ctx: &Context, body: &Body, op: OpId) -> Result<Numbers, &'static str> {
    let view = TileOrder::from(OpRef::new(ctx, body, op));
    let unknown = "it is not known which tiles have the most work";
    let grid = grid_of(ctx, body, op).ok_or(unknown)?;
    let of = Grid::from(OpRef::new(ctx, body, grid));
    let dims = of.dims();
    let ([all], None) = (dims.as_slice(), of.cluster()) else {
        return Err("its blocks are in clusters, or along several axes");
    };
    let row = view.result(0);
    let mut found = None;
    for inner in with_inner(body, grid) {
        let Some(loop_) = For::of(OpRef::new(ctx, body, inner)) else { continue };
        let (bounds, args): (Vec<SizeExpr>, Vec<ValueId>) = (loop_.bounds(), loop_.args().collect());
        let grows = bounds.get(1).and_then(|last| growth(ctx, body, last, &args, row));
        found = found.or(grows);
    }
    let grows = found.ok_or(unknown)?;
    let tiles = view.tiles();
    let tiles = tiles.iter().try_fold(SizeExpr::from(1), |all, size| all.mul(size).ok()).ok_or(BEYOND)?;
    // The number of a tile is that of the block, or of the block in its matrix.
    let number = view.tile();
    let made = body.defining_op(number).map(|op| OpRef::new(ctx, body, op)).ok_or(unknown)?;
    if made.is(BlockId::DEF) {
        return Ok(Numbers { grid, block: number, tiles, matrices: 1.into(), grows });
    }
    let within = Index::of(made).and_then(|index| {
        let args: Vec<ValueId> = index.args().collect();
        let expr = SizeExpr::symbol("_0").ok()?.modulo(&tiles).ok()?;
        let block = args.first().copied().filter(|_| index.value().first() == Some(&expr))?;
        OpRef::new(ctx, body, body.defining_op(block)?).is(BlockId::DEF).then_some(block)
    });
    let block = within.ok_or("the number of a tile is not that of its block")?;
    let matrices = all.floordiv(&tiles).map_err(|_| BEYOND)?;
    Ok(Numbers { grid, block, tiles, matrices, grows })
}

/// Whether an expression grows with a value, or shrinks; `None` where it does neither, or that is not known.
fn growth(ctx: &Context, body: &Body, expr: &SizeExpr, args: &[ValueId], of: ValueId) -> Option<bool> {
    for (number, &arg) in args.iter().enumerate() {
        let name = dlc_core::sizes::value_name(number);
        let next = SizeExpr::symbol(&name).ok()?.add(&1.into()).ok()?;
        let moved = expr.substitute(&|symbol| (symbol == name).then(|| next.clone())).ok()?;
        let slope = moved.sub(expr).ok()?.as_constant().unwrap_or(0);
        if slope == 0 {
            continue;
        }
        let own = if arg == of { Some(true) } else { growth_of(ctx, body, arg, of) };
        if let Some(own) = own {
            return Some(own == (slope > 0));
        }
    }
    None
}

/// The same of a value. What is the least of several numbers grows where one of them does, and none shrinks.
fn growth_of(ctx: &Context, body: &Body, value: ValueId, of: ValueId) -> Option<bool> {
    let op = OpRef::new(ctx, body, body.defining_op(value)?);
    if let Some(index) = Index::of(op) {
        let args: Vec<ValueId> = index.args().collect();
        return growth(ctx, body, index.value().first()?, &args, of);
    }
    let least = Min::of(op)?;
    let sides = [growth_of(ctx, body, least.lhs(), of), growth_of(ctx, body, least.rhs(), of)];
    match sides {
        [Some(a), Some(b)] => (a == b).then_some(a),
        [a, b] => a.or(b),
    }
}

/// Numbers the tiles again: rows one after another, of all matrices each.
fn set(ctx: &Context, body: &mut Body, op: OpId, order: &Numbers) -> Option<()> {
    let [of, by] = [SizeExpr::symbol("_0").ok()?, SizeExpr::symbol("_1").ok()?];
    // The launch counts matrices.
    let loc = body.loc(op);
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(order.grid));
    let matrices = Index::build(&mut builder, loc, &[], vec![order.matrices.clone()], Type::INDEX);
    let matrices = body.result(matrices, 0);
    body.set_value_name(matrices, ctx.intern_str("matrices"));
    let matrix = index(ctx, body, order.block, vec![order.block, matrices], of.modulo(&by).ok()?)?;
    let place = index(ctx, body, matrix, vec![order.block, matrices], of.floordiv(&by).ok()?)?;
    // Each by itself: the number of a tile is below that of all tiles, and nothing larger is multiplied on the way.
    let mut at = by;
    if order.grows {
        at = order.tiles.sub(&1.into()).ok()?.sub(&at).ok()?;
    }
    let number = of.mul(&order.tiles).ok()?.add(&at).ok()?;
    let new = index(ctx, body, place, vec![matrix, place], number)?;
    body.set_value_name(new, ctx.intern_str("number"));
    let users: Vec<(OpId, usize)> = body.uses(order.block).map(|used| (used.op, used.index)).collect();
    let own = [matrix, place].map(|value| body.defining_op(value));
    for (user, at) in users.into_iter().filter(|(user, _)| !own.contains(&Some(*user))) {
        body.set_operand(user, at, new);
    }
    body.set_prop(ctx, op, ctx.intern_str("order"), Some(Text::make(ctx, Order::Rows.word())));
    body.set_prop(ctx, op, ctx.intern_str("group"), None);
    Some(())
}

/// An integer after a value that it is computed from.
fn index(ctx: &Context, body: &mut Body, following: ValueId, args: Vec<ValueId>, expr: SizeExpr) -> Option<ValueId> {
    let place = body.defining_op(following)?;
    let loc = body.loc(place);
    let mut builder = Builder::new(ctx, body, InsertPoint::After(place));
    let made = Index::build(&mut builder, loc, &args, vec![expr], Type::INDEX);
    if let Some(places) = OpExprs::of(OpRef::new(ctx, body, made)) {
        places.write(ctx, body, made);
    }
    Some(body.result(made, 0))
}
