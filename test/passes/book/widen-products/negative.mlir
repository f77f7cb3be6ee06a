// RUN: dlc-opt %s --widen-products > %t.out
// RUN: dlc-opt %s | diff - %t.out

// A sum that is scaled, and a sum of squares.
book.func @scaled<M, K>(%x: tensor<[M, K], f16>, %y: tensor<[M], f16>) -> (tensor<[M], f32>, tensor<[M], f32>) {
  %p = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i0) : tensor<[M, K], f16>
  %a = reduce sum axes (i0: M) over (i1: K) of %p at (i0, i1) acc f32 : tensor<[M], f32>
  %q = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %x at (i0, i1) : tensor<[M, K], f16>
  %b = reduce sum axes (i0: M) over (i1: K) of %q at (i0, i1) acc f32 : tensor<[M], f32>
  return %a, %b
}

// Rounded to a shorter type between the product and the sum.
book.func @rounded<M, K>(%x: tensor<[M, K], f32>, %y: tensor<[K], f32>) -> tensor<[M], f32> {
  %p = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) : tensor<[M, K], f32>
  %h = entry cast axes (i0: M, i1: K) of %p at (i0, i1) to f16 : tensor<[M, K], f16>
  %s = reduce sum axes (i0: M) over (i1: K) of %h at (i0, i1) acc f32 : tensor<[M], f32>
  return %s
}

// Padded products, a maximum, integers, and numbers that are rounded to 64 bits.
book.func @others<M, K>(%x: tensor<[M, K], f16>, %y: tensor<[K], f16>, %i: tensor<[M, K], i32>, %d: tensor<[M, K], f64>, %e: tensor<[K], f64>) -> (tensor<[M], f32>, tensor<[M], f16>, tensor<[M], i32>, tensor<[M], f64>) {
  %p = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) : tensor<[M, K], f16>
  %a = reduce sum axes (i0: M) over (i1: K + 1) of %p at (i0, i1) where (i1 < K) acc f32 : tensor<[M], f32>
  %b = reduce max axes (i0: M) over (i1: K) of %p at (i0, i1) acc f16 : tensor<[M], f16>
  %q = entry mul axes (i0: M, i1: K) of %i at (i0, i1), %i at (0, i1) : tensor<[M, K], i32>
  %c = reduce sum axes (i0: M) over (i1: K) of %q at (i0, i1) acc i32 : tensor<[M], i32>
  %r = entry mul axes (i0: M, i1: K) of %d at (i0, i1), %e at (i1) : tensor<[M, K], f64>
  %s = reduce sum axes (i0: M) over (i1: K) of %r at (i0, i1) acc f64 : tensor<[M], f64>
  return %a, %b, %c, %s
}
