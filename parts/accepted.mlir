// Negative strides are no error, as flips and as views; nor are steps of a slice that are positive.
// ACCEPTED: flip %x over [1]
// ACCEPTED: view %a as [M, N] strides [-N, -1] start [M*N - 1]
// ACCEPTED: shrink %b from [0, 0] to [M, N] step [2, 3] : tensor<[M ceildiv 2, N ceildiv 3], f16>
// ACCEPTED: load %a at [i0, N - i1 - 1]
// ACCEPTED: load %d at [i0 floordiv 2, (i0 + i1) mod 2]
tiny.func @f<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f16>, tensor<[M ceildiv 2, N ceildiv 3], f16>) {
  %a = flip %x over [1]
  %b = view %a as [M, N] strides [-N, -1] start [M*N - 1]
  %c = shrink %b from [0, 0] to [M, N] step [2, 3]
  %d = load %a at [i0, N - 1 - i1] : tensor<[M, N], f16>
  %e = load %d at [i0 floordiv 2, (i0 + i1) mod 2] : tensor<[M, N], f16>
  return %e, %c
}
