"""Tokens, activation codes and cookies: how they are generated, stored and compared. Pure, except
for random numbers."""

from __future__ import annotations

import hashlib
import hmac
import secrets

PREFIX = "lobug_"
"""Start of every token of Lo-Bug's: scanners recognize it in leaked files, and the token of another
server is not mistaken for one."""

TOKEN_BYTES = 32
CODE_DIGITS = 6


def new_token() -> str:
    """Return a token: 256 random bits in characters that need no escaping."""
    return PREFIX + secrets.token_urlsafe(TOKEN_BYTES)


def new_code() -> str:
    """Return an activation code: six digits, which a device speaks one by one."""
    return f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"


def new_challenge() -> str:
    """Return the challenge that is sent with a code; without one the device does not poll whether
    it has been approved."""
    return secrets.token_urlsafe(24)


def digest(token: str) -> str:
    """Return a token's SHA-256, hexadecimal, which is what is stored. It has no salt and no
    stretching, because 256 random bits cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


def bearer(authorization: str | None) -> str | None:
    """Return the bearer token of an ``Authorization`` header, or None."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    return token.strip() or None


COOKIE = "__Host-lobug"
"""Name of the cookie that holds a browser's session. Because of the prefix browsers accept it only
from this host itself, and with ``Secure``."""


def session(cookies: str | None) -> str | None:
    """Return the token of a browser's session in a ``Cookie`` header, or None."""
    for pair in (cookies or "").split(";"):
        name, _, value = pair.partition("=")
        if name.strip() == COOKIE:
            return value.strip() or None
    return None


def is_ours(token: str) -> bool:
    """Whether a token has the form of Lo-Bug's."""
    return token.startswith(PREFIX)
