// The results of a program are called the same on every layer, whatever computes them there.

// RUN: dlc-run %s --shape=M=4 -o %t.npz
// RUN: dlc-opt %s --lower-frontend -o %t.tiny
// RUN: dlc-run %t.tiny --shape=M=4 --check=%t.npz | FileCheck %s --check-prefix=NAMES
// RUN: dlc-opt %s --tiny-to-book -o %t.book
// RUN: dlc-run %t.book --shape=M=4 --check=%t.npz | FileCheck %s --check-prefix=NAMES
// RUN: dlc-opt %s --tiny-to-region -o %t.region
// RUN: dlc-run %t.region --shape=M=4 --check=%t.npz | FileCheck %s --check-prefix=NAMES
// RUN: dlc-opt %s --tiny-to-ptx -o %t.ptx.mlir
// RUN: dlc-translate %t.ptx.mlir --to-ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json --check-prefix=MANIFEST

// NAMES: a: as expected
// NAMES: b: as expected
// MANIFEST: "outputs": [
// MANIFEST: "a"
// MANIFEST: "b"

// Rounding makes another value of the first; of the second nothing is left but the argument.
frontend.graph @f<M>(%x: tensor<[M], f32>) -> (tensor<[M], f16>, tensor<[M], f32>) {
  %a = relu %x
  %one = full 1.0 : tensor<[], f32>
  %b = mul %x, %one
  output %a as f16, %b
}
