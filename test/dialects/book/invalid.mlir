// One case for each rule of the ops, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

book.func @unknown_symbol_in_a_size<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.entry': the symbol 'K' is not declared by the function}}
  %y = entry copy axes (i0: K) of %x at (0, 0) where (i0 < M, i0 < N)
  return %x
}

// -----

book.func @axis_out_of_order<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 this axis is 'i0', not 'i1'; axes are numbered in order, those that are reduced last}}
  %y = entry copy axes (i1: M, i0: N) of %x at (i1, i0)
  return %x
}

// -----

book.func @reduced_axis_out_of_order<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 this axis is 'i1', not 'i0'; axes are numbered in order, those that are reduced last}}
  %y = reduce sum axes (i0: M) over (i0: N) of %x at (i0, i1) acc f32
  return %x
}

// -----

// expected-error@+1 {{E0201 'book.func': the symbol '_0' has the name of an axis or of an element of an index operand; give the size another name}}
book.func @symbol_like_an_element<M, N, _0>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1)
  return %x
}

// -----

book.func @axes_of_another_result<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0204 'book.entry': the result is of type tensor<[N, M], f32>, must be tensor<[M, N], f32>}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1) : tensor<[N, M], f32>
  return %x
}

// -----

// expected-error@+1 {{E0201 'book.func': the symbol 'i0' has the name of an axis or of an element of an index operand; give the size another name}}
book.func @symbol_like_an_axis<M, N, i0>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1)
  return %x
}

// -----

book.func @negative_size<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 a size is not negative, and -4 is}}
  %y = entry copy axes (i0: -4) of %x at (0, 0) where (i0 < M, i0 < N)
  return %x
}

// -----

book.func @size_beyond_64_bits<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 the result does not fit 64 bits}}
  %y = entry copy axes (i0: 4294967296*4294967296) of %x at (0, 0)
  return %x
}

// -----

book.func @negative_size_in_generic_form<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0205 'book.entry': the attribute 'axes' must be a list of sizes, such as ["M", "2*K", 4], in canonical form and not negative, but is [-4]}}
  %y = "book.entry"(%x) <{accesses = [{at = [0, 0]}], axes = [-4], function = "copy"}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<[4], f32>
  return %x
}

// -----

book.func @size_that_is_no_expression<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0205 'book.entry': the attribute 'axes' must be a list of sizes, such as ["M", "2*K", 4], in canonical form and not negative, but is ["M +"]}}
  %y = "book.entry"(%x) <{accesses = [{at = [0, 0]}], axes = ["M +"], function = "copy"}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<[4], f32>
  return %x
}

// -----

book.func @unknown_function<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0001 'tan' is no function; it is one of copy, cast, bitcast, where, neg, relu, trunc, recip, sqrt, exp2, log2, sin, add, sub, mul, max, min, fdiv, pow, cdiv, cmod, floordiv, floormod, and, or, xor, shl, shr, eq, ne, lt, le, gt, ge}}
  %y = entry tan axes (i0: M, i1: N) of %x at (i0, i1)
  return %x
}

// -----

book.func @too_few_operands<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0108 'book.entry': 'add' is a function of 2 operands, and 1 are given}}
  %y = entry add axes (i0: M, i1: N) of %x at (i0, i1)
  return %x
}

// -----

book.func @type_where_there_is_none<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0108 'book.entry': 'neg' has the type of its operands: there is no 'to'}}
  %y = entry neg axes (i0: M, i1: N) of %x at (i0, i1) to f16
  return %x
}

// -----

book.func @cast_to_nothing<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0108 'book.entry': 'cast' must say to which type: 'to f32'}}
  %y = entry cast axes (i0: M, i1: N) of %x at (i0, i1)
  return %x
}

// -----

book.func @bitcast_to_another_width<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.entry': the bits of an element are read as a type of as many bits}}
  %y = entry bitcast axes (i0: M, i1: N) of %x at (i0, i1) to i16
  return %x
}

// -----

book.func @where_of_a_number<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.entry': the first operand of 'where' must be of type i1}}
  %y = entry where axes (i0: M, i1: N) of %x at (i0, i1), %x at (i0, i1), %x at (i0, i1)
  return %x
}

// -----

book.func @widen_of_a_sum<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.entry': only a product that is only summed, everywhere, may stay without rounding; leave 'widen' out}}
  %y = entry add axes (i0: M, i1: N) of %x at (i0, i1), %x at (i0, i1) widen
  return %x
}

// -----

book.func @widen_that_is_returned<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.entry': only a product that is only summed, everywhere, may stay without rounding; leave 'widen' out}}
  %y = entry mul axes (i0: M, i1: N) of %x at (i0, i1), %x at (i0, i1) to f32 widen
  %z = entry neg axes (i0: M, i1: N) of %y at (i0, i1)
  return %x
}

// -----

book.func @widen_of_a_maximum<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.entry': only a product that is only summed, everywhere, may stay without rounding; leave 'widen' out}}
  %y = entry mul axes (i0: M, i1: N) of %x at (i0, i1), %x at (i0, i1) to f32 widen
  %z = reduce max axes (i0: M) over (i1: N) of %y at (i0, i1) acc f32
  return %x
}

// -----

book.func @types_without_a_common_one<M, N>(%x: tensor<[M, N], f32>, %h: tensor<[], index>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0108 'book.entry': elements of type f32 and index have no common type; cast one of the operands}}
  %y = entry add axes (i0: M, i1: N) of %x at (i0, i1), %h at ()
  return %x
}

// -----

// expected-error@+1 {{E0201 'book.func': argument 1 must be a tensor, but is i32; a single number is a tensor without axes: tensor<[], i32>}}
book.func @operand_that_is_no_tensor<M, N>(%x: tensor<[M, N], f32>, %k: i32) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0204 'book.entry': the operand 'inputs' must be a tensor, but is i32}}
  %y = "book.entry"(%k) <{accesses = [{at = []}], axes = [], function = "neg"}> : (i32) -> !core.tensor<[], i32>
  return %x
}

// -----

book.func @unknown_combiner<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0001 'mean' is no combiner; it is one of sum, prod, max, min}}
  %y = reduce mean axes (i0: M) over (i1: N) of %x at (i0, i1) acc f32
  return %x
}

// -----

book.func @accumulator_that_is_shorter<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0108 'book.reduce': elements of type f32 cannot be accumulated in f16, which is narrower}}
  %y = reduce sum axes (i0: M) over (i1: N) of %x at (i0, i1) acc f16
  return %x
}

// -----

book.func @two_accesses_of_a_reduction<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.reduce': 1 operands are read, and 2 accesses are given}}
  %y = "book.reduce"(%x) <{acc = f32, accesses = [{at = ["i0", "i1"]}, {at = ["i0", "i1"]}], axes = ["M"], combiner = "sum", over = ["N"]}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M"], f32>
  return %x
}

// -----

book.func @two_values<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.iota': one expression is the value, and 2 are given}}
  %y = "book.iota"() <{axes = ["M"], value = ["i0", 1]}> : () -> !core.tensor<["M"], i32>
  return %x
}

// -----

book.func @gather_by_numbers_that_are_floats<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[4], i32>, %f: tensor<[4], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.gather': an index is an integer}}
  %y = gather non_scop axes (i0: 4) of %x at [%f (i0), %ids (i0)]
  return %x
}

// -----

book.func @gather_without_an_index<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[4], i32>, %f: tensor<[4], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.gather': each index operand is one position of the table, and there is at least one}}
  %y = gather non_scop axes (i0: M) of %x at [i0, i0]
  return %x
}

// -----

book.func @gather_at_too_few_positions<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[4], i32>, %f: tensor<[4], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.gather': the table has 2 axes, and is read at 1 positions}}
  %y = gather non_scop axes (i0: 4) of %x at [%ids (i0)]
  return %x
}

// -----

book.func @gather_beyond_another_axis<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[4], i32>, %f: tensor<[4], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.gather': the table is read at 'i0', which may lie outside of 0 to N; add the guard 'where (0 <= i0 < N)'}}
  %y = gather non_scop axes (i0: 4) of %x at [%ids (i0), i0]
  return %x
}

// -----

book.func @gather_with_an_index_twice<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[4], i32>, %f: tensor<[4], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.gather': each index operand is one position of the table, and there is at least one}}
  %y = "book.gather"(%x, %ids) <{accesses = [{at = ["i0"]}], at = ["_0", "_0"], axes = [4]}> : (!core.tensor<["M", "N"], f32>, !core.tensor<[4], i32>) -> !core.tensor<[4], f32>
  return %x
}

// -----

book.func @gather_that_is_affine<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[4], i32>, %f: tensor<[4], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0001 expected 'non_scop', found 'axes'}}
  %y = gather axes (i0: 4) of %x at [%ids (i0), %ids (i0)]
  return %x
}

// -----

book.func @gather_beyond_its_index<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[4], i32>, %f: tensor<[4], f32>) -> tensor<[M, N], f32> {
  // expected-error@+2 {{E1302 'book.gather': operand 1 is read at 'i0', which may lie outside of 0 to 4; add the guard 'where (0 <= i0 < 4)'}}
  // expected-error@+1 {{E1302 'book.gather': operand 2 is read at 'i0', which may lie outside of 0 to 4; add the guard 'where (0 <= i0 < 4)'}}
  %y = gather non_scop axes (i0: 5) of %x at [%ids (i0), %ids (i0)]
  return %x
}

// -----

book.func @reshape_to_more<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[4], i32>, %f: tensor<[4], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.reshape': 4 elements cannot become 5}}
  %y = reshape non_scop %ids : tensor<[5], i32>
  return %x
}

// -----

book.func @reshape_to_another_type<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[4], i32>, %f: tensor<[4], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.reshape': the elements keep their type}}
  %y = reshape non_scop %ids : tensor<[4], f32>
  return %x
}

// -----

// expected-error@+1 {{E0201 'book.func': the symbol 'M' is not declared; declare it after the name: @undeclared<M>}}
book.func @undeclared(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  return %x
}

// -----

book.func @result<M>(%x: tensor<[M], f32>) -> tensor<[M], f16> {
  // expected-error@+1 {{E0210 'book.return': returns (tensor<[M], f32>), but the function returns (tensor<[M], f16>)}}
  return %x
}

// -----

// expected-error@+1 {{E0201 'book.func': 'arg_attrs' must have a dictionary for each of the 1 arguments}}
"book.func"() <{sym_name = "f", symbols = ["M"], function_type = (!core.tensor<["M"], f32>) -> (), arg_attrs = []}> ({
^bb0(%x: !core.tensor<["M"], f32>):
  "book.return"() : () -> ()
}) : () -> ()

// -----

book.func @constant_of_another_type<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.const': the number must be of the type of the tensor's elements}}
  %y = "book.const"() <{value = 1 : i32}> : () -> !core.tensor<[], f32>
  return %x
}

// -----

book.func @unknown_symbol_in_a_reduced_size<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.reduce': the symbol 'K' is not declared by the function}}
  %y = reduce sum axes (i0: M) over (i1: K) of %x at (i0, i1) where (i1 < N) acc f32
  return %x
}

// -----

book.func @widen_within_a_guard<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E0201 'book.entry': only a product that is only summed, everywhere, may stay without rounding; leave 'widen' out}}
  %y = entry mul axes (i0: M) of %x at (i0), %x at (i0) to f32 widen
  %z = reduce sum axes (i0: M) over (i1: 3) of %y at (i0 + i1) where (0 <= i0 + i1 < M) else 1.0 acc f32
  return %x
}

// -----

// expected-error@+1 {{E0201 'book.func': argument 0: 'alignment' is -1; it counts bytes and is a power of two}}
book.func @no_alignment<M>(%x: tensor<[M], f32> {alignment = -1}) -> tensor<[M], f32> {
  return %x
}

// -----

book.func @widened_to_integers<M>(%x: tensor<[M], f16>, %y: tensor<[M], f16>) -> tensor<[], f32> {
  // expected-error@+1 {{E0108 'book.entry': a product of f16 may stay without rounding in a type that is no narrower, not i32; leave 'widen' out}}
  %p = entry mul axes (i0: M) of %x at (i0), %y at (i0) to i32 widen
  %s = reduce sum axes () over (i0: M) of %p at (i0) acc f32
  return %s
}

// -----

book.func @a_scan_along_no_axis<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.scan': axis 2 is none of the 2 axes of the result}}
  %y = scan sum axes (i0: M, i1: N) along 2 of %x at (i0, i1) acc f32
  return %x
}

// -----

book.func @a_scan_beyond_its_operand<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'book.scan'}}
  %y = scan sum axes (i0: M, i1: N) along 1 of %x at (i0, i1 + 1) acc f32
  return %x
}

// -----

book.func @groups_of_nothing<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.scan': at least 1 position goes together, not 0}}
  %y = scan sum axes (i0: M, i1: N) along 1 every 0 of %x at (i0, i1) acc f32
  return %x
}

// -----

book.func @a_recurrence_without_factors<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0108 'book.scan': 'linear' is of 2 operands, and 1 are given}}
  %y = scan linear axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32
  return %x
}

// -----

book.func @factors_beyond_their_operand<M, N>(%a: tensor<[M], f32>, %x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'book.scan'}}
  %y = scan linear axes (i0: M, i1: N) along 1 of %a at (i0 + 1), %x at (i0, i1) acc f32
  return %x
}

// -----

book.func @a_recurrence_in_a_narrow_type<M, N>(%a: tensor<[M, N], f32>, %x: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  // expected-error@+1 {{elements of type f32 cannot be accumulated in f16, which is narrower}}
  %y = scan linear axes (i0: M, i1: N) along 1 of %a at (i0, i1), %x at (i0, i1) acc f16
  return %x
}

// -----

book.func @a_sort_along_no_axis<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{axis 2 is none of the 2 axes of the result}}
  %y = sort axes (i0: M, i1: N) along 2 of %x at (i0, i1)
  return %x
}

// -----

book.func @a_sort_of_no_positions<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{at least 1 position goes together, not 0}}
  %y = sort axes (i0: M, i1: N) along 1 every 0 of %x at (i0, i1)
  return %x
}
