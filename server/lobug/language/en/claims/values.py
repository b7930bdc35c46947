"""Values of claims: lists of them, their articles, and whether two are the same. English. Pure."""

from __future__ import annotations

import re

from lobug.language.claims import STATEMENT
from lobug.language.en import words
from lobug.language.en.claims.relation_book import relation_book

_ARTICLE = re.compile(
    r"^(?:lots of|(?:a|an) (?:lot|bit|little bit|cup|glass|few) of|a few"
    r"|(?:an?|[Tt]he|some|my|our|his|her|their|any|this|that)(?: own)?)\s+"
)
_TITLE = re.compile(r"^The (?=[A-Z])")
_JOINED = re.compile(r"\s*,\s*(?:and|or)\s+|\s*,\s*|\s+(?:and|or|as well as)\s+", re.IGNORECASE)
_PAIRS = re.compile(
    r"\b(?:fish and chips|mac and cheese|rock and roll|r and b|drum and bass|bread and butter"
    r"|black and white|arts and crafts|dungeons and dragons|salt and (?:pepper|vinegar)"
    r"|peanut butter and jelly|gin and tonic|bed and breakfast|track and field|pros and cons"
    r"|country and western|rhythm and blues|meat and potatoes|between .+ and .+)\b",
    re.IGNORECASE,
)
_ANOTHER_CLAUSE = re.compile(
    r"(?:but|because|since|so|when|if|while|although"
    r"|then|the (?:\w+ )?ones? (?:i|we|that))\b",
    re.IGNORECASE,
)
_SMALL = frozenset(
    """
    a an the of in on at by from to for with as is my our his her their own some any about around
    year years old month months day kind called named and or
    """.split()
)
_QUANTITY = re.compile(
    r"^(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+|some|another|any|no)\s+", re.I
)


def tidy_value(text: str) -> str:
    """A value without an article before it and marks around it."""
    value = text.strip(" ,.;:!")
    if (value[:1], value[-1:]) in {('"', '"'), ("'", "'"), ("\u201c", "\u201d")}:
        value = value[1:-1].strip()
    if _TITLE.match(value) and value.count(" ") < 4:
        return value
    return _ARTICLE.sub("", value).strip()


def name_of(text: str) -> str:
    """The name alone of somebody: "Wanda" of "my new colleague Wanda"."""
    found = _NAMED_KIN.match(text)
    somebody = found is not None and relation_book().is_kin(found["noun"].lower())
    return text[found.end() :] if found is not None and somebody else text


_NAMED_KIN = re.compile(
    r"^(?:(?:my|our|his|her|their|the) )?(?:[a-z]+ )?(?P<noun>[a-z-]+) (?=[A-Z][\w'-]+$)"
)


def several(text: str) -> list[str]:
    """The values in a list: "nuts and shellfish" are two."""
    if _PAIRS.search(text):
        return [tidy_value(text)]
    found: list[str] = []
    for part in _JOINED.split(text):
        if _ANOTHER_CLAUSE.match(part):
            break
        if value := tidy_value(part):
            found.append(value)
    return found


def without_quantity(text: str) -> str:
    return _QUANTITY.sub("", text)


def same_value(relation: str, one: str, other: str) -> bool:
    """Whether two values of a relation are the same."""
    if relation == STATEMENT:
        denied = [_DENIED.search(text) is None for text in (one, other)]
        return denied[0] == denied[1] and words.stems(words.words(one)) == words.stems(
            words.words(other)
        )
    mine, theirs = _meant(one), _meant(other)
    if mine == theirs:
        return True
    found = relation_book().by_id.get(relation)
    if found is None or not found.partial or not mine or not theirs:
        return False
    if not found.one:
        mine, theirs = _uncounted(mine) or mine, _uncounted(theirs) or theirs
    elif _numbers(mine) != _numbers(theirs) and _numbers(mine) and _numbers(theirs):
        return False
    return mine <= theirs or theirs <= mine


def same_sort(value: str, right: str, said: str = "") -> bool:
    """Whether a bare value may stand for one: a time for a time, a number for a number, a name for
    a name. ``said``: the words in which the bare value was said."""
    if not value:
        return True
    # "My mistake, soprano" is not where somebody lives; "I meant the bakery" may be.
    is_common = value[0].isupper() and right[:1].islower() and said[:1].isupper()
    if is_common and re.search(rf"\b(?:the|an?|my|our|at|in|on) {re.escape(right)}", said) is None:
        return False
    if any(part.search(right) for part in _PARTS_OF_TIMES):
        return (
            any(part.search(value) for part in _PARTS_OF_TIMES) or _YEAR.search(value) is not None
        )
    return not is_number(right) or NUMBER.search(value) is not None


_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b|\b\d{1,2}[:.]\d\d\b")


def recounts(one: str, other: str) -> bool:
    """Whether two values give another number of the same: "two cats" and "three cats"."""
    mine, theirs = _meant(one), _meant(other)
    counts = _numbers(mine), _numbers(theirs)
    same = _uncounted(mine) == _uncounted(theirs) and bool(_uncounted(mine))
    first = [words.words(text)[0] for text in (one, other)]  # not "song 7"
    return (
        all(map(str.isdigit, first))
        and same
        and bool(counts[0])
        and bool(counts[1])
        and counts[0] != counts[1]
    )


def one_less(value: str) -> str | None:
    """A counted value with one less: "a cat" of "two cats"; None: it counts none, or one."""
    first, _, rest = value.partition(" ")
    low = first.lower()
    if low in _COUNTED and rest and low not in {"a", "one"}:
        left = _COUNTED[_COUNTED.index(low) - 1]
        return f"{left} {rest.removesuffix('s') if left == 'one' else rest}"
    if first.isdigit() and int(first) > 1 and rest:
        return f"{int(first) - 1} {rest.removesuffix('s') if first == '2' else rest}"
    return None


_COUNTED = "a one two three four five six seven eight nine ten eleven twelve".split()
NUMBER = re.compile(
    r"\b(?:\d+|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three"
    r"|four"
    r"|five|six|seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)\b",
    re.IGNORECASE,
)


_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_ORDINAL = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|(?:twenty|thirty)-?(?: )?(?:first|second|third|fourth|fifth|sixth"
    r"|seventh|eighth|ninth)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth"
    r"|nineteenth|twentieth|thirtieth)"
)
_CLOCK = (
    r"at (?:half past |quarter past |quarter to )?(?:\d{1,2}(?::\d\d)?|one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|noon|midnight)(?: (?:thirty|fifteen|o'clock|am|pm))?"
)
_PARTS_OF_TIMES = tuple(
    re.compile(rf"\b{part}\b", re.IGNORECASE) for part in (_DAY, _MONTH, _ORDINAL, _CLOCK)
)
_BEFORE_TIMES = re.compile(r"^(?:on |in )?(?:the )?", re.IGNORECASE)


def _part_of_time(value: str, right: str) -> re.Match[str] | None:
    """The part of a time that another part stands for: the day of "Tuesday at three"."""
    for part in _PARTS_OF_TIMES:
        if part.fullmatch(right):
            return part.search(value)
    return None


def put_right(value: str, wrong: str | None, right: str) -> str | None:
    """A value with what was wrong of it put right; None: nothing of it was wrong."""
    retold = None if wrong else _RETOLD.match(right)
    if retold is not None:
        return _told_anew(value, right, retold)
    if wrong:
        at = next(words.places_of(wrong, value), None)
        after = "" if at is None else value[at + len(wrong) :].strip().lower()
        if at is None or after == right.lower():
            return None  # "not peanut butter"
        return _with_part(value, at, at + len(wrong), right)
    part = None
    first = NUMBER.match(right)
    if first is not None and is_number(value) and not _UNIT.match(right, first.end()):
        return first.group()  # "eight time flies"
    if _HOUR_AND_PART.fullmatch(right):
        part = _HOUR.search(value)
    elif first is not None and is_number(right) and len(value.split()) > 1:
        numbers = list(NUMBER.finditer(value))
        part = numbers[0] if len(numbers) == 1 else None  # not of "0171 2244"
    if part is None:
        bare = _BEFORE_TIMES.sub("", right)
        part = _part_of_time(value, bare)
        right = right if part is None else bare
    if part is None:
        alike = _alike_part(value, right)
        part = _MY_IS.fullmatch(value) if alike is None else None
        if part is not None and len(right.split()) <= 3:
            return value[: part.start("value")] + right
        return alike or right
    return _with_part(value, part.start(), part.end(), right)


def _with_part(value: str, start: int, end: int, right: str) -> str:
    """A value with another part, whose last words are not said twice."""
    after = value[end:]
    if after and right.lower().endswith(after.lower()):
        after = ""
    return f"{value[:start]}{right}{after}"


def _told_anew(value: str, right: str, retold: re.Match[str]) -> str | None:
    """A statement with another end: "the book club meets at home" and "it meets at Rosie's"."""
    verb = words.stem(retold["verb"].lower())
    for match in _WORD.finditer(value):
        if match.start() and words.stem(match.group().lower()) == verb:
            return value[: match.start()] + right[retold.start("verb") :]
    return None


_MY_IS = re.compile(
    r"(?:my|our|the) [\w'\u2019 -]{1,40}? (?:is|are|was|were)(?: about| called)?"
    r" (?P<value>[^,;]{1,40})",
    re.IGNORECASE,
)
_RETOLD = re.compile(r"(?:it|he|she|they) (?P<verb>[a-z]+)\b", re.IGNORECASE)
_HOUR_AND_PART = re.compile(rf"(?:half past|quarter past|quarter to) {NUMBER.pattern}", re.I)
_HOUR = re.compile(
    rf"(?<=\b(?:at|by) )(?:half past |quarter past |quarter to )?{NUMBER.pattern}", re.IGNORECASE
)
_UNIT = re.compile(
    r"$|[-:./ ]?\d|-|\s*(?:years?|months?|weeks?|days?|hours?|minutes?|%|per|and|kilos?|kg|miles?"
    r"|km|pounds?|euros?|dollars?|am|pm|o['\u2019]clock)\b",
    re.IGNORECASE,
)
"""What follows a number that says more than the number."""


def _alike_part(value: str, right: str) -> str | None:
    """A value with the part put right that has a word in common with what is right: "two sugars in
    my tea" and "one sugar". None: there is no such part."""
    found, better = list(_WORD.finditer(value)), right.split()
    wanted = [words.stem(word.lower()) for word in better]
    if not 1 < len(wanted) < len(found):
        return None
    stems = [words.stem(match.group().lower()) for match in found]
    for at in range(len(found) - len(wanted) + 1):
        same = sum(one == other for one, other in zip(wanted, stems[at:], strict=False))
        if 0 < same < len(wanted):
            end = found[at + len(wanted) - 1].end()
            return f"{value[: found[at].start()]}{right[:1].lower()}{right[1:]}{value[end:]}"
    return None


_WORD = re.compile(r"[^\s,;]+")


def is_number(text: str) -> bool:
    """Whether a value is a number alone, written or spoken."""
    found = words.words(text)
    return bool(found) and all(word.isdigit() for word in found)


def _meant(text: str) -> frozenset[str]:
    book = relation_book()
    found: set[str] = set()
    for word in words.words(text):
        if word in _SMALL:
            continue
        stored = book.kin.get(word) or book.pets.get(word) or word
        found.add(words.stem(stored) if stored.isalpha() else stored)
    return frozenset(found or text.lower().split())


_DENIED = re.compile(r"n['\u2019]t\b|\b(?:not|no|never|without)\b", re.IGNORECASE)


def _numbers(found: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in found if word.isdigit())


def _uncounted(found: frozenset[str]) -> frozenset[str]:
    return found - _numbers(found)
