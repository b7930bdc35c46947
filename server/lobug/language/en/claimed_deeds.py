"""Finds what a chat model must not say: deeds that it claims or promises, placeholders, canned
refusals. English. Pure.

A model without tools answers "Okay, I've turned on the light" as readily as one with them. Whether
a claimed deed was done is for the caller to know; here is only read what a sentence claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from lobug.language.en.data import CLAIMED_DEEDS
from lobug.language.en.segmentation import split_sentences

ClaimKind = Literal["deed", "placeholder", "canned_refusal", "echo", "ignorance"]
"""What a sentence of a reply must not say; echo: the user's words about themself, as Lo-Bug's own;
ignorance: that what the user has just told is not known (``echoed_words``)."""

LONGEST = 600
"""Characters of a sentence that are read."""
LONGEST_BEGINNING = 240
"""Characters of a sentence after which its rest waits for its end."""
MOST_CLAUSES = 12


def _expanded(text: str) -> str:
    """A pattern with the lists and patterns that it names."""
    tables = CLAIMED_DEEDS

    def named(match: re.Match[str]) -> str:
        name = match[1]
        if name in tables["lists"]:
            return f"(?:{'|'.join(map(_expanded, tables['lists'][name]))})"
        return f"(?:{_expanded(tables['patterns'][name])})"

    return re.sub(r"\{([a-z_]+)\}", named, text)


_PATTERNS = {
    name: re.compile(_expanded(pattern)) for name, pattern in CLAIMED_DEEDS["patterns"].items()
}
_PLACEHOLDER = re.compile(CLAIMED_DEEDS["patterns"]["placeholder"], re.IGNORECASE)
_CANNED = _PATTERNS["canned"]
_ACKNOWLEDGEMENT = re.compile(_expanded(r"(?:{acknowledgements}(?:[ ,.!:;\u2013\u2014-]+|$))*+"))
_QUOTE = re.compile(r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|(?<=[ ,:])'[^']*'(?=[ ,.!?]|$)")
_CLAUSE_END = re.compile(
    r"[,;:\u2013\u2014](?:\s+|$)|\s-\s|(?<=[.!?])\s|(?<!ahead)\s"
    r"(?=(?:and(?! \w+ing\b)|but|so|then|because) )"
)
_WRITTEN_OUT = re.compile(r"\b(i|we) (will|have|am|are)\b")
_SHORT = {"will": "ll", "have": "ve", "am": "m", "are": "re"}
_JOINING = re.compile(r"(?:and|but|so|then|because) ")


def claims_deed(sentence: str, *, ordered: bool = False, told: bool = False) -> ClaimKind | None:
    """What a sentence of a reply must not say; None: it may be said.

    Args:
        sentence: a whole sentence.
        ordered: the user ordered a deed, so that "Okay." promises it and "I'll remember that" means
            a reminder.
        told: the user told something, which memory keeps, so that "noted" is true.
    """
    if _PLACEHOLDER.search(sentence[:LONGEST]):
        return "placeholder"
    low = _plain(sentence)
    if _CANNED.search(low):
        return "canned_refusal"
    unquoted = _QUOTE.sub(" _ ", low)
    whole = unquoted.strip(" .!\u2026")
    if ordered and whole and not _without_acknowledgement(whole):
        return "deed"
    if any(_claims(clause, ordered=ordered, told=told) for clause in _clauses(unquoted)):
        return "deed"
    return None


def claimed_deed(reply: str) -> ClaimKind | None:
    """The first thing in a whole reply that must not be said; None: there is none."""
    found = (claims_deed(sentence) for sentence in split_sentences(reply))
    return next((kind for kind in found if kind is not None), None)


def may_become_claim(beginning: str, *, ordered: bool = False) -> bool:
    """Whether a sentence that begins so may turn out to claim a deed, so that nothing of it may be
    said yet: "Okay,", "I'll ..."."""
    if ordered or len(beginning) > LONGEST_BEGINNING or any(sign in beginning for sign in "[{<"):
        return True
    if claims_deed(beginning) is not None:
        return True
    low = _plain(beginning).strip(" ,")
    if not _without_acknowledgement(low):
        return True
    last = _without_acknowledgement(["", *_clauses(low)][-1])
    return _begins(last, "opening")


def is_acknowledgement(sentence: str) -> bool:
    """Whether a sentence only acknowledges: "Okay!", "Of course."."""
    return not _without_acknowledgement(_plain(sentence).strip(" .!\u2026"))


def _plain(text: str) -> str:
    low = " ".join(text[:LONGEST].lower().replace("\u2019", "'").split())
    return _WRITTEN_OUT.sub(lambda match: f"{match[1]}'{_SHORT[match[2]]}", low)


def _without_acknowledgement(text: str) -> str:
    match = _ACKNOWLEDGEMENT.match(text)
    return text[match.end() :] if match else text


def _clauses(text: str) -> Iterator[str]:
    """The clauses of a sentence; the last ones are not cut further than ``MOST_CLAUSES``."""
    cuts = [0, *(match.end() for match in _CLAUSE_END.finditer(text)), len(text)]
    cuts = [*cuts[:MOST_CLAUSES], len(text)]
    for start, end in pairwise(cuts):
        part = text[start:end].strip(" ,;:-\u2013\u2014")
        joined = _JOINING.match(part)
        part = part[joined.end() :] if joined else part
        if part:
            yield part


def _claims(clause: str, *, ordered: bool, told: bool) -> bool:
    """Whether a clause claims or promises a deed."""
    if _PATTERNS["remember"].fullmatch(clause):
        return _is_no_memory(clause, ordered=ordered, told=told)
    if _fits(clause, "done", "promise"):
        return True
    clause = _without_acknowledgement(clause)
    if not clause or _PATTERNS["not_a_claim"].search(clause):
        return False
    if _PATTERNS["remember"].fullmatch(clause):
        return _is_no_memory(clause, ordered=ordered, told=told)
    if ordered and _fits(clause, "agreement"):
        return True
    if _fits(clause, "done", "promise", "elliptic") or _begins(clause, "state", "notified"):
        return not clause.endswith("?")
    if clause.endswith("?") and not clause.startswith(("i'", "i ")):
        return False
    return _is_deed(clause)


def _is_no_memory(clause: str, *, ordered: bool, told: bool) -> bool:
    """Whether words of memory promise more than it does, which keeps what the user told."""
    if ordered or _PATTERNS["remind_by"].search(clause):
        return True
    return not told and _PATTERNS["noted"].match(clause) is not None


def _is_deed(clause: str) -> bool:
    for name in ("subject", "letting"):
        begun = _PATTERNS[name].match(clause)
        if (
            begun is not None
            and _PATTERNS["own"].match(clause, begun.end()) is None
            and _PATTERNS["deed"].match(clause, begun.end()) is not None
        ):
            return True
    if _begins(clause, "participle"):
        return _PATTERNS["finite"].search(clause) is None
    return _begins(clause, "bare") and _PATTERNS["finite"].search(clause) is None


def _fits(clause: str, *names: str) -> bool:
    return any(_PATTERNS[name].fullmatch(clause) for name in names)


def _begins(clause: str, *names: str) -> bool:
    return any(_PATTERNS[name].match(clause) for name in names)
