; Generated from the declarations by `cargo xtask grammar`; changes here are lost.

(comment) @comment
(string) @string
[(integer) (float)] @number
(boolean) @boolean

(value) @variable
(block) @label
(symbol_name) @function
[(builtin_type) (type_name)] @type.builtin
(type_reference) @type
(attribute_name) @constant.builtin
(attribute_reference) @constant

(operation name: (op_name) @function.builtin)
(clause name: (clause_name) @keyword)
(location "loc" @keyword)
((word) @keyword
  (#any-of? @keyword "acc" "along" "alpha" "any_order" "approximate" "arrivals" "as" "at" "atol" "attributes" "beta" "bias" "bits" "by" "bytes" "carry" "causal" "ceil" "correction" "dense" "descending" "diagonal" "dilation" "dims" "else" "eps" "equal_nan" "exclude_pad" "exclusive" "fill" "from" "gamma" "groups" "high" "id" "im2col" "in" "interleaved" "into" "keepdim" "layout" "loc" "low" "lower" "mask" "max" "mean" "merged" "min" "non_scop" "on" "order" "output_pad" "over" "pad" "parity" "plus" "product" "reverse" "rtol" "scale" "slope" "smallest" "start" "step" "stride" "strides" "tf32" "threads" "through" "to" "trans_a" "trans_b" "transposed" "upper" "value" "variance" "weight" "widen" "window"))
(entry key: (_) @property)

["(" ")" "[" "]" "{" "}" "<{" "{-#" "#-}"] @punctuation.bracket
(parameters ["<" ">"] @punctuation.bracket)
["," ":" "::"] @punctuation.delimiter
["=" "->" "-" "+" "*" "/" "?" "<=" ">=" "==" "!="] @operator
