"""Summarizes messages into timeline entries, in the background and when a session ends.

A summary, the marks on its messages and the time up to which the session is consolidated are one
transaction: no message is summarized twice or left out. Messages that cannot be summarized are kept
as they were said.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

from lobug.errors import ContextOverflowError, EngineError, EngineTimeoutError
from lobug.language.en import words
from lobug.language.en.prompts import (
    EXAMPLE_WORDS,
    condense_session_messages,
    summarize_conversation_messages,
    without_heading,
)
from lobug.memory import focus, jobs, log, schedule, sessions, timeline
from lobug.memory.learning.context import GarbledAnswerError, LearningContext, ask, prompt_chars
from lobug.memory.learning.extraction import gaps_of
from lobug.memory.log import Stretch, Within
from lobug.memory.model import LoggedMessage
from lobug.memory.schedule import Backlog
from lobug.storage.driver import Connection

logger = logging.getLogger(__name__)

SUMMARY_TOKENS = 220
"""Longest summary, tokens: five long sentences."""

SUMMARY_SENTENCES = 5

ENGLISH_SHARE = 0.25
"""From this share of small English words on, what the model was given is English and its answer can
be checked by its words: people talking have 0.45 and more, German to Spanish 0.13 to 0.17. In
another language "wohne" and "wohnt" are two words, and nothing would ever be summarized."""

CLIP_CHARS = 1_500
"""Longest message in a transcript, characters; a longer one is cut."""

RAW_CHARS = 4_000
"""Length of an entry that keeps messages as they were said, characters, about."""

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


def raw_pieces(
    messages: Sequence[LoggedMessage], limit: int = RAW_CHARS
) -> list[tuple[str, Sequence[LoggedMessage]]]:
    """All messages as they were said, in texts of about ``limit`` characters, each with its
    messages. A longer message is a text of its own."""
    pieces: list[tuple[str, Sequence[LoggedMessage]]] = []
    for message in messages:
        line = f"{SPEAKERS[message.role]}: {message.content.strip()}"
        if pieces and len(pieces[-1][0]) + len(line) + 1 <= limit:
            text, held = pieces[-1]
            pieces[-1] = (f"{text}\n{line}", [*held, message])
        else:
            pieces.append((line, [message]))
    return pieces


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


async def consolidate(work: LearningContext, within: Within) -> int:
    """Summarize the unsummarized messages: one entry for each stretch of a session that fits into
    the model's window. Returns the number of new entries.

    Safe to cancel and to run again. Raises GarbledAnswerError, EngineError, StorageError.
    """
    limit = prompt_chars(work.chat, summarize_conversation_messages(""), SUMMARY_TOKENS)
    written = 0
    while True:
        stretch = await work.database.read(
            lambda connection: log.next_stretch(connection, work.task.user, within)
        )
        if stretch is None:
            return written
        text, fitting = transcript(stretch.messages, limit)
        taken = Stretch(stretch.conversation, stretch.session_id, stretch.messages[:fitting])
        try:
            summary = await _summary_of(work, text)
        except UNFIT as error:
            kept = await _note_failure(work, taken)
            if not kept:
                raise
            logger.warning("memory: messages are kept as they were said: %s", type(error).__name__)
            written += kept
        else:
            written += await _store(work, taken, summary)
        if stretch.session_id is not None:
            await condense(work, stretch.session_id)


async def _summary_of(work: LearningContext, text: str) -> str:
    work.checkpoint("summarize.before_model")
    answer = await ask(
        work.chat,
        summarize_conversation_messages(text),
        max_tokens=SUMMARY_TOKENS,
        attempts=work.task.attempts,
    )
    work.checkpoint("summarize.after_model")
    return tidy_summary(answer, text)


async def _store(work: LearningContext, taken: Stretch, summary: str) -> int:
    def store(connection: Connection) -> int:
        # What was forgotten while the model wrote must not be stored again.
        if not log.unchanged(connection, work.task.user, taken.messages):
            return 0
        return int(_insert_entries(connection, work, taken, [(summary, taken.messages)]))

    return await work.database.write("summary", store)


async def _note_failure(work: LearningContext, taken: Stretch) -> int:
    """Count a failure of the session; after the last one keep the messages raw. Returns the
    number of new entries; 0: it will be tried again."""
    session_id, most = taken.session_id, work.scheduler.settings.max_failures_before_degrade

    def note(connection: Connection) -> int:
        failures = most if session_id is None else sessions.failed(connection, session_id)
        if failures < most or not log.unchanged(connection, work.task.user, taken.messages):
            return 0
        work.checkpoint("raw.inserting")
        pieces = [(timeline.RAW + text, held) for text, held in raw_pieces(taken.messages)]
        return len(pieces) if _insert_entries(connection, work, taken, pieces) else 0

    return await work.database.write("raw", note)


def _insert_entries(
    connection: Connection,
    work: LearningContext,
    taken: Stretch,
    pieces: Sequence[tuple[str, Sequence[LoggedMessage]]],
) -> bool:
    """Insert entries and mark the messages that they cover. Returns False if some are covered
    already."""
    if not log.mark_summarized(
        connection, work.task.user, [message.id for message in taken.messages]
    ):
        return False
    for content, held in pieces:
        timeline.insert(
            connection,
            work.task.user,
            taken.conversation,
            content,
            first_message_id=held[0].id,
            last_message_id=held[-1].id,
            now=work.now,
        )
    if taken.session_id is not None:
        last = max(message.created_at for message in taken.messages)
        sessions.consolidated(connection, taken.session_id, last)
        sessions.refresh_summary(connection, taken.session_id)
    return True


async def condense(work: LearningContext, session_id: int) -> None:
    """Let the model shorten the summary of a long session. If that fails, the summary stays cut.
    Raises StorageError."""
    entries = await work.database.read(
        lambda connection: sessions.entries_to_condense(connection, session_id)
    )
    if not entries:
        return
    limit = prompt_chars(work.chat, condense_session_messages(""), SUMMARY_TOKENS)
    text = sessions.newest_that_fit(entries, limit)
    work.checkpoint("condense.before_model")
    try:
        answer = await ask(work.chat, condense_session_messages(text), max_tokens=SUMMARY_TOKENS)
        summary = tidy_summary(answer, text)
    except (GarbledAnswerError, EngineError) as error:
        logger.info("memory: a session's summary stays cut: %s", type(error).__name__)
        return
    await work.database.write(
        "condense",
        lambda connection: sessions.store_condensed(connection, session_id, entries, summary),
    )


async def summarize(work: LearningContext) -> bool:
    """Summarize the messages of a user, or of one session's conversation, up to the task's id.
    Returns whether there are new entries. Raises GarbledAnswerError, EngineError, StorageError."""
    task, owner = work.task, None
    if task.session_id is not None:
        session_id = task.session_id
        owner = await work.database.read(lambda c: sessions.conversation_of(c, session_id))
    within = Within(task.up_to_id or 0, conversation=owner.conversation if owner else None)
    written = await consolidate(work, within)

    def finish(connection: Connection) -> None:
        jobs.complete(connection, task)
        work.scheduler.schedule_summary(connection, task.user, work.now)
        work.scheduler.schedule_distillation(connection, task.user, work.now)

    await work.database.write("summarize_done", finish)
    return written > 0


async def end_session(work: LearningContext) -> bool:
    """Summarize a session and end it, if it is over. Returns False: nothing is known of the model.
    Safe to cancel and to run again. Raises GarbledAnswerError, EngineError, StorageError."""
    task, scheduler, session_id = work.task, work.scheduler, work.task.session_id or 0

    def begin(connection: Connection) -> Within | None:
        if not jobs.begin_session_end(connection, task, work.now, scheduler.idle_s):
            return None
        sessions.end(connection, session_id)
        backlog = Backlog(
            log.count_unsummarized_of(connection, session_id), idle_s=scheduler.idle_s
        )
        idle = schedule.trigger_of(backlog, scheduler.thresholds()) == "idle"
        last = log.last_of(connection, session_id) if idle else 0
        return Within(last, session_id=session_id)

    within = await work.database.write("session_end", begin)
    if within is None:
        return False
    await consolidate(work, within)
    await condense(work, session_id)

    def finish(connection: Connection) -> None:
        if not jobs.complete(connection, task):
            return
        focus.end_of_session(connection, session_id)
        if gaps_of(connection, task.user, session_id):
            jobs.add(connection, "gap_fill", task.user, work.now, session_id=session_id)
        scheduler.schedule_distillation(connection, task.user, work.now)

    await work.database.write("session_ended", finish)
    return False
