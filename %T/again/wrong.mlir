// wrong sm80 1/1: Right(2)
region.func @sum<M> iters (m: M)
    ins (%X: memref<[M, 64], f32, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 64) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    yield %x
  } : f32 over (m)
  yield %s to Y
}
plan.schedule of @sum for sm80 {
  tile (z: 64)
}
