"""Things on lists: which are named, what stands for them, and how they are said. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from lobug.language.en.data import tables
from lobug.language.en.spoken_numbers import cardinal
from lobug.language.en.words import stem

_DATA: Any = tables("lists.toml")
_WORDS: Any = _DATA["words"]
_VERBS = frozenset(_WORDS["verbs"].split())
_NO_ITEM = frozenset(_WORDS["no_item"].split())
_PRONOUNS = frozenset(_WORDS["pronouns"].split())
_REFERENCES = frozenset(_WORDS["references"])
_SEARCHES = frozenset(_WORDS["searches"])
_FILLERS = frozenset(_WORDS["fillers"])
_LIST_VERBS = frozenset(_WORDS["list_verbs"].split())
_AMOUNTS = frozenset(_WORDS["amounts"].split())
_AMOUNT_STEMS = frozenset(map(stem, _AMOUNTS))
_PLAIN_STEMS = frozenset(map(stem, _WORDS["plain"].split()))
_PAIRS = re.compile(
    r"\b("
    + "|".join(
        re.escape(" ".join(pair.split())).replace(r"\ and\ ", r"\s+(?:and|&|n|'n'|'n)\s+")
        for pair in _WORDS["pairs"].split(";")
    )
    + r")(?!\w)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"[\"\u201c]([^\"\u201d]+)[\"\u201d]|(?<!\w)['\u2018]([^'\u2019]+)['\u2019](?!\w)"
)
_CUT = re.compile(
    r" ?[,;] ?(?:and\b|&|plus\b|also\b|or\b)? ?(?:also )?"
    r"| (?:and also|and then|and|&|plus|as well as|along with) ",
    re.IGNORECASE,
)
_NO = (
    r"no wait|no sorry|no actually|no|sorry|scratch that|oh wait|wait no|wait|actually no|actually"
)
_DASHES = r"[\s,.\u2013\u2014-]"
_REPLACED = re.compile(
    rf"{_DASHES}+(?:{_NO})?{_DASHES}*(?:i mean(?:t)?|make (?:that|it)|rather)\b[\s,]+"
    rf"|\s*[,.\u2013\u2014]{_DASHES}*(?:{_NO})\b[\s,]+(?:actually\s+)?",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:an? (?:entry|item)(?=\W)|and|also|plus|then|oh|um+|uh+|er+|erm|maybe|just|please"
    r"|some more|more(?= \w)|some|any|the|another|to(?=\s+\w))\b[\s,]*)+",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"[\s,.!?;:]+(?:and|please|too|as well|also|now|again|though|instead|then|yeah|thanks|thank you"
    r"|quickly|while you're at it|um+|uh+)$|[\s,.!?;:]+$",
    re.IGNORECASE,
)


def item_key(content: str) -> str:
    """What a thing is found by: in any case, number and article."""
    found = [
        word
        for word in re.findall(r"[^\W_]+(?:['\u2019][^\W_]+)?", content.lower())
        if word not in {"a", "an", "the", "some", "my"}
    ]
    return " ".join(map(stem, found)) or content.lower()


def is_meant(asked: str, key: str) -> bool:
    """Whether a thing with ``key`` may be what is asked for by a key: "cream" is "two pints of
    cream", "plumber" is "call the plumber"."""
    wanted = asked.split()
    known = key.split()
    return bool(wanted) and set(wanted) <= set(known)


def is_whole_name(said: str, content: str) -> bool:
    """Whether words name a thing on a list in full: what they leave out is its amount or a plain
    word, as in "two pints of fresh cream", or what is to be done, as in "call the plumber". "Milk"
    is not the whole name of "oat milk"."""
    left_out = set(item_key(content).split()) - set(item_key(said).split())
    plain = _AMOUNT_STEMS | _PLAIN_STEMS
    return is_order(content) or all(word in plain or word[0].isdigit() for word in left_out)


def items_in(words: str, *, chores: bool = False) -> list[str]:
    """The things in somebody's words, as they go on a list. ``chores``: they are things to do."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(next(group for group in (*found.groups(), found[0]) if group))
        return f"\x02{len(kept) - 1}\x03"

    text = _QUOTED.sub(keep, " ".join(words.split()))
    text = _PAIRS.sub(keep, text)
    parts: list[str] = []
    for part in _settled(_cut(text, chores=chores)):
        tidy = _tidied(_REPLACED.split(part)[-1])
        if tidy and tidy.lower() not in _FILLERS:
            parts.append(re.sub("\x02(\\d+)\x03", lambda at: kept[int(at[1])], tidy))
    # A sentence after the first thing is an aside; before it, it is no thing of a list.
    parts = [part for at, part in enumerate(parts) if at == 0 or not is_aside(part)]
    return list(dict.fromkeys(parts))


def _settled(parts: Sequence[str]) -> list[str]:
    """Parts without what was taken back ("not apples, pears") and without the description of a
    thing whose name was then found ("those little oranges, what are they called, clementines")."""
    settled: list[str] = []
    back: list[str] = []
    for part in parts:
        said = part.strip(" ,;:.!?")
        refused = _REFUSED.match(said)
        if refused is not None:
            key = item_key(_tidied(refused["thing"]))
            back.append(f"{key} ")
            settled = [one for one in settled if item_key(_tidied(one)) != key]
        elif said.lower().replace("\u2019", "'") in _SEARCHES:
            if settled and _DESCRIBED.match(settled[-1]):
                settled.pop()
        # What goes on about a thing that was taken back is its reason: "apples make Tom ill".
        elif not item_key(_tidied(said)).startswith(tuple(back)):
            settled.append(part)
    return settled


_REFUSED = re.compile(
    r"(?:no\s+)?(?:but\s+)?(?:not|forget|skip)\s+(?:the\s+|any\s+)?(?P<thing>.+)", re.I
)
_DESCRIBED = re.compile(r"\s*(?:and\s+)?(?:some of\s+)?(?:those|these|that|them|the)\b", re.I)


def is_aside(part: str) -> bool:
    """Whether words between things are a sentence of their own: "the kids won't touch apples"."""
    found = part.lower().replace("\u2019", "'").split()
    if not found or is_title(part) or not tells(part):
        return False
    return found[0] in _SUBJECTS or (len(found) > 3 and not _STATING.isdisjoint(found[1:4]))


_SUBJECTS = frozenset(
    "i i'm i've i'd i'll we we're we've we'll he he's she she's they they're it it's you there"
    " there's that's".split()
)


def is_title(words: str) -> bool:
    """Whether words are written as a title is: "Everything Everywhere All at Once"."""
    found = words.split()
    if len(found) < 2 or not found[0][:1].isupper():
        return False
    return 2 * sum(word[:1].isupper() for word in found[1:]) >= len(found) - 1


def is_sentence(item: str) -> bool:
    """Whether words are too much for a thing: they hold a verb or are more than six words."""
    if is_title(item):
        return False
    found = item.lower().split()
    verb = any(word in _PLAIN_VERBS and before != "to" for before, word in pairwise(found[:3]))
    return tells(item) or (verb and len(found) > 2) or len(found) > MOST_THING_WORDS


MOST_THING_WORDS = 6
_PLAIN_VERBS = frozenset("hate love like want need eat ate drink drank give prefer think".split())


def _cut(text: str, *, chores: bool) -> list[str]:
    # A correction stands after a comma too: it belongs to the thing before it.
    text = _REPLACED.sub(lambda found: "\x04", text)
    parts: list[str] = []
    link = ""
    at = 0
    for cut in [*_CUT.finditer(text), None]:
        part = text[at : cut.start()] if cut else text[at:]
        joins = link.strip(" ,").lower() in {"and", "&"} and "," not in link
        if parts and joins and _belongs(parts[-1], part, chores=chores):
            parts[-1] += link + part
        else:
            parts.append(part)
        if cut:
            link, at = cut[0], cut.end()
    return [part.rpartition("\x04")[2] for part in parts]


def _belongs(before: str, part: str, *, chores: bool) -> bool:
    """Whether "and" joins two parts of one thing: "wash and iron the shirts", "ring mum and
    dad"."""
    first = _first_word(before)
    if not (chores or first in _VERBS):
        return False
    if _first_word(part) in _VERBS:
        return len(_tidied(before).split()) == 1
    return first in _VERBS


def _first_word(text: str) -> str:
    tidy = _tidied(text)
    return tidy.split()[0].lower() if tidy else ""


def _tidied(part: str) -> str:
    text = _LEADING.sub("", part.strip(' ,.;:!?"\u201c\u201d'))
    while (shorter := _TRAILING.sub("", text)) != text:
        text = shorter
    article = re.match(r"(?:an?)\s+(\S+)", text, re.IGNORECASE)
    if article and article[1].lower() not in _AMOUNTS:
        text = text[article.start(1) :]
    return text.strip(" ,;:")


def uncapitalised(text: str) -> str:
    """The beginning of a sentence as it would stand within it; names keep their capital where a
    second capital shows that they are names."""
    first, _, rest = text.partition(" ")
    is_plain = first[:1].isupper() and first[1:].islower() and not rest[:1].isupper()
    return text[:1].lower() + text[1:] if is_plain else text


def is_thing(item: str, *, most_words: int = 8) -> bool:
    """Whether words may be the name of a thing: no sentence, no pronoun."""
    found = item.lower().replace("\u2019", "'").split()
    if not found or len(found) > most_words or found[0] in _NO_ITEM:
        return False
    if is_of_list(item) or found[-1] == "left":  # part of another request, "jobs left"
        return False
    return not (len(found) == 1 and found[0] in _PRONOUNS | {"list", "lists"})


def is_of_list(words: str) -> bool:
    """Whether words speak of a list to put something on or to take it off."""
    return _OF_A_LIST.search(words) is not None


_OF_A_LIST = re.compile(r"\b(?:to|on|onto|off|from)\s+(?:\S+\s+){0,4}lists?\b", re.IGNORECASE)


_PLACE = re.compile(
    r"\b(?:to|on|onto|in|into)\s+(?:the|my|our|your|this|that|his|her|their)\b", re.IGNORECASE
)


_NUMBER = re.compile(
    r"\d\s*(?:$|[-+*/x])|\b(?:percent|per cent|minutes?|hours?|seconds?|days?)\b|%", re.IGNORECASE
)


def is_number(words: str) -> bool:
    """Whether words are an amount of time or a sum, not a thing."""
    return _NUMBER.search(words) is not None


def has_place(words: str) -> bool:
    """Whether words say where something is to be put: "the party to the calendar"."""
    return _PLACE.search(words) is not None


def is_pronoun(words: str) -> bool:
    """Whether words stand for what was said before: "it", "them"."""
    return words.lower().strip(" ,.") in _PRONOUNS | _REFERENCES


def is_singular(words: str) -> bool:
    """Whether a pronoun stands for one thing only."""
    return words.lower().strip(" ,.") in {"it", "that", "this", "one", "that one", "him", "her"}


_AGREEING = re.compile(
    r"(?:(?:yes|yeah|yep|yup|sure|ok|okay|please do|go on|go ahead|do it|absolutely|definitely)\b.*"
    r"|(?:please\s+)?(?:bin|wipe|clear|scrap|delete|erase|empty|chuck|get rid of|remove)\s+"
    r"(?:the (?:whole )?lot|it all|them all|everything|all of (?:it|them)|the whole thing)\b.*)",
    re.IGNORECASE,
)
_CONTRARY = re.compile(
    r"\b(?:no|not|never|wait|hang on|hold on|leave|keep|except|apart from|but|only|first|later|if"
    r"|unless|until)\b|n['\u2019]t\b|\?",
    re.IGNORECASE,
)


_EXCEPTING = re.compile(
    r"\b(?:except|excepting|apart from|other than|aside from|(?:all|everything|lot) but"
    r"|but (?:not|keep|leave))\b",
    re.IGNORECASE,
)


def excepts(said: str) -> bool:
    """Whether something is to stay: "everything except the bread"."""
    return _EXCEPTING.search(said) is not None


def confirms(said: str) -> bool:
    """Whether a long answer says yes to emptying a list, without any ifs: "Yes, go on, bin the
    lot, I've got everything already"."""
    return _AGREEING.match(said.strip()) is not None and _CONTRARY.search(said) is None


def is_amount(item: str) -> bool:
    """Whether words are only an amount, of something named elsewhere: "two bottles"."""
    found = [stem(word) for word in item.lower().split()]
    counts = {"a", "an", "another", "one", "two", "three", "four", "more"}
    return bool(found) and found[-1] in _AMOUNT_STEMS and counts.issuperset(found[:-1])


def is_order(item: str) -> bool:
    """Whether words begin with a verb of doing: something to do, not to buy."""
    return _first_word(item) in _VERBS


def is_list_order(item: str) -> bool:
    """Whether words begin an order to a list or to Lo-Bug, so that they name no thing."""
    return _first_word(item) in _LIST_VERBS


def joined(things: Sequence[str], last: str = "and") -> str:
    """Things as one says them: "milk, eggs and bread"."""
    if len(things) < 2:
        return "".join(things)
    # "fish and chips and milk" needs its comma.
    comma = "," if any(" and " in thing for thing in things[-2:]) else ""
    return f"{', '.join(things[:-1])}{comma} {last} {things[-1]}"


def counted(number: int) -> str:
    """ "one thing", "seven things"."""
    return f"{cardinal(number)} thing{'' if number == 1 else 's'}"


def verb_for(things: Sequence[str]) -> str:
    """ "is" or "are" after these things."""
    if len(things) != 1:
        return "are"
    last = things[0].split()[-1].lower() if things[0] else ""
    return "are" if last.endswith("s") and not last.endswith(("ss", "us", "is")) else "is"


def was_for(things: Sequence[str]) -> str:
    """ "was" or "were" after these things."""
    return "were" if verb_for(things) == "are" else "was"


def tells(item: str) -> bool:
    """Whether words hold a verb that states something, so that they are a sentence."""
    text = item.lower().replace("\u2019", "'")
    return not _STATING.isdisjoint(text.split()) or _CONTRACTED.search(text) is not None


_CONTRACTED = re.compile(r"\w(?:n't|'re|'ve|'ll)\b|\w's \w+ing\b")


_STATING = frozenset(_WORDS["stating"].split())


def is_refusal(said: str) -> bool:
    """Whether an answer names nothing: "nothing", "forget it"."""
    return said.lower().strip(" .!") in _REFUSALS


_REFUSALS = frozenset(_WORDS["refusals"])
