// large sm80 1/2: Right(1)
region.func @sum<M, K> iters (m: M)
    ins (%X: memref<[M, K], f32, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    yield %x
  } : f32 over (m)
  yield %s to Y
}
plan.schedule of @sum for sm80 {
  tile (m: 4, k: 128)
  fix (K: 1000003)
}
