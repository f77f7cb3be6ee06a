"""Ops that depend on the order of elements: sorts, running extremes, positions among sorted numbers, medians; and distances."""

from __future__ import annotations

import math
from typing import Any

import torch

from ._builder import OPS, Builder, Value, register
from ._indices import binary, factor, move, numbers, take
from ._ops import axis_of, compare, list_text, meta, select
from ._ranges import integer_range

_INDEX = torch.int64
# So many elements of a row are compared with each other rather than sorted.
_FEW = 64


@register("aten.sort.default", "aten.sort.stable")
def _sort(b: Builder, node: Any, x: Value, dim: int = -1, descending: bool = False, stable: bool = True) -> tuple[Value, Value]:
    return _ordered(b, node, x, dim, descending, None)


@register("aten.topk.default")
def _topk(
    b: Builder, node: Any, x: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Value, Value]:
    return _ordered(b, node, x, dim, largest, int(k))


def _ordered(b: Builder, node: Any, x: Value, dim: int, descending: bool, count: int | None) -> tuple[Value, Value]:
    """Values, and positions as 64-bit integers."""
    if not x.rank:
        return x, b.number(0, _INDEX)
    axis = axis_of(dim, x.rank)
    if x.dtype.itemsize <= 4:
        values, at = _sorted(b, node.name, x, axis, descending, count)
        return values, b.cast(at, _INDEX)
    if x.dtype != torch.int64:
        raise NotImplementedError(f"of elements of type {x.dtype}")
    low, high = integer_range(node.args[0])
    if -(1 << 31) <= low and high < 1 << 31:
        values, at = _sorted(b, node.name, b.cast(x, torch.int32), axis, descending, count)
        return b.cast(values, _INDEX), b.cast(at, _INDEX)
    # Sorts are of 32 bits: one of the lower bits, as numbers without sign, and then one of the upper bits, which is stable.
    lower = b.cast(binary(b, "bitwise_xor", x, 1 << 31), torch.int32)
    upper = b.cast(binary(b, "rshift", x, 32), torch.int32)
    found = lambda x, at: b.emit(f"gather {x.name}[{at.name}] over {axis}", x.dtype, at.shape, node.name)
    _, first = _sorted(b, node.name, lower, axis, descending)
    _, second = _sorted(b, node.name, found(upper, first), axis, descending, count)
    at = found(first, second)
    return found(x, at), b.cast(at, _INDEX)


def _sorted(b: Builder, name: str, x: Value, axis: int, descending: bool, count: int | None = None) -> list[Value]:
    """Values and positions, of `count` elements if it is given."""
    if count is None:
        text, shape = f"sort {x.name} over {axis}{' descending' if descending else ''}", x.shape
    else:
        text = f"topk {x.name}, {count} over {axis}{'' if descending else ' smallest'}"
        shape = (*x.shape[:axis], str(count), *x.shape[axis + 1 :])
    made = [Value(b.name(name), x.dtype, shape), Value(b.name(name + "_at"), torch.int32, shape)]
    b.add(made, text)
    return made


@register("aten.cummax.default", "aten.cummin.default")
def _running(b: Builder, node: Any, x: Value, dim: int) -> tuple[Value, Value]:
    op = "cummax" if "cummax" in str(node.target) else "cummin"
    if not x.rank:
        return x, b.number(0, _INDEX)
    axis = axis_of(dim, x.rank)
    best = b.emit(f"{op} {x.name} over {axis}", x.dtype, x.shape, node.name)
    # The position is that of the last element so far that equals the best one.
    is_best = compare(b, "eq", x, best, x.shape)
    if x.dtype.is_floating_point:
        is_nan = b.emit(f"isnan {x.name}", torch.bool, x.shape)
        is_best = b.emit(f"bitwise_or {is_best.name}, {is_nan.name}", torch.bool, x.shape)
    places = b.shape(numbers(b, x.shape[axis]), [size if other == axis else "1" for other, size in enumerate(x.shape)])
    places = select(b, is_best, places, b.number(0, _INDEX), _INDEX, x.shape)
    return best, b.emit(f"cummax {places.name} over {axis}", _INDEX, x.shape)


@register("aten.logcumsumexp.default")
def _logcumsumexp(b: Builder, node: Any, x: Value, dim: int) -> Value:
    if not x.rank:
        return x
    # Each sum has a maximum of its own: those of the first elements may be far below that of all.
    axis = axis_of(dim, x.rank)
    order = [*(other for other in range(x.rank) if other != axis), axis]
    moved = move(b, x, order)
    count, before = moved.shape[-1], [*moved.shape[:-1], "1", moved.shape[-1]]
    shape = [*moved.shape, count]
    row, column = b.shape(numbers(b, count), [count, "1"]), numbers(b, count)
    is_before = compare(b, "le", column, row, [count, count])
    parts = select(b, is_before, b.shape(moved, before), b.number(-math.inf, x.dtype), x.dtype, shape)
    total = b.emit(f"logsumexp {parts.name} over [{len(shape) - 1}]", x.dtype, moved.shape)
    return move(b, total, sorted(range(x.rank), key=order.__getitem__), node.name)


def _place(b: Builder, node: Any, ordered: Value, values: Value, right: bool) -> Value:
    """How many of ordered numbers stand before each value: those below it, or with `right` those that are not above it."""
    dtype, shape = meta(node)
    wide = torch.promote_types(ordered.dtype, values.dtype)
    values = b.cast(values, wide)
    count = ordered.shape[-1]
    ordered = b.cast(ordered, wide)
    if ordered.rank > 1:
        ordered = b.shape(ordered, [*ordered.shape[:-1], "1", count])
    values = b.shape(values, [*values.shape, "1"])
    # A value that is not a number stands after all.
    is_after = compare(b, "gt" if right else "ge", ordered, values, [*shape, count])
    is_before = b.cast(b.emit(f"logical_not {is_after.name}", torch.bool, is_after.shape), _INDEX)
    return b.cast(b.emit(f"sum {is_before.name} over [{len(shape)}]", _INDEX, shape, node.name), dtype)


@register("aten.searchsorted.Tensor", "aten.searchsorted.Scalar")
def _searchsorted(
    b: Builder, node: Any, ordered: Value, values: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Value | None = None,
) -> Value:
    if sorter is not None:
        ordered = b.emit(f"gather {ordered.name}[{sorter.name}] over {ordered.rank - 1}", ordered.dtype, ordered.shape)
    return _place(b, node, ordered, b.operand(values, ordered.dtype), side == "right" or right)


@register("aten.bucketize.Tensor", "aten.bucketize.Scalar")
def _bucketize(b: Builder, node: Any, values: Any, bounds: Value, *, out_int32: bool = False, right: bool = False) -> Value:
    return _place(b, node, bounds, b.operand(values, bounds.dtype), right)


def _ranked(b: Builder, x: Value, axis: int, rank: Value) -> tuple[Value, Value]:
    """The element of a rank along an axis, and its position; what is not a number stands last.

    Of few elements each is compared with all others, and so are those that have no sort. Others are sorted.
    """
    order = [*(other for other in range(x.rank) if other != axis), axis]
    moved = move(b, x, order)
    rows, count = list(moved.shape[:-1]), moved.shape[-1]
    if x.dtype.itemsize <= 4 and x.dtype != torch.bool and not (count.isdigit() and int(count) <= _FEW):
        values, places = _sorted(b, "t", moved, len(rows), False)
        rank = b.emit(f"expand {rank.name} to {list_text([*rows, '1'])}", _INDEX, [*rows, "1"])
        take_it = lambda y: b.shape(b.emit(f"gather {y.name}[{rank.name}] over {len(rows)}", y.dtype, rank.shape), rows)
        return take_it(values), b.cast(take_it(places), _INDEX)
    shape = [*rows, count, count]
    one, other = b.shape(moved, [*rows, count, "1"]), b.shape(moved, [*rows, "1", count])
    is_below, is_equal = compare(b, "lt", other, one, shape), compare(b, "eq", other, one, shape)
    if x.dtype.is_floating_point:
        nan = b.emit(f"isnan {moved.name}", torch.bool, moved.shape)
        nan_one, nan_other = b.shape(nan, one.shape), b.shape(nan, other.shape)
        is_number = b.emit(f"logical_not {nan_other.name}", torch.bool, nan_other.shape)
        is_below = _logic(b, "bitwise_or", is_below, _logic(b, "bitwise_and", nan_one, is_number, shape), shape)
        is_equal = _logic(b, "bitwise_or", is_equal, _logic(b, "bitwise_and", nan_one, nan_other, shape), shape)
    place = numbers(b, count)
    is_earlier = compare(b, "lt", place, b.shape(place, [count, "1"]), [count, count])
    is_before = _logic(b, "bitwise_or", is_below, _logic(b, "bitwise_and", is_equal, is_earlier, shape), shape)
    ranks = b.emit(f"sum {b.cast(is_before, _INDEX).name} over [{len(shape) - 1}]", _INDEX, moved.shape)
    is_it = b.cast(compare(b, "eq", ranks, rank, ranks.shape), torch.int32)
    at = b.cast(b.emit(f"argmax {is_it.name} over {len(rows)} keepdim", torch.int32, [*rows, "1"]), _INDEX)
    found = b.emit(f"gather {moved.name}[{at.name}] over {len(rows)}", x.dtype, at.shape)
    return b.shape(found, rows), b.shape(at, rows)


def _logic(b: Builder, op: str, x: Value, y: Value, shape: Any) -> Value:
    return b.emit(f"{op} {x.name}, {y.name}", torch.bool, shape)


@register("aten.kthvalue.default")
def _kthvalue(b: Builder, node: Any, x: Value, k: Any, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    if not x.rank:
        return x, b.number(0, _INDEX)
    rank = binary(b, "sub", b.number(k, _INDEX), 1)
    return _as_dim(b, node, *_ranked(b, x, axis_of(dim, x.rank), rank))


def _as_dim(b: Builder, node: Any, found: Value, at: Value) -> tuple[Value, Value]:
    shape = meta(node)[1]
    return b.shape(found, shape), b.shape(at, shape)


def _median_along(b: Builder, x: Value, axis: int, ignore_nan: bool) -> tuple[Value, Value]:
    """The lower of the two in the middle. With `ignore_nan` only numbers count; else one that is none is the median."""
    rest, size = [one for other, one in enumerate(x.shape) if other != axis], b.size(x.shape[axis])
    rank = binary(b, "floordiv", binary(b, "sub", size, 1), 2)
    if x.dtype.is_floating_point:
        nan = b.emit(f"isnan {x.name}", torch.bool, x.shape)
        nans = b.emit(f"sum {b.cast(nan, _INDEX).name} over [{axis}]", _INDEX, rest)
        counted = b.emit(f"sub {size.name}, {nans.name}", _INDEX, rest)
        if ignore_nan:
            rank = binary(b, "maximum", binary(b, "floordiv", binary(b, "sub", counted, 1), 2), 0)
        else:
            # The first that is not a number has the rank of how many numbers there are.
            is_number = compare(b, "eq", nans, b.number(0, _INDEX), rest)
            rank = select(b, is_number, rank, counted, _INDEX, rest)
        rank = b.shape(rank, [*rest, "1"])
    return _ranked(b, x, axis, rank)


@register("aten.median.dim", "aten.nanmedian.dim")
def _median_dim(b: Builder, node: Any, x: Value, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    if not x.rank:
        return x, b.number(0, _INDEX)
    return _as_dim(b, node, *_median_along(b, x, axis_of(dim, x.rank), "nan" in str(node.target)))


@register("aten.median.default", "aten.nanmedian.default")
def _median(b: Builder, node: Any, x: Value) -> Value:
    flat = b.shape(x, ["*".join(map(factor, x.shape)) or "1"])
    return _median_along(b, flat, 0, "nan" in str(node.target))[0]


@register("aten.tril_indices.default", "aten.triu_indices.default")
def _triangle(b: Builder, node: Any, row: Any, column: Any, offset: Any = 0, **_: Any) -> Value:
    dtype, (_, count) = meta(node)
    rows, is_lower = numbers(b, row), "tril" in str(node.target)
    diagonal = binary(b, "add", rows, b.number(offset, _INDEX))
    first = b.number(0, _INDEX) if is_lower else binary(b, "maximum", diagonal, 0)
    after = binary(b, "add", diagonal, 1) if is_lower else b.number(column, _INDEX)
    length = b.emit(f"sub {after.name}, {first.name}", _INDEX, rows.shape)
    length = binary(b, "minimum", binary(b, "maximum", length, 0), b.number(column, _INDEX))
    ends = b.emit(f"cumsum {length.name} over 0", _INDEX, rows.shape)
    places = numbers(b, count)
    is_passed = compare(b, "le", b.shape(ends, [*rows.shape, "1"]), places, [*rows.shape, count])
    at = b.emit(f"sum {b.cast(is_passed, _INDEX).name} over [0]", _INDEX, places.shape)
    begins = binary(b, "sub", binary(b, "sub", ends, length), first, rows.shape)
    columns = binary(b, "sub", places, take(b, begins, 0, at), places.shape)
    parts = [b.cast(b.shape(part, ["1", count]), dtype) for part in (at, columns)]
    return b.emit(f"concat {parts[0].name}, {parts[1].name} over 0", dtype, ["2", count], node.name)


@register("aten._cdist_forward.default")
def _cdist(b: Builder, node: Any, x: Value, y: Value, p: float, compute_mode: Any = None) -> Value:
    dtype, shape = meta(node)
    one, other = b.shape(x, [*x.shape[:-1], "1", x.shape[-1]]), b.shape(y, [*y.shape[:-2], "1", *y.shape[-2:]])
    whole = [*shape, x.shape[-1]]
    size = b.emit(f"abs {binary(b, 'sub', one, other, whole).name}", dtype, whole)
    end = f" over {list_text([len(shape)])}"
    if p == 0:
        is_set = b.cast(compare(b, "ne", size, b.number(0.0, dtype), whole), dtype)
        return b.emit(f"sum {is_set.name}{end}", dtype, shape, node.name)
    if math.isinf(p):
        return b.emit(f"max {size.name}{end}", dtype, shape, node.name)
    if p != 1:
        size = b.emit(f"square {size.name}", dtype, whole) if p == 2 else binary(b, "pow", size, b.number(p, dtype))
    total = b.emit(f"sum {size.name}{end}", dtype, shape)
    return total if p == 1 else b.emit(f"sqrt {total.name}", dtype, shape) if p == 2 else binary(b, "pow", total, b.number(1 / p, dtype))


def _shift(op: str) -> Any:
    def translate(b: Builder, node: Any, x: Any, y: Any) -> Value:
        dtype, shape = meta(node)
        return b.emit(f"{op} {b.operand(x, dtype).name}, {b.operand(y, dtype).name}", dtype, shape, node.name)

    return translate


for _op, _names in {"lshift": ("bitwise_left_shift", "__lshift__"), "rshift": ("bitwise_right_shift", "__rshift__")}.items():
    for _name in _names:
        for _overload in ("Tensor", "Scalar", "Tensor_Scalar", "Scalar_Tensor"):
            OPS[f"aten.{_name}.{_overload}"] = _shift(_op)
