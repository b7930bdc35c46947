"""Pictures of characters for devices whose own font lacks them: Han, Kana, Hangul, symbols.

``glyphs.xz`` is a part of GNU Unifont (SIL Open Font License 1.1, see ``OFL.txt`` and ``NOTICE``),
made by ``scripts/make_caption_font.py``. A picture stands for one character by itself: scripts
that have to be shaped (Arabic, Thai, the scripts of India) are not in it.
"""

from __future__ import annotations

import array
import functools
import lzma
import sys
from bisect import bisect_left
from dataclasses import dataclass
from importlib import resources
from typing import Final

HEIGHT: Final = 16
"""Of each picture, pixels. They are 16 pixels wide, or 8."""

_SQUARE, _NARROW = 32, 16  # bytes of a picture
_KANA = range(0x3041, 0x3100)


@dataclass(frozen=True, slots=True)
class Glyph:
    """One character's picture, 1 bit a pixel."""

    code: int
    """Unicode."""
    width: int
    """Pixels: 8 or 16."""
    bits: bytes
    """``HEIGHT`` rows from the top, each of whole bytes, the left pixel in the highest bit."""


class _Table:
    """Pictures of one size, found by their characters."""

    def __init__(self, data: bytes, at: int, size: int) -> None:
        """Reads the table that begins at byte ``at``; its pictures have ``size`` bytes."""
        count = int.from_bytes(data[at : at + 4], "little")
        self._codes = array.array("H", data[at + 4 : at + 4 + 2 * count])
        if sys.byteorder == "big":
            self._codes.byteswap()
        begin = at + 4 + 2 * count
        self.end = begin + size * count
        self._pictures = data[begin : self.end]
        self._size = size

    def find(self, code: int) -> Glyph | None:
        place = bisect_left(self._codes, code)
        if place == len(self._codes) or self._codes[place] != code:
            return None
        bits = self._pictures[place * self._size : (place + 1) * self._size]
        return Glyph(code, self._size * 8 // HEIGHT, bits)


class CaptionFont:
    """The pictures, unpacked: about 800 KB."""

    def __init__(self, packed: bytes) -> None:
        """``packed``: the bytes of ``glyphs.xz``."""
        data = lzma.decompress(packed)
        self._squares = _Table(data, 0, _SQUARE)
        self._narrows = _Table(data, self._squares.end, _NARROW)
        self._japanese = _Table(data, self._narrows.end, _SQUARE)

    def glyphs(self, text: str) -> list[Glyph]:
        """The pictures of a text's characters, each once, in the order of the text; characters that
        the font lacks are left out. Where a text has Kana, Han have their Japanese forms."""
        if text.isascii():
            return []
        japanese = any(ord(character) in _KANA for character in text)
        found = []
        for code in dict.fromkeys(map(ord, text)):
            glyph = self._japanese.find(code) if japanese else None
            glyph = glyph or self._squares.find(code) or self._narrows.find(code)
            if glyph is not None:
                found.append(glyph)
        return found


@functools.cache
def caption_font() -> CaptionFont:
    """The font, read at the first call, which takes a tenth of a second."""
    return CaptionFont(resources.files(__name__).joinpath("glyphs.xz").read_bytes())
