"""Gradients that are ops of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._builder import Builder, Value, convolution_flags, register
from ._ops import list_text

_Sizes = Sequence[int]


@register("aten.convolution_backward.default")
def _convolution(
    b: Builder, node: Any, gradient: Value, x: Value, weight: Value, bias_sizes: Any, stride: _Sizes, padding: _Sizes,
    dilation: _Sizes, transposed: bool, output_padding: _Sizes, groups: int, wanted: Sequence[bool],
) -> tuple[Value | None, ...]:
    window = _Window(stride, padding, dilation, groups)
    of_x = of_weight = of_bias = None
    if wanted[0]:
        of_x = window.conv(b, gradient, weight, x.shape) if transposed else window.spread(b, gradient, weight, x.shape)
    if wanted[1]:
        # What the window moves over, and what is read where it is.
        over, there = (gradient, x) if transposed else (x, gradient)
        of_weight = window.correlate(b, over, there, weight.shape)
    if wanted[2]:
        axes = [axis for axis in range(gradient.rank) if axis != 1]
        of_bias = b.emit(f"sum {gradient.name} over {list_text(axes)}", gradient.dtype, [gradient.shape[1]])
    return of_x, of_weight, of_bias


class _Window:
    """How the window of a convolution moves."""

    def __init__(self, stride: _Sizes, padding: _Sizes, dilation: _Sizes, groups: int) -> None:
        self.stride, self.padding, self.dilation, self.groups = list(stride), list(padding), list(dilation), groups

    def _text(self, stride: _Sizes, dilation: _Sizes, end: str = "", groups: int | None = None) -> str:
        groups = self.groups if groups is None else groups
        text = f" stride {list_text(stride)} pad {list_text(self.padding)}{end} dilation {list_text(dilation)}"
        return text + (f" groups {groups}" if groups != 1 else "")

    def conv(self, b: Builder, x: Value, weight: Value, shape: Sequence[str]) -> Value:
        """The convolution that a transposed one is the gradient of."""
        return b.emit(f"conv {x.name}, {weight.name}{self._text(self.stride, self.dilation)}{convolution_flags(x, weight, self.groups)}", x.dtype, shape)

    def spread(self, b: Builder, gradient: Value, weight: Value, shape: Sequence[str]) -> Value:
        """The gradient of what the window moves over: the transposed convolution, as large as that."""
        left = []
        for axis, step in enumerate(self.stride):
            if step == 1:
                left.append(0)
                continue
            sizes = (gradient.shape[2 + axis], shape[2 + axis], weight.shape[2 + axis])
            if not all(size.isdigit() for size in sizes):
                raise NotImplementedError("with steps over a symbolic size")
            count, size, kernel = map(int, sizes)
            left.append(size - ((count - 1) * step - 2 * self.padding[axis] + self.dilation[axis] * (kernel - 1) + 1))
        end = f" output_pad {list_text(left)}" if any(left) else ""
        return b.emit(f"conv_transpose {gradient.name}, {weight.name}{self._text(self.stride, self.dilation, end)}{convolution_flags(gradient, weight, self.groups, transposed=True)}", gradient.dtype, shape)

    def correlate(self, b: Builder, over: Value, there: Value, shape: Sequence[str]) -> Value:
        """The gradient of the weight: a convolution that sums over the batch, its window as large as what is read."""
        rank, groups, batch = over.rank, self.groups, over.shape[0]
        each = shape[1]
        x = b.shape(over, [batch, str(groups), each, *over.shape[2:]])
        x = b.emit(f"transpose {x.name} by {list_text([2, 1, 0, *range(3, rank + 1)])}", x.dtype, [each, str(groups), batch, *over.shape[2:]])
        x = b.shape(x, [each, batch if groups == 1 else f"{groups}*{batch if batch.isalnum() else f'({batch})'}", *over.shape[2:]])
        swapped = [1, 0, *range(2, rank)]
        window = b.emit(f"transpose {there.name} by {list_text(swapped)}", there.dtype, [there.shape[axis] for axis in swapped])
        sizes = [self._reach(axis, over, there) for axis in range(rank - 2)]
        # The window steps as it was spread, and is spread as it stepped.
        text = f"conv {x.name}, {window.name}{self._text(self.dilation, self.stride)}{convolution_flags(x, window, self.groups)}"
        made = b.emit(text, x.dtype, [each, shape[0], *sizes])
        if sizes != list(shape[2:]):
            # Steps may have left out the end of what the window moves over.
            made = b.emit(f"slice {made.name} from {list_text([0] * rank)} to {list_text([each, *shape[:1], *shape[2:]])}", x.dtype, [each, shape[0], *shape[2:]])
        return b.emit(f"transpose {made.name} by {list_text(swapped)}", made.dtype, shape)

    def _reach(self, axis: int, over: Value, there: Value) -> str:
        sizes = (over.shape[2 + axis], there.shape[2 + axis])
        if not all(size.isdigit() for size in sizes):
            raise NotImplementedError("over a symbolic size")
        moved, read = map(int, sizes)
        return str((moved + 2 * self.padding[axis] - self.stride[axis] * (read - 1) - 1) // self.dilation[axis] + 1)
