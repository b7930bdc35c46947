"""Which pictures of characters a device is sent, and when."""

from __future__ import annotations

import base64
import json
import random

import pytest

from lobug.devices import messages
from lobug.devices.caption_font import Glyph, caption_font
from lobug.devices.connection import negotiate
from lobug.devices.messages import Hello
from lobug.devices.pushed_glyphs import MAX_GLYPHS, MAX_TEXT_GLYPHS, PushedGlyphs


class Device:
    """Keeps the newest pictures, as the firmware does."""

    def __init__(self, keeps: int) -> None:
        self.server = PushedGlyphs(caption_font(), keeps)
        self._keeps = keeps
        self._kept: list[Glyph] = []

    def show(self, text: str) -> list[str]:
        """Take what goes ahead of a text; return its characters. The text has all of its own."""
        portions = self.server.ahead_of(text)
        assert all(0 < len(portion) <= MAX_GLYPHS for portion in portions)
        arrived = [glyph for portion in portions for glyph in portion]
        self._kept = [*self._kept, *arrived][-self._keeps :]
        newest = {glyph.code: glyph for glyph in self._kept}
        for glyph in caption_font().glyphs(text)[: min(self._keeps, MAX_TEXT_GLYPHS)]:
            assert newest[glyph.code] == glyph
        return [chr(glyph.code) for glyph in arrived]


def test_a_picture_is_sent_once() -> None:
    device = Device(256)
    assert device.show("日本") == ["日", "本"]
    assert device.show("本日") == []
    assert device.show("日本人") == ["人"]


def test_a_text_that_the_device_can_draw_needs_none() -> None:
    assert Device(256).show("Zażółć, Привет, naïve") == []


def test_japanese_forms_replace_others_of_the_same_character() -> None:
    device = Device(256)
    assert device.show("直") == ["直"]
    assert device.show("直す") == ["直", "す"]
    assert device.show("直す") == []


def test_what_had_to_give_way_is_sent_again() -> None:
    device = Device(3)
    assert device.show("日本") == ["日", "本"]
    assert device.show("人口") == ["人", "口"]
    assert device.show("日") == ["日"]


def test_a_new_picture_does_not_take_the_place_of_one_that_the_text_needs() -> None:
    device = Device(3)
    device.show("日本人")
    assert device.show("日口") == ["日", "口"], "the new one would have taken the place of the old"


def test_a_long_text_is_bounded() -> None:
    text = "".join(chr(code) for code in range(0xAC00, 0xAC00 + 400))
    assert len(Device(4096).show(text)) == MAX_TEXT_GLYPHS
    assert len(Device(20).show(text)) == 20


def test_whatever_is_said_the_device_has_its_pictures() -> None:
    chance = random.Random(16)
    characters = "日本人口東京大学直すのは한국어차를→★"
    for keeps in (1, 2, 7, 16):
        device = Device(keeps)
        for _ in range(200):
            device.show("".join(chance.choices(characters, k=chance.randrange(12))))


def test_the_message_has_code_size_and_bits() -> None:
    (glyph,) = caption_font().glyphs("→")
    message = json.loads(messages.glyphs("s1", [glyph]))
    (told,) = message.pop("glyphs")
    assert message == {"session_id": "s1", "type": "glyphs"}
    assert base64.b64decode(told.pop("bits"), validate=True) == glyph.bits
    assert told == {"code": ord("→"), "width": 8, "height": 16}


@pytest.mark.parametrize(
    ("told", "keeps"),
    [
        ({"size": 16, "keeps": 256}, 256),
        ({"size": 16, "keeps": 10**9}, 4096),
        ({"size": 16, "keeps": 0}, 0),
        ({"size": 16, "keeps": -5}, 0),
        ({"size": 16, "keeps": 1.5}, 0),
        ({"size": 16, "keeps": True}, 0),
        ({"size": 16}, 0),
        ({"size": 24, "keeps": 256}, 0),
        ({"keeps": 256}, 0),
        (True, 0),
        ([], 0),
        ("16", 0),
        (None, 0),
    ],
)
def test_a_hello_says_how_many_are_kept(told: object, keeps: int) -> None:
    hello = messages.parse(json.dumps({"type": "hello", "features": {"glyphs": told}}))
    assert isinstance(hello, Hello)
    assert hello.glyphs == keeps
    assert negotiate(hello).glyphs == keeps
