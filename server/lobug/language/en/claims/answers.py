"""Answers questions about oneself from claims, in the second person. English. Pure.

No chat model writes these: every value in an answer is one of its claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lobug.language.claims import USER, Asked, Claim, Path
from lobug.language.en.claims import values
from lobug.language.en.claims.facts import (
    fact_times,
    is_common,
    mode_of,
    statements,
    without_contradictions,
)
from lobug.language.en.claims.question_phrases import canonical
from lobug.language.en.claims.recitation import (
    about,
    bare_kin,
    called,
    is_somebody,
    recite,
    subject_of_names,
    with_name,
)
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.sentence_forms import (
    Mode,
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
"""Most former values that an answer lists."""

AT = re.compile(r"^(?:in|on|at|since|from|around)\s+", re.IGNORECASE)

_NONE = re.compile(r"(?:an )?only child|no \w+", re.IGNORECASE)
"""Values of counted relatives that say that there are none."""

RELATIVES: Mapping[str, frozenset[str]] = {
    "siblings_count": frozenset({"brother", "sister", "siblings"}),
    "children_count": frozenset({"son", "daughter", "child", "children", "baby", "twins"}),
    "partner": frozenset({"wife", "husband", "girlfriend", "boyfriend", "partner", "fianc\u00e9"}),
    "marital_status": frozenset({"wife", "husband"}),
}
"""Relatives that a relation is about, beside what it says of all of them."""


_MEAT = frozenset("meat beef pork chicken lamb ham bacon steak turkey sausages".split())
EXCLUDES: Mapping[str, frozenset[str]] = {
    "vegetarian": _MEAT | {"fish"},
    "pescatarian": _MEAT,
    "vegan": _MEAT | frozenset("fish eggs cheese milk dairy butter honey seafood".split()),
}
"""What somebody on a diet does not eat."""


DEPARTED = frozenset({"dead", "gone", "rehomed"})
"""Relations of pets that their owner has no more."""
OUT_OF_WORK = frozenset(
    {"retired", "unemployed", "out of work", "between jobs", "fired", "laid off", "sacked"}
    | {"made redundant", "a pensioner"}
)


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
    beside: Sequence[Claim]
    """Claims of relations that answer the question too."""
    alike: Sequence[Claim]
    """Claims of relations that answer it if they are of the value that is asked about."""
    against: Sequence[Claim]
    """Claims of the relation that is its contrary: liking of disliking."""


def answer(
    asked: Asked,
    active: Sequence[Claim],
    past: Sequence[tuple[Claim, str]],
    names: Mapping[Path, str],
) -> str:
    """The answer to a question; see ``lobug.language.claims.ClaimReader``. Claims are those of the
    subject, the oldest first; those of relations that do not answer the question are left out."""
    if asked.subject == ("anyone",):  # "who plays the cello?"
        return " ".join(recite(active, names)) or SAY["unknown"].format(topic="who")
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
    found = without_contradictions(
        replace(claim, past=False) if wording.lasting and claim.holds else claim for claim in active
    )

    def own(claim: Claim) -> bool:
        kind = "" if claim.kind == "planned" else claim.kind
        if asked.kind == "planned":
            return claim.relation == wording.id and claim.planned
        return claim.relation == wording.id and _plain(kind) == _plain(asked.kind)

    def of(relations: Iterable[str]) -> list[Claim]:
        return [c for c in now if c.relation in relations and _is_of_relatives(asked, c)]

    now = [claim for claim in found if not (claim.ended or claim.past or claim.planned)]
    mine = [claim for claim in found if own(claim)]
    first = next(iter(mine), None)
    over = [
        *((claim, when) for claim, when in past if own(claim) and not claim.planned),
        *((claim, "") for claim in mine if claim.ended or (claim.past and claim.holds)),
    ]
    # Who ran away and did so no more is back.
    returned = [claim for claim, _ in past if wording.id == "gone" and own(claim) and not mine]
    common = first is not None and is_common(replace(first, subject=asked.subject))
    return _Known(
        asked,
        wording,
        subject_of(asked.subject, names, spoken=True, named=False, common=common),
        names,
        holding=[with_name(claim, names) for claim in now if own(claim) and claim.holds],
        denied=[
            *(claim for claim in now if own(claim) and not claim.holds),
            *(claim for claim in mine if claim.planned and not (claim.holds or claim.ended)),
            *(replace(claim, holds=False, ended=False) for claim in returned),
        ],
        planned=[claim for claim in mine if claim.planned and claim.holds],
        over=[] if wording.lasting else over,
        beside=[with_name(claim, names) for claim in of(wording.also)],
        alike=of(wording.alike),
        against=of({wording.against}),
    )


def _is_of_relatives(asked: Asked, claim: Claim) -> bool:
    """Whether a claim about relatives belongs to a question about relatives: "two kids" to "do I
    have a daughter?", not to "do I have a sister?"."""
    if claim.relation == "relative":
        return bare_kin(claim.value) in RELATIVES.get(asked.relation or "", frozenset())
    if asked.relation == "relative":
        return bare_kin(asked.value or "") in RELATIVES.get(claim.relation, frozenset())
    return True


def _what_is(known: _Known) -> str:
    """The value that is asked for."""
    denied_contrary = [claim for claim in known.against if not claim.holds]
    beside = [claim for claim in known.beside if claim.holds]
    if known.over:  # "you used to work as a baker" rather than "you are out of work"
        beside = [claim for claim in beside if not _means_none(known.asked, claim)]
    no_plans = [claim for claim in known.denied if claim.planned]
    denied = [claim for claim in known.denied if not claim.planned]
    for claims in (known.holding, denied, denied_contrary, known.planned, no_plans, beside):
        if claims:
            subject = known.subject
            if known.asked.relation == "name" and len(known.asked.subject) > 1:
                subject = subject_of_names(known.asked.subject, claims, known.names)
            return _sentence(_said(claims, subject))
    if known.over:
        return SAY["no_more"].format(was=_was(known, *known.over[-1]))
    return _known_by_name(known) or _unknown(known)


def _said(claims: Sequence[Claim], subject: Subject, mode: Mode | None = None) -> str:
    """Claims in one sentence, one alone with its time: "you will move to Paris in June"."""
    said = statements(claims, subject, mode)
    timed = len(claims) == 1 and (mode or mode_of(claims[0])) in {"will", "past"}
    return " ".join([said, *fact_times(claims[0])]) if timed else said


def _whether(known: _Known, value: str) -> str:
    """Whether a value holds; the empty one: whether the relation holds at all."""
    subject, wording = known.subject, known.wording
    if wording.opposite and value.lower() == wording.opposite:
        return _whether_not(known)
    soon = "yes" if wording.plan else "not_yet"
    for claims, reply in ((known.holding, "yes"), (known.denied, "no"), (known.planned, soon)):
        same = [claim for claim in claims if _is_asked(claim, value)]
        if same:
            none = value == "" and all(_NONE.fullmatch(claim.value) for claim in same)
            return SAY["no" if none else reply].format(says=_said(same, subject))
    over = [(claim, when) for claim, when in known.over if _is_asked(claim, value)]
    replaced = wording.one and value != "" and bool(known.holding)
    if over and replaced:
        return SAY["no_more_now"].format(says=statements(known.holding, subject))
    if over:
        return SAY["no_more"].format(was=_was(known, *over[-1]))
    if replaced:
        return SAY["no"].format(says=statements(known.holding, subject))
    return _otherwise(known, value)


def _whether_not(known: _Known) -> str:
    """The answer to "is Rex alive?", from a claim that he died."""
    for claims, reply in ((known.holding, "no"), (known.denied, "yes")):
        if claims:
            return SAY[reply].format(says=statements(claims[-1:], known.subject))
    return _unknown(known)


def _otherwise(known: _Known, value: str) -> str:
    """What other claims tell, where none has the relation and value that are asked about."""
    contrary = [claim for claim in known.against if claim.holds and _is_asked(claim, value)]
    if contrary and value:
        return SAY["no"].format(says=statements(contrary, known.subject))
    # Of relatives, a claim about all answers for one, and one for all: "yes, you have a sister".
    sure = known.asked.relation in {"relative", "siblings_count", "children_count"}
    for claim in reversed(known.beside):
        covers = claim.holds or not claim.value
        if sure and covers and _is_asked(claim, value):
            some = claim.holds and not _NONE.fullmatch(claim.value)
            reply = SAY["yes" if some else "no"]
            same = [one for one in known.beside if one.holds == claim.holds]
            return reply.format(says=statements(same, known.subject))
    alike = [claim for claim in known.alike if value and _is_asked(claim, value)]
    near = [claim for claim in known.beside if claim.holds] or alike
    gone = [claim for claim in near if _means_none(known.asked, claim)]
    if gone:
        return SAY["no"].format(says=statements(gone, known.subject))
    if near:
        says = statements(near, known.subject)
        if known.asked.relation == "relative" and near[-1].relation == "siblings_count":
            none = all(_NONE.fullmatch(claim.value) for claim in near)
            # "I have a sister" does not say that there is no brother.
            return SAY["no"].format(says=says) if none else f"{_unknown(known)} {_sentence(says)}"
        excluded = any(value.lower() in EXCLUDES.get(c.value.lower(), ()) for c in near)
        return SAY["no"].format(says=says) if excluded else _sentence(says)
    return _known_by_name(known) or _unknown(known)


def _means_none(asked: Asked, claim: Claim) -> bool:
    """Whether a claim of another relation means that there is none of what is asked for."""
    if asked.relation == "pet":
        return claim.relation in DEPARTED
    jobless = claim.relation == "retired" and claim.value.lower() in OUT_OF_WORK
    return jobless and asked.relation in {"job", "employer"} and not asked.value


def _what_was(known: _Known) -> str:
    """What a question about former times asks for."""
    value = known.asked.value
    over = [(c, when) for c, when in known.over if value is None or _is_asked(c, value)]
    denied = [claim for claim in known.denied if value is not None and _is_asked(claim, value)]
    if denied and not over and denied[-1].ended:
        over = [(replace(denied[-1], holds=True, ended=False, past=True), "")]
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
    said = _said([claim], known.subject, "past")
    return SAY["until"].format(was=said, time=AT.sub("", when)) if when else said


def _known_by_name(known: _Known) -> str:
    """What is known by a name only: "Yes, a dog called Rex."; empty: nothing."""
    asked, book = known.asked, relation_book()
    wanted = RELATIVES.get(asked.relation or "", frozenset())
    if asked.relation in {"relative", "pet"} and asked.value:
        wanted = frozenset({canonical(asked.value.lower().split())})
    elif asked.relation == "pet":
        wanted = frozenset(book.pets.values())
    elif asked.value and asked.relation != "partner" and asked.value != "married":
        return ""
    found = [
        (path, name)
        for path, name in known.names.items()
        if path[:-1] == asked.subject
        and {path[-1], bare_kin(path[-1])} & wanted
        and not (
            asked.relation == "partner" and asked.value and asked.value.lower() != name.lower()
        )
    ]
    if not found:
        return ""
    if asked.relation in {"partner", "marital_status"}:
        path, name = found[-1]
        says = is_somebody(path, name)
        return SAY["yes"].format(says=says) if asked.value is not None else _sentence(says)
    listing = listed([called(with_article(path[-1]), name) for path, name in found])
    if asked.value is not None:
        return SAY["yes"].format(says=listing)
    have = Claim(asked.subject, "relative", listing)
    return _sentence(statements([have], known.subject))


def _unknown(known: _Known) -> str:
    """The sentence that says that it was never told."""
    asked, wording = known.asked, known.wording
    if asked.value is None or wording.opposite or not (asked.value or wording.bare):
        topic = wording.own_topic if asked.subject == USER else wording.topic
        if asked.past and "[" not in topic:
            return SAY["unknown_before"]
        said = render(topic, known.subject, [], "past" if asked.past else "now", kind=asked.kind)
        return SAY["unknown"].format(topic=SAY["before"].format(topic=said) if asked.past else said)
    claim = Claim(asked.subject, wording.id, asked.value, kind=asked.kind)
    said = statements([claim], known.subject, "past" if asked.past else "now")
    return SAY["unknown"].format(topic=SAY["whether"].format(says=said))


def _is_asked(claim: Claim, value: str) -> bool:
    """Whether a claim is one of the value that is asked about: "dog" of "brown dog", and of every
    value if it denies all of them."""
    if not value or not (claim.holds or claim.value):
        return True
    if values.same_value(claim.relation, claim.value, value):
        return True
    wanted = stems(words(AT.sub("", value)))  # "in March" is asked of "5 March"
    return bool(wanted) and wanted <= stems(words(claim.value))


def _plain(kind: str) -> frozenset[str]:
    """A kind of favourite, however it is spelled: "color" and "colours" are "colour"."""
    return frozenset(stems(words(kind)))


def _sentence(text: str) -> str:
    return f"{sentence(text)}."
