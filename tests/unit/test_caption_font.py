"""The pictures of characters that a device's own font lacks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lobug.devices.caption_font import HEIGHT, caption_font

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import make_caption_font
import make_font


def codes(text: str) -> list[int]:
    return [glyph.code for glyph in caption_font().glyphs(text)]


@pytest.mark.parametrize(
    "text",
    [
        "今日はいい天気ですね。「散歩」に行きましょうか、ラッコ？",
        "你好！我听见了，我们去公园散步吧。",
        "您好！我聽見了，我們去公園散步吧。",
        "안녕하세요차를한잔마실까요",
        "ｱｲｳﾟ→★♪≠",
    ],
)
def test_everyday_texts_have_all_their_pictures(text: str) -> None:
    assert codes(text) == [ord(character) for character in dict.fromkeys(text)]


def test_what_the_devices_font_has_is_not_in_it() -> None:
    assert codes(make_font.CAPTIONS) == []


@pytest.mark.parametrize("text", ["", "Hello.", "ชา", "مرحبا", "नमस्ते", "🙂", "\ud83d", "\uffff"])
def test_what_has_to_be_shaped_or_is_no_character_is_left_out(text: str) -> None:
    assert codes(text) == []


def test_each_character_comes_once_in_the_order_of_the_text() -> None:
    assert codes("日本日本 a日") == [ord("日"), ord("本")]


def test_pictures_are_whole_rows() -> None:
    for glyph in caption_font().glyphs("日한あ→"):
        assert glyph.width in (8, 16)
        assert len(glyph.bits) == HEIGHT * glyph.width // 8
        assert any(glyph.bits)


def test_with_kana_han_have_their_japanese_forms() -> None:
    (chinese,) = caption_font().glyphs("直")
    japanese = caption_font().glyphs("直す")[0]
    assert chinese.code == japanese.code
    assert chinese.bits != japanese.bits


def test_its_licence_is_beside_it() -> None:
    text = make_caption_font.TARGET.with_name("OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE" in text
    assert "Qianqian Fang" in text
