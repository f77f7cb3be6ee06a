// A kernel that reads too early has no instructions, whether the checker stands in the pipeline or not.

// RUN: not dlc-opt %s --kernel-to-ptx 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --check-async --kernel-to-ptx 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --region-to-ptx 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --tiny-to-ptx-sm90 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --kernel-to-ptx=check=false 2>&1 | FileCheck %s --check-prefix=OPTION

// Who asks for it gets instructions, with a warning, and they say why they are not verified.
// RUN: dlc-opt %s --kernel-to-ptx=unchecked -o %t 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: FileCheck %s --check-prefix=UNCHECKED --input-file=%t

// CHECK: [E1811] Error: 'kernel.load_shared'
// CHECK-NOT: Error
// OPTION: 'kernel-to-ptx' has no option 'check'
// WARNING: [E1811] Warning: 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between
// WARNING: Note: its instructions are marked as unverified ('unchecked')
// WARNING-NOT: Error
// UNCHECKED: ptx.func @early{{.*}} attributes {target = "sm_80", unverified = "E1811 NoBarrier: reads %s: other warps wrote to it, with no barrier between"} {

kernel.func @early<N>(%X: memref<[N], f32, row_major>) -> memref<[N], f32, row_major> {
  %Y = output : memref<[N], f32, row_major>
  grid (N ceildiv 256) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    %b = block_id 0
    copy %X[256 * %b + i0] where (256 * %b + i0 < N) else 0.0 to %s by blocked [1] lanes [32] warps [4]
    %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}
