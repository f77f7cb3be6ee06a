// The pixels of a window, one after another over all rows and images, are taken by TMA.

// RUN: dlc-opt %s --insert-async-tokens=target=sm90 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --check-async -o /dev/null
// RUN: dlc-run %s --function=boxes --shape=B=3,H=5,W=7,C=72 -o %t.npy
// RUN: dlc-run %t.mlir --function=boxes --shape=B=3,H=5,W=7,C=72 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=boxes --shape=B=1,H=3,W=1,C=8 -o %t.npy
// RUN: dlc-run %t.mlir --function=boxes --shape=B=1,H=3,W=1,C=8 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=strided --shape=B=3,H=6,W=9,C=8 -o %t.npy
// RUN: dlc-run %t.mlir --function=strided --shape=B=3,H=6,W=9,C=8 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=strided --shape=B=1,H=1,W=130,C=16 -o %t.npy
// RUN: dlc-run %t.mlir --function=strided --shape=B=1,H=1,W=130,C=16 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=phases --shape=B=3,H=5,W=7,C=8 -o %t.npy
// RUN: dlc-run %t.mlir --function=phases --shape=B=3,H=5,W=7,C=8 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=rows --shape=B=3 -o %t.npy
// RUN: dlc-run %t.mlir --function=rows --shape=B=3 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=images --shape=B=3 -o %t.npy
// RUN: dlc-run %t.mlir --function=images --shape=B=3 --check=%t.npy --rtol=0 --atol=0

!half = frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
!full = frag<[64, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>

// CHECK-LABEL: kernel.func @boxes<
// CHECK: %[[MAP:.+]] = tensor_map %X im2col lower [-1, -1] upper [-1, -1] strides [1, 1] : tensormap<[64, 64], f16, swizzle 128>
// CHECK: for %r = 0 to 3
// CHECK: for %q = 0 to 3
// CHECK: expect %{{.+}} bytes 8192
// CHECK-NEXT: tma_load %[[MAP]][(64*%p) floordiv (H*W), ((64*%p) floordiv W) mod H - 1, (64*%p) mod W - 1, 64*%c] offsets (%r, %q) to %s
kernel.func @boxes<B, H, W, C>(%X: memref<[B, H, W, C], f16, row_major, align 128>)
    -> memref<[B*H*W, C], f32, row_major, align 128> {
  require (C mod 8 == 0)
  %Y = output : memref<[B*H*W, C], f32, row_major, align 128>
  grid ((B*H*W) ceildiv 64, C ceildiv 64) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %p = block_id 0
    %c = block_id 1
    %zero = const 0.0 : !full
    %all = for %r = 0 to 3 carry (%a = %zero) {
      %row = for %q = 0 to 3 carry (%b = %a) {
        copy %X[(64*%p + i0) floordiv (H*W), ((64*%p + i0) floordiv W) mod H + %r - 1, (64*%p + i0) mod W + %q - 1, 64*%c + i1]
            where (0 <= ((64*%p + i0) floordiv W) mod H + %r - 1 < H, 0 <= (64*%p + i0) mod W + %q - 1 < W, 64*%p + i0 < B*H*W, 64*%c + i1 < C)
            to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
        barrier
        %x = load_shared %s : !half
        %y = cast %x : !full
        %sum = binary add %b, %y : !full
        barrier
        yield %sum
      }
      yield %row
    }
    store %all to %Y[64*%p + i0, 64*%c + i1] where (64*%p + i0 < B*H*W, 64*%c + i1 < C)
  }
  return %Y
}

// By steps of two.
// CHECK-LABEL: kernel.func @strided<
// CHECK: tensor_map %X im2col lower [-1, -1] upper [-1, -1] strides [2, 2]
// CHECK: tma_load %{{.+}}[(64*%p) floordiv ((H ceildiv 2)*(W ceildiv 2)), 2*(((64*%p) floordiv (W ceildiv 2)) mod (H ceildiv 2)) - 1, 2*((64*%p) mod (W ceildiv 2)) - 1, 0] offsets (0, %q)
kernel.func @strided<B, H, W, C>(%X: memref<[B, H, W, C], f16, row_major, align 128>)
    -> memref<[B*(H ceildiv 2)*(W ceildiv 2), C], f32, row_major, align 128> {
  require (C mod 8 == 0)
  %Y = output : memref<[B*(H ceildiv 2)*(W ceildiv 2), C], f32, row_major, align 128>
  grid ((B*(H ceildiv 2)*(W ceildiv 2)) ceildiv 64) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %p = block_id 0
    %zero = const 0.0 : !full
    %all = for %q = 0 to 3 carry (%b = %zero) {
      copy %X[(64*%p + i0) floordiv ((H ceildiv 2)*(W ceildiv 2)), 2*(((64*%p + i0) floordiv (W ceildiv 2)) mod (H ceildiv 2)) - 1, 2*((64*%p + i0) mod (W ceildiv 2)) + %q - 1, i1]
          where (0 <= 2*(((64*%p + i0) floordiv (W ceildiv 2)) mod (H ceildiv 2)) - 1 < H, 0 <= 2*((64*%p + i0) mod (W ceildiv 2)) + %q - 1 < W, 64*%p + i0 < B*(H ceildiv 2)*(W ceildiv 2), i1 < C)
          to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
      barrier
      %x = load_shared %s : !half
      %y = cast %x : !full
      %sum = binary add %b, %y : !full
      barrier
      yield %sum
    }
    store %all to %Y[64*%p + i0, i1] where (64*%p + i0 < B*(H ceildiv 2)*(W ceildiv 2), i1 < C)
  }
  return %Y
}

// A place in the window that the number of the block says: its bounds follow from how many blocks there are.
// CHECK-LABEL: kernel.func @phases<
// CHECK: %[[MAP:.+]] = tensor_map %X im2col lower [-1, -1] upper [-1, -1] strides [1, 1]
// CHECK: tma_load %[[MAP]][{{.+}}] offsets ((%t floordiv ((B*H*W) ceildiv 64)) floordiv 2, (%t floordiv ((B*H*W) ceildiv 64)) mod 2) to %s
kernel.func @phases<B, H, W, C>(%X: memref<[B, H, W, C], f16, row_major, align 128>)
    -> memref<[2, 2, B*H*W, C], f16, row_major, align 128> {
  require (C mod 8 == 0)
  %Y = output : memref<[2, 2, B*H*W, C], f16, row_major, align 128>
  grid (4*((B*H*W) ceildiv 64)) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %t = block_id 0
    %p = index (%t mod ((B*H*W) ceildiv 64))
    copy %X[(64*%p + i0) floordiv (H*W), ((64*%p + i0) floordiv W) mod H + (%t floordiv ((B*H*W) ceildiv 64)) floordiv 2 - 1, (64*%p + i0) mod W + (%t floordiv ((B*H*W) ceildiv 64)) mod 2 - 1, i1]
        where (0 <= ((64*%p + i0) floordiv W) mod H + (%t floordiv ((B*H*W) ceildiv 64)) floordiv 2 - 1 < H, 0 <= (64*%p + i0) mod W + (%t floordiv ((B*H*W) ceildiv 64)) mod 2 - 1 < W, 64*%p + i0 < B*H*W, i1 < C)
        to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
    barrier
    %x = load_shared %s : !half
    barrier
    store %x to %Y[(%t floordiv ((B*H*W) ceildiv 64)) floordiv 2, (%t floordiv ((B*H*W) ceildiv 64)) mod 2, 64*%p + i0, i1] where (64*%p + i0 < B*H*W, i1 < C)
  }
  return %Y
}

// Where windows are is not bounded: it may be beyond what TMA has bits for.
// CHECK-LABEL: kernel.func @far<
// CHECK-NOT: im2col
// CHECK: copy_async %X
kernel.func @far<B, H, W, C, R>(%X: memref<[B, H, W, C], f16, row_major, align 128>) {
  require (C mod 8 == 0)
  grid ((B*H*W) ceildiv 64) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %p = block_id 0
    for %q = 0 to R {
      copy %X[(64*%p + i0) floordiv (H*W), ((64*%p + i0) floordiv W) mod H, (64*%p + i0) mod W + %q, i1]
          where ((64*%p + i0) mod W + %q < W, 64*%p + i0 < B*H*W, i1 < C) to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
      barrier
      %x = load_shared %s : !half
      barrier
    }
  }
  return
}

// The same image for all pixels: TMA would go on to the next one.
// CHECK-LABEL: kernel.func @image<
// CHECK-NOT: im2col
// CHECK: copy_async %X
kernel.func @image<B, H, W, C>(%X: memref<[B, H, W, C], f16, row_major, align 128>) {
  require (C mod 8 == 0)
  grid ((B*H*W) ceildiv 64, B) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %p = block_id 0
    %b = block_id 1
    copy %X[%b, ((64*%p + i0) floordiv W) mod H, (64*%p + i0) mod W, i1] where (64*%p + i0 < B*H*W, i1 < C)
        to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
    barrier
    %x = load_shared %s : !half
  }
  return
}

// Tiles of two rows: the place of a pixel in its row says nothing of the tile.
// CHECK-LABEL: kernel.func @rows<
// CHECK: tensor_map %X im2col lower [-1, -1] upper [-1, -1] strides [1, 1]
// CHECK: tma_load %
kernel.func @rows<B>(%X: memref<[B, 8, 32, 64], f16, row_major, align 128>) -> memref<[256*B, 64], f32, row_major, align 128> {
  %Y = output : memref<[256*B, 64], f32, row_major, align 128>
  grid ((256*B) ceildiv 64) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %p = block_id 0
    %zero = const 0.0 : !full
    %all = for %r = 0 to 3 carry (%a = %zero) {
      %row = for %q = 0 to 3 carry (%b = %a) {
        copy %X[(64*%p + i0) floordiv 256, (2*%p + i0 floordiv 32) mod 8 + %r - 1, i0 mod 32 + %q - 1, i1]
            where (0 <= (2*%p + i0 floordiv 32) mod 8 + %r - 1 < 8, 0 <= i0 mod 32 + %q - 1 < 32, 64*%p + i0 < 256*B)
            to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
        barrier
        %x = load_shared %s : !half
        %wide = cast %x : !full
        %sum = binary add %b, %wide : !full
        barrier
        yield %sum
      }
      yield %row
    }
    store %all to %Y[64*%p + i0, i1] where (64*%p + i0 < 256*B)
  }
  return %Y
}

// Tiles of two images.
// CHECK-LABEL: kernel.func @images<
// CHECK: tensor_map %X im2col lower [-1, -1] upper [-1, -1] strides [1, 1]
// CHECK: tma_load %
kernel.func @images<B>(%X: memref<[B, 4, 8, 64], f16, row_major, align 128>) -> memref<[32*B, 64], f32, row_major, align 128> {
  %Y = output : memref<[32*B, 64], f32, row_major, align 128>
  grid ((32*B) ceildiv 64) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %p = block_id 0
    %zero = const 0.0 : !full
    %all = for %r = 0 to 3 carry (%a = %zero) {
      %row = for %q = 0 to 3 carry (%b = %a) {
        copy %X[2*%p + i0 floordiv 32, (i0 floordiv 8) mod 4 + %r - 1, i0 mod 8 + %q - 1, i1]
            where (0 <= (i0 floordiv 8) mod 4 + %r - 1 < 4, 0 <= i0 mod 8 + %q - 1 < 8, 64*%p + i0 < 32*B)
            to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
        barrier
        %x = load_shared %s : !half
        %wide = cast %x : !full
        %sum = binary add %b, %wide : !full
        barrier
        yield %sum
      }
      yield %row
    }
    store %all to %Y[64*%p + i0, i1] where (64*%p + i0 < 32*B)
  }
  return %Y
}
