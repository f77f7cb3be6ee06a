// Sums are read before their product is awaited: in a branch, after one that hands them on, after one that awaits them
// only sometimes, and in the round before they are.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

kernel.func @in_it<N>(%X: memref<[64, 64], f16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    fence_async
    barrier
    %zero = const 0.0 : frag<[64, 64], f32, wgmma>
    %c, %t = wgmma %s, %s transposed, %zero : frag<[64, 64], f32, wgmma>, token<compute>
    %y = if (N < 5) : frag<[64, 64], f32, wgmma> {
      // expected-error@+1 {{E1810 'kernel.unary': reads registers that a matrix product may still write}}
      %n = unary neg %c : frag<[64, 64], f32, wgmma>
      yield %n
    } else {
      yield %zero
    }
    await %t
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @after_it<N>(%X: memref<[64, 64], f16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    fence_async
    barrier
    %zero = const 0.0 : frag<[64, 64], f32, wgmma>
    %c, %t = wgmma %s, %s transposed, %zero : frag<[64, 64], f32, wgmma>, token<compute>
    %y = if (N < 5) : frag<[64, 64], f32, wgmma> {
      // expected-error@+1 {{E1810 'kernel.yield': moves or overwrites registers that a matrix product may still use}}
      yield %c
    } else {
      yield %zero
    }
    store %y to %Y[i0, i1]
    await %t
  }
  return %Y
}

// -----

kernel.func @sometimes<N>(%X: memref<[64, 64], f16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    fence_async
    barrier
    %zero = const 0.0 : frag<[64, 64], f32, wgmma>
    %c, %t = wgmma %s, %s transposed, %zero : frag<[64, 64], f32, wgmma>, token<compute>
    if (N < 5) {
      await %t
    }
    // expected-error@+1 {{E1810 'kernel.store': reads registers that a matrix product may still write}}
    store %c to %Y[i0, i1]
    await %t
  }
  return %Y
}

// -----

kernel.func @next_round<N>(%X: memref<[64, 64], f16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    fence_async
    barrier
    %zero = const 0.0 : frag<[64, 64], f32, wgmma>
    %none = done : token<compute>
    %y, %sum, %last = for %k = 0 to N carry (%a = %zero, %b = %zero, %held = %none) : frag<[64, 64], f32, wgmma>, frag<[64, 64], f32, wgmma>, token<compute> {
      %d = binary add %a, %b : frag<[64, 64], f32, wgmma>
      await %held
      %c, %t = wgmma %s, %s transposed, %zero : frag<[64, 64], f32, wgmma>, token<compute>
      // expected-error@+1 {{E1810 'kernel.yield': moves or overwrites registers that a matrix product may still use}}
      yield %c, %d, %t
    }
    await %last
    store %sum to %Y[i0, i1]
  }
  return %Y
}
