"""Anything at all is sent to the three doors: the answer is always one that the document names."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.app import create_app
from lobug.errors import BusyError, EngineError, LobugError, StorageError
from support.app_server import ScriptedEngines, in_thread, scripted_assembler, settings_for
from support.scripted import ScriptedChatModel
from support.wav import any_wav, pcm16, tone

EXAMPLES = 200
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,  # the same on every machine: a failure can be repeated
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
WAV = pcm16(tone(0.1))
FLOAT_WAV = any_wav(tone(0.05), 8_000, 32, 2, floating=True)


class Door:
    """A running application and its OpenAPI document."""

    def __init__(self, app: FastAPI, port: int) -> None:
        self.app = app
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False)
        self.paths: dict[str, Any] = self.client.get("/openapi.json").json()["paths"]

    def send(self, path: str, **request: Any) -> httpx.Response:
        """Post, and check that the answer is one that the document promises."""
        answer = self.client.post(path, **request)
        documented = self.paths[path]["post"]["responses"]
        assert str(answer.status_code) in documented, answer.text
        body = answer.json()
        if answer.status_code == 200:
            assert "error" not in body
            return answer
        code = body["error"]["code"]
        assert code != LobugError.code, answer.text
        assert f"`{code}`" in documented[str(answer.status_code)]["description"], code
        assert body["response"]
        assert body["action"] == "respond"
        assert body["audio_b64"] == ""
        assert "Traceback" not in answer.text
        return answer


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    chat = ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Okay.")
    limits = {"max_body_bytes": 200_000, "max_audio_seconds": 5.0, "max_text_chars": 500}
    app = create_app(
        settings_for(tmp_path_factory.mktemp("fuzz"), limits=limits),
        assembler=scripted_assembler(ScriptedEngines(chat=chat)),
    )
    server, thread, port = in_thread(app)
    found = Door(app, port)
    yield found
    assert found.client.post("/chat/text", json={"text": "Hi"}).json() == {"response": "Okay."}
    assert app.state.lobug.priority.turns == 0
    found.client.close()
    _stop(server, thread)


def _stop(server: uvicorn.Server, thread: threading.Thread) -> None:
    server.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=8,
)
CONTENT_TYPES = st.sampled_from(
    [
        "application/json",
        "text/plain",
        "application/json; charset=latin-1",
        "",
        "multipart/form-data",
    ]
)


def mutated(whole: bytes) -> st.SearchStrategy[bytes]:
    """``whole`` with some bytes replaced, then cut somewhere."""

    def change(changes: list[tuple[int, int]], end: int) -> bytes:
        content = bytearray(whole)
        for place, value in changes:
            content[place % len(content)] = value
        return bytes(content[: end % (len(content) + 1)] or content)

    byte = st.tuples(st.integers(0, 100) | st.integers(0, len(whole)), st.integers(0, 255))
    return st.builds(change, st.lists(byte, max_size=6), st.integers(0, len(whole)))


JSON_BODIES = (
    st.binary(max_size=300)
    | ANY_JSON.map(lambda value: json.dumps(value).encode())
    | st.text(max_size=600).map(lambda text: json.dumps({"text": text}).encode())
    | st.text(max_size=40).map(
        lambda text: json.dumps({"text": text}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    )
    | mutated(b'{"text": "Hello there, Lo-Bug \\ud83d\\ude00"}')
)

SENSOR_FIELDS = st.sampled_from(
    ["orientation", "is_moving", "is_shaking", "tap_detected", "accel_x", "gyro_z", "other"]
)
SENSOR_BODIES = JSON_BODIES | st.dictionaries(SENSOR_FIELDS, ANY_JSON, max_size=5).map(
    lambda value: json.dumps(value).encode()
)


@pytest.mark.parametrize("path", ["/chat/text", "/chat/audio"])
def test_every_failure_of_a_turn_is_documented(door: Door, path: str) -> None:
    documented = door.paths[path]["post"]["responses"]
    for error in (EngineError, StorageError, BusyError):
        for kind in (error, *error.__subclasses__()):
            assert f"`{kind.code}`" in documented[str(kind.status)]["description"]


@FUZZ
@given(body=JSON_BODIES, content_type=CONTENT_TYPES)
def test_text(door: Door, body: bytes, content_type: str) -> None:
    door.send("/chat/text", content=body, headers={"Content-Type": content_type})


@FUZZ
@given(body=SENSOR_BODIES, content_type=CONTENT_TYPES)
def test_sensors(door: Door, body: bytes, content_type: str) -> None:
    door.send("/context/sensors", content=body, headers={"Content-Type": content_type})


@FUZZ
@given(
    recording=st.binary(max_size=400) | mutated(WAV) | mutated(FLOAT_WAV),
    name=st.text(max_size=12),
    kind=st.sampled_from(["audio/wav", "text/plain", "", "x/" + "y" * 300]),
)
def test_recordings(door: Door, recording: bytes, name: str, kind: str) -> None:
    name = name.encode("utf-8", "replace").decode()
    door.send("/chat/audio", files={"audio": (name, recording, kind)})


@FUZZ
@given(
    body=st.binary(max_size=300)
    | mutated(
        b'--edge\r\nContent-Disposition: form-data; name="audio"; filename="r.wav"\r\n'
        b"Content-Type: audio/wav\r\n\r\n" + WAV[:200] + b"\r\n--edge--\r\n"
    )
)
def test_multipart(door: Door, body: bytes) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    door.send("/chat/audio", content=body, headers=headers)


@FUZZ
@given(
    body=st.binary(max_size=400) | mutated(WAV),
    kind=st.sampled_from(["audio/wav", "audio/L16", "audio/pcm", "audio/ogg", "audio/x"]),
    parameters=st.text('rate=channels;10 -endiless"', max_size=30),
)
def test_recordings_as_the_body_itself(door: Door, body: bytes, kind: str, parameters: str) -> None:
    door.send("/chat/audio", content=body, headers={"Content-Type": f"{kind};{parameters}".strip()})


def header_value(raw: bytes) -> bytes:
    """What a client may put on the wire at all: no control characters, no space around it."""
    return bytes(byte for byte in raw if byte >= 0x20 and byte != 0x7F).strip()


@FUZZ
@given(device=st.binary(max_size=200), token=st.binary(max_size=60))
def test_who_calls(door: Door, device: bytes, token: bytes) -> None:
    headers = [(b"Device-Id", header_value(device)), (b"Authorization", header_value(token))]
    door.send("/chat/text", content=b'{"text": "Hi"}', headers=headers)
