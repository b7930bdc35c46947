"""What is asked or ordered never reaches the chat model; what is told does."""

from __future__ import annotations

import pytest

from lobug.language.en.speech_acts import statements

ONLY_ASKED_OR_ORDERED = [
    "What's the weather like in Berlin tomorrow?",
    "what time is it",
    "Do you remember my name?",
    "Is there a bakery near me",
    "Can you tell me a joke about cats?",
    "Could you please turn the radio down",
    "Which of my friends lives in Rome",
    "Set a timer for ten minutes.",
    "Please play some jazz",
    "Hey Lo-Bug, turn off the kitchen lights!",
    "Tell my sister that I am late.",
    "I want you to wake me at seven.",
    "If I were rich I would buy a boat.",
    "Thank you very much.",
    "Hello there, how are you doing today?",
    "Good morning!",
    "Yes.",
    "Okay, stop.",
    "",
    "   \n ",
    "?!",
    "أين تعمل أختي ليلى؟",
    "我的妹妹在哪里工作？",
]


@pytest.mark.parametrize("text", ONLY_ASKED_OR_ORDERED)
def test_nothing_is_left_of_questions_commands_and_pleasantries(text: str) -> None:
    assert statements(text) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("My name is Alex and I work at NASA", ["My name is Alex and I work at NASA"]),
        ("my name is alex", ["my name is alex"]),
        ("My name is Maria, what's yours?", ["My name is Maria"]),
        ("I moved to Rome and do you know a good bakery there?", ["I moved to Rome"]),
        ("Remember that my birthday is in May.", ["my birthday is in May."]),
        ("Can you remember that I'm allergic to nuts?", ["I'm allergic to nuts"]),
        ("Don't forget I have a dog.", ["I have a dog."]),
        ("Please call me Sam.", ["Please call me Sam."]),
        ("When I was a child I lived in Oslo.", ["When I was a child I lived in Oslo."]),
        ("What I like most is tea.", ["What I like most is tea."]),
        ("Well, um, I play the cello.", ["I play the cello."]),
        ("Work is my whole life.", ["Work is my whole life."]),
        ("I have two cats. What do they eat? They are called Tim and Tom.",
         ["I have two cats.", "They are called Tim and Tom."]),
        ("我住在柏林。你呢？", ["我住在柏林。"]),
    ],
)  # fmt: skip
def test_what_is_told_stays(text: str, kept: list[str]) -> None:
    assert statements(text) == kept
