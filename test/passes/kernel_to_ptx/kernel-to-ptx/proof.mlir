// The proof that `check-async` makes is still there for `kernel-to-ptx`, in the pipelines too. It is made again where the
// kernel has changed since.

// RUN: dlc-opt %s --check-async --kernel-to-ptx --statistics --no-output 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: dlc-opt %s --region-to-ptx --statistics --no-output 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: dlc-opt %s --check-async --verify-each=false --kernel-to-ptx --statistics --no-output --threads=4 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: dlc-opt %s --check-async --dce --kernel-to-ptx --statistics --no-output 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: dlc-opt %s --kernel-to-ptx --statistics=json --no-output 2>&1 | FileCheck %s --check-prefix=JSON

// ONCE-LABEL: {{^}}check-async{{$}}
// ONCE: 2 grids: Grids that were verified.
// ONCE: 2 async-safety: Analyses computed for it.
// ONCE-LABEL: {{^}}kernel-to-ptx{{$}}
// ONCE-NOT: async-safety

// AGAIN-LABEL: {{^}}check-async{{$}}
// AGAIN: 2 async-safety: Analyses computed for it.
// AGAIN-LABEL: {{^}}kernel-to-ptx{{$}}
// AGAIN: 1 async-safety: Analyses computed for it.

// JSON: "analyses":{"async-safety":2},"pass":"kernel-to-ptx"

kernel.func @same<N>(%X: memref<[N], f32, row_major>) -> memref<[N], f32, row_major> {
  %Y = output : memref<[N], f32, row_major>
  grid (N ceildiv 256) threads 128 {
    %b = block_id 0
    %one = const 1.0 : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    store %one to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}

kernel.func @changed<N>(%X: memref<[N], f32, row_major>) -> memref<[N], f32, row_major> {
  %Y = output : memref<[N], f32, row_major>
  grid (N ceildiv 256) threads 128 {
    %b = block_id 0
    %unused = const 0.0 : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    %one = const 1.0 : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    store %one to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}
