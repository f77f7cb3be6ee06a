"""Norms of vectors, and norms whose statistics are results: those of batches in training."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import torch

from ._builder import Builder, Value, float_text, register
from ._ops import axis_of, list_text, meta


def _axes(dim: Any, rank: int) -> list[int]:
    dims = [dim] if isinstance(dim, int) else list(range(rank)) if dim is None or not len(dim) else list(dim)
    return sorted(axis_of(axis, rank) for axis in dims)


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


def _used(node: Any, place: int) -> bool:
    """Whether one of several results is used."""
    return any(user.target is operator.getitem and user.args[1] == place and user.users for user in node.users)


@register("aten.linalg_vector_norm.default")
def _vector_norm(b: Builder, node: Any, x: Value, order: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Value:
    result, shape = meta(node)
    wide, end = _wide(result), f" over {list_text(_axes(dim, x.rank))}" + (" keepdim" if keepdim else "")
    x = b.cast(x, wide)
    if order == 2:
        square = b.emit(f"square {x.name}", wide, x.shape)
        total = b.emit(f"sum {square.name}{end}", wide, shape)
        return b.cast(b.emit(f"sqrt {total.name}", wide, shape, node.name), result)
    if order == 0:
        is_set = b.cast(b.emit(f"ne {x.name}, {b.number(0.0, wide).name}", torch.bool, x.shape), wide)
        return b.cast(b.emit(f"sum {is_set.name}{end}", wide, shape, node.name), result)
    size = b.emit(f"abs {x.name}", wide, x.shape)
    if math.isinf(order):
        return b.cast(b.emit(f"{'max' if order > 0 else 'min'} {size.name}{end}", wide, shape, node.name), result)
    if order != 1:
        size = b.emit(f"pow {size.name}, {b.number(order, wide).name}", wide, x.shape)
    total = b.emit(f"sum {size.name}{end}", wide, shape)
    if order != 1:
        total = b.emit(f"pow {total.name}, {b.number(1 / order, wide).name}", wide, shape)
    return b.cast(total, result)


@register("aten.var_mean.correction")
def _var_mean(b: Builder, node: Any, x: Value, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> tuple[Value, Value]:
    dtype, shape = meta(node)
    end = f" over {list_text(_axes(dim, x.rank))}" + (" keepdim" if keepdim else "")
    correction = float(1 if correction is None else correction)
    return b.emit(f"var {x.name}{end} correction {float_text(correction)}", dtype, shape, node.name), b.emit(f"mean {x.name}{end}", dtype, shape)


@register("aten._native_batch_norm_legit.no_stats")
def _batch_norm_without_stats(b, node, x, weight, bias, training, momentum, eps) -> tuple[Any, ...]:
    return _of_batch(b, node, x, weight, bias, eps)


@register("aten._native_batch_norm_legit_functional.default")
def _batch_norm_in_training(b, node, x, weight, bias, mean, variance, training, momentum, eps) -> tuple[Any, ...]:
    if not training:
        raise NotImplementedError("with the statistics that it is given")
    y, own_mean, deviation = _of_batch(b, node, x, weight, bias, eps)
    dtype, axes = mean.dtype, [axis for axis in range(x.rank) if axis != 1]
    count = math.prod(_number(x.shape[axis]) for axis in axes)
    wide = b.cast(x, dtype)
    of_batch = b.emit(f"mean {wide.name} over {list_text(axes)}", dtype, mean.shape)
    unbiased = b.emit(f"var {wide.name} over {list_text(axes)} correction {1.0 if count > 1 else 0.0}", dtype, mean.shape)
    share = b.number(momentum, dtype)
    results = [b.emit(f"lerp {old.name}, {new.name}, {share.name}", dtype, old.shape) for old, new in ((mean, of_batch), (variance, unbiased))]
    return y, own_mean, deviation, *results


def _number(size: str) -> int:
    """A size; one that is a symbol is more than one."""
    return int(size) if size.isdigit() else 2


def _of_batch(b: Builder, node: Any, x: Value, weight: Value | None, bias: Value | None, eps: float) -> tuple[Any, ...]:
    """A batch normalized by its own mean and variance, the mean, and one over the deviation."""
    axes, wide = [axis for axis in range(x.rank) if axis != 1], _wide(x.dtype)
    given, x = x.dtype, b.cast(x, wide)
    y = b.emit(f"layer_norm {x.name} over {list_text(axes)} eps {float_text(eps)}", wide, x.shape)
    for op, value in (("mul", weight), ("add", bias)):
        if value is not None:
            value = b.shape(b.cast(value, wide), [size if axis == 1 else "1" for axis, size in enumerate(x.shape)])
            y = b.emit(f"{op} {y.name}, {value.name}", wide, x.shape)
    return b.cast(y, given), _statistic(b, node, x, 1, axes, eps), _statistic(b, node, x, 2, axes, eps)


def _statistic(b: Builder, node: Any, x: Value, place: int, axes: Sequence[int], eps: float) -> Value | None:
    """The mean, or one over the deviation, where it is used."""
    if not _used(node, place):
        return None
    shape = node.meta["val"][place].shape
    if place == 1:
        return b.emit(f"mean {x.name} over {list_text(axes)}", x.dtype, shape)
    variance = b.emit(f"var {x.name} over {list_text(axes)} correction 0.0", x.dtype, shape)
    variance = b.emit(f"add {variance.name}, {b.number(eps, x.dtype).name}", x.dtype, shape)
    return b.emit(f"rsqrt {variance.name}", x.dtype, shape)
