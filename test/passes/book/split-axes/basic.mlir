// RUN: dlc-opt %s --split-axes --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --split-axes --split-input-file --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: parts of an axis are axes of their own

// Heads inside an axis: the product has its own axes, and the result keeps its sizes.
// CHECK-LABEL: @heads
// CHECK: [[O:%[a-z0-9]+]] = reduce sum axes (i0: B, i1: 4, i2: S, i3: 64)
// CHECK-NEXT: [[Y:%[a-z0-9]+]] = entry cast axes (i0: B, i1: S, i2: 4, i3: 64) of [[O]] at (i0, i2, i1, i3) to f16 : tensor<[B, S, 4, 64], f16>
// CHECK-NEXT: %y = reshape non_scop [[Y]] : tensor<[B, S, 256], f16>
// CHECK-NEXT: return %y
book.func @heads<B, S, T>(%p: tensor<[B, 4, S, T], f16>, %v: tensor<[B, T, 256], f16>) -> tensor<[B, S, 256], f16> {
  %m = entry mul axes (i0: B, i1: 4, i2: S, i3: 64, i4: T) of %p at (i0, i1, i2, i4), %v at (i0, i4, 64*i1 + i3) to f32 widen : tensor<[B, 4, S, 64, T], f32>
  %o = reduce sum axes (i0: B, i1: 4, i2: S, i3: 64) over (i4: T) of %m at (i0, i1, i2, i3, i4) acc f32 : tensor<[B, 4, S, 64], f32>
  %y = entry cast axes (i0: B, i1: S, i2: 256) of %o at (i0, i2 floordiv 64, i1, i2 mod 64) to f16 : tensor<[B, S, 256], f16>
  return %y
}

// -----

// What follows element by element goes on with the parts; arguments are read at both of them.
// CHECK-LABEL: @groups
// CHECK: entry mul axes (i0: N, i1: 3, i2: 8, i3: H) of %x at (i0, 8*i1 + i2, i3), {{%[a-z0-9]+}} at (i0, i1) : tensor<[N, 3, 8, H], f32>
// CHECK-NEXT: [[A:%[a-z0-9]+]] = entry add axes (i0: N, i1: 3, i2: 8, i3: H) of {{%[a-z0-9]+}} at (i0, i1, i2, i3), %g at (8*i1 + i2) : tensor<[N, 3, 8, H], f32>
// CHECK-NEXT: [[R:%[a-z0-9]+]] = entry relu axes (i0: N, i1: 3, i2: 8, i3: H) of [[A]] at (i0, i1, i2, i3) : tensor<[N, 3, 8, H], f32>
// CHECK-NEXT: reshape non_scop [[R]] : tensor<[N, 24, H], f32>
// CHECK-NOT: reshape
book.func @groups<N, H>(%x: tensor<[N, 24, H], f32>, %g: tensor<[24], f32>) -> tensor<[N, 24, H], f32> {
  %s = reduce sum axes (i0: N, i1: 3) over (i2: 8, i3: H) of %x at (i0, 8*i1 + i2, i3) acc f32 : tensor<[N, 3], f32>
  %m = entry mul axes (i0: N, i1: 24, i2: H) of %x at (i0, i1, i2), %s at (i0, i1 floordiv 8) : tensor<[N, 24, H], f32>
  %a = entry add axes (i0: N, i1: 24, i2: H) of %m at (i0, i1, i2), %g at (i1) : tensor<[N, 24, H], f32>
  %y = entry relu axes (i0: N, i1: 24, i2: H) of %a at (i0, i1, i2) : tensor<[N, 24, H], f32>
  return %y
}

// -----

// Another reader gets the whole: a window, and a result that is wanted as well.
// CHECK-LABEL: @readers
// CHECK: [[M:%[a-z0-9]+]] = entry neg axes (i0: 4, i1: 16)
// CHECK-NEXT: [[W:%[a-z0-9]+]] = reshape non_scop [[M]] : tensor<[64], f32>
// CHECK-NEXT: entry relu axes (i0: 60) of [[W]] at (i0 + 4)
// CHECK: return [[W]]
book.func @readers(%x: tensor<[4, 16, 8], f32>) -> (tensor<[64], f32>, tensor<[60], f32>) {
  %s = reduce sum axes (i0: 4, i1: 16) over (i2: 8) of %x at (i0, i1, i2) acc f32 : tensor<[4, 16], f32>
  %m = entry neg axes (i0: 64) of %s at (i0 floordiv 16, i0 mod 16) : tensor<[64], f32>
  %w = entry relu axes (i0: 60) of %m at (i0 + 4) : tensor<[60], f32>
  return %m, %w
}

// -----

// Divisors that divide each other make more than two parts. A size may have a symbol.
// CHECK-LABEL: @parts
// CHECK: entry add axes (i0: 2*N, i1: 4, i2: 8) of {{%[a-z0-9]+}} at (i0, i1, i2), {{%[a-z0-9]+}} at (i0) : tensor<[2*N, 4, 8], f32>
book.func @parts<N>(%x: tensor<[2*N, 4, 8, 3], f32>) -> tensor<[64*N], f32> {
  %s = reduce sum axes (i0: 2*N, i1: 4, i2: 8) over (i3: 3) of %x at (i0, i1, i2, i3) acc f32 : tensor<[2*N, 4, 8], f32>
  %t = reduce sum axes (i0: 2*N) over (i1: 4, i2: 8, i3: 3) of %x at (i0, i1, i2, i3) acc f32 : tensor<[2*N], f32>
  %y = entry add axes (i0: 64*N) of %s at (i0 floordiv 32, i0 floordiv 8 - 4*(i0 floordiv 32), i0 mod 8), %t at (i0 floordiv 32) : tensor<[64*N], f32>
  return %y
}

// -----

// Short parts of the last axis: the sum of each of them would be computed for each of its numbers.
// CHECK-LABEL: @short
// CHECK: entry mul axes (i0: M, i1: 5, i2: 3) of %x at (i0, 3*i1 + i2), {{%[a-z0-9]+}} at (i0, i1)
book.func @short<M>(%x: tensor<[M, 15], f32>) -> tensor<[M, 15], f32> {
  %s = reduce sum axes (i0: M, i1: 5) over (i2: 3) of %x at (i0, 3*i1 + i2) acc f32 : tensor<[M, 5], f32>
  %y = entry mul axes (i0: M, i1: 15) of %x at (i0, i1), %s at (i0, i1 floordiv 3) : tensor<[M, 15], f32>
  return %y
}

// -----

// A factor that a product reads at heads and numbers of them is stored in rows of all heads.
// CHECK-LABEL: @projection
// CHECK: [[C:%[a-z0-9]+]] = entry copy axes (i0: B, i1: S, i2: 4, i3: 16) of %o at (i0, i2, i1, i3) : tensor<[B, S, 4, 16], f16>
// CHECK-NEXT: [[R:%[a-z0-9]+]] = reshape non_scop [[C]] : tensor<[B, S, 64], f16>
// CHECK-NEXT: entry mul axes (i0: B, i1: S, i2: N, i3: 64) of [[R]] at (i0, i1, i3), %w at (i2, i3) to f32 widen
book.func @projection<B, S, N>(%x: tensor<[B, 4, S, 16, 3], f16>, %w: tensor<[N, 64], f16>) -> tensor<[B, S, N], f32> {
  %o = reduce max axes (i0: B, i1: 4, i2: S, i3: 16) over (i4: 3) of %x at (i0, i1, i2, i3, i4) acc f16 : tensor<[B, 4, S, 16], f16>
  %m = entry mul axes (i0: B, i1: S, i2: N, i3: 64) of %o at (i0, i3 floordiv 16, i1, i3 mod 16), %w at (i2, i3) to f32 widen : tensor<[B, S, N, 64], f32>
  %y = reduce sum axes (i0: B, i1: S, i2: N) over (i3: 64) of %m at (i0, i1, i2, i3) acc f32 : tensor<[B, S, N], f32>
  return %y
}
