region.func @sum<N> iters (n: N)
    ins (%x: memref<[N], f32, row_major, align 4>, %y: memref<[N], f32, row_major, align 4>)
    outs (z: memref<[N], f32, row_major, align 4> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  %b = read %y[n] : f32 over (n)
  %c = binary add %a, %b : f32 over (n)
  yield %c to z
}
