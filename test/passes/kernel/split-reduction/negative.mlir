// RUN: dlc-opt %s --split-reduction=parts=2 --remarks=missed -o %t.same 2>&1 | FileCheck %s
// RUN: dlc-opt %s | diff - %t.same

// A remark says of each of these why its sum is not split, and nothing changes.

// CHECK: the sum is not split: '%acc' begins with a number that changes what is combined with it
kernel.func @maximum<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary max %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// The sign of what was there changes with each step.
// CHECK: the sum is not split: '%acc' that the loop carries is no sum
kernel.func @subtracted<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary sub %v, %acc : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// What is added depends on what is there.
// CHECK: the sum is not split: '%acc' that the loop carries is no sum
kernel.func @seen<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %w = binary mul %v, %acc : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %w : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: the sum '%acc' does not begin with zero
kernel.func @one<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %one = const 1.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %one) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// A sum of nothing would be another zero.
// CHECK: the sum is not split: the sum '%acc' does not begin with zero
kernel.func @below_zero<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const -0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: the loop has 1 steps
kernel.func @single<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to 32 step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: the step of the loop is no positive number
kernel.func @step<N, S>(%x: memref<[N], f32>, %z: memref<[S], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step S carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: the grid has no loop
kernel.func @no_loop<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %s = load %x[i0] where (i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: the loop carries no sum
kernel.func @nothing_carried<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %s = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    for %k = 0 to N step 32 {
      barrier
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: its blocks are in clusters
kernel.func @clusters<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) cluster [1] threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: the grid has three axes, and none is left for the parts
kernel.func @three<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1, 1, 1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: the number of blocks is computed when the kernel is launched
kernel.func @computed<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  %n = index (1)
  grid (%n) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: its warps have roles
kernel.func @roles() {
  grid (1) threads 64 {
    role one warps 0 to 1 {
      barrier
    }
    role two warps 1 to 2 {
      barrier
    }
  }
  return
}

// CHECK: the sum is not split: it says when the grid after it begins
kernel.func @releases<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    grid_release
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: it says when the grid after it begins
kernel.func @waits<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    grid_wait
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: memory is written before the loop, which each part would do
kernel.func @stores_before<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  %w = scratch : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %zero to %w[i0]
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: the loop writes to memory
kernel.func @stores<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  %w = scratch : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      store %v to %w[i0]
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: a step reads what another one left in shared memory
kernel.func @left<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %t = shared : tile<[32], f32, row_major>
    store_shared %zero to %t
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load_shared %t : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %u = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      store_shared %u to %t
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// A part of a tile is written, and another one read.
// CHECK: the sum is not split: a step reads what another one left in shared memory
kernel.func @half<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %t = shared : tile<[64], f32, row_major>
    %whole = const 0.0 : frag<[64], f32, blocked [2] lanes [32] warps [1]>
    store_shared %whole to %t
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %part = slice %t at (0) : tile<[32], f32, row_major>
      %u = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      store_shared %u to %part
      %p = slice %t at (32) : tile<[32], f32, row_major>
      %v = load_shared %p : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: what the loop leaves in shared memory is read after it
kernel.func @read_after<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %t = shared : tile<[32], f32, row_major>
    store_shared %zero to %t
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      store_shared %v to %t
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    %l = load_shared %t : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %l to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: a tile that the loop writes may lie over others
kernel.func @over<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %t = shared at 0 : tile<[32], f32, row_major>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      store_shared %v to %t
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// CHECK: the sum is not split: the phases of its barriers go on from step to step
kernel.func @phases<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %full = mbarriers arrivals 1 : mbarrier<1>
    barrier
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      arrive %full by one
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}
