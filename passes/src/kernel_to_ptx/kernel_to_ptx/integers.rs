//! Functions of integers and truth values. Those of up to 32 bits are computed with 32 and brought back to their width;
//! what is divided by zero is what dividing by one gives.

use dlc_core::scalar::{Binary, Unary};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::{Code, Cond};
use super::scalar::{Elem, cond_of, of_cond};

/// The bits of an integer, and whether it has a sign.
fn width(elem: Elem) -> (u32, bool) {
    match elem {
        Elem::Int { bits, signed } => (bits, signed),
        _ => (32, true),
    }
}

impl Code<'_> {
    /// A 32-bit integer brought back to the width of its type, and extended again.
    pub fn normalized(&mut self, x: Arg, elem: Elem) -> Arg {
        let (bits, signed) = width(elem);
        match (bits, signed) {
            (32.., _) => x,
            (_, false) => self.and(x, (1 << bits) - 1),
            (_, true) => {
                let by = Arg::Int((32 - bits).into());
                let up = self.made(&table::SHL, "b32", &[x, by]);
                self.made(&table::SHR, "s32", &[up, by])
            }
        }
    }

    pub fn int_to_int(&mut self, x: Arg, from: Elem, to: Elem) -> Arg {
        let ((own, signed), (bits, sign)) = (width(from), width(to));
        match (own, bits) {
            (64, 64) => x,
            (64, _) => {
                let low = self.made(&table::CVT, "u32.u64", &[x]);
                self.normalized(low, to)
            }
            (_, 64) => self.made(&table::CVT, if signed { "s64.s32" } else { "u64.u32" }, &[x]),
            // What fits stays.
            _ if own <= bits && signed == sign || own < bits && !signed => x,
            _ => self.normalized(x, to),
        }
    }

    pub fn int_unary(&mut self, function: Unary, x: Arg, elem: Elem) -> Result<Arg, Refused> {
        let word = elem.word();
        let (bits, signed) = width(elem);
        match (function, elem) {
            (Unary::Neg, Elem::Truth) => Ok(of_cond(self.not(cond_of(x)))),
            (Unary::Neg, _) => {
                let turned = self.made(&table::NEG, if bits == 64 { "s64" } else { "s32" }, &[x]);
                Ok(self.normalized(turned, elem))
            }
            (Unary::Relu, Elem::Int { .. }) if signed => Ok(self.made(&table::MAX, word, &[x, Arg::Int(0)])),
            (Unary::Relu | Unary::Trunc, _) => Ok(x),
            _ => Err(Refused::new(format!("'{}' is no function of integers", function.word()))),
        }
    }

    pub fn truth_binary(&mut self, function: Binary, a: Arg, b: Arg) -> Result<Arg, Refused> {
        let (a, b) = (cond_of(a), cond_of(b));
        Ok(of_cond(match function {
            Binary::Add | Binary::Or | Binary::Max => self.either(a, b),
            Binary::Mul | Binary::And | Binary::Min => self.both(a, b),
            Binary::Sub | Binary::Xor | Binary::Ne => self.differ(a, b),
            Binary::Eq => {
                let differ = self.differ(a, b);
                self.not(differ)
            }
            Binary::Lt => {
                let other = self.not(a);
                self.both(other, b)
            }
            Binary::Le => {
                let other = self.not(a);
                self.either(other, b)
            }
            Binary::Gt | Binary::Cmod | Binary::Shl | Binary::Shr => {
                let other = self.not(b);
                self.both(a, other)
            }
            Binary::Ge | Binary::Pow => {
                let other = self.not(b);
                self.either(a, other)
            }
            Binary::Cdiv | Binary::Floordiv => a,
            Binary::Floormod => Cond::Known(false),
            Binary::Fdiv => return Err(Refused::new("'fdiv' is no function of truth values")),
        }))
    }

    /// Whether one of two conditions holds and the other does not.
    pub fn differ(&mut self, a: Cond, b: Cond) -> Cond {
        match (a, b) {
            (Cond::Known(a), Cond::Known(b)) => Cond::Known(a != b),
            (Cond::Known(false), x) | (x, Cond::Known(false)) => x,
            (Cond::Known(true), x) | (x, Cond::Known(true)) => self.not(x),
            (Cond::If(a), Cond::If(b)) => Cond::If(self.inst(&table::XOR, "pred", &[a.into(), b.into()])),
        }
    }

    pub fn int_binary(&mut self, function: Binary, a: Arg, b: Arg, elem: Elem) -> Result<Arg, Refused> {
        let word = elem.word();
        let (bits, signed) = width(elem);
        let plain = if bits == 64 { "b64" } else { "b32" };
        let known = match b {
            Arg::Int(value) => Some(value),
            _ => None,
        };
        Ok(match function {
            Binary::Add | Binary::Sub => {
                let row = if function == Binary::Add { &table::ADD } else { &table::SUB };
                let sum = self.made(row, word, &[a, b]);
                self.normalized(sum, elem)
            }
            Binary::Mul => {
                let product = self.int_product(a, b, elem);
                self.normalized(product, elem)
            }
            Binary::Max => self.made(&table::MAX, word, &[a, b]),
            Binary::Min => self.made(&table::MIN, word, &[a, b]),
            Binary::And => self.made(&table::AND, plain, &[a, b]),
            Binary::Or => self.made(&table::OR, plain, &[a, b]),
            Binary::Xor => self.made(&table::XOR, plain, &[a, b]),
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
                let a = self.register(a, elem.held()).into();
                self.made(&table::SETP, &format!("{}.{word}", function.word()), &[a, b])
            }
            // The machine takes the amount without a sign, and moves everything out where it is too large.
            Binary::Shl => {
                let by = self.amount(b, elem);
                let moved = self.made(&table::SHL, plain, &[a, by]);
                self.normalized(moved, elem)
            }
            Binary::Shr => {
                let by = self.amount(b, elem);
                self.made(&table::SHR, word, &[a, by])
            }
            Binary::Floordiv if known.is_some_and(|n| n > 0 && (n as u64).is_power_of_two()) => {
                let by = known.unwrap_or(1).trailing_zeros();
                if by == 0 { a } else { self.made(&table::SHR, word, &[a, Arg::Int(by.into())]) }
            }
            Binary::Floormod if known.is_some_and(|n| n > 0 && (n as u64).is_power_of_two()) => {
                self.made(&table::AND, plain, &[a, Arg::Int(known.unwrap_or(1) - 1)])
            }
            Binary::Cdiv => {
                let (quotient, _, _) = self.divided(a, b, elem);
                self.normalized(quotient, elem)
            }
            // By zero it leaves the left side.
            Binary::Cmod => {
                let (quotient, a, _) = self.divided(a, b, elem);
                let back = self.int_product(quotient, b, elem);
                let rest = self.made(&table::SUB, word, &[a, back]);
                self.normalized(rest, elem)
            }
            Binary::Floordiv | Binary::Floormod => {
                let (quotient, a, b) = self.divided(a, b, elem);
                let back = self.int_product(quotient, b, elem);
                let rest = self.made(&table::SUB, word, &[a, back]);
                let is_floor = function == Binary::Floordiv;
                if !signed {
                    return Ok(if is_floor { quotient } else { rest });
                }
                // One less, where something is left of another sign than the divisor.
                let mixed = self.made(&table::XOR, plain, &[rest, b]);
                let mixed = Cond::If(self.inst(&table::SETP, &format!("lt.{word}"), &[mixed, Arg::Int(0)]));
                let some = Cond::If(self.inst(&table::SETP, &format!("ne.{word}"), &[rest, Arg::Int(0)]));
                let less = self.both(mixed, some);
                let below = match is_floor {
                    true => self.made(&table::ADD, word, &[quotient, Arg::Int(-1)]),
                    false => self.made(&table::ADD, word, &[rest, b]),
                };
                let result = self.select(less, below, if is_floor { quotient } else { rest }, elem);
                self.normalized(result, elem)
            }
            Binary::Pow => self.int_power(a, b, elem),
            Binary::Fdiv => {
                return Err(Refused::new("'fdiv' is no function of integers").suggest("cast the numbers to f32 before"));
            }
        })
    }

    fn int_product(&mut self, a: Arg, b: Arg, elem: Elem) -> Arg {
        match width(elem) {
            (64, _) => self.mul64(a, b),
            _ => self.mul(a, b),
        }
    }

    /// The quotient cut towards zero, the dividend, and the divisor, which is one where it was zero.
    fn divided(&mut self, a: Arg, b: Arg, elem: Elem) -> (Arg, Arg, Arg) {
        let word = elem.word();
        let a = self.register(a, elem.held()).into();
        let b = match b {
            Arg::Int(0) => Arg::Int(1),
            Arg::Value(_) => {
                let is_zero = self.inst(&table::SETP, &format!("eq.{word}"), &[b, Arg::Int(0)]);
                self.select(Cond::If(is_zero), Arg::Int(1), b, elem)
            }
            known => known,
        };
        let quotient = if b == Arg::Int(1) { a } else { self.made(&table::DIV, word, &[a, b]) };
        (quotient, a, b)
    }

    /// The amount of a shift, in 32 bits.
    fn amount(&mut self, by: Arg, elem: Elem) -> Arg {
        match (by, width(elem)) {
            (Arg::Int(by), (bits, _)) => Arg::Int(if (0..64).contains(&by) { by } else { bits.into() }),
            (by, (64, _)) => {
                let most = self.made(&table::MIN, "u64", &[by, Arg::Int(64)]);
                self.made(&table::CVT, "u32.u64", &[most])
            }
            (by, _) => by,
        }
    }

    /// An integer to the power of another, by squaring. To a negative power it is 0, but for 1 and -1.
    fn int_power(&mut self, base: Arg, exponent: Arg, elem: Elem) -> Arg {
        let (bits, signed) = width(elem);
        let plain = if bits == 64 { "b64" } else { "b32" };
        let word = elem.word();
        let digits = match exponent {
            Arg::Int(value) => 64 - value.unsigned_abs().leading_zeros(),
            _ => bits - u32::from(signed),
        };
        let (mut result, mut square) = (Arg::Int(1), base);
        for digit in 0..digits {
            let has = match exponent {
                Arg::Int(value) => Cond::Known(value >> digit & 1 == 1),
                _ => {
                    let own = self.made(&table::AND, plain, &[exponent, Arg::Int(1 << digit)]);
                    Cond::If(self.inst(&table::SETP, &format!("ne.{word}"), &[own, Arg::Int(0)]))
                }
            };
            let product = self.int_product(square, result, elem);
            result = self.select(has, product, result, elem);
            if digit + 1 < digits {
                square = self.int_product(square, square, elem);
            }
        }
        let result = self.normalized(result, elem);
        let negative = match exponent {
            _ if !signed => return result,
            Arg::Int(value) if value >= 0 => return result,
            Arg::Int(_) => Cond::Known(true),
            _ => Cond::If(self.inst(&table::SETP, &format!("lt.{word}"), &[exponent, Arg::Int(0)])),
        };
        let base = Arg::Value(self.register(base, elem.held()));
        let is_one = Cond::If(self.inst(&table::SETP, &format!("eq.{word}"), &[base, Arg::Int(1)]));
        let is_minus = Cond::If(self.inst(&table::SETP, &format!("eq.{word}"), &[base, Arg::Int(-1)]));
        let odd = match exponent {
            Arg::Int(value) => Cond::Known(value & 1 == 1),
            _ => {
                let own = self.made(&table::AND, plain, &[exponent, Arg::Int(1)]);
                Cond::If(self.inst(&table::SETP, &format!("ne.{word}"), &[own, Arg::Int(0)]))
            }
        };
        let of_minus = self.select(odd, Arg::Int(-1), Arg::Int(1), elem);
        let small = self.select(is_minus, of_minus, Arg::Int(0), elem);
        let small = self.select(is_one, Arg::Int(1), small, elem);
        self.select(negative, small, result, elem)
    }
}
