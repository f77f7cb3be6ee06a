// Windows of a padded image as a factor, of which the positions in memory were joined: the guard keeps reads in memory, so the
// copy has it, though it compares several axes as that of a triangular matrix does.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each -o /dev/null

// CHECK: copy %x0[{{.*}} where (0 <= (%k + i0) floordiv 4 + {{.*}} < 12, 0 <= {{.*}} < 12
host.func @f(%x0: memref<[2, 144, 64], f32, row_major, align 128, noalias>, %w: memref<[32, 16, 1], f32, row_major, align 128, noalias>) -> memref<[32, 2, 16, 32], f32, row_major, align 128, noalias> attributes {arena = [0], pool = 0} {
  %x0_0 = view %x0 : memref<[2, 144, 2, 32], f32, row_major, align 128, noalias>
  %w_0 = view %w : memref<[2, 16, 16, 1], f32, row_major, align 128, noalias>
  %y = launch @f_0 (%x0_0, %w_0) at [*] : memref<[32, 2, 16, 32], f32, row_major, align 128, noalias>
  return %y
}
region.func private @f_0 iters (i0: 32, i1: 2, i2: 16, i3: 32)
  ins (%x0: memref<[2, 144, 2, 32], f32, row_major, align 128, noalias>, %w: memref<[2, 16, 16, 1], f32, row_major, align 128, noalias>)
  outs (y: memref<[32, 2, 16, 32], f32, row_major, align 128, noalias> materialize gmem) {
  %y = reduce sum (i4: 16) acc f32 init 0.0 {
    %0 = read %w[i1, i2, i4, 0] : f32 over (i1, i2, i4)
    %1 = read %x0[i0 floordiv 16, 4*i0 + i4 + 32*(i0 floordiv 4) - 192*(i0 floordiv 16) + 8*(i4 floordiv 4) - 26, i1, i3] where (0 <= i4 floordiv 4 + 4*((i0 floordiv 4) mod 4) - 2 < 12, 0 <= 4*(i0 mod 4) + i4 mod 4 - 2 < 12) : f32 over (i0, i1, i3, i4)
    %2 = binary mul %0, %1 widen : f32 over (i0, i1, i2, i3, i4)
    yield %2
  } : f32 over (i0, i1, i2, i3)
  yield %y to y
}
plan.schedule of @f_0 for sm90 {
  tile (i0: 1, i1: 1, i2: 32, i3: 32, i4: 32)
  instruction mma [16, 8, 8] promote as tf32x3
  warp_tile (i0: 1, i1: 1, i2: 16, i3: 16)
  stages 1
  cache w (i1, i2, i4) f32 in smem
  cache x0 (i0, i4, i1, i3) f32 in smem
  vectors (x0: 4, y: 4)
  predicate_tail [i2, i4]
  barrier cp_async_group
}
