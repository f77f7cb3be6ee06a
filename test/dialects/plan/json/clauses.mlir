// Every clause is taken to JSON and back, and so is a target.

// RUN: split-file %s %T/parts
// RUN: dlc-opt %T/parts/plan.mlir > %t.mlir && dlc-opt %t.mlir --emit-json > %t.json
// RUN: dlc-opt %t.json | cmp %t.mlir -
// RUN: dlc-opt %t.json --emit-json | cmp %t.json -
// RUN: FileCheck %s --input-file=%t.json
// RUN: dlc-opt %T/parts/target.mlir > %t.target.mlir && dlc-opt %t.target.mlir --emit-json > %t.target.json
// RUN: dlc-opt %t.target.json | cmp %t.target.mlir -
// RUN: FileCheck %s --input-file=%t.target.json --check-prefix=TARGET

// CHECK: "tile": {"m": 128, "n": 128, "k": 64},
// CHECK: "tile_order": {"kind": "grouped", "size": 8, "along": "m"},
// CHECK: "registers": {"producer": 40, "consumer": 232},
// CHECK: "attrs": {"why": "by hand"}
// TARGET: "target": "half",
// TARGET-NEXT: "like": "sm90",
// TARGET-NEXT: "sms": 66,

//--- plan.mlir
plan.schedule for sm90 {
  tile (m: 128, n: 128, k: 64)
  reduced [k]
  fix (K: 64)
  assume (M: 8, N: 8)
  instruction wgmma [64, 64, 16] promote
  warp_tile (m: 64, n: 128)
  lanes (m: 8, n: 4)
  stages 4
  unroll (k: 2)
  bind (m.o: block.x)
  cluster (m: 2)
  multicast [B]
  persistent 128
  order grouped 8 along m
  roles cooperative consumers 2 in_turn
  registers (producer: 40, consumer: 232)
  blocks_per_sm 1
  split_k 4 along k through workspace
  cache A (m, k) f16 in smem at k.o pingpong buffers 5
  cache B (k, n) f16 in smem transposed
  cache bias (n) f16 in reg
  policy (A: evict_first, B: evict_last, R: normal)
  swizzle (A: 128, B: 0, R: auto)
  stride (C: row)
  vectorize n.i.i by 8
  vectors (bias: 8)
  predicate_tail [m]
  barrier mbarrier
  async prefetch 3 overlap_epilogue
  in_flight 1
  edge s to y in smem_ring depth 2
  epilogue []
  store tma panels 2 together 1
  algo (load: im2col, lazy: 8)
  swap_operands
  deterministic
  launch_overlap
} attributes {why = "by hand"}

//--- target.mlir
plan.target @half like sm90 {
  sms 66
  rates (wgmma.f16: 2048)
  features [tma]
}
