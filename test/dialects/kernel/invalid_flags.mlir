// One case for each rule of flags, reported at the op that breaks the rule.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

kernel.func @elements() -> memref<[1], f32> {
  %Y = output : memref<[1], f32>
  %c = scratch : memref<[1], i64>
  grid (1) threads 64 {
    // expected-error@+1 {{E1704 'kernel.ticket': flags and counters are of type i32}}
    %t = ticket %c[0]
  }
  return %Y
}

// -----

kernel.func @positions() -> memref<[1], f32> {
  %Y = output : memref<[1], f32>
  %c = scratch : memref<[1], i32>
  grid (1) threads 64 {
    // expected-error@+1 {{E1704 'kernel.ticket': 2 positions are given for memory of rank 1}}
    %t = ticket %c[0, 0]
  }
  return %Y
}

// -----

// Nothing sets an output to zero at each launch.
kernel.func @not_zero() -> memref<[1], i32> {
  %Y = output : memref<[1], i32>
  grid (1) threads 64 {
    // expected-error@+1 {{flags and counters must be in 'scratch' memory, which is zero at each launch}}
    release 1 to %Y[0]
  }
  return %Y
}

// -----

kernel.func @not_zero_either(%F: memref<[1], i32>) -> memref<[1], f32> {
  %Y = output : memref<[1], f32>
  grid (1) threads 64 {
    // expected-error@+1 {{flags and counters must be in 'scratch' memory, which is zero at each launch}}
    %s = acquire %F[0] until 1
  }
  return %Y
}

// -----

kernel.func @one_thread() -> memref<[1], f32> {
  %Y = output : memref<[1], f32>
  %c = scratch : memref<[1], i32>
  grid (1) threads 64 {
    elect {
      // expected-error@+1 {{E1702 'kernel.release': whole warps come to a flag, not one thread}}
      release 1 to %c[0]
    }
  }
  return %Y
}

// -----

kernel.func @zero() -> memref<[1], f32> {
  %Y = output : memref<[1], f32>
  %c = scratch : memref<[1], i32>
  grid (1) threads 64 {
    // expected-error@+1 {{a flag is 0 at first, and is released with 1 to 2147483647, not 0}}
    release 0 to %c[0]
  }
  return %Y
}

// -----

kernel.func @never() -> memref<[1], f32> {
  %Y = output : memref<[1], f32>
  %c = scratch : memref<[1], i32>
  grid (1) threads 64 {
    // expected-error@+1 {{a flag is 0 at first, and is released with 1 to 2147483647, not -1}}
    %s = acquire %c[0] until -1
  }
  return %Y
}

// -----

kernel.func @name() -> memref<[1], f32> {
  %Y = output : memref<[1], f32>
  %c = scratch : memref<[1], i32>
  grid (1) threads 64 {
    // expected-error@+1 {{E1703 'kernel.release': the expression names 'i0', and there are 0 values and 0 axes}}
    release 1 to %c[i0]
  }
  return %Y
}
