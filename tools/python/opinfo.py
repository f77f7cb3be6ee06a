#!/usr/bin/env python3
"""Checks the translations of `dlc.torch` against torch on the samples that torch has of each op (OpInfo).

    python3 tools/python/opinfo.py --out opinfo.jsonl                    # evaluated on the CPU
    python3 tools/python/opinfo.py --device cuda --out opinfo.jsonl      # as kernels
    python3 tools/python/opinfo.py --table --out opinfo.jsonl            # the table of a file

An op with a type is a line of JSON in the file of `--out`, and what has a line is not run again. Each sample is exported
by `torch.export`, translated and run, and compared with what torch gives for it, with the tolerances that torch has for
its own types. `right` counts samples within them, `refused` those that are named by an error, with the first reason,
`skipped` those that torch cannot export or that have nothing to compute. What is wrong or breaks is listed: there should
be none. It needs `expecttest`, which the samples of torch import.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import sys
import warnings

import torch

DTYPES = ("float32", "float16", "bfloat16", "int32", "int64", "bool")
LIMIT = 4096


def load(path):
    """The lines of a file."""
    if not os.path.exists(path):
        return {}
    lines = [json.loads(text) for text in pathlib.Path(path).read_text().splitlines() if text.strip()]
    return {(line["op"], line["dtype"]): line for line in lines}


class Call(torch.nn.Module):
    """An op with the arguments of a sample that are no tensors, as a model of those that are."""

    def __init__(self, op, tree, leaves):
        super().__init__()
        self.op, self.tree, self.leaves = op, tree, leaves

    def forward(self, *tensors):
        given = iter(tensors)
        leaves = [next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = torch.utils._pytree.tree_unflatten(leaves, self.tree)
        return self.op(*args, **kwargs)


def solve(op, sample, device):
    """What becomes of a sample: a word, and why."""
    import dlc
    import dlc.torch

    leaves, tree = torch.utils._pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
    if any(isinstance(leaf, torch.Tensor) and leaf.layout != torch.strided for leaf in leaves):
        return "skipped", "sparse"
    tensors = [leaf.detach().clone().contiguous() for leaf in leaves if isinstance(leaf, torch.Tensor)]
    if sum(tensor.numel() for tensor in tensors) > LIMIT:
        return "skipped", "large"
    model = Call(op, tree, leaves)
    try:
        expected = model(*(tensor.clone() for tensor in tensors))
        exported = torch.export.export(model, tuple(tensors))
    except Exception as error:  # what torch says of its own samples
        return "skipped", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    flat = torch.utils._pytree.tree_leaves(expected)
    if not all(isinstance(value, torch.Tensor) for value in flat) or not flat:
        return "skipped", "no tensor is computed"
    try:
        session = dlc.Session(device)
        actual = dlc.torch.compile(exported, session=session)(*tensors)
    except dlc.Error as error:
        return "refused", re.sub(r"; it is from.*", "", str(error).splitlines()[0])
    actual = torch.utils._pytree.tree_leaves(actual)
    try:
        if len(actual) != len(flat):
            raise AssertionError(f"{len(actual)} results, not {len(flat)}")
        for one, other in zip(actual, flat):
            torch.testing.assert_close(one, other, equal_nan=True, check_stride=False)
    except AssertionError as error:
        return "wrong", " ".join(str(error).split())[:300]
    return "right", None


def run(info, dtype, options):
    """The line of an op with a type."""
    device = "cuda" if options.device == "cuda" else "cpu"
    counts, reasons = collections.Counter(), {}
    torch.manual_seed(0)
    samples = info.sample_inputs(device, getattr(torch, dtype), requires_grad=False)
    for sample in itertools.islice(samples, options.samples):
        try:
            word, why = solve(info.op, sample, options.device)
        except Exception as error:
            word, why = "broken", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        counts[word] += 1
        if why and word != "skipped":
            reasons.setdefault(word, why)
        torch._dynamo.reset()
    name = info.name + (f".{info.variant_test_name}" if info.variant_test_name else "")
    return {"op": name, "dtype": dtype, "device": options.device, "counts": dict(counts), "reasons": reasons}


def table(lines):
    """What became of all ops, as text."""
    ops = collections.defaultdict(collections.Counter)
    for (op, _), line in lines.items():
        ops[op].update(line["counts"])
    kinds = collections.Counter()
    for counts in ops.values():
        bad = counts["wrong"] + counts["broken"]
        kinds["wrong" if bad else "right" if counts["right"] and not counts["refused"] else "partly" if counts["right"]
              else "refused" if counts["refused"] else "skipped"] += 1
    text = ["| ops | all samples right | some right, others refused | refused | nothing to compare | wrong |", "| --- " * 6 + "|"]
    text.append(f"| {len(ops)} | {' | '.join(str(kinds[kind]) for kind in ('right', 'partly', 'refused', 'skipped', 'wrong'))} |")
    for (op, dtype), line in lines.items():
        for word in ("wrong", "broken"):
            if word in line["reasons"]:
                text.append(f"{word}: {op} {dtype}: {line['reasons'][word][:160]}")
    missing = collections.defaultdict(set)
    for (op, _), line in lines.items():
        if "refused" in line["reasons"]:
            missing[re.sub(r"%\w+|\d+", "_", line["reasons"]["refused"])[:100]].add(op)
    text += [f"{len(names):4} refused: {why}  ({', '.join(sorted(names)[:6])}{', ..' if len(names) > 6 else ''})"
             for why, names in sorted(missing.items(), key=lambda item: -len(item[1]))]
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="opinfo.jsonl", help="the file of results, which is added to")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--only", nargs="*", default=[], help="names of ops")
    parser.add_argument("--samples", type=int, default=6, help="how many samples of an op with a type")
    parser.add_argument("--table", action="store_true", help="shows the table of the file, and runs nothing")
    options = parser.parse_args()
    lines = load(options.out)
    if not options.table:
        from torch.testing._internal.common_methods_invocations import op_db

        warnings.simplefilter("ignore")
        with open(options.out, "a") as out:
            for dtype, info in itertools.product(options.dtypes.split(","), op_db):
                name = info.name + (f".{info.variant_test_name}" if info.variant_test_name else "")
                if (name, dtype) in lines or (options.only and info.name not in options.only):
                    continue
                if getattr(torch, dtype) not in info.supported_dtypes(options.device):
                    continue
                line = lines[name, dtype] = run(info, dtype, options)
                out.write(json.dumps(line) + "\n")
                out.flush()
    print(table(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
