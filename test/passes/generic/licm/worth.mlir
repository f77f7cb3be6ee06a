// What is worth a register in a loop, by what it is computed from.

// RUN: dlc-opt %s --licm=registers=128 | FileCheck %s
// RUN: dlc-opt %s --licm --debug-counter=licm/hoist=0 | FileCheck %s --check-prefix=SECOND

// Two values become one: it leaves.
// CHECK-LABEL: ptx.func @two_are_one
// CHECK: %m = mul.lo.s32 %r, %s
// CHECK-NEXT: %h = add.s32 %m, %m
// CHECK-NEXT: bra ^head
// What needs an op that is kept from leaving stays with it.
// SECOND-LABEL: ptx.func @two_are_one
// SECOND: ^head(%k: i32):
// SECOND-NEXT: %m = mul.lo.s32 %r, %s
// SECOND-NEXT: %h = add.s32 %m, %m
ptx.func @two_are_one<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm_80"} {
  entry "two_are_one_0" (1) threads 32 shared 0 memory (%X) sizes (N) {
  ^start(%x: i64, %n: i32):
    %t = sreg.tid.x
    %r = add.s32 %t, %n
    %s = sub.s32 %t, %n
    %zero = mov.u32 0
    bra ^head(%zero)
  ^head(%k: i32):
    %m = mul.lo.s32 %r, %s
    %h = add.s32 %m, %m
    %v = add.s32 %h, %k
    st.global.u32 [%x], %v
    %next = add.s32 %k, 1
    %again = setp.lt.s32 %next, %n
    bra_if %again, ^head(%next), ^end
  ^end:
    exit
  }
  kernel.return %X
}

// They are needed after the loop, and kept through it anyway.
// CHECK-LABEL: ptx.func @needed_after
// CHECK: ^head(%k: i32):
// CHECK-NEXT: %m = mul.lo.s32 %r, %s
ptx.func @needed_after<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm_80"} {
  entry "needed_behind_0" (1) threads 32 shared 0 memory (%X) sizes (N) {
  ^start(%x: i64, %n: i32):
    %t = sreg.tid.x
    %r = add.s32 %t, %n
    %s = sub.s32 %t, %n
    %zero = mov.u32 0
    bra ^head(%zero)
  ^head(%k: i32):
    %m = mul.lo.s32 %r, %s
    %v = add.s32 %m, %k
    st.global.u32 [%x], %v
    %next = add.s32 %k, 1
    %again = setp.lt.s32 %next, %n
    bra_if %again, ^head(%next), ^end
  ^end:
    st.global.u32 [%x], %r
    st.global.u32 [%x], %s
    exit
  }
  kernel.return %X
}

// What is given to the kernel, and what an op without operands gives, can be had again at any time.
// CHECK-LABEL: ptx.func @free
// CHECK: ^head(%k: i32):
// CHECK-NEXT: %m = mul.lo.s32 %t, %b
// CHECK-NEXT: %o = mul.lo.s32 %n, %n
ptx.func @free<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm_80"} {
  entry "free_0" (1) threads 32 shared 0 memory (%X) sizes (N) {
  ^start(%x: i64, %n: i32):
    %t = sreg.tid.x
    %b = sreg.ctaid.x
    %zero = mov.u32 0
    bra ^head(%zero)
  ^head(%k: i32):
    %m = mul.lo.s32 %t, %b
    %o = mul.lo.s32 %n, %n
    %v = add.s32 %m, %k
    st.global.u32 [%x], %v
    st.global.u32 [%x], %o
    %next = add.s32 %k, 1
    %again = setp.lt.s32 %next, 9
    bra_if %again, ^head(%next), ^end
  ^end:
    exit
  }
  kernel.return %X
}

// One value would become two.
// CHECK-LABEL: ptx.func @one_is_two
// CHECK: ^head(%k: i32):
// CHECK-NEXT: %m = mul.lo.s32 %r, %r
// CHECK-NEXT: %o = add.s32 %r, %r
ptx.func @one_is_two<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm_80"} {
  entry "one_is_two_0" (1) threads 32 shared 0 memory (%X) sizes (N) {
  ^start(%x: i64, %n: i32):
    %t = sreg.tid.x
    %r = sub.s32 %t, %n
    %zero = mov.u32 0
    bra ^head(%zero)
  ^head(%k: i32):
    %m = mul.lo.s32 %r, %r
    %o = add.s32 %r, %r
    %v = add.s32 %m, %k
    st.global.u32 [%x], %v
    st.global.u32 [%x], %o
    %next = add.s32 %k, 1
    %again = setp.lt.s32 %next, 9
    bra_if %again, ^head(%next), ^end
  ^end:
    exit
  }
  kernel.return %X
}
