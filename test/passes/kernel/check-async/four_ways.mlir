// Branches in four loops, of one model thread and of two, that go wrong only together: each three of them are run.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// Block 120 meets no barrier.
kernel.func @in_four_loops<M>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  require (M <= 150)
  grid (M) threads 128 {
    %b = block_id 0
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    for %i = 0 to 2 {
      if (%b mod 2 == 0) {
      } else {
        barrier
      }
    }
    for %j = 0 to 2 {
      if (%b mod 3 == 0) {
      } else {
        barrier
      }
    }
    for %k = 0 to 2 {
      if (%b mod 5 == 0) {
      } else {
        barrier
      }
    }
    for %l = 0 to 2 {
      // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, together with what the notes say, and it may}}
      if (%b mod 7 == 1) {
      } else {
        barrier
      }
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Of three numbers that are at least 1 the sum is more than 2: a barrier is met always.
kernel.func @never_all_four<M, N, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (M, N, K) threads 128 {
    %x = block_id 0
    %y = block_id 1
    %z = block_id 2
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    for %i = 0 to 2 {
      if (%x >= 1) {
      } else {
        barrier
      }
    }
    for %j = 0 to 2 {
      if (%y >= 1) {
      } else {
        barrier
      }
    }
    for %k = 0 to 2 {
      if (%z >= 1) {
      } else {
        barrier
      }
    }
    for %l = 0 to 2 {
      if (%x + %y + %z <= 2) {
      } else {
        barrier
      }
    }
    %v = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %v to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// In block 120 nothing orders what one role writes and another one reads.
kernel.func @of_two_roles<M>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  require (M <= 150)
  grid (M) threads 256 {
    %b = block_id 0
    %id = index (1)
    %s = shared : tile<[64, 64], f32, row_major>
    role writer warps 0 to 4 {
      %c = const 0.0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store_shared %c to %s
      for %i = 0 to 2 {
        if (%b mod 2 == 0) {
        } else {
          barrier id %id threads 256
        }
      }
      for %j = 0 to 2 {
        if (%b mod 3 == 0) {
        } else {
          barrier id %id threads 256
        }
      }
      for %k = 0 to 2 {
        if (%b mod 5 == 0) {
        } else {
          barrier id %id threads 256
        }
      }
      for %l = 0 to 2 {
        if (%b mod 7 == 1) {
        } else {
          barrier id %id threads 256
        }
      }
    }
    role reader warps 4 to 8 {
      for %i = 0 to 2 {
        if (%b mod 2 == 0) {
        } else {
          barrier id %id threads 256
        }
      }
      for %j = 0 to 2 {
        if (%b mod 3 == 0) {
        } else {
          barrier id %id threads 256
        }
      }
      for %k = 0 to 2 {
        if (%b mod 5 == 0) {
        } else {
          barrier id %id threads 256
        }
      }
      for %l = 0 to 2 {
        // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, together with what the notes say, and it may}}
        if (%b mod 7 == 1) {
        } else {
          barrier id %id threads 256
        }
      }
      %y = load_shared %s : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %y to %Y[i0, i1] where (i0 < 0)
    }
  }
  return %Y
}
