// The first elements of many: the least of each group are sorted, and then those of as many groups as elements are wanted.

// RUN: dlc-opt %s --lower-frontend | FileCheck %s
// RUN: dlc-run --strict %s --function=numbers --seed=3 -o %t.npz
// RUN: dlc-opt %s --lower-frontend -o %t.tiny
// RUN: dlc-run --strict %t.tiny --function=numbers --seed=3 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-opt %t.tiny --tiny-to-region -o %t.region
// RUN: dlc-run --strict %t.region --function=numbers --seed=3 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-opt %t.region --choose-plan --add-fallback --tensorize -o %t.kernel
// RUN: dlc-run --strict %t.kernel --function=numbers --seed=3 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run --strict %s --function=symbols --shape=N=5000,M=3 --seed=4 -o %t.sym.npz
// RUN: dlc-run --strict %t.tiny --function=symbols --shape=N=5000,M=3 --seed=4 --check=%t.sym.npz --rtol=0 --atol=0
// RUN: dlc-run --strict %t.kernel --function=symbols --shape=N=5000,M=3 --seed=4 --check=%t.sym.npz --rtol=0 --atol=0
// RUN: dlc-run --strict %s --function=symbols --shape=N=7,M=2 --seed=5 -o %t.few.npz
// RUN: dlc-run --strict %t.kernel --function=symbols --shape=N=7,M=2 --seed=5 --check=%t.few.npz --rtol=0 --atol=0

// 40000 elements are 625 groups of 64, and 25 of these have 1600.
// CHECK-LABEL: @numbers
// CHECK: reshape {{.*}} tensor<[625, 64, 2], i64>
// CHECK: reduce min {{.*}} over [1]
// CHECK: sort {{.*}} tensor<[625, 2], i64>
// CHECK: shrink {{.*}} tensor<[25, 2], i64>
// CHECK: sort {{.*}} tensor<[1600, 2], i64>
frontend.graph @numbers(%x: tensor<[40000, 2], i8>) -> (tensor<[25, 2], i8>, tensor<[25, 2], i32>) {
  %y, %i = topk %x, 25 over 0
  output %y, %i
}

// Where the elements of 256 groups of 2048 are too many, their parts are groups, and so on.
// CHECK-LABEL: @large
// CHECK: sort {{.*}} tensor<[8192], i64>
// CHECK: sort {{.*}} tensor<[4096], i64>
// CHECK: sort {{.*}} tensor<[4096], i64>
// CHECK: sort {{.*}} tensor<[2048], i64>
// CHECK-NOT: sort
frontend.graph @large(%x: tensor<[16777216], f32>) -> tensor<[256], f32> {
  %y, %i = topk %x, 256 over 0
  output %y
}

// Of a symbol the number of groups is a number, and they lie apart.
// CHECK-LABEL: @symbols
// CHECK: reshape {{.*}} tensor<[N ceildiv 2048, 2048, M], i64>
// CHECK: reduce min {{.*}} over [0]
// CHECK: sort {{.*}} tensor<[2048, M], i64>
frontend.graph @symbols<N, M>(%x: tensor<[N, M], f32>) -> (tensor<[7, M], f32>, tensor<[7, M], i32>) {
  %y, %i = topk %x, 7 over 0 smallest
  output %y, %i
}

// Few elements are sorted as they are, and so are those of which an eighth is wanted. One element is no sort.
// CHECK-LABEL: @few
// CHECK: sort {{.*}} tensor<[4096], i64>
// CHECK-LABEL: @many
// CHECK: sort {{.*}} tensor<[5000], i64>
// CHECK-LABEL: @first
// CHECK-NOT: sort %
// CHECK: reduce min
frontend.graph @few(%x: tensor<[4096], f32>) -> tensor<[3], f32> {
  %y, %i = topk %x, 3 over 0
  output %y
}
frontend.graph @many(%x: tensor<[5000], f32>) -> tensor<[700], f32> {
  %y, %i = topk %x, 700 over 0
  output %y
}
frontend.graph @first(%x: tensor<[70000], f32>) -> (tensor<[1], f32>, tensor<[1], i32>) {
  %y, %i = topk %x, 1 over 0
  output %y, %i
}
