"""Rules of authentication: the caller behind a request, and what a token with a scope may do.
Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlsplit

from lobug.access import tokens
from lobug.access.addresses import (
    is_forwarded,
    is_loopback,
    is_own_name,
    is_within,
    names_tls,
    parse_address,
)
from lobug.access.callers import Caller, browser_key, caller_key, token_key, valid_device_id
from lobug.access.records import ApiToken, Browser, Device, Register
from lobug.errors import (
    AccessUnavailableError,
    HostUnknownError,
    InvalidRequestError,
    TokenInvalidError,
    TokenRequiredError,
    TokenWrongDeviceError,
)
from lobug.settings.access import AccessSettings

McpScope = Literal["memory:read", "memory:write", "devices:speak", "deeds:read", "deeds:write"]
"""What a program may do over MCP: read or change its user's memory, say something on its user's
devices, see or change its user's timers, alarms, reminders and lists."""

TokenScope = Literal["metrics", "announce", McpScope]
"""``metrics``: to read the server's metrics and health. ``announce``: to say something on any
device. All others: to use a part of ``/mcp``."""

MCP_SCOPES: tuple[McpScope, ...] = get_args(McpScope)
TOKEN_SCOPES: tuple[TokenScope, ...] = get_args(TokenScope)

_MCP = frozenset({("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp")})
_ALLOWED: Mapping[str, frozenset[tuple[str, str]]] = {
    "metrics": frozenset({("GET", "/metrics"), ("GET", "/health")}),
    "announce": frozenset({("POST", "/announce")}),
    **dict.fromkeys(MCP_SCOPES, _MCP),
}
"""Method and path of the requests that each scope allows."""

_CLIENT_ID = re.compile(r"[!-~]{1,128}", re.ASCII)


def allows(scopes: str, method: str, path: str) -> bool:
    """Whether a token with these scopes, separated by spaces, may be used for the request. An
    unknown scope allows nothing."""
    return any((method, path) in _ALLOWED.get(scope, frozenset()) for scope in scopes.split())


def checked_scopes(text: str) -> str:
    """Scopes separated by spaces, each once and in the order of ``TOKEN_SCOPES``. Raises ValueError
    when one is unknown, or there is none."""
    named = set(text.split())
    unknown = named.difference(TOKEN_SCOPES)
    if unknown or not named:
        raise ValueError(f"scope is one or more of: {' '.join(TOKEN_SCOPES)}")
    return " ".join(scope for scope in TOKEN_SCOPES if scope in named)


@dataclass(frozen=True, slots=True)
class Credentials:
    """The parts of a request that identify its sender."""

    address: str | None
    """Of the other end of the connection; None: it has none."""
    forwarded: bool = False
    """Whether a proxy forwarded it."""
    host: str | None = None
    device_id: str | None = None
    authorization: str | None = None
    reached: str | None = None
    """The address of this computer to which it was sent."""
    session: str | None = None
    """The token in a browser's cookie."""
    client_id: str | None = None
    """What a device says with its ``Device-Id``."""

    @classmethod
    def of(
        cls, address: str | None, headers: Mapping[str, str], reached: str | None = None
    ) -> Credentials:
        """Read a request's headers, a mapping that ignores case, as Starlette's does."""
        return cls(
            address,
            is_forwarded(name.lower() for name in headers),
            headers.get("host"),
            headers.get("device-id"),
            headers.get("authorization"),
            reached,
            tokens.session(headers.get("cookie")),
            headers.get("client-id"),
        )


def identify(
    credentials: Credentials,
    register: Register | None,
    settings: AccessSettings,
    secret: str = "",
    *,
    now: float = 0.0,
) -> Caller:
    """Return the caller behind a request.

    A bearer token counts before a browser's session. A session that is not good counts as none, so
    it takes nothing from who needs none: an owner at this computer is not locked out by it.

    Args:
        credentials: what the request showed.
        register: all records; None: they cannot be read now.
        settings: of access.
        secret: a token that only those who may read the data folder know; empty: there is none.
        now: seconds since the epoch, by which sessions expire.

    Raises:
        TokenInvalidError: its token or session is unknown, revoked or has expired, or its token is
            not one of Lo-Bug's where one of those is needed.
        TokenWrongDeviceError: the token belongs to another device.
        TokenRequiredError: it needs a token and has none.
        HostUnknownError: it has no token, and needs none or has a browser's session, but was sent
            to a name that is not this computer's own.
        AccessUnavailableError: tokens cannot be looked up now.
        InvalidRequestError: the ``Device-Id`` is not valid.
    """
    device_id = (
        valid_device_id(credentials.device_id) if credentials.device_id is not None else None
    )
    token = tokens.bearer(credentials.authorization)
    if token is not None and tokens.is_ours(token):
        return _by_token(tokens.digest(token), device_id, _known(register))
    address = parse_address(credentials.address)
    where = str(address) if address else None
    if _is_owners_program(token, secret, credentials, settings):
        # The key does not depend on the secret, which changes at every start.
        return Caller(
            "loopback",
            caller_key(credentials.device_id, None, where),
            owner=True,
            device_id=device_id,
        )
    local = is_local_request(credentials, settings)
    browser = _browser_of(credentials, register, settings, now) if token is None else None
    if browser is not None:
        require_own_name(credentials.host, settings)
        return _browser_caller(browser, local=local)
    key = caller_key(credentials.device_id, credentials.authorization, where)
    if local:
        if settings.loopback == "token":
            raise _local_refusal(credentials)
        require_own_name(credentials.host, settings)
        return Caller("loopback", key, owner=True, device_id=device_id)
    known = _known(register)
    # A proxy may act for anyone, so its address does not show where a request came from.
    if is_within(credentials.address, settings.trusted_networks) and not credentials.forwarded:
        if device_id is not None and known.is_paired(device_id):
            raise TokenRequiredError("this Device-Id is paired and needs its token")
        require_own_name(credentials.host, settings)
        return Caller("network", key, device_id=device_id)
    if token is not None:
        raise TokenInvalidError("the token is not one of this server's")
    if credentials.session is not None:
        raise _session_over()
    raise TokenRequiredError("a caller from another computer needs a token (docs/access.md)")


def _is_owners_program(
    token: str | None, secret: str, credentials: Credentials, settings: AccessSettings
) -> bool:
    """Whether a program on this computer sent the secret of the data folder. It may come from the
    address that it called instead of loopback, because a server may listen at that address only."""
    if token is None or not secret or not tokens.same(token, secret):
        return False
    address = parse_address(credentials.address)
    to_itself = address is not None and address == parse_address(credentials.reached)
    return is_local_request(credentials, settings) or (
        to_itself and not _is_passed_on(credentials, settings)
    )


def _local_refusal(credentials: Credentials) -> TokenInvalidError | TokenRequiredError:
    if tokens.bearer(credentials.authorization) is not None:
        return TokenInvalidError(
            "the token is not one of this server's; if it was made at an earlier start of the"
            " server, read it from the data folder again"
        )
    if credentials.session is not None:
        return _session_over()
    return TokenRequiredError(
        "programs on this computer need a token too (access.loopback): make one with `lobug tokens"
        " create`, or let a browser in with `lobug browsers invite`; the lobug commands send theirs"
        " by themselves when they may read the data folder"
    )


def _session_over() -> TokenInvalidError:
    return TokenInvalidError("the browser's session is unknown, has expired or was revoked")


def is_local_request(credentials: Credentials, settings: AccessSettings) -> bool:
    """Whether a program on this computer sent the request on its own behalf."""
    return is_loopback(credentials.address) and not _is_passed_on(credentials, settings)


def _is_passed_on(credentials: Credentials, settings: AccessSettings) -> bool:
    return credentials.forwarded or names_tls(credentials.host, settings.public_url)


def require_own_name(host: str | None, settings: AccessSettings) -> None:
    """Raise HostUnknownError when a request without a token was sent to a foreign name: a web page
    whose name was pointed here may have made a browser send it."""
    public = urlsplit(settings.public_url).hostname
    if not is_own_name(host, {*settings.hostnames, *([public] if public else [])}):
        raise HostUnknownError(
            "the request was sent to a name that is not known as this computer's own: call it"
            " by its address, add the name to access.hostnames, or send a token"
        )


def stranger_caller(credentials: Credentials) -> Caller:
    """Return the caller of a route that needs no authentication."""
    address = parse_address(credentials.address)
    return Caller("stranger", caller_key(None, None, str(address) if address else None))


def still_valid(caller: Caller, register: Register) -> bool:
    """Whether a caller's credentials would authenticate it as the same caller now."""
    if caller.token_hash is None:
        own = caller.kind == "network" and caller.device_id is not None
        return not (own and register.is_paired(caller.device_id or ""))
    device = register.device_by_hash.get(caller.token_hash)
    if device is not None:
        return _device_caller(device) == caller
    browser = register.browser_by_hash.get(caller.token_hash)
    if browser is not None:
        return _browser_caller(browser, local=caller.at_this_computer) == caller
    token = register.api_token_by_hash.get(caller.token_hash)
    return token is not None and _api_caller(token) == caller


def _known(register: Register | None) -> Register:
    if register is None:
        raise AccessUnavailableError("the file of devices and tokens cannot be read")
    return register


def _by_token(token_hash: str, device_id: str | None, register: Register) -> Caller:
    device = register.device_by_hash.get(token_hash)
    if device is not None and tokens.same(device.token_hash or "", token_hash):
        caller = _device_caller(device)
        if device_id is not None and device_id != device.device_id:
            raise TokenWrongDeviceError("the token was given to another device")
        return caller
    api = register.api_token_by_hash.get(token_hash)
    if api is not None and tokens.same(api.token_hash, token_hash):
        return _api_caller(api)
    raise TokenInvalidError("the token is unknown or was revoked")


def _device_caller(device: Device) -> Caller:
    return Caller(
        "device",
        f"device:{device.device_id}",
        user=device.user,
        device_id=device.device_id,
        token_hash=device.token_hash,
    )


def _api_caller(token: ApiToken) -> Caller:
    return Caller(
        "api",
        token_key(token.token_hash),
        user=token.user,
        conversation=token.conversation,
        owner=token.owner,
        token_hash=token.token_hash,
        scope=token.scope,
    )


def _browser_of(
    credentials: Credentials, register: Register | None, settings: AccessSettings, now: float
) -> Browser | None:
    """The browser whose session is shown, if it is in force."""
    if credentials.session is None or register is None:
        return None
    token_hash = tokens.digest(credentials.session)
    browser = register.browser_by_hash.get(token_hash)
    if browser is None or not tokens.same(browser.token_hash, token_hash):
        return None
    return browser if now < browser.expires_at(settings.browser_days) else None


def _browser_caller(browser: Browser, *, local: bool) -> Caller:
    """The caller of a browser's session. ``local``: it came from this computer; there an owner's
    session says who sits here and takes nothing away, a person's is no more than elsewhere."""
    return Caller(
        "loopback" if local and browser.owner else "browser",
        browser_key(browser.browser_id),
        user=browser.user,
        owner=browser.owner,
        token_hash=browser.token_hash,
        browser_id=browser.browser_id,
    )


def checked_device_id(device_id: str | None) -> str:
    """Return a ``Device-Id`` in lower case. Raises InvalidRequestError when it is missing or not
    valid."""
    if device_id is None:
        raise InvalidRequestError("the header Device-Id is missing")
    return valid_device_id(device_id)


def checked_client_id(client_id: str | None) -> str:
    """Return a ``Client-Id`` unchanged. Raises InvalidRequestError when it is missing or not
    valid."""
    if client_id is None:
        raise InvalidRequestError("the header Client-Id is missing")
    if not _CLIENT_ID.fullmatch(client_id):
        raise InvalidRequestError("Client-Id must be 1 to 128 printable characters of ASCII")
    return client_id
