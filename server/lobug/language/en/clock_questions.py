"""Questions about time and calendar whose subject stands elsewhere in what is said. English. Pure.

"My brother lives in Sydney, what time is it over there?", "The bank shuts at half past four, how
long have I got until then?": the templates of the skill ``clock`` see only the question; this
reader finds what it refers to in the whole text. Where that is not clear it reads nothing.
"""

from __future__ import annotations

import re

from lobug.language.en.named_days import read_day, read_moment
from lobug.language.en.place_mentions import mentioned_place
from lobug.language.en.times import find_times
from lobug.language.moments import Moment, TimeSpan
from lobug.language.skills import Match

SKILL = "clock"
LONGEST = 400
"""Characters; longer texts are not read."""

_FILLER = re.compile(
    r" (?:even|actually|exactly|really|honestly|again|roughly|approximately|on earth|the heck"
    r"|the hell|currently|supposed to be|altogether|in total|all told)\b",
    re.IGNORECASE,
)
_HESITATION = re.compile(r",? (?:um+|uh+|erm?)\b,?", re.IGNORECASE)
_START = (
    r"(?:^|[,;:.!?\u2013\u2014-] *|\b(?:so|and|but|then|or|well|now|because|please|mean|know|wonder"
    r"|wondering|idea|clue|(?:could|can|would|will) you (?:just |please )?(?:say|tell|check"
    r"|work out"
    r"|figure out|calculate|count)|(?:tell|remind|let|show) (?:me|us)|telling me"
    r"|work out(?: for me)?"
    r"|for me|would love to know|see)[ ,]+"
    r"|(?<!\bme)(?<!\bhim)(?<!\bher)(?<!\bus)(?<!\bthem)(?<!asked)(?<!knows)(?<!wondered)"
    r" (?=what time is it |what['\u2019]s the time ))"
)
_TAIL = (
    r"(?:,? (?:now|right now|just now|at the moment|at this moment|at the minute|currently|today"
    r"|then|please|though|exactly|this minute|this very minute|yet|already|anyway|do you know"
    r"|by now|roughly|mate|love|dear|ta|thanks|at present|these days))*"
    r"(?=$|[,;:.!?\u2013\u2014]| (?:because|cause|since|so|and|but|as|if|before|in case)\b| - )"
)
_PERSON = (
    r"(?:(?:my|our|the|his|her|their) (?P<whose>[a-z]+)|(?-i:(?P<name>[A-Z][a-z]+))|he|she|they"
    r"|him|her|them|that|we['\u2019]re going|i['\u2019]m going)"
)
_WHERE = (
    rf"(?:(?:over|out|down|up|back|across|round) (?:there|that way|yonder)|there"
    rf"|where(?:ver)? {_PERSON}(?:['\u2019](?:s|re)| is| are| lives?| stays?| works?)?"
    r"(?: (?:now|living|staying|working|based|lives|is|are))?"
    r"|in that (?:city|country|place|town|part of the world|time zone|neck of the woods)"
    r"|(?:at|on) (?:his|her|their|that|the other) (?:end|side)|in (?:his|her|their) (?:time zone"
    r"|city|country|part of the world|neck of the woods))"
)
_FOR = (
    r"(?:for|with) (?:him|her|them|those two|(?:my|our|the) (?P<relative>[a-z]+)|(?-i:[A-Z][a-z]+))"
)
_ASKS_TIME = (
    r"(?:what|which)(?:['\u2019]s| is|s)? (?:the )?(?:local |current |correct )?(?:time"
    r"|hour)(?: of (?:the )?day)?(?:['\u2019]s it)?"
)
_IS_IT = (
    r"(?: (?:is it|it is|it['\u2019]s|would it be|will it be|it would be|it will be"
    r"|it['\u2019](?:d|ll) be|is that|would that be"
    r"|does it make it|are they on|(?:have|has|do|does|did|would|will) (?:they|he|she|people|you)"
    r"(?: got| have| make it| be)?|they(?:['\u2019]ve| have) got|is))?"
)
_ELSEWHERE = re.compile(
    rf"{_START}(?P<question>{_ASKS_TIME}{_IS_IT}(?: (?:{_FOR}))? ?,?(?: ?{_WHERE}|(?<=him)|(?<=her)"
    rf"|(?<=them)|(?<=those two)){_TAIL})",
    re.IGNORECASE,
)
"""Asks for the time where somebody else is."""
_FOR_THEM = re.compile(
    rf"{_START}(?P<question>(?:{_ASKS_TIME}{_IS_IT}|how late is it) {_FOR}{_TAIL}"
    rf"|(?:what|which) time (?:have|do|would|will) (?:they|he|she)(?: got| have| make it"
    rf"| be on)?{_TAIL}"
    rf"|how late (?:is it|it is) {_WHERE.replace('?P<whose>', '').replace('?P<name>', '?:')}{_TAIL}"
    r"|what (?:does|do|would|will) (?:her|his|their|the) (?:clocks?|watch(?:es)?)(?: (?:over there"
    rf"|there|on the wall))? (?:say|read|show|be (?:saying|showing|reading|on))(?: (?:over there"
    rf"|there))?{_TAIL}"
    rf"|what (?:her|his|their) (?:clocks?|watch) (?:says?|reads?|shows?)(?: there)?{_TAIL})",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    rf"\bif (?:i|we) (?:were|was|lived|happened)\b[^.?!]*?{_START}"
    rf"(?P<question>what time (?:would|will) it be(?: for (?:me|us))?{_TAIL})",
    re.IGNORECASE,
)
"""Asks for the time in a place where the user is not."""
_MAYBE_ELSEWHERE = re.compile(r"^(?:what|which) time (?:have|do|would|will) \w+", re.IGNORECASE)
"""Asks for the time elsewhere only if a place was named: "What time do they have?"."""
_OF_THEIRS = re.compile(r"\b(?:her|his|their)\b", re.IGNORECASE)
_PART_THERE = re.compile(
    rf"{_START}(?P<question>is it (?:already |still |now )?(?:the )?(?:middle of the |early "
    rf"|late )?"
    r"(?:in the )?(?P<part>morning|afternoon|evening|night|day|daytime|night ?time|dark"
    r"|light)(?: time)?"
    r"(?: already| yet| now)? (?:over there|out there|down there|there|for (?:him|her|them)"
    rf"|where (?:he|she|they)(?:['\u2019](?:s|re)| is| are| lives?)){_TAIL})",
    re.IGNORECASE,
)
_DATE_ELSEWHERE = re.compile(
    rf"{_START}(?P<question>(?:what|which) (?:day|date|weekday|day of the week)(?: is it| it is"
    r"|['\u2019]s it| have they got| do they have)? (?:over there|out there|down there|there"
    r"|for (?:him|her|them)|where (?:he|she|they)(?:['\u2019](?:s|re)| is| are| lives?))"
    rf"{_TAIL})",
    re.IGNORECASE,
)
_HERE = re.compile(
    rf"{_START}(?P<question>what time(?:['\u2019]s it| is it| has it)(?: got| getting) to"
    rf"|what time are we at"
    r"|what (?:the|your|my) clock (?:says|reads|shows|is saying)"
    r"|what(?:['\u2019]s| is) (?:the|your) clock (?:say|saying|showing|reading)"
    rf"|what does (?:the|your) clock (?:say|show|read)|how late is it (?:getting|now)){_TAIL}",
    re.IGNORECASE,
)
_TODAY = re.compile(
    rf"{_START}(?P<question>(?:(?:what|which) (?:day|date)(?: of (?:the )?(?:week|month))?"
    r"|(?:what|which) weekday|whatever day)(?: are we| we are| we['\u2019]re| is it| it is|"
    r" is today| today is| have we got| do we have)(?: on| at| up to)?"
    rf"{_TAIL}|what are we (?:on )?today{_TAIL}"
    r"|(?:is (?:it|today)|isn['\u2019]t (?:it|today)|am i right in thinking (?:it|today|that it"
    r"|that"
    r" today)(?:['\u2019]s| is)) (?:a )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"(?:,? or (?:is it )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day))?"
    rf"{_TAIL})",
    re.IGNORECASE,
)
_MONTH = re.compile(
    rf"{_START}(?P<question>(?:what|which) (?P<unit>month|year|week(?: of the year| number)?)"
    r"(?: are we| we are| we['\u2019]re| is it| it is| is this| this is)(?: in| on| at)?"
    rf"{_TAIL})",
    re.IGNORECASE,
)
_THAT_DAY = re.compile(
    rf"{_START}(?P<question>(?:on )?(?:what|which) (?:date|day|weekday)(?: of (?:the )?(?:week"
    rf"|month))?"
    r"(?:,)?(?: (?:is|was|will|would|does|did))? (?:that|it|this)(?:['\u2019]s)?"
    r"(?: (?:is|was|will|would|does|did|day))?"
    r"(?: (?:be|falls?|lands?|comes?|makes?|turn(?:s|ed)? out to be|ends? up|fell|landed|date))?"
    rf"(?: (?:on|out|out at))?(?: (?:this|that|next|in that) year)?{_TAIL}"
    r"|(?:what(?:['\u2019]s| is| was| will| would)) the (?:date|day|weekday|day of the week)"
    rf"(?: be)? (?:then|that day|on that day|of that|for that){_TAIL}"
    r"|what (?:date|day) (?:should|shall|do) i (?:write|put|enter)(?: down| in)?"
    rf"(?: for (?:that|it))?{_TAIL}"
    r"|when(?:['\u2019]s| is| was| will| would) that(?: be)?"
    rf"{_TAIL})",
    re.IGNORECASE,
)
_UNIT = r"(?P<unit>days|weeks|months|hours|minutes|sleeps|nights|weekends)"
_LEFT = re.compile(
    rf"{_START}(?P<question>(?:how many (?:more |whole |full )?{_UNIT}|how (?:long|much time"
    rf"|much longer))"
    r"(?: (?:have|do|has|does|would|will) (?:we|i|they|she|he|that)(?: still)? (?:got|have|leave"
    r"|give)"
    r"(?: (?:me|us|her|him|them))?(?: left)?(?: to (?:go|wait))?"
    r"| do (?:we|i) (?:still )?have to wait| must (?:we|i) wait"
    r"| have (?:we|i)(?: still)?(?: got)? to wait"
    r"| (?:are|is) (?:there |it )?(?:left|still to go|to go|remaining)| are there| left| to go"
    r"|(?=$|\?)| is it"
    r"|(?: from (?:now|today)| away| off)? (?:is|would|will) (?:that|it|this)(?: be)?| away (?:is"
    r"|are) (?:that|it)"
    r"| (?:till|until|before|to) (?:then|that)| it is| that is)"
    r"(?P<until>(?: (?:left|to go|away|off|from (?:now|today)|still|yet))*"
    rf"(?: (?:until|till|til|before|to) (?:then|that|it)(?: day)?)?){_TAIL})",
    re.IGNORECASE,
)
_COMING = re.compile(
    r"\b(?:due|by the|until|till|(?:starts?|begins?|ends?|expires?|runs? out|comes?|arrives?|opens?"
    r"|closes?|leaves?|is|['\u2019]s|are|['\u2019]re) (?:on|at)|will|flying|moving"
    r"|count(?:ing)? down"
    r"|(?:can['\u2019]t|cannot|hardly) (?:come|wait)|look(?:ing)? forward|excited)\b",
    re.IGNORECASE,
)
"""Says that what a text tells is still to come."""
_PAST = re.compile(
    r"\b(?:since|(?:i|we|he|she|they) (?:last |first )?(?:\w+ed|gave|began|met|left|came|went|got"
    r"|bought|quit|lost))\b",
    re.IGNORECASE,
)
_WAITS = re.compile(
    r"\b(?:left|wait|go|until|till|til|before|away|off|from|got|have|give|remain\w*)\b"
)
_SINCE = re.compile(
    rf"{_START}(?P<question>(?:how many {_UNIT}|how long)"
    r"(?: (?:has|have|is|was) (?:it|that|this|i|we)(?: now)?(?: been| lasted)?"
    r"(?: (?:been|going|passed|gone by))?| ago (?:was|is) (?:that|it)| have (?:passed|gone by)"
    r"| since)(?P<since>(?: (?:since|since then|since that|ago|by now|gone|doing (?:it|that)"
    r"|on it))*)"
    rf"{_TAIL})",
    re.IGNORECASE,
)
_GONE = re.compile(
    rf"{_START}(?P<question>(?:is|has) it (?:already |yet |just )?(?P<how>gone|past|after|before"
    rf"|turned"
    r"|passed|struck|nearly|almost|about|(?:coming|getting) up (?:to|for)|later than|not yet)? ?"
    r"(?P<time>(?:(?:a )?(?:quarter|half|five|ten|twenty) (?:past|to) |half )?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midday|midnight"
    r"|\d{1,2}"
    r"(?:[:.]\d\d)?)(?: ?(?:[ap]\.?m\.?|thirty|fifteen|forty-five|o['\u2019]?clock))?)"
    rf"{_TAIL})",
    re.IGNORECASE,
)
_RELATES = re.compile(r"\b(?:time|clock|watch|yet|already|late|o['\u2019]?clock)", re.IGNORECASE)


def read_clock_question(text: str) -> Match | None:
    """What a text asks about time, if its question refers to something that is said before or
    after it, or stands beside a story; None: it does not, or it is not clear to what."""
    if len(text) > LONGEST:
        return None
    plain = " ".join(text.replace("\u2019", "'").split())
    plain = _FILLER.sub("", _HESITATION.sub(",", plain))
    return _elsewhere(plain) or _here(plain) or _of_a_day(plain) or _gone(plain)


def _match(intent: str, question: str, **slots: str) -> Match:
    return Match(SKILL, intent, slots, question)


def _rest(text: str, found: re.Match[str]) -> str:
    """The text without its question."""
    return f"{text[: found.start('question')]} \n {text[found.end('question') :]}"


def _elsewhere(text: str) -> Match | None:
    for pattern, intent in (
        (_ELSEWHERE, "TimeThere"),
        (_FOR_THEM, "TimeThere"),
        (_SUPPOSED, "TimeThere"),
        (_PART_THERE, "PartThere"),
        (_DATE_ELSEWHERE, "DateThere"),
    ):
        found = pattern.search(text)
        if found is None:
            continue
        groups = found.groupdict()
        focus = groups.get("whose") or groups.get("name") or groups.get("relative") or ""
        place = mentioned_place(_rest(text, found), focus.lower())
        question = found["question"]
        if place:
            slots = {"place": place} | ({"part": groups["part"]} if "part" in groups else {})
            return _match(intent, question, **slots)
        if place is None and _MAYBE_ELSEWHERE.search(question):
            continue
        theirs = _OF_THEIRS.search(question)
        if (
            intent == "TimeThere"
            and pattern is not _SUPPOSED
            and not ("clock" in question and theirs)
        ):
            return _match("TimeWhere", question)
    return None


def _here(text: str) -> Match | None:
    if (found := _HERE.search(text)) is not None:
        return _match("Time", found["question"])
    if (found := _TODAY.search(text)) is not None and not _is_time(found["question"]):
        return _match("Date", found["question"])
    if (found := _MONTH.search(text)) is not None:
        return _match(found["unit"].split()[0].capitalize(), found["question"])
    return None


def _is_time(question: str) -> bool:
    return "there" in question.lower().split()


def _of_a_day(text: str) -> Match | None:
    if (found := _THAT_DAY.search(text)) is not None:
        day = _only_moment(_rest(text, found))
        if day and read_day(day) is not None:
            return _match("DateOf", found["question"], day=day)
    if (found := _SINCE.search(text)) is not None:
        rest = _rest(text, found)
        since = (
            _PAST.search(rest) is not None
            or "since" in found["question"]
            or "ago" in found["question"]
            or " been" in found[0]
        )
        when = _only_moment(rest)
        if since and when and read_moment(when) is not None:
            unit = {"unit": found["unit"].lower()} if found["unit"] else {}
            return _match("Since", found["question"], when=when, **unit)
    found = _LEFT.search(text)
    if found is not None and (
        _WAITS.search(found["question"].lower()) or _COMING.search(_rest(text, found))
    ):
        when = _only_moment(_rest(text, found))
        if when and read_moment(when) is not None:
            unit = {"unit": found["unit"].lower()} if found["unit"] else {}
            return _match("Until", found["question"], when=when, **unit)
    return None


_NAMED_DAY = re.compile(
    r"\bat (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?= ?(?:$"
    r"|[,.;!?\n]))"
    r"|\b(?:Christmas|Easter|Halloween|Hallowe['\u2019]en|New Year)\b(?! (?:Eve|Day)|['\u2019])"
)
_BEFORE_DAY = re.compile(
    r"^(?:on|at|to|by|until|till|from|since|for|in|before|is|it's) (?=\S)", re.I
)


def _only_moment(text: str) -> str | None:
    """The words of the one day or time in a text; None: there is none, or there are several."""
    moments = [one for one in find_times(text) if isinstance(one.value, Moment)]
    if not moments and (named := _NAMED_DAY.search(text)) is not None:
        return named[0]
    told = {repr(one.value) for one in moments}
    if len(told) != 1 or moments[0].value == Moment():
        return None
    start = moments[0].start
    for span in find_times(text):
        if isinstance(span.value, TimeSpan) and text[span.end : start].isspace():
            start = span.start  # "to a fortnight on Thursday"
    words = text[start : moments[0].end].strip(" ,.?!")
    name = _BEFORE_DAY.sub("", words)
    return name if read_moment(name) is not None else words


def _gone(text: str) -> Match | None:
    found = _GONE.search(text)
    if found is None:
        return None
    how = (found["how"] or "").lower()
    if not how and not _RELATES.search(found["question"]):
        return None  # "Is it two?"
    return _match("Gone", found["question"], when=found["time"], how=how)


_OTHER_PLACE = re.compile(
    r"\b(?:there|(?:for|with) (?:him|her|them)|where (?:he|she|they|my|our))\b", re.IGNORECASE
)
_BEFORE_PLACE = re.compile(r"^(?:i mean|it's|in|at|for) ", re.IGNORECASE)
_WORDS_OF_OVER = frozenset({"gone", "past", "after", "turned", "passed", "struck", "later than"})


def is_elsewhere(question: str) -> bool:
    """Whether a question about time means another place, which it does not name."""
    return _OTHER_PLACE.search(question) is not None


def named_place(answer: str) -> str:
    """The place in an answer to "Which city do you mean?"."""
    return _BEFORE_PLACE.sub("", answer.strip())


def asks_whether_over(how: str) -> bool | None:
    """Whether "is it ... three?" asks if the time is over (True) or still to come (False).

    None: neither, as in "is it nearly three?".
    """
    if how in _WORDS_OF_OVER:
        return True
    return False if how == "before" else None
