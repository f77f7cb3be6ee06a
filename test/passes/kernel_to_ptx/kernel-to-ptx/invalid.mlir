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
    // expected-error@+1 {{E1910 'kernel.for': the bounds of a loop that is to be written out are not known}}
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
    %d = mma %a, %b, %c
  }
  return
}

// -----

kernel.func @the_barrier_of_a_role() {
  // expected-error@+1 {{E1910 'kernel.grid': barrier 15 is given by its number, and warps that meet without one have it too: give a smaller number}}
  grid (1) threads 192 {
    %own = index (15)
    role compute warps 0 to 4 {
      barrier
      barrier id %own threads 128
    }
    role other warps 4 to 6 {
    }
  }
  return
}

// -----

kernel.func @the_barrier_of_a_block() {
  // expected-error@+1 {{E1910 'kernel.grid': barrier 0 is given by its number, and warps that meet without one have it too: give a smaller number}}
  grid (1) threads 64 {
    %all = index (0)
    barrier
    barrier id %all threads 64
  }
  return
}
