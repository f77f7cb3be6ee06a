// '--explore' writes a page with the program after each pass that changes it, its kernels, and what passes decided. The
// text of the program is data: nothing of it ends the script that it stands in.

// RUN: dlc-opt %s --explore=%t.html
// RUN: dlc-opt %s --tiny-to-region --choose-plan='assume=512 symbols=[M:64]' --tensorize --explore=%t.2.html
// RUN: cat %t.2.html | FileCheck %s --check-prefix=SIZES
// RUN: cat %t.html | FileCheck %s --implicit-check-not='</script><b>'

// CHECK: <script type="application/json" id="data">{
// CHECK-SAME: "kernels":[{
// CHECK-SAME: "grids":[{
// CHECK-SAME: "lanes":[{
// CHECK-SAME: "kind":"product"
// CHECK-SAME: "tiles":[{
// CHECK-SAME: "banks":{{\[\[}}
// CHECK-SAME: "plans":[{
// CHECK-SAME: "candidates":{"best":[{"is_taken":true
// CHECK-SAME: "clauses":["tile (
// CHECK-SAME: "kernel":"gemm_0"
// CHECK-SAME: "terms":{{\[\[}}"computing",
// CHECK-SAME: "remarks":[{
// CHECK-SAME: "at":[3,2],{{.*}}"pass":"form-regions"
// CHECK-SAME: "title":"input"
// CHECK-SAME: "from":null,{{.*}}"title":"as read"
// CHECK-SAME: "from":[null,1,4,5,1,4,4,4,2,2,2,3,3,3,4,4,4,null],{{.*}}"title":"form-regions"
// CHECK-SAME: "title":"tensorize"
// CHECK-SAME: "registers":[null
// CHECK-SAME: "title":"kernel-to-ptx"
// CHECK-SAME: "from":[null,{{.*}}"registers":[null,{{.*}}"title":"PTX"
// CHECK-SAME: \u003c/script>\u003cb>
// CHECK-SAME: </script>

// SIZES: "sizes":{{\[\[}}"M",64],["N",512],["K",512]]
tiny.func @gemm<M, N, K>(%a: tensor<[M, K], f16>, %b: tensor<[K, N], f16>) -> tensor<[M, N], f16> attributes {note = "</script><b>"} {
  %s = contract %a [m, k], %b [k, n] to [m, n] acc f32
  %y = cast %s to f16
  return %y
}
