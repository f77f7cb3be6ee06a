// RUN: dlc-opt %s --split-input-file --verify-diagnostics

// A program takes and gives memrefs.
// expected-error@+1 {{a program of kernels takes and gives memrefs, not tensor<[2], f32>}}
host.func @f(%x: tensor<[2], f32>) {
  return
}

// -----

// expected-error@+1 {{the symbol 'M' is not declared}}
host.func @f(%x: memref<[M], f32>) {
  return
}

// -----

// Strides name symbols, too.
// expected-error@+1 {{the symbol 'S' is not declared}}
host.func @f<M>(%x: memref<[M], f32, strided [S]>) {
  return
}

// -----

host.func @f<M>(%x: memref<[2], f32>) {
  // expected-error@+1 {{the symbol 'N' is not declared by the function}}
  %v = view %x : memref<[N], f32>
  return
}

// -----

// expected-error@+1 {{'arg_attrs' must have a dictionary for each of the 1 arguments}}
host.func @f(%x: memref<[2], f32>) attributes {arg_attrs = []} {
  return
}

// -----

// expected-error@+1 {{'arena' is one number of bytes, and 2 are given}}
host.func @f() attributes {arena = [0, 0]} {
  return
}

// -----

// expected-error@+1 {{the symbol 'M' in 'arena' is not declared}}
host.func @f() attributes {arena = ["M"]} {
  return
}

// -----

// A function without branches.
// expected-error@+1 {{a function of tensors has no branches: one block}}
host.func @f() {
  sample.br ^next
^next:
  return
}

// -----

// A result that is noalias is a new buffer, returned once.
host.func @f(%x: memref<[2], f32, row_major, align 4, noalias>) -> memref<[2], f32, row_major, align 4, noalias> {
  // expected-error@+1 {{E1504 'host.return': result 0 is 'noalias', but not a buffer of its own}}
  return %x
}

// -----

region.func private @zero iters (i: 2) ins () outs (y: memref<[2], f32> materialize gmem) {
  %c = const 0.0 : f32 over ()
  %y = broadcast_in_dim %c to [2] dims [] : f32 over (i)
  yield %y to y
}
host.func @f() -> (memref<[2], f32, row_major, align 4, noalias>, memref<[1, 2], f32>) {
  %a = launch @zero () : memref<[2], f32, row_major, align 4, noalias>
  %v = view %a : memref<[1, 2], f32>
  // expected-error@+1 {{E1504 'host.return': result 0 is 'noalias', but not a buffer of its own}}
  return %a, %v
}

// -----

// Views.

host.func @f(%x: memref<[2], f32>) {
  // expected-error@+1 {{the elements are of type f32, not i32}}
  %v = view %x : memref<[2], i32>
  return
}

// -----

host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{M elements cannot become M + 1}}
  %v = view %x : memref<[M + 1], f32>
  return
}

// -----

host.func @f(%x: memref<[2, 3], f32, strided [4, 1]>) {
  // expected-error@+1 {{E1504 'host.view': only memory without gaps has views: both must be row_major or col_major}}
  %v = view %x : memref<[6], f32>
  return
}

// -----

host.func @f(%x: memref<[2], f32>) {
  // expected-error@+1 {{E1504 'host.view': the view is aligned to 8 bytes, the memory to 4}}
  %v = view %x : memref<[2], f32, row_major, align 8>
  return
}

// -----

host.func @f(%x: memref<[2], f32>) {
  // expected-error@+1 {{E1504 'host.view': the view is noalias, the memory is not}}
  %v = view %x : memref<[2], f32, row_major, align 4, noalias>
  return
}

// -----

host.func @f(%x: memref<[2, 6], f32>) {
  // expected-error@+1 {{E1504 'host.view': elements up to 13 are wanted of 12}}
  %v = view %x from 7 : memref<[2, 3], f32>
  return
}

// -----

host.func @f<K>(%x: memref<[2, K], f32>) {
  // expected-error@+1 {{E1504 'host.view': elements up to 2*K + 1 are wanted of 2*K}}
  %v = view %x from K : memref<[2, K], f32, strided [1, 1]>
  return
}

// -----

host.func @f(%x: memref<[2, 6], f32>) {
  // expected-error@+1 {{E1504 'host.view': the view begins at element -1, before the memory}}
  %v = view %x from -1 : memref<[2], f32>
  return
}

// -----

host.func @f(%x: memref<[2, 6], f32, row_major, align 16>) {
  // expected-error@+1 {{E1504 'host.view': element 2 lies at byte 8, and the view is aligned to 16}}
  %v = view %x from 2 : memref<[2], f32, row_major, align 16>
  return
}

// -----

host.func @f(%x: memref<[8], f32>) {
  // expected-error@+1 {{E1504 'host.view': a part of memory is row_major, col_major or strided}}
  %v = view %x from 2 : memref<[4], f32, blocked [2]>
  return
}

// -----

host.func @f(%x: memref<[8], f32>) {
  // expected-error@+1 {{a symbolic integer}}
  %v = "host.view"(%x) <{start = "two plus two"}> : (!core.memref<[8], f32, "row_major", 4, false>) -> !core.memref<[4], f32, "row_major", 4, false>
  return
}

// -----

host.func @f(%x: memref<[4000000000, 4000000000, 4000000000], f32>) {
  // expected-error@+1 {{the number of elements goes beyond the limits of symbolic sizes}}
  %v = view %x : memref<[2], f32>
  return
}

// -----

// Constants.

host.func @f<M>() {
  // expected-error@+1 {{the sizes of a constant are numbers: it is in memory before they are known}}
  %c = const 0.0 : f32 : memref<[M], f32>
  return
}

// -----

host.func @f() {
  // expected-error@+1 {{E1504 'host.const': a constant is row_major}}
  %c = const 0.0 : f32 : memref<[2, 2], f32, col_major>
  return
}

// -----

host.func @f() {
  // expected-error@+1 {{the number must be of the type of the elements}}
  %c = const 0 : i32 : memref<[2], f32>
  return
}

// -----

host.func @f() {
  // expected-error@+1 {{the elements are not those of memref<[3], f32, row_major, align 4>}}
  %c = const dense<[1.0, 2.0]> : tensor<2xf32> : memref<[3], f32>
  return
}
