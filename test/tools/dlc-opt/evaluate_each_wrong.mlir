// A pass that changes the numbers of a tensor program is named, with the input that shows it. Passes before it are not,
// and the sizes that symbols stand for are chosen.

// RUN: not example-opt %s --evaluate-each --expand-double --drop-relu 2>&1 | FileCheck %s
// RUN: not example-opt %s --evaluate-each --drop-relu --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: example-opt %s --evaluate-each --expand-double | FileCheck %s --check-prefix=RIGHT

// CHECK: [E0421] Error: the pass 'drop-relu' has changed what @f(x [3, 5] = [{{.*}}, ..], bias [5] = [{{.*}}]) gives:
// CHECK-SAME: elements of {{.*}} differ, the worst at [{{.*}}]: it was {{.*}}, it is -
// CHECK: dlc-run --strict
// CHECK-NOT: Error
// JSON: "code": "E0421"
// JSON: "kind": "ResultChanged"
// JSON: "suggestion": "'dlc-run --strict
// JSON: "why": "the pass 'drop-relu' has changed what @f(
// RIGHT: relu
tiny.func @f<M, N>(%x: tensor<[M, N], f32>, %bias: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %s = add %x, %bias
  %r = relu %s
  return %r
}
