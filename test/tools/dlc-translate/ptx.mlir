// Kernels in instructions become PTX, and next to it a launch manifest.

// RUN: dlc-opt %s --kernel-to-ptx=unchecked -o %t.mlir
// RUN: dlc-translate %t.mlir --to-ptx | FileCheck %s --check-prefix=PTX
// RUN: dlc-translate %t.mlir --to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=LINES --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.json

// Standard output gets the text alone. A file has lines of the IR that it is from, for profilers.
// PTX: .version 8.0
// PTX-NEXT: .target sm_90a
// PTX-NEXT: .address_size 64
// PTX: .visible .entry double_0(
// PTX-NEXT: .param .u64 a0,
// PTX-NEXT: .param .u64 a1,
// PTX-NEXT: .param .u32 a2
// PTX-NEXT: )
// PTX-NEXT: .maxntid 128, 1, 1
// PTX: ld.param.u64 [[X:%rd[0-9]+]], [a0];
// PTX: @[[IN:%p[0-9]+]] ld.global.nc.f32 [[A:%f[0-9]+]], [
// PTX: add.rn.f32 [[B:%f[0-9]+]], [[A]], [[A]];
// PTX: @[[IN]] st.global.f32 [{{.*}}], [[B]];
// PTX-NEXT: ret;
// PTX-NOT: .loc
// LINES: .loc 1
// LINES: .file 1 "{{.*}}.mlir"

// CHECK: "manifest": 5
// CHECK-NEXT: "target": "sm_90a"
// CHECK-NEXT: "ptx_version": "8.0"
// CHECK-NEXT: "module": "{{.*}}.ptx",
// CHECK-NEXT: "module_crc32": "{{[0-9a-f]+}}"

// A kernel by itself: what it takes, what it gives, how it is launched.
// CHECK: "name": "double"
// CHECK: "inputs": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "X",
// CHECK-NEXT: "type": "f32",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "N"
// CHECK-NEXT: ],
// CHECK-NEXT: "align": 4
// CHECK: "outputs": [
// CHECK-NEXT: "Y"
// CHECK: "role": "output",
// CHECK: "entry": "double_0",
// CHECK-NEXT: "grid": [
// CHECK-NEXT: "N ceildiv 128",
// CHECK: "threads": 128,
// CHECK-NEXT: "shared": 0,
// CHECK-NEXT: "early": false,
// CHECK-NEXT: "args": [
// CHECK-NEXT: {
// CHECK-NEXT: "buffer": "X"
// CHECK: "buffer": "Y"
// CHECK: "i32": "N"
kernel.func @double<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> attributes {target = "sm90"} {
  %Y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 128) threads 128 {
    %b = block_id 0
    %x = load %X[128 * %b + i0] where (128 * %b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %y = binary add %x, %x : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %y to %Y[128 * %b + i0] where (128 * %b + i0 < N)
  }
  return %Y
}

// What is computed at launch has names: those of the text, where they are words. Sizes must hold what is required. A map
// of TMA takes a panel at a time where a tile is wider than its pattern; a second grid that waits by itself
// begins early.
// CHECK: "name": "launch"
// CHECK: "role": "scratch",
// CHECK: "name": "own",
// CHECK-NEXT: "role": "workspace",
// CHECK: "values": [
// CHECK: "name": "most",
// CHECK-NEXT: "expr": "66"
// CHECK: "name": "[[UNNAMED:v[0-9]+]]",
// CHECK-NEXT: "expr": "N*(M ceildiv 128)"
// CHECK: "name": "pairs",
// CHECK-NEXT: "min": [
// CHECK-NEXT: "most",
// CHECK-NEXT: "[[UNNAMED]]"
// CHECK: "name": "N_",
// CHECK-NEXT: "max": [
// CHECK-NEXT: "pairs",
// CHECK-NEXT: "most"
// CHECK: "requires": [
// CHECK-NEXT: "N mod 8 == 0",
// CHECK-NEXT: "M < 8193",
// CHECK-NEXT: "M >= 1"
// CHECK: "name": "mX",
// CHECK-NEXT: "buffer": "X",
// CHECK-NEXT: "type": "f16",
// CHECK-NEXT: "box": [
// CHECK-NEXT: 64,
// CHECK-NEXT: 64
// CHECK-NEXT: ],
// CHECK-NEXT: "swizzle": 128
// CHECK: "name": "mI",
// CHECK: "im2col": {
// CHECK-NEXT: "lower": [
// CHECK-NEXT: -1,
// CHECK: "strides": [
// CHECK-NEXT: 2,
// CHECK: "entry": "launch_0",
// CHECK-NEXT: "grid": [
// CHECK-NEXT: "2*pairs",
// CHECK-NEXT: "N ceildiv 64",
// CHECK-NEXT: "1"
// CHECK-NEXT: ],
// CHECK-NEXT: "cluster": [
// CHECK-NEXT: 2,
// CHECK: "shared": 16392,
// CHECK-NEXT: "early": false,
// CHECK: "map": "mX"
// CHECK: "map": "mI"
// CHECK: "i32": "N_"
// CHECK: "entry": "launch_1",
// CHECK: "early": true,
kernel.func @launch<M, N>(%X: memref<[M, N], f16, row_major, align 16>, %I: memref<[2, 8, 8, 64], f16, row_major, align 16>) -> memref<[128], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0, M < 8193, M >= 1)
  %Y = output : memref<[128], f16, row_major, align 16>
  %w = scratch : memref<[128], f16, row_major, align 16>
  %own = workspace : memref<[N], f16, row_major, align 16>
  %mX = tensor_map %X : tensormap<[64, 128], f16, swizzle 128>
  %mI = tensor_map %I im2col lower [-1, -1] upper [-1, -1] strides [2, 2] : tensormap<[64, 64], f16, swizzle 128>
  %most = index (66)
  %0 = index (M ceildiv 128 * N)
  %pairs = min %most, %0
  %N = max %pairs, %most
  grid (2 * %pairs, N ceildiv 64) cluster [2, 1] threads 128 {
    %s = shared : tile<[64, 128], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    elect {
      expect %full bytes 24576
      tma_load %mX[0, 0] to %s signal %full
      %t = slice %s at (0, 0) : tile<[64, 64], f16, swizzle 128>
      tma_load %mI[0, -1, -1, 0] offsets (0, 0) to %t signal %full
    }
    wait %full parity %zero
    %c = const 1.0 : frag<[128], f16, blocked [1] lanes [32] warps [4]>
    %k = index (%N)
    if (%k > 3) {
      store %c to %w[i0]
    }
  }
  grid (1) threads 128 {
    grid_wait
    %x = load %w[i0] : frag<[128], f16, blocked [1] lanes [32] warps [4]>
    store %x to %Y[i0]
  }
  return %Y
}
