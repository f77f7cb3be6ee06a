// RUN: dlc-opt %s --licm=registers=128 | FileCheck %s
// RUN: dlc-opt %s --licm=registers=7 | FileCheck %s --check-prefix=TIGHT
// RUN: dlc-opt %s --licm=registers=7 --no-output --remarks=missed 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: dlc-opt %s --licm=registers=6 --no-output --remarks=missed 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not dlc-opt %s --licm=registers=-1 2>&1 | FileCheck %s --check-prefix=INVALID

// INVALID: a loop has 0 registers or more, not -1

// The loop gets shorter by what the address of a row is computed from: the chain leaves as one value. What is one step from a value
// that is needed in the loop anyway stays there, as does a truth value.
// CHECK-LABEL: ptx.func @rows<M, N>(%X: memref<[M, N], f32, row_major, align 4>) -> memref<[M, N], f32, row_major, align 4> attributes {target = "sm_80"} {
// CHECK-NEXT:    entry "rows_0" (M) threads 32 shared 0 memory (%X) sizes (N) {
// CHECK-NEXT:    ^start(%x: i64, %n: i32):
// CHECK-NEXT:      %t = sreg.tid.x
// CHECK-NEXT:      %b = sreg.ctaid.x
// CHECK-NEXT:      %zero = mov.u32 0
// CHECK-NEXT:      %some = setp.gt.s32 %n, 0
// CHECK-NEXT:      bra_if %some, ^bb1, ^end
// CHECK-NEXT:    ^bb1:
// CHECK-NEXT:      %lane = and.b32 %t, 31
// CHECK-NEXT:      %row = mul.lo.s32 %b, %n
// CHECK-NEXT:      %at = add.s32 %row, %lane
// CHECK-NEXT:      bra ^head(%zero)
// CHECK-NEXT:    ^head(%k: i32):
// CHECK-NEXT:      %place = add.s32 %at, %k
// CHECK-NEXT:      %p = mad.wide.s32 %place, 4, %x
// CHECK-NEXT:      %own = add.s32 %lane, %k
// CHECK-NEXT:      %in = setp.lt.s32 %own, %n
// CHECK-NEXT:      %far = setp.lt.s32 %b, %n
// CHECK-NEXT:      %both = and.pred %in, %far
// CHECK-NEXT:      %far_lane = add.s32 %lane, 7
// CHECK-NEXT:      %null = mov.f32 0.0
// CHECK-NEXT:      %v = ld.global.f32 [%p] if %both else %null
// CHECK-NEXT:      st.global.f32 [%p], %v if %in
// CHECK-NEXT:      %next = add.s32 %k, %far_lane
// CHECK-NEXT:      %again = setp.lt.s32 %next, %n
// CHECK-NEXT:      bra_if %again, ^head(%next), ^end
// CHECK-NEXT:    ^end:
// CHECK-NEXT:      exit
// CHECK-NEXT:    }
// CHECK-NEXT:    kernel.return %X
// CHECK-NEXT:  }
ptx.func @rows<M, N>(%X: memref<[M, N], f32>) -> memref<[M, N], f32> attributes {target = "sm_80"} {
  entry "rows_0" (M) threads 32 shared 0 memory (%X) sizes (N) {
  ^start(%x: i64, %n: i32):
    %t = sreg.tid.x
    %b = sreg.ctaid.x
    %zero = mov.u32 0
    %some = setp.gt.s32 %n, 0
    bra_if %some, ^head(%zero), ^end
  ^head(%k: i32):
    %lane = and.b32 %t, 31
    %row = mul.lo.s32 %b, %n
    %at = add.s32 %row, %lane
    %place = add.s32 %at, %k
    %p = mad.wide.s32 %place, 4, %x
    %own = add.s32 %lane, %k
    %in = setp.lt.s32 %own, %n
    %far = setp.lt.s32 %b, %n
    %both = and.pred %in, %far
    %far_lane = add.s32 %lane, 7
    %null = mov.f32 0.0
    %v = ld.global.f32 [%p] if %both else %null
    st.global.f32 [%p], %v if %in
    %next = add.s32 %k, %far_lane
    %again = setp.lt.s32 %next, %n
    bra_if %again, ^head(%next), ^end
  ^end:
    exit
  }
  kernel.return %X
}

// Places at distances from one stay in the loop, as does the last step of one integer: machines take a shift where the sum is
// made. What they are computed from leaves.
// CHECK-LABEL: ptx.func @distances<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> attributes {target = "sm_80"} {
// CHECK-NEXT:    entry "distances_0" (1) threads 32 shared 1024 memory (%X) sizes (N) {
// CHECK-NEXT:    ^start(%x: i64, %n: i32):
// CHECK-NEXT:      %t = sreg.tid.x
// CHECK-NEXT:      %b = sreg.ctaid.x
// CHECK-NEXT:      %s = smem
// CHECK-NEXT:      %zero = mov.u32 0
// CHECK-NEXT:      %product = mul.lo.s32 %t, %b
// CHECK-NEXT:      %other = sub.s32 %b, %t
// CHECK-NEXT:      %sum = mul.lo.s32 %other, %b
// CHECK-NEXT:      %low = and.b32 %product, 7
// CHECK-NEXT:      bra ^head(%zero)
// CHECK-NEXT:    ^head(%k: i32):
// CHECK-NEXT:      %near = add.s32 %sum, 4
// CHECK-NEXT:      %far = add.s32 %sum, 8
// CHECK-NEXT:      %bytes = shl.b32 %low, 2
// CHECK-NEXT:      %from = add.s32 %s, %k
// CHECK-NEXT:      %to = add.s32 %from, %bytes
// CHECK-NEXT:      %v = add.s32 %near, %k
// CHECK-NEXT:      %w = add.s32 %far, %v
// CHECK-NEXT:      st.shared.u32 [%to], %w
// CHECK-NEXT:      %next = add.s32 %k, 4
// CHECK-NEXT:      %again = setp.lt.s32 %next, 64
// CHECK-NEXT:      bra_if %again, ^head(%next), ^end
// CHECK-NEXT:    ^end:
// CHECK-NEXT:      exit
// CHECK-NEXT:    }
// CHECK-NEXT:    kernel.return %X
// CHECK-NEXT:  }
ptx.func @distances<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm_80"} {
  entry "distances_0" (1) threads 32 shared 1024 memory (%X) sizes (N) {
  ^start(%x: i64, %n: i32):
    %t = sreg.tid.x
    %b = sreg.ctaid.x
    %s = smem
    %zero = mov.u32 0
    bra ^head(%zero)
  ^head(%k: i32):
    %product = mul.lo.s32 %t, %b
    %other = sub.s32 %b, %t
    %sum = mul.lo.s32 %other, %b
    %near = add.s32 %sum, 4
    %far = add.s32 %sum, 8
    %low = and.b32 %product, 7
    %bytes = shl.b32 %low, 2
    %from = add.s32 %s, %k
    %to = add.s32 %from, %bytes
    %v = add.s32 %near, %k
    %w = add.s32 %far, %v
    st.shared.u32 [%to], %w
    %next = add.s32 %k, 4
    %again = setp.lt.s32 %next, 64
    bra_if %again, ^head(%next), ^end
  ^end:
    exit
  }
  kernel.return %X
}
// What leaves a loop takes registers in it, at most as many as there are: the last values stay.
// TIGHT-LABEL: ptx.func @tight
// TIGHT: %a = mul.lo.s32 %t, %b
// TIGHT-NEXT: %c = add.s32 %a, %b
// TIGHT-NEXT: bra ^head
// TIGHT: ^head
// TIGHT-NEXT: %d = sub.s32 %b, %t
// TIGHT-NEXT: %e = mul.lo.s32 %d, %b
// REMARK: missed] 4 ops stay in this loop: its values take 6 registers, of 6
// LEFT: missed] 2 ops stay in this loop: there are no more registers for them, of 7
ptx.func @tight<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm_80"} {
  entry "tight_0" (1) threads 32 shared 1024 memory (%X) sizes (N) {
  ^start(%x: i64, %n: i32):
    %t = sreg.tid.x
    %b = sreg.ctaid.x
    %s = smem
    %zero = mov.u32 0
    bra ^head(%zero)
  ^head(%k: i32):
    %a = mul.lo.s32 %t, %b
    %c = add.s32 %a, %b
    %d = sub.s32 %b, %t
    %e = mul.lo.s32 %d, %b
    %f = add.s32 %c, %k
    %g = add.s32 %e, %f
    %h = add.s32 %g, %b
    %i = add.s32 %h, %t
    st.shared.u32 [%s], %i
    %next = add.s32 %k, 4
    %again = setp.lt.s32 %next, 64
    bra_if %again, ^head(%next), ^end
  ^end:
    exit
  }
  kernel.return %X
}
