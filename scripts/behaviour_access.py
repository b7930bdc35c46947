"""Pairing, tokens and the streaming protocol for the section ``answers`` of ``behaviour.py``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from behaviour_asking import Asking, without_figures
from behaviour_dialogue import Ask, get, post
from behaviour_lobug import Checkout, RecordingError, served, with_ollama
from behaviour_normal import Normaliser, loudness
from behaviour_ollama import fake_ollama

FRAME_BYTES = 1_920
"""60 ms of 16-bit samples at 16 kHz."""

REPLY_S = 60.0
"""Longest wait for the next message of a reply, seconds."""


def access(checkout: Checkout, data: Path, normal: Normaliser) -> dict[str, Any]:
    """Record pairing, tokens and firmware, message by message."""
    with fake_ollama() as ollama, served(checkout, data, **with_ollama(ollama.url)) as lobug:
        asking = Asking(lobug, ollama, normal)
        pair(asking)
        make_tokens(asking)
        asking.all(
            [
                get("firmware: as the owner", "/firmware/m5stack-core2/9.9.9"),
                post("alert: not connected", "/devices/aa:bb:cc:dd:ee:01/alert",
                     {"message": "Dinner"}),
                post("reboot: unknown", "/devices/nobody/reboot"),
                Ask("device: renamed", "PATCH", "/devices/aa:bb:cc:dd:ee:01",
                    {"name": "Kitchen", "user": "ben"}),
                Ask("device: unknown", "PATCH", "/devices/nobody", {"name": "x"}),
                Ask("device: bad name", "PATCH", "/devices/aa:bb:cc:dd:ee:01", {"name": "a\nb"}),
                Ask("device: revoked", "DELETE", "/devices/aa:bb:cc:dd:ee:01"),
                get("devices after that", "/devices"),
            ]
        )  # fmt: skip
    return asking.answers


def pair(asking: Asking) -> None:
    """Let a device in, from its first question to its token."""
    device = {"Device-Id": "AA:BB:CC:DD:EE:01", "Client-Id": "5e5c5a0c-0000-4000-8000-000000000001"}
    about = {"application": {"name": "xiaozhi", "version": "2.0.1"}, "board": {"type": "cores3"}}
    ota = "/xiaozhi/ota/"
    asking.ask(get("discovery: a person", ota))
    asking.ask(post("discovery: without names", ota, about))
    asking.ask(post("discovery: too large", ota, {"x": "y" * 70_000}, headers=device))
    told = asking.ask(post("discovery: a new device", ota, about, headers=device)).json()
    asking.ask(post("activate: not yet", f"{ota}activate", headers=device))
    asking.ask(get("devices waiting", "/devices"))
    asking.ask(post("approve: wrong form", "/devices/approve", {"code": "12"}))
    code = told["activation"]["code"]
    wrong = "000000" if code != "000000" else "000001"
    asking.ask(post("approve: wrong code", "/devices/approve", {"code": wrong}))
    asking.ask(post("approve", "/devices/approve", {"code": code, "name": "Desk", "user": "ada"}))
    asking.ask(post("activate: now", f"{ota}activate", headers=device))
    token = asking.ask(post("discovery: approved", ota, about, headers=device)).json()
    bearer = {"Authorization": f"Bearer {token['websocket']['token']}"}
    words = {"text": "My kettle is blue."}
    asking.ask(post("text of the device", "/chat/text", words, headers=device | bearer))
    other = {"Device-Id": "AA:BB:CC:DD:EE:09"} | bearer
    asking.ask(post("text with another's token", "/chat/text", words, headers=other))
    asking.ask(post("discovery: once more", ota, about, headers=device))
    asking.ask(get("memory of the device", "/memory/entries", headers=bearer))
    asking.ask(get("devices after pairing", "/devices"))


def make_tokens(asking: Asking) -> None:
    """Make tokens of each kind, use them, and end one."""
    made: dict[str, dict[str, str]] = {}
    for name, wish in {
        "ordinary": {"name": "laptop", "user": "ben", "conversation": "work"},
        "owner": {"name": "boss", "owner": True},
        "metrics": {"name": "prometheus", "scope": "metrics"},
        "odd": {"name": "", "scope": "everything"},
    }.items():
        answer = asking.ask(post(f"token: {name}", "/tokens", wish))
        if answer.status_code < 300:
            made[name] = answer.json()
    for name, token in made.items():
        bearer = {"Authorization": f"Bearer {token['token']}"}
        for path in ("/health", "/tokens", "/turns", "/memory/users", "/memory/stats", "/metrics"):
            asking.ask(get(f"{path} with the token {name}", path, headers=bearer))
            if path == "/metrics":
                without_figures(asking.answers[f"{path} with the token {name}"])
        words = {"text": "My desk is white."}
        asking.ask(post(f"text with the token {name}", "/chat/text", words, headers=bearer))
        asking.ask(get(f"another's memory with {name}", "/memory/entries?user=ada", headers=bearer))
    asking.ask(get("tokens", "/tokens"))
    asking.ask(Ask("token: ended", "DELETE", f"/tokens/{made['ordinary']['id']}"))
    asking.ask(Ask("token: unknown", "DELETE", "/tokens/00000000"))
    ended = {"Authorization": f"Bearer {made['ordinary']['token']}"}
    asking.ask(post("text with an ended token", "/chat/text", {"text": "Hi"}, headers=ended))


def streaming(
    checkout: Checkout, data: Path, normal: Normaliser, speech: bytes | None
) -> dict[str, Any]:
    """Record conversations over the WebSocket: good and bad hellos, a word, a reply.

    ``speech`` is what the device says, 16-bit samples of 16 kHz; None: it says nothing."""
    with fake_ollama() as ollama, served(checkout, data, **with_ollama(ollama.url)) as lobug:
        url = lobug.url.replace("http", "ws") + "/xiaozhi/v1/"
        conversations: dict[str, list[Any]] = {
            "no hello": [{"type": "listen", "state": "start", "mode": "auto"}],
            "no JSON": ["hello"],
            "unknown codec": [_hello(format="mp3")],
            "unknown rate": [_hello(sample_rate=7)],
            "hello and goodbye": [_hello(), {"type": "goodbye"}],
            "stop without words": [
                _hello(),
                _listen("start", mode="manual"),
                b"\0" * FRAME_BYTES * 10,
                _listen("stop"),
            ],
            "tools": [_hello(features={"mcp": True}), {"type": "iot"}],
        }
        if speech:
            conversations["speech"] = _said(speech)
        found = {
            name: normal.value(list(_conversation(url, messages)))
            for name, messages in conversations.items()
        }
        bearer = {"Authorization": "Bearer nobody"}
        found["unknown token"] = _refused(url, bearer | {"Origin": "https://example.org"})
        found["foreign origin"] = _refused(url, {"Origin": "https://example.org"})
    return found


def _hello(**changes: Any) -> dict[str, Any]:
    features = changes.pop("features", {"drops_on_abort": True})
    audio = {"format": "pcm", "sample_rate": 16_000, "channels": 1, "frame_duration": 60} | changes
    return {
        "type": "hello",
        "version": 1,
        "transport": "websocket",
        "features": features,
        "audio_params": audio,
    }


def _listen(state: str, **more: Any) -> dict[str, Any]:
    return {"type": "listen", "state": state, **more}


def _said(speech: bytes) -> list[dict[str, Any] | bytes]:
    return [_hello(), _listen("start", mode="manual"), speech, _listen("stop")]


def _conversation(url: str, messages: list[Any]) -> Iterator[Any]:
    """Send messages and tell what comes back until nothing more does, or the reply is over."""
    headers = {"Device-Id": "streaming", "Client-Id": "behaviour"}
    with connect(url, additional_headers=headers, proxy=None, max_size=None) as socket:
        for message in messages:
            if isinstance(message, bytes):
                for start in range(0, len(message) // FRAME_BYTES * FRAME_BYTES, FRAME_BYTES):
                    socket.send(message[start : start + FRAME_BYTES])
            else:
                socket.send(message if isinstance(message, str) else json.dumps(message))
        yield from _received(socket)


def _received(socket: ClientConnection) -> Iterator[Any]:
    audio = b""
    replying = False
    try:
        while True:
            message = socket.recv(REPLY_S if replying else 2.0)
            if isinstance(message, bytes):
                audio += message
                continue
            told = json.loads(message)
            yield told
            replying = replying or told["type"] in {"stt", "tts"}
            if told.get("state") == "stop":
                break
    except TimeoutError:
        yield "nothing more"
    except ConnectionClosed as closed:
        yield f"closed: {closed.rcvd.code} {closed.rcvd.reason}" if closed.rcvd else "broken off"
    if audio:
        yield {"samples": len(audio) // 2, "loudness_db": loudness(audio)}


def _refused(url: str, headers: dict[str, str]) -> dict[str, Any]:
    """How a handshake is refused."""
    try:
        with connect(url, additional_headers=headers, proxy=None):
            return {"status": 101}
    except InvalidStatus as refused:
        body = bytes(refused.response.body or b"")
        return {"status": refused.response.status_code, "body": json.loads(body or b"null")}
    except OSError as error:
        raise RecordingError(f"the WebSocket could not be opened: {error}") from error
