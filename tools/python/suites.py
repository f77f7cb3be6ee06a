"""What `compare.py` checks and times: cases with their inputs, right answers and baselines, and which kernels are for them.

A case is one shape of one suite. Its inputs are random and normal, kept as kernels want them in memory; the right answer
is computed by torch in f64 or f32. Baselines are what a user would call instead.
"""
import fnmatch
import math
from dataclasses import dataclass, field


@dataclass
class Serve:
    """Which cases the kernels of some name are for, and what their inputs are called there."""

    pattern: str
    suites: tuple
    inputs: tuple
    where: dict = field(default_factory=dict)


# The first pattern that fits the name of the manifest counts. Symbols need no entry: they follow from the shapes of the
# inputs in the manifest, as do types, the layout of matrices, and which sizes are built in.
SERVES = (
    Serve("gemm_bias_relu*", ("fused",), ("A", "B", "bias"), dict(op="relu")),
    Serve("gemm_bias_gelu*", ("fused",), ("A", "B", "bias"), dict(op="gelu")),
    Serve("gemm_bias_silu*", ("fused",), ("A", "B", "bias"), dict(op="silu")),
    Serve("gemm_bias_residual*", ("fused",), ("A", "B", "bias", "R"), dict(op="residual")),
    Serve("gemm_small_m*", ("small_m",), ("A", "B")),
    Serve("gemm*", ("gemm", "small_m"), ("A", "B")),
    Serve("sgemm*", ("sgemm",), ("A", "B")),
    Serve("chain*", ("chain",), ("A", "B", "C", "D0", "D1", "D2")),
    Serve("conv_nchw*", ("conv_nchw",), ("X", "F")),
    Serve("conv*", ("conv",), ("X", "F")),
    Serve("attention_causal*", ("attention",), ("Q", "K", "V"), dict(causal=True)),
    Serve("attention*", ("attention",), ("Q", "K", "V"), dict(causal=False)),
    Serve("linear_softmax*", ("linear_rows",), ("X", "W", "b"), dict(op="softmax")),
    Serve("linear_layernorm*", ("linear_rows",), ("X", "W", "b"), dict(op="layernorm")),
    Serve("*softmax*", ("softmax",), ("X",), dict(op="softmax")),
    Serve("*layernorm*", ("softmax",), ("X", "W", "B"), dict(op="layernorm")),
    Serve("*rmsnorm*", ("softmax",), ("X", "W"), dict(op="rmsnorm")),
    Serve("*gelu_add*", ("softmax",), ("X", "W"), dict(op="gelu_add")),
    Serve("sum_columns*", ("sum",), ("X",), dict(op="columns")),
    Serve("sum_all*", ("sum",), ("X",), dict(op="all")),
)

# The manifests that a folder of kernels has; those that are missing are named.
EXPECTED = ("gemm_pingpong", "gemm_cooperative", "gemm_small_m", "gemm_sm80", "sgemm", "chain", "conv_im2col", "conv_window",
            "attention", "attention_causal", "row_softmax", "row_layernorm", "row_rmsnorm", "gelu_add")

# The largest error of a right kernel: of all elements together, and of one, against it and the mean size of all.
BOUNDS = {"f16": (1e-3, 2e-2), "bf16": (8e-3, 1.2e-1), "f32": (1e-5, 1e-3)}


def serve(name):
    """The entry of the table for a manifest."""
    return next((s for s in SERVES if fnmatch.fnmatch(name, s.pattern)), None)


def torch_type(dtype):
    import torch

    return dict(f16=torch.float16, bf16=torch.bfloat16, f32=torch.float32)[dtype]


def normal(shape, dtype, scale=1.0):
    """Random numbers of a normal distribution, on the device."""
    import torch

    return (torch.randn(*shape, device=DEVICE) * scale).to(torch_type(dtype))


DEVICE = "cuda"


class Compiler:
    """torch.compile, tuned as long as a suite has time for it and as it comes after that."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, fn, tune, *args):
        import time

        import torch

        torch._dynamo.reset()
        tuned = tune and self.seconds > 0
        mode = dict(mode="max-autotune-no-cudagraphs") if tuned else {}
        start = time.time()
        made = torch.compile(fn, dynamic=False, **mode)
        made(*args)
        torch.cuda.synchronize()
        if tuned:
            self.seconds -= time.time() - start
        return (lambda: made(*args)), "torch.compile" + (" tuned" if tuned else "")


class Case:
    """One shape. `flops` and `bytes` are what it takes at least; `timed` is not set for sizes that are there to be right
    for only."""

    suite = ""
    dtype = "f16"
    group = ""
    flops = bytes = 0
    timed = True
    tune = True

    def matches(self, kernel, entry):
        """None if a kernel is for this case, else why not. `kernel` is one of a manifest, `entry` its line of the table."""
        if self.suite not in entry.suites or any(getattr(self, k) != v for k, v in entry.where.items()):
            return "is for something else"
        if kernel.inputs[0].type != self.dtype:
            return f"is for {kernel.inputs[0].type}"
        return None

    def operands(self, kernel, entry, data):
        """The inputs in the order and with the axes of the kernel."""
        return [self.form(name, data[name], len(b.shape)) for name, b in zip(entry.inputs, kernel.inputs)]

    def form(self, name, tensor, rank):
        """The same memory with so many axes, where there is another way to see it."""
        return tensor

    def eager(self, *args):
        """The case in plain torch, for torch.compile."""
        raise NotImplementedError

    def compiled(self, data, compiler):
        """The baseline that torch.compile makes: a function to call, and its name."""
        return compiler(self.eager, self.tune, *data.values())

    def baselines(self, data):
        """Pairs of a name and a function to call."""
        return [("torch", lambda: self.eager(*data.values()))]

    compile = True


class Gemm(Case):
    """D = op(A) op(B); a layout says for both whether they lie as they are (n) or transposed (t)."""

    suite = "gemm"
    compile = False

    def __init__(self, m, n, k, layout="nt", dtype="f16", timed=True):
        self.m, self.n, self.k, self.layout, self.dtype, self.timed = m, n, k, layout, dtype, timed
        self.name = f"{dtype} {layout} {m}x{n}x{k}"
        self.group = f"{dtype} {layout}"
        self.flops = 2 * m * n * k
        self.bytes = (4 if dtype == "f32" else 2) * (m * k + k * n + m * n)

    def data(self):
        a = (self.m, self.k) if self.layout[0] == "n" else (self.k, self.m)
        b = (self.k, self.n) if self.layout[1] == "n" else (self.n, self.k)
        return dict(A=normal(a, self.dtype), B=normal(b, self.dtype))

    def logical(self, data):
        a, b = data["A"], data["B"]
        return (a if self.layout[0] == "n" else a.t()), (b if self.layout[1] == "n" else b.t())

    def expected(self, data):
        a, b = self.logical(data)
        return a.double() @ b.double()

    def baselines(self, data):
        a, b = self.logical(data)
        return [("cuBLAS", lambda: a @ b)]

    def matches(self, kernel, entry):
        why = super().matches(kernel, entry)
        if why:
            return why
        layout = gemm_layout(kernel)
        return None if layout == self.layout else f"is for {layout}"


def gemm_layout(kernel):
    """Which axis of A is that of the rows of D, and which of B that of its columns."""
    a, b, d = ([e.text for e in x.shape] for x in (kernel.inputs[0], kernel.inputs[1], kernel.outputs[0]))
    if len(a) == len(b) == len(d) == 2 and a[0] != a[1] and b[0] != b[1]:
        return ("n" if a[0] == d[0] else "t") + ("n" if b[1] == d[1] else "t")
    # Fixed and equal sizes say nothing.
    return next((x for x in ("nt", "tn", "tt") if kernel.module.name.rsplit(".", 1)[0].endswith("_" + x)), "nn")


class Skinny(Gemm):
    """Few rows of A: the time is that of reading B. The baseline may have B as it likes it, too."""

    suite = "small_m"

    def __init__(self, m, n, k, **other):
        super().__init__(m, n, k, **other)
        self.flops = 0

    def baselines(self, data):
        a, b = self.logical(data)
        other, turned = ("t", b.t().contiguous().t()) if self.layout[1] == "n" else ("n", b.contiguous())
        return [("cuBLAS", lambda: a @ b), ("cuBLAS " + self.layout[0] + other, lambda: a @ turned)]


class Sgemm(Gemm):
    suite = "sgemm"

    def __init__(self, m, n, k, layout="nn", dtype="f32", timed=True):
        super().__init__(m, n, k, layout, "f32", timed)
        self.group = ""


class Fused(Gemm):
    """op(A B + bias), or A B + bias + R."""

    suite = "fused"
    compile = True

    def __init__(self, op, m, n, k, layout="nn", dtype="f16", timed=True):
        super().__init__(m, n, k, layout, dtype, timed)
        self.op = op
        self.name = f"{op} {self.name}"
        self.group = op

    def data(self):
        found = dict(super().data(), bias=normal((self.n,), self.dtype))
        if self.op == "residual":
            found["R"] = normal((self.m, self.n), self.dtype)
        return found

    def activate(self, x, r=None):
        import torch.nn.functional as F

        return x + r if self.op == "residual" else dict(relu=F.relu, gelu=F.gelu, silu=F.silu)[self.op](x)

    def expected(self, data):
        rest = [data["R"].double()] if self.op == "residual" else []
        return self.activate(super().expected(data) + data["bias"].double(), *rest)

    def eager(self, a, b, bias, *rest):
        a, b = self.logical(dict(A=a, B=b))
        return self.activate(a @ b + bias, *rest)

    def baselines(self, data):
        import torch

        (a, b), bias = self.logical(data), data["bias"]
        if self.op in ("relu", "gelu"):
            gelu = self.op == "gelu"
            return [("cuBLASLt", lambda: torch._addmm_activation(bias, a, b, use_gelu=gelu))]
        rest = [data["R"]] if self.op == "residual" else []
        return [("torch", lambda: self.activate(torch.addmm(bias, a, b), *rest))]


class Attention(Case):
    suite = "attention"
    compile = False

    def __init__(self, b, h, s, d, causal, t=None, dtype="f16", timed=True):
        self.b, self.h, self.s, self.d, self.causal, self.dtype, self.timed = b, h, s, d, causal, dtype, timed
        self.t = t or s
        self.name = f"{dtype} b{b} h{h} s{s}{f' t{t}' if t else ''} d{d} {'causal' if causal else 'full'}"
        self.group = f"d{d} {'causal' if causal else 'full'}"
        self.flops = int(4 * b * h * s * self.t * d * (0.5 if causal else 1))

    def data(self):
        at = lambda n: normal((self.b, self.h, n, self.d), self.dtype)
        return dict(Q=at(self.s), K=at(self.t), V=at(self.t))

    def form(self, name, tensor, rank):
        return tensor.view(-1, *tensor.shape[2:]) if rank == 3 else tensor

    def expected(self, data):
        import torch

        q, k, v = (data[n].view(-1, *data[n].shape[2:]).float() for n in "QKV")
        out = torch.empty_like(q)
        step = max(1, (1 << 28) // (self.s * self.t))
        for i in range(0, len(q), step):
            scores = q[i : i + step] @ k[i : i + step].transpose(1, 2) / math.sqrt(self.d)
            if self.causal:
                seen = torch.ones(self.s, self.t, dtype=torch.bool, device=q.device).tril()
                scores.masked_fill_(~seen, -math.inf)
            out[i : i + step] = torch.softmax(scores, -1) @ v[i : i + step]
        return out.view(self.b, self.h, self.s, self.d)

    def baselines(self, data):
        import torch.nn.functional as F
        from torch.nn.attention import SDPBackend, sdpa_kernel

        def run():
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return F.scaled_dot_product_attention(data["Q"], data["K"], data["V"], is_causal=self.causal)

        return [("cuDNN", run)]


class Conv(Case):
    """Channels last; the filters are [O, R, S, C]."""

    suite = "conv"
    compile = False

    def __init__(self, n, c, h, o, k, stride, pad, w=None, dtype="f16", timed=True):
        self.n, self.c, self.h, self.w, self.o, self.k, self.stride, self.pad = n, c, h, w or h, o, k, stride, pad
        self.dtype, self.timed = dtype, timed
        self.p, self.q = ((x + 2 * pad - k) // stride + 1 for x in (self.h, self.w))
        self.name = f"{dtype} n{n} {c}->{o} {self.h}x{self.w} k{k}s{stride}p{pad}"
        self.flops = 2 * n * o * self.p * self.q * c * k * k

    def data(self):
        x, f = (self.n, self.h, self.w, self.c), (self.o, self.k, self.k, self.c)
        return dict(X=normal(x, self.dtype), F=normal(f, self.dtype))

    def form(self, name, tensor, rank):
        return tensor.view(tensor.shape[0], -1) if name == "F" and rank == 2 else tensor

    def expected(self, data):
        import torch
        import torch.nn.functional as F

        x, f = (data[n].float().permute(0, 3, 1, 2) for n in "XF")
        with torch.backends.cudnn.flags(enabled=True, benchmark=False, allow_tf32=False):
            y = F.conv2d(x, f, stride=self.stride, padding=self.pad)
        return y.permute(0, 2, 3, 1).contiguous()

    def baselines(self, data):
        import torch
        import torch.nn.functional as F

        torch.backends.cudnn.benchmark = True
        x, f = (data[n].permute(0, 3, 1, 2) for n in "XF")
        return [("cuDNN", lambda: F.conv2d(x, f, stride=self.stride, padding=self.pad).permute(0, 2, 3, 1))]


class ConvFirst(Conv):
    """Channels first; the filters are [O, C, R, S]."""

    suite = "conv_nchw"

    def data(self):
        x, f = (self.n, self.c, self.h, self.w), (self.o, self.c, self.k, self.k)
        return dict(X=normal(x, self.dtype), F=normal(f, self.dtype))

    def expected(self, data):
        return self.run(*(data[n].float() for n in "XF"))

    def baselines(self, data):
        import torch

        torch.backends.cudnn.benchmark = True
        return [("cuDNN", lambda: self.run(data["X"], data["F"]))]

    def run(self, x, f):
        import torch.nn.functional as F

        return F.conv2d(x, f, stride=self.stride, padding=self.pad)


class Chain(Case):
    """E = relu(A B + D0 + D1) C + D2 of `b` batches."""

    suite = "chain"

    def __init__(self, b, m, n, k, o, dtype="f16", timed=True):
        self.b, self.m, self.n, self.k, self.o, self.dtype, self.timed = b, m, n, k, o, dtype, timed
        self.name = f"{dtype} {b}x{m}x{n}x{k}x{o}"
        self.flops = 2 * b * m * n * (k + o)

    def data(self):
        b, m, n, k, o = self.b, self.m, self.n, self.k, self.o
        shapes = dict(A=(m, k), B=(k, n), C=(n, o), D0=(m, n), D1=(m, n), D2=(m, o))
        return {x: normal((b, *s), self.dtype, 0.1 if x in "ABC" else 1.0) for x, s in shapes.items()}

    def expected(self, data):
        return self.eager(*(x.double() for x in data.values()))

    def eager(self, a, b, c, d0, d1, d2):
        import torch

        return torch.bmm(torch.relu(torch.bmm(a, b) + d0 + d1), c) + d2


class Row(Case):
    """Softmax, norms and gelu(x) + w of each row."""

    suite = "softmax"
    tune = False

    def __init__(self, op, m, n, dtype="f16", timed=True):
        self.op, self.m, self.n, self.dtype, self.timed = op, m, n, dtype, timed
        self.name = f"{op} {dtype} {m}x{n}"
        self.group = op
        self.bytes = 2 * 2 * m * n

    def data(self):
        found = dict(X=normal((self.m, self.n), self.dtype))
        if self.op != "softmax":
            found["W"] = normal((self.n,), self.dtype)
        if self.op == "layernorm":
            found["B"] = normal((self.n,), self.dtype)
        return found

    def expected(self, data):
        return self.eager(*(x.double() for x in data.values()))

    def eager(self, x, w=None, b=None):
        import torch
        import torch.nn.functional as F

        if self.op == "softmax":
            return torch.softmax(x, -1)
        if self.op == "layernorm":
            return F.layer_norm(x, (self.n,), w, b, 1e-5)
        return F.rms_norm(x, (self.n,), w, 1e-5) if self.op == "rmsnorm" else F.gelu(x) + w


class LinearRows(Case):
    """The softmax or the layer norm of each row of X W^T + b."""

    suite = "linear_rows"

    def __init__(self, op, m, n, k, dtype="f16", timed=True):
        self.op, self.m, self.n, self.k, self.dtype, self.timed = op, m, n, k, dtype, timed
        self.name = f"{op} {dtype} {m}x{n}x{k}"
        self.group = op
        self.flops = 2 * m * n * k
        self.bytes = 2 * (m * k + k * n + m * n)

    def data(self):
        scale = 1 / math.sqrt(self.k)
        w, b = normal((self.n, self.k), self.dtype, scale), normal((self.n,), self.dtype)
        return dict(X=normal((self.m, self.k), self.dtype), W=w, b=b)

    def matches(self, kernel, entry):
        why = super().matches(kernel, entry)
        columns = kernel.inputs[1].shape[0].text
        return why or (None if columns == str(self.n) else f"is for {columns} columns")

    def expected(self, data):
        return self.eager(*(x.double() for x in data.values()))

    def eager(self, x, w, b):
        import torch
        import torch.nn.functional as F

        rows = F.linear(x, w, b)
        return torch.softmax(rows, -1) if self.op == "softmax" else F.layer_norm(rows, (self.n,), eps=1e-5)


class Sum(Case):
    """The sums of columns, or the sum of all, in f32."""

    suite = "sum"
    tune = False

    def __init__(self, op, m, n, dtype="f16", timed=True):
        self.op, self.m, self.n, self.dtype, self.timed = op, m, n, dtype, timed
        self.name = f"{op} {dtype} {m}x{n}"
        self.group = op
        self.shape = (n,) if op == "columns" else ()
        self.bytes = 2 * m * n

    def data(self):
        return dict(X=normal((self.m, self.n), self.dtype))

    def expected(self, data):
        return self.eager(data["X"].double())

    def eager(self, x):
        import torch

        dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
        return torch.sum(x, [0] if self.op == "columns" else [0, 1], dtype=dtype)


# --- The lists --------------------------------------------------------------------------------------------------------

SUITES = ("gemm", "small_m", "fused", "conv", "conv_nchw", "attention", "chain", "softmax", "linear_rows", "sum",
          "sgemm")
_GEMM = ((8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (4096, 14336, 4096), (4096, 4096, 14336),
         (16384, 6144, 4096), (1024, 1024, 1024), (512, 512, 512), (1536, 1536, 1536))
_ODD = ((4097, 4095, 1024), (2048, 50257, 768), (4096, 4096, 4095))
_GEMM_TAILS = ((129, 136, 72), (1, 8, 8), (333, 264, 200), (1000, 1032, 520), (150, 130, 70), (127, 33, 65))
_FUSED = ((8192, 8192, 8192), (4096, 4096, 4096), (4096, 14336, 4096), (1024, 1024, 1024))
_ATTENTION = ((4, 16, 4096, 128), (4, 32, 4096, 64), (2, 16, 8192, 128), (1, 16, 16384, 128), (16, 12, 512, 64))
_CONV = ((64, 64, 56, 64, 3, 1, 1), (64, 128, 56, 128, 3, 2, 1), (64, 256, 14, 256, 3, 1, 1), (32, 3, 224, 64, 7, 2, 3),
         (64, 256, 56, 64, 1, 1, 0))
_CONV_NCHW = ((32, 64, 56, 64, 3, 1, 1), (32, 128, 28, 128, 3, 1, 1), (32, 256, 14, 256, 3, 1, 1), (16, 512, 7, 512, 3, 1, 1),
              (32, 128, 56, 128, 3, 2, 1), (32, 3, 224, 64, 7, 2, 3), (32, 64, 56, 256, 1, 1, 0))
_CHAIN = ((128, 1024, 1024, 64, 128), (64, 1024, 256, 128, 128), (16, 512, 512, 64, 128))
_ROWS = ((8192, 8192), (16384, 4096))
_LINEAR_ROWS = tuple((m, n, 1024) for m in (4096, 65536) for n in (10, 100, 256))
_SUMS = ((65536, 256), (8192, 8192))


def cases(suite, shapes=None, dtypes=None, layouts=None, tails=True):
    """The cases of a suite; shapes, types and layouts may be others than usual."""
    types = lambda *usual: [d for d in dtypes or usual]
    found = []
    if suite == "gemm":
        odd = [] if shapes else _ODD
        found += [Gemm(*s, layout, d) for d in types("f16", "bf16") for layout in layouts or ("nn", "nt", "tn")
                  for s in shapes or _GEMM]
        found += [Gemm(*s, layout, "f16") for layout in layouts or ("nn", "nt") for s in odd if "f16" in types("f16")]
        if tails:
            found += [Gemm(*s, layout, d, False) for d in types("f16", "bf16") for layout in layouts or ("nn", "nt", "tn")
                      for s in _GEMM_TAILS]
    elif suite == "small_m":
        found += [Skinny(*s, layout=layout, dtype=d) for d in types("f16") for layout in layouts or ("nt", "nn")
                  for s in shapes or ((16, 14336, 4096), (64, 14336, 4096), (128, 14336, 4096))]
        if tails:
            found += [Skinny(*s, layout=layout, dtype=d, timed=False) for d in types("f16")
                      for layout in layouts or ("nt", "nn") for s in ((1, 128, 64), (7, 200, 136), (17, 1000, 520), (130, 264, 72))]
    elif suite == "fused":
        found += [Fused(op, *s, layout, d) for op in ("relu", "gelu", "silu", "residual") for d in types("f16")
                  for layout in layouts or ("nn",) for s in shapes or _FUSED]
        if tails:
            found += [Fused(op, *s, layout, d, False) for op in ("relu", "gelu", "silu", "residual") for d in types("f16")
                      for layout in layouts or ("nn",) for s in _GEMM_TAILS[:3]]
    elif suite == "sgemm":
        found += [Sgemm(*s) for s in shapes or ((4096, 4096, 4096),)]
        if tails:
            found += [Sgemm(*s, timed=False) for s in ((150, 130, 70), (1, 1, 1), (129, 257, 33), (1000, 1004, 516))]
    elif suite == "attention":
        found += [Attention(*s, causal, dtype=d) for d in types("f16") for s in shapes or _ATTENTION
                  for causal in (False, True)]
        if tails:
            found += [Attention(1, 3, s, d, causal, t, dtype, False) for dtype in types("f16") for d in (128, 64)
                      for causal in (False, True) for s, t in ((1, 1), (200, 777), (333, 113), (1000, 1000))]
    elif suite == "conv":
        found += [Conv(*s, dtype=d) for d in types("f16") for s in shapes or _CONV]
        if tails:
            found += [Conv(*s[:7], w=s[7], dtype=d, timed=False) for d in types("f16") for s in (
                (3, 64, 17, 72, 3, 2, 1, 23), (2, 128, 9, 40, 3, 2, 1, 40), (1, 72, 8, 64, 3, 2, 1, 8),
                (3, 64, 17, 64, 3, 1, 1, 56), (1, 64, 1, 64, 3, 1, 1, 56))]
    elif suite == "conv_nchw":
        found += [ConvFirst(*s, dtype=d) for d in types("f16") for s in shapes or _CONV_NCHW]
        if tails:
            found += [ConvFirst(*s[:7], w=s[7], dtype=d, timed=False) for d in types("f16") for s in (
                (3, 9, 17, 72, 3, 1, 1, 23), (2, 70, 9, 40, 3, 1, 1, 40), (1, 72, 8, 64, 3, 2, 1, 9), (2, 33, 13, 20, 1, 1, 0, 16),
                (5, 64, 1, 130, 3, 1, 1, 56), (2, 5, 30, 33, 7, 2, 3, 19))]
    elif suite == "chain":
        found += [Chain(*s, dtype=d) for d in types("f16") for s in shapes or _CHAIN]
        if tails:
            found += [Chain(*s, dtype=d, timed=False) for d in types("f16")
                      for s in ((3, 200, 136, 64, 128), (1, 1, 8, 64, 128), (5, 130, 200, 64, 128), (2, 65, 64, 128, 128))]
    elif suite == "softmax":
        ops = ("softmax", "layernorm", "rmsnorm", "gelu_add")
        found += [Row(op, *s, dtype=d) for op in ops for d in types("f16") for s in shapes or _ROWS]
        if tails:
            found += [Row(op, *s, dtype=d, timed=False) for op in ops for d in types("f16")
                      for s in ((5, 1), (7, 1000), (3, 4095), (2, 8185), (1000, 777))]
    elif suite == "linear_rows":
        ops = ("softmax", "layernorm")
        found += [LinearRows(op, *s, dtype=d) for op in ops for d in types("f16") for s in shapes or _LINEAR_ROWS]
        if tails:
            found += [LinearRows(op, m, n, k, dtype=d, timed=False) for op in ops for d in types("f16")
                      for m, k in ((1, 8), (65, 72), (1000, 1032), (127, 33)) for n in (10, 100, 256)]
    elif suite == "sum":
        ops = ("columns", "all")
        found += [Sum(op, *s, dtype=d) for op in ops for d in types("f16") for s in shapes or _SUMS]
        if tails:
            found += [Sum(op, *s, dtype=d, timed=False) for op in ops for d in types("f16")
                      for s in ((1, 1), (7, 1000), (3001, 75), (4095, 257))]
    else:
        raise ValueError(f"there is no suite '{suite}'; there are {', '.join(SUITES)}")
    return found
