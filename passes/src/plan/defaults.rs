//! What holds where a plan says nothing: the only place for these numbers. Each is the clause if there is one.

use dlc_plan::Schedule;
use dlc_plan::clause::{Barrier, Roles, Sharing};

/// The tiles of a ring where one warpgroup loads for others.
pub const RING: i64 = 4;
/// The tiles of a ring that the threads which compute fill, where an option asks for one.
pub const STAGES: i64 = 3;
/// The warpgroups that compute, where an option asks for roles.
pub const CONSUMERS: i64 = 2;
/// The swizzled sub-tiles through which a warpgroup stores results.
pub const SUB_TILES: i64 = 2;

/// The tiles of each operand in shared memory: a ring where warps have roles, two where one is filled while another is used
/// (`pingpong`), else one.
pub fn stages(plan: &Schedule) -> i64 {
    let turns = plan.smem_caches().any(|cache| cache.pingpong);
    plan.stages.unwrap_or(match (plan.roles.is_some(), turns) {
        (true, _) => RING,
        (false, true) => 2,
        (false, false) => 1,
    })
}

/// What tells that a tile has arrived: roles exchange tiles by mbarriers, all else waits at a barrier of the block.
pub fn barrier(plan: &Schedule) -> Barrier {
    plan.barrier.unwrap_or(if plan.roles.is_some() { Barrier::Mbarrier } else { Barrier::Block })
}

/// The registers of a thread of the producer and of a consumer.
pub fn registers(consumers: i64) -> (i64, i64) {
    match consumers {
        4.. => (24, 112),
        3 => (24, 160),
        _ => (40, 232),
    }
}

/// The registers of a thread of each role, unless the plan gives all threads as many.
pub fn registers_of(plan: &Schedule, roles: &Roles) -> Option<(i64, i64)> {
    let given = |role: &str| plan.registers.as_ref().and_then(|table| table.get(role)).copied();
    let (producer, consumer) = registers(roles.consumers);
    let split = (given("producer").unwrap_or(producer), given("consumer").unwrap_or(consumer));
    given("thread").is_none().then_some(split)
}

/// The warpgroups that share one tile.
pub fn sharing(plan: &Schedule) -> i64 {
    let cooperative = plan.roles.as_ref().filter(|roles| roles.kind == Sharing::Cooperative);
    cooperative.map_or(1, |roles| roles.consumers.max(1))
}

/// How many numbers of some values each thread of four warps holds, which share a tile.
pub fn held_by_default(tile: [u32; 2], values: usize) -> u64 {
    u64::from(tile[0]) * u64::from(tile[1]) / (4 * 32) * values as u64
}
