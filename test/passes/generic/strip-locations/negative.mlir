// RUN: dlc-opt %s --strip-locations --allow-unregistered-dialect --print-locations | FileCheck %s

// A location that is the value of an attribute is no location of an op.
// CHECK: "some.op"() {where = loc("kept.mlir":1:2)} : () -> () loc(unknown)
"some.op"() {where = loc("kept.mlir":1:2)} : () -> ()
