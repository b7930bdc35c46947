"""Speech-to-text by faster-whisper, from a folder on this machine, without network access."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lobug.engines.base import STT_SAMPLE_RATE, EngineStatus, Samples, Transcript
from lobug.engines.worker_thread import Abandoned, ThreadEngine
from lobug.errors import ModelDamagedError, ModelMissingError
from lobug.models.catalog import model_dir
from lobug.settings import Settings, SttSettings

if TYPE_CHECKING:
    from lobug.engines.whisper_window import ShortWindowWhisper

_MOST_THREADS = 4
_LOAD_TIMEOUT_S = 120.0
_WINDOW_S = 30.0
_FILES = ("model.bin", "config.json", "tokenizer.json")
_FALLBACK_TEMPERATURES = (0.0, 0.2, 0.6)
"""Of the second attempt, on the whole window: greedy first, then sampled until the result looks
right."""

_SHORT_WINDOW_DOUBT = 0.2
"""Added to ``log_prob_threshold`` for a transcript of the short window. On 122 recordings it sends
three more to the whole window, two of which are then right."""

_LEAST_CHARS_PER_SECOND, _SILENT_S = 3, 0.9
"""An uncertain transcript of the short window with fewer characters than this, ``_SILENT_S`` being
the silence around the words, is tried again: decoding sometimes stops after the first word ("Can"
for "Can you tell me a joke?", with an avg_logprob of -0.6, which many correct ones have). Of 265
clips, 48 of them synthetic, this sends one more to the whole window, which is then right."""

_TOKENS_PER_SECOND, _TOKENS_EXTRA = 20, 40
"""Limit of a transcript's length, so that a decoding loop costs little. Fast speech has 8 tokens a
second in English and about 15 in Chinese."""


class WhisperSpeechToText(ThreadEngine["ShortWindowWhisper"]):
    """SpeechToText by a Whisper model in CTranslate2's format."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("stt", _LOAD_TIMEOUT_S)
        self._settings = settings.stt
        self._own_folder = settings.stt.path is not None
        self._folder = settings.stt.path or model_dir(settings.models_dir, settings.stt.model)
        self._withdrawn: ModelDamagedError | None = None
        self._names: Sequence[str] = ()
        self._hotwords: tuple[Sequence[str], str] = ((), "")
        """Names, and what Whisper is told of them; chosen on the worker's thread."""

    def expect_names(self, names: Sequence[str]) -> None:
        """Prefer these names from the next transcription on; see ``KnowsNames``."""
        self._names = tuple(names)

    @property
    def catalog_model(self) -> str | None:
        """The name in the settings; None: ``stt.path`` is used."""
        return None if self._own_folder else self._settings.model

    async def withdraw(self, error: ModelDamagedError) -> None:
        """Free the model, because its files are wrong. A running transcription finishes."""
        self._withdrawn = error
        self._unload(str(error))

    async def start(self) -> None:
        """Load and warm the model. Raises ModelMissingError when a file is missing or damaged."""
        await super().start()
        self._withdrawn = None

    def status(self) -> EngineStatus:
        return EngineStatus(
            name="faster-whisper",
            model=str(self._folder) if self._own_folder else self._settings.model,
            ready=self._loaded is not None,
            degraded=self._thread.fault is not None,
            reason=self._reason or self._thread.fault,
            details={"language": self._settings.language, "beam_size": self._settings.beam_size},
        )

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio; ``language`` None: detect it.

        An empty text means that no speech was recognized; no_speech_prob is then 1, avg_logprob 0.
        """
        model = self._loaded
        if self._withdrawn is not None:
            raise self._withdrawn.with_traceback(None)
        if model is None:
            return await self._thread.run(_not_loaded, None)
        return await self._thread.run(
            lambda abandoned: self._transcribe(model, audio, language, abandoned),
            self._settings.timeout_s,
        )

    def _load(self, abandoned: Abandoned) -> ShortWindowWhisper:
        missing = [name for name in _FILES if not (self._folder / name).is_file()]
        if missing:
            # Without a tokenizer the library would download one.
            raise self._model_missing(f"has no {', '.join(missing)}")
        from lobug.engines.whisper_window import ShortWindowWhisper  # noqa: PLC0415 - takes a second

        try:
            model = ShortWindowWhisper(
                str(self._folder),
                device="cpu",
                compute_type=self._settings.compute_type,
                cpu_threads=self._settings.threads or min(os.cpu_count() or 1, _MOST_THREADS),
                local_files_only=True,
            )
            model.margin = self._settings.window_margin_frames
            model.minimum = self._settings.window_min_frames
            # The first use takes longer, and it is what finds a damaged vocabulary.
            self._attempt(model, np.zeros(STT_SAMPLE_RATE, np.float32), "en", (0.0,), short=True)
        except Exception as fault:  # the tokenizer's library raises bare Exception
            raise self._model_missing(f"cannot be loaded ({fault})") from fault
        return model

    def _model_missing(self, what: str) -> ModelMissingError:
        remedy = (
            "check LOBUG_STT__PATH"
            if self._own_folder
            else f"run `lobug models pull {self._settings.model}`"
        )
        return ModelMissingError("stt", f"the Whisper model in {self._folder} {what}; {remedy}")

    def _transcribe(
        self,
        model: ShortWindowWhisper,
        audio: Samples,
        language: str | None,
        abandoned: Abandoned,
    ) -> Transcript:
        if not len(audio):
            return _NOTHING
        names = self._told_names(model)
        heard = self._heard(model, audio, language, names, abandoned)
        # Told names, Whisper hears them in noise too: some with a doubt, some with none.
        doubted = is_only_names(heard.text, names) or looks_wrong(heard, self._settings)
        if names and doubted and not abandoned.is_set():
            return self._heard(model, audio, language, "", abandoned)
        return heard

    def _heard(
        self,
        model: ShortWindowWhisper,
        audio: Samples,
        language: str | None,
        names: str,
        abandoned: Abandoned,
    ) -> Transcript:
        """The better of one attempt, or two if the first looks wrong; ``names``: what Whisper is
        told of names, empty: nothing."""
        short = self._settings.short_window
        first = self._attempt(
            model, audio, language, (0.0,), short=short, names=names, abandoned=abandoned
        )
        margin = _SHORT_WINDOW_DOUBT if short else 0.0
        # A confident short word with a long silence around it needs no second attempt.
        uncertain = first.avg_logprob < self._settings.log_prob_threshold / 2
        truncated = short and uncertain and is_too_short(first.text, len(audio) / STT_SAMPLE_RATE)
        needs_retry = truncated or looks_wrong(first, self._settings, margin)
        if abandoned.is_set() or not needs_retry:
            return first
        if is_silence(first, self._settings):
            return first
        second = self._attempt(
            model,
            audio,
            language,
            _FALLBACK_TEMPERATURES,
            short=False,
            names=names,
            abandoned=abandoned,
        )
        return better(first, second, self._settings)

    def _told_names(self, model: ShortWindowWhisper) -> str:
        known, told = self._hotwords
        if known is not self._names:
            known = self._names
            told = hotwords(
                known,
                lambda text: len(model.hf_tokenizer.encode(text).ids),
                self._settings.name_tokens,
            )
            self._hotwords = known, told
        return told

    def _attempt(
        self,
        model: ShortWindowWhisper,
        audio: Samples,
        language: str | None,
        temperatures: Sequence[float],
        *,
        short: bool,
        names: str = "",
        abandoned: Abandoned | None = None,
    ) -> Transcript:
        seconds = len(audio) / STT_SAMPLE_RATE
        model.short = short
        segments, info = model.transcribe(
            audio,
            language=language,
            beam_size=self._settings.beam_size,
            temperature=list(temperatures),
            best_of=1,
            compression_ratio_threshold=self._settings.max_compression_ratio,
            log_prob_threshold=self._settings.log_prob_threshold,
            # The turn decides what is noise, so nothing is dropped here.
            no_speech_threshold=None,
            condition_on_previous_text=False,
            hotwords=names or None,
            # Longer audio needs time stamps, to cut windows between two words.
            without_timestamps=seconds <= _WINDOW_S,
            max_new_tokens=min(200, int(_TOKENS_EXTRA + _TOKENS_PER_SECOND * seconds)),
        )
        found: list[Any] = []
        for segment in segments:
            found.append(segment)
            if abandoned is not None and abandoned.is_set():
                break
        return _joined(found, info.language)


def hotwords(names: Sequence[str], tokens: Callable[[str], int], most: int) -> str:
    """The names that Whisper is told, in their order, as far as ``most`` tokens go; empty: none.

    A word of one token is an ordinary one, which it knows; so only names with a rarer word count.
    ``tokens``: the number of tokens of a text, special ones included.
    """
    special = tokens("")
    kept, left = [], most
    for name in names:
        if all(tokens(f" {word}") - special <= 1 for word in name.split()):
            continue
        left -= tokens(f" {name},") - special
        if left < 0:
            break
        kept.append(name)
    return ", ".join(kept)


def is_only_names(text: str, names: str) -> bool:
    """Whether a text has no other words than names: told names, Whisper hears one or all of them in
    every sixth noise, so such a text is heard again without them. Silence has none."""
    known, said = set(_words(names)), _words(text)
    return bool(said) and all(word in known for word in said)


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text.casefold()).split()


_NOTHING = Transcript(
    text="", language="en", no_speech_prob=1.0, avg_logprob=0.0, compression_ratio=0.0
)


def _not_loaded(_: Abandoned) -> Transcript:
    raise ModelMissingError("stt", "the Whisper model is not loaded")


def _joined(segments: Sequence[Any], language: str) -> Transcript:
    """Join Whisper's segments (``faster_whisper.transcribe.Segment``) into one transcript."""
    text = "".join(segment.text for segment in segments).strip()
    if not text:
        return Transcript("", language, 1.0, 0.0, 0.0)
    weights = [max(segment.end - segment.start, 0.01) for segment in segments]
    weighted = math.fsum(w * s.avg_logprob for w, s in zip(weights, segments, strict=True))
    return Transcript(
        text=text,
        language=language,
        no_speech_prob=max(segment.no_speech_prob for segment in segments),
        avg_logprob=weighted / math.fsum(weights),
        compression_ratio=max(segment.compression_ratio for segment in segments),
    )


def looks_wrong(transcript: Transcript, settings: SttSettings, margin: float = 0.0) -> bool:
    """Whether a transcript is empty, uncertain or repetitive, so that a second attempt is worth it.

    ``margin`` is added to ``settings.log_prob_threshold``.
    """
    return (
        not transcript.text
        or transcript.avg_logprob < settings.log_prob_threshold + margin
        or transcript.compression_ratio > settings.max_compression_ratio
        or is_looping(transcript.text)
    )


def is_too_short(text: str, seconds: float) -> bool:
    """Whether ``text`` is too short for ``seconds`` of audio with speech in it."""
    return len(text) < _LEAST_CHARS_PER_SECOND * (seconds - _SILENT_S)


def is_silence(transcript: Transcript, settings: SttSettings) -> bool:
    """Whether Whisper found no speech, so that a second attempt would find none either."""
    return bool(transcript.text) and (
        transcript.no_speech_prob >= settings.no_speech_threshold
        and transcript.avg_logprob < settings.log_prob_threshold
    )


def better(first: Transcript, second: Transcript, settings: SttSettings) -> Transcript:
    """Return the second transcript, or the first if both look wrong and it is the more probable."""
    if not looks_wrong(second, settings):
        return second
    if looks_wrong(first, settings) and (not first.text or is_looping(first.text)):
        return second
    return max(first, second, key=lambda t: (bool(t.text), t.avg_logprob))


_LONGEST_LOOP = 8
_LOOP_REPEATS = {1: 5}
"""Words of a phrase: how many repeats make it a decoding loop, 3 unless listed. "No, no, no, no"
is ordinary speech."""


def is_looping(text: str) -> bool:
    """Whether a phrase of up to eight words is repeated as in a decoding loop."""
    words = text.lower().split()
    for length in range(1, _LONGEST_LOOP + 1):
        repeats = _LOOP_REPEATS.get(length, 3)
        for start in range(len(words) - length * repeats + 1):
            phrase = words[start : start + length]
            if words[start : start + length * repeats] == phrase * repeats:
                return True
    return False
