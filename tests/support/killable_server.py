"""A server that ends itself by ``kill -9`` at a named moment. Run as a program:

python killable_server.py FOLDER MOMENT     (MOMENT "never": it is not killed)

It listens on a free port of loopback, which the file FOLDER/port names.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import uvicorn

sys.path.insert(0, str(Path(__file__).parents[1]))

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatOptions, Samples, Transcript
from lobug.server import LobugServer
from lobug.settings import Settings
from support.app_server import ScriptedEngines, settings_for
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText, ScriptedTextToSpeech

# What the rules cannot read, so that the chat model is asked for the fact.
SAID = "I pamper a cat, Minka by name, with salmon."
FACT = "The user pampers a cat, Minka by name, with salmon"
EXTRACTED = f'[{{"fact": "{FACT}", "type": "personal"}}]'


def main() -> None:
    """Serve until killed."""
    folder, moment = Path(sys.argv[1]), sys.argv[2]

    def checkpoint(name: str) -> None:
        if name == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    class Chat(ScriptedChatModel):
        async def stream(
            self, messages: Sequence[ChatMessage], options: ChatOptions
        ) -> AsyncGenerator[str]:
            background = options.lane == BACKGROUND_LANE
            async for piece in super().stream(messages, options):
                if not background:
                    checkpoint("reply.piece")
                yield piece
            if not background:
                checkpoint("reply.written")

    class SpeechToText(ScriptedSpeechToText):
        async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
            checkpoint("transcribing")
            return await super().transcribe(audio, language)

    class TextToSpeech(ScriptedTextToSpeech):
        async def synthesize(self, sentence: str) -> Samples:
            checkpoint("speaking")
            return await super().synthesize(sentence)

    def reply(_: object, options: ChatOptions) -> str:
        return EXTRACTED if options.lane == BACKGROUND_LANE else "What a nice cat."

    scripted = ScriptedEngines(chat=Chat(reply), stt=SpeechToText([SAID]), tts=TextToSpeech())

    async def assemble(settings: Settings) -> LobugServer:
        return with_memory(settings, scripted.engines(), checkpoint=checkpoint)

    app = create_app(settings_for(folder), assembler=assemble)
    # Bound here and kept: a port that is looked for and let go may be another server's by then.
    with socket.create_server(("127.0.0.1", 0)) as listening:
        written = folder / "port.new"
        written.write_text(str(listening.getsockname()[1]))
        written.replace(folder / "port")
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    main()
