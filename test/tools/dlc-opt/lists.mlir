// What is linked in, and help and completions made from it.

// RUN: dlc-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: dlc-opt --help | FileCheck %s --check-prefix=HELP --implicit-check-not=--cse
// RUN: dlc-opt --help=passes | FileCheck %s --check-prefix=TOPIC --implicit-check-not=--remarks
// RUN: dlc-opt --help=choose-plan | FileCheck %s --check-prefix=PASS
// RUN: dlc-opt --help=kernel.wgmma | FileCheck %s --check-prefix=OP
// RUN: dlc-opt --help=plan | FileCheck %s --check-prefix=DIALECT
// RUN: dlc-opt --help=tiny | FileCheck %s --check-prefix=LAYER
// RUN: dlc-opt --help=plan.schedule | FileCheck %s --check-prefix=CLAUSES
// RUN: dlc-opt --help=wgmma | FileCheck %s --check-prefix=OP
// RUN: dlc-opt --help=E1602 | FileCheck %s --check-prefix=CODE
// RUN: dlc-run --help=choose-plan | FileCheck %s --check-prefix=PASS
// RUN: dlc-translate -h | FileCheck %s --check-prefix=TRANSLATE --implicit-check-not=--color
// RUN: dlc-reduce -h | FileCheck %s --check-prefix=REDUCE --implicit-check-not=--color
// RUN: dlc-reduce --man | FileCheck %s --check-prefix=MAN
// RUN: dlc-reduce --completions=bash | FileCheck %s --check-prefix=SHELL
// RUN: not dlc-opt --help=chose-plan 2>&1 | FileCheck %s --check-prefix=NOTOPIC
// RUN: dlc-run --help=device | FileCheck %s --check-prefix=DEVICE --implicit-check-not=--check
// RUN: dlc-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: dlc-opt --show-dialects=sample | FileCheck %s --check-prefix=SAMPLE
// RUN: not dlc-opt --show-dialects=smaple 2>&1 | FileCheck %s --check-prefix=MISSPELT
// RUN: dlc-opt --completions=bash | FileCheck %s --check-prefix=BASH

// PASSES: Passes on any layer:
// PASSES: cse {{.*}}Merges
// HELP: --pass-pipeline
// HELP: --help=passes
// TOPIC: --pass-pipeline
// TOPIC: Passes on any layer:
// TOPIC: --cse
// TOPIC: Named pipelines:
// PASS: choose-plan: Chooses a plan for every kernel that has none, by a cost model.
// PASS: assume {{.*}}[default: 128]
// PASS: f32 {{.*}}[one of ieee, tf32x3, tf32; default: tf32x3]
// PASS: needs {{.*}}region
// DIALECT: plan: How a kernel is made, as data.
// DIALECT: plan.schedule
// DIALECT: Reference: docs/reference/plan.md
// LAYER: tiny: Tensor programs as views, arithmetic and reductions.
// LAYER: {{[0-9]+}} ops: --show-dialects=tiny lists them, docs/reference/tiny.md describes them.
// LAYER: Passes on the layer tiny:
// LAYER: --decompose-contraction{{$}}
// CLAUSES: plan.schedule
// CLAUSES: Clauses:
// CLAUSES: stages {{ *}}How many tiles of each operand shared memory has.
// CODE: E1602 TooMuchSharedMemory: A schedule needs more shared memory than the target has.
// TRANSLATE: --to-ptx
// TRANSLATE: All options: --help.
// REDUCE: --test
// REDUCE: All options: --help.
// MAN: .TH dlc-reduce
// SHELL: --slower
// OP: kernel.wgmma
// OP: The product of matrices
// OP: Example:
// NOTOPIC: error: there is no help on 'chose-plan'; did you mean 'choose-plan'?
// DEVICE: --tune
// DIALECTS: builtin
// DIALECTS: sample
// SAMPLE: sample.addi {{.*}}Commutative
// MISSPELT: did you mean 'sample'?
// BASH: --canonicalize
