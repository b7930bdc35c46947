"""The libraries that firmware/platformio.ini pins, against what they declare to need themselves.

    python scripts/firmware_pins.py         exit code 1 and a sentence for each contradiction
    python scripts/firmware_pins.py DIR     first write firmware/libraries.json again, from the
                                            checkouts DIR/M5Unified, DIR/M5GFX ... at the pins

PlatformIO would find a contradiction as well, but only while it builds, which CI cannot; and where
the exact version of a dependency is pinned too, it takes that one without a word.
"""

from __future__ import annotations

import argparse
import configparser
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FIRMWARE = Path(__file__).parents[1] / "firmware"
FACTS = FIRMWARE / "libraries.json"

_VERSION = re.compile(r"\d+(?:\.\d+){0,2}")
_COMPARISON = re.compile(r"(>=|<=|!=|[<>=^~]?)\s*(\d+(?:\.\d+){0,2})")

Version = tuple[int, int, int]


class PinError(Exception):
    """A file says something that cannot be read; the text is a sentence for a person."""


@dataclass(frozen=True)
class Library:
    """What one version of a library says of itself in its library.json."""

    name: str
    version: str
    dependencies: Mapping[str, str]
    """Name of another library to the range that its version must be in."""


def read_pins(text: str) -> dict[str, str]:
    """Name to version of what platformio.ini names as OWNER/NAME@VERSION. Raises PinError."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    pins: dict[str, str] = {}
    for section in parser.sections():
        for line in parser.get(section, "lib_deps", fallback="").split("\n"):
            named, at, version = line.strip().partition("@")
            if not at:
                continue
            name = named.rpartition("/")[2].strip()
            if pins.setdefault(name, version.strip()) != version.strip():
                raise PinError(f"{name} is pinned to {pins[name]} and to {version.strip()}.")
    if not pins:
        raise PinError("platformio.ini pins no library.")
    return pins


def read_library(manifest: Mapping[str, Any]) -> Library:
    """A library.json, whose dependencies may be a list or a table. Raises PinError."""
    declared = manifest.get("dependencies") or {}
    if isinstance(declared, Mapping):
        dependencies = {str(name): str(version) for name, version in declared.items()}
    else:
        dependencies = {str(one["name"]): str(one.get("version", "*")) for one in declared}
    name, version = str(manifest.get("name", "")), str(manifest.get("version", ""))
    if not name or not _VERSION.fullmatch(version):
        raise PinError(f"A library.json names the library {name!r} in the version {version!r}.")
    return Library(name, version, dict(sorted(dependencies.items())))


def read_facts(text: str) -> list[Library]:
    """firmware/libraries.json. Raises PinError."""
    return [read_library(one) for one in json.loads(text)]


def contradictions(pins: Mapping[str, str], facts: Sequence[Library]) -> list[str]:
    """A sentence for each; empty when the pins go together and all is known of them."""
    known = {(library.name, library.version): library for library in facts}
    wrong = [
        f"libraries.json has facts of {name} {version}, which is not pinned."
        for name, version in known
        if pins.get(name) != version
    ]
    for name, version in pins.items():
        library = known.get((name, version))
        if library is None:
            wrong.append(f"libraries.json has no facts of {name} {version}, which is pinned.")
            continue
        for needed, wanted in library.dependencies.items():
            if needed not in pins:
                wrong.append(f"{name} {version} needs {needed}, which is not pinned.")
            elif not satisfies(pins[needed], wanted):
                wrong.append(f"{name} {version} needs {needed} {wanted}, not {pins[needed]}.")
    return wrong


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version is in a range as PlatformIO writes it: `>=0.2.17`, `^1.2`, `>1,<2`, `*`.

    Raises PinError for what is neither a version nor such a range.
    """
    here = _version(version)
    return all(_holds(here, part.strip(), wanted) for part in wanted.split(","))


def _holds(here: Version, part: str, wanted: str) -> bool:
    if part in ("", "*"):
        return True
    match = _COMPARISON.fullmatch(part)
    if match is None:
        raise PinError(f"{wanted!r} is no range of versions that this script understands.")
    sign, there = match[1], _version(match[2])
    if sign == "^":
        # The first figure that is not 0 stays.
        kept = next((place for place, figure in enumerate(there) if figure), 2) + 1
        return here >= there and here[:kept] == there[:kept]
    if sign == "~":
        kept = min(2, match[2].count(".") + 1)
        return here >= there and here[:kept] == there[:kept]
    return {
        ">=": here >= there,
        ">": here > there,
        "<=": here <= there,
        "<": here < there,
        "!=": here != there,
    }.get(sign, here == there)


def _version(text: str) -> Version:
    if not _VERSION.fullmatch(text):
        raise PinError(f"{text!r} is no version.")
    figures = [int(part) for part in text.split(".")]
    major, minor, patch = [*figures, 0, 0][:3]
    return major, minor, patch


def refresh(checkouts: Path, pins: Mapping[str, str]) -> str:
    """libraries.json anew. Raises PinError where a checkout is missing or is not at the pin."""
    libraries = []
    for name, version in sorted(pins.items()):
        manifest = checkouts / name / "library.json"
        if not manifest.is_file():
            raise PinError(f"{manifest} is missing: put {name} {version} there.")
        library = read_library(json.loads(manifest.read_text(encoding="utf-8")))
        if (library.name, library.version) != (name, version):
            raise PinError(f"{manifest} is of {library.name} {library.version}, not {version}.")
        libraries.append(asdict(library))
    return json.dumps(libraries, indent=2) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Do the pinned libraries go together?")
    parser.add_argument("checkouts", nargs="?", type=Path, help="write libraries.json from these")
    arguments = parser.parse_args()
    try:
        pins = read_pins((FIRMWARE / "platformio.ini").read_text(encoding="utf-8"))
        if arguments.checkouts is not None:
            FACTS.write_text(refresh(arguments.checkouts, pins), encoding="utf-8")
        wrong = contradictions(pins, read_facts(FACTS.read_text(encoding="utf-8")))
    except PinError as error:
        wrong = [str(error)]
    for line in wrong:
        sys.stdout.write(f"{line}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
