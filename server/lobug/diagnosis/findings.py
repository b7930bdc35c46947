"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How serious a finding is."""

    OK = "ok"
    WARN = "warn"
    """Lo-Bug runs, but something is missing or soon will be."""
    FAIL = "fail"
    """Lo-Bug does not run, or cannot talk."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    name: str
    level: Level
    message: str
    """What was found."""
    advice: str = ""
    """What to do about it; never empty for a warning or a failure."""

    def record(self) -> dict[str, str]:
        return {
            "name": self.name,
            "level": self.level.value,
            "message": self.message,
            "advice": self.advice,
        }


def ok(name: str, message: str) -> Finding:
    return Finding(name, Level.OK, message)


def warn(name: str, message: str, advice: str) -> Finding:
    """A finding that the owner should look at."""
    return Finding(name, Level.WARN, message, advice)


def fail(name: str, message: str, advice: str) -> Finding:
    """A finding that must be repaired."""
    return Finding(name, Level.FAIL, message, advice)
