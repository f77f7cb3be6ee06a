#!/usr/bin/env python3
"""Writes `Inputs/nn.json`: what the ops of networks give, computed from their definitions, element by element.

`cargo test -p dlc-test --test suite frontend::` holds the evaluators and the lowering against it. It needs numpy alone;
`python3 make_nn.py` after a change, and look at the diff.

Every case is a graph with its inputs and outputs. Attributes and sizes are random, with sizes 0 and 1 among them, and
the same in every run. Inputs are multiples of 1/16, so that every type of elements holds them exactly.
"""

import itertools
import json
import math
import pathlib
import random

import numpy as np

rng = random.Random(2026)
cases = []


def tensor(shape):
    numbers = [rng.randint(-48, 48) / 16 for _ in range(math.prod(shape))]
    return np.array(numbers, dtype=np.float64).reshape(shape)


def number(value):
    """A number as JSON, with as many digits as the comparison needs."""
    value = float(value)
    return float(f"{value:.8g}") if math.isfinite(value) else str(value)


def plain(array, exact):
    values = [float(value) for value in np.asarray(array, dtype=np.float64).ravel()]
    numbers = [value if exact and math.isfinite(value) else number(value) for value in values]
    return {"shape": list(np.shape(array)), "data": numbers}


def case(name, line, inputs, output, elem="f32", elems=None, out_elem=None):
    """A graph of one op: `line` names its operands `%a`, `%b`, .. in the order of `inputs`."""
    elems = elems or [elem] * len(inputs)
    args = ", ".join(
        f"%{letter}: tensor<[{', '.join(map(str, array.shape))}], {ty}>"
        for letter, array, ty in zip("abcdefgh", inputs, elems)
    )
    result = f"tensor<[{', '.join(map(str, output.shape))}], {out_elem or elem}>"
    graph = f"frontend.graph @f({args}) -> {result} {{\n  %y = {line}\n  output %y\n}}"
    record = {"name": name, "graph": graph}
    record["inputs"] = [plain(array, True) for array in inputs]
    # What is rounded to a narrow type is given whole: a digit less may be on the other side of a tie.
    record["outputs"] = [plain(output, (out_elem or elem) in ("f16", "bf16"))]
    cases.append(record)


def numbers_of(name, values, default):
    """An attribute with a number for each axis; left out now and then when it says what holds anyway."""
    if all(value == default for value in values) and rng.random() < 0.7:
        return ""
    return f" {name} [{', '.join(map(str, values))}]"


def pad_of(low, high):
    if not any(low + high) and rng.random() < 0.7:
        return ""
    if low == high and rng.random() < 0.7:
        return f" pad [{', '.join(map(str, low))}]"
    return f" pad [{', '.join(map(str, low + high))}]"


def last(array):
    """Channels after the spatial axes."""
    return np.moveaxis(array, 1, -1)


def weights_last(array):
    """[out, in, spatial..] as [spatial.., in, out]."""
    return np.moveaxis(array, (0, 1), (-1, -2))


def conv(x, w, b, stride, low, high, dilation, groups):
    batch, outputs, per_group = x.shape[0], w.shape[0], w.shape[1]
    window, spatial = w.shape[2:], x.shape[2:]
    sizes = [
        (size + lo + hi - d * (k - 1) - 1) // s + 1
        for size, lo, hi, d, k, s in zip(spatial, low, high, dilation, window, stride)
    ]
    # A window larger than its axis is refused; on an axis without elements there is none.
    if any(size < (0 if axis == 0 else 1) for size, axis in zip(sizes, spatial)):
        return None
    y = np.zeros((batch, outputs, *sizes))
    for n, o in itertools.product(range(batch), range(outputs)):
        group = o // (outputs // groups)
        for place in np.ndindex(*sizes):
            total = 0.0
            for i in range(per_group):
                for k in np.ndindex(*window):
                    at = [p * s + j * d - lo for p, s, j, d, lo in zip(place, stride, k, dilation, low)]
                    if all(0 <= index < size for index, size in zip(at, spatial)):
                        total += x[(n, group * per_group + i, *at)] * w[(o, i, *k)]
            y[(n, o, *place)] = total + (b[o] if b is not None else 0.0)
    return y


def conv_transpose(x, w, b, stride, low, high, more, dilation, groups):
    batch, channels, per_group = x.shape[0], x.shape[1], w.shape[1]
    window, spatial = w.shape[2:], x.shape[2:]
    sizes = [
        (size - 1) * s - lo - hi + d * (k - 1) + m + 1
        for size, s, lo, hi, d, k, m in zip(spatial, stride, low, high, dilation, window, more)
    ]
    if any(size < 0 for size in sizes):
        return None
    y = np.zeros((batch, per_group * groups, *sizes))
    for n, c, o in itertools.product(range(batch), range(channels), range(per_group)):
        group = c // (channels // groups)
        for place in np.ndindex(*spatial):
            for k in np.ndindex(*window):
                at = [p * s + j * d - lo for p, s, j, d, lo in zip(place, stride, k, dilation, low)]
                if all(0 <= index < size for index, size in zip(at, sizes)):
                    y[(n, group * per_group + o, *at)] += x[(n, c, *place)] * w[(c, o, *k)]
    return y if b is None else y + b.reshape(-1, *[1] * len(sizes))


def pool(x, window, stride, low, high, dilation, ceil, mean, exclude_pad):
    spatial, sizes = x.shape[2:], []
    for size, k, s, lo, hi, d in zip(spatial, window, stride, low, high, dilation):
        room = size + lo + hi - d * (k - 1) - 1
        count = (-(-room // s) if ceil else room // s) + 1
        # The last window begins on the axis or on what is before it.
        if ceil and (count - 1) * s >= size + lo:
            count -= 1
        sizes.append(count)
    if any(size < (0 if ceil else 1) for size in sizes):
        return None
    y = np.zeros((*x.shape[:2], *sizes))
    for n, c in itertools.product(range(x.shape[0]), range(x.shape[1])):
        for place in np.ndindex(*sizes):
            seen, count = [], 0
            for k in np.ndindex(*window):
                at = [p * s + j * d - lo for p, s, j, d, lo in zip(place, stride, k, dilation, low)]
                inside = all(0 <= index < size for index, size in zip(at, spatial))
                if inside:
                    seen.append(x[(n, c, *at)])
                padded = all(index < size + hi for index, size, hi in zip(at, spatial, high))
                count += inside or (padded and not exclude_pad)
            if mean:
                y[(n, c, *place)] = sum(seen) / count if count else math.nan
            else:
                y[(n, c, *place)] = max(seen, default=-math.inf)
    return y


def along(function, x, axis):
    return np.apply_along_axis(function, axis, x) if x.size else x


def softmax(row):
    exponentials = [math.exp(value - max(row)) for value in row]
    return np.array([value / sum(exponentials) for value in exponentials])


def log_softmax(row):
    total = math.log(sum(math.exp(value - max(row)) for value in row))
    return np.array([value - max(row) - total for value in row])


def normalize(x, axes, eps, centre):
    """Mean 0 (if `centre`) and mean square 1 over some axes, for each index of the others."""
    y = np.zeros(x.shape)
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    for index in np.ndindex(*[x.shape[axis] for axis in kept]):
        place = [slice(None)] * x.ndim
        for axis, at in zip(kept, index):
            place[axis] = at
        part = x[tuple(place)]
        if not part.size:
            continue
        mean = sum(part.ravel()) / part.size if centre else 0.0
        square = sum((value - mean) ** 2 for value in part.ravel()) / part.size
        y[tuple(place)] = (part - mean) / math.sqrt(square + eps)
    return y


def over(parameter, axes, rank):
    """A parameter of some axes, so that it broadcasts."""
    shape = [1] * rank
    for axis, size in zip(axes, parameter.shape):
        shape[axis] = size
    return parameter.reshape(shape)


def attention(q, k, v, mask, scale, causal):
    """All operands have the axes batch, heads, length, size; a mask is broadcast already."""
    batch, heads, queries, size = q.shape
    keys, shared = k.shape[2], heads // k.shape[1]
    y = np.zeros((batch, heads, queries, v.shape[3]))
    for b, h, m in itertools.product(range(batch), range(heads), range(queries)):
        scores = []
        for n in range(keys):
            score = scale * sum(q[b, h, m, d] * k[b, h // shared, n, d] for d in range(size))
            if mask is not None and mask.dtype == bool:
                score = score if mask[b, h, m, n] else -math.inf
            elif mask is not None:
                score += mask[b, h, m, n]
            scores.append(-math.inf if causal and n > m else score)
        most = max(scores, default=-math.inf)
        if most == -math.inf:
            continue
        weights = [math.exp(score - most) for score in scores]
        for e in range(v.shape[3]):
            y[b, h, m, e] = sum(w * v[b, h // shared, n, e] for n, w in enumerate(weights)) / sum(weights)
    return y


def convolutions():
    made = 0
    while made < 36:
        rank, groups = rng.choice([1, 1, 2, 2, 2, 3]), rng.choice([1, 1, 1, 2, 3])
        transposed = made % 3 == 2
        each = lambda numbers: [rng.choice(numbers) for _ in range(rank)]
        batch, taken, given = rng.choice([1, 1, 2, 0]), rng.choice([1, 2, 3]), rng.choice([1, 2])
        window, stride, dilation = each([1, 2, 3]), each([1, 1, 2, 3]), each([1, 1, 2])
        low, high = each([0, 0, 1, 2]), each([0, 0, 1, 2])
        if rng.random() < 0.5:
            high = low[:]
        spatial = each([0, 1, 2, 3, 4, 5] if rank < 3 else [1, 2, 3, 4])
        x = tensor((batch, taken * groups, *spatial))
        more = [0] * rank
        if transposed:
            more = [rng.randrange(max(s, d)) for s, d in zip(stride, dilation)]
            w = tensor((taken * groups, given, *window))
            b = tensor((given * groups,)) if rng.random() < 0.5 else None
            y = conv_transpose(x, w, b, stride, low, high, more, dilation, groups)
        else:
            w = tensor((given * groups, taken, *window))
            b = tensor((given * groups,)) if rng.random() < 0.5 else None
            y = conv(x, w, b, stride, low, high, dilation, groups)
        if y is None:
            continue
        op, attrs = "conv_transpose" if transposed else "conv", " bias %c" if b is not None else ""
        attrs += numbers_of("stride", stride, 1) + pad_of(low, high)
        attrs += numbers_of("output_pad", more, 0) if transposed else ""
        attrs += numbers_of("dilation", dilation, 1) + (f" groups {groups}" if groups > 1 else "")
        elem = rng.choice(["f32", "f32", "f32", "f16", "bf16", "f64"])
        out_elem = elem
        if rng.random() < 0.3:
            attrs += " layout channels_last"
            x, w, y = last(x), weights_last(w), last(y)
        if elem == "f16":
            attrs, out_elem = attrs + " acc f32", "f32"
        inputs = [x, w] + ([b] if b is not None else [])
        case(f"{op} {made}", f"{op} %a, %b{attrs}", inputs, y, elem, out_elem=out_elem)
        made += 1


def pools():
    made = 0
    while made < 30:
        rank = rng.choice([1, 1, 2, 2, 3])
        each = lambda numbers: [rng.choice(numbers) for _ in range(rank)]
        mean, ceil, exclude_pad = rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.5
        window, stride, dilation = each([1, 2, 3]), each([1, 2, 3]), each([1, 1, 2])
        covered = [d * (k - 1) + 1 for d, k in zip(dilation, window)]
        low = [rng.randrange(min(c, 3)) for c in covered]
        high = low[:] if rng.random() < 0.6 else [rng.randrange(min(c, 3)) for c in covered]
        x = tensor((rng.choice([1, 2, 0]), rng.choice([1, 2]), *each([1, 2, 3, 4, 5, 6])))
        y = pool(x, window, stride, low, high, dilation, ceil, mean, exclude_pad and mean)
        if y is None:
            continue
        attrs = f"window [{', '.join(map(str, window))}]"
        attrs += "" if stride == window else f" stride [{', '.join(map(str, stride))}]"
        attrs += pad_of(low, high) + numbers_of("dilation", dilation, 1)
        attrs += " ceil" if ceil else ""
        attrs += " exclude_pad" if mean and exclude_pad else ""
        if rng.random() < 0.3:
            attrs += " layout channels_last"
            x, y = last(x), last(y)
        op = "avg_pool" if mean else "max_pool"
        case(f"{op} {made}", f"{op} %a {attrs}", [x], y, rng.choice(["f32", "f32", "f16", "bf16", "f64"]))
        made += 1
    x = tensor((2, 3, 4, 1))
    case("global_avg_pool", "global_avg_pool %a", [x], x.mean((2, 3), keepdims=True))
    case("global_avg_pool last", "global_avg_pool %a layout channels_last", [x], x.mean((1, 2), keepdims=True), "f16")


def rows():
    for shape, axis in [((2, 5), None), ((3, 1), 1), ((2, 3, 4), 1), ((4,), 0), ((0, 3), 1), ((2, 0), 1), ((2, 3), 0)]:
        x = tensor(shape)
        written = "" if axis is None else f" over {axis}"
        place = len(shape) - 1 if axis is None else axis
        case(f"softmax {shape}{written}", f"softmax %a{written}", [x], along(softmax, x, place))
        case(f"log_softmax {shape}{written}", f"log_softmax %a{written}", [x], along(log_softmax, x, place), "f64")
    infinite = np.array([[1.0, -math.inf, 2.0], [-math.inf, 0.5, -math.inf]])
    case("softmax of minus infinity", "softmax %a", [infinite], along(softmax, infinite, 1))
    for shape, axes in [((2, 4), None), ((3, 2, 2), [1, 2]), ((2, 3, 4), [0, 2]), ((2, 1), [1]), ((0, 4), [1]), ((3,), [0])]:
        x, place = tensor(shape), [len(shape) - 1] if axes is None else axes
        own = [shape[axis] for axis in place]
        w, b, eps = tensor(own), tensor(own), rng.choice([1e-5, 0.5])
        written = ("" if axes is None else f" over {axes}") + ("" if eps == 1e-5 else f" eps {eps}")
        y = normalize(x, place, eps, True)
        scaled = y * over(w, place, len(shape))
        case(f"layer_norm {shape}", f"layer_norm %a{written}", [x], y)
        case(f"layer_norm weight {shape}", f"layer_norm %a weight %b{written}", [x, w], scaled, "f64")
        moved = scaled + over(b, place, len(shape))
        case(f"layer_norm bias {shape}", f"layer_norm %a weight %b bias %c{written}", [x, w, b], moved, elems=["f16", "f32", "f32"], out_elem="f16")
        y = normalize(x, place, eps, False)
        case(f"rms_norm {shape}", f"rms_norm %a{written}", [x], y, "bf16")
        case(f"rms_norm weight {shape}", f"rms_norm %a weight %b{written}", [x, w], y * over(w, place, len(shape)))
    for shape, groups in [((2, 4, 3), 2), ((1, 3, 2, 2), 3), ((2, 4), 1), ((0, 2, 3), 2)]:
        x, channels = tensor(shape), shape[1]
        w, b, rank = tensor((channels,)), tensor((channels,)), len(shape)
        split = x.reshape(shape[0], groups, channels // groups, *shape[2:])
        y = normalize(split, range(2, split.ndim), 1e-5, True).reshape(shape)
        y = y * over(w, [1], rank) + over(b, [1], rank)
        line = f"group_norm %a groups {groups} weight %b bias %c"
        case(f"group_norm {shape}", line, [x, w, b], y)
        case(f"group_norm last {shape}", line + " layout channels_last", [last(x), w, b], last(y))
        mean, variance = tensor((channels,)), np.abs(tensor((channels,)))
        y = (x - over(mean, [1], rank)) / np.sqrt(over(variance, [1], rank) + 0.001)
        case(f"batch_norm {shape}", "batch_norm %a mean %b variance %c eps 0.001", [x, mean, variance], y)
        y = y * over(w, [1], rank) + over(b, [1], rank)
        line = "batch_norm %a mean %b variance %c weight %d bias %e eps 0.001 layout channels_last"
        case(f"batch_norm last {shape}", line, [last(x), mean, variance, w, b], last(y))


def attentions():
    shapes = [(1, 2, 3, 3, 4, 4), (2, 1, 1, 4, 2, 3), (1, 2, 4, 2, 3, 1), (1, 1, 2, 0, 2, 2), (0, 2, 2, 2, 2, 2)]
    for index, (batch, heads, queries, keys, size, values) in enumerate(shapes):
        for shared, causal, masked in [(1, False, None), (2, True, None), (3, False, bool), (1, True, float), (1, False, bool)]:
            q = tensor((batch, heads * shared, queries, size))
            k, v = tensor((batch, heads, keys, size)), tensor((batch, heads, keys, values))
            scale, written = 1 / math.sqrt(size), ""
            if rng.random() < 0.4:
                scale, written = 0.25, " scale 0.25"
            written += " causal" if causal else ""
            inputs, elems, mask = [q, k, v], None, None
            if masked:
                full = (batch, heads * shared, queries, keys)
                # Broadcast over some axes, and with fewer of them.
                own = [size if rng.random() < 0.6 else 1 for size in full][rng.randrange(3) :]
                mask = tensor(own) if masked is float else tensor(own) > 0.5
                inputs, elems = inputs + [mask], ["f32"] * 3 + ["f32" if masked is float else "i1"]
                written = " mask %d" + written
                mask = np.broadcast_to(mask, full)
            y = attention(q, k, v, mask, scale, causal)
            case(f"attention {index} {shared} {causal} {masked and masked.__name__}", f"attention %a, %b, %c{written}", inputs, y, elems=elems)
    q, k, v = tensor((3, 4)), tensor((2, 4)), tensor((2, 3))
    y = attention(q[None, None], k[None, None], v[None, None], None, 0.5, False)[0, 0]
    case("attention without heads", "attention %a, %b, %c", [q, k, v], y, "f16")


convolutions()
pools()
rows()
attentions()
lines = ",\n".join(json.dumps(record) for record in cases)
text = f'{{"cases": [\n{lines}\n]}}\n'
pathlib.Path(__file__).with_name("Inputs").joinpath("nn.json").write_text(text)
