"""A chat model on any OpenAI-compatible server: vLLM, llama.cpp, LM Studio and others."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from lobug.engines.base import ChatMessage, ChatOptions, EngineStatus
from lobug.engines.openai_protocol import connect, stream_text
from lobug.engines.openai_server import OpenAIServer
from lobug.engines.pace import paced
from lobug.engines.periodic import PROBE_INTERVAL_S
from lobug.errors import EngineError
from lobug.settings import ChatSettings


class OpenAIChat:
    """``ChatModel`` that streams from ``chat.openai_base_url``."""

    def __init__(self, settings: ChatSettings, interval_s: float = PROBE_INTERVAL_S) -> None:
        self._settings = settings
        self._client = connect(settings.openai_base_url, settings.openai_api_key.get_secret_value())
        self._server = OpenAIServer(
            self._client,
            engine="chat",
            url=settings.openai_base_url,
            model=settings.openai_model,
            interval_s=interval_s,
        )

    @property
    def context_tokens(self) -> int:
        """What the settings say; the protocol does not tell."""
        return self._settings.context_tokens

    @property
    def prefill_ms_per_token(self) -> float | None:
        """Unknown: the protocol does not tell."""
        return None

    async def start(self) -> None:
        """Ask whether the server is there. Raises EngineError; keeps asking in the background."""
        await self._server.start()

    async def close(self) -> None:
        """Stop asking and close connections."""
        await self._server.close()

    def status(self) -> EngineStatus:
        """The state as last known."""
        return self._server.status()

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Yield the reply in pieces, as the protocol of the module's base describes."""
        pieces = paced(
            stream_text(
                self._client,
                where=self._server.where,
                model=self._settings.openai_model,
                messages=messages,
                options=options,
            ),
            engine="chat",
            between_s=options.first_token_timeout_s or self._settings.first_token_timeout_s,
            whole_s=options.timeout_s or self._settings.timeout_s,
        )
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece
        except EngineError as error:
            self._server.failed(error)
            raise
        self._server.answered()

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Nothing: the server's cache is its own."""

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Nothing: the server's cache is its own, and the protocol cannot clear it."""
