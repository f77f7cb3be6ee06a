#!/usr/bin/env python3
"""Models of torch modules with random weights, compiled by dlc and timed compared with eager and torch.compile.

    python3 test/gpu/models.py --out models.jsonl                 # all of them
    python3 test/gpu/models.py --only gpt2 lstm --no-compile      # some, without torch.compile
    python3 test/gpu/models.py --import-only --only resnet50      # export and translation, without a GPU

Each model is a line of JSON in the file of `--out`: `error` is the relative error of dlc and of eager against the model in
f64 (f32 where it does not fit), times are medians in microseconds by events, interleaved, with a warm cache, and `enqueue`
is the time of the CPU for a call of dlc.
"""
import argparse
import json
import math
import sys
import time
import warnings

import torch
from torch import nn
from torch.nn import functional as F


class Bottleneck(nn.Module):
    def __init__(self, inner, width, stride, first):
        super().__init__()
        sizes = [(inner, width, 1, 1), (width, width, 3, stride), (width, 4 * width, 1, 1)]
        self.convs = nn.ModuleList(nn.Conv2d(i, o, k, s, k // 2, bias=False) for i, o, k, s in sizes)
        self.norms = nn.ModuleList(nn.BatchNorm2d(o) for _, o, _, _ in sizes)
        self.down = nn.Sequential(nn.Conv2d(inner, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)) if first else nn.Identity()

    def forward(self, x):
        y = x
        for number, (conv, norm) in enumerate(zip(self.convs, self.norms)):
            y = norm(conv(y))
            y = F.relu(y) if number < 2 else y
        return F.relu(y + self.down(x))


def resnet50():
    stages, inner = [], 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for number in range(count):
            stages.append(Bottleneck(inner, width, stride if number == 0 else 1, number == 0))
            inner = 4 * width
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    model = nn.Sequential(*stem, *stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))
    return model, [torch.randn(8, 3, 224, 224)]


class Attend(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, causal=False, mask=None):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Layer(nn.Module):
    def __init__(self, width, heads, causal, before, act):
        super().__init__()
        self.causal, self.before, self.act = causal, before, act
        self.attend, self.first, self.second = Attend(width, heads), nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def mlp(self, x):
        return self.down(F.gelu(self.up(x), approximate=self.act))

    def forward(self, x, mask=None):
        if self.before:
            x = x + self.attend(self.first(x), self.causal, mask)
            return x + self.mlp(self.second(x))
        x = self.first(x + self.attend(x, self.causal, mask))
        return self.second(x + self.mlp(x))


class Gpt2(nn.Module):
    def __init__(self, words=50257, width=768, length=1024):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.layers = nn.ModuleList(Layer(width, 12, True, True, "tanh") for _ in range(12))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for layer in self.layers:
            x = layer(x)
        return F.linear(self.norm(x), self.words.weight)


class Bert(nn.Module):
    def __init__(self, width=768):
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(30522, width), nn.Embedding(512, width), nn.LayerNorm(width)
        self.layers = nn.ModuleList(Layer(width, 12, False, False, "none") for _ in range(12))

    def forward(self, ids, is_there):
        x = self.norm(self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device)))
        mask = is_there[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return x


class Vit(nn.Module):
    def __init__(self, width=768):
        super().__init__()
        self.patch, self.token = nn.Conv2d(3, width, 16, 16), nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, 197, width) * 0.02)
        self.layers = nn.ModuleList(Layer(width, 12, False, True, "none") for _ in range(12))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)[:, 0])


class Llama(nn.Module):
    """A layer of Llama-3-8B."""

    def __init__(self, width=4096, heads=32, kv=8, hidden=14336):
        super().__init__()
        line = lambda i, o: nn.Linear(i, o, bias=False)
        self.heads, self.kv, self.size = heads, kv, width // heads
        self.q, self.k, self.v, self.o = line(width, width), line(width, kv * self.size), line(width, kv * self.size), line(width, width)
        self.gate, self.up, self.down = line(width, hidden), line(width, hidden), line(hidden, width)
        self.first, self.second = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)

    def rotated(self, x, begin=0):
        half, length = self.size // 2, x.shape[2]
        freq = 500000.0 ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
        angle = torch.arange(begin, begin + length, device=x.device, dtype=torch.float32)[:, None] * freq
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        one, other = x[..., :half], x[..., half:]
        return torch.cat([one * cos - other * sin, other * cos + one * sin], -1)

    def forward(self, x):
        batch, length, width = x.shape
        y = self.first(x)
        q, k, v = (line(y).view(batch, length, -1, self.size).transpose(1, 2) for line in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(self.rotated(q), self.rotated(k), v, is_causal=True, enable_gqa=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, width))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decode(nn.Module):
    """The same layer for one token a sequence, after the keys and values of those before it."""

    def __init__(self):
        super().__init__()
        self.layer = Llama()

    def forward(self, x, keys, values):
        layer, (batch, _, width) = self.layer, x.shape
        y = layer.first(x)
        q, k, v = (line(y).view(batch, 1, -1, layer.size).transpose(1, 2) for line in (layer.q, layer.k, layer.v))
        q, k = layer.rotated(q, keys.shape[2]), layer.rotated(k, keys.shape[2])
        y = F.scaled_dot_product_attention(q, torch.cat([keys, k], 2), torch.cat([values, v], 2), enable_gqa=True)
        x = x + layer.o(y.transpose(1, 2).reshape(batch, 1, width))
        y = layer.second(x)
        return x + layer.down(F.silu(layer.gate(y)) * layer.up(y))


def decode(batch, length=2048):
    return Decode(), [torch.randn(batch, 1, 4096), *(torch.randn(batch, 8, length, 128) for _ in range(2))]


class Mamba(nn.Module):
    """A block of Mamba whose recurrence is a loop over the steps."""

    def __init__(self, width=768, states=16):
        super().__init__()
        inner, rank = 2 * width, width // 16
        self.norm, self.rank, self.states = nn.RMSNorm(width, eps=1e-5), rank, states
        self.enter, self.leave = nn.Linear(width, 2 * inner, bias=False), nn.Linear(inner, width, bias=False)
        self.conv = nn.Conv1d(inner, inner, 4, groups=inner, padding=3)
        self.select, self.step = nn.Linear(inner, rank + 2 * states, bias=False), nn.Linear(rank, inner)
        self.decay, self.skip = nn.Parameter(torch.arange(1.0, states + 1).log().repeat(inner, 1)), nn.Parameter(torch.ones(inner))

    def forward(self, x):
        length = x.shape[1]
        y, gate = self.enter(self.norm(x)).chunk(2, -1)
        y = F.silu(self.conv(y.transpose(1, 2))[..., :length].transpose(1, 2))
        step, first, last = self.select(y).split([self.rank, self.states, self.states], -1)
        step = F.softplus(self.step(step))
        kept = (step[..., None] * -self.decay.exp()).exp()
        given = step[..., None] * first[:, :, None, :] * y[..., None]
        state, made = torch.zeros_like(given[:, 0]), []
        for time in range(length):
            state = kept[:, time] * state + given[:, time]
            made.append((state @ last[:, time, :, None])[..., 0])
        return x + self.leave((torch.stack(made, 1) + y * self.skip) * F.silu(gate))


class Unet(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        double = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(8, o), nn.SiLU(), nn.Conv2d(o, o, 3, padding=1), nn.GroupNorm(8, o), nn.SiLU())
        self.down = nn.ModuleList([double(3, width), double(width, 2 * width), double(2 * width, 4 * width)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), nn.ConvTranspose2d(2 * width, width, 2, 2)])
        self.joined = nn.ModuleList([double(4 * width, 2 * width), double(2 * width, width)])
        self.last = nn.Conv2d(width, 3, 1)

    def forward(self, x):
        kept = []
        for number, down in enumerate(self.down):
            x = down(F.max_pool2d(x, 2) if number else x)
            kept.append(x)
        for up, joined, skip in zip(self.up, self.joined, kept[1::-1]):
            x = joined(torch.cat([up(x), skip], 1))
        return self.last(x)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(128, 256, 2, batch_first=True), nn.Linear(256, 10)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


MODELS = {
    "resnet50": (resnet50, torch.float32),
    "resnet50_bf16": (resnet50, torch.bfloat16),
    "vit_b": (lambda: (Vit(), [torch.randn(8, 3, 224, 224)]), torch.bfloat16),
    "gpt2": (lambda: (Gpt2(), [torch.randint(0, 50257, (2, 1024))]), torch.bfloat16),
    "bert_base": (lambda: (Bert(), [torch.randint(0, 30522, (8, 384)), torch.arange(384) < torch.randint(100, 384, (8, 1))]), torch.bfloat16),
    "llama_prefill": (lambda: (Llama(), [torch.randn(1, 2048, 4096)]), torch.bfloat16),
    "llama_decode_1": (lambda: decode(1), torch.bfloat16),
    "llama_decode_16": (lambda: decode(16), torch.bfloat16),
    "mamba": (lambda: (Mamba(), [torch.randn(4, 64, 768)]), torch.bfloat16),
    "unet": (lambda: (Unet(), [torch.randn(4, 3, 128, 128)]), torch.bfloat16),
    "lstm": (lambda: (Lstm(), [torch.randn(16, 64, 128)]), torch.float32),
}


def cast(value, device, dtype):
    value = value.to(device)
    return value.to(dtype) if value.is_floating_point() else value


def timed(calls, seconds):
    """The median time of each call in microseconds, interleaved."""
    times = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds or len(next(iter(times.values()))) < 10:
        for name, call in calls.items():
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            call()
            end.record()
            end.synchronize()
            times[name].append(start.elapsed_time(end) * 1e3)
    return {name: round(sorted(found)[len(found) // 2], 1) for name, found in times.items()}


def profiled(call, times=3):
    """The microseconds of a call from the begin of its first kernel to the end of its last, of all kernels, and of each."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(times):
            call()
        torch.cuda.synchronize()
    events = [event for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    span = max(event.time_range.end for event in events) - min(event.time_range.start for event in events)
    kernels = {}
    for event in events:
        kernels[event.name] = kernels.get(event.name, 0) + event.device_time / times
    longest = sorted(kernels.items(), key=lambda kernel: -kernel[1])[:9]
    return {"span": round(span / times, 1), "all": round(sum(kernels.values()), 1), "kernels": {name: round(time, 1) for name, time in longest}}


def error(actual, exact):
    return float((actual.double() - exact.double()).norm() / exact.double().norm())


def solve(name, options):
    import dlc
    import dlc.torch

    make, dtype = MODELS[name]
    device = "cpu" if options.import_only else "cuda"
    torch.manual_seed(0)
    with torch.device(device):
        model, inputs = make()
    wide = model.eval()
    inputs = [cast(value, device, dtype) for value in inputs]
    line = {"model": name, "dtype": str(dtype).removeprefix("torch.")}
    begin = time.perf_counter()
    exact = None if options.import_only else wide(*(cast(value, device, torch.float32) for value in inputs))
    model = wide.to(dtype)
    begin = time.perf_counter()
    graph = dlc.torch.translate(torch.export.export(model, tuple(inputs)))
    line |= {"import_s": round(time.perf_counter() - begin, 1), "ops": len(graph.source.splitlines()) - 3}
    if options.import_only:
        if options.write:
            open(f"{options.write}/{name}.mlir", "w").write(graph.source)
        return line
    begin = time.perf_counter()
    ours = dlc.torch.Model(graph, dlc.Session("cuda").compile(graph.source))
    actual = ours(*inputs)
    torch.cuda.synchronize()
    line["compile_s"] = round(time.perf_counter() - begin, 1)
    line["error"] = [error(actual, exact), error(model(*inputs), exact)]
    del exact
    calls = {"dlc": lambda: ours(*inputs), "eager": lambda: model(*inputs)}
    if options.compile:
        best = torch.compile(model, dynamic=False)
        best(*inputs)
        calls["torch.compile"] = lambda: best(*inputs)
    line["times"] = timed(calls, options.seconds)
    if options.profile:
        line["profile"] = {name: profiled(call) for name, call in calls.items()}
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(10):
        ours(*inputs)
    line["enqueue"] = round((time.perf_counter() - begin) * 1e5, 1)
    torch.cuda.synchronize()
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="models.jsonl", help="the file of results, which is added to")
    parser.add_argument("--only", nargs="*", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="leaves torch.compile out")
    parser.add_argument("--seconds", type=float, default=1.0, help="what the timing of a model may take")
    parser.add_argument("--profile", action="store_true", help="adds how long the kernels take, by the profiler of torch")
    parser.add_argument("--import-only", action="store_true", help="exports and translates, without a GPU")
    parser.add_argument("--write", help="with --import-only: a folder for the graphs")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logs = {"torch.compile": [], "eager": []}
    with open(options.out, "a") as out, torch.no_grad():
        for name in options.only:
            try:
                line = solve(name, options)
            except Exception as failed:  # one model that fails leaves the others
                line = {"model": name, "failed": f"{type(failed).__name__}: {str(failed)[:400]}"}
            out.write(json.dumps(line) + "\n")
            out.flush()
            print(json.dumps(line), flush=True)
            torch._dynamo.reset()
            for other in logs:
                if other in line.get("times", {}):
                    logs[other].append(math.log(line["times"][other] / line["times"]["dlc"]))
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
    for other, found in logs.items():
        if found:
            print(f"speedup over {other}, geometric mean of {len(found)}: {math.exp(sum(found) / len(found)):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
