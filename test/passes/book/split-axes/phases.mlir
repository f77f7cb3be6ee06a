// Sums of products of which a factor is read at one remainder of the sum of two positions alone, as the zeros between the
// elements of a strided transposed convolution are not: each remainder of the result's axis is a phase.

// RUN: dlc-opt %s --split-axes=finite --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --split-axes=finite --split-input-file --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --split-axes --split-input-file --evaluate-each | FileCheck %s --check-prefix=EXACT
// RUN: dlc-opt %s --split-axes=finite --split-input-file --debug-counter=split-axes/phase=all | FileCheck %s --check-prefix=OFF
// OFF-NOT: reshape

// REMARK: remainders of an axis are an axis of their own: they say which positions of the sum are read

// Two of four positions of the window are left for each phase, without a condition; what follows goes on with the parts.
// CHECK-LABEL: @two
// CHECK-NEXT: [[P:%[a-z0-9]+]] = entry mul axes (i0: 8, i1: L, i2: 2, i3: 6, i4: 2) of %w at (i3, i0, -i2 - 2*i4 + 3), %x at (i3, i1 + i2 + i4 - 1) where (0 <= i1 + i2 + i4 - 1 < L) to f32 widen
// CHECK-NEXT: [[Y:%[a-z0-9]+]] = reduce sum axes (i0: 8, i1: L, i2: 2) over (i3: 6, i4: 2) of [[P]] at (i0, i1, i2, i3, i4) acc f32
// CHECK-NEXT: [[C:%[a-z0-9]+]] = entry cast axes (i0: 8, i1: L, i2: 2) of [[Y]] at (i0, i1, i2) to f16
// CHECK-NEXT: reshape non_scop [[C]] : tensor<[8, 2*L], f16>
// Of floats zero times an infinity is no zero.
// EXACT-LABEL: @two
// EXACT-NOT: reshape
book.func @two<L>(%x: tensor<[6, L], f16>, %w: tensor<[6, 8, 4], f16>) -> tensor<[8, 2*L], f16> {
  %p = entry mul axes (i0: 8, i1: 2*L, i2: 6, i3: 4) of %w at (i2, i0, -i3 + 3), %x at (i2, (i1 + i3) floordiv 2 - 1) where (0 <= i1 + i3 - 2 < 2*L, (i1 + i3) mod 2 == 0) to f32 widen : tensor<[8, 2*L, 6, 4], f32>
  %y = reduce sum axes (i0: 8, i1: 2*L) over (i2: 6, i3: 4) of %p at (i0, i1, i2, i3) acc f32 : tensor<[8, 2*L], f32>
  %c = entry cast axes (i0: 8, i1: 2*L) of %y at (i0, i1) to f16 : tensor<[8, 2*L], f16>
  return %c
}

// -----

// Three phases, whose first positions are 0, 2 and 1; the window has no whole number of them, which is a condition of the
// factor that has it.
// CHECK-LABEL: @three
// CHECK-NEXT: entry mul axes (i0: 8, i1: L, i2: 3, i3: 6, i4: 2)
// CHECK-SAME: %w at ({{.+}}) where (0 <= {{.+}} < 5), %x at ({{.+}}) where (0 <= {{[^<]+}} < L) to f32
// CHECK-NEXT: reduce sum axes (i0: 8, i1: L, i2: 3) over (i3: 6, i4: 2)
book.func @three<L>(%x: tensor<[6, L], f16>, %w: tensor<[6, 8, 5], f16>) -> tensor<[8, 3*L], f32> {
  %p = entry mul axes (i0: 8, i1: 3*L, i2: 6, i3: 5) of %w at (i2, i0, -i3 + 4), %x at (i2, (i1 + i3) floordiv 3 - 1) where (0 <= i1 + i3 - 3 < 3*L, (i1 + i3) mod 3 == 0) to f32 widen : tensor<[8, 3*L, 6, 5], f32>
  %y = reduce sum axes (i0: 8, i1: 3*L) over (i2: 6, i3: 5) of %p at (i0, i1, i2, i3) acc f32 : tensor<[8, 3*L], f32>
  return %y
}

// -----

// Another remainder, and a window that goes backwards.
// CHECK-LABEL: @backwards
// CHECK-NEXT: entry mul axes (i0: 8, i1: L, i2: 2, i3: 6, i4: 2) of %w at (i3, i0, i2 + 2*i4), %x at (i3, i1 - i4) where (0 <= i1 - i4 < L)
// CHECK-NOT: mod
// CHECK: reshape
book.func @backwards<L>(%x: tensor<[6, L], f16>, %w: tensor<[6, 8, 4], f16>) -> tensor<[8, 2*L], f32> {
  %p = entry mul axes (i0: 8, i1: 2*L, i2: 6, i3: 4) of %w at (i2, i0, i3), %x at (i2, (i1 - i3 + 1) floordiv 2) where (0 <= i1 - i3 < 2*L, (i1 - i3 + 1) mod 2 == 1) to f32 widen : tensor<[8, 2*L, 6, 4], f32>
  %y = reduce sum axes (i0: 8, i1: 2*L) over (i2: 6, i3: 4) of %p at (i0, i1, i2, i3) acc f32 : tensor<[8, 2*L], f32>
  return %y
}

// -----

// Of integers, and where neither factor is read, nothing need be finite.
// EXACT-LABEL: @integers
// EXACT: reduce sum axes (i0: 8, i1: L, i2: 2) over (i3: 6, i4: 2)
book.func @integers<L>(%x: tensor<[6, L], i32>, %w: tensor<[6, 8, 4], i32>) -> tensor<[8, 2*L], i32> {
  %p = entry mul axes (i0: 8, i1: 2*L, i2: 6, i3: 4) of %w at (i2, i0, i3), %x at (i2, (i1 + i3) floordiv 2 - 1) where (0 <= i1 + i3 - 2 < 2*L, (i1 + i3) mod 2 == 0) : tensor<[8, 2*L, 6, 4], i32>
  %y = reduce sum axes (i0: 8, i1: 2*L) over (i2: 6, i3: 4) of %p at (i0, i1, i2, i3) acc i32 : tensor<[8, 2*L], i32>
  return %y
}

// -----

// EXACT-LABEL: @both
// EXACT: reduce sum axes (i0: 8, i1: L, i2: 2) over (i3: 6, i4: 2)
book.func @both<L>(%x: tensor<[6, L], f16>, %w: tensor<[6, 8, 4], f16>) -> tensor<[8, 2*L], f32> {
  %p = entry mul axes (i0: 8, i1: 2*L, i2: 6, i3: 4) of %w at (i2, i0, i3) where ((i1 + i3) mod 2 == 0), %x at (i2, (i1 + i3) floordiv 2 - 1) where (0 <= i1 + i3 - 2 < 2*L, (i1 + i3) mod 2 == 0) to f32 widen : tensor<[8, 2*L, 6, 4], f32>
  %y = reduce sum axes (i0: 8, i1: 2*L) over (i2: 6, i3: 4) of %p at (i0, i1, i2, i3) acc f32 : tensor<[8, 2*L], f32>
  return %y
}

// -----

// A symbolic size that is no multiple, and a product of no matrices, stay.
// CHECK-LABEL: @odd
// CHECK-NOT: reshape
// CHECK-LABEL: @elements
// CHECK-NOT: reshape
book.func @odd<L>(%x: tensor<[6, L], f16>, %w: tensor<[6, 8, 3], f16>) -> tensor<[8, 2*L + 1], f32> {
  %p = entry mul axes (i0: 8, i1: 2*L + 1, i2: 6, i3: 3) of %w at (i2, i0, i3), %x at (i2, (i1 + i3) floordiv 2 - 1) where (0 <= i1 + i3 - 2 < 2*L, (i1 + i3) mod 2 == 0) to f32 widen : tensor<[8, 2*L + 1, 6, 3], f32>
  %y = reduce sum axes (i0: 8, i1: 2*L + 1) over (i2: 6, i3: 3) of %p at (i0, i1, i2, i3) acc f32 : tensor<[8, 2*L + 1], f32>
  return %y
}
book.func @elements<L>(%x: tensor<[8, L], f16>, %w: tensor<[8, 4], f16>) -> tensor<[8, 2*L], f32> {
  %p = entry mul axes (i0: 8, i1: 2*L, i2: 4) of %w at (i0, i2), %x at (i0, (i1 + i2) floordiv 2 - 1) where (0 <= i1 + i2 - 2 < 2*L, (i1 + i2) mod 2 == 0) to f32 widen : tensor<[8, 2*L, 4], f32>
  %y = reduce sum axes (i0: 8, i1: 2*L) over (i2: 4) of %p at (i0, i1, i2) acc f32 : tensor<[8, 2*L], f32>
  return %y
}

// -----

// A remainder that no position has is no phase.
// CHECK-LABEL: @no_remainder
// CHECK-NOT: reshape
book.func @no_remainder<L>(%x: tensor<[6, L], f16>, %w: tensor<[6, 8, 4], f16>) -> tensor<[8, 2*L], f32> {
  %p = entry mul axes (i0: 8, i1: 2*L, i2: 6, i3: 4) of %w at (i2, i0, i3), %x at (i2, (i1 - i3 + 1) floordiv 2) where (0 <= i1 - i3 < 2*L, (i1 - i3 + 1) mod 2 == 4) to f32 widen : tensor<[8, 2*L, 6, 4], f32>
  %y = reduce sum axes (i0: 8, i1: 2*L) over (i2: 6, i3: 4) of %p at (i0, i1, i2, i3) acc f32 : tensor<[8, 2*L], f32>
  return %y
}

// -----

// Rows of phases that are reduced are read whole, and so is what stands next to their sums: a norm goes along them once.
// CHECK-LABEL: @norm
// CHECK: [[Y:%[a-z0-9]+]] = reduce sum axes (i0: 8, i1: L, i2: 2) over (i3: 6, i4: 2)
// CHECK-NEXT: %y = reshape non_scop [[Y]] : tensor<[8, 2*L], f32>
// CHECK-NEXT: %s = reduce sum axes (i0: 8) over (i1: 2*L) of %y at (i0, i1)
// CHECK-NEXT: %d = entry sub axes (i0: 8, i1: 2*L) of %y at (i0, i1), %s at (i0)
// CHECK-NEXT: return %d
book.func @norm<L>(%x: tensor<[6, L], f32>, %w: tensor<[6, 8, 4], f32>) -> tensor<[8, 2*L], f32> {
  %p = entry mul axes (i0: 8, i1: 2*L, i2: 6, i3: 4) of %w at (i2, i0, -i3 + 3), %x at (i2, (i1 + i3) floordiv 2 - 1) where (0 <= i1 + i3 - 2 < 2*L, (i1 + i3) mod 2 == 0) widen : tensor<[8, 2*L, 6, 4], f32>
  %y = reduce sum axes (i0: 8, i1: 2*L) over (i2: 6, i3: 4) of %p at (i0, i1, i2, i3) acc f32 : tensor<[8, 2*L], f32>
  %s = reduce sum axes (i0: 8) over (i1: 2*L) of %y at (i0, i1) acc f32 : tensor<[8], f32>
  %d = entry sub axes (i0: 8, i1: 2*L) of %y at (i0, i1), %s at (i0) : tensor<[8, 2*L], f32>
  return %d
}

// -----

// An axis that the divisor does not divide is longer, by one position here: the copy has the first ones, and what is read for
// those after the end stays inside.
// CHECK-LABEL: @not_divided
// CHECK: entry mul axes (i0: 8, i1: 9, i2: 2, i3: 6, i4: 2)
// CHECK-SAME: %x at (i3, i1 + i4) where ({{.*}}0 <= i1 + i4 < 9)
// CHECK-NEXT: [[Y:%[a-z0-9]+]] = reduce sum axes (i0: 8, i1: 9, i2: 2) over (i3: 6, i4: 2)
// CHECK-NEXT: [[W:%[a-z0-9]+]] = reshape non_scop [[Y]] : tensor<[8, 18], f32>
// CHECK-NEXT: entry copy axes (i0: 8, i1: 17) of [[W]] at (i0, i1) : tensor<[8, 17], f32>
book.func @not_divided(%x: tensor<[6, 9], f32>, %w: tensor<[6, 8, 3], f32>) -> tensor<[8, 17], f32> {
  %p = entry mul axes (i0: 8, i1: 17, i2: 6, i3: 3) of %w at (i2, i0, -i3 + 2), %x at (i2, (i1 + i3) ceildiv 2 - 1) where ((i1 + i3 + 1) mod 2 == 0) widen : tensor<[8, 17, 6, 3], f32>
  %y = reduce sum axes (i0: 8, i1: 17) over (i2: 6, i3: 3) of %p at (i0, i1, i2, i3) acc f32 : tensor<[8, 17], f32>
  return %y
}

// -----

// A softmax along all positions of what has phases, which a reshape made one axis: the maximum and what reads it go along
// that axis, of a reshape of the whole, and not along its parts.
// CHECK-LABEL: @rows
// CHECK: [[Y:%[a-z0-9]+]] = reduce sum axes (i0: 8, i1: L, i2: 2, i3: 4)
// CHECK: [[R:%[a-z0-9]+]] = reshape non_scop {{.*}} : tensor<[8, 8*L], f32>
// CHECK-NEXT: [[M:%[a-z0-9]+]] = reduce max axes (i0: 8) over (i1: 8*L) of [[R]] at (i0, i1)
// CHECK-NEXT: entry sub axes (i0: 8, i1: 8*L) of [[R]] at (i0, i1), [[M]] at (i0)
// REMARK: rows of a value with phases are read along one axis
book.func @rows<L>(%x: tensor<[6, L, 4], f32>, %w: tensor<[6, 8, 4], f32>) -> tensor<[8, 8*L], f32> {
  %p = entry mul axes (i0: 8, i1: 2*L, i2: 4, i3: 6, i4: 4) of %w at (i3, i0, -i4 + 3), %x at (i3, (i1 + i4) floordiv 2 - 1, i2) where (0 <= i1 + i4 - 2 < 2*L, (i1 + i4) mod 2 == 0) : tensor<[8, 2*L, 4, 6, 4], f32>
  %y = reduce sum axes (i0: 8, i1: 2*L, i2: 4) over (i3: 6, i4: 4) of %p at (i0, i1, i2, i3, i4) acc f32 : tensor<[8, 2*L, 4], f32>
  %m = reduce max axes (i0: 8) over (i1: 8*L) of %y at (i0, i1 floordiv 4, i1 mod 4) acc f32 : tensor<[8], f32>
  %s = entry sub axes (i0: 8, i1: 8*L) of %y at (i0, i1 floordiv 4, i1 mod 4), %m at (i0) : tensor<[8, 8*L], f32>
  return %s
}
