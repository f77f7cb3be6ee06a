// What the JSON of kernels has no words for.

// RUN: dlc-opt %s --emit-json --verify-diagnostics --split-input-file

// expected-error@+1 {{E0606 'region.func': JSON has no name for the type memref<[4], index, row_major, align 8>}}
region.func @index iters (m: 4) ins (%X: memref<[4], index>) outs (Y: memref<[4], i8> materialize gmem) {
  %x = read %X[m] : index over (m)
  %y = cast %x : i8 over (m)
  yield %y to Y
}

// -----

region.func @i7 iters (m: 4) ins (%X: memref<[4], i8>) outs (Y: memref<[4], i8> materialize gmem) {
  %x = read %X[m] : i8 over (m)
  // expected-error@+1 {{E0606 'region.cast': JSON has no name for the type i7}}
  %y = cast %x : i7 over (m)
  %z = cast %y : i8 over (m)
  yield %z to Y
}
