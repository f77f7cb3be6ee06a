"""Compiled models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.export import ExportedProgram

from .._errors import refuse
from .._program import Program, Session
from .._program import compile as compile_program
from ._graph import Graph, translate


class Model:
    """A compiled model: call it as the model is called, with tensors."""

    def __init__(self, graph: Graph, program: Program) -> None:
        self.graph, self.program = graph, program
        self._arguments = [port.name for port in program.inputs]
        self._bound: dict[torch.device, dict[str, torch.Tensor]] = {}

    @property
    def source(self) -> str:
        """The graph, as text."""
        return self.graph.source

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it. Raises `dlc.ArgumentError` for an input with another type, or sizes that it is not for."""
        spec = self.graph.program.call_spec
        flat, given = torch.utils._pytree.tree_flatten((args, kwargs))
        if given != spec.in_spec:
            raise refuse("args", "the inputs are not nested as those that the model was exported with", f"give {spec.in_spec}")
        tensors = {name: value for name, value in zip(self.graph.inputs, flat) if name is not None}
        self._check(tensors)
        bound = self._on(tensors)
        outputs = self.program(*[bound[name] if name in bound else tensors[name] for name in self._arguments])
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        for name, value in zip(self.graph.changed, outputs):
            bound[name].copy_(value)
        return torch.utils._pytree.tree_unflatten(outputs[len(self.graph.changed) :], spec.out_spec)

    def _on(self, tensors: Mapping[str, Any]) -> dict[str, torch.Tensor]:
        """Parameters and buffers where the inputs are: copied there once."""
        device = next((value.device for value in tensors.values() if isinstance(value, torch.Tensor)), torch.device("cpu"))
        if device not in self._bound:
            self._bound[device] = {name: value.to(device) for name, value in self.graph.bound.items()}
        return self._bound[device]

    def _check(self, tensors: Mapping[str, Any]) -> None:
        for name, axes in self.graph.axes.items():
            for axis, symbol in axes.items():
                size = tensors[name].shape[axis]
                low, high = self.graph.ranges.get(symbol, (0, None))
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
        model = torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)
    graph = translate(model)
    make = session.compile if session else compile_program
    return Model(graph, make(graph.source, **options))
