//! Reading a body: iterators over operands, values and ops, and [`OpRef`], an op together with what it lives in.

use std::ops::Range;

use super::{Body, UseRec};
use crate::attrs::Attr;
use crate::context::{Context, OpName, Str};
use crate::entity::{BlockId, EntityId, OpId, RegionId, ValueId};
use crate::location::Loc;
use crate::op::{Arity, OpDef, Traits};
use crate::types::Type;

/// The operands of an op.
#[derive(Clone)]
pub struct Operands<'a>(std::slice::Iter<'a, UseRec>);

impl<'a> Operands<'a> {
    pub(super) fn new(uses: &'a [UseRec]) -> Self {
        Operands(uses.iter())
    }
}

impl Iterator for Operands<'_> {
    type Item = ValueId;
    #[inline]
    fn next(&mut self) -> Option<ValueId> {
        self.0.next().map(|rec| rec.value)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Operands<'_> {
    fn next_back(&mut self) -> Option<ValueId> {
        self.0.next_back().map(|rec| rec.value)
    }
}

impl ExactSizeIterator for Operands<'_> {}

/// The results of an op: values that lie side by side.
#[derive(Clone)]
pub struct Values<'a> {
    body: &'a Body,
    range: Range<usize>,
}

impl<'a> Values<'a> {
    #[inline]
    pub(super) fn new(body: &'a Body, range: Range<usize>) -> Self {
        Values { body, range }
    }
}

impl Iterator for Values<'_> {
    type Item = ValueId;
    #[inline]
    fn next(&mut self) -> Option<ValueId> {
        self.range.next().map(|index| self.body.values.id_at(index))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl DoubleEndedIterator for Values<'_> {
    fn next_back(&mut self) -> Option<ValueId> {
        self.range.next_back().map(|index| self.body.values.id_at(index))
    }
}

impl ExactSizeIterator for Values<'_> {}

/// The ops of a block, in order.
pub struct Ops<'a> {
    body: &'a Body,
    next: Option<OpId>,
}

impl<'a> Ops<'a> {
    pub(super) fn new(body: &'a Body, next: Option<OpId>) -> Self {
        Ops { body, next }
    }
}

impl Iterator for Ops<'_> {
    type Item = OpId;
    #[inline]
    fn next(&mut self) -> Option<OpId> {
        let op = self.next?;
        self.next = self.body.next_op(op);
        Some(op)
    }
}

/// An op with its body and context: everything that can be read of it.
#[derive(Clone, Copy)]
pub struct OpRef<'a> {
    /// The context.
    pub ctx: &'a Context,
    /// The body that holds the op.
    pub body: &'a Body,
    /// The op.
    pub id: OpId,
}

impl<'a> OpRef<'a> {
    /// An op of a body.
    #[inline]
    pub fn new(ctx: &'a Context, body: &'a Body, id: OpId) -> Self {
        OpRef { ctx, body, id }
    }

    /// The root of the nested body when the op is isolated and inside another body; the op itself otherwise.
    pub fn resolve(self) -> OpRef<'a> {
        match self.body.nested(self.id) {
            Some(nested) => OpRef { ctx: self.ctx, body: nested, id: nested.root() },
            None => self,
        }
    }

    /// The full name.
    pub fn name(self) -> &'a str {
        self.ctx.op_name_str(self.op_name())
    }

    /// The interned name.
    #[inline]
    pub fn op_name(self) -> OpName {
        self.body.op_name(self.id)
    }

    /// The declaration; one that says nothing for an op that no dialect registers.
    #[inline]
    pub fn def(self) -> &'static OpDef {
        self.ctx.op_def(self.op_name())
    }

    /// Whether it is the op of this declaration. A shared library has its own copy of the declarations that it is linked
    /// with, so the name counts where the address differs.
    #[inline]
    pub fn is(self, def: &'static OpDef) -> bool {
        let own = self.def();
        std::ptr::eq(own, def) || own.name == def.name
    }

    /// Whether it has these traits.
    #[inline]
    pub fn has(self, traits: Traits) -> bool {
        self.def().traits.has(traits)
    }

    /// Where it came from.
    pub fn loc(self) -> Loc {
        self.body.loc(self.id)
    }

    /// The operand at an index.
    #[inline]
    pub fn operand(self, index: usize) -> ValueId {
        self.body.operand(self.id, index)
    }

    /// The op that defines an operand; none where a block does.
    ///
    /// # Panics
    /// If there are not so many operands.
    pub fn defining(self, index: usize) -> Option<OpRef<'a>> {
        self.body.defining_op(self.operand(index)).map(|id| OpRef { id, ..self })
    }

    /// The operands, in order.
    pub fn operands(self) -> Operands<'a> {
        self.body.operands(self.id)
    }

    /// The result at an index.
    #[inline]
    pub fn result(self, index: usize) -> ValueId {
        self.body.result(self.id, index)
    }

    /// The results, in order.
    pub fn results(self) -> Values<'a> {
        self.body.results(self.id)
    }

    /// The type of a value of the same body.
    #[inline]
    pub fn type_of(self, value: ValueId) -> Type {
        self.body.value_type(value)
    }

    /// The types of the results.
    pub fn result_types(self) -> impl Iterator<Item = Type> + 'a {
        self.results().map(move |value| self.body.value_type(value))
    }

    /// The inherent attribute of a key.
    pub fn prop(self, key: Str) -> Option<Attr> {
        self.body.prop(self.ctx, self.id, key)
    }

    /// The inherent attribute of a key that is given as text.
    pub fn prop_named(self, key: &str) -> Option<Attr> {
        let entries = self.body.props(self.id).as_dict(self.ctx)?;
        entries.iter().find(|(k, _)| self.ctx.str(*k) == key).map(|(_, attr)| *attr)
    }

    /// The attribute of a key, inherent or discardable.
    pub fn attr(self, key: Str) -> Option<Attr> {
        self.prop(key).or_else(|| self.ctx.dict_get(self.body.attrs(self.id), key))
    }

    /// The name of the symbol that the op defines.
    pub fn symbol_name(self) -> Option<&'a str> {
        self.symbol().map(|name| self.ctx.str(name))
    }

    /// The same, interned.
    pub fn symbol(self) -> Option<Str> {
        self.attr(Str::SYM_NAME)?.as_string(self.ctx)
    }

    /// The regions, in the body of [`resolve`](Self::resolve).
    pub fn regions(self) -> &'a [RegionId] {
        self.body.regions(self.id)
    }

    /// The blocks that control may go to.
    pub fn successors(self) -> &'a [BlockId] {
        self.body.successors(self.id)
    }

    /// The operands of a group of the declaration. An empty range when the counts do not add up (the verifier says so).
    pub fn operand_group(self, group: usize) -> Range<usize> {
        let arities = self.def().operands.iter().map(|operand| operand.arity);
        self.group(arities, group, self.body.num_operands(self.id), Str::OPERAND_SEGMENTS)
    }

    /// The operands of a group of the declaration, as values.
    pub fn operands_of_group(self, group: usize) -> Operands<'a> {
        Operands(self.operands().0.as_slice()[self.operand_group(group)].iter())
    }

    /// The results of a group of the declaration, as values.
    pub fn results_of_group(self, group: usize) -> Values<'a> {
        let (all, range) = (self.results(), self.result_group(group));
        let first = all.range.start;
        Values::new(self.body, first + range.start..first + range.end)
    }

    /// The results of a group of the declaration. An empty range when the counts do not add up.
    pub fn result_group(self, group: usize) -> Range<usize> {
        let arities = self.def().results.iter().map(|result| result.arity);
        self.group(arities, group, self.body.num_results(self.id), Str::RESULT_SEGMENTS)
    }

    /// The operands that become the arguments of a successor.
    pub fn successor_operands(self, successor: usize) -> Range<usize> {
        let group = self.def().operands.iter().position(|operand| operand.successor == Some(successor as u8));
        group.map_or(0..0, |group| self.operand_group(group))
    }

    fn group(
        self,
        arities: impl Iterator<Item = Arity> + Clone,
        group: usize,
        total: usize,
        segments: Str,
    ) -> Range<usize> {
        let flexible = arities.clone().filter(|&arity| arity != Arity::One).count();
        if flexible <= 1 {
            // Everything but one group has one element: what is left over belongs to that group.
            let fixed = arities.clone().count() - flexible;
            let rest = total.saturating_sub(fixed);
            let size = |arity| if arity == Arity::One { 1 } else { rest };
            let start: usize = arities.clone().take(group).map(size).sum();
            let len = arities.clone().nth(group).map_or(0, size);
            return if start + len <= total { start..start + len } else { 0..0 };
        }
        let Some(sizes) = self.segment_sizes(segments) else { return 0..0 };
        let start: usize = sizes.iter().take(group).sum();
        let len = sizes.get(group).copied().unwrap_or(0);
        if start + len <= total { start..start + len } else { 0..0 }
    }

    /// The sizes of the groups of operands or results, from the attribute that holds them.
    pub(crate) fn segment_sizes(self, segments: Str) -> Option<smallvec::SmallVec<[usize; 4]>> {
        match self.ctx.attr_data(self.prop(segments)?) {
            crate::attrs::AttrData::DenseArray { items, .. } => {
                items.iter().map(|item| usize::try_from(item.as_int(self.ctx)?).ok().filter(|&n| n < 1 << 31)).collect()
            }
            _ => None,
        }
    }
}

impl std::fmt::Debug for OpRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}", self.name(), self.id.index())
    }
}
