"""Values and people without a statement: "no, Johanna", "in 1933", "not my sister, my cousin".
English. Pure.

What they are values of was said before.
"""

from __future__ import annotations

import re

from lobug.language.claims import USER, Path
from lobug.language.en import speech_acts, words
from lobug.language.en.claims import free_statements
from lobug.language.en.claims.lexicon import NEGATIONS, PREPOSITIONS, tokens
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.sentence_parts import begins_clause
from lobug.language.en.claims.statement import resolved
from lobug.language.en.claims.subjects import noun_phrase
from lobug.language.en.claims.values import NUMBER

_MOST_WORDS = 5
"""Of a value that stands alone, and of a wrong one."""
VALUE = re.compile(
    r"^(?:(?:it|that|this)['\u2019]?s(?: more (?:of|like))?|it is|it was|that is|that was"
    r"|that would be|this is"
    r"|she['\u2019]?s"
    r"|he['\u2019]?s"
    r"|they['\u2019]?re|the (?:right|correct) (?:one|name|answer|word) is|in fact|just|make (?:it"
    r"|that)"
    r"|but|more like|rather)\s+(?:called |named )?",
    re.IGNORECASE,
)
_SPELLING = re.compile(
    r",? (?:with (?:an? |one |two |three )?\w+(?:['\u2019]?s)?|spelled .+|spelt .+|without .+"
    r"|at the end.*)$",
    re.IGNORECASE,
)
LEADING = re.compile(rf"^(?:{'|'.join(sorted(PREPOSITIONS, key=len, reverse=True))})\s+", re.I)
_TIMED = re.compile(
    r"^(?:on|in|at|by|around) (?:the )?(?:\d{1,2}\b(?!\d)|[a-z]+day|(?:jan|feb|mar|apr|may|jun"
    r"|jul|aug|sep|oct|nov|dec)"
    r"|half|quarter|noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|first|second|third|morning|evening|afternoon|spring|summer|autumn|winter)",
    re.IGNORECASE,
)
NO_VALUES = frozenset(
    """
    a about again anyway at all anymore any bye continue do don't done enough ever exactly fine for
    forget go good going he her here him his how i idea in is it it's just later leave let like
    matter me mind more much my never no none not nothing now nope of off oh on one please problem
    quiet quite really right she so sorry stop sure thank thanks that that's the them then there
    they this to too true up wait way we what why worries worry wrong yes yet you your okay ok
    secret private nonsense rubbish bit thing stuff business
    joking kidding lol nevermind maybe perhaps both neither either idea clue
    """.split()
)
_POINTS = re.compile(r"(?:that|this|it)(?:['\u2019]?s| is| was) ", re.IGNORECASE)
_THEIRS = re.compile(r"(?<=[a-z])(?:['\u2019]s(?: [a-z]+){0,2}|s['\u2019]?(?: [a-z]+){1,2})$")
_NAMED_OWNER = re.compile(
    r"(?P<name>(?!(?:my|it|that|he|she|this)\b)[A-Za-z][a-z-]+?)(?P<mark>['\u2019])?s"
    r"(?: (?:old |real )?(?P<noun>[a-z]+))"
)
_RETOLD = re.compile(
    r"(?:it|he|she|they) (?!is\b|was\b|are\b|were\b|has\b|had\b|does|did|do\b|can|could|will"
    r"|would|should|may\b|might|must)[a-z]+ [^,;?]{2,60}$",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(
    r"(?P<value>[^,;.]{1,40}?)(?:,| [\u2013\u2014-]| because| cause| cos)"
    r" (?:(?:i|we)(?:['\u2019]d|['\u2019]ve| had| have)? (?:just |always |only |must have )?"
    r"(?:forg[eo]t\w*|keep|got|had|mix\w*|was|were|said|thought|meant|remember\w*|checked|looked|miscounted)"
    r"|(?:he|she|they|it|that)(?:['\u2019]\w+)?|(?:because|cause|cos) \w+)\b.{0,80}$",
    re.IGNORECASE,
)
_IT_IS_SO = re.compile(
    r"(?:it['\u2019]?s|it is) (?P<value>[^,;.]{1,40}?),"
    r" (?:i|we|he|she|they|it|you|that|my|me|our|there)\b.{3,80}$",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    rf"(?:{NUMBER.pattern}|half|quarter|noon|midnight)\b|\w+(?:istry|ology|onomy|ography|matics)\b",
    re.IGNORECASE,
)
"""Words that are no names, though they may begin a sentence with a capital."""
_MAY_OPEN_VALUES = frozenset({"one", "in", "on", "at", "for", "the", "of"})
_HOW_MANY = re.compile(
    rf"^(?:(?:i|we|he|she|they)(?:['\u2019]ve)? (?:have|has|had|got|have got|has got|own)"
    rf"|there are)\s+(?=(?:only |just )?(?:{NUMBER.pattern})$)(?:only |just )?",
    re.IGNORECASE,
)
""" "No, she has three": of what, was said before."""
_OF_A_TIME = re.compile(r"(?:last|this|next) \w+['\u2019]s\b", re.IGNORECASE)
""" "That was last year's number"."""
_GOES_ON = re.compile(
    r"\b(?:but|because|it['\u2019]?s|i['\u2019]?m|he['\u2019]s|she['\u2019]s|i|you|is|are)\b"
    r"|\w['\u2019]s (?:on|at|in)\b",
    re.IGNORECASE,
)
_OWNED = re.compile(r"(?:my|his|her|our|their) \w", re.IGNORECASE)
STARTS_CLAUSE = re.compile(
    r"(?:i|we|you|he|she|they|it|that|my|your|his|her|our|there)\b|don['\u2019]?t\b", re.IGNORECASE
)
_STANDS_ALONE = re.compile(
    r"(?:on|in|at|since|until|by)? ?(?:the )?(?:(?:19|20)\d\d|\d{1,2}(?:st|nd|rd"
    r"|th)?(?: of \w+)?|\d{1,2}:\d\d"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)(?: \d{1,2}(?:st|nd|rd|th)?)?",
    re.IGNORECASE,
)
_AT_END = re.compile(
    r"(?:,|;| and| so| but| because)\s+"
    r"(?P<value>(?:it|that|he|she|its|hes|shes|thats)(?:['\u2019]s| is)?"
    r" (?!not\b)[^,;]{1,40})$",
    re.IGNORECASE,
)
""" "I switched, it's Monzo now"."""
_IS_ONE = re.compile(
    r"^(?:(?:i|he|she|it|we|they|that)(?:['\u2019](?:m|s|re)| am| is| are)|im|hes|shes|its"
    r"|mine is|mine['\u2019]s|my (?:own|favou?rite|real one|current one|new one)"
    r"(?:['\u2019]s| is)) (?P<value>(?!not\b)[^,;]{1,40})$",
    re.IGNORECASE,
)
""" "I'm a dinner lady", of which no relation was read."""
MINE = re.compile(r"mine\b", re.IGNORECASE)
_IS_AT_END = re.compile(r" (?:is|are|was|were) (?P<value>[^,;]{1,40})$", re.IGNORECASE)
""" "Karen's meeting is Thursday", where what is wrong was said."""
_PRONOUN = re.compile(
    r"^(?P<who>i|he|she|it|we)(?:['\u2019]|m\b|s\b| )|^(?P<mine>mine)\b", re.IGNORECASE
)
_KIN = ("sister", "brother", "son", "daughter", "cousin", "aunt", "uncle")


def is_short(text: str) -> bool:
    """Whether a text has few enough words for a value."""
    return len(text.split()) <= _MOST_WORDS


def value_of(text: str) -> str:
    """The value in "it's Hanna" and "in Bonn": "Hanna", "Bonn". Times keep their preposition."""
    value = _SPELLING.sub("", VALUE.sub("", text.strip(" .,;:!\"'")))
    value = re.sub(r"(?<=\w) (?:now|instead)$", "", value)
    value = re.sub(r"^(?:called|named)\s+", "", value, flags=re.IGNORECASE)
    if not _TIMED.match(value):
        value = LEADING.sub("", value)
    return re.sub(r"^(?:(?:an?|the) (?=\S)|(?:The|An?) (?=[a-z]))", "", value).strip(" .,;:!\"'")


def fragment(text: str, *, marked: bool) -> str | None:
    """The value that a text without a statement consists of; ``marked``: it follows words that put
    something right. Without them only a time or a number is a value."""
    bare = text.strip(" .,;:!")
    if not bare or not is_short(bare) or "?" in text or speech_acts.is_command(bare):
        return None
    value = value_of(_HOW_MANY.sub("", bare))
    if _GOES_ON.search(value) or _OF_A_TIME.match(value):
        return None
    place = LEADING.match(VALUE.sub("", bare))
    if place is not None and _OWNED.match(value) and not begins_clause(value):
        return f"{place.group()}{value}"  # "in my coat"
    owner = value.endswith(("'s", "\u2019s"))  # "St Martin's" is a place, and "it's" never ends one
    if STARTS_CLAUSE.match(value) or (begins_clause(value) and not owner):
        return None
    alone = _STANDS_ALONE.fullmatch(VALUE.sub("", bare)) is not None
    if _says_nothing(value) or not (marked or alone):
        return None
    return value[0].lower() + value[1:] if _NO_NAME.match(value) else value


def _explained(text: str) -> str | None:
    """The value before a clause that only explains it: "seven, I forgot Elsie"."""
    match = _EXPLAINED.match(text) or _IT_IS_SO.match(text)
    return None if match is None else fragment(match["value"], marked=True)


def _retold(text: str) -> str | None:
    """A clause of something that was spoken of: "it meets at Rosie's house"."""
    match = _RETOLD.match(text.rstrip(" .!"))
    return None if match is None else match.group()


def _is_small_talk(value: str) -> bool:
    return bool(words.content_words(value)) and speech_acts.is_small_talk(value)


def _says_nothing(value: str) -> bool:
    """Whether words are no value: "never mind", "not really"."""
    said = re.findall(r"[\w'\u2019.:-]+", value.lower())
    if not said or all(word in NO_VALUES for word in said) or _is_small_talk(value):
        return True
    return said[0] in NEGATIONS or said[0] in NO_VALUES - _MAY_OPEN_VALUES


def person_in(text: str) -> Path | None:
    """Whom a text names, if it names nobody else and says nothing of them: "my cousin", "me"."""
    bare = VALUE.sub("", text.strip(" .,;:!")).removeprefix("for ").removeprefix("about ")
    if bare.lower() in {"me", "myself", "i", "mine"}:
        return USER
    if points_at(text):
        pointed = _of_named(_POINTS.sub("", text.strip(" .,;:!")))
        if pointed is not None:
            return pointed
        bare = _THEIRS.sub("", _POINTS.sub("", text.strip(" .,;:!")))
    found = tokens(bare)
    if not found or len(found) > _MOST_WORDS or not _OWNED.match(bare):
        return None
    phrase = noun_phrase(found)
    if phrase is None or phrase[1] < len(found) or phrase[0].name or len(phrase[0].path) < 2:
        return None
    path = resolved(phrase[0])
    return path if relation_book().kind_of(path) in {"person", "pet"} else None


def _of_named(text: str) -> Path | None:
    """Whose it is, by name: "Peter's favourite" is of Peter, "toms hamster" of that hamster."""
    match = _NAMED_OWNER.fullmatch(text)
    if match is None or not (match["mark"] or relation_book().is_first_name(match["name"].title())):
        return None
    owner = (match["name"].lower(),)
    path = (*owner, match["noun"].lower())
    return relation_book().tidy(path) if relation_book().kind_of(path) == "pet" else owner


def points_at(text: str) -> bool:
    """Whether a text says what the last statement was about: "that's my sister's birthday"."""
    return _POINTS.match(text) is not None


def at_end(statement: str, *, corrects: bool, contrasted: bool) -> tuple[str, str] | None:
    """The value at the end of a statement that puts something right, and of whom it was said: "I
    switched, it's Monzo now". ``contrasted``: a wrong value was named."""
    tail = None
    if corrects:
        tail = _IS_ONE.match(statement) or _AT_END.search(statement)
        if tail is not None and free_statements.is_mood(tail["value"]):
            tail = None  # "sorry, I'm late"
    if tail is None and contrasted:
        tail = _IS_AT_END.search(statement)
    value = None if tail is None else fragment(tail["value"], marked=True)
    if tail is not None and value is not None:
        return value, pronoun_of(tail.group().lstrip(",; "))
    if corrects:
        value = _explained(statement)
    if value is None and corrects and not contrasted:
        value = _retold(statement)
    if value is None:
        return None
    return value, pronoun_of(tail.group().lstrip(",; ")) if tail else ""


def pronoun_of(text: str) -> str:
    """Of whom a bare value was said: "she" of "she's forty"; empty: nobody said."""
    match = _PRONOUN.match(text)
    if match is None or match["mine"]:
        return ""
    return {"we": "i"}.get(match["who"].lower(), match["who"].lower())


def person_meant(text: str) -> Path | None:
    """Whom a wrong word names: "my sister", and "sister" alone."""
    return person_in(text) or person_in(f"my {text}")


def whom(right: str) -> Path | None:
    """Whom a correction names, if nothing else: "my cousin", "younger sister"."""
    found = person_in(right)
    if found is None and " " in right.strip():
        found = person_in(f"my {right.lower()}")
        found = found if found is not None and found[-1].endswith(_KIN) else None
    return found
