"""Reads the clauses of simple English statements: who, what, when. Pure.

A grammar of everyday statements, not of English: a clause has a subject ("I", "my sister's dog",
"Hanna"), one verb group and a complement. What it cannot read it leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lobug.language.en.claims.lexicon import (
    BE,
    DETERMINERS,
    DO,
    HAVE,
    NEGATED,
    OWNERS,
    PARTICIPLES,
    PREPOSITIONS,
    Token,
    is_past,
    lemma,
    tokens,
)
from lobug.language.en.claims.openings import CALLED_FIRST, IS_TIME, OPENING_WORDS, opened
from lobug.language.en.claims.sentence_parts import Part, begins_clause, parts_of, subjects_of
from lobug.language.en.claims.subjects import NounPhrase, noun_phrase
from lobug.language.en.claims.time_phrases import (
    ENDS,
    MONTH,
    kept,
    without_time,
)
from lobug.language.en.claims.verb_groups import Tense, VerbGroup, verb_group
from lobug.language.en.verbs import JOINED

__all__ = [
    "BE",
    "DO",
    "HAVE",
    "MONTH",
    "PARTICIPLES",
    "Clause",
    "NounPhrase",
    "Parsed",
    "Token",
    "lemma",
    "parse",
    "tokens",
]


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement."""

    subjects: tuple[NounPhrase, ...]
    """More than one: "Mia and I"."""
    verb: str
    """Its base form: "live" in "I've been living in Rome"."""
    complement: str
    """What follows the verb, as said, without phrases of time."""
    tense: Tense = "present"
    negated: bool = False
    no_more: bool = False
    """It says that something has ended: "no longer", "any more"."""
    unsure: bool = False
    """The speaker does not say that it is so: "I think", "probably"."""
    time: tuple[str, ...] = ()
    """Phrases of time, as said: "since 2019", "last week"."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The clauses of a sentence."""

    clauses: tuple[Clause, ...]
    whole: bool
    """Every part of the sentence is in a clause."""


_TASTES = frozenset({"like", "love", "hate", "prefer", "enjoy", "dislike"})
_LONGEST_APPOSITION = 120
_PARTICIPLES_OF_NOUNS = frozenset("called named married broken used mixed followed raised".split())
"""Forms of the past after which a noun phrase goes on: "a cat called Tom"."""
_SHARED_INFINITIVE = re.compile(r"\b(?:used|going) to \w+(?: \w+){0,3}$")
_FINITE = re.compile(r"\b(?:i|we|they|he|she)(?:['\u2019]\w+)?\b", re.IGNORECASE)


_SUBORDINATE = frozenset(
    {"if", "unless", "when", "whenever", "before", "after", "until", "once", "as soon as"}
    | {"even if"}
)

_ENDS_WITH_CONJUNCTION = re.compile(
    r"(?:^|,?\s+)(?:and|but|so|or|because|while|although|though|since|when|who|which)$", re.I
)


def parse(sentence: str) -> Parsed:
    """The clauses of a sentence that is no question and no order."""
    reader = _SentenceReader()
    sentence = CALLED_FIRST.sub("", sentence.strip())
    for part in parts_of(sentence.rstrip(".!,;: ")):
        reader.take(part)
    reader.close()
    return Parsed(tuple(reader.clauses), reader.whole)


class _SentenceReader:
    """Puts parts together until each is a clause."""

    def __init__(self) -> None:
        self.clauses: list[Clause] = []
        self.whole = True
        self.open: list[str] = []
        self.complete = False
        """Whether the open parts have a subject and a verb."""
        self.leaning = False
        """Whether the open parts have the subject of the clause before them."""
        self.subordinate = False
        self.relative: NounPhrase | None = None
        self.last: Clause | None = None
        self.times: tuple[str, ...] = ()
        """Phrases of time that stood before the next clause."""

    def take(self, part: Part) -> None:
        if not part.text.strip():
            if self.open:
                self.open.append(part.before)
            return
        if OPENING_WORDS.fullmatch(f"{part.text.strip()} ") or IS_TIME.fullmatch(part.text.strip()):
            self._opens(part)
            return
        word = part.word
        if word in {"who", "which"} and self._relative(part):
            return
        begins = begins_clause(part.text)
        joins = word in {"and", ""} and bool(part.before.strip())
        if begins and joins and self.open and not self.complete and _is_noun_phrase(self.open):
            self.open += [part.before, part.text]  # "Mia and I broke up": a subject of two
            self.complete = True
            return
        leans = not begins and self.complete and self._leans(part)
        if self.open and not begins and not leans:
            self.open += [part.before, part.text]
            return
        self.close()
        self.open = [part.text]
        self.complete = begins or leans
        self.leaning = leans
        self.subordinate = word in _SUBORDINATE

    def _opens(self, part: Part) -> None:
        """ "By the way", "when I was a child": words that open or close a statement."""
        if IS_TIME.fullmatch(part.text.strip()):
            if self.complete and not self.leaning and self.open:
                self.open += [part.before, part.text]
                return
            self.times = (part.text.strip(),)

    def _relative(self, part: Part) -> bool:
        """ "My sister, who lives in Rome, is a nurse"."""
        text = "".join(self.open)
        if not self.open or len(text) > 200:
            return False
        if self.complete:
            phrase = _last_phrase(text)
            self.close()
        else:
            found = noun_phrase(tokens(text.strip()))
            phrase = found[0] if found is not None else None
            self.open = []
        if phrase is None:
            self.whole = False
            self.last = None
            return True
        self.relative = phrase
        self.open, self.complete, self.leaning = [part.text], True, True
        self.last = Clause((phrase,), "", "")
        return True

    def _leans(self, part: Part) -> bool:
        """Whether a part begins with a verb whose subject is that of the clause before."""
        if part.word not in {"and", "but", "or", "nor", "so", ""} or part.before.strip() == ":":
            return False
        found = tokens(opened(part.text[:200])[0])
        if not found or found[0].is_name:
            return False
        low = found[0].low
        after = found[1].low if len(found) > 1 else ""
        if low in {"never", "no", "not"}:
            return after == "longer" or (low == "never" and bool(after))
        if low in BE | HAVE or (low in DO and after in NEGATED):
            return bool(after)
        base = lemma(low)
        if base is None or (low.endswith("ing") and low != base):
            return False
        if is_past(low) or low in {"quit", "split", "put"}:
            return low not in _PARTICIPLES_OF_NOUNS
        return self._shares(part, low, base, after)

    def _shares(self, part: Part, low: str, base: str, after: str) -> bool:
        """Whether a verb in the present has the subject of the clause before: it may be a noun."""
        text = "".join(self.open)
        if " to " in text and low == base:
            infinitive = lemma(text.rsplit(" to ", 1)[1].split(" ")[0].lower())
            if infinitive is not None:
                return _SHARED_INFINITIVE.search(text) is not None
        if low in {"lives", "works", "likes", "loves", "plays", "drives", "speaks"} and part.word:
            return True
        if part.word == "" and not (self.clauses or self.last or _FINITE.search(text)):
            return False
        joined = after in DETERMINERS | PREPOSITIONS | OWNERS.keys()
        return joined or (low in JOINED and bool(after)) or (part.word != "" and not after)

    def close(self) -> None:
        """The open parts are over: read them."""
        if not self.open:
            return
        text = "".join(self.open)
        self.open = []
        subordinate, leaning = self.subordinate, self.leaning
        self.subordinate = self.leaning = False
        clause = None
        if self.complete:
            clause = _clause(text, self.last if leaning else None)
        elif self.relative is None and len(text) < _LONGEST_APPOSITION:
            clause = _clause(text, None)  # "my dog, Rex, is a labrador"
        elif self.relative is not None:
            clause = _clause(text, Clause((self.relative,), "", ""))
        self.complete = False
        if clause is None or subordinate:
            self.whole = False
            self.last = None
            return
        if self.times:
            clause = replace(clause, time=(*self.times, *clause.time))
            self.times = ()
        self.clauses.append(clause)
        self.last = clause


def _is_noun_phrase(parts: Sequence[str]) -> bool:
    """Whether parts are one noun phrase and nothing else."""
    found = tokens(opened("".join(parts)[:200])[0].strip(" ,"))
    phrase = noun_phrase(found)
    return phrase is not None and phrase[1] == len(found)


def _last_phrase(text: str) -> NounPhrase | None:
    match = re.search(
        r"\b(?:a|an|my|our|one|the) ((?:[\w'-]+ ){0,2}[\w'-]+)[\s,]*$", text, re.IGNORECASE
    )
    if match is None:
        return None
    words = match[1].split()
    name = [word for word in words if word[0].isupper()]
    head = " ".join(word.lower() for word in words if word not in name)
    return NounPhrase(("user", head), " ".join(name) or None) if head else None


def _clause(text: str, before: Clause | None) -> Clause | None:
    """The clause in a text; ``before``: the clause whose subject it shares."""
    body, opening_times, hedged = opened(text)
    body = _ENDS_WITH_CONJUNCTION.sub("", body.strip().rstrip(" .,;!"))
    found = tokens(body)
    read = subjects_of(found)
    if before is None and read is None:
        return None
    subjects, at = (before.subjects, 0) if before is not None else read or ((), 0)
    result = verb_group(found, at)
    if result is None:
        return None
    group, end = result
    clause = _with_complement(
        Clause(
            subjects,
            group.verb,
            body[found[end].start :] if end < len(found) else "",
            group.tense,
            group.negated,
            group.no_more,
            group.unsure or hedged,
            opening_times,
            body,
        )
    )
    if before is not None and before.verb:
        clause = _inheriting(clause, before, found[at], group)
    return _reported(clause)


def _with_complement(clause: Clause) -> Clause:
    rest, no_more = clause.complement, clause.no_more
    if clause.verb == "be" and rest.lower().startswith(("no longer ", "no more ")):
        no_more, rest = True, rest.split(None, 2)[2]
    stated, times = without_time(rest)
    if (not stated and clause.verb in _TASTES) or stated.lower().endswith(("called", "named")):
        stated, times = rest, ()  # "I hate Mondays", "she is called June"
    rest, times = stated, (*clause.time, *times)
    no_more = no_more or any(map(ENDS.match, times))
    return replace(clause, complement=rest.strip(" ,"), no_more=no_more, time=kept(times))


def _inheriting(clause: Clause, before: Clause, first: Token, group: VerbGroup) -> Clause:
    """ "I used to smoke and drink", "I don't smoke or drink": the base form of a verb has the
    auxiliaries of the verb before."""
    if first.low != group.verb or group.tense != "present":
        return clause
    inherited = before.tense if before.tense in {"habit", "future", "unreal"} else clause.tense
    negated = clause.negated or before.negated
    return replace(
        clause,
        tense=inherited,
        negated=negated,
        no_more=clause.no_more or (before.negated and before.no_more),
        unsure=clause.unsure or before.unsure,
    )


_TELLS = frozenset({"say", "tell", "think", "believe", "mean", "know", "hope"})
_TOLD = re.compile(r"^(?:(?:to )?(?:me|us) )?(?:that )?", re.IGNORECASE)


def _reported(clause: Clause) -> Clause | None:
    """ "Tom says he lives in Rome" tells of Tom; what else others say is nobody's claim."""
    if clause.verb not in _TELLS or clause.subjects[0].path == ("user",):
        return clause
    inner = clause.complement[_TOLD.match(clause.complement).end() :]  # type: ignore[union-attr]
    found = tokens(inner)
    if not found or found[0].low not in {"he", "she", "they"} or clause.negated:
        return None
    told = _clause(inner, None)
    if told is None or clause.verb != "say":
        return (
            None
            if clause.verb != "tell" or told is None
            else replace(told, subjects=clause.subjects)
        )
    return replace(told, subjects=clause.subjects)
