"""Nothing that reads text takes the square of its length: what people say and models write is
hostile input.

Every regular expression of the package, found by walking over its modules, reads texts that make
careless ones slow, then texts eight times as long. Counted is how much longer that takes, in time
of this thread's processor: eight times as long where it is linear, 64 where it is quadratic. The
limit lies so far from both that a busy machine does not decide.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache, partial
from re import _parser as regex_parser  # type: ignore[attr-defined]
from types import ModuleType

import pytest

import lobug
from lobug.language.en import (
    claimed_deeds,
    fact_checks,
    forget_requests,
    mentions,
    orders,
    questions,
    speech_acts,
    words,
)
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.segmentation import clause_end, split_sentences
from lobug.language.en.speakable import drop_emotes, speakable
from lobug.language.en.speech_acts import explicit_statements
from lobug.language.en.spoken_form import spoken_form
from lobug.language.en.times import find_times
from lobug.language.en.turn_taking import completeness_of
from lobug.memory.exchange.export import escaped
from lobug.memory.index import turn_words
from lobug.memory.learning import extraction
from lobug.memory.recall import readings
from lobug.turn.echo import is_own_voice, without_own_voice
from lobug.turn.reply import ThinkingStripper

LENGTH = 1_024
TIMES = 8
"""The longer texts are so many times as long."""
MOST_GROWTH = 24.0
"""Linear is 8, quadratic 64."""
MOST_ROUNDS = 20
WORTH_A_LOOK = 4.0
"""Times what it takes to cut a text into words; what is quicker cannot be quadratic."""

ELSEWHERE = ("lobug.simulator", "lobug.cli", "lobug.evaluation", "lobug.ota", "lobug.models")
"""Read only what this program or its owner has written."""

SHORT = {
    "lobug.language.en.speech_acts.CONTRAST": forget_requests.LONGEST,
    "lobug.language.en.segmentation._WORD_BEFORE": 16,
}
"""Patterns that are only ever given so many characters."""

BOUNDED = (
    "lobug.language.en.alert_",
    "lobug.language.en.arithmetic",
    "lobug.language.en.asked_units",
    "lobug.language.en.chance",
    "lobug.language.en.claimed_deeds.",
    "lobug.language.en.claims.",
    "lobug.language.en.clock_questions",
    "lobug.language.en.dice",
    "lobug.language.en.forget_requests.",
    "lobug.language.en.list_names",
    "lobug.language.en.list_references",
    "lobug.language.en.list_words",
    "lobug.language.en.named_days",
    "lobug.language.en.number_words",
    "lobug.language.en.orders.",
    "lobug.language.en.place_mentions",
    "lobug.language.en.places",
    "lobug.language.en.quantities",
    "lobug.language.en.said_numbers",
    "lobug.language.en.said_times",
    "lobug.language.en.skill_sentences",
    "lobug.language.en.skill_file",
    "lobug.language.en.speaking_words",
    "lobug.language.en.stories",
    "lobug.language.en.story_",
    "lobug.language.en.time_corrections",
    "lobug.language.en.word_problems",
    "lobug.skills.",
)
"""Patterns of these are given ``claims.english.LONGEST`` characters at most, or those of a command
or a request, with single spaces."""

UNITS = (
    *" \n\t",
    *"aA1.,!?'\"-_*`~#<>[](){}\\/:;@&=+|%$^",
    *"\u00e9\u3002\u2026\u2014\u2019\u200d\u2160\U0001f600",
    *("a ", "A ", "1 ", "1,", "1.", "a.", "A.", "the ", "a-", " -", "* ", "*a", "_a", "a_", "(a"),
    *("[a", "[a](", "<a", "<a ", "</a", "<think>", "<!--", "``", "~~a", '{"', '"a', "'a", "no "),
    *("not ", "my ", "i ", "is ", "a'", "a\u2019", "1:", "1/", "1-", "$1", "I", "a@a.", "http://"),
    *("a, ", ", ", "? ", ". ", "\n ", "\n\n", " \n", "\n- ", "|-", "| ", "# ", "& ", "= ", "a="),
    *("&a", "&#1", "\\a", "[^a", "![", "1 - ", "1x", "Aa ", "12", "1st ", "x <= ", ", but "),
)
OPENINGS = (
    "a",
    "1",
    "(",
    "[",
    "*",
    '"',
    "$1",
    "I ",
    "The user ",
    "no",
    "[ignore:",
    "```",
    "|",
    "a(",
)
STRANGE = "\u0001"
"""Ends what was expected to go on."""
PUMPS = (" ", "a", "a ", "1", "\n", "-", ".", "\t")


@cache
def modules() -> tuple[ModuleType, ...]:
    found = pkgutil.walk_packages(lobug.__path__, "lobug.")
    names = [info.name for info in found if not info.name.startswith(ELSEWHERE)]
    return tuple(importlib.import_module(name) for name in names if name != "lobug.__main__")


def inside(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """Patterns in a value of a module, also within tables of them."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif depth < 4 and isinstance(value, dict):
        for part in (*value.keys(), *value.values()):
            yield from inside(part, depth + 1)
    elif depth < 4 and isinstance(value, tuple | list | set | frozenset):
        for part in value:
            yield from inside(part, depth + 1)


METHODS = {"match", "fullmatch", "search", "sub", "split", "findall", "finditer"}


@cache
def uses() -> dict[tuple[str, str], set[str]]:
    """The methods that are called on, or taken of, each name: of private ones by module."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module in modules():
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                value = node.value
                name = value.id if isinstance(value, ast.Name) else value.attr
                found[_key(module, name)].add(node.attr)
    return found


def _key(module: ModuleType, name: str) -> tuple[str, str]:
    return (module.__name__ if name.startswith("_") else "", name)


@cache
def patterns() -> dict[str, tuple[re.Pattern[str], bool]]:
    """All patterns by where they are, and whether they look through a whole text; else they are
    only tried at its beginning."""
    found: dict[str, tuple[re.Pattern[str], bool]] = {}
    seen: set[re.Pattern[str]] = set()
    for module in modules():
        for name, value in vars(module).items():
            held = [pattern for pattern in inside(value) if pattern not in seen]
            seen.update(held)
            methods = uses()[_key(module, name)] & {
                "match",
                "fullmatch",
                "search",
                "sub",
                "split",
                "findall",
            }
            looks = not isinstance(value, re.Pattern) or not methods <= {"match", "fullmatch"}
            looks = looks or not methods
            for number, pattern in enumerate(held):
                place = f"{module.__name__}.{name}" + (f"[{number}]" if len(held) > 1 else "")
                found[place] = (pattern, looks)
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            inline = _inline(node)
            if inline is not None:
                looks = inline[1] not in ("match", "fullmatch")
                found.setdefault(f"{module.__name__}: {inline[0].pattern}", (inline[0], looks))
    return found


def _inline(node: ast.AST) -> tuple[re.Pattern[str], str] | None:
    """The pattern of ``re.sub(r"...", ...)`` and its like, and the method."""
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr not in ("compile", "escape")
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ):
        return None
    ignore = any(
        "IGNORECASE" in ast.dump(word) or "'I'" in ast.dump(word) for word in node.keywords
    )
    return re.compile(str(node.args[0].value), re.IGNORECASE if ignore else 0), node.func.attr


def literals(pattern: re.Pattern[str]) -> list[str]:
    """Words that stand in a pattern, shortest first."""
    found: set[str] = set()

    def walk(part: object) -> None:
        if isinstance(part, regex_parser.SubPattern):
            run = ""
            for code, value in [*part, (None, None)]:
                if str(code) == "LITERAL":
                    run += chr(value)
                    continue
                if run:
                    found.add(run)
                run = ""
                walk(value)
        elif isinstance(part, list | tuple):
            for inner in part:
                walk(inner)

    walk(regex_parser.parse(pattern.pattern, pattern.flags))
    return sorted(found, key=lambda literal: (len(literal), literal))[:12]


def hostile(pattern: re.Pattern[str]) -> list[tuple[str, str, str]]:
    """Texts as what they begin with, what is repeated in them, and how they end."""
    words = literals(pattern)
    texts = [("", unit, "") for unit in (*UNITS, *words, *(f"{word} " for word in words))]
    texts += [("", unit, STRANGE) for unit in UNITS if len(unit) == 1]
    texts += [(start, pump, STRANGE) for start in (*OPENINGS, *words) for pump in PUMPS]
    texts += [("a" * 8, pump, "x") for pump in (" ", "\t", "\n", ".", "!", "*")]
    return texts


def written(text: tuple[str, str, str], length: int) -> str:
    start, unit, end = text
    return start + unit * (length // len(unit)) + end


def duration(work: Callable[[str], object], text: str, runs: int = 1) -> float:
    """Seconds of this thread's processor, the least of several runs."""
    best = float("inf")
    for _ in range(runs):
        began = time.thread_time()
        work(text)
        best = min(best, time.thread_time() - began)
    return best


def look_through(pattern: re.Pattern[str], looks: bool, text: str) -> None:
    if looks:
        for _ in pattern.finditer(text):
            pass
    else:
        pattern.match(text)
        pattern.fullmatch(text)


@cache
def reference() -> float:
    """What it takes to cut a text of ``LENGTH`` into words, seconds."""
    by_words = re.compile(r"\w+|\s+")
    return duration(by_words.findall, "ab " * (LENGTH // 3), runs=7)


def grows(
    work: Callable[[str], object], text: tuple[str, str, str], length: int, least: float
) -> float | None:
    """How many times longer ``TIMES`` the text takes, where that is too much.

    A busy machine makes a run longer, never shorter, so both lengths are measured in turns until
    the quickest runs of both are within bounds, or ``MOST_ROUNDS`` say that they are not.
    """
    short = written(text, length)
    if duration(work, short) < least:
        return None
    taken = duration(work, short, runs=3)
    if taken < least:
        return None
    long = written(text, TIMES * length)
    longer = float("inf")
    for _ in range(MOST_ROUNDS):
        longer = min(longer, duration(work, long))
        if longer <= MOST_GROWTH * taken:
            return None
        taken = min(taken, duration(work, short))
    return longer / taken


def test_all_patterns_are_found() -> None:
    assert len(patterns()) > 250
    for name in (
        "lobug.language.en.speakable._CALL",
        "lobug.language.en.speech_acts.THREE_WORDS",
    ):
        assert name in patterns()
    assert "lobug.language.en.spoken_form._SIGNS[0]" in patterns()
    assert set(SHORT) <= set(patterns())


@pytest.mark.parametrize("careless", [r"\s+x", r"^[ \t]*;?[ \t]*$", r"\w+@"])
def test_a_quadratic_pattern_would_be_found(careless: str) -> None:
    pattern = re.compile(careless)
    work = partial(look_through, pattern, True)
    least = WORTH_A_LOOK * reference()
    assert any(grows(work, text, LENGTH, least) for text in hostile(pattern))


def test_no_pattern_takes_the_square_of_a_text() -> None:
    least = WORTH_A_LOOK * reference()
    slow = []
    for place, (pattern, looks) in patterns().items():
        if place in SHORT or place.replace(": ", ".", 1).startswith(BOUNDED):
            continue
        work = partial(look_through, pattern, looks)
        for text in hostile(pattern):
            growth = grows(work, text, LENGTH, least)
            if growth is not None:
                slow.append(f"{place} on {text}: {growth:.1f} times for {TIMES} times the text")
                break
    assert slow == []


def all_clauses(text: str) -> None:
    at: int | None = 0
    while at is not None and at < len(text):
        at = clause_end(text, at, 60, final=True)


def think(text: str) -> None:
    stripper = ThinkingStripper()
    stripper.feed(text)
    stripper.flush()


READERS: dict[str, Callable[[str], object]] = {
    "analysis.asked": turn_words.analyse_question,
    "claims.read": CLAIMS.read,
    "claims.read_fact": CLAIMS.read_fact,
    "claims.read_question": CLAIMS.read_question,
    "claims.read_topic": CLAIMS.read_topic,
    "claims_deed": claimed_deeds.claims_deed,
    "clause_end": all_clauses,
    "completeness_of": completeness_of,
    "consolidation.cut": lambda text: list(extraction.pieces([text])),
    "drop_emotes": drop_emotes,
    "escaped": escaped,
    "find_times": find_times,
    "forget_requests.read": forget_requests.read,
    "gaps.explicit_statements": explicit_statements,
    "guards.clauses": fact_checks.clauses,
    "is_own_voice": lambda text: is_own_voice(text, [text]),
    "may_become_claim": claimed_deeds.may_become_claim,
    "mentions.of_request": mentions.of_request,
    "orders.read": orders.read_order,
    "questions.read": questions.analyse,
    "readings.slots_in": readings.slots_in,
    "speakable": speakable,
    "speech_acts.sentences": speech_acts.sentences,
    "speech_acts.statements": speech_acts.statements,
    "split_sentences": split_sentences,
    "split_statements": speech_acts.split_statements,
    "spoken_form": spoken_form,
    "third person": questions.in_third_person,
    "thinking": think,
    "without_own_voice": lambda text: without_own_voice(text, ["I said " + text]),
    "words.content_words": words.content_words,
}
REPEATED = (
    " ",
    "a ",
    "no ",
    "my ",
    "1 ",
    "1,",
    "a, ",
    "e.g. ",
    ". ",
    "-",
    "*",
    '"a',
    "(",
    "y",
    "\n",
)


@pytest.mark.parametrize("name", READERS)
def test_what_reads_text_does_so_in_proportion(name: str) -> None:
    work = READERS[name]
    for unit in ("a ", " "):
        work(written(("", unit, ""), LENGTH))  # tables that are made once
    for unit in REPEATED:
        text = ("so ", unit, " x")
        assert grows(work, text, LENGTH, WORTH_A_LOOK * reference()) is None, (name, unit)
