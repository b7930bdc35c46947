"""Sums that are hidden in a small story: "17 boxes with 23 tiles each, how many tiles is that?".
English. Pure.

A reading uses every number of the story. Where two kinds of sums are possible, none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from lobug.language.en.arithmetic import Sum
from lobug.language.en.stories import Amount, Story, read_story

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
    r" (?:the|that|my|his|her|our|their|your|a)? ?(?:\w+ )?(?:tip|deposit|commission|gratuity|fee"
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
_CONTAINERS = (
    r"(?:box|boxes|carton|cartons|pack|packs|packet|packets|tray|trays|bag|bags|trip|trips|car|cars"
    r"|table|tables|bus|buses|coach|coaches|minibuses|row|rows|bottle|bottles|tin|tins|can|cans|jar"
    r"|jars|case|cases|crate|crates|roll|rolls|sheet|sheets|teams?|groups?|batch|batches|loads?"
    r"|tub|tubs|bundles?|punnets?|tents?|vans?|shelves|pages|sacks?|tubes?|multipacks?)"
)
_GENERIC = frozenset(
    "is are do does did would will that it have has altogether in should i we money total of to"
    " more was am can could all have be they she he left for change longer further a an the does this so"
    " square cubic these those he'll i'll it'll".split()
)
_CHANGE = re.compile(
    r"\b(?:left|still|to go|more|remain\w*|short|change|over|older|younger|taller|shorter|longer"
    r"|further|farther|heavier|lighter|dearer|cheaper|difference|to write|until|lost|lose|gained?"
    r"|to spare)\b"
)
_TOGETHER = re.compile(
    r"\b(?:altogether|all together|in total|in all|all told|total|combined|all in|now|together)\b"
)
_RATED = re.compile(
    r"\b(?:each|apiece|a piece|per|every|times|of (?:a|an|the)? ?#|by|at #|(?:a|an) (?:day|week"
    r"|month"
    r"|year|hour|minute|night))\b"
)
_RATE = re.compile(
    r"#(?!%)(?P<noun>(?:[ -](?!(?:a|an|per|every|each|and|or|for|in|on|at|but|is|are|to|of us)\b)"
    r"[a-z'-]+){0,3}?),? (?:in |on |for |to |inside )?(?:(?:each|apiece|a piece|a pop"
    r"|a go)\b(?! of us)"
    r"|(?:per|every|each|an?)(?: single| and every)? (?P<per>[a-z]+))"
)
_EACH_IS = re.compile(
    r"\b(?:each|every|per|a|an|it|each of them)(?: (?P<per>[a-z]+))? (?:is|are|costs?|holds?|has"
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


@lru_cache(maxsize=16)
def read_word_problem(text: str) -> Sum | None:
    """The sum that a story asks for; None: none, or more than one is possible."""
    story = read_story(text)
    if story is None or _asks_elsewhere(story):
        return None
    found = {asked for kind in _KINDS for asked in kind(story)}
    return found.pop() if len(found) == 1 else None


def _stem(word: str) -> str:
    for ending in ("ies", "ves", "es", "s", "e"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word


def _asks_elsewhere(story: Story) -> bool:
    """Whether the question is for things that the story does not count."""
    for match in re.finditer(r"\bhow (?:many|much) (?:more )?([a-z']+)", story.question):
        word = match[1]
        if word in _GENERIC or re.fullmatch(_CONTAINERS, word):
            continue
        if len(re.findall(rf"\b{re.escape(_stem(word))}", story.outline)) < 2:
            return story.outline.count("#") > 2 or not re.match(
                r"how (?:many|much) (?:more )?[a-z']+(?: of [a-z]+)? (?:is|are|does|do|will"
                r"|would|have"
                r"|did|has|should|can|on)\b",
                match.string[match.start() :],
            )
    return False


def _sum(expression: str, said: str, *used: Amount, percent: bool = False, unit: str = "") -> Sum:
    money = "" if percent else next((amount.sign for amount in used if amount.sign), "")
    return Sum(expression, said, money, percent=percent, unit=unit)


def _product(*factors: Amount, unit: str = "") -> Sum:
    ordered = sorted(factors, key=lambda amount: not amount.sign)
    return _sum(
        "*".join(amount.value for amount in factors),
        " times ".join(amount.said for amount in ordered),
        *factors,
        unit=unit,
    )


def _quotient(over: Amount, under: Amount, *, whole: bool = False) -> Sum:
    money = "" if over.sign and under.sign else over.sign
    said = f"{over.said} divided by {under.said}"
    return Sum(f"{over.value}/{under.value}", said, money, whole=whole)


def _two(story: Story) -> tuple[Amount, Amount] | None:
    """Both amounts of a story that has two and no percentage."""
    if len(story.amounts) != 2 or "#%" in story.outline:
        return None
    return story.amounts[0], story.amounts[1]


def _other(story: Story, amount: Amount) -> Amount:
    first, second = story.amounts
    return second if amount is first else first


def _percents(story: Story) -> Iterator[Sum]:
    """ "480 before VAT, add twenty percent on top"; "thirty percent off"; "how much is the tip"."""
    if len(story.amounts) != 2 or story.outline.count("#%") != 1:
        return
    if _BACKWARDS.search(story.outline):
        return
    part = story.at(story.outline.index("#%"))
    base = _other(story, part)
    share = f"({part.value}/100)"
    if _PART.search(story.question) and not _WHOLE.search(story.question):
        yield _sum(f"{share}*{base.value}", f"{part.value} percent of {base.said}", base)
        return
    less, more = _OFF.search(story.outline), _ON.search(story.outline)
    if not less and not more and _WHOLE.search(story.question):
        more = re.search(r"\b(?:tip|service|vat|tax)\b", story.outline)
    if less and not more:
        yield _sum(f"{base.value}*(1-{share})", f"{base.said} minus {part.value} percent", base)
    elif more and not less:
        yield _sum(f"{base.value}*(1+{share})", f"{base.said} plus {part.value} percent", base)
    elif not less and re.search(r"#% of (?:the |my |our |that |a )?#", story.outline):
        yield _sum(f"{share}*{base.value}", f"{part.value} percent of {base.said}", base)


def _percentages(story: Story) -> Iterator[Sum]:
    """ "45 out of 60, what's that as a percentage?" """
    both = _two(story)
    if both is None or not re.search(r"percentage|(?:what|as a|in) ?%", story.question):
        return
    if re.search(r"\b(?:increase|rise|change|drop|up|down|more|less)\b", story.outline):
        return
    first, second = sorted(both, key=lambda amount: float(amount.value))
    said = f"{first.said} out of {second.said}"
    yield _sum(f"{first.value}/{second.value}*100", said, percent=True)


def _shares(story: Story) -> Iterator[Sum]:
    """ "We're splitting a bill of 84.60 between three of us, what's each share?" """
    both = _two(story)
    if both is None:
        return
    sharers = _SHARERS.search(story.outline)
    if sharers is None or len(list(_SHARERS.finditer(story.outline))) > 1:
        return
    if not _SPLIT.search(story.outline) and not _EACH.search(story.question):
        return
    if _RATE.search(story.outline) and not _SPLIT.search(story.outline):
        return
    count = story.at(sharers.start(1) if sharers[1] else sharers.start(2))
    if "." not in count.value and not count.sign:
        yield _quotient(_other(story, count), count)


_PER = re.compile(
    r"\b(?:per|for (?:each|a single|a|just one)|(?:is|does|of) (?:each|a|one)|each|(?:for"
    r"|is) it) ?([a-z]+)?"
)


def _per_item(story: Story) -> Iterator[Sum]:
    """ "A pack of six loo rolls is four pounds fifty, what does that come to per roll?" """
    both = _two(story)
    if both is None or not re.search(r"\b(?:what|how much)\b", story.question):
        return
    before = story.outline.replace(story.question, "")
    if _RATE.search(before) or _SPLIT.search(before):
        return
    per = _PER.search(story.question)
    if per is None:
        return
    if per[1] and per[1] not in {"it", "is", "cost", "of", "then", "one", "work", "come", "that"}:
        counted = re.search(rf"(#)(?!%)(?: [a-z-]+){{0,3}}? {re.escape(_stem(per[1]))}", before)
        if counted is None:
            return
        count = story.at(counted.start())
    elif bool(both[0].sign) != bool(both[1].sign) and re.search(r"\b(?:each|apiece)\b", per[0]):
        count = both[0] if both[1].sign else both[1]
    else:
        return
    if not count.sign and "." not in count.value:
        yield _quotient(_other(story, count), count)


_SIZE = re.compile(
    rf"\b{_CONTAINERS} of (#)|\b(?:sold|come|comes|packed|sorted) in (#)s?"
    rf"|(?:hold|fit|take|seat|carry|contain|cover|ha|carrie)(?:s|ve)?(?: up to| about)? (#)"
    rf"|(#)(?: [a-z]+){{0,2}}? (?:(?:in|to|on|at) (?:an?|each|every)|per) {_CONTAINERS}"
    rf"|\b{_CONTAINERS} (?:is|are) (#)"
)


def _containers(story: Story) -> Iterator[Sum]:
    """ "We need 144 eggs, sold in dozens, how many cartons do I pick up?" """
    both = _two(story)
    asked = re.search(rf"\bhow many(?: more)? (?P<what>{_CONTAINERS})\b", story.question)
    if both is None or asked is None:
        return
    if re.search(rf"#[^#,]{{0,12}} {re.escape(_stem(asked['what']))}", story.outline):
        return  # they are counted already
    sizes = list(_SIZE.finditer(story.outline))
    places = {match.start(match.lastindex or 0) for match in sizes}
    size = [story.at(place) for place in places]
    if len(size) == 1 and not size[0].sign:
        yield _quotient(_other(story, size[0]), size[0], whole=True)


def _nouns(story: Story) -> list[str]:
    """The words that follow each number, up to three."""
    found = []
    for after in story.outline.split("#")[1:]:
        words = re.match(r"%?((?:[ -][a-z'-]+){0,3})", after)
        found.append(words[1].strip() if words else "")
    return found


def _counts(story: Story, per: str, amount: Amount) -> bool:
    """Whether an amount of the story counts what another one is for each of."""
    place = next(at for at, one in enumerate(story.amounts) if one is amount)
    return any(_stem(word) == _stem(per) for word in _nouns(story)[place].split())


def _rates(story: Story) -> Iterator[Sum]:
    """ "17 boxes with 23 tiles each"; "25 quid a week for 52 weeks"; "32 lengths of 25 metres"."""
    both = _two(story)
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
        yield _product(*both)
        return
    rate = _RATE.search(story.outline)
    is_rate = _EACH_IS.search(story.outline)
    match = rate or is_rate
    if match is None or (rate and is_rate and rate.end() > is_rate.end() - 1 > rate.start()):
        return
    amount = story.at(match.start())
    other = _other(story, amount)
    per = match["per"] or ""
    asked = re.search(r"\bhow many ([a-z]+)", story.question)
    if asked and per and _stem(asked[1]) == _stem(per):
        return  # "how many weeks": a quotient
    if per_asked and not re.search(r"\b(?:each|per)\b", story.outline.replace(story.question, "")):
        return
    counted = not per or per in {"of", "one"} or _counts(story, per, other)
    if asked and asked[1] not in _GENERIC and not _counts(story, asked[1], amount):
        told = story.outline.replace(story.question, "")
        counted = counted and not re.search(rf"\b{re.escape(_stem(asked[1]))}", told)
    if counted and not other.sign:
        yield _product(other, amount)


def _periods(story: Story) -> Iterator[Sum]:
    """ "I smoke 4 a day, how many is that a week?"; "Brenda drinks 4 a day and Stu drinks 3"."""
    if len(story.amounts) > 2 or "#%" in story.outline:
        return
    rates = list(_RATE.finditer(story.outline))
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
    yield _sum(f"({'+'.join(values)})*{factor}", said, *story.amounts)


def _chains(story: Story) -> Iterator[Sum]:
    """ "8 hours a day, 5 days a week, for 4 weeks": each is for one of what the next counts."""
    if len(story.amounts) < 3 or "#%" in story.outline:
        return
    nouns = _nouns(story)
    rates = {story.outline.count("#", 0, rate.start()): rate["per"] for rate in
             _RATE.finditer(story.outline)}  # fmt: skip
    for place in range(len(nouns) - 1):
        per = rates.get(place)
        if per is None:
            counted = {_stem(word) for word in nouns[place].split()}
            following = {_stem(word) for word in nouns[place + 1].split()}
            if place == 0 or "day" not in counted or "week" not in following:
                return
        elif not any(_stem(word) == _stem(per) for word in nouns[place + 1].split()):
            return
    if len(nouns) - 1 in rates or _stem(rates.get(0) or "") == "":
        return
    yield _product(*story.amounts)


def _differences(story: Story) -> Iterator[Sum]:
    """ "1,250 words and he wants 2,000, how many are to go?"; "born in 1948, this is 2026"."""
    both = _two(story)
    if both is None:
        return
    first, second = sorted(both, key=lambda amount: -float(amount.value))
    years = all(re.fullmatch(r"1[89]\d\d|20\d\d|21\d\d", amount.value) for amount in both)
    if years:
        if re.search(r"\bhow (?:old|long|many years)\b", story.question):
            yield _sum(f"{first.value}-{second.value}", f"{first.value} minus {second.value}")
        return
    if not _CHANGE.search(story.question) or _RATED.search(story.outline):
        return
    things = [_content(words) for words in _nouns(story)]
    if all(things) and things[0] != things[1]:
        return
    yield _sum(f"{first.value}-{second.value}", f"{first.said} minus {second.said}", *both)


_FUNCTION = frozenset(
    "a an the in on of for to and but so this that at by with from is are was were my his her our i we"
    " he she it they has have had or more another today yesterday tomorrow altogether already now then"
    " wants needs want need please left still before after last next as if when how what spent paid"
    " costs cost each".split()
)


def _content(words: str) -> str:
    """The stem of what a number counts; empty: no word tells."""
    first = words.split(" ", maxsplit=1)[0]
    return "" if not first or first in _FUNCTION else _stem(first)


def _totals(story: Story) -> Iterator[Sum]:
    """ "I walked 3 miles this morning and 4 tonight, how far is that altogether?" """
    if len(story.amounts) < 2 or "#%" in story.outline or _RATED.search(story.outline):
        return
    if not _TOGETHER.search(story.question) or _CHANGE.search(story.question):
        return
    if re.search(r"\b(?:gave|lost|ate|used|sold|took|spent .* (?:of|from)|leav|without)\b",
                 story.outline):  # fmt: skip
        return
    if re.search(r"\bnow\b", story.question) and not re.search(
        r"\b(?:more|another|extra)\b", story.outline
    ):
        return
    things = {_content(words) for words in _nouns(story)} - {""}
    money = {bool(amount.sign) for amount in story.amounts}
    if (len(things) > 1 and money != {True}) or (things and len(money) > 1):
        return
    said = " plus ".join(amount.said for amount in story.amounts)
    yield _sum("+".join(amount.value for amount in story.amounts), said, *story.amounts)


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


def _areas(story: Story) -> Iterator[Sum]:
    """ "The room's 4.5 by 6 metres, how many square metres is that?" """
    sides = _SIDES.search(story.outline)
    if sides is None or sides.group().count("#") != len(story.amounts):
        return
    if re.search(r"\b(?:cost|price|pay|how (?:long|tall|far)|perimeter|fence|all the way round)\b",
                 story.outline):  # fmt: skip
        return
    units = {_stem(unit) for unit in sides.groups() if unit}
    flat = len(story.amounts) == 2
    fits = _SURFACE if flat else re.compile(r"\b(?:volume|cubic|capacity|space)\b")
    if len(units) > 1 or not fits.search(story.outline):
        return
    named = next((unit for unit in sides.groups() if unit), "")
    long = {"m": "metres", "ft": "feet", "cm": "centimetres", "foot": "feet", "inch": "inches"}
    unit = long.get(named, named if named.endswith("s") or not named else f"{named}s")
    asked = re.search(r"\b(?:square|cubic) ([a-z]+)", story.outline)
    if asked and unit and _stem(asked[1]) != _stem(unit):
        return
    unit = unit if named != "feet" else "feet"
    yield _product(*story.amounts, unit=f"{'square' if flat else 'cubic'} {unit}" if unit else "")


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


def _recipes(story: Story) -> Iterator[Sum]:
    """ "I'm baking for 12, the recipe serves 4 and takes 175 grams of butter, how much is that?" """
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
    word = _nouns(story)[rest[0]].split(" ")[0]
    unit = word if word and word not in _FUNCTION else ""
    said = f"{needed.said} times {many.said} divided by {one.said}"
    yield _sum(f"{needed.value}*{many.value}/{one.value}", said, needed, unit=unit)


_KINDS: tuple[Callable[[Story], Iterator[Sum]], ...] = (
    _percents,
    _percentages,
    _shares,
    _per_item,
    _containers,
    _rates,
    _periods,
    _chains,
    _differences,
    _totals,
    _areas,
    _recipes,
)
