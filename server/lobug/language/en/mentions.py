"""Finds the sentences that mention what is to be forgotten. English. Pure.

A sentence *mentions* something when all its distinctive words are in it (words of relation like
"lives" or "likes" are in many sentences and say nothing alone), and it is about the same people.
Where no name or number is among those words, a sentence that says much else is about something
else: forgetting "The user likes coffee" does not erase "I had coffee with Tom at the station". A
topic ("forget coffee") is erased wherever it is said, and so is a name that no other memory has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lobug.language.en import speech_acts, words
from lobug.language.en.data import MONTHS, WEEKDAYS, word_list
from lobug.language.en.fact_checks import OTHERS, RELATIONS, SPEAKER, SUBJECT
from lobug.language.en.fact_comparison import slot_of

PREAMBLE = re.compile(
    r"^(?:please\s+)?(?:(?:everything|anything|all|whatever|what|the (?:fact|thing|part))\s+)?"
    r"(?:(?:that\s+)?(?:i|you)\s+(?:said|told you|know|have|remember|mentioned)\s+)?"
    r"(?:that|about|of|on|regarding)\s+(?=\S)",
    re.IGNORECASE,
)
STATEMENT = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|be|been|live[sd]?|work(?:s|ed)?|likes?|loves?|hates?)\b"
    r"|['\u2019](?:m|re|ve|d)\b",
    re.IGNORECASE,
)
SAID_TO_USER = re.compile(r"\byou(?:['\u2019]\w+)?\b", re.IGNORECASE)
ABOUT_USER = re.compile(r"\bthe user\b(?!['\u2019]s)", re.IGNORECASE)
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana, Han."""
RUNS = re.compile(f"({UNSPACED.pattern}+)")

WITH_DIGIT = re.compile(r"\b\w*\d\w*")

VAGUE = words.stems(word_list("mentions", "vague"))
"""A request with only these words names nothing."""

NO_NAMES = words.stems(
    [*(day.lower() for day in WEEKDAYS), *(m.lower() for m in MONTHS), "lo", "bug"]
)
"""Words with a capital letter that tell nothing about a sentence."""
COUNT = re.compile(r"\d{1,3}[a-z]{0,2}")
"""An amount, a day or an hour. Unlike a long number, it tells nothing about a sentence."""
YEAR = re.compile(r"(?:19|20)\d\d")
TURNING = words.stems(["turned", "turning"])

SELF = words.stems(["user", "users"])

GROUPS = tuple(frozenset(words.stems(group.split())) for group in word_list("mentions", "groups"))
"""Words of relation that stand for one another in "forget my sister's name"."""

TOPICS = {
    topic: re.compile(pattern, re.IGNORECASE)
    for topic, pattern in {
        "name": r"\bmy (?:own |first |last |full )?names?\b|\bwhat i(?:['\u2019]m| am) called\b"
        r"|\bwho i am\b",
        "home": r"\bwhere i (?:now )?live\b|\bmy (?:home|address|home ?town|city)\b",
        "age": r"\bmy age\b|\bhow old i am\b",
        "birthday": r"\bmy (?:birthday|date of birth)\b|\bwhen i was born\b",
        "work": r"\bmy (?:job|work|profession|occupation|employer)\b|\bwhere i work\b"
        r"|\bwhat i (?:do for (?:a living|work)|work as)\b",
    }.items()
}
"""What a request may name without a distinctive word."""

TOPIC_ONLY = re.compile("|".join(pattern.pattern for pattern in TOPICS.values()), re.IGNORECASE)

WORK = re.compile(
    r"^The user (?:(?:now |currently )?works?\b|is employed\b|has a job\b)"
    r"|^The user's (?:job|work|profession|occupation|employer)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """What is to be forgotten, in a form that sentences are compared with."""

    stems: frozenset[str]
    """Stems of the distinctive words; a sentence must have all of them."""
    parts: tuple[str, ...]
    """Distinctive words of scripts without spaces; a sentence must have all of them."""
    people: frozenset[str]
    """Relations of the user ("sister") that it is about; empty: the user, or nobody."""
    anywhere: bool
    """A sentence mentions it even if it says much else."""
    own: bool
    """It is about the user: a sentence that is only about others does not mention it."""
    relation: frozenset[str] = frozenset()
    """If not empty, a sentence must have one of these stems too."""
    alone: bool = False
    """It has a single distinctive word: a memory with more of them is about something else."""
    phrase: str = ""
    """The statement itself, in small letters: a sentence that has it word for word says it,
    whatever else it says."""

    @property
    def needles(self) -> tuple[str, ...]:
        """Strings that every text, in small letters, which can mention it contains."""
        return (*self.parts, *(shared for stem in self.stems if (shared := needle(stem))))


def of_content(content: str, *, own: bool = False) -> list[Mention]:
    """The mentions of an entry's content, one for each sentence with a distinctive word.

    Of several sentences, those with a single distinctive word are left out. ``own``: the content is
    known to be about the user ("Lives in Portland").
    """
    sentences = speech_acts.sentences(content)
    found = []
    for sentence in sentences:
        stems, parts = distinctive(sentence)
        if not stems and not parts:
            stems = frozenset(words.stems(words.content_words(sentence)) - SELF)
        if len(stems) + len(parts) >= (1 if len(sentences) == 1 else 2):
            named = _names_something(sentence)
            found.append(
                Mention(
                    stems,
                    parts,
                    people_in(sentence),
                    anywhere=named,
                    own=own or _is_about_user(sentence),
                    alone=not named and len(stems) == 1 and not parts,
                )
            )
    return found


def of_request(text: str) -> Mention | None:
    """What a request asks to forget: "that I live in Portland", "Portland", "my sister's name".

    None: it has no distinctive word, or names a topic (``topic_of``)."""
    asked = tidy_request(text)
    stems, parts = distinctive(asked)
    if stems <= VAGUE and not parts:
        return None
    if TOPIC_ONLY.fullmatch(asked) is not None:
        return None
    statement = STATEMENT.search(asked) is not None or SPEAKER.search(asked) is not None
    named = _names_something(asked)
    return Mention(
        stems,
        parts,
        people_in(asked),
        anywhere=not statement or named,
        own=statement and _is_about_user(asked),
        relation=frozenset() if statement or named else _relation(asked),
        phrase=_spoken(asked) if statement and len(asked.split()) >= PHRASE_WORDS else "",
    )


PHRASE_WORDS = 3
"""Fewest words of a statement that is looked for word for word."""


def _spoken(text: str) -> str:
    """The words of a text in small letters, each between spaces."""
    return f" {' '.join(words.words(text))} "


def topic_of(text: str) -> str | None:
    """The topic of a request without a distinctive word ("my job" is "work"); None: it has none."""
    asked = tidy_request(text)
    return next((topic for topic, pattern in TOPICS.items() if pattern.search(asked)), None)


DEFINITE = re.compile(r"(?:the|that|this|those|these) |(?:about )?[A-Z]")


def is_definite(topic: str) -> bool:
    """Whether a topic can only be what was spoken of: "the door code", "Hanna"."""
    return DEFINITE.match(topic) is not None


def is_about(content: str, topic: str) -> bool:
    """Whether an entry's content is about a topic."""
    return WORK.match(content) is not None if topic == "work" else slot_of(content) == topic


def tidy_request(text: str) -> str:
    """A request without its opening: "everything you know about", "that"."""
    asked = " ".join(text.split()).rstrip(".!? ")
    while (shorter := PREAMBLE.sub("", asked)) != asked:
        asked = shorter
    return asked


def distinctive(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The stems that distinguish a text from others, and its runs of scripts without spaces."""
    found = [piece for word in words.content_words(text) for piece in pieces(word)]
    parts = tuple(dict.fromkeys(piece for piece in found if UNSPACED.search(piece)))
    spaced = (piece for piece in found if piece not in parts and piece not in words.STOP_WORDS)
    stems = {stem for word in spaced if (stem := words.stem(word)) not in RELATIONS}
    return frozenset(stems), parts


def pieces(word: str) -> list[str]:
    """A word, cut between scripts with and without spaces ("\u4f4f\u5728Berlin")."""
    if UNSPACED.search(word) is None:
        return [word]
    return [piece for piece in RUNS.split(word) if piece]


def people_in(text: str) -> frozenset[str]:
    """The relations of the user that a text names."""
    return frozenset(words.stems(word for word in words.words(text) if word in OTHERS))


def names_in(text: str) -> frozenset[str]:
    """The stems of names and numbers in a text: words with a capital letter where no sentence
    begins, or with a digit; without days, months, small numbers and Lo-Bug's own name."""
    found = [*words.NAME.findall(text), *WITH_DIGIT.findall(text)]
    stems = {stem for name in found for stem in distinctive(name)[0]}
    return frozenset(stem for stem in stems - NO_NAMES if not COUNT.fullmatch(stem))


def telling_names_in(text: str) -> frozenset[str]:
    """Those of ``names_in`` that identify a sentence by themselves: a year does not."""
    return frozenset(stem for stem in names_in(text) if not YEAR.fullmatch(stem))


def of_name(stem: str) -> Mention:
    """The mention of a name that no other memory has."""
    return Mention(frozenset([stem]), (), frozenset(), anywhere=True, own=False)


def contains(sentence: str, mention: Mention, *, memory: bool = False) -> bool:
    """Whether a sentence mentions it; ``memory``: it is a memory's, which says only one thing."""
    known = words.stems(piece for word in words.words(sentence) for piece in pieces(word))
    small = sentence.casefold()
    if not mention.stems <= known or not all(part in small for part in mention.parts):
        return False
    if mention.relation and not mention.relation & known:
        return False
    people = people_in(sentence)
    if not mention.people <= people:
        return False
    if mention.own and people - mention.people and not _is_about_user(sentence):
        return False
    if mention.anywhere or (mention.phrase and mention.phrase in _spoken(sentence)):
        return True
    more = distinctive(sentence)[0] - mention.stems
    if not mention.parts and all(COUNT.fullmatch(stem) for stem in mention.stems):
        return more <= TURNING  # "I'm 42", and not "I have 42 bees"
    if memory and mention.alone:
        return not more
    return len(more) <= max(1, len(mention.stems))


def without(text: str, mentions: Sequence[Mention], *, memory: bool = False) -> str:
    """A text without the sentences that mention any of these; the same object if none does.
    ``memory``: the text is a memory."""
    small = text.casefold()
    near = [m for m in mentions if all(part in small for part in m.needles)]
    if not near:
        return text
    sentences = speech_acts.sentences(text)
    kept = [
        part
        for part in sentences
        if not any(contains(part, mention, memory=memory) for mention in near)
    ]
    return text if len(kept) == len(sentences) else " ".join(kept)


def contains_any(text: str, mentions: Sequence[Mention]) -> bool:
    """Whether any sentence of a text mentions any of these."""
    return without(text, mentions) is not text


def _relation(text: str) -> frozenset[str]:
    stems = words.stems(words.words(text))
    return frozenset(stem for group in GROUPS if group & stems for stem in group)


def _is_about_user(sentence: str) -> bool:
    opening = SUBJECT.match(sentence)
    return (
        (opening is not None and not opening["s"])
        or SPEAKER.search(sentence) is not None
        or SAID_TO_USER.search(sentence) is not None
        or ABOUT_USER.search(sentence) is not None
    )


def _names_something(sentence: str) -> bool:
    """Whether a sentence has a name or a number, or is not English."""
    return bool(names_in(sentence)) or not words.is_english(f"the {sentence}")


def needle(stem: str) -> str:
    """The beginning that all forms of a stem share; empty: there is none."""
    if stem in IRREGULAR_STEMS or stem.isdigit():  # "25" may be said as "twenty-five"
        return ""
    if len(stem) <= 3:
        return ""
    british = stem.rfind("or") + 1  # "favorite" may be said as "favourite"
    return stem[: british or -1][: len(stem) - 1]


IRREGULAR_STEMS = words.stems(words.IRREGULAR.values()) | {
    words.stem(word) for word in words.IRREGULAR
}


_JOINED = re.compile(r",? and (?:also )?|, ", re.IGNORECASE)
_OWNER = re.compile(
    r"(?:my|our|his|her|their) (?:[\w-]+'s )?|[A-Z][\w-]*'s ",
)
_OF_NO_OWNER = re.compile(
    r"(?:my|our|his|her|their|the|that|where|what|when|who|how|about|everything)\b"
    r"|(?-i:[A-Z])|.*'s ",
    re.IGNORECASE,
)


def topics_in(text: str) -> tuple[str, ...]:
    """The topics that "and" joins, each with its owner: "my age and job" is "my age", "my job"."""
    parts = [part for part in _JOINED.split(text) if part]
    owner = _OWNER.match(text)
    said = [
        part if owner is None or _OF_NO_OWNER.match(part) else f"{owner[0]}{part}" for part in parts
    ]
    return tuple(said)


def is_pronoun(text: str) -> bool:
    """Whether a topic is somebody named before: "her"."""
    return text.lower() in {"him", "her", "them"}
