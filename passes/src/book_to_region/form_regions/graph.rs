//! The values of a program as a graph, read once.

use dlc_book::ops::{self as book, Const, Entry, Function, Gather, Iota, Reduce, Reshape, Return};
use dlc_core::access::Access;
use dlc_core::memref::{Layout, shaped};
use dlc_core::precision::TF32;
use dlc_core::scalar::{ANY_ORDER, Combiner, ScanCombiner};
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
        /// Whether the factors of a product may be rounded to `tf32`.
        tf32: bool,
    },
    Reduce {
        combiner: Combiner,
        /// Whether elements may be combined in any order, also another one in each run.
        any_order: bool,
    },
    /// Each element combined with those before it.
    Scan(Scan),
    /// Elements in order along an axis of the result, in groups of so many positions.
    Sort {
        along: usize,
        every: Option<i64>,
    },
    /// The table is the first operand; its access has `_0`, `_1`, .. for the others.
    Gather,
    /// Other sizes over the memory of its operand.
    Reshape,
    /// The memory of an argument with its axes in the order in which they lie.
    InOrder,
}

/// How elements are combined along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scan {
    pub combiner: ScanCombiner,
    /// The axis of the result that is gone along.
    pub along: usize,
    /// How many positions go together.
    pub every: Option<i64>,
    pub exclusive: bool,
    pub reverse: bool,
}

/// A value of the program.
pub struct Value {
    pub id: ValueId,
    pub loc: Loc,
    pub kind: Kind,
    pub elem: Type,
    /// The sizes of its axes, `i0, i1, ..`.
    pub axes: Vec<SizeExpr>,
    /// The sizes of the axes that it reduces, numbered after those.
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
    /// How many ops compute a value: itself, and one for each operand that it looks at within a guard. Memory is not
    /// computed, and a number is there once for each kernel.
    pub fn ops(&self, node: Node) -> usize {
        let value = &self.values[node];
        match value.kind {
            Kind::Argument | Kind::Table(_) | Kind::Reshape | Kind::InOrder | Kind::Number(_) => 0,
            _ => 1 + value.operands.iter().filter(|operand| operand.access.guard.is_some()).count(),
        }
    }

    /// The graph of a program that the verifier has accepted, and whose arguments and results lie in some layouts.
    ///
    /// An argument whose columns are contiguous is read as its transpose, whose rows are: kernels need not know. What is
    /// read with other sizes lies row by row: it is copied if it does not.
    pub fn of(ctx: &Context, body: &Body, arguments: &[Layout], results: &[Layout]) -> Graph {
        let mut graph = Graph { values: Vec::new(), program: 0, results: Vec::new() };
        let mut nodes: FxHashMap<ValueId, Node> = FxHashMap::default();
        let Some(block) = body.entry_block() else { return graph };
        let hint = ctx.intern_str(dlc_core::CONTIGUOUS);
        for (index, &arg) in body.args(block).iter().enumerate() {
            nodes.insert(arg, graph.values.len());
            let value = Value::new(ctx, body, arg, body.arg_loc(block, index), Kind::Argument);
            graph.values.push(value);
        }
        let mut in_order: FxHashMap<Node, Node> = FxHashMap::default();
        for (argument, layout) in arguments.iter().enumerate() {
            if *layout == Layout::ColMajor && graph.values[argument].axes.len() > 1 {
                in_order.insert(argument, graph.in_order(argument));
            }
        }
        let mut copies: FxHashMap<Node, Node> = FxHashMap::default();
        for op in body.ops(block).map(|id| OpRef::new(ctx, body, id)) {
            if Return::of(op).is_some() {
                graph.results = op.operands().filter_map(|value| nodes.get(&value).copied()).collect();
                continue;
            }
            let Some((kind, accesses, over)) = read(op) else { continue };
            let mut value = Value::new(ctx, body, op.result(0), op.loc(), kind);
            value.over = over;
            value.stored = !matches!(value.kind, Kind::Number(_)) && op.attr(hint) == Some(Attr::UNIT);
            for (operand, mut access) in op.operands().zip(accesses) {
                let Some(&(mut from)) = nodes.get(&operand) else { continue };
                let is_dense = arguments.get(from).is_none_or(|layout| *layout == Layout::RowMajor);
                if !is_dense && matches!(value.kind, Kind::Reshape) {
                    from = *copies.entry(from).or_insert_with(|| graph.copy(from, in_order.get(&from).copied()));
                } else if let Some(&turned) = in_order.get(&from) {
                    access.at.reverse();
                    from = turned;
                }
                value.operands.push(Operand { node: from, access });
            }
            let node = graph.values.len();
            value.operands.iter().for_each(|operand| graph.values[operand.node].users.push(node));
            nodes.insert(value.id, node);
            graph.values.push(value);
        }
        graph.see_as_tables(arguments);
        graph.program = graph.values.len();
        for result in 0..graph.results.len() {
            let node = graph.results[result];
            // A result is a buffer of its own, and what is read with other sizes lies row by row.
            let is_dense = results.get(result).is_none_or(|layout| *layout == Layout::RowMajor);
            let is_reshaped = |&user: &Node| matches!(graph.values[user].kind, Kind::Reshape);
            let as_it_is = is_dense || !graph.values[node].users.iter().any(is_reshaped);
            let is_whole = is_dense && graph.is_whole(node);
            if graph.values[node].returned || !as_it_is || graph.is_memory(node) && !is_whole {
                graph.results[result] = graph.copy(node, in_order.get(&node).copied());
            }
            let node = graph.results[result];
            graph.values[node].returned = true;
        }
        graph
    }

    /// Makes views of copies of arguments that only number the same elements in another way, if they are tables that are read at
    /// positions that are values: these must be memory, which the argument is already.
    fn see_as_tables(&mut self, arguments: &[Layout]) {
        for node in 0..self.values.len() {
            let value = &self.values[node];
            let [operand] = value.operands.as_slice() else { continue };
            let is_table = |&user: &Node| {
                let user = &self.values[user];
                matches!(user.kind, Kind::Gather) && user.operands.first().is_some_and(|table| table.node == node)
            };
            let of = &self.values[operand.node];
            let is_argument = matches!(of.kind, Kind::Argument)
                && arguments.get(operand.node).is_none_or(|layout| *layout == Layout::RowMajor);
            let is_view = matches!(value.kind, Kind::Map { function: Function::Copy, .. })
                && (is_argument || matches!(of.kind, Kind::Reshape))
                && of.elem == value.elem
                && value.users.iter().any(is_table)
                && renumbers(&operand.access, &of.axes, &value.axes) == Some(true);
            if is_view {
                let everywhere = Access::everywhere(vec![SizeExpr::from(0); of.axes.len()]);
                self.values[node].kind = Kind::Reshape;
                self.values[node].operands[0].access = everywhere;
            }
        }
    }

    /// A view of an argument with its axes in the order of memory.
    fn in_order(&mut self, argument: Node) -> Node {
        let (view, from) = (self.values.len(), &self.values[argument]);
        let mut value = Value { axes: from.axes.iter().rev().cloned().collect(), ..from.like(Kind::InOrder) };
        value.operands.push(Operand { node: argument, access: Access::everywhere(Vec::new()) });
        self.values[argument].users.push(view);
        self.values.push(value);
        view
    }

    /// A new value with the elements of another, which has its axes in the order of memory as another node, if it is given.
    fn copy(&mut self, node: Node, in_order: Option<Node>) -> Node {
        let (copy, from) = (self.values.len(), &self.values[node]);
        let mut at: Vec<SizeExpr> = (0..from.axes.len())
            .map(|axis| SizeExpr::symbol(&format!("i{axis}")).expect("a letter and digits are a name"))
            .collect();
        if in_order.is_some() {
            at.reverse();
        }
        let read = in_order.unwrap_or(node);
        let operand = Operand { node: read, access: Access::everywhere(at) };
        let mut value = from.like(Kind::Map { function: Function::Copy, widen: false, tf32: false });
        value.operands.push(operand);
        self.values[read].users.push(copy);
        self.values.push(value);
        copy
    }

    /// Whether a value is the only view of a buffer that a kernel writes and no result has with its own sizes: such a
    /// buffer may be a result as it is.
    fn is_whole(&self, node: Node) -> bool {
        let value = &self.values[node];
        let Some(of) = value.operands.first().filter(|_| matches!(value.kind, Kind::Reshape)) else { return false };
        let is_shared = self.values[of.node].users.len() > 1 || self.results.contains(&of.node);
        !is_shared && !self.is_memory(of.node)
    }

    /// Whether a value is there only because a result is a buffer of its own.
    pub fn is_copy(&self, node: Node) -> bool {
        node >= self.program
    }

    /// Whether a value is memory however the program is cut: an argument, a table, or other sizes over memory.
    pub fn is_memory(&self, node: Node) -> bool {
        matches!(self.values[node].kind, Kind::Argument | Kind::Table(_) | Kind::Reshape | Kind::InOrder)
    }

    /// The factors of the products that a value sums, if it is a sum of products, with the place of the product.
    pub fn product(&self, node: Node) -> Option<Node> {
        let value = &self.values[node];
        if !matches!(value.kind, Kind::Reduce { combiner: Combiner::Sum, .. }) {
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
        self.has_free_axes(node, |size| size.as_constant() != Some(1))
    }

    /// The same with axes of size 1: a product of matrices of which one may be a vector.
    pub fn is_product(&self, node: Node) -> bool {
        self.has_free_axes(node, |_| true)
    }

    /// Whether each factor of a sum of products is the same along some axis of the result whose size counts.
    fn has_free_axes(&self, node: Node, counts: impl Fn(&SizeExpr) -> bool) -> bool {
        let Some(product) = self.product(node) else { return false };
        let value = &self.values[node];
        let own = self.values[product].axes.len();
        let free = |operand: &Operand| {
            (0..value.axes.len().min(own))
                .any(|axis| counts(&value.axes[axis]) && !names_axis(operand.access.exprs(), axis))
        };
        self.values[product].operands.iter().all(free)
    }
}

impl Value {
    /// Another value of the same type in the same place.
    fn like(&self, kind: Kind) -> Value {
        let (id, loc, elem, axes) = (self.id, self.loc, self.elem, self.axes.clone());
        let (over, operands, users) = (Vec::new(), Vec::new(), Vec::new());
        Value { id, loc, kind, elem, axes, over, operands, users, returned: false, stored: false }
    }

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

/// What a value is called in remarks.
pub fn describe(graph: &Graph, node: Node) -> String {
    let value = &graph.values[node];
    let what = match value.kind {
        Kind::Reduce { combiner, .. } => combiner.word(),
        Kind::Scan(_) => "scan",
        Kind::Sort { .. } => "sort",
        Kind::Map { function, .. } => function.word(),
        Kind::Gather => "gather",
        _ => "value",
    };
    let sizes: Vec<String> = value.axes.iter().map(SizeExpr::to_string).collect();
    format!("'{what}' of [{}]", sizes.join(", "))
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
        let tf32 = op.attr(op.ctx.intern_str(TF32)).is_some();
        let kind = Kind::Map { function: op.function(), widen: op.widen().is_some(), tf32 };
        return Some((kind, op.accesses(), Vec::new()));
    }
    if let Some(op) = Reduce::of(op) {
        let any_order = op.attr(op.ctx.intern_str(ANY_ORDER)).is_some();
        return Some((Kind::Reduce { combiner: op.combiner(), any_order }, op.accesses(), op.over()));
    }
    if let Some(op) = book::Scan::of(op) {
        let (exclusive, reverse) = (op.exclusive().is_some(), op.reverse().is_some());
        let (along, every) = (usize::try_from(op.along()).ok()?, op.every());
        let scan = Scan { combiner: op.combiner(), along, every, exclusive, reverse };
        return Some((Kind::Scan(scan), op.accesses(), Vec::new()));
    }
    if let Some(op) = book::Sort::of(op) {
        let (along, every) = (usize::try_from(op.along()).ok()?, op.every());
        return Some((Kind::Sort { along, every }, op.accesses(), Vec::new()));
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

/// Whether axes `i0, i1, ..` of these sizes go over all elements of memory of other sizes in the order in which they lie there.
/// `None` beyond 64 bits.
fn renumbers(access: &Access, of: &[SizeExpr], axes: &[SizeExpr]) -> Option<bool> {
    let place = |at: &[SizeExpr], sizes: &[SizeExpr]| {
        let next = |place: SizeExpr, (at, size): (&SizeExpr, &SizeExpr)| place.mul(size).ok()?.add(at).ok();
        at.iter().zip(sizes).try_fold(SizeExpr::from(0), next)
    };
    let count = |sizes: &[SizeExpr]| sizes.iter().try_fold(SizeExpr::from(1), |all, size| all.mul(size).ok());
    let own = (0..axes.len()).map(|axis| SizeExpr::symbol(&format!("i{axis}")).ok()).collect::<Option<Vec<_>>>()?;
    let is_everywhere = access.guard.is_none() && access.at.len() == of.len();
    Some(is_everywhere && count(of)? == count(axes)? && place(&access.at, of)? == place(&own, axes)?)
}
