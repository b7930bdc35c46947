"""What a user said so plainly that it must not be missing from memory. Pure.

Two kinds: corrections ("no, I live in Oslo"; "that's wrong, her name is Hanna") and explicit
statements ("remember that ...", "my name is ..."). When a session ends and no memory cites such a
message, extraction is asked once more for these sentences, and for nothing else.

What happens when nobody has said anything for a while: the session is summed up whole, and what
was said plainly in it and is not known yet is asked for once more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, exists, false, select, true

from lobug.engines.base import ChatModel
from lobug.language.en import speech_acts
from lobug.language.facts import NewFact
from lobug.memory import facts, log, sessions
from lobug.memory.jobs import queue, triggers
from lobug.memory.jobs.queue import Task
from lobug.memory.jobs.schedule import Scheduler
from lobug.memory.jobs.triggers import Backlog
from lobug.memory.learning.consolidation import Consolidating, condense, consolidate
from lobug.memory.learning.extraction import facts_in
from lobug.memory.log import Within
from lobug.storage.database import Checkpoint, Database
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import background_tasks, conversation_log, memories

OWN = r"(?:i|i['\u2019]\w+|im|ive|my|mine|we|we['\u2019]\w+|our)"

CORRECTING = re.compile(
    r"^(?:(?:oh|well|um|uh|sorry|hey|but|and|ah|lo-?bug)\b[\s,.!-]*)*"
    r"(?:no+\b(?:\s*+(?:,\s*+)?no\b)*|nope|not quite|wrong|incorrect|actually|correction|not true"
    r"|that(?:['\u2019]s| is| was)(?: all| quite)? (?:wrong|incorrect|not (?:right|true|correct"
    r"|what i said)|a mistake)"
    r"|you(?:['\u2019]re| are) (?:wrong|mistaken)|you got (?:that|it) wrong"
    r"|i (?:said|meant|told you)(?: that)?)\b[\s,.:;!-]*",
    re.IGNORECASE,
)
"""What a correction opens with, taken off."""

REMEMBERING = re.compile(
    r"^(?:(?:oh|well|um|uh|okay|ok|hey|and|also|lo-?bug|please)\b[\s,.!-]*)*"
    r"(?:(?:can|could|would|will) you\s+)?(?:please\s+)?"
    r"(?:remember|note|keep in mind|don['\u2019]?t forget|never forget|make a note|write down)"
    r"\b\s*(?:that\b|this\b|for me\b)?\s*[:,]?\s*",
    re.IGNORECASE,
)
EXPLICIT = re.compile(
    r"\b(?:my (?:\w+ )?name is|call me|i(?:['\u2019]m| am) (?:called|named)|i (?:much )?prefer"
    r"|my favou?rite|i(?:['\u2019]m| am) allergic|i (?:live|work|was born) (?:in|at|on|for|as)"
    r"|my birthday|for the record|you should know)\b",
    re.IGNORECASE,
)
STATES = re.compile(rf"\b{OWN}\b", re.IGNORECASE)
SOMETHING = re.compile(r"\b\w++(?:\W++\w+){2}")
"""Three words: less states nothing."""


def explicit_statements(text: str) -> list[str]:
    """The sentences of a message that correct Lo-Bug or say something expressly, without what they
    open with. Questions and orders are none; nor is what is said about nobody."""
    found: list[str] = []
    corrects = False
    for sentence in speech_acts.sentences(text):
        told = REMEMBERING.sub("", sentence)
        asked_to_keep = told != sentence
        if asked_to_keep:
            told = told.rstrip("? ")  # "Can you remember that ...?" asks nothing
        rest = CORRECTING.sub("", told)
        corrected = rest != told
        # "That's wrong. My dog is called Rex.": the correction is the next sentence.
        express = asked_to_keep or corrected or corrects or EXPLICIT.search(rest) is not None
        corrects = corrected and SOMETHING.search(rest) is None
        if express and _is_statement(rest):
            found.append(rest)
    return found


def _is_statement(sentence: str) -> bool:
    return (
        SOMETHING.search(sentence) is not None
        and STATES.search(sentence) is not None
        and not speech_acts.is_question(sentence)
        and not speech_acts.is_command(sentence)
        and not speech_acts.is_small_talk(sentence)
    )


MAX_GAPS = 10
"""Messages of a session that are looked at once more: more would be a second extraction."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A message that says something plainly which no memory cites."""

    message_id: int
    said_at: float
    statements: Sequence[str]


async def end(work: Consolidating, task: Task, scheduler: Scheduler) -> None:
    """End a session if it is over. Safe to cancel and to run again. Raises GarbledAnswerError,
    EngineError, StorageError."""
    session_id = task.session_id or 0

    def begin(connection: Connection) -> Within | None:
        if not queue.begin_session_end(connection, task, work.now, scheduler.idle_s):
            return None
        sessions.end(connection, session_id)
        backlog = Backlog(
            log.count_unsummarized_of(connection, session_id), idle_s=scheduler.idle_s
        )
        idle = triggers.due(backlog, scheduler.thresholds()) == "idle"
        last = log.last_of(connection, session_id) if idle else 0
        return Within(last, session_id=session_id)

    within = await work.database.write("session_end", begin)
    if within is None:
        return
    await consolidate(work, task.user, within)
    await condense(work, session_id)

    def finish(connection: Connection) -> None:
        if not queue.complete(connection, task):
            return
        if gaps_of(connection, task.user, session_id):
            queue.add_for_session(connection, "gap_fill", task.user, session_id, work.now)
        scheduler.timeline(connection, task.user, work.now)

    await work.database.write("session_ended", finish)


_log = conversation_log.c
UNCITED = (
    select(_log.id, _log.created_at, _log.content)
    .where(
        _log.session_id == bindparam("session_id"),
        _log.user == bindparam("user"),
        _log.role == "user",
        _log.meant == true(),
        _log.forgotten == false(),
        ~exists(select(1).where(memories.c.source_message_id == _log.id)),
        ~exists(
            select(1).where(
                background_tasks.c.kind == "extract", background_tasks.c.message_id == _log.id
            )
        ),
    )
    .order_by(_log.id.desc())
)


def gaps_of(connection: Connection, user: str, session_id: int) -> list[Gap]:
    """The last messages of a session whose plain statements no memory cites, oldest first. Those
    are left out that extraction has yet to look at."""
    found = [
        Gap(row.id, row.created_at, statements)
        for row in run(connection, UNCITED, session_id=session_id, user=user)
        if (statements := explicit_statements(row.content))
    ]
    return found[:MAX_GAPS][::-1]


async def fill_gaps(
    database: Database, chat: ChatModel, task: Task, *, now: float, checkpoint: Checkpoint
) -> bool:
    """Ask once more for what was said plainly and is not known. Returns whether it was asked for.

    All of it and the end of the task are one transaction. Safe to cancel and to run again. Raises
    GarbledAnswerError, EngineError, StorageError.
    """
    session_id = task.session_id or 0
    missing = await database.read(lambda connection: gaps_of(connection, task.user, session_id))
    found: list[tuple[Gap, list[NewFact]]] = []
    for gap in missing:
        # Warmer than the first time: asked the same way the model would answer the same.
        told = await facts_in(
            chat, gap.statements, attempts=task.attempts + 1, checkpoint=checkpoint
        )
        found.append((gap, told))

    def store(connection: Connection) -> None:
        if not queue.complete(connection, task):
            return
        left = {gap.message_id: gap for gap in gaps_of(connection, task.user, session_id)}
        for gap, told in found:
            if left.get(gap.message_id) == gap:  # not forgotten, nor stored meanwhile
                checkpoint("gaps.inserting")
                facts.insert(
                    connection,
                    task.user,
                    told,
                    message_id=gap.message_id,
                    said_at=gap.said_at,
                    now=now,
                )

    await database.write("gaps", store)
    return bool(missing)
