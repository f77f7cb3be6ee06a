// How factors of f32 are multiplied, to JSON and back; a word that is none is refused.

// RUN: split-file %s %T/parts
// RUN: dlc-opt %T/parts/plan.mlir > %t.mlir && dlc-opt %t.mlir --emit-json > %t.json
// RUN: dlc-opt %t.json | cmp %t.mlir -
// RUN: FileCheck %s --input-file=%t.json
// RUN: not dlc-opt %T/parts/wrong.json 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: "kind": "mma",
// CHECK-NEXT: "shape": [16, 8, 8],
// CHECK-NEXT: "precision": "tf32x3"
// WRONG: one of tf32, tf32x3

//--- plan.mlir
plan.schedule for sm80 {
  tile (m: 64, n: 64, k: 32)
  instruction mma [16, 8, 8] as tf32x3
  warp_tile (m: 32, n: 32)
  cache A (m, k) f32 in smem
  cache B (k, n) f32 in smem
}

//--- wrong.json
{"arch": "sm80", "tile": {"m": 64, "n": 64, "k": 32}, "warp_tile": "32x32", "instruction": {"kind": "mma", "precision": "tf32x2"}}
