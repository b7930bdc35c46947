"""Protocols of the engines: chat model, embedder, speech gate, speech-to-text, text-to-speech.

No method may block the event loop: an engine that computes in this process does so in a thread,
with bounded concurrency. Failures are raised as ``lobug.errors.EngineError``. Cancelling the
awaiting task stops the work as soon as the engine can, and leaves the engine usable.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lobug.errors import EngineError, ModelDamagedError

Samples = NDArray[np.float32]
"""Mono audio, shape (samples,), values in [-1, 1]. The rate is stated where it is used."""

Vectors = NDArray[np.float32]
"""Embeddings, shape (texts, dimension), each row of length 1."""

BACKGROUND_LANE = "background"
"""The lane of background work; see ``ChatOptions.lane``."""

SHARED_PREFIX_LANE = "shared-prefix"
"""The lane that is prefilled before the first conversation. A new conversation takes over its
cache."""

STT_SAMPLE_RATE = 16_000
"""Hz, of the audio that every speech-to-text engine takes (Whisper's and Silero's own rate)."""

VOICE_FRAME = 512
"""Samples at 16 kHz, 32 ms: a ``VoiceStream`` judges this many at once (Silero's own frame)."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Options of one generated reply."""

    max_tokens: int
    temperature: float = 0.7
    json_schema: Mapping[str, Any] | None = None
    """The reply is JSON that is valid for this schema; None: free text."""
    lane: str = BACKGROUND_LANE
    """Requests of one lane share a prompt prefix, so an engine with a prefix cache keeps one cache
    per lane and avoids evicting one lane for another. A lane is one conversation of one user; an
    erasure begins a new lane. From another lane's cache an engine may reuse only the beginning that
    both prompts share, because only that was computed from the shared words alone."""
    timeout_s: float | None = None
    """Of the whole request, seconds; None: the engine's own setting."""
    first_token_timeout_s: float | None = None
    """Longest wait for the first or the next piece, seconds; None: the engine's own setting."""
    constant: int = 0
    """How many of the first messages are the same in every request of this kind and hold nobody's
    words, so that an engine may keep what it has computed of them (``KeepsConstants``)."""


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The state of an engine, as ``/health`` and ``lobug doctor`` show it."""

    name: str
    """The implementation: embedded, ollama, openai, wyoming, faster-whisper, hibari, none."""
    model: str
    ready: bool
    degraded: bool = False
    reason: str | None = None
    """Why it is degraded or not ready, as one sentence that says what to do."""
    details: Mapping[str, Any] = field(default_factory=dict)


SERVERS = "servers"
"""Key of ``EngineStatus.details`` where an engine is made of several servers: a list, for each of
them ``server`` (its address), ``ready``, ``reason`` and ``under_way`` (requests)."""

WAITING = "waiting"
"""Key of ``EngineStatus.details`` beside ``SERVERS``: how many requests wait for a server."""


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
        """Milliseconds that one more prompt token adds to the wait for the reply's first token, as
        measured; None: unknown."""

    def stream(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncGenerator[str]:
        """Yield the reply's text in pieces, as the model writes it.

        Closing the iterator stops the model. The text may contain thinking parts, which the turn
        strips. Raises EngineUnavailableError, EngineTimeoutError, EngineInterruptedError,
        ModelMissingError.
        """

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Compute a prompt in advance, so that the next ``stream`` of the lane starts sooner.

        Does nothing where the engine has no prefix cache that this process controls.
        """

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Drop the cached prompts of the background lane and of each lane for which ``belongs`` is
        true, before the next request could use them. Returns at once, never fails.

        Does nothing where the engine has no prefix cache that this process controls.
        """


@runtime_checkable
class SharesPrefix(Protocol):
    """A ChatModel that is told the beginning of all prompts, and keeps what it has computed of
    it."""

    def share_prefix(self, messages: Sequence[ChatMessage]) -> None:
        """Set the beginning that all prompts share. Returns at once."""

    def first_reading_s(self, lane: str) -> float:
        """Seconds that a turn of ``lane`` has to wait until the model has read that beginning for
        the first time; 0: it knows it, or there is none. An estimate."""


@runtime_checkable
class KeepsConstants(Protocol):
    """A ChatModel that keeps what it has computed of the constant beginning of requests on the
    background lane (``ChatOptions.constant``)."""

    async def read_constant(self, messages: Sequence[ChatMessage]) -> None:
        """Compute a beginning and keep it, unless it is kept already. Raises EngineError."""

    def constant_reading_s(self, messages: Sequence[ChatMessage]) -> float:
        """Seconds that a request with this beginning has to wait until it is read; 0: it is kept.
        An estimate."""


class Embedder(Engine, Protocol):
    """Turns texts into vectors."""

    @property
    def model_id(self) -> str:
        """Identifies the vector space, e.g. ``ollama/nomic-embed-text``. Vectors with different ids
        must never be compared. Known after ``start``."""

    @property
    def dimension(self) -> int:
        """Number of components of a vector. Known after ``start``; it comes from the model."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text. Shape (len(texts), dimension), rows of length 1."""


@dataclass(frozen=True, slots=True)
class SpeechSpan:
    """A span of speech: its first sample, and the one after its last, at the audio's rate."""

    start: int
    end: int


class VoiceStream(Protocol):
    """Judges one stream of audio as it arrives. Calls must not overlap."""

    async def feed(self, audio: Samples) -> Sequence[float]:
        """Take the next 16 kHz samples, any number of them. Returns the voice probability, 0 to 1,
        of each frame of ``VOICE_FRAME`` samples that they complete; the rest is kept for the next
        call."""

    def reset(self) -> None:
        """Discard the stream so far."""


class SpeechGate(Engine, Protocol):
    """Distinguishes speech from other sound."""

    async def find_speech(self, audio: Samples) -> Sequence[SpeechSpan]:
        """Return the spans of speech in 16 kHz audio, in order; empty when there are none."""

    def open_stream(self) -> VoiceStream:
        """Return a new stream. It needs no closing."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """Recognized text, with the engine's confidence."""

    text: str
    language: str
    """ISO 639-1."""
    no_speech_prob: float
    """0 to 1, the highest of all segments."""
    avg_logprob: float
    """Mean log probability of a token, weighted by the segments' length; near 0 is certain."""
    compression_ratio: float
    """zlib ratio, the highest of all segments; above 2.4 Whisper repeats itself."""


class SpeechToText(Engine, Protocol):
    """Turns recorded speech into text."""

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio. ``language`` None: detect it."""


@runtime_checkable
class KnowsNames(Protocol):
    """A SpeechToText that can be told which names are likely to be said. Others need not have
    this: they hear as well as before."""

    def expect_names(self, names: Sequence[str]) -> None:
        """Prefer these names, the most important first, from the next transcription on; empty:
        none. An engine may take only the first ones. Returns at once, never fails."""


class TextToSpeech(Engine, Protocol):
    """Turns text into speech."""

    @property
    def sample_rate(self) -> int:
        """Hz of what ``synthesize`` returns."""

    async def synthesize(self, sentence: str) -> Samples:
        """Speak one sentence. Returns empty audio when nothing in it can be spoken."""


@runtime_checkable
class PacedVoice(Protocol):
    """A TextToSpeech that can also speak faster and slower."""

    async def synthesize_at(self, sentence: str, speed: float) -> Samples:
        """Speak one sentence ``speed`` times as fast as ``synthesize`` does; 0.5 to 2."""


@runtime_checkable
class StreamingVoice(Protocol):
    """A TextToSpeech that gives the beginning of a sentence before its end is ready."""

    def stream(self, sentence: str, speed: float) -> AsyncGenerator[Samples]:
        """Yield the speech of one sentence as it comes, at ``sample_rate``; nothing when nothing in
        it can be spoken. ``speed``: times as fast as ``synthesize``; a voice with one speed ignores
        it. Raises EngineError, also after a part; closing it stops the work."""


@runtime_checkable
class AdjustableVoice(Protocol):
    """A TextToSpeech whose own speed may change while it runs."""

    def set_speed(self, speed: float) -> None:
        """Speak ``speed`` times as fast as is normal, from the next sentence on; 0.5 to 2."""


@runtime_checkable
class SelectableVoice(Protocol):
    """A TextToSpeech that may speak with another voice while it runs."""

    @property
    def voices(self) -> Sequence[str]:
        """Names of the voices that it has; empty: it does not tell."""

    def set_voice(self, name: str) -> None:
        """Speak with the voice of this name, from the next sentence on; empty: its own choice."""


@runtime_checkable
class CatalogModel(Engine, Protocol):
    """An engine whose model ``lobug models pull`` downloads."""

    @property
    def catalog_model(self) -> str | None:
        """Name of its model in the catalog; None: a file of the owner's own."""

    async def withdraw(self, error: ModelDamagedError) -> None:
        """Stop the model because its files are wrong: every request raises ``error`` until
        ``start`` is called. Requests under way fail, or finish with the model already loaded."""


@dataclass(slots=True)
class Engines:
    """The engines of one server."""

    chat: ChatModel
    embedder: Embedder
    stt: SpeechToText
    gate: SpeechGate
    tts: TextToSpeech
    consolidation: ChatModel | None = None
    """For summaries and layer identity; None: ``chat`` does that too."""

    def all(self) -> dict[str, Engine]:
        """Return every engine by its job's name, in the order of ``/health``."""
        found: dict[str, Engine] = {
            "chat": self.chat,
            "embeddings": self.embedder,
            "stt": self.stt,
            "gate": self.gate,
            "tts": self.tts,
        }
        if self.consolidation is not None:
            found["consolidation"] = self.consolidation
        return found


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is described to the chat model."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    """JSON schema of its arguments; its type is ``object``."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call."""

    text: str
    is_error: bool = False


class ToolBox(Protocol):
    """The tools of one device."""

    def tools(self) -> Sequence[Tool]:
        """Return the tools that can be used now; empty until the device has announced some."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Use a tool. Does not raise when the device fails: a time-out, a refusal and a lost
        connection are results with ``is_error``."""


class AbsentTools:
    """The tools of a device that is not connected."""

    def tools(self) -> Sequence[Tool]:
        return ()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("The device is not connected.", is_error=True)


ABSENT_TOOLS = AbsentTools()


EMBEDDINGS = "embeddings"
"""The job's name in the errors of embedders."""


def unit_rows(rows: ArrayLike, *, count: int, dimension: int | None) -> Vectors:
    """Return ``rows`` as float32 of shape (count, dimension), each row of length 1.

    ``dimension`` None: any. Raises EngineError when the model answered with the wrong number of
    vectors, another dimension, a vector of zeros, or values that are not numbers.
    """
    try:
        vectors = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EngineError(EMBEDDINGS, "the answer is not a list of equally long vectors") from error
    if vectors.ndim != 2 or vectors.shape[0] != count or vectors.shape[1] == 0:
        raise EngineError(EMBEDDINGS, f"wanted {count} vectors, got shape {vectors.shape}")
    if dimension is not None and vectors.shape[1] != dimension:
        raise EngineError(
            EMBEDDINGS,
            f"the model answered with {vectors.shape[1]} dimensions instead of {dimension}; if it"
            " was replaced, restart the server",
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0.0).any():
        raise EngineError(
            EMBEDDINGS, "the model answered with zeros or with values that are not numbers"
        )
    return np.asarray(vectors / lengths, dtype=np.float32)


def batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Split ``texts`` into batches of at most ``size``."""
    for start in range(0, len(texts), size):
        yield texts[start : start + size]


def stacked(parts: Sequence[Vectors], dimension: int) -> Vectors:
    """Concatenate batches; without any, the shape is (0, dimension)."""
    return np.concatenate(parts) if parts else np.zeros((0, dimension), dtype=np.float32)
