"""Folds `x + 0` in IR text: an example of a program that is a pass of dlc-opt.

It reads the generic form of a module, makes uses of `x + 0` uses of `x`, erases the sum, and prints the module. What it
says on standard error becomes remarks. DLC_OPTIONS=keep counts the sums and leaves them.
"""

import os
import re
import sys

VALUE = r"%[A-Za-z0-9_$.#-]+"
CONSTANT = re.compile(rf'^\s*({VALUE}) = "sample\.constant"\(\) <\{{value = (-?\d+)')
SUM = re.compile(rf'^\s*({VALUE}) = "sample\.addi"\(({VALUE}), ({VALUE})\)')
NAME = re.compile(VALUE)
FUNCTION = re.compile(r'"sample\.func"')


def fold(lines):
    """The lines without sums with zero; names start again in each function."""
    kept, zeros, became, folded = [], set(), {}, 0
    for line in lines:
        if FUNCTION.search(line):
            zeros, became = set(), {}
        constant = CONSTANT.match(line)
        if constant and int(constant[2]) == 0:
            zeros.add(constant[1])
        line = NAME.sub(lambda name: became.get(name[0], name[0]), line)
        addition = SUM.match(line)
        if addition and (addition[2] in zeros or addition[3] in zeros):
            folded += 1
            if os.environ.get("DLC_OPTIONS") != "keep":
                became[addition[1]] = addition[2] if addition[3] in zeros else addition[3]
                continue
        kept.append(line)
    return kept, folded


def main():
    kept, folded = fold(sys.stdin.read().splitlines())
    print("\n".join(kept))
    print(f"passed: folded {folded} sums with zero", file=sys.stderr)


main()
