// One case for each rule of views, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

// A remainder in a map, and in a domain.
book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1203 'poly.block': the access to 'x': '%' is kept in it; write the remainder 'e - q*floor((e)/q)', as a reshape is linearized and taken apart again}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m, n] -> x[m, n % 4] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1203 'poly.block': the domain: 'mod' is kept in it; write the remainder 'e - q*floor((e)/q)', as a reshape is linearized and taken apart again}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and n mod 2 = 0 }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

// What is not of the notation, or not affine.
book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1211 'poly.block': the domain: expected '}', found the end}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1211 'poly.block': the access to 'x': one side of a product is a number}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m, n] -> x[m*n, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1211 'poly.block': the domain: a set is wanted, and this is a map}}
  block @y statement out [m, n] reduce []
    domain "{ [m, n] -> x[m, n] }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1211 'poly.block': the access to 'x': a map is wanted, and this is a set}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

// Symbols that the view does not declare.
book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1212 'poly.block': the domain: the symbol 'K' is not declared by the view}}
  block @y statement out [m, n] reduce []
    domain "[M, K] -> { [m, n] : 0 <= m < M and 0 <= n < K }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1212 'poly.block': the access to 'x': 'M' is neither a symbol before '->' nor a dimension}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m, n] -> x[M - m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

// Tensors that the view does not declare, or that are not those of the map.
book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1213 'poly.block': the tensor 'z' is not declared by the view}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read z "{ [m, n] -> z[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1213 'poly.block': the access to 'x': the map goes to 'y'}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m, n] -> y[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

// Axes that do not go together.
book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1214 'poly.block': the access to 'x': it has 2 axes, and the map gives 1 positions}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m, n] -> x[m] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1214 'poly.block': the access to 'x': the map is over [m], and the domain over [m, n]}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m] -> x[m, 0] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1214 'poly.block': the domain is over [n, m], and 'out' and 'reduce' together are [m, n]}}
  block @y statement out [m, n] reduce []
    domain "{ [n, m] }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1214 'poly.block': what is written is the same along the axes that are reduced}}
  block @y statement out [m] reduce [n]
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1214 'poly.block': a block writes what it computes}}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m, n] -> x[m, n] }"
}

// -----

// Contractions that are not what their accesses say.
book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1215 'poly.block': the accesses are those of 'matmul lhs [m, k] rhs [k, n]', not 'matmul lhs [k, m] rhs [k, n]'}}
  block @y contraction matmul lhs [k, m] rhs [k, n] out [m, n] reduce [k]
    domain "[M, N] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < M }"
    read x "{ [m, n, k] -> x[m, k] }"
    read x "{ [m, n, k] -> x[k, n] }"
    write y "{ [m, n, k] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1215 'poly.block': the accesses are those of 'matmul lhs [m, k] rhs [k, n]', not 'conv lhs [m, k] rhs [k, n] batch [m] strides [2] dilations [1] offsets [0]'}}
  block @y contraction conv lhs [m, k] rhs [k, n] out [m, n] reduce [k] batch [m] strides [2] dilations [1] offsets [0]
    domain "[M, N] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < M }"
    read x "{ [m, n, k] -> x[m, k] }"
    read x "{ [m, n, k] -> x[k, n] }"
    write y "{ [m, n, k] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1215 'poly.block': the accesses are those of a block which is no contraction}}
  block @y contraction matmul lhs [m, k] rhs [m, n] out [m, n] reduce [k]
    domain "[M, N] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < M }"
    read x "{ [m, n, k] -> x[m, k] }"
    read x "{ [m, n, k] -> x[m, n] }"
    write y "{ [m, n, k] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1215 'poly.block': the accesses are those of a block of 1 reads, which is no contraction}}
  block @y contraction matmul lhs [m, k] rhs [k, n] out [m, n] reduce [k]
    domain "[M, N] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < M }"
    read x "{ [m, n, k] -> x[m, k] }"
    write y "{ [m, n, k] -> y[m, n] }"
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  // expected-error@+1 {{E1215 'poly.block': a statement has no operands and no windows: only a contraction has}}
  block @y statement lhs [m] out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
}

// -----

// Edges between blocks that do not use the tensor.
book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  block @y statement out [m, n] reduce []
    domain "{ [m, n] }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
  // expected-error@+1 {{E1216 'poly.edge': it joins two blocks of the view, and there is none of this name}}
  edge true @x to @y of x distance [0, 0]
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  block @y statement out [m, n] reduce []
    domain "{ [m, n] }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
  // expected-error@+1 {{E1216 'poly.edge': the block '@y' does not write 'x'}}
  edge true @y to @y of x distance [0, 0]
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  block @y statement out [m, n] reduce []
    domain "{ [m, n] }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
  // expected-error@+1 {{E1216 'poly.edge': the block '@y' does not read 'y'}}
  edge true @y to @y of y distance [0, 0]
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  block @y statement out [m, n] reduce []
    domain "{ [m, n] }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
  // expected-error@+1 {{E1213 'poly.edge': the tensor 'z' is not declared by the view}}
  edge output @y to @y of z distance [0, 0]
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M, N> tensors (x: tensor<[M, N], f32>, y: tensor<[M, N], f32>) {
  block @y statement out [m, n] reduce []
    domain "{ [m, n] }"
    read x "{ [m, n] -> x[m, n] }"
    write y "{ [m, n] -> y[m, n] }"
  // expected-error@+1 {{E1214 'poly.edge': 'y' has 2 axes, and 1 distances are given}}
  edge output @y to @y of y distance [0]
}

// -----

// What a view declares.
book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

// expected-error@+1 {{E0201 'poly.view': 'M' is no name for a size, or there is another symbol of that name}}
poly.view of @f<M> sizes (M: 2*M) tensors () {
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

// expected-error@+1 {{E0201 'poly.view': the symbol 'N' is not declared by the view}}
poly.view of @f<M> sizes (p: M*N) tensors () {
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

// expected-error@+1 {{E0201 'poly.view': 'x' must be a tensor, but is f32}}
poly.view of @f<M> tensors (x: f32) {
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

// expected-error@+1 {{E0201 'poly.view': the symbol 'N' is not declared by the view}}
poly.view of @f<M> tensors (x: tensor<[N], f32>) {
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

// expected-error@+1 {{E0201 'poly.view': 'floor' is no name for a tensor, or there is another of that name}}
poly.view of @f<M> tensors (floor: tensor<[M], f32>) {
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

// expected-error@+1 {{E0201 'poly.view': 1 sizes have names, and 0 are given}}
"poly.view"() <{of = @f, sizes = ["p"], tensors = [], types = []}> ({
^bb0:
}) : () -> ()

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

// expected-error@+1 {{E0201 'poly.view': 1 tensors have names, and 0 types are given}}
"poly.view"() <{of = @f, tensors = ["x"], types = []}> ({
^bb0:
}) : () -> ()

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

poly.view of @f<M> tensors (x: tensor<[M], f32>) {
  // expected-error@+1 {{E0201 'book.const': a view has blocks, edges and what is excluded, and nothing else}}
  %c = book.const 0.5 : tensor<[], f32>
}

// -----

book.func private @f<M, N>(tensor<[M, N], f32>) -> tensor<[M, N], f32>

// expected-error@+1 {{E0302 'poly.view': no symbol @fs can be seen from here; did you mean '@f'?}}
poly.view of @fs tensors () {
}
