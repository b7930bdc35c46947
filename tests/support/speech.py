"""Recorded speech with its transcripts, from the Debian packages that ``make test`` installs.

Nothing here is copied into the project: the recordings stay where the packages put them
(asterisk-core-sounds-en-g722, CC-BY-SA-3.0; pocketsphinx-testdata; alsa-utils). Tests that use it
carry ``pytest.mark.speech``.
"""

from __future__ import annotations

import functools
import gzip
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from lobug.audio.decode import decode_now
from lobug.audio.wav import encode
from lobug.engines.base import STT_SAMPLE_RATE, Samples

PROMPTS = Path("/usr/share/asterisk/sounds/en_US_f_Allison")
PROMPT_TEXTS = Path("/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz")
POCKETSPHINX = Path("/usr/share/pocketsphinx/test/data")
ALSA = Path("/usr/share/sounds/alsa")


@dataclass(frozen=True)
class Clip:
    """A recording and what is said in it."""

    name: str
    text: str
    samples: Samples
    """16 kHz."""

    @property
    def seconds(self) -> float:
        return len(self.samples) / STT_SAMPLE_RATE

    @property
    def wav(self) -> bytes:
        """As the first device sends it: PCM16 mono 16 kHz, 44-byte header."""
        return encode(self.samples, STT_SAMPLE_RATE)

    def padded(self, before_s: float, after_s: float) -> Clip:
        """With silence around it, as when somebody presses a button before speaking."""
        silence = (np.zeros(int(s * STT_SAMPLE_RATE), np.float32) for s in (before_s, after_s))
        return Clip(
            self.name, self.text, np.concatenate([next(silence), self.samples, next(silence)])
        )


def _scaled(pcm16: NDArray[Any]) -> Samples:
    return pcm16.astype(np.float32) / np.float32(32768)


def _g722(path: Path) -> Samples:
    with av.open(str(path), "r", format="g722") as opened:
        pieces = [frame.to_ndarray().reshape(-1) for frame in opened.decode(audio=0)]
    return _scaled(np.concatenate(pieces))


def _raw(path: Path) -> Samples:
    return _scaled(np.fromfile(path, "<i2"))


@functools.cache
def prompt_texts() -> dict[str, str]:
    """What is said in each prompt of Asterisk, by its name, e.g. ``digits/1``: "one"."""
    texts: dict[str, str] = {}
    for line in gzip.decompress(PROMPT_TEXTS.read_bytes()).decode().splitlines():
        name, colon, text = line.partition(":")
        words_only = text.strip() and not text.strip().startswith(("(", "["))
        if colon and words_only and not line.startswith(";"):
            texts[name.strip()] = " ".join(re.sub(r"\[.*?\]", " ", text).split())
    return texts


@functools.cache
def prompt(name: str) -> Clip:
    """One prompt of Asterisk, e.g. ``hello-world``."""
    return Clip(name, prompt_texts()[name], _g722(PROMPTS / f"{name}.g722"))


def prompts(names: Iterable[str]) -> list[Clip]:
    """Several prompts."""
    return [prompt(name) for name in names]


@functools.cache
def all_prompts() -> tuple[Clip, ...]:
    """Every prompt that has a text and a recording, in the order of their names."""
    return tuple(
        prompt(name) for name in sorted(prompt_texts()) if (PROMPTS / f"{name}.g722").exists()
    )


def sound(name: str) -> Samples:
    """A prompt that is no speech, e.g. ``beep``."""
    return _g722(PROMPTS / f"{name}.g722")


def room_silence(seconds: int) -> Samples:
    """Silence in the studio of the prompts; 1 to 10 seconds."""
    return _g722(PROMPTS / f"silence/{seconds}.g722")


@functools.cache
def pocketsphinx() -> tuple[Clip, ...]:
    """Other voices and microphones: cards, LibriVox (two channels of noise and rooms)."""
    clips = [
        Clip("goforward", "go forward ten meters", _raw(POCKETSPHINX / "goforward.raw")),
    ]
    for folder, listing in (("cards", "cards.transcription"), ("librivox", "transcription")):
        for line in (POCKETSPHINX / folder / listing).read_text().splitlines():
            match = re.fullmatch(r"<s>(.*)</s>\s*\((.*)\)", line.strip())
            if match:
                path = POCKETSPHINX / folder / f"{match[2]}.wav"
                text = match[1].strip()
                clips.append(Clip(match[2], text, decode_now(path.read_bytes(), 60)))
    return tuple(clips)


def front_center() -> Clip:
    """ "Front center", 48 kHz in the file."""
    return Clip("Front_Center", "front center", decode_now(front_center_wav(), 60))


def front_center_wav() -> bytes:
    """The file itself: 48 kHz, as another program wrote it."""
    return (ALSA / "Front_Center.wav").read_bytes()


_DIGITS = {"0": "zero", "1": "one", "2": "two", "3": "three", "4": "four", "5": "five",
           "6": "six", "7": "seven", "8": "eight", "9": "nine"}  # fmt: skip
_SAME = {"okay": "ok", "mr": "mister", "dr": "doctor", "centre": "center", "metres": "meters",
         "logoff": "log off", "voicemail": "voice mail", "cancelled": "canceled",
         "dialled": "dialed", "cannot": "can not", "goodbye": "good bye", "oh": "zero",
         "i'm": "i am", "that's": "that is", "hash": "pound", "unmute": "un mute",
         "10": "ten", "11": "eleven", "12": "twelve", "13": "thirteen", "14": "fourteen",
         "15": "fifteen", "16": "sixteen", "17": "seventeen", "18": "eighteen", "19": "nineteen",
         "20": "twenty", "30": "thirty", "40": "forty", "50": "fifty", "60": "sixty",
         "70": "seventy", "80": "eighty", "90": "ninety"}  # fmt: skip


def words(text: str) -> list[str]:
    """The words of a text as they are compared: lower case, no punctuation, digits as words."""
    spelled = re.sub(r"(?<=\d)(?=\d)", " ", text) if re.fullmatch(r"[\d\s.]+", text) else text
    plain = re.sub(r"[^\w\s']", " ", spelled.lower().replace("\u2019", "'"))
    found = []
    for word in plain.replace("_", " ").split():
        same = _SAME.get(word) or _DIGITS.get(word) or word
        found += same.split()
    return found


def word_errors(said: str, heard: str) -> tuple[int, int]:
    """Words replaced, left out and added (Levenshtein), and the words that were said."""
    reference, hypothesis = words(said), words(heard)
    row = list(range(len(hypothesis) + 1))
    for i, expected in enumerate(reference, 1):
        diagonal, row[0] = row[0], i
        for j, word in enumerate(hypothesis, 1):
            cost = min(row[j] + 1, row[j - 1] + 1, diagonal + (expected != word))
            diagonal, row[j] = row[j], cost
    return row[-1], len(reference)


def wer(pairs: Sequence[tuple[str, str]]) -> float:
    """Word error rate over (said, heard): all errors over all words that were said."""
    errors = [word_errors(said, heard) for said, heard in pairs]
    return sum(e for e, _ in errors) / max(1, sum(n for _, n in errors))
