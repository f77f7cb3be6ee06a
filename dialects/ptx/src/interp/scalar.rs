//! What instructions compute that each lane does by itself: from the modifiers a function of bits.

use dlc_ir::types::FloatKind;

use super::number::{Exact, Mode, Ty, flush, integer, mask, nan, round, signed, to_integer, value};

/// The bits of a result from those of the operands. An error says what has no meaning.
pub type Scalar = Box<dyn Fn(&[u64]) -> Result<u64, &'static str> + Send + Sync>;

/// The modifiers that are no types.
#[derive(Clone, Copy, Default, Debug)]
struct Flags {
    mode: Mode,
    ftz: bool,
    sat: bool,
    relu: bool,
    nan: bool,
    /// To the nearest, ties away from zero.
    away: bool,
    /// To an integer.
    integral: bool,
    satfinite: bool,
}

impl Flags {
    fn of(words: &[&str]) -> Flags {
        let mut flags = Flags::default();
        for &word in words {
            match word {
                "rz" => flags.mode = Mode::Zero,
                "rm" => flags.mode = Mode::Down,
                "rp" => flags.mode = Mode::Up,
                "rni" => flags.integral = true,
                "rzi" => (flags.mode, flags.integral) = (Mode::Zero, true),
                "rmi" => (flags.mode, flags.integral) = (Mode::Down, true),
                "rpi" => (flags.mode, flags.integral) = (Mode::Up, true),
                "rna" => flags.away = true,
                "ftz" => flags.ftz = true,
                "sat" => flags.sat = true,
                "satfinite" => flags.satfinite = true,
                "relu" => flags.relu = true,
                "NaN" => flags.nan = true,
                _ => {}
            }
        }
        flags
    }
}

fn ok(f: impl Fn(&[u64]) -> u64 + Send + Sync + 'static) -> Option<Scalar> {
    Some(Box::new(move |x| Ok(f(x))))
}

/// The function of an instruction, if each lane computes it by itself.
pub fn scalar(name: &str, words: &[&str]) -> Option<Scalar> {
    let ty = words.iter().rev().find_map(|word| Ty::of(word));
    let flags = Flags::of(words);
    match name {
        "mov" => ok(|x| x[0]),
        // What does not matter shows where it does.
        "undef" => {
            let all = mask(ty?.bits());
            ok(move |_| all)
        }
        "pack" => {
            let half = ty?.bits() / 2;
            ok(move |x| x[0] | x[1] << half)
        }
        "and" => ok(|x| x[0] & x[1]),
        "or" => ok(|x| x[0] | x[1]),
        "xor" => ok(|x| x[0] ^ x[1]),
        "not" => {
            let mask = mask(ty?.bits());
            ok(move |x| !x[0] & mask)
        }
        "selp" => ok(|x| if x[2] & 1 == 1 { x[0] } else { x[1] }),
        "shl" => {
            let bits = ty?.bits();
            ok(move |x| if x[1] >= bits.into() { 0 } else { x[0] << x[1] & mask(bits) })
        }
        "shr" => match ty? {
            Ty::Int { bits, signed: true } => ok(move |x| (signed(x[0], bits) >> x[1].min(63)) as u64 & mask(bits)),
            Ty::Int { bits, .. } => ok(move |x| if x[1] >= bits.into() { 0 } else { (x[0] & mask(bits)) >> x[1] }),
            _ => None,
        },
        "prmt" => ok(prmt),
        "lop3" => ok(|x| {
            let mut bits = 0;
            for at in 0..32 {
                let row = (x[0] >> at & 1) << 2 | (x[1] >> at & 1) << 1 | x[2] >> at & 1;
                bits |= (x[3] >> row & 1) << at;
            }
            bits
        }),
        "setp" => compare(words, ty?, flags),
        "cvt" => convert(words, flags),
        "mapa" => ok(|x| x[0] & 0xFF_FFFF | (x[1] + 1) << 24),
        "ex2" | "lg2" | "sin" | "cos" | "tanh" | "rsqrt" | "rcp" | "sqrt" => function(name, ty?, flags),
        "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "neg" | "abs" | "min" | "max" => match ty? {
            Ty::Int { bits, signed } => integers(name, words, bits, signed),
            Ty::Float(kind) => {
                let f = floats(name, words, kind, flags)?;
                ok(move |x| f(x))
            }
            Ty::Pair(kind) => {
                let f = floats(name, words, kind, flags)?;
                ok(move |x| pairs(x, &f))
            }
            Ty::Pred => None,
        },
        _ => None,
    }
}

fn prmt(x: &[u64]) -> u64 {
    let bytes = x[0] & 0xFFFF_FFFF | x[1] << 32;
    let mut result = 0;
    for at in 0..4 {
        let digit = x[2] >> (4 * at) & 15;
        let byte = bytes >> (8 * (digit & 7)) & 0xFF;
        let byte = match digit >> 3 {
            0 => byte,
            _ => (byte >> 7) * 0xFF,
        };
        result |= byte << (8 * at);
    }
    result
}

/// A function of both halves of registers.
fn pairs(x: &[u64], f: &dyn Fn(&[u64]) -> u64) -> u64 {
    let mut half = [0u64; 3];
    let mut at = |shift: u32| {
        half.iter_mut().zip(x).for_each(|(half, x)| *half = x >> shift & 0xFFFF);
        f(&half[..x.len().min(3)])
    };
    at(0) | at(16) << 16
}

fn integers(name: &str, words: &[&str], bits: u32, is_signed: bool) -> Option<Scalar> {
    let all = mask(bits);
    let number = move |x: u64| integer(x, bits, is_signed);
    let wide = words.contains(&"wide");
    let high = words.contains(&"hi");
    let out = if wide { mask(2 * bits) } else { all };
    match name {
        "add" => ok(move |x| x[0].wrapping_add(x[1]) & all),
        "sub" => ok(move |x| x[0].wrapping_sub(x[1]) & all),
        "mul" if high => ok(move |x| (number(x[0]).wrapping_mul(number(x[1])) >> bits) as u64 & all),
        "mul" => ok(move |x| number(x[0]).wrapping_mul(number(x[1])) as u64 & out),
        "mad" => ok(move |x| (number(x[0]).wrapping_mul(number(x[1])) as u64).wrapping_add(x[2]) & out),
        "div" | "rem" => {
            let is_div = name == "div";
            Some(Box::new(move |x| {
                let (a, b) = (number(x[0]), number(x[1]));
                match b {
                    0 => Err("an integer is divided by zero"),
                    _ => Ok((if is_div { a / b } else { a % b }) as u64 & all),
                }
            }))
        }
        "neg" => ok(move |x| x[0].wrapping_neg() & all),
        "abs" => ok(move |x| number(x[0]).unsigned_abs() as u64 & all),
        "min" => ok(move |x| if number(x[0]) <= number(x[1]) { x[0] } else { x[1] }),
        "max" => ok(move |x| if number(x[0]) >= number(x[1]) { x[0] } else { x[1] }),
        _ => None,
    }
}

type Function = Box<dyn Fn(&[u64]) -> u64 + Send + Sync>;

fn floats(name: &str, words: &[&str], kind: FloatKind, flags: Flags) -> Option<Function> {
    let (mode, ftz) = (flags.mode, flags.ftz);
    let read = move |bits: u64| {
        let number = value(bits, kind);
        if ftz { flush(number, kind) } else { number }
    };
    let finish = move |exact: Exact| {
        let bits = exact.round(kind, mode);
        if !(ftz || flags.sat || flags.relu) {
            return bits;
        }
        let mut number = value(bits, kind);
        if ftz {
            number = flush(number, kind);
        }
        if flags.sat {
            number = if number.is_nan() { 0.0 } else { number.clamp(0.0, 1.0) + 0.0 };
        }
        if flags.relu && number <= 0.0 {
            number = 0.0;
        }
        if number.is_nan() {
            nan(kind)
        } else if kind == FloatKind::F64 {
            number.to_bits()
        } else {
            round(number, kind, Mode::Nearest)
        }
    };
    // The sum of two numbers that cancel is negative where it is rounded down.
    let sum = move |a: f64, b: f64| {
        let exact = Exact::sum(a, b);
        let cancels = exact.near == 0.0 && exact.rest == 0.0 && mode == Mode::Down && a.to_bits() != b.to_bits();
        if cancels { Exact::from(-0.0) } else { exact }
    };
    let sign = 1u64 << (kind.bits() - 1);
    Some(match name {
        "add" => Box::new(move |x| finish(sum(read(x[0]), read(x[1])))),
        "sub" => Box::new(move |x| finish(sum(read(x[0]), -read(x[1])))),
        "mul" => Box::new(move |x| finish(Exact::product(read(x[0]), read(x[1])))),
        "fma" if kind == FloatKind::F64 => Box::new(move |x| finish(read(x[0]).mul_add(read(x[1]), read(x[2])).into())),
        // A product of 32-bit numbers is one of 64.
        "fma" => Box::new(move |x| finish(sum(read(x[0]) * read(x[1]), read(x[2])))),
        // A 64-bit quotient, rounded again, is the nearest one of 32.
        "div" => Box::new(move |x| finish((read(x[0]) / read(x[1])).into())),
        "neg" if !ftz => Box::new(move |x| x[0] ^ sign),
        "abs" if !ftz => Box::new(move |x| x[0] & !sign),
        "neg" => Box::new(move |x| finish((-read(x[0])).into())),
        "abs" => Box::new(move |x| finish(read(x[0]).abs().into())),
        "min" | "max" => {
            let smaller = name == "min";
            let any = words.contains(&"NaN");
            Box::new(move |x| {
                let (a, b) = (read(x[0]), read(x[1]));
                let chosen = match (a.is_nan(), b.is_nan()) {
                    (true, true) => f64::NAN,
                    (true, false) => {
                        if any {
                            a
                        } else {
                            b
                        }
                    }
                    (false, true) => {
                        if any {
                            b
                        } else {
                            a
                        }
                    }
                    // Zeros are distinguished by their signs.
                    _ if a == b => {
                        if a.is_sign_negative() == smaller {
                            a
                        } else {
                            b
                        }
                    }
                    _ => {
                        if (a < b) == smaller {
                            a
                        } else {
                            b
                        }
                    }
                };
                finish(chosen.into())
            })
        }
        _ => return None,
    })
}

fn function(name: &str, ty: Ty, flags: Flags) -> Option<Scalar> {
    let f: fn(f64) -> f64 = match name {
        "ex2" => f64::exp2,
        "lg2" => f64::log2,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tanh" => f64::tanh,
        "rsqrt" => |x| 1.0 / x.sqrt(),
        "rcp" => |x| 1.0 / x,
        "sqrt" => f64::sqrt,
        _ => return None,
    };
    let (Ty::Float(kind) | Ty::Pair(kind)) = ty else { return None };
    let of_one = move |x: &[u64]| {
        let number = value(x[0], kind);
        let number = f(if flags.ftz { flush(number, kind) } else { number });
        let bits = Exact::from(number).round(kind, Mode::Nearest);
        match flags.ftz {
            true => Exact::from(flush(value(bits, kind), kind)).round(kind, Mode::Nearest),
            false => bits,
        }
    };
    match ty {
        Ty::Pair(_) => ok(move |x| pairs(x, &of_one)),
        _ => ok(of_one),
    }
}

fn compare(words: &[&str], ty: Ty, flags: Flags) -> Option<Scalar> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let word = words.first().copied()?.to_string();
    let (plain, unordered) = match word.strip_suffix('u') {
        Some(plain) => (plain.to_string(), true),
        None => (word.clone(), false),
    };
    let wanted: &'static [std::cmp::Ordering] = match plain.as_str() {
        "eq" => &[Equal],
        "ne" => &[Less, Greater],
        "lt" => &[Less],
        "le" => &[Less, Equal],
        "gt" => &[Greater],
        "ge" => &[Greater, Equal],
        "num" => &[Less, Equal, Greater],
        "nan" => &[],
        _ => return None,
    };
    let unordered = unordered || plain == "nan";
    let order: Box<dyn Fn(u64, u64) -> Option<std::cmp::Ordering> + Send + Sync> = match ty {
        Ty::Int { bits, signed } => Box::new(move |a, b| Some(integer(a, bits, signed).cmp(&integer(b, bits, signed)))),
        Ty::Float(kind) => {
            let read = move |bits| if flags.ftz { flush(value(bits, kind), kind) } else { value(bits, kind) };
            Box::new(move |a, b| read(a).partial_cmp(&read(b)))
        }
        _ => return None,
    };
    let with = words.get(1).copied().unwrap_or("");
    let combine: fn(bool, u64) -> bool = match with {
        "and" => |holds, other| holds && other & 1 == 1,
        "or" => |holds, other| holds || other & 1 == 1,
        "xor" => |holds, other| holds != (other & 1 == 1),
        _ => |holds, _| holds,
    };
    ok(move |x| {
        let holds = order(x[0], x[1]).map_or(unordered, |order| wanted.contains(&order));
        combine(holds, x.get(2).copied().unwrap_or(0)).into()
    })
}

fn convert(words: &[&str], flags: Flags) -> Option<Scalar> {
    let [.., to, from] = *words else { return None };
    let (to, from) = (Ty::of(to)?, Ty::of(from)?);
    // What is narrower than its register fills it.
    let register = |bits: u32| bits.max(16);
    match (from, to) {
        (Ty::Int { bits, signed }, Ty::Int { bits: out, signed: out_signed }) => ok(move |x| {
            let mut number = integer(x[0], bits, signed);
            if flags.sat {
                let (low, high) = range(out, out_signed);
                number = number.clamp(low, high);
            }
            integer(number as u64, out, out_signed) as u64 & mask(register(out))
        }),
        (Ty::Int { bits, signed }, Ty::Float(kind)) => {
            ok(move |x| Exact::integer(integer(x[0], bits, signed)).round(kind, flags.mode))
        }
        (Ty::Float(kind), Ty::Int { bits: out, signed: out_signed }) => ok(move |x| {
            let number = value(x[0], kind);
            let number = if flags.ftz { flush(number, kind) } else { number };
            if number.is_nan() {
                let wide = kind == FloatKind::F64 || out == 64;
                return if wide { 1 << (out - 1) } else { 0 };
            }
            let (low, high) = range(out, out_signed);
            (to_integer(number, flags.mode) as i128).clamp(low, high) as u64 & mask(register(out))
        }),
        (Ty::Float(kind), Ty::Float(out)) => ok(move |x| float_to_float(x[0], kind, out, flags)),
        // The first number is the high half.
        (Ty::Float(kind), Ty::Pair(out)) => {
            let bits = out.bits();
            ok(move |x| float_to_float(x[0], kind, out, flags) << bits | float_to_float(x[1], kind, out, flags))
        }
        (Ty::Pair(kind), Ty::Pair(out)) => {
            let (low, bits) = (kind.bits(), out.bits());
            ok(move |x| {
                let half = |at: u32| float_to_float(x[0] >> (at * low) & mask(low), kind, out, flags);
                half(0) | half(1) << bits
            })
        }
        _ => None,
    }
}

fn range(bits: u32, is_signed: bool) -> (i128, i128) {
    match is_signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    }
}

fn float_to_float(bits: u64, from: FloatKind, to: FloatKind, flags: Flags) -> u64 {
    let mut number = value(bits, from);
    if flags.ftz && from == FloatKind::F32 {
        number = flush(number, from);
    }
    if number.is_nan() {
        return if flags.sat { 0 } else { nan(to) };
    }
    if flags.integral {
        number = to_integer(number, flags.mode);
    }
    if flags.relu && number <= 0.0 {
        number = 0.0;
    }
    if flags.sat {
        number = number.clamp(0.0, 1.0);
    }
    if flags.away {
        // Half of what is cut off is added: a tie goes away from zero.
        let bits = (number as f32).to_bits();
        return u64::from(if number.is_finite() { (bits + 0x1000) & !0x1FFF } else { bits });
    }
    if flags.satfinite {
        let most = if to == FloatKind::F8E4M3FN { 448.0 } else { 57344.0 };
        number = number.clamp(-most, most);
    }
    let mode = if flags.integral { Mode::Nearest } else { flags.mode };
    let bits = Exact::from(number).round(to, mode);
    match flags.ftz && to == FloatKind::F32 {
        true => round(flush(value(bits, to), to), to, Mode::Nearest),
        false => bits,
    }
}
