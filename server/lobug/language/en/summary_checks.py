"""Checks the sentences of a generated summary against the words that it sums up. English. Pure.

A small chat model says of Lo-Bug what the user said, turns a question into a statement and loses a
"not". A sentence passes only if every name and number in it was said, by whom it says, with the
same polarity, and if a question is not told as a fact.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from lobug.language.en import speech_acts, words
from lobug.language.en.fact_checks import NEGATED, clauses, occurs
from lobug.language.en.summaries import ENGLISH_SHARE, settled
from lobug.language.en.utterances import Utterance

LEAST_SHARE = 0.6
"""Share of a clause's content words that its speaker must have said."""

REPORTING = words.stems(
    """user lo bug conversation say said tell told ask asked mention mentioned state stated share
    shared explain explained inform informed note noted express expressed talk talked discuss
    discussed reply replied answer answered advise advised suggest suggested offer offered respond
    responded recommend recommended describe described plan planned decide decided want wanted
    know name named called old years age""".split()
)
"""Words that only report: a summary may use them though nobody did."""

ASKING = re.compile(
    r"\b(?:ask|asked|asks|asking|wonder\w*|want\w* to know|inquir\w*|enquir\w*|question\w*)\b", re.I
)
CONDITION = re.compile(r"\b(?:if|unless)\b", re.I)
INDIRECT = re.compile(r"\b(?:ask|wonder|know|see|check|inquire)\w*(?: [\w-]+){0,2} if\b", re.I)
""" "Asked if" is no condition."""
SUBJECT = re.compile(r"^(?:the )?(?P<who>user|they|lo-?bug|assistant|it|she|he)\b", re.I)
NEW_SUBJECT = re.compile(
    r"(?:[,;]\s*(?:and|but|so|while|whereas)?\s*|\s(?:and|but|while|whereas)\s)"
    r"(?=(?:the user|lo-?bug)\b)",
    re.I,
)
PARTS = re.compile(r"\s(?:and|but|so)\s|[,;]\s")
"""Between the parts of a clause, of which one may be negated and another not."""
HAS_VERB = re.compile(r"\b(?:can|could|will|would|is|are|was|were|has|have|had|do|does|did|who)\b")
FIRST_WORD = re.compile(r"^[A-Z][\w'\u2019-]*")


def supported_sentences(summary: str, utterances: Sequence[Utterance]) -> list[str]:
    """The sentences of a summary that its source supports, in their order. All of them where the
    source is not English, since these rules know no other language."""
    sentences = speech_acts.sentences(summary)
    everything = " ".join(one.content for one in utterances)
    if not words.is_english(everything, ENGLISH_SHARE):
        return sentences
    said = settled(utterances)
    # Words that only what was corrected has: "ramen", where it turned out to be sushi.
    wrong = _stems_of(utterances) - _stems_of(said)
    return [
        one
        for one in sentences
        if not words.stems(words.content_words(one)) & wrong and is_supported(one, said)
    ]


def _stems_of(utterances: Sequence[Utterance]) -> set[str]:
    return words.stems(word for one in utterances for word in words.content_words(one.content))


def is_supported(sentence: str, utterances: Sequence[Utterance]) -> bool:
    """Whether each clause of a sentence was said, by whom it says."""
    who = "user"
    for clause in NEW_SUBJECT.split(sentence.strip()):
        subject = SUBJECT.match(clause.strip())
        if subject is not None and subject["who"].lower() in {"lo-bug", "lobug", "assistant"}:
            who = "assistant"
        elif subject is not None and subject["who"].lower() == "user":
            who = "user"
        if not _was_said(clause, who, utterances):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Source:
    """A clause that a clause of the summary may come from."""

    clause: str
    kind: Literal["statement", "question", "order", "condition"] = "statement"
    """What the sentence is that it stands in."""


def _was_said(clause: str, who: str, utterances: Sequence[Utterance]) -> bool:
    said = [one for one in utterances if one.role == who]
    heard = words.words(" ".join(f"{one.speaker or ''} {one.content}" for one in said))
    known = words.stems(heard)
    everybody = words.stems(words.words(" ".join(one.content for one in utterances))) | known
    names = {word for name in words.NAME.findall(clause) for word in words.content_words(name)}
    first = FIRST_WORD.match(clause)
    if first is not None:
        names |= set(words.content_words(first.group()))
    if not words.stems(names) - REPORTING <= (everybody if who == "assistant" else known):
        return False
    if any(word.isdigit() and word not in heard for word in words.words(clause)):
        return False
    told = _content(clause)
    if not told:
        return True  # "The user and Lo-Bug talked": it claims nothing
    if sum(occurs(word, heard) for word in told) < LEAST_SHARE * len(told):
        return False
    source = _source_of(told, said)
    if not _keeps_polarity(clause, said):
        return False
    return who == "assistant" or _keeps_kind(clause, source)


def _content(text: str) -> list[str]:
    """What a text claims, beyond that something was said."""
    return [word for word in words.content_words(text) if words.stem(word) not in REPORTING]


def _kind_of(sentence: str) -> Literal["statement", "question", "order", "condition"]:
    if _is_conditional(sentence):
        return "condition"
    if speech_acts.is_question(sentence):
        return "question"
    return "order" if speech_acts.is_command(speech_acts.FILLER.sub("", sentence)) else "statement"


def _is_conditional(text: str) -> bool:
    return CONDITION.search(INDIRECT.sub(" ", text)) is not None


def _keeps_kind(clause: str, source: _Source) -> bool:
    """Whether no question is told as a fact, no fact as a question, and no condition as either."""
    asks = ASKING.search(clause) is not None
    if source.kind == "condition":
        return _is_conditional(clause)
    if source.kind == "question":
        return asks
    return not asks or source.kind == "order" or not source.clause


def _keeps_polarity(clause: str, said: Sequence[Utterance]) -> bool:
    """Whether each part of a clause is negated where its source is: in "is twelve and eats fish"
    the second may be wrong."""
    negated = False
    for part in PARTS.split(clause):
        told = _content(part)
        # "Doesn't eat fish and meat": a single word shares the polarity of what is before it.
        own = len(told) > 1 or NEGATED.search(part) is not None or HAS_VERB.search(part) is not None
        negated = NEGATED.search(part) is not None if own else negated
        source = _source_of(told, said)
        if told and source.clause and negated != (NEGATED.search(source.clause) is not None):
            return False
    return True


def _source_of(told: Collection[str], said: Sequence[Utterance]) -> _Source:
    """The clause of the source that shares most content words with a clause of the summary; an
    empty one where none shares any."""
    sources = [
        _Source(clause, _kind_of(sentence))
        for one in said
        for sentence in speech_acts.sentences(one.content)
        for clause in clauses(sentence)
    ]
    stems = words.stems(told)
    shared = [len(stems & words.stems(words.content_words(one.clause))) for one in sources]
    most = max(shared, default=0)
    return sources[shared.index(most)] if most else _Source("")


# ---- the check of a model


@dataclass(frozen=True, slots=True)
class Trial:
    """A little dialogue that a model must sum up to show that it can."""

    utterances: tuple[Utterance, ...]
    names: tuple[str, ...]
    """Words of which a good summary has at least half."""


def _said(*turns: tuple[str, str]) -> tuple[Utterance, ...]:
    return tuple(
        utterance
        for said, reply in turns
        for utterance in (Utterance("user", said), Utterance("assistant", reply))
    )


TRIALS = (
    Trial(
        _said(
            (
                "I didn't enjoy living in Bristol. I moved to Leeds in May.",
                "Leeds is a lively city.",
            ),
            ("My wife Carla works there as a nurse.", "That is a demanding job."),
            ("Do you know a good bakery?", "I am sorry, I don't."),
        ),
        ("Bristol", "Leeds", "May", "Carla", "nurse"),
    ),
    Trial(
        _said(
            ("Is it true that Oslo is the capital of Norway?", "Yes, Oslo is the capital."),
            ("My brother Henrik flies there on the fourth of June.", "How exciting for him."),
            ("He can't swim, so no boats for him.", "I see."),
        ),
        ("Oslo", "Henrik", "June", "swim"),
    ),
    Trial(
        _said(
            ("My cat Minka is twelve years old.", "That is a good age for a cat."),
            ("She no longer eats fish. She eats chicken.", "Chicken is healthy too."),
        ),
        ("Minka", "twelve", "fish", "chicken"),
    ),
)


def passes(trial: Trial, summary: str) -> bool:
    """Whether a model's summary of a trial says nothing false and most of what matters."""
    sentences = speech_acts.sentences(summary)
    kept = supported_sentences(summary, trial.utterances)
    told = words.stems(words.words(" ".join(kept)))
    found = sum(bool(words.stems(words.words(name)) & told) for name in trial.names)
    return bool(sentences) and len(kept) == len(sentences) and 2 * found >= len(trial.names)
