#!/usr/bin/env python3
"""Export the *tensor-level* UOp graph of a tinygrad program (before scheduling / rangeify / codegen)
to the JSON that dlc reads (docs/json.md):

  {"format":"dlc-tiny-uops/1", "inputs":[{name,dtype,shape,role}], "uops":[{uop,src,arg,out,dtype,shape}],
   "outputs":[{name,value,dtype,shape}]}

Written against tinygrad 0.14.0 (PyPI).  Only calls tinygrad's public objects (Tensor.uop, UOp.src/arg/marg).

What 0.14 looks like, and what this script does about it
  * no ShapeTracker / VIEW; six movement ops.  RESHAPE/EXPAND/PAD/SHRINK keep their numbers in *src* (STACK of weakint
    CONST), PERMUTE/FLIP in arg.  -> we read UOp.marg and put plain integers into "arg"; shape srcs are not exported.
  * EXPAND(x, S): PREPENDS the dims S (it does not stretch 1 -> n).  -> arg {result_shape, broadcast_dimensions}.
  * PAD/SHRINK marg is (offset, out_size) per axis.                   -> arg {pad:[[lo,hi]..], value:0} / {bounds:[[lo,hi)..]}.
  * elementwise ops broadcast implicitly, right-aligned (as in dlc).  -> left implicit.
  * REDUCE arg is (Ops.ADD|MAX|MUL, n): reduces the LEADING n axes, keepdim=false; a PERMUTE stands before it.
                                                                      -> arg {op:SUM|MAX|PROD, axes:[0..n-1]}.
  * weak dtypes (weakint/weakfloat) for Python scalars.               -> resolved to the consumer's dtype.
  * implicit dtype promotion in binary ops.                           -> explicit CAST inserted.
  * STACK as a data op (cat/stack).                                   -> RESHAPE + PAD + ADD (OR for bool).
  * DETACH / CONTIGUOUS / CONTIGUOUS_BACKWARD / COPY are identities.  -> dropped, CONTIGUOUS noted in "hints".
  * Tensor.ones()/full buffers arrive as AFTER(buf, STORE(buf, v)).   -> replaced by v when the store covers buf.
"""
from __future__ import annotations
import json, math, os, sys
os.environ.setdefault("DEV", "PYTHON")      # no compiler needed: we never run a kernel
import numpy as np
from tinygrad import Tensor, dtypes
from tinygrad.uop.ops import UOp, Ops, GroupOp
from tinygrad.dtype import least_upper_dtype, DType

FORMAT = "dlc-tiny-uops/1"
DT = {dtypes.half: "fp16", dtypes.bfloat16: "bf16", dtypes.float: "fp32", dtypes.double: "fp64", dtypes.bool: "bool",
      dtypes.int8: "int8", dtypes.int16: "int16", dtypes.int32: "int32", dtypes.int64: "int64",
      dtypes.uint8: "uint8", dtypes.uint16: "uint16", dtypes.uint32: "uint32", dtypes.uint64: "uint64",
      dtypes.fp8e4m3: "fp8e4m3", dtypes.fp8e5m2: "fp8e5m2"}
WEAK = {dtypes.weakint: dtypes.int32, dtypes.weakfloat: dtypes.float}
RED = {Ops.ADD: "SUM", Ops.MAX: "MAX", Ops.MUL: "PROD"}
IDENT = {Ops.DETACH, Ops.CONTIGUOUS, Ops.CONTIGUOUS_BACKWARD, Ops.COPY, Ops.NOOP}

class Unsupported(Exception): pass

def tinygrad_version() -> str:
  try:
    from importlib.metadata import version
    return version("tinygrad")
  except Exception: return "unknown"

def _dim(x):
  if isinstance(x, int): return x
  if isinstance(x, UOp):
    s = x.ssimplify() if hasattr(x, "ssimplify") else x
    return s if isinstance(s, int) else s.render()
  return int(x)

def _scalar(v):
  if isinstance(v, bool): return v
  if isinstance(v, int): return v
  v = float(v)
  if math.isnan(v): return "nan"
  if math.isinf(v): return "inf" if v > 0 else "-inf"
  return v

class Exporter:
  def __init__(self, inputs: dict[str, Tensor]):
    self.leaf, self.inputs, self.uops, self.hints = {}, [], [], []
    self.memo, self.consts, self.n, self.ncap = {}, {}, 0, 0
    self.cse = {}
    for k, t in inputs.items():
      u = t.uop
      self.leaf[u] = k
      self.inputs.append({"name": k, "dtype": DT[u.dtype], "shape": [_dim(s) for s in u.shape], "role": "data"})
      self.memo[(u, u.dtype)] = k
    self.info = {i["name"]: (u.dtype, u.shape) for i, u in zip(self.inputs, self.leaf)}

  # ---- emission -------------------------------------------------------------------------------------------------
  def _emit(self, op: str, src: list[str], arg, dtype: DType, shape) -> str:
    key = (op, tuple(src), json.dumps(arg, sort_keys=True), DT[dtype])
    if key in self.cse: return self.cse[key]
    while (out := f"v{self.n}") in self.info: self.n += 1     # an input may be called v1
    self.n += 1
    rec = {"uop": op, "src": src}
    if arg is not None: rec["arg"] = arg
    rec |= {"out": out, "dtype": DT[dtype], "shape": [_dim(s) for s in shape]}
    self.uops.append(rec); self.cse[key] = out; self.info[out] = (dtype, tuple(shape))
    return out

  def _cast(self, v: str, to: DType) -> str:
    dt, shp = self.info[v]
    return v if dt == to else self._emit("CAST", [v], {"to": DT[to]}, to, shp)

  def _const(self, val, dt: DType) -> str:
    if dt == dtypes.bool: val = bool(val)
    elif dtypes.is_int(dt): val = int(val)
    else: val = float(val)
    return self._emit("CONST", [], {"value": _scalar(val)}, dt, ())

  # ---- graph walk (iterative post-order, keyed by (uop, concrete dtype)) ---------------------------------------
  def _want(self, u: UOp, want: DType | None) -> DType:
    if u.dtype in WEAK: return want if want is not None else WEAK[u.dtype]
    return u.dtype

  def _children(self, u: UOp, dt: DType) -> list[tuple[UOp, DType]]:
    op = u.op
    if op is Ops.CONST or op is Ops.BUFFER: return []
    if op is Ops.AFTER:
      dst, st = u.src[0], u.src[1]
      if len(u.src) == 2 and st.op is Ops.STORE and st.src[0] is dst and _covers(dst): return [(st.src[1], self._want(st.src[1], dst.dtype))]
      raise Unsupported("AFTER with partial STORE")
    if op in IDENT or op in GroupOp.Movement or op is Ops.REDUCE: return [(u.src[0], self._want(u.src[0], dt))]
    if op in (Ops.CAST, Ops.BITCAST):
      s = u.src[0]
      if s.dtype in WEAK:
        same_kind = dtypes.is_int(dt) == dtypes.is_int(WEAK[s.dtype]) and dt != dtypes.bool
        return [(s, dt if same_kind else WEAK[s.dtype])]
      return [(s, s.dtype)]
    if op in GroupOp.Comparison:
      t = least_upper_dtype(*[s.dtype for s in u.src])
      if t in WEAK: t = WEAK[t]
      return [(s, self._want(s, t)) for s in u.src]
    if op is Ops.WHERE:
      return [(u.src[0], u.src[0].dtype)] + [(s, self._want(s, dt)) for s in u.src[1:]]
    if op in (Ops.SHL, Ops.SHR): return [(u.src[0], self._want(u.src[0], dt)), (u.src[1], self._want(u.src[1], dt))]
    if op in GroupOp.ALU or op is Ops.STACK: return [(s, self._want(s, dt)) for s in u.src]
    raise Unsupported(f"op {op.name}")

  def visit(self, root: UOp, want: DType | None = None) -> str:
    stack = [(root, self._want(root, want), False)]
    while stack:
      u, dt, done = stack.pop()
      if (u, dt) in self.memo: continue
      if u in self.leaf: self.memo[(u, dt)] = self.leaf[u]; continue
      ch = self._children(u, dt)
      if not done:
        stack.append((u, dt, True))
        stack.extend((c, d, False) for c, d in reversed(ch) if (c, d) not in self.memo)
      else: self.memo[(u, dt)] = self._node(u, dt, [self.memo[c] for c in ch])
    return self.memo[(root, self._want(root, want))]

  def _node(self, u: UOp, dt: DType, s: list[str]) -> str:
    op, shape = u.op, u.shape
    if op is Ops.CONST: return self._const(u.arg, dt)
    if op is Ops.BUFFER: return self._capture(u)
    if op is Ops.AFTER:
      v = self._cast(s[0], dt)
      if tuple(self.info[v][1]) != tuple(shape):
        k = len(shape) - len(self.info[v][1])
        v = self._emit("EXPAND", [v], {"result_shape": [_dim(d) for d in shape],
                       "broadcast_dimensions": list(range(k, len(shape)))}, dt, shape)
      return v
    if op in IDENT:
      if op is Ops.CONTIGUOUS: self.hints.append({"kind": "CONTIGUOUS", "value": s[0]})
      return s[0]
    if op is Ops.RESHAPE:
      if tuple(self.info[s[0]][1]) == tuple(shape): return s[0]
      return self._emit("RESHAPE", s, {"result_shape": [_dim(d) for d in shape]}, dt, shape)
    if op is Ops.EXPAND:
      k = len(u.marg)
      return self._emit("EXPAND", s, {"result_shape": [_dim(d) for d in shape], "broadcast_dimensions": list(range(k, len(shape)))}, dt, shape)
    if op is Ops.PERMUTE: return self._emit("PERMUTE", s, {"dims": list(u.marg)}, dt, shape)
    if op is Ops.FLIP: return self._emit("FLIP", s, {"axes": [i for i, f in enumerate(u.marg) if f]}, dt, shape)
    if op is Ops.PAD:
      ish = u.src[0].shape
      return self._emit("PAD", s, {"pad": [[_dim(o), _dim(z - o - i)] for (o, z), i in zip(u.marg, ish)], "value": 0}, dt, shape)
    if op is Ops.SHRINK: return self._emit("SHRINK", s, {"bounds": [[_dim(o), _dim(o + z)] for o, z in u.marg]}, dt, shape)
    if op is Ops.REDUCE:
      rop, n = u.arg[0], u.arg[1]
      if n == 0: return s[0]
      return self._emit("REDUCE", s, {"op": RED[rop], "axes": list(range(n))}, dt, shape)
    if op is Ops.CAST: return self._cast(s[0], dt)
    if op is Ops.BITCAST: return self._emit("BITCAST", s, {"to": DT[dt]}, dt, shape)
    if op in GroupOp.Comparison:
      t = least_upper_dtype(*[self.info[x][0] for x in s])
      return self._emit(op.name, [self._cast(x, t) for x in s], None, dtypes.bool, shape)
    if op is Ops.WHERE: return self._emit("WHERE", [s[0]] + [self._cast(x, dt) for x in s[1:]], None, dt, shape)
    if op in (Ops.SHL, Ops.SHR): return self._emit(op.name, s, None, dt, shape)
    if op in GroupOp.ALU: return self._emit(op.name, [self._cast(x, dt) for x in s], None, dt, shape)
    if op is Ops.STACK and s:
      # STACK (new leading axis; 0.14 builds cat/stack from it) is not in dlc's vocabulary: sum of zero-padded slices, as older tinygrad did
      one, acc = (1,) + tuple(shape[1:]), None
      for i, x in enumerate(s):
        x = self._emit("RESHAPE", [self._cast(x, dt)], {"result_shape": [_dim(d) for d in one]}, dt, one)
        x = self._emit("PAD", [x], {"pad": [[i, len(s) - 1 - i]] + [[0, 0]] * (len(shape) - 1), "value": 0}, dt, shape)
        acc = x if acc is None else self._emit("OR" if dt == dtypes.bool else "ADD", [acc, x], None, dt, shape)
      return acc
    raise Unsupported(f"op {op.name}")

  def _capture(self, u: UOp) -> str:
    """a BUFFER that was not declared as an input: capture its data as a constant if it has any"""
    if getattr(u, "is_variable", False): raise Unsupported("symbolic variable used as data")
    buf = u.buffer if u.is_realized else None
    name = f"const{self.ncap}"; self.ncap += 1
    shp = tuple(_dim(d) for d in u.shape)
    self.inputs.append({"name": name, "dtype": DT[u.dtype], "shape": list(shp), "role": "const" if buf is not None else "data"})
    if buf is not None:
      self.consts[name] = np.frombuffer(bytes(buf.as_memoryview(force_zero_copy=False) if hasattr(buf, "as_memoryview") else buf.as_buffer()),
                                        dtype=_np(u.dtype)).reshape(shp).copy()
    self.info[name] = (u.dtype, u.shape)
    return name

def _covers(dst: UOp) -> bool:
  while dst.op in (Ops.RESHAPE, Ops.PERMUTE, Ops.AFTER): dst = dst.src[0]
  return dst.op is Ops.BUFFER

def _np(dt: DType):
  if dt == dtypes.bfloat16:
    import ml_dtypes; return ml_dtypes.bfloat16
  return np.dtype({"fp16": "f2", "fp32": "f4", "fp64": "f8"}.get(DT[dt], DT[dt]))

def export(outputs: dict[str, Tensor], inputs: dict[str, Tensor], name="program", note: str | None = None):
  """-> (doc, consts).  consts: name -> ndarray for buffers captured by value."""
  e = Exporter(inputs)
  outs = []
  for k, t in outputs.items():
    v = e.visit(t.uop, None)
    dt, shp = e.info[v]
    outs.append({"name": k, "value": v, "dtype": DT[dt], "shape": [_dim(d) for d in shp]})
  doc = {"format": FORMAT, "name": name, "source": {"frontend": "tinygrad", "version": tinygrad_version()}}
  if note: doc["note"] = note
  doc |= {"inputs": e.inputs, "uops": e.uops, "outputs": outs}
  if e.hints: doc["hints"] = e.hints
  return doc, e.consts

def dumps(doc) -> str:
  """one uop per line: small, diffable"""
  j = lambda x: json.dumps(x, separators=(", ", ": "))
  parts = []
  for k, v in doc.items():
    if k in ("inputs", "uops", "outputs", "hints"): parts.append(f'  "{k}": [\n' + ",\n".join("    " + j(r) for r in v) + "\n  ]")
    else: parts.append(f'  "{k}": {j(v)}')
  return "{\n" + ",\n".join(parts) + "\n}\n"


def examples():
  """programs to try the script on: name -> (outputs, inputs)"""
  half = lambda *shape: Tensor.empty(*shape, dtype=dtypes.half)
  a, b, bias = half(128, 64), half(64, 96), half(96)
  x, w1, b1, w2, b2 = half(16, 64), half(64, 128), half(128), half(128, 64), half(64)
  s = Tensor.empty(8, 100, dtype=dtypes.float)
  return {
    "gemm_bias_relu": ({"y": (a.dot(b, dtype=dtypes.float) + bias).relu().cast(dtypes.half)}, {"A": a, "B": b, "bias": bias}),
    "softmax": ({"y": s.softmax(-1)}, {"X": s}),
    "mlp": ({"y": (x @ w1 + b1).relu() @ w2 + b2}, {"X": x, "W1": w1, "b1": b1, "W2": w2, "b2": b2}),
  }


if __name__ == "__main__":
  programs = examples()
  if len(sys.argv) != 2 or sys.argv[1] not in programs:
    sys.exit(f"usage: export.py [{'|'.join(programs)}]\nimport it and call export() for programs of your own")
  outputs, inputs = programs[sys.argv[1]]
  print(dumps(export(outputs, inputs, name=sys.argv[1])[0]), end="")
