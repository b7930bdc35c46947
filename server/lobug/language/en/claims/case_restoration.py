"""Restores the capitals of names and places, and the apostrophes of relatives, in typed or
transcribed English without any. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from lobug.language.en.claims.lexicon import (
    ADVERBS,
    CONJUNCTIONS,
    DETERMINERS,
    LEXICON,
    OWNERS,
    PREPOSITIONS,
    PRONOUNS,
    lemma,
)
from lobug.language.en.claims.relation_book import relation_book

_LATER_CAPITAL = re.compile(r"(?<=[^\W\d_] )(?!I\b)[^\W\d_a-z][a-z]+|(?<=[,;:] )(?!I\b)[A-Z][a-z]")
_COMMON = (
    ADVERBS
    | CONJUNCTIONS
    | DETERMINERS
    | PREPOSITIONS
    | frozenset(OWNERS)
    | frozenset(PRONOUNS)
    | frozenset(
        """
        is are was were am be has have had do does did will would can not n't me him them us home
        work school here there someone somebody everyone night morning noon bed town abroad first
        second last next week month year today tomorrow yesterday anymore again now name names
        birthday age dog cat house car job wife husband house flat very really so too old young
        good bad more less who whom mine yours hers theirs everything nothing something i'm i've
        im ive called named also just only still maybe sick ill tired late busy married single
        hard easy difficult important short long secret unknown pretty away back crazy honey stupid
        lazy funny sweetheart darling dear names out off over fat ugly weird
        half quarter noon midnight around about
        """.split()
    )
)
_TWO_WORDS = frozenset(
    """
    new san los las saint st santa north south east west rio hong kuala tel cape buenos el la le
    den des fort port salt united costa sri abu van von de frankfurt stratford baden
    """.split()
)
_WORD = r"[^\W\d_][\w'-]*"
_KIN = (
    r"(?:sister|brother|wife|husband|son|daughter|girlfriend|boyfriend|partner|friend|boss|cousin"
    r"|aunt|uncle|niece|nephew|mother|father|mum|mom|dad|colleague|neighbou?r|roommate|flatmate|dog"
    r"|cat|puppy|kitten|hamster|rabbit|horse|parrot|fiancée?)"
)
_NAMED = r"\s+(?P<name>\w[\w'-]*)(?P<more>(?: and \w[\w'-]*| \w[\w'-]*)?)"
_CUES = tuple(
    re.compile(rf"\b(?:{cue}){_NAMED}", re.IGNORECASE)
    for cue in (
        (
            rf"(?:my|his|her|our) (?:\w+ )?{_KIN}(?= {_WORD} (?:is|was|has|lives?|works?|moved|died"
            r"|likes?|loves|plays|and|in|goes|got|had|wants|speaks|turned|started|left)\b)"
        ),
        rf"me and(?= {_WORD} (?:have|are|were|got|broke|split|started|went|live|moved)\b)",
        (
            r"called|named|name is|name's|names is|name was|nickname is|known as|calls? me"
            r"|married to"
            r"|married|marry|dating|broke up with|break up with|split up with|engaged to"
            r"|divorced from"
            r"|living with|had to put|broke up with"
        ),
        (
            r"(?:live|lives|lived|living|based|born|grew up|raised|reside|resides|settled) in"
            r"|girlfriend"
            r" \w+ in|husband \w+ in|wife \w+ in|boyfriend \w+ in|\d{4} in"
        ),
        (
            r"(?:move|moves|moved|moving|relocated|relocating|flying|travelling|traveling|going) to"
            r"|(?:moved|moving|move) from|(?:i'?m|i am|she'?s|he'?s|come|comes|originally|is) from"
        ),
        (
            r"(?:work|works|worked|working|job|started|employed) (?:at|for)|not at|no longer at"
            r"|left|quit|joined|(?:year|grade) \w+ (?:at|in)"
            r"|favou?rite (?:band|singer|team|movie|film|book|show|author) is"
        ),
    )
)
_TO = re.compile(
    r"\b(?P<from>moved|moving|move"
    r"|relocated) from (?P<x>\w[\w'-]*(?: \w[\w'-]*)?) to (?P<y>\w[\w'-]*)",
    re.IGNORECASE,
)
_FIRST = re.compile(
    rf"^\W*(?P<name>{_WORD}) (?=(?:is|was|lives|died|works|moved|has|likes|loves|plays|goes|got|had"
    rf"|dumped|left|ran (?:away|off)|turned|passed away|brought|borrowed|came back|retired|broke up"
    rf"|gave|started|proposed|and (?:i|my))\b)"
)
_NAMING = re.compile(r"name|called", re.IGNORECASE)
_TITLED = re.compile(r"\b(?:[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof)\.? [a-z]+(?= |[.,!]|$)")
_PUT_RIGHT = re.compile(
    r"\b(?:meant|said|sorry|not|its|it's|no|actually) (?P<name>[a-z]+)(?: (?P<other>[a-z]+))?\b"
)
_NO_INTRODUCTION = frozenset(
    """
    afraid alone angry awake back bored broke busy cold confused curious done drunk excited fine
    free glad good great happy here home hot hungry ill late lonely lost new okay ok outside ready
    sad scared sick sleepy so sorry stuck sure thirsty tired upset well worried
    """.split()
)
_INTRODUCED = re.compile(
    r"^\W*(?P<greeting>(?:hi|hello|hey)(?: there)?\W+)?(?:i'?m|i am) (?P<name>[a-z]+)(?=[.,! ]"
    r"|$)",
    re.I,
)
_CALENDAR = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august"
    r"|september|october|november|december|(?<=in )march|(?<=in )may|march(?= \d)"
    r"|(?<=of )(?:march|may)|may(?= \d)|english|german|french|italian"
    r"|spanish|polish|dutch|russian|japanese|chinese|portuguese|swedish|turkish|arabic|danish"
    r"|norwegian|finnish|greek|czech|hungarian|romanian|ukrainian|korean|hindi|urdu|hebrew|thai"
    r"|vietnamese|croatian|serbian|welsh|irish|gaelic|catalan|farsi|latin|american|british"
    r"|scottish|canadian|mexican|brazilian|indian|austrian|swiss)s?\b"
)
_NO_FIRST_NAMES = frozenset(
    """
    work life music food pizza coffee tea time weather school money health sleep love traffic news
    breakfast lunch dinner everything nothing someone everyone nobody anyone one people mum mom dad
    grandma grandpa smoking that this it he she who what there here today
    """.split()
)


_IS_NAMED = re.compile(
    rf"\b(?:my|his|her|our) (?:\w+ )?{_KIN}(?: is|['\u2019]?s) (?P<name>[a-z]+)(?=[.,! ]*$)",
    re.IGNORECASE,
)


_OWN_KIN = (
    r"(?:mum|mom|mummy|mommy|dad|daddy|nan|nana|gran|granny|grandma|grandad|granddad|grandpa)"
)
_BARE_KIN = re.compile(
    r"^(?P<before>(?:(?:oh|and|so|well|when|what|where|how|who)(?:'?s| is)? )*)"
    rf"(?P<kin>{_OWN_KIN})s"
    r" (?=(?:birthday|name|job|house|address|favou?rite|phone|number|dog|cat|car)\b)",
    re.IGNORECASE,
)
_CALLED = re.compile(
    rf"(?<!are )\b(?P<who>(?:my|our|his|her) (?:\w+ )?(?:{_KIN}|{_OWN_KIN}))s"
    r"(?= (?:called|named)(?: (?P<name>[a-z]+))?[?.! ]*$)",
    re.IGNORECASE,
)


def restore_apostrophes(text: str) -> str:
    """ "Mums birthday" and "my nans called dot" with the apostrophes that they lack."""
    text = _BARE_KIN.sub(r"\g<before>my \g<kin>'s ", text)
    return _CALLED.sub(
        lambda m: f"{m['who']}'s" if m["name"] is None or _may_be_name(m["name"]) else m[0], text
    )


def _is_named(match: re.Match[str]) -> str:
    """ "My best friend is lena": a known first name."""
    name, raised = match["name"], _capital(match["name"])
    known = _may_be_name(name) and relation_book().is_first_name(raised)
    return match.group()[: -len(name)] + (raised if known else name)


def restore(text: str) -> str:
    """A text with capitals for what must be a name or a place, if it has none of its own; its
    length stays the same."""
    if _LATER_CAPITAL.search(text):
        return text
    text = _CALENDAR.sub(lambda match: match.group().capitalize(), text)
    for cue in _CUES:
        text = cue.sub(_capitals, text)
    text = _TO.sub(_both, text)
    text = _TITLED.sub(lambda match: match.group().title(), text)
    text = _PUT_RIGHT.sub(_known_names, text)
    text = _IS_NAMED.sub(_is_named, text)
    text = _INTRODUCED.sub(_introduced, text)
    return _FIRST.sub(_first, text)


def _capitals(match: re.Match[str]) -> str:
    said, name, more = match.group(), match["name"], match["more"]
    if not _may_be_name(name) or relation_book().is_value("sport", name):
        return said
    before = said[: len(said) - len(more) - len(name)]
    words = more.split(" ")
    last = words[-1]
    if more and (
        (words[1] == "and" and _may_be_name(last) and _NAMING.search(before))
        or (words[1] != "and" and name.lower() in _TWO_WORDS)
    ):
        more = more[: len(more) - len(last)] + _capital(last)
    return before + _capital(name) + more


def _both(match: re.Match[str]) -> str:
    one, other = match["x"], match["y"]
    if not (_may_be_name(one.split()[0]) and _may_be_name(other)):
        return match.group()
    raised = " ".join(map(_capital, one.split()))
    return f"{match['from']} from {raised} to {_capital(other)}"


def _first(match: re.Match[str]) -> str:
    name = match["name"]
    if not _may_be_name(name) or name.lower() in _NO_FIRST_NAMES:
        return match.group()
    if relation_book().is_kin(name.lower()):
        return match.group()
    return match.group().replace(name, _capital(name), 1)


def _introduced(match: re.Match[str]) -> str:
    """ "im sarah": a known first name, for adjectives stand there too."""
    name = match["name"]
    raised = _capital(name)
    greeted = match["greeting"] and name not in _NO_INTRODUCTION and _may_be_name(name)
    if greeted and match.end() == len(match.string.rstrip(" .!")):
        return match.group()[: -len(name)] + raised
    return (
        match.group()[: -len(name)] + raised
        if relation_book().is_first_name(raised)
        else match.group()
    )


def _known_names(match: re.Match[str]) -> str:
    """ "Sorry julia", "not julie julia": known first names."""
    words = match.group().split(" ")
    book = relation_book()
    return " ".join(w if not book.is_first_name(_capital(w)) else _capital(w) for w in words)


def _capital(word: str) -> str:
    raised = word[:1].upper() + word[1:]
    return raised if len(raised) == len(word) else word


@lru_cache(maxsize=2048)
def _may_be_name(word: str) -> bool:
    low = word.lower()
    if low in _COMMON or low in LEXICON or not low[:1].isalpha():
        return False
    if low.endswith("ing") and low not in {"beijing", "nanjing", "reading", "redding"}:
        return False
    return lemma(low) is None or low in {"rose", "drew", "mark"}
