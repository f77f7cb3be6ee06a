// Sums of products: matrices, layers, and Einstein's notation.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// CHECK-LABEL: @gemm
// CHECK: %y = gemm %A, %B : tensor<[M, N], f32>
frontend.graph @gemm<M, N, K>(%A: tensor<[M, K], f32>, %B: tensor<[K, N], f32>) -> tensor<[M, N], f32> {
  %y = gemm %A, %B
  output %y
}

// CHECK-LABEL: @gemm_accumulates_in_f32
// CHECK: %y = gemm %A, %B acc f32 : tensor<[M, N], f32>
frontend.graph @gemm_accumulates_in_f32<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
  %y = gemm %A, %B acc f32
  output %y
}

// CHECK-LABEL: @gemm_of_bf16_and_f16
// CHECK: %y = gemm %A, %B : tensor<[M, N], f32>
frontend.graph @gemm_of_bf16_and_f16<M, N, K>(%A: tensor<[M, K], bf16>, %B: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
  %y = gemm %A, %B
  output %y
}

// CHECK-LABEL: @gemm_of_integers
// CHECK: %y = gemm %A, %B acc i32 : tensor<[M, N], i32>
frontend.graph @gemm_of_integers<M, N, K>(%A: tensor<[M, K], i8>, %B: tensor<[K, N], i8>) -> tensor<[M, N], i32> {
  %y = gemm %A, %B acc i32
  output %y
}

// CHECK-LABEL: @gemm_with_bias
// CHECK: %y = gemm %A, %B bias %c acc f32 : tensor<[M, N], f32>
frontend.graph @gemm_with_bias<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[K, N], f16>, %c: tensor<[N], f16>) -> tensor<[M, N], f32> {
  %y = gemm %A, %B bias %c acc f32
  output %y
}

// CHECK-LABEL: @gemm_transposed
// CHECK: %y = gemm %A, %B trans_a trans_b : tensor<[B, M, N], f32>
frontend.graph @gemm_transposed<B, M, N, K>(%A: tensor<[B, K, M], f32>, %B: tensor<[B, N, K], f32>) -> tensor<[B, M, N], f32> {
  %y = gemm %A, %B trans_a trans_b
  output %y
}

// CHECK-LABEL: @gemm_broadcasts_a_matrix
// CHECK: %y = gemm %A, %B bias %c : tensor<[B, M, N], f32>
frontend.graph @gemm_broadcasts_a_matrix<B, M, N, K>(%A: tensor<[B, M, K], f32>, %B: tensor<[K, N], f32>, %c: tensor<[B, 1, 1], f32>) -> tensor<[B, M, N], f32> {
  %y = gemm %A, %B bias %c
  output %y
}

// CHECK-LABEL: @gemm_broadcasts_batches
// CHECK: %y = gemm %A, %B : tensor<[A, B, M, N], f32>
frontend.graph @gemm_broadcasts_batches<A, B, M, N, K>(%A: tensor<[A, 1, M, K], f32>, %B: tensor<[B, K, N], f32>) -> tensor<[A, B, M, N], f32> {
  %y = gemm %A, %B
  output %y
}

// CHECK-LABEL: @gemm_of_sizes_of_one
// CHECK: %y = gemm %A, %B : tensor<[1, 1], f32>
frontend.graph @gemm_of_sizes_of_one<K>(%A: tensor<[1, K], f32>, %B: tensor<[K, 1], f32>) -> tensor<[1, 1], f32> {
  %y = gemm %A, %B
  output %y
}

// CHECK-LABEL: @linear
// CHECK: %y = linear %x, %W : tensor<[M, N], f32>
frontend.graph @linear<M, N, K>(%x: tensor<[M, K], f32>, %W: tensor<[N, K], f32>) -> tensor<[M, N], f32> {
  %y = linear %x, %W
  output %y
}

// CHECK-LABEL: @linear_with_bias
// CHECK: %y = linear %x, %W bias %b acc f32 : tensor<[B, S, N], f32>
frontend.graph @linear_with_bias<B, S, N, K>(%x: tensor<[B, S, K], f16>, %W: tensor<[N, K], f16>, %b: tensor<[N], f16>) -> tensor<[B, S, N], f32> {
  %y = linear %x, %W bias %b acc f32
  output %y
}

// CHECK-LABEL: @linear_transposed
// CHECK: %y = linear %x, %W bias %b transposed : tensor<[B, S, N], f32>
frontend.graph @linear_transposed<B, S, N, K>(%x: tensor<[B, S, K], f32>, %W: tensor<[K, N], f32>, %b: tensor<[N], f32>) -> tensor<[B, S, N], f32> {
  %y = linear %x, %W bias %b transposed
  output %y
}

// CHECK-LABEL: @linear_of_a_vector
// CHECK: %y = linear %x, %W : tensor<[N], f32>
frontend.graph @linear_of_a_vector<N, K>(%x: tensor<[K], f32>, %W: tensor<[N, K], f32>) -> tensor<[N], f32> {
  %y = linear %x, %W
  output %y
}

// CHECK-LABEL: @einsum
// CHECK: %y = einsum "bmk,bkn->bmn" %a, %b acc f32 : tensor<[B, M, N], f32>
frontend.graph @einsum<B, M, N, K>(%a: tensor<[B, M, K], f16>, %b: tensor<[B, K, N], f16>) -> tensor<[B, M, N], f32> {
  %y = einsum "bmk,bkn->bmn" %a, %b acc f32
  output %y
}

// CHECK-LABEL: @einsum_transposes
// CHECK: %y = einsum "ij->ji" %a : tensor<[N, M], f32>
frontend.graph @einsum_transposes<M, N>(%a: tensor<[M, N], f32>) -> tensor<[N, M], f32> {
  %y = einsum "ij->ji" %a
  output %y
}

// CHECK-LABEL: @einsum_sums
// CHECK: %y = einsum "ijk->kj" %a : tensor<[K, N], f32>
frontend.graph @einsum_sums<M, N, K>(%a: tensor<[M, N, K], f32>) -> tensor<[K, N], f32> {
  %y = einsum "ijk->kj" %a
  output %y
}

// CHECK-LABEL: @einsum_sums_all
// CHECK: %y = einsum "ij->" %a : tensor<[], f32>
frontend.graph @einsum_sums_all<M, N>(%a: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = einsum "ij->" %a
  output %y
}

// CHECK-LABEL: @einsum_takes_a_diagonal
// CHECK: %y = einsum "iij->ji" %a : tensor<[N, M], f32>
frontend.graph @einsum_takes_a_diagonal<M, N>(%a: tensor<[M, M, N], f32>) -> tensor<[N, M], f32> {
  %y = einsum "iij->ji" %a
  output %y
}

// Without an arrow: letters that occur once stay.
// CHECK-LABEL: @einsum_takes_a_trace
// CHECK: %y = einsum "ii" %a : tensor<[], f32>
frontend.graph @einsum_takes_a_trace<M>(%a: tensor<[M, M], f32>) -> tensor<[], f32> {
  %y = einsum "ii" %a
  output %y
}

// CHECK-LABEL: @einsum_without_arrow
// CHECK: %y = einsum "ik,kj" %a, %b : tensor<[M, N], f32>
frontend.graph @einsum_without_arrow<M, N, K>(%a: tensor<[M, K], f32>, %b: tensor<[K, N], f32>) -> tensor<[M, N], f32> {
  %y = einsum "ik,kj" %a, %b
  output %y
}

// CHECK-LABEL: @einsum_orders_letters
// CHECK: %y = einsum "ba" %a : tensor<[N, M], f32>
frontend.graph @einsum_orders_letters<M, N>(%a: tensor<[M, N], f32>) -> tensor<[N, M], f32> {
  %y = einsum "ba" %a
  output %y
}

// CHECK-LABEL: @einsum_of_an_outer_product
// CHECK: %y = einsum "i,j->ij" %a, %b : tensor<[M, N], f32>
frontend.graph @einsum_of_an_outer_product<M, N>(%a: tensor<[M], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = einsum "i,j->ij" %a, %b
  output %y
}

// CHECK-LABEL: @einsum_of_three
// CHECK: %y = einsum "bi,ij,bj->b" %a, %b, %c : tensor<[B], f32>
frontend.graph @einsum_of_three<B, I, J, L>(%a: tensor<[B, I], f32>, %b: tensor<[I, J], f32>, %c: tensor<[B, J], f32>) -> tensor<[B], f32> {
  %y = einsum "bi,ij,bj->b" %a, %b, %c
  output %y
}

// CHECK-LABEL: @einsum_of_four
// CHECK: %y = einsum "ij,jk,kl,l->i" %a, %b, %c, %d acc f32 : tensor<[I], f32>
frontend.graph @einsum_of_four<I, J, K, L>(%a: tensor<[I, J], f16>, %b: tensor<[J, K], f16>, %c: tensor<[K, L], f16>, %d: tensor<[L], f16>) -> tensor<[I], f32> {
  %y = einsum "ij,jk,kl,l->i" %a, %b, %c, %d acc f32
  output %y
}

// CHECK-LABEL: @einsum_sums_on_one_side
// CHECK: %y = einsum "ij,k->i" %a, %b : tensor<[M], f32>
frontend.graph @einsum_sums_on_one_side<M, N, K>(%a: tensor<[M, N], f32>, %b: tensor<[K], f32>) -> tensor<[M], f32> {
  %y = einsum "ij,k->i" %a, %b
  output %y
}

// CHECK-LABEL: @einsum_of_further_axes
// CHECK: %y = einsum "...mk,...kn->...mn" %a, %b : tensor<[A, B, M, N], f32>
frontend.graph @einsum_of_further_axes<A, B, M, N, K>(%a: tensor<[A, B, M, K], f32>, %b: tensor<[B, K, N], f32>) -> tensor<[A, B, M, N], f32> {
  %y = einsum "...mk,...kn->...mn" %a, %b
  output %y
}

// CHECK-LABEL: @einsum_of_further_axes_without_arrow
// CHECK: %y = einsum "...ij" %a : tensor<[B, M, N], f32>
frontend.graph @einsum_of_further_axes_without_arrow<B, M, N>(%a: tensor<[B, M, N], f32>) -> tensor<[B, M, N], f32> {
  %y = einsum "...ij" %a
  output %y
}

// CHECK-LABEL: @einsum_with_dots_after
// CHECK: %y = einsum "i...,j...->ij..." %a, %b : tensor<[M, N, B], f32>
frontend.graph @einsum_with_dots_after<B, M, N>(%a: tensor<[M, B], f32>, %b: tensor<[N, 1], f32>) -> tensor<[M, N, B], f32> {
  %y = einsum "i...,j...->ij..." %a, %b
  output %y
}

// CHECK-LABEL: @einsum_repeats_a_size_of_one
// CHECK: %y = einsum "ij,ij->ij" %a, %b : tensor<[M, N], f32>
frontend.graph @einsum_repeats_a_size_of_one<M, N>(%a: tensor<[M, N], f32>, %b: tensor<[1, N], f32>) -> tensor<[M, N], f32> {
  %y = einsum "ij,ij->ij" %a, %b
  output %y
}

// CHECK-LABEL: @einsum_attention
// CHECK: %y = einsum "bhsd,bhtd->bhst" %a, %b acc f32 : tensor<[B, H, S, T], f32>
frontend.graph @einsum_attention<B, H, S, T, D>(%a: tensor<[B, H, S, D], bf16>, %b: tensor<[B, H, T, D], bf16>) -> tensor<[B, H, S, T], f32> {
  %y = einsum "bhsd,bhtd->bhst" %a, %b acc f32
  output %y
}
