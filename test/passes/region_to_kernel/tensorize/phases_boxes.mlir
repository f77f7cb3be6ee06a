// The filters and phases of strided transposed convolutions, of which a tile has several each, are a TMA box: columns go through
// the axes of the filters as through digits of a number. The last tile goes beyond the filters and the pixels.

// RUN: dlc-opt %s --tensorize --kernel-schedule -o %t.mlir 2> %t.log
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t.log

// Kernels, their schedules and their instructions give the numbers of the regions.
// RUN: dlc-opt %s --tensorize --kernel-schedule --kernel-to-ptx --evaluate-each --no-output

// Of the kernels whose filters are no box, and of no others, warnings say so.
// LOG-NOT: E1614
// LOG-COUNT-3: [E1614] Warning: 'plan.schedule': the plan requires TMA, and it does not copy w: its positions are no single steps
// LOG: 'roles': the warps of this grid get none: its threads copy, too
// LOG: @uneven
// LOG: 'roles': the warps of this grid get none: its threads copy, too
// LOG: @other_order
// LOG: 'roles': the warps of this grid get none: its threads copy, too
// LOG: @more_filters
// LOG-NOT: E1614

// CHECK-LABEL: kernel.func @f16
// CHECK: %[[MAP:.+]] = tensor_map %w : tensormap<[32, 2, 2, 64], f16, swizzle 128>
// CHECK: tma_load %[[MAP]][32*%column, -2*%i7 + 1, -2*%i8 + 1, 0] to %rhs
// CHECK: wgmma
region.func @f16 iters (i0: 1, i1: 40, i2: 2, i3: 2, i4: 63, i5: 2)
  ins (%w: memref<[40, 3, 3, 64], f16, row_major, align 128, noalias>, %x: memref<[1, 2, 63, 64], f16, row_major, align 128, noalias>)
  outs (out: memref<[1, 40, 2, 2, 63, 2], f16, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i6: 64, i7: 2, i8: 2) acc f32 init 0.0 {
    %1 = read %w[i1, i3 - 2*i7 + 1, i5 - 2*i8 + 1, i6] where (-i3 + 2*i7 + 1 < 3, -i5 + 2*i8 + 1 < 3) : f16 over (i1, i3, i5, i6, i7, i8)
    %2 = read %x[i0, i2 + i7, i4 + i8, i6] where (i2 + i7 < 2, i4 + i8 < 63) : f16 over (i0, i2, i4, i6, i7, i8)
    %3 = binary mul %1, %2 widen : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %3
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %0 to out as f16
}
plan.schedule of @f16 for sm90 {
  tile (i0: 1, i1: 32, i2: 1, i3: 2, i4: 64, i5: 2, i6: 64)
  instruction wgmma [64, 128, 16]
  stages 2
  roles cooperative consumers 1
  registers (producer: 24, consumer: 232)
  cache x (i0, i2, i7, i4, i8, i6) f16 in smem
  cache w (i1, i3, i7, i5, i8, i6) f16 in smem
  swizzle (x: 128, w: 128)
  barrier mbarrier
  async
  algo (load_x: im2col)
}

// A tile of the phases of one axis has one position of the other.
// CHECK-LABEL: kernel.func @one_axis
// CHECK: tensor_map %w : tensormap<[64, 1, 2, 64], f16, swizzle 128>
region.func @one_axis iters (i0: 1, i1: 40, i2: 2, i3: 2, i4: 63, i5: 2)
  ins (%w: memref<[40, 3, 3, 64], f16, row_major, align 128, noalias>, %x: memref<[1, 2, 63, 64], f16, row_major, align 128, noalias>)
  outs (out: memref<[1, 40, 2, 2, 63, 2], f16, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i6: 64, i7: 2, i8: 2) acc f32 init 0.0 {
    %1 = read %w[i1, i3 - 2*i7 + 1, i5 - 2*i8 + 1, i6] where (-i3 + 2*i7 + 1 < 3, -i5 + 2*i8 + 1 < 3) : f16 over (i1, i3, i5, i6, i7, i8)
    %2 = read %x[i0, i2 + i7, i4 + i8, i6] where (i2 + i7 < 2, i4 + i8 < 63) : f16 over (i0, i2, i4, i6, i7, i8)
    %3 = binary mul %1, %2 widen : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %3
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %0 to out as f16
}
plan.schedule of @one_axis for sm90 {
  tile (i0: 1, i1: 64, i2: 1, i3: 1, i4: 64, i5: 2, i6: 64)
  instruction wgmma [64, 128, 16]
  stages 2
  roles cooperative consumers 1
  registers (producer: 24, consumer: 232)
  cache x (i0, i2, i7, i4, i8, i6) f16 in smem
  cache w (i1, i3, i7, i5, i8, i6) f16 in smem
  swizzle (x: 128, w: 128)
  barrier mbarrier
  async
  algo (load_x: im2col)
}

// Three phases.
// CHECK-LABEL: kernel.func @thirds
// CHECK: tensor_map %w : tensormap<[8, 3, 3, 64], f16, swizzle 128>
region.func @thirds iters (i0: 1, i1: 40, i2: 2, i3: 3, i4: 63, i5: 3)
  ins (%w: memref<[40, 6, 6, 64], f16, row_major, align 128, noalias>, %x: memref<[1, 2, 63, 64], f16, row_major, align 128, noalias>)
  outs (out: memref<[1, 40, 2, 3, 63, 3], f16, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i6: 64, i7: 2, i8: 2) acc f32 init 0.0 {
    %1 = read %w[i1, i3 - 3*i7 + 3, i5 - 3*i8 + 3, i6] : f16 over (i1, i3, i5, i6, i7, i8)
    %2 = read %x[i0, i2 + i7, i4 + i8, i6] where (i2 + i7 < 2, i4 + i8 < 63) : f16 over (i0, i2, i4, i6, i7, i8)
    %3 = binary mul %1, %2 widen : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %3
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %0 to out as f16
}
plan.schedule of @thirds for sm90 {
  tile (i0: 1, i1: 8, i2: 1, i3: 3, i4: 64, i5: 3, i6: 64)
  instruction wgmma [64, 72, 16]
  stages 2
  roles cooperative consumers 1
  registers (producer: 24, consumer: 232)
  cache x (i0, i2, i7, i4, i8, i6) f16 in smem
  cache w (i1, i3, i7, i5, i8, i6) f16 in smem
  swizzle (x: 128, w: 128)
  barrier mbarrier
  async
  algo (load_x: im2col)
}

// A tile of 96 columns ends within the phases of a filter.
// CHECK-LABEL: kernel.func @uneven
// CHECK-NOT: tensor_map %w
// CHECK: grid
region.func @uneven iters (i0: 1, i1: 20, i2: 2, i3: 3, i4: 31, i5: 3)
  ins (%w: memref<[20, 6, 6, 64], f16, row_major, align 128, noalias>, %x: memref<[1, 2, 31, 64], f16, row_major, align 128, noalias>)
  outs (out: memref<[1, 20, 2, 3, 31, 3], f16, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i6: 64, i7: 2, i8: 2) acc f32 init 0.0 {
    %1 = read %w[i1, i3 - 3*i7 + 3, i5 - 3*i8 + 3, i6] : f16 over (i1, i3, i5, i6, i7, i8)
    %2 = read %x[i0, i2 + i7, i4 + i8, i6] where (i2 + i7 < 2, i4 + i8 < 31) : f16 over (i0, i2, i4, i6, i7, i8)
    %3 = binary mul %1, %2 widen : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %3
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %0 to out as f16
}
plan.schedule of @uneven for sm90 {
  tile (i0: 1, i1: 16, i2: 1, i3: 3, i4: 64, i5: 2, i6: 64)
  instruction wgmma [64, 96, 16]
  stages 2
  roles cooperative consumers 1
  registers (producer: 24, consumer: 232)
  cache x (i0, i2, i7, i4, i8, i6) f16 in smem
  cache w (i1, i3, i7, i5, i8, i6) f16 in smem
  swizzle (x: 128, w: 128)
  barrier mbarrier
  async
  algo (load_x: im2col)
}

// The axes of the filters stand in another order than the digits.
// CHECK-LABEL: kernel.func @other_order
// CHECK-NOT: tensor_map %w
// CHECK: grid
region.func @other_order iters (i0: 1, i1: 20, i2: 2, i3: 2, i4: 31, i5: 2)
  ins (%w: memref<[3, 20, 3, 64], f16, row_major, align 128, noalias>, %x: memref<[1, 2, 31, 64], f16, row_major, align 128, noalias>)
  outs (out: memref<[1, 20, 2, 2, 31, 2], f16, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i6: 64, i7: 2, i8: 2) acc f32 init 0.0 {
    %1 = read %w[i3 - 2*i7 + 1, i1, i5 - 2*i8 + 1, i6] where (-i3 + 2*i7 + 1 < 3, -i5 + 2*i8 + 1 < 3) : f16 over (i1, i3, i5, i6, i7, i8)
    %2 = read %x[i0, i2 + i7, i4 + i8, i6] where (i2 + i7 < 2, i4 + i8 < 31) : f16 over (i0, i2, i4, i6, i7, i8)
    %3 = binary mul %1, %2 widen : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %3
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %0 to out as f16
}
plan.schedule of @other_order for sm90 {
  tile (i0: 1, i1: 32, i2: 1, i3: 2, i4: 64, i5: 2, i6: 64)
  instruction wgmma [64, 128, 16]
  stages 2
  roles cooperative consumers 1
  registers (producer: 24, consumer: 232)
  cache x (i0, i2, i7, i4, i8, i6) f16 in smem
  cache w (i1, i3, i7, i5, i8, i6) f16 in smem
  swizzle (x: 128, w: 128)
  barrier mbarrier
  async
  algo (load_x: im2col)
}

// Memory has more filters than the convolution: TMA would read on where the guard says zero.
// CHECK-LABEL: kernel.func @more_filters
// CHECK-NOT: tensor_map %w
// CHECK: grid
region.func @more_filters iters (i0: 1, i1: 20, i2: 2, i3: 2, i4: 31, i5: 2)
  ins (%w: memref<[36, 3, 3, 64], f16, row_major, align 128, noalias>, %x: memref<[1, 2, 31, 64], f16, row_major, align 128, noalias>)
  outs (out: memref<[1, 20, 2, 2, 31, 2], f16, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i6: 64, i7: 2, i8: 2) acc f32 init 0.0 {
    %1 = read %w[i1, i3 - 2*i7 + 1, i5 - 2*i8 + 1, i6] where (-i3 + 2*i7 + 1 < 3, -i5 + 2*i8 + 1 < 3) : f16 over (i1, i3, i5, i6, i7, i8)
    %2 = read %x[i0, i2 + i7, i4 + i8, i6] where (i2 + i7 < 2, i4 + i8 < 31) : f16 over (i0, i2, i4, i6, i7, i8)
    %3 = binary mul %1, %2 widen : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %3
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %0 to out as f16
}
plan.schedule of @more_filters for sm90 {
  tile (i0: 1, i1: 32, i2: 1, i3: 2, i4: 64, i5: 2, i6: 64)
  instruction wgmma [64, 128, 16]
  stages 2
  roles cooperative consumers 1
  registers (producer: 24, consumer: 232)
  cache x (i0, i2, i7, i4, i8, i6) f16 in smem
  cache w (i1, i3, i7, i5, i8, i6) f16 in smem
  swizzle (x: 128, w: 128)
  barrier mbarrier
  async
  algo (load_x: im2col)
}
