"""Requests for alerts whose parts stand in several clauses. English. Pure.

"The doctor wants me to do my eye drops every day at nine, could you remind me?" says in its first
clause of what and when, in its second that a reminder is wanted. Templates match one clause; here
the whole utterance is read. What is not clear is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lobug.language.en.alert_clauses import (
    ADDRESS,
    MASK,
    SKILL,
    THAT,
    Clause,
    clauses_of,
    has_clock,
    masked,
)
from lobug.language.en.alert_requests import name_in, named_alerts
from lobug.language.en.alert_story_changes import READERS, correction
from lobug.language.en.requests import LONGEST
from lobug.language.en.time_corrections import settled
from lobug.language.moments import Found, Moment, Recurrence, TimeSpan
from lobug.language.skills import Match

_CUES = re.compile(
    r"\b(?:remind\w*|tim(?:er|ers|e|ing)|countdowns?|count(?:ing)?|clock|eye on|alarms?|minutes?"
    r"|hours?|seconds?|that (?:one|day|morning|evening|afternoon|night)|those|then|no|sorry|wait"
    r"|anything|what|shout|ping|nudge|buzz|poke|prod|holler)\b",
    re.IGNORECASE,
)
_STARTING = re.compile(
    r"\s*,?\s*\b(?:starting|beginning|from|as of)\s+(?:right\s+)?(?:now|this (?:second|minute"
    r"|moment|instant)|immediately|straight away)\b",
    re.IGNORECASE,
)
_TIMED = re.compile(
    r"(?:(?:start|begin|do|keep) (?:timing|counting)(?: down)?(?: {that})?"
    r"|count(?: {that}| me| us)? down|count {that}"
    r"|time (?:{that}|me|us|him|her)"
    r"|(?:keep|have) (?:an eye|a watch|tabs) on (?:{that}|the (?:time|clock|minutes))"
    r"|keep (?:track|time)(?: of (?:{that}|the (?:time|minutes)))?|watch the clock"
    r"|(?:set|start|put|stick|pop|run|do|make|i need|i want|i'd like|get)(?: me| us| up| on| off)*"
    r" (?:a|the|another) (?:timer|countdown)(?: on| going| up| running| off)?(?: for (?:{that}|me"
    r"|us))*)".replace("{that}", THAT)
    + ADDRESS,
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    rf"(?:(?:i want|i need|i'd like|give me|let's have|let's say|make it|that's"
    rf"|put|stick|set) )?{MASK}(?P<clock> (?:up )?on the (?:clock|timer))?"
    rf"(?: for (?P<label>[\w' -]{{2,40}}?))?(?P<clock2> (?:up )?on the (?:clock|timer))?"
    rf"(?P<address>{ADDRESS})",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:call|name|label) (?:it|that|this|that one|this one) (?P<label>[\w' -]{2,40})", re.I
)
_COOKING = (
    r"steep|brew|boil|bak|roast|fry|frying|grill|cook|poach|steam|prov|simmer|soak|marinat"
    r"|microwav|toast|chill|defrost|bleach|dry"
)
_THING = (
    r"(?:(?:the|some|a|an|my|our|this|these|those) )?(?P<thing>(?!the\b|in\b"
    r"|on\b)\w[\w'-]*(?: (?!in\b|on\b|into\b|is\b|are\b|at\b|and\b|for\b)\w[\w'-]*)?)"
)
_STORIES = (
    re.compile(rf"\b(?:{_COOKING})(?:p|n|l)?(?:ing) {_THING}", re.IGNORECASE),
    re.compile(
        rf"(?:^|[,.] |\b(?:the|my|our) ){_THING}(?:['\u2019](?:s|re)| is| are)(?: just| now)?"
        rf" (?:{_COOKING})(?:p|n|l)?ing\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:put|dropped|popped|stuck|chucked|shoved|slid|slung|thrown|tipped|got) "
        rf"{_THING} (?:in|on|into|under)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|\b(?:the|my|our) ){_THING}(?:['\u2019](?:s|re)| is| are| has gone| have gone| goes"
        r"| go| went)(?: just| now| all)? (?:in|on)\b",
        re.IGNORECASE,
    ),
)
"""What is on the stove: the name of a timer that is asked for without one."""
_PRESENT = re.compile(
    r"\b(?:i|we|he|she|they)(?:['\u2019](?:m|re|s|ve)|\s(?:am|are|is|have|has))\b|['\u2019]s\b"
    r"|\b(?:is|are|needs?|goes?)\b",
    re.IGNORECASE,
)
_REMINDED = re.compile(
    r"(?:(?:keep )?remind(?:ing)? (?:me|us)|i(?:['\u2019]ll)? need reminding|i need a reminder"
    r"|i need to be reminded|i(?:['\u2019]d| would) like (?:a reminder|reminding|to be reminded)"
    r"|(?:set|give me|make|put|send me|create|add)(?: me)? (?:a|an|some|two) reminders?"
    r"(?: in| on)?|(?:nudge|ping|poke|prod|buzz) (?:me|us))"
    rf"(?: (?:then|about {THAT}|of {THAT}|for {THAT}|both times|twice|each time|every time"
    r"|in time|both|please|will you|would you|again|at that time|on time))*"
    rf"(?: (?P<own>{MASK}))?(?: (?:about {THAT}|please|will you|would you|then))*",
    re.IGNORECASE,
)
_TWICE = re.compile(r"\b(?:twice|both(?: times)?|each time|two reminders)\b", re.IGNORECASE)
_DUTY = re.compile(
    r"\b(?:i|we)(?:['\u2019](?:ve|d|m|re|ll))?(?: (?:have|had|am|are|will|really|always|also|still"
    r"|just|do|keep|'ve))* ?(?:got to|have to|need to|must(?!n)|should|ought to|want to|supposed to"
    r"|meant to|forgetting to|forget to|gotta|better|to)\b (?P<task>\w.*)$",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:wants?|told|asked|tells|needs?|asks|expects?|promised) (?:me|us) "
    r"to (?P<task>\w.*)$",
    re.IGNORECASE,
)
_UNLESS = re.compile(
    r"\b(?:if|unless) (?:i|we) (?:(?:don['\u2019]t|do not|forget to|fail to) )?(?P<task>\w.*?)"
    r"(?=$| (?:i|she|he|they|we|it|my|the|there)(?:['\u2019](?:ll|d|m|re)| will| would| am"
    r"| are)\b)",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"^(?:and |but |also )*(?:there['\u2019]?s|there is|there are|(?:i|we)(?:['\u2019]ve)?"
    r"(?: have| got)+) (?P<task>(?:a|an|the|my|our|some|\w+['\u2019]s) \w.*)$",
    re.IGNORECASE,
)
_HABIT = re.compile(
    r"^(?:i|we) (?P<task>(?:take|have|do|give|feed|water|walk|call|ring)\b.*)$", re.I
)
_PAIR = re.compile(
    rf"^(?:i|we)(?:['\u2019]ve)?(?: (?:have to|need to|must|should|got to))? (?P<verb>\w+)"
    rf" (?P<one>[^{MASK}]+?) {MASK} and (?:then )?(?P<other>[^{MASK}]+?) {MASK}$",
    re.IGNORECASE,
)
_SUMMONED = re.compile(
    r"(?:give|drop|send) (?:me|us) a (?:shout|holler|ping|poke|nudge|prod|buzz|bell|call|sign)"
    rf" {MASK}|(?:ping|buzz|poke|nudge|prod|shout|holler)(?: (?:at )?(?:me|us))? {MASK}"
    rf"|(?:shout|holler|beep|ring) {MASK}",
    re.IGNORECASE,
)


def story_matches(text: str) -> Iterator[Match]:
    """What an utterance of several clauses asks for; nothing where it is not clear."""
    text = " ".join(text.split())
    if len(text) > LONGEST or not _CUES.search(text):
        return
    corrected = correction(text)
    if corrected is not None:
        yield corrected
        return
    text = settled(text)
    starting = _STARTING.search(text) is not None
    text = _STARTING.sub("", text)
    clauses = clauses_of(text)
    for read in (_counted, _reminder, *READERS):
        match = read(text, clauses)
        if match is not None:
            yield match
    match = _timer(text, clauses, starting=starting)
    if match is not None:
        yield match


def _counted(text: str, clauses: Sequence[Clause]) -> Match | None:
    """Two or more timers or alarms that are asked for with their number and then told one by one:
    "two timers, one for the rice at twelve minutes and another for the salmon at twenty"."""
    for place, clause in enumerate(clauses):
        asked = None if clause.reported else _COUNTED.fullmatch(clause.words)
        if asked is None:
            continue
        told = text[clause.end :]
        every = [found for one in clauses[place + 1 :] for found in one.times if has_clock(found)]
        if len(every) != _COUNTS[asked["count"].lower()]:
            return None
        if asked["kind"].lower().startswith("timer"):
            moved = [
                Found(found.start - clause.end, found.end - clause.end, found.value)
                for found in every
            ]
            labels = [one.label for one in named_alerts(told, moved)]
            labels = [
                re.sub(r"^(?:one|an?other|the other)(?: one)?(?: for)? ?", "", one)
                for one in labels
            ]
            if not all(isinstance(found.value, TimeSpan) for found in every):
                return None
            return Match(SKILL, "SetTimer", {"label": "\n".join(labels)}, text, tuple(every))
        times = (*clause.times, *every)
        return Match(SKILL, "SetAlarm", {"label": "\n".join([""] * len(every))}, text, times)
    return None


_COUNTS = {"two": 2, "2": 2, "a couple of": 2, "three": 3, "3": 3}
_COUNTED = re.compile(
    r"(?:set|start|make|put|get|give me|create|i need|i want|i['\u2019]ll need|i['\u2019]d like"
    r"|can i have"
    r"|could i have|we need)(?: up| me| us| on)* (?P<count>two|three|2|3|a couple of)"
    rf"(?: separate| different)? (?P<kind>timers|alarms)(?: (?:please|for me|going|{MASK}))*",
    re.IGNORECASE,
)


def _timer(text: str, clauses: Sequence[Clause], *, starting: bool) -> Match | None:
    for place, clause in enumerate(clauses):
        if clause.reported:
            continue
        if _TIMED.fullmatch(clause.words) and not clause.times:
            span = _one_span(text, clauses[:place] or clauses[place + 1 :])
            return None if span is None else _timer_match(text, clauses, span)
        if _SUMMONED.fullmatch(clause.words) and len(clauses) > 1 and place > 0:
            span = _one_span(text, [clause], ahead=True)
            label = _label(text, clauses)
            return None if span is None or not label else _timer_match(text, clauses, span)
        fragment = _FRAGMENT.fullmatch(clause.words)
        span = None if fragment is None else _one_span(text, [clause])
        if fragment is None or span is None:
            continue
        named = any(_NAMED.fullmatch(other.words) for other in clauses)
        clock = fragment["clock"] or fragment["clock2"]
        story = any(
            _PRESENT.search(other.said) for other in clauses if other is not clause
        ) and any(words.search(text) for words in _STORIES)
        polite = clause.polite and (fragment["label"] or story)
        if clock or named or polite or (starting and (fragment["label"] or len(clauses) > 1)):
            return _timer_match(text, clauses, span, fragment["label"] or "")
    return None


def _timer_match(text: str, clauses: Sequence[Clause], span: Found, label: str = "") -> Match:
    return Match(SKILL, "SetTimer", {"label": _label(text, clauses, label)}, text, (span,))


def _label(text: str, clauses: Sequence[Clause], label: str = "") -> str:
    for clause in clauses:
        named = _NAMED.fullmatch(clause.words)
        if named is not None:
            return name_in(named["label"])
    if label:
        return name_in(label)
    for words in _STORIES:
        story = words.search(masked(text))
        if story is not None and _is_thing(story["thing"]):
            return name_in(story["thing"])
    return ""


def _is_thing(words: str) -> bool:
    return MASK not in words and words.lower() not in _NO_THINGS


_NO_THINGS = frozenset("it that this them these those me you him her us there what on in".split())


def _one_span(text: str, clauses: Sequence[Clause], *, ahead: bool = False) -> Found | None:
    """The only length of time in some clauses; None: there is none, or more than one. ``ahead``:
    "in ten minutes" counts as one."""
    spans = [
        found
        for clause in clauses
        for found in clause.times
        if isinstance(found.value, TimeSpan)
        or (ahead and isinstance(found.value, Moment) and found.value.elapsed is not None)
    ]
    spans = [
        found
        for found in spans
        if not re.search(r"\b(?:not|last|past|every|another|about to) $", text[: found.start], re.I)
        and not re.match(r"another\b|every\b", text[found.start :], re.I)
        and not re.match(
            r"\s*(?:ago|late|early|away|drive|walk|old|earlier|already|more\b)",
            text[found.end :],
            re.I,
        )
    ]
    return spans[0] if len(spans) == 1 else None


def _reminder(text: str, clauses: Sequence[Clause]) -> Match | None:
    for place, clause in enumerate(clauses):
        cue = None if clause.reported else _REMINDED.fullmatch(clause.words)
        if cue is None:
            continue
        story = [*clauses[:place], *clauses[place + 1 :]]
        twice = _TWICE.search(clause.words) is not None
        clocks = [found for found in clause.times if has_clock(found)]
        if clause.times and not clocks:
            timed = [one for one in story if any(has_clock(found) for found in one.times)]
            if len(timed) == 1:
                return _reminder_of(text, timed[0], story, twice=twice, also=clause.times)
        if clause.times:
            label = next((task for one in story if (task := _task(one.said))), "")
            return _reminder_match(text, [label], clause.times) if label else None
        timed = [one for one in story if one.times]
        if len(timed) != 1:
            return None
        return _reminder_of(text, timed[0], story, twice=twice)
    return None


def _reminder_of(
    text: str, timed: Clause, story: Sequence[Clause], *, twice: bool, also: Sequence[Found] = ()
) -> Match | None:
    """A reminder of what a clause says, at its time. ``also``: how often, as said elsewhere."""
    pair = _PAIR.match(timed.said)
    if twice and pair is not None and len(timed.times) == 2:
        labels = [f"to {pair['verb']} {pair[name]}" for name in ("one", "other")]
        return _reminder_match(text, labels, timed.times)
    clocks = [found for found in timed.times if has_clock(found)]
    times = timed.times
    if also and not any(isinstance(found.value, Recurrence) for found in times):
        times = tuple(sorted((*times, *also), key=lambda found: found.start))
    if len(clocks) > 1:
        return None
    label = _task(timed.said)
    if not label and timed.words == MASK:
        label = next((task for one in story if (task := _task(one.said))), "")
    elif not label:
        label = f"that {_uncapitalised(timed.words)}" if _PRESENT.search(timed.said) else ""
    return _reminder_match(text, [label], times) if label else None


def _uncapitalised(words: str) -> str:
    return re.sub(
        r"^(?:The|My|Our|A|An|There|We|It|His|Her|Their)\b", lambda one: one[0].lower(), words
    )


def _reminder_match(text: str, labels: Sequence[str], times: Sequence[Found]) -> Match:
    tidy = (" ".join(label.replace(MASK, " ").split()).strip(" ,") for label in labels)
    return Match(SKILL, "SetReminder", {"label": "\n".join(tidy)}, text, tuple(times))


def _task(words: str) -> str:
    """What is to be done, from a clause that says so; empty: it does not."""
    for pattern in (_UNLESS, _DUTY, _WISH, _HABIT):
        found = pattern.search(words)
        if found is not None:
            task = re.sub(r"^(?:remember|not forget) to ", "", found["task"], flags=re.IGNORECASE)
            return f"to {task}"
    event = _EVENT.search(words.removeprefix(f"{MASK} "))
    return f"about {event['task']}" if event is not None else ""
