"""Commands to recite memory: "what do you know about me?", "which memories did you use?"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lobug.conversation.commands.command import Answer, Command, CommandContext, hit_of
from lobug.language.en import mentions, replies, words
from lobug.language.en.perspective import about_the_user
from lobug.language.protocol import ReciteTopic, Why
from lobug.memory.model import Entry, Filter, Hit, Source
from lobug.memory.timeline import unstamped

MAX_ENTRIES = 1_000
"""Entries among which the most important ones are searched."""
NAMING = words.stems(["name", "called"])
MAX_CANDIDATES = 20
"""Hits from which those about the topic are chosen."""
LIKELY = 0.5
"""Lowest confidence of a memory that is recited without the words of the question."""


async def everything(context: CommandContext) -> Command:
    """Recite what is known about the user: identity, then the most important, then the newest."""
    identity = await context.memory.identity(context.scope)
    where = Filter(layer="knowledge", category="knowledge")
    found = await context.memory.entries(context.scope, where, limit=MAX_ENTRIES)
    ranked = sorted(found, key=lambda entry: (-entry.importance, -entry.said_at))
    return _recitation(context, _once([*identity.entries, *ranked]), replies.KNOW_NOTHING)


async def topic(context: CommandContext, said: ReciteTopic) -> Command | None:
    """Recite what is known about a topic. None: nothing is known, and memory may not have been
    meant."""
    query = about_the_user(said.topic)
    hits = await context.memory.search(context.scope, query, Filter(), limit=MAX_CANDIDATES)
    found = [hit for hit in hits if hit.entry is not None]
    about = [hit for hit in found if _is_about(hit.content, said.topic)]
    if not about and said.sure and not mentions.people_in(said.topic):
        # No person is named who could be confused with another: near in meaning is enough.
        about = [hit for hit in found if hit.confidence >= LIKELY]
    if not about and not said.sure:
        return None
    entries = _once([hit.entry for hit in about if hit.entry])
    return _recitation(context, _facts_if_any(entries), replies.unknown(said.topic))


async def why(context: CommandContext, said: Why) -> Command | None:
    """Tell where the last reply's memories come from. None: it used none, and memory may not
    have been meant."""
    if said.topic is None:
        hits = await context.used()
    else:
        query = about_the_user(said.topic)
        found = await context.memory.search(context.scope, query, Filter(), limit=MAX_CANDIDATES)
        about = [hit for hit in found if hit.entry and _is_about(hit.content, said.topic)]
        about.sort(key=lambda hit: hit.entry is not None and hit.entry.layer == "archive")
        hits = tuple(about[:1])
    if hits:
        return _answer(
            context, replies.origins_told([_origin(hit) for hit in hits], context.today), hits
        )
    return _answer(context, (replies.USED_NONE,), ()) if said.sure else None


def _recitation(context: CommandContext, entries: list[Entry], nothing: str) -> Command:
    contents = [unstamped(entry.content) for entry in entries]
    told = replies.recited(contents) if contents else (nothing,)
    return _answer(context, told, tuple(hit_of(entry) for entry in entries[: replies.MOST]))


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


def _answer(
    context: CommandContext, sentences: tuple[str, ...], recited: tuple[Hit, ...]
) -> Command:
    async def act(_: int) -> Answer:
        context.conversation.dialogue.recited = recited
        return Answer(sentences)

    return Command(context.text, act)


def _facts_if_any(entries: list[Entry]) -> list[Entry]:
    """The facts; if there are none, the summaries, which are long."""
    return [entry for entry in entries if entry.layer != "archive"] or entries


def _once(entries: list[Entry]) -> list[Entry]:
    """Each content once: identity may repeat a fact."""
    return list({" ".join(e.content.lower().split()): e for e in reversed(entries)}.values())[::-1]


def _is_about(content: str, topic: str) -> bool:
    """Whether a content has the words of a topic, or is what the topic names: for "my job" what
    the user works as."""
    named = mentions.topic_of(topic)
    if named is not None and mentions.is_about(content, named):
        return True
    wanted = words.stems(words.content_words(about_the_user(topic))) - {"user"}
    known = words.stems(words.words(content))
    if known & NAMING:  # "my sister's name" and "is called" are one thing
        wanted -= NAMING
    alike = mentions.people_in(topic) <= mentions.people_in(content)
    return bool(wanted) and alike and wanted <= known
