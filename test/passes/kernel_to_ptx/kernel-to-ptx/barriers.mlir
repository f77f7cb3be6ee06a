// Barriers without a number get those that no number in the text can be.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=in_turn --seed=0 -o %t.turn.npy
// RUN: dlc-run %t.mlir --function=in_turn --seed=0 --check=%t.turn.npy
// RUN: dlc-run %s --function=of_a_loop --seed=0 -o %t.loop.npy
// RUN: dlc-run %t.mlir --function=of_a_loop --seed=0 --check=%t.loop.npy
// RUN: dlc-run %s --function=zero --seed=0 -o %t.zero.npy
// RUN: dlc-run %t.mlir --function=zero --seed=0 --check=%t.zero.npy

// Four groups are ordered by the barriers 8 to 11: their own are 12 to 15, and the last one left is that of
// the other role.
// CHECK-LABEL: ptx.func @in_turn(
// CHECK: bar.sync 0{{$}}
// CHECK: bar.sync 7, 64
// CHECK: %[[OWN:.+]] = add.s32 %{{.+}}, 12
// CHECK: bar.arrive %{{.+}}, 256
// CHECK: bar.sync %{{.+}}, 256
// CHECK: bar.sync %[[OWN]], 128
kernel.func @in_turn(%X: memref<[4, 128], f32, row_major, align 4>) -> memref<[4, 128], f32, row_major, align 4> attributes {target = "sm90"} {
  %Y = output : memref<[4, 128], f32, row_major, align 4>
  grid (1) threads 576 {
    %s = shared : tile<4 x [128], f32, row_major>
    barrier
    role producer warps 0 to 2 {
      barrier
    }
    role consumer warps 2 to 18 groups 4 (%g: index) {
      %mine = index (%g + 8)
      %other = index ((%g + 1) mod 4 + 8)
      %x = load %X[%g, i0] : frag<[128], f32, blocked [1] lanes [32] warps [4]>
      if (%g == 3) {
        barrier_arrive id %other threads 256
      }
      barrier id %mine threads 256
      store_shared %x to %s[%g]
      if (%g < 3) {
        barrier_arrive id %other threads 256
      }
      barrier
      %y = load_shared %s[%g] : frag<[128], f32, blocked [1] lanes [32] warps [4]>
      store %y to %Y[%g, i0]
    }
  }
  return %Y
}

// A loop counts through the barriers 15 and 14: those of the groups are 12 and 13.
// CHECK-LABEL: ptx.func @of_a_loop(
// CHECK: %[[OWN:.+]] = add.s32 %{{.+}}, 12
// CHECK: bar.sync %[[OWN]], 128
kernel.func @of_a_loop(%X: memref<[2, 128], f32, row_major, align 4>) -> memref<[2, 128], f32, row_major, align 4> attributes {target = "sm90"} {
  %Y = output : memref<[2, 128], f32, row_major, align 4>
  grid (1) threads 256 {
    %s = shared : tile<2 x [128], f32, row_major>
    role a warps 0 to 8 groups 2 (%g: index) {
      %x = load %X[%g, i0] : frag<[128], f32, blocked [1] lanes [32] warps [4]>
      store_shared %x to %s[%g]
      if (%g == 1) {
        barrier
      }
      for %i = 14 to 16 {
        %id = index (29 - %i)
        barrier id %id threads 256
      }
      barrier
      %y = load_shared %s[%g] : frag<[128], f32, blocked [1] lanes [32] warps [4]>
      store %y to %Y[%g, i0]
    }
  }
  return %Y
}

// All threads meet at the barrier 0, unless the text has that.
// CHECK-LABEL: ptx.func @zero(
// CHECK: bar.sync 15{{$}}
// CHECK: bar.sync 0, 64
kernel.func @zero(%X: memref<[128], f32, row_major, align 4>) -> memref<[128], f32, row_major, align 4> attributes {target = "sm90"} {
  %Y = output : memref<[128], f32, row_major, align 4>
  grid (1) threads 128 {
    %s = shared : tile<[128], f32, row_major>
    %zero = index (0)
    %x = load %X[i0] : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store_shared %x to %s
    barrier
    %y = load_shared %s : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %y to %Y[i0]
    role first warps 0 to 2 {
      barrier id %zero threads 64
    }
  }
  return %Y
}
