// What is linked in, and help and completions made from it.

// RUN: dlc-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: dlc-opt --help | FileCheck %s --check-prefix=HELP --implicit-check-not=--cse
// RUN: dlc-opt --help=passes | FileCheck %s --check-prefix=TOPIC --implicit-check-not=--remarks
// RUN: dlc-opt --help=choose-plan | FileCheck %s --check-prefix=PASS
// RUN: dlc-opt --help=kernel.wgmma | FileCheck %s --check-prefix=OP
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
// PASS: needs {{.*}}region
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
