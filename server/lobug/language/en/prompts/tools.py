"""The tools that most devices have, put into words and examples for a small model.

The examples were measured on the embedded model (docs/tools.md has the figures): a change of one
sentence here changes how it uses all tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

AGREED = "Okay."
RULES = """\
[Device tools]
A message that begins with [Device: ...] may ask you to change or to check your own body. Then \
answer {"tool": name, ...arguments}, and tell the [RESULT] in words. If it is talk about anything \
else: {"tool": "none"}."""

STATUS_TOOL = "get_device_status"
"""The tool that reports a device's state; all boards of the most used firmware have it."""


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
    """A tool of the most used firmware, described to a small model in fewer and clearer words than
    the device does."""

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
"""Sentences with a word that may concern a tool but not about a tool, each with a reply."""
