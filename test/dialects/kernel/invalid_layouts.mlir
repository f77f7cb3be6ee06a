// Layouts that there are not: what cannot be read, and what is not in canonical spelling.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

// expected-error@+1 {{'wgmm' is no distributed layout; it is one of wgmma, wgmma_a, mma, mma_a, mma_b, blocked, slice, bits}}
sample.func private @unknown(frag<[64, 8], f32, wgmm>)

// -----

// expected-error@+1 {{a warp has 32 lanes, not 16}}
sample.func private @lanes(frag<[64, 8], f32, blocked [1, 1] lanes [2, 8] warps [4, 1]>)

// -----

// expected-error@+1 {{expected 'warps', found ','}}
sample.func private @unfinished(frag<[64, 8], f32, blocked [1, 1] lanes [2, 8], 3>)

// -----

// expected-error@+1 {{a grid of warps has powers of two, not 3}}
sample.func private @grid(frag<[64, 8], f32, mma [3, 1]>)

// -----

// expected-error@+1 {{a layout of rank 2 has no axis 2}}
sample.func private @axis(frag<[64], f32, slice 2 of (wgmma)>)

// -----

// expected-error@+1 {{a number of a layout is not negative and fits 32 bits, -1 does not}}
sample.func private @negative(frag<[64], f32, slice -1 of (wgmma)>)

// -----

// expected-error@+1 {{the number of a lane has 5 bits, not 1}}
sample.func private @bits(frag<[2], f32, bits (register [], lane [[1]], warp [])>)

// -----

// expected-error@+1 {{must be a distributed layout, such as "wgmma"}}
sample.func private @spelling(!kernel.frag<array<i64: 64, 8>, f32, "mma [4,1]">)

// -----

// expected-error@+1 {{a swizzle has rows of 32, 64 or 128 bytes, not 48}}
sample.func private @span(tile<[64, 8], f32, swizzle 48>)

// -----

// expected-error@+1 {{must be a shared layout, such as "swizzle 128"}}
sample.func private @shared_spelling(!kernel.tile<1, array<i64: 64, 64>, f16, "swizzle  128">)

// -----

// expected-error@+1 {{a pitch of 8 is too small for a row of 64 elements}}
sample.func private @pitch(tile<[64, 64], f16, row_major pitch 8>)

// -----

// expected-error@+1 {{TMA writes rows one after another: 'row_major' without a pitch, or panels}}
sample.func private @pitch_of_a_map(tensormap<[64, 64], f16, row_major pitch 72>)

// -----

// expected-error@+1 {{a tile has 1 to 262144 elements along axis 0, not 4294967295}}
sample.func private @rows_beyond_32_bits(tensormap<[2147483648, 1, 64, 64], f16, swizzle 128>)
