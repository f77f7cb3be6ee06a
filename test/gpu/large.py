"""Runs what large.sh has compiled on tensors of more than 2^31 elements, and compares it with torch, some rows at a time."""
import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "python"))
import dlc_launch  # noqa: E402

# The elements that are made or compared at once.
PART = 1 << 27
bad = []


def random(*shape):
    """Numbers of a normal distribution, made in parts of fewer than 2^31."""
    made = torch.empty(shape, dtype=torch.float16, device="cuda")
    flat = made.view(-1)
    for at in range(0, flat.numel(), PART):
        flat[at : at + PART].normal_()
    return made


def check(name, out, expected, bound):
    """Compares rows of a result with what `expected` gives for them: the error is at most a part of 1 + the number."""
    rows = max(1, PART // max(1, out[0].numel()))
    worst = 0.0
    for at in range(0, len(out), rows):
        own, right = out[at : at + rows].float(), expected(at, min(at + rows, len(out))).float()
        error = ((own - right).abs() / (1 + right.abs())).max().item()
        worst = max(worst, error) if error == error else float("inf")
    said = "ok" if worst <= bound else "FAILED"
    print(f"{said}: {name} {tuple(out.shape)}, {out.numel()} elements, off by at most {worst:.3g} of {bound:g}")
    if worst > bound:
        bad.append(name)


def refuse(name, kernel, *inputs):
    """A kernel with places of 32 bits is not launched."""
    try:
        kernel(*inputs)
    except dlc_launch.LaunchError as error:
        if "index=64" in str(error):
            print(f"ok: {name} is refused: {error}")
            return
        print(f"FAILED: {name} is refused for another reason: {error}")
    else:
        print(f"FAILED: {name} is launched")
    bad.append(name)


def main():
    folder = pathlib.Path(sys.argv[1])
    load = lambda name, function: dlc_launch.load(str(folder / f"{name}.json"))[function]
    start = time.monotonic()
    torch.manual_seed(1)

    x = random(2148532229)
    refuse("copy", load("copy_narrow", "copy"), x)
    y = load("copy_wide", "copy")(x)
    check("copy", y, lambda a, b: x[a:b], 0)
    del x, y

    x = random(1048579, 2056)
    refuse("softmax", load("softmax_narrow", "row_softmax"), x)
    y = load("softmax_wide", "row_softmax")(x)
    check("softmax", y, lambda a, b: torch.softmax(x[a:b].float(), -1), 2e-3)
    del x, y

    for name, (m, n, k) in {"result": (46400, 46400, 128), "factor": (1048640, 136, 2056)}.items():
        a, b = random(m, k), random(n, k)
        if name == "result":
            refuse("product", load("result_narrow", "gemm_nt_f16"), a, b)
        y = load(f"{name}_wide", "gemm_nt_f16")(a, b)
        check(f"product with a large {name}", y, lambda i, j: a[i:j].float() @ b.float().T, 2e-2)
        del a, b, y

    torch.cuda.synchronize()
    print(f"{time.monotonic() - start:.0f} seconds")
    if not bad:
        print("all as expected")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
