// A position that is reduced from a row is a fragment, also where a tile has one row.
// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --no-output
// RUN: dlc-opt %s --tensorize --kernel-schedule --kernel-to-ptx --no-output

// CHECK: %[[COUNT:.*]] = reduce sum {{.*}} : frag<[1], i64
// CHECK: load %t[%{{.*}}, %[[COUNT]]]
region.func @count iters (m: 16)
    ins (%a: memref<[16], f32>, %t: memref<[16, 300], i64>, %c: memref<[16, 300], f32>)
    outs (g: memref<[16], i64> materialize gmem) {
  %0 = read %a[m] : f32 over (m)
  %1 = reduce sum (n: 300) acc i64 init 0 {
    %2 = read %c[m, n] : f32 over (m, n)
    %3 = binary lt %2, %0 : i1 over (m, n)
    %4 = cast %3 : i64 over (m, n)
    yield %4
  } : i64 over (m)
  %5 = index (m) : i32 over (m)
  %6 = read %t[%5, %1] : i64 over (m)
  yield %6 to g
}
plan.schedule of @count for sm90 {
  tile (m: 1, n: 1024)
  reduced [n]
  thread_tile (n: 4)
  threads (n: 256)
}
