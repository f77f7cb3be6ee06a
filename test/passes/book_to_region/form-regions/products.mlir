// What stands around a product of matrices is computed by a kernel of its own where the product is faster without it.

// RUN: dlc-opt %s --form-regions --remarks --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: dlc-opt %s --form-regions --split-input-file | FileCheck %s
// RUN: dlc-opt %s --form-regions='symbols=[N:16,K:32]' --split-input-file | FileCheck %s --check-prefix=SHORT
// RUN: dlc-opt %s --form-regions='symbols=[N:2048,K:4096]' --split-input-file | FileCheck %s --check-prefix=LONG
// RUN: dlc-opt %s --form-regions='symbols=[M:65536]' --split-input-file | FileCheck %s --check-prefix=MANY
// RUN: dlc-opt %s --form-regions --evaluate-each --split-input-file -o /dev/null

// The rows of a product are reduced next: tiles have whole rows, however many elements are summed, as long as there are enough
// tiles, or few elements to sum.
// WHY: 'sum' of [M, 10] is not stored: its rows of 10 elements are reduced next, in the registers of its tiles: 40*M bytes are neither written nor read
// CHECK: region.func private @linear_softmax_0<M, K> iters (m: M, i1: 10)
// CHECK-NOT: region.func
// SHORT: region.func private @linear_softmax_0<M, K> iters (m: M, i1: 10)
// SHORT-NOT: region.func
// LONG: region.func private @linear_softmax_0<M, K> iters (m: M, i1: 10)
// LONG: region.func private @linear_softmax_1<M> iters (m: M, i1: 10)
book.func @linear_softmax<M, K>(%X: tensor<[M, K], f16>, %W: tensor<[10, K], f16>) -> tensor<[M, 10], f32> {
  %p = entry mul axes (i0: M, i1: 10, i2: K) of %X at (i0, i2), %W at (i1, i2) to f32 widen : tensor<[M, 10, K], f32>
  %s = reduce sum axes (i0: M, i1: 10) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, 10], f32>
  %mx = reduce max axes (i0: M) over (i1: 10) of %s at (i0, i1) acc f32 : tensor<[M], f32>
  %d = entry sub axes (i0: M, i1: 10) of %s at (i0, i1), %mx at (i0) : tensor<[M, 10], f32>
  %e = entry exp2 axes (i0: M, i1: 10) of %d at (i0, i1) : tensor<[M, 10], f32>
  %l = reduce sum axes (i0: M) over (i1: 10) of %e at (i0, i1) acc f32 : tensor<[M], f32>
  %y = entry fdiv axes (i0: M, i1: 10) of %e at (i0, i1), %l at (i0) : tensor<[M, 10], f32>
  return %y
}

// -----

// The same of rows whose length is a symbol: no tile is sure to have whole ones.
// WHY: 'sum' of [M, N] is stored, 4*M*N bytes: its rows of 128 elements are reduced next, and the kernel that does both would multiply without tensor cores
// CHECK-LABEL: host.func @symbol
// SHORT-LABEL: host.func @symbol
// LONG-LABEL: host.func @symbol
// CHECK: region.func private @symbol_0<M, K, N> iters (m: M, n: N)
// CHECK: region.func private @symbol_1<M, N> iters (m: M, n: N)
book.func @symbol<M, K, N>(%X: tensor<[M, K], f16>, %W: tensor<[N, K], f16>) -> tensor<[M, N], f32> {
  %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i1, i2) to f32 widen : tensor<[M, N, K], f32>
  %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  %mx = reduce max axes (i0: M) over (i1: N) of %s at (i0, i1) acc f32 : tensor<[M], f32>
  %d = entry sub axes (i0: M, i1: N) of %s at (i0, i1), %mx at (i0) : tensor<[M, N], f32>
  %e = entry exp2 axes (i0: M, i1: N) of %d at (i0, i1) : tensor<[M, N], f32>
  %l = reduce sum axes (i0: M) over (i1: N) of %e at (i0, i1) acc f32 : tensor<[M], f32>
  %y = entry fdiv axes (i0: M, i1: N) of %e at (i0, i1), %l at (i0) : tensor<[M, N], f32>
  return %y
}

// -----

// Of few rows and a long sum all SMs have a part if the product has a kernel of its own; of many rows tiles of
// whole rows are enough for all.
// WHY: 'sum' of [M, 256] is stored, 1024*M bytes: its rows of 256 elements are reduced next, and tiles of whole rows are so few that two kernels take less time
// CHECK-LABEL: host.func @tall
// SHORT-LABEL: host.func @tall
// LONG-LABEL: host.func @tall
// MANY-LABEL: host.func @tall
// CHECK: region.func private @tall_0<M> iters (m: M, i1: 256)
// CHECK: region.func private @tall_1<M> iters (m: M)
// MANY: region.func private @tall_0<M> iters (m: M)
// MANY-NOT: @tall_1
book.func @tall<M>(%X: tensor<[M, 512], f16>, %W: tensor<[256, 512], f16>) -> tensor<[M], f32> {
  %p = entry mul axes (i0: M, i1: 256, i2: 512) of %X at (i0, i2), %W at (i1, i2) to f32 widen : tensor<[M, 256, 512], f32>
  %s = reduce sum axes (i0: M, i1: 256) over (i2: 512) of %p at (i0, i1, i2) acc f32 : tensor<[M, 256], f32>
  %mx = reduce max axes (i0: M) over (i1: 256) of %s at (i0, i1) acc f32 : tensor<[M], f32>
  return %mx
}

// -----

// A few multiplications for each element take less time than to write and read it.
// WHY: 'sum' of [M, N] is not stored: what follows is its epilogue
// CHECK: region.func private @distances_0<M, N> iters (m: M)
// CHECK-NOT: region.func
book.func @distances<M, N>(%X: tensor<[M, 3], f32>, %Y: tensor<[N, 3], f32>) -> tensor<[M], f32> {
  %p = entry mul axes (i0: M, i1: N, i2: 3) of %X at (i0, i2), %Y at (i1, i2) : tensor<[M, N, 3], f32>
  %s = reduce sum axes (i0: M, i1: N) over (i2: 3) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  %mx = reduce max axes (i0: M) over (i1: N) of %s at (i0, i1) acc f32 : tensor<[M], f32>
  return %mx
}

// -----

// A factor that takes little work is stored where it serves many results: the product then reads it with TMA.
// WHY: 'relu' of [M, K] is not stored
// CHECK-LABEL: host.func @relu_product
// SHORT-LABEL: host.func @relu_product
// LONG-LABEL: host.func @relu_product
// CHECK: region.func private @relu_product_0<M, N, K> iters (m: M, n: N)
// CHECK-NOT: region.func
// SHORT: region.func private @relu_product_0<M, N, K> iters (m: M, n: N)
// SHORT-NOT: region.func
// LONG: region.func private @relu_product_0<M, K> iters (m: M, k: K)
// LONG: region.func private @relu_product_1<M, N, K> iters (m: M, n: N)
book.func @relu_product<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  %r = entry relu axes (i0: M, i1: K) of %X at (i0, i1) : tensor<[M, K], f16>
  %p = entry mul axes (i0: M, i1: N, i2: K) of %r at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, N, K], f32>
  %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  %y = entry cast axes (i0: M, i1: N) of %s at (i0, i1) to f16 : tensor<[M, N], f16>
  return %y
}

// -----

// The same of a matrix of known size.
// WHY: 'relu' of [M, 1024] is stored, 2048*M bytes: computed before its product, which has {{[0-9]+}} operations for each of its bytes, it would keep TMA from copying it
// CHECK-LABEL: host.func @relu_square
// SHORT-LABEL: host.func @relu_square
// LONG-LABEL: host.func @relu_square
// CHECK: region.func private @relu_square_0<M> iters (m: M, i1: 1024)
// CHECK: region.func private @relu_square_1<M> iters (m: M, i1: 1024)
book.func @relu_square<M>(%X: tensor<[M, 1024], f16>, %W: tensor<[1024, 1024], f16>) -> tensor<[M, 1024], f16> {
  %r = entry relu axes (i0: M, i1: 1024) of %X at (i0, i1) : tensor<[M, 1024], f16>
  %p = entry mul axes (i0: M, i1: 1024, i2: 1024) of %r at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, 1024, 1024], f32>
  %s = reduce sum axes (i0: M, i1: 1024) over (i2: 1024) of %p at (i0, i1, i2) acc f32 : tensor<[M, 1024], f32>
  %y = entry cast axes (i0: M, i1: 1024) of %s at (i0, i1) to f16 : tensor<[M, 1024], f16>
  return %y
}

// -----

// A convolution whose channels another product takes: no tile of one kernel has windows and rows for a second product.
// WHY: 'cast' of [B, 4, 4, 16] is stored, 512*B bytes
// CHECK: region.func private @conv_conv_0<B> iters (b: B, i1: 4, i2: 4, i3: 16)
// CHECK: region.func private @conv_conv_1<B> iters (b: B, i1: 4, i2: 4, i3: 32)
book.func @conv_conv<B>(%X: tensor<[B, 6, 6, 16], f16>, %V: tensor<[3, 3, 16, 16], f16>, %W: tensor<[16, 32], f16>) -> tensor<[B, 4, 4, 32], f32> {
  %p = entry mul axes (i0: B, i1: 4, i2: 4, i3: 16, i4: 3, i5: 3, i6: 16) of %X at (i0, i1 + i4, i2 + i5, i6), %V at (i4, i5, i6, i3) to f32 widen : tensor<[B, 4, 4, 16, 3, 3, 16], f32>
  %s = reduce sum axes (i0: B, i1: 4, i2: 4, i3: 16) over (i4: 3, i5: 3, i6: 16) of %p at (i0, i1, i2, i3, i4, i5, i6) acc f32 : tensor<[B, 4, 4, 16], f32>
  %h = entry cast axes (i0: B, i1: 4, i2: 4, i3: 16) of %s at (i0, i1, i2, i3) to f16 : tensor<[B, 4, 4, 16], f16>
  %q = entry mul axes (i0: B, i1: 4, i2: 4, i3: 32, i4: 16) of %h at (i0, i1, i2, i4), %W at (i4, i3) to f32 widen : tensor<[B, 4, 4, 32, 16], f32>
  %y = reduce sum axes (i0: B, i1: 4, i2: 4, i3: 32) over (i4: 16) of %q at (i0, i1, i2, i3, i4) acc f32 : tensor<[B, 4, 4, 32], f32>
  return %y
}

// -----

// Channels first: the contiguous axis of the result is one of the rows that the second product would take, and a tile of
// rows is stored across memory.
// WHY: 'cast' of [B, 32, 40] is stored, 2560*B bytes
// CHECK: region.func private @channels_first_0<B> iters (b: B, i1: 32, i2: 40)
// CHECK: region.func private @channels_first_1<B> iters (b: B, i1: 48, i2: 40)
book.func @channels_first<B>(%X: tensor<[B, 32, 40], f16>, %V: tensor<[32, 32], f16>, %W: tensor<[48, 32], f16>) -> tensor<[B, 48, 40], f32> {
  %p = entry mul axes (i0: B, i1: 32, i2: 40, i3: 32) of %V at (i1, i3), %X at (i0, i3, i2) to f32 widen : tensor<[B, 32, 40, 32], f32>
  %s = reduce sum axes (i0: B, i1: 32, i2: 40) over (i3: 32) of %p at (i0, i1, i2, i3) acc f32 : tensor<[B, 32, 40], f32>
  %h = entry cast axes (i0: B, i1: 32, i2: 40) of %s at (i0, i1, i2) to f16 : tensor<[B, 32, 40], f16>
  %q = entry mul axes (i0: B, i1: 48, i2: 40, i3: 32) of %W at (i1, i3), %h at (i0, i3, i2) to f32 widen : tensor<[B, 48, 40, 32], f32>
  %y = reduce sum axes (i0: B, i1: 48, i2: 40) over (i3: 32) of %q at (i0, i1, i2, i3) acc f32 : tensor<[B, 48, 40], f32>
  return %y
}

// -----

// The scores of one query stay on chip, as those of many do; those of f32 are stored, as no tensor core multiplies them.
// CHECK-LABEL: region.func private @one_query_0<T> iters (i0: 4, i1: 1, i2: 64)
// CHECK-NOT: region.func
book.func @one_query<T>(%q: tensor<[4, 1, 64], f16>, %k: tensor<[4, T, 64], f16>, %v: tensor<[4, T, 64], f16>) -> tensor<[4, 1, 64], f32> {
  %p = entry mul axes (i0: 4, i1: 1, i2: T, i3: 64) of %q at (i0, i1, i3), %k at (i0, i2, i3) to f32 widen : tensor<[4, 1, T, 64], f32>
  %s = reduce sum axes (i0: 4, i1: 1, i2: T) over (i3: 64) of %p at (i0, i1, i2, i3) acc f32 : tensor<[4, 1, T], f32>
  %mx = reduce max axes (i0: 4, i1: 1) over (i2: T) of %s at (i0, i1, i2) acc f32 : tensor<[4, 1], f32>
  %d = entry sub axes (i0: 4, i1: 1, i2: T) of %s at (i0, i1, i2), %mx at (i0, i1) : tensor<[4, 1, T], f32>
  %e = entry exp2 axes (i0: 4, i1: 1, i2: T) of %d at (i0, i1, i2) : tensor<[4, 1, T], f32>
  %h = entry cast axes (i0: 4, i1: 1, i2: T) of %e at (i0, i1, i2) to f16 : tensor<[4, 1, T], f16>
  %o = entry mul axes (i0: 4, i1: 1, i2: 64, i3: T) of %h at (i0, i1, i3), %v at (i0, i3, i2) to f32 widen : tensor<[4, 1, 64, T], f32>
  %y = reduce sum axes (i0: 4, i1: 1, i2: 64) over (i3: T) of %o at (i0, i1, i2, i3) acc f32 : tensor<[4, 1, 64], f32>
  return %y
}

// -----

// CHECK-LABEL: host.func @one_query_f32<T>
// CHECK: launch
// CHECK: launch
book.func @one_query_f32<T>(%q: tensor<[4, 1, 64], f32>, %k: tensor<[4, T, 64], f32>, %v: tensor<[4, T, 64], f32>) -> tensor<[4, 1, 64], f32> {
  %p = entry mul axes (i0: 4, i1: 1, i2: T, i3: 64) of %q at (i0, i1, i3), %k at (i0, i2, i3) to f32 widen : tensor<[4, 1, T, 64], f32>
  %s = reduce sum axes (i0: 4, i1: 1, i2: T) over (i3: 64) of %p at (i0, i1, i2, i3) acc f32 : tensor<[4, 1, T], f32>
  %mx = reduce max axes (i0: 4, i1: 1) over (i2: T) of %s at (i0, i1, i2) acc f32 : tensor<[4, 1], f32>
  %d = entry sub axes (i0: 4, i1: 1, i2: T) of %s at (i0, i1, i2), %mx at (i0, i1) : tensor<[4, 1, T], f32>
  %e = entry exp2 axes (i0: 4, i1: 1, i2: T) of %d at (i0, i1, i2) : tensor<[4, 1, T], f32>
  %o = entry mul axes (i0: 4, i1: 1, i2: 64, i3: T) of %e at (i0, i1, i3), %v at (i0, i3, i2) to f32 widen : tensor<[4, 1, 64, T], f32>
  %y = reduce sum axes (i0: 4, i1: 1, i2: 64) over (i3: T) of %o at (i0, i1, i2, i3) acc f32 : tensor<[4, 1, 64], f32>
  return %y
}
