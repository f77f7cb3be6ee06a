// Parts of clauses that nothing followed are refused, with what to write.

// RUN: not dlc-opt %s --split-input-file 2>&1 | FileCheck %s
// RUN: split-file %S/Inputs/removed.txt %T/removed
// RUN: not dlc-opt %T/removed/start.plan.json 2>&1 | FileCheck %s --check-prefix=START
// RUN: not dlc-opt %T/removed/keep.plan.json 2>&1 | FileCheck %s --check-prefix=KEEP
// START: 'roles' has no 'start' any more: nothing followed it
// START: Help: ping-pong consumers start one tile apart: leave it out
// KEEP: 'cache' has no 'keep' any more: nothing followed it

// CHECK: 'roles' has no 'start' any more: nothing followed it
// CHECK: Help: ping-pong consumers start one tile apart: leave it out
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 16)
  roles ping_pong consumers 2 start 4
}

// -----

// CHECK: 'cache' has no 'as' any more: nothing followed it
// CHECK: Help: registers keep the type that memory has: leave it out, or cast in the program
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  cache X (m, n) f16 in reg as f32
}

// -----

// CHECK: 'async' has no 'overlap_chain' any more: nothing followed it
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  async overlap_chain 1
}

// -----

// CHECK: 'store' has no 'per_warp' any more: nothing followed it
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  store tma panels 2 per_warp
}
