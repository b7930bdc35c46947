"""A skill on a real agenda, without a server: what it says to words, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from lobug.agenda.service import Agenda
from lobug.conversation.registry import Conversation, Conversations
from lobug.memory.model import ConversationKey
from lobug.settings import Settings
from lobug.skills.registry import Skills
from lobug.skills.skill import Skill
from support.scripted import ScriptedChatModel

NOW = datetime(2026, 11, 24, 15, 0, tzinfo=UTC)


class SkillKit:
    """Some skills, an agenda, and conversations of anybody."""

    def __init__(
        self,
        folder: Path,
        skills: Callable[[Agenda, Settings], tuple[Skill, ...]],
        **sections: Mapping[str, object],
    ) -> None:
        self.settings = Settings(_env_file=None, data_dir=folder, **sections)  # type: ignore[arg-type]
        self.now = NOW
        self.turn_time = 0.0
        self.agenda = Agenda(self.settings.skills, folder / "agenda.db", clock=self.clock)
        self.chat = ScriptedChatModel(lambda _messages, _options: '{"choice": "none"}')
        self.skills = Skills(
            skills(self.agenda, self.settings),
            self.chat,
            clock=lambda: self.turn_time,
            now=lambda _user: self.now,
        )
        self._conversations = Conversations(self.settings)

    def clock(self) -> float:
        """Seconds since the epoch."""
        return self.now.timestamp()

    def conversation(self, user: str) -> Conversation:
        """The conversation of a person, at one device."""
        return self._conversations.get(ConversationKey(user, f"{user}/desk"))

    async def say(self, user: str, text: str) -> str | None:
        """What is answered, once it is done; None: no skill takes the words."""
        self.turn_time += 5
        command = await self.skills.recognise(self.conversation(user), text)
        if command is None:
            return None
        answer = await command.act(1)
        return " ".join(answer.sentences)
