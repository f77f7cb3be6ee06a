// Whatever a plugin does wrong ends in a diagnostic that names it; there is no output, and the input is as it was.

// RUN: cp %s input

// A pass that refuses the input: its diagnostic, at its place in the source.
// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=fails 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: [E0401] Error: this op is not to my taste
// FAILS: input:[[#@LINE+64]]:8
// FAILS: Help: write another

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=panic 2>&1 | FileCheck %s --check-prefix=PANIC
// PANIC: error[E0402]: the pass 'misbehave' panicked at {{.*}}misbehave.rs:{{[0-9]+}}: the plugin has had enough

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=abort 2>&1 | FileCheck %s --check-prefix=ABORT
// ABORT: error[E0462]: the pass 'misbehave' of the plugin 'example' ({{.*}}example_shared{{.*}}) was ended by signal 6 (SIGABRT)
// ABORT: it said: last words of the plugin

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=segfault 2>&1 | FileCheck %s --check-prefix=SEGFAULT
// SEGFAULT: error[E0462]: {{.*}} was ended by signal 11 (SIGSEGV)

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: error[E0462]: {{.*}} was ended by signal
// OVERFLOW: stack

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=exit 2>&1 | FileCheck %s --check-prefix=EXIT
// EXIT: error[E0524]: the pass 'misbehave' of the plugin 'example' ({{.*}}) failed with exit status 7

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --plugin-timeout=300ms --misbehave=how=hang 2>&1 | FileCheck %s --check-prefix=HANG
// HANG: error[E0463]: {{.*}} did not end within 300ms and was stopped

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=nonsense 2>&1 | FileCheck %s --check-prefix=NONSENSE
// NONSENSE: error[E0524]: {{.*}} printed something else than an answer, and ended

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error[E0524]: {{.*}} ended without an answer

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=flood 2>&1 | FileCheck %s --check-prefix=FLOOD
// FLOOD: error[E0464]: {{.*}} printed more than {{[0-9]+}} bytes and was stopped

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=invalid 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: [E0403] Error: the pass 'misbehave' left IR that breaks the rules
// INVALID: [E0202] Error: {{.*}} does not dominate this use

// RUN: not dlc-opt input -o out --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --diagnostics=json --misbehave=how=abort 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "code": "E0462"

// RUN: not test-file-exists out
// RUN: cmp %s input

// A plugin that prints is not mistaken for one that answers.
// RUN: dlc-opt input --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --misbehave=how=prints | FileCheck %s --check-prefix=PRINTS --implicit-check-not=answer
// PRINTS: %p = muli

// Nested in an op it is the same.
// RUN: not dlc-opt input --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --pass-pipeline='sample.func(misbehave{how=abort})' 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error[E0462]: the pass 'misbehave' of the plugin 'example'

sample.func @f(%a: i64, %b: i64, %c: i64) -> i64 {
  %p = sample.muli %a, %b : i64
  %s = sample.addi %p, %c : i64
  sample.return %s
}
