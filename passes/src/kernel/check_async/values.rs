//! Which values of a grid the machine follows: those that decide what is done, and fragments that a matrix product may
//! still write. What is done on registers alone, and branches and loops around nothing else, it does not run.

use dlc_core::memref::MemRef;
use dlc_ir::body::ValueDef;
use dlc_ir::entity::EntityId as _;
use dlc_ir::{BlockId, OpId, OpRef, RegionId, Type, ValueId};
use dlc_kernel::ops;
use dlc_kernel::types::{Frag, MBarrier, TensorMap, Tile, Token};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is followed.
pub struct Flow {
    needed: Vec<bool>,
    late: Vec<bool>,
    /// Whether the grid may begin before those before it have ended, and waits for them somewhere.
    waits: bool,
    /// Where each token is awaited: the block, and the place of the op among all.
    awaits: FxHashMap<ValueId, Vec<(BlockId, usize)>>,
    places: FxHashMap<OpId, usize>,
    /// The branches and loops in which something is done that others can notice, or that errors can come of.
    deciding: FxHashSet<OpId>,
}

/// The end of a region.
fn end(op: OpRef<'_>, region: RegionId) -> Option<ops::Yield<'_>> {
    let last = op.body.first_block(region).and_then(|block| op.body.last_op(block));
    last.and_then(|id| ops::Yield::of(OpRef { id, ..op }))
}

/// What a region yields.
pub fn yielded(op: OpRef<'_>, region: RegionId) -> Vec<ValueId> {
    end(op, region).map_or_else(Vec::new, |end| end.values().collect())
}

/// Whether a condition depends on data. A function of integers does not.
pub fn is_data(op: OpRef<'_>, value: ValueId) -> bool {
    match op.type_of(value) {
        Type::INDEX => false,
        Type::I1 => match op.body.value_def(value) {
            ValueDef::Result(id, _) => match ops::Binary::of(OpRef { id, ..op }) {
                Some(inner) => is_data(*inner, inner.lhs()) || is_data(*inner, inner.rhs()),
                None => true,
            },
            _ => true,
        },
        _ => true,
    }
}

impl Flow {
    /// What is followed in a grid.
    pub fn of(grid: OpRef<'_>) -> Flow {
        let mut all = Vec::new();
        grid.body.walk_regions(grid.id, &mut all);
        let count = grid.body.value_slots();
        let waits = all.iter().any(|&id| OpRef { id, ..grid }.is(ops::GridWait::DEF));
        let mut flow = Flow {
            waits,
            needed: vec![false; count],
            late: vec![false; count],
            awaits: FxHashMap::default(),
            places: all.iter().copied().zip(0..).collect(),
            deciding: FxHashSet::default(),
        };
        for (place, &id) in all.iter().enumerate() {
            let block = grid.body.block_of(id);
            if let (Some(op), Some(block)) = (ops::Await::of(OpRef { id, ..grid }), block) {
                for token in op.operands() {
                    flow.awaits.entry(token).or_default().push((block, place));
                }
            }
        }
        // A fragment goes around loops and out of them: until nothing changes.
        while all.iter().any(|&id| flow.spread(OpRef { id, ..grid })) {}
        let mut work: Vec<ValueId> = grid.operands().collect();
        // What must hold at the launch.
        let before = std::iter::successors(grid.body.prev_op(grid.id), |&id| grid.body.prev_op(id));
        for require in before.filter_map(|id| ops::Require::of(OpRef { id, ..grid })) {
            work.extend(require.args());
        }
        for &id in &all {
            if flow.notices(OpRef { id, ..grid }) {
                let around = |&id: &OpId| grid.body.parent_op(id);
                flow.deciding.extend(std::iter::successors(Some(id), around).take_while(|&id| id != grid.id));
            }
        }
        for &id in &all {
            flow.roots(OpRef { id, ..grid }, &mut work);
        }
        while let Some(value) = work.pop() {
            if !std::mem::replace(&mut flow.needed[value.index()], true) {
                sources(grid, value, &mut work);
            }
        }
        flow
    }

    /// Whether a value decides something.
    pub fn is_needed(&self, value: ValueId) -> bool {
        self.needed[value.index()]
    }

    /// Whether an op may read a fragment that a matrix product still writes: not where the text says that it is awaited.
    pub fn is_late(&self, op: OpRef<'_>, value: ValueId) -> bool {
        self.late[value.index()] && !self.is_awaited(op, value)
    }

    /// The memory outside of the block that an op touches, and whether it writes there, if a grid before this one may still
    /// use it: not what is marked as constant.
    pub fn unsettled(&self, op: OpRef<'_>) -> Option<(ValueId, bool)> {
        if !self.waits || !op.regions().is_empty() || op.is(ops::Yield::DEF) {
            return None;
        }
        let is_memory = |value: &ValueId| {
            let ty = op.type_of(*value);
            MemRef::of(op.ctx, ty).is_some() || TensorMap::of(op.ctx, ty).is_some()
        };
        let touched = op.operands().find(is_memory)?;
        let writes = ops::Store::of(op).is_some() || ops::TmaStore::of(op).is_some();
        (writes || !is_constant(op, touched)).then_some((touched, writes))
    }

    /// Whether a branch or a loop is followed: others can notice something of it.
    pub fn is_followed(&self, op: OpRef<'_>) -> bool {
        self.deciding.contains(&op.id) || op.results().any(|value| self.is_needed(value))
    }

    /// Whether a value is what a matrix product leaves, and that is awaited on every way from there to the op.
    fn is_awaited(&self, op: OpRef<'_>, value: ValueId) -> bool {
        let ValueDef::Result(id, _) = op.body.value_def(value) else { return false };
        let Some(product) = ops::Wgmma::of(OpRef { id, ..op }) else { return false };
        let Some(awaits) = self.awaits.get(&product.token()) else { return false };
        let around = std::iter::successors(Some(op.id), |&id| op.body.parent_op(id));
        let mut blocks = around.filter_map(|id| op.body.block_of(id));
        let place = self.places.get(&op.id).copied().unwrap_or(0);
        // Ops are counted as they stand in the text: what stands before it in a block around it is done before it.
        blocks.any(|block| awaits.iter().any(|&(of, at)| of == block && at < place))
    }

    /// The results of products on their way whose registers are moved or overwritten where a region ends, or those that
    /// they read: they must be there. What stays in its registers may go on.
    pub fn moved(&self, op: OpRef<'_>) -> Vec<ValueId> {
        let parent = op.body.parent_op(op.id).map(|id| OpRef { id, ..op });
        let (Some(end), Some(parent)) = (ops::Yield::of(op), parent) else { return Vec::new() };
        let is_late = |value: &ValueId| Frag::of(op.ctx, op.type_of(*value)).is_some() && self.is_late(op, *value);
        let mut moved = Vec::new();
        if let Some(loop_) = ops::For::of(parent) {
            let block = op.body.first_block(ops::For::body(loop_));
            let args = block.map_or(&[][..], |block| op.body.args(block));
            let changed = args.iter().skip(1).zip(end.values()).filter(|&(&arg, value)| registers(op, value) != arg);
            let changed: Vec<(ValueId, ValueId)> = changed.map(|(&arg, value)| (arg, value)).collect();
            moved.extend(changed.iter().map(|&(_, value)| value).filter(is_late));
            let mut inside = Vec::new();
            op.body.walk_regions(parent.id, &mut inside);
            for product in inside.into_iter().filter_map(|id| ops::Wgmma::of(OpRef { id, ..op })) {
                let used = [registers(op, product.out()), registers(op, product.lhs())];
                if changed.iter().any(|(arg, _)| used.contains(arg)) && is_late(&product.out()) {
                    moved.push(product.out());
                }
            }
        } else if ops::If::of(parent).is_some() || ops::WarpIf::of(parent).is_some() {
            let ends: Vec<Vec<ValueId>> = parent.regions().iter().map(|&region| yielded(parent, region)).collect();
            for (index, value) in end.values().enumerate().filter(|(_, value)| is_late(value)) {
                let own = registers(op, value);
                if !ends.iter().all(|end| end.get(index).is_some_and(|&other| registers(op, other) == own)) {
                    moved.push(value);
                }
            }
        }
        moved.sort_unstable();
        moved.dedup();
        moved
    }

    /// A fragment that is late where it is handed on is so where it comes to. Whether there is a new one.
    fn spread(&mut self, op: OpRef<'_>) -> bool {
        let mut late: Vec<ValueId> = Vec::new();
        let mut hand_on = |by: OpRef<'_>, from: &mut dyn Iterator<Item = ValueId>, to: &[ValueId]| {
            let pairs = from.zip(to).filter(|&(from, _)| self.is_late(by, from));
            late.extend(pairs.map(|(_, &to)| to).filter(|&to| Frag::of(op.ctx, op.type_of(to)).is_some()));
        };
        let results: Vec<ValueId> = op.results().collect();
        if let Some(product) = ops::Wgmma::of(op) {
            late.push(product.out());
        } else if let Some(op) = ops::For::of(op) {
            let region = ops::For::body(op);
            let block = op.body.first_block(region);
            let args = block.map_or(&[][..], |block| op.body.args(block));
            let args = args.get(1..).unwrap_or_default();
            hand_on(*op, &mut op.inits(), args);
            if let Some(end) = end(*op, region) {
                hand_on(*end, &mut end.values(), args);
            }
            hand_on(*op, &mut args.iter().copied(), &results);
        } else if [ops::If::DEF, ops::Elect::DEF, ops::WarpIf::DEF].into_iter().any(|def| op.is(def)) {
            for end in op.regions().iter().filter_map(|&region| end(op, region)) {
                hand_on(*end, &mut end.values(), &results);
            }
        }
        let mut is_new = false;
        for value in late {
            is_new |= !std::mem::replace(&mut self.late[value.index()], true);
        }
        is_new
    }

    /// Whether others can notice an op itself, or it may be wrong.
    fn notices(&self, op: OpRef<'_>) -> bool {
        let noticed = [
            ops::MBarriers::DEF,
            ops::Shared::DEF,
            ops::Role::DEF,
            ops::Wait::DEF,
            ops::Expect::DEF,
            ops::Arrive::DEF,
            ops::Barrier::DEF,
            ops::BarrierArrive::DEF,
            ops::ClusterBarrier::DEF,
            ops::WarpSync::DEF,
            ops::GridWait::DEF,
            ops::FenceAsync::DEF,
            ops::Await::DEF,
            ops::AwaitRead::DEF,
            ops::Wgmma::DEF,
            ops::LoadShared::DEF,
            ops::StoreShared::DEF,
            ops::Copy::DEF,
            ops::CopyAsync::DEF,
            ops::TmaLoad::DEF,
            ops::TmaStore::DEF,
            ops::Ticket::DEF,
            ops::Release::DEF,
            ops::Acquire::DEF,
        ];
        let hands_on = [ops::Yield::DEF, ops::For::DEF, ops::If::DEF, ops::Elect::DEF, ops::WarpIf::DEF];
        noticed.into_iter().any(|def| op.is(def))
            || through(op).is_some()
            || self.unsettled(op).is_some()
            || !self.moved(op).is_empty()
            || !hands_on.into_iter().any(|def| op.is(def)) && op.operands().any(|value| self.is_late(op, value))
    }

    /// What an op itself needs.
    fn roots(&self, op: OpRef<'_>, into: &mut Vec<ValueId>) {
        let forwards = ops::Yield::of(op).is_some();
        let skips = if forwards { op.operands().len() } else { ops::For::of(op).map_or(0, |op| op.inits().len()) };
        let count = op.operands().len() - skips;
        let branches = ops::For::of(op).is_some() || ops::If::of(op).is_some();
        if branches && !self.deciding.contains(&op.id) {
            return;
        }
        into.extend(self.moved(op));
        // What a product adds to may be on its way, if it adds there.
        let sum = ops::Wgmma::of(op).filter(|&product| adds_in_place(product)).map(|product| product.acc());
        for value in op.operands().take(count) {
            let ty = op.type_of(value);
            let always = Token::of(op.ctx, ty).is_some()
                || Tile::of(op.ctx, ty).is_some()
                || MBarrier::of(op.ctx, ty).is_some()
                || branches;
            let staged = ty == Type::INDEX && decides(op, value);
            if always || staged || sum != Some(value) && self.is_late(op, value) {
                into.push(value);
            }
        }
    }
}

/// The value whose registers a value has: products add to those of what they add to, loops go on in those of their
/// arguments.
fn registers(op: OpRef<'_>, value: ValueId) -> ValueId {
    let ValueDef::Result(id, index) = op.body.value_def(value) else { return value };
    let made = OpRef { id, ..op };
    if let Some(product) = ops::Wgmma::of(made).filter(|&product| adds_in_place(product)) {
        return registers(op, product.acc());
    }
    if let Some(loop_) = ops::For::of(made) {
        let block = op.body.first_block(ops::For::body(loop_));
        return block.and_then(|block| op.body.args(block).get(index + 1).copied()).unwrap_or(value);
    }
    if ops::If::of(made).is_some() || ops::WarpIf::of(made).is_some() {
        let ends = made.regions().iter().map(|&region| yielded(made, region).get(index).map(|&end| registers(op, end)));
        let mut ends: Vec<Option<ValueId>> = ends.collect();
        ends.dedup();
        return if let [Some(only)] = ends[..] { only } else { value };
    }
    value
}

/// Whether a product adds to the registers of its accumulator, which nothing else wants then: otherwise they are copied
/// before, and must be there. In a loop around the product alone the next round wants them again.
pub fn adds_in_place(product: ops::Wgmma<'_>) -> bool {
    let body = product.body;
    let made_in = match body.value_def(product.acc()) {
        ValueDef::Result(id, _) => body.block_of(id),
        ValueDef::Arg(block, _) => Some(block),
        ValueDef::Placeholder => None,
    };
    let around = std::iter::successors(Some(product.id), |&id| body.parent_op(id));
    let mut between = around.take_while(|&id| body.block_of(id) != made_in);
    body.has_one_use(product.acc())
        && !between.any(|id| {
            let parent = body.parent_op(id).map(|id| OpRef { id, ..*product });
            parent.is_none_or(|parent| ops::For::of(parent).is_some())
        })
}

/// Whether an integer operand says which stage, barrier, phase or block.
pub fn decides(op: OpRef<'_>, value: ValueId) -> bool {
    // Positions in global memory decide nothing.
    if let Some(op) = ops::TmaLoad::of(op) {
        return op.stage() == Some(value) || op.barrier_stage() == Some(value);
    }
    if let Some(op) = ops::TmaStore::of(op) {
        return op.stage() == Some(value);
    }
    if let Some(op) = ops::CopyAsync::of(op) {
        return op.stage() == Some(value);
    }
    if let Some(op) = ops::Copy::of(op) {
        return op.stage() == Some(value);
    }
    let synchronizes = [
        ops::Wait::DEF,
        ops::Expect::DEF,
        ops::Arrive::DEF,
        ops::Barrier::DEF,
        ops::BarrierArrive::DEF,
        ops::LoadShared::DEF,
        ops::StoreShared::DEF,
        ops::Wgmma::DEF,
        ops::Slice::DEF,
    ];
    synchronizes.into_iter().any(|def| op.is(def))
}

/// What a value is made from.
fn sources(grid: OpRef<'_>, value: ValueId, into: &mut Vec<ValueId>) {
    match grid.body.value_def(value) {
        ValueDef::Result(id, index) => {
            let op = OpRef { id, ..grid };
            let forwards = [ops::For::DEF, ops::If::DEF, ops::Elect::DEF, ops::WarpIf::DEF];
            if forwards.into_iter().any(|def| op.is(def)) {
                // Which way it comes from.
                into.extend(ops::For::of(op).into_iter().flat_map(|op| op.args()));
                into.extend(ops::If::of(op).into_iter().flat_map(|op| op.operands()));
                for &region in op.regions() {
                    into.extend(yielded(op, region).get(index));
                    // The argument of the loop has the slot of the result.
                    if ops::For::of(op).is_some() {
                        let block = op.body.first_block(region);
                        into.extend(block.and_then(|block| op.body.args(block).get(index + 1).copied()));
                    }
                }
            } else if is_integer(op) {
                into.extend(op.operands());
            }
        }
        ValueDef::Arg(block, index) => {
            let parent = grid.body.region_of(block).and_then(|region| grid.body.region_parent(region));
            let Some(op) = parent.and_then(|id| ops::For::of(OpRef { id, ..grid })) else { return };
            let carried = index.wrapping_sub(1);
            into.extend(op.inits().nth(carried));
            into.extend(yielded(*op, ops::For::body(op)).get(carried));
            into.extend(op.args());
        }
        ValueDef::Placeholder => {}
    }
}

/// Whether memory, or that of a tensor map, is an argument of the kernel that no grid before it writes.
fn is_constant(op: OpRef<'_>, value: ValueId) -> bool {
    match op.body.value_def(value) {
        ValueDef::Result(id, _) => {
            ops::TensorMapOf::of(OpRef { id, ..op }).is_some_and(|map| is_constant(*map, map.memory()))
        }
        ValueDef::Arg(block, index) => {
            let function = ops::Func::of(OpRef { id: op.body.root(), ..op });
            let attrs = function.filter(|_| op.body.entry_block() == Some(block)).and_then(|it| it.arg_attrs());
            let own = attrs.and_then(|attrs| attrs.get(index).copied());
            own.is_some_and(|own| op.ctx.dict_get(own, op.ctx.intern_str("constant")).is_some())
        }
        ValueDef::Placeholder => false,
    }
}

/// The tile that an op goes through on its own.
pub fn through(op: OpRef<'_>) -> Option<ValueId> {
    ops::through(op)
}

/// Whether an op computes integers of integers.
pub fn is_integer(op: OpRef<'_>) -> bool {
    let integers = [
        ops::Index::DEF,
        ops::Min::DEF,
        ops::Max::DEF,
        ops::Binary::DEF,
        ops::Advance::DEF,
        ops::TileOrder::DEF,
        ops::Slice::DEF,
    ];
    integers.into_iter().any(|def| op.is(def))
}
