// What the options must be.

// RUN: not dlc-opt %s --choose-plan='target=h200' 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not dlc-opt %s --choose-plan='target=sm91' 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not dlc-opt %s --choose-plan='assume=0' 2>&1 | FileCheck %s --check-prefix=ASSUME
// RUN: not dlc-opt %s --choose-plan='top=0' 2>&1 | FileCheck %s --check-prefix=TOP
// RUN: not dlc-opt %s --choose-plan='symbols=[M]' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not dlc-opt %s --choose-plan='symbols=[M:0]' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not dlc-opt %s --choose-plan='symbols=[Q:16]' 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: not dlc-opt %s --choose-plan='symbols=[m=16]' 2>&1 | FileCheck %s --check-prefix=CASE
// RUN: not dlc-opt %s --choose-plan='sizes=[few]' 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not dlc-opt %s --choose-plan='sizes=[16x0]' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dlc-opt %s --choose-plan='skip=[f]' 2>&1 | FileCheck %s --check-prefix=SKIP
// RUN: dlc-opt %s --choose-plan='assume=1048576 sizes=[8]' --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=ALONE

// SKIP: 'f' is no kernel with a number of plans, as in 'gemm_0:1'
// SIZES: 'few' is no number, nor numbers for symbols as in '16x14336x4096'
// NONE: '16x0' is no number, nor numbers for symbols as in '16x14336x4096'
// ALONE: missed] plans for other sizes (1) are left out: no launch runs this kernel alone
// FAR: [E1611] Error: there is no target 'h200'
// FAR: the targets are sm80, sm90
// SYMBOL: [E1613] Error: 'symbols' names the symbol 'Q', which no function of the module has
// SYMBOL: the symbols are M
// CASE: [E1613] Error: 'symbols' names the symbol 'm', which no function of the module has
// CASE: did you mean 'M'?
// NEAR: [E1611] Error: there is no target 'sm91'
// NEAR: did you mean 'sm90'?
// ASSUME: 'assume' must be at least 1, but is 0
// TOP: 'top' must be at least 1, but is 0
// NUMBER: 'M' is no symbol with its number, as in 'M:16'
// ZERO: 'M:0' is no symbol with its number, as in 'M:16'

region.func @f<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}
