// Other layers have no report, and a function without values an empty one.

// RUN: dlc-opt %s --book-report --no-output 2>&1 | snapshot %s

book.func @nothing<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  return %x
}

book.func private @declared<M>(tensor<[M], f32>) -> tensor<[M], f32>

// Positions whose halo is not known, and no axes at all.
book.func @unknown<M>(%x: tensor<[M, M], f32>) -> tensor<[], f32> {
  %t = entry neg axes (i0: M, i1: M) of %x at (i0, i1)
  %u = entry neg axes (i0: M) of %t at (i0, i0)
  %v = entry add axes (i0: M, i1: M) of %u at (i0), %u at (i1)
  %0 = const 1.0 : tensor<[], f32>
  %1 = reduce sum axes () over (i0: M, i1: M) of %v at (i0, i1) acc f32
  %y = entry add axes () of %1 at (), %0 at ()
  return %y
}

// EXPECT:
// // -----// book-report.nothing.txt //----- //
// @nothing, tiles of 16
// // -----// book-report.declared.txt //----- //
// @declared, tiles of 16
// // -----// book-report.unknown.txt //----- //
// @unknown, tiles of 16
// %t (i0: M, i1: M): smem_ring depth 2, fan-out 1
//   tails i0, i1
//   reads %x: no halo
// %u (i0: M): gmem, fan-out 1
//   tails i0
//   reads %t: no halo; may be computed here
// %v (i0: M, i1: M): reg depth 2, fan-out 1
//   tails i0, i1
//   reads %u: halo not known; not to be computed here: unknown
// %v0 (): reg depth 2, fan-out 1
// %v1 () over (i0: M, i1: M): reg depth 2, fan-out 1
//   tails i0, i1
//   reads %v: no halo; may be computed here
// %y (): gmem, fan-out 0
//   reads %v1: no halo; may be computed here
//   reads %v0: no halo; may be computed here
