//! Copying ops with everything in them, inside one body or from one body into another.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::*;

/// What the originals became: given to a clone to say what operands and successors are replaced with, and filled by it.
#[derive(Clone, Default, Debug)]
pub struct CloneMap {
    values: FxHashMap<ValueId, ValueId>,
    blocks: FxHashMap<BlockId, BlockId>,
    ops: Vec<OpId>,
}

impl CloneMap {
    /// A map in which nothing is replaced.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets uses of `old` become uses of `new`.
    pub fn map_value(&mut self, old: ValueId, new: ValueId) {
        self.values.insert(old, new);
    }

    /// Lets `new` replace `old` as a successor.
    pub fn map_block(&mut self, old: BlockId, new: BlockId) {
        self.blocks.insert(old, new);
    }

    /// What a value became; `None` when it was neither mapped nor cloned.
    pub fn value(&self, old: ValueId) -> Option<ValueId> {
        self.values.get(&old).copied()
    }

    /// What a block became.
    pub fn block(&self, old: BlockId) -> Option<BlockId> {
        self.blocks.get(&old).copied()
    }

    /// The ops that were made, each before those in its regions.
    pub fn ops(&self) -> &[OpId] {
        &self.ops
    }
}

impl Body {
    /// A copy of an op of this body, with its regions; it is not put anywhere yet. Operands that the map does not
    /// mention stay what they are.
    pub fn clone_op(&mut self, op: OpId, map: &mut CloneMap) -> OpId {
        let mut cloner = Cloner { from: None, map, late: Vec::new() };
        let new = cloner.op(self, op);
        cloner.finish(self);
        new
    }

    /// A copy of an op of another body, with its regions; it is not put anywhere yet.
    ///
    /// # Panics
    /// If it uses a value that is neither in it nor in the map.
    pub fn import_op(&mut self, from: &Body, op: OpId, map: &mut CloneMap) -> OpId {
        let mut cloner = Cloner { from: Some(from), map, late: Vec::new() };
        let new = cloner.op(self, op);
        cloner.finish(self);
        new
    }

    /// Copies of all blocks of a region, put into the region `into` of this body, before a block or at its end.
    pub fn clone_blocks(&mut self, from: RegionId, into: RegionId, before: Option<BlockId>, map: &mut CloneMap) {
        let mut cloner = Cloner { from: None, map, late: Vec::new() };
        cloner.blocks(self, from, into, before);
        cloner.finish(self);
    }

    /// Copies of all blocks of a region of another body, put into the region `into` of this one, before a block or at
    /// its end.
    ///
    /// # Panics
    /// If they use a value that is neither in them nor in the map.
    pub fn import_blocks(
        &mut self,
        from: &Body,
        region: RegionId,
        into: RegionId,
        before: Option<BlockId>,
        map: &mut CloneMap,
    ) {
        let mut cloner = Cloner { from: Some(from), map, late: Vec::new() };
        cloner.blocks(self, region, into, before);
        cloner.finish(self);
    }

    /// Counts a change that the records of this body do not show: one in a nested body, or of a location.
    pub(crate) fn touch(&mut self) {
        self.edits += 1;
    }

    /// Puts another body in place of this one, which counts as a change. An assignment does not: the stamps of two
    /// bodies may be equal.
    pub fn replace_with(&mut self, new: Body) {
        let edits = self.edits;
        *self = new;
        self.edits = self.edits.max(edits) + 1;
        self.analyses.clear();
    }
}

struct Cloner<'a> {
    /// The body of the originals; `None` when it is the one that grows.
    from: Option<&'a Body>,
    map: &'a mut CloneMap,
    /// Operands whose original was not cloned yet when its user was: to be looked up again at the end.
    late: Vec<(OpId, usize, ValueId)>,
}

impl Cloner<'_> {
    fn source<'s>(&'s self, body: &'s Body) -> &'s Body {
        self.from.unwrap_or(body)
    }

    fn op(&mut self, body: &mut Body, old: OpId) -> OpId {
        let source = self.source(body);
        let (name, loc) = (source.op_name(old), source.loc(old));
        let (props, attrs) = (source.ops[old].props, source.ops[old].attrs);
        let old_operands: SmallVec<[ValueId; 4]> = source.operands(old).collect();
        let old_results: SmallVec<[ValueId; 2]> = source.results(old).collect();
        let types: SmallVec<[Type; 2]> = old_results.iter().map(|&value| source.value_type(value)).collect();
        let old_regions: SmallVec<[RegionId; 2]> = source.regions(old).iter().copied().collect();
        let nested = source.nested(old).map(|nested| Box::new(nested.clone()));
        let successors: SmallVec<[BlockId; 2]> =
            source.successors(old).iter().map(|&block| self.map.block(block).unwrap_or(block)).collect();
        let mut operands: SmallVec<[ValueId; 4]> = SmallVec::new();
        let mut late: SmallVec<[(usize, ValueId); 2]> = SmallVec::new();
        for (index, &value) in old_operands.iter().enumerate() {
            operands.push(match (self.map.value(value), self.from) {
                (Some(new), _) => new,
                (None, from) => {
                    late.push((index, value));
                    let Some(from) = from else {
                        operands.push(value);
                        continue;
                    };
                    body.create_placeholder(from.value_type(value))
                }
            });
        }
        let regions: SmallVec<[RegionId; 2]> = old_regions.iter().map(|_| body.create_region()).collect();
        let new = body.create_op(OpParts {
            operands: &operands,
            results: &types,
            props,
            attrs,
            regions: &regions,
            successors: &successors,
            nested,
            ..OpParts::new(name, loc)
        });
        self.late.extend(late.into_iter().map(|(index, value)| (new, index, value)));
        self.map.ops.push(new);
        for (index, &old) in old_results.iter().enumerate() {
            let result = body.result(new, index);
            self.value(body, old, result);
        }
        for (&old, &region) in old_regions.iter().zip(&regions) {
            self.blocks(body, old, region, None);
        }
        new
    }

    fn value(&mut self, body: &mut Body, old: ValueId, new: ValueId) {
        let name = self.source(body).value_name(old);
        body.set_value_name(new, name);
        self.map.map_value(old, new);
    }

    fn blocks(&mut self, body: &mut Body, from: RegionId, into: RegionId, before: Option<BlockId>) {
        // The list first: `into` may be `from`. All blocks before any op, since branches go forwards and backwards.
        let old_blocks: Vec<BlockId> = self.source(body).blocks(from).collect();
        for &old in &old_blocks {
            let new = body.create_block();
            body.insert_block(new, into, before);
            let source = self.source(body);
            let (label, args) = (source.label(old), SmallVec::<[ValueId; 4]>::from_slice(source.args(old)));
            body.set_label(new, label);
            self.map.map_block(old, new);
            for (index, &old_arg) in args.iter().enumerate() {
                let source = self.source(body);
                let (ty, loc) = (source.value_type(old_arg), source.arg_loc(old, index));
                let arg = body.add_arg(new, ty, loc);
                self.value(body, old_arg, arg);
            }
        }
        for &old in &old_blocks {
            let new = self.map.blocks[&old];
            let ops: Vec<OpId> = self.source(body).ops(old).collect();
            for op in ops {
                let op = self.op(body, op);
                body.insert(op, InsertPoint::EndOf(new));
            }
        }
    }

    fn finish(self, body: &mut Body) {
        for (op, index, old) in self.late {
            let placeholder = body.operand(op, index);
            let new = self.map.value(old);
            if self.from.is_some() {
                let new = new.expect("a value from outside of what is imported is in the map");
                body.set_operand(op, index, new);
                body.erase_placeholder(placeholder);
            } else if let Some(new) = new {
                body.set_operand(op, index, new);
            }
        }
    }
}
