"""Chooses the command that carries out what somebody asks of memory."""

from __future__ import annotations

from lobug.conversation import claim_commands, forgetting, reciting, remembering
from lobug.conversation.command_context import Command, CommandContext
from lobug.conversation.registry import Question
from lobug.language.claims import Heard
from lobug.language.en import replies
from lobug.language.protocol import (
    Correct,
    ForgetEverything,
    ForgetLast,
    ForgetStatement,
    ForgetTopic,
    ForgetUnsaid,
    Meaning,
    Ordinary,
    Recite,
    ReciteTopic,
    Remember,
    TalkedAbout,
    Why,
    Wrong,
)


async def command_for(
    context: CommandContext, said: Meaning | Ordinary, *, guessed: bool = False
) -> Command | None:
    """The command that carries out what was said. ``guessed``: the chat model chose it, so that
    what it would forget is asked for first. None: it is an ordinary turn."""
    match said:
        case Remember():
            return remembering.remember(context, said)
        case Correct():
            return await remembering.correct(context, said)
        case Wrong():
            return await remembering.ask_what_is_right(context)
        case Recite():
            return await reciting.recite_everything(context)
        case ReciteTopic() | TalkedAbout() | Why():
            return await _recital(context, said)
        case Ordinary():
            return None
        case _:
            return await _forget_command(context, said, guessed=guessed)


async def _recital(
    context: CommandContext, said: ReciteTopic | TalkedAbout | Why
) -> Command | None:
    match said:
        case ReciteTopic():
            return await reciting.recite_topic(context, said)
        case TalkedAbout():
            return await reciting.recite_talk(context, said)
        case Why():
            return await reciting.recite_sources(context, said)


async def _forget_command(
    context: CommandContext,
    said: ForgetStatement | ForgetTopic | ForgetLast | ForgetUnsaid | ForgetEverything,
    *,
    guessed: bool,
) -> Command | None:
    match said:
        case ForgetStatement():
            return await forgetting.forget_statement(context, said, guessed=guessed)
        case ForgetTopic():
            return await forgetting.forget_topic(context, said, guessed=guessed)
        case ForgetLast():
            return await forgetting.forget_last(context, said)
        case ForgetUnsaid():
            return forgetting.ask_what_to_forget(context)
        case ForgetEverything():
            return forgetting.forget_everything(context)


async def command_for_answer(
    context: CommandContext,
    question: Question,
    meaning: Meaning | Ordinary | None,
    heard: Heard,
    *,
    agrees: bool | None,
) -> Command | None:
    """The command of a turn that follows a question of Lo-Bug's; None: it does not answer it."""
    if question.kind == "what_is_right":
        if agrees is False:
            return context.say(replies.NEVER_MIND)
        return await _command_for_correction(context, question, meaning, heard)
    if agrees is None or (agrees and question.kind == "forget_what"):
        return None
    if not agrees:
        return context.say(replies.NEVER_MIND if question.kind == "go_on" else replies.KEPT)
    if question.kind == "go_on":
        return reciting.go_on(context, question)
    return forgetting.forget_confirmed(context, question)


async def _command_for_correction(
    context: CommandContext, question: Question, meaning: Meaning | Ordinary | None, heard: Heard
) -> Command | None:
    """The command of a turn that says what is right; None: it does not."""
    if heard.claims and not isinstance(meaning, Remember):
        return await claim_commands.correct_by_statement(context, heard)
    if isinstance(meaning, Correct):
        return await remembering.correct(context, meaning, question.entries)
    if meaning is not None:
        return None
    by_value = await claim_commands.correct_by_value(context)
    return by_value or await remembering.correct_by_answer(context, question)
