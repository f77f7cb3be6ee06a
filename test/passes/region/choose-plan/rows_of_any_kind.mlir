// Rows that are read at other places, in merged sizes, in short sums, as images: which plans they get.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[N:64,H:56,W:56,M:16384]}' 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[HW:49]}' 2>&1 | FileCheck %s --check-prefix=KERNEL
// A symbol that a kernel alone has is none of the program.
// KERNEL: [E1613] Error: 'symbols' names the symbol 'HW', which no function of the module has

// A guard on other axes, and a shift of them, leave rows whole: accesses take 16 bytes.
// CHECK-LABEL: plan.schedule of @shifted_0
// CHECK: vectors (x: 8, y: 8)
frontend.graph @shifted<N, H>(%x: tensor<[N, H, 96], f16>) -> tensor<[N, H, 96], f16> {
  %a = slice %x from [0, 3, 0] to [N, H, 96]
  %b = slice %x from [0, 0, 0] to [N, 3, 96]
  %y = concat %a, %b over 1
  output %y
}

// A guard on the axis of the rows does not.
// CHECK-LABEL: plan.schedule of @along_0
// CHECK-NOT: vectors (x
// CHECK: }
frontend.graph @along<N, H>(%x: tensor<[N, H], f16>) -> tensor<[N, H], f16> {
  %a = slice %x from [0, 3] to [N, H]
  %b = slice %x from [0, 0] to [N, 3]
  %y = concat %a, %b over 1
  output %y
}

// Eight divides a row of 10*HW elements where four divides HW. A row has 31,360 elements, as H and W are the program's.
// CHECK-LABEL: plan.schedule of @groups_0
// CHECK: tile (n: 1, {{.*}}: 8192)
// CHECK: assume (HW: 4)
// CHECK: vectors (x: 8)
frontend.graph @groups<N, H, W>(%x: tensor<[N, 10, H, W], f16>) -> tensor<[N], f32> {
  %f = cast %x to f32
  %y = sum %f over [1, 2, 3]
  output %y
}

// Many short sums: a thread each.
// CHECK-LABEL: plan.schedule of @short_0
// CHECK: threads (m: 256)
frontend.graph @short<M>(%x: tensor<[M, 512, 7, 7], f16>) -> tensor<[M, 512], f16> {
  %f = cast %x to f32
  %s = sum %f over [2, 3]
  output %s as f16
}

// Long sums: lanes share them.
// CHECK-LABEL: plan.schedule of @long_0
// CHECK: threads ({{.*}}hw: {{[0-9]+}})
frontend.graph @long<N, H, W>(%x: tensor<[N, 512, H, W], f16>) -> tensor<[N, 512], f16> {
  %f = cast %x to f32
  %s = sum %f over [2, 3]
  output %s as f16
}

// Sums of f32 are multiplied by tensor cores, from copies with both numbers of tf32 of each element: those of one step too,
// where tiles are stored while others are multiplied.
// CHECK-LABEL: plan.schedule of @one_step_0 for
// CHECK: instruction wgmma [64, 64, 8] promote as tf32
frontend.graph @one_step<M>(%a: tensor<[M, 16], f32>, %b: tensor<[M, 16], f32>) -> tensor<[M, M], f32> {
  %y = gemm %a, %b trans_b acc f32
  output %y
}

// CHECK-LABEL: plan.schedule of @steps_0 for
// CHECK: instruction wgmma {{.*}} promote as tf32
frontend.graph @steps<M>(%a: tensor<[M, 1024], f32>, %b: tensor<[M, 1024], f32>) -> tensor<[M, M], f32> {
  %y = gemm %a, %b trans_b acc f32
  output %y
}
