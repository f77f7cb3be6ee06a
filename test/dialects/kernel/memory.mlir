// Memory: tiles, loads, stores, copies, TMA.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: kernel.func @registers
// GENERIC-LABEL: sym_name = "registers"
kernel.func @registers<M, N>(%X: memref<[M, N], f16>, %P: memref<[M], i32>) -> memref<[M, N], f16> {
  // CHECK: %Y = output : memref<[M, N], f16, row_major, align 2>
  // GENERIC: %Y = "kernel.output"() : () -> !core.memref<["M", "N"], f16, "row_major", 2, false>
  %Y = output : memref<[M, N], f16>
  // CHECK: grid (1) threads 128 {
  // GENERIC: "kernel.grid"() <{dims = [1], threads = 128}>
  grid (1) threads 128 {
    // CHECK: %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    // GENERIC: %s = "kernel.shared"() : () -> !kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    // CHECK: %t = shared at 1024 : tile<[64, 64], f16, row_major pitch 72>
    // GENERIC: %t = "kernel.shared"() <{at = 1024}> : () -> !kernel.tile<1, array<i64: 64, 64>, f16, "row_major pitch 72">
    %t = shared at 1024 : tile<[64, 64], f16, row_major pitch 72>
    // CHECK: %n = index (0)
    // GENERIC: %n = "kernel.index"() <{value = [0]}> : () -> index
    %n = index (0)
    // CHECK: %a = slice %s[%n] at (16*%n, 0) : tile<[16, 64], f16, swizzle 128>
    // GENERIC: %a = "kernel.slice"(%s, %n, %n) <{at = ["16*_0", 0], operandSegmentSizes = array<i32: 1, 1, 1>}> : (!kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index, index) -> !kernel.tile<1, array<i64: 16, 64>, f16, "swizzle 128">
    %a = slice %s[%n] at (16 * %n, 0) : tile<[16, 64], f16, swizzle 128>
    // CHECK: %b = slice %t at (0, 8) : tile<[64, 8], f16, row_major pitch 72>
    // GENERIC: %b = "kernel.slice"(%t) <{at = [0, 8], operandSegmentSizes = array<i32: 1, 0, 0>}> : (!kernel.tile<1, array<i64: 64, 64>, f16, "row_major pitch 72">) -> !kernel.tile<1, array<i64: 64, 8>, f16, "row_major pitch 72">
    %b = slice %t at (0, 8) : tile<[64, 8], f16, row_major pitch 72>
    // CHECK: %row = index (i0) : frag<[64], index, slice 1 of (blocked [1, 8] lanes [4, 8] warps [4, 1])>
    // GENERIC: %row = "kernel.index"() <{value = ["i0"]}> : () -> !kernel.frag<array<i64: 64>, index, "slice 1 of (blocked [1, 8] lanes [4, 8] warps [4, 1])">
    %row = index (i0) : frag<[64], index, slice 1 of (blocked [1, 8] lanes [4, 8] warps [4, 1])>
    // CHECK: %rows = broadcast %row along 1 : frag<[64, 64], index, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // GENERIC: %rows = "kernel.broadcast"(%row) <{axis = 1}> : (!kernel.frag<array<i64: 64>, index, "slice 1 of (blocked [1, 8] lanes [4, 8] warps [4, 1])">) -> !kernel.frag<array<i64: 64, 64>, index, "blocked [1, 8] lanes [4, 8] warps [4, 1]">
    %rows = broadcast %row along 1 : frag<[64, 64], index, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // CHECK: %x = load %X[i0, %n + i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // GENERIC: %x = "kernel.load"(%X, %n) <{at = ["i0", "_0 + i1"]}> : (!core.memref<["M", "N"], f16, "row_major", 2, false>, index) -> !kernel.frag<array<i64: 64, 64>, f16, "blocked [1, 8] lanes [4, 8] warps [4, 1]">
    %x = load %X[i0, %n + i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // CHECK: %y = load %X[%rows, i1] where (%rows < M, i1 < N) else -1.0 hint evict_last : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // GENERIC{LITERAL}: %y = "kernel.load"(%X, %rows) <{at = ["_0", "i1"], fill = -1.000000e+00 : f16, guard = [["_0 < M", "i1 < N"]], hint = "evict_last"}> : (!core.memref<["M", "N"], f16, "row_major", 2, false>, !kernel.frag<array<i64: 64, 64>, index, "blocked [1, 8] lanes [4, 8] warps [4, 1]">) -> !kernel.frag<array<i64: 64, 64>, f16, "blocked [1, 8] lanes [4, 8] warps [4, 1]">
    %y = load %X[%rows, i1] where (%rows < M, i1 < N) else -1.000000e+00 hint evict_last : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // CHECK: store %x to %Y[i0, %n + i1] where (i0 < M, %n + i1 < N)
    // GENERIC{LITERAL}: "kernel.store"(%x, %Y, %n) <{at = ["i0", "_0 + i1"], guard = [["i0 < M", "_0 + i1 < N"]]}> : (!kernel.frag<array<i64: 64, 64>, f16, "blocked [1, 8] lanes [4, 8] warps [4, 1]">, !core.memref<["M", "N"], f16, "row_major", 2, false>, index) -> ()
    store %x to %Y[i0, %n + i1] where (i0 < M, %n + i1 < N)
    // CHECK: store combine sum %y to %Y[i0, i1]
    // GENERIC: "kernel.store"(%y, %Y) <{at = ["i0", "i1"], combine = "sum"}> : (!kernel.frag<array<i64: 64, 64>, f16, "blocked [1, 8] lanes [4, 8] warps [4, 1]">, !core.memref<["M", "N"], f16, "row_major", 2, false>) -> ()
    store combine sum %y to %Y[i0, i1]
    // CHECK: copy %X[i0, %n + i1] where (i0 < M) else 0.0 to %s[%n] by blocked [1, 8] lanes [4, 8] warps [4, 1]
    // GENERIC{LITERAL}: "kernel.copy"(%X, %n, %s, %n) <{at = ["i0", "_0 + i1"], by = "blocked [1, 8] lanes [4, 8] warps [4, 1]", fill = 0.000000e+00 : f16, guard = [["i0 < M"]], operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!core.memref<["M", "N"], f16, "row_major", 2, false>, index, !kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index) -> ()
    copy %X[i0, i1 + %n] where (i0 < M) else 0.000000e+00 to %s[%n] by blocked [1, 8] lanes [4, 8] warps [4, 1]
    // CHECK: %l = copy_async %X[i0, i1] to %t by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
    // GENERIC: %l = "kernel.copy_async"(%X, %t) <{at = ["i0", "i1"], by = "blocked [1, 8] lanes [4, 8] warps [4, 1]", operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!core.memref<["M", "N"], f16, "row_major", 2, false>, !kernel.tile<1, array<i64: 64, 64>, f16, "row_major pitch 72">) -> !kernel.token<"load">
    %l = copy_async %X[i0, i1] to %t by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
    // CHECK: await %l
    // GENERIC: "kernel.await"(%l) : (!kernel.token<"load">) -> ()
    await %l
    // CHECK: %u = load_shared %s[%n] : frag<[64, 64], f16, mma_a [2, 2]>
    // GENERIC: %u = "kernel.load_shared"(%s, %n) : (!kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index) -> !kernel.frag<array<i64: 64, 64>, f16, "mma_a [2, 2]">
    %u = load_shared %s[%n] : frag<[64, 64], f16, mma_a [2, 2]>
    // CHECK: %v = load_shared %t transposed : frag<[64, 64], f16, mma_b [2, 2]>
    // GENERIC: %v = "kernel.load_shared"(%t) <{transposed}> : (!kernel.tile<1, array<i64: 64, 64>, f16, "row_major pitch 72">) -> !kernel.frag<array<i64: 64, 64>, f16, "mma_b [2, 2]">
    %v = load_shared %t transposed : frag<[64, 64], f16, mma_b [2, 2]>
    // CHECK: store_shared %x to %s[%n]
    // GENERIC: "kernel.store_shared"(%x, %s, %n) : (!kernel.frag<array<i64: 64, 64>, f16, "blocked [1, 8] lanes [4, 8] warps [4, 1]">, !kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index) -> ()
    store_shared %x to %s[%n]
    // CHECK: store_shared %x to %t transposed
    // GENERIC: "kernel.store_shared"(%x, %t) <{transposed}> : (!kernel.frag<array<i64: 64, 64>, f16, "blocked [1, 8] lanes [4, 8] warps [4, 1]">, !kernel.tile<1, array<i64: 64, 64>, f16, "row_major pitch 72">) -> ()
    store_shared %x to %t transposed
  }
  // CHECK: return %Y
  // GENERIC: "kernel.return"(%Y) : (!core.memref<["M", "N"], f16, "row_major", 2, false>) -> ()
  return %Y
}

// CHECK-LABEL: kernel.func @engine
// GENERIC-LABEL: sym_name = "engine"
kernel.func @engine<M, N>(%X: memref<[M, N], f16>, %I: memref<[2, 8, 8, 64], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  // CHECK: %Y = output : memref<[M, N], f16, row_major, align 2>
  // GENERIC: %Y = "kernel.output"() : () -> !core.memref<["M", "N"], f16, "row_major", 2, false>
  %Y = output : memref<[M, N], f16>
  // CHECK: %x = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  // GENERIC: %x = "kernel.tensor_map"(%X) : (!core.memref<["M", "N"], f16, "row_major", 2, false>) -> !kernel.tensormap<array<i64: 64, 64>, f16, "swizzle 128">
  %x = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  // CHECK: %i = tensor_map %I im2col lower [-1, -1] upper [-1, -1] strides [1, 1] : tensormap<[64, 64], f16, swizzle 128>
  // GENERIC: %i = "kernel.tensor_map"(%I) <{lower = array<i64: -1, -1>, strides = array<i64: 1, 1>, upper = array<i64: -1, -1>}> : (!core.memref<[2, 8, 8, 64], f16, "row_major", 2, false>) -> !kernel.tensormap<array<i64: 64, 64>, f16, "swizzle 128">
  %i = tensor_map %I im2col lower [-1, -1] upper [-1, -1] strides [1, 1] : tensormap<[64, 64], f16, swizzle 128>
  // CHECK: %y = tensor_map %Y : tensormap<[64, 64], f16, swizzle 128>
  // GENERIC: %y = "kernel.tensor_map"(%Y) : (!core.memref<["M", "N"], f16, "row_major", 2, false>) -> !kernel.tensormap<array<i64: 64, 64>, f16, "swizzle 128">
  %y = tensor_map %Y : tensormap<[64, 64], f16, swizzle 128>
  // CHECK: grid (2) cluster [2] threads 128 {
  // GENERIC: "kernel.grid"() <{cluster = array<i64: 2>, dims = [2], threads = 128}>
  grid (2) cluster [2] threads 128 {
    // CHECK: %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    // GENERIC: %s = "kernel.shared"() : () -> !kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    // CHECK: %t = shared : tile<[64, 64], f16, swizzle 128>
    // GENERIC: %t = "kernel.shared"() : () -> !kernel.tile<1, array<i64: 64, 64>, f16, "swizzle 128">
    %t = shared : tile<[64, 64], f16, swizzle 128>
    // CHECK: %full = mbarriers arrivals 1 : mbarrier<2>
    // GENERIC: %full = "kernel.mbarriers"() <{arrivals = 1}> : () -> !kernel.mbarrier<2>
    %full = mbarriers arrivals 1 : mbarrier<2>
    // CHECK: %done = mbarriers arrivals 128 : mbarrier<1>
    // GENERIC: %done = "kernel.mbarriers"() <{arrivals = 128}> : () -> !kernel.mbarrier<1>
    %done = mbarriers arrivals 128 : mbarrier<1>
    // CHECK: %n = index (0)
    // GENERIC: %n = "kernel.index"() <{value = [0]}> : () -> index
    %n = index (0)
    // CHECK: %none = done : token<epilogue>
    // GENERIC: %none = "kernel.done"() : () -> !kernel.token<"epilogue">
    %none = done : token<epilogue>
    // CHECK: elect {
    // GENERIC: "kernel.elect"()
    elect {
      // CHECK: expect %full[%n] bytes 16384
      // GENERIC: "kernel.expect"(%full, %n) <{bytes = 16384}> : (!kernel.mbarrier<2>, index) -> ()
      expect %full[%n] bytes 16384
      // CHECK: tma_load %x[64*%n, 0] to %s[%n] signal %full[%n] multicast 3 hint evict_first
      // GENERIC: "kernel.tma_load"(%x, %n, %s, %n, %full, %n) <{at = ["64*_0", 0], hint = "evict_first", multicast = 3, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>}> : (!kernel.tensormap<array<i64: 64, 64>, f16, "swizzle 128">, index, !kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index, !kernel.mbarrier<2>, index) -> ()
      tma_load %x[64 * %n, 0] to %s[%n] signal %full[%n] multicast 3 hint evict_first
      // CHECK: tma_load %i[0, -1, -1, %n] offsets (%n, 2) to %t signal %full[%n]
      // GENERIC: "kernel.tma_load"(%i, %n, %t, %full, %n) <{at = [0, -1, -1, "_0"], offsets = ["_0", 2], operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>}> : (!kernel.tensormap<array<i64: 64, 64>, f16, "swizzle 128">, index, !kernel.tile<1, array<i64: 64, 64>, f16, "swizzle 128">, !kernel.mbarrier<2>, index) -> ()
      tma_load %i[0, -1, -1, %n] offsets (%n, 2) to %t signal %full[%n]
    }
    // CHECK: wait %full[%n] parity %n
    // GENERIC: "kernel.wait"(%full, %n, %n) : (!kernel.mbarrier<2>, index, index) -> ()
    wait %full[%n] parity %n
    // CHECK: fence_async
    // GENERIC: "kernel.fence_async"() : () -> ()
    fence_async
    // CHECK: %e = elect : token<epilogue> {
    // GENERIC: %e = "kernel.elect"()
    %e = elect : token<epilogue> {
      // CHECK: %a = tma_store %s[%n] to %y[0, 64*%n] : token<epilogue>
      // GENERIC: %a = "kernel.tma_store"(%s, %n, %y, %n) <{at = [0, "64*_0"], operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index, !kernel.tensormap<array<i64: 64, 64>, f16, "swizzle 128">, index) -> !kernel.token<"epilogue">
      %a = tma_store %s[%n] to %y[0, 64 * %n] : token<epilogue>
      // CHECK: %b = tma_store combine sum %t to %y[0, 0] : token<epilogue>
      // GENERIC: %b = "kernel.tma_store"(%t, %y) <{at = [0, 0], combine = "sum", operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!kernel.tile<1, array<i64: 64, 64>, f16, "swizzle 128">, !kernel.tensormap<array<i64: 64, 64>, f16, "swizzle 128">) -> !kernel.token<"epilogue">
      %b = tma_store combine sum %t to %y[0, 0] : token<epilogue>
      // CHECK: await_read %a, %b
      // GENERIC: "kernel.await_read"(%a, %b) : (!kernel.token<"epilogue">, !kernel.token<"epilogue">) -> ()
      await_read %a, %b
      // CHECK: await %b, %none
      // GENERIC: "kernel.await"(%b, %none) : (!kernel.token<"epilogue">, !kernel.token<"epilogue">) -> ()
      await %b, %none
      // CHECK: yield %b
      yield %b
    }
    // CHECK: arrive %full[%n] by one
    // GENERIC: "kernel.arrive"(%full, %n) <{by = "one", operandSegmentSizes = array<i32: 1, 1, 0>}> : (!kernel.mbarrier<2>, index) -> ()
    arrive %full[%n] by one
    // CHECK: arrive %done by thread
    // GENERIC: "kernel.arrive"(%done) <{by = "thread", operandSegmentSizes = array<i32: 1, 0, 0>}> : (!kernel.mbarrier<1>) -> ()
    arrive %done by thread
    // CHECK: arrive %full[%n] on %n by warp
    // GENERIC: "kernel.arrive"(%full, %n, %n) <{by = "warp", operandSegmentSizes = array<i32: 1, 1, 1>}> : (!kernel.mbarrier<2>, index, index) -> ()
    arrive %full[%n] on %n by warp
    // CHECK: barrier id %n threads 128
    // GENERIC: "kernel.barrier"(%n) <{threads = 128}> : (index) -> ()
    barrier id %n threads 128
    // CHECK: barrier_arrive id %n threads 256
    // GENERIC: "kernel.barrier_arrive"(%n) <{threads = 256}> : (index) -> ()
    barrier_arrive id %n threads 256
  }
  // CHECK: return %Y
  // GENERIC: "kernel.return"(%Y) : (!core.memref<["M", "N"], f16, "row_major", 2, false>) -> ()
  return %Y
}

// CHECK-LABEL: kernel.func @vectors
// GENERIC-LABEL: sym_name = "vectors"
kernel.func @vectors<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 64], f16, row_major, align 16> {
  %Y = output : memref<[M, 64], f16, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = block_id 0
    // CHECK: %x = load %X[64*%b + i0, i1] where (64*%b + i0 < M) else 1.0 hint evict_first vector 8 : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // GENERIC{LITERAL}: %x = "kernel.load"(%X, %b) <{at = ["64*_0 + i0", "i1"], fill = 1.000000e+00 : f16, guard = [["64*_0 + i0 < M"]], hint = "evict_first", vector = 8}>
    %x = load %X[64*%b + i0, i1] where (64*%b + i0 < M) else 1.0 hint evict_first vector 8 : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // CHECK: copy %X[64*%b + i0, i1] where (64*%b + i0 < M) to %s by blocked [1, 8] lanes [4, 8] warps [4, 1] vector 4
    // GENERIC{LITERAL}: "kernel.copy"(%X, %b, %s) <{at = ["64*_0 + i0", "i1"], by = "blocked [1, 8] lanes [4, 8] warps [4, 1]", guard = [["64*_0 + i0 < M"]], operandSegmentSizes = array<i32: 1, 1, 1, 0>, vector = 4}>
    copy %X[64*%b + i0, i1] where (64*%b + i0 < M) to %s by blocked [1, 8] lanes [4, 8] warps [4, 1] vector 4
    // CHECK: %t = copy_async %X[64*%b + i0, i1] where (64*%b + i0 < M) to %s by blocked [1, 8] lanes [4, 8] warps [4, 1] vector 8 : token<load>
    // GENERIC{LITERAL}: %t = "kernel.copy_async"(%X, %b, %s) <{at = ["64*_0 + i0", "i1"], by = "blocked [1, 8] lanes [4, 8] warps [4, 1]", guard = [["64*_0 + i0 < M"]], operandSegmentSizes = array<i32: 1, 1, 1, 0>, vector = 8}>
    %t = copy_async %X[64*%b + i0, i1] where (64*%b + i0 < M) to %s by blocked [1, 8] lanes [4, 8] warps [4, 1] vector 8 : token<load>
    await %t
    // CHECK: store %x to %Y[64*%b + i0, i1] where (64*%b + i0 < M) vector 2
    // GENERIC{LITERAL}: "kernel.store"(%x, %Y, %b) <{at = ["64*_0 + i0", "i1"], guard = [["64*_0 + i0 < M"]], vector = 2}>
    store %x to %Y[64*%b + i0, i1] where (64*%b + i0 < M) vector 2
  }
  return %Y
}
