// Products of f32 on tensor cores: attention and convolutions compute what the graph says.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='assume=1024 symbols=[H:56,W:56,B:8]' --add-fallback -o %t.planned
// RUN: FileCheck %s --input-file %t.planned
// RUN: dlc-opt %t.planned --region-to-ptx -o %t.ptx

// RUN: dlc-run %s --function=attend --shape=B=1,S=70 --device=cpu -o %t.npz
// RUN: dlc-run %t.ptx --function=attend --shape=B=1,S=70 --device=cpu --check=%t.npz --rtol=1e-5 --atol=1e-5
// RUN: dlc-run %s --function=image --shape=B=1,H=5,W=8 --device=cpu -o %t.npz
// RUN: dlc-run %t.ptx --function=image --shape=B=1,H=5,W=8 --device=cpu --check=%t.npz --rtol=1e-4 --atol=1e-4

// CHECK-COUNT-2: instruction mma {{.*}}promote as tf32x3
frontend.graph @attend<B, S>(%q: tensor<[B, 2, S, 64], f32>, %k: tensor<[B, 2, S, 64], f32>, %v: tensor<[B, 2, S, 64], f32>) -> tensor<[B, 2, S, 64], f32> {
  %o = attention %q, %k, %v
  output %o
}
frontend.graph @image<B, H, W>(%x: tensor<[B, 16, H, W], f32>, %w: tensor<[64, 16, 3, 3], f32>) -> tensor<[B, 64, H, W], f32> {
  %y = conv %x, %w pad [1, 1]
  output %y
}
