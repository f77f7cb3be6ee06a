"""The programs that `drawn.py` draws: for each kind its text, its sizes, what it must give, and its baselines in torch.

A draw is its kind and its parameters, which are numbers and texts, so that a row of results can be drawn again. Its result
is computed twice: by numpy, whole, for small sizes on the CPU, and by torch in f64, for a sample of what ran on a GPU.
"""
import math

TORCH = dict(f16="float16", bf16="bfloat16", f32="float32", i1="bool", i32="int32")
WIDTH = dict(f16=2, bf16=2, f32=4, i1=1, i32=4)
# The most bytes of the tensors of a program, and the most operations.
MOST_BYTES, MOST_FLOPS = 2 << 30, 1e14
# The most indices of an axis whose results are compared.
SAMPLE = 256


def log_uniform(rng, low, high, most=None):
    """A number between two bounds, its logarithm uniform; none above `most`."""
    high = min(high, most or high)
    return int(round(math.exp(rng.uniform(math.log(min(low, high)), math.log(high)))))


def any_residue(rng, size, by=8):
    """A multiple of `by` near a size for half of the draws, the size itself otherwise."""
    return max(by, size // by * by) if rng.random() < 0.5 else size


class Draw:
    """A drawn program. `arguments` and `result` give axes as names, whose numbers `sizes` has, or as numbers."""

    kind = ""
    # The names of axes that are symbols of the program. Others are numbers in its text.
    symbolic = ()

    def __init__(self, **params):
        self.params = params
        self.__dict__.update(params)

    @property
    def name(self):
        return " ".join(f"{key}={value}" for key, value in self.params.items())

    def symbols(self):
        return {name: size for name, size in self.sizes().items() if name in self.symbolic}

    def shape(self, axes):
        sizes = self.sizes()
        return [sizes[axis] if isinstance(axis, str) else axis for axis in axes]

    def inputs(self):
        """Name, shape and type of each input."""
        return [(name, self.shape(axes), elem) for name, axes, elem in self.arguments()]

    def bytes(self):
        axes, elem = self.result()
        tensors = [(shape, elem) for _, shape, elem in self.inputs()] + [(self.shape(axes), elem)]
        return sum(WIDTH[elem] * math.prod(shape) for shape, elem in tensors)

    def flops(self):
        return 0

    def text(self):
        sizes = self.sizes()
        spell = lambda axis: str(axis if axis in self.symbolic else sizes.get(axis, axis))
        tensor = lambda axes, elem: f"tensor<[{', '.join(map(spell, axes))}], {elem}>"
        arguments = ", ".join(f"%{name}: {tensor(axes, elem)}" for name, axes, elem in self.arguments())
        symbols = f"<{', '.join(self.symbols())}>" if self.symbols() else ""
        body = "".join(f"  {line}\n" for line in self.lines(tensor))
        return f"frontend.graph @{self.kind}{symbols}({arguments}) -> {tensor(*self.result())} {{\n{body}}}\n"

    def spared(self):
        """The baselines that are measured and shown, but compute from and into another layout than the program."""
        return ()

    def is_possible(self):
        """Whether it fits into memory and ends in time."""
        return self.bytes() <= MOST_BYTES and self.flops() <= MOST_FLOPS


def sample(torch, out, expected, dim):
    """The function of some indices of an axis that is left alone, for the result and for what is expected of it."""
    size = out.shape[dim]
    if size <= SAMPLE:
        return out, expected(None)
    third = SAMPLE // 3
    at = torch.cat([torch.arange(third), torch.randint(0, size, (third,)), torch.arange(size - third, size)]).to(out.device)
    return out.index_select(dim, at), expected(at)


# --- Products of matrices ---------------------------------------------------------------------------------------------


class Gemm(Draw):
    kind = "gemm"

    @classmethod
    def draw(cls, rng, most):
        return cls(m=any_residue(rng, log_uniform(rng, 1, 16384, most)), n=any_residue(rng, log_uniform(rng, 16, 32768, most)),
                   k=any_residue(rng, log_uniform(rng, 16, 32768, most)), layout=rng.choice(("nn", "nt", "tn", "tt")),
                   elem=rng.choice(("f16", "bf16")), symbols_are=rng.choice(("MNK", "M")))

    @property
    def symbolic(self):
        return tuple(self.symbols_are)

    def sizes(self):
        return dict(M=self.m, N=self.n, K=self.k)

    def flops(self):
        return 2 * self.m * self.n * self.k

    def arguments(self):
        a, b = ("MK" if self.layout[0] == "n" else "KM"), ("KN" if self.layout[1] == "n" else "NK")
        return [("a", a, self.elem), ("b", b, self.elem)]

    def result(self):
        return "MN", self.elem

    def lines(self, tensor):
        turned = "".join(f" trans_{name}" for name, how in zip("ab", self.layout) if how == "t")
        return [f"%y = gemm %a, %b{turned} acc f32", f"output %y as {self.elem}"]

    def numpy(self, np, a, b):
        return (a if self.layout[0] == "n" else a.T) @ (b if self.layout[1] == "n" else b.T)

    def logical(self, a, b):
        return (a if self.layout[0] == "n" else a.t()), (b if self.layout[1] == "n" else b.t())

    def checked(self, torch, inputs, out):
        a, b = self.logical(*inputs)
        return sample(torch, out, lambda at: (a if at is None else a[at]).double() @ b.double(), 0)

    def baselines(self, torch, inputs):
        a, b = self.logical(*inputs)
        return [("cuBLAS", lambda: lambda: torch.matmul(a, b))]


# --- Convolutions -----------------------------------------------------------------------------------------------------

# Input and output channels, size of the image, window, stride, and whether each channel is for itself. Padding keeps the
# size where windows overlap, and is none where they do not.
LAYERS = {
    "resnet50": (
        (3, 64, 224, 7, 2, 0), (64, 64, 56, 1, 1, 0), (64, 64, 56, 3, 1, 0), (64, 256, 56, 1, 1, 0), (256, 64, 56, 1, 1, 0),
        (256, 128, 56, 1, 1, 0), (128, 128, 56, 3, 2, 0), (128, 512, 28, 1, 1, 0), (256, 512, 56, 1, 2, 0),
        (512, 128, 28, 1, 1, 0), (128, 128, 28, 3, 1, 0), (512, 256, 28, 1, 1, 0), (256, 256, 28, 3, 2, 0),
        (256, 1024, 14, 1, 1, 0), (512, 1024, 28, 1, 2, 0), (1024, 256, 14, 1, 1, 0), (256, 256, 14, 3, 1, 0),
        (1024, 512, 14, 1, 1, 0), (512, 512, 14, 3, 2, 0), (512, 2048, 7, 1, 1, 0), (1024, 2048, 14, 1, 2, 0),
        (2048, 512, 7, 1, 1, 0), (512, 512, 7, 3, 1, 0)),
    "mobilenet_v2": (
        (3, 32, 224, 3, 2, 0), (32, 32, 112, 3, 1, 1), (32, 16, 112, 1, 1, 0), (16, 96, 112, 1, 1, 0), (96, 96, 112, 3, 2, 1),
        (96, 24, 56, 1, 1, 0), (24, 144, 56, 1, 1, 0), (144, 144, 56, 3, 1, 1), (144, 24, 56, 1, 1, 0), (144, 144, 56, 3, 2, 1),
        (144, 32, 28, 1, 1, 0), (32, 192, 28, 1, 1, 0), (192, 192, 28, 3, 1, 1), (192, 32, 28, 1, 1, 0), (192, 192, 28, 3, 2, 1),
        (192, 64, 14, 1, 1, 0), (64, 384, 14, 1, 1, 0), (384, 384, 14, 3, 1, 1), (384, 96, 14, 1, 1, 0), (96, 576, 14, 1, 1, 0),
        (576, 576, 14, 3, 1, 1), (576, 576, 14, 3, 2, 1), (576, 160, 7, 1, 1, 0), (160, 960, 7, 1, 1, 0), (960, 960, 7, 3, 1, 1),
        (960, 320, 7, 1, 1, 0), (320, 1280, 7, 1, 1, 0)),
    "convnext_t": (
        (3, 96, 224, 4, 4, 0), (96, 96, 56, 7, 1, 1), (96, 192, 56, 2, 2, 0), (192, 192, 28, 7, 1, 1), (192, 384, 28, 2, 2, 0),
        (384, 384, 14, 7, 1, 1), (384, 768, 14, 2, 2, 0), (768, 768, 7, 7, 1, 1), (96, 384, 56, 1, 1, 0), (384, 96, 56, 1, 1, 0),
        (768, 3072, 7, 1, 1, 0), (3072, 768, 7, 1, 1, 0)),
    "efficientnet_b0": (
        (3, 32, 224, 3, 2, 0), (32, 32, 112, 3, 1, 1), (96, 96, 112, 3, 2, 1), (144, 144, 56, 3, 1, 1), (144, 144, 56, 5, 2, 1),
        (240, 240, 28, 5, 1, 1), (240, 240, 28, 3, 2, 1), (480, 480, 14, 3, 1, 1), (480, 480, 14, 5, 1, 1), (672, 672, 14, 5, 1, 1),
        (672, 672, 14, 5, 2, 1), (1152, 1152, 7, 5, 1, 1), (1152, 1152, 7, 3, 1, 1), (24, 144, 56, 1, 1, 0), (240, 40, 28, 1, 1, 0),
        (40, 240, 28, 1, 1, 0), (480, 112, 14, 1, 1, 0), (112, 672, 14, 1, 1, 0), (672, 192, 7, 1, 1, 0), (192, 1152, 7, 1, 1, 0),
        (1152, 320, 7, 1, 1, 0)),
    "unet": (
        (3, 64, 256, 3, 1, 0), (64, 64, 256, 3, 1, 0), (64, 128, 128, 3, 1, 0), (128, 128, 128, 3, 1, 0), (128, 256, 64, 3, 1, 0),
        (256, 256, 64, 3, 1, 0), (256, 512, 32, 3, 1, 0), (512, 512, 32, 3, 1, 0), (512, 1024, 16, 3, 1, 0),
        (1024, 1024, 16, 3, 1, 0), (1024, 512, 32, 3, 1, 0), (512, 256, 64, 3, 1, 0), (256, 128, 128, 3, 1, 0),
        (128, 64, 256, 3, 1, 0), (64, 2, 256, 1, 1, 0)),
}


class Conv(Draw):
    kind = "conv"
    symbolic = ("B",)

    @classmethod
    def draw(cls, rng, most):
        net = rng.choice(sorted(LAYERS))
        c, o, h, k, stride, depthwise = rng.choice(LAYERS[net])
        small = lambda size: min(size, most) if most else size
        c, o, h = (small(c), small(c), small(h)) if depthwise else (small(c), small(o), small(h))
        return cls(net=net, b=rng.choice((1, 8, 64) if not most else (1, 2)), c=c, o=o, h=h, k=k, stride=stride,
                   groups=c if depthwise else 1, layout=rng.choice(("nhwc", "nchw")), elem=rng.choice(("f16", "bf16")))

    @property
    def pad(self):
        return 0 if self.k == self.stride else self.k // 2

    @property
    def p(self):
        return (self.h + 2 * self.pad - self.k) // self.stride + 1

    def sizes(self):
        return dict(B=self.b)

    def flops(self):
        return 2 * self.b * self.o * self.p ** 2 * self.c // self.groups * self.k ** 2

    def placed(self, outer, channels, size):
        return (outer, channels, size, size) if self.layout == "nchw" else (outer, size, size, channels)

    def arguments(self):
        return [("x", self.placed("B", self.c, self.h), self.elem),
                ("w", self.placed(self.o, self.c // self.groups, self.k), self.elem)]

    def result(self):
        return self.placed("B", self.o, self.p), self.elem

    def lines(self, tensor):
        how = f"stride [{self.stride}, {self.stride}] pad [{self.pad}, {self.pad}] groups {self.groups} acc f32"
        if self.layout == "nchw":
            return [f"%y = conv %x, %w {how}", f"output %y as {self.elem}"]
        return ["%xt = transpose %x by [0, 3, 1, 2]", "%wt = transpose %w by [0, 3, 1, 2]", f"%yt = conv %xt, %wt {how}",
                "%y = transpose %yt by [0, 2, 3, 1]", f"output %y as {self.elem}"]

    def numpy(self, np, x, w):
        if self.layout == "nhwc":
            x, w = x.transpose(0, 3, 1, 2), w.transpose(0, 3, 1, 2)
        x = np.pad(x, ((0, 0), (0, 0), (self.pad,) * 2, (self.pad,) * 2))
        out = np.zeros((self.b, self.o, self.p, self.p))
        x = x.reshape(self.b, self.groups, -1, *x.shape[2:])
        w = w.reshape(self.groups, -1, *w.shape[1:])
        last = self.stride * (self.p - 1) + 1
        for i in range(self.k):
            for j in range(self.k):
                part = x[..., i : i + last : self.stride, j : j + last : self.stride]
                out += np.einsum("bgchw,goc->bgohw", part, w[..., i, j]).reshape(out.shape)
        return out if self.layout == "nchw" else out.transpose(0, 2, 3, 1)

    def logical(self, x, w):
        return (x, w) if self.layout == "nchw" else (x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2))

    def run(self, torch, x, w):
        return torch.nn.functional.conv2d(x, w, stride=self.stride, padding=self.pad, groups=self.groups)

    def checked(self, torch, inputs, out):
        x, w = self.logical(*inputs)
        at = [0] if self.b == 1 else [0, self.b - 1]
        expected = self.run(torch, x[at].double(), w.double())
        return out[at], expected if self.layout == "nchw" else expected.permute(0, 2, 3, 1)

    def baselines(self, torch, inputs):
        def make(form):
            x, w = (t.contiguous(memory_format=form) for t in self.logical(*inputs))
            return lambda: self.run(torch, x, w)

        def converted():
            x, w = inputs
            last = w.contiguous(memory_format=torch.channels_last)
            return lambda: self.run(torch, x.contiguous(memory_format=torch.channels_last), last).contiguous()

        found = [("cuDNN nhwc", lambda: make(torch.channels_last)), ("cuDNN nchw", lambda: make(torch.contiguous_format))]
        return found if self.layout == "nhwc" else [*found, ("cuDNN nhwc, converted", converted)]

    def spared(self):
        # Images in NCHW would have to be converted for it, and its result too.
        return ("cuDNN nhwc",) if self.layout == "nchw" else ()


# --- Attention --------------------------------------------------------------------------------------------------------


class Attention(Draw):
    kind = "attention"
    symbolic = ("B", "S", "T")

    @classmethod
    def draw(cls, rng, most):
        seen = rng.choice(("all", "causal", "causal", "window", "added", "keys"))
        s = any_residue(rng, log_uniform(rng, 64, 32768, most), 64)
        t = s if seen in ("causal", "window") or rng.random() < 0.7 else any_residue(rng, log_uniform(rng, 64, 32768, most), 64)
        heads = rng.choice((1, 2, 4, 8))
        group = rng.choice((1, 1, 1, 2, 4, 8))
        d = rng.choice((32, 64, 64, 128, 128, 256, 40, 48, 72, 80, 96, 112, 160, 192))
        if most:
            s, t, d, heads, group = s, t, min(d, most), min(heads, 2), min(group, 2)
        return cls(b=log_uniform(rng, 1, 32 if not most else 2), h=heads * group, g=heads, s=s, t=t, d=d, seen=seen,
                   window=log_uniform(rng, 16, 4096, max(2, s // 2)) if seen == "window" else 0, elem=rng.choice(("f16", "bf16")))

    def sizes(self):
        return dict(B=self.b, S=self.s, **({} if self.is_square() else dict(T=self.t)))

    def is_square(self):
        return self.seen in ("causal", "window") or self.t == self.s

    def flops(self):
        share = 0.5 if self.seen == "causal" else min(1, self.window / self.s) if self.seen == "window" else 1
        return int(4 * self.b * self.h * self.s * self.t * self.d * share)

    def arguments(self):
        keys = "S" if self.is_square() else "T"
        mask = dict(added=[("m", (1, 1, "S", keys), self.elem)], keys=[("m", ("B", 1, 1, keys), "i1")]).get(self.seen, [])
        return [("q", ("B", self.h, "S", self.d), self.elem), *((n, ("B", self.g, keys, self.d), self.elem) for n in "kv"), *mask]

    def result(self):
        return ("B", self.h, "S", self.d), self.elem

    def lines(self, tensor):
        before, how = [], dict(causal=" causal", added=" mask %m", keys=" mask %m", window=" mask %m").get(self.seen, "")
        if self.seen == "window":
            before = [f"%j = arange : {tensor(('S',), 'i64')}", f"%i = reshape %j to [{'S' if 'S' in self.symbolic else self.s}, 1]",
                      "%d = sub %i, %j", "%zero = full 0 : tensor<[], i64>", f"%w = full {self.window} : tensor<[], i64>",
                      "%before = ge %d, %zero", "%near = lt %d, %w", "%m = bitwise_and %before, %near"]
        return [*before, f"%y = attention %q, %k, %v{how}", f"output %y as {self.elem}"]

    def numpy(self, np, q, k, v, *mask):
        k, v = (np.repeat(t, self.h // self.g, axis=1) for t in (k, v))
        scores = q @ k.swapaxes(2, 3) / math.sqrt(self.d)
        distance = np.arange(self.s)[:, None] - np.arange(self.t)
        if self.seen in ("causal", "window"):
            scores = np.where((distance >= 0) & (distance < (self.window or self.s)), scores, -np.inf)
        elif mask:
            scores = np.where(mask[0], scores, -np.inf) if self.seen == "keys" else scores + mask[0]
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True) @ v

    def checked(self, torch, inputs, out):
        q, k, v, *mask = inputs
        rows = torch.unique(torch.cat([torch.arange(min(32, self.s)), torch.randint(0, self.s, (64,)), torch.tensor([self.s - 1])]))
        rows = rows.to(q.device)
        found, expected = [], []
        for b, h in {(0, 0), (self.b - 1, self.h - 1), (self.b // 2, self.h // 2)}:
            g = h * self.g // self.h
            scores = q[b, h][rows].double() @ k[b, g].double().t() / math.sqrt(self.d)
            distance = rows[:, None] - torch.arange(self.t, device=q.device)
            if self.seen in ("causal", "window"):
                scores = scores.masked_fill((distance < 0) | (distance >= (self.window or self.s)), -math.inf)
            elif self.seen == "keys":
                scores = scores.masked_fill(~mask[0][b, 0], -math.inf)
            elif self.seen == "added":
                scores = scores + mask[0][0, 0][rows].double()
            expected.append(scores.softmax(-1) @ v[b, g].double())
            found.append(out[b, h][rows])
        return torch.stack(found), torch.stack(expected)

    def baselines(self, torch, inputs):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        q, k, v, *mask = inputs
        grouped = self.h != self.g

        def with_backend(backend, mask):
            def run():
                with sdpa_kernel(backend):
                    return torch.nn.functional.scaled_dot_product_attention(
                        q, k, v, attn_mask=mask, is_causal=self.seen == "causal", enable_gqa=grouped)
            return run

        def dense_mask():
            if self.seen != "window":
                return mask[0] if mask else None
            at = torch.arange(self.s, device=q.device)
            distance = at[:, None] - at
            return (distance >= 0) & (distance < self.window)

        named = dict(flash=SDPBackend.FLASH_ATTENTION, cudnn=SDPBackend.CUDNN_ATTENTION, efficient=SDPBackend.EFFICIENT_ATTENTION)
        found = [(n, lambda backend=backend: with_backend(backend, dense_mask())) for n, backend in named.items()]
        if self.seen == "window":
            found.append(("flex", lambda: self.flex(torch, q, k, v, grouped)))
        return found

    def flex(self, torch, q, k, v, grouped):
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention

        window = self.window
        mask = create_block_mask(lambda b, h, i, j: (i >= j) & (i - j < window), None, None, self.s, self.s, device=q.device)
        made = torch.compile(flex_attention, dynamic=False)
        return lambda: made(q, k, v, block_mask=mask, enable_gqa=grouped)


class Decode(Attention):
    """One query of a sequence for many keys."""

    kind = "decode"
    symbolic = ("B", "T")

    @classmethod
    def draw(cls, rng, most):
        h, g = rng.choice(((32, 8), (32, 32), (64, 8), (16, 16), (40, 8), (28, 4), (8, 1), (32, 4), (16, 2)))
        if most:
            h, g = h // g, 1
        t = any_residue(rng, log_uniform(rng, 1024, 131072) if not most else log_uniform(rng, 1, most), 64)
        return cls(b=log_uniform(rng, 1, 128, most), h=h, g=g, s=1, t=t, d=rng.choice((64, 128, 128, 80, 96, 256)), seen="all",
                   window=0, elem=rng.choice(("f16", "bf16")))

    def is_square(self):
        return False

    def sizes(self):
        return dict(B=self.b, S=1, T=self.t)

    def baselines(self, torch, inputs):
        """Those of attention, and with the heads that share keys as queries of one head."""
        from torch.nn.attention import SDPBackend, sdpa_kernel

        q, k, v = inputs
        queries = q.view(self.b, self.g, self.h // self.g, self.d)

        def as_queries(backend):
            def run():
                with sdpa_kernel(backend):
                    return torch.nn.functional.scaled_dot_product_attention(queries, k, v)
            return run

        found = super().baselines(torch, inputs)
        if self.h != self.g:
            found += [("flash as queries", lambda: as_queries(SDPBackend.FLASH_ATTENTION)),
                      ("cudnn as queries", lambda: as_queries(SDPBackend.CUDNN_ATTENTION))]
        return found


# --- Rows and scans ---------------------------------------------------------------------------------------------------


class Rows(Draw):
    """A function along one axis of two or three."""

    kind = "rows"
    REDUCES = ("logsumexp", "argmax", "sum", "var")

    @classmethod
    def draw(cls, rng, most):
        op = rng.choice(("softmax", "layer_norm", "rms_norm", *cls.REDUCES))
        n = any_residue(rng, log_uniform(rng, 4, 1 << 20, most))
        rows = any_residue(rng, log_uniform(rng, 1, 1 << 22, most))
        shape = [rows, n]
        axis = 1
        if op not in ("layer_norm", "rms_norm"):
            outer = log_uniform(rng, 1, rows)
            shape, axis = rng.choice((([rows, n], 1), ([rows, n], 1), ([n, rows], 0), ([outer, n, max(1, rows // outer)], 1)))
        return cls(op=op, shape_is="x".join(map(str, shape)), axis=axis, elem=rng.choice(("f16", "bf16", "f32")))

    @property
    def dims(self):
        return [int(size) for size in self.shape_is.split("x")]

    @property
    def symbolic(self):
        return tuple("MNP"[: len(self.dims)])

    def sizes(self):
        return dict(zip("MNP", self.dims))

    def arguments(self):
        weights = dict(layer_norm=("w", "b"), rms_norm=("w",)).get(self.op, ())
        return [("x", self.symbolic, self.elem), *((name, ("N",), self.elem) for name in weights)]

    def result(self):
        axes = [name for at, name in enumerate(self.symbolic) if at != self.axis or self.op not in self.REDUCES]
        return axes, "i32" if self.op == "argmax" else self.elem

    def is_possible(self):
        return super().is_possible() and self.bytes() <= MOST_BYTES // 2

    def lines(self, tensor):
        line = {
            "softmax": f"softmax %x over {self.axis}", "layer_norm": "layer_norm %x weight %w bias %b eps 1.0e-05",
            "rms_norm": "rms_norm %x weight %w eps 1.0e-05", "logsumexp": f"logsumexp %x over [{self.axis}]",
            "argmax": f"argmax %x over {self.axis}", "sum": f"sum %x over [{self.axis}]",
            "var": f"var %x over [{self.axis}] correction 0.0"}[self.op]
        return [f"%y = {line}", "output %y" if self.op == "argmax" else f"output %y as {self.elem}"]

    def numpy(self, np, x, *weights):
        axis = self.axis
        highest = x.max(axis, keepdims=True)
        e = np.exp(x - highest)
        if self.op == "layer_norm":
            centred = x - x.mean(1, keepdims=True)
            return centred / np.sqrt((centred ** 2).mean(1, keepdims=True) + 1e-5) * weights[0] + weights[1]
        return {
            "softmax": lambda: e / e.sum(axis, keepdims=True), "logsumexp": lambda: (np.log(e.sum(axis, keepdims=True)) + highest).squeeze(axis),
            "rms_norm": lambda: x / np.sqrt((x ** 2).mean(1, keepdims=True) + 1e-5) * weights[0],
            "argmax": lambda: x.argmax(axis).astype(np.int32), "sum": lambda: x.sum(axis), "var": lambda: x.var(axis)}[self.op]()

    def run(self, torch, x, *weights):
        functional, axis = torch.nn.functional, self.axis
        return {
            "softmax": lambda: functional.softmax(x, axis), "layer_norm": lambda: functional.layer_norm(x, x.shape[1:], *weights, 1e-5),
            "rms_norm": lambda: functional.rms_norm(x, x.shape[1:], weights[0], 1e-5), "logsumexp": lambda: torch.logsumexp(x, axis),
            "argmax": lambda: x.argmax(axis), "sum": lambda: x.sum(axis), "var": lambda: x.var(axis, correction=0)}[self.op]()

    def checked(self, torch, inputs, out):
        x, *weights = inputs
        if self.op == "argmax":
            # Any place of the largest will do for torch; the value there has to be the largest.
            return x.gather(self.axis, out.long().unsqueeze(self.axis)).squeeze(self.axis), x.amax(self.axis)
        others = [at for at in range(x.dim()) if at != self.axis]
        dim = max(others, key=lambda at: x.shape[at])
        part = lambda at: x.double() if at is None else x.index_select(dim, at).double()
        place = dim - (dim > self.axis and self.op in self.REDUCES)
        return sample(torch, out, lambda at: self.run(torch, part(at), *(w.double() for w in weights)), place)

    def baselines(self, torch, inputs):
        def compiled():
            torch._dynamo.reset()
            made = torch.compile(lambda *args: self.run(torch, *args), dynamic=False)
            return lambda: made(*inputs)

        return [("eager", lambda: lambda: self.run(torch, *inputs)), ("torch.compile", compiled)]


class Scan(Draw):
    """A running sum, or a recurrence `y[t] = a[t] * y[t - 1] + x[t]`, along one axis."""

    kind = "scan"

    @classmethod
    def draw(cls, rng, most):
        n = any_residue(rng, log_uniform(rng, 16, 1 << 20, most))
        rows = any_residue(rng, log_uniform(rng, 1, 1 << 20, most))
        outer = log_uniform(rng, 1, rows)
        shape, axis = rng.choice((([rows, n], 1), ([n, rows], 0), ([outer, n, max(1, rows // outer)], 1)))
        return cls(op=rng.choice(("cumsum", "linear")), shape_is="x".join(map(str, shape)), axis=axis,
                   elem=rng.choice(("f16", "bf16", "f32", "f32")))

    dims, symbolic = Rows.dims, Rows.symbolic
    sizes = Rows.sizes

    def arguments(self):
        return [(name, self.symbolic, self.elem) for name in (("a", "x") if self.op == "linear" else ("x",))]

    def result(self):
        return self.symbolic, self.elem

    def is_possible(self):
        return super().is_possible() and self.bytes() <= MOST_BYTES // 2

    def lines(self, tensor):
        if self.op == "linear":
            return [f"%y = scan %a, %x over {self.axis}", f"output %y as {self.elem}"]
        return ["%f = cast %x to f32", f"%y = cumsum %f over {self.axis}", f"output %y as {self.elem}"]

    def numpy(self, np, *inputs):
        if self.op == "cumsum":
            return inputs[0].cumsum(self.axis)
        a, x = (np.moveaxis(t, self.axis, 0) for t in inputs)
        out = x.copy()
        for t in range(1, len(x)):
            out[t] += a[t] * out[t - 1]
        return np.moveaxis(out, 0, self.axis)

    @staticmethod
    def recurrence(torch, axis, a, x):
        """The recurrence in steps that double."""
        a, x, step = a.movedim(axis, 0), x.movedim(axis, 0), 1
        while step < len(a):
            x = torch.cat([x[:step], x[step:] + a[step:] * x[:-step]])
            a = torch.cat([a[:step], a[step:] * a[:-step]])
            step *= 2
        return x.movedim(0, axis)

    def run(self, torch, *inputs):
        return inputs[0].cumsum(self.axis, dtype=inputs[0].dtype) if self.op == "cumsum" else self.recurrence(torch, self.axis, *inputs)

    def checked(self, torch, inputs, out):
        others = [at for at in range(out.dim()) if at != self.axis]
        dim = max(others, key=lambda at: out.shape[at])
        part = lambda t, at: t.double() if at is None else t.index_select(dim, at).double()
        return sample(torch, out, lambda at: self.run(torch, *(part(t, at) for t in inputs)), dim)

    def baselines(self, torch, inputs):
        found = [("eager", lambda: lambda: self.run(torch, *inputs))]
        if self.op == "linear":
            def associative():
                from torch._higher_order_ops.associative_scan import associative_scan

                torch._dynamo.reset()
                combine = lambda u, v: (u[0] * v[0], v[0] * u[1] + v[1])
                made = torch.compile(lambda a, x: associative_scan(combine, (a, x), self.axis)[1], dynamic=False)
                return lambda: made(*inputs)

            found.append(("associative_scan", associative))
        return found


KINDS = {each.kind: each for each in (Gemm, Conv, Attention, Decode, Rows, Scan)}
