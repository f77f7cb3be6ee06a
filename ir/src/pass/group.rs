//! A pass group: consecutive passes over all bodies of a module, body by body, in parallel.
//!
//! Bodies are worked on level by level: the module goes through all passes of the pass group with everything in its place,
//! then the bodies in it are taken out and go through all passes side by side, then those inside them. What a body gives
//! (diagnostics, a failure, ops to put next to it) stays with its task, and is joined in the order of the text, so the
//! outcome does not depend on the number of threads.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::layers::Path;
use super::panics::catch;
use super::pipeline::{Anchor, PassUse};
use super::timing::Costs;
use super::{DebugCounters, Host, On, PASS_BROKE_IR, PASS_FAILED, PASS_PANICKED, PassCx};
use crate::body::{Body, InsertPoint, OpParts, OpRef};
use crate::context::{Context, OpName};
use crate::diag::{Diagnostic, Diagnostics};
use crate::entity::OpId;
use crate::location::Loc;
use crate::op::Traits;
use crate::verify::{SymbolTable, verify_body};

/// A pass at its place in the pipeline.
pub(crate) struct Step {
    pub pass: PassUse,
    /// The ops it is nested in, outermost first, each with the number of the nest.
    pub nest: Vec<(Anchor, u32)>,
    pub costs: Costs,
    /// The bodies it is for, when it needs layers.
    pub only: Option<FxHashSet<Path>>,
    /// The nest that a pass which was put in is shown with: the ops that it runs on, if they have one name.
    pub shown_in: Option<(Anchor, u32)>,
}

impl Step {
    /// The nest in reports and between passes.
    pub(crate) fn shown_nest(&self) -> &[(Anchor, u32)] {
        self.shown_in.as_ref().map_or(&self.nest, std::slice::from_ref)
    }
}

/// Whether a body that was renamed since belongs to a nest of the pipeline: what it is stays as it was when the nest was
/// come to. Bodies that kept their name are judged by it.
pub(crate) type Renamed = FxHashMap<(u32, Path), bool>;

/// How bodies are run.
pub(crate) struct How<'a> {
    pub ctx: &'a Context,
    pub threads: usize,
    pub verify: bool,
    pub timing: bool,
    pub remarks: bool,
    pub counters: &'a DebugCounters,
    pub host: &'a dyn Host,
}

/// How a pass came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// It reported an error.
    Failed,
    /// It panicked.
    Panicked,
    /// The verifier refuses what it left.
    BrokeIr,
}

/// The result of a pass group.
#[derive(Default)]
pub(crate) struct GroupResult {
    /// Whether any body changed.
    pub changed: bool,
    /// The first failure, in the order of the text: which step, how.
    pub failure: Option<(usize, FailureKind)>,
    /// Where each step ran; filled for the steps that ask for it.
    pub ran: Vec<Path>,
}

/// Bodies with fewer ops than this together are not worth a thread.
const THREAD_WORTH: usize = 256;
/// The stack of a worker: as deep as the nesting limit of the parser allows, many times over.
const STACK: usize = 64 << 20;

/// A body on its way through a pass group. Small: there may be as many as there are functions.
struct Task {
    body: Option<Box<Body>>,
    path: Path,
    /// The names of the root ops of the bodies around it, outermost below the module first, and its own.
    names: SmallVec<[OpName; 2]>,
    /// The body around it, in the level above.
    parent: usize,
    first: usize,
    out: Output,
}

#[derive(Default)]
struct Output {
    ran: bool,
    changed: bool,
    /// Whether there are bodies inside it.
    inside: bool,
    /// What most bodies do not have.
    rare: Option<Box<Rare>>,
}

#[derive(Default)]
struct Rare {
    diagnostics: Vec<Diagnostic>,
    failure: Option<(usize, FailureKind)>,
    alongside: Vec<(usize, Body)>,
}

impl Output {
    fn failed(&self) -> Option<FailureKind> {
        self.rare.as_ref()?.failure.map(|(_, kind)| kind)
    }
}

/// What a body gave, for joining in the order of the text.
struct Done {
    /// The number of each body on the way to it.
    order: Order,
    path: Path,
    out: Output,
}

type Order = SmallVec<[usize; 2]>;

/// Runs steps over the bodies of a module.
pub(crate) fn run_group(
    how: &How<'_>,
    steps: &[Step],
    renamed: &mut Renamed,
    module: &mut Body,
    diags: &Diagnostics,
) -> GroupResult {
    // Who reads where layered passes ran wants all of it; otherwise most bodies have nothing to tell.
    let wants_ran = steps.iter().any(|step| step.pass.def.is_layered());
    let joined = Joined { list: Vec::new(), changed: false, wants_ran };
    let mut group = PassGroup { how, steps, renamed: std::mem::take(renamed), newly: Mutex::default(), joined };
    group.module(module);
    let Joined { mut list, changed, .. } = group.joined;
    list.sort_by(|a, b| a.order.cmp(&b.order));
    let mut swept = GroupResult { changed, ..GroupResult::default() };
    for done in list {
        if done.out.ran {
            swept.ran.push(done.path);
        }
        if let Some(rare) = done.out.rare {
            swept.failure = swept.failure.or(rare.failure);
            rare.diagnostics.into_iter().for_each(|d| diags.emit(d));
        }
    }
    *renamed = group.renamed;
    swept
}

struct PassGroup<'a> {
    how: &'a How<'a>,
    steps: &'a [Step],
    renamed: Renamed,
    /// What is to be added to it when the level is done.
    newly: Mutex<Vec<(u32, Path, bool)>>,
    joined: Joined,
}

/// What the bodies gave, as far as they have run.
struct Joined {
    list: Vec<Done>,
    changed: bool,
    wants_ran: bool,
}

impl Joined {
    fn add(&mut self, order: impl FnOnce() -> Order, path: &Path, out: Output) {
        self.changed |= out.changed;
        if out.rare.is_some() || (out.ran && self.wants_ran) {
            self.list.push(Done { order: order(), path: path.clone(), out });
        }
    }
}

/// A body whose children are going to run.
struct Parent<'b> {
    body: &'b mut Body,
    path: Path,
    names: SmallVec<[OpName; 2]>,
    symbols: Arc<SymbolTable>,
    /// Its place in the text: the number of each body on the way to it.
    order: Order,
}

impl PassGroup<'_> {
    fn module(&mut self, module: &mut Body) {
        let mut out = Output::default();
        let none = Arc::new(SymbolTable::default());
        self.body(module, &Path::new(), &mut SmallVec::new(), 0, &none, &mut out);
        // What is inside changes without it.
        module.analyses_mut().clear();
        let failed = out.failed().is_some();
        self.joined.add(Order::new, &Path::new(), out);
        // What is inside a body that is of no use any more is not run.
        if !failed {
            let symbols = self.symbols_in(module, &none);
            let (path, names, order) = Default::default();
            self.children(&mut [Parent { body: module, path, names, symbols, order }]);
        }
    }

    /// Runs what is directly inside some bodies, and what is inside that.
    fn children(&mut self, parents: &mut [Parent<'_>]) {
        let mut tasks = Vec::new();
        for (index, parent) in parents.iter_mut().enumerate() {
            let ops = parent.body.nested_ops();
            tasks.reserve(ops.len());
            for op in ops {
                let mut names = parent.names.clone();
                names.push(parent.body.op_name(op));
                let mut path = parent.path.clone();
                path.push(op);
                // A body that no pass is for stays where it is.
                if !self.concerns(&names, &path)
                    && parent.body.nested(op).is_none_or(|body| body.nested_ops().is_empty())
                {
                    continue;
                }
                let body = parent.body.take_nested(op);
                tasks.push(Task { body, path, names, parent: index, first: 0, out: Output::default() });
            }
        }
        if tasks.is_empty() {
            return;
        }
        self.level(&mut tasks, parents);
        if tasks.iter().any(|task| task.out.rare.as_ref().is_some_and(|rare| !rare.alongside.is_empty())) {
            // What was put next to a body goes through the passes after the one that put it there.
            let ran = std::mem::take(&mut tasks);
            for task in ran {
                self.settle(task, parents, &mut tasks);
            }
        }
        let newly = std::mem::take(self.newly.get_mut().unwrap_or_else(PoisonError::into_inner));
        self.renamed.extend(newly.into_iter().map(|(nest, path, within)| ((nest, path), within)));
        let mut place = vec![0usize; parents.len()];
        let mut inner = Vec::new();
        for task in &mut tasks {
            let number = place[task.parent];
            place[task.parent] += 1;
            let order = || {
                let mut order = parents[task.parent].order.clone();
                order.push(number);
                order
            };
            let out = std::mem::take(&mut task.out);
            // Kept for putting it back.
            task.out.changed = out.changed;
            if let Some(body) = task.body.as_mut().filter(|_| out.inside && out.failed().is_none()) {
                let symbols = self.symbols_in(body, &parents[task.parent].symbols);
                let (path, names) = (task.path.clone(), task.names.clone());
                inner.push(Parent { body, path, names, symbols, order: order() });
            }
            self.joined.add(order, &task.path, out);
        }
        if !inner.is_empty() {
            self.children(&mut inner);
        }
        drop(inner);
        for task in tasks {
            if let (Some(body), Some(&op)) = (task.body, task.path.last()) {
                parents[task.parent].body.put_nested(op, body, task.out.changed);
            }
        }
    }

    /// Takes a task that ran, and puts after it what its passes wanted there. Gives the last op of that.
    fn settle(&self, mut task: Task, parents: &mut [Parent<'_>], all: &mut Vec<Task>) -> OpId {
        let alongside = task.out.rare.as_mut().map(|rare| std::mem::take(&mut rare.alongside)).unwrap_or_default();
        let mut last = *task.path.last().expect("a task is inside the module");
        let (parent, path, names) = (task.parent, task.path.clone(), task.names.clone());
        task.out.changed |= !alongside.is_empty();
        all.push(task);
        for (step, body) in alongside {
            let (op, nested) = put_next_to(self.how.ctx, parents[parent].body, last, body);
            last = op;
            let Some(body) = nested else { continue };
            let (mut path, mut names) = (path.clone(), names.clone());
            path.pop();
            path.push(op);
            names.pop();
            names.push(body.op_name(body.root()));
            let out = Output { changed: true, ..Output::default() };
            let mut task = Task { body: Some(body), path, names, parent, first: step + 1, out };
            self.task(&mut task, &parents[parent].symbols);
            last = self.settle(task, parents, all);
        }
        last
    }

    /// The symbols that bodies inside this one see.
    fn symbols_in(&self, body: &Body, outer: &Arc<SymbolTable>) -> Arc<SymbolTable> {
        if !self.steps.iter().any(|step| step.pass.def.reads_symbols) {
            return Arc::clone(outer);
        }
        let ctx = self.how.ctx;
        let is_table = OpRef::new(ctx, body, body.root()).has(Traits::SYMBOL_TABLE);
        if is_table { Arc::new(SymbolTable::of(ctx, body)) } else { Arc::clone(outer) }
    }

    /// Runs bodies of one level, in parallel when that is worth it.
    fn level(&self, tasks: &mut [Task], parents: &[Parent<'_>]) {
        let run = |task: &mut Task| self.task(task, &parents[task.parent].symbols);
        let threads = self.how.threads.min(tasks.len());
        if threads <= 1 || !self.is_worth_a_thread(tasks) {
            return tasks.iter_mut().for_each(run);
        }
        let chunk = (tasks.len() / (threads * 16)).clamp(1, 64);
        let queue = Mutex::new(tasks.chunks_mut(chunk));
        let work = || {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(chunk) = next else { break };
                chunk.iter_mut().for_each(run);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // Without a thread the others do its work.
                drop(std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work));
            }
            work();
        });
    }

    fn is_worth_a_thread(&self, tasks: &[Task]) -> bool {
        let mut ops = 0;
        tasks.iter().filter_map(|task| task.body.as_ref()).any(|body| {
            ops += body.num_ops() * self.steps.len();
            ops >= THREAD_WORTH
        })
    }

    fn task(&self, task: &mut Task, symbols: &SymbolTable) {
        let Some(body) = &mut task.body else { return };
        self.body(body, &task.path, &mut task.names, task.first, symbols, &mut task.out);
        // Determined now, while the body is in the cache.
        task.out.inside = !body.nested_ops().is_empty();
        if task.out.inside {
            body.analyses_mut().clear();
        }
        if task.out.failed() == Some(FailureKind::Panicked) {
            // Nothing knows what the pass left of it.
            task.body = None;
        }
    }

    /// Runs the steps from `first` on one body.
    fn body(
        &self,
        body: &mut Body,
        path: &Path,
        names: &mut SmallVec<[OpName; 2]>,
        first: usize,
        symbols: &SymbolTable,
        out: &mut Output,
    ) {
        let how = self.how;
        let name = names.last().copied();
        let diags = Diagnostics::new();
        // The nests that the body itself is the op of, with the answer when it came to them: a pass in a nest may
        // rename the op, and the rest of the nest still runs.
        let mut inside: SmallVec<[(u32, bool); 2]> = SmallVec::new();
        for (index, step) in self.steps.iter().enumerate().skip(first) {
            if !self.runs(step, path, names, &mut inside) {
                continue;
            }
            out.ran = true;
            let before = body.edits();
            body.analyses_mut().start(before);
            let cx = PassCx {
                ctx: how.ctx,
                def: step.pass.def,
                symbols,
                diags: &diags,
                host: how.host,
                statistics: &step.costs.statistics,
                counters: how.counters,
                remarks: how.remarks,
                started: before,
                analyses: std::cell::RefCell::default(),
                alongside: std::cell::RefCell::default(),
            };
            let kind = run_pass(how, step, body, &cx, before).err();
            let alongside = cx.alongside.into_inner();
            step.costs.add_analyses(cx.analyses.into_inner());
            if !alongside.is_empty() {
                let rare = out.rare.get_or_insert_default();
                rare.alongside.extend(alongside.into_iter().map(|body| (index, body)));
            }
            out.changed |= body.edits() != before;
            if let Some(kind) = kind {
                out.rare.get_or_insert_default().failure = Some((index, kind));
                break;
            }
            let after = body.edits();
            body.analyses_mut().end(before, after, step.pass.def.preserves);
            if let Some(own) = names.last_mut().filter(|_| body.edits() != before) {
                *own = body.op_name(body.root());
            }
        }
        let diagnostics = diags.take();
        if !diagnostics.is_empty() {
            out.rare.get_or_insert_default().diagnostics.extend(diagnostics);
        }
        if names.last().copied() != name && !inside.is_empty() {
            let mut newly = self.newly.lock().unwrap_or_else(PoisonError::into_inner);
            newly.extend(inside.into_iter().map(|(nest, within)| (nest, path.clone(), within)));
        }
    }

    /// Whether a step runs on the body of this path.
    fn runs(&self, step: &Step, path: &Path, names: &[OpName], inside: &mut SmallVec<[(u32, bool); 2]>) -> bool {
        let ctx = self.how.ctx;
        if path.len() < step.nest.len() || step.only.as_ref().is_some_and(|only| !only.contains(path)) {
            return false;
        }
        for (depth, (anchor, nest)) in step.nest.iter().enumerate() {
            let here = || match anchor {
                Anchor::Any => true,
                Anchor::Op(name) => ctx.op_name_str(names[depth]) == name,
            };
            let was = match self.renamed.is_empty() {
                true => None,
                false => self.renamed.get(&(*nest, SmallVec::from_slice(&path[..=depth]))).copied(),
            };
            let within = if let Some(within) = was {
                within
            } else if depth + 1 == path.len() {
                match inside.iter().find(|(n, _)| n == nest) {
                    Some((_, within)) => *within,
                    None => {
                        let within = here();
                        inside.push((*nest, within));
                        within
                    }
                }
            } else {
                here()
            };
            if !within {
                return false;
            }
        }
        match step.pass.def.on {
            On::Module => false,
            On::EachBody => true,
            On::Op(name) => match names.last() {
                Some(&own) => ctx.op_name_str(own) == name,
                None => name == "builtin.module",
            },
        }
    }

    /// Whether any step runs on a body of this path as it is.
    fn concerns(&self, names: &[OpName], path: &Path) -> bool {
        self.steps.iter().any(|step| self.runs(step, path, names, &mut SmallVec::new()))
    }
}

/// Runs a pass on a body, and the verifier after it.
pub(crate) fn run_pass(
    how: &How<'_>,
    step: &Step,
    body: &mut Body,
    cx: &PassCx<'_>,
    before: u64,
) -> Result<(), FailureKind> {
    let start = how.timing.then(Instant::now);
    let errors = cx.diags.errors();
    let outcome = step.pass.pass.run_caught(body, cx);
    let middle = how.timing.then(Instant::now);
    if let (Some(start), Some(middle)) = (start, middle) {
        step.costs.run_nanos.fetch_add((middle - start).as_nanos() as u64, Ordering::Relaxed);
        step.costs.bodies.fetch_add(1, Ordering::Relaxed);
    }
    match outcome {
        Err(panic) => {
            let place = panic.place.map_or(String::new(), |place| format!(" at {place}"));
            let message = format!("the pass '{}' panicked{place}: {}", cx.def.name, panic.message);
            let error = Diagnostic::error(&PASS_PANICKED, Loc::UNKNOWN, message);
            cx.diags.emit(
                error.suggest("this is a mistake in the pass; --reproducer=FILE keeps what it takes to repeat it"),
            );
            return Err(FailureKind::Panicked);
        }
        Ok(Err(super::PassFailed)) => {
            if cx.diags.errors() == errors {
                let message = format!("the pass '{}' failed", cx.def.name);
                cx.diags.emit(Diagnostic::error(&PASS_FAILED, body.loc(body.root()), message));
            }
            return Err(FailureKind::Failed);
        }
        Ok(Ok(())) => {}
    }
    // An error that a pass reports ends the pipeline, whatever it returns.
    if cx.diags.errors() > errors {
        return Err(FailureKind::Failed);
    }
    if !how.verify || body.edits() == before {
        return Ok(());
    }
    let found = Diagnostics::new();
    let right = catch(|| verify_body(how.ctx, body, &found)).unwrap_or(false);
    if let Some(middle) = middle {
        step.costs.verify_nanos.fetch_add(middle.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }
    if right { Ok(()) } else { Err(broke_ir(cx.def.name, body, found, cx.diags)) }
}

/// Reports that a pass has left a body that the verifier refuses, with what the verifier says.
pub(crate) fn broke_ir(pass: &str, body: &Body, found: Diagnostics, diags: &Diagnostics) -> FailureKind {
    let message = format!("the pass '{pass}' left IR that breaks the rules");
    let error = Diagnostic::error(&PASS_BROKE_IR, body.loc(body.root()), message);
    diags.emit(error.suggest("this is a mistake in the pass; --print-ir-after-failure shows what it left"));
    found.take().into_iter().for_each(|d| diags.emit(d));
    FailureKind::BrokeIr
}

/// Puts the op of a body after another. The op, and the body if it is one that stays on its own.
fn put_next_to(ctx: &Context, parent: &mut Body, following: OpId, body: Body) -> (OpId, Option<Box<Body>>) {
    let root = OpRef::new(ctx, &body, body.root());
    let (props, attrs) = (body.props(body.root()), body.attrs(body.root()));
    let parts = OpParts { props, attrs, ..OpParts::new(root.op_name(), root.loc()) };
    let isolated = root.has(Traits::ISOLATED_FROM_ABOVE) || !root.regions().is_empty();
    if !isolated {
        let op = parent.create_op(parts);
        parent.insert(op, InsertPoint::After(following));
        return (op, None);
    }
    let op = parent.create_op(OpParts { nested: Some(Box::new(body)), ..parts });
    parent.insert(op, InsertPoint::After(following));
    let nested = parent.take_nested(op);
    (op, nested)
}
