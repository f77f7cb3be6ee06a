//! What a conversion goes to: the ops that are legal there, and what becomes of types.

use rustc_hash::FxHashMap;

use crate::body::OpRef;
use crate::builder::Builder;
use crate::context::Context;
use crate::entity::ValueId;
use crate::location::Loc;
use crate::types::{Type, TypeData};

/// Whether ops may remain.
pub enum Legality<'t> {
    /// They may.
    Legal,
    /// They may not.
    Illegal,
    /// It depends on the op.
    Dynamic(Box<dyn Fn(OpRef<'_>) -> bool + 't>),
}

/// The table of what is legal. What it says of an op comes before what it says of the op's dialect; it may say nothing.
#[derive(Default)]
pub struct ConversionTarget<'t> {
    ops: FxHashMap<&'static str, Legality<'t>>,
    dialects: FxHashMap<&'static str, Legality<'t>>,
}

impl<'t> ConversionTarget<'t> {
    /// A table that says nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// With what holds of the op of a name.
    #[must_use]
    pub fn op(mut self, name: &'static str, legality: Legality<'t>) -> Self {
        self.ops.insert(name, legality);
        self
    }

    /// With what holds of the ops of a dialect.
    #[must_use]
    pub fn dialect(mut self, name: &'static str, legality: Legality<'t>) -> Self {
        self.dialects.insert(name, legality);
        self
    }

    /// With an op that is legal when none of its types is converted.
    #[must_use]
    pub fn op_by_types(self, name: &'static str, types: &'t TypeConverter<'t>) -> Self {
        self.op(name, Legality::Dynamic(Box::new(|op| types.keeps(op))))
    }

    /// Whether an op is legal; `None` when the table does not say.
    pub fn is_legal(&self, op: OpRef<'_>) -> Option<bool> {
        let name = op.name();
        let dialect = name.split_once('.').map_or("", |(dialect, _)| dialect);
        match self.ops.get(name).or_else(|| self.dialects.get(dialect))? {
            Legality::Legal => Some(true),
            Legality::Illegal => Some(false),
            Legality::Dynamic(is_legal) => Some(is_legal(op)),
        }
    }
}

type Rule<'t> = Box<dyn Fn(&Context, Type) -> Option<Type> + 't>;
type Cast<'t> = Box<dyn Fn(&mut Builder<'_>, Loc, ValueId, Type) -> Option<ValueId> + 't>;

/// What becomes of types, and which ops go from one to another where both are needed.
#[derive(Default)]
pub struct TypeConverter<'t> {
    rules: Vec<Rule<'t>>,
    casts: Vec<Cast<'t>>,
}

impl<'t> TypeConverter<'t> {
    /// A converter that leaves every type as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a rule; `None` says that the rule is not about the type. The rule that was added last comes first.
    #[must_use]
    pub fn rule(mut self, rule: impl Fn(&Context, Type) -> Option<Type> + 't) -> Self {
        self.rules.push(Box::new(rule));
        self
    }

    /// With a way to make a value of another type, in either direction; `None` says that this is not one.
    #[must_use]
    pub fn cast(mut self, cast: impl Fn(&mut Builder<'_>, Loc, ValueId, Type) -> Option<ValueId> + 't) -> Self {
        self.casts.push(Box::new(cast));
        self
    }

    /// What becomes of a type; of a function type, what becomes of the types in it.
    pub fn convert(&self, ctx: &Context, ty: Type) -> Type {
        if let Some(new) = self.rules.iter().rev().find_map(|rule| rule(ctx, ty)) {
            return new;
        }
        match ctx.type_data(ty) {
            TypeData::Function { inputs, results } => {
                let convert = |types: &[Type]| types.iter().map(|&ty| self.convert(ctx, ty)).collect::<Vec<_>>();
                ctx.function_type(&convert(inputs), &convert(results))
            }
            _ => ty,
        }
    }

    /// Whether an op has no operand, result or argument in its regions whose type is converted.
    pub fn keeps(&self, op: OpRef<'_>) -> bool {
        let regions = op.regions().iter().flat_map(|&region| op.body.blocks(region));
        let args = regions.flat_map(|block| op.body.args(block).iter().copied());
        op.operands().chain(op.results()).chain(args).all(|value| {
            let ty = op.type_of(value);
            self.convert(op.ctx, ty) == ty
        })
    }

    pub(super) fn make_cast(&self, b: &mut Builder<'_>, loc: Loc, value: ValueId, ty: Type) -> Option<ValueId> {
        self.casts.iter().rev().find_map(|cast| cast(b, loc, value, ty))
    }
}
