"""Cuts an utterance into sentences and finds the plain statement that each of them makes. English.
Pure.

"Please remember that my sister, ..." states what follows "that"; a question, an order, a tale or a
quotation states nothing.
"""

from __future__ import annotations

import re

from lobug.language.en import speech_acts
from lobug.language.en.claims import contrasts, correction_marks

_SENTENCE_END = re.compile(
    r"(?<!\b[Dd]r\.)(?<!\b[Mm]r\.)(?<!\b[Mm]rs\.)(?<!\b[Mm]s\.)(?<!\b[Pp]rof\.)(?<!\bSt\.)(?<!\b[ap]\.m\.)"
    r""
    r"(?<!\.\.)(?<=[.!?\u2026\u3002\uff01\uff1f])[\"'\u201d\u2019)]*\s+"
    r"|(?<=[a-z])(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bSt)\.(?=[A-Z][a-z' ])|\s*\n+\s*"
)
_TOLD_TO_REMEMBER = re.compile(
    r"^(?:(?:please|also|and|oh|ok|okay|hey|so|lo[- ]?bug)\b[\s,]*)*"
    r"(?:(?:can|could|will|would) you (?:please )?)?"
    r"(?:remember|note|keep in mind|don['\u2019]?t forget|never forget|make a note|take note"
    r"|write down|memori[sz]e|save|store|bear in mind)(?: for me)?"
    r"(?:\s+(?:that|this|the following)\b)?\s*[:,]?\s+(?!to\b|when\b|how\b|what\b|me\b|it\b"
    r"|the time\b)",
    re.IGNORECASE,
)
_DID_YOU_KNOW = re.compile(
    r"^(?:(?:hey|so|and|oh)\b[\s,]*)*(?:did you know|do you know|did i (?:ever )?(?:tell you"
    r"|mention)"
    r"|have i (?:ever )?(?:told you|mentioned))(?: that)?\s+(?=(?:i|my|we|our)\b)",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"^(?:(?:oh|hey|so|and|well|also|ok|okay)\b[\s,]*)*(?:guess what|listen|look"
    r"|i(?: want| need| would like|['\u2019]d like) you to (?:know|remember)"
    r"|i(?:['\u2019]ve| have)? (?:already )?told you (?:\w+ ){0,4}(?=that\b)"
    r"|i (?:almost |nearly )?forgot to (?:tell you|mention|say))\b(?: that\b)?[\s,!:.]*",
    re.IGNORECASE,
)
_WHOSE = re.compile(
    r"\b(?P<theirs>(?:that['\u2019]?s|that is|that was) (?:my |our )?[\w-]+['\u2019]s)"
    r" (?P<noun>[a-z]+(?: [a-z]+)?), (?:and )?(?P<other>(?:my |our )?[\w-]+['\u2019]s)"
    r" (?=is\b|was\b)",
    re.IGNORECASE,
)
""" "That's my nan's birthday, my mum's is on the fifth"."""
_DID_I_SAY = re.compile(
    r"\bdid i (?:just )?(?:say|tell you) (?P<wrong>[^,;.?]{1,40})[,?]*"
    r" (?:well |no,? |but )?i meant\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",?\s+(?:right|correct|eh|huh|don['\u2019]?t i|am i not|aren['\u2019]?t i"
    r"|isn['\u2019]?t (?:it|she|he)"
    r"|doesn['\u2019]?t (?:she|he|it)|didn['\u2019]?t i|haven['\u2019]?t i)\s*\?+$",
    re.IGNORECASE,
)
NOT_SO = re.compile(
    r"^\W*(?:(?:and|but|so|well|oh|what|even|only|okay|ok|hey|lo-?bug)\b[\s,]*)*"
    r"(?:if|suppos(?:e|ing)|imagine|pretend|unless|assuming|say i|let['\u2019]?s (?:say|pretend"
    r"|imagine)"
    r"|hypothetically|in (?:a|my|this|the|his|her) (?:\w+ )?(?:dream|nightmare|novel|book|game"
    r"|story|movie|film"
    r"|play|song|show)|once upon a time|whether|when(?:ever)? (?!i was))\b"
    r"|\b(?:i|we)(?:['\u2019]d| had| would)? (?:only )?wish(?:ed)?\b|\bif only\b|\bas (?:if"
    r"|though)\b|\bwhat if\b"
    r"|\b(?:dream(?:ed|t)|pretend(?:ed|ing)?|imagin(?:ed|ing)) (?:that )?(?:i|my|we|he|she|to)\b"
    r"|\b(?:says?|said|asked|replied|told (?:me|us|him|her|them)|goes)\s*:"
    r"|\b(?:quiz|riddle|role[- ]?play|the character|my character)\b"
    r"|\bif (?:i|we|my|you|he|she|they|it|only)\b|\bi (?:thought|wondered|doubted|denied|lied)\b"
    r"|\bit(?:['\u2019]s| is) (?:unlikely|possible) that\b"
    r"|\b(?:nobody|no one|none|neither) (?:of|in|else|says|said|thinks|knows)\b"
    r"|\bfailed to\b|\brefuse[sd]? to\b|\bforgot to\b|\btried to\b|\bnot only\b",
    re.IGNORECASE,
)
"""Signs that a sentence does not say that something is so."""
JOKING = re.compile(
    r"\b(?:just|only|i['\u2019]?m|was) (?:kidding|joking)\b|\bnot really\b[.! ]*$|\b(?:haha )?jk\b"
    r"|\bthat was a joke\b|\bapril fool",
    re.IGNORECASE,
)
JOKED = re.compile(r"i was (?:just |only )?(?:joking|kidding)[.! ]*", re.IGNORECASE)
_QUOTED = re.compile(
    r"(?P<says>\b(?:says?|said|told (?:me|us|him|her)|asked|replied|wrote|goes|went|like|sings?"
    r"|reads"
    r"|is|was"
    r"|quote)\s*[:,]?\s*)?[\"\u201c\u201e\u00ab](?P<said>[^\"\u201c\u201d\u201e\u00ab\u00bb]{1,200})"
    r""
    r"[\"\u201d\u201c\u00bb]",
    re.IGNORECASE,
)
_SPEAKS = re.compile(r"\b(?:i|i['\u2019]\w+|we|my|you|he|she|they)\b", re.IGNORECASE)
_FAVOURITE = re.compile(
    r"^(?P<value>[^,.;]{1,40}?) (?:is|are) (?P<noun>(?:my"
    r"|our) (?:all-time )?favou?rite [\w ]{1,30})\W*$",
    re.IGNORECASE,
)
_RENEWED = re.compile(
    r"^(?:(?:we|i)(?:['\u2019]?ve)?(?: have)? (?:just |now )?(?:got|get|have|changed to|changed)"
    r" (?:an? |my |our )?(?:new )?|there['\u2019]?s a new |(?:my|our|the) )"
    r"(?P<noun>(?:[\w-]+ ){0,2}"
    r"(?:pin|code|number|password|address|email|postcode|licen[cs]e plate))"
    r"(?: (?:has |have |is |['\u2019]s |got |was )?changed)?"
    r"(?:,| -| and| so)? (?:now )?(?:it(?:['\u2019]?s| is)|the new one is|which is)(?: now)?"
    r" (?P<value>[^,;]+?)(?: now)?\W*$",
    re.IGNORECASE,
)
""" "I've got a new PIN, it's 7788", "our wifi password has changed, it's ..."."""
_RENAMED = re.compile(
    r"^(?:i|we)(?:['\u2019]?ve| have)? (?:just )?(?:changed|reset|updated) (?:my|our)"
    r" (?P<noun>(?!mind\b)(?:(?!from\b|to\b)[\w-]+ ){0,2}(?!from\b|to\b)[\w-]+) to"
    r" (?P<value>[^,;.]{1,40})[.!]*$",
    re.IGNORECASE,
)
""" "I changed my gamertag to moonfox"."""
_ONE_LOST = re.compile(
    r"^(?:one of (?:my|our|the) (?P<noun>[a-z]+s) (?:has |have )?(?:just )?(?:died|passed"
    r" away|ran away|escaped|(?:got|was|been) (?:killed|eaten|run over|stolen)|flew away"
    r"|disappeared)\b[^,;]*$)",
    re.IGNORECASE,
)
""" "One of our hens died"."""
_TAKEN = re.compile(
    r"^(?:[\w' -]{1,40}?) (?:got|took|killed|ate|sold|lost|rehomed|gave(?: away)?) one of"
    r" (?:my|our|the) (?P<noun>[a-z]+s)\b[^,;]*$",
    re.IGNORECASE,
)
""" "The fox got one of the hens"."""
_LOST_ONE = r"I lost my one \g<noun>"
_THATS_NOW = re.compile(
    r",? (?:so |and )?(?:that['\u2019]?s|that makes|which makes)(?: it)? (?P<count>\w+ [a-z]+s)"
    r"(?: now)?[.!]*$",
    re.IGNORECASE,
)
_NAMED_FIRST = re.compile(
    r"(?<=, )(?P<name>[A-Z][a-z]+), (?:she|he)(?P<verb>['\u2019]s| is| was| has)\b"
)
""" "They've a little girl, Isla, she's four": "she" is Isla, whoever was spoken of before."""
_CALLED_TOO = re.compile(
    r"^(?P<whole>(?P<whose>(?:my|our) [a-z]+)(?:['\u2019]s| is) [^,.;]{1,40}?),? and (?:she|he|it)"
    r"(?P<called>(?:['\u2019]s| is) (?:called|named)\b)",
    re.IGNORECASE,
)
""" "My bike's a Surly and she's called Sophia": "she" is the bike, whoever was spoken of before."""
_ASIDES = (
    r"(?:of all (?:things|people|places)|would you believe(?: it)?|believe it or not|mind you"
    r"|of course|as it happens|funnily enough|to be honest|if you must know"
    r"|for what it['\u2019]s worth|for my sins|bless (?:him|her|them))"
)
_INSERTED = re.compile(rf", {_ASIDES}(?:,|(?=[.;!]|$))", re.IGNORECASE)
"""Asides within a sentence, which tell nothing."""
_ME_AND = re.compile(
    r"^me (?:and|n|&) (?P<who>(?:my|our) [a-z-]+|(?!my\b|our\b|the\b|you\b)[a-z][\w-]+)(?= [a-z])",
    re.IGNORECASE,
)
_APPOSED_KIN = re.compile(r"^(?P<name>[A-Z][\w'\u2019-]*), (?P<kin>my [a-z -]{2,25}), (?=[a-z])")
_CALL_INSTEAD = re.compile(
    r"^(?i:(?:please )?(?:do not"
    r"|don['\u2019]?t) call me) (?P<wrong>[\w'-]+)[,.;]?(?: but)?(?: please)?"
    r"(?: just)? (?:call me |i['\u2019]?m |it['\u2019]?s )(?P<right>[A-Z][\w'-]+)\W*$"
)
_DENIES = re.compile(
    r"^(?:\w+, )?(?:it|that|(?:my|our|his|her|their|the) (?:[\w'-]+ ){0,2}name)(?:['\u2019]s| is)"
    r"(?: not|n['\u2019]?t) (?:\S+ ){0,3}[^\s?]+$",
    re.IGNORECASE,
)
_NAMES_RIGHT = re.compile(r"it(?:['\u2019]s| is| are) (?!not\b)", re.IGNORECASE)


def cut(text: str) -> list[str]:
    """A text cut after each sentence; "Dr. Miller" stays whole, and so does "It's Hanna. Not
    Anna."."""
    text = _WHOSE.sub(r"\g<theirs> \g<noun>. \g<other> \g<noun> ", text)
    text = _DID_I_SAY.sub(r"I said \g<wrong> but I meant", text)
    found = [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]
    return _contrasts_joined(found)


def _contrasts_joined(found: list[str]) -> list[str]:
    """ "It's Hanna. Not Anna." and "It isn't Anna. It's Hanna." as one sentence, if nothing follows
    it."""
    if len(found) < 2:
        return found
    if _DENIES.search(found[-2]) and _NAMES_RIGHT.match(found[-1]):
        return [*found[:-2], f"{found[-2].rstrip(' .!')}, {found[-1]}"]
    if contrasts.only_wrong(found[-1]) is None:
        return found
    before = found[-2].rstrip(" .!")
    if not correction_marks.opening_of(before).rest.strip(" .,!?") or found[-2].endswith("?"):
        return found
    return [*found[:-2], f"{before}, {found[-1][:1].lower()}{found[-1][1:]}"]


def stated(sentence: str) -> str:
    """What a sentence states; empty: it asks, orders, quotes or tells a tale."""
    if _TAG.search(sentence):
        return ""
    sentence = _ANNOUNCED.sub("", sentence)
    opening = _DID_YOU_KNOW.match(sentence) or _TOLD_TO_REMEMBER.match(sentence)
    if opening is not None:
        sentence = sentence[opening.end() :].rstrip("? ")
    sentence = _CALL_INSTEAD.sub(r"My name is \g<right>, not \g<wrong>", sentence)
    sentence = _APPOSED_KIN.sub(_kin_first, sentence)
    sentence = _ONE_LOST.sub(_LOST_ONE, sentence)
    sentence = _TAKEN.sub(_LOST_ONE, sentence)
    sentence = _THATS_NOW.sub(r", I have \g<count>", sentence)
    sentence = _ME_AND.sub(_and_i, sentence)
    sentence = _CALLED_TOO.sub(r"\g<whole> and \g<whose>\g<called>", sentence)
    sentence = _NAMED_FIRST.sub(r"\g<name>\g<verb>", sentence)
    sentence = _INSERTED.sub("", sentence)
    sentence = _RENAMED.sub(r"My \g<noun> is \g<value> now", sentence)
    sentence = _RENEWED.sub(r"My \g<noun> is \g<value>", sentence)
    sentence = _FAVOURITE.sub(r"\g<noun> is \g<value>", _unquoted(sentence))
    if not sentence:
        return ""
    if speech_acts.is_question(sentence):
        return speech_acts._before_the_question(sentence)
    if speech_acts.CALL_ME.match(sentence):
        return re.sub(r"^(?:please )?(?:you can )?call", "You call", sentence, flags=re.I)
    return "" if speech_acts.is_command(sentence) else sentence


def _and_i(match: re.Match[str]) -> str:
    """ "Me and liam split up" as "Liam and I split up"."""
    who = match["who"]
    return f"{who if ' ' in who else who.capitalize()} and I"


def _kin_first(match: re.Match[str]) -> str:
    """ "Julia, my sister, lives ..." as "My sister Julia lives ..."."""
    return f"{match['kin'].capitalize()} {match['name']} "


def _unquoted(sentence: str) -> str:
    """A sentence without what it quotes; a name or title in quotes stays, without the quotes."""
    match = _QUOTED.search(sentence)
    while match is not None:
        said = match["said"]
        if _SPEAKS.search(said) or (match["says"] or "").strip(" ,:").lower() in {"said", "says"}:
            return ""
        sentence = sentence[: match.start("said") - 1] + said + sentence[match.end() :]
        match = _QUOTED.search(sentence)
    return sentence
