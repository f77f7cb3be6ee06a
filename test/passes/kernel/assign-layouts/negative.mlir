// RUN: dlc-opt %s -o %t.same
// RUN: dlc-opt %s --assign-layouts | cmp %t.same -

// Nothing is better than what is there: whole sectors, 16 bytes a thread, no conflicts.
kernel.func @good(%x: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16, row_major, align 16> {
  %y = output : memref<[64, 64], f16, row_major, align 16>
  grid (1) threads 128 {
    %t = shared : tile<[64, 64], f16, swizzle 128>
    copy %x[i0, i1] to %t by blocked [1, 8] lanes [4, 8] warps [4, 1]
    barrier
    %v = load_shared %t : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store %v to %y[i0, i1]
  }
  return %y
}

// What a warp decides by depends on which elements it has.
kernel.func @warp_if(%x: memref<[32, 128], f32, row_major, align 16>) -> memref<[32, 128], f32, row_major, align 16> {
  %y = output : memref<[32, 128], f32, row_major, align 16>
  grid (1) threads 128 {
    %v = load %x[i0, i1] : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]>
    %c = binary lt %v, %v : frag<[32, 128], i1, blocked [8, 1] lanes [4, 8] warps [1, 4]>
    %w = warp_if %c : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]> {
      yield %v
    } else {
      %z = unary neg %v : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]>
      yield %z
    }
    %r = extract %w at [0, 0] : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]>
    store combine sum %r to %y[i0, i1]
  }
  return %y
}

// A vector that is promised is counted on, and not given up.
kernel.func @promised<K>(%x: memref<[8, K], f32, row_major, align 16>) -> memref<[8, 128], f32, row_major, align 16> {
  require (K >= 128)
  %y = output : memref<[8, 128], f32, row_major, align 16>
  grid (1) threads 32 {
    %v = load %x[i0, i1] vector 4 : frag<[8, 128], f32, blocked [1, 4] lanes [1, 32] warps [1, 1]>
    store %v to %y[i0, i1]
  }
  return %y
}

// Tiles that lie over others, and of which there are parts, have a layout that others know; a copy by itself that is not
// known to be wide enough was written by someone who knew more.
kernel.func @known(%x: memref<[32, 32], f32>, %h: memref<[32, 32], f16>) -> memref<[32, 32], f32> {
  %y = output : memref<[32, 32], f32>
  grid (1) threads 32 {
    %s = shared at 0 : tile<[32, 32], f32, row_major>
    %t = shared at 8192 : tile<[32, 32], f32, row_major>
    %u = shared : tile<[32, 32], f16, row_major>
    %p = slice %t at (0, 0) : tile<[32, 32], f32, row_major>
    copy %x[i0, i1] to %s by blocked [1, 1] lanes [1, 32] warps [1, 1]
    copy %x[i0, i1] to %t by blocked [1, 1] lanes [1, 32] warps [1, 1]
    %0 = copy_async %h[i0, i1] to %u by blocked [1, 8] lanes [8, 4] warps [1, 1] : token<load>
    await %0
    barrier
    %a = load_shared %s transposed : frag<[32, 32], f32, mma [1, 1]>
    %b = load_shared %p transposed : frag<[32, 32], f32, mma [1, 1]>
    %e = extract %a at [0, 0] : frag<[32, 32], f32, mma [1, 1]>
    %f = extract %b at [0, 0] : frag<[32, 32], f32, mma [1, 1]>
    %g = binary add %e, %f : frag<[32, 32], f32, mma [1, 1]>
    store combine sum %g to %y[i0, i1]
  }
  return %y
}

// Shared memory has no room for what a conversion goes through.
kernel.func @full(%a: memref<[128, 16], f16, row_major, align 16>) -> memref<[128, 128], f16, row_major, align 16> {
  %d = output : memref<[128, 128], f16, row_major, align 16>
  grid (1) threads 128 {
    %t = shared : tile<[128, 160], f16, swizzle 64>
    %z = const 1.0 : frag<[128, 160], f16, mma [2, 2]>
    %e = extract %z at [0, 0] : frag<[128, 128], f16, mma [2, 2]>
    store_shared %z to %t
    store %e to %d[i0, i1]
  }
  return %d
}

// Warps with roles do not all meet for a conversion.
kernel.func @roles() -> memref<[128, 128], f16, row_major, align 16> {
  %d = output : memref<[128, 128], f16, row_major, align 16>
  grid (1) threads 256 {
    role other warps 0 to 4 {
    }
    role stores warps 4 to 8 {
      %z = const 1.0 : frag<[128, 128], f16, mma [2, 2]>
      %e = extract %z at [0, 0] : frag<[128, 128], f16, mma [2, 2]>
      store %e to %d[i0, i1]
    }
  }
  return %d
}
