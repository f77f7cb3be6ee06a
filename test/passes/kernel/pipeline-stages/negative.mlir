// RUN: dlc-opt %s -o %t.same
// RUN: dlc-opt %s --pipeline-stages | cmp %t.same -
// RUN: dlc-opt %s --pipeline-stages --no-output --remarks=missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// The threads copy and wait, and where the next tile lies follows from this step.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: its threads wait for their copies: 'insert-async-tokens' says why; and not through registers: what its copies read depends on what the loop carries or on memory
kernel.func @synchronous<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %start = index (0)
    %sum:2 = for %m = 0 to M step 32 carry (%acc = %zero, %at = %start) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>, index {
      copy %X[%at + i0, i1] where (%at + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1]
      barrier
      %next = index (%at + 32)
      %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %x : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d, %next
    }
    store %sum#0 to %Y[i0, i1]
  }
  return %Y
}

// A step of 64 KB is too much for the registers of 128 threads.
// REMARK: missed] {{.*}}and not through registers: a thread would have 512 bytes of a step in registers, and 256 are the most
kernel.func @many<M>(%X: memref<[M, 128], f32, row_major, align 16>) -> memref<[128, 128], f32> {
  %Y = output : memref<[128, 128], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[128, 128], f32, row_major>
    %zero = const 0.0 : frag<[128, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    %sum = for %m = 0 to M step 128 carry (%acc = %zero) : frag<[128, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]> {
      copy %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 4] lanes [1, 32] warps [4, 1]
      barrier
      %x = load_shared %tile : frag<[128, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
      %d = binary add %acc, %x : frag<[128, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
      barrier
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// What is copied and what is computed lie next to each other until the end of the step.
// REMARK: missed] {{.*}}and not through registers: its threads do not meet at its end, or write more to shared memory
kernel.func @next_to<M>(%X: memref<[M, 32], f32, row_major, align 16>) -> memref<[32, 32], f32> {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 32], f32, row_major>
    %other = shared : tile<[32, 32], f32, row_major>
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      copy %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 4] lanes [4, 8] warps [4, 1]
      store_shared %acc to %other
      barrier
      %x = load_shared %tile : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %o = load_shared %other transposed : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %d = binary add %o, %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// Where the next tile lies follows from this step.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: what its loads read depends on what the loop carries or on memory
kernel.func @carried<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %start = index (0)
    %sum:2 = for %m = 0 to M step 32 carry (%acc = %zero, %at = %start) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>, index {
      %t = copy_async %X[%at + i0, i1] where (%at + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %next = index (%at + 32)
      %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %x : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d, %next
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// The threads await their own copies and do not meet.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: its threads do not meet after its loads
kernel.func @no_meeting<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      %d = binary add %acc, %acc : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// The token leaves the loop's block.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: the token of a copy is awaited elsewhere than in its step
kernel.func @awaited_elsewhere<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      if (%m >= 0) {
        await %t
      }
      await %t
      barrier
      %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %x : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// A token that nothing awaits.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: a copy is not awaited
kernel.func @not_awaited<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      barrier
      %d = binary add %acc, %acc : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// The last tile is read after the loop.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: a tile is used outside of the loop too
kernel.func @used_after<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %x : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d
    }
    %z = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zf = cast %z : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store %zf to %Y[i0, i1]
    barrier
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// A tile that may lie over another.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: a tile may lie over others
kernel.func @placed<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared at 0 : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %x : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// The tile is changed before the threads have met.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: a tile is written by other ops than its loads
kernel.func @written<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      %o = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      store_shared %o to %tile
      barrier
      %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %x : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// A tile is read before the threads meet: that of the step before.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: a tile is read before its threads meet
kernel.func @read_before<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %o = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %x : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// Three tiles of 64 KiB do not fit.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: rings of 3 take 196608 bytes of shared memory, and a block of sm80 has 166912
kernel.func @large<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[512, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[512, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[512, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[512, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 512 carry (%acc = %zero) : frag<[512, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %x = load_shared %tile : frag<[512, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %x : frag<[512, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[512, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// The integers of later steps go beyond 64 bits: the loop stays as it is.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: its next steps go beyond 64 bits
kernel.func @beyond_64_bits<A>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (2 * A) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %tile = block_id 0
    %all = index (A)
    %r = index (%tile mod A)
    %own = index (A - %r)
    %end = min %all, %own
    for %k = 9223372036854775807 to %end {
      %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %y to %Y[i0, i1] where (%tile == 0)
      barrier
      yield
    }
  }
  return %Y
}

// The step after the next one is beyond 64 bits.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: its next steps go beyond 64 bits
kernel.func @beyond<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 4611686018427387904 carry (%acc = %zero) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %x : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}
