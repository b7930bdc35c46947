"""The speech stage: in order, bounded, and nothing left running."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from lobug.turn.events import Piece, SpeechAudio, TurnEvent
from lobug.turn.speaking import SpeechOutcome, speak
from support.scripted_speech import ScriptedTextToSpeech


class Source:
    """Sentences, and whether the generator that gave them was closed."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts
        self.closed = False

    async def events(self) -> AsyncGenerator[TurnEvent]:
        try:
            for index, text in enumerate(self._texts):
                yield Piece(index, text)
        finally:
            self.closed = True


async def test_every_sentence_is_followed_by_its_speech_in_order() -> None:
    stream = speak(Source("One.", "Two.").events(), ScriptedTextToSpeech(), SpeechOutcome(), 60.0)
    async with aclosing(stream):
        spoken = [event.index async for event in stream if isinstance(event, SpeechAudio)]
    assert spoken == [0, 1]


async def test_closing_the_stage_closes_what_it_reads() -> None:
    source = Source("One.", "Two.")
    events = source.events()
    stream = speak(events, ScriptedTextToSpeech(), SpeechOutcome(), 60.0)
    async with aclosing(stream):
        await anext(stream)
    assert source.closed


async def test_what_is_too_long_ends_the_speech_without_a_hole() -> None:
    # The scripted voice speaks ten milliseconds a character.
    source = Source("x" * 50, "y" * 80, "z")
    stream = speak(source.events(), ScriptedTextToSpeech(), SpeechOutcome(), 1.0)
    async with aclosing(stream):
        spoken = [event.index async for event in stream if isinstance(event, SpeechAudio)]
    assert spoken == [0]
