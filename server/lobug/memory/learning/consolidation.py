"""Summarizes messages into timeline entries, in the background and when a session ends.

A summary, the marks on its messages and the time up to which the session is consolidated are one
transaction: no message is summarized twice or left out. Of messages that cannot
be summarized the user's sentences are copied; in a language without rules, all as they were said.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from lobug.errors import EngineError
from lobug.language.en import summaries
from lobug.language.en.utterances import Utterance
from lobug.memory import focus, jobs, log, schedule, sessions, timeline
from lobug.memory.learning.context import LearningContext
from lobug.memory.learning.extraction import gaps_of
from lobug.memory.learning.model_requests import GarbledAnswerError
from lobug.memory.learning.summarizer import (
    SPEAKERS,
    UNFIT,
    believed,
    transcript,
)
from lobug.memory.log import Stretch, Within
from lobug.memory.model import LoggedMessage
from lobug.memory.schedule import Backlog
from lobug.memory.settled_words import settled_words
from lobug.storage.connection import Connection

logger = logging.getLogger(__name__)

COPIED_MESSAGES = 40
"""Messages of which one summary by rule chooses its sentences: of more it would tell too little."""

COPIED_CHARS = 12_000
"""The same in characters, about."""

RAW_CHARS = 4_000
"""Length of an entry that keeps messages as they were said, characters, about."""

Pieces = Sequence[tuple[str, Sequence[LoggedMessage]]]
"""Texts of new entries, each with the messages that it covers."""


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


async def consolidate(work: LearningContext, within: Within) -> int:
    """Summarize the unsummarized messages: one entry for each stretch of a session. Returns the
    number of new entries.

    Safe to cancel and to run again. Raises GarbledAnswerError, EngineError, StorageError.
    """
    if not work.scheduler.settings.enable_summarization:
        return 0
    generative = await work.summarizer.is_generative()
    written = 0
    while True:
        stretch = await work.database.read(
            lambda connection: log.next_stretch(connection, work.task.user, within)
        )
        if stretch is None:
            return written
        if generative:
            written += await _generate(work, stretch)
        else:
            few = stretch.messages[:COPIED_MESSAGES]
            _, fitting = transcript(few, COPIED_CHARS)
            taken = Stretch(stretch.conversation, stretch.session_id, few[:fitting])
            work.checkpoint("summarize.before_copying")
            written += await _store(work, taken, await _copied(work, taken))
        if stretch.session_id is not None:
            await condense(work, stretch.session_id)


async def _copied(work: LearningContext, taken: Stretch) -> Pieces:
    known = await work.database.read(
        lambda connection: settled_words(connection, work.task.user, taken.messages)
    )
    return await asyncio.to_thread(copied, taken.messages, known)


def copied(messages: Sequence[LoggedMessage], known: Sequence[Utterance]) -> Pieces:
    """A summary of the user's own sentences; the messages as they were said where that is not
    possible, because another language is spoken. ``known`` are the messages with what memory knows
    of them."""
    summary = summaries.summary_of(known)
    if summary:
        return [(summary, messages)]
    return [(timeline.RAW + text, held) for text, held in raw_pieces(messages)]


async def _generate(work: LearningContext, stretch: Stretch) -> int:
    """Let the model summarize as many messages of a stretch as fit into its window. Returns the
    number of new entries."""
    text, fitting = transcript(stretch.messages, work.summarizer.transcript_chars())
    taken = Stretch(stretch.conversation, stretch.session_id, stretch.messages[:fitting])
    work.checkpoint("summarize.before_model")
    try:
        summary = await work.summarizer.summarize(taken.messages, text, work.task.attempts)
    except UNFIT as error:
        kept = await _note_failure(work, taken)
        if not kept:
            raise
        logger.warning("memory: messages are not summed up by the model: %s", type(error).__name__)
        return kept
    work.checkpoint("summarize.after_model")
    if not summary:
        logger.info("memory: no sentence of a generated summary was true; sentences are copied")
        return await _store(work, taken, await _copied(work, taken))
    return await _store(work, taken, [(summary, taken.messages)])


async def _store(work: LearningContext, taken: Stretch, pieces: Pieces) -> int:
    """Insert the entries of a stretch. Returns their number."""

    def store(connection: Connection) -> int:
        # What was forgotten while the summary was written must not be stored again.
        if not log.unchanged(connection, work.task.user, taken.messages):
            return 0
        return len(pieces) if _insert_entries(connection, work, taken, pieces) else 0

    return await work.database.write("summary", store, of=work.task.user)


async def _note_failure(work: LearningContext, taken: Stretch) -> int:
    """Count a failure of the model; after the last one sentences are copied. Returns the number of
    new entries; 0: it will be tried again."""
    session_id, most = taken.session_id, work.scheduler.settings.max_failures_before_degrade
    pieces = await _copied(work, taken)

    def note(connection: Connection) -> int:
        failures = most if session_id is None else sessions.failed(connection, session_id)
        if failures < most or not log.unchanged(connection, work.task.user, taken.messages):
            return 0
        work.checkpoint("raw.inserting")
        return len(pieces) if _insert_entries(connection, work, taken, pieces) else 0

    return await work.database.write("raw", note, of=work.task.user)


def _insert_entries(
    connection: Connection,
    work: LearningContext,
    taken: Stretch,
    pieces: Pieces,
) -> bool:
    """Insert entries and mark the messages that they cover. Returns False if some are covered
    already."""
    if not log.mark_summarized(
        connection, work.task.user, [message.id for message in taken.messages]
    ):
        return False
    said_at = taken.messages[0].created_at
    for content, held in pieces:
        timeline.insert(
            connection,
            work.task.user,
            taken.conversation,
            believed(connection, work.task.user, content, said_at),
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
    """Shorten the summary of a long session: the sentences that tell most, or the model's words. If
    the model fails, the summary stays cut. Raises StorageError."""
    entries = await work.database.read(
        lambda connection: sessions.entries_to_condense(connection, session_id)
    )
    if not entries:
        return
    work.checkpoint("condense.before_model")
    try:
        if await work.summarizer.is_generative():
            notes = sessions.newest_that_fit(entries, work.summarizer.notes_chars())
            summary = await work.summarizer.condense(notes)
        else:
            summary = ""
    except (GarbledAnswerError, EngineError) as error:
        logger.info("memory: a session's summary stays cut: %s", type(error).__name__)
        return
    if not summary:
        if any(timeline.is_raw(entry) for entry in entries):
            return  # words as they were said have no sentences to choose from
        texts = [timeline.unstamped(entry) for entry in entries]
        summary = await asyncio.to_thread(summaries.shortened, texts, sessions.MAX_SUMMARY_CHARS)
    await work.database.write(
        "condense",
        lambda connection: sessions.store_condensed(connection, session_id, entries, summary),
        of=work.task.user,
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

    await work.database.write("summarize_done", finish, of=task.user)
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

    within = await work.database.write("session_end", begin, of=task.user)
    if within is None:
        return False
    await consolidate(work, within)
    await condense(work, session_id)

    def finish(connection: Connection) -> None:
        if not jobs.complete(connection, task):
            return
        focus.end_of_session(connection, session_id)
        learns = scheduler.settings.enable_user_memories
        if learns and gaps_of(connection, task.user, session_id):
            jobs.add(connection, "gap_fill", task.user, work.now, session_id=session_id)
        scheduler.schedule_distillation(connection, task.user, work.now)

    await work.database.write("session_ended", finish, of=task.user)
    return False
