// Tensors in memory: layouts, alignment, and what overlaps nothing.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// By default rows are contiguous, and elements aligned as they must be.
// CHECK: @plain<M>(memref<[M, 8], f16, row_major, align 2>)
// GENERIC: (!core.memref<["M", 8], f16, "row_major", 2, false>) -> ()
sample.func private @plain<M>(memref<[M, 8], f16>)

// CHECK: @aligned<M, K>(memref<[M, 2*K], f16, row_major, align 128, noalias>)
// GENERIC: (!core.memref<["M", "2*K"], f16, "row_major", 128, true>) -> ()
sample.func private @aligned<M, K>(memref<[M, K*2], f16, row_major, align 128, noalias>)

// CHECK: @blocks<M>(memref<[M, 8], f16, blocked [32, 16], align 2>)
// GENERIC: (!core.memref<["M", 8], f16, {blocked = [32, 16]}, 2, false>) -> ()
sample.func private @blocks<M>(memref<[M, 8], f16, blocked [32, 16]>)

// CHECK: @columns(memref<[4, 8], i1, col_major, align 1>)
sample.func private @columns(memref<[4, 8], i1, col_major>)

// CHECK: @strided<M, K>(memref<[M, K], f32, strided [2*K, -1] offset K - 1, align 4>)
// GENERIC: (!core.memref<["M", "K"], f32, {offset = "K - 1", strides = ["2*K", -1]}, 4, false>) -> ()
sample.func private @strided<M, K>(memref<[M, K], f32, strided [2*K, -1] offset K - 1>)

// CHECK: @no_offset<M>(memref<[M], f64, strided [3], align 8>)
sample.func private @no_offset<M>(memref<[M], f64, strided [3] offset 0>)

// CHECK: @swizzled(memref<[8, 64], f16, swizzled 128 vec 16, align 1024, noalias>, memref<[8, 16], f16, swizzled 32 vec 8, align 2>)
// GENERIC: (!core.memref<[8, 64], f16, {swizzle = 128, vector = 16}, 1024, true>
sample.func private @swizzled(memref<[8, 64], f16, swizzled 128, align 1024, noalias>, memref<[8, 16], f16, swizzled 32 vec 8>)

// CHECK: @scalar(memref<[], f32, row_major, align 4>)
sample.func private @scalar(!core.memref<[], f32, "row_major", 4, false>)
