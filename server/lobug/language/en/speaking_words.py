"""Words about how Lo-Bug speaks: wishes that stand beside other words, and the volume. English.
Pure.
"""

from __future__ import annotations

import re

from lobug.language.en.data import word_list, word_map

_AGAIN = "(?:again|once more|one more time|once again|another time)"
_MISSED = (
    "(?:i|sorry i)(?: quite| just)? (?:didn't|did not|couldn't|missed)(?: quite| all of)*"
    "(?: (?:catch|hear|get))? (?:that|what you said|any of that|all of that)"
)
_PACE = (
    "(?:slow down|speak up|louder|quieter|slower|faster|turn (?:it|yourself) (?:up|down)"
    "|(?:speak|talk|go) (?:louder|quieter|slower|faster|slowly|up))"
)
_WISHES = re.compile(
    "|".join(
        (
            rf"(?:say|repeat|tell me|give me) (?:that|it|that one|that bit)(?: by me)? {_AGAIN}",
            rf"(?:say|repeat) {_AGAIN}",
            "repeat (?:that|it|yourself|what you (?:just )?said)",
            rf"(?:run|go over|go through) (?:it|that) (?:by|past|with|for) me {_AGAIN}",
            "what (?:did you|was (?:that|it) you)(?: just)? (?:say|said|tell me)(?: just now)?",
            _MISSED,
            "(?:come again|pardon|pardon me|(?:i )?beg your pardon)",
            "what (?:(?:sorts?|kinds?|types?) of )?(?:things|stuff|jobs|tasks)\\b.*\\byou\\b.*",
            "what (?:can|could) you (?:actually|really) do.*",
            "what (?:can|could) you do (?:exactly|for (?:me|us))",
            "how do i use you",
            "what can i (?:ask|say to) you",
            "what do you (?:actually|really) do",
            _PACE,
        )
    ),
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
    r"\b(?:said|says|asked|asks|shouted|cried|yelled|went|goes|thought|you can)[,:]?(?: like)?[,:]?"
    r" ?[\"\u201c]?$",
    re.IGNORECASE,
)
_ADVERBS = frozenset({"louder", "quieter", "slower", "faster"})
_TELLS = re.compile(r"\b(?:said|says|asked|shouted|cried|yelled|told)\b(?! so\b)", re.IGNORECASE)


_BODIES = "|".join(word_list("speaking", "bodies"))
_OF_A_BODY = re.compile(
    rf"\b(?:{_BODIES})(?:e?s)?\b|\bvolume of (?!(?:your|the|this) (?:voice|speech|sound|speaker))"
    r"|\b(?:\d+|[a-z]+) by (?:\d+|[a-z]+) by\b",
    re.IGNORECASE,
)


def is_volume_of_a_body(text: str) -> bool:
    """Whether a text that asks about a volume is about the space that something takes, or about the
    sound of something else than Lo-Bug."""
    return _OF_A_BODY.search(text) is not None


def is_clear_wish(request: str, text: str) -> bool:
    """Whether a request, such as "say that once more", is a clause of its own in a longer text and
    so means what Lo-Bug said. "You can say that again" agrees with somebody instead."""
    plain = " ".join(text.replace("\u2019", "'").split())
    asked = " ".join(request.replace("\u2019", "'").split())
    at = plain.lower().rfind(asked.lower())
    if at < 0 or not _WISHES.fullmatch(asked):
        return False
    if asked.lower() in _ADVERBS and re.search(r"\band\W*$", plain[:at], re.IGNORECASE):
        return False  # "it went slower and slower"
    before, after = plain[:at].rstrip(), plain[at + len(asked) :]
    if _TOLD.search(before) or _TELLS.search(after):
        return False
    return bool(_BEFORE.search(before)) and bool(_AFTER.search(after))


def agrees_with_it(text: str) -> bool:
    """Whether a text is "You can say that again", which asks for nothing."""
    return re.match(r"\W*(?:\w+[, ]+)?you can say that again", text, re.IGNORECASE) is not None


_STEPS = {words: int(step) for words, step in word_map("speaking", "steps").items()}
_PERCENT = re.compile(r"percent|per cent|%", re.IGNORECASE)


def volume_step(request: str) -> int | None:
    """By how much of 100 the volume is to change; None: it was not said."""
    lower = request.lower()
    return next((step for words, step in _STEPS.items() if re.search(rf"\b{words}\b", lower)), None)


def is_percentage(request: str) -> bool:
    """Whether a level was said in percent."""
    return bool(_PERCENT.search(request))
