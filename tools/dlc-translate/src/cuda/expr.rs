//! Instructions as expressions of C++. What has none is a call of a function that holds the instruction: see
//! [`super::helpers`].

mod operators;

use dlc_ir::{Type, ValueId};
use dlc_ptx::form::Slot;
use dlc_ptx::inst::{Arg, Inst};

use super::address::{loaded, memory_type, pointer_sum};
use super::entry::Writer;
use super::kinds::{self, Kind, types};

/// A piece of C++, with how tightly it binds: a larger number binds tighter.
#[derive(Clone, Debug)]
pub struct Ex {
    pub text: String,
    pub level: u8,
    pub kind: Kind,
    /// Of an address, the array and the place in it.
    pub place: Option<(String, String)>,
}

pub const ATOM: u8 = 16;
pub const UNARY: u8 = 14;
pub const TIMES: u8 = 13;
pub const PLUS: u8 = 12;
pub const SHIFT: u8 = 11;
pub const LESS: u8 = 10;
pub const EQUAL: u8 = 9;
pub const BOTH: u8 = 5;
pub const EITHER: u8 = 4;
pub const CHOICE: u8 = 3;

impl Ex {
    pub fn new(text: impl Into<String>, level: u8, kind: Kind) -> Ex {
        Ex { text: text.into(), level, kind, place: None }
    }

    /// As an operand of something that binds with a level, in parentheses where that is needed.
    pub fn at(&self, level: u8) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// How an operator binds, and on which side its equal may stand without parentheses.
pub fn infix(left: &Ex, sign: &str, right: &Ex, level: u8, kind: Kind) -> Ex {
    // A difference of levels that people do not know by heart gets parentheses, too.
    let clear = |ex: &Ex| {
        if level < SHIFT && level > BOTH && ex.level < ATOM && !matches!(level, LESS | EQUAL) { ATOM } else { level }
    };
    let clear_shift = |ex: &Ex| if level == SHIFT && ex.level < UNARY { ATOM } else { clear(ex) };
    let left = left.at(clear_shift(left));
    let right = right.at(if level == TIMES || level == PLUS || level == SHIFT {
        clear_shift(right).max(level + 1)
    } else {
        clear(right).max(level + 1)
    });
    Ex::new(format!("{left} {sign} {right}"), level, kind)
}

fn call(name: &str, args: &[&Ex], kind: Kind) -> Ex {
    let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    Ex::new(format!("{name}({})", args.join(", ")), ATOM, kind)
}

/// The number as C++ writes it.
pub fn number(arg: Arg, kind: Kind) -> Ex {
    match arg {
        Arg::Int(value) => integer(value, kind),
        Arg::F32(bits) => {
            let value = f32::from_bits(bits);
            let text = if value.is_finite() {
                let text = format!("{value:?}");
                format!("{text}f")
            } else if bits == f32::INFINITY.to_bits() {
                "INFINITY".into()
            } else if bits == f32::NEG_INFINITY.to_bits() {
                "-INFINITY".into()
            } else {
                format!("__uint_as_float(0x{bits:08x}u)")
            };
            let level = if text.starts_with('-') { UNARY } else { ATOM };
            Ex::new(text, level, Kind::Float)
        }
        Arg::F64(bits) => {
            let value = f64::from_bits(bits);
            let text =
                if value.is_finite() { format!("{value:?}") } else { format!("__longlong_as_double(0x{bits:016x}ll)") };
            let level = if text.starts_with('-') { UNARY } else { ATOM };
            Ex::new(text, level, Kind::Double)
        }
        Arg::Value(_) => Ex::new("0", ATOM, kind),
    }
}

fn integer(value: i64, kind: Kind) -> Ex {
    match kind {
        Kind::Bool => Ex::new(if value != 0 { "true" } else { "false" }, ATOM, kind),
        Kind::Half => Ex::new(format!("__ushort_as_half(0x{:04x})", value as u16), ATOM, kind),
        Kind::Bfloat => Ex::new(format!("__ushort_as_bfloat16(0x{:04x})", value as u16), ATOM, kind),
        Kind::Float => Ex::new(format!("__uint_as_float(0x{:08x}u)", value as u32), ATOM, kind),
        Kind::Double => Ex::new(format!("__longlong_as_double(0x{value:016x}ll)"), ATOM, kind),
        Kind::Unsigned if value > i64::from(i32::MAX) => Ex::new(format!("0x{:08x}u", value as u32), ATOM, kind),
        Kind::Unsigned if value == -1 => Ex::new("0xffffffffu", ATOM, kind),
        Kind::Long if i32::try_from(value).is_err() => Ex::new(format!("0x{value:x}ull"), ATOM, kind),
        Kind::Int if i32::try_from(value).is_err() || value == i64::from(i32::MIN) => {
            Ex::new(format!("int(0x{:08x}u)", value as u32), ATOM, kind)
        }
        _ if value < 0 => Ex::new(value.to_string(), UNARY, kind),
        _ => Ex::new(value.to_string(), ATOM, kind),
    }
}

/// The same bits as another kind.
pub fn convert(ex: Ex, to: Kind) -> Ex {
    use Kind::{Bfloat, Double, Float, Half, Int, Long, Map, Pointer, Short, Unsigned};
    let with = |name: &str| call(name, &[&ex], to);
    match (ex.kind, to) {
        (Half, Short) => with("__half_as_ushort"),
        (Short, Half) => with("__ushort_as_half"),
        (Bfloat, Short) => with("__bfloat16_as_ushort"),
        (Short, Bfloat) => with("__ushort_as_bfloat16"),
        (Half, Bfloat) => call("__ushort_as_bfloat16", &[&with("__half_as_ushort")], to),
        (Bfloat, Half) => call("__ushort_as_half", &[&with("__bfloat16_as_ushort")], to),
        (Float, Unsigned) => with("__float_as_uint"),
        (Float, Int) => with("__float_as_int"),
        (Unsigned, Float) => with("__uint_as_float"),
        (Int, Float) => with("__int_as_float"),
        (Double, Long) => with("__double_as_longlong"),
        (Long, Double) => with("__longlong_as_double"),
        (Pointer(..) | Map, Long) => Ex::new(format!("(uint64_t){}", ex.at(UNARY)), UNARY, to),
        _ => ex,
    }
}

impl Writer<'_> {
    /// A value: its variable, its number, or the expression that it is.
    pub fn value(&mut self, value: ValueId) -> Ex {
        let kind = self.values.kinds.get(&value).copied().unwrap_or(Kind::Unsigned);
        if let Some(arg) = self.values.literal(value) {
            return number(arg, kind);
        }
        if self.values.folded.contains(&value)
            && let Some(inst) = self.values.inst(value).cloned()
        {
            let ex = self.expr_or_call(&inst);
            return convert(ex, kind);
        }
        match self.values.variables.get(&value) {
            Some(variable) => Ex::new(self.values.text(variable), ATOM, self.values.declared[variable.number].kind),
            None => number(Arg::Int(0), kind),
        }
    }

    /// What stands in a place, as a kind.
    pub fn arg(&mut self, arg: Arg, kind: Kind) -> Ex {
        match arg {
            Arg::Value(value) => convert(self.value(value), kind),
            other => number(other, kind),
        }
    }

    /// What stands in a place, as it is; a number as a kind.
    pub fn plain(&mut self, arg: Arg, kind: Kind) -> Ex {
        match arg {
            Arg::Value(value) => self.value(value),
            other => number(other, kind),
        }
    }

    fn is_natural(&self, arg: Arg) -> bool {
        match arg {
            Arg::Value(value) => self.values.natural.contains(&value),
            Arg::Int(value) => value >= 0,
            _ => false,
        }
    }

    /// An integer that is read with its sign, or without one.
    fn signed(&mut self, arg: Arg, word: &str) -> Ex {
        let ex = self.plain(arg, if word.starts_with('s') { Kind::Int } else { Kind::Unsigned });
        let is_number = !matches!(arg, Arg::Value(value) if !self.values.is_literal(value));
        let cast = |name: &str, kind: Kind| Ex::new(format!("{name}({})", ex.text), ATOM, kind);
        match (word, ex.kind) {
            ("s32", Kind::Unsigned) if !is_number => cast("int", Kind::Int),
            ("u32", Kind::Int) if !self.is_natural(arg) && !is_number => cast("unsigned", Kind::Unsigned),
            ("s64", _) if !is_number => cast("int64_t", Kind::Long),
            ("s16", _) if !is_number => cast("int16_t", Kind::Short),
            ("u16", _) if !is_number => cast("uint16_t", Kind::Short),
            _ => ex,
        }
    }

    /// The kind of what arithmetic gives.
    fn common(left: &Ex, right: &Ex) -> Kind {
        if left.kind == Kind::Unsigned || right.kind == Kind::Unsigned { Kind::Unsigned } else { left.kind }
    }

    /// The instruction as an expression: of operators, of a function that C++ has, or as a call of one that holds it.
    pub fn expr_or_call(&mut self, inst: &Inst<'_>) -> Ex {
        match self.expr(inst) {
            Some(ex) => ex,
            None => self.call_of(inst),
        }
    }

    /// The instruction in C++ proper, with one result.
    pub fn expr(&mut self, inst: &Inst<'_>) -> Option<Ex> {
        if inst.op.results().count() != 1 {
            return None;
        }
        let words = types(inst.modifiers);
        let word = words.first().copied().unwrap_or("");
        let modifiers = inst.modifiers;
        let args = inst.args.clone();
        let result = inst.op.result(0);
        let kind = self.values.kinds.get(&result).copied().unwrap_or(Kind::usual(inst.op.type_of(result)));
        let is_word = matches!(word, "s32" | "u32" | "s64" | "u64");
        let is_double = word == "f64" && matches!(modifiers, "f64" | "rn.f64");
        let plain_float = matches!(modifiers, "f32" | "rn.f32") || is_double;
        let float = if is_double { Kind::Double } else { Kind::Float };
        Some(match inst.instruction.name {
            "sreg" => return special(modifiers),
            "smem" => Ex::new("shared_address(shared_memory)", ATOM, Kind::Unsigned),
            "mov" => match kind {
                Kind::Pointer(..) | Kind::Map => return None,
                kind => self.arg(args[0], kind),
            },
            "add" | "sub" | "mul" if plain_float => {
                let (left, right) = (self.arg(args[0], float), self.arg(args[1], float));
                match inst.instruction.name {
                    "add" => infix(&left, "+", &right, PLUS, float),
                    "sub" => infix(&left, "-", &right, PLUS, float),
                    _ => infix(&left, "*", &right, TIMES, float),
                }
            }
            "fma" if modifiers == "rn.f32" || modifiers == "rn.f64" => {
                let float = if word == "f64" { Kind::Double } else { Kind::Float };
                let (a, b, c) = (self.arg(args[0], float), self.arg(args[1], float), self.arg(args[2], float));
                call(if word == "f64" { "fma" } else { "fmaf" }, &[&a, &b, &c], float)
            }
            "add" if is_word => return self.sum(args[0], args[1], kind),
            "sub" if is_word => {
                if args[0] == Arg::Int(0) {
                    let of = self.plain(args[1], Kind::Int);
                    return Some(Ex::new(format!("-{}", of.at(UNARY + 1)), UNARY, of.kind));
                }
                let (left, right) = (self.plain(args[0], kind), self.plain(args[1], kind));
                infix(&left, "-", &right, PLUS, Self::common(&left, &right))
            }
            "mul" if is_word && modifiers.starts_with("lo") => {
                let (left, right) = (self.plain(args[0], kind), self.plain(args[1], kind));
                infix(&left, "*", &right, TIMES, Self::common(&left, &right))
            }
            "mul" if modifiers == "wide.s32" || modifiers == "wide.u32" => {
                let (left, right) = (self.signed(args[0], word), self.signed(args[1], word));
                let wide = if word == "s32" { "int64_t" } else { "uint64_t" };
                infix(&Ex::new(format!("{wide}({})", left.text), ATOM, Kind::Long), "*", &right, TIMES, Kind::Long)
            }
            "mad" if is_word && modifiers.starts_with("lo") => {
                let (left, right) = (self.plain(args[0], kind), self.plain(args[1], kind));
                let product = infix(&left, "*", &right, TIMES, Self::common(&left, &right));
                let third = self.plain(args[2], kind);
                infix(&product, "+", &third, PLUS, Self::common(&product, &third))
            }
            "mad" if modifiers == "wide.s32" || modifiers == "wide.u32" => return self.mad_wide(word, &args),
            "div" | "rem" if is_word => {
                let left = self.signed(args[0], word);
                // An operand without a sign takes that of the other one away.
                let right = match word == "u32" && left.kind == Kind::Unsigned {
                    true => self.plain(args[1], Kind::Unsigned),
                    false => self.signed(args[1], word),
                };
                let sign = if inst.instruction.name == "div" { "/" } else { "%" };
                infix(&left, sign, &right, TIMES, Self::common(&left, &right))
            }
            "div" if modifiers == "rn.f32" || modifiers == "rn.f64" => {
                let float = if word == "f64" { Kind::Double } else { Kind::Float };
                let (left, right) = (self.arg(args[0], float), self.arg(args[1], float));
                infix(&left, "/", &right, TIMES, float)
            }
            "neg" if modifiers == "f32" || modifiers == "f64" || is_word => {
                let of = self.plain(args[0], kind);
                Ex::new(format!("-{}", of.at(UNARY + 1)), UNARY, of.kind)
            }
            "abs" if modifiers == "f32" => call("fabsf", &[&self.arg(args[0], Kind::Float)], Kind::Float),
            "abs" if modifiers == "f64" => call("fabs", &[&self.arg(args[0], Kind::Double)], Kind::Double),
            "sqrt" if modifiers == "rn.f32" => call("sqrtf", &[&self.arg(args[0], Kind::Float)], Kind::Float),
            "min" | "max" => return self.extreme(inst, word),
            "and" | "or" | "xor" | "not" => return self.logic(inst, word, kind),
            "shl" | "shr" => return self.shift(inst, word, kind),
            "setp" => return self.comparison(inst, word, relation(inst)),
            "selp" => {
                let (yes, no) = (self.arg(args[0], kind), self.arg(args[1], kind));
                let (yes, no) = (as_kind(yes, kind), as_kind(no, kind));
                let condition = self.arg(args[2], Kind::Bool);
                Ex::new(format!("{} ? {} : {}", condition.at(EITHER), yes.at(EITHER), no.at(CHOICE)), CHOICE, kind)
            }
            "cvt" => return self.cvt(inst, kind),
            "pack" => return self.packed(inst),
            "shfl.sync" | "vote.sync" | "redux.sync" => return self.across_lanes(inst, kind),
            "ld" => return self.loaded(inst, word, kind),
            _ => return None,
        })
    }

    /// A number from memory.
    fn loaded(&mut self, inst: &Inst<'_>, word: &str, kind: Kind) -> Option<Ex> {
        let (args, modifiers) = (inst.args.clone(), inst.modifiers);
        let (name, words) = match modifiers.split('.').collect::<Vec<_>>().as_slice() {
            ["global", _] => ("", word),
            ["global", "nc", _] => ("__ldg", word),
            ["global", "cg", _] => ("__ldcg", word),
            ["global", "cs", _] => ("__ldcs", word),
            ["shared", _] => ("shared", word),
            _ => return None,
        };
        let ty = memory_type(words, kind);
        if name == "shared" {
            return Some(self.shared(&ty, args[0], args[1], kind));
        }
        let at = self.element_at(&ty, args[0], args[1], true);
        let text = if name.is_empty() { at } else { format!("{name}(&{at})") };
        Some(Ex::new(text, if name.is_empty() { UNARY } else { ATOM }, loaded(words, kind)))
    }

    fn sum(&mut self, first: Arg, second: Arg, kind: Kind) -> Option<Ex> {
        if let (Arg::Value(base), Arg::Int(bytes)) = (first, second)
            && let Some(Kind::Pointer(elem, read_only)) = self.values.kinds.get(&base).copied()
        {
            let base = self.value(base);
            let size = elem.size() as i64;
            let kind = Kind::Pointer(elem, read_only);
            if bytes % size == 0 {
                return Some(pointer_sum(&base, &number(Arg::Int(bytes / size), Kind::Int), kind));
            }
            let cast = if read_only { "const char*" } else { "char*" };
            return Some(Ex::new(format!("({})(({cast}){} + {bytes})", kind.text(), base.at(UNARY)), UNARY, kind));
        }
        let (left, mut right) = (self.plain(first, kind), self.plain(second, kind));
        let mut sign = "+";
        if let Arg::Int(value) = second
            && value < 0
            && value > i64::from(i32::MIN)
        {
            sign = "-";
            right = number(Arg::Int(-value), Kind::Int);
        } else if let Some(of) = right.text.strip_prefix('-')
            && right.level == UNARY
        {
            sign = "-";
            right = Ex::new(of, UNARY + 1, right.kind);
        }
        // `a + b * -6` is `a - b * 6`, and `-a + 9` is `9 - a`.
        if let Some((of, by)) = right.text.rsplit_once(" * -")
            && sign == "+"
            && right.level == TIMES
            && by.bytes().all(|byte| byte.is_ascii_digit())
        {
            sign = "-";
            right = Ex::new(format!("{of} * {by}"), TIMES, right.kind);
        }
        let common = Self::common(&left, &right);
        if let Some(of) = left.text.strip_prefix('-')
            && left.level == UNARY
            && sign == "+"
        {
            let of = Ex::new(of, UNARY + 1, left.kind);
            return Some(infix(&right, "-", &of, PLUS, common));
        }
        Some(infix(&left, sign, &right, PLUS, common))
    }

    fn mad_wide(&mut self, word: &str, args: &[Arg]) -> Option<Ex> {
        let by = self.signed(args[0], word);
        let base = match args[2] {
            Arg::Value(base) => self.values.kinds.get(&base).copied(),
            _ => None,
        };
        if let (Some(kind @ Kind::Pointer(elem, read_only)), Arg::Int(step)) = (base, args[1]) {
            let size = elem.size() as i64;
            let base = self.plain(args[2], Kind::Long);
            if step % size == 0 {
                let by = if step == size {
                    by
                } else {
                    infix(&by, "*", &number(Arg::Int(step / size), Kind::Int), TIMES, Kind::Int)
                };
                return Some(pointer_sum(&base, &by, kind));
            }
            let cast = if read_only { "const char*" } else { "char*" };
            let text = format!("({})(({cast}){} + int64_t({}) * {step})", kind.text(), base.at(UNARY), by.text);
            return Some(Ex::new(text, UNARY, kind));
        }
        let times = self.signed(args[1], word);
        let wide = if word == "s32" { "int64_t" } else { "uint64_t" };
        let product = infix(&Ex::new(format!("{wide}({})", by.text), ATOM, Kind::Long), "*", &times, TIMES, Kind::Long);
        let base = self.arg(args[2], Kind::Long);
        Some(infix(&base, "+", &product, PLUS, Kind::Long))
    }

    /// What holds where a comparison of integers does not, as a comparison.
    pub fn opposite(&mut self, inst: &Inst<'_>) -> Option<Ex> {
        let word = types(inst.modifiers).first().copied()?;
        let other = match relation(inst) {
            _ if inst.instruction.name != "setp" || matches!(word, "f32" | "f64") || inst.args.len() != 2 => {
                return None;
            }
            "lt" => "ge",
            "le" => "gt",
            "gt" => "le",
            "ge" => "lt",
            "eq" => "ne",
            "ne" => "eq",
            _ => return None,
        };
        self.comparison(inst, word, other)
    }

    fn comparison(&mut self, inst: &Inst<'_>, word: &str, relation: &str) -> Option<Ex> {
        let words: Vec<&str> = inst.modifiers.split('.').collect();
        let is_float = matches!(word, "f32" | "f64");
        let sign = match relation {
            "eq" => "==",
            "ne" if !is_float => "!=",
            "neu" if is_float => "!=",
            "lt" => "<",
            "le" => "<=",
            "gt" => ">",
            "ge" => ">=",
            _ => return None,
        };
        if words.contains(&"ftz") {
            return None;
        }
        let (left, right) = if is_float {
            let kind = if word == "f64" { Kind::Double } else { Kind::Float };
            (self.arg(inst.args[0], kind), self.arg(inst.args[1], kind))
        } else if matches!(relation, "eq" | "ne") && matches!(word, "s32" | "u32" | "b32") {
            (bits(self.plain(inst.args[0], Kind::Int)), bits(self.plain(inst.args[1], Kind::Int)))
        } else if matches!(word, "s32" | "u32" | "s64" | "u64") {
            let (mut left, mut right) = (self.signed(inst.args[0], word), self.signed(inst.args[1], word));
            // A number that is not negative compares with its sign and without one.
            if word == "u32" && left.kind != right.kind {
                for side in [&mut left, &mut right] {
                    if side.kind == Kind::Int {
                        *side = Ex::new(format!("unsigned({})", side.text), ATOM, Kind::Unsigned);
                    }
                }
            }
            (left, right)
        } else {
            return None;
        };
        let level = if matches!(sign, "==" | "!=") { EQUAL } else { LESS };
        let compared = infix(&left, sign, &right, level, Kind::Bool);
        match words.as_slice() {
            [_, _] => Some(compared),
            [_, join, _] => {
                let third = self.arg(inst.args[2], Kind::Bool);
                Some(match *join {
                    "and" => infix_same(&compared, "&&", &third, BOTH),
                    "or" => infix_same(&compared, "||", &third, EITHER),
                    _ => return None,
                })
            }
            _ => None,
        }
    }

    fn cvt(&mut self, inst: &Inst<'_>, kind: Kind) -> Option<Ex> {
        let args = inst.args.clone();
        let one =
            |writer: &mut Self, name: &str, from: Kind, to: Kind| Some(call(name, &[&writer.arg(args[0], from)], to));
        match inst.modifiers {
            "f32.f16" => one(self, "__half2float", Kind::Half, Kind::Float),
            "rn.f16.f32" => one(self, "__float2half_rn", Kind::Float, Kind::Half),
            "f32.bf16" => one(self, "__bfloat162float", Kind::Bfloat, Kind::Float),
            "rn.bf16.f32" => one(self, "__float2bfloat16_rn", Kind::Float, Kind::Bfloat),
            "f64.f32" => one(self, "double", Kind::Float, Kind::Double),
            "rn.f32.f64" => one(self, "float", Kind::Double, Kind::Float),
            "rn.f32.s32" => {
                let of = self.signed(args[0], "s32");
                Some(call("float", &[&of], Kind::Float))
            }
            "rn.f32.u32" => {
                let of = self.signed(args[0], "u32");
                Some(call("float", &[&of], Kind::Float))
            }
            "rn.f16x2.f32" => {
                let (high, low) = (self.arg(args[0], Kind::Float), self.arg(args[1], Kind::Float));
                self.uses("to_halves");
                Some(call("to_halves", &[&low, &high], Kind::Unsigned))
            }
            "s64.s32" => {
                let of = self.signed(args[0], "s32");
                Some(Ex::new(format!("int64_t({})", of.text), ATOM, Kind::Long))
            }
            "u64.u32" => {
                let of = self.signed(args[0], "u32");
                Some(Ex::new(format!("uint64_t({})", of.text), ATOM, Kind::Long))
            }
            "u16.u32" | "s16.s32" | "u16.s32" | "s16.u32" => {
                let of = self.plain(args[0], Kind::Int);
                Some(convert(Ex::new(format!("uint16_t({})", of.text), ATOM, Kind::Short), kind))
            }
            "u32.u16" | "s32.u16" => {
                let of = self.arg(args[0], Kind::Short);
                Some(Ex::new(format!("int({})", of.text), ATOM, Kind::Int))
            }
            _ => None,
        }
    }
}

fn infix_same(left: &Ex, sign: &str, right: &Ex, level: u8) -> Ex {
    // What is said in the other word stands in parentheses.
    let clear =
        |ex: &Ex| if ex.level == EITHER && level == BOTH || ex.level == BOTH && level == EITHER { ATOM } else { level };
    Ex::new(format!("{} {sign} {}", left.at(clear(left)), right.at(clear(right))), level, Kind::Bool)
}

/// A number in registers as bits.
fn bits(ex: Ex) -> Ex {
    match ex.kind {
        Kind::Float => convert(ex, Kind::Unsigned),
        Kind::Double => convert(ex, Kind::Long),
        _ => ex,
    }
}

/// A number of the thread or the block.
fn special(modifiers: &str) -> Option<Ex> {
    let (name, axis) = modifiers.split_once('.')?;
    let name = match name {
        "tid" => "threadIdx",
        "ntid" => "blockDim",
        "ctaid" => "blockIdx",
        "nctaid" => "gridDim",
        _ => return None,
    };
    Some(Ex::new(format!("int({name}.{axis})"), ATOM, Kind::Int))
}

/// What a choice gives has one type.
fn as_kind(ex: Ex, kind: Kind) -> Ex {
    match (ex.kind, kind) {
        (Kind::Int, Kind::Unsigned) if ex.text.parse::<i64>().is_err() => {
            Ex::new(format!("uint32_t({})", ex.text), ATOM, kind)
        }
        _ => ex,
    }
}

/// The kind of the operands of a slot.
pub fn slot_kind(slot: Slot, ty: Option<Type>) -> Kind {
    use dlc_ptx::form::Class;
    let of = |class: Class| match class {
        Class::Pred => Kind::Bool,
        Class::B16 => Kind::Short,
        Class::F32 => Kind::Float,
        Class::F64 => Kind::Double,
        Class::B64 => Kind::Long,
        Class::B32 => Kind::Unsigned,
        Class::W32 => {
            if ty == Some(Type::F32) {
                Kind::Float
            } else {
                Kind::Unsigned
            }
        }
        Class::W64 => {
            if ty == Some(Type::F64) {
                Kind::Double
            } else {
                Kind::Long
            }
        }
    };
    match slot {
        Slot::Reg(class) | Slot::Group(_, class) | Slot::Tied(_, class) => of(class),
        Slot::Address(class) => of(class),
        Slot::Tensor(_) | Slot::Immediate | Slot::Sink => kinds::Kind::Int,
    }
}

/// How a comparison compares: `lt`, `eq`, ..
fn relation<'i>(inst: &Inst<'i>) -> &'i str {
    inst.modifiers.split('.').next().unwrap_or("")
}
