// Diagnostics of plans stand at the clause that they are about, in text and in JSON; the text is the same without them.

// RUN: split-file %S/Inputs/places.txt %T/places
// RUN: not dlc-opt %T/places/text.mlir 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not dlc-opt %T/places/plan.plan.json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not dlc-opt %T/places/region.mlir --plan=%T/places/cache.plan.json --tensorize 2>&1 | FileCheck %s --check-prefix=CACHE
// RUN: not dlc-opt %T/places/region.mlir --plan=%T/places/hints.plan.json --tensorize 2>&1 | FileCheck %s --check-prefix=HINTS

// TEXT: [E1609] Error: 'plan.schedule': roles wait for each other at barriers in shared memory, and 'barrier' is block
// TEXT: text.mlir:6:3
// TEXT: barrier block
// TEXT-NEXT: ───┬───
// TEXT: Help: the nearest plan that fits has 'barrier mbarrier'

// JSON: [E1604] Error: 'plan.schedule': 64 blocks
// JSON: plan.plan.json:5:3
// JSON: "blocks_per_sm": 64

// CACHE: [E1609] Error: 'plan.schedule': 'cache' says that B is read along (m, n), and it is along (n, k)
// CACHE: cache.plan.json:5:5
// CACHE: "tensor": "B"

// HINTS: [E1609] Error: 'plan.schedule': 'stride' says that C is 'col', and the kernel declares another layout
// HINTS: hints.plan.json:3:36

// A copy of the plan keeps the places, and locations that are written out have them.
// RUN: dlc-opt %T/places/good.mlir --print-locations > %t.locations
// RUN: FileCheck %s --input-file=%t.locations --check-prefix=PRINTED
// RUN: dlc-opt %t.locations | cmp %T/places/good.mlir -
// PRINTED: loc(fused<["tile", "stages"]>["{{.*}}good.mlir":2:3, "{{.*}}good.mlir":3:5, "{{.*}}good.mlir":4:5])
