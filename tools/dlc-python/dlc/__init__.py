"""dlc: a deep learning compiler that can be read.

    import dlc, numpy as np

    f = dlc.compile('''
    tiny.func @scale<M, N>(%X: tensor<[M, N], f32>, %row: tensor<[N], f32>) -> tensor<[M, N], f32> {
      %y = mul %X, %row
      return %y
    }''')
    f(np.ones((2, 3), np.float32), np.arange(3, dtype=np.float32))   # evaluated on the CPU
    print(f.text("region"))                                          # the program at a layer
    print(f.explain())                                               # what passes decided, and why
"""

from ._errors import ArgumentError, Error, Message, Place, Warning
from ._program import Port, Program, Session, compile

__all__ = [
    "ArgumentError", "Error", "Message", "Place", "Port", "Program", "Session", "Warning", "compile",
]
__version__ = "0.1.0"
