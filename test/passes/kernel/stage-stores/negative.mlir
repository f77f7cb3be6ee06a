// RUN: dlc-opt %s -o %t.mlir
// RUN: dlc-opt %t.mlir --stage-stores | cmp %t.mlir -
// RUN: dlc-opt %t.mlir --stage-stores --no-output --remarks=missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// Nothing says that rows are a multiple of 16 bytes.
// REMARK: missed] 'store tma': the threads store this result from their fragments: rows are N elements apart, which is not known to be a multiple of 16 bytes
kernel.func @rows<N>(%x: memref<[N], f32>) -> memref<[64, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, N], f16, row_major, align 16>
  grid (N ceildiv 16) threads 128 {
    %n = block_id 0
    %h = const 1.0 : frag<[64, 16], f16, wgmma>
    store %h to %D[i0, 16*%n + i1] where (16*%n + i1 < N)
  }
  return %D
}

// What is not stored for another reason than the end of the memref.
// REMARK: missed] 'store tma': the threads store this result from their fragments: its guard is not that the positions are in the memref
kernel.func @triangle(%x: memref<[8], f32>) -> memref<[64, 16], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 16], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 16], f16, wgmma>
    store %h to %D[i0, i1] where (i1 <= i0)
    store %h to %D[i0, i1] where (i0 < i1)
  }
  return %D
}
// REMARK: missed] 'store tma': the threads store this result from their fragments: its guard is not that the positions are in the memref

// REMARK: missed] 'store tma': the threads store this result from their fragments: it is added to what is there
kernel.func @added(%x: memref<[8], f32>) -> memref<[64, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 16], f32, wgmma>
    store combine sum %h to %D[i0, i1]
  }
  return %D
}

// REMARK: missed] 'store tma': the threads store this result from their fragments: a condition decides about it
kernel.func @condition<N>(%x: memref<[8], f32>) -> memref<[64, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 16], f32, row_major, align 16>
  grid (2) threads 128 {
    %b = block_id 0
    %h = const 1.0 : frag<[64, 16], f32, wgmma>
    if (%b == 1) {
      store %h to %D[i0, i1]
    }
  }
  return %D
}

// Columns are rows there.
// REMARK: missed] 'store tma': the threads store this result from their fragments: 64 times 16 elements of 4 bytes are no whole panels
kernel.func @turned(%x: memref<[8], f32>) -> memref<[16, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[16, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 16], f32, wgmma>
    store %h to %D[i1, i0]
  }
  return %D
}

// REMARK: missed] 'store tma': the threads store this result from their fragments: 64 times 8 elements of 2 bytes are no whole panels
kernel.func @narrow(%x: memref<[8], f32>) -> memref<[64, 8], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 8], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 8], f16, wgmma>
    store %h to %D[i0, i1]
  }
  return %D
}

// REMARK: missed] 'store tma': the threads store this result from their fragments: its panels take 8192 bytes of shared memory besides 229376, and a block has 232448
kernel.func @full(%x: memref<[8], f32>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f16, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<7 x [128, 128], f16, swizzle 128>
    %h = const 1.0 : frag<[64, 64], f16, wgmma>
    store %h to %D[i0, i1]
  }
  return %D
}

// Fragments that are none of a product by wgmma are left without a word.
kernel.func @other(%x: memref<[8], f32>) -> memref<[64, 16], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 16], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    store %h to %D[i0, i1]
  }
  return %D
}

// REMARK: missed] 'store tma': the threads store this result from their fragments: sm80 has no TMA
kernel.func @old(%x: memref<[8], f32>) -> memref<[64, 16], f16, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[64, 16], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 16], f16, wgmma>
    store %h to %D[i0, i1]
  }
  return %D
}

// A box has five axes at most.
// REMARK: missed] 'store tma': the threads store this result from their fragments: the memory has 6 axes, and a box 5 at most
kernel.func @deep(%x: memref<[8], f32>) -> memref<[2, 2, 2, 2, 64, 16], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[2, 2, 2, 2, 64, 16], f16, row_major, align 16>
  grid (2) threads 128 {
    %n = block_id 0
    %h = const 1.0 : frag<[64, 16], f16, wgmma>
    store %h to %D[%n, 0, 1, 0, i0, i1]
  }
  return %D
}

// Within rows TMA begins at multiples of 16 bytes.
// REMARK: missed] 'store tma': the threads store this result from their fragments: it begins within a row at a place that is not known to be a multiple of 16 bytes
kernel.func @in_a_row(%x: memref<[8], f32>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 16], f16, wgmma>
    store %h to %D[i0, i1 + 4]
  }
  return %D
}
