"""Which words may concern a device's tool. Pure.

A coarse sieve in front of the chat model, which then decides: what it lets through for nothing
costs about a second, what it holds back is answered in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lobug.memory.language.words import STOP_WORDS, stem, words
from lobug.turn.toolbox import Tool

_SAID: Mapping[str, str] = {
    "volume speaker sound audio": """
        volume loud louder loudly quiet quieter quietly silent silence mute unmute sound speaker
        hear whisper shout speak voice turn""",
    "brightness backlight screen display theme": """
        bright brighter brightness dim dimmer dark darker light lighter glare screen display turn
        theme mode color colors background""",
    "camera photo picture image vision": """
        photo picture camera see look looking watch hold holding wear wearing front selfie image
        recognize""",
    "status battery network wifi power": """
        status battery charge charging charged power wifi wlan network signal internet connection
        connected temperature hot""",
    "lamp light led leds strip": "lamp light lights bulb led leds dark bright color turn",
    "move walk go dance arm arms hand hands head leg servo chassis dog forward turn jump": """
        move walk dance wave nod shake jump turn spin raise lower lift stop forward backward back
        left right head arm hand leg sit stand bow""",
    "music song radio play": "music song radio play pause track stop",
    "alarm timer clock": "alarm timer wake remind minutes clock",
}
"""First what tools are called after, then what is said of such things."""

_STATUS_COVERS = "volume brightness battery network"
"""What a tool that is called after a status is taken to tell."""

_EVERYWHERE = frozenset(
    "self set get add device tool use user take make value state info information mode name"
    " current number type text string true false question".split()
)
"""Part of many tools' names, so no sign of any."""

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]{2,}")


def vocabulary(tools: Iterable[Tool]) -> frozenset[str]:
    """Stems of the words that may concern one of the tools."""
    found: set[str] = set()
    for tool in tools:
        called = _called(tool)
        if "status" in called:
            called |= set(_STATUS_COVERS.split())
        found |= called - _EVERYWHERE - STOP_WORDS
        for things, said in _SAID.items():
            if called & set(things.split()):
                found |= set(said.split())
    return frozenset(stem(word) for word in found)


def may_concern(said: str, vocabulary: frozenset[str]) -> bool:
    """Whether somebody's words hold one that may concern a tool."""
    heard = words(said.lower().replace("wi-fi", "wifi").replace("wi fi", "wifi"))
    return any(stem(word) in vocabulary for word in heard)


def _called(tool: Tool) -> set[str]:
    """The words in a tool's name and in those of its arguments."""
    arguments = tool.input_schema.get("properties", {})
    return {part.lower() for text in (tool.name, *arguments) for part in _PARTS.findall(str(text))}
