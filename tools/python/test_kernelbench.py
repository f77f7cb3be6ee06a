"""The script for KernelBench, on problems of its form: `python3 -m unittest tools/python/test_kernelbench.py`."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "test" / "gpu" / "kernelbench.py"
MISSING = next((name for name in ("dlc", "torch") if importlib.util.find_spec(name) is None), None)

PROBLEM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear, self.norm, self.drop = nn.Linear(width, 8), nn.BatchNorm1d(8), nn.Dropout(0.5)

    def forward(self, x):
        return {compute}

def get_inputs():
    return [torch.rand(4, 6)]

def get_init_inputs():
    return [6]
"""


def setUpModule():
    if MISSING:
        raise unittest.SkipTest(f"{MISSING} is not installed")


class Script(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        level = self.root / "KernelBench" / "level1"
        level.mkdir(parents=True)
        for name, compute in {
            "1_Linear": "self.drop(self.norm(self.linear(x)))",
            "2_Histogram": "torch.histc(self.linear(x))",
            "10_Exit": "__import__('os')._exit(3)",
        }.items():
            (level / f"{name}.py").write_text(PROBLEM.format(compute=compute))

    def run_script(self, *args):
        """What it prints, and its lines by the numbers of their problems."""
        out = self.root / "out.jsonl"
        command = [sys.executable, SCRIPT, self.root, "--levels", "1", "--out", out, *args]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        return done.stdout, {line["problem"].split("_")[0]: line for line in lines}, len(lines)

    def test_each_problem_is_a_line(self):
        text, lines, count = self.run_script("--device", "none", "--dtype", "float16")
        self.assertEqual((list(lines), count), (["1", "2", "10"], 3))
        self.assertIsNone(lines["1"]["failed"], lines["1"])
        self.assertEqual(lines["2"]["failed"], "import")
        self.assertIn("aten.histc.default", lines["2"]["reason"])
        self.assertEqual((lines["10"]["failed"], lines["10"]["reason"]), ("process", "the process ended with status 3"))
        self.assertIn("| 1 | 3 | 2 | 1 | 1 | - | - | - |", text)
        self.assertIn("   1  import: no translation of aten.histc.default  (1/2)", text)
        # What has a line is not run again, but for what failed and is asked for.
        self.assertEqual(self.run_script()[2], 3)
        self.assertEqual(self.run_script("--again", "--only", "1/2", "Linear")[2], 4)

    def test_evaluated_on_the_cpu(self):
        text, lines, _ = self.run_script("--device", "cpu", "--only", "1/1")
        self.assertIsNone(lines["1"]["failed"], lines["1"])
        ours, eager = lines["1"]["error"]
        self.assertLess(ours, 1e-5)
        self.assertLess(eager, 1e-5)
        self.assertIn("| 1 | 1 | 1 | 1 | 1 | 1 | - | - |", text)

    def test_sizes_are_drawn(self):
        specification = importlib.util.spec_from_file_location("kernelbench", SCRIPT)
        script = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(script)
        file = self.root / "KernelBench" / "level1" / "1_Linear.py"
        options = lambda draw: types.SimpleNamespace(draw=draw, dtype="float32", device="cpu")
        codes = {script.drawn(file, options(draw)) for draw in range(6)}
        self.assertGreater(len(codes), 2)
        self.assertEqual(script.drawn(file, options(1)), script.drawn(file, options(1)))
        for code in codes:
            self.assertIn("nn.Linear(width, 8)", code, "the model is as it is")
        _, lines, _ = self.run_script("--device", "cpu", "--only", "1/1", "--draw", "1", "--seeds", "1")
        self.assertIsNone(lines["1"]["failed"], lines["1"])

    def test_the_backend_takes_what_an_export_does_not(self):
        _, lines, _ = self.run_script("--device", "cpu", "--only", "1/1", "1/2", "--backend")
        self.assertEqual({name: (line["failed"], line["in_torch"]) for name, line in lines.items()}, {"1": (None, 0), "2": (None, 1)})

class Rows(unittest.TestCase):
    def test_each_problem_is_a_row(self):
        times = {"dlc": 1234.6, "eager": 3000.0, "torch.compile": 2469.2}
        right = {"level": 2, "problem": "10_Sum_of__rows_", "failed": None, "kernels": 3, "times": times}
        wrong = {"level": 2, "problem": "9_Sum", "failed": "run", "reason": "wrong"}
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "problems.jsonl"
            out.write_text(json.dumps(right) + "\n" + json.dumps(wrong) + "\n")
            command = [sys.executable, SCRIPT, "--rows", "--out", out]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.splitlines()[2:], [
            "| 2/9 `Sum` | no: run | - | - | - | - | - |",
            "| 2/10 `Sum_of__rows_` | yes | 3 | 1,235 | 3,000 | 2,469 | 2.00 |",
        ])


if __name__ == "__main__":
    unittest.main()
