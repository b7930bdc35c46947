"""Questions of no relation that only the user could have answered: "how much do I owe Patrick?",
"how long have I been married?". English. Pure."""

from __future__ import annotations

import re

from lobug.language.en.claims.question_parser import ASKING, OPENING
from lobug.language.en.data import CLAIM_ANSWERS as SAY
from lobug.language.en.data import word_set

_LIVED = "|".join(sorted(word_set("personal_questions", "lived")))
_DONE = "|".join(sorted(word_set("personal_questions", "done")))
_SURELY = re.compile(
    r"(?P<wh>how much(?: money)?|what|who) (?P<aux>do) (?:i|we) (?P<does>owe\b.*)"
    rf"|(?P<long>how long|since when) (?P<have>have) (?:i|we) (?P<done>(?:{_LIVED})\b.*)"
    r"|do (?:i|we) (?P<whether>owe\b.+)"
    r"|(?:where|when|who|whom|how much|(?:what|which)(?: [\w-]+)?) did (?:i|we)"
    rf" (?:{_DONE})\b.*",
    re.IGNORECASE,
)
_NOT_ASKED = re.compile(
    r"\b(?:you|your|it|that|this|these|those|them|wrong|if|would|should|tax|taxes|talking|waiting"
    r"|sitting|asleep|today|just|mean)\b",
    re.IGNORECASE,
)
"""What is asked of the talk, of right now or of the world."""


def unknown(question: str) -> str:
    """The answer to a question that memory cannot answer, where nothing else could: "You haven't
    told me how much you owe Patrick."; empty: it may be a question of the world."""
    body = ASKING.sub("", OPENING.sub("", " ".join(question.split()))).strip(" ?!.")
    match = _SURELY.fullmatch(body)
    if match is None or _NOT_ASKED.search(body):
        return ""
    if match["aux"]:
        topic = f"{match['wh'].lower()} you {_spoken(match['does'])}"
    elif match["have"]:
        topic = f"{match['long'].lower()} you have {_spoken(match['done'])}"
    elif match["whether"]:
        topic = f"whether you {_spoken(match['whether'])}"
    else:
        topic = "that"
    return SAY["unknown"].format(topic=topic)


def _spoken(words: str) -> str:
    return re.sub(r"\b(?:my|our)\b", "your", words, flags=re.IGNORECASE)
