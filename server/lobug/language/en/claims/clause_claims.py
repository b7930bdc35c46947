"""The claims of one clause: which relation it states, denies or ends. English. Pure.

A clause that the rules do not wholly understand gives no claim: none is better than a wrong one.
"""

from __future__ import annotations

from dataclasses import replace

from lobug.language.claims import USER, Claim
from lobug.language.en.claims.changes import born, changed
from lobug.language.en.claims.clause_parser import Clause
from lobug.language.en.claims.identities import (
    called_by_others,
    identity,
    mentioned,
    named_beside,
)
from lobug.language.en.claims.predicates import predicate_claims
from lobug.language.en.claims.rewordings import reworded, said
from lobug.language.en.claims.statement import Statement

_DEFINITE = frozenset(
    "cost location takes_place name wifi_password code dead licence_plate".split()
)
"""Relations of what is called "the ...", which need not be the speaker's."""
LONGEST_KIND = 5
"""Words of what kind something is."""
_HOUSEHOLD = frozenset("twins children baby dog cat dogs cats".split())
"""Nouns of people who are the speaker's even with "the": "the wife"."""
LONGEST = 120
"""Most characters of a complement that can be a value."""
_TOGETHER = {
    "break up": "break up with", "split up": "split up with", "split": "split up with",
    "divorce": "divorce", "get divorced": "get divorced from", "separate": "separate from",
    "be divorced": "get divorced from", "get married": "get married to", "marry": "marry",
    "be married": "be married to", "be engaged": "be engaged to", "get engaged": "get engaged to",
    "date": "date", "be dating": "date", "be together": "be together with",
    "be separated": "separate from", "elope": "marry",
    "be a couple": "be together with", "go out": "go out with",
    "be back together": "be together with",
}  # fmt: skip
"""What two people do with one another: "Mia and I broke up" is "I broke up with Mia"."""


def claims_of(clause: Clause) -> list[Claim]:
    """The claims of one clause; none: the rules do not know what it says."""
    if clause.tense == "unreal" or len(clause.complement) > LONGEST:
        return []
    found = born(clause)
    for one in () if found else _together(reworded(clause)):
        for phrase in one.subjects:
            found += _claims(Statement(one, phrase))
    if USER in (phrase.path for phrase in clause.subjects):
        # "Lewis and I called off the engagement" ends nothing else of Lewis.
        found = [one for one in found if one.subject[0] == USER[0] or not one.ended]
    if clause.unsure:
        # "I think my colleague Henrik is arrogant": the name is no guess.
        found = [claim for claim in found if claim.relation == "opinion" or claim.appositive]
    return list(dict.fromkeys(found))


def changes_of(clause: Clause) -> list[Claim]:
    """What a clause of which no relation was read changes."""
    if clause.tense == "unreal" or clause.unsure or len(clause.complement) > LONGEST:
        return []
    return [one for phrase in clause.subjects for one in changed(Statement(clause, phrase))]


def _together(clause: Clause) -> list[Clause]:
    """ "Mia and I got married" as "I got married to Mia"."""
    if len(clause.subjects) != 2:
        return [clause]
    predicate = f"{clause.verb} {clause.complement}".strip().lower()
    joined = _TOGETHER.get(predicate)
    if joined is None or (joined == "go out with" and clause.tense == "past"):
        return [clause]
    verb, _, rest = joined.partition(" ")
    one, other = clause.subjects
    pairs = [(one, other), (other, one)]
    return [
        replace(clause, subjects=(who,), verb=verb, complement=f"{rest} {said(whom)}".strip())
        for who, whom in pairs
        if who.path == ("user",) or ("user",) not in (one.path, other.path)
    ]


_NOT_OF_USER = frozenset({"opinion", "dead", "gone"})
"""What the living do not state of themselves; "I'm dying for a coffee" means something else."""


def _is_odd(claim: Claim, statement: Statement) -> bool:
    """Whether a claim is a misreading, because nobody would say that."""
    if claim.subject == USER and claim.relation in _NOT_OF_USER:
        return True
    if claim.subject == USER and claim.relation == "name" and statement.phrase.plural:
        return True  # "we're called Marrow": a band, a family
    if claim.relation == "kind" and _says_no_kind(claim, statement):
        return True
    if claim.relation == "dead" and statement.verb in {"die", "pass"}:
        return statement.clause.tense == "present"  # "my plant is dying"
    if claim.relation == "partner" and statement.verb == "be":
        vague = statement.complement.lower().startswith("with ") or not claim.value
        return (claim.holds and vague) or claim.value in {"job", "work"}
    if claim.relation == "employer" and statement.verb == "be":
        return claim.holds  # "I'm at Tesco" says where one is
    if claim.relation in {"kind", "attribute", "takes_place"} and len(claim.subject) > 1:
        # "My age is a secret": a noun of a relation, without a value of it.
        owner = statement.book.kind_of(claim.subject[:-1])
        named = statement.book.noun(claim.subject[-1], owner) is not None
        return named or claim.subject[-1].startswith(("favourite", "favorite"))
    return False


def _says_no_kind(claim: Claim, statement: Statement) -> bool:
    """Whether "it was a rough ride" and the like tell what something was like, not what it is."""
    noun = claim.value.split(" ")[-1].lower()
    if noun in statement.book.breeds or noun in statement.book.pets:
        return False
    told_of = claim.subject[0] in {"it", "that", "this", "they"} and not claim.corrects
    return told_of or len(claim.value.split()) > LONGEST_KIND or " of " in claim.value


def _claims(statement: Statement) -> list[Claim]:
    """The claims of a clause of one of its subjects."""
    if statement.verb == "call" and statement.complement.startswith("me "):
        return called_by_others(statement)
    if statement.path[0] in {"lobug", "that", "this", "people"}:
        return []
    found = named_beside(statement)
    if not statement.is_understood():
        return found
    read = identity(statement) or predicate_claims(statement, statement.complement)
    read = [claim for claim in read if not _is_odd(claim, statement)]
    definite = statement.phrase.definite and statement.path[-1] not in _HOUSEHOLD
    if definite and statement.path[0] == "user":
        read = [claim for claim in read if claim.relation in _DEFINITE]
    if read or not statement.clause.complement:
        found += mentioned(statement)
    return [*found, *read]
