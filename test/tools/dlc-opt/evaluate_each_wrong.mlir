// A pass that changes the numbers of a tensor program is named, with the input that shows it. Passes before it are not,
// and the sizes that symbols stand for are chosen.

// RUN: not example-opt %s --evaluate-each --expand-double --drop-relu 2>&1 | FileCheck %s
// RUN: not example-opt %s --evaluate-each --drop-relu --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: example-opt %s --evaluate-each --expand-double | FileCheck %s --check-prefix=RIGHT
// A reproducer has the seed of what it was run with, and fails again by itself, also for dlc-reduce.
// RUN: not example-opt %s --evaluate-each --order-seed=7 --drop-relu --reproducer=%t.again.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.again.mlir
// RUN: not example-opt %t.again.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: dlc-reduce %t.again.mlir --test='example-opt {} --run-reproducer' 2>&1 | FileCheck %s --check-prefix=REDUCED

// CHECK: [E0421] Error: the pass 'drop-relu' has changed what @f(x [3, 5] = [{{.*}}, ..], bias [5] = [{{.*}}]) gives:
// CHECK-SAME: elements of {{.*}} differ, the worst at [{{.*}}]: it was {{.*}}, it is -
// CHECK: 'dlc-run {{.*}}evaluate_each_wrong.mlir --strict --function=f --seed=0 --shape=M=3 --shape=N=5' runs it
// CHECK-NOT: Error
// JSON: "code": "E0421"
// JSON: "kind": "ResultChanged"
// JSON: "suggestion": "'dlc-run {{.*}} --strict
// JSON: "why": "the pass 'drop-relu' has changed what @f(
// FILE: "evaluate_each":7}
// AGAIN: [E0421] Error: the pass 'drop-relu' has changed what @f(
// REDUCED: looks for the code E0421
// RIGHT: relu
tiny.func @f<M, N>(%x: tensor<[M, N], f32>, %bias: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %s = add %x, %bias
  %r = relu %s
  return %r
}
