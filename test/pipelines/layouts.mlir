// What a signature says of layouts holds from the graph to the launch manifest: kernels read and write memory as it lies,
// on the GPU as in both evaluators. A column-major argument is seen as its transpose.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region | FileCheck %s
// RUN: dlc-run %s --function=gemm --shape=M=70,N=48,K=40,P=48 --device=cpu -o %t.npz
// RUN: dlc-opt %s --lower-frontend --tiny-to-ptx -o %t.any
// RUN: dlc-run %t.any --function=gemm --shape=M=70,N=48,K=40,P=48 --device=cpu --check=%t.npz
// RUN: dlc-opt %s --lower-frontend --tiny-to-ptx-sm80 -o %t.sm80
// RUN: dlc-run %t.sm80 --function=gemm --shape=M=70,N=48,K=40,P=48 --device=cpu --check=%t.npz
// RUN: dlc-opt %s --lower-frontend --tiny-to-ptx-sm90 -o %t.sm90
// RUN: dlc-run %t.sm90 --function=gemm --shape=M=70,N=48,K=40,P=48 --device=cpu --check=%t.npz
// RUN: dlc-run %s --function=padded --device=cpu -o %t.padded.npz
// RUN: dlc-run %t.sm90 --function=padded --device=cpu --check=%t.padded.npz
// RUN: dlc-run %s --function=views --shape=M=5 --device=cpu -o %t.views.npz
// RUN: dlc-run %t.sm90 --function=views --shape=M=5 --device=cpu --check=%t.views.npz
// RUN: dlc-run %t.any --function=views --shape=M=5 --device=cpu --check=%t.views.npz
// RUN: dlc-translate %t.sm90 --to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t.json

// CHECK: host.func @gemm<M, N, K, P>(%A: memref<[M, K], f16, strided [P, 1], align 128, noalias>, %B: memref<[K, N], f16, col_major, align 128, noalias>, %c: memref<[M, N], f32, blocked [32, 16], align 128, noalias>, %d: memref<[M, N], f32, swizzled 128 vec 16, align 128, noalias>) -> memref<[M, N], f32, col_major, align 64, noalias>
// CHECK: %[[B:.*]] = view %B : memref<[N, K], f16, row_major, align 128, noalias>
// CHECK: launch @gemm_0<M, N, K, P> (%A, %c, %d, %[[B]])
// CHECK: read %B[n, k]
frontend.graph @gemm<M, N, K, P>(%A: tensor<[M, K], f16> {layout = {kind = "strided", params = {strides = ["P", 1]}}},
                                 %B: tensor<[K, N], f16> {layout = {kind = "col_major"}},
                                 %c: tensor<[M, N], f32> {layout = {kind = "blocked", params = {block = [32, 16]}}},
                                 %d: tensor<[M, N], f32> {layout = {kind = "swizzled", params = {swizzle = "xor128"}}})
    -> (tensor<[M, N], f32> {layout = "col_major", alignment = 64}) {
  %p = gemm %A, %B acc f32
  %q = add %p, %c
  %y = add %q, %d
  output %y
}

// MANIFEST: "name": "padded_0"
// MANIFEST: "layout": {
// MANIFEST-NEXT: "strides": [
// MANIFEST-NEXT: "136",
// MANIFEST-NEXT: "1"
// MANIFEST: "programs": [
// MANIFEST: "name": "gemm"
// MANIFEST: "strides": [
// MANIFEST-NEXT: "P",
// MANIFEST: "strides": [
// MANIFEST-NEXT: "1",
// MANIFEST-NEXT: "K"
// MANIFEST: "block": [
// MANIFEST-NEXT: 32,
// MANIFEST: "swizzle": 128,
// MANIFEST-NEXT: "vector": 16
frontend.graph @padded(%A: tensor<[256, 128], f16> {layout = {kind = "row_major", params = {pitch = 136}}},
                       %B: tensor<[128, 192], f16> {layout = "col_major"},
                       %x: tensor<[256, 192], f16> {layout = {kind = "strided", params = {strides = [200, 1], offset = 8}}})
    -> (tensor<[256, 192], f16> {layout = {kind = "row_major", params = {pitch = 200}}}) {
  %p = gemm %A, %B acc f32
  %q = add %p, %x
  output %q as f16
}

// What is read with other sizes lies row by row, in a copy if need be; a result that is an argument is a copy in its layout.
// CHECK: host.func @views<M>
// CHECK: %[[A:.*]] = view %A : memref<[8, M], f32, row_major
// CHECK: return
frontend.graph @views<M>(%A: tensor<[M, 8], f32> {layout = "col_major"},
                         %B: tensor<[4, 6], f32> {layout = {kind = "strided", params = {strides = [-6, 1], offset = 18}}})
    -> (tensor<[4, M, 2], f32> {layout = "col_major"}, tensor<[M, 8], f32> {layout = {kind = "blocked", params = {block = [4, 4]}}},
        tensor<[24], f32>, tensor<[M], f32>) {
  %a = reshape %A to [4, M, 2]
  %b = reshape %B to [24]
  %s = sum %A over [1]
  output %a, %A, %b, %s
}
