"""Puts claims into sentences: each alone in the third person, as memory stores it, and several of
one relation together. English. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from lobug.language.claims import STATEMENT, USER, Claim, Path
from lobug.language.en import words
from lobug.language.en.claims import free_statements
from lobug.language.en.claims.sentence_forms import (
    Mode,
    Subject,
    listed,
    render,
    sentence,
    subject_of,
)
from lobug.language.en.claims.wording import Wording, wording_book

RELATIVE = re.compile(
    r"\b(?:last|next|this|that|ago|yesterday|today|tonight|tomorrow|now|then|soon|recently|lately|just"
    r"|[a-z]+day|weekend|morning|evening|night|childhood|was)\b",
    re.IGNORECASE,
)
"""Phrases of time that mean another day when they are read later."""


LIVING = frozenset({"home", "grew_up", "employer", "volunteers"})
NEAR = re.compile(
    r"\b((?:near|outside|close to|above|behind|opposite)(?: the| an?| my)?) $", re.IGNORECASE
)
OPENS = re.compile(r"^(?:Since|As|In|On|Until|For|From|By|At|During|Before|After|When)\b")
"""How a phrase of time begins a sentence."""
SAID_BEFORE = re.compile(r"\b(the|my|our|his|her|their) $", re.IGNORECASE)
WITHOUT_ARTICLE = frozenset(
    "pet relative instrument injury birthday anniversary commute subscription owns".split()
)
"""Relations whose sentences bring their own article."""
LASTING: Mapping[Mode, Mode] = {"past": "now", "used to": "now", "no longer": "not"}
"""The tenses of what cannot end: who died has died; who was said to be born in Porto by mistake
was not."""


def fact(claim: Claim, names: Mapping[Path, str]) -> str:
    """A claim as a standalone sentence in the third person, without a full stop: "The user's sister
    Hanna lives in Rome". KeyError: there is no such relation."""
    wording = wording_book().wordings[claim.relation]
    subject = subject_of(
        claim.subject,
        names,
        spoken=False,
        named=claim.relation != "name",
        common=is_common(claim),
        text=claim.text,
    )
    times = [OPENS.sub(lambda match: match[0].lower(), time) for time in fact_times(claim)]
    since = mode_of(claim) == "now" and any(time.lower().startswith("since ") for time in times)
    said = statement(claim, wording, subject, "since" if since else None)
    return sentence(" ".join([said, *times]))


def fact_times(claim: Claim) -> list[str]:
    """The phrases of time that belong to the sentence of a claim."""
    return [time for time in claim.time if _stays(claim, time) and time not in claim.value]


def is_common(claim: Claim) -> bool:
    """Whether a subject of one word is no name, as far as the words show from which it was read."""
    (word, *more) = claim.subject
    if more or not claim.text:
        return False
    return any(claim.text.startswith(word, at) for at in words.places_of(word, claim.text))


def mode_of(claim: Claim) -> Mode:
    """The tense in which a claim is put."""
    if claim.planned:
        return "will" if claim.holds else "will not"
    if claim.ended:
        return "no longer"
    if claim.past:
        return "past" if claim.holds else "was not"
    return "now" if claim.holds else "not"


def statement(claim: Claim, wording: Wording, subject: Subject, mode: Mode | None = None) -> str:
    """The sentence of a claim, without a capital; ``mode``: instead of its own tense."""
    if claim.relation == STATEMENT:
        return _as_stated(claim, subject, mode or mode_of(claim))
    template, used = template_of(
        wording, claim.value, mode or mode_of(claim), of_user=claim.subject == USER
    )
    values = [as_said(claim)] if claim.value else []
    return render(template, subject, values, used, kind=claim.kind).strip()


def _as_stated(claim: Claim, subject: Subject, mode: Mode) -> str:
    """A statement of no relation, in the user's words."""
    said = (
        free_statements.told(claim.value) if subject.spoken else free_statements.noted(claim.value)
    )
    return said if mode == "now" else f"it is no longer so that {said[:1].lower()}{said[1:]}"


def statements(claims: Sequence[Claim], subject: Subject, mode: Mode | None = None) -> str:
    """Claims about one subject in one sentence, without a capital, those of one relation and tense
    merged: "you like jazz and hiking and play the piano" is two of these."""
    book = wording_book()
    groups: dict[tuple[str, str, str, str], list[Claim]] = {}
    for claim in claims:
        wording = book.wordings[claim.relation]
        template, used = template_of(
            wording, claim.value, mode or mode_of(claim), of_user=claim.subject == USER
        )
        kind = claim.value if claim.relation == STATEMENT else claim.kind
        groups.setdefault((claim.relation, kind, used, template), []).append(claim)
    return listed([_together(group, subject, mode) for group in groups.values()])


def _together(claims: Sequence[Claim], subject: Subject, mode: Mode | None) -> str:
    """Claims of one relation, tense and template: "you like jazz and hiking"."""
    first = claims[0]
    wording = wording_book().wordings[first.relation]
    if len(claims) == 1:
        return statement(first, wording, subject, mode)
    values = list(dict.fromkeys(as_said(claim) for claim in claims if claim.value))
    used = mode or mode_of(first)
    if wording.many and used == "now":
        return render(wording.many, subject, values, kind=first.kind)
    template, used = template_of(
        wording, values[0] if values else "", used, of_user=first.subject == USER
    )
    return render(template, subject, values, used, kind=first.kind, denied=not first.holds)


def as_said(claim: Claim) -> str:
    """A value with "the" or "my", if it had one in the words from which it was read: "I love my
    garden"."""
    if not claim.text or claim.relation in WITHOUT_ARTICLE:
        return claim.value
    before = [claim.text[:at] for at in words.places_of(claim.value, claim.text)]
    for form in (NEAR, SAID_BEFORE) if claim.relation in LIVING else (SAID_BEFORE,):
        said = next(filter(None, map(form.search, before)), None)
        if said is not None:
            return f"{said[1].lower()} {claim.value}"
    return claim.value


def without_contradictions(claims: Iterable[Claim]) -> list[Claim]:
    """Claims of which no two contradict each other, in their order: of two values of a relation
    that has one, and of a value that holds and is denied, the later one stays."""
    wordings = wording_book().wordings
    kept: dict[tuple[object, ...], Claim] = {}
    for claim in claims:
        slot: tuple[object, ...] = (
            claim.subject,
            claim.relation,
            claim.kind,
            claim.planned,
            claim.past,
        )
        if not (wordings[claim.relation].one and claim.holds) or claim.appositive:
            slot = (*slot, claim.value.lower())
        if claim.holds and not claim.planned and not claim.past:
            kept.pop((*slot[:5], claim.value.lower()), None)
        kept.pop(slot, None)
        kept[slot] = claim
    return list(kept.values())


def template_of(wording: Wording, value: str, mode: Mode, *, of_user: bool) -> tuple[str, Mode]:
    """The template for a value and a tense, and the tense of its first verb."""
    if wording.lasting and mode in LASTING:
        mode = LASTING[mode]
    special = {
        "no longer": wording.ended if value else wording.ended_bare,
        "not": wording.denied if value else wording.denied_bare,
        "will": wording.will if value else "",
        "will not": wording.will if value else "",
        "past": wording.was,
        "used to": wording.was,
    }.get(mode, "")
    if special:
        plain: Mode = "now" if mode in {"no longer", "not"} else mode
        return special, plain
    return wording.form(value, over=mode not in {"now", "will"}, of_user=of_user), mode


def _stays(claim: Claim, time: str) -> bool:
    """Whether a phrase of time belongs to the stored sentence: one that means the same later."""
    if RELATIVE.search(time):
        return False
    since = time.lower().startswith("since ")
    return not since if claim.planned or claim.past else since and claim.holds
