"""Make the font that the server draws captions with where a device's own has no picture.

    python scripts/make_caption_font.py          # writes glyphs.xz
    python scripts/make_caption_font.py --check  # fails when it is not what would be written

Needs the Debian package ``unifont`` 15.0.01 (GNU Unifont, used under the SIL Open Font
License 1.1).
Taken are the characters of the everyday character sets of Japan, China, Taiwan and Korea, and
symbols. Han have two forms: those of Unifont, and the Japanese ones for Japanese texts.
"""

from __future__ import annotations

import argparse
import lzma
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "server/lobug/devices/caption_font/glyphs.xz"
UNIFONT = Path("/usr/share/unifont")

HEIGHT = 16
SQUARE, NARROW = 32, 16
"""Bytes of a picture that is 16 or 8 pixels wide."""

HAN = range(0x4E00, 0xA000)
SQUARES = (
    range(0x3000, 0x3040),  # punctuation
    range(0x3041, 0x3100),  # Kana
    range(0x3105, 0x3130),  # Bopomofo
    range(0x3131, 0x318F),  # Hangul letters
    range(0x31F0, 0x3400),  # Kana, enclosed and square signs
    range(0xAC00, 0xD7A4),  # Hangul
    range(0xFF01, 0xFF61),  # full width
    range(0xFFE0, 0xFFE7),
)
NARROWS = (
    range(0x2100, 0x2C00),  # letter-like signs, arrows, mathematics, boxes, symbols
    range(0xFF61, 0xFFA0),  # half-width Kana
)
ON_THE_DEVICE = {0x2116, 0x2212}
"""Signs among them that the device's own font has."""


def read_hex(path: Path) -> dict[int, bytes]:
    """The pictures of a font in Unifont's form, by character: rows from the top."""
    lines = path.read_text(encoding="ascii").split()
    return {int(code, 16): bytes.fromhex(bits) for code, bits in (x.split(":") for x in lines)}


def everyday(encoding: str, last_lead_byte: int = 0xFF) -> set[int]:
    """The Han of a national character set, up to a lead byte."""
    found = set()
    for code in HAN:
        try:
            encoded = chr(code).encode(encoding)
        except UnicodeEncodeError:
            continue
        if encoded[0] <= last_lead_byte:
            found.add(code)
    return found


def table(pictures: dict[int, bytes], codes: Iterable[int], size: int) -> bytes:
    """Number of pictures, their characters in ascending order, the pictures."""
    taken = sorted(code for code in codes if len(pictures.get(code, b"")) == size)
    head = struct.pack("<I", len(taken)) + struct.pack(f"<{len(taken)}H", *taken)
    return head + b"".join(pictures[code] for code in taken)


def generated(unifont: Path) -> bytes:
    """The whole file: square, narrow and Japanese pictures, from the fonts in a folder."""
    font = read_hex(unifont / "unifont.hex")
    japanese = read_hex(unifont / "unifont_jp.hex")
    kanji = everyday("shift_jis")
    # The more frequent half of Big5 ends with the lead byte C6.
    han = kanji | everyday("gb2312") | everyday("big5", 0xC6) | everyday("euc_kr")
    squares = han.union(*SQUARES)
    narrows = set().union(*NARROWS) - ON_THE_DEVICE
    tables = (
        table(font, squares, SQUARE),
        table(font, narrows, NARROW),
        table(japanese, kanji, SQUARE),
    )
    return lzma.compress(b"".join(tables), preset=9 | lzma.PRESET_EXTREME)


def main() -> int:
    """Write the file, or say whether it is up to date."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when it differs")
    parser.add_argument("--unifont", type=Path, default=UNIFONT, help="folder of unifont.hex")
    arguments = parser.parse_args()
    if not (arguments.unifont / "unifont.hex").is_file():
        print(
            f"{arguments.unifont} is missing. Debian has it in the package unifont.",
            file=sys.stderr,
        )
        return 2
    made = generated(arguments.unifont)
    if arguments.check:
        # By what is in it: another version of xz may pack it differently.
        if lzma.decompress(TARGET.read_bytes()) == lzma.decompress(made):
            return 0
        print(f"{TARGET} is not what this writes. Run it.", file=sys.stderr)
        return 1
    TARGET.write_bytes(made)
    print(f"{TARGET}: {len(made)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
