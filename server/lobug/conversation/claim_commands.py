"""Questions about oneself, corrections and endings that the rules have read: answered from claims,
without the chat model.

What the words claim has changed memory when ``Command.act`` runs: it happens in the transaction
that logs them. The command only says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lobug.conversation.command_context import (
    LIKELY,
    Command,
    CommandAnswer,
    CommandContext,
    hit_of,
)
from lobug.language.claims import STATEMENT, USER, Claim, ClaimReader, Heard
from lobug.language.en import citing, replies, speech_acts, words
from lobug.language.en.citing import Source, known_from, without_request
from lobug.memory.claim_rows import KnownClaim
from lobug.memory.claims.held_claims import sentence_of
from lobug.memory.claims.lookup import Found
from lobug.memory.claims.subjects import Ambiguous
from lobug.memory.model import Entry, Filter, Hit

PLACES = frozenset({"home", "employer", "school", "origin", "grew_up"})
"""Relations that are asked for with "where", which no other relation of the same subject answers:
with whom somebody lives is not where."""

RECENT = 40
"""Last messages of a conversation that are looked through for a correction."""

OPEN_RELATIONS = frozenset({"attribute", "kind", "location", "takes_place"})
"""Relations of anything: a question for one of something of which nothing at all is known is an
ordinary question."""


async def answer(context: CommandContext) -> Command | None:
    """Answer a question about the user or somebody they have spoken of. None: it is another
    question, or what may answer it is in no claim: the chat model looks at all that is recalled."""
    text, asks = without_request(context.text)
    asking = replace(context, text=text)
    told = await _look_up(asking)
    if told is None:
        told = await _look_up_both(asking)
    if isinstance(told, Command):
        return told
    if told is None or not told.holds:
        told = await _stated(asking) or told
    told = told or await _untold(asking)
    if told is None:
        return None
    entries = tuple(dict.fromkeys(told.entries))[: replies.MOST]
    if await context.memory.claims.may_be_wrong(context.scope.user, entries):
        return None  # the chat model has the words that may put it right before it
    hits = tuple(map(hit_of, await context.memory.known(context.scope, entries)))
    cites = asks or context.cites
    doubted = await context.memory.claims.doubts(context.scope.user, entries)
    said = (replies.DOUBTED, *told.sentences) if doubted else told.sentences
    sources = [Source(_kind(hit.entry), hit.content, hit.said_at) for hit in hits if hit.entry]
    citation = known_from(sources, context.today) if cites else ""

    async def act(_: int) -> CommandAnswer:
        context.conversation.dialogue.recited = hits
        return CommandAnswer(said, citation=citation)

    return Command(context.text, act)


@dataclass(frozen=True, slots=True)
class _Told:
    """What claims answer."""

    sentences: tuple[str, ...]
    entries: tuple[int, ...]
    """Those that it rests on."""
    holds: bool = True
    """It tells what is so now, and not only what was."""


async def _look_up(context: CommandContext) -> _Told | Command | None:
    """The answer to a single question, or the command that asks who is meant."""
    reader = context.memory.claims.reader
    asked = reader.read_question(context.text)
    if asked is None or (asked.of_talk and await _is_in_trouble(context)):
        return None
    found = await context.memory.claims.find(context.conversation.conversation_key, asked)
    if found is None:
        return None
    if isinstance(found, Ambiguous):
        return context.say(replies.which_one(found.name, found.subjects))
    past = [(claim, replies.until(ended_at, context.today)) for claim, ended_at in found.over]
    said = reader.answer(found.asked, found.claims, past, found.names)
    nothing = asked.relation is not None or not (found.claims or found.over)
    # Names alone may tell what is asked, claims of one relation always do.
    nothing = nothing and not (found.active and asked.value is None)
    if nothing and said == reader.answer(found.asked, (), (), found.names):
        unheard_of = asked.relation in OPEN_RELATIONS and not (found.related or found.asked.surely)
        if asked.relation is None or unheard_of:
            return None
        if not context.memory.keeps_user_memories or await _may_know(context, await _hits(context)):
            return None  # what is not kept may have been told
        return _Told((said,), (), holds=False)
    decided = bool(found.claims) or found.asked.past or asked.value is not None
    return _Told((said,), _used(found, said), holds=decided)


async def _is_in_trouble(context: CommandContext) -> bool:
    """Whether the user has just told something that is of no relation, so that "what do I do?" may
    ask for advice."""
    said = await context.memory.recent_messages(context.conversation.conversation_key, 4)
    last = next((one.content for one in reversed(said) if one.role == "user"), "")
    claims = context.memory.claims.reader.read(last).claims
    of_relations = any(claim.relation != STATEMENT for claim in claims)
    return bool(last) and not speech_acts.is_question(last) and not of_relations


async def _stated(context: CommandContext) -> _Told | None:
    """The latest statement of no relation that tells what is asked, in the user's words."""
    claims, user = context.memory.claims, context.scope.user
    asked = claims.reader.read_question(context.text)
    if asked is None and not speech_acts.is_question(context.text):
        return None

    def fits(one: KnownClaim) -> bool:
        of_place = asked is not None and asked.relation in PLACES
        if asked is None or not of_place or one.subject != asked.subject:
            return True
        return one.relation in {STATEMENT, asked.relation}

    told = await claims.telling_words(user, context.text, fits)
    if told.holding is not None:
        said = replies.stated(told.holding.content, context.text)
        return _Told((said,), (told.holding.entry_id,))
    if told.over is None:
        return None
    since = None if told.since is None else told.since.content
    said = replies.no_more(told.over.content, since, context.text)
    return _Told((said,), ((told.since or told.over).entry_id,))


async def _untold(context: CommandContext) -> _Told | None:
    """The answer to a question that only the user could have answered: what they said of it, or
    that they never did."""
    if not context.memory.keeps_user_memories:
        return None
    reader = context.memory.claims.reader
    said = reader.unknown(context.text) or reader.unknown(context.text, await _spoken_of(context))
    if not said:
        return None
    hits = await _hits(context)
    recalled = await _recalled(context, hits)
    if recalled:
        return _Told((recalled,), ())
    read = reader.read_question(context.text)
    of_relation = read is not None and read.relation not in OPEN_RELATIONS | {None}
    if await _may_know(context, hits, stated=not of_relation):
        return None
    return _Told((said,), (), holds=False)


async def _hits(context: CommandContext) -> Sequence[Hit]:
    """What memory finds for a question, among former turns too."""
    return await context.memory.search(context.scope, context.text, Filter(), limit=6, turns=True)


async def _recalled(context: CommandContext, hits: Sequence[Hit]) -> str:
    """What the user said in a former turn that tells what is asked, of which memory keeps nothing,
    and that has not been put right since; empty: nothing."""
    memory, reader = context.memory, context.memory.claims.reader
    turns = sorted(
        (hit for hit in hits if hit.role == "user" and hit.speaker is None), key=lambda hit: -hit.id
    )
    latest = await memory.recent_messages(context.conversation.conversation_key, RECENT)
    since = {one.id: one.content for one in latest if one.role == "user"}
    since |= {turn.id: turn.content for turn in turns}
    answers = reader.answering(context.text)
    for turn in turns:
        told = [
            one
            for one in speech_acts.statements(turn.content)
            if answers(one) and await _still_holds(context, turn.id, one)
        ]
        later = [said for at, said in since.items() if at > turn.id]
        # Long messages take a while to be read, and the loop serves everybody.
        if told and not await asyncio.to_thread(_are_changed, reader, told, later):
            return replies.recalled(told[0], turn.said_at, context.today)
    return ""


async def _still_holds(context: CommandContext, message_id: int, sentence: str) -> bool:
    """Whether a former sentence states something, of which nothing that was kept is over."""
    claims = context.memory.claims
    if claims.reader.read(sentence).unread:
        return True
    made = (await claims.changed_by(context.scope.user, message_id)).stored
    return bool(made) and all(one.status == "active" for one in made)


def _are_changed(reader: ClaimReader, told: Sequence[str], later: Sequence[str]) -> bool:
    """Whether later words put one of some former sentences right, or say that it is over."""
    for said in later:
        overtakes = reader.overtaking(Claim(USER, STATEMENT, said, text=said))
        if any(map(overtakes, told)) or reader.read(said).corrects:
            return True
    return False


async def _spoken_of(context: CommandContext) -> frozenset[str]:
    """The name that a question asks about, if the user has spoken of somebody of that name."""
    claims = context.memory.claims
    name, of_people = claims.reader.named(context.text)
    if not name:
        return frozenset()
    if await claims.knows_name(context.scope.user, name):
        return frozenset({name})
    hits = await context.memory.search(context.scope, name, Filter(), limit=6, turns=True)
    said = [hit.content.lower() for hit in hits if hit.kind == "memory" or hit.role == "user"]
    mentioned = of_people and any(f" {name} " in f" {' '.join(words.words(one))} " for one in said)
    return frozenset({name}) if mentioned else frozenset()


async def _look_up_both(context: CommandContext) -> _Told | None:
    """The answers to two questions in one breath: "What's my name and how old am I?"."""
    first, joined, second = context.text.partition(" and ")
    if not joined or context.memory.claims.reader.read_question(second) is None:
        return None
    told = [await _look_up(replace(context, text=text)) for text in (f"{first}?", second)]
    one, other = told
    if not (isinstance(one, _Told) and isinstance(other, _Told)):
        return None
    return _Told((*one.sentences, *other.sentences), (*one.entries, *other.entries))


def _used(found: Found, said: str) -> tuple[int, ...]:
    """The entries that an answer rests on: those whose value it tells, and all of what was asked
    where it tells none, as "Yes, you smoke." does."""
    told = words.stems(words.words(said))
    implied = [one for claims in found.implied.values() for one in claims]
    own = (*found.active, *found.past)
    for claims in (own, implied, found.related):
        used = [
            one
            for one in claims
            if one.value and words.stems(words.content_words(one.value)) <= told
        ]
        if used:
            return tuple(dict.fromkeys(one.entry_id for one in used))
    return found.entries


def _kind(entry: Entry) -> citing.Kind:
    if entry.layer == "identity":
        return "identity"
    return _KINDS.get(entry.source, "told")


_KINDS: Mapping[str, citing.Kind] = {"import": "import", "agent": "agent"}


async def _may_know(context: CommandContext, hits: Sequence[Hit], *, stated: bool = False) -> bool:
    """Whether something that the rules could not read may answer the question: a free sentence,
    former words, or a line of layer identity, which is in every prompt. ``stated``: what is kept as
    it was said has been looked through."""
    claims = context.memory.claims
    known_of = claims.having if stated else claims.of_relations
    lines = [
        entry.id
        for entry in (await context.memory.identity(context.scope)).entries
        if entry.source != "system"  # what Lo-Bug distils is from facts
    ]
    if len(await known_of(lines)) < len(lines):
        return True
    asked = [hit for hit in hits if hit.kind == "memory" or _states(hit)]
    if stated and any(claims.reader.may_tell(context.text, hit.content) for hit in asked):
        return True
    lacks = claims.reader.lacks
    likely = [
        hit for hit in asked if hit.confidence >= LIKELY and not lacks(context.text, hit.content)
    ]
    claiming = await known_of([hit.id for hit in likely if hit.kind == "memory"])

    def unread(said: str) -> bool:
        heard = claims.reader.read(said)
        return bool(heard.unread) and not (stated and heard.is_kept)

    return any(
        hit.id not in claiming if hit.kind == "memory" else unread(hit.content) for hit in likely
    )


def _states(hit: Hit) -> bool:
    """Whether a hit is a former turn in which the user told something."""
    return hit.role == "user" and hit.speaker is None and not speech_acts.is_question(hit.content)


async def correct(context: CommandContext, heard: Heard) -> Command | None:
    """Say what a correction or an ending has changed. None: no claim in it can be understood, or
    none is kept."""
    if not context.memory.keeps_user_memories:
        return None
    if not heard.claims and not await _completes(context, heard):
        return None

    async def act(message_id: int) -> CommandAnswer:
        change = await context.memory.claims.changed_by(context.scope.user, message_id)
        said = _told(context, change.stored, change.retired, heard)
        return CommandAnswer((said,), extract=True)

    return Command(context.text, act)


async def correct_by_statement(context: CommandContext, heard: Heard) -> Command | None:
    """The answer to "what is right?" that is a statement: it puts right, though it does not say
    so."""
    marked = replace(
        heard, claims=tuple(replace(claim, corrects=True) for claim in heard.claims), corrects=True
    )
    command = await correct(context, marked)
    return None if command is None else replace(command, heard=marked)


async def correct_by_value(context: CommandContext) -> Command | None:
    """The answer to "what is right?" that is only a value: "thirty-five"."""
    heard = context.memory.claims.reader.read(f"No, {context.text}")
    command = await correct(context, heard)
    return None if command is None else replace(command, heard=heard)


async def _completes(context: CommandContext, heard: Heard) -> bool:
    """Whether a bare value fits something that was talked about."""
    if not heard.fragments:
        return False
    key = context.conversation.conversation_key
    return await context.memory.claims.completes(key, heard)


def _told(
    context: CommandContext,
    stored: Sequence[KnownClaim],
    retired: Sequence[KnownClaim],
    heard: Heard,
) -> str:
    active = [one.content for one in stored if one.status == "active"]
    if active and retired:
        return replies.corrected(active[-1])
    if active:
        return replies.remembered(active)
    wrong = heard.corrects and not any(claim.ended for claim in heard.claims)
    over = retired if wrong and retired else (*retired, *stored)
    if over:
        last = replace(over[-1].claim, holds=False, ended=not wrong)
        if wrong and not retired:  # it tells of a former time
            last = replace(last, holds=True, past=True)
        return replies.corrected(sentence_of(context.memory.claims.reader, last, {}))
    return replies.known_already() if heard.claims else replies.NEVER_MIND
