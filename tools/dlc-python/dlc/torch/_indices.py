"""Ops that read or write at indices: windows, indices of several axes, padding with what is there, writes into a part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ._builder import OPS, Builder, Value, number_text, register, size_text
from ._ops import axis_of, list_text, meta

_INDEX = torch.int64


def _numbers(b: Builder, count: Any) -> Value:
    """The numbers from 0 on."""
    return b.emit("arange", _INDEX, [count], ty=True)


def _binary(b: Builder, op: str, x: Value, y: Value | int, shape: Sequence[Any] | None = None) -> Value:
    y = y if isinstance(y, Value) else b.number(y, x.dtype)
    return b.emit(f"{op} {x.name}, {y.name}", x.dtype, shape or x.shape)


def _number(size: str) -> int:
    if not size.isdigit():
        raise NotImplementedError("where an axis has a symbolic size")
    return int(size)


def _size(b: Builder, size: str) -> Value:
    """A size as an index: one that is a symbol is the last number of as many, and one."""
    if size.isdigit():
        return b.number(int(size), _INDEX)
    last = b.emit(f"max {_numbers(b, size).name} over [0]", _INDEX, ())
    return _binary(b, "add", last, 1)


def _take(b: Builder, x: Value, axis: int, ids: Value, wanted: str = "t") -> Value:
    shape = [*x.shape[:axis], *ids.shape, *x.shape[axis + 1 :]]
    return b.emit(f"take {x.name}[{ids.name}] over {axis}", x.dtype, shape, wanted)


def _permute(b: Builder, x: Value, order: Sequence[int], wanted: str = "t") -> Value:
    if list(order) == list(range(x.rank)):
        return x
    return b.emit(f"transpose {x.name} by {list_text(order)}", x.dtype, [x.shape[axis] for axis in order], wanted)


@register("aten.unfold.default")
def _unfold(b: Builder, node: Any, x: Value, dim: int, size: int, step: int) -> Value:
    axis, shape = axis_of(dim, x.rank), meta(node)[1]
    count = size_text(shape[axis])
    last = [*range(axis + 1), *range(axis + 2, x.rank + 1), axis + 1]
    if step == size:
        # Windows that lie side by side are a view.
        used = b.shape(x, x.shape)
        if x.shape[axis] != str(_number(count) * size):
            low, high = ["0"] * x.rank, list(x.shape)
            high[axis] = str(_number(count) * size)
            used = b.emit(f"slice {x.name} from {list_text(low)} to {list_text(high)}", x.dtype, high)
        parts = b.shape(used, [*x.shape[:axis], count, str(size), *x.shape[axis + 1 :]])
        return _permute(b, parts, last, node.name)
    begins = b.shape(_binary(b, "mul", _numbers(b, count), step), [count, "1"])
    ids = _binary(b, "add", begins, _numbers(b, size), [count, str(size)])
    return _permute(b, _take(b, x, axis, ids), last, node.name)


@register("aten.index.Tensor", "aten._unsafe_index.Tensor")
def _index(b: Builder, node: Any, x: Value, indices: Sequence[Value | None]) -> Value:
    given = {axis: index for axis, index in enumerate(indices) if index is not None}
    if any(index.dtype in (torch.bool, torch.uint8) for index in given.values()):
        raise NotImplementedError("with a mask")
    axes, shape = list(given), meta(node)[1]
    is_together = axes == list(range(axes[0], axes[-1] + 1))
    if not is_together:
        # The axes of the indices come first then.
        x = _permute(b, x, [*axes, *(axis for axis in range(x.rank) if axis not in given)])
    first = axes[0] if is_together else 0
    rank = max(index.rank for index in given.values())
    ids_shape = [size_text(size) for size in shape[first : first + rank]]
    sizes = x.shape[first : first + len(axes)]
    ids = None
    for index, size in zip(given.values(), sizes):
        index = b.cast(index, _INDEX)
        below = b.emit(f"lt {index.name}, {b.number(0, _INDEX).name}", torch.bool, index.shape)
        wrapped = _binary(b, "add", index, _size(b, size))
        index = b.emit(f"where {below.name}, {wrapped.name}, {index.name}", _INDEX, index.shape)
        ids = index if ids is None else _binary(b, "add", _binary(b, "mul", ids, _size(b, size)), index, _broadcast(ids, index))
    flat = b.shape(x, [*x.shape[:first], "*".join(_factor(size) for size in sizes), *x.shape[first + len(axes) :]]) if len(axes) > 1 else x
    if list(ids.shape) != ids_shape:
        ids = b.emit(f"expand {ids.name} to {list_text(ids_shape)}", _INDEX, ids_shape)
    return _take(b, flat, first, ids, node.name)


def _factor(size: str) -> str:
    return f"({size})" if " " in size else size


def _broadcast(x: Value, y: Value) -> list[str]:
    rank = max(x.rank, y.rank)
    pairs = zip(["1"] * (rank - x.rank) + list(x.shape), ["1"] * (rank - y.rank) + list(y.shape))
    return [other if one == "1" else one for one, other in pairs]


def _padded(at: Callable[[Builder, Value, int], Value]) -> Callable[..., Value]:
    """Padding with elements of the tensor: `at` has the index that one before or after an axis reads."""

    def translate(b: Builder, node: Any, x: Value, padding: Sequence[int]) -> Value:
        shape = meta(node)[1]
        for place in range(len(padding) // 2):
            axis, low = x.rank - 1 - place, padding[2 * place]
            if (low, padding[2 * place + 1]) != (0, 0):
                ids = _binary(b, "sub", _numbers(b, shape[axis]), low)
                x = _take(b, x, axis, at(b, ids, _number(x.shape[axis])))
        return x

    return translate


def _reflected(b: Builder, ids: Value, size: int) -> Value:
    """The index is counted from the ends: |i| below, and 2(size - 1) - i after."""
    ids = b.emit(f"abs {ids.name}", _INDEX, ids.shape)
    far = b.emit(f"sub {b.number(2 * (size - 1), _INDEX).name}, {ids.name}", _INDEX, ids.shape)
    return _binary(b, "minimum", ids, far)


def _replicated(b: Builder, ids: Value, size: int) -> Value:
    return _binary(b, "minimum", _binary(b, "maximum", ids, 0), size - 1)


for _rank in (1, 2, 3):
    OPS[f"aten.reflection_pad{_rank}d.default"] = _padded(_reflected)
    OPS[f"aten.replication_pad{_rank}d.default"] = _padded(_replicated)


@register("aten.slice_scatter.default")
def _slice_scatter(b, node, x, part, dim=0, start=None, end=None, step=1) -> Value:
    axis = axis_of(dim, x.rank)
    size = _number(x.shape[axis])
    first, after, _ = slice(start, end if end is None or end < 1 << 60 else None).indices(size)
    if step != 1 or not isinstance(first, int):
        raise NotImplementedError("in steps")
    return _joined(b, node, x, part, axis, first, max(first, after))


@register("aten.select_scatter.default")
def _select_scatter(b: Builder, node: Any, x: Value, part: Value, dim: int, index: int) -> Value:
    axis = axis_of(dim, x.rank)
    index += _number(x.shape[axis]) if index < 0 else 0
    return _joined(b, node, x, b.shape(part, [*part.shape[:axis], "1", *part.shape[axis:]]), axis, index, index + 1)


def _joined(b: Builder, node: Any, x: Value, part: Value, axis: int, first: int, after: int) -> Value:
    """A tensor with another part in place of what is from one index to another."""
    part, parts = b.cast(part, x.dtype), []
    for low, high in ((0, first), (after, int(x.shape[axis]))):
        if low < high:
            begin, end = ["0"] * x.rank, list(x.shape)
            begin[axis], end[axis] = str(low), str(high)
            shape = [*x.shape[:axis], str(high - low), *x.shape[axis + 1 :]]
            parts.append(b.emit(f"slice {x.name} from {list_text(begin)} to {list_text(end)}", x.dtype, shape))
    if part.shape[axis] != "0":
        parts.insert(1 if first > 0 else 0, part)
    if len(parts) == 1:
        return parts[0]
    return b.emit(f"concat {', '.join(part.name for part in parts)} over {axis}", x.dtype, x.shape, node.name)


@register("aten.scatter.value", "aten.scatter.src")
def _scatter(b: Builder, node: Any, x: Value, dim: int, ids: Value, value: Any) -> Value:
    axis = axis_of(dim, x.rank)
    same = [one == other for place, (one, other) in enumerate(zip(ids.shape, x.shape)) if place != axis]
    if not x.rank or ids.shape[axis] != "1" or not all(same):
        raise NotImplementedError("but for one index in each row")
    places = b.shape(_numbers(b, x.shape[axis]), [size if place == axis else "1" for place, size in enumerate(x.shape)])
    is_there = b.emit(f"eq {places.name}, {b.cast(ids, _INDEX).name}", torch.bool, x.shape)
    return b.emit(f"where {is_there.name}, {b.operand(value, x.dtype).name}, {x.name}", x.dtype, x.shape, node.name)


@register("aten.diagonal.default")
def _diagonal(b: Builder, node: Any, x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    one, other = axis_of(dim1, x.rank), axis_of(dim2, x.rank)
    x = _permute(b, x, [*(axis for axis in range(x.rank) if axis not in (one, other)), one, other])
    count, width = size_text(meta(node)[1][-1]), _number(x.shape[-1])
    first = offset if offset >= 0 else -offset * width
    ids = _binary(b, "add", _binary(b, "mul", _numbers(b, count), width + 1), first)
    flat = b.shape(x, [*x.shape[:-2], str(_number(x.shape[-2]) * width)])
    return _take(b, flat, x.rank - 2, ids, node.name)


@register("aten.fill.Scalar", "aten.empty.memory_format", "aten.new_empty.default", "aten.empty_like.default")
def _filled(b: Builder, node: Any, *given: Any, **_: Any) -> Value:
    dtype, shape = meta(node)
    value = given[1] if "fill" in str(node.target) else 0
    return b.emit(f"full {number_text(value, dtype)}", dtype, shape, node.name, ty=True)


@register("aten.copy.default")
def _copy(b: Builder, node: Any, x: Value, source: Value, *_: Any) -> Value:
    source = b.cast(source, x.dtype)
    return source if source.shape == x.shape else b.emit(f"expand {source.name} to {list_text(x.shape)}", x.dtype, x.shape, node.name)
