"""A body on the simulated device: a tool over a real session turns its head, and its servos are off
again afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from lobug.engines.base import ChatMessage, ChatOptions
from support.app_server import ScriptedEngines
from support.firmware_device import FirmwareDevice, firmware_device
from support.firmware_server import scripted_server
from support.patience import wait_until
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.wav import tone

LOOK = '{"tool": "body.set_gaze", "direction": "left", "angle": 45}'
DONE = "I am looking to my left."
REFUSED = "I'd rather not."


def obeying(call: str) -> ScriptedEngines:
    """Engines that hear "Look left." and use this tool, then tell what came of it."""

    def reply(messages: Sequence[ChatMessage], _: ChatOptions) -> str:
        newest = messages[-1].content
        if "[RESULT]" in newest:
            return REFUSED if "save power" in newest else DONE
        return call if "Look left" in newest else "[]"

    return ScriptedEngines(chat=ScriptedChatModel(reply), stt=ScriptedSpeechToText(["Look left."]))


def knows_the_tools(messages: Sequence[ChatMessage]) -> bool:
    return any("body.set_gaze" in message.content for message in messages)


@contextmanager
def on_a_base(folder: Path, **options: str | int | float | bool) -> Iterator[FirmwareDevice]:
    """An idle device on StackChan's base that has lifted its head and let go of it."""
    with (
        scripted_server(folder / "server", obeying(LOOK), access={"pairing": False}) as server,
        firmware_device(folder / "device", server=server.url, base=True, **options) as device,
    ):
        device.wait_state("idle")
        device.wait_event("supply", on=True)
        device.wait_event("supply", on=False)
        chat = server.scripted.chat
        assert isinstance(chat, ScriptedChatModel)
        wait_until(
            lambda: any(knows_the_tools(messages) for messages, _ in chat.prefills),
            "the model is told of the tools",
        )
        yield device


def ask(device: FirmwareDevice) -> None:
    device.say(tone(1.0))
    device.do("tap")


def test_a_tool_over_a_session_turns_the_head_and_the_servos_are_released(tmp_path: Path) -> None:
    with on_a_base(tmp_path) as device:
        assert device.views("body")[-1] == "stackchan"
        mark = device.mark()
        ask(device)
        device.wait_view("caption", DONE, mark)
        device.wait_view("yaw", -450, mark)
        told = [e for e in device.since(mark, "servo") if "position" in e]
        yaw = [e["position"] for e in told if e["axis"] == "yaw"]
        assert min(yaw) == 460 - 144, "45 degrees, as M5Stack's servos count"
        steps = [abs(after - before) for before, after in pairwise(yaw)]
        assert max(steps) <= 16, "eased: 5 degrees at a time at most"
        supplied = device.wait_event("supply", mark, on=True)
        device.wait_event("supply", device.events.index(supplied), on=False)
        torque = [e for e in device.since(mark, "servo") if "torque" in e]
        assert {(e["axis"], e["torque"]) for e in torque} == {
            *(("yaw", strong) for strong in (0, 1)),
            *(("pitch", strong) for strong in (0, 1)),
        }


def test_while_it_listens_no_servo_has_power(tmp_path: Path) -> None:
    with on_a_base(tmp_path) as device:
        mark = device.mark()
        ask(device)
        device.wait_event("microphone", mark, open=True)
        device.wait_event("microphone", mark, open=False)
        opened = device.events.index(device.wait_event("microphone", mark, open=True))
        closed = device.events.index(device.wait_event("microphone", mark, open=False))
        listening = device.events[opened:closed]
        assert not [e for e in listening if "position" in e]


def test_with_a_low_battery_the_model_hears_why_the_head_stays_still(tmp_path: Path) -> None:
    with on_a_base(tmp_path, hurry=10) as device:
        mark = device.mark()
        device.do("battery", value=12)
        device.wait_view("notice", "My battery is low. Please plug me in.", mark)
        device.do("tap")  # the notice is read
        device.wait_view("notice", "", mark)
        asked = device.mark()
        ask(device)
        device.wait_view("caption", REFUSED, asked)
        assert not device.since(asked, "supply")


def test_a_hand_on_its_head_is_liked(tmp_path: Path) -> None:
    with on_a_base(tmp_path) as device:
        mark = device.mark()
        device.do("stroke", ms=600)
        device.wait_view("emotion", "loving", mark)
        device.wait_event("servo", mark, axis="yaw", torque=1)
        device.wait_event("supply", mark, on=False)


def test_servos_that_do_not_answer_are_told_of(tmp_path: Path) -> None:
    with on_a_base(tmp_path) as device:
        device.do("servos_dead", value=1)
        mark = device.mark()
        device.do("console", text="calibrate")
        device.wait_event("log", mark, line="the body's servos do not answer")
        device.wait_view("servos_silent", True, mark)
        device.do("console", text="status")
        answer = device.wait(
            lambda e: e["event"] == "console" and "body: stackchan" in e["answer"], mark
        )
        assert "servos don't answer" in answer["answer"]


def test_an_offset_set_over_the_serial_line_moves_a_head_that_is_being_calibrated(
    tmp_path: Path,
) -> None:
    with on_a_base(tmp_path) as device:
        mark = device.mark()
        device.do("console", text="calibrate")
        device.wait_event("servo", mark, axis="yaw", position=460)
        device.do("console", text="set yaw_offset 10")
        device.wait_event("servo", mark, axis="yaw", position=492)
        assert device.stored()["yaw_offset"] == "10"
