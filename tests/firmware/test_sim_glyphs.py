"""Captions with characters that the device's font lacks: their pictures come with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from support.firmware_device import FirmwareDevice, firmware_device
from support.firmware_server import scripted_server, speaking
from support.wav import tone

REPLY = "今日はいい天気です。"
CAPTION = (slice(188, 234), slice(8, 312))
"""Where it stands on the screen: rows, columns."""


def caption(device: FirmwareDevice, folder: Path) -> NDArray[np.bool_]:
    """Lets the device answer; the pixels of the caption that are light."""
    device.wait_state("idle")
    device.say(tone(1.0))
    mark = device.mark()
    device.do("tap")
    assert device.wait_view("caption", since=mark) == REPLY
    file = folder / "screen.ppm"
    device.wait_state("idle", mark)
    device.do("picture", text=str(file))  # the caption stays for eight seconds
    device.wait_event("picture", mark)
    with Image.open(file) as picture:
        light: NDArray[np.bool_] = np.asarray(picture.convert("L"))[CAPTION] > 200
    return light


@pytest.mark.parametrize("asks", [True, False], ids=["asks-for-glyphs", "older-firmware"])
def test_a_japanese_sentence_arrives_with_its_pictures(tmp_path: Path, *, asks: bool) -> None:
    options = {} if asks else {"no_glyphs": True}
    with (
        scripted_server(tmp_path / "server", speaking(REPLY), access={"pairing": False}) as server,
        firmware_device(tmp_path / "device", server=server.url, screen=True, **options) as device,
    ):
        light = caption(device, tmp_path)
    # Boxes of the same form stand beside each other; characters are all different.
    begin = (304 - 16 * len(REPLY)) // 2
    cells = [light[:, begin + 16 * n : begin + 16 * (n + 1)] for n in range(len(REPLY))]
    forms = {cell.tobytes() for cell in cells}
    assert len(forms) == (len(set(REPLY)) if asks else 1)
