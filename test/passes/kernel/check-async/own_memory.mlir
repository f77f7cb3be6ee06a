// Memory that threads of a block exchange, and stores that fold blocks onto few elements.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// Other threads of the block wrote it.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @no_barrier<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %W = scratch : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    store %x to %W[%b, i0]
    // expected-error@+1 {{E1815 'kernel.load': reads what threads of the same block write to %W, with no barrier between}}
    %y = load %W[%b, 63 - i0] : !one
    store %y to %Y[%b, i0]
  }
  return %Y
}

// -----

// A warp is not the block.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @a_warp_meets<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %W = scratch : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    store %x to %W[%b, i0]
    warp_sync
    // expected-error@+1 {{E1815 'kernel.load': reads what threads of the same block write to %W, with no barrier between}}
    %y = load %W[%b, 63 - i0] : !one
    store %y to %Y[%b, i0]
  }
  return %Y
}

// -----

// Only some blocks meet.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @some_blocks_meet<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %W = scratch : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    store %x to %W[%b, i0]
    if (%b < 3) {
      barrier
    }
    // expected-error@+1 {{E1815 'kernel.load': reads what threads of the same block write to %W, with no barrier between}}
    %y = load %W[%b, 63 - i0] : !one
    store %y to %Y[%b, i0]
  }
  return %Y
}

// -----

// All threads meet.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @all_meet<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %W = scratch : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    store %x to %W[%b, i0]
    barrier
    %y = load %W[%b, 63 - i0] : !one
    store %y to %Y[%b, i0]
  }
  return %Y
}

// -----

// They meet at a barrier with a number.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @all_meet_at_a_number<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %W = scratch : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    store %x to %W[%b, i0]
    %id = index (1)
    barrier id %id threads 64
    %y = load %W[%b, 63 - i0] : !one
    store %y to %Y[%b, i0]
  }
  return %Y
}

// -----

// Each thread reads its own.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @own_elements<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %W = scratch : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    store %x to %W[%b, i0]
    %y = load %W[%b, i0] : !one
    store %y to %Y[%b, i0]
  }
  return %Y
}

// -----

// Two blocks store to row 49, if there are so many.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @folded<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    // expected-error@+1 {{E1814 'kernel.store': not verified: two blocks may store to the same element, as the store is at a quotient, a remainder, the smaller or the greater of something that is computed from the number of the block}}
    store %x to %Y[%b - %b floordiv 50, i0]
  }
  return %Y
}

// -----

// All from block 50 on store to one row.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @cut<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    %last = index (50)
    %q = min %b, %last
    // expected-error@+1 {{E1814 'kernel.store': not verified: two blocks may store to the same element, as the store is at a quotient, a remainder, the smaller or the greater of something that is computed from the number of the block}}
    store %x to %Y[%q, i0]
  }
  return %Y
}

// -----

// A function that takes a bit away.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @without_a_bit<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    %bits = index (62)
    %q = binary and %b, %bits : index
    // expected-error@+1 {{E1814 'kernel.store': not verified: two blocks may store to the same element, as the store is at a quotient, a remainder, the smaller or the greater of something that is computed from the number of the block}}
    store %x to %Y[%q, i0]
  }
  return %Y
}

// -----

// Remainder and quotient together name the block.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @both_halves<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    store %x to %Y[2 * (%b floordiv 2) + %b mod 2, i0]
  }
  return %Y
}

// -----

// Other threads of the block have read it before.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @overwritten<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %Y[%b, 63 - i0] : !one
    // expected-error@+1 {{E1815 'kernel.store': writes to %Y what threads of the same block read before, with no barrier between}}
    store %x to %Y[%b, i0]
  }
  return %Y
}

// -----

// They have read it before they meet.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @overwritten_after_barrier<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %Y[%b, 63 - i0] : !one
    barrier
    store %x to %Y[%b, i0]
  }
  return %Y
}

// -----

// Each thread writes what it has read, in every round.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @in_place<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    for %k = 0 to 4 {
      %x = load %Y[%b, i0] : !one
      %z = binary add %x, %x : !one
      store %z to %Y[%b, i0]
    }
  }
  return %Y
}

// -----

// Another thread reads it in the next round.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @in_the_next_round<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    for %k = 0 to 4 {
      // expected-error@+1 {{E1815 'kernel.load': reads what threads of the same block write to %Y, with no barrier between}}
      %x = load %Y[%b, 63 - i0] : !one
      barrier
      store %x to %Y[%b, i0]
    }
  }
  return %Y
}
