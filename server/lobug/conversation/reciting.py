"""Recites what memory holds: of the user, of a topic, of a period, and where it is known from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from lobug.conversation.command_context import (
    LIKELY,
    Command,
    CommandAnswer,
    CommandContext,
    hit_of,
)
from lobug.conversation.registry import Question
from lobug.language import language_of
from lobug.language.en import mentions, replies, talk, words
from lobug.language.en.perspective import about_the_user
from lobug.language.protocol import Correct, ReciteTopic, Remember, TalkedAbout, Why
from lobug.memory.model import Entry, Filter, Hit, LoggedMessage, Source
from lobug.memory.timeline import unstamped

MAX_ABOUT_TOPIC = 20
"""Entries from which those about a topic are chosen."""
MAX_TALK = 60
"""Messages from which a period's topics are taken."""
MAX_CITED = 3
"""Messages of a talk to which "how do you know that?" refers."""
MAX_ENTRIES = 1_000
"""Entries among which the most important ones are searched."""

NAMING = words.stems(["name", "called"])


async def recite_everything(context: CommandContext) -> Command:
    """Recite what is known about the user: lines of layer identity, who they are, then one subject
    after the other, then what no relation holds, then words that still wait to be read."""
    user = context.scope.user
    claims, names = await context.memory.claims.everything(user)
    sentences = list(context.memory.claims.reader.recite(claims, names))
    identity = await context.memory.identity(context.scope)
    where = Filter(layer="knowledge", category="knowledge")
    found = await context.memory.entries(context.scope, where, limit=MAX_ENTRIES)
    claiming = await context.memory.claims.having([entry.id for entry in found])
    free = sorted(
        (entry for entry in found if entry.id not in claiming),
        key=lambda entry: (-entry.importance, -entry.said_at),
    )
    written = [entry for entry in identity.entries if entry.source != "system"]
    known = await context.memory.claims.having([entry.id for entry in written])
    first = [entry.content for entry in _once(written) if entry.id not in known]
    more = [entry.content for entry in _once(free) if entry.content not in first]
    more += [about_the_user(text) for text in await context.memory.claims.unread(user)]
    sentences = [
        *(replies.recited_fact(content) for content in first),
        *sentences,
        *(replies.recited_fact(content) for content in more),
    ]
    return _recital(context, tuple(dict.fromkeys(sentences)), (*found, *identity.entries))


def _recital(
    context: CommandContext, sentences: tuple[str, ...], entries: Sequence[Entry]
) -> Command:
    """Say the first sentences and ask whether to go on."""
    if not sentences:
        return _answer(context, (replies.KNOW_NOTHING,), ())
    now, later = sentences[: replies.MOST], sentences[replies.MOST :]
    hits = tuple(hit_of(entry) for entry in entries)[: replies.MOST]

    async def act(_: int) -> CommandAnswer:
        dialogue = context.conversation.dialogue
        dialogue.recited = hits
        if not later:
            return CommandAnswer(now)
        dialogue.question = Question("go_on", context.until(), sentences=later)
        return CommandAnswer((*now, replies.shall_i_go_on(len(later))))

    return Command(context.text, act)


def go_on(context: CommandContext, question: Question) -> Command:
    """The next sentences of a recitation, after the user has said yes."""
    return _recital(context, question.sentences, ())


async def recite_topic(context: CommandContext, said: ReciteTopic) -> Command | None:
    """Recite what is known about a topic. None: nothing is known, and memory may not have been
    meant."""
    claimed = await _recite_claims(context, said.topic)
    if claimed is not None:
        return claimed
    found = await context.search(about_the_user(said.topic), MAX_ABOUT_TOPIC)
    about = [entry for hit, entry in found if _is_about(hit.content, said.topic)]
    if not about and said.sure and not mentions.people_in(said.topic):
        # No person is named who could be confused with another: near in meaning is enough.
        about = [entry for hit, entry in found if hit.confidence >= LIKELY]
    if not about and not said.sure:
        return None
    return _recitation(context, _facts_if_any(_once(about)), replies.unknown(said.topic))


async def _recite_claims(context: CommandContext, topic: str) -> Command | None:
    """Recite what is claimed of a topic. None: nothing is."""
    found = await context.find(topic)
    if found is None or not found.claims:
        return None
    said = context.memory.claims.reader.answer(found.asked, found.claims, (), found.names)
    known = await context.memory.known(context.scope, found.entries[: replies.MOST])
    return _answer(context, (said,), tuple(map(hit_of, known)))


async def recite_sources(context: CommandContext, said: Why) -> Command | None:
    """Tell where the last reply's memories come from. None: it used none, and memory may not
    have been meant."""
    if said.topic is None:
        hits = await context.used()
    else:
        hits = await _claimed(context, said.topic) or await _searched(context, said.topic)
    if hits:
        return _answer(
            context, replies.sources([_origin(hit) for hit in hits], context.today), hits
        )
    return _answer(context, (replies.USED_NONE,), ()) if said.sure else None


async def _claimed(context: CommandContext, topic: str) -> tuple[Hit, ...]:
    """The entry that claims what a topic names."""
    found = await context.find(topic)
    if found is None or not found.entries:
        return ()
    return tuple(map(hit_of, await context.memory.known(context.scope, found.entries[-1:])))


async def _searched(context: CommandContext, topic: str) -> tuple[Hit, ...]:
    """The entry that is about a topic, or else the words that told it."""
    query = about_the_user(topic)
    found = await context.search(query, MAX_ABOUT_TOPIC)
    about = [(hit, entry) for hit, entry in found if _is_about(hit.content, topic)]
    about.sort(key=lambda one: one[1].layer == "archive")
    if about:
        return (about[0][0],)
    said = await context.memory.search(
        context.scope, query, Filter(), limit=MAX_ABOUT_TOPIC, turns=True
    )
    return tuple(
        hit
        for hit in said
        if hit.kind == "turn" and hit.role == "user" and _is_about(hit.content, topic)
    )[:1]


async def recite_talk(context: CommandContext, said: TalkedAbout) -> Command:
    """Tell what the user said in a period, as it stands now."""
    since, until = replies.period(said.period, context.today)
    where = Filter(since=since, until=until)
    hits = await context.memory.search(context.scope, "", where, limit=MAX_TALK, turns=True)
    words = [
        LoggedMessage(hit.id, hit.role, hit.content, hit.said_at, hit.speaker)
        for hit in reversed(hits)
        if hit.kind == "turn"
        and hit.role == "user"
        and hit.content.strip()
        and not asked_of_memory(hit.content)
    ]
    known = await context.memory.settled_words(context.scope, words)
    sentences = talk.talked_about(said.period, known)
    return _answer(context, sentences, tuple(hit for hit in hits if hit.kind == "turn")[:MAX_CITED])


def asked_of_memory(text: str) -> bool:
    """Whether a former message asked something of memory and told nothing: it is no topic of a
    talk."""
    book = language_of("en").commands
    meaning = None if book is None else book.understand(text)
    return meaning is not None and not isinstance(meaning, Remember | Correct)


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
    async def act(_: int) -> CommandAnswer:
        context.conversation.dialogue.recited = recited
        return CommandAnswer(sentences)

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
