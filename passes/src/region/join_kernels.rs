//! Makes one kernel with several results of elementwise kernels over the same axes that read the same memory, or of which one
//! reads what the other writes: an optimizer step reads its gradient once. Kernels with few points need nothing in common:
//! their launches take longer than they do, as those that update the statistics of batch norms. So it does of kernels that
//! reduce the same rows: their mean and variance are computed from one reading.
//!
//! **Requires**: region.
//! **Ensures**: region. Of private elementwise kernels that are launched once, always and without a plan, no two over the same
//! axes read an element of the same memory at each of their points, or one what the other writes, or have few points, unless
//! something between them keeps them apart or they have too many tensors. No two such kernels reduce the same rows of one
//! memory, where there are at least 1,024 rows, of at most 16,384 elements.
//!
//! **Before**
//! ```mlir before
//! host.func @f<N>(%m: memref<[N], f32, row_major, align 128>, %g: memref<[N], f32, row_major, align 128>) -> (memref<[N], f32, row_major, align 128>, memref<[N], f32, row_major, align 128>) {
//!   %n = launch @f_0<N> (%m, %g) : memref<[N], f32, row_major, align 128>
//!   %u = launch @f_1<N> (%g, %n) : memref<[N], f32, row_major, align 128>
//!   return %n, %u
//! }
//! region.func private @f_0<N> iters (n: N) ins (%m: memref<[N], f32, row_major, align 128>, %g: memref<[N], f32, row_major, align 128>) outs (n: memref<[N], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %m[n] : f32 over (n)
//!   %1 = read %g[n] : f32 over (n)
//!   %2 = binary add %0, %1 : f32 over (n)
//!   yield %2 to n
//! }
//! region.func private @f_1<N> iters (n: N) ins (%g: memref<[N], f32, row_major, align 128>, %n: memref<[N], f32, row_major, align 128>) outs (u: memref<[N], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %g[n] : f32 over (n)
//!   %1 = read %n[n] : f32 over (n)
//!   %2 = binary mul %0, %1 : f32 over (n)
//!   yield %2 to u
//! }
//! ```
//! **After**
//! ```mlir after
//! host.func @f<N>(%m: memref<[N], f32, row_major, align 128>, %g: memref<[N], f32, row_major, align 128>) -> (memref<[N], f32, row_major, align 128>, memref<[N], f32, row_major, align 128>) {
//!   %n, %u = launch @f_0<N> (%m, %g) : memref<[N], f32, row_major, align 128>, memref<[N], f32, row_major, align 128>
//!   return %n, %u
//! }
//! region.func private @f_0<N> iters (n: N)
//!   ins (%m: memref<[N], f32, row_major, align 128>, %g: memref<[N], f32, row_major, align 128>)
//!   outs (n: memref<[N], f32, row_major, align 128> materialize gmem, u: memref<[N], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %m[n] : f32 over (n)
//!   %1 = read %g[n] : f32 over (n)
//!   %2 = binary add %0, %1 : f32 over (n)
//!   %3 = read %g[n] : f32 over (n)
//!   %4 = binary mul %3, %2 : f32 over (n)
//!   yield %2 to n, %4 to u
//! }
//! ```
//!
//! **Does not** join kernels that scan, sort or read at positions that are values, kernels whose axes have other names or
//! orders, kernels that reduce with others that do not or that read several memories along their rows, or large kernels that
//! have no memory in common: together they would only need more registers.
//!
//! A later launch joins the nearest earlier one that it can, among the last few. The joined launch stands at the later place, or
//! at the earlier one where something between reads what that writes. Linear in launches times these few. Rule of the debug
//! counters: `join`.

use dlc_host::ops::Launch;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::define::{Kind as _, TextArray};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId, Str, TypeData, ValueId};
use dlc_plan::Schedules;
use dlc_region::ops::{Func, Read, Reduce, Scan, Sort, Yield};
use rustc_hash::FxHashMap;

use dlc_host::choice::Choice;

use crate::analysis::axes::is_kernel;
use crate::analysis::sizes::{ASSUME, AssumedSizes, SYMBOLS};
use crate::rewrites::launches::{Launches, symbols};

/// The most tensors that a joined kernel reads and writes, and the most ops that it has.
const MOST_TENSORS: usize = 16;
const MOST_OPS: usize = 256;
/// How many launches before one are looked at.
const LOOK_BACK: usize = 16;
/// The most points of kernels that are joined to save a launch: what a few blocks compute in less time than one takes.
const FEW_POINTS: i64 = 4096;
/// The most elements of rows that a block has in its registers, and how many of them give each SM several.
const LONGEST_ROW: i64 = 16384;
const MANY_ROWS: i64 = 1024;

static DEF: PassDef = PassDef {
    on: On::Module,
    options: &[ASSUME, SYMBOLS],
    reads_symbols: true,
    statistics: &[StatDef { name: "joined", doc: "Kernels that became part of another one." }],
    requires: &["region"],
    consults: &["plan", "host"],
    ..PassDef::base(
        "join-kernels",
        "Joins kernels that read the same elements or rows into one with several results.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(JoinKernels { sizes: AssumedSizes::of(options)? }))
}

struct JoinKernels {
    sizes: AssumedSizes,
}

impl Pass for JoinKernels {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        cx.count("joined", join_kernels(body, &self.sizes, cx));
        Ok(())
    }
}

/// Joins kernels of a module. How many are gone.
fn join_kernels(module: &mut Body, sizes: &AssumedSizes, cx: &PassCx<'_>) -> u64 {
    let is_host = |op: &OpId| module.nested(*op).is_some_and(|body| !is_kernel(cx.ctx, body));
    let functions: Vec<OpId> = module.nested_ops().into_iter().filter(is_host).collect();
    let kernels = kernels(cx.ctx, module, sizes);
    functions.into_iter().map(|function| join_in(module, function, &kernels, cx)).sum()
}

/// A launch of a kernel that may be joined.
#[derive(Clone, Copy)]
struct Launched {
    launch: OpId,
    kernel: OpId,
}

/// Joins the kernels that a function launches.
fn join_in(module: &mut Body, function: OpId, kernels: &Kernels, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut earlier: Vec<Launched> = Vec::new();
    let mut joined = 0;
    let launched = launched(ctx, module, function, kernels);
    let Some(mut order) = module.nested(function).map(Order::of) else { return 0 };
    for later in launched {
        let is_joined = |earlier| joined_at(ctx, module, (function, &order), earlier, later).is_some();
        let found = earlier.iter().rposition(|&earlier| is_joined(earlier) && cx.allows_rule("join"));
        let Some(number) = found else {
            earlier.push(later);
            earlier.drain(..earlier.len().saturating_sub(LOOK_BACK));
            continue;
        };
        let first = earlier.remove(number);
        let Some(at_later) = joined_at(ctx, module, (function, &order), first, later) else { continue };
        let launch = join(module, function, (first, later), at_later, cx);
        order.put(launch, if at_later { later.launch } else { first.launch });
        earlier.push(Launched { launch, ..first });
        joined += 1;
    }
    joined
}

/// The places of the ops of a function, in order.
struct Order(FxHashMap<OpId, usize>);

impl Order {
    fn of(host: &Body) -> Order {
        Order(host.entry_block().into_iter().flat_map(|block| host.ops(block)).zip(0..).collect())
    }

    fn place(&self, op: OpId) -> usize {
        self.0.get(&op).copied().unwrap_or(usize::MAX)
    }

    /// Notes that an op stands in place of another one.
    fn put(&mut self, op: OpId, old: OpId) {
        self.0.insert(op, self.place(old));
    }
}

/// Kernels by their names.
type Kernels = FxHashMap<Box<str>, OpId>;

/// The kernels of a module that are elementwise or reduce rows, private, without a plan and launched once.
fn kernels(ctx: &Context, module: &Body, sizes: &AssumedSizes) -> Kernels {
    let (launches, plans) = (Launches::of_module(ctx, module), Schedules::of(ctx, module));
    let mut kernels = Kernels::default();
    for op in module.nested_ops() {
        let Some(kernel) = module.nested(op).filter(|kernel| is_kernel(ctx, kernel)) else { continue };
        let root = OpRef::new(ctx, kernel, kernel.root());
        let is_private = root.prop(Str::SYM_VISIBILITY).and_then(|attr| attr.as_str(ctx)) == Some("private");
        let Some(name) = root.symbol_name() else { continue };
        let is_free = is_private && plans.plans_of(ctx, module, name).is_empty();
        if is_free && launches.always_of(ctx, module, name).len() == 1 && has_points(ctx, kernel, sizes) {
            kernels.insert(name.into(), op);
        }
    }
    kernels
}

/// The launches of such kernels by a function.
fn launched(ctx: &Context, module: &Body, function: OpId, kernels: &Kernels) -> Vec<Launched> {
    let Some(body) = module.nested(function) else { return Vec::new() };
    let ops = body.entry_block().into_iter().flat_map(|block| body.ops(block));
    let launch = |op: OpId| {
        let launch = Launch::of(OpRef::new(ctx, body, op)).filter(|launch| launch.offsets().is_none())?;
        let [choice] = &launch.choices()[..] else { return None };
        let [name] = choice.callee.as_symbol(ctx)? else { return None };
        let kernel = *kernels.get(ctx.str(*name))?;
        // The sizes of the kernel have the names that they have in the function.
        let own = symbols(ctx, module.nested(kernel)?);
        let is_same = own.iter().zip(&choice.sizes).all(|(own, size)| size.as_symbol() == Some(own));
        is_same.then_some(Launched { launch: op, kernel })
    };
    ops.filter_map(launch).collect()
}

/// Whether a kernel computes each of its points for itself, at positions that are no values, from elements or from a row.
fn has_points(ctx: &Context, kernel: &Body, sizes: &AssumedSizes) -> bool {
    let Some(block) = kernel.entry_block() else { return false };
    let root = OpRef::new(ctx, kernel, kernel.root());
    let of_points = |op: OpId| {
        let op = OpRef::new(ctx, kernel, op);
        let reads_values = Read::of(op).is_some_and(|read| read.indices().next().is_some());
        let casts = Yield::of(op).is_some_and(|end| end.casts().is_some());
        let is_alone = ![Scan::DEF, Sort::DEF].iter().any(|def| op.is(def));
        is_alone && !reads_values && !casts
    };
    // Of long rows, and where there are few, blocks share each sum: one that another one depends on is a kernel of its own.
    let results = Func::from(OpRef::new(ctx, kernel, kernel.root())).iter_sizes();
    let fits = |row: Row| sizes.elements(&row.axes.1) <= LONGEST_ROW && sizes.elements(&results) >= MANY_ROWS;
    let is_known = !reduces(ctx, kernel) || row(ctx, kernel).is_some_and(fits);
    root.prop_named("arg_attrs").is_none() && kernel.ops(block).all(of_points) && is_known
}

fn reduces(ctx: &Context, kernel: &Body) -> bool {
    kernel.entry_block().is_some_and(|block| kernel.ops(block).any(|op| OpRef::new(ctx, kernel, op).is(Reduce::DEF)))
}

/// The rows that a kernel reduces.
#[derive(PartialEq)]
struct Row {
    /// The names of their axes, and the sizes.
    axes: (Vec<String>, Vec<SizeExpr>),
    /// Where their elements are.
    at: Vec<SizeExpr>,
    /// The number of the argument that has them.
    source: usize,
}

/// The rows of one memory that all reductions of a kernel are of, and that it reads without a guard.
fn row(ctx: &Context, kernel: &Body) -> Option<Row> {
    let block = kernel.entry_block()?;
    let mut axes: Option<(Vec<String>, Vec<SizeExpr>)> = None;
    for reduce in kernel.ops(block).filter_map(|op| Reduce::of(OpRef::new(ctx, kernel, op))) {
        let own = (reduce.axes().into_iter().map(String::from).collect(), reduce.sizes());
        let is_other = axes.as_ref().is_some_and(|axes| *axes != own);
        if is_other || reduce.combiner().is_none() {
            return None;
        }
        axes = Some(own);
    }
    let axes = axes?;
    let mut found: Option<Row> = None;
    for op in kernel.walk() {
        let view = OpRef::new(ctx, kernel, op);
        let Some(read) = Read::of(view) else { continue };
        let at = read.at();
        let is_of_row = at.iter().flat_map(SizeExpr::symbols).any(|name| axes.0.iter().any(|axis| **axis == *name));
        let source = kernel.args(block).iter().position(|&arg| arg == read.source())?;
        let own = Row { axes: axes.clone(), at, source };
        let is_plain = kernel.block_of(op) == Some(block)
            && read.guard().is_none()
            && found.as_ref().is_none_or(|row| *row == own);
        match is_of_row {
            true if is_plain => found = Some(own),
            true => return None,
            false => {}
        }
    }
    found
}

/// The memory that a kernel reads at each of its points, unguarded: the numbers of its arguments.
fn read_at_points(ctx: &Context, kernel: &Body) -> Vec<usize> {
    let Some(block) = kernel.entry_block() else { return Vec::new() };
    let points = points(ctx, kernel);
    let reads = kernel.ops(block).filter_map(|op| Read::of(OpRef::new(ctx, kernel, op)));
    let mut found: Vec<usize> = reads
        .filter(|read| read.guard().is_none() && read.at() == points)
        .filter_map(|read| kernel.args(block).iter().position(|&arg| arg == read.source()))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The position on each axis of the results, which are those of an element of memory with the same sizes.
fn points(ctx: &Context, kernel: &Body) -> Vec<SizeExpr> {
    let func = Func::from(OpRef::new(ctx, kernel, kernel.root()));
    func.iters().into_iter().filter_map(|axis| SizeExpr::symbol(axis).ok()).collect()
}

/// Where the launch of two kernels together may stand: at the later one (`true`) or at the earlier one. `None` where they stay
/// apart.
fn joined_at(
    ctx: &Context,
    module: &Body,
    (function, order): (OpId, &Order),
    first: Launched,
    second: Launched,
) -> Option<bool> {
    let (host, a, b) = (module.nested(function)?, module.nested(first.kernel)?, module.nested(second.kernel)?);
    let (one, other) = (Func::from(OpRef::new(ctx, a, a.root())), Func::from(OpRef::new(ctx, b, b.root())));
    if one.iters() != other.iters() || one.iter_sizes() != other.iter_sizes() || a.num_ops() + b.num_ops() > MOST_OPS {
        return None;
    }
    let (launch, later) = (OpRef::new(ctx, host, first.launch), OpRef::new(ctx, host, second.launch));
    let inputs: Vec<ValueId> = later.operands().collect();
    let rows = (row(ctx, a), row(ctx, b));
    let are_same_rows = match &rows {
        (None, None) => false,
        (Some(row), Some(other)) if row.axes == other.axes && row.at == other.at => {
            launch.operands().nth(row.source).is_some_and(|memory| later.operands().nth(other.source) == Some(memory))
        }
        _ => return None,
    };
    if rows.0.is_some() && !are_same_rows {
        return None;
    }
    let (read, results): (Vec<ValueId>, Vec<ValueId>) =
        (launch.operands().collect(), host.results(first.launch).collect());
    let new = inputs.iter().filter(|input| !read.contains(input) && !results.contains(input)).count();
    if read.len() + results.len() + new + host.results(second.launch).count() > MOST_TENSORS {
        return None;
    }
    // What the first kernel writes is read at the point where it is computed, wherever it is read.
    let at_points = read_at_points(ctx, b);
    let block = b.entry_block()?;
    let yielded: Vec<ValueId> = a.last_op(a.entry_block()?).into_iter().flat_map(|end| a.operands(end)).collect();
    for (number, input) in inputs.iter().enumerate() {
        let Some(result) = results.iter().position(|result| result == input) else { continue };
        let (arg, value) = (*b.args(block).get(number)?, *yielded.get(result)?);
        let points = points(ctx, b);
        let fits = |op: OpId| {
            let read = Read::of(OpRef::new(ctx, b, op));
            read.is_some_and(|read| {
                let is_same = b.value_type(read.out()) == a.value_type(value);
                is_same && read.guard().is_none() && read.at() == points
            })
        };
        if !b.uses(arg).all(|user| fits(user.op)) {
            return None;
        }
    }
    let of_first: Vec<ValueId> =
        read_at_points(ctx, a).into_iter().filter_map(|number| read.get(number).copied()).collect();
    let is_shared =
        |number: &usize| inputs.get(*number).is_some_and(|input| of_first.contains(input) || results.contains(input));
    if !are_same_rows && !at_points.iter().any(is_shared) && !has_few_points(&one) {
        return None;
    }
    let is_after = |op: OpId| op == second.launch || order.place(op) > order.place(second.launch);
    if results.iter().all(|&result| host.uses(result).all(|user| is_after(user.op))) {
        return Some(true);
    }
    let is_before = |input: &ValueId| {
        results.contains(input) || host.defining_op(*input).is_none_or(|op| order.place(op) < order.place(first.launch))
    };
    inputs.iter().all(is_before).then_some(false)
}

/// Whether a kernel has so few points that its launch takes longer than it does. Sizes with symbols may be large.
fn has_few_points(kernel: &Func<'_>) -> bool {
    let mut sizes = kernel.iter_sizes().into_iter().map(|size| size.as_constant());
    let points = sizes.try_fold(1_i64, |points, size| points.checked_mul(size?));
    points.is_some_and(|points| points <= FEW_POINTS)
}

/// Makes one kernel of two, and one launch of theirs. The launch.
fn join(
    module: &mut Body,
    function: OpId,
    (first, second): (Launched, Launched),
    at_later: bool,
    cx: &PassCx<'_>,
) -> OpId {
    let ctx = cx.ctx;
    let host = module.nested(function).expect("the launches are in it");
    let (launch, later) = (OpRef::new(ctx, host, first.launch), OpRef::new(ctx, host, second.launch));
    let mut inputs: Vec<ValueId> = launch.operands().collect();
    let results: Vec<ValueId> = host.results(first.launch).collect();
    // For each argument of the second kernel an input of both, or a result of the first.
    let mut sources = Vec::new();
    for input in later.operands() {
        if let Some(result) = results.iter().position(|&result| result == input) {
            sources.push(Source::Result(result));
            continue;
        }
        let number = inputs.iter().position(|&known| known == input).unwrap_or_else(|| {
            inputs.push(input);
            inputs.len() - 1
        });
        sources.push(Source::Input(number));
    }
    let is_shared = sources.iter().any(|source| match source {
        Source::Result(_) => true,
        Source::Input(number) => *number < launch.operands().count(),
    });
    let outs: Vec<ValueId> = results.iter().copied().chain(host.results(second.launch)).collect();
    let loc = later.loc();
    let part = module.nested(second.kernel).expect("it is launched").clone();
    let kernel = module.nested_mut(first.kernel).expect("it is launched");
    add_part(ctx, kernel, &part, &sources);
    let root = OpRef::new(ctx, kernel, kernel.root());
    let name = root.symbol_name().unwrap_or_default().to_string();
    let sizes = symbols(ctx, kernel).iter().filter_map(|name| SizeExpr::symbol(name).ok()).collect();
    let choices = vec![Choice::always(ctx, &name, sizes)];
    if cx.wants_remarks() {
        let second = OpRef::new(ctx, &part, part.root()).symbol_name().unwrap_or_default();
        let why = if is_shared { "they read the same memory" } else { "both are smaller than a launch" };
        cx.remark(RemarkKind::Passed, loc, format!("@{second} is part of @{name}: {why}"));
    }
    let host = module.nested_mut(function).expect("the launches are in it");
    let types: Vec<_> = outs.iter().map(|&out| host.value_type(out)).collect();
    let place = InsertPoint::Before(if at_later { second.launch } else { first.launch });
    let op = Launch::build(&mut Builder::new(ctx, host, place), loc, &inputs, choices, None, &types);
    for (number, &out) in outs.iter().enumerate() {
        let new = host.result(op, number);
        host.set_value_name(new, host.value_name(out));
        host.replace_all_uses(out, new);
    }
    host.erase_op(second.launch);
    host.erase_op(first.launch);
    module.erase_op(second.kernel);
    op
}

/// What an argument of a kernel becomes in the joined one.
enum Source {
    Input(usize),
    Result(usize),
}

/// Lets a kernel compute what another one computes, whose arguments are its own or what it yields.
fn add_part(ctx: &Context, kernel: &mut Body, part: &Body, sources: &[Source]) {
    let (Some(block), Some(from)) = (kernel.entry_block(), part.entry_block()) else { return };
    let Some(end) = kernel.last_op(block) else { return };
    let yielded: Vec<ValueId> = kernel.operands(end).collect();
    let mut map = CloneMap::new();
    let mut computed: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for (number, (&arg, source)) in part.args(from).iter().zip(sources).enumerate() {
        match source {
            Source::Result(result) => {
                computed.insert(arg, yielded[*result]);
            }
            Source::Input(input) => {
                if *input >= kernel.args(block).len() {
                    let new = kernel.add_arg(block, part.value_type(arg), part.arg_loc(from, number));
                    kernel.set_value_name(new, part.value_name(arg));
                }
                map.map_value(arg, kernel.args(block)[*input]);
            }
        }
    }
    let mut values = yielded;
    for op in part.ops(from) {
        let view = OpRef::new(ctx, part, op);
        if let Some(value) = Read::of(view).and_then(|read| computed.get(&read.source())) {
            map.map_value(part.result(op, 0), *value);
        } else if view.is(Yield::DEF) {
            let value = |value: ValueId| map.value(value).unwrap_or(value);
            values.extend(part.operands(op).map(value));
        } else {
            let new = kernel.import_op(part, op, &mut map);
            kernel.insert(new, InsertPoint::Before(end));
        }
    }
    set_signature(ctx, kernel, part);
    let outputs = Func::from(OpRef::new(ctx, kernel, kernel.root())).outputs();
    let outputs: Vec<String> = outputs.into_iter().map(String::from).collect();
    let (loc, to) = (kernel.loc(end), Some(outputs.iter().map(String::as_str).collect()));
    kernel.erase_op(end);
    Yield::build(&mut Builder::at_end(ctx, kernel, block), loc, &values, to, None);
}

/// Lets a kernel have the arguments that it has, and the results and symbols of another one too.
fn set_signature(ctx: &Context, kernel: &mut Body, part: &Body) {
    let (one, other) = (OpRef::new(ctx, kernel, kernel.root()), OpRef::new(ctx, part, part.root()));
    let results = |root: OpRef<'_>| match root.prop(Str::FUNCTION_TYPE).and_then(|attr| attr.as_type(ctx)) {
        Some(ty) => match ctx.type_data(ty) {
            TypeData::Function { results, .. } => results.to_vec(),
            _ => Vec::new(),
        },
        None => Vec::new(),
    };
    let results: Vec<_> = results(one).into_iter().chain(results(other)).collect();
    let args = kernel.entry_block().map(|block| kernel.args(block).to_vec()).unwrap_or_default();
    let inputs: Vec<_> = args.iter().map(|&arg| kernel.value_type(arg)).collect();
    let (first, second) = (Func::from(one), Func::from(other));
    let mut taken: Vec<String> = args.iter().map(|&arg| ctx.str(kernel.value_name(arg)).to_string()).collect();
    let mut outputs: Vec<String> = first.outputs().into_iter().map(String::from).collect();
    taken.extend(outputs.iter().cloned());
    for output in second.outputs() {
        let numbered = (0..).map(|number| format!("{output}_{number}"));
        let mut names = std::iter::once(output.to_string()).chain(numbered);
        let name = names.find(|name| !taken.contains(name)).unwrap_or_default();
        taken.push(name.clone());
        outputs.push(name);
    }
    let materialize: Vec<String> =
        first.materialize().into_iter().chain(second.materialize()).map(String::from).collect();
    let mut all = symbols(ctx, kernel);
    let new: Vec<String> = symbols(ctx, part).into_iter().filter(|symbol| !all.contains(symbol)).collect();
    all.extend(new);
    let text = |items: &[String]| TextArray::make(ctx, items.iter().map(String::as_str).collect());
    let (outputs, materialize) = (text(&outputs), text(&materialize));
    let root = kernel.root();
    kernel.set_prop(ctx, root, Str::FUNCTION_TYPE, Some(ctx.type_attr(ctx.function_type(&inputs, &results))));
    kernel.set_prop(ctx, root, ctx.intern_str("outputs"), Some(outputs));
    kernel.set_prop(ctx, root, ctx.intern_str("materialize"), Some(materialize));
    if !all.is_empty() {
        kernel.set_prop(ctx, root, Str::SYMBOLS, Some(text(&all)));
    }
}
