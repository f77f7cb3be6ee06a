//! The values of a program as a graph, read once.

use dlc_book::ops::{Const, Entry, Function, Gather, Iota, Reduce, Reshape, Return};
use dlc_core::access::Access;
use dlc_core::memref::shaped;
use dlc_core::scalar::Combiner;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::{Attr, Body, Context, Loc, OpRef, Type, ValueId};
use rustc_hash::FxHashMap;

/// The number of a value, in the order of the program.
pub type Node = usize;

/// An operand and how it is read.
pub struct Operand {
    pub node: Node,
    pub access: Access,
}

/// What a value is.
pub enum Kind {
    /// An argument of the program.
    Argument,
    /// One number everywhere.
    Number(Attr),
    /// A number for each element, which is memory.
    Table(Attr),
    Iota(SizeExpr),
    Map {
        function: Function,
        widen: bool,
    },
    Reduce {
        combiner: Combiner,
    },
    /// The table is the first operand; its access has `_0`, `_1`, .. for the others.
    Gather,
    /// Other sizes over the memory of its operand.
    Reshape,
}

/// A value of the program.
pub struct Value {
    pub id: ValueId,
    pub loc: Loc,
    pub kind: Kind,
    pub elem: Type,
    /// The sizes of its axes, `i0, i1, ..`.
    pub axes: Vec<SizeExpr>,
    /// The sizes of the axes that it reduces, numbered behind those.
    pub over: Vec<SizeExpr>,
    pub operands: Vec<Operand>,
    /// The values that read it, each once for each operand.
    pub users: Vec<Node>,
    /// Whether the program returns it.
    pub returned: bool,
    /// Whether the program says that it is stored.
    pub stored: bool,
}

/// The values in order: operands come first.
pub struct Graph {
    pub values: Vec<Value>,
    /// How many of them the program has; what follows are copies.
    program: usize,
    /// What the program returns.
    pub results: Vec<Node>,
}

impl Graph {
    /// The graph of a program that the verifier has accepted.
    pub fn of(ctx: &Context, body: &Body) -> Graph {
        let mut graph = Graph { values: Vec::new(), program: 0, results: Vec::new() };
        let mut nodes: FxHashMap<ValueId, Node> = FxHashMap::default();
        let Some(block) = body.entry_block() else { return graph };
        let hint = ctx.intern_str(dlc_core::CONTIGUOUS);
        for (index, &arg) in body.args(block).iter().enumerate() {
            nodes.insert(arg, graph.values.len());
            let value = Value::new(ctx, body, arg, body.arg_loc(block, index), Kind::Argument);
            graph.values.push(value);
        }
        for op in body.ops(block).map(|id| OpRef::new(ctx, body, id)) {
            if Return::of(op).is_some() {
                graph.results = op.operands().filter_map(|value| nodes.get(&value).copied()).collect();
                continue;
            }
            let Some((kind, accesses, over)) = read(op) else { continue };
            let mut value = Value::new(ctx, body, op.result(0), op.loc(), kind);
            value.over = over;
            value.stored = !matches!(value.kind, Kind::Number(_)) && op.attr(hint) == Some(Attr::UNIT);
            let node = graph.values.len();
            for (operand, access) in op.operands().zip(accesses) {
                let Some(&from) = nodes.get(&operand) else { continue };
                graph.values[from].users.push(node);
                value.operands.push(Operand { node: from, access });
            }
            nodes.insert(value.id, node);
            graph.values.push(value);
        }
        graph.program = graph.values.len();
        for result in 0..graph.results.len() {
            let node = graph.results[result];
            // A result is a buffer of its own.
            if graph.is_memory(node) || graph.values[node].returned {
                graph.results[result] = graph.copy(node);
            }
            let node = graph.results[result];
            graph.values[node].returned = true;
        }
        graph
    }

    /// A new value with the elements of another.
    fn copy(&mut self, node: Node) -> Node {
        let (copy, from) = (self.values.len(), &self.values[node]);
        let at = (0..from.axes.len())
            .map(|axis| SizeExpr::symbol(&format!("i{axis}")).expect("a letter and digits are a name"));
        let operand = Operand { node, access: Access::everywhere(at.collect()) };
        let value = Value {
            id: from.id,
            loc: from.loc,
            kind: Kind::Map { function: Function::Copy, widen: false },
            elem: from.elem,
            axes: from.axes.clone(),
            over: Vec::new(),
            operands: vec![operand],
            users: Vec::new(),
            returned: false,
            stored: false,
        };
        self.values[node].users.push(copy);
        self.values.push(value);
        copy
    }

    /// Whether a value is there only because a result is a buffer of its own.
    pub fn is_copy(&self, node: Node) -> bool {
        node >= self.program
    }

    /// Whether a value is memory however the program is cut: an argument, a table, or other sizes over memory.
    pub fn is_memory(&self, node: Node) -> bool {
        matches!(self.values[node].kind, Kind::Argument | Kind::Table(_) | Kind::Reshape)
    }

    /// The factors of the products that a value sums, if it is a sum of products, with the place of the product.
    pub fn product(&self, node: Node) -> Option<Node> {
        let value = &self.values[node];
        if !matches!(value.kind, Kind::Reduce { combiner: Combiner::Sum }) {
            return None;
        }
        // A product may be rounded or widened before it is summed.
        let mut at = value.operands.first()?.node;
        loop {
            let product = &self.values[at];
            match product.kind {
                Kind::Map { function: Function::Mul, .. } => return Some(at),
                Kind::Map { function: Function::Cast | Function::Copy, .. } => at = product.operands.first()?.node,
                _ => return None,
            }
        }
    }

    /// Whether a value is a sum of products each of whose factors serves several results, as in a product of matrices:
    /// what a tensor core computes. Each factor must be the same along some axis of the result of another size than 1.
    pub fn is_contraction(&self, node: Node) -> bool {
        let Some(product) = self.product(node) else { return false };
        let value = &self.values[node];
        let own = self.values[product].axes.len();
        let free = |operand: &Operand| {
            (0..value.axes.len().min(own)).any(|axis| {
                let one = value.axes[axis].as_constant() == Some(1);
                !one && !names_axis(operand.access.exprs(), axis)
            })
        };
        self.values[product].operands.iter().all(free)
    }
}

impl Value {
    fn new(ctx: &Context, body: &Body, id: ValueId, loc: Loc, kind: Kind) -> Value {
        let (axes, elem) = shaped(ctx, body.value_type(id)).expect("values of a book are tensors");
        Value {
            id,
            loc,
            kind,
            elem,
            axes,
            over: Vec::new(),
            operands: Vec::new(),
            users: Vec::new(),
            returned: false,
            stored: false,
        }
    }
}

/// Whether an axis is named in one of some expressions.
pub fn names_axis<'e>(mut exprs: impl Iterator<Item = &'e SizeExpr>, axis: usize) -> bool {
    let name = format!("i{axis}");
    exprs.any(|expr| expr.symbols().iter().any(|symbol| **symbol == *name))
}

/// What an op is, how it reads its operands, and the sizes of the axes that it reduces.
fn read(op: OpRef<'_>) -> Option<(Kind, Vec<Access>, Vec<SizeExpr>)> {
    if let Some(op) = Const::of(op) {
        let kind = match op.ctx.attr_data(op.value()) {
            AttrData::Dense(_) => Kind::Table(op.value()),
            _ => Kind::Number(op.value()),
        };
        return Some((kind, Vec::new(), Vec::new()));
    }
    if let Some(op) = Iota::of(op) {
        return Some((Kind::Iota(op.value().into_iter().next()?), Vec::new(), Vec::new()));
    }
    if let Some(op) = Entry::of(op) {
        let kind = Kind::Map { function: op.function(), widen: op.widen().is_some() };
        return Some((kind, op.accesses(), Vec::new()));
    }
    if let Some(op) = Reduce::of(op) {
        return Some((Kind::Reduce { combiner: op.combiner() }, op.accesses(), op.over()));
    }
    if let Some(op) = Gather::of(op) {
        let mut accesses = vec![Access::everywhere(op.at())];
        accesses.extend(op.accesses());
        return Some((Kind::Gather, accesses, Vec::new()));
    }
    let op = Reshape::of(op)?;
    let rank = shaped(op.ctx, op.type_of(op.input())).map_or(0, |(dims, _)| dims.len());
    Some((Kind::Reshape, vec![Access::everywhere(vec![SizeExpr::from(0); rank])], Vec::new()))
}
