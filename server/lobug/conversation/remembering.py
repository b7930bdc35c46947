"""Remembers what somebody asks to be remembered, and puts right what is remembered."""

from __future__ import annotations

from dataclasses import replace

from lobug.conversation.command_context import Command, CommandAnswer, CommandContext, entries_of
from lobug.conversation.registry import Question
from lobug.language.en import replies
from lobug.language.en.fact_checks import fact_type
from lobug.language.en.fact_comparison import with_instead, with_value, wrong_entry
from lobug.language.en.perspective import about_the_user, is_first_person
from lobug.language.en.speech_acts import is_statement, split_contrast, split_statements, value_of
from lobug.language.protocol import Correct, Remember
from lobug.memory.claim_rows import CORRECTION_IMPORTANCE, STATED_IMPORTANCE
from lobug.memory.model import Draft, Entry

MAX_WRONG = 10
"""Entries searched for the wrong one."""


def remember(context: CommandContext, said: Remember) -> Command:
    """Store what was said; one entry for each statement."""
    facts = [about_the_user(statement) for statement in said.statements]
    heard = context.memory.claims.reader.read(context.text)

    async def act(message_id: int) -> CommandAnswer:
        if heard.is_kept and context.memory.keeps_user_memories:
            known = await context.memory.claims.trust(context.scope.user, message_id)
            return CommandAnswer((replies.remembered(known) if known else replies.known_already(),))
        for fact in facts:
            draft = Draft(
                fact,
                fact_type=fact_type(fact),
                importance=STATED_IMPORTANCE,
                source="user",
                source_message_id=message_id,
            )
            await context.memory.store(context.scope, draft)
        return CommandAnswer((replies.remembered(facts),))

    return Command(context.text, act)


async def ask_what_is_right(context: CommandContext) -> Command | None:
    """ "That's wrong" alone: ask what is right, if the last turn used memory."""
    entries = entries_of(await context.used())
    if not entries:
        return None
    return _ask_what_is_right(context, entries, replies.WHAT_IS_RIGHT)


def _ask_what_is_right(
    context: CommandContext, entries: tuple[Entry, ...], question: str
) -> Command:
    """Ask it, and doubt what was called wrong until the answer; one of several is not known."""
    kind = Question("what_is_right", context.until(), entries)
    command = context.ask(question, kind)

    async def act(message_id: int) -> CommandAnswer:
        if len(entries) == 1:
            await context.memory.claims.doubt([entries[0].id])
        return await command.act(message_id)

    return replace(command, act=act)


def ask_for_sentence(context: CommandContext) -> Command | None:
    """A correction of what was just told from memory that no rule understands: ask for it in a
    whole sentence, since it would be told again. None: the last turn told nothing from memory."""
    entries = entries_of(context.conversation.dialogue.recited or ())
    if not entries:
        return None
    return _ask_what_is_right(context, entries, replies.WHOLE_SENTENCE)


async def correct_by_answer(context: CommandContext, question: Question) -> Command | None:
    """The answer to "what is right?"; None: it is not one."""
    text, instead_of = split_contrast(value_of(context.text.strip(" .!")))
    statements = split_statements(context.text)
    if statements:
        return await correct(context, Correct(statements[0], instead_of), question.entries)
    if len(text.split()) > 4 or context.text.rstrip().endswith("?"):
        return None
    return await correct(context, Correct(text, instead_of), question.entries)


async def correct(
    context: CommandContext, said: Correct, used: tuple[Entry, ...] | None = None
) -> Command | None:
    """Correct an entry. None: memory does not seem to be meant.

    ``used``: the entries of which one is probably wrong; None: those of the last turn.
    """
    if used is None:
        used = entries_of(await context.used())
    if is_statement(said.statement) and value_of(said.statement) == said.statement:
        right = about_the_user(said.statement)
        entries = (*used, *(entry for _, entry in await context.search(right, MAX_WRONG)))
        wrong = wrong_entry(right, said.instead_of, entries, {entry.id for entry in used})
        if wrong is None and not (said.sure and is_first_person(said.statement)):
            return None
        return _correction(context, wrong, right)
    found = await _value_in(context, said, used)
    if found is not None:
        return _correction(context, *found)
    if not said.sure or not used:
        return None
    question = Question("what_is_right", context.until(), used)
    return context.ask(replies.WHOLE_SENTENCE, question)


async def _value_in(
    context: CommandContext, said: Correct, used: tuple[Entry, ...]
) -> tuple[Entry, str] | None:
    """ "It's Hannah, not Anna": the entry that says Anna, and its new content."""
    value = value_of(said.statement)
    if said.instead_of is None:
        right = with_value(used[0].content, value) if len(used) == 1 and said.sure else None
        return None if right is None else (used[0], right)
    found = [entry for _, entry in await context.search(said.instead_of, MAX_WRONG)]
    for candidates in (used, found):
        changed = {
            entry.id: (entry, right)
            for entry in candidates
            if (right := with_instead(entry.content, said.instead_of, value)) is not None
        }
        if len(changed) == 1:
            return next(iter(changed.values()))
    return None


def _correction(context: CommandContext, wrong: Entry | None, right: str) -> Command:
    async def act(message_id: int) -> CommandAnswer:
        if wrong is not None:
            await context.memory.correct(context.scope, wrong.id, right)
            return CommandAnswer((replies.corrected(right),))
        draft = Draft(
            right,
            fact_type=fact_type(right),
            importance=CORRECTION_IMPORTANCE,
            source="correction",
            source_message_id=message_id,
        )
        await context.memory.store(context.scope, draft)
        return CommandAnswer((replies.remembered([right]),))

    return Command(context.text, act)
