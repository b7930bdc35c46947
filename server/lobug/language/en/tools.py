"""Which words may concern a device's tool. Pure.

A coarse sieve in front of the chat model, which then decides: what it lets through for nothing
costs about a second, what it holds back is answered in words.

The tools that most devices have, put into words and examples for a small model.

The examples were tried on the embedded model (docs/tools.md says how well they do): a change of one
sentence here changes what it makes of all tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lobug.engines.tools import Tool
from lobug.language.words import STOP_WORDS, stem, words

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

_SAID_OF_IT: Mapping[str, str] = {
    "motion orientation": """
        lie lying lay tilt tilted lean leaning shake shaking shaken upside upright flat held hold
        holding carry carried move moving moved drop dropped fall fell fallen position"""
}
_ASKED_OF_IT: Mapping[str, str] = {
    "face expression emotion": "smile grin frown wink blush pout scowl laugh cry kiss"
}
"""The same, of words that people use far more often of each other than of a device."""

_FEELINGS = frozenset(
    "neutral happy laughing funny sad angry crying loving embarrassed surprised shocked thinking"
    " winking cool relaxed delicious kissy confident sleepy silly confused mad grumpy tired bored"
    " scared serious cheerful excited proud shy worried".split()
)
"""What a face can show; a matter of a tool only where somebody is to look like it."""
_LOOKS = frozenset(("look", "act", "be"))

_YOU = frozenset(("you", "your", "yourself"))
_BEFORE_A_REQUEST = frozenset(
    "please now ok okay hey hi hello lo bug lobug and then so just".split()
)
_REQUESTS = frozenset(("give", "show", "try", "stop"))

_STATUS_COVERS = "volume brightness battery network"
"""What a tool that is called after a status is taken to tell."""

_EVERYWHERE = frozenset(
    "self set get add device tool use user take make value state info information mode name"
    " current number type text string true false question times label start list".split()
)
"""Part of many tools' names, so no sign of any."""

_SENTENCE_END = re.compile(r"[.!?;:\n]+")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Stems of the words that may concern one of a device's tools."""

    anywhere: frozenset[str] = frozenset()
    about_it: frozenset[str] = frozenset()
    """Only where somebody speaks of the device."""
    asked_of_it: frozenset[str] = frozenset()
    """Only where somebody speaks of the device or asks it for that. Where there are any, it has a
    face, which can look like a feeling too."""


def vocabulary(tools: Iterable[Tool]) -> Vocabulary:
    """The words that may concern one of the tools."""
    anywhere: set[str] = set()
    called_all: set[str] = set()
    for tool in tools:
        called = _called(tool)
        if "status" in called:
            called |= set(_STATUS_COVERS.split())
        called_all |= called
        anywhere |= called - _EVERYWHERE - STOP_WORDS
    anywhere |= _said(called_all, _SAID)
    return Vocabulary(
        frozenset(map(stem, anywhere)),
        frozenset(map(stem, _said(called_all, _SAID_OF_IT))),
        frozenset(map(stem, _said(called_all, _ASKED_OF_IT))),
    )


def may_concern(said: str, vocabulary: Vocabulary) -> bool:
    """Whether somebody's words hold one that may concern a tool."""
    plain = said.lower().replace("wi-fi", "wifi").replace("wi fi", "wifi")
    return any(_concerns(words(part), vocabulary) for part in _SENTENCE_END.split(plain))


def _concerns(heard: list[str], vocabulary: Vocabulary) -> bool:
    stems = [stem(word) for word in heard]
    if not vocabulary.anywhere.isdisjoint(stems):
        return True
    # What a sentence that may be a request begins with.
    first = next((i for i, word in enumerate(heard) if word not in _BEFORE_A_REQUEST), None)
    if first is None:
        return False
    about_it = not _YOU.isdisjoint(heard)
    if about_it and not vocabulary.about_it.isdisjoint(stems):
        return True
    if not vocabulary.asked_of_it:
        return False
    asks = heard[first] in _REQUESTS or stems[first] == heard[first] in vocabulary.asked_of_it
    if (about_it or asks) and not vocabulary.asked_of_it.isdisjoint(stems):
        return True
    return any(
        word in _LOOKS
        and (i == first or (about_it and word != "be"))
        and not _FEELINGS.isdisjoint(heard[i + 1 : i + 4])
        for i, word in enumerate(heard)
    )


def _said(called: set[str], of_things: Mapping[str, str]) -> set[str]:
    """What is said of the things that a tool is called after."""
    return {
        word
        for things, said in of_things.items()
        if called & set(things.split())
        for word in said.split()
    }


def _called(tool: Tool) -> set[str]:
    """The words in a tool's name and in those of its arguments."""
    arguments = tool.input_schema.get("properties", {})
    return {part.lower() for text in (tool.name, *arguments) for part in _PARTS.findall(str(text))}


STATUS_TOOL = "get_device_status"
"""Tells a device's state; boards of the most used firmware all have it under this name."""


@dataclass(frozen=True, slots=True)
class ToolExample:
    """A call, as a small model should make it."""

    said: str
    arguments: Mapping[str, Any]
    result: str = ""
    reply: str = ""
    state: str = "audio_speaker volume 60"


@dataclass(frozen=True, slots=True)
class ShownTool:
    """How a tool of the most used firmware is put to a small model, in fewer and clearer words
    than its own description has."""

    text: str
    examples: tuple[ToolExample, ...] = ()


KNOWN: Mapping[str, ShownTool] = {
    STATUS_TOOL: ShownTool(
        "Tell your own volume, screen, battery and network.",
        (
            ToolExample(
                "Is your battery full?",
                {},
                "battery level 90",
                "Almost, I have ninety percent.",
                "audio_speaker volume 60, battery level 90",
            ),
        ),
    ),
    "audio_speaker.set_volume": ShownTool(
        "Set the volume of your voice.",
        (
            ToolExample(
                "Set your volume to 60.", {"volume": 60}, "true", "Okay, my volume is 60 now."
            ),
            ToolExample("You are too loud.", {"volume": 40}, "true", "Okay, my volume is 40 now."),
        ),
    ),
    "screen.set_brightness": ShownTool(
        "Set the brightness of your screen.",
        (
            ToolExample(
                "More light, please.",
                {"brightness": 70},
                "true",
                "Okay, my screen is at 70 now.",
                "screen brightness 50",
            ),
        ),
    ),
    "screen.set_theme": ShownTool(
        "Set the colors of your screen, light or dark.",
        (ToolExample("Dark mode.", {"theme": "dark"}, "true", "Okay, my screen is dark now."),),
    ),
    "camera.take_photo": ShownTool(
        "Look with your camera; you see only with it.",
        (
            ToolExample(
                "Can you see me?",
                {"question": "Is somebody there?"},
                "text An empty chair.",
                "No, I see an empty chair.",
            ),
            ToolExample(
                "What is this here?",
                {"question": "What is this?"},
                "text A spoon in a hand.",
                "I see a spoon in a hand.",
            ),
        ),
    ),
}

TALK = (
    ("Thunder is so loud.", "It can shake the windows!"),
    ("My phone's battery is empty.", "Oh no. Can you charge it somewhere?"),
    ("I see, it is about a king.", "That sounds exciting."),
    ("The bright colors of autumn are lovely.", "They are! Red leaves above all."),
)
"""Said with a word that may concern a tool, and yet no matter of one; and the reply."""
