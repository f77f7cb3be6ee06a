#!/usr/bin/env python3
"""Checks kernels of dlc and times them compared with cuBLAS, cuDNN and torch.compile, on one GPU. README.md has the commands.

Each case is checked against an answer in higher precision, with outputs that were no numbers before. Then all that is
right is timed with the baselines in one process: launches are interleaved in random order, data is random, L2 is flushed before
each by reading (a flush that writes leaves lines after whose write-back is charged to the next kernel), and the median
counts. A kernel that fails, stops the device or never ends does not stop the others: the work is done by a second
process, which is started again after it.
"""
import argparse
import collections
import glob
import json
import math
import os
import random
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suites
from dlc_launch import Cuda, DriverError, LaunchError, load

FLUSH_BYTES = 256 << 20
GUARD_BYTES = 1 << 16


class Lost(Exception):
    """The device does not work any more in this process."""


# --- The worker: everything that touches the device -------------------------------------------------------------------


class Timer:
    """Times functions next to each other."""

    def __init__(self, seconds):
        import torch

        self.torch, self.seconds = torch, seconds
        self.flush = torch.zeros(FLUSH_BYTES // 4, dtype=torch.float32, device=suites.DEVICE)

    def _once(self, run):
        event = self.torch.cuda.Event
        start, end = event(enable_timing=True), event(enable_timing=True)
        self.flush.sum()
        start.record()
        run()
        end.record()
        return start, end

    def __call__(self, runs):
        """Times in microseconds (median, 20th and 80th percentile) of each function, by name."""
        cuda = self.torch.cuda
        for run in runs.values():
            run(), run()
        cuda.synchronize()
        begin = time.time()
        for _ in range(3):
            for run in runs.values():
                self._once(run)
        cuda.synchronize()
        rounds = max(11, min(101, int(3 * self.seconds / max(1e-6, time.time() - begin))))
        found = {name: [] for name in runs}
        order = list(runs.items())
        chance = random.Random(0)
        for at in range(rounds):
            if at % 4 == 0:
                # Work waits on the device from here on, so that the time to launch it is not seen.
                cuda._sleep(2_000_000)
            chance.shuffle(order)
            for name, run in order:
                found[name].append(self._once(run))
        cuda.synchronize()
        return {name: self._spread([a.elapsed_time(b) * 1e3 for a, b in pairs]) for name, pairs in found.items()}

    def _spread(self, times):
        times.sort()
        return statistics.median(times), times[len(times) // 5], times[-1 - len(times) // 5], len(times)


def errors(out, expected):
    """How wrong a result is: all of it, and its worst element."""
    reference = expected.double()
    difference = (out.reshape(expected.shape).double() - reference).abs()
    size = reference.norm()
    mean = size / math.sqrt(max(1, reference.numel()))
    return (difference.norm() / size).item(), (difference / (reference.abs() + mean)).max().item()


class Worker:
    """Runs cases and says what it found, a line of JSON each."""

    def __init__(self, job, send):
        import torch

        self.torch, self.job, self.send = torch, job, send
        torch.manual_seed(0)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
        self.skip = {(suite, case, kernel): fate for suite, case, kernel, fate in job["skip"]}
        self.banned = job["banned"]
        self.cuda = Cuda()
        self.timer = Timer(job["seconds"])
        self.kernels = []
        for path in sorted(glob.glob(os.path.join(job["kernels"], "*.json"))) if job["kernels"] else []:
            name = os.path.basename(path)[: -len(".json")]
            try:
                module = load(path, self.cuda)
                # Where there are programs, kernels are parts of them.
                found = module.programs or module.kernels
            except LaunchError as error:
                self.send(problem=f"{name}: {error}")
                continue
            entry = suites.serve(name)
            if not entry:
                self.send(problem=f"{name}: the table of suites.py has no entry for it")
                continue
            self.kernels += [(name if len(found) == 1 else f"{name}:{k}", entry, kernel) for k, kernel in found.items()]
        self.reference = None
        if job["reference"]:
            from reference import Reference

            self.reference = Reference(job["reference"], self.cuda)

    def step(self, what, kernel=None, allow=None):
        """Says what is done next, and how many seconds it may take."""
        self.send(step=what, kernel=kernel, allow=allow or self.job["allow"])

    def run(self, suite, cases, done):
        compiler = suites.Compiler(self.job["compile_seconds"])
        if not self.job["tune"]:
            compiler.seconds = 0
        for at, case in enumerate(cases):
            if at in done:
                continue
            self.step(f"{suite}: {case.name}")
            started = time.time()
            rows = []
            try:
                rows = self.case(suite, case, compiler)
            except Lost:
                raise
            except Exception as error:  # one case must not stop the others
                traceback.print_exc()
                rows = [dict(kernel="-", note="FAILED: " + said(error))]
                self.alive()
            self.send(suite=suite, case=at, name=case.name, group=case.group, timed=case.timed, rows=rows,
                      took=time.time() - started)
            self.torch.cuda.empty_cache()

    def alive(self):
        """Whether the device still works."""
        try:
            self.torch.cuda.synchronize()
        except Exception as error:
            raise Lost(said(error)) from None

    def candidates(self, suite, case, rows):
        """What is checked: name, function that prepares it, whether it is ours."""
        found = []
        if not self.job["reference_only"]:
            for name, entry, kernel in self.kernels:
                if case.matches(kernel, entry):
                    continue
                if name in self.banned and (suite, case.name, name) in self.skip:
                    rows.append(dict(kernel=name, ours=True, note="FAILED: " + self.skip[suite, case.name, name]))
                    continue
                if name in self.banned:
                    rows.append(dict(kernel=name, note=f"not run: {self.banned[name]}"))
                    continue
                found.append((name, lambda data, e=entry, k=kernel: self.guarded(k, case.operands(k, e, data)), True))
            if not found and not rows:
                rows.append(dict(kernel="-", note="no kernel"))
        if self.reference and case.timed:
            variants = []
            try:
                variants = [("ref:" + label, make, False) for label, make in self.reference.variants(case)]
                if not variants and self.job["reference_only"]:
                    rows.append(dict(kernel="-", note="the reference has no kernel"))
            except (LaunchError, AssertionError) as error:
                rows.append(dict(kernel="ref", note=said(error)))
            # Next to kernels of ours it is a baseline; alone it would only take time.
            found += variants if found or self.job["reference_only"] else []
        return found

    def guarded(self, kernel, operands):
        """The kernel with outputs that lie between other memory, which it must leave alone."""
        torch, outputs, guards = self.torch, [], []
        for out in kernel.prepare(*operands).outputs:
            size = out.numel() * out.element_size()
            memory = torch.full((size + 2 * GUARD_BYTES,), 0xA5, dtype=torch.uint8, device=out.device)
            inside = memory[GUARD_BYTES : GUARD_BYTES + size]
            outputs.append(inside.view(out.dtype).view(out.shape))
            guards += [memory[:GUARD_BYTES], memory[GUARD_BYTES + size :]]
        prepared = kernel.prepare(*operands, out=outputs)
        prepared.guards = guards
        return prepared

    def case(self, suite, case, compiler):
        rows = []
        found = self.candidates(suite, case, rows)
        if not found:
            return rows
        data = case.data()
        expected = None
        runs = {}
        for name, make, ours in found:
            row = dict(kernel=name, ours=ours)
            rows.append(row)
            if (suite, case.name, name) in self.skip:
                row["note"] = "FAILED: " + self.skip[suite, case.name, name]
                continue
            self.step(f"{suite}: {case.name}: {name}", name)
            try:
                prepared = make(data)
            except (LaunchError, AssertionError) as error:
                row["note"] = ("FAILED: " if isinstance(error, DriverError) else "refused: ") + said(error)
                continue
            out = prepared.outputs[0]
            if out.numel() != math.prod(self.shape(case)):
                row["note"] = f"is for something else: its output is {list(out.shape)}"
                rows.remove(row)
                continue
            if expected is None:
                expected = case.expected(data)
            out.fill_(math.nan)
            try:
                self.torch.cuda.synchronize()
                prepared()
                self.torch.cuda.synchronize()
            except Exception as error:
                row["note"] = "FAILED: " + said(error)
                self.alive()
                continue
            row["error"], row["worst"] = errors(out, expected)
            first = out.clone()
            out.fill_(math.nan)
            prepared()
            row["stable"] = bool(self.torch.equal(first, out))
            bounds = suites.BOUNDS[case.dtype]
            row["right"] = row["error"] <= bounds[0] and row["worst"] <= bounds[1]
            if any((guard != 0xA5).any() for guard in getattr(prepared, "guards", ())):
                row["right"] = False
                row["note"] = "WRONG: it writes outside of its output"
            elif not row["right"]:
                row["note"] = f"WRONG: error {row['error']:.2e}, worst element {row['worst']:.2e}"
            else:
                runs[name] = prepared
        del expected
        if not rows:
            return [dict(kernel="-", note="no kernel")]
        if case.timed and runs:
            self.time(suite, case, data, compiler, rows, runs)
        return rows

    def shape(self, case):
        """The shape of the result, without computing it."""
        if isinstance(case, suites.Gemm):
            return case.m, case.n
        if isinstance(case, suites.Conv):
            return case.n, case.p, case.q, case.o
        if isinstance(case, suites.Attention):
            return case.b, case.h, case.s, case.d
        if isinstance(case, suites.Sum):
            return case.shape
        return (case.b, case.m, case.o) if isinstance(case, suites.Chain) else (case.m, case.n)

    def time(self, suite, case, data, compiler, rows, runs):
        baselines = {}
        for name, run in case.baselines(data):
            self.step(f"{suite}: {case.name}: {name}")
            self.baseline(rows, baselines, name, run)
        if [suite, case.name] in self.job["uncompiled"]:
            rows.append(dict(kernel="torch.compile", note="torch.compile broke the process, and is left out"))
        elif case.compile and not self.job["no_compile"]:
            self.step(f"{suite}: {case.name}: torch.compile", allow=300)
            try:
                run, name = case.compiled(data, compiler)
                self.baseline(rows, baselines, name, run)
            except Exception as error:
                rows.append(dict(kernel="torch.compile", note=said(error)))
                self.alive()
        self.step(f"{suite}: {case.name}: times", next(iter(runs)) if len(runs) == 1 else None)
        times = self.timer({**{("baseline", n): r for n, r in baselines.items()}, **{("run", n): r for n, r in runs.items()}})
        baseline_times = {n: t for (kind, n), t in times.items() if kind == "baseline"}
        best = min(baseline_times, key=lambda n: baseline_times[n][0], default=None)
        references = {n[4:]: t[0] for (kind, n), t in times.items() if kind == "run" and n.startswith("ref:")}
        for row in rows:
            if ("run", row["kernel"]) not in times:
                continue
            us, low, high, count = times["run", row["kernel"]]
            row.update(us=us, low=low, high=high, count=count, baselines={n: t[0] for n, t in baseline_times.items()})
            if case.flops:
                row["tflops"] = case.flops / us / 1e6
            else:
                row["gbs"] = case.bytes / us / 1e3
            if best:
                row.update(baseline=best, baseline_us=baseline_times[best][0], ratio=baseline_times[best][0] / us)
            if row["ours"] and references:
                from reference import same

                row["ref_ratio"] = same(row["kernel"], references) / us

    def baseline(self, rows, baselines, name, run):
        try:
            run()
            self.torch.cuda.synchronize()
            baselines[name] = run
        except Exception as error:
            rows.append(dict(kernel=name, note=said(error)))
            self.alive()


def said(error):
    text = " ".join(str(error).split()) or type(error).__name__
    text = text if isinstance(error, LaunchError) else f"{type(error).__name__}: {text}"
    return text if len(text) <= 500 else text[:500] + ".."


def work(job, out):
    """The second process: does the job, and writes what it finds to the descriptor `out`."""
    pipe = os.fdopen(out, "w", buffering=1)
    send = lambda **what: pipe.write(json.dumps(what) + "\n")
    try:
        import torch

        worker = Worker(job, send)
        cudnn = torch.backends.cudnn.version()
        send(device=f"torch {torch.__version__}, {torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, cuDNN {cudnn}")
        for suite in job["suites"]:
            worker.run(suite, list_cases(job, suite), set(job["done"].get(suite, ())))
        send(end=True)
    except Lost as error:
        send(lost=str(error))
        pipe.flush()
        os._exit(3)
    except Exception as error:
        traceback.print_exc()
        send(broken=said(error))


def list_cases(job, suite):
    shapes = [tuple(s) for s in job["shapes"]] if job["shapes"] else None
    tails = job["tails"] and not job["reference_only"]
    return suites.cases(suite, shapes, job["dtypes"], job["layouts"], tails)


# --- The first process ------------------------------------------------------------------------------------------------


class Run:
    """Starts workers until all cases are done, and keeps what they found."""

    def __init__(self, job):
        self.job = job
        self.results, self.problems, self.device = [], [], ""
        self.failures = collections.Counter()
        self.lost = None
        self.log = tempfile.NamedTemporaryFile(prefix="compare-", suffix=".log", delete=False)

    def all(self):
        starts = 0
        while True:
            self.step, self.kernel, self.allow, self.ended = "start", None, 180, False
            before = len(self.results)
            fate = self.worker()
            if self.ended:
                return
            starts += 1
            print(f"  the worker is started again: {fate} ({self.step})", flush=True)
            if self.kernel:
                self.blame(fate)
            elif self.suite_case() and self.step.endswith(": torch.compile"):
                suite, _, name = self.suite_case()
                self.job["uncompiled"].append([suite, name])
            elif self.suite_case():
                # Nobody is to blame: the case is left out.
                suite, at, name = self.suite_case()
                self.job["done"].setdefault(suite, []).append(at)
                self.take(dict(suite=suite, case=at, name=name, group="", timed=True, rows=[
                    dict(kernel="-", note=f"FAILED: {fate} ({self.step})")]))
            elif len(self.results) == before:
                print(f"  nothing can be run; the log is {self.log.name}:\n{self.tail()}")
                return
            if starts > 40:
                print("  this happened too often; the rest is left out")
                return

    def suite_case(self):
        """The case that was worked at, if there was one."""
        for suite in self.job["suites"]:
            for at, case in enumerate(list_cases(self.job, suite)):
                start = f"{suite}: {case.name}"
                if (self.step == start or self.step.startswith(start + ": ")) and at not in self.job["done"].get(suite, ()):
                    return suite, at, case.name
        return None

    def blame(self, fate):
        found = self.suite_case()
        if found:
            self.job["skip"].append((found[0], found[2], self.kernel, fate))
        self.failures[self.kernel] += 1
        if self.failures[self.kernel] >= 2 or "did not end" in fate:
            self.job["banned"][self.kernel] = f"{fate} in {self.step}"

    def worker(self):
        """Runs one worker to its end, and says how it ended."""
        read, write = os.pipe()
        command = [sys.executable, os.path.abspath(__file__), "--worker", str(write)]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=self.log, stderr=self.log, pass_fds=[write],
                                 start_new_session=True)
        os.close(write)
        fate = None
        try:
            fate = self.watch(child, read)
        finally:
            # What hangs on the device does not end by itself, and the compiler's own processes are in its group.
            if fate or sys.exc_info()[0]:
                self.kill(child)
        code = child.wait()
        os.close(read)
        return fate or self.lost or f"the worker ended with {code}"

    def watch(self, child, read):
        """Hears a worker until it ends. Gives the reason why it must be ended, if there is one."""
        try:
            child.stdin.write(json.dumps(self.job).encode())
            child.stdin.close()
        except BrokenPipeError:
            return "it did not start"
        text, deadline, self.lost = b"", time.time() + self.allow, None
        while True:
            ready, _, _ = select.select([read], [], [], max(0.0, min(1.0, deadline - time.time())))
            if ready:
                data = os.read(read, 65536)
                if not data:
                    return None
                *lines, text = (text + data).split(b"\n")
                for line in lines:
                    self.hear(json.loads(line))
                deadline = time.time() + self.allow
            elif time.time() > deadline:
                return f"it did not end in {self.allow:.0f} s"

    def kill(self, child):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def hear(self, line):
        if "rows" in line:
            self.take(line)
        elif "step" in line:
            self.step, self.kernel, self.allow = line["step"], line["kernel"], line["allow"]
        elif "problem" in line:
            if line["problem"] not in self.problems:
                self.problems.append(line["problem"])
                print("  " + line["problem"], flush=True)
        elif "device" in line:
            if not self.device:
                print(line["device"], flush=True)
            self.device = line["device"]
        elif "lost" in line or "broken" in line:
            self.lost = line.get("lost") or line.get("broken")
        elif "end" in line:
            self.ended = True

    def take(self, line):
        self.results.append(line)
        self.job["done"].setdefault(line["suite"], []).append(line["case"])
        for row in line["rows"]:
            if line["timed"] or row.get("note", "").startswith(("WRONG", "FAILED")):
                print("  " + one_line(line, row), flush=True)
        if self.job["json"]:
            self.write()

    def write(self):
        data = dict(device=self.device, problems=self.problems, results=self.results, geomeans=geomeans(self.results))
        with open(self.job["json"], "w", encoding="utf-8") as file:
            json.dump(data, file, indent=1)

    def tail(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-15:])


def one_line(line, row):
    head = f"{line['suite']:9s} {line['name']:34s} {row['kernel']:22s}"
    if "us" not in row:
        return f"{head} {row.get('note') or 'right, error %.1e' % row['error']}"
    rate = f"{row['tflops']:7.1f} TF/s" if "tflops" in row else f"{row['gbs']:7.0f} GB/s"
    baseline = f"{row['baseline']:>20s} {row['baseline_us']:9.1f}  {row['ratio']:6.3f}" if "baseline" in row else f"{'-':>20s} {'-':>9s}  {'-':>6s}"
    reference = f"{row['ref_ratio']:6.3f}" if "ref_ratio" in row else f"{'':6s}"
    stable = "" if row.get("stable", True) else "  NOT STABLE"
    return f"{head} {row['error']:8.1e} {row['us']:9.1f} {rate} {baseline} {reference}{stable}"


def geomeans(results):
    """Of each suite and group: the geometric mean of ratios, of the best kernel of each case."""
    found = {}
    for line in results:
        if not line["timed"]:
            continue
        timed = [r for r in line["rows"] if "ratio" in r]
        # References count where there are no kernels of ours.
        ours = [r for r in timed if r["ours"]] or [r for r in timed if not any(x.get("ours") for x in line["rows"])]
        for key in {line["suite"], f"{line['suite']} {line['group']}".strip()}:
            entry = found.setdefault(key, dict(cases=0, ratios=[], ref_ratios=[]))
            entry["cases"] += 1
            if ours:
                best = max(ours, key=lambda r: r["ratio"])
                entry["ratios"].append(best["ratio"])
                if "ref_ratio" in best:
                    entry["ref_ratios"].append(best["ref_ratio"])
    mean = lambda x: math.exp(sum(map(math.log, x)) / len(x)) if x else None
    return {key: dict(cases=e["cases"], timed=len(e["ratios"]), ratio=mean(e["ratios"]), lowest=min(e["ratios"], default=None),
                      ref_ratio=mean(e["ref_ratios"])) for key, e in sorted(found.items())}


def table(run):
    """The last thing that is printed."""
    print(f"\n{'suite':9s} {'case':34s} {'kernel':22s} {'error':>8s} {'us':>9s} {'':12s} {'best baseline':>20s} {'us':>9s}  "
          f"{'ratio':>6s} {'to ref':>6s}")
    tails = collections.defaultdict(lambda: [0, [], []])
    for line in run.results:
        for row in line["rows"]:
            if line["timed"]:
                print(one_line(line, row))
            elif row["kernel"] != "-":
                entry = tails[line["suite"], row["kernel"]]
                if row.get("right"):
                    entry[0] += 1
                elif row.get("note", "").startswith(("refused", "not run")):
                    entry[1].append(row["note"].removeprefix("refused: "))
                else:
                    entry[2].append(f"{line['name']}: {row.get('note')}")
    if tails:
        print("\nsizes that fill no tiles")
    for (suite, kernel), (right, refused, wrong) in sorted(tails.items()):
        why = f" ({refused[0]})" if refused else ""
        print(f"{suite:9s} {kernel:22s} {right} right, {len(wrong)} wrong, {len(refused)} refused{why}")
        for text in wrong:
            print(f"{'':33s}{text}")
    print(f"\n{'geomean of the best kernel of each case':45s} {'timed':>9s} {'ratio':>7s} {'lowest':>7s} {'to ref':>7s}")
    number = lambda x: f"{x:7.3f}" if x else f"{'-':>7s}"
    for key, e in geomeans(run.results).items():
        count = f"{e['timed']}/{e['cases']}"
        print(f"{key:45s} {count:>9s} {number(e['ratio'])} {number(e['lowest'])} {number(e['ref_ratio'])}")


def arguments(argv):
    parser = argparse.ArgumentParser(description="Checks and times kernels compared with cuBLAS, cuDNN and torch.compile.")
    parser.add_argument("suites", nargs="*", help=f"which suites: {' '.join(suites.SUITES)}; all of them if none is named")
    parser.add_argument("--kernels", metavar="DIR", help="a folder of manifests with PTX")
    parser.add_argument("--reference", metavar="DIR", help="a folder of reference generators: a baseline next to ours")
    parser.add_argument("--reference-only", action="store_true", help="only the reference, against the baselines")
    parser.add_argument("--shapes", help="other sizes for all named suites, such as 4096x4096x4096,512x512x512")
    parser.add_argument("--dtype", help="f16, bf16 or both with a comma")
    parser.add_argument("--layout", help="nn, nt, tn or several with commas")
    parser.add_argument("--no-tails", action="store_true", help="without the sizes that fill no tiles")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile")
    parser.add_argument("--no-tune", action="store_true", help="torch.compile without max-autotune")
    parser.add_argument("--compile-seconds", type=float, default=75, help="for max-autotune in a suite; 75 if not given")
    parser.add_argument("--seconds", type=float, default=0.6, help="for the times of one case; 0.6 if not given")
    parser.add_argument("--allow", type=float, default=30, help="seconds for a kernel until it hangs; 30 if not given")
    parser.add_argument("--json", metavar="FILE", help="where the table goes as JSON")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    for name in given.suites:
        if name not in suites.SUITES:
            parser.error(f"there is no suite '{name}'; there are {', '.join(suites.SUITES)}")
    if given.worker is None and not given.kernels and not given.reference:
        parser.error("--kernels or --reference says what to compare")
    if given.reference_only and not given.reference:
        parser.error("--reference-only needs --reference DIR")
    return given


def main(argv=None):
    given = arguments(argv)
    if given.worker is not None:
        work(json.load(sys.stdin), given.worker)
        return 0
    split = lambda text: text.split(",") if text else None
    folder = lambda path: os.path.abspath(path) if path else None
    job = dict(
        suites=given.suites or list(suites.SUITES), kernels=folder(given.kernels), reference=folder(given.reference),
        reference_only=given.reference_only or not given.kernels, dtypes=split(given.dtype), layouts=split(given.layout),
        shapes=[[int(n) for n in s.split("x")] for s in split(given.shapes)] if given.shapes else None,
        tails=not given.no_tails, no_compile=given.no_compile, tune=not given.no_tune,
        compile_seconds=given.compile_seconds, allow=given.allow, seconds=given.seconds, json=given.json, done={}, skip=[], banned={},
        uncompiled=[])
    try:
        for suite in job["suites"]:
            list_cases(job, suite)
    except (TypeError, ValueError) as error:
        print(f"{suite} has no such shapes: {error}", file=sys.stderr)
        return 2
    run = Run(job)
    if job["kernels"]:
        have = {os.path.basename(p)[: -len(".json")] for p in glob.glob(os.path.join(job["kernels"], "*.json"))}
        for name in suites.EXPECTED:
            if name not in have:
                run.problems.append(f"{name}: the folder has no such manifest")
                print("  " + run.problems[-1])
    start = time.time()
    try:
        run.all()
    finally:
        if job["json"]:
            run.write()
        table(run)
        print(f"\n{time.time() - start:.0f} s; the log is {run.log.name}")
    bad = [r for line in run.results for r in line["rows"] if r.get("note", "").startswith(("WRONG", "FAILED"))]
    return 1 if bad or not run.results else 0


if __name__ == "__main__":
    sys.exit(main())
