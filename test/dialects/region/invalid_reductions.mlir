// One case for each rule of reductions.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

region.func @no_acc<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1303.*nothing says in which type it accumulates}}
  %s = reduce sum (n: N) init 0.0 { yield %x } : f32 over (m)
  yield %x to Y
}

// -----

region.func @no_acc_either<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1303.*nothing says in which type it accumulates}}
  %s = "region.reduce"() <{axes = ["n"], sizes = ["N"], combiner = "sum", init = [0.0 : f32], acc = []}> ({ "region.yield"(%x) : (f32 over (m, n)) -> () }, { }) : () -> f32 over (m)
  yield %x to Y
}

// -----

region.func @two_accs<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{1 results, 2 accumulators and 1 numbers do not go together}}
  %s = "region.reduce"() <{axes = ["n"], sizes = ["N"], combiner = "sum", init = [0.0 : f32], acc = [f32, f32]}> ({ "region.yield"(%x) : (f32 over (m, n)) -> () }, { }) : () -> f32 over (m)
  yield %x to Y
}

// -----

region.func @another_acc<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{accumulator 0, the number it starts with and its result must be of one type}}
  %s = "region.reduce"() <{axes = ["n"], sizes = ["N"], combiner = "sum", init = [0.0 : f32], acc = [f64]}> ({ "region.yield"(%x) : (f32 over (m, n)) -> () }, { }) : () -> f32 over (m)
  yield %x to Y
}

// -----

region.func @two_sizes<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{1 axes have 2 sizes}}
  %s = "region.reduce"() <{axes = ["n"], sizes = ["N", "N"], combiner = "sum", init = [0.0 : f32], acc = [f32]}> ({ "region.yield"(%x) : (f32 over (m, n)) -> () }, { }) : () -> f32 over (m)
  yield %x to Y
}

// -----

region.func @no_results<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{0 results, 0 accumulators and 0 numbers do not go together}}
  "region.reduce"() <{axes = ["n"], sizes = ["N"], combiner = "sum", init = [], acc = []}> ({ "region.yield"() : () -> () }, { }) : () -> ()
  yield %x to Y
}

// -----

region.func @an_axis_twice<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the axis 'n' is named twice}}
  %s = reduce sum (n: N, n: N) acc f32 init 0.0 { yield %x } : f32 over (m)
  yield %x to Y
}

// -----

region.func @another_size<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1304.*the axis 'n' has the size N elsewhere, and M here}}
  %s = reduce sum (n: M) acc f32 init 0.0 { yield %x } : f32 over (m)
  yield %x to Y
}

// -----

region.func @bound_around<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = reduce sum (n: N) acc f32 init 0.0 {
    // expected-error@+1 {{the axis 'n' is reduced by the reduction around this one}}
    %t = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
    %u = binary sub %x, %t : f32 over (m, n)
    yield %u
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @a_result_over_it<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{a result depends on the axis 'n', which is reduced}}
  %s = reduce sum (n: N) acc f32 init 0.0 { yield %x } : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @neutral_of_sum<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1305.*accumulator 0 starts with a number that changes a sum}}
  %s = reduce sum (n: N) acc f32 init 1.0 { yield %x } : f32 over (m)
  yield %x to Y
}

// -----

region.func @neutral_of_prod<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1305.*accumulator 0 starts with a number that changes a prod}}
  %s = reduce prod (n: N) acc f32 init 0.0 { yield %x } : f32 over (m)
  yield %x to Y
}

// -----

region.func @neutral_of_max<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1305.*accumulator 0 starts with a number that changes a max}}
  %s = reduce max (n: N) acc f32 init 0.0 { yield %x } : f32 over (m)
  yield %x to Y
}

// -----

region.func @neutral_of_min<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1305.*accumulator 0 starts with a number that changes a min}}
  %s = reduce min (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  yield %x to Y
}

// -----

region.func @neutral_of_integers<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %i = index (n) : i8 over (n)
  // expected-error@+1 {{accumulator 0 starts with a number that changes a max}}
  %s = reduce max (n: N) acc i8 init 0 { yield %i } : i8 over ()
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @two_contributions<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = reduce sum (n: N) acc f32 init 0.0 {
  // expected-error@+1 {{2 contributions are yielded for 1 accumulators}}
    yield %x, %x
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @an_axis_is_left<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{contribution 0 leaves the axes (m), and its result is over ()}}
  %s = reduce sum (n: N) acc f32 init 0.0 { yield %x } : f32 over ()
  yield %x to Y
}

// -----

region.func @a_narrow_acc<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{contributions of type f32 cannot be accumulated in f16, which is narrower}}
  %s = reduce sum (n: N) acc f16 init 0.0 { yield %x } : f16 over (m)
  yield %x to Y
}

// -----

region.func @no_end<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{its regions are one block each, which ends with 'yield'}}
  %s = "region.reduce"() <{axes = ["n"], sizes = ["N"], combiner = "sum", init = [0.0 : f32], acc = [f32]}> ({ }, { }) : () -> f32 over (m)
  yield %x to Y
}

// -----

region.func @arguments<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the region of contributions takes no arguments}}
  %s = "region.reduce"() <{axes = ["n"], sizes = ["N"], combiner = "sum", init = [0.0 : f32], acc = [f32]}> ({
  ^bb0(%a: f32 over (m)):
    "region.yield"(%x) : (f32 over (m, n)) -> ()
  }, { }) : () -> f32 over (m)
  yield %x to Y
}

// -----

region.func @a_name_inside<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = reduce sum (n: N) acc f32 init 0.0 {
    // expected-error@+1 {{only what a kernel yields is given a name or a type}}
    yield %x to Y
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @a_type_inside<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = reduce sum (n: N) acc f32 init 0.0 {
    // expected-error@+1 {{only what a kernel yields is given a name or a type}}
    yield %x as f16
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @nothing_combines<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{nothing says how contributions are combined}}
  %s = reduce (n: N) acc f32 init 0.0 { yield %x } : f32 over (m)
  yield %x to Y
}

// -----

region.func @both_combine<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{it is combined by a function or by a region, not by both}}
  %s = reduce sum (n: N) acc f32 init 0.0 { yield %x } combine (%a: f32 over (m), %b: f32 over (m)) {
    %c = binary add %a, %b : f32 over (m)
    yield %c
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @one_argument<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the second region takes each accumulator twice and yields each once, as the results are}}
  %s = reduce (n: N) acc f32 init 0.0 { yield %x } combine (%a: f32 over (m)) { yield %a } : f32 over (m)
  yield %x to Y
}

// -----

region.func @combine_yields_another<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the second region takes each accumulator twice and yields each once, as the results are}}
  %s = reduce (n: N) acc f32 init 0.0 { yield %x } combine (%a: f32 over (m), %b: f32 over (m)) {
    %c = binary lt %a, %b : i1 over (m)
    yield %c
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @combine_over_a_reduced_axis<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = reduce (n: N) acc f32 init 0.0 { yield %x } combine (%a: f32 over (m), %b: f32 over (m)) {
    %c = binary add %a, %b : f32 over (m)
    // expected-error-re@+1 {{E1304.*a combiner uses a value over 'n', on which no accumulator depends}}
    %d = binary add %c, %x : f32 over (m, n)
    yield %c
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @combine_over_another_axis<M, N> iters (m: M, n: N, k: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %i = index (k) : i32 over (k)
  %s = reduce (n: N) acc f32 init 0.0 { yield %x } combine (%a: f32 over (m), %b: f32 over (m)) {
    %c = binary add %a, %b : f32 over (m)
    // expected-error@+1 {{a combiner uses a value over 'k', on which no accumulator depends}}
    %j = cast %i : f32 over (k)
    yield %c
  } : f32 over (m)
  %b = broadcast_in_dim %x to [M, N, N] dims [0, 1] : f32 over (m, n, k)
  yield %b to Y
}

// -----

region.func @combine_reduces<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = reduce (n: N) acc f32 init 0.0 { yield %x } combine (%a: f32 over (m), %b: f32 over (m)) {
    // expected-error@+1 {{a combiner has no reduction in it}}
    %c = reduce sum (q: 4) acc f32 init 0.0 { yield %a } : f32 over (m)
    yield %c
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @combine_is_not_neutral<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1305.*accumulator 0 starts with a number that changes what it is combined with}}
  %s = reduce (n: N) acc f32 init 1.0 { yield %x } combine (%a: f32 over (m), %b: f32 over (m)) {
    %c = binary add %a, %b : f32 over (m)
    yield %c
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @combine_is_not_associative<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1307.*accumulator 0 depends on the order in which contributions are combined}}
  %s = reduce (n: N) acc f32 init 0.0 { yield %x } combine (%a: f32 over (m), %b: f32 over (m)) {
    %h = const 0.5 : f32 over ()
    %ab = binary mul %a, %b : f32 over (m)
    %q = binary mul %ab, %ab : f32 over (m)
    %c0 = binary add %a, %b : f32 over (m)
    %c = binary add %c0, %q : f32 over (m)
    yield %c
  } : f32 over (m)
  yield %x to Y
}

// -----

region.func @combine_escapes<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = reduce (n: N) acc f32 init 0.0 { yield %x } combine (%a: f32 over (m), %b: f32 over (m)) {
    %c = binary add %a, %b : f32 over (m)
    yield %c
  } : f32 over (m)
  // expected-error-re@+1 {{undefined|not defined|unknown}}
  %t = unary neg %c : f32 over (m)
  yield %x to Y
}
