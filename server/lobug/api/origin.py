"""Which requests come from web pages of other sites. Pure."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_foreign(origin: str | None, host: str | None) -> bool:
    """Whether a request's ``Origin`` names another site than the ``Host`` that it was sent to.

    Any page that somebody opens can post to this address, without reading the answer, and so put
    words into a memory; a WebSocket it could even read. Browsers say which site a request comes
    from. Devices, curl and scripts send no such header, but some WebSocket libraries for
    microcontrollers and some programs do, with anything in it.
    """
    if origin is None:
        return False
    try:
        netloc = urlsplit(origin).netloc
    except ValueError:
        return True
    return not netloc or netloc.lower() != (host or "").lower()
