// A copy of one axis, for tensors of more than 2^31 elements too (large.sh).

// RUN: dlc-opt %s --kernel-to-ptx=index=64 --evaluate-each -o /dev/null
// RUN: dlc-run %s --device=none --target=sm90 --shape=N=2148532229 --emit-manifest=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=WIDE
// RUN: dlc-run %s --device=none --target=sm90 --shape=N=2000000000 --emit-manifest=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=NARROW

// WIDE: "elements": 1099511627776
// WIDE: "i64": "N"
// NARROW-NOT: "elements"
// NARROW: "i32": "N"

!line = frag<[1024], f16, blocked [8] lanes [32] warps [4]>

kernel.func @copy<N>(%X: memref<[N], f16, row_major, align 16>) -> memref<[N], f16, row_major, align 16> {
  %Y = output : memref<[N], f16, row_major, align 16>
  grid (N ceildiv 1024) threads 128 {
    %b = block_id 0
    %x = load %X[1024 * %b + i0] where (1024 * %b + i0 < N) : !line
    store %x to %Y[1024 * %b + i0] where (1024 * %b + i0 < N)
  }
  return %Y
}
