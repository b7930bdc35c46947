"""A chat model on an Ollama server, through the official client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any

import ollama

from lobug.engines.base import ChatMessage, ChatOptions, EngineStatus
from lobug.engines.ollama_server import FAILURES, OllamaProbe, OllamaUse, connect, disconnect
from lobug.engines.pace import paced
from lobug.engines.prefill_speed import PrefillSpeed
from lobug.errors import EngineError, EngineInterruptedError
from lobug.settings import ChatSettings


class OllamaChat:
    """``ChatModel`` that streams from Ollama."""

    def __init__(self, settings: ChatSettings, probe: OllamaProbe) -> None:
        self._speed = PrefillSpeed()
        self._settings = settings
        self._model = settings.ollama_model
        self._keep_alive = probe.settings.keep_alive
        self._client = connect(probe.settings)
        self._use = OllamaUse(probe, engine="chat", model=self._model)
        self._may_say_think = True

    @property
    def context_tokens(self) -> int:
        """Ollama is asked for this window (``num_ctx``) with every call."""
        return self._settings.context_tokens

    async def start(self) -> None:
        """Raises EngineUnavailableError, ModelMissingError; keeps asking all the same."""
        await self._use.start()

    async def close(self) -> None:
        """Stop asking and close connections."""
        await self._use.close()
        await disconnect(self._client)

    def status(self) -> EngineStatus:
        """The state as last known."""
        return self._use.status()

    @property
    def prefill_ms_per_token(self) -> float | None:
        """As Ollama reports it. It counts what it found in its cache too, so this is the least that
        a token costs."""
        return self._speed.ms_per_token

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Yield the reply in pieces; what the model thinks is left out."""
        pieces = paced(
            self._pieces(messages, options),
            engine="chat",
            between_s=options.first_token_timeout_s or self._settings.first_token_timeout_s,
            whole_s=options.timeout_s or self._settings.timeout_s,
        )
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece
        except EngineError as error:
            self._use.failed(error)
            raise
        self._use.answered()

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Nothing: Ollama's cache is its own."""

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Nothing: Ollama's cache is its own, and lasts until its next prompt or ``keep_alive``."""

    async def _pieces(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        answering = False
        done = False
        try:
            async with aclosing(self._parts(messages, options)) as parts:
                async for part in parts:
                    answering = True
                    if part.message.content:
                        yield part.message.content
                    done = done or bool(part.done)
                    if part.prompt_eval_count and part.prompt_eval_duration:
                        self._speed.note(part.prompt_eval_count, part.prompt_eval_duration / 1e6)
        except FAILURES as error:
            raise self._use.failed(error, answering=answering) from error
        if not done:
            raise EngineInterruptedError(
                "chat", f"{self._use.where} ended its answer in the middle"
            )

    async def _parts(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[ollama.ChatResponse]:
        """Ollama's own parts. A server or model that refuses ``think`` is asked without it."""
        while True:
            say_think = self._may_say_think
            begun = False
            try:
                response = await self._client.chat(
                    **self._request(messages, options), think=False if say_think else None
                )
                async with aclosing(response):
                    async for part in response:
                        begun = True
                        yield part
            except ollama.ResponseError as error:
                if begun or not say_think or "think" not in str(error.error).lower():
                    raise
                self._may_say_think = False
            else:
                return

    def _request(self, messages: Sequence[ChatMessage], options: ChatOptions) -> dict[str, Any]:
        return {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "stream": True,
            "format": dict(options.json_schema) if options.json_schema is not None else None,
            "keep_alive": self._keep_alive,
            "options": {
                "num_ctx": self._settings.context_tokens,
                "num_predict": options.max_tokens,
                "temperature": options.temperature,
            },
        }
