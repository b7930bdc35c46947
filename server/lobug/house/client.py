"""Home Assistant over HTTP: what it is asked, and what its answers are.

What it sends is untrusted: size, time and every value are limited, and a redirect is never
followed, because the token would go with it.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import unicodedata
from typing import Any

import httpx2
from pydantic import BaseModel, Field, ValidationError

from lobug.house.circuit import Fault
from lobug.house.trust import UntrustedError, context_of
from lobug.settings.home import HomeSettings

CONNECT_S = 2.0
"""Longest wait for a connection in the own network, seconds."""
MOST_ANSWER_BYTES = 256 * 1024
"""Of an answer to a sentence; it has about 1 kB."""
LONGEST_SPEECH = 500
"""Characters of an answer that are spoken; the rest is cut off."""
NOT_UNDERSTOOD = "no_intent_match"
UNKNOWN_NAME = "no_valid_targets"
"""A sentence fitted, and names something that Home Assistant does not know or does not expose."""

_MARKS = str.maketrans({"<": "(", ">": ")", "[": "(", "]": ")", "{": "(", "}": ")"})
"""An answer is spoken and read by the chat model: it must not imitate the prompt's marks."""

log = logging.getLogger(__name__)


class HomeError(Exception):
    """Home Assistant could not be asked, or gave no proper answer."""

    def __init__(self, fault: Fault, why: str, *, sent: bool) -> None:
        """``why``: for the owner. ``sent``: the request may have arrived and been carried out."""
        super().__init__(why)
        self.fault = fault
        self.sent = sent


class _Plain(BaseModel):
    speech: str = ""


class _Speech(BaseModel):
    plain: _Plain = Field(default_factory=_Plain)


class _Data(BaseModel):
    code: str = ""


class _Response(BaseModel):
    response_type: str
    speech: _Speech = Field(default_factory=_Speech)
    data: _Data = Field(default_factory=_Data)


class HomeAnswer(BaseModel):
    """Home Assistant's answer to a sentence, as ``/api/conversation/process`` gives it."""

    response: _Response
    conversation_id: str | None = Field(None, max_length=200)
    continue_conversation: bool = False
    """It asks back, and the next words answer it."""

    @property
    def failed(self) -> bool:
        """Whether it did not do what was asked."""
        return self.response.response_type == "error"

    @property
    def understood(self) -> bool:
        """Whether a sentence of Home Assistant's fitted."""
        return not (self.failed and self.response.data.code == NOT_UNDERSTOOD)

    @property
    def names_unknown(self) -> bool:
        """Whether it knows nothing by a name in the sentence."""
        return self.failed and self.response.data.code == UNKNOWN_NAME

    @property
    def speech(self) -> str:
        """What it says, on one line and within ``LONGEST_SPEECH``; may be empty."""
        return tidy_speech(self.response.speech.plain.speech)


def tidy_speech(text: str) -> str:
    """A text of Home Assistant's as it may be spoken. Pure."""
    kept = "".join(
        " " if unicodedata.category(c)[0] == "C" else c for c in text[: 4 * LONGEST_SPEECH]
    )
    line = " ".join(kept.translate(_MARKS).split())
    return line if len(line) <= LONGEST_SPEECH else line[:LONGEST_SPEECH].rsplit(" ", 1)[0]


class HomeClient:
    """The HTTP interface of one Home Assistant. Open connections are kept."""

    def __init__(self, settings: HomeSettings) -> None:
        self._settings = settings
        self._http: httpx2.AsyncClient | None = None
        self._opening = asyncio.Lock()

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def ask(
        self, text: str, language: str, conversation_id: str | None, *, timeout_s: float
    ) -> HomeAnswer:
        """Let Home Assistant understand and carry out a sentence. Raises HomeError."""
        asked = {"text": text, "language": language}
        if conversation_id is not None:
            asked["conversation_id"] = conversation_id
        body = await self._request(
            "POST", "/api/conversation/process", asked, MOST_ANSWER_BYTES, timeout_s
        )
        try:
            return HomeAnswer.model_validate_json(body)
        except ValidationError as error:
            why = "it answers something else than Home Assistant does"
            raise HomeError("unreadable", why, sent=True) from error

    async def check(self, timeout_s: float) -> None:
        """Return if it answers and takes the token. Raises HomeError."""
        body = await self._request("GET", "/api/", None, MOST_ANSWER_BYTES, timeout_s)
        if not body.lstrip().startswith(b"{"):
            why = "it answers something else than Home Assistant does"
            raise HomeError("unreadable", why, sent=False)

    async def _request(
        self, method: str, path: str, document: Any, most_bytes: int, timeout_s: float
    ) -> bytes:
        sent = False
        try:
            async with asyncio.timeout(timeout_s):
                http = await self._client()
                url = self._settings.url.rstrip("/") + path
                sent = True
                async with http.stream(method, url, json=document) as answer:
                    return await _body(answer, most_bytes)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            await self._forget_trust(error)
            raise _not_connected(error) from error
        except TimeoutError as error:
            raise HomeError("slow", f"no answer within {timeout_s:g} s", sent=sent) from error
        except httpx2.HTTPError as error:
            why = f"the connection failed ({type(error).__name__})"
            raise HomeError("unreachable", why, sent=True) from error
        except (UntrustedError, OSError) as error:
            raise _not_connected(error) from error

    async def _client(self) -> httpx2.AsyncClient:
        async with self._opening:
            if self._http is None:
                verify: ssl.SSLContext | bool = True
                if self._settings.url.startswith("https:"):
                    verify = await asyncio.to_thread(context_of, self._settings)
                token = self._settings.token.get_secret_value()
                # Loading the certificates would block the event loop.
                self._http = await asyncio.to_thread(
                    httpx2.AsyncClient,
                    headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"},
                    timeout=httpx2.Timeout(None, connect=CONNECT_S),
                    follow_redirects=False,
                    trust_env=False,
                    verify=verify,
                )
            return self._http

    async def _forget_trust(self, error: Exception) -> None:
        """A certificate may have been replaced: look again at the next request."""
        if _is_certificate(error):
            await self.close()


async def _body(answer: httpx2.Response, most_bytes: int) -> bytes:
    status = answer.status_code
    if status in {401, 403}:
        raise HomeError("refused", "it refuses the token of LOBUG_HOME__TOKEN", sent=False)
    if 300 <= status < 400:
        why = "it redirects elsewhere, which is not followed; correct LOBUG_HOME__URL"
        raise HomeError("unreadable", why, sent=False)
    if status != 200:
        fault: Fault = "unreachable" if status >= 500 else "unreadable"
        raise HomeError(fault, f"it answers with status {status}", sent=status >= 500)
    body = bytearray()
    async for chunk in answer.aiter_raw():
        body += chunk
        if len(body) > most_bytes:
            raise HomeError("unreadable", f"its answer has more than {most_bytes} bytes", sent=True)
    return bytes(body)


def _not_connected(error: Exception) -> HomeError:
    if isinstance(error, UntrustedError):
        return HomeError("certificate", str(error), sent=False)
    if _is_certificate(error):
        why = (
            "its certificate is not trusted; name it in LOBUG_HOME__CERTIFICATE or"
            " LOBUG_HOME__FINGERPRINT"
        )
        return HomeError("certificate", why, sent=False)
    return HomeError("unreachable", "nothing answers at that address", sent=False)


def _is_certificate(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, is about a certificate."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False
