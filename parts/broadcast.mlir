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

