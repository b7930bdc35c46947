"""Takes a question apart: the words that ask, whom it is about, and the predicate. English. Pure.

A question becomes a statement without its answer: "where does my sister live?" is of ("user",
"sister") the predicate "live", asked with "where". Where the subject ends is not always clear, so
that a question may have several readings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lobug.language.claims import Path
from lobug.language.en import verbs
from lobug.language.en.claims.clause_parser import BE, DO, HAVE, PARTICIPLES, Token, lemma, tokens
from lobug.language.en.claims.question_phrases import DETERMINERS, subjects

OPENING = re.compile(
    r"^(?:(?:hey|ok|okay|so|and|but|well|um+|uh+|er|hi|hello|please|sorry|wait|lo-?bug|now|then|oh|hm+"
    r"|right|alright|also|quick question|by the way|one question|one more thing)\b[\s,.!:-]*)+",
    re.IGNORECASE,
)
ASKING = re.compile(
    r"^(?:(?:do|can|could|would|will) you"
    r" (?:still |please |even |also |maybe |by any chance |perhaps )*"
    r"(?:remember|know|recall|tell me|remind me(?: of)?|say|happen to (?:know|remember))(?: again)?"
    r"(?! that\b)"  # "can you remember that I smoke?" is an order
    r"|(?:please )?(?:remind me(?: of)?|tell me)(?: again)?"
    r"|i(?:'ve| have)? (?:can't remember|cannot remember|don't remember|forgot|forgotten|wonder"
    r"|was wondering|want to know|would like to know|need to know)"
    r"|i(?:'d| would) like to know|any idea|(?:do you )?have (?:any|an) idea"
    r"|(?:did|have) i (?:ever |already )?(?:tell|told|mention|mentioned)(?: to)?(?: you)?"
    r"|are you sure(?: that)?|you (?:know|remember))\b\s*[,:]?\s*",
    re.IGNORECASE,
)
"""Words that ask to be told; a statement may follow them: "do you know where I live"."""
ABOUT = re.compile(r"^(?:(?:anything|something|everything|more|all) )?about\s+", re.IGNORECASE)
CLEFT = re.compile(
    r"\b(?P<wh>where|what|who|when|which \w+|what \w+) (?:is|was) it (?:that )?(?=i\b|my\b)", re.I
)
UNSPLIT = re.compile(r"\b(what|where|who|when|how)s\b", re.IGNORECASE)
SAID = re.compile(
    r"^(?P<wh>(?:where|what|who|which|how)\b(?: [\w'-]+){0,3}?) (?:did|have|had) (?:i|we)"
    r" (?:say|said|tell you|told you|mention|mentioned)(?: to you)?(?: that)?"
    r" (?=(?:i|we|my|our|he|she|they|his|her|their|the)\b)",
    re.IGNORECASE,
)
""" "Where did I say I live?" asks where I live."""
TAG = re.compile(
    r",?\s+(?:right|correct|isn't it"
    r"|(?:do|does|did|am|is|are|was|were|have|has|had|ai)(?:n't)? (?:i|we|you|he|she|it|they))$",
    re.IGNORECASE,
)
STATING = re.compile(r"(?:i|i'm|i've|my|we|our|he|she|they)\b", re.IGNORECASE)
TRAILING = re.compile(
    r"[\s,]+(?:again|please|now|at the moment|at present|these days|nowadays|currently|right now"
    r"|at (?:university|uni|college|school|work)|exactly|by the way|lo-?bug|though|anyway|actually"
    r"|already|still|any ?more|any longer|at all"
    r"|ever|to me|(?:do|can|could) you (?:please )?(?:know|remember|tell me|remind me|help me)"
    r"|if you remember|or not|then|today|as well|too)$",
    re.IGNORECASE,
)
BEFORE = re.compile(
    r"[\s,]+(?:before(?: that| this| (?-i:[A-Z])\w+)?|in the past|back then|previously|formerly"
    r"|earlier|originally|once|at that time|in those days|as a (?:child|kid)"
    r"|before (?:i|we|he|she|they) (?:[\w']+ ){0,5}[\w']+)$",
    re.IGNORECASE,
)
INSIDE = re.compile(
    r"\b(?:still|ever|currently|really|actually|already|previously|formerly|originally|exactly"
    r"|usually|normally|always|often|personally|also|even|now)\s+",
    re.IGNORECASE,
)
MORE_ASKED = re.compile(
    r"\b(?:and|or|but|because|if|unless|so that)\s+(?:what|where|who|when|which|how|why|do|does|did"
    r"|am|is|are|was|have|has|can|could|should|will|would|i|you|we)\b",
    re.IGNORECASE,
)
USED_TO = re.compile(r"\bused? to do$", re.IGNORECASE)
WH = frozenset("what which where whereabouts when who whom how".split())
PREPOSITIONS = frozenset("at in on to for with from".split())
MODAL = frozenset("can could will would should shall might may ca cannot wo".split())
CONTRACTED = {"'s": "is", "'re": "are", "'m": "am", "'ve": "have"}
EVENT_WITH = re.compile(
    r"\b(?P<event>appointment|meeting|check-?up) (?:with|at) (?:the|my|our)"
    r" (?P<who>(?:\w+ )?(?:doctor|dentist|therapist|hairdresser|lawyer|vet|physio))(?:'s)?(?= |$)",
    re.IGNORECASE,
)
BORROWED = re.compile(r"^who(?:'s| has|s)? (?:borrowed|got)\b", re.IGNORECASE)
THERE_IS = re.compile(
    r"^(?:is|are) there (?:anything|something|any (?:foods?|things?))(?: that| which| else)*"
    r" (?=(?:i|we|my|he|she|they)\b)",
    re.IGNORECASE,
)
FROM_WHICH = re.compile(
    r"^(?P<at>from|in|at) (?P<wh>(?:which|what) \w+)"
    r" (?P<rest>.*\b(?:comes?|lives?|works?|born))$",
    re.IGNORECASE,
)
CODE_FOR = re.compile(
    r"\b(?:the|my|our) (?P<what>code|pin|pin code|combination) (?:for|of|to) (?:the|my|our)"
    r" (?P<thing>(?:[\w'-]+ ){0,2}?[\w'-]+)(?= (?:is|was|again|please)\b|$)",
    re.I,
)
TO_PLACE = re.compile(r"\b(?P<event>flight|train|bus|ferry|trip) to [A-Z]\w+")
STATED_SUBJECTS = frozenset("i we my our he she they it his her their the".split())
SKIPPED = verbs.ADVERBS - {"so", "very", "much"} | {"not", "n't", "never", "both", "all"}


@dataclass(frozen=True, slots=True)
class Predicate:
    """A question without its subject."""

    path: Path
    text: str
    """ "live in London", "be"; the verb in its base form."""
    past: bool = False
    definite: bool = False
    """Its subject was said with "the": a thing, and nobody's name."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A question taken apart."""

    wh: str
    """What it asks with: "where", "what kind of car"; empty: for yes or no."""
    readings: tuple[Predicate, ...]
    """The likeliest first."""
    noun: Path | None = None
    """All of it, where it is only a noun: "my sister's name"."""
    definite: bool = False
    """Its subject was said with an article: a thing, and nobody's name."""
    told: bool = False
    """It asks to be told ("do you remember ..."), so that it is surely a question for memory."""
    before: bool = False
    """It asks for former times: "before", "back then"."""
    again: bool = False
    """It asks "again", so that "what was" is about now."""


def parse(text: str) -> Parsed | None:
    """Take a question apart; None: it is none, or more than one."""
    body = text.replace("\u2019", "'").strip(" ?!.,")
    plain = ASKING.sub("", body)
    told = plain != body
    unsaid = SAID.sub(r"\g<wh> ", plain)
    told = told or unsaid != plain
    body = UNSPLIT.sub(r"\1 is", CLEFT.sub(r"\g<wh> ", unsaid))
    body = BORROWED.sub("who has", THERE_IS.sub("what ", body))
    body = FROM_WHICH.sub(r"\g<wh> \g<rest> \g<at>", body)
    body = CODE_FOR.sub(r"my \g<thing> \g<what>", body)
    body = TO_PLACE.sub(r"\g<event>", EVENT_WITH.sub(r"\g<who> \g<event>", body))
    tag = TAG.search(body)
    tagged = tag is not None and (tag[0].startswith(",") or STATING.match(body) is not None)
    if tag is not None and tagged:
        body = body[: tag.start()]
    again = re.search(r"\bagain\b", body, re.IGNORECASE) is not None
    body, before = without_trailing(body)
    before = before or USED_TO.search(body) is not None
    if MORE_ASKED.search(body):
        return None
    body = re.sub(r"^(?:if|whether|that)\s+", "", body, flags=re.IGNORECASE)
    if told:
        body = ABOUT.sub("", body)
    found = tokens(body)
    wh, at = wh_of(found)
    if at >= len(found):
        return None
    aux = CONTRACTED.get(found[at].low, found[at].low)
    noun = None
    if aux in MODAL:
        readings = _of_modal(found, at, body)
    elif aux in BE | HAVE | DO:
        readings = inverted(found, at, body)
        at += 1
    elif wh or told or tagged:
        readings = stated(found, at, body)
        noun = whole(found, at) if told else None
    else:
        return None
    definite = at < len(found) and found[at].low in DETERMINERS
    readings = [replace(reading, definite=definite) for reading in readings]
    return Parsed(wh, tuple(readings), noun, definite, told, before, again)


def without_trailing(body: str) -> tuple[str, bool]:
    """A question without "again", "now" and "before" at its end, and whether it had "before"."""
    before = False
    while (match := TRAILING.search(body) or BEFORE.search(body)) is not None:
        before = before or BEFORE.search(body) is not None
        body = body[: match.start()]
    return body, before


def wh_of(found: Sequence[Token]) -> tuple[str, int]:
    """The words that ask ("what kind of car"), and the index after them; empty: yes or no."""
    at = 0
    if len(found) > 1 and found[0].low in PREPOSITIONS and found[1].low in WH:
        at = 1
    if not found or found[at].low not in WH:
        return "", 0
    start, at = at, at + 1
    while at < len(found):
        low = found[at].low
        if low in {"you", "your"} or at - start > 6:
            return "", len(found)
        opens = low in STATED_SUBJECTS or found[at].is_name
        if low in BE | HAVE | DO | MODAL or low in CONTRACTED or (opens and subjects(found, at)):
            break
        at += 1
    words = [token.low for token in found[start:at]]
    words[0] = {"which": "what", "whom": "who"}.get(words[0], words[0])
    # A name in small letters: "where hanna lives", "how old hanna is".
    if at == len(found) and len(words) > 1:
        return words[0], start + 1
    if at == len(found) - 1 and len(words) > 2 and found[at].low in BE:
        return " ".join(words[:-1]), at - 1
    return " ".join(words), at


def whole(found: Sequence[Token], at: int) -> Path | None:
    """The subject that all the words are: "my sister's name"."""
    return next((path for path, end in subjects(found, at) if end == len(found)), None)


def inverted(found: Sequence[Token], at: int, body: str) -> list[Predicate]:
    """Readings of "do I live in Rome", "is my sister's dog a poodle"."""
    aux = CONTRACTED.get(found[at].low, found[at].low)
    past = aux in {"was", "were", "did", "had"}
    without_rest: list[Predicate] = []
    read: list[Predicate] = []
    for path, end in subjects(found, _skip(found, at + 1)):
        after = _skip(found, end)
        if after >= len(found):
            if aux not in DO:
                without_rest.insert(0, Predicate(path, "be" if aux in BE else "have", past))
        elif aux in DO:
            read += _of_do(path, found, after, past=past, body=body)
        elif aux in HAVE:
            read += _of_have(path, found, after, past=past, body=body)
        else:
            read += _of_be(path, found, after, past=past, body=body)
    return [*read, *without_rest]


def stated(found: Sequence[Token], at: int, body: str) -> list[Predicate]:
    """Readings of "my sister lives in Rome"."""
    read: list[Predicate] = []
    for path, end in subjects(found, at):
        after = _skip(found, end)
        if after >= len(found):
            continue
        low = CONTRACTED.get(found[after].low, found[after].low)
        following = _skip(found, after + 1)
        past = low in {"was", "were", "did", "had"}
        rest = following < len(found)
        if low in BE | HAVE and not rest:
            read.append(Predicate(path, "be" if low in BE else "have", past))
        elif low in BE:
            read += _of_be(path, found, following, past=past, body=body)
        elif low in HAVE:
            read += _of_have(path, found, following, past=past, body=body)
        elif low in DO and rest and found[after + 1].low in {"not", "n't"}:
            read += _of_do(path, found, following, past=past, body=body)
        elif low == "used" and rest and found[following].low == "to":
            read.append(Predicate(path, _rest(found, following + 1, body), past=True))
        else:
            base = "do" if low in DO else lemma(low)
            if base is not None and not found[after].is_name:
                past = past or (low != base and verbs.is_past(low))
                text = f"{base} {_rest(found, after + 1, body)}".strip()
                read.append(Predicate(path, text, past))
    return read


def _of_do(
    path: Path, found: Sequence[Token], at: int, *, past: bool, body: str
) -> list[Predicate]:
    verb = found[at].low
    if verb in {"use", "used"} and at + 2 < len(found) and found[at + 1].low == "to":
        return [Predicate(path, _rest(found, at + 2, body), past=True)]
    if path == ("user",) or verb in {"have", "do"} or lemma(verb) == verb:
        negated = "not " if any(token.low in {"not", "n't"} for token in found[:at]) else ""
        return [Predicate(path, negated + _rest(found, at, body), past)]
    return []


def _of_have(
    path: Path, found: Sequence[Token], at: int, *, past: bool, body: str
) -> list[Predicate]:
    low = found[at].low
    rest = _rest(found, at + 1, body)
    if low == "got":
        return [Predicate(path, f"have {rest}".strip(), past)]
    base = PARTICIPLES.get(low)
    if base is None and (verbs.is_past(low) or low.endswith("ed")):
        base = lemma(low)
    if base == "be" and at + 1 < len(found):
        progressive = found[at + 1].low.endswith("ing")
        return _of_be(path, found, at + 1, past=not progressive, body=body)
    if base is not None:
        return [Predicate(path, f"{base} {rest}".strip(), past=True)]
    return [Predicate(path, f"have {_rest(found, at, body)}".strip(), past)]


def _of_be(
    path: Path, found: Sequence[Token], at: int, *, past: bool, body: str
) -> list[Predicate]:
    low = found[at].low
    if low == "going" and at + 2 < len(found) and found[at + 1].low == "to":
        after = found[at + 2]
        if lemma(after.low) == after.low and not after.is_name:
            return [Predicate(path, _rest(found, at + 2, body), past)]
        return [Predicate(path, f"go {_rest(found, at + 1, body)}", past)]
    base = lemma(low) if low.endswith("ing") and low != "missing" else None
    if base is not None:
        return [Predicate(path, f"{base} {_rest(found, at + 1, body)}".strip(), past)]
    return [Predicate(path, f"be {_rest(found, at, body)}", past)]


def _of_modal(found: Sequence[Token], at: int, body: str) -> list[Predicate]:
    """ "What can't I eat?", "can I speak French?"; what one will or should do is no question for
    memory."""
    if found[at].low not in {"can", "ca", "cannot"}:
        return []
    start = at + 1
    while start < len(found) and found[start].low in {"n't", "not"}:
        start += 1
    read = []
    for path, end in subjects(found, start):
        after = _skip(found, end)
        negated = start > at + 1 or after > end or found[at].low == "cannot"
        read.append(
            Predicate(path, f"{'can not' if negated else 'can'} {_rest(found, after, body)}")
        )
    return read


def _rest(found: Sequence[Token], at: int, body: str) -> str:
    return body[found[at].start :] if at < len(found) else ""


def _skip(found: Sequence[Token], at: int) -> int:
    while at < len(found) and found[at].low in SKIPPED:
        at += 1
    return at
