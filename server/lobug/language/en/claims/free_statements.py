"""Which statements that no relation holds are worth keeping as they were said. English. Pure.

"I owe Sandra twenty pounds" is of no relation, and yet it is to be known, put right and asked
for.
"""

from __future__ import annotations

import re

from lobug.language.en import speech_acts, standalone_statements, summaries, verbs, words
from lobug.language.en.claims.lexicon import starts_verb, tokens
from lobug.language.en.claims.openings import unopened
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.statement_comparison import (
    CHANGE,
    EVENT,
    OVER,
    SPEAKER,
    TIME,
    TO_LOBUG,
    content,
)
from lobug.language.en.data import word_set
from lobug.language.en.perspective import about_the_user, said_to_the_user

FEWEST_WORDS = 2
MOST_WORDS = 24
SHORT = 9
"""Words of a statement that may be without a name or number."""
TELLING = 2.0
"""Weight from which a longer one is a fact, as of ``summaries.telling``."""

NOT_KEPT = word_set("free_statements", "not_kept")
"""Verbs in the first person that tell of the talk or of a mood: "I think", "I wonder"."""
PASSING = word_set("free_statements", "passing")
"""States that pass within hours: "tired", "hungry"."""
EPISODES = word_set("free_statements", "episodes")
"""Past forms of which the result lasts: "bought", "put"."""

_NOW_ONLY = re.compile(
    r"\b(?:right now|just now|at the moment|in a (?:minute|moment|second|bit)|this (?:morning"
    r"|afternoon|evening)|today|tonight|yesterday|last night)\b",
    re.IGNORECASE,
)
_GOING_ON = re.compile(
    r"^(?:i['\u2019]?m|i am|we['\u2019]re|we are) (?:just |only |still )?"
    r"(?!(?:saving|building|restoring|renovating|writing|training|revising|fostering|designing"
    r"|applying)\b)[a-z]+ing\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"^(?:maybe|perhaps|probably|possibly|i (?:don['\u2019]?t )?(?:think|believe|guess|suppose"
    r"|reckon|assume|suspect|doubt|hope|bet))\b|\b(?:might|may|could|would|should|if|wish)\b"
    r"|^(?:\w+ ){1,3}(?:says?|said|thinks?|thought|tells?|told|believes?|claims?)\b",
    re.IGNORECASE,
)
"""A statement of which the speaker is not sure, or that reports what somebody else says."""
_OF_THE_TALK = re.compile(
    r"(?:i|we)(?:['\u2019]ve| have)? (?:have|had|got|have got) (?:a |an |no |some |another |one )?"
    r"(?:more |good |bad |great )?(?:quick )?(?:news|questions?|idea|clue|feeling|minute|moment"
    r"|point|time|headache|hunch"
    r"|request|favou?r|favou?r to ask)\b"
    r"|(?:i['\u2019]?m|i am) (?:on my way|in (?:a meeting|the (?:bath|shower|car|kitchen))|in a"
    r" (?:hurry|rush|bad mood|good mood)|at the (?:moment|shops?|station))\b"
    r"|(?:i|we) (?:got|get) (?:up|home|back|there|here|an? (?:email|call|letter|message))\b"
    r"|(?:i|we) (?:put|phrased|worded|said|explained|expressed|typed|spelled|spelt|wrote|meant)"
    r" (?:that|it|this)\b"
    r"|(?:i|we) (?:love|like|hate|get|got|did|do|did) (?:it|that|this|them)$"
    r"|nobody\b|no one\b",
    re.IGNORECASE,
)
"""What concerns the conversation itself, or will have passed within an hour."""
_QUESTION = re.compile(
    r"(?:what|who|where|when|how|which|why|whose|whom)(?:['\u2019]?s|['\u2019]re|re)?\b"
    r"|(?:do|does|did|am|is|are|was|were|can|could|will|would|should|have|has|had)(?:n['\u2019]?t)?"
    r" (?:i|we|my|our|the|he|she|it|they|there)\b|(?:do|does|did) ",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:,? and|,? but|;|:)\s+(?=(?:i|we|my|our)\b)", re.IGNORECASE)
_BEGINS = re.compile(
    r"(?:i|we|im|ive|weve|i['\u2019]\w+|we['\u2019]\w+|my|our|the|all the|me and \w+|mums?|dads?"
    r"|(?P<name>(?-i:[A-Z])[\w-]+)(?:['\u2019]s)?) ",
    re.IGNORECASE,
)
"""Opens a statement about the speaker, theirs, or somebody by name."""
_OF_THE_WORLD = re.compile(r"the \w+ of (?-i:[A-Z])", re.IGNORECASE)
""" "The capital of Australia"."""
_EVALUATES = re.compile(
    r"\b(?:super|really|truly|totally|such|amazing|awesome|wonderful|incredible|great|tough|fun"
    r"|rewarding|important|welcoming|inspiring|dreams?|goals?|journey|passion\w*|feel(?:s|ing)?"
    r"|gonna|wanna|gotta|hopefully|we can|talked|chatted|spoken)\b",
    re.IGNORECASE,
)
_IS = re.compile(
    r"['\u2019]s (?:in|on|at|with|under|behind|by|off|over|not|now|from|gone|called|always)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:(?:i|we) (?:want|would like|['\u2019]d like) to\b|(?:i|we)['\u2019]d\b"
    r"|(?:i|we) would\b|let['\u2019]?s\b|let me\b|i['\u2019]?ll\b|i will\b)",
    re.IGNORECASE,
)
_DUTY = re.compile(r"(?:i|we)(?:['\u2019]ve)? (?:need|have|got) to\b", re.IGNORECASE)
"""What has to be done, which is kept with its time: "I have to see the dentist on Friday"."""
DATED = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|winter|christmas|easter"
    r"|mornings?|evenings?|afternoons?|noon|midnight|weekends?|(?:19|20)\d\d|\d{1,2}[:.]\d\d"
    r"|(?:for|since|every|each) (?:the )?(?:\w+ )?(?:years?|months?|weeks?|days?|other))\b",
    re.IGNORECASE,
)
"""Phrases of time that mean the same later, or can be counted from the day on which they were
said."""


def kept(sentence: str) -> str | None:
    """A statement that is worth keeping, without the words that open it; None: it tells of the talk
    itself, of a mood, of what goes on now or what happened once."""
    text = unopened(sentence.strip()).rstrip(" .!,;")
    if not FEWEST_WORDS <= len(text.split()) <= MOST_WORDS or not content(text):
        return None
    if _is_of_the_talk(text) or speech_acts.is_question(sentence):
        return None
    if _DUTY.match(text) and not DATED.search(text):
        return None
    changes = CHANGE.search(text) is not None
    if not _is_about_theirs(text) or not _has_verb(text):
        return None
    plain = changes and not _EVALUATES.search(text)
    if not plain and (standalone_statements.points(text) or not _is_concrete(text)):
        return None
    going_on = _GOING_ON.match(text) is not None and TIME.search(text) is None
    if not changes and (going_on or _NOW_ONLY.search(text)):
        return None
    return None if _is_passing(text, changes=changes) else text


def _is_of_the_talk(text: str) -> bool:
    """Whether a text asks, wants or supposes something, or speaks of the talk or to Lo-Bug."""
    if "?" in text or speech_acts.is_small_talk(text):
        return True
    signs = (_QUESTION.match, _REQUEST.match, _OF_THE_TALK.match, _UNSURE.search, TO_LOBUG.search)
    return any(sign(text) for sign in signs)


def _is_about_theirs(text: str) -> bool:
    """Whether a statement is about the speaker, theirs, or somebody by name."""
    if _is_event(text):
        return True
    begins = None if text.lower().startswith("mine ") else _BEGINS.match(text)
    if begins is None or _OF_THE_WORLD.match(text):
        return False
    named = begins["name"]
    # "Lucinda owes me sixty pounds": whoever has to do with the speaker.
    return not named or relation_book().is_first_name(named) or SPEAKER.search(text) is not None


def _is_event(text: str) -> bool:
    """Whether it says when an event without an owner takes place: "bin day is Tuesday"."""
    match = EVENT.match(text)
    if match is None:
        return False
    return DATED.match(text, match.end()) is not None or OVER.search(text) is not None


def _has_verb(text: str) -> bool:
    """Whether a text is more than a noun phrase."""
    found = tokens(text)
    if len(found) > 1 and found[0].low in {"i", "we"}:
        return True
    return (
        _IS.search(text) is not None
        or CHANGE.search(text) is not None
        or any(starts_verb(found, at) for at in range(1, len(found)))
    )


def timed(sentence: str, facts: str) -> str | None:
    """A statement that was read, where the sentences of its claims lack a time of it that will mean
    the same later: "we got married in 1987" of "the user is married"."""
    times = {word.lower() for word in DATED.findall(sentence)}
    if not times - {word.lower() for word in DATED.findall(facts)}:
        return None
    text = unopened(sentence.strip()).rstrip(" .!,;")
    return text if len(text.split()) <= MOST_WORDS and not TO_LOBUG.search(text) else None


def is_mood(value: str) -> bool:
    """Whether a value describes a state of the moment, such as "late" or "tired"."""
    said = words.WORD.findall(value.lower())
    return not said or said[0] in PASSING or said[-1] in PASSING


def _is_concrete(text: str) -> bool:
    """Whether a statement tells a fact, not what somebody thinks of it: short and plain, or with
    names, numbers or people."""
    short = len(text.split()) <= SHORT and not _EVALUATES.search(text)
    return short or summaries.telling(about_the_user(text)) >= TELLING


def _is_passing(text: str, *, changes: bool) -> bool:
    """Whether a statement tells of a mood, of the talk, or of an episode."""
    said = words.WORD.findall(text.lower())
    if said[0] in {
        "i",
        "we",
        "i'm",
        "im",
        "i've",
        "ive",
        "we're",
        "we've",
        "i\u2019m",
        "i\u2019ve",
    }:
        after = [word for word in said[1:5] if word not in verbs.ADVERBS and word != "am"]
        verb = after[0] if after else ""
        if verb in NOT_KEPT | PASSING:
            return True
        return _is_over(verb) and not changes
    return any(map(_is_over, said[:6])) and not changes


def _is_over(word: str) -> bool:
    """Whether a verb in the past tells of what happened once and has no lasting result."""
    past = verbs.is_past(word) or word in {"had", "was", "were", "did"}
    return past and word not in EPISODES


def parts(sentence: str) -> list[str]:
    """The statements that are joined in a sentence: "I sing in a choir, and I swim on Sundays"."""
    found = _JOINED.split(sentence)
    return found if all(kept(part) is not None for part in found) else [sentence]


def noted(statement: str) -> str:
    """A statement as memory stores it: "The user owes Sandra twenty pounds"."""
    return about_the_user(statement)


def told(statement: str) -> str:
    """A statement as the user is told it, to stand within a sentence: "you owe Sandra twenty
    pounds"."""
    return said_to_the_user(about_the_user(statement))
