// A plan that names its kernel; one for a target of the module, and grids of threads.

// RUN: dlc-opt %s --emit-json | FileCheck %s
// CHECK: "target": "half",
// CHECK: "region": {
// CHECK: "kernel": "copy",
// CHECK-NEXT: "tile": {"m": 1024},
// CHECK-NEXT: "arch": "@half_or_sm80",
// CHECK-NEXT: "async": {"enable": false},
// CHECK-NEXT: "thread_tile": {"m": 4},
// CHECK-NEXT: "threads": {"m": 256},
// CHECK-NEXT: "persistent": "sms",
// CHECK-NEXT: "stream_k": {}

plan.target @half like sm90 {
  sms 66
}

region.func @copy<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

plan.schedule of @copy for @half or sm80 {
  tile (m: 1024)
  threads (m: 256)
  thread_tile (m: 4)
  persistent sms
  stream_k
  async off
}
