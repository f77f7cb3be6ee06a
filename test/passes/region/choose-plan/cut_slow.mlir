// choose-plan: a kernel whose threads would sum the rows of a matrix again for each row of the results is cut, though it has a plan.

// RUN: dlc-opt %s --choose-plan=target=sm90 --remarks --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --choose-plan=target=sm90 | FileCheck %s

// REMARK: @again_0 is slow as one kernel, which takes {{.*}} us, and is two, which take {{.*}}: [576] is stored between them
// CHECK: region.func private @again_0_part iters (n: 576)
// CHECK: region.func private @again_0 iters (m: 512, n: 576)
// CHECK-NOT: reduce
host.func @again(%w: memref<[576, 144], f16, row_major, align 128>, %x: memref<[512, 576], f16, row_major, align 128>) -> memref<[512, 576], f16, row_major, align 128> {
  %y = launch @again_0 (%w, %x) : memref<[512, 576], f16, row_major, align 128>
  return %y
}
region.func private @again_0 iters (m: 512, n: 576) ins (%w: memref<[576, 144], f16, row_major, align 128>, %x: memref<[512, 576], f16, row_major, align 128>) outs (y: memref<[512, 576], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 144) acc f32 init 0.0 {
    %0 = read %w[n, k] : f16 over (n, k)
    yield %0
  } : f32 over (n)
  %1 = cast %s : f16 over (n)
  %2 = read %x[m, n] : f16 over (m, n)
  %3 = broadcast_in_dim %1 to [512, 576] dims [1] : f16 over (m, n)
  %4 = binary add %2, %3 : f16 over (m, n)
  yield %4 to y
}
