//! Writing entries as PTX text: registers get names, blocks labels, branches the moves that their blocks want.

mod registers;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use dlc_ir::diag::Diagnostic;
use dlc_ir::location::SourceMap;
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{BlockId, Body, Context, Loc, OpId, OpRef, Type, ValueId};
use rustc_hash::FxHashMap;

use crate::form::{Slot, Target};
use crate::inst::{Arg, Inst};
use crate::ops::{Bra, BraIf, Entry, Exit, Func};
use crate::verify::{NO_INSTRUCTION, NOT_ON_TARGET};

pub use registers::{Move, Registers};

/// A PTX module, and what is to be said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The text.
    pub text: String,
    /// The least PTX version that has all of its instructions, which is the one that it declares.
    pub version: (u32, u32),
    /// The machine.
    pub target: Target,
}

/// The machine of functions that do not say for which they are.
const DEFAULT_TARGET: Target = Target { sm: 80, exact: false };

/// The most bytes of parameters before PTX 8.1.
const FEW_PARAMETERS: usize = 4352;

/// Why there is no text.
type Refused = Box<Diagnostic>;

/// All entries of a module as PTX text, `sources` giving files and lines of instructions where that is wanted.
///
/// A module is for one machine: the one of its functions that has what all others need. An error names two of which
/// neither has what the other one needs.
pub fn module(ctx: &Context, body: &Body, sources: Option<&SourceMap>) -> Result<Module, Refused> {
    let mut target: Option<Target> = None;
    let mut version = (7, 0);
    let mut entries = String::new();
    let mut lines = sources.map(Lines::new);
    let functions = body.entry_block().into_iter().flat_map(|block| body.ops(block));
    for id in functions {
        let function = OpRef::new(ctx, body, id).resolve();
        let Some(func) = Func::of(function) else { continue };
        let own = func.target().and_then(Target::parse).unwrap_or(DEFAULT_TARGET);
        target = match target {
            Some(other) if other.has(own) => Some(other),
            Some(other) if !own.has(other) => {
                let message = format!("one module has code for {other}, and this function is for {own}");
                let error = Diagnostic::error(&NOT_ON_TARGET, function.loc(), message).at(function.name());
                return Err(Box::new(error.suggest("let both be for one machine, or write two modules")));
            }
            _ => Some(own),
        };
        let root = function.body;
        for id in root.entry_block().into_iter().flat_map(|block| root.ops(block)) {
            if let Some(entry) = Entry::of(OpRef { id, ..function }) {
                let text = Writer::entry(entry, &mut version, lines.as_mut())?;
                entries.push('\n');
                entries.push_str(&text);
            }
        }
    }
    let target = target.unwrap_or(DEFAULT_TARGET);
    let least = if target.sm >= 90 { if target.exact { (8, 0) } else { (7, 8) } } else { (7, 0) };
    let version = version.max(least);
    let mut text = format!(".version {}.{}\n.target {target}\n.address_size 64\n", version.0, version.1);
    if entries.contains("smem") {
        text.push_str("\n.extern .shared .align 1024 .b8 smem[];\n");
    }
    text.push_str(&entries);
    if let Some(lines) = lines {
        text.push_str(&lines.files());
    }
    Ok(Module { text, version, target })
}

/// The files that `.loc` lines name.
struct Lines<'a> {
    sources: &'a SourceMap,
    files: Vec<String>,
    last: Option<(usize, u32, u32)>,
    /// The location of the instruction before.
    before: Option<Loc>,
}

impl<'a> Lines<'a> {
    fn new(sources: &'a SourceMap) -> Lines<'a> {
        Lines { sources, files: Vec::new(), last: None, before: None }
    }

    /// The line for an instruction, if it is another one than that of the instruction before.
    fn line(&mut self, op: OpRef<'_>) -> Option<String> {
        // Many instructions of one op are at one place.
        if self.before.replace(op.loc()) == Some(op.loc()) {
            return None;
        }
        let offset = op.loc().source_offset()?;
        let (file, at) = self.sources.find(offset)?;
        let (line, column) = file.line_column(at);
        let number = match self.files.iter().position(|name| *name == file.name) {
            Some(number) => number,
            None => {
                self.files.push(file.name.clone());
                self.files.len() - 1
            }
        };
        let place = Some((number, line, column));
        if self.last == place {
            return None;
        }
        self.last = place;
        Some(format!("\t.loc {} {line} {column}\n", number + 1))
    }

    fn files(&self) -> String {
        let mut text = String::from("\n");
        for (number, name) in self.files.iter().enumerate() {
            let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, ".file {} \"{escaped}\"", number + 1);
        }
        text
    }
}

/// The kinds of registers: how they are declared, and the letters of their names.
const KINDS: [(Type, &str, &str); 6] = [
    (Type::I1, "pred", "p"),
    (Type::I16, "b16", "h"),
    (Type::I32, "b32", "r"),
    (Type::I64, "b64", "rd"),
    (Type::F32, "f32", "f"),
    (Type::F64, "f64", "fd"),
];

fn kind(ty: Type) -> usize {
    KINDS.iter().position(|&(kind, ..)| kind == ty).unwrap_or(2)
}

/// How a register of a kind is moved.
fn mov(kind: usize) -> &'static str {
    ["mov.pred", "mov.b16", "mov.b32", "mov.b64", "mov.f32", "mov.f64"][kind]
}

/// Writes the name of a register.
fn named(text: &mut String, kind: usize, number: u32) {
    text.push('%');
    text.push_str(KINDS[kind].2);
    decimal(text, number.into());
}

/// Writes a number. There are some in every line, and few of them are long.
fn decimal(text: &mut String, number: i64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    let mut left = number.unsigned_abs();
    loop {
        first -= 1;
        digits[first] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if number < 0 {
        text.push('-');
    }
    digits[first..].iter().for_each(|&digit| text.push(digit.into()));
}

/// The class of the spare registers, which no value has.
const SPARE: u32 = u32::MAX;

struct Writer<'a> {
    entry: Entry<'a>,
    registers: Registers,
    /// The number of each register of a kind, by class and kind.
    names: FxHashMap<(u32, usize), u32>,
    counts: [u32; 6],
    labels: FxHashMap<BlockId, usize>,
    out: String,
    /// What is reached by conditional branches only: moves, and a branch.
    edges: String,
    edge_count: usize,
}

impl<'a> Writer<'a> {
    fn entry(entry: Entry<'a>, version: &mut (u32, u32), mut lines: Option<&mut Lines<'_>>) -> Result<String, Refused> {
        let op = *entry;
        let (ctx, body) = (op.ctx, op.body);
        let Some(&region) = op.regions().first() else { return Ok(String::new()) };
        let blocks: Vec<BlockId> = body.blocks(region).collect();
        let labels = blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
        let registers = Registers::of(ctx, body, region);
        let mut writer = Writer {
            entry,
            registers,
            names: FxHashMap::default(),
            counts: [0; 6],
            labels,
            out: String::new(),
            edges: String::new(),
            edge_count: 0,
        };
        writer.parameters(&blocks);
        if entry.parameter_bytes() > FEW_PARAMETERS {
            *version = (*version).max((8, 1));
        }
        for (number, &block) in blocks.iter().enumerate() {
            if number > 0 {
                let _ = writeln!(writer.out, "L{number}:");
            }
            for id in body.ops(block) {
                let inner = OpRef { id, ..op };
                if let Some(line) = lines.as_mut().and_then(|lines| lines.line(inner)) {
                    writer.out.push_str(&line);
                }
                let next = blocks.get(number + 1).copied();
                writer.op(inner, next, version)?;
            }
        }
        Ok(writer.finish())
    }

    /// Reads the parameters into the arguments of the first block.
    fn parameters(&mut self, blocks: &[BlockId]) {
        let body = self.entry.body;
        let Some(&first) = blocks.first() else { return };
        let memory = self.entry.memory().len();
        let maps = self.entry.maps().len();
        for (number, &arg) in body.args(first).iter().enumerate() {
            if !body.has_uses(arg) {
                continue;
            }
            let register = self.name(arg);
            let _ = if number < memory {
                writeln!(
                    self.out,
                    "\tld.param.u64 {register}, [a{number}];\n\tcvta.to.global.u64 {register}, {register};"
                )
            } else if number < memory + maps {
                writeln!(self.out, "\tmov.b64 {register}, a{number};\n\tcvta.param.u64 {register}, {register};")
            } else {
                let bits = if body.value_type(arg) == Type::I64 { 64 } else { 32 };
                writeln!(self.out, "\tld.param.u{bits} {register}, [a{number}];")
            };
        }
    }

    fn finish(self) -> String {
        let entry = self.entry;
        let (memory, maps, sizes) = (entry.memory().len(), entry.maps().len(), entry.sizes().len());
        let mut params = Vec::new();
        let first = entry.regions().first().and_then(|&region| entry.body.first_block(region));
        let args = first.map_or(&[][..], |first| entry.body.args(first));
        for number in 0..memory + maps + sizes {
            params.push(if number < memory {
                format!("\t.param .u64 a{number}")
            } else if number < memory + maps {
                format!("\t.param .align 64 .b8 a{number}[128]")
            } else {
                let is_wide = args.get(number).is_some_and(|&arg| entry.type_of(arg) == Type::I64);
                format!("\t.param .u{} a{number}", if is_wide { 64 } else { 32 })
            });
        }
        let mut text = format!(".visible .entry {}(\n{}\n)\n", entry.name(), params.join(",\n"));
        if let Some(cluster) = entry.cluster().filter(|cluster| cluster.iter().any(|&size| size > 1)) {
            let size = |axis: usize| cluster.get(axis).copied().unwrap_or(1);
            let _ = writeln!(text, ".explicitcluster\n.reqnctapercluster {}, {}, {}", size(0), size(1), size(2));
        }
        let _ = writeln!(text, ".maxntid {}, 1, 1\n.minnctapersm {}\n{{", entry.threads(), entry.blocks().unwrap_or(1));
        for ((_, declared, letters), count) in KINDS.iter().zip(self.counts) {
            if count > 0 {
                let _ = writeln!(text, "\t.reg .{declared} %{letters}<{count}>;");
            }
        }
        text.push_str(&self.out);
        text.push_str(&self.edges);
        text.push_str("}\n");
        text
    }

    /// The number of a register among those of its kind, assigned when it is first named.
    fn number(&mut self, class: u32, kind: usize) -> u32 {
        let counts = &mut self.counts;
        *self.names.entry((class, kind)).or_insert_with(|| {
            counts[kind] += 1;
            counts[kind] - 1
        })
    }

    /// The name of the register of a value.
    fn name(&mut self, value: ValueId) -> String {
        let kind = kind(self.entry.body.value_type(value));
        let number = self.number(self.registers.class(value), kind);
        let mut name = String::new();
        named(&mut name, kind, number);
        name
    }

    /// Writes the name of the register of a value.
    fn register(&mut self, value: ValueId) {
        let kind = kind(self.entry.body.value_type(value));
        let number = self.number(self.registers.class(value), kind);
        named(&mut self.out, kind, number);
    }

    fn arg(&mut self, arg: Arg) {
        let _ = match arg {
            Arg::Value(value) => return self.register(value),
            Arg::Int(value) => return decimal(&mut self.out, value),
            Arg::F32(bits) => write!(self.out, "0f{bits:08X}"),
            Arg::F64(bits) => write!(self.out, "0d{bits:016X}"),
        };
    }

    fn group(&mut self, args: impl Iterator<Item = Arg>) {
        self.out.push('{');
        for (number, arg) in args.enumerate() {
            if number > 0 {
                self.out.push_str(", ");
            }
            self.arg(arg);
        }
        self.out.push('}');
    }

    fn moves(&mut self, pairs: &[(ValueId, ValueId)]) -> String {
        let mut text = String::new();
        if pairs.iter().all(|&(source, target)| self.registers.class(source) == self.registers.class(target)) {
            return text;
        }
        let body = self.entry.body;
        let own = |registers: &Registers, value: ValueId| (registers.class(value), kind(body.value_type(value)));
        for step in self.registers.moves(pairs) {
            let (by, (to, to_kind), (from, from_kind)) = match step {
                Move::Copy(source, target) => {
                    let to = own(&self.registers, target);
                    (to.1, to, own(&self.registers, source))
                }
                Move::Save(source) => {
                    let from = own(&self.registers, source);
                    (from.1, (SPARE, from.1), from)
                }
                Move::Restore(source, target) => {
                    let kind = kind(body.value_type(source));
                    (kind, own(&self.registers, target), (SPARE, kind))
                }
            };
            let (to, from) = (self.number(to, to_kind), self.number(from, from_kind));
            text.push('\t');
            text.push_str(mov(by));
            text.push(' ');
            named(&mut text, to_kind, to);
            text.push_str(", ");
            named(&mut text, from_kind, from);
            text.push_str(";\n");
        }
        text
    }

    fn op(&mut self, op: OpRef<'a>, next: Option<BlockId>, version: &mut (u32, u32)) -> Result<(), Refused> {
        if Exit::of(op).is_some() {
            self.out.push_str("\tret;\n");
            return Ok(());
        }
        if Bra::of(op).is_some() {
            let to = op.successors()[0];
            let moves = self.edge(op, 0);
            self.out.push_str(&moves);
            if next != Some(to) {
                let _ = writeln!(self.out, "\tbra L{};", self.labels[&to]);
            }
            return Ok(());
        }
        if let Some(branch) = BraIf::of(op) {
            let predicate = self.name(branch.cond());
            let (then, otherwise) = (op.successors()[0], op.successors()[1]);
            let (to_then, to_otherwise) = (self.edge(op, 0), self.edge(op, 1));
            // What follows in the text is reached without a branch, so the other one is branched to.
            if next == Some(then) && to_then.is_empty() && to_otherwise.is_empty() {
                let _ = writeln!(self.out, "\t@!{predicate} bra L{};", self.labels[&otherwise]);
                return Ok(());
            }
            let (jump, text, fall) = match next == Some(then) {
                true => ((format!("!{predicate}"), otherwise), to_otherwise, (then, to_then)),
                false => ((predicate, then), to_then, (otherwise, to_otherwise)),
            };
            let ((predicate, to), (fall, moves)) = (jump, fall);
            if text.is_empty() {
                let _ = writeln!(self.out, "\t@{predicate} bra L{};", self.labels[&to]);
            } else {
                let edge = self.edge_count;
                self.edge_count += 1;
                let _ = writeln!(self.out, "\t@{predicate} bra E{edge};");
                let _ = write!(self.edges, "E{edge}:\n{text}\tbra L{};\n", self.labels[&to]);
            }
            self.out.push_str(&moves);
            if next != Some(fall) {
                let _ = writeln!(self.out, "\tbra L{};", self.labels[&fall]);
            }
            return Ok(());
        }
        let inst = Inst::of(op)
            .map_err(|message| Box::new(Diagnostic::error(&NO_INSTRUCTION, op.loc(), message).at(op.name())))?;
        *version = (*version).max(inst.signature.since);
        self.instruction(&inst)
    }

    /// The moves of a successor.
    fn edge(&mut self, op: OpRef<'a>, index: usize) -> String {
        let to = op.successors()[index];
        let sources = op.successor_operands(index).map(|place| op.operand(place));
        let pairs: Vec<(ValueId, ValueId)> = sources.zip(op.body.args(to).iter().copied()).collect();
        self.moves(&pairs)
    }

    fn instruction(&mut self, inst: &Inst<'a>) -> Result<(), Refused> {
        let op = inst.op;
        // A register is there by its name.
        if inst.instruction.name == "undef" {
            return Ok(());
        }
        let results: SmallVec<[ValueId; 4]> = op.results().collect();
        // Results that are read as well get what they begin with before, unless that is in their registers already.
        let pairs: SmallVec<[(ValueId, ValueId); 4]> = match inst.otherwise.is_empty() {
            true => inst.tied().into_iter().map(|(result, value)| (value, result)).collect(),
            false => inst.otherwise.iter().copied().zip(results.iter().copied()).collect(),
        };
        let moves = self.moves(&pairs);
        if !moves.is_empty() {
            let begun: Vec<u32> = pairs.iter().map(|&(_, result)| self.registers.class(result)).collect();
            let others = inst.args.iter().filter_map(|arg| match arg {
                Arg::Value(value) if !pairs.iter().any(|(begin, _)| begin == value) => Some(*value),
                _ => None,
            });
            let guard = inst.guard.map(|(predicate, _)| predicate);
            if others.chain(guard).any(|value| begun.contains(&self.registers.class(value))) {
                let message = "an operand shares its register with a result that is read as well";
                return Err(Box::new(Diagnostic::error(&NO_INSTRUCTION, op.loc(), message).at(op.name())));
            }
            self.out.push_str(&moves);
        }
        self.out.push('\t');
        if let Some((predicate, holds)) = inst.guard {
            self.out.push_str(if holds { "@" } else { "@!" });
            self.register(predicate);
            self.out.push(' ');
        }
        let name = inst.instruction.name;
        self.out.push_str(inst.instruction.spelling);
        // What is read is a register of the machine, which the modifiers name.
        if name != "sreg" && !inst.modifiers.is_empty() {
            self.out.push('.');
            self.out.push_str(inst.modifiers);
        }
        let mut count = 0;
        let mut next = |out: &mut String| {
            out.push_str(if count == 0 { " " } else { ", " });
            count += 1;
            count == 1
        };
        if !inst.is_tied() {
            let mut at = 0;
            for &slot in &inst.signature.results {
                let of_slot = &results[at..at + slot.positions()];
                at += slot.positions();
                if next(&mut self.out) && name == "elect.sync" {
                    self.out.push_str("_|");
                }
                match slot {
                    Slot::Group(..) => self.group(of_slot.iter().copied().map(Arg::Value)),
                    _ => self.register(of_slot[0]),
                }
            }
        }
        for (slot, args) in inst.slots() {
            next(&mut self.out);
            match slot {
                Slot::Reg(_) | Slot::Immediate => self.arg(args[0]),
                Slot::Group(..) => self.group(args.iter().copied()),
                Slot::Tied(..) => self.group(results.iter().copied().map(Arg::Value)),
                Slot::Address(_) => {
                    self.out.push('[');
                    self.arg(args[0]);
                    if args[1] != Arg::Int(0) {
                        self.out.push('+');
                        self.arg(args[1]);
                    }
                    self.out.push(']');
                }
                Slot::Tensor(_) => {
                    self.out.push('[');
                    self.arg(args[0]);
                    self.out.push_str(", ");
                    self.group(args[1..].iter().copied());
                    self.out.push(']');
                }
                Slot::Sink => self.out.push('_'),
            }
        }
        match name {
            "sreg" => {
                next(&mut self.out);
                self.out.push('%');
                self.out.push_str(inst.modifiers);
            }
            "smem" => {
                next(&mut self.out);
                self.out.push_str("smem");
            }
            _ => {}
        }
        self.out.push_str(";\n");
        Ok(())
    }
}

/// The entries of a function, with the ops that they are.
pub fn entries<'a>(function: OpRef<'a>) -> impl Iterator<Item = Entry<'a>> {
    let root = function.resolve();
    let ops: Vec<OpId> = root.body.entry_block().into_iter().flat_map(|block| root.body.ops(block)).collect();
    ops.into_iter().filter_map(move |id| Entry::of(OpRef { id, ..root }))
}
