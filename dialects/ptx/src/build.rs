//! Making instructions.

use dlc_ir::body::OpParts;
use dlc_ir::{Attr, Builder, Context, Loc, OpId, Type, ValueId};

use crate::form::{Class, signature_for};
use crate::inst::Arg;
use crate::table::Instruction;

/// An instruction that is put together.
#[derive(Clone, Copy, Debug)]
pub struct NewInst<'a> {
    /// The row of the table.
    pub instruction: &'static Instruction,
    /// The modifiers, with dots between them.
    pub modifiers: &'a str,
    /// What stands behind the results, in order; an address is a value and a number.
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
        let ctx = b.ctx;
        let Some(signature) = signature_for(self.instruction, self.modifiers, self.args.len()) else {
            let dot = if self.modifiers.is_empty() { "" } else { "." };
            return Err(format!(
                "there is no instruction '{}{dot}{}' with {} operands",
                self.instruction.name,
                self.modifiers,
                self.args.len()
            ));
        };
        let classes = signature.result_classes();
        let types: Vec<Type> = match self.types {
            Some(types) => types.to_vec(),
            None => classes.into_iter().map(Class::default_type).collect(),
        };
        let value = |arg: &Arg| match arg {
            Arg::Value(value) => Some(*value),
            _ => None,
        };
        let mut operands: Vec<ValueId> = self.args.iter().filter_map(value).collect();
        let mut props = Vec::new();
        if !self.modifiers.is_empty() {
            props.push((ctx.intern_str("modifiers"), ctx.str_attr(self.modifiers)));
        }
        if operands.len() < self.args.len() {
            props.push((ctx.intern_str("literals"), literals(ctx, self.args)));
        }
        if let Some((predicate, holds)) = self.guard {
            let word = if holds { crate::ops::Guarded::If } else { crate::ops::Guarded::Unless }.word();
            props.push((ctx.intern_str("guarded"), ctx.str_attr(word)));
            operands.push(predicate);
            operands.extend_from_slice(self.otherwise);
        }
        let name = ctx.op_name(&format!("ptx.{}", self.instruction.name));
        let props = if props.is_empty() { Attr::EMPTY_DICT } else { ctx.dict_attr(&props) };
        Ok(b.create(OpParts { operands: &operands, results: &types, props, ..OpParts::new(name, loc) }))
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
