// The errors that the specification of the layer names, as people and as programs see them: code, reason and way out.

// RUN: split-file %s parts
// RUN: not dlc-opt parts/broadcast.mlir 2>&1 | FileCheck %s --check-prefix=BROADCAST
// RUN: not dlc-opt parts/broadcast.mlir --diagnostics=json 2>&1 | FileCheck %s --check-prefix=BROADCAST-JSON
// RUN: not dlc-opt parts/affine.mlir 2>&1 | FileCheck %s --check-prefix=AFFINE
// RUN: not dlc-opt parts/affine.mlir --diagnostics=json 2>&1 | FileCheck %s --check-prefix=AFFINE-JSON
// RUN: not dlc-opt parts/step.mlir 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not dlc-opt parts/step.mlir --diagnostics=json 2>&1 | FileCheck %s --check-prefix=STEP-JSON
// RUN: not dlc-opt parts/reshape.mlir 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not dlc-opt parts/reshape.mlir --diagnostics=json 2>&1 | FileCheck %s --check-prefix=RESHAPE-JSON
// RUN: not dlc-opt parts/undecided.mlir 2>&1 | FileCheck %s --check-prefix=UNDECIDED
// RUN: not dlc-opt parts/undecided.mlir --diagnostics=json 2>&1 | FileCheck %s --check-prefix=UNDECIDED-JSON
// RUN: dlc-opt parts/accepted.mlir | FileCheck %s --check-prefix=ACCEPTED

// Two sizes meet, aligned at the right, that differ and of which neither is 1: BroadcastMismatch.
// BROADCAST: [E1001] Error: 'tiny.mul': [M, K, N] and [M, K, P] cannot be broadcast: aligned at the right, N meets P, and neither is 1
// BROADCAST-NEXT: parts/broadcast.mlir:2:8
// BROADCAST: Help: reshape one side so that equal sizes stand under each other, with 1 where it is repeated
// BROADCAST-JSON: "at": "tiny.mul"
// BROADCAST-JSON: "code": "E1001"
// BROADCAST-JSON: "kind": "BroadcastMismatch"
// BROADCAST-JSON: "line": 2
// BROADCAST-JSON: "severity": "error"
// BROADCAST-JSON: "suggestion": "reshape one side so that equal sizes stand under each other, with 1 where it is repeated"
// BROADCAST-JSON: "why": "[M, K, N] and [M, K, P] cannot be broadcast: aligned at the right, N meets P, and neither is 1"

//--- broadcast.mlir
tiny.func @f<M, K, N, P>(%x: tensor<[M, K, N], f16>, %w: tensor<[M, K, P], f16>) -> tensor<[M, K, N], f16> {
  %p = mul %x, %w
  return %p
}

// An index that multiplies two others: not an affine view.
// AFFINE: [E1101] Error: 'tiny.load': the index i0*i1 is not affine
// AFFINE-NEXT: parts/affine.mlir:2:8
// AFFINE: Help: an index is a sum of indices times constants, with floordiv and mod by constants; compute others as values and take elements with 'index'
// AFFINE-JSON: "at": "tiny.load"
// AFFINE-JSON: "code": "E1101"
// AFFINE-JSON: "kind": "NonAffineView"
// AFFINE-JSON: "line": 2
// AFFINE-JSON: "severity": "error"
// AFFINE-JSON: "suggestion": "an index is a sum of indices times constants, with floordiv and mod by constants; compute others as values and take elements with 'index'"
// AFFINE-JSON: "why": "the index i0*i1 is not affine"

//--- affine.mlir
tiny.func @f<M, N>(%x: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %p = load %x at [i0*i1, i1] : tensor<[M, N], f16>
  return %p
}

// A step of a slice that is no positive number.
// STEP: [E1103] Error: 'tiny.shrink': the step of axis 1 is -2: it must be positive
// STEP-NEXT: parts/step.mlir:2:8
// STEP: Help: write a negative step as a flip of the axis, then a positive one
// STEP-JSON: "at": "tiny.shrink"
// STEP-JSON: "code": "E1103"
// STEP-JSON: "kind": "SliceStep"
// STEP-JSON: "line": 2
// STEP-JSON: "severity": "error"
// STEP-JSON: "suggestion": "write a negative step as a flip of the axis, then a positive one"
// STEP-JSON: "why": "the step of axis 1 is -2: it must be positive"

//--- step.mlir
tiny.func @f<M, N>(%x: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %p = shrink %x from [0, 0] to [M, N] step [1, -2]
  return %p
}

// A reshape to sizes that have another number of elements.
// RESHAPE: [E1104] Error: 'tiny.reshape': [M, 6] has 6*M elements, [2, M + 1, 3] has 6*M + 6
// RESHAPE-NEXT: parts/reshape.mlir:2:8
// RESHAPE-JSON: "at": "tiny.reshape"
// RESHAPE-JSON: "code": "E1104"
// RESHAPE-JSON: "kind": "ReshapeMismatch"
// RESHAPE-JSON: "line": 2
// RESHAPE-JSON: "severity": "error"
// RESHAPE-JSON: "why": "[M, 6] has 6*M elements, [2, M + 1, 3] has 6*M + 6"

//--- reshape.mlir
tiny.func @f<M>(%x: tensor<[M, 6], f16>) -> tensor<[M, 8], f16> {
  %p = reshape %x to [2, M + 1, 3]
  return %p
}

// A reshape to sizes that cannot be shown to have as many elements.
// UNDECIDED: [E1104] Error: 'tiny.reshape': [M] has M elements, [M floordiv 4, 4] has 4*(M floordiv 4), and these cannot be shown to be equal
// UNDECIDED-NEXT: parts/undecided.mlir:2:8
// UNDECIDED: Help: write the sizes so that their product is that of the operand, such as [K floordiv 4, 4] of [4*(K floordiv 4)]
// UNDECIDED-JSON: "at": "tiny.reshape"
// UNDECIDED-JSON: "code": "E1104"
// UNDECIDED-JSON: "kind": "ReshapeMismatch"
// UNDECIDED-JSON: "line": 2
// UNDECIDED-JSON: "severity": "error"
// UNDECIDED-JSON: "suggestion": "write the sizes so that their product is that of the operand, such as [K floordiv 4, 4] of [4*(K floordiv 4)]"
// UNDECIDED-JSON: "why": "[M] has M elements, [M floordiv 4, 4] has 4*(M floordiv 4), and these cannot be shown to be equal"

//--- undecided.mlir
tiny.func @f<M>(%x: tensor<[M], f16>) -> tensor<[M floordiv 4, 4], f16> {
  %p = reshape %x to [M floordiv 4, 4]
  return %p
}

//--- accepted.mlir
// Negative strides are no error, as flips and as views; nor are steps of a slice that are positive.
// ACCEPTED: flip %x over [1]
// ACCEPTED: view %a as [M, N] strides [-N, -1] start [M*N - 1]
// ACCEPTED: shrink %b from [0, 0] to [M, N] step [2, 3] : tensor<[M ceildiv 2, N ceildiv 3], f16>
// ACCEPTED: load %a at [i0, N - i1 - 1]
// ACCEPTED: load %d at [i0 floordiv 2, (i0 + i1) mod 2]
tiny.func @f<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f16>, tensor<[M ceildiv 2, N ceildiv 3], f16>) {
  %a = flip %x over [1]
  %b = view %a as [M, N] strides [-N, -1] start [M*N - 1]
  %c = shrink %b from [0, 0] to [M, N] step [2, 3]
  %d = load %a at [i0, N - 1 - i1] : tensor<[M, N], f16>
  %e = load %d at [i0 floordiv 2, (i0 + i1) mod 2] : tensor<[M, N], f16>
  return %e, %c
}
