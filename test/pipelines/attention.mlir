// Causal attention, from a graph to PTX: section 15.3 of the specification.

// RUN: dlc-opt %s --lower-frontend --tiny-simplify -o %t.tiny
// RUN: FileCheck %s --input-file=%t.tiny --check-prefix=TINY
// RUN: dlc-opt %t.tiny --tiny-to-book -o %t.book
// RUN: FileCheck %s --input-file=%t.book --check-prefix=BOOK
// RUN: dlc-opt %t.book --build-poly-view | FileCheck %s --check-prefix=POLY
// RUN: dlc-opt %t.tiny --tiny-to-region -o %t.region
// RUN: FileCheck %s --input-file=%t.region --check-prefix=REGION
// RUN: dlc-opt %t.region --choose-plan=assume=4096 --add-fallback -o %t.plan
// RUN: FileCheck %s --input-file=%t.plan --check-prefix=PLAN
// RUN: dlc-opt %t.plan --tensorize --kernel-schedule -o %t.kernel
// RUN: FileCheck %s --input-file=%t.kernel --check-prefix=KERNEL
// RUN: dlc-opt %t.kernel --region-to-ptx -o %t.ptx
// RUN: dlc-translate %t.ptx --to-ptx | FileCheck %s --check-prefix=ASM

// The checker need not run through long sequences for blocks that go through several tiles: it takes a few milliseconds.
// RUN: dlc-opt %t.kernel --check-async --statistics --no-output 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: 1 grids: Grids that were verified.
// CHECKED: {{ [0-9]{1,5} steps}}

// The same numbers at each layer; the last tiles of rows and of what they look at are not full.
// RUN: dlc-run %s --shape=B=1,H=2,S=75 --seed=0 -o %t.npy
// RUN: dlc-run %t.book --shape=B=1,H=2,S=75 --seed=0 --check=%t.npy
// RUN: dlc-run %t.region --function=attention --shape=B=1,H=2,S=75 --seed=0 --check=%t.npy
// RUN: dlc-run %t.kernel --function=attention --shape=B=1,H=2,S=75 --seed=0 --check=%t.npy
// RUN: dlc-run %t.ptx --function=attention --shape=B=1,H=2,S=75 --seed=0 --check=%t.npy

// Two contractions, and a softmax between them.
// TINY: %[[SCORES:.+]] = contract %Q [b, h, m, d], %K [b, h, n, d] to [b, h, m, n] acc f32
// TINY: cmp le
// TINY: where
// TINY: reduce max
// TINY: exp2
// TINY: reduce sum
// TINY: contract %{{.+}} [b, h, m, n], %V [b, h, n, e] to [b, h, m, e] acc f32

// The mask is for all batches and heads: it is read along the axes of positions alone.
// BOOK: entry where axes (i0: B, i1: H, i2: S, i3: S) of %{{.+}} at (i2, i3)

// POLY: contraction batched_matmul lhs [b, h, s, i4] rhs [b, h, s1, i4] out [b, h, s, s1] reduce [i4] batch [b, h]
// POLY: statement out [b, h, s] reduce [s1]
// POLY: contraction batched_matmul lhs [b, h, s, s1] rhs [b, h, s1, i3] out [b, h, s, i3] reduce [s1] batch [b, h]

// One kernel: the maximum, the sum below it and the product with V in one pass.
// REGION: region.func private @attention_0
// REGION: reduce sum ({{.+}}: 128) acc f32
// REGION: reduce (s1: S) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
// REGION: combine

// PLAN: plan.schedule of @attention_0 for sm90 {
// PLAN: instruction wgmma
// PLAN: async

// KERNEL: kernel.func private @attention_0
// KERNEL: role producer
// KERNEL: tma_load %map_
// KERNEL: role consumer
// KERNEL: wgmma
// KERNEL: unary exp2
// KERNEL: wgmma

// ASM: .target sm_90a
// ASM: mbarrier.try_wait
// ASM: wgmma.mma_async.sync.aligned
// ASM: ex2.approx
// ASM: wgmma.mma_async.sync.aligned
frontend.graph @attention<B, H, S>(
    %Q: tensor<[B, H, S, 128], f16> {role = "data"}, %K: tensor<[B, H, S, 128], f16> {role = "data"},
    %V: tensor<[B, H, S, 128], f16> {role = "data"}
) -> tensor<[B, H, S, 128], f16> {
  %y = attention %Q, %K, %V causal
  output %y
}
