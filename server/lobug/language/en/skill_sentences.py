"""The English sentences of skills, read from ``skills/*.yaml`` once.

Besides hassil's keys a file has:

- ``triggers``: a request without any of these words is not matched with the file's templates.
- ``choices``: what the chat model may choose where no sentence fits, by the name that the model
  uses: its ``intent``, what it ``does``, its ``arguments`` (of which some are ``required``,
  ``times`` or ``expressions`` of sums), the ``slots`` whose names differ from theirs,
  and ``examples``. The names are those of the ``frames``.
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
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

import yaml
from hassil import Intents

from lobug.language.en import templates
from lobug.language.en.alert_clauses import SKILL as ALERTS
from lobug.language.en.alert_clauses import with_days
from lobug.language.en.alert_cues import may_be_name
from lobug.language.en.alert_stories import story_matches
from lobug.language.en.arithmetic import read_sum
from lobug.language.en.asked_units import read_asked_conversion
from lobug.language.en.chance import asks_for_coin, read_throw
from lobug.language.en.clock_questions import read_clock_question
from lobug.language.en.dice import read_dice, read_whole_number
from lobug.language.en.named_days import read_day, read_moment, read_shift
from lobug.language.en.places import may_be_place, read_place
from lobug.language.en.quantities import is_money, is_sterling, read_quantity, read_unit
from lobug.language.en.requests import LONGEST, core_request, requests_in
from lobug.language.en.said_numbers import is_sum_of
from lobug.language.en.said_orders import Frame, arguments, plain_words, slots
from lobug.language.en.said_times import said_time
from lobug.language.en.time_corrections import settled
from lobug.language.en.times import find_times
from lobug.language.en.word_problems import read_word_problem
from lobug.language.moments import Found
from lobug.language.order_reader import OrderReader, Reading, load_order_reader, reader_folder
from lobug.language.skills import Choice, Match

ORDINARY = "Ordinary"
"""Begins the names of intents that keep a text from being taken for the skill."""
UNKNOWN = 0.5
"""Certainty below which the reader does not know what a text means, and templates decide."""
FOLLOWS = "follows"
"""A slot of templates that only fit behind a turn about the same skill."""
POSSIBLE = 0.1
"""Probability of a frame from which a template or the chat model may decide for it."""
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
READERS: Mapping[str, Callable[[str], Match | None]] = {"clock": read_clock_question}
"""By skill, readers of whole texts: for questions that refer to what is said elsewhere in the text,
which a template cannot see."""

STORIES: Mapping[str, Sequence[tuple[str, Callable[[str], object]]]] = {
    "sums": (
        ("TellCoin", asks_for_coin),
        ("TellDice", read_throw),
        ("TellConversion", read_asked_conversion),
        ("TellSum", read_word_problem),
    ),
}
"""Readers of a whole text that no template of a skill fits, with the intents that they find."""


_OF_OTHERS = re.compile(r"(?<!you )(?<!just )\b(?:said|shouted|yelled)\b", re.IGNORECASE)
"""Tells what somebody else said: "Slow down, the policeman said"."""
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


class EnglishSkillSentences:
    """The sentences of all skills that have a file."""

    @cached_property
    def _files(self) -> Mapping[str, SkillFile]:
        folder = files("lobug.language.en") / "skills"
        return {
            path.name.removesuffix(".yaml"): _read(
                path.name.removesuffix(".yaml"), yaml.safe_load(path.read_text(encoding="utf-8"))
            )
            for path in sorted(folder.iterdir(), key=lambda path: path.name)
            if path.name.endswith(".yaml")
        }

    @cached_property
    def _reader(self) -> OrderReader:
        return load_order_reader(reader_folder("lobug.language.en"))

    def matches(self, text: str, skills: Sequence[str]) -> Iterator[Match]:
        """The intents of ``skills`` that a text may mean, the surest first; none: no sentence fits.

        The trained reader says which frame a text is, and templates of other frames do not count
        against it. Of what is left, templates come first, which know more than what is quoted.
        """
        known = [self._files[skill] for skill in skills if skill in self._files]
        text = " ".join(text.split())
        if len(text) > LONGEST:  # the readers of whole texts are not made for more
            yield from self._of_requests(text, known)
            return
        plain = settled(text)
        reading = self.reading(plain)
        timed = any(one.argument == "time" for one in reading.quotations)
        whole = {text, core_request(text)}
        late = []
        for file in known:
            read = READERS.get(file.skill)
            if read is not None and (referring := read(text)) is not None:
                yield referring
        for match in self._of_templates(text, known):
            if match.intent.startswith(ORDINARY):
                return
            if not self._allows(reading, match, whole=match.request in whole):
                continue
            if timed and not match.times and self._files[match.skill].cut_times:
                late.append(match)  # the time stands elsewhere in the text
            else:
                yield match
        yield from self._of_reading(reading, plain, known)
        yield from late

    def _of_templates(self, text: str, known: Sequence[SkillFile]) -> Iterator[Match]:
        """What templates and readers of whole texts find, the surest first: a longer request in
        the text is surer than a shorter one, and of several templates the one with the fewest free
        words."""
        if any(file.skill == ALERTS for file in known):
            named = with_days(text)
            yield from story_matches(named)
            if named != text:
                yield from self._of_requests(named, [self._files[ALERTS]])
        yield from self._of_requests(text, known)
        for file in known:
            for intent, tells in STORIES.get(file.skill, ()):
                if tells(text) not in (None, False):
                    yield Match(file.skill, intent, {}, text)

    def reading(self, text: str) -> Reading:
        """What the trained reader takes a text for."""
        return self._reader.read(text)

    def _allows(self, reading: Reading, match: Match, *, whole: bool) -> bool:
        """Whether a template's intent may be what a text means, as the reader sees it.

        An intent of no frame, such as a follow-up that only a conversation makes clear, always may;
        so may one that fits the ``whole`` text, unless the reader is sure of something else and
        some words are free.
        """
        if FOLLOWS in match.slots or reading.certainty < UNKNOWN:
            return True
        frames = self._frames_of[match.skill].get(match.intent, ())
        likely = max((reading.others.get(frame, 1.0) for frame in frames), default=1.0)
        known = self._files[match.skill].frames
        exact = not match.slots or any(known[frame].exact for frame in frames if frame in known)
        return likely >= POSSIBLE or (whole and (exact or not reading.is_sure))

    @cached_property
    def _frames_of(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """The frames of each intent, by skill."""
        return {
            skill: {
                intent: tuple(
                    of
                    for name, frame in file.frames.items()
                    if intent in frame.intents
                    for of in (name, *frame.also)
                )
                for frame in file.frames.values()
                for intent in frame.intents
            }
            for skill, file in self._files.items()
        }

    def _of_reading(
        self, reading: Reading, text: str, known: Sequence[SkillFile]
    ) -> Iterator[Match]:
        """What a reading means to some skills, if it is certain enough."""
        of_frame = [file for file in known if reading.frame in file.frames]
        if not of_frame or not reading.is_sure:
            return
        (file,) = of_frame
        frame = file.frames[reading.frame]
        if frame.asked or (frame.is_bare and _OF_OTHERS.search(text)):
            return
        said = arguments(reading, text)
        found = slots(frame, said) if frame.slots or not frame.plain else None
        if found is not None:
            yield Match(file.skill, frame.intents[0], found, text, chosen=True)
        plain = plain_words(frame, said, text)
        if plain is not None:
            ranked = sorted(file.matches(plain), key=lambda ranked: ranked[0])
            yield from (match for _, match in ranked if match.intent in frame.intents)

    def _of_requests(self, text: str, known: Sequence[SkillFile]) -> Iterator[Match]:
        """What the requests in a text mean to some skills, the longest request first. A match of an
        Ordinary intent says that the text is no order, whatever else it looks like."""
        for request in requests_in(text):
            found = [ranked for file in known for ranked in file.matches(request)]
            for _, match in sorted(found, key=lambda ranked: ranked[0]):
                yield match

    def match(self, text: str, skills: Sequence[str]) -> Match | None:
        """The surest of ``matches``; None: no sentence fits."""
        return next(self.matches(text, skills), None)

    def choices(self, skill: str) -> Sequence[Choice]:
        """What the chat model may choose of a skill."""
        file = self._files.get(skill)
        return tuple(file.choices.values()) if file is not None else ()

    def may_choose(self, text: str, skills: Sequence[str]) -> Set[str]:
        """The names of the choices of ``skills`` that the trained reader thinks possible."""
        if len(text) > LONGEST:
            return frozenset()
        likely = self.reading(text).others
        return {
            name
            for skill in skills
            for name in (self._files[skill].choices if skill in self._files else ())
            if likely.get(name, 0.0) >= POSSIBLE
        }

    def is_sum_of(self, expression: str, text: str) -> bool:
        """Whether each number of an expression is in a text, or follows from its words."""
        return is_sum_of(expression, text)

    def said_time(self, quoted: str, text: str) -> str:
        """The words of a text for a time that is quoted from it, whole."""
        return said_time(quoted, text)

    def skills(self) -> Sequence[str]:
        """The names of the skills that have a file."""
        return tuple(self._files)

    def about(self, skill: str) -> str:
        """What a skill does, in one sentence; empty: it has no file."""
        file = self._files.get(skill)
        return file.about if file is not None else ""

    def says(self, skill: str) -> Mapping[str, str]:
        """What a skill says, by name. KeyError: it has no file."""
        return self._files[skill].says

    def examples(self, skill: str) -> Sequence[str]:
        """Sentences that show what a skill can do; the first ones are the most telling."""
        file = self._files.get(skill)
        return file.examples if file is not None else ()


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


@lru_cache
def skill_sentences() -> EnglishSkillSentences:
    """The English sentences, read once."""
    return EnglishSkillSentences()


def _read(skill: str, data: dict[str, Any]) -> SkillFile:
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
