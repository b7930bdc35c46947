"""Which voice a server gets, and why."""

from __future__ import annotations

from lobug.engines.base import TextToSpeech
from lobug.engines.tts_hibari import HibariVoice, voice_file
from lobug.engines.tts_none import NoVoice
from lobug.settings import Settings


def choose_tts(settings: Settings) -> tuple[TextToSpeech, str]:
    """The voice of the settings, else none; and one sentence that says why. Loads nothing yet."""
    if settings.tts.engine == "none":
        why = "No voice: the settings say so."
        return NoVoice(why, wanted=True), why
    if voice_file() is None:
        why = (
            "No voice: the package hibari-tts is missing or not whole; replies are text only."
            " Delete .venv, then `make run`."
        )
        return NoVoice(why, wanted=False), why
    return HibariVoice(settings), "The embedded English voice."
