// A lowering that was put in is shown with the nest that '--dump-pass-pipeline' shows.

// RUN: dlc-opt %s --insert-broadcasts --print-ir-after=lower-frontend --dump-pass-pipeline --no-output 2>&1 | FileCheck %s
// CHECK-DAG: builtin.module(frontend.graph(lower-frontend{{.*}}),insert-broadcasts)
// CHECK-DAG: // -----// IR after lower-frontend (builtin.module(frontend.graph(lower-frontend{{.*}}))) //----- //
frontend.graph @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = relu %x
  output %y
}
