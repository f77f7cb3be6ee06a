// Ops of many dialects, with their own attributes.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

module attributes {gpu.container_module} {
func.func @linalg(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<4x16xf32>) outs(%c : tensor<4x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y fastmath<fast> : f32
    linalg.yield %s : f32
  } -> tensor<4x16xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %sl = tensor.extract_slice %1[0, 0] [4, 16] [1, 1] : tensor<4x16xf32> to tensor<4x16xf32>
  return %sl : tensor<4x16xf32>
}
func.func @tosa(%a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.add %a, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
func.func @vector(%m: memref<8x8xf32>, %i: index, %v: vector<4xf32>) -> vector<4xf32> {
  %f = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%i, %i], %f {in_bounds = [true]} : memref<8x8xf32>, vector<4xf32>
  %1 = vector.fma %0, %v, %v : vector<4xf32>
  %2 = vector.shuffle %1, %v [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
  %3 = vector.reduction <add>, %2 : vector<4xf32> into f32
  %4 = vector.broadcast %3 : f32 to vector<4xf32>
  vector.print %4 : vector<4xf32>
  return %4 : vector<4xf32>
}
func.func @memref(%n: index) -> memref<?xf32, strided<[1], offset: ?>> {
  %0 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  %1 = memref.subview %0[%n] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %2 = memref.alloca() : memref<4xf32, 5>
  memref.dealloc %0 : memref<?xf32>
  return %1 : memref<?xf32, strided<[1], offset: ?>>
}
memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]> {alignment = 16}
gpu.module @kernels [#nvvm.target<chip = "sm_90">] attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  gpu.func @k(%a: memref<?xf32>, %s: f32) workgroup(%w: memref<32xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id y
    %l = gpu.lane_id
    %i = arith.addi %t, %b : index
    memref.store %s, %a[%i] : memref<?xf32>
    gpu.barrier
    %r, %ok = gpu.shuffle xor %s, %c1, %c32 : f32
    gpu.return
  }
}
func.func @launch(%a: memref<?xf32>, %n: index, %s: f32) {
  gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<?xf32>, %s : f32)
  %t = gpu.wait async
  %d = math.exp %s {other = #x.y} : f32
  return
}
spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], [SPV_KHR_storage_buffer_storage_class]> {
  spirv.func @f(%x: f32) -> f32 "None" {
    %0 = spirv.FMul %x, %x : f32
    spirv.ReturnValue %0 : f32
  }
  spirv.GlobalVariable @v bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.array<4 x f32, stride=4> [0])>, StorageBuffer>
}
func.func @async(%f: f32) {
  %t, %v = async.execute -> !async.value<f32> {
    async.yield %f : f32
  }
  async.await %t : !async.token
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @main(%r: !transform.any_op {transform.readonly}) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %r : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
pdl.pattern @p : benefit(1) {
  %t = pdl.type : i32
  %o = pdl.operand : %t
  %at = pdl.attribute = 5 : i32
  %op = pdl.operation "x.y"(%o : !pdl.value) {"attr" = %at} -> (%t : !pdl.type)
  pdl.rewrite %op { pdl.erase %op }
}
emitc.include <"stdio.h">
omp.declare_reduction @add : i32 init {
^bb0(%a: i32):
  %0 = arith.constant 0 : i32
  omp.yield(%0 : i32)
} combiner {
^bb0(%a: i32, %b: i32):
  %1 = arith.addi %a, %b : i32
  omp.yield(%1 : i32)
}
}
