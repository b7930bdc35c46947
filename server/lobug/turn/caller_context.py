"""What a caller that keeps its own history tells of the conversation with each turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lobug.conversation.prompt import Persona
from lobug.conversation.registry import Conversation, Exchange, WorkingMemory
from lobug.settings import ChatSettings, ConversationSettings


@dataclass(frozen=True, slots=True)
class CallerContext:
    """A caller's own wishes for one turn; they change nothing that is kept."""

    history: Sequence[Exchange] = ()
    """What was said before, as the caller has it; empty: it says nothing of it."""
    instruction: str = ""
    """How to answer, behind the personality."""
    max_tokens: int | None = None
    """Longest reply; never longer than the settings say."""
    temperature: float | None = None

    def conversation(self, real: Conversation, settings: ConversationSettings) -> Conversation:
        """The conversation that this turn's prompt is made of: the real one where it holds the
        end of the told history already, else a passing one with the told history."""
        if not self.history or is_end_of(self.history, real.memory.exchanges()):
            return real
        memory = WorkingMemory(settings.max_messages, settings.trim_block)
        memory.load(self.history)
        return replace(real, memory=memory, earlier="")

    def persona(self, real: Persona) -> Persona:
        """The personality with the instruction."""
        if not self.instruction:
            return real
        return replace(real, text=f"{real.text}\n\n[Instruction]\n{self.instruction}")

    def settings(self, real: ChatSettings) -> ChatSettings:
        """The settings within which the reply is written."""
        tokens = real.max_tokens if self.max_tokens is None else self.max_tokens
        temperature = real.temperature if self.temperature is None else self.temperature
        changed = {"max_tokens": min(tokens, real.max_tokens), "temperature": temperature}
        return real.model_copy(update=changed)


def is_end_of(told: Sequence[Exchange], held: Sequence[Exchange]) -> bool:
    """Whether both end alike, as far back as both go. Pure.

    What is held has its notes in front of the user's words; white space does not count. Something
    told and nothing held is not alike.
    """
    if not held:
        return not told
    pairs = zip(reversed(told), reversed(held), strict=False)
    return all(
        _words(theirs.assistant.content) == _words(ours.assistant.content)
        and _same_user(theirs.user.content, ours.user.content)
        for theirs, ours in pairs
    )


def _same_user(told: str, held: str) -> bool:
    told = told.strip()
    # Of words that were spoken the caller has a recording, not the text.
    return not told or _words(told) == _words(held) or held.endswith(f"\n\n{told}")


def _words(text: str) -> str:
    return " ".join(text.split())
