// A program that reads and writes IR as a pass: an example in Python, its options, remarks and arguments.

// REQUIRES: python3

// RUN: dlc-opt %s --remarks -o folded.mlir \
// RUN:   --pass-pipeline='external{cmd="%{python} %{root}/test/plugins/external/fold_add_zero.py"}' 2> told
// RUN: FileCheck %s --input-file=folded.mlir
// RUN: FileCheck %s --check-prefix=TOLD --input-file=told

// As a flag, between others, and with locations kept.
// RUN: dlc-opt %s --cse --external='cmd="%{python} %{root}/test/plugins/external/fold_add_zero.py" timeout=20s' --cse \
// RUN:   | cmp - folded.mlir
// RUN: dlc-opt %s --external='cmd="%{python} %{root}/test/plugins/external/fold_add_zero.py"' --print-locations \
// RUN:   | FileCheck %s --check-prefix=PLACES

// Options go to the program.
// RUN: dlc-opt %s --remarks --external='cmd="%{python} %{root}/test/plugins/external/fold_add_zero.py" options=keep' \
// RUN:   2>&1 | FileCheck %s --check-prefix=KEPT

// The words of the command are arguments; no shell looks at them.
// RUN: dlc-opt %s --remarks --no-output \
// RUN:   --external="cmd=\"%{python} %{root}/test/plugins/external/misbehave.py words 'a b' $HOME *\"" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WORDS

// Custom text, without locations, unchanged, is the same module.
// RUN: dlc-opt %s --external='cmd="/bin/cat" generic=false locations=false' > same && dlc-opt %s | cmp - same

// The pipeline prints as it was read.
// RUN: dlc-opt %s --no-output --dump-pass-pipeline --external='cmd="/bin/cat -u" timeout=500ms' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PIPELINE

// CHECK-LABEL: sample.func @f
// CHECK-NEXT: %zero = constant 0 : i64
// CHECK-NEXT: %p = muli %x, %x : i64
// CHECK-NEXT: return %p
// TOLD: remark[R0001]: [external, passed] folded 1 sums with zero
// PLACES: %p = muli %x, %x : i64 loc("{{.*}}external.mlir":[[#@LINE+11]]:8)
// KEPT: folded 1 sums with zero
// KEPT: %s = addi %p, %zero
// WORDS: [external, analysis] [a b]
// WORDS: [$HOME]
// WORDS: [*]
// PIPELINE: builtin.module(external{cmd="/bin/cat -u",timeout=500ms})


sample.func @f(%x: i64) -> i64 {
  %zero = sample.constant 0 : i64
  %p = sample.muli %x, %x : i64
  %s = sample.addi %p, %zero : i64
  sample.return %s
}
