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

// Running sums are scans.
frontend.graph @running<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  %y = cumsum %x over 0
  output %y
}

// A recurrence is a scan of two operands; what is before the first element becomes part of that.
frontend.graph @recurrence<T, D>(%a: tensor<[D], bf16>, %b: tensor<[T, D], bf16>, %h: tensor<[D], f32>) -> (tensor<[T, D], f32>, tensor<[T, D], bf16>) {
  %y = scan %a, %b from %h over 0 reverse
  %z = scan %b, %b over 1
  output %y, %z
}

// What is added at indices is a sum of what has each position as its index, in any order if the graph says so.
frontend.graph @scattered<N, E, D>(%x: tensor<[N, D], f16>, %i: tensor<[E], i32>, %e: tensor<[E, D], f16>) -> tensor<[N, D], f16> {
  %y = scatter_add %x, %i, %e over 0 any_order
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

// EXPECT:
// module {
//   tiny.func @ffn<M, N, K>(%A: tensor<[M, K], f16> {role = "data"}, %B: tensor<[K, N], f16> {role = "param"}, %bias: tensor<[N], f16> {role = "param"}) -> (tensor<[M, N], f16> {alignment = 16}) attributes {outputs = ["c2"]} {
//     %c0 = contract %A [m, k], %B [k, n] to [m, n] acc f32 : tensor<[M, N], f32>
//     %c1 = add %c0, %bias : tensor<[M, N], f32>
//     %c2 = relu %c1 : tensor<[M, N], f32>
//     %0 = cast %c2 to f16 : tensor<[M, N], f16>
//     return %0
//   }
//   tiny.func @narrow_function<M>(%x: tensor<[M], bf16>) -> tensor<[M], bf16> {
//     %0 = cast %x to f32 : tensor<[M], f32>
//     %1 = const -1.44269502 : tensor<[], f32>
//     %2 = mul %0, %1 : tensor<[M], f32>
//     %3 = exp2 %2 : tensor<[M], f32>
//     %4 = const 1.000000e+00 : tensor<[], f32>
//     %5 = add %3, %4 : tensor<[M], f32>
//     %6 = recip %5 : tensor<[M], f32>
//     %y = cast %6 to bf16 : tensor<[M], bf16>
//     return %y
//   }
//   tiny.func @wide_function<M>(%x: tensor<[M], f64>) -> tensor<[M], f64> {
//     %0 = const 1.4426950408889634 : tensor<[], f64>
//     %1 = mul %x, %0 : tensor<[M], f64>
//     %y = exp2 %1 : tensor<[M], f64>
//     return %y
//   }
//   tiny.func @parameters<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
//     %0 = const 1.44269502 : tensor<[], f32>
//     %1 = mul %x, %0 : tensor<[M], f32>
//     %2 = exp2 %1 : tensor<[M], f32>
//     %3 = const -1.000000e+00 : tensor<[], f32>
//     %4 = add %2, %3 : tensor<[M], f32>
//     %5 = const 1.98411901E-4 : tensor<[], f32>
//     %6 = mul %5, %x : tensor<[M], f32>
//     %7 = const 0.00139973243 : tensor<[], f32>
//     %8 = add %6, %7 : tensor<[M], f32>
//     %9 = mul %8, %x : tensor<[M], f32>
//     %10 = const 0.00833363458 : tensor<[], f32>
//     %11 = add %9, %10 : tensor<[M], f32>
//     %12 = mul %11, %x : tensor<[M], f32>
//     %13 = const 0.0416653194 : tensor<[], f32>
//     %14 = add %12, %13 : tensor<[M], f32>
//     %15 = mul %14, %x : tensor<[M], f32>
//     %16 = const 0.166666627 : tensor<[], f32>
//     %17 = add %15, %16 : tensor<[M], f32>
//     %18 = mul %17, %x : tensor<[M], f32>
//     %19 = const 0.50000006 : tensor<[], f32>
//     %20 = add %18, %19 : tensor<[M], f32>
//     %21 = mul %20, %x : tensor<[M], f32>
//     %22 = const 1.000000e+00 : tensor<[], f32>
//     %23 = add %21, %22 : tensor<[M], f32>
//     %24 = mul %x, %23 : tensor<[M], f32>
//     %25 = const 0.000000e+00 : tensor<[], f32>
//     %26 = cmp lt %x, %25 : tensor<[M], i1>
//     %27 = neg %x : tensor<[M], f32>
//     %28 = where %26, %27, %x : tensor<[M], f32>
//     %29 = const 5.000000e-01 : tensor<[], f32>
//     %30 = cmp lt %28, %29 : tensor<[M], i1>
//     %31 = where %30, %24, %4 : tensor<[M], f32>
//     %32 = const 5.000000e-01 : tensor<[], f32>
//     %33 = mul %31, %32 : tensor<[M], f32>
//     %34 = const 0.000000e+00 : tensor<[], f32>
//     %35 = cmp lt %x, %34 : tensor<[M], i1>
//     %y = where %35, %33, %x : tensor<[M], f32>
//     return %y
//   }
//   tiny.func @batches<B, M, N, K>(%A: tensor<[B, M, K], f32>, %W: tensor<[K, N], f32>, %b: tensor<[N], f32>) -> tensor<[B, M, N], f32> {
//     %0 = contract %A [b, m, k], %W [k, n] to [b, m, n] : tensor<[B, M, N], f32>
//     %y = add %0, %b : tensor<[B, M, N], f32>
//     return %y
//   }
//   tiny.func @chain<I, J, K, L>(%a: tensor<[I, J], f16>, %b: tensor<[J, K], f16>, %c: tensor<[K, L], f16>) -> tensor<[L, I], f16> {
//     %0 = contract %a [i, j], %b [j, k] to [i, k] acc f32 : tensor<[I, K], f32>
//     %1 = contract %0 [i, k], %c [k, l] to [l, i] acc f32 : tensor<[L, I], f32>
//     %y = cast %1 to f16 : tensor<[L, I], f16>
//     return %y
//   }
//   tiny.func @means<M, N>(%x: tensor<[M, N, 4], f32>) -> (tensor<[M, N, 1], f32>, tensor<[M, 4], f32>) {
//     %0 = reduce sum %x over [2] : tensor<[M, N], f32>
//     %1 = const 4.000000e+00 : tensor<[], f32>
//     %2 = fdiv %0, %1 : tensor<[M, N], f32>
//     %known = reshape %2 to [M, N, 1] : tensor<[M, N, 1], f32>
//     %3 = reduce sum %x over [1] : tensor<[M, 4], f32>
//     %4 = const 1.000000e+00 : tensor<[N], f32>
//     %5 = reduce sum %4 over [0] : tensor<[], f32>
//     %symbolic = fdiv %3, %5 : tensor<[M, 4], f32>
//     return %known, %symbolic
//   }
//   tiny.func @running<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
//     %y = scan sum %x along 0 : tensor<[N], f32>
//     return %y
//   }
//   tiny.func @recurrence<T, D>(%a: tensor<[D], bf16>, %b: tensor<[T, D], bf16>, %h: tensor<[D], f32>) -> (tensor<[T, D], f32>, tensor<[T, D], bf16>) {
//     %0 = expand %a to [T, D] dims [1] : tensor<[T, D], bf16>
//     %1 = cast %0 to f32 : tensor<[T, D], f32>
//     %2 = cast %b to f32 : tensor<[T, D], f32>
//     %3 = reshape %h to [1, D] : tensor<[1, D], f32>
//     %4 = mul %1, %3 : tensor<[T, D], f32>
//     %5 = add %2, %4 : tensor<[T, D], f32>
//     %6 = range 0 : tensor<[T, D], i64>
//     %7 = flip %6 over [0] : tensor<[T, D], i64>
//     %8 = const 0 : tensor<[], i64>
//     %9 = cmp eq %7, %8 : tensor<[T, D], i1>
//     %10 = where %9, %5, %2 : tensor<[T, D], f32>
//     %y = scan linear %0, %10 along 0 reverse : tensor<[T, D], f32>
//     %11 = scan linear %b, %b along 1 acc f32 : tensor<[T, D], f32>
//     %z = cast %11 to bf16 : tensor<[T, D], bf16>
//     return %y, %z
//   }
//   tiny.func @scattered<N, E, D>(%x: tensor<[N, D], f16>, %i: tensor<[E], i32>, %e: tensor<[E, D], f16>) -> tensor<[N, D], f16> {
//     %0 = cast %e to f32 : tensor<[E, D], f32>
//     %1 = reshape %0 to [1, E, D] : tensor<[1, E, D], f32>
//     %2 = reshape %i to [1, E, 1] : tensor<[1, E, 1], i32>
//     %3 = range 0 : tensor<[N, 1, 1], i64>
//     %4 = cmp eq %3, %2 : tensor<[N, E, 1], i1>
//     %5 = const 0.000000e+00 : tensor<[], f32>
//     %6 = where %4, %1, %5 : tensor<[N, E, D], f32>
//     %7 = reduce sum %6 over [1] {any_order} : tensor<[N, D], f32>
//     %8 = cast %x to f32 : tensor<[N, D], f32>
//     %9 = add %8, %7 : tensor<[N, D], f32>
//     %y = cast %9 to f16 : tensor<[N, D], f16>
//     return %y
//   }
//   tiny.func @together<M, N>(%a: tensor<[M], f32>, %b: tensor<[N], f32>) -> tensor<[M + N], f32> {
//     %0 = pad %a low [0] high [N] : tensor<[M + N], f32>
//     %1 = pad %b low [M] high [0] : tensor<[M + N], f32>
//     %y = add %0, %1 : tensor<[M + N], f32>
//     return %y
//   }
//   tiny.func @apart<S, D>(%x: tensor<[S, 2*D], f32>) -> tensor<[S, D], f32> {
//     %a = shrink %x from [0, 0] to [S, D] : tensor<[S, D], f32>
//     %b = shrink %x from [0, D] to [S, 2*D] : tensor<[S, D], f32>
//     %y = mul %a, %b : tensor<[S, D], f32>
//     return %y
//   }
// }
