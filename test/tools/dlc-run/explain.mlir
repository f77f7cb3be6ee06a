// What a program is compiled to, and why: a table of kernels, why each ends where it does, and other decisions.

// RUN: dlc-run %s --explain --target=sm90 --shape=M=4096 | FileCheck %s
// RUN: dlc-run - --explain --target=sm80 --shape=M=64 < %s | FileCheck %s --check-prefix=SM80
// RUN: dlc-run %s --explain --target=sm90 --plan=off | FileCheck %s --check-prefix=OFF
// RUN: dlc-run %s --explain --target=sm90 --shape-set=M=4096 --shape-set=M=16 | FileCheck %s --check-prefix=SETS
// RUN: not dlc-run %s --explain --function=missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not dlc-run %s --explain --bench 2>&1 | FileCheck %s --check-prefix=CONFLICT
// RUN: not dlc-run %s.none --explain 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: dlc-run %s --target=sm90 --explore=%t.html
// RUN: cat %t.html | FileCheck %s --check-prefix=PAGE
// RUN: not dlc-run %s --explore=%t.html --explain 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not dlc-run %s --explore=%t.html --tune 2>&1 | FileCheck %s --check-prefix=BOTH

// PAGE: <!DOCTYPE html>
// PAGE: "title":"choose-plan"
// PAGE-SAME: "title":"PTX"
// BOTH: cannot be used with

// CHECK: @mlp(x: tensor<[M, 1024], f16>, {{.*}}) -> (y: tensor<[M], f32>) for sm90, M = 4096
// CHECK: 2 kernels, {{[0-9.]+}} us by the estimate
// CHECK-NEXT: kernel estimate, us limited by computes plan
// CHECK-NEXT: @mlp_0 {{[0-9.]+}} computing sum of products, relu tile ({{.*}}) instruction wgmma
// CHECK-NEXT: @mlp_1 {{[0-9.]+}} {{.*}} sum tile (
// CHECK: why kernels end there
// CHECK-NEXT: @mlp_0: {{[0-9]+:[0-9]+}} 'cast' of [M, 4096] is stored, {{.*}} bytes:
// CHECK: decisions
// CHECK: form-regions: {{.*}} is not stored: {{.*}} (2 alike)
// SM80: for sm80, M = 64
// SM80: @mlp_0 {{.*}} instruction mma
// OFF: 2 kernels
// OFF-NEXT: kernel
// OFF-NEXT: @mlp_0 sum of products, relu the default tiling
// SETS: for sm90, M = 4096; M = 16
// SETS: 2 kernels,
// SETS: @mlp_0_1 {{[0-9.]+}}
// SETS-NEXT: or @mlp_0 {{[0-9.]+}}
// MISSING: the program has no function @missing
// CONFLICT: the argument '--explain' cannot be used with '--bench[=<N>]'
// NONE: cannot be read
frontend.graph @mlp<M>(%x: tensor<[M, 1024], f16>, %w: tensor<[1024, 4096], f16>) -> tensor<[M], f32> {
  %h = gemm %x, %w acc f32
  %r = relu %h
  %c = cast %r to f16
  %d = cast %c to f32
  %y = sum %d over [1]
  output %y
}
