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

