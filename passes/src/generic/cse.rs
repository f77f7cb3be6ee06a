//! Merges ops that compute the same value, so that it is computed once.
//!
//! **Requires**: any layer.
//! **Ensures**: of two pure ops alike in everything, neither dominates the other.
//!
//! **Before**
//! ```mlir before
//! sample.func @f(%x: i64, %y: i64) -> i64 {
//!   %first = addi %x, %y : i64
//!   %second = addi %x, %y : i64
//!   %product = muli %first, %second : i64
//!   return %product
//! }
//! ```
//! **After**
//! ```mlir after
//! sample.func @f(%x: i64, %y: i64) -> i64 {
//!   %first = addi %x, %y : i64
//!   %product = muli %first, %first : i64
//!   return %product
//! }
//! ```
//!
//! **Does not** merge reads from different blocks, ops that write, or ops of which neither dominates the other; nor does
//! it put operands in order first (`canonicalize` does).
//!
//! The blocks of a region are visited down the dominator tree with a scoped hash table, as in Briggs, Cooper and
//! Simpson, "Value Numbering" (1997), section 3. Ops with regions are compared as a whole, after what is inside. A read
//! is merged with an equal one in the same block when nothing between them may write. Constant time an op; comparing
//! regions takes time linear in them. Rules of the debug counters: `op`, `read`, `region`.

use dlc_ir::body::Body;
use dlc_ir::dominance::dominator_tree;
use dlc_ir::effects::{effects, own_effects};
use dlc_ir::op::{Effects, OpDef, Traits};
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::structural::equal_ops;
use dlc_ir::{BlockId, Context, OpId, RegionId, ValueId};
use hashbrown::HashTable;
use rustc_hash::FxHashMap;

static DEF: PassDef = PassDef {
    statistics: &[StatDef { name: "merged", doc: "Ops that an equal one before them replaced." }],
    ..PassDef::base("cse", "Merges ops that compute the same value.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(Cse))
}

struct Cse;

impl Pass for Cse {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let merged = cse(body, cx);
        cx.count("merged", merged);
        Ok(())
    }
}

/// Merges ops of a body that compute the same value. How many are gone.
pub fn cse(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let mut state =
        State { ctx: cx.ctx, cx, known: Known::default(), writes: 0, reads: FxHashMap::default(), merged: 0 };
    // At once what it may come to: growing step by step would hash every op again and again.
    state.known.table.reserve(body.num_ops(), |entry| spread(entry.hash));
    let regions: SmallVec<[RegionId; 2]> = body.regions(body.root()).iter().copied().collect();
    for region in regions {
        state.region(body, region);
    }
    state.merged
}

struct State<'a> {
    ctx: &'a Context,
    cx: &'a PassCx<'a>,
    known: Known,
    /// How many ops so far may have written memory.
    writes: u64,
    /// The number of writes before each known read.
    reads: FxHashMap<OpId, u64>,
    merged: u64,
}

impl State<'_> {
    fn region(&mut self, body: &mut Body, region: RegionId) {
        if body.has_single_block(region) {
            let scope = self.known.open();
            body.first_block(region).into_iter().for_each(|block| self.block(body, block));
            return self.known.close(scope);
        }
        // Blocks in reverse post-order, each with the index of the one that dominates it: a scope is open while the
        // blocks below its own are visited.
        let tree = dominator_tree(body, region);
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); tree.len()];
        for (index, &(_, above)) in tree.iter().enumerate().skip(1) {
            below[above].push(index);
        }
        let mut stack = Vec::new();
        if let Some(&(entry, _)) = tree.first() {
            stack.push((0, 0, self.known.open()));
            self.block(body, entry);
        }
        while let Some((at, next, scope)) = stack.pop() {
            match below[at].get(next) {
                Some(&child) => {
                    stack.push((at, next + 1, scope));
                    stack.push((child, 0, self.known.open()));
                    self.block(body, tree[child].0);
                }
                None => self.known.close(scope),
            }
        }
    }

    fn block(&mut self, body: &mut Body, block: BlockId) {
        let mut cursor = body.first_op(block);
        while let Some(op) = cursor {
            cursor = body.next_op(op);
            if !body.regions(op).is_empty() {
                self.inside(body, op);
            }
            self.op(body, op);
        }
    }

    fn inside(&mut self, body: &mut Body, op: OpId) {
        let regions: SmallVec<[RegionId; 2]> = body.regions(op).iter().copied().collect();
        // An op that nothing knows may be isolated: nothing from outside may come to be used in it.
        let outside = (!self.ctx.is_registered(body.op_name(op))).then(|| std::mem::take(&mut self.known));
        for region in regions {
            self.region(body, region);
        }
        if let Some(outside) = outside {
            self.known = outside;
        }
    }

    fn op(&mut self, body: &mut Body, op: OpId) {
        let def = self.ctx.op_def(body.op_name(op));
        let own = own_effects(def, body, op);
        if !may_merge(def, own) {
            self.writes += u64::from(!own.erasable());
            return;
        }
        let has_regions = !body.regions(op).is_empty();
        // What writes inside has been counted while inside.
        let all = if has_regions { effects(self.ctx, body, op) } else { own };
        if !matches!(all, Effects::NONE | Effects::READ) || body.nested(op).is_some() || body.num_results(op) == 0 {
            return;
        }
        let reads = all == Effects::READ;
        let (writes, reads_at) = (self.writes, &self.reads);
        let fits = |body: &Body, known: OpId| {
            // The common part first, and without a call.
            (!reads || (body.block_of(known) == body.block_of(op) && reads_at.get(&known) == Some(&writes)))
                && if has_regions { equal_ops(body, known, op) } else { same_op(body, known, op) }
        };
        match self.known.find_or_add(body, op, fits) {
            None if reads => drop(self.reads.insert(op, writes)),
            None => {}
            Some(known) => self.merge(
                body,
                op,
                known,
                if has_regions {
                    "region"
                } else if reads {
                    "read"
                } else {
                    "op"
                },
            ),
        }
    }

    fn merge(&mut self, body: &mut Body, op: OpId, known: OpId, rule: &str) {
        if !self.cx.allows_rule(rule) {
            return;
        }
        for index in 0..body.num_results(op) {
            let (old, new) = (body.result(op, index), body.result(known, index));
            body.replace_all_uses(old, new);
        }
        body.erase_op(op);
        self.merged += 1;
    }
}

fn may_merge(def: &OpDef, own: Effects) -> bool {
    matches!(own, Effects::NONE | Effects::READ)
        && !def.traits.has(Traits::TERMINATOR)
        && !def.traits.has(Traits::SYMBOL)
}

/// Whether two ops without regions are alike.
#[inline]
fn same_op(body: &Body, a: OpId, b: OpId) -> bool {
    body.op_name(a) == body.op_name(b)
        && body.operands(a).eq(body.operands(b))
        && body.props(a) == body.props(b)
        && body.attrs(a) == body.attrs(b)
        && body.results(a).map(|value| body.value_type(value)).eq(body.results(b).map(|value| body.value_type(value)))
}

/// The ops that dominate the place at hand, by what they compute.
#[derive(Default)]
struct Known {
    table: HashTable<Entry>,
    /// What was added, in order, to be taken out again when its scope is closed.
    added: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    op: OpId,
}

impl Known {
    /// Opens a scope.
    fn open(&self) -> usize {
        self.added.len()
    }

    /// Takes out what was added since the scope was opened.
    fn close(&mut self, scope: usize) {
        if scope == 0 {
            self.added.clear();
            return self.table.clear();
        }
        for entry in self.added.drain(scope..) {
            if let Ok(found) = self.table.find_entry(spread(entry.hash), |known| known.op == entry.op) {
                found.remove();
            }
        }
    }

    /// A known op that fits; when there is none, the op is known from now on.
    #[inline]
    fn find_or_add(&mut self, body: &Body, op: OpId, fits: impl Fn(&Body, OpId) -> bool) -> Option<OpId> {
        let hash = hash_op(body, op);
        let same = |known: &Entry| known.hash == hash && fits(body, known.op);
        if let Some(known) = self.table.find(spread(hash), same) {
            return Some(known.op);
        }
        let entry = Entry { hash, op };
        self.table.insert_unique(spread(hash), entry, |entry| spread(entry.hash));
        self.added.push(entry);
        None
    }
}

/// As many ops in the regions of one as go into its hash: enough to distinguish what differs in what it reads, and few where
/// many are nested.
const HASHED_INSIDE: usize = 16;

/// The hash of an op, its regions by the first ops in them.
#[inline]
fn hash_op(body: &Body, op: OpId) -> u32 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    body.op_name(op).hash(&mut hasher);
    body.props(op).hash(&mut hasher);
    body.attrs(op).hash(&mut hasher);
    for value in body.operands(op) {
        value.hash(&mut hasher);
    }
    for value in body.results(op) {
        body.value_type(value).hash(&mut hasher);
    }
    for &region in body.regions(op) {
        hash_inside(body, region, &mut hasher);
    }
    let hash = hasher.finish();
    (hash >> 32) as u32 ^ hash as u32
}

/// The first ops of a region, and what they use from outside of it.
fn hash_inside(body: &Body, region: RegionId, hasher: &mut rustc_hash::FxHasher) {
    use std::hash::Hash;
    let Some(block) = body.first_block(region) else { return };
    for op in body.ops(block).take(HASHED_INSIDE) {
        body.op_name(op).hash(hasher);
        body.props(op).hash(hasher);
        // Values of the region itself are other ones in an equal region.
        let is_outside = |value: &ValueId| {
            let defined = body.defining_op(*value).and_then(|op| body.block_of(op));
            defined.is_some_and(|defined| defined != block)
        };
        body.operands(op).filter(is_outside).for_each(|value| value.hash(hasher));
    }
}

/// Spreads the 32 bits that are kept over the 64 that the table wants.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
