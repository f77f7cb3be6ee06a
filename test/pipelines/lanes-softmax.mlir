// Lanes that share a row keep a maximum and a sum each: one exp2 gives the weights of both sides. Lanes beyond the row have seen
// nothing, two equal infinite maxima.

// RUN: dlc-opt %s --pass-pipeline="lower-frontend,tiny-to-region,choose-plan{target=sm90 assume=131072},tensorize" | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline="lower-frontend,tiny-to-region,choose-plan{target=sm90 assume=131072},region-to-ptx" -o %t.ptx
// RUN: dlc-run %s --shape=M=3,N=2504 -o %t.npz
// RUN: dlc-run %t.ptx --strict --shape=M=3,N=2504 --check=%t.npz

// CHECK: for %n
// CHECK: binary max
// CHECK-NOT: exp2
// CHECK: %[[P:.+]] = unary exp2
// CHECK-NOT: exp2
// CHECK: select %{{.+}}, %{{.+}}, %[[P]]
// CHECK: select %{{.+}}, %{{.+}}, %[[P]]
// CHECK-NOT: exp2
// CHECK: yield
frontend.graph @softmax<M, N>(%X: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %Y = softmax %x over 1
  output %Y as f16
}
