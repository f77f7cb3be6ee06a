"""Tests of the launcher with a driver and a torch that only write down what is asked of them: no GPU is needed.

    python3 -m unittest discover -s tools/python
"""
import base64
import ctypes
import json
import math
import os
import sys
import tempfile
import types
import unittest
import warnings
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare
import dlc_launch
import suites
from dlc_launch import Cuda, Expr, LaunchError


class FakeDriver:
    """The functions of cuda.bindings.driver that the launcher calls."""

    def __init__(self):
        self.loads, self.functions, self.attributes, self.launches, self.maps = [], [], [], [], []
        self.CUlaunchConfig = types.SimpleNamespace
        self.CUlaunchAttribute = lambda: types.SimpleNamespace(
            value=types.SimpleNamespace(clusterDim=types.SimpleNamespace()))
        for names in ("CUjit_option", "CUfunction_attribute", "CUlaunchAttributeID"):
            setattr(self, names, _Names())
        i32, u32, ptr = ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p
        tiled = (ptr, i32, u32, ptr, ptr, ptr, ptr, ptr, i32, i32, i32, i32)
        im2col = (ptr, i32, u32, ptr, ptr, ptr, ptr, ptr, u32, u32, ptr, i32, i32, i32, i32)
        self._kept = {
            b"cuTensorMapEncodeTiled": ctypes.CFUNCTYPE(i32, *tiled)(self._tiled),
            b"cuTensorMapEncodeIm2col": ctypes.CFUNCTYPE(i32, *im2col)(self._im2col),
        }
        self.status = 0

    def _numbers(self, kind, address, count):
        return list((kind * count).from_address(address)) if count else []

    def _write(self, out, spec):
        assert out % 64 == 0
        ctypes.memset(out, len(self.maps) + 1, 128)
        self.maps.append(spec)
        return self.status

    def _tiled(self, out, kind, rank, address, dims, strides, box, steps, interleave, swizzle, promotion, fill):
        u64, u32 = ctypes.c_uint64, ctypes.c_uint32
        return self._write(out, dict(
            kind=kind, address=address, dims=self._numbers(u64, dims, rank), strides=self._numbers(u64, strides, rank - 1),
            box=self._numbers(u32, box, rank), steps=self._numbers(u32, steps, rank), swizzle=swizzle,
            rest=(interleave, promotion, fill)))

    def _im2col(self, out, kind, rank, address, dims, strides, lower, upper, channels, pixels, steps, *rest):
        u64, u32 = ctypes.c_uint64, ctypes.c_uint32
        return self._write(out, dict(
            kind=kind, address=address, dims=self._numbers(u64, dims, rank), strides=self._numbers(u64, strides, rank - 1),
            lower=self._numbers(ctypes.c_int, lower, rank - 2), upper=self._numbers(ctypes.c_int, upper, rank - 2),
            channels=channels, pixels=pixels, steps=self._numbers(u32, steps, rank), rest=rest))

    def cuGetErrorName(self, status):
        return 0, b"CUDA_ERROR_NAME"

    def cuGetErrorString(self, status):
        return 0, b"in words"

    def cuGetProcAddress(self, name, version, flags):
        return 0, ctypes.cast(self._kept[name], ctypes.c_void_p).value, 0

    def cuModuleLoadDataEx(self, code, count, options, values):
        if code.startswith(b"bad"):
            values[0][:9] = b"line 1: x"
            return 218, None
        self.loads.append(code)
        return 0, "module"

    def cuModuleGetFunction(self, module, name):
        if name == b"none":
            return 500, None
        self.functions.append(name)
        return 0, name.decode()

    def cuFuncSetAttribute(self, function, attribute, value):
        self.attributes.append((function, attribute, value))
        return (0,)

    def cuLaunchKernelEx(self, config, function, params, extra):
        self.launches.append(dict(
            function=function, grid=(config.gridDimX, config.gridDimY, config.gridDimZ), threads=config.blockDimX,
            shared=config.sharedMemBytes, stream=getattr(config, "hStream", 0), attrs=getattr(config, "attrs", []),
            params=params))
        assert config.numAttrs == len(getattr(config, "attrs", []))
        return (self.status,)

    def param(self, launch, index, size):
        """The bytes of a parameter of a launch."""
        address = ctypes.c_void_p.from_address(launch["params"] + 8 * index).value
        return ctypes.string_at(address, size)


class _Names:
    def __getattr__(self, name):
        return name


class FakeTensor:
    def __init__(self, shape, dtype="float16", address=0x10000, strides=None, device="cuda:0"):
        self.shape, self.dtype, self._address, self.device = tuple(shape), dtype, address, device
        self._dense = tuple(math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape)))
        self._strides = self._dense if strides is None else tuple(strides)
        self.is_cuda = str(device).startswith("cuda")
        self.zeroed = 0

    def data_ptr(self):
        return self._address

    def is_contiguous(self):
        return self._strides == self._dense

    def stride(self):
        return self._strides

    def numel(self):
        return math.prod(self.shape)

    def storage_offset(self):
        return 0

    def as_strided(self, shape, strides, offset):
        size = 4 if self.dtype == "float32" else 2
        return FakeTensor(shape, self.dtype, self._address + size * offset, strides, self.device)

    def zero_(self):
        self.zeroed += 1

    def view(self, *how):
        shape = how[0] if isinstance(how[0], (list, tuple)) else self.shape
        return FakeTensor(shape, self.dtype if shape is how[0] else how[0], self._address)

    def cuda(self):
        return self

    def clone(self):
        return self

    def __getitem__(self, part):
        return FakeTensor((part.stop - part.start,), self.dtype, self._address + part.start)


class FakeTorch:
    float16, bfloat16, float32, int32, uint8, bool = "float16", "bfloat16", "float32", "int32", "uint8", "bool"

    def __init__(self):
        self.made, self.fixed = [], None
        self.cuda = types.SimpleNamespace(current_stream=lambda: types.SimpleNamespace(cuda_stream=7))

    def empty(self, shape, dtype, device):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        tensor = FakeTensor(shape, dtype, self.fixed or 0x100000 * (len(self.made) + 1))
        self.made.append(tensor)
        return tensor

    def frombuffer(self, data, dtype):
        tensor = FakeTensor((len(data),), dtype, 0x7000000)
        tensor.data = bytes(data)
        return tensor


def gemm(**changes):
    """A manifest's kernel with a bit of everything."""
    a = dict(name="A", type="f16", shape=["M", "K"], align=16)
    b = dict(name="B", type="f16", shape=["N", "K"], align=16)
    kernel = dict(
        name="gemm", symbols=["M", "N", "K"], inputs=[a, b], outputs=["D"],
        buffers=[dict(name="D", role="output", type="f16", shape=["M", "N"], align=16),
                 dict(name="w", role="scratch", type="f32", shape=["4", "M"], align=16),
                 dict(name="own", role="workspace", type="f16", shape=["M"], align=16)],
        values=[dict(name="tiles", expr="(M ceildiv 256)*(N ceildiv 256)"), dict(name="clusters", min=["66", "tiles"])],
        requires=["K mod 8 == 0", "N <= 8192"],
        tensor_maps=[dict(name="mA", buffer="A", type="f16", box=[128, 64], swizzle=128),
                     dict(name="mB", buffer="B", type="f16", box=[128, 64], swizzle=128)],
        launches=[dict(entry="gemm_0", grid=["2*clusters", "1", "1"], cluster=[2, 1, 1], threads=384, shared=215296,
                       early=True, args=[dict(map="mA"), dict(buffer="D"), dict(i32="tiles - M"), dict(map="mB")])])
    kernel.update(changes)
    return kernel


class Base(unittest.TestCase):
    def setUp(self):
        self.driver, self.torch = FakeDriver(), FakeTorch()
        self.cuda = Cuda(self.driver, self.torch)

    def module(self, kernels=(), programs=(), code=b".version 8.0"):
        manifest = dict(manifest=1, module="m.ptx", kernels=list(kernels), programs=list(programs))
        return dlc_launch.Module(manifest, code, self.cuda, "m.json")

    def refuses(self, part):
        return self.assertRaisesRegex(LaunchError, part)


class Expressions(unittest.TestCase):
    def check(self, text, value, **sizes):
        self.assertEqual(Expr(text)(sizes), value, text)

    def test_values(self):
        self.check("7", 7)
        self.check("0x10", 16)
        self.check("2 + 3*M", 14, M=4)
        self.check("(2 + 3)*M", 20, M=4)
        self.check("10 - 3 - 2", 5)
        self.check("-M + 1", -3, M=4)
        self.check("B * ((H + 1) floordiv 2)*((W+1) floordiv 2)", 24, B=2, H=7, W=5)
        self.check("a.b_1$ + 1", 6, **{"a.b_1$": 5})

    def test_divisions(self):
        for value in range(-9, 10):
            self.check("M floordiv 4", math.floor(value / 4), M=value)
            self.check("M ceildiv 4", math.ceil(value / 4), M=value)
            self.check("M mod 4", value % 4, M=value)
        self.check("M floordiv 2 * 3 mod 4", 9 // 2 * 3 % 4, M=9)

    def test_guards(self):
        for text, holds in [("K mod 8 == 0", True), ("K < 16", False), ("K <= 16", True), ("K > 16", False), ("K >= 16", True),
                            ("0 <= K < 17", True), ("0 <= K < 16", False)]:
            self.assertEqual(Expr(text, guard=True)(dict(K=16)), holds, text)

    def test_errors(self):
        for text, why in [("M +", "missing at the end"), ("(M", "missing at the end"), ("M N", "'N' was not expected"),
                          ("M ? 2", "has no meaning"), ("mod 2", "was not expected"), ("", "missing"), ("M == 2", "'=='")]:
            with self.assertRaisesRegex(LaunchError, why, msg=text):
                Expr(text)
        with self.assertRaisesRegex(LaunchError, "a condition compares"):
            Expr("M + 1", guard=True)
        with self.assertRaisesRegex(LaunchError, "divides by 0"):
            Expr("M mod N")(dict(M=1, N=0))
        with self.assertRaisesRegex(LaunchError, "'N' of 'M mod N' is not known"):
            Expr("M mod N")(dict(M=1))

    def test_names(self):
        self.assertEqual(Expr("M").symbol, "M")
        self.assertIsNone(Expr("M + 1").symbol)
        self.assertEqual(Expr("M*(N + 2) < K", guard=True).names(), {"M", "N", "K"})


class Kernels(Base):
    def setUp(self):
        super().setUp()
        self.kernel = self.module([gemm()])["gemm"]
        self.a, self.b = FakeTensor((600, 64), address=0x10000), FakeTensor((300, 64), address=0x20000)

    def test_launch(self):
        d = self.kernel(self.a, self.b)
        self.assertEqual(d.shape, (600, 300))
        (launch,) = self.driver.launches
        self.assertEqual((launch["grid"], launch["threads"], launch["shared"], launch["stream"]), ((12, 1, 1), 384, 215296, 7))
        cluster, early = launch["attrs"]
        self.assertEqual((cluster.id, vars(cluster.value.clusterDim)),
                         ("CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION", dict(x=2, y=1, z=1)))
        self.assertEqual((early.id, early.value.programmaticStreamSerializationAllowed),
                         ("CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION", 1))
        self.assertEqual(self.driver.attributes, [("gemm_0", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", 215296)])
        self.assertEqual(self.driver.param(launch, 0, 128), b"\1" * 128)
        self.assertEqual(int.from_bytes(self.driver.param(launch, 1, 8), "little"), d.data_ptr())
        self.assertEqual(int.from_bytes(self.driver.param(launch, 2, 4), "little", signed=True), 6 - 600)
        self.assertEqual(self.driver.param(launch, 3, 128), b"\2" * 128)

    def test_maps_are_fastest_first(self):
        self.kernel(self.a, self.b)
        self.assertEqual(self.driver.maps[0], dict(kind=6, address=0x10000, dims=[64, 600], strides=[128], box=[64, 128],
                                                   steps=[1, 1], swizzle=3, rest=(0, 2, 0)))

    def test_windows_are_fastest_first(self):
        x = dict(name="X", type="bf16", shape=["2", "H", "7", "C"], align=16)
        window = dict(lower=[-1, -2], upper=[-3, -4], strides=[1, 2])
        kernel = self.module([dict(
            name="conv", symbols=["H", "C"], inputs=[x], outputs=[], buffers=[],
            tensor_maps=[dict(name="mX", buffer="X", type="bf16", box=[128, 64], swizzle=128, im2col=window)],
            launches=[dict(entry="c", grid=["1"], threads=32, args=[dict(map="mX")])])])["conv"]
        kernel(FakeTensor((2, 5, 7, 64), "bfloat16"))
        self.assertEqual(self.driver.maps, [dict(
            kind=9, address=0x10000, dims=[64, 7, 5, 2], strides=[128, 896, 4480], lower=[-2, -1], upper=[-4, -3],
            channels=64, pixels=128, steps=[1, 2, 1, 1], rest=(0, 3, 2, 0))])
        self.assertEqual(self.driver.launches[0]["grid"], (1, 1, 1))
        self.assertEqual(self.driver.launches[0]["attrs"], [])
        self.assertEqual(self.driver.attributes, [])

    def test_maps_with_other_sizes(self):
        def kernel(shape):
            y = dict(name="Y", type="f16", shape=["2", "H", "7", "C"], align=16)
            return self.module([dict(
                name="rows", symbols=["H", "C"], inputs=[y], outputs=[], buffers=[],
                tensor_maps=[dict(name="mY", buffer="Y", type="f16", shape=shape, box=[64, 64], swizzle=128)],
                launches=[dict(entry="r", grid=["1"], threads=32, args=[dict(map="mY")])])])["rows"]
        y = FakeTensor((2, 5, 7, 64))
        kernel(["14*H", "C"])(y)
        self.assertEqual((self.driver.maps[0]["dims"], self.driver.maps[0]["strides"]), ([64, 70], [128]))
        with self.assertRaisesRegex(LaunchError, "the map mY of .* is not Y"):
            kernel(["7*H", "C"])(y)

    def test_warm_calls_only_launch(self):
        self.torch.fixed = 0x300000
        for _ in range(3):
            self.kernel(self.a, self.b)
        self.assertEqual((len(self.driver.launches), len(self.driver.maps), len(self.driver.loads)), (3, 2, 1))
        self.assertEqual([t.zeroed for t in self.torch.made if t.dtype == "float32"], [1, 1, 1])
        self.kernel(FakeTensor((600, 64), address=0x90000), self.b)
        self.assertEqual(len(self.driver.maps), 4)
        self.assertEqual(len(self.driver.functions), 1)

    def test_prepared(self):
        run = self.kernel.prepare(self.a, self.b, out=[FakeTensor((600, 300), address=0x70000)])
        self.assertEqual(self.driver.launches, [])
        run(), run()
        self.assertEqual(len(self.driver.launches), 2)
        # The workspace holds what the kernel itself writes.
        self.assertEqual([tensor.zeroed for tensor in self.torch.made], [2, 0])
        self.assertEqual(int.from_bytes(self.driver.param(self.driver.launches[0], 1, 8), "little"), 0x70000)

    def test_what_is_refused(self):
        cases = [
            ((FakeTensor((600, 65)), FakeTensor((300, 65))), "wants K mod 8 == 0, and here K = 65"),
            ((self.a, FakeTensor((300, 72))), "has the shape .300, 72., but K is 64 already"),
            ((self.a,), "has 2 inputs, 1 were passed"),
            ((FakeTensor((600, 64, 1)), self.b), "has 3 axes, A wants 2: .M, K."),
            ((FakeTensor((600, 64), "float32"), self.b), "A is f16, and float32 was passed"),
            ((FakeTensor((600, 64), strides=(128, 1)), self.b), "must be contiguous"),
            ((FakeTensor((600, 64), address=0x10008), self.b), "no multiple of 16"),
            ((FakeTensor((600, 64), device="cpu"), self.b), "in memory of the host"),
            ((self.a, FakeTensor((9000, 64))), "wants N <= 8192, and here N = 9000"),
        ]
        for inputs, why in cases:
            with self.refuses(why):
                self.kernel(*inputs)
        for out, why in [([FakeTensor((600, 301))], "D is .600, 300., and a tensor of .600, 301. was passed"), ([], "1 outputs")]:
            with self.refuses(why):
                self.kernel.prepare(self.a, self.b, out=out)
        self.assertEqual(self.driver.launches, [])

    def test_a_warm_kernel_still_looks_at_tensors(self):
        self.kernel(self.a, self.b)
        with self.refuses("must be contiguous"):
            self.kernel(FakeTensor((600, 64), strides=(128, 1)), self.b)
        with self.refuses("no multiple of 16"):
            self.kernel(FakeTensor((600, 64), address=0x10002), self.b)

    def test_layouts(self):
        """Columns, padded rows and an offset: what is passed must lie so, and what is made does."""
        a = dict(name="A", type="f16", shape=["M", "K"], align=16, layout=dict(strides=["P", "1"], offset="8"))
        b = dict(name="B", type="f16", shape=["K", "4"], layout=dict(strides=["1", "K"]))
        d = dict(name="D", role="output", type="f16", shape=["M", "4"], layout=dict(strides=["1", "M"]))
        kernel = self.module([dict(
            name="k", symbols=["M", "K", "P"], inputs=[a, b], outputs=["D"], buffers=[d],
            tensor_maps=[dict(name="mA", buffer="A", type="f16", strides=["P"], box=[64, 64], swizzle=128)],
            launches=[dict(entry="k", grid=["1"], threads=32,
                           args=[dict(map="mA"), dict(buffer="A"), dict(buffer="D"), dict(i32="P")])])])["k"]
        ta, tb = FakeTensor((3, 16), address=0x10010, strides=(24, 1)), FakeTensor((16, 4), strides=(1, 16))
        out = kernel(ta, tb)
        self.assertEqual((out.shape, out.stride()), ((3, 4), (1, 3)))
        self.assertEqual({k: self.driver.maps[0][k] for k in ("address", "dims", "strides")},
                         dict(address=0x10010, dims=[16, 3], strides=[48]))
        number = lambda index, size: int.from_bytes(self.driver.param(self.driver.launches[0], index, size), "little")
        self.assertEqual((number(1, 8), number(2, 8), number(3, 4)), (0x10000, out.data_ptr(), 24))
        for inputs, why in [((ta, FakeTensor((16, 4))), "B must have the strides .1, 16."),
                            ((FakeTensor((3, 16), address=0x10010, strides=(24, 2)), tb), "A must have the strides .24, 1."),
                            ((FakeTensor((3, 16), address=0x10018, strides=(24, 1)), tb), "no multiple of 16")]:
            with self.refuses(why):
                kernel(*inputs)
        tiled = self.module([dict(name="t", inputs=[dict(a, shape=["4", "4"], layout=dict(block=[2, 2]))], outputs=[],
                                  launches=[dict(entry="t", grid=["1"], threads=32, args=[])])])["t"]
        with self.refuses("swizzled or blocked layout"):
            tiled(FakeTensor((4, 4)))

    def test_fixed_and_derived_sizes(self):
        x = dict(name="X", type="f16", shape=["M", "2*M", "128"])
        y = dict(name="Y", role="output", type="i1", shape=["M floordiv 2"])
        kernel = self.module([gemm(name="k", symbols=["M"], inputs=[x], outputs=["Y"], buffers=[y], values=[], requires=[],
                                   tensor_maps=[], launches=[])])["k"]
        self.assertEqual(kernel(FakeTensor((5, 10, 128))).shape, (2,))
        self.assertEqual(self.torch.made[-1].dtype, "bool")
        with self.refuses(r"\[5, 11, 128\], X wants \[5, 10, 128\]"):
            kernel(FakeTensor((5, 11, 128)))

    def test_symbols_that_no_input_has(self):
        kernel = self.module([gemm(symbols=["M", "N", "K", "L"])])["gemm"]
        with self.refuses("do not say what L is"):
            kernel(self.a, self.b)
        kernel(self.a, self.b, sizes=dict(L=3))
        with self.refuses("but M is 5 already"):
            kernel(self.a, self.b, sizes=dict(L=3, M=5))

    def test_empty_grids_do_not_start(self):
        self.kernel(FakeTensor((0, 64)), self.b)
        self.assertEqual((self.driver.launches, self.driver.maps), ([], []))

    def test_numbers_have_32_bits(self):
        for number in ("M*M*M*M", "0 - M*M*M*M"):
            kernel = self.module([gemm(launches=[dict(gemm()["launches"][0], args=[dict(i32=number)])])])["gemm"]
            with self.refuses("which has no 32 bits"):
                kernel(self.a, self.b)

    def test_places_have_as_many_bits_as_the_kernel_says(self):
        a, b = FakeTensor((1 << 20, 1 << 12)), FakeTensor((300, 1 << 12))
        with self.refuses(r"A has the sizes \[1048576, 4096\], and gemm is for tensors of at most 2130706432 elements"):
            self.kernel(a, b)
        with self.refuses("M is 4294967296, and gemm is for"):
            self.kernel(FakeTensor((1 << 32, 0)), FakeTensor((300, 0)))
        wide = gemm(elements=1 << 40, launches=[dict(gemm()["launches"][0], args=[dict(i64="M*K")])])
        self.module([wide])["gemm"](a, b)
        self.assertEqual(int.from_bytes(self.driver.param(self.driver.launches[0], 0, 8), "little"), 1 << 32)

    def test_maps_end_where_coordinates_do(self):
        kernel = self.module([gemm(elements=1 << 40)])["gemm"]
        with self.refuses("an axis has 1 to 2147483648 elements"):
            kernel(FakeTensor(((1 << 31) + 8, 64)), self.b)

    def test_large_clusters(self):
        launch = dict(gemm()["launches"][0], cluster=[4, 4], args=[], shared=0, early=False)
        self.module([gemm(launches=[launch])])["gemm"](self.a, self.b)
        self.assertEqual(self.driver.attributes, [("gemm_0", "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)])

    def test_what_maps_cannot_be(self):
        encode = self.cuda.encode_tiled
        for args, why in [
            (("f16", 0x1008, [64, 8], [128], [64, 8], 128), "wants a multiple of 16"),
            (("f16", 0x1000, [65, 8], [130], [64, 8], 128), "wants multiples of 16"),
            (("f16", 0x1000, [64, 8], [128], [128, 8], 128), "boxes of 256 bytes .* at most 128"),
            (("f16", 0x1000, [64, 8], [128], [64, 257], 128), "from 1 to 256"),
            (("f16", 0x1000, [64, 0], [128], [64, 8], 128), "no empty axis"),
            (("f16", 0x1000, [64, 8], [128], [64], 128), "2 axes and its box 1"),
            (("f16", 0x1000, [64, 8], [128], [64, 8], 100), "swizzle 100"),
            (("f80", 0x1000, [64, 8], [128], [64, 8], 128), "the type 'f80' is not known"),
        ]:
            with self.refuses(why):
                encode(*args)
        self.driver.status = 1
        with self.refuses("the driver does not make .*status 1"):
            encode("f16", 0x1000, [64, 8], [128], [64, 8], 128)

    def test_what_the_driver_says(self):
        with self.refuses("(?s)does not take m.json.*line 1: x.*CUDA_ERROR_NAME .218., in words"):
            self.module([gemm()], code=b"bad")["gemm"](self.a, self.b)
        with self.assertRaisesRegex(dlc_launch.DriverError, "there is no entry 'none': CUDA_ERROR_NAME"):
            self.module([gemm(launches=[dict(gemm()["launches"][0], entry="none")])])["gemm"](self.a, self.b)
        self.driver.launches.clear()
        run = self.kernel.prepare(self.a, self.b)
        self.driver.status = 700
        with self.refuses("gemm_0 does not start on a grid of .12, 1, 1.: CUDA_ERROR_NAME .700."):
            run()


class Manifests(Base):
    def load(self, text, code=b"ptx"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text if isinstance(text, str) else json.dumps(text))
            with open(os.path.join(folder, "m.ptx"), "wb") as file:
                file.write(code)
            return dlc_launch.load(path, self.cuda)

    def test_load(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            module = self.load(dict(manifest=1, module="m.ptx", kernels=[gemm()]))
        self.assertEqual([each.category for each in told], [dlc_launch.UnverifiedWarning])
        self.assertRegex(str(told[0].message), "k.json has kernels that are not verified.*gemm: .* does not say")
        self.assertEqual((list(module.kernels), list(module.programs)), (["gemm"], []))
        self.assertEqual(self.driver.loads, [])
        with self.refuses("has no 'conv'; it has gemm"):
            module["conv"]

    def test_verified(self):
        def told(code=b".version 8.0", **changes):
            kernel = gemm(**dict(dict(verified=True), **changes))
            manifest = dict(manifest=2, module="m.ptx", module_crc32=f"{zlib.crc32(b'.version 8.0'):08x}", kernels=[kernel])
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                module = self.load(manifest, code=code)
            self.assertEqual(len(told), len(module.unverified))
            return module.unverified

        self.assertEqual(told(), {})
        self.assertEqual(told(verified=False, reason="E1806 Deadlock: why"), dict(gemm="E1806 Deadlock: why"))
        self.assertIn("does not say", told(verified=False)["gemm"])
        # What was verified is another text.
        self.assertIn("the PTX is not the one", told(code=b".version 8.1")["gemm"])

    def test_what_is_no_manifest(self):
        for text, why in [("{", "is no manifest"), ("[]", "no manifest of version 1"), (dict(manifest=6), "of version 1 to 5"),
                          (dict(manifest=1), "has no module"), (dict(manifest=1, module="n.ptx"), "has no module"),
                          (dict(manifest=1, module="m.ptx", kernels=[dict(name="x")]), "not as manifests are"),
                          (dict(manifest=1, module="m.ptx", kernels=[gemm(values=[dict(name="v")])]), "no expression"),
                          (dict(manifest=1, module="m.ptx", kernels=[gemm(tensor_maps=[])]), "there is no map 'mA'")]:
            with self.refuses(why):
                self.load(text)


def program(**changes):
    vector = lambda name, size, offset=None: dict(name=name, type="f32", shape=[size], offset=offset)
    steps = [
        dict(const="c", type="f32", shape=["4"], offset=8, base64=base64.b64encode(bytes(range(16))).decode()),
        dict(launch=[dict(kernel="fast", sizes=dict(N="M"), where=["M mod 8 == 0"]), dict(kernel="slow", sizes=dict(N="M"))],
             inputs=["x"], outputs=[vector("h", "M", "0")]),
        dict(view="v", of="h", shape=["M"]),
        dict(launch=[dict(kernel="slow", sizes=dict(N="M"))], inputs=["v"], outputs=[vector("y", "M")]),
        dict(launch=[dict(kernel="slow", sizes=dict(N="4"))], inputs=["c"], outputs=[vector("z", "4", "64*M")]),
    ]
    spec = dict(name="p", symbols=["M"], inputs=[dict(name="x", type="f32", shape=["M"], align=4)],
                outputs=[dict(name="y", type="f32", shape=["M"])], arena="64*M + 64", pool=24, steps=steps, results=["y"])
    spec.update(changes)
    return spec


def copy(name):
    buffer = lambda n, **more: dict(name=n, type="f32", shape=["N"], align=4, **more)
    return dict(name=name, symbols=["N"], inputs=[buffer("a")], outputs=["b"], buffers=[buffer("b", role="output")],
                launches=[dict(entry=name, grid=["N", "1", "1"], threads=32, args=[dict(buffer="a"), dict(buffer="b")])])


class Programs(Base):
    def make(self, **changes):
        return self.module([copy("fast"), copy("slow")], [program(**changes)])["p"]

    def addresses(self, launch):
        return [int.from_bytes(self.driver.param(launch, i, 8), "little") for i in (0, 1)]

    def test_costs(self):
        # As in the Rust tests: rounds of 32, 500 for each and 10 for each step against 100 and 300; two steps from 65 on.
        cost = lambda step, tile, **more: dict(tiles="M ceildiv 4", steps="M ceildiv 64", bytes="32*M", launch=3000, tile=tile,
                                               step=step, wait=0, gbps=4000, sms=8, blocks=1, **more)
        steps = program()["steps"]
        for size, changed, name in [(16, {}, "slow"), (17, {}, "fast"), (64, {}, "slow"), (72, {}, "fast"),
                                    (64, dict(tile=210), "fast"), (64, dict(tile=209), "slow"), (64, dict(wait=500), "fast"),
                                    (64, dict(wait=500, blocks=2), "slow"), (64, dict(bytes="80000*M"), "fast")]:
            slow = dict(cost(300, 100), **changed)
            launch = [dict(kernel="fast", sizes=dict(N="M"), cost=cost(10, 500)),
                      dict(kernel="slow", sizes=dict(N="M"), cost=slow, where=["M mod 8 == 0"])]
            p = self.make(steps=[steps[0], dict(steps[1], launch=launch), *steps[2:]])
            self.driver.launches.clear()
            p(FakeTensor((size,), "float32", 0x5000))
            self.assertEqual(self.driver.launches[0]["function"], name, (size, changed))
        # What has no cost is tried where it stands.
        for launch, name in [(launch[1:] + [dict(kernel="fast", sizes=dict(N="M"))], "slow"),
                             ([dict(kernel="fast", sizes=dict(N="M"), where=["M == 64"])] + launch[1:], "fast")]:
            p = self.make(steps=[steps[0], dict(steps[1], launch=launch), *steps[2:]])
            self.driver.launches.clear()
            p(FakeTensor((64,), "float32", 0x5000))
            self.assertEqual(self.driver.launches[0]["function"], name)

    def test_run(self):
        p = self.make()
        x = FakeTensor((16,), "float32", 0x5000)
        y = p(x)
        self.assertEqual((y.shape, [l["function"] for l in self.driver.launches]), ((16,), ["fast", "slow", "slow"]))
        arena = self.torch.made[0]
        self.assertEqual(arena.shape, (64 * 16 + 64,))
        first, second, third = map(self.addresses, self.driver.launches)
        self.assertEqual(first, [0x5000, arena.data_ptr()])
        self.assertEqual(second, [arena.data_ptr(), y.data_ptr()])
        self.assertEqual(third, [0x7000008, arena.data_ptr() + 1024])
        self.assertEqual(p._make_pool().data, bytes(8) + bytes(range(16)))
        p(FakeTensor((9,), "float32", 0x5000))
        self.assertEqual(self.driver.launches[3]["function"], "slow")

    def test_results_in_memory_of_the_program(self):
        y, h, v, x = self.make(results=["y", "h", "v", "x"])(FakeTensor((16,), "float32", 0x5000))
        self.assertEqual([t.shape for t in (y, h, v, x)], [(16,)] * 4)
        self.assertEqual((h.data_ptr(), x.data_ptr()), (self.torch.made[0].data_ptr(), 0x5000))

    def test_prepared(self):
        x, y = FakeTensor((16,), "float32", 0x5000), FakeTensor((16,), "float32", 0x9000)
        p = self.make()
        run = p.prepare(x, out=[y])
        self.assertEqual(([t.data_ptr() for t in run.outputs], self.driver.launches), ([0x9000], []))
        run(), run()
        self.assertEqual(len(self.driver.launches), 6)
        self.assertEqual(self.addresses(self.driver.launches[4])[1], 0x9000)
        with self.refuses("y is .16. and cannot be a tensor of .17."):
            p.prepare(x, out=[FakeTensor((17,), "float32")])
        with self.refuses("h is .16. and cannot be"):
            self.make(results=["h"]).prepare(x, out=[y])

    def test_parts(self):
        steps = program()["steps"]

        def run(of, start, shape=("M - 4",), results=("y",), **more):
            part = dict(view="part", of=of, shape=list(shape), **{"from": start}, **more)
            launch = dict(launch=[dict(kernel="slow", sizes=dict(N="M - 4"))], inputs=["part"],
                          outputs=[dict(name="q", type="f32", shape=["M - 4"], offset=None)])
            outputs = [dict(name=name, type="f32", shape=["M"]) for name in results]
            self.driver.launches.clear(), self.torch.made.clear()
            result = self.make(steps=[*steps, part, launch], outputs=outputs, results=list(results))(
                FakeTensor((16,), "float32", 0x5000))
            return result, self.addresses(self.driver.launches[3])[0]

        self.assertEqual(run("x", "4")[1], 0x5000 + 16)
        self.assertEqual(run("x", "M - 13")[1], 0x5000 + 12)
        _, at = run("h", "2")
        self.assertEqual(at, self.torch.made[0].data_ptr() + 8)
        y, at = run("y", "1")
        self.assertEqual(at, y.data_ptr() + 4)
        (y, part), at = run("y", "3", results=("y", "part"))
        self.assertEqual((part.shape, part.data_ptr(), at), ((12,), y.data_ptr() + 12, y.data_ptr() + 12))
        with self.refuses("part sees the elements 5 to 17 of .16."):
            run("x", "5")
        with self.refuses("part sees the elements -1 to 11 of .16."):
            run("x", "M - 17")
        with self.refuses("part has the strides and offset ..1., 1., and slow wants ..1., 0."):
            run("x", "0", layout=dict(strides=["1"], offset="1"))

    def test_places_are_checked(self):
        steps = program()["steps"]
        steps[4]["outputs"][0]["offset"] = "0"
        self.make(steps=steps)(FakeTensor((16,), "float32"))  # by then nothing needs what lay there
        steps[4]["inputs"], steps[4]["launch"][0]["sizes"] = ["h"], dict(N="M")
        steps[4]["outputs"][0]["shape"] = ["M"]
        with self.refuses("z has the bytes 0 to 64, and 0 to 64 of h are still needed"):
            self.make(steps=steps)(FakeTensor((16,), "float32"))
        # A view needs what it sees.
        steps = program()["steps"]
        steps[3], steps[4] = steps[4], steps[3]
        steps[3]["outputs"][0]["offset"] = "0"
        with self.refuses("z has the bytes 0 to 16, and 0 to 64 of h are still needed"):
            self.make(steps=steps)(FakeTensor((16,), "float32"))
        with self.refuses("z has the bytes 1024 to 1040 of an arena of 1030"):
            self.make(arena="1030")(FakeTensor((16,), "float32"))

    def test_what_is_refused(self):
        steps = program()["steps"]
        x = FakeTensor((16,), "float32")
        for change, why in [
            (dict(steps=[*steps, dict(view="w", of="q", shape=["M"])]), "there is no buffer 'q'"),
            (dict(steps=[*steps, dict(view="w", of="h", shape=["2*M"])]), "sees .16. as .32."),
            (dict(steps=[*steps, dict(view="h", of="h", shape=["M"])]), "two buffers 'h'"),
            (dict(results=["q"]), "there is no buffer 'q'"),
            (dict(steps=[dict(steps[1], launch=[dict(kernel="none", sizes={})])]), "launches 'none'"),
            (dict(steps=[dict(steps[1], launch=steps[1]["launch"][:1])]), None),
            (dict(steps=[dict(steps[1], launch=[dict(kernel="slow", sizes=dict(N="M + 1"))])]), "x is .16. f32, and slow wants .17."),
            (dict(pool=8), "ends at byte 24 of a pool of 8"),
            (dict(steps=[dict(sleep=1)]), "a step with sleep is not known"),
        ]:
            if why is None:
                self.make(results=["h"], **change)(x)
                with self.refuses("no kernel is for these sizes: M = 9"):
                    self.make(results=["h"], **change)(FakeTensor((9,), "float32"))
                continue
            with self.refuses(why):
                self.make(**change)(x)


class Comparing(Base):
    def test_every_kernel_has_its_line(self):
        for name in suites.EXPECTED:
            self.assertIsNotNone(suites.serve(name), name)
        self.assertEqual(suites.serve("gemm_small_m").suites, ("small_m",))
        self.assertEqual(suites.serve("attention_causal").where, dict(causal=True))
        self.assertIsNone(suites.serve("other"))

    def test_layouts(self):
        for a, b, layout in [(["M", "K"], ["N", "K"], "nt"), (["M", "K"], ["K", "N"], "nn"), (["K", "M"], ["K", "N"], "tn")]:
            inputs = [dict(name=n, type="f16", shape=s) for n, s in (("A", a), ("B", b))]
            self.assertEqual(suites.gemm_layout(self.module([gemm(inputs=inputs)])["gemm"]), layout)

    def test_cases(self):
        for suite in suites.SUITES:
            names = [c.name for c in suites.cases(suite)]
            self.assertEqual(len(names), len(set(names)), suite)
            self.assertTrue(all(c.flops or c.bytes for c in suites.cases(suite)), suite)
        self.assertEqual([c.name for c in suites.cases("gemm", [(1, 2, 3)], ["bf16"], ["nt"], False)], ["bf16 nt 1x2x3"])
        self.assertRaises(TypeError, suites.cases, "chain", [(1, 2)])

    def test_geomeans(self):
        row = lambda kernel, ratio, ours=True: dict(kernel=kernel, ratio=ratio, ours=ours, ref_ratio=1.0)
        results = [
            dict(suite="gemm", name="a", group="f16", timed=True, rows=[row("x", 1.0), row("y", 2.0), row("ref:z", 9.0, False)]),
            dict(suite="gemm", name="b", group="f16", timed=True, rows=[row("x", 8.0)]),
            dict(suite="gemm", name="c", group="f16", timed=True, rows=[dict(kernel="-", note="no kernel")]),
            dict(suite="gemm", name="d", group="f16", timed=False, rows=[]),
        ]
        found = compare.geomeans(results)
        self.assertEqual(set(found), {"gemm", "gemm f16"})
        self.assertEqual((found["gemm"]["cases"], found["gemm"]["timed"], found["gemm"]["lowest"]), (3, 2, 2.0))
        self.assertAlmostEqual(found["gemm"]["ratio"], 4.0)


if __name__ == "__main__":
    unittest.main()
