//! Grids, roles, loops, conditions, integers.

use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::effects::effects;
use dlc_ir::op::Effects;
use dlc_ir::{Diagnostics, OpRef, RegionId, Type, TypeData};

use super::{WRONG_THREADS, broken, names, place, plain, whole_warps};
use crate::ops::{
    Advance, BlockId, BlockRank, Const, Elect, For, Func, Grid, GridSize, If, Index, Order, Output, Require, Return,
    Role, Scratch, TensorMapOf, TileOrder, WarpIf, Workspace, Yield, through,
};
use crate::places::{shared_limit, shared_memory};
use crate::types::{Frag, elem_of};

/// What a kernel may do when it is launched, and that it does.
pub fn func(op: Func<'_>, diags: &Diagnostics) {
    dlc_core::types::verify_function(*op, "kernel", diags);
    let TypeData::Function { inputs, .. } = op.ctx.type_data(op.function_type()) else { return };
    if op.arg_attrs().is_some_and(|attrs| attrs.len() != inputs.len()) {
        let count = inputs.len();
        plain(*op, format!("'arg_attrs' must have a dictionary for each of the {count} arguments"), diags);
    }
    let root = op.resolve();
    for id in root.body.entry_block().into_iter().flat_map(|block| root.body.ops(block)) {
        let inner = OpRef { id, ..root };
        if !is_for_host(inner) {
            let message = "a block does this, not who launches it: put it into a 'grid'".into();
            broken(inner, &WRONG_THREADS, message, diags);
        }
    }
}

/// Whether an op needs no block that runs it.
fn is_for_host(op: OpRef<'_>) -> bool {
    let launches = Grid::of(op).is_some() || Require::of(op).is_some() || TensorMapOf::of(op).is_some();
    let buffer = Output::of(op).is_some() || Scratch::of(op).is_some() || Workspace::of(op).is_some();
    let memory = buffer || Return::of(op).is_some();
    let place = BlockId::of(op).is_some() || GridSize::of(op).is_some() || BlockRank::of(op).is_some();
    let numbers = op.result_types().all(|ty| ty == Type::INDEX || ty.bits(op.ctx).is_some());
    let computes = op.regions().is_empty() && effects(op.ctx, op.body, op.id) == Effects::NONE;
    let is_kernel_op = op.name().starts_with("kernel.");
    launches || memory || !is_kernel_op || (computes && numbers && !place)
}

/// The host looks at it, before there are blocks.
pub fn require(op: Require<'_>, diags: &Diagnostics) {
    names(*op, &op.guard().exprs().cloned().collect::<Vec<_>>(), op.args().len(), 0, diags);
    if super::warps_of(*op).is_some() {
        broken(*op, &WRONG_THREADS, "a kernel is refused before it is launched, not in a grid".into(), diags);
    }
}

/// A grid has up to three axes and whole warps.
pub fn grid(op: Grid<'_>, diags: &Diagnostics) {
    let dims = op.dims();
    if dims.is_empty() || dims.len() > 3 {
        plain(*op, format!("a grid has one to three axes, not {}", dims.len()), diags);
    }
    names(*op, &dims, op.args().len(), 0, diags);
    if let Some(blocks) = dims.iter().filter_map(SizeExpr::as_constant).find(|&blocks| blocks < 0) {
        plain(*op, format!("a number of blocks is not negative, and {blocks} is"), diags);
    }
    if !matches!(op.threads(), 32..=1024) || op.threads() % 32 != 0 {
        let message =
            format!("a block has 32 to 1024 threads, in whole warps, and {} are no such number", op.threads());
        plain(*op, message, diags);
    }
    if let Some(cluster) = op.cluster() {
        let blocks: i64 = cluster.iter().fold(1, |count, &size| count.saturating_mul(size));
        if cluster.len() > dims.len() || cluster.iter().any(|&size| size < 1) || blocks > CLUSTER_BLOCKS {
            let message = format!(
                "a cluster has up to {CLUSTER_BLOCKS} blocks along the axes of the grid on every GPU that has clusters, not \
                 {cluster:?}"
            );
            plain(*op, message, diags);
        }
    }
    if let Some(blocks) =
        op.blocks_per_sm().filter(|blocks| !(1..=32).contains(blocks) || blocks.saturating_mul(op.threads()) > 2048)
    {
        let message =
            format!("an SM runs up to 32 blocks and 2048 threads at once, not {blocks} blocks of {}", op.threads());
        plain(*op, message, diags);
    }
    registers(op, diags);
    shared_bytes(op, diags);
    let mut roles = false;
    let block = op.body.first_block(Grid::body(op));
    for id in block.into_iter().flat_map(|block| op.body.ops(block)) {
        let inner = OpRef { id, ..*op };
        let role = Role::of(inner).is_some();
        if roles && !role {
            broken(inner, &WRONG_THREADS, "after a role stand only roles: no other threads are left".into(), diags);
            break;
        }
        roles = roles || role;
    }
}

/// The blocks that a cluster may have on every GPU that has clusters. More are not portable: they must be asked for, and
/// refused where no part of the GPU has so many SMs free.
const CLUSTER_BLOCKS: i64 = 8;

/// The registers of an SM.
const REGISTER_FILE: i64 = 65_536;

/// After all roles have changed their registers, the block has no more than it was launched with.
fn registers(op: Grid<'_>, diags: &Diagnostics) {
    if !matches!(op.threads(), 32..=1024) {
        return;
    }
    let blocks = op.blocks_per_sm().filter(|blocks| (1..=32).contains(blocks)).unwrap_or(1);
    let own = (REGISTER_FILE / (op.threads() * blocks) / 8 * 8).min(256);
    let block = op.body.first_block(Grid::body(op));
    let roles = block.into_iter().flat_map(|block| op.body.ops(block)).filter_map(|id| Role::of(OpRef { id, ..*op }));
    // What is wrong with a single role is said there.
    let roles: Vec<Role<'_>> =
        roles.filter(|role| 0 <= role.first() && role.first() < role.last() && role.last() <= 32).collect();
    if roles.iter().all(|role| role.registers().is_none()) {
        return;
    }
    let changed: i64 = roles
        .iter()
        .map(|role| (role.last() - role.first()) * 32 * (role.registers().unwrap_or(own).clamp(0, 256) - own))
        .sum();
    let (had, wanted) = (own * op.threads(), own * op.threads() + changed);
    if wanted > had {
        let message = format!(
            "the roles want {wanted} registers, and a block of {} threads is launched with {had}, {own} for each, of the \
             {REGISTER_FILE} of an SM",
            op.threads()
        );
        plain(*op, message, diags);
    }
}

/// Tiles and barriers fit into the shared memory of a block.
fn shared_bytes(op: Grid<'_>, diags: &Diagnostics) {
    let func = std::iter::successors(Some(op.id), |&at| op.body.parent_op(at));
    let func = func.into_iter().find_map(|id| Func::of(OpRef { id, ..*op }));
    let most = shared_limit(func.and_then(|func| func.target()));
    match shared_memory(*op) {
        Ok(places) if places.bytes > most => {
            let message = format!("a block has up to {most} bytes of shared memory, not {}", places.bytes);
            plain(*op, message, diags);
        }
        _ => {}
    }
}

/// Warps that there are, in equal groups, each in one role.
pub fn role(op: Role<'_>, diags: &Diagnostics) {
    let (first, last, groups) = (op.first(), op.last(), op.groups());
    let Some(grid) = op.body.parent_op(op.id).and_then(|parent| Grid::of(OpRef { id: parent, ..*op })) else {
        return broken(*op, &WRONG_THREADS, "a role stands in a grid, in no other region".into(), diags);
    };
    let warps = grid.threads() / 32;
    if first < 0 || last <= first || last > warps {
        let message = format!("the block has the warps 0 to {warps}, and {first} to {last} are not among them");
        return broken(*op, &WRONG_THREADS, message, diags);
    }
    if groups < 1 || (last - first) % groups != 0 {
        let message = format!("{} warps cannot be {groups} groups of as many", last - first);
        broken(*op, &WRONG_THREADS, message, diags);
    }
    if let Some(block) = op.body.first_block(Role::body(op)) {
        let args = op.body.args(block);
        if args.len() > 1 || args.iter().any(|&arg| op.type_of(arg) != Type::INDEX) {
            plain(*op, "a role takes at most the number of the group, an 'index'", diags);
        }
    }
    let mut before = op.body.prev_op(op.id);
    while let Some(other) = before.and_then(|id| Role::of(OpRef { id, ..*op })) {
        if first < other.last() && other.first() < last {
            let message = format!("the warps {first} to {last} are also in the role '{}'", other.name());
            broken(*op, &WRONG_THREADS, message, diags);
        }
        before = op.body.prev_op(other.id);
    }
    if op.registers().is_some() && (first % 4 != 0 || last % 4 != 0) {
        let message = format!(
            "whole groups of 4 warps change their registers, from a multiple of 4 on, and {first} to {last} are none"
        );
        broken(*op, &WRONG_THREADS, message, diags);
    }
    if let Some(registers) = op.registers().filter(|&registers| !(24..=256).contains(&registers) || registers % 8 != 0)
    {
        plain(*op, format!("a thread has 24 to 256 registers, a multiple of 8, not {registers}"), diags);
    }
}

/// What the region of one thread gives.
pub fn elect(op: Elect<'_>, diags: &Diagnostics) {
    yields(*op, Elect::body(op), &op.result_types().collect::<Vec<_>>(), diags);
}

/// The region takes the integer and what is carried, and yields what is carried.
pub fn for_(op: For<'_>, diags: &Diagnostics) {
    let bounds = op.bounds();
    if bounds.len() != 3 {
        return plain(*op, "a loop has a first integer, a last one and a step", diags);
    }
    if bounds[2].as_constant().is_some_and(|step| step <= 0) {
        plain(*op, "the step of a loop is positive", diags);
    }
    names(*op, &bounds, op.args().len(), 0, diags);
    let carried: Vec<Type> = op.inits().map(|value| op.type_of(value)).collect();
    if !op.result_types().eq(carried.iter().copied()) {
        return plain(*op, "a loop gives what it carries: as many results, of the same types", diags);
    }
    let Some(block) = op.body.first_block(For::body(op)) else { return };
    let args: Vec<Type> = op.body.args(block).iter().map(|&arg| op.type_of(arg)).collect();
    if args.first() != Some(&Type::INDEX) || args[1..] != carried {
        return plain(*op, "the region must take an 'index' and the carried values", diags);
    }
    yields(*op, For::body(op), &carried, diags);
}

/// A condition of one kind, and both regions yield the results.
pub fn if_(op: If<'_>, diags: &Diagnostics) {
    match (op.cond(), op.guard()) {
        (Some(_), None) => {}
        (None, Some(guard)) => names(*op, &guard.exprs().cloned().collect::<Vec<_>>(), op.args().len(), 0, diags),
        _ => plain(*op, "the condition is a value, or one of integers, and not both", diags),
    }
    let results: Vec<Type> = op.result_types().collect();
    if op.otherwise().len() > 1 {
        return plain(*op, "there are two regions at most", diags);
    }
    if op.otherwise().is_empty() && !results.is_empty() {
        plain(*op, "an op with results must have a second region", diags);
    }
    for &region in op.regions() {
        yields(*op, region, &results, diags);
    }
}

/// Warps decide for themselves, so both regions give fragments and touch nothing else.
pub fn warp_if(op: WarpIf<'_>, diags: &Diagnostics) {
    whole_warps(*op, "agree on a condition", diags);
    let ctx = op.ctx;
    if elem_of(ctx, op.type_of(op.cond())) != Type::I1 {
        plain(*op, "the condition must be 'i1'", diags);
    }
    place(*op, op.type_of(op.cond()), diags);
    let results: Vec<Type> = op.result_types().collect();
    if results.is_empty() || results.iter().any(|&ty| Frag::of(ctx, ty).is_none()) {
        plain(*op, "each warp gives fragments, and at least one", diags);
    }
    for region in [WarpIf::then(op), WarpIf::otherwise(op)] {
        yields(*op, region, &results, diags);
        for inner in op.body.first_block(region).into_iter().flat_map(|block| op.body.ops(block)) {
            let inner = OpRef { id: inner, ..*op };
            if through(inner).is_some() || effects(ctx, op.body, inner.id) != Effects::NONE {
                let message = "a warp does this alone: it may only compute on registers here".into();
                broken(inner, &WRONG_THREADS, message, diags);
            }
        }
    }
}

/// The region ends with a `yield` of the results; without results it may do without.
fn yields(op: OpRef<'_>, region: RegionId, wanted: &[Type], diags: &Diagnostics) {
    let last = op.body.first_block(region).and_then(|block| op.body.last_op(block));
    let end = last.and_then(|last| Yield::of(OpRef { id: last, ..op }));
    let given: Vec<Type> = end.map_or_else(Vec::new, |end| end.values().map(|value| op.type_of(value)).collect());
    if given != wanted {
        let show = |types: &[Type]| types.iter().map(|ty| ty.display(op.ctx)).collect::<Vec<_>>().join(", ");
        let message = format!("the region yields ({}), and not ({})", show(&given), show(wanted));
        plain(end.map_or(op, |end| *end), message, diags);
    }
}

fn axis(op: OpRef<'_>, axis: i64, diags: &Diagnostics) {
    if !(0..3).contains(&axis) {
        plain(op, format!("a grid has the axes 0, 1 and 2, not {axis}"), diags);
    }
}

/// A grid has three axes.
pub fn block_id(op: BlockId<'_>, diags: &Diagnostics) {
    axis(*op, op.axis(), diags);
}

/// A grid has three axes.
pub fn grid_size(op: GridSize<'_>, diags: &Diagnostics) {
    axis(*op, op.axis(), diags);
}

/// One expression, of an integer or of a fragment of integers.
pub fn index(op: Index<'_>, diags: &Diagnostics) {
    let ty = op.type_of(op.out());
    let axes = Frag::of(op.ctx, ty).map_or(0, |frag| frag.shape(op.ctx).len());
    let value: Vec<SizeExpr> = op.value();
    if value.len() != 1 {
        plain(*op, "there must be one expression", diags);
    }
    let elem = elem_of(op.ctx, ty);
    if elem != Type::INDEX && !elem.is_integer(op.ctx) {
        plain(*op, "the result must be an integer, or a fragment of integers", diags);
    }
    names(*op, &value, op.args().len(), axes, diags);
    place(*op, ty, diags);
}

/// Rows and columns, and a height where there are groups.
pub fn tile_order(op: TileOrder<'_>, diags: &Diagnostics) {
    let tiles = op.tiles();
    if tiles.len() != 2 {
        plain(*op, format!("tiles are counted by rows and columns, not along {} axes", tiles.len()), diags);
    }
    names(*op, &tiles, op.args().len(), 0, diags);
    match (op.order(), op.group()) {
        (Order::Grouped, Some(1..)) | (Order::Rows | Order::Columns | Order::Hilbert, None) => {}
        (Order::Grouped, _) => plain(*op, "the rows of a group are a positive number: 'grouped 8'", diags),
        _ => plain(*op, "only the order 'grouped' has groups", diags),
    }
}

/// A ring has stages.
pub fn advance(op: Advance<'_>, diags: &Diagnostics) {
    if op.stages() < 1 {
        plain(*op, format!("a ring has at least one stage, not {}", op.stages()), diags);
    }
}

/// A number of the type of the elements.
pub fn const_(op: Const<'_>, diags: &Diagnostics) {
    let ty = op.type_of(op.out());
    let elem = match op.ctx.attr_data(op.value()) {
        AttrData::Integer { ty, .. } | AttrData::Float { ty, .. } => Some(*ty),
        _ => None,
    };
    if elem != Some(elem_of(op.ctx, ty)) {
        plain(*op, "the constant must be a number of the type of the elements", diags);
    }
    place(*op, ty, diags);
}
