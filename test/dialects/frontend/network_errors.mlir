// The errors of ops of networks that have a code of their own, as they are shown: code, reason and way out.

// RUN: split-file %s parts
// RUN: not dlc-opt parts/window.mlir 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not dlc-opt parts/channels.mlir 2>&1 | FileCheck %s --check-prefix=CHANNELS
// RUN: not dlc-opt parts/attention.mlir 2>&1 | FileCheck %s --check-prefix=ATTENTION
// RUN: not dlc-opt parts/parameter.mlir --diagnostics=json 2>&1 | FileCheck %s --check-prefix=PARAMETER

// A window that does not fit.
// WINDOW: [E1220] Error: 'frontend.conv': a window that covers 5 elements is larger than axis 2 of size 4, with 0 put before it and 0 after
// WINDOW-NEXT: parts/window.mlir:2:8
// WINDOW: Help: pad the axis, or make the window or its dilation smaller

//--- window.mlir
frontend.graph @f<N, W>(%x: tensor<[N, 3, 4, W], f16>, %w: tensor<[8, 3, 3, 3], f16>) {
  %y = conv %x, %w dilation [2, 2]
  output
}

// Weights for other channels.
// CHANNELS: [E1221] Error: 'frontend.conv': the input has 64 channels, but weights of [64, 64, 3, 3] take 128 (2 groups)
// CHANNELS-NEXT: parts/channels.mlir:2:8
// CHANNELS: Help: axis 'in' of the weights has the channels of the input divided by 'groups'

//--- channels.mlir
frontend.graph @f<N, H, W>(%x: tensor<[N, 64, H, W], f16>, %w: tensor<[64, 64, 3, 3], f16>) {
  %y = conv %x, %w groups 2
  output
}

// Heads that cannot be shared.
// ATTENTION: [E1222] Error: 'frontend.attention': 12 heads of queries are no multiple of 8 heads of keys
// ATTENTION-NEXT: parts/attention.mlir:2:8
// ATTENTION: Help: each head of the keys is for as many heads of the queries

//--- attention.mlir
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

//--- parameter.mlir
frontend.graph @f<S>(%x: tensor<[S, 768], f16>, %w: tensor<[512], f16>) {
  %y = layer_norm %x weight %w
  output
}
