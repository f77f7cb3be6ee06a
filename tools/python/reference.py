"""Runs the kernels that the reference generators print, as a baseline: `compare.py --reference DIR`.

The generators stand in DIR (`sm90_gemm_gen.py` and others, not part of this project). Here is how what they print is
launched: which parameters, tensor maps, boxes and grid.
"""
import ctypes
import functools
import importlib
import math
import sys

from dlc_launch import Launch, LaunchError, Prepared
from suites import DEVICE, torch_type

# Which variant has the parameters of a kernel of ours; the longest beginning of its name counts.
SAME = {"gemm_pingpong": "pp", "gemm_cooperative": "coop", "gemm_small_m": "small_m", "chain": "chain", "conv_im2col": "im2col",
        "conv_window": "window", "attention": "same", "attention_causal": "same", "row_softmax": "row",
        "row_layernorm": "row"}

u32, u64 = ctypes.c_uint32, ctypes.c_uint64


def same(kernel, times):
    """The time of the variant that is like a kernel of ours, else of the fastest. None if there is none."""
    best = max((k for k in SAME if kernel.startswith(k)), key=len, default=None)
    return times.get(SAME.get(best)) or min(times.values(), default=None)


class Reference:
    """The generators of a folder."""

    def __init__(self, folder, cuda):
        sys.path.insert(0, folder)
        self.cuda = cuda

    def generator(self, name):
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise LaunchError(f"the reference has no {name}: {error}") from None

    @functools.lru_cache(maxsize=None)
    def function(self, generator, how, name, options, shared, cluster=1):
        """A function of the driver. The text depends on the options alone, so it is loaded once."""
        code = getattr(self.generator(generator), how)(name, **dict(options))
        return self.cuda.function(self.cuda.load(code.encode(), f"{generator} {dict(options)}"), name, shared, cluster)

    def make(self, generator, how, name, options, geom, grid, args, out, data, early=False, cluster=1):
        """Everything to launch a kernel. A cluster is part of its text, and not of the launch."""
        shared = geom.get("smem", 0)
        function = self.function(generator, how, name, tuple(sorted(options.items())), shared, cluster)
        launch = Launch(self.cuda, function, (grid, 1, 1), geom["thr"], shared, None, early, args, name)
        return Prepared(self.cuda, [launch], list(data.values()), [out], [], [])

    def map(self, tensor, dtype, box, dims=None, strides=None, swizzle=128):
        """A tensor map of a row-major matrix, or of memory with these axes, fastest first."""
        if dims is None:
            dims = [tensor.shape[-1], math.prod(tensor.shape[:-1])]
            strides = [dims[0] * tensor.element_size()]
        return self.cuda.encode_tiled(dtype, tensor.data_ptr(), dims, strides, list(box), swizzle, "a reference map")

    def empty(self, shape, dtype):
        return self.cuda.torch.empty(shape, dtype=torch_type(dtype), device=DEVICE)

    def variants(self, case):
        """Pairs of a label and a function of the data that gives a `Prepared`."""
        return getattr(self, "_" + case.suite, lambda case: [])(case)

    def _gemm(self, case):
        both = dict(dt=case.dtype, ta=int(case.layout[0] == "t"), tb=int(case.layout[1] == "n"))
        if case.dtype not in ("f16", "bf16"):
            return []
        if case.n % 8:
            both["epi"] = "row"
        found = [("pp", dict(both, pp=1, BM=128, BN=128, S=6, cl="1")), ("coop", dict(both, BM=128, BN=256, S=4))]
        if "epi" in both:
            return [(label, functools.partial(self._run_gemm, case, o)) for label, o in found[:1]]
        size = max(case.m, case.n)
        if size <= 512:
            found.append(("small", dict(both, BM=64, BN=64, S=8, nwg=1, cl="1")))
        elif size <= 1024:
            found.append(("small", dict(both, BM=128, BN=64, S=8, cl="1")))
        elif size == 1536 and not both["tb"]:
            found.append(("small", dict(both, BM=128, BN=144, S=5, CB=3)))
        elif size >= 8192 and not both["tb"]:
            found.append(("wide", dict(both, pp=1, BM=128, BN=176, S=5, CB=1, regs=(24, 240))))
        return [(label, functools.partial(self._run_gemm, case, o)) for label, o in found]

    def _run_gemm(self, case, options, data):
        g = self.generator("sm90_gemm_gen").geom(**options)
        a, b, out = data["A"], data["B"], self.empty((case.m, case.n), case.dtype)
        maps = [self.map(a, case.dtype, g["boxA"]), self.map(b, case.dtype, g["boxB"])]
        # Rows that are stored word by word need no map of D; the kernel only fetches it.
        maps.append(self.map(out, case.dtype, g["boxD"]) if g["epi"] == "tma" else maps[0])
        if g["rem"]:
            maps.append(self.map(out, case.dtype, (g["rem"], 64), swizzle=0))
        tm, tn = -(-case.m // (g["BM"] * g["cm"])), -(-case.n // (g["BN"] * g["cn"]))
        numbers = [-(-case.k // 64), tm, tn, case.m, case.n, case.n]
        args = [*maps, *map(u32, numbers), u64(out.data_ptr())]
        grid = g["csz"] * min(132 // g["csz"], tm * tn)
        return self.make("sm90_gemm_gen", "gen", "gemm", options, g, grid, args, out, data)

    def _small_m(self, case):
        if case.layout != "nt":
            return []
        tokens = -(-case.m // 16) * 16
        stages = {16: 11, 64: 8}.get(tokens, 6)
        found = [("small_m", dict(BN=tokens, S=stages, pdl=1)), ("plain", dict(BN=tokens, S=stages))]
        return [(label, functools.partial(self._run_small_m, case, o)) for label, o in found]

    def _run_small_m(self, case, options, data):
        g = self.generator("sm90_small_m_gen").geom(**options)
        if case.n % g["BM"] or case.k % 64 or case.m > g["BN"] or case.k // 64 <= g["S"]:
            raise LaunchError("the reference wants N mod 128 == 0, K mod 64 == 0 and more steps than stages")
        out = self.empty((case.m, case.n), case.dtype)
        args = [self.map(data["B"], case.dtype, g["boxW"]), self.map(data["A"], case.dtype, g["boxX"]),
                self.map(out, case.dtype, g["boxY"]), u32(case.k // 64)]
        return self.make("sm90_small_m_gen", "gen", "small_m", options, g, case.n // g["BM"], args, out, data,
                         early=bool(g["pdl"]))

    def _attention(self, case):
        gen = self.generator("sm90_attn_gen")
        key = (case.d, int(case.causal))
        if key not in gen.BEST:
            return []
        best, safe = gen.BEST[key], gen.SAFE[key]
        # Ours has blocks of 112 keys, also where queries see only what is before them.
        same = dict(nwg=3, regs=(32, 160), BN=112, ov=0, causal=key[1]) if case.d == 128 else dict(safe, D=64)
        found = [("same", same), ("safe", dict(safe, D=case.d)), ("best", dict(best, D=case.d))]
        found = [(label, dict(o, D=case.d, causal=key[1], dt=case.dtype)) for label, o in found]
        found = [x for i, x in enumerate(found) if x[1] not in [o for _, o in found[:i]]]
        return [(label, functools.partial(self._run_attention, case, o)) for label, o in found]

    def _run_attention(self, case, options, data):
        torch, gen = self.cuda.torch, self.generator("sm90_attn_gen")
        g = gen.geom(**options)
        heads, d = case.b * case.h, case.d
        blocks, width, entries = gen.table(case.b, case.h, case.s, case.t, g)
        table = torch.tensor([x - (1 << 32) if x >> 31 else x for x in entries], dtype=torch.int32, device=DEVICE)
        out = self.empty(data["Q"].shape, case.dtype)

        def panels(tensor, length, box):
            return self.map(tensor, case.dtype, box, [64, length, d // 64, heads], [2 * d, 128, 2 * d * length])

        keys = (64, g["BN"], d // 64, 1)
        args = [panels(data["Q"], case.s, (64, g["BM"], d // 64, 1)), panels(data["K"], case.t, keys),
                panels(data["V"], case.t, keys), panels(out, case.s, (64, 64, 1, 1)), u32(case.s), u32(case.t),
                ctypes.c_float(math.log2(math.e) / math.sqrt(d)), u64(table.data_ptr()), u32(width)]
        return self.make("sm90_attn_gen", "gen", "attn", options, g, blocks, args, out, dict(data, table=table))

    def _chain(self, case):
        found = [("chain", dict(K=case.k, O=case.o, nwg=2, S=3))]
        if case.b * case.m // 128 < 132:
            found.append(("narrow", dict(K=case.k, O=case.o, nwg=1, S=5 if case.k == 64 else 4)))
        return [(label, functools.partial(self._run_chain, case, o)) for label, o in found]

    def _run_chain(self, case, options, data):
        g = self.generator("sm90_chain_gen").geom(**options)
        if case.m % g["BM"] or case.n % 64 or case.k not in (64, 128) or case.o not in (64, 128):
            raise LaunchError(f"the reference wants M mod {g['BM']} == 0, N mod 64 == 0, K and O of 64 or 128")
        out = self.empty((case.b, case.m, case.o), case.dtype)
        boxes = dict(A="boxA", B="boxB", C="boxC", D0="boxD", D1="boxD", D2="boxD")
        maps = [self.map(data[n], case.dtype, g[box]) for n, box in boxes.items()] + [self.map(out, case.dtype, g["boxE"])]
        tiles = case.b * case.m // g["BM"]
        args = [*maps, u32(tiles), u32(case.m // g["BM"]), u32(case.n // 64)]
        return self.make("sm90_chain_gen", "gen", "chain", options, g, min(132, tiles), args, out, data)

    def _conv(self, case):
        if case.c % 64 or case.dtype != "f16":
            return []
        baked = dict(conv=(case.c, case.h, case.w, case.k, case.k, case.stride, case.pad), dt="f16", cl="1")
        found = [("im2col", dict(baked, BM=128, BN=128, S=6))]
        if case.o <= 64:
            found.append(("tall", dict(baked, BM=256, BN=64, S=5, CB=1)))
        else:
            found.append(("three", dict(baked, BM=192, BN=128, S=5, CB=1, nwg=3, regs=(32, 160))))
        runs = [(label, functools.partial(self._run_conv, case, o)) for label, o in found]
        if case.c == case.o == 64 and case.stride == 1 and 2 * (case.w + 2 * case.pad) <= 256:
            runs.append(("window", functools.partial(self._run_window, case)))
        return runs

    def _run_conv(self, case, options, data):
        plain = {k: v for k, v in options.items() if k != "conv"}
        g = self.generator("sm90_gemm_gen").geom(**plain)
        x, f, out = data["X"], data["F"], self.empty((case.n, case.p, case.q, case.o), case.dtype)
        c, pixels, pad, end = case.c, case.n * case.p * case.q, case.pad, case.pad - (case.k - 1)
        strides = [2 * c, 2 * c * case.w, 2 * c * case.w * case.h]
        picture = self.cuda.encode_im2col(
            case.dtype, x.data_ptr(), [c, case.w, case.h, case.n], strides, [-pad, -pad], [end, end], 64, g["BM"],
            [case.stride] * 2, 128, "a reference map")
        args = [picture, self.map(f.view(case.o, -1), case.dtype, g["boxB"]), self.map(out, case.dtype, g["boxD"])]
        tm, tn = -(-pixels // g["BM"]), -(-case.o // g["BN"])
        numbers = [case.k * case.k * c // 64, tm, tn, pixels, case.o, case.o]
        args += [*map(u32, numbers), u64(out.data_ptr())]
        return self.make("sm90_conv_gen", "gen", "conv", options, g, min(132, tm * tn), args, out, data)

    def _run_window(self, case, data):
        options = dict(H=case.h, W=case.w, R=case.k, S=case.k, pad=case.pad, RT=2, Co=case.o, St=2, swap=1)
        g = dict(self.generator("sm90_conv_gen").wgeom(**options), thr=384)
        x, f, out = data["X"], data["F"], self.empty((case.n, case.p, case.q, case.o), case.dtype)

        def picture(tensor, width, height, box):
            row = 2 * tensor.shape[-1]
            return self.map(tensor, case.dtype, box, [tensor.shape[-1], width, height, case.n],
                            [row, row * width, row * width * height])

        args = [picture(x, case.w, case.h, g["boxX"]), self.map(f.view(case.o, -1), case.dtype, g["boxW"]),
                picture(out, case.q, case.p, g["boxY"]), u32(case.n * -(-case.p // 2))]
        return self.make("sm90_conv_gen", "window", "convw", options, g, 132, args, out, data)

    def _softmax(self, case):
        if case.op not in ("softmax", "layernorm") or case.n > 8192 or case.dtype != "f16":
            return []
        return [("row", functools.partial(self._run_row, case))]

    def _run_row(self, case, data):
        vectors = 4
        threads = max(32, -(-case.n // (8 * vectors * 32)) * 32)
        options = dict(kind=case.op, N=case.n, T=threads, V=vectors)
        if case.n % 8:
            options.update(un=1, V=-(-(case.n + 7) // (8 * threads)))
        out = self.empty((case.m, case.n), case.dtype)
        weights = [data[n].data_ptr() if n in data else 0 for n in "WB"]
        args = [*map(u64, (data["X"].data_ptr(), out.data_ptr(), *weights)), u32(case.m)]
        return self.make("sm90_row_gen", "gen", "row", options, dict(thr=threads), case.m, args, out, data)
