"""Reads requests to forget, in the many words in which people make them. English. Pure.

A request has an opening that asks ("could you get rid of", "I'd rather you didn't know", "pretend I
never told you about"), what is to be forgotten, and perhaps a place ("from your records"). It may
follow a clause that says why: "Jean wouldn't like me telling you her age, so please forget it".
"""

from __future__ import annotations

import re

from lobug.language.claims import STATEMENT
from lobug.language.en import mentions, speech_acts
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.data import FORGET_REQUESTS
from lobug.language.en.speech_acts import is_own, is_statement
from lobug.language.protocol import (
    ForgetEverything,
    ForgetLast,
    ForgetStatement,
    ForgetTopic,
    Meaning,
)

LONGEST = 600
"""Characters of a command; a longer text is a story."""
MOST_STARTS = 8
"""Places in a sentence at which a request may begin."""
MOST_TOPIC_WORDS = 10
"""Words of what is to be forgotten, where it is not said to be the speaker's own."""


def _expanded(text: str) -> str:
    """A pattern with the lists that it names."""
    return re.sub(
        r"\{([a-z_]+)\}",
        lambda match: f"(?:{'|'.join(map(_expanded, FORGET_REQUESTS['lists'][match[1]]))})",
        text,
    )


def _compiled(text: str) -> re.Pattern[str]:
    return re.compile(_expanded(text), re.IGNORECASE)


_REQUESTS = tuple(
    (kind, _compiled(pattern))
    for kind, patterns in FORGET_REQUESTS["requests"].items()
    for pattern in patterns
)
_PATTERNS = {name: _compiled(pattern) for name, pattern in FORGET_REQUESTS["patterns"].items()}
REASON = _PATTERNS["reason"]
"""Why the words before are to be forgotten."""
DROPPED = _PATTERNS["dropped"]
OF_DEVICE = _PATTERNS["of_device"]
ASKING_WORD = _PATTERNS["asking_word"]
SPEAKER = _PATTERNS["speaker"]
_NAMED = re.compile(
    r"(?P<name>\b(?!I\b)[A-Z][\w-]+)"
    r"|\b(?P<kin>(?:my|our) (?:[\w-]+ )?[a-z-]+)"
    r"(?='s| (?:would|does|did|is|hates|doesn't|wouldn't|didn't)\b)"
)
_OF_WORDS = re.compile(r"(?:it|that|this|i|we)\b", re.IGNORECASE)
_TO_LOBUG = re.compile(r"\byou\b|\bminded?\b|\bsaid\b", re.IGNORECASE)
"""Whether an earlier clause speaks of what was told to Lo-Bug."""
_ASKED_OR_DENIED = re.compile(
    r"\?\W*$|\b(?:can'?t|cannot|couldn'?t) (?:remember|say|tell|keep|have)\b|^\W*say\b",
    re.IGNORECASE,
)
"""Signs that an earlier clause tells nothing."""
_TO_OTHERS = re.compile(
    r"(?<!\bi )(?<!n't )(?<!not )\b(?:says?|said|text|texted|writes?|wrote|email|tell|translate"
    r"|sings?|message)\b"
    r"[^.;]{0,60}[,:]\W*$|\bhow do you (?:say|spell|write)\b",
    re.IGNORECASE,
)
"""Words before what is quoted, or meant for somebody else."""
_EVERYDAY = re.compile(r"\b(?:keep|keeping|have|having|hold|holding|hang|hanging)\b", re.IGNORECASE)
"""Verbs of a request that may be meant of anything."""
_AFTER_POINTING = re.compile(r"(?:it|that|this),", re.IGNORECASE)
_SUBJECTS = frozenset("i i'm i've we we're we've my our he she they it he's she's they're".split())
_NO_NAMES = frozenset(FORGET_REQUESTS["names"]["none"].split())


def read(sentence: str, before: str = "") -> Meaning | None:
    """What a sentence asks to be forgotten; None: nothing, as far as can be told. ``before``: the
    sentences that were said with it, before it."""
    text = " ".join(sentence.split()).replace("\u2019", "'").strip(" .!?,;")
    if len(text) > LONGEST:
        return None
    starts = [0, *(match.end() for match in _PATTERNS["start"].finditer(text))][:MOST_STARTS]
    polite = "please" in text.lower()
    for start in starts:
        opened = _PATTERNS["openers"].match(text, start)
        part = text[opened.end() :] if opened else text[start:]
        if start and _TO_OTHERS.search(text[:start]):
            return None
        context = f"{before} {text[:start]}".strip(" ,;:-")
        found = _read_part(part, context, polite=polite)
        if found is not None:
            return found
    return None


def _read_part(part: str, before: str, *, polite: bool) -> Meaning | None:
    """What a request asks to be forgotten, from its first word to its last."""
    if (match := _PATTERNS["regret"].fullmatch(tidy(part)[0])) is not None:
        return _of_regret(match["what"])
    if (match := _PATTERNS["pretend"].fullmatch(part)) is not None:
        return _of_talk(match["what"], before)
    if (match := _PATTERNS["unheard"].fullmatch(part)) is not None:
        what = match["what"].removeprefix("about ")
        # "You never heard me" complains of the microphone, "you never heard of Elvis?" wonders.
        return _of_talk(what, before) if _points(what) or what != match["what"] else None
    if (match := _PATTERNS["gone"].fullmatch(tidy(part, place=False)[0])) is not None:
        if match["what"].lower() == "to be":
            return ForgetEverything()
        return _of_object("delete", match["what"], before, placed=True, polite=polite)
    if polite and _PATTERNS["bare"].fullmatch(part):
        return _of_pointing("delete", "it", before, before, placed=False, polite=True)
    for kind, request in _REQUESTS:
        match = request.fullmatch(part)
        if match is None or match["what"] is None:
            continue
        what, placed = tidy(match["what"])
        if kind == "keep":
            what, kept_in = _PATTERNS["kept_in"].subn("", what)
            placed = placed or bool(kept_in)
        said = part[: match.start("what")]
        found = _of_object(kind, what, before, placed=placed, polite=polite, request=said)
        if found is not None:
            return found
    return None


def tidy(text: str, *, place: bool = True) -> tuple[str, bool]:
    """A text without the courtesy behind it, and without the place of what is to be forgotten;
    whether it had one."""
    placed = False
    while True:
        shorter = _PATTERNS["courtesy"].sub("", text).strip(" ,.;:")
        if place and (match := _PATTERNS["place"].search(shorter)) is not None:
            shorter, placed = shorter[: match.start()], True
        if shorter == text or not shorter:
            return text, placed
        text = shorter


def _of_regret(what: str | None) -> Meaning:
    if what is None or _points(what):
        return ForgetLast(sure=False, asks=True)
    return ForgetTopic(what, sure=False, asks=True)


def _of_talk(what: str | None, before: str) -> Meaning:
    """What was said is to be forgotten: the last words, or a topic."""
    what = tidy(what or "")[0]
    if not what or _points(what):
        return last(before)
    if _PATTERNS["me"].fullmatch(what):
        return ForgetEverything()  # which is asked for first
    if is_statement(what.removeprefix("that ")):
        return ForgetStatement(what.removeprefix("that "))
    return ForgetTopic(what)


def _of_object(
    kind: str, what: str, before: str, *, placed: bool, polite: bool, request: str = ""
) -> Meaning | None:
    """What a request of a kind asks with its object."""
    told_after = _PATTERNS["named_after"].fullmatch(_PATTERNS["inserted"].sub("", what))
    what = what if told_after is None else told_after["what"]
    bare = without_reason(what)
    if _PATTERNS["last"].fullmatch(bare):
        return last(before, asks=kind == "discard" and not polite)
    if _points(bare):
        reason = before or what[len(bare) :].strip(" ,;:")
        return _of_pointing(kind, bare.lower(), before, reason, placed=placed, polite=polite)
    talked = _PATTERNS["about"].fullmatch(bare)
    if talked is not None and (kind not in {"discard", "delete"} or _PATTERNS["talk"].search(bare)):
        topic = talked["what"]
        return ForgetEverything() if _PATTERNS["me"].fullmatch(topic) else ForgetTopic(topic)
    if mentions.is_pronoun(bare):
        named = _names_in(before)
        whom = named[0] if len(named) == 1 else bare
        return None if kind == "discard" else ForgetTopic(whom, sure=False)
    return _of_fact(kind, bare, before) or _of_topic(kind, bare, request, placed=placed)


def _of_pointing(
    kind: str, what: str, before: str, reason: str, *, placed: bool, polite: bool
) -> Meaning | None:
    """What "it" or "that" means."""
    if kind == "mention":
        return None
    told = _told_in(before)
    if told is not None:
        return told
    if REASON.match(reason):
        # What others would mind need not be what was said: "he won't tell me, so forget it".
        return ForgetLast(sure=False, asks=not _OF_WORDS.match(reason))
    if kind in {"discard", "delete"} and not placed:
        return ForgetLast(sure=False, asks=True)  # it may be an alarm, or the furniture
    if kind == "forget" and what == "it" and not polite:
        return None  # "oh, forget it"
    return last(before, sure=False)


def last(before: str, *, sure: bool = True, asks: bool = False) -> ForgetLast:
    """The last words are to be forgotten, or what was said ``before`` in the same breath."""
    heard = [] if REASON.match(before) else CLAIMS.read(before).claims
    if any(claim.relation != STATEMENT for claim in heard):
        return ForgetLast(here=True)
    return ForgetLast(sure=sure and not heard, asks=asks or bool(heard))


def pointed(before: str, asked: ForgetLast) -> Meaning:
    """What a request to forget the last words means behind other words."""
    return _told_in(before) or last(before, sure=asked.sure, asks=asked.asks)


def _told_in(before: str) -> Meaning | None:
    """What an earlier clause says was told."""
    match = _PATTERNS["told_before"].search(before)
    if match is None or _ASKED_OR_DENIED.search(before):
        return None
    asks = _TO_LOBUG.search(before) is None and not REASON.match(before)
    what = tidy(match["what"] or match["minded"])[0]
    said = what.removeprefix("that ")
    if said.split()[0].lower() in _SUBJECTS and is_statement(said):
        return ForgetStatement(said)
    if not ASKING_WORD.match(what):
        what = _PATTERNS["said_of"].sub("", what)
    named = _names_in(before[: match.start()])
    if _PATTERNS["third_person"].match(what):
        if not named and not _PATTERNS["somebody"].search(before[: match.start()]):
            return None  # "a lady doesn't tell her age"
        if len(named) != 1:
            return ForgetTopic(what)
        what = _PATTERNS["third_person"].sub(f"{named[0]}'s", what, count=1)
    return ForgetTopic(what, sure=not asks, asks=asks)


def _of_fact(kind: str, what: str, before: str) -> Meaning | None:
    """A statement is to be forgotten."""
    stated = _PATTERNS["fact"].match(what)
    if kind == "discard" and stated is None:
        return None
    if _PATTERNS["ellipsis"].fullmatch(what):
        match = _PATTERNS["said_before"].search(before)
        return None if match is None else ForgetStatement(match["what"].strip(" ,.;"))
    said = what[stated.end() :] if stated else what
    first = said.split()[0].lower() if said else ""
    plain = first in _SUBJECTS or stated is not None
    return ForgetStatement(said) if plain and is_statement(said) else None


def _of_topic(kind: str, what: str, request: str, *, placed: bool) -> Meaning | None:
    """What a topic behind the words of a request asks."""
    clause = ASKING_WORD.match(what) is not None and SPEAKER.search(what) is not None
    if kind == "discard" and not placed and not clause:
        return None
    if _PATTERNS["me"].fullmatch(what):
        return ForgetEverything() if kind in {"forget", "delete"} else None
    if (
        _AFTER_POINTING.match(what)
        or DROPPED.match(what)
        or (kind == "delete" and not placed and OF_DEVICE.search(what))
    ):
        return None
    own = clause or is_own(ASKING_WORD.sub("", what))
    if not own and len(what.split()) > MOST_TOPIC_WORDS:
        return None
    # "Don't keep my dinner": nothing is erased before a question.
    asks = kind == "keep" and _EVERYDAY.search(request) is not None and not placed
    sure = placed or (own and kind not in {"delete", "discard", "mention", "wish"})
    return ForgetTopic(what, sure=sure and not asks, asks=asks)


def _points(what: str) -> bool:
    return _PATTERNS["pointing"].fullmatch(what) is not None


def _names_in(text: str) -> list[str]:
    """Whom a text names, each once."""
    sentences = speech_acts.sentences(text)
    found = [match["name"] or match["kin"] for one in sentences for match in _NAMED.finditer(one)]
    return list(dict.fromkeys(name for name in found if name not in _NO_NAMES))


def without_reason(topic: str) -> str:
    """A topic without why it is to be forgotten, and without "the ... thing"."""
    bare = _PATTERNS["behind_topic"].sub("", topic).strip(" ,.;:")
    thing = _PATTERNS["the_thing"].fullmatch(bare)
    return thing["what"] if thing is not None else bare or topic
