// The program is left as it is; the counts go out next to it.

// RUN: dlc-opt %s --op-stats 2> %t | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --check-prefix=ALL --input-file=%t
// RUN: dlc-opt %s --op-stats=by-body --no-output 2>&1 | snapshot %s --name=bodies
// RUN: dlc-opt %s --op-stats=format=json --no-output --output-dir=%T/all && snapshot %s --name=json < %T/all/op-stats.json
// RUN: dlc-opt %s '--op-stats=by-body format=json' --no-output --output-dir=%T/each && snapshot %s --name=bodies-json < %T/each/op-stats.json

// SAME-LABEL: @twice
// SAME: addi %x, %x
// SAME: @outer
// SAME: call @inner()

// ALL: op-stats.txt
// ALL-NEXT: builtin.module {{ *}}1
// ALL-NEXT: sample.addi {{ *}}2
// ALL-NEXT: sample.call {{ *}}1
// ALL-NEXT: sample.func {{ *}}3
// ALL-NEXT: sample.return {{ *}}3
// ALL-NEXT: sample.scope {{ *}}1
// ALL-NEXT: total {{ *}}11

sample.func @twice(%x: i64) -> i64 {
  %a = addi %x, %x : i64
  %b = addi %a, %a : i64
  return %b
}

sample.scope @outer {
  func @inner() {
    return
  }
  func @calls() {
    call @inner()
    return
  }
}

// EXPECT bodies:
// // -----// op-stats.txt //----- //
// builtin.module
//   builtin.module        1
//   sample.func           1
//   sample.scope          1
//   total                 3
// builtin.module::@twice
//   sample.addi           2
//   sample.return         1
//   total                 3
// builtin.module::@outer
//   sample.func           2
//   total                 2
// builtin.module::@outer::@inner
//   sample.return         1
//   total                 1
// builtin.module::@outer::@calls
//   sample.call           1
//   sample.return         1
//   total                 2

// EXPECT json:
// {"ops":{"builtin.module":1,"sample.addi":2,"sample.call":1,"sample.func":3,"sample.return":3,"sample.scope":1}}

// EXPECT bodies-json:
// {"bodies":[{"body":"builtin.module","ops":{"builtin.module":1,"sample.func":1,"sample.scope":1}},{"body":"builtin.module::@twice","ops":{"sample.addi":2,"sample.return":1}},{"body":"builtin.module::@outer","ops":{"sample.func":2}},{"body":"builtin.module::@outer::@inner","ops":{"sample.return":1}},{"body":"builtin.module::@outer::@calls","ops":{"sample.call":1,"sample.return":1}}]}
