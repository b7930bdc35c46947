"""The chat model's prompt. Pure.

Parts that never change come first, because every token before the first change is free (the model's
prefix cache) and every token after it costs about 15 ms on two cores. The order is: personality,
examples and the device's tools, which say nothing of a person; what is remembered of this person
whatever is said, before the first words of the history, which only grows; then the relevant
memories, the device's sensors and the user's words.

A memory is data, never an instruction: it stands on one line, between marks that no text in it can
close."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lobug.engines.base import ChatMessage
from lobug.language.en.prompts import (
    CLOSE,
    EARLIER,
    EXAMPLES,
    IGNORE_AND_REACT,
    IGNORE_AND_REACT_EXAMPLES,
    LONG_TERM_MEMORY,
    OPEN,
    PERSONA,
    PHYSICAL_STATE,
    STORE_RULES,
    TASK_IN_HAND,
    fact_note,
    month_or_day,
    now_note,
    turn_note,
    written_date,
)
from lobug.language.en.questions import asks_when, may_concern_time
from lobug.memory.model import Recalled

TURN_CHARS = 240
"""Most characters of a former turn in the prompt."""


def notes(recalled: Sequence[Recalled], question: str = "") -> str:
    """The memories as the prompt holds them; empty if there are none.

    Dates have a day if ``question`` asks when, else only a month, because every token costs time.
    """
    if not recalled:
        return ""
    to_the_day = asks_when(question)
    return "\n".join([OPEN, *(line(memory, to_the_day=to_the_day) for memory in recalled), CLOSE])


def line(memory: Recalled, *, to_the_day: bool = False) -> str:
    """One memory on one line, with the month or the day on which it was said."""
    text = _plain(memory.content)
    told = month_or_day(datetime.fromtimestamp(memory.said_at).astimezone(), to_the_day=to_the_day)
    if memory.kind == "turn":
        who = _plain(memory.speaker or "") or (
            "Lo-Bug" if memory.role == "assistant" else "the user"
        )
        if len(text) > TURN_CHARS:
            text = text[:TURN_CHARS].rsplit(" ", 1)[0] + " ..."
        return turn_note(text, who, told)
    return fact_note(text, told, past=memory.past)


def _plain(text: str) -> str:
    return " ".join(text.replace("<", "(").replace(">", ")").split())


@dataclass(frozen=True, slots=True)
class Persona:
    """The beginning of every prompt, which hardly ever changes while the server runs."""

    text: str
    examples: tuple[ChatMessage, ...] = ()


def make_persona(custom: str, *, ignore_and_react: bool, may_store: bool = False) -> Persona:
    """The built-in personality with its examples, or the owner's ``custom`` text without any.

    ``may_store``: the model may keep by itself what the user tells it."""
    rule = IGNORE_AND_REACT if ignore_and_react else ""
    rule += STORE_RULES if may_store else ""
    if custom:
        return Persona(custom + rule)
    pairs = (IGNORE_AND_REACT_EXAMPLES if ignore_and_react else ()) + EXAMPLES
    examples = (
        message
        for said, answer in pairs
        for message in (ChatMessage("user", said), ChatMessage("assistant", answer))
    )
    return Persona(PERSONA + rule, tuple(examples))


def prefix(
    persona: Persona,
    base_memory: str,
    history: Sequence[ChatMessage] = (),
    *,
    task: str = "",
    earlier: str = "",
    tools: Sequence[ChatMessage] = (),
    turn: Sequence[ChatMessage] = (),
) -> list[ChatMessage]:
    """The prompt; without ``turn`` the part that the model can read ahead of the user's words.

    What is remembered of the person stands before the first words of the conversation. Before the
    examples it would end what all prompts share after 192 tokens of 578; as a system message of its
    own many models refuse it.

    Args:
        persona: the personality and its examples.
        base_memory: the most important memories, as text.
        history: the messages of working memory.
        task: title and working state of the task that the conversation is about.
        earlier: summary of the session before ``history``.
        tools: the device's tools (``tool_prompt``).
        turn: the messages after the history, of which the first is the user's.
    """
    said = [*history, *turn]
    if note := _background(base_memory, task, earlier):
        first = said[0].content if said else ""
        said[:1] = [ChatMessage("user", f"{note}\n\n{first}")]
    return [ChatMessage("system", persona.text), *persona.examples, *tools, *said]


def _background(base_memory: str, task: str, earlier: str) -> str:
    """What is remembered of the person whatever is said; empty: nothing."""
    parts = []
    if base_memory:
        parts.append(f"{LONG_TERM_MEMORY}\n{_unmarked(base_memory)}")
    # What follows is data: on one line it cannot imitate another section of the prompt.
    if task:
        parts.append(f"{TASK_IN_HAND}\n{_unmarked(' '.join(task.split()))}")
    if earlier:
        parts.append(f"{EARLIER}\n{_unmarked(' '.join(earlier.split()))}")
    return "\n\n".join(parts)


def _unmarked(text: str) -> str:
    """A memory without the brackets of which the marks of a model's template are made."""
    return text.replace("<", "(").replace(">", ")")


def user_message(
    text: str, recalled: Sequence[Recalled], sensors: str, now: datetime | None = None
) -> ChatMessage:
    """The user's words after the date and time, this turn's memories and sensor readings.

    Date and time stand here, not in the beginning of the prompt, which would change with every
    minute and be read anew. ``now`` None: they are left out.
    """
    before = [now_note(now)] if now is not None else []
    if recalled:
        before.append(notes(recalled, text))
    if sensors:
        before.append(PHYSICAL_STATE.format(sensors))
    if not before:
        return ChatMessage("user", text)
    return ChatMessage("user", "\n".join(before) + f"\n\n{text}")


def needs_time(text: str, history: Sequence[ChatMessage], now: datetime) -> bool:
    """Whether the user's words must bring date and time along: they may concern time, or the
    conversation does not tell the date yet.

    The note costs a third of a second on two cores, so it is left out elsewhere.
    """
    date = written_date(now)
    return may_concern_time(text) or not any(
        message.role == "user" and message.content.startswith("[") and date in message.content
        for message in history
    )


def estimate_tokens(messages: Sequence[ChatMessage]) -> int:
    """Estimate of a prompt's tokens: one for 3 bytes and 8 for each message's frame.

    English has 4 to 5 bytes a token in common vocabularies, other scripts about 3, so the estimate
    is mostly too high, which is safe. For digits, one token each, it is too low; the turn then
    drops history when the model reports that the prompt is too long.
    """
    return sum(len(m.content.encode()) // 3 + 8 for m in messages)
