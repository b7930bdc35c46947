"""Which face suits a reply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.devices.turns import face_of
from lobug.language.emotions import Emotion
from lobug.language.en.emotion_cues import emotion_of
from lobug.turn.events import Action

PROTOCOL = """neutral happy laughing funny sad angry crying loving embarrassed surprised shocked
thinking winking cool relaxed delicious kissy confident sleepy silly confused"""


def test_they_are_the_protocols() -> None:
    assert [emotion.value for emotion in Emotion] == PROTOCOL.split()
    assert len({emotion.emoji for emotion in Emotion}) == len(Emotion)


@pytest.mark.parametrize(
    ("reply", "emotion"),
    [
        ("Hello! How are you today?", "happy"),
        ("I'm sorry to hear that.", "sad"),
        ("I'm sorry, that was wrong.", "embarrassed"),
        ("*laughs* That tickles.", "laughing"),
        ("(shrugs) Who can say?", "confused"),
        ("*waves both arms* There you are.", "happy"),
        ("Paris is great \U0001f622", "sad"),
        ("Haha, good one!", "laughing"),
        ("I'm not happy with that.", "neutral"),
        ("Please don't be sad.", "neutral"),
        ("I don’t know.", "confused"),
        ("Good night, sleep well.", "sleepy"),
        ("I love you too.", "loving"),
        ("Hmm, let me think.", "thinking"),
        ("Wow, that is big.", "surprised"),
        ("A banana and some cheese, delicious.", "delicious"),
        ("The capital of France is Paris.", "neutral"),
        ("Water boils at 100 degrees; keep it cool.", "neutral"),
        ("Chicago is in this state.", "neutral"),
        ("", "neutral"),
    ],
)
def test_the_face_follows_the_words(reply: str, emotion: str) -> None:
    assert emotion_of(reply) == emotion


def test_a_reaction_is_meant_to_be_seen() -> None:
    assert face_of("", Action.REACT) is Emotion.HAPPY
    assert face_of("*yawns*", Action.REACT) is Emotion.SLEEPY


def test_what_is_ignored_shows_nothing() -> None:
    assert face_of("Hello!", Action.IGNORE) is Emotion.NEUTRAL


@given(st.text(), st.sampled_from(Action))
def test_every_reply_has_a_face(reply: str, action: Action) -> None:
    assert face_of(reply, action) in Emotion


@pytest.mark.parametrize("emotion", [e for e in Emotion if e is not Emotion.NEUTRAL])
def test_its_own_emoji_shows_it(emotion: Emotion) -> None:
    assert emotion_of(f"So {emotion.emoji}") is emotion
