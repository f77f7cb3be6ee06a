// Each op becomes the ops of tiny that compute it; a graph becomes a function.

// RUN: dlc-opt %s --lower-frontend | snapshot %s
// RUN: dlc-opt %s --emit=tiny | snapshot %s

// The example of the pass: what tiny has stays as it is.
frontend.graph @ffn<M, N, K>(%A: tensor<[M, K], f16> {role = "data"}, %B: tensor<[K, N], f16> {role = "param"}, %bias: tensor<[N], f16> {role = "param"}) -> (tensor<[M, N], f16> {alignment = 16}) {
  %c0 = gemm %A, %B acc f32
  %c1 = add %c0, %bias
  %c2 = relu %c1
  output %c2 as f16
}

// A function that tiny lacks is computed in f32, and rounded once.
frontend.graph @narrow_function<M>(%x: tensor<[M], bf16>) -> tensor<[M], bf16> {
  %y = sigmoid %x
  output %y
}

// In f64 it stays there.
frontend.graph @wide_function<M>(%x: tensor<[M], f64>) -> tensor<[M], f64> {
  %y = exp %x
  output %y
}

// Parameters become constants.
frontend.graph @parameters<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = elu %x alpha 0.5
  output %y
}

// A product that broadcasts a matrix has no index for the batch on that side.
frontend.graph @batches<B, M, N, K>(%A: tensor<[B, M, K], f32>, %W: tensor<[K, N], f32>, %b: tensor<[N], f32>) -> tensor<[B, M, N], f32> {
  %y = gemm %A, %W bias %b
  output %y
}

// Of three operands two are multiplied first; what lies between is kept in f32.
frontend.graph @chain<I, J, K, L>(%a: tensor<[I, J], f16>, %b: tensor<[J, K], f16>, %c: tensor<[K, L], f16>) -> tensor<[L, I], f16> {
  %y = einsum "ij,jk,kl->li" %a, %b, %c
  output %y
}

// A mean divides by a number where the sizes are known, and by a sum of ones where they are symbols.
frontend.graph @means<M, N>(%x: tensor<[M, N, 4], f32>) -> (tensor<[M, N, 1], f32>, tensor<[M, 4], f32>) {
  %known = mean %x over [2] keepdim
  %symbolic = mean %x over [1]
  output %known, %symbolic
}

// Running sums are sums over what lies before.
frontend.graph @running<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  %y = cumsum %x over 0
  output %y
}

// Tensors are put together by zeros around each.
frontend.graph @together<M, N>(%a: tensor<[M], f32>, %b: tensor<[N], f32>) -> tensor<[M + N], f32> {
  %y = concat %a, %b over 0
  output %y
}

// An op with several results.
frontend.graph @apart<S, D>(%x: tensor<[S, 2*D], f32>) -> tensor<[S, D], f32> {
  %a, %b = split %x over 1 into [D, D]
  %y = mul %a, %b
  output %y
}
