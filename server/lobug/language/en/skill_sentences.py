"""Which intents of skills a text means: templates and the trained reader together. English.

``skill_file.py`` says what the file of a skill has.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from importlib.resources import files

import yaml

from lobug.language.en.alert_clauses import SKILL as ALERTS
from lobug.language.en.alert_clauses import with_days
from lobug.language.en.alert_stories import story_matches
from lobug.language.en.asked_units import read_asked_conversion
from lobug.language.en.chance import asks_for_coin, read_throw
from lobug.language.en.clock_questions import read_clock_question
from lobug.language.en.requests import LONGEST, asks, core_request, is_request, requests_in
from lobug.language.en.said_numbers import is_sum_of
from lobug.language.en.said_orders import CLAIMABLE, DEEDS, arguments, plain_words, slots
from lobug.language.en.said_times import said_time
from lobug.language.en.skill_file import SkillFile, read_skill_file
from lobug.language.en.time_corrections import settled
from lobug.language.en.times import find_times
from lobug.language.en.word_problems import read_word_problem
from lobug.language.order_reader import OrderReader, Reading, load_order_reader, reader_folder
from lobug.language.skills import Choice, Match

ORDINARY = "Ordinary"
"""Begins the names of intents that keep a text from being taken for the skill."""
UNKNOWN = 0.5
"""Certainty below which the reader does not know what a text means, and templates decide."""
FOLLOWS = "follows"
"""A slot of templates that only fit behind a turn about the same skill."""
EMPTY_KEPT = 512
"""Requests in which a skill found nothing that are remembered: those of the last turns."""
POSSIBLE = 0.1
"""Probability of a frame from which a template or the chat model may decide for it."""

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


class EnglishSkillSentences:
    """The sentences of all skills that have a file."""

    def __init__(self) -> None:
        self._empty: dict[bytes, None] = {}
        """Digests of requests in which a skill found nothing, with the skill. Not the requests:
        what is to be forgotten must not stay here in words."""

    @cached_property
    def _files(self) -> Mapping[str, SkillFile]:
        folder = files("lobug.language.en") / "skills"
        return {
            path.name.removesuffix(".yaml"): read_skill_file(
                path.name.removesuffix(".yaml"), yaml.safe_load(path.read_text(encoding="utf-8"))
            )
            for path in sorted(folder.iterdir(), key=lambda path: path.name)
            if path.name.endswith(".yaml")
        }

    @cached_property
    def _reader(self) -> OrderReader:
        return load_order_reader(reader_folder("lobug.language.en"))

    def matches(self, text: str, skills: Sequence[str]) -> Iterator[Match]:
        """The intents of ``skills`` that templates find in a text, the surest first; none: no
        sentence fits. A template of another frame than the trained reader's does not count."""
        known = [self._files[skill] for skill in skills if skill in self._files]
        text = " ".join(text.split())
        if len(text) > LONGEST:  # the readers of whole texts are not made for more
            yield from self._of_requests(text, known)
            return
        for file in known:
            read = READERS.get(file.skill)
            if read is not None and (referring := read(text)) is not None:
                yield referring
        yield from (match for match, late in self._allowed(text, known) if not late)

    def quoted(self, text: str, skills: Sequence[str]) -> Iterator[Match]:
        """The intents of ``skills`` that the trained reader is sure of, by quoting a text, the
        surest first; then those of templates that saw less of the text than it did."""
        known = [self._files[skill] for skill in skills if skill in self._files]
        text = " ".join(text.split())
        if len(text) > LONGEST:
            return
        if not self._is_ordinary(text, known):
            plain = settled(text)
            yield from self._of_reading(self.reading(plain), plain, known)
        yield from (match for match, late in self._allowed(text, known) if late)

    def _is_ordinary(self, text: str, known: Sequence[SkillFile]) -> bool:
        """Whether a template says that a text is no order, whatever it looks like."""
        whole = {text, core_request(text)}
        return any(
            match.intent.startswith(ORDINARY) and match.request in whole
            for match in self._of_templates(text, known)
        )

    def _allowed(self, text: str, known: Sequence[SkillFile]) -> Iterator[tuple[Match, bool]]:
        """What templates find and the reader does not contradict, with whether a time stands
        elsewhere in the text, so that the reader's finding knows more."""
        plain = settled(text)
        reading = self.reading(plain)
        timed = any(
            one.argument == "time" and find_times(plain[one.start : one.end])
            for one in reading.quotations
        )
        whole = {text, core_request(text)}
        for match in self._of_templates(text, known):
            fits = match.request in whole
            if match.intent.startswith(ORDINARY):
                if fits or not self._is_of_skill(reading):
                    return
            elif self._allows(reading, match, whole=fits):
                cuts = self._files[match.skill].cut_times
                yield match, timed and not match.times and cuts and reading.is_sure

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

    def _is_of_skill(self, reading: Reading) -> bool:
        """Whether the reader is sure that a text is for a skill."""
        return reading.is_sure and any(
            reading.frame in file.frames for file in self._files.values()
        )

    def orders_deed(self, text: str) -> bool:
        """Whether the reader is sure that a text orders what a reply could falsely claim to have
        done, whoever could do it."""
        reading = self.reading(text)
        return reading.is_sure and reading.frame in CLAIMABLE and is_request(text)

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
        if frame.asked or (frame.is_bare and (" " not in text or _OF_OTHERS.search(text))):
            return
        if reading.frame not in DEEDS and not asks(text):
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
            found = [ranked for file in known for ranked in self._ranked(file, request)]
            for _, match in sorted(found, key=lambda ranked: ranked[0]):
                yield match

    def _ranked(self, file: SkillFile, request: str) -> Sequence[tuple[tuple[int, int], Match]]:
        """What ``SkillFile.matches`` finds. A turn asks up to three times, mostly for nothing."""
        said = f"{file.skill} {request}".encode("utf-8", "surrogatepass")
        key = hashlib.sha256(said).digest()
        if key in self._empty:
            return ()
        found = file.matches(request)
        if not found:
            if len(self._empty) >= EMPTY_KEPT:
                self._empty.clear()  # in one step: several threads read sentences
            self._empty[key] = None
        return found

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


@lru_cache
def skill_sentences() -> EnglishSkillSentences:
    """The English sentences, read once."""
    return EnglishSkillSentences()
