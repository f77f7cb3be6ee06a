// The lanes of a warp meet, and mbarriers that a loop makes again.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-translate %t.mlir --to-ptx | FileCheck %s --check-prefix=PTX
// RUN: dlc-translate %t.mlir --to-cuda | FileCheck %s --check-prefix=CUDA
// RUN: dlc-opt %s --kernel-to-ptx --evaluate-each -o /dev/null
// RUN: dlc-run %s --function=turn -o %t.0.npy
// RUN: dlc-run %t.mlir --function=turn -o %t.1.npy
// RUN: cmp %t.0.npy %t.1.npy
// RUN: dlc-run %s --function=loads --shape=N=96 -o %t.2.npy
// RUN: dlc-run %t.mlir --function=loads --shape=N=96 -o %t.3.npy
// RUN: cmp %t.2.npy %t.3.npy

// CHECK-LABEL: ptx.func @turn
// CHECK: st.shared.f32
// CHECK: bar.warp.sync -1
// CHECK: ld.shared.f32
// PTX: bar.warp.sync
// CUDA: __syncwarp();
kernel.func @turn(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, row_major pitch 33>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    store_shared %x to %s
    warp_sync
    %y = load_shared %s : frag<[32, 32], f32, blocked [1, 1] lanes [32, 1] warps [1, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// Each has its own place in the loop; before it both are made, so that there is something to end in the first round.
// CHECK-LABEL: ptx.func @loads
// CHECK: mbarrier.init.shared::cta.b64 [%[[S:[0-9]+]] + 8192], 1
// CHECK-NEXT: mbarrier.init.shared::cta.b64 [%[[S]] + 8200], 1
// CHECK-NEXT: fence.mbarrier_init.release.cluster
// CHECK: mbarrier.inval.shared::cta.b64 [%[[S]] + 8192]
// CHECK-NEXT: mbarrier.init.shared::cta.b64 [%[[S]] + 8192], 1
// CHECK-NEXT: fence.mbarrier_init.release.cluster
// CHECK: bar.sync
// CHECK: mbarrier.try_wait
// CHECK: mbarrier.inval.shared::cta.b64 [%[[S]] + 8200]
// CHECK-NEXT: mbarrier.init.shared::cta.b64 [%[[S]] + 8200], 1
// CHECK-NEXT: fence.mbarrier_init.release.cluster
// PTX: mbarrier.inval.shared::cta.b64 [
// CUDA: mbarrier_inval
kernel.func @loads<N>(%A: memref<[64, N], f32, row_major, align 16>) -> memref<[64, 32], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 32], f32>
  %mA = tensor_map %A : tensormap<[64, 32], f32, swizzle 128>
  grid (1) threads 128 {
    %sA = shared : tile<[64, 32], f32, swizzle 128>
    %zero = index (0)
    %c0 = const 0.0 : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %c = for %k = 0 to N ceildiv 32 carry (%c1 = %c0) {
      %e = mbarriers arrivals 1 : mbarrier<1>
      barrier
      elect {
        expect %e bytes 8192
        tma_load %mA[0, 32 * %k] to %sA signal %e
      }
      wait %e parity %zero
      %x = load_shared %sA : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %c2 = binary add %c1, %x : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %f = mbarriers arrivals 1 : mbarrier<1>
      barrier
      arrive %f by one
      wait %f parity %zero
      barrier
      yield %c2
    }
    store %c to %D[i0, i1]
  }
  return %D
}
