"""Ops of PyTorch that become several ops of graphs, against eager on the CPU: `python3 -m unittest tools/python/test_dlc_torch_ops.py`."""
import importlib.util
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

MISSING = next((name for name in ("dlc", "torch") if importlib.util.find_spec(name) is None), None)
if MISSING is None:
    import torch
    from torch import nn
    from torch.export import Dim
    from torch.nn import functional as F

    import dlc.torch
    from torch_models import function


def setUpModule():
    if MISSING:
        raise unittest.SkipTest(f"{MISSING} is not installed")
    torch.manual_seed(0)


def changed(x, index, value):
    """A copy with elements written."""
    y = x.clone()
    y[index] = value
    return y


class Ops(unittest.TestCase):
    def check(self, cases, **others):
        for what, (compute, *inputs) in cases.items():
            with self.subTest(what):
                model = function(compute)
                run = dlc.torch.compile(model, tuple(inputs), **others)
                self.same(run(*inputs), model(*inputs), f"{what}\n{run.source}")

    def same(self, actual, expected, what):
        bound = lambda value: 2e-2 if isinstance(value, torch.Tensor) and value.dtype in (torch.half, torch.bfloat16) else 3e-5
        actual, expected = ([value] if isinstance(value, torch.Tensor) else list(value) for value in (actual, expected))
        self.assertEqual(len(actual), len(expected))
        for one, other in zip(actual, expected):
            self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape), what)
            torch.testing.assert_close(one, other, rtol=bound(other), atol=bound(other), equal_nan=True, msg=lambda text: f"{text}\n{what}")

    def check_sizes(self, cases, rows=(3, 6, 8)):
        size = Dim("S", min=3, max=64)
        for what, compute in cases.items():
            with self.subTest(what):
                model = function(compute)
                run = dlc.torch.compile(model, (torch.randn(6, 4),), dynamic_shapes=(({0: size},),))
                for count in rows:
                    x = torch.randn(count, 4)
                    self.same(run(x), model(x), f"{what}\n{run.source}")

    def test_writes_at_indices(self):
        x, rows, i = torch.randn(5, 3), torch.randn(2, 3), torch.tensor([3, 0])
        again, counts = torch.tensor([3, 3]), torch.randint(-9, 9, (5, 3))
        cube = torch.randn(4, 3, 5)
        self.check({
            "index_put": (lambda x, i, r: (x.index_put((i,), r), x.index_put((i - 4,), r[0]), x.index_put((i, i[:1] % 3), r[0, 0])), x, i, rows),
            "pairs": (lambda x, i, r: (x.index_put((i, i % 3), r[:, 0]), x.index_put((i[:, None], i % 3), r[:, :2])), x, i, rows),
            "inner axes": (lambda x, i: (changed(x, (slice(None), i % 3), 2.0), changed(x, (slice(None), i % 3), x[:, :2]), changed(x, (i, slice(None), i), x[:2, :, 0])), cube, i),
            "integers": (lambda x, i: (x.index_put((i,), x[:2]), x.index_put((i,), x[:2], accumulate=True)), counts, i),
            "booleans": (lambda x, i: (x.index_put((i,), ~x[:2]), x.index_put((i,), x[:2], accumulate=True)), counts > 0, i),
            "accumulate": (lambda x, i, r: (x.index_put((i,), r, accumulate=True), x.index_add(0, i, r), x.index_add(0, i, r, alpha=2)), x, again, rows),
            "columns": (lambda x, i: (x.index_add(1, i % 3, x[:, :2]), x.index_copy(1, i % 3, x[:, :2]), x.index_fill(1, i % 3, 4.0)), x, i),
            "index_copy": (lambda x, i, r: (x.index_copy(0, i, r), x.index_fill(0, i, 1.0)), x, i, rows),
            "half": (lambda x, i, r: (x.index_put((i,), r), x.index_add(0, i, r)), x.half(), i, rows.half()),
            "infinite": (lambda x, i, r: (x.index_put((i,), r * math.inf), x.index_put((i,), r / 0)), x, i, rows),
        })

    def test_writes_at_masks(self):
        x, y = torch.randn(5, 3), torch.randn(20)
        self.check({
            "number": (lambda x: (changed(x, x > 0, 0.0), changed(x, x[:, 0] > 0, 1.0)), x),
            "row": (lambda x: changed(x, x[:, 0] > 0, x[0]), x),
            "masked_scatter": (lambda x, y: (x.masked_scatter(x > 0, y), x.masked_scatter(x[:, :1] > 0, y)), x, y),
        })

    def test_scatters(self):
        x, source = torch.randn(5, 3), torch.randn(4, 3)
        ids, short = torch.randint(0, 5, (4, 3)), torch.tensor([[4, 0], [2, 2]])
        distinct = torch.stack([torch.randperm(5)[:4] for _ in range(3)], 1)
        kinds = ("sum", "prod", "amax", "amin", "mean")
        self.check({
            "src": (lambda x, i, s: (x.scatter(0, i, s), x.scatter(0, i, 2.0), x.scatter(0, i[:2, :2], s)), x, distinct, source),
            "add": (lambda x, i, s: (x.scatter_add(0, i, s), x.scatter_add(0, i[:2, :1], s)), x, ids, source),
            "other axis": (lambda x, i, s: (x.scatter_add(1, i % 3, s[:2]), x.scatter(1, i[:1] % 3, 5.0)), x, short, source),
            "half": (lambda x, i, s: x.scatter_add(0, i, s), x.half(), ids, source.half()),
            "reduce": (lambda x, i, s: [x.scatter_reduce(0, i, s, kind) for kind in kinds], x, ids, source),
            "without self": (lambda x, i, s: [x.scatter_reduce(0, i, s, kind, include_self=False) for kind in kinds], x, ids, source),
            "integers": (lambda x, i, s: [x.scatter_reduce(0, i, s, kind) for kind in kinds[:4]], torch.randint(-9, 9, (5, 3)), ids, torch.randint(-9, 9, (4, 3))),
            "index_reduce": (lambda x, i, s: x.scatter_reduce(0, i, s, "amax"), x, ids, source / 0),
        })

    def test_order_of_sums(self):
        class Add(nn.Module):
            def forward(self, x, i, r):
                return x.index_add(0, i, r)

        args = torch.randn(5, 3), torch.tensor([3, 0]), torch.randn(2, 3)
        program = torch.export.export(Add(), args)
        self.assertIn("any_order", dlc.torch.translate(program).source)
        torch.use_deterministic_algorithms(True)
        try:
            self.assertNotIn("any_order", dlc.torch.translate(program).source)
        finally:
            torch.use_deterministic_algorithms(False)

    def test_rolls(self):
        x = torch.randn(4, 5)
        self.check({
            "axes": (lambda x: (x.roll(1, 0), x.roll((-2, 3), (0, 1)), x.roll(-13, -1), x.roll((1, 1), (0, 0)), x.roll(0, 1)), x),
            "all elements": (lambda x: (x.roll(5), x.roll(-21)), x),
            "no elements": (lambda x: (x.roll(2, 0), x.roll(2, 1), x.roll(3)), x[:0]),
        })

    def test_windows_that_are_added(self):
        fold = F.fold
        self.check({
            "steps of one": (lambda x: fold(x, (9, 11), 3), torch.randn(2, 18, 63)),
            "larger steps": (lambda x: (fold(x, (9, 11), (3, 2), 1, (1, 0), 2), fold(x[0], (9, 11), (3, 2), 1, (1, 0), 2)), torch.randn(2, 12, 25)),
            "apart": (lambda x: fold(x, (12, 13), 3, 2, 2, (2, 1)), torch.randn(2, 9, 78)),
            "gaps": (lambda x: fold(x, (8, 8), 2, 1, 0, 3), torch.randn(2, 8, 9)),
        })

    def test_bags(self):
        table, ids = torch.randn(6, 3), torch.randint(0, 6, (4, 2))
        flat, offsets = torch.tensor([1, 2, 4, 5, 4]), torch.tensor([0, 3, 3])
        self.check({
            "rows": (lambda t, i: [F.embedding_bag(i, t, mode=mode) for mode in ("sum", "mean", "max")], table, ids),
            "offsets": (lambda t, i, o: [F.embedding_bag(i, t, o, mode=mode) for mode in ("sum", "mean", "max")], table, flat, offsets),
            "weights": (lambda t, i, o, w: F.embedding_bag(i, t, o, mode="sum", per_sample_weights=w), table, flat, offsets, torch.randn(5)),
        })

    def test_orders(self):
        x = torch.randn(5, 4).round(decimals=1)
        odd = torch.tensor([[1.0, math.nan, 0.5, 2.0, math.nan], [2.0, 2.0, -1.0, 3.0, 0.0]])
        long = torch.tensor([2**60 + 1, 2**60, -3, 2**60 + 2])
        steps = torch.tensor([-1.0, 0.0, 0.0, 1.0])
        self.check({
            "running": (lambda x: (*x.cummax(0), *x.cummin(1), *x.cummax(1)), x),
            "running of what is no number": (lambda x: (*x.cummax(1), *x.cummin(1)), odd),
            "running integers": (lambda x: (*x.cummax(0), *x.cummin(0)), torch.tensor([3, 1, 3, 5, 2], dtype=torch.int32)),
            "logcumsumexp": (lambda x: (x.logcumsumexp(0), (100 * x).logcumsumexp(1), (x / 0).logcumsumexp(1)[:, :0]), x),
            "searchsorted": (lambda s, x: (torch.searchsorted(s, x), torch.searchsorted(s, x, right=True, out_int32=True), torch.searchsorted(s, 0.0)), steps, x),
            "rows": (lambda x: torch.searchsorted(x.sort(1)[0], x), x),
            "bucketize": (lambda s, x: (torch.bucketize(x, s), torch.bucketize(x, s, right=True), torch.bucketize(x / 0, s)), steps, x),
            "median": (lambda x: (x.median(), x.median(0)[0], x.median(1, keepdim=True)[0]), torch.randn(5, 4)),
            "median with positions": (lambda x: (*x.median(0), *x.kthvalue(2, 1)), torch.randn(5, 4)),
            "median of what is no number": (lambda x: (x.median(1)[0], x.nanmedian(1)[0], x.nanmedian()), odd),
            "many are sorted": (lambda x: (x.median(), *x.median(0), *x.kthvalue(70, 1), (9 * x).int().median(1)[0]), torch.randn(90, 80)),
            "many of which some are no numbers": (lambda x: (x.median(1)[0], x.nanmedian(1)[0], x.nanmedian()), torch.cat([odd] * 20, 1)),
            "kthvalue": (lambda x: (x.kthvalue(1)[0], x.kthvalue(4)[0], x.median()), long),
            "halves": (lambda x: (x.median(0)[0], *x.cummax(0)), torch.randn(5, 4).half()),
        })

    def test_numbers(self):
        x, y = torch.randn(3, 4), torch.randn(3, 4)
        special = torch.tensor([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e38])
        pairs = special[:, None].expand(8, 8).contiguous(), special.expand(8, 8).contiguous()
        counts = torch.randint(-99, 99, (3, 4))
        self.check({
            "atan2": (torch.atan2, x, y), "atan2 of special numbers": (torch.atan2, *pairs),
            "hypot": (torch.hypot, x, y), "hypot of special numbers": (torch.hypot, *pairs),
            "fmax": (lambda x, y: (torch.fmax(x, y), torch.fmin(x, y)), *pairs),
            "fmax of integers": (lambda x: (torch.fmax(x, x - x % 7), torch.fmin(x, x % 7)), counts),
            "erfc": (lambda x: (torch.erfc(x), torch.erfc(4 * x), torch.erfc(9 + x) * 1e30), torch.linspace(-1, 1, 40)),
            "erfc of f64": (torch.erfc, torch.linspace(-5, 5, 40, dtype=torch.float64)),
            "erfc of special numbers": (torch.erfc, special),
            "round": (lambda x: (torch.round(x, decimals=2), torch.round(100 * x, decimals=-1), torch.round(x, decimals=0)), x),
            "sign": (lambda x, i: (1 / x.sign(), x.sign(), i.sign()), special, counts),
            "zeros without a sign": (lambda x, y: (1 / x.abs(), 1 / torch.copysign(0 * x, y)), *pairs),
            "signbit": (lambda x, i: (x.signbit(), i.signbit()), special, counts),
            "shifts": (lambda i: (i >> 1, i << 2, i << (i & 3), torch.bitwise_right_shift(i, i & 7), 2 << (i & 3)), counts),
            "clamp of integers": (lambda i: (i.clamp(-(2**53) - 1, 2**53 + 1), i.clamp(min=3), i + (2**60 + 1), torch.full_like(i, 2**53 + 1)), torch.tensor([2**60, -(2**60), 3])),
            "softplus": (lambda x: (F.softplus(9 * x, 0.1, 1), F.softplus(9 * x, 2, 5), F.softplus(99 * x), F.softplus(9 * x, -1, 2)), x),
            "triangles": (lambda x: (torch.tril_indices(3, 4) + 0, torch.tril_indices(4, 3, -1) + 0, torch.triu_indices(3, 5, 1) + 0, torch.triu_indices(3, 2, -1) + 0), x),
            "pads": (lambda x: (F.pad(x, (0, 0, 1, -1)), F.pad(x, (-1, -2)), F.pad(x, (-1, 2, 1, -1), value=3.0)), x),
            "distances": (lambda x, y: [torch.cdist(x, y[:2], p=p) for p in (0.0, 1.0, 2.0, 3.0, math.inf)], x, y),
            "losses": (lambda x, y: (F.cosine_embedding_loss(x, y, torch.ones(3)), F.margin_ranking_loss(x, y, x.sign(), 0.3), F.hinge_embedding_loss(x, y.sign())), x, y),
            "bilinear": (F.bilinear, x, torch.randn(3, 3), torch.randn(2, 4, 3), torch.randn(2)),
        })

    def test_pools_with_places(self):
        image = torch.randn(2, 3, 7, 9)
        self.check({
            "max_pool2d": (lambda x: (*F.max_pool2d(x, 2, return_indices=True), *F.max_pool2d(x, 3, 2, 1, return_indices=True)), image),
            "dilated": (lambda x: (*F.max_pool2d(x, 2, 1, 1, 2, return_indices=True), *F.max_pool2d(x, (2, 3), ceil_mode=True, return_indices=True)), image),
            "without a batch": (lambda x: (*F.max_pool2d(x, 2, return_indices=True), F.max_pool2d(x, 2), F.avg_pool2d(x, 2)), image[0]),
            "other ranks": (lambda x: (*F.max_pool1d(x[0], 2, return_indices=True), *F.max_pool3d(x, 2, return_indices=True)), image),
            "equal elements": (lambda x: F.max_pool2d((x > 0).float(), 3, 1, return_indices=True), image),
            "adaptive": (lambda x: (F.adaptive_max_pool2d(x, (3, 4)), F.adaptive_max_pool1d(x[0], 5), F.adaptive_max_pool2d(x, 1)), image),
            "adaptive with places": (lambda x: (*F.adaptive_max_pool2d(x, (3, 4), return_indices=True), *F.adaptive_max_pool2d(x, (7, 3), return_indices=True)), image),
            "unpool": (lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), image[:, :, :6, :8].contiguous()),
        })

    def test_symbolic_sizes(self):
        self.check_sizes({
            "parts written": lambda x: (changed(x, slice(1, 3), 7.0), changed(x, slice(None, -1), x[1:]), changed(x, slice(x.shape[0] - 2, None), 1.0), changed(x, slice(None, None, 2), 3.0)),
            "rows written": lambda x: (changed(x, 1, 2.0), changed(x, -1, x[0]), changed(x, x.shape[0] - 2, 1.0)),
            "circular": lambda x: F.pad(x.T[None], (2, 1), mode="circular"),
            "negative pad": lambda x: F.pad(x, (0, 0, 1, -1)),
            "diagonal": lambda x: (torch.diagonal(x @ x.T), torch.diagonal(x @ x.T, -1), (x @ x.T).diagonal(1)),
            "adaptive": lambda x: (F.adaptive_avg_pool1d(x.T[None], 3), F.adaptive_max_pool1d(x.T[None], 2), *F.adaptive_max_pool1d(x.T[None], 3, return_indices=True)),
            "resize": lambda x: F.interpolate(x[None, None], size=(7, 9), mode="bilinear"),
            "indices": lambda x: (x.index_put((torch.tensor([2, 0]),), x[:2]), x.index_add(0, torch.tensor([2, 2]), x[:2])),
            "scatters": lambda x: (x.scatter_add(0, torch.tensor([[2, 0, 1, 1]]), x), x.scatter(0, torch.tensor([[2, 0, 1, 1]]), 3.0)),
            "masks": lambda x: (changed(x, x > 0, 0.0), x.masked_scatter(x > 0, x.T.contiguous())),
            "orders": lambda x: (*x.cummax(0), x.median(0)[0], x.median(), x.kthvalue(2, 0)[0], torch.searchsorted(x[:, 0].sort()[0], x[:, 1])),
            "distances": lambda x: torch.cdist(x, x, p=1.0),
        })

    def test_sorts_of_64_bit_integers(self):
        ends = torch.tensor([0, 1, -1, 1 << 31, -(1 << 31), (1 << 31) - 1, 1 << 32, -(1 << 32), (1 << 63) - 1, -(1 << 63)])
        x = torch.cat([ends, ends[:5], torch.randint(-(1 << 63), (1 << 63) - 1, (13,))]).view(4, 7)
        halves = torch.randint(-2, 2, (5, 9)) * (1 << 32) + torch.randint(-2, 2, (5, 9))
        self.check({
            "sort": (lambda x: (*x.sort(1), *x.sort(0, descending=True), x.argsort(), x[0, 0].sort()[0]), x),
            "equal": (lambda x: (*x.sort(dim=1, stable=True), *x.sort(dim=0, descending=True, stable=True)), halves),
            "topk": (lambda x: (*x.topk(3), *x.topk(2, 0, largest=False)), x),
            "top of equal": (lambda x: (x.topk(4)[0], x.gather(0, x.topk(3, 0, largest=False)[1])), halves),
        })

    def test_sorts_of_integers_of_32_bits(self):
        x, i, far = torch.randn(4, 6), torch.randint(-999, 999, (4, 6), dtype=torch.int32), torch.randint(-9, 9, (4, 6)) << 40
        for what, (sorts, compute, *inputs) in {
            "ranks": (2, lambda x: x.argsort(1).argsort(1), x),
            "small types": (1, lambda i: i.long().sort(1)[1], i),
            "sums": (1, lambda i: ((i & 63).sum(1) - 100).sort()[0], i),
            "arithmetic": (1, lambda j: ((j >> 40 & 7) * 9 + 4).clamp(-5, 9).maximum(j.clamp(3, 8)).view(3, 8).sort()[0], far),
            "remainders": (1, lambda j: torch.cat([j % 7, torch.where(j > 0, 3, -2)]).sort()[0], far),
            "places": (1, lambda x: (x.max(1)[1] + x.topk(1)[1][:, 0] + x.argmax()).sort()[0], x),
            "sums that are too large": (2, lambda i: i.sum(1).sort()[0], i),
            "products that are too large": (2, lambda i: (i.long() * i * i).sort()[0], i),
            "wrapped": (2, lambda i: ((i & 63).long() * (1 << 61)).sort()[0], i),
            "bounds on one side": (2, lambda j: j.clamp(min=3).sort()[0], far),
            "unknown": (2, lambda j: j.sort()[0], far),
        }.items():
            with self.subTest(what):
                model = function(compute)
                run = dlc.torch.compile(model, tuple(inputs))
                self.same(run(*inputs), model(*inputs), f"{what}\n{run.source}")
                self.assertEqual(run.source.count("= sort "), sorts, run.source)

    def test_integers_that_are_drawn(self):
        model = function(lambda x: x + torch.randint(3, 90, (2, 3)) + torch.randint(5, (3,)))
        x = torch.zeros(2, 3)
        run = dlc.torch.compile(model, (x,))
        torch.manual_seed(1)
        expected = [model(x), model(x)]
        torch.manual_seed(1)
        self.same([run(x), run(x)], expected, run.source)


if __name__ == "__main__":
    unittest.main()
