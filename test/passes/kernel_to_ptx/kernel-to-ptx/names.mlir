// A function may have a name that PTX does not take: the entry has it in other letters, and the manifest keeps it.

// RUN: dlc-opt %s --tiny-to-ptx | FileCheck %s
// RUN: dlc-run %s '--function=a.b#1' --device=none --target=sm90 --emit-manifest=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=MANIFEST
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX

// CHECK: ptx.func private @"a.b#1_0"<M>
// CHECK: entry "a$2eb$231_0_0"
// CHECK: ptx.func private @"0_0"<M>
// CHECK: entry "$30_0_0"
// MANIFEST: "entry": "a$2eb$231_0_0"
// MANIFEST: "name": "a.b#1"
// PTX: .visible .entry a$2eb$231_0_0(
tiny.func @"a.b#1"<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = add %x, %x
  return %y
}

tiny.func @"0"<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = mul %x, %x
  return %y
}
