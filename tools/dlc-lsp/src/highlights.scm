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
  (#any-of? @keyword KEYWORDS))
(entry key: (_) @property)

["(" ")" "[" "]" "{" "}" "<{" "{-#" "#-}"] @punctuation.bracket
(parameters ["<" ">"] @punctuation.bracket)
["," ":" "::"] @punctuation.delimiter
["=" "->" "-" "+" "*" "/" "?" "<=" ">=" "==" "!="] @operator
