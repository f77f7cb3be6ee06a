// RUN: dlc-opt %s --unroll-loops | FileCheck %s
// RUN: dlc-opt %s --unroll-loops --evaluate-each -o /dev/null
// RUN: dlc-opt %s --unroll-loops --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %S/../../../programs/matmul_fp16/graph.json --tiny-to-region --tensorize --unroll-loops --evaluate-each -o /dev/null
// RUN: dlc-opt %S/../../../programs/softmax/graph.json --tiny-to-region --tensorize --unroll-loops --evaluate-each -o /dev/null

// The sum of 10 numbers by tiles of 4, the last of which is not full: three partial sums, one after another. The
// condition is a number less in each copy, and the counter is gone.
// REMARK: unrolled a loop of 3 steps
// CHECK-LABEL: kernel.func @loop_sum(
// CHECK-NOT: for
// CHECK: %[[ZERO:.+]] = const 0.0
// CHECK-NEXT: %[[V0:.+]] = load %src[i1] where (i1 < 10)
// CHECK-NEXT: %[[S0:.+]] = reduce sum %[[V0]] along 1
// CHECK-NEXT: %[[A0:.+]] = binary add %[[ZERO]], %[[S0]]
// CHECK-NEXT: %[[V1:.+]] = load %src[i1 + 4] where (i1 + 4 < 10)
// CHECK-NEXT: %[[S1:.+]] = reduce sum %[[V1]] along 1
// CHECK-NEXT: %[[A1:.+]] = binary add %[[A0]], %[[S1]]
// CHECK-NEXT: %[[V2:.+]] = load %src[i1 + 8] where (i1 + 8 < 10)
// CHECK-NEXT: %[[S2:.+]] = reduce sum %[[V2]] along 1
// CHECK-NEXT: %[[A2:.+]] = binary add %[[A1]], %[[S2]]
// CHECK-NEXT: store %[[A2]] to %dst[i0]
kernel.func @loop_sum(%src: memref<[10], f32>) -> memref<[1], f32> {
  %dst = output : memref<[1], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
    %sum = for %t = 0 to 10 step 4 carry (%acc = %zero) : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])> {
      %x = load %src[%t + i1] where (%t + i1 < 10) : frag<[1, 4], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = reduce sum %x along 1 : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      %next = binary add %acc, %s : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      yield %next
    }
    store %sum to %dst[i0]
  }
  return %dst
}

// A row times a vector, a block for each row.
// REMARK: unrolled a loop of 2 steps
// CHECK-LABEL: kernel.func @tiled_dot(
// CHECK-NOT: for
// CHECK: load %a[%row, i1]
// CHECK: load %b[i1]
// CHECK: load %a[%row, i1 + 4]
// CHECK: load %b[i1 + 4]
// CHECK-NOT: for
kernel.func @tiled_dot(%a: memref<[3, 8], f32>, %b: memref<[8], f32>) -> memref<[3], f32> {
  %c = output : memref<[3], f32>
  grid (3) threads 32 {
    %row = block_id 0
    %zero = const 0.0 : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
    %sum = for %k = 0 to 8 step 4 carry (%acc = %zero) : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])> {
      %x = load %a[%row, %k + i1] : frag<[1, 4], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %y = load %b[%k + i1] : frag<[1, 4], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %p = binary mul %x, %y : frag<[1, 4], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = reduce sum %p along 1 : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      %next = binary add %acc, %s : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      yield %next
    }
    store %sum to %c[%row + i0]
  }
  return %c
}

// A product of matrices, a block for each row: the inner loop is unrolled first, then the outer one, eight columns of
// two products each. The larger one is marked.
// CHECK-LABEL: kernel.func @tiled_matmul(
// CHECK-NOT: for
// CHECK-COUNT-16: binary mul
// CHECK: store %{{.*}} to %c[%row + i0, 7]
// CHECK-NOT: binary mul
kernel.func @tiled_matmul(%a: memref<[3, 8], f32>, %b: memref<[8, 8], f32>) -> memref<[3, 8], f32> {
  %c = output : memref<[3, 8], f32>
  grid (3) threads 32 {
    %row = block_id 0
    for %col = 0 to 8 unroll {
      %zero = const 0.0 : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      %sum = for %k = 0 to 8 step 4 carry (%acc = %zero) : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])> {
        %x = load %a[%row, %k + i1] : frag<[1, 4], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
        %y = load %b[%k + i1, %col] : frag<[1, 4], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
        %p = binary mul %x, %y : frag<[1, 4], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
        %s = reduce sum %p along 1 : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
        %next = binary add %acc, %s : frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
        yield %next
      }
      store %sum to %c[%row + i0, %col]
      yield
    }
  }
  return %c
}

// The bounds of the inner loop are numbers in the copies of the outer one. What the counter decides is decided: the first
// copy has no element to add, a branch is taken, a choice is made, a stage is a number.
// CHECK-LABEL: kernel.func @triangle(
// CHECK-NOT: for
// CHECK-NOT: if
// CHECK-NOT: select
// CHECK: %[[ONE:.+]] = index (1)
// CHECK: load %x[i0]
// CHECK: store_shared %{{.*}} to %ring[%[[ONE]]]
// CHECK: load_shared %ring[%[[ONE]]]
// CHECK: load %x[i0]
// CHECK: load %x[i0 + 4]
// CHECK-NOT: load
// CHECK: return
kernel.func @triangle(%x: memref<[8], f32>) -> memref<[4], f32> {
  %y = output : memref<[4], f32>
  grid (1) threads 32 {
    %ring = shared : tile<2 x [4], f32, row_major>
    %zero = const 0.0 : frag<[4], f32, blocked [1] lanes [32] warps [1]>
    %sum = for %i = 0 to 3 carry (%acc = %zero) : frag<[4], f32, blocked [1] lanes [32] warps [1]> {
      %part = for %j = 0 to %i carry (%sub = %acc) : frag<[4], f32, blocked [1] lanes [32] warps [1]> {
        %v = load %x[4*%j + i0] : frag<[4], f32, blocked [1] lanes [32] warps [1]>
        %add = binary add %sub, %v : frag<[4], f32, blocked [1] lanes [32] warps [1]>
        yield %add
      }
      %chosen = select where (%i > 0) then %part else %zero : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      %next = if (%i == 1) : frag<[4], f32, blocked [1] lanes [32] warps [1]> {
        store_shared %chosen to %ring[%i]
        barrier
        %back = load_shared %ring[%i] : frag<[4], f32, blocked [1] lanes [32] warps [1]>
        barrier
        yield %back
      } else {
        yield %chosen
      }
      yield %next
    }
    store %sum to %y[i0]
  }
  return %y
}

// A loop that runs no time gives what it takes.
// CHECK-LABEL: kernel.func @never(
// CHECK-NOT: for
// CHECK: store %zero
kernel.func @never() -> memref<[4], f32> {
  %y = output : memref<[4], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[4], f32, blocked [1] lanes [32] warps [1]>
    %sum = for %i = 3 to 3 carry (%acc = %zero) : frag<[4], f32, blocked [1] lanes [32] warps [1]> {
      %next = unary exp2 %acc : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %sum to %y[i0]
  }
  return %y
}
