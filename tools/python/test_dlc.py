"""The package dlc on the CPU: `python3 -m unittest tools/python/test_dlc.py` where it is installed (`pip install .`)."""
import concurrent.futures
import contextlib
import importlib.util
import io
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]


def missing(*modules):
    """The first module that is not installed, as the reason to skip a test."""
    absent = [module for module in modules if importlib.util.find_spec(module) is None]
    return f"{absent[0]} is not installed" if absent else None


def needs(*modules):
    reason = missing("dlc", *modules)
    return unittest.skipIf(reason, reason)


if missing("dlc") is None:
    import dlc

SCALE = """tiny.func @scale<M, N>(%X: tensor<[M, N], f32>, %row: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = mul %X, %row
  return %y
}"""

TWO = """tiny.func @two<N>(%x: tensor<[N], f16>) -> (tensor<[N], f16>, tensor<[N], i1>) {
  %y = add %x, %x
  %z = cmp lt %x, %y
  return %y, %z
}"""


@needs()
class Compile(unittest.TestCase):
    def test_sources_are_texts_paths_and_json(self):
        self.assertEqual(dlc.compile(SCALE).name, "scale")
        path = ROOT / "test/dialects/tiny/gemm_bias_relu.mlir"
        self.assertEqual(dlc.compile(path).symbols, ("M", "N", "K"))
        graph = {
            "name": "f",
            "signature": {"inputs": [{"tensor": "a"}], "outputs": [{"tensor": "y"}]},
            "tensors": {"a": {"dtype": "fp32", "shape": ["N"]}, "y": {"dtype": "fp32", "shape": ["N"]}},
            "graph": [{"op": "Elementwise", "fn": "relu", "inputs": ["a"], "outputs": ["y"]}],
        }
        self.assertEqual(dlc.compile(graph).inputs, (dlc.Port("a", "tensor<[N], f32>", ("N",), "float32"),))

    def test_errors_have_a_code_a_place_and_a_suggestion(self):
        with self.assertRaises(dlc.Error) as caught:
            dlc.compile(SCALE.replace("mul", "mull"))
        error = caught.exception
        self.assertEqual((error.place.line, error.place.column), (2, 8))
        self.assertRegex(error.code, r"^E\d{4}$")
        self.assertIn("mul", error.suggestion)
        self.assertIn("%y = mull %X", str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.code, str(again)), (error.code, str(error)))

    def test_a_name_of_a_file_is_no_text(self):
        with self.assertRaises(dlc.ArgumentError) as caught:
            dlc.compile("gemm.mlir")
        self.assertEqual(caught.exception.suggestion, "give pathlib.Path('gemm.mlir')")
        with self.assertRaises(dlc.Error) as caught:
            dlc.compile(pathlib.Path("gone.mlir"))
        self.assertEqual(caught.exception.code, "E0501")

    def test_functions_are_chosen(self):
        both = SCALE + "\n" + TWO
        self.assertEqual(dlc.compile(both, function="@two").name, "two")
        with self.assertRaises(dlc.Error) as caught:
            dlc.compile(both)
        self.assertEqual(caught.exception.code, "E0531")

    def test_measured_plans(self):
        with tempfile.TemporaryDirectory() as folder:
            plans = pathlib.Path(folder) / "plans.mlir"
            f = dlc.compile(SCALE, sizes={"M": 64, "N": 128}, plan_cache=plans, target="sm90")
            usual = f.plan["scale_0"]
            if no_gpu():
                with self.assertRaises(dlc.Error) as caught:
                    f.tune(1)
                self.assertIn(caught.exception.code, ("E0551", "E0552", "E0553"))
            self.assertFalse(plans.exists())
            with self.assertRaisesRegex(dlc.Error, "plans are measured only where they are chosen"):
                dlc.compile(SCALE, plan="off").tune(1)
            plans.write_text("plan.measured k for sm90 { kernel \"0\" device d driver 1 nanoseconds 1 }")
            with self.assertRaisesRegex(dlc.Error, "must be 16 hexadecimal digits"):
                dlc.compile(SCALE, plan_cache=plans)
            self.assertEqual(dlc.compile(SCALE, sizes={"M": 64, "N": 128}, target="sm90").plan["scale_0"], usual)

    def test_a_program_is_shown(self):
        f = dlc.compile(SCALE, sizes={"M": 64, "N": 128}, target="sm80")
        for layer in ("tiny", "book", "region", "plan", "kernel", "ptx"):
            self.assertIn("scale", f.text(layer), layer)
        self.assertIn("for sm80, M = 64, N = 128", f.explain())
        page = f.explore()
        self.assertTrue(page.startswith("<!DOCTYPE html>") and '"title":"kernel-to-ptx"' in page)
        self.assertIn("srcdoc=\"&lt;!DOCTYPE html&gt;", f._repr_html_())
        self.assertIn("1 kernel, ", f.explain())
        sets = dlc.compile(SCALE, shape_sets=[{"M": 64, "N": 128}, {"M": 1, "N": 65536}], target="sm90")
        self.assertIn("for sm90, M = 64, N = 128; M = 1, N = 65536", sets.explain())
        self.assertIn('"cost"', json.dumps(sets.manifest))
        with self.assertRaisesRegex(dlc.Error, "does not say what N is"):
            dlc.compile(SCALE, shape_sets=[{"M": 64}])
        self.assertIn(".target sm_80", f.ptx)
        self.assertEqual(f.manifest["target"], "sm_80")
        with self.assertRaises(dlc.Error) as caught:
            f.text("regio")
        self.assertEqual(caught.exception.suggestion, "did you mean 'region'?")

    def test_a_plan_is_edited(self):
        f = dlc.compile(SCALE)
        plan = f.plan
        self.assertEqual(list(plan), ["scale_0"])
        self.assertEqual(dlc.compile(SCALE, plan=plan).plan, plan)
        del plan["scale_0"]["blocks_per_sm"]
        self.assertNotIn("blocks_per_sm", dlc.compile(SCALE, plan=plan).plan["scale_0"])
        with self.assertRaises(dlc.Error) as caught:
            dlc.compile(SCALE, plan={"scale_0": {"tile": 5}})
        self.assertEqual(caught.exception.place.file, "<plan>")

    def test_sessions_have_devices(self):
        with self.assertRaises(ValueError):
            dlc.Session("gpu")
        with self.assertRaises(dlc.Error) as caught:
            dlc.Session("none").compile(SCALE)(b"", b"")
        self.assertIsInstance(caught.exception, dlc.Error)

    def test_the_tools_are_installed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "scale.tiny"
            file.write_text(SCALE)
            code = "import sys; from dlc import _tools; sys.argv[0] = 'dlc-opt'; sys.exit(_tools.opt())"
            run = subprocess.run([sys.executable, "-c", code, "--tiny-to-book", file], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("book.func @scale", run.stdout)
            run = subprocess.run([sys.executable, "-c", code, "--no-such-pass", file], capture_output=True, text=True)
            self.assertEqual(run.returncode, 2)


@needs()
class Buffers(unittest.TestCase):
    """What needs no numpy."""

    def test_import_needs_no_numpy(self):
        code = "import sys, dlc; dlc.compile(sys.argv[1]); sys.exit('numpy' in sys.modules or 'torch' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code, SCALE]).returncode, 0)

    def test_buffers_are_arrays(self):
        import array

        f = dlc.compile(SCALE)
        x = memoryview(array.array("f", [1, 2, 3, 4, 5, 6])).cast("B").cast("f", [2, 3])
        y = memoryview(f(x, array.array("f", [1, 10, 100])))
        self.assertEqual(y.tolist(), [[1, 20, 300], [4, 50, 600]])

    def test_what_is_no_array(self):
        f = dlc.compile(SCALE)
        for value in (object(), 1.5, [1.0]):
            with self.assertRaises(dlc.ArgumentError) as caught:
                f(value, value)
            self.assertEqual((caught.exception.argument, caught.exception.code), ("X", "E0532"))


@needs("numpy")
class Numpy(unittest.TestCase):
    def setUp(self):
        import numpy

        self.np = numpy
        self.f = dlc.compile(SCALE)
        self.x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        self.row = numpy.array([1, 10, 100], numpy.float32)

    def refused(self, *arrays, **named):
        with self.assertRaises(dlc.ArgumentError) as caught:
            self.f(*arrays, **named)
        return caught.exception

    def test_arrays_by_place_and_by_name(self):
        expected = self.x * self.row
        for y in (self.f(self.x, self.row), self.f(row=self.row, X=self.x), self.f(self.x, row=self.row)):
            self.np.testing.assert_array_equal(y, expected)
            self.assertTrue(y.flags.writeable and y.dtype == self.np.float32)

    def test_several_outputs_are_a_tuple(self):
        y, z = dlc.compile(TWO)(self.np.array([-1, 0, 2], self.np.float16))
        self.assertEqual((y.dtype, y.tolist(), z.dtype, z.tolist()), (self.np.float16, [-2, 0, 4], bool, [False, False, True]))

    def test_arrays_that_do_not_fit_are_named(self):
        error = self.refused(self.x, self.row.astype(self.np.float64))
        self.assertEqual(error.argument, "row")
        self.assertEqual(error.message, "the input row is tensor<[N], f32>, but the array is of float64, not float32")
        error = self.refused(self.row, self.row)
        self.assertEqual((error.argument, error.message), ("X", "the input X is tensor<[M, N], f32>, but the array has 1 axes, not 2"))
        error = self.refused(self.x, self.row[:2])
        self.assertEqual((error.argument, error.code), ("row", "E0533"))
        error = self.refused(self.np.asfortranarray(self.x), self.row)
        self.assertEqual((error.argument, error.suggestion), ("X", "give numpy.ascontiguousarray(X)"))
        error = self.refused(self.x, self.row.astype(">f4"))
        self.assertEqual(error.argument, "row")
        self.assertEqual(self.refused(self.x).argument, "row")
        self.assertEqual(self.refused(self.x, rows=self.row).suggestion, "did you mean 'row'?")
        self.assertIn("3 arrays", self.refused(self.x, self.row, self.row).message)
        self.assertIsInstance(error, ValueError)

    def test_sizes_that_no_array_says(self):
        text = "tiny.func @fill<N>(%x: tensor<[1], f32>) -> tensor<[N], f32> {\n  %y = expand %x to [N]\n  return %y\n}"
        one = self.np.ones(1, self.np.float32)
        self.assertEqual(dlc.compile(text)(one, sizes={"N": 3}).shape, (3,))
        self.assertEqual(dlc.compile(text, sizes={"N": 4})(one).shape, (4,))

    def test_empty_arrays_and_arrays_of_no_axes(self):
        empty = self.np.zeros((0, 3), self.np.float32)
        self.assertEqual(self.f(empty, self.row).shape, (0, 3))
        text = "tiny.func @f(%x: tensor<[], f32>) -> tensor<[], f32> {\n  %y = add %x, %x\n  return %y\n}"
        self.assertEqual(float(dlc.compile(text)(self.np.array(2, self.np.float32))), 4.0)

    def test_programs_of_any_layer_give_the_same(self):
        f = dlc.compile(ROOT / "test/dialects/tiny/gemm_bias_relu.mlir")
        rng = self.np.random.default_rng(0)
        x, w, bias = (rng.standard_normal(shape).astype(self.np.float16) for shape in ((5, 8), (8, 7), (7,)))
        expected = f(x, w, bias)
        numpy_result = self.np.maximum(x.astype(self.np.float32) @ w.astype(self.np.float32) + bias, 0)
        self.np.testing.assert_allclose(expected, numpy_result, rtol=2e-2, atol=2e-2)
        for layer in ("book", "region", "kernel"):
            again = dlc.compile(f.text(layer), function="gemm_bias_relu")(x, w, bias)
            self.np.testing.assert_allclose(again, expected, rtol=2e-2, atol=2e-2, err_msg=layer)

    def test_threads_share_a_program(self):
        def run(number):
            return self.f(self.np.full((1, 3), number, self.np.float32), self.row)[0, 2]

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(run, range(16))), [100.0 * number for number in range(16)])

    def test_warnings_are_warnings(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.f(self.x, self.row)


def blocks(page):
    """The Python in a page, by section."""
    for section in page.read_text().split("\n## ")[1:]:
        parts = section.split("```python\n")[1:]
        yield section.partition("\n")[0], "\n".join(part.partition("\n```")[0] for part in parts)


@needs("numpy")
class Page(unittest.TestCase):
    def test_the_examples_of_the_page_run(self):
        names = {}
        with contextlib.redirect_stdout(io.StringIO()):
            for title, code in blocks(ROOT / "docs/python.md"):
                if "import torch" in code and missing("torch"):
                    continue
                with self.subTest(title):
                    exec(compile(code, f"docs/python.md ({title})", "exec"), names)


@needs("torch")
class Torch(unittest.TestCase):
    def test_tensors_of_the_cpu(self):
        import torch

        text = SCALE.replace("f32", "bf16")
        x, row = torch.randn(4, 3).bfloat16(), torch.randn(3).bfloat16()
        y = dlc.compile(text)(x, row)
        self.assertTrue(torch.equal(y, x * row) and y.dtype == torch.bfloat16)
        with self.assertRaises(dlc.ArgumentError) as caught:
            dlc.compile(text)(torch.randn(3, 4).bfloat16().T, row)
        self.assertEqual((caught.exception.argument, caught.exception.suggestion), ("X", "give X.contiguous()"))


def no_gpu():
    if reason := missing("dlc", "torch", "numpy"):
        return reason
    import torch

    return None if torch.cuda.is_available() else "there is no GPU"


class Gpu(unittest.TestCase):
    def setUp(self):
        if reason := no_gpu():
            self.skipTest(reason)
        import torch

        self.torch = torch
        self.f = dlc.compile(SCALE)
        self.x, self.row = torch.randn(64, 96, device="cuda"), torch.randn(96, device="cuda")

    def test_tensors_stay_where_they_are(self):
        y = self.f(self.x, row=self.row)
        self.assertEqual(y.device, self.x.device)
        self.assertTrue(self.torch.equal(y, self.x * self.row))

    def test_launches_follow_the_stream_of_the_caller(self):
        stream, y = self.torch.cuda.Stream(), self.x
        with self.torch.cuda.stream(stream):
            for _ in range(50):
                y = self.f(y + 1, self.row * 0.5)
        expected = self.x
        stream.synchronize()
        for _ in range(50):
            expected = (expected + 1) * (self.row * 0.5)
        self.torch.testing.assert_close(y, expected)

    def test_programs_of_several_kernels_and_sizes_alternate(self):
        text = (ROOT / "test/programs/gpt2_block.mlir").read_text()
        g = dlc.compile(text)
        for batch in (1, 2, 1):
            inputs = {}
            for port in g.inputs:
                shape = [{"B": batch, "S": 64}.get(size) or int(size) for size in port.shape]
                inputs[port.name] = 0.05 * self.torch.randn(shape, device="cuda", dtype=self.torch.float16)
            y = g(**inputs)
            self.assertTrue(self.torch.equal(self.f(self.x, self.row), self.x * self.row))
            again = g(**{name: value.cpu() for name, value in inputs.items()})
            self.torch.testing.assert_close(y.cpu(), again, rtol=2e-2, atol=2e-2)

    def test_plans_are_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            plans = pathlib.Path(folder) / "plans.mlir"
            f = dlc.compile(SCALE, plan_cache=plans)
            before = f(self.x, self.row)
            self.assertIn("@scale_0", f.tune(1, M=64, N=96))
            self.assertEqual(plans.read_text().count("plan.measured"), 1)
            self.torch.testing.assert_close(f(self.x, self.row), before)
            again = dlc.compile(SCALE, plan_cache=plans)
            self.torch.testing.assert_close(again(self.x, self.row), before)

    def test_host_arrays_on_the_gpu(self):
        f = dlc.Session("cuda").compile(SCALE)
        y = f(self.x.cpu().numpy(), self.row.cpu().numpy())
        self.torch.testing.assert_close(self.torch.from_numpy(y), (self.x * self.row).cpu())
        self.assertTrue(self.torch.equal(f(self.x, self.row), self.x * self.row))
        f(self.x.cpu().numpy(), self.row.cpu().numpy())
        self.assertTrue(self.torch.equal(f(self.x, self.row), self.x * self.row))

    def test_what_does_not_fit_is_named(self):
        for wrong, suggestion in ((self.row.cpu(), "move row to cuda:0"), (self.x[:, 0], "give row.contiguous()")):
            with self.assertRaises(dlc.ArgumentError) as caught:
                self.f(self.x, wrong)
            self.assertEqual((caught.exception.argument, caught.exception.suggestion), ("row", suggestion))
        with self.assertRaises(dlc.ArgumentError) as caught:
            self.f(self.x, self.row[:5])
        self.assertEqual(caught.exception.argument, "row")


if __name__ == "__main__":
    unittest.main()
