//! From the ops of any layer to a picture: the text that Graphviz draws.
//!
//! An op is a box with its name and the types of its results, an argument of a block an ellipse, a value an edge from
//! what gives it to what uses it. Regions are frames around their ops; where control goes to a block is a dashed edge.

use std::fmt::Write as _;

use dlc_ir::{BlockId, Body, Context, OpId, OpRef, RegionId, ValueId};

/// The ops of a module as a graph.
pub fn write(ctx: &Context, module: &Body) -> String {
    let mut dot = Dot { ctx, nodes: String::new(), edges: String::new(), count: 0, depth: 1 };
    let mut values = Values::new(module);
    for &region in module.regions(module.root()) {
        dot.region(module, region, &mut values);
    }
    format!(
        "digraph module {{\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n{}{}}}\n",
        dot.nodes, dot.edges
    )
}

/// The node that gives each value of a body, and the first node of each block.
struct Values {
    of: Vec<usize>,
    blocks: Vec<(BlockId, usize)>,
    /// Where control goes: from a node to a block.
    jumps: Vec<(usize, BlockId)>,
}

impl Values {
    fn new(body: &Body) -> Values {
        Values { of: vec![usize::MAX; body.value_slots()], blocks: Vec::new(), jumps: Vec::new() }
    }

    fn set(&mut self, value: ValueId, node: usize) {
        use dlc_ir::entity::EntityId;
        if let Some(place) = self.of.get_mut(value.index()) {
            *place = node;
        }
    }

    fn get(&self, value: ValueId) -> Option<usize> {
        use dlc_ir::entity::EntityId;
        self.of.get(value.index()).copied().filter(|&node| node != usize::MAX)
    }
}

struct Dot<'a> {
    ctx: &'a Context,
    nodes: String,
    edges: String,
    count: usize,
    depth: usize,
}

impl Dot<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.nodes, "{}{text}", "  ".repeat(self.depth));
    }

    fn node(&mut self, label: &str, more: &str) -> usize {
        let number = self.count;
        self.count += 1;
        let label = escaped(label);
        self.line(&format!("n{number} [label=\"{label}\"{more}];"));
        number
    }

    fn region(&mut self, body: &Body, region: RegionId, values: &mut Values) {
        let begins = values.jumps.len();
        let blocks: Vec<BlockId> = body.blocks(region).collect();
        for (index, &block) in blocks.iter().enumerate() {
            // Where there is one block, the region is its frame.
            if blocks.len() > 1 {
                self.open(&format!("block {index}"));
            }
            values.blocks.push((block, self.count));
            for &arg in body.args(block) {
                let label = format!("{}{}", named(self.ctx, body, arg), body.value_type(arg).display(self.ctx));
                let node = self.node(&label, ", shape=ellipse");
                values.set(arg, node);
            }
            for op in body.ops(block) {
                self.op(body, op, values);
            }
            if blocks.len() > 1 {
                self.close();
            }
        }
        for (from, block) in values.jumps.split_off(begins) {
            if let Some((_, to)) = values.blocks.iter().find(|(known, _)| *known == block) {
                let _ = writeln!(self.edges, "  n{from} -> n{to} [style=dashed];");
            }
        }
    }

    fn op(&mut self, body: &Body, id: OpId, values: &mut Values) {
        let op = OpRef::new(self.ctx, body, id);
        let inner = op.resolve();
        let frames = inner.regions().iter().any(|&region| inner.body.first_block(region).is_some());
        let mut label = op.name().to_string();
        if let Some(name) = op.symbol_name() {
            let _ = write!(label, " @{name}");
        }
        if frames {
            self.open(&label);
        }
        for result in op.results() {
            let _ = write!(label, "\n{}{}", named(self.ctx, body, result), op.type_of(result).display(self.ctx));
        }
        let node = self.node(&label, "");
        let operands: Vec<ValueId> = op.operands().collect();
        for operand in operands {
            if let Some(from) = values.get(operand) {
                let name = named(self.ctx, body, operand);
                let name = escaped(name.trim_end_matches([':', ' ']));
                let label = if name.is_empty() { String::new() } else { format!(" [label=\"{name}\"]") };
                let _ = writeln!(self.edges, "  n{from} -> n{node}{label};");
            }
        }
        op.results().for_each(|result| values.set(result, node));
        values.jumps.extend(op.successors().iter().map(|&block| (node, block)));
        if frames {
            // What is isolated has values of its own.
            if std::ptr::eq(inner.body, body) {
                inner.regions().iter().for_each(|&region| self.region(body, region, values));
            } else {
                let mut own = Values::new(inner.body);
                inner.regions().iter().for_each(|&region| self.region(inner.body, region, &mut own));
            }
            self.close();
        }
    }

    fn open(&mut self, label: &str) {
        let number = self.count;
        self.line(&format!("subgraph cluster_{number} {{"));
        self.depth += 1;
        let label = escaped(label);
        self.line(&format!("label=\"{label}\";"));
        // A frame has a number of its own.
        self.count += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }
}

/// The name of a value before its type, if it has one.
fn named(ctx: &Context, body: &Body, value: ValueId) -> String {
    match ctx.str(body.value_name(value)) {
        "" => String::new(),
        name => format!("%{name}: "),
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
