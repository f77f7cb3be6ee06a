// What would be computed too often is stored; what is computed once where it is read is not.

// RUN: dlc-opt %s --form-regions --remarks --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: dlc-opt %s --form-regions --split-input-file | FileCheck %s
// RUN: dlc-opt %s --form-regions --evaluate-each --split-input-file -o /dev/null

// A running sum of a running sum, as sums of masked rows: in one kernel each result would sum up all sums before it.
// WHY: 'sum' of [M, N] is stored, 4*M*N bytes: another reduction reads it at each of its steps, and would compute each element 128 times
// CHECK-LABEL: host.func @sums_of_sums
// CHECK: region.func private @sums_of_sums_0
// CHECK: region.func private @sums_of_sums_1
book.func @sums_of_sums<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %p = iota (i0) axes (i0: N) : tensor<[N], i32>
  %le = entry le axes (i0: N, i1: N) of %p at (i1), %p at (i0) : tensor<[N, N], i1>
  %z = const 0.0 : tensor<[], f32>
  %a = entry where axes (i0: M, i1: N, i2: N) of %le at (i1, i2), %x at (i0, i2), %z at () : tensor<[M, N, N], f32>
  %s = reduce sum axes (i0: M, i1: N) over (i2: N) of %a at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  %b = entry where axes (i0: M, i1: N, i2: N) of %le at (i1, i2), %s at (i0, i2), %z at () : tensor<[M, N, N], f32>
  %y = reduce sum axes (i0: M, i1: N) over (i2: N) of %b at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  return %y
}

// -----

// A sum that is counted against several samples: each of them would sum it up again.
// WHY: 'sum' of [M, N] is stored, 4*M*N bytes: another reduction reads it at each of its steps, and would compute each element 3 times
// CHECK-LABEL: host.func @samples
// CHECK: region.func private @samples_1
// CHECK-NOT: region.func
book.func @samples<M, N, K>(%x: tensor<[M, N, K], f32>, %u: tensor<[M, 3], f32>) -> tensor<[M, 3], i32> {
  %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %x at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  %l = entry lt axes (i0: M, i1: 3, i2: N) of %s at (i0, i2), %u at (i0, i1) : tensor<[M, 3, N], i1>
  %c = entry cast axes (i0: M, i1: 3, i2: N) of %l at (i0, i1, i2) to i32 : tensor<[M, 3, N], i32>
  %y = reduce sum axes (i0: M, i1: 3) over (i2: N) of %c at (i0, i1, i2) acc i32 : tensor<[M, 3], i32>
  return %y
}

// -----

// The steps of a sum that is wanted at two thousand positions come to the same few elements again and again.
// WHY: 'sum' of [4, 8, 256] is stored, 32768 bytes: another reduction reads it at each of its steps, and would compute each element 8 times
// CHECK-LABEL: host.func @same_elements
// CHECK: region.func private @same_elements_1
// CHECK-NOT: region.func
book.func @same_elements(%x: tensor<[4, 8, 256, 16], f32>) -> tensor<[4, 2048], f32> {
  %s = reduce sum axes (i0: 4, i1: 8, i2: 256) over (i3: 16) of %x at (i0, i1, i2, i3) acc f32 : tensor<[4, 8, 256], f32>
  %t = reduce sum axes (i0: 4, i1: 8) over (i2: 8) of %s at (i0, i2, i1) acc f32 : tensor<[4, 8], f32>
  %u = entry add axes (i0: 4, i1: 8, i2: 256) of %s at (i0, i1, i2), %t at (i0, i1) : tensor<[4, 8, 256], f32>
  %y = entry copy axes (i0: 4, i1: 2048) of %u at (i0, i1 floordiv 256, i1 mod 256) : tensor<[4, 2048], f32>
  return %y
}

// -----

// Each of these maxima is summed once, and is computed at the step that sums it, as its row is short and sums are many.
// Longer rows are reduced by a kernel of their own, since no plan goes along two reductions of which one is within the other.
// WHY: 'max' of [100000, N] is not stored: it is used where its row is read
// WHY: 'max' of [M, N] is stored, {{.*}}16384 rows of 128 elements are reduced for 128 results: each step of a result would reduce a row
// CHECK-LABEL: host.func @sum_of_maxima
// CHECK: region.func private @sum_of_maxima_0
// CHECK-NOT: region.func
// CHECK-LABEL: host.func @sum_of_long_maxima
// CHECK: launch @sum_of_long_maxima_0
// CHECK: launch @sum_of_long_maxima_1
book.func @sum_of_maxima<N>(%x: tensor<[100000, N, 7], f32>) -> tensor<[100000], f32> {
  %m = reduce max axes (i0: 100000, i1: N) over (i2: 7) of %x at (i0, i1, i2) acc f32 : tensor<[100000, N], f32>
  %y = reduce sum axes (i0: 100000) over (i1: N) of %m at (i0, i1) acc f32 : tensor<[100000], f32>
  return %y
}
book.func @sum_of_long_maxima<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[M], f32> {
  %m = reduce max axes (i0: M, i1: N) over (i2: K) of %x at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  %y = reduce sum axes (i0: M) over (i1: N) of %m at (i0, i1) acc f32 : tensor<[M], f32>
  return %y
}

// -----

// Numbers of a row are computed before the sums of the same row that read them, however many there are of both.
// CHECK-LABEL: host.func @softmaxes
// CHECK: region.func private @softmaxes_0
// CHECK-COUNT-3: unary exp2
// CHECK-NOT: unary exp2
// CHECK-NOT: region.func
book.func @softmaxes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %m0 = reduce max axes (i0: M) over (i1: N) of %x at (i0, i1) acc f32 : tensor<[M], f32>
  %d0 = entry sub axes (i0: M, i1: N) of %x at (i0, i1), %m0 at (i0) : tensor<[M, N], f32>
  %e0 = entry exp2 axes (i0: M, i1: N) of %d0 at (i0, i1) : tensor<[M, N], f32>
  %l0 = reduce sum axes (i0: M) over (i1: N) of %e0 at (i0, i1) acc f32 : tensor<[M], f32>
  %y0 = entry fdiv axes (i0: M, i1: N) of %e0 at (i0, i1), %l0 at (i0) : tensor<[M, N], f32>
  %m1 = reduce max axes (i0: M) over (i1: N) of %y0 at (i0, i1) acc f32 : tensor<[M], f32>
  %d1 = entry sub axes (i0: M, i1: N) of %y0 at (i0, i1), %m1 at (i0) : tensor<[M, N], f32>
  %e1 = entry exp2 axes (i0: M, i1: N) of %d1 at (i0, i1) : tensor<[M, N], f32>
  %l1 = reduce sum axes (i0: M) over (i1: N) of %e1 at (i0, i1) acc f32 : tensor<[M], f32>
  %y1 = entry fdiv axes (i0: M, i1: N) of %e1 at (i0, i1), %l1 at (i0) : tensor<[M, N], f32>
  %m2 = reduce max axes (i0: M) over (i1: N) of %y1 at (i0, i1) acc f32 : tensor<[M], f32>
  %d2 = entry sub axes (i0: M, i1: N) of %y1 at (i0, i1), %m2 at (i0) : tensor<[M, N], f32>
  %e2 = entry exp2 axes (i0: M, i1: N) of %d2 at (i0, i1) : tensor<[M, N], f32>
  %l2 = reduce sum axes (i0: M) over (i1: N) of %e2 at (i0, i1) acc f32 : tensor<[M], f32>
  %y2 = entry fdiv axes (i0: M, i1: N) of %e2 at (i0, i1), %l2 at (i0) : tensor<[M, N], f32>
  return %y2
}

// -----

// Every level reads the one before at two places: four levels up that would be 16 copies of the first.
// WHY: 'max' of [64] is stored, 256 bytes: its kernel would compute it at 8 places, each with all that it is computed from, and does at most at 4
// WHY: 'max' of [32] is not stored
// WHY: 'max' of [16] is not stored
// CHECK-LABEL: host.func @halves
// CHECK: region.func private @halves_1
// CHECK-NOT: region.func
book.func @halves(%x: tensor<[128], f32>) -> tensor<[8], f32> {
  %n = entry neg axes (i0: 128) of %x at (i0) : tensor<[128], f32>
  %a = entry exp2 axes (i0: 128) of %n at (i0) : tensor<[128], f32>
  %b = entry max axes (i0: 64) of %a at (i0), %a at (i0 + 64) : tensor<[64], f32>
  %c = entry max axes (i0: 32) of %b at (i0), %b at (i0 + 32) : tensor<[32], f32>
  %d = entry max axes (i0: 16) of %c at (i0), %c at (i0 + 16) : tensor<[16], f32>
  %y = entry max axes (i0: 8) of %d at (i0), %d at (i0 + 8) : tensor<[8], f32>
  return %y
}

// -----

// A few ops on one tensor are done again rather than stored, but not without end: here 4 of them eight times, for three.
// WHY: 'sqrt' of [128] is stored, 512 bytes: it would be computed at 8 places, and kernels have at most 4 times the ops of the program
// WHY: 'log2' of [128] is not stored: it is cheaper to compute than to read
// CHECK-LABEL: host.func @few_ops_often
// CHECK: region.func private @few_ops_often_1
// CHECK-NOT: region.func
book.func @few_ops_often(%x: tensor<[128], f32>) -> tensor<[16], f32> {
  %n = entry neg axes (i0: 128) of %x at (i0) : tensor<[128], f32>
  %e = entry exp2 axes (i0: 128) of %n at (i0) : tensor<[128], f32>
  %s = entry sqrt axes (i0: 128) of %e at (i0) : tensor<[128], f32>
  %l = entry log2 axes (i0: 128) of %s at (i0) : tensor<[128], f32>
  %b = entry max axes (i0: 64) of %l at (i0), %l at (i0 + 64) : tensor<[64], f32>
  %c = entry max axes (i0: 32) of %b at (i0), %b at (i0 + 32) : tensor<[32], f32>
  %y = entry max axes (i0: 16) of %c at (i0), %c at (i0 + 16) : tensor<[16], f32>
  return %y
}

// -----

// What the program asks for is stored, but numbers.
// WHY: 'exp2' of [M] is stored, 4*M bytes: the program asks for it ('contiguous')
// CHECK-LABEL: host.func @asked
// CHECK: region.func private @asked_1
// CHECK-NOT: region.func
book.func @asked<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %c = const 2.0 {contiguous} : tensor<[], f32>
  %e = entry exp2 axes (i0: M) of %x at (i0) {contiguous} : tensor<[M], f32>
  %y = entry mul axes (i0: M) of %e at (i0), %c at () : tensor<[M], f32>
  return %y
}

// -----

// A contraction reads what a sum over windows is rounded to: the sum is computed before it is rounded and stored, and the
// contraction takes no other one on chip, as windows read that one.
// WHY: 'cast' of [N, 64, H] is stored, 128*H*N bytes: windows would compute each element 3.0 times (halo)
// WHY: 'sum' of [N, 64, H] is not stored
// WHY: 'cast' of [N, 64, H] is stored, 128*H*N bytes: it is rounded, and 'sum' of [N, 64, H] before it is stored
// CHECK-LABEL: host.func @window_between
// CHECK: region.func private @window_between_0
// CHECK: outs (h: memref<[N, 64, H], f16
// CHECK: region.func private @window_between_1
// CHECK: outs (g: memref<[N, 64, H], f16
// CHECK: region.func private @window_between_2
// CHECK-NOT: region.func
book.func @window_between<N, H>(%x: tensor<[N, 32, H], f16>, %a: tensor<[64, 32], f16>, %w: tensor<[64, 3], f16>, %b: tensor<[32, 64], f16>) -> tensor<[N, 32, H], f32> {
  %z = const 0.0 : tensor<[], f32>
  %p = entry mul axes (i0: N, i1: 64, i2: H, i3: 32) of %a at (i1, i3), %x at (i0, i3, i2) to f32 widen : tensor<[N, 64, H, 32], f32>
  %c = reduce sum axes (i0: N, i1: 64, i2: H) over (i3: 32) of %p at (i0, i1, i2, i3) acc f32 : tensor<[N, 64, H], f32>
  %h = entry cast axes (i0: N, i1: 64, i2: H) of %c at (i0, i1, i2) to f16 : tensor<[N, 64, H], f16>
  %q = entry mul axes (i0: N, i1: 64, i2: H, i3: 3) of %w at (i1, i3), %h at (i0, i1, i2 + i3 - 1) where (0 <= i2 + i3 - 1 < H) to f32 widen : tensor<[N, 64, H, 3], f32>
  %d = reduce sum axes (i0: N, i1: 64, i2: H) over (i3: 3) of %q at (i0, i1, i2, i3) acc f32 : tensor<[N, 64, H], f32>
  %m = entry max axes (i0: N, i1: 64, i2: H) of %d at (i0, i1, i2), %z at () : tensor<[N, 64, H], f32>
  %g = entry cast axes (i0: N, i1: 64, i2: H) of %m at (i0, i1, i2) to f16 : tensor<[N, 64, H], f16>
  %r = entry mul axes (i0: N, i1: 32, i2: H, i3: 64) of %b at (i1, i3), %g at (i0, i3, i2) to f32 widen : tensor<[N, 32, H, 64], f32>
  %y = reduce sum axes (i0: N, i1: 32, i2: H) over (i3: 64) of %r at (i0, i1, i2, i3) acc f32 : tensor<[N, 32, H], f32>
  return %y
}

// -----

// What another reduction would compute again is stored as it is rounded.
// WHY: 'cast' of [M, N] is stored, 2*M*N bytes: it is rounded, and 'sum' of [M, N] before it is stored: another reduction reads it at each of its steps, and would compute each element 128 times
// CHECK-LABEL: host.func @rounded
// CHECK: region.func private @rounded_0
// CHECK: outs (r: memref<[M, N], f16
// CHECK: region.func private @rounded_1
// CHECK-NOT: region.func
book.func @rounded<M, N, K>(%x: tensor<[M, N, K], f32>, %u: tensor<[M, N], f16>) -> tensor<[M, N], f32> {
  %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %x at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  %e = entry exp2 axes (i0: M, i1: N) of %s at (i0, i1) : tensor<[M, N], f32>
  %r = entry cast axes (i0: M, i1: N) of %e at (i0, i1) to f16 : tensor<[M, N], f16>
  %l = entry max axes (i0: M, i1: N, i2: N) of %r at (i0, i2), %u at (i0, i1) : tensor<[M, N, N], f16>
  %c = entry cast axes (i0: M, i1: N, i2: N) of %l at (i0, i1, i2) to f32 : tensor<[M, N, N], f32>
  %y = reduce sum axes (i0: M, i1: N) over (i2: N) of %c at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  return %y
}

// -----

// A sum of two tensors that two kernels need is cheaper to compute twice than to store; for five it is not.
// WHY: 'add' of [M, N] is not stored: 2 kernels compute it, each for itself
// WHY: 'mul' of [M, N] is stored, 4*M*N bytes: 5 kernels need it (fan-out)
// CHECK-LABEL: host.func @two_tensors
book.func @two_tensors<M, N>(%x: tensor<[M, N], f32>, %z: tensor<[M, N], f32>) -> (tensor<[M, N], f32>, tensor<[M], f32>, tensor<[M, N], f32>, tensor<[M, N], f32>, tensor<[M, N], f32>, tensor<[M, N], f32>, tensor<[M], f32>) {
  %a = entry add axes (i0: M, i1: N) of %x at (i0, i1), %z at (i0, i1) : tensor<[M, N], f32>
  %b = entry exp2 axes (i0: M, i1: N) of %a at (i0, i1) : tensor<[M, N], f32>
  %c = reduce max axes (i0: M) over (i1: N) of %a at (i0, i1) acc f32 : tensor<[M], f32>
  %p = entry mul axes (i0: M, i1: N) of %x at (i0, i1), %z at (i0, i1) : tensor<[M, N], f32>
  %d = entry exp2 axes (i0: M, i1: N) of %p at (i0, i1) : tensor<[M, N], f32>
  %e = entry sqrt axes (i0: M, i1: N) of %p at (i0, i1) : tensor<[M, N], f32>
  %f = entry neg axes (i0: M, i1: N) of %p at (i0, i1) : tensor<[M, N], f32>
  %g = entry relu axes (i0: M, i1: N) of %p at (i0, i1) : tensor<[M, N], f32>
  %h = reduce max axes (i0: M) over (i1: N) of %p at (i0, i1) acc f32 : tensor<[M], f32>
  return %b, %c, %d, %e, %f, %g, %h
}
