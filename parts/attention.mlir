frontend.graph @f<S>(%q: tensor<[1, 12, S, 64], f16>, %k: tensor<[1, 8, S, 64], f16>) {
  %y = attention %q, %k, %k causal
  output
}

// A weight of another size, as programs see it.
// PARAMETER: "at": "frontend.layer_norm"
// PARAMETER: "code": "E1223"
// PARAMETER: "kind": "ParameterMismatch"
// PARAMETER: "line": 2
// PARAMETER: "suggestion": "give 'weight' the sizes [768]"
// PARAMETER: "why": "'weight' is [512], but what it belongs to is [768]"

