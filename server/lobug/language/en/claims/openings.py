"""How a statement opens: words that add nothing, hedges, and phrases of time. English. Pure."""

from __future__ import annotations

import re

from lobug.language.en.claims.time_phrases import DATE, NUMBER, POINT, UNIT

_SUBJECT = (
    r"(?=(?:i|we|he|she|they|it|you|my|our|his|her|their|the|a|an|there|everyone|everybody"
    r"|people|(?-i:[A-Z])[\w']+)"
    r"(?:['\u2019]\w+)?\s)"
)
OPENING_WORDS = re.compile(
    r"(?:well|so|okay|ok|oh|um|uh|er|ah|hey|hi|hello|yes|yeah|yep|and|but|anyway|also|because|plus"
    r"|by the way|btw|for the record|just so you know|so you know|you know(?: what)?|fyi"
    r"|for your information|lo-?bug|thanks|thank you|alright|all right|right|guess what|listen|look"
    r"|as you (?:may )?know|in fact|honestly|to be honest|let me tell you|good morning"
    r"|good evening|good (?:news|afternoon)|(?:morning|evening|afternoon)(?=[,!.])"
    r"|bad news|news|you see|i mean|then"
    r"|did you know(?: that)?|i(?:['\u2019]d| would) like you to know(?: that)?"
    r"|you should know(?: that)?"
    r"|i (?:want|need) you to (?:know|remember)(?: that)?|i(?: should| must| have to| want to|"
    r" wanted to|['\u2019]ll|['\u2019]d like to| forgot to| can| need to) (?:say|mention"
    r"|tell you|add)"
    r"(?: that)?|i(?:['\u2019]ve| have)? (?:already )?(?:told|mentioned to) you(?: before"
    r"| already)?"
    r"(?: that)?|i(?:['\u2019]ve| have)? (?:just )?(?:mentioned|decided|noticed)(?: that)?"
    r"|did i (?:tell you|mention)(?: that)?|have i told you(?: that)?|it(?:['\u2019]s"
    r"| is) true that"
    r"|it turns out(?: that)?|note to self|please note(?: that)?"
    r"|i(?:['\u2019]m| am) (?:so |very )?(?:happy|glad|sad|sorry|pleased|proud|excited)"
    r" (?:to say |to tell you )?that"
    r"|the (?:thing|fact|truth|problem|good news|bad news) is(?: that)?|i know(?: that)?"
    r"|technically|strictly speaking|mm+|sadly|unfortunately|luckily|thankfully|finally|fortunately"
    r"|these days|nowadays|recently"
    r"|lately|currently|now|at the moment|until recently|meanwhile|in the meantime|actually"
    r"|originally|personally|at home|please|obviously|of course)\b[\s,.!:\u2026-]*",
    re.IGNORECASE,
)
CALLED_FIRST = re.compile(
    r"^(?:(?i:hey|hi|hello|thanks|thank you|yeah|yes|yup|yep|no|wow|oh|well|sorry|ok|okay|sure"
    r"|right|awesome|cool|congrats)[\s,!.]+)+[A-Z][a-z]+[,!]\s+(?=\w)"
)
""" "Yeah, Caroline, my family ...": whom it is said to."""
_HEDGE = re.compile(
    r"(?:i (?:think|believe(?! in\b)|guess|suppose|feel|assume|suspect|reckon|imagine|doubt)"
    r"|maybe|perhaps"
    r"|probably|possibly|apparently|it seems|it looks like|i(?:['\u2019]m| am) (?:not |pretty "
    r"|quite"
    r" |almost )?(?:sure|certain)|i hope(?! to\b)|i heard|i(?:['\u2019]ve| have) heard|i bet"
    r"|in theory"
    r"|presumably|i don['\u2019]?t (?:think|believe|suppose|know)"
    r"|as far as i know)(?: that)?\b[\s,]*",
    re.IGNORECASE,
)
_OPENING_TIME = re.compile(
    r"(?:(?:every|each) (?:single |other )?(?:morning|evening|night|afternoon)|once|before that)"
    rf"\s*(?:,\s*|{_SUBJECT})|"
    rf"(?:(?:since|until|in|on|from|by|every|each|around|at|over) (?:{DATE}|{POINT}|{UNIT})"
    rf"|(?:{POINT})|{NUMBER} {UNIT} ago|when i was (?:a |an )?(?:\w+ )?\w+"
    rf"|as a (?:child|kid|student|teenager)|for {NUMBER} {UNIT}|once|back then|in the past"
    rf"|in {NUMBER} {UNIT})\b\s*(?:,\s*|{_SUBJECT})",
    re.IGNORECASE,
)
IS_TIME = re.compile(
    rf"(?:(?:in|on|since|until|from|at|by|every|each) (?:{DATE}|{POINT})|{POINT}"
    rf"|{NUMBER} {UNIT} ago"
    r"|when i was (?:a |an )?(?:\w+ )?\w+|as a (?:child|kid|student|teenager)|once|back then)",
    re.IGNORECASE,
)
_MOST_OPENINGS = 6


def opened(text: str) -> tuple[str, tuple[str, ...], bool]:
    """A part without its opening words, the times among these, and whether they hedge."""
    times: list[str] = []
    hedged = False
    text = text.strip()
    for _ in range(_MOST_OPENINGS):
        match = OPENING_WORDS.match(text)
        if match is not None and match.group().strip(" ,").lower() in {"now", "these days"}:
            times.append(match.group().strip(" ,"))
        if match is None:
            match = _OPENING_TIME.match(text)
            if match is not None:
                times.append(match.group().strip(" ,"))
        if match is None:
            match = _HEDGE.match(text)
            hedged = hedged or match is not None
        if match is None or match.end() >= len(text):
            break
        text = text[match.end() :]
    return text, tuple(times), hedged


def unopened(sentence: str) -> str:
    """A statement without "by the way" and the like."""
    match = OPENING_WORDS.match(sentence)
    while match is not None and match.end() < len(sentence):
        sentence = sentence[match.end() :]
        match = OPENING_WORDS.match(sentence)
    return sentence
