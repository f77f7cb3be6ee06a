#!/usr/bin/env python3
"""Makes random graphs with inputs and what is expected of them, for `dlc-run --batch`.

    python3 test/gpu/random_graphs.py DIR [--count N] [--seed S] [--only KIND]

Each folder of DIR holds `program.mlir`, `inputs.npz` and `expected.npz`. Products with and without batches in all
layouts, chains of them, attention, convolutions, poolings, norms, positions of extrema, scans, recurrent steps, sorts, sums at indices, and chains of element-wise ops,
reductions and views; of random sizes (tails, one, what divides by 8 and what does not), some as symbols and some as numbers, in several types.
What is expected is computed by torch in f64 and shares nothing with dlc. Without torch only the programs are written.
"""
import argparse
import os
import random
import re

try:
    import numpy as np
    import torch
except ImportError:
    torch = None

FLOATS = ("f16", "f16", "bf16", "f32")


class Dim:
    """A size: its number, and its text, which is a symbol or the number."""

    def __init__(self, number, text):
        self.number, self.text = number, text

    def __str__(self):
        return self.text


class Graph:
    """A graph that grows by lines, with a torch tensor of f64 for each value."""

    def __init__(self, rng):
        self.rng, self.lines, self.arguments, self.arrays, self.symbols = rng, [], [], {}, []
        self.count = 0

    def dim(self, numbers, symbolic=0.5):
        """A size of its own, one of `numbers`."""
        number = self.rng.choice(numbers)
        if self.rng.random() < symbolic:
            name = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[len(self.symbols)]
            self.symbols.append(name)
            return Dim(number, name)
        return Dim(number, str(number))

    def argument(self, dims, elem, scale=1.0, integers=None):
        """An input: uniform numbers between -scale and scale, rounded to its type, or integers below a bound."""
        name = f"x{len(self.arguments)}"
        self.arguments.append(f"%{name}: tensor<[{', '.join(map(str, dims))}], {elem}>")
        value, seed = None, self.rng.randrange(1 << 30)
        if torch is not None:
            shape = [dim.number for dim in dims]
            seeded = torch.Generator().manual_seed(seed)
            if integers is not None:
                value = torch.randint(0, integers, shape, generator=seeded, dtype=torch.int32)
                self.arrays[name] = value.bool().numpy() if elem == "i1" else value.numpy()
                value = value.to(torch.float64)
            else:
                value = (torch.rand(shape, generator=seeded, dtype=torch.float64) * 2 - 1) * scale
                value, self.arrays[name] = rounded(value, elem)
        return Value(f"%{name}", dims, elem, value)

    def op(self, text, dims, elem, compute):
        """A line; `compute` gives its value, rounded to its type."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {text}")
        value = rounded(compute(), elem)[0] if torch is not None else None
        return Value(name, dims, elem, value)

    def pair(self, text, dims, elems, compute):
        """A line with two results of the same sizes."""
        self.count += 2
        names = f"%v{self.count - 1}", f"%v{self.count}"
        self.lines.append(f"  {', '.join(names)} = {text}")
        values = compute() if torch is not None else (None, None)
        known = [value if value is None else rounded(value, elem)[0] for value, elem in zip(values, elems)]
        return [Value(name, dims, elem, value) for name, elem, value in zip(names, elems, known)]

    def text(self, name, results):
        types = ", ".join(f"tensor<[{', '.join(map(str, r.dims))}], {r.elem}>" for r in results)
        types = types if len(results) == 1 else f"({types})"
        # An axis may have become a number after its symbol was made.
        used = [symbol for symbol in self.symbols if any(re.search(rf"\b{symbol}\b", text) for text in self.arguments)]
        symbols = f"<{', '.join(used)}>" if used else ""
        body = "\n".join(self.lines)
        names = ", ".join(r.name for r in results)
        return f"frontend.graph @{name}{symbols}({', '.join(self.arguments)}) -> {types} {{\n{body}\n  output {names}\n}}\n"


class Value:
    def __init__(self, name, dims, elem, value):
        self.name, self.dims, self.elem, self.value = name, list(dims), elem, value


def rounded(value, elem):
    """The value as its type has it, in f64, and the array of that type."""
    if elem == "f16":
        small = value.to(torch.float16)
        return small.to(torch.float64), small.numpy()
    if elem == "bf16":
        small = value.to(torch.bfloat16)
        return small.to(torch.float64), small.view(torch.int16).numpy().view(np.uint16)
    small = value.to({"f32": torch.float32, "f64": torch.float64, "i32": torch.int32}[elem])
    return small.to(torch.float64), small.numpy()


def cast(graph, x, elem):
    return x if x.elem == elem else graph.op(f"cast {x.name} to {elem}", x.dims, elem, lambda: x.value)


UNARY = {
    "relu": lambda x: torch.relu(x),
    "silu": lambda x: torch.nn.functional.silu(x),
    "sigmoid": lambda x: torch.sigmoid(x),
    "tanh": lambda x: torch.tanh(x),
    "gelu": lambda x: torch.nn.functional.gelu(x),
    "neg": lambda x: -x,
    "abs": lambda x: x.abs(),
    "square": lambda x: x * x,
    "erf": lambda x: torch.erf(x),
    "sin": lambda x: torch.sin(x),
    "hardswish": lambda x: torch.nn.functional.hardswish(x),
}
BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "maximum": lambda a, b: torch.maximum(a, b),
    "minimum": lambda a, b: torch.minimum(a, b),
}


def unary(graph, x):
    name = graph.rng.choice(list(UNARY))
    return graph.op(f"{name} {x.name}", x.dims, x.elem, lambda: UNARY[name](x.value))


def broadcast_like(graph, x):
    """An input that is broadcast to a value: some leading axes missing, some of size 1."""
    rng = graph.rng
    first = rng.randrange(len(x.dims) + 1) if rng.random() < 0.5 else 0
    dims = [Dim(1, "1") if rng.random() < 0.25 else dim for dim in x.dims[first:]]
    elem = x.elem if rng.random() < 0.7 else rng.choice(FLOATS)
    return graph.argument(dims, elem)


def common(a, b):
    """The type of an op on two floats: the wider one, f32 for the two of 16 bits."""
    if a == b:
        return a
    return "f32"


def binary(graph, x, other=None):
    other = other or broadcast_like(graph, x)
    name = graph.rng.choice(list(BINARY))
    elem = common(x.elem, other.elem)
    left, right = (x, other) if graph.rng.random() < 0.7 else (other, x)
    return graph.op(f"{name} {left.name}, {right.name}", x.dims, elem, lambda: BINARY[name](left.value, right.value))


def epilogue(graph, x, most=3):
    for _ in range(graph.rng.randrange(most + 1)):
        x = unary(graph, x) if graph.rng.random() < 0.5 else binary(graph, x)
    return x


def finish(graph, x):
    if graph.rng.random() < 0.7:
        x = cast(graph, x, graph.rng.choice(FLOATS))
    return [x]


# Sizes: ones, tails, what TMA can move and what it cannot.
ROWS = (1, 7, 16, 33, 64, 100, 128, 129, 200, 256, 300, 520, 1031)
DEPTH = (8, 16, 31, 40, 64, 72, 100, 128, 136, 192)


def product(graph):
    rng = graph.rng
    m, n, k = graph.dim(ROWS), graph.dim(ROWS), graph.dim(DEPTH)
    batch = [graph.dim((1, 2, 3)) for _ in range(rng.choice((0, 0, 0, 1, 2)))]
    elem = rng.choice(FLOATS)
    ta, tb = rng.random() < 0.3, rng.random() < 0.4
    left = batch if rng.random() < 0.8 else []
    right = batch if rng.random() < 0.6 or not left else []
    a = graph.argument([*left, *((k, m) if ta else (m, k))], elem, 0.5)
    b = graph.argument([*right, *((n, k) if tb else (k, n))], elem, 0.5)
    out = "f32" if rng.random() < 0.8 else elem
    words = f"gemm {a.name}, {b.name}" + " trans_a" * ta + " trans_b" * tb + " acc f32" * (out != elem)
    x = graph.op(words, [*batch, m, n], out, lambda: matmul(a, b, ta, tb))
    return finish(graph, epilogue(graph, x))


def matmul(a, b, ta=False, tb=False):
    left = a.value.transpose(-1, -2) if ta else a.value
    right = b.value.transpose(-1, -2) if tb else b.value
    return left @ right


def chain(graph):
    """Two products, with something between them."""
    rng = graph.rng
    batch = [graph.dim((1, 2, 3))] if rng.random() < 0.6 else []
    m, n = graph.dim(ROWS), graph.dim(ROWS)
    k, o = graph.dim((16, 32, 64, 128), 0.2), graph.dim((16, 32, 64, 128), 0.2)
    elem = rng.choice(("f16", "f16", "bf16"))
    a, b = graph.argument([*batch, m, k], elem, 0.4), graph.argument([*batch, k, n], elem, 0.4)
    c = graph.argument([*batch, n, o], elem, 0.4)
    x = graph.op(f"gemm {a.name}, {b.name} acc f32", [*batch, m, n], "f32", lambda: matmul(a, b))
    x = cast(graph, epilogue(graph, x, 2), elem)
    y = graph.op(f"gemm {x.name}, {c.name} acc f32", [*batch, m, o], "f32", lambda: matmul(x, c))
    return finish(graph, epilogue(graph, y, 2))


def heads_of_64(graph):
    """Attention whose lengths are symbols and whose heads have 64 numbers: plans with four groups of consumers."""
    return attention(graph, Dim(64, "64"), 1, ("f16", "f16", "bf16"))


def attention(graph, size=None, symbolic=0.5, elems=("f16", "f16", "bf16", "f32")):
    rng = graph.rng
    value = size
    if size is None:
        size = value = graph.dim((16, 32, 64, 72, 96, 128), 0.1)
        if rng.random() < 0.2:
            value = graph.dim((32, 64, 128), 0.1)
    s = graph.dim(ROWS, symbolic)
    t = s if rng.random() < 0.4 else graph.dim(ROWS, symbolic)
    causal = rng.random() < 0.4
    b = graph.dim((1, 2))
    heads, shared = rng.choice(((1, 1), (2, 1), (4, 2), (3, 3)))
    elem = rng.choice(elems)
    h, g = Dim(heads, str(heads)), Dim(shared, str(shared))
    q = graph.argument([b, h, s, size], elem)
    k = graph.argument([b, g, t, size], elem)
    v = graph.argument([b, g, t, value], elem)
    words, mask = f"attention {q.name}, {k.name}, {v.name}", None
    if not causal and rng.random() < 0.4:
        dims = [b if rng.random() < 0.5 else Dim(1, "1"), h if rng.random() < 0.3 else Dim(1, "1"), s, t]
        mask = graph.argument(dims, "i1", integers=2) if rng.random() < 0.4 else graph.argument(dims, elem, 2.0)
        words += f" mask {mask.name}"
    scale = None
    if rng.random() < 0.3:
        scale = rng.choice((0.125, 0.25, 1.0))
        words += f" scale {scale}"
    words += " causal" * causal

    def compute():
        keys = k.value.repeat_interleave(heads // shared, 1)
        values = v.value.repeat_interleave(heads // shared, 1)
        scores = q.value @ keys.transpose(-1, -2) * (scale or size.number ** -0.5)
        seen = torch.ones(scores.shape, dtype=torch.bool)
        if mask is not None and mask.elem == "i1":
            seen = seen & mask.value.bool()
        elif mask is not None:
            scores = scores + mask.value
        if causal:
            seen = seen & torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        weights = torch.softmax(scores.masked_fill(~seen, float("-inf")), -1)
        return torch.nan_to_num(weights) @ values

    x = graph.op(words, [b, h, s, value], elem, compute)
    return finish(graph, epilogue(graph, x, 1))


def convolution(graph):
    rng = graph.rng
    last = rng.random() < 0.6
    groups = rng.choice((1, 1, 1, 2))
    ci = graph.dim((3, 8, 16, 64, 40) if groups == 1 else (8, 16), 0)
    co = graph.dim((8, 16, 64, 128, 24), 0)
    n, h, w = graph.dim((1, 2, 5)), graph.dim((5, 8, 14, 17, 28)), graph.dim((5, 8, 14, 17, 28))
    kh, kw = rng.choice(((1, 1), (3, 3), (3, 3), (5, 3), (2, 2)))
    stride, dilation, pad = rng.choice((1, 1, 2)), rng.choice((1, 1, 1, 2)), rng.choice((0, 1, 1, 2))
    if dilation * (max(kh, kw) - 1) >= 5 + 2 * pad:
        dilation = 1
    elem = rng.choice(FLOATS)
    inner = ci.number // groups
    sizes = (kh, kw, inner, co.number) if last else (co.number, inner, kh, kw)
    x = graph.argument([n, h, w, ci] if last else [n, ci, h, w], elem, 0.5)
    f = graph.argument([Dim(size, str(size)) for size in sizes], elem, 0.5)
    words = f"conv {x.name}, {f.name}"
    bias = graph.argument([co], "f32") if rng.random() < 0.4 else None
    words += f" bias {bias.name}" if bias else ""
    words += f" stride [{stride}, {stride}] pad [{pad}, {pad}] dilation [{dilation}, {dilation}]"
    words += f" groups {groups}" if groups > 1 else ""
    words += (" layout channels_last" if last else "") + " acc f32"

    def out(dim, window):
        less = dilation * (window - 1) + 1 - 2 * pad
        text = f"({dim} - {less}) floordiv {stride} + 1"
        return Dim((dim.number - less) // stride + 1, text)

    ho, wo = out(h, kh), out(w, kw)

    def compute():
        value = x.value.permute(0, 3, 1, 2) if last else x.value
        filters = f.value.permute(3, 2, 0, 1) if last else f.value
        found = torch.nn.functional.conv2d(value, filters, bias.value if bias else None, stride, pad, dilation, groups)
        return found.permute(0, 2, 3, 1) if last else found

    y = graph.op(words, [n, ho, wo, co] if last else [n, co, ho, wo], "f32", compute)
    for _ in range(rng.randrange(3)):
        y = unary(graph, y)
    return finish(graph, y)


def rows(graph):
    """A softmax or norm along some axis, with something around it."""
    rng = graph.rng
    rank = rng.choice((1, 2, 2, 3, 4))
    dims = [graph.dim((1, 3, 5, 8)) for _ in range(rank - 1)] + [graph.dim((1, 5, 31, 64, 100, 768, 1000, 2048))]
    axis = rank - 1 if rng.random() < 0.7 else rng.randrange(rank)
    elem = rng.choice(FLOATS)
    x = epilogue(graph, graph.argument(dims, elem, 2.0), 2)
    kind = rng.choice(("softmax", "log_softmax", "layer_norm", "rms_norm"))
    words, factors = f"{kind} {x.name}", []
    size = x.dims[axis]
    if kind in ("layer_norm", "rms_norm"):
        for word in ("weight", "bias")[: 2 if kind == "layer_norm" else 1]:
            if rng.random() < 0.6:
                factors.append((word, graph.argument([size], x.elem)))
                words += f" {word} {factors[-1][1].name}"
        words += f" over [{axis}]"
    else:
        words += f" over {axis}"

    def compute():
        value = x.value.movedim(axis, -1)
        if kind == "softmax":
            found = torch.softmax(value, -1)
        elif kind == "log_softmax":
            found = torch.log_softmax(value, -1)
        else:
            if kind == "layer_norm":
                value = value - value.mean(-1, keepdim=True)
            found = value / torch.sqrt((value * value).mean(-1, keepdim=True) + 1e-5)
            for word, factor in factors:
                found = found * factor.value if word == "weight" else found + factor.value
        return found.movedim(-1, axis)

    y = graph.op(words, x.dims, x.elem, compute)
    return finish(graph, epilogue(graph, y, 2))


def reduction(graph):
    """Element-wise ops, a reduction along any axes, and element-wise ops on what is left."""
    rng = graph.rng
    rank = rng.choice((1, 2, 3, 4, 5))
    dims = [graph.dim((1, 2, 3, 7, 16, 33, 64)[: 7 if rank < 4 else 5]) for _ in range(rank)]
    x = epilogue(graph, graph.argument(dims, rng.choice(FLOATS)), 3)
    axes = sorted(rng.sample(range(rank), rng.randrange(1, rank + 1)))
    kind = rng.choice(("sum", "max", "min", "mean", "logsumexp"))
    keep = rng.random() < 0.5
    of = {"sum": lambda v: v.sum(axes, keepdim=keep), "mean": lambda v: v.mean(axes, keepdim=keep),
          "max": lambda v: v.amax(axes, keepdim=keep), "min": lambda v: v.amin(axes, keepdim=keep),
          "logsumexp": lambda v: v.logsumexp(axes, keepdim=keep)}[kind]
    one = Dim(1, "1")
    left = [one if i in axes else d for i, d in enumerate(x.dims) if keep or i not in axes]
    words = f"{kind} {x.name} over [{', '.join(map(str, axes))}]" + " keepdim" * keep
    y = graph.op(words, left, x.elem, lambda: of(x.value))
    if keep and rng.random() < 0.5:
        y = graph.op(f"sub {x.name}, {y.name}", x.dims, x.elem, lambda y=y: x.value - y.value)
    return finish(graph, epilogue(graph, y, 2) if y.dims else y)


def extremum(graph):
    """The position of the largest or smallest element along an axis, the first one of equal ones, and maybe the element."""
    rng = graph.rng
    rank = rng.choice((1, 2, 2, 3))
    dims = [graph.dim((1, 3, 33, 64, 130)) for _ in range(rank)]
    axis = rng.randrange(rank)
    dims[axis] = graph.dim((1, 7, 100, 1000, 4096, 20000) if rank < 3 else (1, 7, 100, 520))
    # Numbers of few digits, so that there are equal ones, and nothing is rounded.
    x = graph.argument(dims, rng.choice(FLOATS))
    x = graph.op(f"floor {x.name}", x.dims, x.elem, lambda x=x: torch.floor(x.value))
    kind = rng.choice(("argmax", "argmin"))
    keep = rng.random() < 0.5
    left = [Dim(1, "1") if i == axis else d for i, d in enumerate(dims) if keep or i != axis]
    # torch does not say which of equal ones it takes.
    of = np.argmax if kind == "argmax" else np.argmin
    where = lambda: torch.from_numpy(np.asarray(of(x.value.numpy(), axis=axis, keepdims=keep))).double()
    results = [graph.op(f"{kind} {x.name} over {axis}" + " keepdim" * keep, left, "i32", where)]
    if rng.random() < 0.5:
        word, at = ("max", torch.amax) if kind == "argmax" else ("min", torch.amin)
        words = f"{word} {x.name} over [{axis}]" + " keepdim" * keep
        results.append(graph.op(words, left, x.elem, lambda: at(x.value, axis, keepdim=keep)))
    return results


def views(graph):
    """Element-wise ops between transposed, sliced, padded, turned and joined tensors."""
    rng = graph.rng
    dims = [graph.dim((2, 3, 7, 16, 33, 40)) for _ in range(rng.choice((2, 3, 3, 4)))]
    x = graph.argument(dims, rng.choice(FLOATS))
    for _ in range(rng.randrange(2, 6)):
        kind, rank = rng.choice(("transpose", "slice", "pad", "flip", "concat", "unary", "binary")), len(x.dims)
        axis = rng.randrange(rank)
        if kind == "transpose":
            order = list(range(rank))
            rng.shuffle(order)
            x = graph.op(f"transpose {x.name} by {order}", [x.dims[i] for i in order], x.elem,
                         lambda x=x: x.value.permute(order))
        elif kind == "slice" and x.dims[axis].number > 2:
            dim = x.dims[axis]
            start = ["1" if i == axis else "0" for i in range(rank)]
            stop = ", ".join(map(str, x.dims))
            size = Dim(dim.number - 1, f"{dim} - 1" if not dim.text.isdigit() else str(dim.number - 1))
            x = graph.op(f"slice {x.name} from [{', '.join(start)}] to [{stop}]",
                         [size if i == axis else d for i, d in enumerate(x.dims)], x.elem,
                         lambda x=x, axis=axis: x.value.narrow(axis, 1, x.dims[axis].number - 1))
        elif kind == "pad":
            low, high = rng.randrange(3), rng.randrange(3)
            dim = x.dims[axis]
            size = Dim(dim.number + low + high,
                       f"{dim} + {low + high}" if not dim.text.isdigit() else str(dim.number + low + high))
            ends = [[amount if i == axis else 0 for i in range(rank)] for amount in (low, high)]

            def padded(x=x, axis=axis, low=low, high=high):
                value = x.value.movedim(axis, -1)
                return torch.nn.functional.pad(value, (low, high)).movedim(-1, axis)

            x = graph.op(f"pad {x.name} low {ends[0]} high {ends[1]}",
                         [size if i == axis else d for i, d in enumerate(x.dims)], x.elem, padded)
        elif kind == "flip":
            x = graph.op(f"flip {x.name} over [{axis}]", x.dims, x.elem, lambda x=x, axis=axis: x.value.flip(axis))
        elif kind == "concat":
            other = graph.argument(x.dims, x.elem)
            dim = x.dims[axis]
            size = Dim(dim.number * 2, f"2*({dim})" if not dim.text.isdigit() else str(2 * dim.number))
            x = graph.op(f"concat {x.name}, {other.name} over {axis}",
                         [size if i == axis else d for i, d in enumerate(x.dims)], x.elem,
                         lambda x=x, axis=axis: torch.cat((x.value, other.value), axis))
        elif kind == "unary":
            x = unary(graph, x)
        elif kind == "binary":
            x = binary(graph, x)
    if rng.random() < 0.3:
        axis = rng.randrange(len(x.dims))
        x = graph.op(f"sum {x.name} over [{axis}]", [d for i, d in enumerate(x.dims) if i != axis], x.elem,
                     lambda x=x, axis=axis: x.value.sum(axis))
    return finish(graph, x)


def block(graph):
    """Norm, product, activation, product, residual: a part of a model with several kernels."""
    rng = graph.rng
    b, s = graph.dim((1, 2, 3)), graph.dim(ROWS)
    d, f = graph.dim((64, 96, 128), 0), graph.dim((64, 128, 200), 0)
    elem = rng.choice(("f16", "bf16"))
    x = graph.argument([b, s, d], elem)
    g = graph.argument([d], elem)
    w1, w2 = graph.argument([f, d], elem, 0.3), graph.argument([d, f], elem, 0.3)

    def norm():
        return x.value / torch.sqrt((x.value ** 2).mean(-1, keepdim=True) + 1e-5) * g.value

    n = graph.op(f"rms_norm {x.name} weight {g.name}", x.dims, elem, norm)
    h = graph.op(f"linear {n.name}, {w1.name} acc f32", [b, s, f], "f32", lambda: n.value @ w1.value.T)
    if rng.random() < 0.5:
        w3 = graph.argument([f, d], elem, 0.3)
        u = graph.op(f"linear {n.name}, {w3.name} acc f32", [b, s, f], "f32", lambda: n.value @ w3.value.T)
        a = graph.op(f"silu {h.name}", h.dims, "f32", lambda: torch.nn.functional.silu(h.value))
        a = graph.op(f"mul {a.name}, {u.name}", h.dims, "f32", lambda a=a: a.value * u.value)
    else:
        a = graph.op(f"gelu {h.name}", h.dims, "f32", lambda: torch.nn.functional.gelu(h.value))
    a = cast(graph, a, elem)
    o = graph.op(f"linear {a.name}, {w2.name} acc f32", [b, s, d], "f32", lambda: a.value @ w2.value.T)
    y = graph.op(f"add {x.name}, {o.name}", x.dims, "f32", lambda: x.value + o.value)
    return finish(graph, y)


def heads_in_an_axis(graph):
    """Attention as models have it: queries, keys and values are parts of one row, heads are parts of these."""
    rng = graph.rng
    b, s = graph.dim((1, 2, 3)), graph.dim(ROWS)
    heads, size = rng.choice(((2, 64), (4, 32), (3, 64), (2, 128), (4, 16)))
    width, elem = heads * size, rng.choice(("f16", "f16", "bf16"))
    h, d, w, w3 = (Dim(n, str(n)) for n in (heads, size, width, 3 * width))
    x = graph.argument([b, s, w3], elem)
    if rng.random() < 0.5:
        k = graph.dim((32, 64, 72), 0)
        given, weight = graph.argument([b, s, k], elem), graph.argument([w3, k], elem, 0.3)
        x = graph.op(f"linear {given.name}, {weight.name} acc f32", [b, s, w3], "f32",
                     lambda: given.value @ weight.value.T)
        x = cast(graph, x, elem)

    def part(index):
        first = index * width
        y = graph.op(f"slice {x.name} from [0, 0, {first}] to [{b}, {s}, {first + width}]", [b, s, w], elem,
                     lambda: x.value[..., first:first + width])
        y = graph.op(f"reshape {y.name} to [{b}, {s}, {h}, {d}]", [b, s, h, d], elem,
                     lambda: y.value.reshape(*y.value.shape[:2], heads, size))
        return graph.op(f"transpose {y.name} by [0, 2, 1, 3]", [b, h, s, d], elem, lambda: y.value.transpose(1, 2))

    q, k, v = (part(index) for index in range(3))
    causal = rng.random() < 0.5

    def compute():
        scores = q.value @ k.value.transpose(-1, -2) * size ** -0.5
        if causal:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), float("-inf"))
        return torch.softmax(scores, -1) @ v.value

    o = graph.op(f"attention {q.name}, {k.name}, {v.name}" + " causal" * causal, [b, h, s, d], elem, compute)
    o = graph.op(f"transpose {o.name} by [0, 2, 1, 3]", [b, s, h, d], elem, lambda: o.value.transpose(1, 2))
    y = graph.op(f"reshape {o.name} to [{b}, {s}, {w}]", [b, s, w], elem, lambda: o.value.flatten(2))
    if rng.random() < 0.5:
        n = graph.dim((64, 72, 128), 0)
        weight = graph.argument([n, w], elem, 0.3)
        y = graph.op(f"linear {y.name}, {weight.name} acc f32", [b, s, n], "f32", lambda y=y: y.value @ weight.value.T)
    return finish(graph, y)


def groups(graph):
    """Groups of channels: their norm, and often a convolution of them after it."""
    rng = graph.rng
    n, size, count = graph.dim((1, 2, 5)), rng.choice((1, 2, 3, 8, 16)), rng.choice((1, 2, 4, 6))
    c = Dim(size * count, str(size * count))
    high, wide = graph.dim((1, 5, 8, 17, 28)), graph.dim((4, 7, 16, 33))
    elem = rng.choice(("f16", "bf16", "f32"))
    x = graph.argument([n, c, high, wide], elem)
    g, beta = graph.argument([c], elem), graph.argument([c], elem)
    y = graph.op(f"group_norm {x.name} groups {count} weight {g.name} bias {beta.name} eps 1.0e-3", x.dims, elem,
                 lambda: torch.nn.functional.group_norm(x.value, count, g.value, beta.value, 1e-3))
    if rng.random() < 0.6:
        y = unary(graph, y)
    if rng.random() < 0.5:
        own = rng.choice((1, 4, 16))
        o = Dim(own * count, str(own * count))
        w = graph.argument([o, Dim(size, str(size)), Dim(3, "3"), Dim(3, "3")], elem, 0.3)
        y = graph.op(f"conv {y.name}, {w.name} pad [1, 1] groups {count} acc f32", [n, o, high, wide], "f32",
                     lambda y=y: torch.nn.functional.conv2d(y.value, w.value, None, 1, 1, 1, count))
    return finish(graph, y)


def recurrence(graph, x, axis):
    """Each result times a factor below one, plus an element; a state before the first one in some."""
    rng = graph.rng
    factors = graph.argument(x.dims, rng.choice((x.elem, "f32")))
    factors = graph.op(f"sigmoid {factors.name}", factors.dims, factors.elem, lambda: torch.sigmoid(factors.value))
    others = x.dims[:axis] + x.dims[axis + 1:]
    init = graph.argument(others, "f32") if rng.random() < 0.5 else None
    reverse = rng.random() < 0.3
    text = f"scan {factors.name}, {x.name}{f' from {init.name}' if init else ''} over {axis}{' reverse' if reverse else ''}"
    elem = "f32" if init else common(factors.elem, x.elem)

    def compute():
        steps = range(x.value.shape[axis])
        h = init.value if init else torch.zeros_like(x.value.select(axis, 0))
        out = torch.empty_like(x.value)
        for step in reversed(steps) if reverse else steps:
            h = factors.value.select(axis, step) * h + x.value.select(axis, step)
            out.select(axis, step).copy_(h)
        return out
    return graph.op(text, x.dims, elem, compute)


def running(graph):
    """Sums, products, extremes and linear recurrences of all elements up to each, along any axis."""
    rng = graph.rng
    rank = rng.randrange(1, 4)
    axis = rng.randrange(rank)
    along = (1, 2, 31, 64, 100, 1000, 1025, 4099) if rank < 3 else (1, 31, 100, 257)
    dims = [graph.dim(along if number == axis else (1, 3, 5, 33, 64)) for number in range(rank)]
    elem = rng.choice(("f32", "f32", "f16", "bf16"))
    x = graph.argument(dims, elem)
    if rng.random() < 0.5:
        x = unary(graph, x)
    word, function = rng.choice((
        ("cumsum", lambda v: v.cumsum(axis)), ("cummax", lambda v: v.cummax(axis).values),
        ("cummin", lambda v: v.cummin(axis).values),
    ))
    if rng.random() < 0.3:
        y = recurrence(graph, x, axis)
    else:
        y = graph.op(f"{word} {x.name} over {axis}", dims, elem, lambda: function(x.value))
    return finish(graph, epilogue(graph, y, 1) if rng.random() < 0.5 else y)


def steps(graph):
    """A layer that goes along an axis step by step: each reads a position of its own, from either end, and what the one
    before it gave; in some with a product, and with all that was given as a result too."""
    rng = graph.rng
    axis, count = rng.randrange(3), rng.randrange(5, 12)
    batch, wide = graph.dim((1, 3, 5, 16, 33)), graph.dim((4, 8, 20, 64), 0.2)
    dims = [batch, wide]
    dims.insert(axis, Dim(count, str(count)))
    x = graph.argument(dims, rng.choice(("f32", "f32", "f16")))
    h = graph.argument([batch, wide], x.elem)
    w = graph.argument([wide, wide], x.elem, 0.2) if rng.random() < 0.6 else None
    first, last = ["0"] * 3, [str(dim) for dim in dims]
    turned, given = rng.random() < 0.3, []
    one = [Dim(1, "1") if number == axis else dim for number, dim in enumerate(dims)]
    for step in reversed(range(count)) if turned else range(count):
        first[axis], last[axis] = str(step), str(step + 1)
        part = graph.op(f"slice {x.name} from [{', '.join(first)}] to [{', '.join(last)}]", one, x.elem,
                        lambda: x.value.narrow(axis, step, 1))
        part = graph.op(f"reshape {part.name} to [{batch}, {wide}]", [batch, wide], x.elem,
                        lambda: part.value.squeeze(axis))
        if w is not None:
            gate = graph.op(f"gemm {h.name}, {w.name}", [batch, wide], x.elem, lambda: h.value @ w.value)
            gate = graph.op(f"add {gate.name}, {part.name}", [batch, wide], x.elem, lambda: gate.value + part.value)
            h = graph.op(f"tanh {gate.name}", [batch, wide], x.elem, lambda: torch.tanh(gate.value))
        else:
            gate = graph.op(f"sigmoid {part.name}", [batch, wide], x.elem, lambda: torch.sigmoid(part.value))
            gate = graph.op(f"mul {gate.name}, {h.name}", [batch, wide], x.elem, lambda: gate.value * h.value)
            h = graph.op(f"add {gate.name}, {part.name}", [batch, wide], x.elem, lambda: gate.value + part.value)
        given.append(h)
    if rng.random() < 0.5:
        return finish(graph, h)
    names, rows = ", ".join(value.name for value in given), f"{count}*({batch})"
    rows = Dim(count * batch.number, str(count * batch.number) if batch.text.isdigit() else rows)
    return [h, graph.op(f"concat {names} over 0", [rows, wide], x.elem, lambda: torch.cat([v.value for v in given]))]


def ordered(graph):
    """Sorts and the largest or smallest elements along any axis, with the positions that they had."""
    rng = graph.rng
    rank = rng.randrange(1, 4)
    axis = rng.randrange(rank)
    along = (1, 2, 31, 64, 100, 1000, 1025, 4099, 10000) if rank < 3 else (1, 31, 100, 257)
    dims = [graph.dim(along if number == axis else (1, 3, 5, 33)) for number in range(rank)]
    # Positions are those of torch where elements are the same: nothing is rounded before.
    x = graph.argument(dims, rng.choice(("f32", "f32", "f16", "bf16")))
    reverse = rng.random() < 0.5
    if rng.random() < 0.5:
        text = f"sort {x.name} over {axis}{' descending' if reverse else ''}"
        out, first = dims, lambda: x.value.sort(stable=True, dim=axis, descending=reverse)
    else:
        count = min(rng.choice((1, 2, 5, 50)), dims[axis].number)
        text = f"topk {x.name}, {count} over {axis}{'' if reverse else ' smallest'}"
        out = [*dims[:axis], Dim(count, str(count)), *dims[axis + 1:]]

        def first():
            both = x.value.sort(stable=True, dim=axis, descending=reverse)
            return [part.narrow(axis, 0, count) for part in both]
    values, positions = graph.pair(text, out, (x.elem, "i32"), first)
    if rng.random() < 0.5:
        values = epilogue(graph, values, 1)
    return [values, positions][: rng.choice((1, 2, 2))]


def scattered(graph):
    """Rows added at indices, in any order or in one."""
    rng = graph.rng
    n, e, d = graph.dim((1, 3, 33, 100)), graph.dim((1, 7, 100, 1000)), graph.dim((1, 5, 64, 130))
    x = graph.argument([n, d], rng.choice(("f32", "f32", "f16", "bf16")))
    i = graph.argument([e], "i32", integers=n.number)
    m = unary(graph, graph.argument([e, d], rng.choice((x.elem, "f32"))))
    how = " any_order" if rng.random() < 0.7 else ""
    y = graph.op(f"scatter_add {x.name}, {i.name}, {m.name} over 0{how}", [n, d], common(x.elem, m.elem),
                 lambda: x.value.index_add(0, i.value.long(), m.value))
    return finish(graph, epilogue(graph, y, 1) if rng.random() < 0.5 else y)


KINDS = {f.__name__: f for f in (
    product, chain, attention, heads_of_64, heads_in_an_axis, convolution, groups, rows, reduction, extremum, running, steps, ordered, scattered, views, block)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=KINDS)
    args = parser.parse_args()
    for number in range(args.count):
        rng = random.Random(f"{args.seed}.{number}")
        kind = args.only or rng.choice(list(KINDS))
        graph = Graph(rng)
        name = f"{kind}_{args.seed}_{number}"
        results = KINDS[kind](graph)
        folder = os.path.join(args.dir, name)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "program.mlir"), "w") as file:
            file.write(graph.text(name, results))
        if torch is not None:
            np.savez(os.path.join(folder, "inputs.npz"), **graph.arrays)
            arrays = {result.name[1:]: rounded(result.value, result.elem)[1] for result in results}
            np.savez(os.path.join(folder, "expected.npz"), **arrays)


if __name__ == "__main__":
    main()
