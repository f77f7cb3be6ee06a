// Elements by position, positions as numbers, and what depends on them.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// CHECK-LABEL: @arange
// CHECK: %y = arange : tensor<[N], i32>
frontend.graph @arange<N>(%x: tensor<[N], f32>) -> tensor<[N], i32> {
  %y = arange : tensor<[N], i32>
  output %y
}

// CHECK-LABEL: @arange_from
// CHECK: %y = arange from -2.5 step 0.25 : tensor<[2*N + 1], f32>
frontend.graph @arange_from<N>(%x: tensor<[N], f32>) -> tensor<[2*N + 1], f32> {
  %y = arange from -2.5 step 0.25 : tensor<[2*N + 1], f32>
  output %y
}

// CHECK-LABEL: @arange_of_integers
// CHECK: %y = arange from 3.0 step -2.0 : tensor<[N], i8>
frontend.graph @arange_of_integers<N>(%x: tensor<[N], f32>) -> tensor<[N], i8> {
  %y = arange from 3.0 step -2.0 : tensor<[N], i8>
  output %y
}

// CHECK-LABEL: @full
// CHECK: %y = full 0.1 : tensor<[M, N], f32>
frontend.graph @full<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = full 0.1 : tensor<[M, N], f32>
  output %y
}

// CHECK-LABEL: @full_of_integers
// CHECK: %y = full -7.0 : tensor<[M, 2], i16>
frontend.graph @full_of_integers<M>(%x: tensor<[M], f32>) -> tensor<[M, 2], i16> {
  %y = full -7.0 : tensor<[M, 2], i16>
  output %y
}

// CHECK-LABEL: @full_infinite
// CHECK: %y = full -inf : tensor<[M], f32>
frontend.graph @full_infinite<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = full -inf : tensor<[M], f32>
  output %y
}

// CHECK-LABEL: @embedding
// CHECK: %y = embedding %W[%ids] : tensor<[B, S, D], f32>
frontend.graph @embedding<V, D, B, S>(%W: tensor<[V, D], f32>, %ids: tensor<[B, S], i32>) -> tensor<[B, S, D], f32> {
  %y = embedding %W[%ids]
  output %y
}

// CHECK-LABEL: @embedding_of_one
// CHECK: %y = embedding %W[%id] : tensor<[D], f32>
frontend.graph @embedding_of_one<V, D>(%W: tensor<[V, D], f32>, %id: tensor<[], i64>) -> tensor<[D], f32> {
  %y = embedding %W[%id]
  output %y
}

// CHECK-LABEL: @take
// CHECK: %y = take %x[%ids] over 1 : tensor<[M, S, 2, K], f32>
frontend.graph @take<M, N, K, S>(%x: tensor<[M, N, K], f32>, %ids: tensor<[S, 2], i32>) -> tensor<[M, S, 2, K], f32> {
  %y = take %x[%ids] over 1
  output %y
}

// CHECK-LABEL: @take_from_the_last_axis
// CHECK: %y = take %x[%ids] over 1 : tensor<[M, S], f32>
frontend.graph @take_from_the_last_axis<M, N, S>(%x: tensor<[M, N], f32>, %ids: tensor<[S], ui8>) -> tensor<[M, S], f32> {
  %y = take %x[%ids] over 1
  output %y
}

// CHECK-LABEL: @take_of_one
// CHECK: %y = take %x[%id] over 1 : tensor<[M, K], f32>
frontend.graph @take_of_one<M, N, K>(%x: tensor<[M, N, K], f32>, %id: tensor<[], i32>) -> tensor<[M, K], f32> {
  %y = take %x[%id] over 1
  output %y
}

// CHECK-LABEL: @gather
// CHECK: %y = gather %x[%ids] over 1 : tensor<[M, S], f32>
frontend.graph @gather<M, N, S>(%x: tensor<[M, N], f32>, %ids: tensor<[M, S], i32>) -> tensor<[M, S], f32> {
  %y = gather %x[%ids] over 1
  output %y
}

// CHECK-LABEL: @gather_from_the_first_axis
// CHECK: %y = gather %x[%ids] over 0 : tensor<[S, N], f32>
frontend.graph @gather_from_the_first_axis<M, N, S>(%x: tensor<[M, N], f32>, %ids: tensor<[S, N], i64>) -> tensor<[S, N], f32> {
  %y = gather %x[%ids] over 0
  output %y
}

// CHECK-LABEL: @scatter_add
// CHECK: %y = scatter_add %x, %i, %e over 0 : tensor<[N, D], f32>
frontend.graph @scatter_add<N, E, D>(%x: tensor<[N, D], f16>, %i: tensor<[E], i64>, %e: tensor<[E, D], f32>) -> tensor<[N, D], f32> {
  %y = scatter_add %x, %i, %e over 0
  output %y
}

// CHECK-LABEL: @scatter_add_of_elements
// CHECK: %y = scatter_add %x, %i, %e over 1 any_order : tensor<[B, N], i32>
frontend.graph @scatter_add_of_elements<B, N, E>(%x: tensor<[B, N], i32>, %i: tensor<[B, E], i32>, %e: tensor<[B, E], i32>) -> tensor<[B, N], i32> {
  %y = scatter_add %x, %i, %e over 1 any_order
  output %y
}

// CHECK-LABEL: @rope
// CHECK: %y = rope %x, %cos, %sin : tensor<[B, H, S, 2*D], f32>
frontend.graph @rope<B, H, S, D>(%x: tensor<[B, H, S, 2*D], f32>, %cos: tensor<[S, D], f32>, %sin: tensor<[S, D], f32>) -> tensor<[B, H, S, 2*D], f32> {
  %y = rope %x, %cos, %sin
  output %y
}

// CHECK-LABEL: @rope_interleaved
// CHECK: %y = rope %x, %cos, %sin interleaved : tensor<[B, S, 6], f32>
frontend.graph @rope_interleaved<B, S>(%x: tensor<[B, S, 6], f32>, %cos: tensor<[S, 3], f32>, %sin: tensor<[B, 1, 3], f32>) -> tensor<[B, S, 6], f32> {
  %y = rope %x, %cos, %sin interleaved
  output %y
}

// CHECK-LABEL: @tril
// CHECK: %y = tril %x : tensor<[B, M, N], f32>
frontend.graph @tril<B, M, N>(%x: tensor<[B, M, N], f32>) -> tensor<[B, M, N], f32> {
  %y = tril %x
  output %y
}

// CHECK-LABEL: @triu
// CHECK: %y = triu %x : tensor<[B, M, N], f32>
frontend.graph @triu<B, M, N>(%x: tensor<[B, M, N], f32>) -> tensor<[B, M, N], f32> {
  %y = triu %x
  output %y
}

// CHECK-LABEL: @tril_below
// CHECK: %y = tril %x diagonal -1 : tensor<[B, M, N], f32>
frontend.graph @tril_below<B, M, N>(%x: tensor<[B, M, N], f32>) -> tensor<[B, M, N], f32> {
  %y = tril %x diagonal -1
  output %y
}

// CHECK-LABEL: @triu_above
// CHECK: %y = triu %x diagonal 2 : tensor<[B, M, N], f32>
frontend.graph @triu_above<B, M, N>(%x: tensor<[B, M, N], f32>) -> tensor<[B, M, N], f32> {
  %y = triu %x diagonal 2
  output %y
}

// CHECK-LABEL: @tril_far
// CHECK: %y = tril %x diagonal 5000000000 : tensor<[B, M, N], f32>
frontend.graph @tril_far<B, M, N>(%x: tensor<[B, M, N], f32>) -> tensor<[B, M, N], f32> {
  %y = tril %x diagonal 5000000000
  output %y
}
