// Names of any kind end in plain names of files, one for each body, and in text that the formats can hold.

// RUN: dlc-opt %s --view-graph=format=dot --no-output --output-dir=%T --allow-unregistered-dialect
// RUN: FileCheck %s --check-prefix=MODULE --input-file=%T/view-graph.builtin.module.dot
// RUN: FileCheck %s --check-prefix=ODD --input-file=%T/view-graph..._a_.dot
// RUN: FileCheck %s --check-prefix=SECOND --input-file=%T/view-graph.__a_.dot
// RUN: dlc-opt %s --view-graph --no-output --output-dir=%T --allow-unregistered-dialect
// RUN: FileCheck %s --check-prefix=SVG --input-file=%T/view-graph..._a_.svg

// MODULE: label="sample.func @../a\""
// MODULE: label="sample.func @//a<"

// ODD: digraph "../a\"" {
// ODD: label="x.y\nkey = \"\\\\\""

// SECOND: digraph "//a<" {

// SVG: sym_name = "../a\22"
// SVG: x.y

sample.func @"../a\22"() {
  "x.y"() <{key = "\\"}> : () -> ()
  return
}

sample.func @"//a<"() {
  return
}
