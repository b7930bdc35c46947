"""Sums that are hidden in a small story: "17 boxes with 23 tiles each, how many tiles is that?".
English. Pure.

A reading uses every number of the story. Where two kinds of sums are possible, none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from lobug.language.en.arithmetic import Sum, read_sum
from lobug.language.en.stories import Story, read_story
from lobug.language.en.story_division import (
    containers,
    lasting,
    paces,
    per_item,
    percentages,
    percents,
    shares,
)
from lobug.language.en.story_multiplication import areas, chains, periods, rates, recipes
from lobug.language.en.story_sums import (
    CONTAINERS,
    FUNCTION,
    GENERIC,
    nouns,
    stem,
    sum_of_story,
    two_amounts,
)

_CHANGE = re.compile(
    r"\b(?:left|still|to go|more|remain\w*|short|change|over|older|younger|taller|shorter|longer"
    r"|further|farther|heavier|lighter|dearer|cheaper|difference|to write|until|lost|lose|gained?"
    r"|to spare)\b"
)
_TOGETHER = re.compile(
    r"\b(?:altogether|all together|in total|in all|all told|total|combined|all in|now|together)\b"
)
_RATED = re.compile(
    r"\b(?:each|apiece|a piece|per|every|times|of (?:a|an|the)? ?#|by|at #|(?:a|an) (?:day|week"
    r"|month"
    r"|year|hour|minute|night))\b"
)


@lru_cache(maxsize=16)
def read_word_problem(text: str) -> Sum | None:
    """The sum that a story asks for; None: none, or more than one is possible."""
    story = read_story(text)
    if story is None or _asks_elsewhere(story):
        return None
    found = {asked for kind in _KINDS for asked in kind(story)}
    return found.pop() if len(found) == 1 else None


def _asks_elsewhere(story: Story) -> bool:
    """Whether the question is for things that the story does not count."""
    for match in re.finditer(r"\bhow (?:many|much) (?:more )?([a-z']+)", story.question):
        word = match[1]
        if word in GENERIC or re.fullmatch(CONTAINERS, word):
            continue
        if len(re.findall(rf"\b{re.escape(stem(word))}", story.outline)) < 2:
            return story.outline.count("#") > 2 or not re.match(
                r"how (?:many|much) (?:more )?[a-z']+(?: of [a-z]+)? (?:is|are|does|do|will"
                r"|would|have"
                r"|did|has|should|can|on)\b",
                match.string[match.start() :],
            )
    return False


_EXPLICIT = re.compile(
    r"#(?: ?%)?(?: (?:times|multiplied by|plus|minus|divided by|take away|x|of|over) #)+"
    r"(?! (?:years?|days?|weeks?|months?|times|in a row)\b)"
)


def _explicit(story: Story) -> Iterator[Sum]:
    """ "I need to know what 42 times 18 is for the form"."""
    found = _EXPLICIT.search(story.outline)
    if (
        found is None
        or found.group().count("#") != len(story.amounts)
        or " out of" in found.group()
    ):
        return
    if re.search(r"(?<!%) (?:of|over) #", found.group()):
        return  # "two of seven", "two over three" may be anything
    values = iter(story.amounts)
    text = re.sub("#", lambda _: (amount := next(values)).sign + amount.value, found.group())
    asked = read_sum(text)
    if asked is not None:
        yield asked


def _differences(story: Story) -> Iterator[Sum]:
    """ "1,250 words and he wants 2,000, how many are to go?"; "born in 1948, this is 2026"."""
    both = two_amounts(story)
    if both is None:
        return
    first, second = sorted(both, key=lambda amount: -float(amount.value))
    years = all(re.fullmatch(r"1[89]\d\d|20\d\d|21\d\d", amount.value) for amount in both)
    if years:
        if re.search(r"\bhow (?:old|long|many years)\b", story.question):
            yield sum_of_story(
                f"{first.value}-{second.value}", f"{first.value} minus {second.value}"
            )
        return
    if not _CHANGE.search(story.question) or _RATED.search(story.outline):
        return
    things = [_content(words) for words in nouns(story)]
    if all(things) and things[0] != things[1]:
        return
    yield sum_of_story(f"{first.value}-{second.value}", f"{first.said} minus {second.said}", *both)


def _content(words: str) -> str:
    """The stem of what a number counts; empty: no word tells."""
    first = words.split(" ", maxsplit=1)[0]
    return "" if not first or first in FUNCTION else stem(first)


def _totals(story: Story) -> Iterator[Sum]:
    """ "I walked 3 miles this morning and 4 tonight, how far is that altogether?" """
    if len(story.amounts) < 2 or "#%" in story.outline or _RATED.search(story.outline):
        return
    if not _TOGETHER.search(story.question) or _CHANGE.search(story.question):
        return
    if re.search(r"\b(?:gave|lost|ate|used|sold|took|spent .* (?:of|from)|leav|without)\b",
                 story.outline):  # fmt: skip
        return
    if re.search(r"\bnow\b", story.question) and not re.search(
        r"\b(?:more|another|extra)\b", story.outline
    ):
        return
    things = {_content(words) for words in nouns(story)} - {""}
    money = {bool(amount.sign) for amount in story.amounts}
    if (len(things) > 1 and money != {True}) or (things and len(money) > 1):
        return
    said = " plus ".join(amount.said for amount in story.amounts)
    yield sum_of_story("+".join(amount.value for amount in story.amounts), said, *story.amounts)


_KINDS: tuple[Callable[[Story], Iterator[Sum]], ...] = (
    percents,
    percentages,
    shares,
    per_item,
    containers,
    rates,
    periods,
    chains,
    _explicit,
    lasting,
    paces,
    _differences,
    _totals,
    areas,
    recipes,
)
