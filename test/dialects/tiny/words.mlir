// What somebody writes who comes from another compiler, or mistypes: the answer is what to write here.

// RUN: dlc-opt %s --split-input-file --verify-diagnostics

// The field's word for an op that has another name here comes before near names: 'cdiv' is for integers.
tiny.func @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E0101 no dialect registers the op 'div'; in tiny it is written 'fdiv'}}
  %y = div %x, %x
  return %y
}

// -----

tiny.func @words<M>(%x: tensor<[M], f32>) -> tensor<[], f32> {
  // expected-error@+1 {{no dialect registers the op 'sum'; in tiny it is written 'reduce sum'}}
  %y = sum %x over [0]
  return %y
}

// -----

// In full as well.
tiny.func @full<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'tiny.output'; in tiny it is written 'return'}}
  tiny.output %x
}

// -----

// An op of that very name in another layer comes before near names here: 'relu', 'exp2'.
tiny.func @elsewhere<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'silu'; 'silu' is an op of frontend, not of tiny}}
  %y = silu %x
  return %y
}

// -----

tiny.func @exp<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'exp'; 'exp' is an op of frontend, not of tiny}}
  %y = exp %x
  return %y
}

// -----

// A typing error.
tiny.func @near<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'realu'; did you mean 'tiny.relu'?}}
  %y = realu %x
  return %y
}

// -----

// A word where only some may stand, which is an op elsewhere.
tiny.func @mean<M>(%x: tensor<[M], f32>) -> tensor<[], f32> {
  // expected-error@+1 {{'mean' is no combiner; it is one of sum, prod, max, min; 'mean' is an op of frontend}}
  %y = reduce mean %x over [0]
  return %y
}

// -----

// Keywords of the op before: misspelt on its line, misspelt on the next, one that it has not, one too late.
tiny.func @keyword<M>(%x: tensor<[M], f16>) -> tensor<[], f32> {
  // expected-error@+1 {{E0001 'tiny.reduce' has no keyword 'ac'; did you mean 'acc'?}}
  %y = reduce sum %x over [0] ac f32
  return %y
}

// -----

tiny.func @next_line<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = pad %x low [0] high [0]
    // expected-error@+1 {{E0001 'tiny.pad' has no keyword 'valeu'; did you mean 'value'?}}
    valeu 1.0
  return %y
}

// -----

tiny.func @no_keyword<M>(%x: tensor<[M], f32>) -> tensor<[], f32> {
  // expected-error@+1 {{E0001 'tiny.reduce' has no keyword 'keepdim'; its keywords are, in this order, over, acc}}
  %y = reduce sum %x over [0] keepdim
  return %y
}

// -----

tiny.func @late<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E0001 the keyword 'low' of 'tiny.pad' stands twice or too late; its keywords are, in this order, low, high, value}}
  %y = pad %x low [0] high [0] low [0]
  return %y
}

// -----

// One that must be there.
tiny.func @wanted<M>(%x: tensor<[M], f32>) -> tensor<[], f32> {
  // expected-error@+1 {{E0001 expected 'over', found 'ovr'; did you mean 'over'?}}
  %y = reduce sum %x ovr [0]
  return %y
}

// -----

// No keyword of the op before, but an op that is near to one.
tiny.func @no_slip<M>(%x: tensor<[M], f32>) -> tensor<[], f32> {
  %y = reduce sum %x over [0]
  // expected-error@+1 {{no dialect registers the op 'retrun'; did you mean 'tiny.return'?}}
  retrun %y
}

// -----

// Numbers are no operands.
tiny.func @number<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E0001 expected a value, found a float; operands are values: make one before, as in '%c = const 0.25 : tensor<[], f32>'}}
  %y = mul %x, 0.25
  return %y
}

// -----

tiny.func @negative<M>(%x: tensor<[M], i32>) -> tensor<[M], i32> {
  // expected-error@+1 {{E0001 expected a value, found '-'; operands are values: make one before, as in '%c = const -2 : tensor<[], f32>'}}
  %y = mul %x, -2
  return %y
}

// -----

tiny.func @size<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  // expected-error@+1 {{E0001 expected a number, found 'N'; a size is no constant: as a number it is the sum of ones, of a constant 1 over an axis of that size}}
  %n = const N : tensor<[], f32>
  return %x
}

// -----

// Types as MLIR writes them.
// expected-error@+1 {{'tensor' is written here as MLIR does, and no layer of dlc uses such types; dlc writes tensor<[4, 8], f16>}}
tiny.func @mlir(%x: tensor<4x8xf16>) -> tensor<[4, 8], f16> {
  return %x
}

// -----

// expected-error@+1 {{dlc writes tensor<[M, 8], f16>}}
tiny.func @unknown_size(%x: tensor<?x8xf16>) -> tensor<[M, 8], f16> {
  return %x
}

// -----

// expected-error@+1 {{dlc writes tensor<[], f16>}}
tiny.func @scalar(%x: tensor<f16>) -> tensor<[], f16> {
  return %x
}

// -----

// What cannot be written as one is answered with an example.
// expected-error@+1 {{dlc writes tensor<[M, 2*K], f16>}}
tiny.func @unranked(%x: tensor<*xf16>) -> tensor<[], f16> {
  return %x
}

// -----

// What is returned in another type of elements is cast; where sizes differ, it is given where the value comes from.
tiny.func @cast<M>(%x: tensor<[M], f32>) -> tensor<[M], f16> {
  // expected-error@+1 {{E0210 'tiny.return': returns (tensor<[M], f32>), but the function returns (tensor<[M], f16>); value 0 differs in its elements alone: 'cast' makes f16 of them, as in '%y = cast %x to f16 : tensor<[M, N], f16>'}}
  return %x
}

// -----

tiny.func @sizes<M, N, K>(%x: tensor<[M, K], f32>, %w: tensor<[K, N], f32>) -> tensor<[M, N], f32> {
  // expected-note@+1 {{value 0 comes from here}}
  %y = contract %x [m, k], %w [k, n] to [m]
  // expected-error@+1 {{E0210 'tiny.return': returns (tensor<[M], f32>), but the function returns (tensor<[M, N], f32>)}}
  return %y
}

// -----

// Axes from the end.
tiny.func @axes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[-1] must be axes below 2, ascending; axes are counted from 0: write [1]}}
  %y = reduce sum %x over [-1]
  return %y
}

// -----

tiny.func @beyond<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[-3] must be axes below 2, ascending}}
  %y = reduce sum %x over [-3]
  return %y
}

// -----

// A reduced operand: the shape that it needs.
tiny.func @reduced<M, N>(%x: tensor<[M, N], f32>, %r: tensor<[M], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1001 'tiny.sub': [M, N] and [M] cannot be broadcast: aligned at the right, N meets M, and neither is 1; reshape [M] to [M, 1]; where axes were reduced, 'keepdim' leaves them so}}
  %y = sub %x, %r
  return %y
}

// -----

// Neither case nor '_' counts.
tiny.func @upper<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'MUL'; did you mean 'tiny.mul'?}}
  %y = MUL %x, %x
  return %y
}

// -----

tiny.func @upper_elsewhere<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'Exp'; 'exp' is an op of frontend, not of tiny}}
  %y = Exp %x
  return %y
}

// -----

tiny.func @open<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{'tiny.func' ends with 'return'}}
  %y = add %x, %x
}
