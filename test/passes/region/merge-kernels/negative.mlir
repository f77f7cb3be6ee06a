// RUN: dlc-opt %s -o %t.mlir
// RUN: dlc-opt %t.mlir --merge-kernels | cmp %t.mlir -

// Another number, function, operand, order of results, symbol and body; a public kernel, one with a plan, and one that
// nothing launches.
host.func @program<M, N>(%x: memref<[M], f32>, %z: memref<[N], f32>) -> (memref<[M], f32>, memref<[M], f32>) {
  %a = launch @first<M> (%x) : memref<[M], f32>
  %b = launch @number<M> (%a) : memref<[M], f32>
  %c = launch @function<M> (%b) : memref<[M], f32>
  %d = launch @operand<M> (%c) : memref<[M], f32>
  %e = launch @symbol<N> (%z) : memref<[N], f32>
  %f = launch @public<M> (%d) : memref<[M], f32>
  %g = launch @planned<M> (%f) : memref<[M], f32>
  %h, %i = launch @pair<M> (%g) : memref<[M], f32>, memref<[M], f32>
  %j, %k = launch @turned<M> (%i) : memref<[M], f32>, memref<[M], f32>
  return %j, %h
}
region.func private @first<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %two = const 2.0 : f32 over ()
  %y = binary sub %x0, %two : f32 over (m)
  yield %y to y
}
region.func private @number<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %two = const 3.0 : f32 over ()
  %y = binary sub %x0, %two : f32 over (m)
  yield %y to y
}
region.func private @function<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %two = const 2.0 : f32 over ()
  %y = binary max %x0, %two : f32 over (m)
  yield %y to y
}
region.func private @operand<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %two = const 2.0 : f32 over ()
  %y = binary sub %two, %x0 : f32 over (m)
  yield %y to y
}
region.func private @symbol<N> iters (m: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %two = const 2.0 : f32 over ()
  %y = binary sub %x0, %two : f32 over (m)
  yield %y to y
}
region.func @public<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %two = const 2.0 : f32 over ()
  %y = binary sub %x0, %two : f32 over (m)
  yield %y to y
}
region.func private @planned<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %two = const 2.0 : f32 over ()
  %y = binary sub %x0, %two : f32 over (m)
  yield %y to y
}
plan.schedule of @planned for sm80 {
  tile (m: 256)
}
region.func private @alone<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %two = const 2.0 : f32 over ()
  %y = binary sub %x0, %two : f32 over (m)
  yield %y to y
}
region.func private @pair<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem, z: memref<[M], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %y = unary neg %x0 : f32 over (m)
  yield %x0 to y, %y to z
}
region.func private @turned<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem, z: memref<[M], f32> materialize gmem) {
  %x0 = read %x[m] : f32 over (m)
  %y = unary neg %x0 : f32 over (m)
  yield %y to y, %x0 to z
}
