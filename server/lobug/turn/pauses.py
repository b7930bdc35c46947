"""The silence around a piece's speech, cut to what a person leaves between clauses and sentences.

Pure. Voices put about 0.3 s of silence in front of whatever they say and 0.5 s behind it. In front
of the first piece that is 0.3 s longer to wait; between two clauses it is a pause of almost a
second in the middle of a sentence.
"""

from __future__ import annotations

import numpy as np

from lobug.engines.base import Samples

BEFORE_S = 0.03
"""Seconds of silence in front of speech that stay, so that a soft first sound is not cut."""
AFTER_CLAUSE_S = 0.15
AFTER_SENTENCE_S = 0.4
"""Seconds behind it. With what stays in front of the next piece they are the pauses of a person
who reads aloud."""

_FRAME_S = 0.005
_FLOOR = 0.01
"""A frame is silent that stays 40 dB below the loudest one."""
_ENDS = ".!?…\u3002\uff01\uff1f"
_CLOSERS = "\"'”’»)]"


def with_pauses(speech: Samples, sample_rate: int, text: str) -> Samples:
    """``speech`` with less silence around it, where there is more; never with more.

    Args:
        speech: what the voice made of a piece, mono; not changed.
        sample_rate: Hz.
        text: the piece; its end says which pause follows.
    """
    frame = max(1, int(sample_rate * _FRAME_S))
    loudness = np.maximum.reduceat(np.abs(speech), np.arange(0, speech.size, frame))
    sounding = np.flatnonzero(loudness > _FLOOR * loudness.max()) if loudness.size else loudness
    if not sounding.size:
        return speech
    after = AFTER_SENTENCE_S if _ends_a_sentence(text) else AFTER_CLAUSE_S
    start = int(sounding[0]) * frame - int(BEFORE_S * sample_rate)
    end = (int(sounding[-1]) + 1) * frame + int(after * sample_rate)
    return speech[max(0, start) : end]


def _ends_a_sentence(text: str) -> bool:
    return text.rstrip(_CLOSERS)[-1:] in tuple(_ENDS)
