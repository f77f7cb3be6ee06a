// Rules that follow from declarations.

// RUN: dlc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

sample.func @f(%x: i64) {
  // expected-error@+1 {{has 1 operand, must have 2 operands}}
  %y = "sample.addi"(%x) : (i64) -> i64
  sample.return
}

// -----

sample.func @f(%x: f32) {
  // expected-error@+2 {{all operands and results must have one type, but here are f32 and i64}}
  // expected-error@+1 {{the operand 'input' must be an integer or index, but is f32}}
  %y = "sample.neg"(%x) : (f32) -> i64
  sample.return
}

// -----

sample.func @f(%x: i64, %y: i32) {
  // expected-error@+1 {{all operands and results must have one type, but here are i64 and i32}}
  %z = "sample.addi"(%x, %y) : (i64, i32) -> i64
  sample.return
}

// -----

sample.func @f() {
  // expected-error@+2 {{the type of the constant must be the type of the result}}
  // expected-error@+1 {{the attribute 'value' is missing}}
  %z = "sample.constant"() : () -> i64
  sample.return
}

// -----

sample.func @f() {
  // expected-error@+1 {{the op has no attribute 'vlaue'}}
  %z = "sample.constant"() <{value = 1 : i64, vlaue = 2}> : () -> i64
  sample.return
}

// -----

sample.func @f() -> i64 {
  // expected-error@+1 {{returns (), but the function returns (i64)}}
  sample.return
}

// -----

sample.func @f(%x: i64) {
  // expected-error@+1 {{2 operands, but 1 operand types}}
  %y = "sample.addi"(%x, %x) : (i64) -> i64
  sample.return
}
