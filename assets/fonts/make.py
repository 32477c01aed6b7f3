"""Builds the text and icon fonts: make.py PACKAGES OUTPUT_FOLDER ICONS_RS (called by make.sh)."""

import json
import sys
from pathlib import Path

from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

# What the interface writes: Latin with its accents, Greek for units and statistics, punctuation
# with all its spaces, signs, and the marks in key names.
RANGES = [(0x20, 0x7E), (0xA0, 0x17F), (0x391, 0x3C9), (0x2000, 0x206F)]
SINGLES = "⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂€™Ω←↑→↓↔⇥⇧∂∆∑−√∞∫≈≠≤≥⌘⌥⌃⏎▲▼▶◀●○■□◆"

# egui takes a row's height from the font. Inter's own 1.21 is too tight for running text; this
# gives 13 points a row of 18, still with as much room above a capital as below the baseline.
LINE_HEIGHT = 1.37

# An icon is drawn in a square of the font size, so centering its box centers the icon.
REGULAR = """
arrow-counter-clockwise arrow-left arrow-right arrow-square-out arrows-clockwise arrows-in-simple
arrows-left-right arrows-out-simple battery-medium brackets-curly caret-down caret-left caret-right
caret-up chart-bar chart-line check check-circle clock cloud columns copy cpu crosshair desktop
dots-six-vertical dots-three download-simple drop-half equals export eye eye-slash fast-forward file
file-csv file-html file-text film-strip flag floppy-disk folder folder-open funnel gauge gear-six
hourglass-medium image info keyboard lightning list list-checks lock-simple magnifying-glass
markdown-logo minus minus-circle moon note-pencil pause plug plus prohibit pulse push-pin question
rows shield-check shield-warning sidebar-simple sliders-horizontal stack star steps sun swap table
tag target terminal-window thermometer trash upload-simple users-three warning warning-octagon wrench x
""".split()
FILL = """
caret-down caret-up check-circle flag info minus-circle pause play question shield-check
shield-warning star stop warning warning-octagon x-circle
""".split()
FILL_OFFSET = 0x1000  # regular and filled icons share code points; the filled ones move up


def rename(font, family, style):
    names = font["name"]
    names.names = [n for n in names.names if n.nameID in (0, 5, 13, 14)]
    full = f"{family} {style}"
    for name_id, text in [
        (1, family if style == "Regular" else full),
        (2, "Regular"),
        (3, full),
        (4, full),
        (6, full.replace(" ", "")),
        (16, family),
        (17, style),
    ]:
        names.setName(text, name_id, 3, 1, 0x409)


def set_line(font, ascent, descent):
    font["hhea"].ascent, font["hhea"].descent, font["hhea"].lineGap = ascent, -descent, 0
    os2 = font["OS/2"]
    os2.sTypoAscender, os2.sTypoDescender, os2.sTypoLineGap = ascent, -descent, 0
    os2.usWinAscent, os2.usWinDescent = ascent, descent


def subset(font, codes, features):
    options = Options()
    options.layout_features = features
    options.hinting = False
    options.name_IDs = ["*"]
    options.notdef_outline = True
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)


def make_sans(source, target, style):
    font = TTFont(source, recalcTimestamp=False)
    for table in font["cmap"].tables:
        for code in range(ord("0"), ord("9") + 1):
            name = table.cmap.get(code)
            if name and not name.endswith(".tf"):  # tables may share one map
                table.cmap[code] = name + ".tf"
    known = font.getBestCmap()
    codes = {c for low, high in RANGES for c in range(low, high + 1)} | set(map(ord, SINGLES))
    subset(font, codes & known.keys(), ["kern", "mark", "ccmp"])
    em = font["head"].unitsPerEm
    spare = LINE_HEIGHT * em - font["OS/2"].sCapHeight
    set_line(font, round(font["OS/2"].sCapHeight + spare / 2), round(spare / 2))
    rename(font, "Jitterscope Sans", style)
    font.flavor = None
    font.save(target)


def make_icons(packages, target, rust):
    regular = TTFont(packages / "phosphor/src/regular/Phosphor.ttf", recalcTimestamp=False)
    fill = TTFont(packages / "phosphor/src/fill/Phosphor-Fill.ttf")
    codes = {}
    listing = json.loads((packages / "phosphor/src/regular/selection.json").read_text())
    for icon in listing["icons"]:
        for name in icon["properties"]["name"].split(", "):
            codes[name] = icon["properties"]["code"]

    subset(regular, [codes[name] for name in REGULAR], [])
    glyphs = fill.getGlyphSet()
    fill_names = fill.getBestCmap()
    for name in FILL:
        pen = TTGlyphPen(glyphs)
        source = fill_names[fill_codes(packages)[name]]
        glyphs[source].draw(pen)
        glyph_name = f"{name}-fill"
        regular.setGlyphOrder([*regular.getGlyphOrder(), glyph_name])
        regular["glyf"][glyph_name] = pen.glyph()
        regular["hmtx"][glyph_name] = fill["hmtx"][source]
        for table in regular["cmap"].tables:
            if table.isUnicode():
                table.cmap[codes[name] + FILL_OFFSET] = glyph_name
    set_line(regular, 960, 64)
    rename(regular, "Jitterscope Icons", "Regular")
    regular.flavor = None
    regular.save(target)

    lines = [
        "//! The icons by name: characters of the font `JitterscopeIcons.ttf`. Written by"
        " `assets/fonts/make.py`.",
        "",
    ]
    for name in sorted(REGULAR + [f"{f}-fill" for f in FILL]):
        plain = name.removesuffix("-fill")
        filled = plain != name
        code = codes[plain] + (FILL_OFFSET if filled else 0)
        what = f"The filled {plain} icon." if filled else f"The {plain} icon."
        lines.append(f"/// {what}")
        ident = name.upper().replace("-", "_")
        lines.append(f'pub const {ident}: &str = "\\u{{{code:x}}}";')
    rust.parent.mkdir(parents=True, exist_ok=True)
    rust.write_text("\n".join(lines) + "\n")


def fill_codes(packages):
    listing = json.loads((packages / "phosphor/src/fill/selection.json").read_text())
    return {
        name.removesuffix("-fill"): icon["properties"]["code"]
        for icon in listing["icons"]
        for name in icon["properties"]["name"].split(", ")
    }


def main():
    packages, output, rust = map(Path, sys.argv[1:])
    for style in ["Regular", "SemiBold"]:
        make_sans(
            packages / f"inter/web/Inter-{style}.woff2",
            output / f"JitterscopeSans-{style}.ttf",
            style,
        )
    make_icons(packages, output / "JitterscopeIcons.ttf", rust)


if __name__ == "__main__":
    main()
