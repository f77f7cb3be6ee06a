// RUN: dlc-opt %s --lower-indexbook | FileCheck %s

// A contraction is a product that is not rounded, and a sum; a bias is read at the axis that it has.
// CHECK-LABEL: book.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16> {role = "data"}, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
// CHECK-NEXT:    %0 = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, N, K], f32>
// CHECK-NEXT:    %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %0 at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
// CHECK-NEXT:    %sb = entry add axes (i0: M, i1: N) of %s at (i0, i1), %bias at (i1) : tensor<[M, N], f32>
// CHECK-NEXT:    %r = entry relu axes (i0: M, i1: N) of %sb at (i0, i1) : tensor<[M, N], f32>
// CHECK-NEXT:    %y = entry cast axes (i0: M, i1: N) of %r at (i0, i1) to f16 : tensor<[M, N], f16>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16> {role = "data"}, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32
  %sb = add %s, %bias
  %r = relu %sb
  %y = cast %r to f16
  return %y
}

// The same from a reshape, a permutation, a product and a sum: the products are rounded where they are multiplied.
// CHECK-LABEL: book.func @written_out<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) : tensor<[M, N, K], f16>
// CHECK-NEXT:    %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @written_out<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
  %x1 = reshape %X to [M, 1, K]
  %w1 = reshape %W to [1, K, N]
  %w2 = permute %w1 by [0, 2, 1]
  %p = mul %x1, %w2
  %s = reduce sum %p over [2] acc f32
  return %s
}

// Axes of size 1 are read at 0 where they are repeated, and new axes not at all.
// CHECK-LABEL: book.func @broadcast<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[1, N], f32>, %z: tensor<[], f32>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %xy = entry add axes (i0: M, i1: N) of %x at (i0, 0), %y at (0, i1) : tensor<[M, N], f32>
// CHECK-NEXT:    %s = entry mul axes (i0: M, i1: N) of %xy at (i0, i1), %z at () : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @broadcast<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[1, N], f32>, %z: tensor<[], f32>) -> tensor<[M, N], f32> {
  %xy = add %x, %y
  %s = mul %xy, %z
  return %s
}

// The number of a pad is outside of the guard, whatever the views after it.
// CHECK-LABEL: book.func @padded<M>(%x: tensor<[M, 4], f32>) -> tensor<[9, M + 1], f32> {
// CHECK-NEXT:    %y = entry neg axes (i0: 9, i1: M + 1) of %x at (i1 - 1, -i0 + 6) where (0 <= i1 - 1 < M, 0 <= -i0 + 6 < 4) else 1.0 : tensor<[9, M + 1], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @padded<M>(%x: tensor<[M, 4], f32>) -> tensor<[9, M + 1], f32> {
  %p = pad %x low [1, 2] high [0, 3] value 1.0 : f32
  %t = permute %p by [1, 0]
  %f = flip %t over [0]
  %y = neg %f
  return %y
}

// One number everywhere is a constant of rank 0, which is there once; a tensor of numbers keeps its axes.
// CHECK-LABEL: book.func @constants<M>(%x: tensor<[M, 2], f32>) -> (tensor<[M, 2], f32>, tensor<[M, 2], f32>) {
// CHECK-NEXT:    %a = const 5.000000e-01 : tensor<[], f32>
// CHECK-NEXT:    %y = entry mul axes (i0: M, i1: 2) of %x at (i0, i1), %a at () : tensor<[M, 2], f32>
// CHECK-NEXT:    %z = entry mul axes (i0: M, i1: 2) of %y at (i0, i1), %a at () : tensor<[M, 2], f32>
// CHECK-NEXT:    %c = const dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    %w = entry add axes (i0: M, i1: 2) of %z at (i0, i1), %c at (i1) : tensor<[M, 2], f32>
// CHECK-NEXT:    return %y, %w
// CHECK-NEXT:  }
tiny.func @constants<M>(%x: tensor<[M, 2], f32>) -> (tensor<[M, 2], f32>, tensor<[M, 2], f32>) {
  %a = const 0.5 : tensor<[M, 1], f32>
  %b = const 0.5 : tensor<[2], f32>
  %c = const dense<[1.0, 2.0]> : tensor<2xf32>
  %y = mul %x, %a
  %z = mul %y, %b
  %w = add %z, %c
  return %y, %w
}

// Functions of elements keep their names; the predicate of a comparison is its function.
// CHECK-LABEL: book.func @functions<M>(%x: tensor<[M], f32>, %i: tensor<[M], i32>) -> (tensor<[M], f32>, tensor<[M], i32>) {
// CHECK-NEXT:    %c = entry lt axes (i0: M) of %x at (i0), %i at (i0) : tensor<[M], i1>
// CHECK-NEXT:    %e = entry exp2 axes (i0: M) of %x at (i0) : tensor<[M], f32>
// CHECK-NEXT:    %w = entry where axes (i0: M) of %c at (i0), %e at (i0), %x at (i0) : tensor<[M], f32>
// CHECK-NEXT:    %d = entry floordiv axes (i0: M) of %i at (i0), %i at (i0) : tensor<[M], i32>
// CHECK-NEXT:    %h = entry shl axes (i0: M) of %d at (i0), %i at (i0) : tensor<[M], i32>
// CHECK-NEXT:    %b = entry bitcast axes (i0: M) of %h at (i0) to f32 : tensor<[M], f32>
// CHECK-NEXT:    %s = entry sub axes (i0: M) of %w at (i0), %b at (i0) : tensor<[M], f32>
// CHECK-NEXT:    %j = entry cast axes (i0: M) of %s at (i0) to i32 : tensor<[M], i32>
// CHECK-NEXT:    return %s, %j
// CHECK-NEXT:  }
tiny.func @functions<M>(%x: tensor<[M], f32>, %i: tensor<[M], i32>) -> (tensor<[M], f32>, tensor<[M], i32>) {
  %c = cmp lt %x, %i
  %e = exp2 %x
  %w = where %c, %e, %x
  %d = floordiv %i, %i
  %h = shl %d, %i
  %b = bitcast %h to f32
  %s = sub %w, %b
  %j = cast %s to i32
  return %s, %j
}

// Reduced axes come last, in order.
// CHECK-LABEL: book.func @reductions<M, N, K>(%x: tensor<[M, N, K], f16>) -> (tensor<[N], f32>, tensor<[M, N], f16>) {
// CHECK-NEXT:    %s = reduce sum axes (i0: N) over (i1: M, i2: K) of %x at (i1, i0, i2) acc f32 : tensor<[N], f32>
// CHECK-NEXT:    %m = reduce max axes (i0: M, i1: N) over (i2: K) of %x at (i0, i1, i2) acc f16 : tensor<[M, N], f16>
// CHECK-NEXT:    return %s, %m
// CHECK-NEXT:  }
tiny.func @reductions<M, N, K>(%x: tensor<[M, N, K], f16>) -> (tensor<[N], f32>, tensor<[M, N], f16>) {
  %s = reduce sum %x over [0, 2] acc f32
  %m = reduce max %x over [2]
  return %s, %m
}

// A range is its axis; arithmetic on it stays arithmetic.
// CHECK-LABEL: book.func @ranges<M, N>() -> tensor<[M, N], i32> {
// CHECK-NEXT:    %i = iota (i0) axes (i0: M, i1: N) : tensor<[M, N], i32>
// CHECK-NEXT:    %j = iota (i1) axes (i0: M, i1: N) : tensor<[M, N], i32>
// CHECK-NEXT:    %s = entry add axes (i0: M, i1: N) of %i at (i0, i1), %j at (i0, i1) : tensor<[M, N], i32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @ranges<M, N>() -> tensor<[M, N], i32> {
  %i = range 0 : tensor<[M, N], i32>
  %j = range 1 : tensor<[M, N], i32>
  %s = add %i, %j
  return %s
}

// A view that is a result is an entry; an argument is itself.
// CHECK-LABEL: book.func @results<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[N, M], f32>, tensor<[M, N], f32>, tensor<[2], i8>, tensor<[M], i1>) {
// CHECK-NEXT:    %t = entry copy axes (i0: N, i1: M) of %x at (i1, i0) : tensor<[N, M], f32>
// CHECK-NEXT:    %c = const 3 : tensor<[2], i8>
// CHECK-NEXT:    %0 = const 1 : tensor<[], i1>
// CHECK-NEXT:    %v = entry copy axes (i0: M) of %0 at () where (0 <= i0 - 1 < M - 1) : tensor<[M], i1>
// CHECK-NEXT:    return %t, %x, %c, %v
// CHECK-NEXT:  }
tiny.func @results<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[N, M], f32>, tensor<[M, N], f32>, tensor<[2], i8>, tensor<[M], i1>) {
  %t = permute %x by [1, 0]
  %c = const 3 : tensor<[2], i8>
  %v = valid from [1] to [M] : tensor<[M], i1>
  return %t, %x, %c, %v
}

// A table is read by elements of the indices first.
// CHECK-LABEL: book.func @embedding<B, S, V, D>(%W: tensor<[V, D], f16>, %ids: tensor<[B, S], i32>) -> tensor<[B, S, D], f16> {
// CHECK-NEXT:    %e = gather non_scop axes (i0: B, i1: S, i2: D) of %W at [%ids (i0, i1), i2] : tensor<[B, S, D], f16>
// CHECK-NEXT:    return %e
// CHECK-NEXT:  }
tiny.func @embedding<B, S, V, D>(%W: tensor<[V, D], f16>, %ids: tensor<[B, S], i32>) -> tensor<[B, S, D], f16> {
  %e = index %W[%ids]
  return %e
}

// Both regions are computed.
// CHECK-LABEL: book.func @choice<M>(%c: tensor<[], i1>, %x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[2, M], f32>) {
// CHECK-NEXT:    %a = entry neg axes (i0: M) of %x at (i0) : tensor<[M], f32>
// CHECK-NEXT:    %y = entry where axes (i0: M) of %c at (), %a at (i0), %x at (i0) : tensor<[M], f32>
// CHECK-NEXT:    %o = const 1.000000e+00 : tensor<[], f32>
// CHECK-NEXT:    %z = entry where axes (i0: 2, i1: M) of %c at (), %a at (i1), %o at () : tensor<[2, M], f32>
// CHECK-NEXT:    return %y, %z
// CHECK-NEXT:  }
tiny.func @choice<M>(%c: tensor<[], i1>, %x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[2, M], f32>) {
  %y, %z = if %c : tensor<[M], f32>, tensor<[2, M], f32> {
    %a = neg %x
    %b = expand %a to [2, M] dims [1]
    yield %a, %b
  } else {
    %o = const 1.0 : tensor<[2, M], f32>
    yield %x, %o
  }
  return %y, %z
}

// What is stored stands in its place, the target elsewhere.
// CHECK-LABEL: book.func @stored<M>(%v: tensor<[2, M], f32>, %x: tensor<[8, M], f32>) -> (tensor<[8, M], f32>, tensor<[2, M], f32>) {
// CHECK-NEXT:    %0 = const 1 : tensor<[], i1>
// CHECK-NEXT:    %y = entry where axes (i0: 8, i1: M) of %0 at () where (0 <= i0 - 3 < 2), %v at (i0 - 3, i1) where (0 <= i0 - 3 < 2), %x at (i0, i1) : tensor<[8, M], f32>
// CHECK-NEXT:    %z = entry copy axes (i0: 2, i1: M) of %v at (i0, i1) : tensor<[2, M], f32>
// CHECK-NEXT:    return %y, %z
// CHECK-NEXT:  }
tiny.func @stored<M>(%v: tensor<[2, M], f32>, %x: tensor<[8, M], f32>) -> (tensor<[8, M], f32>, tensor<[2, M], f32>) {
  %y = store %v into %x from [3, 0]
  %z = store %v into %v
  return %y, %z
}

// Each operand of a scan is read where its views say.
// CHECK-LABEL: book.func @recurrence<M, N>
// CHECK-NEXT:    %y = scan linear axes (i0: M, i1: N) along 1 of %a at (i0), %x at (i0, N - i1 - 1) acc f32 exclusive : tensor<[M, N], f32>
// CHECK-NEXT:    return %y
tiny.func @recurrence<M, N>(%a: tensor<[M], f16>, %x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %e = expand %a to [M, N] dims [0]
  %f = flip %x over [1]
  %y = scan linear %e, %f along 1 exclusive
  return %y
}

// The mark of a sum stays.
// CHECK-LABEL: book.func @marked<M>
// CHECK-NEXT:    %y = reduce sum axes () over (i0: M) of %x at (i0) acc f32 {any_order} : tensor<[], f32>
tiny.func @marked<M>(%x: tensor<[M], f32>) -> tensor<[], f32> {
  %y = reduce sum %x over [0] {any_order}
  return %y
}
