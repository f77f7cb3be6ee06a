//! Clusters, threads, registers, shared memory; widths and swizzles.

use super::tiles::set;
use super::{BAD_CLUSTER, BAD_THREADS, CONFLICT, Checked, MISALIGNED, TOO_MANY_REGISTERS, TOO_MUCH_SMEM};
use crate::clause::{Kind, Place};
use crate::footprint::{Footprint, GROUP, OVERHEAD, WARP};
use crate::schedule::Schedule;
use crate::value::{Choice, Table};

/// The widest access of a thread, in bits.
const MAX_ACCESS_BITS: i64 = 128;

/// Makes the tile smaller: the largest extent of what is not reduced is halved, with the tile of a warp if that is larger.
fn halve(plan: &mut Schedule) {
    let out = plan.out_tile();
    let Some((axis, extent)) = out.iter().rev().max_by_key(|(_, extent)| *extent).filter(|(_, extent)| *extent > 1)
    else {
        return;
    };
    let half = extent / 2;
    set(&mut plan.tile, axis, half);
    for table in [&mut plan.warp_tile, &mut plan.thread_tile] {
        if table.as_ref().is_some_and(|table| table.get(axis).is_some_and(|&inner| half % inner != 0)) {
            set(table, axis, half);
        }
    }
    for table in [&mut plan.warps, &mut plan.threads] {
        if let Some(count) = table.as_ref().and_then(|table| table.get(axis)).copied().filter(|count| count % 2 == 0) {
            set(table, axis, count / 2);
        }
    }
    // The shape of an instruction goes with the tile.
    if let Some(of) = &mut plan.instruction {
        of.shape = None;
    }
}

impl Checked<'_> {
    pub(super) fn amounts(&mut self) {
        let footprint = self.plan.footprint(self.ctx);
        self.cluster();
        self.threads(&footprint);
        self.registers(&footprint);
        self.shared_memory(&footprint);
    }

    fn cluster(&mut self) {
        let (plan, target) = (self.plan, self.target);
        let Some(cluster) = &plan.cluster else {
            if plan.multicast.is_some() {
                self.error_with_fix(
                    &["multicast"],
                    &BAD_CLUSTER,
                    "'multicast' is for the blocks of a cluster, and there is no 'cluster'",
                    |plan| {
                        plan.multicast = None;
                    },
                );
            }
            return;
        };
        let blocks = cluster.product();
        if target.has("cluster") && blocks.is_none_or(|blocks| blocks > target.cluster_blocks) {
            let shown = blocks.map_or("too many".to_string(), |blocks| blocks.to_string());
            let message =
                format!("the cluster has {shown} blocks, and {} has at most {}", target.name, target.cluster_blocks);
            self.error_with_fix(&["cluster"], &BAD_CLUSTER, message, |plan| {
                let Some(table) = &mut plan.cluster else { return };
                if let Some((_, extent)) = table.0.iter_mut().max_by_key(|(_, extent)| *extent) {
                    *extent = (*extent / 2).max(1);
                }
            });
        }
        // A block alone loads for itself, which passes report.
        for tensor in plan.multicast.iter().flatten().filter(|_| blocks != Some(1)) {
            let Some(cache) = plan.smem_caches().find(|cache| cache.tensor == *tensor) else {
                let tensor = tensor.clone();
                let message = format!("'multicast' has '{tensor}', {}", no_tile(plan));
                self.error_with_fix(&["multicast"], &BAD_CLUSTER, message, move |plan| {
                    without_multicast(plan, &tensor)
                });
                continue;
            };
            let own = plan.axes_of(cache);
            let shared = cluster.0.iter().any(|(axis, blocks)| *blocks > 1 && !own.contains(&axis.as_str()));
            if !shared {
                let along = cluster.names().collect::<Vec<_>>().join(", ");
                let tensor = tensor.clone();
                let message = format!(
                    "each block of a cluster along {along} reads a different tile of '{tensor}', so no block can load it for all"
                );
                self.error_with_fix(&["multicast"], &BAD_CLUSTER, message, move |plan| {
                    without_multicast(plan, &tensor)
                });
            }
        }
    }

    fn threads(&mut self, footprint: &Footprint) {
        let (plan, target) = (self.plan, self.target);
        let Some(threads) = footprint.threads else { return };
        if threads < 1 || threads % WARP != 0 {
            self.fail(
                &["threads", "warps", "warp_tile", "thread_tile", "tile"],
                &BAD_THREADS,
                format!("the block has {threads} threads, which is no number of whole warps of {WARP}"),
            );
            return;
        }
        if threads > target.threads_per_block {
            let message = format!(
                "the block has {threads} threads, and {} has at most {}",
                target.name, target.threads_per_block
            );
            let roles = plan.roles.is_some();
            self.error_with_fix(
                &["roles", "threads", "warps", "warp_tile", "thread_tile", "tile"],
                &BAD_THREADS,
                message,
                move |plan| match &mut plan.roles {
                    Some(of) if roles => of.consumers = (of.consumers - 1).max(1),
                    _ => fewer_threads(plan),
                },
            );
        }
        let wgmma = plan.instruction.as_ref().is_some_and(|of| of.kind == Kind::Wgmma);
        if let Some(workers) = footprint.workers.filter(|workers| wgmma && workers % GROUP != 0) {
            let message = format!("{workers} threads compute, and 'wgmma' is done by groups of {GROUP}");
            self.error_with_fix(&["threads", "warps", "warp_tile", "instruction"], &BAD_THREADS, message, |plan| {
                plan.warps = None;
                plan.threads = None;
                plan.warp_tile = None;
            });
        }
        let blocks = plan.blocks_per_sm.unwrap_or(1);
        if blocks.saturating_mul(threads) > target.threads_per_sm || blocks > target.max_blocks_per_sm {
            let message = format!(
                "{blocks} blocks of {threads} threads are too many for an SM, which has {} of at most {} blocks",
                target.threads_per_sm, target.max_blocks_per_sm
            );
            self.error_with_fix(&["blocks_per_sm", "roles", "tile"], &BAD_THREADS, message, fewer_blocks);
        }
    }

    fn registers(&mut self, footprint: &Footprint) {
        let (plan, target) = (self.plan, self.target);
        for (role, count) in plan.registers.iter().flat_map(|table| &table.0) {
            let most = if role == "thread" { target.registers_per_thread } else { 256 };
            if *count < 24 || *count > most || (role != "thread" && count % 8 != 0) {
                let step = if role == "thread" { "" } else { " by 8" };
                let message = format!("'{role}' has {count} registers, which is not from 24 to {most}{step}");
                let (role, right) = (role.clone(), (count / 8 * 8).clamp(24, most / 8 * 8));
                self.error_with_fix(&["registers"], &TOO_MANY_REGISTERS, message, move |plan| {
                    set(&mut plan.registers, &role, right)
                });
                return;
            }
        }
        let of = |role: &str| plan.registers.as_ref().and_then(|table| table.get(role)).copied();
        if of("thread").is_some() && of("producer").or(of("consumer")).is_some() {
            let message = "'registers' gives all threads as many, and a role as many as it says";
            self.error_with_fix(&["registers"], &CONFLICT, message, |plan| {
                plan.registers.iter_mut().for_each(|table| table.0.retain(|(role, _)| role != "thread"));
            });
        }
        let Some(threads) = footprint.threads.filter(|&threads| threads > 0 && threads <= target.threads_per_block)
        else {
            return;
        };
        let blocks = plan.blocks_per_sm.unwrap_or(1);
        if threads * blocks > target.threads_per_sm {
            return;
        }
        let entry = target.entry_registers(threads * blocks);
        if let (Some(producer), Some(consumer), Some(workers)) = (of("producer"), of("consumer"), footprint.workers) {
            let (sum, all) = (producer * GROUP + consumer * workers, entry * threads);
            if sum > all {
                let message = format!(
                    "a producer of {producer} registers and consumers of {consumer} need {sum} together, and the block starts with {all}"
                );
                let right = ((all - producer * GROUP) / workers.max(1) / 8 * 8).max(24);
                self.error_with_fix(&["registers"], &TOO_MANY_REGISTERS, message, move |plan| {
                    set(&mut plan.registers, "consumer", right)
                });
            }
        }
        let budget = of("consumer").or(of("thread")).unwrap_or(entry).min(target.registers_per_thread);
        if let Some(held) = footprint.held.filter(|held| held + OVERHEAD > budget) {
            let message = format!(
                "each thread that computes holds {held} registers of its tile and needs some {OVERHEAD} more, and it has {budget}"
            );
            let most = target.registers_per_thread;
            self.error_with_fix(&["tile", "registers"], &TOO_MANY_REGISTERS, message, move |plan| {
                match plan.registers.as_ref().and_then(|table| table.get("thread")).copied() {
                    Some(count) if count < most && held + OVERHEAD <= most => {
                        set(&mut plan.registers, "thread", (held + OVERHEAD).min(most))
                    }
                    _ if plan.blocks_per_sm.is_some_and(|blocks| blocks > 1) => fewer_blocks(plan),
                    _ => halve(plan),
                }
            });
        }
    }

    fn shared_memory(&mut self, footprint: &Footprint) {
        let (plan, target) = (self.plan, self.target);
        let blocks = plan.blocks_per_sm.unwrap_or(1);
        let share = target.smem_per_sm / blocks - target.smem_reserved;
        let limit = share.min(target.smem_per_block);
        if footprint.smem.is_some_and(|bytes| bytes <= limit) {
            return;
        }
        let (stages, stage) = (plan.stages.unwrap_or(1), footprint.stage);
        let shown = footprint.smem.map_or("too many".to_string(), |bytes| bytes.to_string());
        let among = if blocks > 1 { format!(" for each of {blocks} blocks") } else { String::new() };
        let message = format!(
            "the block needs {shown} bytes of shared memory ({stages} stages of {stage}, and what else it keeps), and {} has {limit}{among}",
            target.name
        );
        self.error_with_fix(&["stages", "cache", "tile"], &TOO_MUCH_SMEM, message, move |plan| {
            // Fewer stages first, as long as one can be filled while another is used; then smaller tiles.
            let stages = plan.stages.unwrap_or(1);
            if stages > 2 {
                plan.stages = Some(stages - 1);
                // What is ahead stays as far from the number of stages as it was.
                if let Some(depth) = plan.overlap.as_mut().and_then(|overlap| overlap.prefetch_depth.as_mut()) {
                    *depth = if *depth < stages { (*depth).min(stages - 2) } else { stages - 1 };
                }
            } else if plan.blocks_per_sm.is_some_and(|blocks| blocks > 1) {
                fewer_blocks(plan);
            } else if let Some(cache) =
                plan.caches.iter_mut().find(|cache| cache.buffers.is_some_and(|count| count > 2))
            {
                cache.buffers = cache.buffers.map(|count| count - 1);
            } else {
                halve(plan);
            }
        });
    }

    /// Widths are those of accesses, and rows of tiles consist of whole accesses and atoms of the swizzle.
    pub(super) fn alignment(&mut self) {
        let plan = self.plan;
        let by_loop = plan.vectorize.iter().map(|wide| {
            let bits = if plan.caches.iter().any(|cache| cache.dtype.is_some()) {
                plan.caches.iter().map(|cache| plan.elem_bits(self.ctx, cache)).min().unwrap_or(8)
            } else {
                8
            };
            ("vectorize", wide.axis.clone(), wide.width, bits)
        });
        let by_tensor = plan.vectors.iter().flat_map(|table| &table.0).map(|(tensor, width)| {
            let bits = plan
                .cache_of(tensor)
                .and_then(|cache| cache.dtype)
                .and_then(|ty| ty.bits(self.ctx))
                .map_or(8, i64::from);
            ("vectors", tensor.clone(), *width, bits)
        });
        let widths: Vec<(&str, String, i64, i64)> = by_loop.chain(by_tensor).collect();
        for (word, name, width, bits) in widths {
            if width < 1 || !(width as u64).is_power_of_two() || width.saturating_mul(bits) > MAX_ACCESS_BITS {
                let most = MAX_ACCESS_BITS / bits;
                let message = format!(
                    "the width of '{name}' is {width} {bits}-bit elements, and an access has 1 to {most} of them, a power of two"
                );
                let right =
                    (1..=most.min(width.max(1))).rev().find(|width| (*width as u64).is_power_of_two()).unwrap_or(1);
                self.error_with_fix(&[word], &MISALIGNED, message, move |plan| match (word, &mut plan.vectorize) {
                    ("vectorize", Some(wide)) => wide.width = right,
                    _ => set(&mut plan.vectors, &name, right),
                });
            }
        }
        let axis =
            plan.vectorize.as_ref().and_then(|wide| Some((wide.axis.split('.').next()?.to_string(), wide.width)));
        if let Some((axis, width)) = axis.filter(|(axis, width)| *width > 0 && plan.tile_of(axis) % width != 0) {
            let extent = plan.tile_of(&axis);
            let message =
                format!("the tile along '{axis}' is {extent}, and accesses of {width} elements do not divide it");
            let right = 1_i64 << extent.trailing_zeros().min(width.ilog2());
            self.error_with_fix(&["vectorize"], &MISALIGNED, message, move |plan| {
                if let Some(wide) = &mut plan.vectorize {
                    wide.width = right;
                }
            });
        }
        for (tensor, swizzle) in plan.swizzle.iter().flat_map(|table| &table.0) {
            self.swizzle(tensor, swizzle);
        }
    }

    fn swizzle(&mut self, tensor: &str, swizzle: &Choice) {
        let plan = self.plan;
        let fix = |value: Choice| {
            let tensor = tensor.to_string();
            move |plan: &mut Schedule| {
                if let Some(entry) = plan.swizzle.as_mut().and_then(|table| table.get_mut(&tensor)) {
                    *entry = value.clone();
                }
            }
        };
        let bytes = match swizzle {
            Choice::Word(word) if word == "auto" => return,
            Choice::Number(bytes @ (0 | 32 | 64 | 128)) => *bytes,
            other => {
                let message =
                    format!("the swizzle of '{tensor}' is {}, and it is 0, 32, 64, 128 or auto", shown(other));
                return self.error_with_fix(
                    &[&format!("swizzle {tensor}")],
                    &MISALIGNED,
                    message,
                    fix(Choice::Word("auto".into())),
                );
            }
        };
        let cache = plan
            .smem_caches()
            .find(|cache| cache.tensor == tensor && cache.place == Place::Smem && cache.axes.is_some());
        let Some(cache) = cache.filter(|_| bytes > 0) else { return };
        let row = plan.axes_of(cache).last().map_or(1, |axis| plan.tile_of(axis)) * plan.elem_bits(self.ctx, cache) / 8;
        if row % bytes != 0 {
            let message = format!(
                "a row of '{tensor}' has {row} bytes, which is no multiple of the {bytes} bytes of the swizzle"
            );
            let right = [128, 64, 32, 0].into_iter().find(|&bytes| bytes == 0 || row % bytes == 0).unwrap_or(0);
            self.error_with_fix(&[&format!("swizzle {tensor}")], &MISALIGNED, message, fix(Choice::Number(right)));
        }
    }
}

fn shown(choice: &Choice) -> String {
    match choice {
        Choice::Word(word) => format!("'{word}'"),
        Choice::Number(number) => number.to_string(),
    }
}

/// Which tensors have tiles in shared memory, after one that has none.
fn no_tile(plan: &Schedule) -> String {
    let mut tensors: Vec<&str> = plan.smem_caches().map(|cache| cache.tensor.as_str()).collect();
    tensors.dedup();
    match tensors.is_empty() {
        true => "and the plan has no tensor in shared memory: that is a clause 'cache', a line for each".into(),
        false => format!("of which there is no tile in shared memory, as there is of {}", tensors.join(", ")),
    }
}

fn without_multicast(plan: &mut Schedule, tensor: &str) {
    if let Some(tensors) = &mut plan.multicast {
        tensors.retain(|other| other != tensor);
    }
    plan.multicast = plan.multicast.take().filter(|tensors| !tensors.is_empty());
}

fn fewer_blocks(plan: &mut Schedule) {
    plan.blocks_per_sm = plan.blocks_per_sm.map(|blocks| (blocks - 1).max(1)).filter(|&blocks| blocks > 1);
}

/// Halves what is largest of the grid of threads or warps; or doubles the tile of each warp or thread, or halves the tile.
fn fewer_threads(plan: &mut Schedule) {
    for table in [&mut plan.threads, &mut plan.warps] {
        if let Some(Table(entries)) = table
            && let Some((_, count)) =
                entries.iter_mut().max_by_key(|(_, count)| *count).filter(|(_, count)| count % 2 == 0)
        {
            *count /= 2;
            if plan.warp_tile.is_some() {
                break;
            }
            return;
        }
    }
    halve(plan);
}
