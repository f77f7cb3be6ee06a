"""Runs plans that were drawn at random on the GPU, and compares what they give with what their regions evaluate to.

    cargo build --release --bins
    python3 test/gpu/plans.py --bin target/release --seed 41 --count 200

Needs the programs `dlc-run` and `xtask`, and no Rust, numpy or torch: `xtask plans` draws plans, `dlc-run --strict`
evaluates regions, `dlc-run --device=cuda --check` runs kernels. Of the plans that compile, are verified and evaluate as
their region, `--count` are taken at random; each runs at `--sizes` sizes that its kernel requires nothing else of. With
`ptxas`, kernels that spill registers are counted, and those that no warning (E1615) announced are named.

The last line is `all as expected` and the exit status 0 where all plans for which sizes were found are right and no
spill is a surprise.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "python"))
from dlc_launch import Expr  # noqa: E402

# The most points that a region is evaluated at, and the draws until sizes count as not found.
MOST_POINTS = 1 << 22
DRAWS = 400
# Sizes with and without a part of a tile left over.
PLAIN = (1, 5, 8, 16, 24, 40, 64, 72, 96, 128, 144, 200, 256)
# How long one command may take, in seconds.
LIMIT = 300


def accepted(folder):
    """The plans of a folder of `xtask plans --save` that are right, by name: the file and the target."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.mlir")):
        head = path.read_text().split("\n", 1)[0]
        match = re.fullmatch(r"// (.*): Right\(\d+\)", head)
        if match:
            found[match[1]] = (path, re.search(r"^plan\.schedule of @\S+ for (\w+)", path.read_text(), re.M)[1])
    return found


def draw_sizes(symbols, requires, chosen):
    """Sizes that fulfil what a kernel requires: a number for each symbol. `None` where none were found."""
    guards = [Expr(text, guard=True) for text in requires]
    numbers = sorted({int(text) for each in requires for text in re.findall(r"\b\d+\b", each)} - {0})
    pool = list(PLAIN) + [number for number in numbers if number <= 4096]
    pool += [number * times for number in numbers for times in (2, 3, 5) if number * times <= 4096]
    for _ in range(DRAWS):
        sizes = {symbol: chosen.choice(pool) for symbol in symbols}
        points = 1
        for size in sizes.values():
            points *= size
        if points <= MOST_POINTS and all(guard(sizes) for guard in guards):
            return sizes
    return None


def spilled(text):
    """The bytes that the kernels of a module spill, by what `ptxas -v` says."""
    return sum(int(number) for number in re.findall(r"(\d+) bytes spill stores", text))


def find_ptxas():
    """`ptxas` of the variable, the path, a CUDA toolkit or Triton."""
    places = [os.environ.get("PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"]
    for folder in sys.path:
        places += glob.glob(os.path.join(folder, "triton", "backends", "nvidia", "bin", "ptxas"))
        places += glob.glob(os.path.join(folder, "nvidia", "*", "bin", "ptxas"))
    return next((place for place in places if place and os.access(place, os.X_OK)), None)


class Runner:
    def __init__(self, args):
        self.dlc_run = str(pathlib.Path(args.bin).resolve() / "dlc-run")
        self.device, self.sizes, self.seed = args.device, args.sizes, args.seed
        self.ptxas = find_ptxas()

    def call(self, *command):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return 124, f"it took longer than {LIMIT} s"
        return done.returncode, done.stdout + done.stderr

    def compile(self, path, target, to):
        code, said = self.call(self.dlc_run, str(path), "--device=none", f"--target={target}", f"--emit-manifest={to}")
        return code, said

    def spills(self, manifest, target):
        """The bytes that a module spills; `None` without `ptxas`."""
        if self.ptxas is None:
            return None
        arch = {"sm80": "sm_80", "sm90": "sm_90a"}[target]
        ptx = str(manifest)[: -len(".json")] + ".ptx"
        code, said = self.call(self.ptxas, "-v", f"-arch={arch}", ptx, "-o", os.devnull)
        if code:
            raise RuntimeError(f"ptxas: {said.strip()[-400:]}")
        return spilled(said)

    def plan(self, name, path, target):
        """What became of a plan: `right`, `wrong` or `no sizes`, why, the bytes it spills, and whether that was announced."""
        with tempfile.TemporaryDirectory() as folder:
            # What is private is launched by others alone.
            text = pathlib.Path(path).read_text().replace("region.func private @", "region.func @")
            path = pathlib.Path(folder) / "plan.mlir"
            path.write_text(text)
            manifest = os.path.join(folder, "kernel.json")
            code, said = self.compile(path, target, manifest)
            announced = "[E1615]" in said
            if code:
                return name, "wrong", f"it does not compile: {said.strip()[-400:]}", None, announced
            try:
                spills = self.spills(manifest, target)
            except RuntimeError as error:
                return name, "wrong", str(error), None, announced
            with open(manifest) as file:
                kernel = json.load(file)["kernels"][0]
            requires = kernel["requires"]
            requires = [requires] if isinstance(requires, str) else requires
            chosen = random.Random(f"{self.seed} {name}")
            done = []
            for _ in range(self.sizes):
                sizes = draw_sizes(kernel["symbols"], requires, chosen)
                if sizes is None or sizes in done:
                    continue
                wrong = self.compare(path, target, sizes, folder)
                if wrong:
                    return name, "wrong", wrong, spills, announced
                done.append(sizes)
            fate = "right" if done else "no sizes"
            return name, fate, "" if done else f"requires {', '.join(requires)}", spills, announced

    def compare(self, path, target, sizes, folder):
        """Why a kernel at some sizes does not give what its region does, if it does not."""
        shape = [f"--shape={','.join(f'{name}={size}' for name, size in sizes.items())}"] if sizes else []
        expected = os.path.join(folder, "expected.npz")
        code, said = self.call(self.dlc_run, str(path), "--strict", "--device=cpu", *shape, "-o", expected)
        if code == 0:
            run = [self.dlc_run, str(path), f"--device={self.device}", f"--check={expected}", *shape]
            if self.device != "cpu":
                run.append(f"--target={target}")
            code, said = self.call(*run)
        return f"{sizes}: {said.strip()[-600:]}" if code else None


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/release", help="the folder of dlc-run and xtask")
    parser.add_argument("--seed", type=int, default=1, help="of the plans, of those that are taken, of the sizes")
    parser.add_argument("--count", type=int, default=200, help="how many accepted plans run")
    parser.add_argument("--draw", type=int, help="how many plans are drawn; else twice as many as run")
    parser.add_argument("--drawn", help="a folder that `xtask plans --save` has written; else plans are drawn")
    parser.add_argument("--sizes", type=int, default=2, help="the sizes that each plan runs at")
    parser.add_argument("--device", default="cuda", help="'cpu' tries this script where there is no GPU")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many plans at once")
    parser.add_argument("--save", help="a folder that gets the plans that are wrong")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        drawn = args.drawn or folder
        if args.drawn is None:
            xtask = str(pathlib.Path(args.bin).resolve() / "xtask")
            count = args.draw or 2 * args.count
            command = [xtask, "plans", "--count", str(count), "--seed", str(args.seed), "--save", folder]
            code = subprocess.run([*command, "--root", str(HERE.parents[1])]).returncode
            if code:
                print("FAILED: xtask plans")
                return 1
        plans = accepted(drawn)
        names = random.Random(args.seed).sample(sorted(plans), min(args.count, len(plans)))
        return report(args, [(name, *plans[name]) for name in names], len(plans))


def report(args, plans, accepted_count):
    runner = Runner(args)
    counts = {"right": 0, "wrong": 0, "no sizes": 0}
    spills = surprises = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, fate, why, bytes_spilled, announced in pool.map(lambda plan: runner.plan(*plan), plans):
            counts[fate] += 1
            if fate != "right":
                print(f"{fate}: {name}: {why}", flush=True)
            if bytes_spilled:
                spills += 1
                surprises += not announced
                print(f"spills {bytes_spilled} bytes{'' if announced else ', not announced'}: {name}", flush=True)
            if fate == "wrong" and args.save:
                os.makedirs(args.save, exist_ok=True)
                path = next(path for own, path, _ in plans if own == name)
                shutil.copy(path, args.save)
    print(f"{len(plans)} of {accepted_count} accepted plans: {counts['right']} right, {counts['wrong']} wrong, "
          f"{counts['no sizes']} without sizes")
    if runner.ptxas is None:
        print("there is no ptxas: nothing is known of spills (PTXAS names one)")
    else:
        print(f"{spills} spill registers, {surprises} of them without a warning (E1615)")
    if not plans or counts["wrong"] or surprises or not counts["right"]:
        return 1
    print("all as expected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
