// One case for each rule of tiles, loads, stores and copies, reported at the op that breaks the rule.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

kernel.func @at_an_odd_byte<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{byte 64 is no multiple of 1024, which the layout needs}}
    %s = shared at 64 : tile<[64, 64], f16, swizzle 128>
  }
  return %Y
}

// -----

kernel.func @no_stage<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    // expected-error@+1 {{there are 2 tiles: of several one is named, as in '%sA[%s]'}}
    %a = slice %s at (0, 0) : tile<[32, 64], f16, swizzle 128>
  }
  return %Y
}

// -----

kernel.func @a_stage_too_many<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (0)
    %s = shared : tile<[64, 64], f16, swizzle 128>
    // expected-error@+1 {{there are 1 tiles: of several one is named}}
    %a = slice %s[%n] at (0, 0) : tile<[32, 64], f16, swizzle 128>
  }
  return %Y
}

// -----

kernel.func @other_elements<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    // expected-error@+1 {{E1704 'kernel.slice': the part must have the elements and the axes of the tile, and begin somewhere on each}}
    %a = slice %s at (0) : tile<[32, 64], f16, swizzle 128>
  }
  return %Y
}

// -----

kernel.func @larger_than_the_whole<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    // expected-error@+1 {{E1704 'kernel.slice': [128, 64] is no part of [64, 64]}}
    %a = slice %s at (0, 0) : tile<[128, 64], f16, swizzle 128>
  }
  return %Y
}

// -----

kernel.func @a_box_of_others<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{E1704 'kernel.tensor_map': the elements of the box are not those of the memref}}
  %x = tensor_map %X : tensormap<[64, 32], f32, swizzle 128>
  return %Y
}

// -----

kernel.func @merged_axes_that_are_not_all<B, H, W>(%X: memref<[B, H, W, 64], f16>) -> memref<[B, H, W, 64], f16> {
  %Y = output : memref<[B, H, W, 64], f16>
  // expected-error@+1 {{E1704 'kernel.tensor_map': [2, 1] are not all 4 axes of the memref, those merged one after another}}
  %x = tensor_map %X merged [2, 1] : tensormap<[64, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @merged_axes_with_gaps<H, W>(%X: memref<[H, W, 64], f16, strided [W * 128, 64, 1]>) -> memref<[H, W, 64], f16> {
  %Y = output : memref<[H, W, 64], f16>
  // expected-error@+1 {{E1704 'kernel.tensor_map': [2, 1] are not all 3 axes of the memref, those merged one after another}}
  %x = tensor_map %X merged [2, 1] : tensormap<[64, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @merged_axes_of_another_box<B, H, W>(%X: memref<[B, H, W, 64], f16>) -> memref<[B, H, W, 64], f16> {
  %Y = output : memref<[B, H, W, 64], f16>
  // expected-error@+1 {{E1704 'kernel.tensor_map': the box has 4 axes, the memref 2: as many, 1 to 5}}
  %x = tensor_map %X merged [3, 1] : tensormap<[1, 1, 64, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @merged_windows<B, H, W>(%X: memref<[B, H, W, 64], f16>) -> memref<[B, H, W, 64], f16> {
  %Y = output : memref<[B, H, W, 64], f16>
  // expected-error@+1 {{'kernel.tensor_map': the axes of windows are not merged}}
  %x = tensor_map %X im2col lower [0, 0] upper [0, 0] strides [1, 1] merged [1, 1, 1, 1] : tensormap<[64, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @no_order<H, W>(%X: memref<[H, W], f16>) -> memref<[H, W], f16> {
  %Y = output : memref<[H, W], f16>
  // expected-error@+1 {{E1704 'kernel.tensor_map': [1, 1] is no order of the 2 axes of the memref}}
  %x = tensor_map %X order [1, 1] : tensormap<[64, 64], f16, swizzle 128>
  // expected-error@+1 {{'kernel.tensor_map': axes in another order are neither merged nor those of windows}}
  %y = tensor_map %X merged [1, 1] order [1, 0] : tensormap<[64, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @a_store_in_another_order<H, W>(%X: memref<[H, W], f16>) -> memref<[H, W], f16, col_major, align 16> {
  %Y = output : memref<[H, W], f16, col_major, align 16>
  %map = tensor_map %Y order [1, 0] : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    elect {
      // expected-error@+1 {{'kernel.tma_store': boxes of a map with axes in another order are loaded, and not stored}}
      %t = tma_store %s to %map[0, 0]
      await %t
    }
  }
  return %Y
}

// -----

kernel.func @a_position_of_merged_axes<B, H, W>(%X: memref<[B, H, W, 64], f16>) -> memref<[B, H, W, 64], f16> {
  %Y = output : memref<[B, H, W, 64], f16>
  %x = tensor_map %X merged [3, 1] : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    elect {
      // expected-error@+1 {{E1704 'kernel.tma_load': 4 positions are given for memory of rank 2}}
      tma_load %x[0, 0, 0, 0] to %s signal %full
    }
  }
  return %Y
}

// -----

kernel.func @a_box_of_other_rank<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{E1704 'kernel.tensor_map': the box has 1 axes, the memref 2: as many, 1 to 5}}
  %x = tensor_map %X : tensormap<[64], f16, row_major>
  return %Y
}

// -----

kernel.func @a_window_without_axes<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{E1704 'kernel.tensor_map': a window has 0 axes between images and channels, and a box pixels and channels}}
  %x = tensor_map %X im2col lower [0] upper [0] strides [1] : tensormap<[64, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @one_position<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1704 'kernel.load': 1 positions are given for memory of rank 2}}
    %x = load %X[i0] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
  }
  return %Y
}

// -----

kernel.func @a_third_axis<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1703 'kernel.load': the expression names 'i2', and there are 0 values and 2 axes}}
    %x = load %X[i0, i2] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
  }
  return %Y
}

// -----

kernel.func @a_guard_of_a_third_axis<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1703 'kernel.load': the expression names 'i3'}}
    %x = load %X[i0, i1] where (i3 < M) : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
  }
  return %Y
}

// -----

kernel.func @elements_of_memory<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1704 'kernel.load': elements of f16 in memory are f32 here}}
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
  }
  return %Y
}

// -----

kernel.func @one_thread_loads<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    elect {
    // expected-error@+1 {{E1702 'kernel.load': a tile is for whole warps, not for one thread}}
      %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    }
  }
  return %Y
}

// -----

kernel.func @stores_others<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %x = const 0.0 : frag<[64, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // expected-error@+1 {{E1704 'kernel.store': elements of f16 in memory are f32 here}}
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @copies_by_other_warps<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    // expected-error@+1 {{E1701 'kernel.copy': frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [8, 1]> does not lie in the registers of 4 warps}}
    copy %X[i0, i1] to %s by blocked [1, 8] lanes [4, 8] warps [8, 1]
  }
  return %Y
}

// -----

kernel.func @copies_others<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    // expected-error@+1 {{E1704 'kernel.copy_async': elements of f16 in memory are f32 here}}
    %t = copy_async %X[i0, i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
  }
  return %Y
}

// -----

kernel.func @loads_another_shape<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<[32, 64], f16, swizzle 128>
    // expected-error@+1 {{E1704 'kernel.load_shared': the tile and the fragment must have the same sizes and elements}}
    %x = load_shared %s : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
  }
  return %Y
}

// -----

kernel.func @stores_another_shape<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %s = shared : tile<[32, 64], f16, swizzle 128>
    %x = const 0.0 : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    // expected-error@+1 {{E1704 'kernel.store_shared': the tile and the fragment must have the same sizes and elements}}
    store_shared %x to %s transposed
  }
  return %Y
}

// -----

kernel.func @all_threads_ask<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  %x = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = mbarriers arrivals 1 : mbarrier<1>
    // expected-error@+1 {{E1702 'kernel.tma_load': one thread asks TMA: put it into 'elect' or a 'single' role}}
    tma_load %x[0, 0] to %s signal %b
  }
  return %Y
}

// -----

kernel.func @three_positions<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  %x = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = mbarriers arrivals 1 : mbarrier<1>
    elect {
    // expected-error@+1 {{E1704 'kernel.tma_load': 3 positions are given for memory of rank 2}}
      tma_load %x[0, 0, 0] to %s signal %b
    }
  }
  return %Y
}

// -----

kernel.func @another_box<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  %x = tensor_map %X : tensormap<[32, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = mbarriers arrivals 1 : mbarrier<1>
    elect {
    // expected-error@+1 {{E1704 'kernel.tma_load': a box of [32, 64] is no tile of [64, 64] with the same elements and layout}}
      tma_load %x[0, 0] to %s signal %b
    }
  }
  return %Y
}

// -----

kernel.func @nobody_gets_it<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  %x = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = mbarriers arrivals 1 : mbarrier<1>
    elect {
    // expected-error@+1 {{a bit for each of up to 16 blocks says which of them get the box}}
      tma_load %x[0, 0] to %s signal %b multicast 0
    }
  }
  return %Y
}

// -----

kernel.func @all_threads_store<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  %x = tensor_map %Y : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    // expected-error@+1 {{E1702 'kernel.tma_store': one thread asks TMA}}
    %t = tma_store %s to %x[0, 0]
  }
  return %Y
}

// -----

kernel.func @a_vector_of_one_number<M>(%X: memref<[M, 64], f32, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %Y = output : memref<[M, 64], f32, row_major, align 16>
  grid (1) threads 32 {
    // expected-error@+1 {{one element is no vector}}
    %x = load %X[0, 0] vector 4 : f32
  }
  return %Y
}

// -----

kernel.func @a_vector_of_three<M>(%X: memref<[M, 64], f32, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %Y = output : memref<[M, 64], f32, row_major, align 16>
  grid (1) threads 32 {
    // expected-error@+1 {{a vector has a power of two of elements, here at most 4, not 3}}
    %x = load %X[i0, i1] vector 3 : frag<[8, 64], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %Y
}

// -----

kernel.func @a_vector_too_wide<M>(%X: memref<[M, 64], f32, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %Y = output : memref<[M, 64], f32, row_major, align 16>
  grid (1) threads 32 {
    // expected-error@+1 {{a vector has a power of two of elements, here at most 4, not 8}}
    %x = load %X[i0, i1] vector 8 : frag<[8, 64], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %Y
}

// -----

kernel.func @a_vector_of_maxima<M>(%X: memref<[M, 64], f32, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %Y = output : memref<[M, 64], f32, row_major, align 16>
  grid (1) threads 32 {
    %x = load %X[i0, i1] : frag<[8, 64], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    // expected-error@+1 {{elements are combined one by one, not in vectors: only sums of f32 are}}
    store combine max %x to %Y[i0, i1] vector 4
  }
  return %Y
}

// -----

kernel.func @a_vector_at_any_element<M>(%X: memref<[M, 64], f32>) -> memref<[M, 64], f32> {
  %Y = output : memref<[M, 64], f32>
  grid (1) threads 32 {
    // expected-error@+1 {{the memory is aligned to 4 bytes, and a vector has 8}}
    %x = load %X[i0, i1] vector 2 : frag<[8, 64], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %Y
}

// -----

kernel.func @a_vector_of_every_other<M>(%X: memref<[M, 64], f32, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %Y = output : memref<[M, 64], f32, row_major, align 16>
  grid (1) threads 32 {
    // expected-error@+1 {{along no axis of the fragment elements lie one after another in memory}}
    %x = load %X[i0, 2*i1] vector 4 : frag<[8, 64], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %Y
}

// -----

kernel.func @a_vector_in_swizzled_memory<M>(%X: memref<[M, 64], f32, swizzled 128 vec 16, align 16>) -> memref<[M, 64], f32, swizzled 128 vec 16, align 16> {
  %Y = output : memref<[M, 64], f32, swizzled 128 vec 16, align 16>
  grid (1) threads 32 {
    // expected-error@+1 {{along no axis of the fragment elements lie one after another in memory}}
    %x = load %X[i0, i1] vector 4 : frag<[8, 64], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %Y
}

// -----

kernel.func @a_vector_of_several_threads<M>(%X: memref<[M, 64], f32, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %Y = output : memref<[M, 64], f32, row_major, align 16>
  grid (1) threads 32 {
    // expected-error@+1 {{E1701 'kernel.load': a thread has 2 elements of a row at once, and a vector 4}}
    %x = load %X[i0, i1] vector 4 : frag<[8, 64], f32, blocked [1, 2] lanes [8, 4] warps [1, 1]>
  }
  return %Y
}

// -----

kernel.func @a_vector_of_a_column<M>(%X: memref<[M, 64], f32, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %Y = output : memref<[M, 64], f32, row_major, align 16>
  grid (1) threads 32 {
    %t = shared : tile<[8, 64], f32, col_major>
    // expected-error@+1 {{E1701 'kernel.copy': a thread has 1 elements of a row at once, and a vector 4}}
    copy %X[i0, i1] to %t by blocked [1, 4] lanes [8, 4] warps [1, 1] vector 4
  }
  return %Y
}

// -----

kernel.func @a_vector_of_an_odd_pitch<M>(%X: memref<[M, 64], f32, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %Y = output : memref<[M, 64], f32, row_major, align 16>
  grid (1) threads 32 {
    %t = shared : tile<[8, 64], f32, row_major pitch 65>
    // expected-error@+1 {{E1701 'kernel.copy_async': a thread has 1 elements of a row at once, and a vector 2}}
    %0 = copy_async %X[i0, i1] to %t by blocked [1, 4] lanes [8, 4] warps [1, 1] vector 2
  }
  return %Y
}

// -----

kernel.func @the_largest_box<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  %m = tensor_map %X : tensormap<[256, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @a_box_with_a_row_too_many<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{'kernel.tensor_map': a box has 1 to 256 elements along an axis, not 257}}
  %m = tensor_map %X : tensormap<[257, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @the_longest_row_of_a_box<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  %m = tensor_map %X : tensormap<[8, 256], f16, row_major>
  return %Y
}

// -----

kernel.func @a_row_of_a_box_that_is_too_long<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{a box has 1 to 256 elements along an axis, not 1024}}
  %m = tensor_map %X : tensormap<[8, 1024], f16, row_major>
  return %Y
}

// -----

kernel.func @a_row_of_panels<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  %m = tensor_map %X : tensormap<[8, 512], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @the_shortest_row_of_a_box<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  %m = tensor_map %X : tensormap<[8, 8], f16, row_major>
  return %Y
}

// -----

kernel.func @a_row_of_a_box_that_is_too_short<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{a row of a box is a multiple of 16 bytes, not 24}}
  %m = tensor_map %X : tensormap<[8, 12], f16, row_major>
  return %Y
}

// -----

kernel.func @rows_of_memory_of_208_bytes(%X: memref<[64, 104], f16>) -> memref<[64, 104], f16> {
  %Y = output : memref<[64, 104], f16>
  %m = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @rows_of_memory_of_200_bytes(%X: memref<[64, 100], f16>) -> memref<[64, 100], f16> {
  %Y = output : memref<[64, 100], f16>
  // expected-error@+1 {{TMA steps along an axis by a multiple of 16 bytes, not 200}}
  %m = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  return %Y
}

// -----

kernel.func @images_as_rows_of_16_bytes(%X: memref<[64, 3, 4, 8], f16>) -> memref<[64, 8], f16> {
  %Y = output : memref<[64, 8], f16>
  %m = tensor_map %X merged [3, 1] : tensormap<[64, 8], f16, row_major>
  return %Y
}

// -----

kernel.func @a_memref_as_an_integer(%X: memref<[64], f32>) -> memref<[64], f32> {
  %Y = output : memref<[64], f32>
  grid (1) threads 32 {
    // expected-error@+1 {{'kernel.load': an expression names integers, not memref<[64], f32, row_major, align 4>}}
    %x = load %X[0*%X + i0] : frag<[64], f32, blocked [2] lanes [32] warps [1]>
    store %x to %Y[i0]
  }
  return %Y
}

// -----

// Of a map that is an argument the box says how many positions there are.
kernel.func @no_positions(%map: tensormap<[64, 64], f16, swizzle 128>, %one: index) {
  grid (%one) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = mbarriers arrivals 1 : mbarrier<1>
    elect {
      // expected-error@+1 {{E1704 'kernel.tma_load': 0 positions are given for memory of rank 2}}
      tma_load %map[] to %s signal %b
    }
  }
  return
}

// -----

kernel.func @no_position_to_store(%map: tensormap<[64, 64], f16, swizzle 128>, %one: index) {
  grid (%one) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    elect {
      // expected-error@+1 {{E1704 'kernel.tma_store': 0 positions are given for memory of rank 2}}
      %t = tma_store %s to %map[]
      await %t
    }
  }
  return
}

// -----

// A box of windows has an offset for each axis of the window, which no other box has, and is not stored.
kernel.func @windows(%I: memref<[2, 8, 8, 64], f16>) -> memref<[2, 8, 8, 64], f16> {
  %Y = output : memref<[2, 8, 8, 64], f16>
  %i = tensor_map %I im2col lower [-1, -1] upper [-1, -1] strides [1, 1] : tensormap<[64, 64], f16, swizzle 128>
  %y = tensor_map %Y : tensormap<[1, 8, 8, 64], f16, swizzle 128>
  %w = tensor_map %Y im2col lower [-1, -1] upper [-1, -1] strides [1, 1] : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = mbarriers arrivals 1 : mbarrier<1>
    elect {
      // expected-error@+1 {{E1704 'kernel.tma_load': 0 offsets are given for a window of 2 axes}}
      tma_load %i[0, 0, 0, 0] to %s signal %b
      // expected-error@+1 {{E1704 'kernel.tma_load': 1 offsets are given for a window of 2 axes}}
      tma_load %i[0, 0, 0, 0] offsets (0) to %s signal %b
      // expected-error@+1 {{E1704 'kernel.tma_load': 2 offsets are given, and the map is of no windows}}
      tma_load %y[0, 0, 0, 0] offsets (0, 0) to %s signal %b
      // expected-error@+1 {{'kernel.tma_store': boxes of a map of windows are loaded, and not stored}}
      %t = tma_store %s to %w[0, 0, 0, 0]
      await %t
    }
  }
  return %Y
}
