// A plan with a vector of 2^63 - 1 elements.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1608] Error: 'plan.schedule': the width of 'n' is 9223372036854775807 8-bit elements, and an access has 
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  vectorize n by 9223372036854775807
}
