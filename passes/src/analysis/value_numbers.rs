//! Value numbers: which values of a region are computed alike (Cocke and Schwartz, "Programming Languages and Their
//! Compilers", 1970).

use dlc_ir::body::Body;
use dlc_ir::entity::SideTable;
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, Type, ValueId};
use rustc_hash::FxHashMap;

/// For each value a number, the same for values that are computed alike.
pub type Numbers = SideTable<ValueId, u32>;

/// Numbers the values of a body. Reductions are computed alike only with themselves.
pub fn number(body: &Body) -> Numbers {
    type Key = (dlc_ir::OpName, Attr, SmallVec<[u32; 4]>, Type);
    let mut known: FxHashMap<Key, u32> = FxHashMap::default();
    let (mut numbers, mut next) = (Numbers::new(0), 1);
    let mut fresh = || {
        next += 1;
        next
    };
    let mut operands: SmallVec<[u32; 4]>;
    for block in body.regions(body.root()).iter().flat_map(|&region| body.blocks(region)) {
        for &arg in body.args(block) {
            *numbers.get_mut(arg) = fresh();
        }
    }
    for op in body.walk() {
        for block in body.regions(op).iter().flat_map(|&region| body.blocks(region)) {
            for &arg in body.args(block) {
                *numbers.get_mut(arg) = fresh();
            }
        }
        if !body.regions(op).is_empty() || body.num_results(op) != 1 {
            body.results(op).for_each(|value| *numbers.get_mut(value) = fresh());
            continue;
        }
        operands = body.operands(op).map(|value| *numbers.get(value)).collect();
        let result = body.result(op, 0);
        let key = (body.op_name(op), body.props(op), operands, body.value_type(result));
        *numbers.get_mut(result) = *known.entry(key).or_insert_with(&mut fresh);
    }
    numbers
}
