"""Times that are taken back in the same breath, and units that are said once for several. English.
Pure.

"Ten, no, make that fifteen minutes" says fifteen minutes; "for five and ten minutes" says "for five
minutes and ten minutes".
"""

from __future__ import annotations

import re

from lobug.language.en.data import BELOW_TWENTY, TENS
from lobug.language.en.times import find_times

_TENS = "|".join(word for word in TENS if word)
_SEVERAL = re.compile(r"\b(?:timers|countdowns|two|another)\b", re.IGNORECASE)
_WORDS = "|".join([*(word for word in BELOW_TWENTY if word), *(word for word in TENS if word)])
NUMBER = rf"(?:\d+(?:[.:]\d+)?|(?:{_WORDS})(?:[ -](?:{_WORDS}))?|half an?|an?)"
UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?)"
_TAKEN_BACK = re.compile(
    r"(?:[\s,.;!?\u2026\u2013\u2014-]|\b(?:no|nope|wait|sorry|actually|i mean|i meant"
    r"|it (?:says|said|is)|it['\u2019]s|make (?:that|it)|scratch that|or rather|rather"
    r"|correction|oops|hang on|hold on|i said"
    r"|let['\u2019]s say|let['\u2019]s make it|um|uh|er|well|better|say|to|at|for)\b)+$",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:no|nope|wait|sorry|actually|i mean|i meant|make (?:that|it)|scratch that|rather"
    r"|correction|oops|hang on|hold on|let['\u2019]s make it)\b",
    re.IGNORECASE,
)
_BARE_AT_END = re.compile(rf"(?:\b(?:for|at|in|to|by)\s+)?\b{NUMBER}(?:\s+{UNIT})?$", re.IGNORECASE)
_BARE_AFTER = re.compile(
    rf"(?P<old>\b{NUMBER})[ -](?P<unit>{UNIT})(?P<back>[\s,.;!?\u2026-]+(?:(?:no|wait|sorry"
    r"|actually|i mean|make (?:that|it)|scratch that|rather|oops|hang on"
    r"|hold on)\b[\s,.;!?\u2026-]*)+)"
    rf"(?P<new>{NUMBER})(?![\w:]|\s+(?:{UNIT}|o['\u2019]clock|past|to|and))\b",
    re.IGNORECASE,
)
_UNIT_LATER = re.compile(
    rf"\b(?P<first>{NUMBER})(?P<rest>(?:,\s*{NUMBER})*,?\s+(?:and|&)\s+(?:(?:one|another)\s+)?"
    rf"(?:for\s+)?(?:{NUMBER})[ -](?P<unit>{UNIT})\b)",
    re.IGNORECASE,
)
_UNIT_EARLIER = re.compile(
    rf"\b(?P<first>{NUMBER}[ -](?P<unit>{UNIT})\b.*?\b(?:and|&|,)\s+(?:[\w' -]{{0,24}}? )?for\s+)"
    rf"(?P<last>{NUMBER})$",
    re.IGNORECASE,
)
_UNIT_EACH = re.compile(
    rf"(?P<first>\b{NUMBER}[ -](?P<unit>{UNIT})\b[^.;]*?\b(?:and|&|,) (?:an?other|the other|one"
    rf"|a second)"
    rf"(?: one)?\b[^.,;]{{0,40}}? (?:at|for) {NUMBER})(?=\s*(?:$|[,.!?;]))",
    re.IGNORECASE,
)
"""The second of "one for the rice at twelve minutes and another for the salmon at twenty"."""
_MORE = re.compile(
    rf"\b(?P<number>{NUMBER}|a few|a couple(?: of)?)\s+(?:more|extra|additional)\s+"
    rf"(?P<unit>{UNIT})\b",
    re.IGNORECASE,
)


_HOUR = r"(?:an|one|a|half an|an? (?:half|quarter))(?: of an)? (?:hour|minute|week|day)"
_SHIFTED = re.compile(
    rf"(?<!by )(?<!for )(?<!not )(?P<span>\b{_HOUR})(?= (?:earlier|later|sooner|longer|more)\b)"
    rf"|(?P<way>\b(?:back|forwards?|up|earlier|later|on|extra|another) )(?P<after>{_HOUR})\b",
    re.IGNORECASE,
)


_HALF_BEFORE = re.compile(
    r"\b(?:half an hour|an hour|one hour|quarter of an hour)(?= (?:before|after|past)\b)",
    re.IGNORECASE,
)
_MINUTES = {"half": 30, "an": 60, "one": 60, "quarter": 15}
_PUT_OFF = re.compile(
    rf"(?P<verb>^(?:delay|postpone|push|extend|shift|bump|move)\b[^,.]{{1,40}}?) (?={_HOUR}\b)",
    re.IGNORECASE,
)
_LATEST = re.compile(
    rf"\b(?P<until>sleep(?:ing)? past|sleep(?:ing)? beyond|later than|(?:up|awake|out of bed"
    rf"|dressed|ready|home|there|done) by) (?={NUMBER}\b|half past|quarter|a quarter)",
    re.IGNORECASE,
)
_HOUR_AND = re.compile(
    rf"\b(?P<hours>(?:an|{NUMBER}) hours?) and (?P<minutes>(?:{_TENS})(?:[ -](?:{_WORDS}))?"
    rf"|five|ten|fifteen|twelve|[1-5]?\d)(?![\w:.-]*\w|\s+(?:{UNIT}|o['\u2019]clock|past|to\b"
    rf"|of\b))",
    re.IGNORECASE,
)
"""The minutes of "an hour and twenty"."""
_OVER = re.compile(
    rf"\b(?P<unit>{UNIT})(?:['\u2019](?:s|ve)) (?P<over>(?:been )?(?:up|over|passed|gone"
    rf"|elapsed))\b",
    re.IGNORECASE,
)
_CLOCK = rf"(?:(?:half|quarter|{NUMBER})(?: past| to)? )?{NUMBER}(?:[:.]\d\d)?"
_AND_AT = re.compile(
    rf"\b(?P<joint>(?:and|,) )(?P<clock>{_CLOCK}) (?:at|on) (?=(?:the )?(?:weekends?|weekdays"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b)",
    re.IGNORECASE,
)
"""The second of "at seven on weekdays and nine at weekends"."""
_MADE_AT = re.compile(
    rf"\b(?P<made>(?:make|made) (?:it|that)) (?=(?:half|quarter|(?:a )?quarter|{NUMBER})"
    rf"(?: past| to)? {NUMBER}\b(?! {UNIT})|{NUMBER} (?:tonight|tomorrow|today|this)\b"
    rf"|(?<=no, make it ){NUMBER}\s*(?:[,.!?]|$))",
    re.IGNORECASE,
)
_PAST_HOUR = re.compile(
    rf"\b(?P<lead>at|for) (?P<hour>{NUMBER})\b(?P<between>[^.;]*?\b(?:and|then)\b[^.;]*?)"
    r"\b(?:at|for) (?P<minutes>five|ten|twenty|(?:a )?quarter|half"
    r"|twenty[ -]five) past(?=\s*(?:$|[,.;!?]| and\b| just\b))",
    re.IGNORECASE,
)
"""A time of the same hour: "one at six and one at ten past"."""


def settled(text: str) -> str:
    """A text without the times that it takes back, and with a unit for each number of several.
    "An hour later" becomes "by an hour later"."""
    text = _SHIFTED.sub(
        lambda found: (
            f"by {found['span']}" if found["span"] else f"{found['way']}by {found['after']}"
        ),
        text,
    )
    text = _HALF_BEFORE.sub(lambda found: f"{_MINUTES[found[0].split()[0].lower()]} minutes", text)
    text = _PUT_OFF.sub(r"\g<verb> by ", text)
    text = _LATEST.sub(lambda found: f"{found['until'].removesuffix(' by')} at ", text)
    text = _MORE.sub(r"\g<number> \g<unit> more", text)
    text = _OVER.sub(r"\g<unit> is \g<over>", text)
    text = _AND_AT.sub(r"\g<joint>at \g<clock> on ", text)
    text = _PAST_HOUR.sub(r"\g<lead> \g<hour>\g<between>at \g<minutes> past \g<hour>", text)
    if not _SEVERAL.search(text):
        text = _HOUR_AND.sub(r"\g<hours> and \g<minutes> minutes", text)
    if re.search(rf"\bat (?:half |quarter )?{NUMBER}\b", text, re.IGNORECASE):
        text = _MADE_AT.sub(r"\g<made> at ", text)
    text = _with_units(text)
    if not _TAKES_BACK.search(text):
        return text
    text = _BARE_AFTER.sub(r"\g<new> \g<unit>", text)
    for _ in range(3):
        changed = _without_taken_back(text)
        if changed == text:
            break
        text = changed
    return text


def _with_units(text: str) -> str:
    later = _UNIT_LATER.search(text)
    if later is not None and not re.search(rf"{UNIT}\s*$", later["first"], re.IGNORECASE):
        numbers = re.sub(
            rf"(,\s*{NUMBER})(?=[\s,])", rf"\1 {later['unit']}", later["rest"], count=9
        )
        if later["first"].lower() not in {"a", "an", "one"} or "," in later["rest"]:
            text = (
                f"{text[: later.start()]}{later['first']} {later['unit']}{numbers}"
                f"{text[later.end() :]}"
            )
    text = _UNIT_EARLIER.sub(r"\g<first>\g<last> \g<unit>", text)
    return _UNIT_EACH.sub(r"\g<first> \g<unit>", text)


def _without_taken_back(text: str) -> str:
    times = find_times(text)
    for place, found in enumerate(times):
        back = _TAKEN_BACK.search(text[: found.start])
        if back is None or not _TAKES_BACK.search(back[0]):
            continue
        before = text[: back.start()]
        if place and times[place - 1].end >= back.start():
            return f"{text[: times[place - 1].start]}{text[found.start :]}"
        bare = _BARE_AT_END.search(before)
        if bare is not None:
            return f"{text[: bare.start()]}{text[found.start :]}"
    return text


_BARE = re.compile(rf"\b(?P<number>{NUMBER})\b(?!\s*(?:{UNIT})\b)(?=[\s.,!?]*$)", re.IGNORECASE)


def with_minutes(text: str) -> str:
    """A text about a length of time that ends with a number alone, with its unit: "make that ten"
    says ten minutes."""
    return _BARE.sub(r"\g<number> minutes", text)
