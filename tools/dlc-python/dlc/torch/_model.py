"""Compiled models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from .._errors import refuse
from .._program import Program, Session
from .._program import compile as compile_program
from ._graph import TENSOR, Graph, export, inverse, translate
from ._sizes import Symbolic, is_linear, number_at, solve

#: What divides the addresses of the tensors of kernels, in bytes.
ALIGNED = 128


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
        self._expressions = [
            (places[name], name, axis, expr)
            for name, axes in graph.expressions.items() if name in places
            for axis, expr in axes.items()
        ]
        # Symbols that the program does not find as sizes of its inputs.
        found = {symbol for _, _, _, symbol, _, _ in self._limits}
        self._unknown = [symbol for symbol in program.symbols if symbol not in found]
        self._orders = [(places[name], name, order) for name, order in graph.orders.items()]
        self._result_orders = [order and inverse(order) for order in graph.result_orders] if any(graph.result_orders) else None
        self._gives_tensors = all(one is TENSOR for one in graph.results)
        self._needs_sizes = bool(self._unknown or self._expressions) or any(isinstance(one, Symbolic) for one in graph.results)
        by_type: dict[torch.dtype, list[tuple[str, int]]] = {}
        for place, name in enumerate(graph.changed):
            by_type.setdefault(graph.bound[name].dtype, []).append((name, place))
        self._changed = [([name for name, _ in own], [place for _, place in own]) for own in by_type.values()]
        self._bound: dict[torch.device, _Bound] = {}

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
            flat: Sequence[Any] = args if len(args) == self._takes.num_leaves else self._arrange(args, {})
        else:
            flat = self._arrange(args, kwargs)
        self._check(flat)
        bound = self._on(flat)
        sizes = self._sizes_of(flat) if self._needs_sizes else None
        arguments = bound.arguments
        flat = self._in_memory(flat) if self._orders else flat
        if self.graph.drawn:
            drawn = self.graph.drawn.items()
            arguments = arguments | {name: draw(sizes, dtype=dtype, device=bound.device) for name, (draw, sizes, dtype) in drawn}
        values = [arguments[name] if place is None else flat[place] for name, place in self._arguments]
        outputs = self.program(*values, sizes={name: sizes[name] for name in self._unknown if name in sizes} if sizes and self._unknown else None)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        if not self._arguments:
            outputs = tuple(map(torch.as_tensor, outputs))  # no argument says that they are tensors of torch
        # One launch for many buffers of a type.
        for names, places in self._changed:
            torch._foreach_copy_([bound.originals[name] for name in names], [outputs[place] for place in places])
        outputs = outputs[len(self.graph.changed) :]
        if self._result_orders:
            outputs = tuple([one if order is None else one.permute(order) for one, order in zip(outputs, self._result_orders)])
        if not self._gives_tensors:
            tensors = iter(outputs)
            outputs = tuple([next(tensors) if one is TENSOR else _given(one, sizes) for one in self.graph.results])
        return outputs[0] if self._is_single else torch.utils._pytree.tree_unflatten(outputs, self._gives)

    def _arrange(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any]:
        """The flattened inputs, in the order of the export. Positional arguments may be given by name."""
        tree = torch.utils._pytree
        flat, given = tree.tree_flatten((args, kwargs))
        if given == self._takes:
            return flat
        expected_args, expected_kwargs = tree.tree_unflatten([0] * self._takes.num_leaves, self._takes)
        names = self._names(len(expected_args), list(expected_kwargs))
        positional = names[: len(expected_args)]
        known = f"the model takes {_counted(len(names), 'argument')}{': ' if names else ''}{', '.join(names)}"
        if len(args) > len(positional):
            raise refuse("args", f"{known}; {len(args)} are given by position", "leave out the others, or export the model with them")
        for name in kwargs:
            if name not in names:
                raise refuse(name, f"{known}; none is named {name}", "give arguments by position, or by these names")
            if name in positional[: len(args)]:
                raise refuse(name, f"the argument {name} is given by position and by name", "give it once")
        missing = [name for name in names[len(args) :] if name not in kwargs]
        if missing:
            raise refuse(missing[0], f"{known}; {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing", "give all of them")
        ordered = (*args, *[kwargs[name] for name in positional[len(args) :]]), {name: kwargs[name] for name in names[len(positional) :]}
        flat, given = tree.tree_flatten(ordered)
        if given == self._takes:
            return flat
        for name, value, expected in zip(names, [*ordered[0], *ordered[1].values()], [*expected_args, *expected_kwargs.values()]):
            if tree.tree_structure(value) != tree.tree_structure(expected):
                raise refuse(name, f"the argument {name} is not nested as the one that the model was exported with", f"give {_nested(expected)}")
        raise refuse("args", "the inputs are not nested as those that the model was exported with", "nest them as the example inputs")

    def _names(self, count: int, named: list[str]) -> list[str]:
        """The names of the arguments of the model; those by position come first."""
        signature = self.graph.program.module_call_graph[0].signature if self.graph.program.module_call_graph else None
        names = getattr(signature, "forward_arg_names", None)
        if names and len(names) == count + len(named):
            return [*names[:count], *named]
        leaves = [name or f"#{place}" for place, name in enumerate(self.graph.inputs)]
        return [*(leaves if len(leaves) == count + len(named) else [f"#{place}" for place in range(count)])[:count], *named]

    def _on(self, flat: Sequence[Any]) -> _Bound:
        """Parameters and buffers where the inputs are."""
        device = None
        for place, value in enumerate(flat):
            if isinstance(value, torch.Tensor):
                if device is None:
                    device = value.device
                if value.device != device or device.type not in ("cpu", "cuda"):
                    name = self.graph.inputs[place] or f"#{place}"
                    other = "models run on the CPU or a GPU" if value.device == device else f"the first input is on {device}"
                    raise refuse(name, f"the input {name} is on the device {value.device}, and {other}", f"move {name}")
        device = device or torch.device("cpu")
        if device not in self._bound:
            self._bound[device] = _Bound(self.graph.bound, device)
        bound = self._bound[device]
        for copies, originals in bound.copied:
            torch._foreach_copy_(copies, originals)
        return bound

    def _in_memory(self, flat: Sequence[Any]) -> list[Any]:
        """The inputs with their axes in the order that the graph takes them in. Nothing is copied for it."""
        flat = list(flat)
        for place, name, order in self._orders:
            value = flat[place]
            if not isinstance(value, torch.Tensor) or value.dim() != len(order):
                continue  # the program refuses it
            flat[place] = value.permute(order)
            if not flat[place].is_contiguous():
                form = "torch.channels_last" if value.dim() == 4 else "torch.channels_last_3d"
                message = f"the input {name} has the strides {tuple(value.stride())}, and the model was exported for {form}"
                raise refuse(name, message, f"give {name}.to(memory_format={form}), or export the model with an input that lies row by row")
        return flat

    def _sizes_of(self, flat: Sequence[Any]) -> dict[str, int]:
        """What the symbols are in a call."""
        found = ((symbol, _size(flat[place], axis)) for place, _, axis, symbol, _, _ in self._limits)
        sizes = {symbol: size for symbol, size in found if size is not None}
        for place, value in self.graph.numbers.items():
            if isinstance(value, Symbolic) and value.expr.is_Symbol:
                sizes[str(value.expr)] = flat[place]
        for place, name, axis, expr in self._expressions:
            size = _size(flat[place], axis)
            if size is None or not is_linear(expr):
                continue
            symbol = str(*expr.free_symbols)
            found, (low, high) = solve(expr, size), self.graph.ranges.get(symbol, (0, None))
            if found is None or found < low or (high is not None and found > high):
                message = f"axis {axis} of the input {name} has {size} elements, and it is {expr} where {symbol} is from {low} to {high or 'any size'}"
                raise refuse(name, message, "give a size of this form, or export the model with a larger range of dynamic_shapes")
            sizes.setdefault(symbol, found)
        return sizes

    def _check(self, flat: Sequence[Any]) -> None:
        for place, name, axis, symbol, low, high in self._limits:
            size = _size(flat[place], axis)
            if size is None:
                continue  # the program refuses it
            if size < low or (high is not None and size > high):
                message = f"axis {axis} of the input {name} has {size} elements, and {symbol} is from {low} to {high or 'any size'}"
                raise refuse(name, message, "export the model with a larger range of dynamic_shapes")
        for place, value in self.graph.numbers.items():
            if not isinstance(value, Symbolic) and (type(flat[place]) is not type(value) or flat[place] != value):
                message = f"the input #{place} is {flat[place]!r}, and the model was exported for {value!r}"
                raise refuse(f"#{place}", message, "export the model again for another value")


def placed(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor as kernels read it, row by row from an aligned address: itself, or a copy. Parts of larger tensors, as the weights
    of recurrent modules are on a GPU, begin anywhere."""
    tensor = tensor.contiguous()
    return tensor.clone() if tensor.is_cuda and tensor.data_ptr() % ALIGNED else tensor


class _Bound:
    """Parameters and buffers on a device."""

    def __init__(self, bound: dict[str, torch.Tensor], device: torch.device) -> None:
        self.device = device
        #: On the device of the model they are its own tensors, and changes in place are seen; on others they are copied once.
        self.originals = {name: value.to(device) for name, value in bound.items()}
        self.arguments = {name: placed(value) for name, value in self.originals.items()}
        # Those with gaps, or at odd addresses, are copied at each call, those of a type in one launch.
        by_type: dict[torch.dtype, tuple[list[torch.Tensor], list[torch.Tensor]]] = {}
        for name, value in self.arguments.items():
            if value is not self.originals[name]:
                copies, originals = by_type.setdefault(value.dtype, ([], []))
                copies.append(value)
                originals.append(self.originals[name])
        self.copied = list(by_type.values())


def _size(value: Any, axis: int) -> int | None:
    """The size of an axis; None of what has no such axis."""
    shape = getattr(value, "shape", ())
    return shape[axis] if axis < len(shape) else None


def _given(result: Any, sizes: dict[str, int] | None) -> Any:
    """A result that is no tensor."""
    return number_at(result.expr, sizes or {}) if isinstance(result, Symbolic) else result


def _counted(count: int, what: str) -> str:
    return f"{'no' if count == 0 else count} {what}{'' if count == 1 else 's'}"


def _nested(expected: Any) -> str:
    """How an argument is nested, in the form of Python: a tensor for each leaf."""
    if isinstance(expected, dict):
        return "{" + ", ".join(f"{key!r}: {_nested(value)}" for key, value in expected.items()) + "}"
    if isinstance(expected, (tuple, list)):
        ends = "[]" if isinstance(expected, list) else "()"
        return ends[0] + ", ".join(map(_nested, expected)) + ("," if isinstance(expected, tuple) and len(expected) == 1 else "") + ends[1]
    return "a tensor" if isinstance(expected, int) else type(expected).__name__


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
