// What JSON of a plan must be, said where it stands.

// RUN: split-file %s %T/parts
// RUN: not dlc-opt %T/parts/unknown.json 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dlc-opt %T/parts/nested.json 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not dlc-opt %T/parts/missing.json 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not dlc-opt %T/parts/wrong.json 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not dlc-opt %T/parts/rank.json 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not dlc-opt %T/parts/fits.json 2>&1 | FileCheck %s --check-prefix=FITS
// RUN: not dlc-opt %T/parts/target.json 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not dlc-opt %T/parts/type.mlir --emit-json 2>&1 | FileCheck %s --check-prefix=TYPE

// UNKNOWN: [E0602] Error: a schedule has no key 'stage' ('the document')
// UNKNOWN: did you mean 'stages'?
// UNKNOWN: [E0602] Error: there is no hint 'A_padding' ('layout_hints')
// UNKNOWN: a hint is the name of a tensor with '_swizzle' or '_stride'
// NESTED: [E0602] Error: a cached tensor has no key 'stages' ('cache[0]')
// MISSING: [E0603] Error: a schedule needs the key 'arch' ('the document')
// WRONG: [E0605] Error: 'barrier_model' must be one of block, cp_async_group, mbarrier, not "mbarier"
// WRONG: did you mean 'mbarrier'?
// RANK: [E0605] Error: 'tile' must be extents of at most 3 axes;
// FITS: [E1602] Error: 'plan.schedule': the block needs 262144 bytes of shared memory (4 stages of 65536, and what else it keeps), and sm80 has 166912
// FITS: the nearest plan that fits has 'stages 2'
// TARGET: [E0602] Error: a target has no key 'cores' ('the document')
// TYPE: [E0606] Error: 'plan.schedule': JSON has no name for the type index

//--- unknown.json
{"arch": "sm80", "stage": 2, "layout_hints": {"A_padding": 8}}
//--- nested.json
{"arch": "sm80", "cache": [{"tensor": "A", "where": "smem", "stages": 2}]}
//--- missing.json
{"tile": [64, 64, 32], "stages": 2}
//--- wrong.json
{"arch": "sm90", "barrier_model": "mbarier"}
//--- rank.json
{"arch": "sm90", "tile": [1, 2, 3, 4], "bind": {"m.o": "block.x"}}
//--- fits.json
{"arch": "sm80", "tile": [256, 256, 64], "stages": 4,
 "cache": [{"tensor": "A", "where": "smem"}, {"tensor": "B", "where": "smem"}]}
//--- target.json
{"target": "mine", "like": "sm90", "cores": 66}
//--- type.mlir
plan.schedule for sm90 {
  cache A (m) index in smem
}
