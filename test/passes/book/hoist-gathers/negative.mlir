// RUN: dlc-opt %s -o %t.mlir
// RUN: dlc-opt %t.mlir --hoist-gathers='symbols=[N:1000000]' | cmp %t.mlir -

// A small table that is read at many points, one that is a result, one that is read within a guard, one of which an index is
// only a part of a position, and one of whose index is gathered itself.
book.func @many<N>(%x: tensor<[8, 4], f32>, %i: tensor<[N], i32>) -> tensor<[N, 4], f32> {
  %t = entry exp2 axes (i0: 8, i1: 4) of %x at (i0, i1) : tensor<[8, 4], f32>
  %y = gather non_scop axes (i0: N, i1: 4) of %t at [%i (i0), i1] : tensor<[N, 4], f32>
  return %y
}
book.func @result(%x: tensor<[8, 4], f16>, %i: tensor<[6], i32>) -> (tensor<[6, 4], f32>, tensor<[8, 4], f32>) {
  %t = entry cast axes (i0: 8, i1: 4) of %x at (i0, i1) to f32 : tensor<[8, 4], f32>
  %y = gather non_scop axes (i0: 6, i1: 4) of %t at [%i (i0), i1] : tensor<[6, 4], f32>
  return %y, %t
}
book.func @guarded(%x: tensor<[8, 4], f16>, %i: tensor<[6], i32>) -> tensor<[6, 4], f32> {
  %t = entry cast axes (i0: 9, i1: 4) of %x at (i0, i1) where (i0 < 8) to f32 : tensor<[9, 4], f32>
  %y = gather non_scop axes (i0: 6, i1: 4) of %t at [%i (i0), i1] : tensor<[6, 4], f32>
  return %y
}
book.func @part(%x: tensor<[8, 4], f16>, %i: tensor<[6], i32>) -> tensor<[6, 4], f32> {
  %t = entry cast axes (i0: 4, i1: 4) of %x at (2*i0 + 1, i1) to f32 : tensor<[4, 4], f32>
  %y = gather non_scop axes (i0: 6, i1: 4) of %t at [%i (i0), i1] : tensor<[6, 4], f32>
  return %y
}
book.func @of_index(%x: tensor<[8], f32>, %j: tensor<[8], i32>, %i: tensor<[6], i32>) -> tensor<[6], f32> {
  %0 = gather non_scop axes (i0: 8) of %x at [%j (i0)] : tensor<[8], f32>
  %t = entry exp2 axes (i0: 8) of %0 at (i0) : tensor<[8], f32>
  %y = gather non_scop axes (i0: 6) of %t at [%i (i0)] : tensor<[6], f32>
  return %y
}
