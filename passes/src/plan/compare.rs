//! What a plan says of the region is compared with it: axes, tensors, types, layouts, the epilogue, edges, the algorithm.

use std::borrow::Cow;
use std::collections::HashSet;

use dlc_core::memref::{Layout, MemRef};
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::did_you_mean;
use dlc_ir::{Context, TypeData, ValueId};
use dlc_kernel::global::contiguous_axis;
use dlc_plan::Schedule;
use dlc_plan::check::{CONFLICT, NOT_OF_KERNEL};
use dlc_plan::clause::{Buffer, Cache, Edge, Kind, Place};
use dlc_plan::footprint::GROUP;
use dlc_plan::value::{Choice, Table};
use dlc_region::ops::{Binary, Func, Read, Reduce, Unary};
use dlc_region::verify::KernelAxes;

use super::defaults;
use super::mapping::Mapping;
use super::resolved::{Refused, Resolver};
use super::shape::Groups;
use crate::analysis::conditions::STAGGER;

/// Ways to load that a word of `algo` may name.
const LOADS: [&str; 3] = ["padded", "im2col", "window"];
/// What `algo` may say of a kernel, and the words for how dlc computes that.
const ALGORITHMS: [(&str, &[&str]); 3] =
    [("matmul", &["implicit_gemm"]), ("conv", &["implicit_gemm"]), ("attention", &["streaming", "online_softmax"])];

/// The memory of the tensors of a region: arguments, then results.
fn tensors(ctx: &Context, region: &Body) -> Vec<(String, Option<MemRef>)> {
    let args = region.entry_block().map_or(&[][..], |block| region.args(block));
    let memory = |&arg| (ctx.str(region.value_name(arg)).to_string(), MemRef::of(ctx, region.value_type(arg)));
    let mut all: Vec<(String, Option<MemRef>)> = args.iter().map(memory).collect();
    if let Some(func) = Func::of(OpRef::new(ctx, region, region.root()))
        && let TypeData::Function { results, .. } = ctx.type_data(func.function_type())
    {
        let names = func.outputs().into_iter().map(String::from);
        all.extend(names.zip(results.iter().map(|&ty| MemRef::of(ctx, ty))));
    }
    all
}

/// A plan in which `vectorize` is said of each tensor that is contiguous along its loop.
pub(crate) fn with_widths<'a>(ctx: &Context, region: &Body, plan: &'a Schedule) -> Cow<'a, Schedule> {
    let Some(wide) = &plan.vectorize else { return Cow::Borrowed(plan) };
    let mut all = plan.clone();
    let vectors = all.vectors.get_or_insert_with(Table::default);
    for name in contiguous_along(ctx, region, axis_of(&wide.axis)) {
        if vectors.get(&name).is_none() {
            vectors.0.push((name, wide.width));
        }
    }
    Cow::Owned(all)
}

/// The axis of a loop.
fn axis_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The tensors whose adjacent elements are along an axis.
fn contiguous_along(ctx: &Context, region: &Body, axis: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !found.iter().any(|known| known == name) {
            found.push(name.to_string());
        }
    };
    for read in region.walk().into_iter().filter_map(|op| Read::of(OpRef::new(ctx, region, op))) {
        let is_along = |at: &dlc_ir::affine::SizeExpr| at.symbols().iter().any(|symbol| **symbol == *axis);
        let memory = MemRef::of(ctx, region.value_type(read.source()));
        let at = read.at();
        let contiguous = memory.and_then(|memory| contiguous_axis(ctx, memory));
        if contiguous.map_or(at.last(), |axis| at.get(axis)).is_some_and(is_along) {
            add(ctx.str(region.value_name(read.source())));
        }
    }
    let axes = KernelAxes::of(ctx, region);
    if axes.iters.checked_sub(1).is_some_and(|last| axes.names[last] == axis)
        && let Some(func) = Func::of(OpRef::new(ctx, region, region.root()))
    {
        func.outputs().into_iter().for_each(add);
    }
    found
}

/// Why a plan is refused that names axes or tensors which the region does not have.
pub(super) fn unknown_names(ctx: &Context, region: &Body, plan: &Schedule) -> Option<Refused> {
    let resolver = Resolver { ctx, region, plan: Some(plan), targets: &[], tensor_cores: false };
    resolver.names(&KernelAxes::of(ctx, region)).err()
}

impl Resolver<'_> {
    /// Axes and tensors are those of the region.
    pub(super) fn names(&self, axes: &KernelAxes) -> Result<(), Refused> {
        let Some(plan) = self.plan else { return Ok(()) };
        let tile = plan.tile.iter().flat_map(|tile| tile.names());
        let tile = tile.map(|name| ("tile".to_string(), name));
        let of_cache = |cache: &'_ Cache| format!("cache {}", cache.tensor);
        let read = plan
            .caches
            .iter()
            .flat_map(|cache| cache.axes.iter().flatten().map(move |axis| (of_cache(cache), axis.as_str())));
        if let Some((clause, name)) = tile.chain(read).find(|(_, name)| axes.position(name).is_none()) {
            let message =
                format!("the plan has the axis '{name}', and the axes of the kernel are {}", axes.names.join(", "));
            let (name, meant) = (name.to_string(), self.axis_left(axes));
            return self.refuse_with(&[&clause], &NOT_OF_KERNEL, message, move |plan| {
                if let (Some(tile), Some(meant)) = (&mut plan.tile, &meant)
                    && let Some(entry) = tile.0.iter_mut().find(|(axis, _)| *axis == name)
                {
                    entry.0 = meant.clone();
                }
                if let Some(tile) = &mut plan.tile {
                    tile.0.retain(|(axis, _)| *axis != name);
                }
                for cache in &mut plan.caches {
                    cache.axes = cache.axes.take().filter(|axes| !axes.contains(&name));
                }
            });
        }
        let tensors = self.tensors();
        let cached = plan.caches.iter().map(|cache| ("cache", cache.tensor.as_str()));
        let shared = plan.multicast.iter().flatten().map(|name| ("multicast", name.as_str()));
        let swizzled = plan.swizzle.iter().flat_map(|table| table.names()).map(|name| ("swizzle", name));
        let wide = plan.vectors.iter().flat_map(|table| table.names()).map(|name| ("vectors", name));
        let kept = plan.policy.iter().flat_map(|table| table.names()).map(|name| ("policy", name));
        let strides = plan.stride.iter().flat_map(|table| table.names()).map(|name| ("stride", name));
        let loads = plan.algo.iter().flat_map(|table| table.names()).filter_map(|name| name.strip_prefix("load_"));
        let loads = loads.map(|name| ("algo", name));
        let mut all = cached.chain(loads).chain(shared).chain(swizzled).chain(wide).chain(kept).chain(strides);
        let kernel_tensors: HashSet<&str> = tensors.iter().map(|tensor| tensor.0.as_str()).collect();
        match all.find(|(_, name)| !kernel_tensors.contains(name)) {
            Some((word, name)) => {
                let known = tensors.iter().map(|tensor| tensor.0.as_str()).collect::<Vec<_>>().join(", ");
                let near = did_you_mean(name, tensors.iter().map(|tensor| tensor.0.as_str()));
                let near = near.map_or(String::new(), |near| format!("; {near}"));
                let message = format!("'{word}' has the tensor '{name}', and those of the kernel are {known}{near}");
                self.refuse(&[&format!("{word} {name}")], &NOT_OF_KERNEL, message)
            }
            None => Ok(()),
        }
    }

    /// The only axis of the kernel that the tile does not have, if it has one axis that is none of the kernel.
    fn axis_left(&self, axes: &KernelAxes) -> Option<String> {
        let tile = self.plan?.tile.as_ref()?;
        let mut left = axes.names.iter().filter(|axis| tile.get(axis).is_none());
        let unknown = tile.names().filter(|name| axes.position(name).is_none()).count();
        left.next().filter(|_| left.next().is_none() && unknown == 1).cloned()
    }

    pub(super) fn tensors(&self) -> Vec<(String, Option<MemRef>)> {
        tensors(self.ctx, self.region)
    }

    /// What a plan says of the region is so: the axes and types of cached tensors, the layout of results, the epilogue,
    /// the edges.
    pub(super) fn descriptions(&self, axes: &KernelAxes) -> Result<(), Refused> {
        let Some(plan) = self.plan else { return Ok(()) };
        plan.caches.iter().try_for_each(|cache| self.cached(axes, cache))?;
        self.reduced(plan, axes)?;
        self.strides(plan)?;
        self.epilogue(plan)?;
        self.edges(plan)
    }

    /// A cached tensor is read along the axes that the plan says, has the type, and is exchanged where its positions change.
    fn cached(&self, axes: &KernelAxes, cache: &Cache) -> Result<(), Refused> {
        let (ctx, region) = (self.ctx, self.region);
        let reads = region.walk().into_iter().filter_map(|id| Read::of(OpRef::new(ctx, region, id)));
        let reads: Vec<Read<'_>> =
            reads.filter(|read| ctx.str(region.value_name(read.source())) == cache.tensor).collect();
        let (tensor, clause) = (cache.tensor.clone(), format!("cache {}", cache.tensor));
        let of_read = |read: &Read<'_>| -> Vec<String> {
            let at = read.at();
            let used = |name: &&String| at.iter().any(|at| at.symbols().iter().any(|symbol| **symbol == ***name));
            axes.names.iter().filter(used).cloned().collect()
        };
        let is_same = |said: &Vec<String>, own: &Vec<String>| {
            own.iter().all(|axis| said.contains(axis)) && said.iter().all(|axis| own.contains(axis))
        };
        let said = cache.axes.as_ref().filter(|_| !reads.is_empty());
        if let Some(said) = said.filter(|said| !reads.iter().any(|read| is_same(said, &of_read(read)))) {
            let own = of_read(&reads[0]).join(", ");
            let message =
                format!("'cache' says that {tensor} is read along ({}), and it is along ({own})", said.join(", "));
            return self.refuse_with(&[&clause], &CONFLICT, message, move |plan| {
                plan.caches.iter_mut().filter(|cache| cache.tensor == tensor).for_each(|cache| cache.axes = None);
            });
        }
        let elem = self.tensors().into_iter().find(|(name, _)| *name == tensor).and_then(|(_, memory)| memory);
        let elem = elem.map(|memory| memory.elem(ctx));
        if let Some((said, own)) = cache.dtype.zip(elem).filter(|(said, own)| said != own) {
            let (said, own) = (said.display(ctx), own.display(ctx));
            let message = format!("'cache' says that {tensor} has elements of {said}, and they are {own}");
            return self.refuse_with(&[&clause], &CONFLICT, message, move |plan| {
                plan.caches.iter_mut().filter(|cache| cache.tensor == tensor).for_each(|cache| cache.dtype = None);
            });
        }
        let Some((at, read)) = cache.at.as_ref().zip(reads.first()) else { return Ok(()) };
        // A tile is exchanged in the innermost loop that its positions depend on.
        let own = of_read(read);
        let reduced: Vec<String> = own.iter().filter(|axis| axes.names[axes.iters..].contains(axis)).cloned().collect();
        let loops = if reduced.is_empty() { own } else { reduced };
        if loops.is_empty() || loops.iter().any(|axis| at.split('.').next() == Some(axis)) {
            return Ok(());
        }
        let message =
            format!("'cache' exchanges {tensor} at {at}, and its positions change along ({})", loops.join(", "));
        let right = loops.last().map(|axis| format!("{axis}.i"));
        self.refuse_with(&[&clause], &CONFLICT, message, move |plan| {
            let own = plan.caches.iter_mut().filter(|cache| cache.tensor == tensor);
            own.for_each(|cache| cache.at = right.clone());
        })
    }

    /// What the plan says is reduced the kernel reduces.
    fn reduced(&self, plan: &Schedule, axes: &KernelAxes) -> Result<(), Refused> {
        let (ctx, region) = (self.ctx, self.region);
        let ops = region.walk().into_iter().map(|id| OpRef::new(ctx, region, id));
        let own: Vec<String> = ops.filter_map(Reduce::of).flat_map(|op| op.axes()).map(String::from).collect();
        let is_reduced = |axis: &String| own.contains(axis) || !axes.names[..axes.iters].contains(axis);
        let Some(axis) = plan.reduced.iter().flatten().find(|axis| !is_reduced(axis) && !self.is_scanned()) else {
            return Ok(());
        };
        let message = format!("'reduced' has the axis '{axis}', which the kernel does not reduce");
        self.refuse_with(&["reduced"], &CONFLICT, message, |plan| plan.reduced = None)
    }

    fn is_scanned(&self) -> bool {
        crate::analysis::axes::goes_along(self.ctx, self.region)
    }

    /// What the plan says of the kernel and is not so, though the kernel is right: widths along an axis that no tensor is
    /// contiguous along, tails that are left out, windows that are none.
    pub(super) fn undescribed(&self, axes: &KernelAxes, mapping: &Mapping) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let Some(plan) = self.plan else { return found };
        if let Some(wide) = &plan.vectorize
            && contiguous_along(self.ctx, self.region, axis_of(&wide.axis)).is_empty()
        {
            let message = format!("'vectorize': no tensor is contiguous along '{}'", axis_of(&wide.axis));
            found.push(("vectorize", message));
        }
        if let Some(said) = plan.predicate_tail.as_ref().filter(|_| mapping.is_planned) {
            let has_tail = |axis: &&String| !said.iter().any(|name| axis_of(name) == **axis);
            let left: Vec<&String> = self.tails(plan, axes).into_iter().filter(has_tail).collect();
            if let Some(axis) = left.first() {
                let tile = plan.tile_of(axis);
                found.push((
                    "predicate_tail",
                    format!("sizes along '{axis}' may leave a part of a tile of {tile} over"),
                ));
            }
        }
        let words = plan.algo.iter().flat_map(|table| &table.0);
        let windows = words.filter(|(_, choice)| matches!(choice, Choice::Word(word) if word == "im2col"));
        let mut alone = windows.filter(|(load, _)| !self.is_image(plan, load.trim_start_matches("load_")));
        if alone.next().is_some() && !self.reads_windows() {
            found.push(("algo", "'algo': 'im2col' copies windows, and the kernel reads none".into()));
        }
        if let Some((given, own)) = self.registers_of_all(plan).filter(|(given, own)| given != own) {
            let message = format!(
                "'registers (thread: {given})': threads without registers of their roles have what a block of theirs starts \
                 with, {own}"
            );
            found.push(("registers", message));
        }
        let is_wgmma = mapping.tiling.matrix.as_ref().is_some_and(|it| it.instruction == Kind::Wgmma);
        if !is_wgmma && mapping.products > 0 && plan.overlap.as_ref().is_some_and(|it| it.enable && it.epilogue_overlap)
        {
            let message = "'overlap_epilogue': only TMA stores results while the next tile is computed, and only those of 'wgmma'";
            found.push(("async", message.into()));
        }
        found
    }

    /// The registers that a plan with roles gives all threads, and those that they have.
    fn registers_of_all(&self, plan: &Schedule) -> Option<(i64, i64)> {
        let (roles, given) = (plan.roles.as_ref()?, *plan.registers.as_ref()?.get("thread")?);
        let threads = (GROUP + GROUP * roles.consumers) * plan.blocks_per_sm.unwrap_or(1);
        Some((given, self.targets.iter().map(|target| target.entry_registers(threads)).min()?))
    }

    /// The axes of the tile that sizes need not be multiples of.
    fn tails<'b>(&self, plan: &'b Schedule, axes: &KernelAxes) -> Vec<&'b String> {
        let known = |table: &Option<Table<i64>>, symbol: &str| table.as_ref().and_then(|all| all.get(symbol)).copied();
        let is_open = |axis: &str, tile: i64| {
            let Some(size) = axes.size(axis) else { return false };
            let of_symbol = |symbol: &str| known(&plan.fix, symbol).or_else(|| known(&plan.assume, symbol));
            match (size.as_constant(), size.as_symbol()) {
                (Some(size), _) => size % tile != 0,
                (None, Some(symbol)) => of_symbol(symbol).is_none_or(|number| number % tile != 0),
                // What is computed of several symbols is not looked at.
                (None, None) => false,
            }
        };
        let tile = plan.tile.iter().flat_map(|tile| &tile.0);
        tile.filter(|(axis, tile)| *tile > 1 && is_open(axis, *tile)).map(|(axis, _)| axis).collect()
    }

    /// Tensors lie in memory as the plan says.
    fn strides(&self, plan: &Schedule) -> Result<(), Refused> {
        for (name, word) in plan.stride.iter().flat_map(|table| &table.0) {
            let memory = self.tensors().into_iter().find(|(own, _)| own == name).and_then(|(_, memory)| memory);
            let layout = memory.map(|memory| memory.layout(self.ctx));
            let is_so = match word.as_str() {
                "row" | "row_major" => layout == Some(Layout::RowMajor),
                "col" | "col_major" => layout == Some(Layout::ColMajor),
                _ => false,
            };
            if !is_so {
                let message = format!("'stride' says that {name} is '{word}', and the kernel declares another layout");
                let name = name.clone();
                return self.refuse_with(&[&format!("stride {name}")], &CONFLICT, message, move |plan| {
                    if let Some(stride) = &mut plan.stride {
                        stride.0.retain(|(own, _)| *own != name);
                    }
                    plan.stride = plan.stride.take().filter(|stride| !stride.0.is_empty());
                });
            }
        }
        Ok(())
    }

    /// The words of the functions that the kernel computes.
    fn functions(&self) -> Vec<&'static str> {
        let ops = || self.region.walk().into_iter().map(|id| OpRef::new(self.ctx, self.region, id));
        let mut words: Vec<&str> = ops().filter_map(Unary::of).map(|op| op.function().word()).collect();
        words.extend(ops().filter_map(Binary::of).map(|op| op.function().word()));
        words
    }

    /// The epilogue of the plan is what the kernel computes after its sum.
    fn epilogue(&self, plan: &Schedule) -> Result<(), Refused> {
        let Some(said) = &plan.epilogue else { return Ok(()) };
        let words = self.functions();
        let is_there = |word: &str| words.contains(&word) || (word == "bias" && words.contains(&"add"));
        if let Some(word) = said.iter().find(|word| !is_there(word)) {
            let message = format!("'epilogue' has '{word}', which the kernel does not compute");
            return self.refuse_with(&["epilogue"], &CONFLICT, message, |plan| plan.epilogue = None);
        }
        let following = self.after_the_sum();
        let is_listed = |word: &&str| said.iter().any(|own| own == word || (own == "bias" && *word == "add"));
        if let Some(word) = following.iter().find(|word| !is_listed(word)) {
            let message = format!("'epilogue' leaves '{word}' out, which the kernel computes after its sum");
            return self.refuse_with(&["epilogue"], &CONFLICT, message, |plan| plan.epilogue = None);
        }
        // Words that are computed once are in their order; what is computed before the sum is not looked at.
        let place = |word: &&String| {
            let is_it = |own: &&str| *own == word.as_str() || (word.as_str() == "bias" && *own == "add");
            let mut places = following.iter().enumerate().filter(|(_, own)| is_it(own)).map(|(place, _)| place);
            places.next().filter(|_| places.next().is_none())
        };
        let placed: Vec<(&String, usize)> = said.iter().filter_map(|word| Some((word, place(&word)?))).collect();
        if let Some(pair) = placed.windows(2).find(|pair| pair[0].1 > pair[1].1) {
            let (first, second) = (pair[0].0, pair[1].0);
            let message = format!("'epilogue' has '{first}' before '{second}', which the kernel computes first");
            return self.refuse_with(&["epilogue"], &CONFLICT, message, |plan| plan.epilogue = None);
        }
        Ok(())
    }

    /// Edges are between values of the kernel; only a tensor with tiles in shared memory comes through a ring there.
    fn edges(&self, plan: &Schedule) -> Result<(), Refused> {
        let (ctx, region) = (self.ctx, self.region);
        let ops = region.walk().into_iter().map(|id| OpRef::new(ctx, region, id));
        let reduced = ops.filter_map(Reduce::of).flat_map(|op| op.axes());
        let values = region.walk().into_iter().flat_map(|op| region.results(op));
        let mut known: Vec<String> = reduced.map(|axis| format!("sum_{axis}")).collect();
        known.extend(values.map(|value| ctx.str(region.value_name(value)).to_string()).filter(|name| !name.is_empty()));
        known.extend(self.tensors().into_iter().map(|(name, _)| name));
        known.extend(self.functions().iter().map(|word| word.to_string()));
        for edge in &plan.edges {
            let (from, clause) = (edge.from.clone(), format!("edge {}", edge.from));
            let of_edge = move |other: &Edge| other.from == from;
            if let Some(name) = [&edge.from, &edge.to].into_iter().find(|name| !known.contains(name)) {
                let message = format!("'edge' has '{name}', which is no value, tensor or function of the kernel");
                return self.refuse_with(&[&clause], &NOT_OF_KERNEL, message, move |plan| {
                    plan.edges.retain(|edge| !of_edge(edge));
                });
            }
            if edge.buffer != Buffer::SmemRing {
                continue;
            }
            let cache = plan.cache_of(&edge.from).filter(|cache| cache.place == Place::Smem);
            let Some(cache) = cache else {
                let message = format!("'edge' has {} in a ring of shared memory, and it stays in registers", edge.from);
                return self.refuse_with(&[&clause], &CONFLICT, message, move |plan| {
                    for edge in plan.edges.iter_mut().filter(|edge| of_edge(edge)) {
                        (edge.buffer, edge.depth) = (Buffer::Reg, None);
                    }
                });
            };
            let ring = cache.buffers.unwrap_or_else(|| defaults::stages(plan));
            if let Some(depth) = edge.depth.filter(|&depth| depth != ring) {
                let message = format!("'edge' has a ring of {depth} tiles of {}, and its ring has {ring}", edge.from);
                return self.refuse_with(&[&clause], &CONFLICT, message, move |plan| {
                    plan.edges.iter_mut().filter(|edge| of_edge(edge)).for_each(|edge| edge.depth = Some(ring));
                });
            }
        }
        Ok(())
    }

    /// What `algo` says is how the kernel is computed, or a choice that a pass has.
    pub(super) fn algorithms(&self, groups: Option<&Groups>) -> Result<(), Refused> {
        let words = self.plan.and_then(|plan| plan.algo.as_ref());
        for (name, choice) in words.iter().flat_map(|table| &table.0) {
            if let Some(message) = self.no_algorithm(name, choice, groups) {
                let name = name.clone();
                return self.refuse_with(&[&format!("algo {name}")], &CONFLICT, message, move |plan| {
                    if let Some(algo) = &mut plan.algo {
                        algo.0.retain(|(own, _)| *own != name);
                    }
                    plan.algo = plan.algo.take().filter(|algo| !algo.0.is_empty());
                });
            }
        }
        Ok(())
    }

    /// Why a word of `algo` is not how the kernel is computed.
    fn no_algorithm(&self, name: &str, choice: &Choice, groups: Option<&Groups>) -> Option<String> {
        let shown = match choice {
            Choice::Word(word) => word.clone(),
            Choice::Number(number) => number.to_string(),
        };
        if let Some((_, words)) = ALGORITHMS.iter().find(|(known, _)| *known == name) {
            let streams = groups.map(|groups| groups.streams);
            let is_so = match name {
                "attention" => streams == Some(true),
                "conv" => streams == Some(false) && self.reads_windows(),
                _ => streams == Some(false),
            };
            return match (is_so, words.contains(&shown.as_str())) {
                (false, _) => Some(format!("'algo' speaks of '{name}', which the kernel does not compute")),
                (_, false) => Some(format!("'algo' has '{name}: {shown}', and the ways are {}", words.join(", "))),
                _ => None,
            };
        }
        if shown == "window" && groups.is_none() {
            return Some(format!("'algo ({name}: window)' is for factors of a product, and the kernel has none"));
        }
        let is_known = match choice {
            Choice::Word(word) => name.starts_with("load_") && LOADS.contains(&word.as_str()),
            Choice::Number(_) => name.starts_with(STAGGER),
        };
        let known = ALGORITHMS.map(|(name, _)| name).join(", ");
        (!is_known).then(|| {
            format!(
                "no pass has the choice '{name}: {shown}': there are {known}, load_X (padded, im2col, window) and {STAGGER}k"
            )
        })
    }

    /// Whether rows or columns of a product are those of images: two axes at least that only this tensor has, whose
    /// pixels TMA takes one after another.
    fn is_image(&self, plan: &Schedule, tensor: &str) -> bool {
        let axes = KernelAxes::of(self.ctx, self.region);
        let (own, others): (Vec<_>, Vec<_>) = plan.caches.iter().partition(|cache| cache.tensor == tensor);
        let is_result = |axis: &str| axes.position(axis).is_some_and(|at| at < axes.iters);
        let named = |axis: &str| others.iter().any(|cache| plan.axes_of(cache).contains(&axis));
        own.iter().any(|cache| {
            let own = plan.axes_of(cache);
            own.iter().filter(|axis| is_result(axis) && !named(axis)).count() >= 2
        })
    }

    /// Whether a tensor is read at positions that two axes make together, as windows are.
    fn reads_windows(&self) -> bool {
        let axes = KernelAxes::of(self.ctx, self.region);
        let reads = self.region.walk().into_iter().filter_map(|op| Read::of(OpRef::new(self.ctx, self.region, op)));
        let is_sum = |at: &dlc_ir::affine::SizeExpr| {
            at.symbols().iter().filter(|symbol| axes.position(symbol).is_some()).count() > 1
        };
        reads.flat_map(|read| read.at()).any(|at| is_sum(&at))
    }

    /// The functions between the sum of a kernel and its results, as words; none where it has several sums or none.
    fn after_the_sum(&self) -> Vec<&'static str> {
        let (ctx, region) = (self.ctx, self.region);
        let Some(block) = region.entry_block() else { return Vec::new() };
        let ops = || region.ops(block).map(|id| OpRef::new(ctx, region, id));
        let mut sums = ops().filter_map(Reduce::of);
        let (Some(sum), None) = (sums.next(), sums.next()) else { return Vec::new() };
        let (mut reached, mut words): (Vec<ValueId>, Vec<&str>) = (region.results(sum.id).collect(), Vec::new());
        for op in ops().filter(|op| op.id != sum.id) {
            if op.operands().any(|operand| reached.contains(&operand)) {
                reached.extend(op.results());
                let word = Unary::of(op).map(|unary| unary.function().word());
                words.extend(word.or_else(|| Binary::of(op).map(|binary| binary.function().word())));
            }
        }
        words
    }
}
