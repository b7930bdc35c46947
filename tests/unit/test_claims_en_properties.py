"""The reader of statements on any text: no exception, no invented word, no dropped negation."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lobug.language.claims import ANY_RELATION
from lobug.language.en.claims import reader
from lobug.language.en.claims.relation_book import relation_book

WORDS = (
    "I I'm I've my we our she he it they his her Hanna Rex Rome Bosch sister brother dog cat car "
    "name is was are am be been have has had got do does did not don't isn't never no any more "
    "anymore longer live lives lived work works moved from to in at on with called and but or so "
    "because if when who that not but , . ! ? ; : - 's ' \" two 34 1990 Monday June last week "
    "vegan smoke quit stopped sold bought love hate allergic nuts actually sorry wrong meant think "
    "maybe no yes a an the of for only just now used will won't can't would"
).split(" ")
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
ANY = st.one_of(st.text(max_size=300), SENTENCES)


def stems(text: str) -> set[str]:
    return {word[:3] for word in re.findall(r"[^\W_]+", text.lower())}


@given(ANY)
@example("My brother, a plumber, lives in Leeds.")
@settings(max_examples=400, deadline=None)
def test_any_text_is_read(text: str) -> None:
    reader.read(text)
    reader.read_fact(text)


@given(ANY)
@settings(max_examples=400, deadline=None)
def test_values_have_only_words_of_the_text(text: str) -> None:
    book = relation_book()
    known = stems(text) | {"in"}
    heard = reader.read(text)
    for claim in heard.claims:
        assert claim.value in book.constants or stems(claim.value) <= known
        assert stems(claim.instead_of or "") <= known
        assert claim.relation in {*book.by_id, ANY_RELATION}
    for fragment in heard.fragments:
        assert stems(fragment.value) <= known


STATEMENTS = (
    "I {live} in Rome",
    "I {work} at Bosch",
    "I {smoke}",
    "I {like} olives",
    "I {have} a dog",
    "I {have} two kids",
    "I {am} vegan",
    "I {am} allergic to nuts",
    "I {am} a nurse",
    "I {am} 34",
    "I {am} married",
    "I {speak} French",
    "I {play} the piano",
    "my sister {is} called Hanna",
    "my sister {is} a nurse",
    "my name {is} Alex",
    "my keys {are} in the kitchen",
    "Hanna {is} pregnant",
    "my dentist appointment {is} on Tuesday",
    "I {take} insulin",
    "I {believe} in God",
    "I {drive} a Volvo",
    "I {own} a boat",
    "I {support} Arsenal",
    "I {collect} stamps",
)
NEGATED = {
    "am": ("am not", "'m not", "am no longer", "was never", "am hardly", "am neither tall nor"),
    "is": ("is not", "isn't", "is no longer", "was never", "is hardly"),
    "are": ("are not", "aren't", "are no longer", "are never"),
    "have": (
        "don't have",
        "do not have",
        "have no more",
        "haven't got",
        "never had",
        "have never had",
    ),
}
OPENINGS = ("", "Well, ", "No, ", "Actually ", "By the way, ", "You know, ", "I think ")
ENDINGS = ("", " any more", ", sadly", " at the moment", ".", " and I have a cat")
OUTER = ("It's not true that {}", "I don't think {}", "Nobody says {}", "I doubt that {}")


def negations(statement: str) -> list[str]:
    verb = re.search(r"\{(\w+)\}", statement)
    assert verb is not None
    base = verb[1]
    forms = NEGATED.get(base) or (
        f"don't {base}",
        f"do not {base}",
        f"never {base}",
        f"no longer {base}",
        f"didn't {base}",
        f"have never {base}d",
        f"won't {base}",
        f"hardly {base}",
        f"used to {base}",
    )
    return [statement.replace(verb[0], form) for form in forms]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_negation_is_never_dropped(statement: str) -> None:
    positive = re.sub(r"[{}]", "", statement)
    held = {
        (claim.subject, claim.relation, claim.value)
        for claim in reader.read(positive).claims
        if claim.holds
    }
    assert held
    negated = [
        f"{opening}{text}{ending}"
        for text in negations(statement)
        for opening in OPENINGS
        for ending in ENDINGS
    ]
    for text in [*negated, *(outer.format(positive) for outer in OUTER)]:
        still = {
            (claim.subject, claim.relation, claim.value)
            for claim in reader.read(text).claims
            if claim.holds and not claim.past
        }
        assert not held & still, text


HOSTILE: dict[str, Callable[[int], str]] = {
    "commas": lambda n: "," * n,
    "spaced commas": lambda n: " ,a" * (n // 3),
    "my": lambda n: "my " * (n // 3),
    "owners": lambda n: "my sister's " * (n // 12),
    "quotes": lambda n: 'he said "' * (n // 9),
    "not": lambda n: "not " * (n // 4),
    "not but": lambda n: "not x but " * (n // 10),
    "and": lambda n: "I live in Rome and " * (n // 19),
    "names": lambda n: "Anna " * (n // 5),
    "times": lambda n: "I live in Rome" + " today" * (n // 6),
    "openings": lambda n: "no, " * (n // 4),
    "control": lambda n: "\x00\x1b " * (n // 3),
    "no spaces": lambda n: "a" * n,
    "apostrophes": lambda n: "'" * n,
    "full stops": lambda n: "I smoke. " * (n // 9),
    "who": lambda n: "my sister who lives " * (n // 20),
    "digits": lambda n: "1 " * (n // 2),
    "newlines": lambda n: "\n" * n,
    "brackets": lambda n: "([{<" * (n // 4),
    "the of": lambda n: "the name of " * (n // 12),
    "small letters": lambda n: "i live in rome i work at bosch " * (n // 31),
}


def calls(text: str) -> int:
    """The number of calls of Python functions for one text."""
    count = 0

    def counts(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        del frame
        count += event in {"call", "c_call"}

    sys.setprofile(counts)
    try:
        reader.read(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", HOSTILE)
def test_the_work_grows_with_the_length_alone(kind: str) -> None:
    make = HOSTILE[kind]
    reader.read(make(4000))
    short, long = calls(make(1000)), calls(make(4000))
    assert long <= 4 * 1.5 * short + 2000
