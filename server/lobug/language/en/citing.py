"""Citing: whether somebody wants to hear where an answer is from, and the sentence that says so.
Pure.

A model that is asked to cite invents sources. So the request is taken out of the words before the
model reads them, and what is said afterwards is true of the memories that its prompt held: only
those whose words the reply repeats are named, with the time at which each was told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lobug.language.en import words
from lobug.language.en.data import CITING as SAY
from lobug.language.en.replies import when

Kind = Literal["told", "said", "notes", "import", "agent", "identity"]
"""By the user; by Lo-Bug in an earlier turn; a summary of conversations; an import; the chat
model's own tool; a line of layer identity."""

_KNOW = (
    r"(?:say|tell me|mention|explain) (?:where|how|since when) (?:you|do you) (?:know|have|got|get)"
    r"(?: (?:it|that|this))?(?: from)?"
)
_CITE = (
    r"(?:cite|name|give|quote|mention)(?: me)? (?:your|the|any)"
    r" (?:sources?|memor(?:y|ies)|references?)"
    r"|with (?:your )?sources|cite (?:it|that|them)"
)
ASKED = re.compile(
    r"(?P<end>[.!?]?)[\s,;–-]{0,4}"
    r"(?:\b(?:and|but|then|please|also|could you|can you)[\s,]{1,3}){0,3}"
    rf"\b(?:{_KNOW}|{_CITE})\b(?:,? please)?[\s.!]{{0,4}}(?P<asks>\??)$",
    re.IGNORECASE,
)
"""At the end of what is said: "Where do I live, and say where you know it from?"."""
BEFORE = re.compile(rf"^(?:please )?(?:{_KNOW}|{_CITE})(?:,? please)?[:,.;!–-]+\s*", re.IGNORECASE)
"""At its beginning: "Cite your memories: where do I live?"."""
LONGEST_REQUEST = 160
"""Characters at the end of what is said in which the request is looked for."""

UNKNOWING = re.compile(
    r"\b(?:(?:don't|do not|didn't|did not|can't|cannot|couldn't) (?:\w+ )?"
    r"(?:know|remember|recall|say)"
    r"|(?:haven't|have not|never) (?:told|said|mentioned)|not sure|no idea)\b",
    re.IGNORECASE,
)
"""A reply that knows nothing has nothing to cite."""

DATED: Sequence[Kind] = ("told", "said", "notes", "import", "agent")
"""Kinds of sources that are named with a time, in the order in which they are named."""
MOST_TIMES = 3
"""Times that one sentence names."""


@dataclass(frozen=True, slots=True)
class Source:
    """A memory that the prompt held."""

    kind: Kind
    content: str
    said_at: float = 0.0
    """Seconds since the epoch; it does not count for layer identity."""


def without_request(text: str) -> tuple[str, bool]:
    """What was said without the request to cite, and whether there was one. A request alone stays
    as it is: nothing is asked that could be answered."""
    left = BEFORE.sub("", text).rstrip()
    begin = max(0, len(left) - LONGEST_REQUEST)
    if match := ASKED.search(left, begin):
        left = left[: match.start()] + (match["end"] or match["asks"])
    if left == text.rstrip() or not words.words(left):
        return text, False
    return left.strip(), True


def citation(reply: str, question: str, sources: Sequence[Source], today: float) -> str:
    """The sentence that names the sources of a reply; empty when it repeats none of them.

    ``today``: seconds since the epoch.
    """
    if UNKNOWING.search(reply.replace("\u2019", "'")):
        return ""
    return known_from([one for one in sources if repeats(reply, question, one.content)], today)


def known_from(used: Sequence[Source], today: float) -> str:
    """The sentence that names sources; empty when there are none.

    ``today``: seconds since the epoch.
    """
    parts: dict[str, None] = {}
    for kind in DATED:
        times = [when(one.said_at, today) for one in _newest_first(used) if one.kind == kind]
        if times:
            listed = _listed(list(dict.fromkeys(times))[:MOST_TIMES])
            parts[SAY[kind].format(when=listed)] = None
    if not parts and used:
        parts[SAY["identity"]] = None
    return SAY["known_from"].format(sources=_listed(list(parts))) if parts else ""


def repeats(reply: str, question: str, content: str) -> bool:
    """Whether a reply says what a memory says: it has a word of it that the question has not, or
    more than half of its words."""
    asked = words.stems(words.words(question))
    said = words.stems(words.words(reply))
    known = words.stems(words.content_words(content)) - {"user"}
    shared = known & said
    return bool(shared - asked) or 2 * len(shared) > len(known) > 0


def _newest_first(sources: Sequence[Source]) -> list[Source]:
    return sorted(sources, key=lambda source: -source.said_at)


def _listed(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
