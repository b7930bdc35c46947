"""The base class of the sections of the settings, and types that they share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(gt=0.0)]
UserName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"[^:\s]$")]
"""A person. Names that end with a colon are reserved, such as that of the household."""
HouseholdGrant = Literal["read", "write"]
Caller = Annotated[str, Field(pattern=r"(?i)^(device|address|token):.")]


class Section(BaseModel):
    """A group of settings. Unknown names are refused, so that a typing error is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
