"""The section ``answers`` of ``behaviour.py``: a dialogue, requests to the routes, and devices."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from behaviour_comparison import Normaliser, loudness
from behaviour_dialogue import (
    ADA,
    CONTRACT,
    DIALOGUE,
    FAILING,
    MEMORY,
    OPENAI,
    PEOPLE,
    PERSON_SETTINGS,
    SNAPSHOT,
    WAV,
    Ask,
    get,
    post,
    wav_header,
)
from behaviour_ollama import fake_ollama
from behaviour_server import (
    EMBEDDED,
    Checkout,
    Recorder,
    RecordingError,
    Served,
    served,
    with_ollama,
    without_figures,
)

RECORDINGS = {
    "a greeting": Path("/usr/share/asterisk/sounds/en_US_f_Allison/hello-world.g722"),
    "a sentence": Path("/usr/share/asterisk/sounds/en_US_f_Allison/vm-goodbye.g722"),
    "a word": Path("/usr/share/asterisk/sounds/en_US_f_Allison/digits/7.g722"),
    "loudspeakers": Path("/usr/share/sounds/alsa/Front_Center.wav"),
}
"""Recorded speech from the packages that ``scripts/system-packages.sh`` installs."""


VERIFIED_S = 300.0
"""Longest verification of the models' files, seconds."""

FRAME_BYTES = 1_920
"""60 ms of 16-bit samples at 16 kHz."""

REPLY_S = 60.0
"""Longest wait for the next message of a reply, seconds."""

SILENCE_S = 6.0
"""After this long without a message, and without a reply, nothing more is expected, seconds. The
first device with tools waits for an import."""


def answers(checkout: Checkout, folder: Path, normal: Normaliser) -> dict[str, Any]:
    """Record the dialogue, the routes, access and the streaming protocol, each on a new server."""
    left_out: dict[str, str] = {}
    speech = _recordings(left_out)
    spoken = _spoken(speech)
    greeting = speech.get("a greeting")
    return {
        "dialogue": _dialogue(checkout, folder / "dialogue", normal),
        "contract": _on_a_server(
            checkout, folder / "contract", normal, [*CONTRACT, *PAGES, *spoken]
        ),
        "openai": _on_a_server(checkout, folder / "openai", normal, OPENAI),
        "failing": _on_a_server(checkout, folder / "failing", normal, FAILING, failing=True),
        "access": access(checkout, folder / "access", normal),
        "streaming": streaming(
            checkout, folder / "streaming", normal, greeting[44:] if greeting else None
        ),
        "doctor": _doctor(checkout, folder / "doctor"),
        "left_out": left_out,
    }


PAGES = tuple(get(f"page {path}", path) for path in ("/docs", "/redoc", "/", "/favicon.ico"))


def _dialogue(checkout: Checkout, data: Path, normal: Normaliser) -> dict[str, Any]:
    """Record a dialogue, then the memory it left: by routes, by commands, and after a restart."""
    data.mkdir()
    (data / "sessions.json").write_text(json.dumps(SNAPSHOT))
    found: dict[str, Any] = {}
    with fake_ollama() as ollama:
        settings = with_ollama(ollama.url) | PERSON_SETTINGS
        with served(checkout, data, **settings) as lobug:
            recorder = Recorder(lobug, ollama, normal)
            recorder.rest()
            found["snapshot"] = sorted(path.name for path in data.glob("sessions.json*"))
            found["turns"] = [_turn(recorder, *turn) for turn in DIALOGUE]
            found["exports"] = dict(exports(recorder))
            recorder.all(MEMORY)
            recorder.ask(get("turns of the owner", "/turns?limit=3"))
            recorder.ask(get("turns: too many", "/turns?limit=100000"))
            recorder.ask(get("turn: unknown", "/turns/abc"))
            recorder.ask(get("metrics", "/metrics"))
            without_figures(recorder.answers["metrics"])
            found["memory"] = recorder.answers
            found["parts of prompts"] = recorder.parts
            found["commands"] = dict(_commands(checkout, data, normal, settings))
            lobug.settle()
        found["commands without a server"] = dict(_commands(checkout, data, normal, settings))
        found["snapshot after forgetting"] = sorted(p.name for p in data.glob("sessions.json*"))
        with served(checkout, data, **settings) as lobug:
            recorder = Recorder(lobug, ollama, normal)
            recorder.rest()
            found["after a restart"] = [
                _turn(recorder, ADA, "What do you know about my bike?"),
                _turn(recorder, ADA, "Where is my bike?"),
            ]
            # The imported sessions ended when the server started.
            recorder.ask(get("export of eve", "/memory/export?user=eve"))
            found["after a restart"].append(recorder.answers["export of eve"])
    return found


def _turn(recorder: Recorder, device: str, words: str) -> dict[str, Any]:
    """Say something; record the reply, and the prompts that the language model got."""
    name = f"{device}: {words}"
    recorder.answers.pop(name, None)
    recorder.ask(post(name, "/chat/text", {"text": words}, headers={"Device-Id": device}))
    noted = recorder.answers.pop(name)
    body = noted["body"]
    heard = {key: body[key] for key in ("response", "error") if key in body}
    return {"said": name, "status": noted["status"], **heard, "prompts": noted.get("prompts", [])}


def exports(recorder: Recorder) -> Iterator[tuple[str, Any]]:
    """Every person's export, as JSON and as Markdown."""
    for person in PEOPLE:
        for form in ("json", "markdown"):
            name = f"export {person} as {form}"
            recorder.ask(get(name, f"/memory/export?user={person}&format={form}"))
            yield name, recorder.answers.pop(name)


def _commands(
    checkout: Checkout, data: Path, normal: Normaliser, settings: Mapping[str, str]
) -> Iterator[tuple[str, Any]]:
    """What the commands about memory and access print."""
    for words in (
        "memory users",
        "memory list --user ada",
        "memory list --user ada --json --status all",
        "memory search bike --user ada",
        "memory show favourite_tea --user ada",
        "memory show nothing --user ada",
        "memory history favourite_tea --user ada",
        "memory identity --user ada",
        "memory sessions --user ada",
        "memory stats --user ada",
        "memory why --user ada",
        "memory recalls --user ada --limit 2",
        "memory projects list --user ada",
        "memory tasks list --user ada",
        "memory forget favourite_tea --user ada --dry-run",
        "memory export --user ben --format markdown",
        "devices list",
        "tokens list",
        "firmware list",
        "chat --device-id ada-desk",
    ):
        done = checkout.run(
            *words.split(),
            data=data,
            settings=settings,
            stdin="Where is my bike?\n" if words.startswith("chat") else "",
        )
        yield (
            words,
            {
                "code": done.code,
                "out": _printed(done.out, normal),
                "err": _printed(done.err, normal),
            },
        )


def _recordings(left_out: dict[str, str]) -> dict[str, bytes]:
    """Recorded speech as WAV files, by name. Adds what is not installed to ``left_out``."""
    found = {}
    for name, path in RECORDINGS.items():
        if path.is_file():
            found[name] = path.read_bytes() if path.suffix == ".wav" else _decoded(path)
        else:
            left_out[f"answers > speech: {name}"] = f"{path.name} is not installed"
    return found


def _spoken(recordings: Mapping[str, bytes]) -> Iterator[Ask]:
    """Requests with recorded speech."""
    for name, wav in recordings.items():
        events = WAV | {"Accept": "text/event-stream"}
        fields = {"model": "whisper-1", "response_format": "verbose_json"}
        yield post(f"speech: {name}", "/chat/audio", form=wav)
        yield post(f"speech, as events: {name}", "/chat/audio", content=wav, headers=events)
        yield post(
            f"speech, for a WAV: {name}",
            "/chat/audio",
            content=wav,
            headers=WAV | {"Accept": "audio/wav"},
        )
        yield post(f"transcription: {name}", "/v1/audio/transcriptions", form=wav, part="file",
                   fields=fields)  # fmt: skip


def _doctor(checkout: Checkout, data: Path) -> dict[str, str]:
    """The checks of ``lobug doctor`` and their levels; its sentences describe the machine."""
    done = checkout.run("doctor", "--json", data=data, settings=EMBEDDED)
    return {finding["name"]: finding["level"] for finding in done.json()["findings"]}


def _on_a_server(
    checkout: Checkout,
    data: Path,
    normal: Normaliser,
    requests: Sequence[Ask],
    *,
    failing: bool = False,
) -> dict[str, Any]:
    with fake_ollama() as ollama, served(checkout, data, **with_ollama(ollama.url)) as lobug:
        recorder = Recorder(lobug, ollama, normal, failing=failing)
        _wait_for_models(lobug)
        recorder.all(requests)
    return {"answers": recorder.answers, "parts of prompts": recorder.parts}


def _wait_for_models(lobug: Served) -> None:
    """Wait until the server has verified its models' files, as its health says."""
    until = time.monotonic() + VERIFIED_S
    while '"unverified"' in json.dumps(lobug.health()["engines"]):
        if time.monotonic() > until:
            raise RecordingError("the models were never verified")
        time.sleep(0.2)


def _printed(text: str, normal: Normaliser) -> Any:
    """What a command printed: parsed if it is JSON, otherwise lines without the tables' padding."""
    if text.startswith(("{", "[")):
        return normal.value(json.loads(text))
    return [
        re.sub(r"\s{2,}|\u2500+", "  ", line).rstrip() for line in normal.text(text).splitlines()
    ]


def _decoded(path: Path) -> bytes:
    """A recording as a WAV of 16 kHz."""
    import av  # noqa: PLC0415 - only where there are recordings

    with av.open(str(path), "r", format="g722") as opened:
        data = b"".join(frame.to_ndarray().tobytes() for frame in opened.decode(audio=0))
    return wav_header(len(data)) + data


def access(checkout: Checkout, data: Path, normal: Normaliser) -> dict[str, Any]:
    """Record pairing, tokens and firmware."""
    with fake_ollama() as ollama, served(checkout, data, **with_ollama(ollama.url)) as lobug:
        recorder = Recorder(lobug, ollama, normal)
        pair(recorder)
        make_tokens(recorder)
        recorder.all(
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
    return recorder.answers


def pair(recorder: Recorder) -> None:
    """Pair a device, from its first request to its token."""
    device = {"Device-Id": "AA:BB:CC:DD:EE:01", "Client-Id": "5e5c5a0c-0000-4000-8000-000000000001"}
    about = {"application": {"name": "xiaozhi", "version": "2.0.1"}, "board": {"type": "cores3"}}
    ota = "/xiaozhi/ota/"
    recorder.ask(get("discovery: a person", ota))
    recorder.ask(post("discovery: without names", ota, about))
    recorder.ask(post("discovery: too large", ota, {"x": "y" * 70_000}, headers=device))
    answer = recorder.ask(post("discovery: a new device", ota, about, headers=device)).json()
    recorder.ask(post("activate: not yet", f"{ota}activate", headers=device))
    recorder.ask(get("devices waiting", "/devices"))
    recorder.ask(post("approve: wrong form", "/devices/approve", {"code": "12"}))
    code = answer["activation"]["code"]
    wrong = "000000" if code != "000000" else "000001"
    recorder.ask(post("approve: wrong code", "/devices/approve", {"code": wrong}))
    recorder.ask(post("approve", "/devices/approve", {"code": code, "name": "Desk", "user": "ada"}))
    recorder.ask(post("activate: now", f"{ota}activate", headers=device))
    token = recorder.ask(post("discovery: approved", ota, about, headers=device)).json()
    bearer = {"Authorization": f"Bearer {token['websocket']['token']}"}
    words = {"text": "My kettle is blue."}
    recorder.ask(post("text of the device", "/chat/text", words, headers=device | bearer))
    other = {"Device-Id": "AA:BB:CC:DD:EE:09"} | bearer
    recorder.ask(post("text with another's token", "/chat/text", words, headers=other))
    recorder.ask(post("discovery: once more", ota, about, headers=device))
    recorder.ask(get("memory of the device", "/memory/entries", headers=bearer))
    recorder.ask(get("devices after pairing", "/devices"))


def make_tokens(recorder: Recorder) -> None:
    """Create tokens of each kind, use them, and revoke one."""
    made: dict[str, dict[str, str]] = {}
    for name, wish in {
        "ordinary": {"name": "laptop", "user": "ben", "conversation": "work"},
        "owner": {"name": "boss", "owner": True},
        "metrics": {"name": "prometheus", "scope": "metrics"},
        "odd": {"name": "", "scope": "everything"},
    }.items():
        answer = recorder.ask(post(f"token: {name}", "/tokens", wish))
        if answer.status_code < 300:
            made[name] = answer.json()
    for name, token in made.items():
        bearer = {"Authorization": f"Bearer {token['token']}"}
        for path in ("/health", "/tokens", "/turns", "/memory/users", "/memory/stats", "/metrics"):
            recorder.ask(get(f"{path} with the token {name}", path, headers=bearer))
            if path == "/metrics":
                without_figures(recorder.answers[f"{path} with the token {name}"])
        words = {"text": "My desk is white."}
        recorder.ask(post(f"text with the token {name}", "/chat/text", words, headers=bearer))
        recorder.ask(
            get(f"another's memory with {name}", "/memory/entries?user=ada", headers=bearer)
        )
    recorder.ask(get("tokens", "/tokens"))
    recorder.ask(Ask("token: ended", "DELETE", f"/tokens/{made['ordinary']['id']}"))
    recorder.ask(Ask("token: unknown", "DELETE", "/tokens/00000000"))
    ended = {"Authorization": f"Bearer {made['ordinary']['token']}"}
    recorder.ask(post("text with an ended token", "/chat/text", {"text": "Hi"}, headers=ended))


def streaming(
    checkout: Checkout, data: Path, normal: Normaliser, speech: bytes | None
) -> dict[str, Any]:
    """Record conversations over the WebSocket: valid and invalid hellos, an utterance, a reply.

    ``speech``: what the device says, 16-bit samples at 16 kHz; None: it says nothing."""
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
    """Send messages; yield what comes back until the reply is over or nothing more arrives."""
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
            message = socket.recv(REPLY_S if replying else SILENCE_S)
            if isinstance(message, bytes):
                audio += message
                continue
            event = json.loads(message)
            yield event
            replying = replying or event["type"] in {"stt", "tts"}
            if event.get("state") == "stop":
                break
    except TimeoutError:
        yield "nothing more"
    except ConnectionClosed as closed:
        yield f"closed: {closed.rcvd.code} {closed.rcvd.reason}" if closed.rcvd else "broken off"
    if audio:
        yield {"samples": len(audio) // 2, "loudness_db": loudness(audio)}


def _refused(url: str, headers: dict[str, str]) -> dict[str, Any]:
    """The status and body with which a handshake is refused."""
    try:
        with connect(url, additional_headers=headers, proxy=None):
            return {"status": 101}
    except InvalidStatus as refused:
        body = bytes(refused.response.body or b"")
        return {"status": refused.response.status_code, "body": json.loads(body or b"null")}
    except OSError as error:
        raise RecordingError(f"the WebSocket could not be opened: {error}") from error
