"""What the door offers, as a client that asks to ``describe`` it is told."""

from __future__ import annotations

from wyoming.info import (
    AsrModel,
    AsrProgram,
    Attribution,
    HandleModel,
    HandleProgram,
    Info,
    TtsProgram,
    TtsVoice,
)

from lobug import __version__
from lobug.engines.absent import NoVoice
from lobug.engines.base import Engine
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.settings.engines import SPOKEN_LANGUAGES

NAME = "Lo-Bug"
_ATTRIBUTION = Attribution("Lo-Bug", "")
_REPLIES_IN = ["en"]
"""Languages of the sentences and of the embedded voice."""


def voice_languages(settings: Settings) -> list[str]:
    """Languages of the voice. Of one on another machine nobody says which, so it is taken to speak
    the owner's. Pure."""
    remote, language = settings.tts.engine in {"wyoming", "openai"}, settings.stt.language
    return [language] if remote and language != "auto" else _REPLIES_IN


def describe(server: LobugServer) -> Info:
    """The services. One whose engine is not ready now is told all the same: clients ask once, and
    would not notice when it comes."""
    engines, stt = server.engines, server.settings.stt
    spoken = [name for name in SPOKEN_LANGUAGES if name != "auto"]
    heard = spoken if stt.language == "auto" else [stt.language]
    return Info(
        asr=[
            AsrProgram(
                name=NAME,
                attribution=_ATTRIBUTION,
                installed=True,
                description="Lo-Bug's speech-to-text",
                version=__version__,
                models=[
                    AsrModel(
                        name=_model(engines.stt),
                        attribution=_ATTRIBUTION,
                        installed=True,
                        description=engines.stt.status().name,
                        version=None,
                        languages=heard,
                    )
                ],
                supports_transcript_streaming=True,
            )
        ],
        tts=[]
        if isinstance(engines.tts, NoVoice)
        else [_voice(engines.tts, voice_languages(server.settings))],
        handle=[
            HandleProgram(
                name=NAME,
                attribution=_ATTRIBUTION,
                installed=True,
                description="Conversation with Lo-Bug, which remembers",
                version=__version__,
                models=[
                    HandleModel(
                        name=_model(engines.chat),
                        attribution=_ATTRIBUTION,
                        installed=True,
                        description=engines.chat.status().name,
                        version=None,
                        languages=_REPLIES_IN,
                    )
                ],
            )
        ],
    )


def _voice(tts: Engine, languages: list[str]) -> TtsProgram:
    return TtsProgram(
        name=NAME,
        attribution=_ATTRIBUTION,
        installed=True,
        description="Lo-Bug's voice",
        version=__version__,
        voices=[
            TtsVoice(
                name=_model(tts),
                attribution=_ATTRIBUTION,
                installed=True,
                description=tts.status().name,
                version=None,
                languages=languages,
            )
        ],
        supports_synthesize_streaming=True,
    )


def _model(engine: Engine) -> str:
    status = engine.status()
    return status.model or status.name
