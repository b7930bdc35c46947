"""What is said of lists. Pure: values in, sentences out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lobug.agenda.lists import Added, ItemList
from lobug.language.en.list_names import title
from lobug.language.en.list_words import counted, joined, verb_for, was_for
from lobug.memory.model import HOUSEHOLD
from lobug.skills.list_access import Shelf, Target

READ_AT_ONCE = 8
"""Things that are read before Lo-Bug asks whether to go on."""

Phrase = Callable[..., str]
"""A sentence by its name, with its words filled in."""


def opened(sentence: str) -> str:
    """A sentence with a capital at its beginning."""
    return sentence[:1].upper() + sentence[1:]


def name_of(phrase: Phrase, one: ItemList | Target) -> str:
    """A list in a sentence: "your shopping list"."""
    name = one.name if isinstance(one, ItemList) else one.name.shown
    return phrase("households" if one.user == HOUSEHOLD else "your", title=title(name))


def added(phrase: Phrase, target: Target, came: Added) -> str:
    """What was put on a list, and what was on it already."""
    new = [item.content for item in came.items]
    old = [item.content for item in came.present]
    name = name_of(phrase, target)
    if not new:
        return opened(phrase("already_only", things=joined(old), be=verb_for(old), list=name))
    sentence = phrase("added_new" if came.created else "added", things=joined(new), list=name)
    if old:
        also = phrase("already", things=joined(old), be=verb_for(old))
        sentence = f"{sentence} {opened(also)}"
    return sentence


def read_out(
    phrase: Phrase, name: str, things: Sequence[str], *, more: bool = False
) -> tuple[str, tuple[str, ...]]:
    """The first things of a list in a sentence, and those that are left. ``more``: some were read
    before."""
    first, rest = tuple(things[:READ_AT_ONCE]), tuple(things[READ_AT_ONCE:])
    if len(rest) == 1:  # to ask about one thing would take longer than to say it
        first, rest = tuple(things), ()
    if rest:
        how = "rest_more" if more else "has_more"
        said = phrase(how, list=name, things=", ".join(first), count=_number(len(rest)))
    else:
        said = phrase("rest" if more else "has", list=name, things=joined(first))
    return opened(said), rest


def _number(count: int) -> str:
    return counted(count).partition(" ")[0]


def missing_list(phrase: Phrase, target: Target) -> str:
    """That there is no such list."""
    owner = phrase("household_has" if target.shared else "you_have")
    return phrase("no_list", owner=owner, list=title(target.name.shown))


def size(phrase: Phrase, one: ItemList) -> str:
    """How many things are on a list."""
    return opened(
        phrase(
            "number",
            be="is" if len(one.open) == 1 else "are",
            count=counted(len(one.open)),
            list=name_of(phrase, one),
        )
        if one.open
        else phrase("empty", list=name_of(phrase, one))
    )


def presence(phrase: Phrase, name: str, there: Sequence[str], missing: Sequence[str]) -> str:
    """Whether things are on a list."""
    if not missing:
        return phrase("on_it", things=joined(there), be=verb_for(there), list=name)
    if not there:
        last = "or" if len(missing) > 1 else "and"
        be = verb_for(missing[-1:]) if len(missing) > 1 else verb_for(missing)
        return phrase("not_on_it", things=joined(missing, last), be=be, list=name)
    return opened(
        phrase(
            "partly",
            there=joined(there),
            be_there=verb_for(there),
            list=name,
            missing=joined(missing),
            be_missing=verb_for(missing),
        )
    )


def gone(
    phrase: Phrase, how: str, name: str, things: Sequence[str], missing: Sequence[str]
) -> tuple[str, ...]:
    """What was taken or ticked off (``how``), and what was not there."""
    said = []
    if things:
        said.append(phrase(how, things=joined(things), list=name))
    if missing:
        be = "was" if len(missing) == 1 and verb_for(missing) == "is" else was_for(missing)
        where = phrase("was_not_on", things=joined(missing), be=be, list=name)
        said.append(opened(where))
    return tuple(said)


def all_lists(phrase: Phrase, shelf: Shelf) -> str:
    """Which lists there are."""
    if not shelf.every:
        return phrase("no_lists")
    named = [
        phrase("with_count", list=name_of(phrase, one), count=counted(len(one.open)))
        if one.open
        else phrase("with_none", list=name_of(phrase, one)).rstrip(",")
        for one in shelf.every
    ]
    return phrase("lists", be="is" if len(named) == 1 else "are", lists=joined(named))
