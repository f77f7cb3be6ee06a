// What a plan asks for and no pass does is named, with what is done in its place; what is followed is not.

// RUN: dlc-opt %s --report-plan --remarks=missed -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not=missed
// RUN: dlc-opt %s | cmp %t.mlir -

// CHECK: missed] nothing follows 'unroll' of the plan: loops stay
// CHECK: missed] nothing follows 'vectorize' of the plan: accesses are as wide as
// CHECK: missed] nothing follows 'in_flight' of the plan: one group of multiplications
// CHECK: missed] nothing follows 'async .. overlap_chain' of the plan
// CHECK: missed] nothing follows 'algo' of the plan: no pass knows (load_X: gather)
// CHECK: missed] nothing follows 'launch_overlap' of the plan: the kernel begins when
// CHECK: missed] nothing follows 'policy' of the plan: tensors stay in the second-level cache
kernel.func @f(%X: memref<[32], f32>) -> memref<[32], f32> {
  %Y = output : memref<[32], f32>
  grid (1) threads 32 {
    %v = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %v to %Y[i0]
  }
  return %Y
}
plan.schedule of @f for sm90 {
  tile (m: 128, n: 128, k: 64)
  instruction wgmma [64, 128, 16]
  stages 3
  unroll (k: 2)
  persistent sms
  roles cooperative consumers 2 in_turn
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  policy (X: evict_first)
  vectorize n.i.i by 8
  barrier mbarrier
  async prefetch 2 overlap_epilogue overlap_chain 1
  in_flight 2
  store tma panels 2 together 2
  algo (load_X: gather)
  launch_overlap
}

// Nothing is said of a kernel without a plan, nor of one whose plan is followed.
kernel.func @g(%X: memref<[32], f32>) -> memref<[32], f32> {
  %Y = output : memref<[32], f32>
  grid (1) threads 32 {
    %v = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %v to %Y[i0]
  }
  return %Y
}
kernel.func @h(%X: memref<[32], f32>) -> memref<[32], f32> {
  %Y = output : memref<[32], f32>
  grid (1) threads 32 {
    %v = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %v to %Y[i0]
  }
  return %Y
}
plan.schedule of @h for sm90 {
  tile (m: 128, n: 128, k: 64)
  instruction wgmma [64, 128, 16]
  stages 3
  persistent sms
  roles cooperative consumers 2
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  barrier mbarrier
  async prefetch 2 overlap_epilogue
  in_flight 1
}

// The cache is told by the loads of the copy engine; of others it is said.
kernel.func @told(%W: memref<[32, 32], f16, row_major, align 16>) -> memref<[32, 32], f16> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f16>
  %map = tensor_map %W : tensormap<[32, 32], f16, swizzle 64>
  grid (1) threads 128 {
    %w = shared : tile<[32, 32], f16, swizzle 64>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 2048
      tma_load %map[0, 0] to %w signal %full hint evict_first
    }
    wait %full parity %zero
    %v = load_shared %w : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    store %v to %Y[i0, i1]
  }
  return %Y
}
plan.schedule of @told for sm90 {
  policy (W: evict_first, X: normal)
}
