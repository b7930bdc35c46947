"""The section ``answers`` of ``behaviour.py``: what Lo-Bug says and sends, request by request."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from behaviour_access import access, streaming
from behaviour_asking import Asking, without_figures
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
from behaviour_lobug import Checkout, RecordingError, Served, served, with_ollama
from behaviour_normal import Normaliser
from behaviour_ollama import fake_ollama
from behaviour_surface import EMBEDDED

RECORDINGS = {
    "a greeting": Path("/usr/share/asterisk/sounds/en_US_f_Allison/hello-world.g722"),
    "a sentence": Path("/usr/share/asterisk/sounds/en_US_f_Allison/vm-goodbye.g722"),
    "a word": Path("/usr/share/asterisk/sounds/en_US_f_Allison/digits/7.g722"),
    "loudspeakers": Path("/usr/share/sounds/alsa/Front_Center.wav"),
}
"""Recorded speech of the system packages that ``scripts/system-packages.sh`` installs."""


VERIFIED_S = 300.0
"""Longest comparison of the models' bytes, seconds."""


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
    """Record what people hear, then the routes of their memory, then the same from the shell."""
    data.mkdir()
    (data / "sessions.json").write_text(json.dumps(SNAPSHOT))
    found: dict[str, Any] = {}
    with fake_ollama() as ollama:
        settings = with_ollama(ollama.url) | PERSON_SETTINGS
        with served(checkout, data, **settings) as lobug:
            asking = Asking(lobug, ollama, normal)
            asking.rest()
            found["snapshot"] = sorted(path.name for path in data.glob("sessions.json*"))
            found["turns"] = [_turn(asking, *turn) for turn in DIALOGUE]
            found["exports"] = dict(exports(asking))
            asking.all(MEMORY)
            asking.ask(get("turns of the owner", "/turns?limit=3"))
            asking.ask(get("turns: too many", "/turns?limit=100000"))
            asking.ask(get("turn: unknown", "/turns/abc"))
            asking.ask(get("metrics", "/metrics"))
            without_figures(asking.answers["metrics"])
            found["memory"] = asking.answers
            found["parts of prompts"] = asking.parts
            found["commands"] = dict(_commands(checkout, data, normal, settings))
            lobug.settle()
        found["commands without a server"] = dict(_commands(checkout, data, normal, settings))
        found["snapshot after forgetting"] = sorted(p.name for p in data.glob("sessions.json*"))
        with served(checkout, data, **settings) as lobug:
            asking = Asking(lobug, ollama, normal)
            asking.rest()
            found["after a restart"] = [
                _turn(asking, ADA, "What do you know about my bike?"),
                _turn(asking, ADA, "Where is my bike?"),
            ]
            # The sessions that were brought in are over since the start.
            asking.ask(get("export of eve", "/memory/export?user=eve"))
            found["after a restart"].append(asking.answers["export of eve"])
    return found


def _turn(asking: Asking, device: str, words: str) -> dict[str, Any]:
    """Say something and note what is heard, and what the language model was asked."""
    name = f"{device}: {words}"
    asking.answers.pop(name, None)
    asking.ask(post(name, "/chat/text", {"text": words}, headers={"Device-Id": device}))
    noted = asking.answers.pop(name)
    body = noted["body"]
    heard = {key: body[key] for key in ("response", "error") if key in body}
    return {"said": name, "status": noted["status"], **heard, "prompts": noted.get("prompts", [])}


def exports(asking: Asking) -> Iterator[tuple[str, Any]]:
    """Both forms of every person's export."""
    for person in PEOPLE:
        for form in ("json", "markdown"):
            name = f"export {person} as {form}"
            asking.ask(get(name, f"/memory/export?user={person}&format={form}"))
            yield name, asking.answers.pop(name)


def _commands(
    checkout: Checkout, data: Path, normal: Normaliser, settings: Mapping[str, str]
) -> Iterator[tuple[str, Any]]:
    """What commands about memory and access print."""
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
    """Recorded speech as WAVs, by name; what is not installed is noted."""
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
    """What doctor looks at, and how bad that is; its sentences tell of the machine."""
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
        asking = Asking(lobug, ollama, normal, failing=failing)
        _wait_for_models(lobug)
        asking.all(requests)
    return {"answers": asking.answers, "parts of prompts": asking.parts}


def _wait_for_models(lobug: Served) -> None:
    """Wait until the server has compared its models' bytes, which it says in its health."""
    until = time.monotonic() + VERIFIED_S
    while '"unverified"' in json.dumps(lobug.health()["engines"]):
        if time.monotonic() > until:
            raise RecordingError("the models were never verified")
        time.sleep(0.2)


def _printed(text: str, normal: Normaliser) -> Any:
    """What a command printed: JSON where it is that, else lines without the tables' padding."""
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
