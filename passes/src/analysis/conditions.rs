//! What a kernel made by a plan requires of sizes: what the plan assumes, what TMA needs of the tensors that the plan
//! gives it, and that rows which it keeps in registers fit into its tile.

use dlc_core::guard::Condition;
use dlc_core::memref::{Layout, MemRef};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{Context, Type, TypeData};
use dlc_plan::Schedule;
use dlc_plan::clause::{Barrier, Cache, Kind, Place, Store, StoreMethod};
use dlc_plan::value::{Choice, Table};
use dlc_region::ops::{Func, Read};
use dlc_region::verify::KernelAxes;

/// What the addresses of TMA are multiples of, in bytes.
pub const ALIGNMENT: i64 = 16;

/// The most single elements that a thread takes in a step of a sum.
const MOST_ALONE: i64 = 16;

/// What the word begins with that says by how many steps tiles are apart along an axis.
pub const STAGGER: &str = "stagger_";

/// Whether a plan lets a tensor be copied to where its rows begin at multiples of that.
pub fn is_padded(plan: &Schedule, tensor: &str) -> bool {
    is_loaded(plan, tensor, "padded")
}

/// Whether a plan lets TMA take windows of pixels from a tensor.
pub fn is_im2col(plan: &Schedule, tensor: &str) -> bool {
    is_loaded(plan, tensor, "im2col")
}

/// The axes among those of rows, or of columns, whose positions blocks go over as one run: those of which a tile has several,
/// or all, where TMA takes pixels of them one after another.
pub fn run_of<'a>(plan: &Schedule, side: &'a [String]) -> Vec<&'a String> {
    let pixels = plan.caches.iter().any(|cache| {
        let axes = cache.axes.as_deref().unwrap_or_default();
        is_im2col(plan, &cache.tensor) && side.iter().all(|axis| axes.contains(axis))
    });
    let several = side.iter().any(|axis| plan.tile_of(axis) > 1);
    side.iter().filter(|axis| pixels || !several || plan.tile_of(axis) > 1).collect()
}

/// The axes whose loops begin in each tile some steps later than in the one before, and these steps.
pub fn staggered(plan: &Schedule) -> Vec<(String, i64)> {
    let words = plan.algo.iter().flat_map(|table| &table.0);
    let axis = words.filter_map(|(name, word)| Some((name.strip_prefix(STAGGER)?.to_string(), word)));
    axis.filter_map(|(axis, word)| match word {
        Choice::Number(steps) => Some((axis, *steps)),
        Choice::Word(_) => None,
    })
    .collect()
}

fn is_loaded(plan: &Schedule, tensor: &str, way: &str) -> bool {
    let key = format!("load_{tensor}");
    let mut words = plan.algo.iter().flat_map(|table| &table.0);
    words.any(|(name, word)| *name == key && *word == Choice::Word(way.into()))
}

/// The sizes that a plan is for: one condition for each symbol that it fixes or assumes about, or whose rows of memory the
/// TMA moves. None where it is for all.
pub fn conditions(ctx: &Context, region: &Body, plan: &Schedule) -> Vec<Condition> {
    let zero = SizeExpr::from(0);
    let fixed = plan.fix.iter().flat_map(|table| &table.0);
    let fixed = fixed.filter_map(|(name, size)| Some((SizeExpr::symbol(name).ok()?, SizeExpr::from(*size))));
    let mut all: Vec<Condition> = fixed.filter_map(|(size, number)| Condition::of(&size, "==", &number)).collect();
    for (name, divisor) in divisors(ctx, region, plan) {
        let rest = SizeExpr::symbol(&name).and_then(|size| size.modulo(&SizeExpr::from(divisor)));
        all.extend(rest.ok().and_then(|rest| Condition::of(&rest, "==", &zero)));
    }
    for (size, most) in kept(ctx, region, plan) {
        let condition = Condition::of(&size, "<=", &SizeExpr::from(most)).filter(|_| size.as_constant().is_none());
        all.extend(condition.filter(|condition| !all.contains(condition)));
    }
    all
}

/// The sizes of the axes that are reduced of what a plan keeps in registers, and its tile along them: a row that is read once
/// is there as a whole.
pub fn kept(ctx: &Context, region: &Body, plan: &Schedule) -> Vec<(SizeExpr, i64)> {
    let axes = KernelAxes::of(ctx, region);
    let caches = plan.caches.iter().filter(|cache| cache.place == Place::Reg);
    let own = caches.flat_map(|cache| cache.axes.iter().flatten());
    let reduced = own.filter(|axis| plan.reduced.iter().flatten().any(|name| name == *axis));
    reduced.filter_map(|axis| Some((axes.size(axis)?.clone(), plan.tile_of(axis)))).collect()
}

/// The symbols that must be multiples of a number, and the number.
fn divisors(ctx: &Context, region: &Body, plan: &Schedule) -> Vec<(String, i64)> {
    let assumed = plan.assume.iter().flat_map(|table| table.0.iter().cloned());
    let mut all: Vec<(String, i64)> = assumed.filter(|(_, divisor)| *divisor > 1).collect();
    let memory = inputs(ctx, region, plan).into_iter().chain(outputs(ctx, region, plan));
    for (name, divisor) in memory.filter_map(|memory| of_rows(ctx, memory)) {
        let fixed = plan.fix.iter().flat_map(|table| &table.0).any(|(known, _)| *known == name);
        match all.iter_mut().find(|(known, _)| *known == name) {
            _ if fixed => {}
            // Both are powers of two, or the larger one is what somebody wanted.
            Some((_, known)) if *known % divisor == 0 => {}
            Some((_, known)) if divisor % *known == 0 => *known = divisor,
            _ => all.push((name, divisor)),
        }
    }
    all
}

/// The tensors that TMA brings: those that the plan keeps in shared memory and that are read where an axis is,
/// at no positions that are computed.
fn inputs(ctx: &Context, region: &Body, plan: &Schedule) -> Vec<MemRef> {
    if plan.barrier != Some(Barrier::Mbarrier) {
        return Vec::new();
    }
    let reads = region.walk().into_iter().filter_map(|op| Read::of(OpRef::new(ctx, region, op)));
    let boxed = reads.filter(|read| {
        let name = ctx.str(region.value_name(read.source()));
        let cache = plan.cache_of(name).filter(|_| !is_padded(plan, name));
        let is_kept = cache.is_some_and(|cache| cache.place == Place::Smem);
        is_kept && read.indices().len() == 0 && read.at().iter().all(|at| at.as_symbol().is_some())
    });
    boxed.filter_map(|read| MemRef::of(ctx, read.type_of(read.source()))).collect()
}

/// The same plan for sizes that it is not for, each for more of them than the one before, the last one for all; empty where
/// the plan itself cannot be changed so, and a kernel for all sizes has none.
///
/// A plan whose tiles TMA moves, as those of products are: what it brings is padded first where its rows may
/// are unaligned, and threads store the rows of such results. With `each` there is one before that for each symbol that the
/// plan asks about, where the others are as it wants them. Empty where it asks more of sizes than TMA does.
/// A plan of threads without instructions for products, as those of rows are: `for_other_rows`.
pub fn for_other_sizes(ctx: &Context, region: &Body, plan: &Schedule, each: bool) -> Vec<Schedule> {
    if plan.instruction.is_none() && plan.threads.is_some() {
        return for_other_rows(ctx, region, plan);
    }
    let Some(all) = for_sizes(ctx, region, plan, &[]) else { return Vec::new() };
    let symbols: Vec<String> = divisors(ctx, region, plan).into_iter().map(|(name, _)| name).collect();
    let without = |symbol: &String| symbols.iter().filter(|&known| known != symbol).cloned().collect::<Vec<_>>();
    let some = symbols.iter().filter(|_| each && symbols.len() > 1).map(without);
    let mut plans: Vec<Schedule> = some.filter_map(|known| for_sizes(ctx, region, plan, &known)).collect();
    // One that moves nothing in another way is no gain.
    plans.retain(|some| (&some.algo, &some.store) != (&all.algo, &all.store));
    plans.push(all);
    plans
}

/// The same for a plan by which threads read and write memory as it is: for unaligned rows, lanes side by side with
/// an element each; for rows that are longer than what it keeps in registers, in steps of as much, read again for each
/// reduction; and for rows that are both. Such a row has no padded copy: making one would cost as much as the whole kernel.
/// Empty where something is kept elsewhere than in registers, but for tiles that are transposed on their way.
fn for_other_rows(ctx: &Context, region: &Body, plan: &Schedule) -> Vec<Schedule> {
    let in_registers = |cache: &Cache| cache.place == Place::Reg;
    // A tile that is transposed on its way is no row that is kept.
    let is_transposed = |cache: &Cache| cache.transposed && plan.reduced.as_ref().is_some_and(Vec::is_empty);
    if plan.caches.iter().any(|cache| !in_registers(cache) && !is_transposed(cache)) {
        return Vec::new();
    }
    let axes = KernelAxes::of(ctx, region);
    let last = axes.names[..axes.iters].last();
    let is_reduced = |axis: &str| axes.names[axes.iters..].iter().any(|reduced| reduced == axis);
    let is_along = |axis: &str| last.is_some_and(|last| last == axis) || is_reduced(axis);
    let anywhere = |plan: &Schedule| {
        let alone = plan
            .threads
            .iter()
            .flat_map(|threads| &threads.0)
            .map(|(axis, threads)| (axis, plan.tile_of(axis) / threads));
        // Loops of each thread for itself stay unrolled, and so do its neighbours along other axes than the contiguous one.
        let is_shared = |axis: &String| plan.threads.as_ref().is_some_and(|threads| threads.get(axis).is_some());
        let own = plan.unroll.iter().flat_map(|unroll| &unroll.0).filter(|(axis, _)| !is_shared(axis)).cloned();
        let own: Vec<(String, i64)> = own.collect();
        // Single elements of windows have more addresses and conditions than vectors.
        let blocks_per_sm = plan.blocks_per_sm.filter(|_| !own.iter().any(|(axis, _)| is_reduced(axis)));
        let below = |axis: &str| plan.thread_tile.as_ref().map_or(1, |each| each.along(axis));
        let rest = alone.map(|(axis, each)| (axis.clone(), if is_along(axis) { each } else { each / below(axis) }));
        let unroll = Table(rest.filter(|(_, each)| *each > 1).chain(own).collect());
        let unroll = Some(unroll).filter(|unroll| !unroll.0.is_empty());
        let each = plan.thread_tile.iter().flat_map(|each| &each.0).filter(|(axis, _)| !is_along(axis)).cloned();
        let thread_tile = Some(Table(each.collect())).filter(|each: &Table<i64>| !each.0.is_empty());
        Schedule { assume: None, vectors: None, thread_tile, unroll, blocks_per_sm, ..plan.clone() }
    };
    let longer = |plan: &Schedule| Schedule { caches: Vec::new(), blocks_per_sm: None, ..plan.clone() };
    // Each single element that is summed has a register for itself and one for its sum.
    let shorter = |plan: &Schedule| {
        let most = |axis: &str| plan.threads.as_ref().map_or(1, |threads| threads.along(axis)) * MOST_ALONE;
        let is_long = |axis: &String| plan.reduced.iter().flatten().any(|name| name == axis);
        let cut =
            |(axis, size): &(String, i64)| (axis.clone(), if is_long(axis) { (*size).min(most(axis)) } else { *size });
        let tile = plan.tile.as_ref().map(|tile| Table(tile.0.iter().map(cut).collect()));
        Schedule { tile, ..plan.clone() }
    };
    let mut plans = match plan.caches.iter().any(is_transposed) {
        true => vec![anywhere(plan)],
        false => vec![anywhere(plan), longer(plan), anywhere(&shorter(&longer(plan)))],
    };
    // Each asks less than the one before it, and the last one nothing.
    let mut asked = vec![conditions(ctx, region, plan)];
    plans.retain(|plan| {
        let own = conditions(ctx, region, plan);
        let is_new = !asked.contains(&own);
        asked.push(own);
        is_new
    });
    if plans.last().is_some_and(|last| !conditions(ctx, region, last).is_empty()) { Vec::new() } else { plans }
}

/// A plan where of the symbols that it asks about only these are as it wants them.
fn for_sizes(ctx: &Context, region: &Body, plan: &Schedule, known: &[String]) -> Option<Schedule> {
    let entry = region.entry_block()?;
    let needs = |memory: MemRef| of_rows(ctx, memory).is_some_and(|(symbol, _)| !known.contains(&symbol));
    let mut words: Vec<(String, Choice)> = plan.algo.iter().flat_map(|table| table.0.iter().cloned()).collect();
    for &arg in region.args(entry) {
        let name = ctx.str(region.value_name(arg));
        let kept = plan.cache_of(name).is_some_and(|cache| cache.place == Place::Smem);
        let is_needed = |&memory: &MemRef| kept && !is_padded(plan, name) && needs(memory);
        let Some(memory) = MemRef::of(ctx, region.value_type(arg)).filter(is_needed) else { continue };
        let key = format!("load_{name}");
        if memory.dims(ctx).len() != 2 || words.iter().any(|(known, _)| *known == key) {
            return None;
        }
        words.push((key, Choice::Word("padded".into())));
    }
    let algo = Some(Table(words)).filter(|it| !it.0.is_empty());
    let assumed = plan.assume.iter().flat_map(|table| table.0.iter().cloned());
    let assume = Some(Table(assumed.filter(|(name, _)| known.contains(name)).collect())).filter(|it| !it.0.is_empty());
    let mut some = Schedule { assume, cluster: None, multicast: None, algo, ..plan.clone() };
    if outputs(ctx, region, plan).into_iter().any(needs) {
        let panels = plan.store.as_ref().and_then(|store| store.panels);
        some.store = Some(Store { way: StoreMethod::Rows, panels, together: None });
    }
    let is_for = conditions(ctx, region, &some);
    let asks_more = is_for.len() > known.len();
    (plan.barrier == Some(Barrier::Mbarrier) && !asks_more).then_some(some)
}

/// The results that TMA stores: those of `wgmma`.
fn outputs(ctx: &Context, region: &Body, plan: &Schedule) -> Vec<MemRef> {
    let by_wgmma = plan.instruction.as_ref().is_some_and(|of| of.kind == Kind::Wgmma);
    let func = Func::of(OpRef::new(ctx, region, region.root())).filter(|_| stores_by_engine(plan) && by_wgmma);
    let Some(TypeData::Function { results, .. }) = func.map(|func| ctx.type_data(func.function_type())) else {
        return Vec::new();
    };
    results.iter().filter_map(|&ty: &Type| MemRef::of(ctx, ty)).collect()
}

/// Whether a plan lets TMA store results.
pub fn stores_by_engine(plan: &Schedule) -> bool {
    match plan.store.as_ref().map(|store| store.way) {
        Some(way) => way == StoreMethod::Tma,
        None => plan.overlap.as_ref().is_some_and(|overlap| overlap.enable && overlap.epilogue_overlap),
    }
}

/// The symbol that is the length of the rows of a tensor, and what it must be a multiple of for TMA.
fn of_rows(ctx: &Context, memory: MemRef) -> Option<(String, i64)> {
    let (dims, bytes) = (memory.dims(ctx), i64::from(memory.elem(ctx).bits(ctx)? / 8));
    let fits = memory.layout(ctx) == Layout::RowMajor && dims.len() > 1 && memory.align(ctx) % ALIGNMENT == 0;
    let name = dims.last()?.as_symbol().filter(|_| fits && bytes > 0 && bytes < ALIGNMENT)?;
    Some((name.to_string(), ALIGNMENT / bytes))
}
