"""How Lo-Bug speaks: again, louder, slower; and what it can do."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from lobug.agenda.speech_speeds import NORMAL, SpeechSpeeds
from lobug.conversation.registry import IGNORED_REPLY, INTERRUPTED
from lobug.engines.base import PacedVoice, TextToSpeech, ToolBox
from lobug.language.en.dice import read_whole_number
from lobug.language.en.requests import is_most_of
from lobug.language.en.speaking_words import (
    agrees_with_it,
    is_clear_wish,
    is_percentage,
    is_volume_of_a_body,
    volume_step,
)
from lobug.memory.service import Memory
from lobug.skills.skill import Command, CommandAnswer, Match, Request, Skill, SkillQuestion

SET_VOLUME = "self.audio_speaker.set_volume"
STATUS = "self.get_device_status"
"""Tools of a device; all firmware of the protocol names them so."""
LOUDEST = 100
STEP = 20
"""Of the volume, for "louder"."""
DEFAULT_VOLUME = 60
"""After a mute, and where a device does not tell its volume."""
SPEEDS = (0.6, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0)
"""Of speech, times the voice's own."""
MOST_EXAMPLES = 3
MOST_TOPICS = 4
_LAST_MESSAGES = 8
_SCALE_OF_TEN = 10
"""A bare number up to this is a step of ten, as on other speakers."""

_SHORT = frozenset({"Repeat", "Abilities", "NeverMind"})
"""Intents whose words mean something else within a longer text."""


class Speaking:
    """The skill ``speaking``."""

    name = "speaking"

    def __init__(
        self,
        memory: Memory,
        voice: TextToSpeech,
        speeds: SpeechSpeeds,
        available: Callable[[], Sequence[Skill]],
    ) -> None:
        """``available``: the skills that may be used now."""
        self._memory = memory
        self._voice = voice
        self._speeds = speeds
        self._available = available

    def unavailable(self) -> str | None:
        return None

    async def plan(self, request: Request, match: Match) -> Command | None:
        intent = match.intent
        short = intent in _SHORT or len(match.request.split()) < 3
        clear = is_clear_wish(match.request, request.text)
        if intent == "Repeat" and agrees_with_it(request.text):
            return None
        if short and not (match.chosen or clear or is_most_of(match.request, request.text)):
            return None  # "I said that again and again"
        if intent == "Repeat":
            return await self._repeat(request)
        of_volume = match.chosen or intent in {"AskVolume", "SetVolume"}
        if of_volume and is_volume_of_a_body(request.text):
            return None  # "My box is 3 by 4 by 5, what is the volume?"
        if intent == "Abilities":
            return self._abilities(request)
        if intent == "NeverMind":
            # Memory closes its own question.
            waits = request.conversation.dialogue.question is not None
            return None if waits else _says(request, "never_mind")
        if intent in {"Slower", "Faster", "NormalSpeed"}:
            return self._speed(request, match)
        return _volume_command(request, match)

    async def answer(
        self, request: Request, question: SkillQuestion, *, agrees: bool | None
    ) -> Command | None:
        return None

    async def _repeat(self, request: Request) -> Command:
        """The last reply of this conversation, as far as it was heard."""
        logged = await self._memory.recent_messages(
            request.conversation.conversation_key, _LAST_MESSAGES
        )
        for message in reversed(logged):
            if message.role == "assistant" and message.content != IGNORED_REPLY:
                words = message.content.replace(INTERRUPTED, "").strip()
                if words:
                    return request.say(words)
        return _says(request, "nothing_said")

    def _abilities(self, request: Request) -> Command:
        others = [skill for skill in self._available() if skill.name != self.name]
        shown: list[str] = []
        topics: list[str] = []
        for skill in others:
            examples = request.sentences.examples(skill.name)
            if examples and len(shown) < MOST_EXAMPLES:
                shown.append(examples[0])
            elif examples:
                topic = request.sentences.says(skill.name).get("topic")
                topics += [topic] if topic else []
        if not shown:
            return _says(request, "abilities_talk")
        sentences = [request.phrase(self.name, "abilities", first=shown[0])]
        sentences += [request.phrase(self.name, "abilities_or", next=said) for said in shown[1:]]
        topics = [*topics[:MOST_TOPICS], request.phrase(self.name, "topic")]
        sentences.append(request.phrase(self.name, "abilities_more", topics=_listed(topics)))
        return request.say(*sentences)

    def _speed(self, request: Request, match: Match) -> Command:
        if not isinstance(self._voice, PacedVoice):
            return _says(request, "one_speed")

        async def act(_: int) -> CommandAnswer:
            before = self._speeds.of(request.user)
            speed = changed_speed(before, match.intent)
            unchanged = speed == before
            if not unchanged:
                await self._speeds.change(request.user, speed)
            phrase = {"Slower": "slower", "Faster": "faster"}.get(match.intent, "normal")
            if unchanged and phrase != "normal":
                phrase = {"slower": "slowest", "faster": "fastest"}[phrase]
            return CommandAnswer((request.phrase(self.name, phrase),))

        return Command(request.text, act)


def changed_speed(speed: float, intent: str) -> float:
    """The speed after "slower", "faster" or "normally". Pure."""
    if intent == "NormalSpeed":
        return NORMAL
    if intent == "Slower":
        return max((one for one in SPEEDS if one < speed), default=SPEEDS[0])
    return min((one for one in SPEEDS if one > speed), default=SPEEDS[-1])


def changed_volume(volume: int, match: Match) -> int:
    """The volume, 0 to 100, after a wish for another one. Pure."""
    step = volume_step(match.request) or STEP
    match match.intent:
        case "Louder":
            return min(LOUDEST, volume + step)
        case "Quieter":
            # Nobody who wants it quieter wants it mute.
            return max(min(volume, 5), volume - step)
        case "FullVolume":
            return LOUDEST
        case "LowVolume":
            return 10
        case "HalfVolume":
            return LOUDEST // 2
        case "Mute":
            return 0
        case "Unmute":
            return volume or DEFAULT_VOLUME
    return wanted_volume(match) or 0


def wanted_volume(match: Match) -> int | None:
    """The volume that was named; None: it is none from 0 to 100."""
    level = read_whole_number(match.slots.get("level", ""))
    if level is None or not 0 <= level <= LOUDEST:
        return None
    of_ten = 0 < level <= _SCALE_OF_TEN and not is_percentage(match.request)
    return level * 10 if of_ten else level


def _volume_command(request: Request, match: Match) -> Command | None:
    if match.intent == "SetVolume" and wanted_volume(match) is None:
        return _says(request, "no_volume")
    names = {tool.name for tool in request.tools.tools()}
    asks = match.intent == "AskVolume"
    if SET_VOLUME not in names or (asks and STATUS not in names):
        return _says(request, "elsewhere_ask" if asks else "elsewhere")

    async def act(_: int) -> CommandAnswer:
        known = await _volume(request.tools) if STATUS in names else None
        if asks:
            if known is None:
                return CommandAnswer((request.phrase(Speaking.name, "failed_ask"),))
            return CommandAnswer((request.phrase(Speaking.name, "volume_is", level=known),))
        before = DEFAULT_VOLUME if known is None else known
        after = changed_volume(before, match)
        result = await request.tools.call(SET_VOLUME, {"volume": after})
        if result.is_error or result.text.strip().lower() == "false":
            return CommandAnswer((request.phrase(Speaking.name, "failed"),))
        return CommandAnswer((_volume_phrase(request, match, before, after),))

    return Command(request.text, act)


def _volume_phrase(request: Request, match: Match, before: int, after: int) -> str:
    phrase = "volume"
    if after == 0:
        phrase = "muted"
    elif after == LOUDEST:
        phrase = "loudest" if match.intent == "Louder" and before == LOUDEST else "full"
    elif match.intent == "Quieter" and after == before:
        phrase = "quietest"
    return request.phrase(Speaking.name, phrase, level=after)


async def _volume(tools: ToolBox) -> int | None:
    """The device's volume, 0 to 100; None: it does not tell."""
    result = await tools.call(STATUS, {})
    if result.is_error:
        return None
    try:
        status: Any = json.loads(result.text)
        volume = status["audio_speaker"]["volume"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    plain = isinstance(volume, int) and not isinstance(volume, bool)
    return volume if plain and 0 <= volume <= LOUDEST else None


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _says(request: Request, phrase: str, **values: object) -> Command:
    return request.say(request.phrase(Speaking.name, phrase, **values))
