"""Embeddings from any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx2
import openai

from lobug.engines.base import EngineStatus, Vectors
from lobug.engines.openai_protocol import connect, typed_error
from lobug.engines.openai_server import OpenAIServer
from lobug.engines.periodic import PROBE_INTERVAL_S
from lobug.engines.vectors import ENGINE, batches, stacked, unit_rows
from lobug.errors import EngineError, EngineUnavailableError
from lobug.settings import Settings


class OpenAIEmbedder:
    """``Embedder`` at ``embeddings.openai_base_url``."""

    def __init__(self, settings: Settings, interval_s: float = PROBE_INTERVAL_S) -> None:
        self._settings = settings.embeddings
        self._model = settings.embeddings.openai_model
        self._expected_dimension = settings.memory.embedding_dim
        self._dimension: int | None = None
        url = settings.embeddings.openai_base_url
        self._client = connect(url, settings.embeddings.openai_api_key.get_secret_value())
        self._server = OpenAIServer(
            self._client, engine=ENGINE, url=url, model=self._model, interval_s=interval_s
        )

    @property
    def model_id(self) -> str:
        """``openai/`` and the model's name."""
        return f"openai/{self._model}"

    @property
    def dimension(self) -> int:
        """The model's own; before its first answer what the settings expect."""
        return self._dimension or self._expected_dimension

    async def start(self) -> None:
        """Learn the dimension. Raises EngineError; keeps asking all the same."""
        await self._server.start()
        await self.embed(["dimension"])

    async def close(self) -> None:
        """Stop asking and close connections."""
        await self._server.close()

    def status(self) -> EngineStatus:
        """The state as last known."""
        return self._server.status()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed in batches of ``embeddings.batch_size``. Raises EngineError and its subclasses."""
        parts = [await self._embed(batch) for batch in batches(texts, self._settings.batch_size)]
        return stacked(parts, self.dimension)

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        try:
            vectors = await self._ask(texts)
        except EngineError as error:
            self._server.failed(error)
            raise
        self._dimension = vectors.shape[1]
        self._server.answered()
        return vectors

    async def _ask(self, texts: Sequence[str]) -> Vectors:
        where = self._server.where
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                response = await self._client.embeddings.create(
                    model=self._model, input=list(texts), encoding_format="float"
                )
            rows = [item.embedding for item in sorted(response.data, key=lambda item: item.index)]
        except (openai.OpenAIError, httpx2.HTTPError, OSError) as error:
            raise typed_error(
                error, engine=ENGINE, where=where, model=self._model, answering=False
            ) from error
        except (ValueError, TypeError, AttributeError) as error:
            raise EngineUnavailableError(
                ENGINE, f"{where} does not speak the OpenAI protocol ({type(error).__name__})"
            ) from error
        return unit_rows(rows, count=len(texts), dimension=self._dimension)
