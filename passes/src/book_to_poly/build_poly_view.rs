//! Puts the polyhedral view of a program next to it: the points of every value, what they read and write, which values are
//! contractions, and which points come before others.
//!
//! **Requires**: book.
//! **Ensures**: book, poly. After the function stands a `poly.view` of it; the function is the same.
//!
//! **Before**
//! ```mlir before
//! book.func @gemm_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//!   %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, N, K], f32>
//!   %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
//!   %y = entry relu axes (i0: M, i1: N) of %s at (i0, i1) : tensor<[M, N], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @gemm_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//!   %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, N, K], f32>
//!   %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
//!   %y = entry relu axes (i0: M, i1: N) of %s at (i0, i1) : tensor<[M, N], f32>
//!   return %y
//! }
//! poly.view of @gemm_relu<M, N, K> tensors (X: tensor<[M, K], f16>, W: tensor<[K, N], f16>, s: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
//!   block @s contraction matmul lhs [m, k] rhs [k, n] out [m, n] reduce [k]
//!     domain "[M, N, K] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < K }"
//!     read X "{ [m, n, k] -> X[m, k] }"
//!     read W "{ [m, n, k] -> W[k, n] }"
//!     write s "{ [m, n, k] -> s[m, n] }"
//!   block @y statement out [m, n] reduce []
//!     domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
//!     read s "{ [m, n] -> s[m, n] }"
//!     write y "{ [m, n] -> y[m, n] }"
//!   edge true @s to @y of s distance [0, 0]
//! }
//! ```
//!
//! **Does not** lower anything, nor answer questions (`poly-report`). A program that is changed afterwards needs a new
//! view. How points, names and pieces are found says [`polyhedral`](crate::analysis::polyhedral).

use dlc_core::sizes::Exprs;
use dlc_core::types::Types;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind as _, TextArray};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Attr, Body, Builder, Context, OpRef, Str, Type};
use dlc_poly::access::Access;
use dlc_poly::isl::Names;
use dlc_poly::ops::{self as poly, Dependence, View};
use dlc_poly::verify::Groups;

use crate::analysis::polyhedral::{Block, Polyhedral, polyhedral};

static DEF: PassDef = PassDef {
    on: On::Op("book.func"),
    requires: &["book"],
    adds: &["poly"],
    statistics: &[
        StatDef { name: "blocks", doc: "Values that are blocks." },
        StatDef { name: "contractions", doc: "Blocks that are contractions." },
        StatDef { name: "excluded", doc: "Values that are not affine." },
    ],
    ..PassDef::base("build-poly-view", "Builds the polyhedral view of a program.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(BuildPolyView))
}

struct BuildPolyView;

impl Pass for BuildPolyView {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let root = OpRef::new(cx.ctx, body, body.root());
        if body.entry_block().is_none() || root.symbol_name().is_none() {
            return Ok(());
        }
        let found = polyhedral(cx.ctx, body);
        cx.count("blocks", found.blocks.len() as u64);
        cx.count("contractions", found.blocks.iter().filter(|block| block.contraction.is_some()).count() as u64);
        cx.count("excluded", found.excluded.len() as u64);
        for left in &found.excluded {
            let message = format!("'{}' is not in the view: {}", left.name, left.why);
            cx.remark(RemarkKind::Missed, body.loc(left.op), message);
        }
        cx.put_next_to(build_poly_view(cx.ctx, body, &found));
        Ok(())
    }
}

/// The view of a function as a body, the root of which accompanies it.
pub fn build_poly_view(ctx: &Context, book: &Body, found: &Polyhedral) -> Body {
    let root = OpRef::new(ctx, book, book.root());
    let mut body = Body::new(ctx.op_name(View::DEF.name), root.loc(), 1);
    let region = body.root_region();
    let block = body.append_block(region);
    let names = |names: Vec<&str>| TextArray::make(ctx, names);
    let mut props: Vec<(Str, Attr)> = vec![(Str::OF, ctx.symbol_attr(root.symbol_name().unwrap_or_default()))];
    let mut prop = |key: &str, attr: Attr| props.push((ctx.intern_str(key), attr));
    if !found.symbols.is_empty() {
        prop("symbols", names(found.symbols.iter().map(String::as_str).collect()));
    }
    if !found.sizes.is_empty() {
        let values: Vec<SizeExpr> = found.sizes.iter().map(|(_, size)| size.clone()).collect();
        prop("sizes", names(found.sizes.iter().map(|(name, _)| name.as_str()).collect()));
        prop("size_values", Exprs::make(ctx, values));
    }
    let types: Vec<Type> = found.tensors.iter().map(|&value| book.value_type(value)).collect();
    prop("tensors", names(found.tensors.iter().map(|&value| found.name(value)).collect()));
    prop("types", Types::make(ctx, types));
    body.set_props(body.root(), ctx.dict_attr(&props));

    let mut builder = Builder::at_end(ctx, &mut body, block);
    for block in &found.blocks {
        emit(&mut builder, book, found, block);
    }
    for left in &found.excluded {
        poly::Excluded::build(&mut builder, book.loc(left.op), &left.name, &left.why);
    }
    for edge in &found.edges {
        let (source, target) = (&found.blocks[edge.source], &found.blocks[edge.target]);
        let path = |name: &str| [ctx.intern_str(name)];
        let (from, to) = (path(&source.name), path(&target.name));
        let (loc, distance) = (book.loc(target.op), edge.distance.clone());
        poly::NewEdge { kind: Dependence::True, source: &from, target: &to, tensor: &source.name, distance }
            .build(&mut builder, loc);
    }
    body
}

fn emit(builder: &mut Builder<'_>, book: &Body, found: &Polyhedral, block: &Block) {
    let dims: Vec<String> = block.axes.iter().map(|(name, _)| name.clone()).collect();
    let (out, reduce) = dims.split_at(dims.len() - block.reduced);
    let words = |words: &[String]| words.to_vec();
    let reads: Vec<Access<'_>> =
        block.reads.iter().map(|read| Access { tensor: found.name(read.value), map: &read.map }).collect();
    let writes = vec![Access { tensor: &block.name, map: &block.write }];
    let (out, reduce) = (words(out), words(reduce));
    let groups = block.contraction.as_ref().map(|contraction| {
        let names = Names { dims: &dims, symbols: &block.symbols };
        (contraction.pattern, Groups::of_contraction(contraction, names))
    });
    fn list(words: &[String]) -> Vec<&str> {
        words.iter().map(String::as_str).collect()
    }
    let axes = |group: usize| groups.as_ref().map(|(_, groups)| list(&groups.axes[group]));
    let windows = groups.as_ref().map(|(_, groups)| groups).filter(|groups| !groups.strides.is_empty());
    poly::NewBlock {
        sym_name: &block.name,
        pattern: groups.as_ref().map(|(pattern, _)| *pattern),
        lhs: axes(0),
        rhs: axes(1),
        out: list(&out),
        reduce: list(&reduce),
        batch: axes(2).filter(|batch| !batch.is_empty()),
        strides: windows.map(|groups| groups.strides.clone()),
        dilations: windows.map(|groups| groups.dilations.clone()),
        offsets: windows.map(|groups| groups.offsets.clone()),
        domain: &block.domain,
        reads,
        writes,
    }
    .build(builder, book.loc(block.op));
}
