//! An instruction, taken apart: what stands in each of its places.

use dlc_ir::attrs::AttrData;
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, Context, OpRef, Type, ValueId};

use crate::form::{Chosen, Class, Slot, instruction, signatures};
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
    pub signature: Chosen,
    /// What stands in the places after the results, in order.
    pub args: Args,
    /// The predicate with which it is done, and whether it is done where that holds.
    pub guard: Option<(ValueId, bool)>,
    /// What the results are where it is not done.
    pub otherwise: SmallVec<[ValueId; 4]>,
}

/// What stands in the places of an instruction.
pub type Args = SmallVec<[Arg; 6]>;

/// The attributes of an instruction.
struct Props<'a> {
    modifiers: &'a str,
    literals: Option<&'a [Attr]>,
    guarded: Option<Guarded>,
}

impl<'a> Props<'a> {
    fn of(op: OpRef<'a>) -> Props<'a> {
        let ctx = op.ctx;
        let mut props = Props { modifiers: "", literals: None, guarded: None };
        for &(key, attr) in op.body.props(op.id).as_dict(ctx).unwrap_or(&[]) {
            match ctx.str(key) {
                "modifiers" => props.modifiers = attr.as_str(ctx).unwrap_or(""),
                "literals" => props.literals = attr.as_array(ctx),
                "guarded" => props.guarded = attr.as_str(ctx).and_then(Guarded::of),
                _ => {}
            }
        }
        props
    }
}

/// The instruction of an op, and its modifiers. `None` for ops that are none.
pub fn row(op: OpRef<'_>) -> Option<(&'static Instruction, &str)> {
    Some((instruction(op.def())?, Props::of(op).modifiers))
}

/// Whether registers of results may be read as well, or may keep what they had: without looking at its modifiers.
pub fn may_share(op: OpRef<'_>) -> bool {
    instruction(op.def()).is_some_and(|row| row.ties || Props::of(op).guarded.is_some())
}

/// The places of an instruction: its arguments, its guard, and what it gives where it is not done. `None` where there are
/// too few values.
type InstOperands = (Args, Option<(ValueId, bool)>, SmallVec<[ValueId; 4]>);

fn places(op: OpRef<'_>, props: &Props<'_>) -> Option<InstOperands> {
    let ctx = op.ctx;
    let results = op.body.num_results(op.id);
    let following = if props.guarded.is_some() { 1 + results } else { 0 };
    let mut values = op.operands();
    let mut left = values.len().checked_sub(following)?;
    let mut args = Args::new();
    match props.literals {
        None => args.extend(values.by_ref().take(left).map(Arg::Value)),
        Some(literals) => {
            for &literal in literals {
                args.push(match literal == Attr::UNIT {
                    true => {
                        left = left.checked_sub(1)?;
                        Arg::Value(values.next()?)
                    }
                    false => Arg::of_literal(ctx, literal)?,
                });
            }
            if left > 0 {
                return None;
            }
        }
    };
    let guard = match props.guarded {
        Some(guarded) => Some((values.next()?, guarded == Guarded::If)),
        None => None,
    };
    Some((args, guard, values.collect()))
}

impl<'a> Inst<'a> {
    /// The instruction of an op. An error says why the op is none that the table knows.
    pub fn of(op: OpRef<'a>) -> Result<Inst<'a>, String> {
        let props = Props::of(op);
        let modifiers = props.modifiers;
        let instruction = instruction(op.def()).ok_or("the op is no instruction")?;
        let (args, guard, otherwise) =
            places(op, &props).ok_or("the values do not go with the numbers and the guard")?;
        let known = signatures(instruction, modifiers);
        if known.is_empty() {
            return Err(match modifiers {
                "" => format!("'{}' takes modifiers", instruction.name),
                _ => format!("'{}' does not take the modifiers '.{modifiers}'", instruction.name),
            });
        }
        let Some(signature) = Chosen::of(&known, args.len()) else {
            let counts: Vec<String> = known.iter().map(|signature| signature.positions().to_string()).collect();
            return Err(format!(
                "'{}.{modifiers}' has {} operands, and {} stand here",
                instruction.name,
                counts.join(" or "),
                args.len()
            ));
        };
        Ok(Inst { op, instruction, modifiers, signature, args, guard, otherwise })
    }

    /// The places of each slot after the results.
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
        self.instruction.ties && self.signature.operands.iter().any(|slot| matches!(slot, Slot::Tied(..)))
    }

    /// What results begin with whose registers are read as well: results, and values. A number there says that it does
    /// not matter.
    pub fn tied(&self) -> Vec<(ValueId, ValueId)> {
        if !self.instruction.ties {
            return Vec::new();
        }
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
pub fn classes(slot: Slot) -> impl Iterator<Item = Option<Class>> {
    let (first, count, class) = match slot {
        Slot::Reg(class) => (None, 1, Some(class)),
        Slot::Group(count, class) | Slot::Tied(count, class) => (None, count, Some(class)),
        Slot::Address(class) => (Some(Some(class)), 1, None),
        Slot::Tensor(count) => (Some(Some(Class::B64)), count, Some(Class::B32)),
        Slot::Immediate => (None, 1, None),
        Slot::Sink => (None, 0, None),
    };
    first.into_iter().chain(std::iter::repeat_n(class, count))
}
