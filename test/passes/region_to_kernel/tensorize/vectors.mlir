// A product of a vector and a matrix goes along the rows of the matrix or next to its columns, as the matrix lies: the vector,
// which all results read alike, says nothing about that.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm90},tensorize' | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,tensorize' --evaluate-each -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm90},tensorize' --evaluate-each -o /dev/null

// CHECK-LABEL: kernel.func private @columns_0
// CHECK: load %w[{{.*}}] where {{.*}} : frag<[{{[0-9]+}}, 512], f16, blocked [2, 1] lanes [2, 16] warps [1, 8]>
frontend.graph @columns(%x: tensor<[1, 512], f16>, %w: tensor<[512, 640], f16>) -> tensor<[1, 640], f16> {
  %y = gemm %x, %w
  output %y
}

// CHECK-LABEL: kernel.func private @rows_0
// CHECK: load %w[{{.*}}] where {{.*}} : frag<[4, 512], f16, blocked [1, 8] lanes [1, 32] warps [4, 1]>
frontend.graph @rows(%x: tensor<[1, 512], f16>, %w: tensor<[640, 512], f16>) -> tensor<[1, 640], f16> {
  %y = linear %x, %w
  output %y
}
