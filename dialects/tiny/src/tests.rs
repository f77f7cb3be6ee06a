//! Tests of what text tests cannot see: running programs, and constructors.

use dlc_core::tensor::TensorValue;
use dlc_ir::diag::Diagnostics;
use dlc_ir::interp::{Datum, Interpreter};
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_body};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context, Type};

fn context() -> Context {
    Context::new([&crate::DIALECT, &dlc_core::DIALECT])
}

fn parse(ctx: &Context, text: &str) -> Result<Body, Vec<String>> {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.into()).expect("the text is short");
    let parsed = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags);
    let body = parsed.ok().filter(|body| verify(ctx, body, &diags));
    let messages = diags.take();
    body.ok_or_else(|| messages.into_iter().map(|d| d.message).collect())
}

fn print(ctx: &Context, body: &Body, generic: bool) -> String {
    let mut text = String::new();
    print_body(ctx, body, PrintOptions { generic, ..PrintOptions::default() }, &mut |piece| text.push_str(piece));
    text
}

fn floats(shape: &[usize], elem: Type, values: &[f64]) -> Datum {
    let value = TensorValue::from_f64(&context(), shape.to_vec(), elem, values.to_vec());
    Datum::opaque(value.expect("as many as the shape says"))
}

/// The only result of `@f` of a text.
fn run(text: &str, args: &[Datum]) -> Result<TensorValue, String> {
    let ctx = context();
    let body = parse(&ctx, text).unwrap_or_else(|messages| panic!("{messages:?}"));
    let results = Interpreter::new(&ctx, &body).call("f", args).map_err(|error| error.message.clone())?;
    Ok(results[0].as_opaque::<TensorValue>().expect("a tensor").clone())
}

/// The elements of the result of one line over `%x: tensor<[M, N], f32>` with the elements 1 to 6.
fn line(line: &str, result: &str) -> Result<Vec<f64>, String> {
    let text = format!("tiny.func @f<M, N>(%x: tensor<[M, N], f32>) -> {result} {{\n  %y = {line}\n  return %y\n}}");
    let value = run(&text, &[floats(&[2, 3], Type::F32, &[1., 2., 3., 4., 5., 6.])])?;
    Ok(value.elements().iter().filter_map(Datum::as_float).collect())
}

const GEMM: &str = "module {
  tiny.func @f<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
    %x1 = reshape %X to [M, 1, K] : tensor<[M, 1, K], f16>
    %w1 = reshape %W to [1, K, N] : tensor<[1, K, N], f16>
    %w2 = permute %w1 by [0, 2, 1] : tensor<[1, N, K], f16>
    %p = mul %x1, %w2 : tensor<[M, N, K], f16>
    %s = reduce sum %p over [2] acc f32 : tensor<[M, N], f32>
    %b1 = reshape %bias to [1, N] : tensor<[1, N], f16>
    %sb = add %s, %b1 : tensor<[M, N], f32>
    %r = relu %sb : tensor<[M, N], f32>
    %y = cast %r to f16 : tensor<[M, N], f16>
    return %y
  }
}
";

/// The program of the design, as it stands there.
#[test]
fn gemm_bias_relu_reads_and_prints_as_it_is_written() {
    let ctx = context();
    let body = parse(&ctx, GEMM).unwrap_or_else(|messages| panic!("{messages:?}"));
    assert_eq!(print(&ctx, &body, false), GEMM);
    let generic = print(&ctx, &body, true);
    let again = parse(&ctx, &generic).unwrap_or_else(|messages| panic!("{messages:?}"));
    assert_eq!(print(&ctx, &again, false), GEMM);
    // The types of results may be left out.
    let shortened =
        |line: &str| if line.contains(" = ") { line.split(" : ").next() } else { Some(line) }.map(str::to_string);
    let short: Vec<String> = GEMM.lines().filter_map(shortened).collect();
    let short = parse(&ctx, &short.join("\n")).unwrap_or_else(|messages| panic!("{messages:?}"));
    assert_eq!(print(&ctx, &short, false), GEMM);
}

#[test]
fn gemm_bias_relu_runs() {
    let x = floats(&[2, 3], Type::F16, &[1., 2., 3., -1., 0., 1.]);
    let w = floats(&[3, 2], Type::F16, &[1., 0., 2., 1., 0., 4.]);
    let bias = floats(&[2], Type::F16, &[-6., 0.5]);
    let y = run(GEMM, &[x, w, bias]).expect("it runs");
    assert_eq!((y.shape(), y.elem()), (&[2, 2][..], Type::F16));
    // [1 2 3; -1 0 1] * [1 0; 2 1; 0 4] = [5 14; -1 4]
    assert_eq!(y.elements(), [0.0.into(), 14.5.into(), 0.0.into(), 4.5.into()]);
}

#[test]
fn views_move_elements() {
    assert_eq!(line("permute %x by [1, 0]", "tensor<[N, M], f32>"), Ok(vec![1., 4., 2., 5., 3., 6.]));
    assert_eq!(line("reshape %x to [N*M]", "tensor<[M*N], f32>"), Ok(vec![1., 2., 3., 4., 5., 6.]));
    let expand = "reshape %x to [M, N, 1]\n  %z = expand %y to [M, N, 2]";
    let text = format!(
        "tiny.func @f<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N, 2], f32> {{\n  %y = {expand}\n  return %z\n}}"
    );
    let value = run(&text, &[floats(&[1, 2], Type::F32, &[1., 2.])]).expect("it runs");
    assert_eq!(value.elements(), [1.0.into(), 1.0.into(), 2.0.into(), 2.0.into()]);
}

#[test]
fn reductions_take_axes_out() {
    assert_eq!(line("reduce sum %x over [0]", "tensor<[N], f32>"), Ok(vec![5., 7., 9.]));
    assert_eq!(line("reduce prod %x over [1]", "tensor<[M], f32>"), Ok(vec![6., 120.]));
    assert_eq!(line("reduce max %x over [0, 1]", "tensor<[], f32>"), Ok(vec![6.]));
    assert_eq!(line("reduce min %x over [1]", "tensor<[M], f32>"), Ok(vec![1., 4.]));
    assert_eq!(line("reduce sum %x over []", "tensor<[M, N], f32>"), Ok(vec![1., 2., 3., 4., 5., 6.]));
    let empty =
        "tiny.func @f<M>(%x: tensor<[M], f32>) -> tensor<[], f32> {\n  %y = reduce max %x over [0]\n  return %y\n}";
    let value = run(empty, &[floats(&[0], Type::F32, &[])]).expect("it runs");
    assert_eq!(value.elements(), [f64::NEG_INFINITY.into()]);
}

/// A sum rounds once, at the end: 2048 + 1 + 1 is exact in f16 though 2049 is not.
#[test]
fn reductions_round_once() {
    let sum = |acc: &str| {
        let text = format!(
            "tiny.func @f<K>(%x: tensor<[K], f16>) -> tensor<[], {acc}> {{\n  %y = reduce sum %x over [0] acc {acc}\n  \
             return %y\n}}"
        );
        run(&text, &[floats(&[3], Type::F16, &[2048., 1., 1.])]).expect("it runs").elements()[0].as_float()
    };
    assert_eq!(sum("f16"), Some(2050.0));
    assert_eq!(sum("f32"), Some(2050.0));
}

#[test]
fn numbers_that_are_none_are_kept() {
    let text = "tiny.func @f<K>(%x: tensor<[K], f32>) -> tensor<[K], f32> {\n  %c = const -0.5 : tensor<[1], f32>\n  \
                %y = max %x, %c\n  %z = relu %y\n  return %z\n}";
    let value = run(text, &[floats(&[3], Type::F32, &[f64::NAN, -1., 2.])]).expect("it runs");
    let values: Vec<f64> = value.elements().iter().filter_map(Datum::as_float).collect();
    assert!(values[0].is_nan());
    assert_eq!(values[1..], [0., 2.]);
}

#[test]
fn integers_and_casts_wrap() {
    let text = "tiny.func @f<K>(%x: tensor<[K], f32>) -> tensor<[K], i8> {\n  %y = cast %x to i8\n  \
                %c = const 100 : tensor<[], i8>\n  %z = add %y, %c\n  return %z\n}";
    let value = run(text, &[floats(&[2], Type::F32, &[100., -3.9])]).expect("it runs");
    assert_eq!(value.elements(), [Datum::Int(-56), Datum::Int(97)]);
    // 1000 is -24 in 8 bits.
    let value = run(text, &[floats(&[1], Type::F32, &[1000.])]).expect("it runs");
    assert_eq!(value.elements(), [Datum::Int(76)]);
}

#[test]
fn sizes_are_checked_when_they_are_bound() {
    let text = "tiny.func @f<M>(%x: tensor<[M], f32>, %y: tensor<[M], f32>) -> tensor<[M], f32> {\n  \
                %z = add %x, %y\n  return %z\n}";
    let (two, three) = (floats(&[2], Type::F32, &[1., 2.]), floats(&[3], Type::F32, &[1., 2., 3.]));
    let error = run(text, &[two, three]).expect_err("the sizes differ");
    assert_eq!(error, "the size M is 2, but 3 is given");
}
