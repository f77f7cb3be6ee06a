// The sizes that a program is going to run with decide what is stored; what is stored is right for all sizes.

// RUN: dlc-opt %s --form-regions='symbols=[H:8,S:1,T:16384]' --split-input-file | FileCheck %s --check-prefix=DECODE
// RUN: dlc-opt %s --form-regions='symbols=[B:4,N:100000]' --split-input-file | FileCheck %s --check-prefix=LONG
// RUN: dlc-opt %s --form-regions='symbols=[B=4,N=100]' --split-input-file | FileCheck %s --check-prefix=SHORT
// RUN: dlc-opt %s --form-regions='symbols=[B:4,N:100000]' --evaluate-each --split-input-file -o /dev/null
// RUN: not dlc-opt %s --form-regions='symbols=[B]' 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: not dlc-opt %s --form-regions='symbols=[B:0]' 2>&1 | FileCheck %s --check-prefix=ZERO

// SYMBOL: 'B' is no symbol with its number, as in 'M:16'
// ZERO: 'B:0' is no symbol with its number, as in 'M:16'

// Attention of a few queries stays one kernel, however long the rows of its scores are.
// DECODE: region.func private @attention_0<H, S, T> iters (h: H, s: S, i2: 64)
// DECODE-NOT: region.func private @attention_1
book.func @attention<H, S, T>(%Q: tensor<[H, S, 64], f16>, %K: tensor<[H, T, 64], f16>, %V: tensor<[H, T, 64], f16>) -> tensor<[H, S, 64], f16> {
  %qk = entry mul axes (i0: H, i1: S, i2: T, i3: 64) of %Q at (i0, i1, i3), %K at (i0, i2, i3) to f32 widen
  %scores = reduce sum axes (i0: H, i1: S, i2: T) over (i3: 64) of %qk at (i0, i1, i2, i3) acc f32
  %mx = reduce max axes (i0: H, i1: S) over (i2: T) of %scores at (i0, i1, i2) acc f32
  %d = entry sub axes (i0: H, i1: S, i2: T) of %scores at (i0, i1, i2), %mx at (i0, i1)
  %e = entry exp2 axes (i0: H, i1: S, i2: T) of %d at (i0, i1, i2)
  %l = reduce sum axes (i0: H, i1: S) over (i2: T) of %e at (i0, i1, i2) acc f32
  %pv = entry mul axes (i0: H, i1: S, i2: 64, i3: T) of %e at (i0, i1, i3), %V at (i0, i3, i2) widen
  %o = reduce sum axes (i0: H, i1: S, i2: 64) over (i3: T) of %pv at (i0, i1, i2, i3) acc f32
  %n = entry fdiv axes (i0: H, i1: S, i2: 64) of %o at (i0, i1, i2), %l at (i0, i1)
  %y = entry cast axes (i0: H, i1: S, i2: 64) of %n at (i0, i1, i2) to f16
  return %y
}

// -----

// A few long rows are worth splitting, so their sum is a kernel of its own; a few short ones are not.
// LONG: region.func private @centered_0<B, N> iters (b: B)
// LONG: region.func private @centered_1<B, N> iters (b: B, n: N)
// SHORT: region.func private @centered_0<B, N> iters (b: B, n: N)
// SHORT-NOT: region.func
book.func @centered<B, N>(%X: tensor<[B, N], f32>) -> tensor<[B, N], f32> {
  %s = reduce sum axes (i0: B) over (i1: N) of %X at (i0, i1) acc f32 : tensor<[B], f32>
  %y = entry sub axes (i0: B, i1: N) of %X at (i0, i1), %s at (i0) : tensor<[B, N], f32>
  return %y
}

// -----

// How many elements a row has is a sum that reads nothing: no kernel computes it alone.
// LONG-LABEL: host.func @count
// SHORT-LABEL: host.func @count
// LONG: region.func private @count_0<B, N> iters (b: B, n: N)
// LONG-NOT: region.func
book.func @count<B, N>(%X: tensor<[B, N], f32>) -> tensor<[B, N], f32> {
  %one = const 1.0 : tensor<[], f32>
  %c = reduce sum axes () over (i0: N) of %one at () acc f32 : tensor<[], f32>
  %y = entry fdiv axes (i0: B, i1: N) of %X at (i0, i1), %c at () : tensor<[B, N], f32>
  return %y
}
