"""Make the firmware's fonts from DejaVu Sans: 4-bit pictures of characters, as C++.

    python scripts/make_font.py            # writes the generated file
    python scripts/make_font.py --check    # fails when it is not what would be written

Needs Pillow and the Debian package ``fonts-dejavu-core``. Characters are drawn 16 times as large
as they will be and averaged, so that hinting, which differs between versions of FreeType, has no
say in the result.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "firmware/lib/core/src/lobug/face/font_data.cpp"
TTF = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")

OVERSAMPLING = 16
MORE = "ŒœŠšŸŽž–—‘’‚“”„•…€"  # noqa: RUF001 - they look alike on purpose
"""What people and models write beyond Latin-1: French, quotation marks, dashes, the euro."""
LATIN = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x100)])) + MORE
GREEK = [
    0x384,
    0x385,
    0x386,
    0x388,
    0x389,
    0x38A,
    0x38C,
    *range(0x38E, 0x3A2),
    *range(0x3A3, 0x3CF),
]
CAPTIONS = LATIN + "".join(
    chr(code)
    for code in [
        *range(0x100, 0x180),  # Latin Extended-A: Polish, Czech, Turkish, Hungarian, Baltic, ...
        *range(0x218, 0x21C),  # Romanian
        *GREEK,
        *range(0x400, 0x460),  # Cyrillic: Russian, Ukrainian, Bulgarian, Serbian, ...
        0x490,
        0x491,
        0x2116,  # the Russian sign for "number"
    ]
    if chr(code) not in LATIN
)
"""What captions show beside that: the alphabets of Europe."""


@dataclass(frozen=True)
class Font:
    """One size, so that the height of small letters is a whole number of pixels."""

    name: str
    size: float
    line: int
    ascent: int
    characters: str


FONTS = (
    Font("kSmallFont", 12.8, line=16, ascent=12, characters=LATIN),
    Font("kLargeFont", 18.3, line=23, ascent=18, characters=CAPTIONS),
    Font("kCodeFont", 46.6, line=48, ascent=41, characters=" -0123456789"),
)


@dataclass(frozen=True)
class Glyph:
    """A character's picture: 4 bits a pixel, from the left, top row first."""

    code: int
    width: int
    height: int
    left: int
    top: int
    advance: int
    pixels: bytes


def glyph(font: Font, drawn: ImageFont.FreeTypeFont, character: str) -> Glyph:
    """The picture of one character, cut to what is not empty."""
    advance = round(drawn.getlength(character) / OVERSAMPLING)
    margin = 4
    width, height = advance + 2 * margin, font.line + 2 * margin
    large = Image.new("L", (width * OVERSAMPLING, height * OVERSAMPLING))
    baseline = margin + font.ascent
    ImageDraw.Draw(large).text(
        (margin * OVERSAMPLING, baseline * OVERSAMPLING),
        character,
        fill=255,
        font=drawn,
        anchor="ls",
    )
    small = large.reduce(OVERSAMPLING)
    levels = small.point([(value * 15 + 127) // 255 for value in range(256)])
    box = levels.getbbox() or (margin, margin, margin, margin)
    left, top, right, bottom = box
    return Glyph(
        code=ord(character),
        width=right - left,
        height=bottom - top,
        left=left - margin,
        top=top - margin,
        advance=advance,
        pixels=levels.crop(box).tobytes() if right > left else b"",
    )


def packed(pixels: bytes) -> bytes:
    """Two pixels a byte, the first in the upper half."""
    even = pixels + b"\0" * (len(pixels) % 2)
    return bytes(even[i] << 4 | even[i + 1] for i in range(0, len(even), 2))


def source_of(font: Font) -> list[str]:
    """The C++ of one font."""
    drawn = ImageFont.truetype(TTF, font.size * OVERSAMPLING, layout_engine=ImageFont.Layout.BASIC)
    glyphs = [glyph(font, drawn, character) for character in sorted(font.characters)]
    bits = bytearray()
    table = []
    places: dict[bytes, int] = {}  # of pictures: letters of several alphabets look the same
    for each in glyphs:
        picture = packed(each.pixels)
        if picture not in places:
            places[picture] = len(bits)
            bits += picture
        table.append(
            f"    {{0x{each.code:04x}, {places[picture]}, {each.width}, {each.height}, "
            f"{each.left}, {each.top}, {each.advance}}},"
        )
    if len(bits) > 0xFFFF:
        message = f"{font.name}: {len(bits)} bytes of pictures, and offsets have 16 bits"
        raise ValueError(message)
    # Strings, each of them one token of C++: cppcheck takes a minute for as many numbers.
    escapes = [f"\\x{byte:02x}" for byte in bits]
    rows = [f'    "{"".join(escapes[i : i + 23])}"' for i in range(0, len(escapes), 23)]
    return [
        f"constexpr Glyph {font.name}Glyphs[] = {{",
        *table,
        "};",
        f"constexpr std::uint8_t {font.name}Bits[] =",
        *rows[:-1],
        f"{rows[-1]};",
        "",
    ]


def generated() -> str:
    """The whole file."""
    bodies = [line for font in FONTS for line in source_of(font)]
    tables = [
        f"const Font {font.name} = {{{font.name}Glyphs, {font.name}Bits, {font.line}, "
        f"{font.ascent}}};"
        for font in FONTS
    ]
    return "\n".join(
        [
            "// Made by scripts/make_font.py from DejaVu Sans (licence: see NOTICE). Do not edit.",
            "// clang-format off",
            '#include "lobug/face/font.h"',
            "",
            "namespace lobug {",
            "namespace {",
            "",
            *bodies,
            "}  // namespace",
            "",
            *tables,
            "",
            "}  // namespace lobug",
            "// clang-format on",
            "",
        ]
    )


def main() -> int:
    """Write the generated file, or say whether it is up to date."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when it differs")
    if not TTF.is_file():
        print(f"{TTF} is missing. Debian has it in the package fonts-dejavu-core.", file=sys.stderr)
        return 2
    text = generated()
    if parser.parse_args().check:
        if TARGET.read_text(encoding="utf-8") == text:
            return 0
        print(f"{TARGET} is not what scripts/make_font.py writes. Run it.", file=sys.stderr)
        return 1
    TARGET.write_text(text, encoding="utf-8")
    print(f"{TARGET}: {len(text)} bytes of C++")
    return 0


if __name__ == "__main__":
    sys.exit(main())
