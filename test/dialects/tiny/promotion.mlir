// The type in which elements of two types are combined, for all pairs: what `least_upper_dtype` of tinygrad 0.14 gives.
// A type that is written is compared with the one that follows.

// RUN: dlc-opt %s -o %t
// RUN: FileCheck %s --input-file=%t
// CHECK-COUNT-225: mul

tiny.func @i1(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], i1> {
  %with_i1 = mul %i1, %i1 : tensor<[], i1>
  %with_i8 = mul %i1, %i8 : tensor<[], i8>
  %with_i16 = mul %i1, %i16 : tensor<[], i16>
  %with_i32 = mul %i1, %i32 : tensor<[], i32>
  %with_i64 = mul %i1, %i64 : tensor<[], i64>
  %with_ui8 = mul %i1, %ui8 : tensor<[], ui8>
  %with_ui16 = mul %i1, %ui16 : tensor<[], ui16>
  %with_ui32 = mul %i1, %ui32 : tensor<[], ui32>
  %with_ui64 = mul %i1, %ui64 : tensor<[], ui64>
  %with_f8E4M3FN = mul %i1, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %i1, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %i1, %f16 : tensor<[], f16>
  %with_bf16 = mul %i1, %bf16 : tensor<[], bf16>
  %with_f32 = mul %i1, %f32 : tensor<[], f32>
  %with_f64 = mul %i1, %f64 : tensor<[], f64>
  return %with_i1
}

tiny.func @i8(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], i8> {
  %with_i1 = mul %i8, %i1 : tensor<[], i8>
  %with_i8 = mul %i8, %i8 : tensor<[], i8>
  %with_i16 = mul %i8, %i16 : tensor<[], i16>
  %with_i32 = mul %i8, %i32 : tensor<[], i32>
  %with_i64 = mul %i8, %i64 : tensor<[], i64>
  %with_ui8 = mul %i8, %ui8 : tensor<[], i16>
  %with_ui16 = mul %i8, %ui16 : tensor<[], i32>
  %with_ui32 = mul %i8, %ui32 : tensor<[], i64>
  %with_ui64 = mul %i8, %ui64 : tensor<[], f32>
  %with_f8E4M3FN = mul %i8, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %i8, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %i8, %f16 : tensor<[], f16>
  %with_bf16 = mul %i8, %bf16 : tensor<[], bf16>
  %with_f32 = mul %i8, %f32 : tensor<[], f32>
  %with_f64 = mul %i8, %f64 : tensor<[], f64>
  return %with_i8
}

tiny.func @i16(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], i16> {
  %with_i1 = mul %i16, %i1 : tensor<[], i16>
  %with_i8 = mul %i16, %i8 : tensor<[], i16>
  %with_i16 = mul %i16, %i16 : tensor<[], i16>
  %with_i32 = mul %i16, %i32 : tensor<[], i32>
  %with_i64 = mul %i16, %i64 : tensor<[], i64>
  %with_ui8 = mul %i16, %ui8 : tensor<[], i16>
  %with_ui16 = mul %i16, %ui16 : tensor<[], i32>
  %with_ui32 = mul %i16, %ui32 : tensor<[], i64>
  %with_ui64 = mul %i16, %ui64 : tensor<[], f32>
  %with_f8E4M3FN = mul %i16, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %i16, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %i16, %f16 : tensor<[], f16>
  %with_bf16 = mul %i16, %bf16 : tensor<[], bf16>
  %with_f32 = mul %i16, %f32 : tensor<[], f32>
  %with_f64 = mul %i16, %f64 : tensor<[], f64>
  return %with_i16
}

tiny.func @i32(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], i32> {
  %with_i1 = mul %i32, %i1 : tensor<[], i32>
  %with_i8 = mul %i32, %i8 : tensor<[], i32>
  %with_i16 = mul %i32, %i16 : tensor<[], i32>
  %with_i32 = mul %i32, %i32 : tensor<[], i32>
  %with_i64 = mul %i32, %i64 : tensor<[], i64>
  %with_ui8 = mul %i32, %ui8 : tensor<[], i32>
  %with_ui16 = mul %i32, %ui16 : tensor<[], i32>
  %with_ui32 = mul %i32, %ui32 : tensor<[], i64>
  %with_ui64 = mul %i32, %ui64 : tensor<[], f32>
  %with_f8E4M3FN = mul %i32, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %i32, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %i32, %f16 : tensor<[], f16>
  %with_bf16 = mul %i32, %bf16 : tensor<[], bf16>
  %with_f32 = mul %i32, %f32 : tensor<[], f32>
  %with_f64 = mul %i32, %f64 : tensor<[], f64>
  return %with_i32
}

tiny.func @i64(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], i64> {
  %with_i1 = mul %i64, %i1 : tensor<[], i64>
  %with_i8 = mul %i64, %i8 : tensor<[], i64>
  %with_i16 = mul %i64, %i16 : tensor<[], i64>
  %with_i32 = mul %i64, %i32 : tensor<[], i64>
  %with_i64 = mul %i64, %i64 : tensor<[], i64>
  %with_ui8 = mul %i64, %ui8 : tensor<[], i64>
  %with_ui16 = mul %i64, %ui16 : tensor<[], i64>
  %with_ui32 = mul %i64, %ui32 : tensor<[], i64>
  %with_ui64 = mul %i64, %ui64 : tensor<[], f32>
  %with_f8E4M3FN = mul %i64, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %i64, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %i64, %f16 : tensor<[], f16>
  %with_bf16 = mul %i64, %bf16 : tensor<[], bf16>
  %with_f32 = mul %i64, %f32 : tensor<[], f32>
  %with_f64 = mul %i64, %f64 : tensor<[], f64>
  return %with_i64
}

tiny.func @ui8(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], ui8> {
  %with_i1 = mul %ui8, %i1 : tensor<[], ui8>
  %with_i8 = mul %ui8, %i8 : tensor<[], i16>
  %with_i16 = mul %ui8, %i16 : tensor<[], i16>
  %with_i32 = mul %ui8, %i32 : tensor<[], i32>
  %with_i64 = mul %ui8, %i64 : tensor<[], i64>
  %with_ui8 = mul %ui8, %ui8 : tensor<[], ui8>
  %with_ui16 = mul %ui8, %ui16 : tensor<[], ui16>
  %with_ui32 = mul %ui8, %ui32 : tensor<[], ui32>
  %with_ui64 = mul %ui8, %ui64 : tensor<[], ui64>
  %with_f8E4M3FN = mul %ui8, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %ui8, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %ui8, %f16 : tensor<[], f16>
  %with_bf16 = mul %ui8, %bf16 : tensor<[], bf16>
  %with_f32 = mul %ui8, %f32 : tensor<[], f32>
  %with_f64 = mul %ui8, %f64 : tensor<[], f64>
  return %with_ui8
}

tiny.func @ui16(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], ui16> {
  %with_i1 = mul %ui16, %i1 : tensor<[], ui16>
  %with_i8 = mul %ui16, %i8 : tensor<[], i32>
  %with_i16 = mul %ui16, %i16 : tensor<[], i32>
  %with_i32 = mul %ui16, %i32 : tensor<[], i32>
  %with_i64 = mul %ui16, %i64 : tensor<[], i64>
  %with_ui8 = mul %ui16, %ui8 : tensor<[], ui16>
  %with_ui16 = mul %ui16, %ui16 : tensor<[], ui16>
  %with_ui32 = mul %ui16, %ui32 : tensor<[], ui32>
  %with_ui64 = mul %ui16, %ui64 : tensor<[], ui64>
  %with_f8E4M3FN = mul %ui16, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %ui16, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %ui16, %f16 : tensor<[], f16>
  %with_bf16 = mul %ui16, %bf16 : tensor<[], bf16>
  %with_f32 = mul %ui16, %f32 : tensor<[], f32>
  %with_f64 = mul %ui16, %f64 : tensor<[], f64>
  return %with_ui16
}

tiny.func @ui32(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], ui32> {
  %with_i1 = mul %ui32, %i1 : tensor<[], ui32>
  %with_i8 = mul %ui32, %i8 : tensor<[], i64>
  %with_i16 = mul %ui32, %i16 : tensor<[], i64>
  %with_i32 = mul %ui32, %i32 : tensor<[], i64>
  %with_i64 = mul %ui32, %i64 : tensor<[], i64>
  %with_ui8 = mul %ui32, %ui8 : tensor<[], ui32>
  %with_ui16 = mul %ui32, %ui16 : tensor<[], ui32>
  %with_ui32 = mul %ui32, %ui32 : tensor<[], ui32>
  %with_ui64 = mul %ui32, %ui64 : tensor<[], ui64>
  %with_f8E4M3FN = mul %ui32, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %ui32, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %ui32, %f16 : tensor<[], f16>
  %with_bf16 = mul %ui32, %bf16 : tensor<[], bf16>
  %with_f32 = mul %ui32, %f32 : tensor<[], f32>
  %with_f64 = mul %ui32, %f64 : tensor<[], f64>
  return %with_ui32
}

tiny.func @ui64(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], ui64> {
  %with_i1 = mul %ui64, %i1 : tensor<[], ui64>
  %with_i8 = mul %ui64, %i8 : tensor<[], f32>
  %with_i16 = mul %ui64, %i16 : tensor<[], f32>
  %with_i32 = mul %ui64, %i32 : tensor<[], f32>
  %with_i64 = mul %ui64, %i64 : tensor<[], f32>
  %with_ui8 = mul %ui64, %ui8 : tensor<[], ui64>
  %with_ui16 = mul %ui64, %ui16 : tensor<[], ui64>
  %with_ui32 = mul %ui64, %ui32 : tensor<[], ui64>
  %with_ui64 = mul %ui64, %ui64 : tensor<[], ui64>
  %with_f8E4M3FN = mul %ui64, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %ui64, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %ui64, %f16 : tensor<[], f16>
  %with_bf16 = mul %ui64, %bf16 : tensor<[], bf16>
  %with_f32 = mul %ui64, %f32 : tensor<[], f32>
  %with_f64 = mul %ui64, %f64 : tensor<[], f64>
  return %with_ui64
}

tiny.func @f8E4M3FN(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], f8E4M3FN> {
  %with_i1 = mul %f8E4M3FN, %i1 : tensor<[], f8E4M3FN>
  %with_i8 = mul %f8E4M3FN, %i8 : tensor<[], f8E4M3FN>
  %with_i16 = mul %f8E4M3FN, %i16 : tensor<[], f8E4M3FN>
  %with_i32 = mul %f8E4M3FN, %i32 : tensor<[], f8E4M3FN>
  %with_i64 = mul %f8E4M3FN, %i64 : tensor<[], f8E4M3FN>
  %with_ui8 = mul %f8E4M3FN, %ui8 : tensor<[], f8E4M3FN>
  %with_ui16 = mul %f8E4M3FN, %ui16 : tensor<[], f8E4M3FN>
  %with_ui32 = mul %f8E4M3FN, %ui32 : tensor<[], f8E4M3FN>
  %with_ui64 = mul %f8E4M3FN, %ui64 : tensor<[], f8E4M3FN>
  %with_f8E4M3FN = mul %f8E4M3FN, %f8E4M3FN : tensor<[], f8E4M3FN>
  %with_f8E5M2 = mul %f8E4M3FN, %f8E5M2 : tensor<[], f16>
  %with_f16 = mul %f8E4M3FN, %f16 : tensor<[], f16>
  %with_bf16 = mul %f8E4M3FN, %bf16 : tensor<[], bf16>
  %with_f32 = mul %f8E4M3FN, %f32 : tensor<[], f32>
  %with_f64 = mul %f8E4M3FN, %f64 : tensor<[], f64>
  return %with_f8E4M3FN
}

tiny.func @f8E5M2(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], f8E5M2> {
  %with_i1 = mul %f8E5M2, %i1 : tensor<[], f8E5M2>
  %with_i8 = mul %f8E5M2, %i8 : tensor<[], f8E5M2>
  %with_i16 = mul %f8E5M2, %i16 : tensor<[], f8E5M2>
  %with_i32 = mul %f8E5M2, %i32 : tensor<[], f8E5M2>
  %with_i64 = mul %f8E5M2, %i64 : tensor<[], f8E5M2>
  %with_ui8 = mul %f8E5M2, %ui8 : tensor<[], f8E5M2>
  %with_ui16 = mul %f8E5M2, %ui16 : tensor<[], f8E5M2>
  %with_ui32 = mul %f8E5M2, %ui32 : tensor<[], f8E5M2>
  %with_ui64 = mul %f8E5M2, %ui64 : tensor<[], f8E5M2>
  %with_f8E4M3FN = mul %f8E5M2, %f8E4M3FN : tensor<[], f16>
  %with_f8E5M2 = mul %f8E5M2, %f8E5M2 : tensor<[], f8E5M2>
  %with_f16 = mul %f8E5M2, %f16 : tensor<[], f16>
  %with_bf16 = mul %f8E5M2, %bf16 : tensor<[], bf16>
  %with_f32 = mul %f8E5M2, %f32 : tensor<[], f32>
  %with_f64 = mul %f8E5M2, %f64 : tensor<[], f64>
  return %with_f8E5M2
}

tiny.func @f16(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], f16> {
  %with_i1 = mul %f16, %i1 : tensor<[], f16>
  %with_i8 = mul %f16, %i8 : tensor<[], f16>
  %with_i16 = mul %f16, %i16 : tensor<[], f16>
  %with_i32 = mul %f16, %i32 : tensor<[], f16>
  %with_i64 = mul %f16, %i64 : tensor<[], f16>
  %with_ui8 = mul %f16, %ui8 : tensor<[], f16>
  %with_ui16 = mul %f16, %ui16 : tensor<[], f16>
  %with_ui32 = mul %f16, %ui32 : tensor<[], f16>
  %with_ui64 = mul %f16, %ui64 : tensor<[], f16>
  %with_f8E4M3FN = mul %f16, %f8E4M3FN : tensor<[], f16>
  %with_f8E5M2 = mul %f16, %f8E5M2 : tensor<[], f16>
  %with_f16 = mul %f16, %f16 : tensor<[], f16>
  %with_bf16 = mul %f16, %bf16 : tensor<[], f32>
  %with_f32 = mul %f16, %f32 : tensor<[], f32>
  %with_f64 = mul %f16, %f64 : tensor<[], f64>
  return %with_f16
}

tiny.func @bf16(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], bf16> {
  %with_i1 = mul %bf16, %i1 : tensor<[], bf16>
  %with_i8 = mul %bf16, %i8 : tensor<[], bf16>
  %with_i16 = mul %bf16, %i16 : tensor<[], bf16>
  %with_i32 = mul %bf16, %i32 : tensor<[], bf16>
  %with_i64 = mul %bf16, %i64 : tensor<[], bf16>
  %with_ui8 = mul %bf16, %ui8 : tensor<[], bf16>
  %with_ui16 = mul %bf16, %ui16 : tensor<[], bf16>
  %with_ui32 = mul %bf16, %ui32 : tensor<[], bf16>
  %with_ui64 = mul %bf16, %ui64 : tensor<[], bf16>
  %with_f8E4M3FN = mul %bf16, %f8E4M3FN : tensor<[], bf16>
  %with_f8E5M2 = mul %bf16, %f8E5M2 : tensor<[], bf16>
  %with_f16 = mul %bf16, %f16 : tensor<[], f32>
  %with_bf16 = mul %bf16, %bf16 : tensor<[], bf16>
  %with_f32 = mul %bf16, %f32 : tensor<[], f32>
  %with_f64 = mul %bf16, %f64 : tensor<[], f64>
  return %with_bf16
}

tiny.func @f32(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], f32> {
  %with_i1 = mul %f32, %i1 : tensor<[], f32>
  %with_i8 = mul %f32, %i8 : tensor<[], f32>
  %with_i16 = mul %f32, %i16 : tensor<[], f32>
  %with_i32 = mul %f32, %i32 : tensor<[], f32>
  %with_i64 = mul %f32, %i64 : tensor<[], f32>
  %with_ui8 = mul %f32, %ui8 : tensor<[], f32>
  %with_ui16 = mul %f32, %ui16 : tensor<[], f32>
  %with_ui32 = mul %f32, %ui32 : tensor<[], f32>
  %with_ui64 = mul %f32, %ui64 : tensor<[], f32>
  %with_f8E4M3FN = mul %f32, %f8E4M3FN : tensor<[], f32>
  %with_f8E5M2 = mul %f32, %f8E5M2 : tensor<[], f32>
  %with_f16 = mul %f32, %f16 : tensor<[], f32>
  %with_bf16 = mul %f32, %bf16 : tensor<[], f32>
  %with_f32 = mul %f32, %f32 : tensor<[], f32>
  %with_f64 = mul %f32, %f64 : tensor<[], f64>
  return %with_f32
}

tiny.func @f64(%i1: tensor<[], i1>, %i8: tensor<[], i8>, %i16: tensor<[], i16>, %i32: tensor<[], i32>, %i64: tensor<[], i64>, %ui8: tensor<[], ui8>, %ui16: tensor<[], ui16>, %ui32: tensor<[], ui32>, %ui64: tensor<[], ui64>, %f8E4M3FN: tensor<[], f8E4M3FN>, %f8E5M2: tensor<[], f8E5M2>, %f16: tensor<[], f16>, %bf16: tensor<[], bf16>, %f32: tensor<[], f32>, %f64: tensor<[], f64>) -> tensor<[], f64> {
  %with_i1 = mul %f64, %i1 : tensor<[], f64>
  %with_i8 = mul %f64, %i8 : tensor<[], f64>
  %with_i16 = mul %f64, %i16 : tensor<[], f64>
  %with_i32 = mul %f64, %i32 : tensor<[], f64>
  %with_i64 = mul %f64, %i64 : tensor<[], f64>
  %with_ui8 = mul %f64, %ui8 : tensor<[], f64>
  %with_ui16 = mul %f64, %ui16 : tensor<[], f64>
  %with_ui32 = mul %f64, %ui32 : tensor<[], f64>
  %with_ui64 = mul %f64, %ui64 : tensor<[], f64>
  %with_f8E4M3FN = mul %f64, %f8E4M3FN : tensor<[], f64>
  %with_f8E5M2 = mul %f64, %f8E5M2 : tensor<[], f64>
  %with_f16 = mul %f64, %f16 : tensor<[], f64>
  %with_bf16 = mul %f64, %bf16 : tensor<[], f64>
  %with_f32 = mul %f64, %f32 : tensor<[], f64>
  %with_f64 = mul %f64, %f64 : tensor<[], f64>
  return %with_f64
}
