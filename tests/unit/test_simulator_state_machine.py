"""The state machine of a device with the open firmware, event by event."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.devices.messages import ListenMode
from lobug.simulator.protocol import (
    Action,
    DeviceMachine,
    Event,
    State,
)

START = [Action.SEND_START, Action.OPEN_MICROPHONE, Action.STOP_SPEAKER]
HUSH = [Action.CLOSE_MICROPHONE, Action.BEGIN_REPLY]
PLAYING = "while it still plays"
Step = tuple[Event, list[Action], State] | tuple[Event, list[Action], State, str]

STORIES: dict[str, tuple[ListenMode, list[Step]]] = {
    "a turn in auto mode, the reply played when it is over": (
        ListenMode.AUTO,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.AUDIO, [Action.DROP], State.LISTENING),
            (Event.TTS_START, HUSH, State.SPEAKING),
            (Event.AUDIO, [Action.PLAY], State.SPEAKING),
            (Event.TTS_STOP, [Action.END_REPLY, *START], State.LISTENING),
        ],
    ),
    "it listens again only when all is played": (
        ListenMode.AUTO,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.TTS_START, HUSH, State.SPEAKING),
            (Event.TTS_STOP, [Action.END_REPLY], State.LISTENING, PLAYING),
            (Event.DRAINED, START, State.LISTENING),
            (Event.DRAINED, [], State.LISTENING),
        ],
    ),
    "a new reply that comes while the last one plays": (
        ListenMode.AUTO,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.TTS_START, HUSH, State.SPEAKING),
            (Event.TTS_STOP, [Action.END_REPLY], State.LISTENING, PLAYING),
            (Event.TTS_START, HUSH, State.SPEAKING, PLAYING),
            (Event.DRAINED, [], State.SPEAKING),
        ],
    ),
    "push to talk": (
        ListenMode.AUTO,
        [
            (Event.HELD, START, State.LISTENING),
            (Event.RELEASED, [Action.SEND_STOP, Action.CLOSE_MICROPHONE], State.IDLE),
            (Event.TTS_START, HUSH, State.SPEAKING),
            (Event.AUDIO, [Action.PLAY], State.SPEAKING),
            (Event.TTS_STOP, [Action.END_REPLY], State.IDLE, PLAYING),
            (Event.AUDIO, [Action.DROP], State.IDLE),
            (Event.HELD, START, State.LISTENING, PLAYING),
        ],
    ),
    "the button of manual mode interrupts and listens at once": (
        ListenMode.AUTO,
        [
            (Event.HELD, START, State.LISTENING),
            (Event.RELEASED, [Action.SEND_STOP, Action.CLOSE_MICROPHONE], State.IDLE),
            (Event.TTS_START, HUSH, State.SPEAKING),
            (Event.HELD, [Action.SEND_ABORT, *START], State.LISTENING, PLAYING),
            (Event.AUDIO, [Action.DROP], State.LISTENING),
            (Event.TTS_STOP, [], State.LISTENING),
        ],
    ),
    "a short press interrupts; what had come is still played": (
        ListenMode.AUTO,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.TTS_START, HUSH, State.SPEAKING),
            (Event.BUTTON, [Action.SEND_ABORT], State.SPEAKING, PLAYING),
            (Event.AUDIO, [Action.PLAY], State.SPEAKING),
            (Event.TTS_STOP, [Action.END_REPLY], State.LISTENING, PLAYING),
            (Event.DRAINED, START, State.LISTENING),
        ],
    ),
    "realtime: the microphone stays open": (
        ListenMode.REALTIME,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.TTS_START, [Action.BEGIN_REPLY], State.SPEAKING),
            (Event.TTS_STOP, [Action.END_REPLY], State.LISTENING, PLAYING),
            (Event.DRAINED, [], State.LISTENING),
        ],
    ),
    "the wake word wakes": (
        ListenMode.AUTO,
        [
            (Event.WAKE_WORD, [Action.SEND_DETECT, *START], State.LISTENING),
            (
                Event.WAKE_WORD,
                [Action.SEND_ABORT_WAKE_WORD, Action.SEND_START, Action.STOP_SPEAKER],
                State.LISTENING,
            ),
        ],
    ),
    "the wake word interrupts in auto mode once all is played": (
        ListenMode.AUTO,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.TTS_START, HUSH, State.SPEAKING),
            (Event.WAKE_WORD, [Action.SEND_ABORT_WAKE_WORD], State.LISTENING, PLAYING),
            (Event.DRAINED, START, State.LISTENING),
        ],
    ),
    "the wake word interrupts in realtime mode at once": (
        ListenMode.REALTIME,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.TTS_START, [Action.BEGIN_REPLY], State.SPEAKING),
            (Event.WAKE_WORD, [Action.SEND_ABORT_WAKE_WORD, *START], State.LISTENING, PLAYING),
        ],
    ),
    "a short press while it listens ends the conversation": (
        ListenMode.AUTO,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.BUTTON, [Action.CLOSE], State.LISTENING),
            (Event.CLOSED, [Action.CLOSE_MICROPHONE], State.IDLE),
        ],
    ),
    "the connection goes while it speaks": (
        ListenMode.AUTO,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.TTS_START, HUSH, State.SPEAKING),
            (Event.CLOSED, [], State.IDLE),
            (Event.TTS_STOP, [], State.IDLE),
        ],
    ),
    "a second start of speech is the same speech": (
        ListenMode.AUTO,
        [
            (Event.BUTTON, START, State.LISTENING),
            (Event.TTS_START, HUSH, State.SPEAKING),
            (Event.TTS_START, [], State.SPEAKING),
        ],
    ),
}


@pytest.mark.parametrize("story", STORIES)
def test_story(story: str) -> None:
    mode, steps = STORIES[story]
    machine = DeviceMachine(mode)
    for number, (event, actions, state, *playing) in enumerate(steps):
        assert list(machine.handle(event, silent=not playing)) == actions, (number, event)
        assert machine.state is state, (number, event)


@given(
    st.sampled_from([ListenMode.AUTO, ListenMode.REALTIME]),
    st.lists(st.tuples(st.sampled_from(Event), st.booleans()), max_size=60),
)
def test_the_microphone_is_open_exactly_when_the_actions_say_so(
    mode: ListenMode, events: list[tuple[Event, bool]]
) -> None:
    machine = DeviceMachine(mode)
    is_open = False
    for event, silent in events:
        actions = machine.handle(event, silent=silent)
        for action in actions:
            if action is Action.OPEN_MICROPHONE:
                is_open = True
            elif action is Action.CLOSE_MICROPHONE:
                is_open = False
        assert machine.microphone_open == is_open
        if machine.state is State.SPEAKING and machine.mode is not ListenMode.REALTIME:
            assert not is_open
        if machine.waits_for_silence:
            assert machine.state is State.LISTENING
        assert (Action.PLAY in actions) == (
            event is Event.AUDIO and machine.state is State.SPEAKING
        )
