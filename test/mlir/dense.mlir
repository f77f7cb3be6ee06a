// Dense, sparse and opaque constants.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

"x.dense"() {
  a = dense<0> : tensor<i32>, b = dense<[1, 2, 3]> : tensor<3xi64>, c = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>,
  d = dense<1.5> : tensor<4x4xf32>, e = dense<[true, false, true]> : tensor<3xi1>, f = dense<[1.0, 0x7F800000, -2.5e-3]> : vector<3xf32>,
  g = dense<> : tensor<0xi32>, h = dense<> : tensor<2x0xf32>, i = dense<"0x0100000002000000"> : tensor<2xi32>,
  j = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>, k = dense<[(1, 2), (3, 4)]> : tensor<2xcomplex<i32>>, l = dense<["a", "b\22c"]> : tensor<2x!x.str>,
  m = dense<[-1, 127]> : tensor<2xi8>, n = dense<[255, 0]> : tensor<2xui8>, o = dense<[-1, 1]> : tensor<2xsi16>, p = dense<[1, 2]> : tensor<2xindex>,
  q = dense<[0x7FC0, 0x3F80]> : tensor<2xbf16>, r = dense<[1.0, 2.0]> : tensor<2xf16>, s = dense<[1.0, 2.0]> : tensor<2xf8E5M2>, t = dense<[1, -1]> : tensor<2xi4>,
  u = dense<[1, 2]> : tensor<2xi33>, v = dense<true> : vector<8xi1>, w = dense<5> : tensor<1000000x1000000xi32>, x = dense<1> : vector<[4]xi32>,
  y = dense<[1, 2]> : tensor<2xi32, #x.enc<1>>, z = dense<[[[1]], [[2]]]> : tensor<2x1x1xi128>, aa = dense<7> : tensor<3xi200>,
  ab = dense<[1.0, 2.0]> : tensor<2xtf32>, ac = dense<[1.0, 2.0]> : tensor<2xf80>, ad = dense<"text"> : tensor<!x.str>, ae = dense<0> : tensor<0x3xi32>,
  af = dense<"0x01"> : tensor<4xi8>, ag = dense<[true, true]> : tensor<2xi1>, ah = dense<3.0> : tensor<f64>, ai = dense<[1, 1, 1]> : tensor<3xi32>} : () -> ()
"x.large"() {
  a = dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F"> : tensor<7x16xi8>,
  b = dense<"0x0000803F0000004000004040000080400000A0400000C0400000E040000000410000104100002041000030410000404100005041000060410000704100008041000088410000904100009841"> : tensor<19xf32>,
  c = dense<[1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0]> : tensor<132xi1>,
  d = dense<[1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0]> : tensor<132xi4>,
  e = dense<[1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0,1,0,1,1,0,0,1,0,1,1,1,0]> : vector<132xi33>,
  f = dense<[true, false, true, true, false, true, false, true, true, false, true]> : vector<11xi1>} : () -> ()
"x.resource"() {a = dense_resource<blob1> : tensor<3xi64>, b = dense_resource<"odd key"> : tensor<2xi16>, c = dense_resource<missing> : tensor<4xf32>,
  d = dense_resource<blob2> : tensor<2xcomplex<f32>>, e = dense_resource<blob1> : tensor<3x1xi64>, f = dense_resource<bits> : tensor<4xi1>} : () -> ()
"x.sparse"() {a = sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>, b = sparse<> : tensor<3xi32>, c = sparse<0, 1.0> : tensor<4xf32>} : () -> ()
"x.others"() {a = distinct[0]<42 : i32>, b = distinct[1]<>, c = distinct[0]<42 : i32>, d = strided<[1, ?], offset: 4>, e = strided<[]>} : () -> ()

{-#
  dialect_resources: {
    builtin: {
      blob1: "0x08000000010000000000000002000000000000000300000000000000",
      "odd key": "0x0400000001000200",
      blob2: "0x040000000000803F000000400000404000008040",
      bits: "0x0100000001000101"
    }
  }
#-}
