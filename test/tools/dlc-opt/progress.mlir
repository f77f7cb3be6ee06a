// A pipeline that takes longer than a second says on a terminal where it is; one that does not says nothing.

// REQUIRES: python3
// RUN: %{python} %S/Inputs/terminal.py %{target}/dlc-opt %s \
// RUN:   --pass-pipeline='cse,external{cmd="python3 -c \"import sys, time; time.sleep(1.5); print(sys.stdin.read())\""}' \
// RUN:   | FileCheck %s
// RUN: %{python} %S/Inputs/terminal.py %{target}/dlc-opt %s --cse --dce \
// RUN:   | FileCheck %s --check-prefix=FAST --allow-empty

// CHECK: [00:00:01] pass 2 of 2, external
// FAST-NOT: pass

sample.func @f() {
  return
}
