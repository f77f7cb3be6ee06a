//! Making instructions.

use dlc_ir::body::OpParts;
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, Builder, Context, Loc, OpId, OpName, Str, Type, ValueId};
use rustc_hash::FxHashMap;

use crate::form::{Chosen, Class, Target, signatures};
use crate::inst::Arg;
use crate::ops::Guarded;
use crate::table::Instruction;

/// An instruction that is put together.
#[derive(Clone, Copy, Debug)]
pub struct NewInst<'a> {
    /// The row of the table.
    pub instruction: &'static Instruction,
    /// The modifiers, with dots between them.
    pub modifiers: &'a str,
    /// What stands after the results, in order; an address is a value and a number.
    pub args: &'a [Arg],
    /// The predicate with which it is done, and whether it is done where that holds.
    pub guard: Option<(ValueId, bool)>,
    /// What the results are where it is not done.
    pub otherwise: &'a [ValueId],
    /// The types of the results, where they are not the usual ones.
    pub types: Option<&'a [Type]>,
}

impl<'a> NewInst<'a> {
    /// An instruction without a guard.
    pub fn new(instruction: &'static Instruction, modifiers: &'a str, args: &'a [Arg]) -> NewInst<'a> {
        NewInst { instruction, modifiers, args, guard: None, otherwise: &[], types: None }
    }

    /// Makes it at the place of a builder.
    ///
    /// # Errors
    /// If the table does not know it: what it lacks, in words.
    pub fn build(self, b: &mut Builder<'_>, loc: Loc) -> Result<OpId, String> {
        let mut maker = InstBuilder::new(b.ctx);
        let shape = maker.shape(self.instruction, self.modifiers, self.args.len())?;
        Ok(maker.make(shape, self, b, loc))
    }
}

/// What instructions of one row with the same modifiers and as many operands have in common: a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape(u32);

struct Common {
    modifiers: Box<str>,
    positions: usize,
    name: OpName,
    /// The modifiers as an attribute, if there are some.
    attr: Option<Attr>,
    results: SmallVec<[Type; 4]>,
    target: Target,
}

/// What stands in the places of an instruction that are no values.
type Numbers = SmallVec<[Option<Arg>; 4]>;

/// Makes many instructions: what is the same for those that are alike is determined once.
pub struct InstBuilder<'c> {
    ctx: &'c Context,
    /// By the address of the row.
    rows: FxHashMap<usize, Vec<Shape>>,
    common: Vec<Common>,
    /// The attributes of those that were made, by their numbers and whether they have a guard.
    props: FxHashMap<(Shape, Numbers, Option<bool>), Attr>,
    modifiers: Str,
    literals: Str,
    guarded: Str,
}

impl<'c> InstBuilder<'c> {
    /// With nothing known yet.
    pub fn new(ctx: &'c Context) -> InstBuilder<'c> {
        InstBuilder {
            ctx,
            rows: FxHashMap::default(),
            common: Vec::new(),
            props: FxHashMap::default(),
            modifiers: ctx.intern_str("modifiers"),
            literals: ctx.intern_str("literals"),
            guarded: ctx.intern_str("guarded"),
        }
    }

    /// The shape of instructions with so many values and numbers after the results.
    ///
    /// # Errors
    /// If the table does not know it: what it lacks, in words.
    pub fn shape(&mut self, row: &'static Instruction, modifiers: &str, positions: usize) -> Result<Shape, String> {
        let known = self.rows.entry(std::ptr::from_ref(row).addr()).or_default();
        let fits = |shape: &&Shape| {
            let common = &self.common[shape.0 as usize];
            common.positions == positions && *common.modifiers == *modifiers
        };
        if let Some(&shape) = known.iter().find(fits) {
            return Ok(shape);
        }
        let Some(signature) = Chosen::of(&signatures(row, modifiers), positions) else {
            let dot = if modifiers.is_empty() { "" } else { "." };
            return Err(format!("there is no instruction '{}{dot}{modifiers}' with {positions} operands", row.name));
        };
        let shape = Shape(self.common.len() as u32);
        known.push(shape);
        self.common.push(Common {
            modifiers: modifiers.into(),
            positions,
            name: self.ctx.op_name(&format!("ptx.{}", row.name)),
            attr: (!modifiers.is_empty()).then(|| self.ctx.str_attr(modifiers)),
            results: signature.result_classes().into_iter().map(Class::default_type).collect(),
            target: signature.target,
        });
        Ok(shape)
    }

    /// Whether a machine has all instructions whose shapes were asked for.
    pub fn is_for(&self, machine: Target) -> bool {
        self.common.iter().all(|common| machine.has(common.target))
    }

    /// Makes an instruction of a shape at the place of a builder.
    pub fn make(&mut self, shape: Shape, new: NewInst<'_>, b: &mut Builder<'_>, loc: Loc) -> OpId {
        let mut operands: SmallVec<[ValueId; 8]> = SmallVec::new();
        let mut numbers = Numbers::new();
        for &arg in new.args {
            match arg {
                Arg::Value(value) => {
                    operands.push(value);
                    numbers.push(None);
                }
                number => numbers.push(Some(number)),
            }
        }
        if let Some((predicate, _)) = new.guard {
            operands.push(predicate);
            operands.extend_from_slice(new.otherwise);
        }
        let key = (shape, numbers, new.guard.map(|(_, holds)| holds));
        let props = match self.props.get(&key) {
            Some(&props) => props,
            None => {
                let props = self.attributes(shape, &new);
                self.props.insert(key, props);
                props
            }
        };
        let common = &self.common[shape.0 as usize];
        let results = new.types.unwrap_or(&common.results);
        b.create(OpParts { operands: &operands, results, props, ..OpParts::new(common.name, loc) })
    }

    fn attributes(&self, shape: Shape, new: &NewInst<'_>) -> Attr {
        let ctx = self.ctx;
        let mut props: SmallVec<[(Str, Attr); 3]> = SmallVec::new();
        props.extend(self.common[shape.0 as usize].attr.map(|attr| (self.modifiers, attr)));
        if new.args.iter().any(|arg| !matches!(arg, Arg::Value(_))) {
            props.push((self.literals, literals(ctx, new.args)));
        }
        if let Some((_, holds)) = new.guard {
            let word = if holds { Guarded::If } else { Guarded::Unless }.word();
            props.push((self.guarded, ctx.str_attr(word)));
        }
        if props.is_empty() { Attr::EMPTY_DICT } else { ctx.dict_attr(&props) }
    }
}

/// The attribute of numbers for what stands in the places.
pub fn literals(ctx: &Context, args: &[Arg]) -> Attr {
    let items: Vec<Attr> = args.iter().map(|arg| arg.literal(ctx)).collect();
    ctx.array_attr(&items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlc_ir::Body;
    use dlc_ir::body::InsertPoint;

    use crate::table;

    #[test]
    fn what_the_table_lacks_is_not_made() {
        let ctx = Context::new([&dlc_core::DIALECT, &crate::DIALECT]);
        let mut body = Body::module(&ctx);
        let block = body.entry_block().expect("a module has a block");
        let mut b = Builder::new(&ctx, &mut body, InsertPoint::EndOf(block));
        let args = [Arg::Int(1), Arg::Int(2)];
        let made = NewInst::new(&table::ADD, "s33", &args).build(&mut b, Loc::UNKNOWN);
        assert_eq!(made, Err("there is no instruction 'add.s33' with 2 operands".into()));
        let made = NewInst::new(&table::ADD, "s32", &args[..1]).build(&mut b, Loc::UNKNOWN);
        assert_eq!(made, Err("there is no instruction 'add.s32' with 1 operands".into()));
        assert_eq!(b.body.ops(block).count(), 0);
    }
}
