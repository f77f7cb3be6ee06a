// What a plan leaves open is written as clauses; resolving these again changes nothing, and the kernel is the one that it was.

// RUN: dlc-opt %s --resolve-plan -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: dlc-opt %t.once --resolve-plan | cmp %t.once -
// RUN: dlc-opt %s --tensorize | FileCheck %s --check-prefix=KERNEL
// RUN: dlc-opt %t.once --tensorize | FileCheck %s --check-prefix=KERNEL

// A tile alone: products of 16-bit floats are of 'mma'.
// CHECK-LABEL: plan.schedule of @tile_alone
// CHECK-NEXT: tile (m: 64, n: 64, k: 32)
// CHECK-NEXT: reduced [k]
// CHECK-NEXT: instruction mma [16, 8, 16]
// CHECK-NEXT: warps (m: 2, n: 2)
// CHECK-NEXT: stages 1
// CHECK-NEXT: barrier block
// CHECK-NEXT: }
// KERNEL-LABEL: kernel.func @tile_alone
// KERNEL: mma
region.func @tile_alone<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @tile_alone for sm90 { tile (m: 64, n: 64, k: 32) }

// Of `f32` each thread multiplies, and has as few elements as a block has threads for.
// CHECK-LABEL: plan.schedule of @single
// CHECK-NEXT: tile (m: 64, n: 64, k: 32)
// CHECK-NEXT: reduced [k]
// CHECK-NEXT: instruction fma
// CHECK-NEXT: thread_tile (m: 2, n: 2)
// CHECK-NEXT: lanes (m: 1, n: 32)
// CHECK-NEXT: warps (m: 32, n: 1)
// CHECK-NEXT: }
// KERNEL-LABEL: kernel.func @single
// KERNEL: threads 1024
region.func @single<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f32, row_major, align 128>, %B: memref<[K, N], f32, row_major, align 128>)
    outs (C: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f32 over (m, k)
    %b = read %B[k, n] : f32 over (n, k)
    %ab = binary mul %a, %b : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @single for sm90 { tile (m: 64, n: 64, k: 32) }

// A plan that says which elements a thread has asks for no tensor cores.
// CHECK-LABEL: plan.schedule of @of_threads
// CHECK: instruction fma
// CHECK-NEXT: thread_tile (m: 2, n: 2)
// KERNEL-LABEL: kernel.func @of_threads
// KERNEL-NOT: mma
region.func @of_threads<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @of_threads for sm90 { tile (m: 64, n: 64, k: 32) thread_tile (m: 2, n: 2) }

// Nor does a tile that is no whole number of instructions.
// CHECK-LABEL: plan.schedule of @small
// CHECK: instruction fma
// KERNEL-LABEL: kernel.func @small
// KERNEL-NOT: mma
region.func @small<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @small for sm80 or sm90 { tile (m: 8, n: 64, k: 32) }

// A target without 'mma' of a type has none: 8-bit floats on an A100.
// CHECK-LABEL: plan.schedule of @bytes_on_sm80
// CHECK: instruction fma
// KERNEL-LABEL: kernel.func @bytes_on_sm80
// KERNEL-NOT: mma
region.func @bytes_on_sm80<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f8E4M3FN, row_major, align 128>, %B: memref<[K, N], f8E4M3FN, row_major, align 128>)
    outs (C: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f8E4M3FN over (m, k)
    %b = read %B[k, n] : f8E4M3FN over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @bytes_on_sm80 for sm80 { tile (m: 64, n: 64, k: 32) }

// CHECK-LABEL: plan.schedule of @bytes_on_sm90
// CHECK: instruction mma
// KERNEL-LABEL: kernel.func @bytes_on_sm90
// KERNEL: mma
region.func @bytes_on_sm90<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f8E4M3FN, row_major, align 128>, %B: memref<[K, N], f8E4M3FN, row_major, align 128>)
    outs (C: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f8E4M3FN over (m, k)
    %b = read %B[k, n] : f8E4M3FN over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @bytes_on_sm90 for sm90 { tile (m: 64, n: 64, k: 32) }

// The tile of a warp says how many warps there are, and tensor cores the shape of the instruction.
// CHECK-LABEL: plan.schedule of @tensor_cores
// CHECK-NEXT: tile (m: 64, n: 64, k: 32)
// CHECK-NEXT: reduced [k]
// CHECK-NEXT: instruction mma [16, 8, 16]
// CHECK-NEXT: warps (m: 2, n: 2)
// CHECK-NEXT: stages 1
// CHECK-NEXT: barrier block
// CHECK-NEXT: }
// KERNEL-LABEL: kernel.func @tensor_cores
// KERNEL: threads 128
region.func @tensor_cores<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @tensor_cores for sm90 { tile (m: 64, n: 64, k: 32) instruction mma }

// One warpgroup loads for others: rings by mbarriers, and registers for each role.
// CHECK-LABEL: plan.schedule of @roles
// CHECK-NEXT: tile (m: 128, n: 128, k: 64)
// CHECK-NEXT: reduced [k]
// CHECK-NEXT: instruction wgmma [64, 128, 16]
// CHECK-NEXT: stages 4
// CHECK-NEXT: roles cooperative consumers 2
// CHECK-NEXT: registers (producer: 40, consumer: 232)
// CHECK-NEXT: cache A in smem
// CHECK-NEXT: cache B in smem
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: }
region.func @roles<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @roles for sm90 {
  tile (m: 128, n: 128, k: 64)
  instruction wgmma
  roles cooperative consumers 2
  cache A in smem
  cache B in smem
}

// Rows that are reduced: lanes along them.
// CHECK-LABEL: plan.schedule of @rows
// CHECK-NEXT: tile (m: 4, n: 256)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (m: 4, n: 32)
// CHECK-NEXT: }
region.func @rows<M, N> iters (m: M) ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  yield %s to Y
}
plan.schedule of @rows for sm90 { tile (m: 4, n: 256) }

// A plan that says nothing stays so: the default tile is over all axes at once.
// CHECK-LABEL: plan.schedule of @nothing for sm90 {}
region.func @nothing<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}
plan.schedule of @nothing for sm90 {}
