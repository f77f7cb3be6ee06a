//! A body: one isolated op (a module, a function, a kernel) with everything inside it, stored in arenas of records.
//!
//! A [`Body`] is the unit of ownership: it is cloned, dropped and worked on as a whole, and different bodies are worked
//! on in parallel. Its root is the isolated op itself. An isolated op *inside* a body is a body of its own, owned by the
//! record that stands in its place; that record has the operands, results and position, while attributes, location and
//! regions belong to the root of the [`nested`](Body::nested) body. [`OpRef::resolve`] goes from one to the other.

mod clone;
mod edit;
mod view;

use smallvec::SmallVec;

use crate::attrs::Attr;
use crate::context::{Context, OpName, Str};
use crate::entity::{Arena, BlockId, EntityId, OpId, RegionId, ValueId};
use crate::location::Loc;
use crate::pass::AnalysisCache;
use crate::types::Type;

pub use clone::CloneMap;
pub use view::{OpRef, Operands, Ops, Values};

/// One isolated op with everything inside it.
#[derive(Clone)]
pub struct Body {
    ops: Arena<OpId, OpRec>,
    values: Arena<ValueId, ValueRec>,
    uses: Vec<UseRec>,
    /// Erased runs of uses, by length.
    free_uses: Vec<Vec<u32>>,
    blocks: Arena<BlockId, BlockRec>,
    regions: Arena<RegionId, RegionRec>,
    exts: Vec<OpExt>,
    free_exts: Vec<u32>,
    /// The name of each value in the source, by index; shorter than `values` when the rest is unnamed.
    names: Vec<Str>,
    root: OpId,
    edits: u64,
    /// What is known of it as it is.
    analyses: AnalysisCache,
}

/// No use, no extension.
const NIL: u32 = u32::MAX;
/// The distance of the order numbers of ops that are appended.
const ORDER_STRIDE: u32 = 8;

#[derive(Clone)]
struct OpRec {
    name: OpName,
    loc: Loc,
    props: Attr,
    attrs: Attr,
    block: Option<BlockId>,
    prev: Option<OpId>,
    next: Option<OpId>,
    /// Grows along the block; compared to tell which of two ops comes first.
    order: u32,
    first_use: u32,
    operands: u32,
    first_result: u32,
    results: u32,
    /// Index into `exts`, or `NIL`.
    ext: u32,
}

/// What few ops have.
#[derive(Clone, Default)]
struct OpExt {
    regions: SmallVec<[RegionId; 2]>,
    successors: SmallVec<[BlockId; 2]>,
    nested: Option<Box<Body>>,
}

#[derive(Clone)]
struct ValueRec {
    ty: Type,
    /// The index of the op or block that defines it.
    owner: u32,
    /// Its place among the results, or (with `ARG`) among the arguments; `PLACEHOLDER` while it is not defined.
    slot: u32,
    first_use: u32,
}

const ARG: u32 = 1 << 31;
const PLACEHOLDER: u32 = u32::MAX;

#[derive(Clone)]
struct UseRec {
    value: ValueId,
    owner: OpId,
    next: u32,
    prev: u32,
}

#[derive(Clone)]
struct BlockRec {
    region: Option<RegionId>,
    prev: Option<BlockId>,
    next: Option<BlockId>,
    first: Option<OpId>,
    last: Option<OpId>,
    args: SmallVec<[ValueId; 4]>,
    /// The locations of the arguments; empty while all are unknown.
    arg_locs: Vec<Loc>,
    label: Str,
}

#[derive(Clone)]
struct RegionRec {
    parent: Option<OpId>,
    first: Option<BlockId>,
    last: Option<BlockId>,
}

/// What defines a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// The result of an op, at an index.
    Result(OpId, usize),
    /// The argument of a block, at an index.
    Arg(BlockId, usize),
    /// Nothing yet: the parser has met a use only.
    Placeholder,
}

/// An operand of an op.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Use {
    /// The op that has it.
    pub op: OpId,
    /// Its place among the operands.
    pub index: usize,
}

/// Where an op is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InsertPoint {
    /// Before an op.
    Before(OpId),
    /// After an op.
    After(OpId),
    /// At the start of a block.
    StartOf(BlockId),
    /// At the end of a block.
    EndOf(BlockId),
}

/// Everything that a new op consists of.
pub struct OpParts<'a> {
    /// Its name.
    pub name: OpName,
    /// Where it came from.
    pub loc: Loc,
    /// Its operands.
    pub operands: &'a [ValueId],
    /// The types of its results.
    pub results: &'a [Type],
    /// Its inherent attributes, a dictionary.
    pub props: Attr,
    /// Its discardable attributes, a dictionary.
    pub attrs: Attr,
    /// Its regions, made before with [`Body::create_region`].
    pub regions: &'a [RegionId],
    /// Its successors.
    pub successors: &'a [BlockId],
    /// The body of an isolated op.
    pub nested: Option<Box<Body>>,
}

impl<'a> OpParts<'a> {
    /// An op with a name, and nothing else yet.
    pub fn new(name: OpName, loc: Loc) -> Self {
        OpParts {
            name,
            loc,
            operands: &[],
            results: &[],
            props: Attr::EMPTY_DICT,
            attrs: Attr::EMPTY_DICT,
            regions: &[],
            successors: &[],
            nested: None,
        }
    }
}

impl Body {
    /// A body whose root is an op with `regions` empty regions.
    pub fn new(name: OpName, loc: Loc, regions: usize) -> Body {
        let mut body = Body {
            ops: Arena::new(),
            values: Arena::new(),
            uses: Vec::new(),
            free_uses: Vec::new(),
            blocks: Arena::new(),
            regions: Arena::new(),
            exts: Vec::new(),
            free_exts: Vec::new(),
            names: Vec::new(),
            root: OpId::new(0, 0),
            edits: 0,
            analyses: AnalysisCache::default(),
        };
        let regions: SmallVec<[RegionId; 2]> = (0..regions).map(|_| body.create_region()).collect();
        body.root = body.create_op(OpParts { regions: &regions, ..OpParts::new(name, loc) });
        body
    }

    /// An empty `builtin.module`: one region with one block.
    pub fn module(ctx: &Context) -> Body {
        let mut body = Body::new(ctx.op_name("builtin.module"), Loc::UNKNOWN, 1);
        let region = body.regions(body.root)[0];
        body.append_block(region);
        body
    }

    /// The isolated op that the body is.
    #[inline]
    pub fn root(&self) -> OpId {
        self.root
    }

    /// The first region of the root.
    ///
    /// # Panics
    /// If the root has no region.
    pub fn root_region(&self) -> RegionId {
        self.regions(self.root)[0]
    }

    /// The first block of the first region of the root, if there is one.
    pub fn entry_block(&self) -> Option<BlockId> {
        self.regions(self.root).first().and_then(|&region| self.regions[region].first)
    }

    /// A number that grows with every change: equal numbers mean an unchanged body (nested bodies have their own).
    #[inline]
    pub fn edits(&self) -> u64 {
        self.edits
    }

    /// What has been determined about it, by those who run passes.
    pub(crate) fn analyses(&self) -> &AnalysisCache {
        &self.analyses
    }

    pub(crate) fn analyses_mut(&mut self) -> &mut AnalysisCache {
        &mut self.analyses
    }

    /// The number of live ops, the root included, nested bodies not.
    pub fn num_ops(&self) -> usize {
        self.ops.live()
    }

    /// The length of a dense table over the ids of ops.
    pub fn op_slots(&self) -> usize {
        self.ops.slots()
    }

    /// The length of a dense table over the ids of values.
    pub fn value_slots(&self) -> usize {
        self.values.slots()
    }

    /// Gives back what the growing of the tables has left over.
    pub fn shrink_to_fit(&mut self) {
        self.ops.shrink_to_fit();
        self.values.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.regions.shrink_to_fit();
        self.uses.shrink_to_fit();
        self.exts.shrink_to_fit();
        self.names.shrink_to_fit();
    }

    /// The bytes of storage held, nested bodies included.
    pub fn bytes(&self) -> usize {
        let own = size_of::<Body>()
            + self.ops.bytes()
            + self.values.bytes()
            + self.blocks.bytes()
            + self.regions.bytes()
            + self.uses.capacity() * size_of::<UseRec>()
            + self.exts.capacity() * size_of::<OpExt>()
            + self.names.capacity() * size_of::<Str>();
        own + self.exts.iter().filter_map(|ext| ext.nested.as_deref()).map(Body::bytes).sum::<usize>()
    }

    // Ops.

    /// The name of an op.
    #[inline]
    pub fn op_name(&self, op: OpId) -> OpName {
        self.ops[op].name
    }

    /// Where an op came from.
    pub fn loc(&self, op: OpId) -> Loc {
        self.ops[op].loc
    }

    /// The inherent attributes of an op, a dictionary. For an isolated op inside a body: those of its own root.
    #[inline]
    pub fn props(&self, op: OpId) -> Attr {
        let rec = &self.ops[op];
        match self.nested(op) {
            Some(nested) => nested.props(nested.root),
            None => rec.props,
        }
    }

    /// The discardable attributes of an op, a dictionary. For an isolated op inside a body: those of its own root.
    #[inline]
    pub fn attrs(&self, op: OpId) -> Attr {
        match self.nested(op) {
            Some(nested) => nested.attrs(nested.root),
            None => self.ops[op].attrs,
        }
    }

    /// The inherent attribute of a key.
    pub fn prop(&self, ctx: &Context, op: OpId, key: Str) -> Option<Attr> {
        ctx.dict_get(self.props(op), key)
    }

    /// The body that an isolated op inside this one is.
    #[inline]
    pub fn nested(&self, op: OpId) -> Option<&Body> {
        self.ext(op)?.nested.as_deref()
    }

    /// The body that an isolated op inside this one is, to be changed.
    pub fn nested_mut(&mut self, op: OpId) -> Option<&mut Body> {
        let ext = self.ops[op].ext;
        self.exts.get_mut(ext as usize)?.nested.as_deref_mut()
    }

    /// The regions of an op in this body. Empty for an isolated op inside the body: see [`nested`](Self::nested).
    #[inline]
    pub fn regions(&self, op: OpId) -> &[RegionId] {
        self.ext(op).map_or(&[], |ext| &ext.regions)
    }

    /// The blocks that control may go to after an op.
    #[inline]
    pub fn successors(&self, op: OpId) -> &[BlockId] {
        self.ext(op).map_or(&[], |ext| &ext.successors)
    }

    #[inline]
    fn ext(&self, op: OpId) -> Option<&OpExt> {
        let ext = self.ops[op].ext;
        if ext == NIL { None } else { Some(&self.exts[ext as usize]) }
    }

    /// The block that an op stands in; `None` for the root and for ops that are not put anywhere.
    #[inline]
    pub fn block_of(&self, op: OpId) -> Option<BlockId> {
        self.ops[op].block
    }

    /// The op before this one in its block.
    #[inline]
    pub fn prev_op(&self, op: OpId) -> Option<OpId> {
        self.ops[op].prev
    }

    /// The op after this one in its block.
    #[inline]
    pub fn next_op(&self, op: OpId) -> Option<OpId> {
        self.ops[op].next
    }

    /// The op whose region an op stands in.
    pub fn parent_op(&self, op: OpId) -> Option<OpId> {
        self.region_parent(self.blocks[self.block_of(op)?].region?)
    }

    /// Whether `a` stands before `b`, both in one block.
    #[inline]
    pub fn is_before(&self, a: OpId, b: OpId) -> bool {
        debug_assert_eq!(self.block_of(a), self.block_of(b));
        self.ops[a].order < self.ops[b].order
    }

    /// The number of operands.
    #[inline]
    pub fn num_operands(&self, op: OpId) -> usize {
        self.ops[op].operands as usize
    }

    /// The operand at an index.
    ///
    /// # Panics
    /// If there are fewer operands.
    #[inline]
    pub fn operand(&self, op: OpId, index: usize) -> ValueId {
        let rec = &self.ops[op];
        assert!(index < rec.operands as usize, "operand {index} of an op with {}", rec.operands);
        self.uses[rec.first_use as usize + index].value
    }

    /// The operands, in order.
    #[inline]
    pub fn operands(&self, op: OpId) -> Operands<'_> {
        let rec = &self.ops[op];
        let first = rec.first_use as usize;
        Operands::new(if rec.operands == 0 { &[] } else { &self.uses[first..first + rec.operands as usize] })
    }

    /// The number of results.
    #[inline]
    pub fn num_results(&self, op: OpId) -> usize {
        self.ops[op].results as usize
    }

    /// The result at an index.
    ///
    /// # Panics
    /// If there are fewer results.
    #[inline]
    pub fn result(&self, op: OpId, index: usize) -> ValueId {
        let rec = &self.ops[op];
        assert!(index < rec.results as usize, "result {index} of an op with {}", rec.results);
        self.values.id_at(rec.first_result as usize + index)
    }

    /// The results, in order.
    #[inline]
    pub fn results(&self, op: OpId) -> Values<'_> {
        let rec = &self.ops[op];
        Values::new(self, rec.first_result as usize..(rec.first_result + rec.results) as usize)
    }

    // Values.

    /// The type of a value.
    #[inline]
    pub fn value_type(&self, value: ValueId) -> Type {
        self.values[value].ty
    }

    /// What defines a value.
    #[inline]
    pub fn value_def(&self, value: ValueId) -> ValueDef {
        let rec = &self.values[value];
        match rec.slot {
            PLACEHOLDER => ValueDef::Placeholder,
            slot if slot & ARG != 0 => ValueDef::Arg(self.blocks.id_at(rec.owner as usize), (slot & !ARG) as usize),
            slot => ValueDef::Result(self.ops.id_at(rec.owner as usize), slot as usize),
        }
    }

    /// The op that a value is a result of; `None` for an argument of a block.
    #[inline]
    pub fn defining_op(&self, value: ValueId) -> Option<OpId> {
        match self.value_def(value) {
            ValueDef::Result(op, _) => Some(op),
            _ => None,
        }
    }

    /// The block in which a value is defined; `None` when its op is not put anywhere.
    pub fn defining_block(&self, value: ValueId) -> Option<BlockId> {
        match self.value_def(value) {
            ValueDef::Result(op, _) => self.block_of(op),
            ValueDef::Arg(block, _) => Some(block),
            ValueDef::Placeholder => None,
        }
    }

    /// The name that a value had in the source; [`Str::EMPTY`] if none.
    #[inline]
    pub fn value_name(&self, value: ValueId) -> Str {
        self.names.get(value.index()).copied().unwrap_or(Str::EMPTY)
    }

    /// Whether a value is used at all.
    #[inline]
    pub fn has_uses(&self, value: ValueId) -> bool {
        self.values[value].first_use != NIL
    }

    /// Whether a value is used exactly once.
    pub fn has_one_use(&self, value: ValueId) -> bool {
        let first = self.values[value].first_use;
        first != NIL && self.uses[first as usize].next == NIL
    }

    /// The uses of a value, the latest first.
    pub fn uses(&self, value: ValueId) -> impl Iterator<Item = Use> + '_ {
        let mut next = self.values[value].first_use;
        std::iter::from_fn(move || {
            let rec = self.uses.get(next as usize)?;
            let index = next - self.ops[rec.owner].first_use;
            next = rec.next;
            Some(Use { op: rec.owner, index: index as usize })
        })
    }

    /// Whether no result of an op is used.
    pub fn is_unused(&self, op: OpId) -> bool {
        self.results(op).all(|result| !self.has_uses(result))
    }

    // Blocks and regions.

    /// The region of a block; `None` when it is not put anywhere.
    #[inline]
    pub fn region_of(&self, block: BlockId) -> Option<RegionId> {
        self.blocks[block].region
    }

    /// The op that has a region.
    #[inline]
    pub fn region_parent(&self, region: RegionId) -> Option<OpId> {
        self.regions[region].parent
    }

    /// The first block of a region: its entry.
    #[inline]
    pub fn first_block(&self, region: RegionId) -> Option<BlockId> {
        self.regions[region].first
    }

    /// The block after this one in its region.
    #[inline]
    pub fn next_block(&self, block: BlockId) -> Option<BlockId> {
        self.blocks[block].next
    }

    /// Whether a region has exactly one block.
    #[inline]
    pub fn has_single_block(&self, region: RegionId) -> bool {
        let rec = &self.regions[region];
        rec.first.is_some() && rec.first == rec.last
    }

    /// The blocks of a region, in order.
    pub fn blocks(&self, region: RegionId) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(self.regions[region].first, |&block| self.blocks[block].next)
    }

    /// The arguments of a block.
    #[inline]
    pub fn args(&self, block: BlockId) -> &[ValueId] {
        &self.blocks[block].args
    }

    /// Where an argument of a block came from.
    pub fn arg_loc(&self, block: BlockId, index: usize) -> Loc {
        self.blocks[block].arg_locs.get(index).copied().unwrap_or(Loc::UNKNOWN)
    }

    /// The label that a block had in the source, without `^`; [`Str::EMPTY`] if none.
    pub fn label(&self, block: BlockId) -> Str {
        self.blocks[block].label
    }

    /// The first op of a block.
    #[inline]
    pub fn first_op(&self, block: BlockId) -> Option<OpId> {
        self.blocks[block].first
    }

    /// The last op of a block: its terminator, once the block is complete.
    #[inline]
    pub fn last_op(&self, block: BlockId) -> Option<OpId> {
        self.blocks[block].last
    }

    /// The ops of a block, in order.
    pub fn ops(&self, block: BlockId) -> Ops<'_> {
        Ops::new(self, self.blocks[block].first)
    }

    /// Every op below the root, each before what is in its regions. Nested bodies are not entered.
    ///
    /// The list is made first, so the body may be changed while it is walked: an op that was erased meanwhile must not
    /// be touched.
    pub fn walk(&self) -> Vec<OpId> {
        let mut ops = Vec::with_capacity(self.num_ops());
        self.walk_regions(self.root, &mut ops);
        ops
    }

    /// Every op in the regions of `op`, each before what is in its own regions.
    pub fn walk_regions(&self, op: OpId, into: &mut Vec<OpId>) {
        // A stack of cursors in place of recursion: the next op to visit at each depth.
        let mut stack: SmallVec<[(RegionCursor, Option<OpId>); 8]> = SmallVec::new();
        stack.push((RegionCursor::new(self, op), None));
        while let Some((cursor, next)) = stack.last_mut() {
            match *next {
                Some(op) => {
                    *next = self.ops[op].next;
                    into.push(op);
                    if !self.regions(op).is_empty() {
                        stack.push((RegionCursor::new(self, op), None));
                    }
                }
                None => match cursor.next_block(self) {
                    Some(block) => *next = self.blocks[block].first,
                    None => drop(stack.pop()),
                },
            }
        }
    }

    /// The ids of the ops that are bodies of their own, in order, directly inside this body (at any region depth).
    pub fn nested_ops(&self) -> Vec<OpId> {
        if self.exts.iter().all(|ext| ext.nested.is_none()) {
            return Vec::new();
        }
        self.walk().into_iter().filter(|&op| self.nested(op).is_some()).collect()
    }
}

/// Goes over the blocks of all regions of an op.
struct RegionCursor {
    op: OpId,
    region: usize,
    block: Option<BlockId>,
}

impl RegionCursor {
    fn new(_: &Body, op: OpId) -> Self {
        RegionCursor { op, region: 0, block: None }
    }

    fn next_block(&mut self, body: &Body) -> Option<BlockId> {
        self.block = self.block.and_then(|block| body.blocks[block].next);
        while self.block.is_none() {
            let region = *body.regions(self.op).get(self.region)?;
            self.region += 1;
            self.block = body.regions[region].first;
        }
        self.block
    }
}
