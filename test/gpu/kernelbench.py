#!/usr/bin/env python3
"""Compiles the problems of KernelBench, checks what they compute, and times them compared with eager and torch.compile.

    python3 test/gpu/kernelbench.py CHECKOUT --device none --out problems.jsonl    # which import and compile
    python3 test/gpu/kernelbench.py CHECKOUT --device cuda --out problems.jsonl    # and which are right, and how fast
    python3 test/gpu/kernelbench.py CHECKOUT --device cpu --only 1/1               # evaluated: slow, and for small sizes
    python3 test/gpu/kernelbench.py --table --out problems.jsonl                   # the table of a file
    python3 test/gpu/kernelbench.py --rows --out problems.jsonl                    # a row for each problem

CHECKOUT is a clone of ScalingIntelligence/KernelBench, which is no part of this project. Each problem is a line of JSON
in the file of `--out`; problems that have a line are not run again, so a run that was stopped goes on where it was.
Problems run in a process of their own that is replaced after a crash or a time limit, and serves many problems otherwise.

With `--backend` models are compiled by `torch.compile(model, backend="dlc")`: what has no translation runs in torch, and
`in_torch` counts it. Otherwise a problem is exported by `torch.export` with its sizes, translated by `dlc.torch`, read, and compiled to PTX (and by
`ptxas`, where that is on the PATH). On a GPU it is right if its outputs are within the tolerance of KernelBench of eager's
(atol = rtol = 1e-4 for float32, 1e-2 for 16 bits) for five seeds, or its error against f64 is at most twice that of eager, or four units of the last place
(`by_f64` counts these outputs). `error` has the relative error against the same model
in f64, for dlc and for eager. With `--draw N` the sizes of a problem are other ones, drawn at random by `drawn`; then its
outputs must be as near to f64 as above, whatever the tolerance says. Models are in training mode, as KernelBench has them, so norms of batches use the statistics of
the batch; dropout is off. Times are medians in microseconds, by events, interleaved, with L2 flushed before each call.
"""
import argparse
import ast
import collections
import gc
import json
import logging
import math
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

TOLERANCE = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-2}
STAGES = ("export", "import", "read", "compile", "assemble", "run")
FLUSHED = 256 << 20


class Failed(Exception):
    """A stage that a problem did not pass, and why."""

    def __init__(self, stage, why):
        super().__init__(why)
        self.stage = stage


def problems(checkout, levels):
    """The files of the problems, by level and number."""
    root = pathlib.Path(checkout)
    root = root / "KernelBench" if (root / "KernelBench").is_dir() else root
    found = []
    for level in levels:
        files = list((root / f"level{level}").glob("*.py"))
        found += sorted(files, key=lambda file: int(file.name.split("_")[0]))
    return found


def level_of(file):
    """The level of a problem."""
    return int(file.parent.name.removeprefix("level"))


# --- One problem, in a process of its own -----------------------------------------------------------------------------


class Problem:
    """A problem: its model and inputs on a device, as one type of floats."""

    def __init__(self, file, dtype, device, code=None):
        import torch

        self.torch, self.dtype, self.has_numbers = torch, getattr(torch, dtype), device != "none"
        self.device = device if self.has_numbers else "cpu"
        self.space = {"__name__": file.stem, "__file__": str(file)}
        exec(compile(code or file.read_text(), str(file), "exec"), self.space)

    def model(self, seed=42):
        """The model with the weights of a seed. As in KernelBench it is in training mode, but nothing is dropped."""
        self.torch.manual_seed(seed)
        # Tensors without numbers are not converted.
        self.torch.set_default_dtype(self.torch.float32 if self.has_numbers else self.dtype)
        try:
            model = self.space["Model"](*self.space["get_init_inputs"]())
        finally:
            self.torch.set_default_dtype(self.torch.float32)
        for module in model.modules():
            if "Dropout" in type(module).__name__:
                module.eval()
        return model.to(self.device, self.dtype) if self.has_numbers else model

    def inputs(self, seed=42):
        """The inputs of a seed."""
        self.torch.manual_seed(seed)
        with self.torch.device(self.device):
            return [self.cast(value, self.dtype) for value in self.space["get_inputs"]()]

    def cast(self, value, dtype):
        """An input on the device; floats as a type."""
        if not isinstance(value, self.torch.Tensor):
            return value
        value = value.to(self.device)
        return value.to(dtype) if value.is_floating_point() else value


# The most bytes of the parameters, inputs and outputs of a problem with drawn sizes, and of a tensor in between.
DRAWN_BYTES = 1 << 30


class Sizes(ast.NodeTransformer):
    """Draws the whole numbers of a problem anew: those of 8 and more are between 1/16 and 5/4 of what they are, smaller
    ones (steps, windows, heads) one more or one less. Each of them stays with some probability, so that some draws fit together."""

    def __init__(self, random, stay):
        self.random, self.stay = random, stay

    def visit_ClassDef(self, node):
        return node  # the model is as it is

    def visit_Constant(self, node):
        old = node.value
        if type(old) is not int or old < 2 or self.random.random() < self.stay:
            return node
        if old < 8:
            new = old + self.random.choice((-1, 1))
        else:
            new = max(2, round(old * 2 ** self.random.uniform(-4, 0.32)))
            # Odd sizes and those that are a multiple of a power of two are both as people have them.
            multiple = self.random.choice((1, 2, 8, 32))
            new = max(multiple, new // multiple * multiple)
        return ast.copy_location(ast.Constant(new), node)


def drawn(file, options):
    """The code of a problem with other sizes, drawn by its name and the number of the draw: the first draw of 200 that
    runs in torch on tensors without numbers within `DRAWN_BYTES`. The later a draw, the more of its numbers stay."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode

    class Bounded(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            results = func(*args, **(kwargs or {}))
            if any(value.numel() * value.element_size() > DRAWN_BYTES for value in flat(torch, results)):
                raise Failed("export", "a tensor takes too much memory")
            return results

    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)  # most draws do not fit together
    numbers = random.Random(f"{file.stem} {options.draw}")
    own = file.read_text()
    for attempt in range(200):
        tree = Sizes(numbers, 0.3 + 0.6 * attempt / 200).visit(ast.parse(own))
        code = ast.unparse(ast.fix_missing_locations(tree))
        try:
            with FakeTensorMode(allow_non_fake_inputs=True), Bounded(), torch.no_grad():
                problem = Problem(file, options.dtype, "none", code)
                model, inputs = problem.model(), problem.inputs()
                tensors = [*model.parameters(), *flat(torch, inputs), *flat(torch, model(*inputs))]
            if not all(value.numel() for value in tensors) or sum(value.numel() * value.element_size() for value in tensors) > DRAWN_BYTES:
                continue
            if options.device != "none":  # kernels refuse more than tensors without numbers do
                problem = Problem(file, options.dtype, options.device, code)
                problem.model()(*problem.inputs())
            return code
        except Exception:
            pass  # these sizes do not fit together
    raise Failed("export", "no draw of sizes runs in torch")


def staged(stage, times, compute):
    """What a stage gives; its seconds are kept, and what is raised is the reason that it failed."""
    begin = time.perf_counter()
    try:
        return compute()
    except Failed:
        raise
    except Exception as error:
        raise Failed(stage, reason(error)) from error
    finally:
        times[stage] = round(time.perf_counter() - begin, 3)


def reason(error):
    """The first line of an error that says something, with its code."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error[")]
    return "; ".join(dict.fromkeys(errors)) or f"{type(error).__name__}: {lines[0] if lines else ''}"


def compiled(file, options, times):
    """The problem and its compiled model. Without a GPU nothing has numbers: sizes are enough to compile."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    import dlc
    import dlc.torch

    code = None if options.draw is None else drawn(file, options)
    if options.backend:
        problem = Problem(file, options.dtype, options.device, code)
        before = sum(dlc.torch.fallbacks.values())
        ours = staged("compile", times, lambda: by_backend(problem))
        return problem, ours, {"in_torch": sum(dlc.torch.fallbacks.values()) - before}

    def export():
        problem = Problem(file, options.dtype, options.device, code)
        if problem.has_numbers:
            return problem, dlc.torch.export(problem.model(), tuple(problem.inputs()))
        try:
            with FakeTensorMode(allow_non_fake_inputs=True):
                return problem, dlc.torch.export(problem.model(), tuple(problem.inputs()))
        except Exception:  # what reads numbers, or keeps tensors, is exported with them
            return problem, dlc.torch.export(problem.model(), tuple(problem.inputs()))

    session = dlc.Session(options.device)
    problem, exported = staged("export", times, export)
    graph = staged("import", times, lambda: dlc.torch.translate(exported))
    program = staged("read", times, lambda: session.compile(graph.source, target=options.target))
    ptx = staged("compile", times, lambda: program.ptx)
    if shutil.which("ptxas"):
        staged("assemble", times, lambda: assemble(ptx))
    return problem, dlc.torch.Model(graph, program), {"kernels": ptx.count(".entry "), "graph": len(graph.source.splitlines())}


def by_backend(problem):
    """The model compiled by the backend, which compiles when it is called first."""
    import torch

    import dlc.torch

    ours = torch.compile(problem.model(), backend=dlc.torch.backend, dynamic=False)
    ours(*problem.inputs())
    return ours


def assemble(ptx):
    """Has ptxas assemble a module."""
    target = re.search(r"^\.target (\w+)", ptx, re.M)
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        command = ["ptxas", f"-arch={target[1] if target else 'sm_90a'}", "-o", os.devnull, file.name]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"ptxas: {(done.stderr or done.stdout).strip().splitlines()[0]}")


def flat(torch, outputs):
    """The tensors of what a model gives."""
    return [value for value in torch.utils._pytree.tree_leaves(outputs) if isinstance(value, torch.Tensor)]


def relative_error(torch, actual, expected):
    """The largest relative error of some outputs, by norms. Infinities and NaNs in the same places are no error."""
    worst = 0.0
    for one, other in zip(actual, expected):
        one, other = one.double(), other.double()
        is_same = (one == other) | (one.isnan() & other.isnan())
        norm = other[other.isfinite()].norm().item()
        off = (one - other)[~is_same].norm().item()
        worst = max(worst, off / norm if norm else off)
    return worst


def right(problem, ours, options):
    """Compares with eager for five seeds, and with f64 for the first one where memory allows."""
    import torch

    bound, eager, result = TOLERANCE[options.dtype], problem.model(), {}
    least = 4 * torch.finfo(problem.dtype).eps  # where eager rounds nothing, or once
    for number, seed in enumerate(random.Random(42).sample(range(1 << 31), options.seeds)):
        inputs = problem.inputs(seed)
        expected, actual = flat(torch, eager(*inputs)), flat(torch, ours(*inputs))
        if options.device == "cuda":
            torch.cuda.synchronize()
        for place, (one, other) in enumerate(zip(actual, expected, strict=True)):
            if (one.shape, one.dtype) != (other.shape, other.dtype):
                raise Failed("run", f"output {place} is {one.dtype} {list(one.shape)}, not {other.dtype} {list(other.shape)}")
            is_close = torch.allclose(one, other, atol=bound, rtol=bound, equal_nan=True)
            if options.draw is None and is_close:
                continue
            # Sums that nearly cancel are off in eager too: then what counts is who is nearer to f64.
            error = against_f64(problem, inputs, actual, expected)
            result["by_f64"] = result.get("by_f64", 0) + 1
            if error is None and is_close:
                continue  # the model does not run in f64
            if error is None or not error[0] <= max(2 * error[1], least):
                off = (one - other).abs().max().item()
                far = "" if error is None else f", relative to f64 {error[0]:.2g}, eager {error[1]:.2g}"
                raise Failed("run", f"wrong: output {place} is off by {off:.3g}{far}, with {number} seeds right before")
        if number == 0:
            result["error"] = against_f64(problem, inputs, actual, expected)
    return result


def against_f64(problem, inputs, actual, expected):
    """The relative errors of ours and of eager against the model in f64; None where it does not fit."""
    import torch

    try:
        wide = problem.model().double()
        exact = flat(torch, wide(*(problem.cast(value, torch.float64) for value in inputs)))
        return [relative_error(torch, actual, exact), relative_error(torch, expected, exact)]
    except (torch.cuda.OutOfMemoryError, RuntimeError):
        return None


def timed(calls, options):
    """The median time of each call in microseconds: interleaved, in random order, with L2 flushed."""
    import torch

    flushed = torch.empty(FLUSHED, dtype=torch.int8, device="cuda")
    times = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    begin, rounds = time.perf_counter(), 0
    while rounds < 10 or (rounds < options.rounds and time.perf_counter() - begin < options.seconds):
        for name in random.sample(list(calls), len(calls)):
            flushed.zero_()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            calls[name]()
            end.record()
            end.synchronize()
            times[name].append(start.elapsed_time(end) * 1e3)
        rounds += 1
    return {name: round(sorted(found)[len(found) // 2], 2) for name, found in times.items()}


def run(problem, ours, options, line):
    """Checks and times a compiled problem on the GPU."""
    import torch

    line |= staged("run", line["seconds"], lambda: right(problem, ours, options))
    if options.device != "cuda":
        return
    eager, inputs = problem.model(), problem.inputs()
    calls = {"dlc": lambda: ours(*inputs), "eager": lambda: eager(*inputs)}
    if options.compile:
        best = torch.compile(eager, dynamic=False)
        try:
            best(*inputs)
            calls["torch.compile"] = lambda: best(*inputs)
        except Exception as error:
            line["not_compiled"] = reason(error)
    line["times"] = timed(calls, options)


def solve(file, options):
    """What becomes of a problem, as a line."""
    import torch

    warnings.simplefilter("ignore")
    line = {"level": level_of(file), "problem": file.stem, "device": options.device, "dtype": options.dtype, "seconds": {}}
    torch.backends.cudnn.allow_tf32 = options.tf32 != "never"
    torch.backends.cuda.matmul.allow_tf32 = options.tf32 == "always"
    try:
        with torch.no_grad():
            problem, ours, facts = compiled(file, options, line["seconds"])
            line |= facts
            if options.device != "none":
                run(problem, ours, options, line)
        line["failed"] = None
    except Failed as failed:
        line |= {"failed": failed.stage, "reason": str(failed)}
    except Exception as error:
        line |= {"failed": "run", "reason": reason(error)}
    problem = ours = None
    torch._dynamo.reset()
    gc.collect()
    if options.device == "cuda":
        torch.cuda.empty_cache()
    return line


def serve(connection, options):
    """Solves the problems that it is sent, until there are no more."""
    if options.memory:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (options.memory << 30,) * 2)
    while (file := connection.recv()) is not None:
        line = solve(file, options)
        connection.send(line)
        if line["failed"] == "run":
            return  # a fault on the device stays with its process


# --- All problems -----------------------------------------------------------------------------------------------------


class Worker:
    """A process that solves problems, started again when it is gone."""

    def __init__(self, options):
        self.options, self.process = options, None

    def solve(self, file):
        """The line of a problem, whatever becomes of the process."""
        if self.process is None or not self.process.is_alive():
            context = multiprocessing.get_context("spawn")
            self.connection, theirs = context.Pipe()
            self.process = context.Process(target=serve, args=(theirs, self.options), daemon=True)
            self.process.start()
            theirs.close()
        fail = lambda why: {"level": level_of(file), "problem": file.stem, "device": self.options.device, "failed": "process", "reason": why}
        try:
            self.connection.send(file)
            if not self.connection.poll(self.options.timeout):
                self.process.kill()
                self.process.join()
                return fail(f"it took more than {self.options.timeout} s")
            line = self.connection.recv()
            if line["failed"] == "run":
                self.process.join()  # it ends itself
            return line
        except (EOFError, OSError):
            self.process.join()
            return fail(f"the process ended with status {self.process.exitcode}")


def load(path):
    """The lines of a file; the last one of a problem counts."""
    if not os.path.exists(path):
        return {}
    lines = [json.loads(text) for text in pathlib.Path(path).read_text().splitlines() if text.strip()]
    return {(line["level"], line["problem"]): line for line in lines}


def kind(why):
    """A reason without what is of one problem: names and numbers."""
    op = re.search(r"(?:no translation of|error\[\w+\]:) ?(aten\.[\w.]+)", why)
    if op:
        return f"{'no translation of ' if 'no translation' in why else ''}{op[1]}"
    return re.sub(r"%?[\"'`@][\w.%@$]+[\"'`]?|\d+", "_", why.split("; it is from")[0])[:110]


def table(lines):
    """What became of all problems, as text."""
    counts = collections.defaultdict(collections.Counter)
    for (level, _), line in lines.items():
        failed = STAGES.index(line["failed"]) if line["failed"] in STAGES else 0 if line["failed"] else len(STAGES)
        passed = {"exported": failed > 0, "imported": failed > 2, "compiled": failed > 4, "right": failed > 5}
        counts[level].update(problems=1, ran=int(line.get("device") != "none"), **{name: int(is_passed) for name, is_passed in passed.items()})
        if line.get("times") and failed > 5:
            times = line["times"]
            best = min(value for name, value in times.items() if name != "dlc")
            counts[level].update(timed=1, logs=math.log(best / times["dlc"]), faster=int(times["dlc"] < best))
    text = ["| level | problems | export | import | compile | right | faster than both | speedup (geometric mean) |", "| --- " * 8 + "|"]
    for level, count in sorted(counts.items()):
        is_timed = count["timed"] > 0
        mean = f"{math.exp(count['logs'] / count['timed']):.2f}" if is_timed else "-"
        ran = [str(count["right"]) if count["ran"] else "-", str(count["faster"]) if is_timed else "-", mean]
        cells = [level, count["problems"], count["exported"], count["imported"], count["compiled"], *ran]
        text.append(f"| {' | '.join(map(str, cells))} |")
    reasons = collections.defaultdict(list)
    for (level, problem), line in lines.items():
        if line["failed"]:
            reasons[line["failed"], kind(line["reason"])].append(f"{level}/{problem.split('_')[0]}")
    text.append("")
    for (stage, why), which in sorted(reasons.items(), key=lambda item: -len(item[1])):
        text.append(f"{len(which):4}  {stage}: {why}  ({', '.join(which[:8])}{', ..' if len(which) > 8 else ''})")
    return "\n".join(text)


def rows(lines):
    """A row for each problem that was timed: whether it is right, kernels, microseconds, and the speedup over the better of
    eager and torch.compile."""
    text = ["| problem | right | kernels | dlc, us | eager, us | torch.compile, us | speedup |", "| --- " * 7 + "|"]
    for (level, problem), line in sorted(lines.items(), key=lambda item: (item[0][0], int(item[0][1].split("_")[0]))):
        number, _, name = problem.partition("_")
        times = line.get("times") or {}
        others = [value for key, value in times.items() if key != "dlc"]
        speedup = f"{min(others) / times['dlc']:.2f}" if others else "-"
        right = f"no: {line['failed']}" if line["failed"] else "yes"
        cells = [f"{times[key]:,.0f}" if key in times else "-" for key in ("dlc", "eager", "torch.compile")]
        text.append(f"| {level}/{number} `{name}` | {right} | {line.get('kernels', '-')} | {' | '.join(cells)} | {speedup} |")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", help="a clone of KernelBench")
    parser.add_argument("--out", default="kernelbench.jsonl", help="the file of results, which is added to")
    parser.add_argument("--device", choices=("none", "cpu", "cuda"), default="none")
    parser.add_argument("--levels", default="1,2,3")
    parser.add_argument("--only", nargs="*", default=[], help="problems, as 1/23 or by a part of the name")
    parser.add_argument("--again", action="store_true", help="runs problems that failed before once more")
    parser.add_argument("--dtype", choices=tuple(TOLERANCE), default="float32")
    parser.add_argument("--tf32", choices=("never", "convolutions", "always"), default="convolutions", help="what may use TF32, in torch and in dlc (torch's default: convolutions)")
    parser.add_argument("--target", help="sm80 or sm90; by default that of the device")
    parser.add_argument("--draw", type=int, help="the number of a draw: other sizes, at most 1 GiB, in place of its own; give each draw a file of its own")
    parser.add_argument("--backend", action="store_true", help='compiles by torch.compile(backend="dlc"), not by an export')
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="leaves torch.compile out")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=5.0, help="what the timing of a problem may take")
    parser.add_argument("--timeout", type=float, default=300.0, help="what a problem may take, in seconds")
    parser.add_argument("--memory", type=int, help="what the process of a problem may allocate, in GiB")
    parser.add_argument("--table", action="store_true", help="shows the table of the file, and runs nothing")
    parser.add_argument("--rows", action="store_true", help="shows a row for each problem of the file, and runs nothing")
    options = parser.parse_args()
    if options.backend and options.device == "none":
        parser.error("the backend compiles when a model runs: give --device cpu or cuda")
    lines = load(options.out)
    if options.rows:
        print(rows(lines))
        return 0
    if not options.table:
        if not options.checkout:
            parser.error("give the folder of a clone of KernelBench, or --table")
        worker = Worker(options)
        with open(options.out, "a") as out:
            for file in problems(options.checkout, [int(level) for level in options.levels.split(",")]):
                key = level_of(file), file.stem
                number = f"{key[0]}/{file.stem.split('_')[0]}"
                is_done = key in lines and not (options.again and lines[key]["failed"])
                if is_done or (options.only and not any(part == number or ("/" not in part and part in file.stem) for part in options.only)):
                    continue
                line = lines[key] = worker.solve(file)
                out.write(json.dumps(line) + "\n")
                out.flush()
                print(f"{number} {file.stem}: {line['failed'] + ': ' + line['reason'] if line['failed'] else 'ok'}"[:200], flush=True)
    print(table(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
