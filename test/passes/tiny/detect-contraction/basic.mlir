// RUN: dlc-opt %s --detect-contraction | FileCheck %s
// RUN: dlc-opt %s --detect-contraction --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A matrix product; the second matrix is transposed for nothing.
// CHECK-LABEL: tiny.func @matmul<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %s = contract %A [m, k], %B [k, n] to [m, n] acc f32 {widen} : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @matmul<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
  %a = reshape %A to [M, 1, K]
  %b = reshape %B to [1, K, N]
  %c = permute %b by [0, 2, 1]
  %p = mul %a, %c
  %s = reduce sum %p over [2] acc f32
  return %s
}

// The second matrix is used as it lies, and the summed axis is moved to the front first: N by K.
// CHECK-LABEL: tiny.func @transposed<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %s = contract %A [m, k], %B [n, k] to [m, n] acc f32 {widen} : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @transposed<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f32> {
  %a = reshape %A to [M, 1, K]
  %p = mul %a, %B
  %c = cast %p to f32
  %q = permute %c by [2, 0, 1]
  %s = reduce sum %q over [0]
  return %s
}

// Both have batches.
// CHECK-LABEL: tiny.func @batched<G, M, N, K>(%A: tensor<[G, M, K], f32>, %B: tensor<[G, K, N], f32>) -> tensor<[G, M, N], f32> {
// CHECK-NEXT:    %s = contract %A [b, m, k], %B [b, k, n] to [b, m, n] {widen} : tensor<[G, M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @batched<G, M, N, K>(%A: tensor<[G, M, K], f32>, %B: tensor<[G, K, N], f32>) -> tensor<[G, M, N], f32> {
  %a = reshape %A to [G, M, K, 1]
  %b = reshape %B to [G, 1, K, N]
  %p = mul %a, %b
  %s = reduce sum %p over [2]
  return %s
}

// One matrix for all batches.
// CHECK-LABEL: tiny.func @batch_of_one_side(%A: tensor<[3, 4, 33, 16], f16>, %B: tensor<[16, 21], f16>) -> tensor<[3, 4, 33, 21], f32> {
// CHECK-NEXT:    %s = contract %A [m0, m1, m2, k], %B [k, n] to [m0, m1, m2, n] acc f32 {widen} : tensor<[3, 4, 33, 21], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @batch_of_one_side(%A: tensor<[3, 4, 33, 16], f16>, %B: tensor<[16, 21], f16>) -> tensor<[3, 4, 33, 21], f32> {
  %a = reshape %A to [3, 4, 33, 1, 16]
  %b = permute %B by [1, 0]
  %p = mul %a, %b
  %s = reduce sum %p over [4] acc f32
  return %s
}

// A batch of one in the first operand serves all of the second.
// CHECK-LABEL: tiny.func @batch_of_size_one<B, M, N, K>(%A: tensor<[1, M, K], f16>, %B: tensor<[B, K, N], f16>) -> tensor<[B, M, N], f32> {
// CHECK-NEXT:    %s = contract %A [0, m, k], %B [n0, k, n1] to [n0, m, n1] acc f32 {widen} : tensor<[B, M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @batch_of_size_one<B, M, N, K>(%A: tensor<[1, M, K], f16>, %B: tensor<[B, K, N], f16>) -> tensor<[B, M, N], f32> {
  %a = reshape %A to [1, M, 1, K]
  %b = permute %B by [0, 2, 1]
  %c = reshape %b to [B, 1, N, K]
  %p = mul %a, %c
  %s = reduce sum %p over [3] acc f32
  return %s
}

// Every pair of two vectors is multiplied: a sum over one element.
// CHECK-LABEL: tiny.func @outer_product<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[1, N], f32>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %s = contract %x [m, 0], %y [0, n] to [m, n] {widen} : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @outer_product<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[1, N], f32>) -> tensor<[M, N], f32> {
  %a = reshape %x to [M, 1, 1]
  %b = reshape %y to [1, N, 1]
  %p = mul %a, %b
  %s = reduce sum %p over [2]
  return %s
}

// Nothing is left but the sum.
// CHECK-LABEL: tiny.func @dot_product<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> tensor<[], f32> {
// CHECK-NEXT:    %s = contract %x [k], %y [k] to [] {widen} : tensor<[], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @dot_product<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> tensor<[], f32> {
  %p = mul %x, %y
  %s = reduce sum %p over [0]
  return %s
}

// The operands become f32 before they are multiplied, which loses nothing, and no product is rounded: no mark.
// CHECK-LABEL: tiny.func @exact_products<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %s = contract %A [m, k], %B [n, k] to [m, n] acc f32 : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @exact_products<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f32> {
  %a = cast %A to f32
  %b = cast %B to f32
  %c = reshape %a to [M, 1, K]
  %p = mul %c, %b
  %s = reduce sum %p over [2]
  return %s
}

// Integers that wrap are the same in any order.
// CHECK-LABEL: tiny.func @integers<M, N, K>(%A: tensor<[M, K], i8>, %B: tensor<[N, K], i8>) -> tensor<[M, N], i32> {
// CHECK-NEXT:    %s = contract %A [m, k], %B [n, k] to [m, n] acc i32 : tensor<[M, N], i32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @integers<M, N, K>(%A: tensor<[M, K], i8>, %B: tensor<[N, K], i8>) -> tensor<[M, N], i32> {
  %a = cast %A to i32
  %b = cast %B to i32
  %c = reshape %a to [M, 1, K]
  %p = mul %c, %b
  %s = reduce sum %p over [2]
  return %s
}

// Four query heads share a head of keys: the axis of heads is split in two for both.
// CHECK-LABEL: tiny.func @grouped_queries(%Q: tensor<[1, 8, 24, 16], f16>, %K: tensor<[1, 2, 24, 16], f16>) -> tensor<[1, 8, 24, 24], f32> {
// CHECK-NEXT:    %0 = reshape %Q to [1, 2, 4, 24, 16] : tensor<[1, 2, 4, 24, 16], f16>
// CHECK-NEXT:    %1 = contract %0 [b0, b1, m0, m1, k], %K [b0, b1, n, k] to [b0, b1, m0, m1, n] acc f32 {widen} : tensor<[1, 2, 4, 24, 24], f32>
// CHECK-NEXT:    %s = reshape %1 to [1, 8, 24, 24] : tensor<[1, 8, 24, 24], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @grouped_queries(%Q: tensor<[1, 8, 24, 16], f16>, %K: tensor<[1, 2, 24, 16], f16>) -> tensor<[1, 8, 24, 24], f32> {
  %q = reshape %Q to [1, 8, 24, 1, 16]
  %k1 = expand %K to [4, 1, 2, 24, 16] dims [1, 2, 3, 4]
  %k2 = permute %k1 by [1, 2, 0, 3, 4]
  %k3 = reshape %k2 to [1, 8, 1, 24, 16]
  %p = mul %q, %k3
  %s = reduce sum %p over [4] acc f32
  return %s
}

// The same for any number of heads.
// CHECK-LABEL: tiny.func @grouped_queries_of_any_number<B, G, R, S, D>(%Q: tensor<[B, G*R, S, D], f16>, %K: tensor<[B, G, S, D], f16>) -> tensor<[B, G*R, S, S], f32> {
// CHECK-NEXT:    %0 = reshape %Q to [B, G, R, S, D] : tensor<[B, G, R, S, D], f16>
// CHECK-NEXT:    %1 = contract %0 [b0, b1, m0, m1, k], %K [b0, b1, n, k] to [b0, b1, m0, m1, n] acc f32 {widen} : tensor<[B, G, R, S, S], f32>
// CHECK-NEXT:    %s = reshape %1 to [B, G*R, S, S] : tensor<[B, G*R, S, S], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @grouped_queries_of_any_number<B, G, R, S, D>(%Q: tensor<[B, G*R, S, D], f16>, %K: tensor<[B, G, S, D], f16>) -> tensor<[B, G*R, S, S], f32> {
  %q = reshape %Q to [B, G*R, S, 1, D]
  %k1 = expand %K to [B, G, R, S, D] dims [0, 1, 3, 4]
  %k2 = reshape %k1 to [B, G*R, 1, S, D]
  %p = mul %q, %k2
  %s = reduce sum %p over [4] acc f32
  return %s
}

// The heads come out of one matrix, each its own part: the parts are read, not the matrix.
// CHECK-LABEL: tiny.func @heads_of_a_projection<B, S>(%x: tensor<[B, S, 96], f16>) -> tensor<[B, 4, S, S], f32> {
// CHECK-NEXT:    %q1 = shrink %x from [0, 0, 0] to [B, S, 32] : tensor<[B, S, 32], f16>
// CHECK-NEXT:    %q2 = reshape %q1 to [B, S, 4, 8] : tensor<[B, S, 4, 8], f16>
// CHECK-NEXT:    %k1 = shrink %x from [0, 0, 32] to [B, S, 64] : tensor<[B, S, 32], f16>
// CHECK-NEXT:    %k2 = reshape %k1 to [B, S, 4, 8] : tensor<[B, S, 4, 8], f16>
// CHECK-NEXT:    %s = contract %q2 [b0, m, b1, k], %k2 [b0, n, b1, k] to [b0, b1, m, n] acc f32 {widen} : tensor<[B, 4, S, S], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @heads_of_a_projection<B, S>(%x: tensor<[B, S, 96], f16>) -> tensor<[B, 4, S, S], f32> {
  %q1 = shrink %x from [0, 0, 0] to [B, S, 32]
  %q2 = reshape %q1 to [B, S, 4, 8]
  %q3 = permute %q2 by [0, 2, 1, 3]
  %q4 = reshape %q3 to [B, 4, S, 1, 8]
  %k1 = shrink %x from [0, 0, 32] to [B, S, 64]
  %k2 = reshape %k1 to [B, S, 4, 8]
  %k3 = permute %k2 by [0, 2, 1, 3]
  %k4 = reshape %k3 to [B, 4, 1, S, 8]
  %p = mul %q4, %k4
  %s = reduce sum %p over [4] acc f32
  return %s
}

// An axis of the result on which nothing depends.
// CHECK-LABEL: tiny.func @repeated_result<M, N, K, R>(%A: tensor<[M, K], f32>, %B: tensor<[N, K], f32>) -> tensor<[M, R, N], f32> {
// CHECK-NEXT:    %0 = contract %A [m, k], %B [n, k] to [m, n] {widen} : tensor<[M, N], f32>
// CHECK-NEXT:    %s = expand %0 to [M, R, N] dims [0, 2] : tensor<[M, R, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @repeated_result<M, N, K, R>(%A: tensor<[M, K], f32>, %B: tensor<[N, K], f32>) -> tensor<[M, R, N], f32> {
  %a = expand %A to [M, R, N, K] dims [0, 3]
  %p = mul %a, %B
  %s = reduce sum %p over [3]
  return %s
}

// The product is used elsewhere too, so it stays.
// REMARK: the contraction [k], [k] to []{{.*}}; the products stay, as they are used elsewhere too
// CHECK-LABEL: tiny.func @used_elsewhere<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> (tensor<[], f32>, tensor<[K], f32>) {
// CHECK-NEXT:    %p = mul %x, %y : tensor<[K], f32>
// CHECK-NEXT:    %s = contract %x [k], %y [k] to [] {widen} : tensor<[], f32>
// CHECK-NEXT:    return %s, %p
// CHECK-NEXT:  }
tiny.func @used_elsewhere<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> (tensor<[], f32>, tensor<[K], f32>) {
  %p = mul %x, %y
  %s = reduce sum %p over [0]
  return %s, %p
}

// Of three factors the first two are multiplied as they were.
// CHECK-LABEL: tiny.func @three_factors<M, N, K>(%A: tensor<[M, K], f32>, %B: tensor<[N, K], f32>, %w: tensor<[K], f32>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %v = mul %A, %w : tensor<[M, K], f32>
// CHECK-NEXT:    %s = contract %v [m, k], %B [n, k] to [m, n] {widen} : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @three_factors<M, N, K>(%A: tensor<[M, K], f32>, %B: tensor<[N, K], f32>, %w: tensor<[K], f32>) -> tensor<[M, N], f32> {
  %v = mul %A, %w
  %a = reshape %v to [M, 1, K]
  %p = mul %a, %B
  %s = reduce sum %p over [2]
  return %s
}

// No rows, no columns, nothing to sum.
// CHECK-LABEL: tiny.func @no_elements(%A: tensor<[0, 5], f32>, %B: tensor<[7, 5], f32>, %C: tensor<[4, 0], f32>) -> (tensor<[0, 7], f32>, tensor<[4], f32>) {
// CHECK-NEXT:    %s = contract %A [m, k], %B [n, k] to [m, n] {widen} : tensor<[0, 7], f32>
// CHECK-NEXT:    %d = expand %C to [4, 0] : tensor<[4, 0], f32>
// CHECK-NEXT:    %e = flip %d over [0] : tensor<[4, 0], f32>
// CHECK-NEXT:    %t = contract %e [b, k], %C [b, k] to [b] {widen} : tensor<[4], f32>
// CHECK-NEXT:    return %s, %t
// CHECK-NEXT:  }
tiny.func @no_elements(%A: tensor<[0, 5], f32>, %B: tensor<[7, 5], f32>, %C: tensor<[4, 0], f32>) -> (tensor<[0, 7], f32>, tensor<[4], f32>) {
  %a = reshape %A to [0, 1, 5]
  %p = mul %a, %B
  %s = reduce sum %p over [2]
  %d = expand %C to [4, 0]
  %e = flip %d over [0]
  %q = mul %e, %C
  %t = reduce sum %q over [1]
  return %s, %t
}
