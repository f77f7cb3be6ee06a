// Generic form without what the ops need: each is reported where it is missing, and the rules of the region around it
// look at nothing that is not there.

// RUN: dlc-opt %s --allow-unregistered-dialect --verify-diagnostics --split-input-file

"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [4], outputs = ["Y"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  // expected-error@+1 {{E0205 'region.read': the attribute 'at' is missing}}
  %a = "region.read"(%x) : (memref<[4], f32>) -> f32 over (m)
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

// expected-error@+1 {{the attribute 'iters' is missing}}
"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iter_sizes = [4], outputs = ["Y"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  %a = "region.read"(%x) <{at = ["m"]}> : (memref<[4], f32>) -> f32 over (m)
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

// expected-error@+1 {{1 axes have 2 sizes}}
"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [4, 4], outputs = ["Y"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  %a = "region.read"(%x) <{at = ["m"]}> : (memref<[4], f32>) -> f32 over (m)
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

// expected-error@+1 {{the attribute 'iter_sizes' must be a list of sizes, such as ["M", "2*K", 4], in canonical form and not negative, but is [-4]}}
"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [-4], outputs = ["Y"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  %a = "region.read"(%x) <{at = ["m"]}> : (memref<[4], f32>) -> f32 over (m)
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

// expected-error@+1 {{1 results have 2 names}}
"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [4], outputs = ["Y", "Z"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  %a = "region.read"(%x) <{at = ["m"]}> : (memref<[4], f32>) -> f32 over (m)
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

// expected-error@+1 {{a result is materialized in 'gmem' or 'deferred', not 'smem'}}
"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [4], outputs = ["Y"], materialize = ["smem"]}> ({
^bb0(%x: memref<[4], f32>):
  %a = "region.read"(%x) <{at = ["m"]}> : (memref<[4], f32>) -> f32 over (m)
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

// expected-error@+1 {{'arg_attrs' must have a dictionary for each of the 1 arguments}}
"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, arg_attrs = [{}, {}], sym_name = "f", iters = ["m"], iter_sizes = [4], outputs = ["Y"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  %a = "region.read"(%x) <{at = ["m"]}> : (memref<[4], f32>) -> f32 over (m)
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [4], outputs = ["Y"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  // expected-error@+1 {{E0203 'region.reduce': has 1 regions, must have 2}}
  %a = "region.reduce"() <{axes = ["k"], sizes = [2], init = [0.0 : f32], acc = [f32]}> ({ }) : () -> f32 over (m)
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [4], outputs = ["Y"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  // expected-error@+1 {{E0205 'region.reduce': the attribute 'init' must be a list of numbers, but is ["a"]}}
  %a = "region.reduce"() <{axes = ["k"], sizes = [2], init = ["a"], acc = [f32]}> ({ }, { }) : () -> f32 over (m)
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [4], outputs = ["Y"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  // expected-error@+1 {{E0205 'region.binary': the attribute 'function' must be}}
  %a = "region.binary"(%x, %x) <{function = "plus"}> : (memref<[4], f32>, memref<[4], f32>) -> f32 over (m) // expected-error {{operand 'lhs' must be a value over axes}} expected-error {{operand 'rhs' must be a value over axes}}
  "region.yield"(%a) <{to = ["Y"]}> : (f32 over (m)) -> ()
}) : () -> ()

// -----

"region.func"() <{function_type = (memref<[4], f32>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [4], outputs = ["Y"], materialize = ["gmem"]}> ({
^bb0(%x: memref<[4], f32>):
  // expected-error@+2 {{only ops of region stand in a region}}
  // expected-error@+1 {{a region ends with 'yield'}}
  "test.end"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{an alignment is a power of two, not 3}}
"region.func"() <{function_type = (!core.memref<[4], f32, "row_major", 3, false>) -> memref<[4], f32>, sym_name = "f", iters = ["m"], iter_sizes = [4], outputs = ["Y"], materialize = ["gmem"]}> ({
}) : () -> ()

// -----

// expected-error@+1 {{the axis m is named twice}}
"test.f"() : () -> f32 over (m, m)

// -----

// expected-error@+1 {{the numbers must be integers, index or floats}}
"test.f"() : () -> none over (m)

// -----

// expected-error@+1 {{the body of the region has nothing in it}}
region.func @empty iters () ins () outs (Y: memref<[], f32> materialize gmem) {}

// -----

// expected-error@+1 {{'smem' is no 'gmem' or 'deferred'; it is one of gmem, deferred}}
region.func @smem iters () ins () outs (Y: memref<[], f32> materialize smem) { yield }

// -----

// expected-error@+1 {{a size is not negative, and -1 is}}
region.func @negative iters (m: -1) ins () outs (Y: memref<[], f32> materialize gmem) { yield }

// -----

region.func @numbers iters () ins () outs (Y: memref<[], f32> materialize gmem) {
  // expected-error@+1 {{2 accumulators start with 1 numbers}}
  %s, %t = reduce sum (k: 2) acc (f32, f32) init (0.0) { yield } : f32 over (), f32 over ()
  yield %s to Y
}

// -----

region.func @too_many_numbers iters () ins () outs (Y: memref<[], f32> materialize gmem) {
  // expected-error@+1 {{expected as many numbers as accumulators}}
  %s = reduce sum (k: 2) acc f32 init (0.0, 0.0) { yield } : f32 over ()
  yield %s to Y
}

// -----

region.func @a_constant iters () ins () outs (Y: memref<[], f32> materialize gmem) {
  // expected-error@+1 {{the type of a constant must be a value over axes}}
  %s = const 1.0 : f32
  yield %s to Y
}
