//! Which points compute a value of `book`, what they read, and which of them come before others: a function in the terms
//! of the polyhedral model.
//!
//! Every entry, iota and reduction is a [`Block`]. Its points are those of its axes, the reduced ones last. A sum of
//! products whose factors are read at affine positions is one block, a *contraction*; the product has a block of its own
//! only if something else reads it.
//!
//! **Names.** An axis whose size is a symbol is called like it, in small letters: `m` of `M`; a second one `m1`; any other
//! axis `i` with its number, as `book` has it. Sets and maps are linear in symbols, so a size such as `M*N` gets a name and
//! is a symbol of its own.
//!
//! **Domains.** Where a read has a guard, the points within it and those outside are pieces of their own, each of them
//! coalesced; that holds for each guard of the block, as long as there are at most [`MAX_PIECES`] pieces. Conditions are
//! written without those that follow from others (*without redundant*), and those of a read without those that the box of
//! the axes implies (*gist*).
//!
//! **Excluded** is what no such map says: gathers, reshapes whose axes do not pair, and positions beyond 64 bits.
//!
//! Linear in ops and reads; the sets of a block are handled by `dlc_ir::affine`. The terms are those of the specification,
//! sections 5 and 7.1, and of isl (S. Verdoolaege, *isl: An Integer Set Library for the Polyhedral Model*, 2010).

use dlc_book::ops::{Const, Entry, Function, Gather, Iota, Reduce, Reshape, Scan, Sort};
use dlc_book::verify::reads;
use dlc_core::access::Access;
use dlc_core::scalar::Combiner;
use dlc_core::types::Tensor;
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::define::{Kind as _, TextArray};
use dlc_ir::{Body, Context, OpId, OpRef, Str, ValueId};
use dlc_poly::isl::name_like;
use dlc_poly::pattern::Contraction;
use rustc_hash::{FxHashMap, FxHashSet};

mod sets;

pub use sets::MAX_PIECES;
use sets::{Params, Sets};

/// A function, as far as it is affine.
#[derive(Debug)]
pub struct Polyhedral {
    /// The symbols of the function.
    pub symbols: Vec<String>,
    /// Sizes that are symbols of sets and maps, with their names.
    pub sizes: Vec<(String, SizeExpr)>,
    /// What blocks read and write.
    pub tensors: Vec<ValueId>,
    /// The names of values.
    pub names: FxHashMap<ValueId, String>,
    /// In the order of the text.
    pub blocks: Vec<Block>,
    /// What is not affine, and why.
    pub excluded: Vec<Excluded>,
    /// Which points come before others.
    pub edges: Vec<Edge>,
}

/// The points at which a value is computed.
#[derive(Debug)]
pub struct Block {
    /// The op that gives the value.
    pub op: OpId,
    /// The value.
    pub value: ValueId,
    /// Its name, which is that of the tensor it writes.
    pub name: String,
    /// The names and sizes of its axes.
    pub axes: Vec<(String, SizeExpr)>,
    /// How many of the axes are reduced: the last ones.
    pub reduced: usize,
    /// What is combined along these axes.
    pub combiner: Option<Combiner>,
    /// What a point reads; of a contraction the left operand comes first.
    pub reads: Vec<Read>,
    /// What it is, if it is a contraction.
    pub contraction: Option<Contraction>,
    /// The points, in the notation of isl.
    pub domain: String,
    /// The number of its pieces.
    pub pieces: usize,
    /// The map to what a point writes.
    pub write: String,
    /// The names of the symbols `s0, s1, ..` of positions.
    pub symbols: Vec<String>,
}

/// How a point reads a tensor.
#[derive(Clone, Debug)]
pub struct Read {
    /// The tensor.
    pub value: ValueId,
    /// The op of `book` that has it as an operand: that of the block or, of a contraction, the product.
    pub op: OpId,
    /// The access, over the axes `i0, i1, ..` of the block.
    pub access: Access,
    /// The positions, over the dimensions of the block.
    pub at: Vec<AffineExpr>,
    /// The map, in the notation of isl.
    pub map: String,
}

/// A value that no block computes.
#[derive(Debug)]
pub struct Excluded {
    /// The op that gives it.
    pub op: OpId,
    /// The value.
    pub value: ValueId,
    /// Its name.
    pub name: String,
    /// Why it is no block.
    pub why: String,
}

/// A value is written by a block and read by another. Every tensor has one writer, so there are no others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The number of the block that writes.
    pub source: usize,
    /// The number of the block that reads.
    pub target: usize,
    /// For each axis of the value by how many elements the point that reads is ahead, where that is one number.
    pub distance: Vec<Option<i64>>,
}

impl Polyhedral {
    /// The name of a tensor.
    pub fn name(&self, value: ValueId) -> &str {
        self.names.get(&value).map_or("", String::as_str)
    }
}

/// The sizes of the axes of a value.
pub fn dims(ctx: &Context, body: &Body, value: ValueId) -> Vec<SizeExpr> {
    Tensor::of(ctx, body.value_type(value)).map(|ty| ty.dims(ctx)).unwrap_or_default()
}

/// A function of `book` in the terms of the polyhedral model.
pub fn polyhedral(ctx: &Context, body: &Body) -> Polyhedral {
    let root = OpRef::new(ctx, body, body.root());
    let declared = root.prop(Str::SYMBOLS).and_then(|attr| TextArray::get(ctx, attr)).unwrap_or_default();
    let symbols: Vec<String> = declared.into_iter().map(String::from).collect();
    let mut build = Build {
        ctx,
        params: Params::new(&symbols),
        found: Polyhedral {
            symbols,
            sizes: Vec::new(),
            tensors: Vec::new(),
            names: FxHashMap::default(),
            blocks: Vec::new(),
            excluded: Vec::new(),
            edges: Vec::new(),
        },
        named: FxHashSet::default(),
    };
    let args = body.entry_block().map(|block| body.args(block).to_vec()).unwrap_or_default();
    let ops: Vec<OpRef<'_>> = body.walk().into_iter().map(|op| OpRef::new(ctx, body, op)).collect();
    let parts: Vec<Part<'_>> = ops.iter().filter(|op| op.results().len() == 1).map(|op| part(*op)).collect();
    // A product that only contractions read is a part of them.
    let products: FxHashMap<OpId, OpId> =
        parts.iter().filter_map(|part| Some((part.op.id, part.product?.id))).collect();
    let folded = |part: &Part<'_>| {
        let mut uses = body.uses(part.op.result(0)).peekable();
        uses.peek().is_some() && uses.all(|used| products.get(&used.op) == Some(&part.op.id))
    };
    let parts: Vec<Part<'_>> = parts.iter().filter(|part| !folded(part)).copied().collect();
    let values: Vec<ValueId> = args.into_iter().chain(parts.iter().map(|part| part.op.result(0))).collect();
    values.iter().for_each(|&value| build.name(body, value));
    parts.into_iter().for_each(|part| build.part(part));
    build.found.sizes = build.params.sizes;
    build.found.edges = edges(&build.found);
    // What is neither read nor written is no tensor of the view.
    let blocks = build.found.blocks.iter();
    let used: FxHashSet<ValueId> =
        blocks.flat_map(|block| block.reads.iter().map(|read| read.value).chain([block.value])).collect();
    build.found.tensors = values.into_iter().filter(|value| used.contains(value)).collect();
    build.found
}

/// An op and, for a sum of products, the product.
#[derive(Clone, Copy)]
struct Part<'a> {
    op: OpRef<'a>,
    product: Option<OpRef<'a>>,
}

/// Sees whether an op sums a product that it reads everywhere.
fn part(op: OpRef<'_>) -> Part<'_> {
    let product = || {
        let reduce = Reduce::of(op).filter(|reduce| reduce.combiner() == Combiner::Sum)?;
        let producer = OpRef { id: op.body.defining_op(reduce.input())?, ..op };
        let factors = Entry::of(producer).filter(|entry| entry.function() == Function::Mul)?;
        let (reads, sizes) = composed(op, *factors)?;
        let reduced = reduce.over().len();
        let mut sets = Sets::new(&mut Params::new(&[]), &sizes).ok()?;
        let mut at = Vec::new();
        for (_, access) in &reads {
            at.push(sets.positions(&mut Params::new(&[]), access).ok()?);
        }
        let [first, second] = &at[..] else { return None };
        dlc_poly::pattern::contraction(first, second, sizes.len(), reduced).map(|_| producer)
    };
    Part { op, product: product() }
}

/// The reads of a product over the axes of the sum that reads it, and the sizes of these.
fn composed(sum: OpRef<'_>, product: OpRef<'_>) -> Option<(Vec<(ValueId, Access)>, Vec<SizeExpr>)> {
    let (outer, sizes) = reads(sum)?;
    let [outer] = &outer[..] else { return None };
    if outer.guard.is_some() {
        return None;
    }
    let (inner, _) = reads(product)?;
    let axis = |name: &str| name.strip_prefix('i')?.parse::<usize>().ok();
    let replace = |expr: &SizeExpr| expr.substitute(&|name| outer.at.get(axis(name)?).cloned()).ok();
    let mut found = Vec::new();
    for (operand, access) in product.operands().zip(inner) {
        found.push((operand, access.map(&replace)?));
    }
    Some((found, sizes))
}

struct Build<'a> {
    ctx: &'a Context,
    params: Params,
    found: Polyhedral,
    named: FxHashSet<String>,
}

impl<'a> Build<'a> {
    fn name(&mut self, body: &Body, value: ValueId) {
        let given = self.ctx.str(body.value_name(value));
        let text = if given.is_empty() { format!("v{}", self.found.names.len()) } else { given.to_string() };
        let taken = |name: &str| self.named.contains(name) || self.params.is_taken(name);
        let name = name_like(&text, &taken);
        self.named.insert(name.clone());
        self.found.names.insert(value, name);
    }

    fn part(&mut self, part: Part<'a>) {
        let Part { op, product } = part;
        if Const::of(op).is_some() {
            return;
        }
        let value = op.result(0);
        let name = self.found.name(value).to_string();
        match self.block(op, product, &name) {
            Ok(block) => self.found.blocks.push(block),
            Err(why) => self.found.excluded.push(Excluded { op: op.id, value, name, why }),
        }
    }

    fn block(&mut self, op: OpRef<'a>, product: Option<OpRef<'a>>, name: &str) -> Result<Block, String> {
        if let Some(gather) = Gather::of(op) {
            let indices = gather.indices().map(|index| format!("'{}'", self.found.name(index)));
            return Err(format!("its positions are elements of {}", indices.collect::<Vec<_>>().join(" and ")));
        }
        if Reshape::of(op).is_some() {
            return Err("it is not known how the axes of a reshape go together".into());
        }
        if let Some(scan) = Scan::of(op) {
            return Err(format!("each element depends on all before it along axis {}", scan.along()));
        }
        if let Some(sort) = Sort::of(op) {
            return Err(format!("each element depends on all along axis {}", sort.along()));
        }
        let combiner = Reduce::of(op).map(|reduce| reduce.combiner());
        let reduced = Reduce::of(op).map_or(0, |reduce| reduce.over().len());
        let (accesses, sizes, reader) = match product.and_then(|product| Some((composed(op, product)?, product))) {
            Some(((accesses, sizes), product)) => (accesses, sizes, product),
            None => match reads(op) {
                Some((accesses, sizes)) => (op.operands().zip(accesses).collect(), sizes, op),
                None => (Vec::new(), Iota::of(op).map(|iota| iota.axes()).unwrap_or_default(), op),
            },
        };
        let mut sets = Sets::new(&mut self.params, &sizes)?;
        let mut positions = Vec::new();
        for (_, access) in &accesses {
            positions.push(sets.positions(&mut self.params, access)?);
        }
        let contraction = match (product, &positions[..]) {
            (Some(_), [first, second]) => dlc_poly::pattern::contraction(first, second, sizes.len(), reduced),
            _ => None,
        };
        let mut reads = Vec::new();
        for ((value, access), at) in accesses.into_iter().zip(positions) {
            let map = sets.map(&mut self.params, self.found.name(value), &access, &at)?;
            reads.push(Read { value, op: reader.id, access, at, map });
        }
        if contraction.as_ref().is_some_and(|found| found.swapped) {
            reads.swap(0, 1);
        }
        let guards = reads.iter().filter_map(|read| read.access.guard.as_ref());
        let guards: Vec<_> = guards.collect();
        let (domain, pieces) = sets.domain(&mut self.params, &guards)?;
        let kept: Vec<AffineExpr> = (0..sizes.len() - reduced).map(|dim| AffineExpr::Dim(dim as u32)).collect();
        let write = sets.map(&mut self.params, name, &Access::default(), &kept)?;
        let axes = sets.dims.iter().cloned().zip(sizes).collect();
        let symbols = sets.symbols(&mut self.params);
        let (op, value, name) = (op.id, op.result(0), name.to_string());
        Ok(Block { op, value, name, axes, reduced, combiner, reads, contraction, domain, pieces, write, symbols })
    }
}

/// The edges between blocks, each once.
fn edges(found: &Polyhedral) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let writers: FxHashMap<ValueId, usize> =
        found.blocks.iter().enumerate().map(|(at, block)| (block.value, at)).collect();
    for (target, block) in found.blocks.iter().enumerate() {
        let first = edges.len();
        for read in &block.reads {
            let Some(&source) = writers.get(&read.value) else { continue };
            let distance = read.at.iter().map(|at| distance(at, block.axes.len())).collect();
            let edge = Edge { source, target, distance };
            if !edges[first..].contains(&edge) {
                edges.push(edge);
            }
        }
    }
    edges
}

/// By how much a point is ahead of the element `d + c` that it reads: `-c`.
fn distance(at: &AffineExpr, axes: usize) -> Option<i64> {
    let form = at.linear_form(axes as u32, at.needed().1).ok()??;
    let mut factors = form.dims.iter().filter(|factor| **factor != 0);
    let single = factors.next() == Some(&1) && factors.next().is_none();
    let symbols = form.symbols.iter().any(|factor| *factor != 0);
    if single && !symbols { form.constant.checked_neg() } else { None }
}
