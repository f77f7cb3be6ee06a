"""Ops that read or write at indices: windows, indices of several axes, padding with what is there, writes into a part."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true

from ._builder import OPS, Builder, Value, register
from ._ops import axis_of, compare, fill, list_text, meta, select
from ._sizes import Symbolic, size_text

_INDEX = torch.int64


def numbers(b: Builder, count: Any) -> Value:
    """The numbers from 0 on."""
    return b.emit("arange", _INDEX, [count], ty=True)


def binary(b: Builder, op: str, x: Value, y: Value | int, shape: Sequence[Any] | None = None) -> Value:
    """An op of a tensor and another one of its type, or a number."""
    y = y if isinstance(y, Value) else b.number(y, x.dtype)
    return b.emit(f"{op} {x.name}, {y.name}", x.dtype, shape or x.shape)


def _number(size: str) -> int:
    if not size.isdigit():
        raise NotImplementedError("where an axis has a symbolic size")
    return int(size)


def take(b: Builder, x: Value, axis: int, ids: Value, wanted: str = "t") -> Value:
    """The parts of a tensor at indices of an axis."""
    shape = [*x.shape[:axis], *ids.shape, *x.shape[axis + 1 :]]
    return b.emit(f"take {x.name}[{ids.name}] over {axis}", x.dtype, shape, wanted)


def move(b: Builder, x: Value, order: Sequence[int], wanted: str = "t") -> Value:
    """The axes in another order."""
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
        return move(b, parts, last, node.name)
    begins = b.shape(binary(b, "mul", numbers(b, count), step), [count, "1"])
    ids = binary(b, "add", begins, numbers(b, size), [count, str(size)])
    return move(b, take(b, x, axis, ids), last, node.name)


@register("aten.roll.default")
def _roll(b: Builder, node: Any, x: Value, shifts: Sequence[Any], dims: Sequence[int] = ()) -> Value:
    shape, sizes = x.shape, list(node.args[0].meta["val"].shape)
    if not dims:
        # All elements as one row.
        x, dims, sizes = b.shape(x, ["*".join(map(factor, shape)) or "1"]), [0], [math.prod(sizes)]
    for shift, dim in zip(shifts, dims, strict=True):
        axis = axis_of(dim, x.rank)
        x = _rolled(b, x, axis, shift, sizes[axis])
    return b.shape(x, shape, node.name)


def _rolled(b: Builder, x: Value, axis: int, shift: Any, size: Any) -> Value:
    """A tensor rolled along one axis: its end before its begin, or by indices where the axis may be shorter than that."""
    length = x.shape[axis]
    if isinstance(size, int) and isinstance(shift, int):
        shift = shift % size if size else 0
        cut = size - shift
    # torch takes symbols for 2 or more, which calls need not keep.
    elif isinstance(shift, int) and abs(shift) > 2 and statically_known_true(size >= abs(shift)):
        cut = f"{length} - {shift}" if shift > 0 else -shift
    else:
        ids = binary(b, "sub", numbers(b, length), b.number(shift, _INDEX))
        return take(b, x, axis, binary(b, "mod", ids, b.size(length)))
    if shift == 0:
        return x
    rest = shift if shift > 0 else f"{length} - {-shift}"
    parts = []
    for begin, end, count in ((cut, length, rest), (0, cut, cut)):
        low, high, sliced = [0] * x.rank, list(x.shape), list(x.shape)
        low[axis], high[axis], sliced[axis] = begin, end, str(count)
        parts.append(b.emit(f"slice {x.name} from {list_text(low)} to {list_text(high)}", x.dtype, sliced).name)
    return b.emit(f"concat {', '.join(parts)} over {axis}", x.dtype, x.shape)


@register("aten.index.Tensor", "aten._unsafe_index.Tensor")
def _index(b: Builder, node: Any, x: Value, indices: Sequence[Value | None]) -> Value:
    given = {axis: index for axis, index in enumerate(indices) if index is not None}
    if any(index.dtype in (torch.bool, torch.uint8) for index in given.values()):
        raise NotImplementedError("with a mask")
    axes, shape = list(given), meta(node)[1]
    is_together = axes == list(range(axes[0], axes[-1] + 1))
    if not is_together:
        # The axes of the indices come first then.
        x = move(b, x, [*axes, *(axis for axis in range(x.rank) if axis not in given)])
    first = axes[0] if is_together else 0
    rank = max(index.rank for index in given.values())
    ids_shape = [size_text(size) for size in shape[first : first + rank]]
    sizes = x.shape[first : first + len(axes)]
    ids = combined(b, list(given.values()), sizes)
    flat = b.shape(x, [*x.shape[:first], "*".join(factor(size) for size in sizes), *x.shape[first + len(axes) :]]) if len(axes) > 1 else x
    if list(ids.shape) != ids_shape:
        ids = b.emit(f"expand {ids.name} to {list_text(ids_shape)}", _INDEX, ids_shape)
    return take(b, flat, first, ids, node.name)


@register("aten.col2im.default")
def _col2im(
    b: Builder, node: Any, x: Value, size: Sequence[int], window: Sequence[int], dilation: Sequence[int], padding: Sequence[int],
    stride: Sequence[int],
) -> Value:
    """Windows that are added where they overlap (`fold`): each result takes the elements that lie on it.

    Positions on an axis are those of all windows, element by element, and outside of them where nothing lies on a result.
    """
    shape = meta(node)[1]
    rest, sizes = list(shape[:-2]), [_number(one) for one in shape[-2:]]
    given = list(zip(sizes, window, dilation, padding, stride, strict=True))
    counts = [(whole + 2 * pad - step * (extent - 1) - 1) // apart + 1 for whole, extent, step, pad, apart in given]
    columns = [extent * count for extent, count in zip(window, counts)]
    parts = b.shape(x, [*rest, *map(str, window), *map(str, counts)])
    first = len(rest)
    parts = move(b, parts, [*range(first), first, first + 2, first + 1, first + 3])
    parts = b.shape(parts, [*rest, str(math.prod(columns))])
    found = [_overlaps(b, *one, count, math.prod(columns)) for one, count in zip(given, counts)]
    (rows, row_steps), (cols, col_steps) = found
    rows = b.shape(binary(b, "mul", rows, columns[1]), [rows.shape[0], "1", row_steps, "1"])
    cols = b.shape(cols, ["1", cols.shape[0], "1", col_steps])
    ids = binary(b, "add", rows, cols, [rows.shape[0], cols.shape[1], row_steps, col_steps])
    taken = take(b, parts, first, ids)
    return b.emit(f"sum {taken.name} over [{first + 2}, {first + 3}]", x.dtype, shape, node.name)


def _overlaps(
    b: Builder, size: int, window: int, dilation: int, pad: int, stride: int, count: int, outside: int
) -> tuple[Value, str]:
    """For each position of an axis the elements of windows that lie on it, as numbers of `window x count`, and how many."""
    steps = -(-window // stride) if dilation == 1 else window
    place = binary(b, "add", b.shape(numbers(b, str(size)), [str(size), "1"]), pad)
    step, shape = numbers(b, str(steps)), [str(size), str(steps)]
    if dilation == 1:
        # The windows that begin at or before it, and the element that it is of each.
        which = binary(b, "sub", binary(b, "floordiv", place, stride), step, shape)
        element = binary(b, "sub", place, binary(b, "mul", which, stride), shape)
        wrong = compare(b, "ge", element, b.number(window, _INDEX), shape)
    else:
        begin, element = binary(b, "sub", place, binary(b, "mul", step, dilation), shape), step
        which = binary(b, "floordiv", begin, stride)
        wrong = compare(b, "ne", binary(b, "mul", which, stride), begin, shape)
    for sign, bound in (("lt", 0), ("ge", count)):
        outer = compare(b, sign, which, b.number(bound, _INDEX), shape)
        wrong = b.emit(f"bitwise_or {wrong.name}, {outer.name}", torch.bool, shape)
    at = binary(b, "add", binary(b, "mul", element, count), which, shape)
    return select(b, wrong, b.number(-outside, _INDEX), at, _INDEX, shape), str(steps)


def combined(b: Builder, indices: Sequence[Value], sizes: Sequence[str]) -> Value:
    """Indices of several axes as those of one axis of all their elements. Negative ones are counted from the end."""
    ids = None
    for index, size in zip(indices, sizes):
        index = b.cast(index, _INDEX)
        below = b.emit(f"lt {index.name}, {b.number(0, _INDEX).name}", torch.bool, index.shape)
        wrapped = binary(b, "add", index, b.size(size))
        index = b.emit(f"where {below.name}, {wrapped.name}, {index.name}", _INDEX, index.shape)
        ids = index if ids is None else binary(b, "add", binary(b, "mul", ids, b.size(size)), index, broadcast(ids.shape, index.shape))
    return ids


def factor(size: str) -> str:
    """A size as a factor of a product."""
    return f"({size})" if " " in size else size


def broadcast(x: Sequence[str], y: Sequence[str]) -> list[str]:
    """The sizes that two tensors have when one of each pair of sizes that differ is 1."""
    rank = max(len(x), len(y))
    pairs = zip(["1"] * (rank - len(x)) + list(x), ["1"] * (rank - len(y)) + list(y))
    return [other if one == "1" else one for one, other in pairs]


def _padded(at: Callable[[Builder, Value, Value], Value]) -> Callable[..., Value]:
    """Padding with elements of the tensor: `at` has the index that one before or after an axis reads."""

    def translate(b: Builder, node: Any, x: Value, padding: Sequence[int]) -> Value:
        shape = meta(node)[1]
        for place in range(len(padding) // 2):
            axis, low = x.rank - 1 - place, padding[2 * place]
            if (low, padding[2 * place + 1]) != (0, 0):
                ids = binary(b, "sub", numbers(b, shape[axis]), low)
                x = take(b, x, axis, at(b, ids, b.size(x.shape[axis])))
        return x

    return translate


def _reflected(b: Builder, ids: Value, size: Value) -> Value:
    """The index is counted from the ends: |i| below, and 2(size - 1) - i after."""
    ids = b.emit(f"abs {ids.name}", _INDEX, ids.shape)
    last = binary(b, "sub", size, 1)
    far = b.emit(f"sub {binary(b, 'mul', last, 2).name}, {ids.name}", _INDEX, ids.shape)
    return binary(b, "minimum", ids, far)


def _replicated(b: Builder, ids: Value, size: Value) -> Value:
    return binary(b, "minimum", binary(b, "maximum", ids, 0), binary(b, "sub", size, 1))


for _rank in (1, 2, 3):
    OPS[f"aten.reflection_pad{_rank}d.default"] = _padded(_reflected)
    OPS[f"aten.replication_pad{_rank}d.default"] = _padded(_replicated)


@register("aten.slice_scatter.default")
def _slice_scatter(b, node, x, part, dim=0, start=None, end=None, step=1) -> Value:
    axis = axis_of(dim, x.rank)
    end = None if isinstance(end, int) and end >= 1 << 60 else end
    if not x.shape[axis].isdigit() or step != 1 or any(isinstance(bound, Symbolic) for bound in (start, end)):
        return _written(b, node, x, part, axis, start, end, step)
    first, after, _ = slice(start, end).indices(int(x.shape[axis]))
    return _joined(b, node, x, part, axis, first, max(first, after))


def _written(b: Builder, node: Any, x: Value, part: Value, axis: int, start: Any, end: Any, step: int) -> Value:
    """A part written where an index lies between bounds: those, or the size of the axis, are known when it runs."""
    size = b.size(x.shape[axis])

    def bound(value: Any) -> Value:
        # Negative bounds are counted from the end, and those beyond the axis are its ends.
        number = b.number(value, _INDEX)
        below = compare(b, "lt", number, b.number(0, _INDEX), ())
        number = select(b, below, binary(b, "add", number, size), number, _INDEX, ())
        return binary(b, "minimum", binary(b, "maximum", number, 0), size)

    places, first = numbers(b, x.shape[axis]), bound(0 if start is None else start)
    after = size if end is None else bound(end)
    offset = binary(b, "sub", places, first)
    is_inside = _both(b, compare(b, "ge", places, first, places.shape), compare(b, "lt", places, after, places.shape))
    if step != 1:
        left = binary(b, "mod", offset, step)
        is_inside = _both(b, is_inside, compare(b, "eq", left, b.number(0, _INDEX), left.shape))
        offset = binary(b, "floordiv", offset, step)
    is_inside = b.shape(is_inside, [x.shape[axis] if other == axis else "1" for other in range(x.rank)])
    part = take(b, b.cast(part, x.dtype), axis, offset)
    return select(b, is_inside, part, x, x.dtype, x.shape, node.name)


def _both(b: Builder, x: Value, y: Value) -> Value:
    return b.emit(f"bitwise_and {x.name}, {y.name}", torch.bool, x.shape)


@register("aten.select_scatter.default")
def _select_scatter(b: Builder, node: Any, x: Value, part: Value, dim: int, index: int) -> Value:
    axis = axis_of(dim, x.rank)
    if isinstance(index, Symbolic) or not x.shape[axis].isdigit():
        number = b.number(index, _INDEX)
        below = compare(b, "lt", number, b.number(0, _INDEX), ())
        number = select(b, below, binary(b, "add", number, b.size(x.shape[axis])), number, _INDEX, ())
        places = b.shape(numbers(b, x.shape[axis]), [x.shape[axis] if other == axis else "1" for other in range(x.rank)])
        part = b.shape(b.cast(part, x.dtype), [*part.shape[:axis], "1", *part.shape[axis:]])
        return select(b, compare(b, "eq", places, number, places.shape), part, x, x.dtype, x.shape, node.name)
    index += int(x.shape[axis]) if index < 0 else 0
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


@register("aten.diagonal.default")
def _diagonal(b: Builder, node: Any, x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    one, other = axis_of(dim1, x.rank), axis_of(dim2, x.rank)
    x = move(b, x, [*(axis for axis in range(x.rank) if axis not in (one, other)), one, other])
    count, (rows, columns) = meta(node)[1][-1], x.shape[-2:]
    width = b.size(columns)
    first = b.number(offset, _INDEX) if offset >= 0 else binary(b, "mul", width, -offset)
    ids = binary(b, "mul", numbers(b, count), binary(b, "add", width, 1))
    flat = b.shape(x, [*x.shape[:-2], f"{factor(rows)}*{factor(columns)}"])
    return take(b, flat, x.rank - 2, binary(b, "add", ids, first), node.name)


@register("aten.fill.Scalar", "aten.empty.memory_format", "aten.new_empty.default", "aten.empty_like.default", "aten.empty_permuted.default")
def _filled(b: Builder, node: Any, *given: Any, **_: Any) -> Value:
    dtype, shape = meta(node)
    return fill(b, given[1] if "fill" in str(node.target) else 0, dtype, shape, node.name)


@register("aten.copy.default")
def _copy(b: Builder, node: Any, x: Value, source: Value, *_: Any) -> Value:
    source = b.cast(source, x.dtype)
    return source if source.shape == x.shape else b.emit(f"expand {source.name} to {list_text(x.shape)}", x.dtype, x.shape, node.name)
