// RUN: not dlc-opt %s --vectorize-memory=bytes=3 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not dlc-opt %s --vectorize-memory=bytes=32 2>&1 | FileCheck %s --check-prefix=WIDE

// THREE: an access has 1, 2, 4, 8 or 16 bytes, not 3
// WIDE: an access has 1, 2, 4, 8 or 16 bytes, not 32
kernel.func @f() {
  return
}
