// Columns that lie side by side in runs, as those of heads: neighbouring threads take neighbours of a run, and threads share each
// column. Without a plan a thread goes through 6304 elements alone.

// RUN: dlc-opt %s --choose-plan=target=sm90 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx --no-output
// RUN: dlc-run %s --function=sums --seed=0 -o %t.npz
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %t.ptx.mlir --strict --function=sums --seed=0 --check=%t.npz

// CHECK: plan.schedule of @sums for sm90
// CHECK: threads (i1: {{[0-9]+}}, i2: {{[0-9]+}})
region.func @sums iters (i1: 192)
    ins (%X: memref<[2, 4, 3, 50, 32], bf16, row_major, align 128>)
    outs (Y: memref<[192], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (i2: 200) acc f32 init 0.0 {
    %x = read %X[i1 floordiv 96, i2 floordiv 50, (i1 floordiv 32) mod 3, i2 mod 50, i1 mod 32] : bf16 over (i1, i2)
    %c = cast %x : f32 over (i1, i2)
    yield %c
  } : f32 over (i1)
  yield %s to Y
}
