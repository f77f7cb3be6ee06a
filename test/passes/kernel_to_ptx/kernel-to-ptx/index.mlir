// Places in tensors whose sizes are symbols have 32 bits, and with index=64 as many; so have sizes then.

// RUN: dlc-opt %s --kernel-to-ptx | FileCheck %s --check-prefix=NARROW
// RUN: dlc-opt %s --kernel-to-ptx=index=64 | FileCheck %s --check-prefix=WIDE
// RUN: dlc-opt %s --kernel-to-ptx=index=64 --evaluate-each -o /dev/null
// RUN: dlc-opt %S/../../../kernels/gemm_sm80.mlir --kernel-to-ptx=index=64 --evaluate-each -o /dev/null
// RUN: dlc-opt %S/../../../kernels/gemm_pingpong.mlir --kernel-to-ptx=index=64 --evaluate-each -o /dev/null
// RUN: dlc-opt %S/../../../kernels/row_softmax.mlir --kernel-to-ptx=index=64 --evaluate-each -o /dev/null
// RUN: not dlc-opt %s --kernel-to-ptx=index=16 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: dlc-opt %s --kernel-to-ptx=index=64 -o %t.mlir
// RUN: dlc-translate %t.mlir --to-ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON

// BITS: places have 32 or 64 bits, not 16
// PTX: .visible .entry copy_0(
// PTX: .param .u64 a2
// PTX: ld.param.u64 %rd{{[0-9]+}}, [a2];
// JSON: "elements": 1099511627776
// JSON: "i64": "N"

!line = frag<[128], f16, blocked [1] lanes [32] warps [4]>
!row = frag<[1, 128], f32, blocked [1, 1] lanes [1, 32] warps [1, 4]>

// NARROW-LABEL: ptx.func @copy<N>(
// NARROW-NOT: elements
// NARROW: (%X_0: i64, %Y_0: i64, %N: i32)
// NARROW: mad.wide.s32
// NARROW: setp.lt.s32
// NARROW-NOT: s64
// WIDE-LABEL: ptx.func @copy<N>(
// WIDE-SAME: elements = 1099511627776
// WIDE: (%X_0: i64, %Y_0: i64, %N: i64)
// WIDE: setp.lt.s64 %{{.+}}, %N
kernel.func @copy<N>(%X: memref<[N], f16, row_major, align 2>) -> memref<[N], f16, row_major, align 2> {
  %Y = output : memref<[N], f16, row_major, align 2>
  grid (N ceildiv 128) threads 128 {
    %b = block_id 0
    %x = load %X[128 * %b + i0] where (128 * %b + i0 < N) : !line
    store %x to %Y[128 * %b + i0] where (128 * %b + i0 < N)
  }
  return %Y
}

// The product of a row and the length of rows is the place.
// NARROW-LABEL: ptx.func @rows<M, N>(
// NARROW: ^bb1(%{{.+}}: i32)
// NARROW: mul.lo.s32
// WIDE-LABEL: ptx.func @rows<M, N>(
// WIDE: ^bb1(%{{.+}}: i64)
// WIDE: mul.lo.s64
kernel.func @rows<M, N>(%X: memref<[M, N], f32, row_major, align 4>) -> memref<[M, N], f32, row_major, align 4> {
  %Y = output : memref<[M, N], f32, row_major, align 4>
  grid (M) threads 128 {
    %row = block_id 0
    for %n = 0 to N step 128 {
      %x = load %X[%row + i0, %n + i1] where (%n + i1 < N) : !row
      %y = binary add %x, %x : !row
      store %y to %Y[%row + i0, %n + i1] where (%n + i1 < N)
    }
  }
  return %Y
}

// Sizes that are numbers say it themselves: this tensor has 2^32 elements, and no loop or block more than 32 bits.
// NARROW-LABEL: ptx.func @numbers(
// NARROW-SAME: elements = 1099511627776
// NARROW: mul.{{wide.s32|lo.s64}}
// NARROW: setp.lt.s32
kernel.func @numbers(%X: memref<[65536, 65500], f16, row_major, align 2>) -> memref<[65536], f16, row_major, align 2> {
  %Y = output : memref<[65536], f16, row_major, align 2>
  grid (512) threads 128 {
    %b = block_id 0
    %x = load %X[128 * %b + i0, 0] where (128 * %b + i0 < 65530) : !line
    store %x to %Y[128 * %b + i0] where (128 * %b + i0 < 65530)
  }
  return %Y
}

// A 64-bit integer out of memory is compared as it is, and not by its lower half.
// NARROW-LABEL: ptx.func @gathered<N>(
// NARROW: setp.{{lt.u64|ge.s64}}
kernel.func @gathered<N>(%X: memref<[N], f16, row_major, align 2>, %P: memref<[N], i64, row_major, align 8>) -> memref<[N], f16, row_major, align 2> {
  %Y = output : memref<[N], f16, row_major, align 2>
  grid (N ceildiv 128) threads 128 {
    %b = block_id 0
    %p = load %P[128 * %b + i0] where (128 * %b + i0 < N) : frag<[128], i64, blocked [1] lanes [32] warps [4]>
    %x = load %X[%p] where (0 <= %p < N, 128 * %b + i0 < N) : !line
    store %x to %Y[128 * %b + i0] where (128 * %b + i0 < N)
  }
  return %Y
}
