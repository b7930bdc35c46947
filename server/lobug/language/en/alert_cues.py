"""What words say of which alerts are meant and what is to happen to them. English. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from lobug.language.en.data import word_set
from lobug.language.moments import Found, Moment, TimeSpan

_NEVER_NAMES = word_set("alerts", "never_names")
_NO_NAMES = word_set("alerts", "no_names")
_KINDS = (
    ("timer", re.compile(r"\b(?:timers?|countdowns?)\b", re.IGNORECASE)),
    ("alarm", re.compile(r"\b(?:alarms?|wake|waking|woken|wake-?up)\b", re.IGNORECASE)),
    ("reminder", re.compile(r"\bremind(?:ers?|ing|ed)?\b", re.IGNORECASE)),
)


def kinds_in(text: str) -> tuple[str, ...]:
    """The kinds of alerts that a text names."""
    return tuple(kind for kind, words in _KINDS if words.search(text))


def needs_task(request: str) -> bool:
    """Whether a request for a reminder has to say of what: "remind me at six". One that only asks
    for a sign ("nudge me in an hour") need not."""
    return re.match(r"(?:please )?remind (?:me|us)\b", request, re.IGNORECASE) is not None


def minutes_past(request: str, found: Found) -> bool:
    """Whether a time is only the minutes of one whose hour was not said: "at ten past"."""
    return re.match(r"\s*(?:past|to)\s*(?:$|[,.!?])", request[found.end :], re.I) is not None


def counts_from_event(request: str, found: Found) -> bool:
    """Whether a length of time is counted from something that was named elsewhere: "remind me an
    hour before". When that is, is not read."""
    return isinstance(found.value, TimeSpan | Moment) and (
        re.match(
            r"\s*(?:before(?:hand)?|ahead|in advance|prior)(?: (?:it|that|then|of time))?"
            r"\s*[.!?]*$",
            request[found.end :],
            re.IGNORECASE,
        )
        is not None
    )


SEVERAL = re.compile(
    r"\b(?:all|every|everything|both|them|the (?:whole )?lot|those|these|timers|alarms"
    r"|reminders)\b",
    re.IGNORECASE,
)
"""Words that mean each alert that fits."""
POINTING = re.compile(
    r"\b(?:it|that|this|its|instead|last(?: one)?|just set|i meant?|actually)\b", re.IGNORECASE
)
"""Words that mean the alert that was set last."""


def words_of(text: str) -> set[str]:
    """The words that tell one label from another, in the singular."""
    found = re.findall(r"[^\W_]+(?:['\u2019][^\W_]+)?", text.lower())
    return {_singular(word) for word in found if word not in _NEVER_NAMES}


def _singular(word: str) -> str:
    if len(word) <= 3 or not word.endswith("s") or word.endswith("ss"):
        return word
    return word[:-2] if word.endswith("oes") and len(word) > 5 else word[:-1]


Shift = Literal["later", "earlier", "to"]
"""Whether a length of time is added to when something rings, taken from it, or replaces it."""
_EARLIER = re.compile(
    r"\b(?:earlier|sooner|bring|shorter|shorten|reduce|cut|decrease|subtract|shave|knock|off"
    r"|take|less|move (?:\w+ ){0,4}(?:forward|up)|speed up)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:later|longer|back|postpone|delay|push|extend|lengthen|prolong|add|more|another|extra"
    r"|increase|give|additional|allow|bump|by|slow down)\b",
    re.IGNORECASE,
)
_TO_TIME = re.compile(r"\b(?:to|at|until|till|for)\s*$|^(?:to|at|until|till)\b", re.IGNORECASE)


def shift_in(request: str, last: Found) -> Shift:
    """How the last time of a request changes an alert."""
    words = f"{request[: last.start]} {request[last.end :]}"
    said = request[last.start : last.end]
    if _TO_TIME.search(said) or _TO_TIME.search(request[: last.start]):
        return "to"
    if _EARLIER.search(words):
        return "earlier"
    if _LATER.search(f"{words} {said}"):
        return "later"
    return "to"


_WAKING = re.compile(
    r"\b(?:wake|waking|woken|get me|oversleep|sleep|awake|out of bed|i'm up|rouse)\b", re.I
)
_SURE = re.compile(
    r"\b(?:timers?|alarms?|countdowns?|reminders?|remind|wake-?up calls?)\b", re.IGNORECASE
)
_TELLS = re.compile(
    r"^(?:tell|ask|let|call|text|make sure|ensure|see|give|drop|send|shout|holler|ping|buzz|ring"
    r"|beep|alert|notify|prompt|bug|pester|warn|i must|i mustn|i can|i shouldn|i don|i'd|i need"
    r"|time|chime|ding|go off|count|start a count|get (?:me|us)|put|set the clock|nudge|poke|prod)",
    re.IGNORECASE,
)
_MOST_NAME_WORDS = 4


def is_waking(request: str) -> bool:
    """Whether a request asks to be woken."""
    return _WAKING.search(request) is not None


def names_alerts(request: str) -> bool:
    """Whether a request names alerts expressly."""
    return _SURE.search(request) is not None


_POINTS_BACK = re.compile(r"\b(?:it|that|this)\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|(?:just|already) set)\b", re.IGNORECASE)
_THING = re.compile(
    r"\b(?:the|my|our|his|her|its|their|this|that|an?|some) \w|\w['\u2019]s \w", re.IGNORECASE
)


def points_back(request: str) -> bool:
    """Whether the "that" of a request means what was spoken of last. "The last one" does not."""
    return _POINTS_BACK.search(request) is not None and _LAST.search(request) is None


def names_other_thing(before: str) -> bool:
    """Whether the words before a request name a thing that is no alert: "The meeting is
    cancelled"."""
    return _THING.search(before) is not None and not names_alerts(before)


def asks_what_is_left(request: str) -> bool:
    """Whether a request asks how much time is left and names nothing: "How long is left?"."""
    return _LEFT.fullmatch(request) is not None


_LEFT = re.compile(
    r"how (?:long|much (?:time|longer)|many (?:minutes|seconds|hours))"
    r"(?: (?:is|are|is there|are there|have i got|do i have|has it got))?(?: still)?"
    r" (?:left|remaining|to go)",
    re.IGNORECASE,
)


def asks_of_alerts(answer: str) -> bool:
    """Whether an answer to "Which one?" means all of them."""
    return re.search(r"\b(?:all|both|every|everything|each)\b", answer, re.IGNORECASE) is not None


def may_be_name(words: str) -> bool:
    """Whether words may be the name of an alert: no pronoun and no verb is among them."""
    return _NO_NAMES.isdisjoint(words.lower().replace("\u2019", "'").split())


def may_name(request: str, slots: Mapping[str, str], kind: str, *, timed: bool) -> bool:
    """Whether a request that fits a template is really one: what is not said in so many words needs
    its time, and a name has few words."""
    name = slots.get("name", "").split()
    if len(name) > 2 * _MOST_NAME_WORDS:
        return False
    if timed:
        return True
    if _THINGS.search(request):
        return False
    if _TELLS.match(request) and not re.search(rf"\b{kind}s?\b", request, re.IGNORECASE):
        return _SUMMONS.match(request) is not None
    if _ORDERS.match(request):
        return True
    return len(request.split()) <= (2 if kind == "timer" else 1)


_THINGS = re.compile(
    r"\b(?:alarm clock|alarm system)|\b(?:timer|alarm)s? (?!for|to|called|named|on|up)\w+$",
    re.IGNORECASE,
)
"""Without a time these are things to buy: "I want a timer app"."""
_SUMMONS = re.compile(r"(?:give|drop|send) (?:me|us) a|don|nudge me|ping me|help", re.IGNORECASE)
_ORDERS = re.compile(
    r"(?:set|start|create|make|add|begin|run|put|give|get|do|i need|i want|i'd|i would|i'll|i will"
    r"|i'm|can i|could i|may i|need|want|new|schedule|wake|rouse|don't|do not|never|dont|remind|to "
    r"|remember|help|have|use|let's|open|turn on|switch on|fire up|kick off|launch|program|stick"
    r"|pop)\b(?! you\b)",
    re.IGNORECASE,
)


def is_soft(request: str) -> bool:
    """Whether a request to cancel may be no request at all, where nothing fits it: "Don't remind
    me!"."""
    return (
        re.match(r"(?:don|do not|no\b|you|stop|quit|i |forget)", request, re.IGNORECASE) is not None
    )


def sets_anew(request: str, time: Found) -> bool:
    """Whether a request that may change an alert sets one: "set my alarm for seven", but not "to
    seven"."""
    sets = re.match(r"(?:set|put) (?:the|my|our|this|that)\b", request, re.IGNORECASE)
    said = request[time.start : time.end]
    to = re.match(r"to\b", said, re.IGNORECASE) or re.search(
        r"\b(?:to|back|forward|earlier|later)\s*$", request[: time.start], re.IGNORECASE
    )
    return sets is not None and to is None and bool(kinds_in(request))


_REPEATING = word_set("alerts", "repeating")


def means_repeating(name: str) -> bool:
    """Whether the name of an alert only says that it repeats: "the weekday alarm"."""
    return bool(words_of(name)) and words_of(name) <= _REPEATING


def is_next(request: str) -> bool:
    """Whether only the soonest alert is asked for."""
    return re.search(r"\bnext\b", request, re.IGNORECASE) is not None


_ASKS_MEMORY = re.compile(
    r"remind (?:me|us) of (?:the|my|our|his|her|their|your|\w+'s)\b", re.IGNORECASE
)


def asks_memory(request: str) -> bool:
    """Whether a request to be reminded, which names no time, may ask for what memory knows:
    "remind me of the wifi password"."""
    return _ASKS_MEMORY.match(request.replace("\u2019", "'")) is not None
