"""Packs PNG files into an .ico as they are: ico.py OUTPUT PNG... (called by make.sh)."""

import struct
import sys
from pathlib import Path

output, *sources = map(Path, sys.argv[1:])
pictures = [source.read_bytes() for source in sources]
offset = 6 + 16 * len(pictures)
entries = b""
for picture in pictures:
    width, height = struct.unpack(">II", picture[16:24])
    entries += struct.pack("<BBBBHHII", width % 256, height % 256, 0, 0, 1, 32, len(picture), offset)
    offset += len(picture)
output.write_bytes(struct.pack("<HHH", 0, 1, len(pictures)) + entries + b"".join(pictures))
