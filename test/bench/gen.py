#!/usr/bin/env python3
"""Writes modules of integer arithmetic for the benchmarks, in MLIR's generic form.

  gen.py --ops 100000 --shape one|many --kind live|redundant|foreign --dialect arith|sample -o out.mlir

shape one : one function with all ops;  many : functions of --per-function ops each, and a return
kind  live      : a chain in which every op is used: nothing to fold
      redundant : half the ops repeat the one before, and there are x+0 and x*1: work for cse and canonicalize
      foreign   : ops, types and attributes of a dialect that neither tool knows
dialect arith writes what mlir-opt knows (arith, func), sample the same program in dlc's own neutral ops.
"""
import argparse
import random
import sys

BINARY = ["addi", "muli", "xori", "andi", "ori", "subi"]
MAY_OVERFLOW = {"addi", "muli", "subi"}
NAMES = {"arith": ("arith.", "func.func", "func.return"), "sample": ("sample.", "sample.func", "sample.return")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=10000)
    parser.add_argument("--shape", default="one", choices=["one", "many"])
    parser.add_argument("--kind", default="live", choices=["live", "redundant", "foreign"])
    parser.add_argument("--dialect", default="arith", choices=list(NAMES))
    parser.add_argument("--per-function", type=int, default=20)
    parser.add_argument("-o", default="-")
    args = parser.parse_args()
    random.seed(1)
    out = sys.stdout if args.o == "-" else open(args.o, "w")
    prefix, function, ret = NAMES[args.dialect]
    foreign = args.kind == "foreign"
    ty = "!tiny.view<4x8xf32, strides = [8, 1], mask = none>" if foreign else "i64"

    def binary(name, kind, x, y):
        op = BINARY[kind]
        if foreign:
            attr = f"{{tile = #plan.tile<m = 16, n = {8 + kind % 4}>}}"
            out.write(f'    %{name} = "tiny.{op}"(%{x}, %{y}) {attr} : ({ty}, {ty}) -> {ty}\n')
            return
        flags = " <{overflowFlags = #arith.overflow<none>}>" if prefix == "arith." and op in MAY_OVERFLOW else ""
        out.write(f'    %{name} = "{prefix}{op}"(%{x}, %{y}){flags} : (i64, i64) -> i64\n')

    def constant(name, value):
        out.write(f'    %{name} = "{prefix}constant"() <{{value = {value} : i64}}> : () -> i64\n')

    def body(name, count):
        out.write(f'  "{function}"() <{{function_type = ({ty}, {ty}) -> {ty}, sym_name = "{name}"}}> ({{\n')
        out.write(f"  ^bb0(%a0: {ty}, %a1: {ty}):\n")
        x, y, done, index = "a1", "a0", 0, 0
        if args.kind == "redundant":
            constant("c0", 0), constant("c1", 1), constant("c0b", 0)
            done = 3
        while done < count:
            kind = random.randrange(6)
            if args.kind == "redundant":
                binary(f"v{index}", kind, x, y), binary(f"d{index}", kind, x, y)
                binary(f"z{index}", 0, f"d{index}", "c0" if index & 1 else "c0b"), binary(f"m{index}", 1, f"z{index}", "c1")
                done, y, x = done + 4, x, f"m{index}"
            else:
                binary(index, kind, x, y)
                done, y, x = done + 1, x, index
            index += 1
        out.write(f'    "{ret}"(%{x}) : ({ty}) -> ()\n  }}) : () -> ()\n')

    out.write('"builtin.module"() ({\n')
    if args.shape == "one":
        body("f", args.ops)
    else:
        for number in range(max(1, args.ops // args.per_function)):
            body(f"f{number}", args.per_function)
    out.write("}) : () -> ()\n")


main()
