// Windows that touch, of a product: where rows of channels have whole 16-byte units the pixels stay those of whole images,
// which TMA takes one after another (im2col). Other rows are read with each axis in two parts.

// RUN: dlc-opt %s --form-regions --evaluate-each | FileCheck %s

// CHECK-LABEL: region.func private @units_0
// CHECK: read %x[{{.+}}, 2*i1 + i5, 2*i2 + i6, i4]
book.func @units<B>(%x: tensor<[B, 8, 8, 16], f16>, %w: tensor<[24, 2, 2, 16], f16>) -> tensor<[B, 4, 4, 24], f32> {
  %p = entry mul axes (i0: B, i1: 4, i2: 4, i3: 24, i4: 16, i5: 2, i6: 2) of %x at (i0, 2*i1 + i5, 2*i2 + i6, i4), %w at (i3, i5, i6, i4) to f32 widen : tensor<[B, 4, 4, 24, 16, 2, 2], f32>
  %s = reduce sum axes (i0: B, i1: 4, i2: 4, i3: 24) over (i4: 16, i5: 2, i6: 2) of %p at (i0, i1, i2, i3, i4, i5, i6) acc f32 : tensor<[B, 4, 4, 24], f32>
  return %s
}

// CHECK-LABEL: region.func private @few_0
// CHECK: read %x[{{.+}}, i1, i5, i2, i6, i4]
book.func @few<B>(%x: tensor<[B, 8, 8, 3], f16>, %w: tensor<[24, 2, 2, 3], f16>) -> tensor<[B, 4, 4, 24], f32> {
  %p = entry mul axes (i0: B, i1: 4, i2: 4, i3: 24, i4: 3, i5: 2, i6: 2) of %x at (i0, 2*i1 + i5, 2*i2 + i6, i4), %w at (i3, i5, i6, i4) to f32 widen : tensor<[B, 4, 4, 24, 3, 2, 2], f32>
  %s = reduce sum axes (i0: B, i1: 4, i2: 4, i3: 24) over (i4: 3, i5: 2, i6: 2) of %p at (i0, i1, i2, i3, i4, i5, i6) acc f32 : tensor<[B, 4, 4, 24], f32>
  return %s
}
