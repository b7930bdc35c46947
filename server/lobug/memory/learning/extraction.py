"""Extracts facts from the user's messages, the first background step."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from lobug.engines.base import ChatModel
from lobug.language.en import fact_checks, fact_comparison, speech_acts
from lobug.language.en.prompts import FACTS_SCHEMA, fact_extraction_messages
from lobug.language.protocol import Candidate, NewFact
from lobug.memory import facts, log
from lobug.memory.jobs import queue
from lobug.memory.jobs.queue import Task
from lobug.memory.learning.model_request import ask
from lobug.storage.database import Checkpoint, Database
from lobug.storage.driver import Connection

MAX_TOKENS = 256
"""Longest answer to one piece, tokens: six facts."""

PIECE_CHARS = 700
"""Length of a piece of the user's words: about 150 words, from which six facts can come."""


class GarbledAnswerError(Exception):
    """The model's answer is not what was asked for. Never leaves the background worker."""


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
    chat: ChatModel, statements: Sequence[str], *, attempts: int, checkpoint: Checkpoint
) -> list[NewFact]:
    """Ask the model for the facts in the user's statements, piece by piece. Raises
    GarbledAnswerError, EngineError."""
    found: list[NewFact] = []
    for piece in pieces(statements):
        checkpoint("extract.before_model")
        answer = await ask(
            chat,
            fact_extraction_messages(piece),
            max_tokens=MAX_TOKENS,
            attempts=attempts,
            json_schema=FACTS_SCHEMA,
        )
        checkpoint("extract.after_model")
        facts = fact_checks.accept(parse(answer), piece)
        told = [fact.content for fact in facts]
        found += [fact for fact in facts if not fact_comparison.only_denies(fact.content, told)]
    return found


async def extract(
    database: Database, chat: ChatModel, task: Task, *, now: float, checkpoint: Checkpoint
) -> bool:
    """Run one extraction task. Returns whether the model was asked.

    The facts and the end of the task are one transaction, so they are stored exactly once. Safe to
    cancel and to run again. Raises GarbledAnswerError, EngineError, StorageError.
    """
    message_id = task.message_id
    if message_id is None:
        raise ValueError("an extraction task names a message")
    message = await database.read(lambda connection: log.message(connection, task.user, message_id))
    statements = speech_acts.statements(message.content) if message is not None else []
    found = await facts_in(chat, statements, attempts=task.attempts, checkpoint=checkpoint)
    said_at = message.created_at if message is not None else 0.0

    def store(connection: Connection) -> None:
        if queue.complete(connection, task):
            checkpoint("facts.inserting")
            facts.insert(
                connection, task.user, found, message_id=message_id, said_at=said_at, now=now
            )

    await database.write("facts", store)
    return bool(statements)
