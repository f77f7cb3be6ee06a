//! Whether the kernel that a function was made from was verified, and what that covered: the attributes `verified`,
//! `covered` and `unverified` of [`Func`], and the fingerprint that makes `verified` void where the instructions change.
//!
//! A fingerprint is of what threads do to memory and to barriers, in order: each instruction with an effect, and how its
//! operands are computed. So it stays the same where instructions without an effect are moved, merged or erased, and
//! where blocks are put before loops; any other pass, and an edit of the text, gives another one. The values that
//! branches hand to blocks, and which blocks they go to, are not part of it. It is no signature: it finds mistakes, and
//! stops nobody who wants to pass something off as verified.

use dlc_core::sizes::value_number;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::ValueDef;
use dlc_ir::dominance::reverse_post_order;
use dlc_ir::effects::is_erasable;
use dlc_ir::{Attr, Body, Context, OpId, OpRef, RegionId, ValueId};
use rustc_hash::FxHashMap;

use crate::ops::{Bra, BraIf, Entry, Func};

/// What the verification of a grid covered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Covered {
    /// Sets of sizes, each another cell of what the kernel decides by sizes.
    pub sizes: u64,
    /// Blocks of the grids of those sizes; of a cluster the first one counts.
    pub blocks: u64,
    /// The most combinations of truth values of data in one block.
    pub choices: u64,
    /// Runs that were made: sizes, blocks and choices in which all warps do the same share one.
    pub runs: u64,
    /// The stages of the deepest ring.
    pub ring: u64,
    /// The rounds of a loop after which it only repeats what it did.
    pub rounds: u64,
    /// Stores to global memory.
    pub stores: u64,
    /// Those of them that write no element which another block writes.
    pub disjoint: u64,
}

impl Covered {
    /// Its numbers with their names, in the order of the text.
    pub fn fields(&self) -> [(&'static str, u64); 8] {
        let Covered { sizes, blocks, choices, runs, ring, rounds, stores, disjoint } = *self;
        [
            ("blocks", blocks),
            ("choices", choices),
            ("disjoint", disjoint),
            ("ring", ring),
            ("rounds", rounds),
            ("runs", runs),
            ("sizes", sizes),
            ("stores", stores),
        ]
    }

    fn attr(&self, ctx: &Context) -> Attr {
        let entry = |(name, value): (&str, u64)| (ctx.intern_str(name), ctx.i64_attr(value.cast_signed()));
        ctx.dict_attr(&self.fields().map(entry))
    }

    fn of(ctx: &Context, attr: Attr) -> Option<Covered> {
        let number = |name| ctx.dict_get(attr, ctx.intern_str(name))?.as_int(ctx)?.try_into().ok();
        Some(Covered {
            sizes: number("sizes")?,
            blocks: number("blocks")?,
            choices: number("choices")?,
            runs: number("runs")?,
            ring: number("ring")?,
            rounds: number("rounds")?,
            stores: number("stores")?,
            disjoint: number("disjoint")?,
        })
    }
}

/// Whether a function was verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verification {
    /// The kernel was verified, and the instructions are those that were made from it. What was covered of each entry.
    Verified(Vec<Covered>),
    /// It was not, or they are not: why.
    Unverified(String),
}

/// Marks a function as made from a kernel that was verified.
pub fn mark(ctx: &Context, body: &mut Body, covered: &[Covered]) {
    let fingerprint = fingerprint(ctx, body);
    let covered: Vec<Attr> = covered.iter().map(|covered| covered.attr(ctx)).collect();
    set(ctx, body, "verified", ctx.str_attr(&fingerprint));
    set(ctx, body, "covered", ctx.array_attr(&covered));
}

/// Marks a function as made from a kernel that was not verified.
pub fn mark_unverified(ctx: &Context, body: &mut Body, reason: &str) {
    set(ctx, body, "unverified", ctx.str_attr(reason));
}

fn set(ctx: &Context, body: &mut Body, key: &str, attr: Attr) {
    let (root, key) = (body.root(), ctx.intern_str(key));
    body.set_prop(ctx, root, key, Some(attr));
}

/// Whether a function was verified, by its marks and its instructions.
pub fn verification(func: Func<'_>) -> Verification {
    let unverified = |reason: &str| Verification::Unverified(reason.to_string());
    if let Some(reason) = func.unverified() {
        return unverified(reason);
    }
    let (Some(verified), Some(covered)) = (func.verified(), func.covered()) else {
        return unverified("its instructions were not made from a kernel that was verified");
    };
    let root = func.resolve();
    if fingerprint(root.ctx, root.body) != verified {
        return unverified("its instructions were changed after they were made from a verified kernel");
    }
    let covered = covered.iter().map(|&attr| Covered::of(root.ctx, attr)).collect::<Option<_>>();
    covered.map_or_else(|| unverified("what was covered is not stated"), Verification::Verified)
}

/// The fingerprint of the function that a body is of.
pub fn fingerprint(ctx: &Context, body: &Body) -> String {
    let mut reader =
        Reader { ctx, body, sum: Fnv::default(), values: FxHashMap::default(), attrs: FxHashMap::default() };
    reader.op(body.root());
    format!("{:016x}", reader.sum.0)
}

/// FNV-1a of words: short, and the same everywhere.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

struct Reader<'a> {
    ctx: &'a Context,
    body: &'a Body,
    sum: Fnv,
    /// How each value is computed.
    values: FxHashMap<ValueId, u64>,
    /// Attributes by their text.
    attrs: FxHashMap<Attr, u64>,
}

impl Reader<'_> {
    /// Reads an op that has an effect, and what is in it.
    fn op(&mut self, id: OpId) {
        let op = OpRef::new(self.ctx, self.body, id);
        if Bra::of(op).is_some() {
            return;
        }
        let mut sum = Fnv::default();
        if let Some(branch) = BraIf::of(op) {
            // Its other operands, and how many there are, are what it hands to blocks.
            sum.text("bra_if");
            sum.word(self.value(branch.cond()));
        } else if let Some(entry) = Entry::of(op) {
            self.entry(entry, &mut sum);
        } else {
            self.name(id, &mut sum);
            self.body.operands(id).for_each(|value| sum.word(self.value(value)));
        }
        self.sum.word(sum.0);
        self.results(id, sum);
        let regions: Vec<RegionId> = self.body.regions(id).to_vec();
        for region in regions {
            self.region(region);
        }
    }

    /// What an entry is launched with. Its text does not say in which order it has values, nor how often.
    fn entry(&self, entry: Entry<'_>, sum: &mut Fnv) {
        let args: Vec<u64> = entry.args().map(|value| self.value(value)).collect();
        let named = |name: &str| SizeExpr::symbol(&format!("v{:x}", args.get(value_number(name)?)?)).ok();
        for exprs in [entry.dims(), entry.sizes()] {
            exprs.iter().for_each(|expr| {
                sum.text(&expr.substitute(&named).map_or_else(|_| expr.to_string(), |it| it.to_string()))
            });
            sum.text("");
        }
        entry.memory().for_each(|value| sum.word(self.value(value)));
        entry.maps().for_each(|value| sum.word(self.value(value)));
        let (threads, shared, blocks) = (entry.threads(), entry.shared(), entry.blocks());
        sum.text(&format!("{} {:?} {threads} {shared} {blocks:?}", entry.name(), entry.cluster()));
    }

    fn region(&mut self, region: RegionId) {
        // Definitions come before their uses in this order, and a block that is put before a loop changes it nowhere else.
        for (number, block) in reverse_post_order(self.body, region).into_iter().enumerate() {
            for (index, &arg) in self.body.args(block).iter().enumerate() {
                let mut sum = Fnv::default();
                sum.text(&self.body.value_type(arg).display(self.ctx));
                // Of other blocks passes erase arguments.
                sum.word(if number == 0 { index as u64 } else { u64::MAX });
                self.values.insert(arg, sum.0);
            }
            for id in self.body.ops(block) {
                if self.body.regions(id).is_empty() && is_erasable(self.ctx, self.body, id) {
                    let mut sum = Fnv::default();
                    self.name(id, &mut sum);
                    self.body.operands(id).for_each(|value| sum.word(self.value(value)));
                    self.results(id, sum);
                } else {
                    self.op(id);
                }
            }
        }
    }

    fn results(&mut self, id: OpId, sum: Fnv) {
        for (index, value) in self.body.results(id).enumerate() {
            let mut of_result = sum;
            of_result.word(index as u64);
            self.values.insert(value, of_result.0);
        }
    }

    /// The name of an op, and its attributes but for the marks.
    fn name(&mut self, id: OpId, sum: &mut Fnv) {
        sum.text(OpRef::new(self.ctx, self.body, id).name());
        let mut props = self.body.props(id);
        if id == self.body.root() {
            for key in ["verified", "covered", "unverified"] {
                props = self.ctx.dict_with(props, self.ctx.intern_str(key), None);
            }
        }
        let ctx = self.ctx;
        for attr in [props, self.body.attrs(id)] {
            let text = self.attrs.entry(attr).or_insert_with(|| {
                let mut sum = Fnv::default();
                sum.text(&attr.display(ctx));
                sum.0
            });
            sum.word(*text);
        }
    }

    /// How a value is computed. What is used in no order of definitions is what defines it.
    fn value(&self, value: ValueId) -> u64 {
        self.values.get(&value).copied().unwrap_or_else(|| match self.body.value_def(value) {
            ValueDef::Result(_, index) | ValueDef::Arg(_, index) => index as u64,
            ValueDef::Placeholder => u64::MAX,
        })
    }
}
