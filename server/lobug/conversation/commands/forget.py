"""Commands to forget. Erasing cannot be undone, so Lo-Bug asks first when it is unsure what is
meant.

No reply and no line of the log repeats what is to be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable

from lobug.conversation.commands.command import BLANKED, Answer, Command, CommandContext
from lobug.conversation.dialogue import Question
from lobug.errors import MemoryNotFoundError
from lobug.language.en import replies
from lobug.language.en.perspective import about_the_user
from lobug.language.protocol import ForgetStatement, ForgetTopic
from lobug.memory.model import Entry, Filter, Forgotten, MemoryScope, Purge

LIKELY = 0.5
"""Lowest confidence of an entry without the words that Lo-Bug asks about."""
MAX_ASKED = 3


async def statement(
    context: CommandContext, said: ForgetStatement, *, guessed: bool = False
) -> Command | None:
    """Forget a statement. None: the model guessed the command, and no memory matches."""
    texts = (about_the_user(said.statement), said.statement)
    return await _ask_about(context, texts) if guessed else _erase(context, texts)


async def topic(
    context: CommandContext, said: ForgetTopic, *, guessed: bool = False
) -> Command | None:
    """Forget everything about a topic. None: as for ``statement``."""
    texts = (said.topic, about_the_user(said.topic))
    if guessed:
        return await _ask_about(context, texts)
    if await _says(context, texts):
        return _erase(context, texts)
    return _ask(context, await _likely(context, texts[1]))


async def last(context: CommandContext) -> Command:
    """Forget the user's last words."""
    messages = await context.memory.recent_messages(context.conversation.conversation_key, 8)
    said = [m.content for m in messages if m.role == "user" and m.content.strip()]
    if not said or said[-1] == BLANKED:
        return context.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    return _erase(context, (said[-1],))


def everything(context: CommandContext) -> Command:
    """Ask whether everything is to be forgotten."""
    return context.ask(replies.REALLY_EVERYTHING, Question("forget_everything", context.until()))


def confirmed(context: CommandContext, question: Question) -> Command:
    """The command after the user has said yes."""
    if question.kind == "forget_these":
        return _erase(context, (), question.entries)

    async def act(_: int) -> Answer:
        # The user's memory in all conversations, not only in this device's.
        whole = MemoryScope(context.scope.user, None, context.scope.household)
        await context.memory.purge(whole, Purge(user=True))
        return Answer((replies.EVERYTHING_FORGOTTEN,))

    return Command(BLANKED, act, logged_last=True)


def _erase(context: CommandContext, texts: Iterable[str], entries: Iterable[Entry] = ()) -> Command:
    texts, entries = tuple(dict.fromkeys(texts)), tuple(entries)

    async def act(_: int) -> Answer:
        found = False
        for entry in entries:
            try:
                found = _any(await context.memory.forget(context.scope, entry.id)) or found
            except MemoryNotFoundError:
                found = True  # it was erased with another
        for text in texts:
            found = _any(await context.memory.forget_text(context.scope, text)) or found
        return Answer((replies.FORGOTTEN if found else replies.NOTHING_LIKE_THAT,))

    return Command(BLANKED, act)


def _ask(context: CommandContext, entries: Iterable[Entry]) -> Command:
    these = tuple(entries)[:MAX_ASKED]
    if not these:
        return context.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    question = Question("forget_these", context.until(), these)
    return context.ask(
        replies.shall_i_forget([entry.content for entry in these]), question, logged=BLANKED
    )


async def _ask_about(context: CommandContext, texts: Iterable[str]) -> Command | None:
    found = await _found(context, texts)
    return _ask(context, found) if found else None


async def _found(context: CommandContext, texts: Iterable[str]) -> list[Entry]:
    """The entries that say this."""
    found: dict[int, Entry] = {}
    for text in texts:
        for entry_id in (
            await context.memory.forget_text(context.scope, text, dry_run=True)
        ).entries:
            found[entry_id] = (await context.memory.get(context.scope, entry_id)).entry
    return [entry for entry in found.values() if entry.status != "inactive"]


async def _likely(context: CommandContext, query: str) -> list[Entry]:
    hits = await context.memory.search(context.scope, query, Filter(), limit=MAX_ASKED)
    return [hit.entry for hit in hits if hit.entry is not None and hit.confidence >= LIKELY]


async def _says(context: CommandContext, texts: Iterable[str]) -> bool:
    for text in texts:
        if _any(await context.memory.forget_text(context.scope, text, dry_run=True)):
            return True
    return False


def _any(forgotten: Forgotten) -> bool:
    return bool(forgotten.entries or forgotten.messages or forgotten.derived)
