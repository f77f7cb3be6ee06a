// What TMA cannot do for `sm90`: the threads do it, without waiting where they can.
// RUN: dlc-opt %s --insert-async-tokens --evaluate-each | FileCheck %s --implicit-check-not=tma_load
// RUN: dlc-opt %s --insert-async-tokens --no-output --remarks=missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// The box has fewer rows than the memref.
// REMARK: missed] {{.*}}it is no box for TMA: its guard is not that the positions are in the memref
// CHECK-LABEL: @guarded<
// CHECK: copy_async
kernel.func @guarded<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K, %k < 100) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Every second element of a row: no run of bytes either.
// REMARK: missed] {{.*}}the threads wait for this copy: a thread moves 2 bytes at once{{.*}}and it is no box for TMA: its positions are no single steps
// CHECK-LABEL: @stepped<
// CHECK: copy %A
kernel.func @stepped<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + 2*i1] where (64*%m + i0 < M, %k + 2*i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Contiguous along the first axis.
// REMARK: missed] {{.*}}it is no box for TMA: the last axis of the memref is not contiguous
// CHECK-LABEL: @columns<
// CHECK: copy %A
kernel.func @columns<M, K>(%A: memref<[M, K], f16, col_major, align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Aligned to 8 bytes only.
// REMARK: missed] {{.*}}it is no box for TMA: the memref is aligned to 8 bytes, not to 16
// CHECK-LABEL: @near<
// CHECK: copy_async
kernel.func @near<M, K>(%A: memref<[M, K], f16, row_major, align 8>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Rows of the tile are padded.
// REMARK: missed] {{.*}}it is no box for TMA: its tile has another layout than TMA writes
// CHECK-LABEL: @pitched<
// CHECK: copy_async
kernel.func @pitched<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, row_major pitch 24>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Rows that are not known to begin at multiples of 16 bytes.
// REMARK: missed] {{.*}}it is no box for TMA: rows are K + 4 elements apart
// CHECK-LABEL: @loose_rows<
// CHECK: copy_async
kernel.func @loose_rows<M, K>(%A: memref<[M, K], f16, strided [K + 4, 1], align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Not all steps copy.
// REMARK: missed] {{.*}}it is no box for TMA: it stands in a condition or a role
// CHECK-LABEL: @in_condition<
// CHECK: copy_async
kernel.func @in_condition<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      if (%k >= 0) {
        copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
        barrier
      }
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Two copies write one tile.
// REMARK-COUNT-2: missed] {{.*}}it is no box for TMA: something else writes its tile too
// CHECK-LABEL: @two_writers<
// CHECK: copy_async
kernel.func @two_writers<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Each thread reads what it copied, and no barrier is after that.
// REMARK: missed] {{.*}}it is no box for TMA: no barrier of its loop stands after all that reads its tile
// CHECK-LABEL: @no_last_barrier<
// CHECK: copy_async
kernel.func @no_last_barrier<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Half of the rows, from their element 4 on: TMA begins within rows at multiples of 16 bytes. Threads move 8 bytes at once.
// REMARK: missed] {{.*}}it is no box for TMA: it begins within a row at a place that is not known to be a multiple of 16 bytes
// CHECK-LABEL: @in_a_row<
// CHECK: copy_async
kernel.func @in_a_row<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + i1 + 4] where (64*%m + i0 < M, %k + i1 + 4 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}
