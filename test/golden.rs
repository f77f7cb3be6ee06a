//! Every op of tiny against what numpy gives: the cases of `golden/tiny/Inputs/ops.json`, which
//! `golden/tiny/make.py` writes.
//!
//! The types are part of it: a case is a function whose result is of the shape and type that numpy gives.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use dlc_core::tensor::TensorValue;
use dlc_core::types::Tensor as TensorType;
use dlc_ir::interp::{Datum, Interpreter};
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::types::{FloatKind, TypeData};
use dlc_ir::{Body, Context, Diagnostics, OpRef, Type, diag, float, verify};
use dlc_tiny::ops::Func;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Golden {
    tensors: Vec<Tensor>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    text: String,
    /// Places in the table of tensors.
    inputs: Vec<usize>,
    expected: Tensor,
    /// By how many units in the last place a float may differ.
    #[serde(default)]
    ulps: u64,
}

#[derive(Deserialize)]
struct Tensor {
    shape: Vec<usize>,
    elem: String,
    /// As they are written: a number read by `serde_json` may be off by one in the last place.
    values: Vec<Box<RawValue>>,
}

impl Tensor {
    fn ty(&self) -> String {
        let dims: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        format!("tensor<[{}], {}>", dims.join(", "), self.elem)
    }

    fn floats(&self) -> Vec<f64> {
        self.values.iter().map(|value| value.get().trim_matches('"').parse().expect("a number")).collect()
    }

    /// As they are stored: those of 64 bits without a sign as the integers of the same bits.
    fn integers(&self) -> Vec<i64> {
        self.values.iter().map(|value| value.get().parse::<i128>().expect("an integer") as i64).collect()
    }

    fn is_float(&self) -> bool {
        !self.elem.starts_with(['i', 'u'])
    }
}

/// Runs a case; the names of the ops that ran are added to `seen`.
fn run(case: &Case, tensors: &[Tensor], seen: &mut BTreeSet<String>) -> Result<(), String> {
    let inputs: Vec<&Tensor> = case.inputs.iter().map(|&place| &tensors[place]).collect();
    let ctx = Context::new([&dlc_core::DIALECT, &dlc_tiny::DIALECT]);
    let args = inputs.iter().zip('a'..).map(|(input, name)| format!("%{name}: {}", input.ty())).collect::<Vec<_>>();
    let (args, result) = (args.join(", "), case.expected.ty());
    let text = format!("tiny.func @f({args}) -> {result} {{\n{}\nreturn %y\n}}\n", case.text);
    let diags = Diagnostics::new();
    let file = ctx.sources.add("case", text.clone()).expect("the text is short");
    let body = parse_module(&ctx, &file, 0..text.len(), ParseOptions::default(), &diags).ok();
    let Some(body) = body.filter(|body| verify::verify(&ctx, body, &diags)) else {
        let list = diags.take();
        return Err(list.iter().map(|each| diag::render(&ctx, each, diag::Style::default())).collect());
    };
    let data = |(input, ty): (&&Tensor, &Type)| {
        let (shape, elem) = (input.shape.clone(), TensorType::of(&ctx, *ty).expect("a tensor").elem(&ctx));
        let value = match input.is_float() {
            true => TensorValue::from_f64(&ctx, shape, elem, input.floats()),
            false => TensorValue::from_i64(&ctx, shape, elem, input.integers()),
        };
        Datum::opaque(value.expect("as many as the shape says"))
    };
    let function = body.walk().into_iter().find_map(|op| Func::of(OpRef::new(&ctx, &body, op))).expect("a function");
    let TypeData::Function { inputs: types, .. } = ctx.type_data(function.function_type()) else { unreachable!() };
    let inputs: Vec<Datum> = inputs.iter().zip(types.iter()).map(data).collect();
    let results = Interpreter::new(&ctx, &body).call("f", &inputs).map_err(|failure| failure.message.clone())?;
    names(&ctx, &body, seen);
    let found = results[0].as_opaque::<TensorValue>().expect("a tensor");
    compare(&ctx, found, &case.expected, case.ulps)
}

fn names(ctx: &Context, body: &Body, seen: &mut BTreeSet<String>) {
    for op in body.walk() {
        seen.insert(OpRef::new(ctx, body, op).name().to_string());
        if let Some(inner) = body.nested(op) {
            names(ctx, inner, seen);
        }
    }
}

fn compare(ctx: &Context, found: &TensorValue, expected: &Tensor, ulps: u64) -> Result<(), String> {
    let elem = found.elem();
    let (shape, name) = (found.shape(), elem.display(ctx).to_string());
    if shape != expected.shape || name != expected.elem {
        return Err(format!("it is of the sizes {shape:?} and type {name}, not {}", expected.ty()));
    }
    let differs = |at: usize, is: String, wanted: String| Err(format!("element {at} is {is}, not {wanted}"));
    if let Some(kind) = elem.float_kind(ctx) {
        for (at, (is, wanted)) in found.to_f64s().into_iter().zip(expected.floats()).enumerate() {
            let near = ulps > 0 && place(is, kind).abs_diff(place(wanted, kind)) <= ulps;
            if !(is.is_nan() && wanted.is_nan() || is.to_bits() == wanted.to_bits() || near) {
                return differs(at, format!("{is:?}"), format!("{wanted:?}"));
            }
        }
    } else {
        for (at, (is, wanted)) in found.to_i64s().into_iter().zip(expected.integers()).enumerate() {
            if is != wanted {
                return differs(at, is.to_string(), wanted.to_string());
            }
        }
    }
    Ok(())
}

/// The place of a number in the order of all numbers of its type: neighbours are one apart.
fn place(value: f64, kind: FloatKind) -> i64 {
    let (bits, sign) = (float::encode(value.abs(), kind) as i64, value.is_sign_negative());
    if sign { -bits } else { bits }
}

#[test]
fn every_op_gives_what_numpy_gives() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/tiny/Inputs/ops.json");
    let text = std::fs::read_to_string(path).expect("the cases can be read");
    let golden: Golden = serde_json::from_str(&text).expect("the cases are as make.py writes them");
    let mut seen = BTreeSet::new();
    let mut failures = Vec::new();
    for case in &golden.cases {
        let result = catch_unwind(AssertUnwindSafe(|| run(case, &golden.tensors, &mut seen)));
        if let Err(why) = result.unwrap_or_else(|_| Err("it panicked, see above".into())) {
            failures.push(format!("{}: {why}", case.name));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), golden.cases.len(), failures.join("\n"));
    let missing: Vec<&str> =
        dlc_tiny::DIALECT.ops.iter().map(|op| op.name).filter(|&name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "no case has {missing:?}");
    println!("{} cases", golden.cases.len());
}
