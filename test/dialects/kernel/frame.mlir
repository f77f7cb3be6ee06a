// The frame of a kernel: what is done when it is launched, grids, roles, loops, conditions, integers.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: kernel.func @launch
// GENERIC-LABEL: sym_name = "launch"
kernel.func @launch<M, N>(%X: memref<[M, N], f16, row_major, align 16>, %I: memref<[2, 8, 8, 64], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  // CHECK: require (M mod 8 == 0, N < 8193)
  // GENERIC{LITERAL}: "kernel.require"() <{guard = [["M mod 8 == 0", "N < 8193"]]}> : () -> ()
  require (M mod 8 == 0, N < 8193)
  // CHECK: %Y = output : memref<[M, N], f16, row_major, align 2>
  // GENERIC: %Y = "kernel.output"() : () -> !core.memref<["M", "N"], f16, "row_major", 2, false>
  %Y = output : memref<[M, N], f16>
  // CHECK: %w = scratch : memref<[4, M, N], f32, row_major, align 4>
  // GENERIC: %w = "kernel.scratch"() : () -> !core.memref<[4, "M", "N"], f32, "row_major", 4, false>
  %w = scratch : memref<[4, M, N], f32>
  // CHECK: %rows = workspace : memref<[M, 8*(N ceildiv 8)], f16, row_major, align 16>
  // GENERIC: %rows = "kernel.workspace"() : () -> !core.memref<["M", "8*(N ceildiv 8)"], f16, "row_major", 16, false>
  %rows = workspace : memref<[M, 8*(N ceildiv 8)], f16, row_major, align 16>
  // CHECK: %x = tensor_map %X : tensormap<[128, 64], f16, swizzle 128>
  // GENERIC: %x = "kernel.tensor_map"(%X) : (!core.memref<["M", "N"], f16, "row_major", 16, false>) -> !kernel.tensormap<array<i64: 128, 64>, f16, "swizzle 128">
  %x = tensor_map %X : tensormap<[128, 64], f16, swizzle 128>
  // CHECK: %i = tensor_map %I im2col lower [-1, -1] upper [-1, -1] strides [2, 2] : tensormap<[128, 64], f16, swizzle 128>
  // GENERIC: %i = "kernel.tensor_map"(%I) <{lower = array<i64: -1, -1>, strides = array<i64: 2, 2>, upper = array<i64: -1, -1>}> : (!core.memref<[2, 8, 8, 64], f16, "row_major", 2, false>) -> !kernel.tensormap<array<i64: 128, 64>, f16, "swizzle 128">
  %i = tensor_map %I im2col lower [-1, -1] upper [-1, -1] strides [2, 2] : tensormap<[128, 64], f16, swizzle 128>
  // CHECK: %flat = tensor_map %I merged [1, 2, 1] : tensormap<[1, 16, 64], f16, swizzle 128>
  // GENERIC: %flat = "kernel.tensor_map"(%I) <{merged = array<i64: 1, 2, 1>}> : (!core.memref<[2, 8, 8, 64], f16, "row_major", 2, false>) -> !kernel.tensormap<array<i64: 1, 16, 64>, f16, "swizzle 128">
  %flat = tensor_map %I merged [1, 2, 1] : tensormap<[1, 16, 64], f16, swizzle 128>
  // CHECK: %turned = tensor_map %I order [1, 0, 2, 3] : tensormap<[8, 1, 8, 64], f16, swizzle 128>
  // GENERIC: %turned = "kernel.tensor_map"(%I) <{order = array<i64: 1, 0, 2, 3>}> : (!core.memref<[2, 8, 8, 64], f16, "row_major", 2, false>) -> !kernel.tensormap<array<i64: 8, 1, 8, 64>, f16, "swizzle 128">
  %turned = tensor_map %I order [1, 0, 2, 3] : tensormap<[8, 1, 8, 64], f16, swizzle 128>
  // CHECK: %most = index (132)
  // GENERIC: %most = "kernel.index"() <{value = [132]}> : () -> index
  %most = index (132)
  // CHECK: %tiles = index (N*(M ceildiv 128))
  // GENERIC: %tiles = "kernel.index"() <{value = ["N*(M ceildiv 128)"]}> : () -> index
  %tiles = index (M ceildiv 128 * N)
  // CHECK: %blocks = min %most, %tiles
  // GENERIC: %blocks = "kernel.min"(%most, %tiles) : (index, index) -> index
  %blocks = min %most, %tiles
  // CHECK: grid (%blocks, N ceildiv 64) cluster [2, 1] threads 384 blocks_per_sm 1 {
  // GENERIC: "kernel.grid"(%blocks) <{blocks_per_sm = 1, cluster = array<i64: 2, 1>, dims = ["_0", "N ceildiv 64"], threads = 384}>
  grid (%blocks, N ceildiv 64) cluster [2, 1] threads 384 blocks_per_sm 1 {
    // CHECK: %c = block_id 0
    // GENERIC: %c = "kernel.block_id"() <{axis = 0}> : () -> index
    %c = block_id 0
    // CHECK: %d = grid_size 1
    // GENERIC: %d = "kernel.grid_size"() <{axis = 1}> : () -> index
    %d = grid_size 1
    // CHECK: %r = block_rank
    // GENERIC: %r = "kernel.block_rank"() : () -> index
    %r = block_rank
    // CHECK: %n = max %c, %d
    // GENERIC: %n = "kernel.max"(%c, %d) : (index, index) -> index
    %n = max %c, %d
    // CHECK: %m, %k = tile_order %c of (M ceildiv 128, N ceildiv 64) grouped 8
    // GENERIC: %m, %k = "kernel.tile_order"(%c) <{group = 8, order = "grouped", tiles = ["M ceildiv 128", "N ceildiv 64"]}> : (index) -> (index, index)
    %m, %k = tile_order %c of (M ceildiv 128, N ceildiv 64) grouped 8
    // CHECK: %m1, %k1 = tile_order %c of (M, N) rows
    // GENERIC: %m1, %k1 = "kernel.tile_order"(%c) <{order = "rows", tiles = ["M", "N"]}> : (index) -> (index, index)
    %m1, %k1 = tile_order %c of (M, N) rows
    // CHECK: %m2, %k2 = tile_order %c of (%d, N) hilbert
    // GENERIC: %m2, %k2 = "kernel.tile_order"(%c, %d) <{order = "hilbert", tiles = ["_0", "N"]}> : (index, index) -> (index, index)
    %m2, %k2 = tile_order %c of (%d, N) hilbert
    // CHECK: %m3, %k3 = tile_order %c of (M, N) columns
    // GENERIC: %m3, %k3 = "kernel.tile_order"(%c) <{order = "columns", tiles = ["M", "N"]}> : (index) -> (index, index)
    %m3, %k3 = tile_order %c of (M, N) columns
    // CHECK: %p, %q = advance %m, %k over 6
    // GENERIC: %p, %q = "kernel.advance"(%m, %k) <{stages = 6}> : (index, index) -> (index, index)
    %p, %q = advance %m, %k over 6
    // CHECK: %v = index (2*%m + i0) : frag<[192], i32, slice 1 of (wgmma)>
    // GENERIC: %v = "kernel.index"(%m) <{value = ["2*_0 + i0"]}> : (index) -> !kernel.frag<array<i64: 192>, i32, "slice 1 of (wgmma)">
    %v = index (2 * %m + i0) : frag<[192], i32, slice 1 of (wgmma)>
    // CHECK: %z = const 0.5 : frag<[192, 8], f32, wgmma>
    // GENERIC: %z = "kernel.const"() <{value = 5.000000e-01 : f32}> : () -> !kernel.frag<array<i64: 192, 8>, f32, "wgmma">
    %z = const 5.000000e-01 : frag<[192, 8], f32, wgmma>
    // CHECK: %half = const 0.5 : f16
    // GENERIC: %half = "kernel.const"() <{value = 5.000000e-01 : f16}> : () -> f16
    %half = const 5.000000e-01 : f16
    // CHECK: grid_release
    // GENERIC: "kernel.grid_release"() : () -> ()
    grid_release
    // CHECK: grid_wait
    // GENERIC: "kernel.grid_wait"() : () -> ()
    grid_wait
    // CHECK: barrier
    // GENERIC: "kernel.barrier"() : () -> ()
    barrier
    // CHECK: warp_sync
    // GENERIC: "kernel.warp_sync"() : () -> ()
    warp_sync
    // CHECK: cluster_barrier
    // GENERIC: "kernel.cluster_barrier"() : () -> ()
    cluster_barrier
    // CHECK: role producer warps 0 to 4 registers 40 single {
    // GENERIC: "kernel.role"() <{first = 0, groups = 1, last = 4, name = "producer", registers = 40, single}>
    role producer warps 0 to 4 registers 40 single {
    }
    // CHECK: role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
    // GENERIC: "kernel.role"() <{first = 4, groups = 2, last = 12, name = "consumer", registers = 232}>
    role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
    }
  }
  // CHECK: return %Y
  // GENERIC: "kernel.return"(%Y) : (!core.memref<["M", "N"], f16, "row_major", 2, false>) -> ()
  return %Y
}

// CHECK-LABEL: kernel.func @control
// GENERIC-LABEL: sym_name = "control"
kernel.func @control<K>(%X: memref<[K], f32>) {
  // CHECK: grid (1) threads 128 {
  // GENERIC: "kernel.grid"() <{dims = [1], threads = 128}>
  grid (1) threads 128 {
    // CHECK: %zero = const 0.0 : frag<[64, 8], f32, wgmma>
    // GENERIC: %zero = "kernel.const"() <{value = 0.000000e+00 : f32}> : () -> !kernel.frag<array<i64: 64, 8>, f32, "wgmma">
    %zero = const 0.0 : frag<[64, 8], f32, wgmma>
    // CHECK: %one = index (1)
    // GENERIC: %one = "kernel.index"() <{value = [1]}> : () -> index
    %one = index (1)
    // CHECK: %yes = const 1 : i1
    // GENERIC: %yes = "kernel.const"() <{value = true}> : () -> i1
    %yes = const 1 : i1
    // CHECK: %a = for %k = 0 to K carry (%acc = %zero) : frag<[64, 8], f32, wgmma> {
    // GENERIC: %a = "kernel.for"(%zero) <{bounds = [0, "K", 1], operandSegmentSizes = array<i32: 0, 1>}>
    %a = for %k = 0 to K carry (%acc = %zero) : frag<[64, 8], f32, wgmma> {
      // CHECK: yield %acc
      yield %acc
    }
    // CHECK: for %k = %one to K step 2 unroll {
    // GENERIC: "kernel.for"(%one) <{bounds = ["_0", "K", 2], operandSegmentSizes = array<i32: 1, 0>, unroll}>
    for %k = %one to K step 2 unroll {
      // CHECK: %n = index (%k)
      // GENERIC: %n = "kernel.index"(%k) <{value = ["_0"]}> : (index) -> index
      %n = index (%k)
    }
    // CHECK: if (%one < K) {
    // GENERIC{LITERAL}: "kernel.if"(%one) <{guard = [["_0 < K"]], operandSegmentSizes = array<i32: 1, 0>}>
    if (%one < K) {
    }
    // CHECK: %b = if %yes : frag<[64, 8], f32, wgmma> {
    // GENERIC: %b = "kernel.if"(%yes) <{operandSegmentSizes = array<i32: 0, 1>}>
    %b = if %yes : frag<[64, 8], f32, wgmma> {
      // CHECK: yield %a
      yield %a
    } else {
      // CHECK: yield %zero
      yield %zero
    }
    // CHECK: %much = binary gt %a, %b : frag<[64, 8], i1, wgmma>
    // GENERIC: %much = "kernel.binary"(%a, %b) <{function = "gt"}> : (!kernel.frag<array<i64: 64, 8>, f32, "wgmma">, !kernel.frag<array<i64: 64, 8>, f32, "wgmma">) -> !kernel.frag<array<i64: 64, 8>, i1, "wgmma">
    %much = binary gt %a, %b : frag<[64, 8], i1, wgmma>
    // CHECK: %c = warp_if %much : frag<[64, 8], f32, wgmma> {
    // GENERIC: %c = "kernel.warp_if"(%much)
    %c = warp_if %much : frag<[64, 8], f32, wgmma> {
      // CHECK: yield %a
      yield %a
    } else {
      // CHECK: yield %b
      yield %b
    }
    // CHECK: %e = elect : index {
    // GENERIC: %e = "kernel.elect"()
    %e = elect : index {
      // CHECK: %n = index (2)
      // GENERIC: %n = "kernel.index"() <{value = [2]}> : () -> index
      %n = index (2)
      // CHECK: yield %n
      yield %n
    }
  }
  // CHECK: return
  // GENERIC: "kernel.return"() : () -> ()
  return
}
