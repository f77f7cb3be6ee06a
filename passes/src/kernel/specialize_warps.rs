//! Gives the warps of a block roles: one thread asks TMA for tiles, and groups of four warps compute from
//! them, each on its rows.
//!
//! **Requires**: kernel.
//! **Ensures**: a grid of 128 threads in which a thread asks TMA for what a loop needs becomes one of a
//! producer and `consumers` groups, with a ring of `stages` tiles that mbarriers say are full and empty.
//!
//! **Before**
//! ```mlir before
//! kernel.func @product<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[8, K], f16, row_major, align 16>) -> memref<[M, 8], f32> {
//!   require (K mod 8 == 0)
//!   %D = output : memref<[M, 8], f32>
//!   %mA = tensor_map %A : tensormap<[128, 64], f16, swizzle 128>
//!   %mB = tensor_map %B : tensormap<[8, 64], f16, swizzle 128>
//!   grid (M ceildiv 128) threads 128 {
//!     %sA = shared : tile<[128, 64], f16, swizzle 128>
//!     %sB = shared : tile<[8, 64], f16, swizzle 128>
//!     %full = mbarriers arrivals 1 : mbarrier<1>
//!     barrier
//!     %m = block_id 0
//!     %first = index (0)
//!     %zero = const 0.0 : frag<[128, 8], f32, wgmma>
//!     %c:2 = for %k = 0 to K step 64 carry (%acc = %zero, %parity = %first) : frag<[128, 8], f32, wgmma>, index {
//!       elect {
//!         expect %full bytes 17408
//!         tma_load %mA[128*%m, %k] to %sA signal %full
//!         tma_load %mB[0, %k] to %sB signal %full
//!       }
//!       wait %full parity %parity
//!       barrier
//!       %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 8], f32, wgmma>, token<compute>
//!       await %t
//!       barrier
//!       %other = index (1 - %parity)
//!       yield %d, %other
//!     }
//!     store %c to %D[128*%m + i0, i1] where (128*%m + i0 < M)
//!   }
//!   return %D
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @product<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[8, K], f16, row_major, align 16>) -> memref<[M, 8], f32, row_major, align 4> {
//!   require (K mod 8 == 0)
//!   %D = output : memref<[M, 8], f32, row_major, align 4>
//!   %mA = tensor_map %A : tensormap<[128, 64], f16, swizzle 128>
//!   %mB = tensor_map %B : tensormap<[8, 64], f16, swizzle 128>
//!   grid (M ceildiv 128) threads 384 {
//!     %sA = shared : tile<4 x [128, 64], f16, swizzle 128>
//!     %sB = shared : tile<4 x [8, 64], f16, swizzle 128>
//!     %full = mbarriers arrivals 1 : mbarrier<4>
//!     %empty = mbarriers arrivals 8 : mbarrier<4>
//!     barrier
//!     %m = block_id 0
//!     %first = index (0)
//!     role producer warps 0 to 4 registers 40 single {
//!       %0 = index (0)
//!       %1 = index (1)
//!       %2:2 = for %k = 0 to K step 64 carry (%stage = %0, %parity = %1) : index, index {
//!         wait %empty[%stage] parity %parity
//!         expect %full[%stage] bytes 17408
//!         tma_load %mA[128*%m, %k] to %sA[%stage] signal %full[%stage]
//!         tma_load %mB[0, %k] to %sB[%stage] signal %full[%stage]
//!         %next:2 = advance %stage, %parity over 4
//!         yield %next, %next#1
//!       }
//!     }
//!     role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//!       %zero = const 0.0 : frag<[64, 8], f32, wgmma>
//!       %3 = index (0)
//!       %4 = done : token<compute>
//!       %c:5 = for %k = 0 to K step 64 carry (%acc = %zero, %parity = %first, %stage = %3, %held = %4, %before = %3) : frag<[64, 8], f32, wgmma>, index, index, token<compute>, index {
//!         wait %full[%stage] parity %parity
//!         %5 = slice %sA[%stage] at (64*%g, 0) : tile<[64, 64], f16, swizzle 128>
//!         %d, %t = wgmma %5, %sB[%stage] transposed, %acc : frag<[64, 8], f32, wgmma>, token<compute>
//!         await %held
//!         if (1 <= %k) {
//!           arrive %empty[%before] by warp
//!         }
//!         %next:2 = advance %stage, %parity over 4
//!         yield %d, %next#1, %next, %t, %stage
//!       }
//!       await %c#3
//!       if (1 <= K) {
//!         arrive %empty[%c#4] by warp
//!       }
//!       store %c to %D[128*%m + 64*%g + i0, i1] where (128*%m + 64*%g + i0 < M)
//!     }
//!   }
//!   return %D
//! }
//! ```
//!
//! What is not given by options is that of the kernel's plan: stages, roles, registers, and what is loaded for a cluster.
//! With `roles=ping_pong` each consumer has every second tile of a loop over tiles, and named barriers order their products:
//! while one stores, the other one has the tensor cores. With `in-turn` consumers that share a tile are ordered at back-to-back
//! products: one has the tensor cores from the last product of a step to the first one of the next, and computes the ops between
//! them while the others multiply. With `multicast` each block of a cluster loads a part of what all of
//! them need, for all; a tile is empty when the consumers of all blocks have given it back.
//!
//! **Does not** change grids in which threads copy to shared memory, meet by number, or wait for other blocks; with
//! several consumers, neither those in which threads write shared memory, reductions along rows among them, or, where they
//! share a tile, whose fragments are not of 64 rows for each consumer. Ping-pong is only for tiles that need nothing of
//! each other; where those have different numbers of steps they share each of them, or one group has them all. What
//! `pipeline-stages` has made into rings stays too. A remark says why.
//!
//! Phases: (1) what the loops load (`analysis::loads`); (2) for a cluster, loads of parts (`multicast`); (3) the producer: a
//! copy of the loops with nothing in them but requests, each when its tile is empty; (4) the consumers: all else, where
//! requests were waited for the ring's next tile, which is given back where the threads met, or after the products of the
//! next step; where loops do nothing but run it again, in one loop; (5) the rows of all fragments shared among the consumers
//! (`rows`, `in_turn`), or the tiles (`turns`). After the pipelines
//! of CUTLASS (`sm90_mma_tma_gmma_ss_warpspecialized.hpp`, `.._warpspecialized_pingpong.hpp`). Rule of the debug counters:
//! `specialize`.

mod consumers;
mod in_turn;
mod multicast;
mod nests;
mod producer;
mod turns;

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{BlockId, Builder, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::shared_memory;
use dlc_kernel::types::{Frag, MBarrier, Token};
use dlc_plan::clause::Sharing;
use dlc_plan::{Schedule, Target};

use crate::analysis::axes::ancestor_in;
use crate::analysis::conditions::stores_by_engine;
use crate::analysis::loads::{PipelinedLoop, find};
use crate::analysis::nesting::block_of;
use crate::analysis::plans::{PLANNED, given, kernel_pass, plan_of};
use crate::analysis::tiles::{Tiles, is_barrier, tile_of, with_inner};
use crate::plan::defaults;
use crate::plan::report::not_followed;
use crate::rewrites::rings::ring_of;
use crate::rewrites::rows;
use producer::Source;

static DEF: PassDef = PassDef {
    options: &[
        OptionDef {
            name: "stages",
            kind: OptionKind::Text,
            default: "auto",
            doc: "How many tiles a ring has, 2 to 16; 'auto' for what the plan says, or 4.",
        },
        OptionDef {
            name: "consumers",
            kind: OptionKind::Text,
            default: "auto",
            doc: "How many groups of four warps compute, 1 to 4; 'auto' for what the plan says, or 2.",
        },
        OptionDef {
            name: "roles",
            kind: OptionKind::Choice(&["auto", "cooperative", "ping_pong"]),
            default: "auto",
            doc: "How they share the work: cooperative, the rows of one tile, or ping_pong, a tile each, with products ordered by named barriers; 'auto' for what the plan says, or cooperative.",
        },
        OptionDef {
            name: "in-turn",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Whether named barriers order the groups that share a tile at back-to-back products, also where the plan does not say so.",
        },
        OptionDef {
            name: "multicast",
            kind: OptionKind::List,
            default: "[]",
            doc: "Tensors of which each block of a cluster loads a part for all, besides those of the plan.",
        },
        OptionDef {
            name: "producer-registers",
            kind: OptionKind::Int,
            default: "0",
            doc: "The registers of a thread of the producer, 0 for what the plan says, or what fits: 40, or 24 with three consumers or more.",
        },
        OptionDef {
            name: "consumer-registers",
            kind: OptionKind::Int,
            default: "0",
            doc: "The registers of a thread of a consumer, 0 for what the plan says, or what fits: 232, 160 with three consumers, 112 with four.",
        },
        PLANNED,
    ],
    statistics: &[StatDef { name: "grids", doc: "Grids whose warps got roles." }],
    ..kernel_pass("specialize-warps", "Specializes warps: one produces tiles, groups of others consume them.", create)
};
dlc_ir::inventory::submit! { &DEF }

/// The bytes of a panel of results: 64 rows of 128.
const PANEL: i64 = 64 * 128;
/// The registers of an SM, for each thread of a group of four warps.
const REGISTERS: i64 = 512;

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let number = |name: &str| Some(options.int(name)).filter(|&number| number != 0);
    let given = Overrides {
        stages: given(options, "stages")?,
        consumers: given(options, "consumers")?,
        turns: match options.text("roles") {
            "auto" => None,
            roles => Some(roles == "ping_pong"),
        },
        in_turn: options.flag("in-turn"),
        multicast: options.list("multicast").into_iter().map(String::from).collect(),
        producer: number("producer-registers"),
        consumer: number("consumer-registers"),
    };
    given.plan(None)?;
    Ok(Box::new(SpecializeWarps { given, planned: options.flag("planned") }))
}

/// What the options say.
struct Overrides {
    stages: Option<i64>,
    consumers: Option<i64>,
    turns: Option<bool>,
    in_turn: bool,
    multicast: Vec<String>,
    producer: Option<i64>,
    consumer: Option<i64>,
}

/// How the warps share the work.
#[derive(Clone)]
pub struct Plan {
    /// The tiles of a ring.
    pub stages: i64,
    /// The groups that compute.
    pub consumers: i64,
    /// Whether each has a tile of its own, and named barriers order their products (ping-pong); else they share the rows of one.
    pub turns: bool,
    /// Whether named barriers order those that share a tile at back-to-back products.
    pub in_turn: bool,
    /// How many tiles there are of tensors for which the plan says so.
    pub buffers: Vec<(String, i64)>,
    /// The bytes of shared memory that are left for results.
    pub reserved: i64,
    /// The tensors of which each block of a cluster loads a part for all.
    pub multicast: Vec<String>,
    /// The registers of a thread of the producer and of a consumer; none where all threads have as many.
    pub registers: Option<(i64, i64)>,
}

impl Overrides {
    /// With what a plan says where no option does, and what fits where neither does. An error names the number that
    /// cannot be.
    fn plan(&self, plan: Option<&Schedule>) -> Result<Plan, String> {
        let roles = plan.and_then(|plan| plan.roles.as_ref());
        let stages = self.stages.or(plan.and_then(|plan| plan.stages)).unwrap_or(defaults::RING);
        let consumers = self.consumers.or(roles.map(|roles| roles.consumers)).unwrap_or(defaults::CONSUMERS);
        let turns = self.turns.or(roles.map(|roles| roles.kind == Sharing::PingPong)).unwrap_or(false);
        let in_turn = self.in_turn || roles.is_some_and(|roles| roles.in_turn);
        if !(2..=16).contains(&stages) {
            return Err(format!("a ring has 2 to 16 stages, not {stages}"));
        }
        if !(1..=4).contains(&consumers) {
            return Err(format!("there are 1 to 4 consumers, not {consumers}"));
        }
        let registers = |role: &str| plan.and_then(|plan| plan.registers.as_ref()?.get(role).copied());
        let fitting = defaults::registers(consumers);
        let producer = self.producer.or(registers("producer")).unwrap_or(fitting.0);
        let consumer = self.consumer.or(registers("consumer")).unwrap_or(fitting.1);
        let alike = registers("thread").is_some() && self.producer.or(self.consumer).is_none();
        for registers in [producer, consumer] {
            if !(24..=240).contains(&registers) || registers % 8 != 0 {
                return Err(format!("a thread has 24 to 240 registers, a multiple of 8, not {registers}"));
            }
        }
        let all = producer + consumers * consumer;
        if all > REGISTERS {
            return Err(format!(
                "a thread of each role has {all} registers together, and there are {REGISTERS}: consumers have at most {}",
                (REGISTERS - producer) / consumers / 8 * 8
            ));
        }
        let planned = plan.and_then(|plan| plan.multicast.clone()).unwrap_or_default();
        let multicast = self.multicast.iter().cloned().chain(planned).collect();
        let caches = plan.iter().flat_map(|plan| &plan.caches);
        let buffers = caches.filter_map(|cache| Some((cache.tensor.clone(), cache.buffers?.clamp(1, 16)))).collect();
        let stored =
            plan.filter(|plan| stores_by_engine(plan)).map(|plan| plan.store.as_ref().and_then(|it| it.panels));
        let reserved = stored.map_or(0, |panels| panels.unwrap_or(1).clamp(1, 8) * consumers * PANEL);
        let registers = Some((producer, consumer)).filter(|_| !alike);
        Ok(Plan { stages, consumers, turns, in_turn, buffers, reserved, multicast, registers })
    }
}

struct SpecializeWarps {
    given: Overrides,
    planned: bool,
}

impl Pass for SpecializeWarps {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let schedule = plan_of(cx, body);
        if self.planned && schedule.as_ref().is_none_or(|schedule| schedule.roles.is_none()) {
            return Ok(());
        }
        match self.given.plan(schedule.as_deref()) {
            Ok(plan) => {
                let asked = schedule.as_deref().filter(|schedule| schedule.roles.is_some());
                let grids = specialize_warps(body, &plan, asked, cx);
                cx.count("grids", grids);
            }
            Err(why) => {
                let message = format!("'roles': the warps of this kernel get none: {why}");
                let at = (body.loc(body.root()), kernel::Func::DEF.name);
                not_followed(cx, body, schedule.as_deref(), &["roles"], at, message);
            }
        }
        Ok(())
    }
}

/// Gives the warps of a kernel's grids roles. How many grids have got some. What the schedule `asked` for and cannot be done
/// is a warning.
pub fn specialize_warps(body: &mut Body, plan: &Plan, asked: Option<&Schedule>, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut done = 0;
    let grids: Vec<OpId> =
        body.walk().into_iter().filter(|&op| OpRef::new(ctx, body, op).is(kernel::Grid::DEF)).collect();
    for grid in grids {
        let asks = |&op: &OpId| OpRef::new(ctx, body, op).is(kernel::TmaLoad::DEF);
        if !with_inner(body, grid).iter().any(asks) {
            continue;
        }
        // Whose warps have roles, the schedule was followed in already.
        let has_roles = with_inner(body, grid).iter().any(|&op| OpRef::new(ctx, body, op).is(kernel::Role::DEF));
        let asked = asked.filter(|_| !has_roles);
        // A grid that does not fit after all is left as it was.
        let mut changed = body.clone();
        let mut made = specialize(ctx, &mut changed, grid, plan);
        let mut fewer = plan.clone();
        let mut uneven = None;
        loop {
            match &made {
                Err(Refused::Room(_)) if fewer.stages > 2 => fewer.stages -= 1,
                Err(Refused::Uneven(why)) => {
                    uneven = Some(why.clone());
                    fewer.turns = false;
                }
                // One group has the tile whose rows several cannot share.
                Err(Refused::Other(_)) if uneven.is_some() && fewer.consumers > 1 => fewer.consumers = 1,
                _ => break,
            }
            changed = body.clone();
            made = specialize(ctx, &mut changed, grid, &fewer);
        }
        match made {
            Ok(mut not_shared) if cx.allows_rule("specialize") => {
                body.replace_with(changed);
                not_shared.extend(uneven.map(|why| format!("no ping-pong: {why}")));
                if fewer.stages < plan.stages {
                    let (wanted, plan) = (plan.stages, &fewer);
                    not_shared.push(format!("rings have {} tiles and not {wanted}: there is no room", plan.stages));
                }
                let plan = &fewer;
                done += 1;
                if cx.wants_remarks() {
                    let groups = if plan.consumers == 1 { "group computes" } else { "groups compute" };
                    let turns = if plan.turns { " as ping-pong" } else { "" };
                    let count = plan.consumers;
                    let message =
                        format!("one thread loads, and {count} {groups}{turns}, with rings of {}", plan.stages);
                    cx.remark(RemarkKind::Passed, body.loc(grid), message);
                }
                for why in not_shared {
                    not_followed(
                        cx,
                        body,
                        asked,
                        &["multicast", "stages", "roles"],
                        (body.loc(grid), kernel::Grid::DEF.name),
                        why,
                    );
                }
            }
            Ok(_) => {}
            Err(Refused::Room(why) | Refused::Uneven(why) | Refused::Other(why)) => {
                let message = format!("'roles': the warps of this grid get none: {why}");
                not_followed(cx, body, asked, &["roles"], (body.loc(grid), kernel::Grid::DEF.name), message);
            }
        }
    }
    done
}

/// Why the warps of a grid get no roles.
enum Refused {
    /// Fewer tiles might fit.
    Room(String),
    /// Tiles have different numbers of steps: groups might share each of them.
    Uneven(String),
    Other(String),
}

impl From<String> for Refused {
    fn from(why: String) -> Refused {
        Refused::Other(why)
    }
}

impl From<&str> for Refused {
    fn from(why: &str) -> Refused {
        Refused::Other(why.to_string())
    }
}

/// A ring: what is loaded in a loop, and the mbarriers that say that its tiles are empty.
struct Ring {
    found: PipelinedLoop,
    empty: ValueId,
    /// How many tiles it has.
    stages: i64,
    /// The blocks of the cluster that wait for its tiles to be empty, if not this one alone.
    ranks: Vec<ValueId>,
}

/// Gives the warps of a grid roles. What the plan says of loads and is not done, and why.
fn specialize(ctx: &Context, body: &mut Body, grid: OpId, plan: &Plan) -> Result<Vec<String>, Refused> {
    let view = kernel::Grid::from(OpRef::new(ctx, body, grid));
    if view.threads() != 128 {
        let count = view.threads();
        return Err(format!("the block has {count} threads, and one group of four warps is shared among roles").into());
    }
    let block = body.first_block(kernel::Grid::body(view)).ok_or("the grid is empty")?;
    check(ctx, body, block, plan)?;
    let mut found = Vec::new();
    for op in with_inner(body, grid) {
        if kernel::For::of(OpRef::new(ctx, body, op)).is_none() {
            continue;
        }
        let stages = stages_of(ctx, body, op, plan);
        if let Some(loop_) = find(ctx, body, op, stages)? {
            found.push((loop_, stages));
        }
    }
    let asks = |op: OpId| {
        let elect = OpRef::new(ctx, body, op).is(kernel::Elect::DEF);
        elect && with_inner(body, op).iter().any(|&op| OpRef::new(ctx, body, op).is(kernel::TmaLoad::DEF))
    };
    let requests: Vec<OpId> = with_inner(body, grid).into_iter().filter(|&op| asks(op)).collect();
    let known =
        |op: &OpId| found.iter().any(|(found, _)| found.loads.contains(op)) || body.block_of(*op) == Some(block);
    if found.is_empty() || !requests.iter().all(known) {
        return Err("no loop loads by TMA, or a condition decides about it".into());
    }

    let tiles = match plan.turns {
        true => Some(turns::tiles(ctx, body, block, &found.iter().map(|(found, _)| found).collect::<Vec<_>>())?),
        false => None,
    };
    let mut cluster = multicast::Cluster::of(ctx, body, grid, plan);
    let mut rings = Vec::new();
    for (found, stages) in found {
        let ranks = cluster.share(ctx, body, &found);
        rings.push(ring(ctx, body, (found, stages), plan, ranks)?);
    }
    room(ctx, body, grid, plan)?;
    let mut shared = shared_prologue(ctx, body, block);
    let loc = body.loc(grid);
    if rings.iter().any(|ring| !ring.ranks.is_empty()) {
        // Others must not arrive at a barrier, or load, before it is there.
        let (barriers, rest): (Vec<OpId>, Vec<OpId>) =
            shared.into_iter().partition(|&op| is_barrier(OpRef::new(ctx, body, op)));
        barriers.into_iter().for_each(|op| body.erase_op(op));
        shared = rest;
        let op = kernel::ClusterBarrier::build(&mut Builder::at_end(ctx, body, block), loc);
        shared.push(op);
    }
    let last_mbarriers = shared.iter().rposition(|&op| OpRef::new(ctx, body, op).is(kernel::MBarriers::DEF));
    let meets = shared[last_mbarriers.unwrap_or(0)..].iter().any(|&op| {
        let view = OpRef::new(ctx, body, op);
        is_barrier(view) || view.is(kernel::ClusterBarrier::DEF)
    });
    if !meets {
        // Nobody may wait at an mbarrier that is not there yet.
        let op = kernel::Barrier::build(&mut Builder::at_end(ctx, body, block), loc, None, None);
        shared.push(op);
    }
    let last = 4 + 4 * plan.consumers;
    let (producer, consumer) = roles(&mut Builder::at_end(ctx, body, block), loc, plan, last);
    let inside = body.append_block(body.regions(producer)[0]);
    let source = Source { rings: &rings, requests: &requests, shared: &shared, grid: block };
    producer::slice(ctx, body, inside, &source)?;

    let requests: Vec<OpId> = requests.into_iter().filter(|&op| body.block_of(op) == Some(block)).collect();
    requests.into_iter().for_each(|op| body.erase_op(op));
    let mut taken = Vec::new();
    for ring in &mut rings {
        taken.push(consumers::take(ctx, body, ring)?);
    }
    let inside = body.append_block(body.regions(consumer)[0]);
    let group = (plan.consumers > 1).then(|| body.add_arg(inside, Type::INDEX, loc));
    let ops: Vec<OpId> =
        body.ops(block).filter(|op| *op != producer && *op != consumer && !shared.contains(op)).collect();
    for op in ops {
        body.move_op(op, InsertPoint::EndOf(inside));
    }
    body.set_prop(ctx, grid, ctx.intern_str("threads"), Some(ctx.i64_attr(32 * last)));
    if let Some(group) = group {
        body.set_value_name(group, ctx.intern_str("g"));
        match tiles {
            Some(tiles) => turns::take(ctx, body, tiles, &taken, (group, plan))?,
            None => rows::share(ctx, body, consumer, group, plan.consumers)?,
        }
        if plan.in_turn && !plan.turns {
            cluster.missed.extend(in_turn::take(ctx, body, inside, (group, plan.consumers)).err());
        }
    }
    Ok(cluster.missed)
}

/// The role of the producer, and that of the consumers, whose last warp is the one before `last`.
fn roles(builder: &mut Builder<'_>, loc: Loc, plan: &Plan, last: i64) -> (OpId, OpId) {
    let producer = kernel::NewRole {
        name: "producer",
        first: 0,
        last: 4,
        groups: 1,
        registers: plan.registers.map(|(own, _)| own),
        single: Some(()),
    }
    .build(builder, loc);
    let consumer = kernel::NewRole {
        name: "consumer",
        first: 4,
        last,
        groups: plan.consumers,
        registers: plan.registers.map(|(_, own)| own),
        single: None,
    }
    .build(builder, loc);
    (producer, consumer)
}

/// What speaks against roles in the ops of a grid.
fn check(ctx: &Context, body: &Body, block: BlockId, plan: &Plan) -> Result<(), String> {
    let tiles = Tiles::of(ctx, body);
    for op in body.ops(block).flat_map(|op| with_inner(body, op)) {
        let view = OpRef::new(ctx, body, op);
        let meets_others = [kernel::ClusterBarrier::DEF, kernel::BarrierArrive::DEF, kernel::GridWait::DEF];
        if kernel::Role::of(view).is_some() {
            return Err("it has roles already".into());
        }
        if meets_others.iter().any(|&def| view.is(def)) || (view.is(kernel::Barrier::DEF) && !is_barrier(view)) {
            return Err(format!("'{}' is for all threads of the block", view.name()));
        }
        let writers = if view.is(kernel::Shared::DEF) { tiles.writers(op) } else { &[] };
        let writers = writers.iter().map(|&op| OpRef::new(ctx, body, op));
        if writers.clone().any(|op| op.is(kernel::Copy::DEF) || op.is(kernel::CopyAsync::DEF)) {
            return Err("its threads copy, too".into());
        }
        if plan.consumers > 1 && writers.clone().any(|op| !op.is(kernel::TmaLoad::DEF)) {
            return Err("its threads write shared memory, which several consumers would all do".into());
        }
        if let Some(load) = kernel::TmaLoad::of(view) {
            let outside = tile_of(ctx, body, load.tile()).is_none_or(|tile| body.block_of(tile) != Some(block));
            if outside || ancestor_in(body, op, block).is_none() {
                return Err("it is not known where its tiles lie".into());
            }
        }
    }
    Ok(())
}

/// The ops of a grid that all roles need and any thread can run: tiles, mbarriers and the barrier after them, and integers
/// that they name.
fn shared_prologue(ctx: &Context, body: &Body, block: BlockId) -> Vec<OpId> {
    let mut stays: Vec<OpId> = Vec::new();
    let mut before_others = true;
    for op in body.ops(block) {
        let view = OpRef::new(ctx, body, op);
        let made = view.is(kernel::Shared::DEF) || view.is(kernel::MBarriers::DEF);
        let plain = |ty: Type| Frag::of(ctx, ty).is_none() && Token::of(ctx, ty).is_none();
        let is_integer = dlc_ir::effects::is_speculatable(ctx, body, op)
            && view.result_types().all(plain)
            && view.operands().all(|value| {
                body.defining_op(value).is_none_or(|op| body.block_of(op) != Some(block) || stays.contains(&op))
            });
        let meets = before_others && is_barrier(view);
        if made || is_integer || meets {
            stays.push(op);
        } else {
            before_others = false;
        }
    }
    stays
}

/// The tiles of a loop as rings, with mbarriers that say which are empty.
fn ring(
    ctx: &Context,
    body: &mut Body,
    (found, stages): (PipelinedLoop, i64),
    plan: &Plan,
    ranks: Vec<ValueId>,
) -> Result<Ring, String> {
    let full = found.requests.first().and_then(|request| body.defining_op(request.full)).ok_or("it has no mbarrier")?;
    for &ring in &found.rings {
        let ty = ring_of(ctx, body.value_type(ring), stages).ok_or("its tiles are rings already")?;
        body.set_value_type(ring, ty);
    }
    let loc = body.loc(full);
    // Every warp of those that read a tile gives it back: to each block that loads for all.
    let groups = if plan.turns { 1 } else { plan.consumers };
    let arrivals = 4 * groups * ranks.len().max(1) as i64;
    let mut builder = Builder::new(ctx, body, InsertPoint::After(full));
    let op = kernel::MBarriers::build(&mut builder, loc, arrivals, MBarrier::get(ctx, stages));
    let empty = builder.result(op);
    body.set_value_name(empty, ctx.intern_str("empty"));
    Ok(Ring { found, empty, stages, ranks })
}

/// How many tiles the ring of a loop has: what the plan says of the tensors that it loads, else of all.
fn stages_of(ctx: &Context, body: &Body, loop_: OpId, plan: &Plan) -> i64 {
    let Some(block) = block_of(ctx, body, loop_) else { return plan.stages };
    let elects = body.ops(block).filter(|&op| OpRef::new(ctx, body, op).is(kernel::Elect::DEF));
    let loads = elects.flat_map(|op| with_inner(body, op));
    let loads = loads.filter_map(|op| kernel::TmaLoad::of(OpRef::new(ctx, body, op)));
    let said: Option<Vec<i64>> = loads
        .map(|load| {
            let map = kernel::TensorMapOf::of(OpRef::new(ctx, body, body.defining_op(load.map())?))?;
            let name = ctx.str(body.value_name(map.memory()));
            plan.buffers.iter().find(|(tensor, _)| tensor == name).map(|(_, count)| *count)
        })
        .collect();
    said.and_then(|said| said.into_iter().max()).unwrap_or(plan.stages)
}

/// That all rings fit into the shared memory of a block, and results besides them.
fn room(ctx: &Context, body: &Body, grid: OpId, plan: &Plan) -> Result<(), Refused> {
    let func = kernel::Func::of(OpRef::new(ctx, body, body.root()));
    let Some(target) = func.and_then(|func| Target::built_in(func.target()?)) else { return Ok(()) };
    let bytes = i64::from(shared_memory(OpRef::new(ctx, body, grid))?.bytes);
    let most = target.smem_per_block;
    if bytes + plan.reserved <= most || (plan.stages == 2 && bytes <= most) {
        return Ok(());
    }
    let name = target.name;
    Err(Refused::Room(format!("its rings take {bytes} bytes of shared memory, and a block of {name} has {most}")))
}
