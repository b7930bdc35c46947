"""What the rest of Lo-Bug may ask of an engine.

Every method is a coroutine or an async iterator and must never block the event loop: an engine
that computes in this process does so in a thread, with bounded concurrency. Failures are raised
as ``lobug.errors.EngineError``. Cancelling the awaiting task stops the work as soon as the engine
can, and leaves the engine usable.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lobug.errors import ModelDamagedError

Samples = NDArray[np.float32]
"""Mono audio, shape (samples,), values in [-1, 1]. The rate is stated where it is used."""

Vectors = NDArray[np.float32]
"""Embeddings, shape (texts, dimension), each row of length 1."""

BACKGROUND_LANE = "background"
"""The lane of work that nobody waits for; see ``ChatOptions.lane``."""

SHARED_PREFIX_LANE = "shared-prefix"
"""The lane that is prefilled before anybody talks. A new conversation takes its cache over."""

STT_SAMPLE_RATE = 16_000
"""Hz; what every speech-to-text engine takes (Whisper's and Silero's own rate)."""

VOICE_FRAME = 512
"""Samples at 16 kHz, 32 ms: what a ``VoiceStream`` judges at once (Silero's own frame)."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How a reply is generated."""

    max_tokens: int
    temperature: float = 0.7
    json_schema: Mapping[str, Any] | None = None
    """The reply is JSON that fits this schema; None: free text."""
    lane: str = BACKGROUND_LANE
    """Whose prompt prefix this is. Requests of one lane share a prefix, so an engine with a prefix
    cache keeps one cache a lane and never lets one lane evict another's needlessly. A lane is one
    person's one conversation, and another one after something was erased. Of another lane's cache
    an engine may use no more than the beginning that both prompts share: that was computed from
    the shared words alone."""
    timeout_s: float | None = None
    """Whole request, seconds; None: the engine's own setting."""
    first_token_timeout_s: float | None = None
    """Longest wait for the first or the next piece, seconds; None: the engine's own setting."""


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """What ``/health`` and ``lobug doctor`` say of an engine."""

    name: str
    """The implementation: embedded, ollama, openai, faster-whisper, hibari, none."""
    model: str
    ready: bool
    degraded: bool = False
    reason: str | None = None
    """Why it is degraded or not ready, as one sentence that says what to do."""
    details: Mapping[str, Any] = field(default_factory=dict)


class Engine(Protocol):
    """What all engines have in common."""

    async def start(self) -> None:
        """Load or connect. Raises EngineError; ``status()`` then says why. Safe to call again."""

    async def close(self) -> None:
        """Free everything. Safe to call twice."""

    def status(self) -> EngineStatus:
        """The state as last known. Never blocks, does no I/O."""


class ChatModel(Engine, Protocol):
    """A language model that continues a conversation."""

    @property
    def context_tokens(self) -> int:
        """Tokens of prompt and reply that fit together."""

    @property
    def prefill_ms_per_token(self) -> float | None:
        """What a token that is added to a prompt costs before the first one of the reply, as
        measured, milliseconds; None: not known."""

    def stream(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncGenerator[str]:
        """Yield the reply's text in pieces, as the model writes it.

        Closing the iterator stops the model. Thinking parts may be contained; the turn strips
        them. Raises EngineUnavailableError, EngineTimeoutError, EngineInterruptedError,
        ModelMissingError.
        """

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Read a prompt ahead of its use, so that the next ``stream`` of the lane starts sooner.

        Does nothing where the engine has no prefix cache that this process controls.
        """

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Drop what is cached of the prompts of each lane of which ``belongs`` is true, and of the
        background's, before the next request could use it. Returns at once, never fails.

        Does nothing where the engine has no prefix cache that this process controls.
        """


class Embedder(Engine, Protocol):
    """Turns texts into vectors."""

    @property
    def model_id(self) -> str:
        """Identifies the vector space, e.g. ``ollama/nomic-embed-text``. Vectors of two different
        ids must never be compared. Known after ``start``."""

    @property
    def dimension(self) -> int:
        """Length of a vector. Known after ``start``; it comes from the model."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text. Shape (len(texts), dimension), rows of length 1."""


@dataclass(frozen=True, slots=True)
class SpeechSpan:
    """A stretch of speech: first and last sample + 1, at the rate of the audio it was found in."""

    start: int
    end: int


class VoiceStream(Protocol):
    """Judges one stream of audio as it comes. Calls follow one another."""

    async def feed(self, audio: Samples) -> Sequence[float]:
        """Take the next 16 kHz samples, any number of them. Returns the voice probability, 0 to 1,
        of each frame of ``VOICE_FRAME`` samples that they complete; the rest is kept for the next
        call."""

    def reset(self) -> None:
        """Forget the stream so far."""


class SpeechGate(Engine, Protocol):
    """Tells speech from everything else."""

    async def find_speech(self, audio: Samples) -> Sequence[SpeechSpan]:
        """The stretches of speech in 16 kHz audio, in order; empty when there is none."""

    def open_stream(self) -> VoiceStream:
        """A stream of its own, with nothing heard yet. Needs no closing."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was heard, with the engine's own doubts."""

    text: str
    language: str
    """ISO 639-1."""
    no_speech_prob: float
    """0 to 1, the highest of all segments."""
    avg_logprob: float
    """Mean log probability of a token, weighted by the segments' length; near 0 is sure."""
    compression_ratio: float
    """zlib ratio, the highest of all segments; above 2.4 Whisper is looping."""


class SpeechToText(Engine, Protocol):
    """Turns recorded speech into text."""

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio. ``language`` None: detect it."""


class TextToSpeech(Engine, Protocol):
    """Turns text into speech."""

    @property
    def sample_rate(self) -> int:
        """Hz of what ``synthesize`` returns."""

    async def synthesize(self, sentence: str) -> Samples:
        """Speak one sentence. Empty audio when nothing in it can be spoken."""


@runtime_checkable
class PacedVoice(Protocol):
    """What a TextToSpeech offers as well that can speak faster and slower."""

    async def synthesize_at(self, sentence: str, speed: float) -> Samples:
        """``synthesize``, ``speed`` times as fast as that; 0.5 to 2."""


@runtime_checkable
class CatalogModel(Engine, Protocol):
    """What an engine offers as well that computes with files that ``lobug models pull`` brings."""

    @property
    def catalog_model(self) -> str | None:
        """Name of its model in the catalog; None: a file of the owner's own."""

    async def withdraw(self, error: ModelDamagedError) -> None:
        """Stop the model because its files are wrong: every request raises ``error`` until
        ``start`` is called. Requests under way break off, or end with what was loaded before."""


@dataclass(slots=True)
class Engines:
    """The engines that one server runs with."""

    chat: ChatModel
    embedder: Embedder
    stt: SpeechToText
    gate: SpeechGate
    tts: TextToSpeech

    def all(self) -> dict[str, Engine]:
        """Every engine by its job's name, in the order in which ``/health`` shows them."""
        return {
            "chat": self.chat,
            "embeddings": self.embedder,
            "stt": self.stt,
            "gate": self.gate,
            "tts": self.tts,
        }
