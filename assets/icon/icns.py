"""Packs PNG files into an .icns as they are: icns.py OUTPUT PNG... (called by make.sh)."""

import struct
import sys
from pathlib import Path

# By width in pixels: as an image of that many points, and as one of half as many on a dense screen.
KINDS = {16: [b"icp4"], 32: [b"icp5", b"ic11"], 64: [b"ic12"], 128: [b"ic07"], 256: [b"ic08", b"ic13"],
         512: [b"ic09", b"ic14"]}

output, *sources = map(Path, sys.argv[1:])
entries = b""
for source in sources:
    picture = source.read_bytes()
    (width,) = struct.unpack(">I", picture[16:20])
    for kind in KINDS[width]:
        entries += kind + struct.pack(">I", 8 + len(picture)) + picture
output.write_bytes(b"icns" + struct.pack(">I", 8 + len(entries)) + entries)
