// RUN: dlc-opt %s --lower-indexbook | FileCheck %s

// A convolution of symbolic sizes with a stride and a pad: one access with its bounds.
// CHECK-LABEL: book.func @conv_stride_pad<N, C, H, W, O>(%X: tensor<[N, C, H, W], f16>, %F: tensor<[O, C, 3, 3], f16>) -> tensor<[N, O, H ceildiv 2, W ceildiv 2], f32> {
// CHECK-NEXT:    %0 = entry mul axes (i0: N, i1: O, i2: H ceildiv 2, i3: W ceildiv 2, i4: C, i5: 3, i6: 3) of %X at (i0, i4, 2*i2 + i5 - 1, 2*i3 + i6 - 1) where (0 <= 2*i2 + i5 - 1 < H, 0 <= 2*i3 + i6 - 1 < W), %F at (i1, i4, i5, i6) to f32 widen : tensor<[N, O, H ceildiv 2, W ceildiv 2, C, 3, 3], f32>
// CHECK-NEXT:    %y = reduce sum axes (i0: N, i1: O, i2: H ceildiv 2, i3: W ceildiv 2) over (i4: C, i5: 3, i6: 3) of %0 at (i0, i1, i2, i3, i4, i5, i6) acc f32 : tensor<[N, O, H ceildiv 2, W ceildiv 2], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @conv_stride_pad<N, C, H, W, O>(%X: tensor<[N, C, H, W], f16>, %F: tensor<[O, C, 3, 3], f16>) -> tensor<[N, O, (H - 1) floordiv 2 + 1, (W - 1) floordiv 2 + 1], f32> {
  %p = pad %X low [0, 0, 1, 1] high [0, 0, 1, 1]
  %y = contract %p [n, c, 2*h + kh, 2*w + kw], %F [o, c, kh, kw] to [n, o, h, w] acc f32
  return %y
}

// Dilation, and groups: channel g*8 + c of 32.
// CHECK-LABEL: book.func @conv_groups_dilation<N>(%X: tensor<[N, 32, 20], f16>, %F: tensor<[16, 8, 3], f16>) -> tensor<[N, 16, 14], f32> {
// CHECK-NEXT:    %0 = entry mul axes (i0: N, i1: 4, i2: 4, i3: 14, i4: 8, i5: 3) of %X at (i0, 8*i1 + i4, i3 + 3*i5), %F at (4*i1 + i2, i4, i5) to f32 widen : tensor<[N, 4, 4, 14, 8, 3], f32>
// CHECK-NEXT:    %y = reduce sum axes (i0: N, i1: 4, i2: 4, i3: 14) over (i4: 8, i5: 3) of %0 at (i0, i1, i2, i3, i4, i5) acc f32 : tensor<[N, 4, 4, 14], f32>
// CHECK-NEXT:    %z = entry copy axes (i0: N, i1: 16, i2: 14) of %y at (i0, i1 floordiv 4, i1 mod 4, i2) : tensor<[N, 16, 14], f32>
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
tiny.func @conv_groups_dilation<N>(%X: tensor<[N, 32, 20], f16>, %F: tensor<[16, 8, 3], f16>) -> tensor<[N, 16, 14], f32> {
  %x = reshape %X to [N, 4, 8, 20]
  %f = reshape %F to [4, 4, 8, 3]
  %y = contract %x [n, g, c, l + 3*k], %f [g, o, c, k] to [n, g, o, l] acc f32
  %z = reshape %y to [N, 16, 14]
  return %z
}

// A transposed convolution: elements are put apart by a pad after each of them, then around.
// CHECK-LABEL: book.func @conv_transposed(%X: tensor<[1, 4, 5], f32>, %F: tensor<[4, 3], f32>) -> tensor<[1, 11], f32> {
// CHECK-NEXT:    %0 = entry mul axes (i0: 1, i1: 11, i2: 4, i3: 3) of %X at (i0, i2, (i1 + i3) floordiv 2 - 1) where (0 <= i1 + i3 - 2 < 9, (i1 + i3) mod 2 == 0), %F at (i2, -i3 + 2) to f32 widen : tensor<[1, 11, 4, 3], f32>
// CHECK-NEXT:    %y = reduce sum axes (i0: 1, i1: 11) over (i2: 4, i3: 3) of %0 at (i0, i1, i2, i3) acc f32 : tensor<[1, 11], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @conv_transposed(%X: tensor<[1, 4, 5], f32>, %F: tensor<[4, 3], f32>) -> tensor<[1, 11], f32> {
  %x1 = reshape %X to [1, 4, 5, 1]
  %x2 = pad %x1 low [0, 0, 0, 0] high [0, 0, 0, 1]
  %x3 = reshape %x2 to [1, 4, 10]
  %x4 = shrink %x3 from [0, 0, 0] to [1, 4, 9]
  %x5 = pad %x4 low [0, 0, 2] high [0, 0, 2]
  %f = flip %F over [1]
  %y = contract %x5 [n, c, l + k], %f [c, k] to [n, l]
  return %y
}

// A maximum over windows is padded by a choice: outside is the number of the choice.
// CHECK-LABEL: book.func @max_pool<N, H>(%X: tensor<[N, H], f32>) -> tensor<[N, H], f32> {
// CHECK-NEXT:    %y = reduce max axes (i0: N, i1: H) over (i2: 3) of %X at (i0, i1 + i2 - 1) where (0 <= i1 + i2 - 1 < H) else -inf acc f32 : tensor<[N, H], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @max_pool<N, H>(%X: tensor<[N, H], f32>) -> tensor<[N, H], f32> {
  %yes = const 1 : tensor<[N, H], i1>
  %inside = pad %yes low [0, 1] high [0, 1]
  %p = pad %X low [0, 1] high [0, 1]
  %none = const -inf : tensor<[], f32>
  %x = where %inside, %p, %none
  %w = load %x at [i0, i1 + i2] : tensor<[N, H, 3], f32>
  %y = reduce max %w over [2]
  return %y
}

// Slices with steps, and backwards.
// CHECK-LABEL: book.func @slices<M>(%x: tensor<[M, 20], f32>) -> tensor<[M, 5], f32> {
// CHECK-NEXT:    %y = entry neg axes (i0: M, i1: 5) of %x at (M - i0 - 1, -3*i1 + 14) : tensor<[M, 5], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @slices<M>(%x: tensor<[M, 20], f32>) -> tensor<[M, 5], f32> {
  %a = shrink %x from [0, 2] to [M, 17] step [1, 3]
  %b = flip %a over [0, 1]
  %y = neg %b
  return %y
}

// Windows made by tinygrad: repeated, linearized and cut, without one quotient left.
// CHECK-LABEL: book.func @windows(%x: tensor<[8], f32>) -> tensor<[3, 6], f32> {
// CHECK-NEXT:    %y = entry neg axes (i0: 3, i1: 6) of %x at (i0 + i1) : tensor<[3, 6], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @windows(%x: tensor<[8], f32>) -> tensor<[3, 6], f32> {
  %a = expand %x to [4, 8] dims [1]
  %b = reshape %a to [32]
  %c = shrink %b from [0] to [27]
  %d = reshape %c to [3, 9]
  %e = shrink %d from [0, 0] to [3, 6]
  %y = neg %e
  return %y
}

// Equal axes of a reshape pair, numbers or symbols, and what is between them becomes linear.
// CHECK-LABEL: book.func @reshapes<B, S, H>(%x: tensor<[B, S, 4*H], f32>, %y: tensor<[B, 6, 4], f32>) -> (tensor<[S, B, 4*H], f32>, tensor<[B, 3, 8], f32>) {
// CHECK-NEXT:    %d = entry neg axes (i0: S, i1: B, i2: 4*H) of %x at (i1, i0, i2) : tensor<[S, B, 4*H], f32>
// CHECK-NEXT:    %f = entry neg axes (i0: B, i1: 3, i2: 8) of %y at (i0, 2*i1 + i2 floordiv 4, i2 mod 4) : tensor<[B, 3, 8], f32>
// CHECK-NEXT:    return %d, %f
// CHECK-NEXT:  }
tiny.func @reshapes<B, S, H>(%x: tensor<[B, S, 4*H], f32>, %y: tensor<[B, 6, 4], f32>) -> (tensor<[S, B, 4*H], f32>, tensor<[B, 3, 8], f32>) {
  %a = reshape %x to [B, S, 1, 4*H]
  %b = permute %a by [1, 0, 2, 3]
  %c = reshape %b to [S, B, 4*H]
  %d = neg %c
  %e = reshape %y to [B, 3, 8]
  %f = neg %e
  return %d, %f
}

// Axes of symbolic sizes that become one do not pair: the elements are copied.
// CHECK-LABEL: book.func @apart<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[M*N], f32>, tensor<[N, M], f32>) {
// CHECK-NEXT:    %t = entry copy axes (i0: N, i1: M) of %x at (i1, i0) : tensor<[N, M], f32>
// CHECK-NEXT:    %a = reshape non_scop %t : tensor<[M*N], f32>
// CHECK-NEXT:    %b = entry neg axes (i0: M*N) of %a at (i0) : tensor<[M*N], f32>
// CHECK-NEXT:    %c = reshape non_scop %b : tensor<[N, M], f32>
// CHECK-NEXT:    %d = entry neg axes (i0: N, i1: M) of %c at (i0, i1) : tensor<[N, M], f32>
// CHECK-NEXT:    return %b, %d
// CHECK-NEXT:  }
tiny.func @apart<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[M*N], f32>, tensor<[N, M], f32>) {
  %t = permute %x by [1, 0]
  %a = reshape %t to [M*N]
  %b = neg %a
  %c = reshape %b to [N, M]
  %d = neg %c
  return %b, %d
}

// Pads of different numbers, one within the other: the inner one is an entry.
// CHECK-LABEL: book.func @two_pads<M>(%x: tensor<[M], f32>) -> (tensor<[M + 4], f32>, tensor<[M + 4], f32>) {
// CHECK-NEXT:    %a = entry copy axes (i0: M + 2) of %x at (i0 - 1) where (0 <= i0 - 1 < M) else 1.0 : tensor<[M + 2], f32>
// CHECK-NEXT:    %c = entry neg axes (i0: M + 4) of %a at (i0 - 1) where (0 <= i0 - 1 < M + 2) else 2.0 : tensor<[M + 4], f32>
// CHECK-NEXT:    %f = entry neg axes (i0: M + 4) of %x at (i0 - 2) where (0 <= i0 - 2 < M) : tensor<[M + 4], f32>
// CHECK-NEXT:    return %c, %f
// CHECK-NEXT:  }
tiny.func @two_pads<M>(%x: tensor<[M], f32>) -> (tensor<[M + 4], f32>, tensor<[M + 4], f32>) {
  %a = pad %x low [1] high [1] value 1.0 : f32
  %b = pad %a low [1] high [1] value 2.0 : f32
  %c = neg %b
  %d = pad %x low [1] high [1]
  %e = pad %d low [1] high [1]
  %f = neg %e
  return %c, %f
}

// Bounds alone are truth values.
// CHECK-LABEL: book.func @bounds<M>(%x: tensor<[M, 4], f32>, %y: tensor<[M, 4], f32>) -> (tensor<[M, 4], f32>, tensor<[M, 4], i1>) {
// CHECK-NEXT:    %0 = const 1 : tensor<[], i1>
// CHECK-NEXT:    %z = entry where axes (i0: M, i1: 4) of %0 at () where (0 <= i0 - 1 < M - 1, 0 <= i1 < 3), %x at (i0, i1), %y at (i0, i1) : tensor<[M, 4], f32>
// CHECK-NEXT:    %n = entry neg axes (i0: M, i1: 4) of %0 at () where (0 <= i0 - 1 < M - 1, 0 <= i1 < 3) : tensor<[M, 4], i1>
// CHECK-NEXT:    return %z, %n
// CHECK-NEXT:  }
tiny.func @bounds<M>(%x: tensor<[M, 4], f32>, %y: tensor<[M, 4], f32>) -> (tensor<[M, 4], f32>, tensor<[M, 4], i1>) {
  %v = valid from [1, 0] to [M, 3] : tensor<[M, 4], i1>
  %z = where %v, %x, %y
  %n = neg %v
  return %z, %n
}

// A table is examined as long as the axis that is indexed is whole.
// CHECK-LABEL: book.func @tables<V, D, S>(%W: tensor<[D, V], f16>, %ids: tensor<[S, 1], i32>) -> (tensor<[S, D], f16>, tensor<[S, D], f16>) {
// CHECK-NEXT:    %e = gather non_scop axes (i0: S, i1: D) of %W at [i1, %ids (i0, 0)] : tensor<[S, D], f16>
// CHECK-NEXT:    %p = entry copy axes (i0: V + 1, i1: D) of %W at (i1, i0 - 1) where (0 <= i0 - 1 < V) : tensor<[V + 1, D], f16>
// CHECK-NEXT:    %f = gather non_scop axes (i0: S, i1: D) of %p at [%ids (i0, 0), i1] : tensor<[S, D], f16>
// CHECK-NEXT:    return %e, %f
// CHECK-NEXT:  }
tiny.func @tables<V, D, S>(%W: tensor<[D, V], f16>, %ids: tensor<[S, 1], i32>) -> (tensor<[S, D], f16>, tensor<[S, D], f16>) {
  %t = permute %W by [1, 0]
  %i = reshape %ids to [S]
  %e = index %t[%i]
  %p = pad %t low [1, 0] high [0, 0]
  %f = index %p[%i]
  return %e, %f
}

// What is promised to be there is read within bounds, where that cannot be shown.
// CHECK-LABEL: book.func @promised<M, N>(%x: tensor<[M], f32>) -> tensor<[N], f32> {
// CHECK-NEXT:    %y = entry neg axes (i0: N) of %x at (2*i0 + 1) where (0 <= 2*i0 + 1 < M) : tensor<[N], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @promised<M, N>(%x: tensor<[M], f32>) -> tensor<[N], f32> {
  %l = load %x at [2*i0 + 1] : tensor<[N], f32>
  %y = neg %l
  return %y
}

// Strides that are numbers are positions; those that are symbols are computed.
// CHECK-LABEL: book.func @strides<M, N>(%x: tensor<[4, 6], f32>, %z: tensor<[M, N], f32>) -> (tensor<[6, 4], f32>, tensor<[N, M], f32>) {
// CHECK-NEXT:    %b = entry neg axes (i0: 6, i1: 4) of %x at (i1, i0) : tensor<[6, 4], f32>
// CHECK-NEXT:    %d = entry neg axes (i0: N, i1: M) of %z at (i1, i0) : tensor<[N, M], f32>
// CHECK-NEXT:    return %b, %d
// CHECK-NEXT:  }
tiny.func @strides<M, N>(%x: tensor<[4, 6], f32>, %z: tensor<[M, N], f32>) -> (tensor<[6, 4], f32>, tensor<[N, M], f32>) {
  %a = view %x as [6, 4] strides [1, 6] start [0] : tensor<[6, 4], f32>
  %b = neg %a
  %c = view %z as [N, M] strides [1, N] start [0] : tensor<[N, M], f32>
  %d = neg %c
  return %b, %d
}

// Bits of other widths are shifted and joined.
// CHECK-LABEL: book.func @bits<N>(%x: tensor<[N, 4*N], i8>, %y: tensor<[N], f64>) -> (tensor<[N, N], f32>, tensor<[2*N], f32>) {
// CHECK-NEXT:    %0 = entry bitcast axes (i0: N, i1: 4*N) of %x at (i0, i1) to ui8 : tensor<[N, 4*N], ui8>
// CHECK-NEXT:    %1 = entry cast axes (i0: N, i1: 4*N) of %0 at (i0, i1) to ui32 : tensor<[N, 4*N], ui32>
// CHECK-NEXT:    %2 = iota (8*i0) axes (i0: 4) : tensor<[4], ui32>
// CHECK-NEXT:    %3 = entry shl axes (i0: N, i1: N, i2: 4) of %1 at (i0, 4*i1 + i2), %2 at (i2) : tensor<[N, N, 4], ui32>
// CHECK-NEXT:    %4 = reduce sum axes (i0: N, i1: N) over (i2: 4) of %3 at (i0, i1, i2) acc ui32 : tensor<[N, N], ui32>
// CHECK-NEXT:    %a = entry bitcast axes (i0: N, i1: N) of %4 at (i0, i1) to f32 : tensor<[N, N], f32>
// CHECK-NEXT:    %5 = entry bitcast axes (i0: N) of %y at (i0) to ui64 : tensor<[N], ui64>
// CHECK-NEXT:    %6 = iota (32*(i0 mod 2)) axes (i0: 2*N) : tensor<[2*N], ui64>
// CHECK-NEXT:    %7 = entry shr axes (i0: 2*N) of %5 at (i0 floordiv 2), %6 at (i0) : tensor<[2*N], ui64>
// CHECK-NEXT:    %8 = entry cast axes (i0: 2*N) of %7 at (i0) to ui32 : tensor<[2*N], ui32>
// CHECK-NEXT:    %b = entry bitcast axes (i0: 2*N) of %8 at (i0) to f32 : tensor<[2*N], f32>
// CHECK-NEXT:    return %a, %b
// CHECK-NEXT:  }
tiny.func @bits<N>(%x: tensor<[N, 4*N], i8>, %y: tensor<[N], f64>) -> (tensor<[N, N], f32>, tensor<[2*N], f32>) {
  %a = bitcast %x to f32
  %b = bitcast %y to f32
  return %a, %b
}

// A mask that a choice takes where the same mask holds: nothing more is asked of positions.
// CHECK-LABEL: book.func @mask_of_itself() -> tensor<[5, 5], i1> {
// CHECK: entry copy axes (i0: 5, i1: 5) of %{{.*}} at () where (0 <= i0 - 1 < 2, 0 <= i1 - 1 < 3) else 1
tiny.func @mask_of_itself() -> tensor<[5, 5], i1> {
  %v = valid from [1, 1] to [3, 4] : tensor<[5, 5], i1>
  %one = const 1 : tensor<[], i1>
  %y = where %v, %v, %one
  return %y
}

// What it takes needs the mask as an entry: the choice is made element by element.
// CHECK-LABEL: book.func @mask_seen_otherwise() -> tensor<[6, 5], i1> {
// CHECK: %y = entry where axes (i0: 6, i1: 5)
tiny.func @mask_seen_otherwise() -> tensor<[6, 5], i1> {
  %v = valid from [1, 1] to [3, 4] : tensor<[6, 5], i1>
  %t = view %v as [6, 5] strides [1, 6] start [0] : tensor<[6, 5], i1>
  %one = const 1 : tensor<[], i1>
  %y = where %v, %t, %one
  return %y
}
