// What is wrong for some sizes is found when they are bound, before the first kernel runs.

// RUN: dlc-run %s --function=apart --shape=M=4,N=4 | FileCheck %s --check-prefix=GOOD
// RUN: not dlc-run %s --function=apart --shape=M=8,N=7 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not dlc-run %s --function=inside --shape=M=9 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not dlc-run %s --function=inside --shape=M=2 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not dlc-run %s --function=aligned --shape=M=5 2>&1 | FileCheck %s --check-prefix=ALIGNED
// RUN: dlc-run %s --function=aligned --shape=M=8 | FileCheck %s --check-prefix=GOOD
// RUN: not dlc-run %s --function=viewed --shape=M=5,N=3 2>&1 | FileCheck %s --check-prefix=VIEWED
// RUN: dlc-run %s --function=viewed --shape=M=6,N=3 | FileCheck %s --check-prefix=GOOD

// GOOD: output

region.func private @k<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}

// OVERLAP: [E1501] Error: 'host.launch': for these sizes result 0 has the bytes 28 to 60, and those from 0 to 32 are still needed
// OVERLAP: they are written here
host.func @apart<M, N>(%x: memref<[M], f32>, %z: memref<[N], f32>) -> memref<[M], f32> attributes {arena = ["8*M + 4*N"]} {
  %a = launch @k<M> (%x) at [0] : memref<[M], f32>
  %b = launch @k<M> (%a) at [4*N] : memref<[M], f32>
  %c = launch @k<M> (%b) at [*] : memref<[M], f32>
  return %c
}

// INSIDE: [E1502] Error: 'host.launch': result 0 has 36 bytes at 12, beyond the arena of 32 bytes
// BELOW: [E1502] Error: 'host.launch': result 0 has 8 bytes at -16, beyond the arena of 32 bytes
host.func @inside<M>(%x: memref<[M], f32>) -> memref<[M], f32> attributes {arena = [32]} {
  %a = launch @k<M> (%x) at [4*M - 24] : memref<[M], f32>
  %b = launch @k<M> (%a) at [*] : memref<[M], f32>
  return %b
}

// ALIGNED: [E1503] Error: 'host.launch': result 0 at 20 is not aligned to 16 bytes
host.func @aligned<M>(%x: memref<[M], f32>) -> memref<[M], f32> attributes {arena = ["8*M"]} {
  %a = launch @k<M> (%x) at [4*M] : memref<[M], f32, row_major, align 16>
  %b = launch @k<M> (%a) at [*] : memref<[M], f32>
  return %b
}

// VIEWED: [E0704] Error: 'host.view': {{.*}}cannot become
host.func @viewed<M, N>(%x: memref<[M], f32>, %y: memref<[N], f32>) -> memref<[2, N], f32> {
  %v = view %x : memref<[2, N], f32>
  return %v
}
