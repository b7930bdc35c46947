"""What is known of an OpenAI-compatible server, kept true in the background."""

from __future__ import annotations

import asyncio

import httpx2
import openai

from lobug.engines.base import EngineStatus
from lobug.engines.openai_protocol import typed_error
from lobug.engines.periodic import PROBE_INTERVAL_S, Periodic
from lobug.engines.web import without_password
from lobug.errors import EngineError, EngineUnavailableError

PROBE_TIMEOUT_S = 5.0
"""Longest wait for the server's list of models, seconds."""


class OpenAIServer:
    """Asks ``/models`` from time to time and remembers how calls went."""

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        *,
        engine: str,
        url: str,
        model: str,
        interval_s: float = PROBE_INTERVAL_S,
    ) -> None:
        self._client = client
        self._engine = engine
        self._model = model
        self._probe = Periodic(self._refresh, interval_s)
        self._started = False
        self._error: EngineError | None = EngineUnavailableError(engine, "it is not started")
        self._reachable = False
        self.where = f"the OpenAI-compatible server at {without_password(url)}"

    async def start(self) -> None:
        """Probe once, then in the background. Raises what the first probe found."""
        if not self._started:
            self._started = True
            self._probe.start()
        await self._refresh()
        if self._error is not None:
            raise self._error

    async def close(self) -> None:
        """Stop probing, close connections."""
        if self._started:
            self._started = False
            await self._probe.close()
        await self._client.close()

    def answered(self) -> None:
        """A call went well."""
        self._error, self._reachable = None, True

    def failed(self, error: EngineError) -> None:
        """A call failed."""
        self._error = error
        if isinstance(error, EngineUnavailableError):
            self._reachable = False

    def status(self) -> EngineStatus:
        """The state as last known."""
        error = self._error
        return EngineStatus(
            name="openai",
            model=self._model,
            ready=self._reachable,
            degraded=error is not None,
            reason=None if error is None else f"{error}.",
        )

    async def _refresh(self) -> None:
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                await self._client.models.list()
        except (openai.OpenAIError, httpx2.HTTPError, OSError) as error:
            typed = typed_error(
                error, engine=self._engine, where=self.where, model=self._model, answering=False
            )
            # A server without /models answers all the same: a call will show what it can do.
            if isinstance(error, openai.NotFoundError):
                self._found()
            else:
                self._reachable, self._error = False, typed
        except (ValueError, TypeError, AttributeError) as error:
            self._reachable = False
            self._error = EngineUnavailableError(
                self._engine,
                f"{self.where} does not speak the OpenAI protocol ({type(error).__name__})",
            )
        else:
            self._found()

    def _found(self) -> None:
        """It is there. What a call complained about stays until a call goes well."""
        self._reachable = True
        if isinstance(self._error, EngineUnavailableError):
            self._error = None
