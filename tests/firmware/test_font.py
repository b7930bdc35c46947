"""The firmware's characters are those that scripts/make_font.py makes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

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
