"""The file of a skill: its sentences and templates, as ``skills/*.yaml`` has them.

Besides hassil's keys a file has:

- ``triggers``: a request without any of these words is not matched with the file's templates.
- ``choices``: what the chat model may choose where no sentence fits, by the name that the model
  uses: its ``intent``, what it ``does``, its ``arguments`` (of which some are ``required``,
  ``times`` or ``expressions`` of sums), the ``slots`` whose names differ from theirs,
  and ``examples``. The names are those of the ``frames``.
- ``frames``: what the trained reader knows of the skill; see ``said_orders.py``.
- ``about``: what it does, in one sentence, for the documentation.
- ``says``: what the skill says, by name; words in braces are filled in.
- ``examples``: what a person may say; tests match each.
- ``longest``: most characters of a request; without it ``requests.LONGEST``.
- ``checks``: names of lists, each with a reader of ``CHECKS``; a template fits only if the reader
  understands the words of the list.
- ``cut_times`` (true or false): times ("tomorrow at nine", "for ten minutes") are cut out of the
  request before it is matched, so that templates need not foresee where they stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hassil import Intents

from lobug.language.en import templates
from lobug.language.en.alert_cues import may_be_name
from lobug.language.en.arithmetic import read_sum
from lobug.language.en.dice import read_dice, read_whole_number
from lobug.language.en.named_days import read_day, read_moment, read_shift
from lobug.language.en.places import may_be_place, read_place
from lobug.language.en.quantities import is_money, is_sterling, read_quantity, read_unit
from lobug.language.en.requests import LONGEST
from lobug.language.en.said_orders import Frame
from lobug.language.en.time_corrections import settled
from lobug.language.en.times import find_times
from lobug.language.moments import Found
from lobug.language.skills import Choice, Match

MOST_READINGS = 8
"""Most readings of one request with the templates of one skill."""

CHECKS: Mapping[str, Callable[[str], object]] = {
    "alert_name": may_be_name,
    "day": read_day,
    "dice": read_dice,
    "moment": read_moment,
    "money": is_money,
    "number": read_whole_number,
    "place": read_place,
    "place_words": may_be_place,
    "quantity": read_quantity,
    "shift": read_shift,
    "sterling": is_sterling,
    "sum": read_sum,
    "unit": read_unit,
}
"""Readers of the words of a list; they return None, False or () if they do not understand them."""

_JOINT = re.compile(r"\s*,?\s*(?:and|or|&|then|,)?\s*", re.IGNORECASE)
_LONELY = re.compile(r"\s[,;:.!?]+\s")
"""Punctuation that stood at a time."""
_JOINT_AT_END = re.compile(r"(?:[\s,]+(?:and|or|&|then))+$", re.IGNORECASE)


@dataclass(frozen=True)
class SkillFile:
    """The sentences of one skill."""

    skill: str
    about: str
    """What it does, in one sentence."""
    intents: Intents
    triggers: re.Pattern[str]
    choices: Mapping[str, Choice]
    """What the chat model may choose, by name."""
    frames: Mapping[str, Frame]
    """What the trained order reader knows of the skill, by its name."""
    says: Mapping[str, str]
    examples: tuple[str, ...]
    checks: Mapping[str, Callable[[str], object]]
    """Readers by the names of lists."""
    cut_times: bool
    longest: int
    """Characters of a request; a longer one is not matched."""

    def matches(self, request: str) -> list[tuple[tuple[int, int], Match]]:
        """The readings of a request, the surest first, with their ranks: lower is surer."""
        if len(request) > self.longest or not self.triggers.search(request):
            return []
        if self.cut_times:
            request = settled(request)
        times = tuple(find_times(request)) if self.cut_times else ()
        rest = _without(times, request)
        readings: list[tuple[tuple[int, int], Match]] = []
        for result in templates.results(rest, self.intents):
            rank = (templates.free_words(result), -templates.literal(result))
            slots = templates.slots(rest, result)
            if self._understands(slots):
                match = Match(self.skill, result.intent.name, slots, request, times)
                readings.append((rank, match))
            if len(readings) >= MOST_READINGS:
                break
        return readings

    def _understands(self, slots: Mapping[str, str]) -> bool:
        """Whether the readers of the lists understand their words."""
        read = ((self.checks[name], words) for name, words in slots.items() if name in self.checks)
        return all(reader(words) not in (None, False, ()) for reader, words in read)


def _without(times: Sequence[Found], request: str) -> str:
    """A request without its times and without what joins them: "at five and at six"."""
    rest = request
    end = len(request)
    for place, found in reversed(list(enumerate(times))):
        after = times[place + 1].start if place + 1 < len(times) else end
        gap = request[found.end : after]
        joins = place + 1 < len(times) and _JOINT.fullmatch(gap) is not None
        rest = f"{rest[: found.start]} {rest[after if joins else found.end :]}"
    rest = _LONELY.sub(" ", " ".join(rest.split()))
    return _JOINT_AT_END.sub("", rest).strip(" ,;:.!?")


def read_skill_file(skill: str, data: dict[str, Any]) -> SkillFile:
    triggers = data.pop("triggers")
    about = data.pop("about", "")
    says = dict(data.pop("says", {}))
    examples = tuple(data.pop("examples"))
    checks = {name: CHECKS[reader] for name, reader in data.pop("checks", {}).items()}
    cut_times = bool(data.pop("cut_times", False))
    longest = int(data.pop("longest", LONGEST))
    choices = data.pop("choices", {})
    frames = data.pop("frames", {})
    return SkillFile(
        skill,
        about,
        Intents.from_dict(data),
        _any_of(triggers),
        {name: _choice(name, read) for name, read in choices.items()},
        {name: Frame.of(skill, read) for name, read in frames.items()},
        says,
        examples,
        checks,
        cut_times,
        longest,
    )


def _choice(name: str, read: Mapping[str, Any]) -> Choice:
    slots = read.get("slots", {})
    examples = [dict(example) for example in read.get("examples", ())]
    return Choice(
        name,
        read["intent"],
        read["does"],
        {argument: slots.get(argument, argument) for argument in read.get("arguments", ())},
        frozenset(read.get("required", ())),
        frozenset(read.get("expressions", ())),
        frozenset(read.get("times", ())),
        tuple(
            (example.pop("said"), {k: str(v) for k, v in example.items()}) for example in examples
        ),
    )


def _any_of(beginnings: Sequence[str], *, whole: bool = False) -> re.Pattern[str]:
    """A pattern of words that begin with one of these; of none if there are none. ``whole``: the
    words end there, but for a plural's s."""
    words = "|".join(re.escape(word) for word in sorted(beginnings, key=len, reverse=True))
    end = r"s?\b" if whole else ""
    return re.compile(rf"\b(?:{words}){end}" if words else r"(?!)", re.IGNORECASE)
