"""Writes the numbers that `cargo test -p dlc-test --test suite frontend::` compares graphs with: `python3 make.py`.

Each case is a graph, its inputs, and its outputs computed here by numpy in float64 and rounded to the type of the
result once. Elements of bf16 and of floats of 8 bits are made by ml_dtypes.
"""

import json
import math
import pathlib

import ml_dtypes
import numpy as np

FOLDER = pathlib.Path(__file__).parent / "Inputs"
DTYPES = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "i1": np.bool_,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
}
INF, NAN = float("inf"), float("nan")


def number(x):
    """A number as JSON has it; what JSON has not is a string."""
    if isinstance(x, (bool, np.bool_)):
        return bool(x)
    if isinstance(x, (int, np.integer)):
        return int(x)
    x = float(x)
    return x if math.isfinite(x) else {True: "nan"}.get(x != x, "inf" if x > 0 else "-inf")


def tensor(array):
    array = np.asarray(array)
    return {"shape": list(array.shape), "data": [number(x) for x in array.reshape(-1)]}


def spell(array, elem):
    return f"tensor<[{', '.join(map(str, np.shape(array)))}], {elem}>"


class Cases:
    def __init__(self):
        self.cases = []
        self.random = np.random.default_rng(7)

    def normal(self, *shape, elem="f32"):
        return self.random.standard_normal(shape).astype(DTYPES[elem])

    def add(self, line, inputs, output, elem="f32", name=None, tolerance=None):
        """A graph of one line over %a, %b, ..; the inputs are arrays of a type of DTYPES, the output is in float64."""
        elems = {np.dtype(dtype): key for key, dtype in DTYPES.items()}
        outputs = output if isinstance(output, list) else [output]
        with np.errstate(all="ignore"):
            outputs = [np.asarray(value).astype(DTYPES[elem]) for value in outputs]
        args = [f"%{letter}: {spell(array, elems[array.dtype])}" for letter, array in zip("abcdefgh", inputs)]
        results = [spell(value, elem) for value in outputs]
        names = [f"%y{index}" for index in range(len(outputs))]
        types = results[0] if len(results) == 1 else f"({', '.join(results)})"
        graph = (f"frontend.graph @f({', '.join(args)}) -> {types} {{\n"
                 f"  {', '.join(names)} = {line} : {', '.join(results)}\n  output {', '.join(names)}\n}}\n")
        case = {"name": name or line, "graph": graph, "inputs": [tensor(array) for array in inputs],
                "outputs": [tensor(value) for value in outputs]}
        if tolerance:
            case["tolerance"] = tolerance
        self.cases.append(case)

    def write(self, name):
        lines = ",\n  ".join(json.dumps(case) for case in self.cases)
        (FOLDER / f"{name}.json").write_text(f'{{"cases": [\n  {lines}\n]}}\n')


def wide(array):
    return np.asarray(array).astype(np.float64)


# Functions of one operand

erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x, beta=1.0):
    return np.logaddexp(0, beta * x) / beta


FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log10": np.log10, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": lambda x: 1 / x, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "erf": erf, "sigmoid": sigmoid,
    "logsigmoid": lambda x: -softplus(-x), "silu": lambda x: x * sigmoid(x),
    "quick_gelu": lambda x: x * sigmoid(1.702 * x), "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "mish": lambda x: x * np.tanh(softplus(x)), "softsign": lambda x: x / (1 + np.abs(x)), "neg": np.negative,
    "abs": np.abs, "square": np.square, "sign": np.sign, "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6), "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.round,
    "gelu": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    "gelu approximate tanh": lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "leaky_relu": lambda x: np.where(x < 0, 0.01 * x, x), "elu alpha 0.5": lambda x: np.where(x < 0, 0.5 * np.expm1(x), x),
    "celu alpha 2.0": lambda x: np.maximum(x, 0) + np.minimum(2 * np.expm1(x / 2), 0),
    "selu": lambda x: 1.0507 * np.where(x >= 0, x, 1.67326 * np.expm1(x)),
    "softplus beta 2.0": lambda x: softplus(x, 2.0), "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardtanh": lambda x: np.clip(x, -1, 1), "clamp min -0.5 max 1.5": lambda x: np.clip(x, -0.5, 1.5),
}
QUESTIONS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "logical_not": lambda x: x == 0}


def with_operand(line, operand="%a"):
    name, _, rest = line.partition(" ")
    return f"{name} {operand} {rest}".strip()


def functions():
    cases = Cases()
    edges = np.array([0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.0, -7.25, 20.0, -20.0])
    for line, function in FUNCTIONS.items():
        for elem in ("f32", "f16", "bf16", "f64"):
            numbers = np.concatenate([edges, 3 * cases.random.standard_normal(13)]).astype(DTYPES[elem])
            with np.errstate(all="ignore"):
                cases.add(with_operand(line), [numbers], function(wide(numbers)), elem, f"{line} of {elem}")
    for line, question in QUESTIONS.items():
        cases.add(with_operand(line), [edges.astype(np.float32)], question(edges), "i1")
    bits = np.arange(-128, 128, 15, dtype=np.int8)
    cases.add("bitwise_not %a", [bits], ~bits, "i8")
    cases.add("neg %a", [bits], -bits, "i8", "neg of i8")
    cases.add("abs %a", [bits], np.abs(bits), "i8", "abs of i8")
    cases.add("clamp %a min -3.7 max 1000.0", [bits], np.clip(bits, -3, 127), "i8", "clamp of i8")
    cases.write("functions")


# Functions of several operands

def elementwise():
    cases = Cases()
    a, b = cases.normal(4, 1), cases.normal(5)
    floats = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
        "floordiv": lambda a, b: np.floor(a / b), "truncdiv": lambda a, b: np.trunc(a / b),
        "mod": lambda a, b: a - np.floor(a / b) * b, "fmod": np.fmod, "maximum": np.maximum, "minimum": np.minimum,
        "copysign": np.copysign, "logaddexp": np.logaddexp,
    }
    for name, function in floats.items():
        for elem in ("f32", "f16"):
            x, y = a.astype(DTYPES[elem]), b.astype(DTYPES[elem])
            cases.add(f"{name} %a, %b", [x, y], function(wide(x), wide(y)), elem, f"{name} of {elem}")
    cases.add("pow %a, %b", [np.abs(a), b], np.power(wide(np.abs(a)), wide(b)))
    compare = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
               "ge": np.greater_equal}
    edges = np.array([0.0, -0.0, INF, -INF, NAN, 1.0], dtype=np.float32)
    for name, function in compare.items():
        cases.add(f"{name} %a, %b", [edges[:, None], edges], function(edges[:, None], edges), "i1")
    cases.add("isclose %a, %b", [edges[:, None], edges], np.isclose(edges[:, None], edges), "i1")
    cases.add("isclose %a, %b rtol 0.5 equal_nan", [edges[:, None], edges],
              np.isclose(edges[:, None], edges, rtol=0.5, equal_nan=True), "i1")
    # Numbers without a common sign, none of them zero on the right.
    x = np.array([-7, -3, 0, 5, 127, -128], dtype=np.int8)[:, None]
    y = np.array([-5, -1, 1, 2, 100], dtype=np.int8)
    w = lambda v: v.astype(np.int64)
    cases.add("floordiv %a, %b", [x, y], w(x) // w(y), "i8", "floordiv of i8")
    cases.add("truncdiv %a, %b", [x, y], np.trunc(w(x) / w(y)).astype(np.int64), "i8", "truncdiv of i8")
    cases.add("mod %a, %b", [x, y], np.mod(w(x), w(y)), "i8", "mod of i8")
    cases.add("fmod %a, %b", [x, y], np.fmod(w(x), w(y)), "i8", "fmod of i8")
    for name, function in {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}.items():
        cases.add(f"{name} %a, %b", [x, y], function(x, y), "i8")
    shifts = np.array([0, 1, 3, 7], dtype=np.int8)
    cases.add("lshift %a, %b", [x, shifts], w(x) << w(shifts), "i8")
    cases.add("rshift %a, %b", [x, shifts], w(x) >> w(shifts), "i8")
    condition = np.array([[True], [False], [True], [False]])
    cases.add("where %a, %b, %c", [condition, a, b], np.where(condition, a, b))
    weight = cases.normal(4, 5)
    cases.add("lerp %a, %b, %c", [a, b, weight], wide(a) + (wide(b) - wide(a)) * wide(weight))
    cases.add("cast %a to i8", [np.array([1.9, -1.9, 300.0, -0.1], dtype=np.float32)], np.array([1, -1, 44, 0]), "i8")
    cases.add("cast %a to i1", [edges], edges.astype(bool), "i1")
    for elem in ("f16", "bf16", "f8E4M3FN", "f8E5M2"):
        values = (cases.random.standard_normal(20) * 10).astype(np.float32)
        cases.add(f"cast %a to {elem}", [values], wide(values), elem)
    cases.write("elementwise")


# Sums of products

def contraction():
    cases = Cases()
    for elem in ("f32", "f16", "bf16"):
        a, b, c = cases.normal(3, 5, elem=elem), cases.normal(5, 4, elem=elem), cases.normal(4, elem=elem)
        cases.add("gemm %a, %b acc f32", [a, b], wide(a) @ wide(b), name=f"gemm of {elem}")
        cases.add("gemm %a, %b bias %c acc f32", [a, b, c], wide(a) @ wide(b) + wide(c), name=f"gemm with bias of {elem}")
    a, b = cases.normal(2, 1, 5, 3), cases.normal(3, 4, 5)
    cases.add("gemm %a, %b trans_a trans_b", [a, b], np.swapaxes(wide(a), -1, -2) @ np.swapaxes(wide(b), -1, -2))
    i, j = cases.random.integers(-128, 128, (3, 40), np.int8), cases.random.integers(-128, 128, (40, 2), np.int8)
    cases.add("gemm %a, %b acc i32", [i, j], i.astype(np.int64) @ j.astype(np.int64), "i32", "gemm of i8")
    cases.add("gemm %a, %b", [i, j], (i.astype(np.int64) @ j.astype(np.int64)), "i8", "gemm of i8 wraps")
    x, w, bias = cases.normal(2, 3, 6), cases.normal(4, 6), cases.normal(4)
    cases.add("linear %a, %b bias %c", [x, w, bias], wide(x) @ wide(w).T + wide(bias))
    cases.add("linear %a, %b transposed", [x, w.T.copy()], wide(x) @ wide(w).T)
    cases.add("linear %a, %b", [x[0, 0], w], wide(x)[0, 0] @ wide(w).T, name="linear of a vector")
    for equation, shapes in {
        "bmk,bkn->bmn": [(2, 3, 4), (2, 4, 5)], "ij->ji": [(2, 3)], "ijk->kj": [(2, 3, 4)], "ij->": [(2, 3)],
        "iij->ji": [(3, 3, 2)], "ii": [(4, 4)], "ik,kj": [(2, 3), (3, 4)], "ba": [(2, 3)], "i,j->ij": [(2,), (3,)],
        "bi,ij,bj->b": [(2, 3), (3, 4), (2, 4)], "ij,jk,kl,l->i": [(2, 3), (3, 4), (4, 2), (2,)], "ij,k->i": [(2, 3), (4,)],
        "...mk,...kn->...mn": [(2, 3, 2, 4), (3, 4, 2)], "...ij": [(2, 3, 4)], "i...,j...->ij...": [(2, 3), (4, 1)],
        "ij,ij->ij": [(2, 3), (1, 3)], "i,i": [(0,), (0,)], "i,j->j": [(0,), (3,)],
    }.items():
        inputs = [cases.normal(*shape) for shape in shapes]
        letters = ", ".join(f"%{letter}" for letter in "abcd"[:len(inputs)])
        cases.add(f'einsum "{equation}" {letters}', inputs, np.einsum(equation, *map(wide, inputs)))
    cases.write("contraction")


# Reductions

def reductions():
    cases = Cases()
    x = cases.normal(3, 4, 5)
    empty = np.zeros((2, 0), np.float32)
    holes = x.copy()
    holes[0, 1, 2], holes[1, 2, 3], holes[2, 0, 0] = NAN, INF, -INF

    def logsumexp(x, axis=None, keepdims=False):
        return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims) if axis is not None else np.log(np.sum(np.exp(x)))

    named = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean, "logsumexp": logsumexp,
             "var": lambda x, **k: np.var(x, ddof=1, **k), "std": lambda x, **k: np.std(x, ddof=1, **k)}
    with np.errstate(all="ignore"):
        for name, function in named.items():
            for array, what in ((x, "normal numbers"), (holes, "edges")):
                cases.add(f"{name} %a over [1]", [array], function(wide(array), axis=1), name=f"{name} of {what}")
            cases.add(f"{name} %a over [2] keepdim", [x], function(wide(x), axis=2, keepdims=True))
            if name != "logsumexp":
                cases.add(f"{name} %a over [0, 2]", [x], function(wide(x), axis=(0, 2)))
            cases.add(f"{name} %a", [x], function(wide(x)))
        half = cases.normal(3, 40, elem="f16")
        cases.add("sum %a over [1]", [half], wide(half).sum(1), "f16", "sum of f16, rounded once")
        cases.add("sum %a over [1] acc f32", [half], wide(half).sum(1))
        cases.add("var %a over [1] correction 0.0", [x], np.var(wide(x), axis=1))
        for name, value in {"sum": 0.0, "prod": 1.0, "max": -INF, "min": INF, "mean": NAN, "logsumexp": -INF}.items():
            cases.add(f"{name} %a over [1]", [empty], np.full(2, value), name=f"{name} of nothing")
    integers = cases.random.integers(-3, 4, (3, 5), np.int8)
    cases.add("sum %a over [1]", [integers], integers.sum(1), "i8", "sum of i8")
    cases.add("mean %a over [1]", [integers], integers.mean(1), name="mean of i8")
    truth = integers > 0
    for name, function in {"any": np.any, "all": np.all}.items():
        cases.add(f"{name} %a over [0]", [truth], function(truth, axis=0), "i1", f"{name} of i1")
        cases.add(f"{name} %a over [1] keepdim", [integers], function(integers, axis=1, keepdims=True), "i1", f"{name} of i8")
    cases.add("sum %a over [0] acc i32", [truth], truth.sum(0), "i32", "count of i1")
    for name, function in {"argmax": np.argmax, "argmin": np.argmin}.items():
        cases.add(f"{name} %a over 1", [holes], function(holes, axis=1), "i32", f"{name} of edges")
        cases.add(f"{name} %a over 1", [integers], function(integers, axis=1), "i32", f"{name} takes the first")
        cases.add(f"{name} %a", [x], function(x), "i32")
    running = {"cumsum": np.cumsum, "cumprod": np.cumprod, "cummax": np.maximum.accumulate,
               "cummin": np.minimum.accumulate}
    for name, function in running.items():
        cases.add(f"{name} %a over 1", [x], function(wide(x), axis=1))
        cases.add(f"{name} %a over 1", [integers], function(integers.astype(np.int64), axis=1), "i8", f"{name} of i8")
    factors, init = cases.normal(4, 1), cases.normal(3, 5)
    for how, steps, inputs in (("", range(4), []), (" reverse", range(3, -1, -1), []), ("", range(4), [init])):
        begun, expected = " from %c" if inputs else "", np.zeros(x.shape)
        state = wide(init) if inputs else 0.0
        for step in steps:
            state = expected[:, step] = wide(factors)[step] * state + wide(x)[:, step]
        cases.add(f"scan %a, %b{begun} over 1{how}", [factors, x, *inputs], expected)
    cases.write("reductions")


# Views and positions

def views():
    cases = Cases()
    x = cases.normal(4, 6)
    cases.add("reshape %a to [2, 12]", [x], x.reshape(2, 12))
    cases.add("transpose %a by [1, 0]", [x], x.T)
    cases.add("expand %a to [3, 4, 6]", [x], np.broadcast_to(x, (3, 4, 6)))
    cases.add("pad %a low [1, 0] high [0, 2] fill -1.5", [x], np.pad(x, ((1, 0), (0, 2)), constant_values=-1.5))
    cases.add("slice %a from [1, 0] to [4, 5] step [2, 3]", [x], x[1:4:2, 0:5:3])
    cases.add("flip %a over [0]", [x], x[::-1])
    y = cases.normal(4, 2)
    cases.add("concat %a, %b, %a over 1", [x, y], np.concatenate([x, y, x], 1))
    cases.add("split %a over 1 into [1, 3, 2]", [x], np.split(x, [1, 4], 1))
    cases.add("arange from 0.5 step -0.25", [], 0.5 - 0.25 * np.arange(7))
    cases.add("full 0.1", [], np.full((2, 3), 0.1))
    ids = np.array([[0, 3, 1], [2, 0, 0]], dtype=np.int32)
    cases.add("embedding %a[%b]", [x, ids], x[ids])
    cases.add("embedding %a[%b]", [x, np.array([-1, 4, 1], np.int32)],
              np.stack([np.zeros(6), np.zeros(6), x[1]]), name="embedding of what is not there")
    cases.add("take %a[%b] over 1", [x, ids], np.take(x, ids, 1))
    columns = np.array([[5, 0], [1, 1], [2, 4], [3, 3]], dtype=np.int32)
    cases.add("gather %a[%b] over 1", [x, columns], np.take_along_axis(x, columns, 1))
    q, angle = cases.normal(2, 3, 5, 8), cases.normal(5, 4)
    cos, sin = np.cos(angle), np.sin(angle)
    wq, c, s = wide(q), wide(cos), wide(sin)
    first, second = wq[..., :4], wq[..., 4:]
    cases.add("rope %a, %b, %c", [q, cos, sin],
              np.concatenate([first * c - second * s, second * c + first * s], -1))
    first, second = wq[..., 0::2], wq[..., 1::2]
    pairs = np.stack([first * c - second * s, second * c + first * s], -1)
    cases.add("rope %a, %b, %c interleaved", [q, cos, sin], pairs.reshape(q.shape))
    cases.add("tril %a diagonal -1", [x], np.tril(x, -1))
    cases.add("triu %a diagonal 1", [x], np.triu(x, 1))
    rows, parts = np.array([2, 0, 2, -1, 4, 2], np.int32), cases.normal(6, 6)
    sums = wide(x).copy()
    np.add.at(sums, rows[[0, 1, 2, 5]], wide(parts)[[0, 1, 2, 5]])
    cases.add("scatter_add %a, %b, %c over 0", [x, rows, parts], sums, name="scatter_add leaves out what is not there")
    each, parts = np.array([[5, 0, 5], [1, 1, 1], [2, 4, 0], [3, 3, 2]], np.int64), cases.normal(4, 3)
    sums = wide(x).copy()
    np.add.at(sums, (np.arange(4)[:, None], each), wide(parts))
    cases.add("scatter_add %a, %b, %c over 1 any_order", [x, each, parts], sums)
    cases.write("views")


if __name__ == "__main__":
    functions()
    elementwise()
    contraction()
    reductions()
    views()
