//! The sizes of axes that a text does not give.

use dlc_core::json::{Kind, Node, Read, Record};
use dlc_ir::affine::SizeExpr;
use dlc_ir::text::REDEFINED;

use super::{AXIS_UNKNOWN, MAX_DEPTH};

/// The axes of a kernel, with their sizes as far as they are known: those of the results, then those that are reduced.
#[derive(Default)]
pub(super) struct Axes {
    /// Each axis with its size.
    pub list: Vec<(String, Option<SizeExpr>)>,
    /// How many are axes of the results.
    pub iters: usize,
}

impl Axes {
    /// The place of an axis.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|(known, _)| known == name)
    }

    /// The size of an axis, or an error at a node.
    pub fn size(&self, name: &str, node: &Node<'_>) -> Read<SizeExpr> {
        let known = self.position(name).and_then(|at| self.list[at].1.clone());
        known.ok_or_else(|| {
            let error = node.error(&AXIS_UNKNOWN, format!("nothing says what size the axis '{name}' has"));
            node.report(error.suggest(format!("write {{\"name\": \"{name}\", \"size\": ..}}")))
        })
    }

    /// Some axes in the order of the kernel.
    pub fn in_order(&self, names: &[String]) -> Vec<String> {
        self.list.iter().map(|(name, _)| name.clone()).filter(|name| names.contains(name)).collect()
    }

    fn give(&mut self, name: &str, size: Option<&SizeExpr>) {
        match self.position(name) {
            None => self.list.push((name.to_string(), size.cloned())),
            Some(at) if self.list[at].1.is_none() => self.list[at].1 = size.cloned(),
            Some(_) => {}
        }
    }
}

/// An axis with its size, if it is given: `"k"` or `{"name": "k", "size": "K"}`.
pub(super) fn axis(node: &Node<'_>) -> Read<(String, Option<SizeExpr>)> {
    if node.kind() == Kind::String {
        return Ok((node.name()?.to_string(), None));
    }
    let record = Record::new(node, "an axis", &["name", "size"])?;
    let size = record.get("size").map(Node::size).transpose()?;
    Ok((record.need("name")?.name()?.to_string(), size))
}

/// The names of some axes, each once.
pub(super) fn distinct_axes(list: &Node<'_>) -> Read<Vec<String>> {
    let named = list.list_of("a list of axes", |node| Ok((axis(node)?.0, node.clone())))?;
    let mut axes: Vec<String> = Vec::with_capacity(named.len());
    for (name, node) in named {
        if axes.contains(&name) {
            let error = node.error(&REDEFINED, format!("the axis '{name}' is named twice"));
            return Err(node.report(error.suggest("name each axis once")));
        }
        axes.push(name);
    }
    Ok(axes)
}

/// The axes of a kernel: `iters`, then those of the reductions in the expressions below. What has no size takes that of
/// the result which has as many axes as the kernel, else of the first axis of a memref that is read at it alone.
pub(super) fn axes(
    iters: &Node<'_>,
    exprs: &[&Node<'_>],
    memrefs: &[(String, Vec<SizeExpr>)],
    results: &[Vec<SizeExpr>],
) -> Read<Axes> {
    let mut axes = Axes::default();
    distinct_axes(iters)?;
    axes.list = iters.list_of("a list of axes", axis)?;
    axes.iters = axes.list.len();
    for expr in exprs {
        reductions(expr, &mut axes, 0);
    }
    for dims in results.iter().filter(|dims| dims.len() == axes.iters) {
        for (at, size) in dims.iter().enumerate() {
            axes.list[at].1.get_or_insert_with(|| size.clone());
        }
    }
    for expr in exprs {
        reads(expr, memrefs, &mut axes, 0);
    }
    Ok(axes)
}

/// The entries of an object or the elements of a list. What is wrong with them is reported where they are read.
fn below<'a>(node: &Node<'a>) -> Vec<(String, Node<'a>)> {
    match node.kind() {
        Kind::Object => {
            let entries = node.entries("an object").unwrap_or_default();
            entries.into_iter().map(|(key, _, value)| (key.to_string(), value)).collect()
        }
        Kind::List => node.list("a list").unwrap_or_default().into_iter().map(|node| (String::new(), node)).collect(),
        _ => Vec::new(),
    }
}

/// Beyond this depth nothing is read.
const DEEPEST: usize = 4 * MAX_DEPTH;

fn reductions(node: &Node<'_>, axes: &mut Axes, depth: usize) {
    for (key, value) in below(node) {
        if key == "reduce" {
            let inside = below(&value);
            let list = inside.iter().find(|(key, node)| key == "axes" && node.kind() == Kind::List);
            for (_, node) in list.map(|(_, list)| below(list)).unwrap_or_default() {
                let is_axis = matches!(node.kind(), Kind::String | Kind::Object);
                if let Some((name, size)) = is_axis.then(|| quiet_axis(&node)).flatten() {
                    axes.give(&name, size.as_ref());
                }
            }
        }
        if depth < DEEPEST {
            reductions(&value, axes, depth + 1);
        }
    }
}

fn text<'a>(node: &Node<'a>) -> Option<std::borrow::Cow<'a, str>> {
    (node.kind() == Kind::String).then(|| node.string("a name").ok()).flatten()
}

/// As [`axis`], without a word where it is wrong.
fn quiet_axis(node: &Node<'_>) -> Option<(String, Option<SizeExpr>)> {
    if node.kind() == Kind::String {
        return Some((text(node)?.to_string(), None));
    }
    let entries = below(node);
    let find = |key: &str| entries.iter().find(|(known, _)| known == key).map(|(_, node)| node);
    let size = find("size").and_then(|size| match size.kind() {
        Kind::Number => size.text().parse::<i64>().ok().map(SizeExpr::from),
        _ => text(size).and_then(|text| SizeExpr::parse(&text).ok()),
    });
    Some((find("name").and_then(text)?.to_string(), size))
}

fn reads(node: &Node<'_>, memrefs: &[(String, Vec<SizeExpr>)], axes: &mut Axes, depth: usize) {
    for (key, value) in below(node) {
        if key == "read" {
            let inside = below(&value);
            let find = |key: &str| inside.iter().find(|(known, _)| known == key).map(|(_, node)| node.clone());
            let tensor = find("tensor").filter(|node| node.kind() == Kind::String);
            let tensor = tensor.and_then(|node| node.string("a name").ok());
            let memref = tensor.and_then(|tensor| memrefs.iter().find(|(name, _)| *name == *tensor));
            if let (Some(map), Some((_, dims))) = (find("map"), memref) {
                for ((_, at), dim) in below(&map).iter().zip(dims) {
                    if let Some(at) = Some(at).filter(|at| at.kind() == Kind::String)
                        && let Ok(name) = at.string("a name")
                        && axes.position(&name).is_some()
                    {
                        axes.give(&name, Some(dim));
                    }
                }
            }
        }
        if depth < DEEPEST {
            reads(&value, memrefs, axes, depth + 1);
        }
    }
}
