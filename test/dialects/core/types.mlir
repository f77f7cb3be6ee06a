// Tensor types: sizes come out in canonical form, and both spellings are one type.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK: @plain(tensor<[4, 8], f32>)
// GENERIC: (!core.tensor<[4, 8], f32>) -> ()
sample.func private @plain(tensor<[4, 8], f32>)

// CHECK: @scalar(tensor<[], i1>)
// GENERIC: (!core.tensor<[], i1>) -> ()
sample.func private @scalar(tensor<[], i1>)

// CHECK: @canonical<M, K>(tensor<[2*K, M, 4, K*M + 1], f16>)
// GENERIC: (!core.tensor<["2*K", "M", 4, "K*M + 1"], f16>) -> ()
sample.func private @canonical<M, K>(tensor<[K*2, M + 0, 2 + 2, 1 + K*M], f16>)

// CHECK: @quotients<M>(tensor<[M floordiv 4, M ceildiv 4, M mod 4], f16>)
sample.func private @quotients<M>(tensor<[M floordiv 4, (M + 3) floordiv 4, M mod 4], f16>)

// CHECK: @generic<K>(tensor<[3, 2*K], f32>)
sample.func private @generic<K>(!core.tensor<[3, "2*K"], f32>)

// Types of MLIR that look alike are other types.
// CHECK: @in_a_tuple(tuple<tensor<[1], index>, i64>)
sample.func private @in_a_tuple(tuple<tensor<[1], index>, i64>)
