#!/usr/bin/env python3
"""Draws programs by a seed, and measures them compared with torch on a GPU: speed at sizes that nobody named.

    cargo build --release --bins
    python3 test/gpu/drawn.py --bin target/release --seed 1 --count 60 --seconds 530 --commit $(git rev-parse --short HEAD) --out drawn.jsonl
    python3 test/gpu/drawn.py --report drawn.jsonl
    python3 test/gpu/drawn.py --bin target/debug --seed 1 --count 60 --device none    # only compile
    python3 test/gpu/drawn.py --bin target/debug --seed 1 --count 60 --device cpu     # small sizes, compared with numpy

Kinds are products of matrices, layers of networks that convolve, attention, decoding, functions of rows and scans
(`drawn_cases.py`). All programs are compiled first, several at once; then one process checks each against torch in f64, on
a sample of its results, and times it against its baselines: CUDA graphs, interleaved, L2 flushed by reading before each.

Each draw is a line of JSON in the file of `--out`. A draw that has a line of the same commit is not run again, so a run that
stopped goes on where it was. No draw begins after `--seconds`. The exit status is 1 if a result is wrong.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools" / "python")]
from drawn_cases import KINDS, TORCH  # noqa: E402

# Seconds that a program may take to compile, and a step of the process that times to end.
COMPILE_LIMIT = 60
LIMITS = {"start": 120, "inputs": 30, "dlc": 30, "check": 60, "time": 40}
BASELINE_LIMIT = 90
# How often a draw is repeated until it is possible.
ATTEMPTS = 1000


def draw(kind, seed, at, most=None):
    """The draw of a kind with a number: always the same for a seed."""
    rng = random.Random(f"{seed} {kind} {at}")
    for _ in range(ATTEMPTS):
        found = KINDS[kind].draw(rng, most)
        if found.is_possible():
            return found
    raise SystemExit(f"no {kind} was possible in {ATTEMPTS} draws")


def draws(args):
    """All draws of a call: the kinds in turn."""
    most = 40 if args.device == "cpu" else None
    return [draw(args.kinds[at % len(args.kinds)], args.seed, at // len(args.kinds), most) for at in range(args.count)]


def rows_of(path):
    if not path or not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


# --- Compiling --------------------------------------------------------------------------------------------------------


class Compiler:
    """Writes programs and their manifests into a folder."""

    def __init__(self, args, folder):
        self.dlc_run, self.target, self.folder = os.path.join(args.bin, "dlc-run"), args.target, folder

    def path(self, number, end):
        return os.path.join(self.folder, f"{number}.{end}")

    def call(self, *command):
        """The exit status, what was said, and the seconds that it took."""
        begin = time.time()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_LIMIT)
        except subprocess.TimeoutExpired:
            return 124, f"it took longer than {COMPILE_LIMIT} s", COMPILE_LIMIT
        return done.returncode, done.stdout + done.stderr, round(time.time() - begin, 3)

    def shape(self, case):
        symbols = ",".join(f"{name}={size}" for name, size in case.symbols().items())
        return [f"--shape={symbols}"] if symbols else []

    def write(self, number, case):
        with open(self.path(number, "mlir"), "w", encoding="utf-8") as file:
            file.write(case.text())
        return self.path(number, "mlir")

    def compile(self, number, case):
        """Why a program does not compile, or an empty text; and the seconds that it took."""
        code, said, seconds = self.call(
            self.dlc_run, self.write(number, case), "--device=none", f"--target={self.target}", *self.shape(case),
            f"--emit-manifest={self.path(number, 'json')}", "--no-cache")
        return (said.strip()[:500] or f"exit status {code}") if code else "", seconds

    def evaluate(self, number, case):
        """Why a program does not give on the CPU what numpy does, or an empty text."""
        import numpy as np

        arrays, wide = {}, []
        for name, shape, elem in case.inputs():
            stored, value = numbers(np, np.random.default_rng(number), name, shape, elem)
            arrays[name] = stored
            wide.append(value)
        expected = case.numpy(np, *wide)
        np.savez(self.path(number, "in.npz"), **arrays)
        np.savez(self.path(number, "out.npz"), y=stored_as(np, expected, case.result()[1]))
        code, said, _ = self.call(
            self.dlc_run, self.write(number, case), self.path(number, "in.npz"), "--device=cpu", *self.shape(case),
            f"--check={self.path(number, 'out.npz')}")
        return (said.strip()[-500:] or f"exit status {code}") if code else ""


def stored_as(np, value, elem):
    """An array as files have it: numpy has no bf16, and its bits stand for it."""
    if elem == "bf16":
        return ((value.astype(np.float32).view(np.uint32) + 0x8000) >> 16).astype(np.uint16)
    return value.astype(dict(f16=np.float16, f32=np.float32, i1=bool, i32=np.int32)[elem])


def numbers(np, rng, name, shape, elem):
    """An input as it is stored, and its numbers in f64."""
    if elem == "i1":
        value = rng.random(shape) < 0.7
        value[..., 0] = True
        return value, value
    value = rng.standard_normal(shape)
    if name == "a" and len(shape) > 1:
        value = 1 / (1 + np.exp(-value))
    stored = stored_as(np, value, elem)
    wide = (stored.astype(np.uint32) << 16).view(np.float32) if elem == "bf16" else stored
    return stored, wide.astype(np.float64)


def compile_all(args, cases, compiler):
    """What became of each: an empty text or a reason, and seconds."""
    work = compiler.evaluate if args.device == "cpu" else None
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        if work:
            return [(why, 0) for why in pool.map(work, range(len(cases)), cases)]
        return list(pool.map(compiler.compile, range(len(cases)), cases))


# --- The process that uses the device ---------------------------------------------------------------------------------


def send(**what):
    print("@" + json.dumps(what), flush=True)


class Worker:
    """Checks and times cases, and says a line of JSON for each step and result."""

    def __init__(self, folder, seconds):
        import torch

        import compare
        from dlc_launch import Cuda

        torch.backends.cudnn.benchmark = True
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
        self.torch, self.compare, self.folder = torch, compare, folder
        self.cuda, self.timer = Cuda(), compare.Timer(seconds)

    def make_inputs(self, case):
        """Random inputs: normal numbers, factors of recurrences between 0 and 1, and masks that leave most keys."""
        torch, made = self.torch, []
        torch.manual_seed(0)
        for name, shape, elem in case.inputs():
            if elem == "i1":
                value = torch.rand(shape, device="cuda") < 0.7
                value[..., 0] = True
            else:
                value = torch.randn(shape, device="cuda", dtype=getattr(torch, TORCH[elem]))
                value = value.sigmoid_() if case.kind == "scan" and name == "a" else value
            made.append(value)
        return made

    def graphed(self, run):
        """A run as a CUDA graph with what it keeps alive; as it is where it cannot be one."""
        torch, stream = self.torch, self.torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            run(), run()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        try:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                kept = run()
            graph.replay()
            torch.cuda.synchronize()
            return graph.replay, (graph, kept)
        except Exception:  # what allocates or waits cannot be recorded
            torch.cuda.synchronize()
            return run, None

    def ours(self, number, inputs, row):
        from dlc_launch import load

        module = load(os.path.join(self.folder, f"{number}.json"), self.cuda)
        named = module.programs or module.kernels
        prepared = next(iter(named.values())).prepare(*inputs)
        for out in getattr(prepared, "_own", None) or prepared.outputs:
            out.view(-1).view(self.torch.uint8).fill_(255)
        out = prepared()[0]
        self.torch.cuda.synchronize()
        steps = next(iter(module.manifest.get("programs") or [{}])).get("steps", [])
        row["launches"] = sum("launch" in step for step in steps)
        return prepared, out

    def check(self, case, inputs, out, row):
        import suites

        with self.torch.backends.cudnn.flags(enabled=True, benchmark=False, allow_tf32=False):
            found, expected = case.checked(self.torch, inputs, out)
        # Results that the type has no more bits for, such as those near zero, are expected rounded.
        row["error"], row["worst"] = self.compare.errors(found, expected.to(found.dtype))
        bound, worst = suites.BOUNDS[case.elem]
        unwritten = out.is_floating_point() and bool(out.isnan().any())
        row["right"] = not unwritten and row["error"] <= bound and row["worst"] <= worst
        if unwritten:
            row["note"] = "it leaves elements unwritten, or gives what is no number"

    def measure(self, number, case):
        torch, row, runs = self.torch, {}, {}
        send(step="inputs")
        inputs = self.make_inputs(case)
        torch.cuda.synchronize()
        send(step="dlc")
        runs["dlc"], out = self.ours(number, inputs, row)
        send(step="check")
        self.check(case, inputs, out, row)
        for name, make in case.baselines(torch, inputs):
            send(step=name)
            try:
                run = make()
                run()
                torch.cuda.synchronize()
                runs[name] = run
            except Exception as error:
                text = f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
                row.setdefault("failed", {})[name] = text
                if "CUDA error" in text:
                    raise
        send(step="time")
        ready = {name: self.graphed(run) for name, run in runs.items()}
        row["no_graph"] = [name for name, (_, kept) in ready.items() if kept is None]
        times = {name: round(took[0], 2) for name, took in self.timer({n: r for n, (r, _) in ready.items()}).items()}
        row["us"] = times.pop("dlc")
        row["baselines"] = times
        counted = {name: took for name, took in times.items() if name not in case.spared()}
        if counted:
            row["baseline"] = min(counted, key=counted.get)
            row["baseline_us"] = times[row["baseline"]]
            row["speedup"] = round(row["baseline_us"] / row["us"], 4)
        return row

    def serve(self):
        import gc

        send(idle=self.torch.cuda.get_device_name())
        for line in sys.stdin:
            asked = json.loads(line)
            case = KINDS[asked["kind"]](**asked["params"])
            try:
                row = self.measure(asked["number"], case)
            except Exception as error:
                row = dict(broken=f"{type(error).__name__}: {' '.join(str(error).split())}"[:500])
            send(result=row)
            if is_lost(row):
                os._exit(3)
            gc.collect()
            self.torch.cuda.empty_cache()


def is_lost(row):
    """Whether the device does not work any more in the process that gave a row."""
    return any(text in row.get("broken", "") for text in ("CUDA error", "DriverError"))


class Watched:
    """A worker whose steps have limits. One that does not end is killed, and the next case gets a new one."""

    def __init__(self, folder, seconds, log):
        self.command = [sys.executable, str(HERE / "drawn.py"), "--worker", folder, "--time", str(seconds)]
        self.log, self.child, self.device = log, None, ""

    def start(self):
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.said = queue.Queue()
        threading.Thread(target=self.read, args=(self.child, self.said), daemon=True).start()
        found = self.wait("idle", "start")
        self.device = found if isinstance(found, str) else self.device
        return isinstance(found, str)

    @staticmethod
    def read(child, said):
        for line in child.stdout:
            if line.startswith("@"):
                said.put(json.loads(line[1:]))
        said.put(None)

    def wait(self, wanted, step):
        """What is said under a name; a row that says why not, if a step takes too long or the worker ends."""
        while True:
            try:
                said = self.said.get(timeout=LIMITS.get(step, BASELINE_LIMIT))
            except queue.Empty:
                self.end()
                return dict(broken=f"'{step}' does not end", step=step)
            if said is None:
                self.end()
                return dict(broken=f"the process ended in '{step}'", step=step)
            if wanted in said:
                return said[wanted]
            step = said.get("step", step)

    def end(self):
        if self.child:
            self.child.kill()
            self.child.wait()
        self.child = None

    def ask(self, number, case):
        if self.child is None or self.child.poll() is not None:
            if not self.start():
                return dict(broken="no process starts")
        self.child.stdin.write(json.dumps(dict(number=number, kind=case.kind, params=case.params)) + "\n")
        self.child.stdin.flush()
        row = self.wait("result", "inputs")
        if is_lost(row):
            self.end()
        return row


# --- The process that draws -------------------------------------------------------------------------------------------


def format_row(row):
    """A row as a line of the table."""
    name = " ".join(f"{key}={value}" for key, value in row["sizes"].items())
    if row.get("broken"):
        return f"{row['kind']:9} {name}: BROKEN: {row['broken'][:300]}"
    if "us" not in row:
        return f"{row['kind']:9} {name}: compiles"
    rate = f"{row['flops'] / row['us'] / 1e6:6.0f} TFLOP/s " if row["flops"] else ""
    against = f"{row['baseline_us']:10.1f} {row['baseline']:16} {row['speedup']:6.2f}" if "baseline" in row else "no baseline"
    wrong = "" if row.get("right") else f"  WRONG: error {row.get('error'):.2e}, worst {row.get('worst'):.2e} {row.get('note', '')}"
    return f"{row['kind']:9} {row['us']:10.1f} us {rate}{row['bytes'] / row['us'] / 1e3:6.0f} GB/s {against}  {name}{wrong}"


def run(args):
    begin = time.time()
    done = {(row["commit"], row["kind"], json.dumps(row["sizes"])) for row in rows_of(args.out)}
    cases = [case for case in draws(args) if (args.commit, case.kind, json.dumps(case.params)) not in done]
    bad = False
    with tempfile.TemporaryDirectory() as folder, open(args.out or os.devnull, "a", encoding="utf-8") as out:
        found = compile_all(args, cases, Compiler(args, folder))
        print(f"{len(cases)} draws, {sum(not why for why, _ in found)} compile, {time.time() - begin:.0f} s", flush=True)
        log = open(args.log or os.devnull, "a")
        worker = Watched(folder, args.time, log)
        for number, (case, (why, seconds)) in enumerate(zip(cases, found)):
            row = dict(kind=case.kind, sizes=case.params, commit=args.commit, seed=args.seed, bytes=case.bytes(),
                       flops=case.flops(), compile_s=seconds)
            if why:
                row["broken"] = f"it does not compile: {why}" if args.device != "cpu" else why
            elif args.device == "cuda":
                if time.time() - begin > args.seconds:
                    print(f"no time is left for {len(cases) - number} draws", flush=True)
                    break
                row |= worker.ask(number, case)
                row["device"] = worker.device
            bad |= bool(row.get("broken")) or row.get("right") is False
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(f"{time.time() - begin:4.0f} {format_row(row)}", flush=True)
        worker.end()
    print(f"{'FAILED' if bad else 'all as expected'}, {time.time() - begin:.0f} s")
    return bad


def report(args):
    """The speedups of each kind and the rows with the least, of the last commit in the file or of the one that is named."""
    rows = rows_of(args.report)
    commit = args.commit or (rows[-1]["commit"] if rows else "")
    rows = [row for row in rows if row["commit"] == commit]
    timed = sorted((row for row in rows if "speedup" in row), key=lambda row: row["speedup"])
    mean = lambda found: math.exp(sum(math.log(row["speedup"]) for row in found) / len(found))
    print(f"commit {commit}: {len(timed)} of {len(rows)} draws timed\n")
    # Baselines that are spared a conversion count here only.
    spared = lambda row: row | dict(speedup=min(row.get("baselines", {0: row["baseline_us"]}).values()) / row["us"])
    print("| kind | draws | geomean | worst tenth | least | at least 0.9 | geomean over spared | wrong or broken |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for kind in [*KINDS, "all"]:
        own = [row for row in timed if kind in (row["kind"], "all")]
        bad = sum(bool(row.get("broken")) or row.get("right") is False for row in rows if kind in (row["kind"], "all"))
        if own:
            # The geometric mean of the lowest tenth, at least one of them.
            tenth = own[: max(1, len(own) // 10)]
            print(f"| {kind} | {len(own)} | {mean(own):.3f} | {mean(tenth):.3f} | {own[0]['speedup']:.3f} | "
                  f"{sum(row['speedup'] >= 0.9 for row in own)} | {mean(list(map(spared, own))):.3f} | {bad} |")
    print()
    for row in timed[: args.rows]:
        print(format_row(row))
    for row in rows:
        if row.get("broken") or row.get("right") is False:
            print(format_row(row))


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/release", help="the folder of dlc-run")
    parser.add_argument("--target", default="sm90")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60, help="how many programs are drawn")
    parser.add_argument("--kinds", default=",".join(KINDS), type=lambda text: text.split(","), help=f"of {', '.join(KINDS)}")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu", "none"))
    parser.add_argument("--seconds", type=float, default=530, help="after these no draw begins")
    parser.add_argument("--time", type=float, default=0.3, help="seconds for the times of one draw")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many programs compile at once")
    parser.add_argument("--commit", default="", help="what rows are marked with")
    parser.add_argument("--out", help="the file of rows")
    parser.add_argument("--log", help="a file for what torch says")
    parser.add_argument("--report", metavar="FILE", help="print the table of a file of rows, and draw nothing")
    parser.add_argument("--rows", type=int, default=25, help="how many of the slowest rows the table has")
    parser.add_argument("--write", metavar="DIR", help="write the programs, and run nothing")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    unknown = [kind for kind in args.kinds if kind not in KINDS]
    if unknown:
        parser.error(f"there is no kind '{unknown[0]}'; there are {', '.join(KINDS)}")
    if args.worker:
        return Worker(args.worker, args.time).serve()
    if args.report:
        return report(args)
    if args.write:
        os.makedirs(args.write, exist_ok=True)
        for number, case in enumerate(draws(args)):
            shape = ",".join(f"{name}={size}" for name, size in case.symbols().items())
            path = pathlib.Path(args.write, f"{number:04}_{case.kind}.mlir")
            path.write_text(f"// {case.name}\n// --shape={shape}\n{case.text()}", encoding="utf-8")
        return 0
    return int(run(args))


if __name__ == "__main__":
    sys.exit(main())
