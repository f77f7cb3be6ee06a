"""Compiled models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from .._errors import refuse
from .._program import Program, Session
from .._program import compile as compile_program
from ._graph import Graph, export, translate


class Model:
    """A compiled model: call it as the model is called, with tensors."""

    def __init__(self, graph: Graph, program: Program) -> None:
        self.graph, self.program = graph, program
        # Both are made again each time that they are asked for.
        self._takes, self._gives = graph.program.call_spec.in_spec, graph.program.call_spec.out_spec
        tree = torch.utils._pytree
        count = self._takes.num_leaves
        # Whether it takes tensors alone, by position, and gives one.
        self._is_flat = self._takes == tree.tree_flatten(((0,) * count, {}))[1]
        self._is_single = self._gives == tree.tree_flatten(0)[1]
        places = {name: place for place, name in enumerate(graph.inputs) if name is not None}
        # For each argument of the program its name, and its place where it is an input.
        self._arguments = [(port.name, places.get(port.name)) for port in program.inputs]
        self._limits = [
            (places[name], name, axis, symbol, *graph.ranges.get(symbol, (0, None)))
            for name, axes in graph.axes.items() if name in places
            for axis, symbol in axes.items()
        ]
        by_type: dict[torch.dtype, list[tuple[str, int]]] = {}
        for place, name in enumerate(graph.changed):
            by_type.setdefault(graph.bound[name].dtype, []).append((name, place))
        self._changed = [([name for name, _ in own], [place for _, place in own]) for own in by_type.values()]
        self._bound: dict[torch.device, dict[str, torch.Tensor]] = {}

    @property
    def source(self) -> str:
        """The graph, as text."""
        return self.graph.source

    def text(self, layer: str) -> str:
        """The program at a layer."""
        return self.program.text(layer)

    def explain(self) -> str:
        """What passes decided, and why."""
        return self.program.explain()

    def explore(self) -> str:
        """A page (HTML) of the program after each pass, and of its kernels."""
        return self.program.explore()

    def tune(self, seconds: float = 10.0, **sizes: int) -> str:
        """Measures plans on a GPU, and runs with the fastest from then on; see `dlc.Program.tune`."""
        return self.program.tune(seconds, **sizes)

    @property
    def plan(self) -> dict[str, dict[str, Any]]:
        """How each kernel is made; see `dlc.Program.plan`."""
        return self.program.plan

    def _repr_html_(self) -> str:
        return self.program._repr_html_()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it. Raises `dlc.ArgumentError` for an input with another type, or sizes that it is not for."""
        if self._is_flat and not kwargs and all([isinstance(arg, torch.Tensor) for arg in args]):
            flat: Sequence[Any] = args
            fits = len(args) == self._takes.num_leaves
        else:
            flat, given = torch.utils._pytree.tree_flatten((args, kwargs))
            fits = given == self._takes
        if not fits:
            raise refuse("args", "the inputs are not nested as those that the model was exported with", f"give {self._takes}")
        self._check(flat)
        bound = self._on(flat)
        if self.graph.drawn:
            device = next((value.device for value in flat if isinstance(value, torch.Tensor)), None)
            bound = bound | {name: draw(sizes, dtype=dtype, device=device) for name, (draw, sizes, dtype) in self.graph.drawn.items()}
        outputs = self.program(*[bound[name] if place is None else flat[place] for name, place in self._arguments])
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        if not self._arguments:
            outputs = tuple(map(torch.as_tensor, outputs))  # no argument says that they are tensors of torch
        # One launch for many buffers of a type.
        for names, places in self._changed:
            torch._foreach_copy_([bound[name] for name in names], [outputs[place] for place in places])
        outputs = outputs[len(self.graph.changed) :]
        return outputs[0] if self._is_single else torch.utils._pytree.tree_unflatten(outputs, self._gives)

    def _on(self, flat: Sequence[Any]) -> dict[str, torch.Tensor]:
        """Parameters and buffers where the inputs are: copied there once."""
        device = next((value.device for value in flat if isinstance(value, torch.Tensor)), torch.device("cpu"))
        if device not in self._bound:
            self._bound[device] = {name: value.to(device) for name, value in self.graph.bound.items()}
        return self._bound[device]

    def _check(self, flat: Sequence[Any]) -> None:
        for place, name, axis, symbol, low, high in self._limits:
            size = flat[place].shape[axis]
            if size < low or (high is not None and size > high):
                message = f"axis {axis} of the input {name} has {size} elements, and {symbol} is from {low} to {high or 'any size'}"
                raise refuse(name, message, "export the model with a larger range of dynamic_shapes")


def compile(
    model: torch.nn.Module | ExportedProgram,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    session: Session | None = None,
    **options: Any,
) -> Model:
    """Compiles a model, exported for inputs like `args` and `kwargs`, or already exported.

    dynamic_shapes: which sizes are symbols, as `torch.export.export` takes it.
    session: where it runs; by default host tensors are evaluated on the CPU.
    options: those of `dlc.compile`.
    """
    if not isinstance(model, ExportedProgram):
        model = export(model, args, kwargs, dynamic_shapes=dynamic_shapes)
    graph = translate(model)
    make = session.compile if session else compile_program
    return Model(graph, make(graph.source, **options))
