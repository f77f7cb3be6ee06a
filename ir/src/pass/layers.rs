//! Layers: what a body has reached, and the shortest way of lowerings from there.
//!
//! A body has the layer of its root op's dialect, those of the ops that accompany it (siblings whose attribute `of`
//! names its symbol), and those that passes of this run have added to it.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::PassDef;
use super::registry::Registry;
use crate::body::{Body, OpRef};
use crate::context::{Context, Str};
use crate::entity::OpId;

/// The layers that a body has, sorted.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Layers<'a>(SmallVec<[&'a str; 4]>);

impl<'a> Layers<'a> {
    /// Adds a layer.
    pub fn add(&mut self, layer: &'a str) {
        if let Err(place) = self.0.binary_search(&layer) {
            self.0.insert(place, layer);
        }
    }

    /// Takes a layer away.
    pub fn remove(&mut self, layer: &str) {
        self.0.retain(|l| *l != layer);
    }

    /// Whether all of these are there.
    pub fn have(&self, wanted: &[&str]) -> bool {
        wanted.iter().all(|layer| self.0.contains(layer))
    }

    /// The layers, by name.
    pub fn names(&self) -> &[&'a str] {
        &self.0
    }

    fn after(&self, def: &'static PassDef) -> Layers<'a> {
        let mut layers = self.clone();
        def.removes.iter().for_each(|layer| layers.remove(layer));
        def.adds.iter().for_each(|layer| layers.add(layer));
        layers
    }
}

/// The passes that lead from layer to layer.
pub struct Lowerings {
    /// By name.
    edges: Vec<&'static PassDef>,
}

impl Lowerings {
    /// The registered passes that add a layer.
    pub fn of(registry: &Registry) -> Lowerings {
        Lowerings { edges: registry.passes().filter(|def| !def.adds.is_empty()).collect() }
    }

    /// The fewest passes that lead from some layers to wanted ones, of several such ways the first by the names of the
    /// passes. `None` when there is no way.
    pub fn path(&self, from: &Layers<'_>, wanted: &[&str]) -> Option<Vec<&'static PassDef>> {
        if from.have(wanted) {
            return Some(Vec::new());
        }
        // Breadth first, passes in the order of their names: the first arrival is the shortest, and first by name.
        let mut reached = vec![(from.clone(), None)];
        let mut seen: FxHashSet<Layers<'_>> = FxHashSet::from_iter([from.clone()]);
        let mut at = 0;
        while at < reached.len() && reached.len() < 10_000 {
            for &def in &self.edges {
                let (layers, _) = &reached[at];
                if !layers.have(def.requires) {
                    continue;
                }
                let next = layers.after(def);
                if !seen.insert(next.clone()) {
                    continue;
                }
                let arrived = next.have(wanted);
                reached.push((next, Some((at, def))));
                if arrived {
                    let mut path = Vec::new();
                    let mut step = reached[reached.len() - 1].1;
                    while let Some((before, def)) = step {
                        path.push(def);
                        step = reached[before].1;
                    }
                    path.reverse();
                    return Some(path);
                }
            }
            at += 1;
        }
        None
    }
}

/// Where a body is: the ops to go through from the module, outermost first.
pub type Path = SmallVec<[OpId; 2]>;

/// A body that can be on a layer: not the module, and nothing that only accompanies another op.
pub struct Placed<'a> {
    /// Where it is.
    pub path: Path,
    /// What it has reached.
    pub layers: Layers<'a>,
}

impl Placed<'_> {
    /// Its root, in the module in which it was found.
    pub fn root<'m>(&self, ctx: &'m Context, module: &'m Body) -> OpRef<'m> {
        let (&last, around) = self.path.split_last().expect("a placed body is inside the module");
        let body = around.iter().fold(module, |body, &op| body.nested(op).expect("the way leads through bodies"));
        OpRef::new(ctx, body, last).resolve()
    }
}

/// The layers that passes have added to bodies, by the symbols on the way to a body.
pub type Added = FxHashMap<SmallVec<[Str; 2]>, Vec<&'static str>>;

/// The bodies of a module that can be on a layer, with what they have reached. In order, outer ones first.
pub fn survey<'a>(ctx: &'a Context, module: &Body, added: &Added) -> Vec<Placed<'a>> {
    let mut list = Vec::new();
    survey_in(ctx, module, added, &Path::new(), &SmallVec::new(), &mut list);
    list
}

fn survey_in<'a>(
    ctx: &'a Context,
    body: &Body,
    added: &Added,
    path: &Path,
    symbols: &SmallVec<[Str; 2]>,
    list: &mut Vec<Placed<'a>>,
) {
    // Most bodies have none inside, and many ops.
    let inside = body.nested_ops();
    if inside.is_empty() {
        return;
    }
    let mut companions: FxHashMap<Str, SmallVec<[&'a str; 2]>> = FxHashMap::default();
    // What names and accompanies is looked up once: the attributes of 100,000 kernels are in no cache.
    let mut roots = Vec::with_capacity(inside.len());
    for &op in &body.walk() {
        let view = OpRef::new(ctx, body, op);
        let of = accompanied(view);
        if let Some(of) = of {
            companions.entry(of).or_default().push(dialect_of(ctx.op_name_str(view.op_name())));
        }
        if let Some(nested) = body.nested(op) {
            let root = OpRef::new(ctx, nested, nested.root());
            roots.push((op, root, root.symbol(), of.is_some()));
        }
    }
    for (op, root, name, accompanies) in roots {
        let mut path = path.clone();
        path.push(op);
        let mut symbols = symbols.clone();
        symbols.push(name.unwrap_or(Str::EMPTY));
        // A module holds what is on layers, and what accompanies a function is on one by way of it.
        if !accompanies && !root.is(&crate::builtin::MODULE) {
            let mut layers = Layers::default();
            layers.add(dialect_of(ctx.op_name_str(root.op_name())));
            let alongside = name.and_then(|name| companions.get(&name));
            alongside.into_iter().flatten().for_each(|layer| layers.add(layer));
            added.get(&symbols).into_iter().flatten().for_each(|layer| layers.add(layer));
            list.push(Placed { path: path.clone(), layers });
        }
        survey_in(ctx, root.body, added, &path, &symbols, list);
    }
}

/// The symbols on the way to a body.
pub(crate) fn symbols_on(ctx: &Context, module: &Body, path: &[OpId]) -> SmallVec<[Str; 2]> {
    let mut symbols = SmallVec::new();
    let mut body = module;
    for &op in path {
        symbols.push(OpRef::new(ctx, body, op).symbol().unwrap_or(Str::EMPTY));
        match body.nested(op) {
            Some(nested) => body = nested,
            None => break,
        }
    }
    symbols
}

/// The symbol of the op that an op accompanies.
pub fn accompanied(view: OpRef<'_>) -> Option<Str> {
    match view.attr(Str::OF)?.as_symbol(view.ctx)? {
        &[name] => Some(name),
        _ => None,
    }
}

/// The part of an op's name before the dot.
pub fn dialect_of(name: &str) -> &str {
    name.split_once('.').map_or("", |(dialect, _)| dialect)
}
