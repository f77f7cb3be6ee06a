//! Draws a body as a graph of its ops, to be looked at: values run downwards, regions are boxes in the box of their op.
//!
//! **Requires**: any layer.
//! **Ensures**: the same program; the picture goes out as `view-graph.NAME.svg` or `.dot`, `NAME` being that of the body.
//!
//! **Before**
//! ```mlir before
//! sample.func @f(%x: i64) -> i64 {
//!   %s = addi %x, %x : i64
//!   return %s
//! }
//! ```
//! **After**
//! ```mlir after
//! sample.func @f(%x: i64) -> i64 {
//!   %s = addi %x, %x : i64
//!   return %s
//! }
//! ```
//!
//! **Does not** change anything, nor draw what is inside of nested bodies: each of them is a picture of its own.
//!
//! [`graph`] gives the boxes and arrows; [`svg`] lays them out in layers, as in Sugiyama, Tagawa and Toda, "Methods for
//! Visual Understanding of Hierarchical System Structures" (1981), with a single sweep downwards; [`dot`] leaves the
//! layout to Graphviz. Linear in ops and uses, but for sorting the layers.

mod dot;
mod svg;

use dlc_ir::attrs::AttrData;
use dlc_ir::body::ValueDef;
use dlc_ir::context::Str;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult};
use dlc_ir::{BlockId, Body, Context, OpId, RegionId, ValueId};
use rustc_hash::FxHashMap;

pub use dot::dot;
pub use svg::svg;

static DEF: PassDef = PassDef {
    options: &[OptionDef {
        name: "format",
        kind: OptionKind::Choice(&["svg", "dot"]),
        default: "svg",
        doc: "A picture, or text for Graphviz.",
    }],
    ..PassDef::base("view-graph", "Draws each body as a graph of its ops.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(ViewGraph { dot: options.text("format") == "dot" }))
}

struct ViewGraph {
    dot: bool,
}

impl Pass for ViewGraph {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let graph = graph(cx.ctx, body);
        match self.dot {
            true => cx.output(format!("view-graph.{}.dot", graph.name), dot(&graph)),
            false => cx.output(format!("view-graph.{}.svg", graph.name), svg(&graph)),
        }
        Ok(())
    }
}

/// What is drawn.
#[derive(Debug)]
pub struct Graph {
    /// The name of the body.
    pub name: String,
    /// The box of the root, with all others in it.
    pub root: Node,
    /// The arrows.
    pub edges: Vec<Edge>,
    /// How many boxes there are; each has a number below that.
    pub boxes: usize,
}

/// The box of an op.
#[derive(Debug)]
pub struct Node {
    /// Its number.
    pub id: usize,
    /// What stands in it: results, name and types; then an attribute on each line.
    pub lines: Vec<String>,
    /// The blocks of its regions.
    pub blocks: Vec<Block>,
}

/// The box of a block.
#[derive(Debug)]
pub struct Block {
    /// The number of its heading, from which its arguments are taken.
    pub id: usize,
    /// The label and the arguments.
    pub heading: String,
    /// Its ops, in order.
    pub nodes: Vec<Node>,
}

/// An arrow between two boxes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Whether it is control that goes on there, not a value.
    pub control: bool,
}

/// The boxes and arrows of a body.
pub fn graph(ctx: &Context, body: &Body) -> Graph {
    let root = body.root();
    let symbol = body.prop(ctx, root, Str::SYM_NAME).and_then(|name| name.as_str(ctx));
    let name = symbol.unwrap_or_else(|| ctx.op_name_str(body.op_name(root))).to_owned();
    let mut boxes = Boxes { ctx, body, next: 0, ops: FxHashMap::default(), blocks: FxHashMap::default() };
    let root = boxes.node(root);
    let (edges, boxes) = (boxes.edges(), boxes.next);
    Graph { name, root, edges, boxes }
}

/// Numbers boxes.
struct Boxes<'a> {
    ctx: &'a Context,
    body: &'a Body,
    next: usize,
    ops: FxHashMap<OpId, usize>,
    blocks: FxHashMap<BlockId, usize>,
}

impl Boxes<'_> {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    fn node(&mut self, op: OpId) -> Node {
        let id = self.number();
        self.ops.insert(op, id);
        let lines = self.lines(op);
        let regions: &[RegionId] = self.body.regions(op);
        let blocks: Vec<BlockId> = regions.iter().flat_map(|&region| self.body.blocks(region)).collect();
        let blocks = blocks.into_iter().map(|block| self.block(block)).collect();
        Node { id, lines, blocks }
    }

    fn block(&mut self, block: BlockId) -> Block {
        let id = self.number();
        self.blocks.insert(block, id);
        let label = Some(self.ctx.str(self.body.label(block))).filter(|label| !label.is_empty()).unwrap_or("bb");
        let args: Vec<String> = self.body.args(block).iter().map(|&arg| self.arg(arg)).collect();
        let heading = format!("^{label}({})", args.join(", "));
        let ops: Vec<OpId> = self.body.ops(block).collect();
        Block { id, heading, nodes: ops.into_iter().map(|op| self.node(op)).collect() }
    }

    fn arg(&self, value: ValueId) -> String {
        let ty = self.body.value_type(value).display(self.ctx);
        match self.ctx.str(self.body.value_name(value)) {
            "" => ty,
            name => format!("%{name}: {ty}"),
        }
    }

    /// What stands in the box of an op. Names that values do not have are not made up.
    fn lines(&self, op: OpId) -> Vec<String> {
        let (ctx, body) = (self.ctx, self.body);
        // A nested body keeps its attributes itself, and its picture shows them.
        let named = |value: ValueId| Some(ctx.str(body.value_name(value))).filter(|name| !name.is_empty());
        let results: Vec<String> = body.results(op).filter_map(named).map(|name| format!("%{name}")).collect();
        let gives = if results.is_empty() { String::new() } else { format!("{} = ", results.join(", ")) };
        let symbol = body.nested(op).and_then(|nested| nested.prop(ctx, nested.root(), Str::SYM_NAME));
        let symbol = symbol.and_then(|name| name.as_str(ctx)).map_or(String::new(), |name| format!(" @{name}"));
        let types: Vec<String> = body.results(op).map(|value| body.value_type(value).display(ctx)).collect();
        let types = if types.is_empty() { String::new() } else { shortened(&format!(" : {}", types.join(", "))) };
        let mut lines = vec![format!("{gives}{}{symbol}{types}", ctx.op_name_str(body.op_name(op)))];
        if body.nested(op).is_none()
            && let AttrData::Dict(entries) = ctx.attr_data(body.props(op))
        {
            let entry =
                |(key, attr): &(Str, dlc_ir::Attr)| shortened(&format!("{} = {}", ctx.str(*key), attr.display(ctx)));
            lines.extend(entries.iter().filter(|(key, _)| !ctx.str(*key).ends_with("SegmentSizes")).map(entry));
        }
        lines
    }

    /// The arrows to every op, in order; one for several uses of the same.
    fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for op in self.body.walk() {
            let (to, first) = (self.ops[&op], edges.len());
            for value in self.body.operands(op) {
                let from = match self.body.value_def(value) {
                    ValueDef::Result(op, _) => self.ops.get(&op),
                    ValueDef::Arg(block, _) => self.blocks.get(&block),
                    ValueDef::Placeholder => None,
                };
                edges.extend(from.map(|&from| Edge { from, to, control: false }));
            }
            let blocks = self.body.successors(op).iter().filter_map(|block| self.blocks.get(block));
            edges.extend(blocks.map(|&block| Edge { from: to, to: block, control: true }));
            let mut seen = rustc_hash::FxHashSet::default();
            let own: Vec<Edge> = edges.drain(first..).filter(|edge| seen.insert(*edge)).collect();
            edges.extend(own);
        }
        edges
    }
}

/// The text, cut where it is too long for a box.
fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
