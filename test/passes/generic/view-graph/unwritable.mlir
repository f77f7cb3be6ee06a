// A folder that cannot be made: an error, and no result.

// RUN: not dlc-opt %s --view-graph --output-dir=%s/no 2> %t | FileCheck %s --check-prefix=NOTHING --allow-empty
// RUN: FileCheck %s --input-file=%t
// NOTHING-NOT: module
// CHECK: [E0502]{{.*}}unwritable.mlir/no/view-graph.f.svg' cannot be written
sample.func @f() {
  return
}
