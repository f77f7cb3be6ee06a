// RUN: not dlc-opt %s --inline='max-ops=-1' 2>&1 | FileCheck %s

// A limit below nothing makes no sense.
// CHECK: 'max-ops' must not be negative, but is -1
sample.func private @f()
