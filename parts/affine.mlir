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

