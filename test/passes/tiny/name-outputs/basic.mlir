// RUN: dlc-opt %s --name-outputs | FileCheck %s

// CHECK: tiny.func @one<M>({{.*}}) -> tensor<[M], f32> attributes {outputs = ["y"]} {
tiny.func @one<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = relu %x
  return %y
}

// An argument has a name too.
// CHECK: tiny.func @two<M>({{.*}} attributes {outputs = ["y", "x"]} {
tiny.func @two<M>(%x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[M], f32>) {
  %y = relu %x
  return %y, %x
}

// What is noted stays; without names, or with one name for two results, there is nothing to note.
// CHECK: tiny.func @noted<M>({{.*}} attributes {outputs = ["z"]} {
tiny.func @noted<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> attributes {outputs = ["z"]} {
  return %x
}
// CHECK: tiny.func @number<M>({{.*}}) -> tensor<[M], f32> {
tiny.func @number<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %0 = relu %x
  return %0
}
// CHECK: tiny.func @twice<M>({{.*}}) -> (tensor<[M], f32>, tensor<[M], f32>) {
tiny.func @twice<M>(%x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[M], f32>) {
  %y = relu %x
  return %y, %y
}
