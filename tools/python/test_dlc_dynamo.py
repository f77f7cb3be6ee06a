"""The backend of torch.compile, against eager on the CPU: `python3 -m unittest tools/python/test_dlc_dynamo.py`."""
import copy
import importlib.util
import unittest
import warnings

MISSING = next((name for name in ("dlc", "torch") if importlib.util.find_spec(name) is None), None)
if MISSING is None:
    import torch
    from torch import nn
    from torch.nn import functional as F

    import dlc
    import dlc.torch
    from dlc.torch import _dynamo


def setUpModule():
    if MISSING:
        raise unittest.SkipTest(f"{MISSING} is not installed")
    torch.manual_seed(0)
    warnings.simplefilter("ignore", dlc.Warning)


def compiled(model, **options):
    """A model compiled by the backend, without what was compiled for tests before."""
    torch._dynamo.reset()
    return torch.compile(model, backend=dlc.torch.backend, fullgraph=True, **options)


def counted(compute):
    """What was compiled, and what ran in torch, while something was computed."""
    before, fallbacks = len(_dynamo._programs), dlc.torch.fallbacks.copy()
    compute()
    return len(_dynamo._programs) - before, dlc.torch.fallbacks - fallbacks


def train(model, x, y, lossy, steps=4, run=None):
    """The losses of some steps."""
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=1e-2), []
    run = model if run is None else run
    for _ in range(steps):
        optimizer.zero_grad()
        loss = lossy(run(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


class Block(nn.Module if MISSING is None else object):
    """A transformer of one block."""

    def __init__(self, width=16, heads=4, words=11):
        super().__init__()
        self.heads, self.embed, self.head = heads, nn.Embedding(words, width), nn.Linear(width, words)
        self.norm_one, self.norm_two = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, ids):
        x = self.embed(ids)
        parts = self.qkv(self.norm_one(x)).chunk(3, -1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return self.head(x + self.down(F.gelu(self.up(self.norm_two(x)))))


class Training(unittest.TestCase):
    def check(self, model, x, y, lossy):
        eager = train(copy.deepcopy(model), x, y, lossy)
        own = copy.deepcopy(model)
        losses = train(own, x, y, lossy, run=compiled(own))
        for one, other in zip(losses, eager, strict=True):
            self.assertAlmostEqual(one, other, delta=1e-3)

    def test_perceptron(self):
        model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
        programs, fallbacks = counted(lambda: self.check(model, torch.randn(6, 8), torch.randn(6, 4), F.mse_loss))
        self.assertEqual((programs, fallbacks), (2, {}), "one program forward, and one backward")

    def test_transformer(self):
        ids, words = torch.randint(0, 11, (2, 5)), torch.randint(0, 11, (2, 5))
        lossy = lambda y, words: F.cross_entropy(y.flatten(0, 1), words.flatten())
        _, fallbacks = counted(lambda: self.check(Block(), ids, words, lossy))
        self.assertEqual({op for op, _ in fallbacks}, {"aten.embedding_dense_backward.default"})

    def test_convolutions(self):
        """The gradients of both operands and of the bias, for all kinds of windows."""
        layers = [
            nn.Conv2d(3, 4, 3), nn.Conv2d(3, 4, (2, 3), stride=(2, 3), padding=1, bias=False), nn.Conv2d(4, 6, 3, dilation=2, groups=2, padding=2),
            nn.Conv1d(3, 4, 4, stride=3), nn.Conv3d(2, 3, 2, stride=2), nn.Conv2d(4, 4, 3, padding=1, groups=4, stride=2),
            nn.ConvTranspose2d(3, 4, 3), nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2), nn.ConvTranspose1d(3, 2, 4, stride=3, dilation=2),
        ]
        for layer in layers:
            axes = layer.weight.dim() - 2
            x = torch.randn(2, layer.in_channels, *(8, 9, 6)[:axes], requires_grad=True)
            with self.subTest(str(layer)):
                gradients = []
                for run in (layer, compiled(layer)):
                    layer.zero_grad()
                    x.grad = None
                    _, fallbacks = counted(lambda: (run(x) ** 2).sum().backward())
                    self.assertFalse(fallbacks)
                    gradients.append([x.grad] + [parameter.grad.clone() for parameter in layer.parameters()])
                for one, other in zip(*gradients, strict=True):
                    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)

    def test_norms_of_batches_change_their_buffers(self):
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        own, x = copy.deepcopy(model), torch.randn(2, 3, 6, 6)
        run = compiled(own)
        for _ in range(2):
            torch.testing.assert_close(run(x), model(x), rtol=1e-5, atol=1e-5)
        for one, other in zip(own.buffers(), model.buffers(), strict=True):
            torch.testing.assert_close(one, other)


class Inference(unittest.TestCase):
    def check(self, compute, *inputs, **options):
        run = compiled(compute, **options)
        with torch.no_grad():
            for given in inputs:
                actual, expected = run(*given), compute(*given)
                torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)
                for one, other in zip(*map(torch.utils._pytree.tree_leaves, (actual, expected))):
                    self.assertEqual(one.stride(), other.stride())

    def test_sizes_are_symbols(self):
        block = Block().eval()
        inputs = [(torch.randint(0, 11, (3, length)),) for length in (5, 7, 9)]
        programs, fallbacks = counted(lambda: self.check(block, *inputs, dynamic=True))
        self.assertEqual((programs, fallbacks), (1, {}), "all of it is one program, for all sizes")

    def test_a_size_that_no_input_of_a_program_has(self):
        self.check(lambda x, y: torch.sort(x.flatten())[0].view(x.shape) + y, *[(torch.randn(n, m), torch.randn(m)) for n, m in ((3, 4), (5, 6))], dynamic=True)
        self.check(lambda x: torch.full((x.shape[0] * 2,), 1.5), *[(torch.randn(n),) for n in (3, 4)], dynamic=True)

    def test_other_ops_run_in_torch(self):
        x = torch.randn(4, 5)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", dlc.Warning)
            for _ in range(2):
                programs, fallbacks = counted(lambda: self.check(lambda x: torch.special.bessel_j0(x.exp()).sum(1), (x,)))
        self.assertEqual([(op, count) for (op, _), count in fallbacks.items()], [("aten.special_bessel_j0.default", 1)])
        self.assertEqual(programs, 0, "what is compiled again is found again")
        self.assertEqual(["special_bessel_j0" in str(one.message) for one in caught], [True], "it is named once")

    def test_equal_graphs_are_compiled_once(self):
        one, other = (nn.Sequential(nn.Linear(6, 7), nn.Tanh()) for _ in range(2))
        self.check(one, (torch.randn(2, 6),))
        programs, _ = counted(lambda: self.check(other, (torch.randn(2, 6),)))
        self.assertEqual(programs, 0)

    def test_results_lie_as_those_of_eager(self):
        x, y = torch.randn(3, 4), torch.randn(4, 3)
        self.check(lambda x, y: ((x.T + y).exp(), (x + 1).T, x.T, (x * 2).T.contiguous(), x[:, 1:3] - 1), (x, y))
        self.check(lambda x: x.exp().permute(2, 0, 1) + 1, (torch.randn(2, 3, 4),))

    def test_views_alone_are_left_to_torch(self):
        programs, _ = counted(lambda: self.check(lambda x: x.view(2, 6).T[1:], (torch.randn(3, 4),)))
        self.assertEqual(programs, 0)

    def test_options(self):
        session = dlc.Session("none")
        run = compiled(lambda x: x + 1, options={"session": session})
        with self.assertRaisesRegex(dlc.Error, "a session without a device runs nothing"):
            run(torch.ones(3))

    def test_attention(self):
        q, k = torch.randn(1, 2, 5, 8), torch.randn(1, 2, 6, 8)
        _, fallbacks = counted(lambda: self.check(lambda q, k: F.scaled_dot_product_attention(q, k, k, scale=0.3), (q, k)))
        self.assertFalse(fallbacks)


class Gpu(unittest.TestCase):
    def test_training(self):
        if not torch.cuda.is_available():
            self.skipTest("there is no GPU")
        model = Block(64, 4, 32).cuda()
        ids, words = torch.randint(0, 32, (4, 16), device="cuda"), torch.randint(0, 32, (4, 16), device="cuda")
        lossy = lambda y, words: F.cross_entropy(y.flatten(0, 1), words.flatten())
        own = copy.deepcopy(model)
        for one, other in zip(train(own, ids, words, lossy, run=compiled(own)), train(model, ids, words, lossy), strict=True):
            self.assertAlmostEqual(one, other, delta=1e-3)


if __name__ == "__main__":
    unittest.main()
