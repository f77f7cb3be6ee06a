// What no instruction does is refused, at the op.

// RUN: dlc-opt %s --kernel-to-ptx --verify-diagnostics --split-input-file

kernel.func @beyond_tokens() {
  grid (1) threads 32 {
    // expected-error@+1 {{E1910 'kernel.elect': only tokens leave what one thread does}}
    %e = elect : index {
      %n = index (2)
      yield %n
    }
  }
  return
}

// -----

kernel.func @bounds_are_not_known<K>() {
  grid (1) threads 32 {
    // expected-error@+1 {{E1910 'kernel.for': the bounds of a loop that is to be unrolled are not known}}
    for %k = 0 to K unroll {
    }
  }
  return
}

// -----

kernel.func @a_part_of_registers<K>() {
  grid (1) threads 128 {
    %a = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    for %p = 0 to 2 {
      // expected-error@+1 {{E1910 'kernel.extract': registers have numbers, and where the part begins is not known}}
      %q = extract %a at [0, 32 * %p] : frag<[64, 32], f32, mma [2, 2]>
    }
  }
  return
}

// -----

kernel.func @a_curve_with_holes(%X: memref<[32], f32>) {
  grid (12) threads 32 {
    %b = block_id 0
    // expected-error@+1 {{E1910 'kernel.tile_order': a walk along a Hilbert curve that leaves tiles out has no formula}}
    %m, %n = tile_order %b of (3, 4) hilbert
    %k = index (%m + %n)
    if (%k < 2) {
      %x = load %X[%m + i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    }
  }
  return
}

// -----

kernel.func @a_product_in_memory(%X: memref<[32], f32>) -> memref<[32], f32> {
  %Y = output : memref<[32], f32>
  grid (2) threads 32 {
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    // expected-error@+1 {{E1910 'kernel.store': there is no instruction for this combiner of floats in memory}}
    store combine prod %x to %Y[i0]
  }
  return %Y
}

// -----

kernel.func @bytes_are_not_multiplied() attributes {target = "sm80"} {
  grid (1) threads 128 {
    %a = const 1.0 : frag<[64, 16], f32, mma_a [2, 2]>
    %b = const 1.0 : frag<[16, 64], f32, mma_b [2, 2]>
    %c = const 0.0 : frag<[64, 64], f16, mma [2, 2]>
    // expected-error@+1 {{E1910 'kernel.mma': no mma.sync multiplies f32 and adds to f16}}
    %d = mma %a, %b, %c as tf32x3
  }
  return
}

// -----

kernel.func @a_barrier_that_may_be_any() {
  // expected-error@+1 {{E1814 'kernel.grid': barriers without a number need 1 for all threads, and those of a role follow one another; a block has 16, and ids in the text may be some of them ('%b': 0 to 15)}}
  grid (1) threads 64 {
    %b = block_id 0
    barrier
    barrier id %b threads 64
  }
  return
}

// -----

kernel.func @too_few_in_a_row() {
  // expected-error@+1 {{E1814 'kernel.grid': barriers without a number need 1 for all threads, 8 for the role 'first', 4 for the role 'other', and those of a role follow one another; a block has 16, and ids in the text may be some of them ('%mine': 3 to 6, '%id': 8)}}
  grid (1) threads 1024 {
    %id = index (8)
    barrier
    role first warps 0 to 16 groups 8 (%g: index) {
      barrier
    }
    role other warps 16 to 32 groups 4 (%g: index) {
      %mine = index (%g + 3)
      barrier
      barrier id %mine threads 128
      barrier id %id threads 512
    }
  }
  return
}

// -----

kernel.func @too_many_steps_to_unroll() -> memref<[1], i32> {
  %Y = output : memref<[1], i32>
  grid (1) threads 32 {
    // expected-error@+1 {{E1910 'kernel.for': more than 65536 steps of loops are unrolled; leave 'unroll' out}}
    for %i = 0 to 2147483648 unroll {
      %x = const 0 : frag<[1], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      store %x to %Y[i0]
    }
  }
  return %Y
}

// -----

kernel.func @too_many_instructions_to_unroll() -> memref<[1], i32> {
  %Y = output : memref<[1], i32>
  grid (1) threads 32 {
    // expected-error@+1 {{E1910 'kernel.for': more than 262144 instructions of loops are unrolled; leave 'unroll' out}}
    for %i = 0 to 65536 unroll {
      %x = const 0 : frag<[255], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      store %x to %Y[i0]
    }
  }
  return %Y
}

// -----

kernel.func @the_larger_by_tma(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16, row_major, align 16>
  %y = tensor_map %Y : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %h = const 1.0 : frag<[64, 64], f16, wgmma>
    store_shared %h to %s
    fence_async
    barrier
    elect {
      // expected-error@+1 {{E1910 'kernel.tma_store': it is not known what TMA makes of NaN}}
      %t = tma_store combine max %s to %y[0, 0] : token<epilogue>
      await_read %t
    }
  }
  return %Y
}
