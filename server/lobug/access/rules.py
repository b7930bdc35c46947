"""What an API token with a scope may be used for. Pure.

Who may talk: the decision about one request. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
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
from lobug.access.records import ApiToken, Caller, Device, Register
from lobug.conversation.keys import caller_key, device_key, token_key
from lobug.errors import (
    AccessUnavailableError,
    HostUnknownError,
    InvalidRequestError,
    TokenInvalidError,
    TokenRequiredError,
    TokenWrongDeviceError,
)
from lobug.settings.access import AccessSettings

TokenScope = Literal["metrics"]
"""``metrics``: to watch how the server is doing."""

_ALLOWED: Mapping[str, frozenset[tuple[str, str]]] = {
    "metrics": frozenset({("GET", "/metrics"), ("GET", "/health")}),
}
"""Method and path of the requests that a scope is for."""


def allows(scope: str, method: str, path: str) -> bool:
    """Whether a token with this scope is good for the request. A scope that this version does not
    know is good for nothing."""
    return (method, path) in _ALLOWED.get(scope, frozenset())


_CLIENT_ID = re.compile(r"[!-~]{1,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request shows of who sent it."""

    address: str | None
    """Of the other end, as the server software knows it; None: it has none."""
    forwarded: bool = False
    """Whether a proxy passed it on."""
    host: str | None = None
    device_id: str | None = None
    authorization: str | None = None
    reached: str | None = None
    """The address of this computer that it was sent to."""

    @classmethod
    def of(
        cls, address: str | None, headers: Mapping[str, str], reached: str | None = None
    ) -> Credentials:
        """Read the headers (names in any case, as Starlette's mapping finds them)."""
        return cls(
            address,
            is_forwarded(name.lower() for name in headers),
            headers.get("host"),
            headers.get("device-id"),
            headers.get("authorization"),
            reached,
        )


def identify(
    shown: Credentials, register: Register | None, settings: AccessSettings, secret: str = ""
) -> Caller:
    """The caller behind a request. ``register`` None: who is known cannot be looked up now.
    ``secret``: what only who may read the data folder can send; empty: there is none.

    Raises:
        TokenInvalidError: it came with a token of ours that is unknown or revoked, or with another
            token where one of ours is needed.
        TokenWrongDeviceError: the token is another device's.
        TokenRequiredError: it needs a token and has none.
        HostUnknownError: it came without a token from where none is needed, but was sent to a name
            that is not this computer's own.
        AccessUnavailableError: tokens cannot be looked up now.
        InvalidRequestError: the ``Device-Id`` is not well-formed.
    """
    own = device_key(shown.device_id) if shown.device_id is not None else None
    token = tokens.bearer(shown.authorization)
    if token is not None and tokens.is_ours(token):
        return _by_token(tokens.digest(token), own, _known(register))
    address = parse_address(shown.address)
    where = str(address) if address else None
    device_id = own.removeprefix("device:") if own else None
    if _is_owners_program(token, secret, shown, settings):
        # Named as without the secret, which is another one after every start.
        return Caller(
            "loopback", caller_key(shown.device_id, None, where), owner=True, device_id=device_id
        )
    key = caller_key(shown.device_id, shown.authorization, where)
    if is_here(shown, settings):
        if settings.loopback == "token":
            raise _refused_here(token)
        require_own_name(shown.host, settings)
        return Caller("loopback", key, owner=True, device_id=device_id)
    known = _known(register)
    # A proxy speaks for anybody: its word about where a request came from is not enough here.
    if is_within(shown.address, settings.trusted_networks) and not shown.forwarded:
        if device_id is not None and known.is_paired(device_id):
            raise TokenRequiredError("this Device-Id is paired and needs its token")
        require_own_name(shown.host, settings)
        return Caller("network", key, device_id=device_id)
    if token is not None:
        raise TokenInvalidError("the token is not one of this server's")
    raise TokenRequiredError("a caller from another computer needs a token (docs/access.md)")


def _is_owners_program(
    token: str | None, secret: str, shown: Credentials, settings: AccessSettings
) -> bool:
    """Whether a program on this computer sent the secret of the data folder. Its address may also
    be the one that it called: that is how a server is reached that does not listen to loopback."""
    if token is None or not secret or not tokens.same(token, secret):
        return False
    address = parse_address(shown.address)
    to_itself = address is not None and address == parse_address(shown.reached)
    return is_here(shown, settings) or (to_itself and not _is_passed_on(shown, settings))


def _refused_here(token: str | None) -> TokenInvalidError | TokenRequiredError:
    if token is not None:
        return TokenInvalidError(
            "the token is not one of this server's; if it was made at an earlier start of the"
            " server, read it from the data folder again"
        )
    return TokenRequiredError(
        "programs on this computer need a token too (access.loopback): make one with `lobug tokens"
        " create`; the lobug commands send theirs by themselves when they may read the data folder"
    )


def is_here(shown: Credentials, settings: AccessSettings) -> bool:
    """Whether a program on this computer sent the request, for nobody else."""
    return is_loopback(shown.address) and not _is_passed_on(shown, settings)


def _is_passed_on(shown: Credentials, settings: AccessSettings) -> bool:
    return shown.forwarded or names_tls(shown.host, settings.public_url)


def require_own_name(host: str | None, settings: AccessSettings) -> None:
    """For what needs no token: a browser may be made to ask for it by a foreign page, whose name
    was pointed here. Raises HostUnknownError."""
    public = urlsplit(settings.public_url).hostname
    if not is_own_name(host, {*settings.hostnames, *([public] if public else [])}):
        raise HostUnknownError(
            "the request was sent to a name that is not known as this computer's own: call it"
            " by its address, add the name to access.hostnames, or send a token"
        )


def stranger(shown: Credentials) -> Caller:
    """Somebody at a door that is open to all."""
    address = parse_address(shown.address)
    return Caller("stranger", caller_key(None, None, str(address) if address else None))


def still_good(caller: Caller, register: Register) -> bool:
    """Whether what a caller came with would let it in as the same one now."""
    if caller.token_hash is None:
        own = caller.kind == "network" and caller.device_id is not None
        return not (own and register.is_paired(caller.device_id or ""))
    device = register.device_by_hash.get(caller.token_hash)
    if device is not None:
        return _device_caller(device) == caller
    token = register.api_token_by_hash.get(caller.token_hash)
    return token is not None and _api_caller(token) == caller


def _known(register: Register | None) -> Register:
    if register is None:
        raise AccessUnavailableError("the file of devices and tokens cannot be read")
    return register


def _by_token(token_hash: str, own: str | None, register: Register) -> Caller:
    device = register.device_by_hash.get(token_hash)
    if device is not None and tokens.same(device.token_hash or "", token_hash):
        caller = _device_caller(device)
        if own is not None and own != caller.key:
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


def checked_device_id(device_id: str | None) -> str:
    """A ``Device-Id`` in small letters. Raises InvalidRequestError when it is missing or not
    well-formed."""
    if device_id is None:
        raise InvalidRequestError("the header Device-Id is missing")
    return device_key(device_id).removeprefix("device:")


def checked_client_id(client_id: str | None) -> str:
    """A ``Client-Id`` as it was sent. Raises InvalidRequestError when it is missing or not
    well-formed."""
    if client_id is None:
        raise InvalidRequestError("the header Client-Id is missing")
    if not _CLIENT_ID.fullmatch(client_id):
        raise InvalidRequestError("Client-Id must be 1 to 128 printable characters of ASCII")
    return client_id
