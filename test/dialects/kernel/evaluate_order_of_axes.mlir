// A map whose axes stand in another order loads rows of columns that are contiguous: as kernels, and as instructions. The
// launch manifest has its sizes and steps.

// RUN: dlc-run %s --function=columns --shape=M=40,N=27 --seed=0 -o %t.npy
// RUN: dlc-run %s --function=same --shape=M=40,N=27 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-opt %s --kernel-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %t.ptx.mlir --function=columns --shape=M=40,N=27 --seed=0 -o %t.ptx.npy
// RUN: dlc-run %s --function=same --shape=M=40,N=27 --seed=0 --check=%t.ptx.npy --rtol=0 --atol=0
// RUN: dlc-translate %t.ptx.mlir --to-ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json

// CHECK: "name": "from"
// CHECK-NEXT: "buffer": "X"
// CHECK-NEXT: "type": "f16"
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "N",
// CHECK-NEXT: "M"
// CHECK-NEXT: ],
// CHECK-NEXT: "strides": [
// CHECK-NEXT: "M"
// CHECK-NEXT: ],
// CHECK-NEXT: "box": [
// CHECK-NEXT: 16,
// CHECK-NEXT: 8
kernel.func @columns<M, N>(%X: memref<[M, N], f16, col_major, align 16>) -> memref<[N, M], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[N, M], f16, row_major, align 16>
  %from = tensor_map %X order [1, 0] : tensormap<[16, 8], f16, row_major>
  %to = tensor_map %Y : tensormap<[16, 8], f16, row_major>
  grid (N ceildiv 16, M ceildiv 8) threads 32 {
    %s = shared : tile<[16, 8], f16, row_major>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 256
      tma_load %from[16 * %n, 8 * %m] to %s signal %full
    }
    wait %full parity %zero
    elect {
      %t = tma_store %s to %to[16 * %n, 8 * %m]
      await %t
    }
  }
  return %Y
}

kernel.func @same<M, N>(%X: memref<[M, N], f16, col_major, align 16>) -> memref<[N, M], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[N, M], f16, row_major, align 16>
  grid (N) threads 32 {
    %n = block_id 0
    %x = load %X[i0, %n] where (i0 < M) : frag<[64], f16, blocked [2] lanes [32] warps [1]>
    store %x to %Y[%n, i0] where (i0 < M)
  }
  return %Y
}
