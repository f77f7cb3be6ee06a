// RUN: dlc-opt %s --check-registers 2>&1 | FileCheck %s
// RUN: dlc-opt %s --check-registers --statistics --no-output 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: dlc-opt %s --check-registers --remarks=analysis --no-output 2>&1 | FileCheck %s --check-prefix=ANALYSIS
// RUN: dlc-opt %s --region-to-ptx --no-output 2>&1 | FileCheck %s --check-prefix=PIPELINE

// A thread of 8 blocks of 1024 threads has 8 registers.
// CHECK: [E1615] Warning: 'ptx.entry': 'many' needs about {{1[0-9]}} registers a thread, and there are 8: the rest may go to local memory
// CHECK: Help: smaller tiles, more threads, or fewer 'blocks_per_sm' leave more for each value
// The next one is of threads that gave registers back, below.
// CHECK: [E1615] Warning: 'ptx.entry': 'gave' needs about {{4[0-9]}} registers a thread, and there are 32
// CHECK: [E1615] Warning: 'ptx.entry': 'truths' needs about {{1[0-9]}} registers a thread, and there are 8
// CHECK-NOT: Warning
// STATISTICS: 3 over: Entries that need more registers than a thread has.
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

// What a group of warps takes counts after it, and those that give some back have no bound.
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

// Threads that gave registers back have what 'setmaxnreg' left them: for values of their own, not for those of a warp.
// CHECK-LABEL: ptx.func @gave(
ptx.func @gave(%x: memref<[41], f32>) -> memref<[1], f32> attributes {target = "sm_90a", unverified = "by hand"} {
  %y = kernel.output : memref<[1], f32>
  entry "gave" (1) threads 128 shared 0 memory (%x, %y) {
  ^bb0(%a: i64, %b: i64):
    setmaxnreg.dec.sync.aligned.u32 32
    %f0 = ld.global.f32 [%a + 0]
    %f1 = ld.global.f32 [%a + 4]
    %f2 = ld.global.f32 [%a + 8]
    %f3 = ld.global.f32 [%a + 12]
    %f4 = ld.global.f32 [%a + 16]
    %f5 = ld.global.f32 [%a + 20]
    %f6 = ld.global.f32 [%a + 24]
    %f7 = ld.global.f32 [%a + 28]
    %f8 = ld.global.f32 [%a + 32]
    %f9 = ld.global.f32 [%a + 36]
    %f10 = ld.global.f32 [%a + 40]
    %f11 = ld.global.f32 [%a + 44]
    %f12 = ld.global.f32 [%a + 48]
    %f13 = ld.global.f32 [%a + 52]
    %f14 = ld.global.f32 [%a + 56]
    %f15 = ld.global.f32 [%a + 60]
    %f16 = ld.global.f32 [%a + 64]
    %f17 = ld.global.f32 [%a + 68]
    %f18 = ld.global.f32 [%a + 72]
    %f19 = ld.global.f32 [%a + 76]
    %f20 = ld.global.f32 [%a + 80]
    %f21 = ld.global.f32 [%a + 84]
    %f22 = ld.global.f32 [%a + 88]
    %f23 = ld.global.f32 [%a + 92]
    %f24 = ld.global.f32 [%a + 96]
    %f25 = ld.global.f32 [%a + 100]
    %f26 = ld.global.f32 [%a + 104]
    %f27 = ld.global.f32 [%a + 108]
    %f28 = ld.global.f32 [%a + 112]
    %f29 = ld.global.f32 [%a + 116]
    %f30 = ld.global.f32 [%a + 120]
    %f31 = ld.global.f32 [%a + 124]
    %f32 = ld.global.f32 [%a + 128]
    %f33 = ld.global.f32 [%a + 132]
    %f34 = ld.global.f32 [%a + 136]
    %f35 = ld.global.f32 [%a + 140]
    %f36 = ld.global.f32 [%a + 144]
    %f37 = ld.global.f32 [%a + 148]
    %f38 = ld.global.f32 [%a + 152]
    %f39 = ld.global.f32 [%a + 156]
    bar.sync 0
    %last = ld.global.f32 [%a + 160]
    %fs0 = add.rn.f32 %last, %f0
    %fs1 = add.rn.f32 %fs0, %f1
    %fs2 = add.rn.f32 %fs1, %f2
    %fs3 = add.rn.f32 %fs2, %f3
    %fs4 = add.rn.f32 %fs3, %f4
    %fs5 = add.rn.f32 %fs4, %f5
    %fs6 = add.rn.f32 %fs5, %f6
    %fs7 = add.rn.f32 %fs6, %f7
    %fs8 = add.rn.f32 %fs7, %f8
    %fs9 = add.rn.f32 %fs8, %f9
    %fs10 = add.rn.f32 %fs9, %f10
    %fs11 = add.rn.f32 %fs10, %f11
    %fs12 = add.rn.f32 %fs11, %f12
    %fs13 = add.rn.f32 %fs12, %f13
    %fs14 = add.rn.f32 %fs13, %f14
    %fs15 = add.rn.f32 %fs14, %f15
    %fs16 = add.rn.f32 %fs15, %f16
    %fs17 = add.rn.f32 %fs16, %f17
    %fs18 = add.rn.f32 %fs17, %f18
    %fs19 = add.rn.f32 %fs18, %f19
    %fs20 = add.rn.f32 %fs19, %f20
    %fs21 = add.rn.f32 %fs20, %f21
    %fs22 = add.rn.f32 %fs21, %f22
    %fs23 = add.rn.f32 %fs22, %f23
    %fs24 = add.rn.f32 %fs23, %f24
    %fs25 = add.rn.f32 %fs24, %f25
    %fs26 = add.rn.f32 %fs25, %f26
    %fs27 = add.rn.f32 %fs26, %f27
    %fs28 = add.rn.f32 %fs27, %f28
    %fs29 = add.rn.f32 %fs28, %f29
    %fs30 = add.rn.f32 %fs29, %f30
    %fs31 = add.rn.f32 %fs30, %f31
    %fs32 = add.rn.f32 %fs31, %f32
    %fs33 = add.rn.f32 %fs32, %f33
    %fs34 = add.rn.f32 %fs33, %f34
    %fs35 = add.rn.f32 %fs34, %f35
    %fs36 = add.rn.f32 %fs35, %f36
    %fs37 = add.rn.f32 %fs36, %f37
    %fs38 = add.rn.f32 %fs37, %f38
    %fs39 = add.rn.f32 %fs38, %f39
    st.global.f32 [%b], %fs39
    exit
  }
  kernel.return %y
}

// CHECK-LABEL: ptx.func @of_the_warp(
ptx.func @of_the_warp(%x: memref<[40], i32>) -> memref<[1], i32> attributes {target = "sm_90a", unverified = "by hand"} {
  %y = kernel.output : memref<[1], i32>
  entry "of_the_warp" (1) threads 128 shared 0 memory (%x, %y) {
  ^bb0(%a: i64, %b: i64):
    setmaxnreg.dec.sync.aligned.u32 24
    %block = sreg.ctaid.x
    %f0 = add.s32 %block, 1
    %f1 = add.s32 %block, 2
    %f2 = add.s32 %block, 3
    %f3 = add.s32 %block, 4
    %f4 = add.s32 %block, 5
    %f5 = add.s32 %block, 6
    %f6 = add.s32 %block, 7
    %f7 = add.s32 %block, 8
    %f8 = add.s32 %block, 9
    %f9 = add.s32 %block, 10
    %f10 = add.s32 %block, 11
    %f11 = add.s32 %block, 12
    %f12 = add.s32 %block, 13
    %f13 = add.s32 %block, 14
    %f14 = add.s32 %block, 15
    %f15 = add.s32 %block, 16
    %f16 = add.s32 %block, 17
    %f17 = add.s32 %block, 18
    %f18 = add.s32 %block, 19
    %f19 = add.s32 %block, 20
    %f20 = add.s32 %block, 21
    %f21 = add.s32 %block, 22
    %f22 = add.s32 %block, 23
    %f23 = add.s32 %block, 24
    %f24 = add.s32 %block, 25
    %f25 = add.s32 %block, 26
    %f26 = add.s32 %block, 27
    %f27 = add.s32 %block, 28
    %f28 = add.s32 %block, 29
    %f29 = add.s32 %block, 30
    %f30 = add.s32 %block, 31
    %f31 = add.s32 %block, 32
    %f32 = add.s32 %block, 33
    %f33 = add.s32 %block, 34
    %f34 = add.s32 %block, 35
    %f35 = add.s32 %block, 36
    %f36 = add.s32 %block, 37
    %f37 = add.s32 %block, 38
    %f38 = add.s32 %block, 39
    %f39 = add.s32 %block, 40
    bar.sync 0
    %fs1 = add.s32 %f0, %f1
    %fs2 = add.s32 %fs1, %f2
    %fs3 = add.s32 %fs2, %f3
    %fs4 = add.s32 %fs3, %f4
    %fs5 = add.s32 %fs4, %f5
    %fs6 = add.s32 %fs5, %f6
    %fs7 = add.s32 %fs6, %f7
    %fs8 = add.s32 %fs7, %f8
    %fs9 = add.s32 %fs8, %f9
    %fs10 = add.s32 %fs9, %f10
    %fs11 = add.s32 %fs10, %f11
    %fs12 = add.s32 %fs11, %f12
    %fs13 = add.s32 %fs12, %f13
    %fs14 = add.s32 %fs13, %f14
    %fs15 = add.s32 %fs14, %f15
    %fs16 = add.s32 %fs15, %f16
    %fs17 = add.s32 %fs16, %f17
    %fs18 = add.s32 %fs17, %f18
    %fs19 = add.s32 %fs18, %f19
    %fs20 = add.s32 %fs19, %f20
    %fs21 = add.s32 %fs20, %f21
    %fs22 = add.s32 %fs21, %f22
    %fs23 = add.s32 %fs22, %f23
    %fs24 = add.s32 %fs23, %f24
    %fs25 = add.s32 %fs24, %f25
    %fs26 = add.s32 %fs25, %f26
    %fs27 = add.s32 %fs26, %f27
    %fs28 = add.s32 %fs27, %f28
    %fs29 = add.s32 %fs28, %f29
    %fs30 = add.s32 %fs29, %f30
    %fs31 = add.s32 %fs30, %f31
    %fs32 = add.s32 %fs31, %f32
    %fs33 = add.s32 %fs32, %f33
    %fs34 = add.s32 %fs33, %f34
    %fs35 = add.s32 %fs34, %f35
    %fs36 = add.s32 %fs35, %f36
    %fs37 = add.s32 %fs36, %f37
    %fs38 = add.s32 %fs37, %f38
    %fs39 = add.s32 %fs38, %f39
    st.global.b32 [%b], %fs39
    exit
  }
  kernel.return %y
}

// Six truth values have registers of their own; each of the others takes one.
// CHECK-LABEL: ptx.func @truths(
// ANALYSIS: 'truths' keeps values in {{1[0-9]}} of 8 registers of a thread, or in {{[0-9]+}} if its instructions are reordered
ptx.func @truths(%x: memref<[12], i32>) -> memref<[1], i32> attributes {target = "sm_80", unverified = "by hand"} {
  %y = kernel.output : memref<[1], i32>
  entry "truths" (1) threads 1024 shared 0 blocks 8 memory (%x, %y) {
  ^bb0(%a: i64, %b: i64):
    %v = ld.global.u32 [%a]
    %p0 = setp.eq.s32 %v, 0
    %p1 = setp.eq.s32 %v, 1
    %p2 = setp.eq.s32 %v, 2
    %p3 = setp.eq.s32 %v, 3
    %p4 = setp.eq.s32 %v, 4
    %p5 = setp.eq.s32 %v, 5
    %p6 = setp.eq.s32 %v, 6
    %p7 = setp.eq.s32 %v, 7
    %p8 = setp.eq.s32 %v, 8
    %p9 = setp.eq.s32 %v, 9
    %p10 = setp.eq.s32 %v, 10
    %p11 = setp.eq.s32 %v, 11
    %p12 = setp.eq.s32 %v, 12
    %p13 = setp.eq.s32 %v, 13
    %p14 = setp.eq.s32 %v, 14
    %p15 = setp.eq.s32 %v, 15
    bar.sync 0
    %s = ld.global.u32 [%a + 4]
    %r0 = selp.b32 %v, %s, %p0
    %r1 = selp.b32 %r0, %s, %p1
    %r2 = selp.b32 %r1, %s, %p2
    %r3 = selp.b32 %r2, %s, %p3
    %r4 = selp.b32 %r3, %s, %p4
    %r5 = selp.b32 %r4, %s, %p5
    %r6 = selp.b32 %r5, %s, %p6
    %r7 = selp.b32 %r6, %s, %p7
    %r8 = selp.b32 %r7, %s, %p8
    %r9 = selp.b32 %r8, %s, %p9
    %r10 = selp.b32 %r9, %s, %p10
    %r11 = selp.b32 %r10, %s, %p11
    %r12 = selp.b32 %r11, %s, %p12
    %r13 = selp.b32 %r12, %s, %p13
    %r14 = selp.b32 %r13, %s, %p14
    %r15 = selp.b32 %r14, %s, %p15
    st.global.u32 [%b], %r15
    exit
  }
  kernel.return %y
}
