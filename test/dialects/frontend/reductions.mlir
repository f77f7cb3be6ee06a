// Axes that become one element: combined, counted, or searched.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// CHECK-LABEL: @sum
// CHECK: %y = sum %x over [1] : tensor<[M], f32>
frontend.graph @sum<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = sum %x over [1]
  output %y
}

// CHECK-LABEL: @sum_of_all
// CHECK: %y = sum %x : tensor<[], f32>
frontend.graph @sum_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = sum %x
  output %y
}

// CHECK-LABEL: @sum_keeps_axes
// CHECK: %y = sum %x over [0, 2] keepdim : tensor<[1, N, 1], f32>
frontend.graph @sum_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], f32> {
  %y = sum %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @prod
// CHECK: %y = prod %x over [1] : tensor<[M], f32>
frontend.graph @prod<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = prod %x over [1]
  output %y
}

// CHECK-LABEL: @prod_of_all
// CHECK: %y = prod %x : tensor<[], f32>
frontend.graph @prod_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = prod %x
  output %y
}

// CHECK-LABEL: @prod_keeps_axes
// CHECK: %y = prod %x over [0, 2] keepdim : tensor<[1, N, 1], f32>
frontend.graph @prod_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], f32> {
  %y = prod %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @max
// CHECK: %y = max %x over [1] : tensor<[M], f32>
frontend.graph @max<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = max %x over [1]
  output %y
}

// CHECK-LABEL: @max_of_all
// CHECK: %y = max %x : tensor<[], f32>
frontend.graph @max_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = max %x
  output %y
}

// CHECK-LABEL: @max_keeps_axes
// CHECK: %y = max %x over [0, 2] keepdim : tensor<[1, N, 1], f32>
frontend.graph @max_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], f32> {
  %y = max %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @min
// CHECK: %y = min %x over [1] : tensor<[M], f32>
frontend.graph @min<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = min %x over [1]
  output %y
}

// CHECK-LABEL: @min_of_all
// CHECK: %y = min %x : tensor<[], f32>
frontend.graph @min_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = min %x
  output %y
}

// CHECK-LABEL: @min_keeps_axes
// CHECK: %y = min %x over [0, 2] keepdim : tensor<[1, N, 1], f32>
frontend.graph @min_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], f32> {
  %y = min %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @mean
// CHECK: %y = mean %x over [1] : tensor<[M], f32>
frontend.graph @mean<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = mean %x over [1]
  output %y
}

// CHECK-LABEL: @mean_of_all
// CHECK: %y = mean %x : tensor<[], f32>
frontend.graph @mean_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = mean %x
  output %y
}

// CHECK-LABEL: @mean_keeps_axes
// CHECK: %y = mean %x over [0, 2] keepdim : tensor<[1, N, 1], f32>
frontend.graph @mean_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], f32> {
  %y = mean %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @var
// CHECK: %y = var %x over [1] : tensor<[M], f32>
frontend.graph @var<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = var %x over [1]
  output %y
}

// CHECK-LABEL: @var_of_all
// CHECK: %y = var %x : tensor<[], f32>
frontend.graph @var_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = var %x
  output %y
}

// CHECK-LABEL: @var_keeps_axes
// CHECK: %y = var %x over [0, 2] keepdim : tensor<[1, N, 1], f32>
frontend.graph @var_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], f32> {
  %y = var %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @std
// CHECK: %y = std %x over [1] : tensor<[M], f32>
frontend.graph @std<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = std %x over [1]
  output %y
}

// CHECK-LABEL: @std_of_all
// CHECK: %y = std %x : tensor<[], f32>
frontend.graph @std_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = std %x
  output %y
}

// CHECK-LABEL: @std_keeps_axes
// CHECK: %y = std %x over [0, 2] keepdim : tensor<[1, N, 1], f32>
frontend.graph @std_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], f32> {
  %y = std %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @logsumexp
// CHECK: %y = logsumexp %x over [1] : tensor<[M], f32>
frontend.graph @logsumexp<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = logsumexp %x over [1]
  output %y
}

// CHECK-LABEL: @logsumexp_of_all
// CHECK: %y = logsumexp %x : tensor<[], f32>
frontend.graph @logsumexp_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = logsumexp %x
  output %y
}

// CHECK-LABEL: @logsumexp_keeps_axes
// CHECK: %y = logsumexp %x over [0, 2] keepdim : tensor<[1, N, 1], f32>
frontend.graph @logsumexp_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], f32> {
  %y = logsumexp %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @any
// CHECK: %y = any %x over [1] : tensor<[M], i1>
frontend.graph @any<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], i1> {
  %y = any %x over [1]
  output %y
}

// CHECK-LABEL: @any_of_all
// CHECK: %y = any %x : tensor<[], i1>
frontend.graph @any_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], i1> {
  %y = any %x
  output %y
}

// CHECK-LABEL: @any_keeps_axes
// CHECK: %y = any %x over [0, 2] keepdim : tensor<[1, N, 1], i1>
frontend.graph @any_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], i1> {
  %y = any %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @all
// CHECK: %y = all %x over [1] : tensor<[M], i1>
frontend.graph @all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], i1> {
  %y = all %x over [1]
  output %y
}

// CHECK-LABEL: @all_of_all
// CHECK: %y = all %x : tensor<[], i1>
frontend.graph @all_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], i1> {
  %y = all %x
  output %y
}

// CHECK-LABEL: @all_keeps_axes
// CHECK: %y = all %x over [0, 2] keepdim : tensor<[1, N, 1], i1>
frontend.graph @all_keeps_axes<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[1, N, 1], i1> {
  %y = all %x over [0, 2] keepdim
  output %y
}

// CHECK-LABEL: @sum_accumulates_in_f32
// CHECK: %y = sum %x over [1] acc f32 : tensor<[M], f32>
frontend.graph @sum_accumulates_in_f32<M, N>(%x: tensor<[M, N], f16>) -> tensor<[M], f32> {
  %y = sum %x over [1] acc f32
  output %y
}

// CHECK-LABEL: @prod_of_integers
// CHECK: %y = prod %x over [0] keepdim acc i32 : tensor<[1, N], i32>
frontend.graph @prod_of_integers<M, N>(%x: tensor<[M, N], i8>) -> tensor<[1, N], i32> {
  %y = prod %x over [0] keepdim acc i32
  output %y
}

// CHECK-LABEL: @sum_of_truth
// CHECK: %y = sum %x over [0] : tensor<[N], i1>
frontend.graph @sum_of_truth<M, N>(%x: tensor<[M, N], i1>) -> tensor<[N], i1> {
  %y = sum %x over [0]
  output %y
}

// CHECK-LABEL: @count_of_truth
// CHECK: %y = sum %x over [0] acc i32 : tensor<[N], i32>
frontend.graph @count_of_truth<M, N>(%x: tensor<[M, N], i1>) -> tensor<[N], i32> {
  %y = sum %x over [0] acc i32
  output %y
}

// CHECK-LABEL: @mean_of_integers
// CHECK: %y = mean %x over [0] : tensor<[N], f32>
frontend.graph @mean_of_integers<M, N>(%x: tensor<[M, N], i32>) -> tensor<[N], f32> {
  %y = mean %x over [0]
  output %y
}

// CHECK-LABEL: @mean_of_known_sizes
// CHECK: %y = mean %x over [1, 2] : tensor<[M], f32>
frontend.graph @mean_of_known_sizes<M>(%x: tensor<[M, 3, 4], f32>) -> tensor<[M], f32> {
  %y = mean %x over [1, 2]
  output %y
}

// CHECK-LABEL: @sum_over_nothing
// CHECK: %y = sum %x over [] : tensor<[M, N], f32>
frontend.graph @sum_over_nothing<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = sum %x over []
  output %y
}

// CHECK-LABEL: @var_without_correction
// CHECK: %y = var %x over [1] correction 0.0 : tensor<[M], f32>
frontend.graph @var_without_correction<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = var %x over [1] correction 0.0
  output %y
}

// CHECK-LABEL: @std_with_correction
// CHECK: %y = std %x over [1] keepdim correction 1.5 : tensor<[M, 1], f32>
frontend.graph @std_with_correction<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, 1], f32> {
  %y = std %x over [1] keepdim correction 1.5
  output %y
}

// CHECK-LABEL: @argmax
// CHECK: %y = argmax %x over 1 : tensor<[M], i32>
frontend.graph @argmax<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], i32> {
  %y = argmax %x over 1
  output %y
}

// CHECK-LABEL: @argmax_of_all
// CHECK: %y = argmax %x : tensor<[], i32>
frontend.graph @argmax_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], i32> {
  %y = argmax %x
  output %y
}

// CHECK-LABEL: @argmax_keeps_axes
// CHECK: %y = argmax %x over 0 keepdim : tensor<[1, N], i32>
frontend.graph @argmax_keeps_axes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[1, N], i32> {
  %y = argmax %x over 0 keepdim
  output %y
}

// CHECK-LABEL: @argmax_of_all_keeps_axes
// CHECK: %y = argmax %x keepdim : tensor<[1, 1], i32>
frontend.graph @argmax_of_all_keeps_axes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[1, 1], i32> {
  %y = argmax %x keepdim
  output %y
}

// CHECK-LABEL: @argmax_of_integers
// CHECK: %y = argmax %x over 1 : tensor<[M], i32>
frontend.graph @argmax_of_integers<M, N>(%x: tensor<[M, N], ui8>) -> tensor<[M], i32> {
  %y = argmax %x over 1
  output %y
}

// CHECK-LABEL: @argmin
// CHECK: %y = argmin %x over 1 : tensor<[M], i32>
frontend.graph @argmin<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], i32> {
  %y = argmin %x over 1
  output %y
}

// CHECK-LABEL: @argmin_of_all
// CHECK: %y = argmin %x : tensor<[], i32>
frontend.graph @argmin_of_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], i32> {
  %y = argmin %x
  output %y
}

// CHECK-LABEL: @argmin_keeps_axes
// CHECK: %y = argmin %x over 0 keepdim : tensor<[1, N], i32>
frontend.graph @argmin_keeps_axes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[1, N], i32> {
  %y = argmin %x over 0 keepdim
  output %y
}

// CHECK-LABEL: @argmin_of_all_keeps_axes
// CHECK: %y = argmin %x keepdim : tensor<[1, 1], i32>
frontend.graph @argmin_of_all_keeps_axes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[1, 1], i32> {
  %y = argmin %x keepdim
  output %y
}

// CHECK-LABEL: @argmin_of_integers
// CHECK: %y = argmin %x over 1 : tensor<[M], i32>
frontend.graph @argmin_of_integers<M, N>(%x: tensor<[M, N], ui8>) -> tensor<[M], i32> {
  %y = argmin %x over 1
  output %y
}

// CHECK-LABEL: @cumsum
// CHECK: %y = cumsum %x over 1 : tensor<[M, N, K], f32>
frontend.graph @cumsum<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[M, N, K], f32> {
  %y = cumsum %x over 1
  output %y
}

// CHECK-LABEL: @cumsum_of_integers
// CHECK: %y = cumsum %x over 0 : tensor<[N], i16>
frontend.graph @cumsum_of_integers<N>(%x: tensor<[N], i16>) -> tensor<[N], i16> {
  %y = cumsum %x over 0
  output %y
}

// CHECK-LABEL: @recurrence
// CHECK: %y = scan %a, %x over 1 : tensor<[M, N, K], f32>
frontend.graph @recurrence<M, N, K>(%a: tensor<[M, N, K], f32>, %x: tensor<[M, N, K], f32>) -> tensor<[M, N, K], f32> {
  %y = scan %a, %x over 1
  output %y
}

// Operands are broadcast, in their common type.
// CHECK-LABEL: @begun_recurrence
// CHECK: %y = scan %a, %x from %h over 1 reverse : tensor<[M, N, K], f32>
frontend.graph @begun_recurrence<M, N, K>(%a: tensor<[N, 1], f16>, %x: tensor<[M, N, K], f16>, %h: tensor<[K], f32>) -> tensor<[M, N, K], f32> {
  %y = scan %a, %x from %h over 1 reverse
  output %y
}

// CHECK-LABEL: @cumprod
// CHECK: %y = cumprod %x over 1 : tensor<[M, N, K], f32>
frontend.graph @cumprod<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[M, N, K], f32> {
  %y = cumprod %x over 1
  output %y
}

// CHECK-LABEL: @cumprod_of_integers
// CHECK: %y = cumprod %x over 0 : tensor<[N], i16>
frontend.graph @cumprod_of_integers<N>(%x: tensor<[N], i16>) -> tensor<[N], i16> {
  %y = cumprod %x over 0
  output %y
}

// CHECK-LABEL: @cummax
// CHECK: %y = cummax %x over 1 : tensor<[M, N, K], f32>
frontend.graph @cummax<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[M, N, K], f32> {
  %y = cummax %x over 1
  output %y
}

// CHECK-LABEL: @cummax_of_integers
// CHECK: %y = cummax %x over 0 : tensor<[N], i16>
frontend.graph @cummax_of_integers<N>(%x: tensor<[N], i16>) -> tensor<[N], i16> {
  %y = cummax %x over 0
  output %y
}

// CHECK-LABEL: @cummin
// CHECK: %y = cummin %x over 1 : tensor<[M, N, K], f32>
frontend.graph @cummin<M, N, K>(%x: tensor<[M, N, K], f32>) -> tensor<[M, N, K], f32> {
  %y = cummin %x over 1
  output %y
}

// CHECK-LABEL: @cummin_of_integers
// CHECK: %y = cummin %x over 0 : tensor<[N], i16>
frontend.graph @cummin_of_integers<N>(%x: tensor<[N], i16>) -> tensor<[N], i16> {
  %y = cummin %x over 0
  output %y
}

// CHECK-LABEL: @sorts
// CHECK: %y, %i = sort %x over 1 : tensor<[M, N], f16>, tensor<[M, N], i32>
// CHECK: %z, %j = sort %x over 0 descending : tensor<[M, N], f16>, tensor<[M, N], i32>
frontend.graph @sorts<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f16>, tensor<[M, N], i32>) {
  %y, %i = sort %x over 1
  %z, %j = sort %x over 0 descending
  output %y, %j
}

// CHECK-LABEL: @largest
// CHECK: %y, %i = topk %x, 2 over 1 : tensor<[M, 2], bf16>, tensor<[M, 2], i32>
// CHECK: %z, %j = topk %x, 3 over 0 smallest : tensor<[3, N], bf16>, tensor<[3, N], i32>
frontend.graph @largest<M, N>(%x: tensor<[M, N], bf16>) -> (tensor<[M, 2], bf16>, tensor<[3, N], i32>) {
  %y, %i = topk %x, 2 over 1
  %z, %j = topk %x, 3 over 0 smallest
  output %y, %j
}
