"""Takes apart a question about the user, theirs or somebody by name, and puts it as it stands
within a sentence: "which school did my mum go to?" is "which school your mum went to". English.
Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lobug.language.en import verbs
from lobug.language.en.claims import case_restoration
from lobug.language.en.claims.lexicon import BE, DO, HAVE, TITLES, Token, lemma, tokens
from lobug.language.en.claims.question_parser import (
    ASKING,
    CONTRACTED,
    OPENING,
    SAID,
    TRAILING,
    UNSPLIT,
    wh_of,
)
from lobug.language.en.claims.question_phrases import subjects
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.sentence_forms import past

Whose = Literal["user", "us", "person", "thing", "named"]
"""Whom a question is about: the user, the user and others, somebody or an animal of theirs, a thing
of theirs, or somebody by name."""

_ADVERBS = frozenset(
    """actually already also always currently ever even first just last never normally often only
    really recently still usually""".split()
)
_BEGINS_REST = frozenset(
    """a an the my our his her their in on at to of for from with by about under near than and or
    like as not""".split()
)
_SPOKEN = {
    "my": "your", "our": "your", "mine": "yours", "ours": "yours", "me": "you", "us": "you",
    "i": "you", "we": "you", "myself": "yourself", "ourselves": "yourselves",
}  # fmt: skip
_OF_YOU = {"am": "are", "was": "were", "'m": "'re"}


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart."""

    wh: str
    """The words that ask, as said: "which school"; empty: for yes or no."""
    whose: Whose
    subject: Sequence[Token]
    aux: str
    """Its form of be, have or do: that of "does" for "my shift starts"."""
    verb: str
    """In its base form, or a participle after have; empty: the auxiliary is the verb."""
    before: Sequence[Token]
    """Adverbs before the verb."""
    rest: Sequence[Token]
    """What follows it."""

    @property
    def noun(self) -> str:
        """The last word of its subject."""
        return self.subject[-1].low

    @property
    def said(self) -> frozenset[str]:
        """The words after the verb."""
        return frozenset(token.low for token in self.rest)

    @property
    def first(self) -> str:
        """The first of these."""
        return self.rest[0].low if self.rest else ""

    @property
    def is_past(self) -> bool:
        """Whether it asks for what was or happened."""
        return self.aux in {"did", "was", "were", "had"}

    def indirect(self) -> str:
        """The question as it stands after "you haven't told me"."""
        wh = f"{self.wh[:1].lower()}{self.wh[1:]}" if self.wh else "whether"
        said = [wh, spoken(self.subject), *self._predicate(), spoken(self.rest)]
        return " ".join(part for part in said if part)

    def _predicate(self) -> tuple[str, ...]:
        before = spoken(self.before)
        if self.aux in HAVE:
            return self.aux, before, self.verb
        return (self._finite(), before) if self.aux in BE else (before, self._finite())

    def _finite(self) -> str:
        of_user = self.whose in {"user", "us"}
        if self.aux in BE:
            return _OF_YOU.get(self.aux, self.aux) if of_user else self.aux
        if self.aux == "did":
            return past(self.verb)
        return verbs.to_third(self.verb) if self.aux == "does" else self.verb


def plain(question: str) -> str:
    """A question without the words that open and close it."""
    body = case_restoration.restore_apostrophes(" ".join(question.replace("\u2019", "'").split()))
    body = SAID.sub(r"\g<wh> ", ASKING.sub("", OPENING.sub("", body).strip(" ?!.")))
    body = re.sub(r"^(?:if|whether)\s+", "", UNSPLIT.sub(r"\1 is", body), flags=re.IGNORECASE)
    while (match := _CLOSING.search(body)) is not None:
        body = body[: match.start()]
    return body


_CLOSING = re.compile(
    rf"(?!.* at (?:university|uni|college|school|work)$|.* (?:today|as well|too|then)$)"
    rf"{TRAILING.pattern}",
    re.IGNORECASE,
)
"""Words that close a question and say nothing."""


def parse(body: str) -> Question | None:
    """Take a plain question apart; None: it is not about the user, theirs, or somebody by name, or
    how it is to be taken apart is unclear."""
    found = tokens(body)
    wh, at = _asking(found)
    if at >= len(found):
        return None
    asking = body[: found[at].start].strip()
    aux = CONTRACTED.get(found[at].low, found[at].low)
    if aux in BE | HAVE | DO:
        negated = at + 1 < len(found) and found[at + 1].low in {"n't", "not"}
        return _inverted(found, at + 1 + negated, asking, aux)
    return _stated(found, at, asking) if wh or found[at].low in {"i", "we", "my", "our"} else None


def _asking(found: Sequence[Token]) -> tuple[str, int]:
    if found and found[0].low == "why":
        return "why", 1
    return wh_of(found)


def _inverted(found: Sequence[Token], at: int, wh: str, aux: str) -> Question | None:
    """ "... did my mum go to"."""
    whose = _whose(found, at)
    end = None if whose is None else _end(found, at, aux, of_all=bool(wh))
    if whose is None or end is None:
        return None
    subject = found[at:end]
    whose = _of_thing(subject, whose)
    after = end
    while after < len(found) and found[after].low in _ADVERBS:
        after += 1
    before, rest = found[end:after], found[after + 1 :]
    if aux in BE:
        return Question(wh, whose, subject, aux, "", before, found[after:])
    if after >= len(found):
        # "How many goats have I?"
        return Question(wh, whose, subject, "do", "have", before, ()) if aux in HAVE else None
    verb = found[after].low
    if aux in DO:
        return Question(wh, whose, subject, aux, verb, before, rest)
    if verb == "got":
        return Question(wh, whose, subject, "does" if aux == "has" else "do", "have", before, rest)
    if verb in {"a", "an", "any", "no"} and aux != "had":
        return Question(wh, whose, subject, "do", "have", before, found[after:])
    is_participle = verb.endswith(("ed", "en", "ne", "wn")) or lemma(verb) is not None
    return Question(wh, whose, subject, aux, verb, before, rest) if is_participle else None


def _stated(found: Sequence[Token], at: int, wh: str) -> Question | None:
    """ "... I parked the caravan", after "do you know where"."""
    whose = _whose(found, at)
    end = None if whose is None else _end(found, at, "", of_all=False)
    if whose is None or end is None or end >= len(found):
        return None
    subject, rest = found[at:end], found[end + 1 :]
    whose = _of_thing(subject, whose)
    finite = CONTRACTED.get(found[end].low, found[end].low)
    if finite in BE:
        return Question(wh, whose, subject, finite, "", (), rest)
    base = lemma(finite)
    if base is None or finite in HAVE:
        return None
    was = verbs.is_past(finite) or (finite != base and finite.endswith("ed"))
    aux = "did" if was else "does" if finite != base else "do"
    return Question(wh, whose, subject, aux, base, (), rest)


def _whose(found: Sequence[Token], at: int) -> Whose | None:
    """Of whom a subject is that begins at an index."""
    if at >= len(found):
        return None
    first = found[at]
    if first.low in {"i", "we"}:
        return "user" if first.low == "i" else "us"
    if first.low in {"my", "our"}:
        return "person"
    is_name = first.low in TITLES or relation_book().is_first_name(first.text.capitalize())
    return "named" if is_name or first.is_name else None


def _of_thing(subject: Sequence[Token], whose: Whose) -> Whose:
    """ "Person" only where it is of one: "my sister", not "my sister's house"."""
    if whose != "person":
        return whose
    book = relation_book()
    somebody = any(book.kind_of(("user", one)) in {"person", "pet"} for one in _nouns(subject))
    return "person" if somebody else "thing"


def _nouns(subject: Sequence[Token]) -> Sequence[str]:
    """The last noun of a subject, and of "my brother Sam" the one before the name."""
    named = [token for token in subject[1:] if not token.is_name and token.text[0].isalpha()]
    return [token.low for token in (*named[-1:], *subject[-1:])]


def _end(found: Sequence[Token], at: int, aux: str, *, of_all: bool) -> int | None:
    """Where the subject that begins at an index ends. ``of_all``: it may be all that follows: "what
    is my passport number"."""
    if found[at].low in {"i", "we"}:
        return at + 1
    read = subjects(found, at)
    ends = sorted({end for _, end in read})
    if of_all and aux in BE and ends and ends[-1] == len(found):
        return ends[-1]
    inside = [end for end in ends if end < len(found)]
    if aux in DO:
        verbal = [end for end in inside if lemma(found[end].low) == found[end].low]
        inside = verbal or [end for end in inside if found[end].low not in _BEGINS_REST]
    elif aux in HAVE:
        inside = [end for end in inside if found[end].low in {"got", "a", "an", "been", "had"}]
    return inside[-1] if inside else None


def who_did(body: str) -> tuple[str, Sequence[Token]] | None:
    """The verb and all words of a question for whoever did or does something: "who taught me to
    swim?"."""
    found = tokens(body)
    if len(found) < 3 or found[0].low != "who":
        return None
    at = 2 if CONTRACTED.get(found[1].low, found[1].low) in BE else 1
    base = lemma(found[at].low) if at < len(found) else None
    is_base = at == 1 and base == found[at].low and not verbs.is_past(found[at].low)
    return None if base is None or is_base else (base, tokens(f"w{body[1:]}"))


def spoken(said: Sequence[Token]) -> str:
    """Words as they are said to the user: "your mum" of "my mum"."""
    text, end, you = "", -1, False
    for token in said:
        word = _SPOKEN.get(token.low) or (_OF_YOU.get(token.low, token.text) if you else token.text)
        glue = "" if end in {-1, token.start} or token.low == "'s" else " "
        text, end, you = f"{text}{glue}{word}", token.end, token.low in {"i", "we"}
    return text
