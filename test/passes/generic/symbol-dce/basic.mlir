// RUN: dlc-opt %s --symbol-dce | FileCheck %s --implicit-check-not=@unused

// A function that is only called from one that nobody calls goes too, and so do two that only call each other.
sample.func private @unused() {
  call @unused_chain()
  return
}
sample.func private @unused_chain()
sample.func private @unused_circle_a() {
  call @unused_circle_b()
  return
}
sample.func private @unused_circle_b() {
  call @unused_circle_a()
  return
}

// In a table inside of another.
sample.scope @inner {
  sample.func private @unused_inside()
  sample.func @public_inside()
}

// What a public function calls stays, and what that calls.
// CHECK: func @public_inside
// CHECK: func @public
sample.func @public() {
  call @used()
  return
}
// CHECK: func private @used
sample.func private @used() {
  call @used_by_used()
  return
}
// CHECK: func private @used_by_used
sample.func private @used_by_used()
