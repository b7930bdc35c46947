"""Sums of stories that multiply: so many each, rates over time, areas, recipes. English. Pure.

Each kind gives the sums that a story may ask for; none if it is of another kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lobug.language.en.arithmetic import Sum
from lobug.language.en.stories import Story
from lobug.language.en.story_sums import (
    FUNCTION,
    GENERIC,
    RATE,
    counts,
    nouns,
    other_amount,
    product,
    stem,
    sum_of_story,
    two_amounts,
)

_EACH_IS = re.compile(
    r"\b(?:each|every|per|a|an|it|each of them)(?: (?P<per>[a-z]+)(?: of [a-z]+){0,1})? (?:is"
    r"|are|costs?|holds?|has"
    r"|takes?"
    r"|weighs|contains?|needs|gets?|comes to|seats?|fits|lasts?)(?: about| around)? #(?!%)"
)
_PERIODS = {
    ("minute", "hour"): 60, ("hour", "day"): 24, ("day", "week"): 7, ("day", "year"): 365,
    ("night", "week"): 7, ("week", "year"): 52, ("month", "year"): 12, ("day", "fortnight"): 14,
    ("week", "fortnight"): 2,
}  # fmt: skip
_WHOLE_PERIOD = re.compile(
    r"\b(?:for|over|in|during|across|after|per|an?|every)(?: an?| the| it| each)?"
    r"(?: whole| full| entire| solid)? (week|year|day|hour|fortnight)\b|\b(week|year|dai)ly\b"
)


def rates(story: Story) -> Iterator[Sum]:
    """ "17 boxes with 23 tiles each"; "25 quid a week for 52 weeks"; "32 lengths of 25 metres"."""
    both = two_amounts(story)
    if both is None or re.search(r"\b(?:left|to go|change|percentage)\b", story.question):
        return
    if re.search(r"\bhow long\b", story.question):
        return
    lengths = re.search(
        r"(#) (lengths?|laps?|rows?|rounds?|trips?|sets?|bags?|boxes|packs?|packets|bottles"
        r"|cases|crates"
        r"|trays|portions?|tins|cans|jars|pieces|strips|planks|sessions|shifts|lots|glasses|cups"
        r"|jugs|slices)"
        r" (?:of|at) (?:a |an |the |our )?(?:[a-z]+ )?#",
        story.outline,
    )
    per_asked = re.search(r"\b(?:per|each|apiece)\b", story.question)
    if lengths and not per_asked and f"how many {lengths[2]}" not in story.question:
        yield product(*both)
        return
    rate = RATE.search(story.outline)
    is_rate = _EACH_IS.search(story.outline)
    match = rate or is_rate
    if match is None or (rate and is_rate and rate.end() > is_rate.end() - 1 > rate.start()):
        return
    amount = story.at(match.start())
    other = other_amount(story, amount)
    per = match["per"] or ""
    asked = re.search(r"\bhow many ([a-z]+)", story.question)
    if asked and per and stem(asked[1]) == stem(per):
        return  # "how many weeks": a quotient
    if per_asked and not re.search(r"\b(?:each|per)\b", story.outline.replace(story.question, "")):
        return
    counted = not per or per in {"of", "one"} or counts(story, per, other)
    if asked and asked[1] not in GENERIC and not counts(story, asked[1], amount):
        told = story.outline.replace(story.question, "")
        counted = counted and not re.search(rf"\b{re.escape(stem(asked[1]))}", told)
    if counted and not other.sign:
        yield product(other, amount)


def periods(story: Story) -> Iterator[Sum]:
    """ "I smoke 4 a day, how many is that a week?"; "Brenda drinks 4 a day and Stu drinks 3"."""
    if len(story.amounts) > 2 or "#%" in story.outline:
        return
    rates = list(RATE.finditer(story.outline))
    if len(rates) not in {1, len(story.amounts)} or not rates[0]["per"]:
        return
    small = rates[0]["per"]
    if any(rate["per"] != small for rate in rates):
        return
    wanted = {
        period
        for match in _WHOLE_PERIOD.finditer(story.outline)
        if (period := match[1] or match[2]) and (small, period) in _PERIODS
    }
    if len(wanted) != 1:
        return
    if len(story.amounts) > len(rates):
        alike = re.search(r"\b([a-z]+)(?: about)? #[^#]*\band (?:[a-z']+ ){1,3}\1 #", story.outline)
        if alike is None:
            return
    factor = _PERIODS[small, wanted.pop()]
    values = [amount.value for amount in story.amounts]
    said = " plus ".join(amount.said for amount in story.amounts)
    said = f"{said}, times {factor}," if len(values) > 1 else f"{said} times {factor}"
    yield sum_of_story(f"({'+'.join(values)})*{factor}", said, *story.amounts)


def chains(story: Story) -> Iterator[Sum]:
    """ "8 hours a day, 5 days a week, for 4 weeks": each is for one of what the next counts."""
    if len(story.amounts) < 3 or "#%" in story.outline:
        return
    counted_things = nouns(story)
    rates = {story.outline.count("#", 0, rate.start()): rate["per"] for rate in
             RATE.finditer(story.outline)}  # fmt: skip
    for place in range(len(counted_things) - 1):
        per = rates.get(place)
        if per is None:
            counted = {stem(word) for word in counted_things[place].split()}
            following = {stem(word) for word in counted_things[place + 1].split()}
            if place == 0 or "day" not in counted or "week" not in following:
                return
        elif not any(stem(word) == stem(per) for word in counted_things[place + 1].split()):
            return
    if len(counted_things) - 1 in rates or stem(rates.get(0) or "") == "":
        return
    yield product(*story.amounts)


_LENGTH = (
    r"(?:metres?|meters?|m|feet|foot|ft|yards?|inch(?:es)?|centimetres?|centimeters?|cm|miles?)"
)
_SIDES = re.compile(
    rf"#(?: ?({_LENGTH}))?(?: wide| long| deep)? by #(?: ?({_LENGTH}))?"
    rf"(?: wide| long| deep| high)?(?: by #(?: ?({_LENGTH}))?)?"
)
_SURFACE = re.compile(
    r"\b(?:area|square|floor|carpet|lawn|turf|how big|wall|tiles?|paint|room|garden|surface|patio"
    r"|lino|footage)\b"
)


def areas(story: Story) -> Iterator[Sum]:
    """ "The room's 4.5 by 6 metres, how many square metres is that?" """
    sides = _SIDES.search(story.outline)
    if sides is None or sides.group().count("#") != len(story.amounts):
        return
    if re.search(r"\b(?:cost|price|pay|how (?:long|tall|far)|perimeter|fence|all the way round)\b",
                 story.outline):  # fmt: skip
        return
    units = {stem(unit) for unit in sides.groups() if unit}
    flat = len(story.amounts) == 2
    fits = _SURFACE if flat else re.compile(r"\b(?:volume|cubic|capacity|space)\b")
    if len(units) > 1 or not fits.search(story.outline):
        return
    named = next((unit for unit in sides.groups() if unit), "")
    long = {"m": "metres", "ft": "feet", "cm": "centimetres", "foot": "feet", "inch": "inches"}
    unit = long.get(named, named if named.endswith("s") or not named else f"{named}s")
    asked = re.search(r"\b(?:square|cubic) ([a-z]+)", story.outline)
    if asked and unit and stem(asked[1]) != stem(unit):
        return
    unit = unit if named != "feet" else "feet"
    yield product(*story.amounts, unit=f"{'square' if flat else 'cubic'} {unit}" if unit else "")


_SERVES = re.compile(
    r"\brecipe(?:'s)?\b[^,;.#]*?\b(?:serves|feeds|makes|for|does|is for) (#)"
    r"|\b(?:serves|feeds) (#)|(?:meant|enough) for (#)"
)
_EATERS = re.compile(
    r"\b(?:baking|cooking|making(?: it| them| enough)?|need(?:ing)?(?: it| enough)?"
    r"|want(?:ing)?(?: it| enough)?"
    r"|having|feeding|catering|doing it) for (#)|\bfeed(?:ing)? (#)|(#) (?:of us|people|guests"
    r"|coming)"
    r"|(?:there's|there are|there'll be|we're|we are|i've got|we've got|having) (#)"
)


def recipes(story: Story) -> Iterator[Sum]:
    """ "I'm baking for 12, the recipe serves 4 and takes 175 grams, how much is that?" """
    if len(story.amounts) != 3 or "#%" in story.outline:
        return
    serves = [match.start(match.lastindex or 0) for match in _SERVES.finditer(story.outline)]
    eaters = [match.start(match.lastindex or 0) for match in _EATERS.finditer(story.outline)]
    eaters = [place for place in eaters if place not in serves]
    if len(set(serves)) != 1 or len(set(eaters)) != 1:
        return
    one, many = story.at(serves[0]), story.at(eaters[0])
    rest = [at for at, amount in enumerate(story.amounts) if amount not in (one, many)]
    if len(rest) != 1:
        return
    needed = story.amounts[rest[0]]
    word = nouns(story)[rest[0]].split(" ")[0]
    unit = word if word and word not in FUNCTION else ""
    said = f"{needed.said} times {many.said} divided by {one.said}"
    yield sum_of_story(f"{needed.value}*{many.value}/{one.value}", said, needed, unit=unit)
