"""The claims of a plain statement of one or several clauses. English. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lobug.language.claims import USER, Claim
from lobug.language.en import speech_acts
from lobug.language.en.claims import clause_parser, free_statements
from lobug.language.en.claims.changes import succeeded
from lobug.language.en.claims.clause_claims import changes_of, claims_of
from lobug.language.en.claims.clause_parser import Clause
from lobug.language.en.claims.identities import introduced
from lobug.language.en.claims.statement import PLACES, TAIL
from lobug.language.en.claims.statement_comparison import CHANGE

_NOW_LOCATED = re.compile(
    r"^(?:i|we)(?:['\u2019]m|['\u2019]re| am| are"
    r"|m) in (?P<place>[A-Z][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*)*),? now$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class StatementClaims:
    """What was read of a statement."""

    claims: list[Claim]
    whole: bool
    """All of it was read."""
    changes: list[Claim]
    """What it changes of which the relation is not in its words."""
    kept: list[str]
    """Its clauses of which no relation was read and that are kept as they were said."""


def claims_in(
    statement: str, utterance: str, before: Sequence[Claim], as_said: Callable[[str], str]
) -> StatementClaims:
    """The claims of a statement of an utterance; ``before``: those of the statements before it;
    ``as_said`` gives a part of the statement as it was before its capitals were restored."""
    parsed = clause_parser.parse(statement)
    found = StatementClaims([], parsed.whole, [], [])
    for clause in parsed.clauses:
        claims = (
            succeeded(clause, found.claims or before)
            or claims_of(clause)
            or _moved(clause.text, utterance, before)
        )
        if (
            not claims
            and found.claims
            and clause.verb in {"quit", "stop"}
            and not clause.complement
        ):
            continue  # "I used to smoke but I quit"
        if any(claim.relation in PLACES for claim in claims) and TAIL.search(clause.complement):
            found.whole = False
        if not claims and not speech_acts.is_small_talk(clause.text):
            found.whole = False
        found.claims += [replace(claim, text=as_said(claim.text)) for claim in claims]
        if _tells_no_more_than_name(clause, claims):
            found.whole = False
            _leave_open(clause, found, as_said)
    if not found.claims:
        found.claims = [replace(claim, text=as_said(claim.text)) for claim in introduced(statement)]
        found.whole = False
    return found


def _leave_open(clause: Clause, found: StatementClaims, as_said: Callable[[str], str]) -> None:
    """Note what a clause changes, or says, of which no relation was read."""
    found.changes += [replace(claim, text=as_said(claim.text)) for claim in changes_of(clause)]
    text = free_statements.kept(as_said(clause.text))
    # Other words are told again by the log alone, so that they are forgotten with it.
    if text is not None and (clause.subjects[0].name or CHANGE.search(text)):
        found.kept.append(text)


def _moved(clause: str, utterance: str, before: Sequence[Claim]) -> list[Claim]:
    """ "I'm in Oxford now" tells of a home after "I'm not living in London any more"."""
    match = _NOW_LOCATED.match(clause)
    left = any(one.relation == "home" and one.subject == USER for one in before)
    if match is None or not (left or re.search(r"\b(?:liv|mov|left)", utterance, re.I)):
        return []
    return [Claim(USER, "home", match["place"], time=("now",), text=clause)]


def _tells_no_more_than_name(clause: Clause, claims: Sequence[Claim]) -> bool:
    """Whether nothing was read of what a clause says: "my husband Ernest is in hospital"."""
    subject = clause.subjects[0]
    beside = subject.name is not None and len(subject.path) > 1 and bool(clause.complement)
    return not claims or (beside and all(one.relation == "name" for one in claims))
