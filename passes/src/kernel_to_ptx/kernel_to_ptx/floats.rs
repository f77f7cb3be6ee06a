//! Functions of floats. Each is rounded once to its type, but for those that the machine has only approximately: powers
//! and logarithms to the base of two, sine and quotients of one. Quotients of `f32` near zero are off by two units at most.
//! What has 16 or 8 bits is computed as `f32`, which has more than twice their digits, so that a sum, product, quotient or
//! root of two numbers is rounded as if once.

use dlc_core::precision::{KEPT_MASK, LARGE, LARGE_MASK};
use dlc_core::scalar::{Binary, Unary};
use dlc_ir::Type;
use dlc_ir::types::FloatKind;
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::{Code, Cond};
use super::scalar::Elem;

/// Two pi in three parts, each what the ones before it lack, rounded to `f32`. A multiple of it is taken away part by
/// part, each time rounded once. Source: Cody and Waite, "Software Manual for the Elementary Functions", 1980, chapter 8.
const TWO_PI: [f32; 3] = [6.283_185_5, -1.748_455_5e-7, -6.860_498e-15];

/// Constants from the reciprocal of this up to it, and their reciprocals, leave room for what is computed with them.
const FAR_FROM_LIMITS: f32 = 1.267_650_6e30;

/// Divisors from this, two to the power of -64, up to its reciprocal need no power of two that brings them near one.
pub const SMALL: f32 = 1.0 / 18_446_744_073_709_551_616.0;

impl Code<'_> {
    /// A float of 16 or 8 bits as `f32`; one that is wider stays.
    fn widened(&mut self, x: Arg, elem: Elem) -> Result<Arg, Refused> {
        match (elem, x) {
            (Elem::Small(kind), Arg::Int(bits)) => {
                Ok(Arg::F32((dlc_ir::float::decode(bits as u64, kind) as f32).to_bits()))
            }
            (Elem::Small(_), _) => self.convert(x, elem, Elem::F32),
            _ => Ok(x),
        }
    }

    fn narrowed(&mut self, x: Arg, elem: Elem) -> Result<Arg, Refused> {
        match elem {
            Elem::Small(_) => self.convert(x, Elem::F32, elem),
            _ => Ok(x),
        }
    }

    pub fn float_unary(&mut self, function: Unary, x: Arg, elem: Elem) -> Result<Arg, Refused> {
        let is_half = matches!(elem, Elem::Small(FloatKind::F16 | FloatKind::BF16));
        match (function, elem) {
            (Unary::Neg, Elem::Small(FloatKind::F8E4M3FN | FloatKind::F8E5M2)) => {
                return Ok(self.made(&table::XOR, "b16", &[x, Arg::Int(0x80)]));
            }
            (Unary::Neg, _) => return Ok(self.made(&table::NEG, elem.word(), &[x])),
            // A maximum that keeps what is no number.
            (Unary::Relu, Elem::F32) => return Ok(self.made(&table::MAX, "NaN.f32", &[x, 0f32.into()])),
            (Unary::Relu, Elem::F64) => {
                let below = self.inst(&table::SETP, "le.f64", &[x, Arg::F64(0)]);
                return Ok(self.select(Cond::If(below), Arg::F64(0), x, elem));
            }
            (Unary::Relu, _) if is_half => {
                let zero = self.float(Arg::Int(0), elem);
                return Ok(self.made(&table::MAX, &format!("NaN.{}", elem.word()), &[x, zero]));
            }
            (Unary::Trunc, Elem::F32 | Elem::F64 | Elem::Small(FloatKind::F16)) => {
                let word = elem.word();
                return Ok(self.made(&table::CVT, &format!("rzi.{word}.{word}"), &[x]));
            }
            (Unary::Recip, Elem::F64) => return Ok(self.made(&table::RCP, "rn.f64", &[x])),
            (Unary::Sqrt, Elem::F64) => return Ok(self.made(&table::SQRT, "rn.f64", &[x])),
            (_, Elem::F64) => {
                let message = format!("no instruction gives '{}' of f64", function.word());
                return Err(Refused::new(message).suggest("cast the numbers to f32 before"));
            }
            _ => {}
        }
        let x = self.widened(x, elem)?;
        let y = match function {
            Unary::Relu => self.made(&table::MAX, "NaN.f32", &[x, 0f32.into()]),
            Unary::Trunc => self.made(&table::CVT, "rzi.f32.f32", &[x]),
            Unary::Neg => self.made(&table::NEG, "f32", &[x]),
            Unary::Recip => match self.root_of(x) {
                Some(square) => self.made(&table::RSQRT, "approx.f32", &[square]),
                None => self.made(&table::RCP, "approx.f32", &[x]),
            },
            Unary::Sqrt => self.made(&table::SQRT, "rn.f32", &[x]),
            Unary::Exp2 => self.made(&table::EX2, "approx.ftz.f32", &[x]),
            Unary::Log2 => self.made(&table::LG2, "approx.f32", &[x]),
            Unary::Sin => self.sine(x),
            Unary::Tf32 => {
                let x = self.register(x, Type::F32);
                let rounded = self.inst(&table::CVT, "rna.tf32.f32", &[x.into()]);
                self.bits(rounded, Type::F32).into()
            }
            Unary::Tf32High => {
                let [high, _] = self.parts_of_tf32(x);
                let high = self.register(high, Type::I32);
                self.bits(high, Type::F32).into()
            }
            Unary::Tf32Low => {
                let [_, low] = self.parts_of_tf32(x);
                let low = self.and(low, KEPT_MASK.into());
                let low = self.register(low, Type::I32);
                self.bits(low, Type::F32).into()
            }
        };
        self.narrowed(y, elem)
    }

    /// The two numbers of `tf32` whose sum a number of `f32` is taken for: see
    /// [`Precision::split`](dlc_core::precision::Precision::split). Tensor cores ignore the low bits of the second one.
    pub fn parts_of_tf32(&mut self, number: Arg) -> [Arg; 2] {
        let number = self.register(number, Type::F32);
        let size = self.made(&table::ABS, "f32", &[number.into()]);
        let is_large = Cond::If(self.inst(&table::SETP, "ge.f32", &[size, LARGE.into()]));
        let rounded = self.made(&table::CVT, "rna.tf32.f32", &[number.into()]);
        let bits = self.bits(number, Type::I32);
        let near_one = self.and(bits.into(), LARGE_MASK.into());
        let high = self.choose(is_large, near_one, rounded);
        let high = self.register(high, Type::I32);
        let value = self.bits(high, Type::F32);
        let low = self.inst(&table::SUB, "rn.f32", &[number.into(), value.into()]);
        [high.into(), self.bits(low, Type::I32).into()]
    }

    /// One divided by a number that is none of those near zero which have fewer digits. A quotient that is one of them is
    /// zero, as of powers, and nothing is scaled before and after.
    pub fn recip_of_normal(&mut self, x: Arg, ty: Type) -> Result<Arg, Refused> {
        match x {
            Arg::Value(_) if ty == Type::F32 && self.root_of(x).is_none() => {
                Ok(self.made(&table::RCP, "approx.ftz.f32", &[x]))
            }
            _ => self.unary(Unary::Recip, x, ty),
        }
    }

    /// The sine, of what is left of a number when whole turns are taken away.
    fn sine(&mut self, x: Arg) -> Arg {
        let turns = self.made(&table::MUL, "rn.f32", &[x, (std::f32::consts::FRAC_1_PI / 2.0).into()]);
        let turns = self.made(&table::CVT, "rni.f32.f32", &[turns]);
        let rest =
            TWO_PI.iter().fold(x, |rest, &part| self.made(&table::FMA, "rn.f32", &[turns, (-part).into(), rest]));
        self.made(&table::SIN, "approx.f32", &[rest])
    }

    pub fn float_binary(&mut self, function: Binary, a: Arg, b: Arg, elem: Elem) -> Result<Arg, Refused> {
        if function.is_comparison() {
            let wide = elem.wide();
            let (a, b) = (self.widened(a, elem)?, self.widened(b, elem)?);
            let sign = match function {
                Binary::Ne => "neu",
                other => other.word(),
            };
            let a = self.float(a, wide);
            return Ok(self.made(&table::SETP, &format!("{sign}.{}", wide.word()), &[a, b]));
        }
        let word = elem.word();
        match (function, elem) {
            (Binary::Max | Binary::Min, Elem::Small(FloatKind::F16 | FloatKind::BF16)) => {
                let row = if function == Binary::Max { &table::MAX } else { &table::MIN };
                let (a, b) = (self.float(a, elem), self.float(b, elem));
                return Ok(self.made(row, &format!("NaN.{word}"), &[a, b]));
            }
            (Binary::Max | Binary::Min, Elem::F64) => {
                let row = if function == Binary::Max { &table::MAX } else { &table::MIN };
                let sum = self.made(row, "f64", &[a, b]);
                let (first, other) = (self.float(a, elem), self.float(b, elem));
                // There is none that keeps what is no number; a sum is none where one of both is none.
                let none = self.inst(&table::SETP, "nan.f64", &[first, other]);
                return Ok(self.select(Cond::If(none), Arg::F64(f64::NAN.to_bits()), sum, elem));
            }
            (Binary::Pow, Elem::F64) => {
                return Err(Refused::new("no instruction gives 'pow' of f64").suggest("cast the numbers to f32 before"));
            }
            _ => {}
        }
        let wide = elem.wide();
        let word = wide.word();
        let (a, b) = (self.widened(a, elem)?, self.widened(b, elem)?);
        // What says how it is rounded is not joined with something else.
        let rounded = if self.fuse { "" } else { "rn." };
        let y = match function {
            Binary::Add => self.made(&table::ADD, &format!("{rounded}{word}"), &[a, b]),
            Binary::Sub => self.made(&table::SUB, &format!("{rounded}{word}"), &[a, b]),
            Binary::Mul => self.made(&table::MUL, &format!("{rounded}{word}"), &[a, b]),
            // Operands of most instructions may be without their sign, at no cost.
            Binary::Max if self.is_negative_of(a, b) => self.made(&table::ABS, "f32", &[a]),
            Binary::Max if self.is_negative_of(b, a) => self.made(&table::ABS, "f32", &[b]),
            Binary::Max => self.made(&table::MAX, "NaN.f32", &[a, b]),
            Binary::Min => self.made(&table::MIN, "NaN.f32", &[a, b]),
            Binary::Fdiv => self.quotient(a, b, elem, false),
            Binary::Pow => self.power(a, b),
            _ => return Err(Refused::new(format!("'{}' is no function of floats", function.word()))),
        };
        self.narrowed(y, elem)
    }

    /// An `f32` divided by a constant: times the reciprocal, and what is left over of that. `div` would take another path, many
    /// times as long, wherever a thread of a warp divides zero. By powers of two nothing is left over. What is left over of
    /// numbers below 2^-102 is rounded, and quotients below 2^-126 are rounded twice: both may be off by a unit in the last place.
    ///
    /// Source: Markstein, "IA-64 and Elementary Functions", 2000, theorem 8.2.
    fn divided_by(&mut self, a: Arg, by: f32) -> Arg {
        let reciprocal = by.recip();
        if !(FAR_FROM_LIMITS.recip()..=FAR_FROM_LIMITS).contains(&by.abs()) {
            return self.made(&table::DIV, "rn.f32", &[a, by.into()]);
        }
        let quotient = self.made(&table::MUL, "rn.f32", &[a, reciprocal.into()]);
        if by.to_bits() & 0x007f_ffff == 0 {
            return quotient;
        }
        // The largest number in place of infinity: what is left over of that is infinite, or brings it down to the quotient.
        let quotient = self.made(&table::MIN, "f32", &[quotient, f32::MAX.into()]);
        let quotient = self.made(&table::MAX, "f32", &[quotient, f32::MIN.into()]);
        // The sign of what is left over is such that nothing times the reciprocal is -0, which changes no quotient.
        let (left, times) = match by > 0.0 {
            true => {
                let less = self.made(&table::NEG, "f32", &[a]);
                (self.made(&table::FMA, "rn.f32", &[quotient, by.into(), less]), -reciprocal)
            }
            false => (self.made(&table::FMA, "rn.f32", &[quotient, (-by).into(), a]), reciprocal),
        };
        self.made(&table::FMA, "rn.f32", &[left, times.into(), quotient])
    }

    /// One number divided by another one. Whether the magnitude of the divisor `is_moderate` says that it is zero, infinite, or
    /// from [`SMALL`] up to its reciprocal.
    fn quotient(&mut self, a: Arg, b: Arg, elem: Elem, is_moderate: bool) -> Arg {
        let a = self.float(a, elem.wide());
        match (b, elem) {
            (_, Elem::F64) => self.made(&table::DIV, "rn.f64", &[a, b]),
            (Arg::F32(bits), _) => self.divided_by(a, f32::from_bits(bits)),
            _ => self.divided_by_value(a, b, is_moderate || elem == Elem::Small(FloatKind::F16)),
        }
    }

    /// A quotient of floats by a divisor that is zero, infinite, or from [`SMALL`] up to its reciprocal.
    pub fn moderate_quotient(&mut self, a: Arg, b: Arg, ty: Type) -> Result<Arg, Refused> {
        let elem = Elem::of(self.ctx, ty)?;
        let (a, b) = (self.widened(a, elem)?, self.widened(b, elem)?);
        let quotient = self.quotient(a, b, elem, true);
        self.narrowed(quotient, elem)
    }

    /// An `f32` divided by another one: by a reciprocal, and twice by what is left over. As with constants `div` would take longer,
    /// and more so for zeros. The divisor is first brought near one by a power of two, unless it `is_moderate`. What is left over of
    /// numbers below 2^-102 is rounded, and quotients below 2^-125 are rounded twice: both may be off by two units in the last place.
    ///
    /// Source: Markstein, "IA-64 and Elementary Functions", 2000, chapter 8.
    fn divided_by_value(&mut self, a: Arg, b: Arg, is_moderate: bool) -> Arg {
        let (large, most) = (SMALL.recip(), 1.5 * 2f32.powi(127));
        let is_at = |code: &mut Self, x: Arg, sign: &str, limit: f32| {
            let size = code.made(&table::ABS, "f32", &[x]);
            Cond::If(code.inst(&table::SETP, &format!("{sign}.f32"), &[size, limit.into()]))
        };
        // Quotients are halved at least: one that is no infinity is far from it while it is computed. Those by small numbers are
        // far from zero then, too.
        let mut scale = Arg::from(2f32);
        if !is_moderate {
            let (is_small, is_large) = (is_at(self, b, "lt", SMALL), is_at(self, b, "gt", large));
            scale = self.select(is_small, 2f32.powi(25).into(), scale, Elem::F32);
            scale = self.select(is_large, (2.0 * SMALL).into(), scale, Elem::F32);
        }
        let by = self.made(&table::MUL, "rn.f32", &[b, scale]);
        let less = self.made(&table::NEG, "f32", &[by]);
        let fma = |code: &mut Self, a: Arg, b: Arg, c: Arg| code.made(&table::FMA, "rn.f32", &[a, b, c]);
        let near = self.made(&table::RCP, "approx.ftz.f32", &[by]);
        let off = fma(self, less, near, 1f32.into());
        let reciprocal = fma(self, near, off, near);
        // It is what it is if one of both is zero, an infinity, or no number, or if the quotient is an infinity.
        let first = self.made(&table::MUL, "rn.f32", &[near, a]);
        let (is_some, is_finite) = (is_at(self, first, "gt", 0.0), is_at(self, first, "le", most));
        let left = fma(self, less, first, a);
        let second = fma(self, left, reciprocal, first);
        let left = fma(self, less, second, a);
        let last = fma(self, left, reciprocal, second);
        let is_nearer = self.both(is_some, is_finite);
        let quotient = self.select(is_nearer, last, first, Elem::F32);
        self.made(&table::MUL, "rn.f32", &[quotient, scale])
    }

    /// The power of an `f32`: two to the power of the exponent times the logarithm of the magnitude; what that says
    /// nothing of is put right: signs, and the powers of one and to zero.
    fn power(&mut self, x: Arg, y: Arg) -> Arg {
        const TWO: u32 = 0x4000_0000;
        if y == Arg::F32(TWO) {
            return self.made(&table::MUL, "rn.f32", &[x, x]);
        }
        let (x, y) = (self.float(x, Elem::F32), self.float(y, Elem::F32));
        let (zero, one) = (Arg::from(0f32), Arg::from(1f32));
        let size = self.made(&table::ABS, "f32", &[x]);
        let log = self.made(&table::LG2, "approx.f32", &[size]);
        let scaled = self.made(&table::MUL, "rn.f32", &[log, y]);
        // One to any power, and anything to the power of zero.
        let is_one = Cond::If(self.inst(&table::SETP, "eq.f32", &[size, one]));
        let no_power = Cond::If(self.inst(&table::SETP, "eq.f32", &[y, zero]));
        let flat = self.either(is_one, no_power);
        let scaled = self.select(flat, zero, scaled, Elem::F32);
        let power = self.made(&table::EX2, "approx.ftz.f32", &[scaled]);
        // An odd power has the sign of the number.
        let whole = self.made(&table::CVT, "rzi.f32.f32", &[y]);
        let half = self.made(&table::MUL, "rn.f32", &[y, 0.5f32.into()]);
        let cut = self.made(&table::CVT, "rzi.f32.f32", &[half]);
        let is_whole = Cond::If(self.inst(&table::SETP, "eq.f32", &[whole, y]));
        let is_odd = Cond::If(self.inst(&table::SETP, "neu.f32", &[cut, half]));
        let is_odd = self.both(is_whole, is_odd);
        let bits = match x {
            Arg::Value(value) => Arg::Value(self.bits(value, dlc_ir::Type::I32)),
            other => other,
        };
        let is_signed = self.compare("lt", bits, Arg::Int(0));
        let turned = self.both(is_odd, is_signed);
        let negative = self.made(&table::NEG, "f32", &[power]);
        let power = self.select(turned, negative, power, Elem::F32);
        // A finite number below zero has only whole powers.
        let below = Cond::If(self.inst(&table::SETP, "lt.f32", &[x, zero]));
        let finite = Cond::If(self.inst(&table::SETP, "neu.f32", &[x, f32::NEG_INFINITY.into()]));
        let below = self.both(below, finite);
        let broken = self.not(is_whole);
        let none = self.both(below, broken);
        let power = self.select(none, f32::NAN.into(), power, Elem::F32);
        // What is no number stays none, but to the power of zero.
        let is_none = Cond::If(self.inst(&table::SETP, "nan.f32", &[x, y]));
        let other = self.not(flat);
        let is_none = self.both(is_none, other);
        self.select(is_none, f32::NAN.into(), power, Elem::F32)
    }

    /// A number as another type, neither of them known.
    pub fn convert(&mut self, x: Arg, from: Elem, to: Elem) -> Result<Arg, Refused> {
        let x = self.float(x, from);
        Ok(match (from, to) {
            _ if from == to => x,
            (Elem::Truth, Elem::Int { .. }) => self.select(super::scalar::cond_of(x), Arg::Int(1), Arg::Int(0), to),
            (Elem::Truth, _) => {
                let (one, zero) = match to {
                    Elem::F64 => (Arg::F64(1f64.to_bits()), Arg::F64(0)),
                    Elem::Small(kind) => (Arg::Int(dlc_ir::float::encode(1.0, kind) as i64), Arg::Int(0)),
                    _ => (1f32.into(), 0f32.into()),
                };
                self.select(super::scalar::cond_of(x), one, zero, to)
            }
            (Elem::Int { .. }, Elem::Truth) => {
                self.made(&table::SETP, &format!("ne.{}", from.word()), &[x, Arg::Int(0)])
            }
            (Elem::Int { .. }, Elem::Int { .. }) => self.int_to_int(x, from, to),
            // What is no number is not zero.
            (_, Elem::Truth) => {
                let (x, wide) = (self.widened(x, from)?, from.wide());
                let zero = if wide == Elem::F64 { Arg::F64(0) } else { 0f32.into() };
                self.made(&table::SETP, &format!("neu.{}", wide.word()), &[x, zero])
            }
            (Elem::Int { .. }, Elem::F32 | Elem::F64 | Elem::Small(FloatKind::F16)) => {
                self.made(&table::CVT, &format!("rn.{}.{}", to.word(), from.word()), &[x])
            }
            (Elem::Int { bits, .. }, Elem::Small(_)) => {
                let wide = if bits <= 16 {
                    self.made(&table::CVT, &format!("rn.f32.{}", from.word()), &[x])
                } else {
                    self.odd(x, from)
                };
                self.convert(wide, Elem::F32, to)?
            }
            (_, Elem::Int { .. }) => self.float_to_int(x, from, to)?,
            (Elem::F32, Elem::F64) => self.made(&table::CVT, "f64.f32", &[x]),
            (Elem::F64, Elem::F32) => self.made(&table::CVT, "rn.f32.f64", &[x]),
            (Elem::F32, Elem::Small(kind)) => self.rounded(x, kind),
            (Elem::F64, Elem::Small(FloatKind::F16)) => self.made(&table::CVT, "rn.f16.f64", &[x]),
            (Elem::F64, Elem::Small(kind)) => {
                let odd = self.odd(x, from);
                self.rounded(odd, kind)
            }
            (Elem::Small(FloatKind::F16), _) if to == Elem::F64 => self.made(&table::CVT, "f64.f16", &[x]),
            (Elem::Small(kind), Elem::F32) => match kind {
                FloatKind::F16 => self.made(&table::CVT, "f32.f16", &[x]),
                FloatKind::BF16 => self.made(&table::CVT, "f32.bf16", &[x]),
                _ => {
                    let half = self.byte_as_half(x, kind);
                    self.made(&table::CVT, "f32.f16", &[half])
                }
            },
            // Every 8-bit number is one of `f16`.
            (Elem::Small(kind @ (FloatKind::F8E4M3FN | FloatKind::F8E5M2)), Elem::Small(FloatKind::F16)) => {
                self.byte_as_half(x, kind)
            }
            (Elem::Small(_), _) => {
                let wide = self.convert(x, from, Elem::F32)?;
                self.convert(wide, Elem::F32, to)?
            }
            (Elem::F32 | Elem::F64, _) => x,
        })
    }

    fn byte_as_half(&mut self, x: Arg, kind: FloatKind) -> Arg {
        let word = if kind == FloatKind::F8E5M2 { "rn.f16x2.e5m2x2" } else { "rn.f16x2.e4m3x2" };
        let halves = self.made(&table::CVT, word, &[x]);
        self.unpack_halves(halves)[0]
    }

    /// An `f32` rounded to 16 or 8 bits.
    fn rounded(&mut self, x: Arg, kind: FloatKind) -> Arg {
        let (word, sign, limit, beyond) = match kind {
            FloatKind::F16 => return self.made(&table::CVT, "rn.f16.f32", &[x]),
            FloatKind::BF16 => return self.made(&table::CVT, "rn.bf16.f32", &[x]),
            // The instruction gives the largest number for what is too large. One that is exactly between that and the
            // next goes to the even one: 464 down, 61440 up.
            FloatKind::F8E5M2 => ("rn.satfinite.e5m2x2.f32", "ge.f32", 61_440f32, 0x7c),
            _ => ("rn.satfinite.e4m3x2.f32", "gt.f32", 464f32, 0x7f),
        };
        let byte = self.made(&table::CVT, word, &[0f32.into(), x]);
        let size = self.made(&table::ABS, "f32", &[x]);
        let large = self.inst(&table::SETP, sign, &[size, limit.into()]);
        let own = self.made(&table::AND, "b16", &[byte, Arg::Int(0x80)]);
        let infinite = self.made(&table::OR, "b16", &[own, Arg::Int(beyond)]);
        self.select(Cond::If(large), infinite, byte, Elem::Small(kind))
    }

    /// A number as an `f32` cut towards zero, whose last digit is odd where something was cut off: rounded again to fewer
    /// digits it is what rounding once would have given. Source: Boldo and Melquiond, "When double rounding is odd", 2005.
    fn odd(&mut self, x: Arg, from: Elem) -> Arg {
        let cut = self.inst(&table::CVT, &format!("rz.f32.{}", from.word()), &[x]);
        let word = from.word();
        // What is no number stays none: the comparison does not hold of it.
        let back = match from {
            Elem::F64 => self.made(&table::CVT, "f64.f32", &[cut.into()]),
            _ => self.made(&table::CVT, &format!("rzi.{word}.f32"), &[cut.into()]),
        };
        let kept = self.inst(&table::SETP, &format!("ne.{word}"), &[back, x]);
        let bits = Arg::Value(self.bits(cut, dlc_ir::Type::I32));
        let odd = self.or(bits, Arg::Int(1));
        let bits = self.choose(Cond::If(kept), odd, bits);
        match bits {
            Arg::Value(value) => Arg::Value(self.bits(value, dlc_ir::Type::F32)),
            other => other,
        }
    }

    /// A float cut towards zero as a 64-bit integer, of which the low ones are kept; what 64 bits do not hold is the
    /// lowest of them.
    fn float_to_int(&mut self, x: Arg, from: Elem, to: Elem) -> Result<Arg, Refused> {
        let (x, wide) = (self.widened(x, from)?, from.wide());
        let word = wide.word();
        let whole = self.made(&table::CVT, &format!("rzi.s64.{word}"), &[x]);
        // The instruction gives the highest for what is too high, and the lowest for what is too low or no number.
        const TWO_63: f64 = 9_223_372_036_854_775_808.0;
        let limit = if wide == Elem::F64 { Arg::F64(TWO_63.to_bits()) } else { Arg::from(TWO_63 as f32) };
        let high = self.inst(&table::SETP, &format!("ge.{word}"), &[x, limit]);
        Ok(match to {
            Elem::Int { bits: 64, .. } => self.select(Cond::If(high), Arg::Int(i64::MIN), whole, to),
            _ => {
                let low = self.made(&table::CVT, "u32.u64", &[whole]);
                let low = self.choose(Cond::If(high), Arg::Int(0), low);
                self.normalized(low, to)
            }
        })
    }

    /// The bits of a number as another type of as many bits.
    pub fn same_bits(&mut self, x: Arg, from: Elem, to: Elem) -> Result<Arg, Refused> {
        let value = self.register(x, from.held());
        let x = Arg::Value(value);
        Ok(match (from, to) {
            (Elem::Truth, _) | (_, Elem::Truth) => x,
            (Elem::Small(_), Elem::Int { .. }) => {
                let wide = self.made(&table::CVT, "u32.u16", &[x]);
                self.normalized(wide, to)
            }
            (Elem::Int { bits, .. }, Elem::Small(_)) => {
                let low = if bits < 16 { self.and(x, (1 << bits) - 1) } else { x };
                self.made(&table::CVT, "u16.u32", &[low])
            }
            (Elem::Int { .. }, Elem::Int { .. }) => self.normalized(x, to),
            _ if from.held() == to.held() => x,
            _ => self.bits(value, to.held()).into(),
        })
    }
}
