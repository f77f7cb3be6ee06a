region.func @bits<N> iters (n: N)
    ins (%x: memref<[N], f32, row_major, align 4>)
    outs (y: memref<[N], i32, row_major, align 4> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  %b = cast bits %a : i32 over (n)
  yield %b to y
}
