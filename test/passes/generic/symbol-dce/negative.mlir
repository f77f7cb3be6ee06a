// RUN: dlc-opt %s --symbol-dce --allow-unregistered-dialect | FileCheck %s

// A name in an attribute, in an array, in text that nobody here can read, or after a path is a reference.
// CHECK: func private @in_attribute
// CHECK: func private @in_array
// CHECK: func private @in_text
// CHECK: func private @from_inside
// CHECK: scope @table
// CHECK-NEXT: func private @after_path
// CHECK: func @public_unused
sample.func private @in_attribute()
sample.func private @in_array()
sample.func private @in_text()
sample.func private @from_inside()
"some.op"() {a = @in_attribute, b = [@in_array], c = #some.thing<@in_text>, d = @table::@after_path} : () -> ()
sample.scope @table {
  sample.func private @after_path()
  sample.func @caller() {
    call @from_inside()
    return
  }
}

// Whoever uses the module may call it.
sample.func @public_unused()
