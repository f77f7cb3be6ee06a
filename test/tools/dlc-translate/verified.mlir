// Whether a kernel was verified is known down to its launch manifest, and whether the instructions are those that were made of it.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.mlir
// RUN: dlc-translate %t.mlir --to-ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: FileCheck %s --check-prefix=VERIFIED --input-file=%t.json

// What moves, merges and erases instructions without an effect changes nothing, in the generic form neither.
// RUN: dlc-opt %t.mlir --licm --cse --dce --print-generic -o %t.same.mlir
// RUN: dlc-translate %t.same.mlir --to-ptx -o %t.same.ptx 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty

// Instructions of a kernel that was not verified, or that somebody wrote, are translated with a warning.
// RUN: dlc-opt %S/../../passes/kernel_to_ptx/kernel-to-ptx/unsafe.mlir --kernel-to-ptx=unchecked -o %t.unsafe.mlir 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: dlc-translate %t.unsafe.mlir --to-ptx -o %t.unsafe.ptx 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: FileCheck %s --check-prefix=UNSAFE --input-file=%t.unsafe.json
// RUN: dlc-translate %S/Inputs/by_hand.mlir --to-ptx -o %t.hand.ptx 2>&1 | FileCheck %s --check-prefix=HAND
// RUN: FileCheck %s --check-prefix=UNKNOWN --input-file=%t.hand.json
// RUN: dlc-translate %S/Inputs/by_hand.mlir --to-cuda 2>&1 | FileCheck %s --check-prefix=HAND

// So are those of a verified kernel that were changed: here @edited, by a number.
// RUN: dlc-translate %S/Inputs/edited.mlir --to-ptx -o %t.edited.ptx 2>&1 | FileCheck %s --check-prefix=EDITED

// QUIET-NOT: {{.}}
// VERIFIED: "manifest": 5
// VERIFIED: "module_crc32": "{{[0-9a-f]+}}"
// VERIFIED: "verified": true,
// VERIFIED-NOT: "reason"
// VERIFIED: "covered": {
// VERIFIED-NEXT: "sizes": 1,
// VERIFIED-NEXT: "blocks": 1,
// VERIFIED-NEXT: "choices": 1,
// VERIFIED-NEXT: "runs": 1,
// VERIFIED-NEXT: "ring": 1,
// VERIFIED-NEXT: "rounds": 4,
// VERIFIED-NEXT: "stores": 1,
// VERIFIED-NEXT: "disjoint": 1

// FOUND: [E1811] Warning
// WARNING: [E0547] Warning: the kernel @early is not verified
// WARNING: Note: @early: E1811 NoBarrier: reads %s
// WARNING-NOT: E0547
// UNSAFE: "verified": false,
// UNSAFE-NEXT: "reason": "E1811 NoBarrier: reads %s
// UNSAFE-NOT: "covered"

// HAND: [E0547] Warning: 2 kernels are not verified: @one, @two
// HAND: Note 1: @one: its instructions were not made from a kernel that was verified
// HAND: Note 2: @two: its instructions were not made from a kernel that was verified
// HAND-NOT: E0547
// UNKNOWN: "verified": false,
// UNKNOWN-NEXT: "reason": "its instructions were not made from a kernel that was verified"

// EDITED: [E0547] Warning: the kernel @edited is not verified
// EDITED: Note: @edited: its instructions were changed after they were made from a verified kernel

kernel.func @sum<N>(%X: memref<[N], f32, row_major>) -> memref<[N], f32, row_major> {
  %Y = output : memref<[N], f32, row_major>
  grid (N ceildiv 256) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    %b = block_id 0
    copy %X[256 * %b + i0] where (256 * %b + i0 < N) else 0.0 to %s by blocked [1] lanes [32] warps [4]
    barrier
    %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}
