// Every kind of location is kept; aliases are written out.

// RUN: dlc-opt %s --allow-unregistered-dialect --print-locations --verify-roundtrip | FileCheck %s
// RUN: dlc-opt %s --allow-unregistered-dialect | FileCheck %s --check-prefix=PLAIN

// PLAIN-NOT: loc(

#early = loc("early.py":1:2)
// CHECK: "x.file"() : () -> () loc("f.py":3:4)
"x.file"() : () -> () loc("f.py":3:4)
// CHECK-NEXT: "x.range"() : () -> () loc("f.py":3:4 to :9)
"x.range"() : () -> () loc("f.py":3:4 to :9)
// CHECK-NEXT: "x.lines"() : () -> () loc("f.py":3:4 to 5:1)
"x.lines"() : () -> () loc("f.py":3:4 to 5:1)
// CHECK-NEXT: "x.name"() : () -> () loc("name"("early.py":1:2))
"x.name"() : () -> () loc("name"(#early))
// CHECK-NEXT: "x.fused"() : () -> () loc(fused<#x.why<1>>["a", "late.py":7:8])
"x.fused"() : () -> () loc(fused<#x.why<1>>["a", #late])
// CHECK-NEXT: "x.call"() : () -> () loc(callsite("callee" at "early.py":1:2))
"x.call"() : () -> () loc(callsite("callee" at #early))
// CHECK-NEXT: "x.none"() : () -> () loc(unknown)
"x.none"() : () -> () loc(unknown)
// Without one of its own, an op is where it stands.
// CHECK-NEXT: "x.here"() : () -> () loc("{{.*}}kinds.mlir":[[#@LINE+1]]:1)
"x.here"() : () -> ()
// CHECK-NEXT: "x.args"() ({
// CHECK-NEXT: ^bb0(%a: i1 loc("arg"), %b: i2 loc(unknown)):
"x.args"() ({
^bb0(%a: i1 loc("arg"), %b: i2):
}) : () -> ()
#late = loc("late.py":7:8)
