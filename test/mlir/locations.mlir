// Locations of every kind, with aliases before and after their use.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

#first = loc("first.py":1:2)
#named = loc("name"(#first))
"x.a"() : () -> () loc("file.mlir":10:20)
"x.b"() : () -> () loc("file.mlir":10:20 to :30)
"x.c"() : () -> () loc("file.mlir":10:20 to 11:5)
"x.d"() : () -> () loc(unknown)
"x.e"() : () -> () loc("just a name")
"x.f"() : () -> () loc("name"("child.py":3:4))
"x.g"() : () -> () loc(callsite("callee" at "caller.py":5:6))
"x.h"() : () -> () loc(fused["a.py":1:1, "b.py":2:2, unknown])
"x.i"() : () -> () loc(fused<"why">["a.py":1:1, "b"])
"x.j"() : () -> () loc(fused<#x.meta<1, "two">>["a.py":1:1])
"x.k"() : () -> () loc(#first)
"x.l"() : () -> () loc(#named)
"x.m"() : () -> () loc(#later)
"x.n"() : () -> () loc(callsite(#named at fused[#first, callsite("x" at #named)]))
"x.o"() : () -> () loc(fused<{a = 1, b = [i32, "s"]}>[#first, #named])
"x.p"() : () -> () loc("odd \22name\22 \C3\A9\0A":0:0)
"x.q"() : () -> () loc(fused[])
"x.r"() {where = loc("attr.py":7:8), other = loc(#first), un = loc(unknown)} : () -> ()
func.func @args(%a: i32 loc("arg":1:1), %b: f32 loc(#first), %c: index) -> i32 {
  cf.br ^bb1(%a, %b : i32, f32) loc("br")
^bb1(%x: i32 loc("x":1:1), %y: f32 loc(unknown)):
  return %x : i32 loc("ret":4294967295:4294967295)
} loc("fn":1:1)
"x.region"() ({
^bb0(%p: i32 loc(callsite("p" at "q"))):
  "x.end"() : () -> () loc("end")
}) : () -> ()
#later = loc("later.py":9:9)
