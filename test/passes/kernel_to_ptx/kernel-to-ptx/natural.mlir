// A bound below goes where an integer is known not to be negative, and stays where it may be: with one above, as a
// comparison without a sign.

// RUN: dlc-opt %s --kernel-to-ptx | FileCheck %s
// RUN: dlc-opt %s --kernel-to-ptx --evaluate-each -o /dev/null

!line = frag<[32], f32, blocked [1] lanes [32] warps [1]>

// What a loop carries begins with zero, and is negative in the second iteration, as the count was in the first.
// CHECK-LABEL: ptx.func @carried<N>(
// CHECK: ^bb1(
// CHECK: setp.lt.u32 %{{.+}}, %N
kernel.func @carried<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = index (0)
    %c0 = const 0.0 : !line
    %last, %sum = for %k = -2 to 3 carry (%at = %zero, %acc = %c0) {
      %x = load %X[32 * %b + %at + i0] where (0 <= 32 * %b + %at + i0 < N) : !line
      %next = binary add %acc, %x : !line
      yield %k, %next
    }
    store %sum to %Y[32 * %b + i0] where (32 * %b + i0 < N)
  }
  return %Y
}

// Two that hand each other on: neither is negative, since both begin with zero and only grow.
// CHECK-LABEL: ptx.func @handed_on<N>(
// CHECK: ^bb1(
// CHECK-NOT: setp.{{ge|lt.u32}}
// CHECK: exit
kernel.func @handed_on<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = index (0)
    %c0 = const 0.0 : !line
    %u, %v, %sum = for %k = 0 to 4 carry (%p = %zero, %q = %zero, %acc = %c0) {
      %x = load %X[32 * %b + %p + i0] where (0 <= 32 * %b + %p + i0 < N) : !line
      %next = binary add %acc, %x : !line
      %q1 = index (%q + 8)
      yield %q1, %p, %next
    }
    store %sum to %Y[32 * %b + i0] where (32 * %b + i0 < N)
  }
  return %Y
}

// One of the two falls, and the other gets what it was.
// CHECK-LABEL: ptx.func @handed_on_falling<N>(
// CHECK: ^bb1(
// CHECK: setp.lt.u32
kernel.func @handed_on_falling<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = index (0)
    %c0 = const 0.0 : !line
    %u, %v, %sum = for %k = 0 to 4 carry (%p = %zero, %q = %zero, %acc = %c0) {
      %x = load %X[32 * %b + %p + i0] where (0 <= 32 * %b + %p + i0 < N) : !line
      %next = binary add %acc, %x : !line
      %q1 = index (%q - 8)
      yield %q1, %p, %next
    }
    store %sum to %Y[32 * %b + i0] where (32 * %b + i0 < N)
  }
  return %Y
}

// An integer of the launch: sizes are not negative, differences of them may be. What is added to one may pass 2^31.
// CHECK-LABEL: ptx.func @launched<N>(
// CHECK: setp.lt.u64
// CHECK: exit
kernel.func @launched<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  %shift = index (N - 40)
  grid (N ceildiv 32) threads 32 {
    %b = block_id 0
    %x = load %X[%shift + 32 * %b + i0] where (0 <= %shift + 32 * %b + i0 < N) : !line
    store %x to %Y[32 * %b + i0] where (32 * %b + i0 < N)
  }
  return %Y
}

// CHECK-LABEL: ptx.func @launched_above<N>(
// CHECK-NOT: setp.{{ge|lt.u32}}
// CHECK: exit
kernel.func @launched_above<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  %zero = index (0)
  %below = index (N - 40)
  %shift = max %below, %zero
  grid (N ceildiv 32) threads 32 {
    %b = block_id 0
    %x = load %X[%shift + 32 * %b + i0] where (0 <= %shift + 32 * %b + i0 < N) : !line
    store %x to %Y[32 * %b + i0] where (32 * %b + i0 < N)
  }
  return %Y
}

// What stands before the grid as a number is one in it, too, and nothing that a launch tells.
// CHECK-LABEL: ptx.func @known<N>(
// CHECK: memory (%X, %Y) sizes (N)
// CHECK: shl.b32 %{{.+}}, 5
kernel.func @known<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %Y = output : memref<[N], f32, row_major, align 4>
  %size = index (32)
  grid (N ceildiv 32) threads 32 {
    %b = block_id 0
    %x = load %X[%size * %b + i0] where (%size * %b + i0 < N) : !line
    store %x to %Y[%size * %b + i0] where (%size * %b + i0 < N)
  }
  return %Y
}
