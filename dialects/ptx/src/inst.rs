//! An instruction, taken apart: what stands in each of its places.

use dlc_ir::attrs::AttrData;
use dlc_ir::{Attr, Context, OpRef, Type, ValueId};

use crate::form::{Class, Signature, Slot, instruction, signatures};
use crate::ops::Guarded;
use crate::table::Instruction;

/// What stands in a place: a value, or a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arg {
    /// A value.
    Value(ValueId),
    /// An integer.
    Int(i64),
    /// The bits of an `f32`.
    F32(u32),
    /// The bits of an `f64`.
    F64(u64),
}

impl Arg {
    /// The number as an attribute, and for a value what says that one stands there.
    pub fn literal(self, ctx: &Context) -> Attr {
        match self {
            Arg::Value(_) => Attr::UNIT,
            Arg::Int(value) => ctx.i64_attr(value),
            Arg::F32(bits) => ctx.attr(AttrData::Float { ty: Type::F32, bits: bits.into() }),
            Arg::F64(bits) => ctx.attr(AttrData::Float { ty: Type::F64, bits }),
        }
    }

    fn of_literal(ctx: &Context, attr: Attr) -> Option<Arg> {
        match *ctx.attr_data(attr) {
            AttrData::Integer { value, .. } => Some(Arg::Int(i64::try_from(value).ok()?)),
            AttrData::Float { ty: Type::F32, bits } => Some(Arg::F32(bits as u32)),
            AttrData::Float { ty: Type::F64, bits } => Some(Arg::F64(bits)),
            _ => None,
        }
    }
}

impl From<ValueId> for Arg {
    fn from(value: ValueId) -> Arg {
        Arg::Value(value)
    }
}

impl From<i64> for Arg {
    fn from(value: i64) -> Arg {
        Arg::Int(value)
    }
}

impl From<f32> for Arg {
    fn from(value: f32) -> Arg {
        Arg::F32(value.to_bits())
    }
}

/// An instruction, taken apart.
#[derive(Clone, Debug)]
pub struct Inst<'a> {
    /// The op.
    pub op: OpRef<'a>,
    /// Its row of the table.
    pub instruction: &'static Instruction,
    /// Its modifiers, with dots between them.
    pub modifiers: &'a str,
    /// What it takes and gives.
    pub signature: Signature,
    /// What stands in the places behind the results, in order.
    pub args: Vec<Arg>,
    /// The predicate with which it is done, and whether it is done where that holds.
    pub guard: Option<(ValueId, bool)>,
    /// What the results are where it is not done.
    pub otherwise: Vec<ValueId>,
}

/// The instruction of an op, and its modifiers. `None` for ops that are none.
pub fn row(op: OpRef<'_>) -> Option<(&'static Instruction, &str)> {
    let modifiers = op.prop_named("modifiers").and_then(|attr| attr.as_str(op.ctx)).unwrap_or("");
    Some((instruction(op.def().name)?, modifiers))
}

/// The places of an instruction: its arguments, its guard, and what it gives where it is not done. `None` where there are
/// too few values.
fn places(op: OpRef<'_>) -> Option<(Vec<Arg>, Option<(ValueId, bool)>, Vec<ValueId>)> {
    let ctx = op.ctx;
    let guarded = op.prop_named("guarded").and_then(|attr| Guarded::of(attr.as_str(ctx)?));
    let operands: Vec<ValueId> = op.operands().collect();
    let results = op.body.num_results(op.id);
    let behind = if guarded.is_some() { 1 + results } else { 0 };
    let own = operands.len().checked_sub(behind)?;
    let args = match op.prop_named("literals").and_then(|attr| attr.as_array(ctx)) {
        None => operands[..own].iter().copied().map(Arg::Value).collect(),
        Some(literals) => {
            let mut values = operands[..own].iter();
            let mut args = Vec::with_capacity(literals.len());
            for &literal in literals {
                args.push(match literal == Attr::UNIT {
                    true => Arg::Value(*values.next()?),
                    false => Arg::of_literal(ctx, literal)?,
                });
            }
            if values.next().is_some() {
                return None;
            }
            args
        }
    };
    let guard = guarded.map(|guarded| (operands[own], guarded == Guarded::If));
    let otherwise = if guarded.is_some() { operands[own + 1..].to_vec() } else { Vec::new() };
    Some((args, guard, otherwise))
}

impl<'a> Inst<'a> {
    /// The instruction of an op. An error says why the op is none that the table knows.
    pub fn of(op: OpRef<'a>) -> Result<Inst<'a>, String> {
        let (instruction, modifiers) = row(op).ok_or("the op is no instruction")?;
        let (args, guard, otherwise) = places(op).ok_or("the values do not go with the numbers and the guard")?;
        let known = signatures(instruction, modifiers);
        if known.is_empty() {
            return Err(match modifiers {
                "" => format!("'{}' takes modifiers", instruction.name),
                _ => format!("'{}' does not take the modifiers '.{modifiers}'", instruction.name),
            });
        }
        let Some(signature) = known.iter().find(|signature| signature.positions() == args.len()) else {
            let counts: Vec<String> = known.iter().map(|signature| signature.positions().to_string()).collect();
            return Err(format!(
                "'{}.{modifiers}' has {} operands, and {} stand here",
                instruction.name,
                counts.join(" or "),
                args.len()
            ));
        };
        let signature = signature.clone();
        Ok(Inst { op, instruction, modifiers, signature, args, guard, otherwise })
    }

    /// The places of each slot behind the results.
    pub fn slots(&self) -> impl Iterator<Item = (Slot, &[Arg])> {
        let mut at = 0;
        self.signature.operands.iter().map(move |&slot| {
            let args = &self.args[at..at + slot.positions()];
            at += slot.positions();
            (slot, args)
        })
    }

    /// Whether the registers of the results are read as well.
    pub fn is_tied(&self) -> bool {
        self.signature.operands.iter().any(|slot| matches!(slot, Slot::Tied(..)))
    }

    /// What results begin with whose registers are read as well: results, and values. A number there says that it does
    /// not matter.
    pub fn tied(&self) -> Vec<(ValueId, ValueId)> {
        let tied = self.slots().find(|(slot, _)| matches!(slot, Slot::Tied(..)));
        let pairs = tied.into_iter().flat_map(|(_, args)| self.op.results().zip(args));
        let values = pairs.filter_map(|(result, arg)| match arg {
            Arg::Value(value) => Some((result, *value)),
            _ => None,
        });
        values.collect()
    }

    /// The text of the mnemonic, as PTX spells it.
    pub fn mnemonic(&self) -> String {
        match self.modifiers {
            "" => self.instruction.spelling.to_string(),
            modifiers => format!("{}.{modifiers}", self.instruction.spelling),
        }
    }
}

/// The class of each place of a slot, `None` for one that only takes a number.
pub fn classes(slot: Slot) -> Vec<Option<Class>> {
    match slot {
        Slot::Reg(class) => vec![Some(class)],
        Slot::Group(count, class) | Slot::Tied(count, class) => vec![Some(class); count],
        Slot::Address(class) => vec![Some(class), None],
        Slot::Tensor(count) => {
            let mut classes = vec![Some(Class::B64)];
            classes.extend(std::iter::repeat_n(Some(Class::B32), count));
            classes
        }
        Slot::Immediate => vec![None],
        Slot::Sink => Vec::new(),
    }
}
