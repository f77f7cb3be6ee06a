// RUN: not dlc-opt %s --order-tiles='group=0' 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not dlc-opt %s --order-tiles='persistent=-1' 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not dlc-opt %s --order-tiles='order=spiral' 2>&1 | FileCheck %s --check-prefix=ORDER

// A group has rows, a grid has blocks, and there are three orders.
// GROUP: 'group' must be positive, but is 0
// BLOCKS: 'persistent' must not be negative, but is -1
// ORDER: spiral
kernel.func @f() {
  return
}
