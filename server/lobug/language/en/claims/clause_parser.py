"""Reads simple English statements: of whom they speak, what is said of them, and when. Pure.

A grammar of everyday statements, not of English: a clause has a subject ("I", "my sister's dog",
"Hanna"), one verb group and a complement. What it cannot read it leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from lobug.language.en import verbs
from lobug.language.en.words import IRREGULAR

Tense = Literal["present", "past", "perfect", "habit", "future", "unreal"]

LEXICON = frozenset(
    """be have do live move work reside stay start begin join quit leave change sell buy own drive play
    speak learn study eat drink smoke like love hate prefer enjoy need want take suffer get lose give
    break split divorce marry die retire call name grow come go become turn weigh stand collect sing
    dance cook run swim bike ride read watch teach adopt keep put park store lend borrow rent share
    wear use stop switch finish graduate attend believe support vote sleep wake meet know see date
    engage celebrate plan visit travel fly train paint write draw knit garden fish hunt hike climb ski
    surf box pray expect owe earn inherit raise feed walk repair throw donate replace trade cancel
    postpone reschedule transfer mean say think sit hang lie lay hide lock measure cost pay settle
    relocate resign volunteer fear dislike adore detest loathe despise convert follow practise practice
    bake sew jog camp depart arrive open close end happen belong dream hope intend dye pass recover beat
    outgrow drop enrol enroll major hail commute cycle rise spend dump separate scrap crash total wreck
    return lease tolerate digest react trust miss admire respect root game blog juggle row sail kayak
    crochet meditate acquire abandon prescribe diagnose employ fire""".split()
)
"""Verbs that the grammar knows."""


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Who or what a clause speaks of."""

    path: tuple[str, ...]
    """From its owner to itself: ("user", "sister", "dog") is "my sister's dog"; ("hanna",) a name;
    ("she",) a pronoun that stands for somebody named before."""
    name: str | None = None
    """The name that stands beside the noun: Hanna in "my sister Hanna"."""
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement."""

    subject: NounPhrase
    verb: str
    """Its base form: "live" in "I've been living in Rome"."""
    complement: str
    """What follows the verb, as said, without phrases of time."""
    tense: Tense = "present"
    negated: bool = False
    no_more: bool = False
    """It says that something has ended: "no longer", "any more"."""
    time: tuple[str, ...] = ()
    """Phrases of time, as said: "since 2019", "last week"."""
    text: str = ""

    @property
    def predicate(self) -> str:
        return f"{self.verb} {self.complement}".strip()


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    start: int
    end: int

    @property
    def low(self) -> str:
        return self.text.lower().replace("\u2019", "'")

    @property
    def is_name(self) -> bool:
        return self.text[:1].isupper()


TOKEN = re.compile(r"[^\W_](?:[\w.]*\w)?(?:['\u2019-]\w+)*['\u2019]?|[^\w\s]", re.UNICODE)
OWNERS = {
    "my": "user",
    "our": "user",
    "your": "lobug",
    "his": "he",
    "her": "she",
    "their": "they",
    "its": "it",
}
PRONOUNS = {
    "i": "user",
    "we": "user",
    "you": "lobug",
    "he": "he",
    "she": "she",
    "they": "they",
    "it": "it",
    "that": "that",
    "this": "that",
}
BE = {"am", "is", "are", "was", "were", "be", "been", "being"}
HAVE = {"have", "has", "had"}
DO = {"do", "does", "did"}
MODAL_FUTURE = {"will", "shall", "gonna"}
MODAL_UNREAL = {"would", "could", "should", "might", "may", "must", "can", "cannot", "ought"}
CONTRACTED = {
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
}
NEGATED = {"not", "never", "n't"}
ADVERBS = verbs.ADVERBS | frozenset(
    "no not never longer all both each even ever currently back".split()
) - {"back"}
PARTICIPLES = {
    "been": "be",
    "got": "get",
    "gotten": "get",
    "done": "do",
    "born": "born",
    "gone": "go",
    "broken": "break",
    "begun": "begin",
    "chosen": "choose",
    "fallen": "fall",
    "forgotten": "forget",
    "driven": "drive",
    "stolen": "steal",
    "died": "die",
    "become": "become",
    "come": "come",
    "run": "run",
    "had": "have",
    "put": "put",
    "moved": "move",
    "split": "split",
    "quit": "quit",
    "lived": "live",
}
IRREGULAR_MORE = {
    "was": "be",
    "were": "be",
    "am": "be",
    "is": "be",
    "are": "be",
    "has": "have",
    "had": "have",
    "does": "do",
    "did": "do",
    "got": "get",
    "died": "die",
    "lay": "lie",
    "lying": "lie",
    "dying": "die",
    "tying": "tie",
    "married": "marry",
    "stole": "steal",
    "forgot": "forget",
    "hid": "hide",
    "threw": "throw",
    "thrown": "throw",
    "shut": "shut",
    "cut": "cut",
    "put": "put",
    "let": "let",
    "set": "set",
    "hurt": "hurt",
    "split": "split",
    "quit": "quit",
    "hated": "hate",
    "owed": "owe",
    "lent": "lend",
    "bred": "breed",
    "fed": "feed",
    "fled": "flee",
    "rode": "ride",
    "ridden": "ride",
    "rose": "rise",
    "sunk": "sink",
    "swore": "swear",
    "tore": "tear",
    "threw": "throw",
    "hung": "hang",
    "stuck": "stick",
    "shot": "shoot",
    "dug": "dig",
    "drawn": "draw",
    "drew": "draw",
    "showed": "show",
    "beat": "beat",
    "bet": "bet",
    "dealt": "deal",
    "bit": "bite",
    "blew": "blow",
    "froze": "freeze",
    "grown": "grow",
    "worn": "wear",
    "woken": "wake",
    "sung": "sing",
    "swum": "swim",
    "drunk": "drink",
    "begun": "begin",
    "broken": "break",
    "chosen": "choose",
    "flown": "fly",
    "laid": "lay",
    "put": "put",
    "used": "use",
    "lost": "lose",
    "dumped": "dump",
    "grew": "grow",
}
DETERMINERS = {
    "a",
    "an",
    "the",
    "some",
    "this",
    "that",
    "these",
    "those",
    "another",
    "no",
    "one",
    "two",
    "three",
}

_NOUN_LIKE = {"kids", "kid", "mom", "mum", "dad", "children", "married", "left", "found", "felt"}


def lemma(word: str) -> str | None:
    """The base form of a verb that the lexicon knows; None: it knows none."""
    if word in LEXICON:
        return word
    base = IRREGULAR_MORE.get(word) or PARTICIPLES.get(word)
    if base is None and word not in _NOUN_LIKE - {"left", "found", "felt"}:
        base = IRREGULAR.get(word)
    if base in LEXICON:
        return base
    for ending in ("ies", "es", "s", "ied", "ed", "d", "ying", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            root = word[: -len(ending)]
            options = {
                "ies": [root + "y"],
                "ied": [root + "y"],
                "ying": [root + "y", root + "ie"],
                "es": [root, root + "e"],
            }.get(ending, [root, root + "e"])
            if ending in ("ed", "ing") and len(root) > 2 and root[-1] == root[-2]:
                options.append(root[:-1])
            for option in options:
                if option in LEXICON:
                    return option
    return None


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    for match in TOKEN.finditer(text):
        word = match.group()
        low = word.lower().replace("\u2019", "'")
        # "I'm" is two words, and so is "don't".
        cut = None
        if low.endswith("n't"):
            cut = len(word) - 3
        elif low == "cannot":
            cut = 3
        else:
            apostrophe = low.rfind("'")
            if apostrophe > 0 and low[apostrophe:] in {"'m", "'re", "'ve", "'ll", "'d", "'s", "'"}:
                cut = apostrophe
        if cut and low != "o'clock":
            found.append(Token(word[:cut], match.start(), match.start() + cut))
            found.append(Token(word[cut:], match.start() + cut, match.end()))
        elif low in {"im", "ive", "dont", "doesnt", "didnt", "isnt", "wasnt"}:
            at = {"im": 1, "ive": 1}.get(low, len(low) - 2)
            found.append(Token(word[:at], match.start(), match.start() + at))
            found.append(
                Token({"im": "'m", "ive": "'ve"}.get(low, "n't"), match.start() + at, match.end())
            )
        else:
            found.append(Token(word, match.start(), match.end()))
    return found


# ---- subject -------------------------------------------------------------------------------


def _verb_starts(found: Sequence[Token], at: int) -> bool:
    low = found[at].low
    if low in BE | HAVE | DO | MODAL_FUTURE | MODAL_UNREAL or low in CONTRACTED:
        return True
    if low in {"used", "wo", "ca"}:
        return True
    return not found[at].is_name and lemma(low) is not None and low not in _NOUN_LIKE


def _plain(words: Sequence[Token]) -> str:
    return " ".join(word.text for word in words)


def subject_of(found: Sequence[Token]) -> tuple[NounPhrase, int] | None:
    """The subject at the beginning, and the index after it."""
    if not found:
        return None
    first = found[0].low
    if first in PRONOUNS and not (
        first in {"that", "this"} and len(found) > 1 and not _verb_starts_or_s(found, 1)
    ):
        if len(found) > 2 and found[1].low == "and" and first in {"i"}:
            return None
        return NounPhrase((PRONOUNS[first],), plural=first in {"we", "they"}), 1
    # the name of my sister
    if first == "the":
        of = next((i for i, t in enumerate(found[:6]) if t.low == "of"), None)
        if of is not None and of + 1 < len(found) and of > 1:
            inner = subject_of(found[of + 1 :])
            if inner is not None:
                phrase, end = inner
                noun = " ".join(t.low for t in found[1:of])
                return NounPhrase((*phrase.path, noun), plural=phrase.plural), of + 1 + end
    path: tuple[str, ...] = ()
    at = 0
    if first in OWNERS:
        path, at = (OWNERS[first],), 1
    elif first in {"the", "a", "an", "this", "that", "these", "those", "both"}:
        at = 1
    head: list[Token] = []
    name: list[Token] = []
    while at < len(found):
        token = found[at]
        low = token.low
        if low in {"'s", "'"}:
            if not head and not name:
                return None
            after = found[at + 1].low if at + 1 < len(found) else ""
            if low == "'s" and not _is_possessive(found, at):
                break
            part = _plain(name) if name and not head else " ".join(t.low for t in head)
            path = (*path, part.lower())
            head, name = [], []
            at += 1
            continue
        if low == "," and head and path:
            # "my dog, Rex, is ..."
            close = next(
                (i for i in range(at + 1, min(at + 5, len(found))) if found[i].low == ","), None
            )
            if close is not None and all(t.is_name for t in found[at + 1 : close]):
                name = list(found[at + 1 : close])
                at = close + 1
                continue
            return None
        if not token.text[0].isalnum():
            return None
        if (head or name or path) and at >= 1 and _verb_starts(found, at) and (head or name):
            break
        if low in {"who", "which", "that", "to", "for", "because", "if", "when"}:
            return None
        if low == "and":
            return None
        if token.is_name and (not path or head) and low not in OWNERS:
            name.append(token)
        elif name:
            if low in ADVERBS:
                break
            return None
        elif low in ADVERBS and head:
            break
        else:
            head.append(token)
        at += 1
    if at >= len(found) or not (head or name):
        return None
    if len(head) + len(name) > 5:
        return None
    if head:
        path = (*path, " ".join(t.low for t in head))
        plural = (
            head[-1].low.endswith("s")
            and not head[-1].low.endswith("ss")
            or head[-1].low in {"kids", "children", "people"}
        )
        return NounPhrase(path, _plain(name) or None, plural), at
    return NounPhrase((*path, _plain(name).lower()), _plain(name)), at


def _verb_starts_or_s(found: Sequence[Token], at: int) -> bool:
    return found[at].low == "'s" or _verb_starts(found, at)


def _is_possessive(found: Sequence[Token], at: int) -> bool:
    """Whether the "'s" at an index makes an owner, not "is" or "has"."""
    after = found[at + 1] if at + 1 < len(found) else None
    if after is None or not after.text[0].isalnum():
        return False
    low = after.low
    if low in DETERMINERS | NEGATED | ADVERBS | {
        "called",
        "named",
        "been",
        "got",
        "from",
        "in",
        "at",
        "on",
        "with",
        "my",
        "allergic",
        "born",
        "dead",
        "gone",
    }:
        return False
    if low.endswith("ing"):
        return False
    # An owner has its verb further on: "my sister's dog is ...".
    for token in found[at + 2 : at + 6]:
        if (
            token.low in BE | HAVE | DO
            or token.low == "'s"
            or (lemma(token.low) and not token.is_name)
        ):
            return True
        if not token.text[0].isalnum():
            return False
    return False


# ---- verb group ----------------------------------------------------------------------------


@dataclass(slots=True)
class _Group:
    verb: str = ""
    tense: Tense = "present"
    negated: bool = False
    no_more: bool = False
    adverbs: list[str] = field(default_factory=list)


def verb_group(found: Sequence[Token], at: int) -> tuple[_Group, int] | None:
    group = _Group()

    def skip(index: int) -> int:
        while index < len(found):
            low = found[index].low
            if low in NEGATED:
                group.negated = True
            elif (
                low == "no"
                and index + 1 < len(found)
                and found[index + 1].low in {"longer", "more"}
            ):
                group.no_more = True
                index += 1
            elif (
                low in verbs.ADVERBS
                and low not in {"much", "very", "so", "too", "now"}
                or low in {"now", "all", "both"}
            ):
                group.adverbs.append(low)
            else:
                break
            index += 1
        return index

    at = skip(at)
    if at >= len(found):
        return None
    low = CONTRACTED.get(found[at].low, found[at].low)
    if low in {"wo"}:
        low = "will"
    if low in {"ca"}:
        low = "can"
    after = skip(at + 1)
    following = found[after].low if after < len(found) else ""
    if low == "'s":
        low = (
            "has"
            if following in {"been", "got", "had"}
            or (following in PARTICIPLES and following not in {"born", "gone", "died"})
            else "is"
        )
    if low == "used" and following == "to" and after == at + 1:
        return _base(found, skip(after + 1), group, "habit")
    if low == "would":
        if following in {"better"}:
            return None
        group.tense = "unreal"
        return _base(found, after, group, "unreal")
    if low in MODAL_FUTURE:
        return _base(found, after, group, "future")
    if low in MODAL_UNREAL:
        if low in {"can"} and group.negated:
            group.verb = "can"
            return group, after
        return _base(found, after, group, "unreal")
    if low in DO and (after > at + 1 or lemma(following) == following) and following:
        tense: Tense = "past" if low == "did" else "present"
        if following == "used" and after + 1 < len(found) and found[after + 1].low == "to":
            return _base(found, after + 2, group, "habit")
        return _base(found, after, group, tense)
    if low in HAVE:
        participle = PARTICIPLES.get(following) or lemma(following)
        if following == "got":
            group.verb, group.tense = "have", "present" if low != "had" else "past"
            return group, skip(after + 1)
        if following == "to":
            group.verb = "must"
            return group, after + 1
        if (
            participle
            and following not in DETERMINERS
            and (following in PARTICIPLES or verbs.is_past(following) or following.endswith("ed"))
        ):
            if (
                following == "been"
                and after + 1 < len(found)
                and found[after + 1].low.endswith("ing")
            ):
                progressive = lemma(found[after + 1].low)
                if progressive:
                    group.verb, group.tense = progressive, "present"
                    return group, after + 2
            group.verb, group.tense = participle, "perfect"
            return group, skip(after + 1)
        group.verb, group.tense = "have", "past" if low == "had" else "present"
        return group, after
    if low in BE:
        group.tense = "past" if low in {"was", "were"} else "present"
        if (
            following in {"going", "gonna"}
            and after + 1 < len(found)
            and found[after + 1].low == "to"
        ):
            nxt = after + 2
            if nxt < len(found) and lemma(found[nxt].low) == found[nxt].low:
                return _base(found, nxt, group, "future")
        if following.endswith("ing") and following not in {
            "interesting",
            "boring",
            "amazing",
            "willing",
            "missing",
        }:
            progressive = lemma(following)
            if progressive and progressive not in {"go"}:
                group.verb = progressive
                return group, after + 1
        group.verb = "be"
        return group, after
    base = lemma(low)
    if base is None:
        return None
    group.verb = base
    if (
        low != base
        and verbs.is_past(low)
        or low in {"got", "died", "went", "quit", "sold", "married", "split"}
    ):
        group.tense = "past"
    if base == "get" and low == "got" and following in DETERMINERS:
        group.tense = "past"
    return group, at + 1


def _base(
    found: Sequence[Token], at: int, group: _Group, tense: Tense
) -> tuple[_Group, int] | None:
    if at >= len(found):
        return None
    low = found[at].low
    base = "be" if low == "be" else lemma(low)
    if base is None:
        return None
    group.tense = tense
    if base == "be" and at + 1 < len(found) and found[at + 1].low.endswith("ing"):
        progressive = lemma(found[at + 1].low)
        if progressive:
            group.verb = progressive
            return group, at + 2
    group.verb = base
    return group, at + 1


# ---- time ----------------------------------------------------------------------------------

MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
NUMBER = r"(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a few|a couple of|several|many|some)"
UNIT = r"(?:second|minute|hour|day|week|month|year|decade)s?"
POINT = rf"(?:(?:the )?(?:beginning|start|end) of )?(?:(?:early|late|mid) )?(?:{MONTH}(?: (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?\d{{4}})?|{DAY}|(?:19|20)\d\d|(?:last|next|this|that) (?:{UNIT}|{DAY}|{MONTH}|spring|summer|autumn|fall|winter|weekend|night|morning|evening|afternoon)|yesterday|today|tomorrow|then|now|spring|summer|autumn|winter|christmas|easter|my childhood|i was (?:a )?\w+|(?:the )?\d{{1,2}}(?:st|nd|rd|th)(?: of {MONTH})?)"
DATE = (
    rf"(?:(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?|[a-z]+(?:first|second|third|th))(?: of)? {MONTH}(?:,? (?:19|20)\d\d)?"
    rf"|{MONTH}(?: the)? (?:\d{{1,2}}(?:st|nd|rd|th)?|[a-z-]+(?:first|second|third|th))(?:,? (?:19|20)\d\d)?"
    rf"|\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{4}}|\d\d)|\d{{4}}-\d\d-\d\d|{MONTH} (?:19|20)\d\d|{MONTH})"
)
TIME = re.compile(
    r"(?:^|(?<=[\s,]))(?:"
    rf"since {POINT}"
    rf"|(?:until|till|up to) {POINT}"
    rf"|for (?:about |over |almost |nearly )?{NUMBER} {UNIT}(?: now)?"
    rf"|{NUMBER} {UNIT} ago"
    rf"|(?:in|on|by|from|around|back in|this|early|late) {POINT}"
    rf"|{POINT}(?: (?:morning|evening|night|afternoon))?"
    r"|these days|at the moment|right now|from now on|nowadays|any ?more|any longer|no more|no longer"
    r"|recently|lately|already|again|too|as well|at last|finally|by the way|though|actually|just now|soon|so far|for good|for now|once more|after all|in the end|in the meantime|currently|now|either|you know|please|thanks?|thank you|okay|ok|lo-?bug|i think|i guess|sadly|unfortunately|luckily|earlier|before"
    r")[\s,.!]*$",
    re.IGNORECASE,
)
ENDING = re.compile(r"^(?:any ?more|any longer|no more|no longer)$", re.I)
EMPTY = re.compile(
    r"^(?:too|as well|by the way|though|actually|you know|please|thanks?|thank you|okay|ok|lo-?bug|i think|i guess|either|again|sadly|unfortunately|luckily|at last|finally|already|after all|in the end|just now|so far|in the meantime|for good)$",
    re.I,
)


def without_time(text: str) -> tuple[str, tuple[str, ...]]:
    """A complement without its last phrases of time, and these."""
    times: list[str] = []
    while (match := TIME.search(text)) is not None:
        phrase = match.group().strip(" ,.!")
        times.insert(0, phrase)
        text = text[: match.start()].rstrip(" ,")
    return text, tuple(times)


# ---- clauses -------------------------------------------------------------------------------

OPENING = re.compile(
    r"^(?:(?:well|so|okay|ok|oh|um|uh|er|hey|hi|hello|yes|yeah|yep|and|but|anyway|also|because|by the way|for the record"
    r"|just so you know|you know|fyi|lo-?bug|thanks|thank you|alright|right|guess what|listen|look|as you know"
    r"|i think(?: that)?|i believe(?: that)?|i guess|did you know that|i(?:'d| would) like you to know that|you should know(?: that)?|i should (?:say|mention|tell you)(?: that)?|it turns out(?: that)?"
    r"|sadly|unfortunately|luckily|today|yesterday|these days|nowadays|recently|last (?:week|month|year|night)|this (?:week|month|year|morning)|now|since (?:yesterday|then|\d{4}|last \w+)|in (?:\d{4}|\w+ \d{4})|a (?:week|month|year) ago|at the moment|until recently|since last \w+|the (?:thing|fact|truth) is(?: that)?)\b[\s,.!:-]*)+",
    re.IGNORECASE,
)
SPLIT = re.compile(
    r"[.;!?\n]+\s*|\s+[\u2013\u2014-]+\s+|,?\s+(?:and|but|so|because|while|although|though)\s+|,\s+"
)


CONJUNCTION_AT_END = re.compile(
    r"(?:^|,?\s+)(?:and|but|so|or|because|while|although|though)$", re.I
)


def clauses(text: str) -> list[Clause]:
    """The statements of a text that has no questions."""
    read: list[Clause] = []
    last: NounPhrase | None = None
    pending = ""
    position = 0
    pieces: list[tuple[str, str]] = []
    for match in SPLIT.finditer(text):
        pieces.append((text[position : match.start()], match.group()))
        position = match.end()
    pieces.append((text[position:], ""))
    buffer = ""
    joined: list[tuple[str, NounPhrase | None]] = []
    for piece, mark in pieces:
        if not piece.strip():
            buffer += piece + mark
            continue
        joins = re.search(r"\b(?:and|but|so)\s+$", buffer) is not None
        if buffer and not _begins_clause(piece, joins=joins):
            buffer = buffer + piece + mark  # an item of a list, an apposition
            continue
        if buffer:
            joined.append((buffer, None))
        buffer = piece + mark
    if buffer:
        joined.append((buffer, None))
    for piece, _ in joined:
        clause = _clause(piece, last)
        if clause is not None:
            read.append(clause)
            last = clause.subject
    return read


def _begins_clause(piece: str, *, joins: bool) -> bool:
    found = tokens(OPENING.sub("", piece))
    if not found:
        return False
    subject = subject_of(found)
    if subject is not None:
        group = verb_group(found, subject[1])
        return group is not None
    if not joins:
        return False
    # "and live in Rome": the subject of the clause before it
    low = found[0].low
    return (
        low in BE | HAVE | DO
        or (
            not found[0].is_name
            and lemma(low) is not None
            and low not in _NOUN_LIKE
            and len(found) > 1
            and found[1].low
            in {
                "a",
                "an",
                "the",
                "my",
                "in",
                "at",
                "for",
                "with",
                "to",
                "on",
                "as",
                "from",
                "two",
                "three",
                "about",
                "coffee",
                "tea",
            }
        )
    ) or (low in {"no", "not", "never", "now"} and len(found) > 2)


def _clause(piece: str, last: NounPhrase | None) -> Clause | None:
    opened = OPENING.match(piece)
    before: tuple[str, ...] = ()
    body = piece
    if opened:
        body = piece[opened.end() :]
        _, before = without_time(opened.group().strip(" ,"))
    body = CONJUNCTION_AT_END.sub("", body.strip().rstrip(" .,;!"))
    found = tokens(body)
    subject = subject_of(found)
    if subject is not None and verb_group(found, subject[1]) is not None:
        phrase, at = subject
    elif last is not None:
        phrase, at = last, 0
    else:
        return None
    result = verb_group(found, at)
    if result is None:
        return None
    group, end = result
    rest = body[found[end].start :] if end < len(found) else ""
    if group.verb == "be" and rest.lower().startswith(("no longer ", "no more ")):
        group.no_more, rest = True, rest.split(None, 2)[2]
    rest, times = without_time(rest)
    times = (*before, *times)
    no_more = group.no_more or any(ENDING.match(t) for t in times)
    times = tuple(t for t in times if not ENDING.match(t) and not EMPTY.match(t))
    return Clause(phrase, group.verb, rest, group.tense, group.negated, no_more, times, body)
