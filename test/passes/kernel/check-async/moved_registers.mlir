// Registers that a product on its way writes or reads are moved or overwritten by loops and branches.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// A sum that stays in its registers goes on.
kernel.func @stays<K>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 8192
      tma_load %mX[0, 0] to %sX signal %full
    }
    wait %full parity %zero
    %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
    %none = done : token<compute>
    %x, %t = for %k = 0 to K carry (%a = %c0, %t1 = %none) {
      %c, %w = wgmma %sX, %sX transposed, %a : frag<[64, 64], f32, wgmma>, token<compute>
      await %t1
      yield %c, %w
    }
    await %t
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

// Two sums change places while one is computed.
kernel.func @swapped<K>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 8192
      tma_load %mX[0, 0] to %sX signal %full
    }
    wait %full parity %zero
    %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
    %none = done : token<compute>
    %p, %q, %t = for %k = 0 to K carry (%a = %c0, %b = %c0, %t1 = %none) {
      %c, %w = wgmma %sX, %sX transposed, %a : frag<[64, 64], f32, wgmma>, token<compute>
      await %t1
      // expected-error@+1 {{E1810 'kernel.yield': moves or overwrites registers that a matrix product may still use}}
      yield %b, %c, %w
    }
    await %t
    %x = binary add %p, %q : frag<[64, 64], f32, wgmma>
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

// They change places when it is there.
kernel.func @swapped_after_await<K>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 8192
      tma_load %mX[0, 0] to %sX signal %full
    }
    wait %full parity %zero
    %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
    %none = done : token<compute>
    %p, %q, %t = for %k = 0 to K carry (%a = %c0, %b = %c0, %t1 = %none) {
      %c, %w = wgmma %sX, %sX transposed, %a : frag<[64, 64], f32, wgmma>, token<compute>
      await %w
      yield %b, %c, %w
    }
    await %t
    %x = binary add %p, %q : frag<[64, 64], f32, wgmma>
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

// The registers get zeros while the product adds to them.
kernel.func @begun_anew<K>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 8192
      tma_load %mX[0, 0] to %sX signal %full
    }
    wait %full parity %zero
    %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
    %none = done : token<compute>
    %x, %t = for %k = 0 to K carry (%a = %c0, %t1 = %none) {
      %c, %w = wgmma %sX, %sX transposed, %a : frag<[64, 64], f32, wgmma>, token<compute>
      %z = const 0.0 : frag<[64, 64], f32, wgmma>
      // expected-error@+1 {{E1810 'kernel.yield': moves or overwrites registers that a matrix product may still use}}
      yield %z, %w
    }
    await %t
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

// In one round they do.
kernel.func @begun_anew_in_a_round<K>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 8192
      tma_load %mX[0, 0] to %sX signal %full
    }
    wait %full parity %zero
    %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
    %none = done : token<compute>
    %x, %t = for %k = 0 to K carry (%a = %c0, %t1 = %none) {
      %i = if (%k == 2) : frag<[64, 64], f32, wgmma> {
        yield %c0
      } else {
        yield %a
      }
      %c, %w = wgmma %sX, %sX transposed, %i : frag<[64, 64], f32, wgmma>, token<compute>
      // expected-error@+1 {{E1810 'kernel.yield': moves or overwrites registers that a matrix product may still use}}
      yield %c, %w
    }
    await %t
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

// The left matrix is written again while a product reads it.
kernel.func @left_matrix<K>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 8192
      tma_load %mX[0, 0] to %sX signal %full
    }
    wait %full parity %zero
    %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
    %none = done : token<compute>
    %l0 = load %X[i0, i1] : frag<[64, 64], f16, wgmma_a>
    %x, %l, %t = for %k = 0 to K carry (%a = %c0, %l1 = %l0, %t1 = %none) {
      %c, %w = wgmma %l1, %sX transposed, %a : frag<[64, 64], f32, wgmma>, token<compute>
      %l2 = load %X[i0, i1] : frag<[64, 64], f16, wgmma_a>
      await %t1
      // expected-error@+1 {{E1810 'kernel.yield': moves or overwrites registers that a matrix product may still use}}
      yield %c, %l2, %w
    }
    await %t
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

// It is written again when the product is there.
kernel.func @left_matrix_after_await<K>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 8192
      tma_load %mX[0, 0] to %sX signal %full
    }
    wait %full parity %zero
    %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
    %none = done : token<compute>
    %l0 = load %X[i0, i1] : frag<[64, 64], f16, wgmma_a>
    %x, %l = for %k = 0 to K carry (%a = %c0, %l1 = %l0) {
      %c, %w = wgmma %l1, %sX transposed, %a : frag<[64, 64], f32, wgmma>, token<compute>
      %l2 = load %X[i0, i1] : frag<[64, 64], f16, wgmma_a>
      await %w
      yield %c, %l2
    }
    store %x to %Y[i0, i1]
  }
  return %Y
}
