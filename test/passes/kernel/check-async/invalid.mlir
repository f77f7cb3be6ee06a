// What is wrong at once, and what cannot be followed.

// RUN: dlc-opt %s --check-async --split-input-file --verify-diagnostics

kernel.func @stage(%X: memref<[128], f32>) -> memref<[128], f32> {
  %Y = output : memref<[128], f32>
  grid (1) threads 128 {
    %s = shared : tile<2 x [128], f32, row_major>
    %two = index (2)
    // expected-error@+1 {{%s has 2 stages, and none of number 2}}
    copy %X[i0] to %s[%two] by blocked [1] lanes [32] warps [4]
  }
  return %Y
}

// -----

kernel.func @parity(%X: memref<[128], f32>) -> memref<[128], f32> {
  %Y = output : memref<[128], f32>
  grid (1) threads 128 {
    %b = mbarriers arrivals 1 : mbarrier<1>
    %two = index (2)
    barrier
    // expected-error@+1 {{E1803 'kernel.wait': a parity is 0 or 1, not 2}}
    wait %b parity %two
  }
  return %Y
}

// -----

kernel.func @number(%X: memref<[128], f32>) -> memref<[128], f32> {
  %Y = output : memref<[128], f32>
  grid (1) threads 128 {
    %eight = index (8)
    %id = index (2 * %eight)
    // expected-error@+1 {{E1812 'kernel.barrier': a block has the barriers 0 to 15, and none of number 16}}
    barrier id %id threads 128
  }
  return %Y
}

// -----

kernel.func @rank(%X: memref<[128], f32>) -> memref<[128], f32> {
  %Y = output : memref<[128], f32>
  grid (2) cluster [2] threads 128 {
    %b = mbarriers arrivals 1 : mbarrier<1>
    %two = index (2)
    cluster_barrier
    // expected-error@+1 {{the cluster has 2 blocks, and none of number 2}}
    arrive %b on %two by one
  }
  return %Y
}

// -----

kernel.func @mask(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[128], f32> {
  %Y = output : memref<[128], f32>
  %m = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (2) cluster [2] threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = mbarriers arrivals 1 : mbarrier<1>
    cluster_barrier
    elect {
      expect %b bytes 8192
      // expected-error@+1 {{the cluster has 2 blocks, and others should get the box}}
      tma_load %m[0, 0] to %s signal %b multicast 5
    }
  }
  return %Y
}

// -----

// TMA begins within rows at multiples of 16 bytes, along other axes anywhere.
kernel.func @in_a_row(%X: memref<[64, 128], f16, row_major, align 16>) -> memref<[128], f32> {
  %Y = output : memref<[128], f32>
  %m = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (2) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = mbarriers arrivals 1 : mbarrier<1>
    %n = block_id 0
    elect {
      expect %b bytes 8192
      // expected-error@+1 {{E1814 'kernel.tma_load': not verified: it begins within a row at a place that is not known to be a multiple of 16 bytes, and TMA stops the kernel at others}}
      tma_load %m[%n, 4*%n] to %s signal %b
    }
  }
  return %Y
}

// -----

kernel.func @part<M>(%X: memref<[M], f32>) -> memref<[M], f32> {
  %Y = output : memref<[M], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    for %k = 0 to M ceildiv 64 {
      // expected-error@+1 {{E1814 'kernel.slice': where the part of %s begins lies outside of it}}
      %p = slice %s at (32 * %k, 0) : tile<[32, 64], f16, swizzle 128>
      %x = const 0.0 : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      store_shared %x to %p
      yield
    }
  }
  return %Y
}

// -----

kernel.func @step(%X: memref<[128], f32>) -> memref<[128], f32> {
  %Y = output : memref<[128], f32>
  grid (1) threads 128 {
    %zero = index (0)
    // expected-error@+1 {{the step of the loop is 0}}
    for %k = 0 to 4 step %zero {
      barrier
      yield
    }
  }
  return %Y
}

// -----

kernel.func @for_ever(%X: memref<[128], f32>) -> memref<[128], f32> {
  %Y = output : memref<[128], f32>
  grid (1) threads 32 {
    // expected-error@+1 {{the loops go on for too long to be followed}}
    for %k = 0 to 1000000000000 {
      if (%k * %k < 1000000000000000000) {
        barrier
      }
      yield
    }
  }
  return %Y
}

// -----

kernel.func @unknown(%X: memref<[128], f32>) -> memref<[128], f32> {
  %Y = output : memref<[128], f32>
  grid (1) threads 128 {
    %b = mbarriers arrivals 1 : mbarrier<2>
    %x = const 1.0 : f32
    %n = cast %x : index
    barrier
    // expected-error@+1 {{E1814 'kernel.arrive': the stage of %b does not follow from sizes and positions}}
    arrive %b[%n] by one
  }
  return %Y
}
