// A buffer between kernels ends with an axis of the tiles of the product that fills it, and not with a batch axis.

// RUN: dlc-opt %s --order-buffers --split-input-file | snapshot %s
// RUN: dlc-opt %s --order-buffers --split-input-file --remarks=passed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: the 2 positions of 'b' are before those of 'n' in the buffer: tiles have one of them
// The example of the pass: a reader of both axes as one.
host.func @f(%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>) -> memref<[64, 63], f32, row_major, align 128> {
  %0 = launch @f_0 (%a, %b) : memref<[64, 32, 2], f32, row_major, align 128>
  %1 = view %0 : memref<[64, 64], f32, row_major, align 128>
  %y = launch @f_1 (%1) : memref<[64, 63], f32, row_major, align 128>
  return %y
}
region.func private @f_0 iters (m: 64, n: 32, b: 2)
  ins (%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>)
  outs (y: memref<[64, 32, 2], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (k: 8) acc f32 init 0.0 {
    %0 = read %a[m, k, b] : f32 over (m, b, k)
    %1 = read %b[k, n, b] : f32 over (n, b, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, b, k)
    yield %2
  } : f32 over (m, n, b)
  yield %y to y
}
region.func private @f_1 iters (m: 64, x: 63) ins (%v: memref<[64, 64], f32, row_major, align 128>) outs (y: memref<[64, 63], f32, row_major, align 128> materialize gmem) {
  %0 = read %v[m, x] : f32 over (m, x)
  %y = unary exp2 %0 : f32 over (m, x)
  yield %y to y
}

// EXPECT:
// module {
//   host.func @f(%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>) -> memref<[64, 63], f32, row_major, align 128> {
//     %0 = launch @f_0 (%a, %b) : memref<[64, 2, 32], f32, row_major, align 128>
//     %1 = view %0 : memref<[64, 2, 32], f32, row_major, align 128>
//     %y = launch @f_1 (%1) : memref<[64, 63], f32, row_major, align 128>
//     return %y
//   }
//   region.func private @f_0 iters (m: 64, b: 2, n: 32)
//     ins (%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>)
//     outs (y: memref<[64, 2, 32], f32, row_major, align 128> materialize gmem) {
//     %y = reduce sum (k: 8) acc f32 init 0.0 {
//       %0 = read %a[m, k, b] : f32 over (m, b, k)
//       %1 = read %b[k, n, b] : f32 over (b, n, k)
//       %2 = binary mul %0, %1 widen : f32 over (m, b, n, k)
//       yield %2
//     } : f32 over (m, b, n)
//     yield %y to y
//   }
//   region.func private @f_1 iters (m: 64, x: 63)
//     ins (%v: memref<[64, 2, 32], f32, row_major, align 128>)
//     outs (y: memref<[64, 63], f32, row_major, align 128> materialize gmem) {
//     %0 = read %v[m, x mod 2, x floordiv 2] : f32 over (m, x)
//     %y = unary exp2 %0 : f32 over (m, x)
//     yield %y to y
//   }
// }

// -----

// A reader with both axes, and an epilogue with broadcasts; numbers are as before.
host.func @epilogue(%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>, %c: memref<[64], f32, row_major, align 128>) -> memref<[64, 32, 2], f32, row_major, align 128> {
  %0 = launch @epilogue_0 (%a, %b, %c) : memref<[64, 32, 2], f32, row_major, align 128>
  %y = launch @epilogue_1 (%0) : memref<[64, 32, 2], f32, row_major, align 128>
  return %y
}
region.func private @epilogue_0 iters (m: 64, n: 32, b: 2)
  ins (%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>, %c: memref<[64], f32, row_major, align 128>)
  outs (y: memref<[64, 32, 2], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 8) acc f32 init 0.0 {
    %0 = read %a[m, k, b] : f32 over (m, b, k)
    %1 = read %b[k, n, b] : f32 over (n, b, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, b, k)
    yield %2
  } : f32 over (m, n, b)
  %3 = read %c[m] : f32 over (m)
  %4 = broadcast_in_dim %3 to [64, 32, 2] dims [0] : f32 over (m, n, b)
  %y = binary add %s, %4 : f32 over (m, n, b)
  yield %y to y
}
region.func private @epilogue_1 iters (m: 64, n: 32, b: 2) ins (%v: memref<[64, 32, 2], f32, row_major, align 128>) outs (y: memref<[64, 32, 2], f32, row_major, align 128> materialize gmem) {
  %0 = read %v[m, n, b] : f32 over (m, n, b)
  %y = unary exp2 %0 : f32 over (m, n, b)
  yield %y to y
}

// EXPECT:
// module {
//   host.func @epilogue(%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>, %c: memref<[64], f32, row_major, align 128>) -> memref<[64, 32, 2], f32, row_major, align 128> {
//     %0 = launch @epilogue_0 (%a, %b, %c) : memref<[64, 2, 32], f32, row_major, align 128>
//     %y = launch @epilogue_1 (%0) : memref<[64, 32, 2], f32, row_major, align 128>
//     return %y
//   }
//   region.func private @epilogue_0 iters (m: 64, b: 2, n: 32)
//     ins (%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>, %c: memref<[64], f32, row_major, align 128>)
//     outs (y: memref<[64, 2, 32], f32, row_major, align 128> materialize gmem) {
//     %s = reduce sum (k: 8) acc f32 init 0.0 {
//       %0 = read %a[m, k, b] : f32 over (m, b, k)
//       %1 = read %b[k, n, b] : f32 over (b, n, k)
//       %2 = binary mul %0, %1 widen : f32 over (m, b, n, k)
//       yield %2
//     } : f32 over (m, b, n)
//     %3 = read %c[m] : f32 over (m)
//     %4 = broadcast_in_dim %3 to [64, 2, 32] dims [0] : f32 over (m, b, n)
//     %y = binary add %s, %4 : f32 over (m, b, n)
//     yield %y to y
//   }
//   region.func private @epilogue_1 iters (m: 64, n: 32, b: 2)
//     ins (%v: memref<[64, 2, 32], f32, row_major, align 128>)
//     outs (y: memref<[64, 32, 2], f32, row_major, align 128> materialize gmem) {
//     %0 = read %v[m, b, n] : f32 over (m, n, b)
//     %y = unary exp2 %0 : f32 over (m, n, b)
//     yield %y to y
//   }
// }
