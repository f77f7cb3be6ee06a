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


def used(node: Any, place: int) -> bool:
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
    return _Batch(b, x).results(node, x.dtype, weight, bias, eps)


@register("aten._native_batch_norm_legit_functional.default")
def _batch_norm_in_training(b, node, x, weight, bias, mean, variance, training, momentum, eps) -> tuple[Any, ...]:
    if not training:
        raise NotImplementedError("with the statistics that it is given")
    batch = _Batch(b, x)
    results = batch.results(node, x.dtype, weight, bias, eps)
    # Nothing reads the new statistics, so they are computed at the end, those of all norms together.
    with b.at_end():
        share = b.number(momentum, mean.dtype)
        pairs = (mean, batch.mean), (variance, batch.unbiased())
        updated = [b.emit(f"lerp {old.name}, {b.cast(new, old.dtype).name}, {share.name}", old.dtype, old.shape) for old, new in pairs]
    return *results, *updated


class _Batch:
    """The statistics of the channels of a batch. What is normalized and what updates running statistics share them."""

    def __init__(self, b: Builder, x: Value) -> None:
        self.b, self.x = b, b.cast(x, _wide(x.dtype))
        axes = [axis for axis in range(x.rank) if axis != 1]
        sizes = [x.shape[axis] for axis in axes]
        end = f" over {list_text(axes)}"
        self.mean = b.emit(f"mean {self.x.name}{end}", self.x.dtype, [x.shape[1]])
        self.variance = b.emit(f"var {self.x.name}{end} correction 0.0", self.x.dtype, [x.shape[1]])
        self.count = math.prod(map(int, sizes)) if all(size.isdigit() for size in sizes) else None
        self.end = end

    def unbiased(self) -> Value:
        """The variance of what the batch is a sample of."""
        if self.count == 1:
            return self.variance
        if self.count is None:
            return self.b.emit(f"var {self.x.name}{self.end} correction 1.0", self.x.dtype, self.variance.shape)
        factor = self.b.number(self.count / (self.count - 1), self.variance.dtype)
        return self.b.emit(f"mul {self.variance.name}, {factor.name}", self.variance.dtype, self.variance.shape)

    def results(self, node: Any, dtype: torch.dtype, weight: Value | None, bias: Value | None, eps: float) -> tuple[Any, ...]:
        """The batch normalized, the mean, and one over the deviation."""
        b, x, wide = self.b, self.x, self.x.dtype
        scale = b.emit(f"add {self.variance.name}, {b.number(eps, wide).name}", wide, self.variance.shape)
        deviation = scale = b.emit(f"rsqrt {scale.name}", wide, scale.shape)
        if weight is not None:
            scale = b.emit(f"mul {scale.name}, {b.cast(weight, wide).name}", wide, scale.shape)
        y = x
        for op, value in (("sub", self.mean), ("mul", scale), ("add", bias)):
            if value is not None:
                value = b.shape(b.cast(value, wide), [size if axis == 1 else "1" for axis, size in enumerate(x.shape)])
                y = b.emit(f"{op} {y.name}, {value.name}", wide, x.shape)
        return b.cast(y, dtype), self.mean, deviation
