"""The base class of the sections of the settings, and types that they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(gt=0.0)]
UserName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"[^:\s]$")]
"""A person. Names that end with a colon are reserved, such as that of the household."""
HouseholdGrant = Literal["read", "write"]
Caller = Annotated[str, Field(pattern=r"(?i)^(device|address|token|wyoming):.")]

Kind = Literal[
    "text",
    "long_text",
    "number",
    "switch",
    "choice",
    "choices",
    "time_range",
    "time_zone",
    "place",
]
"""How a setting is edited. ``choices``: any number of the choices; ``time_range``: two times of the
day; ``place``: a name, a latitude and a longitude."""


@dataclass(frozen=True, slots=True)
class Changeable:
    """Marks a setting that may change while the server runs, in ``Annotated``.

    Mark only what takes effect at once, by ``LobugServer.apply``; a test has to see it.
    """

    label: str
    """What a person calls it."""
    unit: str = ""
    """Of a number, as it is written behind it."""
    kind: Kind | None = None
    """None: what the type says."""
    choices: tuple[str, ...] = ()
    """Of a text that may only be one of them; empty: what the type says."""
    example: str = ""
    """A valid value, for whoever wrote an invalid one; empty: the reason is enough."""
    longest: int = 300
    """Of a text, characters."""


class Section(BaseModel):
    """A group of settings. Unknown names are refused, so that a typing error is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
