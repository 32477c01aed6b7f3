#!/bin/sh
# Renders jitterscope.svg as the pictures that desktops and packages ask for.
# Needs rsvg-convert (librsvg2-bin), ImageMagick and Python 3.
set -eu
cd "$(dirname "$0")"
for size in 16 32 48 64 128 256 512; do
  rsvg-convert --width "$size" --height "$size" --output "jitterscope-$size.png" jitterscope.svg
  convert "jitterscope-$size.png" -strip -colors 64 -define png:compression-level=9 "jitterscope-$size.png"
done
python3 ico.py jitterscope.ico jitterscope-16.png jitterscope-32.png jitterscope-48.png \
  jitterscope-64.png jitterscope-128.png jitterscope-256.png
python3 icns.py jitterscope.icns jitterscope-16.png jitterscope-32.png jitterscope-64.png \
  jitterscope-128.png jitterscope-256.png jitterscope-512.png
