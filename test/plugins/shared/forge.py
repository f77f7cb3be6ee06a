"""Writes a copy of a plugin with parts of its stamp changed: forge.py LIBRARY PART,.. COPY.

The stamp is plain bytes (dlc_ir::plugin::Stamp): magic, size, layout, then texts of fixed lengths.
"""

import re
import struct
import sys

MAGIC = b"dlc plugin v2\0\0\0"
SIZE = 4608
PARTS = {"magic": (0, 16), "size": (16, 8), "layout": (24, 8), "version": (32, 32), "compiler": (64, 96)}
PARTS |= {"target": (160, 96), "sources": (256, 32), "profile": (288, 160), "dependencies": (448, 4096)}
OTHERS = {"magic": b"dlc plugin v0", "size": struct.pack("<Q", 7), "layout": b"12345678", "version": b"9.9.9"}
OTHERS |= {"compiler": b"rustc 9.9.9", "target": b"pdp11-unix-none-16", "sources": b"0123456789abcdef"}
OTHERS |= {"profile": b"opt-level=9"}

library, parts, copy = sys.argv[1:]
data = bytearray(open(library, "rb").read())
at, forged = data.find(MAGIC), 0
while at >= 0:
    # A whole stamp, not only the word.
    if struct.unpack_from("<Q", data, at + 16)[0] == SIZE:
        for part in parts.split(","):
            offset, length = PARTS[part]
            old = bytes(data[at + offset : at + offset + length])
            other = OTHERS.get(part) or re.sub(rb"bumpalo [0-9.]+;", b"bumpalo 9.9.9;", old).rstrip(b"\0")
            data[at + offset : at + offset + length] = other.ljust(length, b"\0")
        forged += 1
    at = data.find(MAGIC, at + 1)
assert forged, "there is no stamp"
open(copy, "wb").write(data)
