// A shared library: its dialect, its passes, their options, statistics and remarks, at work in a child process.

// RUN: dlc-opt %s --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} | FileCheck %s --check-prefix=READ
// RUN: dlc-opt %s --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} --fuse-mul-add \
// RUN:   --statistics --remarks -o fused.mlir 2> told
// RUN: FileCheck %s --input-file=fused.mlir
// RUN: FileCheck %s --check-prefix=TOLD --input-file=told

// In the program itself it does the same.
// RUN: dlc-opt %s --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} --in-process-plugins \
// RUN:   --fuse-mul-add | cmp - fused.mlir

// Names, locations and resources come back as they were.
// RUN: dlc-opt %s --load-plugin %{target}/%{shlibprefix}example_shared%{shlibext} --misbehave --print-locations > there
// RUN: dlc-opt %s --load-plugin %{target}/%{shlibprefix}example_shared%{shlibext} --print-locations | cmp - there
// RUN: dlc-opt %s --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} --fuse-mul-add --print-locations \
// RUN:   | FileCheck %s --check-prefix=PLACES

// With options, nested, and between passes that are linked in.
// RUN: dlc-opt %s --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} --dump-pass-pipeline \
// RUN:   --pass-pipeline='cse,sample.func(canonicalize,fuse-mul-add{most=1}),cse' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NESTED

// It is listed, and a misspelt pass of it is recognized.
// RUN: dlc-opt --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} --list-passes \
// RUN:   | FileCheck %s --check-prefix=LIST
// RUN: dlc-opt --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} --help=passes \
// RUN:   | FileCheck %s --check-prefix=HELP
// RUN: dlc-opt --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} --show-dialects=mad \
// RUN:   | FileCheck %s --check-prefix=DIALECT
// RUN: not dlc-opt %s --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --pass-pipeline=fuse-mul-ad 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not dlc-opt %s --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --fuse-mul-add=mots=1 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not dlc-opt %s --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} \
// RUN:   --fuse-mul-add=most=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// READ: %z = mad.mul_add %a, %b, %y : i64

// CHECK-LABEL: sample.func @f{{.*}} dense_resource<big>
// CHECK-NEXT: %y = mad.mul_add %a, %b, %c : i64
// CHECK-NEXT: %z = mad.mul_add %a, %b, %y : i64
// CHECK-NEXT: %u = mad.mul_add %z, %z, %y : i64
// CHECK: big: "0x0800000001000000

// TOLD: [fuse-mul-add, passed] a product was fused into a sum
// TOLD: shared.mlir
// TOLD: 2 fused: Sums that took a product in.

// PLACES: %u = mad.mul_add {{.*}} loc(fused["{{.*}}shared.mlir":[[#@LINE+23]]:8, "{{.*}}shared.mlir":[[#@LINE+24]]:8])

// NESTED: builtin.module(cse,sample.func(canonicalize,fuse-mul-add{most=1}),cse)
// NESTED: %y = mad.mul_add
// NESTED: %u = addi

// LIST: fuse-mul-add {{.*}}Fuses a product
// LIST: most (1000000)
// HELP: --fuse-mul-add
// DIALECT: mad.mul_add {{.*}}[Pure, SameType]
// DIALECT: %y = mad.mul_add %a, %b, %c : i64

// NEAR: no pass or pipeline of the name 'fuse-mul-ad' is registered
// NEAR: did you mean 'fuse-mul-add'?
// OPTION: the pass 'fuse-mul-add' has no option 'mots'
// NEGATIVE: [E0413]
// NEGATIVE: 'most' must not be negative


sample.func @f(%a: i64, %b: i64, %c: i64) -> i64 attributes {data = dense_resource<big> : tensor<1xi32>} {
  %p = sample.muli %a, %b : i64
  %y = sample.addi %p, %c : i64
  %z = mad.mul_add %a, %b, %y : i64
  %q = sample.muli %z, %z : i64
  %u = sample.addi %q, %y : i64
  sample.return %u
}

{-#
  dialect_resources: {
    builtin: {
      big: "0x0800000001000000"
    }
  }
#-}
