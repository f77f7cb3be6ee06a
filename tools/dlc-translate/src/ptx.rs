//! From functions of instructions to PTX and its launch manifest.

use std::collections::BTreeMap;

use dlc_core::guard::Condition;
use dlc_core::memref::MemRef;
use dlc_core::sizes::value_number;
use dlc_host::ops as host;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::{Body, Context, OpRef, Str, Type, ValueId};
use dlc_kernel::global::{map_strides, merged_dims, ordered};
use dlc_kernel::layout::Shared;
use dlc_kernel::ops as kernel;
use dlc_kernel::types;
use dlc_opt::function;
use dlc_ptx::ops::{Entry, Func};
use dlc_ptx::verified::{Verification, verification};

use crate::manifest::expr::{Expr, Guard};
use crate::manifest::layout::Layout;
use crate::manifest::schema::{
    Arg, Buffer, Call, Choice, Const, Cost, Elem, Formula, Im2col, Kernel, Launch, Manifest, Out, Part, Port, Program,
    Role, Step, TensorMap, VERSION, Value, View,
};
use crate::manifest::verified;

dlc_ir::codes! {
    /// A program cannot be launched as it stands: it is not in instructions, or what it needs has no place in a manifest.
    NOT_LAUNCHED = "E0546" "NotLaunched";
}

/// PTX and what is next to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Translated {
    /// The text of the module.
    pub ptx: String,
    /// How its entries are launched.
    pub manifest: Manifest,
}

/// The module as PTX, whose file is called `file`. What goes wrong is reported, and which kernels are not verified.
pub fn translate(ctx: &Context, module: &Body, file: &str, lines: bool, diags: &Diagnostics) -> Option<Translated> {
    let sources = lines.then_some(&ctx.sources);
    let text = match dlc_ptx::emit::module(ctx, module, sources) {
        Ok(text) => text,
        Err(error) => {
            diags.emit(*error);
            return None;
        }
    };
    let mut manifest = Manifest {
        manifest: VERSION,
        target: text.target.to_string(),
        ptx_version: format!("{}.{}", text.version.0, text.version.1),
        module: file.into(),
        module_crc32: Some(verified::checksum(&text.text)),
        kernels: Vec::new(),
        programs: Vec::new(),
    };
    let ops = || module.entry_block().into_iter().flat_map(|block| module.ops(block));
    let called: BTreeMap<String, Vec<String>> = ops()
        .map(|id| OpRef::new(ctx, module, id).resolve())
        .filter(|op| Func::of(*op).is_some())
        .filter_map(|op| Some((op.symbol_name()?.to_string(), symbols(op))))
        .collect();
    let functions = function::functions(ctx, module);
    for id in ops() {
        let op = OpRef::new(ctx, module, id).resolve();
        let made = if Func::of(op).is_some() {
            kernel_of(op).map(|kernel| manifest.kernels.push(kernel))
        } else if host::Func::of(op).is_some() {
            let name = op.symbol_name().unwrap_or_default();
            let outputs = functions.iter().find(|function| function.name == name).map_or(&[][..], |f| &f.outputs);
            program_of(op, &called, outputs).map(|program| manifest.programs.push(program))
        } else if kernel::Func::of(op).is_some() {
            Err(Wrong::at(op, "the kernel is not in instructions yet").hint("run 'dlc-opt --kernel-to-ptx' before"))
        } else {
            Ok(())
        };
        if let Err(wrong) = made {
            diags.emit(*wrong.0);
            return None;
        }
    }
    // A program that only gives back what it is given has no kernels.
    if manifest.kernels.is_empty() && manifest.programs.is_empty() {
        let error =
            Diagnostic::error(&NOT_LAUNCHED, dlc_ir::Loc::UNKNOWN, "no kernel has been lowered to instructions");
        diags.emit(error.suggest("run 'dlc-opt --region-to-ptx' first, or 'dlc-opt --tiny-to-ptx-sm90' for a graph"));
        return None;
    }
    let not_verified = |id| {
        let op = OpRef::new(ctx, module, id).resolve();
        let kernel = manifest.kernels.iter().find(|kernel| Some(kernel.name.as_str()) == op.symbol_name())?;
        Func::of(op).and_then(|op| Some((kernel.name.as_str(), op.loc(), kernel.reason.as_deref()?)))
    };
    let not_verified: Vec<(&str, dlc_ir::Loc, &str)> = ops().filter_map(not_verified).collect();
    verified::warning(&not_verified).into_iter().for_each(|warning| diags.emit(warning));
    Some(Translated { ptx: text.text, manifest })
}

/// Why there is no manifest.
struct Wrong(Box<Diagnostic>);

impl Wrong {
    fn at(op: OpRef<'_>, message: impl Into<String>) -> Wrong {
        Wrong(Box::new(Diagnostic::error(&NOT_LAUNCHED, op.loc(), message).at(op.name())))
    }

    fn hint(self, hint: &str) -> Wrong {
        Wrong(Box::new(self.0.suggest(hint)))
    }
}

type Made<T> = Result<T, Wrong>;

/// The names of values in a function: those of the text, where they are names of symbols and not taken.
struct Names<'a> {
    root: OpRef<'a>,
    names: BTreeMap<usize, String>,
    taken: Vec<String>,
}

impl<'a> Names<'a> {
    fn new(root: OpRef<'a>) -> Names<'a> {
        let symbols = symbols(root);
        Names { root, names: BTreeMap::new(), taken: symbols }
    }

    fn of(&mut self, value: ValueId) -> String {
        use dlc_ir::entity::EntityId;
        let index = value.index();
        if let Some(name) = self.names.get(&index) {
            return name.clone();
        }
        let ctx = self.root.ctx;
        let text = ctx.str(self.root.body.value_name(value)).to_string();
        let usable = SizeExpr::symbol(&text).is_ok() && value_number(&text).is_none();
        let mut name = if usable { text } else { format!("v{}", self.names.len()) };
        while self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.push(name.clone());
        self.names.insert(index, name.clone());
        name
    }

    /// An expression whose values are named.
    fn expr(&mut self, expr: &SizeExpr, args: &[ValueId]) -> Expr {
        let mut names = Vec::new();
        for &arg in args {
            names.push(self.of(arg));
        }
        let replace = |name: &str| SizeExpr::symbol(names.get(value_number(name)?)?).ok();
        Expr(expr.substitute(&replace).unwrap_or_else(|_| expr.clone()))
    }
}

/// What memory of a kernel is for; `None` of an op that is no memory.
fn role(op: OpRef<'_>) -> Option<Role> {
    let output = kernel::Output::of(op).map(|_| Role::Output);
    let scratch = || kernel::Scratch::of(op).map(|_| Role::Scratch);
    output.or_else(scratch).or_else(|| kernel::Workspace::of(op).map(|_| Role::Workspace))
}

fn symbols(root: OpRef<'_>) -> Vec<String> {
    let ctx = root.ctx;
    let names = root.prop(Str::SYMBOLS).and_then(|attr| attr.as_array(ctx)).unwrap_or(&[]);
    names.iter().filter_map(|name| Some(name.as_str(ctx)?.to_string())).collect()
}

/// Memory as a manifest has it.
struct Memory {
    shape: Vec<Expr>,
    layout: Option<Layout>,
    elem: Elem,
    align: u64,
}

fn memory(op: OpRef<'_>, ty: Type) -> Made<Memory> {
    let ctx = op.ctx;
    let memref = MemRef::of(ctx, ty).ok_or_else(|| Wrong::at(op, "memory is wanted"))?;
    let elem = memref.elem(ctx);
    let elem = Elem::of(elem).ok_or_else(|| {
        Wrong::at(op, format!("elements of the type {} have no place on the device", elem.display(ctx)))
    })?;
    let dims = memref.dims(ctx);
    let layout = Layout::of(&memref.layout(ctx), &dims).map_err(|reason| Wrong::at(op, reason))?;
    let shape = dims.into_iter().map(Expr).collect();
    Ok(Memory { shape, layout, elem, align: u64::try_from(memref.align(ctx)).unwrap_or(1) })
}

fn guards(names: &mut Names<'_>, condition: &Condition, args: &[ValueId]) -> Vec<Guard> {
    let left = names.expr(&condition.expr, args).to_string();
    let mut guards = Vec::new();
    let equal = condition.lower.as_ref().filter(|lower| {
        let next = lower.add(&SizeExpr::from(1)).ok();
        next.is_some() && next == condition.upper
    });
    if let Some(equal) = equal {
        guards.extend(Guard::parse(&format!("{left} == {}", names.expr(equal, args))));
        return guards;
    }
    if let Some(lower) = &condition.lower {
        guards.extend(Guard::parse(&format!("{left} >= {}", names.expr(lower, args))));
    }
    if let Some(upper) = &condition.upper {
        guards.extend(Guard::parse(&format!("{left} < {}", names.expr(upper, args))));
    }
    guards
}

/// The most elements of a tensor that a kernel computes with.
fn most_elements(root: OpRef<'_>) -> u64 {
    let elements = Func::of(root).and_then(|func| func.elements()).unwrap_or(dlc_ptx::ops::NARROW_ELEMENTS);
    u64::try_from(elements).unwrap_or(0)
}

fn kernel_of(root: OpRef<'_>) -> Made<Kernel> {
    let (ctx, body) = (root.ctx, root.body);
    let mut names = Names::new(root);
    let mut made = Kernel {
        name: root.symbol_name().unwrap_or_default().to_string(),
        symbols: symbols(root),
        verified: false,
        reason: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        buffers: Vec::new(),
        values: Vec::new(),
        requires: Vec::new(),
        elements: most_elements(root),
        tensor_maps: Vec::new(),
        launches: Vec::new(),
    };
    let Some(block) = body.entry_block() else { return Err(Wrong::at(root, "the function has no body")) };
    for &arg in body.args(block) {
        let Memory { shape, layout, elem, align } = memory(root, body.value_type(arg))?;
        made.inputs.push(Port { name: names.of(arg), elem, shape, layout, align });
    }
    for id in body.ops(block) {
        let op = OpRef::new(ctx, body, id);
        if let Some(role) = role(op) {
            let out = op.result(0);
            let Memory { shape, layout, elem, align } = memory(op, op.type_of(out))?;
            made.buffers.push(Buffer { name: names.of(out), role, elem, shape, layout, align });
        } else if let Some(op) = kernel::Require::of(op) {
            let args: Vec<ValueId> = op.args().collect();
            let guard = op.guard();
            let [piece] = guard.pieces.as_slice() else {
                return Err(Wrong::at(*op, "what a launch requires has one piece"));
            };
            piece.iter().for_each(|condition| made.requires.extend(guards(&mut names, condition, &args)));
        } else if let Some(op) = kernel::Index::of(op) {
            let args: Vec<ValueId> = op.args().collect();
            let exprs = op.value();
            let Some(expr) = exprs.first() else { continue };
            let formula = Formula::Expr(names.expr(expr, &args));
            made.values.push(Value { name: names.of(op.out()), formula });
        } else if let Some(op) = kernel::Min::of(op) {
            let both = vec![named(&mut names, op.lhs()), named(&mut names, op.rhs())];
            made.values.push(Value { name: names.of(op.out()), formula: Formula::Min(both) });
        } else if let Some(op) = kernel::Max::of(op) {
            let both = vec![named(&mut names, op.lhs()), named(&mut names, op.rhs())];
            made.values.push(Value { name: names.of(op.out()), formula: Formula::Max(both) });
        } else if let Some(op) = kernel::TensorMapOf::of(op) {
            let map = tensor_map(op, &mut names)?;
            made.tensor_maps.push(map);
        } else if let Some(op) = Entry::of(op) {
            made.launches.push(launch(op, &mut names));
        } else if let Some(op) = kernel::Return::of(op) {
            made.outputs = op.values().map(|value| names.of(value)).collect();
        } else {
            return Err(Wrong::at(op, format!("'{}' has no place in a launch", op.name())));
        }
    }
    match Func::of(root).map(verification) {
        Some(Verification::Verified(covered)) if covered.len() == made.launches.len() => {
            made.verified = true;
            made.launches.iter_mut().zip(covered).for_each(|(launch, covered)| launch.covered = Some(covered.into()));
        }
        Some(Verification::Unverified(reason)) => made.reason = Some(reason),
        _ => made.reason = Some("what was covered is not stated for each entry".into()),
    }
    Ok(made)
}

fn named(names: &mut Names<'_>, value: ValueId) -> Expr {
    let name = names.of(value);
    Expr(SizeExpr::symbol(&name).unwrap_or_else(|_| SizeExpr::from(0)))
}

fn tensor_map(op: kernel::TensorMapOf<'_>, names: &mut Names<'_>) -> Made<TensorMap> {
    let ctx = op.ctx;
    let out = op.out();
    let ty = types::TensorMap::of(ctx, op.type_of(out)).ok_or_else(|| Wrong::at(*op, "a tensor map is wanted"))?;
    let elem = ty.elem(ctx);
    let tile = ty.shape(ctx);
    let swizzle = match ty.layout(ctx) {
        Shared::Panels { span: span @ 32.., .. } => span,
        _ => 0,
    };
    let numbers = |list: Vec<i64>| list.into_iter().map(|number| number as i32).collect();
    let im2col = match (op.lower(), op.upper(), op.strides()) {
        (Some(lower), Some(upper), Some(strides)) => Some(Im2col {
            lower: numbers(lower),
            upper: numbers(upper),
            strides: strides.into_iter().map(|number| number as u32).collect(),
        }),
        _ => None,
    };
    let of = MemRef::of(ctx, op.type_of(op.memory())).ok_or_else(|| Wrong::at(*op, "memory is wanted"))?;
    let strides = match (of.layout(ctx), op.order()) {
        (dlc_core::layout::Layout::RowMajor, None) => None,
        _ => {
            let strides = map_strides(ctx, op);
            let strides = strides.ok_or_else(|| Wrong::at(*op, "TMA needs memory with strides"))?;
            Some(strides.iter().map(|stride| names.expr(stride, &[])).collect())
        }
    };
    let shape = op.merged().map(|groups| {
        let dims = merged_dims(ctx, of, &groups);
        dims.ok_or_else(|| Wrong::at(*op, "its axes do not lie one after another"))
    });
    let other = || op.order().and_then(|order| ordered(&of.dims(ctx), &order));
    let shape = shape.transpose()?.or_else(other).map(|dims| dims.iter().map(|dim| names.expr(dim, &[])).collect());
    Ok(TensorMap {
        name: names.of(out),
        buffer: names.of(op.memory()),
        elem: Elem::of(elem).ok_or_else(|| Wrong::at(*op, "TMA has no such elements"))?,
        shape,
        strides,
        tile: tile.into_iter().map(|size| size as u32).collect(),
        swizzle,
        im2col,
    })
}

fn launch(op: Entry<'_>, names: &mut Names<'_>) -> Launch {
    let args: Vec<ValueId> = op.args().collect();
    let mut grid = [Expr::from(1), Expr::from(1), Expr::from(1)];
    for (axis, dim) in op.dims().iter().enumerate().take(3) {
        grid[axis] = names.expr(dim, &args);
    }
    let mut cluster = [1; 3];
    for (axis, size) in op.cluster().unwrap_or_default().into_iter().enumerate().take(3) {
        cluster[axis] = u32::try_from(size).unwrap_or(1);
    }
    let mut all: Vec<Arg> = op.memory().map(|value| Arg::Buffer(names.of(value))).collect();
    all.extend(op.maps().map(|value| Arg::Map(names.of(value))));
    let wide = dlc_ptx::interp::wide_sizes(op);
    all.extend(op.sizes().iter().zip(wide).map(|(size, is_wide)| {
        let size = names.expr(size, &args);
        if is_wide { Arg::I64(size) } else { Arg::I32(size) }
    }));
    // It may begin early if it waits for the grid before it by itself.
    let mut ops = Vec::new();
    op.body.walk_regions(op.id, &mut ops);
    let waits = |id: &dlc_ir::OpId| {
        let inner = OpRef { id: *id, ..*op };
        dlc_ptx::inst::row(inner).is_some_and(|(row, modifiers)| row.name == "griddepcontrol" && modifiers == "wait")
    };
    Launch {
        entry: op.name().to_string(),
        grid,
        cluster,
        threads: u32::try_from(op.threads()).unwrap_or(32),
        shared: u32::try_from(op.shared()).unwrap_or(0),
        early: ops.iter().any(waits),
        args: all,
        covered: None,
    }
}

/// A program, whose results are called as its outputs are.
fn program_of(root: OpRef<'_>, called: &BTreeMap<String, Vec<String>>, outputs: &[function::Port]) -> Made<Program> {
    let (ctx, body) = (root.ctx, root.body);
    let Some(func) = host::Func::of(root) else { return Err(Wrong::at(root, "this is no program")) };
    let mut names = Names::new(root);
    let Some(block) = body.entry_block() else { return Err(Wrong::at(root, "the function has no body")) };
    let port = |names: &mut Names<'_>, value: ValueId| -> Made<Port> {
        let Memory { shape, layout, elem, align } = memory(root, body.value_type(value))?;
        Ok(Port { name: names.of(value), elem, shape, layout, align })
    };
    let inputs = body.args(block).iter().map(|&arg| port(&mut names, arg)).collect::<Made<Vec<Port>>>()?;
    let arena = func.arena().and_then(|arena| arena.into_iter().next()).unwrap_or_else(|| SizeExpr::from(0));
    let mut made = Program {
        name: root.symbol_name().unwrap_or_default().to_string(),
        symbols: symbols(root),
        inputs,
        outputs: Vec::new(),
        arena: Expr(arena),
        pool: func.pool().and_then(|pool| u64::try_from(pool).ok()).unwrap_or(0),
        steps: Vec::new(),
        results: Vec::new(),
    };
    for id in body.ops(block) {
        let op = OpRef::new(ctx, body, id);
        if let Some(op) = host::Const::of(op) {
            made.steps.push(Step::Const(constant(op, &mut names)?));
        } else if let Some(op) = host::View::of(op) {
            let Memory { shape, layout, .. } = memory(*op, op.type_of(op.out()))?;
            let part = op.start().map(|from| Part { from: Expr(from), layout: layout.clone() });
            if layout.is_some() && part.is_none() {
                return Err(Wrong::at(*op, "a view lies row by row"));
            }
            made.steps.push(Step::View(View { name: names.of(op.out()), of: names.of(op.input()), shape, part }));
        } else if let Some(op) = host::Launch::of(op) {
            made.steps.push(Step::Launch(call(op, called, &mut names)?));
        } else if let Some(op) = host::Return::of(op) {
            let values: Vec<ValueId> = op.values().collect();
            made.outputs = values.iter().map(|&value| port(&mut names, value)).collect::<Made<Vec<Port>>>()?;
            made.outputs.iter_mut().zip(outputs).for_each(|(port, output)| port.name.clone_from(&output.name));
            made.results = values.iter().map(|&value| names.of(value)).collect();
        } else {
            return Err(Wrong::at(op, format!("'{}' has no place in a manifest", op.name())));
        }
    }
    Ok(made)
}

fn constant(op: host::Const<'_>, names: &mut Names<'_>) -> Made<Const> {
    let ctx = op.ctx;
    let Memory { shape, elem, .. } = memory(*op, op.type_of(op.out()))?;
    let size = elem.size() as usize;
    let count: usize = shape.iter().filter_map(|size| usize::try_from(size.0.as_constant()?).ok()).product();
    let offset = op.offset().and_then(|offset| u64::try_from(offset).ok());
    let offset =
        offset.ok_or_else(|| Wrong::at(*op, "the constant has no place").hint("run 'dlc-opt --plan-arena' before"))?;
    let value = op.value();
    let one = |bits: u64| bits.to_le_bytes()[..size.min(8)].to_vec();
    let element: Vec<u8> = match ctx.attr_data(value) {
        AttrData::Dense(dense) => dense.payload.to_vec(),
        AttrData::Float { bits, .. } => one(*bits),
        AttrData::Integer { value, .. } => one(*value as u64),
        _ => return Err(Wrong::at(*op, "the constant is no number")),
    };
    // One element stands for all of them.
    let bytes = if element.len() == size && count != 1 { element.repeat(count) } else { element };
    if bytes.len() != size * count {
        return Err(Wrong::at(*op, format!("the constant has {} bytes, not {}", bytes.len(), size * count)));
    }
    Ok(Const { name: names.of(op.out()), elem, shape, offset, bytes })
}

fn cost(cost: dlc_host::choice::Cost) -> Cost {
    let [launch, tile, step, wait, gbps, sms, blocks] = cost.rates.numbers();
    let (tiles, steps, bytes) = (Expr(cost.tiles), Expr(cost.steps), Expr(cost.bytes));
    Cost { tiles, steps, bytes, launch, tile, step, wait, gbps, sms, blocks }
}

fn call(op: host::Launch<'_>, called: &BTreeMap<String, Vec<String>>, names: &mut Names<'_>) -> Made<Call> {
    let ctx = op.ctx;
    let mut choices = Vec::new();
    for choice in op.choices() {
        let path = choice.callee.as_symbol(ctx).unwrap_or(&[]);
        let kernel = path.last().map(|name| ctx.str(*name).to_string()).unwrap_or_default();
        let Some(symbols) = called.get(&kernel) else {
            return Err(Wrong::at(*op, format!("there is no kernel @{kernel} in instructions")));
        };
        let sizes: BTreeMap<String, Expr> =
            symbols.iter().cloned().zip(choice.sizes.iter().cloned().map(Expr)).collect();
        // All conditions of a choice hold: what holds in one of several ways is as many choices.
        let pieces = choice.condition.iter().flat_map(|guard| &guard.pieces);
        let mut ways: Vec<Vec<Guard>> = Vec::new();
        for piece in pieces {
            ways.push(piece.iter().flat_map(|condition| guards(names, condition, &[])).collect());
        }
        if choice.condition.is_none() {
            ways.push(Vec::new());
        }
        let cost = choice.cost.map(cost);
        let of_way = |guards| Choice { kernel: kernel.clone(), sizes: sizes.clone(), cost: cost.clone(), guards };
        let made = ways.into_iter().map(of_way);
        choices.extend(made);
    }
    let offsets = op.offsets();
    let mut outputs = Vec::new();
    for (index, out) in op.outs().enumerate() {
        let Memory { shape, layout, elem, .. } = memory(*op, op.type_of(out))?;
        let offset = match &offsets {
            Some(offsets) => offsets.get(index).cloned().flatten().map(Expr),
            None => return Err(Wrong::at(*op, "its results have no places").hint("run 'dlc-opt --plan-arena' before")),
        };
        outputs.push(Out { name: names.of(out), elem, shape, layout, offset });
    }
    Ok(Call { choices, inputs: op.inputs().map(|input| names.of(input)).collect(), outputs })
}
