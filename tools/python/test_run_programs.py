"""Tests of what `run_programs` does before there is a GPU.

    python3 -m unittest discover -s tools/python
"""
import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_programs


def manifest(*types):
    buffers = [dict(name=f"b{number}", type=kind) for number, kind in enumerate(types)]
    return dict(kernels=[dict(inputs=buffers[:1], buffers=buffers[1:])])


class Programs(unittest.TestCase):
    def test_tolerance(self):
        self.assertEqual(run_programs.tolerance(manifest("f32", "i64", "f64")), 1e-3)
        self.assertEqual(run_programs.tolerance(manifest("f32", "f16")), 2e-2)
        self.assertEqual(run_programs.tolerance(manifest("bf16", "f32")), 2e-2)
        self.assertEqual(run_programs.tolerance({}), 1e-3)

    def test_arrays_by_name(self):
        ports = [dict(name="x"), dict(name="w")]
        self.assertEqual(run_programs.by_name(ports, dict(w=1, x=2), "inputs"), [2, 1])
        with self.assertRaisesRegex(run_programs.Wrong, "the inputs are x, w, and the file has x"):
            run_programs.by_name(ports, dict(x=2), "inputs")
        with self.assertRaisesRegex(run_programs.Wrong, "the outputs are none, and the file has y"):
            run_programs.by_name([], dict(y=2), "outputs")

    def test_what_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("b", "a", "none"):
                os.mkdir(os.path.join(folder, name))
                for file in ("sm90.json", "sm90.ptx", "fma.json"):
                    open(os.path.join(folder, name, file), "w").close()
                if name != "none":
                    open(os.path.join(folder, name, "inputs.npz"), "w").close()

            def found(*args):
                return [(name, variant) for name, variant, _ in run_programs.manifests(folder, *args)]

            self.assertEqual(found([], None), [("a", "fma"), ("a", "sm90"), ("b", "fma"), ("b", "sm90")])
            self.assertEqual(found(["b"], "sm90"), [("b", "sm90")])

    def test_failures_do_not_stop_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a", "b"):
                os.mkdir(os.path.join(folder, name))
                for file in ("inputs.npz", "default.json"):
                    open(os.path.join(folder, name, file), "w").close()
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.assertEqual(run_programs.main([folder]), 1)
            lines = out.getvalue().splitlines()
            self.assertEqual([line.split()[:3] for line in lines[:2]],
                             [["a", "default", "FAILED:"], ["b", "default", "FAILED:"]])
            self.assertEqual(lines[2], "0 of 2 as expected")


if __name__ == "__main__":
    unittest.main()
