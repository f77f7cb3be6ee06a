//! Tests of what text tests cannot see: running kernels.

use std::time::{Duration, Instant};

use dlc_core::tensor::TensorValue;
use dlc_ir::diag::Diagnostics;
use dlc_ir::interp::{Datum, Interpreter};
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_body};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context, Type};

fn context() -> Context {
    Context::new([&crate::DIALECT, &dlc_core::DIALECT])
}

fn parse(ctx: &Context, text: &str) -> Body {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.into()).expect("the text is short");
    let parsed = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags);
    let body = parsed.ok().filter(|body| verify(ctx, body, &diags));
    body.unwrap_or_else(|| panic!("{:?}", diags.take().into_iter().map(|d| d.message).collect::<Vec<_>>()))
}

fn floats(shape: &[usize], values: &[f64]) -> Datum {
    let value = TensorValue::from_f64(&context(), shape.to_vec(), Type::F32, values.to_vec());
    Datum::opaque(value.expect("as many as the shape says"))
}

fn integers(shape: &[usize], values: &[i64]) -> Datum {
    let value = TensorValue::from_i64(&context(), shape.to_vec(), Type::I32, values.to_vec());
    Datum::opaque(value.expect("as many as the shape says"))
}

/// The results of `@f` of a text, each as its numbers.
fn run(text: &str, args: &[Datum]) -> Vec<Vec<f64>> {
    let ctx = context();
    let body = parse(&ctx, text);
    let results = Interpreter::new(&ctx, &body).call("f", args).unwrap_or_else(|error| panic!("{}", error.message));
    let number = |datum: &Datum| datum.as_float().or(datum.as_int().map(|value| value as f64)).expect("a number");
    let numbers =
        |datum: &Datum| datum.as_opaque::<TensorValue>().map(|value| value.elements().iter().map(number).collect());
    results.iter().map(|result| numbers(result).expect("a tensor")).collect()
}

/// What lines give as `%y`, over (m, n), at every point of the elements 1 to 6 of `%X: memref<[2, 3], f32>`, read as
/// `%x`.
fn lines(lines: &str, elem: &str) -> Vec<f64> {
    let text = format!(
        "region.func @f<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], {elem}> \
         materialize gmem) {{\n  %x = read %X[m, n] : f32 over (m, n)\n{lines}\n  yield %y to Y\n}}"
    );
    run(&text, &[floats(&[2, 3], &[1., 2., 3., 4., 5., 6.])]).remove(0)
}

#[test]
fn ops_without_memory_compute_at_each_point() {
    assert_eq!(lines("%y = unary neg %x : f32 over (m, n)", "f32"), [-1., -2., -3., -4., -5., -6.]);
    assert_eq!(lines("%y = binary mul %x, %x : f32 over (m, n)", "f32"), [1., 4., 9., 16., 25., 36.]);
    assert_eq!(lines("%y = index (10*m + n floordiv 2) : i32 over (m, n)", "i32"), [0., 0., 1., 10., 10., 11.]);
    let const_ = "%c = const 0.5 : f32 over ()\n%y = binary add %x, %c : f32 over (m, n)";
    assert_eq!(lines(const_, "f32"), [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
    let cast = "%c = const 0.4 : f32 over ()\n%b = binary add %x, %c : f32 over (m, n)\n%y = cast %b : i8 over (m, n)";
    assert_eq!(lines(cast, "i8"), [1., 2., 3., 4., 5., 6.]);
    let bits = "%y = cast bits %x : i32 over (m, n)";
    assert_eq!(lines(bits, "i32")[0], f64::from(1f32.to_bits()));
    let by_point =
        "%c = const 0.0 : f32 over ()\n%y = select where (m == 1, n < 2) or (n == 0) then %x else %c : f32 over (m, n)";
    assert_eq!(lines(by_point, "f32"), [1., 0., 0., 4., 5., 0.]);
    let by_value = "%c = const 3.0 : f32 over ()\n%l = binary lt %x, %c : i1 over (m, n)\n%y = select %l, %x, %c : f32 over (m, n)";
    assert_eq!(lines(by_value, "f32"), [1., 2., 3., 3., 3., 3.]);
}

#[test]
fn values_over_fewer_axes_are_at_the_same_point() {
    let implicit =
        "%i = index (n) : i32 over (n)\n%f = cast %i : f32 over (n)\n%y = binary add %x, %f : f32 over (m, n)";
    assert_eq!(lines(implicit, "f32"), [1., 3., 5., 4., 6., 8.]);
    let explicit = "%i = index (n) : i32 over (n)\n%f = cast %i : f32 over (n)\n\
                    %b = broadcast_in_dim %f to [M, N] dims [1] : f32 over (m, n)\n%y = binary add %x, %b : f32 over (m, n)";
    assert_eq!(lines(explicit, "f32"), [1., 3., 5., 4., 6., 8.]);
    let turned = "%t = transpose %x by [1, 0] : f32 over (n, m)\n%i = index (m) : i32 over (m)\n%f = cast %i : f32 over (m)\n\
                  %s = binary add %t, %f : f32 over (n, m)\n%y = transpose %s by [1, 0] : f32 over (m, n)";
    assert_eq!(lines(turned, "f32"), [1., 2., 3., 5., 6., 7.]);
}

#[test]
fn guards_and_positions_that_are_values_keep_within_memory() {
    let shifted = "%y = read %X[m, n - 1] where (0 <= n - 1 < N) else 9.0 : f32 over (m, n)";
    assert_eq!(lines(shifted, "f32"), [9., 1., 2., 9., 4., 5.]);
    let zero = "%y = read %X[m, n + 1] where (n + 1 < N) : f32 over (m, n)";
    assert_eq!(lines(zero, "f32"), [2., 3., 0., 5., 6., 0.]);
    // From -1 to 3: the first and the last are none of the axis.
    let value = "%i = index (2*n - 1) : i32 over (n)\n%y = read %X[m, %i] : f32 over (m, n)";
    assert_eq!(lines(value, "f32"), [0., 2., 0., 0., 5., 0.]);
    let fill = "%i = index (2*n - 1) : i32 over (n)\n%y = read %X[m, %i] else 7.0 : f32 over (m, n)";
    assert_eq!(lines(fill, "f32"), [7., 2., 7., 7., 5., 7.]);
    let both = "%i = index (2*n - 1) : i32 over (n)\n%y = read %X[m, %i] where (m == 1) else 7.0 : f32 over (m, n)";
    assert_eq!(lines(both, "f32"), [7., 7., 7., 7., 5., 7.]);
}

/// A kernel over (m) of `%X: memref<[M, N], f32>`, whose results are what `lines` call `%a` and `%b`.
fn rows(lines: &str, shape: [usize; 2], values: &[f64]) -> [Vec<f64>; 2] {
    let text = format!(
        "region.func @f<M, N> iters (m: M) ins (%X: memref<[M, N], f32>) outs (A: memref<[M], f32> materialize gmem, \
         B: memref<[M], f32> materialize deferred) {{\n  %x = read %X[m, n] : f32 over (m, n)\n{lines}\n  yield %a to A, %b to B\n}}"
    );
    run(&text, &[floats(&shape, values)]).try_into().expect("two results")
}

/// The largest element, and the sum of powers of two of the differences to it.
const STREAM: &str = "
  %one = const 1.0 : f32 over ()
  %a, %b = reduce (n: N) acc (f32, f32) init (-inf, 0.0) {
    yield %x, %one
  } combine (%ma: f32 over (m), %la: f32 over (m), %mb: f32 over (m), %lb: f32 over (m)) {
    %t = binary max %ma, %mb : f32 over (m)
    %da = binary sub %ma, %t : f32 over (m)
    %db = binary sub %mb, %t : f32 over (m)
    %fa = unary exp2 %da : f32 over (m)
    %fb = unary exp2 %db : f32 over (m)
    %sa = binary mul %la, %fa : f32 over (m)
    %sb = binary mul %lb, %fb : f32 over (m)
    %l = binary add %sa, %sb : f32 over (m)
    yield %t, %l
  } : f32 over (m), f32 over (m)";

const TWO_SUMS: &str = "
  %a, %b = reduce sum (n: N) acc (f32, f32) init (0.0, 0.0) {
    %q = binary mul %x, %x widen : f32 over (m, n)
    yield %x, %q
  } : f32 over (m), f32 over (m)";

#[test]
fn several_accumulators_go_through_one_reduction() {
    let values = [1., 3., 2., 4., 4., 4.];
    assert_eq!(rows(TWO_SUMS, [2, 3], &values), [vec![6., 12.], vec![14., 48.]]);
    assert_eq!(rows(STREAM, [2, 3], &values), [vec![3., 4.], vec![1.75, 3.]]);
}

#[test]
fn axes_may_have_one_point_or_none() {
    assert_eq!(rows(TWO_SUMS, [2, 1], &[3., 4.]), [vec![3., 4.], vec![9., 16.]]);
    assert_eq!(rows(TWO_SUMS, [2, 0], &[]), [vec![0., 0.], vec![0., 0.]]);
    assert_eq!(rows(TWO_SUMS, [0, 3], &[]), [const { Vec::<f64>::new() }; 2]);
    assert_eq!(rows(STREAM, [1, 0], &[]), [vec![f64::NEG_INFINITY], vec![0.]]);
    assert_eq!(rows(STREAM, [0, 2], &[]), [const { Vec::<f64>::new() }; 2]);
    let extremes = "%a = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
                    %b = reduce prod (n: N) acc f32 init 1.0 { yield %x } : f32 over (m)";
    assert_eq!(rows(extremes, [1, 0], &[]), [vec![f64::NEG_INFINITY], vec![1.]]);
    assert_eq!(rows(extremes, [1, 3], &[2., 5., 3.]), [vec![5.], vec![30.]]);
}

#[test]
fn an_axis_of_the_result_may_be_reduced() {
    let softmax = "
      %top = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
      %d = binary sub %x, %top : f32 over (m, n)
      %e = unary exp2 %d : f32 over (m, n)
      %s = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
      %y = binary fdiv %e, %s : f32 over (m, n)";
    let row = [1. / 7., 2. / 7., 4. / 7.].map(|value| f64::from(value as f32));
    assert_eq!(lines(softmax, "f32"), [row, row].concat());
}

#[test]
fn what_does_not_depend_on_an_axis_counts_at_each_of_its_points() {
    let text = "%c = const 2.0 : f32 over ()
                %t = reduce sum (n: N) acc f32 init 0.0 { yield %c } : f32 over ()
                %i = index (m) : i32 over (m)
                %j = cast %i : f32 over (m)
                %p = reduce sum (n: N) acc f32 init 0.0 {
                  %q = binary mul %j, %c widen : f32 over (m)
                  yield %q
                } : f32 over (m)
                %a = binary add %p, %t : f32 over (m)
                %b = unary neg %a : f32 over (m)";
    assert_eq!(rows(text, [2, 3], &[0.; 6]), [vec![6., 12.], vec![-6., -12.]]);
}

/// A product whose factors are rounded to `f16` each time, and one that is not.
#[test]
fn only_with_widen_products_are_not_rounded() {
    let kernel = |widen: &str, elem: &str| {
        format!(
            "region.func @f<K> iters () ins (%X: memref<[K], f32>) outs (Y: memref<[], f32> materialize gmem) {{
               %x = read %X[k] : f32 over (k)
               %h = cast %x : f16 over (k)
               %s = reduce sum (k: K) acc f32 init 0.0 {{ %p = binary mul %h, %h {widen} : {elem} over (k)  yield %p }} : f32 over ()
               yield %s to Y
             }}"
        )
    };
    let x = 1. + 1. / 1024.;
    let args = [floats(&[2], &[x, x])];
    assert_eq!(run(&kernel("widen", "f32"), &args)[0][0], f64::from((2. * x * x) as f32));
    assert_eq!(run(&kernel("", "f16"), &args)[0][0], 2. * (1. + 2. / 1024.));
}

#[test]
fn where_elements_lie_changes_no_number() {
    let kernel = |layout: &str| {
        format!(
            "region.func @f<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32, {layout}>) outs (Y: memref<[N], f32, {layout}> \
             materialize gmem) {{\n %x = read %X[m, n] : f32 over (m, n)\n %s = reduce sum (m: M) acc f32 init 0.0 {{ yield %x }} : f32 over (n)\n yield %s to Y }}"
        )
    };
    for layout in ["row_major", "col_major", "swizzled 64"] {
        assert_eq!(run(&kernel(layout), &[floats(&[2, 2], &[1., 2., 3., 4.])]), [[4., 6.]], "{layout}");
    }
}

#[test]
fn embeddings_read_rows_by_value() {
    let text = "region.func @f<M, V, D> iters (m: M, d: D) ins (%E: memref<[V, D], f32>, %id: memref<[M], i32>) outs (Y: memref<[M, D], f32> materialize gmem) {
      %i = read %id[m] : i32 over (m)
      %e = read %E[%i, d] else -1.0 : f32 over (m, d)
      yield %e to Y
    }";
    let args = [floats(&[2, 2], &[1., 2., 3., 4.]), integers(&[4], &[1, -1, 2, 0])];
    assert_eq!(run(text, &args), [[3., 4., -1., -1., -1., -1., 1., 2.]]);
}

const GEMM: &str = "region.func @f<M, N, K> iters (m: M, n: N) ins (%X: memref<[M, K], f32>, %W: memref<[K, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f32 over (m, k)
    %b = read %W[k, n] : f32 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %acc to Y
}";

/// 256 * 256 * 256 products would fill 128 MiB if they were in memory; and thousands of points go one after another
/// through a combiner.
#[test]
fn contractions_and_combiners_take_no_time() {
    let start = Instant::now();
    let ones = vec![1.; 256 * 256];
    let args = [floats(&[256, 256], &ones), floats(&[256, 256], &ones)];
    assert_eq!(run(GEMM, &args)[0], vec![256.; 256 * 256]);
    let values: Vec<f64> = (0..4096).map(|value| f64::from(value % 7)).collect();
    assert_eq!(rows(STREAM, [1, 4096], &values)[0], [6.]);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn text_prints_as_it_is_read() {
    let ctx = context();
    let body = parse(&ctx, GEMM);
    let print = |body: &Body, generic| {
        let mut text = String::new();
        print_body(&ctx, body, PrintOptions { generic, ..PrintOptions::default() }, &mut |piece| text.push_str(piece));
        text
    };
    let (custom, generic) = (print(&body, false), print(&body, true));
    assert_eq!(print(&parse(&ctx, &custom), false), custom);
    assert_eq!(print(&parse(&ctx, &generic), false), custom);
}
