"""Ops that write at indices: those of rows, of elements, and of masks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ._builder import Builder, Value, register
from ._indices import binary, broadcast, combined, factor, move, numbers, take
from ._ops import axis_of, compare, expand, fill, meta, select

_INDEX = torch.int64

# What combines elements: the reduction, the op of two, and the identity of floats.
_COMBINED = {
    "sum": ("sum", "add", 0), "mean": ("sum", "add", 0), "prod": ("prod", "mul", 1), "amax": ("max", "maximum", -math.inf),
    "amin": ("min", "minimum", math.inf),
}


def _identity(kind: str, dtype: torch.dtype) -> Any:
    value = _COMBINED[kind][2]
    if dtype.is_floating_point or math.isfinite(value):
        return value
    if dtype == torch.bool:
        return int(value > 0)
    return torch.iinfo(dtype).min if value < 0 else torch.iinfo(dtype).max


def _is_at(b: Builder, ids: Value, size: str, shape: Sequence[str]) -> Value:
    """Whether an index is each position of an axis: the indices have a new first axis for it."""
    places = b.shape(numbers(b, size), [size, *["1"] * (len(shape) - 1)])
    return compare(b, "eq", places, ids, shape)


def _last(b: Builder, ids: Value, size: str) -> Value:
    """For each position the last of the indices along the first axis that is it, and a negative number where none is.

    torch leaves open which element is written where several have one index; on the CPU it is the last one.
    """
    shape = [size, *ids.shape]
    order = b.shape(numbers(b, ids.shape[0]), [ids.shape[0], *["1"] * (ids.rank - 1)])
    none = b.number(torch.iinfo(_INDEX).min, _INDEX)
    found = select(b, _is_at(b, ids, size, shape), order, none, _INDEX, shape)
    return b.emit(f"max {found.name} over [1]", _INDEX, [size, *ids.shape[1:]])


def _add(b: Builder, x: Value, ids: Value, rows: Value, name: str = "t") -> Value:
    """Adds rows, or elements, at indices of the first axis: in any order, as torch does on a GPU, unless it is to be deterministic."""
    order = "" if torch.are_deterministic_algorithms_enabled() else " any_order"
    return b.emit(f"scatter_add {x.name}, {ids.name}, {rows.name} over 0{order}", x.dtype, x.shape, name)


def _put_rows(b: Builder, x: Value, ids: Value, rows: Value, accumulate: bool, name: str) -> Value:
    """Writes rows at indices of the first axis."""
    if accumulate:
        if x.dtype == torch.bool:
            written = _put_rows(b, b.cast(x, torch.int32), ids, b.cast(rows, torch.int32), True, name)
            return b.cast(written, torch.bool)
        return _add(b, x, ids, rows, name)
    last = _last(b, ids, x.shape[0])
    is_written = compare(b, "ge", last, b.number(0, _INDEX), last.shape)
    is_written = b.shape(is_written, [x.shape[0], *["1"] * (x.rank - 1)])
    return select(b, is_written, take(b, rows, 0, last), x, x.dtype, x.shape, name)


@register("aten.index_put.default", "aten._unsafe_index_put.default")
def _index_put(b: Builder, node: Any, x: Value, indices: Sequence[Value | None], values: Value, accumulate: bool = False) -> Value:
    given = {axis: index for axis, index in enumerate(indices) if index is not None}
    values = b.cast(values, x.dtype)
    if any(index.dtype in (torch.bool, torch.uint8) for index in given.values()):
        return _put_at_mask(b, node, x, given, values, accumulate)
    axes = list(given)
    is_together = axes == list(range(axes[0], axes[-1] + 1))
    others = [axis for axis in range(x.rank) if axis not in given]
    rank = max(index.rank for index in given.values())
    ids_shape = ["1"] * rank
    for index in given.values():
        ids_shape = broadcast(ids_shape, index.shape)
    # Values have the axes of the indices where the first of these is, or as their first axes.
    first = axes[0] if is_together else 0
    shape = [x.shape[axis] for axis in others]
    shape[first:first] = ids_shape
    values = expand(b, values, shape)
    values = move(b, values, [*range(first, first + rank), *range(first), *range(first + rank, values.rank)])
    moved = move(b, x, [*axes, *others])
    sizes = [x.shape[axis] for axis in axes]
    ids = expand(b, combined(b, list(given.values()), sizes), ids_shape)
    rest = [x.shape[axis] for axis in others]
    flat = b.shape(moved, ["*".join(map(factor, sizes)), *rest])
    count = "*".join(map(factor, ids_shape)) or "1"
    written = _put_rows(b, flat, b.shape(ids, [count]), b.shape(values, [count, *rest]), accumulate, node.name)
    order = [*axes, *others]
    return move(b, b.shape(written, moved.shape), sorted(range(x.rank), key=order.__getitem__))


def _put_at_mask(b: Builder, node: Any, x: Value, given: dict[int, Value], values: Value, accumulate: bool) -> Value:
    (axis, mask), *others = given.items()
    if others or axis:
        raise NotImplementedError("with a mask next to other indices")
    mask = b.shape(b.cast(mask, torch.bool), [*mask.shape, *["1"] * (x.rank - mask.rank)])
    if all(size == "1" for size in values.shape[:-1]) and (not values.rank or values.shape[-1] == "1" or mask.shape[-1] == "1"):
        values = b.shape(values, values.shape[-1:]) if values.rank else values
        if accumulate:
            values = binary(b, "add", x, values, x.shape)
        return select(b, mask, values, x, x.dtype, x.shape, node.name)
    if accumulate or mask.shape[-1] == "1" != x.shape[-1] or values.rank != 1:
        raise NotImplementedError("with a mask, and a value for each element of it")
    return _masked_scatter(b, node, x, mask, values)


@register("aten.masked_scatter.default")
def _masked_scatter(b: Builder, node: Any, x: Value, mask: Value, source: Value) -> Value:
    # An element that is written has the number of those before it.
    count = "*".join(map(factor, x.shape)) or "1"
    flat = b.cast(b.shape(expand(b, mask, x.shape), [count]), _INDEX)
    before = b.emit(f"cumsum {flat.name} over 0", _INDEX, [count])
    ids = b.shape(binary(b, "sub", before, 1), x.shape)
    source = b.shape(source, ["*".join(map(factor, source.shape)) or "1"])
    return select(b, mask, take(b, source, 0, ids), x, x.dtype, x.shape, node.name)


def _elements(b: Builder, x: Value, axis: int, ids: Value) -> Value:
    """Indices of elements with their axis first; where they have fewer positions than the tensor, -1 stands for none."""
    ids = b.cast(ids, _INDEX)
    low, high = ["0"] * x.rank, ["0"] * x.rank
    for other in range(x.rank):
        if other != axis and ids.shape[other] != x.shape[other]:
            high[other] = _difference(x.shape[other], ids.shape[other])
    if any(size != "0" for size in high):
        sizes = [size if other == axis else x.shape[other] for other, size in enumerate(ids.shape)]
        ids = b.emit(f"pad {ids.name} low [{', '.join(low)}] high [{', '.join(high)}] fill -1.0", _INDEX, sizes)
    return move(b, ids, [axis, *(other for other in range(x.rank) if other != axis)])


def _difference(one: str, other: str) -> str:
    return str(int(one) - int(other)) if one.isdigit() and other.isdigit() else f"{one} - {factor(other)}"


def _values(b: Builder, x: Value, axis: int, ids: Value, source: Any) -> Value:
    """Elements to write, in the order of `_elements`."""
    if not isinstance(source, Value) or not source.rank:
        return expand(b, b.operand(source, x.dtype), ids.shape)
    source = b.cast(source, x.dtype)
    order = [axis, *(other for other in range(x.rank) if other != axis)]
    moved = move(b, source, order)
    if moved.shape == ids.shape:
        return moved
    # It has the positions of the indices and may have more; where there is no index nothing is written.
    for place, size in enumerate(ids.shape):
        if moved.shape[place] != size:
            moved = take(b, moved, place, numbers(b, size))
    return moved


def _scattered(b: Builder, node: Any, x: Value, dim: int, ids: Value, source: Any, kind: str | None, include_self: bool = True) -> Value:
    if not x.rank:
        one = lambda value: b.shape(value, ["1"]) if isinstance(value, Value) and not value.rank else value
        return b.shape(_scattered(b, node, one(x), 0, one(ids), one(source), kind, include_self), [])
    axis = axis_of(dim, x.rank)
    ids = _elements(b, x, axis, ids)
    values = _values(b, x, axis, ids, source)
    order = [axis, *(other for other in range(x.rank) if other != axis)]
    moved = move(b, x, order)
    if kind is None:
        last = _last(b, ids, moved.shape[0])
        is_written = compare(b, "ge", last, b.number(0, _INDEX), last.shape)
        found = b.emit(f"gather {values.name}[{last.name}] over 0", x.dtype, last.shape)
        result = select(b, is_written, found, moved, x.dtype, moved.shape)
    else:
        result = _reduced(b, moved, ids, values, kind, include_self)
    return move(b, result, sorted(range(x.rank), key=order.__getitem__))


def _reduced(b: Builder, x: Value, ids: Value, values: Value, kind: str, include_self: bool) -> Value:
    reduction, op, _ = _COMBINED[kind]
    if kind == "sum" and include_self and x.dtype.is_floating_point:
        return _add(b, x, ids, values)
    wide = torch.float32 if x.dtype in (torch.float16, torch.bfloat16) else torch.int32 if x.dtype == torch.bool else x.dtype
    shape = [x.shape[0], *ids.shape]
    is_at = _is_at(b, ids, x.shape[0], shape)
    values = b.cast(values, wide)
    if reduction == "sum" and wide.is_floating_point:
        total = _add(b, fill(b, 0, wide, x.shape), ids, values)
    else:
        found = select(b, is_at, values, b.number(_identity(kind, wide), wide), wide, shape)
        total = b.emit(f"{reduction} {found.name} over [1]", wide, x.shape)
    own = b.cast(x, wide)
    joined = binary(b, op, own, total, x.shape) if include_self else total
    if include_self and kind != "mean":
        return b.cast(joined, x.dtype)
    one = select(b, is_at, b.number(1, _INDEX), b.number(0, _INDEX), _INDEX, shape)
    count = b.emit(f"sum {one.name} over [1]", _INDEX, x.shape)
    is_written = compare(b, "gt", count, b.number(0, _INDEX), x.shape)
    if kind == "mean":
        count = binary(b, "maximum", binary(b, "add", count, int(include_self)), 1)
        joined = binary(b, "div" if wide.is_floating_point else "floordiv", joined, b.cast(count, wide), x.shape)
    return b.cast(select(b, is_written, joined, own, wide, x.shape), x.dtype)


@register("aten.scatter.value", "aten.scatter.src")
def _scatter(b: Builder, node: Any, x: Value, dim: int, ids: Value, value: Any) -> Value:
    axis = axis_of(dim, x.rank)
    same = [one == other for place, (one, other) in enumerate(zip(ids.shape, x.shape)) if place != axis]
    source = not isinstance(value, Value) or not value.rank or value.shape == ids.shape
    if not x.rank or ids.shape[axis] != "1" or not all(same) or not source:
        return _scattered(b, node, x, dim, ids, value, None)
    # One index in each row.
    places = b.shape(numbers(b, x.shape[axis]), [size if place == axis else "1" for place, size in enumerate(x.shape)])
    is_there = compare(b, "eq", places, b.cast(ids, _INDEX), x.shape)
    return select(b, is_there, b.operand(value, x.dtype), x, x.dtype, x.shape, node.name)


@register("aten.scatter_add.default")
def _scatter_add(b: Builder, node: Any, x: Value, dim: int, ids: Value, source: Value) -> Value:
    return _scattered(b, node, x, dim, ids, source, "sum")


@register("aten.scatter_reduce.two")
def _scatter_reduce(b: Builder, node: Any, x: Value, dim: int, ids: Value, source: Value, reduce: str, include_self: bool = True) -> Value:
    return _scattered(b, node, x, dim, ids, source, reduce, include_self)


@register("aten.scatter.reduce", "aten.scatter.value_reduce")
def _scatter_with(b: Builder, node: Any, x: Value, dim: int, ids: Value, value: Any, *, reduce: str) -> Value:
    return _scattered(b, node, x, dim, ids, value, {"add": "sum", "multiply": "prod"}[reduce])


@register("aten._embedding_bag_forward_only.default", "aten._embedding_bag.default")
def _embedding_bag(
    b: Builder, node: Any, table: Value, ids: Value, offsets: Value, scale_grad_by_freq: bool = False, mode: int = 0,
    sparse: bool = False, weights: Value | None = None, include_last_offset: bool = False, padding_idx: int = -1,
) -> tuple[Any, ...]:
    dtype, (bags, width) = meta(node)
    count, ids, offsets = ids.shape[0], b.cast(ids, _INDEX), b.cast(offsets, _INDEX)
    rows = b.emit(f"embedding {table.name}[{ids.name}]", dtype, [count, width])
    if weights is not None:
        rows = binary(b, "mul", rows, b.shape(weights, [count, "1"]), rows.shape)
    # The bag of a row is the last one that begins at it or before.
    if include_last_offset:
        offsets = take(b, offsets, 0, numbers(b, bags))
    begun = _add(b, fill(b, 0, _INDEX, [count]), offsets, fill(b, 1, _INDEX, [bags]))
    bag = binary(b, "sub", b.emit(f"cumsum {begun.name} over 0", _INDEX, [count]), 1)
    if padding_idx >= 0:
        is_padding = compare(b, "eq", ids, b.number(padding_idx, _INDEX), [count])
        bag = select(b, is_padding, b.number(-1, _INDEX), bag, _INDEX, [count])
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    zeros = fill(b, 0, wide, [bags, width])
    if mode == 2:
        each = b.emit(f"expand {b.shape(bag, [count, '1']).name} to [{count}, {width}]", _INDEX, [count, width])
        return b.cast(_reduced(b, zeros, each, b.cast(rows, wide), "amax", False), dtype), None, None, None
    total = _add(b, zeros, bag, b.cast(rows, wide))
    if mode == 1:
        sizes = _add(b, fill(b, 0, wide, [bags]), bag, fill(b, 1, wide, [count]))
        total = binary(b, "div", total, b.shape(binary(b, "maximum", sizes, 1), [bags, "1"]), total.shape)
    return b.cast(total, dtype), None, None, None
