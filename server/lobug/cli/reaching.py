"""How commands reach a Lo-Bug: through the running server, else its files directly."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lobug.cli.faults import EXIT_UNREACHABLE, CommandError
from lobug.cli.terminal import server_address

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 60.0
DIRECT_URL = "http://localhost"


class RefusedError(CommandError):
    """The server refused a request."""

    def __init__(self, status: int, code: str | None, message: str) -> None:
        super().__init__(f"{message} ({code or f'HTTP {status}'})")
        self.error_code = code
        self.message = message


def way(server: str | None, direct: Callable[[], httpx.BaseTransport]) -> dict[str, Any]:
    """Arguments for a client that reaches the server, or without one, ``direct``. Raises
    CommandError."""
    import httpx

    from lobug.simulator.contract import check_health

    url = server_address(server).url
    try:
        health = httpx.get(f"{url}/health", timeout=TIMEOUT_S)
    except httpx.TransportError as error:
        if server is not None:
            raise CommandError(
                f"no Lo-Bug server answers at {url}", code=EXIT_UNREACHABLE
            ) from error
        return {"base_url": DIRECT_URL, "transport": direct()}
    except httpx.HTTPError as error:
        raise CommandError(f"what answers at {url} is not a Lo-Bug server") from error
    if health.status_code != 200 or check_health(health.content):
        raise CommandError(f"what answers at {url} is not a Lo-Bug server")
    return {"base_url": url, "headers": token_header(url)}


def token_header(url: str) -> dict[str, str]:
    """The ``Authorization`` for a server there: at this computer none, where one is the owner
    without; else the token of the settings, if there is one."""
    from lobug.cli.load import load_settings
    from lobug.engines.web import is_loopback

    if is_loopback(url):
        return {}
    token = load_settings().settings.access.token.get_secret_value()
    return {"Authorization": f"Bearer {token}"} if token else {}


def ask(
    http: httpx.Client, method: str, path: str, *, timeout_s: float = TIMEOUT_S, **content: Any
) -> httpx.Response:
    """One request. Raises CommandError unless it succeeds."""
    import httpx

    from lobug.simulator.contract import read_error

    try:
        answer = http.request(method, path, timeout=timeout_s, **content)
    except httpx.TimeoutException as error:
        raise CommandError(f"the server did not answer within {timeout_s:g} s") from error
    except httpx.HTTPError as error:
        raise CommandError(
            f"the connection to {http.base_url} broke", code=EXIT_UNREACHABLE
        ) from error
    if answer.status_code != 200:
        raise RefusedError(answer.status_code, *read_error(answer.content))
    return answer
