// The LLVM dialect: globals, structs, debug info, metadata.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

#access_group = #llvm.access_group<id = distinct[0]<>>
#di_file = #llvm.di_file<"foo.c" in "/tmp">
#di_cu = #llvm.di_compile_unit<id = distinct[1]<>, sourceLanguage = DW_LANG_C, file = #di_file, producer = "dlc", isOptimized = true, emissionKind = Full>
#di_sp = #llvm.di_subprogram<id = distinct[2]<>, compileUnit = #di_cu, scope = #di_file, name = "f", file = #di_file, line = 3, scopeLine = 3, subprogramFlags = Definition>
llvm.mlir.global internal constant @str("hello\0A\00\FF") {addr_space = 0 : i32, alignment = 1 : i64}
llvm.mlir.global external @g(42 : i32) : i32
llvm.mlir.global weak @arr(dense<[1, 2, 3]> : tensor<3xi32>) : !llvm.array<3 x i32>
llvm.mlir.global common @zero() : !llvm.struct<"s", (i32, f64)> {
  %0 = llvm.mlir.zero : !llvm.struct<"s", (i32, f64)>
  llvm.return %0 : !llvm.struct<"s", (i32, f64)>
}
llvm.func @printf(!llvm.ptr, ...) -> i32 attributes {passthrough = ["nounwind", ["alignstack", "4"]]}
llvm.func @f(%a: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, %n: i64) -> i32 {
  %c = llvm.mlir.constant(5 : i32) : i32
  %p = llvm.getelementptr inbounds %a[%n, 1] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<(i32, f32)>
  %v = llvm.load %p {alignment = 4 : i64, access_groups = [#access_group]} : !llvm.ptr -> i32
  %x = llvm.add %v, %c overflow<nsw> : i32
  %s = llvm.mlir.addressof @str : !llvm.ptr
  %r = llvm.call @printf(%s, %x) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
  %cmp = llvm.icmp "eq" %r, %c : i32
  llvm.cond_br %cmp weights([3, 5]), ^bb1, ^bb2(%x : i32)
^bb1:
  %fm = llvm.mlir.constant(1.000000e+00 : f32) : f32
  %fr = llvm.fadd %fm, %fm {fastmathFlags = #llvm.fastmath<fast>} : f32
  llvm.br ^bb2(%c : i32)
^bb2(%res: i32):
  llvm.return %res : i32
} loc(fused<#di_sp>["foo.c":3:1])
