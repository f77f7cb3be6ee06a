//! What contradicts itself, and what the machine has no hardware for.

use dlc_core::precision::Precision;

use super::{BAD_CLUSTER, BAD_INSTRUCTION, CONFLICT, Checked, UNSUPPORTED};
use crate::clause::{Barrier, Instruction, Kind, Place, Sharing, Split, Store, StoreMethod, Through};
use crate::schedule::Schedule;
use crate::targets::SHAPES;
use crate::value::{Choice, Table};

/// Everything that needs TMA, replaced by what does without.
fn without_tma(plan: &mut Schedule) {
    plan.barrier = Some(Barrier::CpAsyncGroup);
    plan.roles = None;
    plan.cluster = None;
    plan.multicast = None;
    plan.in_flight = None;
    if let Some(table) = &mut plan.registers {
        table.0.retain(|(role, _)| role == "thread");
    }
    plan.registers = plan.registers.take().filter(|table| !table.0.is_empty());
    if plan.store.as_ref().is_some_and(|store| store.way == StoreMethod::Tma) {
        plan.store = Some(Store { way: StoreMethod::Fragments, panels: None, together: None });
    }
}

/// `mma` in place of `wgmma`, with a grid of warps in place of warpgroups.
fn with_mma(plan: &mut Schedule) {
    plan.instruction = Some(Kind::Mma.into());
    plan.roles = None;
    plan.in_flight = None;
    if plan.warp_tile.is_none() && plan.warps.is_none() && plan.threads.is_none() {
        let out = plan.out_tile();
        let matrix = out.len().saturating_sub(2);
        let tile = |(at, (axis, extent)): (usize, &(String, i64))| {
            // At most 64 to a side, and a divisor of the tile.
            let most = if at < matrix { 1 } else { 64.min(*extent) };
            let side = (1..=most).rev().find(|side| extent % side == 0).unwrap_or(1);
            (axis.clone(), side)
        };
        plan.warp_tile = Some(Table(out.iter().enumerate().map(tile).collect()));
    }
}

impl Checked<'_> {
    pub(super) fn combinations(&mut self) {
        self.features();
        let plan = self.plan;
        let overlap = plan.overlap.as_ref();
        if plan.roles.is_some() && plan.barrier.is_some_and(|barrier| barrier != Barrier::Mbarrier) {
            let word = plan.barrier.map_or("", |barrier| Barrier::word(barrier));
            let message = format!("roles wait for each other at barriers in shared memory, and 'barrier' is {word}");
            self.error_with_fix(&["barrier"], &CONFLICT, message, |plan| plan.barrier = Some(Barrier::Mbarrier));
        }
        if plan.barrier == Some(Barrier::CpAsyncGroup)
            && plan.store.as_ref().is_some_and(|store| store.way == StoreMethod::Tma)
        {
            let message = "'barrier cp_async_group' is for copies by threads, and 'store tma' for copies by TMA";
            self.error_with_fix(&["store"], &CONFLICT, message, |plan| plan.barrier = Some(Barrier::Mbarrier));
        }
        if plan.barrier == Some(Barrier::CpAsyncGroup) && plan.multicast.is_some() {
            let message = "'barrier cp_async_group' is for copies by threads, which reach no other block of a cluster";
            self.error_with_fix(&["multicast"], &CONFLICT, message, |plan| plan.multicast = None);
        }
        if let Some(cache) = plan.caches.iter().find(|cache| cache.at.is_some() && cache.place == Place::Reg) {
            let tensor = cache.tensor.clone();
            let message =
                format!("'cache {tensor}' in registers has 'at', and registers hold a tile as long as it is used");
            self.error_with_fix(&[&format!("cache {tensor}")], &CONFLICT, message, |plan| {
                plan.caches.iter_mut().filter(|cache| cache.place == Place::Reg).for_each(|cache| cache.at = None);
            });
        }
        let buffers = plan.smem_caches().map(|cache| plan.buffers_of(cache)).max().or(plan.stages);
        let depth = overlap.and_then(|overlap| overlap.prefetch_depth).filter(|_| overlap.is_some_and(|it| it.enable));
        if let Some((depth, buffers)) = depth.zip(buffers)
            && !(0..=buffers).contains(&depth)
        {
            let message = format!("'prefetch' is {depth}, and there is room for {buffers} tiles");
            self.error_with_fix(&["async"], &CONFLICT, message, move |plan| {
                if let Some(overlap) = &mut plan.overlap {
                    overlap.prefetch_depth = Some(buffers);
                }
            });
        }
        if let Some(groups) = plan.in_flight.filter(|groups| !(0..=7).contains(groups)) {
            self.error_with_fix(
                &["in_flight"],
                &CONFLICT,
                format!("'in_flight' is {groups}, which is not from 0 to 7"),
                |plan| {
                    plan.in_flight = Some(1);
                },
            );
        }
        for (symbol, divisor) in plan.assume.iter().flat_map(|table| &table.0).filter(|(_, divisor)| *divisor > 0) {
            let fixed = plan.fix.as_ref().and_then(|table| table.get(symbol));
            if let Some(number) = fixed.filter(|&number| number % divisor != 0) {
                let message =
                    format!("'{symbol}' is fixed to {number}, which 'assume' says is a multiple of {divisor}");
                let symbol = symbol.clone();
                self.error_with_fix(&["fix"], &CONFLICT, message, move |plan| {
                    if let Some(assume) = &mut plan.assume {
                        assume.0.retain(|(name, _)| *name != symbol);
                    }
                });
            }
        }
        self.shared_work();
    }

    /// Who works on which tile, and on which part of a sum.
    fn shared_work(&mut self) {
        let plan = self.plan;
        if let Some(roles) = plan.roles.as_ref().filter(|roles| roles.kind == Sharing::PingPong) {
            if roles.consumers != 2 {
                let message = format!("'ping_pong' is between two consumers, and there are {}", roles.consumers);
                self.error_with_fix(&["roles"], &CONFLICT, message, |plan| {
                    if let Some(roles) = &mut plan.roles {
                        roles.consumers = 2;
                    }
                });
            }
            if plan.persistent.is_none() {
                let message = "'ping_pong' goes from tile to tile, and the blocks are not 'persistent'";
                self.error_with_fix(&["roles"], &CONFLICT, message, |plan| {
                    plan.persistent = Some(Choice::Word("sms".into()))
                });
            }
        }
        match &plan.persistent {
            Some(Choice::Word(word)) if word != "sms" => {
                let message = format!("'persistent' is '{word}', and it is 'sms' or a number of blocks");
                self.error_with_fix(&["persistent"], &CONFLICT, message, |plan| {
                    plan.persistent = Some(Choice::Word("sms".into()));
                });
            }
            Some(Choice::Number(count)) if *count < 1 => {
                self.error_with_fix(&["persistent"], &CONFLICT, format!("'persistent' is {count} blocks"), |plan| {
                    plan.persistent = Some(Choice::Word("sms".into()));
                });
            }
            _ => {}
        }
        if plan.split_k.is_some() && plan.stream_k.is_some() {
            self.error_with_fix(&["stream_k"], &CONFLICT, "'split_k' and 'stream_k' both divide the sum", |plan| {
                plan.stream_k = None
            });
        }
        self.streamed();
        let split = plan.split_k.as_ref();
        if let Some(parts) = split.map(|split| split.parts).filter(|parts| !(1..=Split::MOST_PARTS).contains(parts)) {
            let message = format!("'split_k' has {parts} parts, which is not from 1 to {}", Split::MOST_PARTS);
            self.error_with_fix(&["split_k"], &CONFLICT, message, |plan| {
                if let Some(split) = &mut plan.split_k {
                    split.parts = split.parts.clamp(1, Split::MOST_PARTS);
                }
            });
        }
        let through =
            split.and_then(|split| split.through).or(plan.stream_k.as_ref().and_then(|stream| stream.through));
        if plan.deterministic && through == Some(Through::Atomic) {
            let message = "'deterministic' wants sums in one order, and atomic additions have none";
            self.error_with_fix(&["split_k", "stream_k"], &CONFLICT, message, |plan| {
                if let Some(split) = &mut plan.split_k {
                    split.through = Some(Through::Workspace);
                }
                if let Some(stream) = &mut plan.stream_k {
                    stream.through = Some(Through::Workspace);
                }
            });
        }
        let parts = split.filter(|split| split.through == Some(Through::Cluster)).map(|split| split.parts);
        if let Some(parts) = parts.filter(|&parts| parts > self.target.cluster_blocks) {
            let most = self.target.cluster_blocks;
            let message = format!(
                "'split_k' puts {parts} parts into a cluster, and {} has {most} blocks in one",
                self.target.name
            );
            self.error_with_fix(&["split_k"], &BAD_CLUSTER, message, |plan| {
                if let Some(split) = &mut plan.split_k {
                    split.through = Some(Through::Workspace);
                }
            });
        }
    }

    /// How the steps of the last tiles are shared.
    fn streamed(&mut self) {
        let plan = self.plan;
        let Some(stream) = &plan.stream_k else { return };
        if let Some(least) = stream.at_least.filter(|&least| least < 1) {
            let message = format!("'stream_k' has parts of at least {least} steps");
            self.error_with_fix(&["stream_k"], &CONFLICT, message, |plan| {
                if let Some(stream) = &mut plan.stream_k {
                    stream.at_least = None;
                }
            });
        }
        if stream.through == Some(Through::Cluster) {
            let message = "'stream_k' gives the parts of a tile to any blocks, and not to those of a cluster";
            self.error_with_fix(&["stream_k"], &CONFLICT, message, |plan| {
                if let Some(stream) = &mut plan.stream_k {
                    stream.through = Some(Through::Workspace);
                }
            });
        }
        if plan.cluster.as_ref().and_then(Table::product).is_some_and(|blocks| blocks > 1) {
            let message = "'stream_k' gives each block steps of its own, and those of a 'cluster' load for each other";
            self.error_with_fix(&["cluster"], &CONFLICT, message, |plan| {
                plan.cluster = None;
                plan.multicast = None;
            });
        }
    }

    /// What is asked for is there.
    fn features(&mut self) {
        let (plan, target) = (self.plan, self.target);
        let blocks = plan.cluster.as_ref().and_then(Table::product).unwrap_or(1);
        let kind = plan.instruction.as_ref().map(|of| of.kind);
        let roles = plan.registers.as_ref().is_some_and(|table| table.names().any(|role| role != "thread"));
        type Fix = fn(&mut Schedule);
        let wanted: [(bool, &str, &str, &str, Fix); 7] = [
            (kind == Some(Kind::Wgmma), "wgmma", "instruction", "'instruction wgmma'", with_mma),
            (plan.barrier == Some(Barrier::Mbarrier), "tma", "barrier", "'barrier mbarrier'", without_tma),
            (plan.roles.is_some(), "tma", "roles", "'roles'", without_tma),
            (
                plan.store.as_ref().is_some_and(|store| store.way == StoreMethod::Tma),
                "tma",
                "store",
                "'store tma'",
                without_tma,
            ),
            (plan.barrier == Some(Barrier::CpAsyncGroup), "cp_async", "barrier", "'barrier cp_async_group'", |plan| {
                plan.barrier = Some(Barrier::Block);
            }),
            (blocks > 1, "cluster", "cluster", "'cluster'", |plan| {
                plan.cluster = None;
                plan.multicast = None;
            }),
            (roles, "setmaxnreg", "registers", "'registers' of a role", |plan| plan.registers = None),
        ];
        for (asked, feature, word, clause, fix) in wanted {
            if asked && !target.has(feature) {
                let message = format!("{clause} needs the feature '{feature}', which {} does not have", target.name);
                self.error_with_fix(&[word], &UNSUPPORTED, message, fix);
            }
        }
    }

    /// The instruction is one of the target for the type, has one of its shapes, and divides what a warp computes.
    pub(super) fn instruction(&mut self) {
        let (plan, target) = (self.plan, self.target);
        if let Some(of) = plan.instruction.as_ref().filter(|of| of.promote && of.kind == Kind::Fma) {
            let message = format!("'promote' is for sums of tensor cores, and those of '{}' are f32", of.kind.word());
            let without = |plan: &mut Schedule| plan.instruction.iter_mut().for_each(|of| of.promote = false);
            return self.error_with_fix(&["instruction"], &CONFLICT, message, without);
        }
        if let Some((kind, precision)) = plan
            .instruction
            .as_ref()
            .and_then(|of| Some((of.kind, of.precision?)))
            .filter(|of| !matches!(of, (Kind::Mma, _) | (Kind::Wgmma, Precision::Tf32)))
        {
            let message = match precision {
                Precision::Tf32 => format!("'as tf32' is for tensor cores, and not for '{}'", kind.word()),
                Precision::Tf32x3 => {
                    format!("'as tf32x3' is for factors in registers, of 'mma', and not for '{}'", kind.word())
                }
            };
            let without = |plan: &mut Schedule| plan.instruction.iter_mut().for_each(|of| of.precision = None);
            return self.error_with_fix(&["instruction"], &CONFLICT, message, without);
        }
        let Some(of) = plan.instruction.as_ref().filter(|of| of.kind != Kind::Fma || of.shape.is_some()) else {
            return;
        };
        let word = of.kind.word();
        let Some(shapes) = SHAPES.iter().find(|shapes| shapes.kind == of.kind) else {
            let message = format!("'{word}' is for one number of each thread, and has no shape");
            return self.error_with_fix(&["instruction"], &BAD_INSTRUCTION, message, |plan| {
                plan.instruction = Some(Kind::Fma.into());
            });
        };
        let elem = plan.operand_type();
        if let Some(elem) = elem.filter(|&elem| target.rate(self.ctx, of.kind, elem).is_none()) {
            if target.has(word) || of.kind == Kind::Mma {
                let message = format!("{} has no '{word}' of {}", target.name, elem.display(self.ctx));
                self.error_with_fix(&["instruction"], &BAD_INSTRUCTION, message, |plan| {
                    plan.instruction = Some(Kind::Fma.into());
                    plan.roles = None;
                });
            }
            return;
        }
        let bits = elem.and_then(|elem| elem.bits(self.ctx)).map_or(16, i64::from);
        let depths: Vec<i64> = shapes.depth_bits.iter().map(|depth| depth / bits).collect();
        let (least, most, step) = shapes.columns;
        let columns = |count: i64| (least..=most).contains(&count) && count % step == 0;
        if let Some(shape) = &of.shape {
            let right = matches!(shape[..], [m, n, k] if m == shapes.rows && columns(n) && depths.contains(&k));
            if !right && bits < 64 {
                let depths = depths.iter().map(i64::to_string).collect::<Vec<_>>().join(" or ");
                let columns = if least == most {
                    format!("{least} columns")
                } else {
                    format!("{least} to {most} columns in steps of {step}")
                };
                let shown = shape.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                let tile = plan.tile.iter().flat_map(|tile| &tile.0).map(|(axis, extent)| format!("{axis}: {extent}"));
                let tile = tile.collect::<Vec<_>>().join(", ");
                let tile = if tile.is_empty() { String::new() } else { format!("; the tile is ({tile})") };
                let message = format!(
                    "'{word}' has no shape [{shown}]: it takes {} rows, {columns}, and a depth of {depths}{tile}",
                    shapes.rows
                );
                let kind = of.kind;
                return self.error_with_fix(&["instruction"], &BAD_INSTRUCTION, message, move |plan| {
                    plan.instruction = Some(kind.into());
                });
            }
        }
        self.instruction_divides(of, shapes.rows, if least == most { least } else { step }, depths.last().copied());
    }

    fn instruction_divides(&mut self, of: &Instruction, rows: i64, columns: i64, depth: Option<i64>) {
        let plan = self.plan;
        let word = of.kind.word();
        let (first, second) = plan.sides();
        let out = plan.out_tile();
        let mut reduced: Vec<_> =
            plan.tile.iter().flat_map(|tile| &tile.0).filter(|axis| !out.contains(axis)).cloned().collect();
        let warp = plan.warp_tile.as_ref();
        let part = |(axis, extent): &(String, i64)| warp.and_then(|warp| warp.get(axis)).copied().unwrap_or(*extent);
        let cooperative = plan.roles.as_ref().filter(|roles| roles.kind == Sharing::Cooperative);
        let sharing = cooperative.filter(|_| warp.is_none()).map_or(1, |roles| roles.consumers);
        // With the sides changed the columns of the tile are the rows of the instruction.
        let (row_axes, column_axes) = if plan.swap_operands { (second, first) } else { (first, second) };
        let shape = of.shape.as_deref();
        let wide = shape.and_then(|shape| shape.get(1)).copied().unwrap_or(columns);
        let deep = shape.and_then(|shape| shape.get(2)).copied().or(depth).unwrap_or(1);
        // Short axes are gone over together, the last one alone where it is long enough.
        if let Some(last) = reduced.pop_if(|(_, extent)| *extent >= deep) {
            reduced = vec![last];
        }
        let each = match (&plan.roles, warp) {
            (_, Some(_)) => "each warp",
            (Some(_), None) => "each consumer",
            (None, None) => "the tile",
        };
        // Consumers that share a tile have its rows together.
        let (of_rows, rows) = if sharing > 1 { ("the tile of all consumers", rows * sharing) } else { (each, rows) };
        let sides = [
            (row_axes, rows, (of_rows, "rows")),
            (column_axes, wide, (each, "columns")),
            (reduced, deep, (each, "steps of the sum")),
        ];
        let shape = shape.map_or(String::new(), |shape| format!(" {shape:?}"));
        // Pixels of whole rows are rounded up to what the instruction takes.
        let pixels = plan.windowed().and_then(|tensor| plan.smem_caches().find(|cache| cache.tensor == tensor));
        let pixels = pixels.map_or_else(Vec::new, |cache| plan.axes_of(cache));
        for (axes, step, (who, what)) in sides {
            let Some((axis, _)) = axes.last() else { continue };
            if out.iter().any(|(own, _)| own == axis) && pixels.contains(&axis.as_str()) {
                continue;
            }
            let extent = axes.iter().try_fold(1i64, |extent, axis| extent.checked_mul(part(axis))).unwrap_or(1);
            let step = step.max(1);
            if extent % step != 0 {
                let message = format!(
                    "{who} has {extent} {what} along '{axis}', and '{word}{shape}' multiplies {step} at a time"
                );
                // The last axis grows until whole instructions fit.
                let own = axes.last().map_or(1, part);
                let rest = (extent / own).max(1);
                let whole = (own..).take(4096).find(|own| own.checked_mul(rest).is_some_and(|whole| whole % step == 0));
                let shared = warp.is_some_and(|warp| warp.get(axis).is_some());
                let axis = axis.clone();
                self.error_with_fix(
                    &[if shared { "warp_tile" } else { "tile" }, "instruction"],
                    &BAD_INSTRUCTION,
                    message,
                    move |plan| {
                        let table = if shared { &mut plan.warp_tile } else { &mut plan.tile };
                        if let Some(whole) = whole {
                            super::tiles::set(table, &axis, whole);
                        }
                    },
                );
            }
        }
    }
}
