"""The backend of `torch.compile`: graphs of dynamo, forward and backward, as programs of dlc with torch between them."""

from __future__ import annotations

import collections
import contextlib
import operator
import re
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.fx.passes.tools_common import stable_topological_sort
from torch.fx.passes.utils.fuser_utils import fuse_as_graphmodule, topo_sort

from .._errors import Error, Message, Warning
from .._program import Program, Session
from .._program import compile as compile_program
from ._builder import DTYPES, OPS, Builder, Value
from ._graph import Translation, UnsupportedOp, decompositions
from ._model import placed
from ._sizes import size_text, symbolic

#: Ops that run in torch, and how often they were met in graphs so far: by their names, with the reason.
fallbacks: collections.Counter[tuple[str, str]] = collections.Counter()

# Norms, losses and their gradients: in training their parts are programs, as their statistics are used again.
_IN_PARTS = [
    "native_layer_norm", "native_layer_norm_backward", "native_group_norm", "native_group_norm_backward",
    "native_batch_norm", "native_batch_norm_backward", "_native_batch_norm_legit", "_native_batch_norm_legit_functional",
    "_fused_rms_norm", "_fused_rms_norm_backward", "nll_loss_forward", "nll_loss_backward",
]
# Ops whose decompositions consist of ops that are not translated.
_WHOLE = ["aten.embedding_dense_backward.default", "aten._scaled_dot_product_flash_attention_for_cpu.default"]

# Ops that only look at what is there in another way.
_VIEWS = {
    f"aten.{name}"
    for name in (
        "view.default", "unsqueeze.default", "squeeze.dim", "squeeze.dims", "squeeze.default", "permute.default",
        "transpose.int", "t.default", "expand.default", "slice.Tensor", "select.int", "alias.default", "detach.default",
        "split.Tensor", "split_with_sizes.default", "unbind.int", "clone.default",
    )
}

_lock = threading.Lock()
_programs: dict[tuple[Any, ...], Program] = {}


def backend(gm: torch.fx.GraphModule, inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """`torch.compile(model, backend="dlc")`: compiles a graph, and the graph of its gradients where they are wanted.

    Sizes that dynamo has made symbols stay symbols, so other sizes do not compile anew. Ops that nothing translates run in
    torch: a `dlc.Warning` names each of them once, and `dlc.torch.fallbacks` counts them. Equal graphs are compiled once.

    options: `session`, and the options of `dlc.compile`.
    """
    from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
    from torch._dynamo.backends.common import aot_autograd

    given = dict(options or {})
    session = given.pop("session", None)
    is_trained = torch.is_grad_enabled() and any(isinstance(x, torch.Tensor) and x.requires_grad for x in (*inputs, *gm.parameters()))

    def compiled(graph: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        return make_boxed_func(split(graph, session, given).forward)

    # Attention whose gradient is wanted is taken apart: the ops that torch has for it keep what only they understand.
    apart = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH) if is_trained else contextlib.nullcontext()
    with apart:
        return aot_autograd(
            fw_compiler=compiled,
            partition_fn=min_cut_rematerialization_partition,
            decompositions=decompositions(_IN_PARTS if is_trained else (), _WHOLE),
        )(gm, inputs)


def split(gm: torch.fx.GraphModule, session: Session | None = None, options: Mapping[str, Any] | None = None) -> torch.fx.GraphModule:
    """Replaces the parts of a graph that are translated by programs. What is left of it runs in torch."""
    support = _Support(gm)
    proposed = CapabilityBasedPartitioner(gm, support, allows_single_node_partition=True).propose_partitions()
    for number, partition in enumerate(proposed):
        nodes = _trimmed(gm, topo_sort(list(partition.nodes)))
        if nodes:
            _replace(gm, nodes, f"program_{number}", session, options or {})
    stable_topological_sort(gm)
    gm.graph.eliminate_dead_code()
    gm.recompile()
    support.report()
    return gm


def _is_view(node: Any) -> bool:
    return str(node.target) in _VIEWS or node.target is operator.getitem


def _trimmed(gm: torch.fx.GraphModule, nodes: list[Any]) -> list[Any]:
    """The nodes of a program: views of its inputs and of its outputs are left to torch, which copies nothing for them."""
    kept = dict.fromkeys(nodes)
    for node in reversed(nodes):
        computes = not _is_view(node) or (node.target is operator.getitem and str(node.args[0].target) not in _VIEWS)
        if not computes and not any(user in kept for user in node.users):
            del kept[node]
    made_inside: set[Any] = set()
    for node in [node for node in nodes if node in kept]:
        if not _is_view(node) or any(arg in made_inside for arg in node.all_input_nodes):
            made_inside.add(node)
            continue
        # A view of an input that is wanted outside, too, is made there once more.
        outside = [user for user in node.users if user not in kept]
        if outside:
            with gm.graph.inserting_after(node):
                twin = gm.graph.node_copy(node)
            for user in outside:
                user.replace_input_with(node, twin)
    return [node for node in nodes if node in kept] if made_inside else []


def _replace(gm: torch.fx.GraphModule, nodes: list[Any], name: str, session: Session | None, options: Mapping[str, Any]) -> None:
    """Puts a program in place of some nodes. Where it is not compiled, they stay."""
    part, inputs, outputs = fuse_as_graphmodule(gm, nodes, name, dict.fromkeys(nodes), always_return_tuple=True)
    if not any(isinstance(node.meta["val"], torch.Tensor) for node in inputs):
        return  # numbers alone: tensors say what is computed where
    try:
        translation, source = _translate(part)
        program = _compile(source, list(translation.symbols), session, options)
    except Error as error:
        _report("graph", f"{len(nodes)} ops are not compiled: {error.message}")
        return
    sizes = _sizes(gm, translation, inputs)
    if sizes is None:
        _report("graph", f"{len(nodes)} ops have sizes that no input has")
        return
    values = [node.meta["val"] for node in inputs]
    tensors = [place for place, value in enumerate(values) if isinstance(value, torch.Tensor)]
    layouts = [_layout(node.meta["val"]) for node in outputs]
    missing = [symbol in sizes for symbol in translation.symbols]
    called = Part(program, [program.symbols[place] for place, is_missing in enumerate(missing) if is_missing], layouts, _device(values))
    gm.add_submodule(name, called)
    last = max(outputs, key=list(gm.graph.nodes).index)
    with gm.graph.inserting_after(last):
        call = gm.graph.call_module(name, tuple(inputs[place] for place in tensors) + tuple(sizes.values()))
    call.meta["val"] = tuple(node.meta["val"] for node in outputs)
    with gm.graph.inserting_before(call.next):
        for place, output in enumerate(outputs):
            item = gm.graph.call_function(operator.getitem, (call, place))
            output.replace_all_uses_with(item, propagate_meta=True)
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def _translate(part: torch.fx.GraphModule) -> tuple[Translation, str]:
    """A part of a graph as text."""
    translation, results = Translation("graph"), []
    for node in part.graph.nodes:
        value = node.meta.get("val")
        if node.op == "placeholder" and isinstance(value, torch.Tensor):
            translation.input(node, "param" if isinstance(value, torch.nn.Parameter) else "data")
        elif node.op == "placeholder":
            translation.values[node] = symbolic(value)
            if isinstance(value, (torch.SymInt, torch.SymFloat)):
                translation.add_symbols(value)
        elif node.op == "call_function":
            translation.values[node] = translation.call(node)
        elif node.op == "output":
            results = [translation.values[result] for result in node.args[0]]
    if translation.missing:
        raise UnsupportedOp(tuple(translation.missing.values()))
    return translation, translation.source(results)


def _compile(source: str, symbols: list[str], session: Session | None, options: Mapping[str, Any]) -> Program:
    """Compiles a graph, unless one that differs in names alone was compiled before."""
    names: dict[str, str] = {}
    source = re.sub(r"%\w+", lambda found: names.setdefault(found[0], f"%v{len(names)}"), source)
    for number, symbol in enumerate(symbols):
        source = re.sub(rf"\b{symbol}\b", f"S{number}", source)
    key = (session, source, repr(sorted(options.items())))
    with _lock:
        if key not in _programs:
            _programs[key] = (session.compile if session else compile_program)(source, **options)
        return _programs[key]


def _sizes(gm: torch.fx.GraphModule, translation: Translation, inputs: Sequence[Any]) -> dict[str, Any] | None:
    """The nodes that give the symbols which are no size of an input; None where there is none for one of them."""
    known = {symbol for axes in translation.axes.values() for symbol in axes.values()}
    sizes: dict[str, Any] = {}
    for symbol in translation.symbols:
        if symbol in known:
            continue
        sources = [node for node in (*inputs, *gm.graph.find_nodes(op="placeholder")) if _is_symbol(node.meta.get("val"), symbol)]
        if not sources:
            return None
        sizes[symbol] = sources[0]
    return sizes


def _is_symbol(value: Any, symbol: str) -> bool:
    return isinstance(value, torch.SymInt) and str(value.node.expr) == symbol


def _layout(value: torch.Tensor) -> list[int] | None:
    """The order of the axes in memory, outermost first, where it is not that of the axes."""
    if value.dim() < 2 or value.is_contiguous():
        return None
    strides = [stride.node.hint if isinstance(stride, torch.SymInt) else stride for stride in value.stride()]
    order = sorted(range(value.dim()), key=lambda axis: -(strides[axis] or 0))
    return None if order == list(range(value.dim())) else order


def _device(values: Sequence[Any]) -> torch.device | None:
    """Where a part runs: where its inputs with axes are."""
    devices = [value.device for value in values if isinstance(value, torch.Tensor)]
    return next((device for device in devices if device.type != "cpu"), devices[0] if devices else None)


class Part(torch.nn.Module):
    """A program in a graph. It takes its tensors, and then the sizes that they do not have."""

    def __init__(self, program: Program, symbols: Sequence[str], layouts: Sequence[list[int] | None], device: torch.device | None) -> None:
        super().__init__()
        self.program, self.symbols, self.device = program, tuple(symbols), device
        self.layouts = list(layouts) if any(layout is not None for layout in layouts) else None

    def forward(self, *args: Any) -> tuple[torch.Tensor, ...]:
        """Runs it."""
        count = len(args) - len(self.symbols)
        tensors = args[:count]
        if self.device is not None and self.device.type != "cpu":
            tensors = [tensor if tensor.is_cuda else tensor.to(self.device) for tensor in tensors]
        tensors = [placed(tensor) for tensor in tensors]
        outputs = self.program(*tensors, sizes=dict(zip(self.symbols, args[count:])) if self.symbols else None)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return outputs if self.layouts is None else tuple(map(_laid_out, outputs, self.layouts))


def _laid_out(tensor: torch.Tensor, order: list[int] | None) -> torch.Tensor:
    """A tensor with its axes in another order in memory."""
    if order is None:
        return tensor
    inverse = sorted(range(len(order)), key=order.__getitem__)
    return tensor.permute(order).contiguous().permute(inverse)


class _Support(OperatorSupportBase):
    """Which nodes of a graph are translated."""

    def __init__(self, gm: torch.fx.GraphModule) -> None:
        values = [node.meta.get("val") for node in gm.graph.nodes]
        self.device = _device(values)
        self.reasons: dict[Any, str | None] = {}

    def is_node_supported(self, submodules: Mapping[str, Any], node: Any) -> bool:
        """Whether it is. Each node is looked at once."""
        if node not in self.reasons:
            self.reasons[node] = self.refusal(node)
        return self.reasons[node] is None

    def refusal(self, node: Any) -> str | None:
        """Why a node is not translated."""
        if node.op != "call_function":
            return "not an op"
        if node.target is operator.getitem:
            return None if self.is_node_supported({}, node.args[0]) else "part of what runs in torch"
        value, target = node.meta.get("val"), str(node.target)
        results = [one for one in (value if isinstance(value, (tuple, list)) else [value]) if one is not None]
        if not results or not all(isinstance(one, torch.Tensor) for one in results):
            return "a number"
        translation = OPS.get(target)
        if translation is None:
            return "no translation is registered"
        tensors = [arg.meta["val"] for arg in node.all_input_nodes if isinstance(arg.meta.get("val"), torch.Tensor)] + results
        unknown = next((one.dtype for one in tensors if one.dtype not in DTYPES), None)
        if unknown is not None:
            return f"there is no type {unknown}"
        if any(one.device != self.device and one.dim() for one in tensors) or any(one.device != self.device for one in results):
            return "it is on another device"
        return _refusal(translation, node)

    def report(self) -> None:
        """Counts what runs in torch."""
        for node, reason in self.reasons.items():
            if reason in (None, "not an op", "a number", "part of what runs in torch") or _is_view(node):
                continue
            _report(str(node.target), reason)


def _refusal(translation: Callable[..., Any], node: Any) -> str | None:
    """Why a translation does not take a node: it is tried on values that have its types."""

    def stand_in(arg: Any) -> Any:
        value = arg.meta.get("val")
        return Value(f"%{arg.name}", value.dtype, tuple(map(size_text, value.shape))) if isinstance(value, torch.Tensor) else symbolic(value)

    try:
        args, named = torch.fx.node.map_arg((node.args, dict(node.kwargs)), stand_in)
        made = translation(Builder(), node, *args, **named)
    except (NotImplementedError, ValueError, TypeError, LookupError, AttributeError) as error:
        return f"it is not translated {error.args[0]}" if isinstance(error, NotImplementedError) else str(error)
    if isinstance(made, tuple):
        wanted = [user.args[1] for user in node.users if user.target is operator.getitem and user.users]
        if any(place >= len(made) or made[place] is None for place in wanted):
            return "results are used that its translation does not give"
    return None


def _report(op: str, reason: str) -> None:
    """Counts an op that runs in torch. A warning names it the first time."""
    is_new = not any(op == other and (op != "graph" or reason == why) for other, why in fallbacks)
    fallbacks[op, reason] += 1
    if is_new:
        message = f"{op} runs in torch: {reason}"
        text = f"warning[E0101]: {message}"
        warnings.warn(Warning(Message("E0101", "UnknownOp", message, None, None, (), text)), stacklevel=2)
