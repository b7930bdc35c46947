"""`lobug serve` itself, with engines that follow a script: a program, and what starts it.

python scripted_serve.py PROMPTS serve --port N

Every prompt of the chat model is appended to the file PROMPTS, a JSON object a line.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.cli import serve
from lobug.cli.app import app
from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatOptions
from lobug.server import LobugServer
from lobug.settings import Settings
from support.app_server import ScriptedEngines
from support.lobug_process import environment
from support.patience import PATIENCE_S
from support.programs import Program, run
from support.scripted import ScriptedChatModel

START_S = 180.0
"""Longest start, seconds, on a slow and busy machine."""


@dataclass
class ScriptedServe:
    """A running server."""

    url: str
    folder: Path
    process: Program

    @property
    def log(self) -> str:
        """What it has printed so far."""
        return (self.folder / "serve.log").read_text()

    @property
    def prompts(self) -> list[str]:
        """The prompts of its chat model, the oldest first."""
        lines = (self.folder / "prompts.jsonl").read_text().splitlines()
        return [json.loads(line)["prompt"] for line in lines]

    def say(self, text: str, **headers: str) -> str:
        """`POST /chat/text`."""
        answer = httpx.post(
            f"{self.url}/chat/text",
            json={"text": text},
            headers=headers,
            timeout=PATIENCE_S,
            trust_env=False,
        )
        assert answer.status_code == 200, answer.text
        response: str = answer.json()["response"]
        return response

    def lobug(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a command on the same data folder without telling it where the server is."""
        return lobug(self.folder, *arguments, **settings)


def lobug(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command on the data folder under ``folder``. Nothing serves at its default port."""
    return run(
        ["lobug", *arguments],
        env=environment(
            **{"LOBUG_DATA_DIR": str(folder / "data"), "LOBUG_PORT": "9", "COLUMNS": "200"}
            | settings
        ),
        cwd=folder,
    )


def start(folder: Path, port: int, **settings: str) -> Program:
    """Start the server without waiting for it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prompts.jsonl").touch()
    log = folder / "serve.log"
    log.write_bytes(b"")
    return Program(
        [__file__, str(folder / "prompts.jsonl"), "serve", "--port", str(port)],
        output=log,
        env=environment(
            **{
                "LOBUG_DATA_DIR": str(folder / "data"),
                "LOBUG_HOST": "127.0.0.1",
                "LOBUG_MEMORY__IDLE_DELAY_S": "0",
                "COLUMNS": "200",
            }
            | settings
        ),
        cwd=folder,
    )


@contextlib.contextmanager
def scripted_serve(folder: Path, **settings: str) -> Iterator[ScriptedServe]:
    """Run a server with data under ``folder`` on a free port; yields when it answers."""
    process = start(folder, 0, **settings)
    try:
        yield ScriptedServe(_url(folder, process), folder, process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _url(folder: Path, process: Program) -> str:
    until = time.monotonic() + START_S
    log = folder / "serve.log"
    while True:
        listening = [line for line in log.read_text().splitlines() if "listens at http" in line]
        if listening:
            return listening[-1].split()[-1]
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < until, log.read_text()
        time.sleep(0.05)


def main() -> None:
    """Serve until a signal arrives."""
    prompts = Path(sys.argv.pop(1))

    class Chat(ScriptedChatModel):
        def stream(
            self, messages: Sequence[ChatMessage], options: ChatOptions
        ) -> AsyncGenerator[str]:
            if options.lane != BACKGROUND_LANE:
                with prompts.open("a") as file:
                    prompt = "\n".join(message.content for message in messages)
                    file.write(json.dumps({"prompt": prompt}) + "\n")
            return super().stream(messages, options)

    chat = Chat(lambda _, options: "[]" if options.json_schema else "I see.")

    async def assemble(settings: Settings) -> LobugServer:
        return with_memory(settings, ScriptedEngines(chat=chat).engines())

    def need_none(settings: Settings) -> None:
        assert settings.models_dir, "scripted engines have no models"

    defaults = create_app.__kwdefaults__
    assert defaults is not None
    defaults["assembler"] = assemble
    serve._require_models = need_none
    app()


if __name__ == "__main__":
    main()
