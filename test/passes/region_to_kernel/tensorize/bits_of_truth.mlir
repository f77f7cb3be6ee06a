// A truth value takes a byte, as in the layers above: its bits are those of the number 0 or 1, and what is not zero is true.

// RUN: dlc-opt %s --tensorize --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --tensorize --kernel-to-ptx --evaluate-each -o /dev/null

// CHECK-LABEL: kernel.func @bits
// CHECK: %[[BYTE:.+]] = cast %{{.+}} : frag<{{.+}}, i8,
// CHECK: cast %{{.+}} : frag<{{.+}}, i1,
region.func @bits<M> iters (m: M) ins (%X: memref<[M], i1>, %Y: memref<[M], ui8>)
    outs (A: memref<[M], i8> materialize gmem, B: memref<[M], i1> materialize gmem, C: memref<[M], f8E5M2> materialize gmem) {
  %x = read %X[m] : i1 over (m)
  %y = read %Y[m] : ui8 over (m)
  %a = cast bits %x : i8 over (m)
  %b = cast bits %y : i1 over (m)
  %c = cast bits %x : f8E5M2 over (m)
  yield %a to A, %b to B, %c to C
}
