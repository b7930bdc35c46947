"""Which texts are meant for the house. English. Pure.

An order for something in the house, a question that only the house can answer, and an order or a
question that names one of its rooms or things. What is only told ("I turned on the light in the
kitchen") is not.
"""

from __future__ import annotations

import re

from lobug.language.en.data import tables
from lobug.language.en.orders import read_order
from lobug.language.en.requests import core_request, is_request, requests_in
from lobug.language.en.skill_sentences import skill_sentences
from lobug.language.en.speech_acts import is_command, is_question, sentences
from lobug.language.en.times.finder import find_times
from lobug.language.en.verbs import possible_bases
from lobug.language.house import LONGEST, ForHouse, HouseNames, name_words
from lobug.language.order_reader import TALK

MOST_QUESTION_WORDS = 16
"""Words of a question that names something of the house and may be meant for it."""

_DATA = tables("house.toml")
_DEEDS = frozenset(_DATA["deeds"])
_SURELY = re.compile("|".join(f"(?:{pattern})" for pattern in _DATA["surely"]))
_TALK = re.compile("|".join(f"(?:{pattern})" for pattern in _DATA["talk"]))
_TOLD = re.compile(_DATA["told"])
_CONDITION = re.compile(_DATA["condition"])
_VERBS = frozenset(_DATA["verbs"].split())
_OBJECT = re.compile(_DATA["object"])
_MINDING = re.compile(r"mind (\w+ing)\b")


def for_house(text: str, names: HouseNames) -> ForHouse | None:
    """Whether a text is meant for the house of these names, and how certainly; None: it is not."""
    text = " ".join(text.split())
    if not text or len(text) > LONGEST:
        return None
    request = _bare(text)
    marked, named = names.with_marks(request)
    if _SURELY.fullmatch(marked):
        return ForHouse("surely", request)
    order = read_order(text)
    if order is not None and order.deed in _DEEDS:
        if not named and skill_sentences().reading(text).is_surely(TALK):
            return None
        return ForHouse("surely", _order_in(text, request))
    if not named:
        return None
    first = marked.partition(" ")[0]
    orders = is_request(text) or _OBJECT.match(marked)
    if first in _VERBS and orders and not _TALK.fullmatch(marked):
        return ForHouse("surely", _order_in(text, request))
    asked = sentences(text)
    if len(asked) == 1 and is_question(request) and len(marked.split()) <= MOST_QUESTION_WORDS:
        return ForHouse("perhaps", request)
    return None


def _bare(text: str) -> str:
    """A text without politeness: "would you mind closing the blinds" is "close the blinds"."""
    request = core_request(text) or text
    minding = _MINDING.match(request)
    if minding is None:
        return request
    base = next((one for one in possible_bases(minding[1]) if one in _VERBS), None)
    return request if base is None else base + request[minding.end() :]


def _order_in(text: str, request: str) -> str:
    """The part of a text that orders, without what is only told before it: "it's dark, ...".

    The whole text where what stands before it may be a condition or a time: "in ten minutes, turn
    off the light" must not become "turn off the light".
    """
    if is_command(request):
        return request
    order = next(
        (part for part in requests_in(text) if is_command(part) and read_order(part)), None
    )
    if order is None:
        return request
    before, found, _ = request.partition(order)
    return order if found and _is_told(before) else request


def _is_told(before: str) -> bool:
    words = " ".join(name_words(before))
    return (
        _TOLD.fullmatch(words) is not None
        and not _CONDITION.search(words)
        and not find_times(before)
    )
