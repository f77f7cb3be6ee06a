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

