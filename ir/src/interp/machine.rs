//! The machine: frames, and the step that takes one op.

use std::any::{Any, TypeId};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::symbols::Tables;
use super::*;
use crate::body::Body;
use crate::context::Context;
use crate::entity::{BlockId, EntityId, OpId, ValueId};
use crate::location::Loc;
use crate::op::Traits;

/// How long and how deep a program may run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most ops that are taken.
    pub steps: u64,
    /// The most regions and calls that are open at once.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 1 << 28, depth: 10_000 }
    }
}

/// What to do about a program that takes more steps than it may.
pub const MORE_STEPS: &str = "if it ends at all, let it take more steps (--max-steps of dlc-run)";

/// The most evaluation functions that wait for a region which they run to its end.
const MAX_NESTING: u32 = 64;

/// Runs the functions of a module.
pub struct Interpreter<'a> {
    /// The context.
    pub ctx: &'a Context,
    /// How long and how deep the program may run.
    pub limits: Limits,
    tables: Tables<'a>,
    steps: u64,
    nesting: u32,
    states: FxHashMap<TypeId, Box<dyn Any + Send>>,
}

/// A program that runs: what it will do next and everything it knows, except for what is shared.
#[derive(Clone)]
pub struct Thread<'a> {
    frames: Vec<Frame<'a>>,
    depth: usize,
}

/// A body that runs: a function, or the region of another isolated op.
#[derive(Clone)]
struct Frame<'a> {
    body: &'a Body,
    /// The symbol table that names in it refer to.
    table: usize,
    values: Vec<Option<Datum>>,
    /// The regions that run, each inside the one before.
    active: Vec<Active>,
    /// Whether it is the region of an op that is asked again, not a call.
    entered: bool,
}

/// A region that runs.
#[derive(Clone)]
struct Active {
    /// Its index among the regions of its op.
    region: usize,
    next: Option<OpId>,
    saved: Data,
    /// Whether the evaluation function of its op waits for what it yields.
    awaited: bool,
}

impl<'a> Interpreter<'a> {
    /// An interpreter for the functions of a module.
    pub fn new(ctx: &'a Context, module: &'a Body) -> Interpreter<'a> {
        Interpreter {
            ctx,
            limits: Limits::default(),
            tables: Tables::of(ctx, module),
            steps: 0,
            nesting: 0,
            states: FxHashMap::default(),
        }
    }

    /// What a layer remembers beyond its values, made when it is first asked for.
    pub fn state<T: Any + Send + Default>(&mut self) -> &mut T {
        let state = self.states.entry(TypeId::of::<T>()).or_insert_with(|| Box::<T>::default());
        state.downcast_mut().expect("the key is the type")
    }

    /// The number of ops that were taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Runs a function of the module to its end, and gives what it returns.
    pub fn call(&mut self, name: &str, args: &[Datum]) -> Result<Data, Failure> {
        let mut thread = self.thread(name, args)?;
        loop {
            if let Some(results) = self.step(&mut thread)? {
                return Ok(results);
            }
        }
    }

    /// The function of a name in the module.
    pub fn function(&self, name: &str) -> Option<OpRef<'a>> {
        let function = self.tables.look_up(self.ctx, 0, self.ctx.symbol_attr(name));
        function.map(|(op, _)| op).filter(|op| op.has(Traits::CALLABLE))
    }

    /// A thread that is about to run a function of the module.
    pub fn thread(&mut self, name: &str, args: &[Datum]) -> Result<Thread<'a>, Failure> {
        let callee = self.ctx.symbol_attr(name);
        let Some((function, table)) = self.tables.look_up(self.ctx, 0, callee) else {
            let message = format!("the module has no function '@{name}'");
            return Err(Box::new(Diagnostic::error(&CANNOT_RUN, Loc::UNKNOWN, message)));
        };
        let mut thread = Thread { frames: Vec::new(), depth: 0 };
        self.push_call(&mut thread, function, table, SmallVec::from(args))?;
        Ok(thread)
    }

    /// A thread that is about to run a region of the op that `thread` is at, with all values that are known there. It ends
    /// with what the region yields, and `thread` stays as it is: for an op that has many run one region.
    pub fn fork(&self, thread: &Thread<'a>, op: OpRef<'a>, region: usize, args: Data) -> Result<Thread<'a>, Failure> {
        let mut fork = thread.clone();
        self.enter(&mut fork, op, region, args, Data::new(), true)?;
        Ok(fork)
    }

    /// What an op without regions gives for these operands, outside of any function: how passes fold what no fold knows.
    /// Values of the body other than the operands are not there.
    pub fn evaluate(&mut self, op: OpRef<'a>, operands: &[Datum]) -> Result<Data, Failure> {
        let Some(eval) = op.def().eval.filter(|_| op.regions().is_empty() && op.successors().is_empty()) else {
            return Err(failure(op, &NO_EVALUATOR, "the op cannot be evaluated alone"));
        };
        let frame = Frame { body: op.body, table: 0, values: Vec::new(), active: Vec::new(), entered: false };
        let mut thread = Thread { frames: vec![frame], depth: 1 };
        match eval(&mut Eval { op, operands, resumed: None, interp: self, thread: &mut thread })? {
            Outcome::Values(values) => Ok(values),
            _ => Err(failure(op, &CANNOT_RUN, "the op gives no values by itself")),
        }
    }

    /// Takes one op. Gives the results when the thread has ended.
    ///
    /// # Panics
    /// If the thread has ended before.
    pub fn step(&mut self, thread: &mut Thread<'a>) -> Result<Option<Data>, Failure> {
        let frame = thread.frames.last().expect("the thread has not ended");
        let (body, active) = (frame.body, frame.active.last().expect("a frame runs a region"));
        let Some(id) = active.next else {
            // Only a region without terminator runs to its end.
            return self.leave_region(thread, Data::new());
        };
        self.take(OpRef::new(self.ctx, body, id), thread, None)
    }

    /// Asks an op, for the first time or with what its region gave.
    fn take(
        &mut self,
        op: OpRef<'a>,
        thread: &mut Thread<'a>,
        resumed: Option<Resumed>,
    ) -> Result<Option<Data>, Failure> {
        if self.steps >= self.limits.steps {
            let message = format!("the program is stopped after {} steps", self.limits.steps);
            return Err(Box::new(failure(op, &EVAL_LIMIT, message).suggest(MORE_STEPS)));
        }
        self.steps += 1;
        let Some(eval) = op.def().eval else {
            return Err(failure(op, &NO_EVALUATOR, "the op has no evaluator, so the program cannot be run"));
        };
        let mut operands: SmallVec<[Datum; 4]> = SmallVec::new();
        let values = &thread.frame().values;
        for (index, value) in op.operands().enumerate() {
            let Some(datum) = values.get(value.index()).and_then(Option::as_ref) else {
                let message = format!("operand {index} is used before it was computed");
                return Err(failure(op, &CANNOT_RUN, message));
            };
            operands.push(datum.clone());
        }
        let outcome = eval(&mut Eval { op, operands: &operands, resumed, interp: self, thread })?;
        self.apply(op, thread, outcome)
    }

    fn apply(&mut self, op: OpRef<'a>, thread: &mut Thread<'a>, outcome: Outcome) -> Result<Option<Data>, Failure> {
        match outcome {
            Outcome::Values(results) => {
                let ids: SmallVec<[ValueId; 2]> = op.results().collect();
                thread.frame_mut().set(op, &ids, results)?;
                thread.active_mut().next = op.body.next_op(op.id);
                Ok(None)
            }
            Outcome::Enter { region, args, saved } => {
                self.enter(thread, op, region, args, saved, false)?;
                Ok(None)
            }
            Outcome::Yield(values) => self.leave_region(thread, values),
            Outcome::Branch { successor, args } => {
                let Some(&block) = op.successors().get(successor) else {
                    return Err(failure(op, &CANNOT_RUN, format!("there is no successor {successor}")));
                };
                thread.active_mut().next = thread.frame_mut().start_block(op, block, args)?;
                Ok(None)
            }
            Outcome::Return(results) => self.leave_function(thread, op, results),
            Outcome::Call { callee, args } => {
                let table = thread.frame().table;
                let Some((function, table)) = self.tables.look_up(self.ctx, table, callee) else {
                    let message = format!("there is no function {}", callee.display(self.ctx));
                    return Err(failure(op, &CANNOT_RUN, message));
                };
                self.push_call(thread, function, table, args)?;
                Ok(None)
            }
        }
    }

    /// Ends the innermost region: its op is asked again, or the evaluation function that waits gets the values.
    fn leave_region(&mut self, thread: &mut Thread<'a>, values: Data) -> Result<Option<Data>, Failure> {
        let frame = thread.frame_mut();
        if frame.active.len() == 1 && !frame.entered {
            let root = OpRef::new(self.ctx, frame.body, frame.body.root());
            return self.leave_function(thread, root, values);
        }
        let Active { region, saved, awaited, .. } = frame.active.pop().expect("a frame runs a region");
        if frame.active.is_empty() {
            thread.frames.pop();
        }
        thread.depth -= 1;
        if awaited {
            return Ok(Some(values));
        }
        let frame = thread.frame();
        let id = frame.active.last().and_then(|active| active.next).expect("the op that entered the region");
        let op = OpRef::new(self.ctx, frame.body, id);
        self.take(op, thread, Some(Resumed { region, values, saved }))
    }

    /// Ends the innermost call: the results become those of the op that called.
    fn leave_function(
        &mut self,
        thread: &mut Thread<'a>,
        op: OpRef<'a>,
        results: Data,
    ) -> Result<Option<Data>, Failure> {
        loop {
            let frame = thread.frames.pop().expect("a return runs in a frame");
            thread.depth -= frame.active.len();
            if frame.active.iter().any(|active| active.awaited) {
                return Err(failure(op, &CANNOT_RUN, "a return leaves a region that is evaluated as a whole"));
            }
            if !frame.entered {
                break;
            }
        }
        let Some(frame) = thread.frames.last() else { return Ok(Some(results)) };
        let call = frame.active.last().and_then(|active| active.next).expect("the op that called");
        let call = OpRef::new(self.ctx, frame.body, call);
        self.apply(call, thread, Outcome::Values(results))
    }

    fn push_call(
        &mut self,
        thread: &mut Thread<'a>,
        function: OpRef<'a>,
        table: usize,
        args: Data,
    ) -> Result<(), Failure> {
        let root = function.resolve();
        if !function.has(Traits::CALLABLE) || std::ptr::eq(root.body, function.body) {
            return Err(failure(function, &CANNOT_RUN, "the symbol is no function with a body of its own"));
        }
        let Some(block) = root.body.entry_block() else {
            return Err(failure(function, &CANNOT_RUN, "the function is declared, but has no body"));
        };
        self.push_frame(thread, root, table, block, args, false, Active::new(0))
    }

    fn enter(
        &self,
        thread: &mut Thread<'a>,
        op: OpRef<'a>,
        index: usize,
        args: Data,
        saved: Data,
        awaited: bool,
    ) -> Result<(), Failure> {
        let root = op.resolve();
        let block = root.regions().get(index).and_then(|&region| root.body.first_block(region));
        let Some(block) = block else {
            return Err(failure(op, &CANNOT_RUN, format!("there is no region {index} with a block in it")));
        };
        let active = Active { region: index, next: None, saved, awaited };
        if !std::ptr::eq(root.body, op.body) {
            let table = thread.frame().table;
            return self.push_frame(thread, root, table, block, args, true, active);
        }
        self.deepen(thread, op)?;
        let frame = thread.frame_mut();
        let next = frame.start_block(op, block, args)?;
        frame.active.push(Active { next, ..active });
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn push_frame(
        &self,
        thread: &mut Thread<'a>,
        root: OpRef<'a>,
        table: usize,
        block: BlockId,
        args: Data,
        entered: bool,
        active: Active,
    ) -> Result<(), Failure> {
        self.deepen(thread, root)?;
        let body = root.body;
        let mut frame = Frame { body, table, values: vec![None; body.value_slots()], active: Vec::new(), entered };
        let next = frame.start_block(root, block, args)?;
        frame.active.push(Active { next, ..active });
        thread.frames.push(frame);
        Ok(())
    }

    fn deepen(&self, thread: &mut Thread<'a>, op: OpRef<'a>) -> Result<(), Failure> {
        if thread.depth >= self.limits.depth {
            let message = format!("more than {} calls and regions are open at once", self.limits.depth);
            return Err(failure(op, &EVAL_LIMIT, message));
        }
        thread.depth += 1;
        Ok(())
    }

    pub(super) fn run_region(
        &mut self,
        thread: &mut Thread<'a>,
        op: OpRef<'a>,
        region: usize,
        args: Data,
    ) -> Result<Data, Failure> {
        if self.nesting >= MAX_NESTING {
            let message = format!("more than {MAX_NESTING} regions that are evaluated as a whole are nested");
            return Err(failure(op, &EVAL_LIMIT, message));
        }
        self.nesting += 1;
        let mut ended = self.enter(thread, op, region, args, Data::new(), true).map(|()| None);
        while let Ok(None) = ended {
            ended = self.step(thread);
        }
        self.nesting -= 1;
        ended.map(Option::unwrap_or_default)
    }
}

impl<'a> Thread<'a> {
    /// The op that it takes next; `None` at the end of a region without terminator.
    pub fn next_op(&self, ctx: &'a Context) -> Option<OpRef<'a>> {
        let frame = self.frames.last()?;
        Some(OpRef::new(ctx, frame.body, frame.active.last()?.next?))
    }

    /// What a value of the body that runs is; `None` before it was computed.
    pub fn value(&self, value: ValueId) -> Option<&Datum> {
        self.frames.last()?.values.get(value.index())?.as_ref()
    }

    fn frame(&self) -> &Frame<'a> {
        self.frames.last().expect("the thread has not ended")
    }

    fn frame_mut(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("the thread has not ended")
    }

    fn active_mut(&mut self) -> &mut Active {
        self.frame_mut().active.last_mut().expect("a frame runs a region")
    }
}

impl Active {
    fn new(region: usize) -> Active {
        Active { region, next: None, saved: Data::new(), awaited: false }
    }
}

impl Frame<'_> {
    /// Sets the arguments of a block, and gives its first op.
    fn start_block(&mut self, op: OpRef<'_>, block: BlockId, args: Data) -> Result<Option<OpId>, Failure> {
        let body = self.body;
        self.set(op, body.args(block), args)?;
        Ok(body.first_op(block))
    }

    fn set(&mut self, op: OpRef<'_>, ids: &[ValueId], data: Data) -> Result<(), Failure> {
        if ids.len() != data.len() {
            let message = format!("{} values are given where {} are taken", data.len(), ids.len());
            return Err(failure(op, &CANNOT_RUN, message));
        }
        for (id, datum) in ids.iter().zip(data) {
            self.values[id.index()] = Some(datum);
        }
        Ok(())
    }
}
