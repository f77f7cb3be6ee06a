//! Plans near to one that does not fit: what its message is about, and what is made smaller.

use dlc_ir::body::OpRef;
use dlc_plan::Schedule;
use dlc_plan::check::KernelRules;
use dlc_region::ops::Func;

use super::compare::unknown_names;
use super::resolved::{Refused, resolve_once};

/// What a region requires of its plan, for suggestions where the plan does not even fit the machine.
static RULES: KernelRules = KernelRules {
    broken: |ctx, kernel, plan, targets| {
        Func::of(OpRef::new(ctx, kernel, kernel.root()))?;
        kernel.entry_block()?;
        resolve_once(ctx, kernel, Some(plan), targets, true).err().map(Refused::broken)
    },
    unknown: |ctx, kernel, plan| {
        Func::of(OpRef::new(ctx, kernel, kernel.root()))?;
        unknown_names(ctx, kernel, plan).map(Refused::broken)
    },
};
dlc_ir::inventory::submit! { &RULES }

/// The clause that a message about a tile names: the first word in quotes that is one, or what it counts.
pub(super) fn clause_of(message: &str) -> &'static str {
    let quoted = message.split('\'').skip(1).step_by(2);
    let known = |word: &str| Schedule::WORDS.iter().copied().find(|known| *known == word);
    let named = quoted.filter_map(|word| known(word.split(' ').next().unwrap_or(word))).next();
    let counted = || ["threads", "warps", "lanes"].into_iter().find(|word| message.contains(&format!(" {word} ")));
    named.or_else(counted).unwrap_or("tile")
}

/// Leaves open how threads share the tile; where that is open, makes the tile one of powers of two.
pub(super) fn free(plan: &mut Schedule) {
    let is_open = plan.warp_tile.is_none()
        && plan.thread_tile.is_none()
        && plan.lanes.is_none()
        && plan.warps.is_none()
        && plan.threads.is_none();
    if is_open {
        for (_, extent) in plan.tile.iter_mut().flat_map(|tile| &mut tile.0) {
            *extent = u64::try_from(*extent).map_or(*extent, |own| own.next_power_of_two() as i64);
        }
    }
    plan.warp_tile = None;
    plan.thread_tile = None;
    plan.lanes = None;
    plan.warps = None;
    plan.threads = None;
}

/// Halves the larger side of a tile, with what divides it.
pub(super) fn halve(plan: &mut Schedule, sides: [&Option<String>; 2]) {
    let tile = |axis: &Option<String>| axis.as_ref().map_or(1, |axis| plan.tile_of(axis));
    let at = usize::from(tile(sides[1]) >= tile(sides[0]));
    let Some(axis) = sides[at].clone() else { return };
    let half = plan.tile_of(&axis) / 2;
    if half < 1 {
        return;
    }
    let set = |table: &mut Option<dlc_plan::value::Table<i64>>, value: i64| {
        if let Some(entry) = table.as_mut().and_then(|table| table.get_mut(&axis)) {
            *entry = value;
        }
    };
    set(&mut plan.tile, half);
    for table in [&mut plan.warp_tile, &mut plan.thread_tile] {
        let inner = table.as_ref().and_then(|table| table.get(&axis)).copied();
        if inner.is_some_and(|inner| half % inner != 0) {
            set(table, half);
        }
    }
    for table in [&mut plan.warps, &mut plan.threads] {
        let count = table.as_ref().and_then(|table| table.get(&axis)).copied();
        if let Some(count) = count.filter(|count| count % 2 == 0) {
            set(table, count / 2);
        }
    }
    // The shape of an instruction goes with the tile.
    if let Some(of) = &mut plan.instruction {
        of.shape = None;
    }
}
