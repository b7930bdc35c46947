"""Questions and topics that no relation holds: which free statement answers them. English. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from lobug.language.en import words
from lobug.language.en.claims.question_parser import ASKING, UNSPLIT
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.statement_comparison import (
    NOT_ASKED_FOR,
    OVER,
    SPEAKER,
    TIME,
    TO_LOBUG,
    about,
    about_and_owners,
    content,
)
from lobug.language.en.claims.values import NUMBER
from lobug.language.en.data import word_map, word_set

FIELDS: Mapping[str, frozenset[str]] = {
    word: field
    for words_of in word_map("free_statements", "fields").values()
    for field in [frozenset(words.stems(words_of.split()))]
    for word in field
}
"""Stems of words that tell of the same: "work", "job" and "boss"."""
_OPINION = re.compile(
    r"(?:what do (?:i|we) think (?:of|about)|how do (?:i|we) feel about"
    r"|what(?:['\u2019]?s| is) my opinion (?:of|on|about)|do (?:i|we) get on with)\b",
    re.IGNORECASE,
)
_ATTITUDE = re.compile(
    r"\b(?:(?:dis)?likes?|loves?|hates?|adores?|fond|fancy|fancies|stand|thinks?|respects?"
    r"|(?:dis)?trusts?|admires?|gets? on|fed up|annoy\w*|despises?|misses)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    rf"\b(?:at|by|from|until|till|around|to|past) (?:{NUMBER.pattern})", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:in|on|at|under|behind|next to|near|inside|with|by|into|onto|above|below|beside|between"
    r"|from|to|upstairs|downstairs|outside|home|there|here|round|over)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"^(?:when|since when|until when|how long|how often|(?:at |on |in )?(?:what|which)"
    r" (?:time|day|date|month|year))\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"^(?:where|in (?:what|which)|(?:what|which) (?:floor|room|street|place))", re.I
)
_WHEREABOUTS = re.compile(
    r"^where(?:'s| is| are| was| were)\b|\b(?:leave|left|put|keep|kept|store|hide|lend|go|gone)\b",
    re.IGNORECASE,
)
"""A question of where something is."""
_HOW_MANY = re.compile(r"^how (?:many|much|old|big|tall|far|high|large|long)\b", re.IGNORECASE)
_WHO = re.compile(r"^(?:who|whom|whose|(?:with|for|to|from) whom?)\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:called|named|names?)\b", re.IGNORECASE)
_NAMED = re.compile(
    r"(?i:\b(?:called|named|names?|and)\b)|[,:]"
    r"|(?<!^)(?<!\b[Aa]t )(?<!\b[Ii]n )(?<!\b[Oo]n )\b[A-Z]"
)
"""What a statement has that tells a name."""
_ASKS_FOR = re.compile(r"^(?:what|which|who|whom|whose|where|when|why|how|since|until)\b", re.I)
_DEFINITE = re.compile(r"\bthe \w", re.IGNORECASE)
_FOR_ADVICE = re.compile(
    r"(?:(?:what|where|who|when|how|which \w+) )?(?:shall|should|could|would|can|may|will|must)\b",
    re.IGNORECASE,
)
_USER_ACTS = re.compile(r"\b(?:do|did|have|am) (?:i|we)\b", re.IGNORECASE)
_PARTS = re.compile(r"[,;]\s*(?:and |but |so |now )?| (?:and|but|so|because) ", re.IGNORECASE)


def asked_words(question: str) -> list[str]:
    """The words of a question that what answers it must have."""
    return [word for word in words.content_words(question) if words.stem(word) not in NOT_ASKED_FOR]


def answering(question: str) -> Callable[[str], bool]:
    """A test of whether a statement tells what a question asks: it has all of its words, and a
    time, place or number where that is asked for."""
    asked = UNSPLIT.sub(r"\1 is", question.strip(" ?!."))
    opinion = _OPINION.match(asked)
    wanted = content(asked[opinion.end() :] if opinion else asked)
    if not wanted or not _may_be_answered(asked):
        return lambda _: False
    value_asked = opinion is None and _ASKS_FOR.match(asked) is not None

    def answers(statement: str) -> bool:
        told = content(statement)
        for kind, those in _kinds().items():
            told = told | {kind} if told & those else told
        if not wanted <= told or (opinion is not None and _ATTITUDE.search(statement) is None):
            return False
        if not _is_of_asked(asked, wanted, statement):
            return False
        return not value_asked or _has_value(asked, " ".join(statement.split()), more=told > wanted)

    return answers


@lru_cache
def _kinds() -> Mapping[str, frozenset[str]]:
    """Kinds of things that a question may ask for, and what is of them, as stems."""
    pets = frozenset(words.stems(relation_book().pets))
    currencies = frozenset(words.stems(word_set("free_statements", "currencies")))
    return {
        **dict.fromkeys(words.stems(["animal", "pet"]), pets),
        words.stem("money"): currencies,
    }


def _may_be_answered(asked: str) -> bool:
    """Whether a question asks neither for advice nor for what Lo-Bug is or does."""
    return not (_FOR_ADVICE.match(asked) or TO_LOBUG.search(ASKING.sub("", asked)))


def _is_of_asked(asked: str, wanted: frozenset[str], statement: str) -> bool:
    """Whether a statement may be about whom a question is about."""
    of, owners = about_and_owners(statement)
    whom = frozenset() if _WHO.match(asked) else of
    if not owners | whom <= wanted:
        return False  # "my sister's dog" is not my dog, and what she plays tells nothing of me
    if "owe" in wanted and bool(of) == (_USER_ACTS.search(asked) is not None):
        return False  # "I owe Ann" is not "Ann owes me"
    # "How many people live in Hamburg?" asks nothing of the user.
    return bool(of or SPEAKER.search(asked) or _DEFINITE.search(asked))


def _has_value(asked: str, statement: str, *, more: bool) -> bool:
    """Whether a statement has what the question asks for; ``more``: it says more than that."""
    if _WHEN.match(asked):
        return TIME.search(statement) is not None or _CLOCK.search(statement) is not None
    if _HOW_MANY.match(asked):
        return NUMBER.search(statement) is not None
    if _WHERE.match(asked):
        places = {match[0].lower() for match in _PLACE.finditer(statement)}
        # "I live with two cats" says nothing of where, "my key is with Ann" does.
        return bool(places if _WHEREABOUTS.search(asked) else places - {"with"})
    if _CALLED.search(asked):
        return _NAMED.search(statement) is not None
    # "I work as a nurse" says nothing of who I work for.
    if _WHO.match(asked):
        return " as a" not in statement
    return more


def telling(topic: str) -> Callable[[str], bool]:
    """A test of whether a sentence tells what a topic names: of each of its words it has one of the
    same field, and it is about the user or about what the topic names."""
    fields = [FIELDS.get(word, frozenset({word})) for word in content(topic)]
    named = frozenset[str]().union(*fields)

    def tells(sentence: str) -> bool:
        told = content(sentence)
        return bool(fields) and all(told & field for field in fields) and about(sentence) <= named

    return tells


def ends(statement: str, question: str) -> bool:
    """Whether a statement that has the words of a question says that it is over: "I've stopped
    ballet, I do street dance" of "do I do ballet?"."""
    wanted = content(question.strip(" ?!."))
    if _ASKS_FOR.match(question.strip()) or OVER.search(question):
        return False
    part = next((one for one in _PARTS.split(statement) if wanted <= content(one)), "")
    return OVER.search(part) is not None
