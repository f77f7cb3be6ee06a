// Functions, calls, visibility, argument and result attributes, several results, nested symbols.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

module attributes {some.attr = "x", other.flag} {
  func.func private @external(i32, f32) -> (i64, index)
  func.func @callee(%a: i32 {my.note = "first"}, %b: f32) -> (i64, index) attributes {my.unit} {
    %0 = arith.extsi %a : i32 to i64
    %c = arith.constant 7 : index
    return %0, %c : i64, index
  }
  func.func @caller(%a: i32, %b: f32) -> (index, i64) {
    %r:2 = call @callee(%a, %b) : (i32, f32) -> (i64, index)
    %s, %t = call @external(%a, %b) : (i32, f32) -> (i64, index)
    %f = constant @callee : (i32, f32) -> (i64, index)
    %u:2 = call_indirect %f(%a, %b) : (i32, f32) -> (i64, index)
    %v = arith.addi %r#0, %s : i64
    %w = arith.addi %u#1, %t : index
    return %w, %v : index, i64
  }
  func.func private @takes(() -> (), (i32) -> ((f32) -> i1)) -> ((i32) -> i32)
  func.func @"odd name, with blanks"() { return }
  func.func @uses_odd() {
    call @"odd name, with blanks"() : () -> ()
    return
  }
  module @inner attributes {other.level = 2 : i8} {
    func.func @nested() { return }
    module { }
    module @deeper { func.func private @f() }
  }
}
