"""Obeys "remember that ..." and "that's wrong, ..."."""

from __future__ import annotations

from collections.abc import Sequence

from lobug.conversation.commands.command import Answer, Command, Desk
from lobug.conversation.dialogue import Question
from lobug.language.commands import Correct, Remember
from lobug.language.en import replies
from lobug.language.en.contradiction import with_instead, with_value, wrong_entry
from lobug.language.en.fact_checks import fact_type
from lobug.language.en.perspective import about_the_user, is_first_person
from lobug.language.en.statements import (
    is_statement,
    split_contrast,
    split_statements,
    value_of,
)
from lobug.memory.control import Draft, Entry, Filter, Hit

TOLD_IMPORTANCE = 0.9
"""Of what somebody asked to be remembered."""
CORRECTION_IMPORTANCE = 1.0
LOOKED_THROUGH = 10
"""Memories that may be the wrong one."""


def remember(desk: Desk, said: Remember) -> Command:
    """Store what was told; one entry for each statement."""
    facts = [about_the_user(statement) for statement in said.statements]

    async def act(message_id: int) -> Answer:
        for fact in facts:
            draft = Draft(
                fact,
                fact_type=fact_type(fact),
                importance=TOLD_IMPORTANCE,
                source="user",
                source_message_id=message_id,
            )
            await desk.control.store(desk.scope, draft)
        return Answer((replies.remembered(facts),))

    return Command(desk.text, act)


async def wrong(desk: Desk) -> Command | None:
    """ "That's wrong" alone: ask what is right, if the last turn told anything from memory."""
    entries = _entries(await desk.used())
    if not entries:
        return None
    question = Question("what_is_right", desk.until(), entries)
    return desk.ask(replies.WHAT_IS_RIGHT, question)


async def what_is_right(desk: Desk, question: Question) -> Command | None:
    """The answer to "what is right?"; None: it is none."""
    text, instead_of = split_contrast(value_of(desk.text.strip(" .!")))
    statements = split_statements(desk.text)
    if statements:
        return await correct(desk, Correct(statements[0], instead_of), question.entries)
    if len(text.split()) > 4 or desk.text.rstrip().endswith("?"):
        return None
    return await correct(desk, Correct(text, instead_of), question.entries)


async def correct(
    desk: Desk, said: Correct, used: tuple[Entry, ...] | None = None
) -> Command | None:
    """Put a memory right; None: nothing of memory seems to be meant.

    ``used``: the memories of which one is likely wrong; None: those of the last turn.
    """
    if used is None:
        used = _entries(await desk.used())
    if is_statement(said.statement) and value_of(said.statement) == said.statement:
        right = about_the_user(said.statement)
        hits = await desk.control.search(desk.scope, right, Filter(), limit=LOOKED_THROUGH)
        entries = (*used, *(hit.entry for hit in hits if hit.entry is not None))
        wrong = wrong_entry(right, said.instead_of, entries, {entry.id for entry in used})
        if wrong is None and not (said.sure and is_first_person(said.statement)):
            return None
        return _put_right(desk, wrong, right)
    found = await _value_in(desk, said, used)
    if found is not None:
        return _put_right(desk, *found)
    if not said.sure or not used:
        return None
    question = Question("what_is_right", desk.until(), used)
    return desk.ask(replies.WHOLE_SENTENCE, question)


async def _value_in(desk: Desk, said: Correct, used: tuple[Entry, ...]) -> tuple[Entry, str] | None:
    """ "It's Hannah, not Anna": the entry that says Anna, and what it should say."""
    value = value_of(said.statement)
    if said.instead_of is None:
        right = with_value(used[0].content, value) if len(used) == 1 and said.sure else None
        return None if right is None else (used[0], right)
    hits = await desk.control.search(desk.scope, said.instead_of, Filter(), limit=LOOKED_THROUGH)
    found = [hit.entry for hit in hits if hit.entry is not None]
    for candidates in (used, found):
        changed = {
            entry.id: (entry, right)
            for entry in candidates
            if (right := with_instead(entry.content, said.instead_of, value)) is not None
        }
        if len(changed) == 1:
            return next(iter(changed.values()))
    return None


def _put_right(desk: Desk, wrong: Entry | None, right: str) -> Command:
    async def act(message_id: int) -> Answer:
        if wrong is not None:
            await desk.control.correct(desk.scope, wrong.id, right)
            return Answer((replies.corrected(right),))
        draft = Draft(
            right,
            fact_type=fact_type(right),
            importance=CORRECTION_IMPORTANCE,
            source="correction",
            source_message_id=message_id,
        )
        await desk.control.store(desk.scope, draft)
        return Answer((replies.remembered([right]),))

    return Command(desk.text, act)


def _entries(hits: Sequence[Hit]) -> tuple[Entry, ...]:
    return tuple(hit.entry for hit in hits if hit.entry is not None)
