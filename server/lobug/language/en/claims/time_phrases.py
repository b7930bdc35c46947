"""Phrases of time in English statements: "since 2019", "last week", "every morning". Pure."""

from __future__ import annotations

import re

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
NUMBER = (
    r"(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a few"
    r"|a couple of|several|many|some|twenty|thirty|half a)"
)
UNIT = r"(?:second|minute|hour|day|week|month|year|decade)s?"
SEASON = r"(?:spring|summer|autumn|fall|winter|christmas|easter|thanksgiving|new year'?s)"
PART = r"(?:night|morning|evening|afternoon|lunchtime|noon)"
_ORDINAL = (
    r"(?:\d{1,2}(?:st|nd|rd|th)?|(?:twenty|thirty)[- ](?:first|second|third|fourth|fifth|sixth"
    r"|seventh|eighth|ninth)|[a-z]+(?:first|second|third|th)|first|second|third)"
)
POINT = (
    rf"(?:(?:the )?(?:beginning|start|end|middle) of )?(?:(?:early|late|mid)[ -])?"
    rf"(?:{MONTH}(?: (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?\d{{4}})?|{DAY}s?|(?:the )?(?:19|20)\d\ds?"
    rf"|(?:last|next|this|that) (?:{UNIT}|{DAY}|{MONTH}|{SEASON}|weekend|{PART}|time)"
    rf"|yesterday|today|tonight|tomorrow|then|now|childhood|birth|(?:the )?{SEASON}"
    rf"|the weekends?|weekends?|my childhood"
    rf"|(?:the )?\d{{1,2}}(?:st|nd|rd|th)(?: of {MONTH})?)"
)
DATE = (
    rf"(?:(?:the )?{_ORDINAL}(?: of)? {MONTH}(?:,? (?:19|20)\d\d)?"
    rf"|{MONTH}(?: the)? {_ORDINAL}(?:,? (?:19|20)\d\d)?"
    rf"|\d{{1,2}}[./]\d{{1,2}}(?:[./](?:\d{{4}}|\d\d))?|\d{{4}}-\d\d-\d\d|{MONTH} (?:19|20)\d\d"
    rf"|{MONTH})"
)
_HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
CLOCK = (
    r"(?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?| o'?clock)?"
    rf"|(?:(?:half|quarter|twenty|ten|five) )?(?:past |to )?{_HOUR}(?: thirty| fifteen"
    r"| forty-five)?(?: o'?clock| ?[ap]\.?m\.?)?|noon|midnight|midday)"
)
WHEN = (
    rf"(?:(?:on|in|at|by|around|about|from|next|this|until|before|after|for|every) )*(?:the )?"
    rf"(?:{DATE}|{POINT}|{CLOCK}|{NUMBER} {UNIT}(?: from now| time)?|{PART})"
    rf"(?:(?:,)? (?:at|on|in|from|the|around|until|to|and|{PART}|{CLOCK}|{DATE}|{POINT}))*"
)
"""When something takes place."""
IS_WHEN = re.compile(WHEN, re.IGNORECASE)

_LONGEST = 60
_MOST = 4
"""Characters and number of the phrases looked for at the end of a clause."""
_TIME = re.compile(
    r"(?:^|(?<=[\s,]))(?:"
    rf"(?:since|until|till|up to|starting|effective) (?:{DATE}|{POINT})"
    rf"|for (?:about |over |almost |nearly |the last |the past "
    rf"|more than )?{NUMBER} {UNIT}(?: now)?"
    r"|for (?:ages|years|months|weeks|a long time|a while|good|now|ever)"
    rf"|(?:over |about |almost |more than )?{NUMBER} {UNIT} ago|in {NUMBER} {UNIT}(?:'? time)?"
    rf"|(?:in|on|by|from|around|back in|this|early|late|over|during) (?:{DATE}|{POINT})"
    r"|on {DATE}"
    rf"|(?:every|each) (?:single |other )?(?:{UNIT}|{DAY}|{PART}|weekend|{SEASON}|night)"
    rf"|(?:once|twice|three times|four times) (?:a|every|per) {UNIT}"
    rf"|on {DAY}s(?: and {DAY}s)?|on weekends|in the {PART}s?|at night|on {DAY} {PART}s?|daily"
    rf"|(?:{POINT})(?: {PART})?"
    r"|since (?:i was (?:a |an )?(?:\w+ )?\w+|birth|then|childhood)"
    r"|when i was (?:a |an )?(?:\w+ )?\w+"
    r"|(?<!work )(?<!works )(?<!worked )(?<!working )as a (?:child|kid|student|teenager)|once"
    r"|before"
    r"|these days|at the moment|right now|from now on|nowadays|any ?more|any longer|no more"
    r"|no longer|recently|lately|already|again|too|as well|at last|finally|by the way|though"
    r"|actually|just now|soon|so far|once more|after all|in the end|in the meantime|currently"
    r"|either|you know|please|thanks?|thank you|okay|ok|lo-?bug|sadly|unfortunately|luckily"
    r"|earlier|by now|at first|in those days|back then|of course|for sure|so you know|instead"
    r"|in total|altogether|for short|the other day|all the time|all day|my whole life|all my life"
    r")[\s,.!]*$".replace("{DATE}", DATE),
    re.IGNORECASE,
)
_NOTHING_ABOUT_TIME = re.compile(
    r"^(?:too|as well|by the way|though|actually|you know|please|thanks?|thank you|okay|ok"
    r"|lo-?bug|either|again|sadly|unfortunately|luckily|at last|finally|already|after all"
    r"|in the end|just now|so far|in the meantime|for good|of course|for sure|so you know"
    r"|instead|in total|altogether|for short)$",
    re.IGNORECASE,
)
ENDS = re.compile(r"^(?:any ?more|any longer|no more|no longer)$", re.IGNORECASE)
FORMER = re.compile(
    r"^(?:when i was .+|as a (?:child|kid|student|teenager)|once|back then|in those days|before)$",
    re.IGNORECASE,
)
"""A former time, which says nothing about now."""


def without_time(text: str) -> tuple[str, tuple[str, ...]]:
    """A complement without its last phrases of time, and these."""
    times: list[str] = []
    while len(times) < _MOST:
        offset = max(0, len(text) - _LONGEST)
        if offset and not text[offset - 1].isspace():
            offset = len(text) - len(text[offset:].split(" ", 1)[-1])
        match = _TIME.search(text, offset)
        if match is None:
            break
        times.insert(0, match.group().strip(" ,.!"))
        text = text[: match.start()].rstrip(" ,")
    return text, tuple(times)


def kept(times: tuple[str, ...]) -> tuple[str, ...]:
    """The phrases that say something of the time."""
    return tuple(t for t in times if not ENDS.match(t) and not _NOTHING_ABOUT_TIME.match(t))
