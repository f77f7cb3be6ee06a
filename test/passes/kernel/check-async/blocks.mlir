// What blocks do to each other in global memory, in order.

// RUN: dlc-opt %s --check-async --split-input-file --verify-diagnostics

// Each block waits for the one with the ticket before its own.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @chain<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
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
  }
  return %Y
}

// -----

// The last block of a row adds the parts of all.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @last<N, S>(%X: memref<[N, S, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %parts = workspace : memref<[N, S, 64], f32>
  %arrived = scratch : memref<[N], i32>
  grid (N, S) threads 64 {
    %n = block_id 0
    %p = block_id 1
    %x = load %X[%n, %p, i0] : !one
    store %x to %parts[%n, %p, i0]
    %t = ticket %arrived[%n]
    if (%t == S - 1) {
      %zero = const 0.0 : !one
      %sum = for %i = 0 to S carry (%s = %zero) {
        %a = load %parts[%n, %i, i0] : !one
        %s1 = binary add %s, %a : !one
        yield %s1
      }
      store %sum to %Y[%n, i0]
    }
  }
  return %Y
}

// -----

// Sums in one step need no order: nothing reads them here.
!one = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @combined<N>(%X: memref<[N, 64], f32>) -> memref<[64], f32> {
  %Y = scratch : memref<[64], f32>
  %Z = output : memref<[64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !one
    store combine sum %x to %Y[i0]
  }
  grid (1) threads 64 {
    %x = load %Y[i0] : !one
    store %x to %Z[i0]
  }
  return %Z
}

// -----

// Each row goes through two groups of warps; the group releases for itself.
!one = frag<[32], f32, blocked [1] lanes [32] warps [1]>

kernel.func @groups<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N, 2], i32>
  grid (N) threads 64 {
    %t = ticket %order[0]
    role half warps 0 to 2 groups 2 (%g: index) {
      %x = load %X[%t, 32 * %g + i0] : !one
      %s = if (%t > 0) : !one {
        %seen = acquire %ready[%t - 1, %g] until 1
        %before = load %Y[%t - 1, 32 * %g + i0] : !one
        %sum = binary add %before, %x : !one
        yield %sum
      } else {
        yield %x
      }
      store %s to %Y[%t, 32 * %g + i0]
      release 1 to %ready[%t, %g]
    }
  }
  return %Y
}

// -----

// Boxes that blocks store lie side by side.
kernel.func @boxes<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32, row_major, align 16> attributes {target = "sm90"} {
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
      %e = tma_store %s to %mY[8 * %t, 0] : token<epilogue>
      await_read %e
    }
  }
  return %Y
}

// -----

// The number of the block in a cluster along one axis of one block, and in one along two axes.
kernel.func @rank_of_one<M>(%x: memref<[M, 128], f32>) -> memref<[M, 128], f32> attributes {target = "sm90"} {
  %y = output : memref<[M, 128], f32>
  grid (8 * (M ceildiv 64)) cluster [1] threads 128 {
    %b = block_id 0
    %t = index (%b floordiv 8)
    %r = block_rank
    %v = load %x[64*%t + 7*%r + i0, i1] where (64*%t + 8*%r + i0 < M) : frag<[8, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[64*%t + 8*%b - 64*(%b floordiv 8) + i0, i1] where (64*%t + 8*%b - 64*(%b floordiv 8) + i0 < M)
  }
  return %y
}

// -----

kernel.func @rank_of_two_axes<M>(%x: memref<[M, 128], f32>) -> memref<[M, 128], f32> attributes {target = "sm90"} {
  %y = output : memref<[M, 128], f32>
  grid (2 * (M ceildiv 32), 2) cluster [2, 2] threads 128 {
    %b = block_id 0
    %t = index (%b floordiv 2)
    %r = block_rank
    %v = load %x[32*%t + 8*%r + i0, i1] where (32*%t + 8*%r + i0 < M) : frag<[8, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    // expected-error@+1 {{E1814 'kernel.store': not verified: two blocks may store to the same element}}
    store %v to %y[32*%t + 8*%r + i0, i1] where (32*%t + 8*%r + i0 < M)
  }
  return %y
}
