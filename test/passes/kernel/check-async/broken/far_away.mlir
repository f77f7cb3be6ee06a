// What is wrong far away: in rounds, tiles and sizes that only a number in the text says, or several of them together.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// In the round 1000, of which a greater number is asked that follows from it.
kernel.func @greater_of_both<M>(%X: memref<[256], f32>) -> memref<[256], f32> {
  %Y = output : memref<[256], f32>
  grid (1) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    %c = index (70)
    for %k = 0 to M {
      copy %X[i0] to %s by blocked [1] lanes [32] warps [4]
      %m0 = max %k, %c
      %m = index (2 * %m0)
      if (%m < 2000) {
        barrier
      }
      if (2001 <= %m) {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
      barrier
      store %x to %Y[i0]
    }
  }
  return %Y
}

// -----

// In a round in which the integer of the loop comes up to what the stage says: it does so at one stage only.
kernel.func @limit_of_stage(%A: memref<[64, 64], f16, row_major, align 16>, %B: memref<[64, 64], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to 100 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[1]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to 100 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        %limit = index (40 * %s0)
        if (%k < %limit) {
          await %w
          arrive %empty[%s0] by warp
        } else {
          if (%s0 == 0) {
            await %w
            arrive %empty[%s0] by warp
          } else {
            if (%s0 == 4) {
              await %w
              arrive %empty[%s0] by warp
            } else {
              arrive %empty[%s0] by warp
              await %w
            }
          }
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// In the round 1,000,000 alone a stage is given back too early.
kernel.func @far_round<K>(%A: memref<[64, K], f16, row_major, align 16>, %B: memref<[64, K], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[1]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        if (%k == 1000000) {
          arrive %empty[%s0] by warp
        }
        await %w
        if (%k < 1000000) {
          arrive %empty[%s0] by warp
        }
        if (1000001 <= %k) {
          arrive %empty[%s0] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The same where the text says how often.
kernel.func @many_rounds(%A: memref<[64, 64], f16, row_major, align 16>, %B: memref<[64, 64], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to 300000000 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[1]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to 300000000 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        if (%k == 100000000) {
          arrive %empty[%s0] by warp
        }
        await %w
        if (%k < 100000000) {
          arrive %empty[%s0] by warp
        }
        if (100000001 <= %k) {
          arrive %empty[%s0] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// In one step of each tile from the fifty millionth on.
kernel.func @many_tiles(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
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
        %s, %p = for %k = 0 to 64 carry (%s0 = %s2, %p0 = %p2) {
          wait %empty[%s0] parity %p0
          expect %full[%s0] bytes 8192
          // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[2]: a matrix product may still read it: it is awaited only later}}
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
        %c, %s, %p = for %k = 0 to 64 carry (%c1 = %c0, %s0 = %s2, %p0 = %p2) {
          wait %full[%s0] parity %p0
          %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          if (50000000 <= %t) {
            if (%k == 33) {
              arrive %empty[%s0] by warp
            } else {
              await %w
              arrive %empty[%s0] by warp
            }
            await %w
          } else {
            await %w
            arrive %empty[%s0] by warp
          }
          %s1, %p1 = advance %s0, %p0 over 3
          yield %c2, %s1, %p1
        }
        store %c to %D[i0, i1]
        yield %s, %p
      }
    }
  }
  return %D
}

// -----

// In the second step of one tile.
kernel.func @step_of_tile<M, K>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (4) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    %b = block_id 0
    %bs = grid_size 0
    role producer warps 0 to 4 single {
      %x:2 = for %t = %b to M ceildiv 64 step %bs carry (%s2 = %zero, %p2 = %one) {
        %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %s2, %p0 = %p2) {
          wait %empty[%s0] parity %p0
          expect %full[%s0] bytes 8192
          // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[2]: a matrix product may still read it: it is awaited only later}}
          tma_load %mA[0, 0] to %sA[%s0] signal %full[%s0]
          %s1, %p1 = advance %s0, %p0 over 3
          yield %s1, %p1
        }
        yield %s, %p
      }
    }
    role consumer warps 4 to 8 {
      %y:2 = for %t = %b to M ceildiv 64 step %bs carry (%s2 = %zero, %p2 = %zero) {
        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %s2, %p0 = %p2) {
          wait %full[%s0] parity %p0
          %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          if (%t == 50000) {
            if (%k == 1) {
              arrive %empty[%s0] by warp
            } else {
              await %w
              arrive %empty[%s0] by warp
            }
            await %w
          } else {
            await %w
            arrive %empty[%s0] by warp
          }
          %s1, %p1 = advance %s0, %p0 over 3
          yield %c2, %s1, %p1
        }
        store %c to %D[i0, i1]
        yield %s, %p
      }
    }
  }
  return %D
}

// -----

// In one step where the tile and the step together are far.
kernel.func @tile_and_step<M, K>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (4) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    %b = block_id 0
    %bs = grid_size 0
    role producer warps 0 to 4 single {
      %x:2 = for %t = %b to M ceildiv 64 step %bs carry (%s2 = %zero, %p2 = %one) {
        %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %s2, %p0 = %p2) {
          wait %empty[%s0] parity %p0
          expect %full[%s0] bytes 8192
          // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[2]: a matrix product may still read it: it is awaited only later}}
          tma_load %mA[0, 0] to %sA[%s0] signal %full[%s0]
          %s1, %p1 = advance %s0, %p0 over 3
          yield %s1, %p1
        }
        yield %s, %p
      }
    }
    role consumer warps 4 to 8 {
      %y:2 = for %t = %b to M ceildiv 64 step %bs carry (%s2 = %zero, %p2 = %zero) {
        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %s2, %p0 = %p2) {
          wait %full[%s0] parity %p0
          %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          if (900 <= %t + %k) {
            if (%k == 700) {
              arrive %empty[%s0] by warp
            } else {
              await %w
              arrive %empty[%s0] by warp
            }
            await %w
          } else {
            await %w
            arrive %empty[%s0] by warp
          }
          %s1, %p1 = advance %s0, %p0 over 3
          yield %c2, %s1, %p1
        }
        store %c to %D[i0, i1]
        yield %s, %p
      }
    }
  }
  return %D
}

// -----

// In one tile, which comes to the third block.
kernel.func @tile_of_block<M, K>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (8) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    %b = block_id 0
    %bs = grid_size 0
    role producer warps 0 to 4 single {
      %x:2 = for %t = %b to M ceildiv 64 step %bs carry (%s2 = %zero, %p2 = %one) {
        %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %s2, %p0 = %p2) {
          wait %empty[%s0] parity %p0
          expect %full[%s0] bytes 8192
          // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[1]: a matrix product may still read it: it is awaited only later}}
          tma_load %mA[0, 0] to %sA[%s0] signal %full[%s0]
          %s1, %p1 = advance %s0, %p0 over 3
          yield %s1, %p1
        }
        yield %s, %p
      }
    }
    role consumer warps 4 to 8 {
      %y:2 = for %t = %b to M ceildiv 64 step %bs carry (%s2 = %zero, %p2 = %zero) {
        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %s2, %p0 = %p2) {
          wait %full[%s0] parity %p0
          %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          if (%t == 34) {
            if (0 <= %k) {
              arrive %empty[%s0] by warp
            } else {
              await %w
              arrive %empty[%s0] by warp
            }
            await %w
          } else {
            await %w
            arrive %empty[%s0] by warp
          }
          %s1, %p1 = advance %s0, %p0 over 3
          yield %c2, %s1, %p1
        }
        store %c to %D[i0, i1]
        yield %s, %p
      }
    }
  }
  return %D
}

// -----

// In rounds that come once the size is large.
kernel.func @from_size<K>(%A: memref<[64, K], f16, row_major, align 16>, %B: memref<[64, K], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        if (64 * %k + 100000 < K) {
          arrive %empty[%s0] by warp
          await %w
        } else {
          await %w
          arrive %empty[%s0] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// In the last round, where three times the size leaves the remainder 1.
kernel.func @third_parts<M>(%X: memref<[256], f32>) -> memref<[256], f32> {
  %Y = output : memref<[256], f32>
  grid (1) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    for %t = 0 to 3 * M step 128 {
      copy %X[i0] to %s by blocked [1] lanes [32] warps [4]
      if (%t + 1 < 3 * M) {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
      barrier
      store %x to %Y[i0]
    }
  }
  return %Y
}

// -----

// In a round with one remainder, at sizes with another.
kernel.func @two_remainders<M, K>(%X: memref<[256], f32>) -> memref<[256], f32> {
  %Y = output : memref<[256], f32>
  grid (1) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    for %k = 0 to M {
      copy %X[i0] to %s by blocked [1] lanes [32] warps [4]
      if (%k mod 100 < 77) {
        barrier
      }
      if (78 <= %k mod 100) {
        barrier
      }
      if (%k mod 100 == 77) {
        if (K mod 100 < 3) {
          barrier
        }
        if (4 <= K mod 100) {
          barrier
        }
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
      barrier
      store %x to %Y[i0]
    }
  }
  return %Y
}

// -----

// In a round whose number and the size have a remainder together.
kernel.func @remainder_of_both<M>(%X: memref<[256], f32>) -> memref<[256], f32> {
  %Y = output : memref<[256], f32>
  grid (1) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    for %k = 0 to M {
      copy %X[i0] to %s by blocked [1] lanes [32] warps [4]
      if ((%k + M) mod 200 < 150) {
        barrier
      }
      if (151 <= (%k + M) mod 200) {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
      barrier
      store %x to %Y[i0]
    }
  }
  return %Y
}

// -----

// In one round at one size.
kernel.func @round_at_size<M>(%X: memref<[256], f32>) -> memref<[256], f32> {
  %Y = output : memref<[256], f32>
  grid (1) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    for %k = 0 to M {
      copy %X[i0] to %s by blocked [1] lanes [32] warps [4]
      if (%k < 77) {
        barrier
      }
      if (78 <= %k) {
        barrier
      }
      if (%k == 77) {
        if (M < 1234) {
          barrier
        }
        if (1235 <= M) {
          barrier
        }
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
      barrier
      store %x to %Y[i0]
    }
  }
  return %Y
}

// -----

// In a round that is far, on a machine where copies are awaited by those that began them.
kernel.func @rounds_sm80<K>(%X: memref<[256], f32>) -> memref<[256], f32> attributes {target = "sm80"} {
  %Y = output : memref<[256], f32>
  grid (1) threads 128 {
    %s = shared : tile<2 x [256], f32, row_major>
    %zero = index (0)
    %t = copy_async %X[i0] to %s[%zero] by blocked [2] lanes [32] warps [4] : token<load>
    %last = for %k = 0 to K carry (%t0 = %t) {
      %now = index (%k mod 2)
      %next = index ((%k + 1) mod 2)
      await %t0
      if (%k < 300000) {
        barrier
      }
      if (300001 <= %k) {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.copy_async': writes to %s[1]: other warps read it, with no barrier between}}
      %t1 = copy_async %X[i0] to %s[%next] by blocked [2] lanes [32] warps [4] : token<load>
      %x = load_shared %s[%now] : frag<[256], f32, blocked [1] lanes [32] warps [4]>
      store %x to %Y[i0]
      yield %t1
    }
    await %last
  }
  return %Y
}
