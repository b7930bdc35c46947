"""Which names speech recognition is told, and when it is not believed."""

from __future__ import annotations

from lobug.engines.stt_whisper import hotwords, is_only_names

ORDINARY = {"kitchen", "living", "room"}


def tokens(text: str) -> int:
    """As a tokenizer counts: two special ones, one for an ordinary word, else three a word."""
    words = text.replace(",", " ").split()
    return 2 + sum(1 if word.lower() in ORDINARY else 3 for word in words) + text.count(",")


def test_only_rare_names_are_told_in_their_order() -> None:
    names = ["Kitchen", "Scullery", "Living Room", "Nanoleaf"]
    assert hotwords(names, tokens, 100) == "Scullery, Nanoleaf"


def test_the_first_names_are_told_as_far_as_there_is_room() -> None:
    assert hotwords(["Scullery", "Nanoleaf", "Goblin"], tokens, 8) == "Scullery, Nanoleaf"
    assert hotwords(["Scullery"], tokens, 0) == ""
    assert hotwords([f"Lamp{n}" for n in range(10_000)], tokens, 160).count(",") == 39


def test_a_text_of_nothing_but_names_is_known() -> None:
    told = "Scullery, Tilly's Room"
    assert is_only_names("Scullery, Scullery, Tilly's Room", told)
    assert not is_only_names("", told), "silence is not heard twice"
    assert not is_only_names(" ...", told)
    assert not is_only_names("Turn on the Scullery", told)
