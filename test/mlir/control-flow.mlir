// Blocks, successors, block arguments, loops, switches.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

func.func @diamond(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^left(%x : i32), ^right
^left(%a: i32):
  %0 = arith.addi %a, %a : i32
  cf.br ^join(%0 : i32)
^right:
  %1 = arith.constant -3 : i32
  cf.br ^join(%1 : i32)
^join(%r: i32):
  return %r : i32
}
func.func @loop(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %c0 : index, index)
^head(%i: index, %s: index):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^exit
^exit:
  cf.br ^last
^body:
  %s2x = arith.addi %s, %i : index
  %i2 = arith.addi %i, %c1 : index
  cf.br ^head(%i2, %s2x : index, index)
^never:
  %s2 = arith.addi %c1, %c1 : index
  cf.br ^exit
^last:
  return %s : index
}
func.func @switch(%v: i32, %x: f32) -> f32 {
  cf.switch %v : i32, [
    default: ^bb1(%x : f32),
    42: ^bb2,
    -1: ^bb1(%x : f32)
  ]
^bb1(%y: f32):
  return %y : f32
^bb2:
  %z = arith.negf %x : f32
  cf.br ^bb1(%z : f32)
}
func.func @structured(%lb: index, %ub: index, %m: memref<?xf32>, %init: f32) -> (f32, index) {
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %lb to %ub step %c1 iter_args(%acc = %init, %k = %lb) -> (f32, index) {
    %e = memref.load %m[%i] : memref<?xf32>
    %is = arith.cmpi eq, %i, %k : index
    %v = scf.if %is -> f32 {
      %d = arith.mulf %e, %e : f32
      scf.yield %d : f32
    } else {
      scf.yield %e : f32
    }
    %n = arith.addf %acc, %v : f32
    scf.yield %n, %i : f32, index
  }
  %w:2 = scf.while (%a = %r#1) : (index) -> (index, f32) {
    %cond = arith.cmpi ult, %a, %ub : index
    scf.condition(%cond) %a, %r#0 : index, f32
  } do {
  ^bb0(%a: index, %f: f32):
    %b = arith.addi %a, %c1 : index
    scf.yield %b : index
  }
  %x = scf.execute_region -> f32 {
    cf.br ^one
  ^one:
    scf.yield %w#1 : f32
  }
  scf.parallel (%i, %j) = (%lb, %lb) to (%ub, %ub) step (%c1, %c1) {
    memref.store %x, %m[%i] : memref<?xf32>
    scf.reduce
  }
  %s = scf.index_switch %lb -> index
  case 2 { scf.yield %ub : index }
  case 5 { scf.yield %lb : index }
  default { scf.yield %c1 : index }
  return %x, %s : f32, index
}
