"""Obeys "what do you know about me?" and "which memories did you use?"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lobug.conversation.commands.command import (
    Answer,
    Command,
    Desk,
    hit_of,
)
from lobug.language import words
from lobug.language.commands import ReciteTopic, Why
from lobug.language.en import mentions, replies
from lobug.language.en.perspective import about_the_user
from lobug.memory.control import Entry, Filter, Hit, Source
from lobug.memory.timeline import unstamped

COUNTED = 1_000
"""Entries that are looked through for the most important ones."""
NAMING = words.stems(["name", "called"])
LOOKED_THROUGH = 20
"""Memories of which those are told that are about the topic."""
LIKELY = 0.5
"""Confidence from which a memory is told although it does not have the words of the question."""


async def everything(desk: Desk) -> Command:
    """Tell what is known about the user: identity, then what is important, then what is new."""
    identity = await desk.control.identity(desk.scope)
    where = Filter(layer="knowledge", category="knowledge")
    found = await desk.control.entries(desk.scope, where, limit=COUNTED)
    ranked = sorted(found, key=lambda entry: (-entry.importance, -entry.said_at))
    return _tell(desk, _once([*identity.entries, *ranked]), replies.KNOW_NOTHING)


async def topic(desk: Desk, said: ReciteTopic) -> Command | None:
    """Tell what is known about something; None: memory has nothing, and may not have been meant."""
    query = about_the_user(said.topic)
    hits = await desk.control.search(desk.scope, query, Filter(), limit=LOOKED_THROUGH)
    found = [hit for hit in hits if hit.entry is not None]
    about = [hit for hit in found if _is_about(hit.content, said.topic)]
    if not about and said.sure and not mentions.people_in(said.topic):
        # Nobody is named whom it could be mixed up with: what comes near by its meaning will do.
        about = [hit for hit in found if hit.confidence >= LIKELY]
    if not about and not said.sure:
        return None
    entries = _once([hit.entry for hit in about if hit.entry])
    return _tell(desk, _facts_if_any(entries), replies.unknown(said.topic))


async def why(desk: Desk, said: Why) -> Command | None:
    """Tell where the last reply's memories come from; None: it had none, and may not be meant."""
    if said.topic is None:
        hits = await desk.used()
    else:
        query = about_the_user(said.topic)
        found = await desk.control.search(desk.scope, query, Filter(), limit=LOOKED_THROUGH)
        about = [hit for hit in found if hit.entry and _is_about(hit.content, said.topic)]
        about.sort(key=lambda hit: hit.entry is not None and hit.entry.layer == "archive")
        hits = tuple(about[:1])
    if hits:
        return _say(desk, replies.origins_told([_origin(hit) for hit in hits], desk.today), hits)
    return _say(desk, (replies.USED_NONE,), ()) if said.sure else None


def _tell(desk: Desk, entries: list[Entry], nothing: str) -> Command:
    contents = [unstamped(entry.content) for entry in entries]
    told = replies.recited(contents) if contents else (nothing,)
    return _say(desk, told, tuple(hit_of(entry) for entry in entries[: replies.MOST]))


def _origin(hit: Hit) -> replies.Origin:
    entry = hit.entry
    if entry is None:
        own = hit.role == "assistant"
        return replies.Origin("own turn" if own else "user turn", hit.content, hit.said_at)
    content = unstamped(hit.content)
    if entry.category == "timeline":
        return replies.Origin("notes", content, hit.said_at)
    return replies.Origin(_ORIGINS.get(entry.source, "user"), content, hit.said_at)


_ORIGINS: Mapping[Source, Literal["correction", "import", "agent"]] = {
    "correction": "correction",
    "import": "import",
    "agent": "agent",
}


def _say(desk: Desk, sentences: tuple[str, ...], recited: tuple[Hit, ...]) -> Command:
    async def act(_: int) -> Answer:
        desk.conversation.dialogue.recited = recited
        return Answer(sentences)

    return Command(desk.text, act)


def _facts_if_any(entries: list[Entry]) -> list[Entry]:
    """Facts; what only sums up a conversation is long, and told where there is nothing else."""
    return [entry for entry in entries if entry.layer != "archive"] or entries


def _once(entries: list[Entry]) -> list[Entry]:
    """Each content once: identity may say what is known as well."""
    return list({" ".join(e.content.lower().split()): e for e in reversed(entries)}.values())[::-1]


def _is_about(content: str, topic: str) -> bool:
    """Whether a memory has the words of a topic, or is what it names: of "my job" what the user
    works as."""
    named = mentions.topic_of(topic)
    if named is not None and mentions.is_about(content, named):
        return True
    wanted = words.stems(words.content_words(about_the_user(topic))) - {"user"}
    known = words.stems(words.words(content))
    if known & NAMING:  # "my sister's name" and "is called" are one thing
        wanted -= NAMING
    alike = mentions.people_in(topic) <= mentions.people_in(content)
    return bool(wanted) and alike and wanted <= known
