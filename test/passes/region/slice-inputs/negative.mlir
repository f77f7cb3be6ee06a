// RUN: dlc-opt %s -o %t.mlir
// RUN: dlc-opt %t.mlir --slice-inputs | cmp %t.mlir -

// Three kernels are too few.
host.func @few(%x: memref<[3, 4], f32>) -> memref<[4], f32> {
  %a = launch @few_0 (%x) : memref<[4], f32>
  %b = launch @few_1 (%x) : memref<[4], f32>
  %c = launch @few_2 (%x) : memref<[4], f32>
  return %c
}
region.func private @few_0 iters (i: 4) ins (%x: memref<[3, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[0, i] : f32 over (i)
  yield %y to y
}
region.func private @few_1 iters (i: 4) ins (%x: memref<[3, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[1, i] : f32 over (i)
  yield %y to y
}
region.func private @few_2 iters (i: 4) ins (%x: memref<[3, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[2, i] : f32 over (i)
  yield %y to y
}

// The size of the axis is not known, the position is one of an axis, the memory has another layout, another read goes
// elsewhere, the kernel is public, or has a plan.
host.func @size<T>(%x: memref<[T, 4], f32>) -> memref<[4], f32> {
  %a = launch @size_0<T> (%x) : memref<[4], f32>
  %b = launch @size_1<T> (%x) : memref<[4], f32>
  %c = launch @size_2<T> (%x) : memref<[4], f32>
  %d = launch @size_3<T> (%x) : memref<[4], f32>
  %e = launch @size_4<T> (%x) : memref<[4], f32>
  return %e
}
region.func private @size_0<T> iters (i: 4) ins (%x: memref<[T, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[0, i] where (0 < T) : f32 over (i)
  yield %y to y
}
region.func private @size_1<T> iters (i: 4) ins (%x: memref<[T, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[1, i] where (1 < T) : f32 over (i)
  yield %y to y
}
region.func private @size_2<T> iters (i: 4) ins (%x: memref<[T, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[2, i] where (2 < T) : f32 over (i)
  yield %y to y
}
region.func private @size_3<T> iters (i: 4) ins (%x: memref<[T, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[3, i] where (3 < T) : f32 over (i)
  yield %y to y
}
region.func private @size_4<T> iters (i: 4) ins (%x: memref<[T, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[4, i] where (4 < T) : f32 over (i)
  yield %y to y
}
host.func @axis(%x: memref<[9, 4], f32>) -> memref<[4], f32> {
  %a = launch @axis_0 (%x) : memref<[4], f32>
  %b = launch @axis_1 (%x) : memref<[4], f32>
  %c = launch @axis_2 (%x) : memref<[4], f32>
  %d = launch @axis_3 (%x) : memref<[4], f32>
  %e = launch @axis_4 (%x) : memref<[4], f32>
  return %e
}
region.func private @axis_0 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[i + 0, i] : f32 over (i)
  yield %y to y
}
region.func private @axis_1 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[i + 1, i] : f32 over (i)
  yield %y to y
}
region.func private @axis_2 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[i + 2, i] : f32 over (i)
  yield %y to y
}
region.func private @axis_3 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[i + 3, i] : f32 over (i)
  yield %y to y
}
region.func private @axis_4 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[i + 4, i] : f32 over (i)
  yield %y to y
}
host.func @columns(%x: memref<[9, 4], f32, col_major>) -> memref<[4], f32> {
  %a = launch @columns_0 (%x) : memref<[4], f32>
  %b = launch @columns_1 (%x) : memref<[4], f32>
  %c = launch @columns_2 (%x) : memref<[4], f32>
  %d = launch @columns_3 (%x) : memref<[4], f32>
  %e = launch @columns_4 (%x) : memref<[4], f32>
  return %e
}
region.func private @columns_0 iters (i: 4) ins (%x: memref<[9, 4], f32, col_major>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[0, i] : f32 over (i)
  yield %y to y
}
region.func private @columns_1 iters (i: 4) ins (%x: memref<[9, 4], f32, col_major>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[1, i] : f32 over (i)
  yield %y to y
}
region.func private @columns_2 iters (i: 4) ins (%x: memref<[9, 4], f32, col_major>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[2, i] : f32 over (i)
  yield %y to y
}
region.func private @columns_3 iters (i: 4) ins (%x: memref<[9, 4], f32, col_major>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[3, i] : f32 over (i)
  yield %y to y
}
region.func private @columns_4 iters (i: 4) ins (%x: memref<[9, 4], f32, col_major>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[4, i] : f32 over (i)
  yield %y to y
}
host.func @public(%x: memref<[9, 4], f32>) -> memref<[4], f32> {
  %a = launch @public_0 (%x) : memref<[4], f32>
  %b = launch @public_1 (%x) : memref<[4], f32>
  %c = launch @public_2 (%x) : memref<[4], f32>
  %d = launch @public_3 (%x) : memref<[4], f32>
  %e = launch @public_4 (%x) : memref<[4], f32>
  return %e
}
region.func @public_0 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[0, i] : f32 over (i)
  yield %y to y
}
region.func @public_1 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[1, i] : f32 over (i)
  yield %y to y
}
region.func @public_2 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[2, i] : f32 over (i)
  yield %y to y
}
region.func @public_3 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[3, i] : f32 over (i)
  yield %y to y
}
region.func @public_4 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[4, i] : f32 over (i)
  yield %y to y
}
host.func @planned(%x: memref<[9, 4], f32>) -> memref<[4], f32> {
  %a = launch @planned_0 (%x) : memref<[4], f32>
  %b = launch @planned_1 (%x) : memref<[4], f32>
  %c = launch @planned_2 (%x) : memref<[4], f32>
  %d = launch @planned_3 (%x) : memref<[4], f32>
  %e = launch @planned_4 (%x) : memref<[4], f32>
  return %e
}
region.func private @planned_0 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[0, i] : f32 over (i)
  yield %y to y
}
plan.schedule of @planned_0 for sm90 {
  tile (i: 4)
}
region.func private @planned_1 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[1, i] : f32 over (i)
  yield %y to y
}
plan.schedule of @planned_1 for sm90 {
  tile (i: 4)
}
region.func private @planned_2 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[2, i] : f32 over (i)
  yield %y to y
}
plan.schedule of @planned_2 for sm90 {
  tile (i: 4)
}
region.func private @planned_3 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[3, i] : f32 over (i)
  yield %y to y
}
plan.schedule of @planned_3 for sm90 {
  tile (i: 4)
}
region.func private @planned_4 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %y = read %x[4, i] : f32 over (i)
  yield %y to y
}
plan.schedule of @planned_4 for sm90 {
  tile (i: 4)
}
host.func @both(%x: memref<[9, 4], f32>) -> memref<[4], f32> {
  %a = launch @both_0 (%x) : memref<[4], f32>
  %b = launch @both_1 (%x) : memref<[4], f32>
  %c = launch @both_2 (%x) : memref<[4], f32>
  %d = launch @both_3 (%x) : memref<[4], f32>
  %e = launch @both_4 (%x) : memref<[4], f32>
  return %e
}
region.func private @both_0 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %0 = read %x[0, i] : f32 over (i)
  %1 = read %x[0, i] : f32 over (i)
  %y = binary add %0, %1 : f32 over (i)
  yield %y to y
}
region.func private @both_1 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %0 = read %x[1, i] : f32 over (i)
  %1 = read %x[2, i] : f32 over (i)
  %y = binary add %0, %1 : f32 over (i)
  yield %y to y
}
region.func private @both_2 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %0 = read %x[2, i] : f32 over (i)
  %1 = read %x[4, i] : f32 over (i)
  %y = binary add %0, %1 : f32 over (i)
  yield %y to y
}
region.func private @both_3 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %0 = read %x[3, i] : f32 over (i)
  %1 = read %x[6, i] : f32 over (i)
  %y = binary add %0, %1 : f32 over (i)
  yield %y to y
}
region.func private @both_4 iters (i: 4) ins (%x: memref<[9, 4], f32>) outs (y: memref<[4], f32> materialize gmem) {
  %0 = read %x[4, i] : f32 over (i)
  %1 = read %x[8, i] : f32 over (i)
  %y = binary add %0, %1 : f32 over (i)
  yield %y to y
}
