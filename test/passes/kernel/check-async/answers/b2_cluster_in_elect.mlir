// One thread stands for all at a barrier of the cluster.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1702] Error: 'kernel.cluster_barrier': whole warps wait for a cluster, not one thread
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (2) cluster [2] threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    elect {
      cluster_barrier
    }
    %r = block_id 0
    if (%r == 0) {
 store %x to %Y[i0, i1]
}

  }
  return %Y
}
