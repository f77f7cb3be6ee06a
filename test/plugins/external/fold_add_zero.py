"""Folds `x + 0` in IR text: an example of a program that is a pass of dlc-opt.

It makes uses of `x + 0` uses of `x`, and erases the sum. What it says on standard error becomes remarks.
DLC_OPTIONS=keep counts the sums and leaves them.
"""

import pathlib
import sys

# Outside of the tree, dlc_text.py lies next to the pass.
sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tools/python"))
import dlc_text


def is_zero(value):
    return value.op and value.op.name == "sample.constant" and value.op.value("value") == 0


def fold(module):
    folded = 0
    for op in module.walk("sample.addi"):
        lhs, rhs = op.operands
        if is_zero(rhs) or is_zero(lhs):
            folded += 1
            if dlc_text.options() != "keep":
                op.replace(lhs if is_zero(rhs) else rhs)
    dlc_text.remark(f"folded {folded} sums with zero", "passed")


dlc_text.run(fold)
