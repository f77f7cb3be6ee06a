// The program is left as it is; the report goes out next to it.

// RUN: dlc-opt %s --poly-report --output-dir=%T/out | FileCheck %s --check-prefix=SAME
// RUN: snapshot %s --name=gemm < %T/out/poly-report.gemm.json
// RUN: FileCheck %s --check-prefix=CONV --input-file=%T/out/poly-report.conv.json
// RUN: FileCheck %s --check-prefix=ATTENTION --input-file=%T/out/poly-report.attention.json
// RUN: dlc-opt %s --poly-report=tile=4 --no-output 2>&1 | FileCheck %s --check-prefix=TILE

// SAME-LABEL: book.func @gemm<
// SAME: %s = reduce sum
// SAME-NOT: poly.view

// Four rows of 4 16-bit floats are 32 bytes: no two lanes want the same bank.
// TILE: "stride_bytes": 8,
// TILE: "ways": 1

// The specification's example, section 7.1.
book.func @gemm<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen
  %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32
  %sb = entry add axes (i0: M, i1: N) of %s at (i0, i1), %bias at (i1)
  %y = entry cast axes (i0: M, i1: N) of %sb at (i0, i1) to f16
  return %y
}

// CONV: "halo": {
// CONV-NEXT: "bytes": 130,
// CONV-NEXT: "per_axis": {
// CONV-NEXT: "c": 0,
// CONV-NEXT: "h": 0,
// CONV-NEXT: "ho": 1,
// CONV: "wo": 1
// CONV: "ok": true
// CONV: "buffer": "smem_ring",
// CONV-NEXT: "depth": 3
// CONV: "name": "t"
// CONV: "sm80": "bar.sync",
// CONV-NEXT: "sm90": "mbarrier.arrive, mbarrier.try_wait",
// CONV-NEXT: "wait_for": "t"
// CONV: "buffer": "gmem"
// CONV: "name": "y"
// Stride 2: a halo of 1 along each axis that has windows. What is scaled before may be computed in the tiles.
book.func @conv<C, H, W, O, Ho, Wo>(%X: tensor<[C, H, W], f16>, %K: tensor<[O, C, 3, 3], f16>) -> tensor<[O, Ho, Wo], f32> {
  %t = entry neg axes (i0: C, i1: H, i2: W) of %X at (i0, i1, i2)
  %p = entry mul axes (i0: O, i1: Ho, i2: Wo, i3: C, i4: 3, i5: 3) of %t at (i3, 2*i1 + i4 - 1, 2*i2 + i5 - 1) where (0 <= 2*i1 + i4 - 1 < H, 0 <= 2*i2 + i5 - 1 < W), %K at (i0, i3, i4, i5) to f32 widen
  %y = reduce sum axes (i0: O, i1: Ho, i2: Wo) over (i3: C, i4: 3, i5: 3) of %p at (i0, i1, i2, i3, i4, i5) acc f32
  return %y
}

// ATTENTION: "ok": true
// ATTENTION: "buffer": "reg",
// ATTENTION: "parallel_axes": [
// ATTENTION-NEXT: "m"
// ATTENTION-NEXT: ],
// ATTENTION-NEXT: "reduce_axes": [
// ATTENTION-NEXT: "n",
// ATTENTION-NEXT: "d"
// ATTENTION: "name": "s"
// ATTENTION: "kind": "output",
// ATTENTION-NEXT: "reduction": true,
// ATTENTION-NEXT: "tensor": "top"
// ATTENTION: "name": "o"
// Two contractions with a softmax between: the keys are a parallel axis of the first and are reduced later.
book.func @attention<M, N, D>(%Q: tensor<[M, D], f16>, %K: tensor<[N, D], f16>, %V: tensor<[N, D], f16>) -> tensor<[M, D], f32> {
  %p = entry mul axes (i0: M, i1: N, i2: D) of %Q at (i0, i2), %K at (i1, i2) to f32 widen
  %s = reduce sum axes (i0: M, i1: N) over (i2: D) of %p at (i0, i1, i2) acc f32
  %top = reduce max axes (i0: M) over (i1: N) of %s at (i0, i1) acc f32
  %d = entry sub axes (i0: M, i1: N) of %s at (i0, i1), %top at (i0)
  %e = entry exp2 axes (i0: M, i1: N) of %d at (i0, i1)
  %l = reduce sum axes (i0: M) over (i1: N) of %e at (i0, i1) acc f32
  %w = entry fdiv axes (i0: M, i1: N) of %e at (i0, i1), %l at (i0)
  %v = entry cast axes (i0: N, i1: D) of %V at (i0, i1) to f32
  %q = entry mul axes (i0: M, i1: D, i2: N) of %w at (i0, i2), %v at (i2, i1) widen
  %o = reduce sum axes (i0: M, i1: D) over (i2: N) of %q at (i0, i1, i2) acc f32
  return %o
}

// EXPECT gemm:
// {
//   "analysis": {
//     "affine_closure": {
//       "ok": true
//     },
//     "compute_at": {
//       "halo": {
//         "bytes": 0,
//         "per_axis": {
//           "k": 0,
//           "m": 0,
//           "n": 0
//         }
//       },
//       "ok": true
//     },
//     "min_buffer": {
//       "buffer": "reg",
//       "depth": 2
//     },
//     "parallel_axes": [
//       "m",
//       "n"
//     ],
//     "reduce_axes": [
//       "k"
//     ],
//     "tail_axes": [
//       "m",
//       "n",
//       "k"
//     ]
//   },
//   "blocks": [
//     {
//       "analysis": {
//         "affine_closure": {
//           "ok": true
//         },
//         "bank_conflict_hints": [
//           {
//             "axis": "m",
//             "stride_bytes": 32,
//             "swizzle": true,
//             "tensor": "X",
//             "ways": 4
//           }
//         ],
//         "barrier_hints": [
//           {
//             "sm80": "cp.async.commit_group, cp.async.wait_group",
//             "sm90": "mbarrier.expect_tx, mbarrier.try_wait",
//             "wait_for": "X"
//           },
//           {
//             "sm80": "cp.async.commit_group, cp.async.wait_group",
//             "sm90": "mbarrier.expect_tx, mbarrier.try_wait",
//             "wait_for": "W"
//           }
//         ],
//         "compute_at": {
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "k": 0,
//               "m": 0,
//               "n": 0
//             }
//           },
//           "ok": true
//         },
//         "min_buffer": {
//           "buffer": "reg",
//           "depth": 2
//         },
//         "parallel_axes": [
//           "m",
//           "n"
//         ],
//         "reduce_axes": [
//           "k"
//         ],
//         "tail_axes": [
//           "m",
//           "n",
//           "k"
//         ]
//       },
//       "dependences": [
//         {
//           "carried_by": [
//             "k"
//           ],
//           "from": "s",
//           "kind": "true",
//           "reduction": true,
//           "tensor": "s"
//         },
//         {
//           "carried_by": [
//             "k"
//           ],
//           "from": "s",
//           "kind": "anti",
//           "reduction": true,
//           "tensor": "s"
//         },
//         {
//           "carried_by": [
//             "k"
//           ],
//           "from": "s",
//           "kind": "output",
//           "reduction": true,
//           "tensor": "s"
//         }
//       ],
//       "name": "s"
//     },
//     {
//       "analysis": {
//         "affine_closure": {
//           "ok": true
//         },
//         "bank_conflict_hints": [],
//         "barrier_hints": [
//           {
//             "sm80": "cp.async.commit_group, cp.async.wait_group",
//             "sm90": "mbarrier.expect_tx, mbarrier.try_wait",
//             "wait_for": "bias"
//           }
//         ],
//         "compute_at": {
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "m": 0,
//               "n": 0
//             }
//           },
//           "ok": true
//         },
//         "min_buffer": {
//           "buffer": "reg",
//           "depth": 2
//         },
//         "parallel_axes": [
//           "m",
//           "n"
//         ],
//         "reduce_axes": [],
//         "tail_axes": [
//           "m",
//           "n"
//         ]
//       },
//       "dependences": [
//         {
//           "distance": [
//             0,
//             0
//           ],
//           "from": "s",
//           "kind": "true",
//           "tensor": "s"
//         }
//       ],
//       "name": "sb"
//     },
//     {
//       "analysis": {
//         "affine_closure": {
//           "ok": true
//         },
//         "bank_conflict_hints": [],
//         "barrier_hints": [],
//         "compute_at": {
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "m": 0,
//               "n": 0
//             }
//           },
//           "ok": true
//         },
//         "min_buffer": {
//           "buffer": "gmem"
//         },
//         "parallel_axes": [
//           "m",
//           "n"
//         ],
//         "reduce_axes": [],
//         "tail_axes": [
//           "m",
//           "n"
//         ]
//       },
//       "dependences": [
//         {
//           "distance": [
//             0,
//             0
//           ],
//           "from": "sb",
//           "kind": "true",
//           "tensor": "sb"
//         }
//       ],
//       "name": "y"
//     }
//   ],
//   "excluded": [],
//   "tile": 16
// }
