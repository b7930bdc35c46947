"""How ``lobug devices`` and ``lobug tokens`` reach who may talk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lobug.cli.connection import ask, way

if TYPE_CHECKING:
    import httpx


class AccessDoor:
    """The routes ``/devices`` and ``/tokens``."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def send(self, method: str, path: str, body: object = None) -> Any:
        """One request with a JSON answer. Raises CommandError."""
        content: dict[str, Any] = {} if body is None else {"json": body}
        return ask(self._http, method, path, **content).json()


@contextmanager
def open_access_door(server: str | None) -> Iterator[AccessDoor]:
    """Who may talk, as the running server knows it; without one, as the file does. Raises
    CommandError, StorageError."""
    import httpx

    with httpx.Client(**way(server, _direct)) as http:
        yield AccessDoor(http)


def _direct() -> httpx.BaseTransport:
    from lobug.cli.direct import DirectAccessTransport  # imports the application
    from lobug.cli.load import load_settings

    return DirectAccessTransport(load_settings().settings)
