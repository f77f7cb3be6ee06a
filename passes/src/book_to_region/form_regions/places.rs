//! Where the values of one kernel are wanted: at which positions of its axes, within which guard.
//!
//! A value that is not stored is computed again at every place where it is wanted, so the number of its places is the number
//! of its copies in the text of the kernel. Places are known before it is decided what is stored: values are decided from
//! the last to the first, and the readers of a value say where they want it before it is decided itself. The kernel is then
//! emitted from the places, so what was counted is what is written.
//!
//! The axes of the result are those of the kernel. The axes that a reduction reduces are new ones, but where what it reads
//! is wanted already over an axis of the kernel it takes that one: so the maximum of a row and what is subtracted from it
//! read the same row.

use dlc_core::access::Access;
use dlc_core::guard::{Condition, Guard};
use dlc_core::space::Space;
use dlc_ir::affine::SizeExpr;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Graph, Kind, Node, Operand};

/// The most pieces that guards are multiplied out to. Beyond, a value is chosen by one guard after the other.
const MAX_PIECES: usize = 64;
/// The most combinations of axes that the axes of a reduction are compared with.
const MAX_COMBINATIONS: usize = 64;
/// How many operands of operands are looked at to find whether what a reduction reads is wanted already.
const MAX_DEPTH: usize = 16;

/// So many elements are reduced again, where one step of a loop alone needs what they give, rather than stored.
const FEW_AGAIN: i64 = 64;

/// The number of an axis of a kernel.
pub type Axis = usize;

/// An expression goes beyond 64 bits.
#[derive(Debug)]
pub struct TooLarge;

type Result<T> = std::result::Result<T, TooLarge>;

/// A value at positions of a kernel's axes. Outside of the guard it may be anything.
type Key = (Node, Vec<SizeExpr>, Option<Guard>);

/// Where a value is wanted, and what it reads there.
pub struct Place {
    /// The position on each axis of the value, in the axes of the kernel.
    pub at: Vec<SizeExpr>,
    /// Where it is looked at; everywhere without one.
    pub guard: Option<Guard>,
    /// How each operand is read there; of an iota its expression.
    pub reads: Vec<Read>,
    /// The axes that it reduces there.
    pub over: Vec<Axis>,
    /// The reductions at each of whose steps it is computed.
    loops: Vec<Loop>,
}

/// How an operand is read at a place.
pub struct Read {
    /// The access, in the axes of the kernel.
    pub access: Access,
    /// Where the operand is looked at: the guard of the access and that of the reader.
    pub guard: Option<Guard>,
    /// The place of the operand.
    pub place: usize,
}

/// A reduction around a value.
#[derive(Clone, PartialEq, Eq)]
struct Loop {
    /// The value that it computes.
    of: Node,
    /// The axes that it reduces.
    over: Vec<Axis>,
    /// The axes of the kernel that its result depends on.
    around: Vec<Axis>,
}

/// The places of the values of one kernel.
pub struct RegionValues<'g> {
    graph: &'g Graph,
    /// What the names of axes begin with in expressions: no symbol of the program does.
    prefix: &'g str,
    /// The sizes of the axes.
    sizes: Vec<SizeExpr>,
    /// How many of them are those of the result.
    iters: usize,
    /// The axes as dimensions, made when it is needed.
    space: Option<Option<Space>>,
    of: FxHashMap<Node, Vec<Place>>,
    known: FxHashMap<Key, usize>,
}

impl<'g> RegionValues<'g> {
    /// The kernel that stores a value, of which nothing is wanted yet but that.
    pub fn new(graph: &'g Graph, prefix: &'g str, root: Node) -> RegionValues<'g> {
        let mut places = RegionValues {
            graph,
            prefix,
            sizes: graph.values[root].axes.clone(),
            iters: graph.values[root].axes.len(),
            space: None,
            of: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        let at = (0..places.sizes.len()).map(|axis| places.symbol(axis)).collect();
        places.want(root, at, None, Vec::new());
        places
    }

    /// The places of a value, in the order in which they were asked for.
    pub fn of(&self, node: Node) -> &[Place] {
        self.of.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The values that have places, in the order of the program.
    pub fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = self.of.keys().copied().collect();
        nodes.sort_unstable();
        nodes
    }

    /// The size of an axis.
    pub fn size(&self, axis: Axis) -> &SizeExpr {
        &self.sizes[axis]
    }

    /// The axis of a name in expressions.
    pub fn axis(&self, name: &str) -> Option<Axis> {
        axis_of(self.prefix, name)
    }

    fn symbol(&self, axis: Axis) -> SizeExpr {
        SizeExpr::symbol(&format!("{}{axis}", self.prefix)).expect("a letter, signs of names and digits are a name")
    }

    fn fresh_axis(&mut self, size: &SizeExpr) -> Axis {
        self.sizes.push(size.clone());
        self.space = None;
        self.sizes.len() - 1
    }

    /// The axes that are named in expressions.
    pub fn named<'e>(&self, exprs: impl Iterator<Item = &'e SizeExpr>) -> Vec<Axis> {
        let mut axes: Vec<Axis> = Vec::new();
        for expr in exprs {
            match expr.as_symbol() {
                Some(name) => axes.extend(self.axis(name)),
                None => axes.extend(expr.symbols().iter().filter_map(|name| self.axis(name))),
            }
        }
        axes.sort_unstable();
        axes.dedup();
        axes
    }

    /// Asks for a value at a place, within some reductions.
    fn want(&mut self, node: Node, at: Vec<SizeExpr>, guard: Option<Guard>, loops: Vec<Loop>) -> usize {
        // A number is the same everywhere.
        let (at, guard) = match self.graph.values[node].kind {
            Kind::Number(_) => (Vec::new(), None),
            _ => (at, guard),
        };
        let axes = self.named(at.iter().chain(guard.iter().flat_map(Guard::exprs)));
        let places = self.of.entry(node).or_default();
        let key = (node, at, guard);
        let index = match self.known.get(&key) {
            Some(&index) => index,
            None => {
                let (at, guard) = (key.1.clone(), key.2.clone());
                places.push(Place { at, guard, reads: Vec::new(), over: Vec::new(), loops: Vec::new() });
                self.known.insert(key, places.len() - 1);
                places.len() - 1
            }
        };
        let place = &mut places[index];
        for around in loops {
            // What no step changes is computed before.
            if around.over.iter().any(|axis| axes.contains(axis)) && !place.loops.contains(&around) {
                place.loops.push(around);
            }
        }
        index
    }

    /// Lets a value that is computed in this kernel ask for its operands. All who read it have asked for it.
    pub fn expand(&mut self, node: Node) -> Result<()> {
        for index in 0..self.of(node).len() {
            let Place { at, guard, loops, .. } = &self.of(node)[index];
            let (mut inner, guard, mut loops) = (at.clone(), guard.clone(), loops.clone());
            let value = &self.graph.values[node];
            let mut over = Vec::new();
            let mut reads = Vec::with_capacity(value.operands.len());
            let mut operands = &value.operands[..];
            match &value.kind {
                Kind::Number(_) | Kind::Argument | Kind::Table(_) | Kind::Reshape | Kind::InOrder => continue,
                // Of no elements it is a number.
                Kind::Reduce { .. } if value.over.iter().any(|size| size.as_constant() == Some(0)) => continue,
                Kind::Iota(expr) => {
                    let access = self.placed(&Access::everywhere(vec![expr.clone()]), &inner)?;
                    reads.push(Read { access, guard: None, place: 0 });
                }
                Kind::Gather => {
                    let [table, indices @ ..] = operands else { continue };
                    let access = self.placed(&table.access, &inner)?;
                    reads.push(Read { access, guard: guard.clone(), place: 0 });
                    operands = indices;
                }
                // What is stored of it decides where it may be wanted: at every point of the kernel (`cut`).
                Kind::Map { .. } | Kind::Scan(_) | Kind::Sort { .. } => {}
                Kind::Reduce { .. } => {
                    over = self.reduced_axes(node, &inner, guard.as_ref(), loops.is_empty())?;
                    loops.push(Loop { of: node, over: over.clone(), around: self.named(inner.iter()) });
                    inner.extend(over.iter().map(|&axis| self.symbol(axis)));
                }
            }
            for operand in operands {
                let (access, guard) = self.operand(operand, &inner, guard.as_ref())?;
                let place = self.want(operand.node, access.at.clone(), guard.clone(), loops.clone());
                reads.push(Read { access, guard, place });
            }
            if let Some(place) = self.of.get_mut(&node).and_then(|places| places.get_mut(index)) {
                place.reads = reads;
                place.over = over;
            }
        }
        Ok(())
    }

    /// Whether a value is wanted at each point of the kernel, once, wherever it is looked at. What depends on later positions of
    /// an axis is wanted at all of them.
    pub fn is_at_every_point(&self, node: Node) -> bool {
        let [place] = self.of(node) else { return false };
        let axes: Vec<Axis> = place.at.iter().filter_map(|at| self.axis(at.as_symbol()?)).collect();
        let all = axes.len() == place.at.len() && axes.len() == self.iters;
        let each = (0..self.iters).all(|axis| axes.contains(&axis));
        let value = &self.graph.values[node];
        let from_start = matches!(value.kind, Kind::Scan(scan) if !scan.reverse);
        let whole = from_start || axes.iter().zip(&value.axes).all(|(&axis, size)| self.size(axis) == size);
        all && each && whole && place.guard.is_none() && place.loops.is_empty()
    }

    /// The most reductions, one after another, at whose steps a value would be computed at one place.
    pub fn most_loops(&self, node: Node) -> usize {
        self.of(node).iter().map(|place| place.loops.len()).max().unwrap_or(0)
    }

    /// How often the reductions around a value would compute each of its elements, if more than once: because their
    /// results differ along axes on which the value does not, because their steps come to the same element, or because it is
    /// looked at in one of their steps alone, so no loop is without it.
    pub fn times_in_reductions(&self, node: Node, elements: &dyn Fn(&[SizeExpr]) -> i64) -> Option<f64> {
        let product = |axes: &mut dyn Iterator<Item = &Axis>| {
            elements(&axes.map(|&axis| self.sizes[axis].clone()).collect::<Vec<_>>())
        };
        let own = elements(&self.graph.values[node].axes).max(1);
        let reduced = elements(&self.graph.values[node].over);
        let mut most: Option<f64> = None;
        for place in self.of(node) {
            let axes = self.named(place.at.iter());
            let guarded = self.named(place.guard.iter().flat_map(Guard::exprs));
            for around in &place.loops {
                let mut stepped: Vec<Axis> = around.over.clone();
                stepped.retain(|axis| guarded.contains(axis) && !axes.contains(axis));
                if product(&mut stepped.iter()).saturating_mul(reduced) <= FEW_AGAIN {
                    stepped.clear();
                }
                let around = around.around.iter().filter(|axis| !axes.contains(axis));
                let without = product(&mut around.chain(&stepped));
                let steps = product(&mut axes.iter()).saturating_mul(without);
                let again = steps as f64 / own as f64;
                let times = if without > 1 { (without as f64).max(again) } else { again };
                if without > 1 || again > 1.5 {
                    most = Some(most.map_or(times, |most| most.max(times)));
                }
            }
        }
        most
    }

    /// An expression without the quotients that the sizes of the axes decide.
    fn simplified(&mut self, expr: SizeExpr) -> SizeExpr {
        if expr.as_linear().is_some() {
            return expr;
        }
        let prefix = self.prefix;
        let names: Vec<SizeExpr> = (0..self.sizes.len()).map(|axis| self.symbol(axis)).collect();
        let Some(space) = self.space() else { return expr };
        let Some(read) = space.read(&expr, &|name| axis_of(prefix, name).map(|axis| axis as u32)) else { return expr };
        let simple = space.simplify(&read);
        space.to_size(&simple, &|dim| names.get(dim as usize).cloned()).unwrap_or(expr)
    }

    fn space(&mut self) -> Option<&mut Space> {
        let sizes = &self.sizes;
        self.space.get_or_insert_with(|| Space::of(sizes)).as_mut()
    }

    /// A guard without what the sizes of the axes say; `None` where it always holds.
    fn needed(&mut self, guard: &Guard) -> Option<Guard> {
        let prefix = self.prefix;
        let Some(space) = self.space() else { return Some(guard.clone()) };
        let mut always = |condition: Condition| {
            let claims = space.read_condition(&condition, &|name| axis_of(prefix, name).map(|axis| axis as u32));
            claims.is_some_and(|claims| claims.iter().all(|claim| space.proves(&[], claim)))
        };
        let mut pieces = Vec::with_capacity(guard.pieces.len());
        for piece in &guard.pieces {
            let mut kept: Vec<Condition> = Vec::new();
            for condition in piece {
                let lower = Condition { upper: None, ..condition.clone() };
                let upper = Condition { lower: None, ..condition.clone() };
                let needed = Condition {
                    lower: condition.lower.clone().filter(|_| !always(lower.clone())),
                    upper: condition.upper.clone().filter(|_| !always(upper.clone())),
                    expr: condition.expr.clone(),
                };
                if (needed.lower.is_some() || needed.upper.is_some()) && !kept.contains(&needed) {
                    kept.push(needed);
                }
            }
            if kept.is_empty() {
                return None;
            }
            if !pieces.contains(&kept) {
                pieces.push(kept);
            }
        }
        Some(Guard { pieces })
    }

    /// How an operand is read, in the axes of the kernel.
    fn placed(&mut self, access: &Access, at: &[SizeExpr]) -> Result<Access> {
        let replace = |expr: &SizeExpr| match expr.as_symbol() {
            Some(name) => put(at)(name).or_else(|| Some(expr.clone())),
            None => expr.substitute(&put(at)).ok(),
        };
        let placed = access.map(&replace).ok_or(TooLarge)?;
        let at = placed.at.into_iter().map(|expr| self.simplified(expr)).collect();
        let guard = placed.guard.and_then(|guard| self.needed(&guard));
        let fill = placed.fill.filter(|_| guard.is_some());
        Ok(Access { at, guard, fill })
    }

    /// How an operand of a value at `at` is read, and the guard within which it is looked at.
    fn operand(
        &mut self,
        operand: &Operand,
        at: &[SizeExpr],
        within: Option<&Guard>,
    ) -> Result<(Access, Option<Guard>)> {
        let access = self.placed(&operand.access, at)?;
        let guard = match (within, &access.guard) {
            (Some(within), Some(own)) => both(within, own),
            (within, own) => Some(within.or(own.as_ref()).cloned()),
        };
        // Where both guards together are too long, the outer one is left to whoever looks.
        let guard = guard.unwrap_or_else(|| access.guard.clone());
        Ok((access, guard))
    }

    /// The axes that a reduction reduces: axes that there are, if what it reads is wanted over these, else new ones. A product
    /// of matrices has none of the result: tiles have these.
    fn reduced_axes(
        &mut self,
        node: Node,
        at: &[SizeExpr],
        within: Option<&Guard>,
        is_outside: bool,
    ) -> Result<Vec<Axis>> {
        let value = &self.graph.values[node];
        let taken = self.named(at.iter().chain(within.into_iter().flat_map(Guard::exprs)));
        let is_product = self.graph.is_product(node);
        let mut combinations: Vec<Vec<Axis>> = vec![Vec::new()];
        for size in &value.over {
            let is_apart = |axis: &Axis| !is_product || *axis >= self.iters;
            let fits = |axis: &Axis| self.sizes[*axis] == *size && !taken.contains(axis) && is_apart(axis);
            let candidates: Vec<Axis> = (0..self.sizes.len()).filter(fits).collect();
            let longer = combinations.iter().flat_map(|axes| {
                let free = candidates.iter().filter(|axis| !axes.contains(axis));
                free.map(|&axis| axes.iter().copied().chain([axis]).collect()).collect::<Vec<_>>()
            });
            combinations = longer.take(MAX_COMBINATIONS).collect();
        }
        let mut seen = FxHashSet::default();
        for axes in combinations {
            let inner: Vec<SizeExpr> = at.iter().cloned().chain(axes.iter().map(|&axis| self.symbol(axis))).collect();
            if self.is_wanted(&value.operands[0], &inner, within, (0, &mut seen))? {
                return Ok(axes);
            }
        }
        // Outside of other reductions one of the result, so that a block has the whole row that is reduced and read again.
        let mut axes: Vec<Axis> = Vec::new();
        for size in &value.over {
            let is_free = |axis: &Axis| self.sizes[*axis] == *size && !taken.contains(axis) && !axes.contains(axis);
            let own = (0..self.iters).find(is_free).filter(|_| is_outside && !is_product);
            axes.push(own.unwrap_or_else(|| self.fresh_axis(size)));
        }
        Ok(axes)
    }

    /// Whether an operand, or something that it is computed from, is wanted at the same place.
    fn is_wanted(
        &mut self,
        operand: &Operand,
        at: &[SizeExpr],
        within: Option<&Guard>,
        (depth, seen): (usize, &mut FxHashSet<Key>),
    ) -> Result<bool> {
        let access = self.placed(&operand.access, at)?;
        let guard = match (within, &access.guard) {
            (Some(within), Some(own)) => both(within, own).flatten(),
            (within, own) => within.or(own.as_ref()).cloned(),
        };
        let value = &self.graph.values[operand.node];
        let key = (operand.node, access.at, guard);
        // A number is everywhere, and says nothing.
        if !matches!(value.kind, Kind::Number(_)) && self.known.contains_key(&key) {
            return Ok(true);
        }
        if depth >= MAX_DEPTH || !matches!(value.kind, Kind::Map { .. }) || !seen.insert(key.clone()) {
            return Ok(false);
        }
        for operand in &value.operands {
            if self.is_wanted(operand, &key.1, key.2.as_ref(), (depth + 1, &mut *seen))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// What the names of axes begin with, so that no symbol of a program is taken for one.
pub fn prefix_alongside(symbols: &[String]) -> String {
    let mut prefix = String::from("a$");
    while symbols.iter().any(|symbol| symbol.starts_with(&prefix)) {
        prefix.push('$');
    }
    prefix
}

fn axis_of(prefix: &str, name: &str) -> Option<Axis> {
    name.strip_prefix(prefix)?.parse().ok()
}

/// What stands for the axes `i0, i1, ..` of a value.
fn put(at: &[SizeExpr]) -> impl Fn(&str) -> Option<SizeExpr> + '_ {
    |name| name.strip_prefix('i').and_then(|axis| axis.parse::<usize>().ok()).and_then(|axis| at.get(axis).cloned())
}

/// The points of both guards. The outer `None` where that has too many pieces, the inner one where it is everything.
#[allow(clippy::option_option)]
fn both(a: &Guard, b: &Guard) -> Option<Option<Guard>> {
    if a == b {
        return Some(Some(a.clone()));
    }
    if a.pieces.len() * b.pieces.len() > MAX_PIECES {
        return None;
    }
    let mut pieces = Vec::with_capacity(a.pieces.len() * b.pieces.len());
    for one in &a.pieces {
        for other in &b.pieces {
            let mut piece = one.clone();
            piece.extend(other.iter().filter(|condition| !one.contains(condition)).cloned());
            pieces.push(piece);
        }
    }
    Some(Some(Guard { pieces }))
}
