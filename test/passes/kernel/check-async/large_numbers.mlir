// Numbers that are as large as what marks work, and what is computed from them, are not followed; nor do they end the checker.

// RUN: dlc-opt %s --check-async --verify-diagnostics --split-input-file

kernel.func @parity_of_a_large_number<N>(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %e = mbarriers arrivals 1 : mbarrier<1>
    barrier
    %zero = index (0)
    %p = for %i = 0 to N carry (%q = %zero) {
      arrive %e by one
      // expected-error@+1 {{E1803 'kernel.wait': a parity is 0 or 1, not 9223372036854775807}}
      wait %e parity %q
      barrier
      %q1 = index (9223372036854775807 - %q)
      yield %q1
    }
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @parity_that_is_turned<N>(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %e = mbarriers arrivals 1 : mbarrier<2>
    barrier
    %zero = index (0)
    %least = index (-9223372036854775808)
    %s, %p = for %i = 0 to N carry (%s0 = %zero, %p0 = %least) {
      arrive %e[%s0] by one
      // expected-error@+1 {{E1803 'kernel.wait': the parity does not follow from sizes and positions}}
      wait %e[%s0] parity %p0
      barrier
      %s1, %p1 = advance %s0, %p0 over 2
      yield %s1, %p1
    }
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @as_many_rounds_as_there_are_numbers<K>(%A: memref<[64, K], f16, row_major, align 16>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 4 : mbarrier<4>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s1, %p1 = for %r = 0 to 4611686018427387904 carry (%s2 = %zero, %p2 = %one) {
        %s3, %p3 = for %q = 0 to 3 carry (%s4 = %s2, %p4 = %p2) {
          %s5, %p5 = for %k = 0 to K step 64 carry (%s6 = %s4, %p6 = %p4) {
            wait %empty[%s6] parity %p6
            expect %full[%s6] bytes 8192
            tma_load %mA[0, %k] to %sA[%s6] signal %full[%s6]
            %s7, %p7 = advance %s6, %p6 over 4
            yield %s7, %p7
          }
          yield %s5, %p5
        }
        yield %s3, %p3
      }
    }
    role consumer warps 4 to 8 {
      %s1, %p1 = for %r = 0 to 3 carry (%s2 = %zero, %p2 = %zero) {
        %s5, %p5 = for %k = 0 to K step 64 carry (%s6 = %s2, %p6 = %p2) {
          // expected-error@+1 {{E1801 'kernel.wait': %full has 4 stages, and none of number 4}}
          wait %full[%s6] parity %p6
          arrive %empty[%s6] by warp
          %s7, %p7 = advance %s6, %p6 over 9223372036854775807
          yield %s7, %p7
        }
        yield %s5, %p5
      }
      %x = const 0.0 : frag<[64, 64], f16, wgmma>
      store %x to %D[i0, i1]
    }
  }
  return %D
}

// -----

// Rounds of rounds are more than 64 bits count.
kernel.func @many_tiles(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[132, 64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[132, 64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (132) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    %b = block_id 0
    %bs = grid_size 0
    role producer warps 0 to 4 single {
      %x:2 = for %t = %b to 100000000 step %bs carry (%s2 = %zero, %p2 = %one) {
        %s, %p = for %k = 0 to 4611686018427387904 carry (%s0 = %s2, %p0 = %p2) {
          wait %empty[%s0] parity %p0
          expect %full[%s0] bytes 8192
          tma_load %mA[0, 0] to %sA[%s0] signal %full[%s0]
          %s1, %p1 = advance %s0, %p0 over 3
          yield %s1, %p1
        }
        yield %s, %p
      }
    }
    role consumer warps 4 to 8 {
      %y:2 = for %t = %b to 100000000 step %bs carry (%s2 = %zero, %p2 = %zero) {
        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        // expected-error@+1 {{E1814}}
        %c, %s, %p = for %k = 0 to 64 carry (%c1 = %c0, %s0 = %s2, %p0 = %p2) {
          wait %full[%s0] parity %p0
          %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          await %w
          arrive %empty[%s0] by warp
          %s1, %p1 = advance %s0, %p0 over 3
          yield %c2, %s1, %p1
        }
        store %c to %D[%b, i0, i1]
        yield %s, %p
      }
    }
  }
  return %D
}
