// Few long columns that are gone along twice: one kernel would have as many blocks as there are sectors in a row, so the mean is
// a kernel of its own, whose blocks share the columns. Many columns, and short ones, stay together.

// RUN: dlc-opt %s --tiny-to-region='symbols=[M:100000,N:256]' | FileCheck %s --check-prefix=LONG
// RUN: dlc-opt %s --tiny-to-region='symbols=[M:100000,N:4096]' | FileCheck %s --check-prefix=ONE
// RUN: dlc-opt %s --tiny-to-region='symbols=[M:1000,N:256]' | FileCheck %s --check-prefix=ONE
// RUN: dlc-opt %s --tiny-to-region='symbols=[M:100000,N:256]' --evaluate-each -o /dev/null

// LONG: launch @columns_0
// LONG: launch @columns_1
// ONE: launch @columns_0
// ONE-NOT: launch @columns_1
frontend.graph @columns<M, N>(%x: tensor<[M, N], f16>) -> tensor<[N], f16> {
  %y = var %x over [0] correction 0.0
  output %y as f16
}
