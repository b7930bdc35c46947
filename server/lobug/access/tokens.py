"""Tokens and activation codes: how they are made, stored and compared. Pure but for the dice."""

from __future__ import annotations

import hashlib
import hmac
import secrets

PREFIX = "lobug_"
"""What every token of ours begins with: so it is recognised in a leaked file, and a token of some
other server is not taken for one of ours."""

TOKEN_BYTES = 32
CODE_DIGITS = 6


def new_token() -> str:
    """A token: 256 bits from the operating system, in letters that need no escaping anywhere."""
    return PREFIX + secrets.token_urlsafe(TOKEN_BYTES)


def new_code() -> str:
    """An activation code: six digits, which a device speaks one by one."""
    return f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"


def new_challenge() -> str:
    """What a device is asked to come back with; without one it does not ask whether it is
    approved."""
    return secrets.token_urlsafe(24)


def digest(token: str) -> str:
    """What is stored of a token: its SHA-256, hexadecimal. No salt and no stretching: nobody can
    guess 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode(), other.encode())


def bearer(authorization: str | None) -> str | None:
    """The token of an ``Authorization`` header; None: it holds none of this scheme."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    return token.strip() or None


def is_ours(token: str) -> bool:
    """Whether a token claims to be one of Lo-Bug's."""
    return token.startswith(PREFIX)
