//! How often the elements of a value would be computed where it is read.

use dlc_ir::affine::SizeExpr;

use super::cost::Limits;
use super::graph::{Graph, Node, Operand, names_axis};

/// How many points of a reader want an element of an operand on average, not counting axes that the position does not
/// depend on: 1 for a reshape or a transpose, less for a slice, more for a window.
pub fn wanted(graph: &Graph, reader: Node, operand: &Operand, limits: &Limits) -> f64 {
    let value = &graph.values[reader];
    let sizes = value.axes.iter().chain(&value.over).enumerate();
    let depends = sizes.filter(|(axis, _)| names_axis(operand.access.at.iter(), *axis));
    let points = depends.fold(1i64, |count, (_, size)| count.saturating_mul(limits.sizes.size(size)));
    points as f64 / limits.sizes.elements(&graph.values[operand.node].axes).max(1) as f64
}

/// Whether a reader wants each element of an operand at one of its points at most: each position is an axis of its own, from
/// some offset on. That holds of a part of a concatenation too, whose reader has more points than it wants elements.
fn is_shifted(operand: &Operand) -> bool {
    let mut axes: Vec<String> = Vec::new();
    operand.access.at.iter().all(|at| {
        let is_axis = |name: &str| name.strip_prefix('i').is_some_and(|number| number.parse::<usize>().is_ok());
        let Some((terms, _)) = at.as_linear() else { return false };
        let mut own = terms.iter().filter(|(name, _)| is_axis(name));
        match (own.next(), own.next()) {
            (Some((name, _)), None) => {
                let is_new = axes.iter().all(|axis| **axis != **name);
                axes.push(name.to_string());
                is_new
            }
            (None, _) => true,
            _ => false,
        }
    })
}

/// How often each element would be computed, if clearly more than once: because of windows, or because it is read at places
/// that are shifted against each other. With `by_guards`, a point outside of the guard of a read does not count.
pub fn again(graph: &Graph, node: Node, limits: &Limits, by_guards: bool) -> Option<f64> {
    let mut ways: Vec<&[SizeExpr]> = Vec::new();
    let (mut by_axes, mut times) = (0f64, 0f64);
    for &user in &graph.values[node].users {
        for operand in graph.values[user].operands.iter().filter(|operand| operand.node == node) {
            let wanted = match wanted(graph, user, operand, limits) {
                wanted if by_guards && is_shifted(operand) => wanted.min(1.0),
                wanted => wanted,
            };
            if operand.access.at.iter().all(|at| at.as_symbol().is_some()) {
                // All who read axis by axis find the same element.
                by_axes = by_axes.max(wanted);
            } else if !ways.contains(&&operand.access.at[..]) {
                ways.push(&operand.access.at);
                times += wanted;
            }
        }
    }
    Some(times + by_axes).filter(|&times| times > 1.5)
}
