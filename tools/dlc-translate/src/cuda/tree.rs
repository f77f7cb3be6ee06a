//! From blocks that branch to each other to nested statements: conditions, loops, and what leaves them.
//!
//! A block stands inside of the one that dominates it. Where several ways meet, what follows stands after the statement
//! that they left; where a loop is left, what follows stands after the loop. What no nesting says is a `goto`.
//!
//! Source: the nesting by dominators is that of Ramsey, Beyond Relooper (ICFP 2022); loops with a test after them and
//! exits as statements after the loop are ours.

use dlc_ir::dominance::{dominator_tree, successors};
use dlc_ir::{BlockId, Body, Context, OpId, OpRef, RegionId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// An instruction.
    Op(OpId),
    /// What a branch forwards, all at once: from the first of each pair to the second.
    Moves(Vec<(ValueId, ValueId)>),
    /// One of two lists of statements.
    If(ValueId, Vec<Node>, Vec<Node>),
    /// Statements that go round until they are left.
    Loop(Vec<Node>),
    /// Statements that go round while a value holds after them.
    DoWhile(Vec<Node>, ValueId, bool),
    /// A loop that counts.
    For(Count, Vec<Node>),
    /// Leaves the innermost loop.
    Break,
    /// Begins the innermost loop again.
    Continue,
    /// Goes on where a block begins.
    Goto(BlockId),
    /// Here a block begins.
    Label(BlockId),
    /// Ends the thread.
    Return,
}

/// How a loop counts: `for (counter = from; again; next)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Count {
    /// What counts, an argument of the first block of the loop.
    pub counter: ValueId,
    /// What it begins with.
    pub from: ValueId,
    /// What it is the next time.
    pub next: ValueId,
    /// Whether it is done again: a comparison of `next`.
    pub again: ValueId,
}

/// The blocks of an entry as statements. `None` where a loop is entered in several places.
pub fn structure(ctx: &Context, body: &Body, region: RegionId) -> Option<Vec<Node>> {
    let graph = Graph::of(ctx, body, region)?;
    let nodes = graph.place(0, Around { follow: None, head: None, after: None });
    let mut wanted = FxHashSet::default();
    gotos(&nodes, &mut wanted);
    let mut nodes = without_labels(nodes, &wanted);
    strip_last_return(&mut nodes);
    Some(nodes)
}

/// What is around a statement.
#[derive(Clone, Copy)]
struct Around {
    /// The block that is reached after it.
    follow: Option<usize>,
    /// The first block of the innermost loop.
    head: Option<usize>,
    /// The block after that loop.
    after: Option<usize>,
}

struct Graph<'a> {
    ctx: &'a Context,
    body: &'a Body,
    blocks: Vec<BlockId>,
    number: FxHashMap<BlockId, usize>,
    children: Vec<Vec<usize>>,
    /// How many branches lead to a block that do not go round.
    ahead: Vec<usize>,
    /// The blocks of the loop that begins with a block.
    loops: FxHashMap<usize, FxHashSet<usize>>,
    idom: Vec<usize>,
}

impl<'a> Graph<'a> {
    fn of(ctx: &'a Context, body: &'a Body, region: RegionId) -> Option<Graph<'a>> {
        let tree = dominator_tree(body, region);
        let blocks: Vec<BlockId> = tree.iter().map(|&(block, _)| block).collect();
        let idom: Vec<usize> = tree.iter().map(|&(_, dominator)| dominator).collect();
        let number: FxHashMap<BlockId, usize> = blocks.iter().enumerate().map(|(at, &block)| (block, at)).collect();
        let mut children = vec![Vec::new(); blocks.len()];
        (1..blocks.len()).for_each(|at| children[idom[at]].push(at));
        let mut ahead = vec![0; blocks.len()];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
        let dominates = |a: usize, mut b: usize| {
            while b > a {
                b = idom[b];
            }
            a == b
        };
        let mut back = Vec::new();
        for (at, &block) in blocks.iter().enumerate() {
            for to in successors(body, block).map(|to| number[&to]) {
                before[to].push(at);
                if to > at {
                    ahead[to] += 1;
                } else if dominates(to, at) {
                    back.push((at, to));
                } else {
                    return None;
                }
            }
        }
        let mut loops: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
        for (last, head) in back {
            let inside = loops.entry(head).or_default();
            inside.insert(head);
            let mut open = vec![last];
            while let Some(at) = open.pop() {
                if inside.insert(at) {
                    open.extend(&before[at]);
                }
            }
        }
        Some(Graph { ctx, body, blocks, number, children, ahead, loops, idom })
    }

    /// A block that only ends the thread.
    fn is_exit(&self, at: usize) -> bool {
        let block = self.blocks[at];
        let first = self.body.first_op(block);
        self.body.args(block).is_empty()
            && first == self.body.last_op(block)
            && self.body.successors(first.unwrap_or_else(|| self.body.root())).is_empty()
    }

    fn inside(&self, head: Option<usize>, at: usize) -> bool {
        head.is_none_or(|head| self.loops.get(&head).is_some_and(|inside| inside.contains(&at)))
    }

    /// A block and all that it dominates inside of the innermost loop around it.
    fn place(&self, at: usize, around: Around) -> Vec<Node> {
        let Some(inside) = self.loops.get(&at).filter(|_| around.head != Some(at)) else {
            return self.place_inside(at, around);
        };
        let following: Vec<usize> = (at + 1..self.blocks.len())
            .filter(|other| !inside.contains(other) && inside.contains(&self.idom[*other]))
            .filter(|&other| self.inside(around.head, other) && !self.is_exit(other))
            .collect();
        let after = following.first().copied().or(around.follow);
        let mut nodes = vec![Node::Loop(self.place_inside(at, Around { follow: Some(at), head: Some(at), after }))];
        self.chain(&following, around, &mut nodes);
        nodes
    }

    /// Blocks one after another.
    fn chain(&self, blocks: &[usize], around: Around, nodes: &mut Vec<Node>) {
        for (index, &at) in blocks.iter().enumerate() {
            let follow = blocks.get(index + 1).copied().or(around.follow);
            nodes.push(Node::Label(self.blocks[at]));
            nodes.extend(self.place(at, Around { follow, ..around }));
        }
    }

    fn place_inside(&self, at: usize, around: Around) -> Vec<Node> {
        let merges: Vec<usize> = self.children[at]
            .iter()
            .copied()
            .filter(|&child| self.ahead[child] > 1 && self.inside(around.head, child) && !self.is_exit(child))
            .collect();
        let first = Around { follow: merges.first().copied().or(around.follow), ..around };
        let mut nodes = Vec::new();
        for id in self.body.ops(self.blocks[at]) {
            if self.body.next_op(id).is_some() {
                nodes.push(Node::Op(id));
            } else {
                self.last(at, id, first, &mut nodes);
            }
        }
        self.chain(&merges, around, &mut nodes);
        nodes
    }

    fn last(&self, at: usize, id: OpId, around: Around, nodes: &mut Vec<Node>) {
        match self.body.successors(id).len() {
            0 => nodes.push(Node::Return),
            1 => nodes.extend(self.branch(at, id, 0, around)),
            _ => {
                let cond = self.body.operand(id, 0);
                let (then, otherwise) = (self.branch(at, id, 0, around), self.branch(at, id, 1, around));
                nodes.push(Node::If(cond, then, otherwise));
            }
        }
    }

    fn branch(&self, from: usize, id: OpId, index: usize, around: Around) -> Vec<Node> {
        let block = self.body.successors(id)[index];
        let to = self.number[&block];
        let mut nodes = Vec::new();
        let op = OpRef::new(self.ctx, self.body, id);
        let sources = op.successor_operands(index).map(|place| op.operand(place));
        let handed: Vec<(ValueId, ValueId)> = sources.zip(self.body.args(block).iter().copied()).collect();
        if !handed.is_empty() {
            nodes.push(Node::Moves(handed));
        }
        if self.is_exit(to) {
            nodes.push(Node::Return);
        } else if around.follow == Some(to) {
            // It is next.
        } else if around.head == Some(to) {
            nodes.push(Node::Continue);
        } else if around.head.is_some() && around.after == Some(to) {
            nodes.push(Node::Break);
        } else if self.idom[to] == from && self.ahead[to] == 1 && self.inside(around.head, to) {
            nodes.push(Node::Label(block));
            nodes.extend(self.place(to, around));
        } else {
            nodes.push(Node::Goto(block));
        }
        nodes
    }
}

fn gotos(nodes: &[Node], wanted: &mut FxHashSet<BlockId>) {
    for node in nodes {
        match node {
            Node::Goto(block) => {
                wanted.insert(*block);
            }
            Node::If(_, then, otherwise) => {
                gotos(then, wanted);
                gotos(otherwise, wanted);
            }
            Node::Loop(inner) | Node::DoWhile(inner, ..) | Node::For(_, inner) => gotos(inner, wanted),
            _ => {}
        }
    }
}

fn without_labels(nodes: Vec<Node>, wanted: &FxHashSet<BlockId>) -> Vec<Node> {
    let kept = nodes.into_iter().filter(|node| !matches!(node, Node::Label(block) if !wanted.contains(block)));
    kept.map(|node| match node {
        Node::If(cond, then, otherwise) => {
            Node::If(cond, without_labels(then, wanted), without_labels(otherwise, wanted))
        }
        Node::Loop(inner) => Node::Loop(without_labels(inner, wanted)),
        other => other,
    })
    .collect()
}

/// Nothing is to be said at the end; a loop there is left instead.
fn strip_last_return(nodes: &mut Vec<Node>) {
    while nodes.last() == Some(&Node::Return) {
        nodes.pop();
    }
    match nodes.last_mut() {
        Some(Node::If(_, then, otherwise)) => {
            strip_last_return(then);
            strip_last_return(otherwise);
        }
        Some(Node::Loop(inner)) => leave(inner),
        _ => {}
    }
}

/// Leaves a loop where the thread ends.
fn leave(nodes: &mut [Node]) {
    for node in nodes {
        match node {
            Node::Return => *node = Node::Break,
            Node::If(_, then, otherwise) => {
                leave(then);
                leave(otherwise);
            }
            _ => {}
        }
    }
}
