// RUN: dlc-opt %s --split-reduction='parts=4 deterministic' --evaluate-each --remarks=passed,missed -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t

// The filter has fewer rows than the sum has parts: they share the channels, whose loop has the steps for it. Each step of it
// fills the tile that it reads.
// REMARK: the sum has 4 parts, added in order, through memory
// CHECK-LABEL: kernel.func @rows_of_filter
// CHECK: grid (2, 4)
// CHECK: for %r = 0 to 3
// CHECK: for %k = 32*%part to 32*%part + 32 step 16
kernel.func @rows_of_filter(%x: memref<[66, 128], f32>) -> memref<[64, 16], f32> {
  %y = output : memref<[64, 16], f32>
  grid (2) threads 32 {
    %buffer = shared : tile<[32, 16], f32, row_major>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
    %s = for %r = 0 to 3 carry (%acc = %zero) : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]> {
      %rows = for %k = 0 to 128 step 16 carry (%below = %acc) : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]> {
        copy %x[32*%b + %r + i0, %k + i1] to %buffer by blocked [1, 4] lanes [8, 4] warps [1, 1]
        barrier
        %v = load_shared %buffer : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
        %next = binary add %below, %v : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
        barrier
        yield %next
      }
      yield %rows
    }
    %twice = binary add %s, %s : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
    store %twice to %y[32*%b + i0, i1]
  }
  return %y
}

// How many steps the inner loop has depends on the outer one: the parts share that.
// REMARK: the sum has 3 parts, added in order, through memory
// CHECK-LABEL: kernel.func @triangle
// CHECK: for %r = %part to %part + 1
// CHECK: for %k = 0 to 16*%r + 16 step 16
kernel.func @triangle(%x: memref<[32, 128], f32>) -> memref<[32, 16], f32> {
  %y = output : memref<[32, 16], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
    %s = for %r = 0 to 3 carry (%acc = %zero) : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]> {
      %rows = for %k = 0 to 16*%r + 16 step 16 carry (%below = %acc) : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]> {
        %v = load %x[i0, %k + i1] : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
        %next = binary add %below, %v : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
        yield %next
      }
      yield %rows
    }
    %twice = binary add %s, %s : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
    store %twice to %y[i0, i1]
  }
  return %y
}

// Each row adds a number beyond its channels, which every part would add: the parts share the rows.
// REMARK: the sum has 3 parts, added in order, through memory
// CHECK-LABEL: kernel.func @more_than_channels
// CHECK: for %r = %part to %part + 1
kernel.func @more_than_channels(%x: memref<[32, 128], f32>) -> memref<[32, 16], f32> {
  %y = output : memref<[32, 16], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
    %s = for %r = 0 to 3 carry (%acc = %zero) : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]> {
      %rows = for %k = 0 to 128 step 16 carry (%below = %acc) : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]> {
        %v = load %x[i0, %k + i1] : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
        %next = binary add %below, %v : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
        yield %next
      }
      %one = const 1.0 : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
      %more = binary add %rows, %one : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
      yield %more
    }
    %twice = binary add %s, %s : frag<[32, 16], f32, blocked [1, 16] lanes [32, 1] warps [1, 1]>
    store %twice to %y[i0, i1]
  }
  return %y
}
