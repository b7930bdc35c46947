"""Integrity checks of the models in use: their files are hashed while the server runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from lobug.engines.base import CatalogModel, Engine
from lobug.engines.worker_thread import Abandoned, WorkerThread
from lobug.errors import EngineError, EngineInterruptedError, ModelDamagedError, ModelMissingError
from lobug.models import catalog, verify
from lobug.models.verify import ModelCheck, State

log = logging.getLogger(__name__)

LOOK_S = 30.0
"""Seconds between two checks whether a file has changed since it was hashed."""

LONGEST_PAUSE_S = 120.0
"""Longest time that hashing a model waits for turns, seconds in all, so that constant talk cannot
prevent it."""

_PAUSE_S = 0.05

UNVERIFIED, VERIFIED, OWN = "unverified", "verified", "the owner's own file"


class ModelIntegrity:
    """Hashes the files of each engine's model, and hashes them again when one has changed.

    It ignores the record of earlier checks, because size and time of a file can be made to look
    unchanged. An engine whose files are wrong is withdrawn, and started again once they are right.
    """

    def __init__(
        self,
        engines: Mapping[str, Engine],
        models_dir: Path,
        busy: Callable[[], bool],
        look_s: float = LOOK_S,
    ) -> None:
        """``busy``: whether a turn is under way, so that hashing waits; called in a thread."""
        self._engines = {job: e for job, e in engines.items() if isinstance(e, CatalogModel)}
        self._models_dir = models_dir
        self._busy = busy
        self._look_s = look_s
        self._thread = WorkerThread("models")
        self._states = {
            job: UNVERIFIED if engine.catalog_model else OWN
            for job, engine in self._engines.items()
        }
        self._hashed: dict[str, object] = {}
        self._withdrawn: set[str] = set()

    def details(self, job: str) -> Mapping[str, Any]:
        """Details for ``/health`` about an engine's model file, added to the engine's own."""
        return {"model_file": self._states[job]} if job in self._states else {}

    async def watch(self) -> None:
        """Hash each model that is new or has changed, again and again until cancelled."""
        self._thread.open()
        try:
            while True:
                for job, engine in self._engines.items():
                    if engine.catalog_model is not None:
                        await self._look(job, engine, engine.catalog_model)
                await asyncio.sleep(self._look_s)
        finally:
            self._thread.close()

    async def _look(self, job: str, engine: CatalogModel, name: str) -> None:
        try:
            now = await self._thread.run(lambda _: _signs(self._models_dir, name), None)
            if now == self._hashed.get(job):
                return
            if self._states[job] == VERIFIED:
                self._states[job] = UNVERIFIED
            found = await self._thread.run(
                lambda abandoned: verify.examine(
                    self._models_dir, name, partial(self._pace, abandoned, [0.0])
                ),
                None,
            )
            self._hashed[job] = now
            await self._judge(job, engine, found)
        except EngineError as error:
            log.warning("the files of %s could not be verified: %s", name, error)

    async def _judge(self, job: str, engine: CatalogModel, found: ModelCheck) -> None:
        """Withdraw or start an engine. Raises EngineError when it does not start again."""
        self._states[job] = VERIFIED if found.ok else str(found.state)
        if found.ok and job in self._withdrawn:
            self._withdrawn.discard(job)
            log.warning("%s: the files of %s are right again", job, found.model.name)
            await engine.start()
        elif found.state in {State.DAMAGED, State.WRONG_SIZE} and job not in self._withdrawn:
            self._withdrawn.add(job)
            log.error("%s is stopped: %s", job, found.message)
            await engine.withdraw(ModelDamagedError(job, found.message))

    def _pace(self, abandoned: Abandoned, paused_s: list[float], _: int) -> None:
        """Wait for turns to end, between two blocks. Raises EngineInterruptedError when the server
        stops."""
        while self._busy() and paused_s[0] < LONGEST_PAUSE_S and not abandoned.wait(_PAUSE_S):
            paused_s[0] += _PAUSE_S
        if abandoned.is_set():
            raise EngineInterruptedError("models", "the server is being stopped")


def _signs(models_dir: Path, name: str) -> object:
    """Return a value that changes when a file of the model is written or replaced, even if its size
    and mtime are set back."""
    model = catalog.get(name)
    signs: list[tuple[int, ...] | None] = []
    for file in model.files:
        try:
            found = catalog.file_path(models_dir, model, file).stat()
            signs.append((found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
        except (OSError, ModelMissingError):
            signs.append(None)
    return tuple(signs)
