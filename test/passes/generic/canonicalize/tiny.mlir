// Views that become one, or move to where there is less to do; arithmetic in a simpler form.

// RUN: dlc-opt %s --canonicalize | FileCheck %s
// RUN: dlc-opt %s --canonicalize > %t.once
// RUN: dlc-opt %t.once --canonicalize | diff %t.once -

// Reshapes in a row are one, and none where they lead back.
// CHECK-LABEL: tiny.func @reshapes<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[N, M], f32>, tensor<[M, 1, N], f32>, tensor<[M, N], f32>) {
// CHECK-NEXT:    %b = reshape %x to [N, M] : tensor<[N, M], f32>
// CHECK-NEXT:    %c = reshape %x to [M, 1, N] : tensor<[M, 1, N], f32>
// CHECK-NEXT:    return %b, %c, %x
// CHECK-NEXT:  }
tiny.func @reshapes<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[N, M], f32>, tensor<[M, 1, N], f32>, tensor<[M, N], f32>) {
  %a = reshape %x to [M*N]
  %b = reshape %a to [N, M]
  %c = reshape %a to [M, 1, N]
  %d = reshape %c to [M, N]
  return %b, %c, %d
}

// Without elements.
// CHECK-LABEL: tiny.func @reshapes_of_nothing(%x: tensor<[0, 3], f32>) -> tensor<[5, 0], f32> {
// CHECK-NEXT:    %b = reshape %x to [5, 0] : tensor<[5, 0], f32>
// CHECK-NEXT:    return %b
// CHECK-NEXT:  }
tiny.func @reshapes_of_nothing(%x: tensor<[0, 3], f32>) -> tensor<[5, 0], f32> {
  %a = reshape %x to [0]
  %b = reshape %a to [5, 0]
  return %b
}

// Permutations in a row; the inverse.
// CHECK-LABEL: tiny.func @permutations<A, B, C>(%x: tensor<[A, B, C], f32>) -> (tensor<[C, B, A], f32>, tensor<[A, B, C], f32>) {
// CHECK-NEXT:    %b = permute %x by [2, 1, 0] : tensor<[C, B, A], f32>
// CHECK-NEXT:    return %b, %x
// CHECK-NEXT:  }
tiny.func @permutations<A, B, C>(%x: tensor<[A, B, C], f32>) -> (tensor<[C, B, A], f32>, tensor<[A, B, C], f32>) {
  %a = permute %x by [1, 2, 0]
  %b = permute %a by [1, 0, 2]
  %c = permute %a by [2, 0, 1]
  return %b, %c
}

// A permutation that moves only an axis of size 1.
// CHECK-LABEL: tiny.func @permutation_of_ones<M, N>(%x: tensor<[M, 1, N], f32>) -> tensor<[1, M, N], f32> {
// CHECK-NEXT:    %a = reshape %x to [1, M, N] : tensor<[1, M, N], f32>
// CHECK-NEXT:    return %a
// CHECK-NEXT:  }
tiny.func @permutation_of_ones<M, N>(%x: tensor<[M, 1, N], f32>) -> tensor<[1, M, N], f32> {
  %a = permute %x by [1, 0, 2]
  return %a
}

// Expands in a row, and axes of size 1 that are put in before.
// CHECK-LABEL: tiny.func @expands<M, N, K>(%x: tensor<[N], f32>) -> (tensor<[K, M, N], f32>, tensor<[M, N, K], f32>) {
// CHECK-NEXT:    %b = expand %x to [K, M, N] dims [2] : tensor<[K, M, N], f32>
// CHECK-NEXT:    %d = expand %x to [M, N, K] dims [1] : tensor<[M, N, K], f32>
// CHECK-NEXT:    return %b, %d
// CHECK-NEXT:  }
tiny.func @expands<M, N, K>(%x: tensor<[N], f32>) -> (tensor<[K, M, N], f32>, tensor<[M, N, K], f32>) {
  %a = expand %x to [M, N] dims [1]
  %b = expand %a to [K, M, N] dims [1, 2]
  %c = reshape %x to [1, N, 1]
  %d = expand %c to [M, N, K]
  return %b, %d
}

// An expand to axes of size 1 is a reshape.
// CHECK-LABEL: tiny.func @expand_of_ones<N>(%x: tensor<[N], f32>) -> tensor<[1, N, 1], f32> {
// CHECK-NEXT:    %a = reshape %x to [1, N, 1] : tensor<[1, N, 1], f32>
// CHECK-NEXT:    return %a
// CHECK-NEXT:  }
tiny.func @expand_of_ones<N>(%x: tensor<[N], f32>) -> tensor<[1, N, 1], f32> {
  %a = expand %x to [1, N, 1] dims [1]
  return %a
}

// Shrinks in a row, with steps.
// CHECK-LABEL: tiny.func @shrinks<N>(%x: tensor<[N + 9], f32>, %y: tensor<[40], f32>) -> (tensor<[N], f32>, tensor<[4], f32>, tensor<[0], f32>) {
// CHECK-NEXT:    %b = shrink %x from [5] to [N + 5] : tensor<[N], f32>
// CHECK-NEXT:    %c = shrink %y from [3] to [40] step [2] : tensor<[19], f32>
// CHECK-NEXT:    %d = shrink %y from [5] to [24] step [6] : tensor<[4], f32>
// CHECK-NEXT:    %e = shrink %c from [5] to [5] : tensor<[0], f32>
// CHECK-NEXT:    return %b, %d, %e
// CHECK-NEXT:  }
tiny.func @shrinks<N>(%x: tensor<[N + 9], f32>, %y: tensor<[40], f32>) -> (tensor<[N], f32>, tensor<[4], f32>, tensor<[0], f32>) {
  %a = shrink %x from [4] to [N + 8]
  %b = shrink %a from [1] to [N + 1]
  %c = shrink %y from [3] to [40] step [2]
  %d = shrink %c from [1] to [11] step [3]
  %e = shrink %c from [5] to [5]
  return %b, %d, %e
}

// Pads of one number, and of two.
// CHECK-LABEL: tiny.func @pads<N>(%x: tensor<[N], f32>) -> (tensor<[N + 6], f32>, tensor<[N + 3], f32>) {
// CHECK-NEXT:    %b = pad %x low [1] high [5] : tensor<[N + 6], f32>
// CHECK-NEXT:    %c = pad %x low [1] high [0] : tensor<[N + 1], f32>
// CHECK-NEXT:    %d = pad %c low [1] high [1] value 1.000000e+00 : f32 : tensor<[N + 3], f32>
// CHECK-NEXT:    return %b, %d
// CHECK-NEXT:  }
tiny.func @pads<N>(%x: tensor<[N], f32>) -> (tensor<[N + 6], f32>, tensor<[N + 3], f32>) {
  %a = pad %x low [1] high [2]
  %b = pad %a low [0] high [3]
  %c = pad %x low [1] high [0]
  %d = pad %c low [1] high [1] value 1.0 : f32
  return %b, %d
}

// Flips of the same axis cancel.
// CHECK-LABEL: tiny.func @flips<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[M, N], f32>, tensor<[M, N], f32>) {
// CHECK-NEXT:    %b = flip %x over [0] : tensor<[M, N], f32>
// CHECK-NEXT:    return %b, %x
// CHECK-NEXT:  }
tiny.func @flips<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[M, N], f32>, tensor<[M, N], f32>) {
  %a = flip %x over [0, 1]
  %b = flip %a over [1]
  %c = flip %a over [0, 1]
  return %b, %c
}

// What was put around is cut off again; in the second only part of it, and an element.
// CHECK-LABEL: tiny.func @cut_padding<N>(%x: tensor<[N + 1], f32>) -> (tensor<[N + 1], f32>, tensor<[N + 1], f32>) {
// CHECK-NEXT:    %0 = shrink %x from [1] to [N + 1] : tensor<[N], f32>
// CHECK-NEXT:    %d = pad %0 low [0] high [1] : tensor<[N + 1], f32>
// CHECK-NEXT:    return %x, %d
// CHECK-NEXT:  }
tiny.func @cut_padding<N>(%x: tensor<[N + 1], f32>) -> (tensor<[N + 1], f32>, tensor<[N + 1], f32>) {
  %a = pad %x low [1] high [2]
  %b = shrink %a from [1] to [N + 2]
  %c = pad %x low [3] high [2]
  %d = shrink %c from [4] to [N + 5]
  return %b, %d
}

// Whether padding is cut is not known, or there is nothing but padding, or the pad is needed as it is.
// CHECK-LABEL: tiny.func @keeps_cut<M, N>(%x: tensor<[N], f32>) -> (tensor<[N], f32>, tensor<[1], f32>, tensor<[2], f32>, tensor<[N + 2], f32>) {
// CHECK-NEXT:    %a = pad %x low [M] high [M] : tensor<[2*M + N], f32>
// CHECK-NEXT:    %b = shrink %a from [N] to [2*N] : tensor<[N], f32>
// CHECK-NEXT:    %c = pad %x low [2] high [0] : tensor<[N + 2], f32>
// CHECK-NEXT:    %d = shrink %c from [0] to [1] : tensor<[1], f32>
// CHECK-NEXT:    %e = pad %x low [0] high [2] : tensor<[N + 2], f32>
// CHECK-NEXT:    %f = shrink %e from [0] to [2] : tensor<[2], f32>
// CHECK-NEXT:    return %b, %d, %f, %e
// CHECK-NEXT:  }
tiny.func @keeps_cut<M, N>(%x: tensor<[N], f32>) -> (tensor<[N], f32>, tensor<[1], f32>, tensor<[2], f32>, tensor<[N + 2], f32>) {
  %a = pad %x low [M] high [M]
  %b = shrink %a from [N] to [2*N]
  %c = pad %x low [2] high [0]
  %d = shrink %c from [0] to [1]
  %e = pad %x low [0] high [2]
  %f = shrink %e from [0] to [2]
  return %b, %d, %f, %e
}

// A shrink goes up: less is computed.
// CHECK-LABEL: tiny.func @shrink_up<N>(%x: tensor<[2*N], f16>) -> tensor<[N], f32> {
// CHECK-NEXT:    %0 = shrink %x from [0] to [N] : tensor<[N], f16>
// CHECK-NEXT:    %1 = cast %0 to f32 : tensor<[N], f32>
// CHECK-NEXT:    %c = exp2 %1 : tensor<[N], f32>
// CHECK-NEXT:    return %c
// CHECK-NEXT:  }
tiny.func @shrink_up<N>(%x: tensor<[2*N], f16>) -> tensor<[N], f32> {
  %a = cast %x to f32
  %b = exp2 %a
  %c = shrink %b from [0] to [N]
  return %c
}

// An expand goes down: less is computed.
// CHECK-LABEL: tiny.func @expand_down<M, N>(%x: tensor<[N], f16>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %0 = cast %x to f32 : tensor<[N], f32>
// CHECK-NEXT:    %1 = exp2 %0 : tensor<[N], f32>
// CHECK-NEXT:    %c = expand %1 to [M, N] dims [1] : tensor<[M, N], f32>
// CHECK-NEXT:    return %c
// CHECK-NEXT:  }
tiny.func @expand_down<M, N>(%x: tensor<[N], f16>) -> tensor<[M, N], f32> {
  %a = expand %x to [M, N] dims [1]
  %b = cast %a to f32
  %c = exp2 %b
  return %c
}

// Views of one kind meet through a cast.
// CHECK-LABEL: tiny.func @views_meet<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f32>, tensor<[N, M], f32>) {
// CHECK-NEXT:    %c = cast %x to f32 : tensor<[M, N], f32>
// CHECK-NEXT:    %0 = reshape %x to [N, M] : tensor<[N, M], f16>
// CHECK-NEXT:    %f = neg %0 : tensor<[N, M], f16>
// CHECK-NEXT:    %g = cast %f to f32 : tensor<[N, M], f32>
// CHECK-NEXT:    return %c, %g
// CHECK-NEXT:  }
tiny.func @views_meet<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f32>, tensor<[N, M], f32>) {
  %a = permute %x by [1, 0]
  %b = cast %a to f32
  %c = permute %b by [1, 0]
  %d = reshape %x to [M*N]
  %e = neg %d
  %f = reshape %e to [N, M]
  %g = cast %f to f32
  return %c, %g
}

// What is used elsewhere too would be computed twice, and a view that meets none stays where it is.
// CHECK-LABEL: tiny.func @keeps_views<N>(%x: tensor<[2*N], f32>) -> (tensor<[N], f32>, tensor<[2*N], f32>, tensor<[N, 2], f32>) {
// CHECK-NEXT:    %a = exp2 %x : tensor<[2*N], f32>
// CHECK-NEXT:    %b = shrink %a from [0] to [N] : tensor<[N], f32>
// CHECK-NEXT:    %c = neg %x : tensor<[2*N], f32>
// CHECK-NEXT:    %d = reshape %c to [N, 2] : tensor<[N, 2], f32>
// CHECK-NEXT:    return %b, %a, %d
// CHECK-NEXT:  }
tiny.func @keeps_views<N>(%x: tensor<[2*N], f32>) -> (tensor<[N], f32>, tensor<[2*N], f32>, tensor<[N, 2], f32>) {
  %a = exp2 %x
  %b = shrink %a from [0] to [N]
  %c = neg %x
  %d = reshape %c to [N, 2]
  return %b, %a, %d
}

// A cast that loses nothing before another, and one that does.
// CHECK-LABEL: tiny.func @casts<N>(%x: tensor<[N], f16>, %y: tensor<[N], f32>) -> (tensor<[N], f64>, tensor<[N], f64>) {
// CHECK-NEXT:    %b = cast %x to f64 : tensor<[N], f64>
// CHECK-NEXT:    %c = cast %y to f16 : tensor<[N], f16>
// CHECK-NEXT:    %d = cast %c to f64 : tensor<[N], f64>
// CHECK-NEXT:    return %b, %d
// CHECK-NEXT:  }
tiny.func @casts<N>(%x: tensor<[N], f16>, %y: tensor<[N], f32>) -> (tensor<[N], f64>, tensor<[N], f64>) {
  %a = cast %x to f32
  %b = cast %a to f64
  %c = cast %y to f16
  %d = cast %c to f64
  return %b, %d
}

// Constants of integers are added up; of floats, each sum is rounded.
// CHECK-LABEL: tiny.func @sums<N>(%x: tensor<[N], i8>, %y: tensor<[N], f32>) -> (tensor<[N], i8>, tensor<[N], f32>) {
// CHECK-NEXT:    %0 = const -56 : tensor<[], i8>
// CHECK-NEXT:    %d = const 1.000000e-01 : tensor<[], f32>
// CHECK-NEXT:    %c = add %x, %0 : tensor<[N], i8>
// CHECK-NEXT:    %e = add %y, %d : tensor<[N], f32>
// CHECK-NEXT:    %f = add %e, %d : tensor<[N], f32>
// CHECK-NEXT:    return %c, %f
// CHECK-NEXT:  }
tiny.func @sums<N>(%x: tensor<[N], i8>, %y: tensor<[N], f32>) -> (tensor<[N], i8>, tensor<[N], f32>) {
  %a = const 100 : tensor<[], i8>
  %b = add %x, %a
  %c = add %b, %a
  %d = const 0.1 : tensor<[], f32>
  %e = add %y, %d
  %f = add %e, %d
  return %c, %f
}

// The opposite of a truth value, of the opposite, of a comparison.
// CHECK-LABEL: tiny.func @opposites<N>(%b: tensor<[N], i1>, %i: tensor<[N], i32>, %j: tensor<[N], i32>) -> (tensor<[N], i1>, tensor<[N], i1>, tensor<[N], i1>, tensor<[N], i1>) {
// CHECK-NEXT:    %c = neg %b : tensor<[N], i1>
// CHECK-NEXT:    %f = cmp ge %i, %j : tensor<[N], i1>
// CHECK-NEXT:    %g = neg %b : tensor<[N], i1>
// CHECK-NEXT:    return %c, %b, %f, %g
// CHECK-NEXT:  }
tiny.func @opposites<N>(%b: tensor<[N], i1>, %i: tensor<[N], i32>, %j: tensor<[N], i32>) -> (tensor<[N], i1>, tensor<[N], i1>, tensor<[N], i1>, tensor<[N], i1>) {
  %true = const 1 : tensor<[], i1>
  %false = const 0 : tensor<[], i1>
  %c = cmp ne %b, %true
  %d = cmp ne %c, %true
  %e = cmp lt %i, %j
  %f = cmp eq %false, %e
  %g = where %b, %false, %true
  return %c, %d, %f, %g
}

// Of floats, the opposite of less is not at least; of equal it is different.
// CHECK-LABEL: tiny.func @opposites_of_floats<N>(%x: tensor<[N], f32>, %y: tensor<[N], f32>) -> (tensor<[N], i1>, tensor<[N], i1>) {
// CHECK-NEXT:    %a = cmp lt %x, %y : tensor<[N], i1>
// CHECK-NEXT:    %b = neg %a : tensor<[N], i1>
// CHECK-NEXT:    %d = cmp ne %x, %y : tensor<[N], i1>
// CHECK-NEXT:    return %b, %d
// CHECK-NEXT:  }
tiny.func @opposites_of_floats<N>(%x: tensor<[N], f32>, %y: tensor<[N], f32>) -> (tensor<[N], i1>, tensor<[N], i1>) {
  %a = cmp lt %x, %y
  %b = neg %a
  %c = cmp eq %x, %y
  %d = neg %c
  return %b, %d
}

// The mask of tinygrad's causal attention: twice the opposite, then chosen.
// CHECK-LABEL: tiny.func @mask<N>(%i: tensor<[N], i32>, %j: tensor<[N], i32>) -> tensor<[N], f32> {
// CHECK-NEXT:    %zero = const 0.000000e+00 : tensor<[], f32>
// CHECK-NEXT:    %infinite = const 0xFF800000 : tensor<[], f32>
// CHECK-NEXT:    %g = cmp lt %i, %j : tensor<[N], i1>
// CHECK-NEXT:    %h = where %g, %zero, %infinite : tensor<[N], f32>
// CHECK-NEXT:    return %h
// CHECK-NEXT:  }
tiny.func @mask<N>(%i: tensor<[N], i32>, %j: tensor<[N], i32>) -> tensor<[N], f32> {
  %true = const 1 : tensor<[], i1>
  %false = const 0 : tensor<[], i1>
  %zero = const 0.0 : tensor<[], f32>
  %infinite = const 0xFF800000 : tensor<[], f32>
  %c = cmp lt %i, %j
  %d = cmp ne %c, %true
  %e = expand %false to [N] dims []
  %f = expand %true to [N] dims []
  %g = where %d, %e, %f
  %h = where %g, %zero, %infinite
  return %h
}

// Chosen the other way round.
// CHECK-LABEL: tiny.func @choice_by_opposite<N>(%b: tensor<[N], i1>, %x: tensor<[N], f32>, %y: tensor<[N], f32>) -> tensor<[N], f32> {
// CHECK-NEXT:    %d = where %b, %y, %x : tensor<[N], f32>
// CHECK-NEXT:    return %d
// CHECK-NEXT:  }
tiny.func @choice_by_opposite<N>(%b: tensor<[N], i1>, %x: tensor<[N], f32>, %y: tensor<[N], f32>) -> tensor<[N], f32> {
  %c = neg %b
  %d = where %c, %x, %y
  return %d
}

// Reductions over axes of size 1 are reshapes: of another type a cast, and a sum begins with zero, as -0.0 + 0.0 is 0.0. What
// may be added in any order stays.
// CHECK-LABEL: tiny.func @ones<M>(
// CHECK-NEXT:    %[[ZERO:.+]] = const 0.000000e+00 : tensor<[M], f32>
// CHECK-NEXT:    %a = reshape %x to [M] : tensor<[M], f16>
// CHECK-NEXT:    %[[X:.+]] = reshape %x to [M] : tensor<[M], f16>
// CHECK-NEXT:    %[[B:.+]] = cast %[[X]] to f32 : tensor<[M], f32>
// CHECK-NEXT:    %b = add %[[B]], %[[ZERO]] : tensor<[M], f32>
// CHECK-NEXT:    %[[C:.+]] = reshape %z to [M, 8] : tensor<[M, 8], f32>
// CHECK-NEXT:    %c = reduce sum %[[C]] over [1] : tensor<[M], f32>
// CHECK-NEXT:    %e = reduce sum %z over [1, 2] {any_order} : tensor<[M], f32>
// CHECK-NEXT:    return %a, %b, %c, %e
// CHECK-NEXT:  }
tiny.func @ones<M>(%x: tensor<[M, 1], f16>, %z: tensor<[M, 1, 8], f32>) -> (tensor<[M], f16>, tensor<[M], f32>, tensor<[M], f32>, tensor<[M], f32>) {
  %a = reduce max %x over [1] : tensor<[M], f16>
  %b = reduce sum %x over [1] acc f32 : tensor<[M], f32>
  %c = reduce sum %z over [1, 2] : tensor<[M], f32>
  %e = reduce sum %z over [1, 2] {any_order} : tensor<[M], f32>
  return %a, %b, %c, %e
}

// No reshape counts elements beyond 64 bits.
// CHECK-LABEL: tiny.func @beyond<A, B>(
// CHECK-NEXT:    %a = reduce max %x over [1, 2] : tensor<[4611686018427387904, B], f32>
// CHECK-NEXT:    %b = permute %x by [1, 0, 2, 3] : tensor<[1, 4611686018427387904, 4, B], f32>
// CHECK-NEXT:    return %a, %b
tiny.func @beyond<A, B>(%x: tensor<[4611686018427387904, 1, 4, B], f32>) -> (tensor<[4611686018427387904, B], f32>, tensor<[1, 4611686018427387904, 4, B], f32>) {
  %a = reduce max %x over [1, 2] : tensor<[4611686018427387904, B], f32>
  %b = permute %x by [1, 0, 2, 3] : tensor<[1, 4611686018427387904, 4, B], f32>
  return %a, %b
}
