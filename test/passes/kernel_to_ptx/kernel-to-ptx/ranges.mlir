// Quotients of one: where no number can be one of those near zero that have fewer digits, nothing is scaled before and
// after.

// RUN: dlc-opt %s --kernel-to-ptx | FileCheck %s

// The range of a 16-bit number is known, and so is that of what is computed from it.
// CHECK-LABEL: ptx.func @known(
// CHECK-NOT: rcp.approx.f32
// CHECK-COUNT-6: rcp.approx.ftz.f32
// CHECK-NOT: rcp.approx
kernel.func @known(%X: memref<[32], f16>, %Y: memref<[32], f32>) -> memref<[32], f32> {
  %Z = output : memref<[32], f32>
  grid (1) threads 32 {
    %h = load %X[i0] : frag<[32], f16, blocked [1] lanes [32] warps [1]>
    %f = load %Y[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %zero = const 0.0 : f32
    %one = const 1.0 : f32
    %some = const 0.25 : f32
    // A magnitude that a comparison makes, times a number, and one more.
    %x = cast %h : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %less = binary lt %x, %zero : frag<[32], i1, blocked [1] lanes [32] warps [1]>
    %minus = unary neg %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %size = select %less, %minus, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %part = binary mul %size, %some : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %a0 = binary add %part, %one : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %a = unary recip %a0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    // The same as a maximum, and in one step.
    %other = unary neg %f : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %size2 = binary max %f, %other : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %b0 = mulacc %size2, %some, %one : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %b = unary recip %b0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    // A power and one more.
    %power = unary exp2 %f : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %c0 = binary add %power, %one : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %c = unary recip %c0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    // A square and some more.
    %square = binary mul %f, %f : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %d0 = binary add %square, %some : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %d = unary recip %d0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    // Not below a number; and its negative.
    %e0 = binary max %f, %some : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %e = unary recip %e0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %g0 = unary neg %e0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %g = unary recip %g0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s0 = binary add %a, %b : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s1 = binary add %s0, %c : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s2 = binary add %s1, %d : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s3 = binary add %s2, %e : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s4 = binary add %s3, %g : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %s4 to %Z[i0]
  }
  return %Z
}

// CHECK-LABEL: ptx.func @unknown(
// CHECK-NOT: rcp.approx.ftz
// CHECK-COUNT-6: rcp.approx.f32
// CHECK-NOT: rcp.approx
kernel.func @unknown(%X: memref<[32], f16>, %Y: memref<[32], f32>) -> memref<[32], f32> {
  %Z = output : memref<[32], f32>
  grid (1) threads 32 {
    %h = load %X[i0] : frag<[32], f16, blocked [1] lanes [32] warps [1]>
    %f = load %Y[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %one = const 1.0 : f32
    %some = const 0.25 : f32
    // 16-bit numbers may be zero, so may a square.
    %x = cast %h : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %a = unary recip %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %square = binary mul %f, %f : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %b = unary recip %square : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    // Any number and one more.
    %c0 = binary add %f, %one : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %c = unary recip %c0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    // The larger one of two.
    %d0 = binary max %f, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %d1 = binary max %d0, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %d = unary recip %d1 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    // A quotient of one is zero where the number was infinite, however small it else is not.
    %e0 = binary max %f, %one : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %e1 = binary min %e0, %one : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %e2 = binary sub %e1, %one : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %e = unary recip %e2 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    // The sign of another number decides.
    %zero = const 0.0 : f32
    %less = binary lt %f, %zero : frag<[32], i1, blocked [1] lanes [32] warps [1]>
    %minus = unary neg %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %size = select %less, %minus, %x : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %g0 = binary add %size, %some : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %g = unary recip %g0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s0 = binary add %a, %b : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s1 = binary add %s0, %c : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s2 = binary add %s1, %d : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s3 = binary add %s2, %e : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s4 = binary add %s3, %g : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %s4 to %Z[i0]
  }
  return %Z
}
