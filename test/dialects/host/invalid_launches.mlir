// RUN: dlc-opt %s --split-input-file --verify-diagnostics

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}
host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{no symbol @j can be seen from here}}
  %y = launch @j<M> (%x) : memref<[M], f32>
  return
}

// -----

// Another program is no kernel.
host.func private @k<N>(%x: memref<[N], f32>) -> memref<[N], f32> {
  return %x
}
host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{@k is no kernel}}
  %y = launch @k<M> (%x) : memref<[M], f32>
  return
}

// -----

// What works on values is no kernel either.
tiny.func private @k<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  return %x
}
host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{@k is no kernel}}
  %y = launch @k<M> (%x) : memref<[M], f32>
  return
}

// -----

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}
host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{@k takes 1 sizes, and 0 are given}}
  %y = launch @k (%x) : memref<[M], f32>
  // expected-error@+1 {{@k takes 1 buffers and gives 1, here it takes 0 and gives 1}}
  %z = launch @k<M> () : memref<[M], f32>
  // expected-error@+1 {{@k takes 1 buffers and gives 1, here it takes 1 and gives 0}}
  launch @k<M> (%x)
  // expected-error@+1 {{operand 0 of @k must be memref<[M + 1], f32, row_major, align 4>, not memref<[M], f32, row_major, align 4>}}
  %u = launch @k<M + 1> (%x) : memref<[M + 1], f32>
  // expected-error@+1 {{result 0 of @k must be memref<[M], f32, row_major, align 4>, not memref<[M], i32, row_major, align 4>}}
  %v = launch @k<M> (%x) : memref<[M], i32>
  return
}

// -----

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}
host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{the symbol 'K' is not declared by the function}}
  %y = launch @k<M> where (K < 2) else @k<M> (%x) : memref<[M], f32>
  return
}

// -----

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}
host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{there is no kernel to launch}}
  %y = "host.launch"(%x) <{choices = []}> : (memref<[M], f32>) -> memref<[M], f32>
  // expected-error@+1 {{every kernel but the last has a cost or a condition, and the last has no condition}}
  %z = "host.launch"(%x) <{choices = [{callee = @k, sizes = ["M"]}, {callee = @k, sizes = ["M"]}]}> : (memref<[M], f32>) -> memref<[M], f32>
  // expected-error@+1 {{every kernel but the last has a cost or a condition, and the last has no condition}}
  %u = "host.launch"(%x) <{choices = [{callee = @k, sizes = ["M"], where = [["M < 2"]]}]}> : (memref<[M], f32>) -> memref<[M], f32>
  // expected-error@+1 {{must be a list of kernels, such as [{callee = @f, sizes = ["M"]}]}}
  %w = "host.launch"(%x) <{choices = [{callee = @k, sizes = ["M"], cost = {tiles = "M"}}]}> : (memref<[M], f32>) -> memref<[M], f32>
  // expected-error@+1 {{the symbol 'K' is not declared by the function}}
  %t = launch @k<M> cost (tiles: K, steps: 1, bytes: 8*M, launch: 0, tile: 0, step: 1, wait: 0, gbps: 1, sms: 1, blocks: 1) (%x) : memref<[M], f32>
  // expected-error@+1 {{must be a list of kernels, such as [{callee = @f, sizes = ["M"]}]}}
  %v = "host.launch"(%x) <{choices = [{callee = @k}]}> : (memref<[M], f32>) -> memref<[M], f32>
  return
}

// -----

// Layout and alignment.
region.func private @k<N, S> iters (n: N) ins (%x: memref<[N, N], f32, strided [S, 1], align 64>) outs (y: memref<[N], f32, row_major, align 128> materialize gmem) {
  %a = read %x[n, n] : f32 over (n)
  yield %a to y
}
host.func @f<M>(%x: memref<[M, M], f32, strided [2*M, 1], align 128>, %y: memref<[M, M], f32, row_major, align 64>, %z: memref<[M, M], f32, strided [M, 1], align 32>) {
  %a = launch @k<M, 2*M> (%x) : memref<[M], f32, row_major, align 256>
  // expected-error@+1 {{E1504 'host.launch': operand 0 of @k must be memref<[M, M], f32, strided [M, 1], align 64>, not memref<[M, M], f32, row_major, align 64>}}
  %b = launch @k<M, M> (%y) : memref<[M], f32, row_major, align 128>
  // expected-error@+1 {{E1504 'host.launch': operand 0 of @k must be memref<[M, M], f32, strided [M, 1], align 64>, not memref<[M, M], f32, strided [M, 1], align 32>}}
  %c = launch @k<M, M> (%z) : memref<[M], f32, row_major, align 128>
  // expected-error@+1 {{E1504 'host.launch': result 0 of @k must be memref<[M], f32, row_major, align 128>, not memref<[M], f32, row_major, align 64>}}
  %d = launch @k<M, 2*M> (%x) : memref<[M], f32, row_major, align 64>
  return
}

// -----

// What a kernel wants for itself.
region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32, row_major, align 4, noalias>, %z: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  %b = read %z[n] : f32 over (n)
  %c = binary add %a, %b : f32 over (n)
  yield %c to y
}
host.func @f<M>(%x: memref<[M], f32>, %z: memref<[M], f32, row_major, align 4, noalias>) {
  %a = launch @k<M> (%z, %x) : memref<[M], f32>
  %b = launch @k<M> (%a, %x) : memref<[M], f32>
  // expected-error@+1 {{E1504 'host.launch': operand 0 of @k must be noalias, and the argument that is passed does not say so}}
  %c = launch @k<M> (%x, %z) : memref<[M], f32>
  %v = view %b : memref<[M], f32>
  // expected-error@+1 {{E1504 'host.launch': operand 0 of @k must be noalias, and the same memory is passed twice}}
  %d = launch @k<M> (%b, %v) : memref<[M], f32>
  return
}

// -----

// A size that a launch gives may make an axis of fewer than no elements.
region.func private @k<M> iters (m: M - 4) ins (%x: memref<[M - 4], f32>) outs (y: memref<[M - 4], f32> materialize gmem) {
  %0 = read %x[m] : f32 over (m)
  yield %0 to y
}
host.func @f(%x: memref<[4], f32>) -> memref<[4], f32> {
  // expected-error@+1 {{operand 0 of @k would have an axis of -1 elements}}
  %y = launch @k<3> (%x) : memref<[4], f32>
  return %y
}

// -----

host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{times are not negative, and 'gbps', 'sms' and 'blocks' are at least 1}}
  %y = launch @k<M> cost (tiles: M, steps: 1, bytes: M, launch: 0, tile: 0, step: 1, wait: 0, gbps: 0, sms: 1, blocks: 1) (%x) : memref<[M], f32>
  return
}

// -----

host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{a comma stands between kernels that have a cost each}}
  %y = launch @k<M> where (M < 2), @k<M> (%x) : memref<[M], f32>
  return
}

// -----

host.func @f<M>(%x: memref<[M], f32>) {
  // expected-error@+1 {{a comma and not 'else' stands between kernels that have a cost each}}
  %y = launch @k<M> cost (tiles: M, steps: 1, bytes: M, launch: 0, tile: 0, step: 1, wait: 0, gbps: 1, sms: 1, blocks: 1) else @k<M> cost (tiles: M, steps: 1, bytes: M, launch: 0, tile: 0, step: 1, wait: 0, gbps: 1, sms: 1, blocks: 1) (%x) : memref<[M], f32>
  return
}
