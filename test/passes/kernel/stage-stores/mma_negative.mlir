// RUN: dlc-opt %s -o %t.mlir
// RUN: dlc-opt %t.mlir --stage-stores | cmp %t.mlir -
// RUN: dlc-opt %t.mlir --stage-stores --no-output --remarks=missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// Nothing says that rows are a multiple of 16 bytes.
// REMARK: missed] 'store rows': the threads store this result from their fragments: rows are N elements apart, which is not known to be a multiple of 16 bytes
kernel.func @rows<N>(%x: memref<[N], f32>) -> memref<[32, N], f16, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[32, N], f16, row_major, align 16>
  grid (N ceildiv 16) threads 128 {
    %n = block_id 0
    %h = const 1.0 : frag<[32, 16], f16, mma [2, 2]>
    store %h to %D[i0, 16*%n + i1] where (16*%n + i1 < N)
  }
  return %D
}

// REMARK: missed] 'store rows': the threads store this result from their fragments: it is added to what is there
kernel.func @added(%x: memref<[8], f32>) -> memref<[32, 16], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[32, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[32, 16], f32, mma [2, 2]>
    store combine sum %h to %D[i0, i1]
  }
  return %D
}

// Columns are rows there.
// REMARK: missed] 'store rows': the threads store this result from their fragments: its rows do not lie along rows of memory
kernel.func @turned(%x: memref<[8], f32>) -> memref<[16, 32], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[16, 32], f32, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[32, 16], f32, mma [2, 2]>
    store %h to %D[i1, i0]
  }
  return %D
}

// REMARK: missed] 'store rows': the threads store this result from their fragments: it is not known how much shared memory there is
kernel.func @anywhere(%x: memref<[8], f32>) -> memref<[32, 16], f32, row_major, align 16> {
  %D = output : memref<[32, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[32, 16], f32, mma [2, 2]>
    store %h to %D[i0, i1]
  }
  return %D
}

// Two blocks run on an SM, and would not with more.
// REMARK: missed] 'store rows': the threads store this result from their fragments: 32 rows of it take 8704 bytes of shared memory, and there are 2048
kernel.func @two(%x: memref<[32, 64], f32>) -> memref<[32, 64], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[32, 64], f32, row_major, align 16>
  grid (2) threads 128 {
    %t = shared : tile<[79, 256], f32, row_major>
    %c = load %x[i0, i1] : frag<[32, 64], f32, mma [2, 2]>
    store %c to %D[i0, i1]
  }
  return %D
}

// The layout is another one.
kernel.func @others(%x: memref<[8], f32>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %g = const 2.0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %g to %D[i0, i1]
  }
  return %D
}

// Elements next to each other in a row are two apart in memory.
// REMARK: missed] 'store rows': the threads store this result from their fragments: its rows do not lie along rows of memory
kernel.func @steps(%x: memref<[8], f32>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[32, 32], f32, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[32, 16], f32, mma [2, 2]>
    store %h to %D[i0, 2*i1]
  }
  return %D
}

// They are in rows of their own.
// REMARK: missed] 'store rows': the threads store this result from their fragments: its rows do not lie along rows of memory
kernel.func @diagonal(%x: memref<[8], f32>) -> memref<[64, 16], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[64, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[32, 16], f32, mma [2, 2]>
    store %h to %D[i0 + i1, i1]
  }
  return %D
}

// REMARK: missed] 'store rows': the threads store this result from their fragments: 8 elements of 1 bytes are no whole 16-byte units
kernel.func @bytes(%x: memref<[8], f32>) -> memref<[16, 16], i8, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[16, 16], i8, row_major, align 16>
  grid (1) threads 32 {
    %h = const 1 : frag<[16, 8], i8, mma [1, 1]>
    store %h to %D[i0, i1]
  }
  return %D
}

// Lanes would be left.
// REMARK: missed] 'store rows': the threads store this result from their fragments: 16 rows of 8 elements are not enough for 32 threads
kernel.func @small(%x: memref<[8], f32>) -> memref<[16, 8], f16, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[16, 8], f16, row_major, align 16>
  grid (1) threads 32 {
    %h = const 1.0 : frag<[16, 8], f16, mma [1, 1]>
    store %h to %D[i0, i1]
  }
  return %D
}
