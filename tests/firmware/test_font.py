"""The characters of the firmware and of captions are those that scripts/ makes."""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import make_caption_font
import make_font


@pytest.fixture
def drawn() -> str:
    if not make_font.TTF.is_file():
        pytest.skip("missing: the system's package fonts-dejavu-core")
    return make_font.generated()


def test_the_committed_font_is_the_generated_one(drawn: str) -> None:
    # Not compared by pytest, whose difference of 150 kB would take minutes.
    same = make_font.TARGET.read_text(encoding="utf-8") == drawn
    assert same, "python scripts/make_font.py writes it anew"


def test_a_glyph_is_packed_two_pixels_a_byte() -> None:
    assert make_font.packed(bytes([1, 2, 15])) == bytes([0x12, 0xF0])


def test_the_pictures_that_the_server_sends_are_those_of_unifont() -> None:
    if not (make_caption_font.UNIFONT / "unifont.hex").is_file():
        pytest.skip("missing: the system's package unifont")
    made = make_caption_font.generated(make_caption_font.UNIFONT)
    same = lzma.decompress(made) == lzma.decompress(make_caption_font.TARGET.read_bytes())
    assert same, "python scripts/make_caption_font.py writes it anew"
