"""Extracts facts from the user's messages.

When a session is over, statements that no memory cites are tried once more: corrections ("no, I
live in Oslo"; "that's wrong, her name is Hanna") and explicit statements ("remember that ...", "my
name is ...").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, exists, false, select, true

from lobug.language.claims import Heard
from lobug.language.en import fact_checks, fact_comparison, speech_acts
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.prompts import FACTS_SCHEMA, fact_extraction_messages
from lobug.language.en.speech_acts import explicit_statements
from lobug.language.protocol import Candidate, NewFact
from lobug.memory import facts, jobs, log
from lobug.memory.claims import revisable
from lobug.memory.learning import revision
from lobug.memory.learning.context import LearningContext
from lobug.memory.learning.model_requests import GarbledAnswerError, ask
from lobug.memory.model import LoggedMessage
from lobug.storage.connection import Connection
from lobug.storage.statements import run
from lobug.storage.tables import background_tasks, conversation_log, memories

MAX_TOKENS = 256
"""Longest answer to one piece, tokens: six facts."""

PIECE_CHARS = 700
"""Length of a piece of the user's words: about 150 words, from which six facts can come."""


def parse(answer: str) -> list[Candidate]:
    """The facts in an answer. A code fence, an object around the array and entries that are not
    facts are tolerated. Raises GarbledAnswerError if it is not JSON or was cut off."""
    text = re.sub(r"^```\w*\s*|(?:(?<!\s)\s+)?```$", "", answer.strip())
    try:
        value = json.loads(text)
    except ValueError as error:
        raise GarbledAnswerError("the answer is not JSON") from error
    if isinstance(value, dict):
        value = next((inner for inner in value.values() if isinstance(inner, list)), [value])
    if not isinstance(value, list):
        raise GarbledAnswerError("the answer is not a list of facts")
    return [
        Candidate(entry["fact"], entry["type"])
        for entry in value
        if isinstance(entry, dict)
        and isinstance(entry.get("fact"), str)
        and isinstance(entry.get("type"), str)
    ]


def pieces(statements: Sequence[str], limit: int = PIECE_CHARS) -> Iterator[str]:
    """Statements in pieces of about ``limit`` characters; longer ones are cut at spaces."""
    piece = ""
    for statement in statements:
        for part in _cut(statement, limit):
            if piece and len(piece) + len(part) >= limit:
                yield piece
                piece = ""
            piece = f"{piece} {part}".strip()
    if piece:
        yield piece


def _cut(text: str, limit: int) -> Iterator[str]:
    while len(text) > limit:
        end = text.rfind(" ", 1, limit)
        end = end if end > 0 else limit
        yield text[:end]
        text = text[end:].strip()
    if text:
        yield text


async def facts_in(
    work: LearningContext, statements: Sequence[str], *, attempts: int
) -> list[NewFact]:
    """Ask the model for the facts in the user's statements, piece by piece. Raises
    GarbledAnswerError, EngineError."""
    found: list[NewFact] = []
    for piece in pieces(statements):
        work.checkpoint("extract.before_model")
        answer = await ask(
            work.chat,
            fact_extraction_messages(piece),
            max_tokens=MAX_TOKENS,
            attempts=attempts,
            json_schema=FACTS_SCHEMA,
        )
        work.checkpoint("extract.after_model")
        accepted = fact_checks.accept(parse(answer), piece)
        contents = [fact.content for fact in accepted]
        found += [
            fact for fact in accepted if not fact_comparison.only_denies(fact.content, contents)
        ]
    return found


async def extract(work: LearningContext) -> bool:
    """Extract the facts of one message. Returns whether the model was asked.

    The facts and the end of the task are one transaction, so they are stored exactly once. Safe to
    cancel and to run again. Raises GarbledAnswerError, EngineError, StorageError.
    """
    task, message_id = work.task, work.task.message_id
    if message_id is None:
        raise ValueError("an extraction task names a message")

    def look(connection: Connection) -> tuple[LoggedMessage, Heard, list[revisable.Earlier]] | None:
        message = log.message(connection, task.user, message_id)
        if message is None:
            return None
        heard = CLAIMS.read(message.content)
        return message, heard, revisable.earlier_than(connection, task.user, message, heard)

    seen = await work.database.read(look)
    statements: Sequence[str] = ()
    message: LoggedMessage | None = None
    revised, compared = None, False
    if seen is not None:
        message, heard, earlier = seen
        statements = _unread(message.content, heard)
        compared = bool(earlier)
        revised = await revision.revised_by(work.chat, message, earlier, attempts=task.attempts)
    if revised is not None and revised.revision.leans:
        right = revised.revision.right.lower()  # its statement says nothing by itself
        statements = [one for one in statements if right not in one.lower()]
    found = await facts_in(work, statements, attempts=task.attempts)
    said_at = message.created_at if message is not None else 0.0

    def store(connection: Connection) -> None:
        if jobs.complete(connection, task):
            if message is not None and revised is not None:
                revision.revise(connection, task.user, message, revised, work.now)
            work.checkpoint("facts.inserting")
            facts.insert(
                connection, task.user, found, message_id=message_id, said_at=said_at, now=work.now
            )

    await work.database.write("facts", store, of=task.user)
    return compared or bool(statements)


def _unread(text: str, heard: Heard) -> Sequence[str]:
    """The statements of a message that the rules have not read already, in the turn itself.
    ``heard``: what they have read."""
    return heard.unread if heard.claims else speech_acts.statements(text)


MAX_GAPS = 10
"""Most gaps of a session: more would be a second extraction."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A message with plain statements that no memory cites."""

    message_id: int
    said_at: float
    statements: Sequence[str]


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


async def fill_gaps(work: LearningContext) -> bool:
    """Extract facts from the gaps of a session. Returns whether the model was asked.

    All facts and the end of the task are one transaction. Safe to cancel and to run again. Raises
    GarbledAnswerError, EngineError, StorageError.
    """
    task, session_id = work.task, work.task.session_id or 0
    missing = await work.database.read(lambda c: gaps_of(c, task.user, session_id))
    # One attempt more raises the temperature: the same request would get the same answer.
    found = [
        (gap, await facts_in(work, gap.statements, attempts=task.attempts + 1)) for gap in missing
    ]

    def store(connection: Connection) -> None:
        if not jobs.complete(connection, task):
            return
        left = {gap.message_id: gap for gap in gaps_of(connection, task.user, session_id)}
        for gap, new in found:
            if left.get(gap.message_id) == gap:  # not forgotten, nor stored meanwhile
                work.checkpoint("gaps.inserting")
                facts.insert(
                    connection,
                    task.user,
                    new,
                    message_id=gap.message_id,
                    said_at=gap.said_at,
                    now=work.now,
                )

    await work.database.write("gaps", store, of=task.user)
    return bool(missing)
