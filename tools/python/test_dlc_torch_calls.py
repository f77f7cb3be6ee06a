"""Symbolic sizes of models of PyTorch, and calls of compiled models: `python3 -m unittest tools/python/test_dlc_torch_calls.py`."""
import copy
import importlib.util
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

    import dlc
    import dlc.torch
    from torch_models import function


def setUpModule():
    if MISSING:
        raise unittest.SkipTest(f"{MISSING} is not installed")
    torch.manual_seed(0)


def symbolic(compute, size, rows=(3, 6, 9)):
    """A function of a matrix with a symbolic number of rows, compiled, and what it and eager mode give for each of some numbers."""
    model = function(compute)
    x = torch.randn(6, 4)
    run = dlc.torch.compile(model, (x,), dynamic_shapes=(({0: size},),))
    for count in rows:
        x = torch.randn(count, 4)
        yield run(x), model(x)


class Sizes(unittest.TestCase):
    def check(self, compute, what, size=None, rows=(3, 6, 9)):
        for actual, expected in symbolic(compute, size or Dim("S", min=3, max=64), rows):
            torch.testing.assert_close(actual, expected, msg=lambda text: f"{what}: {text}")

    def test_a_size_is_a_number(self):
        for what, compute in {
            "divisor": lambda x: x.sum() / x.shape[0],
            "arithmetic": lambda x: (x * x.shape[0], x + (x.shape[0] // 2 - 5), x - x.shape[0] % 4, x.shape[0] - x, x.half() * x.shape[0]),
            "quotient": lambda x: (x * (x.shape[0] / 3), x * (2 / x.shape[0]), x * (x.shape[0] * 2.5 + 1)),
            "powers": lambda x: (x * x.shape[0] ** -0.5, x * x.shape[0] ** 2, x.abs().pow(x.shape[0])),
            "comparison": lambda x: (10 * x > x.shape[0] - 6, (10 * x).long() >= x.shape[0], 10 * x == x.shape[0]),
            "alpha": lambda x: torch.add(x, x, alpha=x.shape[0]),
            "fill": lambda x: (torch.full((2,), x.shape[0]), torch.full_like(x, x.shape[0] / 2), x.masked_fill(x > 0, x.shape[0])),
            "where": lambda x: torch.where(x > 0, x, x.shape[0]),
            "arange": lambda x: (torch.arange(x.shape[0], 0, -1), torch.arange(x.shape[0]) < x.shape[0] - 2, torch.arange(x.shape[0], x.shape[0] + 3)),
            "roll": lambda x: (x.roll(1, 0), x.roll(-1, 0), x.roll((1, 2), (0, 1)), x.roll((5, -4), (0, 0)), x.roll(x.shape[0] - 2, 0), x.roll(3)),
            "clamp": lambda x: ((9 * x).clamp(max=x.shape[0] / 3), (9 * x).long().clamp(-x.shape[0], x.shape[0])),
            "views": lambda x: (x[x.shape[0] - 2 :], x[: x.shape[0] - 1], x[x.shape[0] - 1], x[-2:]),
            "pads": lambda x: (F.pad(x.T[None], (2, 1), mode="reflect"), F.pad(x.T[None], (2, 1), mode="replicate")),
            "identity": lambda x: torch.eye(x.shape[0]) * x.shape[0],
        }.items():
            with self.subTest(what):
                self.check(compute, what)

    def test_a_size_is_a_number_without_elements(self):
        self.check(lambda x: x.sum() + x.shape[0], "empty", Dim("S", min=0, max=64), rows=(0, 1, 6))

    def test_sizes_that_are_derived(self):
        half = Dim("half", min=2, max=8)
        self.check(lambda x: x.reshape(x.shape[0] // 2, 2, -1).sum(1), "twice", 2 * half, rows=(4, 6, 16))
        self.check(lambda x: (x[1:] * x.shape[0], x.shape[0]), "and one", 2 * half + 2, rows=(6, 8))
        run = dlc.torch.compile(function(lambda x: x + 1), (torch.ones(6, 4),), dynamic_shapes=(({0: 2 * half},),))
        for rows, text in ((5, "has 5 elements, and it is 2\\*"), (18, "from 2 to 8")):
            with self.assertRaisesRegex(dlc.ArgumentError, text):
                run(torch.ones(rows, 4))

    def test_sizes_of_two_inputs(self):
        model = function(lambda x, y: (x[: y.shape[0]] * y.shape[0], x.shape[0] + y.shape[0]))
        s = Dim("s", min=3, max=9)
        run = dlc.torch.compile(model, (torch.ones(6, 2), torch.ones(5)), dynamic_shapes=(({0: s + 1}, {0: s}),))
        for size in (3, 7):
            given = torch.randn(size + 1, 2), torch.ones(size)
            torch.testing.assert_close(run(*given), model(*given))

    def test_a_number_that_is_not_translated_is_refused(self):
        class Inner(nn.Module):
            def forward(self, x):
                return F.leaky_relu(x, x.shape[0])

        class Outer(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()

            def forward(self, x):
                return self.inner(x)

        with self.assertRaisesRegex(dlc.torch.UnsupportedOp, "aten.leaky_relu.default is not translated with the number .* is from inner"):
            dlc.torch.compile(Outer(), (torch.ones(6, 4),), dynamic_shapes=({0: Dim("S", min=3, max=64)},))

    def test_an_element_is_a_number(self):
        model = function(lambda x, n: x * n.sum().item())
        x, n = torch.randn(3), torch.tensor([2, 3])
        run = dlc.torch.compile(model, (x, n))
        torch.testing.assert_close(run(x, n + 1), model(x, n + 1))
        with self.assertRaisesRegex(dlc.torch.UnsupportedOp, "aten.nonzero.default|depend on elements"):
            dlc.torch.compile(function(lambda x: x.nonzero()), (x,))

    def test_sizes_in_graphs_of_dynamo(self):
        compute = lambda x: (x.sum(0) / x.shape[0], x * x.shape[0] ** -0.5)
        torch._dynamo.reset()
        run = torch.compile(compute, backend=dlc.torch.backend, dynamic=True)
        for rows in (4, 7):
            x = torch.randn(rows, 3)
            torch.testing.assert_close(run(x), compute(x))


class Results(unittest.TestCase):
    def test_results_that_are_no_tensors(self):
        for actual, expected in symbolic(lambda x: (x.relu(), x.shape[0], [x.shape[0] * 2 + 1, None], {"a": 3, "b": x[0]}), Dim("S", max=64)):
            torch.testing.assert_close((actual[0], actual[3]["b"]), (expected[0], expected[3]["b"]))
            self.assertEqual((actual[1:3], actual[3]["a"]), (expected[1:3], 3))

    def test_a_model_without_tensors_as_results(self):
        with self.assertRaisesRegex(dlc.ArgumentError, "no result of the model is a tensor"):
            dlc.torch.compile(function(lambda x: x.shape[0]), (torch.ones(3),))


class Parameters(unittest.TestCase):
    def test_changes_in_place_are_seen(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(torch.randn(4, 3).t())
                self.dense = nn.Parameter(torch.randn(3))
                self.register_buffer("every_other", torch.randn(6)[::2])

            def forward(self, x):
                return x @ self.w.t() * self.dense + self.every_other

        model, x = Model(), torch.randn(2, 4)
        run = dlc.torch.compile(model, (x,))
        for _ in range(2):
            for value in (model.w, model.dense, model.every_other):
                value.data.mul_(2)
            torch.testing.assert_close(run(x), model(x))
        model.load_state_dict({name: torch.ones_like(value) for name, value in model.state_dict().items()})
        torch.testing.assert_close(run(x), model(x))

    def test_tensors_of_a_gpu_at_odd_addresses_are_copied(self):
        from dlc.torch._model import placed

        class Placed:
            def __init__(self, address, is_cuda=True, copied=False):
                self.address, self.is_cuda, self.copied = address, is_cuda, copied

            def contiguous(self):
                return self

            def data_ptr(self):
                return self.address

            def clone(self):
                return Placed(0x1000, copied=True)

        self.assertFalse(placed(Placed(0x1080)).copied)
        self.assertTrue(placed(Placed(0x1040)).copied)
        self.assertFalse(placed(Placed(0x1040, is_cuda=False)).copied)

    def test_a_buffer_with_gaps_is_written(self):
        norm = nn.BatchNorm1d(3)
        norm.running_mean = torch.randn(6)[::2]
        eager, x = copy.deepcopy(norm), torch.randn(5, 3)
        run = dlc.torch.compile(norm, (x,))
        for _ in range(2):
            torch.testing.assert_close(run(x), eager(x))
        torch.testing.assert_close(norm.running_mean, eager.running_mean)


class Formats(unittest.TestCase):
    def same(self, actual, expected):
        torch.testing.assert_close(actual, expected)
        self.assertEqual(actual.stride(), expected.stride())

    def test_channels_last(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.norm = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
                self.register_buffer("count", torch.zeros(1, 3, 2, 5).to(memory_format=torch.channels_last))

            def forward(self, x):
                self.count.add_(x.mean())
                y = self.norm(self.conv(x)).relu()
                return y, y.mean((2, 3)), y.flatten(1)

        last = lambda *sizes: torch.randn(*sizes).to(memory_format=torch.channels_last)
        net, x = Net().eval().to(memory_format=torch.channels_last), last(2, 3, 6, 5)
        eager = copy.deepcopy(net)
        sizes = {0: Dim("N", min=1, max=8), 2: Dim("H", min=3, max=9)}
        for dynamic_shapes, others in ((None, [x]), ((sizes,), [last(4, 3, 8, 5), last(1, 3, 3, 5)])):
            run = dlc.torch.compile(net, (x,), dynamic_shapes=dynamic_shapes)
            with torch.no_grad():
                for given in (x, *others):
                    for actual, expected in zip(run(given), eager(given), strict=True):
                        self.same(actual, expected)
                    self.same(net.count, eager.count)
            # Nothing is copied: the graph takes inputs and filters as they lie.
            self.assertEqual(run.graph.bound["p_conv_weight"].data_ptr(), net.conv.weight.data_ptr())
            self.assertTrue(run.graph.bound["p_conv_weight"].is_contiguous())
            with self.assertRaisesRegex(dlc.ArgumentError, "the input x has the strides .* exported for torch.channels_last") as caught:
                run(x.contiguous())
            self.assertEqual(caught.exception.argument, "x")
        with torch.no_grad():
            net.conv.weight.mul_(2)
            self.same(run(x)[0], net(x)[0])

    def test_results_lie_as_in_eager_mode(self):
        x = torch.randn(2, 3, 4, 5)
        model = function(lambda x: ((x + 1).permute(0, 3, 1, 2), x, 3, x.relu()))
        run = dlc.torch.compile(model, (x,))
        for actual, expected in zip(run(x), model(x), strict=True):
            self.same(actual, expected) if isinstance(expected, torch.Tensor) else self.assertEqual(actual, expected)
        volume = torch.randn(1, 2, 3, 4, 5).to(memory_format=torch.channels_last_3d)
        model = function(lambda x, y: (x * 2, x, y))
        run = dlc.torch.compile(model, (volume, x))
        for actual, expected in zip(run(volume, x), model(volume, x), strict=True):
            self.same(actual, expected)


class Calls(unittest.TestCase):
    def refused(self, text, call, argument=None):
        with self.assertRaisesRegex(dlc.ArgumentError, text) as caught:
            call()
        if argument:
            self.assertEqual(caught.exception.argument, argument)
        self.assertNotIn(" at 0x", str(caught.exception))

    def test_arguments_by_name_and_their_number(self):
        class Model(nn.Module):
            def forward(self, pair, scale, *, shift):
                return (pair[0] + pair[1]) * scale + shift

        x, y = torch.randn(3), torch.randn(3)
        run = dlc.torch.compile(Model(), ((x, y), x), {"shift": y})
        expected = Model()((x, y), x, shift=y)
        torch.testing.assert_close(run((x, y), x, shift=y), expected)
        torch.testing.assert_close(run(pair=(x, y), scale=x, shift=y), expected)
        torch.testing.assert_close(run((x, y), shift=y, scale=x), expected)
        takes = "the model takes 3 arguments: pair, scale, shift"
        self.refused(f"{takes}; scale, shift are missing", lambda: run((x, y)), "scale")
        self.refused(f"{takes}; 3 are given by position", lambda: run((x, y), x, y))
        self.refused(f"{takes}; none is named other", lambda: run((x, y), x, shift=y, other=x), "other")
        self.refused("pair is given by position and by name", lambda: run((x, y), pair=x, shift=y), "pair")
        self.refused("the argument pair is not nested", lambda: run([x, y], x, shift=y), "pair")
        one = dlc.torch.compile(nn.Linear(3, 2), (torch.ones(1, 3),))
        self.assertEqual(one(input=torch.ones(1, 3)).shape, (1, 2))
        self.refused("takes 1 argument: input; input is missing", lambda: one(), "input")
        self.refused("takes 1 argument: input; 2 are given", lambda: one(x, x))

    def test_inputs_that_are_no_tensors(self):
        run = dlc.torch.compile(function(lambda x, n: x * n), (torch.ones(3), 2))
        self.assertEqual(run(torch.ones(3), 2).tolist(), [2.0] * 3)
        self.refused("is 3, and the model was exported for 2", lambda: run(torch.ones(3), 3))

    def test_inputs_without_the_axes_of_the_export(self):
        for size in (Dim("h", min=2, max=8), 2 * Dim("h", min=2, max=8)):
            run = dlc.torch.compile(function(lambda x: x + x.shape[0]), (torch.ones(4, 3),), dynamic_shapes=(({0: size},),))
            for wrong in (torch.tensor(1.0), torch.ones(4), 3):
                with self.assertRaises(dlc.ArgumentError):
                    run(wrong)

    def test_an_input_on_another_device_is_named(self):
        run = dlc.torch.compile(nn.Linear(3, 2), (torch.ones(1, 3),))
        self.refused("the input input is on the device meta", lambda: run(torch.ones(1, 3, device="meta")), "input")

    def test_sources_that_are_no_models(self):
        x = torch.ones(3)
        self.refused("a function is no module of PyTorch", lambda: dlc.compile(lambda x: x, (x,)))
        self.refused("example inputs are a tuple, and this is of Tensor", lambda: dlc.compile(nn.Linear(3, 2), x))
        self.refused("missing a required argument: 'input'", lambda: dlc.compile(nn.Linear(3, 2)))

    def test_dropout_in_training(self):
        with self.assertRaises(dlc.torch.UnsupportedOp) as caught:
            dlc.compile(nn.Dropout(0.5), (torch.ones(3),))
        self.assertIn("model.eval() leaves dropout out", caught.exception.suggestion)


if __name__ == "__main__":
    unittest.main()
