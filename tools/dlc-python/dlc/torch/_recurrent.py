"""Recurrent layers: LSTM, GRU and RNN, step by step. What does not depend on the step before is computed for all at once."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from ._builder import Builder, Value, product_flags, register

Cell = Callable[["_Layer", Value, list[Value]], list[Value]]


@dataclasses.dataclass
class _Layer:
    """One direction of a layer."""

    b: Builder
    weight: Value
    bias: Value | None

    def emit(self, text: str, like: Value, shape: Sequence[Any] | None = None) -> Value:
        return self.b.emit(text, like.dtype, like.shape if shape is None else shape)

    def product(self, hidden: Value) -> Value:
        """The state times the weights of all gates."""
        end = f" bias {self.bias.name}" if self.bias else ""
        return self.emit(f"linear {hidden.name}, {self.weight.name}{end}{product_flags(hidden.dtype)}", hidden, [hidden.shape[0], self.weight.shape[0]])

    def gates(self, value: Value, count: int) -> list[Value]:
        """The parts of each row."""
        b, rows, width = self.b, value.shape[0], int(value.shape[1]) // count
        made = [Value(b.name("gate"), value.dtype, (rows, str(width))) for _ in range(count)]
        b.add(made, f"split {value.name} over 1 into [{', '.join([str(width)] * count)}]")
        return made

    def op(self, op: str, *values: Value) -> Value:
        """An elementwise op."""
        return self.emit(f"{op} {', '.join(value.name for value in values)}", values[0])


@dataclasses.dataclass
class _Multiplied(_Layer):
    """One whose state is multiplied already."""

    def product(self, hidden: Value) -> Value:
        """The product, which stands for the weights, with the bias."""
        return self.op("add", self.weight, self.bias) if self.bias else self.weight


def _lstm(layer: _Layer, x: Value, state: list[Value]) -> list[Value]:
    hidden, cell = state
    i, f, g, o = layer.gates(layer.op("add", x, layer.product(hidden)), 4)
    i, f, g, o = layer.op("sigmoid", i), layer.op("sigmoid", f), layer.op("tanh", g), layer.op("sigmoid", o)
    cell = layer.op("add", layer.op("mul", f, cell), layer.op("mul", i, g))
    return [layer.op("mul", o, layer.op("tanh", cell)), cell]


def _gru(layer: _Layer, x: Value, state: list[Value]) -> list[Value]:
    (hidden,) = state
    (xr, xz, xn), (hr, hz, hn) = layer.gates(x, 3), layer.gates(layer.product(hidden), 3)
    r, z = layer.op("sigmoid", layer.op("add", xr, hr)), layer.op("sigmoid", layer.op("add", xz, hz))
    n = layer.op("tanh", layer.op("add", xn, layer.op("mul", r, hn)))
    return [layer.op("add", n, layer.op("mul", z, layer.op("sub", hidden, n)))]


def _rnn(op: str) -> Cell:
    return lambda layer, x, state: [layer.op(op, layer.op("add", x, layer.product(state[0])))]


def _cell(cell: Cell) -> Callable[..., Any]:
    """One step that a model makes itself (`nn.LSTMCell`)."""

    def translate(
        b: Builder, node: Any, x: Value, first: Any, weight: Value, hidden_weight: Value, bias: Value | None = None, hidden_bias: Value | None = None
    ) -> Any:
        firsts = list(first) if isinstance(first, (list, tuple)) else [first]
        inputs = _Layer(b, weight, bias).product(x)
        state = cell(_Layer(b, hidden_weight, hidden_bias), inputs, firsts)
        return tuple(state) if isinstance(first, (list, tuple)) else state[0]

    return translate


def _fused(cell: Cell) -> Callable[..., Any]:
    """The same after its products. What torch keeps for the gradient, its last result, is not given."""

    def translate(
        b: Builder, node: Any, inputs: Value, product: Value, state: Value, bias: Value | None = None, hidden_bias: Value | None = None
    ) -> tuple[Value | None, ...]:
        layer = _Multiplied(b, product, hidden_bias)
        inputs = layer.op("add", inputs, bias) if bias else inputs
        # The product is there, so an LSTM needs no state but its cell.
        states = [state] if cell is _gru else [state, state]
        return (*cell(layer, inputs, states), None)

    return translate


def _along(b: Builder, cell: Cell, layer: _Layer, x: Value, state: list[Value], batch_axis: int, is_reverse: bool) -> tuple[Value, list[Value]]:
    """All steps of a direction: the states as a sequence, and the last one."""
    axis = 1 - batch_axis
    steps, batch, width = int(x.shape[axis]), x.shape[batch_axis], x.shape[2]
    made = [Value(b.name("step"), x.dtype, tuple("1" if place == axis else size for place, size in enumerate(x.shape))) for _ in range(steps)]
    if steps > 1:
        b.add(made, f"split {x.name} over {axis} into [{', '.join(['1'] * steps)}]")
    else:
        made = [x]
    states: list[Value] = []
    for step in reversed(made) if is_reverse else made:
        state = cell(layer, b.shape(step, [batch, width]), state)
        states.append(state[0])
    states = states[::-1] if is_reverse else states
    size = states[0].shape[1]
    shape = [batch, "1", size] if axis == 1 else ["1", batch, size]
    parts = [b.shape(value, shape).name for value in states]
    return b.emit(f"concat {', '.join(parts)} over {axis}", x.dtype, [str(steps) if place == axis else size for place, size in enumerate(shape)]), state


def _recurrent(cell: Cell) -> Callable[..., Any]:
    def translate(
        b: Builder, node: Any, x: Value, first: Any, weights: Sequence[Value], has_biases: bool, layers: int, dropout: float,
        is_trained: bool, is_bidirectional: bool, batch_first: bool,
    ) -> tuple[Value, ...]:
        firsts = list(first) if isinstance(first, (list, tuple)) else [first]
        directions, each = 2 if is_bidirectional else 1, 4 if has_biases else 2
        if len(weights) != layers * directions * each:
            raise NotImplementedError("with projections")
        if dropout and is_trained and layers > 1:
            raise NotImplementedError("with dropout in training")
        if not x.shape[1 if batch_first else 0].isdigit() or x.shape[1 if batch_first else 0] == "0":
            raise NotImplementedError("for a number of steps that is symbolic or 0")
        batch_axis, last = 0 if batch_first else 1, []
        for layer in range(layers):
            sides = []
            for side in range(directions):
                number = layer * directions + side
                own = weights[number * each : (number + 1) * each]
                end = f" bias {own[2].name}" if has_biases else ""
                # The inputs of all steps are multiplied together.
                inputs = b.emit(f"linear {x.name}, {own[0].name}{end}{product_flags(x.dtype)}", x.dtype, [*x.shape[:2], own[0].shape[0]])
                state = []
                for value in firsts:
                    _, rows, width = value.shape
                    part = b.emit(f"slice {value.name} from [{number}, 0, 0] to [{number + 1}, {rows}, {width}]", value.dtype, ["1", rows, width])
                    state.append(b.shape(part, [rows, width]))
                states, state = _along(b, cell, _Layer(b, own[1], own[3] if has_biases else None), inputs, state, batch_axis, side == 1)
                sides.append(states)
                last.append(state)
            x = sides[0]
            if directions == 2:
                x = b.emit(f"concat {', '.join(one.name for one in sides)} over 2", x.dtype, [*x.shape[:2], str(2 * int(x.shape[2]))])
        return x, *(_stacked(b, [state[place] for state in last]) for place in range(len(firsts)))

    return translate


def _stacked(b: Builder, states: list[Value]) -> Value:
    """The last states of all layers."""
    rows, width = states[0].shape
    parts = [b.shape(state, ["1", rows, width]) for state in states]
    if len(parts) == 1:
        return parts[0]
    return b.emit(f"concat {', '.join(part.name for part in parts)} over 0", states[0].dtype, [str(len(parts)), rows, width])


def _results(x: Any, first: Any, weights: Any, has_biases: bool, layers: int, dropout: float, is_trained: bool, is_bidirectional: bool, batch_first: bool) -> tuple[Any, ...]:
    """Tensors with the shapes of the results of a recurrent layer."""
    firsts = list(first) if isinstance(first, (list, tuple)) else [first]
    width = firsts[0].shape[2] * (2 if is_bidirectional else 1)
    return (x.new_empty((*x.shape[:2], width)), *(value.new_empty(value.shape) for value in firsts))


def _cell_results(x: Any, first: Any, *_: Any) -> Any:
    """The same for one step."""
    return tuple(value.new_empty(value.shape) for value in first) if isinstance(first, (list, tuple)) else first.new_empty(first.shape)


@contextlib.contextmanager
def shapes_only() -> Iterator[None]:
    """Lets torch compute only the shapes of recurrent layers while it traces.

    It would trace each step for that, which takes minutes for long sequences, and drop what it traced.
    """
    aten = torch.ops.aten
    ops = dict.fromkeys([aten.lstm.input, aten.gru.input, aten.rnn_tanh.input, aten.rnn_relu.input], _results)
    # On a GPU one step is an op for which torch does not compute shapes without running it.
    ops |= dict.fromkeys([aten.lstm_cell.default, aten.gru_cell.default], _cell_results)
    tables = [torch._decomp.decomposition_table, *(op.py_kernels for op in ops)]
    before = [dict(table) for table in tables]
    try:
        tables[0].update(ops)
        for op, results in ops.items():
            keys = list(op.py_kernels) or [torch._C.DispatchKey.CompositeImplicitAutograd]
            op.py_kernels.update(dict.fromkeys(keys, results))
            op._dispatch_cache.clear()
        yield
    finally:
        for table, entries in zip(tables, before):
            table.clear()
            table.update(entries)
        for op in ops:
            op._dispatch_cache.clear()


register("aten.lstm.input")(_recurrent(_lstm))
register("aten.gru.input")(_recurrent(_gru))
register("aten.rnn_tanh.input")(_recurrent(_rnn("tanh")))
register("aten.rnn_relu.input")(_recurrent(_rnn("relu")))
register("aten.lstm_cell.default")(_cell(_lstm))
register("aten.gru_cell.default")(_cell(_gru))
register("aten._thnn_fused_lstm_cell.default")(_fused(_lstm))
register("aten._thnn_fused_gru_cell.default")(_fused(_gru))
