"""Finds the sentences that only the user's own words tell truly. English. Pure.

"We're moving in May" does not say who moves, so "the user is moving" may be wrong; in "Priya said
I'm quitting" it is Priya who quits; a joke is none any more in the third person. In a summary such
sentences stand as quotations.
"""

from __future__ import annotations

import re

WE = re.compile(r"\b(?:we|us|ours|ourselves|let['\u2019]s|we['\u2019]\w+)\b", re.I)
COUNTRY = re.compile(r"\b(?:US|the [Uu][Ss])\b")
SPEAKER = re.compile(r"\b(?:i|me|my|mine|myself|i['\u2019]\w+|im|ive|our)\b", re.I)
IN_QUOTES = re.compile(
    r"[\"\u201c\u201d]|(?<!\w)['\u2018]\w[^'\u2018\u2019]*?[\s,.!?]['\u2019](?!\w)"
)
SAYS = re.compile(
    r"(?<!\bi )(?<!\bi just )(?<!\bi['\u2019]ve )(?<!\bi have )(?<!\bi never )(?<!\bi also )"
    r"\b(?:sa(?:ys?|id|ying)|tells|told|telling|texted|texts|messaged|wrote|writes|asks?|asked"
    r"|thinks?|thought|reckons?|reckoned|believes?|swears?|swore|claims?|claimed|insists?|insisted"
    r"|promised|announced|shouted|yelled|screamed|whispered|replied|answered|complained|joked"
    r"|admitted|suggested|suggests|jokes|goes|(?:was|were|is|are|['\u2019]s) (?:just |all )?like"
    r")\b,?"
    r"(?: (?:to )?(?:me|my (?:\w+ ){0,2}?\w+)(?= |,|:))?",
    re.I,
)
"""Somebody says or thinks something; the one to whom is part of it."""
SAID_LAST = re.compile(
    r",\s*(?!i\b)(?:\w+ ){0,3}(?:says?|said|reckons?|reckoned|thinks?|thought|told me|tells me"
    r"|claims?|claimed|insists?|swears?|promised?)\W*$",
    re.I,
)
""" "In the book I'm Hagrid, she says"."""
JOKES = re.compile(
    r"\b(?:ha(?:ha)+|he(?:he)+|lol|lmao|rofl|jk|(?:just |only )?(?:joking|kidding)|in my dreams"
    r"|sa(?:id|ys) (?:nobody|no one|every ?(?:body|one|\w+ ever))|yeah right|as if"
    r"|not really|pigs fly)\b",
    re.I,
)
MADE_UP = re.compile(
    r"\b(?:in|for|during) (?:the|my|this|that|a|our) (?:\w+ )?"
    r"(?:dream|nightmare|book|game|novel|film|movie|play|story|sketch|panto|pantomime|musical)\b"
    r"|\b(?:i (?:pretend|pretended|imagine|imagined|dream|dreamt|dreamed)"
    r"|(?:let['\u2019]s|let us|say|suppose|imagine|pretend) (?:say |that )?(?:i|i['\u2019]\w+|my)"
    r"|what if)\b",
    re.I,
)


def must_be_quoted(said: str) -> bool:
    """Whether a sentence may be false as soon as it is told in the third person."""
    return (
        WE.search(COUNTRY.sub(" ", said)) is not None
        or IN_QUOTES.search(said) is not None
        or JOKES.search(said) is not None
        or MADE_UP.search(said) is not None
        or tells_words_of_others(said)
    )


def is_playful(said: str) -> bool:
    """Whether a sentence is not meant as it stands: a joke, a dream, a part in a play."""
    return JOKES.search(said) is not None or MADE_UP.search(said) is not None


def tells_words_of_others(said: str) -> bool:
    """Whether a sentence repeats somebody else's words or thoughts with an "I" or a "my" in them,
    which may be theirs."""
    if SAID_LAST.search(said):
        return SPEAKER.search(said) is not None
    return any(SPEAKER.search(said, match.end()) is not None for match in SAYS.finditer(said))
