// The layers have the names of their dialects, and the words of the specification for them.

// RUN: dlc-opt %s --dump=frontend,tiny,indexbook,poly_view,region,plan,gpu,cu --no-output 2>&1 | FileCheck %s
// RUN: dlc-opt %s --dump=sample --no-output 2>&1 | FileCheck %s --check-prefix=SAMPLE
// RUN: dlc-opt %s --dump=tiny --dump-format=json --no-output 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not dlc-opt %s --dump=indexbok 2>&1 | FileCheck %s --check-prefix=MISSPELT

// CHECK: // -----// tiny @t //----- //
// CHECK-NEXT: tiny.func @t<M>
// CHECK-NOT: -----
// SAMPLE: // -----// sample @f //----- //
// SAMPLE-NEXT: sample.func @f()
// JSON: // -----// tiny @t //----- //
// JSON-NEXT: {
// JSON-NEXT: "format": "dlc-tiny-uops/1",
// MISSPELT: error: --dump: there is no layer of the name 'indexbok'; did you mean 'indexbook'?
tiny.func @t<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  return %x
}

sample.func @f() {
  return
}
