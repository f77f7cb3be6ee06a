// A cross entropy with one-hot targets, as tinygrad writes it: a maximum and two sums of one row, in a sum of rows. The sum
// of rows stays around them, and the numbers are those of the program.

// RUN: dlc-run %S/Inputs/cross_entropy.json --seed=0 -o %t.npy
// RUN: dlc-opt %S/Inputs/cross_entropy.json --tiny-to-region -o %t.region
// RUN: FileCheck %s --input-file=%t.region
// RUN: dlc-run %t.region --function=one_hot_xent --seed=0 --check=%t.npy
// RUN: dlc-opt %S/Inputs/cross_entropy.json --tiny-to-ptx --no-output

// CHECK: reduce sum (i0: 16)
// CHECK-NOT: reduce sum (i0: 16, i1: 100)
