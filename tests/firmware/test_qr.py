"""The firmware's QR codes, module by module, against those of segno."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import segno
from PIL import Image

from support import cpp_build

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import render_faces

SETUP = "WIFI:S:Lo-Bug-eeff;T:WPA;P:40718253;;"
"""What the golden picture of the setup screen invites to."""
QUIET = 4


@pytest.fixture(scope="module")
def program() -> Path:
    return cpp_build.build("checked", "lobug_face") / "lobug_face"


def codes_of(program: Path, texts: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Mask and rows of the firmware's codes."""
    done = subprocess.run(
        [program, "--qr", *texts], capture_output=True, text=True, check=True, timeout=60
    )
    codes: list[tuple[int, list[str]]] = []
    for line in done.stdout.splitlines():
        if len(line) == 1:
            codes.append((int(line), []))
        else:
            codes[-1][1].append(line)
    return codes


@pytest.fixture(autouse=True)
def standard_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    """segno 1.6 puts a codeword of zeros before the padding where the data ends with a codeword, as
    in byte mode it always does. Readers ignore it, but ISO/IEC 18004, 7.4.10, does not have it."""

    def pad(bits: bytearray, version: int, length: int) -> None:
        bits.extend([0] * (-length % 8))

    monkeypatch.setattr(segno.encoder, "write_padding_bits", pad)


def rows_of(text: str, mask: int) -> list[str]:
    """The rows of segno's code with this mask."""
    code = segno.make(text, error="m", mode="byte", micro=False, boost_error=False, mask=mask)
    return ["".join(str(module) for module in row) for row in code.matrix]


def test_codes_of_every_length_are_segnos(program: Path) -> None:
    chance = random.Random(5)
    alphabet = [chr(code) for code in range(0x20, 0x7F)]
    texts = ["".join(chance.choices(alphabet, k=length)) for length in range(1, 107)]
    codes = codes_of(program, texts)
    assert len(codes) == len(texts)
    wrong = [
        text for text, (mask, rows) in zip(texts, codes, strict=True) if rows != rows_of(text, mask)
    ]
    assert wrong == []
    assert len({mask for mask, _ in codes}) == 8, "every mask is the best one for some text"


def test_the_setup_screen_shows_a_code_that_a_phone_can_read(program: Path) -> None:
    with Image.open(render_faces.GOLDEN / "setup.png") as golden:
        picture = golden.convert("L")
    box = picture.point([255 if level == 255 else 0 for level in range(256)]).getbbox()
    assert box is not None
    left, top, right, bottom = box
    mask, rows = codes_of(program, [SETUP])[0]
    modules = len(rows) + 2 * QUIET
    pixels = (right - left) // modules
    assert (right - left, bottom - top) == (modules * pixels, modules * pixels)
    assert pixels >= 4, "large enough for a phone at arm's length"
    seen = [
        "".join(
            "1" if picture.getpixel((left + x * pixels + 2, top + y * pixels + 2)) != 255 else "0"
            for x in range(modules)
        )
        for y in range(modules)
    ]
    margin = "0" * QUIET
    around = ["0" * modules] * QUIET
    assert seen == [*around, *(margin + row + margin for row in rows_of(SETUP, mask)), *around]
