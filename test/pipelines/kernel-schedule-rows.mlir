// Rows stay in registers between one read and one write where they fit, shared by as many warps as they are worth: launches
// take a kernel for short rows, one for longer ones, or one that goes over rows step by step. Elements alone have vectors.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{assume=2048 sizes=[64x512]},add-fallback,tensorize,kernel-schedule' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=softmax --shape=M=3,N=504 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=softmax --shape=M=3,N=504 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=softmax --shape=M=2,N=1000 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=softmax --shape=M=2,N=1000 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=softmax --shape=M=3,N=13 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=softmax --shape=M=3,N=13 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=softmax --shape=M=1,N=1 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=softmax --shape=M=1,N=1 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=softmax --shape=M=0,N=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=softmax --shape=M=0,N=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=softmax --shape=M=2,N=2056 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=softmax --shape=M=2,N=2056 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=layernorm --shape=M=3,N=504 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=layernorm --shape=M=3,N=504 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=layernorm --shape=M=2,N=1000 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=layernorm --shape=M=2,N=1000 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=layernorm --shape=M=3,N=13 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=layernorm --shape=M=3,N=13 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=layernorm --shape=M=1,N=1 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=layernorm --shape=M=1,N=1 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=layernorm --shape=M=0,N=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=layernorm --shape=M=0,N=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=layernorm --shape=M=2,N=2056 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=layernorm --shape=M=2,N=2056 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=rmsnorm --shape=M=3,N=504 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=rmsnorm --shape=M=3,N=504 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=rmsnorm --shape=M=2,N=1000 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=rmsnorm --shape=M=2,N=1000 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=rmsnorm --shape=M=3,N=13 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=rmsnorm --shape=M=3,N=13 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gelu_add --shape=M=3,N=504 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gelu_add --shape=M=3,N=504 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gelu_add --shape=M=2,N=2000 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gelu_add --shape=M=2,N=2000 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gelu_add --shape=M=3,N=13 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gelu_add --shape=M=3,N=13 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gelu_add --shape=M=0,N=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gelu_add --shape=M=0,N=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=both --shape=M=3,N=504 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=both --shape=M=3,N=504 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=both --shape=M=3,N=13 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=both --shape=M=3,N=13 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=both --shape=M=2,N=1000 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=both --shape=M=2,N=1000 --seed=0 --check=%t.npy
// RUN: dlc-opt %t.mlir --kernel-to-ptx=fuse --licm=registers=128 --cse --dce -o %t.ptx.mlir
// RUN: dlc-run %s --function=softmax --shape=M=2,N=520 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx.mlir --function=softmax --shape=M=2,N=520 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=layernorm --shape=M=2,N=520 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx.mlir --function=layernorm --shape=M=2,N=520 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=rmsnorm --shape=M=2,N=520 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx.mlir --function=rmsnorm --shape=M=2,N=520 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gelu_add --shape=M=2,N=520 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx.mlir --function=gelu_add --shape=M=2,N=520 --seed=0 --check=%t.npy

// CHECK: launch @softmax_0_1<M, N> cost (tiles: M, steps: N ceildiv 512, {{.*}}) where (N mod 8 == 0, N < 513), @softmax_0<M, N> cost (tiles: M, steps: N ceildiv 2048, {{.*}}) where (N mod 8 == 0, N < 2049) else @softmax_0_any<M, N> where (N < 2049) else @softmax_0_any_0<M, N> where (N mod 8 == 0) else @softmax_0_any_1<M, N> (%X)
// CHECK-LABEL: kernel.func private @softmax_0<
// CHECK: require (N mod 8 == 0, N < 2049)
// CHECK: grid (M) threads 64 blocks_per_sm
// CHECK: tile<[2], f32, row_major>
// CHECK-NOT: for
// CHECK: load %X
// CHECK-NOT: load
// CHECK: reduce max %{{.+}} along 1 through
// CHECK: reduce sum %{{.+}} along 1 through
// CHECK: unary recip %{{.+}} : frag<[1]
// CHECK-NOT: fdiv
// CHECK: store
frontend.graph @softmax<M, N>(%X: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %Y = softmax %x over 1
  output %Y as f16
}

// How many elements a row has is no sum, and what is read is zero outside already.
// CHECK-LABEL: kernel.func private @layernorm_0<
// CHECK-NOT: for
// CHECK: load %X
// CHECK-NOT: select
// CHECK: reduce sum
// CHECK: %[[N:.+]] = index (N)
// CHECK-NEXT: cast %[[N]] : f32
// CHECK: select where (i1 < N)
// CHECK: reduce sum
// CHECK: load %W
// CHECK: load %B
frontend.graph @layernorm<M, N>(%X: tensor<[M, N], f16>, %W: tensor<[N], f16>, %B: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %w = cast %W to f32
  %b = cast %B to f32
  %Y = layer_norm %x weight %w bias %b eps 1.0e-05
  output %Y as f16
}

// CHECK-LABEL: kernel.func private @rmsnorm_0<
// CHECK-NOT: select
// CHECK: reduce sum
frontend.graph @rmsnorm<M, N>(%X: tensor<[M, N], f16>, %W: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %w = cast %W to f32
  %Y = rms_norm %x weight %w eps 1.0e-05
  output %Y as f16
}

// CHECK-LABEL: kernel.func private @gelu_add_0<
// CHECK: load %X{{.*}} f16, {{.*}}blocked [1, 8] lanes [1, 32]
frontend.graph @gelu_add<M, N>(%X: tensor<[M, N], f16>, %W: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %w = cast %W to f32
  %g = gelu %x
  %Y = add %g, %w
  output %Y as f16
}

// What is minus infinity outside for the one is no zero for the other.
frontend.graph @both<M, N>(%X: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %s = softmax %x over 1
  %t = sum %x over [1] keepdim : tensor<[M, 1], f32>
  %Y = add %s, %t
  output %Y as f16
}
