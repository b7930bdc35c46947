"""The HTTP interface of a Lo-Bug server. Knows nothing of Home Assistant.

All methods raise a ``LobugError``: ``Unreachable``, ``AccessRefused`` or ``Refused``.
"""

from __future__ import annotations

import hashlib
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout

ANSWER_S = 15.0
"""Longest wait for an answer that needs no engine, seconds."""
TURN_S = 180.0
"""Longest turn, seconds. A model on a small computer may need a minute for its first word."""
ANNOUNCEMENT_S = 120.0
"""Longest wait for an announcement, seconds: it is answered once it has been played."""
SILENCE_S = 60.0
"""Longest silence of an event stream, seconds. The server sends a comment every 15 s."""

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Largest answer that is read."""
MAX_EVENT_BYTES = 1024 * 1024
"""Largest event of a stream that is read."""


class LobugError(Exception):
    """Something went wrong with a request."""


class Unreachable(LobugError):  # noqa: N818 - a noun of its own reads better where it is caught
    """The server does not answer, or what answers is no Lo-Bug."""


class UntrustedCertificate(Unreachable):
    """The server's certificate comes from an authority that is not trusted."""


class Refused(LobugError):  # noqa: N818
    """The server answered with an error."""

    def __init__(self, status: int, code: str, sentence: str) -> None:
        super().__init__(f"{status} {code}")
        self.status = status
        self.code = code
        """Stable code of the server's documentation."""
        self.sentence = sentence
        """What a person may be told, in English; may be empty."""


class AccessRefused(Refused):
    """The token is missing, unknown or revoked."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a stream."""

    name: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Delta:
    """More of a reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ServerPage:
    """What a server says about itself to everybody."""

    version: str
    fingerprint: str | None
    """SHA-256 of its own authority's certificate, as ``AB:CD:...``; None: it has none."""
    https_url: str | None


class EventParser:
    """Splits a stream of server-sent events. Pure: bytes in, events out."""

    def __init__(self) -> None:
        self._buffer = b""
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that are complete. Raises Unreachable: an event is too large, or its
        data is no JSON object."""
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        events = []
        for line in lines:
            event = self._line(line.removesuffix(b"\r"))
            if event is not None:
                events.append(event)
        if len(self._buffer) + sum(map(len, self._data)) > MAX_EVENT_BYTES:
            raise Unreachable("an event is too large")
        return events

    def _line(self, line: bytes) -> Event | None:
        if line:
            field, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if field == b"event":
                self._name = value.decode("utf-8", "replace")
            elif field == b"data":
                self._data.append(value)
            return None
        name, data = self._name, b"\n".join(self._data)
        self._name, self._data = "", []
        return Event(name, _json_object(data)) if data else None


class LobugClient:
    """Talks to one server with one token."""

    def __init__(
        self,
        session: ClientSession,
        url: str,
        token: str = "",
        trust: ssl.SSLContext | bool = True,  # noqa: FBT001 - as aiohttp's parameter is
    ) -> None:
        """``trust``: whom an ``https`` address is believed; True: public authorities; False:
        anybody, which is only for fetching a certificate that is compared afterwards."""
        self._session = session
        self._url = url.rstrip("/")
        self._token = token
        self._trust = trust

    @property
    def url(self) -> str:
        return self._url

    async def page(self) -> ServerPage:
        """What the server says about itself; needs no token."""
        answer = await self._json("GET", "/web/session")
        version = answer.get("version")
        if not isinstance(version, str) or "fingerprint" not in answer:
            raise Unreachable("what answers is no Lo-Bug")
        return ServerPage(version, text_of(answer, "fingerprint"), text_of(answer, "https_url"))

    async def authority(self) -> str | None:
        """The certificate of the server's own authority, PEM; None: it has none."""
        try:
            async with self._open("GET", "/web/certificate?format=pem", ANSWER_S) as answer:
                return (await _read(answer)).decode("ascii", "replace")
        except Refused as error:
            if error.code == "certificate_missing":
                return None
            raise

    async def health(self) -> Mapping[str, Any]:
        return await self._json("GET", "/health")

    async def devices(self) -> list[Mapping[str, Any]]:
        """All devices that were approved once; for an owner's token."""
        found = (await self._json("GET", "/devices")).get("devices")
        rows = found if isinstance(found, list) else []
        return [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]

    async def announce(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Say something on devices; returns once it has been played or waits."""
        return await self._json("POST", "/announce", request, seconds=ANNOUNCEMENT_S)

    async def say(self, text: str) -> AsyncIterator[Delta]:
        """Run a turn; yields its reply as it is written."""
        body = {"text": text}
        written = False
        async with self._open("POST", "/chat/text", TURN_S, body, events=True) as answer:
            async for event in _events(answer):
                match event.name:
                    case "reply_delta":
                        if more := text_of(event.data, "text"):
                            written = True
                            yield Delta(more)
                    case "done":
                        whole = text_of(event.data, "response")
                        if whole and not written:
                            yield Delta(whole)
                        return
                    case "error":
                        raise _refusal(200, event.data)
        raise Unreachable("the reply ended in the middle")

    async def events(self) -> AsyncIterator[Event]:
        """What happens, until the server or the network ends it."""
        async with self._open("GET", "/web/events", None, events=True) as answer:
            async for event in _events(answer):
                yield event

    async def _json(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        seconds: float = ANSWER_S,
    ) -> Mapping[str, Any]:
        async with self._open(method, path, seconds, body) as answer:
            return _json_object(await _read(answer))

    def _open(
        self,
        method: str,
        path: str,
        seconds: float | None,
        body: Mapping[str, Any] | None = None,
        *,
        events: bool = False,
    ) -> _Opened:
        """Open a request. ``seconds``: longest time for all of it; None: as long as it goes on."""
        headers = {"Accept": "text/event-stream" if events else "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        return _Opened(
            self._session.request(
                method,
                self._url + path,
                json=body,
                headers=headers,
                ssl=self._trust,
                allow_redirects=False,  # a token is for this server alone
                timeout=ClientTimeout(
                    total=seconds, sock_connect=ANSWER_S, sock_read=seconds or SILENCE_S
                ),
            )
        )


class _Opened:
    """A request under way. Turns errors of the network, also those of reading, into ours."""

    def __init__(self, request: Any) -> None:
        self._request = request

    async def __aenter__(self) -> ClientResponse:
        try:
            answer: ClientResponse = await self._request.__aenter__()
        except (ClientError, TimeoutError, OSError, ValueError) as error:
            raise _unreachable(error) from error
        if answer.status == 200:
            return answer
        try:
            refusal = _refusal(answer.status, await _error_body(answer))
        finally:
            answer.close()
        raise refusal

    async def __aexit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        await self._request.__aexit__(kind, error, trace)
        if isinstance(error, ClientError | TimeoutError | OSError):
            raise _unreachable(error) from error


def _unreachable(error: BaseException) -> Unreachable:
    certificate = getattr(error, "certificate_error", error)
    if isinstance(certificate, ssl.SSLCertVerificationError):
        return UntrustedCertificate(certificate.verify_message)
    return Unreachable(type(error).__name__)


async def _read(answer: ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in answer.content.iter_any():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise Unreachable("the answer is too large")
    return bytes(body)


async def _error_body(answer: ClientResponse) -> Mapping[str, Any]:
    try:
        return _json_object(await _read(answer))
    except (LobugError, ClientError, TimeoutError):
        return {}


async def _events(answer: ClientResponse) -> AsyncIterator[Event]:
    parser = EventParser()
    async for chunk in answer.content.iter_any():
        for event in parser.feed(chunk):
            yield event


def _refusal(status: int, body: Mapping[str, Any]) -> Refused:
    detail = body.get("error")
    code = text_of(detail, "code") if isinstance(detail, dict) else None
    kind = (
        AccessRefused if status == 401 or code in {"token_invalid", "token_required"} else Refused
    )
    return kind(status, code or "http_error", text_of(body, "response") or "")


def _json_object(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreachable("the answer is no JSON") from error
    if not isinstance(found, dict):
        raise Unreachable("the answer is no JSON object")
    return found


def text_of(data: Mapping[str, Any], key: str) -> str | None:
    """A text of an answer; None: it has none, or something else."""
    value = data.get(key)
    return value if isinstance(value, str) else None


def checked_url(text: str) -> str:
    """The address of a server as a person typed it: ``desk.local:8321`` and such get ``http://``.
    Raises ValueError."""
    text = text.strip()
    parts = urlsplit(text if "://" in text else f"http://{text}")
    strange = any(not char.isprintable() or char.isspace() for char in text)
    if strange or parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
        raise ValueError("no address of a server")
    _ = parts.port  # raises ValueError when it is no port
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


def url_of(scheme: str, host: str, port: int | None) -> str:
    """An address; IPv6 addresses get their brackets."""
    host = f"[{quote(host, safe=':')}]" if ":" in host else host
    return f"{scheme}://{host}:{port}" if port else f"{scheme}://{host}"


def fingerprint_of(pem: str) -> str:
    """SHA-256 of a PEM certificate as ``AB:CD:...``. Raises ValueError: it is none."""
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem.strip())).digest().hex(":").upper()


def trust_in(pem: str) -> ssl.SSLContext:
    """Trust in one authority. Reads nothing but its argument, but takes milliseconds."""
    context = ssl.create_default_context(cadata=pem)
    # The name constraints of Lo-Bug's authority are not marked as critical, because devices could
    # not read it otherwise (docs/https.md). They are obeyed all the same.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context
