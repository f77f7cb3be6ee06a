//! Functions that hold an instruction that C++ has no words for. They are made from the table of instructions: what an
//! instruction takes and gives is what its function takes and gives.

use std::fmt::Write as _;

use dlc_ir::Type;
use dlc_ir::op::Effects;
use dlc_ptx::form::{Class, Slot};
use dlc_ptx::inst::{Arg, Inst};

use super::expr::slot_kind;
use super::kinds::Kind;

/// The functions that a file needs, in the order in which they were first wanted.
#[derive(Default)]
pub struct Helpers {
    /// What each is for, its name, and its text.
    known: Vec<(String, String, String)>,
    /// The small functions in C++ proper.
    presets: Vec<&'static str>,
}

/// Functions in C++ proper that several expressions need.
const PRESETS: &[(&str, &str)] = &[
    (
        "shared_address",
        "// Where something lies in the shared memory of the block.\n\
         __device__ __forceinline__ uint32_t shared_address(const void* at) {\n  \
           return uint32_t(__cvta_generic_to_shared(at));\n}\n",
    ),
    (
        "shared",
        "// What lies at an address in shared memory.\n\
         template <class T>\n__device__ __forceinline__ T& shared(uint32_t at) {\n  \
           return *static_cast<T*>(__cvta_shared_to_generic(at));\n}\n",
    ),
    (
        "to_halves",
        "// Two numbers as 16-bit floats in one register, the first one low.\n\
         __device__ __forceinline__ uint32_t to_halves(float low, float high) {\n  \
           const __half2 both = __floats2half2_rn(low, high);\n  \
           return uint32_t(__half_as_ushort(__low2half(both))) | uint32_t(__half_as_ushort(__high2half(both))) << 16;\n}\n",
    ),
    (
        "pack_halves",
        "// Two halves in one register, the first one low.\n\
         __device__ __forceinline__ uint32_t pack_halves(__half low, __half high) {\n  \
           return uint32_t(__half_as_ushort(low)) | uint32_t(__half_as_ushort(high)) << 16;\n}\n",
    ),
    (
        "unpack_halves",
        "// Two halves out of one register, the first one low.\n\
         __device__ __forceinline__ void unpack_halves(__half* d, uint32_t a) {\n  \
           d[0] = __ushort_as_half(uint16_t(a));\n  \
           d[1] = __ushort_as_half(uint16_t(a >> 16));\n}\n",
    ),
    (
        "unpack_bfloats",
        "// Two halves with the exponents of floats out of one register, the first one low.\n\
         __device__ __forceinline__ void unpack_bfloats(__nv_bfloat16* d, uint32_t a) {\n  \
           d[0] = __ushort_as_bfloat16(uint16_t(a));\n  \
           d[1] = __ushort_as_bfloat16(uint16_t(a >> 16));\n}\n",
    ),
    (
        "pack_shorts",
        "// Twice 16 bits in one register, the first ones low.\n\
         __device__ __forceinline__ uint32_t pack_shorts(uint16_t low, uint16_t high) {\n  \
           return uint32_t(low) | uint32_t(high) << 16;\n}\n",
    ),
    (
        "pack_words",
        "// Twice 32 bits in one register, the first ones low.\n\
         __device__ __forceinline__ uint64_t pack_words(uint32_t low, uint32_t high) {\n  \
           return uint64_t(low) | uint64_t(high) << 32;\n}\n",
    ),
];

impl Helpers {
    /// Notes that a function in C++ proper is wanted.
    pub fn preset(&mut self, name: &'static str) {
        if !self.presets.contains(&name) {
            self.presets.push(name);
        }
    }

    /// The text of all functions.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, preset) in PRESETS {
            if self.presets.contains(name) {
                text.push_str(preset);
                text.push('\n');
            }
        }
        for (_, _, function) in &self.known {
            text.push_str(function);
            text.push('\n');
        }
        text
    }

    /// The name of the function of an instruction, which is made if there is none.
    pub fn of(&mut self, inst: &Inst<'_>) -> String {
        let result_types: Vec<Type> = inst.op.result_types().collect();
        let arg_types: Vec<Option<Type>> = types_of(inst);
        let key = format!("{}/{}/{result_types:?}/{arg_types:?}/{:?}", inst.mnemonic(), inst.args.len(), fixed(inst));
        if let Some((_, name, _)) = self.known.iter().find(|(known, ..)| *known == key) {
            return name.clone();
        }
        let short = short_name(inst);
        let mut name = short.clone();
        let mut count = 1;
        while self.known.iter().any(|(_, known, _)| *known == name) {
            count += 1;
            name = format!("{short}_{count}");
        }
        let text = vector(&name, inst, &result_types, &arg_types)
            .unwrap_or_else(|| function(&name, inst, &result_types, &arg_types));
        self.known.push((key, name.clone(), text));
        name
    }
}

/// The types of the values in the places of an instruction.
fn types_of(inst: &Inst<'_>) -> Vec<Option<Type>> {
    let of = |arg: &Arg| match arg {
        Arg::Value(value) => Some(inst.op.type_of(*value)).filter(|&ty| ty == Type::F32 || ty == Type::F64),
        Arg::F32(_) => Some(Type::F32),
        Arg::F64(_) => Some(Type::F64),
        Arg::Int(_) => None,
    };
    inst.args.iter().map(of).collect()
}

/// Which places have numbers that the function has when it is compiled, not when it is called.
pub fn fixed(inst: &Inst<'_>) -> Vec<bool> {
    let mut fixed = Vec::new();
    for (slot, args) in inst.slots() {
        // With a number that is known, a barrier is one of sixteen; without one it takes all of them.
        let known = inst.instruction.name == "bar" && matches!(args.first(), Some(Arg::Int(_)));
        fixed.extend(args.iter().map(|_| slot == Slot::Immediate || known));
    }
    fixed
}

/// Whether the last operands are what is added to, in the registers of the results.
pub fn adds_in_place(inst: &Inst<'_>) -> bool {
    inst.is_tied() || inst.instruction.name == "mma"
}

/// What an instruction adds to: the values that its results begin with.
pub fn begins_with(inst: &Inst<'_>) -> Vec<Arg> {
    if inst.instruction.name == "mma" {
        let count = inst.op.results().count();
        return inst.args[inst.args.len() - count..].to_vec();
    }
    let tied = inst.slots().find(|(slot, _)| matches!(slot, Slot::Tied(..)));
    tied.map(|(_, args)| args.to_vec()).unwrap_or_default()
}

/// A name without what goes without saying.
fn short_name(inst: &Inst<'_>) -> String {
    let dims = inst.modifiers.split('.').find(|word| word.len() == 2 && word.ends_with('d')).unwrap_or("");
    let with = |word: &str, name: &str| {
        if inst.modifiers.split('.').any(|each| each == word) { name.to_string() } else { String::new() }
    };
    match inst.instruction.name {
        "cp.async.bulk.tensor" => {
            let direction = if inst.modifiers.contains("bulk_group") { "store" } else { "load" };
            let im2col = with("im2col", "_im2col");
            let (multicast, hint) = (with("multicast::cluster", "_multicast"), with("L2::cache_hint", "_hint"));
            return format!("tma_{direction}{im2col}_{dims}{multicast}{hint}");
        }
        "cp.reduce.async.bulk.tensor" => {
            let what =
                ["add", "min", "max"].into_iter().find(|word| inst.modifiers.split('.').any(|each| each == *word));
            return format!("tma_{}_{dims}", what.unwrap_or("add"));
        }
        "cp.async.bulk.commit_group" => return "tma_commit".into(),
        "cp.async.bulk.wait_group" => return format!("tma_wait{}", with("read", "_read")),
        "cp.async.commit_group" => return "cp_async_commit".into(),
        "cp.async.wait_group" => return "cp_async_wait".into(),
        "wgmma.mma_async" => {
            let words: Vec<&str> =
                inst.modifiers.split('.').filter(|word| !matches!(*word, "sync" | "aligned")).collect();
            let registers =
                if inst.slots().any(|(slot, _)| matches!(slot, Slot::Group(..))) { "_registers" } else { "" };
            return format!("wgmma_{}{registers}", words.join("_"));
        }
        "wgmma.commit_group" => return "wgmma_commit".into(),
        "wgmma.wait_group" => return "wgmma_wait".into(),
        "bar" => return if inst.modifiers == "arrive" { "barrier_arrive".into() } else { "barrier_wait".into() },
        "elect.sync" => return "elect_one".into(),
        _ => {}
    }
    let dull = |word: &str| {
        matches!(
            word,
            "sync" | "aligned" | "m8n8" | "row" | "col" | "shared::cta" | "cta" | "tile" | "approx" | "bulk_group"
        ) || (word == "b64" && inst.instruction.name.starts_with("mbarrier"))
            || (word == "parity" || word == "mbarrier::complete_tx::bytes")
            || (matches!(word, "shared" | "b16") && inst.instruction.name.ends_with("matrix"))
            || (matches!(word, "shared" | "global") && inst.instruction.name == "cp.async")
    };
    let words = inst
        .instruction
        .name
        .split('.')
        .chain(inst.modifiers.split('.'))
        .filter(|word| !word.is_empty() && !dull(word));
    words.collect::<Vec<_>>().join("_").replace("::", "_")
}

/// Operands of an assembler statement.
struct Asm {
    outs: Vec<String>,
    ins: Vec<String>,
    before: String,
    after: String,
    predicates: usize,
}

fn constraint(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool | Kind::Int | Kind::Unsigned => "r",
        Kind::Short | Kind::Half | Kind::Bfloat => "h",
        Kind::Float => "f",
        Kind::Double => "d",
        Kind::Long | Kind::Pointer(..) | Kind::Map => "l",
    }
}

impl Asm {
    /// An operand that is read.
    fn read(&mut self, kind: Kind, text: &str, outs: usize) -> String {
        let place = outs + self.ins.len();
        let read = if kind == Kind::Bool { format!("int({text})") } else { text.to_string() };
        self.ins.push(format!("\"{}\"({read})", constraint(kind)));
        if kind != Kind::Bool {
            return format!("%{place}");
        }
        let name = format!("p{}", self.predicates);
        self.predicates += 1;
        let _ = write!(self.before, "setp.ne.b32 {name}, %{place}, 0; ");
        name
    }

    /// The text of the instruction with its operands, and what surrounds it where some are predicates.
    fn code(&self, inst: &Inst<'_>, mut parts: Vec<String>) -> String {
        let mnemonic = match inst.instruction.name {
            "sreg" => {
                parts.push(format!("%%{}", inst.modifiers));
                inst.instruction.spelling.to_string()
            }
            _ => inst.mnemonic(),
        };
        let code = format!("{mnemonic} {};", parts.join(", ")).replace(" ;", ";");
        match self.predicates {
            0 => code,
            _ => {
                let names: Vec<String> = (0..self.predicates).map(|at| format!("p{at}")).collect();
                format!("{{ .reg .pred {}; {}{code} {}}}", names.join(", "), self.before, self.after)
            }
        }
    }

    /// The definition of the function around the instruction. `single` is its result, if it has one.
    fn definition(
        &self,
        inst: &Inst<'_>,
        templates: &[String],
        head: &str,
        code: &str,
        single: Option<Kind>,
    ) -> String {
        let mut text = String::new();
        if !templates.is_empty() {
            let _ = writeln!(text, "template <{}>", templates.join(", "));
        }
        let _ = writeln!(text, "{head}");
        if let Some(kind) = single {
            let ty = if kind == Kind::Bool { "uint32_t".to_string() } else { kind.text() };
            let _ = writeln!(text, "  {ty} d;");
        }
        let pure = inst.instruction.effects == Effects::NONE;
        let product = matches!(inst.instruction.name, "mma" | "wgmma.mma_async");
        let memory = !pure && !product && inst.instruction.effects != Effects::NONE;
        let _ = writeln!(text, "  asm {}({}", if pure { "" } else { "volatile" }, lines(code, 4).trim_start());
        text = text.replace("asm (", "asm(");
        let _ = writeln!(text, "    : {}", wrapped(&self.outs));
        let _ = write!(text, "    : {}", wrapped(&self.ins));
        text.push_str(if memory { "\n    : \"memory\");\n" } else { ");\n" });
        match single {
            Some(Kind::Bool) => text.push_str("  return d != 0;\n"),
            Some(_) => text.push_str("  return d;\n"),
            None => {}
        }
        text.push_str("}\n");
        text.replace(" \n", "\n")
    }
}

/// The text of the function of a load or store of a vector that C++ has words for.
fn vector(name: &str, inst: &Inst<'_>, results: &[Type], args: &[Option<Type>]) -> Option<String> {
    let words: Vec<&str> = inst.modifiers.split('.').collect();
    let (space, cached, count, word) = match *words.as_slice() {
        [space @ ("global" | "shared"), count @ ("v2" | "v4"), word] => (space, false, count, word),
        ["global", "nc", count @ ("v2" | "v4"), word] => ("global", true, count, word),
        _ => return None,
    };
    let count: usize = count[1..].parse().ok()?;
    let value = if inst.instruction.name == "ld" { results.first().copied() } else { args.last().copied().flatten() };
    let stem = match (word, value) {
        ("f32", _) | ("b32", Some(Type::F32)) => "float",
        ("b32" | "u32", _) => "uint",
        ("b16" | "u16", _) => "ushort",
        ("f64", _) | ("b64", Some(Type::F64)) => "double",
        ("b64" | "u64", _) => "ulonglong",
        _ => return None,
    };
    let one = match stem {
        "uint" => "uint32_t",
        "ushort" => "uint16_t",
        "ulonglong" => "uint64_t",
        other => other,
    };
    let ty = format!("{stem}{count}");
    let axes = &["x", "y", "z", "w"][..count];
    let (param, at) = match space {
        "shared" => ("uint32_t at", "__cvta_shared_to_generic(at)"),
        _ if inst.instruction.name == "ld" => ("const void* at", "at"),
        _ => ("void* at", "at"),
    };
    Some(if inst.instruction.name == "ld" {
        let place = format!("static_cast<const {ty}*>({at})");
        let read = if cached { format!("__ldg({place})") } else { format!("*{place}") };
        let parts = axes.iter().enumerate().map(|(index, axis)| format!("  d[{index}] = all.{axis};\n"));
        format!(
            "__device__ __forceinline__ void {name}({one}* d, {param}) {{\n  const {ty} all = {read};\n{}}}\n",
            parts.collect::<String>()
        )
    } else if inst.instruction.name == "st" {
        let params: Vec<String> = axes.iter().map(|axis| format!("{one} {axis}")).collect();
        format!(
            "__device__ __forceinline__ void {name}({param}, {}) {{\n  *static_cast<{ty}*>({at}) = make_{ty}({});\n}}\n",
            params.join(", "),
            axes.join(", ")
        )
    } else {
        return None;
    })
}

/// The text of the function of an instruction.
fn function(name: &str, inst: &Inst<'_>, results: &[Type], args: &[Option<Type>]) -> String {
    let in_place = adds_in_place(inst);
    let fixed = fixed(inst);
    let kind_of = |ty: Type, class: Class| slot_kind(Slot::Reg(class), Some(ty));
    let classes = inst.signature.result_classes();
    let out_kinds: Vec<Kind> = results.iter().zip(&classes).map(|(&ty, &class)| kind_of(ty, class)).collect();
    let several = out_kinds.len() > 1 || in_place;
    let mut asm = Asm { outs: Vec::new(), ins: Vec::new(), before: String::new(), after: String::new(), predicates: 0 };
    let (mut templates, mut params): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut parts: Vec<String> = Vec::new();
    let numbered = |from: usize, count: usize| -> String {
        let all: Vec<String> = (from..from + count).map(|at| format!("%{at}")).collect();
        format!("{{{}}}", all.join(", "))
    };
    let outs = out_kinds.len();
    if several {
        params.push(format!("{}* d", out_kinds[0].text()));
        let sign = if in_place { "+" } else { "=" };
        asm.outs
            .extend(out_kinds.iter().enumerate().map(|(at, &kind)| format!("\"{sign}{}\"(d[{at}])", constraint(kind))));
        if !inst.is_tied() {
            parts.push(numbered(0, outs));
        }
    } else if let Some(&kind) = out_kinds.first() {
        asm.outs.push(format!("\"={}\"(d)", constraint(kind)));
        let place = if kind == Kind::Bool {
            asm.predicates += 1;
            asm.after = "selp.b32 %0, 1, 0, p0; ".into();
            "p0"
        } else {
            "%0"
        };
        parts.push(if inst.instruction.name == "elect.sync" { format!("_|{place}") } else { place.into() });
    }
    let mut at = 0;
    let mut letters = ('a'..='z').filter(|letter| *letter != 'd');
    let slots: Vec<(Slot, usize)> = inst.slots().map(|(slot, args)| (slot, args.len())).collect();
    let last = slots.len().saturating_sub(1);
    for (number, &(slot, count)) in slots.iter().enumerate() {
        let ty = args.get(at).copied().flatten();
        let mut next = || letters.next().map_or_else(|| "z".to_string(), String::from);
        match slot {
            Slot::Tied(count, _) => parts.push(numbered(0, count)),
            Slot::Group(count, _) if inst.instruction.name == "mma" && number == last => parts.push(numbered(0, count)),
            Slot::Group(count, _) => {
                let (kind, letter) = (slot_kind(slot, ty), next());
                let mut all = Vec::new();
                for element in 0..count {
                    let text = format!("{letter}{element}");
                    params.push(format!("{} {text}", kind.text()));
                    all.push(asm.read(kind, &text, outs));
                }
                parts.push(format!("{{{}}}", all.join(", ")));
            }
            Slot::Immediate | Slot::Reg(_) if fixed[at] => {
                let letter = next().to_uppercase();
                templates.push(format!("int {letter}"));
                let place = outs + asm.ins.len();
                asm.ins.push(format!("\"n\"({letter})"));
                parts.push(format!("%{place}"));
            }
            Slot::Reg(_) | Slot::Immediate => {
                let (kind, letter) = (slot_kind(slot, ty), next());
                params.push(format!("{} {letter}", kind.text()));
                parts.push(asm.read(kind, &letter, outs));
            }
            Slot::Address(class) => {
                let letter = if class == Class::B64 { "at".to_string() } else { next() };
                let (ty, kind) =
                    if class == Class::B64 { ("const void*", Kind::Long) } else { ("uint32_t", Kind::Unsigned) };
                params.push(format!("{ty} {letter}"));
                let place = asm.read(kind, &letter, outs);
                parts.push(format!("[{place}]"));
            }
            Slot::Tensor(count) => {
                params.push("const CUtensorMap* map".into());
                let map = asm.read(Kind::Long, "map", outs);
                let mut all = Vec::new();
                for axis in 0..count {
                    params.push(format!("int x{axis}"));
                    all.push(asm.read(Kind::Int, &format!("x{axis}"), outs));
                }
                parts.push(format!("[{map}, {{{}}}]", all.join(", ")));
            }
            Slot::Sink => parts.push("_".into()),
        }
        at += count;
    }
    let code = asm.code(inst, parts);
    let ret = match out_kinds.first() {
        Some(kind) if !several => kind.text(),
        _ => "void".into(),
    };
    let single = out_kinds.first().copied().filter(|_| !several);
    let head = format!("__device__ __forceinline__ {ret} {name}({}) {{", params.join(", "));
    asm.definition(inst, &templates, &head, &code, single)
}

/// A string of C++, in pieces that fit a line.
fn lines(code: &str, indent: usize) -> String {
    let mut pieces = vec![String::new()];
    for word in code.split_inclusive(' ') {
        if let Some(piece) = pieces.last_mut() {
            if piece.len() + word.len() > 100 {
                pieces.push(word.to_string());
            } else {
                piece.push_str(word);
            }
        }
    }
    let pad = " ".repeat(indent);
    pieces.iter().map(|piece| format!("{pad}\"{piece}\"")).collect::<Vec<_>>().join("\n")
}

fn wrapped(items: &[String]) -> String {
    items.chunks(8).map(|chunk| chunk.join(", ")).collect::<Vec<_>>().join(",\n      ")
}
