"""Elementwise functions that are computed by several ops."""

from __future__ import annotations

import math
from typing import Any

import torch

from ._builder import Builder, Value, register
from ._indices import binary, broadcast
from ._ops import compare, list_text, meta, select


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


def _unary(b: Builder, op: str, x: Value, dtype: torch.dtype | None = None) -> Value:
    return b.emit(f"{op} {x.name}", dtype or x.dtype, x.shape)


def _pair(b: Builder, node: Any, x: Value, y: Value) -> tuple[torch.dtype, Any, Value, Value]:
    """The type in which a function of two is computed, its sizes, and both operands in that type."""
    dtype, shape = meta(node)
    wide = _wide(dtype)
    return wide, shape, b.cast(x, wide), b.cast(y, wide)


def _is_negative(b: Builder, x: Value) -> Value:
    """Whether a float has its sign set, as -0.0 has too."""
    sign = b.emit(f"copysign {b.number(1.0, x.dtype).name}, {x.name}", x.dtype, x.shape)
    return compare(b, "lt", sign, b.number(0.0, x.dtype), x.shape)


@register("aten.signbit.default")
def _signbit(b: Builder, node: Any, x: Value) -> Value:
    if x.dtype.is_floating_point:
        return _is_negative(b, x)
    x = b.cast(x, torch.int32) if x.dtype == torch.bool else x
    return compare(b, "lt", x, b.number(0, x.dtype), x.shape)


@register("aten.sign.default")
def _sign(b: Builder, node: Any, x: Value) -> Value:
    # torch gives 0 for what is not a number, dlc's own `sign` keeps it.
    dtype, shape = meta(node)
    x = b.cast(x, dtype)
    if not dtype.is_floating_point:
        return b.emit(f"sign {x.name}", dtype, shape, node.name)
    zero, one, less = (b.number(value, dtype) for value in (0.0, 1.0, -1.0))
    below = select(b, compare(b, "lt", x, zero, shape), less, zero, dtype, shape)
    return select(b, compare(b, "gt", x, zero, shape), one, below, dtype, shape)


@register("aten.atan2.default")
def _atan2(b: Builder, node: Any, y: Value, x: Value) -> Value:
    wide, shape, y, x = _pair(b, node, y, x)
    zero = b.number(0.0, wide)
    # A zero without its sign: a quotient by -0.0 would be below zero.
    size = lambda value: select(b, compare(b, "eq", value, zero, value.shape), zero, _unary(b, "abs", value), wide, value.shape)
    rise, run = size(y), size(x)
    # Equal sizes are those of a diagonal, also where both are infinite, or no angle where both are zero.
    is_zero = compare(b, "eq", rise, b.number(0.0, wide), y.shape)
    diagonal = select(b, is_zero, b.number(0.0, wide), b.number(1.0, wide), wide, y.shape)
    quotient = binary(b, "div", rise, run, shape)
    slope = select(b, compare(b, "eq", rise, run, shape), diagonal, quotient, wide, shape)
    angle = _unary(b, "atan", slope)
    back = b.emit(f"sub {b.number(math.pi, wide).name}, {angle.name}", wide, shape)
    angle = select(b, _is_negative(b, x), back, angle, wide, shape)
    return b.cast(b.emit(f"copysign {angle.name}, {y.name}", wide, shape, node.name), meta(node)[0])


@register("aten.hypot.default")
def _hypot(b: Builder, node: Any, x: Value, y: Value) -> Value:
    # The larger one times the root of 1 + the square of a quotient: squares of both may overflow.
    wide, shape, x, y = _pair(b, node, x, y)
    x, y = _unary(b, "abs", x), _unary(b, "abs", y)
    large, small = binary(b, "maximum", x, y, shape), binary(b, "minimum", x, y, shape)
    is_zero = compare(b, "eq", large, b.number(0.0, wide), shape)
    quotient = binary(b, "div", small, select(b, is_zero, b.number(1.0, wide), large, wide, shape))
    root = _unary(b, "sqrt", binary(b, "add", _unary(b, "square", quotient), 1.0))
    length = binary(b, "mul", large, root)
    for side in (x, y):
        is_infinite = _unary(b, "isinf", side, torch.bool)
        length = select(b, is_infinite, b.number(math.inf, wide), length, wide, shape)
    return b.cast(length, meta(node)[0])


@register("aten.fmax.default", "aten.fmin.default")
def _fmax(b: Builder, node: Any, x: Value, y: Value) -> Value:
    dtype, shape = meta(node)
    x, y = b.cast(x, dtype), b.cast(y, dtype)
    best = binary(b, "maximum" if "fmax" in str(node.target) else "minimum", x, y, shape)
    if not dtype.is_floating_point:
        return best
    best = select(b, _unary(b, "isnan", y, torch.bool), x, best, dtype, shape)
    return select(b, _unary(b, "isnan", x, torch.bool), y, best, dtype, shape)


@register("aten.round.decimals")
def _round(b: Builder, node: Any, x: Value, *, decimals: int = 0) -> Value:
    dtype = meta(node)[0]
    if not dtype.is_floating_point:
        raise NotImplementedError("of integers")
    power = b.number(float(10 ** abs(decimals)), dtype)
    there, back = ("mul", "div") if decimals > 0 else ("div", "mul")
    scaled = x if decimals == 0 else binary(b, there, x, power)
    rounded = _unary(b, "round", scaled)
    return rounded if decimals == 0 else binary(b, back, rounded, power)


# The coefficients of a Chebyshev series for log(erfc(z)*exp(z*z)/t) in 4*t - 2, where t = 2/(2 + z) (Numerical Recipes, 3rd
# edition, 6.2.2), summed by Clenshaw's recurrence.
_ERFC = (
    -1.3026537197817094, 6.4196979235649026e-1, 1.9476473204185836e-2, -9.561514786808631e-3, -9.46595344482036e-4,
    3.66839497852761e-4, 4.2523324806907e-5, -2.0278578112534e-5, -1.624290004647e-6, 1.303655835580e-6, 1.5626441722e-8,
    -8.5238095915e-8, 6.529054439e-9, 5.059343495e-9, -9.91364156e-10, -2.27365122e-10, 9.6467911e-11, 2.394038e-12,
    -6.886027e-12, 8.94487e-13, 3.13092e-13, -1.12708e-13, 3.81e-16, 7.106e-15, -1.523e-15, -9.4e-17, 1.21e-16, -2.8e-17,
)


@register("aten.erfc.default", "aten.special_erfc.default")
def _erfc(b: Builder, node: Any, x: Value) -> Value:
    # 1 - erf(x) has no digits left for large x.
    dtype = meta(node)[0]
    wide = _wide(dtype)
    x = b.cast(x, wide)
    size = binary(b, "minimum", _unary(b, "abs", x), 30.0)  # beyond it the result is zero
    t = b.emit(f"div {b.number(2.0, wide).name}, {binary(b, 'add', size, 2.0).name}", wide, x.shape)
    y = binary(b, "sub", binary(b, "mul", t, 4.0), 2.0)
    d = b.number(0.0, wide)
    last = b.number(0.0, wide)
    for coefficient in reversed(_ERFC[1:]):
        term = binary(b, "sub", binary(b, "mul", y, d), last)
        d, last = binary(b, "add", term, coefficient), d
    total = binary(b, "mul", binary(b, "add", binary(b, "mul", y, d), _ERFC[0]), 0.5)
    total = binary(b, "sub", total, last)
    # exp(-z*z) in two factors: the square of the first digits of z is exact, and what is left of z*z is small.
    first = b.cast(b.cast(size, torch.bfloat16), wide)
    left = binary(b, "mul", binary(b, "sub", first, size), binary(b, "add", first, size))
    power = _unary(b, "exp", _unary(b, "neg", _unary(b, "square", first)))
    above = binary(b, "mul", binary(b, "mul", t, power), _unary(b, "exp", binary(b, "add", left, total)))
    below = b.emit(f"sub {b.number(2.0, wide).name}, {above.name}", wide, x.shape)
    y = select(b, compare(b, "ge", x, b.number(0.0, wide), x.shape), above, below, wide, x.shape)
    return b.cast(y, dtype)



@register("aten._trilinear.default")
def _trilinear(b, node, x, y, z, expand1, expand2, expand3, sumdim, unroll_dim=1) -> Value:
    dtype, shape = meta(node)
    wide, rank, product = _wide(dtype), x.rank + len(expand1), None
    for value, axes in ((x, expand1), (y, expand2), (z, expand3)):
        sizes = iter(value.shape)
        part = b.shape(b.cast(value, wide), ["1" if axis in axes else next(sizes) for axis in range(rank)])
        product = part if product is None else binary(b, "mul", product, part, broadcast(product.shape, part.shape))
    return b.cast(b.emit(f"sum {product.name} over {list_text(sorted(sumdim))}", wide, shape, node.name), dtype)
