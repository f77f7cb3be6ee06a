//! Affine expressions and conditions: `{"add": [{"mul": [2, "ho"]}, {"add": ["kh", -1]}]}`, and
//! `{"and": [{"ge": [.., 0]}, {"lt": [.., "H"]}]}`.

use dlc_core::guard::{Condition, Guard};
use dlc_core::json::names::size_item;
use dlc_core::json::{Item, Kind, Node, Read};
use dlc_ir::affine::{AffineError, SizeExpr};

use super::MAX_DEPTH;

/// Reads an affine expression. A string may be a whole one.
pub(super) fn expr(node: &Node<'_>, depth: usize) -> Read<SizeExpr> {
    if node.kind() != Kind::Object {
        return node.expr();
    }
    if depth >= MAX_DEPTH {
        return Err(node.not(&format!("nested at most {MAX_DEPTH} deep")));
    }
    let wanted =
        "an integer, an axis, or one of {\"add\": ..}, {\"sub\": ..}, {\"mul\": ..}, {\"floordiv\": ..}, {\"mod\": ..}";
    let entries = node.entries(wanted)?;
    let [(word, _, args)] = &entries[..] else { return Err(node.not(wanted)) };
    let combine: fn(&SizeExpr, &SizeExpr) -> Result<SizeExpr, AffineError> = match &**word {
        "add" => SizeExpr::add,
        "sub" => SizeExpr::sub,
        "mul" => SizeExpr::mul,
        "floordiv" => SizeExpr::floordiv,
        "mod" => SizeExpr::modulo,
        _ => return Err(node.not(wanted)),
    };
    let args = args.list_of("a list of operands", |node| expr(node, depth + 1))?;
    let several = matches!(&**word, "add" | "mul");
    let (first, rest) = match args.split_first() {
        Some((first, rest)) if rest.len() == 1 || (several && !rest.is_empty()) => (first, rest),
        _ => return Err(node.not("an expression of two operands")),
    };
    rest.iter().try_fold(first.clone(), |sum, next| {
        combine(&sum, next).map_err(|error| {
            let message = format!("'{}' is no affine expression: {}", node.path(), error.message);
            node.report(node.error(&dlc_core::json::WRONG_VALUE, message))
        })
    })
}

/// Whether a node is a condition of positions: comparisons, below `and` and `or`, in which only names of axes and symbols
/// are.
pub(super) fn is_condition(node: &Node<'_>, is_value: &dyn Fn(&str) -> bool, depth: usize) -> bool {
    let Some((word, args)) = single(node).filter(|_| depth < MAX_DEPTH) else { return false };
    match &*word {
        "and" | "or" => args.iter().all(|arg| is_condition(arg, is_value, depth + 1)),
        "ge" | "gt" | "le" | "lt" | "eq" => args.iter().all(|arg| is_position(arg, is_value, depth + 1)),
        _ => false,
    }
}

fn is_position(node: &Node<'_>, is_value: &dyn Fn(&str) -> bool, depth: usize) -> bool {
    match node.kind() {
        Kind::Number => !node.text().contains(['.', 'e', 'E']),
        Kind::String => node.string("an expression").is_ok_and(|text| {
            SizeExpr::parse(&text).is_ok_and(|expr| !expr.symbols().iter().any(|name| is_value(name)))
        }),
        _ => single(node).is_some_and(|(word, args)| {
            matches!(&*word, "add" | "sub" | "mul" | "floordiv" | "mod")
                && depth < 2 * MAX_DEPTH
                && args.iter().all(|arg| is_position(arg, is_value, depth + 1))
        }),
    }
}

/// The key of an object with a single one, and the elements of the list after it.
fn single<'a>(node: &Node<'a>) -> Option<(String, Vec<Node<'a>>)> {
    if node.kind() != Kind::Object {
        return None;
    }
    let entries = node.entries("an object").ok()?;
    let [(word, _, args)] = &entries[..] else { return None };
    (args.kind() == Kind::List).then(|| args.list("a list").ok().map(|args| (word.to_string(), args))).flatten()
}

/// Reads a condition. Bounds of one expression from both sides become one interval.
pub(super) fn guard(node: &Node<'_>) -> Read<Guard> {
    let Some((word, args)) = single(node) else { return Err(node.not("a condition")) };
    let pieces = match &*word {
        "or" => args.iter().map(piece).collect::<Read<_>>()?,
        _ => vec![piece(node)?],
    };
    Ok(Guard { pieces })
}

fn piece(node: &Node<'_>) -> Read<Vec<Condition>> {
    let Some((word, args)) = single(node) else { return Err(node.not("a condition")) };
    let mut conditions: Vec<Condition> = Vec::new();
    let all = if word == "and" { args } else { vec![node.clone()] };
    for next in all.iter().map(comparison) {
        let next = next?;
        let open = conditions.last_mut().filter(|last| {
            last.expr == next.expr && last.lower.is_some() && last.upper.is_none() && next.lower.is_none()
        });
        match open {
            Some(last) => last.upper = next.upper,
            None => conditions.push(next),
        }
    }
    Ok(conditions)
}

fn comparison(node: &Node<'_>) -> Read<Condition> {
    let wanted = "a comparison, such as {\"lt\": [\"m\", \"M\"]}";
    let Some((word, args)) = single(node) else { return Err(node.not(wanted)) };
    let [lhs, rhs] = &args[..] else { return Err(node.not(wanted)) };
    let (lhs, rhs) = (expr(lhs, 0)?, expr(rhs, 0)?);
    let next = |bound: &SizeExpr| bound.add(&SizeExpr::from(1)).map_err(|_| node.not("within 64 bits"));
    let (lower, upper) = match &*word {
        "ge" => (Some(rhs), None),
        "gt" => (Some(next(&rhs)?), None),
        "lt" => (None, Some(rhs)),
        "le" => (None, Some(next(&rhs)?)),
        "eq" => (Some(rhs.clone()), Some(next(&rhs)?)),
        _ => return Err(node.not(wanted)),
    };
    Ok(Condition { expr: lhs, lower, upper })
}

fn call(word: &str, args: Vec<Item>) -> Item {
    Item::object([(word, Item::List(args))])
}

/// An expression as it is written: sums and products of numbers and names; with quotients as one string.
pub(super) fn expr_item(expr: &SizeExpr) -> Item {
    let Some((terms, constant)) = expr.as_linear() else { return size_item(expr) };
    let term = |(name, factor): &(std::sync::Arc<str>, i64)| match factor {
        1 => Item::from(&**name),
        factor => call("mul", vec![(*factor).into(), (&**name).into()]),
    };
    let mut items: Vec<Item> = terms.iter().map(term).collect();
    if constant != 0 || items.is_empty() {
        items.push(constant.into());
    }
    let sum = items.into_iter().rev().reduce(|rest, item| call("add", vec![item, rest]));
    sum.unwrap_or(Item::Int(0))
}

/// A condition as it is written.
pub(super) fn guard_item(guard: &Guard) -> Item {
    let piece = |piece: &Vec<Condition>| {
        let both = piece.iter().flat_map(|condition| {
            let at = || expr_item(&condition.expr);
            let lower = condition.lower.as_ref().map(|lower| call("ge", vec![at(), expr_item(lower)]));
            let upper = condition.upper.as_ref().map(|upper| call("lt", vec![at(), expr_item(upper)]));
            lower.into_iter().chain(upper)
        });
        call("and", both.collect())
    };
    match &guard.pieces[..] {
        [only] => piece(only),
        pieces => call("or", pieces.iter().map(piece).collect()),
    }
}
