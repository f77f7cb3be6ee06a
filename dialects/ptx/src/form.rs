//! The language of the table: which modifiers an instruction takes, and what stands after them.
//!
//! A pattern is words with blanks between them, one for each modifier: a word stands for itself, `{a,b}` for one of
//! several, `[a,b]` for one of them or none. Capitals stand for groups of types (`INT`, `BITS`, ..). `#` in a word is a
//! number that is remembered: `m64n#k16`.
//!
//! A signature is `results <- operands`. An operand is a class of registers (`b32`, `f32`, `pred`, .., `w32` for
//! 32-bit registers of any kind), a type of the modifiers (`T` the first, `U` the second), `imm`, `a32` or `a64` for
//! an address with an offset, `A` for one whose width the state space says, `tensor` for a tensor map with coordinates,
//! `_` for a result that nothing wants, `{4 b32}` for a vector. The length of a vector may be `V` (`v2`, `v4`), `X` (`x1`,
//! `x2`, `x4`), `D` (`2d`) or `#`, with `/2` or `-2` after it. `=` before a vector says that its registers are those of
//! the results. `?mod:b64` is there when the modifier is.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock, RwLock};

use dlc_ir::Type;
use dlc_ir::op::OpDef;
use dlc_ir::smallvec::SmallVec;
use rustc_hash::FxHashMap;

use crate::table::{Form, INSTRUCTIONS, Instruction, ops};

/// What a machine must be to run an instruction: the number of its architecture, and whether it must be that very one
/// (`sm_90a`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Target {
    /// `90` of `sm_90a`.
    pub sm: u32,
    /// The `a` of `sm_90a`.
    pub exact: bool,
}

impl Target {
    /// The target of a name such as `sm_90a`. Machines have two or three digits, and those below 70 no versions of PTX in
    /// which the instructions of the table are.
    pub fn parse(name: &str) -> Option<Target> {
        let number = name.strip_prefix("sm_")?;
        let (number, exact) = number.strip_suffix('a').map_or((number, false), |number| (number, true));
        let sm = number.parse().ok().filter(|sm| (70..1000).contains(sm) && !number.starts_with(['+', '0']))?;
        Some(Target { sm, exact })
    }

    /// Whether code for `self` may have what needs `wanted`.
    pub fn has(self, wanted: Target) -> bool {
        if wanted.exact { self == wanted } else { self.sm >= wanted.sm }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sm_{}{}", self.sm, if self.exact { "a" } else { "" })
    }
}

/// The registers that may stand in a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A predicate: `i1`.
    Pred,
    /// 16 bits: `i16`.
    B16,
    /// 32 bits that are no float: `i32`.
    B32,
    /// 64 bits that are no float: `i64`.
    B64,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// 32 bits of any kind: `i32` or `f32`.
    W32,
    /// 64 bits of any kind: `i64` or `f64`.
    W64,
}

impl Class {
    /// The type of a value in such a register, unless it says another one.
    pub fn default_type(self) -> Type {
        match self {
            Class::Pred => Type::I1,
            Class::B16 => Type::I16,
            Class::B32 | Class::W32 => Type::I32,
            Class::B64 | Class::W64 => Type::I64,
            Class::F32 => Type::F32,
            Class::F64 => Type::F64,
        }
    }

    /// Whether a value of the type may be in such a register.
    pub fn admits(self, ty: Type) -> bool {
        ty == self.default_type() || (self == Class::W32 && ty == Type::F32) || (self == Class::W64 && ty == Type::F64)
    }

    /// In words that complete "must be".
    pub fn name(self) -> &'static str {
        match self {
            Class::Pred => "i1",
            Class::B16 => "i16",
            Class::B32 => "i32",
            Class::B64 => "i64",
            Class::F32 => "f32",
            Class::F64 => "f64",
            Class::W32 => "i32 or f32",
            Class::W64 => "i64 or f64",
        }
    }

    fn of(word: &str) -> Option<Class> {
        Some(match word {
            "pred" => Class::Pred,
            "b8" | "u8" | "s8" | "b16" | "u16" | "s16" | "f16" | "bf16" | "e4m3x2" | "e5m2x2" => Class::B16,
            "u32" | "s32" | "f16x2" | "bf16x2" | "tf32" => Class::B32,
            "b32" | "w32" => Class::W32,
            "u64" | "s64" => Class::B64,
            "b64" | "w64" => Class::W64,
            "f32" => Class::F32,
            "f64" => Class::F64,
            _ => return None,
        })
    }
}

/// What stands in a place of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A register, or a number.
    Reg(Class),
    /// A vector of registers.
    Group(usize, Class),
    /// The registers of the results once more: they are read and written.
    Tied(usize, Class),
    /// `[r + 16]`: a register and a number.
    Address(Class),
    /// `[map, {x, y}]`: the address of a tensor map, and so many coordinates.
    Tensor(usize),
    /// A number.
    Immediate,
    /// `_`: nothing.
    Sink,
}

impl Slot {
    /// How many values and numbers it takes.
    pub fn positions(self) -> usize {
        match self {
            Slot::Reg(_) | Slot::Immediate => 1,
            Slot::Group(count, _) | Slot::Tied(count, _) => count,
            Slot::Address(_) => 2,
            Slot::Tensor(count) => 1 + count,
            Slot::Sink => 0,
        }
    }
}

/// What an instruction takes and gives, with given modifiers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The results.
    pub results: Vec<Slot>,
    /// What stands after them.
    pub operands: Vec<Slot>,
    /// The least PTX version, as two numbers.
    pub since: (u32, u32),
    /// The least machine.
    pub target: Target,
}

impl Signature {
    /// How many values and numbers there are after the results.
    pub fn positions(&self) -> usize {
        self.operands.iter().map(|slot| slot.positions()).sum()
    }

    /// The classes of the results.
    pub fn result_classes(&self) -> SmallVec<[Class; 4]> {
        let mut classes = SmallVec::new();
        for &slot in &self.results {
            match slot {
                Slot::Reg(class) => classes.push(class),
                Slot::Group(count, class) | Slot::Tied(count, class) => {
                    classes.extend(std::iter::repeat_n(class, count))
                }
                Slot::Address(_) | Slot::Tensor(_) | Slot::Immediate | Slot::Sink => {}
            }
        }
        classes
    }
}

/// One of the signatures of an instruction, shared by all who ask for it.
#[derive(Clone, Debug)]
pub struct Chosen {
    all: Arc<Vec<Signature>>,
    at: usize,
}

impl Chosen {
    /// The one of those with so many values and numbers after the results.
    pub fn of(all: &Arc<Vec<Signature>>, positions: usize) -> Option<Chosen> {
        let at = all.iter().position(|signature| signature.positions() == positions)?;
        Some(Chosen { all: Arc::clone(all), at })
    }
}

impl std::ops::Deref for Chosen {
    type Target = Signature;
    fn deref(&self) -> &Signature {
        &self.all[self.at]
    }
}

/// The signatures of an instruction with these modifiers, one for each number of operands. Empty where it does not take
/// them.
pub fn signatures(instruction: &'static Instruction, modifiers: &str) -> Arc<Vec<Signature>> {
    type Known = FxHashMap<usize, FxHashMap<Box<str>, Arc<Vec<Signature>>>>;
    static KNOWN: OnceLock<RwLock<Known>> = OnceLock::new();
    let known = KNOWN.get_or_init(RwLock::default);
    let place = std::ptr::from_ref(instruction).addr();
    if let Ok(known) = known.read()
        && let Some(found) = known.get(&place).and_then(|known| known.get(modifiers))
    {
        return found.clone();
    }
    let words: Vec<&str> = if modifiers.is_empty() { Vec::new() } else { modifiers.split('.').collect() };
    let found = instruction.forms.iter().filter_map(|form| {
        let captures = match_words(form.pattern, &words)?;
        signature(form, &captures)
    });
    let found = Arc::new(found.collect::<Vec<_>>());
    // What is wrong is not kept: there is no end of it.
    if !found.is_empty()
        && let Ok(mut known) = known.write()
    {
        known.entry(place).or_default().insert(modifiers.into(), found.clone());
    }
    found
}

/// The instruction of a declaration.
pub fn instruction(def: &'static OpDef) -> Option<&'static Instruction> {
    static BY_DEF: OnceLock<FxHashMap<usize, &'static Instruction>> = OnceLock::new();
    let place = |def: &'static OpDef| std::ptr::from_ref(def).addr();
    let known = BY_DEF.get_or_init(|| ops::ALL.iter().copied().map(place).zip(INSTRUCTIONS.iter().copied()).collect());
    known.get(&place(def)).copied().or_else(|| by_name(def.name))
}

/// The same by the name: a shared library has its own copy of the declarations.
fn by_name(op: &str) -> Option<&'static Instruction> {
    static BY_NAME: OnceLock<FxHashMap<&'static str, &'static Instruction>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| INSTRUCTIONS.iter().map(|&row| (row.name, row)).collect());
    by_name.get(op.strip_prefix("ptx.")?).copied()
}

/// The types that a word of a pattern in capitals stands for.
fn group(word: &str) -> Option<&'static [&'static str]> {
    Some(match word {
        "INT" => &["s16", "u16", "s32", "u32", "s64", "u64"],
        "SMALL" => &["s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"],
        "BITS" => &["b16", "b32", "b64"],
        "MEMORY" => &["b8", "b16", "b32", "b64", "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"],
        _ => return None,
    })
}

/// What the words of a pattern stood for.
#[derive(Clone, Default)]
struct Captures<'a> {
    types: Vec<&'a str>,
    number: Option<usize>,
    words: Vec<&'a str>,
}

fn match_words<'a>(pattern: &'a str, words: &[&'a str]) -> Option<Captures<'a>> {
    let parts: Vec<&str> = pattern.split_whitespace().collect();
    let mut captures = Captures::default();
    match_from(&parts, words, &mut captures).then_some(captures)
}

fn match_from<'a>(parts: &[&'a str], words: &[&'a str], captures: &mut Captures<'a>) -> bool {
    let Some((&part, parts)) = parts.split_first() else { return words.is_empty() };
    if let Some(choices) = part.strip_prefix('[').and_then(|part| part.strip_suffix(']')) {
        if let Some((&word, rest)) = words.split_first()
            && one_of(choices, word)
        {
            let mut tried = captures.clone();
            tried.take(word);
            if match_from(parts, rest, &mut tried) {
                *captures = tried;
                return true;
            }
        }
        return match_from(parts, words, captures);
    }
    let Some((&word, rest)) = words.split_first() else { return false };
    if let Some(choices) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        if !one_of(choices, word) {
            return false;
        }
    } else if let Some((before, after)) = part.split_once('#') {
        let Some(number) = word.strip_prefix(before).and_then(|word| word.strip_suffix(after)) else { return false };
        let Ok(number) = number.parse() else { return false };
        captures.number = Some(number);
    } else if part != word {
        return false;
    }
    captures.take(word);
    match_from(parts, rest, captures)
}

fn one_of(choices: &str, word: &str) -> bool {
    choices.split(',').any(|choice| match group(choice) {
        Some(types) => types.contains(&word),
        None => choice == word,
    })
}

impl<'a> Captures<'a> {
    fn take(&mut self, word: &'a str) {
        if Class::of(word).is_some() {
            self.types.push(word);
        }
        self.words.push(word);
    }

    fn counted(&self, letter: &str) -> Option<usize> {
        let find =
            |strip: &dyn Fn(&'a str) -> Option<&'a str>| self.words.iter().find_map(|word| strip(word)?.parse().ok());
        match letter {
            "V" => Some(find(&|word| word.strip_prefix('v')).unwrap_or(1)),
            "X" => find(&|word| word.strip_prefix('x')),
            "D" => find(&|word| word.strip_suffix('d')),
            "#" => self.number,
            number => number.parse().ok(),
        }
    }

    fn count(&self, text: &str) -> Option<usize> {
        if let Some((letter, by)) = text.split_once('/') {
            return self.counted(letter)?.checked_div(by.parse().ok()?);
        }
        if let Some((letter, by)) = text.split_once('-') {
            return self.counted(letter)?.checked_sub(by.parse().ok()?);
        }
        self.counted(text)
    }

    fn class(&self, word: &str) -> Option<Class> {
        match word {
            "T" => self.types.first().and_then(|word| Class::of(word)),
            "U" => self.types.get(1).and_then(|word| Class::of(word)),
            word => Class::of(word),
        }
    }

    fn slot(&self, word: &str) -> Option<Slot> {
        Some(match word {
            "imm" => Slot::Immediate,
            "_" => Slot::Sink,
            "a32" => Slot::Address(Class::B32),
            "a64" => Slot::Address(Class::B64),
            "A" => match self.words.iter().any(|word| word.starts_with("shared")) {
                true => Slot::Address(Class::B32),
                false => Slot::Address(Class::B64),
            },
            "tensor" => Slot::Tensor(self.count("D")?),
            _ => match word.strip_prefix('=') {
                Some(tied) => match self.slot(tied)? {
                    Slot::Group(count, class) => Slot::Tied(count, class),
                    _ => return None,
                },
                None => match word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) {
                    Some(vector) => {
                        let (count, class) = vector.split_once(':')?;
                        let (count, class) = (self.count(count)?, self.class(class)?);
                        if count == 0 {
                            return None;
                        }
                        // A vector of one is that one, where only some forms have vectors at all.
                        if count == 1 && vector.starts_with('V') { Slot::Reg(class) } else { Slot::Group(count, class) }
                    }
                    None => Slot::Reg(self.class(word)?),
                },
            },
        })
    }

    fn slots(&self, text: &str) -> Option<Vec<Slot>> {
        let mut slots = Vec::new();
        for word in text.split_whitespace() {
            match word.strip_prefix('?') {
                Some(conditional) => {
                    let (modifier, word) = conditional.rsplit_once(':')?;
                    if self.words.contains(&modifier) {
                        slots.push(self.slot(word)?);
                    }
                }
                None => slots.push(self.slot(word)?),
            }
        }
        Some(slots)
    }
}

fn signature(form: &Form, captures: &Captures<'_>) -> Option<Signature> {
    let (results, operands) = form.signature.split_once("<-").unwrap_or(("", form.signature));
    // `n` of a wgmma is a multiple of 8 up to 256.
    if form.pattern.contains("n#") && !captures.number.is_some_and(|n| n % 8 == 0 && (8..=256).contains(&n)) {
        return None;
    }
    // A vector has up to 128 bits.
    let wide = captures
        .types
        .first()
        .is_some_and(|word| matches!(Class::of(word), Some(Class::B64 | Class::W64 | Class::F64)));
    if wide && captures.words.contains(&"v4") {
        return None;
    }
    Some(Signature {
        results: captures.slots(results)?,
        operands: captures.slots(operands)?,
        since: form.since,
        target: form.target,
    })
}

/// All modifiers that a form stands for; with some of them it may still have no signature.
pub fn instances(form: &Form) -> Vec<String> {
    let mut all = vec![String::new()];
    for part in form.pattern.split_whitespace() {
        let optional = part.strip_prefix('[').and_then(|part| part.strip_suffix(']'));
        let one_of = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        let mut words: Vec<String> = Vec::new();
        if optional.is_some() {
            words.push(String::new());
        }
        for choice in optional.or(one_of).unwrap_or(part).split(',') {
            match (group(choice), choice.split_once('#')) {
                (Some(types), _) => words.extend(types.iter().map(|word| word.to_string())),
                (None, Some((before, after))) => words.extend((1..=32).map(|n| format!("{before}{}{after}", 8 * n))),
                (None, None) => words.push(choice.to_string()),
            }
        }
        let join = |so_far: &String, word: &String| match (so_far.as_str(), word.as_str()) {
            (_, "") => so_far.clone(),
            ("", _) => word.clone(),
            _ => format!("{so_far}.{word}"),
        };
        all = all.iter().flat_map(|so_far| words.iter().map(move |word| join(so_far, word))).collect();
    }
    all
}

/// Every name that a modifier of the instruction may have, for suggestions.
pub fn known_modifiers(instruction: &Instruction) -> Vec<String> {
    let mut words = BTreeSet::new();
    for form in instruction.forms {
        for part in form.pattern.split_whitespace() {
            for choice in part.trim_matches(['{', '}', '[', ']']).split(',') {
                match group(choice) {
                    Some(types) => words.extend(types.iter().map(|word| word.to_string())),
                    None => words.extend([choice.to_string()]),
                }
            }
        }
    }
    words.into_iter().collect()
}
