"""How commands reach a Lo-Bug: through the running server, else its files directly."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lobug.cli.faults import EXIT_UNREACHABLE, CommandError
from lobug.cli.terminal import server_address
from lobug.engines.urls import is_loopback

if TYPE_CHECKING:
    import httpx

    from lobug.data_folder.claim import Holder

TIMEOUT_S = 60.0

HOLDER_TIMEOUT_S = 10.0
"""For the first answer of the server that holds the data folder, seconds."""

DIRECT_URL = "http://localhost"


class RefusedError(CommandError):
    """The server refused a request."""

    def __init__(self, status: int, code: str | None, message: str) -> None:
        super().__init__(f"{message} ({code or f'HTTP {status}'})")
        self.error_code = code
        self.message = message


def way(server: str | None, direct: Callable[[], httpx.BaseTransport]) -> dict[str, Any]:
    """Arguments for a client that reaches the server, or without one, ``direct``.

    The server is the one that is named, else the one that holds the data folder, else the one at
    the address of the settings. Raises CommandError, also when somebody holds the data folder who
    does not answer: it is not opened beside another writer.
    """
    import httpx

    from lobug.simulator.http.contract import check_health

    holder = None if server is not None else _holder()
    if holder is not None and holder.kind == "server":
        return _way_to(holder)
    url = server_address(server).url
    try:
        health = httpx.get(f"{url}/health", timeout=TIMEOUT_S, trust_env=not is_loopback(url))
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
    return {"base_url": url, "headers": token_header(url), "trust_env": not is_loopback(url)}


def _holder() -> Holder | None:
    from lobug.cli.load import load_settings
    from lobug.data_folder.claim import holder_of

    return holder_of(load_settings().settings)


def _way_to(holder: Holder) -> dict[str, Any]:
    """Arguments for a client of the server that holds the data folder. Raises CommandError."""
    import httpx

    if holder.url is None:
        raise CommandError(
            f"{holder} uses the data folder and has not said where it answers. Nothing was changed."
            " Name its address with --server, or stop it.",
            code=EXIT_UNREACHABLE,
        )
    try:
        health = httpx.get(f"{holder.url}/health", timeout=HOLDER_TIMEOUT_S, trust_env=False)
    except httpx.HTTPError as error:
        raise CommandError(
            f"{holder} uses the data folder but does not answer at {holder.url}: it is starting,"
            " or hangs. Nothing was changed. Try again in a moment, or stop it.",
            code=EXIT_UNREACHABLE,
        ) from error
    if health.headers.get("lobug-instance") != holder.instance:
        # As with a data folder that a container shares with its host.
        raise CommandError(
            f"{holder} uses the data folder, but what answers at {holder.url} is not that one: it"
            " may run in a container or on another computer. Nothing was changed. Run the command"
            " where the server runs, or name the server with --server.",
            code=EXIT_UNREACHABLE,
        )
    return {"base_url": holder.url, "headers": _bearer(holder.secret), "trust_env": False}


def token_header(url: str) -> dict[str, str]:
    """The ``Authorization`` for a server there: ``own_secret``, else at this computer none, where
    one is the owner without; else the token of the settings, if there is one."""
    from lobug.cli.load import load_settings

    secret = own_secret(url)
    if secret or is_loopback(url):
        return _bearer(secret)
    return _bearer(load_settings().settings.access.token.get_secret_value())


def own_secret(url: str) -> str:
    """What the server there wants to see of its owner's programs, where it is the one that holds
    the data folder; empty: it is not, or wants nothing."""
    holder = _holder()
    # Letter by letter: what listens under another name of this computer may be somebody else's.
    return holder.secret if holder is not None and url == holder.url else ""


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def ask(
    http: httpx.Client, method: str, path: str, *, timeout_s: float = TIMEOUT_S, **content: Any
) -> httpx.Response:
    """One request. Raises CommandError unless it succeeds."""
    import httpx

    from lobug.simulator.http.contract import read_error

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
