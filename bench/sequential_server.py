"""A sequential server with Lo-Bug's engines: it works step after step, like the first server.

The device waits for 800 ms of silence and uploads the whole recording over HTTP. The server
transcribes all of it, reads the whole prompt, writes the whole reply, speaks the whole reply, and
sends it as base64 in JSON. Where the first server's behaviour is not known, these choices were
made; some favour one side:

- Transcription: faster-whisper's own defaults, a beam of 5 and the whole window of 30 s. The
  language is given, so it is not detected (favours the sequential server).
- Prompt: persona, base memory, history and recalled memories of the streamed conversation at that
  moment. The first server put its memories into the system message, before the history, and its
  extraction used the same cache, so nothing of the prompt is cached here. The step ``prompt`` shows
  what that costs, so that readers can subtract it.
- Reply: the same model, temperature and bounds; no voice before its last word.
- Speech: one synthesis of the whole reply.
- No voice detection on the server, and nothing is stored (favours the sequential server).
- The 800 ms are added to the measured time, from the last voiced sample that the gate finds.
"""

from __future__ import annotations

import asyncio
import base64
import random
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace

import numpy as np
from fastapi import FastAPI, UploadFile

from bench_server import listening
from lobug.audio.decode import decode
from lobug.audio.resample import resample
from lobug.audio.wav import encode
from lobug.conversation.prompt import make_persona
from lobug.conversation.registry import Conversation, WorkingMemory
from lobug.engines.base import STT_SAMPLE_RATE, ChatMessage
from lobug.engines.chat_embedded import EmbeddedChat, PromptUse
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.simulator.http_device import SimulatedDevice
from lobug.simulator.recordings import Recording
from lobug.simulator.requests import Timeouts, parse_server
from lobug.turn.events import Action
from lobug.turn.model_turn import build_prompt
from lobug.turn.reply import Prompt, Reply, write_reply
from lobug.turn.timeline import Timeline
from recorded_speech import Said

SILENCE_S = 0.8
"""Silence after which the first device considered speech finished, seconds."""

BEAM_SIZE = 5
"""faster-whisper's own default."""

STEPS = ("transcript", "recall", "prompt", "reply", "speech", "answer")

_PATIENCE_S = 120.0


@dataclass(slots=True)
class SequentialTurn:
    """One turn. Seconds."""

    said: str
    first_audio_s: float | None
    """From the last voiced sample to the reply's first sample; None: the model reacted or ignored
    it, or something failed."""
    steps: dict[str, float] = field(default_factory=dict)
    """How long each of ``STEPS`` took: ``prompt`` up to the first token, ``reply`` from there to
    the last, ``answer`` to encode the speech as WAV and base64."""
    prompt_read: int | None = None
    """Tokens of the prompt that were computed; None: the engine does not tell."""
    prompt_cached: int | None = None
    """Tokens of the prompt that were not."""
    problems: tuple[str, ...] = ()


class SequentialServer:
    """A server of one route, ``POST /chat/audio``, with another server's engines and memory."""

    def __init__(self, server: LobugServer, conversation_key: ConversationKey) -> None:
        """``conversation_key``: source of history and memory for the prompts; only read."""
        self._server = server
        self._conversation_key = conversation_key
        stt = server.settings.stt.model_copy(update={"beam_size": BEAM_SIZE, "short_window": False})
        self._stt = WhisperSpeechToText(server.settings.model_copy(update={"stt": stt}))
        self.lane = ConversationKey(
            conversation_key.user, f"{conversation_key.conversation}/the sequential way"
        )
        self.steps: dict[str, float] = {}
        """Of the last turn."""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[SimulatedDevice]:
        """Run it; yields a first device that talks to it."""
        await self._stt.start()
        app = FastAPI()
        app.post("/chat/audio")(self.chat_audio)
        try:
            async with listening(app) as url:
                timeouts = Timeouts(turn_s=_PATIENCE_S)
                async with SimulatedDevice(parse_server(url), timeouts=timeouts) as device:
                    yield device
        finally:
            await self._stt.close()

    async def turn(self, device: SimulatedDevice, said: Said) -> SequentialTurn:
        """Let ``device`` speak a clip. The prompt cache of an earlier turn is dropped before,
        outside the measurement."""
        await self._forget_prompt()
        self.steps = {}
        async with self._server.priority.turn():
            uses = _prompt_uses(self._server)
            uses.clear()
            result = await device.speak(recording_of(said))
        first = SILENCE_S + result.seconds if result.wav else None
        read, cached = max(((use.read, use.cached) for use in uses.values()), default=(None, None))
        return SequentialTurn(
            said.clip.name, first, dict(self.steps), read, cached, result.problems
        )

    async def chat_audio(self, audio: UploadFile) -> dict[str, str]:
        """Answer a recording, one step after the other."""
        began = time.perf_counter()

        def step(name: str) -> None:
            nonlocal began
            now = time.perf_counter()
            self.steps[name] = now - began
            began = now

        server, settings = self._server, self._server.settings
        samples = await decode(
            await audio.read(),
            max_seconds=settings.limits.max_audio_seconds,
            sample_rate=STT_SAMPLE_RATE,
        )
        language = None if settings.stt.language == "auto" else settings.stt.language
        heard = (await self._stt.transcribe(samples, language)).text.strip()
        step("transcript")
        conversation = self._conversation()
        prompt = await self._prompt(conversation, heard)
        step("recall")
        reply = Reply()
        events = write_reply(
            server.engines.chat,
            conversation,
            prompt,
            reply,
            settings=settings.chat,
            timeline=(timeline := Timeline("sequential", time.perf_counter)),
            must_answer=False,
        )
        async with aclosing(events):
            async for _ in events:
                pass
        first_token = timeline.at("first_token")
        if first_token is not None:
            self.steps["prompt"] = first_token - began
            began = first_token
        step("reply")
        if reply.action is not Action.RESPOND:
            return _answer(heard, reply, "")
        voice = server.engines.tts
        speech = await voice.synthesize(reply.text)
        step("speech")
        wav = encode(
            resample(speech, voice.sample_rate, settings.tts.reply_sample_rate),
            settings.tts.reply_sample_rate,
        )
        answer = base64.b64encode(wav).decode()
        step("answer")
        return _answer(heard, reply, answer)

    def _conversation(self) -> Conversation:
        """A copy of the conversation with a lane of its own, so that the original is not
        changed."""
        real = self._server.conversations.get(self._conversation_key)
        settings = self._server.settings.conversation
        memory = WorkingMemory(settings.max_messages, settings.trim_block)
        memory.load(real.memory.exchanges())
        return replace(real, conversation_key=self.lane, memory=memory, lock=asyncio.Lock())

    async def _prompt(self, conversation: Conversation, heard: str) -> Prompt:
        server = self._server
        context = await server.memory.retrieve_context(self._conversation_key, heard)
        persona = make_persona(
            server.settings.conversation.persona,
            ignore_and_react=server.settings.conversation.ignore_and_react,
        )
        return await build_prompt(
            conversation,
            heard,
            context,
            persona=persona,
            memory=server.memory,
            chat=server.engines.chat,
            settings=server.settings.chat,
            now=server.clock(),
            lane=conversation.lane,
        )

    async def _forget_prompt(self) -> None:
        """Replace the lane's prompt in the model's cache."""
        other = ChatMessage("system", f"{random.random()} is a number.")  # noqa: S311 - no secret
        await self._server.engines.chat.prefill([other], self.lane.conversation)


def _answer(heard: str, reply: Reply, audio: str) -> dict[str, str]:
    return {
        "transcription": heard,
        "response": reply.text,
        "action": reply.action.value,
        "audio_b64": audio,
    }


def _prompt_uses(server: LobugServer) -> dict[int, PromptUse]:
    """The embedded model's use of the cache by its last prompts; empty for another model, and for a
    reply that was stopped early."""
    chat = server.engines.chat
    return chat.last_use if isinstance(chat, EmbeddedChat) else {}


def recording_of(said: Said) -> Recording:
    """The first device's upload: the clip up to its last voiced sample, and the silence after
    it."""
    speech = said.clip.samples[: int(said.end_s * STT_SAMPLE_RATE)]
    silence = np.zeros(int(SILENCE_S * STT_SAMPLE_RATE), np.float32)
    samples = np.concatenate([speech, silence])
    return Recording(
        said.clip.name, encode(samples, STT_SAMPLE_RATE), len(samples) / STT_SAMPLE_RATE
    )
