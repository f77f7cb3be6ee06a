//! Statements as people write them: loops with their tests, loops that count, nothing that says nothing.

use dlc_ir::op::Effects;
use dlc_ir::{BlockId, OpId, ValueId};
use dlc_ptx::inst::Arg;
use rustc_hash::FxHashSet;

use super::tree::{Count, Node};
use super::values::Values;

/// The statements of an entry, tidied.
pub fn tidy(nodes: Vec<Node>, values: &Values<'_>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    for node in nodes {
        match node {
            Node::Op(id) if is_silent(id, values) => {}
            Node::Op(_) => out.push(node),
            Node::Moves(pairs) => {
                let pairs = needed(pairs, values);
                if !pairs.is_empty() {
                    out.push(Node::Moves(pairs));
                }
            }
            Node::If(cond, then, otherwise) => {
                let (mut then, mut otherwise) = (tidy(then, values), tidy(otherwise, values));
                let shared = common(cond, &mut then, &mut otherwise, values);
                if !shared.is_empty() {
                    out.push(Node::Moves(shared));
                }
                if otherwise.is_empty()
                    && let Some(counted) = counted(Some(cond), &then, values)
                {
                    out.extend(counted);
                } else if ends(&otherwise) && !ends(&then) && then.len() + otherwise.len() > 1 {
                    // What leaves comes first, and the rest stands after it.
                    out.push(Node::If(cond, Vec::new(), otherwise));
                    out.extend(then);
                } else if ends(&then) && !ends(&otherwise) && !otherwise.is_empty() {
                    out.push(Node::If(cond, then, Vec::new()));
                    out.extend(otherwise);
                } else if !(then.is_empty() && otherwise.is_empty()) {
                    out.push(Node::If(cond, then, otherwise));
                }
            }
            Node::Loop(inner) => {
                let (inner, following) = tested(tidy(inner, values));
                let again = out.last().cloned();
                match (again, inner) {
                    (Some(before @ Node::Moves(_)), inner @ Node::DoWhile(..)) => {
                        match counted(None, &[before, inner.clone()], values) {
                            Some(counted) => {
                                out.pop();
                                out.extend(counted);
                            }
                            None => out.push(inner),
                        }
                    }
                    (_, inner) => out.push(inner),
                }
                out.extend(following);
            }
            other => out.push(other),
        }
    }
    out
}

/// Whether statements end by going elsewhere.
fn ends(nodes: &[Node]) -> bool {
    match nodes.last() {
        Some(Node::Break | Node::Continue | Node::Return | Node::Goto(_)) => true,
        Some(Node::If(_, then, otherwise)) => ends(then) && ends(otherwise),
        _ => false,
    }
}

/// Whether nothing is written where an instruction stands: it is a number or part of an expression, or nothing wants it.
fn is_silent(id: OpId, values: &Values<'_>) -> bool {
    let Some(inst) = values.insts.get(&id) else { return true };
    let mut results = values.body().results(id).peekable();
    if inst.instruction.name == "undef" {
        return true;
    }
    results.peek().is_some()
        && values.body().results(id).all(|value| {
            values.folded.contains(&value)
                || values.is_literal(value)
                || (!values.body().has_uses(value) && inst.instruction.effects == Effects::NONE)
        })
}

fn needed(pairs: Vec<(ValueId, ValueId)>, values: &Values<'_>) -> Vec<(ValueId, ValueId)> {
    let is_needed = |&(source, target): &(ValueId, ValueId)| {
        values.variables.contains_key(&target)
            && !values.is_undef(source)
            && (values.is_literal(source) || values.class(source) != values.class(target))
    };
    pairs.into_iter().filter(is_needed).collect()
}

/// The moves that both ways begin with, taken out of them.
fn common(
    cond: ValueId,
    then: &mut Vec<Node>,
    otherwise: &mut Vec<Node>,
    values: &Values<'_>,
) -> Vec<(ValueId, ValueId)> {
    let (Some(Node::Moves(a)), Some(Node::Moves(b))) = (then.first(), otherwise.first()) else { return Vec::new() };
    let mut leaves = Vec::new();
    values.leaves(cond, &mut leaves);
    let class = |value: ValueId| values.class(value);
    let same = |x: ValueId, y: ValueId| match (values.literal(x), values.literal(y)) {
        (Some(x), Some(y)) => x == y,
        _ => x == y,
    };
    let in_both = |&(source, target): &(ValueId, ValueId)| {
        b.iter().any(|&(other, to)| class(to) == class(target) && same(source, other))
            && !leaves.iter().any(|&leaf| class(leaf) == class(target))
    };
    let shared: Vec<(ValueId, ValueId)> = a.iter().copied().filter(in_both).collect();
    let is_shared = |target: ValueId| shared.iter().any(|&(_, to)| class(to) == class(target));
    let left = |pairs: &[(ValueId, ValueId)]| -> Vec<(ValueId, ValueId)> {
        pairs.iter().copied().filter(|&(_, target)| !is_shared(target)).collect()
    };
    let (a, b) = (left(a), left(b));
    // What is left must not read what has been written by then.
    if a.iter().chain(&b).any(|&(source, _)| !values.is_literal(source) && is_shared(source)) {
        return Vec::new();
    }
    for (nodes, pairs) in [(then, a), (otherwise, b)] {
        nodes[0] = Node::Moves(pairs);
        if nodes[0] == Node::Moves(Vec::new()) {
            nodes.remove(0);
        }
    }
    shared
}

/// A loop with its test after it, if that is where it is left, and what then follows it.
fn tested(mut inner: Vec<Node>) -> (Node, Vec<Node>) {
    let tested = match inner.last() {
        Some(Node::If(cond, then, otherwise)) => match (then.as_slice(), otherwise.as_slice()) {
            ([], [following @ .., Node::Break]) => Some((*cond, true, following.to_vec())),
            ([following @ .., Node::Break], []) => Some((*cond, false, following.to_vec())),
            _ => None,
        },
        _ => None,
    };
    if let Some((cond, holds, following)) = tested {
        let last = inner.pop();
        let leaves = leaves_otherwise(&inner);
        if !leaves.1
            && (following.is_empty() || !leaves.0)
            && !following.iter().any(|node| leaves_otherwise(std::slice::from_ref(node)) != (false, false))
        {
            return (Node::DoWhile(inner, cond, holds), following);
        }
        inner.extend(last);
    }
    (Node::Loop(inner), Vec::new())
}

/// Whether the innermost loop around statements is left by them, and whether it is begun again.
fn leaves_otherwise(nodes: &[Node]) -> (bool, bool) {
    nodes.iter().fold((false, false), |(left, begun), node| {
        let (inner_left, inner_begun) = match node {
            Node::Break => (true, false),
            Node::Continue => (false, true),
            Node::If(_, then, otherwise) => {
                let (a, b) = (leaves_otherwise(then), leaves_otherwise(otherwise));
                (a.0 || b.0, a.1 || b.1)
            }
            _ => (false, false),
        };
        (left || inner_left, begun || inner_begun)
    })
}

/// A loop that counts, out of the moves before a loop, the loop with its test after it, and what is asked before it.
/// What else is moved comes before it. What it counts with may have its first number already.
fn counted(guard: Option<ValueId>, nodes: &[Node], values: &Values<'_>) -> Option<Vec<Node>> {
    let (pairs, inner, cond) = match nodes {
        [Node::Moves(pairs), Node::DoWhile(inner, cond, true)] => (pairs.as_slice(), inner, cond),
        [Node::DoWhile(inner, cond, true)] => (&[][..], inner, cond),
        _ => return None,
    };
    let again = values.inst(*cond)?;
    let counts = |&(_, target): &(ValueId, ValueId)| match again.args[0] {
        Arg::Value(next) => values.class(next) == values.class(target),
        _ => false,
    };
    let known = || {
        let asked = values.inst(guard?)?;
        asked.args.iter().find_map(|&arg| match (arg, again.args[0]) {
            (Arg::Value(from), Arg::Value(next)) if values.class(from) == values.class(next) => Some((from, from)),
            _ => None,
        })
    };
    let (from, counter) = &pairs.iter().copied().find(counts).or_else(known)?;
    let others: Vec<(ValueId, ValueId)> = pairs.iter().copied().filter(|pair| pair.1 != *counter).collect();
    if !values.folded.contains(cond) || (again.instruction.name, again.modifiers) != ("setp", "lt.s32") {
        return None;
    }
    let (Arg::Value(next), last) = (again.args[0], again.args[1]) else { return None };
    let step = values.inst(next)?;
    let counts = (step.instruction.name, step.modifiers) == ("add", "s32")
        && matches!(step.args[0], Arg::Value(value) if values.class(value) == values.class(*counter))
        && values.class(next) == values.class(*counter);
    // Nobody else wants to know the next number.
    let used = values.body().uses(next).filter(|only| values.insts.contains_key(&only.op)).count();
    let at = inner.iter().position(|node| *node == Node::Op(step.op.id))?;
    let fixed = |arg: Arg| match arg {
        Arg::Value(value) => values.is_literal(value) || !writes(inner, values, values.class(value)),
        _ => true,
    };
    if !counts || used != 1 || !fixed(last) || !fixed(step.args[1]) {
        return None;
    }
    // The first time is asked for, or known.
    let number = |arg: Arg| match arg {
        Arg::Value(value) => values.literal(value),
        other => Some(other),
    };
    let begin = Arg::Value(*from);
    let same = |a: Arg, b: Arg| a == b || (number(a).is_some() && number(a) == number(b));
    match guard {
        Some(guard) => {
            let asked = values.inst(guard)?;
            let holds = match (asked.instruction.name, asked.modifiers) {
                ("setp", "lt.s32") => same(asked.args[0], begin) && same(asked.args[1], last),
                ("setp", "gt.s32") => same(asked.args[1], begin) && same(asked.args[0], last),
                _ => false,
            };
            if !holds {
                return None;
            }
        }
        None => match (number(begin), number(last)) {
            (Some(Arg::Int(begin)), Some(Arg::Int(last))) if begin < last => {}
            _ => return None,
        },
    }
    let class = |value: ValueId| values.class(value);
    let reads = others.iter().any(|&(source, _)| !values.is_literal(source) && class(source) == class(*counter));
    let written = !values.is_literal(*from) && others.iter().any(|&(_, target)| class(target) == class(*from));
    if reads || written {
        return None;
    }
    let mut body = inner.clone();
    body.remove(at);
    let count = Node::For(Count { counter: *counter, from: *from, next, again: *cond }, body);
    if others.is_empty() {
        return Some(vec![count]);
    }
    // The others are moved where it is done, or where nobody else wants what was there.
    let inside = others.iter().all(|&(_, target)| is_only_inside(target, inner, values));
    let nodes = vec![Node::Moves(others), count];
    Some(match guard.filter(|_| !inside) {
        Some(guard) => vec![Node::If(guard, nodes, Vec::new())],
        None => nodes,
    })
}

/// Whether a variable is read in statements alone.
fn is_only_inside(value: ValueId, nodes: &[Node], values: &Values<'_>) -> bool {
    let body = values.body();
    let mut blocks = FxHashSet::default();
    blocks_of(nodes, values, &mut blocks);
    let all = values.variables.keys().filter(|&&other| values.class(other) == values.class(value));
    let mut uses = all.flat_map(|&other| body.uses(other));
    uses.all(|only| body.block_of(only.op).is_some_and(|block| blocks.contains(&block)))
}

fn blocks_of(nodes: &[Node], values: &Values<'_>, blocks: &mut FxHashSet<BlockId>) {
    for node in nodes {
        match node {
            Node::Op(id) => blocks.extend(values.body().block_of(*id)),
            Node::If(_, then, otherwise) => {
                blocks_of(then, values, blocks);
                blocks_of(otherwise, values, blocks);
            }
            Node::Loop(inner) | Node::DoWhile(inner, ..) | Node::For(_, inner) => blocks_of(inner, values, blocks),
            _ => {}
        }
    }
}

/// Whether statements write a variable.
fn writes(nodes: &[Node], values: &Values<'_>, class: u32) -> bool {
    nodes.iter().any(|node| match node {
        Node::Op(id) => values.body().results(*id).any(|value| values.class(value) == class),
        Node::Moves(pairs) => pairs.iter().any(|&(_, target)| values.class(target) == class),
        Node::If(_, then, otherwise) => writes(then, values, class) || writes(otherwise, values, class),
        Node::Loop(inner) | Node::DoWhile(inner, ..) => writes(inner, values, class),
        Node::For(count, inner) => values.class(count.counter) == class || writes(inner, values, class),
        _ => false,
    })
}
