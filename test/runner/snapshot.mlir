// Exact snapshots, in the file and next to it, compared and blessed.

// RUN: split-file %s %T
// RUN: cat program | snapshot %s
// RUN: echo second | snapshot %s --name=second
// RUN: cat program | snapshot %S/Inputs/program.expected
// RUN: cp %S/Inputs/snapshot-old.test old.test
// RUN: not lit old.test | FileCheck %s --check-prefix=OLD
// RUN: lit old.test --bless && cmp old.test %S/Inputs/snapshot-new.test
// RUN: lit %S/Inputs/snapshot-new.test
// RUN: cp %S/Inputs/snapshot-not.test not.test
// RUN: lit not.test --bless && cmp not.test %S/Inputs/snapshot-not.test
// RUN: not lit %S/Inputs/snapshot-unused.test | FileCheck %s --check-prefix=UNUSED

// OLD: the output is not the snapshot (-), DLC_BLESS=1 rewrites it:
// OLD: -one
// OLD-NEXT: +two
// UNUSED: no RUN line compares the block `EXPECT left:`

// EXPECT:
// func {
//
//   return
// }

// EXPECT second:
// second

//--- program
func {

  return
}
