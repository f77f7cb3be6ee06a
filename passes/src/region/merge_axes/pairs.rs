//! Which axes may be one, and making them one.

use std::collections::BTreeSet;

use dlc_core::access::Access;
use dlc_core::bounds::Axes;
use dlc_core::memref::{Layout, MemRef};
use dlc_core::sizes::{Exprs, Sizes};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::{Context, OpId, Type, TypeData, ValueId};
use dlc_region::ops::{Func, Read, Reduce, Scan, Sort};
use dlc_region::syntax::element_of;
use dlc_region::verify::{KernelAxes, axes_of};
use rustc_hash::FxHashMap;

use super::sizes::{products, set_types};
use crate::analysis::axes::{axes, exprs, set_axes, values};
use crate::rewrites::axes::set_all_places;

/// Two axes that follow each other, by name.
pub type Pair = (String, String);

/// How many axes each axis of memory stands for, which a kernel had before.
pub struct Runs {
    pub inputs: Vec<Vec<usize>>,
    pub outputs: Vec<Vec<usize>>,
}

impl Runs {
    /// Of a kernel that has its axes yet.
    pub fn of(ctx: &Context, kernel: &Body) -> Runs {
        let (inputs, outputs) = memory(ctx, kernel);
        let runs =
            |types: &[Type]| -> Vec<Vec<usize>> { types.iter().map(|&ty| vec![1; dims(ctx, ty).len()]).collect() };
        Runs { inputs: runs(&inputs), outputs: runs(&outputs) }
    }
}

/// The types of what a kernel reads and writes.
pub fn memory(ctx: &Context, kernel: &Body) -> (Vec<Type>, Vec<Type>) {
    let func = Func::of(OpRef::new(ctx, kernel, kernel.root()));
    match func.map(|func| ctx.type_data(func.function_type())) {
        Some(TypeData::Function { inputs, results }) => (inputs.to_vec(), results.to_vec()),
        _ => (Vec::new(), Vec::new()),
    }
}

fn dims(ctx: &Context, ty: Type) -> Vec<SizeExpr> {
    MemRef::of(ctx, ty).map(|ty| ty.dims(ctx)).unwrap_or_default()
}

/// Where memory is read or written at two axes next to each other.
struct Site {
    /// The argument, or after the arguments the result.
    port: usize,
    /// The place of the first of them.
    place: usize,
    /// The axes, if they are all that stands there, in their full size.
    pair: Option<Pair>,
}

/// The axes that a read or a store names, its positions, and where which axes are next to each other.
struct Named {
    named: BTreeSet<String>,
    at: Vec<SizeExpr>,
    sites: Vec<Site>,
}

/// A position in terms of the axis `merged` that two become, of which the second has so many positions: `64*h + w`, with 64
/// positions of `w`, is the position along both. `None` where it does not go on with the second where the first ends.
fn along_both(at: &SizeExpr, pair: &Pair, second: &SizeExpr, merged: &str) -> Option<SizeExpr> {
    let replaced = |axis: &str, by: SizeExpr| at.substitute(&|name| (name == axis).then(|| by.clone())).ok();
    let next = |axis: &str, by: &SizeExpr| replaced(axis, SizeExpr::symbol(axis).and_then(|axis| axis.add(by)).ok()?);
    if next(&pair.0, &1.into())? != next(&pair.1, second)? {
        return None;
    }
    let merged = SizeExpr::symbol(merged).ok()?;
    let whole = |name: &str| match name {
        _ if name == pair.0 => Some(SizeExpr::from(0)),
        _ => (name == pair.1).then(|| merged.clone()),
    };
    at.substitute(&whole).ok()
}

/// Pairs that may be merged, all those that share memory together; `None` if there are none.
pub fn find(ctx: &Context, kernel: &Body) -> Option<Vec<Pair>> {
    let all = kernel.walk();
    let ops = || all.iter().map(|&op| OpRef::new(ctx, kernel, op));
    let kernel_axes = KernelAxes::of(ctx, kernel);
    let accesses = accesses(ctx, kernel, &kernel_axes);
    let mut pairs = in_order(ctx, kernel, &kernel_axes);
    let mut alone: BTreeSet<String> = BTreeSet::new();
    for op in ops() {
        if !op.is(Read::DEF) {
            alone.extend(exprs(op).iter().flat_map(SizeExpr::symbols).map(|name| name.to_string()));
        } else if let Some(guard) = Read::of(op).and_then(|read| read.guard()) {
            alone.extend(guard.exprs().flat_map(SizeExpr::symbols).map(|name| name.to_string()));
        }
        alone.extend(Scan::of(op).map(|scan| scan.along().to_string()));
        alone.extend(Sort::of(op).map(|sort| sort.along().to_string()));
    }
    let values = values(ctx, kernel);
    let of_values: BTreeSet<Vec<&str>> = values.iter().map(|&value| axes(ctx, kernel, value)).collect();
    pairs.retain(|(first, second)| {
        let both = |axes: &Vec<&str>| axes.contains(&first.as_str()) == axes.contains(&second.as_str());
        !alone.contains(first) && !alone.contains(second) && of_values.iter().all(both)
    });
    pairs.retain(|pair| !tells_sizes(ctx, kernel, &kernel_axes, pair));
    let mut places: FxHashMap<(usize, usize), Vec<Option<&Pair>>> = FxHashMap::default();
    for site in accesses.iter().flat_map(|access| &access.sites) {
        places.entry((site.port, site.place)).or_default().push(site.pair.as_ref());
    }
    loop {
        // Where memory has one axis for both, as far as is known.
        let is_merged = |site: &Site| {
            places[&(site.port, site.place)].iter().all(|pair| pair.is_some_and(|pair| pairs.contains(pair)))
        };
        let mut refused: BTreeSet<&Pair> = BTreeSet::new();
        for access in &accesses {
            for pair in &pairs {
                let is_named = access.named.contains(&pair.0) || access.named.contains(&pair.1);
                let site = access.sites.iter().find(|site| site.pair.as_ref() == Some(pair));
                let second = kernel_axes.size(&pair.1);
                let is_joint = |at: &SizeExpr| second.and_then(|size| along_both(at, pair, size, &pair.0)).is_some();
                if is_named && !site.is_some_and(is_merged) && !access.at.iter().all(is_joint) {
                    refused.insert(pair);
                }
            }
        }
        let kept: Vec<Pair> = pairs.iter().filter(|pair| !refused.contains(pair)).cloned().collect();
        if kept.len() == pairs.len() {
            break;
        }
        pairs = kept;
    }
    pairs.iter().map(|pair| together(pair, &places)).find(|found| is_disjoint(found))
}

/// Whether something is known to be inside the memory that it is read from because neither of two axes is empty, as a position
/// 0 in a row of `A` is where an axis has `A` positions. A product of two symbols does not say that of each.
fn tells_sizes(ctx: &Context, kernel: &Body, kernel_axes: &KernelAxes, pair: &Pair) -> bool {
    let is_number = |axis: &String| kernel_axes.size(axis).is_none_or(|size| size.as_constant().is_some());
    if is_number(&pair.0) || is_number(&pair.1) {
        return false;
    }
    let is_of_pair = |name: &str| name == pair.0 || name == pair.1;
    let sizes = kernel_axes.names.iter().zip(&kernel_axes.sizes).filter(|(name, _)| !is_of_pair(name));
    let (names, sizes): (Vec<&str>, Vec<SizeExpr>) = sizes.map(|(name, size)| (name.as_str(), size.clone())).unzip();
    let mut others = Axes::new(names, &sizes);
    let reads = kernel.walk().into_iter().filter_map(|op| Read::of(OpRef::new(ctx, kernel, op)));
    reads.into_iter().any(|read| {
        let (access, dims) = bounded(read, read.at(), dims(ctx, read.type_of(read.source())));
        let names_pair = access.exprs().any(|expr| expr.symbols().iter().any(|name| is_of_pair(name)));
        !names_pair && others.outside(&access, &dims).is_some()
    })
}

/// A read at some positions, and the sizes that these are to be within: a position that is a value is guarded by itself.
pub fn bounded(read: Read<'_>, at: Vec<SizeExpr>, dims: Vec<SizeExpr>) -> (Access, Vec<SizeExpr>) {
    let places = at.into_iter().zip(dims).filter(|(at, _)| element_of(at).is_none());
    let (at, dims) = places.unzip();
    (Access { at, guard: read.guard(), fill: read.fill() }, dims)
}

/// Axes that follow each other among those of the results and of each reduction.
fn in_order(ctx: &Context, kernel: &Body, kernel_axes: &KernelAxes) -> Vec<Pair> {
    let iters: Vec<String> = kernel_axes.names[..kernel_axes.iters].to_vec();
    let mut lists = vec![iters];
    for op in kernel.walk() {
        let reduce = Reduce::of(OpRef::new(ctx, kernel, op));
        lists.extend(reduce.map(|reduce| reduce.axes().into_iter().map(String::from).collect()));
    }
    let follows =
        |list: &Vec<String>| -> Vec<Pair> { list.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect() };
    let mut pairs: Vec<Pair> = lists.iter().flat_map(follows).collect();
    // An axis of several reductions has the same one after it in all of them.
    let same = |(first, second): &Pair| {
        lists.iter().all(|list| {
            let place = |axis: &String| list.iter().position(|own| own == axis);
            match (place(first), place(second)) {
                (Some(first), Some(second)) => second == first + 1,
                (None, None) => true,
                _ => false,
            }
        })
    };
    pairs.retain(same);
    pairs.dedup();
    pairs
}

/// Every read and every store of a kernel.
fn accesses(ctx: &Context, kernel: &Body, kernel_axes: &KernelAxes) -> Vec<Named> {
    let (inputs, outputs) = memory(ctx, kernel);
    let args = kernel.entry_block().map(|block| kernel.args(block)).unwrap_or_default();
    let ports: FxHashMap<ValueId, usize> = args.iter().enumerate().map(|(port, &arg)| (arg, port)).collect();
    let mut found = Vec::new();
    for op in kernel.walk() {
        let Some(read) = Read::of(OpRef::new(ctx, kernel, op)) else { continue };
        let Some(&port) = ports.get(&read.source()) else { continue };
        found.push(access(ctx, kernel_axes, port, inputs[port], &read.at()));
    }
    let iters: Vec<SizeExpr> =
        kernel_axes.names[..kernel_axes.iters].iter().filter_map(|name| SizeExpr::symbol(name).ok()).collect();
    for (number, &ty) in outputs.iter().enumerate() {
        found.push(access(ctx, kernel_axes, inputs.len() + number, ty, &iters));
    }
    found
}

fn access(ctx: &Context, kernel_axes: &KernelAxes, port: usize, ty: Type, at: &[SizeExpr]) -> Named {
    let is_axis = |name: &str| kernel_axes.position(name).is_some();
    let names = |expr: &SizeExpr| -> Vec<String> {
        expr.symbols().iter().filter(|name| is_axis(name)).map(|name| name.to_string()).collect()
    };
    let named: BTreeSet<String> = at.iter().flat_map(names).collect();
    let sizes = dims(ctx, ty);
    let is_row_major = MemRef::of(ctx, ty).is_some_and(|ty| ty.layout(ctx) == Layout::RowMajor);
    // An axis that alone stands at a place, and nowhere else, in its full size.
    let whole = |place: usize| {
        let axis = at[place].as_symbol().filter(|name| is_axis(name))?;
        let is_once = at.iter().filter(|other| names(other).iter().any(|name| name == axis)).count() == 1;
        (is_once && kernel_axes.size(axis) == sizes.get(place)).then(|| axis.to_string())
    };
    let site = |place: usize| {
        let pair = whole(place).zip(whole(place + 1)).filter(|_| is_row_major);
        Site { port, place, pair }
    };
    Named { named, at: at.to_vec(), sites: (0..at.len().saturating_sub(1)).map(site).collect() }
}

/// All pairs that stand where this one does, and so on.
fn together(pair: &Pair, places: &FxHashMap<(usize, usize), Vec<Option<&Pair>>>) -> Vec<Pair> {
    let mut found = vec![pair.clone()];
    let mut next = 0;
    while next < found.len() {
        let mut others: BTreeSet<&Pair> = BTreeSet::new();
        for here in places.values().filter(|here| here.contains(&Some(&found[next]))) {
            others.extend(here.iter().flatten());
        }
        let others: Vec<Pair> = others.into_iter().filter(|pair| !found.contains(pair)).cloned().collect();
        found.extend(others);
        next += 1;
    }
    found
}

/// Whether no axis is in two of the pairs.
fn is_disjoint(pairs: &[Pair]) -> bool {
    let names: BTreeSet<&String> = pairs.iter().flat_map(|(first, second)| [first, second]).collect();
    names.len() == 2 * pairs.len()
}

/// Makes one axis of each pair. Their names.
pub fn merge(ctx: &Context, kernel: &mut Body, pairs: &[Pair], runs: &mut Runs) -> Vec<String> {
    let kernel_axes = KernelAxes::of(ctx, kernel);
    let merged: Vec<(&Pair, String)> = pairs.iter().map(|pair| (pair, merged_name(&kernel_axes, pair))).collect();
    let accesses = accesses(ctx, kernel, &kernel_axes);
    let sites = accesses.iter().flat_map(|access| &access.sites);
    let mut places: Vec<(usize, usize)> = sites
        .filter(|site| site.pair.as_ref().is_some_and(|pair| pairs.contains(pair)))
        .map(|site| (site.port, site.place))
        .collect();
    // From the last place on, so that the ones before stay where they are.
    places.sort_by(|one, other| other.cmp(one));
    places.dedup();
    let (mut inputs, mut outputs) = memory(ctx, kernel);
    let args = kernel.entry_block().map(|block| kernel.args(block)).unwrap_or_default();
    let ports: FxHashMap<ValueId, usize> = args.iter().enumerate().map(|(port, &arg)| (arg, port)).collect();
    let mut of_port: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (port, place) in places {
        let count = inputs.len();
        let (ty, run) = match port.checked_sub(count) {
            None => (&mut inputs[port], &mut runs.inputs[port]),
            Some(number) => (&mut outputs[number], &mut runs.outputs[number]),
        };
        let next = run.remove(place + 1);
        run[place] += next;
        *ty = with_merged(ctx, *ty, place);
        of_port.entry(port).or_default().push(place);
    }
    for op in kernel.walk() {
        let Some(read) = Read::of(OpRef::new(ctx, kernel, op)) else { continue };
        let places = ports.get(&read.source()).and_then(|port| of_port.get(port));
        let places: Vec<usize> = places.into_iter().flatten().copied().collect();
        let mut at = read.at();
        let others = (0..at.len()).filter(|at| places.iter().all(|place| ![*place, *place + 1].contains(at)));
        for place in others.collect::<Vec<_>>() {
            for (pair, name) in &merged {
                let joint = kernel_axes.size(&pair.1).and_then(|second| along_both(&at[place], pair, second, name));
                at[place] = joint.unwrap_or_else(|| at[place].clone());
            }
        }
        for place in places {
            let own = at[place].as_symbol().and_then(|name| merged.iter().find(|(pair, _)| pair.0 == name));
            let Some(axis) = own.and_then(|(_, name)| SizeExpr::symbol(name).ok()) else { continue };
            at.remove(place + 1);
            at[place] = axis;
        }
        kernel.set_prop(ctx, op, ctx.intern_str("at"), Some(Exprs::make(ctx, at)));
    }
    set_types(ctx, kernel, &inputs, &outputs);
    for value in values(ctx, kernel) {
        let own: Vec<String> = axes_of(ctx, kernel.value_type(value)).into_iter().map(String::from).collect();
        let sizes = vec![SizeExpr::from(1); own.len()];
        let (own, _) = shorter(own, sizes, &merged);
        set_axes(ctx, kernel, value, own.iter().map(String::as_str).collect());
    }
    let root = kernel.root();
    set_list(ctx, kernel, root, ["iters", "iter_sizes"], &merged);
    for op in kernel.walk() {
        if OpRef::new(ctx, kernel, op).is(Reduce::DEF) {
            set_list(ctx, kernel, op, ["axes", "sizes"], &merged);
        }
    }
    set_all_places(ctx, kernel);
    merged.into_iter().map(|(_, name)| name).collect()
}

/// Memory whose axis at a place is one with the next.
pub fn with_merged(ctx: &Context, ty: Type, place: usize) -> Type {
    let Some(memory) = MemRef::of(ctx, ty) else { return ty };
    let dims = memory.dims(ctx);
    let runs: Vec<usize> = (0..dims.len() - 1).map(|at| if at == place { 2 } else { 1 }).collect();
    let Some(dims) = products(&dims, &runs) else { return ty };
    MemRef::get(ctx, dims, memory.elem(ctx), Layout::RowMajor, memory.align(ctx), memory.noalias(ctx))
}

/// Names and sizes with one axis for each pair, where the first of it stands.
fn shorter(names: Vec<String>, sizes: Vec<SizeExpr>, merged: &[(&Pair, String)]) -> (Vec<String>, Vec<SizeExpr>) {
    let size_of = |axis: &String| Some(sizes[names.iter().position(|name| name == axis)?].clone());
    let mut found = (Vec::new(), Vec::new());
    for (name, size) in names.iter().zip(&sizes) {
        if merged.iter().any(|(pair, _)| pair.1 == *name) {
            continue;
        }
        let own = merged.iter().find(|(pair, _)| pair.0 == *name);
        let both = own.and_then(|(pair, _)| size.mul(&size_of(&pair.1)?).ok());
        found.0.push(own.map_or_else(|| name.clone(), |(_, new)| new.clone()));
        found.1.push(both.unwrap_or_else(|| size.clone()));
    }
    found
}

fn set_list(ctx: &Context, kernel: &mut Body, op: OpId, [names, sizes]: [&str; 2], merged: &[(&Pair, String)]) {
    let view = OpRef::new(ctx, kernel, op);
    let own = view.prop_named(names).and_then(|names| TextArray::get(ctx, names)).unwrap_or_default();
    let own: Vec<String> = own.into_iter().map(|name| name.to_string()).collect();
    let all = view.prop_named(sizes).and_then(|sizes| Sizes::get(ctx, sizes)).unwrap_or_default();
    let (own, all) = shorter(own, all, merged);
    let own = TextArray::make(ctx, own.iter().map(String::as_str).collect());
    kernel.set_prop(ctx, op, ctx.intern_str(names), Some(own));
    kernel.set_prop(ctx, op, ctx.intern_str(sizes), Some(Sizes::make(ctx, all)));
}

/// `hw` for `h` and `w`; the name of the first where that is no name of letters, or one that there is.
fn merged_name(kernel_axes: &KernelAxes, (first, second): &Pair) -> String {
    let name = format!("{first}{second}");
    let is_plain = name.chars().all(|letter| letter.is_ascii_lowercase());
    if is_plain && kernel_axes.position(&name).is_none() { name } else { first.clone() }
}
