// What may not be computed where it is read, what is not affine, and axes of one name and two sizes.

// RUN: dlc-opt %s --poly-report --output-dir=%T/out --no-output
// RUN: snapshot %s --name=nothing < %T/out/poly-report.nothing.json
// RUN: snapshot %s --name=refused < %T/out/poly-report.refused.json

book.func @nothing<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  return %x
}

// Windows over sums would sum again, a gather reads anywhere, and the halo of a diagonal is not known.
book.func @refused<B, V>(%ids: tensor<[B], i32>, %W: tensor<[V, 64], f32>) -> tensor<[B], f32> {
  %e = gather non_scop axes (i0: B, i1: 64) of %W at [%ids (i0), i1]
  %s = reduce sum axes (i0: B) over (i1: 64) of %e at (i0, i1) acc f32
  %m = reduce max axes (i0: B) over (i1: 3) of %s at (i0 + i1 - 1) where (0 <= i0 + i1 - 1 < B) else -inf acc f32
  %d = entry add axes (i0: B, i1: B) of %m at (i0), %m at (i1)
  %y = reduce sum axes (i0: B) over (i1: B) of %d at (i0, i1) acc f32
  return %y
}

// EXPECT nothing:
// {
//   "analysis": {
//     "affine_closure": {
//       "ok": true
//     },
//     "compute_at": {
//       "halo": {
//         "bytes": 0,
//         "per_axis": {}
//       },
//       "ok": true
//     },
//     "min_buffer": {
//       "buffer": "reg",
//       "depth": 2
//     },
//     "parallel_axes": [],
//     "reduce_axes": [],
//     "tail_axes": []
//   },
//   "blocks": [],
//   "excluded": [],
//   "tile": 16
// }

// EXPECT refused:
// {
//   "analysis": {
//     "affine_closure": {
//       "ok": false,
//       "why": "'e' is not affine: its positions are elements of 'ids'"
//     },
//     "compute_at": {
//       "halo": null,
//       "ok": false,
//       "why": "e: non_scop"
//     },
//     "min_buffer": {
//       "buffer": "gmem"
//     },
//     "parallel_axes": [
//       "b"
//     ],
//     "reduce_axes": [
//       "i1",
//       "m.i1",
//       "b1"
//     ],
//     "tail_axes": [
//       "b",
//       "b1"
//     ]
//   },
//   "blocks": [
//     {
//       "analysis": {
//         "affine_closure": {
//           "ok": false,
//           "why": "'e' is not affine: its positions are elements of 'ids'"
//         },
//         "bank_conflict_hints": [],
//         "barrier_hints": [],
//         "compute_at": {
//           "halo": {
//             "bytes": 0,
//             "per_axis": {
//               "b": 0,
//               "i1": 0
//             }
//           },
//           "ok": false,
//           "why": "e: non_scop"
//         },
//         "min_buffer": {
//           "buffer": "smem_ring",
//           "depth": 3
//         },
//         "parallel_axes": [
//           "b"
//         ],
//         "reduce_axes": [
//           "i1"
//         ],
//         "tail_axes": [
//           "b"
//         ]
//       },
//       "dependences": [
//         {
//           "carried_by": [
//             "i1"
//           ],
//           "from": "s",
//           "kind": "true",
//           "reduction": true,
//           "tensor": "s"
//         },
//         {
//           "carried_by": [
//             "i1"
//           ],
//           "from": "s",
//           "kind": "anti",
//           "reduction": true,
//           "tensor": "s"
//         },
//         {
//           "carried_by": [
//             "i1"
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
//             "sm80": "bar.sync",
//             "sm90": "mbarrier.arrive, mbarrier.try_wait",
//             "wait_for": "s"
//           }
//         ],
//         "compute_at": {
//           "halo": {
//             "bytes": 8,
//             "per_axis": {
//               "b": 2,
//               "i1": 0
//             }
//           },
//           "ok": false,
//           "why": "s: halo"
//         },
//         "min_buffer": {
//           "buffer": "gmem"
//         },
//         "parallel_axes": [
//           "b"
//         ],
//         "reduce_axes": [
//           "i1"
//         ],
//         "tail_axes": [
//           "b"
//         ]
//       },
//       "dependences": [
//         {
//           "distance": [
//             null
//           ],
//           "from": "s",
//           "kind": "true",
//           "tensor": "s"
//         },
//         {
//           "carried_by": [
//             "i1"
//           ],
//           "from": "m",
//           "kind": "true",
//           "reduction": true,
//           "tensor": "m"
//         },
//         {
//           "carried_by": [
//             "i1"
//           ],
//           "from": "m",
//           "kind": "anti",
//           "reduction": true,
//           "tensor": "m"
//         },
//         {
//           "carried_by": [
//             "i1"
//           ],
//           "from": "m",
//           "kind": "output",
//           "reduction": true,
//           "tensor": "m"
//         }
//       ],
//       "name": "m"
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
//             "wait_for": "m"
//           }
//         ],
//         "compute_at": {
//           "halo": null,
//           "ok": false,
//           "why": "m: unknown"
//         },
//         "min_buffer": {
//           "buffer": "reg",
//           "depth": 2
//         },
//         "parallel_axes": [
//           "b",
//           "b1"
//         ],
//         "reduce_axes": [],
//         "tail_axes": [
//           "b",
//           "b1"
//         ]
//       },
//       "dependences": [
//         {
//           "distance": [
//             0
//           ],
//           "from": "m",
//           "kind": "true",
//           "tensor": "m"
//         }
//       ],
//       "name": "d"
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
//               "b": 0,
//               "b1": 0
//             }
//           },
//           "ok": true
//         },
//         "min_buffer": {
//           "buffer": "gmem"
//         },
//         "parallel_axes": [
//           "b"
//         ],
//         "reduce_axes": [
//           "b1"
//         ],
//         "tail_axes": [
//           "b",
//           "b1"
//         ]
//       },
//       "dependences": [
//         {
//           "distance": [
//             0,
//             0
//           ],
//           "from": "d",
//           "kind": "true",
//           "tensor": "d"
//         },
//         {
//           "carried_by": [
//             "b1"
//           ],
//           "from": "y",
//           "kind": "true",
//           "reduction": true,
//           "tensor": "y"
//         },
//         {
//           "carried_by": [
//             "b1"
//           ],
//           "from": "y",
//           "kind": "anti",
//           "reduction": true,
//           "tensor": "y"
//         },
//         {
//           "carried_by": [
//             "b1"
//           ],
//           "from": "y",
//           "kind": "output",
//           "reduction": true,
//           "tensor": "y"
//         }
//       ],
//       "name": "y"
//     }
//   ],
//   "excluded": [
//     {
//       "value": "e",
//       "why": "its positions are elements of 'ids'"
//     }
//   ],
//   "tile": 16
// }
