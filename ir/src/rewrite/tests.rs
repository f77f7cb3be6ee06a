//! Tests of the driver, of rewriting, cloning and conversion, on a dialect of a few ops written by hand.

mod conversion;
mod driver;
mod editing;

use std::sync::atomic::AtomicU64;

use super::{Pattern, Rewrite};
use crate::attrs::Attr;
use crate::body::{Body, OpParts, OpRef};
use crate::builder::Builder;
use crate::context::{Context, Str};
use crate::diag::Diagnostics;
use crate::entity::OpId;
use crate::location::Loc;
use crate::op::{
    Arity, AttrKind, AttrSpec, Dialect, Folded, OpDef, OperandDef, RegionDef, ResultDef, Traits, TypeConstraint,
};
use crate::pass::{DebugCounters, OptionValues, Pass, PassCx, PassDef};
use crate::text::{ParseOptions, PrintOptions, parse_module, print_body};
use crate::types::Type;
use crate::verify::SymbolTable;

const ANY: TypeConstraint = TypeConstraint { name: "any", admits: |_, _| true };
static ANY_ATTR: AttrKind = AttrKind { name: "any", admits: |_, _| true, parse: None, print: None };

/// An op with any operands, results and regions.
const fn loose(name: &'static str) -> OpDef {
    OpDef {
        operands: &[OperandDef { name: "operands", ty: ANY, arity: Arity::Variadic, successor: None }],
        results: &[ResultDef { name: "results", ty: ANY, arity: Arity::Variadic }],
        regions: &[RegionDef { name: "regions", arity: Arity::Variadic }],
        ..OpDef::bare(name)
    }
}

static CONST: OpDef = OpDef {
    traits: Traits::PURE.with(Traits::CONSTANT_LIKE),
    attrs: &[AttrSpec { name: "value", kind: &ANY_ATTR, optional: false }],
    ..loose("t.const")
};
static ADD: OpDef = OpDef { traits: Traits::PURE.with(Traits::COMMUTATIVE), fold: Some(fold_add), ..loose("t.add") };
static ABS: OpDef = OpDef { traits: Traits::PURE.with(Traits::IDEMPOTENT), ..loose("t.abs") };
static MAX: OpDef = OpDef { traits: Traits::PURE.with(Traits::IDEMPOTENT), ..loose("t.max") };
static USE: OpDef = OpDef { traits: Traits::NO_TERMINATOR, ..loose("t.use") };
static PING: OpDef = OpDef { canonicalize: &[&PING_TO_PONG], ..loose("t.ping") };
static PONG: OpDef = OpDef { canonicalize: &[&PONG_TO_PING], ..loose("t.pong") };
static FUNC: OpDef = OpDef { traits: Traits::ISOLATED_FROM_ABOVE.with(Traits::NO_TERMINATOR), ..loose("t.func") };

static DIALECT: Dialect = Dialect {
    name: "t",
    summary: "Ops of these tests.",
    ops: &[&CONST, &ADD, &ABS, &MAX, &USE, &PING, &PONG, &FUNC],
    types: &[],
    attrs: &[],
    materialize: Some(materialize),
    synonyms: &[],
};

fn materialize(b: &mut Builder<'_>, loc: Loc, value: Attr, ty: Type) -> Option<OpId> {
    let props = b.ctx.dict_attr(&[(Str::VALUE, value)]);
    let name = b.ctx.op_name("t.const");
    Some(b.create(OpParts { results: &[ty], props, ..OpParts::new(name, loc) }))
}

fn fold_add(op: OpRef<'_>, operands: &[Option<Attr>]) -> Folded {
    let ctx = op.ctx;
    match operands {
        [Some(a), Some(b)] => match (a.as_int(ctx), b.as_int(ctx)) {
            (Some(a), Some(b)) => Folded::attr(ctx.i64_attr(a.wrapping_add(b))),
            _ => Folded::No,
        },
        [None, Some(zero)] if zero.as_int(ctx) == Some(0) => Folded::value(op.operand(0)),
        _ => Folded::No,
    }
}

static PING_TO_PONG: Pattern =
    Pattern { name: "ping-to-pong", benefit: 1, root: Some("t.ping"), apply: |op, rw| rename(op, rw, "t.pong") };
static PONG_TO_PING: Pattern =
    Pattern { name: "pong-to-ping", benefit: 1, root: Some("t.pong"), apply: |op, rw| rename(op, rw, "t.ping") };

fn rename(op: OpId, rw: &mut super::Rewriter<'_>, name: &str) -> Rewrite {
    let name = rw.ctx.op_name(name);
    rw.set_op_name(op, name);
    Rewrite::Changed
}

fn no_pass(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Err("not made".into())
}

static PASS: PassDef = PassDef::base("test", "Stands in for a pass.", no_pass);

/// A context, and a body read into it: the op `t.func`, unless the text has none.
struct Bench {
    ctx: Context,
    diags: Diagnostics,
}

impl Bench {
    fn new() -> Bench {
        Bench { ctx: Context::new([&DIALECT]), diags: Diagnostics::new() }
    }

    fn parse(&self, text: &str) -> Body {
        let file = self.ctx.sources.add("test.mlir", text.to_string()).expect("short");
        let options = ParseOptions { allow_unregistered: true };
        let module = parse_module(&self.ctx, &file, 0..text.len(), options, &self.diags);
        let module = module.unwrap_or_else(|_| panic!("{:?}", self.diags.take()));
        assert!(crate::verify::verify(&self.ctx, &module, &self.diags), "{:?}", self.diags.take());
        let entry = module.entry_block().expect("a module has a block");
        match module.first_op(entry).and_then(|op| module.nested(op)) {
            Some(nested) => nested.clone(),
            None => module,
        }
    }

    fn print(&self, body: &Body) -> String {
        let mut text = String::new();
        let options = PrintOptions { generic: true, ..PrintOptions::default() };
        print_body(&self.ctx, body, options, &mut |piece| text.push_str(piece));
        text
    }

    fn with_cx<R>(&self, counters: &DebugCounters, run: impl FnOnce(&PassCx<'_>) -> R) -> R {
        let symbols = SymbolTable::default();
        let statistics: [AtomicU64; 0] = [];
        run(&PassCx::new(&self.ctx, &PASS, &symbols, &self.diags, &statistics, counters))
    }

    /// The only diagnostic: its code, message and notes.
    fn diagnostic(&self) -> String {
        let all = self.diags.take();
        assert_eq!(all.len(), 1, "{all:?}");
        let notes: String = all[0].notes.iter().map(|note| format!("; {}", note.message)).collect();
        format!("{}: {}{notes}", all[0].code.code, all[0].message)
    }
}

/// A function of these ops, with `%x` for an argument.
fn function(ops: &str) -> String {
    format!("\"t.func\"() ({{\n^bb0(%x: i64):\n{ops}\n}}) : () -> ()")
}
