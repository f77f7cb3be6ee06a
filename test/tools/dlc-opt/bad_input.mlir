// What cannot be read is reported, and the exit status says that it is the input.

// RUN: not dlc-opt %t.no-such-file 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not dlc-opt / 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not dlc-opt %s --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not dlc-opt %s --max-errors=0 2>&1 | FileCheck %s --check-prefix=MANY

// MISSING: error[E0501]: '{{.*}}no-such-file' cannot be read
// FOLDER: error[E0501]: '/' cannot be read
// JSON: "code": "E0101"
// JSON: "kind": "UnknownOp"
// JSON: "line": 14
// MANY: 1 more errors are not shown (--max-errors=0)
"nobody.knows"() : () -> ()
