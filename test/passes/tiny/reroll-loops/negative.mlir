// RUN: dlc-opt %s --lower-frontend --reroll-loops | FileCheck %s --implicit-check-not=scan --implicit-check-not=step
// RUN: dlc-opt %s --lower-frontend --reroll-loops --remarks=missed --remarks-filter=reroll -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// States that are no linear function of the ones before stay.
// CHECK-LABEL: @nonlinear
frontend.graph @nonlinear(%x: tensor<[8, 3], f32>, %s: tensor<[1, 3], f32>) -> tensor<[8, 3], f32> {
  %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7 = split %x over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %m0 = add %s, %x0
  %h0 = tanh %m0
  %m1 = add %h0, %x1
  %h1 = tanh %m1
  %m2 = add %h1, %x2
  %h2 = tanh %m2
  %m3 = add %h2, %x3
  %h3 = tanh %m3
  %m4 = add %h3, %x4
  %h4 = tanh %m4
  %m5 = add %h4, %x5
  %h5 = tanh %m5
  %m6 = add %h5, %x6
  %h6 = tanh %m6
  %m7 = add %h6, %x7
  %h7 = tanh %m7
  %y = concat %h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7 over 0
  output %y
}

// A step needs its state for something that the others do not: the states would be computed twice.
// CHECK-LABEL: @needed
// REMARK: a loop of 8 steps stays: something else needs a state before its end
frontend.graph @needed(%x: tensor<[8, 3], f32>, %s: tensor<[1, 3], f32>) -> (tensor<[8, 3], f32>, tensor<[1, 3], f32>) {
  %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7 = split %x over 0 into [1, 1, 1, 1, 1, 1, 1, 1]
  %h0 = add %s, %x0
  %h1 = add %h0, %x1
  %h2 = add %h1, %x2
  %h3 = add %h2, %x3
  %h4 = add %h3, %x4
  %h5 = add %h4, %x5
  %h6 = add %h5, %x6
  %h7 = add %h6, %x7
  %e = exp %h3
  %y = concat %h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7 over 0
  output %y, %e
}

// Parts in another order, and parts that overlap, are no list.
// CHECK-LABEL: @order
frontend.graph @order(%x: tensor<[8, 3], f32>) -> tensor<[8, 3], f32> {
  %x0, %x1, %x2, %x3 = split %x over 0 into [2, 2, 2, 2]
  %r0 = exp %x0
  %r1 = exp %x1
  %r2 = exp %x2
  %r3 = exp %x3
  %y = concat %r0, %r2, %r1, %r3 over 0
  output %y
}
// CHECK-LABEL: @overlap
frontend.graph @overlap(%x: tensor<[8, 3], f32>) -> tensor<[8, 3], f32> {
  %x0 = slice %x from [0, 0] to [2, 3]
  %r0 = exp %x0
  %x1 = slice %x from [1, 0] to [3, 3]
  %r1 = exp %x1
  %x2 = slice %x from [2, 0] to [4, 3]
  %r2 = exp %x2
  %x3 = slice %x from [3, 0] to [5, 3]
  %r3 = exp %x3
  %y = concat %r0, %r1, %r2, %r3 over 0
  output %y
}

// Steps of different ops are no loop.
// CHECK-LABEL: @different
frontend.graph @different(%x: tensor<[8, 3], f32>) -> tensor<[8, 3], f32> {
  %x0, %x1, %x2, %x3 = split %x over 0 into [2, 2, 2, 2]
  %r0 = exp %x0
  %r1 = exp %x1
  %r2 = sin %x2
  %r3 = exp %x3
  %y = concat %r0, %r1, %r2, %r3 over 0
  output %y
}
