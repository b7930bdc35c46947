"""What the Wyoming door decides: which words are told, whose they are, what a sound means."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from lobug.cli.terminal import CommandError
from lobug.cli.wyoming import satellite_id
from lobug.errors import AudioError
from lobug.settings import Settings
from lobug.wyoming.description import voice_languages
from lobug.wyoming.events import AudioFormat, TalkContext
from lobug.wyoming.hearing import LiveWords, settings_for_stream
from lobug.wyoming.sound import IncomingSound, chunks_of
from lobug.wyoming.talking import conversation_key_of, talker_of
from support.wav import tone


@pytest.mark.parametrize(
    ("growing", "final", "told"),
    [
        ([], "Yes.", ["Yes."]),
        ([], "", []),
        (["Set"], "Set a timer.", ["Set a timer."]),
        (["Set a", "Set a timer."], "Set a timer.", ["Set a", " timer."]),
        (
            ["Set a timer.", "Set a timer for ten.", "Set a timer for ten minutes."],
            "Set a timer for ten minutes.",
            ["Set a", " timer for", " ten minutes."],
        ),
        # Whisper changed its mind about what was told: the transcript alone is right.
        (["Set a", "Set a timer"], "Let a time go by.", ["Set a"]),
        (["Set a", "Set a timer"], "Set", ["Set a"]),
        (["One  two\n", "One two three"], "One two three", ["One two", " three"]),
    ],
)
def test_words_are_told_once_two_transcripts_agree(
    growing: list[str], final: str, told: list[str]
) -> None:
    words = LiveWords()
    chunks = [words.feed(text) for text in growing] + [words.end(final)]
    assert [chunk for chunk in chunks if chunk] == told


@pytest.mark.parametrize(
    ("context", "users", "user", "conversation"),
    [
        ({}, {}, "wyoming:10.0.0.2", "wyoming:10.0.0.2/wyoming:10.0.0.2"),
        ({"device_id": "D1"}, {}, "wyoming:d1", "wyoming:d1/wyoming:d1"),
        ({"satellite_id": "S"}, {}, "wyoming:s", "wyoming:s/wyoming:s"),
        ({"device_id": "d1", "satellite_id": "s"}, {}, "wyoming:d1", "wyoming:d1/wyoming:d1"),
        ({"device_id": "d1", "conversation_id": "c"}, {}, "wyoming:d1", "wyoming:d1/wyoming:d1"),
        (
            {"conversation_id": "c"},
            {},
            "wyoming:10.0.0.2",
            "wyoming:10.0.0.2/wyoming:10.0.0.2:c",
        ),
        ({"device_id": "d1"}, {"wyoming:D1": "ada"}, "ada", "ada/wyoming:d1"),
        (
            {"device_id": "d1", "satellite_id": "assist_satellite.Desk"},
            {"wyoming:assist_satellite.desk": "ada"},
            "ada",
            "ada/wyoming:d1",
        ),
        (
            {"device_id": "d1", "satellite_id": "s"},
            {"wyoming:s": "ada", "wyoming:d1": "bo"},
            "bo",
            "bo/wyoming:d1",
        ),
        ({"device_id": "d1"}, {"device:d1": "ada"}, "wyoming:d1", "wyoming:d1/wyoming:d1"),
        ({"conversation_id": "c"}, {"wyoming:10.0.0.2": "ada"}, "ada", "ada/wyoming:10.0.0.2:c"),
    ],
)
def test_whose_words_they_are(
    context: dict[str, str], users: dict[str, str], user: str, conversation: str
) -> None:
    found = conversation_key_of(talker_of(TalkContext(**context), "10.0.0.2"), None, users)
    assert (found.user, found.conversation) == (user, conversation)


def test_the_name_that_the_owner_gave_counts_most() -> None:
    talker = talker_of(TalkContext(device_id="d1", satellite_id="s"), "10.0.0.2")
    found = conversation_key_of(talker, "ada", {"wyoming:d1": "bo"})
    assert (found.user, found.conversation) == ("ada", "ada/wyoming:d1")


def test_a_satellite_is_named_by_its_id_or_its_entity() -> None:
    known = [
        {"id": "d1", "entity": "assist_satellite.desk"},
        {"id": "d2", "entity": "assist_satellite.hall"},
        {"id": "d3", "entity": "assist_satellite.hall"},
    ]
    assert satellite_id(known, "D1") == "d1"
    assert satellite_id(known, "assist_satellite.Desk") == "d1"
    for unclear in ("assist_satellite.hall", "assist_satellite.attic", ""):
        with pytest.raises(CommandError):
            satellite_id(known, unclear)


@pytest.mark.parametrize("name", ["", "a/b", "a b", "x" * 129, "a\n", "ä"])
def test_names_that_could_be_taken_for_others_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        TalkContext(device_id=name)


@pytest.mark.parametrize(
    ("pcm", "width", "channels", "expected"),
    [
        (b"\x00\x80\xff", 1, 1, [-1.0, 0.0, 127 / 128]),
        (b"\x00\x80\x00\x00\xff\x7f", 2, 1, [-1.0, 0.0, 32767 / 32768]),
        (b"\x00\x00\x80\x00\x00\x00\xff\xff\x7f", 3, 1, [-1.0, 0.0, 1.0]),
        (b"\x00\x00\x00\x80\x00\x00\x00\x40", 4, 1, [-1.0, 0.5]),
        (b"\x00\x40\x00\xc0\x00\x40\x00\x40", 2, 2, [0.0, 0.5]),
        (b"", 2, 1, []),
    ],
)
def test_pcm(pcm: bytes, width: int, channels: int, expected: list[float]) -> None:
    form = AudioFormat(rate=16_000, width=width, channels=channels)
    found = IncomingSound().feed(pcm, form.pcm)
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx(expected, abs=1e-6)


def test_half_a_sample_is_refused() -> None:
    with pytest.raises(AudioError):
        IncomingSound().feed(b"abc", AudioFormat(rate=16_000, width=2, channels=1).pcm)


def test_a_stream_may_change_its_format() -> None:
    sound = IncomingSound()
    wide = AudioFormat(rate=48_000, width=2, channels=1).pcm
    narrow = AudioFormat(rate=8_000, width=2, channels=1).pcm
    pieces = [
        sound.feed((tone(0.5, 48_000) * 32_767).astype("<i2").tobytes(), wide),
        sound.feed((tone(0.5, 8_000) * 32_767).astype("<i2").tobytes(), narrow),
        sound.flush(),
    ]
    assert sound.seconds == pytest.approx(1.0)
    assert sum(map(len, pieces)) == pytest.approx(16_000, abs=50)


def test_sound_that_is_sent() -> None:
    samples = np.array([0.0, 1.0, -1.0, 2.0], np.float32)
    (chunk,) = chunks_of(samples, 24_000)
    assert (chunk.rate, chunk.width, chunk.channels) == (24_000, 2, 1)
    assert np.frombuffer(chunk.audio, "<i2").tolist() == [0, 32_767, -32_767, 32_767]
    assert [len(c.audio) for c in chunks_of(tone(0.25, 24_000), 24_000)] == [4800, 4800, 2400]
    assert not list(chunks_of(np.zeros(0, np.float32), 24_000))


@pytest.mark.parametrize(
    ("owner", "wish", "language"),
    [
        ("en", "de", "en"), ("auto", "de", "de"), ("auto", "de-CH", "de"),
        ("auto", "zh_Hans", "zh"),
        ("auto", None, "auto"), ("auto", "klingon", "auto"), ("auto", "auto", "auto"),
    ],
)  # fmt: skip
def test_the_language_is_the_owners_choice_then_the_clients(
    owner: str, wish: str | None, language: str
) -> None:
    settings = Settings.model_validate({"stt": {"language": owner}})
    heard = settings_for_stream(settings, wish)
    assert heard.stt.language == language
    assert heard.listening.max_utterance_s > settings.limits.max_audio_seconds


@pytest.mark.parametrize(
    ("engine", "language", "told"),
    [("hibari", "de", "en"), ("wyoming", "de", "de"), ("wyoming", "auto", "en")],
)
def test_the_voice_is_told_to_speak_what_it_speaks(engine: str, language: str, told: str) -> None:
    tts = {"engine": engine, "wyoming_url": "tcp://10.0.0.9:10200"}
    settings = Settings.model_validate({"stt": {"language": language}, "tts": tts})
    assert voice_languages(settings) == [told]
