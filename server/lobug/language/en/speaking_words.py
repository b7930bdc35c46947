"""Wishes to hear something again that stand beside other words. English. Pure."""

from __future__ import annotations

import re

_WISHES = re.compile(
    r"(?:(?:say|repeat|tell me|give me|run|go over) (?:that|it|that one|that bit)(?: by me)? (?:again"
    r"|once more|one more time|once again|another time)|what (?:did you|was (?:that|it) you)"
    r"(?: just)? (?:say|said|tell me)(?: just now)?"
    r"|what (?:(?:sorts?|kinds?|types?) of )?(?:things|stuff|jobs|tasks)\b.*\byou\b.*"
    r"|what (?:can|could) you (?:actually|really) do.*|what (?:can|could) you do for (?:me|us))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:^|[,;:.!?\u2013\u2014-]|\b(?:so|and|but|then|please|(?:can|could|would|will) you(?: just"
    r"| please| possibly)*))$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^(?:,? (?:please|for me|would you|will you|could you|can you|love|dear|mate))*(?:$|[,;:.!?]"
    r"| (?:because|cause|since|as|so|i)\b)",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:said|says|asked|asks|shouted|went|goes|thought|you can)[,:]?(?: like)?[,:]? ?[\"\u201c]?$",
    re.IGNORECASE,
)


def is_clear_wish(request: str, text: str) -> bool:
    """Whether a request, such as "say that once more", is a clause of its own in a longer text and
    so means what Lo-Bug said. "You can say that again" agrees with somebody instead."""
    plain = " ".join(text.split())
    at = plain.lower().rfind(request.lower())
    if at < 0 or not _WISHES.fullmatch(request):
        return False
    before, after = plain[:at].rstrip(), plain[at + len(request) :]
    return not _TOLD.search(before) and bool(_BEFORE.search(before)) and bool(_AFTER.search(after))
