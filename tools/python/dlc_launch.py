"""Loads kernels that dlc compiled (PTX and a launch manifest next to it) and runs them on torch tensors.

    import dlc_launch
    gemm = dlc_launch.load("gemm.json")["gemm"]
    d = gemm(a, b)                      # on the current stream, no copies
    run = gemm.prepare(a, b, out=[d])   # or once for all: tensors and tensor maps stay bound
    run()

Sizes come from the shapes of the inputs. What the manifest asks for (types, alignment, `requires`) is checked before
anything runs; every error is a `LaunchError` that says what was wrong in words. Sizes are worked out once for each set
of shapes, tensor maps and parameters once for each set of addresses: a warm call looks both up and launches. Kernels
that are not verified to be free of races and deadlocks run too, with one `UnverifiedWarning` when they are loaded.

Needs torch and cuda-bindings, which are imported at the first load. There are no compiled parts.
"""
import collections
import ctypes
import json
import math
import os
import re
import warnings
import zlib


class LaunchError(Exception):
    """A kernel cannot be loaded or launched; the text says why."""


class DriverError(LaunchError):
    """The driver did not do what it was asked for: the kernel or its manifest is wrong, and not what was passed."""


# --- Expressions of sizes ---------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"\s*(?:(0x[0-9a-fA-F]+|\d+)|([A-Za-z_][\w$.]*)|(==|<=|>=|[-+*()<>]))")
_RELATIONS = {
    "==": lambda a, b: a == b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}
_PRODUCTS = ("*", "floordiv", "ceildiv", "mod")


class Expr:
    """A size in its text form, such as `(M ceildiv 256) * N`, or, with `guard`, a condition such as `K mod 8 == 0`.

    >>> Expr("(M + 3) floordiv 4")(dict(M=9))
    3
    """

    def __init__(self, text, guard=False):
        self.text = str(text)
        self._tokens = self._split()
        self._at = 0
        self.tree = self._guard() if guard else self._sum()
        if self._at < len(self._tokens):
            self._fail(f"'{self._tokens[self._at]}' was not expected")
        del self._tokens, self._at

    @property
    def symbol(self):
        """The name, if the expression is nothing else."""
        return self.tree[1] if self.tree[0] == "name" else None

    def names(self):
        """All names in it."""
        found, todo = set(), [self.tree]
        while todo:
            tree = todo.pop()
            if tree[0] == "name":
                found.add(tree[1])
            elif tree[0] == "guard":
                todo.extend(tree[1])
            elif tree[0] != "number":
                todo.extend(tree[1:])
        return found

    def __call__(self, sizes):
        return self._evaluate(self.tree, sizes)

    def __repr__(self):
        return f"Expr({self.text!r})"

    def _fail(self, why):
        raise LaunchError(f"cannot read '{self.text}': {why}")

    def _split(self):
        tokens, at, text = [], 0, self.text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if not match:
                self._fail(f"'{text[at:].strip()[:1]}' has no meaning here")
            number, name, sign = match.groups()
            tokens.append(int(number, 0) if number and number.startswith("0x") else int(number) if number else name or sign)
            at = match.end()
        return tokens

    def _peek(self):
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self):
        token = self._peek()
        if token is None:
            self._fail("something is missing at the end")
        self._at += 1
        return token

    def _guard(self):
        sides, relations = [self._sum()], []
        while self._peek() in _RELATIONS:
            relations.append(self._next())
            sides.append(self._sum())
        if not relations:
            self._fail("a condition compares: ==, <, <=, > or >=")
        return ("guard", sides, relations)

    def _sum(self):
        tree = self._product()
        while self._peek() in ("+", "-"):
            tree = (self._next(), tree, self._product())
        return tree

    def _product(self):
        tree = self._operand()
        while self._peek() in _PRODUCTS:
            tree = (self._next(), tree, self._operand())
        return tree

    def _operand(self):
        token = self._next()
        if token == "-":
            return ("-", ("number", 0), self._operand())
        if token == "(":
            tree = self._sum()
            if self._next() != ")":
                self._fail("')' is missing")
            return tree
        if isinstance(token, int):
            return ("number", token)
        if token in _PRODUCTS or not (token[0].isalpha() or token[0] == "_"):
            self._fail(f"'{token}' was not expected")
        return ("name", token)

    def _evaluate(self, tree, sizes):
        kind = tree[0]
        if kind == "number":
            return tree[1]
        if kind == "name":
            if tree[1] not in sizes:
                raise LaunchError(f"the size '{tree[1]}' of '{self.text}' is not known")
            return sizes[tree[1]]
        if kind == "guard":
            sides = [self._evaluate(side, sizes) for side in tree[1]]
            return all(_RELATIONS[r](a, b) for r, a, b in zip(tree[2], sides, sides[1:]))
        a, b = self._evaluate(tree[1], sizes), self._evaluate(tree[2], sizes)
        if kind == "+":
            return a + b
        if kind == "-":
            return a - b
        if kind == "*":
            return a * b
        if b <= 0:
            raise LaunchError(f"'{self.text}' divides by {b}")
        return a // b if kind == "floordiv" else -(-a // b) if kind == "ceildiv" else a % b


# --- Types ------------------------------------------------------------------------------------------------------------

# The type of the manifest: names of torch, bytes, name of the tensor map's type.
_TYPES = {
    "f16": (("float16",), 2, "FLOAT16"), "bf16": (("bfloat16",), 2, "BFLOAT16"), "f32": (("float32",), 4, "FLOAT32"),
    "f64": (("float64",), 8, "FLOAT64"), "f8E4M3FN": (("float8_e4m3fn",), 1, "UINT8"),
    "f8E5M2": (("float8_e5m2",), 1, "UINT8"), "i1": (("bool", "uint8"), 1, "UINT8"), "i8": (("int8",), 1, "UINT8"),
    "i16": (("int16",), 2, "UINT16"), "i32": (("int32",), 4, "INT32"), "i64": (("int64",), 8, "INT64"),
    "ui8": (("uint8",), 1, "UINT8"), "ui16": (("uint16",), 2, "UINT16"), "ui32": (("uint32",), 4, "UINT32"),
    "ui64": (("uint64",), 8, "UINT64"), "index": (("int64",), 8, "INT64"),
}
_MAP_TYPES = {
    "UINT8": 0, "UINT16": 1, "UINT32": 2, "INT32": 3, "UINT64": 4, "INT64": 5, "FLOAT16": 6, "FLOAT32": 7, "FLOAT64": 8,
    "BFLOAT16": 9,
}
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
# How much the L2 cache fetches at once: with 256 bytes, unaligned rows make a product a fifth slower.
_L2_128B = 2


def _type(name):
    if name not in _TYPES:
        raise LaunchError(f"the type '{name}' is not known here; known are {', '.join(_TYPES)}")
    return _TYPES[name]


# --- The driver -------------------------------------------------------------------------------------------------------


class Cuda:
    """What is needed of the driver, through cuda-bindings, and of torch. Tests pass others in."""

    def __init__(self, driver=None, torch=None):
        if torch is None:
            import torch
        if driver is None:
            from cuda.bindings import driver
            torch.cuda.init()
            torch.empty(1, device="cuda")  # makes the context of the device the current one
        self.driver, self.torch = driver, torch
        self._entries = {}

    def check(self, result, what):
        """The values of a driver call after its status. Errors with `what` was tried and the driver's own words."""
        status, *values = result
        if int(status) != 0:
            _, name = self.driver.cuGetErrorName(status)
            _, text = self.driver.cuGetErrorString(status)
            name, text = (x.decode() if isinstance(x, bytes) else str(x) for x in (name, text))
            raise DriverError(f"{what}: {name} ({int(status)}), {text}")
        return values[0] if len(values) == 1 else values

    def load(self, code, name):
        """Loads PTX text or a cubin (bytes)."""
        driver, option = self.driver, self.driver.CUjit_option
        log = bytearray(16384)
        options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        result = driver.cuModuleLoadDataEx(code.rstrip(b"\0") + b"\0", len(options), options, [log, len(log)])
        said = bytes(log).split(b"\0")[0].decode(errors="replace").strip()
        return self.check(result, f"the driver does not take {name}" + (f"\n{said}\n" if said else ""))

    def function(self, module, entry, shared=0, cluster=1):
        """An entry of a module, which may use so many bytes of shared memory and be launched in such clusters."""
        function = self.check(self.driver.cuModuleGetFunction(module, entry.encode()), f"there is no entry '{entry}'")
        attribute = self.driver.CUfunction_attribute
        if shared > 48 * 1024:
            kind = attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.check(self.driver.cuFuncSetAttribute(function, kind, shared), f"{entry} wants {shared} bytes of shared memory")
        if cluster > 8:
            kind = attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            self.check(self.driver.cuFuncSetAttribute(function, kind, 1), f"{entry} wants clusters of {cluster} blocks")
        return function

    def _entry(self, name, count):
        """A function of the driver called directly: it writes to memory of ours, which is aligned as it asks for."""
        if name not in self._entries:
            address, _ = self.check(self.driver.cuGetProcAddress(name.encode(), 12000, 0), f"the driver has no {name}")
            self._entries[name] = ctypes.CFUNCTYPE(ctypes.c_int, *count)(int(address))
        return self._entries[name]

    def encode_tiled(self, type, address, dims, strides, box, swizzle, what="a tensor map"):
        """The 128 bytes of a tensor map. Sizes, strides in bytes and box are fastest first, as in the driver."""
        size, rank = _type(type)[1], len(dims)
        self._check_map(what, type, address, dims, strides, swizzle)
        if len(box) != rank:
            raise LaunchError(f"{what} has {rank} axes and its box {len(box)}")
        if not all(1 <= b <= 256 for b in box):
            raise LaunchError(f"{what} has the box {list(box)}: from 1 to 256 elements are possible along an axis")
        inner = box[0] * size
        if inner % 16 or swizzle and inner > swizzle:
            raise LaunchError(f"{what} has boxes of {inner} bytes along the fastest axis: they must be a multiple of 16"
                              + (f" and at most {swizzle}, the swizzle" if swizzle else ""))
        i32, u32, ptr = ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p
        encode = self._entry("cuTensorMapEncodeTiled", (ptr, i32, u32, ptr, ptr, ptr, ptr, ptr, i32, i32, i32, i32))
        result, at = _aligned(128)
        status = encode(at, _MAP_TYPES[_type(type)[2]], rank, address, _u64(dims), _u64(strides), _u32(box),
                        _u32([1] * rank), 0, _SWIZZLES[swizzle], _L2_128B, 0)
        self._encoded(status, what, dims, strides, f"box {list(box)}", swizzle)
        return ctypes.string_at(at, 128)

    def encode_im2col(self, type, address, dims, strides, lower, upper, channels, pixels, steps, swizzle, what="a map"):
        """The same for windows of pictures: corners and steps are fastest first, for the axes between C and N."""
        rank, size = len(dims), _type(type)[1]
        self._check_map(what, type, address, dims, strides, swizzle)
        if not 3 <= rank <= 5 or not len(lower) == len(upper) == len(steps) == rank - 2:
            raise LaunchError(f"{what} has {rank} axes; im2col wants 3 to 5, corners and strides for all but two")
        if channels > 256 or pixels > 1024 or channels * size % 16 or swizzle and channels * size > swizzle:
            raise LaunchError(f"{what} cannot load {channels} channels of {pixels} pixels with swizzle {swizzle}")
        i32, u32, ptr = ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p
        encode = self._entry(
            "cuTensorMapEncodeIm2col", (ptr, i32, u32, ptr, ptr, ptr, ptr, ptr, u32, u32, ptr, i32, i32, i32, i32))
        result, at = _aligned(128)
        corners = (ctypes.c_int * (rank - 2))
        status = encode(at, _MAP_TYPES[_type(type)[2]], rank, address, _u64(dims), _u64(strides), corners(*lower),
                        corners(*upper), channels, pixels, _u32([1, *steps, 1]), 0, _SWIZZLES[swizzle], _L2_128B, 0)
        self._encoded(status, what, dims, strides, f"corners {list(lower)} {list(upper)}, {channels} channels", swizzle)
        return ctypes.string_at(at, 128)

    def _check_map(self, what, type, address, dims, strides, swizzle):
        if not 1 <= len(dims) <= 5:
            raise LaunchError(f"{what} has {len(dims)} axes: from 1 to 5 are possible")
        if address % 16:
            raise LaunchError(f"{what} is of memory at {address:#x}: a tensor map wants a multiple of 16")
        if any(s % 16 or not 0 < s < 1 << 40 for s in strides):
            raise LaunchError(f"{what} has rows of {list(strides)} bytes: a tensor map wants multiples of 16")
        if not all(1 <= d <= 1 << 32 for d in dims):
            raise LaunchError(f"{what} has the sizes {list(dims)}: a tensor map has no empty axis")
        if swizzle not in _SWIZZLES:
            raise LaunchError(f"{what} has the swizzle {swizzle}; there are 128, 64, 32 and 0")

    def _encoded(self, status, what, dims, strides, box, swizzle):
        if status:
            raise DriverError(f"the driver does not make {what} (status {status}): sizes {list(dims)}, strides "
                              f"{list(strides)} bytes, {box}, swizzle {swizzle}, fastest axis first")

    def stream(self):
        """The current stream, as a number."""
        return self.torch.cuda.current_stream().cuda_stream


def _aligned(size, to=128):
    """Memory of so many bytes, and where its first aligned one is."""
    memory = (ctypes.c_char * (size + to))()
    return memory, -(-ctypes.addressof(memory) // to) * to


def _u64(values):
    return (ctypes.c_uint64 * max(1, len(values)))(*values)


def _u32(values):
    return (ctypes.c_uint32 * max(1, len(values)))(*values)


class Launch:
    """One launch, ready to go. `args` are bytes of a tensor map, or ctypes numbers."""

    def __init__(self, cuda, function, grid, threads, shared=0, cluster=None, early=False, args=(), name="kernel"):
        driver = cuda.driver
        self._cuda, self._function, self._name = cuda, function, name
        self.grid = tuple(grid)
        # Each parameter has its own 128 bytes: the driver reads them through an array of addresses when it launches.
        self._memory, start = _aligned(128 * max(1, len(args)))
        self._addresses = (ctypes.c_void_p * max(1, len(args)))()
        for i, arg in enumerate(args):
            at = start + 128 * i
            data = arg if isinstance(arg, bytes) else bytes(arg)
            ctypes.memmove(at, data, len(data))
            self._addresses[i] = at
        self._params = ctypes.addressof(self._addresses)
        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = grid
        config.blockDimX, config.blockDimY, config.blockDimZ = threads, 1, 1
        config.sharedMemBytes = shared
        attributes = []
        if cluster and math.prod(cluster) > 1:
            attribute = driver.CUlaunchAttribute()
            attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z = cluster
            attributes.append(attribute)
        if early:
            attribute = driver.CUlaunchAttribute()
            attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
            attribute.value.programmaticStreamSerializationAllowed = 1
            attributes.append(attribute)
        if attributes:
            config.attrs = attributes
        config.numAttrs = len(attributes)
        self._config, self._stream = config, 0

    def __call__(self, stream):
        if stream != self._stream:
            self._config.hStream = stream
            self._stream = stream
        (status,) = self._cuda.driver.cuLaunchKernelEx(self._config, self._function, self._params, 0)
        if status:
            self._cuda.check((status,), f"{self._name} does not start on a grid of {self.grid}")


# --- The manifest -----------------------------------------------------------------------------------------------------


# The versions of the manifest that are read.
VERSIONS = (1, 2, 3, 4, 5)


class UnverifiedWarning(UserWarning):
    """A kernel runs that was not verified to be free of races and deadlocks."""


def unverified(manifest, code):
    """The kernels of a manifest that are not verified, by name, each with the reason."""
    fits = manifest.get("module_crc32") == f"{zlib.crc32(code):08x}"
    found = {}
    for kernel in manifest.get("kernels", ()):
        if not kernel.get("verified"):
            found[kernel["name"]] = kernel.get("reason", "the launch manifest does not say that it was verified")
        elif not fits:
            found[kernel["name"]] = "the PTX is not the one that the manifest was written with"
    return found


def load(path, cuda=None):
    """Loads the manifest at `path` and the PTX that it names, next to it. Warns once of kernels that are not verified."""
    with open(path, encoding="utf-8") as file:
        try:
            manifest = json.load(file)
        except ValueError as error:
            raise LaunchError(f"{path} is no manifest: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("manifest") not in VERSIONS:
        raise LaunchError(f"{path} is no manifest of version 1 to {VERSIONS[-1]}")
    try:
        with open(os.path.join(os.path.dirname(path), manifest["module"]), "rb") as file:
            code = file.read()
    except (OSError, KeyError) as error:
        raise LaunchError(f"{path} has no module: {error}") from None
    module = Module(manifest, code, cuda or Cuda(), str(path))
    if module.unverified:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in module.unverified.items())
        warnings.warn(f"{path} has kernels that are not verified to be free of races and deadlocks: {reasons}",
                      UnverifiedWarning, stacklevel=2)
    return module


class Module:
    """The kernels and programs of one manifest, by name."""

    def __init__(self, manifest, code, cuda, name="module"):
        self.manifest, self.cuda, self.name = manifest, cuda, name
        self._handle = None
        self._code = code
        try:
            self.unverified = unverified(manifest, code)
            self.kernels = {k["name"]: Kernel(self, k) for k in manifest.get("kernels", ())}
            self.programs = {}
            if manifest.get("programs"):
                from dlc_program import Program

                self.programs = {p["name"]: Program(self, p) for p in manifest["programs"]}
        except (KeyError, TypeError, IndexError) as error:
            raise LaunchError(f"{name} is not as manifests are: {type(error).__name__} {error}") from None

    def __getitem__(self, name):
        found = self.programs.get(name) or self.kernels.get(name)
        if not found:
            known = ", ".join([*self.programs, *self.kernels]) or "nothing"
            raise LaunchError(f"{self.name} has no '{name}'; it has {known}")
        return found

    def handle(self):
        """The module of the driver, loaded when it is first needed."""
        if self._handle is None:
            self._handle = self.cuda.load(self._code, self.name)
        return self._handle


class _Buffer:
    """An input, output, scratch or workspace of a kernel."""

    def __init__(self, spec, role="input"):
        self.name, self.type, self.role = spec["name"], spec["type"], spec.get("role", role)
        self.shape = [Expr(s) for s in spec["shape"]]
        self.align, self._dtypes = spec.get("align", 1), None
        layout = spec.get("layout")
        self.strides = [Expr(s) for s in layout["strides"]] if layout and "strides" in layout else None
        self.offset = Expr(layout.get("offset", 0)) if self.strides else None
        self.is_tiled = bool(layout) and not self.strides
        _type(self.type)

    def as_view(self, layout=None):
        """The same memory in another layout, row by row unless it is given."""
        spec = dict(name=self.name, type=self.type, shape=[e.text for e in self.shape], align=self.align)
        return _Buffer(dict(spec, layout=layout) if layout else spec)

    def extent(self, shape, values):
        """The elements from the beginning of the memory to the end of the last one."""
        strides, offset = self.placed(shape, values)
        whole = offset + 1 + sum(max(0, (size - 1) * stride) for size, stride in zip(shape, strides))
        return whole if math.prod(shape) else 0

    def empty(self, torch, shape, values, device):
        """A new tensor that lies as the buffer does."""
        dtype = self.dtypes(torch)[0]
        if self.strides is None:
            return torch.empty(shape, dtype=dtype, device=device)
        strides, offset = self.placed(shape, values)
        return torch.empty(self.extent(shape, values), dtype=dtype, device=device).as_strided(shape, strides, offset)

    def placed(self, shape, values):
        """The strides of a tensor of this shape and the number of its first element, both in elements."""
        if self.strides is None:
            return [math.prod(max(1, s) for s in shape[axis + 1 :]) for axis in range(len(shape))], 0
        return [e(values) for e in self.strides], self.offset(values)

    def dtypes(self, torch):
        """The types of torch that stand for its own, the one to allocate first."""
        if self._dtypes is None:
            self._dtypes = [getattr(torch, n) for n in _type(self.type)[0] if hasattr(torch, n)]
            if not self._dtypes:
                raise LaunchError(f"this torch has no type for {self.type}")
        return self._dtypes


def _solve(buffers, tensors, known, owner):
    """The symbols, from the shapes and strides of tensors; then all sizes are compared. `tensors` are (shape, strides,
    what it is)."""
    sizes = dict(known or {})
    for buffer, (shape, strides, what) in zip(buffers, tensors):
        if len(shape) != len(buffer.shape):
            raise LaunchError(f"{owner}: {what} has {len(shape)} axes, {buffer.name} wants {len(buffer.shape)}: "
                              f"[{', '.join(e.text for e in buffer.shape)}]")
        for expr, size in zip(buffer.shape, shape):
            if expr.symbol and sizes.setdefault(expr.symbol, int(size)) != size:
                raise LaunchError(f"{owner}: {what} has the shape {list(shape)}, but {expr.symbol} is "
                                  f"{sizes[expr.symbol]} already: {buffer.name} is "
                                  f"[{', '.join(e.text for e in buffer.shape)}]")
    # Strides say what shapes do not.
    for buffer, (shape, strides, _) in zip(buffers, tensors):
        for expr, size, stride in zip(buffer.strides or (), shape, strides):
            if expr.symbol and size > 1:
                sizes.setdefault(expr.symbol, int(stride))
    for buffer, (shape, _, what) in zip(buffers, tensors):
        wanted = [expr(sizes) for expr in buffer.shape]
        if wanted != [int(s) for s in shape]:
            raise LaunchError(f"{owner}: {what} has the shape {list(shape)}, {buffer.name} wants {wanted}")
    return sizes


def _check_tensor(torch, buffer, tensor, owner, values):
    """That a tensor is what a buffer of a kernel may be."""
    what = f"{owner}: {buffer.name}"
    if tensor.dtype not in buffer.dtypes(torch):
        raise LaunchError(f"{what} is {buffer.type}, and {tensor.dtype} was passed")
    if not tensor.is_cuda:
        raise LaunchError(f"{what} was passed in memory of the host; it must be on the device")
    if buffer.is_tiled:
        raise LaunchError(f"{what} has a swizzled or blocked layout, which no tensor of torch has")
    if buffer.strides is None:
        if not tensor.is_contiguous():
            raise LaunchError(f"{what} must be contiguous: shape {list(tensor.shape)}, strides {list(tensor.stride())}")
    elif tensor.numel():
        strides, _ = buffer.placed(tensor.shape, values)
        # The stride of an axis of one element is never taken.
        if any(size > 1 and has != wanted for size, has, wanted in zip(tensor.shape, tensor.stride(), strides)):
            raise LaunchError(f"{what} must have the strides {strides}: shape {list(tensor.shape)}, strides "
                              f"{list(tensor.stride())}")
    begin = _address(buffer, tensor, values)
    if begin % buffer.align:
        raise LaunchError(f"{what} begins at {begin:#x}, which is no multiple of {buffer.align}")


def _address(buffer, tensor, values):
    """Where the memory of a buffer begins: a tensor begins with the element at index 0."""
    if buffer.strides is None:
        return tensor.data_ptr()
    return tensor.data_ptr() - buffer.offset(values) * _type(buffer.type)[1]


class _Lru(collections.OrderedDict):
    """The entries that were used last."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def find(self, key, make):
        value = self.get(key)
        if value is None:
            value = self[key] = make()
            if len(self) > self.most:
                self.popitem(last=False)
        else:
            self.move_to_end(key)
        return value


# The most elements of a tensor of a kernel that says nothing else.
NARROW = (1 << 31) - (1 << 24)


class Plan:
    """What a kernel is for one set of sizes: shapes of its buffers, grids and numbers."""

    def __init__(self, kernel, sizes):
        self.kernel = kernel
        missing = [s for s in kernel.symbols if s not in sizes]
        if missing:
            raise LaunchError(f"{kernel.name}: the inputs do not say what {', '.join(missing)} is; pass sizes=")
        values = dict(sizes)
        for name, kind, exprs in kernel.values:
            found = [e(values) for e in exprs]
            values[name] = min(found) if kind == "min" else max(found)
        self.values = values
        for guard in kernel.requires:
            if not guard(values):
                raise LaunchError(f"{kernel.name} wants {guard.text}, and here "
                                  f"{', '.join(f'{n} = {values[n]}' for n in sorted(guard.names()) if n in values)}")
        self.shapes = {b.name: [e(values) for e in b.shape] for b in kernel.buffers.values()}
        # What it computes with has no more bits. An axis of zero counts as one of one.
        counts = {f"{s} is {sizes[s]}": sizes[s] for s in kernel.symbols}
        counts |= {f"{n} has the sizes {s}": math.prod(max(1, d) for d in s) for n, s in self.shapes.items()}
        for what, count in counts.items():
            if count > kernel.elements:
                raise LaunchError(f"{what}, and {kernel.name} is for tensors of at most {kernel.elements} elements; "
                                  "kernel-to-ptx{index=64} makes one for larger ones")
        self.grids = [[e(values) for e in launch["grid"]] for launch in kernel.launches]
        for launch, grid in zip(kernel.launches, self.grids):
            if not all(0 <= g < m for g, m in zip(grid, (1 << 31, 1 << 16, 1 << 16))):
                raise LaunchError(f"{kernel.name}: a grid of {grid} is not possible: it has at most 2147483647, 65535 and "
                                  "65535 blocks along its axes")
            for arg in launch["args"]:
                if arg[0] == "i64" and not -(1 << 63) <= arg[1](values) < 1 << 63:
                    raise LaunchError(f"{kernel.name}: {arg[1].text} is {arg[1](values)}, which has no 64 bits")
                if arg[0] == "i32" and not -(1 << 31) <= arg[1](values) < 1 << 31:
                    raise LaunchError(f"{kernel.name}: {arg[1].text} is {arg[1](values)}, which has no 32 bits")

    def bind(self, addresses):
        """The launches with buffers at these addresses. A grid without blocks is left out."""
        made, maps = [], {}
        kernel = self.kernel
        for launch, grid in zip(kernel.launches, self.grids):
            if not math.prod(grid):
                continue
            args = []
            for kind, what in launch["args"]:
                if kind == "map":
                    if what not in maps:
                        maps[what] = self._encode(kernel.maps[what], addresses)
                    args.append(maps[what])
                elif kind == "buffer":
                    args.append(ctypes.c_uint64(addresses[what]))
                elif kind == "i64":
                    args.append(ctypes.c_int64(what(self.values)))
                else:
                    args.append(ctypes.c_int32(what(self.values)))
            made.append(Launch(kernel.cuda, kernel.function(launch), grid, launch["threads"], launch["shared"],
                               launch["cluster"], launch["early"], args, launch["entry"]))
        return made

    def _encode(self, spec, addresses):
        buffer = spec["buffer"]
        shape, size = self.shapes[buffer], _type(spec["type"])[1]
        if spec["shape"]:
            whole, shape = shape, [e(self.values) for e in spec["shape"]]
            if math.prod(shape) != math.prod(whole):
                raise LaunchError(f"{self.kernel.name}: the map {spec['name']} of {shape} elements is not {buffer} {whole}")
        what = f"{self.kernel.name}: the map {spec['name']} of {buffer} {shape}"
        dims = shape[::-1]
        strides = [size * math.prod(dims[: i + 1]) for i in range(len(dims) - 1)]
        if spec["strides"]:
            strides = [size * e(self.values) for e in spec["strides"]][::-1]
        address = addresses[buffer] + size * self.kernel.buffers[buffer].placed(shape, self.values)[1]
        # The driver takes axes twice as long, but coordinates are signed 32-bit numbers.
        if any(not 0 < dim <= 1 << 31 for dim in dims) or any(stride >= 1 << 40 for stride in strides):
            raise LaunchError(f"{what} has axes of {dims} elements and steps of {strides} bytes: an axis has 1 to "
                              f"{1 << 31} elements, and steps are below {1 << 40}")
        cuda, swizzle, window = self.kernel.cuda, spec.get("swizzle", 0), spec.get("im2col")
        if not window:
            return cuda.encode_tiled(spec["type"], address, dims, strides, spec["box"][::-1], swizzle, what)
        pixels, channels = spec["box"]
        return cuda.encode_im2col(
            spec["type"], address, dims, strides, window["lower"][::-1], window["upper"][::-1], channels, pixels,
            window["strides"][::-1], swizzle, what)


class Kernel:
    """A kernel of a manifest. Call it with its inputs, or `prepare` it for certain tensors."""

    def __init__(self, module, spec):
        self.module, self.cuda, self.name, self.spec = module, module.cuda, spec["name"], spec
        self.symbols = list(spec.get("symbols", ()))
        self.elements = spec.get("elements", NARROW)
        self.inputs = [_Buffer(b) for b in spec["inputs"]]
        self.buffers = {b.name: b for b in self.inputs}
        for buffer in spec.get("buffers", ()):
            self.buffers.setdefault(buffer["name"], _Buffer(buffer))
        names = [o["name"] if isinstance(o, dict) else o for o in spec["outputs"]]
        self.outputs = [self.buffers[name] for name in names]
        self.scratch = [b for b in self.buffers.values() if b.role in ("scratch", "workspace")]
        self.values = []
        for value in spec.get("values", ()):
            kind = next((k for k in ("expr", "min", "max") if k in value), None)
            if not kind:
                raise LaunchError(f"{self.name}: the value '{value['name']}' is no expression, min or max")
            exprs = value[kind] if kind != "expr" else [value[kind]]
            self.values.append((value["name"], kind, [Expr(e) for e in exprs]))
        self.requires = [Expr(r, guard=True) for r in spec.get("requires", ())]
        exprs = lambda spec, key: [Expr(s) for s in spec.get(key, ())]
        self.maps = {m["name"]: dict(m, shape=exprs(m, "shape"), strides=exprs(m, "strides"))
                     for m in spec.get("tensor_maps", ())}
        self.launches = [self._read_launch(l) for l in spec["launches"]]
        self._functions = {}
        self._plans, self._bound = _Lru(256), _Lru(512)

    def _read_launch(self, spec):
        args = []
        for arg in spec["args"]:
            ((kind, what),) = arg.items()
            if kind in ("i32", "i64"):
                what = Expr(what)
            elif what not in {"map": self.maps, "buffer": self.buffers}.get(kind, ()):
                raise LaunchError(f"{self.name}: there is no {kind} '{what}'")
            args.append((kind, what))
        three = lambda given: [*given, 1, 1, 1][:3]
        return dict(entry=spec["entry"], grid=[Expr(g) for g in three(spec["grid"])], args=args, threads=spec["threads"],
                    shared=spec.get("shared", 0), cluster=three(spec.get("cluster") or []), early=spec.get("early", False))

    def function(self, launch):
        """The function of the driver that a launch starts."""
        entry = launch["entry"]
        if entry not in self._functions:
            self._functions[entry] = self.cuda.function(
                self.module.handle(), entry, launch["shared"], math.prod(launch["cluster"]))
        return self._functions[entry]

    def sizes(self, inputs, known=None):
        """What the symbols are for these inputs."""
        if len(inputs) != len(self.inputs):
            raise LaunchError(f"{self.name} has {len(self.inputs)} inputs, {len(inputs)} were passed")
        tensors = [(tuple(t.shape), tuple(t.stride()), f"input {i}") for i, t in enumerate(inputs)]
        return _solve(self.inputs, tensors, known, self.name)

    def plan(self, sizes):
        """The plan for these sizes, which are checked."""
        return self._plans.find(tuple(sorted(sizes.items())), lambda: Plan(self, sizes))

    def _plan_for(self, inputs, known):
        key = tuple([(t.shape, t.dtype, t.stride()) for t in inputs])
        if known:
            key = (key, tuple(sorted(known.items())))

        def make():
            sizes = self.sizes(inputs, known)
            for buffer, tensor in zip(self.inputs, inputs):
                _check_tensor(self.cuda.torch, buffer, tensor, self.name, sizes)
            return self.plan(sizes)

        return self._plans.find(key, make)

    def _empty(self, plan, buffers, device):
        return [b.empty(self.cuda.torch, plan.shapes[b.name], plan.values, device) for b in buffers]

    def _tensors(self, plan, inputs, out):
        """Outputs, new ones unless `out` has them, and scratch or workspace."""
        device = inputs[0].device if inputs else "cuda"
        outputs = list(out) if out is not None else self._empty(plan, self.outputs, device)
        if len(outputs) != len(self.outputs):
            raise LaunchError(f"{self.name} has {len(self.outputs)} outputs, {len(outputs)} were passed")
        return outputs, self._empty(plan, self.scratch, device)

    def zeroed(self, scratch):
        """The tensors of these that must be zero before each run; the kernel itself writes what it reads of the others."""
        return [tensor for buffer, tensor in zip(self.scratch, scratch) if buffer.role == "scratch"]

    def _bind(self, plan, inputs, outputs, scratch):
        buffers = [*self.inputs, *self.outputs, *self.scratch]
        for buffer, tensor in zip(buffers, [*inputs, *outputs, *scratch]):
            _check_tensor(self.cuda.torch, buffer, tensor, self.name, plan.values)
        for buffer, tensor in zip(self.outputs, outputs):
            if list(tensor.shape) != plan.shapes[buffer.name]:
                raise LaunchError(f"{self.name}: {buffer.name} is {plan.shapes[buffer.name]}, and a tensor of "
                                  f"{list(tensor.shape)} was passed")
        tensors = zip(buffers, [*inputs, *outputs, *scratch])
        return plan.bind({b.name: _address(b, t, plan.values) for b, t in tensors})

    def prepare(self, *inputs, out=None, sizes=None):
        """The kernel with these tensors: `run()` launches it, `run.outputs` are its outputs. New ones unless `out` has
        them."""
        plan = self._plan_for(inputs, sizes)
        outputs, scratch = self._tensors(plan, inputs, out)
        return Prepared(self.cuda, self._bind(plan, inputs, outputs, scratch), inputs, outputs, scratch,
                        self.zeroed(scratch))

    def __call__(self, *inputs, out=None, sizes=None):
        """Runs the kernel on the current stream. Gives its output, or a list of them if there are several."""
        plan = self._plan_for(inputs, sizes)
        outputs, scratch = self._tensors(plan, inputs, out)
        for tensor in self.zeroed(scratch):
            tensor.zero_()
        key = (plan, *[t.data_ptr() for t in (*inputs, *outputs, *scratch)])
        if out is not None:
            key = (key, *[(t.shape, t.dtype, t.stride()) for t in outputs])
        launches = self._bound.find(key, lambda: self._bind(plan, inputs, outputs, scratch))
        stream = self.cuda.stream()
        for launch in launches:
            launch(stream)
        return outputs[0] if len(outputs) == 1 else outputs


class Prepared:
    """A kernel with its tensors, which it keeps alive."""

    def __init__(self, cuda, launches, inputs, outputs, scratch, zeroed):
        self._cuda, self.launches, self.inputs, self.outputs, self._scratch = cuda, launches, inputs, outputs, scratch
        self._zeroed = zeroed

    def __call__(self):
        for tensor in self._zeroed:
            tensor.zero_()
        stream = self._cuda.stream()
        for launch in self.launches:
            launch(stream)
        return self.outputs
