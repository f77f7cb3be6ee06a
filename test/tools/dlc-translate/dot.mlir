// The ops of any layer are a graph.

// RUN: dlc-translate %s --to-dot -o %t.dot
// RUN: FileCheck %s --input-file=%t.dot
// RUN: dlc-translate %s --to-dot | cmp %t.dot -

// CHECK: digraph module {
// CHECK-NEXT: node [shape=box, fontname="monospace"];
// CHECK-NEXT: edge [fontname="monospace"];

// A function is a frame around its arguments and its ops; what is in a name of a type is escaped.
// CHECK-NEXT: subgraph cluster_0 {
// CHECK-NEXT: label="tiny.func @twice";
// CHECK-NEXT: n1 [label="tiny.func @twice"];
// CHECK-NEXT: n2 [label="%x: tensor<[M], f32>", shape=ellipse];
// CHECK-NEXT: n3 [label="tiny.add\n%y: tensor<[M], f32>"];
// CHECK-NEXT: n4 [label="tiny.return"];
// CHECK-NEXT: }
tiny.func @twice<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = add %x, %x
  return %y
}

// Each block is a frame in that of the entry, and where control goes is a dashed edge.
// CHECK: label="ptx.func @f";
// CHECK: label="ptx.entry";
// CHECK: label="block 0";
// CHECK: [[N:n[0-9]+]] [label="%n: i32", shape=ellipse];
// CHECK: [[P:n[0-9]+]] [label="ptx.setp\n%p: i1"];
// CHECK: [[IF:n[0-9]+]] [label="ptx.bra_if"];
// CHECK: label="block 1";
// CHECK-NEXT: [[BRA:n[0-9]+]] [label="ptx.bra"];
// CHECK: label="block 2";
// CHECK-NEXT: [[EXIT:n[0-9]+]] [label="ptx.exit"];
ptx.func @f<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
  entry "f_0" (1) threads 32 shared 0 sizes (N) {
  ^start(%n: i32):
    %p = setp.lt.s32 %n, 3
    bra_if %p, ^inside, ^end
  ^inside:
    bra ^end
  ^end:
    exit
  }
  kernel.return %X
}

// An op of the module stands in no frame.
// CHECK: [label="sample.constant\n%c: i32"];
%c = sample.constant 3 : i32

// CHECK: n2 -> n3 [label="%x"];
// CHECK-NEXT: n2 -> n3 [label="%x"];
// CHECK-NEXT: n3 -> n4 [label="%y"];
// CHECK: [[N]] -> [[P]] [label="%n"];
// CHECK-NEXT: [[P]] -> [[IF]] [label="%p"];
// CHECK-NEXT: [[IF]] -> [[BRA]] [style=dashed];
// CHECK-NEXT: [[IF]] -> [[EXIT]] [style=dashed];
// CHECK-NEXT: [[BRA]] -> [[EXIT]] [style=dashed];
