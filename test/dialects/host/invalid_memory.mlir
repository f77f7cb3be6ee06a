// RUN: dlc-opt %s --split-input-file --verify-diagnostics

// Places in the arena that are wrong for all sizes.

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}
host.func @f<M>(%x: memref<[M], f32>) -> memref<[M], f32> {
  // expected-error@+1 {{result 0 has a place, but the function has no arena}}
  %y = launch @k<M> (%x) at [0] : memref<[M], f32>
  %z = launch @k<M> (%y) : memref<[M], f32>
  return %z
}

// -----

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}
host.func @f<M>(%x: memref<[M], f32>) -> memref<[M], f32> attributes {arena = ["4*M"]} {
  // expected-error@+1 {{the function has an arena, and result 0 has no place in it}}
  %y = launch @k<M> (%x) : memref<[M], f32>
  %z = launch @k<M> (%y) : memref<[M], f32>
  return %z
}

// -----

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}
host.func @f<M>(%x: memref<[M], f32>) -> memref<[1, M], f32> attributes {arena = ["4*M"]} {
  // expected-error@+1 {{result 0 is returned to the caller, so it is not in the arena}}
  %y = launch @k<M> (%x) at [0] : memref<[M], f32>
  %v = view %y : memref<[1, M], f32>
  return %v
}

// -----

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}
host.func @f<M>(%x: memref<[M], f32>) -> memref<[M], f32> attributes {arena = ["4*M + 2"]} {
  // expected-error@+1 {{2 places are given for 1 results}}
  %y = launch @k<M> (%x) at [0, 4] : memref<[M], f32>
  // expected-error@+1 {{E1502 'host.launch': result 0 at M + 4 goes beyond the arena, which has 4*M + 2 bytes}}
  %z = launch @k<M> (%x) at [M + 4] : memref<[M], f32>
  // expected-error@+1 {{E1502 'host.launch': result 0 at -4 goes beyond the arena, which has 4*M + 2 bytes}}
  %u = launch @k<M> (%x) at [-4] : memref<[M], f32>
  // expected-error@+2 {{E1503 'host.launch': result 0 at 4*M + 2 is not aligned to 4 bytes}}
  // expected-error@+1 {{E1502 'host.launch': result 0 at 4*M + 2 goes beyond the arena, which has 4*M + 2 bytes}}
  %v = launch @k<M> (%x) at [4*M + 2] : memref<[M], f32>
  %w = launch @k<M> (%x) at [*] : memref<[M], f32>
  return %w
}

// -----

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}
region.func private @pair<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem, z: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y, %a to z
}
// Read while it is written, through a view.
host.func @reads<M>(%x: memref<[M], f32>) attributes {arena = ["8*M"]} {
  %y = launch @k<M> (%x) at [0] : memref<[M], f32>
  %v = view %y : memref<[M], f32>
  // expected-error@+1 {{E1501 'host.launch': result 0 lies where another buffer is that is still needed}}
  %z = launch @k<M> (%v) at [0] : memref<[M], f32>
  %u = launch @k<M> (%z) at [4*M] : memref<[M], f32>
  return
}
// Written together.
host.func @writes<M>(%x: memref<[M], f32>) attributes {arena = ["8*M"]} {
  // expected-error@+1 {{E1501 'host.launch': result 1 lies where another buffer is that is still needed}}
  %y, %z = launch @pair<M> (%x) at [0, 4*M - 4] : memref<[M], f32>, memref<[M], f32>
  return
}

// -----

// Constants.

host.func @f() {
  // expected-error@+1 {{the constant has a place, but the function has no pool}}
  %c = const 0.0 : f32 at 0 : memref<[2], f32>
  return
}

// -----

host.func @f() attributes {pool = 16} {
  // expected-error@+1 {{the function has a pool, and the constant has no place in it}}
  %a = const 0.0 : f32 : memref<[2], f32>
  // expected-error@+1 {{E1502 'host.const': the constant at 12 goes beyond the pool, which has 16 bytes}}
  %b = const 0.0 : f32 at 12 : memref<[2], f32>
  // expected-error@+1 {{E1502 'host.const': the constant at -4 goes beyond the pool, which has 16 bytes}}
  %c = const 0.0 : f32 at -4 : memref<[1], f32>
  // expected-error@+1 {{E1503 'host.const': the constant at 2 is not aligned to 4 bytes}}
  %d = const 0.0 : f32 at 2 : memref<[1], f32>
  // expected-error@+1 {{E1501 'host.const': the constant lies where another one is}}
  %e = const 0.0 : f32 at 4 : memref<[1], f32>
  %f = const 0.0 : f32 at 8 : memref<[1], f32>
  %g = const 0.0 : f32 at 8 : memref<[0], f32>
  return
}
