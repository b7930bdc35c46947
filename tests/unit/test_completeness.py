"""Whether words are finished: a labelled list, whole sentences, and sentences cut short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language import language_of
from lobug.language.protocol import Completeness
from support import speech

UNFINISHED = [
    "My sister's name is", "My sister's name is.", "and then", "I was in the kitchen and then.",
    "I would like a", "Could you tell me the", "Put that on my", "He went home because",
    "I don't know whether", "Tell me about", "Can you", "Um", "I was, um", "Set a timer for",
    "Remind me to", "I want to", "I'm going to", "The capital of France is",
    "I was thinking that maybe...", "Play some music from", "She's", "I think it's", "A cup of",
    "So", "What is", "How many", "What is the", "What is the?", "He is very", "I met him at",
    "It is bigger than", "In order to", "We drove into", "Well, I think", "If I had known, I'd",
    "We need bread, milk and", "Between", "The answer\u2014",
]  # fmt: skip

FINISHED = [
    "Stop.", "stop", "Yes.", "No!", "Yes, please.", "No, thank you.", "Never mind.", "Cancel.",
    "What time is it?", "What time is it", "what's the time", "Turn it up.", "Turn it down, please",
    "Turn off the light.", "Please turn the kitchen lights on.", "Can you turn the music down?",
    "What's the weather like today?", "Volume up", "Good night.", "Who are you?", "Be quiet.",
    "What is your name?", "Thank you.", "Goodbye.", "Stop talking please",
]  # fmt: skip

OPEN = [
    "", "   ", "...", "?!", "My sister's name is Anna.", "I like it", "My sister", "I went home",
    # What could be taken for cut short, and is not.
    "What are you thinking of?", "Where are you from?", "What is it for", "I know what it is.",
    "That's what I'm looking for.", "Yes, I want to", "I don't want to.", "I think so.",
    "See you then.", "Turn it on and leave it on.", "I have a plan A", "She got an A.",
    "Do you know where the station is?", "Tell me what the time is", "I love her.", "It's his.",
    "He is the one I came with", "Yes it is.", "I'm sure there is", "Tell me why",
    "I agree with.", "It's been taken care of.", "Something to look forward to", "Not yet.",
    "Who are you talking to?", "It tastes good even though", "I hope not", "I was there, too.",
    "Do you want to?", "Where is that?", "Come in", "What is that about?", "That is what if",
    # What begins like a command and is none.
    "Stop the timer when the cake is done and tell me", "No empty rooms exist.",
    "Turn the page of the book", "What time is it in Tokyo when we land?",
]  # fmt: skip


@pytest.mark.parametrize("text", UNFINISHED)
def test_unfinished(text: str) -> None:
    assert language_of("en").completeness(text) is Completeness.UNFINISHED


@pytest.mark.parametrize("text", FINISHED)
def test_finished(text: str) -> None:
    assert language_of("en").completeness(text) is Completeness.FINISHED


@pytest.mark.parametrize("text", OPEN)
def test_open(text: str) -> None:
    assert language_of("en").completeness(text) is Completeness.OPEN


@pytest.mark.parametrize("text", ["Meine Schwester hat an", "stop", "je suis a", "Um", "..."])
@pytest.mark.parametrize("language", ["de", "fr", "zh", "", "eng"])
def test_of_other_languages_nothing_is_said(text: str, language: str) -> None:
    assert language_of(language).completeness(text) is Completeness.OPEN


@given(st.text(max_size=200), st.sampled_from(["en", "de"]))
def test_any_text_has_an_answer(text: str, language: str) -> None:
    assert language_of(language).completeness(text) in Completeness


@given(st.sampled_from(UNFINISHED + FINISHED + OPEN))
def test_case_and_a_full_stop_change_nothing(text: str) -> None:
    found = language_of("en").completeness(text)
    if text.endswith(("A", "A.")):
        return  # the letter
    assert language_of("en").completeness(f"  {text.upper() if text.islower() else text} ") is found
    if text and text[-1].isalnum():
        assert language_of("en").completeness(f"{text}.") is found


@pytest.mark.speech
def test_recorded_sentences_are_hardly_ever_called_unfinished() -> None:
    """The prompts of a telephone exchange and lines of a novel. Many prompts are pieces of
    sentences, told by their dots, their colon or a single word; the others are whole."""
    whole = [
        clip.text
        for clip in (*speech.all_prompts(), *speech.pocketsphinx())
        if not clip.text.endswith(("...", ":")) and len(clip.text.split()) > 2
    ]
    called = [t for t in whole if language_of("en").completeness(t) is Completeness.UNFINISHED]
    pieces = {"the number i have is", "Press 1 for"}
    assert len(whole) > 250
    assert set(called) <= pieces


@pytest.mark.speech
def test_of_sentences_cut_short_a_part_is_recognised() -> None:
    """Cut behind any word, a fifth of them ends in a way that no sentence does."""
    found = []
    for clip in (*speech.all_prompts(), *speech.pocketsphinx()):
        words = clip.text.split()
        found += [
            language_of("en").completeness(" ".join(words[:end]) + ".")
            for end in range(1, len(words))
        ]
    assert found.count(Completeness.UNFINISHED) > len(found) / 6
    assert found.count(Completeness.FINISHED) < len(found) / 100
