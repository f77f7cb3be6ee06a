// Every layout, through the text, the generic form and back.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK{LITERAL}: @wgmma(frag<[64, 176], f32, wgmma>, frag<[128, 64], f16, wgmma_a>)
// GENERIC{LITERAL}: !kernel.frag<array<i64: 64, 176>, f32, "wgmma">, !kernel.frag<array<i64: 128, 64>, f16, "wgmma_a">
sample.func private @wgmma(frag<[64, 176], f32, wgmma>, frag<[128, 64], f16, wgmma_a>)

// CHECK{LITERAL}: @mma(frag<[64, 32], f32, mma [2, 2]>, frag<[64, 16], f16, mma_a [2, 2]>, frag<[16, 32], f16, mma_b [2, 2]>)
// GENERIC{LITERAL}: !kernel.frag<array<i64: 64, 32>, f32, "mma [2, 2]">
sample.func private @mma(frag<[64, 32], f32, mma [2, 2]>, frag<[64, 16], f16, mma_a [2, 2]>, frag<[16, 32], f16, mma_b [2, 2]>)

// The order that is the default is not written.
// CHECK{LITERAL}: @blocked(frag<[1000], f32, blocked [4] lanes [32] warps [4]>, frag<[64, 64], f16, blocked [8, 1] lanes [8, 4] warps [1, 4] order [0, 1]>, frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>)
// GENERIC{LITERAL}: "blocked [8, 1] lanes [8, 4] warps [1, 4] order [0, 1]"
sample.func private @blocked(frag<[1000], f32, blocked [4] lanes [32] warps [4]>,
                             frag<[64, 64], f16, blocked [8, 1] lanes [8, 4] warps [1, 4] order [0, 1]>,
                             frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1] order [1, 0]>)

// CHECK{LITERAL}: @slice(frag<[64], f32, slice 1 of (wgmma)>, frag<[], f32, slice 0 of (slice 1 of (wgmma))>)
// GENERIC{LITERAL}: "slice 0 of (slice 1 of (wgmma))"
sample.func private @slice(frag<[64], f32, slice 1 of (wgmma)>, frag<[], f32, slice 0 of (slice 1 of (wgmma))>)

// CHECK{LITERAL}: @bits(frag<[8, 8], f16, bits (register [[0, 1]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [])>)
// GENERIC{LITERAL}: "bits (register [[0, 1]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [])"
sample.func private @bits(frag<[8, 8], f16, bits (register [[0,1]], lane [[0,2],[0,4],[1,0],[2,0],[4,0]], warp [])>)

// CHECK{LITERAL}: @shared(tile<[64, 64], f16, row_major>, tile<[64, 64], f16, row_major pitch 72>, tile<[64, 64], f16, col_major>, tile<[64, 64], f16, col_major pitch 66>)
// GENERIC{LITERAL}: "row_major pitch 72"
sample.func private @shared(tile<[64, 64], f16, row_major>, tile<[64, 64], f16, row_major pitch 72>, tile<[64, 64], f16, col_major>, tile<[64, 64], f16, col_major pitch 66>)

// CHECK{LITERAL}: @panels(tile<6 x [128, 64], f16, swizzle 128>, tile<[64, 64], f16, swizzle 64 rows 128>, tile<[64, 16], f32, swizzle 32>, tile<[64, 64], f16, interleaved>, tile<[64, 64], f16, interleaved rows 128>)
// GENERIC{LITERAL}: "swizzle 64 rows 128"
sample.func private @panels(tile<6 x [128, 64], f16, swizzle 128>, tile<[64, 64], f16, swizzle 64 rows 128>, tile<[64, 16], f32, swizzle 32>, tile<[64, 64], f16, interleaved>, tile<[64, 64], f16, interleaved rows 128>)
