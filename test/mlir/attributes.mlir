// Every builtin attribute, on ops that nothing knows.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

"x.integers"() {a = 0, b = -1, c = 9223372036854775807, d = -9223372036854775808, e = 255 : i8, f = -128 : i8,
  g = 1 : i1, h = 0 : i1, i = true, j = false, k = 12 : si16, l = -12 : si16, m = 65535 : ui16, n = 3 : index,
  o = 0xFF : i16, p = 0x7FFFFFFFFFFFFFFF, q = 170141183460469231731687303715884105727 : i128, r = -1 : i127,
  s = 340282366920938463463374607431768211455 : ui128, t = 1 : i256, u = 5 : i7, v = 18446744073709551615 : ui64,
  w = 115792089237316195423570985008687907853269984665640564039457584007913129639935 : ui256, x = -5 : i2000, y = 127 : i65,
  z = 340282366920938463463374607431768211455 : i128} : () -> ()
"x.floats"() {a = 0.0, b = -0.0 : f32, c = 1.5 : f16, d = 3.14159265358979, e = 0.1 : f32, f = 1.0e-45 : f32, g = 1.0e+38 : f32,
  h = 0x7F800000 : f32, i = 0xFF800000 : f32, j = 0x7FC00000 : f32, k = 0x7FC00001 : f32, l = 0x7FF0000000000000 : f64,
  m = 0x7C00 : f16, n = 0x7FC0 : bf16, o = 5.0e-324, p = 1.7976931348623157e308, q = 123456789.0 : f32, r = 2.5 : tf32,
  s = 448.0 : f8E4M3FN, t = 57344.0 : f8E5M2, u = 0x7F : f8E4M3FN, v = 1.0 : f8E4M3FNUZ, w = 0.5 : f8E8M0FNU, x = 1.0 : f4E2M1FN,
  y = 1.25 : f80, z = 3.5 : f128, aa = 1.0 : f6E3M2FN, ab = 1.0 : f6E2M3FN, ac = 1.0 : f8E3M4, ad = 1.0 : f8E4M3, ae = 2.0 : f8E5M2FNUZ,
  af = 4.0 : f8E4M3B11FNUZ, ag = 6.0e-8 : f16, ah = 1.0e-40 : bf16, ai = 0x3FC00 : tf32, aj = 1.0e300 : f32, ak = 100000000.0} : () -> ()
"x.strings"() {a = "", b = "plain", c = "quote \" backslash \\ newline \n tab \t", d = "\00\01\1F\7F", e = "h\C3\A9llo héllo 日本 🎉",
  f = "\FF\FE not utf8 \80", g = "'single' %0 @sym // no comment", h = "typed" : i32, i = "{ unbalanced <[(", j = "\0A\0D\22\5C"} : () -> ()
"x.containers"() {a = [], b = [1, "two", 3.0, [4 : i8, []], {}], c = {}, d = {x, y = 1, "odd key" = 2, "é" = 3, z.w = 4, _a$ = 5},
  e = array<i64>, f = array<i64: 1, -2, 3>, g = array<i1: true, false>, h = array<f32: 1.0, 2.5, 0x7F800000>, i = array<i8: -1>,
  j = array<f64: 1.0e10>, k = array<i32: 0>, l = array<i16: 1>, m = [unit, true, i32, @a]} : () -> ()
"x.types"() {a = i32, b = () -> (), c = (i32, f32) -> (i1, none), d = tensor<?x4xf32>, e = !x.y<1, "a">, f = none, g = index, h = tuple<>,
  i = tuple<i32, tuple<f32>>, j = (() -> i32) -> (() -> i32), k = memref<*xf32>, l = vector<[4]xf32>, m = complex<f64>} : () -> ()
"x.symbols"() {a = @f, b = @f::@g::@h, c = @"odd name", d = @a::@"b c"::@d, e = @"\22q\22", f = @"1", g = @_x$.y} : () -> ()
"x.unit"() {a, b = unit, "c d", e.f} : () -> ()
"x.odd"() {i32 = 1, true = 2, loc = 3, affine_map = 4, dense = 5, array, module = 6, func = 7, "x y" = 1} : () -> ()
