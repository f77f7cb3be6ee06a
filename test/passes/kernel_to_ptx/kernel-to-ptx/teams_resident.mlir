// Where two blocks share an SM, threads start with half as many registers: a consumer takes what the producer gives.

// RUN: dlc-opt %s --kernel-to-ptx=unchecked | FileCheck %s

// CHECK-LABEL: ptx.func @two<N>(
// CHECK: setmaxnreg.dec.sync.aligned.u32 24
// CHECK: setmaxnreg.inc.sync.aligned.u32 232
kernel.func @two<N>(%X: memref<[N, 128], f32, row_major, align 4>) -> memref<[N, 128], f32, row_major, align 4> attributes {target = "sm90"} {
  %Y = output : memref<[N, 128], f32, row_major, align 4>
  grid (N) threads 256 blocks_per_sm 2 {
    %s = shared : tile<[128], f32, row_major>
    %full = mbarriers arrivals 128 : mbarrier<1>
    %b = block_id 0
    %zero = index (0)
    barrier
    role producer warps 0 to 4 registers 24 {
      %x = load %X[%b, i0] : frag<[128], f32, blocked [1] lanes [32] warps [4]>
      store_shared %x to %s
      arrive %full by thread
    }
    role consumer warps 4 to 8 registers 232 {
      wait %full parity %zero
      %x = load_shared %s : frag<[128], f32, blocked [1] lanes [32] warps [4]>
      store %x to %Y[%b, i0]
    }
  }
  return %Y
}
