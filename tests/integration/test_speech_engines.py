"""Whisper and hibari as they run: what is said is heard, with the short window too."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from wyoming.tts import Synthesize

from lobug.audio.resample import resample
from lobug.engines.base import STT_SAMPLE_RATE
from lobug.engines.silero import SileroGate
from lobug.engines.stt_whisper import WhisperSpeechToText, is_too_short
from lobug.engines.tts_hibari import HibariVoice
from lobug.errors import EngineTimeoutError, EngineUnavailableError, ModelMissingError
from lobug.models.catalog import model_dir
from lobug.settings import Settings
from support import speech, speech_engines
from support.app_server import ScriptedEngines
from support.wyoming_kit import open_door, pcm16, say, sound_of, until_type

pytestmark = [pytest.mark.models, pytest.mark.speech]

PHRASES = [
    "hello-world", "vm-goodbye", "please-try-again", "invalid", "conf-muted", "vm-received",
    "one-moment-please", "check-number-dial-again", "cannot-complete-as-dialed", "vm-tooshort",
    "conf-onlyperson", "queue-youarenext", "vm-toforward", "confbridge-begin-glorious-b",
    "number-not-answering", "im-sorry", "conf-full", "vm-deleted", "tt-allbusy", "agent-pass",
    "conf-lockednow", "privacy-thankyou", "vm-nomore", "queue-holdtime",
]  # fmt: skip

SPOKEN = [
    "The kettle is on the stove.",
    "Your timer has eight minutes left.",
    "I remember that your name is Alex.",
    "It will rain tomorrow, so take an umbrella.",
    "Good morning! How did you sleep?",
]


@pytest.fixture(scope="module")
def whisper() -> WhisperSpeechToText:
    return speech_engines.whisper()


@pytest.fixture(scope="module")
def voice() -> HibariVoice:
    return speech_engines.voice()


@pytest.fixture(scope="module")
def gate() -> SileroGate:
    return speech_engines.gate()


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every attempt of Python code to reach another machine, none of which succeeds.

    Native code does not come through here: test_silence.py sees that as well.
    """
    tried: list[object] = []

    def refuse(*arguments: object) -> None:
        tried.append(arguments)
        raise OSError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return tried


async def test_recorded_phrases_are_heard(whisper: WhisperSpeechToText) -> None:
    pairs = []
    for clip in speech.prompts(PHRASES):
        transcript = await whisper.transcribe(clip.samples, "en")
        pairs.append((clip.text, transcript.text))
        assert transcript.language == "en"
        assert 0 <= transcript.no_speech_prob <= 1
        assert transcript.avg_logprob <= 0
    assert speech.wer(pairs) <= 0.06, pairs


async def test_another_microphone_is_heard(whisper: WhisperSpeechToText) -> None:
    clip = next(clip for clip in speech.pocketsphinx() if clip.name == "goforward")
    heard = await whisper.transcribe(clip.samples, "en")
    assert speech.word_errors(clip.text, heard.text)[0] == 0


async def test_more_than_one_window_is_heard_to_its_end(whisper: WhisperSpeechToText) -> None:
    clips = speech.prompts(["demo-echotest", "queue-youarenext", "vm-mismatch", "vm-toforward"])
    gap = np.zeros(STT_SAMPLE_RATE // 2, np.float32)
    audio = np.concatenate([piece for clip in clips for piece in (clip.samples, gap)])
    assert len(audio) > 32 * STT_SAMPLE_RATE
    heard = await whisper.transcribe(audio, "en")
    assert speech.wer([(" ".join(clip.text for clip in clips), heard.text)]) <= 0.1, heard


async def test_the_language_can_be_detected(whisper: WhisperSpeechToText) -> None:
    heard = await whisper.transcribe(speech.prompt("queue-youarenext").samples, None)
    assert heard.language == "en"
    assert "representative" in heard.text


async def test_no_sound_is_no_text(whisper: WhisperSpeechToText) -> None:
    heard = await whisper.transcribe(np.zeros(0, np.float32), "en")
    assert heard.text == ""
    assert heard.no_speech_prob == 1.0


async def test_the_window_fits_the_clip(whisper: WhisperSpeechToText) -> None:
    from lobug.engines.whisper_window import WHOLE_WINDOW, ShortWindowWhisper  # noqa: PLC0415 - loads the inference library

    def window(frames: int) -> int:
        features = np.zeros((80, WHOLE_WINDOW), np.float32)
        features[:, :frames] = 0.5
        return ShortWindowWhisper.window(model, features)

    model = ShortWindowWhisper.__new__(ShortWindowWhisper)  # only its two numbers are needed
    assert [window(f) for f in (0, 400, 700, 1_200, 2_700, 2_900, 3_000)] == [
        1_000, 1_000, 1_000, 1_500, 3_000, 3_000, 3_000,
    ]  # fmt: skip


async def test_a_window_that_is_too_short_falls_back_to_the_whole_one() -> None:
    """Cut so far that Whisper loops; the whole window then hears what was said."""
    stt = speech_engines.settings().stt.model_copy(
        update={"window_margin_frames": 0, "window_min_frames": 100}
    )
    engine = WhisperSpeechToText(speech_engines.settings().model_copy(update={"stt": stt}))
    await engine.start()
    try:
        clips = speech.prompts(["vm-toforward", "conf-onlyperson", "queue-youarenext"])
        heard = [(c.text, (await engine.transcribe(c.samples, "en")).text) for c in clips]
    finally:
        await engine.close()
    assert speech.wer(heard) <= 0.1, heard


async def test_the_event_loop_is_free_meanwhile(whisper: WhisperSpeechToText) -> None:
    running = asyncio.create_task(
        whisper.transcribe(speech.prompt("queue-youarenext").samples, "en")
    )
    rounds = 0
    while not running.done():
        await asyncio.sleep(0.001)
        rounds += 1
    assert (await running).text
    assert rounds > 10  # a blocked loop would get one or two


async def test_a_time_out_is_typed() -> None:
    stt = speech_engines.settings().stt.model_copy(update={"timeout_s": 0.001})
    engine = WhisperSpeechToText(speech_engines.settings().model_copy(update={"stt": stt}))
    await engine.start()
    with pytest.raises(EngineTimeoutError):
        await engine.transcribe(speech.prompt("queue-youarenext").samples, "en")
    await engine.close()
    assert not engine.status().ready
    with pytest.raises(EngineUnavailableError):
        await engine.transcribe(np.zeros(100, np.float32), "en")


async def test_whisper_never_asks_the_network(no_network: list[object]) -> None:
    engine = WhisperSpeechToText(speech_engines.settings())
    await engine.start()
    await engine.close()
    assert no_network == []


@pytest.mark.parametrize("missing", ["model.bin", "tokenizer.json", "config.json"])
async def test_a_missing_file_is_not_asked_of_the_network(
    missing: str, tmp_path: Path, no_network: list[object]
) -> None:
    engine = _with_a_copy(tmp_path)
    (tmp_path / "whisper-base" / missing).unlink()
    with pytest.raises(ModelMissingError, match=f"{missing}; run `lobug models pull whisper-base`"):
        await engine.start()
    assert no_network == []
    await engine.close()


@pytest.mark.parametrize("damaged", ["model.bin", "tokenizer.json", "vocabulary.txt"])
async def test_a_damaged_file_is_a_typed_error(damaged: str, tmp_path: Path) -> None:
    engine = _with_a_copy(tmp_path)
    path = tmp_path / "whisper-base" / damaged
    content = path.read_bytes()[:10_000]
    path.unlink()  # it is a link to the real one
    path.write_bytes(content)
    with pytest.raises(ModelMissingError, match="run `lobug models pull whisper-base`"):
        await engine.start()
    await engine.close()


def _with_a_copy(folder: Path) -> WhisperSpeechToText:
    """An engine on a folder of links to the model's files."""
    source = model_dir(speech_engines.settings().models_dir, "whisper-base")
    copy = folder / "whisper-base"
    copy.mkdir()
    for path in source.iterdir():
        (copy / path.name).symlink_to(path.resolve())
    return WhisperSpeechToText(Settings(_env_file=None, models_dir=folder))


@pytest.mark.parametrize("sentence", SPOKEN)
async def test_what_the_voice_says_whisper_hears(
    sentence: str, voice: HibariVoice, whisper: WhisperSpeechToText
) -> None:
    audio = await voice.synthesize(sentence)
    heard = await whisper.transcribe(resample(audio, voice.sample_rate, STT_SAMPLE_RATE), "en")
    assert speech.words(heard.text) == speech.words(sentence)


async def test_a_transcript_that_broke_off_is_made_again(
    voice: HibariVoice, whisper: WhisperSpeechToText
) -> None:
    """With this much silence around it the short window ends after "Can"."""
    text = "Can you tell me a joke?"
    spoken = resample(await voice.synthesize(text), voice.sample_rate, STT_SAMPLE_RATE)
    clip = speech.Clip(text, text, spoken).padded(0.1, 0.05)
    assert whisper._loaded is not None
    first = whisper._attempt(whisper._loaded, clip.samples, "en", (0.0,), short=True)
    assert is_too_short(first.text, clip.seconds), "else this shows nothing: choose another clip"
    assert (await whisper.transcribe(clip.samples, "en")).text == text


async def test_the_voice_is_sound_and_always_the_same(voice: HibariVoice) -> None:
    first = await voice.synthesize(SPOKEN[0])
    second = await voice.synthesize(SPOKEN[0])
    assert first.dtype == np.float32
    assert 1.0 < len(first) / voice.sample_rate < 4.0
    assert 0.05 < float(np.abs(first).max()) <= 1.0
    assert np.array_equal(first, second)


async def test_the_voice_can_be_faster(voice: HibariVoice) -> None:
    tts = speech_engines.settings().tts.model_copy(update={"speed": 1.5})
    quick = HibariVoice(speech_engines.settings().model_copy(update={"tts": tts}))
    await quick.start()
    hurried = await quick.synthesize(SPOKEN[1])
    quick.set_speed(1.0)  # as the settings do while a server runs
    calm = await quick.synthesize(SPOKEN[1])
    await quick.close()
    assert len(hurried) < len(await voice.synthesize(SPOKEN[1])) * 0.8
    assert len(calm) == len(await voice.synthesize(SPOKEN[1]))


@pytest.mark.parametrize("text", ["", "   ", "你好", "😊"])
async def test_what_english_cannot_say_is_silence(text: str, voice: HibariVoice) -> None:
    assert len(await voice.synthesize(text)) == 0


@pytest.mark.parametrize("text", ["!!!", "ESP32-S3", "a" * 500, "5 * 3 = 15", "naïve café €5"])
async def test_odd_text_is_no_trouble(text: str, voice: HibariVoice) -> None:
    assert np.isfinite(await voice.synthesize(text)).all()


async def test_a_long_text_without_a_full_stop_is_spoken(voice: HibariVoice) -> None:
    audio = await voice.synthesize("word " * 100)
    assert 20 < len(audio) / voice.sample_rate < 90


async def test_a_damaged_voice_is_degraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "hibari.onnx"
    broken.write_bytes(b"not a model")
    monkeypatch.setattr("lobug.engines.tts_hibari.voice_file", lambda: broken)
    voice = HibariVoice(speech_engines.settings())
    with pytest.raises(ModelMissingError, match="make run"):
        await voice.start()
    assert voice.status().degraded
    await voice.close()


class Shared:
    """A loaded engine, for a server that would otherwise close it, or check its files."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name in {"withdraw", "catalog_model"}:
            raise AttributeError(name)
        return getattr(self._engine, name)


async def test_what_is_spoken_over_wyoming_is_heard_over_wyoming(
    tmp_path: Path, voice: HibariVoice, whisper: WhisperSpeechToText, gate: SileroGate
) -> None:
    text = "I remember that your name is Alex. Your timer has eight minutes left."
    real = ScriptedEngines(
        stt=cast("Any", Shared(whisper)),
        gate=cast("Any", Shared(gate)),
        tts=cast("Any", Shared(voice)),
    )
    recording = speech.prompt("please-try-again")
    async with open_door(tmp_path, real) as door, door.client() as client:
        await client.write_event(Synthesize(text).event())
        spoken = await until_type(client, "audio-stop")
        await say(client, sound_of(spoken), voice.sample_rate)
        heard = await until_type(client, "transcript-stop")
        assert speech.words(heard[-2].data["text"]) == speech.words(text)
        await say(client, pcm16(recording.samples))
        heard = await until_type(client, "transcript-stop")
        assert speech.words(heard[-2].data["text"]) == speech.words(recording.text)
