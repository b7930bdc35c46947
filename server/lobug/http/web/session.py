"""`/web/session` and `/web/pair`: who a browser is, and how it is let in.

The session is a cookie that only this host gets back, that no script can read, and that no page of
another site can make a browser send (docs/access.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lobug import __version__
from lobug.access import tokens
from lobug.access.addresses import WebAddresses, keeps_session, names_tls
from lobug.access.callers import Caller
from lobug.access.records import DAY_S, Browser
from lobug.access.rules import (
    Credentials,
    is_local_request,
    require_own_name,
    stranger_caller,
)
from lobug.errors import (
    AccessFullError,
    AccessUnavailableError,
    BodyTimeoutError,
    BodyTooLargeError,
    BrowserUnknownError,
    HostUnknownError,
    HttpsRequiredError,
    InvalidEncodingError,
    InvalidRequestError,
    InvitationUnknownError,
    LobugError,
    OwnerOnlyError,
    StorageError,
    TooManyAttemptsError,
)
from lobug.http.dependencies import (
    CallerDep,
    ServerDep,
    conversation_of_caller,
    documented,
    json_body,
    private,
)
from lobug.http.devices.admin import Code, Name, User
from lobug.http.formats import Answer
from lobug.http.problems import error_responses
from lobug.server import LobugServer


class SessionBrowser(Answer):
    """A browser that is signed in."""

    id: str = Field(description="By which it is revoked.")
    name: str = Field(description="What it is called; may be empty.")


class Session(BaseModel):
    """Who the caller is to the web pages, and where they are."""

    role: Literal["owner", "person", "stranger"] = Field(
        description="`owner`: may do everything; without `user` nobody has said yet who sits at"
        " this computer. `person`: has a memory of their own. `stranger`: is not let in."
    )
    user: str | None = Field(description="Whose memory it talks for.")
    at_this_computer: bool = Field(description="Whether it runs on the computer of the server.")
    browser: SessionBrowser | None = Field(description="Null: it is not signed in.")
    secure: bool = Field(description="Whether the request came over TLS.")
    https_url: str | None = Field(description="Where the pages are with TLS; null: nowhere.")
    http_url: str | None = Field(description="Where they are without TLS; null: unknown.")
    fingerprint: str | None = Field(
        description="SHA-256 of the certificate of the server's own authority; null: it has none."
    )
    version: str = Field(description="Version of the server.")
    instance: str = Field(description="Identifies this run of the server.")


class SignInRequest(BaseModel):
    """Who sits at this computer."""

    model_config = ConfigDict(extra="forbid")

    user: User = Field(description="Whose words come from this browser.")
    name: Name = Field("", description="What to call the browser.")


class SessionUserRequest(BaseModel):
    """Who sits at this computer from now on."""

    model_config = ConfigDict(extra="forbid")

    user: User = Field(description="Whose words come from this browser.")


class PairRequest(BaseModel):
    """An invitation's code, as a person typed it."""

    model_config = ConfigDict(extra="forbid")

    code: Code = Field(description="Six digits.")
    name: Name = Field("", description="What the browser calls itself.")


router = APIRouter(prefix="/web", tags=["web"], dependencies=[Depends(private)])

_FILE_ERRORS: tuple[type[LobugError], ...] = (AccessUnavailableError, StorageError)
_BODY_ERRORS: tuple[type[LobugError], ...] = (
    *_FILE_ERRORS,
    InvalidRequestError,
    InvalidEncodingError,
    BodyTooLargeError,
    BodyTimeoutError,
)


async def get_web_addresses(request: Request) -> WebAddresses:
    """Where the pages are. A command that uses the routes without a server has no pages."""
    addresses: WebAddresses = getattr(request.app.state, "web_addresses", WebAddresses())
    return addresses


class BrowserRequest:
    """A request of a browser: what its session is, and over which connection it came."""

    def __init__(
        self,
        request: Request,
        server: ServerDep,
        addresses: Annotated[WebAddresses, Depends(get_web_addresses)],
    ) -> None:
        self._server = server
        self._addresses = addresses
        self._settings = server.settings.access
        client = request.client
        self.credentials = Credentials.of(client.host if client else None, request.headers)
        self.token = self.credentials.session
        """The token in its cookie; None: it has none."""
        host = request.headers.get("host")
        # What a proxy says is believed: who lies about it only loses the own cookie.
        by_proxy = request.headers.get("x-forwarded-proto", "").split(",")[0].strip().lower()
        self.secure = (
            request.url.scheme == "https"
            or by_proxy == "https"
            or names_tls(host, self._settings.public_url)
        )
        self.keeps_session = keeps_session(host, secure=self.secure)

    def require_cookie(self) -> None:
        """Raises HttpsRequiredError when the browser would not keep the cookie, HostUnknownError
        when the page may be a foreign one."""
        require_own_name(self.credentials.host, self._settings)
        if not self.keeps_session:
            raise HttpsRequiredError(
                "a browser keeps no session over plain HTTP from another computer; open"
                f" {self._addresses.https_url or 'the page with HTTPS'}"
            )

    def set_cookie(self, response: Response, token: str) -> None:
        self._write_cookie(response, token, int(self._settings.browser_days * DAY_S))

    def delete_cookie(self, response: Response) -> None:
        self._write_cookie(response, "", 0)

    def _write_cookie(self, response: Response, value: str, max_age_s: int) -> None:
        response.set_cookie(
            tokens.COOKIE,
            value,
            max_age=max_age_s,
            path="/",
            secure=True,
            httponly=True,
            samesite="strict",
        )

    def session(self, role: Literal["owner", "person", "stranger"], user: str | None) -> Session:
        """The answer for a browser without a session."""
        return Session(
            role=role,
            user=user,
            at_this_computer=is_local_request(self.credentials, self._settings),
            browser=None,
            secure=self.secure,
            https_url=self._addresses.https_url,
            http_url=self._addresses.http_url,
            fingerprint=self._addresses.fingerprint,
            version=__version__,
            instance=self._server.instance,
        )

    def session_of(self, browser: Browser) -> Session:
        """The answer for a browser that is signed in."""
        session = self.session("owner" if browser.owner else "person", browser.user)
        session.browser = SessionBrowser.of(browser, id=browser.browser_id)
        return session

    def session_of_caller(self, caller: Caller) -> Session:
        """The answer for any caller."""
        if caller.browser_id is not None:
            return self.session_of(self._server.access.browsers.get(caller.browser_id))
        if caller.kind == "stranger":
            return self.session("stranger", None)
        user = conversation_of_caller(caller, self._server.settings).user
        if not caller.owner:
            return self.session("person", user)
        # Without a user of the settings, the owner's memory is that of an address.
        return self.session("owner", None if user == caller.key else user)


BrowserRequestDep = Annotated[BrowserRequest, Depends()]


@router.get("/session", responses=error_responses(*_FILE_ERRORS))
async def session(
    asked: BrowserRequestDep, response: Response, server: ServerDep, caller: CallerDep
) -> Session:
    """Say who the caller is. A browser's cookie is renewed; one that is no longer good is
    deleted."""
    if caller.browser_id is not None and asked.token is not None and asked.keeps_session:
        asked.set_cookie(response, asked.token)
    elif asked.token is not None and _is_over(server, asked.token):
        asked.delete_cookie(response)
    return asked.session_of_caller(caller)


def _is_over(server: LobugServer, token: str) -> bool:
    """Whether a session is known to be over. While the file cannot be read nothing is known."""
    try:
        return not server.access.browsers.is_good(token)
    except AccessUnavailableError:
        return False


async def _require_here(caller: CallerDep) -> Caller:
    """Raises OwnerOnlyError unless the caller is the owner at this computer."""
    if not caller.at_this_computer:
        raise OwnerOnlyError("only the owner, at the computer that Lo-Bug runs on, may do this")
    return caller


@router.post(
    "/session",
    dependencies=[Depends(_require_here)],
    openapi_extra=documented(SignInRequest),
    responses=error_responses(
        *_BODY_ERRORS, OwnerOnlyError, HostUnknownError, HttpsRequiredError, AccessFullError
    ),
)
async def sign_in(
    body: Annotated[SignInRequest, Depends(json_body(SignInRequest))],
    asked: BrowserRequestDep,
    response: Response,
    server: ServerDep,
) -> Session:
    """Sign the owner's browser at this computer in, for one user. A session that it has ends."""
    asked.require_cookie()
    browser, token = await server.access.browsers.sign_in(
        body.user, name=body.name, replaces=asked.token
    )
    asked.set_cookie(response, token)
    return asked.session_of(browser)


@router.patch(
    "/session",
    openapi_extra=documented(SessionUserRequest),
    responses=error_responses(*_BODY_ERRORS, OwnerOnlyError, BrowserUnknownError),
)
async def change_user(
    body: Annotated[SessionUserRequest, Depends(json_body(SessionUserRequest))],
    asked: BrowserRequestDep,
    server: ServerDep,
    caller: Annotated[Caller, Depends(_require_here)],
) -> Session:
    """Let another person use the browser at this computer. Its open connections end."""
    if caller.browser_id is None:
        raise BrowserUnknownError("this browser is not signed in")
    return asked.session_of(
        await server.access.browsers.describe(caller.browser_id, user=body.user)
    )


@router.delete("/session", responses=error_responses(*_FILE_ERRORS))
async def sign_out(
    asked: BrowserRequestDep, response: Response, server: ServerDep, caller: CallerDep
) -> Session:
    """Sign the browser out: its session and its open connections end, and the cookie is deleted.
    Says who the caller is without it."""
    if caller.browser_id is not None:
        await server.access.browsers.sign_out(caller.browser_id)
        try:
            caller = server.access.authenticate(replace(asked.credentials, session=None))
        except LobugError:
            caller = stranger_caller(asked.credentials)
    if asked.token is not None:
        asked.delete_cookie(response)
    return asked.session_of_caller(caller)


@router.post(
    "/pair",
    openapi_extra=documented(PairRequest),
    responses=error_responses(
        *_BODY_ERRORS,
        HostUnknownError,
        HttpsRequiredError,
        InvitationUnknownError,
        TooManyAttemptsError,
        AccessFullError,
    ),
)
async def pair(
    body: Annotated[PairRequest, Depends(json_body(PairRequest))],
    asked: BrowserRequestDep,
    response: Response,
    server: ServerDep,
) -> Session:
    """Let a browser in whose person has an invitation's code. A session that it has ends."""
    asked.require_cookie()
    browser, token = await server.access.browsers.pair(
        body.code, name=body.name, address=asked.credentials.address, replaces=asked.token
    )
    asked.set_cookie(response, token)
    return asked.session_of(browser)
