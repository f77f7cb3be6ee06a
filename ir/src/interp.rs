//! Running IR: the meaning of each op, as a function that its declaration names.

use crate::body::OpRef;
use crate::diag::Diagnostic;

/// A value while IR is run.
#[derive(Clone, Debug)]
pub enum Datum {
    /// An integer, sign-extended, modulo its width.
    Int(i128),
    /// A float, rounded to its type.
    Float(f64),
}

/// What an op gives.
#[derive(Debug)]
pub enum Outcome {
    /// Its results.
    Values(Vec<Datum>),
}

/// The evaluation of an op: operands in, results out.
pub type EvalFn = fn(OpRef<'_>, &[Datum]) -> Result<Outcome, Diagnostic>;
