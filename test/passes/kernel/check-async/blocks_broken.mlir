// What blocks do to each other in global memory, with a fault in each.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// Nothing says that the block before has written its row.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @missing_flag<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      // expected-error@+1 {{E1815 'kernel.load': reads what another block writes to %Y: }}
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// The flag of another block.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @wrong_index<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %seen = acquire %ready[0] until 1
      // expected-error@+1 {{E1815 'kernel.load': reads what another block writes to %Y: the flag that is acquired may be another one than the writer releases}}
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// The flag is released before the row is written.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @early_release<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %seen = acquire %ready[%t - 1] until 1
      // expected-error@+1 {{E1815 'kernel.load': reads what another block writes to %Y: the flag may be released with 1 before the write}}
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    release 1 to %ready[%t]
    store %s to %Y[%t, i0]
  }
  return %Y
}

// -----

// The row is read before the flag is acquired.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @late_acquire<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      // expected-error@+1 {{E1815 'kernel.load': reads what another block writes to %Y: the flag is acquired only after the read}}
      %before = load %Y[%t - 1, i0] : !one
      %seen = acquire %ready[%t - 1] until 1
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// Block t waits for block t + 1, which waits for the one after it: the last one that runs waits for one that has not begun.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @later_block<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t < N - 1) : !one {
      // expected-error@+1 {{E1806 'kernel.acquire': may deadlock at a flag of %ready: the block which releases it may have a later ticket, and may not have begun}}
      %seen = acquire %ready[%t + 1] until 1
      %before = load %Y[%t + 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// A block that waits for its own flag.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @own_flag<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      // expected-error@+1 {{E1806 'kernel.acquire': may deadlock at a flag of %ready: the block which releases it may have a later ticket, and may not have begun}}
      %seen = acquire %ready[%t] until 1
      %before = load %Y[%t, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// By the numbers of blocks: that a block with a lower number has begun is promised by nobody.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @by_number<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = block_id 0
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      // expected-error@+1 {{E1806 'kernel.acquire': may deadlock at a flag of %ready: nothing says that the block which releases it has begun}}
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// The first block waits for one before it, which there is none of.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @first_block<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t >= 0) : !one {
      // expected-error@+1 {{E1806 'kernel.acquire': may deadlock at a flag of %ready: no block releases the flag with that index}}
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// Nothing releases the flag with 2.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @never_released<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      // expected-error@+1 {{E1806 'kernel.acquire': may deadlock at a flag of %ready: no block releases it with that value}}
      %seen = acquire %ready[%t - 1] until 2
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// Whether the flag is released depends on data.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @sometimes_released<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      // expected-error@+1 {{E1806 'kernel.acquire': may deadlock at a flag of %ready: whether it is released depends on data}}
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    %v = load %X[0, 0] : f32
    %z = const 0.0 : f32
    %is = binary lt %z, %v : i1
    if %is {
      release 1 to %ready[%t]
    }
  }
  return %Y
}

// -----

// All blocks release one flag: whoever acquires it does not know for whom.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @released_by_two<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    // expected-error@+1 {{E1815 'kernel.release': %ready is released by two blocks: who waits for it does not know for what}}
    release 1 to %ready[0]
  }
  return %Y
}

// -----

// A flag that falls.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @falling<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 2 to %ready[%t]
    // expected-error@+1 {{E1815 'kernel.release': %ready is released twice, and not in rising steps}}
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// The same flag in each round: it is there after the first.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @in_a_loop<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    for %i = 0 to 3 {
      // expected-error@+1 {{E1815 'kernel.release': %ready is released in two rounds of a loop}}
      release 1 to %ready[%t]
    }
  }
  return %Y
}

// -----

// Two blocks write the same row.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @same_row<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[N, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    // expected-error@+1 {{E1815 'kernel.store': writes to %Y, where another block may write as well}}
    store %s to %Y[%t floordiv 2, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// Flags are no memory for anything else.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @flag_as_memory<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
    %one = const 1 : frag<[64], i32, blocked [1] lanes [32] warps [2]>
    // expected-error@+1 {{E1815 'kernel.store': %ready has flags, and is read or written as memory as well}}
    store %one to %ready[64 * %t + i0]
  }
  return %Y
}

// -----

// The second grid of a launch finds the flags as the first one has left them.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @stale<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      // expected-error@+1 {{E1816 'kernel.acquire': %ready is no longer zero: another grid of the launch has used its flags}}
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  grid (N) threads 64 {
    // expected-error@+1 {{E1816 'kernel.release': %ready is no longer zero: another grid of the launch has used its flags}}
    release 1 to %ready[N - 1]
  }
  return %Y
}

// -----

// A counter of tickets is no flag.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @counter_as_flag<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    // expected-error@+1 {{E1814 'kernel.ticket': not verified: %order is counted by tickets and used as a flag as well}}
    %t = ticket %order[0]
    release 1 to %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// Only the last ticket of a tile says that all parts are there.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @not_the_last<N>(%X: memref<[N, 4, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %parts = workspace : memref<[N, 4, 64], f32>
  %arrived = scratch : memref<[N], i32>
  grid (N, 4) threads 64 {
    %n = block_id 0
    %p = block_id 1
    %x = load %X[%n, %p, i0] : !one
    store %x to %parts[%n, %p, i0]
    %t = ticket %arrived[%n]
    if (%t == 2) {
      // expected-error@+1 {{E1815 'kernel.load': reads what another block writes to %parts: it may take its ticket later}}
      %a = load %parts[%n, 0, i0] : !one
      store %a to %Y[%n, i0]
    }
  }
  return %Y
}

// -----

// The counter of another tile.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @other_counter<N>(%X: memref<[N, 4, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %parts = workspace : memref<[N, 4, 64], f32>
  %arrived = scratch : memref<[4], i32>
  grid (N, 4) threads 64 {
    %n = block_id 0
    %p = block_id 1
    %x = load %X[%n, %p, i0] : !one
    store %x to %parts[%n, %p, i0]
    %t = ticket %arrived[%p]
    if (%t == N - 1) {
      // expected-error@+1 {{E1815 'kernel.load': reads what another block writes to %parts: the writer may take its ticket of another counter}}
      %a = load %parts[%n, 0, i0] : !one
      store %a to %Y[%n, i0]
    }
  }
  return %Y
}

// -----

// The part is stored after the ticket.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @late_store<N>(%X: memref<[N, 4, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %parts = workspace : memref<[N, 4, 64], f32>
  %arrived = scratch : memref<[N], i32>
  grid (N, 4) threads 64 {
    %n = block_id 0
    %p = block_id 1
    %x = load %X[%n, %p, i0] : !one
    %t = ticket %arrived[%n]
    store %x to %parts[%n, %p, i0]
    if (%t == 3) {
      // expected-error@+1 {{E1815 'kernel.load': reads what another block writes to %parts: }}
      %a = load %parts[%n, 0, i0] : !one
      store %a to %Y[%n, i0]
    }
  }
  return %Y
}

// -----

// The other warps of the block write, and nothing says that they have.
!one = frag<[32], f32, blocked [1] lanes [32] warps [1]>

kernel.func @other_warps<N>(%X: memref<[N, 32], f32>) -> memref<[N, 32], f32> {
  %Y = output : memref<[N, 32], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    role writer warps 0 to 1 {
      %x = load %X[%t, i0] : !one
      store %x to %Y[%t, i0]
    }
    role reader warps 1 to 2 {
      if (%t > 0) {
        %seen = acquire %ready[%t - 1] until 1
        // expected-error@+1 {{E1815 'kernel.load': reads what another block writes to %Y: other warps of the writing block release the flag}}
        %before = load %Y[%t - 1, i0] : !one
      }
      release 1 to %ready[%t]
    }
  }
  return %Y
}

// -----

// A loop whose length other blocks decide is not followed.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @length<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  grid (N) threads 64 {
    %b = block_id 0
    %t = ticket %order[0]
    // expected-error@+1 {{E1814 'kernel.for': not verified: how often the loop runs depends on what other blocks do}}
    for %i = 0 to %t {
      barrier
    }
  }
  return %Y
}

// -----

// The TMA reads through another proxy, which no flag orders yet.
kernel.func @by_tma<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[N, 64], f32>
  %mY = tensor_map %Y : tensormap<[1, 64], f32, row_major>
  %order = scratch : memref<[1], i32>
  grid (N) threads 64 {
    %s = shared : tile<[1, 64], f32, row_major>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %t = ticket %order[0]
    %x = load %X[%t + i0, i1] : frag<[1, 64], f32, blocked [1, 1] lanes [1, 32] warps [1, 2]>
    store %x to %Y[%t + i0, i1]
    elect {
      expect %full bytes 256
      // expected-error@+1 {{E1814 'kernel.tma_load': not verified: %Y is written and read by this grid, and TMA accesses to such memory are not followed}}
      tma_load %mY[%t - 1, 0] to %s signal %full
    }
  }
  return %Y
}

// -----

// Blocks of a cluster may wait for each other at a barrier, whatever their tickets.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @in_clusters<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> attributes {target = "sm90"} {
  require (N mod 2 == 0)
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) cluster [2] threads 64 {
    %t = ticket %order[0]
    cluster_barrier
    if (%t > 0) {
      // expected-error@+1 {{E1814 'kernel.acquire': not verified: blocks of a cluster may wait for each other, and for flags as well}}
      %seen = acquire %ready[%t - 1] until 1
    }
    release 1 to %ready[%t]
  }
  return %Y
}

// -----

// Two blocks store boxes that overlap.
kernel.func @boxes_overlap<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[N, 64], f32, row_major, align 16>
  %mY = tensor_map %Y : tensormap<[8, 64], f32, row_major>
  %order = scratch : memref<[1], i32>
  grid (N ceildiv 8) threads 64 {
    %s = shared : tile<[8, 64], f32, row_major>
    %t = ticket %order[0]
    %x = load %X[8 * %t + i0, i1] where (8 * %t + i0 < N) else 0.0 : frag<[8, 64], f32, blocked [8, 1] lanes [1, 32] warps [1, 2]>
    store_shared %x to %s
    fence_async
    barrier
    elect {
      // expected-error@+1 {{E1815 'kernel.tma_store': writes to %Y, where another block may write as well}}
      %e = tma_store %s to %mY[7 * %t, 0] : token<epilogue>
      await_read %e
    }
  }
  return %Y
}
