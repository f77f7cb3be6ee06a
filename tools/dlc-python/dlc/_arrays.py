"""Arrays of numpy and torch, and anything with the buffer protocol, as type, sizes and bytes, and back.

Neither library is imported here unless an argument is of it, or numpy for results where it is installed.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from collections.abc import Sequence
from typing import Any

from ._errors import refuse

# The formats of the buffer protocol, in the order of their names; sizes decide what 'l' is.
_FORMATS = {"?": "bool", "e": "float16", "f": "float32", "d": "float64"}
_INTEGERS = {"b": True, "B": False, "h": True, "H": False, "i": True, "I": False, "l": True, "L": False, "q": True, "Q": False}
_STRUCT = {name: code for code, name in _FORMATS.items()} | {
    f"{'' if signed else 'u'}int{8 * struct.calcsize('=' + code)}": code for code, signed in _INTEGERS.items() if code not in "lL"
}


def _module(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def is_torch(value: Any) -> bool:
    """Whether it is a tensor of torch."""
    return _module(value) == "torch" and hasattr(value, "data_ptr")


def take(name: str, value: Any, type: str, elem: str | None) -> tuple[str, list[int], memoryview]:
    """An argument as the name of its element type, its sizes and its bytes. `type` is that of the input, and `elem` what a
    single number becomes."""
    if isinstance(value, (bool, int, float)):
        return _number(name, value, type, elem)
    if is_torch(value):
        return _of_torch(name, value)
    if _module(value) == "numpy" and hasattr(value, "dtype"):
        return _of_numpy(name, value)
    return _of_buffer(name, value)


def on_device(value: Any) -> Any:
    """The tensor of torch that an argument in the memory of a GPU is, without a copy; None if it is not there.

    Tensors of torch, and arrays of others by `__cuda_array_interface__` or DLPack.
    """
    if is_torch(value):
        return value if value.is_cuda else None
    if hasattr(value, "__cuda_array_interface__"):
        import torch

        return torch.as_tensor(value, device="cuda")
    if hasattr(value, "__dlpack_device__") and _module(value) != "numpy" and value.__dlpack_device__()[0] == 2:
        import torch

        return torch.from_dlpack(value)
    return None


def signature(values: Sequence[Any]) -> tuple[Any, ...] | None:
    """What calls on tensors of torch are known by: types, sizes, devices, and whether they have gaps. None for others."""
    try:
        return tuple([(value.dtype, value.shape, value.get_device(), value.is_contiguous()) for value in values])
    except AttributeError:
        return None


def take_device(name: str, value: Any, device: Any) -> tuple[str, list[int]]:
    """A tensor of torch in the memory of a GPU as the name of its element type and its sizes."""
    if value is None or value.device != device:
        where = "in host memory" if value is None else f"on {value.device}"
        raise refuse(name, f"the input {name} is {where}, and others are on {device}", f"move {name} to {device}")
    if not value.is_contiguous():
        raise _strides(name, value.stride(), f"give {name}.contiguous()")
    return str(value.dtype).removeprefix("torch."), list(value.shape)


def _strides(name: str, strides: Any, way: str):
    message = f"the input {name} does not lie row by row without gaps: its strides are {tuple(strides)}"
    return refuse(name, message, way)


def _number(name: str, value: Any, type: str, elem: str | None) -> tuple[str, list[int], memoryview]:
    code = _STRUCT.get(elem or "")
    if code is None:
        raise refuse(name, f"the input {name} is {type}, and a number is given", "give an array of that type")
    try:
        packed = struct.pack("<" + code, float(value) if code in "efd" else value)
    except (struct.error, OverflowError, TypeError) as error:
        message = f"the input {name} is of {elem}, and {value!r} is no such number: {error}"
        raise refuse(name, message, "give a number of that type") from None
    return elem or "", [], memoryview(packed)


def _of_torch(name: str, value: Any) -> tuple[str, list[int], memoryview]:
    if value.device.type != "cpu":
        message = f"the input {name} is on the device {value.device}, and host arrays are taken"
        raise refuse(name, message, f"give {name}.cpu()")
    if value.is_sparse or not value.is_contiguous():
        raise _strides(name, value.stride() if not value.is_sparse else (), f"give {name}.contiguous()")
    value = value.detach()
    if value.is_conj() or value.is_neg():
        value = value.resolve_conj().resolve_neg()
    size = value.numel() * value.element_size()
    if size == 0:
        return str(value.dtype).removeprefix("torch."), list(value.shape), memoryview(b"")
    held = (ctypes.c_ubyte * size).from_address(value.data_ptr())
    held.tensor = value  # the memory lives as long as what looks at it
    return str(value.dtype).removeprefix("torch."), list(value.shape), memoryview(held).cast("B")


def _of_numpy(name: str, value: Any) -> tuple[str, list[int], memoryview]:
    import numpy

    array: Any = numpy.asarray(value)
    if not array.flags.c_contiguous:
        raise _strides(name, array.strides, f"give numpy.ascontiguousarray({name})")
    if not array.dtype.isnative:
        message = f"the input {name} has bytes in the order of another machine ({array.dtype.str})"
        raise refuse(name, message, f"give {name}.astype({name}.dtype.newbyteorder('='))")
    if array.dtype.hasobject:
        raise refuse(name, f"the input {name} holds Python objects", "give an array of numbers")
    data = memoryview(array.reshape(-1).view(numpy.uint8)) if array.size else memoryview(b"")
    return array.dtype.name, list(array.shape), data


def _of_buffer(name: str, value: Any) -> tuple[str, list[int], memoryview]:
    if not hasattr(value, "__buffer__") and not isinstance(value, (bytes, bytearray, memoryview)):
        try:
            memoryview(value)
        except TypeError:
            message = f"the input {name} is given as {value.__class__.__qualname__}, which is no array"
            raise refuse(name, message, "give an array of numpy or torch, or an object with the buffer protocol") from None
    view = memoryview(value)
    if not view.c_contiguous:
        raise _strides(name, view.strides or (), f"give a copy: bytes({name})")
    code = view.format.lstrip("@=<" if sys.byteorder == "little" else "@=>")
    if code in _FORMATS:
        elem = _FORMATS[code]
    elif code in _INTEGERS:
        elem = f"{'' if _INTEGERS[code] else 'u'}int{8 * view.itemsize}"
    else:
        raise refuse(name, f"the input {name} has elements of the format '{view.format}'", "give numbers")
    return elem, list(view.shape or ()), view.cast("B") if view.nbytes else memoryview(b"")


def give(elem: str, shape: list[int], data: bytearray, as_torch: bool) -> Any:
    """A result as a tensor of torch, an array of numpy, or where that is not installed, a view of memory.

    numpy has no bfloat16 and no float8: there such results are arrays of `ml_dtypes`, or where that is not installed,
    their bits as unsigned integers.
    """
    if as_torch:
        import torch

        dtype = getattr(torch, elem)
        return torch.frombuffer(data, dtype=dtype).reshape(shape) if data else torch.empty(shape, dtype=dtype)
    try:
        import numpy
    except ImportError:
        return _view(elem, shape, data)
    try:
        dtype = numpy.dtype(elem)
    except TypeError:
        try:
            import ml_dtypes

            dtype = numpy.dtype(getattr(ml_dtypes, elem))
        except ImportError:
            dtype = numpy.dtype("uint16" if elem == "bfloat16" else "uint8")
    return numpy.frombuffer(data, dtype).reshape(shape)


def _view(elem: str, shape: list[int], data: bytearray) -> Any:
    """Without numpy: a view that is indexed as an array is; floats that Python has no format for stay bits."""
    code: Any = _STRUCT.get(elem, "H" if elem == "bfloat16" else "B")
    view = memoryview(data)
    if math.prod(shape) == 0:
        return view.cast(code)
    return view.cast(code, shape) if shape else view.cast(code)
