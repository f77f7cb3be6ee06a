"""Which integers the elements of tensors may be, as far as the ops that they come from say."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch

#: The least and the largest number.
Range = tuple[int, int]

#: How many ops are looked through.
_DEPTH = 32

# Which argument of an op is the value of all elements.
_FILLS = {"scalar_tensor": 0, "full": 1, "full_like": 1}

# Ops whose elements are elements of their first argument, and ops with those and positions.
_MOVED = set((
    "view reshape _unsafe_view unsqueeze squeeze permute transpose t expand slice select alias clone detach contiguous flip repeat "
    "roll gather index_select index amax amin split split_with_sizes chunk unbind narrow as_strided diagonal"
).split())
_WITH_POSITIONS = {"sort", "topk", "max", "min", "cummax", "cummin", "median", "nanmedian", "kthvalue"}


def integer_range(node: Any) -> Range:
    """What the elements of an integer tensor may be: all numbers of its type where nothing else is known."""
    return _Ranges().of(node, 0) or _ends(node.meta["val"].dtype)


def _ends(dtype: torch.dtype) -> Range:
    return (0, 1) if dtype == torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)


class _Ranges:
    """The ranges of the nodes that one depends on; None for what is no integer."""

    def __init__(self) -> None:
        self.known: dict[Any, Range | None] = {}

    def of(self, value: Any, depth: int) -> Range | None:
        """The range of an argument."""
        if isinstance(value, int):
            return int(value), int(value)
        if not isinstance(value, torch.fx.Node):
            return None
        if value not in self.known:
            self.known[value] = self.found(value, depth)
        return self.known[value]

    def found(self, node: Any, depth: int) -> Range | None:
        """The range of a node. Where numbers could be too large for its type, they are any numbers of it."""
        source, name, place = node, _name(node), 0
        if node.target is operator.getitem:
            source, place = node.args
            name = _name(source)
        result = node.meta.get("val")
        if not isinstance(result, torch.Tensor) or result.is_floating_point() or result.is_complex():
            return None
        ends = _ends(result.dtype)
        if depth == _DEPTH or name is None:
            return ends
        of = lambda argument: self.of(argument, depth + 1)
        if name in ("argmax", "argmin") or (name in _WITH_POSITIONS and place == 1):
            return _positions(source.args[0].meta["val"].shape)
        if name in _MOVED or name in _WITH_POSITIONS or name == "_to_copy":
            found = of(source.args[0])
        elif name in ("cat", "stack"):
            found = _both(*map(of, source.args[0]))
        elif name in _FILLS:
            found = of(source.args[_FILLS[name]])
        elif name in _RULES and not source.kwargs:
            found = _RULES[name](source, *map(of, source.args))
        else:
            found = None
        return found if found is not None and ends[0] <= found[0] and found[1] <= ends[1] else ends


def _name(node: Any) -> str | None:
    """The name of an op of ATen without its overload."""
    parts = str(node.target).split(".")
    return parts[1] if node.op == "call_function" and parts[0] == "aten" and len(parts) == 3 else None


def _positions(sizes: Any) -> Range:
    """The positions in a tensor, for which the layer has 32 bits."""
    most = (1 << 31) - 1
    return 0, most if any(isinstance(size, torch.SymInt) for size in sizes) else min(max(math.prod(sizes) - 1, 0), most)


def _both(*ranges: Range | None) -> Range | None:
    """What is in one of several ranges."""
    if not ranges or any(one is None for one in ranges):
        return None
    return min(one[0] for one in ranges), max(one[1] for one in ranges)


def _of_ends(op: Callable[[int, int], int]) -> Callable[..., Range | None]:
    """The range of an op that is monotonic in each of two arguments."""

    def rule(node: Any, x: Range | None, y: Range | None, *others: Any) -> Range | None:
        if x is None or y is None or others:
            return None
        results = [op(one, other) for one in x for other in y]
        return min(results), max(results)

    return rule


def _masked(node: Any, x: Range | None, y: Range | None) -> Range | None:
    tops = [one[1] for one in (x, y) if one and one[0] >= 0]
    return (0, min(tops)) if tops else None


def _shifted(node: Any, x: Range | None, y: Range | None) -> Range | None:
    return _of_ends(operator.rshift)(node, x, y) if x and y and 0 <= y[0] and y[1] < 31 else None


def _remainder(node: Any, x: Range | None, y: Range | None) -> Range | None:
    return (0, y[1] - 1) if x and y and y[0] > 0 else None


def _clamp(node: Any, x: Range | None, *bounds: Range | None) -> Range | None:
    for op, given, bound in zip((max, min), node.args[1:], bounds):
        x = x if given is None else _of_ends(op)(node, x, bound)
    return x


def _sum(node: Any, x: Range | None, *_: Any) -> Range | None:
    whole, result = node.args[0].meta["val"], node.meta["val"]
    if not x or not all(isinstance(size, int) for size in (*whole.shape, *result.shape)):
        return None
    # Each element of a running sum has as many terms, at most.
    count = whole.numel() // max(1, result.numel()) if _name(node) == "sum" else max(1, *whole.shape)
    return min(x[0] * count, 0), max(x[1] * count, 0)


_RULES: dict[str, Callable[..., Range | None]] = {
    "add": _of_ends(operator.add), "sub": _of_ends(operator.sub), "mul": _of_ends(operator.mul), "maximum": _of_ends(max),
    "minimum": _of_ends(min), "bitwise_and": _masked, "bitwise_right_shift": _shifted, "__rshift__": _shifted,
    "remainder": _remainder, "clamp": _clamp, "sum": _sum, "cumsum": _sum,
    "where": lambda node, condition, x, y: _both(x, y), "masked_fill": lambda node, x, mask, value: _both(x, value),
}
