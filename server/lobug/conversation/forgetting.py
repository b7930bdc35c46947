"""Forgets what somebody asks to be forgotten.

Erasing cannot be undone, so Lo-Bug asks first when it is unsure what is meant; no reply and no line
of the log repeats what is to be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lobug.conversation.command_context import (
    LIKELY,
    Command,
    CommandAnswer,
    CommandContext,
    entries_of,
)
from lobug.conversation.registry import Question
from lobug.errors import MemoryNotFoundError
from lobug.language.en import mentions, replies, words
from lobug.language.en.perspective import about_the_user
from lobug.language.en.speech_acts import statements as statements_in
from lobug.language.protocol import ForgetLast, ForgetStatement, ForgetTopic
from lobug.memory.claims.lookup import Found
from lobug.memory.model import Entry, Forgotten, MemoryScope, Purge

BLANKED = "[asked to forget something]"
"""Logged instead of a request to forget, which repeats the words to be forgotten."""

MAX_ASKED = 3
"""Entries that one question asks about."""


async def forget_statement(
    context: CommandContext, said: ForgetStatement, *, guessed: bool = False
) -> Command | None:
    """Forget a statement. None: the model guessed the command, and no memory matches."""
    texts = (about_the_user(said.statement), said.statement)
    claimed = None if guessed else await _forget_claims(context, said.statement, texts)
    if claimed is None and not guessed:
        claimed = await _forget_several(context, said.statement)
    if claimed is not None:
        return claimed
    if guessed:
        return await _ask_about(context, texts)
    told = None if await _says(context, texts) else await _forget_told(context, said.statement)
    return told or _erase(context, texts)


async def forget_topic(
    context: CommandContext, said: ForgetTopic, *, guessed: bool = False
) -> Command | None:
    """Forget everything about a topic. None: the model guessed the command, or memory may not be
    meant, and nothing is known of it."""
    texts = (said.topic, about_the_user(said.topic))
    if guessed or said.asks:
        return await _ask_about(context, texts, await context.find(said.topic))
    if not said.sure and mentions.is_pronoun(said.topic):
        return await _ask_about_somebody(context, said.topic)
    claimed = await _forget_claims(context, said.topic, ()) or await _forget_several(
        context, said.topic
    )
    found = claimed or await _forget_said(context, said, texts)
    if found is not None or not said.sure:
        return found
    return await _ask_about_unread(context)


async def _forget_said(
    context: CommandContext, said: ForgetTopic, texts: Sequence[str]
) -> Command | None:
    """Forget what says a topic in words of which nothing is claimed. None: nothing says it."""
    if _names_only_whom(context, said.topic):
        entries = await _telling(context, said.topic)
        return _ask(context, entries) if entries else None
    known = await _says(context, texts)
    if known and (said.sure or mentions.is_definite(said.topic)):
        return _erase(context, texts)
    if known:
        question = Question("forget_words", context.until(), sentences=tuple(texts))
        return context.ask(replies.shall_i_forget_topic(said.topic), question, logged=BLANKED)
    if not said.sure:
        return None
    told = await _forget_told(context, said.topic)
    if told is not None:
        return told
    likely = await _likely(context, about_the_user(said.topic), said.topic)
    return _ask(context, likely) if likely else None


async def _forget_told(context: CommandContext, topic: str) -> Command | None:
    """Forget the one claim of another relation that tells what a topic names: "I hate my job at
    Tesco" of "where I work". Of several, ask. None: nothing tells it."""
    entries = await _telling(context, topic)
    if not entries:
        return None
    return _erase(context, (), entries) if len(entries) == 1 else _ask(context, entries)


async def _telling(context: CommandContext, topic: str) -> list[Entry]:
    """The entries of another relation that tell what a topic names."""
    known = await context.memory.claims.telling(context.scope.user, topic)
    ids = tuple(dict.fromkeys(one.entry_id for one in known))
    return await context.memory.known(context.scope, ids)


def _names_only_whom(context: CommandContext, topic: str) -> bool:
    """Whether no word of a topic tells its relation ("what my husband does"): whatever has all of
    its words is about the same person, and need not be what is meant."""
    asked = context.memory.claims.reader.read_topic(topic)
    mention = mentions.of_request(topic)
    if asked is None or asked.relation is None or mention is None:
        return False
    whom = words.stems(" ".join(asked.subject).split())
    return mention.stems <= whom and not (mention.relation or mention.parts)


async def _ask_about_unread(context: CommandContext) -> Command:
    """Nothing is known of what is to be forgotten: it may be in words that wait to be read."""
    waiting = await context.memory.claims.unread(context.scope.user)
    if not waiting:
        return context.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    said = waiting[:MAX_ASKED]
    question = Question("forget_words", context.until(), sentences=said)
    return context.ask(replies.shall_i_forget_words(said), question, logged=BLANKED)


async def _forget_claims(
    context: CommandContext, topic: str, texts: Iterable[str]
) -> Command | None:
    """Forget what a topic or a statement names, by what is claimed of it. None: nothing is."""
    claims, key = context.memory.claims, context.conversation.conversation_key
    asked = claims.reader.read_topic(topic)
    if asked is None or not await claims.knows_of(key, asked):
        return None
    said = tuple(dict.fromkeys(texts))
    if asked.relation is None:  # of somebody or something: also what no relation holds
        said = (*said, topic)

    async def act(_: int) -> CommandAnswer:
        gone = await context.memory.forget_claims(key, context.scope, asked, said)
        if not _any(gone):
            return CommandAnswer((replies.NOTHING_LIKE_THAT,))
        # The log must not name what is gone.
        return CommandAnswer(
            (replies.forgotten_topic(topic, words=gone.messages > 0),), logged=replies.FORGOTTEN
        )

    return Command(BLANKED, act)


async def _ask_about_somebody(context: CommandContext, pronoun: str) -> Command | None:
    """ "Forget her": ask about all that is known of whom that may be. None: of nobody."""
    found = await context.find(pronoun)
    if found is None or not found.entries:
        return None
    known = await context.memory.known(context.scope, found.entries)
    question = Question("forget_these", context.until(), tuple(known))
    told = [entry.content for entry in known[:MAX_ASKED]]
    more = len(known) - len(told)
    return context.ask(replies.shall_i_forget(told, more), question, logged=BLANKED)


async def _forget_several(context: CommandContext, topic: str) -> Command | None:
    """Forget topics named in one breath: "my age and my job". None: of one of them nothing is
    claimed."""
    topics = mentions.topics_in(topic)
    if len(topics) < 2:
        return None
    each = [await _forget_claims(context, one, ()) for one in topics]
    found = [command for command in each if command is not None]
    if len(found) < len(topics):
        return None

    async def act(message_id: int) -> CommandAnswer:
        for command in found:
            await command.act(message_id)
        return CommandAnswer((replies.FORGOTTEN,))

    return Command(BLANKED, act)


async def forget_last(context: CommandContext, asked: ForgetLast) -> Command | None:
    """Forget the user's last words; if that is not sure, what the last reply told from memory, if
    it did, and of words that only ask whether they are meant. None: memory is not meant."""
    if asked.here:  # the words are not logged, and nothing was said before that is meant
        return context.say(replies.FORGOTTEN, logged=BLANKED)
    recited = entries_of(context.conversation.dialogue.recited or ())
    if recited and not asked.sure:
        return _ask(context, recited) if asked.asks else _erase(context, (), recited)
    messages = await context.memory.recent_messages(context.conversation.conversation_key, 8)
    said = [m for m in messages if m.role == "user" and m.content.strip()]
    if not said or said[-1].content == BLANKED:
        if asked.asks:
            return None
        return context.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    last = said[-1]
    states = bool(statements_in(last.content))
    if asked.asks and not states:
        return None
    if asked.asks or not (asked.sure or states):
        question = Question("forget_words", context.until(), sentences=(last.content,))
        return context.ask(replies.shall_i_forget_words([last.content]), question, logged=BLANKED)

    async def act(_: int) -> CommandAnswer:
        gone = await context.memory.forget_message(context.scope, last.id, last.content)
        return CommandAnswer((replies.FORGOTTEN if _any(gone) else replies.NOTHING_LIKE_THAT,))

    return Command(BLANKED, act)


def ask_what_to_forget(context: CommandContext) -> Command:
    """ "Forget." alone: ask what."""
    return context.ask(replies.FORGET_WHAT, Question("forget_what", context.until()))


def forget_everything(context: CommandContext) -> Command:
    """Ask whether everything is to be forgotten."""
    return context.ask(replies.REALLY_EVERYTHING, Question("forget_everything", context.until()))


def forget_confirmed(context: CommandContext, question: Question) -> Command:
    """The command after the user has said yes."""
    if question.kind == "forget_these":
        return _erase(context, (), question.entries)
    if question.kind == "forget_words":
        return _erase(context, question.sentences)

    async def act(_: int) -> CommandAnswer:
        # The user's memory in all conversations, not only in this device's.
        whole = MemoryScope(context.scope.user, None, context.scope.household)
        await context.memory.purge(whole, Purge(user=True))
        return CommandAnswer((replies.EVERYTHING_FORGOTTEN,))

    return Command(BLANKED, act, logged_last=True)


def _erase(context: CommandContext, texts: Iterable[str], entries: Iterable[Entry] = ()) -> Command:
    texts, entries = tuple(dict.fromkeys(texts)), tuple(entries)

    async def act(_: int) -> CommandAnswer:
        found = False
        for entry in entries:
            try:
                found = _any(await context.memory.forget(context.scope, entry.id)) or found
            except MemoryNotFoundError:
                found = True  # it was erased with another
        for text in texts:
            found = _any(await context.memory.forget_text(context.scope, text)) or found
        return CommandAnswer((replies.FORGOTTEN if found else replies.NOTHING_LIKE_THAT,))

    return Command(BLANKED, act)


def _ask(context: CommandContext, entries: Iterable[Entry]) -> Command:
    these = tuple(entries)[:MAX_ASKED]
    if not these:
        return context.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    question = Question("forget_these", context.until(), these)
    return context.ask(
        replies.shall_i_forget([entry.content for entry in these]), question, logged=BLANKED
    )


async def _ask_about(
    context: CommandContext, texts: Iterable[str], claimed: Found | None = None
) -> Command | None:
    """Ask about the entries that claim it, and those that say it. None: there are none."""
    ids = () if claimed is None else claimed.entries
    found = await context.memory.known(context.scope, ids)
    found += [entry for entry in await _found(context, texts) if entry.id not in ids]
    return _ask(context, found) if found else None


async def _found(context: CommandContext, texts: Iterable[str]) -> list[Entry]:
    """The entries that say this."""
    ids: dict[int, None] = {}
    for text in texts:
        gone = await context.memory.forget_text(context.scope, text, dry_run=True)
        ids |= dict.fromkeys(gone.entries)
    known = await context.memory.known(context.scope, tuple(ids))
    return [entry for entry in known if entry.status != "inactive"]


async def _likely(context: CommandContext, query: str, topic: str) -> list[Entry]:
    """Entries that may say what a topic names."""
    found = await context.search(query, MAX_ASKED)
    likely = [entry for hit, entry in found if hit.confidence >= LIKELY]
    claims = context.memory.claims
    asked = claims.reader.read_topic(topic)
    if asked is None or asked.relation is None:
        return likely
    # What claims another relation is not what a topic with a relation of its own names.
    claiming = await claims.of_relations([entry.id for entry in likely])
    return [entry for entry in likely if entry.id not in claiming]


async def _says(context: CommandContext, texts: Iterable[str]) -> bool:
    for text in texts:
        if _any(await context.memory.forget_text(context.scope, text, dry_run=True)):
            return True
    return False


def _any(forgotten: Forgotten) -> bool:
    return bool(forgotten.entries or forgotten.messages or forgotten.derived)
