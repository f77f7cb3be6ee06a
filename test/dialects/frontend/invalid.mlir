// One case for each rule, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

// expected-error@+1 {{E1201 'frontend.graph': argument 0: the signature says nothing about 'rule'}}
frontend.graph @unknown_key(%x: tensor<[2], f32> {rule = "data"}) -> tensor<[2], f32> {
  output %x
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': argument 0: 'role' is "weights"}}
frontend.graph @unknown_word(%x: tensor<[2], f32> {role = "weights"}) -> tensor<[2], f32> {
  output %x
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': result 0: the signature says nothing about 'role'}}
frontend.graph @role_of_a_result(%x: tensor<[2], f32>) -> (tensor<[2], f32> {role = "data"}) {
  output %x
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': argument 0: 'alignment' is 24}}
frontend.graph @odd_alignment(%x: tensor<[2], f32> {alignment = 24}) -> tensor<[2], f32> {
  output %x
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': argument 0: 'layout' is {kind = "row_minor"}}}
frontend.graph @unknown_layout(%x: tensor<[2], f32> {layout = {kind = "row_minor"}}) -> tensor<[2], f32> {
  output %x
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': argument 0: 'layout' is {kind = "strided", params = {strides = ["P", 1]}}}}
frontend.graph @layout_of_a_foreign_symbol<M>(%x: tensor<[M, 2], f32> {layout = {kind = "strided", params = {strides = ["P", 1]}}}) -> tensor<[M, 2], f32> {
  output %x
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': argument 0: 'layout' is {params = {pad = 8}}}}
frontend.graph @layout_without_kind(%x: tensor<[2], f32> {layout = {params = {pad = 8}}}) -> tensor<[2], f32> {
  output %x
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': argument 0 must be a tensor, but is f32}}
frontend.graph @no_tensor(%x: f32) {
  output
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': 2 dictionaries are given for 1 arguments}}
"frontend.graph"() <{arg_attrs = [{}, {}], function_type = (tensor<[2], f32>) -> (), sym_name = "more_dictionaries"}> ({
^bb0(%x: tensor<[2], f32>):
  "frontend.output"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{a symbol is declared twice}}
frontend.graph @twice<M, M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  output %x
}

// -----

// expected-error@+1 {{the symbol 'N' is not declared}}
frontend.graph @undeclared<M>(%x: tensor<[N], f32>) -> tensor<[M], f32> {
  output %x
}

// -----

frontend.graph @undeclared_inside<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{the symbol 'N' is not declared by the graph}}
  %y = full 0.0 : tensor<[N], f32>
  output %x
}

// -----

frontend.graph @another_type<M>(%x: tensor<[M], f32>) -> tensor<[M], f16> {
  // expected-error@+1 {{E1202 'frontend.output': result 0 is tensor<[M], f32>, but the graph says tensor<[M], f16>}}
  output %x
}

// -----

frontend.graph @other_sizes<M, N>(%x: tensor<[M], f32>) -> tensor<[N], f16> {
  // expected-error@+1 {{E1202 'frontend.output': result 0 is tensor<[M], f16>, but the graph says tensor<[N], f16>}}
  output %x as f16
}

// -----

frontend.graph @fewer_results<M>(%x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[M], f32>) {
  // expected-error@+1 {{E1202 'frontend.output': 1 values are given, but the graph has 2 results}}
  output %x
}

// -----

frontend.graph @fewer_types<M>(%x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[M], f32>) {
  // expected-error@+1 {{1 types are given for 2 values}}
  "frontend.output"(%x, %x) <{elems = [f32]}> : (tensor<[M], f32>, tensor<[M], f32>) -> ()
}

// -----

// expected-error@+1 {{a graph of tensors has no branches: one block}}
"frontend.graph"() <{function_type = () -> (), sym_name = "branches"}> ({
  "frontend.output"() : () -> ()
^bb1:
  "frontend.output"() : () -> ()
}) : () -> ()

// -----

frontend.graph @inner_sizes<M, N, K>(%A: tensor<[M, K], f32>, %B: tensor<[N, K], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1204 'frontend.gemm': the index k has the size K in [M, K] and the size N in [N, K]}}
  %y = gemm %A, %B
  output %y
}

// -----

frontend.graph @batches<A, B, M>(%a: tensor<[A, M, M], f32>, %b: tensor<[B, M, M], f32>) -> tensor<[A, M, M], f32> {
  // expected-error@+1 {{E1204 'frontend.gemm': the index b has the size A and the size B in [A, M, M] and [B, M, M]}}
  %y = gemm %a, %b
  output %y
}

// -----

frontend.graph @vector<M>(%a: tensor<[M], f32>, %b: tensor<[M, M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E1204 'frontend.gemm': a matrix has at least two axes, not those of [M]}}
  %y = gemm %a, %b
  output %y
}

// -----

frontend.graph @bias<M>(%a: tensor<[M, M], f32>, %c: tensor<[2, 1, 1], f32>) -> tensor<[2, M, M], f32> {
  // expected-error@+1 {{E1204 'frontend.gemm': a bias of [2, 1, 1] makes [M, M] larger}}
  %y = gemm %a, %a bias %c
  output %y
}

// -----

frontend.graph @narrow_accumulator<M>(%a: tensor<[M, M], f32>) -> tensor<[M, M], f16> {
  // expected-error@+1 {{elements of type f32 cannot be accumulated in f16, which is narrower}}
  %y = gemm %a, %a acc f16
  output %y
}

// -----

frontend.graph @no_layer<M>(%a: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E1204 'frontend.linear': an input of [M] and weights of [M] are no layer}}
  %y = linear %a, %a
  output %y
}

// -----

frontend.graph @operands_of_an_equation<M>(%a: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E1205 'frontend.einsum': 'i,i->i' is about 2 operands, and there are 1}}
  %y = einsum "i,i->i" %a
  output %y
}

// -----

frontend.graph @axes_of_an_equation<M>(%a: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E1205 'frontend.einsum': 'ij' names the axes of operand 0, which is [M]}}
  %y = einsum "ij->i" %a
  output %y
}

// -----

frontend.graph @letters_of_an_equation<M>(%a: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E1205 'frontend.einsum': '1' in '1' is no letter}}
  %y = einsum "1->i" %a
  output %y
}

// -----

frontend.graph @result_of_an_equation<M>(%a: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E1205 'frontend.einsum': no operand of 'i->j' has the letter j}}
  %y = einsum "i->j" %a
  output %y
}

// -----

frontend.graph @result_twice<M>(%a: tensor<[M], f32>) -> tensor<[M, M], f32> {
  // expected-error@+1 {{E1205 'frontend.einsum': the result of 'i->ii' has the letter i twice}}
  %y = einsum "i->ii" %a
  output %y
}

// -----

frontend.graph @lost_axes<M>(%a: tensor<[M, M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E1205 'frontend.einsum': the result of '...i->i' has no '...'}}
  %y = einsum "...i->i" %a
  output %y
}

// -----

frontend.graph @sizes_of_a_letter<M, N>(%a: tensor<[M, N], f32>) -> tensor<[], f32> {
  // expected-error@+1 {{E1204 'frontend.einsum': the index i has the size M and the size N in [M, N]}}
  %y = einsum "ii->" %a
  output %y
}

// -----

frontend.graph @broadcast<M, N>(%a: tensor<[M], f32>, %b: tensor<[N], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[M] and [N] cannot be broadcast: aligned at the right, M meets N}}
  %y = copysign %a, %b
  output %y
}

// -----

frontend.graph @no_bound<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{there must be a bound, 'min' or 'max'}}
  %y = clamp %x
  output %y
}

// -----

frontend.graph @celu_by_zero<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{'alpha' is divided by, and must not be 0}}
  %y = celu %x alpha 0.0
  output %y
}

// -----

frontend.graph @softplus_by_zero<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{'beta' is divided by, and must not be 0}}
  %y = softplus %x beta 0.0
  output %y
}

// -----

frontend.graph @bits_of_floats<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+2 {{the operand 'input' must be a tensor of integers}}
  // expected-error@+1 {{the result 'out' must be a tensor of integers}}
  %y = bitwise_not %x
  output %y
}

// -----

frontend.graph @axes<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[1] must be axes below 1, ascending}}
  %y = sum %x over [1]
  output %y
}

// -----

frontend.graph @negative_axis<M>(%x: tensor<[M], f32>) -> tensor<[], i32> {
  // expected-error@+1 {{axis -1 is none of the 1 axes of [M]}}
  %y = argmax %x over -1
  output %y
}

// -----

frontend.graph @recurrence_axis<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{axis -1 is none of the 1 axes of [M]; axes are counted from 0: write 0}}
  %y = scan %x, %x over -1
  output %y
}

// -----

frontend.graph @recurrence_from_a_whole_tensor<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{what is before the axis has the sizes [N], without the axis, and not [M, N]}}
  %y = scan %x, %x from %x over 0
  output %y
}

// -----

frontend.graph @recurrence_of_truth_values<M>(%x: tensor<[M], i1>) -> tensor<[M], i1> {
  // expected-error@+1 {{a linear recurrence is of numbers, not of truth values; cast the operands to a type of numbers}}
  %y = scan %x, %x over 0
  output %y
}

// -----

frontend.graph @running_axis<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{axis 3 is none of the 1 axes of [M]}}
  %y = cumsum %x over 3
  output %y
}

// -----

frontend.graph @expand<M, N>(%x: tensor<[M], f32>) -> tensor<[N], f32> {
  // expected-error@+1 {{[M] does not expand to [N]}}
  %y = expand %x to [N]
  output %y
}

// -----

frontend.graph @backwards<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{the step of axis 0 is -1: it must be positive}}
  %y = slice %x from [0] to [M] step [-1]
  output %y
}

// -----

frontend.graph @concat<M, N>(%a: tensor<[M, 2], f32>, %b: tensor<[N, 2], f32>) -> tensor<[M, 4], f32> {
  // expected-error@+1 {{E1206 'frontend.concat': [M, 2] and [N, 2] differ in more than axis 1}}
  %y = concat %a, %b over 1
  output %y
}

// -----

frontend.graph @split<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E1206 'frontend.split': axis 0 of [M] is split into [M, 1], which are M + 1}}
  %y, %z = split %x over 0 into [M, 1]
  output %y
}

// -----

frontend.graph @parts<M>(%x: tensor<[2*M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{the result is of type tensor<[M], f32>, tensor<[M], f16>, must be tensor<[M], f32>, tensor<[M], f32>}}
  %y, %z = split %x over 0 into [M, M] : tensor<[M], f32>, tensor<[M], f16>
  output %y
}

// -----

frontend.graph @steps<M>() -> tensor<[M, M], f32> {
  // expected-error@+1 {{numbers in steps have one axis, not 2}}
  %y = arange : tensor<[M, M], f32>
  output %y
}

// -----

frontend.graph @half_steps<M>() -> tensor<[M], i32> {
  // expected-error@+1 {{'step' is 0.5, and the elements are of type i32}}
  %y = arange step 0.5 : tensor<[M], i32>
  output %y
}

// -----

frontend.graph @half_around<M>(%x: tensor<[M], i32>) -> tensor<[M + 1], i32> {
  // expected-error@+1 {{'fill' is 0.5, and the elements are of type i32}}
  %y = pad %x low [1] high [0] fill 0.5
  output %y
}

// -----

frontend.graph @half<M>() -> tensor<[M], i32> {
  // expected-error@+1 {{'value' is 0.5, and the elements are of type i32}}
  %y = full 0.5 : tensor<[M], i32>
  output %y
}

// -----

frontend.graph @no_table(%x: tensor<[], f32>, %i: tensor<[2], i32>) -> tensor<[2], f32> {
  // expected-error@+1 {{a table has at least one axis}}
  %y = embedding %x[%i]
  output %y
}

// -----

frontend.graph @gather_rows<M, S>(%x: tensor<[M, M], f32>, %i: tensor<[S], i32>) -> tensor<[S], f32> {
  // expected-error@+1 {{indices of [S] do not stand next to elements of [M, M]}}
  %y = gather %x[%i] over 0
  output %y
}

// -----

frontend.graph @scattered_rows_of_another_size<M, N, E>(%x: tensor<[M, N], f32>, %i: tensor<[E], i32>, %e: tensor<[E, M], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[E, M] is not added to [M, N] along axis 0; but for the axis both have the same sizes}}
  %y = scatter_add %x, %i, %e over 0
  output %y
}

// -----

frontend.graph @too_few_indices<M, N, E>(%x: tensor<[M, N], f32>, %i: tensor<[N], i32>, %e: tensor<[E, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{indices of [N] do not say where parts of [E, N] go; there is an index for each part along the axis, or for each element}}
  %y = scatter_add %x, %i, %e over 0
  output %y
}

// -----

frontend.graph @scattered_truth_values<M, E>(%x: tensor<[M], i1>, %i: tensor<[E], i32>, %e: tensor<[E], i1>) -> tensor<[M], i1> {
  // expected-error@+1 {{numbers are added, not truth values; cast the operands to a type of numbers}}
  %y = scatter_add %x, %i, %e over 0
  output %y
}

// -----

frontend.graph @odd_pairs<S, D>(%x: tensor<[S, D], f32>, %c: tensor<[S, D], f32>) -> tensor<[S, D], f32> {
  // expected-error@+1 {{E1207 'frontend.rope': the last axis of [S, D] has no halves}}
  %y = rope %x, %c, %c
  output %y
}

// -----

frontend.graph @other_angles<S, D>(%x: tensor<[S, 2*D], f32>, %c: tensor<[S, 2*D], f32>) -> tensor<[S, 2*D], f32> {
  // expected-error@+1 {{E1207 'frontend.rope': angles of [S, 2*D] do not broadcast to the pairs [S, D]}}
  %y = rope %x, %c, %c
  output %y
}

// -----

frontend.graph @triangle<S>(%x: tensor<[S], f32>) -> tensor<[S], f32> {
  // expected-error@+1 {{a matrix has at least two axes, not those of [S]}}
  %y = tril %x
  output %y
}

// -----

frontend.graph @no_number<S>(%x: tensor<[S], f32>) -> tensor<[S], f32> {
  // expected-error@+1 {{expected a number, such as 0.5}}
  %y = clamp %x min %x
  output %y
}

// -----

frontend.graph @the_largest_axis<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{axis 9223372036854775807 is none of the 1 axes of [M]}}
  %y, %z = split %x over 9223372036854775807 into [M, 1]
  output %y
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': argument 0: 'layout' is}}
frontend.graph @before_the_first(%x: tensor<[256, 192], f16> {layout = {kind = "strided", params = {strides = [200, -1], offset = 8}}}) -> tensor<[256, 192], f16> {
  output %x
}

// -----

// expected-error@+1 {{E1201 'frontend.graph': argument 0: 'layout' is}}
frontend.graph @in_parts_of_elements(%x: tensor<[4], f32> {layout = {kind = "swizzled", params = {swizzle = "xor32", vec_bytes = 2}}}) -> tensor<[4], f32> {
  output %x
}

// -----

// expected-error@+1 {{two elements of it lie in one place}}
frontend.graph @two_in_one_place(%x: tensor<[72, 32], f32>) -> (tensor<[72, 32], f32> {layout = {kind = "strided", params = {strides = [48, 96], offset = 8}}}) {
  output %x
}

// -----

// expected-error@+1 {{'seq.len' is no name for a symbol; letters, digits and '_' name one}}
frontend.graph @symbol_of_two_words<seq.len>(%x: tensor<[seq.len], f32>) -> tensor<[seq.len], f32> {
  output %x
}

// -----

frontend.graph @a_sort_of_64_bits<N>(%x: tensor<[N], i64>) -> tensor<[N], i64> {
  // expected-error@+1 {{elements of at most 32 bits are sorted, not i64; cast the operand to a 32-bit type}}
  %y, %i = sort %x over 0
  output %x
}

// -----

frontend.graph @more_than_there_are<M>(%x: tensor<[M, 10], f32>) -> tensor<[M, 10], f32> {
  // expected-error@+1 {{axis 1 of [M, 10] has no 11 positions}}
  %y, %i = topk %x, 11 over 1
  output %x
}
