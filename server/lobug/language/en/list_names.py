"""Names of lists: whose a list is, what it is called, and what it is found by. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from lobug.language.en.data import tables
from lobug.language.en.list_words import tells
from lobug.language.en.words import stem

_DATA: Any = tables("lists.toml")
_WORDS: Any = _DATA["words"]
_SAME: dict[str, str] = {
    wording: shown for shown, every in _DATA["same_list"].items() for wording in every
}
_HOUSEHOLD = frozenset(_WORDS["household"])
_OWN = frozenset(_WORDS["own"])
_LISTED = re.compile(r"\blists?\b", re.IGNORECASE)
_SMALL = frozenset("of for to the a an and with my our list lists this that".split())


@dataclass(frozen=True, slots=True)
class NamedList:
    """A list as somebody speaks of it."""

    whose: Literal["own", "household"] | None
    """None: "the list", "that list"."""
    name: str | None
    """As it would be shown: "shopping", "list of films to watch"; None: just "the list"."""


def named_list(
    whose: str | None, name: str | None, rest: str | None = None, *, link: str = "for"
) -> NamedList:
    """The list in the words of a template: "my", "Christmas", "Anna" of "my Christmas list for
    Anna"."""
    words = " ".join((whose or "").lower().replace("\u2019", "'").split())
    owner: Literal["own", "household"] | None = None
    if words in _HOUSEHOLD:
        owner = "household"
    elif words in _OWN:
        owner = "own"
    name = _LEADING_ARTICLE.sub("", " ".join((name or "").split()))
    rest = " ".join((rest or "").split()).strip(" .,;:!?\"'")
    if link == "for" and rest.lower() in {"us", "me"}:
        rest = ""
    if rest and link in {"called", "named"}:
        return NamedList(owner, shown_name(rest))
    if rest:
        head = f"{name} list" if name else "list"
        if not name and rest.lower() in _SAME:
            return NamedList(owner, _SAME[rest.lower()])
        return NamedList(owner, f"{head} {link} {rest}")
    return NamedList(owner, shown_name(name) if name else None)


_LEADING_ARTICLE = re.compile(r"^(?:the|a|an|my|our|this|that|new)\s+", re.IGNORECASE)


def shown_name(name: str) -> str:
    """The name of a list as it is shown: "groceries", "my shopping list" are "shopping"."""
    text = " ".join(name.replace("\u2019", "'").split()).strip(" .,;:!?\"'")
    text = _LEADING_ARTICLE.sub("", text)
    bare = re.sub(r"\s+list$", "", text, flags=re.IGNORECASE)
    bare = bare or text
    return _SAME.get(bare.lower(), bare)


def list_key(name: str) -> str:
    """What a list is found by: "Groceries" and "the shopping list" have the same key."""
    shown = shown_name(name)
    low = re.sub(r"^list of\s+", "", shown.lower())
    low = _SAME.get(low, low)
    found = [word for word in re.findall(r"[^\W_]+", low.replace("'s", "")) if word not in _SMALL]
    return " ".join(stem(_WORDS["same_words"].get(word, word)) for word in found) or low


def title(name: str) -> str:
    """A list's name in a sentence: "shopping list"."""
    return name if _LISTED.search(name) else f"{name} list"


def best_match(asked: str, keys: Iterable[str]) -> str | None:
    """The key of the list that is meant by a key: its own, or the only one that has all its words.
    None: none, or several."""
    every = list(keys)
    if asked in every:
        return asked
    wanted = frozenset(asked.split())
    found = [key for key in every if wanted and wanted <= frozenset(key.split())]
    return found[0] if len(found) == 1 else None


def is_list_name(name: str | None, most_words: int) -> bool:
    """Whether words may be the name of a list; None ("the list") may."""
    if name is None:
        return True
    found = name.lower().replace("\u2019", "'").split()
    if not 0 < len(found) <= most_words or found[0] in _NO_LIST:
        return False
    if not _NOT_IN_NAMES.isdisjoint(found) or found == ["list"]:
        return False
    return not tells(name) and not (len(found) > 2 and found[-1] in {"a", "the", "my", "our"})


_NOT_IN_NAMES = frozenset("on onto from off instead into then please".split())
_NO_LIST = frozenset(_WORDS["no_list"].split())


def is_text_order(name: str) -> bool:
    """Whether "make a list of ..." asks for a text: "list of healthy snacks", as opposed to "list
    of films to watch"."""
    of = re.match(r"list of\s+(.+)$", name, re.IGNORECASE)
    return of is not None and re.search(r"\bto\s+\w+|\bi\b|\bmy\b|\bour\b|\bwe\b", of[1]) is None


def spoken_list(said: str) -> NamedList:
    """The list in an answer: "the shopping list", "mine"."""
    text = " ".join(said.replace("\u2019", "'").split()).strip(" .,;:!?")
    low = text.lower()
    whose = next(
        (
            one
            for one in sorted(_OWN | _HOUSEHOLD, key=len, reverse=True)
            if low == one or low.startswith(f"{one} ")
        ),
        None,
    )
    if whose is not None:
        text = text[len(whose) :].strip()
    text = re.sub(r"^(?:on|to|from|the)\s+", "", text, flags=re.IGNORECASE)
    name = None if text.lower() in {"", "list", "one", "ones"} else text
    return named_list(whose, name)
