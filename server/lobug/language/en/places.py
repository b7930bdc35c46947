"""The time zones of places as people name them. English. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from zoneinfo import available_timezones

LONGEST = 40
"""Characters of a name."""

_AREAS = frozenset(
    "Africa America Antarctica Asia Atlantic Australia Europe Indian Pacific".split()
)
_SMALL = frozenset({"of", "the", "and", "de", "la", "es", "del"})
_TRAILING = re.compile(
    r",? (?:now|right now|at the moment|at the minute|currently|just now|today|there|over there"
    r"|please|then)$"
)
_NO_PLACE = re.compile(
    r"\b(?:my|your|his|her|our|their|this|that|it|here|there|hours?|minutes?|seconds?|days?|weeks?"
    r"|general|total|bed|a|an|when|where|which|\d+|half|hand|morning|afternoon|evening|night"
    r"|words?|film|movie|book|story|game|song|world)\b"
)
_COUNTRY_AFTER = re.compile(r"^(.{3,}?),? (?:in )?(the .+|[a-z ]+)$")


@dataclass(frozen=True, slots=True)
class Place:
    """A place and its zone."""

    name: str
    """As it is written."""
    zone: str
    """IANA name."""


def read_place(text: str) -> tuple[Place, ...]:
    """The place that a text names; several where it lies in several zones; empty: unknown."""
    name = _plain(text)
    if len(name) > LONGEST:
        return ()
    several = _data()["several"].get(name)
    if several is not None:
        return tuple(Place(city, _zones()[city.lower()]) for city in several)
    zone = _zones().get(name)
    if zone is None and (city := re.sub(r"^(?:the )?(?:city|state|country) of ", "", name)) != name:
        return read_place(city)
    if zone is None and (parts := _COUNTRY_AFTER.match(name)) is not None:
        # "Paris, France"; "Perth in Australia".
        if _known(parts[2]) and (zone := _zones().get(parts[1])) is not None:
            return (Place(write_place(parts[1]), zone),)
        return ()
    return () if zone is None else (Place(write_place(name), zone),)


def may_be_place(text: str) -> bool:
    """Whether a text is short enough to be the name of a place and no other thing."""
    name = _plain(text)
    return bool(read_place(name)) or (
        0 < len(name) <= LONGEST and len(name.split()) <= 4 and not _NO_PLACE.search(name)
    )


def write_place(text: str) -> str:
    """The name of a place with its capitals."""
    name = _plain(text)
    written: str | None = _data()["written"].get(name)
    if written is not None:
        return written
    words = [word if word in _SMALL else word[:1].upper() + word[1:] for word in name.split()]
    return " ".join([words[0] if words[0] == "the" else words[0][:1].upper() + words[0][1:],
                     *words[1:]]) if words else ""  # fmt: skip


def _plain(text: str) -> str:
    name = " ".join(text.lower().replace("\u2019", "'").split()).strip(" .,?!")
    while (shorter := _TRAILING.sub("", name)) != name:
        name = shorter
    return name


def _known(name: str) -> bool:
    return name in _zones() or name in _data()["several"]


@cache
def _data() -> Mapping[str, Any]:
    path = files("lobug.language") / "en" / "places.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _zones() -> Mapping[str, str]:
    """Zones by the names of places in them, in lower case."""
    found: dict[str, str] = dict(_data()["cities"])
    for zone, names in _data()["zones"].items():
        found.update(dict.fromkeys((name.strip() for name in names.split(",")), zone))
    for zone in sorted(available_timezones()):
        area, _, city = zone.partition("/")
        if area in _AREAS and city:
            found.setdefault(city.rpartition("/")[2].replace("_", " ").lower(), zone)
    return found
