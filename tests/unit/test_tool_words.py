"""Which words let the chat model choose a tool of Lo-Bug's own firmware."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lobug.conversation.tool_prompt import ToolPrompt, tool_prompt
from lobug.engines.tool_client import read_tool
from lobug.settings import ChatSettings
from support.tool_device import PERCENT, tool
from support.tool_utterances import TALK, TALK_UNSEEN

ROOT = Path(__file__).parents[2]
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 1, "maximum": 5}
FACE = tool("self.face.set_expression", "Set the expression of your face.", expression=TEXT)
MOTION = tool("self.get_motion", "Tell how you are held and whether you are moved.")
GAZE = tool(
    "self.body.set_gaze",
    "Turn your head to look left, right, up, down or ahead.",
    direction=TEXT,
    angle=COUNT,
)
GESTURE = tool(
    "self.body.gesture", "Nod, shake your head, bow or dance.", gesture=TEXT, times=COUNT
)
BODY = (GAZE, GESTURE)
OWN = (
    tool("self.get_device_status", "Tell your own volume, screen brightness, battery and network."),
    tool("self.audio_speaker.set_volume", "Set the volume of your voice.", volume=PERCENT),
    tool("self.screen.set_brightness", "Set the brightness of your screen.", brightness=PERCENT),
    FACE,
    tool("self.screen.show_text", "Show a text on your screen.", text=TEXT, seconds=COUNT),
    tool("self.timer.start", "Start a timer that beeps.", seconds=COUNT, label=TEXT),
    tool(
        "self.timer.cancel", "Cancel the timer with that label; without a label, all.", label=TEXT
    ),
    tool("self.timer.list", "Tell which timers run, and the seconds left."),
    tool("self.beep", "Beep so many times.", times=COUNT),
    tool("self.led.set_color", "Set the color of your light.", color=TEXT),
    MOTION,
    *BODY,
)

FACE_WANTED = (
    "Smile at me.",
    "Can you smile?",
    "Please smile!",
    "Give me a big smile.",
    "Hey Lo-Bug, wink.",
    "I want you to frown.",
    "Stop smiling.",
    "Look sad.",
    "Now look a bit angry, please.",
    "Can you look surprised?",
    "Be happy!",
    "What is your expression?",
    "Make a funny face.",
)
MOTION_WANTED = (
    "Are you lying on your back?",
    "Are you upside down?",
    "Am I shaking you?",
    "Am I holding you upright?",
    "Did you fall?",
    "Is anyone moving you?",
    "Are you tilted to one side?",
    "What position are you in?",
)
BODY_WANTED = (
    "Look left.",
    "Look up, please.",
    "Please look to your right.",
    "Can you look at the ceiling?",
    "Turn your head to the left.",
    "Turn to me.",
    "Could you look straight ahead?",
    "Nod if you can hear me.",
    "Please nod twice.",
    "Shake your head.",
    "Can you dance?",
    "Dance for us!",
    "I want you to bow.",
    "Bow!",
    "Would you face the window, tilt your head.",
)
ORDINARY = (
    "Good morning!",
    "How are you today?",
    "That made me smile.",
    "She has a lovely smile.",
    "My boss frowned at me all day.",
    "I cried at the end of the film.",
    "I feel sad today.",
    "I want to be happy.",
    "Why am I so tired? Tell me something.",
    "You are very kind, I am happy.",
    "They looked confused.",
    "I was lying on the beach all day.",
    "He is lying to everyone.",
    "Hold on.",
    "Drop it.",
    "Make me laugh.",
    "We moved to a new house last year.",
    "The leaves fall in autumn.",
    "I dropped my keys somewhere.",
    "I carried my son home. Do you have advice?",
    "How many times did it happen?",
    "I start my new job on Monday.",
    "Tell me a story about a mouse.",
    "What is your name?",
    "",
    "Please.",
)


def own() -> ToolPrompt:
    return prompt(*OWN)


def prompt(*listed: object) -> ToolPrompt:
    found = [read_tool(one) for one in listed]
    return tool_prompt([one for one in found if one is not None], ChatSettings().tool_prompt_tokens)


def test_all_thirteen_are_told() -> None:
    assert len(own().tools) == len(OWN) == 13


def test_they_are_those_of_the_firmware_and_of_the_documentation() -> None:
    registry = ROOT / "firmware" / "lib" / "core" / "src" / "lobug" / "tools" / "tools.cpp"
    named = [str(one["name"]) for one in OWN]
    assert re.findall(r'"(self\.[a-z_.]+)"', registry.read_text("utf-8")) == named
    documented = (ROOT / "docs" / "tools.md").read_text("utf-8")
    assert re.findall(r"^\| `(self\.[a-z_.]+)` \|", documented, re.MULTILINE) == named


@pytest.mark.parametrize("said", FACE_WANTED)
def test_words_for_the_face(said: str) -> None:
    assert own().may_concern(said)
    assert not prompt(MOTION).may_concern(said)


@pytest.mark.parametrize("said", MOTION_WANTED)
def test_words_for_motion(said: str) -> None:
    assert own().may_concern(said)
    assert not prompt(FACE).may_concern(said)


@pytest.mark.parametrize("said", BODY_WANTED)
def test_words_for_a_body(said: str) -> None:
    assert own().may_concern(said)


def test_a_body_without_a_face_shows_no_feeling() -> None:
    assert prompt(*BODY).may_concern("Look left.")
    assert not prompt(*BODY).may_concern("Be happy!")


def test_without_a_body_its_words_concern_nothing() -> None:
    without = prompt(*(one for one in OWN if one not in BODY))
    for said in ("Look left.", "Please nod twice.", "Can you dance?", "Bow!"):
        assert not without.may_concern(said)


@pytest.mark.parametrize(
    "said", ["Louder!", "Show hello on your screen.", "Set a timer.", "Beep three times."]
)
def test_words_for_the_rest(said: str) -> None:
    assert own().may_concern(said)


@pytest.mark.parametrize("said", ORDINARY)
def test_ordinary_talk_needs_no_tool(said: str) -> None:
    assert not own().may_concern(said)


def test_words_for_face_and_motion_let_no_more_of_the_tricky_talk_through() -> None:
    without = prompt(*(one for one in OWN if one not in (FACE, MOTION, *BODY)))
    both = prompt(*(one for one in OWN if one not in BODY))
    for said in (*TALK, *TALK_UNSEEN):
        assert both.may_concern(said) == without.may_concern(said), said


def test_words_for_a_body_let_little_more_of_the_tricky_talk_through() -> None:
    without = prompt(*(one for one in OWN if one not in BODY))
    more = [
        said
        for said in (*TALK, *TALK_UNSEEN)
        if own().may_concern(said) and not without.may_concern(said)
    ]
    assert more == []
