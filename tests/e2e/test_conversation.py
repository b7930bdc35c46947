"""The whole way: `lobug serve`, the embedded models, recorded speech, restarts."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from lobug.audio.decode import decode_now
from lobug.audio.wav import encode
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.settings import Settings
from support.lobug_process import ServedLobug, served, write_wavs
from support.speech import front_center_wav, pocketsphinx, prompt, room_silence, wer
from support.wav import pcm16, tone

pytestmark = [pytest.mark.models, pytest.mark.timeout(1800)]

ONE_PERSON = '{"device:kitchen": "alex", "device:desk": "alex"}'


@pytest.fixture(scope="module")
def lobug(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLobug]:
    with served(tmp_path_factory.mktemp("lobug")) as server:
        yield server


@pytest.mark.speech
def test_recorded_speech_gets_the_right_words_and_an_intelligible_reply(
    lobug: ServedLobug, tmp_path: Path
) -> None:
    clips = [
        prompt("vm-goodbye"),
        next(clip for clip in pocketsphinx() if clip.name == "goforward"),
        prompt("digits/7"),
    ]
    paths = write_wavs(tmp_path, [(clip.name, clip.wav) for clip in clips])
    turns = lobug.turns("--expect-speech", "--device-id", "hears", *paths)
    assert len(turns) == len(clips)
    for clip, turn in zip(clips, turns, strict=True):
        assert wer([(clip.text, turn["transcription"])]) <= 0.34, turn
    spoken = [turn for turn in turns if turn["action"] == "respond"]
    assert spoken, turns
    for turn in spoken:
        wav = Path(turn["reply_wav"]).read_bytes()
        assert wav[36:40] == b"data"
        heard = asyncio.run(transcribe(wav))
        assert wer([(turn["response"], heard)]) <= 0.34, (turn["response"], heard)


async def transcribe(wav: bytes) -> str:
    whisper = WhisperSpeechToText(Settings(_env_file=None))
    await whisper.start()
    try:
        return (await whisper.transcribe(decode_now(wav, 60), "en")).text
    finally:
        await whisper.close()


@pytest.mark.speech
def test_a_recording_of_another_program_at_48_khz_is_heard(
    lobug: ServedLobug, tmp_path: Path
) -> None:
    path = tmp_path / "front.wav"
    path.write_bytes(front_center_wav())
    turn = lobug.turns("--expect-speech", "--device-id", "front", str(path))[0]
    assert "front" in turn["transcription"].lower()


@pytest.mark.speech
def test_what_is_no_speech_is_ignored(lobug: ServedLobug, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    noise = (0.2 * rng.standard_normal(48_000)).astype(np.float32)
    paths = write_wavs(
        tmp_path,
        [
            ("silence", pcm16(np.zeros(48_000, np.float32))),
            ("noise", pcm16(noise)),
            ("quiet-noise", pcm16(noise * 0.02)),
            ("tone", pcm16(tone(3.0))),
            ("studio", encode(room_silence(3), 16_000)),
        ],
    )
    turns = lobug.turns("--device-id", "quiet", *paths)
    assert [(turn["action"], turn["transcription"]) for turn in turns] == [("ignore", "")] * 5


def test_typed_words_are_answered_and_the_log_keeps_them(lobug: ServedLobug) -> None:
    before = lobug.health()["memory"]["messages"]
    assert "4" in lobug.say_in_writing("What is two plus two? Answer with a digit.")
    assert lobug.health()["memory"]["messages"] == before + 2


def test_what_was_told_in_this_conversation_is_known_in_it(lobug: ServedLobug) -> None:
    """Before it has been learned as a fact, and with much said in between."""
    told = {
        "My name is Alex and I live in Boston.": ("Do you remember my name?", "alex"),
        "My sister is called Clara.": ("What is my sister called?", "clara"),
        "I am allergic to peanuts.": ("What am I allergic to?", "peanut"),
        "My dog Rex is five years old.": ("How old is my dog?", "five"),
        "My favorite color is green.": ("What is my favorite color?", "green"),
    }
    for words in (*told, "Good morning!", "Tell me a joke.", "Thank you."):
        lobug.say_in_writing(words, "teller")
    answers = [(lobug.say_in_writing(asked, "teller"), word) for asked, word in told.values()]
    assert sum(word in answer.lower() for answer, word in answers) >= 4, answers


def test_the_embedded_model_has_no_network_port(lobug: ServedLobug) -> None:
    children = psutil.Process(lobug.process.pid).children(recursive=True)
    assert children, "the embedded model runs in a process of its own"
    for child in children:
        assert child.net_connections(kind="inet") == []


def test_the_name_told_before_a_crash_is_known_after_it(tmp_path: Path) -> None:
    with served(tmp_path, stop=signal.SIGKILL, LOBUG_CONVERSATION__USERS=ONE_PERSON) as before:
        turn = before.turns(
            "--device-id", "kitchen", "--expect-speech", "--expect-voice",
            "--say", "Hello! My name is Alex, and I live in Boston.",
        )[0]  # fmt: skip
        assert "alex" in turn["transcription"].lower()
    with served(tmp_path, LOBUG_CONVERSATION__USERS=ONE_PERSON) as after:
        after.learned()
        assert after.health()["memory"]["facts"] >= 1
        # The same device goes on with its conversation; another one of the same person knows it
        # from long-term memory alone; a stranger's device does not know it.
        assert "alex" in after.say_in_writing("Do you remember my name?", "kitchen").lower()
        assert "alex" in after.say_in_writing("What is my name?", "desk").lower()
        assert "alex" not in after.say_in_writing("What is my name?", "stranger").lower()


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        family = psutil.Process(server.process.pid).children(recursive=True)
        assert family
    gone, alive = psutil.wait_procs(family, timeout=30)
    assert (len(gone), alive) == (len(family), [])
