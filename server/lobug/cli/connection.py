"""How commands reach Lo-Bug: through the running server, else through its files directly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lobug.access.addresses import local_url
from lobug.cli.sentences import sentence
from lobug.cli.terminal import EXIT_UNREACHABLE, EXIT_USAGE, CommandError
from lobug.engines.model_server import is_loopback

if TYPE_CHECKING:
    import httpx

    from lobug.data_folder.claim import Holder
    from lobug.simulator.requests import ServerAddress

TIMEOUT_S = 60.0

HOLDER_TIMEOUT_S = 10.0
"""Time-out of the first request to the server that holds the data folder, seconds."""

DIRECT_URL = "http://localhost"


class RefusedError(CommandError):
    """The server refused a request."""

    def __init__(self, status: int, code: str | None, message: str) -> None:
        super().__init__(
            sentence("connection.refused", message=message, code=code or f"HTTP {status}")
        )
        self.error_code = code
        self.message = message


def server_address(server: str | None) -> ServerAddress:
    """The server named by ``--server``; without it the one that holds the data folder, else the one
    at the address of the settings. Raises CommandError."""
    from lobug.cli.effective_settings import load_settings
    from lobug.simulator.requests import parse_server

    if server is None:
        holder = _holder()
        if holder is not None and holder.url is not None:
            server = holder.url
        else:
            settings = load_settings().settings
            server = local_url(settings.host, settings.port)
    try:
        return parse_server(server)
    except ValueError as error:
        raise CommandError(str(error), code=EXIT_USAGE) from error


def client_arguments(
    server: str | None, direct: Callable[[], httpx.BaseTransport]
) -> dict[str, Any]:
    """Arguments of an ``httpx.Client`` for the running server; when none runs, for ``direct()``.

    The server is the one that was named, else the one that holds the data folder, else the one at
    the address of the settings. Raises CommandError, also when the holder of the data folder does
    not answer: the files are never opened while another program may write to them.
    """
    import httpx

    from lobug.simulator.contract import check_health

    holder = None if server is not None else _holder()
    if holder is not None and holder.kind == "server":
        return _holder_arguments(holder)
    url = server_address(server).url
    try:
        health = httpx.get(f"{url}/health", timeout=TIMEOUT_S, trust_env=not is_loopback(url))
    except httpx.TransportError as error:
        if server is not None:
            raise CommandError(
                sentence("connection.no_server", url=url), code=EXIT_UNREACHABLE
            ) from error
        return {"base_url": DIRECT_URL, "transport": direct()}
    except httpx.HTTPError as error:
        raise CommandError(sentence("connection.not_lobug", url=url)) from error
    if health.status_code != 200 or check_health(health.content):
        raise CommandError(sentence("connection.not_lobug", url=url))
    return {"base_url": url, "headers": token_header(url), "trust_env": not is_loopback(url)}


def _holder() -> Holder | None:
    from lobug.cli.effective_settings import load_settings
    from lobug.data_folder.claim import holder_of

    return holder_of(load_settings().settings)


def _holder_arguments(holder: Holder) -> dict[str, Any]:
    """Arguments of a client for the server that holds the data folder. Raises CommandError."""
    import httpx

    if holder.url is None:
        raise CommandError(
            sentence("connection.holder_without_address", holder=holder),
            code=EXIT_UNREACHABLE,
        )
    try:
        health = httpx.get(f"{holder.url}/health", timeout=HOLDER_TIMEOUT_S, trust_env=False)
    except httpx.HTTPError as error:
        raise CommandError(
            sentence("connection.holder_silent", holder=holder, url=holder.url),
            code=EXIT_UNREACHABLE,
        ) from error
    if health.headers.get("lobug-instance") != holder.instance:
        # It happens when a container shares its data folder with its host.
        raise CommandError(
            sentence("connection.holder_elsewhere", holder=holder, url=holder.url),
            code=EXIT_UNREACHABLE,
        )
    return {"base_url": holder.url, "headers": _bearer(holder.secret), "trust_env": False}


def server_client(url: str, **more: Any) -> httpx.Client:
    """A client of the server at ``url``, with the right to use it. ``more``: arguments of
    ``httpx.Client``. On this computer no proxy gets the words and the secret."""
    import httpx

    headers = {**token_header(url), **more.pop("headers", {})}
    return httpx.Client(base_url=url, headers=headers, trust_env=not is_loopback(url), **more)


def token_header(url: str) -> dict[str, str]:
    """The ``Authorization`` header for the server at ``url``: with ``own_secret``, if there is one;
    else on this computer none, because a caller there is the owner; elsewhere the settings'
    token."""
    from lobug.cli.effective_settings import load_settings

    secret = own_secret(url)
    if secret or is_loopback(url):
        return _bearer(secret)
    return _bearer(load_settings().settings.access.token.get_secret_value())


def own_secret(url: str) -> str:
    """The secret for the owner's programs of the server at ``url``, if it is the holder of the data
    folder; empty: it is not, or it asks for none."""
    holder = _holder()
    # Compared as text: another name of this computer may lead to somebody else's server.
    return holder.secret if holder is not None and url == holder.url else ""


def _bearer(token: str) -> dict[str, str]:
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
        raise CommandError(sentence("connection.timeout", seconds=timeout_s)) from error
    except httpx.HTTPError as error:
        raise CommandError(
            sentence("connection.broken", url=http.base_url), code=EXIT_UNREACHABLE
        ) from error
    if answer.status_code != 200:
        raise RefusedError(answer.status_code, *read_error(answer.content))
    return answer


class AccessClient:
    """The routes ``/devices``, ``/tokens``, ``/settings``, ``/web/browsers`` and
    ``/web/invitations``."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    @property
    def url_at_this_computer(self) -> str | None:
        """Where a browser at this computer reaches the server, without a slash at the end; None:
        it runs elsewhere, or none runs."""
        url = str(self._http.base_url).rstrip("/")
        return url if url != DIRECT_URL and is_loopback(url) else None

    def send(self, method: str, path: str, body: object = None) -> Any:
        """One request with a JSON answer. Raises CommandError."""
        content: dict[str, Any] = {} if body is None else {"json": body}
        return ask(self._http, method, path, **content).json()


@contextmanager
def open_access_client(server: str | None) -> Iterator[AccessClient]:
    """Open devices, browsers and tokens through the running server; without one, in their file.
    Raises CommandError, StorageError."""
    import httpx

    with httpx.Client(**client_arguments(server, _direct_access)) as http:
        yield AccessClient(http)


class AgendaClient:
    """The routes ``/alerts``, ``/lists`` and ``/notes``, for one user."""

    def __init__(self, http: httpx.Client, user: str | None) -> None:
        """``user`` None: the caller."""
        self._http = http
        self._user = user

    def send(self, method: str, path: str, *, body: object = None, **params: str | None) -> Any:
        """One request with a JSON answer. Raises CommandError."""
        return self.raw(method, path, body=body, **params).json()

    def raw(
        self, method: str, path: str, *, body: object = None, **params: str | None
    ) -> httpx.Response:
        """One request. Raises CommandError unless it succeeds."""
        query = {"user": self._user, **params}
        given = {name: value for name, value in query.items() if value is not None}
        content: dict[str, Any] = {} if body is None else {"json": body}
        return ask(self._http, method, path, params=given, **content)


@contextmanager
def open_agenda(server: str | None, user: str | None) -> Iterator[AgendaClient]:
    """Open alerts, lists and notes through the running server; without one, in their file. Raises
    CommandError, StorageError."""
    import httpx

    with httpx.Client(**client_arguments(server, _direct_agenda)) as http:
        yield AgendaClient(http, user)


@contextmanager
def open_settings(server: str | None) -> Iterator[AccessClient]:
    """Open the settings of the running server; without one, their file. Raises CommandError,
    StorageError."""
    import httpx

    with httpx.Client(**client_arguments(server, _direct_settings)) as http:
        yield AccessClient(http)


def _direct_settings() -> httpx.BaseTransport:
    from lobug.cli.direct import DirectSettingsTransport  # imports the application
    from lobug.cli.effective_settings import load_settings

    return DirectSettingsTransport(load_settings().live)


def _direct_agenda() -> httpx.BaseTransport:
    from lobug.cli.direct import DirectAgendaTransport  # imports the application
    from lobug.cli.effective_settings import load_settings

    return DirectAgendaTransport(load_settings().settings)


def _direct_access() -> httpx.BaseTransport:
    from lobug.cli.direct import DirectAccessTransport  # imports the application
    from lobug.cli.effective_settings import load_settings

    return DirectAccessTransport(load_settings().settings)
