"""The command lines `dlc-opt`, `dlc-run` and `dlc-translate`."""

import sys

from . import _dlc


def _run(name: str) -> int:
    sys.stdout.flush()
    return _dlc.tool(name, [name, *sys.argv[1:]])


def opt() -> int:
    """`dlc-opt`: reads IR, runs passes on it, writes IR."""
    return _run("dlc-opt")


def run() -> int:
    """`dlc-run`: runs a program on arrays of files."""
    return _run("dlc-run")


def translate() -> int:
    """`dlc-translate`: from IR to PTX and other texts."""
    return _run("dlc-translate")
