// RUN: dlc-opt %s --check-registers 2>&1 | FileCheck %s
// RUN: dlc-opt %s --check-registers --statistics --no-output 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: dlc-opt %s --region-to-ptx --no-output 2>&1 | FileCheck %s --check-prefix=PIPELINE

// A thread of 8 blocks of 1024 threads has 8 registers.
// CHECK: [E1615] Warning: 'ptx.entry': 'many' needs about {{1[0-9]}} registers a thread, and there are 8: the rest may go to local memory
// CHECK: Help: smaller tiles, more threads, or fewer 'blocks_per_sm' leave more for each value
// CHECK-NOT: Warning
// STATISTICS: 1 over: Entries that need more registers than a thread has.
// PIPELINE: 'many' needs about
// CHECK-LABEL: ptx.func @many(
ptx.func @many(%x: memref<[8], f32>) -> memref<[1], f32> attributes {target = "sm_80", unverified = "by hand"} {
  %y = kernel.output : memref<[1], f32>
  entry "many" (1) threads 1024 shared 0 blocks 8 memory (%x, %y) {
  ^bb0(%a: i64, %b: i64):
    %0 = ld.global.f32 [%a]
    %1 = ld.global.f32 [%a + 4]
    %2 = ld.global.f32 [%a + 8]
    %3 = ld.global.f32 [%a + 12]
    %4 = ld.global.f32 [%a + 16]
    %5 = ld.global.f32 [%a + 20]
    bar.sync 0
    %6 = add.rn.f32 %0, %1
    %7 = add.rn.f32 %6, %2
    %8 = add.rn.f32 %7, %3
    %9 = add.rn.f32 %8, %4
    %10 = add.rn.f32 %9, %5
    st.global.f32 [%b], %10
    exit
  }
  kernel.return %y
}

// In another order two of these are enough, and the assembler is free to take it.
// CHECK-LABEL: ptx.func @free(
ptx.func @free(%x: memref<[8], f32>) -> memref<[1], f32> attributes {target = "sm_80", unverified = "by hand"} {
  %y = kernel.output : memref<[1], f32>
  entry "free" (1) threads 1024 shared 0 blocks 4 memory (%x, %y) {
  ^bb0(%a: i64, %b: i64):
    %0 = ld.global.f32 [%a]
    %1 = ld.global.f32 [%a + 4]
    %2 = ld.global.f32 [%a + 8]
    %3 = ld.global.f32 [%a + 12]
    %4 = ld.global.f32 [%a + 16]
    %5 = ld.global.f32 [%a + 20]
    %6 = ld.global.f32 [%a + 24]
    %7 = ld.global.f32 [%a + 28]
    %8 = add.rn.f32 %0, %1
    %9 = add.rn.f32 %8, %2
    %10 = add.rn.f32 %9, %3
    %11 = add.rn.f32 %10, %4
    %12 = add.rn.f32 %11, %5
    %13 = add.rn.f32 %12, %6
    %14 = add.rn.f32 %13, %7
    st.global.f32 [%b], %14
    exit
  }
  kernel.return %y
}

// What a group of warps takes counts behind it, and those that give some back have no bound.
// CHECK-LABEL: ptx.func @roles(
ptx.func @roles(%x: memref<[8], f32>) -> memref<[1], f32> attributes {target = "sm_90a", unverified = "by hand"} {
  %y = kernel.output : memref<[1], f32>
  entry "roles" (1) threads 1024 shared 0 blocks 8 memory (%x, %y) {
  ^bb0(%a: i64, %b: i64):
    setmaxnreg.inc.sync.aligned.u32 24
    %0 = ld.global.f32 [%a]
    %1 = ld.global.f32 [%a + 4]
    %2 = ld.global.f32 [%a + 8]
    %3 = ld.global.f32 [%a + 12]
    bar.sync 0
    %4 = add.rn.f32 %0, %1
    %5 = add.rn.f32 %4, %2
    %6 = add.rn.f32 %5, %3
    st.global.f32 [%b], %6
    bra ^bb1
  ^bb1:
    setmaxnreg.dec.sync.aligned.u32 24
    exit
  }
  kernel.return %y
}
