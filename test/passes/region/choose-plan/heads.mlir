// Attention whose heads are no whole panels of 64 elements: tiles have whole ones, which TMA brings with zeros at the end.

// RUN: split-file %s %T/heads
// RUN: dlc-opt %T/heads/80.mlir --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[B:14,S:384,T:704]}' -o %t.80.mlir
// RUN: FileCheck %s --input-file=%t.80.mlir --check-prefix=PLAN80
// RUN: dlc-opt %t.80.mlir --pass-pipeline='tensorize,kernel-schedule' -o %t.80k.mlir
// RUN: FileCheck %s --input-file=%t.80k.mlir --check-prefix=KERNEL80
// PLAN80: tile (b: 1, i1: 1, i2: 3, s: 64, i4: 128, i6: 128, t: 96)
// KERNEL80: tensor_map %q merged [1, 1, 2, 1] : tensormap<[1, 1, 192, 64], f16, swizzle 128>
// KERNEL80: tensor_map %k : tensormap<[1, 1, 96, 64], f16, swizzle 128>
// KERNEL80: tensor_map %v : tensormap<[1, 1, 96, 64], f16, swizzle 128>
// KERNEL80: role producer

// RUN: dlc-run %T/heads/80.mlir --strict --device=cpu --shape=B=1,S=37,T=101 -o %t.80.npz
// RUN: dlc-run %t.80k.mlir --device=cpu --shape=B=1,S=37,T=101 --check=%t.80.npz | FileCheck %s --check-prefix=RIGHT
// RIGHT: as expected

// RUN: dlc-opt %T/heads/160.mlir --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[B:14,S:384]}' | FileCheck %s --check-prefix=PLAN160
// PLAN160: tile (b: 1, i1: 1, s: 64, i3: 192, i5: 192, s1: 64)

// A row that sees its last keys alone: loops go along these, tiles are small, and all of them have as many steps.
// RUN: dlc-opt %T/heads/window.mlir --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[B:4,S:6080]}' -o %t.w.mlir
// RUN: FileCheck %s --input-file=%t.w.mlir --check-prefix=PLANW
// RUN: dlc-opt %t.w.mlir --pass-pipeline='tensorize,kernel-schedule' -o %t.wk.mlir
// RUN: FileCheck %s --input-file=%t.wk.mlir --check-prefix=KERNELW
// PLANW: tile (b: 1, i1: 1, s: 64, i3: 64, i5: 64, s1: 64)
// PLANW-NOT: longest_first
// KERNELW: %begin = max
// KERNELW: for %s1 = %begin to %end step 64

// RUN: dlc-run %T/heads/window.mlir --strict --device=cpu --shape=B=1,S=270 -o %t.w.npz
// RUN: dlc-run %t.wk.mlir --device=cpu --shape=B=1,S=270 --check=%t.w.npz | FileCheck %s --check-prefix=RIGHT

//--- 80.mlir
frontend.graph @attention<B, S, T>(%q: tensor<[B, 4, S, 80], f16>, %k: tensor<[B, 2, T, 80], f16>, %v: tensor<[B, 2, T, 80], f16>) -> tensor<[B, 4, S, 80], f16> {
  %y = attention %q, %k, %v
  output %y as f16
}
//--- 160.mlir
frontend.graph @attention<B, S>(%q: tensor<[B, 4, S, 160], f16>, %k: tensor<[B, 4, S, 160], f16>, %v: tensor<[B, 4, S, 160], f16>) -> tensor<[B, 4, S, 160], f16> {
  %y = attention %q, %k, %v
  output %y as f16
}
//--- window.mlir
frontend.graph @attention<B, S>(%q: tensor<[B, 2, S, 64], bf16>, %k: tensor<[B, 2, S, 64], bf16>, %v: tensor<[B, 2, S, 64], bf16>) -> tensor<[B, 2, S, 64], bf16> {
  %j = arange : tensor<[S], i64>
  %i = reshape %j to [S, 1]
  %d = sub %i, %j
  %zero = full 0 : tensor<[], i64>
  %w = full 36 : tensor<[], i64>
  %before = ge %d, %zero
  %near = lt %d, %w
  %m = bitwise_and %before, %near
  %y = attention %q, %k, %v mask %m
  output %y as bf16
}
