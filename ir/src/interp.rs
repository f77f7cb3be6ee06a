//! Running IR: the meaning of each op, as a function that its declaration names.
//!
//! An evaluation function ([`EvalFn`]) gets the op, its operands and the [`Interpreter`], and answers with an
//! [`Outcome`]: results; for a terminator a branch, what its region yields, or a return; for an op with regions the
//! region to enter. Such an op is asked again when its region has yielded ([`Eval::resumed`]), so a loop is a function
//! from one iteration to the next, and [`Outcome::Enter`] carries what it must remember.
//!
//! The machine is a list of frames that takes one op a step. Recursion of the program is therefore no recursion of
//! ours; steps and depth have [`Limits`], and whatever goes wrong ends in a diagnostic. A [`Thread`] can be stopped
//! after any step and copied, which is how layers with asynchronous work run several in turn. What a layer must
//! remember beyond its values (memory, barriers) it keeps in [`Interpreter::state`].

mod datum;
mod machine;
mod memory;
mod symbols;

use smallvec::SmallVec;

use crate::attrs::Attr;
use crate::body::OpRef;
use crate::diag::{Code, Diagnostic};
use crate::types::Type;

pub use datum::{Datum, round_float, wrap_int};
pub use machine::{Interpreter, Limits, MORE_STEPS, Thread};
pub use memory::Memory;

crate::codes! {
    /// An op was run that has no evaluator.
    NO_EVALUATOR = "E0701" "NoEvaluator";
    /// The program ran longer, deeper or with more memory than it may.
    EVAL_LIMIT = "E0702" "EvalLimit";
    /// The program did something that has no meaning: divided by zero, accessed memory out of bounds.
    UNDEFINED = "E0703" "Undefined";
    /// The program cannot be run as it is: a function is missing, an argument is of another kind.
    CANNOT_RUN = "E0704" "CannotRun";
}

/// Values in order: operands, results, arguments.
pub type Data = SmallVec<[Datum; 1]>;

/// Why a program stopped.
pub type Failure = Box<Diagnostic>;

/// What an evaluation function answers.
pub type EvalResult = Result<Outcome, Failure>;

/// The evaluation of an op.
pub type EvalFn = fn(&mut Eval<'_, '_>) -> EvalResult;

/// What an op does.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It has these results, and the next op follows.
    Values(Data),
    /// It runs one of its regions, and is asked again, with what the region yielded, when that has ended.
    Enter {
        /// The index of the region.
        region: usize,
        /// The arguments of its first block.
        args: Data,
        /// Handed back when the op is asked again.
        saved: Data,
    },
    /// It ends its region with these values.
    Yield(Data),
    /// It goes to a block.
    Branch {
        /// The index of the successor.
        successor: usize,
        /// The arguments of the block.
        args: Data,
    },
    /// It ends its function with these results.
    Return(Data),
    /// It calls a function, whose results become its own.
    Call {
        /// A reference to a symbol.
        callee: Attr,
        /// The arguments.
        args: Data,
    },
}

impl Outcome {
    /// The only result.
    pub fn value(value: Datum) -> Outcome {
        Outcome::Values(SmallVec::from_buf([value]))
    }

    /// No results.
    pub fn nothing() -> Outcome {
        Outcome::Values(Data::new())
    }
}

/// What a region gave that an op has entered.
#[derive(Clone, Debug)]
pub struct Resumed {
    /// The index of the region.
    pub region: usize,
    /// What it yielded.
    pub values: Data,
    /// What was saved when it was entered.
    pub saved: Data,
}

/// What an evaluation function works on.
pub struct Eval<'e, 'a> {
    /// The op.
    pub op: OpRef<'a>,
    /// Its operands.
    pub operands: &'e [Datum],
    /// What the region gave that the op had entered; `None` when it is asked first.
    pub resumed: Option<Resumed>,
    /// The interpreter.
    pub interp: &'e mut Interpreter<'a>,
    /// The thread that runs the op.
    pub thread: &'e mut Thread<'a>,
}

impl Eval<'_, '_> {
    /// The operand at an index.
    pub fn operand(&self, index: usize) -> Result<&Datum, Failure> {
        self.operands.get(index).ok_or_else(|| self.fail(&CANNOT_RUN, format!("there is no operand {index}")))
    }

    /// The operand at an index, an integer.
    pub fn int(&self, index: usize) -> Result<i128, Failure> {
        let datum = self.operand(index)?;
        datum.as_int().ok_or_else(|| self.wrong_kind(index, "an integer", datum))
    }

    /// The operand at an index, a float.
    pub fn float(&self, index: usize) -> Result<f64, Failure> {
        let datum = self.operand(index)?;
        datum.as_float().ok_or_else(|| self.wrong_kind(index, "a float", datum))
    }

    /// The operand at an index, a value of a layer's own.
    pub fn opaque<T: std::any::Any + Send + Sync>(&self, index: usize) -> Result<&T, Failure> {
        let datum = self.operand(index)?;
        datum.as_opaque().ok_or_else(|| self.wrong_kind(index, std::any::type_name::<T>(), datum))
    }

    fn wrong_kind(&self, index: usize, wanted: &str, found: &Datum) -> Failure {
        self.fail(&CANNOT_RUN, format!("operand {index} is {found:?} while the program runs, not {wanted}"))
    }

    /// The type of the operand at an index.
    pub fn operand_type(&self, index: usize) -> Type {
        self.op.type_of(self.op.operand(index))
    }

    /// The type of the result at an index.
    pub fn result_type(&self, index: usize) -> Type {
        self.op.type_of(self.op.result(index))
    }

    /// The integer as the only result, modulo two to the power of its type's width.
    pub fn int_result(&self, value: i128) -> EvalResult {
        Ok(Outcome::value(wrap_int(self.op.ctx, value, self.result_type(0))))
    }

    /// The float as the only result, rounded to its type.
    pub fn float_result(&self, value: f64) -> EvalResult {
        Ok(Outcome::value(round_float(self.op.ctx, value, self.result_type(0))))
    }

    /// An error at the op.
    pub fn fail(&self, code: &'static Code, message: impl Into<String>) -> Failure {
        failure(self.op, code, message)
    }

    /// Runs a region to its end and gives what it yields. For small regions that are evaluated many times at once, such
    /// as the combiner of a reduction; loops and conditions answer [`Outcome::Enter`], which costs no stack.
    pub fn run_region(&mut self, region: usize, args: Data) -> Result<Data, Failure> {
        self.interp.run_region(self.thread, self.op, region, args)
    }
}

pub(crate) fn failure(op: OpRef<'_>, code: &'static Code, message: impl Into<String>) -> Failure {
    Box::new(Diagnostic::error(code, op.loc(), message).at(op.name()))
}
