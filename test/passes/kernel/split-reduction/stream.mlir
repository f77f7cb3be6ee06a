// RUN: dlc-opt %s --split-reduction --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --split-reduction --remarks=passed,missed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The tiles that are no whole wave of blocks are divided, and no others.
plan.schedule of @rows for sm90 {
  persistent 3
  stream_k at_least 2
}
plan.schedule of @all_sms for sm90 {
  stream_k
}
plan.schedule of @machine for sm80 {
  blocks_per_sm 2
  stream_k through atomic
}
plan.schedule of @numbers for sm90 {
  persistent 4
  stream_k at_least 2
}
plan.schedule of @few for sm90 {
  persistent 4
  stream_k at_least 2
}
plan.schedule of @axes for sm90 {
  persistent 5
  stream_k at_least 2
}
plan.schedule of @both for sm90 {
  persistent 3
  stream_k at_least 1
}
plan.schedule of @nowhere for sm90 {
  persistent 3
  stream_k at_least 1
}

// REMARK: the steps of tiles that are no whole wave of 3 blocks are shared, at least 2 a part
// CHECK-LABEL: kernel.func @rows
// CHECK-NEXT: %y = output
// CHECK-NEXT: %tiles = index (M ceildiv 32)
// CHECK-NEXT: %whole = index (3*(%tiles floordiv 3))
// CHECK-NEXT: %left = index (%tiles mod 3)
// CHECK-NEXT: %of_sum = index (N ceildiv 4)
// CHECK-NEXT: [[ONE:%.+]] = index (1)
// CHECK-NEXT: %steps = max %of_sum, [[ONE]]
// CHECK-NEXT: %all = index (%left*%steps)
// CHECK-NEXT: %even = index (%all ceildiv 3)
// CHECK-NEXT: [[TWO:%.+]] = index (2)
// CHECK-NEXT: %enough = max %even, [[TWO]]
// CHECK-NEXT: %share = min %enough, %steps
// CHECK-NEXT: %parts = index (%all ceildiv %share)
// CHECK-NEXT: [[WAVE:%.+]] = index (3)
// CHECK-NEXT: %sharing = min %parts, [[WAVE]]
// CHECK-NEXT: %s_parts = workspace : memref<[3, 2, 32], f32, row_major, align 128>
// CHECK-NEXT: grid (%whole) threads 32 {
// CHECK: for %k = 0 to N step 4
// CHECK: unary sqrt %s
// CHECK-NEXT: store {{.*}} to %y
// CHECK-NEXT: }
// CHECK-NEXT: grid (%sharing) threads 32 {
// CHECK-NEXT: %block = block_id 0
// CHECK-NEXT: %begin = index (%share*%block)
// CHECK-NEXT: %next = index (%begin + %share)
// CHECK-NEXT: %end = min %next, %all
// CHECK-NEXT: for %cut = %begin floordiv %steps to %end ceildiv %steps {
// CHECK-NEXT: %tile = index (%whole + %cut)
// CHECK: %earlier = index (%steps*%cut)
// CHECK-NEXT: %from = max %begin, %earlier
// CHECK-NEXT: %later = index (%earlier + %steps)
// CHECK-NEXT: %to = min %end, %later
// CHECK-NEXT: %stop = index (4*%to - 4*%earlier)
// CHECK-NEXT: [[N:%.+]] = index (N)
// CHECK-NEXT: %last = min %stop, [[N]]
// CHECK-NEXT: for %k = 4*%from - 4*%earlier to %last step 4
// CHECK-NOT: sqrt
// CHECK: store %s to %s_parts[%block, %cut - %begin floordiv %steps, i0]
// CHECK-NOT: barrier
// CHECK: grid (%left) threads 32 {
// CHECK-NEXT: %cut = block_id 0
// CHECK-NEXT: %tile = index (%whole + %cut)
// CHECK: for %block = (%steps*%cut) floordiv %share to (%steps*%cut + %steps) ceildiv %share
// CHECK-NEXT: load %s_parts[%block, %cut - (%block*%share) floordiv %steps, i0]
// CHECK-NEXT: binary add %acc
// CHECK: unary sqrt
// CHECK-NEXT: store {{.*}} to %y[32*%tile + i0] where (32*%tile + i0 < M)
kernel.func @rows<M, N>(%x: memref<[M, N], f32>) -> memref<[M], f32> {
  %y = output : memref<[M], f32>
  grid (M ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 4 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] where (32*%b + i0 < M, %k < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %square = binary mul %v, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %square : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    %root = unary sqrt %s : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %root to %y[32*%b + i0] where (32*%b + i0 < M)
  }
  return %y
}

// REMARK: the steps of tiles that are no whole wave of 132 blocks are shared, at least 8 a part
// CHECK-LABEL: kernel.func @all_sms
// CHECK: workspace : memref<[132, 2, 32], f32
kernel.func @all_sms<M, N>(%x: memref<[M, N], f32>) -> memref<[M], f32> {
  %y = output : memref<[M], f32>
  grid (M ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 1 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] where (32*%b + i0 < M) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[32*%b + i0] where (32*%b + i0 < M)
  }
  return %y
}

// REMARK: parts are combined through memory, in order
// REMARK: the steps of tiles that are no whole wave of 216 blocks are shared, at least 8 a part
// CHECK-LABEL: kernel.func @machine
// CHECK: workspace : memref<[216, 2, 32], f32
// CHECK-NOT: combine
kernel.func @machine<M, N>(%x: memref<[M, N], f32>) -> memref<[M], f32> {
  %y = output : memref<[M], f32>
  grid (M ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 1 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] where (32*%b + i0 < M) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[32*%b + i0] where (32*%b + i0 < M)
  }
  return %y
}

// Of sizes that are numbers all is known: seven tiles of ten steps, three of which four blocks share, eight steps each.
// CHECK-LABEL: kernel.func @numbers
// CHECK-NEXT: %y = output
// CHECK-NEXT: %s_parts = workspace : memref<[4, 2, 32], f32
// CHECK-NEXT: grid (4) threads 32 {
// CHECK: grid (4) threads 32 {
// CHECK: %begin = index (8*%block)
// CHECK: for %cut = %begin floordiv 10 to %end ceildiv 10
// CHECK: %tile = index (%cut + 4)
// CHECK: grid (3) threads 32 {
kernel.func @numbers(%x: memref<[224, 40], f32>) -> memref<[224], f32> {
  %y = output : memref<[224], f32>
  grid (7) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to 40 step 4 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[32*%b + i0]
  }
  return %y
}

// There is no whole wave.
// CHECK-LABEL: kernel.func @few
// CHECK-NEXT: %y = output
// CHECK-NEXT: %s_parts = workspace : memref<[4, 2, 32], f32
// CHECK-NEXT: grid (4) threads 32 {
// CHECK-NEXT: %block = block_id 0
// CHECK-NEXT: %begin = index (5*%block)
// CHECK: grid (2) threads 32 {
// CHECK-NEXT: %cut = block_id 0
// CHECK-NOT: grid
kernel.func @few(%x: memref<[64, 40], f32>) -> memref<[64], f32> {
  %y = output : memref<[64], f32>
  grid (2) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to 40 step 4 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[32*%b + i0]
  }
  return %y
}

// Blocks along three axes become one.
// CHECK-LABEL: kernel.func @axes
// CHECK: %tiles = index (N*P*(M ceildiv 32))
// CHECK: grid (%whole) threads 32 {
// CHECK-NEXT: %tile = block_id 0
// CHECK-NEXT: %b = index (%tile mod (M ceildiv 32))
// CHECK: grid (%sharing) threads 32 {
// CHECK: %tile = index (%whole + %cut)
// CHECK-NEXT: %b = index (%tile mod (M ceildiv 32))
// CHECK: grid (%left) threads 32 {
kernel.func @axes<M, N, P, K>(%x: memref<[P, N, M, K], f32>) -> memref<[P, N, M], f32> {
  %y = output : memref<[P, N, M], f32>
  grid (M ceildiv 32, N, P) threads 32 {
    %b = block_id 0
    %n = block_id 1
    %p = block_id 2
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 2 to K step 3 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%p, %n, 32*%b + i0, %k] where (32*%b + i0 < M) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[%p, %n, 32*%b + i0] where (32*%b + i0 < M)
  }
  return %y
}

// Several sums, through shared memory.
// CHECK-LABEL: kernel.func @both
// CHECK: %s_parts = workspace : memref<[3, 2, 32], f32
// CHECK-NEXT: %q_parts = workspace : memref<[3, 2, 32], f32
// CHECK: grid (%sharing) threads 32 {
// CHECK: %t = shared
// CHECK: for %cut
// CHECK: store %s to %s_parts
// CHECK-NEXT: store %q to %q_parts
// CHECK-NEXT: barrier
// CHECK: grid (%left)
kernel.func @both<M, N>(%x: memref<[M, N], f32>) -> memref<[M], f32> {
  %y = output : memref<[M], f32>
  grid (M ceildiv 32) threads 32 {
    %t = shared : tile<[32], f32, row_major>
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s, %q = for %k = 0 to N step 1 carry (%acc = %zero, %other = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]>, frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] where (32*%b + i0 < M) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      store_shared %v to %t
      barrier
      %w = load_shared %t : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      barrier
      %square = binary mul %w, %w : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %w : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %more = binary add %other, %square : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next, %more
    }
    %d = binary sub %s, %q : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %d to %y[32*%b + i0] where (32*%b + i0 < M)
  }
  return %y
}

// A grid of one axis has one block along the second: no tile is asked for its number.
// CHECK-LABEL: kernel.func @nowhere
// CHECK: grid (%whole) threads 32
// CHECK: %sharing
kernel.func @nowhere<M, N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (M ceildiv 32) threads 32 {
    %b = block_id 1
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 1 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + %b] where (%k + %b < N) : f32
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[32*%b + i0] where (32*%b + i0 < 32)
  }
  return %y
}
