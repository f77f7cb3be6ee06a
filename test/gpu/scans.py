"""Checks scans that scans.sh has compiled against torch, and times them beside it and beside a copy of as many bytes."""
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
}


def write(folder):
    for name, (combiner, how, elem, axis, sizes, symbols) in CASES.items():
        dims = ", ".join(symbols or map(str, sizes))
        shape = ",".join(f"{s}={n}" for s, n in zip(symbols, sizes)) if symbols else ""
        takes = f"<{', '.join(symbols)}>" if symbols else ""
        ty = f"tensor<[{dims}], {elem}>"
        lines = [f"// shape: {shape}"] if shape else []
        lines += [f"tiny.func @scan{takes}(%x: {ty}) -> {ty} {{",
                  f"  %y = scan {combiner} %x along {axis} {how}".rstrip(), "  return %y", "}", ""]
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
    print(f"{'scan':16} {'error':>9} {'ours us':>9} {'torch us':>9} {'copy us':>9} {'of torch':>8} {'of copy':>8}")
    for name in options.names or CASES:
        case = CASES[name]
        _, _, elem, axis, sizes, _ = case
        dtype = getattr(torch, DTYPES[elem])
        x = torch.randint(-9, 9, sizes, device="cuda", dtype=dtype) if elem == "i32" else \
            torch.randn(sizes, device="cuda", dtype=torch.float32).to(dtype)
        try:
            scan = dlc_launch.load(str(options.folder / f"{name}.json"))["scan"]
            expected, peer = reference(torch, case, x)
            out = scan(x)
            torch.cuda.synchronize()
            again = scan(x)
            worst = error(out, expected, x, axis)
            wrong = not worst <= BOUNDS[elem] or not torch.equal(out, again)
            del expected, again
            target = torch.empty_like(x)
            times = timer({"ours": lambda: scan(x), "torch": peer, "copy": lambda: target.copy_(x)})
        except Exception as why:  # the next one may be right
            print(f"FAILED: {name}: {type(why).__name__}: {why}")
            bad.append(name)
            continue
        ours, torch_, copy = (times[key][0] for key in ("ours", "torch", "copy"))
        said = "  WRONG" if wrong else ""
        print(f"{name:16} {worst:9.2g} {ours:9.1f} {torch_:9.1f} {copy:9.1f} {torch_ / ours:8.2f} {copy / ours:8.2f}{said}")
        bad += [name] if wrong else []
    print("all as expected" if not bad else f"{len(bad)} failed: {', '.join(bad)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
