// One case for each rule of arithmetic and of products of matrices, reported at the op that breaks the rule.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

kernel.func @operands_of_two_layouts<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 64], f32, wgmma>
    %b = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // expected-error@+1 {{E1701 'kernel.binary': frag<[64, 64], f32, wgmma> is not of the shape and layout of frag<[64, 64], f32, mma [2, 2]>}}
    %c = binary add %b, %a : frag<[64, 64], f32, mma [2, 2]>
  }
  return %Y
}

// -----

kernel.func @no_number<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %t = done : token<load>
    // expected-error@+1 {{the operands are numbers or fragments of numbers, not token<load>}}
    %c = unary neg %t : token<load>
  }
  return %Y
}

// -----

kernel.func @two_types<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : f32
    %b = const 0.0 : f16
    // expected-error@+1 {{E1704 'kernel.binary': f32 and f16 give no f32: cast them first}}
    %c = binary add %a, %b : f32
  }
  return %Y
}

// -----

kernel.func @a_truth<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : f32
    // expected-error@+1 {{E1704 'kernel.binary': f32 and f32 give no f32: cast them first}}
    %c = binary lt %a, %a : f32
  }
  return %Y
}

// -----

kernel.func @integers<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 1 : i32
    // expected-error@+1 {{E1704 'kernel.mulacc': the numbers and the result must be of one float type}}
    %c = mulacc %a, %a, %a : i32
  }
  return %Y
}

// -----

kernel.func @no_condition<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : f32
    // expected-error@+1 {{the condition must be 'i1'}}
    %c = select %a, %a, %a : f32
  }
  return %Y
}

// -----

kernel.func @a_condition_of_a_number<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : f32
    // expected-error@+1 {{E1703 'kernel.select': the expression names 'i0'}}
    %c = select where (i0 < M) then %a else %a : f32
  }
  return %Y
}

// -----

kernel.func @selects_others<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : f32
    %b = const 0.0 : f16
    // expected-error@+1 {{E1704 'kernel.select': both numbers must be of the type of the result}}
    %c = select where (0 < M) then %a else %b : f32
  }
  return %Y
}

// -----

kernel.func @other_bits<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : f32
    // expected-error@+1 {{E1704 'kernel.cast': the bits of f32 are no f16}}
    %c = cast bits %a : f16
  }
  return %Y
}

// -----

kernel.func @broadcast_along_another<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64], f32, slice 1 of (wgmma)>
    // expected-error@+1 {{E1701 'kernel.broadcast': without the axis it is frag<[64], f32, slice 0 of (wgmma)>, not frag<[64], f32, slice 1 of (wgmma)>}}
    %c = broadcast %a along 0 : frag<[64, 64], f32, wgmma>
  }
  return %Y
}

// -----

kernel.func @broadcast_along_none<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64], f32, slice 1 of (wgmma)>
    // expected-error@+1 {{there is no axis 2}}
    %c = broadcast %a along 2 : frag<[64, 64], f32, wgmma>
  }
  return %Y
}

// -----

kernel.func @broadcast_of_others<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64], f16, slice 1 of (wgmma)>
    // expected-error@+1 {{E1704 'kernel.broadcast': the elements must be of one type}}
    %c = broadcast %a along 1 : frag<[64, 64], f32, wgmma>
  }
  return %Y
}

// -----

kernel.func @a_part_beyond<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{E1704 'kernel.extract': [64, 32] at [0, 48] is no part of [64, 64] with the same elements}}
    %c = extract %a at [0, 48] : frag<[64, 32], f32, wgmma>
  }
  return %Y
}

// -----

kernel.func @a_part_of_other_threads<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{E1701 'kernel.extract': lane 0 of warp 0 has not the element [0, 2] that it gets}}
    %c = extract %a at [0, 2] : frag<[64, 32], f32, wgmma>
  }
  return %Y
}

// -----

kernel.func @a_part_names_an_axis<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{E1703 'kernel.extract': the expression names 'i0'}}
    %c = extract %a at [0, i0] : frag<[64, 32], f32, wgmma>
  }
  return %Y
}

// -----

kernel.func @warps_share_an_axis<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // expected-error@+1 {{E1702 'kernel.reduce': several warps share the axis: they exchange through a tile, 'through %s'}}
    %c = reduce sum %a along 1
  }
  return %Y
}

// -----

kernel.func @threads_without_a_number<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
    // expected-error@+1 {{E1701 'kernel.thread_reduce': frag<[4, 16], f32, blocked [1, 1] lanes [2, 16] warps [4, 1]> has not one number of its own}}
    %c = thread_reduce sum %a along 1 : frag<[4, 16], f32, blocked [1, 1] lanes [2, 16] warps [4, 1]>
  }
  return %Y
}

// -----

kernel.func @threads_of_another_axis<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
    // expected-error@+1 {{there is no axis 2}}
    %c = thread_reduce sum %a along 2 : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
  }
  return %Y
}

// -----

kernel.func @threads_of_other_rows<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[8, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    // expected-error@+1 {{E1704 'kernel.thread_broadcast': the sizes along the other axes and the elements must stay}}
    %c = thread_broadcast %a along 1 : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
  }
  return %Y
}

// -----

kernel.func @converts_to_others<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{E1704 'kernel.convert': the sizes and elements must stay}}
    %c = convert %a : frag<[64, 32], f32, wgmma>
  }
  return %Y
}

// -----

kernel.func @matrices_do_not_fit<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 16], f16, mma_a [2, 2]>
    %b = const 0.0 : frag<[32, 64], f16, mma_b [2, 2]>
    %c = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // expected-error@+1 {{E1704 'kernel.mma': (64, 16) by (32, 64) is no (64, 64)}}
    %d = mma %a, %b, %c
  }
  return %Y
}

// -----

kernel.func @no_matrix<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64], f32, slice 1 of (mma [2, 2])>
    // expected-error@+2 {{E1704 'kernel.mma': the operands must be matrices}}
    // expected-error@+1 {{E1701 'kernel.mma': the layouts must be mma_a, mma_b and mma over one grid of warps}}
    %d = mma %a, %a, %a
  }
  return %Y
}

// -----

kernel.func @two_grids<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 16], f16, mma_a [4, 1]>
    %b = const 0.0 : frag<[16, 64], f16, mma_b [2, 2]>
    %c = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // expected-error@+1 {{E1701 'kernel.mma': the layouts must be mma_a, mma_b and mma over one grid of warps}}
    %d = mma %a, %b, %c
  }
  return %Y
}

// -----

// Tensor cores have no product of f32, and what they take in its place is said.
kernel.func @no_precision() {
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 16], f32, mma_a [2, 2]>
    %b = const 0.0 : frag<[16, 64], f32, mma_b [2, 2]>
    %c = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // expected-error@+1 {{E1704 'kernel.mma': tensor cores have no product of f32; write 'as tf32x3' after the operands for three products of tf32, 'as tf32' for one, or use 'fma'}}
    %d = mma %a, %b, %c
  }
  return
}

// -----

kernel.func @no_precision_of_tiles() attributes {target = "sm90"} {
  grid (1) threads 128 {
    %s = shared : tile<[64, 32], f32, swizzle 128>
    %c = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{E1704 'kernel.wgmma': tensor cores have no product of f32; write 'as tf32' after the operands, or use 'mma' or 'fma'}}
    %d, %t = wgmma %s, %s transposed, %c : frag<[64, 64], f32, wgmma>, token<compute>
  }
  return
}

// -----

kernel.func @parts_of_tiles() attributes {target = "sm90"} {
  grid (1) threads 128 {
    %s = shared : tile<[64, 32], f32, swizzle 128>
    %c = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{E1704 'kernel.wgmma': 'as tf32x3' is for factors in registers, which become two numbers each; write 'as tf32' for one product, or use 'mma'}}
    %d, %t = wgmma %s, %s transposed, %c as tf32x3 : frag<[64, 64], f32, wgmma>, token<compute>
  }
  return
}

// -----

kernel.func @precision_of_tiles_of_halves() attributes {target = "sm90"} {
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %c = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{E1704 'kernel.wgmma': 'as tf32' is for factors of f32, and these are f16; leave it out}}
    %d, %t = wgmma %s, %s transposed, %c as tf32 : frag<[64, 64], f32, wgmma>, token<compute>
  }
  return
}

// -----

kernel.func @precision_of_halves() {
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 16], f16, mma_a [2, 2]>
    %b = const 0.0 : frag<[16, 64], f16, mma_b [2, 2]>
    %c = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // expected-error@+1 {{E1704 'kernel.mma': 'as tf32x3' is for factors of f32, and these are f16; leave it out}}
    %d = mma %a, %b, %c as tf32x3
  }
  return
}

// -----

kernel.func @two_types_of_matrices<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 16], f16, mma_a [2, 2]>
    %b = const 0.0 : frag<[16, 64], bf16, mma_b [2, 2]>
    %c = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // expected-error@+1 {{E1704 'kernel.mma': matrices of f16 and bf16 are not multiplied: cast one first}}
    %d = mma %a, %b, %c
  }
  return %Y
}

// -----

kernel.func @threads_without_a_row<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 1], f32, blocked [1, 1] lanes [32, 1] warps [4, 1]>
    %b = const 0.0 : frag<[1, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    %c = const 0.0 : frag<[64, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    // expected-error@+1 {{and not the row and the column for it}}
    %d = fma %a, %b, %c
  }
  return %Y
}

// -----

kernel.func @eight_warps<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 256 {
    %s = shared : tile<[128, 64], f16, swizzle 128>
    %c = const 0.0 : frag<[128, 128], f32, wgmma>
    // expected-error@+1 {{E1702 'kernel.wgmma': the four warps of a group multiply: a role with groups of four}}
    %d, %t = wgmma %s, %s transposed, %c
  }
  return %Y
}

// -----

kernel.func @adds_to_another_layout<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %c = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // expected-error@+1 {{E1701 'kernel.wgmma': what is added to must have the layout 'wgmma'}}
    %d, %t = wgmma %s, %s, %c
  }
  return %Y
}

// -----

kernel.func @a_left_matrix_of_another_layout<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %a = const 0.0 : frag<[64, 64], f16, wgmma>
    %c = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{E1701 'kernel.wgmma': a left matrix in registers must have the layout 'wgmma_a', and is not transposed}}
    %d, %t = wgmma %a, %s, %c
  }
  return %Y
}

// -----

kernel.func @no_tile<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %n = const 0.0 : f32
    %c = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+3 {{E1704 'kernel.wgmma': the operands must be matrices}}
    // expected-error@+2 {{E1704 'kernel.wgmma': matrices of f32 and f16 are not multiplied: cast one first}}
    // expected-error@+1 {{a matrix is a tile in shared memory, or the left one a fragment}}
    %d, %t = wgmma %n, %s, %c
  }
  return %Y
}

// -----

kernel.func @of_several_tiles<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    %r = shared : tile<[64, 64], f16, swizzle 128>
    %c = const 0.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{there are 2 tiles: of several one is named}}
    %d, %t = wgmma %r, %s, %c
  }
  return %Y
}

// -----

kernel.func @a_number_as_a_fragment(%X: memref<[64, 64], f32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %b = block_id 0
    // expected-error@+1 {{E1704 'kernel.cast': index is one number, and frag<[64], f32, slice 0 of (blocked [1, 4] lanes [4, 8] warps [4, 1])> is none: cast a fragment}}
    %d = cast %b : frag<[64], f32, slice 0 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
  }
  return %Y
}

// -----

kernel.func @warps_share_a_scan<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[1, 512], f32, blocked [1, 4] lanes [1, 32] warps [1, 4]>
    %b = const 0.0 : frag<[1], f32, slice 1 of (blocked [1, 4] lanes [1, 32] warps [1, 4])>
    // expected-error@+1 {{E1702 'kernel.scan': several warps share the axis: they exchange through a tile, 'through %s'}}
    %c, %d = scan sum %a from %b along 1
  }
  return %Y
}

// -----

kernel.func @a_scan_from_elsewhere<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    %b = const 0.0 : frag<[8], f32, slice 1 of (blocked [1, 4] lanes [1, 32] warps [4, 1])>
    // expected-error@+1 {{E1701 'kernel.scan': without the axis it is frag<[4], f32, slice 1 of (blocked [1, 4] lanes [1, 32] warps [4, 1])>, not frag<[8]}}
    %c, %d = scan sum %a from %b along 1
  }
  return %Y
}

// -----

kernel.func @a_recurrence_without_factors<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    %b = const 0.0 : frag<[4], f32, slice 1 of (blocked [1, 4] lanes [1, 32] warps [4, 1])>
    // expected-error@+1 {{E0201 'kernel.scan': 'linear' is of 2 operands, and 1 are given; write the factors first: 'scan linear %a, %b'}}
    %c, %d = scan linear %a from %b along 1 : frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>, frag<[4], f32, slice 1 of (blocked [1, 4] lanes [1, 32] warps [4, 1])>
  }
  return %Y
}

// -----

kernel.func @factors_of_another_layout<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %f = const 1.0 : frag<[4, 128], f32, blocked [1, 2] lanes [1, 32] warps [4, 1]>
    %a = const 0.0 : frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    %b = const 0.0 : frag<[4], f32, slice 1 of (blocked [1, 4] lanes [1, 32] warps [4, 1])>
    // expected-error@+1 {{E1704 'kernel.scan': the operands must be alike, not frag<[4, 128], f32, blocked [1, 2] lanes [1, 32] warps [4, 1]> and frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>}}
    %c, %d = scan linear %f, %a from %b along 1
  }
  return %Y
}

// -----

kernel.func @a_scan_from_another_type<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    %b = const 0.0 : frag<[4], f16, slice 1 of (blocked [1, 4] lanes [1, 32] warps [4, 1])>
    // expected-error@+1 {{E1704 'kernel.scan': the elements must be of one type}}
    %c, %d = scan sum %a from %b along 1
  }
  return %Y
}

// -----

// What all lanes of a warp do together is not for one thread.

kernel.func @one_thread_reduces<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
  %Y = output : memref<[N], f32>
  grid (1) threads 128 {
    elect {
      %a = const 1.0 : frag<[4, 128], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
      // expected-error@+1 {{E1702 'kernel.reduce': whole warps reduce a fragment, not one thread}}
      %b = reduce sum %a along 1 : frag<[4], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [4, 1])>
    }
  }
  return %Y
}

// -----

kernel.func @a_single_role_reduces<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
  %Y = output : memref<[N], f32>
  grid (1) threads 128 {
    role one warps 0 to 4 single {
      %a = const 1.0 : frag<[4, 128], f32, blocked [1, 1] lanes [1, 32] warps [1, 4]>
      // expected-error@+1 {{E1702 'kernel.convert': whole warps convert a fragment, not one thread}}
      %b = convert %a : frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    }
  }
  return %Y
}

// -----

kernel.func @one_thread_decides_for_its_warp<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
  %Y = output : memref<[N], f32>
  grid (1) threads 128 {
    elect {
      %a = const 1.0 : frag<[64, 64], f32, wgmma>
      %c = binary gt %a, %a : frag<[64, 64], i1, wgmma>
      // expected-error@+1 {{E1702 'kernel.warp_if': whole warps agree on a condition, not one thread}}
      %b = warp_if %c : frag<[64, 64], f32, wgmma> {
        yield %a
      } else {
        yield %a
      }
    }
  }
  return %Y
}

// -----

kernel.func @warps_share_a_sort<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[1, 512], f32, blocked [1, 4] lanes [1, 32] warps [1, 4]>
    // expected-error@+1 {{E1702 'kernel.sort': several warps share the axis: they exchange through a tile, 'through %s'}}
    %c = sort %a along 1
  }
  return %Y
}

// -----

kernel.func @a_sort_along_no_axis<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[4, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    // expected-error@+1 {{'kernel.sort': axis 2 is none of the 2 axes of the fragment}}
    %c = sort %a along 2
  }
  return %Y
}

// -----

kernel.func @a_sort_of_three_quarters<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 0.0 : frag<[4, 96], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    // expected-error@+1 {{'kernel.sort': the axis has 96 elements: only a power of two of them are sorted together}}
    %c = sort %a along 1
  }
  return %Y
}
