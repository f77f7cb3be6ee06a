"""Checks scans that scans.sh has compiled against torch, and times them against it and against a copy of as many bytes."""
import argparse
import pathlib
import sys

DTYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i32": "int32"}

# name: combiner, how, type, axis, sizes, symbols (None: the sizes are numbers)
CASES = {
    "rows_f32": ("sum", "", "f32", 1, (4096, 4096), None),
    "rows_f16": ("sum", "", "f16", 1, (4096, 4096), None),
    "rows_symbols": ("sum", "", "f32", 1, (4096, 4096), "MN"),
    "rows_reverse": ("sum", "reverse", "f32", 1, (4096, 4096), None),
    "rows_exclusive": ("sum", "exclusive", "f32", 1, (4096, 4096), None),
    "rows_max": ("max", "", "f32", 1, (4096, 4096), None),
    "rows_short": ("sum", "", "f32", 1, (1000000, 100), None),
    "rows_16": ("sum", "", "f32", 1, (1000000, 16), None),
    "rows_long": ("sum", "", "f32", 1, (256, 262144), None),
    "rows_odd": ("sum", "", "f32", 1, (4095, 4097), "MN"),
    "columns_f32": ("sum", "", "f32", 0, (4096, 4096), None),
    "columns_f16": ("sum", "", "f16", 0, (4096, 4096), None),
    "columns_symbols": ("sum", "", "f32", 0, (4096, 4096), "MN"),
    "columns_reverse": ("sum", "reverse", "f32", 0, (4096, 4096), None),
    "columns_few": ("sum", "", "f32", 0, (1000000, 64), None),
    "middle": ("sum", "", "f32", 1, (64, 1024, 256), None),
    "one_f32": ("sum", "", "f32", 0, (1 << 24,), None),
    "one_f16": ("sum", "", "f16", 0, (1 << 24,), None),
    "one_i32": ("sum", "", "i32", 0, (1 << 24,), None),
    "one_reverse": ("sum", "reverse", "f32", 0, (1 << 24,), None),
    "one_exclusive": ("sum", "exclusive", "f32", 0, (1 << 24,), None),
    "one_symbol": ("sum", "", "f32", 0, ((1 << 24) + 3,), "N"),
    "one_large": ("sum", "", "f32", 0, (1 << 28,), None),
    "f64": ("sum", "", "f64", 1, (1024, 8192), None),
    "small": ("sum", "", "f32", 1, (33, 1000), None),
    "truth": ("sum", "", "i32", 1, (1, 1025), None),
    "linear_rows": ("linear", "", "f32", 1, (4096, 4096), None),
    "linear_rows_f16": ("linear", "", "f16", 1, (4096, 4096), None),
    "linear_rows_symbols": ("linear", "", "f32", 1, (4095, 4097), "MN"),
    "linear_columns": ("linear", "", "f32", 0, (4096, 4096), None),
    "linear_columns_bf16": ("linear", "", "bf16", 0, (4096, 4096), None),
    "linear_reverse": ("linear", "exclusive reverse", "f32", 0, (4096, 4096), None),
    "linear_state": ("linear", "", "f32", 1, (2, 2048, 2048), None),
    "linear_short": ("linear", "", "f32", 1, (1000000, 16), None),
    "linear_one": ("linear", "", "f32", 0, (1 << 24,), None),
    "linear_one_reverse": ("linear", "reverse", "f32", 0, ((1 << 24) + 3,), "N"),
    "linear_i32": ("linear", "", "i32", 1, (1024, 1025), None),
}


def write(folder):
    for name, (combiner, how, elem, axis, sizes, symbols) in CASES.items():
        dims = ", ".join(symbols or map(str, sizes))
        shape = ",".join(f"{s}={n}" for s, n in zip(symbols, sizes)) if symbols else ""
        takes = f"<{', '.join(symbols)}>" if symbols else ""
        ty = f"tensor<[{dims}], {elem}>"
        lines = [f"// shape: {shape}"] if shape else []
        factors, of = (f"%a: {ty}, ", "%a, %x") if combiner == "linear" else ("", "%x")
        lines += [f"tiny.func @scan{takes}({factors}%x: {ty}) -> {ty} {{",
                  f"  %y = scan {combiner} {of} along {axis} {how}".rstrip(), "  return %y", "}", ""]
        (folder / f"{name}.mlir").write_text("\n".join(lines))


def reference(torch, case, x):
    """The scan in f64, or in integers, and what torch runs for it, if it has a word."""
    combiner, how, _, axis, _, _ = case
    scan = lambda x: torch.cumsum(x, axis) if combiner == "sum" else torch.cummax(x, axis)[0]
    def right(x):
        y = scan(x.flip(axis) if "reverse" in how else x)
        if "exclusive" in how:
            y = y - (x.flip(axis) if "reverse" in how else x)
        return y.flip(axis) if "reverse" in how else y
    wide = x.double() if x.is_floating_point() else x
    same = (lambda: torch.cumsum(x, axis, dtype=x.dtype)) if combiner == "sum" else (lambda: torch.cummax(x, axis)[0])
    return right(wide), same


def recurrence(torch, a, b, axis):
    """h[t] = a[t] h[t - 1] + b[t] in steps that double, as torch has no word for it."""
    a, b = a.movedim(axis, 0).clone(), b.movedim(axis, 0).clone()
    step = 1
    while step < len(a):
        b = torch.cat([b[:step], b[step:] + a[step:] * b[:-step]])
        a = torch.cat([a[:step], a[step:] * a[:-step]])
        step *= 2
    return b.movedim(0, axis)


def linear_reference(torch, case, a, x):
    """As `reference`, of a recurrence; what it is timed against are the same steps in its own type."""
    _, how, _, axis, _, _ = case
    flipped = lambda v: v.flip(axis) if "reverse" in how else v
    wide_a, wide_x = (v.double() if v.is_floating_point() else v for v in (a, x))
    y = recurrence(torch, flipped(wide_a), flipped(wide_x), axis)
    if "exclusive" in how:
        y = torch.cat([torch.zeros_like(y.narrow(axis, 0, 1)), y.narrow(axis, 0, y.shape[axis] - 1)], axis)
    return flipped(y), lambda: recurrence(torch, a, x, axis)


def error(out, expected, x, axis):
    """The worst element, relative to the largest number on the way: sums that cancel have the error of that."""
    difference = (out.double() - expected.double()).abs()
    scale = expected.double().abs().amax(axis, keepdim=True) + x.double().abs().amax(axis, keepdim=True) + 1
    return (difference / scale).max().item()


BOUNDS = {"f16": 2e-3, "bf16": 1e-2, "f32": 2e-5, "f64": 1e-12, "i32": 0}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="the scans; all if none is named")
    parser.add_argument("--write", action="store_true", help="write the programs, and run nothing")
    parser.add_argument("--seconds", type=float, default=0.6, help="for the times of one scan")
    options = parser.parse_args(argv)
    if options.write:
        return write(options.folder)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "python"))
    import torch

    import compare
    import dlc_launch

    torch.manual_seed(0)
    timer, bad = compare.Timer(options.seconds), []
    print(f"{'scan':19} {'error':>9} {'ours us':>9} {'torch us':>9} {'copy us':>9} {'of torch':>8} {'of copy':>8}")
    for name in options.names or CASES:
        case = CASES[name]
        _, _, elem, axis, sizes, _ = case
        dtype = getattr(torch, DTYPES[elem])
        x = torch.randint(-9, 9, sizes, device="cuda", dtype=dtype) if elem == "i32" else \
            torch.randn(sizes, device="cuda", dtype=torch.float32).to(dtype)
        inputs = [x]
        if case[0] == "linear":
            a = torch.randint(-3, 3, sizes, device="cuda", dtype=dtype) if elem == "i32" else \
                torch.rand(sizes, device="cuda", dtype=torch.float32).to(dtype)
            inputs = [a, x]
        try:
            scan = dlc_launch.load(str(options.folder / f"{name}.json"))["scan"]
            expected, baseline = linear_reference(torch, case, a, x) if case[0] == "linear" else reference(torch, case, x)
            out = scan(*inputs)
            torch.cuda.synchronize()
            again = scan(*inputs)
            worst = error(out, expected, x, axis)
            wrong = not worst <= BOUNDS[elem] or not torch.equal(out, again)
            del expected, again
            target = torch.empty_like(x)
            # As many bytes: both operands are read.
            copy = (lambda: torch.add(a, x, out=target)) if case[0] == "linear" else (lambda: target.copy_(x))
            times = timer({"ours": lambda: scan(*inputs), "torch": baseline, "copy": copy})
        except Exception as why:  # the next one may be right
            print(f"FAILED: {name}: {type(why).__name__}: {why}")
            bad.append(name)
            continue
        ours, torch_, copied = (times[key][0] for key in ("ours", "torch", "copy"))
        said = "  WRONG" if wrong else ""
        print(f"{name:19} {worst:9.2g} {ours:9.1f} {torch_:9.1f} {copied:9.1f} {torch_ / ours:8.2f} {copied / ours:8.2f}{said}")
        bad += [name] if wrong else []
    print("all as expected" if not bad else f"{len(bad)} failed: {', '.join(bad)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
