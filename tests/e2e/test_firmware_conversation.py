"""The firmware's own core holds a conversation: `lobug serve`, embedded models, recorded speech."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lobug.engines.base import STT_SAMPLE_RATE, Samples
from support.embedded_speech import in_the_embedded_voice, transcribed
from support.firmware_device import Event, FirmwareDevice, firmware_device, pair
from support.lobug_process import ServedLobug, served
from support.speech import Clip, pocketsphinx, prompts, wer

pytestmark = [pytest.mark.models, pytest.mark.speech, pytest.mark.timeout(1800)]

TURN_S = 240.0
"""For one turn, with every model on the processor of a machine that does much else."""

RECORDED = ("queue-thankyou", "tt-weasels", "vm-savefolder", "conf-lockednow",
            "sorry-youre-having-problems", "something-terribly-wrong", "vm-goodbye")  # fmt: skip


@pytest.fixture(scope="module")
def lobug(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLobug]:
    with served(tmp_path_factory.mktemp("lobug")) as server:
        yield server


def turn(device: FirmwareDevice, clip: Clip) -> tuple[str, str]:
    """What was understood and what was answered, once it listens again (or gave up waiting)."""
    mark = device.mark()
    device.say(clip.samples, ms=400)
    if device.states()[-1] == "idle":
        device.do("tap")
    heard = str(device.wait_view("heard", since=mark, patience_s=TURN_S))
    spoken = False

    def is_over(event: Event) -> bool:
        # A device waits 45 s for a reply, then listens or rests; it still speaks what comes later.
        nonlocal spoken
        state = event["state"] if event["event"] == "state" else ""
        spoken = spoken or state == "speaking"
        return spoken and state in ("listening", "idle")

    device.wait(is_over, mark, TURN_S, "it has answered and listens again")
    return heard, " ".join(text for text in device.views("caption", mark) if text)


def turn_until_heard(device: FirmwareDevice, clip: Clip, word: str) -> tuple[str, str]:
    """A turn, spoken again (twice at most) while ``word`` was not understood: a computer that is
    busy with the models takes sound from the simulated microphone."""
    for _ in range(3):
        heard, reply = turn(device, clip)
        if word in heard.lower():
            break
    return heard, reply


def warm_up(device: FirmwareDevice) -> None:
    """Talk until there is an answer: a server reads of a device's tools once, after it has
    connected, and a machine that does much else may not be done with it when somebody speaks."""
    for _ in range(4):
        _, said = turn(device, prompts(["hello-world"])[0])
        if said and "too long" not in said:
            return
    raise AssertionError(f"no answer at all: {said}")


async def test_ten_turns_in_one_conversation(lobug: ServedLobug, tmp_path: Path) -> None:
    first, last = await in_the_embedded_voice(
        "My name is Alex and I live in Boston.", "Do you remember my name?"
    )
    go_forward = next(clip for clip in pocketsphinx() if clip.name == "goforward")
    clips = [*prompts(RECORDED), go_forward]
    with firmware_device(tmp_path / "device", server=lobug.url, talk_mode="conversation") as device:
        pair(device, lobug.url)
        warm_up(device)
        begun = device.mark()
        turns = [
            (first.text, *turn_until_heard(device, first, "alex")),
            *((clip.text, *turn(device, clip)) for clip in clips),
            (last.text, *turn_until_heard(device, last, "name")),
        ]
        assert len(turns) == 10
        assert "offline" not in device.states(begun), "one session all the time"
        stats = device.stats()
    assert wer([(said, heard) for said, heard, _ in turns]) <= 0.25, turns
    assert all(reply for _, _, reply in turns), turns
    assert "Alex" in turns[-1][2], turns[-1]
    # The models and the device share a processor, so gaps and what the microphone lost in them say
    # nothing; what the device itself tears or drops does.
    assert (stats["torn"], stats["lost"], stats["uplink_lost"]) == (0, 0, 0)
    sound = device.sound()
    assert len(sound) > 10 * STT_SAMPLE_RATE, "it has said something"
    heard_again = await transcribed(_last_reply(device, sound))
    assert "alex" in heard_again.lower(), "what it played can be understood"


def _last_reply(device: FirmwareDevice, sound: NDArray[np.int16]) -> Samples:
    """The sound since it began to answer for the last time, 16 kHz."""
    begin = [e for e in device.since(0, "sound") if e["on"] and "gap_ms" not in e][-1]
    return sound[begin["file_samples"] :].astype(np.float32) / np.float32(32_768)


async def test_a_timer_set_by_voice_rings_by_voice(lobug: ServedLobug, tmp_path: Path) -> None:
    (order,) = await in_the_embedded_voice("Set a timer for five seconds.")
    with firmware_device(tmp_path / "device", server=lobug.url, talk_mode="tap") as device:
        pair(device, lobug.url)
        begun = device.mark()
        _, reply = turn_until_heard(device, order, "timer")
        assert "five seconds" in reply.lower(), reply
        device.wait(
            lambda e: e["event"] == "view" and "is done" in str(e.get("caption", "")),
            begun,
            TURN_S,
            "it rings",
        )
