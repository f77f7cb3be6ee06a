"""Graphs as text: sizes, types, values, and the table of translations."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from ._sizes import Symbolic, emit_number, size_text

DTYPES = {
    torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
    torch.float8_e4m3fn: "f8E4M3FN", torch.float8_e5m2: "f8E5M2", torch.bool: "i1",
    torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
    torch.uint8: "ui8", torch.uint16: "ui16", torch.uint32: "ui32", torch.uint64: "ui64",
}


@dataclasses.dataclass(frozen=True)
class Value:
    """A tensor in the graph: its name with `%`, its type, and its sizes as text."""

    name: str
    dtype: torch.dtype
    shape: tuple[str, ...]

    @property
    def rank(self) -> int:
        """How many axes it has."""
        return len(self.shape)


def number_text(value: Any, dtype: torch.dtype) -> str:
    """A number as the text of an attribute."""
    if isinstance(value, Symbolic):
        raise NotImplementedError(f"with the number {value.expr}, which is known when the model runs")
    if not dtype.is_floating_point:
        return str(int(value))
    value = float(value)
    text = repr(value)
    return text if "." in text or not math.isfinite(value) else text.replace("e", ".0e")


def is_exact(value: Any, dtype: torch.dtype) -> bool:
    """Whether an attribute, which is a 64-bit float, holds a number of this type."""
    return dtype.is_floating_point or int(float(int(value))) == int(value)


def float_text(value: Any) -> str:
    """A number as the text of an attribute that is a float."""
    return number_text(value, torch.float64)


def convolution_flags(x: Value, weight: Value, groups: int = 1, transposed: bool = False) -> str:
    """What a convolution may do, as torch's flag `torch.backends.cudnn.allow_tf32` (set by default) says when it is translated.

    cuDNN keeps f32 for many convolutions all the same, so dlc keeps it in groups and for small ones. The bounds are those that
    agree with most of 880 convolutions drawn at random, and of these the ones by which dlc rounds least where torch does not
    (docs/benchmarks.md, "Which convolutions round to TF32").
    """
    if groups != 1 or x.dtype != torch.float32 or not torch.backends.cudnn.allow_tf32:
        return ""
    # Symbolic sizes count as large.
    size = lambda value: int(value) if value.isdigit() else 1 << 20
    first, second, *window = map(size, weight.shape)
    points, most = math.prod(window), max(first, second)
    if transposed:
        work = math.prod(map(size, x.shape)) * second * points
        return " tf32" if second >= 12 and points >= 3 and work >= 1 << 26 else ""
    if points == 1:
        return " tf32" if min(first, second) >= 48 else ""
    depth, is_3d = second * points, len(window) == 3
    is_shallow = second < 4 or (is_3d and second < 12 and depth < 256)
    return " tf32" if depth >= 130 and not is_shallow and (most >= 36 or points > 26) else ""


def product_flags(dtype: torch.dtype) -> str:
    """The same for products of matrices: `torch.backends.cuda.matmul.allow_tf32`, which is not set by default."""
    return " tf32" if dtype == torch.float32 and torch.backends.cuda.matmul.allow_tf32 else ""


class Builder:
    """Writes the ops of a graph. Translations of ops are functions of it, the node, and the node's arguments."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._last: list[str] = []
        self._names_last: set[str] = set()
        self._is_last = False
        self._constants: dict[tuple[Any, torch.dtype], Value] = {}
        #: Symbols that are elements of tensors, which the model made numbers of.
        self.elements: dict[str, Value] = {}
        #: The names that values have, and the last number that was tried after each of them.
        self._names: dict[str, int] = {}

    def name(self, wanted: str) -> str:
        """A name that no value has."""
        name, number = wanted, self._names.get(wanted, 0)
        while name in self._names:
            number += 1
            name = f"{wanted}_{number}"
        self._names[wanted] = number
        self._names.setdefault(name, 0)
        return "%" + name

    def emit(self, text: str, dtype: torch.dtype, shape: Sequence[Any], wanted: str = "t", ty: bool = False) -> Value:
        """Adds an op, given as text without its result; `ty` writes the type of the result after it."""
        value = Value(self.name(wanted), dtype, tuple(map(size_text, shape)))
        end = f" : {self.type(value)}" if ty else ""
        self.add([value], f"{text}{end}")
        return value

    def add(self, values: Sequence[Value], text: str) -> None:
        """Adds the line of an op that has these results."""
        line = f"  {', '.join(value.name for value in values)} = {text}"
        if self._is_last:
            self._last.append(line)
            self._names_last.update(value.name for value in values)
            return
        if self._last and not self._names_last.isdisjoint(re.findall(r"%[\w.]+", text)):
            self.lines, self._last, self._names_last = self.all_lines(), [], set()
        self.lines.append(line)

    @contextlib.contextmanager
    def at_end(self) -> Iterator[None]:
        """Ops that are added in this context stand after all others, or after those before the first one that reads them."""
        was_last, self._is_last = self._is_last, True
        try:
            yield
        finally:
            self._is_last = was_last

    def all_lines(self) -> list[str]:
        """The ops of the graph in their order."""
        return [*self.lines, *self._last]

    def type(self, value: Value) -> str:
        """The type of a value."""
        return f"tensor<[{', '.join(value.shape)}], {DTYPES[value.dtype]}>"

    def cast(self, value: Value, dtype: torch.dtype) -> Value:
        """A value as another type."""
        if value.dtype == dtype:
            return value
        return self.emit(f"cast {value.name} to {DTYPES[dtype]}", dtype, value.shape)

    def number(self, value: Any, dtype: torch.dtype) -> Value:
        """A number, which may be made of symbolic sizes, as a tensor without axes."""
        key = (repr(value), dtype)
        if key not in self._constants:
            was_last, self._is_last = self._is_last, False
            if isinstance(value, Symbolic):
                self._constants[key] = self.cast(emit_number(self, value.expr), dtype)
            elif not is_exact(value, dtype):
                # Attributes are 64-bit floats: an integer that they do not hold is the sum of two parts.
                high, low = divmod(int(value), 1 << 32)
                scaled = self.emit(f"mul {self.number(high, dtype).name}, {self.number(1 << 32, dtype).name}", dtype, ())
                self._constants[key] = self.emit(f"add {scaled.name}, {self.number(low, dtype).name}", dtype, ())
            else:
                self._constants[key] = self.emit(f"full {number_text(value, dtype)}", dtype, (), "c", ty=True)
            self._is_last = was_last
        return self._constants[key]

    def symbol(self, symbol: str) -> Value:
        """A symbol as a tensor without axes."""
        return self.elements[symbol] if symbol in self.elements else self.size(symbol)

    def size(self, size: str) -> Value:
        """The size of an axis as a tensor without axes: a symbolic one is the sum of as many ones."""
        if size.isdigit():
            return self.number(int(size), torch.int64)
        key = (size, torch.int64)
        if key not in self._constants:
            was_last, self._is_last = self._is_last, False
            ones = self.emit("full 1", torch.int64, [size], ty=True)
            self._constants[key] = self.emit(f"sum {ones.name} over [0]", torch.int64, (), "size")
            self._is_last = was_last
        return self._constants[key]

    def operand(self, value: Any, dtype: torch.dtype) -> Value:
        """A tensor or a number of Python as a tensor of a type."""
        return self.cast(value, dtype) if isinstance(value, Value) else self.number(value, dtype)

    def shape(self, value: Value, shape: Sequence[Any], wanted: str = "t") -> Value:
        """The same elements under other sizes."""
        sizes = tuple(map(size_text, shape))
        if sizes == value.shape:
            return value
        return self.emit(f"reshape {value.name} to [{', '.join(sizes)}]", value.dtype, sizes, wanted)


Translation = Callable[..., Any]

#: How each op is translated, by its name: `aten.relu.default`.
OPS: dict[str, Translation] = {}


def register(*names: str) -> Callable[[Translation], Translation]:
    """Adds a translation for ops: a function of the `Builder`, the node, and the node's arguments, which gives a `Value`,
    or a tuple of them (None for what is never used)."""

    def add(translation: Translation) -> Translation:
        OPS.update(dict.fromkeys(names, translation))
        return translation

    return add
