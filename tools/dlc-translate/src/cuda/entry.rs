//! An entry as a kernel of CUDA C++.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dlc_ir::op::Effects;
use dlc_ir::{BlockId, Loc, OpRef, Type, ValueId};
use dlc_ptx::emit::Move;
use dlc_ptx::form::Slot;
use dlc_ptx::inst::{Arg, Inst};
use dlc_ptx::ops::Entry;
use rustc_hash::FxHashMap;

use super::address::memory_type;
use super::expr::{ATOM, Ex, UNARY, convert, slot_kind};
use super::helpers::{self, Helpers};
use super::kinds::{Kind, types};
use super::scopes::Scopes;
use super::source::Lines;
use super::tree::{Count, Node};
use super::values::{Values, Variable};

/// Writes the statements of an entry.
pub struct Writer<'a> {
    pub values: Values<'a>,
    helpers: &'a mut Helpers,
    scopes: Scopes,
    lines: Lines<'a>,
    labels: FxHashMap<BlockId, usize>,
    out: Vec<String>,
    depth: usize,
    /// The number of the statement that is written, as the scopes count.
    at: usize,
    /// What has been declared so far.
    open: Vec<bool>,
    /// Variables that no value has: for what is put together, or set aside.
    kept: Vec<String>,
}

/// The names of what an entry takes.
fn entry_parameters(entry: Entry<'_>, values: &Values<'_>) -> Vec<String> {
    let body = entry.body;
    let region = entry.regions().first().copied();
    let args = region.and_then(|region| body.first_block(region)).map_or(&[][..], |block| body.args(block));
    args.iter().filter_map(|arg| Some(values.text(values.variables.get(arg)?))).collect()
}

/// The text of an entry.
pub fn entry<'a>(
    entry: Entry<'a>,
    values: Values<'a>,
    nodes: &[Node],
    helpers: &'a mut Helpers,
    lines: Lines<'a>,
) -> String {
    let scopes = Scopes::of(nodes, &values);
    let open = vec![false; values.declared.len()];
    let mut writer = Writer {
        values,
        helpers,
        scopes,
        lines,
        labels: FxHashMap::default(),
        out: Vec::new(),
        depth: 1,
        at: 0,
        open,
        kept: Vec::new(),
    };
    let head = writer.head(entry);
    writer.list(nodes, 0);
    let mut text = head;
    let parameters = entry_parameters(entry, &writer.values);
    let names = writer.values.declared.iter().map(|declared| declared.name.clone());
    let names = names.chain(writer.kept).filter(|name| !parameters.contains(name)).collect();
    for line in super::runs::rolled(writer.out, &names) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str("}\n");
    text
}

impl<'a> Writer<'a> {
    /// Notes that a function in C++ proper is wanted.
    pub fn uses(&mut self, name: &'static str) {
        self.helpers.preset(name);
    }

    /// What stands before the statements.
    fn head(&mut self, entry: Entry<'a>) -> String {
        let body = entry.body;
        let mut text = String::from("extern \"C\" __global__ void ");
        if let Some(cluster) = entry.cluster().filter(|cluster| cluster.iter().any(|&size| size > 1)) {
            let size = |axis: usize| cluster.get(axis).copied().unwrap_or(1);
            let _ = write!(text, "__cluster_dims__({}, {}, {}) ", size(0), size(1), size(2));
        }
        let _ = writeln!(text, "__launch_bounds__({}, {})", entry.threads(), entry.blocks().unwrap_or(1));
        let (memory, maps) = (entry.memory().count(), entry.maps().count());
        let region = entry.regions().first().copied();
        let args = region.and_then(|region| body.first_block(region)).map_or(&[][..], |block| body.args(block));
        let mut params = Vec::new();
        for (index, &arg) in args.iter().enumerate() {
            let name = match self.values.variables.get(&arg) {
                Some(variable) => {
                    self.open[variable.number] = true;
                    self.values.text(variable)
                }
                None => format!("unused{index}"),
            };
            params.push(if index < memory {
                let kind = self.values.kinds.get(&arg).copied().unwrap_or(Kind::Long);
                format!("{} __restrict__ {name}", kind.text())
            } else if index < memory + maps {
                format!("const __grid_constant__ CUtensorMap {name}")
            } else {
                format!("int {name}")
            });
        }
        let mut line = format!("{}(", entry.name());
        for (index, param) in params.iter().enumerate() {
            let separator = if index + 1 < params.len() { ", " } else { "" };
            if line.rsplit('\n').next().unwrap_or("").len() + param.len() > 110 {
                line.push_str("\n    ");
            }
            let _ = write!(line, "{param}{separator}");
        }
        let _ = writeln!(text, "{}) {{", line.replace(", \n", ",\n"));
        if entry.shared() > 0 {
            text.push_str("  extern __shared__ __align__(1024) unsigned char shared_memory[];\n");
        }
        text
    }

    fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        self.out.push(if text.is_empty() { String::new() } else { format!("{}{text}", "  ".repeat(self.depth)) });
    }

    /// Statements of a scope.
    fn list(&mut self, nodes: &[Node], scope: usize) {
        for node in nodes {
            self.declarations(scope);
            self.node(node);
        }
    }

    /// Declares what statements write of which not all that use it are inside of one.
    fn declarations(&mut self, scope: usize) {
        for number in self.scopes.declared_before(scope, self.at) {
            if !self.open[number] {
                self.open[number] = true;
                let declared = &self.values.declared[number];
                let text = match declared.count {
                    Some(count) => {
                        let zero = if declared.zero { " = {}" } else { "" };
                        format!("{} {}[{count}]{zero};", declared.kind.text(), declared.name)
                    }
                    None => spaced(&declared.kind.text(), &declared.name) + ";",
                };
                self.line(text);
            }
        }
    }

    /// The text of a variable that is written, with its type where that is where it begins.
    fn target(&mut self, variable: &Variable, finally: bool) -> String {
        let declared = &self.values.declared[variable.number];
        if self.open[variable.number] || variable.element.is_some() {
            return self.values.text(variable);
        }
        self.open[variable.number] = true;
        let constant =
            if declared.once && finally && !matches!(declared.kind, Kind::Pointer(..)) { "const " } else { "" };
        format!("{constant}{}", spaced(&declared.kind.text(), &declared.name))
    }

    fn node(&mut self, node: &Node) {
        self.at += 1;
        match node {
            Node::Op(id) => {
                if let Some(inst) = self.values.insts.get(id).cloned().filter(|inst| self.is_wanted(inst)) {
                    self.comment(inst.op);
                    self.instruction(&inst);
                }
            }
            Node::Moves(pairs) => self.moves(pairs),
            Node::If(cond, then, otherwise) => self.choice(*cond, then, otherwise, ""),
            Node::Loop(inner) => {
                self.line("while (true) {");
                self.inner(inner);
                self.line("}");
            }
            Node::DoWhile(inner, cond, holds) => {
                if inner.is_empty() {
                    self.at += 1;
                    let cond = self.condition(*cond, *holds);
                    self.line(format!("while ({cond}) {{}}"));
                } else {
                    self.line("do {");
                    self.inner(inner);
                    let cond = self.condition(*cond, *holds);
                    self.line(format!("}} while ({cond});"));
                }
            }
            Node::For(count, inner) => self.counting(count, inner),
            Node::Break => self.line("break;"),
            Node::Continue => self.line("continue;"),
            Node::Goto(block) => {
                let label = self.label(*block);
                self.line(format!("goto {label};"));
            }
            Node::Label(block) => {
                let label = self.label(*block);
                self.out.push(format!("{label}:;"));
            }
            Node::Return => self.line("return;"),
        }
    }

    /// Whether an instruction does something, or gives what is read.
    fn is_wanted(&self, inst: &Inst<'a>) -> bool {
        let read = |value| match self.values.variables.get(&value) {
            Some(variable) => variable.element.is_some() || self.scopes.is_read(variable.number),
            None => false,
        };
        inst.instruction.effects != Effects::NONE || inst.op.results().any(read)
    }

    fn label(&mut self, block: BlockId) -> String {
        let count = self.labels.len();
        format!("after_{}", self.labels.entry(block).or_insert(count))
    }

    /// Statements in a scope of their own.
    fn inner(&mut self, nodes: &[Node]) {
        // The scope itself counts, too.
        let scope = self.scopes.at(self.at);
        self.at += 1;
        self.depth += 1;
        self.list(nodes, scope);
        self.depth -= 1;
    }

    fn choice(&mut self, cond: ValueId, then: &[Node], otherwise: &[Node], before: &str) {
        let (first, second, holds) = if then.is_empty() { (otherwise, then, false) } else { (then, otherwise, true) };
        let text = self.condition(cond, holds);
        self.line(format!("{before}if ({text}) {{"));
        // The scopes are in the order of the statements, so the first of them is that of `then`.
        if holds {
            self.inner(first);
        } else {
            self.at += 1;
            self.inner(first);
        }
        if second.is_empty() {
            if holds {
                self.at += 1;
            }
            self.line("}");
        } else {
            self.line("} else {");
            self.inner(second);
            self.line("}");
        }
    }

    fn counting(&mut self, count: &Count, inner: &[Node]) {
        let header = self.scopes.at(self.at);
        self.at += 1;
        let Some(variable) = self.values.variables.get(&count.counter).cloned() else { return };
        let (Some(step), Some(again)) = (self.values.inst(count.next).cloned(), self.values.inst(count.again).cloned())
        else {
            return;
        };
        if let Some(loc) = self.values.loop_of(count.again) {
            self.comment_of(loc);
        }
        let kind = self.values.declared[variable.number].kind;
        let from = self.arg(Arg::Value(count.from), kind);
        if self.scopes.scope_of(variable.number) != Some(header) && !self.open[variable.number] {
            // It is wanted after the loop, where it has been declared before: see `declarations`.
            self.open[variable.number] = true;
            let declared = &self.values.declared[variable.number];
            let text = spaced(&declared.kind.text(), &declared.name) + ";";
            self.line(text);
        }
        let target = self.target(&variable, false);
        let name = self.values.text(&variable);
        let last = self.arg(again.args[1], Kind::Int);
        let step = self.arg(step.args[1], Kind::Int);
        let step = if step.text == "1" { format!("++{name}") } else { format!("{name} += {}", step.text) };
        let begin = match self.values.class(count.from) == self.values.class(count.counter) {
            true => String::new(),
            false => format!("{target} = {}", from.text),
        };
        self.line(format!("for ({begin}; {name} < {}; {step}) {{", last.at(11)));
        self.inner(inner);
        self.line("}");
    }

    /// A condition, or what holds where it does not.
    fn condition(&mut self, value: ValueId, holds: bool) -> String {
        let folded = self.values.folded.contains(&value);
        let inst = self.values.inst(value).cloned();
        if let Some(inst) = inst.as_ref().filter(|_| folded) {
            if !matches!(inst.op.def().name, "ptx.setp") || holds {
                self.comment(inst.op);
            }
            if let Some(opposite) = (!holds).then(|| self.opposite(inst)).flatten() {
                return opposite.text;
            }
        }
        let ex = self.value(value);
        if holds { ex.text } else { format!("!{}", ex.at(UNARY)) }
    }

    /// The line of the kernel that an instruction is from, if it is another one than before.
    fn comment(&mut self, op: OpRef<'_>) {
        self.comment_of(op.loc());
    }

    fn comment_of(&mut self, loc: Loc) {
        if let Some(text) = self.lines.of(loc) {
            self.line(format!("// {text}"));
        }
    }

    /// Values that go to variables all at once.
    fn moves(&mut self, pairs: &[(ValueId, ValueId)]) {
        // What is written as a number or an expression disturbs nobody, so it comes last.
        let (numbers, others): (Vec<_>, Vec<_>) =
            pairs.iter().copied().partition(|&(source, _)| self.values.is_literal(source));
        let steps = self.values.registers.moves(&others);
        let mut spare: BTreeMap<u32, String> = BTreeMap::new();
        for step in steps {
            match step {
                Move::Copy(source, target) => self.assign(target, Arg::Value(source)),
                Move::Save(source) => {
                    let ex = self.value(source);
                    let name = self.spare("kept");
                    let kind = ex.kind.text();
                    self.line(format!("const {} = {};", spaced(&kind, &name), ex.text));
                    spare.insert(self.values.class(source), name);
                }
                Move::Restore(source, target) => {
                    let Some(variable) = self.values.variables.get(&target).cloned() else { continue };
                    let name = spare.get(&self.values.class(source)).cloned().unwrap_or_default();
                    let target = self.target(&variable, false);
                    self.line(format!("{target} = {name};"));
                }
            }
        }
        for (source, target) in numbers {
            self.assign(target, Arg::Value(source));
        }
    }

    /// A variable that no value has.
    fn spare(&mut self, stem: &str) -> String {
        let mut name = format!("{stem}_{}", self.kept.len());
        while self.values.declared.iter().any(|declared| declared.name == name) {
            name.push('_');
        }
        self.kept.push(name.clone());
        name
    }

    fn assign(&mut self, target: ValueId, source: Arg) {
        let Some(variable) = self.values.variables.get(&target).cloned() else { return };
        let kind = self.values.declared[variable.number].kind;
        let ex = match source {
            Arg::Value(value) if self.values.is_undef(value) => return,
            Arg::Value(value) if self.values.literal(value).is_some() => {
                let literal = self.values.literal(value).unwrap_or(Arg::Int(0));
                self.arg(literal, kind)
            }
            other => self.arg(other, kind),
        };
        let target = self.target(&variable, false);
        self.line(format!("{target} = {};", ex.text));
    }

    fn guard(&mut self, inst: &Inst<'a>) -> Option<Ex> {
        let (predicate, holds) = inst.guard?;
        let ex = self.value(predicate);
        Some(match holds {
            true => ex,
            false => Ex::new(format!("!{}", ex.at(UNARY)), UNARY, Kind::Bool),
        })
    }

    fn instruction(&mut self, inst: &Inst<'a>) {
        let results: Vec<ValueId> = inst.op.results().collect();
        match results.as_slice() {
            [] => {
                let text = self.statement(inst);
                match self.guard(inst) {
                    Some(guard) => self.line(format!("if ({}) {text}", guard.text)),
                    None => self.line(text),
                }
            }
            &[result] if !helpers::adds_in_place(inst) => self.single(inst, result),
            _ => self.several(inst, &results),
        }
    }

    fn single(&mut self, inst: &Inst<'a>, result: ValueId) {
        let Some(variable) = self.values.variables.get(&result).cloned() else {
            // It is done for what it does.
            let ex = self.expr_or_call(inst);
            self.line(format!("{};", ex.text));
            return;
        };
        let kind = self.values.declared[variable.number].kind;
        let ex = self.expr_or_call(inst);
        let ex = convert(ex, kind);
        let Some(guard) = self.guard(inst) else {
            let target = self.target(&variable, true);
            let text = simplified(&target, &ex.text);
            self.line(text);
            return;
        };
        let otherwise = inst.otherwise[0];
        let stays = !self.values.is_literal(otherwise) && self.values.class(otherwise) == self.values.class(result);
        if stays || self.values.is_undef(otherwise) {
            if !self.open[variable.number] && variable.element.is_none() {
                self.open[variable.number] = true;
                let declared = &self.values.declared[variable.number];
                let text = spaced(&declared.kind.text(), &declared.name) + ";";
                self.line(text);
            }
            let target = self.target(&variable, false);
            self.line(format!("if ({}) {target} = {};", guard.text, ex.text));
        } else {
            let literal = self.values.literal(otherwise);
            let other = self.arg(literal.unwrap_or(Arg::Value(otherwise)), kind);
            let target = self.target(&variable, true);
            self.line(format!("{target} = {} ? {} : {};", guard.at(4), ex.at(4), other.at(3)));
        }
    }

    /// Where results go that are several: the array and its first element.
    fn array(&self, results: &[ValueId]) -> Option<String> {
        let first = self.values.variables.get(&results[0])?;
        let begin = first.element?;
        for (index, result) in results.iter().enumerate() {
            let variable = self.values.variables.get(result)?;
            if variable.number != first.number || variable.element != Some(begin + index) {
                return None;
            }
        }
        let declared = &self.values.declared[first.number];
        let whole = declared.count == Some(results.len());
        Some(if whole { declared.name.clone() } else { format!("&{}[{begin}]", declared.name) })
    }

    fn several(&mut self, inst: &Inst<'a>, results: &[ValueId]) {
        let begins = helpers::begins_with(inst);
        let guard = self.guard(inst);
        let array = self.array(results);
        let slot = inst.signature.results.first().copied().unwrap_or(Slot::Sink);
        let ty = inst.op.type_of(results[0]);
        let wanted = slot_kind(slot, Some(ty));
        let fits = array.is_some() && self.values.kinds.get(&results[0]) == Some(&wanted);
        let to = array.clone();
        if let Some(array) = array.filter(|_| fits) {
            for (&result, &begin) in results.iter().zip(&begins) {
                self.begin(result, begin);
            }
            for (&result, &other) in results.iter().zip(&inst.otherwise) {
                self.begin(result, Arg::Value(other));
            }
            let text = self.call_text(inst, Some(&array));
            match guard {
                Some(guard) => self.line(format!("if ({}) {text};", guard.text)),
                None => self.line(format!("{text};")),
            }
            return;
        }
        if let (Some(array), ("unpack", "b32"), None) = (&to, (inst.instruction.name, inst.modifiers), &guard)
            && let Some(helper) = unpacked(self.values.kinds.get(&results[0]).copied())
        {
            self.uses(helper);
            let of = self.arg(inst.args[0], Kind::Unsigned);
            self.line(format!("{helper}({array}, {});", of.text));
            return;
        }
        // They are put together for the call, and taken apart after it.
        let name = self.spare("d");
        let begins: Vec<Arg> = if inst.otherwise.is_empty() {
            begins
        } else {
            inst.otherwise.iter().map(|&value| Arg::Value(value)).collect()
        };
        let filled: Vec<String> = begins
            .iter()
            .map(|&arg| match arg {
                Arg::Value(value) if self.values.is_undef(value) => "0".into(),
                arg => self.arg(arg, wanted).text,
            })
            .collect();
        let init = if filled.is_empty() { String::new() } else { format!(" = {{{}}}", filled.join(", ")) };
        self.line(format!("{} {name}[{}]{init};", wanted.text(), results.len()));
        let text = self.call_text(inst, Some(&name));
        match guard {
            Some(guard) => self.line(format!("if ({}) {text};", guard.text)),
            None => self.line(format!("{text};")),
        }
        for (index, result) in results.iter().enumerate() {
            let Some(variable) = self.values.variables.get(result).cloned() else { continue };
            let kind = self.values.declared[variable.number].kind;
            let ex = convert(Ex::new(format!("{name}[{index}]"), ATOM, wanted), kind);
            let target = self.target(&variable, true);
            self.line(format!("{target} = {};", ex.text));
        }
    }

    /// Lets the register of a result begin with a value, unless that is in it.
    fn begin(&mut self, result: ValueId, begin: Arg) {
        if self.values.variables.get(&result).is_some_and(|variable| self.values.declared[variable.number].zero) {
            return;
        }
        let is_there = match begin {
            Arg::Value(value) => {
                self.values.is_undef(value)
                    || (!self.values.is_literal(value) && self.values.class(value) == self.values.class(result))
            }
            // A number there says that it does not matter.
            _ => true,
        };
        if !is_there {
            self.assign(result, begin);
        }
    }

    /// An instruction without results.
    fn statement(&mut self, inst: &Inst<'a>) -> String {
        let args = &inst.args;
        match (inst.instruction.name, inst.modifiers) {
            ("bar", "sync") if args.as_slice() == [Arg::Int(0)] => return "__syncthreads();".into(),
            ("bar.warp", "sync") if args.as_slice() == [Arg::Int(-1)] => return "__syncwarp();".into(),
            ("trap", _) => return "__trap();".into(),
            ("st", modifiers) => {
                let words: Vec<&str> = modifiers.split('.').collect();
                if let (&["global" | "shared", word], &[base, offset, value]) = (words.as_slice(), args.as_slice()) {
                    let kind = match value {
                        Arg::Value(value) => self.values.kinds.get(&value).copied().unwrap_or(Kind::Unsigned),
                        Arg::F32(_) => Kind::Float,
                        Arg::F64(_) => Kind::Double,
                        Arg::Int(_) => match word {
                            "b16" | "u16" | "s16" | "b8" | "u8" | "s8" => Kind::Short,
                            "b64" | "u64" | "s64" => Kind::Long,
                            _ => Kind::Unsigned,
                        },
                    };
                    let ty = memory_type(word, kind);
                    let value = self.arg(value, kind);
                    let at = match words[0] {
                        "shared" => self.shared(&ty, base, offset, kind).text,
                        _ => self.element_at(&ty, base, offset, false),
                    };
                    return format!("{at} = {};", value.text);
                }
            }
            ("red", "global.add.f32" | "global.add.s32" | "global.add.u32" | "global.add.f64") => {
                let word = types(inst.modifiers).first().copied().unwrap_or("");
                let kind = match word {
                    "f32" => Kind::Float,
                    "f64" => Kind::Double,
                    "s32" => Kind::Int,
                    _ => Kind::Unsigned,
                };
                let ty = memory_type(word, kind);
                let value = self.arg(args[2], kind);
                let at = self.element_at(&ty, args[0], args[1], false);
                return format!("atomicAdd(&{at}, {});", value.text);
            }
            _ => {}
        }
        self.call_text(inst, None) + ";"
    }

    /// The instruction as a call, with one result.
    pub fn call_of(&mut self, inst: &Inst<'_>) -> Ex {
        let text = self.call_text(inst, None);
        let slot = inst.signature.results.first().copied().unwrap_or(Slot::Sink);
        let ty = inst.op.result_types().next();
        Ex::new(text, ATOM, slot_kind(slot, ty))
    }

    fn call_text(&mut self, inst: &Inst<'_>, out: Option<&str>) -> String {
        let name = self.helpers.of(inst);
        let fixed = helpers::fixed(inst);
        let mut templates: Vec<String> = Vec::new();
        let mut args: Vec<String> = out.map(String::from).into_iter().collect();
        let mut at = 0;
        let slots: Vec<(Slot, Vec<Arg>)> = inst.slots().map(|(slot, args)| (slot, args.to_vec())).collect();
        let last = slots.len().saturating_sub(1);
        for (number, (slot, operands)) in slots.into_iter().enumerate() {
            let ty = operands.first().and_then(|arg| match arg {
                Arg::Value(value) => Some(inst.op.type_of(*value)),
                Arg::F32(_) => Some(Type::F32),
                Arg::F64(_) => Some(Type::F64),
                Arg::Int(_) => None,
            });
            match slot {
                Slot::Tied(..) | Slot::Sink => {}
                Slot::Group(..) if inst.instruction.name == "mma" && number == last => {}
                Slot::Immediate | Slot::Reg(_) if fixed[at] => {
                    if let Arg::Int(value) = operands[0] {
                        templates.push(value.to_string());
                    }
                }
                Slot::Reg(_) | Slot::Immediate | Slot::Group(..) => {
                    let kind = slot_kind(slot, ty);
                    for &operand in &operands {
                        let ex = self.arg(operand, kind);
                        args.push(ex.text);
                    }
                }
                Slot::Address(class) => {
                    let ex = match class {
                        dlc_ptx::form::Class::B64 => {
                            let ex = self.pointer(operands[0], operands[1]);
                            if ex.kind == Kind::Map { Ex::new(format!("&{}", ex.text), UNARY, ex.kind) } else { ex }
                        }
                        _ => self.shared_address(operands[0], operands[1]),
                    };
                    args.push(ex.text);
                }
                Slot::Tensor(_) => {
                    let map = self.arg(operands[0], Kind::Map);
                    args.push(if map.kind == Kind::Map {
                        format!("&{}", map.text)
                    } else {
                        format!("(const CUtensorMap*){}", map.at(UNARY))
                    });
                    for &operand in &operands[1..] {
                        let ex = self.arg(operand, Kind::Int);
                        args.push(ex.text);
                    }
                }
            }
            at += slot.positions();
        }
        let templates = if templates.is_empty() { String::new() } else { format!("<{}>", templates.join(", ")) };
        format!("{name}{templates}({})", args.join(", "))
    }
}

/// The function that takes two halves out of a register, for those of a kind.
fn unpacked(kind: Option<Kind>) -> Option<&'static str> {
    match kind {
        Some(Kind::Half) => Some("unpack_halves"),
        Some(Kind::Bfloat) => Some("unpack_bfloats"),
        _ => None,
    }
}

/// A type and a name.
fn spaced(ty: &str, name: &str) -> String {
    format!("{ty} {name}")
}

/// `a = a + b` as people write it.
fn simplified(target: &str, text: &str) -> String {
    for sign in ["+", "-", "*"] {
        if let Some(rest) = text.strip_prefix(&format!("{target} {sign} "))
            && !rest.contains([' ', '?'])
        {
            return format!("{target} {sign}= {rest};");
        }
    }
    format!("{target} = {text};")
}
