// Loops around each other, of as many rounds as what the block has: rows of `tile_order`, as the phases of a strided transposed
// convolution are.

// RUN: dlc-opt %s --check-async --split-input-file --verify-diagnostics --no-output

// The consumer has one loop with as many rounds as those of the producer together.
kernel.func @rounds_of_both(%A: memref<[64, 256], f16, row_major, align 16>) -> memref<[512, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[512, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (8) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    %p, %q = tile_order %b of (2, 4) rows
    barrier
    role producer warps 0 to 4 single {
      %s, %w = for %i = 0 to %p + 1 carry (%s0 = %zero, %w0 = %one) {
        %s4, %w4 = for %j = 0 to %q + 1 carry (%s1 = %s0, %w1 = %w0) {
          wait %empty[%s1] parity %w1
          expect %full[%s1] bytes 8192
          tma_load %mA[0, 64 * %i] to %sA[%s1] signal %full[%s1]
          %s2, %w2 = advance %s1, %w1 over 3
          yield %s2, %w2
        }
        yield %s4, %w4
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %w = for %k = 0 to %p*%q + %p + %q + 1 carry (%c1 = %c0, %s0 = %zero, %w0 = %zero) {
        wait %full[%s0] parity %w0
        %c2, %t = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %t
        arrive %empty[%s0] by one
        %s1, %w1 = advance %s0, %w0 over 3
        yield %c2, %s1, %w1
      }
      store %c to %D[64 * %b + i0, i1]
    }
  }
  return %D
}

// -----

// One round more than the producer has.
kernel.func @one_round_more(%A: memref<[64, 256], f16, row_major, align 16>) -> memref<[512, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[512, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (8) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    %p, %q = tile_order %b of (2, 4) rows
    barrier
    role producer warps 0 to 4 single {
      %s, %w = for %i = 0 to %p + 1 carry (%s0 = %zero, %w0 = %one) {
        %s4, %w4 = for %j = 0 to %q + 1 carry (%s1 = %s0, %w1 = %w0) {
          wait %empty[%s1] parity %w1
          expect %full[%s1] bytes 8192
          tma_load %mA[0, 64 * %i] to %sA[%s1] signal %full[%s1]
          %s2, %w2 = advance %s1, %w1 over 3
          yield %s2, %w2
        }
        yield %s4, %w4
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %w = for %k = 0 to %p*%q + %p + %q + 2 carry (%c1 = %c0, %s0 = %zero, %w0 = %zero) {
        // expected-error@+1 {{E1806 'kernel.wait': deadlock at %full[1]: nothing arrives in phase 0}}
        wait %full[%s0] parity %w0
        %c2, %t = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %t
        arrive %empty[%s0] by one
        %s1, %w1 = advance %s0, %w0 over 3
        yield %c2, %s1, %w1
      }
      store %c to %D[64 * %b + i0, i1]
    }
  }
  return %D
}

// -----

// The inner loop of the producer ends where the outer one counts to: together they have fewer rounds than the product says.
kernel.func @ends_at_a_counter(%A: memref<[64, 256], f16, row_major, align 16>) -> memref<[512, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[512, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (8) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    %p, %q = tile_order %b of (2, 4) rows
    barrier
    role producer warps 0 to 4 single {
      %s, %w = for %i = 0 to %q + 1 carry (%s0 = %zero, %w0 = %one) {
        %s4, %w4 = for %j = 0 to %i + 1 carry (%s1 = %s0, %w1 = %w0) {
          wait %empty[%s1] parity %w1
          expect %full[%s1] bytes 8192
          tma_load %mA[0, 64 * %i] to %sA[%s1] signal %full[%s1]
          %s2, %w2 = advance %s1, %w1 over 3
          yield %s2, %w2
        }
        yield %s4, %w4
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %w = for %k = 0 to %q*%q + 2*%q + 1 carry (%c1 = %c0, %s0 = %zero, %w0 = %zero) {
        // expected-error@+1 {{E1806 'kernel.wait': deadlock at %full[0]: nothing arrives in phase 1}}
        wait %full[%s0] parity %w0
        %c2, %t = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %t
        arrive %empty[%s0] by one
        %s1, %w1 = advance %s0, %w0 over 3
        yield %c2, %s1, %w1
      }
      store %c to %D[64 * %b + i0, i1]
    }
  }
  return %D
}
