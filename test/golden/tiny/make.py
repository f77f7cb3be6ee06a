#!/usr/bin/env python3
"""Writes `Inputs/ops.json`: what numpy gives for every op of tiny, which `cargo test -p dlc-test --test suite golden::`
holds the evaluators against. It needs numpy and ml_dtypes; `python3 make.py` after a change, and look at the diff.

The file has a table of tensors, and a case on each line: the text of the op (or ops), the places of its inputs in the
table, and what it gives. Elements are in row-major order; floats are the decimal numbers that are exactly them, and
words for those that are no such number. `ulps` is by how many units in the last place a float may differ (functions
that are not rounded exactly).

Arithmetic is that of dlc: computed in float64, or in integers modulo two to the power of the width, and rounded once.
"""

import itertools
import json
import math
import pathlib
import re
from fractions import Fraction

import ml_dtypes
import numpy as np

FLOATS = {
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
SIGNED = {f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)}
UNSIGNED = {f"ui{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)}
INTS = SIGNED | UNSIGNED
TYPES = FLOATS | INTS | {"i1": np.dtype(np.bool_)}
# Bits of the exponent and of the fraction.
FORMATS = {"f8E4M3FN": (4, 3), "f8E5M2": (5, 2), "f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
NAN, INF = math.nan, math.inf
cases = []
tensors = []


def round_to(value, elem):
    """The number of a float type nearest to `value` (a float, an int or a Fraction), ties to even.

    Not through ml_dtypes, which rounds a float64 twice.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return NAN if elem == "f8E4M3FN" else value
    exponent_bits, fraction_bits = FORMATS[elem]
    bias = (1 << (exponent_bits - 1)) - 1
    sign = math.copysign(1.0, value) if isinstance(value, float) else (-1.0 if value < 0 else 1.0)
    exact = abs(Fraction(value))
    if exact == 0:
        return math.copysign(0.0, sign)
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if Fraction(2) ** exponent > exact:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, 1 - bias) - fraction_bits)
    rounded = round(exact / unit) * unit  # Python rounds ties to even
    most = Fraction(448) if elem == "f8E4M3FN" else (2 - Fraction(2) ** -fraction_bits) * Fraction(2) ** bias
    if rounded > most:
        return NAN if elem == "f8E4M3FN" else sign * INF
    return sign * float(rounded)


def wrap(value, elem):
    """An integer modulo two to the power of the width."""
    if elem == "i1":
        return value & 1
    bits = int(elem.lstrip("ui"))
    value &= (1 << bits) - 1
    return value - (1 << bits) if elem[0] == "i" and value >> (bits - 1) else value


def truncate(value):
    """A float towards zero to 64 bits; what does not fit them is the lowest, as conversions of x86 have it."""
    inside = math.isfinite(value) and -(2**63) <= math.trunc(value) < 2**63
    return math.trunc(value) if inside else -(2**63)


def convert(value, source, target):
    """An element as one of another type."""
    if target == "i1":
        return int(value != 0)
    if target in FLOATS:
        return round_to(float(value) if source in FLOATS else int(value), target)
    return wrap(truncate(value) if source in FLOATS else int(value), target)


class Tensor:
    """Elements as Python numbers, in an array of objects."""

    def __init__(self, elem, values, shape=None):
        flat = [float(v) if elem in FLOATS else int(v) for v in np.asarray(values, dtype=object).reshape(-1)]
        self.elem = elem
        self.array = np.empty(len(flat), dtype=object)
        self.array[:] = flat
        self.array = self.array.reshape(np.shape(values) if shape is None else shape)

    def to_json(self):
        words = {"nan": "nan", "inf": "inf", "-inf": "-inf"}
        values = [words.get(str(v), v) for v in self.array.reshape(-1).tolist()]
        return {"shape": list(self.array.shape), "elem": self.elem, "values": values}

    def map(self, function, elem=None):
        elem = elem or self.elem
        return Tensor(elem, [function(v) for v in self.array.reshape(-1)], self.array.shape)

    def cast(self, elem):
        return self if elem == self.elem else self.map(lambda v: convert(v, self.elem, elem), elem)

    def view(self, function):
        """What numpy makes of the array."""
        array = function(self.array)
        return Tensor(self.elem, array, np.shape(array))


def case(name, text, inputs, expected, ulps=0):
    """Lines that compute `%y` of `%a`, `%b`, .."""
    places = []
    for tensor in (json.dumps(i.to_json(), separators=(",", ":")) for i in inputs):
        if tensor not in tensors:
            tensors.append(tensor)
        places.append(tensors.index(tensor))
    record = {"name": name, "text": text, "inputs": places, "expected": expected.to_json()}
    cases.append(record | ({"ulps": ulps} if ulps else {}))


def ramp(elem, shape, start=-3, step=1):
    """Small numbers in order, which all types hold."""
    count = math.prod(shape)
    if elem == "i1":
        return Tensor(elem, [(i * 3 + start) % 4 == 0 for i in range(count)], shape)
    low = 0 if elem in UNSIGNED else start
    values = [low + step * i if elem in FLOATS else wrap(low + step * i, elem) for i in range(count)]
    return Tensor(elem, [round_to(v, elem) for v in values] if elem in FLOATS else values, shape)


def samples(elem):
    """Numbers of a type, the special ones among them."""
    if elem == "i1":
        return [0, 1]
    if elem in INTS:
        info = np.iinfo(INTS[elem])
        return [v for v in [0, 1, 2, 3, 7, -1, -2, -7, 100, info.max, info.min, info.max - 1] if info.min <= v <= info.max]
    info = ml_dtypes.finfo(FLOATS[elem])
    most, least, tiny = float(info.max), float(info.smallest_subnormal), float(info.smallest_normal)
    special = [0.0, -0.0, NAN, most, -most, least, -tiny] + ([] if elem == "f8E4M3FN" else [INF, -INF])
    return special + [round_to(v, elem) for v in (1.0, -1.0, 0.1, 1.5, -2.5, 3.0, 1 / 3, -7.7)]


def pairs(elem, other=None):
    """Two tensors of samples: those of one type against shifted ones of the other."""
    left, right = samples(elem), samples(other or elem)
    count = max(len(left), len(right))
    every = [(left[i % len(left)], right[(i + shift) % len(right)]) for shift in (1, 4) for i in range(count)]
    return Tensor(elem, [p[0] for p in every]), Tensor(other or elem, [p[1] for p in every])


def quiet(function):
    """A function of float64 as numpy has it, without warnings."""

    def inner(*args):
        with np.errstate(all="ignore"):
            return float(function(*map(np.float64, args)))

    return inner


# What each op does with float64, and with integers of a type (before they are wrapped).

FLOAT_BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "fdiv": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "pow": np.power,
}
FLOAT_UNARY = {
    "neg": np.negative,
    "relu": lambda x: x if x > 0 or np.isnan(x) else 0.0,
    "trunc": np.trunc,
    "recip": lambda x: np.float64(1) / x,
    "sqrt": np.sqrt,
    "exp2": np.exp2,
    "log2": np.log2,
    "sin": np.sin,
}
INEXACT = {"pow", "exp2", "log2", "sin"}


def int_pow(a, b):
    if b >= 0:
        return pow(a, b, 1 << 64)
    return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)


def cdiv(a, b):
    quotient = abs(a) // abs(b or 1)
    return -quotient if (a < 0) != (b < 0) else quotient


INT_BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "max": max,
    "min": min,
    "pow": int_pow,
    "cdiv": cdiv,
    "cmod": lambda a, b: a - cdiv(a, b) * b,
    "floordiv": lambda a, b: a // (b or 1),
    "floormod": lambda a, b: a % (b or 1),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
BOOL_BINARY = INT_BINARY | {"add": lambda a, b: a | b, "mul": lambda a, b: a & b}
INT_UNARY = {"neg": lambda a: -a, "relu": lambda a: max(a, 0), "trunc": lambda a: a}
COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def binary(op, a, b, elem):
    """Two tensors of one type, broadcast."""
    if elem in FLOATS:
        function = quiet(FLOAT_BINARY[op])
        combine = lambda x, y: round_to(function(x, y), elem)
    else:
        function = (BOOL_BINARY if elem == "i1" else INT_BINARY)[op]
        combine = lambda x, y: wrap(function(x, y), elem)
    x, y = np.broadcast_arrays(a.array, b.array)
    return Tensor(elem, [combine(*p) for p in zip(x.reshape(-1), y.reshape(-1))], x.shape)


def arithmetic():
    for elem in TYPES:
        a, b = pairs(elem)
        for op in FLOAT_BINARY if elem in FLOATS else (BOOL_BINARY if elem == "i1" else INT_BINARY):
            # The sign of a zero is not told by a comparison, so max and min of zeros of both signs are left out.
            x, y = a, b
            if op in ("max", "min") and elem in FLOATS:
                kept = [p for p in zip(a.array, b.array) if p[0] != 0 or p[1] != 0]
                x, y = Tensor(elem, [p[0] for p in kept]), Tensor(elem, [p[1] for p in kept])
            ulps = int(op in INEXACT and elem in FLOATS)
            case(f"{op}_{elem}", f"%y = {op} %a, %b", [x, y], binary(op, x, y, elem), ulps)
        for op in FLOAT_UNARY if elem in FLOATS else INT_UNARY:
            x = Tensor(elem, samples(elem))
            function = quiet(FLOAT_UNARY[op]) if elem in FLOATS else INT_UNARY[op]
            if (op, elem) == ("neg", "i1"):
                function = lambda v: 1 - v
            result = (lambda v: round_to(function(v), elem)) if elem in FLOATS else (lambda v: wrap(function(v), elem))
            case(f"{op}_{elem}", f"%y = {op} %a", [x], x.map(result), int(op in INEXACT))
    for op in ("recip", "sqrt", "exp2", "log2", "sin"):
        for elem in ("i32", "ui8", "i1"):
            x = Tensor(elem, samples(elem))
            function = quiet(FLOAT_UNARY[op])
            result = x.cast("f32").map(lambda v: round_to(function(v), "f32"))
            case(f"{op}_{elem}", f"%y = {op} %a", [x], result, int(op in INEXACT))
    for elem in ("i32", "ui64", "i1"):
        a, b = pairs(elem)
        case(f"fdiv_{elem}", "%y = fdiv %a, %b", [a, b], binary("fdiv", a.cast("f32"), b.cast("f32"), "f32"))
    for left, right, common in (
        ("f16", "bf16", "f32"),
        ("f16", "i32", "f16"),
        ("i8", "ui8", "i16"),
        ("ui64", "i64", "f32"),
        ("i1", "i16", "i16"),
        ("f8E4M3FN", "f8E5M2", "f16"),
        ("f64", "ui32", "f64"),
    ):
        a, b = pairs(left, right)
        for op in ("add", "mul"):
            case(f"{op}_{left}_{right}", f"%y = {op} %a, %b", [a, b], binary(op, a.cast(common), b.cast(common), common))


def mulacc():
    def fused(a, b, c):
        if all(map(math.isfinite, (a, b, c))) and (a * b or c):
            exact = Fraction(a) * Fraction(b) + Fraction(c)
            return round_to(exact, "f64") if exact else 0.0
        return quiet(lambda x, y, z: x * y + z)(a, b, c)

    for elem in TYPES:
        a, b = pairs(elem)
        c = Tensor(elem, np.roll(a.array, 1))
        if elem in FLOATS:
            combine = lambda x, y, z: round_to(fused(x, y, z), elem)
        elif elem == "i1":
            combine = lambda x, y, z: (x & y) | z
        else:
            combine = lambda x, y, z: wrap(x * y + z, elem)
        result = Tensor(elem, [combine(*v) for v in zip(a.array, b.array, c.array)])
        case(f"mulacc_{elem}", "%y = mulacc %a, %b, %c", [a, b, c], result)
    # Only the fused operation keeps what the product has below the unit of the sum.
    a, c = Tensor("f64", [1.0 + 2**-52]), Tensor("f64", [-1.0])
    case("mulacc_fused", "%y = mulacc %a, %a, %b", [a, c], Tensor("f64", [fused(a.array[0], a.array[0], -1.0)]))


def shifts():
    for elem in INTS:
        bits = int(elem.lstrip("ui"))
        amounts = [0, 1, 3, bits - 1, bits, bits + 1, 100, -1]
        every = [p for v in samples(elem) for p in zip([v] * 8, amounts)]
        a, b = Tensor(elem, [p[0] for p in every]), Tensor("i8", [p[1] for p in every])
        up = lambda v, by: wrap(v << by, elem) if 0 <= by < bits else 0
        down = lambda v, by: v >> (by if 0 <= by < bits else bits)
        case(f"shl_{elem}", "%y = shl %a, %b", [a, b], Tensor(elem, [up(*p) for p in every]))
        case(f"shr_{elem}", "%y = shr %a, %b", [a, b], Tensor(elem, [down(*p) for p in every]))
    big = Tensor("ui64", [1 << 63, 1, 2**32])
    one = Tensor("i32", [-5, -5, -5])
    case("shr_by_ui64", "%y = shr %a, %b", [one, big], Tensor("i32", [-1, -3, -1]))
    case("shl_by_ui64", "%y = shl %a, %b", [one, big], Tensor("i32", [0, -10, 0]))


def comparisons():
    for elem, op in itertools.product(TYPES, COMPARE):
        a, b = pairs(elem)
        result = Tensor("i1", [COMPARE[op](*p) for p in zip(a.array, b.array)])
        case(f"cmp_{op}_{elem}", f"%y = cmp {op} %a, %b", [a, b], result)
    # In the common type: 2049 is 2048 in f16.
    a, b = Tensor("f16", [2048.0]), Tensor("i32", [2049])
    case("cmp_mixed", "%y = cmp eq %a, %b", [a, b], Tensor("i1", [1]))


def choices():
    for elem in TYPES:
        a, b = pairs(elem)
        condition = Tensor("i1", [i % 3 == 0 for i in range(len(a.array))])
        chosen = [x if c else y for c, x, y in zip(condition.array, a.array, b.array)]
        case(f"where_{elem}", "%y = where %a, %b, %c", [condition, a, b], Tensor(elem, chosen))
    condition, a, b = Tensor("i1", [[1], [0]]), Tensor("f16", [1.5, 2.5, -0.0]), Tensor("i32", 70000)
    result = Tensor("f16", [[1.5, 2.5, -0.0], [INF] * 3])
    case("where_broadcast", "%y = where %a, %b, %c", [condition, a, b], result)


def casts():
    beyond = [0.5, -0.5, 3.99, -3.99, 127.5, 128.0, -129.0, 255.0, 256.5, 65504.0, 1e5, -1e5, 2.0**31, -(2.0**31) - 1]
    beyond += [2.0**32 + 3, 2.0**53 + 2, 2.0**63, -(2.0**63), 2.0**64, 1e30, -1e300]
    for source, target in itertools.product(TYPES, TYPES):
        values = samples(source)
        if source in ("f32", "f64"):
            values = values + [round_to(v, source) for v in beyond]
        if source in ("i64", "ui64") and target in FLOATS:
            # Between two neighbours, and just above: rounding twice would show.
            values = values + [2049, 2**24 + 1, 2**53 + 1, 2**62 + 2**38 + 1, (2**11 + 1) * 2**40 + 1, 257, 513]
        x = Tensor(source, values)
        case(f"cast_{source}_{target}", f"%y = cast %a to {target}", [x], x.cast(target))
    halfway = [1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-30, 1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-4, 1 + 2.0**-3]
    x = Tensor("f64", halfway + [448.0, 463.9, 464.0, 464.1, 61439.9, 61440.0, 2.0**-10, 2.0**-10 + 2.0**-30, 2.0**-17])
    for target in FLOATS:
        case(f"cast_halfway_{target}", f"%y = cast %a to {target}", [x], x.cast(target))


def bits_of(tensor):
    array = tensor.array.reshape(-1)
    with np.errstate(all="ignore"):
        return array.astype(TYPES[tensor.elem])


def bitcasts():
    for source, target in itertools.product(TYPES, TYPES):
        if target == "i1" and source != "i1":
            continue
        have, want = TYPES[source].itemsize, TYPES[target].itemsize
        values = [v for v in samples(source) if v == v]
        count = 8 * max(want // have, 1)
        x = Tensor(source, (values * count)[:count], (2, count // 2))
        raw = bits_of(x).tobytes()
        result = np.frombuffer(raw, dtype=TYPES[target])
        if target in FLOATS:
            with np.errstate(all="ignore"):
                result = result.astype(np.float64)
        shape = (2, len(result) // 2)
        case(f"bitcast_{source}_{target}", f"%y = bitcast %a to {target}", [x], Tensor(target, result.tolist(), shape))


def reduce_values(op, values, source, target):
    """One result: in float64 (exact sums, rounded once) or in integers."""
    if target in FLOATS:
        values = [float(v) for v in values]
        if op == "sum":
            finite = all(map(math.isfinite, values))
            return round_to(round_to(sum(map(Fraction, values), Fraction(0)), "f64") if finite else sum(values), target)
        if op == "prod":
            return round_to(math.prod(values), target)
        if any(map(math.isnan, values)):
            return NAN
        # What changes no other number; f8E4M3FN has no infinities.
        most = 448.0 if target == "f8E4M3FN" else INF
        extreme = max(values, default=-most) if op == "max" else min(values, default=most)
        return round_to(extreme, target)
    if source == "i1" and target == "i1":
        return int(any(values) if op in ("sum", "max") else all(values))
    if op in ("max", "min"):
        info = np.iinfo(TYPES[target])
        return max(values, default=int(info.min)) if op == "max" else min(values, default=int(info.max))
    return wrap(sum(values) if op == "sum" else math.prod(values), target)


def reduced(op, x, axes, target=None):
    target = target or x.elem
    kept = [axis for axis in range(x.array.ndim) if axis not in axes]
    shape = [x.array.shape[axis] for axis in kept]
    result = []
    for index in np.ndindex(*shape):
        at = [slice(None)] * x.array.ndim
        for axis, i in zip(kept, index):
            at[axis] = i
        part = x.array[tuple(at)]
        result.append(reduce_values(op, list(np.asarray(part, dtype=object).reshape(-1)), x.elem, target))
    return Tensor(target, result, shape)


def reductions():
    for elem, op in itertools.product(TYPES, ("sum", "prod", "max", "min")):
        x = ramp(elem, (2, 3, 4))
        case(f"reduce_{op}_{elem}", f"%y = reduce {op} %a over [1]", [x], reduced(op, x, [1]))
        special = Tensor(elem, samples(elem))
        if op in ("max", "min"):
            case(f"reduce_{op}_special_{elem}", f"%y = reduce {op} %a over [0]", [special], reduced(op, special, [0]))
            if elem in FLOATS:
                some = Tensor(elem, [v for v in samples(elem) if v == v])
                case(f"reduce_{op}_numbers_{elem}", f"%y = reduce {op} %a over [0]", [some], reduced(op, some, [0]))
        nothing = Tensor(elem, [], (2, 0, 3))
        case(f"reduce_{op}_nothing_{elem}", f"%y = reduce {op} %a over [1]", [nothing], reduced(op, nothing, [1]))
    x = ramp("f32", (2, 3, 4))
    for axes in ([], [0], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]):
        case(f"reduce_axes_{len(cases)}", f"%y = reduce sum %a over {axes}", [x], reduced("sum", x, axes))
        flipped = f"%p = permute %a by [2, 0, 1]\n%f = flip %p over [0, 2]\n%y = reduce max %f over {axes}"
        turned = x.view(lambda a: np.flip(np.transpose(a, (2, 0, 1)), (0, 2)))
        case(f"reduce_turned_{len(cases)}", flipped, [x], reduced("max", turned, axes))
    empty = Tensor("f32", [], (2, 0))
    case("reduce_to_nothing", "%y = reduce sum %a over [0]", [empty], reduced("sum", empty, [0]))
    scalar = Tensor("f32", 2.5)
    case("reduce_scalar", "%y = reduce sum %a over []", [scalar], scalar)
    # Rounded once: 2048 + 1 + 1 is 2050, and step by step 2048 in f16.
    x = Tensor("f16", [2048.0, 1.0, 1.0])
    case("reduce_rounds_once", "%y = reduce sum %a over [0]", [x], reduced("sum", x, [0]))
    for elem, acc in (("f16", "f32"), ("bf16", "f64"), ("i8", "i32"), ("ui8", "ui64"), ("i1", "i32"), ("i32", "f32")):
        x = Tensor(elem, (samples(elem) * 6)[:12], (3, 4))
        if elem in FLOATS:
            # So near to each other that the sums of float64 are exact.
            x = x.map(lambda v: v if 0.01 < abs(v) < 100 else 1.0)
        for op in ("sum", "max"):
            case(f"reduce_{op}_{elem}_{acc}", f"%y = reduce {op} %a over [0] acc {acc}", [x], reduced(op, x, [0], acc))
    many = ramp("f32", (300,), 0)
    case("reduce_many", "%y = reduce sum %a over [0]", [many], reduced("sum", many, [0]))


def contracted(x, w, lhs, rhs, out, sizes, elem):
    """The definition: a loop over every index."""
    names = list(sizes)
    result = np.zeros([sizes[name] for name in out], dtype=object)
    totals = {}
    for values in itertools.product(*(range(sizes[name]) for name in names)):
        env = dict(zip(names, values))
        at = lambda axes: tuple(eval(axis, {}, env) for axis in axes)
        product = Fraction(x.array[at(lhs)]) * Fraction(w.array[at(rhs)])
        key = tuple(env[name] for name in out)
        totals[key] = totals.get(key, 0) + product
    for index in np.ndindex(*result.shape):
        total = totals.get(index, 0)
        result[index] = round_to(round_to(total, "f64"), elem) if elem in FLOATS else wrap(int(total), elem)
        if elem == "i1":
            result[index] = int(total != 0)
    return Tensor(elem, result, result.shape)


def contract(name, x, w, lhs, rhs, out, sizes, elem=None, acc=""):
    used = re.findall("[a-z]+", " ".join([*lhs, *rhs, *out]))
    sizes = {index: size for index, size in sizes.items() if index in used}
    show = lambda axes: "[" + ", ".join(axes) + "]"
    text = f"%y = contract %a {show(lhs)}, %b {show(rhs)} to {show(out)}{acc and f' acc {acc}'}"
    case(name, text, [x, w], contracted(x, w, lhs, rhs, out, sizes, acc or elem or x.elem))


def contractions():
    for elem in TYPES:
        x, w = ramp(elem, (2, 3)), ramp(elem, (3, 4), -5)
        contract(f"matmul_{elem}", x, w, ["m", "k"], ["k", "n"], ["m", "n"], {"m": 2, "k": 3, "n": 4})
    size = {"m": 2, "k": 3, "n": 4, "b": 2, "h": 3}
    thirds = lambda shape: ramp("f16", shape).map(lambda v: round_to(v / 3, "f16"))
    contract("nt", thirds((2, 3)), thirds((4, 3)), ["m", "k"], ["n", "k"], ["m", "n"], size, acc="f32")
    contract("tn", thirds((3, 2)), thirds((3, 4)), ["k", "m"], ["k", "n"], ["n", "m"], size, acc="f32")
    mixed = ramp("bf16", (3, 4))
    contract("mixed_types", thirds((2, 3)), mixed, ["m", "k"], ["k", "n"], ["m", "n"], size, "f32")
    contract("to_f16", thirds((2, 3)), thirds((3, 4)), ["m", "k"], ["k", "n"], ["m", "n"], size)
    contract("to_f64", thirds((2, 3)), thirds((3, 4)), ["m", "k"], ["k", "n"], ["m", "n"], size, acc="f64")
    contract("batch", thirds((2, 3, 2, 3)), thirds((2, 1, 3, 4)), list("bhmk"), ["b", "0", "k", "n"], list("bhmn"), size)
    contract("batch_inside", ramp("f32", (2, 2, 3)), ramp("f32", (3, 2, 4)), list("mbk"), list("kbn"), list("nmb"), size)
    contract("all_summed", ramp("f32", (2, 3)), ramp("f32", (2, 3)), list("mk"), list("mk"), [], size)
    contract("outer", ramp("f32", (2,)), ramp("f32", (4,)), ["m"], ["n"], ["m", "n"], size)
    contract("elementwise", ramp("f32", (2, 3)), ramp("f32", (2, 3)), list("mk"), list("mk"), list("km"), size)
    contract("one_side_summed", ramp("f32", (2, 3)), ramp("f32", (4,)), list("mk"), ["n"], list("mn"), size)
    contract("diagonal", ramp("f32", (3, 3)), ramp("f32", (3,)), ["k", "k"], ["k"], ["k"], size)
    contract("scalars", Tensor("f32", 3.0), Tensor("f32", 0.5), [], [], [], {})
    contract("no_products", Tensor("f32", [], (2, 0)), Tensor("f32", [], (0, 4)), list("mk"), list("kn"), list("mn"), size | {"k": 0})
    contract("no_results", Tensor("f32", [], (0, 3)), ramp("f32", (3, 4)), list("mk"), list("kn"), list("mn"), size | {"m": 0})
    size = {"co": 2, "ci": 3, "kh": 2, "kw": 3, "n": 2, "ho": 2, "wo": 3}
    w, x = ramp("f16", (2, 3, 2, 3), -9), ramp("f16", (2, 3, 4, 5), -40)
    lhs, out = ["co", "ci", "kh", "kw"], ["n", "co", "ho", "wo"]
    contract("convolution", w, x, lhs, ["n", "ci", "2*ho + kh", "kw + wo"], out, size, acc="f32")
    size = {"c": 3, "k": 3, "o": 3, "n": 2}
    w, x = ramp("f32", (3, 3)), ramp("f32", (2, 3, 11), -30)
    contract("depthwise_dilated", w, x, ["c", "k"], ["n", "c", "3*k + 2*o"], ["n", "c", "o"], size)
    x, w = ramp("i32", (9,)), ramp("i32", (3, 2))
    contract("two_indices_in_a_window", x, w, ["3*a + b"], ["a", "b"], ["a"], {"a": 3, "b": 2})
    deep = ramp("f32", (1, 700), 0).map(lambda v: v % 11 - 5)
    contract("deep", deep, ramp("f32", (700, 2), 0).map(lambda v: v % 7 - 3), list("mk"), list("kn"), list("mn"), {"m": 1, "k": 700, "n": 2})


def views():
    x = ramp("f32", (2, 3, 4))
    case("reshape", "%y = reshape %a to [4, 1, 6]", [x], x.view(lambda a: a.reshape(4, 1, 6)))
    case("reshape_turned", "%p = permute %a by [2, 1, 0]\n%y = reshape %p to [24]", [x], x.view(lambda a: a.T.reshape(-1)))
    case("permute", "%y = permute %a by [2, 0, 1]", [x], x.view(lambda a: a.transpose(2, 0, 1)))
    row = ramp("i8", (3, 1))
    case("expand", "%y = expand %a to [3, 2]", [row], row.view(lambda a: np.broadcast_to(a, (3, 2))))
    placed = row.view(lambda a: np.broadcast_to(a.reshape(1, 3, 1, 1), (2, 3, 2, 4)))
    case("expand_dims", "%y = expand %a to [2, 3, 2, 4] dims [1, 3]", [row], placed)
    one = Tensor("f16", 1.5)
    case("expand_scalar", "%y = expand %a to [2, 2] dims []", [one], one.view(lambda a: np.broadcast_to(a, (2, 2))))
    case("expand_to_nothing", "%y = expand %a to [3, 0]", [row], row.view(lambda a: np.broadcast_to(a, (3, 0))))
    for elem in TYPES:
        x = ramp(elem, (2, 2))
        around = np.full((3, 5), 0.0 if elem in FLOATS else 0, dtype=object)
        around[1:3, 2:4] = x.array
        case(f"pad_{elem}", "%y = pad %a low [1, 2] high [0, 1]", [x], Tensor(elem, around))
    x = ramp("f32", (2, 2))
    around = np.full((2, 4), -INF, dtype=object)
    around[:, 1:3] = x.array
    case("pad_value", "%y = pad %a low [0, 1] high [0, 1] value 0xFF800000 : f32", [x], Tensor("f32", around))
    nothing = Tensor("i16", [], (0, 2))
    case("pad_nothing", "%y = pad %a low [1, 0] high [1, 0] value 7 : i16", [nothing], Tensor("i16", [[7, 7], [7, 7]]))
    x = ramp("f32", (5, 6), 0)
    case("shrink", "%y = shrink %a from [1, 0] to [4, 6]", [x], x.view(lambda a: a[1:4]))
    case("shrink_step", "%y = shrink %a from [1, 0] to [5, 6] step [3, 4]", [x], x.view(lambda a: a[1:5:3, ::4]))
    case("shrink_large_step", "%y = shrink %a from [1, 5] to [5, 6] step [9, 9]", [x], x.view(lambda a: a[1:5:9, 5:6:9]))
    case("shrink_to_nothing", "%y = shrink %a from [5, 2] to [5, 2]", [x], x.view(lambda a: a[5:5, 2:2]))
    case("flip", "%y = flip %a over [0, 1]", [x], x.view(lambda a: a[::-1, ::-1]))
    case("flip_nothing", "%y = flip %a over [0]", [nothing], nothing)
    case("view", "%y = view %a", [x], x)
    flat = x.array.reshape(-1)
    strided = lambda shape, strides, start: Tensor("f32", [flat[start + sum(i * s for i, s in zip(at, strides))] for at in np.ndindex(*shape)], shape)
    case("view_turned", "%y = view %a as [6, 5] strides [1, 6] start [0]", [x], strided((6, 5), (1, 6), 0))
    case("view_backwards", "%y = view %a as [5, 6] strides [-6, -1] start [29]", [x], strided((5, 6), (-6, -1), 29))
    case("view_windows", "%y = view %a as [14, 3] strides [2, 1] start [0]", [x], strided((14, 3), (2, 1), 0))
    case("view_repeated", "%y = view %a as [2, 3] strides [0, 7] start [3]", [x], strided((2, 3), (0, 7), 3))
    case("view_nothing", "%y = view %a as [0, 3] strides [100, 1] start [0]", [x], strided((0, 3), (100, 1), 0))
    turned = "%p = permute %a by [1, 0]\n%y = view %p as [5] strides [7] start [1]"
    columns = x.array.T.reshape(-1)
    case("view_of_turned", turned, [x], Tensor("f32", [columns[1 + 7 * i] for i in range(5)]))
    inside = [[int(1 <= i < 3 and j < 4) for j in range(5)] for i in range(3)]
    case("valid", "%y = valid from [1, 0] to [3, 4] : tensor<[3, 5], i1>", [], Tensor("i1", inside))
    case("valid_beyond", "%y = valid from [4] to [9] : tensor<[3], i1>", [], Tensor("i1", [0, 0, 0]))
    case("valid_backwards", "%y = valid from [2] to [1] : tensor<[3], i1>", [], Tensor("i1", [0, 0, 0]))
    case("valid_scalar", "%y = valid from [] to [] : tensor<[], i1>", [], Tensor("i1", 1))
    case("load", "%y = load %a : tensor<[5, 6], f32>", [x], x)
    case("load_turned", "%y = load %a at [i1, i0] : tensor<[6, 5], f32>", [x], x.view(lambda a: a.T))
    gathered = [[x.array[i // 2, (i + 2 * j) % 6] for j in range(2)] for i in range(9)]
    text = "%y = load %a at [i0 floordiv 2, (i0 + 2*i1) mod 6] : tensor<[9, 2], f32>"
    case("load_affine", text, [x], Tensor("f32", gathered))
    case("load_repeated", "%y = load %a at [4 - i0, 3] : tensor<[5, 2], f32>", [x], x.view(lambda a: np.broadcast_to(a[::-1, 3:4], (5, 2))))
    case("load_scalar", "%y = load %a at [] : tensor<[2], f16>", [one], Tensor("f16", [1.5, 1.5]))
    value, stored = ramp("f32", (2, 3), 100), x.array.copy()
    stored[3:5, 1:4] = value.array
    case("store", "%y = store %a into %b from [3, 1]", [value, x], Tensor("f32", stored))
    case("store_all", "%y = store %a into %b", [value.view(lambda a: a.T), x.view(lambda a: a[:3, :2])], value.view(lambda a: a.T))
    case("store_nothing", "%y = store %a into %b from [5, 0]", [Tensor("f32", [], (0, 6)), x], x)
    case("store_scalar", "%y = store %a into %b", [one, Tensor("f16", -2.0)], one)


def positions():
    for elem in TYPES:
        indices = [[i if elem in FLOATS else wrap(i, elem) for i in range(3)]] * 2
        case(f"range_{elem}", f"%y = range 1 : tensor<[2, 3], {elem}>", [], Tensor(elem, indices))
    case("range_wraps", "%y = range 0 : tensor<[300], i8>", [], Tensor("i8", [wrap(i, "i8") for i in range(300)]))
    case("range_rounds", "%y = range 0 : tensor<[260], bf16>", [], Tensor("bf16", [round_to(i, "bf16") for i in range(260)]))
    case("range_of_nothing", "%y = range 1 : tensor<[3, 0], i32>", [], Tensor("i32", [], (3, 0)))
    table = ramp("f16", (5, 2))
    for elem in INTS:
        ids = Tensor(elem, [v for v in [0, 4, 5, 2, -1, 100, np.iinfo(INTS[elem]).max] if v >= np.iinfo(INTS[elem]).min])
        rows = [table.array[i] if 0 <= i < 5 else [0.0, 0.0] for i in ids.array]
        case(f"index_{elem}", "%y = index %a[%b]", [table, ids], Tensor("f16", rows))
    ids = Tensor("i32", [[0, 4], [1, 9]])
    rows = [[table.array[i] if i < 5 else [0.0, 0.0] for i in row] for row in ids.array]
    case("index_of_two_axes", "%y = index %a[%b]", [table, ids], Tensor("f16", rows))
    column, row = Tensor("i64", [[4], [0], [7]]), Tensor("ui8", [1, 0, 2])
    both = [[table.array[i, j] if i < 5 and j < 2 else 0.0 for j in row.array] for i in column.array[:, 0]]
    case("index_both", "%y = index %a[%b, %c]", [table, column, row], Tensor("f16", both))
    case("index_scalar", "%y = index %a[%b]", [table, Tensor("i32", 3)], table.view(lambda a: a[3]))
    case("index_of_nothing", "%y = index %a[%b]", [Tensor("f16", [], (0, 2)), Tensor("i32", [0])], Tensor("f16", [[0.0, 0.0]]))
    case("index_turned", "%p = permute %a by [1, 0]\n%y = index %p[%b]", [table, Tensor("i32", [1])], table.view(lambda a: a.T[1:2]))
    text = "%y = if %a : tensor<[2], f32> {\n  %n = neg %b\n  yield %n\n} else {\n  yield %b\n}"
    b = Tensor("f32", [1.0, -2.0])
    case("if_true", text, [Tensor("i1", 1), b], b.map(lambda v: -v))
    case("if_false", text, [Tensor("i1", 0), b], b)


def constants():
    case("const", "%y = const -0.5 : tensor<[2, 2], bf16>", [], Tensor("bf16", [[-0.5] * 2] * 2))
    case("const_rounds", "%y = const 0.1 : tensor<[], f16>", [], Tensor("f16", round_to(0.1, "f16")))
    case("const_bits", "%y = const 0x7E00 : tensor<[], f16>", [], Tensor("f16", NAN))
    case("const_nothing", "%y = const 1 : tensor<[0, 3], i8>", [], Tensor("i8", [], (0, 3)))
    case("const_elements", "%y = const dense<[[1, -2], [3, -4]]> : tensor<2x2xi16>", [], Tensor("i16", [[1, -2], [3, -4]]))
    case("const_floats", "%y = const dense<[1.5, -0.0, 0x7C00]> : tensor<3xf16>", [], Tensor("f16", [1.5, -0.0, INF]))
    case("const_doubles", "%y = const dense<[0.1, 1.0e300]> : tensor<2xf64>", [], Tensor("f64", [0.1, 1e300]))
    case("const_truths", "%y = const dense<[true, false]> : tensor<2xi1>", [], Tensor("i1", [1, 0]))
    case("const_unsigned", "%y = const dense<[18446744073709551615, 0]> : tensor<2xui64>", [], Tensor("ui64", [2**64 - 1, 0]))
    case("const_equal_elements", "%y = const dense<7> : tensor<2x3xi32>", [], Tensor("i32", [[7] * 3] * 2))
    case("const_no_elements", "%y = const dense<> : tensor<0x2xf32>", [], Tensor("f32", [], (0, 2)))


def broadcasting():
    shapes = [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,)), ((), ()), ((0,), (1,)), ((2, 0), (1, 1)), ((1,) * 16, (2,) * 3)]
    for left, right in shapes:
        a, b = ramp("f32", left), ramp("f32", right, 2)
        case(f"broadcast_{len(cases)}", "%y = sub %a, %b", [a, b], binary("sub", a, b, "f32"))
    shape = (2, 1, 1, 3, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2)
    x = ramp("i32", shape)
    order = list(reversed(range(16)))
    case("permute_16", f"%y = permute %a by {order}", [x], x.view(lambda a: a.transpose(order)))
    case("flip_16", f"%y = flip %a over {list(range(16))}", [x], x.view(np.flip))
    case("reduce_16", f"%y = reduce sum %a over {list(range(0, 16, 2))}", [x], reduced("sum", x, range(0, 16, 2)))
    case("reshape_16", "%y = reshape %a to [6, 4]", [x], x.view(lambda a: a.reshape(6, 4)))
    case("add_16", "%y = add %a, %b", [x, ramp("i32", (3, 1))], binary("add", x, ramp("i32", (3, 1)), "i32"))


def orders():
    x = Tensor("f32", [[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]])
    case("scan_sum", "%y = scan sum %a along 1", [x], x.view(lambda a: np.cumsum(a, 1)))
    case("scan_max", "%y = scan max %a along 0", [x], x.view(lambda a: np.maximum.accumulate(a, 0)))
    # A negative zero is before zero, which numpy takes as equal and leaves in their order; what is no number is last.
    numbers = Tensor("f32", [[3.0, NAN, -0.0, 0.0, -INF, 2.0, -7.5]])
    case("sort_f32", "%y = sort %a along 1", [numbers], numbers.view(lambda a: np.sort(a.astype(np.float64), 1, kind="stable")))
    for elem in ("i8", "i32", "i64", "ui8"):
        x = Tensor(elem, [[5, 1, 4, 1], [0, 9, 2, 7]])
        case(f"sort_{elem}", "%y = sort %a along 1", [x], x.view(lambda a: np.sort(a, 1)))
    case("sort_columns", "%y = sort %a along 0", [x], x.view(lambda a: np.sort(a, 0)))
    nothing = Tensor("f32", [], (2, 0))
    case("sort_nothing", "%y = sort %a along 1", [nothing], nothing)


def check_rounding():
    """`round_to` against numpy and ml_dtypes, where these round once."""
    rng = np.random.default_rng(0)
    values = (rng.standard_normal(4000) * 2.0 ** rng.integers(-30, 30, 4000)).astype(np.float32)
    with np.errstate(all="ignore"):
        for elem, dtype in FLOATS.items():
            for value, wanted in zip(values, values.astype(dtype).astype(np.float64)):
                found = round_to(float(value), elem)
                assert found == wanted or (math.isnan(found) and math.isnan(wanted)), (elem, value, found, wanted)


if __name__ == "__main__":
    check_rounding()
    for section in (arithmetic, mulacc, shifts, comparisons, choices, casts, bitcasts, reductions, contractions, views):
        section()
    for section in (positions, constants, broadcasting, orders):
        section()
    assert len({c["name"] for c in cases}) == len(cases)
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    path = pathlib.Path(__file__).parent / "Inputs" / "ops.json"
    path.write_text('{"tensors":[\n' + ",\n".join(tensors) + '\n],"cases":[\n' + lines + "\n]}\n")
    print(f"{len(cases)} cases, {path.stat().st_size // 1024} KiB")
