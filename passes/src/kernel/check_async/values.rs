//! Which values of a grid the machine follows: those that decide what is done, and fragments that a matrix product may
//! still write.

use dlc_ir::body::ValueDef;
use dlc_ir::entity::EntityId as _;
use dlc_ir::{OpRef, RegionId, Type, ValueId};
use dlc_kernel::ops;
use dlc_kernel::types::{Frag, MBarrier, Tile, Token};

/// What is followed.
pub struct Flow {
    needed: Vec<bool>,
    late: Vec<bool>,
}

/// What a region yields.
pub fn yielded(op: OpRef<'_>, region: RegionId) -> Vec<ValueId> {
    let last = op.body.first_block(region).and_then(|block| op.body.last_op(block));
    let end = last.and_then(|id| ops::Yield::of(OpRef { id, ..op }));
    end.map_or_else(Vec::new, |end| end.values().collect())
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
        let mut flow = Flow { needed: vec![false; count], late: vec![false; count] };
        // A fragment goes around loops and out of them: until nothing changes.
        while all.iter().any(|&id| flow.spread(OpRef { id, ..grid })) {}
        let mut work: Vec<ValueId> = grid.operands().collect();
        // What must hold at the launch.
        let before = std::iter::successors(grid.body.prev_op(grid.id), |&id| grid.body.prev_op(id));
        for require in before.filter_map(|id| ops::Require::of(OpRef { id, ..grid })) {
            work.extend(require.args());
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

    /// Whether a value is a fragment that a matrix product may still write.
    pub fn is_late(&self, value: ValueId) -> bool {
        self.late[value.index()]
    }

    fn spread(&mut self, op: OpRef<'_>) -> bool {
        let mut pairs: Vec<(ValueId, ValueId)> = Vec::new();
        if let Some(op) = ops::Wgmma::of(op) {
            return !std::mem::replace(&mut self.late[op.out().index()], true);
        } else if let Some(op) = ops::For::of(op) {
            let block = op.body.first_block(ops::For::body(op));
            let args = block.map_or(&[][..], |block| op.body.args(block));
            let args = args.get(1..).unwrap_or_default();
            pairs.extend(op.inits().zip(args.iter().copied()));
            pairs.extend(yielded(*op, ops::For::body(op)).into_iter().zip(args.iter().copied()));
            pairs.extend(args.iter().copied().zip(op.results()));
        } else if ops::If::of(op).is_some() || ops::Elect::of(op).is_some() || ops::WarpIf::of(op).is_some() {
            for &region in op.regions() {
                pairs.extend(yielded(op, region).into_iter().zip(op.results()));
            }
        }
        let mut changed = false;
        for (from, to) in pairs {
            if self.late[from.index()] && Frag::of(op.ctx, op.type_of(to)).is_some() {
                changed |= !std::mem::replace(&mut self.late[to.index()], true);
            }
        }
        changed
    }

    /// What an op itself needs.
    fn roots(&self, op: OpRef<'_>, into: &mut Vec<ValueId>) {
        let forwards = ops::Yield::of(op).is_some();
        let skips = if forwards { op.operands().len() } else { ops::For::of(op).map_or(0, |op| op.inits().len()) };
        let count = op.operands().len() - skips;
        for value in op.operands().take(count) {
            let ty = op.type_of(value);
            let always = Token::of(op.ctx, ty).is_some()
                || Tile::of(op.ctx, ty).is_some()
                || MBarrier::of(op.ctx, ty).is_some()
                || ops::For::of(op).is_some()
                || ops::If::of(op).is_some();
            let staged = ty == Type::INDEX && decides(op, value);
            if always || staged || self.late[value.index()] {
                into.push(value);
            }
        }
    }
}

/// Whether an integer operand says which stage, barrier, phase or block.
fn decides(op: OpRef<'_>, value: ValueId) -> bool {
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
            if index == 0 {
                into.extend(op.args());
            }
        }
        ValueDef::Placeholder => {}
    }
}

fn is_integer(op: OpRef<'_>) -> bool {
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
