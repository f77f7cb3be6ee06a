"""PyTorch models as graphs of the layer `frontend`.

    import torch, dlc.torch

    f = dlc.torch.compile(model.eval(), (torch.randn(2, 16),), dynamic_shapes=({0: torch.export.Dim("B")},))
    y = f(torch.randn(5, 16))
    print(f.source)              # the graph, as text
    print(f.program.explain())

A model is exported by `torch.export`, decomposed to core ATen without the ops that the layer has itself, and translated
op by op: `OPS` is the table, `register` adds to it. Parameters, buffers and constants become arguments, which the
compiled model gives by itself.

`torch.compile(model, backend="dlc")` compiles what dynamo captures, with gradients, and runs other ops in torch.
"""

from . import _gradients, _indices, _norms, _ops, _orders, _pools, _recurrent, _scatters, _special
from ._builder import OPS, Builder, Value, register
from ._dynamo import backend, fallbacks
from ._graph import Graph, UnsupportedOp, export, translate
from ._model import Model, compile
from ._sizes import Symbolic

__all__ = ["OPS", "Builder", "Graph", "Model", "Symbolic", "UnsupportedOp", "Value", "backend", "compile", "export", "fallbacks", "register", "translate"]
