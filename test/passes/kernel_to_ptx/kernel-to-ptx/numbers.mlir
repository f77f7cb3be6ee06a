// Arithmetic: functions by type, casts, reductions, changes of layout, products.

// RUN: dlc-opt %s --kernel-to-ptx | FileCheck %s
// RUN: dlc-opt %s --kernel-to-ptx=fuse | FileCheck %s --check-prefix=FUSED

// CHECK-LABEL: ptx.func @floats(
// CHECK: %[[X:.+]] = ld.global.nc.f32
// CHECK-NEXT: %[[A:.+]] = ex2.approx.ftz.f32 %[[X]]
// CHECK-NEXT: %[[B:.+]] = rcp.approx{{.*}}.f32 %[[A]]
// CHECK-NEXT: %[[C:.+]] = lg2.approx{{.*}}.f32 %[[B]]
// CHECK-NEXT: %[[D:.+]] = max.NaN.f32 %[[C]], %[[X]]
// CHECK: rcp.approx.ftz.f32
// CHECK: selp.f32
// CHECK-NEXT: %[[E:.+]] = mul.rn.f32
// CHECK-NEXT: %[[F:.+]] = fma.rn.f32 %[[E]], %[[D]], %[[X]]
// CHECK-NEXT: %[[G:.+]] = setp.lt.f32 %[[F]], %[[X]]
// CHECK-NEXT: selp.f32 %[[F]], %[[X]], %[[G]]
kernel.func @floats(%X: memref<[32], f32, row_major, align 4>) -> memref<[32], f32, row_major, align 4> {
  %Y = output : memref<[32], f32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %a = unary exp2 %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %b = unary recip %a : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %c = unary log2 %b : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %d = binary max %c, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %e = binary fdiv %d, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %f = mulacc %e, %d, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %g = binary lt %f, %x : frag<[32], i1, blocked [1] lanes [32] warps [1]>
    %h = select %g, %f, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %h to %Y[i0]
  }
  return %Y
}

// CHECK-LABEL: ptx.func @integers(
// CHECK: %[[X:.+]] = ld.global.nc.b32
// CHECK-NEXT: %[[A:.+]] = mul.lo.s32 %[[X]], %[[X]]
// CHECK-NEXT: %[[B:.+]] = min.s32 %[[A]], %[[X]]
// CHECK-NEXT: neg.s32 %[[B]]
kernel.func @integers(%X: memref<[32], i32, row_major, align 4>) -> memref<[32], i32, row_major, align 4> {
  %Y = output : memref<[32], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    %a = binary mul %x, %x : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    %b = binary min %a, %x : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    %c = unary neg %b : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    store %c to %Y[i0]
  }
  return %Y
}

// Halves are computed in f32 and rounded once; pairs are stored at once.
// CHECK-LABEL: ptx.func @halves(
// CHECK: %[[PAIR:.+]] = ld.global.nc.b32
// CHECK-NEXT: %[[X:.+]], %{{.+}} = unpack.b32 %[[PAIR]]
// CHECK-NEXT: %[[WIDE:.+]] = cvt.f32.f16 %[[X]]
// CHECK-NEXT: %[[SUM:.+]] = add.rn.f32 %[[WIDE]], %[[WIDE]]
// CHECK-NEXT: cvt.rn.f16.f32 %[[SUM]]
// CHECK: %[[P:.+]] = ex2.approx.ftz.f32
// CHECK-NEXT: %[[Q:.+]] = ex2.approx.ftz.f32
// CHECK: %[[BOTH:.+]] = cvt.rn.bf16x2.f32 %[[Q]], %[[P]]
// CHECK-NEXT: st.global.b32 [%{{.+}}], %[[BOTH]]
kernel.func @halves(%X: memref<[64], f16, row_major, align 4>) -> memref<[64], bf16, row_major, align 4> {
  %Y = output : memref<[64], bf16, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[64], f16, blocked [2] lanes [32] warps [1]>
    %a = binary add %x, %x : frag<[64], f16, blocked [2] lanes [32] warps [1]>
    %b = cast %a : frag<[64], f32, blocked [2] lanes [32] warps [1]>
    %c = unary exp2 %b : frag<[64], f32, blocked [2] lanes [32] warps [1]>
    %d = cast %c : frag<[64], bf16, blocked [2] lanes [32] warps [1]>
    store %d to %Y[i0]
  }
  return %Y
}

// A cast to integers goes to zero, by way of 64 bits; one of the bits does nothing to them. A position is a number.
// CHECK-LABEL: ptx.func @casts(
// CHECK: %[[X:.+]] = ld.global.nc.f32
// CHECK-NEXT: %[[LONG:.+]] = cvt.rzi.s64.f32 %[[X]]
// CHECK: cvt.u32.u64 %[[LONG]]
// CHECK: %[[BITS:.+]] = mov.b32 %[[X]]
// CHECK-NEXT: %[[SUM:.+]] = add.s32 %{{.+}}, %[[BITS]]
// CHECK-NEXT: add.s32 %[[SUM]], %{{.+}}
kernel.func @casts(%X: memref<[32], f32, row_major, align 4>) -> memref<[32], i32, row_major, align 4> {
  %Y = output : memref<[32], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %a = cast %x : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    %b = cast bits %x : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    %c = binary add %a, %b : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    %p = index (i0) : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    %d = binary add %c, %p : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    store %d to %Y[i0]
  }
  return %Y
}

// First the numbers of a thread, then the lanes that share the axis, by halves; warps that share it exchange through the
// tile, with a barrier between. What threads have of their own needs nothing but themselves.
// CHECK-LABEL: ptx.func @reductions(
// CHECK: %[[X:.+]].0, %[[X]].1 = ld.global.nc.v2.f32
// CHECK-NEXT: %[[M:.+]] = max.NaN.f32 %[[X]].0, %[[X]].1
// CHECK-NEXT: %[[O:.+]] = shfl.sync.bfly.b32 %[[M]], 16, 31, -1
// CHECK-NEXT: max.NaN.f32 %[[M]], %[[O]]
// CHECK: shfl.sync.bfly.b32 %{{.+}}, 8, 31, -1
// CHECK: shfl.sync.bfly.b32 %{{.+}}, 4, 31, -1
// CHECK: shfl.sync.bfly.b32 %{{.+}}, 2, 31, -1
// CHECK: shfl.sync.bfly.b32 %{{.+}}, 1, 31, -1
// CHECK-NEXT: %[[MAX:.+]] = max.NaN.f32
// CHECK: st.global.f32 [%{{.+}}], %[[MAX]]
// CHECK-COUNT-20: shfl.sync.bfly.b32
// CHECK-COUNT-4: st.shared.f32
// CHECK-NEXT: bar.sync 0
// CHECK-NEXT: %[[A:.+]] = ld.shared.f32 [%[[S:.+]]]
// CHECK-NEXT: %[[B:.+]] = ld.shared.f32 [%[[S]] + 16]
// CHECK-NEXT: add.rn.f32 %[[A]], %[[B]]
// CHECK: %[[P:.+]] = sub.rn.f32 %[[X]].0, %[[MAX]]
// CHECK-NEXT: %[[Q:.+]] = sub.rn.f32 %[[X]].1, %[[MAX]]
// CHECK-NEXT: %[[OWN:.+]] = add.rn.f32 %[[P]], %[[Q]]
// CHECK-NEXT: add.rn.f32 %[[OWN]], %[[OWN]]
kernel.func @reductions(%X: memref<[4, 64], f32, row_major, align 8>) -> memref<[4], f32, row_major, align 4> {
  %Y = output : memref<[4], f32, row_major, align 4>
  grid (1) threads 128 {
    %s = shared : tile<[4, 4], f32, row_major>
    %x = load %X[i0, i1] : frag<[4, 64], f32, blocked [1, 2] lanes [1, 32] warps [4, 1]>
    %m = reduce max %x along 1 : frag<[4], f32, slice 1 of (blocked [1, 2] lanes [1, 32] warps [4, 1])>
    store %m to %Y[i0]
    %z = load %X[i0, i1] : frag<[4, 64], f32, blocked [4, 1] lanes [1, 32] warps [1, 4]>
    %n = reduce sum %z along 1 through %s : frag<[4], f32, slice 1 of (blocked [4, 1] lanes [1, 32] warps [1, 4])>
    store %n to %Y[i0]
    %q = broadcast %m along 1 : frag<[4, 64], f32, blocked [1, 2] lanes [1, 32] warps [4, 1]>
    %r = binary sub %x, %q : frag<[4, 64], f32, blocked [1, 2] lanes [1, 32] warps [4, 1]>
    %t = thread_reduce sum %r along 1 : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    %u = thread_broadcast %t along 1 : frag<[4, 64], f32, blocked [1, 2] lanes [1, 32] warps [4, 1]>
    %v = reduce sum %u along 1 : frag<[4], f32, slice 1 of (blocked [1, 2] lanes [1, 32] warps [4, 1])>
    store %v to %Y[i0]
  }
  return %Y
}

// Another layout by way of a tile.
// CHECK-LABEL: ptx.func @conversions(
// CHECK-COUNT-16: st.shared.v2.f32
// CHECK-NEXT: bar.sync 0
// CHECK-COUNT-8: ld.shared.v4.f32
kernel.func @conversions(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32, row_major, align 16> {
  %Y = output : memref<[64, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f32, mma [4, 1]>
    %y = convert %x through %s : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// A thread multiplies what it has.
// CHECK-LABEL: ptx.func @products(
// CHECK-COUNT-4: ld.global.nc.f32
// CHECK-COUNT-8: ld.global.nc.f32
// CHECK-COUNT-32: fma.rn.f32 %{{.+}}, %{{.+}}, 1.0
// CHECK-NOT: fma
// CHECK: exit
kernel.func @products(%A: memref<[64, 1], f32, row_major, align 4>, %B: memref<[1, 64], f32, row_major, align 4>) -> memref<[64, 64], f32, row_major, align 16> {
  %Y = output : memref<[64, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %e = load %A[i0, i1] : frag<[64, 1], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    %f = load %B[i0, i1] : frag<[1, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    %g = const 1.0 : frag<[64, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    %h = fma %e, %f, %g
    store %h to %Y[i0, i1]
  }
  return %Y
}

// The tensor cores: 16 by 8 at once.
// CHECK-LABEL: ptx.func @tensor_cores(
// CHECK-COUNT-8: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
// CHECK: exit
kernel.func @tensor_cores(%X: memref<[64, 16], f16, row_major, align 4>) -> memref<[64, 64], f32, row_major, align 8> {
  %Y = output : memref<[64, 64], f32, row_major, align 8>
  grid (1) threads 128 {
    %a = load %X[i0, i1] : frag<[64, 16], f16, mma_a [2, 2]>
    %b = const 1.0 : frag<[16, 64], f16, mma_b [2, 2]>
    %c = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    %d = mma %a, %b, %c
    store %d to %Y[i0, i1]
  }
  return %Y
}

// One over a root is one instruction, which is as exact as the quotient alone.
// CHECK-LABEL: ptx.func @root(
// CHECK: rsqrt.approx.f32
// CHECK-NOT: rcp
// CHECK: exit
kernel.func @root(%X: memref<[32], f32, row_major, align 4>) -> memref<[32], f32, row_major, align 4> {
  %Y = output : memref<[32], f32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %a = unary sqrt %x
    %b = unary recip %a
    store %b to %Y[i0]
  }
  return %Y
}

// The larger of a number and its negative is the number without its sign, in either order; of two others it is not.
// CHECK-LABEL: ptx.func @magnitude(
// CHECK: abs.f32
// CHECK: abs.f32
// CHECK: max.NaN.f32
// CHECK-NOT: max
// CHECK: exit
kernel.func @magnitude(%X: memref<[32], f32, row_major, align 4>) -> memref<[32], f32, row_major, align 4> {
  %Y = output : memref<[32], f32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %n = unary neg %x
    %a = binary max %x, %n : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %y = unary exp2 %x
    %m = unary neg %y
    %b = binary max %m, %y : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %c = binary add %a, %b : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %d = binary max %c, %n : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %d to %Y[i0]
  }
  return %Y
}

// A product and a sum of it are rounded one after another, or where the option says so as the assembler likes.
// CHECK-LABEL: ptx.func @joined(
// CHECK: mul.rn.f32
// CHECK-NEXT: add.rn.f32
// FUSED-LABEL: ptx.func @joined(
// FUSED: mul.f32
// FUSED-NEXT: add.f32
kernel.func @joined(%X: memref<[32], f32, row_major, align 4>) -> memref<[32], f32, row_major, align 4> {
  %Y = output : memref<[32], f32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %a = binary mul %x, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %b = binary add %a, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %b to %Y[i0]
  }
  return %Y
}
