"""Recorded speech for the bench, from the Debian packages that scripts/system-packages.sh installs.

Nothing of it is in this repository: asterisk-core-sounds-en-g722 (CC-BY-SA-3.0), one American
English speaker in a studio, with its texts in asterisk-core-sounds-en.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np

from lobug.engines.base import STT_SAMPLE_RATE, Samples, SpeechGate
from lobug.simulator.recordings import EncodedSpeech, encode_speech

PROMPTS = Path("/usr/share/asterisk/sounds/en_US_f_Allison")
TEXTS = Path("/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz")

MISSING = (
    "There is no recorded speech: the packages asterisk-core-sounds-en-g722 and"
    " asterisk-core-sounds-en are missing. `sh scripts/system-packages.sh` installs them, or says"
    " what to type."
)

FEWEST_WORDS, MOST_WORDS = 3, 14
SHORTEST_S, LONGEST_S = 1.0, 8.0

BEFORE_S = 0.3
"""Silence before a clip, seconds: nobody speaks in the moment in which the microphone opens."""

_SMOOTH = 800
"""Samples, 50 ms: window by which the quietest place for a pause is found."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A recorded prompt."""

    name: str
    text: str
    samples: Samples
    """16 kHz."""

    @property
    def words(self) -> int:
        """Number of words."""
        return len(self.text.split())

    @property
    def seconds(self) -> float:
        """Length, seconds."""
        return len(self.samples) / STT_SAMPLE_RATE


@dataclass(frozen=True, slots=True)
class Said:
    """A clip as a device speaks it, and where its speech ends."""

    clip: Clip
    """With ``BEFORE_S`` of silence in front."""
    speech: EncodedSpeech
    end_s: float
    """Its last voiced sample as the gate finds it in the whole clip, seconds."""
    in_one_go: bool
    """Whether the gate finds no pause in it."""

    @property
    def after_gate_s(self) -> float:
        """Seconds to add to a time since ``speech.speech_end_s`` (found by loudness) to get the
        time since ``end_s`` (found by the speech gate)."""
        return self.speech.speech_end_s - self.end_s


def available() -> bool:
    """Whether the recordings are installed."""
    return TEXTS.is_file() and (PROMPTS / "activated.g722").is_file()


def load(count: int) -> list[Clip]:
    """``count`` prompts of one sentence each, always the same ones. Takes a few seconds: not for
    the event loop. Raises FileNotFoundError when there are fewer."""
    if not available():
        raise FileNotFoundError(MISSING)
    found = [Clip(name, text, _read(name)) for name, text in sorted(_sentences().items())]
    fitting = [clip for clip in found if SHORTEST_S <= clip.seconds <= LONGEST_S]
    if len(fitting) < count:
        raise FileNotFoundError(f"only {len(fitting)} of {count} recordings are there. {MISSING}")
    return spaced(fitting, count)


def spaced(clips: Sequence[Clip], count: int) -> list[Clip]:
    """``count`` clips, evenly spread over the list, so that they cover many subjects. Pure."""
    return [clips[i * len(clips) // count] for i in range(count)]


async def said(clip: Clip, gate: SpeechGate) -> Said:
    """A clip, encoded for a device. Raises ValueError when the gate finds no speech in it."""
    silence = np.zeros(int(BEFORE_S * STT_SAMPLE_RATE), np.float32)
    padded = Clip(clip.name, clip.text, np.concatenate([silence, clip.samples]))
    spans = await gate.find_speech(padded.samples)
    if not spans:
        raise ValueError(f"the gate finds no speech in {clip.name}")
    speech = await asyncio.to_thread(encode_speech, clip.name, padded.samples)
    return Said(padded, speech, spans[-1].end / STT_SAMPLE_RATE, in_one_go=len(spans) == 1)


def hesitating(clip: Clip, pause_s: float) -> Clip:
    """The clip with a pause at the quietest place of its middle third, like a speaker who
    hesitates. Pure."""
    power = np.convolve(clip.samples**2, np.ones(_SMOOTH, np.float32), mode="same")
    third = len(power) // 3
    at = third + int(np.argmin(power[third : 2 * third]))
    pause = np.zeros(int(pause_s * STT_SAMPLE_RATE), np.float32)
    samples = np.concatenate([clip.samples[:at], pause, clip.samples[at:]])
    return Clip(f"{clip.name}, {pause_s:g} s of pause", clip.text, samples)


def _sentences() -> dict[str, str]:
    texts: dict[str, str] = {}
    heard = set()
    for line in gzip.decompress(TEXTS.read_bytes()).decode().splitlines():
        name, colon, text = line.partition(":")
        text = " ".join(re.sub(r"\[.*?\]", " ", text).split())
        is_speech = colon and text and not text.startswith("(") and not line.startswith(";")
        fits = FEWEST_WORDS <= len(text.split()) <= MOST_WORDS
        if is_speech and fits and text.lower() not in heard and _path(name.strip()).is_file():
            heard.add(text.lower())
            texts[name.strip()] = text
    return texts


def _path(name: str) -> Path:
    return PROMPTS / f"{name}.g722"


def _read(name: str) -> Samples:
    with av.open(str(_path(name)), "r", format="g722") as opened:
        pieces = [frame.to_ndarray().reshape(-1) for frame in opened.decode(audio=0)]
    samples: Samples = np.concatenate(pieces).astype(np.float32) / np.float32(32768)
    return samples
