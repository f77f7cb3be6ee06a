"""The translations of ops: core ATen, and the ops that the layer `frontend` has itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true

from ._builder import Builder, OPS, Translation, Value, convolution_flags, float_text, is_exact, number_text, product_flags, register
from ._sizes import Symbolic, size_text


def meta(node: Any, place: int = 0) -> tuple[torch.dtype, tuple[str, ...]]:
    """The type and the sizes of what a node gives, or of one of several results."""
    value = node.meta["val"]
    value = value[place] if isinstance(value, (tuple, list)) else value
    return value.dtype, tuple(map(size_text, value.shape))


def axis_of(axis: int, rank: int) -> int:
    """An axis, which may be counted from the last one, as its number."""
    return axis + rank if axis < 0 else axis


def list_text(values: Sequence[Any], count: int | None = None) -> str:
    """Sizes as a list. With `count` they are numbers of Python, and one of them stands for so many."""
    values = list(values)
    if count is not None:
        values = list(map(int, values))
    if count is not None and len(values) == 1:
        values *= count
    return f"[{', '.join(map(size_text, values))}]"


# --- Elementwise ops --------------------------------------------------------------------------------------------------

_UNARY = {
    name: name for name in (
        "exp exp2 log log2 log10 sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf "
        "sigmoid silu hardswish mish neg abs square relu relu6 floor ceil trunc round bitwise_not hardsigmoid selu"
    ).split()
} | {"log_sigmoid": "logsigmoid"}
_PREDICATES = ["isnan", "isinf", "isfinite", "logical_not"]
_COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
_BINARY = {
    "mul": "mul", "maximum": "maximum", "minimum": "minimum", "remainder": "mod", "fmod": "fmod", "pow": "pow",
    "floor_divide": "floordiv", "copysign": "copysign", "logaddexp": "logaddexp", "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor", "logical_and": "bitwise_and",
    "logical_or": "bitwise_or", "logical_xor": "bitwise_xor",
}


def _unary(op: str) -> Translation:
    def translate(b: Builder, node: Any, x: Value) -> Value:
        dtype, shape = meta(node)
        return b.emit(f"{op} {b.cast(x, dtype).name}", dtype, shape, node.name)

    return translate


def _predicate(op: str) -> Translation:
    return lambda b, node, x: b.emit(f"{op} {x.name}", torch.bool, x.shape, node.name)


def _binary(op: str) -> Translation:
    def translate(b: Builder, node: Any, x: Any, y: Any) -> Value:
        dtype, shape = meta(node)
        return b.emit(f"{op} {b.operand(x, dtype).name}, {b.operand(y, dtype).name}", dtype, shape, node.name)

    return translate


def _comparison(op: str) -> Translation:
    def translate(b: Builder, node: Any, x: Value, y: Any) -> Value:
        dtype = torch.result_type(torch.empty((1,) * x.rank, dtype=x.dtype), _like(y))
        return b.emit(f"{op} {b.operand(x, dtype).name}, {b.operand(y, dtype).name}", torch.bool, meta(node)[1], node.name)

    return translate


def _like(value: Any) -> Any:
    if isinstance(value, Symbolic):
        return 1.0 if value.is_float else 1
    return torch.empty((1,) * value.rank, dtype=value.dtype) if isinstance(value, Value) else value


for _name, _op in _UNARY.items():
    OPS[f"aten.{_name}.default"] = _unary(_op)
for _name in _PREDICATES:
    OPS[f"aten.{_name}.default"] = _predicate(_name)
for _name, _op in _BINARY.items():
    for _overload in ("Tensor", "Scalar", "default", "Tensor_Tensor", "Tensor_Scalar", "Scalar_Tensor"):
        OPS[f"aten.{_name}.{_overload}"] = _binary(_op)
for _name in _COMPARISONS:
    OPS[f"aten.{_name}.Tensor"] = OPS[f"aten.{_name}.Scalar"] = _comparison(_name)
for _name in ("clone", "alias", "detach", "contiguous", "lift_fresh_copy", "lift_fresh"):
    OPS[f"aten.{_name}.default"] = lambda b, node, x, **_: x


@register("aten.pow.Tensor_Scalar")
def _pow(b: Builder, node: Any, x: Value, exponent: Any) -> Value:
    op = None if isinstance(exponent, Symbolic) else {2: "square", 0.5: "sqrt", -0.5: "rsqrt", -1: "reciprocal"}.get(exponent)
    return _unary(op)(b, node, x) if op else _binary("pow")(b, node, x, exponent)


@register("aten.add.Tensor", "aten.add.Scalar", "aten.sub.Tensor", "aten.sub.Scalar", "aten.rsub.Scalar", "aten.rsub.Tensor")
def _sum(b: Builder, node: Any, x: Any, y: Any, alpha: Any = 1) -> Value:
    op = "add" if ".add." in str(node.target) else "sub"
    dtype, shape = meta(node)
    x, y = (y, x) if "rsub" in str(node.target) else (x, y)
    right = b.operand(y, dtype)
    if alpha != 1:
        right = b.emit(f"mul {right.name}, {b.number(alpha, dtype).name}", dtype, right.shape)
    return b.emit(f"{op} {b.operand(x, dtype).name}, {right.name}", dtype, shape, node.name)


@register("aten.div.Tensor", "aten.div.Scalar", "aten.div.Tensor_mode", "aten.div.Scalar_mode")
def _div(b: Builder, node: Any, x: Value, y: Any, rounding_mode: str | None = None) -> Value:
    return _binary({None: "div", "floor": "floordiv", "trunc": "truncdiv"}[rounding_mode])(b, node, x, y)


@register("aten._to_copy.default", "aten.to.dtype")
def _to(b: Builder, node: Any, x: Value, *_: Any, **__: Any) -> Value:
    return b.cast(x, meta(node)[0])


@register("aten.where.self", "aten.where.ScalarOther", "aten.where.ScalarSelf")
def _where(b: Builder, node: Any, condition: Value, x: Any, y: Any) -> Value:
    dtype, shape = meta(node)
    names = f"{condition.name}, {b.operand(x, dtype).name}, {b.operand(y, dtype).name}"
    return b.emit(f"where {names}", dtype, shape, node.name)


@register("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def _masked_fill(b: Builder, node: Any, x: Value, mask: Value, value: Any) -> Value:
    return _where(b, node, mask, value, x)


@register("aten.clamp.Tensor")
def _clamp_between(b: Builder, node: Any, x: Value, low: Value | None = None, high: Value | None = None) -> Value:
    dtype, shape = meta(node)
    x = b.cast(x, dtype)
    for op, bound in (("maximum", low), ("minimum", high)):
        x = x if bound is None else b.emit(f"{op} {x.name}, {b.operand(bound, dtype).name}", dtype, shape, node.name)
    return x


@register("aten.clamp.default", "aten.hardtanh.default", "aten.clamp_min.default")
def _clamp(b: Builder, node: Any, x: Value, low: Any = None, high: Any = None, **named: Any) -> Value:
    low, high = named.get("min", low), named.get("max", high)
    if "hardtanh" in str(node.target):
        low, high = (-1.0 if low is None else low), (1.0 if high is None else high)
    dtype, shape = meta(node)
    if not dtype.is_floating_point or any(isinstance(bound, Symbolic) for bound in (low, high)):
        # Attributes are 64-bit floats, which do not hold all integers.
        return _clamp_between(b, node, x, *(None if bound is None else b.number(bound, dtype) for bound in (low, high)))
    bounds = [f" {word} {float_text(bound)}" for word, bound in (("min", low), ("max", high)) if bound is not None]
    return b.emit(f"clamp {b.cast(x, dtype).name}{''.join(bounds)}", dtype, shape, node.name)


def _with(op: str, **words: float) -> Translation:
    """An op of one operand with numbers after it, in the order of their words; the values here are the defaults."""

    def translate(b: Builder, node: Any, x: Value, *given: Any, **named: Any) -> Value:
        dtype, shape = meta(node)
        values = dict(words) | dict(zip(words, given)) | {{"negative_slope": "slope"}.get(k, k): v for k, v in named.items()}
        text = "".join(f" {word} {float_text(values[word])}" for word in words)
        return b.emit(f"{op} {b.cast(x, dtype).name}{text}", dtype, shape, node.name)

    return translate


OPS["aten.leaky_relu.default"] = _with("leaky_relu", slope=0.01)
OPS["aten.celu.default"] = _with("celu", alpha=1.0)


@register("aten.softplus.default")
def _softplus(b: Builder, node: Any, x: Value, beta: float = 1.0, threshold: float = 20.0) -> Value:
    y = _with("softplus", beta=1.0)(b, node, x, beta)
    x = b.cast(x, y.dtype)
    wide = torch.float64 if y.dtype == torch.float64 else torch.float32
    if threshold >= (35 if y.dtype == torch.float64 else 17):
        return y  # above it both round to the same number
    scaled = b.emit(f"mul {b.cast(x, wide).name}, {b.number(beta, wide).name}", wide, x.shape)
    is_above = b.emit(f"gt {scaled.name}, {b.number(threshold, wide).name}", torch.bool, x.shape)
    return b.emit(f"where {is_above.name}, {x.name}, {y.name}", y.dtype, y.shape, node.name)


@register("aten.elu.default")
def _elu(b: Builder, node: Any, x: Value, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Value:
    if input_scale != 1.0:
        raise NotImplementedError("with a scale of the exponent")
    y = _with("elu", alpha=1.0)(b, node, x, alpha)
    return y if scale == 1.0 else b.emit(f"mul {y.name}, {b.number(scale, y.dtype).name}", y.dtype, y.shape, node.name)


@register("aten.log1p.default")
def _log1p(b: Builder, node: Any, x: Value) -> Value:
    # With what the addition rounds away put back (W. Kahan): log(u) - ((u - 1) - x)/u where u = 1 + x.
    dtype, shape = meta(node)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    one, x = b.number(1.0, wide), b.cast(x, wide)
    u = b.emit(f"add {x.name}, {one.name}", wide, shape)
    lost = b.emit(f"sub {u.name}, {one.name}", wide, shape)
    lost = b.emit(f"sub {lost.name}, {x.name}", wide, shape)
    lost = b.emit(f"div {lost.name}, {u.name}", wide, shape)
    y = b.emit(f"log {u.name}", wide, shape)
    exact = b.emit(f"sub {y.name}, {lost.name}", wide, shape)
    finite = b.emit(f"isfinite {lost.name}", torch.bool, shape)
    return b.cast(b.emit(f"where {finite.name}, {exact.name}, {y.name}", wide, shape, node.name), dtype)


@register("aten.expm1.default")
def _expm1(b: Builder, node: Any, x: Value) -> Value:
    # tanh(x/2)*(exp(x) + 1), which loses nothing near zero.
    dtype, shape = meta(node)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    x = b.cast(x, wide)
    half = b.emit(f"mul {x.name}, {b.number(0.5, wide).name}", wide, shape)
    half = b.emit(f"tanh {half.name}", wide, shape)
    power = b.emit(f"exp {x.name}", wide, shape)
    power = b.emit(f"add {power.name}, {b.number(1.0, wide).name}", wide, shape)
    return b.cast(b.emit(f"mul {half.name}, {power.name}", wide, shape, node.name), dtype)


@register("aten.gelu.default")
def _gelu(b: Builder, node: Any, x: Value, approximate: str = "none") -> Value:
    end = "" if approximate == "none" else f" approximate {approximate}"
    return b.emit(f"gelu {x.name}{end}", x.dtype, x.shape, node.name)


@register("aten.lerp.Tensor", "aten.lerp.Scalar")
def _lerp(b: Builder, node: Any, x: Value, end: Value, weight: Any) -> Value:
    dtype, shape = meta(node)
    return b.emit(f"lerp {x.name}, {end.name}, {b.operand(weight, dtype).name}", dtype, shape, node.name)


@register("aten.dropout.default", "aten.native_dropout.default")
def _dropout(b: Builder, node: Any, x: Value, p: float, train: bool) -> Any:
    if train and p > 0:
        raise NotImplementedError("in training", "model.eval() leaves dropout out, and so does training=False of a function")
    return (x, None) if "native" in str(node.target) else x


# --- Products ---------------------------------------------------------------------------------------------------------


@register("aten.linear.default")
def _linear(b: Builder, node: Any, x: Value, weight: Value, bias: Value | None = None) -> Value:
    end = f" bias {bias.name}" if bias else ""
    return b.emit(f"linear {x.name}, {weight.name}{end}{product_flags(x.dtype)}", *meta(node), node.name)


@register("aten.mm.default", "aten.bmm.default", "aten.matmul.default")
def _mm(b: Builder, node: Any, x: Value, y: Value) -> Value:
    return b.emit(f"gemm {x.name}, {y.name}{product_flags(x.dtype)}", *meta(node), node.name)


@register("aten.addmm.default", "aten.baddbmm.default")
def _addmm(b: Builder, node: Any, bias: Value, x: Value, y: Value, beta: Any = 1, alpha: Any = 1) -> Value:
    dtype, shape = meta(node)
    if (beta, alpha) == (1, 1):
        return b.emit(f"gemm {x.name}, {y.name} bias {bias.name}{product_flags(dtype)}", dtype, shape, node.name)
    product = b.emit(f"gemm {x.name}, {y.name}{product_flags(dtype)}", dtype, shape)
    product = b.emit(f"mul {product.name}, {b.number(alpha, dtype).name}", dtype, shape)
    scaled = b.emit(f"mul {bias.name}, {b.number(beta, dtype).name}", dtype, bias.shape)
    return b.emit(f"add {scaled.name}, {product.name}", dtype, shape, node.name)


@register("aten.convolution.default")
def _convolution(b, node, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups) -> Value:
    axes = x.rank - 2
    op = "conv_transpose" if transposed else "conv"
    text = f"{op} {x.name}, {weight.name}" + (f" bias {bias.name}" if bias else "")
    text += f" stride {list_text(stride, axes)} pad {list_text(padding, axes)}"
    if transposed and any(output_padding):
        text += f" output_pad {list_text(output_padding, axes)}"
    text += f" dilation {list_text(dilation, axes)}" + (f" groups {groups}" if groups != 1 else "") + convolution_flags(x, weight, groups, transposed)
    return b.emit(text, *meta(node), node.name)


@register("aten.scaled_dot_product_attention.default")
def _attention(b, node, q, k, v, mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False) -> Value:
    if dropout_p:
        raise NotImplementedError("with dropout")
    text = f"attention {q.name}, {k.name}, {v.name}" + (f" mask {mask.name}" if mask else "")
    text += (f" scale {float_text(scale)}" if scale is not None else "") + (" causal" if is_causal else "")
    return b.emit(text, *meta(node), node.name)


@register(
    "aten._scaled_dot_product_flash_attention_for_cpu.default", "aten._scaled_dot_product_flash_attention.default",
    "aten._scaled_dot_product_efficient_attention.default", "aten._scaled_dot_product_cudnn_attention.default",
)
def _fused_attention(b: Builder, node: Any, q: Value, k: Value, v: Value, *given: Any, **named: Any) -> tuple[Any, ...]:
    # What torch has chosen for a device: these differ in the order of what follows, and in what else they give.
    arguments = dict(zip((argument.name for argument in node.target._schema.arguments[3:]), given)) | named
    mask = arguments.get("attn_mask", arguments.get("attn_bias"))
    y = _attention(b, node, q, k, v, mask, arguments.get("dropout_p", 0.0), arguments.get("is_causal", False), scale=arguments.get("scale"))
    return (y, *[None] * (len(node.meta["val"]) - 1))


# --- Reductions and norms ---------------------------------------------------------------------------------------------


def _reduction(op: str) -> Translation:
    def translate(b: Builder, node: Any, x: Value, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Value:
        dtype, shape = meta(node)
        axes = [dim] if isinstance(dim, int) else list(dim or range(x.rank))
        x = x if op in ("any", "all") else b.cast(x, dtype)
        text = f"{op} {x.name} over {list_text(sorted(axis_of(axis, x.rank) for axis in axes))}"
        return b.emit(text + (" keepdim" if keepdim else ""), dtype, shape, node.name)

    return translate


for _name, _op in {
    "sum.dim_IntList": "sum", "sum.default": "sum", "mean.dim": "mean", "mean.default": "mean", "amax.default": "max",
    "amin.default": "min", "prod.dim_int": "prod", "prod.default": "prod", "any.dim": "any", "any.dims": "any",
    "any.default": "any", "all.dim": "all", "all.default": "all", "logsumexp.default": "logsumexp", "max.default": "max",
    "min.default": "min",
}.items():
    OPS[f"aten.{_name}"] = _reduction(_op)


@register("aten.var.correction", "aten.std.correction")
def _var(b: Builder, node: Any, x: Value, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Value:
    dtype, shape = meta(node)
    axes = sorted(axis_of(axis, x.rank) for axis in (dim or range(x.rank)))
    op = "var" if ".var." in str(node.target) else "std"
    text = f"{op} {x.name} over {list_text(axes)}" + (" keepdim" if keepdim else "")
    return b.emit(f"{text} correction {float_text(1 if correction is None else correction)}", dtype, shape, node.name)


def _arg(b: Builder, op: str, x: Value, dim: int | None, keepdim: bool, shape: Sequence[Any], name: str) -> Value:
    if dim is None:
        x, dim = b.shape(x, [_numel(x)]), 0
    end = " keepdim" if keepdim else ""
    found = b.emit(f"{op} {x.name} over {axis_of(dim, x.rank)}{end}", torch.int32, shape)
    return b.emit(f"cast {found.name} to i64", torch.int64, shape, name)


def _numel(x: Value) -> str:
    return "*".join(f"({size})" if not size.isidentifier() and not size.isdigit() else size for size in x.shape) or "1"


@register("aten.argmax.default", "aten.argmin.default")
def _argmax(b: Builder, node: Any, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    op = "argmax" if "argmax" in str(node.target) else "argmin"
    return _arg(b, op, x, dim, keepdim, meta(node)[1], node.name)


@register("aten.max.dim", "aten.min.dim")
def _max_dim(b: Builder, node: Any, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    op = "max" if ".max." in str(node.target) else "min"
    dtype, shape = meta(node)
    end = " keepdim" if keepdim else ""
    best = b.emit(f"{op} {x.name} over [{axis_of(dim, x.rank)}]{end}", dtype, shape, node.name)
    return best, _arg(b, f"arg{op}", x, dim, keepdim, shape, node.name + "_at")


@register("aten.cumsum.default", "aten.cumprod.default")
def _cumsum(b: Builder, node: Any, x: Value, dim: int, **_: Any) -> Value:
    dtype, shape = meta(node)
    op = "cumsum" if "cumsum" in str(node.target) else "cumprod"
    return b.emit(f"{op} {b.cast(x, dtype).name} over {axis_of(dim, x.rank)}", dtype, shape, node.name)


@register("aten._softmax.default", "aten._log_softmax.default")
def _softmax(b: Builder, node: Any, x: Value, dim: int, half_to_float: bool = False) -> Value:
    op = "log_softmax" if "log" in str(node.target) else "softmax"
    dtype, shape = meta(node)
    return b.emit(f"{op} {b.cast(x, dtype).name} over {axis_of(dim, x.rank)}", dtype, shape, node.name)


def _affine(weight: Value | None, bias: Value | None) -> str:
    return (f" weight {weight.name}" if weight else "") + (f" bias {bias.name}" if bias else "")


@register("aten.layer_norm.default", "aten.native_layer_norm.default")
def _layer_norm(b, node, x, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=False) -> Any:
    axes = list(range(x.rank - len(normalized_shape), x.rank))
    text = f"layer_norm {x.name}{_affine(weight, bias)} over {list_text(axes)} eps {float_text(eps)}"
    y = b.emit(text, x.dtype, x.shape, node.name)
    return (y, None, None) if "native" in str(node.target) else y


@register("aten.rms_norm.default", "aten._fused_rms_norm.default")
def _rms_norm(b, node, x, normalized_shape, weight=None, eps=None) -> Any:
    axes = list(range(x.rank - len(normalized_shape), x.rank))
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    text = f"rms_norm {x.name}{_affine(weight, None)} over {list_text(axes)} eps {float_text(eps)}"
    y = b.emit(text, x.dtype, x.shape, node.name)
    return (y, None) if "fused" in str(node.target) else y


@register("aten.group_norm.default")
def _group_norm(b, node, x, groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=False) -> Value:
    text = f"group_norm {x.name} groups {groups}{_affine(weight, bias)} eps {float_text(eps)}"
    return b.emit(text, x.dtype, x.shape, node.name)


@register("aten.native_group_norm.default")
def _native_group_norm(b, node, x, weight, bias, n, c, hw, groups, eps) -> tuple[Value, None, None]:
    return _group_norm(b, node, x, groups, weight, bias, eps), None, None


@register("aten._native_batch_norm_legit_no_training.default")
def _batch_norm(b, node, x, weight, bias, mean, variance, momentum, eps) -> tuple[Value, None, None]:
    text = f"batch_norm {x.name} mean {mean.name} variance {variance.name}{_affine(weight, bias)}"
    return b.emit(f"{text} eps {float_text(eps)}", x.dtype, x.shape, node.name), None, None


def pool(b: Builder, op: str, x: Value, shape: Sequence[str], name: str, window, stride, padding, dilation, ceil_mode, end="") -> Value:
    """A pool whose windows move by steps."""
    axes = len(shape) - 2
    text = f"{op} {x.name} window {list_text(window, axes)} stride {list_text(stride or window, axes)} pad {list_text(padding, axes)}"
    if any(step != 1 for step in dilation):
        text += f" dilation {list_text(dilation, axes)}"
    return b.emit(text + (" ceil" if ceil_mode else "") + end, x.dtype, shape, name)


def _pool(b: Builder, node: Any, op: str, x: Value, window, stride, padding, dilation, ceil_mode, end="") -> Value:
    shape, axes = meta(node)[1], int(str(node.target).split("pool")[1][0])
    if x.rank == axes + 2:
        return pool(b, op, x, shape, node.name, window, stride, padding, dilation, ceil_mode, end)
    return b.shape(pool(b, op, b.shape(x, ["1", *x.shape]), ["1", *shape], node.name, window, stride, padding, dilation, ceil_mode, end), shape)


@register("aten.avg_pool2d.default", "aten.avg_pool3d.default", "aten.avg_pool1d.default")
def _avg_pool(b, node, x, window, stride=(), padding=(0,), ceil_mode=False, count_include_pad=True, divisor=None) -> Value:
    end = "" if count_include_pad else " exclude_pad"
    if divisor is None:
        return _pool(b, node, "avg_pool", x, window, stride, padding, (1,), ceil_mode, end)
    if ceil_mode or not count_include_pad:
        raise NotImplementedError("with a divisor, and windows that count less")
    y = _pool(b, node, "avg_pool", x, window, stride, padding, (1,), False)
    size = math.prod(list(window) * (y.rank - 2 if len(window) == 1 else 1))
    return b.emit(f"mul {y.name}, {b.number(size / divisor, y.dtype).name}", y.dtype, y.shape)


# --- Views ------------------------------------------------------------------------------------------------------------


@register(
    "aten.view.default", "aten.reshape.default", "aten._unsafe_view.default", "aten.unsqueeze.default",
    "aten.squeeze.dim", "aten.squeeze.dims", "aten.squeeze.default", "aten.flatten.using_ints",
)
def _view(b: Builder, node: Any, x: Value, *_: Any, **__: Any) -> Value:
    return b.shape(x, meta(node)[1], node.name)


@register("aten.as_strided.default")
def _as_strided(b: Builder, node: Any, x: Value, size: Sequence[Any], stride: Sequence[Any], offset: Any = None) -> Value:
    given, size, stride = node.args[0].meta["val"], list(map(_plain, size)), list(map(_plain, stride))
    # All elements in their order are a view of other sizes; the strides of axes of one element say nothing.
    dense = (offset is None or offset == 0) and is_dense(given.shape, given.stride()) and is_dense(size, stride)
    if not dense or not statically_known_true(math.prod(size) == given.numel()):
        raise NotImplementedError("but for all elements in their order")
    return b.shape(x, size, node.name)


def is_dense(sizes: Sequence[Any], strides: Sequence[Any]) -> bool:
    """Whether elements lie in their order without gaps, for all sizes."""
    count: Any = 1
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if not statically_known_true(size == 1):
            if not statically_known_true(stride == count):
                return False
            count = count * size
    return True


def _plain(size: Any) -> Any:
    return size.value if isinstance(size, Symbolic) else size


@register("aten.expand.default")
def _expand(b: Builder, node: Any, x: Value, *_: Any, **__: Any) -> Value:
    dtype, shape = meta(node)
    return b.emit(f"expand {x.name} to {list_text(shape)}", dtype, shape, node.name)


@register("aten.repeat.default")
def _repeat(b: Builder, node: Any, x: Value, repeats: Sequence[Any]) -> Value:
    sizes = ["1"] * (len(repeats) - x.rank) + list(x.shape)
    y = b.shape(x, [part for size in sizes for part in ("1", size)])
    pairs = [part for times, size in zip(repeats, sizes) for part in (size_text(times), size)]
    return b.shape(b.emit(f"expand {y.name} to {list_text(pairs)}", x.dtype, pairs), meta(node)[1], node.name)


@register("aten.permute.default")
def _permute(b: Builder, node: Any, x: Value, axes: Sequence[int]) -> Value:
    axes = [axis_of(axis, x.rank) for axis in axes]
    return b.emit(f"transpose {x.name} by {list_text(axes)}", *meta(node), node.name)


@register("aten.transpose.int", "aten.t.default")
def _transpose(b: Builder, node: Any, x: Value, one: int = 0, other: int = 1) -> Value:
    axes = list(range(x.rank))
    one, other = axis_of(one, x.rank), axis_of(other, x.rank)
    axes[one], axes[other] = other, one
    return _permute(b, node, x, axes)


@register("aten.slice.Tensor", "aten.select.int", "aten.narrow.default")
def _slice(b: Builder, node: Any, x: Value, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Value:
    dtype, shape = meta(node)
    axis = axis_of(dim, x.rank)
    is_select = "select" in str(node.target)
    size, count = x.shape[axis], "1" if is_select else size_text(shape[axis])
    first = "0" if start is None else size_text(start)
    if isinstance(start, Symbolic):
        # Below zero it is counted from the end, so its sign must be the same for all sizes.
        if start.is_known(lambda number: number < 0):
            first = f"{size} + {first}"
        elif not start.is_known(lambda number: number >= 0):
            start._refuse()
    elif first.startswith("-"):
        first = str(int(size) + int(first)) if size.isdigit() else f"{size} - {first[1:]}"
    if first.isdigit() and size.isdigit() and not is_select:
        first = str(min(int(first), int(size)))
    low, high, steps = ["0"] * x.rank, list(x.shape), [1] * x.rank
    low[axis], steps[axis] = first, 1 if is_select else step
    high[axis] = _plus(first, count) if steps[axis] == 1 else f"{first} + ({count} - 1)*{step} + 1"
    sliced = [size_text(size) for size in shape]
    if is_select:
        sliced.insert(axis, "1")
    text = f"slice {x.name} from {list_text(low)} to {list_text(high)}" + (f" step {list_text(steps)}" if step != 1 else "")
    y = b.emit(text, dtype, sliced, node.name)
    return b.shape(y, shape) if is_select else y


def _plus(one: str, other: str) -> str:
    return str(int(one) + int(other)) if one.isdigit() and other.isdigit() else other if one == "0" else f"{one} + {other}"


@register("aten.cat.default")
def _cat(b: Builder, node: Any, parts: Sequence[Value], dim: int = 0) -> Value:
    dtype, shape = meta(node)
    names = ", ".join(b.cast(part, dtype).name for part in parts if part.shape != ("0",))
    return b.emit(f"concat {names} over {axis_of(dim, len(shape))}", dtype, shape, node.name)


@register("aten.stack.default")
def _stack(b: Builder, node: Any, parts: Sequence[Value], dim: int = 0) -> Value:
    dtype, shape = meta(node)
    axis = axis_of(dim, len(shape))
    one = lambda part: b.shape(b.cast(part, dtype), [*part.shape[:axis], "1", *part.shape[axis:]])
    return b.emit(f"concat {', '.join(one(part).name for part in parts)} over {axis}", dtype, shape, node.name)


@register("aten.split_with_sizes.default", "aten.split_with_sizes_copy.default", "aten.split.Tensor", "aten.chunk.default")
def _split(b: Builder, node: Any, x: Value, _: Any, dim: int = 0) -> tuple[Value, ...]:
    axis, parts = axis_of(dim, x.rank), node.meta["val"]
    made = [Value(b.name(node.name), x.dtype, tuple(map(size_text, part.shape))) for part in parts]
    b.add(made, f"split {x.name} over {axis} into {list_text([part.shape[axis] for part in parts])}")
    return tuple(made)


@register("aten.flip.default")
def _flip(b: Builder, node: Any, x: Value, dims: Sequence[int]) -> Value:
    return b.emit(f"flip {x.name} over {list_text(sorted(axis_of(axis, x.rank) for axis in dims))}", x.dtype, x.shape, node.name)


@register("aten.constant_pad_nd.default")
def _pad(b: Builder, node: Any, x: Value, padding: Sequence[int], value: Any = 0) -> Value:
    low, high = ["0"] * x.rank, ["0"] * x.rank
    begin, end = ["0"] * x.rank, list(x.shape)
    for number in range(len(padding) // 2):
        axis = x.rank - 1 - number
        for sizes, size in ((low, padding[2 * number]), (high, padding[2 * number + 1])):
            if not isinstance(size, Symbolic) and size < 0:
                # A negative size leaves elements out.
                if sizes is low:
                    begin[axis] = str(-size)
                else:
                    end[axis] = str(int(end[axis]) + size) if end[axis].isdigit() else f"{end[axis]} - {-size}"
            else:
                sizes[axis] = size_text(size)
    if begin != ["0"] * x.rank or end != list(x.shape):
        sizes = [str(int(e) - int(s)) if e.isdigit() else e if s == "0" else f"{e} - {s}" for s, e in zip(begin, end)]
        x = b.emit(f"slice {x.name} from {list_text(begin)} to {list_text(end)}", x.dtype, sizes)
    if low == high == ["0"] * x.rank:
        return x
    text = f"pad {x.name} low {list_text(low)} high {list_text(high)}"
    return b.emit(text + (f" fill {float_text(value)}" if value else ""), *meta(node), node.name)


@register("aten.tril.default", "aten.triu.default")
def _tril(b: Builder, node: Any, x: Value, diagonal: int = 0) -> Value:
    op = "tril" if "tril" in str(node.target) else "triu"
    return b.emit(f"{op} {x.name} diagonal {diagonal}", x.dtype, x.shape, node.name)


# --- Indices and numbers ----------------------------------------------------------------------------------------------


@register("aten.embedding.default")
def _embedding(b: Builder, node: Any, table: Value, ids: Value, *_: Any) -> Value:
    return b.emit(f"embedding {table.name}[{ids.name}]", *meta(node), node.name)


@register("aten.index_select.default")
def _index_select(b: Builder, node: Any, x: Value, dim: int, ids: Value) -> Value:
    return b.emit(f"take {x.name}[{ids.name}] over {axis_of(dim, x.rank)}", *meta(node), node.name)


@register("aten.gather.default")
def _gather(b: Builder, node: Any, x: Value, dim: int, ids: Value, **_: Any) -> Value:
    return b.emit(f"gather {x.name}[{ids.name}] over {axis_of(dim, x.rank)}", *meta(node), node.name)


@register("aten.full.default", "aten.full_like.default", "aten.zeros.default", "aten.ones.default",
          "aten.zeros_like.default", "aten.ones_like.default", "aten.scalar_tensor.default")
def _full(b: Builder, node: Any, *given: Any, **named: Any) -> Value:
    dtype, shape = meta(node)
    name = str(node.target)
    value = 0 if "zeros" in name else 1 if "ones" in name else given[0] if "scalar" in name else named.get("fill_value", given[-1])
    return fill(b, value, dtype, shape, node.name)


def compare(b: Builder, op: str, x: Value, y: Value, shape: Sequence[Any]) -> Value:
    """A comparison of tensors of one type."""
    return b.emit(f"{op} {x.name}, {y.name}", torch.bool, shape)


def select(b: Builder, condition: Value, x: Value, y: Value, dtype: torch.dtype, shape: Sequence[Any], name: str = "t") -> Value:
    """One of two elements by a condition, of which each is broadcast."""
    return b.emit(f"where {condition.name}, {x.name}, {y.name}", dtype, shape, name)


def expand(b: Builder, x: Value, shape: Sequence[Any]) -> Value:
    """A tensor broadcast to sizes."""
    return x if x.shape == tuple(shape) else b.emit(f"expand {x.name} to {list_text(shape)}", x.dtype, shape)


def fill(b: Builder, value: Any, dtype: torch.dtype, shape: Sequence[Any], name: str = "t") -> Value:
    """A tensor whose elements are all one number."""
    if isinstance(value, Symbolic) or not is_exact(value, dtype):
        one = b.number(value, dtype)
        return b.emit(f"expand {one.name} to {list_text(shape)}", dtype, shape, name) if len(shape) else one
    return b.emit(f"full {number_text(value, dtype)}", dtype, shape, name, ty=True)


@register("aten.arange.start_step", "aten.arange.default", "aten.arange.start")
def _arange(b: Builder, node: Any, *given: Any, **_: Any) -> Value:
    dtype, shape = meta(node)
    start, step = (0, 1) if len(given) == 1 else (given[0], given[2] if len(given) > 2 else 1)
    if isinstance(start, Symbolic) or isinstance(step, Symbolic):
        wide = torch.float64 if dtype.is_floating_point else torch.int64
        place = b.emit("arange", wide, shape, ty=True)
        place = b.emit(f"mul {place.name}, {b.number(step, wide).name}", wide, shape)
        return b.cast(b.emit(f"add {place.name}, {b.number(start, wide).name}", wide, shape, node.name), dtype)
    text = "arange" + (f" from {number_text(start, dtype)}" if start else "") + (f" step {number_text(step, dtype)}" if step != 1 else "")
    return b.emit(text, dtype, shape, node.name, ty=True)
