// A layer that no pass leads to is an error, not a result that never got there.
// RUN: not dlc-opt %s --emit=ptx 2>&1 | FileCheck %s --check-prefix=NO-WAY
// A word that is no layer is a wrong option, as with --dump: reported before the input is read.
// RUN: not dlc-opt missing.mlir --emit=tiyn 2>&1 | FileCheck %s --check-prefix=MISSPELT
// What is on the layer already stays as it is.
// RUN: dlc-opt %s --emit=sample | FileCheck %s

// NO-WAY: E0415
// NO-WAY-SAME: no registered pass leads from the layer 'sample' to 'ptx'
// MISSPELT: error: --emit: there is no layer of the name 'tiyn' (frontend, tiny, {{.*}}, host); did you mean 'tiny'?
// CHECK: sample.func @there
sample.func @there() {
  return
}
