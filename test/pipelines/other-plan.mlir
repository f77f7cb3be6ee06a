// Where the plan that is chosen is not verified, another one is taken, and a warning says so.

// RUN: dlc-run %s --device=none --no-cache --target=sm90 --shape=B=8 --emit-manifest=%t.json 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAN < %t.json
// RUN: not dlc-opt %s --pass-pipeline="tiny-to-region{symbols=[B:8]},choose-plan{target=sm90 symbols=[B:8]},add-fallback,region-to-ptx" --no-output 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: dlc-opt %s --pass-pipeline="tiny-to-region{symbols=[B:8]},choose-plan{target=sm90 leave=[conv_0:1] symbols=[B:8]}" | FileCheck %s --check-prefix=SECOND
// RUN: dlc-opt %s --pass-pipeline="tiny-to-region,choose-plan{target=sm90 leave=[conv_0_any:1000]}" | FileCheck %s --check-prefix=NO

// CHECK: [E0568] Warning: 'kernel.grid': the plan that is estimated to be the fastest for @conv_0 is left out: not verified: too many sizes and rounds would have to be followed
// CHECK: --unchecked
// PLAN: "name": "conv_0"
// FIRST: [E1814] Error: 'kernel.grid': not verified
// SECOND: split_k 3
// NO-NOT: plan.schedule

frontend.graph @conv<B>(%x: tensor<[B, 7, 7, 3072], bf16>, %w: tensor<[768, 1, 1, 3072], bf16>) -> tensor<[B, 7, 7, 768], bf16> {
  %xt = transpose %x by [0, 3, 1, 2]
  %wt = transpose %w by [0, 3, 1, 2]
  %yt = conv %xt, %wt stride [1, 1] pad [0, 0] groups 1 acc f32
  %y = transpose %yt by [0, 2, 3, 1]
  output %y as bf16
}
