"""Sessions and programs."""

from __future__ import annotations

import dataclasses
import functools
import html
import inspect
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _arrays, _dlc
from ._errors import refuse

if TYPE_CHECKING:
    from .torch import Model

__all__ = ["Port", "Program", "Session", "compile"]

_GIB = 1 << 30
# With more calls of a program than this, all are forgotten.
_MOST_CALLS = 256


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or output: its name, its type in the IR, its sizes (numbers, symbols and expressions of them, as text),
    and the type of its elements as numpy and torch call it."""

    name: str
    type: str
    shape: tuple[str, ...]
    dtype: str | None


class Program:
    """A compiled program: call it with arrays.

    Programs are made by `dlc.compile` and `Session.compile`. Threads may share one.
    """

    def __init__(self, program: _dlc.Program) -> None:
        self._program = program
        self._calls: dict[Any, _DeviceCall] = {}

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._program.name

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of its sizes."""
        return tuple(self._program.symbols)

    @functools.cached_property
    def inputs(self) -> tuple[Port, ...]:
        """What it takes."""
        return _ports(self._program.inputs)

    @functools.cached_property
    def outputs(self) -> tuple[Port, ...]:
        """What it gives."""
        return _ports(self._program.outputs)

    def __call__(self, *arrays: Any, sizes: Mapping[str, int] | None = None, **named: Any) -> Any:
        """Runs it on arrays: in the order of its inputs, or by their names.

        Arrays are those of numpy or torch, or anything with the buffer protocol; they lie row by row without gaps.
        Inputs that are single numbers take numbers of Python. `sizes` has the symbols that no array says.

        Tensors in the memory of a GPU (of torch, or by `__cuda_array_interface__` or DLPack) are not copied: the program is
        compiled for their sizes, which is done once, and launched in the current stream of torch, which is not waited for.
        A later call with the same types and sizes computes nothing but what other addresses change.

        The result is one array, or a tuple where there are several outputs: tensors of torch if an argument is one, else
        arrays of numpy (memory views where numpy is not installed).

        Raises `dlc.ArgumentError`, which names the argument, where an array has another type, other sizes or gaps, and
        `dlc.Error` for what compilation, evaluation or the device reports.
        """
        values = (*arrays, *named.values()) if named else arrays
        key = _arrays.signature(values), tuple(named), tuple(sizes.items()) if sizes else None
        if known := self._calls.get(key):
            return known(values)
        found = [(name, _arrays.on_device(value)) for name, value in self._named(arrays, named)]
        if device := next((value.device for _, value in found if value is not None), None):
            call = self._on_device(device, found, len(arrays), sizes)
            if key[0] is not None:
                if len(self._calls) >= _MOST_CALLS:
                    self._calls.clear()
                self._calls[key] = call
            return call([value for _, value in found])
        outputs, _ = self._run(arrays, sizes, named)
        as_torch = any(_arrays.is_torch(value) for value in (*arrays, *named.values()))
        results = tuple(_arrays.give(elem, shape, data, as_torch) for elem, shape, data in outputs)
        return results[0] if len(results) == 1 else results

    def _named(self, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Arguments with the names of their inputs; those that there is no input for have numbers."""
        ports = [port.name for port in self.inputs]
        names = [*ports, *(f"#{number}" for number in range(len(ports), len(arrays)))]
        return [*zip(names, arrays), *named.items()]

    def _on_device(self, device: Any, found: list[tuple[str, Any]], count: int, sizes: Mapping[str, int] | None) -> _DeviceCall:
        """Makes calls on tensors of a GPU like these ready."""
        taken = [(name, _arrays.take_device(name, value, device)) for name, value in found]
        positional = [value for _, value in taken[:count]]
        call = self._program.on_device(device.index or 0, positional, taken[count:], _sizes(sizes))
        places = {name: place for place, (name, _) in enumerate(found)}
        return _DeviceCall(call, [places[port.name] for port in self.inputs], device)

    def _run(self, arrays: tuple[Any, ...], sizes: Mapping[str, int] | None, named: Mapping[str, Any]):
        ports = {port.name: port for port in self.inputs}

        def take(name: str, value: Any):
            port = ports.get(name)
            return _arrays.take(name, value, port.type if port else "none", port.dtype if port and not port.shape else None)

        taken = [(name, take(name, value)) for name, value in self._named(arrays, named)]
        positional = [value for _, value in taken[: len(arrays)]]
        return self._program.call(positional, taken[len(arrays) :], _sizes(sizes))

    def text(self, layer: str) -> str:
        """The text of the program at a layer: `frontend`, `tiny`, `book`, `poly`, `region`, `plan`, `kernel` or `ptx`."""
        return self._program.text(layer)

    def explain(self) -> str:
        """What it takes and gives, the plans of its kernels, and what passes decided on the way to PTX and why."""
        return self._program.explain()

    def explore(self) -> str:
        """A page (HTML) that shows the program after each pass on its way to PTX, its kernels, and what passes decided.

        It needs nothing but a browser: `pathlib.Path("page.html").write_text(f.explore())`. A notebook shows it for a program.
        """
        return self._program.explore()

    def tune(self, seconds: float = 10.0, **sizes: int) -> str:
        """Measures plans of its kernels on a GPU for about so many seconds, at these sizes or those of its shape sets.

        From then on it runs with the fastest of those that give the same numbers, and the file `plan_cache` of `compile`
        gets them. What was measured comes back as a table. Raises `dlc.Error` where there is no GPU.
        """
        return self._program.tune(_sizes(sizes), float(seconds))

    @property
    def plan(self) -> dict[str, dict[str, Any]]:
        """How each of its kernels is made: the plan as JSON, by the name of the kernel.

        An edited plan is given to `compile` as `plan`.
        """
        return {kernel: json.loads(plan) for kernel, plan in self._program.plans()}

    @property
    def ptx(self) -> str:
        """Its PTX, for the sizes and the target that it was compiled for."""
        return self._program.ptx()[0]

    @property
    def manifest(self) -> dict[str, Any]:
        """How its PTX is launched: docs/manifest.md describes it."""
        return json.loads(self._program.ptx()[1])

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.explore())}" style="width: 100%; height: 640px; border: 0"></iframe>'

    def __repr__(self) -> str:
        def ports(all_ports: tuple[Port, ...]) -> str:
            return ", ".join(f"{port.name}: {port.type}" for port in all_ports)

        return f"<dlc.Program @{self.name}({ports(self.inputs)}) -> ({ports(self.outputs)})>"


class _DeviceCall:
    """A program for tensors of certain types and sizes on a GPU."""

    __slots__ = ("_launch", "_order", "_outputs", "_empty", "_stream", "_device")

    def __init__(self, call: _dlc.DeviceCall, order: list[int], device: Any) -> None:
        import torch

        self._launch, self._order = call.launch, order
        self._outputs = [(shape, getattr(torch, elem or "")) for elem, shape in call.outputs]
        self._empty, self._device = torch.empty, device
        raw, index = getattr(torch._C, "_cuda_getCurrentRawStream", None), device.index or 0
        self._stream = functools.partial(raw, index) if raw else lambda: torch.cuda.current_stream(device).cuda_stream

    def __call__(self, values: Sequence[Any]) -> Any:
        """Launches it in the current stream of torch."""
        empty, device = self._empty, self._device
        outputs = [empty(shape, dtype=dtype, device=device) for shape, dtype in self._outputs]
        # The allocator of torch hands memory on in the order of the stream, so inputs may be given back before it is done.
        self._launch(
            [values[place].data_ptr() for place in self._order], [output.data_ptr() for output in outputs], self._stream()
        )
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


class Session:
    """Where programs run, and what is kept between them.

    device: what host arrays are computed on: `"cpu"` (the default: by the evaluators), `"cuda"`, `"cuda:1"`, `"auto"`
        (the GPU if there is one), or `"none"` (programs are compiled and not run).
    threads: how many threads compile and evaluate; by default as many as the machine runs at once.
    cache: how many bytes of machine code for GPUs are kept in the user's cache folder; None keeps and uses none.
    time_limit: how many seconds a kernel may run.
    """

    def __init__(
        self, device: str = "cpu", *, threads: int | None = None, cache: int | None = _GIB, time_limit: float = 30.0
    ) -> None:
        self._session = _dlc.Session(device, threads, cache, time_limit)

    def compile(
        self,
        source: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        *,
        sizes: Mapping[str, int] | None = None,
        shape_sets: Iterable[Mapping[str, int]] = (),
        function: str | None = None,
        plan: str | Mapping[str, Any] | Iterable[Mapping[str, Any]] = "choose",
        plan_cache: str | os.PathLike[str] | None = None,
        passes: str | None = None,
        target: str | None = None,
        unchecked: bool = False,
        dynamic_shapes: Any = None,
    ) -> Program | Model:
        """Reads, verifies and compiles a program: a `Program`, or of PyTorch a `dlc.torch.Model`.

        source: the text of a program (any layer's IR, or JSON), the path of a file with one, JSON as a dictionary, a
            `torch.nn.Module`, or what `torch.export` gives of one.
        args, kwargs, dynamic_shapes: of a module inputs that it is exported for, and which of their sizes are symbols, as
            `torch.export.export` takes them.
        sizes: what symbols of sizes are. Kernels and plans are chosen for these, and calls need not say them.
        shape_sets: sizes that plans are chosen for, a plan for each: a number for each symbol. The program is then compiled
            for a GPU once and runs at all sizes; each launch takes the plan with the least cost at its sizes. Without it, it
            is compiled for the sizes of each call.
        function: which function is meant, where there are several.
        plan: how kernels are made that have no plan: `"choose"` (what an estimate says is fastest) or `"off"` (the
            default tiling); or plans: the text of some, or what `Program.plan` gives, edited or not.
        plan_cache: a file of plans that were measured, which take the place of the estimate on the device that they were
            measured on. `Program.tune` writes it; before that there may be no file.
        passes: a pipeline that runs first; `""` evaluates the program as it is written.
        target: `"sm80"` or `"sm90"`, where it is not that of the device.
        unchecked: whether kernels that are not verified are compiled too.

        Raises `dlc.Error` with the code, the place and a suggestion where something is wrong with the source.
        """
        options: dict[str, Any] = dict(
            sizes=sizes, shape_sets=shape_sets, function=function, plan=plan, plan_cache=plan_cache, passes=passes,
            target=target, unchecked=unchecked,
        )
        if _is_of_torch(source):
            from .torch import compile as compile_model

            return compile_model(source, args, kwargs, dynamic_shapes=dynamic_shapes, session=self, **options)
        if inspect.isroutine(source) or isinstance(source, functools.partial):
            message = "the source is a function, and a function is no module of PyTorch"
            raise refuse("source", message, "call it in `forward` of a torch.nn.Module, and give that with example inputs")
        if args or kwargs or dynamic_shapes is not None:
            raise refuse("args", "a program has its inputs in its text, and example inputs are given", "leave them out")
        text, path = None, None
        if isinstance(source, str):
            _expect_text(source)
            text = source
        elif isinstance(source, Mapping):
            text = json.dumps(source)
        elif isinstance(source, os.PathLike):
            path = os.fspath(source)
        else:
            message = f"a program is text, a path, JSON, or a module of PyTorch, and this is of {type(source).__qualname__}"
            raise refuse("source", message, "export it, or give its text")
        choose, plans = _plans(plan)
        function = function.removeprefix("@") if function else None
        program = self._session.compile(
            text, path, function, _sizes(sizes), [_sizes(s) for s in shape_sets], passes, choose, plans,
            None if plan_cache is None else os.fspath(plan_cache), target, unchecked,
        )
        return Program(program)


@functools.cache
def _session() -> Session:
    return Session()


def compile(
    source: Any,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    *,
    sizes: Mapping[str, int] | None = None,
    shape_sets: Iterable[Mapping[str, int]] = (),
    function: str | None = None,
    plan: str | Mapping[str, Any] | Iterable[Mapping[str, Any]] = "choose",
    plan_cache: str | os.PathLike[str] | None = None,
    passes: str | None = None,
    target: str | None = None,
    unchecked: bool = False,
    dynamic_shapes: Any = None,
) -> Program | Model:
    """Compiles a program in a session that all callers of this share, and that evaluates host arrays on the CPU.

    See `Session.compile`.
    """
    return _session().compile(
        source, args, kwargs, sizes=sizes, shape_sets=shape_sets, function=function, plan=plan, plan_cache=plan_cache,
        passes=passes, target=target, unchecked=unchecked, dynamic_shapes=dynamic_shapes,
    )


def _is_of_torch(source: Any) -> bool:
    """Whether this is a module of PyTorch or an exported program: of one that is there, torch is imported."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    from torch.export import ExportedProgram

    return isinstance(source, (torch.nn.Module, ExportedProgram))


def _ports(ports: Iterable[tuple[str, str, list[str], str | None]]) -> tuple[Port, ...]:
    return tuple(Port(name, text, tuple(shape), dtype) for name, text, shape, dtype in ports)


def _sizes(sizes: Mapping[str, int] | None) -> list[tuple[str, int]]:
    return [(name, int(size)) for name, size in (sizes or {}).items()]


def _expect_text(source: str) -> None:
    """A name of a file is most likely meant as one."""
    name = source.strip()
    if "\n" not in name and "{" not in name and name.endswith((".mlir", ".tiny", ".json", ".frontend")):
        message = f"the source is the text of a program, and '{name}' is the name of a file"
        raise refuse("source", message, f"give pathlib.Path({name!r})")


def _plans(plan: str | Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> tuple[bool, list[str]]:
    """Whether plans are chosen for kernels that have none, and the plans that are given."""
    if isinstance(plan, str):
        return plan != "off", [] if plan in ("choose", "off") else [plan]
    if not isinstance(plan, Mapping):
        return True, [json.dumps(one) for one in plan]
    # Either one plan, or what `Program.plan` gives: plans by the names of their kernels.
    if "tile" in plan or not all(isinstance(value, Mapping) for value in plan.values()):
        return True, [json.dumps(plan)]
    return True, [json.dumps({"kernel": kernel} | dict(one)) for kernel, one in plan.items()]
