#!/usr/bin/env python3
"""Products of a vector and a matrix, and attention with one query for each head, of drawn sizes, compared with torch on a GPU.

    python3 test/gpu/vectors.py [--seed S] [--count N] [--attention N]

Needs the package `dlc` and torch. A line for each: microseconds of dlc and of torch (medians with a cold cache), their
ratio, and the relative error against f64 (f32 for attention).
"""
import argparse
import random

FORMS = {
    "linear": "frontend.graph @f(%x: tensor<[1, {k}], {t}>, %w: tensor<[{n}, {k}], {t}>) -> tensor<[1, {n}], {t}> {{\n  %y = linear %x, %w\n  output %y\n}}",
    "columns": "frontend.graph @f(%x: tensor<[1, {k}], {t}>, %w: tensor<[{k}, {n}], {t}>) -> tensor<[1, {n}], {t}> {{\n  %y = gemm %x, %w\n  output %y\n}}",
    "matrix": "frontend.graph @f(%x: tensor<[{k}, 1], {t}>, %w: tensor<[{n}, {k}], {t}>) -> tensor<[{n}, 1], {t}> {{\n  %y = gemm %w, %x\n  output %y\n}}",
}
ATTENTION = (
    "frontend.graph @f(%q: tensor<[{b}, {h}, 1, {d}], f16>, %k: tensor<[{b}, {h}, {t}, {d}], f16>, %v: tensor<[{b}, {h}, {t}, {d}], f16>)"
    " -> tensor<[{b}, {h}, 1, {d}], f16> {{\n  %y = attention %q, %k, %v\n  output %y as f16\n}}"
)


def products(rng, count):
    """The form, the two sizes and the type of each product; half of the sizes are multiples of 8."""
    for _ in range(count):
        k, n = int(2 ** rng.uniform(8, 15)), int(2 ** rng.uniform(6, 15))
        form, elem = rng.choice(list(FORMS)), rng.choice(["f16", "bf16", "f32"])
        yield (form, n, k, elem) if rng.random() < 0.5 else (form, n // 8 * 8, k // 8 * 8, elem)


def attentions(rng, count):
    """The batch, the heads, their size and the keys of each."""
    for _ in range(count):
        yield rng.choice([1, 1, 2, 4, 16]), rng.choice([8, 16, 32]), rng.choice([64, 80, 128]), int(2 ** rng.uniform(8, 15.5))


def main():
    import torch

    import dlc

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=14)
    parser.add_argument("--attention", type=int, default=6)
    options = parser.parse_args()
    types = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
    session, rng = dlc.Session("cuda"), random.Random(options.seed)
    flushed = torch.empty(64 << 20, dtype=torch.int32, device="cuda")

    def timed(call):
        times = []
        for _ in range(15):
            flushed.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda._sleep(200_000)
            begin.record()
            call()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3)
        return sorted(times)[len(times) // 2]

    def compare(name, source, inputs, baseline, exact):
        program = session.compile(source)
        error = float((program(*inputs).double().flatten() - exact.double().flatten()).norm() / exact.double().norm())
        ours, theirs = timed(lambda: program(*inputs)), timed(baseline)
        print(f"{name}: {ours:.1f} us, torch {theirs:.1f} us, speedup {theirs / ours:.2f}, error {error:.1e}", flush=True)

    torch.manual_seed(options.seed)
    for form, n, k, elem in products(rng, options.count):
        x, w = torch.randn(k, device="cuda").to(types[elem]), torch.randn(n, k, device="cuda").to(types[elem])
        exact, apart, column = w.double() @ x.double(), w.t().contiguous(), x[:, None].contiguous()
        inputs, baseline = {
            "linear": ((x[None], w), lambda: torch.nn.functional.linear(x[None], w)),
            "columns": ((x[None], apart), lambda: x[None] @ apart),
            "matrix": ((column, w), lambda: w @ column),
        }[form]
        compare(f"{form} {n} x {k} {elem}", FORMS[form].format(n=n, k=k, t=elem), inputs, baseline, exact)
    attention = torch.nn.functional.scaled_dot_product_attention
    for b, h, d, t in attentions(rng, options.attention):
        inputs = [torch.randn(b, h, length, d, device="cuda").half() for length in (1, t, t)]
        exact = attention(*(value.float() for value in inputs))
        source = ATTENTION.format(b=b, h=h, d=d, t=t)
        compare(f"attention of one query, {b} x {h} x {d}, {t} keys", source, inputs, lambda: attention(*inputs), exact)


if __name__ == "__main__":
    main()
