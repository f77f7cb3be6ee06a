// Passes as a pipeline and as flags, and the pipeline printed back.

// RUN: dlc-opt %s --pass-pipeline='builtin.module(sample.func(cse,any(dce)))' --dump-pass-pipeline 2>&1 | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='sample.func( cse ),canonicalize{rounds=3}' --dump-pass-pipeline --no-output 2>&1 | FileCheck %s --check-prefix=OPTIONS
// RUN: dlc-opt %s --dce --canonicalize='rounds=2 rewrites-per-op=7' --cse --dump-pass-pipeline --no-output 2>&1 | FileCheck %s --check-prefix=FLAGS
// RUN: dlc-opt %s --pass-pipeline='builtin.module(builtin.module(cse))' | FileCheck %s --check-prefix=ELSEWHERE

// CHECK: builtin.module(sample.func(cse,any(dce)))
// CHECK: muli %x, %x
// OPTIONS: builtin.module(sample.func(cse),canonicalize{rounds=3})
// FLAGS: builtin.module(dce,canonicalize{rounds=2,rewrites-per-op=7},cse)
// ELSEWHERE: muli %x, %y

sample.func @f(%a: i64) -> i64 {
  %x = addi %a, %a : i64
  %y = addi %a, %a : i64
  %z = muli %x, %y : i64
  return %z
}
