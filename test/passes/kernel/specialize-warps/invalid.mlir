// RUN: not dlc-opt %s --specialize-warps=stages=1 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not dlc-opt %s --specialize-warps=consumers=5 2>&1 | FileCheck %s --check-prefix=CONSUMERS
// RUN: not dlc-opt %s --specialize-warps=consumer-registers=100 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not dlc-opt %s --specialize-warps=consumers=3,consumer-registers=168 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not dlc-opt %s --specialize-warps=roles=alone 2>&1 | FileCheck %s --check-prefix=ROLES

// STAGES: E0413
// STAGES-SAME: a ring has 2 to 16 stages, not 1
// CONSUMERS: there are 1 to 4 consumers, not 5
// REGISTERS: a thread has 24 to 240 registers, a multiple of 8, not 100
// MANY: a thread of each role has 528 registers together, and there are 512: consumers have at most 160
// ROLES: E0413
kernel.func @f() {
  return
}
