//! Loads the fragments of the next product from shared memory while one multiplies, also across the steps of a loop.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. A loop whose tiles are rings, and whose one product of fragments adds up, multiplies parts of its
//! tiles that are as deep as an instruction; the fragments of each part, the first one of the next step included, are loaded
//! before the product before, and the copies of later steps are spread over the parts.
//!
//! **Before**
//! ```mlir before
//! kernel.func @gemm<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
//!   require (K mod 8 == 0)
//!   %D = output : memref<[32, 32], f32, row_major, align 16>
//!   grid (1) threads 128 {
//!     %rhs = shared : tile<3 x [32, 32], f16, swizzle 64>
//!     %lhs = shared : tile<3 x [32, 32], f16, swizzle 64>
//!     %0 = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//!     %1 = index (0)
//!     %2 = if (1 <= K) : token<load> {
//!       %3 = copy_async %A[i0, i1] where (i1 < K) to %lhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!       %4 = copy_async %B[i0, i1] where (i0 < K) to %rhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!       yield %4
//!     } else {
//!       %5 = done : token<load>
//!       yield %5
//!     }
//!     %6 = if (33 <= K) : token<load> {
//!       %slot = index (1)
//!       %7 = copy_async %A[i0, i1 + 32] where (i1 + 32 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!       %8 = copy_async %B[i0 + 32, i1] where (i0 + 32 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!       yield %8
//!     } else {
//!       %9 = done : token<load>
//!       yield %9
//!     }
//!     %s:4 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %loaded = %2, %loaded_0 = %6) : frag<[32, 32], f32, mma [2, 2]>, index, token<load>, token<load> {
//!       await %loaded
//!       barrier
//!       %11 = if (%k + 64 < K) : token<load> {
//!         %slot = index ((%stage + 2) mod 3)
//!         %12 = copy_async %A[i0, %k + i1 + 64] where (%k + i1 + 64 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!         %13 = copy_async %B[%k + i0 + 64, i1] where (%k + i0 + 64 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!         yield %13
//!       } else {
//!         %14 = done : token<load>
//!         yield %14
//!       }
//!       %15 = load_shared %lhs[%stage] : frag<[32, 32], f16, mma_a [2, 2]>
//!       %16 = load_shared %rhs[%stage] : frag<[32, 32], f16, mma_b [2, 2]>
//!       %17 = mma %15, %16, %10 : frag<[32, 32], f32, mma [2, 2]>
//!       %next = index ((%stage + 1) mod 3)
//!       yield %17, %next, %loaded_0, %11
//!     }
//!     store %s to %D[i0, i1]
//!   }
//!   return %D
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @gemm<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
//!   require (K mod 8 == 0)
//!   %D = output : memref<[32, 32], f32, row_major, align 16>
//!   grid (1) threads 128 {
//!     %rhs = shared : tile<3 x [32, 32], f16, swizzle 64>
//!     %lhs = shared : tile<3 x [32, 32], f16, swizzle 64>
//!     %0 = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//!     %1 = index (0)
//!     %2 = copy_async %A[i0, i1] where (i1 < K, 1 <= K) to %lhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!     %3 = copy_async %B[i0, i1] where (i0 < K, 1 <= K) to %rhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!     %slot = index (1)
//!     %4 = copy_async %A[i0, i1 + 32] where (i1 + 32 < K, 33 <= K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!     %5 = copy_async %B[i0 + 32, i1] where (i0 + 32 < K, 33 <= K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!     await %3
//!     barrier
//!     %6 = slice %lhs[%1] at (0, 0) : tile<[32, 16], f16, swizzle 64>
//!     %7 = load_shared %6 : frag<[32, 16], f16, mma_a [2, 2]>
//!     %8 = slice %rhs[%1] at (0, 0) : tile<[16, 32], f16, swizzle 64 rows 32>
//!     %9 = load_shared %8 : frag<[16, 32], f16, mma_b [2, 2]>
//!     %s:6 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %loaded = %3, %loaded_0 = %5, %lhs_0 = %7, %rhs_0 = %9) : frag<[32, 32], f32, mma [2, 2]>, index, token<load>, token<load>, frag<[32, 16], f16, mma_a [2, 2]>, frag<[16, 32], f16, mma_b [2, 2]> {
//!       %next = index ((%stage + 1) mod 3)
//!       %slot_0 = index ((%stage + 2) mod 3)
//!       %11 = slice %lhs[%stage] at (0, 16) : tile<[32, 16], f16, swizzle 64>
//!       %12 = load_shared %11 : frag<[32, 16], f16, mma_a [2, 2]>
//!       %13 = slice %rhs[%stage] at (16, 0) : tile<[16, 32], f16, swizzle 64 rows 32>
//!       %14 = load_shared %13 : frag<[16, 32], f16, mma_b [2, 2]>
//!       %15 = copy_async %A[i0, %k + i1 + 64] where (%k + i1 + 64 < K, %k + 64 < K) to %lhs[%slot_0] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!       %16 = copy_async %B[%k + i0 + 64, i1] where (%k + i0 + 64 < K, %k + 64 < K) to %rhs[%slot_0] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!       %17 = mma %lhs_0, %rhs_0, %10 : frag<[32, 32], f32, mma [2, 2]>
//!       await %loaded_0
//!       barrier
//!       %18 = slice %lhs[%next] at (0, 0) : tile<[32, 16], f16, swizzle 64>
//!       %19 = load_shared %18 : frag<[32, 16], f16, mma_a [2, 2]>
//!       %20 = slice %rhs[%next] at (0, 0) : tile<[16, 32], f16, swizzle 64 rows 32>
//!       %21 = load_shared %20 : frag<[16, 32], f16, mma_b [2, 2]>
//!       %22 = mma %12, %14, %17 : frag<[32, 32], f32, mma [2, 2]>
//!       yield %22, %next, %loaded_0, %16, %19, %21
//!     }
//!     await %s#2, %s#3
//!     store %s to %D[i0, i1]
//!   }
//!   return %D
//! }
//! ```
//!
//! **Does not** change loops with anything else in them that touches shared memory, with rings of less than three stages, or
//! whose fragments would take more than the registers of a thread. A remark says why.
//!
//! A step waits for the tiles of the next one before its last product, where threads meet: then all have read what the
//! copies after that write, and the tensor cores still have work. Copies of steps that are not there read nothing, and
//! write zeros: without a condition around them they stand between the products. After the main loop of CUTLASS
//! (`mma_multistage.h`). Rule of the debug counters: `fragments`.

use dlc_core::guard::{Condition, Guard};
use dlc_core::scalar::Binary;
use dlc_core::sizes::{value_name, value_number};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{BlockId, Builder, Context, Loc, OpId, ValueId};
use dlc_kernel::global::position;
use dlc_kernel::interp::axis_number;
use dlc_kernel::layout::Shared;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, Tile, Token, Work, sizes};
use dlc_plan::Schedule;
use dlc_plan::clause::Kind;

use crate::analysis::expressions::OpExprs;
use crate::analysis::nesting::{block_of, grid_of};
use crate::analysis::plans::{PLANNED, kernel_pass, plan_of};
use crate::plan::report::not_followed;
use crate::rewrites::carried::{carry, yield_more};

const OPTIONS: &[OptionDef] = &[PLANNED];

static DEF: PassDef = PassDef {
    options: OPTIONS,
    statistics: &[StatDef { name: "loops", doc: "Loops whose fragments are loaded ahead." }],
    ..kernel_pass("overlap-fragments", "Overlaps the loads of fragments with the product before them.", create)
};
dlc_ir::inventory::submit! { &DEF }

/// The registers that fragments may take, of the 255 that a thread has.
const MOST_REGISTERS: u32 = 216;
/// The bits of a row of a part: as deep as an instruction.
const PART_BITS: i64 = 256;

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(OverlapFragments { planned: options.flag("planned") }))
}

struct OverlapFragments {
    planned: bool,
}

impl Pass for OverlapFragments {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let plan = plan_of(cx, body);
        let asks = plan.as_ref().is_some_and(|plan| {
            plan.instruction.as_ref().is_none_or(|it| it.kind == Kind::Mma) && plan.in_flight.is_some_and(|it| it > 0)
        });
        if asks || !self.planned {
            cx.count("loops", overlap_fragments(body, plan.as_deref().filter(|_| asks), cx));
        }
        Ok(())
    }
}

/// Loads fragments ahead in the loops of a kernel. How many loops changed. What the schedule `asked` for is a warning if no
/// loop follows it.
pub fn overlap_fragments(body: &mut Body, asked: Option<&Schedule>, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let is_loop = |&op: &OpId| kernel::For::of(OpRef::new(ctx, body, op)).is_some();
    let loops: Vec<OpId> = body.walk().into_iter().filter(is_loop).collect();
    let mut changed = 0;
    let mut left = Vec::new();
    for op in loops {
        let loc = body.loc(op);
        match find(ctx, body, op) {
            Ok(Some(found)) if cx.allows_rule("fragments") => {
                if rewrite(ctx, body, &found).is_some() {
                    let message = format!("the fragments of {} products a step are loaded ahead", found.parts);
                    cx.remark(RemarkKind::Passed, loc, message);
                    changed += 1;
                }
            }
            Ok(_) => {}
            Err(why) => {
                left.push((loc, format!("the fragments of this loop are not loaded ahead: {why}")));
            }
        }
    }
    let asked = asked.filter(|_| changed == 0);
    for (loc, message) in left {
        not_followed(cx, body, asked, &["in_flight"], (loc, kernel::For::DEF.name), message);
    }
    changed
}

/// A factor of the product.
struct Side {
    /// The op that loads its fragment.
    load: OpId,
    /// The axis of the tile, and that of the fragment, that is reduced.
    tile_axis: usize,
    axis: usize,
}

/// A loop that multiplies.
struct OverlappedLoop {
    op: OpId,
    block: BlockId,
    mma: OpId,
    sides: [Side; 2],
    /// The products of a step.
    parts: i64,
    /// How deep each is.
    depth: i64,
    /// The wait for the tiles of the step, and where threads meet after it.
    wait: OpId,
    meet: OpId,
    /// The number of what the loop carries: the stage, and the token that is awaited.
    stage: usize,
    token: usize,
}

/// The loop's product and what is around it; nothing where it has none, and why it stays where it has.
fn find(ctx: &Context, body: &Body, op: OpId) -> Result<Option<OverlappedLoop>, String> {
    let Some(block) = block_of(ctx, body, op) else { return Ok(None) };
    let ops: Vec<OpId> = body.ops(block).collect();
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let mut products = ops.iter().copied().filter(|&op| kernel::Mma::of(view(op)).is_some());
    let (Some(mma), None) = (products.next(), products.next()) else { return Ok(None) };
    let product = kernel::Mma::from(view(mma));
    let end = ops.last().copied().filter(|&op| kernel::Yield::of(view(op)).is_some()).ok_or("it yields nothing")?;
    let yielded: Vec<ValueId> = body.operands(end).collect();
    // The first argument counts the steps.
    let place = |value: ValueId| body.args(block).iter().position(|&arg| arg == value)?.checked_sub(1);
    let promoted = added(ctx, body, block, product);
    let (before, after) = promoted.unwrap_or((product.acc(), product.out()));
    let sum = place(before).filter(|&at| yielded.get(at) == Some(&after));
    if sum.is_none() || [product.out(), after].iter().any(|&value| body.uses(value).count() != 1) {
        return Err("its products do not only add up".into());
    }

    // What stands in the loop, in order: a wait, a meeting, copies, two loads, the product.
    let (mut wait, mut meet, mut loads) = (None, None, Vec::new());
    for &op in &ops {
        let it = view(op);
        if kernel::Await::of(it).is_some() && wait.is_none() {
            wait = Some(op);
        } else if kernel::Barrier::of(it).is_some_and(|it| it.id().is_none()) && wait.is_some() && meet.is_none() {
            meet = Some(op);
        } else if kernel::LoadShared::of(it).is_some() && meet.is_some() && loads.len() < 2 {
            loads.push(op);
        } else if !(kernel::CopyAsync::of(it).is_some() && meet.is_some() && loads.is_empty()
            || copies_if(ctx, body, op).is_some() && meet.is_some() && loads.is_empty()
            || op == mma
            || op == end
            || dlc_ir::effects::is_speculatable(ctx, body, op))
        {
            return Err(format!("'{}' stands in it", it.name()));
        }
    }
    let (Some(wait), Some(meet)) = (wait, meet) else { return Err("its threads do not meet after a wait".into()) };
    let &[awaited] = body.operands(wait).collect::<Vec<_>>().as_slice() else {
        return Err("it waits for more than the tiles of the step".into());
    };
    let token = place(awaited).ok_or("it waits for copies of the same step")?;
    if yielded.get(token).is_none_or(|&next| place(next).is_none()) {
        return Err(
            "the tiles of the next step are asked for in the same one: rings have less than three stages".into()
        );
    }

    let side = |value: ValueId, axis: usize| {
        let load = body.defining_op(value).filter(|op| loads.contains(op)).ok_or("its factors come from elsewhere")?;
        let own = kernel::LoadShared::from(view(load));
        let is_alone = body.uses(value).count() == 1 && body.defining_block(own.tile()) != Some(block);
        let stage = own.stage().and_then(place).filter(|_| is_alone).ok_or("its tiles are no rings")?;
        let tile_axis = if own.transposed().is_some() { 1 - axis } else { axis };
        Ok::<_, &str>((Side { load, tile_axis, axis }, stage))
    };
    let (left, stage) = side(product.lhs(), 1)?;
    let (right, other) = side(product.rhs(), 0)?;
    if stage != other {
        return Err("its tiles are of two steps".into());
    }

    let lhs = Frag::of(ctx, body.value_type(product.lhs())).ok_or("its factors are no fragments")?;
    let whole = lhs.shape(ctx).get(1).copied().unwrap_or(0);
    let depth = PART_BITS / i64::from(lhs.elem(ctx).bits(ctx).unwrap_or(32));
    if whole % depth != 0 || whole / depth < 2 {
        return Err(format!("a step of {whole} is one product of {depth}"));
    }
    let warps = warps(ctx, body, op).ok_or("it is not known who runs it")?;
    let registers = |ty: dlc_ir::Type| {
        let frag = Frag::of(ctx, ty)?;
        let bits = frag.elem(ctx).bits(ctx)?;
        let placed = frag.place(ctx, warps).ok()?;
        Some(placed.registers() * bits / 32)
    };
    let factors = [left.load, right.load].map(|load| registers(body.value_type(body.result(load, 0))));
    let parts = whole / depth;
    let held = factors.into_iter().sum::<Option<u32>>().map(|all| 2 * all / parts as u32);
    // What a step gives lies next to the sum that it is added to.
    let count = if promoted.is_some() { 2 } else { 1 };
    let held = held.zip(registers(body.value_type(product.out()))).map(|(factors, sums)| factors + count * sums);
    match held {
        Some(held) if held <= MOST_REGISTERS => {}
        Some(held) => return Err(format!("fragments of two products and their sums are {held} registers")),
        None => return Err("it is not known where its fragments lie".into()),
    }
    let sides = [left, right];
    Ok(Some(OverlappedLoop { op, block, mma, sides, parts, depth, wait, meet, stage, token }))
}

/// What a promoted product is added to, and what that gives: the product of the step begins with a constant.
fn added(ctx: &Context, body: &Body, block: BlockId, product: kernel::Mma<'_>) -> Option<(ValueId, ValueId)> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    kernel::Const::of(view(body.defining_op(product.acc())?))?;
    let user = body.uses(product.out()).next()?.op;
    let sum = kernel::Binary::of(view(user)).filter(|sum| sum.function() == Binary::Add)?;
    let before = if sum.lhs() == product.out() { sum.rhs() } else { sum.lhs() };
    (body.block_of(user) == Some(block)).then(|| (before, sum.out()))
}

/// The block of an op that makes copies under a condition on integers, and is done otherwise.
fn copies_if(ctx: &Context, body: &Body, op: OpId) -> Option<BlockId> {
    let inner = kernel::If::of(OpRef::new(ctx, body, op)).filter(|inner| inner.cond().is_none())?;
    let &[then, otherwise] = body.regions(op) else { return None };
    let one = inner.guard().is_some_and(|guard| guard.pieces.len() == 1) && body.results(op).count() == 1;
    let allowed = |block: BlockId, copies: bool| {
        body.ops(block).all(|op| {
            let view = OpRef::new(ctx, body, op);
            kernel::Yield::of(view).is_some()
                || copies && kernel::CopyAsync::of(view).is_some_and(|copy| copy.guard().is_none_or(is_piece))
                || dlc_ir::effects::is_speculatable(ctx, body, op)
        })
    };
    let (then, otherwise) = (body.first_block(then)?, body.first_block(otherwise)?);
    (one && allowed(then, true) && allowed(otherwise, false)).then_some(then)
}

fn is_piece(guard: Guard) -> bool {
    guard.pieces.len() == 1
}

/// The warps of the block that runs an op, if no role takes some of them.
fn warps(ctx: &Context, body: &Body, op: OpId) -> Option<u32> {
    let around = std::iter::successors(body.parent_op(op), |&op| body.parent_op(op));
    if around.into_iter().any(|op| kernel::Role::of(OpRef::new(ctx, body, op)).is_some()) {
        return None;
    }
    let grid = kernel::Grid::of(OpRef::new(ctx, body, grid_of(ctx, body, op)?))?;
    u32::try_from(grid.threads() / 32).ok()
}

/// Puts what an op makes under a condition in its place: copies that read nothing where it does not hold.
fn inline(ctx: &Context, body: &mut Body, op: OpId) -> Option<()> {
    let Some(block) = copies_if(ctx, body, op) else { return Some(()) };
    let condition = kernel::If::from(OpRef::new(ctx, body, op));
    let args: Vec<ValueId> = condition.args().collect();
    let conditions = condition.guard()?.pieces.into_iter().next()?;
    for inner in body.ops(block).collect::<Vec<_>>() {
        let view = OpRef::new(ctx, body, inner);
        if kernel::Yield::of(view).is_some() {
            let token = body.operands(inner).next()?;
            body.replace_all_uses(body.result(op, 0), token);
            continue;
        }
        let places = kernel::CopyAsync::of(view).and_then(|_| OpExprs::of(view));
        body.move_op(inner, InsertPoint::Before(op));
        if let Some(places) = places {
            also(places, &args, &conditions)?.write(ctx, body, inner);
        }
    }
    body.erase_op(op);
    Some(())
}

/// Expressions whose guard has more conditions, over other values.
fn also(mut places: OpExprs, args: &[ValueId], conditions: &[Condition]) -> Option<OpExprs> {
    let first = places.args.len();
    let renamed = |name: &str| SizeExpr::symbol(&value_name(first + value_number(name)?)).ok();
    let put = |expr: &SizeExpr| expr.substitute(&renamed).ok();
    let more = conditions.iter().map(|condition| condition.map(&put)).collect::<Option<Vec<_>>>()?;
    places.args.extend(args);
    let mut all = places.guard.take().and_then(|guard| guard.pieces.into_iter().next()).unwrap_or_default();
    all.extend(more);
    places.guard = Some(Guard::all(all));
    Some(places)
}

/// The part of a tile from a position on along an axis.
fn part(ctx: &Context, tile: Tile, axis: usize, extent: i64) -> dlc_ir::Type {
    let mut shape = tile.shape(ctx);
    let layout = match tile.layout(ctx) {
        Shared::Panels { span, rows } if axis == 0 => {
            Shared::Panels { span, rows: rows.or(u32::try_from(shape[0]).ok()) }
        }
        Shared::RowMajor { pitch } => Shared::RowMajor { pitch: pitch.or(u32::try_from(shape[1]).ok()) },
        other => other,
    };
    shape[axis] = extent;
    Tile::get(ctx, 1, shape, tile.elem(ctx), layout)
}

/// Where ops are made.
struct OpBuilder<'a> {
    ctx: &'a Context,
    found: &'a OverlappedLoop,
    loc: Loc,
}

impl OpBuilder<'_> {
    /// Loads a part of both fragments of a step.
    fn load(&self, body: &mut Body, place: InsertPoint, stage: ValueId, number: i64) -> Option<[ValueId; 2]> {
        let ctx = self.ctx;
        let one = |body: &mut Body, side: &Side, place: InsertPoint| {
            let load = kernel::LoadShared::from(OpRef::new(ctx, body, side.load));
            let (tile, transposed) = (load.tile(), load.transposed());
            let (ring, frag) = (Tile::of(ctx, body.value_type(tile))?, Frag::of(ctx, load.type_of(load.out()))?);
            let mut shape = frag.shape(ctx);
            shape[side.axis] = self.found.depth;
            let ty = Frag::get(ctx, shape, frag.elem(ctx), frag.layout(ctx));
            let mut at = vec![SizeExpr::from(0); 2];
            at[side.tile_axis] = SizeExpr::from(number * self.found.depth);
            let part = part(ctx, ring, side.tile_axis, self.found.depth);
            let mut builder = Builder::new(ctx, body, place);
            let slice = kernel::NewSlice { tile, stage: Some(stage), args: &[], at, out_type: part }
                .build(&mut builder, self.loc);
            let slice = builder.result(slice);
            let load = kernel::LoadShared::build(&mut builder, self.loc, slice, None, transposed, ty);
            Some((builder.result(load), InsertPoint::After(load)))
        };
        let [left, right] = &self.found.sides;
        let (a, place) = one(body, left, place)?;
        let (b, _) = one(body, right, place)?;
        Some([a, b])
    }

    /// A part of a copy, before an op: its rows are divided among the products of a step.
    fn copy(&self, body: &mut Body, copy: OpId, number: i64, place: OpId) -> Option<ValueId> {
        let (ctx, parts) = (self.ctx, self.found.parts);
        let own = kernel::CopyAsync::from(OpRef::new(ctx, body, copy));
        let (tile, stage, loc) = (own.tile(), own.stage(), own.loc());
        let ring = Tile::of(ctx, body.value_type(tile))?;
        let rows = ring.shape(ctx)[0] / parts;
        let from = number * rows;
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(place));
        let at = vec![SizeExpr::from(from), SizeExpr::from(0)];
        let slice = kernel::NewSlice { tile, stage, args: &[], at, out_type: part(ctx, ring, 0, rows) }
            .build(&mut builder, loc);
        let slice = builder.result(slice);
        let made = body.clone_op(copy, &mut CloneMap::new());
        body.insert(made, InsertPoint::Before(place));
        let moved = |name: &str| match axis_number(name)? {
            0 => position(0)?.add(&SizeExpr::from(from)).ok(),
            _ => None,
        };
        let put = |expr: &SizeExpr| expr.substitute(&moved).ok();
        let mut places = OpExprs::of(OpRef::new(ctx, body, made))?;
        for (_, list) in &mut places.lists {
            *list = list.iter().map(put).collect::<Option<_>>()?;
        }
        places.guard = match places.guard {
            Some(guard) => Some(guard.map(&put)?),
            None => None,
        };
        places.write(ctx, body, made);
        crate::rewrites::rings::regroup(ctx, body, made, |groups| {
            groups[2] = smallvec::smallvec![slice];
            groups[3] = smallvec::smallvec![];
        });
        Some(body.result(made, 0))
    }

    /// Whether the rows of a copy can be divided, each part with work for all threads.
    fn divides(&self, body: &Body, copy: OpId, warps: u32) -> bool {
        let ctx = self.ctx;
        let own = kernel::CopyAsync::from(OpRef::new(ctx, body, copy));
        let divided = || {
            let tile = Tile::of(ctx, body.value_type(own.tile()))?;
            let mut shape = sizes(&tile.shape(ctx)).filter(|shape| shape.len() == 2)?;
            let parts = u32::try_from(self.found.parts).ok()?;
            let rows = shape[0].checked_rem(parts).filter(|rest| *rest == 0).map(|_| shape[0] / parts)?;
            shape[0] = rows;
            let placed = own.by().place_once(ctx, &shape, tile.elem(ctx).bits(ctx)?, warps).ok()?;
            (placed.is_whole() && placed.registers() * 32 * warps == shape.iter().product::<u32>()).then_some(())
        };
        divided().is_some()
    }
}

/// Rewrites a loop. `None` where its integers go beyond 64 bits, which leaves a kernel that only looks different.
fn rewrite(ctx: &Context, body: &mut Body, found: &OverlappedLoop) -> Option<()> {
    let make = OpBuilder { ctx, found, loc: body.loc(found.mma) };
    let warps = warps(ctx, body, found.op)?;
    // What the loop begins with is asked for whether it has a step or not, as it reads the first tiles in any case.
    let inits: Vec<ValueId> = kernel::For::from(OpRef::new(ctx, body, found.op)).inits().collect();
    for made in inits.iter().filter_map(|&init| body.defining_op(init)).collect::<Vec<_>>() {
        if body.block_of(made) == body.block_of(found.op) {
            inline(ctx, body, made)?;
        }
    }
    for op in body.ops(found.block).collect::<Vec<_>>() {
        inline(ctx, body, op)?;
    }
    let inits: Vec<ValueId> = kernel::For::from(OpRef::new(ctx, body, found.op)).inits().collect();
    let (stage, token) = (*inits.get(found.stage)?, *inits.get(found.token)?);
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(found.op));
    kernel::Await::build(&mut builder, make.loc, &[token]);
    kernel::Barrier::build(&mut builder, make.loc, None, None);
    let [a, b] = make.load(body, InsertPoint::Before(found.op), stage, 0)?;
    let carried = carry(ctx, body, found.op, &[(a, "lhs"), (b, "rhs")])?;

    let stage = *body.args(found.block).get(1 + found.stage)?;
    let end = body.last_op(found.block)?;
    let yielded: Vec<ValueId> = body.operands(end).collect();
    let (next_stage, next_token) = (*yielded.get(found.stage)?, *yielded.get(found.token)?);
    // The next stage is known from the beginning of the step.
    if let Some(made) = body.defining_op(next_stage).filter(|&made| body.block_of(made) == Some(found.block)) {
        body.move_op(made, InsertPoint::StartOf(found.block));
    }
    let is_copy = |&op: &OpId| kernel::CopyAsync::of(OpRef::new(ctx, body, op)).is_some();
    let copies: Vec<OpId> = body.ops(found.block).filter(is_copy).collect();
    let divided = copies.iter().all(|&copy| make.divides(body, copy, warps));
    let product = kernel::Mma::from(OpRef::new(ctx, body, found.mma));
    let (mut sum, last, precision) = (product.acc(), product.out(), product.precision());
    let (mut a, mut b) = (carried.args[0], carried.args[1]);
    let before = InsertPoint::Before(found.mma);
    for number in 0..found.parts {
        let is_last = number + 1 == found.parts;
        let mut next = None;
        if !is_last {
            next = Some(make.load(body, before, stage, number + 1)?);
        }
        for &copy in &copies {
            if divided {
                let token = make.copy(body, copy, number, found.mma)?;
                if is_last {
                    body.replace_all_uses(body.result(copy, 0), token);
                }
            } else if number == 0 {
                body.move_op(copy, before);
            }
        }
        if is_last {
            let mut builder = Builder::new(ctx, body, before);
            kernel::Await::build(&mut builder, make.loc, &[next_token]);
            kernel::Barrier::build(&mut builder, make.loc, None, None);
            next = Some(make.load(body, before, next_stage, 0)?);
        }
        let mut builder = Builder::new(ctx, body, before);
        let made = kernel::Mma::build(&mut builder, make.loc, a, b, sum, precision);
        sum = builder.result(made);
        [a, b] = next?;
    }
    body.replace_all_uses(last, sum);
    yield_more(ctx, body, found.block, &[a, b]);
    let mut old = vec![found.mma, found.wait, found.meet];
    old.extend(found.sides.iter().map(|side| side.load));
    old.extend(copies.iter().copied().filter(|_| divided));
    old.into_iter().for_each(|op| body.erase_op(op));
    // Nothing writes to shared memory any more when the loop has ended.
    let is_token = |&value: &ValueId| body.value_type(value) == Token::get(ctx, Work::Load);
    let tokens: Vec<ValueId> = body.results(carried.op).filter(is_token).collect();
    kernel::Await::build(&mut Builder::new(ctx, body, InsertPoint::After(carried.op)), make.loc, &tokens);
    Some(())
}
