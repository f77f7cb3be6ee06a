// RUN: dlc-opt %s --widen-products --dce --evaluate-each | snapshot %s
// RUN: dlc-opt %s --widen-products --dce > %t.once
// RUN: dlc-opt %t.once --widen-products --dce | diff %t.once -

// The product as tinygrad writes it: rounded to its type, cast, summed.
book.func @cast<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
  %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) : tensor<[M, N, K], f16>
  %c = entry cast axes (i0: M, i1: N, i2: K) of %p at (i0, i1, i2) to f32 : tensor<[M, N, K], f32>
  %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %c at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  return %s
}

// Without a cast, summed in its own type or another.
book.func @direct<M, K>(%x: tensor<[M, K], bf16>, %y: tensor<[K], bf16>) -> (tensor<[M], bf16>, tensor<[M], f32>) {
  %p = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) : tensor<[M, K], bf16>
  %a = reduce sum axes (i0: M) over (i1: K) of %p at (i0, i1) acc bf16 : tensor<[M], bf16>
  %b = reduce sum axes (i0: M) over (i1: K) of %p at (i0, i1) acc f32 : tensor<[M], f32>
  return %a, %b
}

// Factors that were made wider are read as they are stored.
book.func @factors<M, K>(%x: tensor<[M, K], f16>, %y: tensor<[K], f16>) -> tensor<[M], f32> {
  %a = entry cast axes (i0: M, i1: K) of %x at (i0, i1) to f32 : tensor<[M, K], f32>
  %b = entry cast axes (i0: K) of %y at (i0) to f32 : tensor<[K], f32>
  %p = entry mul axes (i0: M, i1: K) of %a at (i0, i1), %b at (i1) : tensor<[M, K], f32>
  %s = reduce sum axes (i0: M) over (i1: K) of %p at (i0, i1) acc f32 : tensor<[M], f32>
  return %s
}

// The product is read elsewhere too, and stays for that.
book.func @shared<M, K>(%x: tensor<[M, K], f16>, %y: tensor<[M, K], f16>) -> (tensor<[M], f32>, tensor<[M, K], f16>) {
  %p = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i0, i1) : tensor<[M, K], f16>
  %s = reduce sum axes (i0: M) over (i1: K) of %p at (i0, i1) acc f32 : tensor<[M], f32>
  return %s, %p
}

// A window: what is summed is a part of a position.
book.func @window<N, C>(%x: tensor<[N + 2, C], f16>, %f: tensor<[3, C], f16>) -> tensor<[N], f32> {
  %p = entry mul axes (i0: N, i1: 3, i2: C) of %x at (i0 + i1, i2), %f at (i1, i2) : tensor<[N, 3, C], f16>
  %s = reduce sum axes (i0: N) over (i1: 3, i2: C) of %p at (i0, i1, i2) acc f32 : tensor<[N], f32>
  return %s
}

// EXPECT:
// module {
//   book.func @cast<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//     %0 = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, N, K], f32>
//     %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %0 at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
//     return %s
//   }
//   book.func @direct<M, K>(%x: tensor<[M, K], bf16>, %y: tensor<[K], bf16>) -> (tensor<[M], bf16>, tensor<[M], f32>) {
//     %0 = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) to bf16 widen : tensor<[M, K], bf16>
//     %a = reduce sum axes (i0: M) over (i1: K) of %0 at (i0, i1) acc bf16 : tensor<[M], bf16>
//     %1 = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) to f32 widen : tensor<[M, K], f32>
//     %b = reduce sum axes (i0: M) over (i1: K) of %1 at (i0, i1) acc f32 : tensor<[M], f32>
//     return %a, %b
//   }
//   book.func @factors<M, K>(%x: tensor<[M, K], f16>, %y: tensor<[K], f16>) -> tensor<[M], f32> {
//     %0 = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) to f32 widen : tensor<[M, K], f32>
//     %s = reduce sum axes (i0: M) over (i1: K) of %0 at (i0, i1) acc f32 : tensor<[M], f32>
//     return %s
//   }
//   book.func @shared<M, K>(%x: tensor<[M, K], f16>, %y: tensor<[M, K], f16>) -> (tensor<[M], f32>, tensor<[M, K], f16>) {
//     %p = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i0, i1) : tensor<[M, K], f16>
//     %0 = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i0, i1) to f32 widen : tensor<[M, K], f32>
//     %s = reduce sum axes (i0: M) over (i1: K) of %0 at (i0, i1) acc f32 : tensor<[M], f32>
//     return %s, %p
//   }
//   book.func @window<N, C>(%x: tensor<[N + 2, C], f16>, %f: tensor<[3, C], f16>) -> tensor<[N], f32> {
//     %0 = entry mul axes (i0: N, i1: 3, i2: C) of %x at (i0 + i1, i2), %f at (i1, i2) to f32 widen : tensor<[N, 3, C], f32>
//     %s = reduce sum axes (i0: N) over (i1: 3, i2: C) of %0 at (i0, i1, i2) acc f32 : tensor<[N], f32>
//     return %s
//   }
// }
