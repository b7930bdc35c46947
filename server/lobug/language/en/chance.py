"""Throws of dice and coins that somebody asks for in the middle of a story. English. Pure.

"We've lost the die, could you roll one for Nan?" asks for one die; "Heads I go, tails I stay, toss
one for me" for a coin.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lobug.language.en.dice import Dice, read_dice, read_whole_number
from lobug.language.en.number_words import in_digits
from lobug.language.en.requests import core_request, requests_in
from lobug.language.en.stories import LONGEST

_COIN = re.compile(r"\b(?:coin|heads|tails)\b", re.IGNORECASE)
_DIE = re.compile(r"\b(?:die|dice|d\d+)\b", re.IGNORECASE)
_FOR = (
    r"(?: (?:for|on behalf of)(?: my| our| the)? [a-z]+(?: and [a-z]+)?)?"
    r"(?: (?:then|now|again|please))?"
)
_TOSS = re.compile(
    rf"(?:toss|flip|spin)(?: me| us)? (?:it|one|that|a coin|the coin|my coin|for it){_FOR}",
    re.IGNORECASE,
)
_ROLL = re.compile(
    rf"(?:roll|throw|chuck|cast|shake|toss|give|do|have)(?: me| us)?(?: a (?:roll|throw) (?:of"
    rf"|on|with))?"
    rf" (?P<dice>[a-z\d -]+?){_FOR}",
    re.IGNORECASE,
)
_THEM = re.compile(r"(?:one|it|that|them|both|the thing)", re.IGNORECASE)
_BOTH_SIDES = re.compile(
    r"^\W*heads,? (?:i|we|it|he|she)\b.*\btails,? .*\b(?:go on|come on|what's it|which is it"
    r"|call it|you"
    r" decide|decide for me|what'll it be|let's see|what is it)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(\d+)[ -]sided (?:die|dice)|\b(d\d+)\b|\b(?:die|dice)\b")


@lru_cache(maxsize=16)
def asks_for_coin(text: str) -> bool:
    """Whether a text with a coin in it asks for a toss."""
    if len(text) > LONGEST or not _COIN.search(text):
        return False
    if _BOTH_SIDES.search(text):
        return True
    return any(_TOSS.fullmatch(request) for request in requests_in(text))


@lru_cache(maxsize=16)
def read_throw(text: str) -> Dice | None:
    """The dice that a text with dice in it asks to roll; None: it asks for none."""
    if len(text) > LONGEST or not _DIE.search(text):
        return None
    for request in requests_in(text):
        match = _ROLL.fullmatch(core_request(request))
        if match is None:
            continue
        if _THEM.fullmatch(match["dice"]):
            return _named(text, match["dice"].lower())
        count = read_whole_number(match["dice"])
        if count is not None:
            named = _named(text, "it")
            return None if named is None else Dice(count, named.sides)
        dice = read_dice(re.sub(r"\ba couple of\b", "two", match["dice"].lower()))
        if dice is not None:
            return dice
    return None


def _named(text: str, pronoun: str) -> Dice | None:
    """The die or dice that "one" or "both" stand for."""
    found = _NAMED.search(in_digits(text).replace("-sided", " sided"))
    if found is None:
        return None
    sides = int(found[1] or (found[2] or "d6")[1:])
    count = 2 if pronoun in {"both", "them"} else 1
    if pronoun == "them" and not re.search(r"\b(?:two|pair|both|2) ", text, re.IGNORECASE):
        return None
    return Dice(count, sides)
