#!/usr/bin/env python3
"""Times kernels of two folders next to each other, as those of two commits, on one GPU.

    python3 tools/python/between.py OLD NEW [--only NAME] [--seconds S]

OLD and NEW have NAME.json and NAME.ptx as test/gpu/made.sh writes them. What both have is run at the sizes of SIZES, with
the same random data: a line says whether all results are the same bits, and the median times, launches interleaved in
random order and L2 flushed before each by reading. A kernel whose PTX is the same in both, but for lines of source, is
left out. The exit status is 1 where results differ or are no numbers.
"""
import argparse
import glob
import json
import os
import random
import statistics
import sys
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# By the symbols of a program, sizes of models.
SIZES = {
    "B,S,T": [dict(B=64, S=2048, T=2048), dict(B=16, S=8192, T=8192), dict(B=128, S=512, T=512)],
    "Z,M,N": [dict(Z=32, M=2048, N=2048), dict(Z=8, M=4096, N=4096)],
    "B,H,W,C,O": [dict(B=32, H=56, W=56, C=64, O=64), dict(B=32, H=14, W=14, C=256, O=256)],
    "M,N,K": [
        dict(M=4096, N=4096, K=4096),
        dict(M=1024, N=1024, K=1024),
        dict(M=256, N=5120, K=5120),
        dict(M=16, N=14336, K=4096),
        dict(M=16, N=4096, K=14336),
    ],
    "M,N": [
        dict(M=8192, N=4096),
        dict(M=256, N=131072),
        dict(M=65536, N=256),
        dict(M=8192, N=8192),
    ],
}
DTYPES = dict(f16="float16", bf16="bfloat16", f32="float32")


def instructions(path):
    """The text of a PTX file without the lines that say where it comes from."""
    with open(path) as file:
        return [line for line in file if not line.lstrip().startswith((".file", ".loc"))]


def timed(torch, flush, run):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    flush.sum()
    start.record()
    run()
    end.record()
    return start, end


def compare(torch, flush, spec, programs, sizes, seconds):
    """Whether results are the same, whether all are numbers, and the two medians in microseconds."""
    from dlc_launch import Expr

    inputs = []
    for port in spec["inputs"]:
        shape = [Expr(size)(sizes) for size in port["shape"]]
        inputs.append(torch.randn(shape, device="cuda").mul_(0.5).to(getattr(torch, DTYPES[port["type"]])))
    first = programs[0](*inputs)
    first = first if isinstance(first, (list, tuple)) else [first]
    results = [[torch.full_like(value, float("nan")) for value in first] for _ in programs]
    runs = [program.prepare(*inputs, out=out) for program, out in zip(programs, results)]
    for run in runs:
        run()
    torch.cuda.synchronize()
    same = all(torch.equal(*pair) for pair in zip(*results))
    numbers = not any(bool(value.isnan().any()) for value in results[1])
    events, end = [[], []], time.monotonic() + seconds
    while time.monotonic() < end or len(events[0]) < 20:
        for number in random.sample(range(2), 2):
            events[number].append(timed(torch, flush, runs[number]))
        torch.cuda.synchronize()
    return same, numbers, [statistics.median(a.elapsed_time(b) * 1000 for a, b in each) for each in events]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=0.3, help="for one size; 0.3 if not given")
    given = parser.parse_args()

    import torch
    import dlc_launch

    warnings.simplefilter("ignore", dlc_launch.UnverifiedWarning)
    torch.manual_seed(1)
    flush, bad, equal = torch.empty(64 << 20, device="cuda"), False, []
    for manifest in sorted(glob.glob(os.path.join(given.new, "*.json"))):
        name = os.path.basename(manifest)[: -len(".json")]
        folders = (given.old, given.new)
        if given.only not in (None, name) or not os.path.exists(os.path.join(given.old, name + ".json")):
            continue
        texts = [instructions(os.path.join(folder, name + ".ptx")) for folder in folders]
        if texts[0] == texts[1]:
            equal.append(name)
            continue
        with open(manifest) as file:
            known = json.load(file)
        spec = next(program for program in known["programs"] if program["name"] == name)
        programs = [dlc_launch.load(os.path.join(folder, name + ".json"))[name] for folder in folders]
        for sizes in SIZES.get(",".join(spec["symbols"]), []):
            try:
                same, numbers, (old, new) = compare(torch, flush, spec, programs, sizes, given.seconds)
            except dlc_launch.LaunchError as why:
                print(f"{name:24} {sizes}: {why}")
                continue
            bad |= not (same and numbers)
            word = "same" if same else "DIFFERS"
            shown = ", ".join(f"{key}={value}" for key, value in sizes.items())
            print(f"{name:24} {shown:36} {old:9.1f} {new:9.1f} us  new/old {new / old:.3f}  {word}", flush=True)
    print(f"the same instructions: {', '.join(equal) or 'none'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
