// One case for each rule of grids, roles, loops, conditions and integers, reported at the op that breaks the rule.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

kernel.func @no_block<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{E1702 'kernel.barrier': a block does this, not who launches it: put it into a 'grid'}}
  barrier
  return %Y
}

// -----

kernel.func @nobodys_registers<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{E1702 'kernel.const': a block does this, not who launches it}}
  %a = const 0.0 : frag<[64, 64], f32, wgmma>
  return %Y
}

// -----

kernel.func @no_place_in_a_grid<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{E1702 'kernel.block_id': a block does this, not who launches it}}
  %a = block_id 0
  return %Y
}

// -----

kernel.func @a_rule_in_a_grid<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1702 'kernel.require': a kernel is refused before it is launched, not in a grid}}
    require (M >= 1)
  }
  return %Y
}

// -----

kernel.func @an_unknown_value<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{E1703 'kernel.require': the expression names 'i0', and there are 0 values and 0 axes}}
  require (i0 < M)
  return %Y
}

// -----

kernel.func @no_axes<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{a grid has one to three axes, not 0}}
  grid () threads 128 {
  }
  return %Y
}

// -----

kernel.func @negative_number_of_blocks<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{a number of blocks is not negative, and -1 is}}
  grid (M, -1) threads 128 {
  }
  return %Y
}

// -----

kernel.func @half_a_warp<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{a block has 32 to 1024 threads, in whole warps, and 48 are no such number}}
  grid (1) threads 48 {
  }
  return %Y
}

// -----

kernel.func @too_many_threads<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{and 2048 are no such number}}
  grid (1) threads 2048 {
  }
  return %Y
}

// -----

kernel.func @a_large_cluster<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{a cluster has up to 8 blocks along the axes of the grid on every GPU that has clusters, not [32]}}
  grid (32) cluster [32] threads 128 {
  }
  return %Y
}

// -----

// Sixteen are possible on some GPUs, if asked for.
kernel.func @a_cluster_that_is_not_portable<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{a cluster has up to 8 blocks along the axes of the grid on every GPU that has clusters, not [4, 4]}}
  grid (32, 32) cluster [4, 4] threads 128 {
  }
  return %Y
}

// -----

kernel.func @too_many_blocks_at_once<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{an SM runs up to 32 blocks and 2048 threads at once, not 4 blocks of 1024}}
  grid (32) threads 1024 blocks_per_sm 4 {
  }
  return %Y
}

// -----

kernel.func @a_cluster_of_more_axes<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{a cluster has up to 8 blocks along the axes of the grid on every GPU that has clusters, not [1, 2]}}
  grid (32) cluster [1, 2] threads 128 {
  }
  return %Y
}

// -----

kernel.func @an_axis_of_no_fragment<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  // expected-error@+1 {{E1703 'kernel.grid': the expression names 'i0'}}
  grid (i0) threads 128 {
  }
  return %Y
}

// -----

kernel.func @after_a_role<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    role a warps 0 to 4 {
    }
    // expected-error@+1 {{E1702 'kernel.barrier': after a role stand only roles}}
    barrier
  }
  return %Y
}

// -----

kernel.func @in_a_loop<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    for %k = 0 to 2 {
    // expected-error@+1 {{E1702 'kernel.role': a role stands in a grid, in no other region}}
      role a warps 0 to 4 {
      }
    }
  }
  return %Y
}

// -----

kernel.func @warps_there_are_none<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1702 'kernel.role': the block has the warps 0 to 4, and 2 to 6 are not among them}}
    role a warps 2 to 6 {
    }
  }
  return %Y
}

// -----

kernel.func @uneven_groups<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1702 'kernel.role': 4 warps cannot be 3 groups of as many}}
    role a warps 0 to 4 groups 3 {
    }
  }
  return %Y
}

// -----

kernel.func @two_arguments<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{a role takes at most the number of the group, an 'index'}}
    role a warps 0 to 4 (%g: index, %h: index) {
    }
  }
  return %Y
}

// -----

kernel.func @in_two_roles<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    role a warps 0 to 3 {
    }
    // expected-error@+1 {{E1702 'kernel.role': the warps 2 to 4 are also in the role 'a'}}
    role b warps 2 to 4 {
    }
  }
  return %Y
}

// -----

kernel.func @odd_registers<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{a thread has 24 to 256 registers, a multiple of 8, not 30}}
    role a warps 0 to 4 registers 30 {
    }
  }
  return %Y
}

// -----

kernel.func @elect_yields_another<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    elect {
      %n = index (1)
    // expected-error@+1 {{the region yields (index), and not ()}}
      yield %n
    }
  }
  return %Y
}

// -----

kernel.func @no_step<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{the step of a loop is positive}}
    for %k = 0 to N step 0 {
    }
  }
  return %Y
}

// -----

kernel.func @a_loop_names_an_axis<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1703 'kernel.for': the expression names 'i0'}}
    for %k = 0 to i0 {
    }
  }
  return %Y
}

// -----

kernel.func @other_results<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{a loop gives what it carries: as many results, of the same types}}
    %a = for %k = 0 to N carry (%b = %n) : i1 {
      yield %b
    }
  }
  return %Y
}

// -----

kernel.func @nothing_yielded<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{the region yields (), and not (index)}}
    %a = for %k = 0 to N carry (%b = %n) {
    }
  }
  return %Y
}

// -----

kernel.func @if_names_an_axis<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1703 'kernel.if': the expression names 'i1'}}
    if (i1 < N) {
    }
  }
  return %Y
}

// -----

kernel.func @no_second_region<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{an op with results must have a second region}}
    %a = if (N < 2) : index {
      yield %n
    }
  }
  return %Y
}

// -----

kernel.func @regions_differ<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{the region yields (), and not (index)}}
    %a = if (N < 2) : index {
      yield %n
    } else {
    }
  }
  return %Y
}

// -----

kernel.func @no_truth<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 1.0 : frag<[64, 64], f32, wgmma>
    // expected-error@+1 {{the condition must be 'i1'}}
    %b = warp_if %a : frag<[64, 64], f32, wgmma> {
      yield %a
    } else {
      yield %a
    }
  }
  return %Y
}

// -----

kernel.func @a_warp_gives_an_integer<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %c = const 1 : frag<[64, 64], i1, wgmma>
    %n = index (1)
    // expected-error@+1 {{each warp gives fragments, and at least one}}
    %b = warp_if %c : index {
      yield %n
    } else {
      yield %n
    }
  }
  return %Y
}

// -----

kernel.func @a_warp_meets_others<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %a = const 1.0 : frag<[64, 64], f32, wgmma>
    %c = const 1 : frag<[64, 64], i1, wgmma>
    %b = warp_if %c : frag<[64, 64], f32, wgmma> {
    // expected-error@+1 {{E1702 'kernel.barrier': a warp does this alone: it may only compute on registers here}}
      barrier
      yield %a
    } else {
      yield %a
    }
  }
  return %Y
}

// -----

kernel.func @a_fourth_axis<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{a grid has the axes 0, 1 and 2, not 3}}
    %b = block_id 3
  }
  return %Y
}

// -----

kernel.func @an_axis_below<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{a grid has the axes 0, 1 and 2, not 4}}
    %b = grid_size 4
  }
  return %Y
}

// -----

kernel.func @no_integer<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{the result must be an integer, or a fragment of integers}}
    %b = index (1) : f32
  }
  return %Y
}

// -----

kernel.func @an_axis_of_a_number<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1703 'kernel.index': the expression names 'i0', and there are 0 values and 0 axes}}
    %b = index (i0)
  }
  return %Y
}

// -----

kernel.func @three_axes_of_tiles<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{tiles are counted by rows and columns, not along 3 axes}}
    %a, %b = tile_order %n of (M, N, 2) rows
  }
  return %Y
}

// -----

kernel.func @no_height<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{the rows of a group are a positive number: 'grouped 8'}}
    %a, %b = tile_order %n of (M, N) grouped
  }
  return %Y
}

// -----

kernel.func @a_height_too_many<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{only the order 'grouped' has groups}}
    %a, %b = tile_order %n of (M, N) rows 8
  }
  return %Y
}

// -----

kernel.func @no_stages<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    %n = index (1)
    // expected-error@+1 {{a ring has at least one stage, not 0}}
    %a, %b = advance %n, %n over 0
  }
  return %Y
}

// -----

kernel.func @does_not_fit_the_warps<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 256 {
    // expected-error@+1 {{E1701 'kernel.const': frag<[64, 64], f32, wgmma> does not lie in the registers of 8 warps}}
    %a = const 0.0 : frag<[64, 64], f32, wgmma>
  }
  return %Y
}

// -----

kernel.func @all_registers_of_the_block(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 384 {
    role a warps 0 to 4 registers 24 {
    }
    role b warps 4 to 12 registers 240 {
    }
  }
  return %Y
}

// -----

kernel.func @registers_of_one_step_more(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  // expected-error@+1 {{the roles want 65536 registers, and a block of 384 threads is launched with 64512, 168 for each, of the 65536 of an SM}}
  grid (1) threads 384 {
    role a warps 0 to 4 registers 32 {
    }
    role b warps 4 to 12 registers 240 {
    }
  }
  return %Y
}

// -----

kernel.func @registers_beyond_the_file(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  // expected-error@+1 {{the roles want 98304 registers, and a block of 384 threads is launched with 64512}}
  grid (1) threads 384 {
    role a warps 0 to 4 registers 256 {
    }
    role b warps 4 to 8 registers 256 {
    }
    role c warps 8 to 12 registers 256 {
    }
  }
  return %Y
}

// -----

kernel.func @registers_of_two_blocks(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  // expected-error@+1 {{is launched with 30720, 80 for each}}
  grid (1) threads 384 blocks_per_sm 2 {
    role a warps 0 to 4 registers 24 {
    }
    role b warps 4 to 12 registers 240 {
    }
  }
  return %Y
}

// -----

kernel.func @registers_of_two_warps(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 384 {
    // expected-error@+1 {{E1702 'kernel.role': whole groups of 4 warps change their registers, from a multiple of 4 on, and 0 to 2 are none}}
    role a warps 0 to 2 registers 40 {
    }
  }
  return %Y
}

// -----

kernel.func @registers_across_groups(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 384 {
    // expected-error@+1 {{whole groups of 4 warps change their registers, from a multiple of 4 on, and 2 to 6 are none}}
    role a warps 2 to 6 registers 40 {
    }
  }
  return %Y
}

// -----

kernel.func @all_shared_memory(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %s = shared : tile<[908, 64], f32, row_major>
  }
  return %Y
}

// -----

kernel.func @shared_memory_for_one_barrier_more(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>
  // expected-error@+1 {{a block has up to 232448 bytes of shared memory, not 232456}}
  grid (1) threads 128 {
    %s = shared : tile<[908, 64], f32, row_major>
    %b = mbarriers arrivals 1 : mbarrier<1>
  }
  return %Y
}

// -----

kernel.func @all_shared_memory_of_sm80(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %s = shared : tile<[652, 64], f32, row_major>
  }
  return %Y
}

// -----

kernel.func @a_row_more_on_sm80(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f16>
  // expected-error@+1 {{a block has up to 166912 bytes of shared memory, not 167168}}
  grid (1) threads 128 {
    %s = shared : tile<[653, 64], f32, row_major>
  }
  return %Y
}

// -----

kernel.func @many_blocks() -> memref<[1], f32> {
  %Y = output : memref<[1], f32>
  // expected-error@+1 {{an SM runs up to 32 blocks and 2048 threads at once, not 9223372036854775807 blocks of 64}}
  grid (32) threads 64 blocks_per_sm 9223372036854775807 {
  }
  return %Y
}

// -----

kernel.func @least_warp<M, N>(%X: memref<[M, N], f16>) -> memref<[M, N], f16> {
  %Y = output : memref<[M, N], f16>
  grid (1) threads 128 {
    // expected-error@+1 {{E1702 'kernel.role': the block has the warps 0 to 4, and 2 to -9223372036854775808 are not among them}}
    role a warps 2 to -9223372036854775808 {
      %c = const 0.0 : frag<[64, 64], f32, wgmma>
    }
  }
  return %Y
}
