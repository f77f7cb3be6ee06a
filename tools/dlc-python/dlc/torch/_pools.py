"""Pooling to a given size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ._builder import Builder, Value, register
from ._ops import list_text, meta


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
        raise NotImplementedError("with windows of different sizes")
    else:
        y = x
        for axis, count in axes:
            y = _means(b, y, axis, count)
    return (y, None) if op == "max_pool" else y


def _means(b: Builder, x: Value, axis: int, count: int) -> Value:
    """The means of windows of one axis that have different sizes: a product with a matrix of shares."""
    if not x.shape[axis].isdigit():
        raise NotImplementedError("over a symbolic size")
    size, wide = int(x.shape[axis]), torch.float64 if x.dtype == torch.float64 else torch.float32
    window = b.shape(b.emit("arange", torch.int64, [count], ty=True), [str(count), "1"])
    place, full = b.emit("arange", torch.int64, [size], ty=True), [str(count), str(size)]

    def scaled(of: Value, add: int) -> Value:
        # The first place of a window: its number times the size, over how many there are, rounded down.
        value = b.emit(f"mul {of.name}, {b.number(size, torch.int64).name}", torch.int64, of.shape)
        value = b.emit(f"add {value.name}, {b.number(add, torch.int64).name}", torch.int64, of.shape)
        return b.emit(f"floordiv {value.name}, {b.number(count, torch.int64).name}", torch.int64, of.shape)

    first, after = scaled(window, 0), scaled(window, size + count - 1)
    begun = b.emit(f"ge {place.name}, {first.name}", torch.bool, full)
    not_ended = b.emit(f"lt {place.name}, {after.name}", torch.bool, full)
    inside = b.emit(f"bitwise_and {begun.name}, {not_ended.name}", torch.bool, full)
    length = b.cast(b.emit(f"sub {after.name}, {first.name}", torch.int64, window.shape), wide)
    share = b.emit(f"reciprocal {length.name}", wide, window.shape)
    shares = b.emit(f"where {inside.name}, {share.name}, {b.number(0.0, wide).name}", wide, full)
    last = [*(other for other in range(x.rank) if other != axis), axis]
    moved = b.emit(f"transpose {b.cast(x, wide).name} by {list_text(last)}", wide, [x.shape[other] for other in last])
    means = b.emit(f"linear {moved.name}, {shares.name}", wide, [*moved.shape[:-1], str(count)])
    back = sorted(range(x.rank), key=last.__getitem__)
    return b.cast(b.emit(f"transpose {means.name} by {list_text(back)}", wide, [means.shape[other] for other in back]), x.dtype)
