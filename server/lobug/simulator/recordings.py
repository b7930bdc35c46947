"""Where the simulated device's recordings come from: files, folders, or the embedded voice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lobug.audio import wav
from lobug.audio.decode import decode
from lobug.audio.resample import resample
from lobug.engines.base import STT_SAMPLE_RATE, Samples, TextToSpeech
from lobug.language.en.segmentation import SentenceSplitter

MAX_FILE_SECONDS = 600.0
"""Longest recording that is read from a file; the server has its own, shorter limit."""

PAUSE_S = 0.3
"""Silence before, between and after sentences, seconds: people press the button a moment early."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording: a whole WAV file, PCM16, mono, 16 kHz."""

    name: str
    """The file's name, or the words that were spoken."""
    wav: bytes
    seconds: float


def find_recordings(paths: Sequence[Path]) -> list[Path]:
    """The WAV files named, those of folders sorted by name.

    Raises ValueError, as a sentence, for a path that does not exist and for a folder without any.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if file.suffix.lower() == ".wav")
            if not files:
                raise ValueError(f"the folder {path} has no .wav files")
            found.extend(files)
        elif path.is_file():
            found.append(path)
        else:
            raise ValueError(f"there is no file {path}")
    return found


async def from_file(path: Path) -> Recording:
    """Read a recording of any rate, width and channels. Raises AudioError and OSError."""
    data = await asyncio.to_thread(path.read_bytes)
    samples = await decode(data, max_seconds=MAX_FILE_SECONDS)
    return _recording(path.name, samples)


async def from_voice(texts: Sequence[str], voice: TextToSpeech) -> list[Recording]:
    """Speak each text. Starts the voice and closes it after. Raises EngineError."""
    await voice.start()
    try:
        return [await _spoken(text, voice) for text in texts]
    finally:
        await voice.close()


async def _spoken(text: str, voice: TextToSpeech) -> Recording:
    splitter = SentenceSplitter()
    sentences = [*splitter.feed(text), *splitter.flush()]
    spoken = [await voice.synthesize(sentence) for sentence in sentences]
    silence = np.zeros(round(PAUSE_S * voice.sample_rate), np.float32)
    parts = [silence]
    for audio in spoken:
        parts += [audio, silence]
    samples = resample(np.concatenate(parts), voice.sample_rate, STT_SAMPLE_RATE)
    return _recording(text, samples)


def _recording(name: str, samples: Samples) -> Recording:
    return Recording(name, wav.encode(samples, STT_SAMPLE_RATE), len(samples) / STT_SAMPLE_RATE)
