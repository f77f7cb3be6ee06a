# Makes the arrays of the tests next to this folder. Needs numpy and ml_dtypes; run it in the folder.

import io, json, struct
import ml_dtypes
import numpy as np

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
row = np.array([1, -1, 0.5], np.float32)
y = X * row

np.save("x.npy", X)
np.save("x_fortran.npy", np.asfortranarray(X))
np.save("x_big_endian.npy", X.astype(">f4"))
np.save("x_f64.npy", X.astype(np.float64))
np.save("x_3x2.npy", X.reshape(3, 2))
np.save("x_flat.npy", X.reshape(6))
np.save("y.npy", y)
np.savez("stored.npz", X=X, row=row)
np.savez_compressed("compressed.npz", X=X, row=row)
np.savez("other_names.npz", X=X, column=row)
np.savez("expected.npz", y=y)
np.savez("expected_near.npz", y=y * np.float32(1.0005))
off = y.copy()
off[0, 1] += 0.25
off[1, 2] = np.nan
np.savez("expected_off.npz", y=off)
np.savez("expected_other.npz", y=y, z=y)
np.savez("expected_none.npz")
np.save("expected_f64.npy", y.astype(np.float64))

whole = open("x.npy", "rb").read()
open("truncated.npy", "wb").write(whole[:-5])
open("no_header.npy", "wb").write(b"0.5 1.5\n")
archive = open("stored.npz", "rb").read()
open("truncated.npz", "wb").write(archive[: len(archive) // 2])

np.save("objects.npy", np.array([1, "two"], object), allow_pickle=True)
np.save("structures.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))
np.save("complex.npy", np.zeros(2, np.complex64))
np.save("strings.npy", np.array(["one", "two"]))

def npy(descr, shape, body=b""):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body

open("huge.npy", "wb").write(npy("<f4", (1 << 40, 1 << 40)))
open("promises.npy", "wb").write(npy("<f4", (1 << 30, 1 << 10), b"\0" * 64))

narrow = np.array([1, 2, -0.5], np.float32)
np.save("bf16_bits.npy", narrow.astype(ml_dtypes.bfloat16).view(np.uint16))
np.save("bf16_raw.npy", narrow.astype(ml_dtypes.bfloat16))
np.save("f8_bits.npy", narrow.astype(ml_dtypes.float8_e4m3fn).view(np.uint8))
np.save("bools.npy", np.array([True, False, True]))
np.save("i32.npy", np.array([1, -2, 3], np.int32))
np.save("scalar.npy", np.float32(2.5))

def safetensors(name, tensors):
    header, body = {}, b""
    for key, (dtype, array) in tensors.items():
        data = array.tobytes()
        header[key] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    open(name, "wb").write(struct.pack("<Q", len(text)) + text + body)

safetensors("xrow.safetensors", {"X": ("F32", X), "row": ("F32", row)})
safetensors("bf16.safetensors", {"x": ("BF16", narrow.astype(ml_dtypes.bfloat16).view(np.uint16))})
whole = open("xrow.safetensors", "rb").read()
open("truncated.safetensors", "wb").write(whole[:-5])

# The folders of --batch.
for folder, expected in {"good": y, "near": y * np.float32(1.0005), "off": off, "several": y}.items():
    np.savez(f"batch/{folder}/expected.npz", y=expected)
for folder in ["good", "near", "off", "several", "no_expected"]:
    np.savez(f"batch/{folder}/inputs.npz", X=X, row=row)
np.savez("batch/no_inputs/expected.npz", y=y)
x = np.array([1, -2, 3], np.int32)
np.savez("batch/deeper/ints/inputs.npz", x=x)
np.savez("batch/deeper/ints/expected.npz", y=2 * x)
