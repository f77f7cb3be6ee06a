"""Compiles CUDA C++ with NVRTC, the compiler that comes as a library in a package of Python, and needs no GPU.

    python3 nvrtc.py FILE ARCHITECTURE FILE.ptx

writes PTX, and to the standard output what the compiler has to say. Exit status: 0 compiled, 1 refused, 2 no compiler.
"""

import ctypes
import os
import sys


def root():
    """The folder of the package, with `lib` and `include`."""
    import nvidia.cu13

    for folder in nvidia.cu13.__path__:
        if os.path.exists(os.path.join(folder, "lib", "libnvrtc.so.13")):
            return folder
    raise ImportError("nvidia-cuda-nvrtc is not installed")


def text(nvrtc, program, size, get):
    """A text that the compiler has for a program."""
    length = ctypes.c_size_t()
    getattr(nvrtc, size)(program, ctypes.byref(length))
    buffer = ctypes.create_string_buffer(length.value)
    getattr(nvrtc, get)(program, buffer)
    return buffer.value.decode()


def main(source, architecture, target):
    try:
        folder = root()
        # The library looks for its other half by name only: it finds what is loaded.
        ctypes.CDLL(os.path.join(folder, "lib", "libnvrtc-builtins.so.13.0"), ctypes.RTLD_GLOBAL)
        nvrtc = ctypes.CDLL(os.path.join(folder, "lib", "libnvrtc.so.13"))
    except (ImportError, OSError) as error:
        print(error)
        return 2
    with open(source, "rb") as file:
        code = file.read()
    program = ctypes.c_void_p()
    name = os.path.basename(source).encode()
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), code, name, 0, None, None) != 0:
        print("NVRTC makes no program")
        return 1
    options = [f"--gpu-architecture={architecture}", "-std=c++17", "-fmad=false", f"-I{folder}/include"]
    array = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    compiled = nvrtc.nvrtcCompileProgram(program, len(options), array)
    print(text(nvrtc, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog"), end="")
    if compiled != 0:
        return 1
    with open(target, "w") as file:
        file.write(text(nvrtc, program, "nvrtcGetPTXSize", "nvrtcGetPTX"))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print("usage: nvrtc.py FILE ARCHITECTURE FILE.ptx")
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
