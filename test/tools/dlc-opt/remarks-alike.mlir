// Of remarks that differ in nothing but names, sizes and numbers three are shown, and the last says how many more there are.

// RUN: dlc-opt %s --inline --no-output --remarks 2>&1 | FileCheck %s --implicit-check-not='inlined @g'
// RUN: dlc-opt %s --inline --no-output --remarks=passed --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON --implicit-check-not="more like this"
// RUN: dlc-opt %s --inline --no-output --remarks=all 2>&1 | FileCheck %s --check-prefix=ALL --implicit-check-not='more like this'

// CHECK-COUNT-3: [inline, passed] inlined @g
// CHECK: 2 more like this are not shown; --remarks=all shows each
// CHECK: did not inline @rec: it is recursive
// JSON-COUNT-5: inlined @g
// ALL-COUNT-5: [inline, passed] inlined @g
sample.func @g1(%a: i64) -> i64 {
  %r = addi %a, %a : i64
  return %r
}
sample.func @g2(%a: i64) -> i64 {
  %r = addi %a, %a : i64
  return %r
}
sample.func @h(%a: i64) -> i64 {
  %b = call @g1(%a) : i64
  %c = call @g2(%b) : i64
  %d = call @g1(%c) : i64
  %e = call @g2(%d) : i64
  %r = call @g1(%e) : i64
  return %r
}
sample.func @rec(%a: i64) -> i64 {
  %r = call @rec(%a) : i64
  return %r
}
