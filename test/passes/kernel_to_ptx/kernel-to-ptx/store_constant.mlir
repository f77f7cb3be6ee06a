// A fragment of one constant is stored as matrices of registers that hold it.

// RUN: dlc-opt %s --kernel-to-ptx | FileCheck %s
// RUN: dlc-opt %s --kernel-to-ptx --evaluate-each -o /dev/null

// CHECK-LABEL: ptx.func @t(
// CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16 [%{{.+}}], {[[C:%[0-9]+]], [[C]], [[C]], [[C]]}
kernel.func @t(%X: memref<[32, 64], f16>) -> memref<[32, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[32, 64], f16>
  grid (1) threads 128 {
    %s = shared : tile<[32, 64], f16, row_major pitch 72>
    %c = const 1.5 : frag<[32, 64], f16, mma [2, 2]>
    store_shared %c to %s
    barrier
    %y = load_shared %s : frag<[32, 64], f16, mma [2, 2]>
    store %y to %Y[i0, i1]
  }
  return %Y
}
