// The program is left as it is; the report goes out next to it, for people and for programs.

// RUN: dlc-opt %s --book-report 2> %t | FileCheck %s --check-prefix=SAME
// RUN: snapshot %s --name=text < %t
// RUN: dlc-opt %s --book-report=format=json --no-output --output-dir=%T/out && snapshot %s --name=json < %T/out/book-report.gemm.json
// RUN: dlc-opt %s --book-report=tile=4 --no-output 2>&1 | FileCheck %s --check-prefix=TILE

// SAME-LABEL: book.func @gemm<
// SAME: %s = reduce sum
// SAME-LABEL: book.func @conv<

// A tile of 4 points cuts 8 evenly, and is smaller.
// TILE: @conv, tiles of 4
// TILE: halo 2 along i2, 2 along i3 (40 bytes)

book.func @gemm<M, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, 64], f16>, %bias: tensor<[64], f16>) -> tensor<[M, 64], f16> {
  %p = entry mul axes (i0: M, i1: 64, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen
  %s = reduce sum axes (i0: M, i1: 64) over (i2: K) of %p at (i0, i1, i2) acc f32
  %b = entry add axes (i0: M, i1: 64) of %s at (i0, i1), %bias at (i1)
  %y = entry cast axes (i0: M, i1: 64) of %b at (i0, i1) to f16
  return %y
}

// The input is scaled before the window goes over it, and the maximum of the result is taken over windows again.
book.func @conv<H, W>(%X: tensor<[4, H, W], f16>, %K: tensor<[8, 4, 3, 3], f16>) -> tensor<[8, H], f32> {
  %t = entry neg axes (i0: 4, i1: H, i2: W) of %X at (i0, i1, i2)
  %p = entry mul axes (i0: 8, i1: 4, i2: H, i3: W, i4: 3, i5: 3) of %t at (i1, i2 + i4 - 1, i3 + i5 - 1) where (0 <= i2 + i4 - 1 < H, 0 <= i3 + i5 - 1 < W), %K at (i0, i1, i4, i5) to f32 widen
  %s = reduce sum axes (i0: 8, i1: H, i2: W) over (i3: 4, i4: 3, i5: 3) of %p at (i0, i3, i1, i2, i4, i5) acc f32
  %m = reduce max axes (i0: 8, i1: H) over (i2: W) of %s at (i0, i1, i2) acc f32
  %w = reduce max axes (i0: 8, i1: H) over (i2: 3) of %m at (i0, i1 + i2 - 1) where (0 <= i1 + i2 - 1 < H) else -inf acc f32
  return %w
}

// A value that two reductions and others need; what is not affine ends it.
book.func @softmax<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[M], i32>) -> tensor<[M, N], f32> {
  %max = reduce max axes (i0: M) over (i1: N) of %x at (i0, i1) acc f32
  %d = entry sub axes (i0: M, i1: N) of %x at (i0, i1), %max at (i0)
  %e = entry exp2 axes (i0: M, i1: N) of %d at (i0, i1)
  %s = reduce sum axes (i0: M) over (i1: N) of %e at (i0, i1) acc f32
  %q = entry fdiv axes (i0: M, i1: N) of %e at (i0, i1), %s at (i0)
  %y = gather non_scop axes (i0: M, i1: N) of %q at [%ids (i0), i1]
  return %y
}

// EXPECT text:
// // -----// book-report.gemm.txt //----- //
// @gemm, tiles of 16
// %p (i0: M, i1: 64, i2: K): reg depth 2, fan-out 1
//   tails i0, i2
//   reads %X: no halo
//   reads %W: no halo
// %s (i0: M, i1: 64) over (i2: K): reg depth 2, fan-out 1
//   tails i0, i2
//   reads %p: no halo; may be computed here
// %b (i0: M, i1: 64): reg depth 2, fan-out 1
//   tails i0
//   reads %s: no halo; may be computed here
//   reads %bias: no halo
// %y (i0: M, i1: 64): gmem, fan-out 0
//   tails i0
//   reads %b: no halo; may be computed here
// // -----// book-report.conv.txt //----- //
// @conv, tiles of 16
// %t (i0: 4, i1: H, i2: W): smem_ring depth 3, fan-out 1
//   tails i1, i2
//   reads %X: no halo
// %p (i0: 8, i1: 4, i2: H, i3: W, i4: 3, i5: 3): reg depth 2, fan-out 1
//   tails i2, i3
//   reads %t: halo 2 along i2, 2 along i3 (136 bytes); may be computed here, distance (0, ?, ?), repeated along i0
//   reads %K: no halo
// %s (i0: 8, i1: H, i2: W) over (i3: 4, i4: 3, i5: 3): reg depth 2, fan-out 1
//   tails i1, i2
//   reads %p: no halo; may be computed here
// %m (i0: 8, i1: H) over (i2: W): smem_ring depth 3, fan-out 1
//   tails i1, i2
//   reads %s: no halo; may be computed here
// %w (i0: 8, i1: H) over (i2: 3): gmem, fan-out 0
//   tails i1
//   reads %m: halo 2 along i1 (8 bytes); not to be computed here: halo
// // -----// book-report.softmax.txt //----- //
// @softmax, tiles of 16
// %max (i0: M) over (i1: N): reg depth 2, fan-out 1
//   tails i0, i1
//   reads %x: no halo
// %d (i0: M, i1: N): reg depth 2, fan-out 1
//   tails i0, i1
//   reads %x: no halo
//   reads %max: no halo; may be computed here, repeated along i1
// %e (i0: M, i1: N): reg depth 2, fan-out 2
//   tails i0, i1
//   reads %d: no halo; may be computed here
// %s (i0: M) over (i1: N): reg depth 2, fan-out 1
//   tails i0, i1
//   reads %e: no halo; may be computed here
// %q (i0: M, i1: N): gmem, fan-out 1
//   tails i0, i1
//   reads %e: no halo; may be computed here
//   reads %s: no halo; may be computed here, repeated along i1
// %y (i0: M, i1: N): gmem, fan-out 0
//   tails i0, i1
//   reads %q: halo not known; not to be computed here: non_scop
//   reads %ids: halo not known

// EXPECT json:
// {
//   "function": "gemm",
//   "tile": 16,
//   "values": [
//     {
//       "axes": [
//         "i0",
//         "i1",
//         "i2"
//       ],
//       "fan_out": 1,
//       "min_buffer": {
//         "buffer": "reg",
//         "depth": 2
//       },
//       "reads": [
//         {
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "i0": 0,
//               "i1": 0,
//               "i2": 0
//             }
//           },
//           "value": "X"
//         },
//         {
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "i0": 0,
//               "i1": 0,
//               "i2": 0
//             }
//           },
//           "value": "W"
//         }
//       ],
//       "reduce_axes": [],
//       "tail_axes": [
//         "i0",
//         "i2"
//       ],
//       "value": "p"
//     },
//     {
//       "axes": [
//         "i0",
//         "i1"
//       ],
//       "fan_out": 1,
//       "min_buffer": {
//         "buffer": "reg",
//         "depth": 2
//       },
//       "reads": [
//         {
//           "compute_at": {
//             "distance": [
//               0,
//               0,
//               0
//             ],
//             "ok": true,
//             "repeated": []
//           },
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "i0": 0,
//               "i1": 0,
//               "i2": 0
//             }
//           },
//           "value": "p"
//         }
//       ],
//       "reduce_axes": [
//         "i2"
//       ],
//       "tail_axes": [
//         "i0",
//         "i2"
//       ],
//       "value": "s"
//     },
//     {
//       "axes": [
//         "i0",
//         "i1"
//       ],
//       "fan_out": 1,
//       "min_buffer": {
//         "buffer": "reg",
//         "depth": 2
//       },
//       "reads": [
//         {
//           "compute_at": {
//             "distance": [
//               0,
//               0
//             ],
//             "ok": true,
//             "repeated": []
//           },
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "i0": 0,
//               "i1": 0
//             }
//           },
//           "value": "s"
//         },
//         {
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "i0": 0,
//               "i1": 0
//             }
//           },
//           "value": "bias"
//         }
//       ],
//       "reduce_axes": [],
//       "tail_axes": [
//         "i0"
//       ],
//       "value": "b"
//     },
//     {
//       "axes": [
//         "i0",
//         "i1"
//       ],
//       "fan_out": 0,
//       "min_buffer": {
//         "buffer": "gmem"
//       },
//       "reads": [
//         {
//           "compute_at": {
//             "distance": [
//               0,
//               0
//             ],
//             "ok": true,
//             "repeated": []
//           },
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "i0": 0,
//               "i1": 0
//             }
//           },
//           "value": "b"
//         }
//       ],
//       "reduce_axes": [],
//       "tail_axes": [
//         "i0"
//       ],
//       "value": "y"
//     }
//   ]
// }
