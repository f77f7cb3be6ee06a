// A compile that fails has a page as well, up to where it failed, with what was wrong; so has a text that cannot be read.

// RUN: not dlc-opt %s --tiny-to-region --choose-plan=target=sm12 --explore=%t.html 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: cat %t.html | FileCheck %s
// RUN: not dlc-opt %S/Inputs/gpu_ir_wrong.txt --explore=%t.2.html
// RUN: cat %t.2.html | FileCheck %s --check-prefix=UNREAD
// RUN: not dlc-opt %s --explore=%t/none/page.html 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not dlc-opt %s --explore=%t.html --split-input-file 2>&1 | FileCheck %s --check-prefix=SPLIT

// ERROR: [E1611] Error: there is no target 'sm12'
// CHECK: "kind":"error"
// CHECK-SAME: [E1611] Error: there is no target 'sm12'
// CHECK-SAME: "failed":false,{{.*}}"title":"plan-arena"
// CHECK-SAME: "failed":true,{{.*}}"title":"choose-plan"
// UNREAD: "kind":"error"
// UNREAD-SAME: "title":"input"
// UNWRITTEN: page.html' cannot be written
// SPLIT: cannot be used with
tiny.func @neg<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = neg %x
  return %y
}
