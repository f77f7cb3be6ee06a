// Arithmetic: sizes are broadcast, aligned at the right; types of elements are promoted.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: tiny.func @floats<
// GENERIC-LABEL: sym_name = "floats"
tiny.func @floats<M, N>(%x: tensor<[M, N], f16>, %row: tensor<[N], f32>, %column: tensor<[M, 1], bf16>) -> (tensor<[M, N], f32>) {
  // CHECK: %add = add %x, %row : tensor<[M, N], f32>
  // GENERIC: %add = "tiny.add"(%x, %row) : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], f32>) -> !core.tensor<["M", "N"], f32>
  %add = add %x, %row
  // CHECK: %sub = sub %x, %row : tensor<[M, N], f32>
  // GENERIC: %sub = "tiny.sub"(%x, %row) : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], f32>) -> !core.tensor<["M", "N"], f32>
  %sub = sub %x, %row
  // CHECK: %mul = mul %x, %row : tensor<[M, N], f32>
  // GENERIC: %mul = "tiny.mul"(%x, %row) : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], f32>) -> !core.tensor<["M", "N"], f32>
  %mul = mul %x, %row
  // CHECK: %max = max %x, %row : tensor<[M, N], f32>
  // GENERIC: %max = "tiny.max"(%x, %row) : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], f32>) -> !core.tensor<["M", "N"], f32>
  %max = max %x, %row
  // CHECK: %min = min %x, %row : tensor<[M, N], f32>
  // GENERIC: %min = "tiny.min"(%x, %row) : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], f32>) -> !core.tensor<["M", "N"], f32>
  %min = min %x, %row
  // CHECK: %fdiv = fdiv %x, %row : tensor<[M, N], f32>
  // GENERIC: %fdiv = "tiny.fdiv"(%x, %row) : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], f32>) -> !core.tensor<["M", "N"], f32>
  %fdiv = fdiv %x, %row
  // CHECK: %pow = pow %x, %row : tensor<[M, N], f32>
  // GENERIC: %pow = "tiny.pow"(%x, %row) : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], f32>) -> !core.tensor<["M", "N"], f32>
  %pow = pow %x, %row
  // CHECK: %outer = mul %column, %row : tensor<[M, N], f32>
  // GENERIC: %outer = "tiny.mul"(%column, %row) : (!core.tensor<["M", 1], bf16>, !core.tensor<["N"], f32>) -> !core.tensor<["M", "N"], f32>
  %outer = mul %column, %row
  // CHECK: %mulacc = mulacc %column, %row, %x : tensor<[M, N], f32>
  // GENERIC: %mulacc = "tiny.mulacc"(%column, %row, %x) : (!core.tensor<["M", 1], bf16>, !core.tensor<["N"], f32>, !core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f32>
  %mulacc = mulacc %column, %row, %x
  return %mulacc
}

// CHECK-LABEL: tiny.func @integers<
// GENERIC-LABEL: sym_name = "integers"
tiny.func @integers<M, N>(%x: tensor<[M, N], i16>, %row: tensor<[N], ui8>) -> (tensor<[M, N], f32>) {
  // CHECK: %cdiv = cdiv %x, %row : tensor<[M, N], i16>
  // GENERIC: %cdiv = "tiny.cdiv"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], i16>
  %cdiv = cdiv %x, %row
  // CHECK: %cmod = cmod %x, %row : tensor<[M, N], i16>
  // GENERIC: %cmod = "tiny.cmod"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], i16>
  %cmod = cmod %x, %row
  // CHECK: %floordiv = floordiv %x, %row : tensor<[M, N], i16>
  // GENERIC: %floordiv = "tiny.floordiv"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], i16>
  %floordiv = floordiv %x, %row
  // CHECK: %floormod = floormod %x, %row : tensor<[M, N], i16>
  // GENERIC: %floormod = "tiny.floormod"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], i16>
  %floormod = floormod %x, %row
  // CHECK: %and = and %x, %row : tensor<[M, N], i16>
  // GENERIC: %and = "tiny.and"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], i16>
  %and = and %x, %row
  // CHECK: %or = or %x, %row : tensor<[M, N], i16>
  // GENERIC: %or = "tiny.or"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], i16>
  %or = or %x, %row
  // CHECK: %xor = xor %x, %row : tensor<[M, N], i16>
  // GENERIC: %xor = "tiny.xor"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], i16>
  %xor = xor %x, %row
  // CHECK: %shl = shl %x, %row : tensor<[M, N], i16>
  // GENERIC: %shl = "tiny.shl"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], i16>
  %shl = shl %x, %row
  // CHECK: %shr = shr %x, %row : tensor<[M, N], i16>
  // GENERIC: %shr = "tiny.shr"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], i16>
  %shr = shr %x, %row
  // CHECK: %back = shr %row, %x : tensor<[M, N], ui8>
  // GENERIC: %back = "tiny.shr"(%row, %x) : (!core.tensor<["N"], ui8>, !core.tensor<["M", "N"], i16>) -> !core.tensor<["M", "N"], ui8>
  %back = shr %row, %x
  // CHECK: %quotient = fdiv %x, %row : tensor<[M, N], f32>
  // GENERIC: %quotient = "tiny.fdiv"(%x, %row) : (!core.tensor<["M", "N"], i16>, !core.tensor<["N"], ui8>) -> !core.tensor<["M", "N"], f32>
  %quotient = fdiv %x, %row
  // CHECK: %square = pow %x, %x : tensor<[M, N], i16>
  // GENERIC: %square = "tiny.pow"(%x, %x) : (!core.tensor<["M", "N"], i16>, !core.tensor<["M", "N"], i16>) -> !core.tensor<["M", "N"], i16>
  %square = pow %x, %x
  return %quotient
}

// CHECK-LABEL: tiny.func @unary<
// GENERIC-LABEL: sym_name = "unary"
tiny.func @unary<M, N>(%x: tensor<[M, N], bf16>, %i: tensor<[M], i32>) -> (tensor<[M], f32>) {
  // CHECK: %neg = neg %x : tensor<[M, N], bf16>
  // GENERIC: %neg = "tiny.neg"(%x) : (!core.tensor<["M", "N"], bf16>) -> !core.tensor<["M", "N"], bf16>
  %neg = neg %x
  // CHECK: %relu = relu %x : tensor<[M, N], bf16>
  // GENERIC: %relu = "tiny.relu"(%x) : (!core.tensor<["M", "N"], bf16>) -> !core.tensor<["M", "N"], bf16>
  %relu = relu %x
  // CHECK: %trunc = trunc %x : tensor<[M, N], bf16>
  // GENERIC: %trunc = "tiny.trunc"(%x) : (!core.tensor<["M", "N"], bf16>) -> !core.tensor<["M", "N"], bf16>
  %trunc = trunc %x
  // CHECK: %recip = recip %x : tensor<[M, N], bf16>
  // GENERIC: %recip = "tiny.recip"(%x) : (!core.tensor<["M", "N"], bf16>) -> !core.tensor<["M", "N"], bf16>
  %recip = recip %x
  // CHECK: %sqrt = sqrt %x : tensor<[M, N], bf16>
  // GENERIC: %sqrt = "tiny.sqrt"(%x) : (!core.tensor<["M", "N"], bf16>) -> !core.tensor<["M", "N"], bf16>
  %sqrt = sqrt %x
  // CHECK: %exp2 = exp2 %x : tensor<[M, N], bf16>
  // GENERIC: %exp2 = "tiny.exp2"(%x) : (!core.tensor<["M", "N"], bf16>) -> !core.tensor<["M", "N"], bf16>
  %exp2 = exp2 %x
  // CHECK: %log2 = log2 %x : tensor<[M, N], bf16>
  // GENERIC: %log2 = "tiny.log2"(%x) : (!core.tensor<["M", "N"], bf16>) -> !core.tensor<["M", "N"], bf16>
  %log2 = log2 %x
  // CHECK: %sin = sin %x : tensor<[M, N], bf16>
  // GENERIC: %sin = "tiny.sin"(%x) : (!core.tensor<["M", "N"], bf16>) -> !core.tensor<["M", "N"], bf16>
  %sin = sin %x
  // CHECK: %neg_i = neg %i : tensor<[M], i32>
  // GENERIC: %neg_i = "tiny.neg"(%i) : (!core.tensor<["M"], i32>) -> !core.tensor<["M"], i32>
  %neg_i = neg %i
  // CHECK: %relu_i = relu %i : tensor<[M], i32>
  // GENERIC: %relu_i = "tiny.relu"(%i) : (!core.tensor<["M"], i32>) -> !core.tensor<["M"], i32>
  %relu_i = relu %i
  // CHECK: %trunc_i = trunc %i : tensor<[M], i32>
  // GENERIC: %trunc_i = "tiny.trunc"(%i) : (!core.tensor<["M"], i32>) -> !core.tensor<["M"], i32>
  %trunc_i = trunc %i
  // CHECK: %recip_i = recip %i : tensor<[M], f32>
  // GENERIC: %recip_i = "tiny.recip"(%i) : (!core.tensor<["M"], i32>) -> !core.tensor<["M"], f32>
  %recip_i = recip %i
  // CHECK: %sqrt_i = sqrt %i : tensor<[M], f32>
  // GENERIC: %sqrt_i = "tiny.sqrt"(%i) : (!core.tensor<["M"], i32>) -> !core.tensor<["M"], f32>
  %sqrt_i = sqrt %i
  // CHECK: %exp2_i = exp2 %i : tensor<[M], f32>
  // GENERIC: %exp2_i = "tiny.exp2"(%i) : (!core.tensor<["M"], i32>) -> !core.tensor<["M"], f32>
  %exp2_i = exp2 %i
  // CHECK: %log2_i = log2 %i : tensor<[M], f32>
  // GENERIC: %log2_i = "tiny.log2"(%i) : (!core.tensor<["M"], i32>) -> !core.tensor<["M"], f32>
  %log2_i = log2 %i
  // CHECK: %sin_i = sin %i : tensor<[M], f32>
  // GENERIC: %sin_i = "tiny.sin"(%i) : (!core.tensor<["M"], i32>) -> !core.tensor<["M"], f32>
  %sin_i = sin %i
  return %sin_i
}

// CHECK-LABEL: tiny.func @compare<
// GENERIC-LABEL: sym_name = "compare"
tiny.func @compare<M, N>(%x: tensor<[M, N], f16>, %row: tensor<[N], i32>) -> (tensor<[M, N], i1>) {
  // CHECK: %eq = cmp eq %x, %row : tensor<[M, N], i1>
  // GENERIC: %eq = "tiny.cmp"(%x, %row) <{predicate = "eq"}> : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], i32>) -> !core.tensor<["M", "N"], i1>
  %eq = cmp eq %x, %row
  // CHECK: %ne = cmp ne %x, %row : tensor<[M, N], i1>
  // GENERIC: %ne = "tiny.cmp"(%x, %row) <{predicate = "ne"}> : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], i32>) -> !core.tensor<["M", "N"], i1>
  %ne = cmp ne %x, %row
  // CHECK: %lt = cmp lt %x, %row : tensor<[M, N], i1>
  // GENERIC: %lt = "tiny.cmp"(%x, %row) <{predicate = "lt"}> : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], i32>) -> !core.tensor<["M", "N"], i1>
  %lt = cmp lt %x, %row
  // CHECK: %le = cmp le %x, %row : tensor<[M, N], i1>
  // GENERIC: %le = "tiny.cmp"(%x, %row) <{predicate = "le"}> : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], i32>) -> !core.tensor<["M", "N"], i1>
  %le = cmp le %x, %row
  // CHECK: %gt = cmp gt %x, %row : tensor<[M, N], i1>
  // GENERIC: %gt = "tiny.cmp"(%x, %row) <{predicate = "gt"}> : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], i32>) -> !core.tensor<["M", "N"], i1>
  %gt = cmp gt %x, %row
  // CHECK: %ge = cmp ge %x, %row : tensor<[M, N], i1>
  // GENERIC: %ge = "tiny.cmp"(%x, %row) <{predicate = "ge"}> : (!core.tensor<["M", "N"], f16>, !core.tensor<["N"], i32>) -> !core.tensor<["M", "N"], i1>
  %ge = cmp ge %x, %row
  return %lt
}

// CHECK-LABEL: tiny.func @where<
// GENERIC-LABEL: sym_name = "where"
tiny.func @where<M, N>(%c: tensor<[M, 1], i1>, %x: tensor<[], f16>, %row: tensor<[1, N], i8>) -> (tensor<[M, N], f16>) {
  // CHECK: %y = where %c, %x, %row : tensor<[M, N], f16>
  // GENERIC: %y = "tiny.where"(%c, %x, %row) : (!core.tensor<["M", 1], i1>, !core.tensor<[], f16>, !core.tensor<[1, "N"], i8>) -> !core.tensor<["M", "N"], f16>
  %y = where %c, %x, %row
  return %y
}

// CHECK-LABEL: tiny.func @cast<
// GENERIC-LABEL: sym_name = "cast"
tiny.func @cast<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[M, N], ui64>) {
  // CHECK: %half = cast %x to f16 : tensor<[M, N], f16>
  // GENERIC: %half = "tiny.cast"(%x) <{elem = f16}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M", "N"], f16>
  %half = cast %x to f16
  // CHECK: %int = cast %half to i8 {note} : tensor<[M, N], i8>
  // GENERIC: %int = "tiny.cast"(%half) <{elem = i8}> {note} : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], i8>
  %int = cast %half to i8 {note}
  // CHECK: %truth = cast %int to i1 : tensor<[M, N], i1>
  // GENERIC: %truth = "tiny.cast"(%int) <{elem = i1}> : (!core.tensor<["M", "N"], i8>) -> !core.tensor<["M", "N"], i1>
  %truth = cast %int to i1
  // CHECK: %unsigned = cast %truth to ui64 : tensor<[M, N], ui64>
  // GENERIC: %unsigned = "tiny.cast"(%truth) <{elem = ui64}> : (!core.tensor<["M", "N"], i1>) -> !core.tensor<["M", "N"], ui64>
  %unsigned = cast %truth to ui64
  return %unsigned
}

// CHECK-LABEL: tiny.func @bitcast<
// GENERIC-LABEL: sym_name = "bitcast"
tiny.func @bitcast<M, N>(%x: tensor<[M, 4*N], f32>, %t: tensor<[M], i1>) -> (tensor<[M], i8>) {
  // CHECK: %int = bitcast %x to ui32 : tensor<[M, 4*N], ui32>
  // GENERIC: %int = "tiny.bitcast"(%x) <{elem = ui32}> : (!core.tensor<["M", "4*N"], f32>) -> !core.tensor<["M", "4*N"], ui32>
  %int = bitcast %x to ui32
  // CHECK: %halves = bitcast %int to bf16 : tensor<[M, 8*N], bf16>
  // GENERIC: %halves = "tiny.bitcast"(%int) <{elem = bf16}> : (!core.tensor<["M", "4*N"], ui32>) -> !core.tensor<["M", "8*N"], bf16>
  %halves = bitcast %int to bf16
  // CHECK: %doubles = bitcast %x to f64 : tensor<[M, 2*N], f64>
  // GENERIC: %doubles = "tiny.bitcast"(%x) <{elem = f64}> : (!core.tensor<["M", "4*N"], f32>) -> !core.tensor<["M", "2*N"], f64>
  %doubles = bitcast %x to f64
  // CHECK: %bytes = bitcast %t to i8 : tensor<[M], i8>
  // GENERIC: %bytes = "tiny.bitcast"(%t) <{elem = i8}> : (!core.tensor<["M"], i1>) -> !core.tensor<["M"], i8>
  %bytes = bitcast %t to i8
  return %bytes
}
