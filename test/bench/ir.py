#!/usr/bin/env python3
"""Times dlc-opt next to mlir-opt on the same programs, the two interleaved, and prints Markdown tables.

  python3 test/bench/ir.py --dlc target/release/dlc-opt [--mlir mlir-opt-22] [--sizes 100000,1000000] [--runs 5]

Times are CPU seconds (user and system) of the whole process, the median of the runs; memory is the peak of the resident
set. Both tools work on one thread except where a row says otherwise. Round trips read the very same file.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def once(command):
    """CPU seconds, wall seconds and peak memory in bytes of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed: {error.decode()[-500:]}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss * 1024


def medians(commands, runs):
    """Runs commands interleaved; the medians of each."""
    taken = [[] for _ in commands]
    for _ in range(runs):
        for index, command in enumerate(commands):
            taken[index].append(once(command))
    return [[statistics.median(run[part] for run in each) for part in range(3)] for each in taken]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dlc", default="target/release/dlc-opt")
    parser.add_argument("--mlir", default="mlir-opt-22")
    parser.add_argument("--sizes", default="100000,1000000")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="dlc-bench-")

    def file(ops, shape, kind, dialect, per_function=20):
        path = f"{folder}/{shape}-{kind}-{dialect}-{ops}.mlir"
        if not os.path.exists(path):
            command = [sys.executable, f"{HERE}/gen.py", "--ops", str(ops), "--shape", shape, "--kind", kind]
            command += ["--dialect", dialect, "--per-function", str(per_function), "-o", path]
            subprocess.run(command, check=True)
        return path

    mlir = [args.mlir, "-o", "/dev/null", "--mlir-disable-threading"]
    dlc = [args.dlc, "-o", "/dev/null", "--no-threads"]
    sizes = [int(size) for size in args.sizes.split(",")]

    print("## Reading, verifying and writing\n")
    print("| program | ops | mlir-opt M ops/s | dlc-opt M ops/s | speedup | input B/op | mlir-opt peak B/op | dlc-opt peak B/op |")
    print("|---|---|---|---|---|---|---|---|")
    small = file(10, "one", "live", "arith")
    base = medians([mlir + [small], dlc + ["--allow-unregistered-dialect", small]], args.runs)
    for ops in sizes:
        for title, shape, kind in [("one function", "one", "live"), ("many functions", "many", "live"), ("foreign dialect", "one", "foreign")]:
            path = file(ops, shape, kind, "arith")
            allow = ["--allow-unregistered-dialect"]
            generic = ["--mlir-print-op-generic"]
            theirs, ours = medians([mlir + allow + generic + [path], dlc + allow + ["--print-generic", path]], args.runs)
            row = [title, ops, f"{ops / theirs[0] / 1e6:.2f}", f"{ops / ours[0] / 1e6:.2f}", f"{theirs[0] / ours[0]:.1f}"]
            row += [f"{os.path.getsize(path) / ops:.0f}"]
            row += [f"{(theirs[2] - base[0][2]) / ops:.0f}", f"{(ours[2] - base[1][2]) / ops:.0f}"]
            print("| " + " | ".join(map(str, row)) + " |", flush=True)

    print("\n## Passes\n")
    print("Time of the pass alone, as each tool reports it.\n")
    print("| pass | program | ops | mlir-opt us/op | dlc-opt us/op | speedup |")
    print("|---|---|---|---|---|---|")
    for ops in sizes:
        for name, shape, kind in [
            ("cse", "one", "live"), ("cse", "one", "redundant"), ("cse", "many", "redundant"),
            ("canonicalize", "one", "live"), ("canonicalize", "many", "live"), ("canonicalize", "one", "redundant"),
        ]:
            per = 43 if kind == "redundant" else 20
            pipeline = f"--pass-pipeline=builtin.module(func.func({name}))"
            theirs, ours = [], []
            for _ in range(args.runs):
                command = mlir + [file(ops, shape, kind, "arith", per), pipeline, "--mlir-timing", "--mlir-output-format=json"]
                report = subprocess.run(command, capture_output=True, check=True).stderr.decode()
                theirs.append(mlir_seconds(report, name))
                pipeline_dlc = f"--pass-pipeline=builtin.module(sample.func({name}))"
                command = dlc + [file(ops, shape, kind, "sample", per), pipeline_dlc, "--timing=json", "--verify-each=false"]
                report = subprocess.run(command, capture_output=True, check=True).stderr.decode()
                ours.append(dlc_seconds(report, name))
            theirs, ours = statistics.median(theirs), statistics.median(ours)
            row = [name, f"{shape}, {kind}", ops, f"{theirs / ops * 1e6:.3f}", f"{ours / ops * 1e6:.3f}", f"{theirs / ours:.1f}"]
            print("| " + " | ".join(map(str, row)) + " |", flush=True)

    print("\n## The rest\n")
    print("| what | mlir-opt | dlc-opt |")
    print("|---|---|---|")
    starts = medians([[args.mlir, "/dev/null"], [args.dlc, "/dev/null"]], max(args.runs, 20))
    print(f"| start-up, empty file, wall ms | {starts[0][1] * 1e3:.1f} | {starts[1][1] * 1e3:.1f} |")


def mlir_seconds(report, name):
    """The wall seconds of a pass in mlir-opt's timing report."""
    title = {"cse": "CSE", "canonicalize": "Canonicalizer"}[name]
    found = re.findall(r'"duration":\s*([0-9.]+)[^{}]*\}, "name": "' + title + '"', report)
    if not found:
        sys.exit(f"no time of {name} in mlir-opt's report: {report[:2000]}")
    return sum(map(float, found))


def dlc_seconds(report, name):
    """The seconds of a pass in dlc-opt's timing report."""
    return sum(entry["run"] for entry in json.loads(report)["timing"]["passes"] if entry["pass"] == name)


main()
