"""Obeys "forget ...". Erasing cannot be undone: what is only guessed is asked for first.

No reply and no line of the log repeats what is to be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable

from lobug.conversation.commands.command import (
    BLANKED,
    Answer,
    Command,
    Desk,
)
from lobug.conversation.dialogue import Question
from lobug.errors import MemoryNotFoundError
from lobug.language.commands import ForgetStatement, ForgetTopic
from lobug.language.en import replies
from lobug.language.en.perspective import about_the_user
from lobug.memory.access import MemoryScope
from lobug.memory.control import Entry, Filter, Forgotten, Purge

LIKELY = 0.5
"""Confidence from which a memory that does not have the words is asked about."""
ASKED_ABOUT = 3


async def statement(desk: Desk, said: ForgetStatement, *, guessed: bool = False) -> Command | None:
    """Forget what a statement says; None: it was only guessed, and there is nothing like it."""
    texts = (about_the_user(said.statement), said.statement)
    return await _ask_about(desk, texts) if guessed else _erase(desk, texts)


async def topic(desk: Desk, said: ForgetTopic, *, guessed: bool = False) -> Command | None:
    """Forget what there is about a topic; None: as for ``statement``."""
    texts = (said.topic, about_the_user(said.topic))
    if guessed:
        return await _ask_about(desk, texts)
    if await _says(desk, texts):
        return _erase(desk, texts)
    return _ask(desk, await _likely(desk, texts[1]))


async def last(desk: Desk) -> Command:
    """Forget the user's last words."""
    messages = await desk.memory.recent_messages(desk.conversation.conversation_key, 8)
    said = [m.content for m in messages if m.role == "user" and m.content.strip()]
    if not said or said[-1] == BLANKED:
        return desk.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    return _erase(desk, (said[-1],))


def everything(desk: Desk) -> Command:
    """Ask whether everything is to be forgotten."""
    return desk.ask(replies.REALLY_EVERYTHING, Question("forget_everything", desk.until()))


def confirmed(desk: Desk, question: Question) -> Command:
    """The user said yes."""
    if question.kind == "forget_these":
        return _erase(desk, (), question.entries)

    async def act(_: int) -> Answer:
        # All of the person, not only what this device may see of them.
        whole = MemoryScope(desk.scope.user, None, desk.scope.household)
        await desk.control.purge(whole, Purge(user=True))
        return Answer((replies.EVERYTHING_FORGOTTEN,))

    return Command(BLANKED, act, logged_last=True)


def _erase(desk: Desk, texts: Iterable[str], entries: Iterable[Entry] = ()) -> Command:
    texts, entries = tuple(dict.fromkeys(texts)), tuple(entries)

    async def act(_: int) -> Answer:
        found = False
        for entry in entries:
            try:
                found = _any(await desk.control.forget(desk.scope, entry.id)) or found
            except MemoryNotFoundError:
                found = True  # it went with another
        for text in texts:
            found = _any(await desk.control.forget_text(desk.scope, text)) or found
        return Answer((replies.FORGOTTEN if found else replies.NOTHING_LIKE_THAT,))

    return Command(BLANKED, act)


def _ask(desk: Desk, entries: Iterable[Entry]) -> Command:
    these = tuple(entries)[:ASKED_ABOUT]
    if not these:
        return desk.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    question = Question("forget_these", desk.until(), these)
    return desk.ask(
        replies.shall_i_forget([entry.content for entry in these]), question, logged=BLANKED
    )


async def _ask_about(desk: Desk, texts: Iterable[str]) -> Command | None:
    found = await _found(desk, texts)
    return _ask(desk, found) if found else None


async def _found(desk: Desk, texts: Iterable[str]) -> list[Entry]:
    """The entries that say this."""
    found: dict[int, Entry] = {}
    for text in texts:
        for entry_id in (await desk.control.forget_text(desk.scope, text, dry_run=True)).entries:
            found[entry_id] = (await desk.control.get(desk.scope, entry_id)).entry
    return [entry for entry in found.values() if entry.status != "inactive"]


async def _likely(desk: Desk, query: str) -> list[Entry]:
    hits = await desk.control.search(desk.scope, query, Filter(), limit=ASKED_ABOUT)
    return [hit.entry for hit in hits if hit.entry is not None and hit.confidence >= LIKELY]


async def _says(desk: Desk, texts: Iterable[str]) -> bool:
    for text in texts:
        if _any(await desk.control.forget_text(desk.scope, text, dry_run=True)):
            return True
    return False


def _any(forgotten: Forgotten) -> bool:
    return bool(forgotten.entries or forgotten.messages or forgotten.derived)
