"""The second and third background steps: from messages to summaries, from those to base memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from lobug.engines.base import ChatModel
from lobug.memory import identity, log, replacing, tasks, timeline, words
from lobug.memory.asking import ask, prompt_chars
from lobug.memory.base import LoggedMessage, RelevantFact
from lobug.memory.database import Checkpoint, Database
from lobug.memory.driver import Connection
from lobug.memory.extraction import GarbledAnswerError
from lobug.memory.identity import Line
from lobug.memory.prompts import (
    BASE_SCHEMA,
    SECTIONS,
    distill_base_memory_messages,
    summarize_conversation_messages,
)
from lobug.memory.tasks import Task
from lobug.memory.timeline import Summary
from lobug.settings import MemorySettings

SUMMARY_TOKENS = 220
"""Longest summary, tokens: five long sentences."""

SUMMARY_SENTENCES = 5

BASE_TOKENS = 700
"""Longest base memory, tokens: 400 words and their list marks."""

ENGLISH_SHARE = 0.25
"""From this share of small English words on, what the model was given is English and its answer can
be checked by its words: people talking have 0.45 and more, German to Spanish 0.13 to 0.17. In
another language "wohne" and "wohnt" are two words, and nothing would ever be summarized."""

CLIP_CHARS = 1_500
"""A single message is shown to the summarizer at most so long."""

SPEAKERS = {"user": "User", "assistant": "Lo-Bug"}


def note_due(connection: Connection, user: str, settings: MemorySettings, now: float) -> None:
    """Note the cascades of a user whose thresholds are reached."""
    if log.count_unsummarized(connection, user) >= settings.short_term_threshold:
        up_to = log.last_to_summarize(connection, user, settings.short_term_keep)
        if up_to is not None:
            tasks.add_cascade(connection, "summarize", user, up_to, now)
    if timeline.count_unincorporated(connection, user) >= settings.long_term_threshold:
        up_to = timeline.last_to_incorporate(connection, user, settings.long_term_keep)
        if up_to is not None:
            tasks.add_cascade(connection, "distill", user, up_to, now)


def note_all_due(connection: Connection, settings: MemorySettings, now: float) -> None:
    """At the start: note the cascades of everybody; the thresholds may have changed."""
    for user in {
        *log.users_over(connection, settings.short_term_threshold),
        *timeline.users_over(connection, settings.long_term_threshold),
    }:
        note_due(connection, user, settings, now)


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


def tidy_summary(answer: str, source: str) -> str:
    """A summary as one paragraph of at most five sentences that keep to an English transcript.

    Raises GarbledAnswerError for an answer that is no prose or about something else.
    """
    text = re.sub(r"^(?:the\s+)?summary\s*:\s*", "", answer.strip(), flags=re.IGNORECASE)
    text = re.sub(r"[*_#`]+", "", re.sub(r"\s+", " ", text)).strip()
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z\"'])", text)
    if len(sentences) > 1 and not re.search(r"[.!?][\"']?$", sentences[-1]):
        sentences.pop()  # cut off in the middle
    shortest = 8  # characters: not every script has spaces
    if words.is_english(source, ENGLISH_SHARE):
        known = f"{source} Lo-Bug user assistant"
        sentences = [part for part in sentences if words.borne_out(part, known, 0.4)]
        shortest = 16
    text = " ".join(sentences[:SUMMARY_SENTENCES])
    if len(text) < shortest or text.startswith(("{", "[")):
        raise GarbledAnswerError("the summary is empty, no prose, or about something else")
    return text


def tidy_identity(answer: str, source: str, limit: int, facts: Sequence[str] = ()) -> list[Line]:
    """Lines of layer identity, by section, from the model's JSON or from a document.

    Only lines that keep to ``source`` (what the model was given), if that is English, stay, each
    once, shortened evenly to ``limit`` characters; a line that ``facts`` have made obsolete says
    what they say.
    Raises GarbledAnswerError when no line is left.
    """
    found: dict[str, list[str]] = {section: [] for section in SECTIONS}
    checked = words.is_english(source, ENGLISH_SHARE)
    for section, raw in _lines(answer):
        line = re.sub(r"\s+", " ", raw).strip(" .-*")
        seen = (known.lower() for lines in found.values() for known in lines)
        new = line and not _says_nothing(line) and line.lower() not in seen
        if new and (not checked or words.borne_out(line, source)):
            found[section].append(replacing.up_to_date(line, facts))
    while len(identity.render(_flat(found))) > limit:
        longest = max(found.values(), key=lambda lines: sum(len(line) for line in lines))
        longest.pop()
    lines = _flat(found)
    if not lines:
        raise GarbledAnswerError("layer identity has no line that keeps to what was given")
    return lines


def _flat(found: Mapping[str, Sequence[str]]) -> list[Line]:
    return [(section, line) for section, lines in found.items() for line in lines]


def _lines(answer: str) -> Iterator[tuple[str, str]]:
    """Sections and lines of an answer: JSON, or the document as text."""
    try:
        value = json.loads(re.sub(r"^```\w*\s*|\s*```$", "", answer.strip()))
    except ValueError:
        yield from _lines_of_text(answer)
        return
    if isinstance(value, dict):
        for section in SECTIONS:
            lines = value.get(section)
            for line in lines if isinstance(lines, list) else []:
                if isinstance(line, str):
                    yield section, line


def _lines_of_text(answer: str) -> Iterator[tuple[str, str]]:
    section: str | None = None
    for raw in answer.splitlines():
        line = re.sub(r"^[\s#*_>-]+|[\s*_]+$", "", raw).strip()
        for name in SECTIONS:
            if re.match(rf"{name}\W*(:|$)", line, re.IGNORECASE):
                section = name
                line = re.sub(rf"^{name}\W*:?\s*", "", line, flags=re.IGNORECASE)
        if section is not None:
            yield section, line


def _says_nothing(line: str) -> bool:
    return (
        re.match(
            r"^\(?(?:none|n/?a|empty|unknown|nothing|no (?:information|data|specific)\b.*"
            r"|not (?:specified|provided|given|mentioned|known)\b.*)\)?\.?$",
            line,
            re.IGNORECASE,
        )
        is not None
    )


async def summarize(
    database: Database,
    chat: ChatModel,
    task: Task,
    *,
    settings: MemorySettings,
    now: float,
    checkpoint: Checkpoint,
) -> int:
    """Do one short-term cascade: one summary for each stretch of a conversation that fits into the
    model's window, until no message up to the task's last one is left. Returns how many.

    A summary and the mark on its messages are one transaction. Safe to cancel and to run again.
    Raises GarbledAnswerError, EngineError, StorageError.
    """
    up_to_id = task.up_to_id or 0
    limit = prompt_chars(chat, summarize_conversation_messages(""), SUMMARY_TOKENS)
    written = 0
    while True:
        stretch = await database.read(
            lambda connection: log.next_stretch(connection, task.user, up_to_id)
        )
        if stretch is None:
            break
        text, fitting = transcript(stretch.messages, limit)
        covered = [message.id for message in stretch.messages[:fitting]]
        conversation = stretch.conversation
        checkpoint("summarize.before_model")
        answer = await ask(
            chat,
            summarize_conversation_messages(text),
            max_tokens=SUMMARY_TOKENS,
            attempts=task.attempts,
        )
        checkpoint("summarize.after_model")
        summary = tidy_summary(answer, text)

        def store(
            connection: Connection,
            summary: str = summary,
            covered: Sequence[int] = tuple(covered),
            conversation: str = conversation,
        ) -> int:
            if not log.mark_summarized(connection, task.user, covered):
                return 0
            timeline.insert(
                connection,
                task.user,
                conversation,
                summary,
                source_from_id=covered[0],
                source_to_id=covered[-1],
                now=now,
            )
            return 1

        written += await database.write("summary", store)

    def finish(connection: Connection) -> None:
        tasks.complete(connection, task)
        note_due(connection, task.user, settings, now)

    await database.write("summarize_done", finish)
    return written


async def distill(
    database: Database,
    chat: ChatModel,
    task: Task,
    *,
    settings: MemorySettings,
    now: float,
    checkpoint: Checkpoint,
    facts: Sequence[RelevantFact],
) -> None:
    """Do one long-term cascade: rewrite base memory so that it takes in the summaries, as many at
    a time as fit into the model's window.

    The document and the mark on its summaries are one transaction; what cannot be read as a base
    memory changes nothing. Safe to cancel and to run again. Raises GarbledAnswerError,
    EngineError, StorageError.
    """
    user, up_to_id = task.user, task.up_to_id or 0
    while True:
        base, left = await database.read(
            lambda connection: (
                identity.document(connection, user),
                timeline.unincorporated(connection, user, up_to_id),
            )
        )
        if not left:
            break
        known = [fact.content for fact in facts]
        room = prompt_chars(chat, distill_base_memory_messages(base, (), known), BASE_TOKENS)
        taken = _fitting(left, room)
        checkpoint("distill.before_model")
        messages = distill_base_memory_messages(base, [summary.content for summary in taken], known)
        answer = await ask(
            chat,
            messages,
            max_tokens=BASE_TOKENS,
            attempts=task.attempts,
            json_schema=BASE_SCHEMA,
        )
        checkpoint("distill.after_model")
        lines = tidy_identity(answer, messages[-1].content, settings.identity_chars, known)
        ids = [summary.id for summary in taken]

        def store(
            connection: Connection,
            lines: Sequence[Line] = tuple(lines),
            ids: Sequence[int] = tuple(ids),
        ) -> None:
            if timeline.mark_incorporated(connection, user, ids):
                identity.rewrite(
                    connection,
                    user,
                    lines,
                    sources=[*ids, *(fact.id for fact in facts)],
                    limit=settings.identity_chars,
                    now=now,
                )

        await database.write("base", store)

    def finish(connection: Connection) -> None:
        tasks.complete(connection, task)
        note_due(connection, user, settings, now)

    await database.write("distill_done", finish)


def _fitting(left: Sequence[Summary], room: int) -> list[Summary]:
    """The first summaries that fit into so many characters; at least one."""
    taken: list[Summary] = []
    for summary in left:
        room -= len(summary.content) + 3
        if taken and room < 0:
            break
        taken.append(summary)
    return taken
