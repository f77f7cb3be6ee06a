"""Sizes that are known when a model runs: as text, as numbers that ops compute with, and as values of Python at a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true
from torch.utils._sympy.symbol import SymT, symbol_is_type

if TYPE_CHECKING:
    from ._builder import Builder, Value


class Symbolic:
    """A number made of symbolic sizes.

    A translation gives it to `Builder.number` or to `size_text`. It never becomes a number of Python, as an integer of
    torch does: that one would be the number of the example, without an error.
    """

    def __init__(self, value: torch.SymInt | torch.SymFloat | torch.SymBool) -> None:
        self.value = value

    @property
    def expr(self) -> sympy.Expr:
        """It as an expression of symbols."""
        return self.value.node.expr

    @property
    def is_float(self) -> bool:
        """Whether it is a float in Python."""
        return isinstance(self.value, torch.SymFloat)

    def is_known(self, relation: Callable[[Any], Any]) -> bool:
        """Whether a relation holds for all sizes in their ranges."""
        return statically_known_true(relation(self.value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbolic) and self.expr == other.expr

    def __hash__(self) -> int:
        return hash(self.expr)

    def __repr__(self) -> str:
        return str(self.expr)

    def _refuse(self, *_: Any) -> Any:
        raise NotImplementedError(f"with the number {self.expr}, which is known when the model runs")

    # Text of an op would have it as a size, or as a word.
    __str__ = __format__ = __int__ = __index__ = __float__ = __bool__ = __neg__ = __abs__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _refuse
    __truediv__ = __rtruediv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refuse


def symbolic(value: Any) -> Any:
    """A symbolic number of torch as `Symbolic`, and others as they are."""
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        expr = value.node.expr
        if expr.is_Integer and isinstance(value, torch.SymInt):
            return int(expr)
        return Symbolic(value)
    return value


def size_text(size: Any) -> str:
    """A size of torch, which may be symbolic, as dlc writes it. Text stays as it is."""
    if isinstance(size, str):
        return size
    if isinstance(size, torch.SymInt):
        return _text(size.node.expr)
    if isinstance(size, Symbolic):
        return _text(size.expr)
    return str(int(size))


def _text(expr: sympy.Expr) -> str:
    if expr.is_Integer or expr.is_Symbol:
        return str(expr)
    if expr.is_Add:
        # A number stands last: the text of a size begins with a minus only where it is that of a number.
        terms = sorted(expr.args, key=lambda term: bool(term.is_Number))
        return " + ".join(_factor(term) for term in terms)
    if expr.is_Mul:
        return "*".join(_factor(term) for term in expr.args)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return "*".join([_factor(expr.base)] * int(expr.exp))
    name = type(expr).__name__
    if name in ("FloorDiv", "CleanDiv") and len(expr.args) == 2:
        return f"{_factor(expr.args[0])} floordiv {_factor(expr.args[1])}"
    if name in ("Mod", "PythonMod") and len(expr.args) == 2:
        return f"{_factor(expr.args[0])} mod {_factor(expr.args[1])}"
    if name in ("Min", "Max") and all((one - expr.args[0]).is_Number for one in expr.args):
        # They differ by numbers, so one of them is the least for all sizes.
        ordered = sorted(expr.args, key=lambda one: one - expr.args[0])
        return _text(ordered[0 if name == "Min" else -1])
    raise ValueError(f"the size {expr} is no sum, product or quotient of symbols")


def _factor(expr: sympy.Expr) -> str:
    text = _text(expr)
    return text if expr.is_Symbol or expr.is_Integer or (expr.is_Mul and "floordiv" not in text) else f"({text})"


_INT, _FLOAT = torch.int64, torch.float64

# Functions of sizes by the names that torch gives them: an op and the type that it computes in.
_FUNCTIONS = {
    "FloorDiv": ("floordiv", _INT), "CleanDiv": ("floordiv", _INT), "Mod": ("mod", _INT), "PythonMod": ("mod", _INT),
    "PowByNatural": ("pow", _INT), "IntTrueDiv": ("div", _FLOAT), "FloatTrueDiv": ("div", _FLOAT), "FloatPow": ("pow", _FLOAT),
    "ToFloat": ("", _FLOAT), "OpaqueUnaryFn_sqrt": ("sqrt", _FLOAT), "OpaqueUnaryFn_exp": ("exp", _FLOAT),
    "OpaqueUnaryFn_log": ("log", _FLOAT), "OpaqueUnaryFn_log2": ("log2", _FLOAT), "FloorToInt": ("floor", _FLOAT),
    "CeilToInt": ("ceil", _FLOAT), "TruncToInt": ("trunc", _FLOAT), "TruncToFloat": ("trunc", _FLOAT), "Max": ("maximum", None),
    "Min": ("minimum", None), "Add": ("add", None), "Mul": ("mul", None),
}


def emit_number(b: Builder, expr: sympy.Expr) -> Value:
    """An expression of sizes as a tensor without axes: of 64-bit integers, or of 64-bit floats."""
    if expr.is_Integer:
        return b.number(int(expr), _INT)
    if expr.is_Number:
        return b.number(float(expr), _FLOAT)
    if expr.is_Symbol:
        if str(expr) not in b.elements and (not expr.is_integer or symbol_is_type(expr, SymT.UNBACKED_INT)):
            raise NotImplementedError(f"with the number {expr}, which no size of an input gives")
        return b.symbol(str(expr))
    name = type(expr).__name__
    if name == "FloatPow" and expr.args[1].is_Number and float(2 * expr.args[1]).is_integer() and abs(expr.args[1]) <= 2:
        return _power(b, b.cast(emit_number(b, expr.args[0]), _FLOAT), int(2 * expr.args[1]))
    parts = [emit_number(b, part) for part in expr.args]
    if expr.is_Pow:
        op, dtype = "pow", _INT if expr.is_integer else _FLOAT
    elif name in _FUNCTIONS:
        op, dtype = _FUNCTIONS[name]
    else:
        raise NotImplementedError(f"with the number {expr}, which is known when the model runs")
    dtype = dtype or (_INT if all(part.dtype == _INT for part in parts) else _FLOAT)
    result = b.cast(parts[0], dtype)
    if len(parts) == 1 and op:
        result = b.emit(f"{op} {result.name}", dtype, ())
    for part in parts[1:]:
        result = b.emit(f"{op} {result.name}, {b.cast(part, dtype).name}", dtype, ())
    return b.cast(result, _INT) if name.endswith("ToInt") else result


def _power(b: Builder, base: Value, halves: int) -> Value:
    """A power with a multiple of 1/2: roots and products are ops of 64-bit floats on a GPU, and powers are not."""
    result = b.emit(f"sqrt {base.name}", _FLOAT, ()) if halves % 2 else b.number(1.0, _FLOAT)
    for _ in range(abs(halves) // 2):
        result = b.emit(f"mul {result.name}, {base.name}", _FLOAT, ())
    return b.emit(f"div {b.number(1.0, _FLOAT).name}, {result.name}", _FLOAT, ()) if halves < 0 else result


def number_at(expr: sympy.Expr, sizes: Mapping[str, int]) -> int | float | bool:
    """What an expression of sizes is where the symbols have these sizes."""
    value = expr.subs({symbol: sizes[str(symbol)] for symbol in expr.free_symbols})
    return bool(value) if value in (sympy.true, sympy.false) else int(value) if value.is_Integer else float(value)


def solve(expr: sympy.Expr, size: int) -> int | None:
    """The size of the one symbol in an expression of the form a*symbol + b that is this size; None where no size gives it."""
    (symbol,) = expr.free_symbols
    factor, rest = expr.coeff(symbol, 1), expr.subs(symbol, 0)
    found, left = divmod(size - int(rest), int(factor))
    return found if left == 0 else None


def is_linear(expr: sympy.Expr) -> bool:
    """Whether an expression has the form a*symbol + b."""
    if len(expr.free_symbols) != 1 or not expr.is_polynomial(*expr.free_symbols):
        return False
    return sympy.degree(expr) == 1
