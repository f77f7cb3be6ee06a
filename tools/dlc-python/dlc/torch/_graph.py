"""From an exported program to a graph."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import sympy
import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.export import ExportedProgram
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from .._errors import Error, Message, Place, refuse
from ._builder import DTYPES, OPS, Builder, Value
from ._ops import is_dense, list_text
from ._recurrent import shapes_only
from ._sizes import Symbolic, size_text, symbolic

# Ops that the layer has, and that core ATen would decompose.
KEPT = [
    "aten.linear.default", "aten.scaled_dot_product_attention.default", "aten.layer_norm.default",
    "aten.rms_norm.default", "aten.group_norm.default", "aten.silu.default", "aten.mish.default",
    "aten.hardswish.default", "aten.hardsigmoid.default", "aten.softplus.default", "aten.log_sigmoid.default",
    "aten.celu.default", "aten.lerp.Tensor", "aten.logsumexp.default", "aten.square.default", "aten.stack.default",
    "aten.relu6.default", "aten.selu.default", "aten.logaddexp.default", "aten.lstm.input", "aten.gru.input",
    "aten.rnn_tanh.input", "aten.rnn_relu.input", "aten.lstm_cell.default",
    "aten.gru_cell.default", "aten.roll.default", "aten.col2im.default",
]

# Ops of core ATen that are taken apart all the same.
_IN_PARTS = [
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d", "upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d",
    "grid_sampler_2d",
]

# Random numbers are arguments that torch draws at each call, so they are those that eager mode would have had.
_DRAWN = {
    "aten.randn.default": torch.randn, "aten.rand.default": torch.rand, "aten.randn_like.default": torch.randn,
    "aten.rand_like.default": torch.rand,
}

_SKIPPED = ("aten._assert", "aten.sym_constrain", "aten.sym_size", "aten.sym_numel", "_assert")


#: What stands in `Graph.results` for a tensor.
TENSOR = object()


class UnsupportedOp(Error):
    """Ops that nothing translates: for each one a message with the module and the source line that it is from."""


@dataclasses.dataclass
class Graph:
    """A model as a graph of the layer `frontend`."""

    #: The text of the graph.
    source: str
    #: The names of its arguments that are inputs of the model, in the order of the flattened inputs; None for an input
    #: that nothing reads.
    inputs: list[str | None]
    #: The other arguments: parameters, buffers and constants, by their names in the graph.
    bound: dict[str, torch.Tensor]
    #: The least and the largest size that each symbol may be; None where there is no bound.
    ranges: dict[str, tuple[int, int | None]]
    #: The sizes of each input that are symbols, by axis.
    axes: dict[str, dict[int, str]]
    #: The sizes of each input that are expressions of symbols, such as 2*h, by axis.
    expressions: dict[str, dict[int, sympy.Expr]]
    #: For each result of the model, in the order of the flattened results: `TENSOR` where the graph gives it, or else a
    #: constant, or a `Symbolic` number.
    results: list[Any]
    #: Inputs that are numbers, by their places: the constant that the graph was made for, or the symbol that it is.
    numbers: dict[int, Any]
    #: The buffers that the first results are new values of, by their names in the graph.
    changed: list[str]
    #: The arguments that are random numbers, in the order in which they are drawn: what draws them, sizes and type.
    drawn: dict[str, tuple[Callable[..., torch.Tensor], tuple[int, ...], torch.dtype]]
    #: The axes of inputs in the order of memory, where the graph takes them in that order.
    orders: dict[str, tuple[int, ...]]
    #: The same for each tensor that the graph gives after the buffers; None for one that lies row by row.
    result_orders: list[tuple[int, ...] | None]
    #: How inputs and outputs are nested.
    program: ExportedProgram


def export(model: torch.nn.Module, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None, *, dynamic_shapes: Any = None) -> ExportedProgram:
    """`torch.export.export`, without tracing the steps of recurrent layers, which graphs have in a form of their own."""
    if not isinstance(args, tuple):
        message = f"example inputs are a tuple, and this is of {type(args).__qualname__}"
        raise refuse("args", message, "give (x,) for one input x")
    try:
        with shapes_only():
            return torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)
    except TypeError:
        try:
            inspect.signature(model.forward).bind(*args, **(kwargs or {}))
        except TypeError as error:
            message = f"the model does not take these example inputs: {error}"
            raise refuse("args", message, "give a tuple with an example of each input") from None
        raise


def translate(exported: ExportedProgram, name: str = "main") -> Graph:
    """Translates an exported program. Raises `UnsupportedOp` with every op that no translation is registered for."""
    with shapes_only():
        exported = _renamed(exported).run_decompositions(decompositions())
    _expect_inputs_unchanged(exported)
    return _Exported(exported, name).graph()


def _renamed(exported: ExportedProgram) -> ExportedProgram:
    """The same program with other names for parameters, buffers and constants whose names are those of attributes that modules
    of FX have, such as `code`: torch makes such a module to take a program apart, and refuses them."""
    inputs, outputs = exported.graph_signature.input_specs, exported.graph_signature.output_specs
    names = {spec.target.split(".")[0] for spec in inputs if spec.target is not None}
    taken = [name for name in sorted(names) if hasattr(exported.graph_module, name)]
    if not taken:
        return exported
    others = {name: next(other for number in itertools.count(1) if (other := f"{name}_{number}") not in names) for name in taken}

    def renamed(target: str) -> str:
        first, dot, rest = target.partition(".")
        return others.get(first, first) + dot + rest

    def replaced(specs: Sequence[Any]) -> list[Any]:
        return [spec if spec.target is None else dataclasses.replace(spec, target=renamed(spec.target)) for spec in specs]

    state, constants = ({renamed(name): value for name, value in given.items()} for given in (exported.state_dict, exported.constants))
    signature = dataclasses.replace(exported.graph_signature, input_specs=replaced(inputs), output_specs=replaced(outputs))
    # A program has a fake mode of its own, which need not be that around this.
    with unset_fake_temporarily():
        return ExportedProgram(
            exported.graph_module, exported.graph, signature, state, exported.range_constraints, exported.module_call_graph,
            exported.example_inputs, constants, verifiers=exported.verifiers,
        )


def decompositions(more: Sequence[str] = (), kept: Sequence[str] = ()) -> dict[Any, Any]:
    """How ops are taken apart: to core ATen, without ops that the layer has and `kept`, and with `more`."""
    table = dict(torch.export.default_decompositions().materialize())
    packets = [getattr(torch.ops.aten, name) for name in (*_IN_PARTS, *more) if hasattr(torch.ops.aten, name)]
    table |= torch._decomp.get_decompositions(packets)
    for name in (*KEPT, *kept):
        table.pop(aten_op(name), None)
    return table


def aten_op(name: str) -> Any:
    _, op, overload = name.split(".")
    return getattr(getattr(torch.ops.aten, op, None), overload, None)


def _expect_inputs_unchanged(exported: ExportedProgram) -> None:
    changed = exported.graph_signature.user_inputs_to_mutate
    if changed:
        message = f"the model changes its input {', '.join(changed.values())}, and graphs change nothing"
        suggestion = "return the new value, and let the caller write it"
        raise Error((Message("E0105", "NotImported", message, None, suggestion, (), f"error[E0105]: {message}\n  help: {suggestion}"),))


class Translation:
    """Translates the nodes of an FX graph one by one."""

    def __init__(self, name: str) -> None:
        self.name, self.builder = name, Builder()
        self.values: dict[Any, Any] = {}
        self.arguments: list[str] = []
        self.axes: dict[str, dict[int, str]] = {}
        self.expressions: dict[str, dict[int, sympy.Expr]] = {}
        self.symbols: dict[str, sympy.Symbol] = {}
        self.missing: dict[str, Message] = {}
        self.failed: set[Any] = set()

    def input(self, node: Any, role: str, order: Sequence[int] | None = None) -> Value:
        """Makes an argument of the graph for a placeholder that is a tensor, with its axes in an order of memory."""
        value = node.meta["val"]
        dtype = value.dtype
        if dtype not in DTYPES:
            raise refuse(node.name, f"the input {node.name} is of {dtype}", f"cast it to one of {', '.join(map(str, DTYPES))}")
        sizes = tuple(map(size_text, value.shape))
        made = Value(self.builder.name(node.name), dtype, sizes if order is None else tuple([sizes[axis] for axis in order]))
        for axis, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt):
                self.add_symbols(size)
                if size.node.expr.is_Symbol:
                    self.axes.setdefault(node.name, {})[axis] = str(size.node.expr)
                elif not size.node.expr.is_Integer:
                    self.expressions.setdefault(node.name, {})[axis] = size.node.expr
        self.arguments.append(f'{made.name}: {self.builder.type(made)} {{role = "{role}"}}')
        self.values[node] = made if order is None else self.transposed(made, inverse(order))
        return made

    def transposed(self, value: Value, order: Sequence[int]) -> Value:
        """The axes in another order."""
        return self.builder.emit(f"transpose {value.name} by {list_text(order)}", value.dtype, [value.shape[axis] for axis in order])

    def add_symbols(self, size: torch.SymInt | torch.SymFloat) -> None:
        """Makes the symbols of a size those of the graph."""
        for symbol in sorted(size.node.expr.free_symbols, key=str):
            self.symbols[str(symbol)] = symbol

    def source(self, results: list[Value]) -> str:
        """The text of the graph."""
        symbols = f"<{', '.join(self.symbols)}>" if self.symbols else ""
        types = ", ".join(self.builder.type(value) for value in results)
        types = types if len(results) == 1 else f"({types})"
        return "\n".join([
            f"frontend.graph @{self.name}{symbols}({', '.join(self.arguments)}) -> {types} {{",
            *self.builder.all_lines(),
            f"  output {', '.join(value.name for value in results)}",
            "}\n",
        ])

    def call(self, node: Any) -> Any:
        value, target = node.meta.get("val"), str(node.target)
        if isinstance(value, (int, torch.SymInt, torch.SymFloat, torch.SymBool, float, bool)):
            value = symbolic(value)
            if target == "aten._local_scalar_dense.default" and isinstance(value, Symbolic) and node.args[0] not in self.failed:
                found = self.values[node.args[0]]
                self.builder.elements[str(value.expr)] = self.builder.cast(found, torch.float64 if value.is_float else torch.int64)
            return value
        if target.startswith(_SKIPPED) or value is None:
            return None
        # What depends on an op that is not translated says nothing new.
        if not self.failed.isdisjoint(node.all_input_nodes):
            self.failed.add(node)
            return None
        if node.target is operator.getitem:
            source, place = node.args
            found = self.values[source][place]
            if found is None and node.users:
                return self.refuse(node, str(source.target), f"{source.target} is not translated with its result {place}")
            return found
        translation = OPS.get(target)
        why, suggestion = f"no translation of {target} is registered", None
        if translation is not None and isinstance(value, torch.Tensor) and free_unbacked_symbols(value):
            why = f"{target} is not translated with sizes that depend on elements of tensors"
        elif translation is not None:
            args, named = torch.fx.node.map_arg((node.args, dict(node.kwargs)), lambda arg: self.values[arg])
            try:
                return translation(self.builder, node, *args, **named)
            except (NotImplementedError, ValueError, TypeError) as error:
                why = f"{target} is not translated {error.args[0]}" if isinstance(error, NotImplementedError) else f"{target}: {error}"
                suggestion = error.args[1] if len(error.args) > 1 else None
        return self.refuse(node, target, why, suggestion)

    def refuse(self, node: Any, target: str, why: str, suggestion: str | None = None) -> None:
        """Notes that an op is not translated."""
        self.failed.add(node)
        self.missing.setdefault(f"{target} {self.module(node)}", self.message(node, target, why, suggestion))

    def module(self, node: Any) -> str:
        stack = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values() if isinstance(path, str) and not path.startswith("_")]
        return stack[-1] if stack and stack[-1] else "the model itself"

    def message(self, node: Any, target: str, why: str, suggestion: str | None) -> Message:
        place, source = _place(node.meta.get("stack_trace"))
        message = f"{why}; it is from {self.module(node)}"
        suggestion = suggestion or f'@dlc.torch.register("{target}") adds a translation'
        at = f"\n  at {place}: {source}" if place else ""
        return Message("E0101", "UnknownOp", message, place, suggestion, (), f"error[E0101]: {message}{at}\n  help: {suggestion}")


class _Exported(Translation):
    """Translates an exported program."""

    def __init__(self, exported: ExportedProgram, name: str) -> None:
        super().__init__(name)
        self.exported = exported
        self.bound: dict[str, torch.Tensor] = {}
        self.inputs: list[str | None] = []
        self.numbers: dict[int, Any] = {}
        self.drawn: dict[str, tuple[Callable[..., torch.Tensor], tuple[int, ...], torch.dtype]] = {}
        self.orders: dict[str, tuple[int, ...]] = {}

    def graph(self) -> Graph:
        nodes = list(self.exported.graph.nodes)
        specs = {spec.arg.name: spec for spec in self.exported.graph_signature.input_specs}
        for node in nodes:
            if node.op == "placeholder":
                self.argument(node, specs[node.name])
        output = next(node for node in nodes if node.op == "output")
        # New values of buffers, which nothing else reads, are computed together: their launches take longer than they do.
        updates = set(output.args[0][: len(self.exported.graph_signature.buffers_to_mutate)])
        for node in nodes:
            if node.op == "call_function":
                is_update = node in updates and list(node.users) == [output]
                with self.builder.at_end() if is_update else contextlib.nullcontext():
                    self.values[node] = self.call(node)
        if self.missing:
            raise UnsupportedOp(tuple(self.missing.values()))
        given = [self.values[one] if isinstance(one, torch.fx.Node) else one for one in output.args[0]]
        arguments = {spec.target: spec.arg.name for spec in specs.values() if spec.target is not None}
        changed = [arguments[target] for target in self.exported.graph_signature.buffers_to_mutate.values()]
        orders = [memory_order(one.meta["val"]) for one, value in zip(output.args[0], given) if isinstance(value, Value)]
        orders[: len(changed)] = [None] * len(changed)
        results = [one for one in given if isinstance(one, Value)]
        results = [one if order is None else self.transposed(one, order) for one, order in zip(results, orders)]
        # A buffer that is written and not read is no argument, and stays one of the tensors of the model.
        for spec in specs.values():
            if spec.arg.name in changed and spec.arg.name not in self.bound:
                self.bound[spec.arg.name] = self.tensor(spec)
        if not results:
            message = "no result of the model is a tensor"
            raise refuse("model", message, "return a tensor that it computes")
        given = [TENSOR if isinstance(one, Value) else one for one in given[len(changed) :]]
        return Graph(
            self.source(results), self.inputs, self.bound, self.ranges(), self.axes, self.expressions, given, self.numbers, changed,
            self.drawn, self.orders, orders[len(changed) :], self.exported,
        )

    def call(self, node: Any) -> Any:
        target, value = str(node.target), node.meta.get("val")
        draw = _DRAWN.get(target)
        if target in ("aten.randint.default", "aten.randint.low") and all(isinstance(bound, int) for bound in node.args[:-1]):
            draw = functools.partial(torch.randint, *node.args[:-1])
        if draw is None or not all(isinstance(size, int) for size in value.shape):
            return super().call(node)
        self.drawn[node.name] = draw, tuple(value.shape), value.dtype
        return self.input(node, "data")

    def argument(self, node: Any, spec: Any) -> None:
        kind, value = spec.kind.name, node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            if kind == "USER_INPUT":
                if isinstance(value, torch.SymInt):
                    self.add_symbols(value)
                self.numbers[len(self.inputs)] = symbolic(value)
                self.inputs.append(None)
            self.values[node] = symbolic(value)
            return
        if not node.users and kind != "USER_INPUT":
            return
        if kind == "USER_INPUT":
            order = memory_order(value)
            if order is not None:
                self.orders[node.name] = order
            self.inputs.append(node.name)
        else:
            tensor = self.tensor(spec)
            order = None if spec.target in self.exported.graph_signature.buffers_to_mutate.values() else memory_order(tensor)
            self.bound[node.name] = tensor if order is None else tensor.permute(order)
        self.input(node, "data" if kind == "USER_INPUT" else "param", order)

    def tensor(self, spec: Any) -> torch.Tensor:
        state, constants = self.exported.state_dict, self.exported.constants
        found = state[spec.target] if spec.target in state else constants[spec.target]
        return found.detach()

    def ranges(self) -> dict[str, tuple[int, int | None]]:
        constraints, ranges = self.exported.range_constraints, {}
        for name, symbol in self.symbols.items():
            found = constraints.get(symbol)
            if found is not None:
                upper = int(found.upper) if getattr(found.upper, "is_Integer", False) else None
                ranges[name] = (max(int(found.lower), 0), upper)
        return ranges


def memory_order(value: torch.Tensor) -> tuple[int, ...] | None:
    """The axes of a tensor in the order of memory where that is NHWC or NDHWC; None where it lies row by row, or in another way."""
    if value.layout != torch.strided or value.dim() not in (4, 5) or is_dense(value.shape, value.stride()):
        return None
    order = (0, *range(2, value.dim()), 1)
    return order if is_dense([value.shape[axis] for axis in order], [value.stride()[axis] for axis in order]) else None


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """The order that undoes one."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _place(trace: str | None) -> tuple[Place | None, str]:
    """The last line of a stack trace that is not of torch itself, or else the last one."""
    lines = (trace or "").splitlines()
    found: list[tuple[Place | None, str]] = []
    for number, line in enumerate(lines):
        parts = line.strip().split('"')
        if line.strip().startswith("File ") and len(parts) > 2 and ", line " in parts[2]:
            source = lines[number + 1].strip() if number + 1 < len(lines) else ""
            found.append((Place(parts[1], int(parts[2].split(", line ")[1].split(",")[0]), 1), source))
    own = [one for one in found if one[0] and "/torch/" not in one[0].file]
    return (own or found or [(None, "")])[-1]
