// RUN: dlc-opt %s --form-regions --remarks --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: dlc-opt %s --form-regions --split-input-file | FileCheck %s

// A window over what a window gives: each element of the first convolution would be computed up to nine times.
// WHY: 'sum' of [14, 14] is stored, 784 bytes: windows would compute each element 6.6 times (halo)
// CHECK: region.func private @conv_conv_0 iters (i0: 14, i1: 14)
// CHECK: region.func private @conv_conv_1 iters (i0: 12, i1: 12)
book.func @conv_conv(%X: tensor<[16, 16], f32>, %V: tensor<[3, 3], f32>, %W: tensor<[3, 3], f32>) -> tensor<[12, 12], f32> {
  %p = entry mul axes (i0: 14, i1: 14, i2: 3, i3: 3) of %X at (i0 + i2, i1 + i3), %V at (i2, i3) widen : tensor<[14, 14, 3, 3], f32>
  %c = reduce sum axes (i0: 14, i1: 14) over (i2: 3, i3: 3) of %p at (i0, i1, i2, i3) acc f32 : tensor<[14, 14], f32>
  %q = entry mul axes (i0: 12, i1: 12, i2: 3, i3: 3) of %c at (i0 + i2, i1 + i3), %W at (i2, i3) widen : tensor<[12, 12, 3, 3], f32>
  %y = reduce sum axes (i0: 12, i1: 12) over (i2: 3, i3: 3) of %q at (i0, i1, i2, i3) acc f32 : tensor<[12, 12], f32>
  return %y
}

// -----

// The statistics of few channels over many elements: one SM for each channel would leave the others idle.
// WHY: 'sum' of [8] is stored, 32 bytes: 8 rows of 100352 elements are too few for one SM each, and worth splitting
// CHECK: region.func private @batch_mean_0 iters (i0: 8)
// CHECK: region.func private @batch_mean_1 iters (i0: 32, i1: 8, i2: 3136)
book.func @batch_mean(%X: tensor<[32, 8, 3136], f32>) -> tensor<[32, 8, 3136], f32> {
  %s = reduce sum axes (i0: 8) over (i1: 32, i2: 3136) of %X at (i1, i0, i2) acc f32 : tensor<[8], f32>
  %y = entry sub axes (i0: 32, i1: 8, i2: 3136) of %X at (i0, i1, i2), %s at (i1) : tensor<[32, 8, 3136], f32>
  return %y
}

// -----

// A feed-forward network whose result has long rows: a kernel cannot hold one, and without that would compute the
// intermediate for every part of it.
// WHY: 'relu' of [M, 512] is stored, 2048*M bytes: a contraction reads its factors directly (C-CON1){{.*}}; to compute it once, a kernel would hold rows of 4096 results, and holds at most 256
// CHECK: region.func private @wide_0<M> iters (m: M, i1: 512)
// CHECK: region.func private @wide_1<M> iters (m: M, i1: 4096)
book.func @wide<M>(%X: tensor<[M, 64], f32>, %V: tensor<[64, 512], f32>, %W: tensor<[512, 4096], f32>) -> tensor<[M, 4096], f32> {
  %p = entry mul axes (i0: M, i1: 512, i2: 64) of %X at (i0, i2), %V at (i2, i1) widen : tensor<[M, 512, 64], f32>
  %h = reduce sum axes (i0: M, i1: 512) over (i2: 64) of %p at (i0, i1, i2) acc f32 : tensor<[M, 512], f32>
  %r = entry relu axes (i0: M, i1: 512) of %h at (i0, i1) : tensor<[M, 512], f32>
  %q = entry mul axes (i0: M, i1: 4096, i2: 512) of %r at (i0, i2), %W at (i2, i1) widen : tensor<[M, 4096, 512], f32>
  %y = reduce sum axes (i0: M, i1: 4096) over (i2: 512) of %q at (i0, i1, i2) acc f32 : tensor<[M, 4096], f32>
  return %y
}

// -----

// What two kernels need is stored, rather than reduced twice.
// WHY: 'sum' of [M] is stored, 4*M bytes: 2 kernels need it (fan-out)
// CHECK: region.func private @fan_out_0<M, K> iters (m: M)
// CHECK: region.func private @fan_out_1<M> iters (m: M)
// CHECK: region.func private @fan_out_2<M> iters (m: M)
book.func @fan_out<M, K>(%X: tensor<[M, K], f32>) -> (tensor<[M], f32>, tensor<[M], f32>) {
  %s = reduce sum axes (i0: M) over (i1: K) of %X at (i0, i1) acc f32 : tensor<[M], f32>
  %a = entry exp2 axes (i0: M) of %s at (i0) : tensor<[M], f32>
  %b = entry log2 axes (i0: M) of %s at (i0) : tensor<[M], f32>
  return %a, %b
}

// -----

// A table that is computed is read at positions that are values: it is stored before.
// WHY: 'add' of [V, D] is stored, 4*D*V bytes: it is read at positions that are values (non-SCoP)
// CHECK: region.func private @computed_table_0<V, D> iters (v: V, d: D)
// CHECK: region.func private @computed_table_1<V, D, B> iters (b: B, d: D)
book.func @computed_table<V, D, B>(%W: tensor<[V, D], f32>, %U: tensor<[V, D], f32>, %ids: tensor<[B], i32>) -> tensor<[B, D], f32> {
  %t = entry add axes (i0: V, i1: D) of %W at (i0, i1), %U at (i0, i1) : tensor<[V, D], f32>
  %e = gather non_scop axes (i0: B, i1: D) of %t at [%ids (i0), i1] : tensor<[B, D], f32>
  return %e
}

// -----

// Rows of scores that are a result of their own are reduced after they are stored, if they are long.
// WHY: 'sum' of [64, 1024] is stored, 262144 bytes: its rows of 1024 elements are reduced next, and a kernel holds at most 256 of them
// CHECK: region.func private @scores_0 iters (i0: 64, i1: 1024)
// CHECK: region.func private @scores_1 iters (i0: 64, i1: 1024)
book.func @scores(%Q: tensor<[64, 32], f32>, %K: tensor<[1024, 32], f32>) -> tensor<[64, 1024], f32> {
  %p = entry mul axes (i0: 64, i1: 1024, i2: 32) of %Q at (i0, i2), %K at (i1, i2) widen : tensor<[64, 1024, 32], f32>
  %s = reduce sum axes (i0: 64, i1: 1024) over (i2: 32) of %p at (i0, i1, i2) acc f32 : tensor<[64, 1024], f32>
  %m = reduce max axes (i0: 64) over (i1: 1024) of %s at (i0, i1) acc f32 : tensor<[64], f32>
  %y = entry sub axes (i0: 64, i1: 1024) of %s at (i0, i1), %m at (i0) : tensor<[64, 1024], f32>
  return %y
}
