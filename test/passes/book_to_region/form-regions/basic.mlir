// RUN: dlc-opt %s --form-regions | FileCheck %s
// RUN: dlc-opt %s --form-regions --evaluate-each -o /dev/null

// A product of matrices with its epilogue is one kernel, whose axes are called after their sizes.
// CHECK-LABEL: host.func @gemm_bias_relu<M, N, K>(
// CHECK-NEXT:    %y = launch @gemm_bias_relu_0<M, N, K> (%X, %W, %bias) : memref<[M, N], f16, row_major, align 128, noalias>
// CHECK-NEXT:    return %y
// CHECK:       region.func private @gemm_bias_relu_0<M, N, K> iters (m: M, n: N)
// CHECK-NEXT:    ins (%X: memref<[M, K], f16, row_major, align 128, noalias>, %W: memref<[K, N], f16, row_major, align 128, noalias>, %bias: memref<[N], f16, row_major, align 16, noalias>)
// CHECK-NEXT:    outs (y: memref<[M, N], f16, row_major, align 128, noalias> materialize gmem) {
// CHECK-NEXT:    %0 = read %bias[n] : f16 over (n)
// CHECK-NEXT:    %1 = read %X[m, k] : f16 over (m, k)
// CHECK-NEXT:    %2 = read %W[k, n] : f16 over (n, k)
// CHECK-NEXT:    %p = binary mul %1, %2 widen : f32 over (m, n, k)
// CHECK-NEXT:    %s = reduce sum (k: K) acc f32 init 0.0 {
// CHECK-NEXT:      yield %p
// CHECK-NEXT:    } : f32 over (m, n)
// CHECK-NEXT:    %sb = binary add %s, %0 : f32 over (m, n)
// CHECK-NEXT:    %r = unary relu %sb : f32 over (m, n)
// CHECK-NEXT:    %y = cast %r : f16 over (m, n)
// CHECK-NEXT:    yield %y to y
book.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16> {alignment = 16}) -> tensor<[M, N], f16> {
  %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen
  %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32
  %sb = entry add axes (i0: M, i1: N) of %s at (i0, i1), %bias at (i1)
  %r = entry relu axes (i0: M, i1: N) of %sb at (i0, i1)
  %y = entry cast axes (i0: M, i1: N) of %r at (i0, i1) to f16
  return %y
}

// The reductions of a row go over the axis of the result, as what they read is there: the row is read once.
// CHECK-LABEL: region.func private @softmax_0<M, N> iters (m: M, n: N)
// CHECK:         %0 = read %X[m, n] : f32 over (m, n)
// CHECK-NEXT:    %mx = reduce max (n: N) acc f32 init -inf {
// CHECK-NEXT:      yield %0
// CHECK-NEXT:    } : f32 over (m)
// CHECK-NEXT:    %d = binary sub %0, %mx : f32 over (m, n)
// CHECK-NEXT:    %e = unary exp2 %d : f32 over (m, n)
// CHECK-NEXT:    %l = reduce sum (n: N) acc f32 init 0.0 {
// CHECK-NEXT:      yield %e
// CHECK-NEXT:    } : f32 over (m)
// CHECK-NEXT:    %y = binary fdiv %e, %l : f32 over (m, n)
book.func @softmax<M, N>(%X: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %mx = reduce max axes (i0: M) over (i1: N) of %X at (i0, i1) acc f32
  %d = entry sub axes (i0: M, i1: N) of %X at (i0, i1), %mx at (i0)
  %e = entry exp2 axes (i0: M, i1: N) of %d at (i0, i1)
  %l = reduce sum axes (i0: M) over (i1: N) of %e at (i0, i1) acc f32
  %y = entry fdiv axes (i0: M, i1: N) of %e at (i0, i1), %l at (i0)
  return %y
}

// Attention is one kernel: the scores are never stored. Their sum goes over an axis of its own.
// CHECK-LABEL: region.func private @attention_0<H, S, T, D> iters (h: H, s: S, d: D)
// CHECK:         %scores = reduce sum (d1: D) acc f32 init 0.0 {
// CHECK:         } : f32 over (h, s, t)
// CHECK:         %mx = reduce max (t: T) acc f32 init -inf {
// CHECK-NEXT:      yield %scores
// CHECK:         %o = reduce sum (t: T) acc f32 init 0.0 {
// CHECK:         } : f32 over (h, s, d)
// CHECK:         %l = reduce sum (t: T) acc f32 init 0.0 {
book.func @attention<H, S, T, D>(%Q: tensor<[H, S, D], f16>, %K: tensor<[H, T, D], f16>, %V: tensor<[H, T, D], f16>) -> tensor<[H, S, D], f16> {
  %qk = entry mul axes (i0: H, i1: S, i2: T, i3: D) of %Q at (i0, i1, i3), %K at (i0, i2, i3) to f32 widen
  %scores = reduce sum axes (i0: H, i1: S, i2: T) over (i3: D) of %qk at (i0, i1, i2, i3) acc f32
  %mx = reduce max axes (i0: H, i1: S) over (i2: T) of %scores at (i0, i1, i2) acc f32
  %d = entry sub axes (i0: H, i1: S, i2: T) of %scores at (i0, i1, i2), %mx at (i0, i1)
  %e = entry exp2 axes (i0: H, i1: S, i2: T) of %d at (i0, i1, i2)
  %l = reduce sum axes (i0: H, i1: S) over (i2: T) of %e at (i0, i1, i2) acc f32
  %pv = entry mul axes (i0: H, i1: S, i2: D, i3: T) of %e at (i0, i1, i3), %V at (i0, i3, i2) widen
  %o = reduce sum axes (i0: H, i1: S, i2: D) over (i3: T) of %pv at (i0, i1, i2, i3) acc f32
  %n = entry fdiv axes (i0: H, i1: S, i2: D) of %o at (i0, i1, i2), %l at (i0, i1)
  %y = entry cast axes (i0: H, i1: S, i2: D) of %n at (i0, i1, i2) to f16
  return %y
}

// Two products of matrices with elementwise work between are one kernel, if the rows of the result are not too long.
// CHECK-LABEL: region.func private @chain_0<M, N, K, O> iters (m: M, o: O)
// CHECK:         } : f32 over (m, n)
// CHECK:         %r = unary relu %h : f32 over (m, n)
// CHECK:         } : f32 over (m, o)
book.func @chain<M, N, K, O>(%X: tensor<[M, K], f32>, %V: tensor<[K, N], f32>, %W: tensor<[N, O], f32>) -> tensor<[M, O], f32> {
  %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %V at (i2, i1) widen
  %h = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32
  %r = entry relu axes (i0: M, i1: N) of %h at (i0, i1)
  %q = entry mul axes (i0: M, i1: O, i2: N) of %r at (i0, i2), %W at (i2, i1) widen
  %y = reduce sum axes (i0: M, i1: O) over (i2: N) of %q at (i0, i1, i2) acc f32
  return %y
}

// Where a value that is not stored is read within a guard, what it is computed from is too.
// CHECK-LABEL: region.func private @padded_0<N> iters (i0: N + 2)
// CHECK:         %0 = read %X[i0 - 1] where (0 <= i0 - 1 < N) : f32 over (i0)
// CHECK-NEXT:    %a = unary exp2 %0 : f32 over (i0)
// CHECK-NEXT:    %1 = const 7.0 : f32 over ()
// CHECK-NEXT:    %2 = select where (0 <= i0 - 1 < N) then %a else %1 : f32 over (i0)
book.func @padded<N>(%X: tensor<[N], f32>) -> tensor<[N + 2], f32> {
  %a = entry exp2 axes (i0: N) of %X at (i0)
  %y = entry sqrt axes (i0: N + 2) of %a at (i0 - 1) where (0 <= i0 - 1 < N) else 7.0
  return %y
}

// Elements at positions that are values; memory with other sizes; a table of constants; a position as a number.
// CHECK-LABEL: host.func @others<V, D, B, N>(
// CHECK-NEXT:    %e = launch @others_0<V, D, B> (%W, %ids)
// CHECK-NEXT:    %f = view %e : memref<[N], f16, row_major, align 128, noalias>
// CHECK-NEXT:    %y = launch @others_1<N> (%f)
// CHECK-NEXT:    %c = const dense<[1, 2, 3]> : tensor<3xi32> : memref<[3], i32, row_major, align 128, noalias>
// CHECK-NEXT:    %t = launch @others_2 (%c)
// CHECK-NEXT:    return %y, %t
// CHECK:       region.func private @others_0<V, D, B> iters (b: B, d: D)
// CHECK:         %0 = read %ids[b] : i32 over (b)
// CHECK-NEXT:    %e = read %W[%0, d] : f16 over (b, d)
// CHECK:       region.func private @others_2 iters (i0: 3)
// CHECK:         %i = index (2*i0) : i32 over (i0)
book.func @others<V, D, B, N>(%W: tensor<[V, D], f16>, %ids: tensor<[B], i32>) -> (tensor<[N], f16>, tensor<[3], i32>) {
  %e = gather non_scop axes (i0: B, i1: D) of %W at [%ids (i0), i1] : tensor<[B, D], f16>
  %f = reshape non_scop %e : tensor<[N], f16>
  %y = entry neg axes (i0: N) of %f at (i0)
  %c = const dense<[1, 2, 3]> : tensor<3xi32>
  %i = iota (2*i0) axes (i0: 3) : tensor<[3], i32>
  %t = entry add axes (i0: 3) of %c at (i0), %i at (i0)
  return %y, %t
}

// Each result is a buffer of its own, also if it is an argument or is there twice; one that repeats elements is stored
// for each point.
// CHECK-LABEL: host.func @results<M, N>(
// CHECK-SAME:    attributes {outputs = ["out0", "out1", "out2"]}
// CHECK-NEXT:    %r = launch @results_0<M, N> (%x)
// CHECK-NEXT:    %x_0 = launch @results_1<M> (%x)
// CHECK-NEXT:    %r_0 = launch @results_2<M, N> (%r)
// CHECK-NEXT:    return %x_0, %r, %r_0
// CHECK:       region.func private @results_0<M, N> iters (m: M, n: N)
// CHECK:         %r = read %x[m] : f32 over (m)
// CHECK-NEXT:    %0 = broadcast_in_dim %r to [M, N] dims [0] : f32 over (m, n)
book.func @results<M, N>(%x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[M, N], f32>, tensor<[M, N], f32>) {
  %r = entry copy axes (i0: M, i1: N) of %x at (i0)
  return %x, %r, %r
}

// A product that is not rounded before something is added to it.
// CHECK-LABEL: region.func private @fused_0<M> iters (m: M)
// CHECK:         %p = binary mul %0, %0 widen : f32 over (m)
// CHECK-NEXT:    %y = binary add %p, %0 : f32 over (m)
book.func @fused<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %p = entry mul axes (i0: M) of %x at (i0), %x at (i0) widen
  %y = entry add axes (i0: M) of %p at (i0), %x at (i0)
  return %y
}

// Of no elements a reduction is a number, and what is read is read by nobody.
// CHECK-LABEL: region.func private @empty_0<M> iters (m: M)
// CHECK:         outs
// CHECK-NEXT:    %y = const -inf : f32 over ()
// CHECK-NEXT:    %0 = broadcast_in_dim %y to [M] dims [] : f32 over (m)
book.func @empty<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %e = entry exp2 axes (i0: M, i1: 0) of %x at (i0)
  %y = reduce max axes (i0: M) over (i1: 0) of %e at (i0, i1) acc f32
  return %y
}

// Memory that is read in two ways by one kernel is not its alone.
// CHECK-LABEL: host.func @seen_twice<M, N>(%x: memref<[M], f32, row_major, align 128>)
// CHECK-NEXT:    %a = view %x : memref<[N], f32, row_major, align 128>
// CHECK-NEXT:    %b = view %x : memref<[N], f32, row_major, align 128>
// CHECK-NEXT:    %y = launch @seen_twice_0<N> (%a, %b)
book.func @seen_twice<M, N>(%x: tensor<[M], f32>) -> tensor<[N], f32> {
  %a = reshape non_scop %x : tensor<[N], f32>
  %b = reshape non_scop %x : tensor<[N], f32>
  %y = entry add axes (i0: N) of %a at (i0), %b at (i0)
  return %y
}
