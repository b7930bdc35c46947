"""What a question asks of memory, and how it is put to the vector index. English. Pure.

Facts are about "the user"; people ask in the first person, and small embedding models see a
difference: with the embedded one, "Do you remember my name?" has a similarity of 0.27 to "The
user's name is Alex", below the floor of 0.3; "the user's name?" has 0.60. Of 16 everyday questions
to 14 facts, 9 found their fact in the first person and all 16 in the third, as the first hit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from lobug.language.en import fact_comparison, mentions, speech_acts, words
from lobug.language.en.data import MONTHS, WEEKDAYS, word_map, word_set

_OF_TIME = word_set("calendar", "of_time") | {day.lower() for day in (*WEEKDAYS, *MONTHS)}

PAST = re.compile(
    r"\b(?:before|formerly|previously|used to|in the past|earlier|once|back then|former"
    r"|(?<!how )old|ex|originally|at first|first(?! name)"
    r"|last (?:year|job|home|flat|apartment|address|phone|car)"
    r"|fr[u\u00fc]her|vorher|damals|ehemalig\w*|avant|autrefois|antes|anterior)\b"
    r"|\b(?:did|was|were|had)\s+(?:i|my|we|our)\b.*\b(?:live|work|drive|own|call|name)",
    re.IGNORECASE,
)
HISTORY = re.compile(
    r"\b(?:last (?:week|month|time|night|summer|winter|spring|autumn|fall|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday)|yesterday|the other day|when did|how did (?:i|we)"
    r"|what did (?:i|we|you)|have (?:i|we) (?:ever|already)|did (?:i|we)|remember when"
    r"|talk(?:ed)? about|conversation|history|task|project|gestern|letzte\w*|hier|ayer)\b",
    re.IGNORECASE,
)
ABOUT_LOBUG = re.compile(
    r"\b(?:did|have|had|were|was|would)\s+you\b|\byou (?:said|told|suggested|recommended)\b"
    r"|\byour (?:advice|answer|suggestion|recommendation)\b",
    re.IGNORECASE,
)
ABOUT_USER = re.compile(r"\b(?:i|my|mine|we|our)\b", re.IGNORECASE)

ONESELF = word_set("questions", "oneself")
"""Words by which a person who asks names themselves, as ``words.words`` gives them."""

_ASKS_WHEN = re.compile(
    r"\b(?:when|what (?:day|date|time|year|month)|which (?:day|date|year|month)|how long ago"
    r"|since when|last time|wann|seit wann|quand|cu[a\u00e1]ndo)\b",
    re.IGNORECASE,
)

ASKED = (
    (
        "home",
        re.compile(
            r"\bwhere (?:do i|am i|i|i['\u2019]m|i am) (?:now |currently )?(?:live|living|reside)\b"
            r"|\b(?:what|which) (?:city|town|country|place|state) (?:do|am) i (?:live|living)\b"
            r"|\bwhere (?:is my home|did i move to)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "name",
        re.compile(
            r"\bmy (?:first )?name\b|\bwho am i\s*(?:[?.!]|$)|\bwhat am i called\b",
            re.IGNORECASE,
        ),
    ),
    ("age", re.compile(r"\bhow old (?:am i|i am|i['\u2019]m)\b|\bmy age\b", re.IGNORECASE)),
    ("birthday", re.compile(r"\bmy birthday\b|\bwhen was i born\b", re.IGNORECASE)),
)
"""Questions for what a person has only one of, by slot."""
ASKED_FAVOURITE = (
    re.compile(r"\bmy favou?rite (\w+)(?: (\w+))?", re.IGNORECASE),
    re.compile(
        r"\b(?:what|which) (\w+)(?: (\w+))? do i (?:like|love) (?:the )?(?:best|most)", re.I
    ),
)


@dataclass(frozen=True, slots=True)
class Question:
    """What a turn asks of memory."""

    text: str
    small_talk: bool
    """No memory can belong to it: a greeting, a thank-you, no words at all."""
    asks: bool
    """It asks or commands. A statement needs no former turns."""
    past: bool
    """It is about the past: facts that are no longer true belong to the answer."""
    history: bool
    """It is about an event: the archive belongs to the answer."""
    about_lobug: bool
    """It is about what Lo-Bug said: its own former replies belong to the answer."""
    slots: frozenset[str] = frozenset()
    """What it asks for that a person has only one of (``fact_comparison.slot_of``); empty: nothing
    of the kind, or something past."""


def asks_when(text: str) -> bool:
    """Whether a text asks for a time."""
    return _ASKS_WHEN.search(text) is not None


def may_concern_time(text: str) -> bool:
    """Whether the chat model may need to know the time in order to answer a text."""
    found = words.WORD.findall(text.lower().replace("\u2019", "'"))
    return any(word in _OF_TIME or word.removesuffix("'s") in _OF_TIME for word in found)


def analyse(text: str) -> Question:
    """What a turn's words ask of memory."""
    content = words.content_words(text)
    asks = any(
        speech_acts.is_question(sentence) or speech_acts.is_command(sentence)
        for sentence in speech_acts.sentences(text)
    )
    past = PAST.search(text) is not None
    slots = _slots(text) if asks and not past else frozenset[str]()
    return Question(
        text=text,
        small_talk=not slots
        and all(word in speech_acts.SMALL_TALK for word in content)
        and not (content and (past or (asks and ABOUT_USER.search(text)))),
        asks=asks,
        past=asks and past,
        history=asks and HISTORY.search(text) is not None,
        about_lobug=asks and ABOUT_LOBUG.search(text) is not None,
        slots=slots,
    )


def _slots(text: str) -> frozenset[str]:
    slots = {slot for slot, pattern in ASKED if pattern.search(text)}
    for pattern in ASKED_FAVOURITE:
        for first, second in pattern.findall(text):
            # Whether the second word belongs to the kind ("ice cream") or goes on ("color again").
            for kind in {first, f"{first} {second}".strip()}:
                slots.add(fact_comparison.slot_of(f"The user's favorite {kind} is") or "")
    return frozenset(slots - {""})


ASKING = re.compile(
    r"^\s*(?:please\s+)?(?:(?:do|can|could|would) you\s+)?(?:still\s+|please\s+)?"
    r"(?:remember|know|recall|remind me(?: of)?|tell me)\s+(?:again\s+)?",
    re.IGNORECASE,
)
THIRD_PERSON = tuple(
    (re.compile(rf"\b(?:{first})\b", re.IGNORECASE), third)
    for first, third in (
        ("i am|i['\u2019]m|am i", "the user is"),
        ("do i|did i", "does the user"),
        ("my|mine|our", "the user's"),
        ("i|me|myself|we|us", "the user"),
    )
)


def without_asking(text: str) -> str:
    """A question without the words that ask to remember, which are as near to every memory:
    "Do you remember my name?" → "my name?"."""
    asked = ASKING.sub("", text)
    return asked if asked.strip(" ?!.") else text


def in_third_person(text: str) -> str:
    """A question or a command in the third person.

    Statements stay unchanged: in the third person each would be near to every fact about the user.
    """
    asked = [
        sentence
        for sentence in speech_acts.sentences(text)
        if speech_acts.is_question(sentence) or speech_acts.is_command(sentence)
    ]
    if not asked:
        return text
    query = " ".join(map(without_asking, asked))
    for first, third in THIRD_PERSON:
        query = first.sub(third, query)
    return query if query.strip(" ?!.") else text


_SAME = word_map("relations", "same")
_ANY_OF = word_map("relations", "any_of")


def _who() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for name, others in _SAME.items():
        for word in [name, *others.split()]:
            found[words.stem(word)] = frozenset([name])
    for names, general in _ANY_OF.items():
        for word in general.split():
            found[words.stem(word)] = frozenset(names.split())
    return found


_WHO = _who()


def about_others(question: str) -> Callable[[str], bool]:
    """What tells of a memory whether it names only other relatives or pets than a question does,
    and no name that the question has. It is never so where the question names none.

    "What is my brother's name?" is near to "The user's sister is named Anna" in words and in
    meaning, and a small chat model then answers Anna."""
    asked = _spoken_of(question)
    if not asked:
        return lambda _content: False
    names = mentions.names_in(question)

    def is_of_others(content: str) -> bool:
        named = _spoken_of(content)
        if not named or asked & named:
            return False
        return not names or not names & mentions.names_in(content)

    return is_of_others


def _spoken_of(text: str) -> frozenset[str]:
    stems = words.stems(words.words(text))
    return frozenset().union(*(_WHO[stem] for stem in stems if stem in _WHO))


_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|this (?:morning|summer)|since|recently"
    r"|just|weeks?|months?|years?|weekend|\d{4}|"
    + "|".join(word.lower() for word in (*WEEKDAYS, *MONTHS))
    + r")\b",
    re.IGNORECASE,
)


def has_time(text: str) -> bool:
    """Whether a text has a word of time: "I joined a gym last week"."""
    return _TIME.search(text) is not None
