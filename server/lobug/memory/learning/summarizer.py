"""Writes the summaries of a server: by rule from the user's own sentences, or with a chat model.

A model is asked only where the settings want that and it has passed a check, and each of its
sentences is compared with what was said.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence

from lobug.engines.base import ChatMessage, ChatModel
from lobug.errors import ContextOverflowError, EngineTimeoutError
from lobug.language.en import speech_acts, summaries, summary_checks, words
from lobug.language.en.prompts import (
    EXAMPLE_WORDS,
    condense_session_messages,
    summarize_conversation_messages,
    without_heading,
)
from lobug.language.en.summary_checks import Trial
from lobug.language.en.utterances import Utterance
from lobug.memory import identity, timeline
from lobug.memory.learning.model_requests import GarbledAnswerError, ask, prompt_chars
from lobug.memory.model import LoggedMessage
from lobug.settings import MemorySettings
from lobug.storage.connection import Connection

logger = logging.getLogger(__name__)

ENGLISH_SHARE = 0.25
"""From this share of small English words on, what the model was given is English and its answer can
be checked by its words: people talking have 0.45 and more, German to Spanish 0.13 to 0.17. In
another language "wohne" and "wohnt" are two words, and nothing would ever be summarized."""

SUMMARY_TOKENS = 220
"""Longest generated summary, tokens: five long sentences."""

SUMMARY_SENTENCES = 5

CLIP_CHARS = 1_500
"""Longest message in a transcript, characters; a longer one is cut."""

LEAKING = words.stems(words.words(EXAMPLE_WORDS))

SPEAKERS = {"user": "User", "assistant": "Lo-Bug"}

UNFIT = (GarbledAnswerError, EngineTimeoutError, ContextOverflowError)
"""Errors of a working engine that cannot summarize this. A failed engine is waited for instead."""


def transcript(messages: Sequence[LoggedMessage], limit: int) -> tuple[str, int]:
    """The first messages as "User: ..." and "Lo-Bug: ..." lines, and how many of them fit into
    ``limit`` characters; at least one."""
    lines: list[str] = []
    length = 0
    for message in messages:
        content = re.sub(r"\s+", " ", message.content).strip()
        if len(content) > CLIP_CHARS:
            content = content[:CLIP_CHARS].rsplit(" ", 1)[0] + " ..."
        line = f"{SPEAKERS[message.role]}: {content}"
        if lines and length + len(line) + 1 > limit:
            break
        lines.append(line[: max(limit, 1)])
        length += len(line) + 1
    return "\n".join(lines), len(lines)


def utterances(messages: Sequence[LoggedMessage]) -> list[Utterance]:
    """Messages as the language room takes them."""
    return [Utterance(one.role, one.content, one.speaker) for one in messages]


def believed(connection: Connection, user: str, summary: str, since: float) -> str:
    """A summary of words said from a time on, without what the user has corrected or removed since,
    perhaps in messages that are not summed up yet."""
    if summary.startswith(timeline.RAW):
        return summary
    for wrong, instead in identity.taken_back_since(connection, user, since):
        summary, _ = summaries.without(summary, wrong, instead)
    return summary or summaries.NOTHING_LEFT


def tidy_summary(answer: str, source: str) -> str:
    """A summary as one paragraph of at most five sentences that keep to an English transcript.

    Raises GarbledAnswerError for an answer that is not prose or is about something else.
    """
    text = without_heading(answer.strip())
    text = re.sub(r"[*_#`]+", "", re.sub(r"\s+", " ", text)).strip()
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z\"'])", text)
    if len(sentences) > 1 and not re.search(r"[.!?][\"']?$", sentences[-1]):
        sentences.pop()  # cut off in the middle
    shortest = 8  # characters: not every script has spaces
    if words.is_english(source, ENGLISH_SHARE):
        known = f"{source} Lo-Bug user assistant"
        sentences = [
            part
            for part in sentences
            if words.is_supported(part, known, 0.4) and not _leaks(part, source)
        ]
        shortest = 16
    text = " ".join(sentences[:SUMMARY_SENTENCES])
    if len(text) < shortest or text.startswith(("{", "[")):
        raise GarbledAnswerError("the summary is empty, no prose, or about something else")
    return text


def _leaks(sentence: str, source: str) -> bool:
    """Whether a sentence repeats the prompt's example instead of the transcript."""
    from_example = words.stems(words.words(sentence)) & LEAKING
    return not from_example <= words.stems(words.words(source))


class Summarizer:
    """Summarizes with a chat model, if the settings want that and the model can; the callers copy
    sentences otherwise (``lobug.language.en.summaries``).

    ``trials`` are the dialogues that the model must sum up first without saying anything false.
    """

    def __init__(
        self,
        settings: MemorySettings,
        chat: ChatModel,
        trials: Sequence[Trial] = summary_checks.TRIALS,
    ) -> None:
        self.chat = chat
        self._trials = trials
        self._fit: bool | None = None if settings.generates_summaries else False
        """Whether the model writes summaries; None: that has to be tried."""
        self.tried = self._fit is not None
        """Whether the check has been begun once, or is not needed."""
        self.fault = ""
        """Why summaries are not generated although the settings want it, as one sentence."""

    async def is_generative(self) -> bool:
        """Whether the model is to write summaries; checks the model before its first one.
        Raises EngineError while it is down."""
        self.tried = True
        if self._fit is None:
            self._fit = await self._passes()
            if not self._fit:
                self.fault = (
                    "the chat model made an error when it summed up a short dialogue, so summaries"
                    " are copied from what was said"
                )
                logger.warning("memory: %s", self.fault)
        return self._fit

    async def _passes(self) -> bool:
        for trial in self._trials:
            lines = (f"{SPEAKERS[one.role]}: {one.content}" for one in trial.utterances)
            try:
                text = await self._answer(summarize_conversation_messages("\n".join(lines)))
            except UNFIT as error:
                logger.info("memory: a trial summary failed: %s", type(error).__name__)
                return False
            if not summary_checks.passes(trial, text):
                return False
        return True

    async def summarize(self, messages: Sequence[LoggedMessage], text: str, attempts: int) -> str:
        """The sentences of a generated summary that the messages support; empty: none of them.
        ``text`` is their transcript. Raises GarbledAnswerError, EngineError."""
        answer = await self._answer(summarize_conversation_messages(text), attempts)
        return await _supported(tidy_summary(answer, text), utterances(messages))

    async def condense(self, notes: str) -> str:
        """The same for the summaries of a session's parts."""
        answer = await self._answer(condense_session_messages(notes))
        said = [
            Utterance("assistant" if line.startswith("Lo-Bug") else "user", line)
            for line in re.split(r"(?<=[.!?])\s+", notes)
        ]
        return await _supported(tidy_summary(answer, notes), said)

    def transcript_chars(self) -> int:
        """How long a transcript the model can read, characters."""
        return prompt_chars(self.chat, summarize_conversation_messages(""), SUMMARY_TOKENS)

    def notes_chars(self) -> int:
        """How long the summaries of a session's parts may be for ``condense``, characters."""
        return prompt_chars(self.chat, condense_session_messages(""), SUMMARY_TOKENS)

    async def _answer(self, messages: Sequence[ChatMessage], attempts: int = 0) -> str:
        return await ask(self.chat, messages, max_tokens=SUMMARY_TOKENS, attempts=attempts)


async def _supported(summary: str, said: Sequence[Utterance]) -> str:
    kept = await asyncio.to_thread(summary_checks.supported_sentences, summary, said)
    return summary if kept == speech_acts.sentences(summary) else " ".join(kept)
