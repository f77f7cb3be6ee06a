"""From an exported program to a graph."""

from __future__ import annotations

import contextlib
import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import Any

import sympy
import torch
from torch.export import ExportedProgram

from .._errors import Error, Message, Place, refuse
from ._builder import DTYPES, OPS, Builder, Value, size_text
from ._recurrent import shapes_only

# Ops that the layer has, and that core ATen would decompose.
KEPT = [
    "aten.linear.default", "aten.scaled_dot_product_attention.default", "aten.layer_norm.default",
    "aten.rms_norm.default", "aten.group_norm.default", "aten.silu.default", "aten.mish.default",
    "aten.hardswish.default", "aten.hardsigmoid.default", "aten.softplus.default", "aten.log_sigmoid.default",
    "aten.celu.default", "aten.lerp.Tensor", "aten.logsumexp.default", "aten.square.default", "aten.stack.default",
    "aten.relu6.default", "aten.selu.default", "aten.logaddexp.default", "aten.lstm.input", "aten.gru.input",
    "aten.rnn_tanh.input", "aten.rnn_relu.input",
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
    #: The symbolic sizes of each input, by axis.
    axes: dict[str, dict[int, str]]
    #: The buffers that the first results are new values of, by their names in the graph.
    changed: list[str]
    #: The arguments that are random numbers, in the order in which they are drawn: what draws them, sizes and type.
    drawn: dict[str, tuple[Callable[..., torch.Tensor], tuple[int, ...], torch.dtype]]
    #: How inputs and outputs are nested.
    program: ExportedProgram


def export(model: torch.nn.Module, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None, *, dynamic_shapes: Any = None) -> ExportedProgram:
    """`torch.export.export`, without tracing the steps of recurrent layers, which graphs have in a form of their own."""
    with shapes_only():
        return torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)


def translate(exported: ExportedProgram, name: str = "main") -> Graph:
    """Translates an exported program. Raises `UnsupportedOp` with every op that no translation is registered for."""
    with shapes_only():
        exported = exported.run_decompositions(decompositions())
    _expect_inputs_unchanged(exported)
    return _Exported(exported, name).graph()


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
        self.symbols: dict[str, sympy.Symbol] = {}
        self.missing: dict[str, Message] = {}
        self.failed: set[Any] = set()

    def input(self, node: Any, role: str) -> Value:
        """Makes an argument of the graph for a placeholder that is a tensor."""
        value = node.meta["val"]
        dtype = value.dtype
        if dtype not in DTYPES:
            raise refuse(node.name, f"the input {node.name} is of {dtype}", f"cast it to one of {', '.join(map(str, DTYPES))}")
        made = Value(self.builder.name(node.name), dtype, tuple(size_text(size) for size in value.shape))
        for axis, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt):
                self.add_symbols(size)
                if size.node.expr.is_Symbol:
                    self.axes.setdefault(node.name, {})[axis] = str(size.node.expr)
        self.arguments.append(f'{made.name}: {self.builder.type(made)} {{role = "{role}"}}')
        self.values[node] = made
        return made

    def add_symbols(self, size: torch.SymInt) -> None:
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
        if isinstance(value, (int, torch.SymInt, float, bool)):
            return value
        if target.startswith(_SKIPPED) or value is None:
            return None
        # What depends on an op that is not translated says nothing new.
        if not self.failed.isdisjoint(node.all_input_nodes):
            self.failed.add(node)
            return None
        if node.target is operator.getitem:
            return self.values[node.args[0]][node.args[1]]
        translation = OPS.get(target)
        why = f"no translation of {target} is registered"
        if translation is not None:
            args, named = torch.fx.node.map_arg((node.args, dict(node.kwargs)), lambda arg: self.values[arg])
            try:
                return translation(self.builder, node, *args, **named)
            except (NotImplementedError, ValueError, TypeError) as error:
                why = f"{target} is not translated {error}" if isinstance(error, NotImplementedError) else f"{target}: {error}"
        self.failed.add(node)
        self.missing.setdefault(f"{target} {self.module(node)}", self.message(node, target, why))
        return None

    def module(self, node: Any) -> str:
        stack = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values() if isinstance(path, str) and not path.startswith("_")]
        return stack[-1] if stack and stack[-1] else "the model itself"

    def message(self, node: Any, target: str, why: str) -> Message:
        place, source = _place(node.meta.get("stack_trace"))
        message = f"{why}; it is from {self.module(node)}"
        suggestion = f'@dlc.torch.register("{target}") adds a translation'
        at = f"\n  at {place}: {source}" if place else ""
        return Message("E0101", "UnknownOp", message, place, suggestion, (), f"error[E0101]: {message}{at}\n  help: {suggestion}")


class _Exported(Translation):
    """Translates an exported program."""

    def __init__(self, exported: ExportedProgram, name: str) -> None:
        super().__init__(name)
        self.exported = exported
        self.bound: dict[str, torch.Tensor] = {}
        self.inputs: list[str | None] = []
        self.drawn: dict[str, tuple[Callable[..., torch.Tensor], tuple[int, ...], torch.dtype]] = {}

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
        results = [self.values[node] for node in output.args[0]]
        arguments = {spec.target: spec.arg.name for spec in specs.values() if spec.target is not None}
        changed = [arguments[target] for target in self.exported.graph_signature.buffers_to_mutate.values()]
        # A buffer that is written and not read is no argument, and stays one of the tensors of the model.
        for spec in specs.values():
            if spec.arg.name in changed and spec.arg.name not in self.bound:
                self.bound[spec.arg.name] = self.tensor(spec)
        return Graph(self.source(results), self.inputs, self.bound, self.ranges(), self.axes, changed, self.drawn, self.exported)

    def call(self, node: Any) -> Any:
        draw, value = _DRAWN.get(str(node.target)), node.meta.get("val")
        if draw is None or not all(isinstance(size, int) for size in value.shape):
            return super().call(node)
        self.drawn[node.name] = draw, tuple(value.shape), value.dtype
        return self.input(node, "data")

    def argument(self, node: Any, spec: Any) -> None:
        kind, value = spec.kind.name, node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            if kind == "USER_INPUT":
                self.inputs.append(None)
            self.values[node] = value
            return
        if not node.users and kind != "USER_INPUT":
            return
        self.input(node, "data" if kind == "USER_INPUT" else "param")
        if kind == "USER_INPUT":
            self.inputs.append(node.name)
        else:
            self.bound[node.name] = self.tensor(spec)

    def tensor(self, spec: Any) -> torch.Tensor:
        state, constants = self.exported.state_dict, self.exported.constants
        found = state[spec.target] if spec.target in state else constants[spec.target]
        return found.detach().contiguous()

    def ranges(self) -> dict[str, tuple[int, int | None]]:
        constraints, ranges = self.exported.range_constraints, {}
        for name, symbol in self.symbols.items():
            found = constraints.get(symbol)
            if found is not None:
                upper = int(found.upper) if getattr(found.upper, "is_Integer", False) else None
                ranges[name] = (max(int(found.lower), 0), upper)
        return ranges


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
