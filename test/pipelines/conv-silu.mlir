// A convolution of 3 by 3 with a bias and silu, from a graph to PTX: section 15.2 of the specification.

// RUN: dlc-opt %s --lower-frontend --tiny-simplify -o %t.tiny
// RUN: FileCheck %s --input-file=%t.tiny --check-prefix=TINY
// RUN: dlc-opt %t.tiny --tiny-to-book -o %t.book
// RUN: FileCheck %s --input-file=%t.book --check-prefix=BOOK
// RUN: dlc-opt %t.book --build-poly-view | FileCheck %s --check-prefix=POLY
// RUN: dlc-opt %t.tiny --tiny-to-region -o %t.region
// RUN: FileCheck %s --input-file=%t.region --check-prefix=REGION
// RUN: dlc-opt %t.region --choose-plan='assume=64 target=sm80' --add-fallback -o %t.plan
// RUN: FileCheck %s --input-file=%t.plan --check-prefix=PLAN
// RUN: dlc-opt %t.plan --tensorize --kernel-schedule -o %t.kernel
// RUN: FileCheck %s --input-file=%t.kernel --check-prefix=KERNEL
// RUN: dlc-opt %t.kernel --region-to-ptx -o %t.ptx
// RUN: dlc-translate %t.ptx --to-ptx | FileCheck %s --check-prefix=ASM

// The same numbers at each layer; windows reach beyond all four edges.
// RUN: dlc-run %s --shape=N=2,H=5,W=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.book --shape=N=2,H=5,W=8 --seed=0 --check=%t.npy
// RUN: dlc-run %t.region --function=conv_silu --shape=N=2,H=5,W=8 --seed=0 --check=%t.npy
// RUN: dlc-run %t.kernel --function=conv_silu --shape=N=2,H=5,W=8 --seed=0 --check=%t.npy
// RUN: dlc-run %t.ptx --function=conv_silu --shape=N=2,H=5,W=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --shape=N=1,H=1,W=3 --seed=0 -o %t.odd.npy
// RUN: dlc-run %t.ptx --function=conv_silu --shape=N=1,H=1,W=3 --seed=0 --check=%t.odd.npy

// TINY: %[[PAD:.+]] = pad %X low [0, 1, 1, 0] high [0, 1, 1, 0]
// TINY-NEXT: contract %F [kh, kw, ci, co], %[[PAD]] [n, ho + kh, kw + wo, ci] to [n, ho, wo, co] acc f32
// TINY: exp2
// TINY: recip

// The halo of one on either side, and where it is outside.
// BOOK: entry mul axes (i0: N, i1: H, i2: W, i3: 128, i4: 3, i5: 3, i6: 64)
// BOOK-SAME: %X at (i0, i1 + i4 - 1, i2 + i5 - 1, i6) where (0 <= i1 + i4 - 1 < H, 0 <= i2 + i5 - 1 < W)
// BOOK-NEXT: reduce sum axes (i0: N, i1: H, i2: W, i3: 128) over (i4: 3, i5: 3, i6: 64)

// POLY: contraction conv lhs [n, h, i4, w, i5, i6] rhs [i4, i5, i6, i3] out [n, h, w, i3] reduce [i4, i5, i6] strides [1, 1] dilations [1, 1] offsets [-1, -1]

// REGION: reduce sum (i4: 3, i5: 3, i6: 64) acc f32 init 0.0 {
// REGION: read %X[n, h + i4 - 1, i5 + w - 1, i6] where (0 <= h + i4 - 1 < H, 0 <= i5 + w - 1 < W)
// REGION: unary exp2
// REGION: unary recip
// REGION: yield %{{.+}} to out as f16

// PLAN: plan.schedule of @conv_silu_0 for sm80 {
// PLAN: instruction mma [16, 8, 16]
// PLAN: stages 3
// PLAN: async
// PLAN: epilogue [add, mul, exp2, add, recip, mul]

// KERNEL: copy_async %X[
// KERNEL: await
// KERNEL: mma
// KERNEL: unary exp2

// ASM: .target sm_80
// ASM: cp.async.cg.shared.global
// ASM: cp.async.wait_group
// ASM: ldmatrix.sync
// ASM: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// ASM: ex2.approx
frontend.graph @conv_silu<N, H, W>(
    %X: tensor<[N, H, W, 64], f16> {role = "data"}, %F: tensor<[3, 3, 64, 128], f16> {role = "param"},
    %bias: tensor<[128], f32> {role = "param"}
) -> tensor<[N, H, W, 128], f16> {
  %c = conv %X, %F bias %bias pad [1, 1] layout channels_last acc f32
  %y = silu %c
  output %y as f16
}
