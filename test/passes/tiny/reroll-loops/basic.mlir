// RUN: dlc-opt %s --lower-frontend --reroll-loops --remarks=passed --remarks-filter=reroll 2>%t.txt | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s --input-file=%t.txt

// States that begin with zero are the scan of the factors and of what is added.
// CHECK-LABEL: @zero
// CHECK: [[A:%.*]] = reshape {{.*}} to [8, 1, 3]
// CHECK: [[X:%.*]] = reshape {{.*}} to [8, 1, 3]
// CHECK: scan linear [[A]], [[X]] along 0 : tensor<[8, 1, 3], f32>
// CHECK-NOT: pad
// CHECK: return
// REMARK: a loop of 8 steps is rolled up: it is 0 ops and 1 scan
frontend.graph @zero(%x: tensor<[8, 3], f32>, %a: tensor<[8, 3], f32>) -> tensor<[8, 3], f32> {
  %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7 = split %x over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 = split %a over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %h = full 0.0 : tensor<[1, 3], f32>
  %m0 = mul %a0, %h
  %h0 = add %m0, %x0
  %m1 = mul %a1, %h0
  %h1 = add %m1, %x1
  %m2 = mul %a2, %h1
  %h2 = add %m2, %x2
  %m3 = mul %a3, %h2
  %h3 = add %m3, %x3
  %m4 = mul %a4, %h3
  %h4 = add %m4, %x4
  %m5 = mul %a5, %h4
  %h5 = add %m5, %x5
  %m6 = mul %a6, %h5
  %h6 = add %m6, %x6
  %m7 = mul %a7, %h6
  %h7 = add %m7, %x7
  %y = concat %h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7 over 0
  output %y
}

// The last step comes first: what is added is `x`, and what is subtracted from it has a negative factor.
// CHECK-LABEL: @backwards
// CHECK-DAG: flip
// CHECK-DAG: neg
// CHECK: scan linear
// CHECK: flip {{.*}} over [0]
// CHECK-NOT: sub
// CHECK: return
frontend.graph @backwards(%x: tensor<[8, 3], f32>, %a: tensor<[8, 3], f32>) -> tensor<[8, 3], f32> {
  %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7 = split %x over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 = split %a over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %h = full 0.0 : tensor<[1, 3], f32>
  %m7 = mul %a7, %h
  %h7 = sub %x7, %m7
  %m6 = mul %a6, %h7
  %h6 = sub %x6, %m6
  %m5 = mul %a5, %h6
  %h5 = sub %x5, %m5
  %m4 = mul %a4, %h5
  %h4 = sub %x4, %m4
  %m3 = mul %a3, %h4
  %h3 = sub %x3, %m3
  %m2 = mul %a2, %h3
  %h2 = sub %x2, %m2
  %m1 = mul %a1, %h2
  %h1 = sub %x1, %m1
  %m0 = mul %a0, %h1
  %h0 = sub %x0, %m0
  %y = concat %h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7 over 0
  output %y
}

// The first state is an element of its own, and a moving average says its factor by what it adds: `h + (x - h) a`.
// CHECK-LABEL: @average
// CHECK: scan linear
// CHECK-NOT: sub
// CHECK: return
frontend.graph @average(%x: tensor<[8, 3], f32>) -> tensor<[8, 3], f32> {
  %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7 = split %x over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %c = full 0.25 : tensor<[], f32>
  %d1 = sub %x1, %x0
  %m1 = mul %d1, %c
  %h1 = add %x0, %m1
  %d2 = sub %x2, %h1
  %m2 = mul %d2, %c
  %h2 = add %h1, %m2
  %d3 = sub %x3, %h2
  %m3 = mul %d3, %c
  %h3 = add %h2, %m3
  %d4 = sub %x4, %h3
  %m4 = mul %d4, %c
  %h4 = add %h3, %m4
  %d5 = sub %x5, %h4
  %m5 = mul %d5, %c
  %h5 = add %h4, %m5
  %d6 = sub %x6, %h5
  %m6 = mul %d6, %c
  %h6 = add %h5, %m6
  %d7 = sub %x7, %h6
  %m7 = mul %d7, %c
  %h7 = add %h6, %m7
  %y = concat %x0, %h1, %h2, %h3, %h4, %h5, %h6, %h7 over 0
  output %y
}

// What is computed from the states of each step is computed for all steps, and what needs the last state reads it there.
// CHECK-LABEL: @later
// CHECK: scan sum {{.*}} along 0
// CHECK-DAG: contract {{.*}} to [step, m, n]
// CHECK-DAG: shrink {{.*}} from [7, 0, 0] to [8, 1, 3]
// CHECK-NOT: contract
// CHECK: return
frontend.graph @later(%x: tensor<[8, 3], f32>, %s: tensor<[1, 3], f32>, %w: tensor<[3, 2], f32>) -> (tensor<[8, 2], f32>, tensor<[1, 3], f32>) {
  %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7 = split %x over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %h0 = add %s, %x0
  %r0 = relu %h0
  %q0 = gemm %r0, %w
  %h1 = add %h0, %x1
  %r1 = relu %h1
  %q1 = gemm %r1, %w
  %h2 = add %h1, %x2
  %r2 = relu %h2
  %q2 = gemm %r2, %w
  %h3 = add %h2, %x3
  %r3 = relu %h3
  %q3 = gemm %r3, %w
  %h4 = add %h3, %x4
  %r4 = relu %h4
  %q4 = gemm %r4, %w
  %h5 = add %h4, %x5
  %r5 = relu %h5
  %q5 = gemm %r5, %w
  %h6 = add %h5, %x6
  %r6 = relu %h6
  %q6 = gemm %r6, %w
  %h7 = add %h6, %x7
  %r7 = relu %h7
  %q7 = gemm %r7, %w
  %y = concat %q0, %q1, %q2, %q3, %q4, %q5, %q6, %q7 over 0
  %z = exp %h7
  output %y, %z
}

// A state before the first one is added where it is multiplied by the first factor.
// CHECK-LABEL: @growth
// CHECK: shrink {{.*}} from [0, 0, 0] to [1, 1, 3]
// CHECK: mul {{.*}}, %s
// CHECK: [[BEGIN:%.*]] = pad {{.*}} high [7, 0, 0]
// CHECK: scan linear {{.*}}, [[BEGIN]] along 0
// CHECK-NOT: mul
// CHECK: return
frontend.graph @growth(%a: tensor<[8, 3], f32>, %s: tensor<[1, 3], f32>) -> tensor<[8, 3], f32> {
  %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 = split %a over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %h0 = mul %s, %a0
  %h1 = mul %h0, %a1
  %h2 = mul %h1, %a2
  %h3 = mul %h2, %a3
  %h4 = mul %h3, %a4
  %h5 = mul %h4, %a5
  %h6 = mul %h5, %a6
  %h7 = mul %h6, %a7
  %y = concat %h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7 over 0
  output %y
}

// A loop over the results of another one, which begins with its last state, reads both from the first scan.
// CHECK-LABEL: @chained
// CHECK: [[FIRST:%.*]] = scan sum {{.*}} along 0
// CHECK: shrink [[FIRST]] from [7, 0, 0] to [8, 1, 3]
// CHECK: scan linear {{.*}} along 0
// CHECK-NOT: scan
// CHECK: return
frontend.graph @chained(%x: tensor<[8, 3], f32>, %s: tensor<[1, 3], f32>, %c: tensor<[3], f32>) -> tensor<[8, 3], f32> {
  %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7 = split %x over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %h0 = add %s, %x0
  %h1 = add %h0, %x1
  %h2 = add %h1, %x2
  %h3 = add %h2, %x3
  %h4 = add %h3, %x4
  %h5 = add %h4, %x5
  %h6 = add %h5, %x6
  %h7 = add %h6, %x7
  %y = concat %h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7 over 0
  %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7 = split %y over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %m0 = mul %c, %h7
  %g0 = add %m0, %y0
  %m1 = mul %c, %g0
  %g1 = add %m1, %y1
  %m2 = mul %c, %g1
  %g2 = add %m2, %y2
  %m3 = mul %c, %g2
  %g3 = add %m3, %y3
  %m4 = mul %c, %g3
  %g4 = add %m4, %y4
  %m5 = mul %c, %g4
  %g5 = add %m5, %y5
  %m6 = mul %c, %g5
  %g6 = add %m6, %y6
  %m7 = mul %c, %g6
  %g7 = add %m7, %y7
  %z = concat %g0, %g1, %g2, %g3, %g4, %g5, %g6, %g7 over 0
  output %z
}

// Halves are added as f32, and rounded once.
// CHECK-LABEL: @halves
// CHECK: [[ALL:%.*]] = scan sum {{.*}} along 0 : tensor<[8, 1, 3], f32>
// CHECK: cast [[ALL]] to bf16
frontend.graph @halves(%x: tensor<[8, 3], bf16>, %s: tensor<[1, 3], bf16>) -> tensor<[8, 3], bf16> {
  %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7 = split %x over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %h0 = add %s, %x0
  %h1 = add %h0, %x1
  %h2 = add %h1, %x2
  %h3 = add %h2, %x3
  %h4 = add %h3, %x4
  %h5 = add %h4, %x5
  %h6 = add %h5, %x6
  %h7 = add %h6, %x7
  %y = concat %h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7 over 0
  output %y
}
