//! Random tensor programs, and what must hold for them.
//!
//! A program is a list of values: arguments, and ops of the layer tiny on values before them. Its sizes are numbers and
//! symbols, zero and one among them; it passes the verifier and runs. Whatever a pass does to it, it then passes the
//! verifier and gives the same, bit by bit where the pass promises that. What fails is made smaller before it is shown.

mod check;
mod make;
mod patterns;
mod pipelines;
mod reduce;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use dlc_core::tensor::TensorValue;
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::Datum;
use dlc_ir::{Context, Type};

pub use check::{Agreement, Fuzzer, passes};
pub use make::program;
pub use pipelines::Pipelines;
pub use reduce::reduce;

use dlc_ir::random::Random;

/// The types of elements, with their names.
pub const ELEMS: [(Type, &str); 15] = [
    (Type::F32, "f32"),
    (Type::F16, "f16"),
    (Type::BF16, "bf16"),
    (Type::F64, "f64"),
    (Type::F8E4M3FN, "f8E4M3FN"),
    (Type::F8E5M2, "f8E5M2"),
    (Type::I1, "i1"),
    (Type::I32, "i32"),
    (Type::I8, "i8"),
    (Type::I64, "i64"),
    (Type::UI8, "ui8"),
    (Type::UI64, "ui64"),
    (Type::I16, "i16"),
    (Type::UI16, "ui16"),
    (Type::UI32, "ui32"),
];

/// What ops a program consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// All.
    Any,
    /// Those through which a small difference of a float stays small: no comparisons, no integers made of floats, no
    /// quotients. For passes that may round otherwise.
    Smooth,
}

/// A program with one function, `@f`.
#[derive(Clone, Debug)]
pub struct Program {
    /// The symbols of its sizes, with what they are when it runs.
    pub symbols: Vec<(&'static str, i64)>,
    /// What it computes; each refers to those before it.
    pub values: Vec<Value>,
    /// The places of its results among the values.
    pub results: Vec<usize>,
    /// Whether it also computes what no result needs.
    pub whole: bool,
    /// What the numbers of its arguments depend on.
    pub seed: u64,
    /// Whether infinities, numbers that are none, and the largest and smallest are among them.
    pub wild: bool,
}

/// A value of a program.
#[derive(Clone, Debug)]
pub struct Value {
    /// Where it is from.
    pub from: From,
    /// Its sizes.
    pub dims: Vec<SizeExpr>,
    /// The type of its elements.
    pub elem: Type,
}

/// Where a value is from.
#[derive(Clone, Debug)]
pub enum From {
    /// It is given.
    Argument,
    /// It is the result of an op.
    Op {
        /// The op without its result and type, with `{0}`, `{1}`, .. for its operands.
        text: String,
        /// The places of these.
        operands: Vec<usize>,
    },
}

/// The name of a type of elements.
///
/// # Panics
/// If it is not in [`ELEMS`].
pub fn elem_name(elem: Type) -> &'static str {
    ELEMS.iter().find(|(ty, _)| *ty == elem).expect("a type of these programs").1
}

/// A list of sizes as it is written.
fn list(dims: &[SizeExpr]) -> String {
    dlc_core::broadcast::show(dims)
}

impl Value {
    fn ty(&self) -> String {
        format!("tensor<{}, {}>", list(&self.dims), elem_name(self.elem))
    }
}

impl Program {
    /// What a size is when the program runs. `None` beyond 64 bits.
    pub fn size(&self, dim: &SizeExpr) -> Option<i64> {
        let of = |name: &str| self.symbols.iter().find(|(symbol, _)| *symbol == name).map(|(_, value)| *value);
        dim.eval(&of).ok()
    }

    /// The sizes of a value when the program runs.
    pub fn shape(&self, value: usize) -> Option<Vec<usize>> {
        self.values[value].dims.iter().map(|dim| usize::try_from(self.size(dim)?).ok()).collect()
    }

    /// The places of the values that it computes, in order: those that the results need, or all.
    pub fn computed(&self) -> Vec<usize> {
        if self.whole {
            return (0..self.values.len()).collect();
        }
        let mut needed: BTreeSet<usize> = self.results.iter().copied().collect();
        for place in (0..self.values.len()).rev() {
            if let (true, From::Op { operands, .. }) = (needed.contains(&place), &self.values[place].from) {
                needed.extend(operands);
            }
        }
        needed.into_iter().collect()
    }

    /// The places of its arguments.
    pub fn arguments(&self) -> Vec<usize> {
        self.computed().into_iter().filter(|&place| matches!(self.values[place].from, From::Argument)).collect()
    }

    /// The number of its ops.
    pub fn len(&self) -> usize {
        self.computed().len() - self.arguments().len()
    }

    /// Whether it has no ops.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The program as text.
    pub fn text(&self) -> String {
        let computed = self.computed();
        let names: BTreeMap<usize, String> =
            computed.iter().enumerate().map(|(number, &place)| (place, format!("%v{number}"))).collect();
        let joined = |parts: Vec<String>| parts.join(", ");
        let args = self.arguments().iter().map(|at| format!("{}: {}", names[at], self.values[*at].ty())).collect();
        let results = self.results.iter().map(|&at| self.values[at].ty()).collect();
        let symbols: Vec<&str> = self.symbols.iter().map(|(name, _)| *name).collect();
        let symbols = if symbols.is_empty() { String::new() } else { format!("<{}>", symbols.join(", ")) };
        let mut out = format!("tiny.func @f{symbols}({}) -> ({}) {{\n", joined(args), joined(results));
        for place in computed {
            let value = &self.values[place];
            let From::Op { text, operands } = &value.from else { continue };
            let mut op = text.clone();
            for (number, operand) in operands.iter().enumerate() {
                op = op.replace(&format!("{{{number}}}"), &names[operand]);
            }
            // An `if` has its type before its regions.
            let ty = if op.starts_with("if ") || op.contains("dense<") {
                String::new()
            } else {
                format!(" : {}", value.ty())
            };
            let _ = writeln!(out, "  {} = {op}{ty}", names[&place]);
        }
        let results = self.results.iter().map(|at| names[at].clone()).collect();
        let _ = writeln!(out, "  return {}\n}}", joined(results));
        out
    }

    /// The numbers of the arguments. `None` when one of them has no sizes.
    pub fn inputs(&self, ctx: &Context) -> Option<Vec<Datum>> {
        self.arguments().into_iter().map(|place| Some(Datum::opaque(self.input(ctx, place)?))).collect()
    }

    fn input(&self, ctx: &Context, place: usize) -> Option<TensorValue> {
        let (shape, elem) = (self.shape(place)?, self.values[place].elem);
        let mut rng = Random::of_case(self.seed, place as u64);
        let count: usize = shape.iter().product();
        let bits = elem.bits(ctx)?;
        if elem.float_kind(ctx).is_some() {
            // Quarters, so that most sums and products are exact in every type.
            let number = |rng: &mut Random| match self.wild && rng.one_in(6) {
                true => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e30, -1e-30, 0.1][rng.below(7)],
                false => (rng.below(17) as f64 - 8.0) / 4.0,
            };
            let values = (0..count).map(|_| number(&mut rng)).collect();
            return TensorValue::from_f64(ctx, shape, elem, values).ok();
        }
        let number = |rng: &mut Random| match self.wild && rng.one_in(6) {
            // Wrapped to the type, where they are not of it.
            true => [i64::MIN, i64::MAX, -1, i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)][rng.below(5)],
            false => rng.below(9) as i64 - if elem.is_unsigned(ctx) { 0 } else { 3 },
        };
        let values = (0..count).map(|_| number(&mut rng)).collect();
        TensorValue::from_i64(ctx, shape, elem, values).ok()
    }
}
