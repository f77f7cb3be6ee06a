//! What exists: the view, its blocks, the edges between them, and what is left out.

use dlc_core::sizes::Exprs;
use dlc_core::types::Types;
use dlc_ir::OpRef;
use dlc_ir::define::{IntArray, Kind, SymbolName, SymbolRef, Text, TextArray, op};
use dlc_ir::op::{Arity, AttrSpec, Effects, OpDef, RegionDef, Traits};

use crate::access::{Access, Accesses, Distance};
use crate::{syntax, verify};

dlc_ir::keywords! {
    /// What a contraction is.
    pub enum Pattern: "pattern" {
        /// A product of matrices; of a vector with one, where one side has no axis of its own.
        Matmul = "matmul",
        /// Products of matrices, one for each point of the batch axes.
        BatchedMatmul = "batched_matmul",
        /// Windows that go over the left operand.
        Conv = "conv",
    }
}

dlc_ir::keywords! {
    /// Why a point must come before another.
    pub enum Dependence: "dependence" {
        /// It writes what the other reads.
        True = "true",
        /// It reads what the other writes over.
        Anti = "anti",
        /// It writes what the other writes over.
        Output = "output",
    }
}

/// `poly.view`: what a function computes, as domains and accesses. It accompanies the function that it names.
///
/// Its declaration is written by hand: an attribute of the name `of` has no place among derived accessors.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(pub OpRef<'a>);

impl<'a> View<'a> {
    /// The declaration of the op.
    pub const DEF: &'static OpDef = {
        static DEF: OpDef = OpDef {
            doc: "What a function computes, as domains and accesses; it accompanies the function that it names.\n\n\
                  The symbols are sizes. After `sizes` stand names for what is no sum of multiples of them, such as \
                  `MN: M*N`: the sets take these as symbols of their own. The tensors are what blocks read and write.",
            example: "poly.view of @f<M> tensors (x: tensor<[M], f32>, y: tensor<[M], f32>) { .. }",
            traits: Traits::ISOLATED_FROM_ABOVE
                .with(Traits::SYMBOL_TABLE)
                .with(Traits::SINGLE_BLOCK)
                .with(Traits::NO_TERMINATOR),
            effects: Some(Effects::ANY),
            attrs: &[
                AttrSpec { name: "of", kind: SymbolRef::KIND, optional: false },
                AttrSpec { name: "symbols", kind: TextArray::KIND, optional: true },
                AttrSpec { name: "sizes", kind: TextArray::KIND, optional: true },
                AttrSpec { name: "size_values", kind: Exprs::KIND, optional: true },
                AttrSpec { name: "tensors", kind: TextArray::KIND, optional: false },
                AttrSpec { name: "types", kind: Types::KIND, optional: false },
            ],
            regions: &[RegionDef { name: "body", arity: Arity::One }],
            parse: Some(syntax::parse_view),
            print: Some(syntax::print_view),
            verify: Some(verify::view),
            ..OpDef::bare("poly.view")
        };
        &DEF
    };

    /// The view of an op, if it is this one.
    pub fn of(op: OpRef<'a>) -> Option<Self> {
        op.is(Self::DEF).then_some(View(op))
    }

    fn get<K: Kind>(self, key: &str) -> Option<K::Value<'a>> {
        self.0.prop_named(key).and_then(|attr| K::get(self.0.ctx, attr))
    }

    /// The function that it accompanies.
    pub fn function(self) -> &'a str {
        let path = self.get::<SymbolRef>("of").unwrap_or_default();
        path.first().map_or("", |&name| self.0.ctx.str(name))
    }

    /// The symbols of sizes.
    pub fn symbols(self) -> Vec<&'a str> {
        self.get::<TextArray>("symbols").unwrap_or_default()
    }

    /// The names of other sizes.
    pub fn sizes(self) -> Vec<&'a str> {
        self.get::<TextArray>("sizes").unwrap_or_default()
    }

    /// What these sizes are.
    pub fn size_values(self) -> Vec<dlc_ir::affine::SizeExpr> {
        self.get::<Exprs>("size_values").unwrap_or_default()
    }

    /// The names of the tensors.
    pub fn tensors(self) -> Vec<&'a str> {
        self.get::<TextArray>("tensors").unwrap_or_default()
    }

    /// Their types.
    pub fn types(self) -> Vec<dlc_ir::Type> {
        self.get::<Types>("types").unwrap_or_default()
    }
}

/// The points at which one value is computed. A contraction sums products, or else the block is a statement.
///
/// The groups are axes of the domain: `out` those of the result, `reduce` those that are summed over or otherwise
/// reduced, and of a contraction `lhs` and `rhs` those of its two reads, `batch` what both and the result have. Of a `conv`
/// each window of the left operand is read at `stride*o + dilation*k + offset`. The domain may be a union: where a guard
/// holds and where it does not are pieces of their own.
#[op("poly.block", traits(Symbol), parse = syntax::parse_block, print = syntax::print_block,
     example = "block @y statement out [i] reduce [] domain \"[M] -> { [i] : 0 <= i < M }\" read x \"{ [i] -> x[i] }\" write y \"{ [i] -> y[i] }\"")]
pub struct Block {
    sym_name: Attr<SymbolName>,
    /// Of a contraction.
    pattern: OptionalAttr<Pattern>,
    lhs: OptionalAttr<TextArray>,
    rhs: OptionalAttr<TextArray>,
    out: Attr<TextArray>,
    reduce: Attr<TextArray>,
    batch: OptionalAttr<TextArray>,
    /// Of each window, the factor of the axis of the result.
    strides: OptionalAttr<IntArray>,
    /// Of each window, the factor of the axis that is reduced.
    dilations: OptionalAttr<IntArray>,
    /// Of each window, what is added.
    offsets: OptionalAttr<Exprs>,
    /// The points, in the notation of isl.
    domain: Attr<Text>,
    /// What a point reads; of a contraction the left operand comes first, then the right one.
    reads: Attr<Accesses>,
    /// What a point writes.
    writes: Attr<Accesses>,
}

/// Points of one block come before points of another, because both use a tensor. The distance is along the axes of the
/// tensor.
#[op("poly.edge", parse = syntax::parse_edge, print = syntax::print_edge,
     example = "edge true @s to @y of s distance [0, 0]")]
pub struct Edge {
    kind: Attr<Dependence>,
    source: Attr<SymbolRef>,
    target: Attr<SymbolRef>,
    tensor: Attr<Text>,
    distance: Attr<Distance>,
}

/// A value that is computed and is no block, since no affine expression says what it reads.
#[op(
    "poly.excluded",
    traits(Symbol),
    format = "$sym_name $reason attr-dict",
    example = "excluded @e \"positions are elements of 'ids'\""
)]
pub struct Excluded {
    sym_name: Attr<SymbolName>,
    /// Why.
    reason: Attr<Text>,
}

impl<'a> Block<'a> {
    /// What a point reads, then what it writes.
    pub fn accesses(self) -> impl Iterator<Item = Access<'a>> {
        self.reads().into_iter().chain(self.writes())
    }
}
