//! Cuts a program into kernels: decides which values are stored, and writes for each of them a region that computes it
//! from what is stored before, and the host function that runs the regions in order.
//!
//! **Requires**: book.
//! **Ensures**: host, region. The function is a `host.func` of the same name, symbols and argument attributes, whose tensors
//! are memrefs; after it stand its regions, private, each with one result. In a region every value stands at the top
//! level over the axes that it depends on, and the body of a reduction only yields.
//!
//! **Before**
//! ```mlir before
//! book.func @gemm_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//!   %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, N, K], f32>
//!   %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
//!   %y = entry relu axes (i0: M, i1: N) of %s at (i0, i1) : tensor<[M, N], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! host.func @gemm_relu<M, N, K>(%X: memref<[M, K], f16, row_major, align 128, noalias>, %W: memref<[K, N], f16, row_major, align 128, noalias>) -> memref<[M, N], f32, row_major, align 128, noalias> {
//!   %y = launch @gemm_relu_0<M, N, K> (%X, %W) : memref<[M, N], f32, row_major, align 128, noalias>
//!   return %y
//! }
//! region.func private @gemm_relu_0<M, N, K> iters (m: M, n: N)
//!   ins (%X: memref<[M, K], f16, row_major, align 128, noalias>, %W: memref<[K, N], f16, row_major, align 128, noalias>)
//!   outs (y: memref<[M, N], f32, row_major, align 128, noalias> materialize gmem) {
//!   %0 = read %X[m, k] : f16 over (m, k)
//!   %1 = read %W[k, n] : f16 over (n, k)
//!   %p = binary mul %0, %1 widen : f32 over (m, n, k)
//!   %s = reduce sum (k: K) acc f32 init 0.0 {
//!     yield %p
//!   } : f32 over (m, n)
//!   %y = unary relu %s : f32 over (m, n)
//!   yield %y to y
//! }
//! ```
//!
//! Arguments and results lie as the signature says (`layout`, `alignment`). An argument whose columns are contiguous is read
//! as its transpose, by a view; what is read with other sizes lies row by row, and is copied if it does not.
//!
//! **Does not** choose tiles, threads or buffers on chip; normalize what it writes (`ccon1`, `srnf`, ..); share work
//! between kernels beyond what is stored.
//!
//! What is stored: results; what is read with other sizes or at positions that are values (non-SCoP); what several
//! kernels need, unless it is cheap (fan-out); what windows would compute several times (halo); factors of contractions
//! that take work to compute (C-CON1), cheap ones where the contraction has enough operations; contractions whose rows are
//! reduced next, where tiles of whole rows would take longer than tiles of any size and the round trip, and where no tile has
//! whole rows of a known length and tensor cores or tiles save more than the round trip takes; what the program wants in memory (the
//! attribute `contiguous`); what one kernel would compute at more than four places, unless it is cheap; what is cheap,
//! where the kernels would have more than four times the ops of the program; reductions that another reduction would
//! compute again at its steps, or what they are rounded to; what a reduction to few results reads of rows that are reduced
//! (the rows then have a kernel that fills the machine); few long rows that a kernel goes along again, which blocks
//! then share; columns and sums across rows next to another reduction; reductions whose elements go to positions in any order, next
//! to others or under merged axes; products whose results lie along an axis as both factors do, that take less time where their
//! sums are divided, or of which more than about four stand side by side; what more than 16 reductions of a kernel would compute at each of their steps. A contraction that feeds
//! another one through elementwise work and reductions of rows is not stored where a kernel can hold a row of the result:
//! such pairs are chosen first, those that save most before others, no contraction in two. The intermediate must be the
//! left factor, and read no overlapping windows (`chains`). Each choice is reported as a remark with its balance. See `cut`, `cost` for the
//! balance around products, and `places` for what is counted.

mod apart;
mod chains;
mod cost;
mod cut;
mod emit;
mod graph;
mod halo;
mod parts;
mod places;
mod spread;

use dlc_book::ops::Return;
use dlc_core::memref::{Layout, MemRef, shaped};
use dlc_host::choice::Choice;
use dlc_host::ops as host;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind as _, TextArray};
use dlc_ir::diag::{Diagnostic, RemarkKind};
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::{Attr, Body, Builder, Context, OpRef, Str, Type, TypeData, ValueId};
use rustc_hash::FxHashMap;

use crate::analysis::names::own_names;
use crate::analysis::sizes::{ASSUME, AssumedSizes, SYMBOLS};
use cost::Limits;
use cut::{Cut, bytes};
use emit::{Kernel, Program};
use graph::{Graph, Kind, Node, describe};

dlc_ir::codes! {
    /// An expression of a program goes beyond 64 bits where its values are put together.
    TOO_LARGE = "E1306" "ExpressionTooLarge";
    /// A reshape is between numbers of elements that are equal for no sizes.
    NO_VIEW = "E1309" "NoView";
}

/// The alignment in bytes of buffers, and of arguments that do not say theirs.
const ALIGN: i64 = 128;

static DEF: PassDef = PassDef {
    options: &[
        ASSUME,
        SYMBOLS,
        OptionDef {
            name: "max-width",
            kind: OptionKind::Int,
            default: "256",
            doc: "The longest row of results that a kernel may hold on chip.",
        },
    ],
    statistics: &[
        StatDef { name: "regions", doc: "Kernels." },
        StatDef { name: "chained", doc: "Contractions whose result stays on chip for another." },
    ],
    requires: &["book"],
    adds: &["host", "region"],
    removes: &["book"],
    reads_symbols: true,
    ..PassDef::base(
        "form-regions",
        "Partitions a program into kernels, and emits the host function that launches them.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let max_width = match options.int("max-width") {
        value @ 1.. => value,
        value => return Err(format!("'max-width' must be at least 1, but is {value}")),
    };
    let limits = Limits { sizes: AssumedSizes::of(options)?, max_width };
    Ok(Box::new(FormRegions { limits }))
}

struct FormRegions {
    limits: Limits,
}

impl Pass for FormRegions {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let root = OpRef::new(cx.ctx, body, body.root());
        if dlc_book::ops::Func::of(root).is_none() || body.entry_block().is_none() {
            return Ok(());
        }
        let formed = form_regions(body, &self.limits, cx)?;
        cx.count("regions", formed.kernels.len() as u64);
        cx.count("chained", formed.chained as u64);
        body.replace_with(formed.host);
        formed.kernels.into_iter().for_each(|kernel| cx.put_next_to(kernel.body));
        Ok(())
    }
}

/// What a program becomes.
pub struct Formed {
    host: Body,
    kernels: Vec<Kernel>,
    chained: usize,
}

/// Cuts a program, which is a `book.func` with a body.
pub fn form_regions(body: &Body, limits: &Limits, cx: &PassCx<'_>) -> Result<Formed, PassFailed> {
    let ctx = cx.ctx;
    let root = OpRef::new(ctx, body, body.root());
    let signature = Signature::of(root);
    let layouts = |ports: &[Port]| ports.iter().map(|port| port.layout.clone()).collect::<Vec<_>>();
    let graph = Graph::of(ctx, body, &layouts(&signature.arguments), &layouts(&signature.results));
    let declared = root.prop(Str::SYMBOLS).and_then(|attr| TextArray::get(ctx, attr)).unwrap_or_default();
    let symbols: Vec<String> = declared.into_iter().map(String::from).collect();
    let prefix = places::prefix_alongside(&symbols);
    let too_large = |node: Node| {
        let message = "the positions of this value go beyond 64 bits where it is put together with what it reads";
        cx.fail(Diagnostic::error(&TOO_LARGE, graph.values[node].loc, message))
    };
    for value in graph.values.iter().filter(|value| matches!(value.kind, Kind::Reshape)) {
        let from = value.operands.first().map(|operand| &graph.values[operand.node].axes[..]).unwrap_or_default();
        if let Some(why) = dlc_host::verify::no_view(from, &value.axes) {
            return Err(cx.fail(Diagnostic::error(&NO_VIEW, value.loc, why)));
        }
    }
    let mut cut = Cut::of(ctx, &graph, &prefix, limits).map_err(too_large)?;
    remarks(cx, &graph, &cut);
    let memory: Vec<bool> =
        cut.choices.iter().enumerate().map(|(node, choice)| choice.stored || graph.is_memory(node)).collect();
    let types = types(ctx, &signature, &graph, &memory);
    let mut depths = vec![0; graph.values.len()];
    for node in 0..graph.values.len() {
        let value = &graph.values[node];
        let inlined = value.operands.iter().filter(|operand| !memory[operand.node]);
        let below = inlined.map(|operand| depths[operand.node]).max().unwrap_or(0);
        depths[node] = below + usize::from(matches!(value.kind, Kind::Reduce { .. }));
    }
    let names: Vec<String> = (0..graph.values.len()).map(|node| name(ctx, body, &graph, node)).collect();
    let program = Program {
        ctx,
        graph: &graph,
        memory: &memory,
        types: &types,
        depths: &depths,
        names: &names,
        symbols: &symbols.into_iter().enumerate().map(|(place, symbol)| (symbol, place)).collect(),
    };
    let base = root.symbol_name().unwrap_or_default();
    let mut free = (0..).map(|number| format!("{base}_{number}"));
    let mut kernels = Vec::new();
    let mut launches = Vec::new();
    let stored: Vec<Node> = (0..graph.values.len()).filter(|&node| cut.choices[node].stored).collect();
    for node in stored {
        let Some(name) = free.find(|name| cx.symbols.get(ctx.intern_str(name)).is_none()) else { break };
        // What is counted of a kernel takes more memory than the kernel, and goes when it is made.
        let Some(places) = cut.places.remove(&node) else { continue };
        let kernel = emit::kernel(&program, &places, node, &name).map_err(|_| too_large(node))?;
        launches.push((node, name, kernel.reads.clone(), kernel.symbols.clone()));
        kernels.push(kernel);
    }
    let host = host_function(ctx, body, &program, &launches);
    Ok(Formed { host, kernels, chained: cut.chained.iter().flatten().count() })
}

/// Says of each value that is no memory whether it is stored, and why.
fn remarks(cx: &PassCx<'_>, graph: &Graph, cut: &Cut<'_>) {
    if !cx.wants_remarks() {
        return;
    }
    for (node, choice) in cut.choices.iter().enumerate() {
        let value = &graph.values[node];
        if graph.is_memory(node) || matches!(value.kind, Kind::Number(_) | Kind::Iota(_)) {
            continue;
        }
        let (what, why) = (describe(graph, node), &choice.why);
        match choice.stored {
            false => cx.remark(RemarkKind::Passed, value.loc, format!("{what} is not stored: {why}")),
            true if value.returned => {}
            true => {
                let message = format!("{what} is stored, {} bytes: {why}", bytes(cx.ctx, graph, node));
                cx.remark(RemarkKind::Missed, value.loc, message);
            }
        }
    }
}

/// How an argument or a result lies in memory.
struct Port {
    layout: Layout,
    align: i64,
}

/// What the signature of a program says of its arguments and results.
struct Signature {
    arguments: Vec<Port>,
    results: Vec<Port>,
}

impl Signature {
    /// The signature of a function that the verifier has accepted.
    fn of(root: OpRef<'_>) -> Signature {
        let ctx = root.ctx;
        let ty = root.prop(Str::FUNCTION_TYPE).and_then(|attr| attr.as_type(ctx));
        let Some(TypeData::Function { inputs, results }) = ty.map(|ty| ctx.type_data(ty)) else {
            unreachable!("a function has the type of one");
        };
        let ports = |types: &[Type], key: &str| {
            let attrs = root.prop_named(key).and_then(|attr| attr.as_array(ctx)).unwrap_or(&[]);
            let port = |(index, &ty): (usize, &Type)| {
                let said = |key: &str| ctx.dict_get(*attrs.get(index)?, ctx.intern_str(key));
                let dims = shaped(ctx, ty).map(|(dims, _)| dims).unwrap_or_default();
                let layout = said("layout").and_then(|layout| Layout::said(ctx, layout, &dims).ok());
                let align = said("alignment").and_then(|align| align.as_int(ctx));
                Port { layout: layout.unwrap_or(Layout::RowMajor), align: align.unwrap_or(ALIGN) }
            };
            types.iter().enumerate().map(port).collect()
        };
        Signature { arguments: ports(inputs, "arg_attrs"), results: ports(results, "res_attrs") }
    }
}

/// The type of each value that is memory.
fn types(ctx: &Context, signature: &Signature, graph: &Graph, memory: &[bool]) -> Vec<Option<Type>> {
    let mut types = Vec::with_capacity(memory.len());
    let mut alone: Vec<bool> = Vec::with_capacity(memory.len());
    let is_reshape = |node: Node| matches!(graph.values[node].kind, Kind::Reshape);
    // Of a value that is returned twice the first result counts.
    let results: FxHashMap<Node, &Port> = graph.results.iter().copied().zip(&signature.results).rev().collect();
    let result = |node: Node| results.get(&node).copied();
    for (node, value) in graph.values.iter().enumerate() {
        let port = match value.kind {
            Kind::Argument => signature.arguments.get(node),
            // The same memory, whose axes lie in order.
            Kind::InOrder => value.operands.first().and_then(|operand| signature.arguments.get(operand.node)),
            _ => result(node),
        };
        let (layout, align) = match port {
            Some(port) if !matches!(value.kind, Kind::InOrder) => (port.layout.clone(), port.align),
            Some(port) => (Layout::RowMajor, port.align),
            // A buffer that is returned with other sizes is as aligned as that result.
            None => {
                let port = value.users.iter().find_map(|&user| result(user).filter(|_| is_reshape(user)));
                (Layout::RowMajor, port.map_or(ALIGN, |port| port.align))
            }
        };
        // Memory that is seen with other sizes may be read in both ways by one kernel, unless nothing reads its own sizes.
        let seen = value.users.iter().any(|&user| is_reshape(user));
        alone.push(match value.operands.first().filter(|_| is_reshape(node)) {
            Some(of) => !seen && alone[of.node],
            None => !seen || value.users.len() == 1 && result(node).is_none(),
        });
        let ty = memory[node].then(|| MemRef::get(ctx, value.axes.clone(), value.elem, layout, align, alone[node]));
        types.push(ty);
    }
    types
}

/// What a value is called in regions: its name as a word; nothing where it has none.
fn name(ctx: &Context, body: &Body, graph: &Graph, node: Node) -> String {
    let given = ctx.str(body.value_name(graph.values[node].id));
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word: String = given.chars().map(|c| if fine(c) { c } else { '_' }).collect();
    match word.chars().next() {
        None => word,
        Some(first) if first.is_ascii_alphabetic() => word,
        Some(_) => format!("v{word}"),
    }
}

/// A kernel that is launched: what it stores, its name, what it reads, its symbols.
type Launch = (Node, String, Vec<(Node, Type)>, Vec<String>);

/// The function that launches the kernels in order.
fn host_function(ctx: &Context, book: &Body, program: &Program<'_>, launches: &[Launch]) -> Body {
    let (graph, types) = (program.graph, program.types);
    let root = OpRef::new(ctx, book, book.root());
    let mut body = Body::new(ctx.op_name(host::Func::DEF.name), root.loc(), 1);
    let region = body.root_region();
    let block = body.append_block(region);
    let mut buffers: FxHashMap<Node, ValueId> = FxHashMap::default();
    // Memory that kernels read with split axes.
    let mut views: FxHashMap<(Node, Type), ValueId> = FxHashMap::default();
    let mut inputs = Vec::new();
    for (node, value) in graph.values.iter().enumerate().filter(|(_, value)| matches!(value.kind, Kind::Argument)) {
        let Some(ty) = types[node] else { continue };
        let arg = body.add_arg(block, ty, value.loc);
        body.set_value_name(arg, book.value_name(value.id));
        inputs.push(ty);
        buffers.insert(node, arg);
    }
    for (node, name, reads, symbols) in launches {
        let operands: Vec<ValueId> = reads
            .iter()
            .filter_map(|&(read, ty)| {
                let memory = buffer(ctx, &mut body, program, &mut buffers, read)?;
                if program.types[read] == Some(ty) {
                    return Some(memory);
                }
                let view = *views.entry((read, ty)).or_insert_with(|| {
                    let loc = graph.values[read].loc;
                    let op = host::View::build(&mut Builder::at_end(ctx, &mut body, block), loc, memory, None, ty);
                    body.result(op, 0)
                });
                body.set_value_name(view, ctx.intern_str(&program.names[read]));
                Some(view)
            })
            .collect();
        let sizes = symbols.iter().filter_map(|name| SizeExpr::symbol(name).ok()).collect();
        let Some(ty) = types[*node] else { continue };
        let mut builder = Builder::at_end(ctx, &mut body, block);
        let choices = vec![Choice::always(ctx, name, sizes)];
        let op = host::Launch::build(&mut builder, graph.values[*node].loc, &operands, choices, None, &[ty]);
        let result = body.result(op, 0);
        body.set_value_name(result, book.value_name(graph.values[*node].id));
        buffers.insert(*node, result);
    }
    let results = graph.results.iter();
    let values: Vec<ValueId> =
        results.filter_map(|&node| buffer(ctx, &mut body, program, &mut buffers, node)).collect();
    let results: Vec<Type> = values.iter().map(|&value| body.value_type(value)).collect();
    let end = book.entry_block().and_then(|block| book.last_op(block)).map(|op| OpRef::new(ctx, book, op));
    let loc = end.filter(|end| Return::of(*end).is_some()).map_or(root.loc(), OpRef::loc);
    host::Return::build(&mut Builder::at_end(ctx, &mut body, block), loc, &values);

    // What the types say is not given again.
    let rest = |attrs: &[(Str, Attr)], typed: &[&str]| -> Vec<(Str, Attr)> {
        attrs.iter().copied().filter(|(key, _)| !typed.contains(&ctx.str(*key))).collect()
    };
    let own = book.props(book.root()).as_dict(ctx).unwrap_or(&[]);
    let mut props = rest(own, &["function_type", "res_attrs", "arg_attrs"]);
    let of_arguments = root.prop_named("arg_attrs").and_then(|attrs| attrs.as_array(ctx)).unwrap_or(&[]);
    let of_arguments: Vec<Attr> = of_arguments
        .iter()
        .map(|attrs| ctx.dict_attr(&rest(attrs.as_dict(ctx).unwrap_or(&[]), &["layout", "alignment"])))
        .collect();
    if of_arguments.iter().any(|attrs| *attrs != Attr::EMPTY_DICT) {
        props.push((ctx.intern_str("arg_attrs"), ctx.array_attr(&of_arguments)));
    }
    props.push((Str::FUNCTION_TYPE, ctx.type_attr(ctx.function_type(&inputs, &results))));
    body.set_props(body.root(), ctx.dict_attr(&props));
    body.set_attrs(body.root(), book.attrs(book.root()));
    let key = ctx.intern_str("outputs");
    let noted = root.attr(key).and_then(|names| TextArray::get(ctx, names));
    // A copy has the name of what it copies, and is written with another one.
    if launches.iter().any(|(node, ..)| graph.is_copy(*node)) {
        if noted.is_none() {
            let names = end.map(|end| output_names(ctx, book, end)).unwrap_or_default();
            let names = TextArray::make(ctx, names.iter().map(String::as_str).collect());
            body.set_attr(ctx, body.root(), key, Some(names));
        }
    } else if noted.is_some() && noted == own_names(ctx, &body, values) {
        body.set_attr(ctx, body.root(), key, None);
    }
    body
}

/// What the results of a program are called: the names of the values, if each has one of its own, else by number.
fn output_names(ctx: &Context, book: &Body, end: OpRef<'_>) -> Vec<String> {
    match own_names(ctx, book, end.operands()) {
        Some(names) => names.into_iter().map(String::from).collect(),
        None => (0..end.operands().len()).map(|index| format!("out{index}")).collect(),
    }
}

/// The buffer of a value that is memory, made when it is first needed.
fn buffer(
    ctx: &Context,
    body: &mut Body,
    program: &Program<'_>,
    buffers: &mut FxHashMap<Node, ValueId>,
    node: Node,
) -> Option<ValueId> {
    if let Some(&known) = buffers.get(&node) {
        return Some(known);
    }
    let (value, ty) = (&program.graph.values[node], program.types[node]?);
    let block = body.entry_block()?;
    let op = match value.kind {
        Kind::Table(elements) => {
            host::Const::build(&mut Builder::at_end(ctx, body, block), value.loc, elements, None, ty)
        }
        _ => {
            let input = buffer(ctx, body, program, buffers, value.operands.first()?.node)?;
            host::View::build(&mut Builder::at_end(ctx, body, block), value.loc, input, None, ty)
        }
    };
    let result = body.result(op, 0);
    body.set_value_name(result, ctx.intern_str(&program.names[node]));
    buffers.insert(node, result);
    Some(result)
}
