// RUN: dlc-opt %s --stream-extrema | snapshot %s
// RUN: dlc-opt %s --stream-extrema --evaluate-each --no-output
// RUN: dlc-opt %s --stream-extrema -o %t.once
// RUN: dlc-opt %t.once --stream-extrema | cmp %t.once -
// RUN: dlc-opt %s --stream-extrema --remarks=passed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --stream-extrema --debug-counter=stream-extrema/stream=all | FileCheck %s --check-prefix=NONE
// NONE-NOT: combine

// The argmax as PyTorch has it: the first position of the maximum, or of what is no number.
// REMARK: one pass over (n) instead of 2: a maximum, and what is combined where it is reached
region.func @argmax<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], i32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %none = const 2147483647 : i32 over ()
  %y = reduce min (n: N) acc i32 init 2147483647 {
    %is = binary eq %x, %max : i1 over (m, n)
    %nan = binary ne %x, %x : i1 over (m, n)
    %or = binary or %is, %nan : i1 over (m, n)
    %n = index (n) : i32 over (n)
    %at = select %or, %n, %none : i32 over (m, n)
    yield %at
  } : i32 over (m)
  yield %y to Y
}

// A minimum in f16, the number of elements that have it, and the sum of what is next to them: all of it in one reduction, and
// the minimum is a result, too.
// REMARK: one pass over (n) instead of 3: a minimum, and what is combined where it is reached
region.func @ties<M, N> iters (m: M)
    ins (%X: memref<[M, N], f16, row_major, align 2>, %W: memref<[M, N], f32, row_major, align 4>)
    outs (L: memref<[M], f16, row_major, align 2> materialize gmem, C: memref<[M], i32, row_major, align 4> materialize gmem,
          S: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f16 over (m, n)
  %least = reduce min (n: N) acc f16 init inf { yield %x } : f16 over (m)
  %count = reduce sum (n: N) acc i32 init 0 {
    %is = binary eq %least, %x : i1 over (m, n)
    %one = const 1 : i32 over ()
    %zero = const 0 : i32 over ()
    %at = select %is, %one, %zero : i32 over (m, n)
    yield %at
  } : i32 over (m)
  %sum = reduce sum (n: N) acc f32 init 0.0 {
    %is = binary eq %x, %least : i1 over (m, n)
    %w = read %W[m, n] : f32 over (m, n)
    %zero = const 0.0 : f32 over ()
    %at = select %is, %w, %zero : f32 over (m, n)
    yield %at
  } : f32 over (m)
  yield %least to L, %count to C, %sum to S
}

// EXPECT:
// module {
//   region.func @argmax<M, N> iters (m: M)
//     ins (%X: memref<[M, N], f32, row_major, align 4>)
//     outs (Y: memref<[M], i32, row_major, align 4> materialize gmem) {
//     %x = read %X[m, n] : f32 over (m, n)
//     %max, %y = reduce (n: N) acc (f32, i32) init (-inf, 2147483647) {
//       %n = index (n) : i32 over (n)
//       yield %x, %n
//     } combine (%max0: f32 over (m), %y0: i32 over (m), %max1: f32 over (m), %y1: i32 over (m)) {
//       %top = binary max %max0, %max1 : f32 over (m)
//       %none = const 2147483647 : i32 over ()
//       %equal0 = binary eq %max0, %top : i1 over (m)
//       %nan0 = binary ne %max0, %max0 : i1 over (m)
//       %reaches0 = binary or %equal0, %nan0 : i1 over (m)
//       %kept0 = select %reaches0, %y0, %none : i32 over (m)
//       %equal1 = binary eq %max1, %top : i1 over (m)
//       %nan1 = binary ne %max1, %max1 : i1 over (m)
//       %reaches1 = binary or %equal1, %nan1 : i1 over (m)
//       %kept1 = select %reaches1, %y1, %none : i32 over (m)
//       %both = binary min %kept0, %kept1 : i32 over (m)
//       yield %top, %both
//     } : f32 over (m), i32 over (m)
//     yield %y to Y
//   }
//   region.func @ties<M, N> iters (m: M)
//     ins (%X: memref<[M, N], f16, row_major, align 2>, %W: memref<[M, N], f32, row_major, align 4>)
//     outs (L: memref<[M], f16, row_major, align 2> materialize gmem, C: memref<[M], i32, row_major, align 4> materialize gmem, S: memref<[M], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[m, n] : f16 over (m, n)
//     %least, %count, %sum = reduce (n: N) acc (f16, i32, f32) init (inf, 0, 0.0) {
//       %one = const 1 : i32 over ()
//       %w = read %W[m, n] : f32 over (m, n)
//       yield %x, %one, %w
//     } combine (%least0: f16 over (m), %count0: i32 over (m), %sum0: f32 over (m), %least1: f16 over (m), %count1: i32 over (m), %sum1: f32 over (m)) {
//       %top = binary min %least0, %least1 : f16 over (m)
//       %none = const 0 : i32 over ()
//       %equal0 = binary eq %least0, %top : i1 over (m)
//       %kept0 = select %equal0, %count0, %none : i32 over (m)
//       %equal1 = binary eq %least1, %top : i1 over (m)
//       %kept1 = select %equal1, %count1, %none : i32 over (m)
//       %both = binary add %kept0, %kept1 : i32 over (m)
//       %none_0 = const 0.0 : f32 over ()
//       %kept0_0 = select %equal0, %sum0, %none_0 : f32 over (m)
//       %kept1_0 = select %equal1, %sum1, %none_0 : f32 over (m)
//       %both_0 = binary add %kept0_0, %kept1_0 : f32 over (m)
//       yield %top, %both, %both_0
//     } : f16 over (m), i32 over (m), f32 over (m)
//     yield %least to L, %count to C, %sum to S
//   }
// }
