// Where the plan that is chosen is not verified, another one is taken, and a warning says so.

// RUN: dlc-run %s --device=none --no-cache --target=sm90 --shape=M=8 --emit-manifest=%t.json 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAN < %t.json
// RUN: not dlc-opt %s --pass-pipeline="tiny-to-region{symbols=[M:8]},choose-plan{target=sm90 symbols=[M:8]},add-fallback,region-to-ptx" --no-output 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: dlc-opt %s --pass-pipeline="tiny-to-region{symbols=[M:8]},choose-plan{target=sm90 symbols=[M:8]}" | FileCheck %s --check-prefix=TILE
// RUN: dlc-opt %s --pass-pipeline="tiny-to-region{symbols=[M:8]},choose-plan{target=sm90 skip=[gemm_0:1] symbols=[M:8]}" | FileCheck %s --check-prefix=NEXT
// RUN: dlc-opt %s --pass-pipeline="tiny-to-region,choose-plan{target=sm90 skip=[gemm_0_any:1000]}" | FileCheck %s --check-prefix=NO

// CHECK: [E0568] Warning: 'kernel.grid': the plan that is estimated to be the fastest for @gemm_0 is skipped: not verified: too many sizes and rounds would have to be followed
// CHECK: --unchecked
// PLAN: "name": "gemm_0"
// FIRST: [E1814] Error: 'kernel.grid': not verified
// TILE: tile (m: 16,
// NEXT: tile (m: 32,
// NO-NOT: plan.schedule

frontend.graph @gemm<M>(%a: tensor<[M, 16049], f16>, %b: tensor<[2944, 16049], f16>) -> tensor<[M, 2944], f16> {
  %y = gemm %a, %b trans_b acc f32
  output %y as f16
}
