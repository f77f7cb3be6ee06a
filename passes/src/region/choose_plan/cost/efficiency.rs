//! How well the pipeline of an instruction is fed.

use dlc_core::precision::Precision;
use dlc_ir::Context;
use dlc_ir::affine::gcd;
use dlc_plan::clause::{Barrier, Instruction, Kind, Place, Sharing};
use dlc_plan::value::Table;
use dlc_plan::{Schedule, Target};

use super::super::facts::{Factor, Facts, bits};
use super::resident;

/// How well instructions are fed where windows of pixels stay in shared memory, of which each place reads both factors there:
/// as measured, with 64 to 200 columns.
const WINDOW: f64 = 0.8;

/// How many lanes may meet in the same banks before threads wait for what they read: with 4 x 8 results of a thread and 8 lanes in
/// the same banks, products took 3.6 times as long as estimated without.
const CONFLICTS: f64 = 2.2;

/// Whether products of single steps are added to the sums by threads.
fn promotes(plan: &Schedule) -> bool {
    plan.instruction.as_ref().is_some_and(|of| of.promote)
}

/// Whether an instruction of a group of warps has fewer columns than what keeps it fed.
fn is_narrow(instruction: &Instruction) -> bool {
    instruction.shape.as_ref().is_some_and(|shape| shape.get(1).is_some_and(|&columns| columns < 112))
}

/// How well the pipeline of an instruction is fed: the numbers are those of measurements on an H200, rounded.
pub(super) fn efficiency(ctx: &Context, plan: &Schedule, facts: &Facts, target: &Target) -> f64 {
    let chained = facts.are_chained();
    let kind = plan.instruction.as_ref().map_or(Kind::Fma, |of| of.kind);
    let asynchronous = plan.overlap.as_ref().is_some_and(|overlap| overlap.enable);
    let stages = plan.stages.unwrap_or(1);
    // A stage may be longer than the 128 bytes that copies consist of.
    let step = plan.tile.iter().flat_map(|tile| &tile.0).next_back().filter(|_| plan.roles.is_some());
    let copied = facts.products.last().map_or(64, |product| (1024.0 / bits(ctx, product.factors[0].elem)) as i64);
    let stages = step.map_or(stages, |(_, step)| (stages * step / copied.max(1)).max(stages));
    // With windows in shared memory a stage has a step for each of their places.
    let places = || plan.reduced.iter().flatten().rev().skip(1).map(|axis| plan.tile_of(axis)).product::<i64>();
    let stages = if plan.windowed().is_some() { stages.saturating_mul(places()) } else { stages };
    let fed = match (asynchronous, stages) {
        // Loads come to registers a step ahead.
        (false, 2..) if kind == Kind::Fma && plan.barrier == Some(Barrier::Block) => 0.95,
        (false, _) => 0.55,
        (true, ..=2) => 0.80,
        (true, 3) => 0.90,
        (true, _) => 0.95,
    };
    // With one product of `tf32` for each of `f32` a step is short compared with its copies: what hides them is other blocks of the
    // SM, not stages, as measured.
    let is_short_step = plan.instruction.as_ref().is_some_and(|of| of.precision == Some(Precision::Tf32));
    let fed = match is_short_step && asynchronous {
        // Warps that copy alone keep the tensor cores fed, and these run at a higher clock than with 16 bits.
        true if plan.roles.is_some() => fed * 1.15,
        true => 0.9 * (resident(ctx, plan, target) as f64 / 4.0).min(1.0).powf(0.3),
        false => fed,
    };
    // Exponentials between two products, below a maximum that is looked for first, have to be waited for in every step.
    let short = chained && facts.special > 0.0 && step.is_some_and(|(_, step)| *step < 96);
    let fed = if short { fed * 0.88 } else { fed };
    // With few columns the 64 rows of the left factor are what is read.
    let columns = plan.instruction.as_ref().and_then(|of| of.shape.as_ref()?.get(1).copied()).unwrap_or(64) as f64;
    let few = (2.0 * columns / (columns + 70.0)).min(1.0);
    let fed = if plan.windowed().is_some() { fed * WINDOW * few } else { fed };
    // Small tiles of a warp read shared memory more often than they multiply.
    let inner = plan.warp_tile.as_ref().or(plan.thread_tile.as_ref()).and_then(Table::product);
    match (kind, &plan.roles) {
        (Kind::Wgmma, Some(roles)) if roles.kind == Sharing::PingPong => fed * 1.03,
        // Few consumers leave the tensor cores idle while they compute between two products.
        (Kind::Wgmma, Some(roles)) if chained => match roles.consumers {
            1 => fed * 0.7,
            2 => fed * 0.85,
            3 => fed * 0.97,
            _ => fed,
        },
        // A group alone adds the product of each step while nothing is multiplied.
        (Kind::Wgmma, Some(roles)) if roles.consumers == 1 && promotes(plan) => fed * 0.75,
        // Two of them do so while the other one multiplies, and wait longer for a step that is short.
        (Kind::Wgmma, Some(_)) if is_short_step && promotes(plan) => {
            let is_long = step.is_some_and(|(_, step)| *step >= 2 * copied);
            fed * if is_long { 0.8 } else { 0.69 }
        }
        // Narrow ones read the left factor from shared memory more often.
        (Kind::Wgmma, _) if plan.instruction.as_ref().is_some_and(is_narrow) => fed * 0.95,
        (Kind::Wgmma, _) => fed,
        // Fragments that are loaded ahead leave the copies to shared memory as what is waited for: large tiles have fewer.
        (Kind::Mma, _) => {
            let area = Table(plan.out_tile()).product().unwrap_or(1) as f64;
            let copies = if plan.in_flight.is_some() { (area / 32768.0).powf(0.1).min(1.0) } else { 0.9 };
            fed * copies * (inner.unwrap_or(1024) as f64 / 4096.0).powf(0.15).min(1.0)
        }
        // What a thread computes of several pieces counts together.
        (Kind::Fma, _) => {
            let elems = plan.out_tile().iter().map(|(_, extent)| *extent as f64).product::<f64>();
            let own = plan.workers().map_or(1.0, |workers| elems / workers.max(1) as f64);
            fed * (own / 128.0).powf(0.2).min(1.0) * (CONFLICTS / bank_conflicts(ctx, plan, facts)).min(1.0)
        }
    }
}

/// How many of eight lanes that read 16 bytes each of a factor in shared memory, which lies there as it does in memory, meet in
/// the same banks: 1 where none does. Where a factor is contiguous along the sum, neighbours are as many rows apart as a thread
/// has: plans by `fma` have no swizzle that would move them.
fn bank_conflicts(ctx: &Context, plan: &Schedule, facts: &Facts) -> f64 {
    let Some(product) = facts.products.last().filter(|_| !facts.are_chained()) else { return 1.0 };
    let of_factor = |(factor, side): (&Factor, &Vec<String>)| {
        let input = factor.input.filter(|_| factor.direct);
        let cache = input.and_then(|input| plan.cache_of(&facts.inputs[input].name));
        if cache.is_some_and(|cache| cache.place != Place::Smem || cache.transposed) {
            return None;
        }
        // What is computed lies there as what it is computed from; from several tensors, row by row.
        let rows: Vec<String> = side.iter().chain(&product.depth).cloned().collect();
        let own = Some(&factor.axes).filter(|axes| !axes.is_empty()).unwrap_or(&rows);
        let axes = cache.and_then(|cache| cache.axes.as_ref()).unwrap_or(own);
        axes.last().filter(|last| product.depth.contains(last))?;
        let own = |axis: &String| plan.thread_tile.as_ref().map_or(1, |tile| tile.along(axis));
        // Neighbours lie along the last axis of the results that threads share.
        let along = facts.iters().iter().rev().find(|axis| plan.tile_of(axis) > own(axis))?;
        let at = axes.iter().position(|axis| axis == along)?;
        let row = axes[at + 1..].iter().map(|axis| plan.tile_of(axis)).product::<i64>() as f64;
        let words = (row * own(&axes[at]) as f64 * bits(ctx, factor.elem) / 32.0) as u64;
        // 32 banks of a word each, four of which an access takes.
        let apart = gcd(words, 32).max(4);
        Some((apart / 4) as f64)
    };
    let sides = [&product.rows, &product.columns];
    product.factors.iter().zip(sides).filter_map(of_factor).fold(1.0, f64::max)
}
