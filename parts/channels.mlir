frontend.graph @f<N, H, W>(%x: tensor<[N, 64, H, W], f16>, %w: tensor<[64, 64, 3, 3], f16>) {
  %y = conv %x, %w groups 2
  output
}

// Heads that cannot be shared.
// ATTENTION: [E1222] Error: 'frontend.attention': 12 heads of queries are no multiple of 8 heads of keys
// ATTENTION-NEXT: parts/attention.mlir:2:8
// ATTENTION: Help: each head of the keys is for as many heads of the queries

