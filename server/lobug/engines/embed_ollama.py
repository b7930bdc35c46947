"""Embeddings from an Ollama server, through the official client."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lobug.engines.base import EngineStatus, Vectors
from lobug.engines.ollama_server import FAILURES, OllamaProbe, OllamaUse, connect, disconnect
from lobug.engines.vectors import ENGINE, batches, stacked, unit_rows
from lobug.errors import EngineError
from lobug.settings import Settings


class OllamaEmbedder:
    """``Embedder`` on Ollama with the model ``memory.embedding_model``."""

    def __init__(self, settings: Settings, probe: OllamaProbe) -> None:
        self._settings = settings.embeddings
        self._model = settings.memory.embedding_model
        self._expected_dimension = settings.memory.embedding_dim
        self._dimension: int | None = None
        self._keep_alive = probe.settings.keep_alive
        self._client = connect(probe.settings)
        self._use = OllamaUse(probe, engine=ENGINE, model=self._model)

    @property
    def model_id(self) -> str:
        """``ollama/`` and the model's name."""
        return f"ollama/{self._model}"

    @property
    def dimension(self) -> int:
        """The model's own; before its first answer what the settings expect."""
        return self._dimension or self._expected_dimension

    async def start(self) -> None:
        """Learn the dimension. Raises EngineError; keeps asking all the same."""
        await self._use.start()
        await self.embed(["dimension"])

    async def close(self) -> None:
        """Stop asking and close connections."""
        await self._use.close()
        await disconnect(self._client)

    def status(self) -> EngineStatus:
        """The state as last known."""
        return self._use.status()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed in batches of ``embeddings.batch_size``. Raises EngineError and its subclasses."""
        parts = [await self._embed(batch) for batch in batches(texts, self._settings.batch_size)]
        return stacked(parts, self.dimension)

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                response = await self._client.embed(
                    model=self._model, input=list(texts), keep_alive=self._keep_alive
                )
            vectors = unit_rows(response.embeddings, count=len(texts), dimension=self._dimension)
        except (EngineError, *FAILURES) as error:
            raise self._use.failed(error) from error
        self._dimension = vectors.shape[1]
        self._use.answered()
        return vectors
