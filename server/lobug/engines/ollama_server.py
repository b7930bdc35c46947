"""What is known of the Ollama server, kept true in the background, and what its errors mean."""

from __future__ import annotations

import asyncio
import logging

import httpx
import ollama

from lobug.engines.base import EngineStatus
from lobug.engines.periodic import PROBE_INTERVAL_S, Periodic
from lobug.engines.web import is_loopback, without_password
from lobug.errors import (
    ContextOverflowError,
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
    EngineUnavailableError,
    ModelMissingError,
)
from lobug.settings import OllamaSettings

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5.0
"""Longest wait for a connection, seconds; the answer itself is timed by the caller."""

FAILURES = (
    ollama.ResponseError,
    httpx.HTTPError,
    OSError,  # the client raises ConnectionError when nobody listens
    ValueError,  # broken JSON and answers of another shape (pydantic)
    TypeError,
    AttributeError,
)
"""All that the official client raises when the server does not do its part."""


def connect(settings: OllamaSettings) -> ollama.AsyncClient:
    """A client that leaves time-outs to the caller."""
    return ollama.AsyncClient(
        host=settings.host,
        timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
        trust_env=not is_loopback(settings.host),
    )


async def disconnect(client: ollama.AsyncClient) -> None:
    """Close the client's connections."""
    await client.close()  # type: ignore[no-untyped-call]  # the package leaves it unannotated


def typed_error(
    error: Exception, *, engine: str, where: str, model: str, answering: bool = False
) -> EngineError:
    """What a failure of the client means. ``answering``: the server had begun its answer."""
    if isinstance(error, ollama.ResponseError):
        return _typed_status(error, engine, where, model, answering=answering)
    if isinstance(error, httpx.ConnectError | ConnectionRefusedError) or (
        isinstance(error, ConnectionError) and not answering
    ):
        return EngineUnavailableError(engine, f"{where} does not answer")
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return EngineTimeoutError(engine, f"{where} does not answer in time")
    if isinstance(error, httpx.HTTPError | OSError):
        return EngineInterruptedError(engine, f"{where} broke the connection off")
    if answering:
        return EngineInterruptedError(engine, f"{where} sent a broken answer")
    return EngineUnavailableError(engine, f"what answers at {where} does not speak like Ollama")


def _typed_status(
    error: ollama.ResponseError, engine: str, where: str, model: str, *, answering: bool
) -> EngineError:
    said = str(error.error).lower()
    if error.status_code == 404 or ("not found" in said and "model" in said):
        return ModelMissingError(
            engine, f"{where} does not have {model!r}; run `ollama pull {model}`"
        )
    if "context length" in said or "context size" in said:
        return ContextOverflowError(engine, f"the text is too long for {model!r}")
    if answering:
        return EngineInterruptedError(engine, f"{where} stopped with an error")
    return EngineError(engine, f"{where} answers with status {error.status_code}")


class OllamaProbe:
    """Knows whether Ollama answers and which models it has, without asking when it is read.

    Shared by the engines that use Ollama and by ``/health``; asks on ``start`` and then every 30
    seconds, which costs about 1 ms each time.
    """

    def __init__(self, settings: OllamaSettings, interval_s: float = PROBE_INTERVAL_S) -> None:
        self._settings = settings
        self._client = connect(settings)
        self._periodic = Periodic(self.refresh, interval_s)
        self._models: frozenset[str] = frozenset()
        self.reachable = False
        """Whether Ollama answered when it was last asked."""
        self.where = f"Ollama at {without_password(settings.host)}"

    @property
    def settings(self) -> OllamaSettings:
        """Where it looks."""
        return self._settings

    def has(self, model: str) -> bool:
        """Whether Ollama had the model when it was last asked; no tag means ``:latest``."""
        return model in self._models or f"{model}:latest" in self._models

    def learned(self, model: str, *, present: bool) -> None:
        """A call has shown that Ollama answers, and whether it has the model."""
        self.reachable = True
        self._models = (
            self._models | {model} if present else self._models - {model, f"{model}:latest"}
        )

    async def start(self) -> None:
        """Ask once, then in the background. Never raises. Each start needs a ``close``."""
        self._periodic.start()
        await self.refresh()

    async def close(self) -> None:
        """Stop asking, once every user has closed it. No connection is kept open in between."""
        await self._periodic.close()

    async def refresh(self) -> bool:
        """Ask now, at most ``ollama.probe_timeout_s``. Returns ``reachable``; never raises."""
        try:
            async with asyncio.timeout(self._settings.probe_timeout_s):
                listing = await self._client.list()
            self._models = frozenset(m.model for m in listing.models if m.model)
            reachable = True
        except FAILURES as error:
            self._models = frozenset()
            reachable = False
            log.debug("%s: %s", self.where, type(error).__name__)
        if reachable != self.reachable:
            log.info("%s %s", self.where, "answers" if reachable else "does not answer")
        self.reachable = reachable
        return reachable


class OllamaUse:
    """One engine's view of Ollama: is its model there, and how did its last call go?"""

    def __init__(self, probe: OllamaProbe, *, engine: str, model: str) -> None:
        self._probe = probe
        self._engine = engine
        self._model = model
        self._started = False
        self._error: EngineError | None = None

    @property
    def where(self) -> str:
        """The server, for a sentence."""
        return self._probe.where

    async def start(self) -> None:
        """Raises EngineUnavailableError, ModelMissingError when Ollama is down or without the
        model; it keeps asking in the background all the same."""
        if self._started:
            await self._probe.refresh()
        else:
            self._started = True
            await self._probe.start()
        if not self._probe.reachable:
            raise EngineUnavailableError(
                self._engine, f"{self.where} does not answer; start it with `ollama serve`"
            )
        if not self._probe.has(self._model):
            raise ModelMissingError(
                self._engine,
                f"{self.where} does not have {self._model!r}; run `ollama pull {self._model}`",
            )

    async def close(self) -> None:
        """Stop asking."""
        if self._started:
            self._started = False
            await self._probe.close()

    def answered(self) -> None:
        """A call went well."""
        self._error = None
        self._probe.learned(self._model, present=True)

    def failed(self, error: Exception, *, answering: bool = False) -> EngineError:
        """A call failed; returns the typed error to raise."""
        typed = (
            error
            if isinstance(error, EngineError)
            else typed_error(
                error,
                engine=self._engine,
                where=self.where,
                model=self._model,
                answering=answering,
            )
        )
        self._error = typed
        if isinstance(typed, EngineUnavailableError):
            self._probe.reachable = False
        elif isinstance(typed, ModelMissingError):
            self._probe.learned(self._model, present=False)
        return typed

    def status(self) -> EngineStatus:
        """The state as last known."""
        reason: str | None = None
        ready = True
        if not self._probe.reachable:
            ready = False
            reason = f"{self.where} does not answer; start it with `ollama serve`."
        elif not self._probe.has(self._model):
            ready = False
            reason = f"{self.where} does not have {self._model}; run `ollama pull {self._model}`."
        elif self._error is not None and not isinstance(
            self._error, EngineUnavailableError | ModelMissingError
        ):
            # The probe knows better by now whether the server and the model are there.
            reason = f"The last call failed: {self._error}."
        return EngineStatus(
            name="ollama",
            model=self._model,
            ready=ready,
            degraded=reason is not None,
            reason=reason,
        )
