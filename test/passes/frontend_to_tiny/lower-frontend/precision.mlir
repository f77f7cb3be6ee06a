// That factors of f32 may be rounded is a mark of the product, of every op that has the option.

// RUN: dlc-opt %s --lower-frontend | snapshot %s

frontend.graph @products(%x: tensor<[4, 8], f32>, %w: tensor<[8, 16], f32>, %v: tensor<[16, 8], f32>, %b: tensor<[16], f32>) -> (tensor<[4, 16], f32>, tensor<[4, 16], f32>, tensor<[4, 16], f32>) {
  %p = gemm %x, %w bias %b tf32
  %q = linear %x, %v tf32
  %r = linear %x, %v
  output %p, %q, %r
}

// EXPECT:
// module {
//   tiny.func @products(%x: tensor<[4, 8], f32>, %w: tensor<[8, 16], f32>, %v: tensor<[16, 8], f32>, %b: tensor<[16], f32>) -> (tensor<[4, 16], f32>, tensor<[4, 16], f32>, tensor<[4, 16], f32>) {
//     %0 = contract %x [m, k], %w [k, n] to [m, n] {tf32} : tensor<[4, 16], f32>
//     %p = add %0, %b : tensor<[4, 16], f32>
//     %q = contract %x [m, k], %v [n, k] to [m, n] {tf32} : tensor<[4, 16], f32>
//     %r = contract %x [m, k], %v [n, k] to [m, n] : tensor<[4, 16], f32>
//     return %p, %q, %r
//   }
// }
