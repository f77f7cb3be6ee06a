// Whatever a program does wrong as a pass ends in a diagnostic that names it; there is no output, the input is as it was,
// and no process is left.

// REQUIRES: python3

// RUN: cp %s input

// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py fails"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAILS
// FAILS: error[E0462]: the program '{{.*}}misbehave.py fails' of the pass 'external' failed with exit status 3
// FAILS: it said: this module is not to my taste

// A traceback is one block.
// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py raises"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RAISES
// RAISES: it said:
// RAISES-NEXT: Traceback
// RAISES: ValueError: this op has no name
// RAISES-NOT: it said

// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py abort"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABORT
// ABORT: error[E0462]: {{.*}} was ended by signal 6 (SIGABRT)
// ABORT: it said: last words

// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py kill"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KILL
// KILL: error[E0462]: {{.*}} was ended by signal 9 (SIGKILL)

// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py nonsense"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONSENSE
// NONSENSE: error[E0465]: {{.*}} printed what is no module
// NONSENSE: [E0101] Error

// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py binary"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BINARY
// BINARY: error[E0465]: {{.*}} printed what is no text

// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py truncated"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TRUNCATED
// TRUNCATED: error[E0465]: {{.*}} printed what is no module
// TRUNCATED: <output of external>

// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py invalid"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INVALID
// INVALID: error[E0403]: the pass 'external' left IR that breaks the rules
// INVALID: [E0202] Error: {{.*}} does not dominate this use

// It is looked at even where passes of one's own are trusted.
// RUN: not dlc-opt input -o out --verify-each=false \
// RUN:   --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py invalid"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INVALID

// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py nothing"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOTHING
// NOTHING: error[E0465]: {{.*}} printed nothing; the module must come back

// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py flood"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FLOOD
// FLOOD: error[E0464]: {{.*}} printed more than {{[0-9]+}} bytes and was stopped

// It hangs, with a child of its own: both are stopped.
// RUN: not dlc-opt input -o out --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py hang" timeout=1500ms' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HANG
// RUN: %{python} %S/Inputs/gone.py pids
// HANG: error[E0463]: {{.*}} did not end within 1500ms and was stopped

// It ends and leaves a child after, which is stopped; the result stands. Much on standard error is no harm.
// RUN: rm pids
// RUN: dlc-opt input --no-output --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py leaves-child"'
// RUN: %{python} %S/Inputs/gone.py pids
// RUN: dlc-opt input --no-output --external='cmd="%{python} %{root}/test/plugins/external/misbehave.py flood-stderr"'

// RUN: not dlc-opt input -o out --external='cmd=no-such-program' 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[E0461]: {{.*}} cannot be run: there is no program 'no-such-program'

// What makes no sense is said before anything is read.
// RUN: not dlc-opt input -o out --external 2>&1 | FileCheck %s --check-prefix=NO-CMD
// NO-CMD: it needs the program to run
// RUN: not dlc-opt input -o out --external="cmd=\"cat 'x\"" 2>&1 | FileCheck %s --check-prefix=QUOTE
// QUOTE: a quote is not closed
// RUN: not dlc-opt input -o out --external='cmd=cat timeout=soon' 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: timeout: 'soon' is no time; write 30s, 500ms or 2m
// RUN: not dlc-opt input -o out --plugin-timeout=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: '0' is not between 1ms and a week

// RUN: not test-file-exists out
// RUN: cmp %s input

sample.func @f(%a: i64) -> i64 {
  %s = sample.addi %a, %a : i64
  %t = sample.addi %s, %a : i64
  sample.return %t
}
