"""Models of PyTorch as graphs, against eager on the CPU: `python3 -m unittest tools/python/test_dlc_torch.py`."""
import copy
import importlib.util
import itertools
import math
import os
import sys
import types
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

MISSING = next((name for name in ("dlc", "torch") if importlib.util.find_spec(name) is None), None)
if MISSING is None:
    import torch
    from torch import nn
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.export import Dim
    from torch.nn import functional as F

    import dlc
    import dlc.torch
    from dlc import _arrays
    from torch_models import function


def setUpModule():
    if MISSING:
        raise unittest.SkipTest(f"{MISSING} is not installed")
    torch.manual_seed(0)


def close(test, actual, expected, what=""):
    actual, expected = ([value] if isinstance(value, torch.Tensor) else list(value) for value in (actual, expected))
    test.assertEqual(len(actual), len(expected), what)
    for one, other in zip(actual, expected):
        test.assertEqual((one.dtype, one.shape), (other.dtype, other.shape), what)
        bound = 2e-2 if other.dtype in (torch.float16, torch.bfloat16) else 2e-5
        torch.testing.assert_close(one, other, rtol=bound, atol=bound, equal_nan=True, msg=lambda text: f"{what}: {text}")


def writes(a, b):
    """Writes into parts of a tensor."""
    a, c, d = a.clone(), a.clone(), a.clone()
    a[1:, :2] = b[1:, :2]
    c[:, -1] = 3.0
    d[0] += b[1]
    return a, c, d


def ops():
    """Functions of one or several tensors, with inputs."""
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    positive, counts = torch.rand(3, 4) + 0.5, torch.randint(-9, 9, (3, 4))
    image = torch.randn(2, 4, 9, 8)
    unary = (
        "exp exp2 sin cos tan atan sinh cosh tanh asinh erf sigmoid neg abs square sign relu floor ceil trunc round isnan "
        "isinf isfinite reciprocal"
    ).split()
    for name in unary:
        yield name, getattr(torch, name), (x,)
    for name in "log log2 log10 log1p sqrt rsqrt expm1".split():
        yield name, getattr(torch, name), (positive,)
    for name in "gelu silu mish hardswish hardsigmoid hardtanh relu6 elu selu celu leaky_relu softplus logsigmoid softsign".split():
        yield name, getattr(F, name), (4 * x,)
    for name in "add sub mul div maximum minimum pow remainder fmod eq ne lt le gt ge floor_divide copysign logaddexp".split():
        yield name, getattr(torch, name), (positive if name == "pow" else x, y)
    yield "numbers", lambda a: (a + 1, 2 - a, a * 0.5, a / 3, a**2, a**3, a**0.5, 1 / a, a > 0.7, a == 1), (positive,)
    yield "integers", lambda a: (a + 1, a / 2, a // 3, a % 3, a * 1.5, a & 3, a | 4, a ^ 1, ~a, a.float()), (counts,)
    yield "alpha", lambda a, b: (torch.add(a, b, alpha=2), torch.sub(a, b, alpha=0.5)), (x, y)
    yield "types", lambda a, b: (a + b, a * b, a > b, torch.where(a > 0, a, b)), (x.half(), y)
    yield "logic", lambda a, b: ((a > 0) & (b > 0), torch.logical_or(a > 0, b > 0), ~(a > 0), torch.logical_xor(a, b)), (x, y)
    yield "clamp", lambda a: (a.clamp(-0.5, 0.5), a.clamp(min=0.1), a.clamp(max=0.2)), (x,)
    yield "infinity", lambda a: torch.where(a > 0, a, float("-inf")).softmax(-1), (x,)
    yield "masked_fill", lambda a, b: a.masked_fill(b > 0, -1e9), (x, y)
    yield "lerp", lambda a, b: torch.lerp(a, b, 0.25), (x, y)
    yield "gelu_tanh", lambda a: F.gelu(a, approximate="tanh"), (x,)
    yield "sorted", lambda a: (*a.sort(1), *a.sort(0, descending=True), *a.topk(2, 1), *a.topk(2, 0, largest=False)), (x,)
    yield "sums", lambda a: (a.sum(), a.sum(0), a.sum((0, 1), keepdim=True), a.mean(-1), a.prod(1), a.cumsum(1)), (x,)
    yield "counts", lambda a: (a.sum(), a.amax(0), a.amin(1), a.float().mean(), (a > 0).sum(1)), (counts,)
    yield "extremes", lambda a: (a.amax(-1), a.max(), *a.max(1), *a.min(0), a.argmax(), a.argmin(1, keepdim=True)), (x,)
    yield "spread", lambda a: (a.var(1), a.std(0, keepdim=True), a.var(1, correction=0), a.logsumexp(-1), a.norm(dim=1)), (x,)
    yield "norms of vectors", lambda a: [torch.linalg.vector_norm(a, n, dim=1) for n in (0, 1, 2, 3, math.inf, -math.inf)], (x,)
    yield "var_mean", lambda a: (*torch.var_mean(a, 1), *torch.std_mean(a, 0, keepdim=True, correction=0)), (x,)
    yield "any", lambda a: ((a > 0).any(), (a > 0).any(1), (a > 0).all(0), (a > 1).all()), (x,)
    yield "softmax", lambda a: (a.softmax(0), F.log_softmax(a, -1), a.half().softmax(-1, dtype=torch.float32)), (x,)
    yield "products", lambda a, b: (a @ b.T, torch.einsum("ij,kj->ik", a, b), a @ b[0], torch.addmm(a[:, :3], a, b.T)), (x, y)
    yield "batches", lambda a, b: (a @ b, torch.bmm(a, b), torch.baddbmm(a[:, :, :5], a, b)), (torch.randn(2, 3, 6), torch.randn(2, 6, 5))
    yield "addmm", lambda a, b: torch.addmm(a[:, :3], a, b.T, beta=0.5, alpha=2), (x, y)
    yield "views", lambda a: (a.view(2, 6), a.T, a[None], a.unsqueeze(1).squeeze(1), a.flatten(), a.expand(2, 3, 4)), (x,)
    yield "strides", lambda a: (torch.as_strided(a, (2, 6), (6, 1)), torch.as_strided(a, (12, 1), (1, 5)), F.adaptive_avg_pool1d(a.T[None], 1)), (x,)
    yield "slices", lambda a: (a[1], a[:, -1], a[1:, :2], a[:, ::2], a[-2:], a[:, 1:100], a.narrow(1, 1, 2)), (x,)
    yield "parts", lambda a: (*a.split(2, 1), *a.chunk(2, 1), *a.split([1, 3], 1), *a.unbind(0)), (x,)
    yield "joins", lambda a, b: (torch.cat([a, b], 1), torch.stack([a, b], 1), torch.cat([a, b.half().float()])), (x, y)
    yield "repeat", lambda a: (a.repeat(2, 1), a.flip(1), F.pad(a, (1, 2)), F.pad(a, (0, 1, 2, 0), value=3.0), a.tril(), a.triu(1)), (x,)
    yield "full", lambda a: (torch.zeros_like(a), torch.full((2,), 0.5) + a[0, 0], torch.ones(3, 4) * a, torch.arange(4) + a), (x,)
    yield "arange", lambda a: torch.arange(1, 9, 2) * a, (counts,)
    yield "rows", lambda a, i: (F.embedding(i, a), a[i], a.index_select(1, i), torch.gather(a, 1, i[None].expand(3, 3))), (x, torch.tensor([2, 0, 1]))
    yield "indices", lambda a, i: (a[i, i + 1], a[-i - 1], a[:, None, i], a[i[:, None], i[None]], a.diagonal(), a.diagonal(1), a.diagonal(-1)), (x, torch.tensor([2, 0, 1]))
    yield "indices apart", lambda a, i: (a[i, :, i], a[:, i, i], a[:, i[:, None], i]), (image[0], torch.tensor([2, 0, 1]))
    yield "windows", lambda a: (a.unfold(1, 2, 2), a.unfold(0, 2, 1), a.unfold(1, 3, 2), F.unfold(a[None, None], 2), F.unfold(a[None, None], (2, 3), 1, 1, 2)), (x,)
    yield "pads", lambda a: (F.pad(a, (2, 1, 0, 3), "reflect"), F.pad(a, (1, 2, 3, 0), "replicate"), F.pad(a[0], (2, 1), "reflect")), (image,)
    yield "writes", writes, (x, y)
    yield "scatter", lambda a, i: (a.scatter(1, i[:, None], 2.0), a.scatter(1, i[:, None], a[:, 1:2]), F.one_hot(i, 4)), (x, torch.tensor([2, 0, 1]))
    yield "bounds", lambda a, b: (a.clamp(b, b + 1), a.clamp(max=b)), (x, y)
    yield "adaptive", lambda a: [F.adaptive_avg_pool2d(a, s) for s in ((3, 4), 1, (4, 3), (9, 8), (12, 2))] + [F.adaptive_max_pool2d(a, (3, 2))], (image,)
    yield "adaptive3d", lambda a: (F.adaptive_avg_pool3d(a, (2, 3, 4)), F.adaptive_avg_pool3d(a, 1), F.adaptive_avg_pool1d(a[0], 5)), (image,)
    yield "divisor", lambda a: (F.avg_pool2d(a, 2, divisor_override=3), F.avg_pool2d(a, (2, 3), 1, 1, divisor_override=1)), (image,)
    yield "resize", lambda a: [F.interpolate(a, scale_factor=2, mode=mode) for mode in ("nearest", "bilinear", "bicubic")] + [F.interpolate(a, (5, 12), mode="bilinear", align_corners=True)], (image,)
    yield "conv", lambda a, w: (F.conv2d(a, w), F.conv2d(a, w, w[:, 0, 0, 0], 2, 1), F.conv2d(a, w, dilation=2)), (image, torch.randn(6, 4, 3, 3))
    yield "groups", lambda a, w: F.conv2d(a, w, padding=1, groups=4), (image, torch.randn(8, 1, 3, 3))
    yield "conv1d", lambda a, w: F.conv1d(a, w, padding=1), (image[0], torch.randn(6, 9, 3))
    yield "transposed", lambda a, w: F.conv_transpose2d(a, w, stride=2, padding=1, output_padding=1), (image, torch.randn(4, 3, 3, 3))
    yield "pools", lambda a: (F.max_pool2d(a, 3, 2, 1), F.avg_pool2d(a, 2), F.avg_pool2d(a, 3, 2, 1, count_include_pad=False), F.max_pool2d(a, 2, ceil_mode=True)), (image,)
    yield "global", lambda a: (F.adaptive_avg_pool2d(a, 1), a.mean((2, 3))), (image,)
    yield "norms", lambda a, w: (F.layer_norm(a, (8,), w[0], w[1]), F.layer_norm(a, (9, 8)), F.rms_norm(a, (8,), w[0], 1e-6), F.group_norm(a, 2)), (image, torch.randn(2, 8))
    yield "attention", lambda q, k, v: (
        F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, scale=0.5),
        F.scaled_dot_product_attention(q, q, q, is_causal=True),
    ), (torch.randn(2, 4, 5, 8), torch.randn(2, 4, 6, 8), torch.randn(2, 4, 6, 8))
    yield "masks", lambda q, m: (F.scaled_dot_product_attention(q, q, q, m > 0), F.scaled_dot_product_attention(q, q, q, m)), (torch.randn(2, 4, 5, 8), torch.randn(5, 5) + torch.eye(5) * 9)
    yield "gqa", lambda q, k: F.scaled_dot_product_attention(q, k, k, enable_gqa=True), (torch.randn(2, 4, 5, 8), torch.randn(2, 2, 5, 8))


class Ops(unittest.TestCase):
    def test_against_eager(self):
        for name, compute, inputs in ops():
            with self.subTest(name):
                model = function(compute)
                close(self, dlc.torch.compile(model, inputs)(*inputs), model(*inputs), name)


class Models(unittest.TestCase):
    def check(self, model, *inputs, dynamic_shapes=None, others=()):
        model = model.eval()
        with torch.no_grad():
            compiled = dlc.torch.compile(model, inputs, dynamic_shapes=dynamic_shapes)
            for given in (inputs, *others):
                close(self, compiled(*given), model(*given), compiled.source)
        return compiled

    def test_perceptron(self):
        model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Dropout(0.5), nn.Linear(16, 4))
        compiled = self.check(
            model, torch.randn(3, 8), dynamic_shapes=({0: Dim("B")},), others=[(torch.randn(1, 8),), (torch.randn(7, 8),)]
        )
        self.assertEqual(list(compiled.graph.bound), ["p_0_weight", "p_0_bias", "p_3_weight", "p_3_bias"])
        self.assertIn("tiny.func", compiled.program.text("tiny"))

    def test_modules_and_exported_programs_are_sources(self):
        model, x = nn.Linear(8, 4), torch.rand(3, 8)
        for f in [dlc.compile(model, (x,)), dlc.compile(torch.export.export(model, (x,)))]:
            self.assertTrue(torch.allclose(f(x), model(x), atol=1e-5))
            self.assertIn("contract", f.text("tiny"))
            self.assertEqual(list(f.plan), ["main_0"])
            self.assertIn("main_0", f.explain())
        with self.assertRaisesRegex(dlc.ArgumentError, "of PyTorch, and this is of int"):
            dlc.compile(3)
        with self.assertRaisesRegex(dlc.ArgumentError, "has its inputs in its text"):
            dlc.compile("tiny.func @f() {}", (x,))

    def test_many_values_of_a_name_take_as_long_each(self):
        builder = dlc.torch.Builder()
        names = [builder.name("step") for _ in range(20000)]
        self.assertEqual(len(set(names)), 20000)
        self.assertEqual(names[-1], "%step_19999")
        self.assertEqual(builder.name("step_7"), "%step_7_1")

    def test_half_precision(self):
        self.check(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.LayerNorm(16)).bfloat16(), torch.randn(3, 8).bfloat16())

    def test_residual_block(self):
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.two = nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.Conv2d(8, 8, 3, 1, 1, bias=False)
                self.norm_one, self.norm_two = nn.BatchNorm2d(8), nn.BatchNorm2d(8)
                self.down, self.head = nn.Conv2d(3, 8, 1, 2), nn.Linear(8, 5)

            def forward(self, x):
                y = self.norm_two(self.two(F.relu(self.norm_one(self.one(x))))) + self.down(x)
                return self.head(F.adaptive_avg_pool2d(F.relu(y), 1).flatten(1))

        block = Block()
        for norm in (block.norm_one, block.norm_two):
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.5, 2)
        self.check(block, torch.randn(2, 3, 8, 8), dynamic_shapes=({0: Dim("N")},), others=[(torch.randn(4, 3, 8, 8),)])

    def test_transformer(self):
        class Block(nn.Module):
            def __init__(self, width=16, heads=4):
                super().__init__()
                self.heads, self.embed = heads, nn.Embedding(11, width)
                self.norm_one, self.norm_two = nn.LayerNorm(width), nn.LayerNorm(width)
                self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
                self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

            def forward(self, ids):
                x = self.embed(ids)
                parts = self.qkv(self.norm_one(x)).chunk(3, -1)
                q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
                a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
                x = x + self.out(a.transpose(1, 2).flatten(2))
                return x + self.down(F.gelu(self.up(self.norm_two(x))))

        sizes = {0: Dim("B"), 1: Dim("S", max=64)}
        compiled = self.check(
            Block(), torch.randint(0, 11, (2, 5)), dynamic_shapes=(sizes,), others=[(torch.randint(0, 11, (3, 9)),)]
        )
        self.assertIn("attention", compiled.source)
        with self.assertRaises(dlc.ArgumentError) as caught:
            compiled(torch.randint(0, 11, (1, 65)))
        self.assertEqual(caught.exception.argument, "ids")

    def test_standard_modules(self):
        attention = nn.MultiheadAttention(16, 4, batch_first=True)
        x = torch.randn(2, 5, 16)
        self.check(function(lambda x: attention.eval()(x, x, x, need_weights=False)[0]), x)
        self.check(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), x)

    def test_norms_of_batches_in_training(self):
        model = nn.Sequential(
            nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.BatchNorm2d(4, affine=False), nn.InstanceNorm2d(4)
        )
        eager, x = copy.deepcopy(model), torch.randn(2, 3, 6, 6)
        with torch.no_grad():
            run = dlc.torch.compile(model, (x,))
            for _ in range(3):
                close(self, run(x), eager(x))
        for name, buffer in eager.named_buffers():
            close(self, model.get_buffer(name), buffer, name)
        half = nn.BatchNorm1d(4).half()
        close(self, dlc.torch.compile(half, (x[0, 0].half()[:, :4],))(x[0, 0].half()[:, :4].contiguous()), half(x[0, 0].half()[:, :4]))

    def test_recurrent_layers(self):
        x = torch.randn(2, 3, 4)
        for model in (
            nn.LSTM(4, 5, 2, batch_first=True), nn.LSTM(4, 5, bidirectional=True, bias=False), nn.GRU(4, 5, 2, bidirectional=True),
            nn.GRU(4, 3, batch_first=True), nn.RNN(4, 5, 2), nn.RNN(4, 5, nonlinearity="relu", batch_first=True),
        ):
            run = dlc.torch.compile(model, (x,))
            (actual, last), (expected, expected_last) = run(x), model(x)
            self.assertNotIn("%mm", run.source)
            flat = lambda state: list(state) if isinstance(state, tuple) else [state]
            close(self, [actual, *flat(last)], [expected, *flat(expected_last)], type(model).__name__)
        one = torch.randn(1, 2, 4)
        state = torch.randn(1, 2, 5), torch.randn(1, 2, 5)
        model = nn.LSTM(4, 5)
        actual = dlc.torch.compile(model, (one, state))(one, state)
        close(self, [actual[0], *actual[1]], [model(one, state)[0], *model(one, state)[1]])
        with self.assertRaisesRegex(dlc.torch.UnsupportedOp, "with projections"):
            dlc.torch.compile(nn.LSTM(4, 5, proj_size=2), (x,))

    def test_parameters_with_names_of_modules_of_fx(self):
        class Codes(nn.Module):
            def __init__(self):
                super().__init__()
                self.code = nn.Parameter(torch.randn(3))
                self.register_buffer("graph", torch.randn(3))
                self.register_buffer("meta", torch.randn(3), persistent=False)
                self.register_buffer("print_readable", torch.zeros(3))
                self.recompile = nn.Linear(3, 3)
                self.code_1 = nn.Parameter(torch.randn(3))

            def forward(self, x):
                self.print_readable.add_(x.sum())
                return self.recompile(x * self.code) + self.graph * self.meta - self.code_1

        model, x = Codes(), torch.randn(2, 3)
        run = self.check(model, x, others=[(torch.randn(2, 3),)])
        with torch.no_grad():
            model.code.zero_()
            before = model.print_readable.clone()
            close(self, run(x), model(x))
        close(self, model.print_readable, before + 2 * x.sum())
        with FakeTensorMode():
            self.assertEqual(dlc.torch.translate(dlc.torch.export(Codes(), (torch.randn(2, 3),))).source, run.source)

    def test_recurrent_cells(self):
        class Loop(nn.Module):
            def __init__(self, cell):
                super().__init__()
                self.cell = cell

            def forward(self, x, *state):
                for step in x:
                    state = self.cell(step, state if len(state) == 2 else state[0])
                    state = state if isinstance(state, tuple) else (state,)
                return state

        def model(kind, **others):
            return Loop(kind(4, 5, **others)), (torch.randn(2, 3, 4), *[torch.randn(3, 5) for _ in range(2 if kind is nn.LSTMCell else 1)])

        for kind, others in itertools.product((nn.LSTMCell, nn.GRUCell, nn.RNNCell), ({}, {"bias": False})):
            with self.subTest(kind=kind, **others):
                loop, inputs = model(kind, **others)
                run = dlc.torch.compile(loop, inputs)
                self.assertNotIn("%mm", run.source)
                close(self, run(*inputs), loop(*inputs), run.source)
                # Tensors of a GPU, of which only sizes are known, give the same graph.
                with FakeTensorMode(), torch.device("cuda"):
                    self.assertEqual(dlc.torch.translate(dlc.torch.export(*model(kind, **others))).source, run.source)

    def test_fused_recurrent_cells(self):
        # torch.compile traces these on a GPU, after the products.
        for kind, name in ((nn.LSTMCell, "lstm"), (nn.GRUCell, "gru")):
            cell, x, state, last = kind(4, 5), torch.randn(3, 4), torch.randn(3, 5), torch.randn(3, 5)
            products = [x @ cell.weight_ih.T, state @ cell.weight_hh.T]
            given = [*products, last if name == "lstm" else state, cell.bias_ih, cell.bias_hh]
            b = dlc.torch.Builder()
            values = [dlc.torch.Value(f"%x{number}", one.dtype, tuple(map(str, one.shape))) for number, one in enumerate(given)]
            made = dlc.torch.OPS[f"aten._thnn_fused_{name}_cell.default"](b, None, *values)
            self.assertIsNone(made[-1])
            arguments = ", ".join(f"{value.name}: {b.type(value)}" for value in values)
            results = [value.name for value in made[:-1]]
            types = ", ".join(b.type(value) for value in made[:-1])
            source = "\n".join([f"frontend.graph @main({arguments}) -> ({types}) {{", *b.all_lines(), f"  output {', '.join(results)}", "}"])
            with torch.no_grad():
                actual, expected = dlc.compile(source)(*given), cell(x, (state, last) if name == "lstm" else state)
                close(self, actual, expected, source)

    def test_new_statistics_that_the_model_reads(self):
        class Twice(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.BatchNorm1d(3)

            def forward(self, x):
                y = self.norm(self.norm(x))
                return y + self.norm.running_mean, self.norm.running_var.sqrt()

        model, x = Twice(), torch.randn(5, 3)
        eager = copy.deepcopy(model)
        with torch.no_grad():
            run = dlc.torch.compile(model, (x,))
            close(self, run(x), eager(x))
        for name, buffer in eager.named_buffers():
            close(self, model.get_buffer(name), buffer, name)

    def test_random_numbers_are_those_of_eager_mode(self):
        model = function(lambda x: torch.randn(2, 3) * x + torch.rand_like(x))
        x = torch.randn(2, 3)
        run = dlc.torch.compile(model, (x,))
        for seed in range(2):
            torch.manual_seed(seed)
            expected = [model(x), model(x)]
            torch.manual_seed(seed)
            close(self, [run(x), run(x)], expected)

    def test_inputs_and_outputs_are_nested(self):
        class Nested(nn.Module):
            def forward(self, pair, *, scale):
                return {"sum": pair[0] + pair["b"] if isinstance(pair, dict) else pair[0] + pair[1], "scaled": (pair[0] * scale,)}

        inputs, scale = ((torch.randn(3), torch.randn(3)),), torch.randn(3)
        compiled = dlc.torch.compile(Nested(), inputs, {"scale": scale})
        actual, expected = compiled(*inputs, scale=scale), Nested()(*inputs, scale=scale)
        close(self, [actual["sum"], actual["scaled"][0]], [expected["sum"], expected["scaled"][0]])
        with self.assertRaises(dlc.ArgumentError):
            compiled(*inputs)


class Flags(unittest.TestCase):
    def marks(self, model, shape, convolutions=True, products=False):
        """How many ops of the graph may round to TF32 with torch's flags set so."""
        cudnn, matmul = torch.backends.cudnn, torch.backends.cuda.matmul
        with mock.patch.object(type(cudnn), "allow_tf32", convolutions), mock.patch.object(type(matmul), "allow_tf32", products, create=True):
            return dlc.torch.translate(torch.export.export(model, (torch.randn(shape),))).source.count(" tf32")

    def test_convolutions_may_round_where_torch_lets_them(self):
        shape = (1, 16, 99, 99)
        self.assertEqual(self.marks(nn.Conv2d(16, 36, 3), shape), 1)
        self.assertEqual(self.marks(nn.ConvTranspose2d(16, 36, 3), (2, 16, 99, 99)), 1)
        self.assertEqual(self.marks(nn.Conv2d(16, 36, 3), shape, convolutions=False), 0)
        self.assertEqual(self.marks(nn.Conv2d(16, 36, 3, groups=2), shape), 0, "in groups")
        self.assertEqual(self.marks(nn.Conv2d(16, 8, 3), shape), 0, "few channels")
        self.assertEqual(self.marks(nn.Conv2d(4, 16, 7), (1, 4, 99, 99)), 1, "few channels, and a large window")
        self.assertEqual(self.marks(nn.Conv2d(3, 96, 11), (1, 3, 99, 99)), 0, "three channels")
        self.assertEqual(self.marks(nn.Conv3d(8, 64, 3), (1, 8, 9, 9, 9)), 0, "in 3D, few channels")
        self.assertEqual(self.marks(nn.Conv3d(12, 64, 3), (1, 12, 9, 9, 9)), 1)
        self.assertEqual(self.marks(nn.Conv2d(48, 64, 1), (1, 48, 9, 9)), 1, "a window of one")
        self.assertEqual(self.marks(nn.ConvTranspose2d(16, 8, 3), shape), 0, "transposed, of few results")
        self.assertEqual(self.marks(nn.ConvTranspose2d(16, 36, 3), shape), 0, "transposed, of little work")

    def test_products_round_only_where_torch_is_asked_to(self):
        self.assertEqual(self.marks(nn.Linear(16, 8), (2, 16)), 0)
        self.assertEqual(self.marks(nn.Linear(16, 8), (2, 16), products=True), 1)


class Gpu(unittest.TestCase):
    def test_a_model_on_a_gpu(self):
        if not torch.cuda.is_available():
            self.skipTest("there is no GPU")
        model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128)).half().cuda().eval()
        x = torch.randn(32, 64, device="cuda", dtype=torch.float16)
        compiled = dlc.torch.compile(model, (x,), dynamic_shapes=({0: Dim("B")},))
        for rows in (32, 7):
            close(self, compiled(x[:rows].contiguous()), model(x[:rows]))

    def test_a_call_that_is_captured_into_a_graph(self):
        if not torch.cuda.is_available():
            self.skipTest("there is no GPU")
        # Two kernels with memory between them, which is taken while the stream is captured.
        model = function(lambda x, w: (x @ w).softmax(-1) @ w.T)
        x, w = torch.randn(50, 30, device="cuda"), torch.randn(30, 40, device="cuda")
        compiled = dlc.torch.compile(model, (x, w))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = compiled(x, w)
        graph.replay()
        close(self, y, model(x, w))


class Ready(unittest.TestCase):
    """Calls on tensors of a GPU, without one: tensors of the CPU stand in for them, and launches are written down."""

    class Driver:
        """A program that writes down what is asked of it."""

        def __init__(self, program):
            self.program, self.bound, self.launched = program, [], []

        def __getattr__(self, name):
            return getattr(self.program, name)

        def on_device(self, device, positional, named, sizes):
            self.bound.append(([*positional, *named], sizes))
            rows, columns = (positional[0] if positional else dict(named)["X"])[1]
            launch = lambda inputs, outputs, stream: self.launched.append((inputs, outputs))
            return types.SimpleNamespace(outputs=[("float32", [rows, columns])], launch=launch)

    def test_a_call_is_bound_once_for_its_sizes(self):
        program = dlc.compile("""tiny.func @scale<M, N>(%X: tensor<[M, N], f32>, %row: tensor<[N], f32>) -> tensor<[M, N], f32> {
          %y = mul %X, %row
          return %y
        }""")
        driver = program._program = self.Driver(program._program)
        x, row, other = torch.ones(2, 3), torch.ones(3), torch.ones(4, 3)
        with mock.patch.object(_arrays, "on_device", lambda value: value), mock.patch.object(
            torch._C, "_cuda_getCurrentRawStream", lambda index: 7, create=True
        ):
            for given, named in (((x, row), {}), ((x, row), {}), ((x,), {"row": row}), ((), {"row": row, "X": x})):
                y = program(*given, **named)
                self.assertEqual(driver.launched[-1], ([x.data_ptr(), row.data_ptr()], [y.data_ptr()]))
                self.assertEqual((y.shape, y.dtype), (x.shape, x.dtype))
            self.assertEqual(len(driver.bound), 3, "by position once, and once for each way of naming")
            program(other, row)
            self.assertEqual(len(driver.bound), 4, "other sizes")
            with self.assertRaises(dlc.ArgumentError) as caught:
                program(torch.ones(3, 2).T, row)
            self.assertEqual(caught.exception.argument, "X")
            program(x, row, sizes={"M": 2})
            self.assertEqual(driver.bound[-1][1], [("M", 2)])


class Refused(unittest.TestCase):
    def test_an_op_that_is_not_known_is_named_with_its_place(self):
        class Inner(nn.Module):
            def forward(self, x):
                return torch.special.bessel_j0(x)  # the line that is meant

        class Outer(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()

            def forward(self, x):
                return torch.sort(self.inner(x) + 1)[0]

        with self.assertRaises(dlc.torch.UnsupportedOp) as caught:
            dlc.torch.compile(Outer(), (torch.randn(3),))
        error = caught.exception
        self.assertEqual(error.message, "no translation of aten.special_bessel_j0.default is registered; it is from inner")
        self.assertIn("# the line that is meant", str(error))
        self.assertTrue(error.place.file.endswith("test_dlc_torch.py"))
        self.assertEqual(error.suggestion, '@dlc.torch.register("aten.special_bessel_j0.default") adds a translation')

    def test_strides_that_are_no_view_are_refused(self):
        for size, stride in (((2, 6), (1, 2)), ((2, 3), (3, 1)), ((3, 3), (3, 1))):
            with self.assertRaises(dlc.torch.UnsupportedOp):
                dlc.torch.compile(function(lambda x: torch.as_strided(x, size, stride)), (torch.randn(3, 4),))

    def test_translations_are_added(self):
        name = "aten.special_bessel_j0.default"

        @dlc.torch.register(name)
        def zeros(b, node, x):
            return b.emit(f"mul {x.name}, {b.number(0.0, x.dtype).name}", x.dtype, x.shape, node.name)

        try:
            compiled = dlc.torch.compile(function(torch.special.bessel_j0), (torch.randn(3),))
            self.assertTrue(torch.equal(compiled(torch.ones(3)), torch.zeros(3)))
        finally:
            del dlc.torch.OPS[name]

    def test_models_that_change_an_input(self):
        with self.assertRaises(dlc.Error) as caught:
            dlc.torch.compile(function(lambda x: x.add_(1)), (torch.randn(3, 4),))
        self.assertIn("the model changes its input", caught.exception.message)

    def test_wrong_inputs_are_named(self):
        compiled = dlc.torch.compile(nn.Linear(4, 2), (torch.randn(3, 4),))
        for wrong in (torch.randn(3, 5), torch.randn(3, 4).double(), torch.randn(4, 3).T):
            with self.assertRaises(dlc.ArgumentError) as caught:
                compiled(wrong)
            self.assertEqual(caught.exception.argument, "input")


if __name__ == "__main__":
    unittest.main()
