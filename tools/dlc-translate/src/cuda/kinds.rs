//! The types of C++ that registers have: PTX says with each instruction how bits are read, C++ with each variable.

use dlc_core::memref::MemRef;
use dlc_ir::{BlockId, OpId, OpRef, Type, ValueId};
use dlc_ptx::emit::Registers;
use dlc_ptx::form::Slot;
use dlc_ptx::inst::{Arg, Inst};
use dlc_ptx::ops::Entry;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::manifest::Elem;

/// The type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `bool`
    Bool,
    /// 16 bits.
    Short,
    /// A half.
    Half,
    /// A half with the exponents of a float.
    Bfloat,
    /// A signed 32-bit integer: positions, sizes.
    Int,
    /// 32 bits: addresses in shared memory, pairs of 16-bit floats. What goes beyond them wraps.
    Unsigned,
    /// `float`
    Float,
    /// 64 bits.
    Long,
    /// `double`
    Double,
    /// An address in the memory of a parameter, whose elements have a type.
    Pointer(Elem, bool),
    /// The address of a tensor map.
    Map,
}

impl Kind {
    /// How C++ writes it.
    pub fn text(self) -> String {
        match self {
            Kind::Bool => "bool".into(),
            Kind::Short => "uint16_t".into(),
            Kind::Half => "__half".into(),
            Kind::Bfloat => "__nv_bfloat16".into(),
            Kind::Int => "int".into(),
            Kind::Unsigned => "uint32_t".into(),
            Kind::Float => "float".into(),
            Kind::Long => "uint64_t".into(),
            Kind::Double => "double".into(),
            Kind::Pointer(elem, read_only) => format!("{}{}*", if read_only { "const " } else { "" }, element(elem)),
            Kind::Map => "const CUtensorMap*".into(),
        }
    }

    /// With what the names of such variables begin that have none of their own.
    pub fn stem(self) -> &'static str {
        match self {
            Kind::Bool => "p",
            Kind::Short | Kind::Half | Kind::Bfloat => "h",
            Kind::Int => "i",
            Kind::Unsigned => "u",
            Kind::Float => "f",
            Kind::Long => "l",
            Kind::Double => "d",
            Kind::Pointer(..) => "at",
            Kind::Map => "map",
        }
    }

    /// What a value of a type is where nothing more is known.
    pub fn usual(ty: Type) -> Kind {
        match ty {
            Type::I1 => Kind::Bool,
            Type::I16 => Kind::Short,
            Type::F32 => Kind::Float,
            Type::F64 => Kind::Double,
            Type::I64 => Kind::Long,
            _ => Kind::Int,
        }
    }
}

/// How C++ writes the type of elements in memory.
pub fn element(elem: Elem) -> &'static str {
    match elem {
        Elem::F16 => "__half",
        Elem::BF16 => "__nv_bfloat16",
        Elem::F32 => "float",
        Elem::F64 => "double",
        Elem::F8E4M3FN => "__nv_fp8_e4m3",
        Elem::F8E5M2 => "__nv_fp8_e5m2",
        Elem::I1 => "bool",
        Elem::I8 => "int8_t",
        Elem::I16 => "int16_t",
        Elem::I32 => "int32_t",
        Elem::I64 | Elem::Index => "int64_t",
        Elem::UI8 => "uint8_t",
        Elem::UI16 => "uint16_t",
        Elem::UI32 => "uint32_t",
        Elem::UI64 => "uint64_t",
    }
}

/// The words of modifiers that are types, in order.
pub fn types(modifiers: &str) -> Vec<&str> {
    let is_type = |word: &&str| {
        let number = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        matches!(&word[..word.len() - number.len()], "b" | "u" | "s" | "f" | "bf" | "tf" | "e")
            && number.starts_with(|c: char| c.is_ascii_digit())
            || *word == "pred"
    };
    modifiers.split('.').filter(is_type).collect()
}

/// The kind that a word of a type says, if it says more than how many bits there are.
fn of_word(word: &str) -> Option<Kind> {
    Some(match word {
        "f16" => Kind::Half,
        "bf16" => Kind::Bfloat,
        "s32" => Kind::Int,
        "u16" | "s16" | "b8" | "u8" | "s8" => Kind::Short,
        _ => return None,
    })
}

/// The kinds of all values.
pub fn kinds(
    entry: Entry<'_>,
    blocks: &[BlockId],
    insts: &FxHashMap<OpId, Inst<'_>>,
    registers: &Registers,
) -> FxHashMap<ValueId, Kind> {
    let mut known = pointers(entry, blocks, insts, registers);
    halves(entry, blocks, insts, registers, &mut known);
    words(entry, blocks, insts, registers, &mut known);
    let body = entry.body;
    for &block in blocks {
        let args = body.args(block).iter().copied();
        for value in args.chain(body.ops(block).flat_map(|op| body.results(op).collect::<Vec<_>>())) {
            known.entry(value).or_insert_with(|| Kind::usual(body.value_type(value)));
        }
    }
    known
}

/// Addresses that are computed from parameters.
fn pointers(
    entry: Entry<'_>,
    blocks: &[BlockId],
    insts: &FxHashMap<OpId, Inst<'_>>,
    registers: &Registers,
) -> FxHashMap<ValueId, Kind> {
    let op = *entry;
    let (ctx, body) = (op.ctx, op.body);
    let mut known = FxHashMap::default();
    let Some(&first) = blocks.first() else { return known };
    let memory: Vec<ValueId> = entry.memory().collect();
    let function = body.entry_block();
    for (index, &arg) in body.args(first).iter().enumerate() {
        if let Some(&from) = memory.get(index) {
            let elem = MemRef::of(ctx, body.value_type(from)).and_then(|memref| Elem::of(memref.elem(ctx)));
            let read_only = function.is_some_and(|block| body.args(block).contains(&from));
            if let Some(elem) = elem {
                known.insert(arg, Kind::Pointer(elem, read_only));
            }
        } else if index < memory.len() + entry.maps().count() {
            known.insert(arg, Kind::Map);
        }
    }
    // Only what is written once is a pointer: others may be of several buffers.
    let mut members: FxHashMap<u32, usize> = FxHashMap::default();
    for &block in blocks {
        let args = body.args(block).iter().copied();
        for value in args.chain(body.ops(block).flat_map(|op| body.results(op).collect::<Vec<_>>())) {
            *members.entry(registers.class(value)).or_default() += 1;
        }
    }
    for &block in blocks {
        for id in body.ops(block) {
            let Some(inst) = insts.get(&id) else { continue };
            let base = match (inst.instruction.name, inst.args.as_slice()) {
                ("mad", &[_, _, Arg::Value(base)]) if inst.modifiers.starts_with("wide") => base,
                ("add", &[Arg::Value(base), Arg::Int(_)]) => base,
                _ => continue,
            };
            let Some(result) = body.results(id).next() else { continue };
            if let Some(&kind @ Kind::Pointer(..)) = known.get(&base)
                && members.get(&registers.class(result)) == Some(&1)
            {
                known.insert(result, kind);
            }
        }
    }
    known
}

/// Which 16 bits are numbers: what instructions say that make or take them, and what goes along with those.
fn halves(
    entry: Entry<'_>,
    blocks: &[BlockId],
    insts: &FxHashMap<OpId, Inst<'_>>,
    registers: &Registers,
    known: &mut FxHashMap<ValueId, Kind>,
) {
    let body = entry.body;
    let mut by_class: FxHashMap<u32, Kind> = FxHashMap::default();
    let mut same: Vec<(u32, u32)> = Vec::new();
    let class = |value: ValueId| registers.class(value);
    let is_short = |value: &ValueId| body.value_type(*value) == Type::I16;
    for &block in blocks {
        for id in body.ops(block) {
            let op = OpRef { id, ..*entry };
            for index in 0..op.successors().len() {
                let sources = op.successor_operands(index).map(|place| op.operand(place));
                let pairs = sources.zip(body.args(op.successors()[index]).iter().copied());
                same.extend(pairs.filter(|(source, _)| is_short(source)).map(|(a, b)| (class(a), class(b))));
            }
            let Some(inst) = insts.get(&id) else { continue };
            let types = types(inst.modifiers);
            let mut note = |value: ValueId, kind: Option<Kind>| {
                if let Some(kind) = kind.filter(|_| is_short(&value)) {
                    by_class.entry(class(value)).or_insert(kind);
                }
            };
            let results: Vec<ValueId> = body.results(id).collect();
            match inst.instruction.name {
                "cvt" => {
                    results.iter().for_each(|&value| note(value, types.first().and_then(|word| of_word(word))));
                    let last = types.last().and_then(|word| of_word(word));
                    values(&inst.args).for_each(|value| note(value, last));
                }
                "ld" | "st" => {
                    let base = inst.slots().find_map(|(slot, args)| match (slot, args) {
                        (Slot::Address(_), &[Arg::Value(base), _]) => Some(base),
                        _ => None,
                    });
                    let elem = match base.and_then(|base| known.get(&base)) {
                        Some(Kind::Pointer(Elem::F16, _)) => Some(Kind::Half),
                        Some(Kind::Pointer(Elem::BF16, _)) => Some(Kind::Bfloat),
                        _ => None,
                    };
                    let elem = elem.filter(|_| types.first() == Some(&"b16"));
                    results.iter().copied().chain(values(&inst.args)).for_each(|value| note(value, elem));
                }
                _ => {
                    let kind = types.first().and_then(|word| of_word(word));
                    results.iter().copied().chain(values(&inst.args)).for_each(|value| note(value, kind));
                }
            }
            if matches!(inst.instruction.name, "mov" | "selp") || inst.guard.is_some() {
                let all: Vec<ValueId> = results
                    .iter()
                    .copied()
                    .chain(values(&inst.args))
                    .chain(inst.otherwise.iter().copied())
                    .filter(is_short)
                    .collect();
                same.extend(all.windows(2).map(|pair| (class(pair[0]), class(pair[1]))));
            }
        }
    }
    // What goes along with a number is one.
    let mut changed = true;
    while changed {
        changed = false;
        for &(a, b) in &same {
            for (from, to) in [(a, b), (b, a)] {
                if let Some(&kind) = by_class.get(&from)
                    && !by_class.contains_key(&to)
                {
                    by_class.insert(to, kind);
                    changed = true;
                }
            }
        }
    }
    for value in all_values(entry, blocks).filter(is_short) {
        if let Some(&kind) = by_class.get(&class(value)) {
            known.insert(value, kind);
        }
    }
}

/// Which 32 bits are no positions: addresses in shared memory, what was read, pairs of 16-bit floats, and what is computed from them.
fn words(
    entry: Entry<'_>,
    blocks: &[BlockId],
    insts: &FxHashMap<OpId, Inst<'_>>,
    registers: &Registers,
    known: &mut FxHashMap<ValueId, Kind>,
) {
    let body = entry.body;
    let mut unsigned: FxHashSet<u32> = FxHashSet::default();
    let class = |value: ValueId| registers.class(value);
    let is_word = |value: &ValueId| body.value_type(*value) == Type::I32;
    let mut changed = true;
    while changed {
        changed = false;
        for &block in blocks {
            for id in body.ops(block) {
                let op = OpRef { id, ..*entry };
                for index in 0..op.successors().len() {
                    let sources = op.successor_operands(index).map(|place| op.operand(place));
                    for (source, target) in sources.zip(body.args(op.successors()[index]).iter().copied()) {
                        if is_word(&source) && unsigned.contains(&class(source)) {
                            changed |= unsigned.insert(class(target));
                        }
                    }
                }
                let Some(inst) = insts.get(&id) else { continue };
                let of_unsigned = || {
                    values(&inst.args)
                        .chain(inst.otherwise.iter().copied())
                        .any(|value| is_word(&value) && unsigned.contains(&class(value)))
                };
                let is_unsigned = match inst.instruction.name {
                    "smem" | "pack" | "unpack" | "ldmatrix" | "mapa" | "atom" | "prmt" | "lop3" => true,
                    "ld" => !inst.modifiers.ends_with("s32"),
                    "mov" => {
                        inst.modifiers == "b32" && values(&inst.args).any(|value| body.value_type(value) == Type::F32)
                            || of_unsigned()
                    }
                    "cvt" => {
                        !inst.modifiers.contains("32.s")
                            && types(inst.modifiers).first().is_some_and(|word| !matches!(*word, "s32" | "u32"))
                    }
                    "setp" | "mad" if inst.modifiers.starts_with("wide") => false,
                    "mma" | "shr" | "shl" | "add" | "sub" | "mul" | "mad" | "and" | "or" | "xor" | "not" | "selp"
                    | "min" | "max" | "shfl.sync" | "redux.sync" | "div" | "rem" => of_unsigned(),
                    _ => false,
                };
                if is_unsigned {
                    for value in body.results(id).filter(is_word) {
                        changed |= unsigned.insert(class(value));
                    }
                }
            }
        }
    }
    for value in all_values(entry, blocks).filter(is_word) {
        if unsigned.contains(&class(value)) {
            known.insert(value, Kind::Unsigned);
        }
    }
}

fn values(args: &[Arg]) -> impl Iterator<Item = ValueId> + '_ {
    args.iter().filter_map(|arg| match arg {
        Arg::Value(value) => Some(*value),
        _ => None,
    })
}

fn all_values<'e>(entry: Entry<'e>, blocks: &'e [BlockId]) -> impl Iterator<Item = ValueId> + 'e {
    let body = entry.body;
    blocks.iter().flat_map(move |&block| {
        let results = body.ops(block).flat_map(move |op| body.results(op).collect::<Vec<_>>());
        body.args(block).iter().copied().chain(results)
    })
}

/// Integers that are not negative, as long as none goes beyond 32 bits.
pub fn natural(entry: Entry<'_>, blocks: &[BlockId], insts: &FxHashMap<OpId, Inst<'_>>) -> FxHashSet<ValueId> {
    let body = entry.body;
    let op = *entry;
    let mut natural: FxHashSet<ValueId> =
        all_values(entry, blocks).filter(|&value| body.value_type(value) == Type::I32).collect();
    let Some(&first) = blocks.first() else { return natural };
    let sizes = entry.sizes();
    let before = entry.memory().count() + entry.maps().count();
    for (size, &arg) in sizes.iter().zip(body.args(first).get(before..).unwrap_or(&[])) {
        if size.terms().iter().any(|&(coefficient, _)| coefficient < 0) {
            natural.remove(&arg);
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in blocks {
            for id in body.ops(block) {
                let inner = OpRef { id, ..op };
                for index in 0..inner.successors().len() {
                    let sources = inner.successor_operands(index).map(|place| inner.operand(place));
                    for (source, &target) in sources.zip(body.args(inner.successors()[index])) {
                        if body.value_type(target) == Type::I32 && !natural.contains(&source) {
                            changed |= natural.remove(&target);
                        }
                    }
                }
                let Some(inst) = insts.get(&id) else { continue };
                let holds = |arg: &Arg| match arg {
                    Arg::Value(value) => natural.contains(value),
                    Arg::Int(value) => *value >= 0,
                    _ => false,
                };
                let all = || inst.args.iter().all(holds) && inst.otherwise.iter().all(|value| natural.contains(value));
                let stays = match inst.instruction.name {
                    "sreg" => true,
                    "and" | "max" => inst.args.iter().any(holds),
                    "shr" => all() || (inst.modifiers == "u32" && matches!(inst.args[1], Arg::Int(by) if by > 0)),
                    "mov" | "add" | "min" | "or" | "xor" | "shl" | "div" | "rem" => all(),
                    "mul" | "mad" => inst.modifiers.starts_with("lo") && all(),
                    "selp" => inst.args[..2].iter().all(holds),
                    "shfl.sync" => holds(&inst.args[0]),
                    "cvt" => {
                        matches!(types(inst.modifiers).last(), Some(&("u16" | "u8")))
                            || (types(inst.modifiers).first() == Some(&"u32") && all())
                    }
                    _ => false,
                };
                if !stays {
                    for value in body.results(id) {
                        changed |= natural.remove(&value);
                    }
                }
            }
        }
    }
    natural
}

/// Names that variables cannot have.
pub fn reserved() -> FxHashSet<String> {
    let words = "alignas asm auto bool break case catch char class const continue default delete do double else enum \
                 explicit extern false float for friend goto if inline int long namespace new operator private protected \
                 public register return short signed sizeof static struct switch template this throw true try typedef \
                 union unsigned using virtual void volatile while min max abs fmaf fma threadIdx blockIdx blockDim \
                 gridDim warpSize shared_memory shared_address and or not xor main std half dim3 shared r q p d";
    words.split_whitespace().map(String::from).collect()
}
