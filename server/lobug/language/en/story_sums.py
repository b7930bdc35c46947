"""What the sums of stories are made from: products, quotients, and what a number counts. Pure."""

from __future__ import annotations

import re

from lobug.language.en.arithmetic import Sum
from lobug.language.en.stories import Amount, Story

CONTAINERS = (
    r"(?:box|boxes|carton|cartons|pack|packs|packet|packets|tray|trays|bag|bags|trip|trips|car|cars"
    r"|table|tables|bus|buses|coach|coaches|minibuses|row|rows|bottle|bottles|tin|tins|can|cans|jar"
    r"|jars|case|cases|crate|crates|roll|rolls|sheet|sheets|teams?|groups?|batch|batches|loads?"
    r"|tub|tubs|bundles?|punnets?|tents?|vans?|shelves|pages|sacks?|tubes?|multipacks?)"
)
GENERIC = frozenset(
    "is are do does did would will that it have has altogether in should i we money total of to"
    " more was am can could all have be they she he left for change longer further a an the"
    " does this so square cubic these those he'll i'll it'll".split()
)
RATE = re.compile(
    r"#(?!%)(?P<noun>(?:[ -](?!(?:a|an|per|every|each|and|or|for|in|on|at|but|is|are|to|of us)\b)"
    r"[a-z'-]+){0,3}?),? (?:in |on |for |to |inside )?(?:(?:each|apiece|a piece|a pop"
    r"|a go)\b(?! of us)"
    r"|(?:per|every|each|an?)(?: single| and every)? (?P<per>[a-z]+))"
)


def stem(word: str) -> str:
    word = f"{word[:-3]}f" if word.endswith(("lves", "eaves", "oaves")) else word
    for ending in ("ies", "ves", "es", "s", "e"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word


def sum_of_story(
    expression: str, said: str, *used: Amount, percent: bool = False, unit: str = ""
) -> Sum:
    money = "" if percent else next((amount.sign for amount in used if amount.sign), "")
    return Sum(expression, said, money, percent=percent, unit=unit)


def product(*factors: Amount, unit: str = "") -> Sum:
    ordered = sorted(factors, key=lambda amount: not amount.sign)
    return sum_of_story(
        "*".join(amount.value for amount in factors),
        " times ".join(amount.said for amount in ordered),
        *factors,
        unit=unit,
    )


def quotient(over: Amount, under: Amount, *, whole: bool = False) -> Sum:
    money = "" if over.sign and under.sign else over.sign
    said = f"{over.said} divided by {under.said}"
    return Sum(f"{over.value}/{under.value}", said, money, whole=whole)


def two_amounts(story: Story) -> tuple[Amount, Amount] | None:
    """Both amounts of a story that has two and no percentage."""
    if len(story.amounts) != 2 or "#%" in story.outline:
        return None
    return story.amounts[0], story.amounts[1]


def other_amount(story: Story, amount: Amount) -> Amount:
    first, second = story.amounts
    return second if amount is first else first


def nouns(story: Story) -> list[str]:
    """The words that follow each number, up to three."""
    found = []
    for after in story.outline.split("#")[1:]:
        words = re.match(r"%?((?:[ -][a-z'-]+){0,3})", after)
        found.append(words[1].strip() if words else "")
    return found


def counts(story: Story, per: str, amount: Amount) -> bool:
    """Whether an amount of the story counts what another one is for each of."""
    place = next(at for at, one in enumerate(story.amounts) if one is amount)
    return any(stem(word) == stem(per) for word in nouns(story)[place].split())


FUNCTION = frozenset(
    "a an the in on of for to and but so this that at by with from is are was were my his her our"
    " i we he she it they has have had or more another today yesterday tomorrow altogether"
    " already now then wants needs want need please left still"
    " before after last next as if when how what spent paid"
    " costs cost each".split()
)
