// What is linked in, and help and completions made from it.

// RUN: dlc-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: dlc-opt --help | FileCheck %s --check-prefix=HELP
// RUN: dlc-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: dlc-opt --show-dialects=sample | FileCheck %s --check-prefix=SAMPLE
// RUN: not dlc-opt --show-dialects=smaple 2>&1 | FileCheck %s --check-prefix=MISSPELT
// RUN: dlc-opt --completions=bash | FileCheck %s --check-prefix=BASH

// PASSES: Passes on any layer:
// PASSES: cse {{.*}}Merges
// HELP: --pass-pipeline
// HELP: Passes on any layer:
// HELP: --cse
// DIALECTS: builtin
// DIALECTS: sample
// SAMPLE: sample.addi {{.*}}Commutative
// MISSPELT: did you mean 'sample'?
// BASH: --canonicalize
