// Affine maps and sets, semi-affine ones included, and layouts.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

#map0 = affine_map<(d0, d1)[s0] -> (d0 + s0 * 2, d1 mod 8, d0 floordiv 4, d1 ceildiv 3)>
#set0 = affine_set<(d0, d1)[N] : (d0 >= 0, N - d0 - 1 >= 0, d0 - d1 == 0)>
"x.maps"() {a = #map0, b = affine_map<() -> ()>, c = affine_map<(d0) -> ()>, d = affine_map<()[s0] -> (s0)>, e = affine_map<(i, j) -> (j, i)>,
  f = affine_map<(d0)[s0] -> (d0 * s0)>, g = affine_map<(d0)[s0] -> (d0 mod s0)>, h = affine_map<(d0)[s0] -> (d0 floordiv s0 + 1)>,
  i = affine_map<(d0) -> (-d0 - 3)>, j = affine_map<() -> (9223372036854775807)>, k = affine_map<(d0) -> (d0 * -1 + 5)>, l = affine_map<(d0, d1) -> ((d0 + d1) floordiv 2 - d0 mod 3)>,
  m = affine_map<(d0)[s0] -> (d0 ceildiv s0)>, n = affine_map<() -> (-5)>, o = affine_map<(d0)[s0, s1] -> (s0 * s1 + d0)>} : () -> ()
"x.sets"() {a = #set0, b = affine_set<() : (0 == 0)>, c = affine_set<(d0) : (d0 == 0)>, d = affine_set<(d0)[s0] : (d0 * 2 - s0 >= 0, d0 mod 2 == 0)>,
  e = affine_set<(d0) : (1 == 0)>, f = affine_set<(d0, d1) : (d1 - d0 >= 0, d0 - 3 >= 0)>} : () -> ()
func.func private @layouts(memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>, memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<4xf32, 3>,
  memref<4xf32, #gpu.address_space<workgroup>>, memref<*xi8, 1>, tensor<4x?xf32, #x.layout<{a = 1}>>, vector<2x[4]xf16>, memref<2xvector<4xf32>>,
  memref<4xmemref<?xi32>>, tensor<3x!x.elem>, tensor<*xf32>, tensor<f32>, vector<f32>, memref<f32>, memref<4xcomplex<f32>, affine_map<(d0) -> (d0 + 3)>, "space">)
func.func @loops(%m: memref<16xf32>, %n: index) {
  affine.for %i = 0 to min affine_map<(d0)[s0] -> (d0 + s0, 16)>(%n)[%n] step 2 {
    %v = affine.load %m[%i + 1 - 1] : memref<16xf32>
    affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%i)[%n] {
      affine.store %v, %m[%i] : memref<16xf32>
    } else {
      %k = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)
      affine.store %v, %m[%k] : memref<16xf32>
    }
  }
  return
}
