"""What the device feels, does for the chat model, and has on its screen."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lobug.devices import messages
from support.firmware_device import PATIENCE_S, FirmwareDevice, firmware_device, torn_or_lost
from support.firmware_server import scripted_server, speaking
from support.wav import tone

OPEN = {"pairing": False}


class Watching:
    """ASGI middleware that keeps what devices tell about their senses, over the session or by
    requests of their own."""

    def __init__(self) -> None:
        self.readings: list[dict[str, Any]] = []
        self.tokens: list[bytes | None] = []
        """Of each request."""

    def around(self, app: ASGIApp) -> ASGIApp:
        async def watch(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "websocket":
                await app(scope, self._listening(receive), send)
                return
            if scope["type"] != "http" or scope["path"] != "/context/sensors":
                await app(scope, receive, send)
                return
            body = b""

            async def pass_on() -> Message:
                nonlocal body
                message = await receive()
                body += message.get("body", b"")
                return message

            await app(scope, pass_on, send)
            self.readings.append(json.loads(body))
            self.tokens.append(dict(scope["headers"]).get(b"authorization"))

        return watch

    def _listening(self, receive: Receive) -> Receive:
        async def listen() -> Message:
            message = await receive()
            text = message.get("text")
            if text and (told := json.loads(text))["type"] == "sensors":
                self.readings.append(told["reading"])
            return message

        return listen


@contextmanager
def ready(folder: Path, watching: Watching, **options: Any) -> Iterator[FirmwareDevice]:
    with (
        scripted_server(
            folder / "server", speaking("It is noon."), watching.around, access=OPEN
        ) as server,
        firmware_device(folder / "device", server=server.url, **options) as device,
    ):
        device.wait_state("idle")
        yield device


def felt(watching: Watching, name: str, value: object, since: int = 0) -> None:
    """The server is told so."""
    until = time.monotonic() + PATIENCE_S
    while not any(reading[name] == value for reading in watching.readings[since:]):
        assert time.monotonic() < until, (name, value, watching.readings)
        time.sleep(0.05)


def test_the_server_knows_how_it_is_held_and_what_is_done_to_it(tmp_path: Path) -> None:
    watching = Watching()
    with ready(tmp_path, watching) as device:
        felt(watching, "orientation", "face_up")
        device.do("motion", accel_mg=[0, 1000, 0], gyro_mdps=[0, 0, 0])
        felt(watching, "orientation", "upright")
        device.do("motion", accel_mg=[0, 0, 1000], gyro_mdps=[0, 0, 0])
        felt(watching, "orientation", "face_up", len(watching.readings))
        assert not any(reading["tap_detected"] for reading in watching.readings)
        time.sleep(2.0)  # a knock on something that was just moved counts as movement
        device.do("knock")
        felt(watching, "tap_detected", True)
        device.do("shake", ms=1500)
        felt(watching, "is_shaking", True)
    fields = {"orientation", "is_moving", "is_shaking", "tap_detected",
              "accel_x", "accel_y", "accel_z", "gyro_x", "gyro_y", "gyro_z"}  # fmt: skip
    assert all(set(reading) == fields for reading in watching.readings)
    assert watching.tokens == [], "all of it went over the session"


def test_a_server_that_takes_no_senses_over_the_session_is_told_by_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def older(*arguments: Any) -> str:
        said = json.loads(hello(*arguments))
        del said["features"]
        return json.dumps(said)

    hello = messages.hello
    monkeypatch.setattr(messages, "hello", older)
    watching = Watching()
    with ready(tmp_path, watching) as device:
        felt(watching, "orientation", "face_up")
        device.do("motion", accel_mg=[0, 1000, 0], gyro_mdps=[0, 0, 0])
        felt(watching, "orientation", "upright")
    assert len(watching.tokens) == len(watching.readings)
    assert all((token or b"").startswith(b"Bearer lobug_") for token in watching.tokens)


def test_senses_are_told_while_it_speaks_and_do_not_disturb_it(tmp_path: Path) -> None:
    watching = Watching()
    with ready(tmp_path, watching) as device:
        device.say(tone(2.0))
        mark = device.mark()
        device.do("tap")
        device.wait_state("listening", mark)
        device.do("motion", accel_mg=[0, 1000, 0], gyro_mdps=[0, 0, 0])
        device.wait_view("heard", since=mark)
        device.wait_state("idle", mark)
        felt(watching, "orientation", "upright")
        stats = device.stats()
    assert torn_or_lost(stats) == {}


def test_fingers_on_the_screen_talk_and_the_screen_is_drawn(tmp_path: Path) -> None:
    with ready(tmp_path, Watching(), screen=True) as device:
        idle = picture(device, "idle")
        mark = device.mark()
        device.do("touch", x=160, y=120, ms=100)
        device.wait_state("listening", mark)
        device.wait_view("microphone", True, since=mark)
        listening = picture(device, "listening")
        assert listening.shape == (240, 320, 3)
        status_bar = slice(0, 24)
        assert (idle[status_bar] != listening[status_bar]).any(), "the open microphone is shown"
        again = device.mark()
        device.do("touch", x=160, y=120, ms=100)
        device.wait_event("microphone", again, open=False)
        held = device.mark()
        device.do("touch", x=160, y=120, ms=2500)  # push to talk
        device.say(tone(0.5))
        device.wait_view("heard", since=held)
        device.wait_state("idle", device.mark())


def picture(device: FirmwareDevice, name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The screen as it is a moment later, when the face has moved."""
    time.sleep(0.5)
    mark = device.mark()
    file = device.folder / f"{name}.ppm"
    device.do("picture", text=str(file))
    device.wait_event("picture", mark)
    head, size, depth, pixels = file.read_bytes().split(b"\n", 3)
    assert (head, depth) == (b"P6", b"255")
    width, height = map(int, size.split())
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


def test_the_serial_console_sets_what_the_screen_does(tmp_path: Path) -> None:
    with ready(tmp_path, Watching()) as device:
        mark = device.mark()
        device.do("console", text="set volume 35")
        device.wait_event("console", mark)
        device.wait_view("volume", 35, since=mark)
        device.do("volume", value=80)
        device.wait_view("volume", 80, since=mark)
        assert device.states(mark) == [], "that is no reason to leave the server"
        device.do("console", text="show")
        answer = device.wait_event("console", device.mark())["answer"]
        assert "lobug_" not in answer, "no token is printed"
        until = time.monotonic() + PATIENCE_S
        while device.stored().get("volume") != "80":  # written once it has rested
            assert time.monotonic() < until, device.stored()
            time.sleep(0.05)
