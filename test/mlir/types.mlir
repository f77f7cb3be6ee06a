// Types: builtin, of known and of unknown dialects, with aliases.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

!alias = memref<4x?xf32, strided<[?, 1], offset: ?>>
!pair = tuple<!alias, i32>
#sparse = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#enc = #x.encoding<{map = [1, 2], name = "e"}>
%0 = "x.a"() : () -> !alias
%1 = "x.b"(%0) : (!alias) -> !pair
%2:7 = "x.c"(%1) : (!pair) -> (tensor<4xf32, #enc>, !x.t, !x.t<>, !x.t<a, "b>", [c], {d}, (e -> f)>, !x<raw text>, !x.very.long.name<!alias>, !x.nest<!x.nest<!x.nest<1>>>)
%3:6 = "x.floats"() : () -> (f16, bf16, f32, f64, f80, f128)
%4:12 = "x.small"() : () -> (f8E5M2, f8E4M3, f8E4M3FN, f8E5M2FNUZ, f8E4M3FNUZ, f8E4M3B11FNUZ, f8E3M4, f8E8M0FNU, f6E2M3FN, f6E3M2FN, f4E2M1FN, tf32)
%5:6 = "x.ints"() : () -> (i1, si8, ui16, i128, i16777215, index)
%6:5 = "x.shapes"() : () -> (vector<4x[8]xi32>, tensor<0x?x4xi8>, tensor<*xindex>, memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>, 5 : i32>, vector<1xindex>)
%7 = "x.func"() : () -> ((i32, (f32) -> ()) -> (i1, () -> (i2, i3)))
%8:4 = "x.llvm"() : () -> (!llvm.ptr, !llvm.ptr<3>, !llvm.struct<"node", (i32, ptr)>, !llvm.array<4 x array<2 x f32>>)
%9:3 = "x.llvm2"() : () -> (!llvm.struct<packed (i8, i32)>, !llvm.func<void (i32, ...)>, !llvm.struct<"opaque", opaque>)
%10:3 = "x.others"() : () -> (!async.token, !gpu.async.token, !spirv.ptr<f32, StorageBuffer>)
%11:3 = "x.more"() : () -> (!sparse_tensor.storage_specifier<#sparse>, tensor<4x4xf32, #sparse>, !quant.uniform<i8:f32, 0.1:2>)
