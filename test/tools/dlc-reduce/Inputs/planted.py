"""Writes programs with more than 300 ops in which one thing is planted: `chain` a relu of a neg, `plans` a plan that is refused."""

import sys

CHAIN = 320
KERNELS = 32

KERNEL = """\
region.func @gemm_{i}<M, N, K> iters (m: M, n: N)
  ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>, %b: memref<[N], f16, row_major, align 128>)
  outs (out: memref<[M, N], f16, row_major, align 128> materialize gmem) {{
  %s = reduce sum (k: K) acc f32 init 0.0 {{
    %0 = read %X[m, k] : f16 over (m, k)
    %1 = read %W[k, n] : f16 over (n, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, k)
    yield %2
  }} : f32 over (m, n)
  %3 = read %b[n] : f16 over (n)
  %4 = broadcast_in_dim %3 to [M, N] dims [1] : f16 over (m, n)
  %sb = binary add %s, %4 : f32 over (m, n)
  %y = unary relu %sb : f32 over (m, n)
  yield %y to out as f16
}}
plan.schedule of @gemm_{i} for sm90 {{
  tile (m: {m}, n: 64, k: 32)
  instruction mma
  stages 2
  cache X (m, k) in smem
  cache W (k, n) in smem
  predicate_tail [m, n, k]
  epilogue [add, relu]
}}
"""


def chain():
    print("tiny.func @f<M, N>(%x: tensor<[M, N], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {")
    value = "%x"
    for i in range(CHAIN):
        # Neither of the other steps is a neg.
        step = {CHAIN // 2: f"neg {value}", CHAIN // 2 + 1: f"relu {value}"}.get(i)
        print(f"  %v{i} = {step or f'add {value}, ' + ('%b' if i % 3 else '%x')}")
        value = f"%v{i}"
    print(f"  return {value}\n}}")


def plans():
    for i in range(KERNELS):
        print(KERNEL.format(i=i, m=2048 if i == KERNELS // 2 else 64))


{"chain": chain, "plans": plans}[sys.argv[1]]()
