// What model threads do since a state that is kept is looked at only where the states are alike: else this takes minutes to verify.

// RUN: dlc-opt %s "--pass-pipeline=lower-frontend,tiny-to-region,choose-plan{target=sm90 sizes=64},tensorize,kernel-schedule,check-async" | FileCheck %s

// CHECK: kernel.func private @attention_0
// CHECK: kernel.func private @attention_0_1

frontend.graph @attention<S>(%q: tensor<[1, 1, S, 72], f16>, %k: tensor<[1, 1, S, 72], f16>, %v: tensor<[1, 1, S, 72], f16>) -> tensor<[1, 1, S, 72], f16> {
  %o = attention %q, %k, %v causal
  output %o as f16
}
