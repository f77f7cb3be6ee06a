// Memory that there is not: one case for each rule of memrefs.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

// expected-error@+1 {{the elements of a memref must be integers, index or floats}}
sample.func private @of_tensors(memref<[4], tensor<[4], f32>>)

// -----

// expected-error@+1 {{an alignment is a power of two, not 12}}
sample.func private @align(memref<[4], f32, align 12>)

// -----

// expected-error@+1 {{an alignment is a power of two, not 0}}
sample.func private @generic_align(!core.memref<[4], f32, "row_major", 0, false>)

// -----

// expected-error@+1 {{1 strides are given for 2 sizes}}
sample.func private @strides<M>(memref<[M, 4], f32, strided [1]>)

// -----

// expected-error@+1 {{rows of 96 bytes in units of 16 are not swizzled}}
sample.func private @rows(memref<[4, 48], f16, swizzled 96>)

// -----

// expected-error@+1 {{rows of 64 bytes in units of 12 are not swizzled}}
sample.func private @units(memref<[4, 32], f16, swizzled 64 vec 12>)

// -----

// expected-error@+1 {{rows of 32 bytes in units of 64 are not swizzled}}
sample.func private @units_beyond(memref<[4, 16], f16, swizzled 32 vec 64>)

// -----

// expected-error@+1 {{blocks of 1 axes are given for 2 sizes}}
sample.func private @block_of_one_axis(memref<[4, 16], f16, blocked [4]>)

// -----

// expected-error@+1 {{the sizes of a block are positive, not [4, 0]}}
sample.func private @empty_block(memref<[4, 16], f16, blocked [4, 0]>)

// -----

// expected-error@+1 {{a size is not negative, and -1 is}}
sample.func private @negative(memref<[-1], f16>)

// -----

// expected-error@+1 {{the parameter 'layout' must be a layout}}
sample.func private @no_layout(!core.memref<[4], f32, "diagonal", 4, false>)

// -----

// expected-error@+1 {{the parameter 'layout' must be a layout}}
sample.func private @half_a_layout(!core.memref<[4], f32, {strides = [1]}, 4, false>)
