"""Which requests come from web pages of other sites. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit


def from_foreign_page(headers: Mapping[str, str]) -> bool:
    """Whether a browser sent the request for a page of another origin.

    Args:
        headers: of the request; names are found in any case, as Starlette's mapping does.
    """
    return _is_foreign_fetch(headers) or _is_foreign_origin(headers)


def follows_link(headers: Mapping[str, str]) -> bool:
    """Whether a browser opens the address as a page of its own, in the place of the one before:
    neither inside of another page nor for it to read."""
    return (
        headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and not _is_foreign_origin(headers)
    )


def _is_foreign_fetch(headers: Mapping[str, str]) -> bool:
    """By ``Sec-Fetch-Site``, which browsers send with every request to a loopback address or over
    TLS, pictures and scripts of a page too, and which no page can change. ``none``: a person typed
    the address, or opened a bookmark. ``same-site`` is another port of this computer."""
    return headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}


def _is_foreign_origin(headers: Mapping[str, str]) -> bool:
    """By ``Origin``: whether it names another site than the ``Host`` that was called.

    Any page that somebody opens can post to this address, without reading the answer, and so put
    words into a memory; a WebSocket it could even read. Devices, curl and scripts send no such
    header, but some WebSocket libraries for microcontrollers and some programs do, with anything
    in it.
    """
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        netloc = urlsplit(origin).netloc
    except ValueError:
        return True
    return not netloc or netloc.lower() != headers.get("host", "").lower()
