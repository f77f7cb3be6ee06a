// Each mistake in a pipeline is shown at its place, with what was probably meant.

// RUN: not dlc-opt %s --pass-pipeline='builtin.module(csee,canonicalize{round=3})' 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --pass-pipeline='builtin.module(cse' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not dlc-opt %s --canonicalize=rounds=many 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not dlc-opt %s --canonicalise 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not dlc-opt %s --pass-pipeline=cse --dce 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not dlc-opt %s --pass-pipeline='cse(dce)' 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: not dlc-opt %s --pass-pipeline='sampl.func(dce),sample.fun(dce),sample.loop(dce)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: dlc-opt %s --pass-pipeline='func.func(dce),any(cse)' --allow-unregistered-dialect | FileCheck %s --check-prefix=UNKNOWN

// CHECK: [E0412] Error: no pass or pipeline of the name 'csee' is registered
// CHECK: <pass-pipeline>:1:16
// CHECK: did you mean 'cse'?
// CHECK: [E0413] Error: the pass 'canonicalize' has no option 'round'
// CHECK: did you mean 'rounds'?
// SYNTAX: [E0411] Error: expected {{.*}}')'{{.*}}, found the end
// VALUE: the option 'rounds' of 'canonicalize' takes a 64-bit integer, not 'many'
// FLAG: error: no pass or option has the name '--canonicalise' (--list-passes shows the passes); did you mean '--canonicalize'?
// BOTH: --pass-pipeline and flags of passes exclude each other
// NEST: [E0414] Error: 'cse' is a pass; only ops have passes nested in them
// ANCHOR: [E0414] Error: no dialect registers the op 'sampl.func'
// ANCHOR: did you mean 'sample.func'?
// ANCHOR: [E0414] Error: no dialect registers the op 'sample.fun'
// ANCHOR: did you mean 'sample.func'?
// ANCHOR: [E0414] Error: 'sample.loop' is not isolated
// UNKNOWN: module {

module {
}
