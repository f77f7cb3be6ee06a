// The layers have the names of their dialects, and the words of the specification for them. A layer that no pass reaches is
// reached by its named pipeline, on a copy: what is written stays what the passes give.

// RUN: dlc-opt %s --dump=frontend,tiny,indexbook,poly_view,region,plan,gpu --no-output 2>&1 | FileCheck %s
// RUN: dlc-opt %s --dump=poly_view 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: dlc-opt %s --dump=sample --no-output 2>&1 | FileCheck %s --check-prefix=SAMPLE
// RUN: dlc-opt %s --dump=tiny --dump-format=json --no-output 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not dlc-opt %s --dump=indexbok 2>&1 | FileCheck %s --check-prefix=MISSPELT
// RUN: dlc-opt %s --lower-indexbook --dump=poly_view --no-output 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: dlc-opt %s --tiny-to-region --dump=tiny,gpu_ir 2>&1 | FileCheck %s --check-prefix=FURTHER
// RUN: dlc-opt %s --emit=plan --dump=plan --no-output 2>&1 | FileCheck %s --check-prefix=PLAN

// CHECK: // -----// tiny @t //----- //
// CHECK-NEXT: tiny.func @t<M>
// CHECK: // -----// tiny @g //----- //
// CHECK: // -----// indexbook @t //----- //
// CHECK: // -----// indexbook @g //----- //
// CHECK: // -----// poly_view @t //----- //
// CHECK: // -----// poly_view @g //----- //
// CHECK: // -----// region @t_0 //----- //
// CHECK-NEXT: region.func private @t_0
// CHECK: // -----// region @g_0 //----- //
// CHECK: // -----// plan @t_0 //----- //
// CHECK: // -----// plan @g_0 //----- //
// CHECK: // -----// gpu @t_0 //----- //
// CHECK-NEXT: kernel.func private @t_0
// CHECK: // -----// gpu @g_0 //----- //
// CHECK: // -----// gpu @g_0_any //----- //
// CHECK-NOT: -----
// CHECK: // no frontend: nothing in the module is on this layer or can be lowered to it
// CHECK-NOT: no
// COPY: // -----// poly_view @t //----- //
// COPY-NEXT: poly.view of @t
// COPY: // -----// poly_view @g //----- //
// COPY-NOT: {{-----|book.func}}
// COPY: module {
// COPY-NEXT: tiny.func @t
// SAMPLE: // -----// sample @f //----- //
// SAMPLE-NEXT: sample.func @f()
// JSON: // -----// tiny @t //----- //
// JSON-NEXT: {
// JSON-NEXT: "format": "dlc-tiny-uops/1",
// The view of a program of book is made for it; the program stays as it is.
// VIEW: // -----// poly_view @g //----- //
// VIEW-NEXT: poly.view of @g
// VIEW-NOT: -----
// FURTHER: // -----// tiny @t //----- //
// FURTHER: // -----// gpu_ir @t_0 //----- //
// FURTHER-NEXT: kernel.func private @t_0
// FURTHER: // -----// gpu_ir @g_0 //----- //
// FURTHER: module {
// FURTHER-NOT: kernel.func
// FURTHER: region.func private @t_0
// PLAN: // -----// plan @t_0 //----- //
// PLAN-NEXT: plan.schedule of @t_0 for sm90
// MISSPELT: error: --dump: there is no layer of the name 'indexbok' (frontend, tiny, {{.*}}, host); did you mean 'indexbook'?
tiny.func @t<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  return %x
}

tiny.func @g<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = neg %x
  return %y
}

sample.func @f() {
  return
}
