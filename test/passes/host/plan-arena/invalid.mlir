// RUN: dlc-opt %s --plan-arena --split-input-file --verify-diagnostics

// More bytes than 64 bits can count.
region.func private @huge iters (i: 4000000000000000000) ins () outs (y: memref<[4000000000000000000], f32> materialize gmem) {
  %c = const 0.0 : f32 over ()
  %y = broadcast_in_dim %c to [4000000000000000000] dims [] : f32 over (i)
  yield %y to y
}
// expected-error@+1 {{the memory that is needed cannot be said}}
host.func @f() {
  %a = launch @huge () : memref<[4000000000000000000], f32>
  return
}

// -----

// Constants, too.
// expected-error@+1 {{the memory that is needed cannot be said}}
host.func @f() {
  %a = const 0.0 : f32 : memref<[2000000000000000000], f32>
  %b = const 0.0 : f32 : memref<[2000000000000000000], f32>
  return
}
