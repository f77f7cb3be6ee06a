// RUN: dlc-opt %s --split-scans='symbols=[N:1000000]' --split-input-file --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --split-scans --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: dlc-opt %s --split-scans='symbols=[N:1000000]' --split-input-file --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: few rows of many elements: groups of 8192 are scanned by themselves first

// Without sizes a symbol is 128, and nothing is long.
// CHECK-LABEL: @one
// CHECK: [[PARTS:%[a-z0-9]+]] = reduce sum axes (i0: N ceildiv 8192) over (i1: 8192) of %x at (8192*i0 + i1) where (8192*i0 + i1 < N) else 0.0 acc f32
// CHECK: [[BEFORE:%[a-z0-9]+]] = scan sum axes (i0: N ceildiv 8192) along 0 of [[PARTS]] at (i0) acc f32 exclusive
// CHECK: [[OWN:%[a-z0-9]+]] = scan sum axes (i0: N) along 0 every 8192 of %x at (i0) acc f32 : tensor<[N], f32>
// CHECK: %y = entry add axes (i0: N) of [[OWN]] at (i0), [[BEFORE]] at (i0 floordiv 8192) : tensor<[N], f32>
// CHECK: return %y
// SMALL-LABEL: @one
// SMALL-NEXT: scan sum axes (i0: N) along 0 of %x at (i0) acc f32
// SMALL-NEXT: return
book.func @one<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  %y = scan sum axes (i0: N) along 0 of %x at (i0) acc f32 : tensor<[N], f32>
  return %y
}

// -----

// Columns, from the end; short floats are summed in f32, and rounded at the end.
// CHECK-LABEL: @columns
// CHECK: reduce sum axes (i0: N ceildiv 1024, i1: 50) over (i2: 1024) of %x at (1024*i0 + i2, i1) where (1024*i0 + i2 < N) else 0.0 acc f32
// CHECK: scan sum axes (i0: N ceildiv 1024, i1: 50) along 0 of {{.*}} acc f32 exclusive reverse
// CHECK: scan sum axes (i0: N, i1: 50) along 0 every 1024 of %x at (i0, i1) acc f32 exclusive reverse
// CHECK: entry add axes (i0: N, i1: 50) of {{.*}} at (i0, i1), {{.*}} at (i0 floordiv 1024, i1) : tensor<[N, 50], f32>
// CHECK: entry cast axes (i0: N, i1: 50) of {{.*}} to f16
book.func @columns<N>(%x: tensor<[N, 50], f16>) -> tensor<[N, 50], f16> {
  %y = scan sum axes (i0: N, i1: 50) along 0 of %x at (i0, i1) acc f16 exclusive reverse : tensor<[N, 50], f16>
  return %y
}

// -----

// The guard of what is read stays.
// CHECK-LABEL: @guarded
// CHECK: reduce max axes (i0: 3, i1: N ceildiv 8192) over (i2: 8192) of %x at (i0, 8192*i1 + i2 - 1) where (0 <= 8192*i1 + i2 - 1, 8192*i1 + i2 < N) else -inf acc f32
book.func @guarded<N>(%x: tensor<[3, N], f32>) -> tensor<[3, N], f32> {
  %y = scan max axes (i0: 3, i1: N) along 1 of %x at (i0, i1 - 1) where (0 <= i1 - 1) else -inf acc f32 : tensor<[3, N], f32>
  return %y
}

// -----

// Of a recurrence each group is scanned from zero for what it ends with, which is then part of the first element of the next.
// CHECK-LABEL: @recurrence
// CHECK: [[PRODUCTS:%[a-z0-9]+]] = reduce prod axes (i0: N ceildiv 8192) over (i1: 8192) of %a at (8192*i0 + i1) where (8192*i0 + i1 < N) else 1.0 acc f32
// CHECK: [[OWN:%[a-z0-9]+]] = scan linear axes (i0: N) along 0 every 8192 of %a at (i0), %x at (i0) acc f32 : tensor<[N], f32>
// CHECK: [[ENDS:%[a-z0-9]+]] = entry copy axes (i0: N ceildiv 8192) of [[OWN]] at (8192*i0 + 8191) where (8192*i0 + 8191 < N) else 0.0
// CHECK: [[BEFORE:%[a-z0-9]+]] = scan linear axes (i0: N ceildiv 8192) along 0 of [[PRODUCTS]] at (i0), [[ENDS]] at (i0) acc f32 exclusive
// CHECK: [[CARRIED:%[a-z0-9]+]] = entry mul axes (i0: N) of %a at (i0), [[BEFORE]] at (i0 floordiv 8192)
// CHECK: [[BEGUN:%[a-z0-9]+]] = entry add axes (i0: N) of %x at (i0), [[CARRIED]] at (i0) where (i0 mod 8192 == 0) else 0.0
// CHECK: %y = scan linear axes (i0: N) along 0 every 8192 of %a at (i0), [[BEGUN]] at (i0) acc f32
// CHECK: return %y
book.func @recurrence<N>(%a: tensor<[N], f32>, %x: tensor<[N], f32>) -> tensor<[N], f32> {
  %y = scan linear axes (i0: N) along 0 of %a at (i0), %x at (i0) acc f32 : tensor<[N], f32>
  return %y
}

// -----

// From the end the last position of a group comes first. What is before a group is its first result where elements themselves
// are left out.
// CHECK-LABEL: @back
// CHECK: scan linear axes (i0: N, i1: 50) along 0 every 1024 of {{.*}} acc f32 reverse
// CHECK: entry copy {{.*}} at (1024*i0, i1) where (1024*i0 < N) else 0.0
// CHECK: [[BEFORE:%[a-z0-9]+]] = scan linear {{.*}} acc f32 exclusive reverse
// CHECK: where (i0 mod 1024 == 1023) else 0.0
// CHECK: [[OWN:%[a-z0-9]+]] = scan linear axes (i0: N, i1: 50) along 0 every 1024 of {{.*}} acc f32 exclusive reverse
// CHECK: entry add {{.*}} of [[OWN]] at (i0, i1), [[BEFORE]] at (i0 floordiv 1024, i1) where (i0 mod 1024 == 1023) else 0.0
// CHECK: entry cast axes (i0: N, i1: 50) of {{.*}} to f16
book.func @back<N>(%a: tensor<[N], f16>, %x: tensor<[N, 50], f16>) -> tensor<[N, 50], f16> {
  %y = scan linear axes (i0: N, i1: 50) along 0 of %a at (i0), %x at (i0, i1) acc f16 exclusive reverse
  return %y
}
