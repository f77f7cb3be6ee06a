#!/usr/bin/env python3
"""Runs translated programs on a GPU and compares them with what is expected.

    sh test/gpu/programs.sh DIR
    python3 tools/python/run_programs.py DIR [PROGRAM..] [--variant NAME]

DIR has a folder for each program: inputs.npz and expected.npz by the names of inputs and outputs, and for each variant
a launch manifest and its PTX. Floats are compared with rtol = atol = 1e-3, or 2e-2 where the program has narrower floats
than f32; integers and truth values exactly. There is one line for each program and variant, and one for all. A program
that fails does not stop the others: each runs in a process of its own, as a fault on the device ends that.

The exit status is 0 if all are as expected.
"""
import argparse
import json
import os
import subprocess
import sys

import dlc_launch

WIDE, NARROW = 1e-3, 2e-2
# Types that are stored as integers of as many bits, for numpy has none of them.
BITS = {"bf16": "uint16", "f8E4M3FN": "uint8", "f8E5M2": "uint8"}
NARROW_TYPES = ("f16", *BITS)


class Wrong(Exception):
    """The program did not do as expected; the text says why."""


def tolerance(manifest):
    """How far floats may be off: as far as the narrowest type in the buffers of any kernel lets them."""
    types = {buffer["type"] for kernel in manifest.get("kernels", ())
             for buffer in (*kernel["inputs"], *kernel["buffers"])}
    return NARROW if types.intersection(NARROW_TYPES) else WIDE


def by_name(ports, arrays, what):
    """The arrays in the order of the inputs or outputs. Each must have its array, and each array its place."""
    names = [port["name"] for port in ports]
    missing = [name for name in names if name not in arrays]
    surplus = [name for name in arrays if name not in names]
    if missing or surplus:
        raise Wrong(f"the {what} are {', '.join(names) or 'none'}, and the file has {', '.join(arrays) or 'none'}")
    return [arrays[name] for name in names]


def worst(found, expected, bound):
    """The largest difference of two arrays, and how many elements are too far off. Without `bound` they must be equal."""
    import numpy as np

    if list(found.shape) != list(expected.shape):
        raise Wrong(f"an output has the shape {list(found.shape)}, not {list(expected.shape)}")
    if not expected.size:
        return 0.0, 0
    if bound is None:
        off = np.abs(found.astype(object) - expected.astype(object))
        return float(off.max()), int((found != expected).sum())
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        off = np.where(same, 0.0, np.abs(found - expected))
        near = same | (off <= bound + bound * np.abs(expected))
    # What is a number on one side only is infinitely far off.
    return float(np.nan_to_num(off, nan=np.inf).max()), int((~near).sum())


def to_device(torch, array, port):
    """An array as a tensor of the type of an input."""
    import numpy as np

    target = next(getattr(torch, name) for name in dlc_launch._type(port["type"])[0] if hasattr(torch, name))
    size = array.dtype.itemsize
    raw = torch.from_numpy(np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy()).cuda()
    wanted = torch.empty((), dtype=target).element_size()
    if size != wanted:
        raise Wrong(f"{port['name']} is {port['type']}, and the file has elements of {size} bytes")
    return raw.view(target).view(list(array.shape))


def to_floats(torch, array, kind):
    """An array of a file as numbers: bits become floats where the type is one that numpy lacks."""
    if kind not in BITS:
        return array
    names = dlc_launch._type(kind)[0]
    target = next(getattr(torch, name) for name in names if hasattr(torch, name))
    raw = torch.from_numpy(array.reshape(-1).view(BITS[kind]).view("uint8").copy())
    return raw.view(target).float().numpy().reshape(array.shape)


def run(path):
    """Runs the program of a manifest. Gives the largest error and the number of elements."""
    import numpy as np
    import torch

    module = dlc_launch.load(path)
    folder = os.path.dirname(path)
    specs = module.manifest.get("programs") or []
    if len(specs) != 1:
        raise Wrong(f"the manifest has {len(specs)} programs, and one is wanted")
    spec = specs[0]
    program = module.programs[spec["name"]]
    with np.load(os.path.join(folder, "inputs.npz")) as file:
        inputs = by_name(spec["inputs"], dict(file), "inputs")
    with np.load(os.path.join(folder, "expected.npz")) as file:
        expected = by_name(spec["outputs"], dict(file), "outputs")
    tensors = [to_device(torch, array, port) for array, port in zip(inputs, spec["inputs"])]
    bound, largest, count = tolerance(module.manifest), 0.0, 0
    # Twice: the second time memory has other numbers in it than the first.
    for times in ("first", "second"):
        results = program(*tensors)
        results = results if isinstance(results, list) else [results]
        torch.cuda.synchronize()
        for tensor, array, port in zip(results, expected, spec["outputs"]):
            kind = port["type"]
            is_float = tensor.dtype.is_floating_point
            tensor = tensor.float() if is_float and tensor.dtype != torch.float64 else tensor
            found = tensor.cpu().numpy()
            off, wrong = worst(found, to_floats(torch, array, kind), bound if is_float else None)
            largest, count = max(largest, off), count + array.size
            if wrong:
                raise Wrong(f"{wrong} of {array.size} elements of {port['name']} are wrong in the {times} run, by up to "
                            f"{off:.3g}")
    return largest, count


def manifests(folder, programs, variant):
    """The programs and variants below a folder, with their manifests."""
    found = []
    for name in sorted(os.listdir(folder)):
        below = os.path.join(folder, name)
        if not os.path.isfile(os.path.join(below, "inputs.npz")) or programs and name not in programs:
            continue
        for file in sorted(os.listdir(below)):
            kind, end = os.path.splitext(file)
            if end == ".json" and variant in (None, kind):
                found.append((name, kind, os.path.join(below, file)))
    return found


def one(path):
    """Runs a manifest in this process and prints the result of it as JSON."""
    try:
        largest, count = run(path)
        print(json.dumps(dict(ok=True, off=largest, count=count)))
    except (Wrong, dlc_launch.LaunchError) as error:
        print(json.dumps(dict(ok=False, why=str(error))))
    except Exception as error:  # All that can go wrong is a line of the table.
        print(json.dumps(dict(ok=False, why=f"{type(error).__name__}: {error}")))


def in_process(path, limit):
    """The result of a manifest, run in a process of its own."""
    try:
        done = subprocess.run([sys.executable, os.path.abspath(__file__), "--one", path], capture_output=True, text=True,
                              timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return dict(ok=False, why=f"it has not ended after {limit} s")
    lines = done.stdout.strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError):
        said = done.stderr.strip().splitlines()
        return dict(ok=False, why=f"the process ended with {done.returncode}: {said[-1] if said else 'it said nothing'}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", help="what test/gpu/programs.sh wrote")
    parser.add_argument("programs", nargs="*", help="only these")
    parser.add_argument("--variant", help="only this variant")
    parser.add_argument("--together", action="store_true",
                        help="all in one process, which is faster; after a fault on the device all others fail")
    parser.add_argument("--limit", type=float, default=120, help="seconds for each")
    parser.add_argument("--one", metavar="MANIFEST", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.one:
        one(args.one)
        return 0
    if not args.folder:
        parser.error("a folder is wanted")
    good, all_of = 0, manifests(args.folder, args.programs, args.variant)
    for name, variant, path in all_of:
        if args.together:
            try:
                off, count = run(path)
                result = dict(ok=True, off=off, count=count)
            except Exception as error:
                result = dict(ok=False, why=f"{type(error).__name__}: {error}")
        else:
            result = in_process(path, args.limit)
        good += result["ok"]
        if result["ok"]:
            print(f"{name:28} {variant:8} off by {result['off']:<10.3g} ok", flush=True)
        else:
            print(f"{name:28} {variant:8} {'':18} FAILED: {result['why']}", flush=True)
    print(f"{good} of {len(all_of)} as expected")
    return 0 if good == len(all_of) and all_of else 1


if __name__ == "__main__":
    sys.exit(main())
