"""The data of each server-sent event of a turn."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class HeardEvent(BaseModel):
    """``heard``: the words are known."""

    text: str = Field(description="The transcript, or the words that were typed.")
    language: str | None = Field(description="ISO 639-1, of a transcript.")


class IgnoredEvent(BaseModel):
    """``ignored``: it was not meant for Lo-Bug."""

    reason: str = Field(description="`no_speech`, `noise` or `model`.")


class ReplyDeltaEvent(BaseModel):
    """``reply_delta``: more of the reply."""

    text: str = Field(description="To be shown behind what came before, as it is.")


class PieceEvent(BaseModel):
    """``piece``: what is about to be spoken in one go."""

    index: int = Field(description="From 0.")
    text: str = Field(description="Its words.")


class AudioEvent(BaseModel):
    """``audio``: a piece's speech."""

    index: int = Field(description="Which piece it is.")
    sample_rate: int = Field(description="Hz.")
    audio_b64: str = Field(description="Base64 of a WAV with a 44-byte header, PCM16, mono.")


class DoneEvent(BaseModel):
    """``done``: the turn is over and stored."""

    turn: str = Field(description="The turn's id.")
    transcription: str = Field(description="What was heard; empty when nothing was.")
    response: str = Field(description="The whole reply; empty for `ignore`.")
    action: Literal["respond", "react", "ignore"] = Field(description="As of `/chat/audio`.")
    reason: str | None = Field(description="Why it was ignored.")
    speech_error: str | None = Field(description="Stable code of a text-to-speech failure.")
    timings: dict[str, float] = Field(description="Seconds from the start to the end of a stage.")
