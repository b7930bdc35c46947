"""The history and wishes of a caller that keeps the conversation itself (OpenAI clients)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lobug.conversation.prompt import Persona
from lobug.conversation.registry import Conversation, Exchange, WorkingMemory
from lobug.settings import ChatSettings, ConversationSettings


@dataclass(frozen=True, slots=True)
class CallerContext:
    """A caller's history and wishes for one turn. Nothing of them is stored."""

    history: Sequence[Exchange] = ()
    """The earlier exchanges as the caller sent them; empty: it sent none."""
    instruction: str = ""
    """How to answer; it follows the personality in the prompt."""
    max_tokens: int | None = None
    """Longest reply, tokens, at most that of the settings; None: that of the settings."""
    temperature: float | None = None
    """None: that of the settings."""

    def conversation(self, real: Conversation, settings: ConversationSettings) -> Conversation:
        """The conversation that this turn's prompt is made of: the real one if its history ends
        like the caller's, else a temporary copy with the caller's history."""
        if not self.history or is_end_of(self.history, real.memory.exchanges()):
            return real
        memory = WorkingMemory(settings.max_messages, settings.trim_block)
        memory.load(self.history)
        return replace(real, memory=memory, earlier="")

    def persona(self, real: Persona) -> Persona:
        """The personality followed by the instruction."""
        if not self.instruction:
            return real
        return replace(real, text=f"{real.text}\n\n[Instruction]\n{self.instruction}")

    def settings(self, real: ChatSettings) -> ChatSettings:
        """The settings with the caller's limit and temperature."""
        tokens = real.max_tokens if self.max_tokens is None else self.max_tokens
        temperature = real.temperature if self.temperature is None else self.temperature
        changed = {"max_tokens": min(tokens, real.max_tokens), "temperature": temperature}
        return real.model_copy(update=changed)


def is_end_of(sent: Sequence[Exchange], held: Sequence[Exchange]) -> bool:
    """Whether both histories end alike, as far back as both go. Pure.

    The held one has notes before the user's words; white space does not count. A sent history and
    an empty held one are not alike.
    """
    if not held:
        return not sent
    pairs = zip(reversed(sent), reversed(held), strict=False)
    return all(
        _words(theirs.assistant.content) == _words(ours.assistant.content)
        and _same_user(theirs.user.content, ours.user.content)
        for theirs, ours in pairs
    )


def _same_user(sent: str, held: str) -> bool:
    sent = sent.strip()
    # The caller has a recording of spoken words, not their text.
    return not sent or _words(sent) == _words(held) or held.endswith(f"\n\n{sent}")


def _words(text: str) -> str:
    return " ".join(text.split())
