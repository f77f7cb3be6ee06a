//! Functions of single numbers: which way each goes, and what is known folded away. Floats and integers have files of
//! their own.

use dlc_core::scalar::{Binary, Unary};
use dlc_core::tensor::{ElemKind, TensorValue};
use dlc_ir::interp::Datum;
use dlc_ir::types::FloatKind;
use dlc_ir::{Context, Type, ValueId, float};
use dlc_ptx::inst::{Arg, row};
use dlc_ptx::table::{self, Instruction};

use super::Refused;
use super::code::{Code, Cond};

/// What the numbers of a type are, by how they are held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    /// Truth values, as predicates.
    Truth,
    /// Integers; up to 32 bits extended to 32, others in 64.
    Int {
        bits: u32,
        signed: bool,
    },
    F32,
    F64,
    /// Floats of 16 and 8 bits, as their bits.
    Small(FloatKind),
}

impl Elem {
    pub fn of(ctx: &Context, ty: Type) -> Result<Elem, Refused> {
        if ty == Type::INDEX {
            return Ok(Elem::Int { bits: 64, signed: true });
        }
        match ElemKind::of(ctx, ty) {
            Some(ElemKind::Float(FloatKind::F32)) => Ok(Elem::F32),
            Some(ElemKind::Float(FloatKind::F64)) => Ok(Elem::F64),
            Some(ElemKind::Float(kind)) if kind != FloatKind::TF32 => Ok(Elem::Small(kind)),
            Some(ElemKind::Int { bits: 1, .. }) => Ok(Elem::Truth),
            Some(ElemKind::Int { bits, signed }) if bits <= 32 || bits == 64 => {
                Ok(Elem::Int { bits: bits.into(), signed })
            }
            _ => Err(Refused::new(format!("no register holds a number of type {}", ty.display(ctx)))),
        }
    }

    /// The type of the register.
    pub fn held(self) -> Type {
        match self {
            Elem::Truth => Type::I1,
            Elem::Int { bits: 64, .. } => Type::I64,
            Elem::Int { .. } => Type::I32,
            Elem::F32 => Type::F32,
            Elem::F64 => Type::F64,
            Elem::Small(_) => Type::I16,
        }
    }

    /// The type in words of instructions: of integers as they are computed with, of other floats their bits.
    pub fn word(self) -> &'static str {
        match self {
            Elem::Truth => "pred",
            Elem::Int { bits: 64, signed: true } => "s64",
            Elem::Int { bits: 64, .. } => "u64",
            Elem::Int { signed: true, .. } => "s32",
            Elem::Int { .. } => "u32",
            Elem::F32 => "f32",
            Elem::F64 => "f64",
            Elem::Small(FloatKind::F16) => "f16",
            Elem::Small(FloatKind::BF16) => "bf16",
            Elem::Small(_) => "b16",
        }
    }

    /// The type in which sums of many are made.
    pub fn wide(self) -> Elem {
        match self {
            Elem::Small(_) => Elem::F32,
            other => other,
        }
    }

    /// The type of numbers of it.
    pub fn ty(self, own: Type) -> Type {
        match self {
            Elem::F32 => Type::F32,
            Elem::F64 => Type::F64,
            _ => own,
        }
    }
}

/// A number of a type as what stands in place of a register.
pub fn arg_of(ctx: &Context, ty: Type, value: &Datum) -> Option<Arg> {
    let number = |value: f64| match ty.float_kind(ctx)? {
        FloatKind::F64 => Some(Arg::F64(value.to_bits())),
        FloatKind::F32 => Some(Arg::F32(float::encode(value, FloatKind::F32) as u32)),
        kind => Some(Arg::Int(float::encode(value, kind) as i64)),
    };
    match value {
        Datum::Float(value) => number(*value),
        Datum::Int(value) => match ty.float_kind(ctx) {
            Some(_) => number(*value as f64),
            None => Some(Arg::Int(*value as i64)),
        },
        Datum::Opaque(_) => None,
    }
}

/// What stands in place of a register as a number of a type. `None` for a register.
fn datum_of(ctx: &Context, ty: Type, arg: Arg) -> Option<Datum> {
    match arg {
        Arg::Value(_) => None,
        Arg::F32(bits) => Some(Datum::Float(f32::from_bits(bits).into())),
        Arg::F64(bits) => Some(Datum::Float(f64::from_bits(bits))),
        Arg::Int(value) => match ty.float_kind(ctx) {
            Some(kind) => Some(Datum::Float(float::decode(value as u64, kind))),
            None => Some(Datum::Int(value.into())),
        },
    }
}

/// The type as one that tensors have.
fn plain(ty: Type) -> Type {
    if ty == Type::INDEX { Type::I64 } else { ty }
}

/// A condition in place of a predicate.
pub fn of_cond(cond: Cond) -> Arg {
    match cond {
        Cond::Known(known) => Arg::Int(known.into()),
        Cond::If(predicate) => predicate.into(),
    }
}

/// What stands in place of a predicate as a condition.
pub fn cond_of(arg: Arg) -> Cond {
    match arg {
        Arg::Value(value) => Cond::If(value),
        other => Cond::Known(other != Arg::Int(0)),
    }
}

impl Code<'_> {
    /// What is known of the result if all operands are.
    fn folded(
        &self,
        operands: &[(Arg, Type)],
        to: Type,
        f: impl Fn(&[TensorValue]) -> Result<TensorValue, String>,
    ) -> Option<Arg> {
        let ctx = self.ctx;
        let values: Option<Vec<TensorValue>> = operands
            .iter()
            .map(|&(arg, ty)| TensorValue::splat(ctx, Vec::new(), plain(ty), &datum_of(ctx, ty, arg)?).ok())
            .collect();
        let result = f(&values?).ok()?;
        arg_of(ctx, to, result.elements().first()?)
    }

    /// A register with a float.
    pub fn float(&mut self, arg: Arg, elem: Elem) -> Arg {
        self.register(arg, elem.held()).into()
    }

    /// An instruction in place of a register.
    pub fn made(&mut self, row: &'static Instruction, modifiers: &str, args: &[Arg]) -> Arg {
        self.inst(row, modifiers, args).into()
    }

    /// A function of a number of a type; the result is of that type, too.
    pub fn unary(&mut self, function: Unary, x: Arg, ty: Type) -> Result<Arg, Refused> {
        let ctx = self.ctx;
        if let Some(known) = self.folded(&[(x, ty)], ty, |values| function.eval(ctx, &values[0], plain(ty))) {
            return Ok(known);
        }
        match Elem::of(ctx, ty)? {
            elem @ (Elem::Truth | Elem::Int { .. }) => self.int_unary(function, x, elem),
            elem => self.float_unary(function, x, elem),
        }
    }

    /// A function of two numbers of a type; the result is of that type, or for comparisons `i1`.
    pub fn binary(&mut self, function: Binary, a: Arg, b: Arg, ty: Type) -> Result<Arg, Refused> {
        let ctx = self.ctx;
        let to = if function.is_comparison() { Type::I1 } else { ty };
        let known =
            self.folded(&[(a, ty), (b, ty)], to, |values| function.eval(ctx, &values[0], &values[1], plain(to)));
        if let Some(known) = known {
            return Ok(known);
        }
        // Numbers stand second where the order does not matter.
        let (a, b) = match a {
            Arg::Value(_) => (a, b),
            _ if function.is_commutative() => (b, a),
            _ => (a, b),
        };
        match Elem::of(ctx, ty)? {
            Elem::Truth => self.truth_binary(function, a, b),
            elem @ Elem::Int { .. } => self.int_binary(function, a, b, elem),
            elem => self.float_binary(function, a, b, elem),
        }
    }

    /// `a * b + c`, rounded once.
    pub fn mulacc(&mut self, a: Arg, b: Arg, c: Arg, ty: Type) -> Result<Arg, Refused> {
        let ctx = self.ctx;
        let known = self.folded(&[(a, ty), (b, ty), (c, ty)], ty, |values| {
            values[0].zip3_float(ctx, &values[1], &values[2], ty, f64::mul_add)
        });
        if let Some(known) = known {
            return Ok(known);
        }
        match Elem::of(ctx, ty)? {
            Elem::F32 => Ok(self.made(&table::FMA, "rn.f32", &[a, b, c])),
            Elem::F64 => Ok(self.made(&table::FMA, "rn.f64", &[a, b, c])),
            // Through `f32` it would be rounded twice.
            elem @ Elem::Small(FloatKind::F16 | FloatKind::BF16) => {
                let args = [a, b, c].map(|arg| self.float(arg, elem));
                Ok(self.made(&table::FMA, &format!("rn.{}", elem.word()), &args))
            }
            _ => Err(Refused::new(format!(
                "a product and a sum of {} are not rounded once by any instruction",
                ty.display(ctx)
            ))
            .suggest("cast the numbers to f32 before")),
        }
    }

    /// One of two numbers of a type.
    pub fn select(&mut self, cond: Cond, yes: Arg, no: Arg, elem: Elem) -> Arg {
        let predicate = match cond {
            Cond::Known(known) => return if known { yes } else { no },
            Cond::If(_) if yes == no => return yes,
            Cond::If(predicate) => predicate,
        };
        let word = match elem {
            Elem::Truth => {
                let other = self.not(cond);
                let (yes, no) = (self.both(cond, cond_of(yes)), self.both(other, cond_of(no)));
                return of_cond(self.either(yes, no));
            }
            Elem::Small(_) => "b16",
            Elem::Int { bits: 64, .. } => "b64",
            Elem::Int { .. } => "b32",
            other => other.word(),
        };
        self.made(&table::SELP, word, &[yes, no, predicate.into()])
    }

    /// A number as another type.
    pub fn cast(&mut self, x: Arg, from: Type, to: Type) -> Result<Arg, Refused> {
        let ctx = self.ctx;
        if from == to {
            return Ok(x);
        }
        if let Some(known) = self.folded(&[(x, from)], to, |values| values[0].cast(ctx, plain(to))) {
            return Ok(known);
        }
        self.convert(x, Elem::of(ctx, from)?, Elem::of(ctx, to)?)
    }

    /// The bits of a number as another type.
    pub fn bitcast(&mut self, x: Arg, from: Type, to: Type) -> Result<Arg, Refused> {
        let ctx = self.ctx;
        if from == to {
            return Ok(x);
        }
        if let Some(known) = self.folded(&[(x, from)], to, |values| values[0].bitcast(ctx, plain(to))) {
            return Ok(known);
        }
        self.same_bits(x, Elem::of(ctx, from)?, Elem::of(ctx, to)?)
    }

    /// What made a register: the instruction, its modifiers, what stands after it, and which of its results it is.
    pub fn origin(&self, arg: Arg) -> Option<(&'static Instruction, &str, Vec<ValueId>, usize)> {
        let Arg::Value(value) = arg else { return None };
        let id = self.body.defining_op(value)?;
        let op = dlc_ir::OpRef::new(self.ctx, &self.body, id);
        let (instruction, modifiers) = row(op)?;
        let place = op.results().position(|result| result == value)?;
        // Only where nothing but values stands after it, and no guard.
        let bare = op.prop_named("literals").is_none() && op.prop_named("guarded").is_none();
        bare.then(|| (instruction, modifiers, op.operands().collect(), place))
    }

    /// What a register of type `f32` is the root of, if it is one.
    pub fn root_of(&self, root: Arg) -> Option<Arg> {
        let (instruction, modifiers, operands, _) = self.origin(root)?;
        let is_root = std::ptr::eq(instruction, &table::SQRT) && modifiers == "rn.f32";
        operands.first().filter(|_| is_root).map(|&square| square.into())
    }

    /// Whether a register of type `f32` has the number of another one with the other sign.
    pub fn is_negative_of(&self, x: Arg, negative: Arg) -> bool {
        let origin = self.origin(negative);
        origin.is_some_and(|(instruction, modifiers, operands, _)| {
            std::ptr::eq(instruction, &table::NEG)
                && modifiers == "f32"
                && operands.first().map(|&of| of.into()) == Some(x)
        })
    }

    /// Two 16-bit numbers as one register, the low one first. Two that were rounded just now are rounded together,
    /// and the halves of one register are that register.
    pub fn pack_halves(&mut self, lo: Arg, hi: Arg) -> Arg {
        if let (Arg::Int(lo), Arg::Int(hi)) = (lo, hi) {
            return Arg::Int((hi & 0xffff) << 16 | lo & 0xffff);
        }
        let together = match (self.origin(lo), self.origin(hi)) {
            (Some((a, x, lo, 0)), Some((b, y, hi, place))) if std::ptr::eq(a, b) && x == y => {
                if std::ptr::eq(a, &table::UNPACK) && x == "b32" && place == 1 && lo == hi {
                    return lo[0].into();
                }
                let rounded = std::ptr::eq(a, &table::CVT) && place == 0;
                match x {
                    "rn.f16.f32" if rounded => Some(("rn.f16x2.f32", lo[0], hi[0])),
                    "rn.bf16.f32" if rounded => Some(("rn.bf16x2.f32", lo[0], hi[0])),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some((word, lo, hi)) = together {
            return self.made(&table::CVT, word, &[hi.into(), lo.into()]);
        }
        let (lo, hi) = (self.register(lo, Type::I16), self.register(hi, Type::I16));
        self.made(&table::PACK, "b32", &[lo.into(), hi.into()])
    }

    /// The halves of a register, the low one first.
    pub fn unpack_halves(&mut self, word: Arg) -> [Arg; 2] {
        let word = self.register(word, Type::I32);
        let halves = self.insts(&table::UNPACK, "b32", &[word.into()]);
        [halves[0].into(), halves[1].into()]
    }

    /// Four 8-bit numbers as one register, the first one lowest.
    pub fn pack_bytes(&mut self, bytes: [Arg; 4], elem: Elem) -> Arg {
        let words = bytes.map(|byte| match elem {
            Elem::Small(_) if matches!(byte, Arg::Value(_)) => self.made(&table::CVT, "u32.u16", &[byte]),
            _ => byte,
        });
        let mut pair = |a: Arg, b: Arg| {
            let (a, b) = (self.register(a, Type::I32), self.register(b, Type::I32));
            self.made(&table::PRMT, "b32", &[a.into(), b.into(), Arg::Int(0x0040)])
        };
        let (low, high) = (pair(words[0], words[1]), pair(words[2], words[3]));
        self.made(&table::PRMT, "b32", &[low, high, Arg::Int(0x5410)])
    }
}
