"""Answers questions about oneself from claims, in the second person. English. Pure.

No chat model writes these: every value in an answer is one of its claims.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lobug.language.claims import Asked, Claim, Path
from lobug.language.en.claims.facts import is_common, statements, without_contradictions
from lobug.language.en.claims.question_phrases import canonical
from lobug.language.en.claims.recitation import about, bare_kin, called, with_name
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.sentence_forms import (
    Subject,
    listed,
    render,
    sentence,
    subject_of,
    with_article,
)
from lobug.language.en.claims.wording import Wording, wording_book
from lobug.language.en.data import CLAIM_ANSWERS as SAY
from lobug.language.en.words import stems, words

MOST_SAID = 3
"""Former values that are said: nobody wants to hear more at once."""

AT = re.compile(r"^(?:in|on|at|since|from|around)\s+", re.IGNORECASE)

NAMED: Mapping[str, frozenset[str]] = {
    "siblings_count": frozenset({"brother", "sister"}),
    "children_count": frozenset({"son", "daughter", "child"}),
}
"""Relations that hold if somebody of these has a name."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known for one question."""

    asked: Asked
    wording: Wording
    subject: Subject
    names: Mapping[Path, str]
    holding: Sequence[Claim]
    denied: Sequence[Claim]
    planned: Sequence[Claim]
    over: Sequence[tuple[Claim, str]]
    """What was so, each with a phrase of when it ended."""


def answer(
    asked: Asked,
    active: Sequence[Claim],
    past: Sequence[tuple[Claim, str]],
    names: Mapping[Path, str],
) -> str:
    """The answer to a question; see ``lobug.language.claims.ClaimReader``. Claims are those of the
    subject, the oldest first; those of relations that do not answer the question are left out."""
    if asked.relation is None:
        return about(asked.subject, active, [claim for claim, _ in past], names)
    known = _known(asked, active, past, names)
    if asked.past:
        return _what_was(known)
    return _what_is(known) if asked.value is None else _whether(known, asked.value)


def _known(
    asked: Asked,
    active: Sequence[Claim],
    past: Sequence[tuple[Claim, str]],
    names: Mapping[Path, str],
) -> _Known:
    wording = wording_book().wordings[asked.relation or ""]
    relations = {wording.id, *wording.also}

    def fits(claim: Claim) -> bool:
        return claim.relation in relations and _plain(claim.kind) == _plain(asked.kind)

    found = without_contradictions(
        replace(claim, past=False) if wording.lasting and claim.holds else claim
        for claim in active
        if fits(claim)
    )
    now = [claim for claim in found if not (claim.ended or claim.past or claim.planned)]
    first = next(iter(found), None)
    return _Known(
        asked,
        wording,
        subject_of(
            asked.subject,
            names,
            spoken=True,
            named=False,
            common=first is not None and is_common(replace(first, subject=asked.subject)),
        ),
        names,
        holding=[with_name(claim, names) for claim in now if claim.holds],
        denied=[claim for claim in now if not claim.holds],
        planned=[claim for claim in found if claim.planned and claim.holds],
        over=[]
        if wording.lasting
        else [
            *((claim, when) for claim, when in past if fits(claim) and not claim.planned),
            *((claim, "") for claim in found if claim.ended or (claim.past and claim.holds)),
        ],
    )


def _what_is(known: _Known) -> str:
    """The value that is asked for."""
    for claims in (known.holding, known.denied, known.planned):
        if claims:
            return _sentence(statements(claims, known.subject))
    if known.over:
        return SAY["no_more"].format(was=_was(known, *known.over[-1]))
    return _known_by_name(known) or _unknown(known)


def _whether(known: _Known, value: str) -> str:
    """Whether a value holds; the empty one: whether the relation holds at all."""
    subject, wording = known.subject, known.wording
    if wording.opposite and value.lower() == wording.opposite:
        return _whether_not(known)
    for claims, reply in ((known.holding, "yes"), (known.denied, "no"), (known.planned, "not_yet")):
        same = [claim for claim in claims if _is_asked(claim, value)]
        if same:
            return SAY[reply].format(says=statements(same, subject))
    over = [(claim, when) for claim, when in known.over if _is_asked(claim, value)]
    own = [claim for claim in known.holding if claim.relation == wording.id]
    replaced = wording.one and value != "" and bool(own)
    if over and replaced:
        return SAY["no_more_now"].format(says=statements(own, subject))
    if over:
        return SAY["no_more"].format(was=_was(known, *over[-1]))
    if replaced:
        return SAY["no"].format(says=statements(own, subject))
    return _otherwise(known)


def _whether_not(known: _Known) -> str:
    """The answer to "is Rex alive?", of a relation that says that he died."""
    for claims, reply in ((known.holding, "no"), (known.denied, "yes")):
        if claims:
            return SAY[reply].format(says=statements(claims[-1:], known.subject))
    return _unknown(known)


def _otherwise(known: _Known) -> str:
    """What is known where nothing is known of the value that was asked about."""
    if known.wording.one and known.denied and not known.denied[-1].value:
        return SAY["no"].format(says=statements(known.denied[-1:], known.subject))
    beside = [claim for claim in known.holding if claim.relation != known.wording.id]
    if beside:
        return _sentence(statements(beside, known.subject))
    return _known_by_name(known) or _unknown(known)


def _what_was(known: _Known) -> str:
    """What a question about former times asks for."""
    value = known.asked.value
    over = [(c, when) for c, when in known.over if value is None or _is_asked(c, value)]
    if over and value is None:
        return " ".join(_sentence(_former(known, *one)) for one in over[-MOST_SAID:])
    if over:
        return SAY["yes"].format(says=_former(known, *over[-1]))
    if value is not None:
        same = [claim for claim in known.holding if _is_asked(claim, value)]
        if same:
            return SAY["yes_still"].format(says=statements(same, known.subject))
    said = _unknown(known)
    if value is None and known.holding:
        said = f"{said} {_sentence(statements(known.holding, known.subject))}"
    return said


def _was(known: _Known, claim: Claim, when: str) -> str:
    """What was so and is so no more: "you smoked until May", "you used to smoke"."""
    if not when:
        return statements([claim], known.subject, "used to")
    return _former(known, claim, when)


def _former(known: _Known, claim: Claim, when: str) -> str:
    said = statements([claim], known.subject, "past")
    return SAY["until"].format(was=said, time=AT.sub("", when)) if when else said


def _known_by_name(known: _Known) -> str:
    """What is known by a name only: "Yes, a dog called Rex."; empty: nothing."""
    asked, book = known.asked, relation_book()
    if asked.relation not in {"pet", "relative", *NAMED}:
        return ""
    wanted = NAMED.get(asked.relation, frozenset())
    if asked.value:
        wanted = frozenset({canonical(asked.value.lower().split())})
    elif asked.relation == "pet":
        wanted = frozenset(book.pets.values())
    found = [
        called(with_article(path[-1]), name)
        for path, name in known.names.items()
        if path[:-1] == asked.subject and {path[-1], bare_kin(path[-1])} & wanted
    ]
    if not found:
        return ""
    if asked.value is not None:
        return SAY["yes"].format(says=listed(found))
    have = Claim(asked.subject, "relative", listed(found))
    return _sentence(statements([have], known.subject))


def _unknown(known: _Known) -> str:
    """That it was never told."""
    asked, wording = known.asked, known.wording
    if asked.value is None or wording.opposite or not (asked.value or wording.bare):
        topic = wording.topic
        if asked.past and "[" not in topic:
            return SAY["unknown_before"]
        said = render(topic, known.subject, [], "past" if asked.past else "now", kind=asked.kind)
        return SAY["unknown"].format(topic=SAY["before"].format(topic=said) if asked.past else said)
    claim = Claim(asked.subject, wording.id, asked.value, kind=asked.kind)
    said = statements([claim], known.subject, "past" if asked.past else "now")
    return SAY["unknown"].format(topic=SAY["whether"].format(says=said))


def _is_asked(claim: Claim, value: str) -> bool:
    """Whether a claim is one of the value that is asked about: "dog" of "brown dog"."""
    if not value:
        return True
    wanted, said = stems(words(value)), stems(words(claim.value))
    return bool(wanted) and (wanted <= said or (bool(said) and said <= wanted))


def _plain(kind: str) -> frozenset[str]:
    """A kind of favourite, however it is spelled: "color" and "colours" are "colour"."""
    return frozenset(stems(words(kind)))


def _sentence(text: str) -> str:
    return f"{sentence(text)}."
