// A linked plugin: its dialect and its pass are there in a program that links its crate, and nowhere else.

// RUN: example-opt %s | FileCheck %s --check-prefix=READ
// RUN: example-opt %s --expand-double --statistics 2> statistics | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATISTICS --input-file=statistics
// RUN: example-opt --list-passes | FileCheck %s --check-prefix=LIST
// RUN: example-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: not dlc-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// READ: %d = twice.double %x : i64
// CHECK-LABEL: sample.func @f
// CHECK-NEXT: %d = addi %x, %x : i64
// CHECK-NEXT: return %d
// STATISTICS: 1 expanded
// LIST: expand-double
// DIALECTS: twice {{.*}} (1 ops)
// UNKNOWN: no dialect registers the op 'twice.double'
sample.func @f(%x: i64) -> i64 {
  %d = twice.double %x : i64
  sample.return %d
}
