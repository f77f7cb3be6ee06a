// The terms of the estimate are reported, for the best plans; what a target cannot do is left out.

// RUN: dlc-opt %s --choose-plan='assume=8192 top=3' --remarks=analysis --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --choose-plan='assume=8192 target=sm80' | FileCheck %s --check-prefix=SM80
// RUN: dlc-opt %s --choose-plan='assume=8192 target=half' | FileCheck %s --check-prefix=HALF
// RUN: dlc-opt %s --choose-plan='assume=8192 target=@bare top=1' --remarks=missed 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: dlc-opt %s --choose-plan='assume=8192' --statistics --no-output 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: dlc-opt %s --choose-plan > %t.once && dlc-opt %s --choose-plan | cmp %t.once -
// RUN: dlc-opt %t.once --choose-plan | cmp %t.once -

// REMARK: the plan of @gemm, of 26 candidates, 0 refused: tile (m: 128, n: 192, k: 64) instruction wgmma [64, 192, 16] stages 4 cluster (m: 2) roles ping_pong consumers 2: {{[0-9.]+}} us: compute {{[0-9.]+}}, memory {{[0-9.]+}}, cache {{[0-9.]+}}, epilogue {{[0-9.]+}}, penalties {{[0-9.]+}}, gain {{[0-9.]+}}; 2752 tiles, occupancy 0.99, efficiency 0.98
// REMARK: plan 2 of @gemm, of 26
// REMARK: plan 3 of @gemm, of 26
// REMARK-NOT: plan 4 of @gemm

// SM80: plan.schedule of @gemm for sm80 {
// SM80-NEXT: tile (m: 128, n: 256, k: 64)
// SM80-NEXT: assume (K: 8, N: 8)
// SM80-NEXT: instruction mma [16, 8, 16]
// SM80-NEXT: warp_tile (m: 64, n: 64)
// SM80-NEXT: stages 3
// SM80: barrier cp_async_group
// SM80-NEXT: async{{$}}
// SM80-NEXT: in_flight 1

// HALF: plan.schedule of @gemm for @half {
// BARE: a plan of @gemm that bare cannot do, {{.*}}: the block needs {{[0-9]+}} bytes of shared memory
// BARE: plan.schedule of @gemm for @bare {
// BARE: barrier block
// COUNT: 1 plans: Kernels that got a plan.
// COUNT: 26 candidates: Plans that were compared.
// COUNT: 0 stopped: Plans that a condition stopped.

plan.target @half like sm90 {
  sms 66
}

plan.target @bare like sm80 {
  smem_per_block 32768
  features []
}

region.func @gemm<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}
