//! What a program means as plain loops of C++: a function for each region, and one that calls them in order.
//!
//! A reduction has loops of its own and a place for its results; what is computed at a point is a statement where it is
//! used. Numbers are computed as floats, sums as doubles, and rounded where the region says so.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dlc_core::guard::Guard;
use dlc_core::memref::{Layout, MemRef};
use dlc_core::scalar::Combiner;
use dlc_host::ops as host;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::attrs::AttrData;
use dlc_ir::{BlockId, Body, Context, OpRef, Str, Type, ValueId};
use dlc_region::ops as region;
use dlc_region::syntax::element_of;
use dlc_region::types::Value;
use dlc_region::verify::axes_of;
use rustc_hash::{FxHashMap, FxHashSet};

use super::kinds::{element, reserved};
use super::numbers::{binary, converted, literal, load, rounded, store, unary, variable, zero};
use crate::manifest::Elem;

/// Why there are no loops, and at which op.
pub struct Wrong<'a>(pub OpRef<'a>, pub String);

type Made<'a, T> = Result<T, Wrong<'a>>;

/// Plain loops.
pub struct Loops {
    /// The functions.
    pub text: String,
    /// The name of the one that computes everything.
    pub name: String,
    /// How many inputs it takes.
    pub inputs: usize,
    /// How many outputs it gives.
    pub outputs: usize,
    /// Its symbols, in order.
    pub symbols: Vec<String>,
}

/// The loops of a module: of its only program, or its only region.
pub fn loops<'a>(ctx: &'a Context, module: &'a Body) -> Made<'a, Option<Loops>> {
    let root = OpRef::new(ctx, module, module.root());
    let ops: Vec<OpRef<'_>> = module
        .entry_block()
        .into_iter()
        .flat_map(|block| module.ops(block))
        .map(|id| OpRef::new(ctx, module, id).resolve())
        .collect();
    let regions: Vec<OpRef<'_>> = ops.iter().copied().filter(|&op| region::Func::of(op).is_some()).collect();
    let programs: Vec<OpRef<'_>> = ops.iter().copied().filter(|&op| host::Func::of(op).is_some()).collect();
    let mut text = String::new();
    for &op in &regions {
        text.push_str(&Region::function(op)?);
        text.push('\n');
    }
    match (programs.as_slice(), regions.as_slice()) {
        (&[program], _) => {
            let (function, inputs, outputs) = program_function(program)?;
            text.push_str(&function);
            text.push('\n');
            let symbols = symbols(program);
            Ok(Some(Loops { text, name: plain_name(program), inputs, outputs, symbols }))
        }
        ([], &[only]) => {
            let inputs = only.body.entry_block().map_or(0, |block| only.body.args(block).len());
            let outputs = region::Func::of(only).map_or(0, |func| func.outputs().len());
            Ok(Some(Loops { text, name: plain_name(only), inputs, outputs, symbols: symbols(only) }))
        }
        ([], []) => Ok(None),
        _ => Err(Wrong(root, "there are several programs, and one is wanted".into())),
    }
}

/// The name of the loops of a function.
fn plain_name(op: OpRef<'_>) -> String {
    format!("plain_{}", op.symbol_name().unwrap_or("program").replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
}

fn symbols(op: OpRef<'_>) -> Vec<String> {
    let ctx = op.ctx;
    let names = op.resolve().prop(Str::SYMBOLS).and_then(|attr| attr.as_array(ctx)).unwrap_or(&[]);
    names.iter().filter_map(|name| Some(name.as_str(ctx)?.to_string())).collect()
}

/// A size as C++ writes it.
pub fn size(expr: &SizeExpr) -> String {
    sum(expr, &|name| name.to_string())
}

/// An expression whose symbols have other names.
fn sum(expr: &SizeExpr, named: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut terms = expr.terms();
    // The constant comes last.
    terms.sort_by_key(|(_, factors)| factors.is_empty());
    for (coefficient, factors) in terms {
        let less = coefficient < 0 && !out.is_empty();
        let shown = if less { coefficient.unsigned_abs().to_string() } else { coefficient.to_string() };
        if !out.is_empty() {
            out.push_str(if less { " - " } else { " + " });
        }
        let factors: Vec<String> = factors
            .iter()
            .map(|factor| match factor {
                Factor::Symbol(name) => named(name),
                Factor::Quotient(of, by) => format!("floor_div({}, {})", sum(of, named), sum(by, named)),
            })
            .collect();
        match (shown.as_str(), factors.is_empty()) {
            (_, true) => out.push_str(&shown),
            ("1", false) => out.push_str(&factors.join(" * ")),
            ("-1", false) => {
                let _ = write!(out, "-{}", factors.join(" * "));
            }
            (_, false) => {
                let _ = write!(out, "{shown} * {}", factors.join(" * "));
            }
        }
    }
    if out.is_empty() { "0".into() } else { out }
}

/// In parentheses, where it is no single word.
pub fn factor(text: &str) -> String {
    if text.contains(' ')
        && !(text.starts_with("floor_div(") && text.matches("floor_div(").count() == 1 && text.ends_with(')'))
    {
        format!("({text})")
    } else {
        text.to_string()
    }
}

/// How many elements memory of these sizes has.
pub fn count(sizes: &[SizeExpr]) -> String {
    let sizes: Vec<String> = sizes.iter().map(|expr| factor(&size(expr))).collect();
    if sizes.is_empty() { "1".into() } else { sizes.join(" * ") }
}

fn memory<'a>(op: OpRef<'a>, ty: Type) -> Made<'a, (Vec<SizeExpr>, Elem)> {
    let ctx = op.ctx;
    let memref = MemRef::of(ctx, ty).ok_or_else(|| Wrong(op, "memory is wanted".into()))?;
    if memref.layout(ctx) != Layout::RowMajor {
        return Err(Wrong(op, "plain loops are for memory that lies row by row".into()));
    }
    let elem = Elem::of(memref.elem(ctx)).ok_or_else(|| Wrong(op, "C++ has no such elements".into()))?;
    Ok((memref.dims(ctx), elem))
}

/// The function of a program of regions.
fn program_function(op: OpRef<'_>) -> Made<'_, (String, usize, usize)> {
    let (ctx, body) = (op.ctx, op.body);
    let Some(block) = body.entry_block() else { return Err(Wrong(op, "the program has no body".into())) };
    let args = body.args(block);
    let mut names: FxHashMap<ValueId, String> = FxHashMap::default();
    let mut params: Vec<String> = symbols(op).iter().map(|name| format!("int64_t {name}")).collect();
    for (index, &arg) in args.iter().enumerate() {
        let (_, elem) = memory(op, body.value_type(arg))?;
        params.push(format!("const {}* in{index}", element(elem)));
        names.insert(arg, format!("in{index}"));
    }
    let last = body.last_op(block).and_then(|id| host::Return::of(OpRef::new(ctx, body, id)));
    let results: Vec<ValueId> = last.map(|last| last.values().collect()).unwrap_or_default();
    for (index, &result) in results.iter().enumerate() {
        let (_, elem) = memory(op, body.value_type(result))?;
        params.push(format!("{}* out{index}", element(elem)));
    }
    let mut text = format!("static void {}({}) {{\n", plain_name(op), params.join(", "));
    for id in body.ops(block) {
        let inner = OpRef::new(ctx, body, id);
        if let Some(view) = host::View::of(inner) {
            let of = names.get(&view.input()).cloned().unwrap_or_default();
            names.insert(view.out(), of);
        } else if let Some(constant) = host::Const::of(inner) {
            let name = format!("c{}", names.len());
            text.push_str(&elements(inner, constant, &name)?);
            names.insert(constant.out(), format!("{name}.data()"));
        } else if let Some(launch) = host::Launch::of(inner) {
            let Some(choice) = launch.choices().into_iter().last() else { continue };
            let path = choice.callee.as_symbol(ctx).unwrap_or(&[]);
            let callee = path.last().map(|name| ctx.str(*name).to_string()).unwrap_or_default();
            let mut given: Vec<String> = choice.sizes.iter().map(size).collect();
            given.extend(launch.inputs().map(|input| names.get(&input).cloned().unwrap_or_default()));
            for out in launch.outs() {
                let (sizes, elem) = memory(inner, inner.type_of(out))?;
                if let Some(index) = results.iter().position(|&result| result == out) {
                    let name = format!("out{index}");
                    names.insert(out, name.clone());
                    given.push(name);
                    continue;
                }
                let name = format!("t{}", names.len());
                // A `std::vector<bool>` has no elements.
                let _ = writeln!(text, "  std::vector<{}> {name}({});", stored(elem), count(&sizes));
                let cast = if elem == Elem::I1 { format!("(bool*){name}.data()") } else { format!("{name}.data()") };
                names.insert(out, cast.clone());
                given.push(cast);
            }
            let _ = writeln!(
                text,
                "  plain_{}({});",
                callee.replace(|c: char| !c.is_ascii_alphanumeric(), "_"),
                given.join(", ")
            );
        } else if host::Return::of(inner).is_none() {
            return Err(Wrong(inner, format!("'{}' has no plain loops", inner.name())));
        }
    }
    for (index, &result) in results.iter().enumerate() {
        let (sizes, _) = memory(op, body.value_type(result))?;
        let from = names.get(&result).cloned().unwrap_or_default();
        if from == format!("out{index}") {
            continue;
        }
        let _ = writeln!(text, "  std::copy_n({from}, {}, out{index});", count(&sizes));
    }
    text.push_str("}\n");
    Ok((text, args.len(), results.len()))
}

/// What a vector of elements is one of.
pub fn stored(elem: Elem) -> &'static str {
    if elem == Elem::I1 { "uint8_t" } else { element(elem) }
}

fn elements<'a>(op: OpRef<'a>, constant: host::Const<'a>, name: &str) -> Made<'a, String> {
    let ctx = op.ctx;
    let (sizes, elem) = memory(op, op.type_of(constant.out()))?;
    let bytes: Vec<u8> = match ctx.attr_data(constant.value()) {
        AttrData::Dense(dense) => dense.payload.to_vec(),
        AttrData::Float { bits, .. } => bits.to_le_bytes()[..elem.size() as usize].to_vec(),
        AttrData::Integer { value, .. } => value.to_le_bytes()[..elem.size() as usize].to_vec(),
        _ => return Err(Wrong(op, "the constant is no number".into())),
    };
    let list: Vec<String> = bytes.iter().map(ToString::to_string).collect();
    let mut text = format!("  static const uint8_t {name}_bytes[] = {{{}}};\n", list.join(", "));
    let _ = writeln!(text, "  std::vector<{}> {name}({});", stored(elem), count(&sizes));
    let _ = writeln!(text, "  for (size_t i = 0; i < {name}.size() * {}; ++i) {{", elem.size());
    let _ = writeln!(text, "    ((uint8_t*){name}.data())[i] = {name}_bytes[i % sizeof({name}_bytes)];\n  }}");
    Ok(text)
}

/// A region on its way to loops.
struct Region<'a> {
    root: OpRef<'a>,
    /// The C++ names of axes.
    axes: BTreeMap<String, String>,
    sizes: BTreeMap<String, SizeExpr>,
    buffers: FxHashMap<ValueId, String>,
    /// Results of reductions that have a place for all points: its name, and its axes.
    placed: FxHashMap<ValueId, (String, Vec<String>)>,
    taken: FxHashSet<String>,
    out: String,
    depth: usize,
    /// What has been computed at this point, by the scopes that are open.
    known: Vec<FxHashMap<ValueId, String>>,
}

impl<'a> Region<'a> {
    fn function(op: OpRef<'a>) -> Made<'a, String> {
        let Some(func) = region::Func::of(op) else { return Ok(String::new()) };
        let (ctx, body) = (op.ctx, op.body);
        let Some(block) = body.entry_block() else { return Err(Wrong(op, "the region has no body".into())) };
        let mut taken = reserved();
        let all = dlc_region::verify::KernelAxes::of(ctx, body);
        let mut made = Region {
            root: op,
            axes: BTreeMap::new(),
            sizes: all.names.iter().cloned().zip(all.sizes.iter().cloned()).collect(),
            buffers: FxHashMap::default(),
            placed: FxHashMap::default(),
            taken: FxHashSet::default(),
            out: String::new(),
            depth: 1,
            known: vec![FxHashMap::default()],
        };
        let names = symbols(op);
        taken.extend(names.iter().cloned());
        made.taken = taken;
        for name in &all.names {
            let cpp = made.fresh(name);
            made.axes.insert(name.clone(), cpp);
        }
        let mut params: Vec<String> = names.iter().map(|name| format!("int64_t {name}")).collect();
        for &arg in body.args(block) {
            let (_, elem) = memory(op, body.value_type(arg))?;
            let name = made.fresh(ctx.str(body.value_name(arg)));
            params.push(format!("const {}* {name}", element(elem)));
            made.buffers.insert(arg, name);
        }
        let outputs: Vec<String> = func.outputs().iter().map(|name| made.fresh(name)).collect();
        let types = op.attr(Str::FUNCTION_TYPE).and_then(|ty| ty.as_type(ctx));
        let results: Vec<Type> = match types.map(|ty| ctx.type_data(ty)) {
            Some(dlc_ir::TypeData::Function { results, .. }) => results.to_vec(),
            _ => Vec::new(),
        };
        for (name, &ty) in outputs.iter().zip(&results) {
            let (_, elem) = memory(op, ty)?;
            params.push(format!("{}* {name}", element(elem)));
        }
        made.body(block, &func, &outputs, &results)?;
        Ok(format!("static void {}({}) {{\n{}}}\n", plain_name(op), params.join(", "), made.out))
    }

    fn fresh(&mut self, name: &str) -> String {
        let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if name.is_empty() {
            name.push('x');
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, 'v');
        }
        let mut count = 0;
        let mut free = name.clone();
        while !self.taken.insert(free.clone()) {
            count += 1;
            free = format!("{name}_{count}");
        }
        free
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth));
    }

    fn body(&mut self, block: BlockId, func: &region::Func<'a>, outputs: &[String], results: &[Type]) -> Made<'a, ()> {
        let body = self.root.body;
        let iters: Vec<String> = func.iters().iter().map(ToString::to_string).collect();
        let ops: Vec<OpRef<'a>> = body.ops(block).map(|id| OpRef { id, ..self.root }).collect();
        let last = ops.iter().rposition(|&op| region::Reduce::of(op).is_some());
        for (index, &op) in ops.iter().enumerate() {
            let Some(reduce) = region::Reduce::of(op) else { continue };
            // The last one is computed where it is wanted, if that is at every point.
            let axes: Vec<Vec<String>> = reduce.outs().map(|out| self.axes_of(out)).collect();
            let everywhere =
                axes.iter().all(|axes| axes.len() == iters.len() && axes.iter().all(|axis| iters.contains(axis)));
            if !(Some(index) == last && everywhere) {
                self.place(reduce)?;
            }
        }
        let Some(end) = ops.last().copied().and_then(region::Yield::of) else { return Ok(()) };
        self.open(&iters);
        let to = end.to().unwrap_or_default();
        let casts = end.casts().unwrap_or_default();
        let names = func.outputs();
        for (index, value) in end.values().enumerate() {
            let wanted = to.get(index).copied().unwrap_or_default();
            let place = names.iter().position(|name| *name == wanted).unwrap_or(index);
            let (sizes, elem) = memory(self.root, results[place])?;
            let own = self.elem(value);
            let text = self.value(value)?;
            let ty = casts.get(index).copied().filter(|&ty| ty != Type::NONE).unwrap_or(own);
            let at = self.linear(&sizes, &iters.iter().map(|axis| self.axes[axis].clone()).collect::<Vec<_>>());
            // What is stored is rounded by that.
            let text = if Elem::of(ty) == Some(elem) && own.float_kind(self.root.ctx).is_some() {
                text
            } else {
                converted(&text, own, ty, self.root.ctx)
            };
            let written = store(&text, elem);
            self.line(&format!("{}[{at}] = {written};", outputs[place]));
        }
        self.close(iters.len());
        Ok(())
    }

    fn axes_of(&self, value: ValueId) -> Vec<String> {
        axes_of(self.root.ctx, self.root.body.value_type(value)).into_iter().map(String::from).collect()
    }

    fn elem(&self, value: ValueId) -> Type {
        let ctx = self.root.ctx;
        Value::expect(ctx, self.root.body.value_type(value)).elem(ctx)
    }

    /// Opens loops over axes.
    fn open(&mut self, axes: &[String]) {
        for axis in axes {
            let (name, end) = (self.axes[axis].clone(), self.sizes.get(axis).map_or("0".into(), size));
            self.line(&format!("for (int64_t {name} = 0; {name} < {end}; ++{name}) {{"));
            self.depth += 1;
            self.known.push(FxHashMap::default());
        }
    }

    fn close(&mut self, count: usize) {
        for _ in 0..count {
            self.depth -= 1;
            self.known.pop();
            self.line("}");
        }
    }

    /// The place of an element among those of memory of these sizes.
    fn linear(&self, sizes: &[SizeExpr], at: &[String]) -> String {
        let mut text = String::new();
        for (index, at) in at.iter().enumerate() {
            if index == 0 {
                text.clone_from(at);
            } else {
                text = format!("{} * {} + {}", factor(&text), factor(&size(&sizes[index])), at);
            }
        }
        if text.is_empty() { "0".into() } else { text }
    }

    /// Computes a reduction at all of its points.
    fn place(&mut self, reduce: region::Reduce<'a>) -> Made<'a, ()> {
        let mut union: Vec<String> = Vec::new();
        for out in reduce.outs() {
            for axis in self.axes_of(out) {
                if !union.contains(&axis) {
                    union.push(axis);
                }
            }
        }
        let outs: Vec<ValueId> = reduce.outs().collect();
        for &out in &outs {
            let axes = self.axes_of(out);
            let sizes: Vec<SizeExpr> = axes.iter().filter_map(|axis| self.sizes.get(axis).cloned()).collect();
            let name = self.fresh(self.root.ctx.str(self.root.body.value_name(out)));
            let ty = variable(self.elem(out), self.root.ctx);
            let ty = if ty == "bool" { "uint8_t" } else { ty };
            self.line(&format!("std::vector<{ty}> {name}({});", count(&sizes)));
            self.placed.insert(out, (name, axes));
        }
        self.open(&union);
        let results = self.accumulate(reduce)?;
        for (&out, result) in outs.iter().zip(results) {
            let (name, at) = self.placed_at(out);
            self.line(&format!("{name}[{at}] = {result};"));
        }
        self.close(union.len());
        Ok(())
    }

    fn placed_at(&self, out: ValueId) -> (String, String) {
        let (name, axes) = self.placed[&out].clone();
        let sizes: Vec<SizeExpr> = axes.iter().filter_map(|axis| self.sizes.get(axis).cloned()).collect();
        let at: Vec<String> = axes.iter().map(|axis| self.axes[axis].clone()).collect();
        (name, self.linear(&sizes, &at))
    }

    /// The loops of a reduction at one point; what the accumulators are after them.
    fn accumulate(&mut self, reduce: region::Reduce<'a>) -> Made<'a, Vec<String>> {
        let (ctx, body) = (self.root.ctx, self.root.body);
        let regions = reduce.regions();
        let outs: Vec<ValueId> = reduce.outs().collect();
        let combiner = reduce.combiner();
        let mut accs = Vec::new();
        for (&out, init) in outs.iter().zip(reduce.init()) {
            let elem = self.elem(out);
            // Sums are rounded once.
            let wide = elem.float_kind(ctx).is_some() && matches!(combiner, Some(Combiner::Sum | Combiner::Prod));
            let ty = if wide { "double" } else { variable(elem, ctx) };
            let name = self.fresh("acc");
            self.line(&format!("{ty} {name} = {};", literal(ctx, *init, elem)));
            accs.push(name);
        }
        let axes: Vec<String> = reduce.axes().iter().map(ToString::to_string).collect();
        self.open(&axes);
        let block = regions.first().and_then(|&region| body.first_block(region));
        let end =
            block.and_then(|block| body.last_op(block)).and_then(|id| region::Yield::of(OpRef { id, ..self.root }));
        let Some(end) = end else { return Err(Wrong(*reduce, "the reduction yields nothing".into())) };
        let mut given = Vec::new();
        for value in end.values() {
            given.push((self.value(value)?, self.elem(value)));
        }
        match combiner {
            Some(combiner) => {
                for ((acc, &out), (value, from)) in accs.iter().zip(&outs).zip(given) {
                    let elem = self.elem(out);
                    let value = converted(&value, from, elem, ctx);
                    let is_bool = elem == Type::I1;
                    let line = match combiner {
                        Combiner::Sum if is_bool => format!("{acc} = {acc} || {value};"),
                        Combiner::Prod if is_bool => format!("{acc} = {acc} && {value};"),
                        Combiner::Sum => format!("{acc} += {value};"),
                        Combiner::Prod => format!("{acc} *= {value};"),
                        Combiner::Max => format!("{acc} = larger({acc}, {value});"),
                        Combiner::Min => format!("{acc} = smaller({acc}, {value});"),
                    };
                    self.line(&line);
                }
            }
            None => {
                let block = regions.get(1).and_then(|&region| body.first_block(region));
                let Some(block) = block else { return Err(Wrong(*reduce, "nothing combines".into())) };
                let args = body.args(block).to_vec();
                let mut known = FxHashMap::default();
                for (index, &arg) in args.iter().enumerate() {
                    let text = match accs.get(index) {
                        Some(acc) => acc.clone(),
                        None => {
                            let (value, from) = given[index - accs.len()].clone();
                            let value = converted(&value, from, self.elem(arg), ctx);
                            let name = self.fresh("next");
                            self.line(&format!("const {} {name} = {value};", variable(self.elem(arg), ctx)));
                            name
                        }
                    };
                    known.insert(arg, text);
                }
                self.known.push(known);
                let end = body.last_op(block).and_then(|id| region::Yield::of(OpRef { id, ..self.root }));
                let values: Vec<ValueId> = end.map(|end| end.values().collect()).unwrap_or_default();
                let mut texts = Vec::new();
                for &value in &values {
                    texts.push(self.value(value)?);
                }
                for (acc, text) in accs.iter().zip(texts) {
                    self.line(&format!("{acc} = {text};"));
                }
                self.known.pop();
            }
        }
        self.close(axes.len());
        let rounded = |(acc, out): (&String, &ValueId)| {
            let elem = self.elem(*out);
            if combiner.is_some() { rounded(acc, elem, ctx) } else { acc.clone() }
        };
        Ok(accs.iter().zip(&outs).map(rounded).collect())
    }

    /// A value at the point of the loops that are open: a name, or a number.
    fn value(&mut self, value: ValueId) -> Made<'a, String> {
        if let Some(name) = self.known.iter().rev().find_map(|known| known.get(&value)) {
            return Ok(name.clone());
        }
        let (ctx, body) = (self.root.ctx, self.root.body);
        if self.placed.contains_key(&value) {
            let (name, at) = self.placed_at(value);
            return Ok(format!("{name}[{at}]"));
        }
        let Some(id) = body.defining_op(value) else {
            return Err(Wrong(self.root, "a value is not known here".into()));
        };
        let op = OpRef { id, ..self.root };
        let elem = self.elem(value);
        let text = if let Some(op) = region::Const::of(op) {
            return Ok(literal(ctx, op.value(), elem));
        } else if let Some(reduce) = region::Reduce::of(op) {
            let results = self.accumulate(reduce)?;
            let outs: Vec<ValueId> = reduce.outs().collect();
            let mut wanted = String::new();
            for (&out, result) in outs.iter().zip(results) {
                let name = self.named(out, &result);
                if out == value {
                    wanted = name;
                }
            }
            return Ok(wanted);
        } else if let Some(op) = region::Index::of(op) {
            let expr = op.value().into_iter().next().unwrap_or_else(|| SizeExpr::from(0));
            let text = self.expr(&expr, &[]);
            converted(&factor(&text), Type::I64, elem, ctx)
        } else if let Some(op) = region::Read::of(op) {
            self.read(op, elem)?
        } else if let Some(op) = region::Unary::of(op) {
            let (of, from) = (self.value(op.input())?, self.elem(op.input()));
            unary(op.function(), &of, from, elem, ctx)
        } else if let Some(op) = region::Binary::of(op) {
            let (a, b) = (self.value(op.lhs())?, self.value(op.rhs())?);
            let (from_a, from_b) = (self.elem(op.lhs()), self.elem(op.rhs()));
            let exact = op.widen().is_some() && elem.float_kind(ctx).is_some();
            if exact {
                let text = format!("double({a}) * double({b})");
                let name = self.fresh(ctx.str(body.value_name(value)));
                self.line(&format!("const double {name} = {text};"));
                self.remember(value, &name);
                return Ok(name);
            }
            binary(op.function(), (&a, from_a), (&b, from_b), elem, ctx)
        } else if let Some(select) = region::Select::of(op) {
            let operands: Vec<ValueId> = select.operands().collect();
            let last = operands.len() - 1;
            let condition = match select.guard() {
                Some(guard) => self.guard(&guard, &[]),
                None => self.value(operands[0])?,
            };
            let (then, otherwise) = (self.value(operands[last - 1])?, self.value(operands[last])?);
            let (a, b) = (self.elem(operands[last - 1]), self.elem(operands[last]));
            format!("{condition} ? {} : {}", converted(&then, a, elem, ctx), converted(&otherwise, b, elem, ctx))
        } else if let Some(cast) = region::Cast::of(op) {
            if cast.bits().is_some() {
                return Err(Wrong(op, "bits that are taken as they are have no plain loops".into()));
            }
            let of = self.value(cast.input())?;
            converted(&of, self.elem(cast.input()), elem, ctx)
        } else if let Some(op) = region::BroadcastInDim::of(op) {
            return self.same(*op, op.input(), value);
        } else if let Some(op) = region::Transpose::of(op) {
            return self.same(*op, op.input(), value);
        } else {
            return Err(Wrong(op, format!("'{}' has no plain loops", op.name())));
        };
        Ok(self.named(value, &text))
    }

    /// A value at the same point, over more axes.
    fn same(&mut self, op: OpRef<'a>, input: ValueId, out: ValueId) -> Made<'a, String> {
        let wider = self.axes_of(out);
        if !self.axes_of(input).iter().all(|axis| wider.contains(axis)) {
            return Err(Wrong(op, "an axis that gets another name has no plain loops".into()));
        }
        self.value(input)
    }

    fn remember(&mut self, value: ValueId, name: &str) {
        if let Some(known) = self.known.last_mut() {
            known.insert(value, name.to_string());
        }
    }

    /// Gives an expression a name.
    fn named(&mut self, value: ValueId, text: &str) -> String {
        let ctx = self.root.ctx;
        let body = self.root.body;
        let read = body.defining_op(value).and_then(|id| region::Read::of(OpRef { id, ..self.root }));
        let name = match (ctx.str(body.value_name(value)), read) {
            ("", Some(read)) => ctx.str(body.value_name(read.source())).to_lowercase(),
            (name, _) => name.to_string(),
        };
        let name = self.fresh(&name);
        self.line(&format!("const {} {name} = {text};", variable(self.elem(value), ctx)));
        self.remember(value, &name);
        name
    }

    /// An expression of axes and elements.
    fn expr(&self, expr: &SizeExpr, elements: &[String]) -> String {
        sum(expr, &|name| match self.axes.get(name) {
            Some(axis) => axis.clone(),
            None => match dlc_core::sizes::value_number(name).and_then(|number| elements.get(number)) {
                Some(element) => element.clone(),
                None => name.to_string(),
            },
        })
    }

    fn guard(&self, guard: &Guard, elements: &[String]) -> String {
        let pieces: Vec<String> = guard
            .pieces
            .iter()
            .map(|piece| {
                let mut all = Vec::new();
                for condition in piece {
                    let at = factor(&self.expr(&condition.expr, elements));
                    all.extend(
                        condition.lower.iter().map(|lower| format!("{at} >= {}", factor(&self.expr(lower, elements)))),
                    );
                    all.extend(
                        condition.upper.iter().map(|upper| format!("{at} < {}", factor(&self.expr(upper, elements)))),
                    );
                }
                if all.is_empty() { "true".into() } else { format!("({})", all.join(" && ")) }
            })
            .collect();
        if pieces.is_empty() { "false".into() } else { format!("({})", pieces.join(" || ")) }
    }

    fn read(&mut self, op: region::Read<'a>, elem: Type) -> Made<'a, String> {
        let ctx = self.root.ctx;
        let source = op.source();
        let (sizes, stored) = memory(*op, op.type_of(source))?;
        let mut elements = Vec::new();
        for index in op.indices() {
            elements.push(self.value(index)?);
        }
        let exprs = op.at();
        let mut conditions: Vec<String> = op.guard().iter().map(|guard| self.guard(guard, &elements)).collect();
        let mut at = Vec::new();
        for (index, expr) in exprs.iter().enumerate() {
            let text = self.expr(expr, &elements);
            if element_of(expr).is_some() {
                let end = factor(&size(&sizes[index]));
                conditions.push(format!("{text} >= 0 && {text} < {end}"));
            }
            at.push(text);
        }
        let at: Vec<String> =
            at.into_iter().enumerate().map(|(index, text)| if index == 0 { text } else { factor(&text) }).collect();
        let name = self.buffers.get(&source).cloned().unwrap_or_default();
        let read = load(&format!("{name}[{}]", self.linear(&sizes, &at)), stored);
        if conditions.is_empty() {
            return Ok(read);
        }
        let fill = op.fill().map_or_else(|| zero(elem, ctx), |fill| literal(ctx, fill, elem));
        Ok(format!("{} ? {read} : {fill}", conditions.join(" && ")))
    }
}
