// Roles, stages, registers and what is loaded for a cluster are those of the plan; an option by hand counts more.

// RUN: dlc-opt %s --insert-async-tokens -o %t.mlir
// RUN: dlc-opt %t.mlir --specialize-warps=planned --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %t.mlir --specialize-warps=roles=cooperative,consumers=1,stages=4,consumer-registers=200 | FileCheck %s --check-prefix=HAND
// RUN: dlc-opt %t.mlir --specialize-warps=planned --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// CHECK-LABEL: kernel.func @turns
// CHECK: tile<3 x [64, 16], f16, swizzle 32>
// CHECK: role producer warps 0 to 4 registers 24
// CHECK: role consumer warps 4 to 12 groups 2 (%g: index) registers 240
// CHECK: barrier id %mine threads 256
// HAND-LABEL: kernel.func @turns
// HAND: tile<4 x [64, 16], f16, swizzle 32>
// HAND: role producer warps 0 to 4 registers 24
// HAND: role consumer warps 4 to 8 registers 200
// HAND-NOT: barrier id
kernel.func @turns<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    for %t = %b to (M ceildiv 64) * (N ceildiv 16) step %bs {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[64, 16], f16, wgmma>
      store %h to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
      barrier
    }
  }
  return %D
}

plan.schedule of @turns for sm90 {
  stages 3
  persistent 2
  roles ping_pong consumers 2
  registers (producer: 24, consumer: 240)
}

// CHECK-LABEL: kernel.func @cluster
// CHECK: multicast 3
kernel.func @cluster<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (4) cluster [2] threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    %c0 = index (%b floordiv 2)
    %cs = index (%bs floordiv 2)
    %r = block_rank
    for %t = %c0 to (M ceildiv 128) * (N ceildiv 16) step %cs {
      %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[128*%m + 64*%r + i0, %k + i1] where (128*%m + 64*%r + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[64, 16], f16, wgmma>
      store %h to %D[128*%m + 64*%r + i0, 16*%n + i1] where (128*%m + 64*%r + i0 < M, 16*%n + i1 < N)
      barrier
    }
  }
  return %D
}

plan.schedule of @cluster for sm90 {
  tile (m: 64, n: 16, k: 16)
  cache A (m, k) f16 in smem
  cache B (n, k) f16 in smem
  stages 3
  cluster (m: 2)
  multicast [B]
  roles cooperative consumers 1
}

// One stage is no ring.
// REMARK: [E1614] Warning: 'plan.schedule': 'roles': the warps of this kernel get none: a ring has 2 to 16 stages, not 1
// CHECK-LABEL: kernel.func @stage
// CHECK-NOT: role producer
// CHECK: return
kernel.func @stage<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    for %t = %b to (M ceildiv 64) * (N ceildiv 16) step %bs {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[64, 16], f16, wgmma>
      store %h to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
      barrier
    }
  }
  return %D
}

plan.schedule of @stage for sm90 {
  stages 1
  roles cooperative consumers 1
}

// A plan without roles asks for none.
// CHECK-LABEL: kernel.func @none
// CHECK-NOT: role producer
// CHECK: return
// HAND-LABEL: kernel.func @none
// HAND: role producer
kernel.func @none<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    for %t = %b to (M ceildiv 64) * (N ceildiv 16) step %bs {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[64, 16], f16, wgmma>
      store %h to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
      barrier
    }
  }
  return %D
}

plan.schedule of @none for sm90 {
  stages 3
}
