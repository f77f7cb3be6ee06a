// What JSON has no words for.

// RUN: dlc-opt %s --emit-json --split-input-file --verify-diagnostics

// expected-error@+1 {{E0606 'book.func': the input 'x' has elements that JSON has no name for}}
book.func @index(%x: tensor<[4], index>) -> tensor<[4], index> {
  return %x
}

// -----

book.func @short(%x: tensor<[4], f32>) -> tensor<[4], i4> {
  // expected-error@+1 {{E0606 'book.iota': the op has a type or constant that JSON has no name for}}
  %y = iota (i0) axes (i0: 4) : tensor<[4], i4>
  return %y
}

// -----

// expected-error@+1 {{E0606 'book.func': a program without a body has no JSON}}
book.func private @declared(tensor<[4], f32>)
