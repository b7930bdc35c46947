"""Conversations of the simulated device with the real server, engines scripted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from support.app_server import ScriptedEngines
from support.firmware_device import FirmwareDevice, firmware_device, pair, torn_or_lost
from support.firmware_server import (
    LONG_REPLY,
    ScriptedServer,
    answering,
    scripted_server,
    sound_of,
    speaking,
)
from support.patience import wait_until
from support.scripted import ScriptedChatModel
from support.wav import tone

REPLY = "It is noon."
CRACKLE = 20_000 / 32_768
"""What the simulated microphone hears while it is being opened."""


@contextmanager
def talking(
    folder: Path, scripted: ScriptedEngines, **options: str | int | float
) -> Iterator[tuple[FirmwareDevice, ScriptedServer]]:
    """A device that is ready, and its server, which lets everybody in."""
    with (
        scripted_server(folder / "server", scripted, access={"pairing": False}) as server,
        firmware_device(folder / "device", server=server.url, **options) as device,
    ):
        device.wait_state("idle")
        yield device, server


def newest_turn(server: ScriptedServer) -> dict[str, Any]:
    answer = httpx.get(f"{server.url}/turns", params={"limit": 1}, trust_env=False)
    turn: dict[str, Any] = answer.json()["turns"][0]
    return turn


def said(recording: NDArray[np.float32], words: NDArray[np.float32]) -> float:
    """Where in the recording the words begin, seconds; they must be there sample for sample."""
    begin = int(np.flatnonzero(np.abs(recording) > 0.01)[0])
    exact = (words * 32767).astype("<i2").astype(np.float32) / 32768
    for shift in range(-40, 2):  # a wave begins softly
        part = recording[begin + shift : begin + shift + len(exact)]
        if len(part) == len(exact) and np.abs(part - exact).max() < 6 / 32768:  # the room's noise
            return (begin + shift) / 16_000
    raise AssertionError("what the server heard is not what was said")


def test_a_device_from_its_box_is_paired_and_talks(tmp_path: Path) -> None:
    words = tone(1.0)
    with (
        scripted_server(tmp_path / "server", speaking(REPLY)) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        code = pair(device, server.url)
        assert len(code) == 6
        assert device.stored()["token"].startswith("lobug_")
        assert device.views("code")[-1] == "", "it is not shown any longer"
        device.say(words)
        mark = device.mark()
        device.do("tap")
        assert device.wait_view("heard", since=mark) == "Hello."
        assert device.wait_view("caption", since=mark) == REPLY
        device.wait_state("idle", device.mark())
        states = [state for state in device.states(mark) if state != "thinking"]  # it may be short
        assert states == ["listening", "speaking", "idle"]
        stats = device.stats()
    assert np.array_equal(device.sound(), sound_of(REPLY)), "bit for bit what the server sent"
    recording = server.scripted.stt.heard[-1]
    said(recording, words)
    assert np.abs(recording).max() < CRACKLE, "the microphone's first noise is not sent"
    assert torn_or_lost(stats) == {}
    opened = device.wait_event("microphone", mark, open=True)
    assert opened["after_tap_ms"] < 500, "from the tap to the open microphone"
    assert (device.views("microphone", mark)[:2]) == [True, False], "always shown while it is open"


def test_it_tells_the_server_when_the_first_sound_was_heard(tmp_path: Path) -> None:
    with talking(tmp_path, speaking(LONG_REPLY)) as (device, server):
        device.say(tone(1.0))
        device.do("tap")
        device.wait_event("first_sound")
        device.wait_state("idle", device.mark())
        stages = newest_turn(server)["timings"]
    assert stages["first_audio_sent"] <= stages["first_audio_played"]


def test_as_long_as_it_is_held_it_listens(tmp_path: Path) -> None:
    words = np.concatenate([tone(0.5), np.zeros(16_000 * 2, np.float32), tone(0.5)])
    lingering = np.concatenate([words, np.zeros(1600, np.float32)])
    with talking(tmp_path, speaking(REPLY)) as (device, server):
        replies = 0
        for _ in range(8):
            lost = device.stats()["microphone_lost"]
            mark = device.mark()
            device.do("hold")
            device.wait_state("listening", mark)
            device.say(lingering)
            device.wait_event("speech", mark, said=True)
            assert "thinking" not in device.states(mark), "a pause of two seconds ends nothing"
            device.do("release")
            assert device.wait_view("heard", since=mark) == "Hello."
            device.wait_state("idle", mark)
            replies += 1
            if device.stats()["microphone_lost"] == lost:
                break  # else this computer did not let the device's sound have its turn
    assert np.array_equal(device.sound(), np.concatenate([sound_of(REPLY)] * replies))
    said(server.scripted.stt.heard[-1], words)


def test_push_to_talk_loses_nothing_from_50_ms_after_the_press_on(tmp_path: Path) -> None:
    # Whoever presses speaks at once, and each moment of what they say is like no other.
    codes = np.random.default_rng(16).integers(-120, 121, size=32_000)
    words = (codes * 64 / 32767).astype(np.float32)
    late_ms: list[float] = []
    with talking(tmp_path, speaking(REPLY), screen=True) as (device, server):
        for _ in range(8):
            lost = device.stats()["microphone_lost"]
            mark = device.mark()
            device.say(words, ms=0, now=True)
            device.do("touch", x=160, y=120, ms=2300)
            device.wait_view("heard", since=mark)
            device.wait_state("idle", mark)
            begun = device.wait_event("did", mark, command="say")["t"]
            opened = device.wait_event("microphone", mark, open=True)["t"]
            assert device.views("microphone", mark)[:2] == [True, False], "the screen says so"
            if device.stats()["microphone_lost"] != lost:
                continue  # this computer did not let the device's sound have its turn
            heard = np.round(server.scripted.stt.heard[-1] * (32768 / 64)).astype(int)
            # Where in the speech the recording begins; from there on it has all of it.
            probe = heard[1600:1664]
            begins = [n for n in range(len(codes) - 64) if (codes[n : n + 64] == probe).all()]
            assert len(begins) == 1, "the speech is in the recording, once"
            first = begins[0] - 1600
            last = len(codes) - 800  # the server's ears blend the last window into silence
            assert (heard[: last - first] == codes[first:last]).all(), "a sample was lost"
            # 20 ms are discarded; a busy computer opens the microphone late.
            late_ms.append(first / 16 - (opened - begun))
            if late_ms[-1] <= 50:
                break
    assert late_ms, "a computer that is too busy for a device's sound shows nothing"
    assert min(late_ms) <= 50, late_ms


def test_in_conversation_it_listens_again_after_each_reply(tmp_path: Path) -> None:
    answers = {
        "How are you?": "I am well.",
        "How high is the sun?": "It is noon.",
        "And now?": "Noon.",
    }
    with talking(tmp_path, answering(answers), talk_mode="conversation") as (device, _):
        mark = device.mark()
        for seconds, _text in enumerate(answers, 1):
            device.say(tone(seconds))
        device.do("tap")
        for heard, said in answers.items():
            assert device.wait_view("heard", heard, since=mark) == heard
            last = device.wait_event("view", mark, caption=said)
        device.wait_event("microphone", device.events.index(last), open=True)
        tapped = device.mark()
        device.do("tap")  # nobody says anything more
        device.wait_state("idle", tapped)
        device.wait_event("microphone", tapped, open=False)
    states = [state for state in device.states(mark) if state != "thinking"]
    assert states == ["listening", "speaking"] * len(answers) + ["listening", "idle"]
    assert [e["open"] for e in device.since(mark, "microphone")] == [True, False] * 4
    assert np.array_equal(device.sound(), np.concatenate([sound_of(a) for a in answers.values()]))


def test_a_tap_interrupts_at_once(tmp_path: Path) -> None:
    with talking(tmp_path, speaking(LONG_REPLY)) as (device, server):
        device.say(tone(1.0))
        mark = device.mark()
        device.do("tap")
        device.wait_event("sound", mark, on=True)
        time.sleep(0.8)
        tapped = device.mark()
        device.do("tap")
        request = device.wait_event("did", tapped, command="tap")
        device.wait_state("idle", tapped)
        time.sleep(1.0)
        # The last sound: on a busy computer the reply may have paused and gone on before the tap,
        # or have paused when it came; that the turn was interrupted is seen below.
        last = device.since(mark, "sound")[-1]
        assert not last["on"], "it stays silent"
        assert last["t"] - request["t"] <= 60, "milliseconds of the device's clock"
        turn = newest_turn(server)
    assert turn["outcome"] == "interrupted"
    assert len(device.sound()) < 0.5 * len(sound_of(LONG_REPLY))


def test_what_is_asked_after_an_interruption_is_answered(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=ScriptedChatModel([LONG_REPLY, "It is noon."]))
    with talking(tmp_path, scripted) as (device, _):
        device.say(tone(1.0))
        mark = device.mark()
        device.do("tap")
        device.wait_event("sound", mark, on=True)
        tapped = device.mark()
        device.do("tap")
        device.wait_event("did", tapped, command="tap")
        device.wait(lambda e: e["event"] == "state" and e["state"] != "speaking", tapped)
        # The last sound: on a busy computer the reply may have paused and gone on before the tap.
        wait_until(lambda: not device.since(mark, "sound")[-1]["on"])
        before = device.since(mark, "sound")[-1]["file_samples"]
        device.say(tone(1.0))
        if "listening" not in device.states(mark)[1:]:
            device.do("tap")
        device.wait_view("caption", "It is noon.", since=mark)
        device.wait_state("idle", device.mark())
    assert np.array_equal(device.sound()[before:], sound_of("It is noon."))


def test_silence_is_answered_by_nothing(tmp_path: Path) -> None:
    with talking(tmp_path, speaking(REPLY)) as (device, _):
        mark = device.mark()
        device.do("tap")
        device.wait_state("listening", mark)
        device.do("tap")
        device.wait_state("idle", mark)
    assert len(device.sound()) == 0


@pytest.mark.timeout(120)
def test_the_clock_may_wrap_in_mid_conversation(tmp_path: Path) -> None:
    with talking(tmp_path, speaking(LONG_REPLY), clock_start=2**32 - 3_500) as (device, _):
        device.say(tone(1.0))
        device.do("tap")
        device.wait_event("sound", on=True)
        device.wait_state("idle", device.mark())
        stats = device.stats()
    assert stats["t"] < 2**31 < device.events[0]["t"], "it has wrapped"
    assert torn_or_lost(stats) == {}
    assert len(device.sound()) >= len(sound_of(LONG_REPLY)) - 1600
