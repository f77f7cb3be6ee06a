// Attention of few queries over many keys: the heads of queries that share a head of keys are rows of a tile, blocks share the keys,
// and a second grid combines what they leave.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[B:1,T:16384]}' -o %t.sm90
// RUN: FileCheck %s --input-file=%t.sm90
// RUN: dlc-run %s --shape=B=2,T=300 --seed=0 -o %t.npy
// RUN: dlc-run %t.sm90 --shape=B=2,T=300 --seed=0 --passes='add-fallback,region-to-ptx' --check=%t.npy
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm80 symbols=[B:1,T:16384]},add-fallback,region-to-ptx' -o /dev/null

// Each block has a part of a tile, and nothing goes on from tile to tile.
// CHECK: plan.schedule of @decode_0 for sm90 {
// CHECK-NEXT: tile (b: 1, i1: 1, i2: 64, i3: 1, i4: 64, i6: 64, t: 128)
// CHECK-NOT: persistent
// CHECK: roles cooperative consumers 1
// CHECK: split_k 32 along t through workspace
// CHECK-NOT: store

// Where there are as many tiles as SMs nothing is divided.
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[B:64,T:4096]}' | FileCheck %s --check-prefix=MANY
// MANY: plan.schedule of @decode_0 for sm90 {
// MANY-NOT: split_k
frontend.graph @decode<B, T>(%q: tensor<[B, 8, 1, 64], f16>, %k: tensor<[B, 2, T, 64], f16>, %v: tensor<[B, 2, T, 64], f16>) -> tensor<[B, 8, 1, 64], f16> {
  %o = attention %q, %k, %v
  output %o as f16
}
