//! A sweep: consecutive passes over all bodies of a module, body by body, in parallel.
//!
//! Bodies are worked on level by level: the module goes through all passes of the sweep with everything in its place,
//! then the bodies in it are taken out and go through all passes side by side, then those inside them. What a body gives
//! (diagnostics, a failure, ops to put beside it) stays with its task, and is joined in the order of the text, so the
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
use super::{AnalysisCache, DebugCounters, On, PASS_BROKE_IR, PASS_FAILED, PASS_PANICKED, PassCx};
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

/// What came of a sweep.
#[derive(Default)]
pub(crate) struct Swept {
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

/// A body on its way through a sweep.
struct Task {
    body: Option<Box<Body>>,
    path: Path,
    /// The names of the root ops of the bodies around it, outermost below the module first, and its own.
    names: SmallVec<[OpName; 2]>,
    /// The task of the body around it, in the level above.
    parent: usize,
    symbols: Arc<SymbolTable>,
    first: usize,
    out: Output,
}

#[derive(Default)]
struct Output {
    diagnostics: Vec<Diagnostic>,
    failure: Option<(usize, FailureKind)>,
    beside: Vec<(usize, Body)>,
    ran: bool,
    changed: bool,
}

/// A body that has been through a sweep, for joining in the order of the text.
struct Done {
    path: SmallVec<[usize; 2]>,
    out: Output,
    body_path: Path,
}

/// Runs steps over the bodies of a module.
pub(crate) fn sweep(
    how: &How<'_>,
    steps: &[Step],
    renamed: &mut Renamed,
    module: &mut Body,
    diags: &Diagnostics,
) -> Swept {
    let mut sweep = Sweep { how, steps, renamed: std::mem::take(renamed), newly: Mutex::default() };
    let mut done = Vec::new();
    sweep.module(module, &mut done);
    done.sort_by(|a, b| a.path.cmp(&b.path));
    let mut swept = Swept::default();
    for item in done {
        swept.changed |= item.out.changed;
        swept.failure = swept.failure.or(item.out.failure);
        if item.out.ran {
            swept.ran.push(item.body_path);
        }
        item.out.diagnostics.into_iter().for_each(|d| diags.emit(d));
    }
    *renamed = sweep.renamed;
    swept
}

struct Sweep<'a> {
    how: &'a How<'a>,
    steps: &'a [Step],
    renamed: Renamed,
    /// What is to be added to it when the level is done.
    newly: Mutex<Vec<(u32, Path, bool)>>,
}

/// A body whose children are going to run.
struct Parent<'b> {
    body: &'b mut Body,
    path: Path,
    names: SmallVec<[OpName; 2]>,
    symbols: Arc<SymbolTable>,
    /// Its place in the text: the number of each body on the way to it.
    order: SmallVec<[usize; 2]>,
}

impl Sweep<'_> {
    fn module(&mut self, module: &mut Body, done: &mut Vec<Done>) {
        let mut out = Output::default();
        let none = Arc::new(SymbolTable::default());
        self.body(module, &Path::new(), &mut SmallVec::new(), 0, &none, &mut out);
        // What is inside a body that is of no use any more is not run.
        let failed = out.failure.is_some();
        done.push(Done { path: SmallVec::new(), out, body_path: Path::new() });
        if !failed {
            let symbols = self.symbols_in(module, &none);
            let (path, names, order) = Default::default();
            self.children(&mut [Parent { body: module, path, names, symbols, order }], done);
        }
    }

    /// Runs what is directly inside some bodies, and what is inside that.
    fn children(&mut self, parents: &mut [Parent<'_>], done: &mut Vec<Done>) {
        let mut tasks = Vec::new();
        for (index, parent) in parents.iter_mut().enumerate() {
            for op in parent.body.nested_ops() {
                let mut names = parent.names.clone();
                names.push(parent.body.op_name(op));
                let mut path = parent.path.clone();
                path.push(op);
                let nested = parent.body.nested(op).expect("it was listed as nested");
                // A body that no pass is for stays where it is.
                if nested.nested_ops().is_empty() && !self.concerns(&names, &path) {
                    continue;
                }
                let body = parent.body.take_nested(op);
                let symbols = Arc::clone(&parent.symbols);
                tasks.push(Task { body, path, names, parent: index, symbols, first: 0, out: Output::default() });
            }
        }
        if tasks.is_empty() {
            return;
        }
        self.level(&mut tasks);
        // What was put beside a body goes through the passes behind the one that put it there.
        let mut place = vec![0usize; parents.len()];
        let mut all = Vec::with_capacity(tasks.len());
        for task in tasks {
            self.settle(task, parents, &mut all);
        }
        let newly = std::mem::take(self.newly.get_mut().unwrap_or_else(PoisonError::into_inner));
        self.renamed.extend(newly.into_iter().map(|(nest, path, within)| ((nest, path), within)));
        let mut inner = Vec::new();
        for task in &mut all {
            let mut order = parents[task.parent].order.clone();
            order.push(place[task.parent]);
            place[task.parent] += 1;
            let inside = match &task.body {
                Some(body) if task.out.failure.is_none() && !body.nested_ops().is_empty() => {
                    Some(self.symbols_in(body, &task.symbols))
                }
                _ => None,
            };
            let out = std::mem::take(&mut task.out);
            done.push(Done { path: order.clone(), out, body_path: task.path.clone() });
            if let (Some(symbols), Some(body)) = (inside, &mut task.body) {
                inner.push(Parent { body, path: task.path.clone(), names: task.names.clone(), symbols, order });
            }
        }
        if !inner.is_empty() {
            self.children(&mut inner, done);
        }
        drop(inner);
        for task in all {
            if let (Some(body), Some(&op)) = (task.body, task.path.last()) {
                parents[task.parent].body.put_nested(op, body);
            }
        }
    }

    /// Takes a task that ran, and puts behind it what its passes wanted there.
    fn settle(&self, mut task: Task, parents: &mut [Parent<'_>], all: &mut Vec<Task>) {
        let beside = std::mem::take(&mut task.out.beside);
        let mut at = *task.path.last().expect("a task is inside the module");
        if beside.is_empty() {
            return all.push(task);
        }
        let (parent, symbols) = (task.parent, Arc::clone(&task.symbols));
        let (path, names) = (task.path.clone(), task.names.clone());
        all.push(task);
        for (step, body) in beside {
            let (op, nested) = put_beside(self.how.ctx, parents[parent].body, at, body);
            at = op;
            let Some(body) = nested else { continue };
            let (mut path, mut names) = (path.clone(), names.clone());
            path.pop();
            path.push(op);
            names.pop();
            names.push(body.op_name(body.root()));
            let mut task = Task {
                body: Some(body),
                path,
                names,
                parent,
                symbols: Arc::clone(&symbols),
                first: step + 1,
                out: Output { changed: true, ..Output::default() },
            };
            self.task(&mut task);
            self.settle(task, parents, all);
        }
    }

    /// The symbols that bodies inside this one see.
    fn symbols_in(&self, body: &Body, outer: &Arc<SymbolTable>) -> Arc<SymbolTable> {
        if !self.steps.iter().any(|step| step.pass.def.reads_symbols) {
            return Arc::clone(outer);
        }
        let ctx = self.how.ctx;
        match OpRef::new(ctx, body, body.root()).has(Traits::SYMBOL_TABLE) {
            true => Arc::new(SymbolTable::of(ctx, body)),
            false => Arc::clone(outer),
        }
    }

    /// Runs bodies of one level, in parallel when that is worth it.
    fn level(&self, tasks: &mut [Task]) {
        let ops: usize = tasks.iter().filter_map(|task| task.body.as_ref()).map(|body| body.num_ops()).sum();
        let threads = self.how.threads.min(tasks.len());
        if threads <= 1 || ops * self.steps.len() < THREAD_WORTH {
            tasks.iter_mut().for_each(|task| self.task(task));
            return;
        }
        let chunk = (tasks.len() / (threads * 16)).clamp(1, 64);
        let queue = Mutex::new(tasks.chunks_mut(chunk));
        let work = || {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(chunk) = next else { break };
                chunk.iter_mut().for_each(|task| self.task(task));
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

    fn task(&self, task: &mut Task) {
        let Some(body) = &mut task.body else { return };
        self.body(body, &task.path, &mut task.names, task.first, &task.symbols, &mut task.out);
        if matches!(task.out.failure, Some((_, FailureKind::Panicked))) {
            // Nobody knows what the pass left of it.
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
        symbols: &Arc<SymbolTable>,
        out: &mut Output,
    ) {
        let how = self.how;
        let name = names.last().copied();
        let diags = Diagnostics::new();
        let mut cache = AnalysisCache::default();
        // The nests that the body itself is the op of, with the answer when it came to them: a pass in a nest may
        // rename the op, and the rest of the nest still runs.
        let mut inside: SmallVec<[(u32, bool); 2]> = SmallVec::new();
        for (index, step) in self.steps.iter().enumerate().skip(first) {
            if !self.runs(step, path, names, &mut inside) {
                continue;
            }
            out.ran = true;
            let cx = PassCx {
                ctx: how.ctx,
                def: step.pass.def,
                symbols,
                diags: &diags,
                statistics: &step.costs.statistics,
                counters: how.counters,
                remarks: how.remarks,
                analyses: std::mem::take(&mut cache).into(),
                beside: std::cell::RefCell::default(),
            };
            let before = body.edits();
            cx.analyses.borrow_mut().start(body);
            let kind = run_pass(how, step, body, &cx, before).err();
            let beside = cx.beside.into_inner();
            cache = cx.analyses.into_inner();
            out.beside.extend(beside.into_iter().map(|body| (index, body)));
            out.changed |= body.edits() != before;
            if let Some(kind) = kind {
                out.failure = Some((index, kind));
                break;
            }
            cache.end(body, step.pass.def.preserves);
            if let Some(own) = names.last_mut() {
                *own = body.op_name(body.root());
            }
        }
        out.diagnostics.extend(diags.take());
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
    let outcome = catch(|| step.pass.pass.run(body, cx));
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

/// Puts the op of a body behind another. The op, and the body if it is one that stays on its own.
fn put_beside(ctx: &Context, parent: &mut Body, behind: OpId, body: Body) -> (OpId, Option<Box<Body>>) {
    let root = OpRef::new(ctx, &body, body.root());
    let (props, attrs) = (body.props(body.root()), body.attrs(body.root()));
    let parts = OpParts { props, attrs, ..OpParts::new(root.op_name(), root.loc()) };
    let isolated = root.has(Traits::ISOLATED_FROM_ABOVE) || !root.regions().is_empty();
    if !isolated {
        let op = parent.create_op(parts);
        parent.insert(op, InsertPoint::After(behind));
        return (op, None);
    }
    let op = parent.create_op(OpParts { nested: Some(Box::new(body)), ..parts });
    parent.insert(op, InsertPoint::After(behind));
    let nested = parent.take_nested(op);
    (op, nested)
}
