// A program of two results is two kernels: what both need is computed in each where that is cheaper, and the remark says so.

// RUN: dlc-opt %s --tiny-to-book --form-regions --remarks=passed -o /dev/null 2>&1 | FileCheck %s
// RUN: dlc-opt %s --tiny-to-book --form-regions | FileCheck %s --check-prefix=KERNELS

// CHECK: 'relu' of [M] is not stored: 2 kernels compute it, each for itself, which is cheaper than to write and read it; a kernel has one result
// CHECK: 'neg' of [M] is not stored: it is cheaper to compute than to read
// KERNELS-COUNT-2: launch
tiny.func @f<M>(%x: tensor<[M], f16>) -> (tensor<[M], f16>, tensor<[M], f32>) {
  %x32 = cast %x to f32
  %h = relu %x32
  %once = neg %h
  %y = cast %h to f16
  %z = mul %once, %once
  return %y, %z
}
