"""The parts of the speech engines that need no model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.engines import selection
from lobug.engines.base import Transcript
from lobug.engines.stt_whisper import (
    WhisperSpeechToText,
    better,
    is_looping,
    is_silence,
    is_too_short,
    looks_wrong,
)
from lobug.engines.tts_hibari import HibariVoice, parts
from lobug.errors import EngineUnavailableError, ModelMissingError
from lobug.settings import Settings, SttSettings

STT = SttSettings()


def transcript(text: str, logprob: float = -0.2, ratio: float = 1.0) -> Transcript:
    return Transcript(text, "en", 0.1, logprob, ratio)


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("", False),
        ("no no no no", False),
        ("five five", False),
        ("very very very good", False),
        ("the end the end", False),
        ("the end the end the end", True),
        ("Well and I said and I said and I said so", True),
        ("uh uh uh uh uh", True),
        ("I'm going to be able to do it " * 3, True),
    ],
)
def test_looping(text: str, loops: bool) -> None:
    assert is_looping(text) is loops


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        (transcript("Hello there."), False),
        (transcript(""), True),
        (transcript("Hello", -1.1), True),
        (transcript("Hello", -0.9), False),
        (transcript("Hello", ratio=3.0), True),
        (transcript("a b a b a b"), True),
    ],
)
def test_what_looks_wrong(found: Transcript, wrong: bool) -> None:
    assert looks_wrong(found, STT) is wrong


def test_the_short_window_is_doubted_sooner() -> None:
    assert looks_wrong(transcript("Hello", -0.9), STT, margin=0.2)


@pytest.mark.parametrize(
    ("text", "seconds", "doubted"),
    [
        ("Can", 1.95, True),
        ("Do", 2.1, True),
        ("7", 0.82, False),
        ("Yes", 1.5, False),
        ("Stop", 2.0, False),
        ("Can you tell me a joke?", 1.95, False),
    ],
)
def test_too_few_words_for_the_time_are_doubted(text: str, seconds: float, doubted: bool) -> None:
    assert is_too_short(text, seconds) is doubted


def test_silence_gets_no_second_look() -> None:
    assert is_silence(Transcript("you", "en", 0.74, -1.06, 0.3), STT)
    assert not is_silence(Transcript("N.", "en", 0.72, -0.88, 0.3), STT)
    assert not is_silence(Transcript("Ah!", "en", 0.44, -1.87, 0.3), STT)
    assert not is_silence(transcript(""), STT)


def test_the_second_look_wins_unless_it_is_the_worse_one() -> None:
    doubtful, sure = transcript("Logdoth", -0.93), transcript("Logged off.", -0.19)
    nothing, noise = transcript(""), transcript("you", -1.4)
    loop = transcript("so it so it so it")
    assert better(doubtful, sure, STT) is sure
    assert better(doubtful, noise, STT) is doubtful
    assert better(doubtful, nothing, STT) is doubtful
    assert better(nothing, noise, STT) is noise
    assert better(loop, noise, STT) is noise


async def test_a_missing_whisper_says_which_command_repairs_it(tmp_path: Path) -> None:
    engine = WhisperSpeechToText(Settings(_env_file=None, models_dir=tmp_path))
    with pytest.raises(ModelMissingError, match="run `lobug models pull whisper-base`"):
        await engine.start()
    status = engine.status()
    assert not status.ready
    assert status.reason is not None
    assert "lobug models pull whisper-base" in status.reason
    await engine.close()


async def test_a_folder_of_ones_own_is_named(tmp_path: Path) -> None:
    stt = SttSettings(path=tmp_path)
    engine = WhisperSpeechToText(Settings(_env_file=None, stt=stt))
    with pytest.raises(ModelMissingError, match="check LOBUG_STT__PATH"):
        await engine.start()
    assert engine.status().model == str(tmp_path)
    await engine.close()


def test_long_text_is_spoken_in_parts_cut_at_clauses() -> None:
    clause = "one two three four five six seven eight nine ten, "
    found = parts(clause * 9)
    assert len(found) == 3
    assert all(part.endswith("ten,") for part in found)


@given(st.lists(st.text("ab,. \n", max_size=300), max_size=6).map(" ".join))
def test_parts_are_short_and_lose_nothing(text: str) -> None:
    found = parts(text)
    assert all(0 < len(part) <= 200 for part in found)
    assert "".join("".join(found).split()) == "".join(text.split())


async def test_no_voice_is_degraded_unless_it_was_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, why = selection.choose_tts(Settings(_env_file=None, tts={"engine": "none"}))
    assert chosen.status().name == "none"
    assert not chosen.status().degraded
    monkeypatch.setattr(selection, "voice_file", lambda: None)
    chosen, why = selection.choose_tts(Settings(_env_file=None))
    await chosen.start()
    assert chosen.status().degraded
    assert chosen.status().reason == why
    assert "make run" in why
    assert len(await chosen.synthesize("Hello.")) == 0
    await chosen.close()


def test_the_embedded_voice_is_the_default() -> None:
    assert isinstance(selection.choose_tts(Settings(_env_file=None))[0], HibariVoice)


async def test_a_voice_that_is_not_started_is_unavailable() -> None:
    voice = HibariVoice(Settings(_env_file=None))
    assert voice.status().degraded
    with pytest.raises(EngineUnavailableError):
        await voice.synthesize("Hello.")
