// That factors of f32 may be rounded is a mark of the product, of every op that has the option.

// RUN: dlc-opt %s --lower-frontend | snapshot %s

frontend.graph @products(%x: tensor<[4, 8], f32>, %w: tensor<[8, 16], f32>, %v: tensor<[16, 8], f32>, %b: tensor<[16], f32>) -> (tensor<[4, 16], f32>, tensor<[4, 16], f32>, tensor<[4, 16], f32>) {
  %0 = gemm %x, %w bias %b tf32
  %1 = linear %x, %v tf32
  %2 = linear %x, %v
  output %0, %1, %2
}

// EXPECT:
// module {
//   tiny.func @products(%x: tensor<[4, 8], f32>, %w: tensor<[8, 16], f32>, %v: tensor<[16, 8], f32>, %b: tensor<[16], f32>) -> (tensor<[4, 16], f32>, tensor<[4, 16], f32>, tensor<[4, 16], f32>) {
//     %0 = contract %x [m, k], %w [k, n] to [m, n] {tf32} : tensor<[4, 16], f32>
//     %1 = add %0, %b : tensor<[4, 16], f32>
//     %2 = contract %x [m, k], %v [n, k] to [m, n] {tf32} : tensor<[4, 16], f32>
//     %3 = contract %x [m, k], %v [n, k] to [m, n] : tensor<[4, 16], f32>
//     return %1, %2, %3
//   }
// }
