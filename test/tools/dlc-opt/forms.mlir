// The forms in which IR is printed.

// RUN: dlc-opt %s | FileCheck %s --check-prefix=CUSTOM
// RUN: dlc-opt %s --print-generic | FileCheck %s --check-prefix=GENERIC
// RUN: dlc-opt %s --print-locations | FileCheck %s --check-prefix=LOCATIONS
// RUN: dlc-opt %s --verify-roundtrip --no-output
// RUN: dlc-opt - --cse < %s | FileCheck %s --check-prefix=CUSTOM
// RUN: dlc-opt %s -o %t.mlir && FileCheck %s --check-prefix=CUSTOM < %t.mlir

// CUSTOM: sample.func @f(%a: i64) -> i64 {
// CUSTOM-NEXT: addi
// GENERIC: "sample.func"() <{
// GENERIC: "sample.addi"(%a, %a) : (i64, i64) -> i64
// LOCATIONS: loc(

sample.func @f(%a: i64) -> i64 {
  %x = addi %a, %a : i64
  %y = addi %a, %a : i64
  %z = muli %x, %y : i64
  return %z
}
