"""What is said to an order that no skill carried out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lobug.conversation.refusals import refusal
from lobug.conversation.registry import Conversations
from lobug.language.en.data import ORDERS
from lobug.memory.model import ConversationKey
from lobug.settings import Settings

CONVERSATION = Conversations(Settings(_env_file=None, data_dir=Path())).get(
    ConversationKey("ada", "ada/desk")
)
SKILLS = frozenset(
    str(table["skill"]) for table in ORDERS["deeds"].values() if table.get("skill") is not None
)


async def said(text: str, able: Collection[str] = SKILLS, language: str | None = "en") -> str:
    """What is answered; empty: it is no order."""
    command = refusal(CONVERSATION, text, language, has_skill=lambda name: name in able)
    return "" if command is None else " ".join((await command.act(1)).sentences)


async def test_a_skill_that_did_not_understand_says_what_it_understands() -> None:
    cases = {
        "Start the blue timer over there somehow.": "Set a timer for ten minutes.",
        "Change my alarm to whatever.": "Wake me at half past six.",
        "Delete the reminder about that thing.": "Remind me tomorrow at nine to call the dentist.",
        "Empty the list of my cousin.": "Add milk and eggs to my shopping list.",
        "Make the volume nicer.": "Louder.",
        "Leave a note somewhere.": "Take a note: the meter reads 4512.",
        "Check the forecast for me.": "What's the weather like?",
    }
    for text, example in cases.items():
        assert await said(text) == f'I didn\'t understand that. You can say: "{example}"'


async def test_what_no_skill_can_do_is_refused() -> None:
    assert await said("Turn on the lamp.") == "I can't switch lights yet."
    assert await said("Set an alarm for six.", able=()) == "I can't set alarms."


async def test_talk_and_other_languages_are_left() -> None:
    assert await said("The timer on our oven is broken.") == ""
    assert await said("Turn on the lamp.", language="de") == ""


@given(st.text(max_size=300))
def test_any_text_is_taken(text: str) -> None:
    command = refusal(CONVERSATION, text, "en", has_skill=lambda _: True)
    assert command is None or command.by == "refusal"
