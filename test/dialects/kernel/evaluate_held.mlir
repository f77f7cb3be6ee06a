// What a product or a store that is not awaited reads is not written to: that is seen in every order.

// RUN: split-file %s %t
// RUN: not dlc-run %t/product.mlir --order-seed=1 2>&1 | FileCheck %s
// RUN: not dlc-run %t/product.mlir --order-seed=2 2>&1 | FileCheck %s
// RUN: not dlc-run %t/store.mlir --order-seed=1 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not dlc-run %t/store.mlir --order-seed=2 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: dlc-run %t/awaited.mlir --strict --order-seed=1 -o %t.npy

// CHECK: 'kernel.store_shared': writes byte 0 of shared memory, which a matrix product or a store that is not awaited may still read
// STORE: 'kernel.store_shared': writes byte 0 of shared memory, which a matrix product or a store that is not awaited may still read

//--- product.mlir
!acc = frag<[64, 64], f32, wgmma>

kernel.func @product(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %x = load %A[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    fence_async
    barrier
    %c0 = const 0.0 : !acc
    %c, %t = wgmma %s, %s transposed, %c0 : !acc, token<compute>
    // The same numbers, so that no result is another one.
    store_shared %x to %s
    await %t
    store %c to %D[i0, i1]
  }
  return %D
}

//--- store.mlir
kernel.func @store(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f16, row_major, align 16>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %x = load %A[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    fence_async
    barrier
    %e = elect : token<epilogue> {
      %t = tma_store %s to %mD[0, 0] : token<epilogue>
      yield %t
    }
    store_shared %x to %s
    elect {
      await %e
    }
  }
  return %D
}

//--- awaited.mlir
!acc = frag<[64, 64], f32, wgmma>

kernel.func @awaited(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %x = load %A[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    fence_async
    barrier
    %c0 = const 0.0 : !acc
    %c, %t = wgmma %s, %s transposed, %c0 : !acc, token<compute>
    await %t
    store_shared %x to %s
    store %c to %D[i0, i1]
  }
  return %D
}
