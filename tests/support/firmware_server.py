"""A server with scripted engines for the simulated device: in a thread, or a program that can be
killed:

python firmware_server.py FOLDER PORT REPLY
"""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import uvicorn
from numpy.typing import NDArray

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from lobug.app import create_app
from lobug.devices.codec import make_encoder
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.engines.base import ChatMessage, ChatOptions, Samples, Transcript
from lobug.server import LobugServer
from lobug.settings import Settings
from support.app_server import ScriptedEngines, in_thread, scripted_assembler, settings_for
from support.firmware_tls import Certificate
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText

DOWNLINK = AudioFormat(AudioCodec.PCM, 16_000, 60.0)
SPEECH_RATE = 24_000
"""Hz; of the scripted voice."""


LONG_REPLY = (
    "The moon goes around the earth in a month and the earth goes around the sun in a year while"
    " Venus is the brightest of all the planets that we can see at night. Mars is red since there"
    " is rust in its dust and Jupiter is larger than all of the other planets together and has more"
    " moons than anybody has counted so far. Saturn has rings that are made of ice and rock and are"
    " wider than the whole way from the earth to the moon."
)
"""More than four seconds of the scripted voice in three sentences, which is as much as a server
lets its model say."""


class DevicesElsewhere:
    """ASGI middleware: whoever says a device id calls from another computer, so that it needs its
    token; the owner is here."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in {"http", "websocket"} and "device-id" in Headers(scope=scope):
            scope["client"] = ("192.168.1.7", 50_000)
        await self._app(scope, receive, send)


@dataclass
class ScriptedServer:
    """A server in a thread of this process."""

    url: str
    scripted: ScriptedEngines
    lobug: LobugServer


def speaking(*replies: str) -> ScriptedEngines:
    """Engines that answer with these texts in order; the last one repeats."""
    return ScriptedEngines(chat=ScriptedChatModel(replies))


def answering(answers: Mapping[str, str]) -> ScriptedEngines:
    """Engines that answer each of these utterances as it is written here. The first is understood
    in one second of loud sound, the second in two, and so on, however often a server that reads
    along asks."""

    class ByLength(ScriptedSpeechToText):
        async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
            seconds = np.count_nonzero(np.abs(audio) > 0.02) / 16_000
            self.texts = [list(answers)[min(len(answers), max(1, round(seconds))) - 1]]
            return await super().transcribe(audio, language)

    def reply(messages: Sequence[ChatMessage], _: ChatOptions) -> str:
        asked = next(m.content for m in reversed(messages) if m.role == "user")
        return next((said for heard, said in answers.items() if heard in asked), "[]")

    return ScriptedEngines(chat=ScriptedChatModel(reply), stt=ByLength())


@contextmanager
def scripted_server(
    folder: Path,
    scripted: ScriptedEngines,
    around: Callable[[ASGIApp], ASGIApp] | None = None,
    tls: Certificate | None = None,
    **sections: object,
) -> Iterator[ScriptedServer]:
    """Serve until the block ends. ``around``: ASGI middleware that meddles with it; ``tls``: over
    https."""
    app = create_app(settings_for(folder, **sections), assembler=scripted_assembler(scripted))
    app.add_middleware(DevicesElsewhere)
    if around is not None:
        app.add_middleware(around)
    files = {} if tls is None else {"ssl_certfile": tls.certificate, "ssl_keyfile": tls.key}
    server, thread, port = in_thread(app, **files)
    try:
        yield ScriptedServer(
            f"{'https' if tls else 'http'}://127.0.0.1:{port}", scripted, app.state.lobug
        )
    finally:
        server.should_exit = True
        thread.join(30)


def sound_of(*sentences: str) -> NDArray[np.int16]:
    """What a device is sent when the scripted voice says these, 16 kHz: each in whole frames where
    the server had to wait for the next."""
    encoder = make_encoder(DOWNLINK, SPEECH_RATE)
    packets: list[bytes] = []
    for sentence in sentences:
        count = len(sentence) * SPEECH_RATE // 100
        tone = (0.3 * np.sin(np.arange(count) * 0.1)).astype(np.float32)
        packets += encoder.feed(tone)
    packets += encoder.flush()
    return np.frombuffer(b"".join(packets), "<i2")


class MortalServer:
    """The same as a program of its own, which can be killed and started again at its port."""

    def __init__(self, folder: Path, reply: str) -> None:
        self._folder = folder
        self._reply = reply
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Return once it answers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "server.log").open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(self._folder), str(self._port), self._reply],
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + 180
        while True:
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"{self.url}/health", trust_env=False, timeout=5)
                return
            assert self._process.poll() is None, (self._folder / "server.log").read_text()
            assert time.monotonic() < until, "the server did not start"
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill it, as a power cut does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def __enter__(self) -> MortalServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def main() -> None:
    """Serve until killed."""
    folder, port, reply = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    settings: Settings = settings_for(folder)
    app = create_app(settings, assembler=scripted_assembler(speaking(reply)))
    app.add_middleware(DevicesElsewhere)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="info")


if __name__ == "__main__":
    main()
