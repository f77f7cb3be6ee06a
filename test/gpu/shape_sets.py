#!/usr/bin/env python3
"""Programs with shape sets at the sizes of the sets and at drawn ones, next to the same programs compiled for each size alone.

    python3 test/gpu/shape_sets.py [--seed S] [--count N]

Needs the package `dlc` and torch. A line for each size: microseconds with shape sets, compiled for the size, and of torch
(medians of interleaved runs with a cold cache), and the relative error. Then, for each program, the geomean of the speedup of that
with sets over both, at the sizes of the sets and at drawn ones.
"""
import argparse
import math
import random

GEMM = """frontend.graph @f<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B trans_b acc f32
  output %D as f16
}"""
SOFTMAX = """frontend.graph @f<M, N>(%X: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %Y = softmax %x over 1
  output %Y as f16
}"""
ATTENTION = """frontend.graph @f<B, S>(%Q: tensor<[B, 16, S, 64], f16>, %K: tensor<[B, 16, S, 64], f16>, %V: tensor<[B, 16, S, 64], f16>) -> tensor<[B, 16, S, 64], f16> {
  %O = attention %Q, %K, %V
  output %O as f16
}"""


def log_uniform(rng, low, high, multiple):
    return max(multiple, int(2 ** rng.uniform(math.log2(low), math.log2(high))) // multiple * multiple)


def product_sizes(rng):
    return log_uniform(rng, 1, 8192, 1), log_uniform(rng, 128, 16384, 8), log_uniform(rng, 128, 16384, 8)


def row_sizes(rng):
    return log_uniform(rng, 1, 1 << 17, 1), log_uniform(rng, 16, 16384, 8)


def attention_sizes(rng):
    return log_uniform(rng, 1, 16, 1), log_uniform(rng, 64, 8192, 8)


PROGRAMS = {
    "gemm": (GEMM, "MNK", product_sizes, [(4096, 4096, 4096), (256, 16384, 2048), (16, 14336, 4096), (64, 4096, 4096),
                                          (1024, 1024, 1024), (128, 8192, 1024), (2048, 768, 3072)]),
    "softmax": (SOFTMAX, "MN", row_sizes, [(4096, 4096), (65536, 256), (64, 512), (128, 16384)]),
    "attention": (ATTENTION, "BS", attention_sizes, [(4, 4096), (1, 512), (8, 1024)]),
}


def main():
    import torch

    import dlc

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=14)
    options = parser.parse_args()
    session, flushed = dlc.Session("cuda"), torch.empty(64 << 20, dtype=torch.int32, device="cuda")

    def timed(calls, rounds=11):
        times = [[] for _ in calls]
        for _ in range(rounds):
            for call, own in zip(calls, times):
                flushed.zero_()
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                torch.cuda._sleep(200_000)
                begin.record()
                call()
                end.record()
                end.synchronize()
                own.append(begin.elapsed_time(end) * 1e3)
        return [sorted(own)[len(own) // 2] for own in times]

    def inputs(name, sizes):
        half = lambda *shape: torch.randn(*shape, device="cuda").half()
        if name == "gemm":
            m, n, k = sizes
            return half(m, k), half(n, k)
        if name == "softmax":
            return (half(*sizes),)
        return [half(sizes[0], 16, sizes[1], 64) for _ in range(3)]

    baselines = {
        "gemm": lambda a, b: torch.nn.functional.linear(a, b),
        "softmax": lambda x: torch.softmax(x, 1),
        "attention": torch.nn.functional.scaled_dot_product_attention,
    }
    torch.manual_seed(options.seed)
    for name, (source, symbols, draw, sets) in PROGRAMS.items():
        rng = random.Random(f"{name} {options.seed}")
        together = session.compile(source, shape_sets=[dict(zip(symbols, sizes)) for sizes in sets])
        ratios = {"named": [], "drawn": []}
        for kind, sizes in [("named", s) for s in sets] + [("drawn", draw(rng)) for _ in range(options.count)]:
            given, alone = inputs(name, sizes), session.compile(source)
            exact = baselines[name](*(x.float() for x in given))
            error = float((together(*given).float() - exact).norm() / exact.norm())
            calls = [lambda: together(*given), lambda: alone(*given), lambda: baselines[name](*given)]
            [call() for call in calls]
            ours, single, torchs = timed(calls)
            ratios[kind].append((single / ours, torchs / ours))
            print(f"{name} {kind} {'x'.join(map(str, sizes))}: {ours:.1f} us with shape sets, {single:.1f} alone "
                  f"({single / ours:.2f}), torch {torchs:.1f} ({torchs / ours:.2f}), error {error:.1e}", flush=True)
        for kind, rows in ratios.items():
            geomeans = [math.exp(sum(math.log(row[at]) for row in rows) / len(rows)) for at in (0, 1)]
            print(f"{name} at {len(rows)} {kind} sizes: speedup {geomeans[0]:.3f} over alone (lowest "
                  f"{min(row[0] for row in rows):.2f}), {geomeans[1]:.2f} over torch", flush=True)


if __name__ == "__main__":
    main()
