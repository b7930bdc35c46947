"""Distils the timeline into layer identity, the few lines about a user that are in every prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select

from lobug.language.en import fact_comparison, portrait, speech_acts, summaries, words
from lobug.language.en.prompts import (
    BASE_SCHEMA,
    SECTIONS,
    distill_base_memory_messages,
    is_placeholder,
)
from lobug.memory import facts, identity, jobs, timeline
from lobug.memory.facts import RelevantFact
from lobug.memory.identity import Line
from lobug.memory.index.entry_index import EmbeddedQuery
from lobug.memory.learning.context import LearningContext
from lobug.memory.learning.model_requests import GarbledAnswerError, ask, prompt_chars
from lobug.memory.learning.summarizer import ENGLISH_SHARE
from lobug.memory.model import Entry
from lobug.memory.timeline import Summary
from lobug.storage.connection import Connection
from lobug.storage.statements import among, run
from lobug.storage.tables import memories

TOPIC_CHARS = 2_000
"""Characters of the timeline that facts are searched with."""

DISTILLED_FACTS = 10
"""Facts that the model is shown with the timeline."""

EmbedQuery = Callable[[str], Awaitable[EmbeddedQuery | None]]
"""Returns the vector of a text; None: the embedder fails."""


@dataclass(frozen=True, slots=True)
class ModelInput:
    """The input of the model."""

    identity: str
    taken: Mapping[int, str]
    """Contents of the timeline entries in it, by id."""
    facts: Mapping[int, str]


def answer_tokens(limit: int) -> int:
    """Longest answer for an identity of ``limit`` characters, tokens: one for three characters,
    and the marks of JSON."""
    return limit // 3 + 100


def tidy_identity(answer: str, source: str, limit: int, facts: Sequence[str] = ()) -> list[Line]:
    """Lines of layer identity, by section, from the model's JSON or document.

    Each line stays once and only if ``source`` (the input of the model) says all of it, as far as
    that is English. A line that ``facts`` have made obsolete gets their words. Lines are shortened
    evenly to ``limit`` characters. Raises GarbledAnswerError if no line is left.
    """
    found: dict[str, list[str]] = {section: [] for section in SECTIONS}
    checked = words.is_english(source, ENGLISH_SHARE)
    for section, raw in _lines(answer):
        line = re.sub(r"\s+", " ", raw).strip(" .-*")
        seen = (known.lower() for lines in found.values() for known in lines)
        new = line and not is_placeholder(line) and line.lower() not in seen
        if new and (not checked or _was_given(line, source)):
            found[section].append(fact_comparison.current_line(line, facts))
    found = _by_section(identity.merged(_flat(found)))
    while len(identity.render(_flat(found))) > limit:
        longest = max(found.values(), key=lambda lines: sum(len(line) for line in lines))
        longest.pop()
    lines = _flat(found)
    if not lines:
        raise GarbledAnswerError("layer identity has no line that keeps to what was given")
    return lines


def _was_given(line: str, source: str) -> bool:
    """Whether the model was given all that a line says: no word of its own, no lost "not"."""
    return words.is_supported(line, source) and portrait.is_supported(
        line, [*source.splitlines(), *speech_acts.sentences(source)]
    )


def _flat(found: Mapping[str, Sequence[str]]) -> list[Line]:
    return [(section, line) for section, lines in found.items() for line in lines]


def _by_section(lines: Sequence[Line]) -> dict[str, list[str]]:
    return {name: [text for section, text in lines if section == name] for name in SECTIONS}


def _lines(answer: str) -> Iterator[tuple[str, str]]:
    """Sections and lines of an answer: JSON, or a document."""
    try:
        value = json.loads(re.sub(r"^```\w*\s*|(?:(?<!\s)\s+)?```$", "", answer.strip()))
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
        line = re.sub(r"^[\s#*_>-]+|(?<![\s*_])[\s*_]+$", "", raw).strip()
        for name in SECTIONS:
            if re.match(rf"{name}\W*(:|$)", line, re.IGNORECASE):
                section = name
                line = re.sub(rf"^{name}\W*:?\s*", "", line, flags=re.IGNORECASE)
        if section is not None:
            yield section, line


async def distill(work: LearningContext, embed_query: EmbedQuery) -> bool:
    """Rewrite layer identity so that it takes in the timeline: by rule, or with the model, as many
    entries at a time as fit into its window. Returns whether the model was asked.

    The lines and the marks on the entries are one transaction; an unreadable answer changes
    nothing. Safe to cancel and to run again. Raises GarbledAnswerError, EngineError, StorageError.
    """
    user, up_to_id = work.task.user, work.task.up_to_id or 0
    limit = work.scheduler.settings.identity_chars
    max_tokens = answer_tokens(limit)
    if not await work.summarizer.is_generative():
        await _copy(work)
        return False
    while True:
        base, left = await work.database.read(
            lambda connection: (
                identity.document(connection, user),
                timeline.unincorporated(connection, user, up_to_id),
            )
        )
        if not left:
            break
        topic = " ".join(summary.content for summary in left)[:TOPIC_CHARS]
        shown = await _facts_near(work, await embed_query(topic), topic)
        known = [fact.content for fact in shown]
        room = prompt_chars(
            work.chat, distill_base_memory_messages(base, (), known, limit=limit), max_tokens
        )
        taken = _fitting(left, room)
        work.checkpoint("distill.before_model")
        messages = distill_base_memory_messages(
            base, [summary.content for summary in taken], known, limit=limit
        )
        answer = await ask(
            work.chat,
            messages,
            max_tokens=max_tokens,
            attempts=work.task.attempts,
            json_schema=BASE_SCHEMA,
        )
        work.checkpoint("distill.after_model")
        lines = tidy_identity(answer, messages[-1].content, limit, known)
        given = ModelInput(
            base,
            {summary.id: summary.content for summary in taken},
            {fact.id: fact.content for fact in shown},
        )

        def store(
            connection: Connection, lines: Sequence[Line] = tuple(lines), given: ModelInput = given
        ) -> None:
            # What was forgotten or corrected while the model wrote must not be stored again.
            if not _still_hold(connection, user, given):
                return
            if timeline.mark_incorporated(connection, user, list(given.taken)):
                work.checkpoint("base.rewriting")
                sources = [*given.taken, *given.facts]
                identity.rewrite(
                    connection, user, lines, sources=sources, limit=limit, now=work.now
                )

        await work.database.write("base", store, of=user)

    def finish(connection: Connection) -> None:
        jobs.complete(connection, work.task)
        work.scheduler.schedule_distillation(connection, user, work.now)

    await work.database.write("distill_done", finish, of=user)
    return True


COPIED_FACTS = 80
"""Most facts from which lines are chosen: many more than the document holds."""

WEIGHTS = {"User Profile": 3.0, "Preferences": 1.5, "Ongoing Topics": 1.0, "Key History": 1.0}
"""How much a line of a section counts beside the names and numbers that it holds."""


async def _copy(work: LearningContext) -> None:
    """Rewrite layer identity by rule, and finish the task, in one transaction."""
    user, up_to_id = work.task.user, work.task.up_to_id or 0
    limit = work.scheduler.settings.identity_chars

    def store(connection: Connection) -> None:
        left = timeline.unincorporated(connection, user, up_to_id)
        if left and timeline.mark_incorporated(connection, user, [entry.id for entry in left]):
            known = facts.most_important(connection, user, COPIED_FACTS)
            work.checkpoint("base.rewriting")
            identity.rewrite(
                connection,
                user,
                _chosen(known, left, _history(connection, user), limit),
                sources=[*(entry.id for entry in left), *(fact.id for fact in known)],
                limit=limit,
                now=work.now,
            )
        jobs.complete(connection, work.task)
        work.scheduler.schedule_distillation(connection, user, work.now)

    await work.database.write("base", store, of=user)


def _history(connection: Connection, user: str) -> list[str]:
    """The present lines about the past, as far as what they were distilled from still says it."""
    lines = [
        line
        for line in identity.lines_of(connection, user)
        if line.source == "system" and line.section == "Key History"
    ]
    sources = identity.sources_of(connection, [line.id for line in lines])
    return [line.content for line in lines if portrait.is_supported(line.content, sources[line.id])]


def _chosen(
    known: Sequence[Entry], left: Sequence[Summary], history: Sequence[str], limit: int
) -> list[Line]:
    """The lines that tell most: facts, and what summaries tell of the past."""
    weighed: list[tuple[float, Line]] = []
    for fact in known:
        if portrait.is_lasting(fact.content):
            section = portrait.SECTION_OF[fact.fact_type]
            weight = WEIGHTS[section] + 2.0 * fact.importance + summaries.telling(fact.content)
            weighed.append((weight, (section, portrait.line_of(fact.content))))
    told = [
        line for entry in left for line in portrait.history_in(timeline.unstamped(entry.content))
    ]
    for text in [*history, *map(portrait.line_of, told)]:
        if not portrait.is_covered(text, [line for _, (_, line) in weighed]):
            weight = WEIGHTS["Key History"] + summaries.telling(text)
            weighed.append((weight, ("Key History", text)))
    chosen: list[Line] = []
    for _, line in sorted(weighed, key=lambda one: -one[0]):
        if len(identity.render([*chosen, line])) <= limit:
            chosen = identity.merged([*chosen, line])
    return [line for section in SECTIONS for line in chosen if line[0] == section]


async def _facts_near(
    work: LearningContext, embedded: EmbeddedQuery | None, topic: str
) -> Sequence[RelevantFact]:
    """The user's facts nearest to a text, filled up with the newest ones."""
    user = work.task.user

    def search(connection: Connection) -> list[RelevantFact]:
        near = facts.search(
            connection, user, topic, embedded, k=DISTILLED_FACTS, min_similarity=-1.0
        )
        near = facts.only_believed(connection, user, near)
        known = {fact.id for fact in near}
        newest = facts.newest(connection, user, DISTILLED_FACTS)
        return [*near, *(fact for fact in newest if fact.id not in known)][:DISTILLED_FACTS]

    return await work.database.read(search)


HELD = select(memories.c.id, memories.c.content).where(
    memories.c.user == bindparam("user"),
    memories.c.status == "active",
    among(memories.c.id, "ids"),
)


def _still_hold(connection: Connection, user: str, given: ModelInput) -> bool:
    contents = dict(given.taken) | dict(given.facts)
    held = {row.id: row.content for row in run(connection, HELD, user=user, ids=contents)}
    return held == contents and identity.document(connection, user) == given.identity


def _fitting(left: Sequence[Summary], room: int) -> list[Summary]:
    """The first summaries that fit into ``room`` characters; at least one."""
    taken: list[Summary] = []
    for summary in left:
        room -= len(summary.content) + 3
        if taken and room < 0:
            break
        taken.append(summary)
    return taken
