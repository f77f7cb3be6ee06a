// A constant fragment is stored in shared memory by matrices.

// RUN: dlc-opt %s --check-async --no-output
// RUN: dlc-opt %s --kernel-to-ptx --no-output
kernel.func @t<N>(%X: memref<[32, 64], f16>) -> memref<[32, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[32, 64], f16>
  grid (1) threads 128 {
    %s = shared : tile<[32, 64], f16, row_major pitch 72>
    %c = const 0.0 : frag<[32, 64], f16, mma [2, 2]>
    store_shared %c to %s
    barrier
    %y = load_shared %s : frag<[32, 64], f16, mma [2, 2]>
    store %y to %Y[i0, i1]
  }
  return %Y
}
