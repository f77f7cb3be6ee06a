// Each product is reported: what multiplies, what brings its factors, and why that is not better.

// RUN: dlc-opt %s --tensorize --remarks --remarks-filter='^tensorize$' --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=tensorize,

// CHECK: [tensorize, passed] wgmma multiplies; the plan has TMA copy X and W
region.func @planned<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}
plan.schedule of @planned for sm90 {
  tile (m: 128, n: 128, k: 64)
  assume (K: 8, N: 8)
  instruction wgmma
  stages 4
  roles cooperative consumers 2
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  barrier mbarrier
}

// -----

// A factor that is computed goes through registers.
// CHECK: [tensorize, passed] wgmma multiplies; the plan has TMA copy W, and the other factor is computed in registers, so neither TMA nor cp.async copies it ahead
region.func @computed<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %r = unary relu %x : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %r, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}
plan.schedule of @computed for sm90 {
  tile (m: 64, n: 128, k: 64)
  assume (K: 8, N: 8)
  instruction wgmma
  cache W (k, n) f16 in smem
  barrier mbarrier
}

// -----

// Without a plan there is what runs on any target.
// CHECK: [tensorize, missed] mma multiplies, as on any target: no plan requires wgmma; threads copy X and W
region.func @free<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}

// -----

// CHECK: [tensorize, missed] fma multiplies, no tensor cores: they multiply floats of 8 and 16 bits, and a factor is f32; threads copy X and W
region.func @wide<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 128>, %W: memref<[K, N], f32, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %w = read %W[k, n] : f32 over (n, k)
    %p = binary mul %x, %w : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}

// -----

// CHECK: [tensorize, missed] no tensor cores: they sum in f32, and this sum is in f16
region.func @narrow<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f16 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f16 over (m, n, k)
    yield %p
  } : f16 over (m, n)
  yield %s to Y
}

// -----

// A kernel that was written with its rows reduced multiplies without tensor cores where no tile has whole rows.
// CHECK: [tensorize, missed] no tensor cores: its rows are reduced next, and no tile holds them: a tile has a number of columns, and N is none; stored before ('contiguous'), it would be a kernel of its own
region.func @rows<M, K, N> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %top = reduce max (n: N) acc f32 init -inf {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, k] : f16 over (m, k)
      %w = read %W[k, n] : f16 over (n, k)
      %p = binary mul %x, %w widen : f32 over (m, n, k)
      yield %p
    } : f32 over (m, n)
    yield %s
  } : f32 over (m)
  yield %top to Y
}

// -----

// CHECK: [tensorize, missed] no tensor cores: its rows are reduced next, and no tile holds them: the default tile has at most 256 columns; stored before
region.func @wide_rows<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, 320], f16, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %top = reduce max (n: 320) acc f32 init -inf {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, k] : f16 over (m, k)
      %w = read %W[k, n] : f16 over (n, k)
      %p = binary mul %x, %w widen : f32 over (m, n, k)
      yield %p
    } : f32 over (m, n)
    yield %s
  } : f32 over (m)
  yield %top to Y
}

// -----

// CHECK: [tensorize, missed] no tensor cores: its rows are reduced next, and no tile holds them: the plan has threads share the rows; 'instruction mma' would hold them in its fragments; stored before
region.func @planned_rows<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, 64], f16, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %top = reduce max (n: 64) acc f32 init -inf {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, k] : f16 over (m, k)
      %w = read %W[k, n] : f16 over (n, k)
      %p = binary mul %x, %w widen : f32 over (m, n, k)
      yield %p
    } : f32 over (m, n)
    yield %s
  } : f32 over (m)
  yield %top to Y
}
plan.schedule of @planned_rows for sm80 {
  tile (m: 4, n: 64)
  reduced [n]
  threads (m: 4, n: 32)
}

// -----

// CHECK: [tensorize, missed] no tensor cores: its kernel reduces rows of the results, too, element by element; stored before ('contiguous'), it would be a kernel of its own
region.func @two_axes<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, 4, 64], f16, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %top = reduce max (h: 4, n: 64) acc f32 init -inf {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, k] : f16 over (m, k)
      %w = read %W[k, h, n] : f16 over (h, n, k)
      %p = binary mul %x, %w widen : f32 over (m, h, n, k)
      yield %p
    } : f32 over (m, h, n)
    yield %s
  } : f32 over (m)
  yield %top to Y
}

// -----

// A plan that asks for an instruction that one of the products cannot have is followed for the others, with a warning.
// CHECK: [tensorize, passed] mma multiplies; threads copy X and W
// CHECK: [E1614] Warning: 'plan.schedule': 'instruction mma' of the plan does not multiply this: they multiply floats of 8 and 16 bits, and a factor is f32
region.func @mixed<M, N, K, L> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>,
         %A: memref<[M, L], f32, row_major, align 128>, %B: memref<[L, N], f32, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %t = reduce sum (l: L) acc f32 init 0.0 {
    %a = read %A[m, l] : f32 over (m, l)
    %b = read %B[l, n] : f32 over (n, l)
    %q = binary mul %a, %b : f32 over (m, n, l)
    yield %q
  } : f32 over (m, n)
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %y = binary add %s, %t : f32 over (m, n)
  yield %y to Y
}
plan.schedule of @mixed for sm80 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
}

// -----

// CHECK: [tensorize, passed] wgmma multiplies, and keeps some 14 bits of sums of 8-bit floats; threads copy X and W
region.func @bytes iters (m: 256, n: 256)
    ins (%X: memref<[256, 128], f8E4M3FN, row_major, align 128>, %W: memref<[256, 128], f8E4M3FN, row_major, align 128>)
    outs (Y: memref<[256, 256], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 128) acc f32 init 0.0 {
    %x = read %X[m, k] : f8E4M3FN over (m, k)
    %w = read %W[n, k] : f8E4M3FN over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}
plan.schedule of @bytes for sm90 {
  tile (m: 128, n: 128, k: 128)
  instruction wgmma [64, 128, 32]
  cache X (m, k) f8E4M3FN in smem
  cache W (n, k) f8E4M3FN in smem
}

// -----

// CHECK: [tensorize, passed] wgmma multiplies, and keeps some 14 bits of the sum of each step, which is added in f32; threads copy X and W
region.func @promoted iters (m: 256, n: 256)
    ins (%X: memref<[256, 128], f8E4M3FN, row_major, align 128>, %W: memref<[256, 128], f8E4M3FN, row_major, align 128>)
    outs (Y: memref<[256, 256], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 128) acc f32 init 0.0 {
    %x = read %X[m, k] : f8E4M3FN over (m, k)
    %w = read %W[n, k] : f8E4M3FN over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}
plan.schedule of @promoted for sm90 {
  tile (m: 64, n: 128, k: 128)
  instruction wgmma [64, 128, 32] promote
  cache X (m, k) f8E4M3FN in smem
  cache W (n, k) f8E4M3FN in smem
}
