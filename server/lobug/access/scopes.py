"""What an API token with a scope may be used for. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Scope = Literal["metrics"]
"""``metrics``: to watch how the server is doing."""

_ALLOWED: Mapping[str, frozenset[tuple[str, str]]] = {
    "metrics": frozenset({("GET", "/metrics"), ("GET", "/health")}),
}
"""Method and path of the requests that a scope is for."""


def allows(scope: str, method: str, path: str) -> bool:
    """Whether a token with this scope is good for the request. A scope that this version does not
    know is good for nothing."""
    return (method, path) in _ALLOWED.get(scope, frozenset())
