// A strided transposed convolution, from a graph to instructions: one product for each phase, whose pixels TMA
// loads, and whose results lie apart in memory.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region -o %t.region
// RUN: FileCheck %s --input-file=%t.region --check-prefix=REGION
// RUN: dlc-opt %t.region --choose-plan='symbols=[N:16,H:32,W:32]' --add-fallback --tensorize --kernel-schedule -o %t.kernel
// RUN: FileCheck %s --input-file=%t.kernel --check-prefix=KERNEL
// RUN: dlc-opt %t.kernel --region-to-ptx -o %t.ptx

// The same numbers at each layer, of images of odd sizes and of one that is smaller than the window.
// RUN: dlc-run %s --shape=N=3,H=5,W=7 --seed=0 -o %t.npy
// RUN: dlc-run %t.region --shape=N=3,H=5,W=7 --seed=0 --check=%t.npy
// RUN: dlc-run %t.kernel --shape=N=3,H=5,W=7 --seed=0 --check=%t.npy
// RUN: dlc-run %t.ptx --shape=N=3,H=5,W=7 --seed=0 --check=%t.npy
// RUN: dlc-run %s --shape=N=1,H=1,W=2 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx --shape=N=1,H=1,W=2 --seed=0 --check=%t.npy

// Four of sixteen positions of the window for each phase, and no condition but the edges.
// REGION: iters (n: N, {{i[0-9]+}}: 64, h: H, {{i[0-9]+}}: 2, w: W, {{i[0-9]+}}: 2)
// REGION: reduce sum ({{i[0-9]+}}: 64, {{i[0-9]+}}: 2, {{i[0-9]+}}: 2)
// REGION-NOT: mod

// Lanes lie along the pixels, of which the nearest in memory are.
// KERNEL: tensor_map %x im2col lower [-1, -1] upper [-1, -1] strides [1, 1]
// KERNEL: role producer
// KERNEL: tma_load %map_x[{{.+}}] offsets ({{.+}}floordiv 2, {{.+}}mod 2) to
// KERNEL: role consumer
// KERNEL: load_shared %panels[{{.+}}] : frag<[32, 64], f16, blocked [1, 1] lanes [1, 32] warps [4, 1]>
// KERNEL-NEXT: store %{{.+}} to %out[({{.+}}i1) floordiv (H*W), {{.*}}i0{{.*}}, (
frontend.graph @up<N, H, W>(%x: tensor<[N, 64, H, W], f16>, %w: tensor<[64, 64, 4, 4], f16>, %b: tensor<[64], f16>) -> tensor<[N, 64, 2*H, 2*W], f16> {
  %y = conv_transpose %x, %w bias %b stride [2, 2] pad [1, 1] acc f32
  output %y as f16
}
