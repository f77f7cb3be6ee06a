"""Pooling to a given size, and pools that give places."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import torch

from ._builder import Builder, Value, register
from ._indices import binary, numbers, take
from ._norms import used
from ._ops import compare, expand, list_text, meta, pool, select


def _sizes(x: Value, size: Sequence[Any]) -> list[tuple[int, int]]:
    """The axes that are pooled, and how many windows each has."""
    return [(x.rank - len(size) + place, int(count)) for place, count in enumerate(size)]


def _window(x: Value, axis: int, count: int) -> int | None:
    """The size of the windows of an axis where all have the same and lie side by side."""
    size = x.shape[axis]
    return int(size) // count if size.isdigit() and int(size) % count == 0 else None


@register("aten._adaptive_avg_pool2d.default", "aten._adaptive_avg_pool3d.default", "aten.adaptive_avg_pool1d.default",
          "aten.adaptive_max_pool1d.default", "aten.adaptive_max_pool2d.default", "aten.adaptive_max_pool3d.default")
def _adaptive(b: Builder, node: Any, x: Value, size: Sequence[int]) -> Any:
    dtype, shape = meta(node)
    op = "max_pool" if "max" in str(node.target) else "avg_pool"
    axes = _sizes(x, size)
    if op == "avg_pool" and all(count == 1 for _, count in axes) and x.rank == len(axes) + 2:
        return b.emit(f"global_avg_pool {x.name}", dtype, shape, node.name)
    windows = [_window(x, axis, count) for axis, count in axes]
    if all(windows):
        batch = x if x.rank == len(axes) + 2 else b.shape(x, ["1", *x.shape])
        sizes = [*batch.shape[:2], *(str(count) for _, count in axes)]
        y = b.emit(f"{op} {batch.name} window {list_text(windows)} stride {list_text(windows)}", dtype, sizes, node.name)
        y = b.shape(y, shape)
    elif op == "max_pool":
        y = None
    else:
        y = x
        for axis, count in axes:
            y = _means(b, y, axis, count)
    if op == "avg_pool":
        return y
    if y is not None and not used(node, 1):
        return y, None
    return _best(b, x, [_uneven(b, x, axis, count) for axis, count in axes], shape)


def _bounds(b: Builder, size: Value, count: int) -> tuple[Value, Value]:
    """The first place of each of some windows over an axis, and the first one after it."""
    window = numbers(b, str(count))
    first = binary(b, "floordiv", binary(b, "mul", window, size), count)
    after = binary(b, "add", binary(b, "mul", window, size), binary(b, "add", size, count - 1))
    return first, binary(b, "floordiv", after, count)


def _uneven(b: Builder, x: Value, axis: int, count: int) -> _Windows:
    size, text = b.size(x.shape[axis]), x.shape[axis]
    first, after = (b.shape(bound, [str(count), "1"]) for bound in _bounds(b, size, count))
    # A window has at most so many places; of an axis of symbolic size each window has all, and leaves others out.
    most = str((int(text) + count - 1) // count + 1) if text.isdigit() else text
    places, shape = numbers(b, most), [str(count), most]
    if text.isdigit():
        places = binary(b, "add", first, places, shape)
    else:
        places = expand(b, places, shape)
    is_begun, is_left = compare(b, "ge", places, first, shape), compare(b, "lt", places, after, shape)
    return _Windows(axis, places, b.emit(f"bitwise_and {is_begun.name}, {is_left.name}", torch.bool, shape))


@dataclasses.dataclass
class _Windows:
    """The windows of an axis: the places of each, a row for each window, and which of them count."""

    axis: int
    places: Value
    counts: Value


def _best(b: Builder, x: Value, windows: Sequence[_Windows], shape: Sequence[str]) -> tuple[Value, Value]:
    """The largest element of each window, and its place among those of a channel."""
    info = torch.finfo if x.dtype.is_floating_point else torch.iinfo
    lowest = b.number(-math.inf if x.dtype.is_floating_point else info(x.dtype).min, x.dtype)
    best, found = x, {}
    # Along one axis after another, the last one first: of equal elements it is the first one in the order of memory.
    for window in reversed(windows):
        axis, (count, most) = window.axis, window.places.shape
        parts = take(b, best, axis, binary(b, "maximum", window.places, 0))
        sizes = [*["1"] * axis, count, most, *["1"] * (best.rank - axis - 1)]
        parts = select(b, b.shape(window.counts, sizes), parts, lowest, x.dtype, parts.shape)
        reduced = [*best.shape[:axis], count, *best.shape[axis + 1 :]]
        kept = [*best.shape[:axis], count, "1", *best.shape[axis + 1 :]]
        at = b.cast(b.emit(f"argmax {parts.name} over {axis + 1} keepdim", torch.int32, kept), torch.int64)
        best = b.emit(f"max {parts.name} over [{axis + 1}]", x.dtype, reduced)
        places = expand(b, b.shape(binary(b, "maximum", window.places, 0), sizes), parts.shape)
        place = b.shape(b.emit(f"gather {places.name}[{at.name}] over {axis + 1}", torch.int64, kept), reduced)
        # Places along later axes are those in the row that was chosen.
        for other, chosen in found.items():
            spread = take(b, chosen, axis, binary(b, "maximum", window.places, 0))
            found[other] = b.shape(b.emit(f"gather {spread.name}[{at.name}] over {axis + 1}", torch.int64, kept), reduced)
        found[axis] = place
    index = None
    for window in windows:
        place = found[window.axis]
        index = place if index is None else binary(b, "add", binary(b, "mul", index, b.size(x.shape[window.axis])), place)
    return b.shape(best, shape), b.shape(index, shape)


@register("aten.max_pool2d_with_indices.default", "aten.max_pool3d_with_indices.default")
def _max_pool(b, node, x, window, stride=(), padding=(0,), dilation=(1,), ceil_mode=False) -> tuple[Value, Value | None]:
    dtype, shape = meta(node)
    axes = 3 if "3d" in str(node.target) else 2
    batch = x if x.rank == axes + 2 else b.shape(x, ["1", *x.shape])
    if not used(node, 1):
        made = shape if x.rank == axes + 2 else ["1", *shape]
        return b.shape(pool(b, "max_pool", batch, made, node.name, window, stride, padding, dilation, ceil_mode), shape), None
    numbers_of = lambda values: list(map(int, values)) * (axes if len(values) == 1 else 1)
    window, steps = numbers_of(window), numbers_of(stride or window)
    padding, dilation = numbers_of(padding), numbers_of(dilation)
    windows = []
    for place in range(axes):
        axis = x.rank - axes + place
        sizes = [shape[axis], str(window[place])]
        first = binary(b, "sub", binary(b, "mul", numbers(b, sizes[0]), steps[place]), padding[place])
        places = binary(b, "mul", numbers(b, sizes[1]), dilation[place])
        places = binary(b, "add", b.shape(first, [sizes[0], "1"]), places, sizes)
        is_begun = compare(b, "ge", places, b.number(0, torch.int64), sizes)
        is_left = compare(b, "lt", places, b.size(x.shape[axis]), sizes)
        windows.append(_Windows(axis, places, b.emit(f"bitwise_and {is_begun.name}, {is_left.name}", torch.bool, sizes)))
    return _best(b, x, windows, shape)


def _means(b: Builder, x: Value, axis: int, count: int) -> Value:
    """The means of windows of one axis that have different sizes: a product with a matrix of shares."""
    size, wide = b.size(x.shape[axis]), torch.float64 if x.dtype == torch.float64 else torch.float32
    place, full = numbers(b, x.shape[axis]), [str(count), x.shape[axis]]
    first, after = (b.shape(bound, [str(count), "1"]) for bound in _bounds(b, size, count))
    begun = compare(b, "ge", place, first, full)
    not_ended = compare(b, "lt", place, after, full)
    inside = b.emit(f"bitwise_and {begun.name}, {not_ended.name}", torch.bool, full)
    length = b.cast(binary(b, "sub", after, first), wide)
    share = b.emit(f"reciprocal {length.name}", wide, length.shape)
    shares = select(b, inside, share, b.number(0.0, wide), wide, full)
    last = [*(other for other in range(x.rank) if other != axis), axis]
    moved = b.emit(f"transpose {b.cast(x, wide).name} by {list_text(last)}", wide, [x.shape[other] for other in last])
    means = b.emit(f"linear {moved.name}, {shares.name}", wide, [*moved.shape[:-1], str(count)])
    back = sorted(range(x.rank), key=last.__getitem__)
    return b.cast(b.emit(f"transpose {means.name} by {list_text(back)}", wide, [means.shape[other] for other in back]), x.dtype)
