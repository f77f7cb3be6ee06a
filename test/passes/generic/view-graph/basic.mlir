// Values run downwards, control is dashed, and regions are boxes in the box of their op.

// RUN: dlc-opt %s --pass-pipeline='sample.func(view-graph)' --no-output --output-dir=%T
// RUN: snapshot %S/Inputs/basic.svg.expected < %T/view-graph.f.svg
// RUN: dlc-opt %s --pass-pipeline='sample.func(view-graph{format=dot})' --no-output 2>&1 | snapshot %s

sample.func @f(%n: i64, %x: i64) -> i64 {
  %zero = constant 0 : i64
  %s = addi %n, %x : i64
  %p = muli %s, %s : i64
  %less = cmpi slt %s, %p : i1
  %r = if %less : i64 {
    %t = subi %p, %n : i64
    yield %t
  } else {
    yield %x
  }
  cond_br %less, ^a(%r), ^b
^a(%y: i64):
  return %y
^b:
  return %zero
}

// EXPECT:
// // -----// view-graph.f.dot //----- //
// digraph "f" {
//   compound=true; node [shape=box, fontname=monospace]; graph [fontname=monospace];
//   subgraph cluster_0 {
//     n0 [label="sample.func\nfunction_type = (i64, i64) -> i64\nsym_name = \"f\"", shape=plain];
//     subgraph cluster_1 {
//       style=rounded;
//       n1 [label="^bb(%n: i64, %x: i64)", shape=note];
//       n2 [label="%zero = sample.constant : i64\nvalue = 0"];
//       n3 [label="%s = sample.addi : i64"];
//       n4 [label="%p = sample.muli : i64"];
//       n5 [label="%less = sample.cmpi : i1\npredicate = \"slt\""];
//       subgraph cluster_6 {
//         n6 [label="%r = sample.if : i64", shape=plain];
//         subgraph cluster_7 {
//           style=rounded;
//           n7 [label="^bb()", shape=note];
//           n8 [label="%t = sample.subi : i64"];
//           n9 [label="sample.yield"];
//         }
//         subgraph cluster_10 {
//           style=rounded;
//           n10 [label="^bb()", shape=note];
//           n11 [label="sample.yield"];
//         }
//       }
//       n12 [label="sample.cond_br"];
//     }
//     subgraph cluster_13 {
//       style=rounded;
//       n13 [label="^a(%y: i64)", shape=note];
//       n14 [label="sample.return"];
//     }
//     subgraph cluster_15 {
//       style=rounded;
//       n15 [label="^b()", shape=note];
//       n16 [label="sample.return"];
//     }
//   }
//   n1 -> n3;
//   n3 -> n4;
//   n3 -> n5;
//   n4 -> n5;
//   n5 -> n6;
//   n4 -> n8;
//   n1 -> n8;
//   n8 -> n9;
//   n1 -> n11;
//   n5 -> n12;
//   n6 -> n12;
//   n12 -> n13 [style=dashed];
//   n12 -> n15 [style=dashed];
//   n13 -> n14;
//   n2 -> n16;
// }
