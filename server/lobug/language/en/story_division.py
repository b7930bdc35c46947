"""Sums of stories that divide: percentages, shares, prices per piece, packs. English. Pure.

Each kind gives the sums that a story may ask for; none if it is of another kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lobug.language.en.arithmetic import Sum
from lobug.language.en.stories import Story
from lobug.language.en.story_sums import (
    CONTAINERS,
    RATE,
    counts,
    other_amount,
    quotient,
    stem,
    sum_of_story,
    two_amounts,
)

_OFF = re.compile(
    r"\b(?:off|discount\w*|reduc\w+|cheaper|mark(?:ed|ing)? (?:it |them )?down|knock\w*|dropp\w+"
    r"|went down|gone down|going down|fell|fallen|take #% away|less)\b"
)
_ON = re.compile(
    r"\b(?:on top|add(?:ing|ed|s)?|plus|extra|rise|rais\w+|increas\w+|w[eo]nt up|going up|gone up"
    r"|goes up|putting up|surcharge|before (?:vat|tax)|more)\b"
)
_PART = re.compile(
    r"(?:how much (?:is|would|will|'s|was|should)|what(?:'s| is| would| will| should))(?: be)?"
    r" (?:the|that|my|his|her|our|their|your|a)? ?(?:[\w#%]+ )?(?:tip|deposit|commission"
    r"|gratuity|fee"
    r"|interest|saving|discount|reduction|rise|raise|increase|vat|tax|service|cut)\b"
    r"|how much (?:do|will|would|am|are|can|should|shall) (?:i|we) (?:save|saving|saved|tip|leave"
    r"|put down|get off)\b|how much (?:to|should i) (?:leave|tip)\b|how much (?:is )?off\b"
)
_WHOLE = re.compile(r"\b(?:with|including|after|altogether|in total|total|all in)\b")
_BACKWARDS = re.compile(
    r"\b(?:original\w*|used to (?:be|cost)|full price|without|excluding|already|inclu\w+"
    r"|was it before|at first)\b"
)
_PEOPLE = (
    r"(?:of us|of them|of you|ways|people|persons?|friends|adults|kids|children|grandchildren"
    r"|players|colleagues|mates|guests|siblings|brothers|sisters|flatmates|housemates|roommates"
    r"|cousins|girls|boys|lads|ladies|couples|families|neighbou?rs)"
)
_SPLIT = re.compile(
    r"\b(?:split\w*|shar(?:e|ed|ing)|divid\w+|between|among|amongst|going dutch|chipp\w+ in)\b"
)
_EACH = re.compile(
    r"\b(?:each|apiece|per (?:person|head|adult|child)|everyone|everybody|a head|my share|share)\b"
)
_SHARERS = re.compile(
    rf"\b(?:between|among|amongst)(?: the| all| us| of| my| our)* (#)(?!%)|(#) {_PEOPLE}\b"
)


def percents(story: Story) -> Iterator[Sum]:
    """ "480 before VAT, add twenty percent on top"; "thirty percent off"; "how much is the tip"."""
    if len(story.amounts) != 2 or story.outline.count("#%") != 1:
        return
    if _BACKWARDS.search(story.outline):
        return
    part = story.at(story.outline.index("#%"))
    base = other_amount(story, part)
    share = f"({part.value}/100)"
    if _PART.search(story.question) and not _WHOLE.search(story.question):
        yield sum_of_story(f"{share}*{base.value}", f"{part.value} percent of {base.said}", base)
        return
    less, more = _OFF.search(story.outline), _ON.search(story.outline)
    if not less and not more and _WHOLE.search(story.question):
        more = re.search(r"\b(?:tip|service|vat|tax)\b", story.outline)
    if less and not more:
        yield sum_of_story(
            f"{base.value}*(1-{share})", f"{base.said} minus {part.value} percent", base
        )
    elif more and not less:
        yield sum_of_story(
            f"{base.value}*(1+{share})", f"{base.said} plus {part.value} percent", base
        )
    elif not less and re.search(r"#% of (?:the |my |our |that |a )?#", story.outline):
        yield sum_of_story(f"{share}*{base.value}", f"{part.value} percent of {base.said}", base)


def percentages(story: Story) -> Iterator[Sum]:
    """ "45 out of 60, what's that as a percentage?" """
    both = two_amounts(story)
    if both is None or not re.search(r"percentage|(?:what|as a|in) ?%|%.?wise", story.question):
        return
    if re.search(r"\b(?:increase|rise|change|drop|up|down|more|less)\b", story.outline):
        return
    first, second = sorted(both, key=lambda amount: float(amount.value))
    said = f"{first.said} out of {second.said}"
    yield sum_of_story(f"{first.value}/{second.value}*100", said, percent=True)


def shares(story: Story) -> Iterator[Sum]:
    """ "We're splitting a bill of 84.60 between three of us, what's each share?" """
    both = two_amounts(story)
    if both is None:
        return
    sharers = _SHARERS.search(story.outline)
    if sharers is None or len(list(_SHARERS.finditer(story.outline))) > 1:
        return
    if not _SPLIT.search(story.outline) and not _EACH.search(story.question):
        return
    if RATE.search(story.outline) and not _SPLIT.search(story.outline):
        return
    count = story.at(sharers.start(1) if sharers[1] else sharers.start(2))
    if "." not in count.value and not count.sign:
        yield quotient(other_amount(story, count), count)


_PER = re.compile(
    r"\b(?:per|for (?:each|a single|a|just one)|(?:is|does|of) (?:each|a|one)|each|(?:for"
    r"|is) it) ?([a-z]+)?"
)


def per_item(story: Story) -> Iterator[Sum]:
    """ "A pack of six loo rolls is four pounds fifty, what does that come to per roll?" """
    both = two_amounts(story)
    if both is None or not re.search(r"\b(?:what|how much)\b", story.question):
        return
    before = story.outline.replace(story.question, "")
    if RATE.search(before) or _SPLIT.search(before):
        return
    per = _PER.search(story.question)
    if per is None:
        return
    if per[1] and per[1] not in {"it", "is", "cost", "of", "then", "one", "work", "come", "that"}:
        counted = re.search(rf"(#)(?!%)(?: [a-z-]+){{0,3}}? {re.escape(stem(per[1]))}", before)
        if counted is None:
            return
        count = story.at(counted.start())
    elif bool(both[0].sign) != bool(both[1].sign) and re.search(r"\b(?:each|apiece)\b", per[0]):
        count = both[0] if both[1].sign else both[1]
    else:
        return
    if not count.sign and "." not in count.value:
        yield quotient(other_amount(story, count), count)


_SIZE = re.compile(
    rf"\b{CONTAINERS} of (#)|\b(?:sold|come|comes|packed|sorted) in (#)s?"
    rf"|(?:hold|fit|take|seat|carry|contain|cover|ha|carrie)(?:s|ve)?(?: up to| about)? (#)"
    rf"|(#)(?: [a-z]+){{0,2}}? (?:(?:in|to|on|at) (?:an?|each|every)|per) {CONTAINERS}"
    rf"|\b{CONTAINERS} (?:is|are) (#)"
)


def containers(story: Story) -> Iterator[Sum]:
    """ "We need 144 eggs, sold in dozens, how many cartons do I pick up?" """
    both = two_amounts(story)
    asked = re.search(rf"\bhow many(?: more)? (?P<what>{CONTAINERS})\b", story.question)
    if both is None or asked is None:
        return
    if re.search(
        r"#[^#,]{0,12}(?<! a)(?<! an)(?<! each)(?<! every)(?<! per)(?<! to) "
        + re.escape(stem(asked["what"])),
        story.outline,
    ):
        return  # they are counted already
    sizes = list(_SIZE.finditer(story.outline))
    places = {match.start(match.lastindex or 0) for match in sizes}
    size = [story.at(place) for place in places]
    if len(size) == 1 and not size[0].sign:
        yield quotient(other_amount(story, size[0]), size[0], whole=True)


_PERIOD = r"(?:minute|hour|day|night|week|month|year|mile|kilometre|litre|gallon)"


def lasting(story: Story) -> Iterator[Sum]:
    """ "There are 28 slices and we eat four a day, how many days will they last?" """
    both = two_amounts(story)
    rates = list(RATE.finditer(story.outline))
    if both is None or len(rates) != 1 or not re.fullmatch(_PERIOD, rates[0]["per"] or ""):
        return
    per = rates[0]["per"]
    if not re.search(
        rf"how many {per}s\b|how long (?:will|would|does|do|can|should)[^#]*\b(?:last|take|till"
        rf"|until"
        r"|before|keep)",
        story.question,
    ):
        return
    amount = story.at(rates[0].start())
    other = other_amount(story, amount)
    if not counts(story, per, other):
        yield quotient(other, amount)


def paces(story: Story) -> Iterator[Sum]:
    """ "340 pages to read in ten days, how many pages a day is that?" """
    both = two_amounts(story)
    asked = re.search(
        rf"\bhow (?:many|much|far)\b[^#]*\b(?:a|per|each|every) (?P<per>{_PERIOD})\b",
        story.question,
    )
    if both is None or asked is None:
        return
    if RATE.search(story.outline.replace(story.question, "")):
        return
    counted = [amount for amount in both if counts(story, asked["per"], amount)]
    if len(counted) == 1 and not counted[0].sign:
        yield quotient(other_amount(story, counted[0]), counted[0])
