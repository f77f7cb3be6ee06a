// RUN: dlc-opt %s --recognize-iota | FileCheck %s

// The sum over the triangle of ones counts positions: from one on.
// CHECK-LABEL: tiny.func @positions() -> tensor<[4], i32> {
// CHECK-NEXT:      %0 = range 0 : tensor<[4], i32>
// CHECK-NEXT:      %1 = const 1 : tensor<[], i32>
// CHECK-NEXT:      %count = add %0, %1 : tensor<[4], i32>
// CHECK-NEXT:      return %count
// CHECK-NEXT:    }
tiny.func @positions() -> tensor<[4], i32> {
  %one = const 1 : tensor<[4], i32>
  %padded = pad %one low [3] high [0]
  %rows = expand %padded to [5, 7] dims [1]
  %line = reshape %rows to [35]
  %cut = shrink %line from [0] to [32]
  %skewed = reshape %cut to [4, 8]
  %triangle = shrink %skewed from [0, 0] to [4, 4]
  %count = reduce sum %triangle over [1]
  return %count
}

// The same for any size, and less by one, so that it starts at zero: a range and nothing else.
// CHECK-LABEL: tiny.func @positions_of_any_size<N>(%x: tensor<[N], f32>) -> tensor<[N], i32> {
// CHECK-NEXT:      %position = range 0 : tensor<[N], i32>
// CHECK-NEXT:      return %position
// CHECK-NEXT:    }
tiny.func @positions_of_any_size<N>(%x: tensor<[N], f32>) -> tensor<[N], i32> {
  %one = const 1 : tensor<[], i32>
  %ones = expand %one to [N] dims []
  %padded = pad %ones low [N - 1] high [0]
  %rows = expand %padded to [N + 1, 2*N - 1] dims [1]
  %line = reshape %rows to [2*N*N + N - 1]
  %cut = shrink %line from [0] to [2*N*N]
  %skewed = reshape %cut to [N, 2*N]
  %triangle = shrink %skewed from [0, 0] to [N, N]
  %turned = permute %triangle by [1, 0]
  %count = reduce sum %turned over [0]
  %less = const -1 : tensor<[], i32>
  %position = add %count, %less
  return %position
}

// Many positions are counted in blocks: within a block, and all blocks before it.
// CHECK-LABEL: tiny.func @positions_in_blocks() -> tensor<[1000], i32> {
// CHECK-NEXT:      %v18 = range 0 : tensor<[1000], i32>
// CHECK-NEXT:      return %v18
// CHECK-NEXT:    }
tiny.func @positions_in_blocks() -> tensor<[1000], i32> {
  %v0 = const 1 : tensor<[], i32>
  %v1 = reshape %v0 to [1] : tensor<[1], i32>
  %v2 = reshape %v1 to [] : tensor<[], i32>
  %v3 = expand %v2 to [1000] dims [] : tensor<[1000], i32>
  %v4 = pad %v3 low [999] high [0] : tensor<[1999], i32>
  %v5 = reshape %v4 to [1, 1999] : tensor<[1, 1999], i32>
  %v6 = reshape %v5 to [1999] : tensor<[1999], i32>
  %v7 = expand %v6 to [1001, 1999] dims [1] : tensor<[1001, 1999], i32>
  %v8 = reshape %v7 to [2000999] : tensor<[2000999], i32>
  %v9 = shrink %v8 from [0] to [2000000] : tensor<[2000000], i32>
  %v10 = reshape %v9 to [1000, 2000] : tensor<[1000, 2000], i32>
  %v11 = shrink %v10 from [0, 0] to [1000, 1000] : tensor<[1000, 1000], i32>
  %v12 = reshape %v11 to [1000, 1000, 1] : tensor<[1000, 1000, 1], i32>
  %v13 = reshape %v12 to [1000, 1000] : tensor<[1000, 1000], i32>
  %v14 = permute %v13 by [1, 0] : tensor<[1000, 1000], i32>
  %v15 = permute %v14 by [1, 0] : tensor<[1000, 1000], i32>
  %v16 = reduce sum %v15 over [0] : tensor<[1000], i32>
  %v17 = const -1 : tensor<[], i32>
  %v18 = add %v16, %v17 : tensor<[1000], i32>
  return %v18
}

// Steps, starts and transposed axes are factors and offsets.
// CHECK-LABEL: tiny.func @steps() -> tensor<[4], i64> {
// CHECK-NEXT:      %0 = const 13 : tensor<[], i64>
// CHECK-NEXT:      %1 = range 0 : tensor<[4], i64>
// CHECK-NEXT:      %2 = const 2 : tensor<[], i64>
// CHECK-NEXT:      %3 = mul %1, %2 : tensor<[4], i64>
// CHECK-NEXT:      %y = sub %0, %3 : tensor<[4], i64>
// CHECK-NEXT:      return %y
// CHECK-NEXT:    }
tiny.func @steps() -> tensor<[4], i64> {
  %two = const 2 : tensor<[4], i64>
  %padded = pad %two low [3] high [0]
  %rows = expand %padded to [5, 7] dims [1]
  %line = reshape %rows to [35]
  %cut = shrink %line from [0] to [32]
  %skewed = reshape %cut to [4, 8]
  %triangle = shrink %skewed from [0, 0] to [4, 4]
  %turned = flip %triangle over [0]
  %count = reduce sum %turned over [1]
  %five = const 5 : tensor<[], i64>
  %y = add %count, %five
  return %y
}

// Two counts compared are two positions compared; what is chosen by that stays a choice.
// CHECK-LABEL: tiny.func @causal_mask(%x: tensor<[2, 24, 24], f32>) -> tensor<[2, 24, 24], f32> {
// CHECK-NEXT:      %0 = range 0 : tensor<[24], i32>
// CHECK-NEXT:      %1 = range 0 : tensor<[24, 1], i32>
// CHECK-NEXT:      %2 = cmp le %0, %1 : tensor<[24, 24], i1>
// CHECK-NEXT:      %3 = const 0.000000e+00 : tensor<[], f32>
// CHECK-NEXT:      %4 = const 0xFF800000 : tensor<[], f32>
// CHECK-NEXT:      %5 = where %2, %3, %4 : tensor<[24, 24], f32>
// CHECK-NEXT:      %bias = expand %5 to [2, 24, 24] dims [1, 2] : tensor<[2, 24, 24], f32>
// CHECK-NEXT:      %y = add %x, %bias : tensor<[2, 24, 24], f32>
// CHECK-NEXT:      return %y
// CHECK-NEXT:    }
tiny.func @causal_mask(%x: tensor<[2, 24, 24], f32>) -> tensor<[2, 24, 24], f32> {
  %one = const 1 : tensor<[], i32>
  %ones = expand %one to [24] dims []
  %padded = pad %ones low [23] high [0]
  %rows = expand %padded to [25, 47] dims [1]
  %line = reshape %rows to [1175]
  %cut = shrink %line from [0] to [1152]
  %skewed = reshape %cut to [24, 48]
  %triangle = shrink %skewed from [0, 0] to [24, 24]
  %count = reduce sum %triangle over [1]
  %less = const -1 : tensor<[], i32>
  %column = add %count, %less
  %row = reshape %column to [24, 1]
  %next = add %row, %one
  %below = cmp lt %column, %next
  %true = const 1 : tensor<[], i1>
  %above = cmp ne %below, %true
  %no = const 0 : tensor<[2, 24, 24], i1>
  %yes = const 1 : tensor<[2, 24, 24], i1>
  %mask = where %above, %no, %yes
  %zero = const 0.0 : tensor<[], f32>
  %infinite = const 0xFF800000 : tensor<[], f32>
  %bias = where %mask, %zero, %infinite
  %y = add %x, %bias
  return %y
}

// Of any size the numbers may be too large for i32, and then wrap around: the ranges do the same, and are compared.
// CHECK-LABEL: tiny.func @causal_mask_of_any_size<N>(%x: tensor<[N, N], f32>) -> tensor<[N, N], i1> {
// CHECK-NEXT:      %0 = range 0 : tensor<[N], i32>
// CHECK-NEXT:      %1 = const 1 : tensor<[], i32>
// CHECK-NEXT:      %column = add %0, %1 : tensor<[N], i32>
// CHECK-NEXT:      %row = reshape %column to [N, 1] : tensor<[N, 1], i32>
// CHECK-NEXT:      %mask = cmp lt %column, %row : tensor<[N, N], i1>
// CHECK-NEXT:      return %mask
// CHECK-NEXT:    }
tiny.func @causal_mask_of_any_size<N>(%x: tensor<[N, N], f32>) -> tensor<[N, N], i1> {
  %ones = const 1 : tensor<[N], i32>
  %padded = pad %ones low [N - 1] high [0]
  %rows = expand %padded to [N + 1, 2*N - 1] dims [1]
  %line = reshape %rows to [2*N*N + N - 1]
  %cut = shrink %line from [0] to [2*N*N]
  %skewed = reshape %cut to [N, 2*N]
  %triangle = shrink %skewed from [0, 0] to [N, N]
  %column = reduce sum %triangle over [1]
  %row = reshape %column to [N, 1]
  %mask = cmp lt %column, %row
  return %mask
}

// Windows over a padded axis count less at its ends.
// CHECK-LABEL: tiny.func @window_counts() -> tensor<[8], f32> {
// CHECK-NEXT:      %0 = const 3 : tensor<[], i32>
// CHECK-NEXT:      %1 = range 0 : tensor<[8], i32>
// CHECK-NEXT:      %2 = const 2 : tensor<[], i32>
// CHECK-NEXT:      %3 = add %1, %2 : tensor<[8], i32>
// CHECK-NEXT:      %4 = min %0, %3 : tensor<[8], i32>
// CHECK-NEXT:      %5 = const 9 : tensor<[], i32>
// CHECK-NEXT:      %6 = sub %5, %1 : tensor<[8], i32>
// CHECK-NEXT:      %7 = min %4, %6 : tensor<[8], i32>
// CHECK-NEXT:      %count = cast %7 to f32 : tensor<[8], f32>
// CHECK-NEXT:      return %count
// CHECK-NEXT:    }
tiny.func @window_counts() -> tensor<[8], f32> {
  %one = const 1.0 : tensor<[8], f32>
  %padded = pad %one low [1] high [1]
  %rows = expand %padded to [4, 10] dims [1]
  %line = reshape %rows to [40]
  %cut = shrink %line from [0] to [33]
  %skewed = reshape %cut to [3, 11]
  %windows = shrink %skewed from [0, 0] to [3, 8]
  %count = reduce sum %windows over [0]
  return %count
}

// Two axes at once: the product of both counts.
// CHECK-LABEL: tiny.func @two_axes() -> tensor<[4, 4], i32> {
// CHECK-NEXT:      %0 = const 4 : tensor<[], i32>
// CHECK-NEXT:      %1 = range 0 : tensor<[4], i32>
// CHECK-NEXT:      %2 = sub %0, %1 : tensor<[4], i32>
// CHECK-NEXT:      %3 = range 0 : tensor<[4, 1], i32>
// CHECK-NEXT:      %4 = const 1 : tensor<[], i32>
// CHECK-NEXT:      %5 = add %3, %4 : tensor<[4, 1], i32>
// CHECK-NEXT:      %count = mul %2, %5 : tensor<[4, 4], i32>
// CHECK-NEXT:      return %count
// CHECK-NEXT:    }
tiny.func @two_axes() -> tensor<[4, 4], i32> {
  %one = const 1 : tensor<[4], i32>
  %padded = pad %one low [3] high [0]
  %rows = expand %padded to [5, 7] dims [1]
  %line = reshape %rows to [35]
  %cut = shrink %line from [0] to [32]
  %skewed = reshape %cut to [4, 8]
  %triangle = shrink %skewed from [0, 0] to [4, 4]
  %a = reshape %triangle to [4, 4, 1, 1]
  %b = flip %triangle over [0]
  %both = mul %a, %b
  %count = reduce sum %both over [1, 3]
  return %count
}

// Whether any, and whether all elements hold, are bounds of the other axis.
// CHECK-LABEL: tiny.func @any_and_all() -> (tensor<[8], i1>, tensor<[8], i32>, tensor<[8], i1>) {
// CHECK-NEXT:      %0 = range 0 : tensor<[8], i32>
// CHECK-NEXT:      %1 = const 2 : tensor<[], i32>
// CHECK-NEXT:      %2 = cmp ge %0, %1 : tensor<[8], i1>
// CHECK-NEXT:      %3 = const 6 : tensor<[], i32>
// CHECK-NEXT:      %4 = cmp le %0, %3 : tensor<[8], i1>
// CHECK-NEXT:      %5 = and %2, %4 : tensor<[8], i1>
// CHECK-NEXT:      %any = cast %5 to i32 : tensor<[8], i32>
// CHECK-NEXT:      %6 = range 0 : tensor<[8], i32>
// CHECK-NEXT:      %7 = const 2 : tensor<[], i32>
// CHECK-NEXT:      %8 = cmp ge %6, %7 : tensor<[8], i1>
// CHECK-NEXT:      %9 = const 6 : tensor<[], i32>
// CHECK-NEXT:      %10 = cmp le %6, %9 : tensor<[8], i1>
// CHECK-NEXT:      %some = and %8, %10 : tensor<[8], i1>
// CHECK-NEXT:      %11 = const 0 : tensor<[], i1>
// CHECK-NEXT:      %holds = expand %11 to [8] dims [] : tensor<[8], i1>
// CHECK-NEXT:      return %some, %any, %holds
// CHECK-NEXT:    }
tiny.func @any_and_all() -> (tensor<[8], i1>, tensor<[8], i32>, tensor<[8], i1>) {
  %one = const 1 : tensor<[5, 3], i32>
  %padded = pad %one low [2, 0] high [1, 1]
  %any = reduce max %padded over [1]
  %all = reduce min %padded over [1]
  %true = const 1 : tensor<[5, 3], i1>
  %around = pad %true low [2, 0] high [1, 1]
  %some = reduce sum %around over [1]
  %zero = const 0 : tensor<[], i32>
  %holds = cmp ne %all, %zero
  return %some, %any, %holds
}

// A number that symbols give is the position that follows all others.
// CHECK-LABEL: tiny.func @number_of_elements<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], i64> {
// CHECK-NEXT:      %0 = range 0 : tensor<[M*N + 1], i64>
// CHECK-NEXT:      %1 = shrink %0 from [M*N] to [M*N + 1] : tensor<[1], i64>
// CHECK-NEXT:      %count = reshape %1 to [] : tensor<[], i64>
// CHECK-NEXT:      return %count
// CHECK-NEXT:    }
tiny.func @number_of_elements<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], i64> {
  %one = const 1 : tensor<[M, N], i64>
  %count = reduce sum %one over [0, 1]
  return %count
}

// A mask of many views and no reduction becomes one comparison.
// CHECK-LABEL: tiny.func @band() -> tensor<[4, 4], i1> {
// CHECK-NEXT:      %0 = range 0 : tensor<[4], i32>
// CHECK-NEXT:      %1 = range 0 : tensor<[4, 1], i32>
// CHECK-NEXT:      %2 = cmp le %0, %1 : tensor<[4, 4], i1>
// CHECK-NEXT:      %3 = const 1 : tensor<[], i32>
// CHECK-NEXT:      %4 = add %0, %3 : tensor<[4], i32>
// CHECK-NEXT:      %5 = cmp le %1, %4 : tensor<[4, 4], i1>
// CHECK-NEXT:      %band = and %2, %5 : tensor<[4, 4], i1>
// CHECK-NEXT:      return %band
// CHECK-NEXT:    }
tiny.func @band() -> tensor<[4, 4], i1> {
  %true = const 1 : tensor<[2], i1>
  %padded = pad %true low [3] high [2]
  %rows = expand %padded to [5, 7] dims [1]
  %line = reshape %rows to [35]
  %cut = shrink %line from [0] to [32]
  %skewed = reshape %cut to [4, 8]
  %turned = shrink %skewed from [0, 0] to [4, 4]
  %band = flip %turned over [1]
  return %band
}

// An embedding is one gather: the index is compared with positions, and the row where both agree is summed with zeros.
// CHECK-LABEL: tiny.func @embedding<B>(%ids: tensor<[B, 5], i32>, %W: tensor<[4, 16], f16>) -> tensor<[B, 5, 16], f16> {
// CHECK-NEXT:      %y = index %W[%ids] : tensor<[B, 5, 16], f16>
// CHECK-NEXT:      return %y
// CHECK-NEXT:    }
tiny.func @embedding<B>(%ids: tensor<[B, 5], i32>, %W: tensor<[4, 16], f16>) -> tensor<[B, 5, 16], f16> {
  %one = const 1 : tensor<[4], i32>
  %padded = pad %one low [3] high [0]
  %rows = expand %padded to [5, 7] dims [1]
  %line = reshape %rows to [35]
  %cut = shrink %line from [0] to [32]
  %skewed = reshape %cut to [4, 8]
  %triangle = shrink %skewed from [0, 0] to [4, 4]
  %count = reduce sum %triangle over [1]
  %less = const -1 : tensor<[], i32>
  %range = add %count, %less
  %column = reshape %range to [4, 1]
  %apart = reshape %ids to [B, 5, 1, 1]
  %back = reshape %apart to [B, 5]
  %repeated = expand %back to [4, 16, B, 5] dims [2, 3]
  %turned = permute %repeated by [2, 3, 0, 1]
  %differ = cmp ne %turned, %column
  %true = const 1 : tensor<[], i1>
  %agree = cmp ne %differ, %true
  %table = reshape %W to [1, 1, 4, 16]
  %zero = const 0.0 : tensor<[], f16>
  %chosen = where %agree, %table, %zero
  %first = permute %chosen by [2, 0, 1, 3]
  %y = reduce sum %first over [0]
  return %y
}

// Each row picks from its own: the other axes of the table have indices too. The sum is of a wider type.
// CHECK-LABEL: tiny.func @pick_of_each_row<B>(%ids: tensor<[B], i64>, %x: tensor<[B, 8], f16>) -> tensor<[B], f32> {
// CHECK-NEXT:      %0 = range 0 : tensor<[B], i64>
// CHECK-NEXT:      %1 = index %x[%0, %ids] : tensor<[B], f16>
// CHECK-NEXT:      %y = cast %1 to f32 : tensor<[B], f32>
// CHECK-NEXT:      return %y
// CHECK-NEXT:    }
tiny.func @pick_of_each_row<B>(%ids: tensor<[B], i64>, %x: tensor<[B, 8], f16>) -> tensor<[B], f32> {
  %position = range 1 : tensor<[1, 8], i32>
  %column = reshape %ids to [B, 1]
  %differ = cmp ne %position, %column
  %zero = const 0.0 : tensor<[], f16>
  %chosen = where %differ, %zero, %x
  %y = reduce sum %chosen over [1] acc f32
  return %y
}

// A mask of integers may as well be multiplied; the index is one less than what is compared, the table lies the other way.
// CHECK-LABEL: tiny.func @mask_as_factor(%ids: tensor<[3], i32>, %W: tensor<[16, 4], i32>) -> tensor<[3, 16], i32> {
// CHECK-NEXT:      %0 = permute %W by [1, 0] : tensor<[4, 16], i32>
// CHECK-NEXT:      %1 = cast %ids to i64 : tensor<[3], i64>
// CHECK-NEXT:      %2 = const 1 : tensor<[], i64>
// CHECK-NEXT:      %3 = sub %1, %2 : tensor<[3], i64>
// CHECK-NEXT:      %y = index %0[%3] : tensor<[3, 16], i32>
// CHECK-NEXT:      return %y
// CHECK-NEXT:    }
tiny.func @mask_as_factor(%ids: tensor<[3], i32>, %W: tensor<[16, 4], i32>) -> tensor<[3, 16], i32> {
  %position = range 0 : tensor<[4], i32>
  %one = const 1 : tensor<[], i32>
  %next = add %position, %one
  %index = reshape %ids to [3, 1, 1]
  %agree = cmp eq %index, %next
  %mask = cast %agree to i32
  %product = mul %mask, %W
  %y = reduce sum %product over [2]
  return %y
}

// Of a table that is part of another, or lies backwards, an index beyond the part gives zero as it did.
// CHECK-LABEL: tiny.func @part_of_a_table(%ids: tensor<[3], i32>, %W: tensor<[9], f32>) -> tensor<[3], f32> {
// CHECK-NEXT:      %0 = shrink %W from [2] to [6] : tensor<[4], f32>
// CHECK-NEXT:      %1 = cast %ids to i64 : tensor<[3], i64>
// CHECK-NEXT:      %2 = const 3 : tensor<[], i64>
// CHECK-NEXT:      %3 = sub %2, %1 : tensor<[3], i64>
// CHECK-NEXT:      %y = index %0[%3] : tensor<[3], f32>
// CHECK-NEXT:      return %y
// CHECK-NEXT:    }
tiny.func @part_of_a_table(%ids: tensor<[3], i32>, %W: tensor<[9], f32>) -> tensor<[3], f32> {
  %part = shrink %W from [2] to [6]
  %backwards = flip %part over [0]
  %position = range 0 : tensor<[4], i32>
  %index = reshape %ids to [3, 1]
  %agree = cmp eq %index, %position
  %zero = const 0.0 : tensor<[], f32>
  %chosen = where %agree, %backwards, %zero
  %y = reduce sum %chosen over [1]
  return %y
}

// One index into a table that is laid in a line: its rows and columns are one axis.
// CHECK-LABEL: tiny.func @flat_index(%ids: tensor<[3], i32>, %x: tensor<[6, 10], f32>) -> tensor<[3], f32> {
// CHECK-NEXT:      %0 = reshape %x to [60] : tensor<[60], f32>
// CHECK-NEXT:      %y = index %0[%ids] : tensor<[3], f32>
// CHECK-NEXT:      return %y
// CHECK-NEXT:    }
tiny.func @flat_index(%ids: tensor<[3], i32>, %x: tensor<[6, 10], f32>) -> tensor<[3], f32> {
  %line = reshape %x to [60]
  %position = range 0 : tensor<[60], i32>
  %index = reshape %ids to [3, 1]
  %agree = cmp eq %index, %position
  %zero = const 0.0 : tensor<[], f32>
  %chosen = where %agree, %line, %zero
  %y = reduce sum %chosen over [1]
  return %y
}
