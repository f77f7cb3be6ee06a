// Functions, entries, instructions: in their own form and in the generic one.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: ptx.func @frame
// GENERIC-LABEL: sym_name = "frame"
ptx.func @frame<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> attributes {target = "sm_90a"} {
  %Y = kernel.output : memref<[M, N], f16>
  %m = kernel.tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  %v = kernel.index (M * N) : index
  // CHECK: entry "frame_0" (2*(N ceildiv 64), M ceildiv 64) cluster [2, 1] threads 128 shared 9216 blocks 2 memory (%Y) maps (%m) sizes (M, 4*%v, N)
  // GENERIC: "ptx.entry"(%v, %Y, %m) <{blocks = 2, cluster = array<i64: 2, 1>, dims = ["2*(N ceildiv 64)", "M ceildiv 64"], name = "frame_0", operandSegmentSizes = array<i32: 1, 1, 1>, shared = 9216, sizes = ["M", "4*_0", "N"], threads = 128}>
  entry "frame_0" (2 * (N ceildiv 64), M ceildiv 64) cluster [2, 1] threads 128 shared 9216 blocks 2 memory (%Y) maps (%m) sizes (M, 4 * %v, N) {
  // CHECK-NEXT: ^start(%y: i64, %map: i64, %a: i32, %b: i32, %c: i32):
  ^start(%y: i64, %map: i64, %a: i32, %b: i32, %c: i32):
    // CHECK: %s = smem
    // GENERIC: %s = "ptx.smem"() : () -> i32
    %s = smem
    // CHECK-NEXT: %t = sreg.tid.x
    // GENERIC: %t = "ptx.sreg"() <{modifiers = "tid.x"}> : () -> i32
    %t = sreg.tid.x
    // CHECK-NEXT: %p = setp.lt.s32 %t, 0
    // GENERIC: %p = "ptx.setp"(%t) <{literals = [unit, 0], modifiers = "lt.s32"}> : (i32) -> i1
    %p = setp.lt.s32 %t, 0
    // CHECK-NEXT: %f = mov.b32 %t : f32
    // GENERIC: %f = "ptx.mov"(%t) <{modifiers = "b32"}> : (i32) -> f32
    %f = mov.b32 %t : f32
    // CHECK-NEXT: %one = mov.f32 -1.5
    // GENERIC: %one = "ptx.mov"() <{literals = [-1.500000e+00 : f32], modifiers = "f32"}> : () -> f32
    %one = mov.f32 -1.5
    // CHECK-NEXT: %inf = mov.f32 0x7F800000
    // GENERIC: %inf = "ptx.mov"() <{literals = [0x7F800000 : f32], modifiers = "f32"}> : () -> f32
    %inf = mov.f32 0x7F800000
    // CHECK-NEXT: %d = mov.f64 0x3FF0000000000000
    // GENERIC: %d = "ptx.mov"() <{literals = [1.000000e+00], modifiers = "f64"}> : () -> f64
    %d = mov.f64 0x3FF0000000000000
    // CHECK-NEXT: %h:2 = unpack.b32 %t
    // GENERIC: %h:2 = "ptx.unpack"(%t) <{modifiers = "b32"}> : (i32) -> (i16, i16)
    %h:2 = unpack.b32 %t
    // CHECK-NEXT: %w = pack.b32 {%h#1, %h}
    // GENERIC: %w = "ptx.pack"(%h#1, %h) <{modifiers = "b32"}> : (i16, i16) -> i32
    %w = pack.b32 {%h#1, %h#0}
    // CHECK-NEXT: %x = add.s32 %w, 4 if %p else %t
    // GENERIC: %x = "ptx.add"(%w, %p, %t) <{guarded = "if", literals = [unit, 4], modifiers = "s32"}> : (i32, i1, i32) -> i32
    %x = add.s32 %w, 4 if %p else %t
    // CHECK-NEXT: st.shared.v2.b32 [%s - 16], {%x, %f} unless %p
    // GENERIC: "ptx.st"(%s, %x, %f, %p) <{guarded = "unless", literals = [unit, -16, unit, unit], modifiers = "shared.v2.b32"}> : (i32, i32, f32, i1) -> ()
    st.shared.v2.b32 [%s - 16], {%x, %f} unless %p
    // CHECK-NEXT: %l:4 = ld.global.v4.f32 [%y + 32]
    // GENERIC: %l:4 = "ptx.ld"(%y) <{literals = [unit, 32], modifiers = "global.v4.f32"}> : (i64) -> (f32, f32, f32, f32)
    %l:4 = ld.global.v4.f32 [%y + 32]
    // CHECK-NEXT: mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 8192
    // GENERIC: "ptx.mbarrier.arrive"(%s) <{literals = [unit, 0, 8192], modifiers = "expect_tx.shared::cta.b64"}> : (i32) -> ()
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 8192
    // CHECK-NEXT: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s + 1024], [%map, {%a, 0}], [%s]
    // GENERIC: "ptx.cp.async.bulk.tensor"(%s, %map, %a, %s) <{literals = [unit, 1024, unit, unit, 0, unit, 0], modifiers = "2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"}> : (i32, i64, i32, i32) -> ()
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s + 1024], [%map, {%a, 0}], [%s]
    // CHECK-NEXT: %q = elect.sync -1
    // GENERIC: %q = "ptx.elect.sync"() <{literals = [-1]}> : () -> i1
    %q = elect.sync -1
    // CHECK-NEXT: bra_if %q, ^bb1(%x, %f), ^bb2
    // GENERIC: "ptx.bra_if"(%q, %x, %f) [^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (i1, i32, f32) -> ()
    bra_if %q, ^bb1(%x, %f), ^bb2
  // CHECK-NEXT: ^bb1(%i: i32, %g: f32):
  ^bb1(%i: i32, %g: f32):
    // CHECK-NEXT: bra ^bb1(%a, %one)
    // GENERIC: "ptx.bra"(%a, %one) [^bb1] : (i32, f32) -> ()
    bra ^bb1(%a, %one)
  ^bb2:
    // CHECK: exit
    // GENERIC: "ptx.exit"() : () -> ()
    exit
  }
  kernel.return %Y
}
