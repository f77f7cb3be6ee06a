// What the results are called is known on the layer host, too, where another value is returned in the end. Where the value
// that is returned there is called so itself, nothing is noted.

// RUN: dlc-opt %s --tiny-to-region | FileCheck %s
// RUN: dlc-opt %s --tiny-to-book --form-regions | FileCheck %s --check-prefix=WITHOUT

// CHECK: host.func @argument<M>({{.*}}) -> {{.*}} attributes {arena = [0], pool = 0, outputs = ["y", "z"]} {
// WITHOUT: host.func @argument<M>
// WITHOUT-NOT: outputs = ["y", "z"]
tiny.func @argument<M>(%x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[M], f32>) {
  %one = const 1.0 : tensor<[], f32>
  %y = mul %x, %one
  %z = relu %x
  return %y, %z
}

// Two values that are one.
// CHECK: host.func @equal<M>({{.*}}) -> {{.*}} attributes {arena = [0], pool = 0, outputs = ["a", "b"]} {
tiny.func @equal<M>(%x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[M], f32>) {
  %a = relu %x
  %b = relu %x
  return %a, %b
}

// CHECK: host.func @own<M>({{.*}}) -> {{.*}} attributes {arena = [0], pool = 0} {
// CHECK: %y = launch
tiny.func @own<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = relu %x
  return %y
}
