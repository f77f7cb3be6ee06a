//! Positions and conditions, in which axes have any names.

use dlc_core::bounds::MISSING_DIV_GUARD;
use dlc_core::guard::{Condition, Guard};
use dlc_core::json::{Item, Kind, Node, Read, WRONG_VALUE};
use dlc_core::space::Space;
use dlc_ir::affine::{AffineExpr, BinaryOp, SizeExpr};

use super::ELSE_PIECE;

/// The names of axes, in the order of `i0, i1, ..`.
pub(super) type Names<'a> = &'a [String];

/// The expression of an axis in the IR.
pub(super) fn axis(place: usize) -> SizeExpr {
    SizeExpr::symbol(&format!("i{place}")).unwrap_or_else(|_| SizeExpr::from(0))
}

/// An expression with the axes of the IR in place of those of the text.
fn renamed(expr: &SizeExpr, names: Names<'_>) -> Option<SizeExpr> {
    expr.substitute(&|name| names.iter().position(|known| known == name).map(axis)).ok()
}

/// Reads an expression. There are no remainders in maps: they are written as quotients.
pub(super) fn read_expr(node: &Node<'_>, text: &str, names: Names<'_>) -> Read<SizeExpr> {
    if text.contains('%') || text.split_whitespace().any(|word| word == "mod") {
        let message = format!("'{}': '%' is kept in \"{text}\"", node.path());
        let fix = "linearize the reshape or view and take it apart again with div and guards: E - q*(E floordiv q)";
        return Err(node.report(node.error(&MISSING_DIV_GUARD, message).suggest(fix)));
    }
    let read = SizeExpr::parse(text).map_err(|error| {
        let message = format!("'{}': \"{text}\" is no integer: {}", node.path(), error.message);
        node.report(node.error(&WRONG_VALUE, message))
    })?;
    renamed(&read, names).ok_or_else(|| node.not("an expression within 64 bits"))
}

/// Reads a position: a number or a string.
pub(super) fn read_position(node: &Node<'_>, names: Names<'_>) -> Read<SizeExpr> {
    match node.kind() {
        Kind::Number => node.int().map(SizeExpr::from),
        _ => read_expr(node, &node.string("a position, such as 0 or \"2*i0 + i1 - 1\"")?, names),
    }
}

/// Reads `"0<=2*h+kh-1"`, `"i0<M"`, `"i0==3"` or `"0<=i0<M"`.
fn read_condition(node: &Node<'_>, names: Names<'_>) -> Read<Condition> {
    let text = node.string("a condition, such as \"0<=i0\"")?;
    let mut sides = Vec::new();
    let mut signs = Vec::new();
    let mut rest = &*text;
    while let Some(at) = rest.find(['<', '>', '=']) {
        let sign = ["<=", ">=", "==", "<", ">"].into_iter().find(|sign| rest[at..].starts_with(sign));
        let Some(sign) = sign else { break };
        sides.push(read_expr(node, &rest[..at], names)?);
        signs.push(sign);
        rest = &rest[at + sign.len()..];
    }
    sides.push(read_expr(node, rest, names)?);
    let made = match (&sides[..], &signs[..]) {
        ([first, second], [sign]) => Condition::of(first, sign, second),
        ([first, second, third], [one, other]) => Condition::between(first, one, second, other, third),
        _ => None,
    };
    made.ok_or_else(|| node.not("a condition, such as \"0<=i0\", \"i0<M\" or \"i0==3\""))
}

/// Reads `[["0<=i0", "i0<M"], ..]`, all of which hold. Bounds of one expression go together.
pub(super) fn read_conditions(node: &Node<'_>, names: Names<'_>) -> Read<Vec<Condition>> {
    let groups = node.list_of("a list of lists of conditions", |group| {
        group.list_of("a list of conditions", |condition| read_condition(condition, names))
    })?;
    let mut conditions: Vec<Condition> = Vec::new();
    for condition in groups.into_iter().flatten() {
        let open = conditions.last_mut().filter(|last| last.expr == condition.expr);
        match open {
            Some(last) if last.lower.is_none() && condition.upper.is_none() => last.lower = condition.lower,
            Some(last) if last.upper.is_none() && condition.lower.is_none() => last.upper = condition.upper,
            _ => conditions.push(condition),
        }
    }
    Ok(conditions)
}

/// Whether the conditions of a piece are the words for all other points.
pub(super) fn is_else(node: &Node<'_>) -> bool {
    let text: String = node.text().chars().filter(|c| !c.is_whitespace()).collect();
    text == format!("[[\"{ELSE_PIECE}\"]]")
}

/// An expression as it is written: no blanks around sums, quotients in place of remainders.
pub(super) fn text(expr: &SizeExpr, names: Names<'_>) -> String {
    let shown = |index: usize| names.get(index).cloned().unwrap_or_else(|| format!("i{index}"));
    let axis = |name: &str| name.strip_prefix('i')?.parse::<u32>().ok().filter(|&axis| (axis as usize) < names.len());
    let plain = expr.to_string();
    let named = if plain.contains(" mod ") {
        let dims: Vec<SizeExpr> = vec![SizeExpr::from(1); names.len()];
        let read = Space::of(&dims).and_then(|mut space| Some((space.read(expr, &axis)?, space)));
        match read {
            Some((read, space)) => written(&read, &space, names),
            None => plain,
        }
    } else {
        let put = |name: &str| axis(name).and_then(|axis| SizeExpr::symbol(&shown(axis as usize)).ok());
        expr.substitute(&put).map_or(plain, |expr| expr.to_string())
    };
    named.replace(" + ", "+").replace(" - ", "-")
}

/// An affine expression in which `E mod q` is `E - q*(E floordiv q)`.
fn written(expr: &AffineExpr, space: &Space, names: Names<'_>) -> String {
    let node = match expr {
        AffineExpr::Constant(value) => return value.to_string(),
        AffineExpr::Dim(axis) => return names.get(*axis as usize).cloned().unwrap_or_default(),
        AffineExpr::Symbol(place) => return space.symbols().get(*place as usize).map_or("", |name| name).to_string(),
        AffineExpr::Binary(node) => node,
    };
    let side = |expr: &AffineExpr| match expr {
        AffineExpr::Binary(_) => format!("({})", written(expr, space, names)),
        leaf => written(leaf, space, names),
    };
    let (lhs, rhs) = (side(node.lhs()), side(node.rhs()));
    match node.op() {
        BinaryOp::Add => format!("{lhs} + {rhs}"),
        BinaryOp::Mul => format!("{lhs}*{rhs}"),
        BinaryOp::FloorDiv => format!("{lhs} floordiv {rhs}"),
        BinaryOp::CeilDiv => format!("{lhs} ceildiv {rhs}"),
        BinaryOp::Mod => format!("{lhs} - {rhs}*({lhs} floordiv {rhs})"),
    }
}

/// A position as it is written.
pub(super) fn position_item(expr: &SizeExpr, names: Names<'_>) -> Item {
    match expr.as_constant() {
        Some(value) => Item::Int(value.into()),
        None => text(expr, names).as_str().into(),
    }
}

/// A condition as its bounds.
fn condition_item(condition: &Condition, names: Names<'_>) -> Item {
    let middle = text(&condition.expr, names);
    let equal = (condition.lower.as_ref())
        .filter(|lower| lower.add(&SizeExpr::from(1)).is_ok_and(|next| condition.upper.as_ref() == Some(&next)));
    if let Some(value) = equal {
        return Item::list([format!("{middle}=={}", text(value, names)).as_str()]);
    }
    let lower = condition.lower.as_ref().map(|lower| format!("{}<={middle}", text(lower, names)));
    let upper = condition.upper.as_ref().map(|upper| format!("{middle}<{}", text(upper, names)));
    Item::list(lower.iter().chain(&upper).map(String::as_str))
}

/// Conditions, all of which hold.
fn conditions_item(conditions: &[Condition], names: Names<'_>) -> Item {
    let items = conditions.iter().map(|condition| condition_item(condition, names)).collect();
    Item::object([("constraints", Item::List(items))])
}

/// The pieces of a guard, and the one for the rest.
pub(super) fn pieces_item(guard: &Guard, names: Names<'_>) -> Item {
    let rest = Item::object([("constraints", Item::List(vec![Item::list([ELSE_PIECE])]))]);
    let pieces = guard.pieces.iter().map(|piece| conditions_item(piece, names));
    Item::object([("pieces", Item::List(pieces.chain([rest]).collect()))])
}
